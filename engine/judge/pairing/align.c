/* align.c: pairing line items by equality, key, index, greedily and optimally.
 *
 * Greedy matching depends only on the order of pairs that share an item. So the second key of that order (score fields
 * that match) is computed only for pairs that tie on the similarity with one that shares an item, and the third (the
 * items' canonical order) only if such a tie is left after the second.
 *
 * Optimal matching gets the items in canonical order, so that it does not depend on the order of the lists. Of several
 * pairings with the largest total it returns any one, which may cross two items of equal text that differ in everything
 * else. So greedy pairs the items too: together both pairings form chains and rings, and in each of these the pairs of
 * greedy are taken if their total is as large. */
#include "judge/pairing/align.h"

#include <float.h>

#include "base/hash_index.h"
#include "base/work.h"
#include "judge/pairing/pairs.h"
#include "judge/plan.h"
#include "prim/sort.h"

/* The error of a similarity: a sum and a quotient, rounded. */
#define ROUNDING 0x1p-50

typedef enum side { EXPECTED, CANDIDATE } side; /* rows and columns of pairs */

static uint32_t pair_end(const ee_pair *pair, side which) { return which == EXPECTED ? pair->row : pair->column; }

static void take(ee_aligner *aligner, uint32_t row, uint32_t column, double similarity) {
  aligner->candidate_of[row] = column;
  aligner->expected_of[column] = row;
  aligner->similarity[row] = similarity;
}

void ee_align_start(ee_aligner *aligner, ee_context *context, const ee_item_table *expected,
                    const ee_item_table *candidate) {
  *aligner = (ee_aligner){.context = context, .expected = expected, .candidate = candidate};
  ee_arena *arena = context->arena;
  aligner->candidate_of = ee_arena_alloc(arena, expected->rows * sizeof *aligner->candidate_of);
  aligner->expected_of = ee_arena_alloc(arena, candidate->rows * sizeof *aligner->expected_of);
  aligner->similarity = ee_arena_alloc(arena, expected->rows * sizeof *aligner->similarity);
  aligner->equal = ee_arena_calloc(arena, expected->rows, sizeof *aligner->equal);
  for (uint32_t i = 0; i < expected->rows; i++) aligner->candidate_of[i] = EE_UNPAIRED;
  for (uint32_t i = 0; i < candidate->rows; i++) aligner->expected_of[i] = EE_UNPAIRED;
}

void ee_align_start_beside(ee_aligner *aligner, const ee_aligner *other) {
  ee_align_start(aligner, other->context, other->expected, other->candidate);
  aligner->rule = other->rule;
  aligner->fields = other->fields;
  aligner->conditions = other->conditions;
  aligner->field_count = other->field_count;
}

bool ee_align_is_complete(const ee_aligner *aligner) {
  uint32_t rows = aligner->expected->rows, columns = aligner->candidate->rows, pairs = 0;
  for (uint32_t i = 0; i < rows; i++) pairs += aligner->candidate_of[i] != EE_UNPAIRED;
  return pairs == (rows < columns ? rows : columns);
}

ee_fixed ee_align_total(const ee_aligner *aligner) {
  ee_fixed total = {0};
  for (uint32_t i = 0; i < aligner->expected->rows; i++) {
    if (aligner->candidate_of[i] != EE_UNPAIRED) ee_fixed_add(&total, ee_fixed_from(aligner->similarity[i]));
  }
  return total;
}

/* Rows by hash ------------------------------------------------------------------------------------ */

/* Rows of one hash form a chain in ascending order, from which rows can be removed. */
typedef struct row_chains {
  ee_hash_index index; /* chains by hash */
  uint32_t *heads;     /* by chain */
  uint32_t *next;      /* by row */
  uint64_t *hashes;    /* by row */
} row_chains;

static void chains_start(row_chains *chains, uint32_t rows, ee_arena *arena) {
  chains->index = (ee_hash_index){.arena = arena};
  chains->heads = ee_arena_alloc(arena, rows * sizeof *chains->heads);
  chains->next = ee_arena_alloc(arena, rows * sizeof *chains->next);
  chains->hashes = ee_arena_alloc(arena, rows * sizeof *chains->hashes);
}

/* The start of the chain of `hash`; NULL if there is none. */
static uint32_t *chain_of(const row_chains *chains, uint64_t hash) {
  size_t at = 0, chain;
  return ee_hash_index_next(&chains->index, hash, &at, &chain) ? &chains->heads[chain] : NULL;
}

