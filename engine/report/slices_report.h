/* slices_report.h: the table of a slice's values, the same for runs and for rows. */
#ifndef EE_REPORT_SLICES_REPORT_H
#define EE_REPORT_SLICES_REPORT_H

#include "report/measures_report.h"
#include "report/page.h"

/* One value of a slice. Borrowed. */
typedef struct ee_slice_line {
  ee_str value;
  const ee_sample *score;
  const uint64_t *verdicts;         /* three of them */
  const ee_named_measure *measures; /* the same ones in all lines of a table */
} ee_slice_line;

/* Adds the table of the slice at `path`: its values, worst mean score first, ties as they came, with the means of the
 * first few measures. Sorts `lines`. Nothing without lines. */
void ee_slice_page(ee_str path, ee_slice_line *lines, size_t count, size_t measure_count, ee_page *page);

#endif
