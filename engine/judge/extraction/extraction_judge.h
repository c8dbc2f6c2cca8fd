/* extraction_judge.h: the compiled ee.extraction, and what its files share.
 *
 * included by extraction_*.c and by tests. A case has runs: the candidate is the first, further answers
 * of the record are the others. The case is scored by its first run; what all runs of all cases come to is gathered. */
#ifndef EE_JUDGE_EXTRACTION_EXTRACTION_JUDGE_H
#define EE_JUDGE_EXTRACTION_EXTRACTION_JUDGE_H

#include "judge/extraction/extraction.h"
#include "judge/plan.h"

/* The compiled judge. In the plan's arena. */
typedef struct ee_extraction_rules {
  const ee_path *document, *gold, *trials; /* in the record */
  ee_text_unit unit;
} ee_extraction_rules;

/* Runs that a case may have: comparing them takes the square of their number. */
#define EE_EXTRACTION_RUNS 256

/* What is counted of a run. */
typedef enum ee_extraction_counter {
  EE_XC_SUCCESSES, /* 1 or 0 */
  EE_XC_EXTRACTIONS,
  EE_XC_SCHEMA_VALID,
  EE_XC_QUOTE_VALID,
  EE_XC_SCHEMA_INVALID, /* extractions whose quote holds; all others that fail are told by their fault */
  EE_XC_FAULTS,         /* plus ee_quote_fault, minus 1 */
  EE_XC_REPAIRS = EE_XC_FAULTS + EE_QUOTE_MISMATCH, /* plus ee_repair */
  EE_XC_REPAIRED = EE_XC_REPAIRS + EE_REPAIR_COUNT, /* answers */
  EE_XC_BARE_LISTS,                                 /* answers */
  EE_XC_UNREADABLE,                                 /* answers */
  EE_XC_GOLD,                                       /* gold spans */
  EE_XC_EXACT,
  EE_XC_OVERLAPPING,
  EE_XC_PARTIAL,
  EE_XC_GOLD_EXTRACTIONS, /* extractions of answers that gold spans judge */
  EE_XC_COUNT
} ee_extraction_counter;

/* The counters of one run. */
typedef struct ee_extraction_run {
  uint64_t counts[EE_XC_COUNT];
} ee_extraction_run;

/* Where the pair (a, b), a <= b, stands in a triangle of `count` runs, and how many pairs there are. */
static inline size_t ee_extraction_pair(size_t count, size_t a, size_t b) {
  return a * count - a * (a + 1) / 2 + b; /* a rows of count, count - 1, ... entries before it */
}
static inline size_t ee_extraction_pairs(size_t count) { return count * (count + 1) / 2; }

/* One case. In the case's arena. */
typedef struct ee_extraction_case {
  size_t run_count;              /* 1 at least */
  const ee_extraction_run *runs; /* NULL when the judge is in error: it says nothing of the answers */
  const uint64_t *common;        /* keys that two runs share, one a pair; of a run and itself: its different keys */
  bool drifts;                   /* its runs have not all the same keys and kind */
  bool approximate;              /* gold spans were matched greedily */
} ee_extraction_case;

extern const ee_corpus_type ee_extraction_corpus;

/* Truth ---------------------------------------------------------------------------------------- */

/* What a record says is right, of which ee_extraction_succeeds() and ee_gold_match() read `has_expected`, `kind`,
 * `least`, `most`, `has_gold`, `gold`, `gold_count` and `unit`. */
typedef struct ee_extraction_truth {
  ee_bench_record record;
  ee_str gold_place; /* how findings call the list of gold spans */
} ee_extraction_truth;

/* Reads it, and the document. NULL when all is well; else why it is not, in `arena` or static, and `*place` says what.
 */
const char *ee_extraction_truth_read(const ee_extraction_rules *rules, const ee_case *current, ee_arena *arena,
                                     ee_extraction_truth *truth, ee_extraction_document *document, ee_str *place);

/* Telling -------------------------------------------------------------------------------------- */

/* A judged answer. */
typedef struct ee_extraction_view {
  const ee_extraction_truth *truth;
  const ee_extraction_document *document;
  const ee_extraction_list *list;
  ee_gold_result gold; /* where the truth has gold spans */
  bool success;
  ee_arena *arena;
  const ee_extraction_list *runs; /* all answers, the judged one first */
  size_t run_count;
  double stability; /* of the runs, 0..1 */
} ee_extraction_view;

/* What is wrong with an extraction: "QUOTE_MISMATCH", ..., and "SCHEMA_INVALID" where its quote stands at its offsets;
 * NULL when it is sound. */
const char *ee_extraction_code(const ee_extraction *item);
/* Hits and misses. */
void ee_extraction_list_findings(const ee_extraction_view *view, ee_judge_result *result);
/* Counts a class, where there are gold spans. */
void ee_extraction_set_attributes(const ee_extraction_view *view, ee_judge_result *result);
/* The judge record's write_details(), of results whose `details` is an ee_extraction_view. */
void ee_extraction_write_details(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out);
/* "2/3 extractions hold, 1/2 gold spans found" */
ee_str ee_extraction_reasoning(const ee_extraction_view *view);

/* Figures -------------------------------------------------------------------------------------- */

/* A mean over all pairs of `runs` runs, run t being that of the place t mod `count`; 1 for one run. The sum is taken
 * in the order of the pairs. */
double ee_extraction_stability(const uint64_t *common, size_t count);

#endif
