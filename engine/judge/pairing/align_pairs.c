/* align_pairs.c: finding the pairs that are similar enough, for the methods that choose among them. */
#include "judge/pairing/align_parts.h"

void ee_pair_list_start(ee_pair_list *list, const ee_aligner *aligner, size_t most) {
  ee_arena *arena = aligner->context->arena;
  *list = (ee_pair_list){.arena = arena, .capacity = most > 1024 ? 1024 : most, .limit = aligner->rule->pair_limit};
  list->items = ee_arena_alloc(arena, list->capacity * sizeof *list->items);
}

bool ee_pair_list_add(ee_pair_list *list, uint32_t row, uint32_t column, double similarity) {
  if (list->count == list->limit) return false;
  if (list->count == list->capacity) {
    list->capacity *= 2;
    ee_pair *larger = ee_arena_alloc(list->arena, list->capacity * sizeof *larger);
    memcpy(larger, list->items, list->count * sizeof *larger);
    list->items = larger;
  }
  list->items[list->count++] = (ee_pair){.row = row, .column = column, .similarity = similarity};
  return true;
}

/* The rows that have no partner yet. */
static size_t unpaired(const uint32_t *partners, uint32_t count, uint32_t *rows) {
  size_t found = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (partners[i] == EE_UNPAIRED) rows[found++] = i;
  }
  return found;
}

/* Lists the pairs at or above the threshold of items without partner. False when there is nothing to choose from: no
 * such items, too many pairs, or answers of a provider that are open, since ties of pairs that will be others are not
 * worth a question. */
static bool find_pairs(ee_aligner *aligner, ee_pair_list *pairs) {
  ee_arena *arena = aligner->context->arena;
  uint32_t *rows = ee_arena_alloc(arena, aligner->expected->rows * sizeof *rows);
  uint32_t *columns = ee_arena_alloc(arena, aligner->candidate->rows * sizeof *columns);
  size_t row_count = unpaired(aligner->candidate_of, aligner->expected->rows, rows);
  size_t column_count = unpaired(aligner->expected_of, aligner->candidate->rows, columns);
  if (row_count == 0 || column_count == 0) return false;
  ee_similarity similarity;
  ee_similarity_start(&similarity, aligner->rule, aligner->context, aligner->expected, rows, row_count,
                      aligner->candidate, columns, column_count);
  ee_pair_list_start(pairs, aligner, row_count * column_count);
  uint64_t open_before = aligner->context->pending_answers;
  for (size_t i = 0; i < row_count; i++) {
    for (size_t j = 0; j < column_count; j++) {
      double value;
      if (!ee_similarity_reaches(&similarity, rows[i], columns[j], &value)) continue;
      if (!ee_pair_list_add(pairs, rows[i], columns[j], value)) {
        aligner->too_many = true;
        return false;
      }
    }
  }
  return aligner->context->pending_answers == open_before;
}

void ee_align_greedy(ee_aligner *aligner) {
  ee_pair_list pairs;
  if (find_pairs(aligner, &pairs)) ee_align_resolve(aligner, pairs.items, pairs.count);
}

static bool fits(const ee_aligner *aligner) {
  return (uint64_t)aligner->expected->rows * aligner->candidate->rows <= aligner->rule->max_pairs;
}

/* The pairs of items that have no partner yet. */
static size_t list_open(const ee_aligner *aligner, const ee_pair_list *pairs, ee_pair *open) {
  size_t count = 0;
  for (size_t i = 0; i < pairs->count; i++) {
    const ee_pair *pair = &pairs->items[i];
    if (aligner->candidate_of[pair->row] != EE_UNPAIRED || aligner->expected_of[pair->column] != EE_UNPAIRED) continue;
    if (open != NULL) open[count] = *pair;
    count++;
  }
  return count;
}

static void fall_back(ee_aligner *optimal, const ee_aligner *greedy) {
  *optimal = *greedy;
  optimal->fell_back = true;
}

bool ee_align_both(ee_aligner *greedy, ee_aligner *optimal) {
  /* Nothing has a larger total than equal items throughout. */
  if (ee_align_is_complete(greedy)) {
    *optimal = *greedy;
    return true;
  }
  if (!fits(greedy)) {
    ee_align_greedy(greedy);
    fall_back(optimal, greedy);
    return false;
  }
  ee_pair_list pairs;
  if (!find_pairs(optimal, &pairs)) {
    greedy->too_many = optimal->too_many;
    return false;
  }
  size_t count = list_open(greedy, &pairs, NULL);
  ee_pair *open = ee_arena_alloc(greedy->context->arena, count * sizeof *open);
  ee_align_resolve(greedy, open, list_open(greedy, &pairs, open));
  if (ee_align_resolve_optimal(optimal, greedy, pairs.items, pairs.count)) return true;
  fall_back(optimal, greedy);
  return false;
}
