/* align_optimal.c: the pairing of largest total similarity.
 *
 * The items stand in canonical order before the solver, so that it cannot see in which order they came. Where several
 * pairings have the largest total it takes any, and that must not be one that crosses two items of the same text which
 * differ in all else. So greedy pairs the items too: both pairings together fall apart into chains and rings in which
 * they take turns, and in each of them the pairs of greedy are taken where their total is as large. */
#include "judge/pairing/align_parts.h"

#include <float.h>

#include "prim/sort.h"

/* What a similarity may be off by: a sum and a quotient, rounded. */
#define ROUNDING 0x1p-50

/* Some seconds of the solver's time. Sparse tables need far less; a dense one needs as much only if it is made for it.
 */
#define STEP_LIMIT ((uint64_t)1 << 32)

/* Order -------------------------------------------------------------------------------------------------------------
 */

/* The items of one side that stand in several possible pairs, in canonical order. */
typedef struct item_order {
  uint32_t *rows;    /* by place */
  uint32_t *places;  /* by row; only of those items */
  uint32_t *classes; /* by place: the place of the first item that equals this one */
  size_t count;
} item_order;

static item_order order_side(const ee_item_table *table, const ee_pair *pairs, size_t count, bool columns,
                             ee_arena *arena) {
  bool *wanted = EE_NEW_ARRAY(arena, bool, table->rows);
  for (size_t i = 0; i < count; i++) wanted[columns ? pairs[i].column : pairs[i].row] = true;
  item_order side;
  side.count = ee_align_order_rows(table, wanted, &side.rows, arena);
  side.places = ee_arena_alloc(arena, table->rows * sizeof *side.places);
  side.classes = ee_arena_alloc(arena, side.count * sizeof *side.classes);
  for (size_t i = 0; i < side.count; i++) {
    side.places[side.rows[i]] = (uint32_t)i;
    bool same = i > 0 && ee_value_compare(table->filled[side.rows[i - 1]], table->filled[side.rows[i]], arena) == 0;
    side.classes[i] = same ? side.classes[i - 1] : (uint32_t)i;
  }
  return side;
}

/* Sorts by row or by column, each below `limit`, by counting; `to` gets the pairs. */
static void count_sort(const ee_pair *from, ee_pair *to, size_t count, bool columns, size_t limit, ee_arena *arena) {
  size_t *next = EE_NEW_ARRAY(arena, size_t, limit + 1);
  for (size_t i = 0; i < count; i++) next[(columns ? from[i].column : from[i].row) + 1]++;
  for (size_t i = 0; i < limit; i++) next[i + 1] += next[i];
  for (size_t i = 0; i < count; i++) to[next[columns ? from[i].column : from[i].row]++] = from[i];
}

/* From table rows to places, in the order in which the solver wants them. */
static void put_in_order(ee_pair *pairs, size_t count, const item_order *rows, const item_order *columns,
                         ee_arena *arena) {
  for (size_t i = 0; i < count; i++) {
    pairs[i].row = rows->places[pairs[i].row];
    pairs[i].column = columns->places[pairs[i].column];
  }
  ee_arena_mark mark = ee_arena_get_mark(arena);
  ee_pair *other = ee_arena_alloc(arena, count * sizeof *other);
  count_sort(pairs, other, count, true, columns->count, arena);
  count_sort(other, pairs, count, false, rows->count, arena);
  ee_arena_rewind(arena, mark);
}

/* Pairings ----------------------------------------------------------------------------------------------------------
 */

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

/* Sets `out` from `pairs` (places; matches: whether the items are equal). Which one of several equal items has which
 * partner is of no meaning, and must not have any: they are dealt out in the order of their partners. */
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

/* Sets `best` to the pairing of largest total among `pairs` (places, in order). False when it takes too many steps. */
static bool solve(ee_pair *pairs, size_t count, const item_order *rows, const item_order *columns, pairing *best,
                  ee_arena *arena) {
  /* A pair without similarity that reaches the threshold, which is 0 then, is still better than none. */
  for (size_t i = 0; i < count; i++) {
    if (!(pairs[i].similarity > 0)) pairs[i].similarity = DBL_MIN;
  }
  size_t taken = ee_optimal_match(pairs, count, rows->count, columns->count, STEP_LIMIT, arena);
  if (taken == SIZE_MAX) return false;
  for (size_t i = 0; i < taken; i++) {
    if (pairs[i].similarity <= DBL_MIN) pairs[i].similarity = 0;
    pairs[i].matches = 0;
  }
  deal_out(pairs, taken, rows, columns, best, arena);
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

/* Chains and rings --------------------------------------------------------------------------------------------------
 */

typedef struct chain_walk {
  const pairing *best, *greedy;
  uint32_t *rows; /* of the chain under way */
  size_t count;
  bool *seen;
} chain_walk;

static void add_row(chain_walk *walk, uint32_t row) {
  if (row == EE_UNPAIRED || walk->seen[row]) return;
  walk->seen[row] = true;
  walk->rows[walk->count++] = row;
}

/* Lists the rows that hang together with `row` by pairs of either pairing. */
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

/* What the best pairing has more than greedy in the chain. */
static double lead(const chain_walk *walk) {
  ee_fixed sum = {0};
  for (size_t i = 0; i < walk->count; i++) {
    uint32_t row = walk->rows[i];
    if (walk->best->column_of[row] != EE_UNPAIRED) ee_fixed_add(&sum, ee_fixed_from(walk->best->similarity[row]));
    if (walk->greedy->column_of[row] != EE_UNPAIRED) ee_fixed_add(&sum, ee_fixed_from(-walk->greedy->similarity[row]));
  }
  return ee_fixed_value(sum);
}

static void take_chain(ee_aligner *aligner, const chain_walk *walk, const pairing *chosen, const item_order *rows,
                       const item_order *columns) {
  for (size_t i = 0; i < walk->count; i++) {
    uint32_t place = walk->rows[i];
    if (chosen->column_of[place] == EE_UNPAIRED) continue;
    uint32_t row = rows->rows[place];
    ee_align_take(aligner, row, columns->rows[chosen->column_of[place]], chosen->similarity[place]);
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
    bool as_good = lead(&walk) <= (double)walk.count * ROUNDING;
    take_chain(aligner, &walk, as_good ? greedy : best, rows, columns);
  }
}

bool ee_align_resolve_optimal(ee_aligner *aligner, const ee_aligner *greedy, ee_pair *pairs, size_t count) {
  ee_arena *arena = aligner->context->arena;
  count = ee_align_take_single(aligner, pairs, count);
  if (count == 0) return true;
  item_order rows = order_side(aligner->expected, pairs, count, false, arena);
  item_order columns = order_side(aligner->candidate, pairs, count, true, arena);
  pairing best, other;
  put_in_order(pairs, count, &rows, &columns, arena);
  if (!solve(pairs, count, &rows, &columns, &best, arena)) return false;
  read_greedy(greedy, &rows, &columns, &other, arena);
  take_best(aligner, &best, &other, &rows, &columns, arena);
  return true;
}