/* Rows must come in descending order. */
static void chains_add(row_chains *chains, uint32_t row, uint64_t hash) {
  uint32_t *head = chain_of(chains, hash);
  if (head == NULL) {
    head = &chains->heads[chains->index.count];
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): there is a head for every row
    *head = EE_UNPAIRED;
    ee_hash_index_add(&chains->index, hash, chains->index.count);
  }
  chains->hashes[row] = hash;
  chains->next[row] = *head;
  *head = row;
}

/* Equal items ------------------------------------------------------------------------------------- */

/* Items that are equal are also equal without their empty members, which then need not be removed. */
static bool equal_in_place(const ee_aligner *aligner, uint32_t index) {
  const ee_value *expected = aligner->expected->items[index], *candidate = aligner->candidate->items[index];
  if (ee_items_equal(aligner->expected, expected, candidate)) return true;
  const ee_value *a = ee_item_filled(aligner->expected, index), *b = ee_item_filled(aligner->candidate, index);
  return (a != expected || b != candidate) && ee_items_equal(aligner->expected, a, b);
}

/* Compares items at the same index. True when all items of both lists are equal. */
static bool compare_in_place(const ee_aligner *aligner, bool *same) {
  uint32_t rows = aligner->expected->rows, columns = aligner->candidate->rows;
  bool all = rows == columns;
  for (uint32_t i = 0; i < rows && i < columns; i++) {
    same[i] = equal_in_place(aligner, i);
    all = all && same[i];
  }
  return all;
}

/* Removes the first row whose item equals the candidate item `column`, which has the hash `hash`, from `chains` and
 * returns it; EE_UNPAIRED: not found. `same` holds it for items at the same index (NULL: not known). */
static uint32_t remove_equal(const ee_aligner *aligner, const row_chains *chains, uint32_t column, uint64_t hash,
                             const bool *same) {
  uint32_t *link = chain_of(chains, hash);
  for (; link != NULL && *link != EE_UNPAIRED; link = &chains->next[*link]) {
    uint32_t row = *link;
    bool equal = same != NULL && row == column
                     ? same[row]
                     : ee_items_equal(aligner->expected, ee_item_filled(aligner->expected, row),
                                      ee_item_filled(aligner->candidate, column));
    if (!equal) continue;
    *link = chains->next[row];
    return row;
  }
  return EE_UNPAIRED;
}

static void take_equal(ee_aligner *aligner, uint32_t row, uint32_t column) {
  take(aligner, row, column, 1);
  aligner->equal[row] = true;
}

/* Comparisons of hashes that cost no more than chains of them. */
#define HASHES_COMPARED 256

/* Whether an expected item has the hash `hash`; with `only_same` one that equals the candidate item at its index, which
 * is below `limit`. */
static bool has_hash(const ee_aligner *aligner, uint64_t hash, const bool *same, uint32_t limit, bool only_same) {
  for (uint32_t row = 0; row < aligner->expected->rows; row++)
    if ((!only_same || (row < limit && same[row])) && ee_value_hash(ee_item_filled(aligner->expected, row)) == hash)
      return true;
  return false;
}

/* Whether equal items are all at the same index: no candidate item that differs from the one there equals any expected
 * item, and no such expected item equals one that has its partner. False: not known. */
static bool are_equal_in_place_only(const ee_aligner *aligner, const bool *same) {
  uint32_t rows = aligner->expected->rows, columns = aligner->candidate->rows;
  uint32_t both = rows < columns ? rows : columns, different = 0;
  for (uint32_t i = 0; i < both; i++) different += !same[i];
  if (((uint64_t)different * 2 + (rows - both) + (columns - both)) * rows > HASHES_COMPARED) return false;
  for (uint32_t row = 0; row < rows; row++) {
    if (row < both && same[row]) continue;
    if (has_hash(aligner, ee_value_hash(ee_item_filled(aligner->expected, row)), same, both, true)) return false;
  }
  for (uint32_t column = 0; column < columns; column++) {
    if (column < both && same[column]) continue;
    if (has_hash(aligner, ee_value_hash(ee_item_filled(aligner->candidate, column)), same, both, false)) return false;
  }
  return true;
}

void ee_align_equal(ee_aligner *aligner) {
  uint32_t rows = aligner->expected->rows, columns = aligner->candidate->rows;
  if (rows == 0 || columns == 0) return;
  ee_arena *arena = aligner->context->arena;
  bool *same = ee_arena_alloc(arena, rows < columns ? rows : columns);
  if (compare_in_place(aligner, same)) {
    for (uint32_t i = 0; i < rows; i++) take_equal(aligner, i, i);
    return;
  }
  if (are_equal_in_place_only(aligner, same)) {
    for (uint32_t i = 0; i < rows && i < columns; i++)
      if (same[i]) take_equal(aligner, i, i);
    return;
  }
  row_chains chains;
  chains_start(&chains, rows, arena);
  for (uint32_t row = rows; row-- > 0;) chains_add(&chains, row, ee_value_hash(ee_item_filled(aligner->expected, row)));
  for (uint32_t column = 0; column < columns; column++) {
    /* Equal values have equal hashes, and those of the expected items have been computed. */
    bool known = column < rows && same[column];
    uint64_t hash = known ? chains.hashes[column] : ee_value_hash(ee_item_filled(aligner->candidate, column));
    uint32_t row = remove_equal(aligner, &chains, column, hash, same);
    if (row != EE_UNPAIRED) take_equal(aligner, row, column);
  }
}

