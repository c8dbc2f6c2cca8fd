/* table_measures.c: a grid of figures, and the cases to look at first. */
#include "report/table_measures.h"

#include "prim/number.h"
#include "prim/unicode.h"

#define LONGEST_ID 40 /* columns, where lines may be as long as they like */

static void add_head(ee_grid *grid, const char *const *names, size_t count) {
  ee_cell *cells = ee_grid_add(grid);
  for (size_t i = 0; i < count; i++) cells[i] = ee_cell_text(grid->layout, ee_str_from(names[i]), EE_INK_DIM);
}

void ee_table_measures(ee_layout *layout, const ee_judge *judge, const ee_judge_total *total) {
  static const char *const names[] = {"measure", "mean", "median", "min", "max", "sd"};
  enum { COLUMNS = sizeof names / sizeof *names };
  if (total->case_metric_count == 0) return;
  ee_grid grid;
  ee_grid_start(&grid, layout, COLUMNS, 2);
  add_head(&grid, names, COLUMNS);
  for (size_t i = 0; i < total->case_metric_count; i++) {
    const ee_sample *sample = &total->case_metrics[i].sample;
    const ee_value_counts *tally = &total->case_metrics[i].values;
    bool any = sample->count > 0;
    const ee_metric figures[] = {{any, ee_sample_mean(sample)},
                                 {any, ee_value_counts_median(tally)},
                                 {any, ee_value_counts_min(tally)},
                                 {any, ee_value_counts_max(tally)},
                                 {sample->count > 1, ee_sample_deviation(sample)}};
    ee_cell *cells = ee_grid_add(&grid);
    cells[0] = ee_cell_text(layout, ee_str_from(judge->type->case_metrics[i]), EE_INK_PLAIN);
    cells[1] = ee_cell_metric(layout, figures[0], EE_INK_BOLD);
    for (size_t k = 1; k + 1 < COLUMNS; k++) cells[k + 1] = ee_cell_metric(layout, figures[k], EE_INK_PLAIN);
  }
  ee_grid_print(&grid);
}

void ee_table_methods(ee_layout *layout, const ee_judge_total *total) {
  const ee_methods_total *methods = &total->methods;
  if (methods->compared == 0) return;
  char lost[32];
  ee_double_format_short(ee_fixed_value(methods->lost_similarity), 6, lost);
  ee_buffer_addf(
      layout->out,
      "  greedy against optimal: %llu cases compared, %llu paired differently, %llu in which greedy loses, %s "
      "of total similarity\n  mean score ",
      (unsigned long long)methods->compared, (unsigned long long)methods->different, (unsigned long long)methods->lost,
      lost);
  double greedy = ee_fixed_mean(methods->greedy_score, methods->compared);
  double optimal = ee_fixed_mean(methods->optimal_score, methods->compared);
  ee_layout_add(layout, EE_INK_PLAIN, ee_cell_score(layout, greedy, EE_INK_PLAIN).text);
  ee_buffer_add_text(layout->out, " by greedy, ");
  ee_layout_add(layout, EE_INK_PLAIN, ee_cell_score(layout, optimal, EE_INK_PLAIN).text);
  ee_buffer_add_text(layout->out, " by optimal\n");
}

/* No score is below the lowest, so all are equal when their sum is what it would be then. */
static bool all_equal(const ee_sample *score, double lowest) {
  return score->sum.units == (__int128)score->count * ee_fixed_from(lowest).units;
}

bool ee_table_has_worst_cases(const ee_judge_total *total) {
  const ee_worst_cases *ranking = total->worst;
  return ranking != NULL && ranking->count > 0 && !all_equal(&total->score, ranking->cases[0].score);
}

static ee_ink ink_of(ee_verdict verdict) {
  return verdict == EE_VERDICT_PASS ? EE_INK_PLAIN : verdict == EE_VERDICT_BORDERLINE ? EE_INK_YELLOW : EE_INK_RED;
}

void ee_table_worst_cases(ee_layout *layout, const ee_judge *judge, const ee_judge_total *total) {
  enum { RANK, ID, FIRST };
  const ee_worst_cases *ranking = total->worst;
  if (!ee_table_has_worst_cases(total)) return;
  const char *names[FIRST + EE_CASE_METRIC_LIMIT] = {"rank", "id"};
  for (size_t i = 0; i < total->case_metric_count; i++) names[FIRST + i] = judge->type->case_metrics[i];
  ee_buffer_add_text(layout->out, "\n  worst cases\n");
  ee_grid grid;
  ee_grid_start(&grid, layout, FIRST + total->case_metric_count, 2);
  grid.name = ID;
  add_head(&grid, names, grid.columns);
  for (size_t i = 0; i < ranking->count && i < EE_WORST_CASES; i++) {
    const ee_ranked_case *ranked = &ranking->cases[i];
    ee_ink ink = ink_of(ee_verdict_of(ranked->score, judge->verdict));
    ee_cell *cells = ee_grid_add(&grid);
    cells[RANK] = ee_cell_count(layout, i + 1, EE_INK_DIM);
    cells[ID] = ee_cell_text(layout, ranked->id.length > 0 ? ranked->id : EE_STR("\"\""), ink);
    /* A terminal shortens the column as far as it must. */
    if (layout->style.width == 0) cells[ID].text = ee_text_shorten(cells[ID].text, LONGEST_ID, layout->arena);
    for (size_t k = 0; k < total->case_metric_count; k++)
      cells[FIRST + k] = ee_cell_score(layout, ranked->case_metrics[k], EE_INK_PLAIN);
  }
  ee_grid_print(&grid);
}
