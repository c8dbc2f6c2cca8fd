/* span_tally.h: what became of labelled spans, and the four schemes that count it.
 *
 * The schemes are those of SemEval-2013 task 9.1 (Segura-Bedmar, Martínez, Herrero-Zazo 2013), as nervaluate describes
 * them. Expected and candidate spans are paired once; a pair is correct, incorrect or partial by its labels and bounds,
 * an expected span without a partner is missed, a candidate span without one is spurious:
 *
 *   pair                         strict     exact      partial    type
 *   same label, same bounds      correct    correct    correct    correct
 *   same label, overlapping      incorrect  incorrect  partial    correct
 *   other label, same bounds     incorrect  correct    correct    incorrect
 *   other label, overlapping     incorrect  incorrect  partial    incorrect
 *
 * possible = correct + incorrect + partial + missed; actual = correct + incorrect + partial + spurious; precision =
 * (correct + partial / 2) / actual; recall = (correct + partial / 2) / possible; F1 is their harmonic mean. */
#ifndef EE_JUDGE_SPANS_SPAN_TALLY_H
#define EE_JUDGE_SPANS_SPAN_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "prim/confusion.h"

typedef enum ee_span_scheme {
  EE_SCHEME_STRICT,
  EE_SCHEME_EXACT,
  EE_SCHEME_PARTIAL,
  EE_SCHEME_TYPE,
  EE_SPAN_SCHEMES
} ee_span_scheme;
#define EE_SPAN_SCHEME_NAMES "strict|exact|partial|type"
const char *ee_span_scheme_name(ee_span_scheme scheme);

/* What became of spans, of one label or of all. A pair of two labels counts for that of the expected span; the
 * candidate's counts it apart, as taken. */
typedef enum ee_span_fate {
  EE_SPAN_SAME,         /* pairs: same label, same bounds */
  EE_SPAN_LABEL_ONLY,   /* same label, overlapping */
  EE_SPAN_BOUNDS_ONLY,  /* other label, same bounds */
  EE_SPAN_OVERLAP_ONLY, /* other label, overlapping */
  EE_SPAN_BOUNDS_TAKEN, /* candidate spans of this label in pairs of the last two kinds */
  EE_SPAN_OVERLAP_TAKEN,
  EE_SPAN_MISSED,
  EE_SPAN_SPURIOUS,
  EE_SPAN_FATES
} ee_span_fate;

typedef struct ee_span_tally {
  uint64_t of[EE_SPAN_FATES];
} ee_span_tally;

void ee_span_tally_add(ee_span_tally *tally, const ee_span_tally *other);

/* What a scheme makes of a tally. Of one label, `incorrect` are expected spans, and `actual` counts the candidate spans
 * of that label that are incorrect, so that the spans of all labels add up to those of the whole. */
typedef struct ee_span_counts {
  uint64_t correct, incorrect, partial, missed, spurious, possible, actual;
} ee_span_counts;

ee_span_counts ee_span_tally_counts(const ee_span_tally *tally, ee_span_scheme scheme);

/* Undefined without candidate spans, without expected spans, without either. */
ee_metric ee_span_precision(const ee_span_counts *counts);
ee_metric ee_span_recall(const ee_span_counts *counts);
ee_metric ee_span_f1(const ee_span_counts *counts);

/* The same as counts of an attribute. Partial pairs are wrong there, as whole counts have no halves; so are incorrect
 * pairs of one label, while a pair of two labels is a missing value of the one and a spurious value of the other. */
ee_counts ee_span_tally_confusion(const ee_span_tally *tally, ee_span_scheme scheme);

#endif
