/* gold_match.c: which gold spans an answer found.
 *
 * Spans are sorted by class and start. A binary search in the running maximum of their ends finds the first that can
 * overlap another, so spans that are apart or of different classes cost nothing. Spans on top of each other can make
 * very many pairs, so there are limits. */
#include "judge/extraction/gold_match.h"

#include "base/work.h"
#include "prim/assign.h"
#include "prim/sort.h"

/* Limits of the search for the largest pairing: steps, and possible pairs. Beyond either, pairs are taken greedily,
 * which finds at least half as many. */
#define STEP_LIMIT ((uint64_t)20000000)
#define PAIR_LIMIT ((size_t)1000000)
/* Pairs to look at, for each of the two searches. */
#define LOOK_LIMIT ((size_t)20000000)

/* A span with its class, in the unit of the gold spans. */
typedef struct span {
  ee_str extraction_class, quote;
  uint64_t start, end;
  size_t number; /* index in its list before sorting */
} span;

/* Spans sorted by class, then by start. */
typedef struct span_list {
  span *items;
  size_t count;
  uint64_t *reach; /* the largest end in the class up to here */
} span_list;

typedef enum found_how { FOUND_PARTIAL, FOUND_OVERLAPPING } found_how;

static int compare_spans(const span *x, const span *y) {
  int order = ee_str_compare(x->extraction_class, y->extraction_class);
  if (order != 0) return order;
  if (x->start != y->start) return x->start < y->start ? -1 : 1;
  if (x->end != y->end) return x->end < y->end ? -1 : 1;
  return ee_str_compare(x->quote, y->quote);
}

static bool spans_before(const span *a, const span *b) { return compare_spans(a, b) < 0; }
EE_DEFINE_SORT(sort_spans, span, spans_before)

static bool begins_class(const span_list *list, size_t at) {
  return at == 0 || !ee_str_equal(list->items[at - 1].extraction_class, list->items[at].extraction_class);
}

static void sort_list(span_list *list, ee_arena *arena) {
  sort_spans(list->items, list->count, arena);
  list->reach = ee_arena_alloc(arena, list->count * sizeof *list->reach);
  uint64_t reach = 0;
  for (size_t i = 0; i < list->count; i++) {
    if (begins_class(list, i) || list->items[i].end > reach) reach = list->items[i].end;
    list->reach[i] = reach;
  }
}

/* The spans of one class in a list: [from, to). */
typedef struct range {
  size_t from, to;
} range;

/* Moves to the next class that both lists have; ranges begin as {0, 0}. False at the end. */
static bool next_class(const span_list *gold, const span_list *found, range *of_gold, range *of_found) {
  size_t i = of_gold->to, k = of_found->to;
  while (i < gold->count && k < found->count) {
    int order = ee_str_compare(gold->items[i].extraction_class, found->items[k].extraction_class);
    *of_gold = (range){i, i};
    *of_found = (range){k, k};
    if (order <= 0) do
        i++;
      while (i < gold->count && !begins_class(gold, i));
    if (order >= 0) do
        k++;
      while (k < found->count && !begins_class(found, k));
    of_gold->to = i;
    of_found->to = k;
    if (order == 0) return true;
  }
  return false;
}

/* The first span of the class that may end at or after `start`. */
static size_t first_reaching(const span_list *list, range within, uint64_t start) {
  while (within.from < within.to) {
    size_t middle = within.from + (within.to - within.from) / 2;
    if (list->reach[middle] < start)
      within.from = middle + 1;
    else
      within.to = middle;
  }
  return within.from;
}

/* Whether the spans share a unit; an empty span has none. */
static bool overlap(const span *a, const span *b) {
  uint64_t start = a->start > b->start ? a->start : b->start;
  return start < a->end && start < b->end;
}

/* Both spans are of one class. */
static bool is_found(const span *gold, const span *found, found_how how) {
  if (!overlap(gold, found)) return compare_spans(gold, found) == 0; /* empty spans share nothing, and may be equal */
  if (how == FOUND_OVERLAPPING) return true;
  return (gold->start <= found->start && found->end <= gold->end) ||
         (found->start <= gold->start && gold->end <= found->end);
}

/* Reading ------------------------------------------------------------------------------------- */

/* The extractions whose offsets are in range, converted to the gold spans' unit. An extraction that cuts a character
 * cannot equal a gold span in another unit, and is left out. */
