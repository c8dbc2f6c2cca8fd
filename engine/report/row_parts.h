/* row_parts.h: pieces of JSON that rows and judgements share. */
#ifndef EE_REPORT_ROW_PARTS_H
#define EE_REPORT_ROW_PARTS_H

#include "judge/details.h"

/* Appends the hits or the misses of a case: those of its judges in order, and before the misses the error of the score
 * function. `ranges` (may be NULL) gets where those of each judge are. */
void ee_row_add_case_hits(ee_buffer *out, const ee_case_result *result, ee_byte_range *ranges, ee_arena *scratch);
void ee_row_add_case_misses(ee_buffer *out, const ee_case_result *result, ee_byte_range *ranges, ee_arena *scratch);

/* Appends "JUDGE: REASONING; ..." escaped, without quotes. */
void ee_row_add_case_reasoning(ee_buffer *out, const ee_case_result *result);

#endif
