/* protocol.h: the code_judge protocol, as one who calls a judge speaks it.
 *
 * Layer: judge. A payload is one JSON object: `id`, `candidate_answer` (a text: as found in the record, or the document
 * as JSON; null when there is none), `reference_answer` (a text, the expected value as JSON or as it is when it is a
 * text), `expected_messages` (the record's own, else one of the assistant with the expected value as its content),
 * `config` (an object), and all that the record holds under other names. An answer is one JSON object: score 0..1, and
 * optionally hits, misses (lists of texts), reasoning (a text), details (an object); null is as good as nothing there.
 * The other side, being called, is `evalengine judge` (cli/judge_command.c) and report/judgement.h. */
#ifndef EE_JUDGE_PROTOCOL_H
#define EE_JUDGE_PROTOCOL_H

#include "base/buffer.h"
#include "judge/context.h"
#include "judge/result.h"

/* Appends the payload for `current`, on one line without a newline. `config` NULL: {}. */
void ee_protocol_write_payload(const ee_case *current, const ee_value *config, ee_buffer *out);

/* Reads an answer into `result`: score (the rounding of a sum past 1 aside), hits, misses, reasoning, details (kept as
 * they are, keys and all; an empty object where there are none), and the attributes of details.metrics where they are
 * counts: objects with at least one of tp, tn, fp, fn, each a whole number from 0, that are not "retold". What there is
 * no count is left to the details. NULL, or what is wrong with the answer, in the case's arena ("no JSON: expected a
 * value at line 1 column 1", "score is missing", "score 1.5 is outside 0..1", "details is no object but a list"), and
 * `result` is as it was. `text` may be any bytes and need not live on. */
const char *ee_protocol_read_answer(ee_str text, ee_arena *arena, ee_judge_result *result);

#endif
