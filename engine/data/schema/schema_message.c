/* schema_message.c: violations in words. */
#include "data/schema/schema_message.h"

/* Bytes of a text or a number in a message; values of an enum that are listed. */
#define TEXT_SHOWN 60
#define VALUES_SHOWN 8

/* A text under way: everything that is put is bounded, so that there is room. */
typedef struct message {
  char data[4096];
  size_t length;
} message;

static ee_str finish(const message *out, ee_arena *arena) {
  return (ee_str){ee_arena_copy(arena, out->data, out->length), out->length};
}

static void put(message *out, ee_str text) {
  size_t room = sizeof out->data - out->length;
  if (text.length > room) text.length = ee_utf8_cut(text, room);
  memcpy(out->data + out->length, text.data, text.length);
  out->length += text.length;
}
static void put_text(message *out, const char *text) { put(out, ee_str_from(text)); }
static void put_number(message *out, uint64_t number) {
  char digits[20];
  size_t count = 0;
  do {
    digits[sizeof digits - ++count] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  put(out, (ee_str){digits + sizeof digits - count, count});
}

/* A text of the data, cut, control characters as \u00XX. */
static void put_data(message *out, ee_str text) {
  size_t length = ee_utf8_cut(text, TEXT_SHOWN);
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text.data[i];
    static const char hex[] = "0123456789abcdef";
    if (c < 0x20 || c == 0x7f)
      put(out, (ee_str){(char[]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, 6});
    else
      put(out, (ee_str){&text.data[i], 1});
  }
  if (length < text.length) put_text(out, "...");
}

static void put_scalar(message *out, const ee_value *value) {
  char room[32];
  switch (ee_type_of(value)) {
  case EE_FALSE: put_text(out, "false"); break;
  case EE_TRUE: put_text(out, "true"); break;
  case EE_NUMBER: put_data(out, ee_value_number_text(value, room)); break;
  case EE_STRING:
    put_text(out, "\"");
    put_data(out, ee_value_text(value));
    put_text(out, "\"");
    break;
  default: put_text(out, ee_schema_describe(value)); break;
  }
}

/* A value as a person would write it. Containers end with "..." where `end` is passed, so that recursion is bounded by
 * the room as well. */
static void put_json(message *out, const ee_value *value, size_t end) {
  ee_type type = ee_type_of(value);
  if (type < EE_ARRAY) {
    put_scalar(out, value);
    return;
  }
  put_text(out, type == EE_ARRAY ? "[" : "{");
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child)) {
    if (child != ee_value_child(value)) put_text(out, ",");
    if (out->length >= end) {
      put_text(out, "...");
      break;
    }
    if (type == EE_OBJECT) {
      put_text(out, "\"");
      put_data(out, ee_value_key(child));
      put_text(out, "\":");
    }
    put_json(out, child, end);
  }
  put_text(out, type == EE_ARRAY ? "]" : "}");
}

static void put_value(message *out, const ee_value *value) { put_json(out, value, out->length + TEXT_SHOWN); }

/* "3 elements", "1 element". */
static void put_count(message *out, uint64_t count, const char *what) {
  put_number(out, count);
  put_text(out, " ");
  put_text(out, what);
  if (count != 1) put_text(out, "s");
}

/* Alternatives --------------------------------------------------------------------------------- */

/* What is expected, while the types and values are collected. */
typedef struct alternatives {
  const ee_value *values[VALUES_SHOWN];
  size_t shown, left_out;
  uint16_t types;
} alternatives;

static void collect(alternatives *found, const ee_schema_keyword *keyword) {
  if (keyword->kind == EE_KEYWORD_TYPE) {
    found->types = (uint16_t)(found->types | keyword->as.types);
    return;
  }
  const ee_value *value = keyword->as.set.first;
  for (size_t i = 0; i < keyword->as.set.count; i++, value = ee_value_next(value)) {
    if (found->shown < VALUES_SHOWN)
      found->values[found->shown++] = value;
    else
      found->left_out++;
  }
}

static const char *const type_words[] = {"null",     "a boolean", "a number", "an integer",
                                         "a string", "an array",  "an object"};
