/* summary_markdown.c: the summary as a comment on a change: first whether it passes, then why. */
#include <inttypes.h>

#include "prim/unicode.h"
#include "report/markdown_parts.h"
#include "report/run_report.h"
#include "report/table_figures.h"
#include "report/table_measures.h"
#include "report/table_parts.h"

/* An id or a value, which may be of any length. */
static ee_str short_code(ee_arena *arena, ee_str text) {
  return ee_markdown_code(arena, ee_text_shorten(ee_text_printable(text, arena), EE_NAME_OF_DATA_COLUMNS, arena));
}

static void add_text(ee_markdown_out *markdown, const char *text) { ee_buffer_add_text(markdown->out, text); }

static void add_str(ee_markdown_out *markdown, ee_str text) { ee_buffer_add_str(markdown->out, text); }

/* The head ------------------------------------------------------------------------------------- */

static void add_gate_verdict(ee_markdown_out *markdown, const ee_summary *summary) {
  if (summary->gate_count == 0) return;
  size_t failed = 0;
  for (size_t i = 0; i < summary->gate_count; i++) failed += !summary->gates[i].passed;
  const char *plural = summary->gate_count == 1 ? "" : "s";
  if (failed == 0)
    ee_buffer_addf(markdown->out, "\xe2\x9c\x85 **PASS**: %zu gate%s passed\n\n", summary->gate_count, plural);
  else
    ee_buffer_addf(markdown->out, "\xe2\x9d\x8c **FAIL**: %zu of %zu gate%s failed\n\n", failed, summary->gate_count,
                   plural);
}

/* "- 2 records could not be read", behind an empty line for the first one. */
static void add_note(ee_markdown_out *markdown, bool *any, uint64_t count, const char *one, const char *many) {
  if (count == 0) return;
  ee_buffer_addf(markdown->out, "%s- %" PRIu64 " %s\n", *any ? "" : "\n", count, count == 1 ? one : many);
  *any = true;
}

static void add_expected_notes(ee_markdown_out *markdown, bool *any, const ee_expected_coverage *expected) {
  if (!expected->given) return;
  add_note(markdown, any, expected->in_error, "expected value could not be used", "expected values could not be used");
  if (expected->whole && !expected->detections_given)
    add_note(markdown, any, expected->without_record, "expected value has no record", "expected values have no record");
  add_note(markdown, any, expected->detections_in_error, "detection could not be used", "detections could not be used");
  add_note(markdown, any, expected->detections_without_image, "detection has no image", "detections have no image");
}

static void add_notes(ee_markdown_out *markdown, const ee_summary *summary) {
  const ee_totals *totals = summary->totals;
  bool any = false;
  add_note(markdown, &any, totals->unreadable, "record could not be read", "records could not be read");
  add_note(markdown, &any, totals->duplicates, "record has an id that was there before, and was left out",
           "records have ids that were there before, and were left out");
  add_note(markdown, &any, totals->filtered, "record was not selected", "records were not selected");
  add_note(markdown, &any, totals->unjudged, "record has no judge", "records have no judge");
  add_expected_notes(markdown, &any, &summary->expected);
  add_note(markdown, &any, totals->candidates_missing, "case has no candidate", "cases have no candidate");
  add_note(markdown, &any, totals->candidates_unparseable, "candidate holds no JSON", "candidates hold no JSON");
  add_note(markdown, &any, totals->rule_errors, "error was raised by the rules", "errors were raised by the rules");
  add_note(markdown, &any, totals->provider_failures, "value got no answer from the provider",
           "values got no answer from the provider");
}

static void add_head(ee_markdown_out *markdown, const ee_summary *summary) {
  const ee_totals *totals = summary->totals;
  add_text(markdown, "## ");
  add_str(markdown, ee_markdown_code(markdown->arena, summary->plan->name));
  add_text(markdown, ": mean score ");
  add_str(markdown, ee_markdown_mean(markdown->arena, &totals->all.score));
  add_text(markdown, "\n\n");
  add_gate_verdict(markdown, summary);
  if (summary->interrupted)
    add_text(markdown, "**Interrupted**: only the cases finished until then are in this report\n\n");
  if (summary->stopped)
    add_text(markdown, "**Stopped at the first error**: only the cases up to it are in this report\n\n");
  ee_buffer_addf(markdown->out, "%" PRIu64 " case%s: ", totals->scored, totals->scored == 1 ? "" : "s");
  ee_markdown_verdicts(markdown, totals->all.verdicts);
  add_text(markdown, "\n");
  add_notes(markdown, summary);
}

