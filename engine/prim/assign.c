/* assign.c: greedy and optimal pairing over a list of possible pairs. */
#include "prim/assign.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/work.h"
#include "prim/sort.h"

/* Greedy ---------------------------------------------------------------------------------------- */

/* A total order, so that the order of the input does not matter. */
static bool is_better(const ee_pair *a, const ee_pair *b) {
  if (a->similarity != b->similarity) return a->similarity > b->similarity;
  if (a->matches != b->matches) return a->matches > b->matches;
  if (a->row_rank != b->row_rank) return a->row_rank < b->row_rank;
  if (a->column_rank != b->column_rank) return a->column_rank < b->column_rank;
  if (a->row != b->row) return a->row < b->row;
  return a->column < b->column;
}

EE_DEFINE_SORT(sort_by_quality, ee_pair, is_better)

size_t ee_greedy_match(ee_pair *pairs, size_t count, size_t rows, size_t columns, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  sort_by_quality(pairs, count, scratch);
  bool *row_taken = EE_NEW_ARRAY(scratch, bool, rows);
  bool *column_taken = EE_NEW_ARRAY(scratch, bool, columns);
  size_t taken = 0, max = rows < columns ? rows : columns;
  for (size_t i = 0; i < count && taken < max; i++) {
    if (row_taken[pairs[i].row] || column_taken[pairs[i].column]) continue;
    row_taken[pairs[i].row] = true;
    column_taken[pairs[i].column] = true;
    pairs[taken++] = pairs[i];
  }
  ee_arena_rewind(scratch, mark);
  return taken;
}

/* The rows and columns of a matrix that are free. */
typedef struct free_cells {
  const double *similarities;
  size_t width; /* of the matrix */
  uint32_t *rows, *columns;
  size_t row_count, column_count;
} free_cells;

/* Numbers above 0 are in the order of their bits; 0 for all others. */
static uint64_t order_of(const free_cells *cells, size_t row, size_t column) {
  double similarity = cells->similarities[cells->rows[row] * cells->width + cells->columns[column]];
  uint64_t bits;
  memcpy(&bits, &similarity, sizeof bits);
  return similarity > 0 ? bits : 0;
}

/* The order below which no free cell is among the best `wanted`; `*above` gets the number of those above it. 0 if all
 * are among the best. Looks at 16 bits of the orders at a time. */
#define DIGIT 16
static uint64_t find_cut(const free_cells *cells, size_t wanted, size_t *above, size_t *counts) {
  uint64_t cut = 0;
  *above = 0;
  for (int shift = 64 - DIGIT; shift >= 0; shift -= DIGIT) {
    uint64_t known = shift + DIGIT == 64 ? 0 : UINT64_MAX << (shift + DIGIT);
    memset(counts, 0, sizeof *counts << DIGIT);
    for (size_t i = 0; i < cells->row_count; i++)
      for (size_t k = 0; k < cells->column_count; k++) {
        uint64_t order = order_of(cells, i, k);
        if (order > 0 && (order & known) == cut) counts[order >> shift & ((1U << DIGIT) - 1)]++;
      }
    uint64_t digit = (uint64_t)1 << DIGIT;
    while (digit > 0 && *above + counts[digit - 1] <= wanted) *above += counts[--digit];
    if (digit == 0) return 0;
    cut |= (digit - 1) << shift;
  }
  return cut;
}

/* Lists the best `wanted` free cells, of equal ones the first. */
static size_t list_best(const free_cells *cells, size_t wanted, size_t *counts, ee_pair *pairs) {
  size_t count = 0, above;
  uint64_t cut = find_cut(cells, wanted, &above, counts);
  size_t equal = wanted - above;
  for (size_t i = 0; i < cells->row_count; i++)
    for (size_t k = 0; k < cells->column_count; k++) {
      uint64_t order = order_of(cells, i, k);
      if (order == 0 || order < cut || (order == cut && equal == 0)) continue;
      if (order == cut) equal--;
      uint32_t row = cells->rows[i], column = cells->columns[k];
      double similarity = cells->similarities[row * cells->width + column];
      pairs[count++] = (ee_pair){row, column, similarity, 0, row, column};
    }
  return count;
}

static size_t keep_free(uint32_t *numbers, size_t count, const uint32_t *partner_of) {
  size_t left = 0;
  for (size_t i = 0; i < count; i++)
    if (partner_of[numbers[i]] == UINT32_MAX) numbers[left++] = numbers[i];
  return left;
}

/* The best pairs are a prefix of all pairs in the order in which greedy takes them, so that what it takes of them it
 * takes of all. */
