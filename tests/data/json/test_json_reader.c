/* test_json_reader.c: a table of texts, cJSON as the oracle on valid ones, and damage of every kind. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/json/json_cases.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "data/random_document.h"
#include "prim/normalize.h"
#include "prim/number.h"
#include "support/arena.h"

/* Reads a copy of the text in a block of exactly its size, so that a sanitizer sees each byte read past its end. */
static ee_value *read_exactly(ee_str text, ee_error *error) {
  char *copy = malloc(text.length > 0 ? text.length : 1);
  memcpy(copy, text.data, text.length);
  ee_value *value = ee_json_read(&arena, (ee_str){copy, text.length}, NULL, error);
  free(copy);
  return value;
}

static ee_value *read_text(const char *text) {
  ee_error error;
  ee_value *value = read_exactly(ee_str_from(text), &error);
  if (value == NULL) print_error("%s: %zu:%zu: %s\n", text, error.line, error.column, error.message);
  assert_non_null(value);
  return value;
}

static void check_case(const json_case *wanted, size_t padding) {
  char text[512];
  memset(text, ' ', padding);
  memcpy(text + padding, wanted->text, wanted->length);
  ee_error error = {0};
  ee_arena_reset(&arena, 0);
  ee_value *value = read_exactly((ee_str){text, padding + wanted->length}, &error);
  bool good;
  if (wanted->message == NULL) {
    good = value != NULL;
  } else {
    size_t column = wanted->column + (wanted->line == 1 ? padding : 0);
    good = value == NULL && error.line == wanted->line && error.column == column && error.status == EE_ERROR_DATA &&
           strcmp(error.message, wanted->message) == 0 && error.file[0] == '\0';
    size_t offset = 0;
    for (size_t line = 1; line < wanted->line; offset++) line += text[offset] == '\n';
    good = good && error.offset == offset + column - 1;
  }
  if (good) return;
  print_error("'%.*s' padded by %zu: %s, wanted %zu:%zu %s, got %zu:%zu %s\n", (int)wanted->length, wanted->text,
              padding, value != NULL ? "accepted" : "refused", wanted->line, wanted->column,
              wanted->message != NULL ? wanted->message : "no error", error.line, error.column, error.message);
  fail();
}

static void test_table(void **state) {
  (void)state;
  size_t count = sizeof json_cases / sizeof *json_cases;
  assert_true(count >= 300);
  for (size_t i = 0; i < count; i++) {
    check_case(&json_cases[i], 0);
    /* Behind spaces the same bytes fall differently into vectors; a byte order mark is one at the start only. */
    if (json_cases[i].message == NULL || strstr(json_cases[i].message, "byte order") == NULL) {
      check_case(&json_cases[i], 7);
      check_case(&json_cases[i], 16);
    }
  }
}

static void test_strings(void **state) {
  (void)state;
  ee_value *value = read_text("\"a\\u0000b\\u00e9\\u20ac\\ud83d\\ude00\\\"\\/\\b\\f\\n\\r\\t\"");
  static const char bytes[] = "a\0b\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"/\b\f\n\r\t";
  assert_int_equal(value->length, sizeof bytes - 1);
  assert_memory_equal(value->json.valuestring, bytes, sizeof bytes); /* with its NUL */
  /* A quote, an escape and an umlaut at each place around the vectors' borders. */
  for (size_t length = 0; length < 70; length++) {
    for (size_t place = 0; place <= length; place++) {
      char text[160] = "\"", wanted[160] = "";
      memset(text + 1, 'x', length);
      memset(wanted, 'x', length);
      memcpy(text + 1 + place, "\\n\xc3\xa4", 4);
      memcpy(wanted + place, "\n\xc3\xa4", 3);
      memset(text + 1 + place + 4, 'y', length - place);
      memset(wanted + place + 3, 'y', length - place);
      text[1 + length + 4] = '"';
      ee_arena_reset(&arena, 0);
      ee_value *string = read_text(text);
      assert_int_equal(string->length, length + 3);
      assert_string_equal(string->json.valuestring, wanted);
    }
  }
}

