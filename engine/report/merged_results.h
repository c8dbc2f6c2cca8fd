/* merged_results.h: counts of attributes, pooled over stored rows or taken from a run's totals: what `evalengine
 * report` prints.
 *
 * Adding is associative: the pool of a data set is the sum of the pools of its shards, taken in their
 * order. Counts are whole numbers and sums of scores fixed-point, so that not a bit depends on where the data was cut.
 */
#ifndef EE_REPORT_MERGED_RESULTS_H
#define EE_REPORT_MERGED_RESULTS_H

#include "base/hash_index.h"
#include "report/page.h"
#include "report/stored_row.h"
#include "run/totals.h"

typedef struct ee_merged_judge {
  ee_str name, type; /* the type of the first row that has one; may be empty */
  ee_sample score;   /* of rows in which the judge has one */
  uint64_t verdicts[3];
  bool split; /* false positives are told apart, wrong or invented: where they were recomputed, and the judge does */
  ee_attribute_total *attributes; /* in order of first appearance */
  size_t attribute_count, attribute_capacity;
  ee_hash_index index; /* of the attributes, by name */
} ee_merged_judge;

typedef struct ee_merged_results {
  uint64_t rows, unreadable, duplicates; /* rows taken; lines that were none; ids seen before, left out */
  bool has_dataset;                      /* the counts of the next line mean something */
  uint64_t cases, without_case, without_row, other_expected; /* of the data set; rows whose id it does not have, left
      out; its cases without a row; rows taken that were judged against another expected value than it has now */
  bool recomputed;                                           /* the next line means something */
  uint64_t candidates_missing, candidates_unparseable, rule_errors, provider_failures;
  ee_sample score;
  uint64_t verdicts[3];
  ee_merged_judge *judges; /* in order of first appearance */
  size_t judge_count, judge_capacity;
  ee_hash_index index; /* of the judges, by name */
  bool part; /* the pool of a part: nothing is bounded, so that merging parts gives what the whole gives; set it before
                adding. The whole keeps the first EE_DATA_ATTRIBUTES names of a judge, others share EE_OTHER_NAME */
  ee_arena arena;
} ee_merged_results;

/* Nothing added; not to be moved. */
void ee_merged_init(ee_merged_results *pool);
void ee_merged_fini(ee_merged_results *pool);
/* Adds one row (copied); `judge` (a name; data NULL: all) selects. */
void ee_merged_add_row(ee_merged_results *pool, const ee_stored_row *row, ee_str judge);
/* Adds the pool of rows that come after those of `pool`. */
void ee_merged_merge(ee_merged_results *pool, const ee_merged_results *other);
/* Adds a run: `pool` is recomputed then. */
void ee_merged_add_totals(ee_merged_results *pool, const ee_totals *totals, ee_str judge);

/* Attributes worst F1 first, of equal ones those with more errors first, with micro, macro and weighted averages; a
 * zero denominator is "-" (csv: empty, json: left out). The page borrows from `pool`. */
void ee_merged_page(const ee_merged_results *pool, ee_page *page);
/* Each appends to `out`. */
/* The columns of the summary's CSV; `wrong` is empty where it is not known. */
void ee_merged_csv(const ee_merged_results *pool, ee_buffer *out);
void ee_merged_json(const ee_merged_results *pool, ee_buffer *out);

/* A judge of the pool as the functions of totals.h take it: score, verdicts and attributes, all known from the data
 * only. Borrows from the pool. */
ee_judge_total ee_merged_judge_total(const ee_merged_judge *judge);

#endif
