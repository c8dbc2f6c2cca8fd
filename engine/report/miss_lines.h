/* miss_lines.h: what is wrong in a case, from its row, in lines that stand alone: "total: expected 100, got 102
 * (diff=2)". For test reports and annotations, whose readers see nothing else of the case. */
#ifndef EE_REPORT_MISS_LINES_H
#define EE_REPORT_MISS_LINES_H

#include "base/list.h"
#include "report/stored_row.h"

/* Lines of a case that are listed; the last one then says how many more there are. */
#define EE_MISS_LINES 50

typedef struct ee_miss_lines {
  EE_LIST(ee_str);
} ee_miss_lines;

/* Appends a line for each mismatch of the row's judges, both values as JSON (a long one is cut), and for each miss of
 * the judges that have no mismatches. `judge`: of this one only; data NULL: of all, and if there are several a line
 * begins with the judge's name. Texts are in `arena`, with harmful characters and line breaks escaped. */
void ee_miss_lines_add(const ee_stored_row *row, ee_str judge, ee_arena *arena, ee_miss_lines *lines);

/* The first of the lines in one: "score 0.44: total: expected 100, got 102; date: ...; 3 more", in `arena`. */
ee_str ee_miss_lines_summary(double score, const ee_miss_lines *lines, ee_arena *arena);

#endif