static span_list read_extractions(ee_extraction_document *document, ee_text_unit unit, const ee_extraction_list *list,
                                  ee_arena *arena) {
  span_list spans = {.items = EE_NEW_ARRAY(arena, span, list->count + 1)};
  for (size_t i = 0; i < list->count; i++) {
    const ee_extraction *item = &list->items[i];
    if (item->extraction_class.data == NULL || item->quote.data == NULL) continue;
    if (item->fault != EE_QUOTE_HOLDS && item->fault != EE_QUOTE_MISMATCH) continue;
    span *s = &spans.items[spans.count];
    *s = (span){item->extraction_class, item->quote, (uint64_t)item->start, (uint64_t)item->end, i};
    if (item->unit != unit) {
      ee_unit_slice slice = ee_unit_index_slice(&document->index[item->unit], s->start, s->end);
      if (slice.cuts_start || slice.cuts_end) continue;
      size_t at = (size_t)(slice.text.data - document->text.data);
      if (!document->built[unit]) ee_unit_index_build(&document->index[unit], arena, document->text, unit);
      document->built[unit] = true;
      s->start = ee_unit_index_of_byte(&document->index[unit], at);
      s->end = ee_unit_index_of_byte(&document->index[unit], at + slice.text.length);
    }
    spans.count++;
  }
  sort_list(&spans, arena);
  return spans;
}

static span_list read_gold(const ee_bench_record *record, ee_arena *arena) {
  span_list spans = {.items = EE_NEW_ARRAY(arena, span, record->gold_count + 1), .count = record->gold_count};
  for (size_t i = 0; i < record->gold_count; i++) {
    const ee_gold_span *g = &record->gold[i];
    spans.items[i] = (span){g->extraction_class, g->quote, g->start, g->end, i};
  }
  sort_list(&spans, arena);
  return spans;
}

/* Matching ------------------------------------------------------------------------------------ */

/* Matches equal spans of both lists, one to one. */
static size_t match_exact(const span_list *gold, const span_list *found, uint32_t *finders, ee_gold_fate *fates) {
  size_t count = 0;
  for (size_t i = 0, k = 0; i < gold->count && k < found->count;) {
    int order = compare_spans(&gold->items[i], &found->items[k]);
    if (order == 0) {
      finders[gold->items[i].number] = (uint32_t)found->items[k].number;
      fates[found->items[k].number] = EE_GOLD_EXACT;
      count++;
    }
    i += order <= 0;
    k += order >= 0;
  }
  return count;
}

/* The largest end, in the class up to here, of gold spans that were not found exactly. */
static const uint64_t *reach_of_missed(const span_list *gold, const uint32_t *finders, ee_arena *arena) {
  uint64_t *reach = ee_arena_alloc(arena, gold->count * sizeof *reach), so_far = 0;
  for (size_t i = 0; i < gold->count; i++) {
    const span *g = &gold->items[i];
    if (begins_class(gold, i)) so_far = 0;
    /* An empty span overlaps nothing. */
    if (finders[g->number] == EE_GOLD_NO_FINDER && g->end > g->start && g->end > so_far) so_far = g->end;
    reach[i] = so_far;
  }
  return reach;
}

/* The index after the last span of the class that begins before `end`. */
static size_t end_of_spans_before(const span_list *list, range within, uint64_t end) {
  while (within.from < within.to) {
    size_t middle = within.from + (within.to - within.from) / 2;
    if (list->items[middle].start < end)
      within.from = middle + 1;
    else
      within.to = middle;
  }
  return within.from;
}

static void mark_near(const span_list *gold, const span_list *found, const uint32_t *finders, ee_gold_fate *fates,
                      ee_arena *arena) {
  const uint64_t *reach = reach_of_missed(gold, finders, arena);
  range of_gold = {0, 0}, of_found = {0, 0};
  while (next_class(gold, found, &of_gold, &of_found)) {
    for (size_t k = of_found.from; k < of_found.to; k++) {
      const span *item = &found->items[k];
      if (fates[item->number] == EE_GOLD_EXACT || item->start == item->end) continue;
      size_t after = end_of_spans_before(gold, of_gold, item->end);
      if (after > of_gold.from && reach[after - 1] > item->start) fates[item->number] = EE_GOLD_NEAR;
    }
  }
}

/* Work: units of a pair that is looked at. */
#define LOOK_WORK 3

