/* totals.h: what a run, a block or a slice adds up to.
 *
 * Counts are integers and sums fixed-point, so that merging is associative: a block's totals are merged into the
 * run's in input order, and any partition of the data gives the same totals. So is what judges gather (corpus.h). */
#ifndef EE_RUN_TOTALS_H
#define EE_RUN_TOTALS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "judge/plan.h"
#include "prim/confusion.h"
#include "prim/statistics.h"
#include "run/value_counts.h"
#include "run/worst_cases.h"

/* One attribute of a judge over all cases. */
typedef struct ee_attribute_total {
  ee_str name;
  bool derived; /* as the plan's attribute: in no average */
  ee_counts counts;
} ee_attribute_total;

/* Cases of ee.line_items that were paired by greedy and by optimal. */
typedef struct ee_methods_total {
  uint64_t compared;
  uint64_t different;                   /* cases in which some item has another partner */
  uint64_t lost;                        /* cases in which greedy has a lower total similarity */
  ee_fixed lost_similarity;             /* of all of them */
  ee_fixed greedy_score, optimal_score; /* of all cases compared */
} ee_methods_total;

typedef struct ee_judge_total {
  ee_sample score;
  uint64_t verdicts[3];
  uint64_t failed; /* cases in which the judge was in error */
  uint64_t vacuous;
  uint64_t fallbacks; /* cases with lists that were paired by greedy, since optimal would have been too much work */
  ee_unreadable unreadable; /* values that are no boxes or points, though they should be */
  ee_str unreadable_case;   /* the id of the first case with one; of the whole only */
  ee_methods_total methods;
  struct ee_case_metric_total {
    ee_sample sample;
    ee_value_counts tally;
  } * case_metrics; /* one a measure of the judge's type */
  size_t case_metric_count;
  void *corpus_part; /* of the whole, where the type has a gather stage; NULL in slices and otherwise */
  const ee_corpus_summary
      *figures;            /* what it came to: after ee_totals_finish(); NULL before, and where nothing is gathered */
  ee_worst_cases *ranking; /* of the whole, where the type has measures; NULL in slices and otherwise */
  ee_attribute_total *attributes; /* static ones first, then those of the data in order of first appearance */
  size_t attribute_count, attribute_capacity;
  size_t static_count;         /* how many of them the plan knows; their names are the plan's, others are the totals' */
  struct ee_name_index *index; /* of the attributes that only the data knows */
  bool *found;                 /* one a thing that the judge wants: some case has it; NULL in slices */
} ee_judge_total;

/* The part of the totals that slices have too. */
typedef struct ee_score_totals {
  ee_sample score;
  uint64_t verdicts[3];
  ee_judge_total *judges; /* one a judge of the plan */
} ee_score_totals;

/* One value of one slice path. Values are told apart by their texts: "1" and 1 share one, and so do "true" and true,
 * "(missing)" and a missing value, and texts that agree in their first 80 bytes. */
typedef struct ee_slice_total {
  size_t slice; /* index into the plan's slices */
  ee_str value; /* its text ("(missing)" when the record has none or null; at most 80 bytes) */
  ee_score_totals totals;
} ee_slice_total;

/* At most this many values are told apart in one slice; later ones share "(other)". So do the attributes of a judge
 * that only the data knows. Within "(other)" of a slice, such attributes stand in no particular order. */
#define EE_SLICE_VALUES 1000
#define EE_DATA_ATTRIBUTES 4000
#define EE_OTHER_NAME "(other)"
#define EE_MISSING_NAME "(missing)"

typedef struct ee_totals {
  const ee_plan *plan;
  uint64_t records;            /* read, good or bad */
  uint64_t scored;             /* judged: in every mean */
  uint64_t unreadable;         /* records in error: no JSON, no expected value */
  uint64_t duplicates;         /* records with an id seen before */
  uint64_t filtered;           /* not selected by --only */
  uint64_t unjudged;           /* of a data set that has no judge for them: in no mean */
  uint64_t candidates_missing; /* judged as an empty candidate */
  uint64_t candidates_unparseable;
  uint64_t cases_with_rule_errors;
  uint64_t rule_errors;
  uint64_t cases_with_provider_failures;
  uint64_t provider_failures; /* values without an answer from the provider: not the same as a low similarity */
  uint64_t data_hash;         /* over the ids and expected hashes of the scored cases, in input order */
  ee_score_totals all;
  ee_slice_total *slices; /* in order of first appearance within each slice path */
  size_t slice_count, slice_capacity;
  size_t slice_ready; /* behind slice_count: entries whose memory is kept for the next values */
  struct ee_name_index *slice_index;
  size_t *slice_values; /* values told apart so far, one a slice path */
  bool part;            /* the totals of a part: nothing is bounded, so that merging parts gives what the whole gives */
  ee_arena names;       /* names of attributes and texts of slice values */
  ee_arena figures;     /* of the judges' figures */
  ee_buffer text;       /* scratch */
} ee_totals;

/* Nothing added. `plan` must outlive the totals. For the totals of a part of the data set `part` before adding. */
void ee_totals_init(ee_totals *totals, const ee_plan *plan);
void ee_totals_fini(ee_totals *totals);
/* Back to nothing added, keeping memory. */
void ee_totals_clear(ee_totals *totals);

/* Adds one case, to the whole and to its slices; counts it as a record too. `arena` is scratch. */
void ee_totals_add(ee_totals *totals, const ee_case_result *result, ee_arena *arena);
/* Adds `other`, a part with the same plan, of cases that come after those of `totals`. */
void ee_totals_merge(ee_totals *totals, const ee_totals *other);

/* Makes figures of what was gathered; once, when everything has been added. ee_run() does it. Gates and reports look at
 * the figures; nothing else needs them. */
void ee_totals_finish(ee_totals *totals);

/* The attributes of a judge, worst F1 first (ee_f1_ranked; undefined ones last), ties in order, those that only the
 * data knows after those with more errors (fp + fn) than they have; `order` gets attribute_count
 * indices. */
void ee_judge_total_rank(const ee_judge_total *total, size_t *order);
/* The attribute that only the data knows whose name `name` was probably meant to be (ee_did_you_mean()), or an empty
 * text. Borrowed from `total`. */
ee_str ee_judge_total_near(const ee_judge_total *total, ee_str name);

/* micro, macro and weighted averages over the judge's attributes. */
typedef struct ee_judge_averages {
  ee_averages micro, macro, weighted;
  ee_counts pooled;
} ee_judge_averages;
ee_judge_averages ee_judge_total_averages(const ee_judge_total *total);

#endif
