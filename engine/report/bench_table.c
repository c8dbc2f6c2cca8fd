/* bench_table.c: a run of the bench for people: the rates, then where they come from. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/bench_lines.h"

/* Trials whose figures are shown one by one. */
#define TRIALS_SHOWN 10

static void end_line(ee_layout *layout) { ee_buffer_add_char(layout->out, '\n'); }

static void add_plain(ee_layout *layout, const char *text) { ee_buffer_add_text(layout->out, text); }

static void add_heading(ee_layout *layout, const char *text) {
  end_line(layout);
  ee_layout_add(layout, EE_INK_BOLD, ee_str_from(text));
  end_line(layout);
}

static ee_cell cell(ee_layout *layout, const char *text, ee_ink ink) {
  return (ee_cell){ee_str_from(ee_arena_copy(layout->arena, text, strlen(text))), ink};
}

static void name_columns(ee_grid *grid, const char *const *names) {
  ee_cell *cells = ee_grid_add(grid);
  for (size_t i = 0; i < grid->columns; i++) cells[i] = cell(grid->layout, names[i], EE_INK_DIM);
}

/* "40 more": what is not listed. */
static void add_rest(ee_layout *layout, size_t count, const char *how) {
  if (count <= EE_BENCH_SHOWN) return;
  const char *text = ee_arena_printf(layout->arena, "  %zu more%s", count - EE_BENCH_SHOWN, how);
  ee_layout_add(layout, EE_INK_DIM, ee_str_from(text));
  end_line(layout);
}

static size_t listed(size_t count) { return count < EE_BENCH_SHOWN ? count : EE_BENCH_SHOWN; }

/* Rates -------------------------------------------------------------------------------------------------------------
 */

static void add_rates(ee_layout *layout, const ee_bench_metrics *metrics) {
  static const char *const names[] = {"quoteInvariantRate", "schemaValidRate", "successRate",
                                      "uniqueExtractionStability"};
  ee_grid grid;
  ee_grid_start(&grid, layout, 3, 2);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    ee_metric value = ee_bench_metric(metrics, names[i]);
    uint64_t part, whole;
    ee_cell *cells = ee_grid_add(&grid);
    cells[0] = cell(layout, names[i], EE_INK_PLAIN);
    cells[1] = ee_cell_metric(layout, value, value.value < 1 ? EE_INK_RED : EE_INK_GREEN);
    if (!ee_bench_metric_parts(metrics, names[i], &part, &whole)) continue;
    cells[2] = cell(layout, ee_arena_printf(layout->arena, "%" PRIu64 " of %" PRIu64, part, whole), EE_INK_PLAIN);
  }
  ee_grid_print(&grid);
}

static void add_gold(ee_layout *layout, const ee_bench_metrics *metrics) {
  if (metrics->gold == 0 && !metrics->precision.defined) return;
  static const char *const names[] = {"gold spans", "found", "of", "recall", "precision"};
  const struct {
    const char *name;
    uint64_t found;
    ee_metric recall, precision;
  } rows[] = {{"exact", metrics->exact, metrics->coverage, metrics->precision},
              {"partial", metrics->partial, metrics->recall_partial, metrics->precision_partial},
              {"overlapping", metrics->overlapping, metrics->recall_overlapping, metrics->precision_overlapping}};
  end_line(layout);
  ee_grid grid;
  ee_grid_start(&grid, layout, 5, 2);
  name_columns(&grid, names);
  for (size_t i = 0; i < 3; i++) {
    ee_cell *cells = ee_grid_add(&grid);
    cells[0] = cell(layout, rows[i].name, EE_INK_PLAIN);
    cells[1] = ee_cell_count(layout, rows[i].found, EE_INK_PLAIN);
    cells[2] = ee_cell_count(layout, metrics->gold, EE_INK_PLAIN);
    cells[3] = ee_cell_metric(layout, rows[i].recall, EE_INK_PLAIN);
    cells[4] = ee_cell_metric(layout, rows[i].precision, EE_INK_PLAIN);
  }
  ee_grid_print(&grid);
  if (metrics->approximate == 0) return;
  add_plain(layout, "  ");
  ee_layout_add(layout, EE_INK_YELLOW, ee_bench_approximate_line(metrics, layout->arena));
  end_line(layout);
}

/* Trials ------------------------------------------------------------------------------------------------------------
 */

/* Counts and similarities of pairs, a column a trial. */
static void add_pairs(ee_layout *layout, const ee_bench_metrics *metrics) {
  size_t trials = metrics->trials;
  ee_grid grid;
  ee_grid_start(&grid, layout, trials + 1, 2);
  ee_cell *cells = ee_grid_add(&grid);
  cells[0] = cell(layout, "trial", EE_INK_DIM);
  for (size_t t = 0; t < trials; t++) cells[t + 1] = ee_cell_count(layout, t + 1, EE_INK_DIM);
  cells = ee_grid_add(&grid);
  cells[0] = cell(layout, "extractions", EE_INK_PLAIN);
  for (size_t t = 0; t < trials; t++) cells[t + 1] = ee_cell_count(layout, metrics->counts[t], EE_INK_PLAIN);
  for (size_t a = 1; a < trials; a++) {
    cells = ee_grid_add(&grid);
    cells[0] = cell(layout, ee_arena_printf(layout->arena, "Jaccard with trial %zu", a), EE_INK_PLAIN);
    for (size_t b = a; b < trials; b++) {
      double similarity = metrics->pairwise[(a - 1) * trials + b];
      cells[b + 1] = ee_cell_score(layout, similarity, similarity < 1 ? EE_INK_YELLOW : EE_INK_PLAIN);
    }
  }
  ee_grid_print(&grid);
}

