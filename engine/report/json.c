/* json.c: the summary for programs: one JSON object, indented by two spaces. */
#include <evalengine.h>

#include "data/json_writer.h"
#include "report/summary.h"

/* Writing ---------------------------------------------------------------------------------------------------------- */

/* A writer that knows how deep it is and whether a comma is due. */
typedef struct json_out {
  ee_buffer *out;
  ee_arena *arena;
  size_t depth;
  bool first; /* nothing was written yet on this level */
} json_out;

static void new_line(json_out *json) {
  ee_buffer_add_char(json->out, '\n');
  for (size_t i = 0; i < json->depth; i++) ee_buffer_add_text(json->out, "  ");
}

/* Starts a member (`key`) or an element (NULL). */
static void next(json_out *json, const char *key) {
  if (!json->first) ee_buffer_add_char(json->out, ',');
  if (json->depth > 0) new_line(json);
  json->first = false;
  if (key == NULL) return;
  ee_json_write_string(json->out, ee_str_from(key));
  ee_buffer_add_text(json->out, ": ");
}

static void open_level(json_out *json, const char *key, char bracket) {
  next(json, key);
  ee_buffer_add_char(json->out, bracket);
  json->depth++;
  json->first = true;
}

static void close_level(json_out *json, char bracket) {
  json->depth--;
  if (!json->first) new_line(json);
  ee_buffer_add_char(json->out, bracket);
  json->first = false;
}

static void add_count(json_out *json, const char *key, uint64_t count) {
  next(json, key);
  ee_buffer_add_u64(json->out, count);
}

static void add_number(json_out *json, const char *key, double number) {
  next(json, key);
  ee_json_write_number(json->out, number);
}

static void add_text(json_out *json, const char *key, ee_str text) {
  next(json, key);
  ee_json_write_string(json->out, text);
}

static void add_bool(json_out *json, const char *key, bool value) {
  next(json, key);
  ee_buffer_add_text(json->out, value ? "true" : "false");
}

static void add_hash(json_out *json, const char *key, uint64_t hash) {
  next(json, key);
  ee_buffer_addf(json->out, "\"%016llx\"", (unsigned long long)hash);
}

/* Undefined metrics are left out. */
static void add_metric(json_out *json, const char *key, ee_metric metric) {
  if (metric.defined) add_number(json, key, metric.value);
}

/* Parts ------------------------------------------------------------------------------------------------------------ */

/* The mean, and where it lies with a confidence of 95 %; scores lie within 0..1, and so does their mean. */
static void add_mean(json_out *json, const ee_sample *score) {
  if (score->count == 0) return;
  double mean = ee_sample_mean(score), margin = ee_sample_margin(score);
  add_number(json, "mean_score", mean);
  if (score->count < 2) return;
  open_level(json, "mean_score_interval", '{');
  add_number(json, "confidence", 0.95);
  add_number(json, "low", mean > margin ? mean - margin : 0);
  add_number(json, "high", mean + margin < 1 ? mean + margin : 1);
  close_level(json, '}');
  add_number(json, "standard_deviation", ee_sample_deviation(score));
}

static void add_verdicts(json_out *json, const uint64_t verdicts[3]) {
  open_level(json, "verdicts", '{');
  for (size_t i = 0; i < 3; i++) add_count(json, ee_verdict_name((ee_verdict)i), verdicts[i]);
  close_level(json, '}');
}

static void add_counts(json_out *json, const ee_judge *judge, const ee_counts *counts) {
  add_count(json, "tp", counts->tp);
  add_count(json, "tn", counts->tn);
  add_count(json, "fp", counts->fp);
  add_count(json, "fn", counts->fn);
  if (!ee_judge_splits_fp(judge)) return;
  add_count(json, "wrong", counts->wrong);
  add_count(json, "invented", counts->fp - counts->wrong);
}

static void add_field(json_out *json, const ee_judge *judge, const ee_attribute_total *attribute) {
  const ee_counts *counts = &attribute->counts;
  open_level(json, NULL, '{');
  add_text(json, "name", attribute->name);
  add_counts(json, judge, counts);
  add_metric(json, "precision", ee_precision(counts));
  add_metric(json, "recall", ee_recall(counts));
  add_metric(json, "f1", ee_f1(counts));
  add_metric(json, "specificity", ee_specificity(counts));
  close_level(json, '}');
}

static void add_averages(json_out *json, const char *key, const ee_averages *averages) {
  open_level(json, key, '{');
  add_metric(json, "precision", averages->precision);
  add_metric(json, "recall", averages->recall);
  add_metric(json, "f1", averages->f1);
  close_level(json, '}');
}

