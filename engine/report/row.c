/* row.c: one case's result as one line of JSON.
 *
 * On the path of every case: text goes straight into the output buffer. The hits and misses of the case are those of
 * its judges in order; they are formatted once, and the judges' lists are copied from there. */
#include "report/row.h"

#include "judge/judge.h"
#include "report/row_parts.h"

/* A run of bytes in the output buffer, by offset, since the buffer moves when it grows. */
typedef struct byte_range {
  size_t from, to;
} byte_range;

typedef struct judge_ranges {
  byte_range hits, misses;
} judge_ranges;

/* Pieces ----------------------------------------------------------------------------------------------------------- */

#define ADD(out, literal) EE_ROW_ADD(out, literal)
#define DIGITS_OF(number) #number
#define DIGITS(number) DIGITS_OF(number)

static void add_hash(ee_buffer *out, uint64_t hash) {
  static const char hex[] = "0123456789abcdef";
  char *to = ee_buffer_reserve(out, 16);
  for (int i = 0; i < 16; i++) to[i] = hex[(hash >> (60 - 4 * i)) & 15];
  out->length += 16;
}

static void add_verdict(ee_buffer *out, ee_verdict verdict) {
  ADD(out, ",\"verdict\":\"");
  ee_buffer_add_text(out, ee_verdict_name(verdict));
  ee_buffer_add_char(out, '"');
}

/* Makes what was appended since `from` the inside of a JSON string. Nearly always it is one already. */
static void escape_since(ee_buffer *out, size_t from, ee_arena *scratch) {
  const char *text = out->data + from;
  size_t length = out->length - from;
  for (size_t i = 0; i < length; i++) {
    if ((unsigned char)text[i] >= 0x20 && text[i] != '"' && text[i] != '\\') continue;
    ee_arena_mark mark = ee_arena_get_mark(scratch);
    ee_str raw = {ee_arena_copy(scratch, text, length), length};
    out->length = from;
    ee_json_write_escaped(out, raw);
    ee_arena_rewind(scratch, mark);
    return;
  }
}

void ee_row_add_reason(ee_buffer *out, const ee_reason *reason, ee_arena *scratch) {
  ee_buffer_add_char(out, '"');
  size_t from = out->length;
  ee_reason_print(reason, out);
  escape_since(out, from, scratch);
  ee_buffer_add_char(out, '"');
}

static void add_finding(ee_buffer *out, const ee_finding *finding, ee_arena *scratch) {
  ee_buffer_add_char(out, '"');
  size_t from = out->length;
  ee_finding_print(finding, out);
  escape_since(out, from, scratch);
  ee_buffer_add_char(out, '"');
}

/* Appends findings behind `*any` others of the same list; returns where they went, without a comma in front. */
static byte_range add_findings(ee_buffer *out, const ee_finding *findings, size_t count, bool *any, ee_arena *scratch) {
  byte_range range = {out->length, out->length};
  for (size_t i = 0; i < count; i++) {
    if (*any) ee_buffer_add_char(out, ',');
    *any = true;
    if (i == 0) range.from = out->length;
    add_finding(out, &findings[i], scratch);
  }
  range.to = out->length;
  return range;
}

static void add_range(ee_buffer *out, byte_range range) {
  size_t length = range.to - range.from;
  if (length == 0) return;
  char *to = ee_buffer_reserve(out, length);
  memcpy(to, out->data + range.from, length);
  out->length += length;
}

/* Details of a judge ----------------------------------------------------------------------------------------------- */

static void add_metric(ee_buffer *out, const char *key, size_t key_length, ee_metric metric) {
  if (!metric.defined) return;
  ee_buffer_add(out, key, key_length);
  ee_row_add_score(out, metric.value);
}
#define ADD_METRIC(out, name, metric) add_metric((out), ",\"" name "\":", sizeof(",\"" name "\":") - 1, (metric))

