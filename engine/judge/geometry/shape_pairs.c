/* shape_pairs.c: pairs the shapes of two lists. */
#include "judge/geometry/shape_pairs.h"

#include <math.h>

#include "base/work.h"
#include "judge/pairing/pairs.h"
#include "prim/number.h"
#include "prim/sort.h"

/* The state of one pairing. A rank is an item's place in canonical order. */
typedef struct matching {
  const ee_shape_pairing *matcher;
  const ee_shape_list *expected, *candidate;
  ee_arena *arena;
  uint32_t *expected_at, *candidate_at; /* by rank: the item */
  ee_pairs pairs;                       /* of ranks */
  size_t looks;                         /* pairs looked at */
  uint64_t steps;                       /* left for overlaps of polygons */
  size_t exceeded;                      /* the limit of pairs that was exceeded, or 0 */
  bool is_too_slow;                     /* the steps were used up */
} matching;

/* Canonical order and groups ------------------------------------------------------------------- */

static uint32_t *rank_items(const matching *m, const ee_shape_list *list, ee_arena *arena) {
  uint32_t *order = ee_arena_alloc(arena, list->count * sizeof *order);
  if (m->matcher->pairing == EE_PAIRING_INDEX && !m->matcher->labelled) {
    for (uint32_t i = 0; i < list->count; i++) order[i] = i;
    return order;
  }
  ee_arena_mark mark = ee_arena_get_mark(arena);
  ee_ranked_item *items = ee_arena_alloc(arena, list->count * sizeof *items);
  for (uint32_t i = 0; i < list->count; i++) {
    items[i] = (ee_ranked_item){.label = list->items[i].label, .value = list->items[i].value, .index = i};
  }
  ee_rank_items(items, list->count, arena);
  for (uint32_t i = 0; i < list->count; i++) order[i] = items[i].index;
  ee_arena_rewind(arena, mark);
  return order;
}

/* Whether `item` has the label `label`; always true if labels do not matter. */
static bool has_label(const matching *m, const ee_shape_item *item, const ee_value *label) {
  return !m->matcher->labelled || ee_value_compare(item->label, label, m->arena) == 0;
}

/* Of the next items of both sides the one with the lower label; the expected one if they are equal. NULL at the end. */
static const ee_shape_item *next_item(const matching *m, uint32_t i, uint32_t k) {
  const ee_shape_item *expected = i < m->expected->count ? &m->expected->items[m->expected_at[i]] : NULL;
  const ee_shape_item *candidate = k < m->candidate->count ? &m->candidate->items[m->candidate_at[k]] : NULL;
  if (expected == NULL || candidate == NULL) return expected != NULL ? expected : candidate;
  return ee_value_compare(expected->label, candidate->label, m->arena) <= 0 ? expected : candidate;
}

/* Numbers the labels of both sides in canonical order. */
static void set_groups(matching *m, ee_shape_list *expected, ee_shape_list *candidate, ee_shape_pairs *result) {
  const ee_value **labels = ee_arena_alloc(m->arena, ((size_t)expected->count + candidate->count) * sizeof *labels);
  uint32_t groups = 0, i = 0, k = 0;
  for (const ee_shape_item *next; (next = next_item(m, i, k)) != NULL; groups++) {
    const ee_value *label = labels[groups] = next->label;
    for (; i < expected->count && has_label(m, &expected->items[m->expected_at[i]], label); i++) {
      expected->items[m->expected_at[i]].group = groups;
    }
    for (; k < candidate->count && has_label(m, &candidate->items[m->candidate_at[k]], label); k++) {
      candidate->items[m->candidate_at[k]].group = groups;
    }
  }
  result->labels = labels;
  result->group_count = groups;
}

/* Possible pairs ------------------------------------------------------------------------------- */

/* A candidate item, for finding those that can overlap an expected one. */
typedef struct edge {
  double left;
  double reach; /* the largest right edge of this and all before it */
  uint32_t rank;
} edge;

static bool edge_before(const edge *a, const edge *b) { return a->left < b->left; }

EE_DEFINE_SORT(sort_edges, edge, edge_before)