static const uint16_t type_bits[] = {EE_TYPE_BIT(EE_NULL),  EE_TYPE_BIT_BOOLEAN,    EE_TYPE_BIT(EE_NUMBER),
                                     EE_TYPE_BIT_INTEGER,   EE_TYPE_BIT(EE_STRING), EE_TYPE_BIT(EE_ARRAY),
                                     EE_TYPE_BIT(EE_OBJECT)};
enum { TYPE_COUNT = sizeof type_bits / sizeof *type_bits };

static void put_separator(message *out, size_t done, size_t total) {
  if (done > 0) put_text(out, done + 1 == total ? " or " : ", ");
}

static void put_alternatives(message *out, const alternatives *found) {
  size_t total = found->shown + (found->left_out > 0), done = 0;
  for (size_t i = 0; i < TYPE_COUNT; i++) total += (found->types & type_bits[i]) != 0;
  for (size_t i = 0; i < found->shown; i++, done++) {
    put_separator(out, done, total);
    put_value(out, found->values[i]);
  }
  if (found->left_out > 0) {
    put_separator(out, done++, total);
    put_text(out, "one of ");
    put_number(out, found->left_out);
    put_text(out, " more");
  }
  for (size_t i = 0; i < TYPE_COUNT; i++) {
    if ((found->types & type_bits[i]) == 0) continue;
    put_separator(out, done++, total);
    put_text(out, type_words[i]);
  }
  if (total == 0) put_text(out, "nothing");
}

ee_str ee_schema_message_expected(ee_arena *arena, const ee_schema_keyword *const *keywords, size_t count,
                                  const ee_value *value) {
  alternatives found = {.shown = 0};
  for (size_t i = 0; i < count; i++) collect(&found, keywords[i]);
  message out;
  out.length = 0;
  put_text(&out, "expected ");
  put_alternatives(&out, &found);
  put_text(&out, ", got ");
  /* Of types the type tells, but for a number that is not whole. */
  bool only_types = found.shown == 0 && (ee_type_of(value) != EE_NUMBER || (found.types & EE_TYPE_BIT_INTEGER) == 0);
  if (only_types)
    put_text(&out, ee_schema_describe(value));
  else
    put_value(&out, value);
  return finish(&out, arena);
}

/* Keywords ------------------------------------------------------------------------------------- */

static void put_limit(message *out, const char *words, const ee_value *limit, const ee_value *value) {
  put_text(out, words);
  put_value(out, limit);
  put_text(out, ", got ");
  put_value(out, value);
}

static void put_counted(message *out, const char *words, uint64_t limit, const char *what, uint64_t count) {
  put_text(out, words);
  put_count(out, limit, what);
  put_text(out, ", got ");
  put_number(out, count);
}

static void put_pattern(message *out, const ee_schema_keyword *keyword, const ee_value *value) {
  put_value(out, value);
  put_text(out, " does not match the pattern '");
  put_data(out, keyword->as.pattern.text);
  put_text(out, "'");
}

static void put_equal(ee_schema_checker *checker, message *out, const ee_value *array) {
  size_t first = 0, second = 0;
  ee_schema_find_equal(checker, array, &first, &second);
  put_text(out, "elements ");
  put_number(out, first);
  put_text(out, " and ");
  put_number(out, second);
  put_text(out, " are equal");
}

static void put_contained(ee_schema_checker *checker, message *out, const ee_schema_keyword *keyword,
                          const ee_value *array) {
  uint64_t count = ee_schema_count_contained(checker, keyword, array);
  bool few = count < keyword->as.contains.least;
  put_text(out, few ? "expected at least " : "expected at most ");
  put_count(out, few ? keyword->as.contains.least : keyword->as.contains.most, "element");
  put_text(out, " as 'contains' says, got ");
  put_number(out, count);
}

/* The first two that fit are named. */
static void put_one_of(ee_schema_checker *checker, message *out, const ee_schema_keyword *keyword,
                       const ee_value *value) {
  size_t named[2] = {0}, count = 0;
  for (size_t i = 0; i < keyword->as.list.count; i++) {
    if (ee_schema_check(checker, keyword->as.list.items[i], value, false) != 0) continue;
    if (count < 2) named[count] = i;
    count++;
  }
  put_text(out, "fits ");
  put_number(out, count);
  put_text(out, " alternatives (");
  put_number(out, named[0]);
  put_text(out, count > 2 ? ", " : " and ");
  put_number(out, named[1]);
  put_text(out, count > 2 ? ", ...), exactly one is allowed" : "), exactly one is allowed");
}

