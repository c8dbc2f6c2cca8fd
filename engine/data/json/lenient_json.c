/* lenient_json.c: the document in an answer, and what had to be done to read it. */
#include "data/json/lenient_json.h"

#include <string.h>

#include "data/json/json_in_prose.h"
#include "data/json/json_token.h"

const char *ee_repair_name(ee_repair repair) {
  static const char *const names[EE_REPAIR_COUNT] = {"byte_order_mark", "fence", "prose", "trailing_comma"};
  return names[repair];
}

/* A copy of the text without commas that only white space parts from a closing bracket. `removed` gets, for each, the
 * offset in the copy at which it stood. */
typedef struct comma_free {
  ee_str text;
  const size_t *removed;
  size_t count;
} comma_free;

/* Behind the string whose opening quote is at `at`, or the text's end. */
static size_t skip_string(ee_str text, size_t at) {
  for (at++; at < text.length && text.data[at] != '"'; at++)
    if (text.data[at] == '\\') at++;
  return at < text.length ? at + 1 : text.length;
}

static bool is_trailing_comma(ee_str text, size_t at) {
  const char *next = ee_json_skip_space(text.data + at + 1, text.data + text.length);
  return next < text.data + text.length && (*next == ']' || *next == '}');
}

/* Strings are known inside brackets only: a quotation mark in prose opens none. One pass writes, and each run of white
 * space behind a comma is looked at once, since the next comma stands behind it. */
static comma_free take_commas_away(ee_arena *arena, ee_str text) {
  size_t most = 0;
  for (size_t i = 0; i < text.length; i++) most += text.data[i] == ',';
  char *copy = ee_arena_alloc(arena, text.length + 1);
  size_t *removed = ee_arena_alloc(arena, (most + 1) * sizeof *removed);
  size_t length = 0, count = 0, depth = 0;
  for (size_t at = 0; at < text.length;) {
    char c = text.data[at];
    size_t end = at + 1;
    if (c == '[' || c == '{') depth++;
    if ((c == ']' || c == '}') && depth > 0) depth--;
    if (c == '"' && depth > 0) end = skip_string(text, at);
    if (c == ',' && depth > 0 && is_trailing_comma(text, at)) {
      removed[count++] = length;
    } else {
      memcpy(copy + length, text.data + at, end - at);
      length += end - at;
    }
    at = end;
  }
  return (comma_free){{copy, length}, removed, count};
}

static void count_place(ee_repairs *repairs, ee_json_in_prose_place place) {
  if (place == EE_JSON_IN_FENCE) repairs->counts[EE_REPAIR_FENCE] = 1;
  if (place == EE_JSON_IN_PROSE) repairs->counts[EE_REPAIR_PROSE] = 1;
}

/* The document of the text without trailing commas, where it is larger than what was found with them. */
static ee_value *read_without_commas(ee_arena *arena, ee_str text, size_t found, ee_repairs *repairs) {
  comma_free without = take_commas_away(arena, text);
  if (without.count == 0) return NULL;
  ee_json_in_prose_place place;
  ee_str source;
  ee_value *value = ee_json_in_prose_find_in(arena, without.text, &place, &source, NULL);
  if (value == NULL || source.length <= found) return NULL;
  count_place(repairs, place);
  size_t from = (size_t)(source.data - without.text.data), to = from + source.length;
  for (size_t i = 0; i < without.count; i++)
    repairs->counts[EE_REPAIR_TRAILING_COMMA] += without.removed[i] > from && without.removed[i] < to;
  return value;
}

ee_value *ee_lenient_json_read(ee_arena *arena, ee_str text, ee_repairs *repairs, ee_error *error) {
  *repairs = (ee_repairs){{0}};
  bool marked = text.length >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0;
  if (marked) text = (ee_str){text.data + 3, text.length - 3};
  ee_json_in_prose_place place;
  ee_str source = {text.data, 0};
  ee_value *value = ee_json_in_prose_find_in(arena, text, &place, &source, error);
  if (value != NULL && place != EE_JSON_IN_PROSE) {
    count_place(repairs, place);
  } else {
    /* What stands in prose may be a part of something larger that only a comma keeps from being a document. */
    ee_value *larger = read_without_commas(arena, text, value != NULL ? source.length : 0, repairs);
    if (larger == NULL && value != NULL) count_place(repairs, place);
    if (larger != NULL) value = larger;
  }
  repairs->counts[EE_REPAIR_BYTE_ORDER_MARK] = marked && value != NULL;
  return value;
}