/* The candidate items of ranks `first` to `end` that have a shape, sorted by their left edges. */
static edge *collect_edges(matching *m, uint32_t first, uint32_t end, size_t *count) {
  edge *edges = ee_arena_alloc(m->arena, (end - first) * sizeof *edges);
  *count = 0;
  for (uint32_t rank = first; rank < end; rank++) {
    const ee_shape_item *item = &m->candidate->items[m->candidate_at[rank]];
    if (item->error == NULL) edges[(*count)++] = (edge){item->shape.box.x1, item->shape.box.x2, rank};
  }
  sort_edges(edges, *count, m->arena);
  for (size_t i = 1; i < *count; i++) edges[i].reach = fmax(edges[i].reach, edges[i - 1].reach);
  return edges;
}

/* The first edge with a reach right of `left`: no item before it can overlap. */
static size_t first_reaching(const edge *edges, size_t count, double left) {
  size_t from = 0, to = count;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    if (edges[middle].reach > left) {
      to = middle;
    } else {
      from = middle + 1;
    }
  }
  return from;
}

static bool meet(ee_box a, ee_box b) { return a.x1 < b.x2 && b.x1 < a.x2 && a.y1 < b.y2 && b.y1 < a.y2; }

static double overlap_of(matching *m, const ee_shape_item *expected, const ee_shape_item *candidate, double *raw) {
  double overlap = ee_shape_overlap(m->matcher->rule, &expected->shape, &candidate->shape, &m->steps, m->arena, raw);
  m->is_too_slow |= isnan(*raw);
  return overlap;
}

/* Work: units of a pair that is looked at, besides what overlaps of polygons take. */
#define PAIR_WORK 10

/* Adds the possible pairs of one expected item; false when a limit is exceeded. */
static bool add_pairs_of(matching *m, uint32_t row, const edge *edges, size_t count) {
  const ee_shape_item *expected = &m->expected->items[m->expected_at[row]];
  if (expected->error != NULL) return true;
  ee_box box = expected->shape.box;
  for (size_t i = first_reaching(edges, count, box.x1); i < count && edges[i].left < box.x2; i++) {
    if (m->looks++ == m->matcher->look_limit) {
      m->exceeded = m->matcher->look_limit;
      return false;
    }
    ee_work(PAIR_WORK);
    const ee_shape_item *candidate = &m->candidate->items[m->candidate_at[edges[i].rank]];
    if (!meet(box, candidate->shape.box)) continue;
    double raw, overlap = overlap_of(m, expected, candidate, &raw);
    if (isnan(raw)) return false;
    if (!(overlap > 0) || !ee_score_reaches(overlap, m->matcher->threshold)) continue;
    if (ee_pairs_add(&m->pairs, row, edges[i].rank, overlap)) continue;
    m->exceeded = m->pairs.limit;
    return false;
  }
  return true;
}

/* The end of the ranks from `first` on that belong to `group`. */
static uint32_t end_of_group(const ee_shape_list *list, const uint32_t *at, uint32_t first, uint32_t group) {
  while (first < list->count && list->items[at[first]].group == group) first++;
  return first;
}

static bool find_pairs(matching *m, uint32_t groups) {
  uint32_t row = 0, column = 0;
  for (uint32_t group = 0; group < groups; group++) {
    uint32_t rows = end_of_group(m->expected, m->expected_at, row, group);
    uint32_t columns = end_of_group(m->candidate, m->candidate_at, column, group);
    if (row < rows && column < columns) {
      size_t count;
      const edge *edges = collect_edges(m, column, columns, &count);
      for (; row < rows; row++) {
        if (!add_pairs_of(m, row, edges, count)) return false;
      }
    }
    row = rows;
    column = columns;
  }
  return true;
}

/* Pairing -------------------------------------------------------------------------------------- */

