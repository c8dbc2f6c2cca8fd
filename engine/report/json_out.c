/* json_out.c: indented JSON, and the parts that reports share. */
#include "report/json_out.h"

#include <math.h>

#include "data/json/json_writer.h"

/* Writing --------------------------------------------------------------------------------------- */

static ee_json_layout layout_of(const ee_json_out *json) {
  return json->level > 0 ? json->layouts[json->level - 1] : EE_JSON_INDENTED;
}

static void new_line(ee_json_out *json, size_t indent) {
  ee_buffer_add_char(json->out, '\n');
  for (size_t i = 0; i < indent; i++) ee_buffer_add_text(json->out, "  ");
}

void ee_json_next(ee_json_out *json, const char *key) {
  bool in_line = layout_of(json) == EE_JSON_LINE;
  if (!json->first) ee_buffer_add_char(json->out, ',');
  if (json->level > 0 && !in_line) new_line(json, json->indent);
  json->first = false;
  if (key == NULL) return;
  ee_json_write_string(json->out, ee_str_from(key));
  ee_buffer_add_text(json->out, in_line ? ":" : ": ");
}

void ee_json_open_as(ee_json_out *json, const char *key, char bracket, ee_json_layout layout) {
  ee_json_next(json, key);
  ee_buffer_add_char(json->out, bracket);
  json->layouts[json->level++] = layout;
  json->indent += layout != EE_JSON_LINE;
  json->first = true;
}

void ee_json_open(ee_json_out *json, const char *key, char bracket) {
  ee_json_open_as(json, key, bracket, layout_of(json) == EE_JSON_INDENTED ? EE_JSON_INDENTED : EE_JSON_LINE);
}

void ee_json_close(ee_json_out *json, char bracket) {
  ee_json_layout layout = layout_of(json);
  json->level--;
  json->indent -= layout != EE_JSON_LINE;
  if (layout == EE_JSON_INDENTED && !json->first) new_line(json, json->indent);
  ee_buffer_add_char(json->out, bracket);
  json->first = false;
}

void ee_json_add_count(ee_json_out *json, const char *key, uint64_t count) {
  ee_json_next(json, key);
  ee_buffer_add_u64(json->out, count);
}

void ee_json_add_number(ee_json_out *json, const char *key, double number) {
  ee_json_next(json, key);
  ee_json_write_number(json->out, number);
}

void ee_json_add_text(ee_json_out *json, const char *key, ee_str text) {
  ee_json_next(json, key);
  ee_json_write_string(json->out, text);
}

void ee_json_add_bool(ee_json_out *json, const char *key, bool value) {
  ee_json_next(json, key);
  ee_buffer_add_text(json->out, value ? "true" : "false");
}

void ee_json_add_hash(ee_json_out *json, const char *key, uint64_t hash) {
  ee_json_next(json, key);
  ee_buffer_addf(json->out, "\"%016llx\"", (unsigned long long)hash);
}

void ee_json_add_metric(ee_json_out *json, const char *key, ee_metric metric) {
  if (metric.defined) ee_json_add_number(json, key, metric.value);
}

void ee_json_add_metric_or_null(ee_json_out *json, const char *key, ee_metric metric) {
  ee_json_add_number(json, key, metric.defined ? metric.value : NAN);
}

void ee_json_add_interval(ee_json_out *json, const char *key, ee_interval interval) {
  if (!ee_interval_is_known(interval)) return;
  ee_json_open_as(json, key, '{', EE_JSON_LINE);
  ee_json_add_number(json, "low", interval.low);
  ee_json_add_number(json, "high", interval.high);
  ee_json_close(json, '}');
}

void ee_json_add_ranged(ee_json_out *json, const char *key, ee_ranged ranged) {
  ee_json_add_metric(json, key, ranged.metric);
  ee_json_add_interval(json, ee_arena_printf(json->arena, "%s_interval", key), ranged.interval);
}

/* Parts ----------------------------------------------------------------------------------------- */

void ee_json_add_mean(ee_json_out *json, const ee_sample *score, ee_ranged mean) {
  ee_json_add_ranged(json, "mean_score", mean);
  if (score->count > 1) ee_json_add_number(json, "standard_deviation", ee_sample_deviation(score));
}

void ee_json_add_clusters(ee_json_out *json, ee_str path, const ee_score_units *units, const ee_sample *score) {
  if (path.length > 0) ee_json_add_text(json, "cluster", path);
  if (path.length == 0 && units->clustered.count == 0) return;
  ee_json_add_count(json, units->clusters.grouped ? "unit_groups" : "units", ee_score_units_count(units, score));
  ee_json_add_count(json, "cases_without_cluster", score->count - units->clustered.count);
}

void ee_json_add_verdicts(ee_json_out *json, const uint64_t verdicts[3]) {
  ee_json_open(json, "verdicts", '{');
  for (size_t i = 0; i < 3; i++) ee_json_add_count(json, ee_verdict_name((ee_verdict)i), verdicts[i]);
  ee_json_close(json, '}');
}

/* An example of one document, and what would read it. */
static void add_unread_side(ee_json_out *json, const ee_unread_total *unread, ee_document_side document) {
  static const char *const names[2][4] = {
      {"example", "case", "remedy", "remedy_reads"},
      {"candidate_example", "candidate_case", "candidate_remedy", "candidate_remedy_reads"}};
  const ee_unread_side *side = &unread->sides[document];
  if (side->count == 0) return;
  ee_json_add_text(json, names[document][0], side->example.text);
  ee_json_add_text(json, names[document][1], side->example.id);
  uint64_t reads;
  const char *remedy = ee_unread_best_remedy(unread, document, &reads);
  if (remedy == NULL) return;
  ee_json_add_text(json, names[document][2], ee_str_from(remedy));
  ee_json_add_count(json, names[document][3], reads);
}

