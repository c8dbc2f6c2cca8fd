/* item_report.h: how the items of a case were paired.
 *
 * For the details of a row. Numbers of items are places in their lists. */
#ifndef EE_JUDGE_LINE_ITEMS_ITEM_REPORT_H
#define EE_JUDGE_LINE_ITEMS_ITEM_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One item of one side that reads like two of the other. */
typedef struct ee_item_hint {
  bool merged; /* `whole` is a candidate item and `parts` are expected ones; else (split) the other way round */
  uint32_t whole;
  uint32_t parts[2]; /* in the order in which their texts make the whole one */
} ee_item_hint;

/* An expected item that greedy and optimal pair with different candidate items (EE_NO_ROW: with none). */
typedef struct ee_pairing_difference {
  uint32_t expected, greedy, optimal;
} ee_pairing_difference;

/* The case paired by either method. */
typedef struct ee_methods_compared {
  struct ee_method_outcome {
    double similarity; /* of all pairs, added up */
    double score;      /* of the judge */
  } greedy, optimal;
  double lost; /* what the similarity of greedy is below that of optimal; 0 where they differ in rounding only */
  const ee_pairing_difference *differences;
  size_t difference_count;
} ee_methods_compared;

/* One pair of items. */
typedef struct ee_alignment {
  uint32_t expected, candidate;
  double similarity;
} ee_alignment;

typedef struct ee_item_report {
  const ee_alignment *alignment; /* the pairs, in the order of the expected items */
  size_t alignment_count;
  size_t missing_items, extra_items;
  const ee_methods_compared *methods; /* NULL: not compared */
  const ee_item_hint *hints;
  size_t hint_count; /* at most EE_ITEM_HINT_LIMIT */
  bool hints_cut;    /* there may be more */
} ee_item_report;

#define EE_ITEM_HINT_LIMIT 50

#endif