/* Judges --------------------------------------------------------------------------------------- */

static void add_measures(ee_markdown_out *markdown, const ee_judge *judge, const ee_judge_total *total) {
  static const char *const names[] = {"measure", "mean", "median", "min", "max", "sd"};
  if (total->case_metric_count == 0) return;
  ee_arena *arena = markdown->arena;
  ee_markdown_table table;
  ee_markdown_start(&table, arena, names, sizeof names / sizeof *names, 1);
  for (size_t i = 0; i < total->case_metric_count; i++) {
    const ee_sample *sample = &total->case_metrics[i].sample;
    const ee_value_counts *tally = &total->case_metrics[i].values;
    bool any = sample->count > 0;
    ee_str *cells = ee_markdown_add(&table);
    cells[0] = ee_str_from(judge->type->case_metrics[i]);
    cells[1] = ee_markdown_bold(arena, ee_markdown_metric(arena, (ee_metric){any, ee_sample_mean(sample)}));
    cells[2] = ee_markdown_metric(arena, (ee_metric){any, ee_value_counts_median(tally)});
    cells[3] = ee_markdown_metric(arena, (ee_metric){any, ee_value_counts_min(tally)});
    cells[4] = ee_markdown_metric(arena, (ee_metric){any, ee_value_counts_max(tally)});
    cells[5] = ee_markdown_metric(arena, (ee_metric){sample->count > 1, ee_sample_deviation(sample)});
  }
  add_text(markdown, "\n");
  ee_markdown_print(&table, markdown->out);
}

static ee_str figure_cell(ee_arena *arena, const ee_corpus_metric *figure) {
  if (figure->is_count && figure->defined) return ee_markdown_count(arena, (uint64_t)figure->value);
  return ee_markdown_metric(arena, (ee_metric){figure->defined, figure->value});
}

static void add_figure_rows(ee_markdown_out *markdown, const ee_corpus_summary *summary) {
  if (summary->row_count == 0) return;
  ee_arena *arena = markdown->arena;
  size_t columns = summary->column_count < EE_MARKDOWN_COLUMNS ? summary->column_count + 1 : EE_MARKDOWN_COLUMNS;
  const char *names[EE_MARKDOWN_COLUMNS] = {summary->row_title};
  for (size_t i = 1; i < columns; i++) names[i] = summary->columns[i - 1];
  ee_markdown_table table;
  ee_markdown_start(&table, arena, names, columns, 1);
  size_t shown = summary->row_count < EE_CORPUS_ROWS ? summary->row_count : EE_CORPUS_ROWS;
  for (size_t row = 0; row < shown; row++) {
    ee_str *cells = ee_markdown_add(&table);
    cells[0] = short_code(arena, summary->rows[row].name);
    for (size_t i = 1; i < columns; i++) cells[i] = figure_cell(arena, &summary->rows[row].values[i - 1]);
  }
  if (shown < summary->row_count)
    ee_markdown_add(&table)[0] = ee_str_from(ee_arena_printf(arena, "%zu more", summary->row_count - shown));
  add_text(markdown, "\n");
  ee_markdown_print(&table, markdown->out);
}

static void add_figures(ee_markdown_out *markdown, const ee_corpus_summary *summary) {
  static const char *const names[] = {"figure", "value"};
  ee_arena *arena = markdown->arena;
  if (summary->metric_count > 0) {
    ee_markdown_table table;
    ee_markdown_start(&table, arena, names, 2, 1);
    for (size_t i = 0; i < summary->metric_count; i++) {
      ee_str *cells = ee_markdown_add(&table);
      cells[0] = ee_str_from(summary->figures[i].name);
      cells[1] = figure_cell(arena, &summary->figures[i]);
    }
    add_text(markdown, "\n");
    ee_markdown_print(&table, markdown->out);
  }
  add_figure_rows(markdown, summary);
  if (summary->note_count > 0) add_text(markdown, "\n");
  for (size_t i = 0; i < summary->note_count; i++) {
    add_text(markdown, "- ");
    add_str(markdown, ee_markdown_code(arena, summary->notes[i]));
    add_text(markdown, "\n");
  }
}

