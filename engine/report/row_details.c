/* row_details.c: what stands in a row about one judge. */
#include "judge/judge.h"
#include "report/row_parts.h"

#define ADD(out, literal) EE_ROW_ADD(out, literal)

static void add_metric(ee_buffer *out, const char *key, size_t key_length, ee_metric metric) {
  if (!metric.defined) return;
  ee_buffer_add(out, key, key_length);
  ee_row_add_score(out, metric.value);
}
#define ADD_METRIC(out, name, metric) add_metric((out), ",\"" name "\":", sizeof(",\"" name "\":") - 1, (metric))

static bool is_retold(const ee_judge *judge, const ee_attribute_result *attribute) {
  size_t slot = (size_t)attribute->slot;
  return attribute->slot >= 0 && slot < judge->attribute_count && judge->attributes[slot].derived;
}

/* The counts of an attribute, behind its name. */
static void add_counts(ee_buffer *out, const ee_judge *judge, const ee_attribute_result *attribute) {
  const ee_counts *counts = &attribute->counts;
  ADD(out, ":{\"tp\":");
  ee_row_add_count(out, counts->tp);
  ADD(out, ",\"tn\":");
  ee_row_add_count(out, counts->tn);
  ADD(out, ",\"fp\":");
  ee_row_add_count(out, counts->fp);
  ADD(out, ",\"fn\":");
  ee_row_add_count(out, counts->fn);
  ADD_METRIC(out, "precision", ee_precision(counts));
  ADD_METRIC(out, "recall", ee_recall(counts));
  ADD_METRIC(out, "f1", ee_f1(counts));
  if (is_retold(judge, attribute)) ADD(out, ",\"retold\":true");
  ee_buffer_add_char(out, '}');
}

static void add_alignment(ee_buffer *out, const ee_judge_result *judged) {
  ADD(out, ",\"alignment\":[");
  for (size_t i = 0; i < ee_row_shown(judged->alignment_count); i++) {
    const ee_alignment *pair = &judged->alignment[i];
    if (i > 0) ee_buffer_add_char(out, ',');
    ADD(out, "{\"expected\":");
    ee_row_add_count(out, pair->expected);
    ADD(out, ",\"candidate\":");
    ee_row_add_count(out, pair->candidate);
    ADD(out, ",\"similarity\":");
    ee_row_add_score(out, pair->similarity);
    ee_buffer_add_char(out, '}');
  }
  ADD(out, "],\"items\":{\"matched\":");
  ee_row_add_count(out, judged->alignment_count);
  ADD(out, ",\"missing\":");
  ee_row_add_count(out, judged->missing_items);
  ADD(out, ",\"extra\":");
  ee_row_add_count(out, judged->extra_items);
  ee_buffer_add_char(out, '}');
}

static void add_mismatch(ee_buffer *out, const ee_mismatch *mismatch, ee_arena *scratch) {
  ADD(out, "{\"path\":\"");
  size_t from = out->length;
  ee_finding_print_place(&mismatch->finding, out);
  ee_row_escape_since(out, from, scratch);
  ee_buffer_add_char(out, '"');
  if (mismatch->expected != NULL) {
    ADD(out, ",\"expected\":");
    ee_json_write_value(out, mismatch->expected);
  }
  if (mismatch->candidate != NULL) {
    ADD(out, ",\"candidate\":");
    ee_json_write_value(out, mismatch->candidate);
  }
  ADD(out, ",\"score\":");
  ee_row_add_score(out, mismatch->score);
  ADD(out, ",\"reason\":");
  ee_row_add_reason(out, &mismatch->finding.reason, scratch);
  ee_buffer_add_char(out, '}');
}

static void add_metrics(ee_buffer *out, const ee_judge_result *judged) {
  ADD(out, "{\"metrics\":{");
  for (size_t i = 0; i < judged->attribute_count; i++) {
    const ee_attribute_result *attribute = &judged->attributes[i];
    if (i > 0) ee_buffer_add_char(out, ',');
    ee_json_write_string(out, attribute->name);
    add_counts(out, judged->judge, attribute);
  }
  ee_buffer_add_char(out, '}');
}

static void add_mismatches(ee_buffer *out, const ee_judge_result *judged, ee_arena *scratch) {
  ADD(out, ",\"mismatches\":[");
  for (size_t i = 0; i < ee_row_shown(judged->mismatch_count); i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    add_mismatch(out, &judged->mismatches[i], scratch);
  }
  ee_buffer_add_char(out, ']');
}

