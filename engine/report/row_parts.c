/* row_parts.c: pieces of JSON that rows and judgements are made of. */
#include "report/row_parts.h"

#include "judge/judge.h"

#define ADD(out, literal) EE_ROW_ADD(out, literal)

/* Texts ---------------------------------------------------------------------------------------- */

void ee_row_escape_since(ee_buffer *out, size_t from, ee_arena *scratch) {
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
  ee_row_escape_since(out, from, scratch);
  ee_buffer_add_char(out, '"');
}

static void add_finding(ee_buffer *out, const ee_finding *finding, ee_arena *scratch) {
  ee_buffer_add_char(out, '"');
  size_t from = out->length;
  ee_finding_print(finding, out);
  ee_row_escape_since(out, from, scratch);
  ee_buffer_add_char(out, '"');
}

ee_byte_range ee_row_add_findings(ee_buffer *out, const ee_finding *findings, size_t count, bool *any,
                                  ee_arena *scratch) {
  ee_byte_range range = {out->length, out->length};
  for (size_t i = 0; i < count; i++) {
    if (*any) ee_buffer_add_char(out, ',');
    *any = true;
    if (i == 0) range.from = out->length;
    add_finding(out, &findings[i], scratch);
  }
  range.to = out->length;
  return range;
}

/* The score function stands above all judges, so its error is the case's own miss. */
static void add_score_error(ee_buffer *out, ee_str error) {
  ADD(out, "\"score (");
  ee_json_write_escaped(out, error);
  ADD(out, ")\"");
}

void ee_row_add_case_misses(ee_buffer *out, const ee_case_result *result, ee_byte_range *ranges, ee_arena *scratch) {
  bool any = result->score_error.length > 0;
  if (any) add_score_error(out, result->score_error);
  for (size_t i = 0; i < result->judge_count; i++) {
    const ee_judge_result *judged = &result->judges[i];
    ee_byte_range range = ee_row_add_findings(out, judged->misses, judged->miss_count, &any, scratch);
    if (ranges != NULL) ranges[i] = range;
  }
}

void ee_row_add_case_hits(ee_buffer *out, const ee_case_result *result, ee_byte_range *ranges, ee_arena *scratch) {
  bool any = false;
  for (size_t i = 0; i < result->judge_count; i++) {
    const ee_judge_result *judged = &result->judges[i];
    ee_byte_range range = ee_row_add_findings(out, judged->hits, judged->hit_count, &any, scratch);
    if (ranges != NULL) ranges[i] = range;
  }
}

void ee_row_add_case_reasoning(ee_buffer *out, const ee_case_result *result) {
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
