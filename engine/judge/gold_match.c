/* gold_match.c: which gold spans an answer found. */
#include <stdlib.h>

#include "judge/extraction.h"
#include "prim/assign.h"

/* Steps of the search for the largest pairing; past it pairs are taken greedily, which finds at least half as many. */
#define STEP_LIMIT ((uint64_t)20000000)

/* A span with its class, in the unit of the gold spans. */
typedef struct span {
  ee_str extraction_class, quote;
  uint64_t start, end;
} span;

typedef enum found_how { FOUND_EXACT, FOUND_PARTIAL, FOUND_OVERLAPPING } found_how;

static int compare_spans(const void *a, const void *b) {
  const span *x = a, *y = b;
  if (x->start != y->start) return x->start < y->start ? -1 : 1;
  if (x->end != y->end) return x->end < y->end ? -1 : 1;
  int order = ee_str_compare(x->extraction_class, y->extraction_class);
  return order != 0 ? order : ee_str_compare(x->quote, y->quote);
}

static bool is_exact(const span *a, const span *b) {
  return a->start == b->start && a->end == b->end && ee_str_equal(a->quote, b->quote);
}

static bool is_found(const span *gold, const span *found, found_how how) {
  if (!ee_str_equal(gold->extraction_class, found->extraction_class)) return false;
  if (is_exact(gold, found)) return true;
  if (how == FOUND_EXACT) return false;
  bool overlap = gold->start < found->end && found->start < gold->end;
  if (how == FOUND_OVERLAPPING || !overlap) return overlap;
  return (gold->start <= found->start && found->end <= gold->end) ||
         (found->start <= gold->start && gold->end <= found->end);
}

/* The extractions that lie in the document, their offsets in the gold spans' unit. One whose offsets cut a character
 * can be no gold span's in another unit, and is left out there. */
static span *read_extractions(ee_extraction_document *document, ee_text_unit unit, const ee_extraction_list *list,
                              ee_arena *arena, size_t *count) {
  span *spans = EE_NEW_ARRAY(arena, span, list->count + 1);
  *count = 0;
  for (size_t i = 0; i < list->count; i++) {
    const ee_extraction *item = &list->items[i];
    if (item->extraction_class.data == NULL || item->quote.data == NULL) continue;
    if (item->fault != EE_QUOTE_HOLDS && item->fault != EE_QUOTE_MISMATCH) continue;
    span *s = &spans[*count];
    *s = (span){item->extraction_class, item->quote, (uint64_t)item->start, (uint64_t)item->end};
    if (item->unit != unit) {
      ee_unit_slice slice = ee_unit_index_slice(&document->index[item->unit], s->start, s->end);
      if (slice.cuts_start || slice.cuts_end) continue;
      size_t at = (size_t)(slice.text.data - document->text.data);
      if (!document->built[unit]) ee_unit_index_build(&document->index[unit], arena, document->text, unit);
      document->built[unit] = true;
      s->start = ee_unit_index_of_byte(&document->index[unit], at);
      s->end = ee_unit_index_of_byte(&document->index[unit], at + slice.text.length);
    }
    ++*count;
  }
  return spans;
}

static size_t list_pairs(const span *gold, size_t gold_count, const span *found, size_t found_count, found_how how,
                         ee_pair *pairs) {
  size_t count = 0;
  for (size_t i = 0; i < gold_count; i++) {
    /* Sorted by start: behind the gold span's end nothing meets it, but for an equal empty one. */
    for (size_t k = 0; k < found_count && found[k].start <= gold[i].end; k++) {
      if (!is_found(&gold[i], &found[k], how)) continue;
      if (pairs != NULL)
        pairs[count] = (ee_pair){.row = (uint32_t)i,
                                 .column = (uint32_t)k,
                                 .similarity = 1,
                                 .row_rank = (uint32_t)i,
                                 .column_rank = (uint32_t)k};
      count++;
    }
  }
  return count;
}

static size_t count_found(const span *gold, size_t gold_count, const span *found, size_t found_count, found_how how,
                          ee_arena *arena) {
  ee_arena_mark mark = ee_arena_get_mark(arena);
  size_t count = list_pairs(gold, gold_count, found, found_count, how, NULL);
  ee_pair *pairs = EE_NEW_ARRAY(arena, ee_pair, count + 1), *again = EE_NEW_ARRAY(arena, ee_pair, count + 1);
  list_pairs(gold, gold_count, found, found_count, how, pairs);
  for (size_t i = 0; i < count; i++) again[i] = pairs[i];
  size_t taken = ee_optimal_match(pairs, count, gold_count, found_count, STEP_LIMIT, arena);
  if (taken == SIZE_MAX) taken = ee_greedy_match(again, count, gold_count, found_count, arena);
  ee_arena_rewind(arena, mark);
  return taken;
}

ee_gold_result ee_gold_match(const ee_bench_record *record, ee_extraction_document *document,
                             const ee_extraction_list *list, ee_arena *arena) {
  ee_gold_result result = {.gold = record->gold_count, .extractions = list->count};
  size_t found_count;
  span *found = read_extractions(document, record->unit, list, arena, &found_count);
  span *gold = EE_NEW_ARRAY(arena, span, record->gold_count + 1);
  for (size_t i = 0; i < record->gold_count; i++) {
    const ee_gold_span *g = &record->gold[i];
    gold[i] = (span){g->extraction_class, g->quote, g->start, g->end};
  }
  if (found_count > 0) qsort(found, found_count, sizeof *found, compare_spans);
  result.exact = count_found(gold, record->gold_count, found, found_count, FOUND_EXACT, arena);
  result.partial = count_found(gold, record->gold_count, found, found_count, FOUND_PARTIAL, arena);
  result.overlapping = count_found(gold, record->gold_count, found, found_count, FOUND_OVERLAPPING, arena);
  return result;
}
