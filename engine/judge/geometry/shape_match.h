/* shape_match.h: lists of shapes, and which of them belong together.
 *
 * Everything is made in the case's arena. */
#ifndef EE_JUDGE_GEOMETRY_SHAPE_MATCH_H
#define EE_JUDGE_GEOMETRY_SHAPE_MATCH_H

#include "judge/geometry/shape.h"

typedef enum ee_pairing { EE_PAIRING_INDEX, EE_PAIRING_GREEDY, EE_PAIRING_OPTIMAL } ee_pairing;
#define EE_PAIRINGS "index|greedy|optimal"

typedef struct ee_shape_item {
  const ee_value *value; /* as it stands in the list */
  uint32_t index;        /* its place there */
  uint32_t group;        /* the same for equal labels, on both sides; set by ee_shape_match() */
  const ee_value *label; /* NULL: none */
  const char *trouble;   /* why there is no shape, static or the plan's; NULL: there is one */
  ee_shape shape;
} ee_shape_item;

typedef struct ee_shape_list {
  ee_shape_item *items; /* in the order of the document */
  uint32_t count;
  uint32_t places; /* of the document's list; more than `count` where some are empty */
} ee_shape_list;

/* How pairs are found. */
typedef struct ee_shape_matcher {
  const ee_shape_rule *rule;
  ee_pairing pairing;
  bool labelled;     /* only items of equal labels belong together */
  bool count_first;  /* optimal: as many pairs as can be, and of those the largest total; else the largest total */
  double threshold;  /* > 0; greedy and optimal: pairs below it are none */
  size_t max_pairs;  /* optimal: with more possible pairs greedy stands in */
  size_t pair_limit; /* EE_PAIRS_LIMIT, but for tests: with more nothing is paired */
  size_t look_limit; /* EE_SHAPE_LOOK_LIMIT, but for tests: the same */
  uint64_t steps;    /* EE_SHAPE_STEPS, but for tests: the same when overlaps of polygons take more */
} ee_shape_matcher;

/* Pairs of a case that are looked at, whether they are possible or not: some seconds' worth. */
#define EE_SHAPE_LOOK_LIMIT ((size_t)1 << 29)

#define EE_NO_PARTNER UINT32_MAX

/* One pair; numbers are places in the two arrays of items. */
typedef struct ee_shape_pair {
  uint32_t expected, candidate;
  double overlap; /* 0..1; 0 by index where one of the two has no shape, or the labels differ */
  double raw;     /* before it was cut off at 0 */
} ee_shape_pair;

typedef struct ee_shape_pairs {
  ee_shape_pair *pairs; /* in the order of the expected items */
  uint32_t count;
  const uint32_t *candidate_of;  /* an expected item's partner, or EE_NO_PARTNER */
  const uint32_t *expected_of;   /* a candidate item's */
  const ee_value *const *labels; /* of the groups, in canonical order; NULL: without one */
  uint32_t group_count;          /* 1 where labels do not matter, 0 without items */
  bool fell_back;                /* greedy stood in for optimal */
  const char *refused; /* why nothing is paired, in the arena or static; NULL: there was no limit in the way */
} ee_shape_pairs;

/* Pairs the items of two lists.
 *
 * index: those of the same place, whatever their overlap. greedy: the best remaining pair first. optimal: the largest
 * total overlap, or with `count_first` the largest number of pairs before that. Both only look at pairs with an overlap
 * that is above 0 and reaches the threshold. Before that the items are put in the order of their labels and then of
 * their canonical JSON (ee_value_compare), so that equally good choices do not depend on the order of the lists. O(n
 * log n + pairs) for boxes that overlap few others, O(n * m) otherwise, and then the costs of ee_greedy_match() or
 * ee_optimal_match(). */
void ee_shape_match(const ee_shape_matcher *matcher, ee_shape_list *expected, ee_shape_list *candidate, ee_arena *arena,
                    ee_shape_pairs *result);

#endif
