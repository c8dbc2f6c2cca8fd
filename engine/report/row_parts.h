/* row_parts.h: pieces of JSON that the files of a row share.
 *
 * Layer: report, and private to row.c, row_items.c and row_quality.c. On the path of every case, hence inline. */
#ifndef EE_REPORT_ROW_PARTS_H
#define EE_REPORT_ROW_PARTS_H

#include "data/json_writer.h"
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

/* Appends `reason` as a JSON string. */
void ee_row_add_reason(ee_buffer *out, const ee_reason *reason, ee_arena *scratch);

/* Appends how the items of lists were paired, besides the alignment: members, each with a comma in front. Nothing where
 * there is nothing to tell. Returns whether a list was cut. */
bool ee_row_add_items(ee_buffer *out, const ee_judge_result *judged);

/* Appends what the judge measured and, where a quality result is there, how it came about: members, each with a comma
 * in front. Nothing for a judge that measures nothing. Returns whether a list was cut. */
bool ee_row_add_quality(ee_buffer *out, const ee_judge_result *judged, ee_arena *scratch);

#endif
