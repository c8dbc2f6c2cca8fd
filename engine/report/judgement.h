/* judgement.h: a case's result as an answer of the code_judge protocol.
 */
#ifndef EE_REPORT_JUDGEMENT_H
#define EE_REPORT_JUDGEMENT_H

#include "base/arena.h"
#include "base/buffer.h"
#include "judge/result.h"

/* Appends {"score", "hits", "misses", "reasoning", "details"} and a newline. Reasoning and details are those of the
 * only judge; of several, the reasonings stand behind their names, `metrics` has the counts of all under
 * "JUDGE/ATTRIBUTE" and `evaluator_results` is the row's. The same as what the row says of a judge of type code_judge
 * (judge/code_judge.c). */
void ee_judgement_write(const ee_case_result *result, ee_arena *scratch, ee_buffer *out);

/* Appends the answer to a payload that could not be judged: score 0, and `reason` (UTF-8) as its only miss and its
 * reasoning. */
void ee_judgement_write_failure(ee_str reason, ee_buffer *out);

#endif