/* What the judge measured; of no case nothing is known. */
static void add_measures(json_out *json, const ee_judge *judge, const ee_judge_total *total) {
  if (total->measure_count == 0) return;
  open_level(json, "measures", '{');
  for (size_t i = 0; i < total->measure_count; i++) {
    const ee_sample *sample = &total->measures[i].sample;
    const ee_tally *tally = &total->measures[i].tally;
    open_level(json, judge->type->measures[i], '{');
    if (sample->count > 0) {
      add_number(json, "mean", ee_sample_mean(sample));
      add_number(json, "median", ee_tally_median(tally));
      add_number(json, "min", ee_tally_min(tally));
      add_number(json, "max", ee_tally_max(tally));
    }
    if (sample->count > 1) add_number(json, "standard_deviation", ee_sample_deviation(sample));
    close_level(json, '}');
  }
  close_level(json, '}');
}

static void add_ranking(json_out *json, const ee_judge *judge, const ee_judge_total *total) {
  const ee_ranking *ranking = total->ranking;
  if (ranking == NULL) return;
  open_level(json, "ranking", '[');
  for (size_t i = 0; i < ranking->count; i++) {
    const ee_ranked_case *ranked = &ranking->cases[i];
    open_level(json, NULL, '{');
    add_count(json, "rank", i + 1);
    add_text(json, "id", ranked->id);
    add_number(json, "score", ranked->score);
    for (size_t k = 0; k < total->measure_count; k++) add_number(json, judge->type->measures[k], ranked->measures[k]);
    close_level(json, '}');
  }
  close_level(json, ']');
  if (ranking->count < total->score.count) add_bool(json, "ranking_truncated", true);
}

/* Values that should have been boxes or points. */
static void add_unreadable(json_out *json, const ee_unreadable *unreadable) {
  if (unreadable->count > 0) add_count(json, "unreadable_values", unreadable->count);
}

/* How lists were paired, where there is anything to tell. */
static void add_pairing(json_out *json, const ee_judge_total *total) {
  if (total->fallbacks > 0) add_count(json, "fallbacks_to_greedy", total->fallbacks);
  const ee_methods_total *methods = &total->methods;
  if (methods->compared == 0) return;
  open_level(json, "methods", '{');
  add_count(json, "compared", methods->compared);
  add_count(json, "cases_with_different_pairs", methods->different);
  add_count(json, "greedy_lost", methods->lost);
  add_number(json, "similarity_lost", ee_fixed_value(methods->lost_similarity));
  add_number(json, "mean_score_greedy", ee_fixed_mean(methods->greedy_score, methods->compared));
  add_number(json, "mean_score_optimal", ee_fixed_mean(methods->optimal_score, methods->compared));
  close_level(json, '}');
}

/* Undefined figures are left out. */
static void add_figure(json_out *json, const ee_figure *figure) {
  if (!figure->defined) return;
  if (figure->is_count)
    add_count(json, figure->name, (uint64_t)figure->value);
  else
    add_number(json, figure->name, figure->value);
}

/* What was said of the whole data set: "figures", "rows" (of classes, worst first) and "notes". */
static void add_data_summary(json_out *json, const ee_data_summary *summary) {
  open_level(json, "figures", '{');
  for (size_t i = 0; i < summary->figure_count; i++) add_figure(json, &summary->figures[i]);
  close_level(json, '}');
  open_level(json, "rows", '[');
  for (size_t i = 0; i < summary->row_count; i++) {
    open_level(json, NULL, '{');
    add_text(json, summary->row_title, summary->rows[i].name);
    for (size_t k = 0; k < summary->column_count; k++) add_figure(json, &summary->rows[i].values[k]);
    close_level(json, '}');
  }
  close_level(json, ']');
  open_level(json, "notes", '[');
  for (size_t i = 0; i < summary->note_count; i++) add_text(json, NULL, summary->notes[i]);
  close_level(json, ']');
}

static void add_judge(json_out *json, const ee_judge *judge, const ee_judge_total *total) {
  open_level(json, NULL, '{');
  add_text(json, "name", judge->name);
  add_text(json, "type", ee_str_from(judge->type->name));
  add_number(json, "weight", judge->weight);
  add_mean(json, &total->score);
  add_verdicts(json, total->verdicts);
  add_count(json, "in_error", total->failed);
  add_count(json, "vacuous", total->vacuous);
  add_unreadable(json, &total->unreadable);
  add_pairing(json, total);
  add_measures(json, judge, total);
  if (total->figures != NULL) add_data_summary(json, total->figures);
  ee_arena_mark mark = ee_arena_get_mark(json->arena);
  size_t *order = EE_NEW_ARRAY(json->arena, size_t, total->attribute_count);
  ee_judge_total_rank(total, order);
  open_level(json, "fields", '[');
  for (size_t i = 0; i < total->attribute_count; i++) add_field(json, judge, &total->attributes[order[i]]);
  close_level(json, ']');
  ee_arena_rewind(json->arena, mark);
  ee_judge_averages averages = ee_judge_total_averages(total);
  open_level(json, "pooled", '{');
  add_counts(json, judge, &averages.pooled);
  close_level(json, '}');
  add_averages(json, "micro", &averages.micro);
  add_averages(json, "macro", &averages.macro);
  add_averages(json, "weighted", &averages.weighted);
  add_ranking(json, judge, total);
  close_level(json, '}');
}