/* Values that the rules cannot read; `unread` NULL: only their counts. */
static void add_unread(ee_json_out *json, const ee_counts *counts, const ee_unread_total *unread) {
  ee_json_open(json, "unread", '{');
  ee_json_add_count(json, "expected", counts->unread);
  ee_json_add_count(json, "candidate", counts->unread_candidates);
  for (int i = EE_EXPECTED; i <= EE_CANDIDATE && unread != NULL; i++)
    add_unread_side(json, unread, (ee_document_side)i);
  ee_json_close(json, '}');
}

static void add_counts(ee_json_out *json, const ee_counts *counts, const ee_unread_total *unread, bool split) {
  ee_json_add_count(json, "tp", counts->tp);
  ee_json_add_count(json, "tn", counts->tn);
  ee_json_add_count(json, "fp", counts->fp);
  ee_json_add_count(json, "fn", counts->fn);
  if (counts->unread + counts->unread_candidates > 0) add_unread(json, counts, unread);
  if (!split) return;
  ee_json_add_count(json, "wrong", counts->wrong);
  ee_json_add_count(json, "invented", counts->fp - counts->wrong);
}

static void json_kinds(ee_json_out *json, const ee_kind_total *total) {
  ee_error_kind kinds[EE_ERROR_KIND_COUNT];
  size_t count = ee_kind_total_rank(total, kinds);
  if (count == 0) return;
  ee_json_open_as(json, "kinds", '{', EE_JSON_LINE);
  for (size_t i = 0; i < count; i++)
    ee_json_add_count(json, ee_error_kind_name(kinds[i]), total->kinds[kinds[i]].count);
  ee_json_close(json, '}');
}

static void add_field(ee_json_out *json, const ee_attribute_total *attribute, bool split, bool rows,
                      double confidence) {
  const ee_counts *counts = &attribute->counts;
  ee_json_open(json, NULL, '{');
  ee_json_add_text(json, "name", attribute->name);
  add_counts(json, counts, attribute->unread, split);
  ee_json_add_ranged(json, "precision", ee_attribute_ranged(attribute, EE_RATIO_PRECISION, confidence));
  ee_json_add_ranged(json, "recall", ee_attribute_ranged(attribute, EE_RATIO_RECALL, confidence));
  ee_json_add_ranged(json, "f1", ee_attribute_ranged(attribute, EE_RATIO_F1, confidence));
  ee_json_add_ranged(json, "specificity", ee_attribute_ranged(attribute, EE_RATIO_SPECIFICITY, confidence));
  if (split) {
    ee_json_add_metric(json, "accuracy", ee_field_accuracy(counts));
    ee_json_add_metric(json, "answered_rate", ee_answered_rate(counts));
    ee_json_add_metric(json, "fabrication_rate", ee_fabrication_rate(counts));
  }
  ee_kind_total kinds;
  ee_kind_total_complete(attribute->kinds, counts, rows, &kinds);
  json_kinds(json, &kinds);
  ee_json_close(json, '}');
}

static void add_averages(ee_json_out *json, const char *key, const ee_ranged_averages *averages) {
  ee_json_open(json, key, '{');
  ee_json_add_ranged(json, "precision", averages->precision);
  ee_json_add_ranged(json, "recall", averages->recall);
  ee_json_add_ranged(json, "f1", averages->f1);
  ee_json_close(json, '}');
}

void ee_json_add_misfits(ee_json_out *json, const ee_misfit_list *misfits) {
  if (misfits->count == 0) return;
  ee_json_open(json, "misfits", '[');
  for (size_t i = 0; i < misfits->count; i++) {
    const ee_misfit *misfit = &misfits->items[i];
    ee_json_open(json, NULL, '{');
    ee_json_add_text(json, "kind", ee_str_from(ee_misfit_kind_name(misfit->kind)));
    if (misfit->field.length > 0) ee_json_add_text(json, "field", misfit->field);
    ee_json_add_text(json, "note", misfit->text);
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
}

void ee_json_add_attributes(ee_json_out *json, const ee_judge_total *total, bool split, double confidence) {
  ee_arena_mark mark = ee_arena_get_mark(json->arena);
  size_t *order = EE_NEW_ARRAY(json->arena, size_t, total->attribute_count);
  ee_judge_total_rank(total, order);
  ee_json_open(json, "fields", '[');
  for (size_t i = 0; i < total->attribute_count; i++)
    add_field(json, &total->attributes[order[i]], split, total->row_kinds != NULL && total->kinds_cut == 0, confidence);
  ee_json_close(json, ']');
  if (total->row_kinds != NULL) {
    ee_json_open(json, "rows", '{');
    json_kinds(json, total->row_kinds);
    ee_json_close(json, '}');
  }
  ee_arena_rewind(json->arena, mark);
  ee_judge_ranges averages = ee_judge_total_ranges(total, confidence);
  ee_json_open(json, "pooled", '{');
  add_counts(json, &averages.pooled, NULL, split);
  ee_json_close(json, '}');
  add_averages(json, "micro", &averages.micro);
  add_averages(json, "macro", &averages.macro);
  add_averages(json, "weighted", &averages.weighted);
}