static void add_attribute(ee_buffer *out, const ee_attribute_result *attribute) {
  const ee_counts *counts = &attribute->counts;
  ee_json_write_string(out, attribute->name);
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
  escape_since(out, from, scratch);
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

/* A judge of the rule file's own brings its details itself, or none. */
static void add_details(ee_buffer *out, const ee_judge_result *judged, ee_arena *scratch) {
  if (judged->details != NULL) {
    ee_json_write_value(out, judged->details);
    return;
  }
  if (judged->judge->type == &ee_script_judge) {
    ADD(out, "{}");
    return;
  }
  ADD(out, "{\"metrics\":{");
  for (size_t i = 0; i < judged->attribute_count; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    add_attribute(out, &judged->attributes[i]);
  }
  ee_buffer_add_char(out, '}');
  if (judged->has_alignment) add_alignment(out, judged);
  bool cut = ee_row_add_items(out, judged);
  cut |= ee_row_add_quality(out, judged, scratch);
  ADD(out, ",\"mismatches\":[");
  for (size_t i = 0; i < ee_row_shown(judged->mismatch_count); i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    add_mismatch(out, &judged->mismatches[i], scratch);
  }
  ee_buffer_add_char(out, ']');
  if (judged->vacuous) ADD(out, ",\"vacuous\":true");
  cut |= judged->mismatch_count > EE_ROW_LIST_LIMIT ||
         (judged->has_alignment && judged->alignment_count > EE_ROW_LIST_LIMIT);
  if (cut) ADD(out, ",\"truncated\":true");
  ee_buffer_add_char(out, '}');
}

/* The row ---------------------------------------------------------------------------------------------------------- */

static void add_reasoning(ee_buffer *out, const ee_case_result *result) {
  bool any = false;
  for (size_t i = 0; i < result->judge_count; i++) {
    const ee_judge_result *judged = &result->judges[i];
    if (judged->reasoning.length == 0) continue;
    if (any) ADD(out, "; ");
    any = true;
    ee_json_write_escaped(out, judged->judge->name);
    ADD(out, ": ");
    ee_json_write_escaped(out, judged->reasoning);
  }
}

static void add_candidate(ee_buffer *out, const ee_case *source) {
  if (source->candidate == NULL && source->candidate_text.data != NULL)
    ee_json_write_string(out, source->candidate_text);
  else
    ee_json_write_value(out, source->candidate);
}

static void add_judge(ee_buffer *out, const ee_judge_result *judged, const judge_ranges *ranges, ee_arena *scratch) {
  ADD(out, "{\"name\":");
  ee_json_write_string(out, judged->judge->name);
  ADD(out, ",\"type\":\"");
  ee_buffer_add_text(out, judged->judge->type->name);
  ADD(out, "\",\"score\":");
  ee_row_add_score(out, judged->score);
  ADD(out, ",\"weight\":");
  ee_row_add_score(out, judged->judge->weight);
  add_verdict(out, judged->verdict);
  ADD(out, ",\"hits\":[");
  add_range(out, ranges->hits);
  ADD(out, "],\"misses\":[");
  add_range(out, ranges->misses);
  ADD(out, "],\"reasoning\":");
  ee_json_write_string(out, judged->reasoning);
  ADD(out, ",\"details\":");
  add_details(out, judged, scratch);
  ee_buffer_add_char(out, '}');
}

/* The score function stands above all judges, so its error is the case's own miss. */
static void add_score_error(ee_buffer *out, ee_str error) {
  ADD(out, "\"score (");
  ee_json_write_escaped(out, error);
  ADD(out, ")\"");
}

void ee_row_write(const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  judge_ranges *ranges = EE_NEW_ARRAY(scratch, judge_ranges, result->judge_count);
  ADD(out, "{\"schema\":" DIGITS(EE_ROW_SCHEMA) ",\"id\":");
  ee_json_write_string(out, result->source->id);
  ADD(out, ",\"expected_hash\":\"");
  add_hash(out, result->expected_hash);
  ADD(out, "\",\"score\":");
  ee_row_add_score(out, result->score);
  add_verdict(out, result->verdict);

  ADD(out, ",\"hits\":[");
  bool any = false;
  for (size_t i = 0; i < result->judge_count; i++)
    ranges[i].hits = add_findings(out, result->judges[i].hits, result->judges[i].hit_count, &any, scratch);
  ADD(out, "],\"misses\":[");
  any = result->score_error.length > 0;
  if (any) add_score_error(out, result->score_error);
  for (size_t i = 0; i < result->judge_count; i++)
    ranges[i].misses = add_findings(out, result->judges[i].misses, result->judges[i].miss_count, &any, scratch);

  ADD(out, "],\"reasoning\":\"");
  add_reasoning(out, result);
  ADD(out, "\",\"candidate_answer\":");
  add_candidate(out, result->source);
  ADD(out, ",\"evaluator_results\":[");
  for (size_t i = 0; i < result->judge_count; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    add_judge(out, &result->judges[i], &ranges[i], scratch);
  }
  ADD(out, "]}\n");
  ee_arena_rewind(scratch, mark);
}
