/* result.h: what judging one case gave.
 *
 * Everything lives in the case's arena or in the plan. Reports read it and write text from it; nothing here
 * is formatted yet. */
#ifndef EE_JUDGE_RESULT_H
#define EE_JUDGE_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "data/files/record.h"
#include "judge/reason.h"
#include "judge/unreadable.h"
#include "prim/confusion.h"

struct ee_judge;

typedef enum ee_verdict { EE_VERDICT_PASS, EE_VERDICT_BORDERLINE, EE_VERDICT_FAIL } ee_verdict;
/* "pass", "borderline", "fail". */
const char *ee_verdict_name(ee_verdict verdict);

#define EE_NO_ROW UINT32_MAX

/* A hit or a miss. Its text is path, then "[row]" unless EE_NO_ROW, then "." and field unless empty, then " (reason)".
 * A key without a name is written as "". */
typedef struct ee_finding {
  ee_str path;
  uint32_t row;
  ee_str field;
  ee_reason reason;
} ee_finding;
void ee_finding_print_place(const ee_finding *finding, ee_buffer *out);
void ee_finding_print(const ee_finding *finding, ee_buffer *out);

/* A value that did not match, for details.mismatches; only where a value was compared or missing. */
typedef struct ee_mismatch {
  ee_finding finding;
  const ee_value *expected, *candidate; /* NULL: missing */
  double score;
} ee_mismatch;

/* The counts of one attribute in one case. */
typedef struct ee_attribute_result {
  ee_str name;
  int32_t slot; /* in the judge's static attributes, or -1 for one that only the data knows */
  ee_counts counts;
} ee_attribute_result;

typedef struct ee_judge_result {
  const struct ee_judge *judge;
  double score; /* 0..1 */
  ee_verdict verdict;
  bool vacuous; /* nothing to score: 1 by definition */
  bool failed;  /* the judge itself is in error: score 0 and a miss that says why */
  const ee_finding *hits;
  size_t hit_count;
  const ee_finding *misses;
  size_t miss_count;
  ee_str reasoning;
  const ee_attribute_result *attributes;
  size_t attribute_count;
  const bool *found; /* for each of the judge's expected paths: whether the case has it; NULL: it has none of them */
  const ee_mismatch *mismatches;
  size_t mismatch_count;
  const double *case_metrics; /* what ee_judge_type.case_metrics names, 0..1 each; NULL where the type names none */
  const void *details;        /* what the type's write_details needs, of a type that the judge knows; NULL: nothing */
  const void *corpus_part;    /* what a type with corpus metrics keeps of the case; NULL otherwise */
  const struct ee_methods_compared *methods; /* of a judge that paired lists by greedy and by optimal; else NULL */
  uint64_t fallbacks;       /* lists paired by greedy because optimal pairing would have been too much work */
  ee_unreadable unreadable; /* values that should be boxes or points and are not */
} ee_judge_result;

typedef struct ee_case_result {
  const ee_case *source;
  double score;
  ee_verdict verdict;
  uint64_t expected_hash;
  const ee_judge_result *judges;
  size_t judge_count;
  ee_str score_error; /* of the rule file's score function, which then gave 0; empty otherwise */
  uint64_t rule_errors;
  uint64_t provider_failures; /* values without an answer from the provider */
} ee_case_result;

#endif