/* Possible pairs ---------------------------------------------------------------------------------- */

/* A list without pairs, of all items. */
static ee_pairs start_pairs(const ee_aligner *aligner) {
  return (ee_pairs){.rows = aligner->expected->rows,
                    .columns = aligner->candidate->rows,
                    .limit = aligner->rule->pair_limit,
                    .arena = aligner->context->arena};
}

/* The rows that have no partner yet. */
static size_t unpaired(const uint32_t *partners, uint32_t count, uint32_t *rows) {
  size_t found = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (partners[i] == EE_UNPAIRED) rows[found++] = i;
  }
  return found;
}

/* Takes the pairs that have similarity 1 while their items have it with no other one: whatever else is possible, greedy
 * takes them before all pairs that share an item with them. (The best total may need other pairs: "aba" is as near to
 * "ab" as to "ba", which have nothing in common with each other.) */
static void take_same(ee_aligner *aligner, ee_similarity *similarity, const uint32_t *rows, size_t row_count,
                      const uint32_t *columns, size_t column_count) {
  ee_arena *arena = aligner->context->arena;
  ee_arena_mark mark = ee_arena_get_mark(arena);
  ee_row_pair *same = ee_arena_alloc(arena, row_count * sizeof *same);
  size_t count = ee_similarity_same(similarity, rows, row_count, columns, column_count, same);
  for (size_t i = 0; i < count; i++) take(aligner, same[i].row, same[i].column, 1);
  ee_arena_rewind(arena, mark);
}

/* Lists the pairs at or above the threshold of items without a partner, with `same_first` after take_same(). False when
 * there is nothing to choose from: no such items, too many pairs, or pending requests to a provider, since the pairs
 * may change with the replies. */
static bool find_pairs(ee_aligner *aligner, ee_pairs *pairs, bool same_first) {
  ee_arena *arena = aligner->context->arena;
  uint32_t *rows = ee_arena_alloc(arena, aligner->expected->rows * sizeof *rows);
  uint32_t *columns = ee_arena_alloc(arena, aligner->candidate->rows * sizeof *columns);
  size_t row_count = unpaired(aligner->candidate_of, aligner->expected->rows, rows);
  size_t column_count = unpaired(aligner->expected_of, aligner->candidate->rows, columns);
  if (row_count == 0 || column_count == 0) return false;
  ee_similarity similarity;
  ee_similarity_start(&similarity, aligner->rule, aligner->context, aligner->expected, rows, row_count,
                      aligner->candidate, columns, column_count);
  if (same_first) {
    take_same(aligner, &similarity, rows, row_count, columns, column_count);
    row_count = unpaired(aligner->candidate_of, aligner->expected->rows, rows);
    column_count = unpaired(aligner->expected_of, aligner->candidate->rows, columns);
    if (row_count == 0 || column_count == 0) return false;
  }
  ee_similarity_prepare(&similarity, rows, row_count, columns, column_count);
  *pairs = start_pairs(aligner);
  uint64_t pending_before = aligner->context->pending_answers;
  uint32_t *open = ee_arena_alloc(arena, column_count * sizeof *open);
  for (size_t i = 0; i < row_count; i++) {
    ee_work(ee_similarity_work(&similarity, rows[i]));
    size_t open_count = ee_similarity_open(&similarity, rows[i], open);
    for (size_t j = 0; j < open_count; j++) {
      double value;
      if (!ee_similarity_reaches(&similarity, rows[i], open[j], &value)) continue;
      if (!ee_pairs_add(pairs, rows[i], open[j], value)) {
        aligner->too_many = true;
        return false;
      }
    }
  }
  return aligner->context->pending_answers == pending_before;
}

/* Greedy ------------------------------------------------------------------------------------------ */

/* Takes the pairs whose row and column are in no other pair: the best choice by any method. Only the others stay in the
 * list. */
