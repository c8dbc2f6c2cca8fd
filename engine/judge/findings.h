/* findings.h: hits, misses and mismatches of a judge, while it finds them.
 *
 * The lists grow in the case's arena. */
#ifndef EE_JUDGE_FINDINGS_H
#define EE_JUDGE_FINDINGS_H

#include "base/arena.h"
#include "judge/result.h"

typedef struct ee_findings {
  ee_arena *arena;
  ee_finding *hits, *misses;
  ee_mismatch *mismatches;
  size_t hit_count, hit_capacity;
  size_t miss_count, miss_capacity;
  size_t mismatch_count, mismatch_capacity;
} ee_findings;

/* An empty collector with room for `hits` hits and some misses. */
void ee_findings_start(ee_findings *findings, ee_arena *arena, size_t hits);
void ee_findings_hit(ee_findings *findings, const ee_finding *finding);
/* A miss without values: of a whole candidate, of a judge in error. */
void ee_findings_note(ee_findings *findings, ee_str place, ee_reason reason);
/* A miss with its mismatch. */
void ee_findings_miss(ee_findings *findings, const ee_finding *finding, const ee_value *expected,
                      const ee_value *candidate, double score);
/* The miss that stands first when there is no candidate document to judge: "candidate (missing)". */
void ee_findings_no_candidate(ee_findings *findings, ee_candidate_state state);
/* Hands the lists over to `result`. */
void ee_findings_finish(const ee_findings *findings, ee_judge_result *result);

/* Writes `value` in decimal at `out` and returns what follows; the caller has room for 20 bytes. Reasonings are made
 * for each case, and printf would cost more than the comparison of a field. */
char *ee_findings_number(char *out, uint64_t value);
/* `format` with each '#' replaced by the next of `counts`: "#/# fields matched". In `arena`, without a NUL at the end.
 */
ee_str ee_findings_text(ee_arena *arena, const char *format, const uint64_t *counts);

#endif