void ee_greedy_dense(const double *similarities, size_t rows, size_t columns, size_t at_once, uint32_t *column_of,
                     ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  free_cells cells = {
      similarities, columns, EE_NEW_ARRAY(scratch, uint32_t, rows), EE_NEW_ARRAY(scratch, uint32_t, columns),
      rows,         columns};
  uint32_t *row_of = EE_NEW_ARRAY(scratch, uint32_t, columns);
  for (size_t i = 0; i < rows; i++) {
    cells.rows[i] = (uint32_t)i;
    column_of[i] = UINT32_MAX;
  }
  for (size_t i = 0; i < columns; i++) {
    cells.columns[i] = (uint32_t)i;
    row_of[i] = UINT32_MAX;
  }
  size_t *counts = ee_arena_alloc(scratch, sizeof *counts << DIGIT);
  if (at_once > rows * columns) at_once = rows * columns;
  ee_pair *pairs = ee_arena_alloc(scratch, at_once * sizeof *pairs);
  for (size_t listed = at_once; listed == at_once && cells.row_count > 0 && cells.column_count > 0;) {
    ee_work((64 / DIGIT + 1) * cells.row_count * cells.column_count);
    listed = list_best(&cells, at_once, counts, pairs);
    size_t taken = ee_greedy_match(pairs, listed, rows, columns, scratch);
    for (size_t i = 0; i < taken; i++) {
      column_of[pairs[i].row] = pairs[i].column;
      row_of[pairs[i].column] = pairs[i].row;
    }
    cells.row_count = keep_free(cells.rows, cells.row_count, column_of);
    cells.column_count = keep_free(cells.columns, cells.column_count, row_of);
  }
  ee_arena_rewind(scratch, mark);
}

/* Optimal --------------------------------------------------------------------------------------- */

/* A transport problem: row r has row_copies[r] units to send, column c accepts column_copies[c] units. A unit sent over
 * a pair earns the weight of the pair; a unit that is not sent earns nothing. Prices prove that a plan is optimal: if
 * there are row prices u >= 0 and column prices v >= 0 with u[r] + v[c] >= weight for every pair (r, c), with equality
 * where something is sent, u[r] = 0 for a row with unsent units, and v[c] = 0 for a column that could accept more, then
 * no plan earns more (linear programming duality). Rows are added one by one, and these conditions always hold exactly
 * for the rows added so far: weights and prices are whole numbers, so rounding cannot mislead a search.
 *
 * R. Jonker and A. Volgenant, A shortest augmenting path algorithm for dense and sparse linear assignment problems,
 * 1987; with units as in Ford and Fulkerson's transport problem. */

#define NONE UINT32_MAX
#define FAR INT64_MAX

/* Weights and prices are at most this, so that the sum of two prices and a distance stays below 2^63. */
enum { WEIGHT_BITS = 61 };

typedef struct arc {
  uint32_t row, column;
  uint32_t sent;      /* units */
  uint32_t sent_next; /* the next arc with sent units into the same column, or NONE */
  int64_t weight;
} arc;

typedef struct row {
  uint32_t first, end; /* its arcs */
  uint32_t left;       /* units not sent yet */
  uint32_t through;    /* in a search: the arc by which it was reached; NONE at the root */
  int64_t price;
  int64_t distance; /* in a search; else FAR */
} row;

typedef struct column {
  uint32_t left;    /* units it can still accept */
  uint32_t sent;    /* the first arc with sent units into it, or NONE */
  uint32_t through; /* in a search: the arc by which it is reached at `distance` */
  int64_t price;
  int64_t distance; /* in a search; else FAR */
} column;

typedef struct waiting {
  int64_t distance;
  uint32_t column;
} waiting;

typedef struct plan {
  arc *arcs;
  row *rows;
  column *columns;
  waiting *heap;
  size_t heap_count;
  uint32_t *reached_rows, *reached_columns; /* by the current search */
  size_t reached_row_count, reached_column_count;
  uint64_t steps, limit;
} plan;

/* Where a search ends, at `distance`: in a column with free capacity, reached by the arc `last`; or, if `last` is NONE,
 * at `row`, where one unit stays unassigned. */
typedef struct ending {
  int64_t distance;
  uint32_t last, row;
} ending;

/* A total order (except for identical pairs), so that the order of the input does not matter. */
static bool is_before(const ee_pair *a, const ee_pair *b) {
  if (a->row != b->row) return a->row < b->row;
  if (a->column != b->column) return a->column < b->column;
  if (a->similarity != b->similarity) return a->similarity > b->similarity;
  if (a->matches != b->matches) return a->matches > b->matches;
  if (a->row_rank != b->row_rank) return a->row_rank < b->row_rank;
  return a->column_rank < b->column_rank;
}

EE_DEFINE_SORT(sort_by_row, ee_pair, is_before)

/* Callers with millions of pairs often produce them in order. */
static bool is_sorted(const ee_pair *pairs, size_t count) {
  for (size_t i = 1; i < count; i++) {
    if (is_before(&pairs[i], &pairs[i - 1])) return false;
  }
  return true;
}

