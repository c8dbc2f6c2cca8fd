/* kind_total.c: counts the kinds of errors of an attribute. */
#include "run/kind_total.h"

#include "data/json/json_writer.h"

/* Appends a value as JSON, at most EE_KIND_EXAMPLE_BYTES of it; returns how many bytes. */
static size_t add_value(ee_buffer *text, const ee_value *value) {
  size_t from = text->length;
  if (value == NULL) return 0;
  ee_json_write_value(text, value);
  ee_str all = {text->data + from, text->length - from};
  if (all.length > EE_KIND_EXAMPLE_BYTES) {
    text->length = from + ee_utf8_cut(all, EE_KIND_EXAMPLE_BYTES);
    ee_buffer_add_text(text, "\xe2\x80\xa6");
  }
  return text->length - from;
}

void ee_kind_total_add(ee_kind_total **total, ee_arena *arena, ee_error_kind kind, ee_class value_class, ee_str id,
                       const ee_value *expected, const ee_value *candidate, ee_buffer *text) {
  if (*total == NULL) *total = EE_NEW(arena, ee_kind_total);
  (*total)->missing += value_class == EE_CLASS_MISSING;
  (*total)->spurious += value_class == EE_CLASS_INVENTED;
  ee_kind_count *count = &(*total)->kinds[kind];
  count->count++;
  if (!ee_case_example_wants(&count->example, id)) return;
  ee_buffer_clear(text);
  size_t first = add_value(text, expected), second = add_value(text, candidate);
  const char *both = ee_buffer_terminate(text); /* there, also where both values are absent */
  ee_case_example_offer(&count->example, arena, id, (ee_str){both, first}, (ee_str){both + first, second});
}

void ee_kind_total_merge(ee_kind_total **total, ee_arena *arena, const ee_kind_total *from) {
  if (from == NULL) return;
  if (*total == NULL) *total = EE_NEW(arena, ee_kind_total);
  (*total)->missing += from->missing;
  (*total)->spurious += from->spurious;
  for (int kind = 0; kind < EE_ERROR_KIND_COUNT; kind++) {
    (*total)->kinds[kind].count += from->kinds[kind].count;
    ee_case_example_merge(&(*total)->kinds[kind].example, arena, &from->kinds[kind].example);
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

EE_STATE_COVERS(ee_kind_total, 16 + EE_ERROR_KIND_COUNT * (8 + sizeof(ee_case_example)));

void ee_kind_total_state(ee_state_line *line, ee_arena *arena, ee_kind_total **total) {
  bool there = *total != NULL;
  ee_state_flag(line, &there);
  if (!there) return;
  if (ee_state_reading(line)) *total = EE_NEW(arena, ee_kind_total);
  ee_state_begin(line);
  ee_state_count(line, &(*total)->missing);
  ee_state_count(line, &(*total)->spurious);
  for (int kind = 0; kind < EE_ERROR_KIND_COUNT; kind++) {
    ee_state_count(line, &(*total)->kinds[kind].count);
    ee_case_example_state(line, arena, &(*total)->kinds[kind].example);
  }
  ee_state_end(line);
}
