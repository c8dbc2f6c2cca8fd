/* span_pairs.c: which expected span belongs to which candidate span. */
#include <string.h>

#include "base/work.h"
#include "judge/pairing/pairs.h"
#include "judge/spans/spans.h"
#include "prim/number.h"
#include "prim/sort.h"

/* A span, in the order of its bounds. */
typedef struct placed_span {
  const ee_span *span;
  uint32_t index; /* in the list */
  bool paired;
  uint64_t furthest; /* the largest end of the spans up to this one */
} placed_span;

static int compare_bounds(const ee_span *a, const ee_span *b) {
  if (a->start != b->start) return a->start < b->start ? -1 : 1;
  if (a->end != b->end) return a->end < b->end ? -1 : 1;
  return 0;
}

/* Texts that have no place are compared as they are. */
static int compare_places(const ee_span *a, const ee_span *b, ee_span_place place) {
  int order = compare_bounds(a, b);
  return order == 0 && place == EE_SPANS_TEXTS ? ee_str_compare(a->text, b->text) : order;
}

bool ee_span_same_bounds(const ee_span *a, const ee_span *b, ee_span_place place) {
  return compare_places(a, b, place) == 0;
}

/* By start, end, text of spans without a place, label, and place in the list. */
static bool texts_before(const placed_span *a, const placed_span *b) {
  int order = compare_places(a->span, b->span, EE_SPANS_TEXTS);
  if (order == 0) order = ee_str_compare(a->span->label, b->span->label);
  return order != 0 ? order < 0 : a->index < b->index;
}
EE_DEFINE_SORT(sort_texts, placed_span, texts_before)

static bool spans_before(const placed_span *a, const placed_span *b) {
  int order = compare_bounds(a->span, b->span);
  if (order == 0) order = ee_str_compare(a->span->label, b->span->label);
  return order != 0 ? order < 0 : a->index < b->index;
}
EE_DEFINE_SORT(sort_spans, placed_span, spans_before)

/* Two lists while they are paired. */
typedef struct pairing {
  const ee_spans *rules;
  ee_span_place place;
  bool same_label;
  ee_arena *arena;
  placed_span *sides[2];
  size_t counts[2];
  ee_span_pairs *pairs;
} pairing;

/* Overlap -------------------------------------------------------------------------------------- */

/* The units that both spans have: of texts without a place those of the shorter one if the longer one has it. */
static uint64_t shared(const ee_span *a, const ee_span *b, ee_span_place place) {
  if (place == EE_SPANS_TEXTS) {
    const ee_span *longer = a->text.length >= b->text.length ? a : b, *shorter = longer == a ? b : a;
    ee_work(longer->text.length / 16 + 1);
    bool within = memmem(longer->text.data, longer->text.length, shorter->text.data, shorter->text.length) != NULL;
    return within ? shorter->end : 0;
  }
  uint64_t start = a->start > b->start ? a->start : b->start, end = a->end < b->end ? a->end : b->end;
  return end > start ? end - start : 0;
}

/* Whether the overlap is large enough; `*share`: of the union. */
static bool overlaps(const pairing *p, const ee_span *expected, const ee_span *candidate, double *share) {
  uint64_t units = shared(expected, candidate, p->place);
  if (units == 0) return false;
  uint64_t length = expected->end - expected->start, both = length + (candidate->end - candidate->start) - units;
  *share = (double)units / (double)both;
  return ee_score_reaches(p->rules->of_union ? *share : (double)units / (double)length, p->rules->overlap);
}

static bool may_pair(const pairing *p, const ee_span *a, const ee_span *b) {
  return !p->same_label || ee_str_equal(a->label, b->label);
}

static void set_pair(pairing *p, placed_span *expected, placed_span *candidate) {
  expected->paired = candidate->paired = true;
  p->pairs->candidate_of[expected->index] = candidate->index;
  p->pairs->expected_of[candidate->index] = expected->index;
}

/* First come ----------------------------------------------------------------------------------- */

static void pair_first(pairing *p) {
  for (size_t c = 0; c < p->counts[EE_CANDIDATE]; c++) {
    placed_span *candidate = &p->sides[EE_CANDIDATE][c];
    for (size_t e = 0; e < p->counts[EE_EXPECTED]; e++) {
      placed_span *expected = &p->sides[EE_EXPECTED][e];
      double share;
      ee_work(2);
      if (expected->paired || !may_pair(p, expected->span, candidate->span) ||
          !overlaps(p, expected->span, candidate->span, &share))
        continue;
      set_pair(p, expected, candidate);
      break;
    }
  }
}

/* Optimal -------------------------------------------------------------------------------------- */

