/* confusion.h: confusion counts; precision, recall, F1 and specificity; micro, macro and weighted averages.
 *
 * The only place with these formulas. */
#ifndef EE_PRIM_CONFUSION_H
#define EE_PRIM_CONFUSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counts of one attribute. A value that is present on both sides but does not match counts in fp, fn and wrong. */
typedef struct ee_counts {
  uint64_t tp, tn, fp, fn;
  uint64_t wrong;  /* incorrect values, also counted in fp; fp - wrong are spurious */
  uint64_t unread; /* expected values that the rules cannot read: in no other count, whatever the candidate has there */
  uint64_t unread_candidates; /* candidate values that the rules cannot read; also counted in fp, unless set aside */
} ee_counts;

/* The class of one compared value. */
typedef enum ee_class {
  EE_CLASS_TP,       /* matched */
  EE_CLASS_TN,       /* both empty */
  EE_CLASS_WRONG,    /* incorrect: both present, not matched; FP and FN */
  EE_CLASS_INVENTED, /* spurious: expected empty, candidate not; FP */
  EE_CLASS_MISSING,  /* candidate empty, expected not; FN */
  EE_CLASS_UNREAD    /* the rules cannot read the expected value: neither right nor wrong */
} ee_class;

void ee_counts_add_class(ee_counts *counts, ee_class class_of_value);
void ee_counts_add(ee_counts *counts, const ee_counts *other);

/* A metric that may be undefined (a denominator of 0). */
typedef struct ee_metric {
  bool defined;
  double value; /* 0..1; 0 when undefined */
} ee_metric;

ee_metric ee_precision(const ee_counts *counts);   /* tp / (tp + fp) */
ee_metric ee_recall(const ee_counts *counts);      /* tp / (tp + fn) */
ee_metric ee_f1(const ee_counts *counts);          /* 2 tp / (2 tp + fp + fn): 0 where nothing is right */
ee_metric ee_specificity(const ee_counts *counts); /* tn / (tn + fp) */

/* Of counts whose false positives are split. The share of values that are right, where also nothing is: (tp + tn) / (tp
 * + tn + fp + fn - wrong), as a wrong value is in fp and fn. The share of expected values that have an answer, be it
 * wrong: (tp + wrong) / (tp + fn). The share of places without an expected value where the candidate has one: invented
 * / (tn + invented). */
ee_metric ee_field_accuracy(const ee_counts *counts);
ee_metric ee_answered_rate(const ee_counts *counts);
ee_metric ee_fabrication_rate(const ee_counts *counts);

/* Averages over the attributes of a judge. */
typedef struct ee_averages {
  ee_metric precision, recall, f1;
} ee_averages;

/* Over the pooled counts of all attributes. */
ee_averages ee_micro(const ee_counts *attributes, size_t count);
/* Plain means over attributes. An undefined metric counts 0 if the attribute has fp + fn > 0 and is left out otherwise;
 * the mean is undefined if no attribute remains. */
ee_averages ee_macro(const ee_counts *attributes, size_t count);
/* As ee_macro(), weighted by support (tp + fn); an attribute without support by its fp. */
ee_averages ee_weighted(const ee_counts *attributes, size_t count);

#endif