static void add_trials(ee_layout *layout, const ee_bench_metrics *metrics) {
  if (metrics->trials < 2) return;
  add_heading(layout, "trials");
  ee_buffer_addf(layout->out, "  extractions a run: min %" PRIu64 "  max %" PRIu64 "  mean %s  variance %s\n",
                 metrics->count_min, metrics->count_max, ee_bench_figure(metrics->count_mean, layout->arena),
                 ee_bench_figure(metrics->count_variance, layout->arena));
  if (metrics->trials <= TRIALS_SHOWN) add_pairs(layout, metrics);
}

static void add_drift(ee_layout *layout, const ee_bench_metrics *metrics) {
  if (metrics->trials < 2) return;
  add_heading(layout, "drift between trials");
  ee_cell share = ee_cell_percent(layout, metrics->drifting_count, metrics->cases, EE_INK_PLAIN);
  ee_buffer_addf(layout->out, "  %zu of %zu cases", metrics->drifting_count, metrics->cases);
  add_plain(layout, " (");
  ee_layout_add(layout, share.ink, share.text);
  add_plain(layout, ")\n");
  if (metrics->drifting_count == 0) return;
  static const char *const names[] = {"case", "stability", "extractions"};
  ee_grid grid;
  ee_grid_start(&grid, layout, 3, 2);
  name_columns(&grid, names);
  for (size_t i = 0; i < listed(metrics->drifting_count); i++) {
    const ee_bench_drift *drift = &metrics->drifting[i];
    ee_cell *cells = ee_grid_add(&grid);
    cells[0] = ee_cell_text(layout, drift->case_id, EE_INK_PLAIN);
    cells[1] = ee_cell_score(layout, drift->stability, EE_INK_YELLOW);
    const char *range = drift->least == drift->most
                            ? ee_arena_printf(layout->arena, "%" PRIu64, drift->least)
                            : ee_arena_printf(layout->arena, "%" PRIu64 " to %" PRIu64, drift->least, drift->most);
    cells[2] = cell(layout, range, EE_INK_PLAIN);
  }
  ee_grid_print(&grid);
  add_rest(layout, metrics->drifting_count, ": --format json");
}

/* Answers -----------------------------------------------------------------------------------------------------------
 */

static void add_figure(ee_layout *layout, const char *name, uint64_t count, ee_ink ink) {
  ee_cell figure = ee_cell_count(layout, count, count > 0 ? ink : EE_INK_DIM);
  add_plain(layout, "  ");
  ee_layout_add(layout, count > 0 ? EE_INK_PLAIN : EE_INK_DIM, ee_str_from(name));
  add_plain(layout, " ");
  ee_layout_add(layout, figure.ink, figure.text);
}

static void add_answers(ee_layout *layout, const ee_bench_metrics *metrics) {
  end_line(layout);
  add_plain(layout, "answers");
  add_figure(layout, "read",
             (uint64_t)metrics->cases * metrics->trials - metrics->answers_unreadable - metrics->unanswered,
             EE_INK_PLAIN);
  add_figure(layout, "unreadable", metrics->answers_unreadable, EE_INK_YELLOW);
  if (metrics->unanswered > 0) add_figure(layout, "none came", metrics->unanswered, EE_INK_RED);
  add_figure(layout, "not as targetSchema", metrics->schema_violations, EE_INK_YELLOW);
  add_figure(layout, "bare lists", metrics->bare_lists, EE_INK_PLAIN);
  end_line(layout);
  add_plain(layout, "repairs");
  add_figure(layout, "answers", metrics->answers_repaired, EE_INK_PLAIN);
  for (int i = 0; i < EE_REPAIR_COUNT; i++)
    add_figure(layout, ee_repair_name((ee_repair)i), metrics->repairs[i], EE_INK_PLAIN);
  end_line(layout);
}

static void add_failures(ee_layout *layout, const ee_bench_metrics *metrics) {
  if (metrics->failure_count == 0) return;
  add_heading(layout, "failures");
  for (size_t i = 0; i < listed(metrics->failure_count); i++) {
    add_plain(layout, "  ");
    ee_buffer_add_str(layout->out, ee_bench_failure_line(&metrics->failures[i], layout->arena));
    end_line(layout);
  }
  add_rest(layout, metrics->failure_count, ": --format json");
}

/* Another run -------------------------------------------------------------------------------------------------------
 */

