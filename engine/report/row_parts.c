/* row_parts.c: pieces of JSON that rows and judgements are made of. */
#include "report/row_parts.h"

#include "judge/judge.h"

#define ADD(out, literal) EE_JSON_ADD(out, literal)

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
    ee_byte_range range = ee_details_add_findings(judged->misses, judged->miss_count, &any, scratch, out);
    if (ranges != NULL) ranges[i] = range;
  }
}

void ee_row_add_case_hits(ee_buffer *out, const ee_case_result *result, ee_byte_range *ranges, ee_arena *scratch) {
  bool any = false;
  for (size_t i = 0; i < result->judge_count; i++) {
    const ee_judge_result *judged = &result->judges[i];
    ee_byte_range range = ee_details_add_findings(judged->hits, judged->hit_count, &any, scratch, out);
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
