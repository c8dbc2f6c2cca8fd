/* table_figures.h: what judges say of the whole data set, in the table.
 */
#ifndef EE_REPORT_TABLE_FIGURES_H
#define EE_REPORT_TABLE_FIGURES_H

#include "judge/corpus.h"
#include "report/layout.h"

/* Rows that are shown; the JSON summary has all of them. */
#define EE_CORPUS_ROWS 200

/* A small grid of shares, a line of counts, the rows (of classes, worst first), and the notes as lines. */
void ee_table_figures(ee_layout *layout, const ee_corpus_summary *summary);

#endif