static void add_deltas(ee_layout *layout, const ee_bench_score *score) {
  static const char *const names[] = {"metric", "before", "now", "change"};
  ee_grid grid;
  ee_grid_start(&grid, layout, 4, 2);
  name_columns(&grid, names);
  for (size_t i = 0; ee_bench_metric_names[i] != NULL; i++) {
    ee_metric now = ee_bench_metric(score->metrics, ee_bench_metric_names[i]);
    ee_metric before = ee_bench_metric(score->baseline, ee_bench_metric_names[i]);
    if (!now.defined && !before.defined) continue;
    ee_cell *cells = ee_grid_add(&grid);
    cells[0] = cell(layout, ee_bench_metric_names[i], EE_INK_PLAIN);
    cells[1] = ee_cell_metric(layout, before, EE_INK_PLAIN);
    cells[2] = ee_cell_metric(layout, now, EE_INK_PLAIN);
    double change = now.value - before.value;
    if (!now.defined || !before.defined)
      cells[3] = cell(layout, "-", EE_INK_DIM);
    else if (change == 0)
      cells[3] = cell(layout, "=", EE_INK_DIM);
    else
      cells[3] = cell(layout, ee_arena_printf(layout->arena, "%+.3f", change), change < 0 ? EE_INK_RED : EE_INK_GREEN);
  }
  ee_grid_print(&grid);
}

static void add_changes(ee_layout *layout, const ee_bench_comparison *comparison) {
  if (comparison->change_count == 0) return;
  static const char *const names[] = {"case", "new", "lost", "result"};
  ee_grid grid;
  ee_grid_start(&grid, layout, 4, 2);
  grid.bars = true;
  name_columns(&grid, names);
  for (size_t i = 0; i < listed(comparison->change_count); i++) {
    const ee_bench_change *change = &comparison->changes[i];
    ee_cell *cells = ee_grid_add(&grid);
    cells[0] = ee_cell_text(layout, change->case_id, EE_INK_PLAIN);
    cells[1] = ee_cell_count(layout, change->gained, change->gained > 0 ? EE_INK_PLAIN : EE_INK_DIM);
    cells[2] = ee_cell_count(layout, change->lost, change->lost > 0 ? EE_INK_PLAIN : EE_INK_DIM);
    if (ee_str_equal(change->kinds, change->kinds_before)) continue;
    const char *result = ee_arena_printf(layout->arena, "%s, was %s", change->kinds.data, change->kinds_before.data);
    cells[3] = cell(layout, result, EE_INK_YELLOW);
  }
  ee_grid_print(&grid);
  add_rest(layout, comparison->change_count, ": --format json");
}

static void add_baseline(ee_layout *layout, const ee_bench_score *score) {
  if (score->baseline == NULL) return;
  ee_bench_comparison comparison;
  ee_bench_compare(score->run, score->baseline_run, layout->arena, &comparison);
  add_heading(layout, "drift from the baseline");
  if (!comparison.same_data) {
    add_plain(layout, "  ");
    ee_layout_add(layout, EE_INK_YELLOW, EE_STR("the runs are of different records"));
    ee_buffer_addf(layout->out, ": %zu cases in both, %zu only now, %zu only before\n", comparison.cases,
                   comparison.only_now, comparison.only_before);
  }
  add_deltas(layout, score);
  ee_buffer_addf(layout->out, "  %zu of %zu cases changed: %" PRIu64 " new extractions, %" PRIu64 " lost\n",
                 comparison.change_count, comparison.cases, comparison.gained, comparison.lost);
  add_changes(layout, &comparison);
}

/* All of it ---------------------------------------------------------------------------------------------------------
 */

static void add_gates(ee_layout *layout, const ee_bench_score *score) {
  if (score->gate_count == 0) return;
  add_heading(layout, "gates");
  for (size_t i = 0; i < score->gate_count; i++) {
    bool passed = score->gates[i].passed;
    add_plain(layout, "  ");
    ee_layout_add(layout, passed ? EE_INK_GREEN : EE_INK_RED, ee_str_from(passed ? "PASS" : "FAIL"));
    add_plain(layout, "  ");
    ee_buffer_add_str(layout->out, ee_bench_gate_line(score, &score->gates[i], layout->arena));
    end_line(layout);
  }
}

void ee_bench_table(const ee_bench_score *score, ee_table_style style, ee_arena *arena, ee_buffer *out) {
  ee_layout layout = {out, arena, style};
  const ee_bench_metrics *metrics = score->metrics;
  ee_layout_add(&layout, EE_INK_BOLD, EE_STR("extraction bench"));
  add_plain(&layout, ": ");
  ee_buffer_add_str(out, ee_bench_head_line(score->run, arena));
  end_line(&layout);
  end_line(&layout);
  ee_buffer_addf(out, "cases %zu  trials %zu  extractions %" PRIu64 "\n", metrics->cases, metrics->trials,
                 metrics->extractions);
  add_rates(&layout, metrics);
  add_gold(&layout, metrics);
  add_trials(&layout, metrics);
  add_drift(&layout, metrics);
  add_answers(&layout, metrics);
  add_failures(&layout, metrics);
  add_baseline(&layout, score);
  add_gates(&layout, score);
}