static void match_best(matching *m, uint32_t *candidate_of, ee_shape_pairs *result) {
  const ee_shape_pairing *matcher = m->matcher;
  m->pairs = (ee_pairs){
      .rows = m->expected->count, .columns = m->candidate->count, .limit = matcher->pair_limit, .arena = m->arena};
  if (!find_pairs(m, result->group_count)) return;
  ee_pairs_method optimal = matcher->count_first ? EE_PAIRS_OPTIMAL_COUNT : EE_PAIRS_OPTIMAL;
  ee_pairs_method method = matcher->pairing == EE_PAIRING_OPTIMAL ? optimal : EE_PAIRS_GREEDY;
  size_t taken = ee_pairs_choose(&m->pairs, method, m->pairs.count <= matcher->max_pairs, &result->fell_back);
  for (size_t i = 0; i < taken; i++) {
    const ee_pair *pair = &m->pairs.items[i];
    candidate_of[m->expected_at[pair->row]] = m->candidate_at[pair->column];
  }
}

/* Both lists are sorted by index. */
static void match_by_index(const matching *m, uint32_t *candidate_of) {
  uint32_t k = 0;
  for (uint32_t i = 0; i < m->expected->count; i++) {
    while (k < m->candidate->count && m->candidate->items[k].index < m->expected->items[i].index) k++;
    if (k < m->candidate->count && m->candidate->items[k].index == m->expected->items[i].index) candidate_of[i] = k;
  }
}

static void fill_pair(matching *m, uint32_t e, uint32_t c, ee_shape_pair *pair) {
  const ee_shape_item *expected = &m->expected->items[e], *candidate = &m->candidate->items[c];
  *pair = (ee_shape_pair){.expected = e, .candidate = c};
  if (expected->error != NULL || candidate->error != NULL || expected->group != candidate->group) return;
  pair->overlap = overlap_of(m, expected, candidate, &pair->raw);
}

/* Fills the result from the partners, until the steps are used up. */
static void fill_pairs(matching *m, const uint32_t *candidate_of, uint32_t *expected_of, ee_shape_pairs *result) {
  m->steps = m->matcher->steps;
  for (uint32_t i = 0; i < m->expected->count && !m->is_too_slow; i++) {
    if (candidate_of[i] == EE_NO_PARTNER) continue;
    expected_of[candidate_of[i]] = i;
    fill_pair(m, i, candidate_of[i], &result->pairs[result->count++]);
  }
}

static uint32_t *no_partners(uint32_t count, ee_arena *arena) {
  uint32_t *partners = ee_arena_alloc(arena, count * sizeof *partners);
  for (uint32_t i = 0; i < count; i++) partners[i] = EE_NO_PARTNER;
  return partners;
}

void ee_shape_pairs_find(const ee_shape_pairing *matcher, ee_shape_list *expected, ee_shape_list *candidate,
                         ee_arena *arena, ee_shape_pairs *result) {
  *result = (ee_shape_pairs){.count = 0};
  uint32_t *candidate_of = no_partners(expected->count, arena), *expected_of = no_partners(candidate->count, arena);
  uint32_t max = expected->count < candidate->count ? expected->count : candidate->count;
  result->pairs = ee_arena_alloc(arena, max * sizeof *result->pairs);
  matching m = {
      .matcher = matcher, .expected = expected, .candidate = candidate, .arena = arena, .steps = matcher->steps};
  m.expected_at = rank_items(&m, expected, arena);
  m.candidate_at = rank_items(&m, candidate, arena);
  set_groups(&m, expected, candidate, result);
  ee_arena_mark mark = ee_arena_get_mark(arena);
  if (matcher->pairing == EE_PAIRING_INDEX) {
    match_by_index(&m, candidate_of);
  } else {
    match_best(&m, candidate_of, result);
  }
  ee_arena_rewind(arena, mark);
  fill_pairs(&m, candidate_of, expected_of, result);
  if (m.is_too_slow) {
    result->error = EE_SHAPE_TOO_MANY_STEPS;
  } else if (m.exceeded > 0) {
    result->error = ee_arena_printf(arena, "too many shapes: more than %zu pairs", m.exceeded);
  }
  if (result->error != NULL) {
    result->count = 0;
    candidate_of = no_partners(expected->count, arena);
    expected_of = no_partners(candidate->count, arena);
  }
  result->candidate_of = candidate_of;
  result->expected_of = expected_of;
}
