/* extraction_corpus.h: adds up the runs of all cases, for ee.extraction and for `bench score`.
 *
 * A case has runs: answers to one record. Run t of the data set is answer t of every case; a case with fewer answers
 * repeats them from the first. */
#ifndef EE_JUDGE_EXTRACTION_EXTRACTION_CORPUS_H
#define EE_JUDGE_EXTRACTION_EXTRACTION_CORPUS_H

#include "judge/extraction/quote_check.h"
#include "judge/plan.h"
#include "prim/confusion.h"

/* Keys: when two extractions of one case are the same ------------------------------------------ */

/* Class, start, end and quote, compared one by one, so that no text can imitate another key. */
typedef struct ee_extraction_key {
  ee_str extraction_class, quote; /* data NULL: missing */
  bool has_offsets;               /* else both are 0 */
  int64_t start, end;
} ee_extraction_key;

/* The distinct keys of one answer, sorted. All zero: empty. */
typedef struct ee_extraction_keys {
  ee_extraction_key *items;
  size_t count;
  const uint32_t *numbers; /* one per key, equal for equal keys; set while runs are compared, else NULL */
} ee_extraction_keys;

/* Sorts `items` in place and removes duplicates. O(n log n), scratch in `arena`. */
ee_extraction_keys ee_extraction_keys_make(ee_extraction_key *items, size_t count, ee_arena *arena);

/* The number of keys in both sets. Linear. */
size_t ee_extraction_keys_shared(const ee_extraction_keys *a, const ee_extraction_keys *b);

/* The keys of either set, in `arena`. Linear. */
ee_extraction_keys ee_extraction_keys_union(const ee_extraction_keys *a, const ee_extraction_keys *b, ee_arena *arena);

/* One case ------------------------------------------------------------------------------------- */

/* Runs per case of ee.extraction: comparing them takes the square of their number. */
#define EE_EXTRACTION_RUNS 256

/* The counters of a run. */
typedef enum ee_extraction_counter {
  EE_XC_SUCCESSES, /* 1 or 0 */
  EE_XC_EXTRACTIONS,
  EE_XC_SCHEMA_VALID,
  EE_XC_QUOTE_VALID,
  EE_XC_SCHEMA_INVALID, /* extractions whose quote holds; the others count under their fault */
  EE_XC_FAULTS,         /* plus ee_quote_fault, minus 1 */
  EE_XC_REPAIRS = EE_XC_FAULTS + EE_QUOTE_MISMATCH, /* plus ee_repair */
  EE_XC_REPAIRED = EE_XC_REPAIRS + EE_REPAIR_COUNT, /* answers */
  EE_XC_BARE_LISTS,                                 /* answers */
  EE_XC_UNREADABLE,                                 /* answers */
  EE_XC_GOLD,                                       /* gold spans */
  EE_XC_EXACT,
  EE_XC_OVERLAPPING,
  EE_XC_PARTIAL,
  EE_XC_GOLD_EXTRACTIONS, /* extractions of answers to records with gold spans */
  EE_XC_COUNT
} ee_extraction_counter;

typedef struct ee_extraction_run {
  uint64_t counts[EE_XC_COUNT];
} ee_extraction_run;

/* Pairs of runs (a, b) with a <= b: their number for `count` runs, and the index of one. */
static inline size_t ee_extraction_pairs(size_t count) { return count * (count + 1) / 2; }
static inline size_t ee_extraction_pair(size_t count, size_t a, size_t b) {
  return a * count - a * (a + 1) / 2 + b; /* rows of count, count - 1, ... entries come before row a */
}

/* One case. In the case's arena. */
typedef struct ee_extraction_case {
  size_t run_count;              /* at least 1 */
  const ee_extraction_run *runs; /* NULL: the record is in error and its answers were not judged */
  const uint64_t *common;        /* one per pair of runs: keys in both; of a run with itself: its keys */
  bool drifts;                   /* its runs differ in success, kind, number of extractions or keys */
  bool approximate;              /* gold spans were matched greedily */
} ee_extraction_case;

/* Compares all runs of a case: sets `common`, in `arena`, and `drifts`, from `runs`, keys and kinds of its `run_count`
 * runs. A case drifts when success, kind, number of extractions or set of keys differ between two runs.
 * Keys times log for sorting, then linear per pair of runs. Changes `numbers` of the sets. */
void ee_extraction_compare_runs(ee_extraction_keys *sets, const ee_empty_kind *kinds, ee_arena *arena,
                                ee_extraction_case *result);

/* The Jaccard similarity of the keys of runs a <= b out of `count`; 1 for two empty sets. */
double ee_extraction_similarity(const uint64_t *common, size_t count, size_t a, size_t b);

/* The mean, over all pairs of `count` runs, of the Jaccard similarity; 1 for one run. The sum is taken in the order of
 * the pairs. */
double ee_extraction_stability(const uint64_t *common, size_t count);

/* All cases ------------------------------------------------------------------------------------ */

typedef struct ee_extraction_totals ee_extraction_totals;

/* Empty; malloc'd. */
ee_extraction_totals *ee_extraction_totals_new(void);
void ee_extraction_totals_free(ee_extraction_totals *totals);
/* `id` is shown in notes. */
void ee_extraction_totals_add(ee_extraction_totals *totals, ee_str id, const ee_extraction_case *of_case);

/* The sums over all cases and runs. */
typedef struct ee_extraction_sums {
  size_t runs;
  uint64_t cases, judged;            /* judged: without those in error */
  uint64_t drifting;                 /* cases that drift */
  uint64_t counts[EE_XC_COUNT];      /* over all runs */
  const uint64_t *extractions;       /* one per run */
  uint64_t count_min, count_max;     /* of the extractions of a run */
  double count_mean, count_variance; /* of the same; population variance */
  const uint64_t *common;            /* one per pair of runs, as in a case */
  double stability;                  /* uniqueExtractionStability */
} ee_extraction_sums;

/* Adds up the runs; the arrays are in `arena`. `runs` is the minimum number of runs; 0: the largest number that a case
 * has. */
ee_extraction_sums ee_extraction_totals_sum(const ee_extraction_totals *totals, size_t runs, ee_arena *arena);

/* The shares that reports and gates name. */
typedef enum ee_extraction_metric {
  EE_XM_QUOTE_INVARIANT_RATE,
  EE_XM_SCHEMA_VALID_RATE,
  EE_XM_SUCCESS_RATE,
  EE_XM_STABILITY,
  EE_XM_COVERAGE_RATE,
  EE_XM_PRECISION,
  EE_XM_RECALL_OVERLAPPING,
  EE_XM_PRECISION_OVERLAPPING,
  EE_XM_RECALL_PARTIAL,
  EE_XM_PRECISION_PARTIAL,
  EE_XM_COUNT
} ee_extraction_metric;
/* "quoteInvariantRate" and so on. */
const char *ee_extraction_metric_name(ee_extraction_metric metric);
/* Undefined: a share of nothing. The first two are 1 when judged answers have no extractions. */
ee_metric ee_extraction_metric_of(const ee_extraction_sums *sums, ee_extraction_metric metric);

extern const ee_corpus_type ee_extraction_corpus;

#endif
