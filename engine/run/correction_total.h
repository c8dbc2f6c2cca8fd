/* correction_total.h: how many documents go straight through, and how many edits the others need.
 *
 * What an edit is, and when a document needs none, is defined in judge/corrections.h. Counts are integers: merging is
 * exact and associative. */
#ifndef EE_RUN_CORRECTION_TOTAL_H
#define EE_RUN_CORRECTION_TOTAL_H

#include "judge/corrections.h"
#include "prim/confusion.h"
#include "prim/ratio_interval.h"
#include "run/unit_table.h"
#include "run/value_counts.h"

typedef struct ee_correction_total {
  uint64_t cases;    /* that have a score */
  uint64_t straight; /* of these: that go straight through */
  ee_score_units units;
  uint64_t kinds[EE_CORRECTION_KINDS];
  uint64_t row_values, optional, checks; /* as in ee_corrections */
  ee_value_counts per_case;              /* edits of each case */
} ee_correction_total;

/* An empty total is all zero. */
void ee_correction_total_fini(ee_correction_total *total);
/* Empties it and keeps its memory. */
void ee_correction_total_clear(ee_correction_total *total);
/* Adds a case that has a score; `cluster` as in ee_score_units_add(). */
void ee_correction_total_add(ee_correction_total *total, const ee_corrections *corrections, uint64_t cluster);
void ee_correction_total_merge(ee_correction_total *total, const ee_correction_total *from);
/* Writes it, or reads it into an empty one. */
void ee_correction_total_state(ee_state_line *line, ee_correction_total *total);

/* All edits. */
uint64_t ee_correction_total_sum(const ee_correction_total *total);
/* The share of cases that go straight through, its sums, and with its interval; edits a case. Undefined without cases.
 */
ee_metric ee_straight_through_rate(const ee_correction_total *total);
ee_ratio_sums ee_straight_through_sums(const ee_correction_total *total);
ee_ranged ee_straight_through(const ee_correction_total *total, double confidence);
ee_metric ee_corrections_mean(const ee_correction_total *total);

/* Cases by their number of edits: 0, 1, 2, and 3 or more. */
#define EE_CORRECTION_BINS 4
void ee_correction_total_bins(const ee_correction_total *total, uint64_t bins[EE_CORRECTION_BINS]);

#endif
