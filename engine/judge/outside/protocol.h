/* protocol.h: the code_judge protocol (AgentV), as spoken by the side that calls a judge.
 *
 * A payload is one JSON object: `id`, `candidate_answer` (a string: as found in the record, or the document as JSON;
 * null when missing), `reference_answer` (a string: the expected value, as JSON unless it is a string),
 * `expected_messages` (the record's own, else one of the assistant with the expected value as content), `config` (an
 * object), and all other members of the record. An answer is one JSON object: score 0..1, and optionally hits, misses
 * (arrays of strings), reasoning (a string), details (an object); null members count as missing. The called side is
 * `evalengine judge` (cli/judge_command.c). */
#ifndef EE_JUDGE_OUTSIDE_PROTOCOL_H
#define EE_JUDGE_OUTSIDE_PROTOCOL_H

#include "base/buffer.h"
#include "judge/case.h"
#include "judge/result.h"

/* The longest timeout of a program for one case, in milliseconds: a day. */
#define EE_PROTOCOL_LONGEST_MS 86400000.0

/* Appends the payload for `current`, on one line without a newline. `config` NULL: {}. */
void ee_protocol_write_payload(const ee_case *current, const ee_value *config, ee_buffer *out);

/* Reads an answer into `result`: score (values past 1 by rounding become 1), hits, misses, reasoning, details (kept
 * unchanged; an empty object if missing), and attributes from details.metrics whose members are counts
 * (ee_protocol_read_counts()) and not derived. Returns NULL, or what is wrong with the answer, in `arena` ("score is
 * missing", "score 1.5 is outside 0..1"), with `result` unchanged. `text` may be any bytes and is not kept. */
const char *ee_protocol_read_answer(ee_str text, ee_arena *arena, ee_judge_result *result);

/* Reads a count of details.metrics: a whole number from 0 to 10^12, so that sums over many cases stay far below 2^64.
 * False, with `*count` unchanged, for other values. */
bool ee_protocol_read_count(const ee_value *value, uint64_t *count);

/* Reads the counts of one attribute of details.metrics: at least one of tp, tn, fp, fn, each a count; missing ones are
 * 0. False, with `counts` undefined, for anything else. */
bool ee_protocol_read_counts(const ee_value *metric, ee_counts *counts);

/* Whether an attribute of details.metrics is made of the same pairs as another one, and so in no sum or average:
 * "derived", or "retold" as it was called in rows of schema 1. */
bool ee_protocol_is_derived(const ee_value *metric);

#endif