static void take_single(ee_aligner *aligner, ee_pairs *pairs) {
  uint32_t *rows = EE_NEW_ARRAY(pairs->arena, uint32_t, pairs->rows);
  uint32_t *columns = EE_NEW_ARRAY(pairs->arena, uint32_t, pairs->columns);
  for (size_t i = 0; i < pairs->count; i++) {
    rows[pairs->items[i].row]++;
    columns[pairs->items[i].column]++;
  }
  size_t rest = 0;
  for (size_t i = 0; i < pairs->count; i++) {
    ee_pair pair = pairs->items[i];
    if (rows[pair.row] == 1 && columns[pair.column] == 1) {
      take(aligner, pair.row, pair.column, pair.similarity);
    } else {
      pairs->items[rest++] = pair;
    }
  }
  pairs->count = rest;
}

/* Canonical order --------------------------------------------------------------------------------- */

/* The items of one side that are in certain pairs, in canonical order; equal items by index, since they can only differ
 * in how an empty member is spelled. */
typedef struct item_order {
  uint32_t *rows;    /* by place */
  uint32_t *places;  /* by row; only of those items */
  uint32_t *classes; /* by place: the place of the first item that equals this one */
  size_t count;
} item_order;

/* Orders the items of the pairs, or only of those that are `tied` (NULL: all). */
static item_order order_items(const ee_item_table *table, const ee_pairs *pairs, const bool *tied, side which) {
  ee_arena *arena = pairs->arena;
  bool *is_in_pair = EE_NEW_ARRAY(arena, bool, table->rows);
  for (size_t i = 0; i < pairs->count; i++) {
    if (tied == NULL || tied[i]) is_in_pair[pair_end(&pairs->items[i], which)] = true;
  }
  ee_ranked_item *items = ee_arena_alloc(arena, table->rows * sizeof *items);
  item_order order = {.count = 0};
  for (uint32_t row = 0; row < table->rows; row++) {
    if (is_in_pair[row]) items[order.count++] = (ee_ranked_item){.value = ee_item_filled(table, row), .index = row};
  }
  ee_rank_items(items, order.count, arena);
  order.rows = ee_arena_alloc(arena, order.count * sizeof *order.rows);
  order.places = ee_arena_alloc(arena, table->rows * sizeof *order.places);
  order.classes = ee_arena_alloc(arena, order.count * sizeof *order.classes);
  for (size_t i = 0; i < order.count; i++) {
    order.rows[i] = items[i].index;
    order.places[items[i].index] = (uint32_t)i;
    bool same = i > 0 && ee_value_equal(items[i - 1].value, items[i].value);
    order.classes[i] = same ? order.classes[i - 1] : (uint32_t)i;
  }
  return order;
}

/* Ties -------------------------------------------------------------------------------------------- */

static uint64_t tie_hash(const ee_pair *pair, side which) {
  double similarity = pair->similarity + 0.0; /* -0 is 0 */
  uint64_t bits;
  memcpy(&bits, &similarity, sizeof bits);
  return ee_hash_mix(ee_hash_mix(bits) ^ ((uint64_t)pair->matches << 32 | pair_end(pair, which)));
}

static bool ties(const ee_pair *a, const ee_pair *b, side which) {
  if (pair_end(a, which) != pair_end(b, which)) return false;
  return a->similarity == b->similarity && a->matches == b->matches;
}

/* Slots of four bytes, since there may be millions of pairs. */
static bool mark_ties_by(const ee_pair *pairs, size_t count, side which, uint32_t *slots, size_t slot_count,
                         bool *tied) {
  bool any = false;
  memset(slots, 0xff, slot_count * sizeof *slots);
  for (size_t i = 0; i < count; i++) {
    size_t at = (size_t)tie_hash(&pairs[i], which) & (slot_count - 1);
    while (slots[at] != UINT32_MAX && !ties(&pairs[slots[at]], &pairs[i], which)) at = (at + 1) & (slot_count - 1);
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

/* Sets `tied` for pairs that share a row or column, the similarity and the matches with another; true if there are any.
 * O(count). */
static bool mark_ties(const ee_pairs *pairs, bool *tied) {
  size_t count = pairs->count;
  size_t slot_count = 16;
  while (slot_count < count * 2) slot_count *= 2;
  uint32_t *slots = ee_arena_alloc(pairs->arena, slot_count * sizeof *slots);
  memset(tied, 0, count * sizeof *tied);
  bool any = mark_ties_by(pairs->items, count, EXPECTED, slots, slot_count, tied);
  return mark_ties_by(pairs->items, count, CANDIDATE, slots, slot_count, tied) || any;
}

/* Score fields with the same value, doubled, and one more for equal items. Fields that are empty in both items say
 * nothing about whether these belong together. */
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
    if (outcome.value_class == EE_CLASS_TP) matches++;
  }
  expected = ee_item_filled(aligner->expected, pair->row);
  candidate = ee_item_filled(aligner->candidate, pair->column);
  bool equal =
      ee_value_hash(expected) == ee_value_hash(candidate) && ee_items_equal(aligner->expected, expected, candidate);
  return matches * 2 + (equal ? 1 : 0);
}

