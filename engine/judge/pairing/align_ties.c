/* align_ties.c: what decides between pairs that are equally similar: score fields that match, equal items, and the
 * items' canonical order. */
#include "base/hash.h"
#include "judge/pairing/align_parts.h"

/* Pairs that tie with one of the same row or column -----------------------------------------------------------------
 */

static uint64_t tie_hash(const ee_pair *pair, bool by_column) {
  double similarity = pair->similarity + 0.0; /* -0 is 0 */
  uint64_t bits;
  memcpy(&bits, &similarity, sizeof bits);
  return ee_hash_mix(ee_hash_mix(bits) ^ ((uint64_t)pair->matches << 32 | (by_column ? pair->column : pair->row)));
}

static bool ties(const ee_pair *a, const ee_pair *b, bool by_column) {
  if (by_column ? a->column != b->column : a->row != b->row) return false;
  return a->similarity == b->similarity && a->matches == b->matches;
}

static bool mark_ties_by(const ee_pair *pairs, size_t count, bool by_column, uint32_t *slots, size_t slot_count,
                         bool *tied) {
  bool any = false;
  memset(slots, 0xff, slot_count * sizeof *slots);
  for (size_t i = 0; i < count; i++) {
    size_t at = (size_t)tie_hash(&pairs[i], by_column) & (slot_count - 1);
    while (slots[at] != UINT32_MAX && !ties(&pairs[slots[at]], &pairs[i], by_column)) at = (at + 1) & (slot_count - 1);
    if (slots[at] == UINT32_MAX) {
      slots[at] = (uint32_t)i;
      continue;
    }
    tied[slots[at]] = true;
    tied[i] = true;
    any = true;
  }
  return any;
}

bool ee_align_mark_ties(const ee_pair *pairs, size_t count, bool *tied, ee_arena *arena) {
  size_t slot_count = 16;
  while (slot_count < count * 2) slot_count *= 2;
  uint32_t *slots = ee_arena_alloc(arena, slot_count * sizeof *slots);
  memset(tied, 0, count * sizeof *tied);
  bool any = mark_ties_by(pairs, count, false, slots, slot_count, tied);
  return mark_ties_by(pairs, count, true, slots, slot_count, tied) || any;
}

/* The second key of a pair, and half of the third. */
static uint32_t count_matches(const ee_aligner *aligner, const ee_pair *pair) {
  const ee_value *expected = aligner->expected->items[pair->row];
  const ee_value *candidate = aligner->candidate->items[pair->column];
  uint32_t matches = 0;
  for (size_t k = 0; k < aligner->field_count; k++) {
    const ee_item_field *item = &aligner->fields[k];
    if (!aligner->conditions[k].judged) continue;
    ee_script_place place = ee_field_place(item->field, expected, candidate);
    ee_field_outcome outcome;
    ee_field_judge_when(item->field, &aligner->conditions[k], (ee_field_rules){EE_TN_SCORE, EE_UNEXPECTED_FAIL},
                        aligner->context, ee_item_cell(aligner->expected, pair->row, item->expected_column),
                        ee_item_cell(aligner->candidate, pair->column, item->candidate_column), &place, &outcome);
    if (ee_outcome_matched(&outcome)) matches++;
  }
  expected = ee_item_filled(aligner->expected, pair->row);
  candidate = ee_item_filled(aligner->candidate, pair->column);
  bool equal = ee_value_hash(expected) == ee_value_hash(candidate) && ee_value_equal(expected, candidate);
  return matches * 2 + (equal ? 1 : 0);
}

void ee_align_count_matches(const ee_aligner *aligner, ee_pair *pairs, size_t count, const bool *tied) {
  for (size_t i = 0; i < count; i++) {
    if (tied[i]) pairs[i].matches = count_matches(aligner, &pairs[i]);
  }
}

/* Canonical order ---------------------------------------------------------------------------------------------------
 */

/* Sorts `rows` by their items, by merging; `space` has as much room. */
static void sort_rows(const ee_value *const *items, uint32_t *rows, uint32_t *space, size_t count, ee_arena *arena) {
  if (count < 2) return;
  size_t half = count / 2;
  sort_rows(items, rows, space, half, arena);
  sort_rows(items, rows + half, space, count - half, arena);
  memcpy(space, rows, half * sizeof *rows);
  size_t left = 0, right = half, out = 0;
  while (left < half && right < count) {
    bool take_left = ee_value_compare(items[space[left]], items[rows[right]], arena) <= 0;
    rows[out++] = take_left ? space[left++] : rows[right++];
  }
  while (left < half) rows[out++] = space[left++];
}

size_t ee_align_order_rows(const ee_item_table *table, const bool *wanted, uint32_t **order, ee_arena *arena) {
  uint32_t *rows = ee_arena_alloc(arena, table->rows * sizeof *rows);
  uint32_t *space = ee_arena_alloc(arena, table->rows * sizeof *space);
  size_t count = 0;
  for (uint32_t i = 0; i < table->rows; i++) {
    if (!wanted[i]) continue;
    ee_item_filled(table, i);
    rows[count++] = i;
  }
  sort_rows(table->filled, rows, space, count, arena);
  *order = rows;
  return count;
}
