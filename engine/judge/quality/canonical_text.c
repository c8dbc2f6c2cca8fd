/* canonical_text.c: canonical texts, made and compared; comparing mostly does not make them. */
#include "judge/quality/canonical_text.h"

#include "data/json/json_equal.h"
#include "data/json/json_writer.h"
#include "prim/normalize.h"
#include "prim/number.h"

/* Making --------------------------------------------------------------------------------------- */

/* An upper bound of the length of canonical JSON. Recursion is bounded by the reader's nesting limit. */
static size_t json_bound(const ee_value *value) {
  switch (ee_type_of(value)) {
  case EE_STRING: return (size_t)value->length * 6 + 2;
  case EE_NUMBER: return (size_t)value->length + 48;
  case EE_ARRAY:
  case EE_OBJECT: break;
  default: return 5;
  }
  size_t bound = 2;
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child)) {
    bound += (size_t)child->key_length * 6 + 4 + json_bound(child);
  }
  return bound;
}

/* Writes into arena memory that is large enough, so that a case does not call malloc. */
static ee_str canonical_json(const ee_value *value, ee_arena *arena) {
  size_t capacity = json_bound(value) + 64;
  ee_buffer buffer = {.data = ee_arena_alloc(arena, capacity), .capacity = capacity};
  ee_json_write_canonical(&buffer, value, arena);
  return (ee_str){buffer.data, buffer.length};
}

ee_str ee_canonical_text(const ee_value *value, ee_arena *arena) {
  switch (ee_type_of(value)) {
  case EE_STRING: return ee_str_trim(ee_value_text(value));
  case EE_NUMBER: return ee_value_number_text(value, ee_arena_alloc(arena, 32));
  case EE_TRUE: return EE_STR("true");
  case EE_FALSE: return EE_STR("false");
  case EE_ARRAY:
  case EE_OBJECT: return canonical_json(value, arena);
  default: return EE_STR("null");
  }
}

/* Comparing ------------------------------------------------------------------------------------ */

static inline char lower(char c) { return (unsigned char)(c - 'A') < 26 ? (char)(c | 0x20) : c; }

static bool folded_equal(ee_str a, ee_str b, ee_arena *scratch) {
  static const uint8_t form = EE_NORMAL_CASEFOLD;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  bool equal = ee_str_equal(ee_normalize(a, &form, 1, scratch), ee_normalize(b, &form, 1, scratch));
  ee_arena_rewind(scratch, mark);
  return equal;
}

/* Equal without case. ASCII is decided here, everything else by Unicode case folding. */
static bool same_letters(ee_str a, ee_str b, ee_arena *scratch) {
  size_t shorter = a.length < b.length ? a.length : b.length;
  for (size_t i = 0; i < shorter; i++) {
    char x = a.data[i], y = b.data[i];
    if (((x | y) & 0x80) != 0) return folded_equal(a, b, scratch);
    if (x != y && lower(x) != lower(y)) return false;
  }
  return a.length == b.length;
}

/* True if the text has only characters of a plain number, without grouping and blanks. */
static bool looks_plain(ee_str text) {
  for (size_t i = 0; i < text.length; i++) {
    char c = text.data[i];
    if ((unsigned char)(c - '0') >= 10 && c != '.' && c != '-' && c != '+' && (c | 0x20) != 'e') return false;
  }
  return true;
}

/* True for digits with a needless leading zero: "007", "-01.5", not "0", "0.5". These are codes. */
static bool is_code(ee_str text) {
  size_t at = text.length > 0 && (text.data[0] == '-' || text.data[0] == '+') ? 1 : 0;
  return text.length > at + 1 && text.data[at] == '0' && (unsigned char)(text.data[at + 1] - '0') < 10;
}

static bool number_is_text(const ee_value *number, ee_str text, ee_arena *scratch) {
  static const ee_number_format plain = {.decimal = '.'};
  text = ee_str_trim(text);
  if (!looks_plain(text) || is_code(text)) return false;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  double value;
  ee_str digits;
  bool equal = false;
  /* Rounding is monotone: the decimals are compared only if the doubles are equal. */
  if (ee_number_parse(text, plain, scratch, &value, &digits) && value == ee_value_number(number)) {
    char own[32];
    equal = ee_decimal_compare(digits, ee_value_number_text(number, own)) == 0;
  }
  ee_arena_rewind(scratch, mark);
  return equal;
}