static void check_number(const char *text, double number, bool kept) {
  ee_value *value = read_text(text);
  assert_int_equal(ee_type_of(value), EE_NUMBER);
  if (memcmp(&value->json.valuedouble, &number, sizeof number) != 0 || (value->length > 0) != kept)
    print_error("%s: %.17g, %s\n", text, value->json.valuedouble, value->length > 0 ? "kept" : "not kept");
  assert_memory_equal(&value->json.valuedouble, &number, sizeof number);
  assert_int_equal(value->length > 0, kept);
  char space[32];
  ee_str written = ee_value_written_number(value, space);
  assert_true(ee_str_is(written, text));
  if (!kept) return;
  assert_string_equal(value->json.valuestring, text);
  assert_int_equal(value->length, strlen(text));
}

static void test_numbers(void **state) {
  (void)state;
  check_number("0", 0.0, false);
  check_number("-0", -0.0, false);
  check_number("-0.0e7", -0.0, false);
  check_number("0e999999999", 0.0, false);
  check_number("1.0", 1.0, false);
  check_number("10e-1", 1.0, false);
  check_number("0.1", 0.1, false);
  check_number("123456.789", 123456.789, false);
  check_number("9007199254740991", 9007199254740991.0, false);
  check_number("9007199254740992", 9007199254740992.0, false);
  check_number("9007199254740993", 9007199254740992.0, true);
  check_number("-9007199254740993", -9007199254740992.0, true);
  check_number("9007199254740993.0", 9007199254740992.0, true);
  check_number("10000000000000000", 1e16, false);
  check_number("100000000000000000000", 1e20, false);
  check_number("123456789012345678901234567890", 123456789012345678901234567890.0, true);
  check_number("0.1000000000000000055511151231257827", 0.1, true);
  check_number("0.30000000000000004", 0.30000000000000004, false);
  check_number("1.50000000000000000000000000", 1.5, false);
  check_number("0.000000000000000000000000000001", 1e-30, false);
  check_number("1e22", 1e22, false);
  check_number("1e23", 1e23, false);
  check_number("1e-22", 1e-22, false);
  check_number("1e400", (double)INFINITY, true);
  check_number("-1e400", (double)-INFINITY, true);
  check_number("1e-400", 0.0, true);
  check_number("-1e-400", -0.0, true);
  check_number("5e-324", 5e-324, false);
  check_number("4e-324", 5e-324, true);
  check_number("4.9406564584124654e-324", 5e-324, true);
  check_number("1.7976931348623157e308", DBL_MAX, false);
  check_number("1.7976931348623158e308", DBL_MAX, true);
  check_number("2.2250738585072014e-308", DBL_MIN, false);
  check_number("1e99999999999999999999999999", (double)INFINITY, true);
  check_number("1e-99999999999999999999999999", 0.0, true);
  assert_int_equal(read_text("2147483647")->json.valueint, INT_MAX);
  assert_int_equal(read_text("2147483648")->json.valueint, INT_MAX);
  assert_int_equal(read_text("-2147483649")->json.valueint, INT_MIN);
  assert_int_equal(read_text("-1.9")->json.valueint, -1);
  assert_int_equal(read_text("1e400")->json.valueint, INT_MAX);
}

static void test_long_numbers(void **state) {
  (void)state;
  char text[1024];
  for (size_t digits = 1; digits <= 400; digits++) {
    memset(text, '7', digits);
    text[digits] = '\0';
    ee_arena_reset(&arena, 0);
    ee_value *value = read_text(text);
    assert_true(value->json.valuedouble == strtod(text, NULL));
    if (digits > 17) assert_string_equal(value->json.valuestring, text);
    snprintf(text + digits, sizeof text - digits, ".%0*de-%zu", (int)digits, 3, digits);
    value = read_text(text);
    assert_true(value->json.valuedouble == strtod(text, NULL));
  }
}