static void set_matches(const ee_aligner *aligner, ee_pairs *pairs, const bool *tied) {
  for (size_t i = 0; i < pairs->count; i++) {
    if (tied[i]) pairs->items[i].matches = count_matches(aligner, &pairs->items[i]);
  }
}

static void set_ranks(const ee_aligner *aligner, ee_pairs *pairs, const bool *tied) {
  item_order rows = order_items(aligner->expected, pairs, tied, EXPECTED);
  item_order columns = order_items(aligner->candidate, pairs, tied, CANDIDATE);
  for (size_t i = 0; i < pairs->count; i++) {
    if (!tied[i]) continue;
    ee_pair *pair = &pairs->items[i];
    pair->row_rank = rows.classes[rows.places[pair->row]];
    pair->column_rank = columns.classes[columns.places[pair->column]];
  }
}

/* Pairs by the best of the possible pairs first. */
static void resolve_greedy(ee_aligner *aligner, ee_pairs *pairs) {
  take_single(aligner, pairs);
  if (pairs->count == 0) return;
  bool *tied = ee_arena_alloc(pairs->arena, pairs->count * sizeof *tied);
  if (mark_ties(pairs, tied)) {
    set_matches(aligner, pairs, tied);
    if (mark_ties(pairs, tied)) set_ranks(aligner, pairs, tied);
  }
  bool fell_back;
  size_t taken = ee_pairs_choose(pairs, EE_PAIRS_GREEDY, true, &fell_back);
  for (size_t i = 0; i < taken; i++) {
    take(aligner, pairs->items[i].row, pairs->items[i].column, pairs->items[i].similarity);
  }
}

static void align_greedy(ee_aligner *aligner) {
  ee_pairs pairs;
  if (find_pairs(aligner, &pairs, true)) resolve_greedy(aligner, &pairs);
}

/* Optimal ----------------------------------------------------------------------------------------- */

/* A counting sort by the items of one side, whose places are below `limit`; `to` gets the pairs. */
static void count_sort(const ee_pair *from, ee_pair *to, size_t count, side which, size_t limit, ee_arena *arena) {
  size_t *next = EE_NEW_ARRAY(arena, size_t, limit + 1);
  for (size_t i = 0; i < count; i++) next[pair_end(&from[i], which) + 1]++;
  for (size_t i = 0; i < limit; i++) next[i + 1] += next[i];
  for (size_t i = 0; i < count; i++) to[next[pair_end(&from[i], which)]++] = from[i];
}

/* From table rows to places, sorted by row and column as the search needs it. */
static void put_in_order(ee_pairs *pairs, const item_order *rows, const item_order *columns) {
  for (size_t i = 0; i < pairs->count; i++) {
    pairs->items[i].row = rows->places[pairs->items[i].row];
    pairs->items[i].column = columns->places[pairs->items[i].column];
  }
  pairs->rows = rows->count;
  pairs->columns = columns->count;
  ee_arena_mark mark = ee_arena_get_mark(pairs->arena);
  ee_pair *other = ee_arena_alloc(pairs->arena, pairs->count * sizeof *other);
  count_sort(pairs->items, other, pairs->count, CANDIDATE, columns->count, pairs->arena);
  count_sort(other, pairs->items, pairs->count, EXPECTED, rows->count, pairs->arena);
  ee_arena_rewind(pairs->arena, mark);
}

/* A pairing of the items in order: by place of the row. */
typedef struct pairing {
  uint32_t *column_of, *row_of; /* places, or EE_UNPAIRED */
  double *similarity;
  bool *equal;
} pairing;

static bool pair_before(const ee_pair *a, const ee_pair *b) {
  return a->row_rank != b->row_rank ? a->row_rank < b->row_rank : a->column_rank < b->column_rank;
}

EE_DEFINE_SORT(sort_pairs, ee_pair, pair_before)

/* Sets `out` from `pairs` (places; matches: whether the items are equal). Equal items get their partners in the order
 * of these, since it must not matter which of them has which partner. */