static bool same_inside(const ee_value *a, const ee_value *b, bool strict, ee_arena *scratch);

static bool same_elements(const ee_value *a, const ee_value *b, bool strict, ee_arena *scratch) {
  if (ee_value_count(a) != ee_value_count(b)) return false;
  const ee_value *left = ee_value_child(a), *right = ee_value_child(b);
  for (; left != NULL; left = ee_value_next(left), right = ee_value_next(right)) {
    if (!same_inside(left, right, strict, scratch)) return false;
  }
  return true;
}

/* Whether both objects have the same members among those that are null or blank. */
static bool same_nothings(const ee_value *a, const ee_value *b, ee_arena *scratch) {
  if (ee_value_count(a) != ee_value_count(b)) return false;
  for (const ee_value *member = ee_value_child(a); member != NULL; member = ee_value_next(member)) {
    if (!ee_value_is_empty(member, NULL)) continue;
    const ee_value *other = ee_value_member(b, ee_value_key(member), NULL);
    if (other == NULL || !same_inside(member, other, true, scratch)) return false;
  }
  return true;
}

static bool same_members(const ee_value *a, const ee_value *b, bool strict, ee_arena *scratch) {
  if (strict && !same_nothings(a, b, scratch)) return false;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  size_t count, other_count;
  const ee_value **left = ee_value_sorted_members(a, &count, scratch);
  const ee_value **right = ee_value_sorted_members(b, &other_count, scratch);
  bool same = count == other_count;
  for (size_t i = 0; same && i < count; i++) {
    same = same_letters(ee_value_key(left[i]), ee_value_key(right[i]), scratch) &&
           same_inside(left[i], right[i], strict, scratch);
  }
  ee_arena_rewind(scratch, mark);
  return same;
}

/* True if the canonical JSON of two values is equal without case, decided member by member: the characters that JSON
 * adds do not fold to others, so the result is the same. `strict`: null and a blank string differ. */
static bool same_inside(const ee_value *a, const ee_value *b, bool strict, ee_arena *scratch) {
  if (!strict && ee_value_is_empty(a, NULL)) return ee_value_is_empty(b, NULL);
  ee_type type = ee_type_of(a);
  if (type != ee_type_of(b)) return false;
  switch (type) {
  case EE_STRING: return same_letters(ee_value_text(a), ee_value_text(b), scratch);
  case EE_ARRAY: return same_elements(a, b, strict, scratch);
  case EE_OBJECT: return same_members(a, b, strict, scratch);
  default: return ee_value_equal(a, b);
  }
}

static bool same_containers(const ee_value *a, const ee_value *b, const ee_empty_rule *empty, ee_arena *scratch) {
  if (empty->none ? ee_json_equal(a, b) : ee_value_equal(a, b)) return true;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  a = ee_value_without_empty(scratch, a, empty);
  b = ee_value_without_empty(scratch, b, empty);
  bool same = same_inside(a, b, empty->none, scratch);
  ee_arena_rewind(scratch, mark);
  return same;
}

static bool is_container(ee_type type) { return type == EE_ARRAY || type == EE_OBJECT; }

/* A string against another type. */
static bool same_text(ee_str text, const ee_value *other, ee_arena *scratch) {
  ee_type type = ee_type_of(other);
  if (type == EE_NUMBER) return number_is_text(other, text, scratch);
  text = ee_str_trim(text);
  /* Most strings are not JSON, which the first character shows. */
  if (is_container(type) && (text.length == 0 || text.data[0] != (type == EE_ARRAY ? '[' : '{'))) return false;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  bool same = same_letters(text, ee_canonical_text(other, scratch), scratch);
  ee_arena_rewind(scratch, mark);
  return same;
}

bool ee_canonical_texts_equal(const ee_value *a, const ee_value *b, const ee_empty_rule *empty, ee_arena *scratch) {
  ee_type x = ee_type_of(a), y = ee_type_of(b);
  if (x == EE_STRING && y == EE_STRING) {
    return same_letters(ee_str_trim(ee_value_text(a)), ee_str_trim(ee_value_text(b)), scratch);
  }
  if (x == EE_STRING) return same_text(ee_value_text(a), b, scratch);
  if (y == EE_STRING) return same_text(ee_value_text(b), a, scratch);
  if (x == y && is_container(x)) return same_containers(a, b, empty, scratch);
  return ee_value_equal(a, b);
}
