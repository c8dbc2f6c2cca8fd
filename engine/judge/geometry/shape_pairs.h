/* shape_pairs.h: pairs the shapes of two lists.
 *
 * Everything is in the case's arena. */
#ifndef EE_JUDGE_GEOMETRY_SHAPE_PAIRS_H
#define EE_JUDGE_GEOMETRY_SHAPE_PAIRS_H

#include "judge/geometry/shape.h"

typedef enum ee_pairing { EE_PAIRING_INDEX, EE_PAIRING_GREEDY, EE_PAIRING_OPTIMAL } ee_pairing;
#define EE_PAIRINGS "index|greedy|optimal"

typedef struct ee_shape_item {
  const ee_value *value; /* as in the document */
  uint32_t index;        /* in the document's list */
  uint32_t group;        /* equal for equal labels, on both sides; set by ee_shape_pairs_find() */
  const ee_value *label; /* NULL: no label */
  const char *error;     /* why there is no shape, static or in an arena; NULL: `shape` is valid */
  ee_shape shape;
} ee_shape_item;

typedef struct ee_shape_list {
  ee_shape_item *items; /* in the order of the document */
  uint32_t count;
} ee_shape_list;

/* How items are paired. */
typedef struct ee_shape_pairing {
  const ee_shape_rule *rule;
  ee_pairing pairing;
  bool labelled;     /* only items with equal labels are paired */
  bool count_first;  /* optimal: as many pairs as possible, then the largest total; else only the largest total */
  double threshold;  /* > 0; greedy and optimal pair nothing below it */
  size_t max_pairs;  /* optimal: falls back to greedy with more possible pairs */
  size_t pair_limit; /* EE_PAIRS_LIMIT, lower in tests; more possible pairs are an error */
  size_t look_limit; /* EE_SHAPE_LOOK_LIMIT, lower in tests; more pairs to look at are an error */
  uint64_t steps;    /* EE_SHAPE_STEPS, lower in tests; polygons that need more steps are an error */
} ee_shape_pairing;

/* Pairs of a case to look at, possible or not: a few seconds of work. */
#define EE_SHAPE_LOOK_LIMIT ((size_t)1 << 29)

#define EE_NO_PARTNER UINT32_MAX

/* One pair, as indices into the two arrays of items. */
typedef struct ee_shape_pair {
  uint32_t expected, candidate;
  double overlap; /* 0..1; with index 0 where an item has no shape or the labels differ */
  double raw;     /* before negative values became 0 */
} ee_shape_pair;

typedef struct ee_shape_pairs {
  ee_shape_pair *pairs; /* in the order of the expected items */
  uint32_t count;
  const uint32_t *candidate_of;  /* one per expected item: its partner, or EE_NO_PARTNER */
  const uint32_t *expected_of;   /* one per candidate item: the same */
  const ee_value *const *labels; /* one per group, in canonical order; NULL: no label */
  uint32_t group_count;          /* 1 if not `labelled`, 0 without items */
  bool fell_back;                /* greedy was used instead of optimal */
  const char *error; /* which limit was exceeded, so that nothing is paired, static or in the arena; or NULL */
} ee_shape_pairs;

/* Pairs the items of two lists.
 *
 * index: items of equal index, whatever their overlap. greedy: the best remaining pair first. optimal: the largest
 * total overlap, or with `count_first` the largest number of pairs first. greedy and optimal only use pairs with an
 * overlap above 0 that reaches the threshold. Items are first sorted by their labels and their canonical JSON
 * (ee_value_compare), so that ties do not depend on the order of the lists. O(n log n + pairs) for boxes that overlap
 * few others, O(n * m) otherwise, plus the cost of ee_pairs_choose(). */
void ee_shape_pairs_find(const ee_shape_pairing *matcher, ee_shape_list *expected, ee_shape_list *candidate,
                         ee_arena *arena, ee_shape_pairs *result);

#endif