static void deal_out(ee_pair *pairs, size_t count, const item_order *rows, const item_order *columns, pairing *out,
                     ee_arena *arena) {
  out->column_of = ee_arena_alloc(arena, rows->count * sizeof *out->column_of);
  out->row_of = ee_arena_alloc(arena, columns->count * sizeof *out->row_of);
  out->similarity = ee_arena_alloc(arena, rows->count * sizeof *out->similarity);
  out->equal = EE_NEW_ARRAY(arena, bool, rows->count);
  memset(out->column_of, 0xff, rows->count * sizeof *out->column_of);
  memset(out->row_of, 0xff, columns->count * sizeof *out->row_of);
  uint32_t *row_taken = EE_NEW_ARRAY(arena, uint32_t, rows->count);
  uint32_t *column_taken = EE_NEW_ARRAY(arena, uint32_t, columns->count);
  for (size_t i = 0; i < count; i++) {
    pairs[i].row_rank = rows->classes[pairs[i].row];
    pairs[i].column_rank = columns->classes[pairs[i].column];
  }
  sort_pairs(pairs, count, arena);
  for (size_t i = 0; i < count; i++) {
    uint32_t row = pairs[i].row_rank + row_taken[pairs[i].row_rank]++;
    uint32_t column = pairs[i].column_rank + column_taken[pairs[i].column_rank]++;
    out->column_of[row] = column;
    out->row_of[column] = row;
    out->similarity[row] = pairs[i].similarity;
    out->equal[row] = pairs[i].matches != 0;
  }
}

/* Sets `best` to the best pairing among `pairs` (places, in order). False when it takes too many steps. */
static bool solve(ee_pairs *pairs, ee_pairs_method method, const item_order *rows, const item_order *columns,
                  pairing *best) {
  /* A pair of similarity 0 is possible where the threshold is 0, and better than none. */
  for (size_t i = 0; i < pairs->count; i++) {
    if (!(pairs->items[i].similarity > 0)) pairs->items[i].similarity = DBL_MIN;
  }
  size_t taken = ee_pairs_choose_optimal(pairs, method);
  if (taken == SIZE_MAX) return false;
  for (size_t i = 0; i < taken; i++) {
    if (pairs->items[i].similarity <= DBL_MIN) pairs->items[i].similarity = 0;
    pairs->items[i].matches = 0;
  }
  deal_out(pairs->items, taken, rows, columns, best, pairs->arena);
  return true;
}

/* The pairs of greedy among the items in order. */
static void read_greedy(const ee_aligner *greedy, const item_order *rows, const item_order *columns, pairing *out,
                        ee_arena *arena) {
  ee_pair *pairs = ee_arena_alloc(arena, rows->count * sizeof *pairs);
  size_t count = 0;
  for (size_t i = 0; i < rows->count; i++) {
    uint32_t row = rows->rows[i], column = greedy->candidate_of[row];
    if (column == EE_UNPAIRED) continue;
    pairs[count++] = (ee_pair){.row = (uint32_t)i,
                               .column = columns->places[column],
                               .similarity = greedy->similarity[row],
                               .matches = greedy->equal[row]};
  }
  deal_out(pairs, count, rows, columns, out, arena);
}

/* Chains and rings -------------------------------------------------------------------------------- */

typedef struct chain_walk {
  const pairing *best, *greedy;
  uint32_t *rows; /* of the current chain */
  size_t count;
  bool *seen;
} chain_walk;

static void add_row(chain_walk *walk, uint32_t row) {
  if (row == EE_UNPAIRED || walk->seen[row]) return;
  walk->seen[row] = true;
  walk->rows[walk->count++] = row;
}

/* Lists the rows that are connected with `row` by pairs of both pairings. */
static void walk_chain(chain_walk *walk, uint32_t row) {
  walk->count = 0;
  add_row(walk, row);
  for (size_t i = 0; i < walk->count; i++) {
    const uint32_t columns[] = {walk->best->column_of[walk->rows[i]], walk->greedy->column_of[walk->rows[i]]};
    for (size_t k = 0; k < 2; k++) {
      if (columns[k] == EE_UNPAIRED) continue;
      add_row(walk, walk->best->row_of[columns[k]]);
      add_row(walk, walk->greedy->row_of[columns[k]]);
    }
  }
}

/* By how much the total of the best pairing is above that of greedy in the chain. */
static double lead(const chain_walk *walk) {
  ee_fixed sum = {0};
  for (size_t i = 0; i < walk->count; i++) {
    uint32_t row = walk->rows[i];
    if (walk->best->column_of[row] != EE_UNPAIRED) ee_fixed_add(&sum, ee_fixed_from(walk->best->similarity[row]));
    if (walk->greedy->column_of[row] != EE_UNPAIRED) ee_fixed_add(&sum, ee_fixed_from(-walk->greedy->similarity[row]));
  }
  return ee_fixed_value(sum);
}

