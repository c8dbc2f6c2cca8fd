/* quality_keys.c: the keys of two objects, and which comparison is right for a value. */
#include "judge/quality/quality_judge.h"
#include "prim/date.h"
#include "prim/number.h"

/* Choosing ------------------------------------------------------------------------------------- */

static bool is_number(ee_str text, ee_arena *scratch) {
  static const ee_number_format plain = {.decimal = '.'};
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  double value;
  bool number = ee_number_parse(text, plain, scratch, &value, NULL);
  ee_arena_rewind(scratch, mark);
  return number;
}

static bool is_word(ee_str text, const char *word, size_t length) {
  if (text.length != length) return false;
  for (size_t i = 0; i < length; i++) {
    if ((text.data[i] | 0x20) != word[i]) return false;
  }
  return true;
}

static bool has_space(ee_str text) {
  for (size_t at = 0; at < text.length;) {
    uint32_t code_point;
    size_t bytes = ee_utf8_decode(text.data + at, text.length - at, &code_point);
    if (bytes == 0) return false;
    if (ee_is_space(code_point)) return true;
    at += bytes;
  }
  return false;
}

/* One @ with something before it, a dot behind it that is neither the first nor the last sign there, and no space. */
static bool is_email(ee_str text) {
  const char *at = memchr(text.data, '@', text.length);
  if (at == NULL || at == text.data) return false;
  const char *domain = at + 1, *end = text.data + text.length;
  if (end - domain < 3 || memchr(domain, '@', (size_t)(end - domain)) != NULL) return false;
  return memchr(domain + 1, '.', (size_t)(end - domain) - 2) != NULL && !has_space(text);
}

ee_quality_kind ee_quality_choose(const ee_value *expected, ee_arena *scratch, const char **why) {
  switch (ee_type_of(expected)) {
  case EE_NUMBER: *why = "number"; return EE_QUALITY_EXACT;
  case EE_TRUE:
  case EE_FALSE: *why = "boolean"; return EE_QUALITY_EXACT;
  case EE_ARRAY: *why = "list"; return EE_QUALITY_EXACT;
  case EE_OBJECT: *why = "object"; return EE_QUALITY_EXACT;
  default: break;
  }
  ee_str text = ee_str_trim(ee_value_text(expected));
  *why = "text";
  if (text.length == 0) return EE_QUALITY_SEMANTIC;
  if (is_number(text, scratch)) {
    *why = "number";
  } else if (is_word(text, "true", 4) || is_word(text, "false", 5)) {
    *why = "boolean";
  } else if (ee_date_looks_like(text)) {
    *why = "date";
  } else if (is_email(text)) {
    *why = "email";
  } else {
    return EE_QUALITY_SEMANTIC;
  }
  return EE_QUALITY_EXACT;
}

/* Keys ----------------------------------------------------------------------------------------- */

static void add_key(const ee_quality *quality, bool *found, ee_quality_keys *keys, ee_str key, const ee_value *expected,
                    const ee_value *candidate) {
  ee_quality_key *item = &keys->items[keys->count];
  *item = (ee_quality_key){.path = key, .attribute = key, .expected = expected, .candidate = candidate};
  item->entry = ee_quality_find(quality, key);
  item->slot = (uint32_t)keys->count++;
  if (found != NULL && item->entry != NULL) found[item->entry - quality->entries] = true;
}

/* Both sides mostly list their keys in one order, so that the member of a key is looked for at its place first. */
static const ee_value *partner(const ee_value *object, ee_str key, const ee_value **guess, ee_arena *arena) {
  const ee_value *found = *guess;
  if (found == NULL || !ee_str_equal(ee_value_key(found), key)) found = ee_value_member(object, key, arena);
  if (found != NULL) *guess = ee_value_next(found);
  return found;
}

void ee_quality_find_keys(const ee_quality *quality, const ee_value *expected, const ee_value *candidate,
                          ee_arena *arena, bool *found, ee_quality_keys *keys) {
  size_t expected_count = expected != NULL ? ee_value_count(expected) : 0;
  size_t candidate_count = candidate != NULL ? ee_value_count(candidate) : 0;
  *keys = (ee_quality_keys){0};
  keys->items = ee_arena_alloc(arena, (expected_count + candidate_count) * sizeof *keys->items);
  size_t common = 0;
  const ee_value *guess = candidate_count > 0 ? ee_value_child(candidate) : NULL;
  const ee_value *member = expected_count > 0 ? ee_value_child(expected) : NULL;
  for (; member != NULL; member = ee_value_next(member)) {
    const ee_value *other = partner(candidate, ee_value_key(member), &guess, arena);
    add_key(quality, found, keys, ee_value_key(member), member, other);
    common += other != NULL;
  }
  keys->expected_count = keys->count;
  if (common < candidate_count) {
    guess = expected_count > 0 ? ee_value_child(expected) : NULL;
    for (member = ee_value_child(candidate); member != NULL; member = ee_value_next(member)) {
      if (partner(expected, ee_value_key(member), &guess, arena) != NULL) continue;
      add_key(quality, found, keys, ee_value_key(member), NULL, member);
    }
  }
  keys->attribute_count = keys->count;
}
