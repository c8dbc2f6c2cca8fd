/* confusion.c: confusion counts, and precision, recall and F1 from them.
 *
 * Means are computed from ee_fixed sums, so they are bit-identical for every order of the attributes. */
#include "prim/confusion.h"

#include "base/fixed.h"

void ee_counts_add_class(ee_counts *counts, ee_class class_of_value) {
  switch (class_of_value) { /* unreached: all are listed */
  case EE_CLASS_TP: counts->tp += 1; break;
  case EE_CLASS_TN: counts->tn += 1; break;
  case EE_CLASS_WRONG:
    counts->fp += 1;
    counts->fn += 1;
    counts->wrong += 1;
    break;
  case EE_CLASS_INVENTED: counts->fp += 1; break;
  case EE_CLASS_MISSING: counts->fn += 1; break;
  case EE_CLASS_UNREAD: counts->unread += 1; break;
  }
}

void ee_counts_add(ee_counts *counts, const ee_counts *other) {
  counts->tp += other->tp;
  counts->tn += other->tn;
  counts->fp += other->fp;
  counts->fn += other->fn;
  counts->wrong += other->wrong;
  counts->unread += other->unread;
  counts->unread_candidates += other->unread_candidates;
}

static ee_metric quotient(uint64_t part, uint64_t whole) {
  if (whole == 0) return (ee_metric){false, 0};
  return (ee_metric){true, (double)part / (double)whole};
}

ee_metric ee_precision(const ee_counts *counts) { return quotient(counts->tp, counts->tp + counts->fp); }

ee_metric ee_recall(const ee_counts *counts) { return quotient(counts->tp, counts->tp + counts->fn); }

ee_metric ee_specificity(const ee_counts *counts) { return quotient(counts->tn, counts->tn + counts->fp); }

ee_metric ee_field_accuracy(const ee_counts *counts) {
  uint64_t right = counts->tp + counts->tn;
  return quotient(right, right + counts->fp + counts->fn - counts->wrong);
}

ee_metric ee_answered_rate(const ee_counts *counts) {
  return quotient(counts->tp + counts->wrong, counts->tp + counts->fn);
}

ee_metric ee_fabrication_rate(const ee_counts *counts) {
  uint64_t invented = counts->fp - counts->wrong;
  return quotient(invented, counts->tn + invented);
}

ee_metric ee_f1(const ee_counts *counts) {
  /* 2PR / (P + R) where both are defined, but rounded once instead of five times. */
  return quotient(2 * counts->tp, 2 * counts->tp + counts->fp + counts->fn);
}

/* An undefined metric becomes 0 if there was an error. */
static ee_metric ranked(ee_metric metric, const ee_counts *counts) {
  if (!metric.defined && counts->fp + counts->fn > 0) metric.defined = true;
  return metric;
}

ee_averages ee_micro(const ee_counts *attributes, size_t count) {
  ee_counts pooled = {0};
  for (size_t i = 0; i < count; i++) ee_counts_add(&pooled, &attributes[i]);
  return (ee_averages){ee_precision(&pooled), ee_recall(&pooled), ee_f1(&pooled)};
}

/* Expected values; of an attribute without any, the values that were invented, which else would count nowhere. */
static uint64_t weight_of(const ee_counts *counts) {
  uint64_t support = counts->tp + counts->fn;
  return support > 0 ? support : counts->fp;
}

/* The mean of one metric; the weight of an attribute is 1 or weight_of(). The product of a value (at most 2^60 units)
 * and a support is exact in 128 bits. */
static ee_metric mean_of(const ee_counts *attributes, size_t count, ee_metric (*metric_of)(const ee_counts *),
                         bool by_support) {
  ee_fixed sum = {0};
  uint64_t weights = 0;
  for (size_t i = 0; i < count; i++) {
    ee_metric metric = ranked(metric_of(&attributes[i]), &attributes[i]);
    if (!metric.defined) continue;
    uint64_t weight = by_support ? weight_of(&attributes[i]) : 1;
    ee_fixed term = ee_fixed_from(metric.value);
    term.units = (__int128)((unsigned __int128)term.units * weight); /* what a hostile state has wraps */
    ee_fixed_add(&sum, term);
    weights += weight;
  }
  if (weights == 0) return (ee_metric){false, 0};
  return (ee_metric){true, ee_fixed_mean(sum, weights)};
}

ee_averages ee_macro(const ee_counts *attributes, size_t count) {
  return (ee_averages){mean_of(attributes, count, ee_precision, false), mean_of(attributes, count, ee_recall, false),
                       mean_of(attributes, count, ee_f1, false)};
}

ee_averages ee_weighted(const ee_counts *attributes, size_t count) {
  return (ee_averages){mean_of(attributes, count, ee_precision, true), mean_of(attributes, count, ee_recall, true),
                       mean_of(attributes, count, ee_f1, true)};
}
