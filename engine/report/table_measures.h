/* table_measures.h: what judges measure, in the table.
 *
 * For judges whose type has measures, or that compared methods; nothing is printed for others. */
#ifndef EE_REPORT_TABLE_MEASURES_H
#define EE_REPORT_TABLE_MEASURES_H

#include "report/layout.h"

/* A line a measure: mean, median, least, greatest, standard deviation. */
void ee_table_measures(ee_layout *layout, const ee_judge *judge, const ee_judge_total *total);

/* What greedy lost against optimal, in two lines. */
void ee_table_methods(ee_layout *layout, const ee_judge_total *total);

/* The cases with the lowest scores, at most EE_WORST_CASES, behind an empty line; nothing when all cases have the same
 * score. */
#define EE_WORST_CASES 10
bool ee_table_has_worst_cases(const ee_judge_total *total);
void ee_table_worst_cases(ee_layout *layout, const ee_judge *judge, const ee_judge_total *total);

#endif
