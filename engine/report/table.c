/* table.c: the summary for people: first what decides, then where it comes from. */
#include "report/table_figures.h"
#include "report/table_measures.h"
#include "report/table_parts.h"

static void add_plain(ee_layout *layout, const char *text) { ee_buffer_add_text(layout->out, text); }

static void add_cell(ee_layout *layout, ee_cell cell) { ee_layout_add(layout, cell.ink, cell.text); }

/* The head ------------------------------------------------------------------------------------- */

static void add_head(ee_layout *layout, const ee_summary *summary) {
  const ee_totals *totals = summary->totals;
  add_cell(layout, ee_cell_text(layout, summary->plan->name, EE_INK_BOLD));
  ee_table_end_line(layout);
  if (summary->interrupted) {
    ee_layout_add(layout, EE_INK_RED, EE_STR("interrupted: only the cases finished until then are in this report"));
    ee_table_end_line(layout);
  }
  if (summary->stopped) {
    ee_layout_add(layout, EE_INK_RED, EE_STR("stopped at the first error: only the cases up to it are in this report"));
    ee_table_end_line(layout);
  }
  ee_table_end_line(layout);
  ee_buffer_addf(layout->out, "cases %llu  ", (unsigned long long)totals->scored);
  ee_table_scores(layout, &totals->all.score, totals->all.verdicts);
  ee_table_end_line(layout);
}

static void add_expected(ee_layout *layout, const ee_expected_coverage *expected) {
  if (!expected->given) return;
  add_plain(layout, "expected  ");
  ee_table_figure(layout, "read", expected->records, EE_INK_PLAIN);
  ee_table_figure(layout, "in error", expected->in_error, EE_INK_RED);
  if (expected->whole && !expected->detections_given)
    ee_table_figure(layout, "without a record", expected->without_record, EE_INK_YELLOW);
  ee_table_end_line(layout);
  if (!expected->detections_given) return;
  add_plain(layout, "detections");
  ee_table_figure(layout, "read", expected->detections, EE_INK_PLAIN);
  ee_table_figure(layout, "in error", expected->detections_in_error, EE_INK_RED);
  ee_table_figure(layout, "without an image", expected->detections_without_image, EE_INK_RED);
  ee_table_end_line(layout);
}

static void add_coverage(ee_layout *layout, const ee_summary *summary) {
  const ee_totals *totals = summary->totals;
  add_plain(layout, "records   ");
  ee_table_figure(layout, "read", totals->records, EE_INK_PLAIN);
  ee_table_figure(layout, "scored", totals->scored, EE_INK_PLAIN);
  ee_table_figure(layout, "in error", totals->unreadable + totals->duplicates, EE_INK_RED);
  if (totals->unreadable > 0) ee_table_figure(layout, "unreadable", totals->unreadable, EE_INK_RED);
  if (totals->duplicates > 0) ee_table_figure(layout, "duplicate ids", totals->duplicates, EE_INK_RED);
  if (totals->filtered > 0) ee_table_figure(layout, "not selected", totals->filtered, EE_INK_PLAIN);
  if (totals->unjudged > 0) ee_table_figure(layout, "without a judge", totals->unjudged, EE_INK_YELLOW);
  ee_table_end_line(layout);
  add_expected(layout, &summary->expected);
  add_plain(layout, "candidates");
  ee_table_figure(layout, "missing", totals->candidates_missing, EE_INK_YELLOW);
  ee_table_figure(layout, "without JSON", totals->candidates_unparseable, EE_INK_YELLOW);
  ee_table_end_line(layout);
  add_plain(layout, "rules     ");
  ee_table_figure(layout, "errors", totals->rule_errors, EE_INK_RED);
  if (totals->rule_errors > 0) ee_table_figure(layout, "cases", totals->cases_with_rule_errors, EE_INK_RED);
  ee_table_end_line(layout);
  if (totals->provider_failures == 0) return;
  add_plain(layout, "provider  ");
  ee_table_figure(layout, "no answer", totals->provider_failures, EE_INK_RED);
  ee_table_figure(layout, "cases", totals->cases_with_provider_failures, EE_INK_RED);
  ee_table_end_line(layout);
}

/* Judges --------------------------------------------------------------------------------------- */