/* The order of the heap: the nearest column first. */
static bool nearer(waiting a, waiting b) {
  return a.distance != b.distance ? a.distance < b.distance : a.column < b.column;
}

static void heap_push(plan *p, waiting item) {
  size_t at = p->heap_count++;
  for (; at > 0 && nearer(item, p->heap[(at - 1) / 2]); at = (at - 1) / 2) p->heap[at] = p->heap[(at - 1) / 2];
  p->heap[at] = item;
}

static waiting heap_pop(plan *p) {
  waiting top = p->heap[0], item = p->heap[--p->heap_count];
  size_t at = 0;
  for (size_t child = 1; child < p->heap_count; child = 2 * at + 1) {
    if (child + 1 < p->heap_count && nearer(p->heap[child + 1], p->heap[child])) child++;
    if (!nearer(p->heap[child], item)) break;
    p->heap[at] = p->heap[child];
    at = child;
  }
  p->heap[at] = item;
  return top;
}

/* Work: units of a step. */
#define STEP_WORK 1

/* Extends the search from row `r`, reached at `distance`: a unit of it may stay unsent or take any of its arcs. A
 * distance is the loss relative to the prices, so the nearest end is the best plan. */
static void extend(plan *p, uint32_t r, int64_t distance, uint32_t through, ending *best) {
  row *from = &p->rows[r];
  from->distance = distance;
  from->through = through;
  p->reached_rows[p->reached_row_count++] = r;
  if (distance + from->price < best->distance) *best = (ending){distance + from->price, NONE, r};
  p->steps += from->end - from->first + 1;
  ee_work(STEP_WORK * (uint64_t)(from->end - from->first + 1));
  for (uint32_t a = from->first; a < from->end; a++) {
    column *to = &p->columns[p->arcs[a].column];
    int64_t next = distance + from->price + to->price - p->arcs[a].weight;
    if (to->left > 0) {
      /* Pair also if not pairing is equally good. */
      if (next < best->distance || (next == best->distance && best->last == NONE)) *best = (ending){next, a, NONE};
    } else if (next < to->distance && next < best->distance) {
      if (to->distance == FAR) p->reached_columns[p->reached_column_count++] = p->arcs[a].column;
      to->distance = next;
      to->through = a;
      heap_push(p, (waiting){next, p->arcs[a].column});
    }
  }
}

/* The nearest end for a unit of `root`, by Dijkstra's search. From a full column it goes back to the rows that filled
 * it, at no extra distance because their prices add up to the weight. */
static ending search(plan *p, uint32_t root) {
  ending best = {FAR, NONE, root};
  p->heap_count = p->reached_row_count = p->reached_column_count = 0;
  extend(p, root, 0, NONE, &best);
  while (p->heap_count > 0 && p->heap[0].distance < best.distance) {
    waiting next = heap_pop(p);
    if (next.distance > p->columns[next.column].distance) continue; /* a shorter path was found since */
    for (uint32_t a = p->columns[next.column].sent; a != NONE; a = p->arcs[a].sent_next) {
      p->steps++;
      if (p->rows[p->arcs[a].row].distance == FAR) extend(p, p->arcs[a].row, next.distance, a, &best);
    }
  }
  return best;
}

/* Adjusts the prices so that the arcs of the path become tight, and clears the distances. */
static void settle_prices(plan *p, int64_t distance) {
  for (size_t i = 0; i < p->reached_row_count; i++) {
    row *r = &p->rows[p->reached_rows[i]];
    if (r->distance < distance) r->price -= distance - r->distance;
    r->distance = FAR;
  }
  for (size_t i = 0; i < p->reached_column_count; i++) {
    column *c = &p->columns[p->reached_columns[i]];
    if (c->distance < distance) c->price += distance - c->distance;
    c->distance = FAR;
  }
}

static void send_more(plan *p, uint32_t a, uint32_t units) {
  arc *used = &p->arcs[a];
  if (used->sent == 0) {
    used->sent_next = p->columns[used->column].sent;
    p->columns[used->column].sent = a;
  }
  used->sent += units;
}

static void send_less(plan *p, uint32_t a, uint32_t units) {
  arc *used = &p->arcs[a];
  used->sent -= units;
  if (used->sent > 0) return;
  uint32_t *link = &p->columns[used->column].sent;
  while (*link != a) link = &p->arcs[*link].sent_next;
  *link = used->sent_next;
}

/* Walks back from the end of the path to the root; every row on it was reached over an arc that gives up units. With
 * `units` = 0 it returns how many units can be sent, else it sends them. */
