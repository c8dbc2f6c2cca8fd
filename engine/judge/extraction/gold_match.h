/* gold_match.h: which gold spans an answer found. */
#ifndef EE_JUDGE_EXTRACTION_GOLD_MATCH_H
#define EE_JUDGE_EXTRACTION_GOLD_MATCH_H

#include "judge/extraction/quote_check.h"

/* How an extraction relates to the gold spans of its class. */
typedef enum ee_gold_fate {
  EE_GOLD_NONE, /* matches no gold span, or only one that another extraction found */
  EE_GOLD_NEAR, /* overlaps a gold span that was not found exactly */
  EE_GOLD_EXACT
} ee_gold_fate;

/* The finder of a gold span that is not found exactly. */
#define EE_GOLD_NO_FINDER UINT32_MAX

/* The gold spans that an answer found. A gold span and an extraction of one class match exactly when offsets and quote
 * are equal, overlapping when they share at least one unit, partially when one lies inside the other. Each extraction
 * matches at most one gold span; as many as possible are matched. */
typedef struct ee_gold_result {
  size_t gold, extractions;           /* their numbers */
  size_t exact, overlapping, partial; /* gold spans found; overlapping >= partial >= exact */
  const uint32_t *finders;   /* one per gold span: the extraction that matches it exactly, or EE_GOLD_NO_FINDER */
  const ee_gold_fate *fates; /* one per extraction */
  bool approximate;          /* too much to search: overlapping and partial may be too small */
} ee_gold_result;
/* Uses only the gold spans of `record` and their unit. */
ee_gold_result ee_gold_match(const ee_bench_record *record, ee_extraction_document *document,
                             const ee_extraction_list *list, ee_arena *arena);

/* The share of gold spans that are found exactly, by which a case's score is multiplied; 1 without gold spans. */
static inline double ee_gold_share(const ee_gold_result *result) {
  return result->gold > 0 ? (double)result->exact / (double)result->gold : 1;
}

#endif
