/* pool.h: counts of attributes, pooled over stored rows or taken from a run's totals: what `evalengine report` prints.
 *
 * Layer: report. Adding is associative: the pool of a data set is the sum of the pools of its shards. */
#ifndef EE_REPORT_POOL_H
#define EE_REPORT_POOL_H

#include "judge/totals.h"
#include "report/layout.h"
#include "report/stored_row.h"

typedef struct ee_pool_judge {
  ee_str name, type;
  ee_sample score;
  uint64_t verdicts[3];
  ee_attribute_total *attributes; /* in order of first appearance */
  size_t attribute_count, attribute_capacity;
  struct ee_pool_index *index;
} ee_pool_judge;

typedef struct ee_pool {
  uint64_t rows, unreadable, duplicates; /* rows taken; lines that were none; ids seen before, left out */
  uint64_t without_case, without_row;    /* rows whose id the data set does not have; cases of the data set without a row */
  bool has_dataset;
  bool split_known; /* false positives are told apart: wrong or invented; only where they were recomputed */
  ee_sample score;
  uint64_t verdicts[3];
  ee_pool_judge *judges; /* in order of first appearance */
  size_t judge_count, judge_capacity;
  ee_arena arena;
} ee_pool;

void ee_pool_init(ee_pool *pool);
void ee_pool_fini(ee_pool *pool);
/* Adds one row; `judge` (a name; data NULL: all) selects. */
void ee_pool_add_row(ee_pool *pool, const ee_stored_row *row, ee_str judge);
void ee_pool_merge(ee_pool *pool, const ee_pool *other);
/* The pool of a run. */
void ee_pool_add_totals(ee_pool *pool, const ee_totals *totals, ee_str judge);

/* Attributes worst F1 first, with micro, macro and weighted averages; a zero denominator prints "-" (csv: empty, json: left out). Each appends to `out`. */
void ee_pool_table(const ee_pool *pool, ee_table_style style, ee_buffer *out);
void ee_pool_csv(const ee_pool *pool, ee_buffer *out);
void ee_pool_json(const ee_pool *pool, ee_buffer *out);
void ee_pool_markdown(const ee_pool *pool, ee_buffer *out);

#endif
