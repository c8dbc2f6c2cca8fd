/* details.h: the JSON of judges' results in a row, and the pieces that judges write their `details` from.
 *
 * A judge writes its own details (ee_judge_type.write_details): with the pieces below straight into the output, or as a
 * tree. On the path of every case. */
#ifndef EE_JUDGE_DETAILS_H
#define EE_JUDGE_DETAILS_H

#include "data/json/json_writer.h"
#include "judge/result.h"

/* Entries of a list that details hold; where there are more, `truncated` is true. */
#define EE_DETAILS_SHOWN 50
#define EE_DETAILS_SHOWN_FULL 10000

static inline size_t ee_details_limit(ee_detail detail) {
  return detail == EE_DETAIL_FULL ? EE_DETAILS_SHOWN_FULL : EE_DETAILS_SHOWN;
}

/* How many of a list's `count` entries are written. */
static inline size_t ee_details_shown(const ee_judge_result *result, size_t count) {
  size_t limit = ee_details_limit(result->detail);
  return count < limit ? count : limit;
}

/* Makes judge->right_members, in `arena`: the member of "metrics" that each of the judge's attributes has where its one
 * value is right, as most are. */
const ee_str *ee_details_prepare(const struct ee_judge *judge, ee_arena *arena);

/* Whole results ---------------------------------------------------------------------------------- */

/* Appends the details of one judge, an object. `scratch` is left as it was found. */
void ee_details_write(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out);

/* Appends the details of a whole case that is one judge of another rule file or program: of one judge its own; of
 * several {"metrics": {"JUDGE/ATTRIBUTE": ...}, "evaluator_results": [...]}. */
void ee_details_write_case(const ee_case_result *result, ee_arena *scratch, ee_buffer *out);

/* A run of bytes in the output buffer, by offset, since the buffer moves when it grows. */
typedef struct ee_byte_range {
  size_t from, to;
} ee_byte_range;

/* Appends a judge's whole object: name, type, score, ..., details. `number`: of those written so far; a judge before
 * which others are left out says its place. Its hits and misses are copied from where they were written before; NULL:
 * they are formatted. */
void ee_details_write_judge(const ee_judge_result *result, size_t number, const ee_byte_range *hits,
                            const ee_byte_range *misses, ee_arena *scratch, ee_buffer *out);

/* Pieces ----------------------------------------------------------------------------------------- */

/* Appends `reason` as a JSON string. */
void ee_details_add_reason(const ee_reason *reason, ee_arena *scratch, ee_buffer *out);

/* Appends findings, after `*any` others of the same array; returns where they are, without a comma in front. */
ee_byte_range ee_details_add_findings(const ee_finding *findings, size_t count, bool *any, ee_arena *scratch,
                                      ee_buffer *out);

/* Appends ,"verdict":"pass". */
void ee_details_add_verdict(ee_verdict verdict, ee_buffer *out);

/* Details of most judges: ee_details_open(), members of their own (each with a comma in front), ee_details_close().
 * Opens the object with `metrics`, the counts of the attributes. */
void ee_details_open(const ee_judge_result *result, ee_buffer *out);
/* Adds `fallback` where lists were paired by greedy instead of optimal. */
void ee_details_add_fallback(const ee_judge_result *result, ee_buffer *out);
/* Adds the per-case metrics of the judge's type, where the result has them. */
void ee_details_add_case_metrics(const ee_judge_result *result, ee_buffer *out);
/* Adds `mismatches`, `vacuous` and `truncated` where it applies (`truncated`: a list was cut), and closes the object.
 */
void ee_details_close(const ee_judge_result *result, bool truncated, ee_arena *scratch, ee_buffer *out);

/* Details of a judge without members of its own: metrics, fallback, per-case metrics, mismatches. What a type without
 * write_details has. */
void ee_details_write_plain(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out);

/* Details that come from outside, as an object in `result->details`; NULL: {}. For write_details. */
void ee_details_write_value(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out);

/* Details as a tree ------------------------------------------------------------------------------ */

typedef struct ee_details {
  ee_arena *arena;
  ee_value *tree; /* an object */
  size_t limit;   /* of the entries of its lists */
  bool truncated;
} ee_details;

/* Begins with an empty object, for the members between `metrics` and `mismatches`. */
void ee_details_start(ee_details *details, ee_arena *arena, const ee_judge_result *result);
void ee_details_set(ee_details *details, ee_value *object, const char *key, ee_value *value);
void ee_details_set_number(ee_details *details, ee_value *object, const char *key, double number);
/* Whether one more entry may be shown after `shown`; notes that one is not. */
bool ee_details_have_room(ee_details *details, uint32_t shown);
/* Appends the details: `metrics`, the members of the tree, `mismatches` where there are any, and what
 * ee_details_close() adds. */
void ee_details_finish(ee_details *details, const ee_judge_result *result, ee_buffer *out);

#endif
