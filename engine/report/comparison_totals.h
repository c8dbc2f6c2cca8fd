/* comparison_totals.h: what a comparison adds up over its cases: all that its figures are computed from.
 *
 * Totals of parts of the data, merged in any order and as any tree, are those of the whole: counts, sums that are
 * exact, sums of units (unit_shares.h), and the largest of something. So a comparison of all rows on one machine and
 * one of parts on many take the same way: rows to totals (comparison_totals.c), totals to a report. */
#ifndef EE_REPORT_COMPARISON_TOTALS_H
#define EE_REPORT_COMPARISON_TOTALS_H

#include "base/exact_sum.h"
#include "base/str.h"
#include "prim/confusion.h"
#include "prim/sign_flips.h"
#include "report/unit_shares.h"

/* Clusters that are kept apart (16,384), and units for averages over fields (512). */
#define EE_COMPARED_CLUSTER_BITS 14
#define EE_COMPARED_AVERAGE_BITS 9

/* A metric: units of one case, and those that may have more, by their key. */
typedef struct ee_figure {
  ee_paired_moments alone;
  ee_unit_shares shared;
} ee_figure;

void ee_figure_merge(ee_figure *figure, const ee_figure *other);
/* The moments of all units. */
ee_paired_moments ee_figure_moments(const ee_figure *figure, ee_paired_kind kind);

/* What a name was taken for: a field, or one that only the rules of a run have. One of these, unless parts disagree. */
enum { EE_SEEN_AS_FIELD = 1, EE_SEEN_ONLY_IN_BASE = 2, EE_SEEN_ONLY_IN_NEW = 4 };

typedef struct ee_judge_totals {
  uint64_t cases, without[2]; /* that have it on both sides; on the other side only */
  uint64_t units, changed;    /* of one case; of these: a field that is in averages differs */
  ee_figure score, micro;     /* micro.shared has each unit with several cases that has the judge */
} ee_judge_totals;

typedef struct ee_attribute_totals {
  uint64_t cases[2]; /* with a value of it, by side */
  ee_counts counts[2];
  uint64_t fixed, broken, still_wrong, fewer, more; /* cases */
  uint64_t units_more, units_fewer;                 /* units of one case: wrong in the new run only; in the base only */
  uint32_t seen_as;
  ee_figure f1;
  ee_unit_shares wrong;  /* other units: a counts their wrong cases */
  ee_unit_shares groups; /* all units, for averages over fields */
} ee_attribute_totals;

typedef struct ee_slice_totals {
  uint64_t cases;
  ee_counts counts[2]; /* pooled over all fields that are in averages */
  ee_figure score;
} ee_slice_totals;

/* A measure, of the cases that have it on both sides. Its values can have any size, so its sums are exact ones. */
typedef struct ee_measure_totals {
  uint64_t cases, without[2];
  ee_exact_sum sums[2];
  /* Units of one case: */
  uint64_t units, changed;
  bool huge;                         /* a square is beyond the range of doubles */
  ee_exact_sum alone[2], squares[2]; /* of values */
  ee_exact_sum difference, differences_squared;
  double low, high;      /* between which their values lie, and 0 */
  double least, most;    /* difference */
  ee_unit_shares shared; /* the others; values beyond 2^59 make the measure huge */
} ee_measure_totals;

void ee_judge_totals_merge(ee_judge_totals *totals, const ee_judge_totals *other);
void ee_attribute_totals_merge(ee_attribute_totals *totals, const ee_attribute_totals *other);
void ee_slice_totals_merge(ee_slice_totals *totals, const ee_slice_totals *other);
void ee_measure_totals_merge(ee_measure_totals *totals, const ee_measure_totals *other);

/* The first ids in byte order, to be named in a message. */
enum { EE_IDS_NAMED = 3 };
typedef struct ee_first_ids {
  ee_str ids[EE_IDS_NAMED]; /* data NULL: none */
} ee_first_ids;

/* Borrows `id`. */
void ee_first_ids_add(ee_first_ids *named, ee_str id);

#endif
