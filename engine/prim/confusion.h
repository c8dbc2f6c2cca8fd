/* confusion.h: confusion counts and everything that follows from them.
 *
 * The only place that knows the formulas of precision, recall and F1. */
#ifndef EE_PRIM_CONFUSION_H
#define EE_PRIM_CONFUSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counts of one attribute. A value that is there on both sides and wrong counts in fp, fn and wrong. */
typedef struct ee_counts {
  uint64_t tp, tn, fp, fn;
  uint64_t wrong; /* of fp: a wrong value where one was expected; fp - wrong were invented */
} ee_counts;

/* One compared value's class. */
typedef enum ee_class {
  EE_CLASS_TP,       /* matched */
  EE_CLASS_TN,       /* both empty */
  EE_CLASS_WRONG,    /* both there, not matched: FP and FN */
  EE_CLASS_INVENTED, /* expected empty, candidate not: FP */
  EE_CLASS_MISSING   /* candidate empty, expected not: FN */
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
ee_metric ee_f1(const ee_counts *counts);          /* 2PR / (P + R), undefined when P or R is, or when both are 0 */
ee_metric ee_specificity(const ee_counts *counts); /* tn / (tn + fp) */

/* F1 for ranking, means and gates: an undefined F1 is 0 when fp + fn > 0, else undefined. */
ee_metric ee_f1_ranked(const ee_counts *counts);

/* What a table of attributes adds up to. */
typedef struct ee_averages {
  ee_metric precision, recall, f1;
} ee_averages;

/* Over the pooled counts of all attributes. */
ee_averages ee_micro(const ee_counts *attributes, size_t count);
/* Plain means over attributes; an undefined metric counts 0 when the attribute has fp + fn > 0 and is left out
 * otherwise; undefined when none is left. */
ee_averages ee_macro(const ee_counts *attributes, size_t count);
/* Its F1 alone. */
ee_metric ee_macro_f1(const ee_counts *attributes, size_t count);
/* The same, weighted by support (tp + fn). */
ee_averages ee_weighted(const ee_counts *attributes, size_t count);

#endif