static uint32_t walk(plan *p, const ending *end, uint32_t units) {
  uint32_t max = UINT32_MAX, a = end->last, r = end->row;
  if (a != NONE) {
    max = p->columns[p->arcs[a].column].left;
    p->columns[p->arcs[a].column].left -= units;
  }
  for (;;) {
    if (a != NONE) {
      r = p->arcs[a].row;
      if (units > 0) send_more(p, a, units);
    }
    uint32_t given_up = p->rows[r].through;
    if (given_up == NONE) break;
    if (p->arcs[given_up].sent < max) max = p->arcs[given_up].sent;
    if (units > 0) send_less(p, given_up, units);
    a = p->columns[p->arcs[given_up].column].through;
  }
  if (p->rows[r].left < max) max = p->rows[r].left;
  p->rows[r].left -= units;
  return max;
}

/* Adds row `r`; false if the limit of steps is reached. */
static bool add_row(plan *p, uint32_t r) {
  row *root = &p->rows[r];
  p->steps += root->end - root->first;
  for (uint32_t a = root->first; a < root->end; a++) {
    int64_t gain = p->arcs[a].weight - p->columns[p->arcs[a].column].price;
    if (gain > root->price) root->price = gain;
  }
  while (root->left > 0) {
    ending end = search(p, r);
    settle_prices(p, end.distance);
    if (p->limit > 0 && p->steps > p->limit) return false;
    if (end.last == NONE && end.row == r) return true;
    walk(p, &end, walk(p, &end, 0));
  }
  return true;
}

/* Makes the weights: whole numbers proportional to the similarities, the largest in 2^60..2^61. Similarities above 2^-8
 * of the largest keep all of their bits; none becomes 0. */
static void weigh(arc *arcs, const ee_pair *pairs, size_t count) {
  double largest = 0;
  int exponent;
  for (size_t i = 0; i < count; i++) largest = pairs[i].similarity > largest ? pairs[i].similarity : largest;
  (void)frexp(largest, &exponent);
  for (size_t i = 0; i < count; i++) {
    int64_t weight = llround(ldexp(pairs[i].similarity, WEIGHT_BITS - exponent));
    arcs[i] = (arc){pairs[i].row, pairs[i].column, 0, NONE, weight > 0 ? weight : 1};
  }
}

static plan make_plan(const ee_pair *pairs, size_t count, const uint32_t *row_copies, size_t rows,
                      const uint32_t *column_copies, size_t columns, uint64_t limit, ee_arena *scratch) {
  plan p = {.arcs = ee_arena_alloc(scratch, count * sizeof(arc)),
            .rows = ee_arena_alloc(scratch, rows * sizeof(row)),
            .columns = ee_arena_alloc(scratch, columns * sizeof(column)),
            .heap = ee_arena_alloc(scratch, count * sizeof(waiting)), /* a search follows an arc once */
            .reached_rows = ee_arena_alloc(scratch, rows * sizeof(uint32_t)),
            .reached_columns = ee_arena_alloc(scratch, columns * sizeof(uint32_t)),
            .limit = limit};
  weigh(p.arcs, pairs, count);
  size_t at = 0;
  for (size_t r = 0; r < rows; r++) {
    uint32_t first = (uint32_t)at;
    while (at < count && pairs[at].row == r) at++;
    p.rows[r] = (row){first, (uint32_t)at, row_copies != NULL ? row_copies[r] : 1, NONE, 0, FAR};
  }
  for (size_t c = 0; c < columns; c++)
    p.columns[c] = (column){column_copies != NULL ? column_copies[c] : 1, NONE, NONE, 0, FAR};
  return p;
}

size_t ee_optimal_match_copies(ee_pair *pairs, size_t count, const uint32_t *row_copies, size_t rows,
                               const uint32_t *column_copies, size_t columns, uint32_t *times, uint64_t limit,
                               ee_arena *scratch) {
  if (count >= NONE || rows >= NONE || columns >= NONE) return SIZE_MAX;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  if (!is_sorted(pairs, count)) sort_by_row(pairs, count, scratch);
  plan p = make_plan(pairs, count, row_copies, rows, column_copies, columns, limit, scratch);
  size_t taken = 0;
  for (size_t r = 0; r < rows && taken != SIZE_MAX; r++) {
    if (p.rows[r].first < p.rows[r].end && !add_row(&p, (uint32_t)r)) taken = SIZE_MAX;
  }
  for (size_t i = 0; i < count && taken != SIZE_MAX; i++) {
    if (p.arcs[i].sent == 0) continue;
    if (times != NULL) times[taken] = p.arcs[i].sent;
    pairs[taken++] = pairs[i];
  }
  ee_arena_rewind(scratch, mark);
  return taken;
}

size_t ee_optimal_match(ee_pair *pairs, size_t count, size_t rows, size_t columns, uint64_t limit, ee_arena *scratch) {
  return ee_optimal_match_copies(pairs, count, NULL, rows, NULL, columns, NULL, limit, scratch);
}
