/* miss_lines.c: mismatches and misses of a row as lines. */
#include "report/miss_lines.h"

#include <string.h>

#include "data/json/json_writer.h"
#include "prim/number.h"
#include "prim/unicode.h"

/* Bytes of a value and of a miss in a line, and lines in a summary. */
#define VALUE_SHOWN 200
#define MISS_SHOWN 400
#define SUMMARY_LINES 3

static ee_str cut(ee_str text, size_t limit, ee_arena *arena) {
  if (text.length <= limit) return text;
  return ee_str_from(ee_arena_printf(arena, "%.*s\xe2\x80\xa6", (int)ee_utf8_cut(text, limit), text.data));
}

static ee_str value_text(const ee_value *value, ee_arena *arena) {
  if (value == NULL) return EE_STR("nothing");
  ee_buffer text;
  ee_buffer_init(&text);
  ee_json_write_value(&text, value);
  ee_str all = {ee_buffer_terminate(&text), text.length}, copy = cut(all, VALUE_SHOWN, arena);
  if (copy.data == all.data) copy.data = ee_arena_copy(arena, all.data, all.length);
  ee_buffer_fini(&text);
  return copy;
}

static ee_str mismatch_line(const ee_value *mismatch, ee_arena *arena) {
  ee_str path = cut(ee_value_get_text(mismatch, "path", ""), VALUE_SHOWN, arena);
  ee_str reason = cut(ee_value_get_text(mismatch, "reason", ""), MISS_SHOWN, arena);
  ee_str expected = value_text(ee_value_member(mismatch, EE_STR("expected"), NULL), arena);
  ee_str candidate = value_text(ee_value_member(mismatch, EE_STR("candidate"), NULL), arena);
  bool said = reason.length > 0;
  return ee_str_from(ee_arena_printf(arena, "%.*s: expected %.*s, got %.*s%s%.*s%s", EE_STR_ARG(path),
                                     EE_STR_ARG(expected), EE_STR_ARG(candidate), said ? " (" : "", EE_STR_ARG(reason),
                                     said ? ")" : ""));
}

typedef struct filling {
  ee_miss_lines *lines;
  ee_arena *arena;
  ee_str prefix; /* name of the judge; empty: none */
  size_t more;
} filling;

static void add_line(filling *self, ee_str text) {
  if (self->lines->count == EE_MISS_LINES) {
    self->more++;
    return;
  }
  bool named = text.length >= self->prefix.length && memcmp(text.data, self->prefix.data, self->prefix.length) == 0;
  if (self->prefix.length > 0 && !named)
    text = ee_str_from(ee_arena_printf(self->arena, "%.*s: %.*s", EE_STR_ARG(self->prefix), EE_STR_ARG(text)));
  *EE_LIST_ADD(self->lines, self->arena) = ee_text_printable(text, self->arena);
}

static const ee_value *first_of(const ee_value *object, const char *key) {
  const ee_value *list = ee_value_member(object, ee_str_from(key), NULL);
  return ee_type_of(list) == EE_ARRAY ? ee_value_child(list) : NULL;
}

static void add_misses(filling *self, const ee_value *object) {
  for (const ee_value *miss = first_of(object, "misses"); miss != NULL; miss = ee_value_next(miss))
    if (ee_type_of(miss) == EE_STRING) add_line(self, cut(ee_value_text(miss), MISS_SHOWN, self->arena));
}

static void add_judge(filling *self, const ee_stored_judge *judge) {
  const ee_value *details = ee_value_member(judge->entry, EE_STR("details"), NULL);
  const ee_value *mismatch = first_of(details, "mismatches");
  if (mismatch == NULL) add_misses(self, judge->entry);
  for (; mismatch != NULL; mismatch = ee_value_next(mismatch))
    if (ee_type_of(mismatch) == EE_OBJECT) add_line(self, mismatch_line(mismatch, self->arena));
  if (ee_type_of(ee_value_member(details, EE_STR("truncated"), NULL)) == EE_TRUE)
    add_line(self, EE_STR("more, which are not in the results"));
}

void ee_miss_lines_add(const ee_stored_row *row, ee_str judge, ee_arena *arena, ee_miss_lines *lines) {
  filling self = {.lines = lines, .arena = arena};
  size_t before = lines->count;
  for (size_t i = 0; i < row->judge_count; i++) {
    if (judge.data != NULL && !ee_str_equal(row->judges[i].name, judge)) continue;
    self.prefix =
        judge.data == NULL && row->judge_count > 1 ? cut(row->judges[i].name, VALUE_SHOWN, arena) : EE_STR("");
    add_judge(&self, &row->judges[i]);
  }
  self.prefix = EE_STR("");
  /* Rows of other programs may have misses of the case only; so has an error of the score function. */
  if (lines->count == before && judge.data == NULL) add_misses(&self, row->record);
  if (self.more > 0) lines->items[lines->count - 1] = ee_str_from(ee_arena_printf(arena, "%zu more", self.more + 1));
}

ee_str ee_miss_lines_summary(double score, const ee_miss_lines *lines, ee_arena *arena) {
  char number[32];
  ee_double_format_short(score, 3, number);
  const char *text = ee_arena_printf(arena, "score %s", number);
  size_t shown = lines->count < SUMMARY_LINES ? lines->count : SUMMARY_LINES;
  for (size_t i = 0; i < shown; i++)
    text = ee_arena_printf(arena, "%s%s%.*s", text, i == 0 ? ": " : "; ", EE_STR_ARG(lines->items[i]));
  if (shown < lines->count) text = ee_arena_printf(arena, "%s; %zu more", text, lines->count - shown);
  return ee_str_from(text);
}
