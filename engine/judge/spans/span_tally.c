/* span_tally.c: four schemes from one pairing. */
#include "judge/spans/span_tally.h"

const char *ee_span_scheme_name(ee_span_scheme scheme) {
  static const char *const names[EE_SPAN_SCHEMES] = {"strict", "exact", "partial", "type"};
  return names[scheme];
}

void ee_span_tally_add(ee_span_tally *tally, const ee_span_tally *other) {
  for (int i = 0; i < EE_SPAN_FATES; i++) tally->of[i] += other->of[i];
}

/* What a pair is, in the order of the first four fates. */
typedef enum verdict { CORRECT, INCORRECT, PARTIAL } verdict;
static const verdict verdicts[EE_SPAN_SCHEMES][4] = {
    [EE_SCHEME_STRICT] = {CORRECT, INCORRECT, INCORRECT, INCORRECT},
    [EE_SCHEME_EXACT] = {CORRECT, INCORRECT, CORRECT, INCORRECT},
    [EE_SCHEME_PARTIAL] = {CORRECT, PARTIAL, CORRECT, PARTIAL},
    [EE_SCHEME_TYPE] = {CORRECT, CORRECT, INCORRECT, INCORRECT},
};

/* Incorrect candidate spans: pairs of the label itself, and those in which another label's span took the candidate. */
static uint64_t incorrect_candidates(const ee_span_tally *tally, ee_span_scheme scheme) {
  const verdict *is = verdicts[scheme];
  return (is[EE_SPAN_LABEL_ONLY] == INCORRECT ? tally->of[EE_SPAN_LABEL_ONLY] : 0) +
         (is[EE_SPAN_BOUNDS_ONLY] == INCORRECT ? tally->of[EE_SPAN_BOUNDS_TAKEN] : 0) +
         (is[EE_SPAN_OVERLAP_ONLY] == INCORRECT ? tally->of[EE_SPAN_OVERLAP_TAKEN] : 0);
}

ee_span_counts ee_span_tally_counts(const ee_span_tally *tally, ee_span_scheme scheme) {
  ee_span_counts counts = {.missed = tally->of[EE_SPAN_MISSED], .spurious = tally->of[EE_SPAN_SPURIOUS]};
  for (int fate = EE_SPAN_SAME; fate <= EE_SPAN_OVERLAP_ONLY; fate++) {
    verdict is = verdicts[scheme][fate];
    *(is == CORRECT ? &counts.correct : is == PARTIAL ? &counts.partial : &counts.incorrect) += tally->of[fate];
  }
  counts.possible = counts.correct + counts.incorrect + counts.partial + counts.missed;
  counts.actual = counts.correct + incorrect_candidates(tally, scheme) + counts.partial + counts.spurious;
  return counts;
}

static ee_metric share(uint64_t halves, uint64_t whole) {
  if (whole == 0) return (ee_metric){0};
  return (ee_metric){true, (double)halves / (double)(2 * whole)};
}

ee_metric ee_span_precision(const ee_span_counts *counts) {
  return share(2 * counts->correct + counts->partial, counts->actual);
}

ee_metric ee_span_recall(const ee_span_counts *counts) {
  return share(2 * counts->correct + counts->partial, counts->possible);
}

ee_metric ee_span_f1(const ee_span_counts *counts) {
  return share(2 * (2 * counts->correct + counts->partial), counts->possible + counts->actual);
}

ee_counts ee_span_tally_confusion(const ee_span_tally *tally, ee_span_scheme scheme) {
  ee_span_counts counts = ee_span_tally_counts(tally, scheme);
  uint64_t same_label = verdicts[scheme][EE_SPAN_LABEL_ONLY] == INCORRECT ? tally->of[EE_SPAN_LABEL_ONLY] : 0;
  return (ee_counts){.tp = counts.correct,
                     .fn = counts.incorrect + counts.partial + counts.missed,
                     .fp = incorrect_candidates(tally, scheme) + counts.partial + counts.spurious,
                     .wrong = same_label + counts.partial};
}