static void add_judges(json_out *json, const ee_plan *plan, const ee_score_totals *totals) {
  open_level(json, "judges", '[');
  for (size_t i = 0; i < plan->judge_count; i++) add_judge(json, plan->judges[i], &totals->judges[i]);
  close_level(json, ']');
}

static void add_slices(json_out *json, const ee_summary *summary) {
  const ee_totals *totals = summary->totals;
  open_level(json, "slices", '[');
  for (size_t path = 0; path < summary->plan->slice_count; path++) {
    open_level(json, NULL, '{');
    add_text(json, "path", summary->plan->slices[path]->text);
    open_level(json, "values", '[');
    for (size_t i = 0; i < totals->slice_count; i++) {
      const ee_slice_total *slice = &totals->slices[i];
      if (slice->slice != path) continue;
      open_level(json, NULL, '{');
      add_text(json, "value", slice->value);
      add_count(json, "cases", slice->totals.score.count);
      add_mean(json, &slice->totals.score);
      add_verdicts(json, slice->totals.verdicts);
      add_judges(json, summary->plan, &slice->totals);
      close_level(json, '}');
    }
    close_level(json, ']');
    close_level(json, '}');
  }
  close_level(json, ']');
}

static void add_gate(json_out *json, const ee_gate_result *result) {
  const ee_gate *gate = result->gate;
  open_level(json, NULL, '{');
  if (gate->judge.length > 0) add_text(json, "judge", gate->judge);
  if (gate->field.length > 0) add_text(json, "field", gate->field);
  add_text(json, "metric", ee_gate_metric_name(gate));
  if (gate->has_min) add_number(json, "min", gate->min);
  if (gate->has_max) add_number(json, "max", gate->max);
  if (gate->min_support > 0) add_count(json, "min_support", gate->min_support);
  if (result->defined) add_number(json, "value", result->value);
  add_count(json, "support", result->support);
  add_bool(json, "passed", result->passed);
  if (!result->defined) add_text(json, "reason", ee_str_from(result->too_few ? "too little support" : "undefined"));
  close_level(json, '}');
}

static void add_rules(json_out *json, const ee_plan *plan) {
  open_level(json, "rules", '{');
  add_text(json, "name", plan->name);
  if (plan->file != NULL && ee_utf8_valid_prefix(plan->file, strlen(plan->file)) == strlen(plan->file))
    add_text(json, "file", ee_str_from(plan->file));
  add_hash(json, "hash", plan->rules_hash);
  close_level(json, '}');
}

/* Failures of a provider are told where one is asked. */
static void add_coverage(json_out *json, const ee_summary *summary) {
  const ee_totals *totals = summary->totals;
  const ee_expected_coverage *expected = &summary->expected;
  add_count(json, "records", totals->records);
  add_count(json, "cases", totals->scored);
  add_count(json, "not_selected", totals->filtered);
  if (expected->given) add_count(json, "expected_records", expected->records);
  if (expected->whole && !expected->detections_given) add_count(json, "expected_without_record", expected->without_record);
  if (expected->detections_given) add_count(json, "detections", expected->detections);
  open_level(json, "errors", '{');
  add_count(json, "unreadable", totals->unreadable);
  add_count(json, "duplicate_ids", totals->duplicates);
  if (expected->given) add_count(json, "expected_in_error", expected->in_error);
  if (expected->detections_given) {
    add_count(json, "detections_in_error", expected->detections_in_error);
    add_count(json, "detections_without_image", expected->detections_without_image);
  }
  add_count(json, "rule_errors", totals->rule_errors);
  add_count(json, "cases_with_rule_errors", totals->cases_with_rule_errors);
  if (totals->plan->needs_provider) {
    add_count(json, "provider_failures", totals->provider_failures);
    add_count(json, "cases_with_provider_failures", totals->cases_with_provider_failures);
  }
  close_level(json, '}');
  open_level(json, "candidates", '{');
  add_count(json, "missing", totals->candidates_missing);
  add_count(json, "without_json", totals->candidates_unparseable);
  close_level(json, '}');
}

void ee_summary_json(const ee_summary *summary, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  json_out json = {.out = out, .arena = &arena, .first = true};
  open_level(&json, NULL, '{');
  add_count(&json, "schema", 1);
  add_text(&json, "version", EE_STR(EE_VERSION));
  add_rules(&json, summary->plan);
  add_hash(&json, "data_hash", summary->totals->data_hash);
  add_bool(&json, "interrupted", summary->interrupted);
  add_bool(&json, "stopped", summary->stopped);
  add_coverage(&json, summary);
  add_mean(&json, &summary->totals->all.score);
  add_verdicts(&json, summary->totals->all.verdicts);
  add_judges(&json, summary->plan, &summary->totals->all);
  add_slices(&json, summary);
  open_level(&json, "gates", '[');
  for (size_t i = 0; i < summary->gate_count; i++) add_gate(&json, &summary->gates[i]);
  close_level(&json, ']');
  close_level(&json, '}');
  ee_buffer_add_char(out, '\n');
  ee_arena_fini(&arena);
}