/* What is kept and what is not, on numbers of every length: the rule is that of the header, asked directly. */
static void test_kept_numbers(void **state) {
  (void)state;
  test_random random = test_random_start("kept numbers", 11);
  for (int i = 0; i < 20000; i++) {
    char text[64], shortest[32];
    size_t length = 0;
    size_t digits = 1 + test_random_below(&random, 21);
    text[length++] = (char)('1' + test_random_below(&random, 9));
    size_t point = test_random_below(&random, digits + 1);
    for (size_t k = 1; k < digits; k++) {
      if (k == point) text[length++] = '.';
      text[length++] = (char)('0' + test_random_below(&random, 10));
    }
    if (test_random_below(&random, 2) == 0)
      length += (size_t)snprintf(text + length, 16, "e%d", (int)test_random_below(&random, 700) - 350);
    text[length] = '\0';
    ee_arena_reset(&arena, 0);
    ee_value *value = read_text(text);
    double number = strtod(text, NULL);
    assert_true(value->json.valuedouble == number);
    bool kept = !isfinite(number) ||
                ee_decimal_compare((ee_str){text, length}, (ee_str){shortest, ee_double_format(number, shortest)}) != 0;
    if ((value->length > 0) != kept) print_error("%s\n", text);
    assert_int_equal(value->length > 0, kept);
  }
}

typedef struct told {
  size_t count;
  char keys[8][16];
  size_t offsets[8];
} told;

static void note_duplicate(void *user, ee_str key, size_t offset) {
  told *t = user;
  assert_true(t->count < 8);
  snprintf(t->keys[t->count], sizeof t->keys[0], "%.*s", (int)key.length, key.data);
  t->offsets[t->count++] = offset;
}

static void test_duplicates(void **state) {
  (void)state;
  told t = {0};
  ee_json_options options = {.on_duplicate_key = note_duplicate, .user = &t};
  ee_value *value = ee_json_read(
      &arena, EE_STR("{\"a\":{\"x\":1},\"b\":[1,2],\"a\":3,\"c\":{\"d\":1,\"d\":{\"d\":2}},\"b\":\"t\",\"a\":[4]}"),
      &options, NULL);
  assert_non_null(value);
  ee_buffer out = {0};
  ee_json_write_value(&out, value);
  assert_string_equal(ee_buffer_terminate(&out), "{\"a\":[4],\"b\":\"t\",\"c\":{\"d\":{\"d\":2}}}");
  assert_int_equal(value->length, 3);
  assert_int_equal(t.count, 4);
  assert_string_equal(t.keys[0], "a");
  assert_int_equal(t.offsets[0], 23);
  assert_string_equal(t.keys[1], "d");
  assert_string_equal(t.keys[2], "b");
  assert_string_equal(t.keys[3], "a");
  ee_buffer_fini(&out);
}

/* The last of duplicates stays at the place of the first, in objects small and large: against a list. */
static void test_random_duplicates(void **state) {
  (void)state;
  test_random random = test_random_start("duplicates", 12);
  for (int round = 0; round < 300; round++) {
    size_t count = test_random_below(&random, 120), range = 1 + test_random_below(&random, 120);
    size_t names[120], values[120], distinct = 0;
    ee_buffer text = {0};
    ee_buffer_add_char(&text, '{');
    for (size_t i = 0; i < count; i++) {
      size_t name = test_random_below(&random, range), place = 0;
      ee_buffer_addf(&text, "%s\"member_with_a_long_name_%zu\":%zu", i > 0 ? "," : "", name, i);
      while (place < distinct && names[place] != name) place++;
      if (place == distinct) distinct++;
      names[place] = name;
      values[place] = i;
    }
    ee_buffer_add_char(&text, '}');
    ee_arena_reset(&arena, 0);
    ee_value *object = read_exactly((ee_str){text.data, text.length}, NULL);
    assert_non_null(object);
    assert_int_equal(object->length, distinct);
    const ee_value *member = ee_value_child(object);
    for (size_t i = 0; i < distinct; i++, member = ee_value_next(member)) {
      char name[48];
      snprintf(name, sizeof name, "member_with_a_long_name_%zu", names[i]);
      assert_string_equal(member->json.string, name);
      assert_true(member->json.valuedouble == (double)values[i]);
      assert_ptr_equal(ee_value_member(object, ee_str_from(name), &arena), member);
    }
    assert_null(member);
    assert_null(ee_value_member(object, EE_STR("member_with_a_long_name_x"), &arena));
    ee_buffer_fini(&text);
  }
}

