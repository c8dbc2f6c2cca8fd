/* measure_total.h: the sum, the mean and the quantiles of a measure (judge/measure.h) over the cases.
 *
 * The values are kept, each distinct one once with its count (run/value_counts.h), so that any split of the data gives
 * the same bytes: 16 bytes and an entry of an index for each distinct value. Quantiles are exact up to EE_VALUES_EXACT
 * distinct values, then of values rounded to 17 bits; sum, mean, minimum and maximum are always exact. */
#ifndef EE_RUN_MEASURE_TOTAL_H
#define EE_RUN_MEASURE_TOTAL_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/exact_sum.h"
#include "judge/measure.h"
#include "prim/confusion.h"
#include "run/case_example.h"
#include "run/value_counts.h"

/* Zero is empty. */
typedef struct ee_measure_total {
  ee_value_counts values;
  ee_exact_sum sum;
  uint64_t missing, not_numbers; /* records without it; records in which it is not a number */
  uint64_t correct;              /* true positives of the cases with a value */
  ee_case_example missing_case;  /* one of those without it */
  ee_case_example bad_case;      /* text: what is there, its JSON, or a string's text; at most EE_MEASURE_BYTES */
} ee_measure_total;

#define EE_MEASURE_BYTES 60

void ee_measure_total_fini(ee_measure_total *total);
/* Empties it and keeps its memory. */
void ee_measure_total_clear(ee_measure_total *total);

/* Adds a case with the id `id` in which `correct` values of the answer are true positives. `names` gets the examples;
 * NULL: none are kept. `text` and `scratch` are scratch. */
void ee_measure_total_add(ee_measure_total *total, const ee_measure_value *measure, ee_str id, uint64_t correct,
                          ee_arena *names, ee_buffer *text, ee_arena *scratch);
/* Adds `from`; `names` as above. */
void ee_measure_total_merge(ee_measure_total *total, const ee_measure_total *from, ee_arena *names);

/* Writes it, or reads it into an empty one. `names` gets what is read. */
void ee_measure_total_state(ee_state_line *line, ee_arena *names, ee_measure_total *total);

/* Undefined without values, or where a sum is beyond the range of doubles. */
typedef struct ee_measure_summary {
  uint64_t values, missing, not_numbers;
  ee_metric sum, mean, p50, p95, min, max;
  ee_metric per_correct; /* sum / true positives; undefined without any */
} ee_measure_summary;

/* O(n log n) in distinct values. */
ee_measure_summary ee_measure_summarize(const ee_measure_total *total);

/* Appends what is wrong with the values, a sentence without full stop: "2 of 120 records have no 'meta.cost_usd', e.g.
 * case 'X51'"; nothing if nothing is wrong. `name` is the path. */
void ee_measure_print_missing(const ee_measure_total *total, ee_str name, ee_buffer *out);
/* The same of values that are not numbers. */
void ee_measure_print_bad(const ee_measure_total *total, ee_str name, ee_buffer *out);

#endif
