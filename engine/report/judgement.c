/* judgement.c: a case's result as an answer of the code_judge protocol, from the same pieces as a row. */
#include "report/judgement.h"

#include "report/row_parts.h"

#define ADD(out, literal) EE_JSON_ADD(out, literal)

/* Of the only judge it is its own, as everything else is. */
static void add_reasoning(ee_buffer *out, const ee_case_result *result) {
  if (result->judge_count == 1)
    ee_json_write_escaped(out, result->judges[0].reasoning);
  else
    ee_row_add_case_reasoning(out, result);
}

void ee_judgement_write(const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  ADD(out, "{\"score\":");
  ee_json_write_score(out, result->score);
  ADD(out, ",\"hits\":[");
  ee_row_add_case_hits(out, result, NULL, scratch);
  ADD(out, "],\"misses\":[");
  ee_row_add_case_misses(out, result, NULL, scratch);
  ADD(out, "],\"reasoning\":\"");
  add_reasoning(out, result);
  ADD(out, "\",\"details\":");
  ee_details_write_case(result, scratch, out);
  ADD(out, "}\n");
}

void ee_judgement_write_failure(ee_str reason, ee_buffer *out) {
  ADD(out, "{\"score\":0,\"hits\":[],\"misses\":[");
  ee_json_write_string(out, reason);
  ADD(out, "],\"reasoning\":");
  ee_json_write_string(out, reason);
  ADD(out, ",\"details\":{}}\n");
}