static void add_worst_cases(ee_markdown_out *markdown, const ee_judge *judge, const ee_judge_total *total) {
  if (!ee_table_has_worst_cases(total)) return;
  const ee_worst_cases *ranking = total->worst;
  const char *names[1 + EE_CASE_METRIC_LIMIT] = {"worst case"};
  for (size_t i = 0; i < total->case_metric_count; i++) names[1 + i] = judge->type->case_metrics[i];
  ee_arena *arena = markdown->arena;
  ee_markdown_table table;
  ee_markdown_start(&table, arena, names, 1 + total->case_metric_count, 1);
  for (size_t i = 0; i < ranking->count && i < EE_WORST_CASES; i++) {
    ee_str *cells = ee_markdown_add(&table);
    cells[0] = short_code(arena, ranking->cases[i].id);
    for (size_t k = 0; k < total->case_metric_count; k++)
      cells[1 + k] = ee_markdown_metric(arena, (ee_metric){true, ranking->cases[i].case_metrics[k]});
  }
  add_text(markdown, "\n");
  ee_markdown_print(&table, markdown->out);
}

static void add_judge(ee_markdown_out *markdown, const ee_judge *judge, const ee_judge_total *total) {
  ee_markdown_judge(markdown, judge->name, ee_str_from(judge->type->name), &total->score, total->verdicts);
  bool any = false;
  add_note(markdown, &any, total->failed, "case in which the judge was in error",
           "cases in which the judge was in error");
  add_note(markdown, &any, total->vacuous, "case with nothing to score", "cases with nothing to score");
  add_note(markdown, &any, total->fallbacks, "case with lists paired by greedy instead of optimal",
           "cases with lists paired by greedy instead of optimal");
  add_measures(markdown, judge, total);
  if (total->corpus != NULL) add_figures(markdown, total->corpus);
  bool split = ee_judge_splits_fp(judge);
  ee_markdown_attributes(markdown, total, split, split);
  add_worst_cases(markdown, judge, total);
}

/* Slices and gates ----------------------------------------------------------------------------- */

static void add_slice(ee_markdown_out *markdown, const ee_summary *summary, size_t path) {
  static const char *const names[] = {"value", "cases", "mean score", "pass"};
  ee_arena *arena = markdown->arena;
  ee_ranked_slice *ranked;
  size_t count = ee_slices_in_order(summary->totals, path, arena, &ranked);
  if (count == 0) return;
  add_text(markdown, "\n### Slice ");
  add_str(markdown, ee_markdown_code(arena, summary->plan->slices[path]->text));
  add_text(markdown, "\n\n");
  ee_markdown_table table;
  ee_markdown_start(&table, arena, names, 4, 1);
  size_t shown = count < EE_SLICE_VALUES_SHOWN ? count : EE_SLICE_VALUES_SHOWN;
  for (size_t i = 0; i < shown; i++) {
    const ee_score_totals *totals = &ranked[i].slice->totals;
    ee_str *cells = ee_markdown_add(&table);
    cells[0] = short_code(arena, ranked[i].slice->value);
    cells[1] = ee_markdown_count(arena, totals->score.count);
    cells[2] = ee_markdown_metric(arena, (ee_metric){true, ranked[i].mean});
    cells[3] = ee_markdown_percent(arena, totals->verdicts[EE_VERDICT_PASS], totals->score.count);
  }
  if (shown < count) ee_markdown_add(&table)[0] = ee_str_from(ee_arena_printf(arena, "%zu more", count - shown));
  ee_markdown_print(&table, markdown->out);
}

static void add_gates(ee_markdown_out *markdown, const ee_summary *summary) {
  static const char *const names[] = {"gate", "verdict"};
  if (summary->gate_count == 0) return;
  add_text(markdown, "\n### Gates\n\n");
  ee_markdown_table table;
  ee_markdown_start(&table, markdown->arena, names, 2, 2);
  ee_buffer text;
  ee_buffer_init(&text);
  for (size_t i = 0; i < summary->gate_count; i++) {
    const ee_gate_result *result = &summary->gates[i];
    ee_buffer_clear(&text);
    ee_gate_print(result, &text);
    ee_str *cells = ee_markdown_add(&table);
    cells[0] = ee_markdown_code(markdown->arena, (ee_str){text.data, text.length});
    cells[1] = result->passed ? EE_STR("\xe2\x9c\x85 PASS") : EE_STR("\xe2\x9d\x8c FAIL");
  }
  ee_buffer_fini(&text);
  ee_markdown_print(&table, markdown->out);
}

void ee_summary_markdown(const ee_summary *summary, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_markdown_out markdown = {out, &arena};
  add_head(&markdown, summary);
  for (size_t i = 0; i < summary->plan->judge_count; i++)
    add_judge(&markdown, summary->plan->judges[i], &summary->totals->all.judges[i]);
  for (size_t i = 0; i < summary->plan->slice_count; i++) add_slice(&markdown, summary, i);
  add_gates(&markdown, summary);
  ee_arena_fini(&arena);
}
