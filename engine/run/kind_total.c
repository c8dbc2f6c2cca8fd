/* kind_total.c: counts the kinds of errors of an attribute. */
#include "run/kind_total.h"

#include "data/json/json_writer.h"

static ee_str copy(ee_arena *arena, ee_str text) {
  return (ee_str){ee_arena_copy(arena, text.data, text.length), text.length};
}

/* A value as JSON, at most EE_KIND_EXAMPLE_BYTES of it. */
static ee_str copy_value(ee_arena *arena, const ee_value *value, ee_buffer *text) {
  if (value == NULL) return (ee_str){0};
  ee_buffer_clear(text);
  ee_json_write_value(text, value);
  ee_str all = {text->data, text->length};
  if (all.length <= EE_KIND_EXAMPLE_BYTES) return copy(arena, all);
  all.length = ee_utf8_cut(all, EE_KIND_EXAMPLE_BYTES);
  return ee_str_from(ee_arena_printf(arena, "%.*s\xe2\x80\xa6", EE_STR_ARG(all)));
}

void ee_kind_total_add(ee_kind_total **total, ee_arena *arena, ee_error_kind kind, ee_class value_class, ee_str id,
                       const ee_value *expected, const ee_value *candidate, ee_buffer *text) {
  if (*total == NULL) *total = EE_NEW(arena, ee_kind_total);
  (*total)->missing += value_class == EE_CLASS_MISSING;
  (*total)->spurious += value_class == EE_CLASS_INVENTED;
  ee_kind_count *count = &(*total)->kinds[kind];
  if (count->count++ > 0) return;
  count->id = copy(arena, id);
  count->expected = copy_value(arena, expected, text);
  count->candidate = copy_value(arena, candidate, text);
}

void ee_kind_total_merge(ee_kind_total **total, ee_arena *arena, const ee_kind_total *from) {
  if (from == NULL) return;
  if (*total == NULL) *total = EE_NEW(arena, ee_kind_total);
  (*total)->missing += from->missing;
  (*total)->spurious += from->spurious;
  for (int kind = 0; kind < EE_ERROR_KIND_COUNT; kind++) {
    const ee_kind_count *part = &from->kinds[kind];
    ee_kind_count *count = &(*total)->kinds[kind];
    if (count->count == 0 && part->count > 0)
      *count = (ee_kind_count){0, copy(arena, part->id), copy(arena, part->expected), copy(arena, part->candidate)};
    count->count += part->count;
  }
}

static uint64_t rest_of(uint64_t all, uint64_t listed) { return all > listed ? all - listed : 0; }

void ee_kind_total_complete(const ee_kind_total *total, const ee_counts *counts, bool rows, ee_kind_total *all) {
  *all = total != NULL ? *total : (ee_kind_total){0};
  if (!rows) return;
  all->kinds[EE_ERROR_KIND_MISSING_ROW].count += rest_of(counts->fn - counts->wrong, all->missing);
  all->kinds[EE_ERROR_KIND_SPURIOUS_ROW].count += rest_of(counts->fp - counts->wrong, all->spurious);
}

size_t ee_kind_total_rank(const ee_kind_total *total, ee_error_kind kinds[EE_ERROR_KIND_COUNT]) {
  size_t count = 0;
  for (int kind = 0; kind < EE_ERROR_KIND_COUNT && total != NULL; kind++) {
    if (total->kinds[kind].count == 0) continue;
    size_t at = count++;
    for (; at > 0 && total->kinds[kinds[at - 1]].count < total->kinds[kind].count; at--) kinds[at] = kinds[at - 1];
    kinds[at] = (ee_error_kind)kind;
  }
  return count;
}
