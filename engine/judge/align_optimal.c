/* align_optimal.c: the pairing of largest total similarity.
 *
 * The items stand in canonical order before the solver, so that it cannot see in which order they came. Where several
 * pairings have the largest total it takes any, and that must not be one that crosses two items of the same text which
 * differ in all else: so the pairs are weighed once more, with a very little added for each score field that matches,
 * and that choice counts if it is as good as the first. Fields are compared for pairs only that tie with another of the
 * same row or column. */
#include <float.h>

#include "judge/align_parts.h"

/* What one match adds: more than sums of similarities are rounded off by, and so little that all matches of two
 * thousand items outweigh nothing that anybody could see. */
#define MATCH_BONUS 0x1p-44
/* What the similarity of a pair may be off by: a sum and a quotient, rounded. */
#define ROUNDING 0x1p-50

/* Some seconds of the solver's time. Sparse tables need far less; a dense one needs as much only if it is made for it. */
#define STEP_LIMIT ((uint64_t)1 << 32)

/* One side in canonical order. */
typedef struct item_order {
  uint32_t *rows;   /* by place */
  uint32_t *places; /* by row; only of rows in some pair */
  size_t count;
} item_order;

static item_order order_side(const ee_item_table *table, const ee_pair *pairs, size_t count, bool columns, ee_arena *arena) {
  bool *wanted = EE_NEW_ARRAY(arena, bool, table->rows);
  for (size_t i = 0; i < count; i++) wanted[columns ? pairs[i].column : pairs[i].row] = true;
  item_order side;
  side.count = ee_align_order_rows(table, wanted, &side.rows, arena);
  side.places = ee_arena_alloc(arena, table->rows * sizeof *side.places);
  for (size_t i = 0; i < side.count; i++) side.places[side.rows[i]] = (uint32_t)i;
  return side;
}

/* A pairing: numbers of pairs, in the order of the places of their rows. */
typedef struct pairing {
  uint32_t *pairs;
  size_t count;
  ee_fixed total;
} pairing;

/* Chooses among `pairs` with `bonus` added for each match. False when it takes too many steps. */
static bool solve(const ee_pair *pairs, size_t count, const item_order *rows, const item_order *columns, double bonus,
                  ee_arena *arena, pairing *choice) {
  choice->count = 0;
  choice->total = (ee_fixed){0};
  choice->pairs = ee_arena_alloc(arena, rows->count * sizeof *choice->pairs);
  ee_arena_mark mark = ee_arena_get_mark(arena);
  ee_pair *copy = ee_arena_alloc(arena, count * sizeof *copy);
  for (size_t i = 0; i < count; i++) {
    /* A pair without similarity that reaches the threshold, which is 0 then, is still better than none. */
    double weight = pairs[i].similarity + bonus * pairs[i].matches;
    copy[i] = (ee_pair){.row = rows->places[pairs[i].row],
                        .column = columns->places[pairs[i].column],
                        .similarity = weight > 0 ? weight : DBL_MIN,
                        .row_rank = (uint32_t)i};
  }
  size_t taken = ee_optimal_match(copy, count, rows->count, columns->count, STEP_LIMIT, arena);
  for (size_t i = 0; taken != SIZE_MAX && i < taken; i++) {
    choice->pairs[choice->count++] = copy[i].row_rank;
    ee_fixed_add(&choice->total, ee_fixed_from(pairs[copy[i].row_rank].similarity));
  }
  ee_arena_rewind(arena, mark);
  return taken != SIZE_MAX;
}

/* Fills in matches where pairs tie; true when they tell any from others. */
static bool count_matches(const ee_aligner *aligner, ee_pair *pairs, size_t count) {
  ee_arena *arena = aligner->context->arena;
  bool *tied = ee_arena_alloc(arena, count * sizeof *tied);
  if (!ee_align_mark_ties(pairs, count, tied, arena)) return false;
  ee_align_count_matches(aligner, pairs, count, tied);
  for (size_t i = 0; i < count; i++) {
    if (pairs[i].matches > 0) return true;
  }
  return false;
}

static bool is_as_good(const pairing *other, const pairing *best) {
  double lost = ee_fixed_value((ee_fixed){best->total.units - other->total.units});
  return lost <= (double)best->count * ROUNDING;
}

void ee_align_resolve_optimal(ee_aligner *aligner, ee_pair *pairs, size_t count) {
  count = ee_align_take_single(aligner, pairs, count);
  if (count == 0) return;
  ee_arena *arena = aligner->context->arena;
  item_order rows = order_side(aligner->expected, pairs, count, false, arena);
  item_order columns = order_side(aligner->candidate, pairs, count, true, arena);
  pairing best, other;
  if (!solve(pairs, count, &rows, &columns, 0, arena, &best)) {
    aligner->fell_back = true;
    ee_align_resolve(aligner, pairs, count);
    return;
  }
  bool again = count_matches(aligner, pairs, count) &&
               solve(pairs, count, &rows, &columns, MATCH_BONUS, arena, &other) && is_as_good(&other, &best);
  const pairing *chosen = again ? &other : &best;
  for (size_t i = 0; i < chosen->count; i++) {
    const ee_pair *pair = &pairs[chosen->pairs[i]];
    ee_align_take(aligner, pair->row, pair->column, pair->similarity);
  }
}
