/* slices_report.h: the table of a slice's values, the same for runs and for rows. */
#ifndef EE_REPORT_SLICES_REPORT_H
#define EE_REPORT_SLICES_REPORT_H

#include "report/measures_report.h"
#include "report/page.h"

/* One value of a slice. Borrowed. */
typedef struct ee_slice_line {
  ee_str value;
  uint64_t cases;
  ee_ranged mean, passed;
  const ee_named_measure *measures; /* the same ones in all lines of a table */
} ee_slice_line;

/* Adds the table of the slice at `path`: its values with the means of the first few measures. First are those
 * whose interval of the mean score ends lowest, which are surely bad: a few bad cases by chance are not. Sorts `lines`.
 * Nothing without lines. */
void ee_slice_page(ee_str path, ee_slice_line *lines, size_t count, size_t measure_count, ee_page *page);

#endif