ee_str ee_schema_message(ee_schema_checker *checker, const ee_schema_keyword *keyword, const ee_value *value) {
  if (keyword->kind == EE_KEYWORD_TYPE || keyword->kind == EE_KEYWORD_ENUM)
    return ee_schema_message_expected(checker->arena, &keyword, 1, value);
  message out;
  out.length = 0;
  uint64_t limit = keyword->as.count;
  switch (keyword->kind) {
  case EE_KEYWORD_MULTIPLE_OF: put_limit(&out, "expected a multiple of ", keyword->as.multiple.limit, value); break;
  case EE_KEYWORD_MAXIMUM: put_limit(&out, "expected at most ", keyword->as.limit, value); break;
  case EE_KEYWORD_EXCLUSIVE_MAXIMUM: put_limit(&out, "expected less than ", keyword->as.limit, value); break;
  case EE_KEYWORD_MINIMUM: put_limit(&out, "expected at least ", keyword->as.limit, value); break;
  case EE_KEYWORD_EXCLUSIVE_MINIMUM: put_limit(&out, "expected more than ", keyword->as.limit, value); break;
  case EE_KEYWORD_MAX_LENGTH:
  case EE_KEYWORD_MIN_LENGTH:
    put_counted(&out, keyword->kind == EE_KEYWORD_MAX_LENGTH ? "expected at most " : "expected at least ", limit,
                "character", ee_utf8_count(value->json.valuestring, value->length));
    break;
  case EE_KEYWORD_MAX_ITEMS: put_counted(&out, "expected at most ", limit, "element", value->length); break;
  case EE_KEYWORD_MIN_ITEMS: put_counted(&out, "expected at least ", limit, "element", value->length); break;
  case EE_KEYWORD_MAX_PROPERTIES: put_counted(&out, "expected at most ", limit, "member", value->length); break;
  case EE_KEYWORD_MIN_PROPERTIES: put_counted(&out, "expected at least ", limit, "member", value->length); break;
  case EE_KEYWORD_PATTERN: put_pattern(&out, keyword, value); break;
  case EE_KEYWORD_UNIQUE_ITEMS: put_equal(checker, &out, value); break;
  case EE_KEYWORD_CONTAINS: put_contained(checker, &out, keyword, value); break;
  case EE_KEYWORD_ONE_OF: put_one_of(checker, &out, keyword, value); break;
  default: put_text(&out, "fits what 'not' excludes"); break;
  }
  return finish(&out, checker->arena);
}

ee_str ee_schema_message_missing(ee_arena *arena, ee_str name, ee_str because) {
  message out;
  out.length = 0;
  put_text(&out, "'");
  put_data(&out, name);
  put_text(&out, "' is missing");
  if (because.data != NULL) {
    put_text(&out, ", which '");
    put_data(&out, because);
    put_text(&out, "' requires");
  }
  return finish(&out, arena);
}

ee_str ee_schema_message_nothing(ee_arena *arena, ee_str name, size_t index) {
  message out;
  out.length = 0;
  if (name.data != NULL) {
    put_text(&out, "'");
    put_data(&out, name);
    put_text(&out, "' is not allowed");
  } else if (index != SIZE_MAX) {
    put_text(&out, "element ");
    put_number(&out, index);
    put_text(&out, " is not allowed");
  } else {
    put_text(&out, "nothing is allowed");
  }
  return finish(&out, arena);
}

ee_str ee_schema_message_trouble(ee_arena *arena, ee_schema_trouble trouble) {
  if (trouble == EE_SCHEMA_PATTERN_GIVEN_UP) return EE_STR("the pattern takes too many steps: given up");
  return ee_str_from(ee_arena_printf(arena, "more than %d schemas inside each other: given up", EE_SCHEMA_DEPTH));
}