static void test_depth(void **state) {
  (void)state;
  char text[4096];
  for (int objects = 0; objects < 2; objects++) {
    const char *open = objects ? "{\"a\":" : "[";
    size_t size = strlen(open);
    for (size_t depth = 511; depth <= 514; depth++) {
      size_t length = 0;
      for (size_t i = 0; i < depth; i++, length += size) memcpy(text + length, open, size);
      if (objects) text[length++] = '0';
      for (size_t i = 0; i < depth; i++) text[length++] = objects ? '}' : ']';
      ee_error error = {0};
      ee_value *value = read_exactly((ee_str){text, length}, &error);
      assert_int_equal(value != NULL, depth <= EE_JSON_DEPTH_LIMIT);
      if (value == NULL) {
        assert_string_equal(error.message, "nesting deeper than 512");
        assert_int_equal(error.offset, EE_JSON_DEPTH_LIMIT * size);
      }
    }
  }
  /* The limit counts levels that are open, not brackets. */
  size_t length = 0;
  text[length++] = '[';
  for (int i = 0; i < 1000; i++, length += 3) memcpy(text + length, "[],", 3);
  memcpy(text + length, "1]", 2);
  assert_non_null(read_exactly((ee_str){text, length + 2}, NULL));
}

/* Compares a node with cJSON's, and the links that cJSON's functions rely on. */
static void check_same(const cJSON *ours, const cJSON *theirs) {
  assert_int_equal(ours->type & 0xff, theirs->type & 0xff);
  bool is_container = cJSON_IsArray(theirs) || cJSON_IsObject(theirs); /* ours keep more in the numbers' members */
  if (!is_container) assert_int_equal(ours->valueint, theirs->valueint);
  if (cJSON_IsNumber(theirs)) assert_true(ours->valuedouble == theirs->valuedouble);
  if (cJSON_IsString(theirs)) assert_string_equal(ours->valuestring, theirs->valuestring);
  assert_int_equal(ours->string != NULL, theirs->string != NULL);
  if (theirs->string != NULL) {
    assert_string_equal(ours->string, theirs->string);
    assert_int_equal(((const ee_value *)ours)->key_length, strlen(theirs->string));
  }
  const cJSON *a = ours->child, *b = theirs->child, *last = NULL;
  uint32_t count = 0;
  for (; a != NULL && b != NULL; a = a->next, b = b->next, count++) {
    if (last != NULL) assert_ptr_equal(a->prev, last);
    check_same(a, b);
    last = a;
  }
  assert_null(a);
  assert_null(b);
  if (last != NULL) assert_ptr_equal(ours->child->prev, last);
  if (is_container) assert_int_equal(((const ee_value *)ours)->length, count);
}

static void test_agreement_with_cjson(void **state) {
  (void)state;
  test_random random = test_random_start("agreement with cJSON", 13);
  ee_buffer text = {0};
  for (int i = 0; i < 3000; i++) {
    ee_buffer_clear(&text);
    random_document(&random, &text, 24, 5, false);
    ee_arena_reset(&arena, 0);
    ee_value *ours = read_exactly((ee_str){text.data, text.length}, NULL);
    cJSON *theirs = cJSON_ParseWithLength(text.data, text.length);
    assert_non_null(theirs);
    assert_non_null(ours);
    check_same(&ours->json, theirs);
    cJSON_Delete(theirs);
  }
  ee_buffer_fini(&text);
}

/* Damaged texts must be refused or accepted, never more; what is accepted must survive the way out and in. */
static void test_mutations(void **state) {
  (void)state;
  test_random random = test_random_start("mutations", 14);
  static const char bytes[] = "{}[]\",:\\0123456789eE+-.tfnu \n\x80\xc3\xff\0";
  ee_buffer text = {0}, out = {0};
  size_t accepted = 0;
  for (int i = 0; i < 20000; i++) {
    ee_buffer_clear(&text);
    random_document(&random, &text, 12, 3, true);
    for (size_t changes = 1 + test_random_below(&random, 3); changes > 0 && text.length > 0; changes--) {
      size_t place = test_random_below(&random, text.length);
      switch (test_random_below(&random, 3)) {
      case 0: text.data[place] = bytes[test_random_below(&random, sizeof bytes - 1)]; break;
      case 1:
        memmove(text.data + place, text.data + place + 1, text.length - place - 1);
        text.length -= 1;
        break;
      default: text.length = place; break;
      }
    }
    ee_arena_reset(&arena, 0);
    ee_error error = {0};
    ee_value *value = read_exactly((ee_str){text.data, text.length}, &error);
    if (value == NULL) {
      assert_true(error.offset <= text.length && error.line >= 1 && error.column >= 1 && error.message[0] != '\0');
      continue;
    }
    accepted++;
    ee_buffer_clear(&out);
    ee_json_write_value(&out, value);
    ee_value *again = read_exactly((ee_str){out.data, out.length}, NULL);
    assert_non_null(again);
    assert_true(ee_value_equal(value, again));
  }
  assert_true(accepted > 100 && accepted < 19900);
  ee_buffer_fini(&text);
  ee_buffer_fini(&out);
}