/* How many pairs more the best pairing has in the chain than greedy. */
static int64_t more_pairs(const chain_walk *walk) {
  int64_t more = 0;
  for (size_t i = 0; i < walk->count; i++) {
    uint32_t row = walk->rows[i];
    more += (walk->best->column_of[row] != EE_UNPAIRED) - (walk->greedy->column_of[row] != EE_UNPAIRED);
  }
  return more;
}

static void take_chain(ee_aligner *aligner, const chain_walk *walk, const pairing *chosen, const item_order *rows,
                       const item_order *columns) {
  for (size_t i = 0; i < walk->count; i++) {
    uint32_t place = walk->rows[i];
    if (chosen->column_of[place] == EE_UNPAIRED) continue;
    uint32_t row = rows->rows[place];
    take(aligner, row, columns->rows[chosen->column_of[place]], chosen->similarity[place]);
    aligner->equal[row] = chosen->equal[place];
  }
}

static void take_best(ee_aligner *aligner, const pairing *best, const pairing *greedy, const item_order *rows,
                      const item_order *columns, ee_arena *arena) {
  chain_walk walk = {.best = best,
                     .greedy = greedy,
                     .rows = ee_arena_alloc(arena, rows->count * sizeof *walk.rows),
                     .seen = EE_NEW_ARRAY(arena, bool, rows->count)};
  for (uint32_t row = 0; row < rows->count; row++) {
    if (walk.seen[row]) continue;
    walk_chain(&walk, row);
    bool greedy_is_as_good = lead(&walk) <= (double)walk.count * ROUNDING;
    if (aligner->rule->count_first) greedy_is_as_good = greedy_is_as_good && more_pairs(&walk) == 0;
    take_chain(aligner, &walk, greedy_is_as_good ? greedy : best, rows, columns);
  }
}

/* Pairs by the largest total similarity of `pairs`, which are changed; `greedy` has its pairs already. False when it
 * takes too many steps. */
static bool resolve_optimal(ee_aligner *aligner, const ee_aligner *greedy, ee_pairs *pairs) {
  ee_arena *arena = pairs->arena;
  take_single(aligner, pairs);
  if (pairs->count == 0) return true;
  item_order rows = order_items(aligner->expected, pairs, NULL, EXPECTED);
  item_order columns = order_items(aligner->candidate, pairs, NULL, CANDIDATE);
  pairing best, other;
  put_in_order(pairs, &rows, &columns);
  ee_pairs_method method = aligner->rule->count_first ? EE_PAIRS_OPTIMAL_COUNT : EE_PAIRS_OPTIMAL;
  if (!solve(pairs, method, &rows, &columns, &best)) return false;
  read_greedy(greedy, &rows, &columns, &other, arena);
  take_best(aligner, &best, &other, &rows, &columns, arena);
  return true;
}

/* The pairs of items that have no partner yet. */
static ee_pairs remaining_pairs(const ee_aligner *aligner, const ee_pairs *all) {
  ee_pairs remaining = start_pairs(aligner);
  for (size_t i = 0; i < all->count; i++) {
    const ee_pair *pair = &all->items[i];
    if (aligner->candidate_of[pair->row] != EE_UNPAIRED || aligner->expected_of[pair->column] != EE_UNPAIRED) continue;
    ee_pairs_add(&remaining, pair->row, pair->column, pair->similarity);
  }
  return remaining;
}

static void fall_back(ee_aligner *optimal, const ee_aligner *greedy) {
  *optimal = *greedy;
  optimal->fell_back = true;
}

bool ee_align_both(ee_aligner *greedy, ee_aligner *optimal) {
  /* Nothing has a larger total than pairs of equal items only. */
  if (ee_align_is_complete(greedy)) {
    *optimal = *greedy;
    return true;
  }
  if ((uint64_t)greedy->expected->rows * greedy->candidate->rows > greedy->rule->max_pairs) {
    align_greedy(greedy);
    fall_back(optimal, greedy);
    return false;
  }
  ee_pairs pairs;
  if (!find_pairs(optimal, &pairs, false)) {
    greedy->too_many = optimal->too_many;
    return false;
  }
  ee_pairs remaining = remaining_pairs(greedy, &pairs);
  resolve_greedy(greedy, &remaining);
  if (resolve_optimal(optimal, greedy, &pairs)) return true;
  fall_back(optimal, greedy);
  return false;
}

/* By key and by index ----------------------------------------------------------------------------- */