static void add_judge(ee_layout *layout, const ee_judge *judge, const ee_judge_total *total) {
  ee_table_end_line(layout);
  ee_judge_heading heading = {.name = judge->name,
                              .type = ee_str_from(judge->type->name),
                              .score = &total->score,
                              .verdicts = total->verdicts,
                              .failed = total->failed,
                              .vacuous = total->vacuous,
                              .fallbacks = total->fallbacks};
  ee_table_judge_heading(layout, &heading);
  ee_table_methods(layout, total);
  ee_table_measures(layout, judge, total);
  if (total->corpus != NULL) ee_table_figures(layout, total->corpus);
  if ((total->case_metric_count > 0 || total->corpus != NULL) && total->attribute_count > 0) ee_table_end_line(layout);
  bool split = ee_judge_splits_fp(judge);
  if (total->attribute_count > 0) ee_table_attributes(layout, total, split, split, judge->verdict);
  ee_table_worst_cases(layout, judge, total);
}

/* Slices --------------------------------------------------------------------------------------- */

static void add_slice(ee_layout *layout, const ee_summary *summary, size_t path) {
  ee_ranked_slice *ranked;
  size_t count = ee_slices_in_order(summary->totals, path, layout->arena, &ranked);
  if (count == 0) return;
  ee_table_end_line(layout);
  add_plain(layout, "slice ");
  add_cell(layout, ee_cell_text(layout, summary->plan->slices[path]->text, EE_INK_BOLD));
  ee_table_end_line(layout);
  ee_grid grid;
  ee_grid_start(&grid, layout, 4, 2);
  static const char *const names[] = {"value", "cases", "mean score", "pass"};
  ee_cell *cells = ee_grid_add(&grid);
  for (size_t i = 0; i < 4; i++) cells[i] = ee_cell_text(layout, ee_str_from(names[i]), EE_INK_DIM);
  size_t shown = count < EE_SLICE_VALUES_SHOWN ? count : EE_SLICE_VALUES_SHOWN;
  for (size_t i = 0; i < shown; i++) {
    const ee_slice_total *slice = ranked[i].slice;
    const ee_score_totals *totals = &slice->totals;
    cells = ee_grid_add(&grid);
    cells[0] = ee_cell_text(layout, slice->value.length > 0 ? slice->value : EE_STR("\"\""), EE_INK_PLAIN);
    cells[1] = ee_cell_count(layout, totals->score.count, EE_INK_PLAIN);
    cells[2] = ee_cell_score(layout, ranked[i].mean, EE_INK_PLAIN);
    cells[3] = ee_cell_percent(layout, totals->verdicts[EE_VERDICT_PASS], totals->score.count, EE_INK_PLAIN);
  }
  if (shown < count) {
    const char *text = ee_arena_printf(layout->arena, "%zu more: --format json", count - shown);
    ee_grid_add(&grid)[0] = ee_cell_text(layout, ee_str_from(text), EE_INK_DIM);
  }
  ee_grid_print(&grid);
}

/* Gates ---------------------------------------------------------------------------------------- */

static void add_gates(ee_layout *layout, const ee_summary *summary) {
  if (summary->gate_count == 0) return;
  ee_table_end_line(layout);
  ee_layout_add(layout, EE_INK_BOLD, EE_STR("gates"));
  ee_table_end_line(layout);
  ee_buffer text;
  ee_buffer_init(&text);
  for (size_t i = 0; i < summary->gate_count; i++) {
    const ee_gate_result *result = &summary->gates[i];
    add_plain(layout, "  ");
    ee_layout_add(layout, result->passed ? EE_INK_GREEN : EE_INK_RED, ee_str_from(result->passed ? "PASS" : "FAIL"));
    add_plain(layout, "  ");
    ee_buffer_clear(&text);
    ee_gate_print(result, &text);
    add_cell(layout, ee_cell_text(layout, (ee_str){text.data, text.length}, EE_INK_PLAIN));
    ee_table_end_line(layout);
  }
  ee_buffer_fini(&text);
}

void ee_summary_table(const ee_summary *summary, ee_table_style style, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_layout layout = {out, &arena, style};
  add_head(&layout, summary);
  add_coverage(&layout, summary);
  for (size_t i = 0; i < summary->plan->judge_count; i++)
    add_judge(&layout, summary->plan->judges[i], &summary->totals->all.judges[i]);
  for (size_t i = 0; i < summary->plan->slice_count; i++) add_slice(&layout, summary, i);
  add_gates(&layout, summary);
  ee_arena_fini(&arena);
}
