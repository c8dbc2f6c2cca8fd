/* run_report.c: the report of a run as JSON and CSV. */
#include <evalengine.h>

#include "report/csv.h"
#include "report/json_out.h"
#include "report/run_report.h"

/* What the judge measured; of no case nothing is known. */
static void add_measures(ee_json_out *json, const ee_judge *judge, const ee_judge_total *total) {
  if (total->case_metric_count == 0) return;
  ee_json_open(json, "measures", '{');
  for (size_t i = 0; i < total->case_metric_count; i++) {
    const ee_sample *sample = &total->case_metrics[i].sample;
    const ee_value_counts *tally = &total->case_metrics[i].values;
    ee_json_open(json, judge->type->case_metrics[i], '{');
    if (sample->count > 0) {
      ee_json_add_number(json, "mean", ee_sample_mean(sample));
      ee_json_add_number(json, "median", ee_value_counts_median(tally));
      ee_json_add_number(json, "min", ee_value_counts_min(tally));
      ee_json_add_number(json, "max", ee_value_counts_max(tally));
    }
    if (sample->count > 1) ee_json_add_number(json, "standard_deviation", ee_sample_deviation(sample));
    ee_json_close(json, '}');
  }
  ee_json_close(json, '}');
}

static void add_ranking(ee_json_out *json, const ee_judge *judge, const ee_judge_total *total) {
  const ee_worst_cases *ranking = total->worst;
  if (ranking == NULL) return;
  ee_json_open(json, "ranking", '[');
  for (size_t i = 0; i < ranking->count; i++) {
    const ee_ranked_case *ranked = &ranking->cases[i];
    ee_json_open(json, NULL, '{');
    ee_json_add_count(json, "rank", i + 1);
    ee_json_add_text(json, "id", ranked->id);
    ee_json_add_number(json, "score", ranked->score);
    for (size_t k = 0; k < total->case_metric_count; k++)
      ee_json_add_number(json, judge->type->case_metrics[k], ranked->case_metrics[k]);
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
  if (ranking->count < total->score.count) ee_json_add_bool(json, "ranking_truncated", true);
}

/* Values that should have been boxes or points. */
static void add_unreadable(ee_json_out *json, const ee_unreadable *unreadable) {
  if (unreadable->count > 0) ee_json_add_count(json, "unreadable_values", unreadable->count);
}

/* How lists were paired, where there is anything to tell. */
static void add_pairing(ee_json_out *json, const ee_judge_total *total) {
  if (total->fallbacks > 0) ee_json_add_count(json, "fallbacks_to_greedy", total->fallbacks);
  const ee_methods_total *methods = &total->methods;
  if (methods->compared == 0) return;
  ee_json_open(json, "methods", '{');
  ee_json_add_count(json, "compared", methods->compared);
  ee_json_add_count(json, "cases_with_different_pairs", methods->different);
  ee_json_add_count(json, "greedy_lost", methods->lost);
  ee_json_add_number(json, "similarity_lost", ee_fixed_value(methods->lost_similarity));
  ee_json_add_number(json, "mean_score_greedy", ee_fixed_mean(methods->greedy_score, methods->compared));
  ee_json_add_number(json, "mean_score_optimal", ee_fixed_mean(methods->optimal_score, methods->compared));
  ee_json_close(json, '}');
}

/* Undefined figures are left out. */
static void add_figure(ee_json_out *json, const ee_corpus_metric *figure) {
  if (!figure->defined) return;
  if (figure->is_count)
    ee_json_add_count(json, figure->name, (uint64_t)figure->value);
  else
    ee_json_add_number(json, figure->name, figure->value);
}

/* What was said of the whole data set: "figures", "rows" (of classes, worst first) and "notes". */
static void add_data_summary(ee_json_out *json, const ee_corpus_summary *summary) {
  ee_json_open(json, "figures", '{');
  for (size_t i = 0; i < summary->metric_count; i++) add_figure(json, &summary->figures[i]);
  ee_json_close(json, '}');
  ee_json_open(json, "rows", '[');
  for (size_t i = 0; i < summary->row_count; i++) {
    ee_json_open(json, NULL, '{');
    ee_json_add_text(json, summary->row_title, summary->rows[i].name);
    for (size_t k = 0; k < summary->column_count; k++) add_figure(json, &summary->rows[i].values[k]);
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
  ee_json_open(json, "notes", '[');
  for (size_t i = 0; i < summary->note_count; i++) ee_json_add_text(json, NULL, summary->notes[i]);
  ee_json_close(json, ']');
}

static void add_judge(ee_json_out *json, const ee_judge *judge, const ee_judge_total *total) {
  ee_json_open(json, NULL, '{');
  ee_json_add_text(json, "name", judge->name);
  ee_json_add_text(json, "type", ee_str_from(judge->type->name));
  ee_json_add_number(json, "weight", judge->weight);
  ee_json_add_mean(json, &total->score);
  ee_json_add_verdicts(json, total->verdicts);
  ee_json_add_count(json, "in_error", total->failed);
  ee_json_add_count(json, "vacuous", total->vacuous);
  add_unreadable(json, &total->unreadable);
  add_pairing(json, total);
  add_measures(json, judge, total);
  if (total->corpus != NULL) add_data_summary(json, total->corpus);
  ee_json_add_attributes(json, total, ee_judge_splits_fp(judge));
  add_ranking(json, judge, total);
  ee_json_close(json, '}');
}

static void add_judges(ee_json_out *json, const ee_plan *plan, const ee_score_totals *totals) {
  ee_json_open(json, "judges", '[');
  for (size_t i = 0; i < plan->judge_count; i++) add_judge(json, plan->judges[i], &totals->judges[i]);
  ee_json_close(json, ']');
}

static void add_slices(ee_json_out *json, const ee_summary *summary) {
  const ee_totals *totals = summary->totals;
  ee_json_open(json, "slices", '[');
  for (size_t path = 0; path < summary->plan->slice_count; path++) {
    ee_json_open(json, NULL, '{');
    ee_json_add_text(json, "path", summary->plan->slices[path]->text);
    ee_json_open(json, "values", '[');
    for (size_t i = 0; i < totals->slice_count; i++) {
      const ee_slice_total *slice = &totals->slices[i];
      if (slice->slice != path) continue;
      ee_json_open(json, NULL, '{');
      ee_json_add_text(json, "value", slice->value);
      ee_json_add_count(json, "cases", slice->totals.score.count);
      ee_json_add_mean(json, &slice->totals.score);
      ee_json_add_verdicts(json, slice->totals.verdicts);
      add_judges(json, summary->plan, &slice->totals);
      ee_json_close(json, '}');
    }
    ee_json_close(json, ']');
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
}

static void add_gate(ee_json_out *json, const ee_gate_result *result) {
  const ee_gate *gate = result->gate;
  ee_json_open(json, NULL, '{');
  if (gate->judge.length > 0) ee_json_add_text(json, "judge", gate->judge);
  if (gate->field.length > 0) ee_json_add_text(json, "field", gate->field);
  ee_json_add_text(json, "metric", ee_gate_metric_name(gate));
  if (gate->has_min) ee_json_add_number(json, "min", gate->min);
  if (gate->has_max) ee_json_add_number(json, "max", gate->max);
  if (gate->min_support > 0) ee_json_add_count(json, "min_support", gate->min_support);
  if (result->defined) ee_json_add_number(json, "value", result->value);
  ee_json_add_count(json, "support", result->support);
  ee_json_add_bool(json, "passed", result->passed);
  if (!result->defined)
    ee_json_add_text(json, "reason", ee_str_from(result->too_few ? "too little support" : "undefined"));
  ee_json_close(json, '}');
}

static void add_rules(ee_json_out *json, const ee_plan *plan) {
  ee_json_open(json, "rules", '{');
  ee_json_add_text(json, "name", plan->name);
  if (plan->file != NULL && ee_utf8_valid_prefix(plan->file, strlen(plan->file)) == strlen(plan->file))
    ee_json_add_text(json, "file", ee_str_from(plan->file));
  ee_json_add_hash(json, "hash", plan->rules_hash);
  ee_json_close(json, '}');
}

/* Failures of a provider are told where one is asked. */
static void add_coverage(ee_json_out *json, const ee_summary *summary) {
  const ee_totals *totals = summary->totals;
  const ee_expected_coverage *expected = &summary->expected;
  ee_json_add_count(json, "records", totals->records);
  ee_json_add_count(json, "cases", totals->scored);
  ee_json_add_count(json, "not_selected", totals->filtered);
  if (totals->unjudged > 0) ee_json_add_count(json, "without_judge", totals->unjudged);
  if (expected->given) ee_json_add_count(json, "expected_records", expected->records);
  if (expected->whole && !expected->detections_given)
    ee_json_add_count(json, "expected_without_record", expected->without_record);
  if (expected->detections_given) ee_json_add_count(json, "detections", expected->detections);
  ee_json_open(json, "errors", '{');
  ee_json_add_count(json, "unreadable", totals->unreadable);
  ee_json_add_count(json, "duplicate_ids", totals->duplicates);
  if (expected->given) ee_json_add_count(json, "expected_in_error", expected->in_error);
  if (expected->detections_given) {
    ee_json_add_count(json, "detections_in_error", expected->detections_in_error);
    ee_json_add_count(json, "detections_without_image", expected->detections_without_image);
  }
  ee_json_add_count(json, "rule_errors", totals->rule_errors);
  ee_json_add_count(json, "cases_with_rule_errors", totals->cases_with_rule_errors);
  if (totals->plan->needs_provider) {
    ee_json_add_count(json, "provider_failures", totals->provider_failures);
    ee_json_add_count(json, "cases_with_provider_failures", totals->cases_with_provider_failures);
  }
  ee_json_close(json, '}');
  ee_json_open(json, "candidates", '{');
  ee_json_add_count(json, "missing", totals->candidates_missing);
  ee_json_add_count(json, "without_json", totals->candidates_unparseable);
  ee_json_close(json, '}');
}

void ee_summary_json(const ee_summary *summary, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_json_out json = {.out = out, .arena = &arena, .first = true};
  ee_json_open(&json, NULL, '{');
  ee_json_add_count(&json, "schema", 1);
  ee_json_add_text(&json, "version", EE_STR(EE_VERSION));
  add_rules(&json, summary->plan);
  ee_json_add_hash(&json, "data_hash", summary->totals->data_hash);
  ee_json_add_bool(&json, "interrupted", summary->interrupted);
  ee_json_add_bool(&json, "stopped", summary->stopped);
  add_coverage(&json, summary);
  ee_json_add_mean(&json, &summary->totals->all.score);
  ee_json_add_verdicts(&json, summary->totals->all.verdicts);
  add_judges(&json, summary->plan, &summary->totals->all);
  add_slices(&json, summary);
  ee_json_open(&json, "gates", '[');
  for (size_t i = 0; i < summary->gate_count; i++) add_gate(&json, &summary->gates[i]);
  ee_json_close(&json, ']');
  ee_json_close(&json, '}');
  ee_buffer_add_char(out, '\n');
  ee_arena_fini(&arena);
}

/* One table of counts and what follows from them. Other metrics (rqs, completeness) have no column there. */
void ee_summary_csv(const ee_summary *summary, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer_add_text(out, EE_CSV_ATTRIBUTES_HEAD);
  for (size_t i = 0; i < summary->plan->judge_count; i++) {
    const ee_judge *judge = summary->plan->judges[i];
    ee_csv_add_attributes(out, judge->name, &summary->totals->all.judges[i], ee_judge_splits_fp(judge), &arena);
  }
  ee_arena_fini(&arena);
}