/* Lists the possible pairs in `pairs` (NULL: only counts). SIZE_MAX for more than `max`, or too many to look at. */
static size_t list_pairs(const span_list *gold, const span_list *found, found_how how, ee_pair *pairs, size_t max) {
  size_t count = 0, looks = 0;
  range of_gold = {0, 0}, of_found = {0, 0};
  while (next_class(gold, found, &of_gold, &of_found)) {
    for (size_t i = of_gold.from; i < of_gold.to; i++) {
      const span *g = &gold->items[i];
      /* `<=`: an equal empty span begins at the gold span's end. */
      for (size_t k = first_reaching(found, of_found, g->start); k < of_found.to && found->items[k].start <= g->end;
           k++) {
        if (++looks > LOOK_LIMIT) return SIZE_MAX;
        ee_work(LOOK_WORK);
        if (!is_found(g, &found->items[k], how)) continue;
        if (count == max) return SIZE_MAX;
        if (pairs != NULL)
          pairs[count] = (ee_pair){.row = (uint32_t)i,
                                   .column = (uint32_t)k,
                                   .similarity = 1,
                                   .row_rank = (uint32_t)i,
                                   .column_rank = (uint32_t)k};
        count++;
      }
    }
  }
  return count;
}

/* The first free extraction from `at` on. `next[k]` is k if k is free, else a later one; each call shortens these
 * paths. */
static size_t first_free(size_t *next, size_t at) {
  while (next[at] != at) {
    next[at] = next[next[at]];
    at = next[at];
  }
  return at;
}

/* Each gold span takes the first free extraction that matches it, until too many pairs were looked at. */
static size_t match_greedily(const span_list *gold, const span_list *found, found_how how, ee_arena *arena) {
  size_t *next = ee_arena_alloc(arena, (found->count + 1) * sizeof *next);
  for (size_t k = 0; k <= found->count; k++) next[k] = k;
  size_t count = 0, looks = 0;
  range of_gold = {0, 0}, of_found = {0, 0};
  while (next_class(gold, found, &of_gold, &of_found)) {
    for (size_t i = of_gold.from; i < of_gold.to; i++) {
      const span *g = &gold->items[i];
      for (size_t k = first_free(next, first_reaching(found, of_found, g->start));
           k < of_found.to && found->items[k].start <= g->end; k = first_free(next, k + 1)) {
        if (++looks > LOOK_LIMIT) return count;
        ee_work(LOOK_WORK);
        if (!is_found(g, &found->items[k], how)) continue;
        next[k] = k + 1;
        count++;
        break;
      }
    }
  }
  return count;
}

static size_t count_found(const span_list *gold, const span_list *found, found_how how, ee_arena *arena,
                          bool *approximate) {
  ee_arena_mark mark = ee_arena_get_mark(arena);
  size_t count = list_pairs(gold, found, how, NULL, PAIR_LIMIT), taken = SIZE_MAX;
  if (count != SIZE_MAX) {
    ee_pair *pairs = ee_arena_alloc(arena, count * sizeof *pairs);
    list_pairs(gold, found, how, pairs, count);
    taken = ee_optimal_match(pairs, count, gold->count, found->count, STEP_LIMIT, arena);
  }
  if (taken == SIZE_MAX) {
    *approximate = true;
    taken = match_greedily(gold, found, how, arena);
  }
  ee_arena_rewind(arena, mark);
  return taken;
}

ee_gold_result ee_gold_match(const ee_bench_record *record, ee_extraction_document *document,
                             const ee_extraction_list *list, ee_arena *arena) {
  ee_gold_result result = {.gold = record->gold_count, .extractions = list->count};
  span_list found = read_extractions(document, record->unit, list, arena), gold = read_gold(record, arena);
  uint32_t *finders = EE_NEW_ARRAY(arena, uint32_t, record->gold_count + 1);
  for (size_t i = 0; i < record->gold_count; i++) finders[i] = EE_GOLD_NO_FINDER;
  ee_gold_fate *fates = EE_NEW_ARRAY(arena, ee_gold_fate, list->count + 1);
  result.exact = match_exact(&gold, &found, finders, fates);
  mark_near(&gold, &found, finders, fates, arena);
  result.partial = count_found(&gold, &found, FOUND_PARTIAL, arena, &result.approximate);
  result.overlapping = count_found(&gold, &found, FOUND_OVERLAPPING, arena, &result.approximate);
  /* Greedy matching may find fewer than the stricter kinds of match. */
  if (result.partial < result.exact) result.partial = result.exact;
  if (result.overlapping < result.partial) result.overlapping = result.partial;
  result.finders = finders;
  result.fates = fates;
  return result;
}
