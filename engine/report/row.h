/* row.h: one case's result as one line of JSON.
 *
 * The schema is that of --results; "schema":1. Lists of alignment and mismatches hold at most 50 rows, then
 * "truncated":true. Undefined metrics are left out. */
#ifndef EE_REPORT_ROW_H
#define EE_REPORT_ROW_H

#include "base/arena.h"
#include "base/buffer.h"
#include "judge/result.h"

#define EE_ROW_SCHEMA 1

/* Appends the row, newline included. */
void ee_row_write(const ee_case_result *result, ee_arena *scratch, ee_buffer *out);

#endif
