/* protocol.h: the code_judge protocol, as one who calls a judge speaks it.
 *
 * A payload is one JSON object: `id`, `candidate_answer` (a text: as found in the record, or the document
 * as JSON; null when there is none), `reference_answer` (a text, the expected value as JSON or as it is when it is a
 * text), `expected_messages` (the record's own, else one of the assistant with the expected value as its content),
 * `config` (an object), and all that the record holds under other names. An answer is one JSON object: score 0..1, and
 * optionally hits, misses (lists of texts), reasoning (a text), details (an object); null is as good as nothing there.
 * The other side, being called, is `evalengine judge` (cli/judge_command.c) and report/row.h. */
#ifndef EE_JUDGE_OUTSIDE_PROTOCOL_H
#define EE_JUDGE_OUTSIDE_PROTOCOL_H

#include "base/buffer.h"
#include "judge/case.h"
#include "judge/result.h"

/* The longest time that a program may be given for one case, in milliseconds: a day. */
#define EE_PROTOCOL_LONGEST_MS 86400000.0

/* Appends the payload for `current`, on one line without a newline. `config` NULL: {}. */
void ee_protocol_write_payload(const ee_case *current, const ee_value *config, ee_buffer *out);

/* Reads an answer into `result`: score (the rounding of a sum past 1 aside), hits, misses, reasoning, details (kept as
 * they are, keys and all; an empty object where there are none), and the attributes of details.metrics where they are
 * counts (ee_protocol_read_counts()) that are not "retold". What there is no count is left to the details. NULL, or
 * what is wrong with the answer, in the case's arena ("no JSON: expected a value at line 1 column 1", "score is
 * missing", "score 1.5 is outside 0..1", "details is no object but a list"), and `result` is as it was. `text` may be
 * any bytes and need not live on. */
const char *ee_protocol_read_answer(ee_str text, ee_arena *arena, ee_judge_result *result);

/* A count, as details.metrics hold it: a whole number from 0 to 10^12, so that sums over many cases stay far below
 * 2^64. False, and `*count` as it was, when `value` is none. */
bool ee_protocol_read_count(const ee_value *value, uint64_t *count);

/* The counts of one attribute of details.metrics, of an answer as of a stored row: at least one of tp, tn, fp, fn, and
 * each that is there a count; the others are 0. False, with whatever in `counts`, for anything else. */
bool ee_protocol_read_counts(const ee_value *metric, ee_counts *counts);

#endif
