/* row.c: one case's result as one line of JSON.
 *
 * On the path of every case: text goes straight into the output buffer. The hits and misses of the case are those of
 * its judges in order; they are formatted once, and the judges' lists are copied from there. */
#include "report/row.h"

#include "judge/judge.h"
#include "report/row_parts.h"

#define ADD(out, literal) EE_JSON_ADD(out, literal)
#define DIGITS_OF(number) #number
#define DIGITS(number) DIGITS_OF(number)

static void add_hash(ee_buffer *out, uint64_t hash) {
  static const char hex[] = "0123456789abcdef";
  char *to = ee_buffer_reserve(out, 16);
  for (int i = 0; i < 16; i++) to[i] = hex[(hash >> (60 - 4 * i)) & 15];
  out->length += 16;
}

/* A document that is a string stands as the text that it was read from: read again, it is that document again. */
static void add_candidate(ee_buffer *out, const ee_case *source) {
  bool is_document = source->candidate != NULL && ee_type_of(source->candidate) != EE_STRING;
  if (!is_document && source->candidate_text.data != NULL)
    ee_json_write_string(out, source->candidate_text);
  else
    ee_json_write_value(out, source->candidate);
}

void ee_row_write(const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_byte_range *hits = EE_NEW_ARRAY(scratch, ee_byte_range, result->judge_count);
  ee_byte_range *misses = EE_NEW_ARRAY(scratch, ee_byte_range, result->judge_count);
  ADD(out, "{\"schema\":" DIGITS(EE_ROW_SCHEMA) ",\"id\":");
  ee_json_write_string(out, result->source->id);
  ADD(out, ",\"expected_hash\":\"");
  add_hash(out, result->expected_hash);
  ADD(out, "\",\"score\":");
  ee_json_write_score(out, result->score);
  ee_details_add_verdict(result->verdict, out);

  ADD(out, ",\"hits\":[");
  ee_row_add_case_hits(out, result, hits, scratch);
  ADD(out, "],\"misses\":[");
  ee_row_add_case_misses(out, result, misses, scratch);
  ADD(out, "],\"reasoning\":\"");
  ee_row_add_case_reasoning(out, result);
  ADD(out, "\",\"candidate_answer\":");
  add_candidate(out, result->source);
  ADD(out, ",\"evaluator_results\":[");
  for (size_t i = 0; i < result->judge_count; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    ee_details_write_judge(&result->judges[i], &hits[i], &misses[i], scratch, out);
  }
  ADD(out, "]}\n");
  ee_arena_rewind(scratch, mark);
}