/* Judges whose details come from somebody else, or not at all. */
static bool brings_details(const ee_judge_type *type) {
  return type == &ee_script_judge || type == &ee_exec_judge || type == &ee_code_judge;
}

void ee_row_add_details(ee_buffer *out, const ee_judge_result *judged, ee_arena *scratch) {
  if (judged->inner != NULL) {
    ee_row_add_case_details(out, judged->inner, scratch);
    return;
  }
  if (judged->details != NULL) {
    ee_json_write_value(out, judged->details);
    return;
  }
  if (brings_details(judged->judge->type)) {
    ADD(out, "{}");
    return;
  }
  add_metrics(out, judged);
  if (judged->has_alignment) add_alignment(out, judged);
  bool cut = ee_row_add_items(out, judged);
  cut |= ee_row_add_quality(out, judged, scratch);
  add_mismatches(out, judged, scratch);
  if (judged->vacuous) ADD(out, ",\"vacuous\":true");
  cut |= judged->mismatch_count > EE_ROW_LIST_LIMIT ||
         (judged->has_alignment && judged->alignment_count > EE_ROW_LIST_LIMIT);
  if (cut) ADD(out, ",\"truncated\":true");
  ee_buffer_add_char(out, '}');
}

/* A judge and all about it --------------------------------------------------------------------- */

void ee_row_add_verdict(ee_buffer *out, ee_verdict verdict) {
  ADD(out, ",\"verdict\":\"");
  ee_buffer_add_text(out, ee_verdict_name(verdict));
  ee_buffer_add_char(out, '"');
}

/* What is at `range` once more, or the findings where there is no range. */
static void add_again(ee_buffer *out, const ee_byte_range *range, const ee_finding *findings, size_t count,
                      ee_arena *scratch) {
  if (range == NULL) {
    bool any = false;
    ee_row_add_findings(out, findings, count, &any, scratch);
    return;
  }
  size_t length = range->to - range->from;
  if (length == 0) return;
  char *to = ee_buffer_reserve(out, length);
  memcpy(to, out->data + range->from, length);
  out->length += length;
}

void ee_row_add_judge(ee_buffer *out, const ee_judge_result *judged, const ee_byte_range *hits,
                      const ee_byte_range *misses, ee_arena *scratch) {
  ADD(out, "{\"name\":");
  ee_json_write_string(out, judged->judge->name);
  ADD(out, ",\"type\":\"");
  ee_buffer_add_text(out, judged->judge->type->name);
  ADD(out, "\",\"score\":");
  ee_row_add_score(out, judged->score);
  ADD(out, ",\"weight\":");
  ee_row_add_score(out, judged->judge->weight);
  ee_row_add_verdict(out, judged->verdict);
  ADD(out, ",\"hits\":[");
  add_again(out, hits, judged->hits, judged->hit_count, scratch);
  ADD(out, "],\"misses\":[");
  add_again(out, misses, judged->misses, judged->miss_count, scratch);
  ADD(out, "],\"reasoning\":");
  ee_json_write_string(out, judged->reasoning);
  ADD(out, ",\"details\":");
  ee_row_add_details(out, judged, scratch);
  ee_buffer_add_char(out, '}');
}

/* A case as one judge of another one ----------------------------------------------------------- */

/* The attributes of all judges, "JUDGE/ATTRIBUTE" each. */
static void add_all_metrics(ee_buffer *out, const ee_case_result *result) {
  bool any = false;
  for (size_t i = 0; i < result->judge_count; i++) {
    const ee_judge_result *judged = &result->judges[i];
    for (size_t k = 0; k < judged->attribute_count; k++) {
      if (any) ee_buffer_add_char(out, ',');
      any = true;
      ee_buffer_add_char(out, '"');
      ee_json_write_escaped(out, judged->judge->name);
      ee_buffer_add_char(out, '/');
      ee_json_write_escaped(out, judged->attributes[k].name);
      ee_buffer_add_char(out, '"');
      add_counts(out, judged->judge, &judged->attributes[k]);
    }
  }
}

void ee_row_add_case_details(ee_buffer *out, const ee_case_result *result, ee_arena *scratch) {
  if (result->judge_count == 1) {
    ee_row_add_details(out, &result->judges[0], scratch);
    return;
  }
  ADD(out, "{\"metrics\":{");
  add_all_metrics(out, result);
  ADD(out, "},\"evaluator_results\":[");
  for (size_t i = 0; i < result->judge_count; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    ee_row_add_judge(out, &result->judges[i], NULL, NULL, scratch);
  }
  ADD(out, "]}");
}
