/* row_parts.h: pieces of JSON that the files of a row share.
 *
 * On the path of every case, hence inline where it is short. */
#ifndef EE_REPORT_ROW_PARTS_H
#define EE_REPORT_ROW_PARTS_H

#include "data/json/json_writer.h"
#include "judge/result.h"
#include "report/row.h"

#define EE_ROW_ADD(out, literal) ee_buffer_add((out), "" literal, sizeof(literal) - 1)

/* A number, mostly 0 or 1. */
static inline void ee_row_add_score(ee_buffer *out, double score) {
  if (score == 0) {
    ee_buffer_add_char(out, '0');
  } else if (score == 1) {
    ee_buffer_add_char(out, '1');
  } else {
    ee_json_write_number(out, score);
  }
}

static inline void ee_row_add_count(ee_buffer *out, uint64_t count) {
  if (count < 10)
    ee_buffer_add_char(out, (char)('0' + count));
  else
    ee_buffer_add_u64(out, count);
}

/* How many of a list's `count` entries are written. */
static inline size_t ee_row_shown(size_t count) { return count < EE_ROW_LIST_LIMIT ? count : EE_ROW_LIST_LIMIT; }

/* A run of bytes in the output buffer, by offset, since the buffer moves when it grows. */
typedef struct ee_byte_range {
  size_t from, to;
} ee_byte_range;

/* Makes what was appended since `from` the inside of a JSON string. Nearly always it is one already. */
void ee_row_escape_since(ee_buffer *out, size_t from, ee_arena *scratch);

/* Appends ,"verdict":"pass". */
void ee_row_add_verdict(ee_buffer *out, ee_verdict verdict);

/* Appends findings behind `*any` others of the same list; returns where they went, without a comma in front. */
ee_byte_range ee_row_add_findings(ee_buffer *out, const ee_finding *findings, size_t count, bool *any,
                                  ee_arena *scratch);

/* Appends the hits or the misses of a case: those of its judges in order, and before the misses what the score function
 * raised. `ranges` (NULL: not wanted) gets where those of each judge went. */
void ee_row_add_case_hits(ee_buffer *out, const ee_case_result *result, ee_byte_range *ranges, ee_arena *scratch);
void ee_row_add_case_misses(ee_buffer *out, const ee_case_result *result, ee_byte_range *ranges, ee_arena *scratch);

/* Appends "JUDGE: REASONING; ..." escaped, without quotes. */
void ee_row_add_case_reasoning(ee_buffer *out, const ee_case_result *result);

/* Appends a judge's whole object. Its hits and misses are copied from where they stand already; NULL: they are
 * formatted. */
void ee_row_add_judge(ee_buffer *out, const ee_judge_result *judged, const ee_byte_range *hits,
                      const ee_byte_range *misses, ee_arena *scratch);

/* Appends the details of a judge, an object. One of the rule file's own, or a program, brings them itself, or none; one
 * that is another rule file has those of that file's judges. */
void ee_row_add_details(ee_buffer *out, const ee_judge_result *judged, ee_arena *scratch);

/* Appends the details of a whole case, as it is one judge of another rule file or program: of one judge its own; of
 * several {"metrics": {"JUDGE/ATTRIBUTE": ...}, "evaluator_results": [...]}. */
void ee_row_add_case_details(ee_buffer *out, const ee_case_result *result, ee_arena *scratch);

/* Appends `reason` as a JSON string. */
void ee_row_add_reason(ee_buffer *out, const ee_reason *reason, ee_arena *scratch);

/* Appends how the items of lists were paired, besides the alignment: members, each with a comma in front. Nothing where
 * there is nothing to tell. Returns whether a list was cut. */
bool ee_row_add_items(ee_buffer *out, const ee_judge_result *judged);

/* Appends what the judge measured and, where a quality result is there, how it came about: members, each with a comma
 * in front. Nothing for a judge that measures nothing. Returns whether a list was cut. */
bool ee_row_add_quality(ee_buffer *out, const ee_judge_result *judged, ee_arena *scratch);

#endif
