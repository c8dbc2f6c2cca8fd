/* calibration_total.h: the confidences of a judge's values over all cases, and what they cost.
 *
 * Each distinct confidence is kept once, with how many of its answers were right, wrong and invented, so that any split
 * of the data gives the same bytes and every figure is exact: about 60 bytes for each distinct confidence of a field.
 * Owned memory is malloc'd and kept by ee_calibration_total_clear(). */
#ifndef EE_RUN_CALIBRATION_TOTAL_H
#define EE_RUN_CALIBRATION_TOTAL_H

#include "base/buffer.h"
#include "base/hash_index.h"
#include "base/list.h"
#include "judge/confidence.h"
#include "prim/calibration.h"
#include "prim/statistics.h"
#include "run/case_example.h"

typedef struct ee_answer_counts {
  uint64_t right, incorrect, spurious;
} ee_answer_counts;

typedef struct ee_confidence_count {
  double confidence;
  ee_answer_counts answers;
} ee_confidence_count;

#define EE_CONFIDENCE_BYTES 60

/* Of one field, or of documents. */
typedef struct ee_confidence_table {
  ee_str name;                         /* of the field; empty: documents */
  EE_LIST(ee_confidence_count);        /* distinct confidences */
  ee_hash_index index;                 /* of the items */
  ee_answer_counts unsure;             /* answers without a confidence that can be used */
  uint64_t silent_right, silent_wrong; /* no answer, and none was expected; one was expected */
  uint64_t missing, bad; /* answers without a confidence, and with one that cannot be used: together those unsure */
  bool none;             /* the field has no confidence by its rules */
  bool several;          /* some case has several values of it: they are not independent */
  ee_case_example missing_case, bad_case; /* one of each; text: the bad confidence */
  uint64_t last_case;                     /* while cases are added */
} ee_confidence_table;

typedef struct ee_calibration_total {
  ee_confidence_table documents;
  EE_LIST(ee_confidence_table); /* of fields; once settled by name */
  size_t ready;                 /* initialised tables; those from count on keep their memory */
  uint64_t cases;               /* in which the judge has confidences or costs */
  uint64_t clustered;           /* of these: cases that share a cluster, or a case, with others */
  ee_sample cost;               /* of cases */
  bool has_cost;
  ee_value_costs costs; /* of rows with several the lowest */
  bool other_costs;     /* of rows: some have other costs */
} ee_calibration_total;

void ee_calibration_total_fini(ee_calibration_total *total);
/* Empties it and keeps its memory. */
void ee_calibration_total_clear(ee_calibration_total *total);
/* Adds a case; `confidences` may be NULL. `clustered`: the case is in a cluster. `names` gets names and examples;
 * `text` is scratch. */
void ee_calibration_total_add(ee_calibration_total *total, const ee_confidences *confidences, bool clustered, ee_str id,
                              ee_arena *names, ee_buffer *text);
/* Adds `from`. */
void ee_calibration_total_merge(ee_calibration_total *total, const ee_calibration_total *from, ee_arena *names);

/* Brings the fields into their final order. More may be added later. */
void ee_calibration_total_settle(ee_calibration_total *total);

/* Writes it, or reads it into an empty one. */
void ee_calibration_total_state(ee_state_line *line, ee_arena *names, ee_calibration_total *total);

/* All answers of a table: those with a confidence and those without. */
ee_answer_counts ee_confidence_table_answers(const ee_confidence_table *table);
/* The distinct confidences, ascending, as prim/calibration.h takes them; table->count of them, in `arena`. */
const ee_confident *ee_confidence_table_sorted(const ee_confidence_table *table, ee_arena *arena);

/* The threshold below which answers are better left out: their expected values then cost as missing, and invented ones
 * nothing. */
typedef struct ee_cheapest {
  double threshold; /* leave out answers of a lower confidence; 0: none, above 1: all */
  double cost;      /* of all values, with this threshold */
  double now;       /* without one */
  uint64_t left_out;
} ee_cheapest;

/* Of the `count` tables together, for one threshold of all. The lowest of equal ones. */
ee_cheapest ee_calibration_cheapest(const ee_confidence_table *tables, size_t count, ee_value_costs costs,
                                    ee_arena *scratch);

#endif
