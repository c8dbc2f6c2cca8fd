/* pairs.h: pairing the items of two lists one to one: the possible pairs, the order that decides ties, and the choice.
 *
 * The callers (line items, quality, shapes, ee.set) only say which pairs are possible and how similar they are. */
#ifndef EE_JUDGE_PAIRING_PAIRS_H
#define EE_JUDGE_PAIRING_PAIRS_H

#include "base/list.h"
#include "base/work.h"
#include "data/json/value.h"
#include "judge/compile.h"
#include "prim/assign.h"

/* Possible pairs of one case that are held in memory (--max-pairs): 32 bytes each, the same again for arrays that the
 * last one has outgrown, and the same again for sorting. */
#define EE_PAIRS_LIMIT ee_bound_size(EE_BOUND_PAIRS)

/* The option max_pairs: above it optimal pairing falls back to greedy. */
#define EE_PAIRS_DEFAULT_MAX 4000000
#define EE_PAIRS_HIGHEST_MAX 1e15
/* Its row; the caller says what it counts. */
#define EE_PAIRS_MAX_OPTION(counted, description)                                                                      \
  {                                                                                                                    \
    .name = "max_pairs", .type = EE_OPTION_NUMBER, .default_text = "4000000", .unit = counted, .help = description,    \
    .min = 1, .max = EE_PAIRS_HIGHEST_MAX                                                                              \
  }

/* The option gate: what optimal pairing maximises. */
#define EE_PAIRS_GATE_OPTION(total)                                                                                    \
  {                                                                                                                    \
    .name = "gate", .type = EE_OPTION_CHOICE, .default_text = "\"total\"",                                             \
    .help = "What optimal pairing maximises: " total ", or first the number of pairs and then their total.",           \
    .choices = "total|count"                                                                                           \
  }

/* The value of max_pairs in `table`; the default where it is missing or out of range, which ee_options_check() reports.
 * A fraction is an error at `node`, worded for `subject`; with subject NULL it is cut off. */
uint64_t ee_pairs_compile_max(ee_plan_builder *builder, const ee_rule_node *node, const ee_rule_node *table,
                              const char *subject);

/* The possible pairs of `rows` and `columns` items. */
typedef struct ee_pairs {
  EE_LIST(ee_pair);
  size_t rows, columns;
  size_t limit;    /* EE_PAIRS_LIMIT, except in tests */
  ee_arena *arena; /* of the list, and scratch of the choice */
} ee_pairs;

/* Adds a pair. One too many for --max-pairs gives up the work of the judge or value (ee_work_bound()); false when there
 * are `limit` pairs already and that did not end it. */
static inline bool ee_pairs_add(ee_pairs *pairs, uint32_t row, uint32_t column, double similarity) {
  if (pairs->count == pairs->limit) {
    ee_work_bound(EE_BOUND_PAIRS, pairs->count + 1, "possible pairs");
    return false;
  }
  *EE_LIST_ADD(pairs, pairs->arena) = (ee_pair){.row = row, .column = column, .similarity = similarity};
  return true;
}

typedef enum ee_pairs_method {
  EE_PAIRS_GREEDY,       /* the best remaining pair first (ee_greedy_match) */
  EE_PAIRS_OPTIMAL,      /* the largest total similarity (ee_optimal_match) */
  EE_PAIRS_OPTIMAL_COUNT /* as many pairs as possible, and of those the largest total similarity; similarities <= 1 */
} ee_pairs_method;

/* Moves the pairs of an optimal method to the front and returns their number; SIZE_MAX when the search takes too many
 * steps (some seconds): nothing is chosen then, and the pairs are in another order. */
size_t ee_pairs_choose_optimal(ee_pairs *pairs, ee_pairs_method method);

/* Moves the chosen pairs to the front and returns their number. An optimal method falls back to greedy when the search
 * takes too many steps and when it is not `allowed`, because the lists are above max_pairs; `*fell_back` says so. */
size_t ee_pairs_choose(ee_pairs *pairs, ee_pairs_method method, bool allowed, bool *fell_back);

/* An item and what it is sorted by: choices that are equally good must not depend on the order of the lists. */
typedef struct ee_ranked_item {
  const ee_value *label; /* compared first; NULL: without one */
  const ee_value *value;
  uint32_t index; /* the caller's */
  /* Of the sort: */
  const ee_value *const *members; /* of an object, sorted by key; NULL: another value */
  size_t member_count;
  ee_arena *scratch;
} ee_ranked_item;

/* Sorts by canonical JSON (ee_value_compare); equal items stay in their order. O(n log n) comparisons. */
void ee_rank_items(ee_ranked_item *items, size_t count, ee_arena *scratch);

#endif
