/* table_parts.h: what the tables of a run and of pooled rows have in common.
 */
#ifndef EE_REPORT_TABLE_PARTS_H
#define EE_REPORT_TABLE_PARTS_H

#include "report/layout.h"
#include "run/totals.h"

/* Attributes that are shown, in tables and in Markdown; JSON and CSV have all of them. */
#define EE_ATTRIBUTES_SHOWN 200
/* Columns of a name that the data made, where lines may be as long as they like. */
#define EE_NAME_OF_DATA_COLUMNS 60

/* Green, yellow, red. */
extern const ee_ink ee_verdict_inks[3];

void ee_table_end_line(ee_layout *layout);
/* "  name 12", dim when there is none of it. */
void ee_table_figure(ee_layout *layout, const char *name, uint64_t count, ee_ink ink);
/* "mean score 0.912 ± 0.021" */
void ee_table_mean(ee_layout *layout, const ee_sample *score);
/* The same with "(95 %)" behind it where it has an interval, and how the verdicts fell: three lines with bars. */
void ee_table_scores(ee_layout *layout, const ee_sample *score, const uint64_t verdicts[3]);

/* What stands above a judge's attributes. */
typedef struct ee_judge_heading {
  ee_str name, type; /* the type is left out where it is the name, or empty */
  const ee_sample *score;
  const uint64_t *verdicts;
  uint64_t failed, vacuous, fallbacks; /* left out where 0 */
} ee_judge_heading;

/* "items (line_items)  mean score 0.912 ± 0.021  pass 12 ...", on as many lines as it takes. */
void ee_table_judge_heading(ee_layout *layout, const ee_judge_heading *heading);

/* Attributes worst F1 first, and their averages. `split`: false positives are told apart, wrong or invented; `fold`:
 * of those that only the data knows and nothing was ever expected at, the worst are shown and the others are one line;
 * `limits` colour F1. */
void ee_table_attributes(ee_layout *layout, const ee_judge_total *total, bool split, bool fold,
                         ee_verdict_limits limits);

/* One value of a slice. */
typedef struct ee_ranked_slice {
  const ee_slice_total *slice;
  double mean;
  size_t number; /* in the totals */
} ee_ranked_slice;
/* Slice values that are shown. */
#define EE_SLICE_VALUES_SHOWN 40

/* The values of slice path number `path`, worst mean score first, ties in order of appearance; in `arena`. */
size_t ee_slices_in_order(const ee_totals *totals, size_t path, ee_arena *arena, ee_ranked_slice **ranked);

/* The order in which `total`'s attributes are shown, in `arena`, after folding; returns how many there are of them. Of
 * what was folded away `*folded` is how many, and `*pooled` their counts. */
size_t ee_attributes_in_order(const ee_judge_total *total, bool fold, ee_arena *arena, size_t **order, size_t *folded,
                              ee_counts *pooled);

#endif