/* Pairs free spans of equal bounds, in their order; with `labels` only those of equal labels. */
static void pair_equal(pairing *p, bool labels) {
  size_t e = 0, c = 0, expected_count = p->counts[EE_EXPECTED], candidate_count = p->counts[EE_CANDIDATE];
  placed_span *expected = p->sides[EE_EXPECTED], *candidate = p->sides[EE_CANDIDATE];
  ee_work(4 * (uint64_t)(expected_count + candidate_count));
  while (e < expected_count && c < candidate_count) {
    if (expected[e].paired || candidate[c].paired) {
      e += expected[e].paired;
      c += c < candidate_count && candidate[c].paired;
      continue;
    }
    int order = compare_places(expected[e].span, candidate[c].span, p->place);
    if (order == 0 && labels) order = ee_str_compare(expected[e].span->label, candidate[c].span->label);
    if (order == 0)
      set_pair(p, &expected[e++], &candidate[c++]);
    else if (order < 0)
      e++;
    else
      c++;
  }
}

/* Adds the possible pairs of a candidate span with expected spans from `first` on. */
static void add_pairs_of(pairing *p, uint32_t c, size_t first, double same, double one, ee_pairs *list) {
  const ee_span *candidate = p->sides[EE_CANDIDATE][c].span;
  for (size_t e = first; e < p->counts[EE_EXPECTED]; e++) {
    const placed_span *expected = &p->sides[EE_EXPECTED][e];
    ee_work(1);
    if (p->place != EE_SPANS_TEXTS && expected->span->start >= candidate->end) return;
    double share;
    if (expected->paired || !may_pair(p, expected->span, candidate) || !overlaps(p, expected->span, candidate, &share))
      continue;
    bool labels = ee_str_equal(expected->span->label, candidate->label);
    if (!ee_pairs_add(list, (uint32_t)e, c, (labels ? same : 0) + one + share)) return;
  }
}

/* The first expected span that may end after `start`. */
static size_t first_after(const pairing *p, uint64_t start) {
  size_t low = 0, high = p->counts[EE_EXPECTED];
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (p->sides[EE_EXPECTED][middle].furthest > start)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* Pairs what overlaps. A pair is worth its share; having a partner is worth more than all shares together, and having
 * one of its label more than all that. */
static void pair_overlapping(pairing *p) {
  size_t rows = p->counts[EE_EXPECTED], columns = p->counts[EE_CANDIDATE];
  double one = (double)(rows < columns ? rows : columns) + 1, same = one * one;
  ee_pairs list = {.rows = rows, .columns = columns, .limit = EE_PAIRS_LIMIT, .arena = p->arena};
  for (size_t c = 0; c < columns; c++) {
    const placed_span *candidate = &p->sides[EE_CANDIDATE][c];
    if (candidate->paired) continue;
    size_t first = p->place == EE_SPANS_TEXTS ? 0 : first_after(p, candidate->span->start);
    add_pairs_of(p, (uint32_t)c, first, same, one, &list);
  }
  if (list.count == 0) return;
  size_t chosen = ee_pairs_choose(&list, EE_PAIRS_OPTIMAL, list.count <= p->rules->max_pairs, &p->pairs->fell_back);
  for (size_t i = 0; i < chosen; i++)
    set_pair(p, &p->sides[EE_EXPECTED][list.items[i].row], &p->sides[EE_CANDIDATE][list.items[i].column]);
}

static void pair_optimally(pairing *p) {
  for (int side = EE_EXPECTED; side <= EE_CANDIDATE; side++)
    (p->place == EE_SPANS_TEXTS ? sort_texts : sort_spans)(p->sides[side], p->counts[side], p->arena);
  uint64_t furthest = 0;
  for (size_t e = 0; e < p->counts[EE_EXPECTED]; e++) {
    placed_span *expected = &p->sides[EE_EXPECTED][e];
    if (expected->span->end > furthest) furthest = expected->span->end;
    expected->furthest = furthest;
  }
  pair_equal(p, true);
  if (!p->same_label) pair_equal(p, false);
  pair_overlapping(p);
}

/* ---------------------------------------------------------------------------------------------- */

/* The usable spans of a list. */
static void take_side(pairing *p, ee_document_side side, const ee_span_list *list) {
  p->sides[side] = EE_NEW_ARRAY(p->arena, placed_span, list->count + 1);
  for (uint32_t i = 0; i < list->count; i++)
    if (list->items[i].fault == NULL)
      p->sides[side][p->counts[side]++] = (placed_span){.span = &list->items[i], .index = i};
}

static uint32_t *no_partners(size_t count, ee_arena *arena) {
  uint32_t *partners = ee_arena_alloc(arena, (count + 1) * sizeof *partners);
  for (size_t i = 0; i < count; i++) partners[i] = EE_NO_ROW;
  return partners;
}

void ee_span_pairs_find(const ee_spans *rules, const ee_span_list *expected, const ee_span_list *candidate,
                        bool same_label, ee_arena *arena, ee_span_pairs *pairs) {
  *pairs = (ee_span_pairs){.candidate_of = no_partners(expected->count, arena),
                           .expected_of = no_partners(candidate->count, arena)};
  pairing p = {.rules = rules, .place = expected->place, .same_label = same_label, .arena = arena, .pairs = pairs};
  take_side(&p, EE_EXPECTED, expected);
  take_side(&p, EE_CANDIDATE, candidate);
  if (rules->pairing == EE_SPANS_FIRST)
    pair_first(&p);
  else
    pair_optimally(&p);
}