/* Each proper prefix of an array or object is refused, with a mistake within the text. */
static void test_truncations(void **state) {
  (void)state;
  static const char text[] =
      "{\"id\": \"inv-1\", \"total\": -12.50e+1, \"tags\": [\"a\\n\", \"\\ud83d\\ude00\", \"\xc3\xbc\xe2\x82\xac\"],"
      " \"paid\": true, \"void\": false, \"note\": null, \"empty\": [{}, []], \"n\": 9007199254740993}";
  for (size_t length = 0; length < sizeof text - 1; length++) {
    ee_error error = {0};
    ee_arena_reset(&arena, 0);
    assert_null(read_exactly((ee_str){text, length}, &error));
    assert_true(error.offset <= length);
  }
  assert_non_null(read_exactly((ee_str){text, sizeof text - 1}, NULL));
}

static void test_prefix(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t end; /* 0: refused */
  } cases[] = {{"{} and more", 2}, {"[1,2]]", 5}, {"{\"a\":[1]}{", 9}, {"12abc", 2},    {"\"a\"b", 3}, {"truex", 4},
               {" {}", 0},         {"{", 0},      {"[1,}", 0},         {"", 0},         {"abc", 0},    {"-x", 0},
               {"[1] ", 3},        {"01", 0},     {"1.5.5", 3},        {"{\"a\" 1}", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    size_t end = 0;
    ee_value *value = ee_json_read_prefix(&arena, ee_str_from(cases[i].text), &end, NULL);
    assert_int_equal(value != NULL, cases[i].end > 0);
    assert_int_equal(end, cases[i].end);
  }
}

/* Large objects must not cost the square of their members; a square would take minutes here. */
static void test_large_object(void **state) {
  (void)state;
  ee_buffer text = {0};
  size_t count = 100000;
  ee_buffer_add_char(&text, '{');
  for (size_t i = 0; i < count; i++) ee_buffer_addf(&text, "%s\"%zu\":%zu", i > 0 ? "," : "", i % (count / 2), i);
  ee_buffer_add_char(&text, '}');
  ee_value *object = read_exactly((ee_str){text.data, text.length}, NULL);
  assert_non_null(object);
  assert_int_equal(object->length, count / 2);
  assert_true(ee_value_member(object, EE_STR("49999"), NULL)->json.valuedouble == 99999.0);
  assert_null(ee_value_member(object, EE_STR("50000"), NULL));
  ee_buffer_fini(&text);
}

