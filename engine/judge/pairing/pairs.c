/* pairs.c: choosing among possible pairs. */
#include "judge/pairing/pairs.h"

#include <math.h>
#include <string.h>

#include "prim/sort.h"

/* Some seconds of the search. Sparse lists need far less; dense ones need as much only if they are made for it. */
#define STEP_LIMIT ((uint64_t)1 << 32)

uint64_t ee_pairs_compile_max(ee_plan_builder *builder, const ee_rule_node *node, const ee_rule_node *table,
                              const char *subject) {
  double max = ee_option_number(table, "max_pairs", EE_PAIRS_DEFAULT_MAX);
  if (!(max >= 1 && max <= EE_PAIRS_HIGHEST_MAX)) return EE_PAIRS_DEFAULT_MAX;
  if (subject != NULL && floor(max) != max)
    ee_compile_error(builder, node, "option 'max_pairs' of %s must be a whole number", subject);
  return (uint64_t)max;
}

/* Each pair gets a bonus above what all others could gain together. */
static size_t choose_count_first(ee_pairs *pairs) {
  ee_arena_mark mark = ee_arena_get_mark(pairs->arena);
  double bonus = (double)(pairs->rows < pairs->columns ? pairs->rows : pairs->columns) + 1;
  ee_pair *raised = ee_arena_alloc(pairs->arena, pairs->count * sizeof *raised);
  for (size_t i = 0; i < pairs->count; i++) {
    raised[i] = pairs->items[i];
    raised[i].similarity += bonus;
    raised[i].matches = (uint32_t)i; /* where the pair is found again */
  }
  size_t taken = ee_optimal_match(raised, pairs->count, pairs->rows, pairs->columns, STEP_LIMIT, pairs->arena);
  if (taken != SIZE_MAX) {
    for (size_t i = 0; i < taken; i++) raised[i] = pairs->items[raised[i].matches];
    if (taken > 0) memcpy(pairs->items, raised, taken * sizeof *raised);
  }
  ee_arena_rewind(pairs->arena, mark);
  return taken;
}

size_t ee_pairs_choose_optimal(ee_pairs *pairs, ee_pairs_method method) {
  if (method == EE_PAIRS_OPTIMAL_COUNT) return choose_count_first(pairs);
  return ee_optimal_match(pairs->items, pairs->count, pairs->rows, pairs->columns, STEP_LIMIT, pairs->arena);
}

size_t ee_pairs_choose(ee_pairs *pairs, ee_pairs_method method, bool allowed, bool *fell_back) {
  *fell_back = false;
  if (method != EE_PAIRS_GREEDY) {
    size_t taken = allowed ? ee_pairs_choose_optimal(pairs, method) : SIZE_MAX;
    if (taken != SIZE_MAX) return taken;
    *fell_back = true;
  }
  return ee_greedy_match(pairs->items, pairs->count, pairs->rows, pairs->columns, pairs->arena);
}

static bool ranks_before(const ee_ranked_item *a, const ee_ranked_item *b) {
  int order = a->label == b->label ? 0 : ee_value_compare(a->label, b->label, a->scratch);
  if (order != 0) return order < 0;
  if (a->members != NULL && b->members != NULL)
    return ee_value_compare_members(a->members, a->member_count, b->members, b->member_count, a->scratch) < 0;
  return ee_value_compare(a->value, b->value, a->scratch) < 0;
}

EE_DEFINE_SORT(sort_ranked, ee_ranked_item, ranks_before)

void ee_rank_items(ee_ranked_item *items, size_t count, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  for (size_t i = 0; i < count; i++) {
    items[i].scratch = scratch;
    items[i].members = NULL;
    if (count > 1 && ee_type_of(items[i].value) == EE_OBJECT)
      items[i].members = ee_value_sorted_members(items[i].value, &items[i].member_count, scratch);
  }
  sort_ranked(items, count, scratch);
  ee_arena_rewind(scratch, mark);
}