/* The key of an item; NULL if it has none. `*failed`: the key function failed. */
static const ee_value *key_of(ee_aligner *aligner, const ee_item_table *table, uint32_t row, bool *failed) {
  const ee_match_rule *rule = aligner->rule;
  ee_context *context = aligner->context;
  const ee_value *key = NULL;
  *failed = false;
  if (rule->key_function == EE_NO_FUNCTION) {
    key = ee_item_cell(table, row, rule->key_column);
  } else {
    ee_error error = {0};
    ee_status status = context->plan->vtable->map(context->script, rule->key_function, table->items[row], &key, &error);
    if (status != EE_OK) {
      ee_context_rule_error(context, &error);
      *failed = true;
      return NULL;
    }
  }
  if (ee_value_is_empty(key, &context->plan->empty)) return NULL;
  return ee_value_without_empty(context->arena, key, &context->plan->empty);
}

/* The keys of one side's items. */
typedef struct item_keys {
  const ee_value **keys; /* NULL: none */
  bool *keyless;         /* there is no key, and not because the key function failed */
  uint32_t keyless_count;
} item_keys;

static item_keys keys_of(ee_aligner *aligner, const ee_item_table *table) {
  ee_arena *arena = aligner->context->arena;
  item_keys found = {.keys = ee_arena_alloc(arena, table->rows * sizeof *found.keys),
                     .keyless = ee_arena_alloc(arena, table->rows * sizeof *found.keyless)};
  for (uint32_t row = 0; row < table->rows; row++) {
    bool failed;
    found.keys[row] = key_of(aligner, table, row, &failed);
    found.keyless[row] = found.keys[row] == NULL && !failed;
    if (found.keyless[row]) found.keyless_count++;
  }
  return found;
}

/* Pairs items without a key with equal items, by index. Their fields are still compared: a strategy may reject equal
 * values. */
static void pair_keyless(ee_aligner *aligner, const item_keys *expected, const item_keys *candidate) {
  if (expected->keyless_count == 0 || candidate->keyless_count == 0) return;
  row_chains chains;
  chains_start(&chains, aligner->expected->rows, aligner->context->arena);
  for (uint32_t row = aligner->expected->rows; row-- > 0;) {
    if (expected->keyless[row]) chains_add(&chains, row, ee_value_hash(ee_item_filled(aligner->expected, row)));
  }
  for (uint32_t column = 0; column < aligner->candidate->rows; column++) {
    if (!candidate->keyless[column]) continue;
    uint64_t hash = ee_value_hash(ee_item_filled(aligner->candidate, column));
    uint32_t row = remove_equal(aligner, &chains, column, hash, NULL);
    if (row != EE_UNPAIRED) take(aligner, row, column, 1);
  }
}

static void align_by_key(ee_aligner *aligner) {
  uint32_t rows = aligner->expected->rows, columns = aligner->candidate->rows;
  if (rows == 0 || columns == 0) return;
  item_keys expected = keys_of(aligner, aligner->expected), candidate = keys_of(aligner, aligner->candidate);
  pair_keyless(aligner, &expected, &candidate);
  row_chains chains;
  chains_start(&chains, rows, aligner->context->arena);
  for (uint32_t row = rows; row-- > 0;) {
    if (expected.keys[row] != NULL) chains_add(&chains, row, ee_value_hash(expected.keys[row]));
  }
  ee_pairs pairs = start_pairs(aligner);
  for (uint32_t column = 0; column < columns; column++) {
    const ee_value *key = candidate.keys[column];
    if (key == NULL) continue;
    uint64_t hash = ee_value_hash(key);
    const uint32_t *head = chain_of(&chains, hash);
    for (uint32_t row = head != NULL ? *head : EE_UNPAIRED; row != EE_UNPAIRED; row = chains.next[row]) {
      if (!ee_items_equal(aligner->expected, expected.keys[row], key)) continue;
      if (!ee_pairs_add(&pairs, row, column, 1)) {
        aligner->too_many = true;
        return;
      }
    }
  }
  resolve_greedy(aligner, &pairs);
}

static void align_by_index(ee_aligner *aligner) {
  uint32_t rows = aligner->expected->rows, columns = aligner->candidate->rows;
  for (uint32_t i = 0; i < rows && i < columns; i++) {
    bool empty = ee_item_is_empty(aligner->expected, i) || ee_item_is_empty(aligner->candidate, i);
    if (!empty) take(aligner, i, i, 1);
  }
}

/* Pairs of equal items that were set before belong to greedy. */
static void align_optimal(ee_aligner *aligner) {
  ee_aligner greedy = *aligner;
  ee_align_start_beside(aligner, &greedy);
  ee_align_both(&greedy, aligner);
}

void ee_align(ee_aligner *aligner) {
  switch (aligner->rule->method) {
  case EE_MATCH_GREEDY: align_greedy(aligner); break;
  case EE_MATCH_OPTIMAL: align_optimal(aligner); break;
  case EE_MATCH_KEY: align_by_key(aligner); break;
  case EE_MATCH_INDEX: align_by_index(aligner); break;
  }
}