/* Half of a surrogate pair is a mistake, or U+FFFD for a reader that counts them. */
static void test_lone_surrogates(void **state) {
  (void)state;
  static const struct {
    const char *text, *read; /* NULL: a mistake all the same */
    uint64_t count;
  } cases[] = {{"\"x\\ud83d\"", "x\xef\xbf\xbd", 1},
               {"\"\\udc00\\ud800y\"", "\xef\xbf\xbd\xef\xbf\xbdy", 2},
               {"\"\\ud83d\\n\"", "\xef\xbf\xbd\n", 1},
               {"\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80", 0},
               {"\"\\ud83d\\ud83d\\ude00\"", "\xef\xbf\xbd\xf0\x9f\x98\x80", 1},
               {"\"\\ud83\"", NULL, 0},
               {"\"\\ud83", NULL, 0},
               {"\"\\x\"", NULL, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t count = 0;
    ee_json_options options = {.lone_surrogates = &count};
    ee_error error;
    ee_value *value = ee_json_read(&arena, ee_str_from(cases[i].text), &options, &error);
    if (cases[i].read == NULL) {
      assert_null(value);
    } else {
      assert_true(ee_str_is(ee_value_text(value), cases[i].read));
      assert_int_equal(ee_json_read(&arena, ee_str_from(cases[i].text), NULL, &error) == NULL, cases[i].count > 0);
      assert_non_null(ee_json_read_data(&arena, ee_str_from(cases[i].text), NULL));
    }
    assert_int_equal(count, cases[i].count);
  }
}

/* A member that is left out; a mistake in it or in its key is the one that a reader of everything finds. */
static void test_left_out_members(void **state) {
  (void)state;
  static const char *const keys[] = {"skip", NULL};
  static const ee_json_options options = {.left_out = keys};
  static const struct {
    const char *text;
    int members; /* -1: a mistake */
  } cases[] = {{"{\"skip\":[1],\"a\":2}", 1},
               {"{\"skip\" : 1 }", 0},
               {"{\"a\":{\"skip\":1}}", 1},
               {"{\"ski\":1,\"skips\":2,\"s\\u006bip\":3}", 3},
               {"{\"ski", -1},
               {"{\"skip", -1},
               {"{\"skip\"", -1},
               {"{\"skip\" 1}", -1},
               {"{\"skip\":", -1},
               {"{\"skip\":[1", -1},
               {"{\"skip\":x}", -1},
               {"{\"skip\":1 2}", -1},
               {"{\"skip\":1,}", -1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ee_error error = {0}, plain = {0};
    const ee_value *value = ee_json_read(&arena, ee_str_from(cases[i].text), &options, &error);
    assert_int_equal(value != NULL ? (int)ee_value_count(value) : -1, cases[i].members);
    if (value != NULL) continue;
    assert_null(ee_json_read(&arena, ee_str_from(cases[i].text), NULL, &plain));
    assert_string_equal(error.message, plain.message);
    assert_int_equal(error.offset, plain.offset);
  }
}

/* A document is plain only if NFC changes none of its code points. */
static void test_plain_documents(void **state) {
  (void)state;
  size_t plain = 0;
  for (uint32_t c = 0x20; c < 0x20000; c++) {
    if (c == '"' || c == '\\' || (c >= 0xd800 && c <= 0xdfff)) continue;
    char text[16] = "[\"";
    size_t length = 2 + ee_utf8_encode(c, text + 2);
    memcpy(text + length, "\"]", 2);
    const ee_value *value = ee_json_read(&arena, (ee_str){text, length + 2}, NULL, NULL);
    assert_non_null(value);
    if (ee_value_is_plain(value) && c >= 0x300) assert_false(ee_nfc_may_change(c));
    plain += ee_value_is_plain(value);
    if (c % 64 == 0) ee_arena_reset(&arena, 0);
  }
  assert_true(plain > 30000);
}

/* The limit of memory is looked at in objects as in arrays. */
static void test_memory_of_objects(void **state) {
  (void)state;
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "{");
  for (int i = 0; i < 20000; i++) ee_buffer_addf(&text, "\"k%d\":1,", i);
  ee_buffer_add_text(&text, "\"k\":1}");
  ee_arena_set_limit(&arena, 100000);
  ee_error error = {0};
  assert_null(ee_json_read(&arena, (ee_str){text.data, text.length}, NULL, &error));
  bool over = arena.over;
  ee_arena_set_limit(&arena, 0);
  assert_true(over);
  assert_non_null(strstr(error.message, "--max-memory"));
  ee_buffer_fini(&text);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_lone_surrogates), cmocka_unit_test(test_table),
             cmocka_unit_test(test_strings), cmocka_unit_test(test_numbers), cmocka_unit_test(test_long_numbers),
             cmocka_unit_test(test_kept_numbers), cmocka_unit_test(test_duplicates),
             cmocka_unit_test(test_random_duplicates), cmocka_unit_test(test_depth),
             cmocka_unit_test(test_agreement_with_cjson), cmocka_unit_test(test_mutations),
             cmocka_unit_test(test_truncations), cmocka_unit_test(test_prefix), cmocka_unit_test(test_large_object),
             cmocka_unit_test(test_memory_of_objects), cmocka_unit_test(test_left_out_members),
             cmocka_unit_test(test_plain_documents));
