/* test_json_pass.c: what is passed is what the reader accepts without a word, to the same end. */
#include <string.h>

#include "data/json/json_cases.h"
#include "data/json/json_pass.h"
#include "data/json/json_reader.h"
#include "data/random_document.h"
#include "support/arena.h"

static void count_key(void *user, ee_str key, size_t offset) {
  (void)key, (void)offset;
  ++*(size_t *)user;
}

/* Whether a whole document is passed. */
static bool passes(ee_str text) {
  /* A copy of exactly its size, so that a sanitizer sees reads past the end. */
  char *copy = memcpy(malloc(text.length > 0 ? text.length : 1), text.data, text.length);
  const char *end = copy + text.length, *at = ee_json_pass_value(ee_json_pass_space(copy, end), end);
  bool whole = at != NULL && ee_json_pass_space(at, end) == end;
  free(copy);
  return whole;
}

/* Returns whether the document was passed. */
static bool assert_like_reader(ee_str text) {
  size_t duplicates = 0;
  ee_error error;
  ee_json_options options = {.on_duplicate_key = count_key, .user = &duplicates};
  bool good = ee_json_read(&arena, text, &options, &error) != NULL && duplicates == 0, passed = passes(text);
  ee_arena_reset(&arena, 0);
  /* Keys with escapes are not passed. */
  bool escapes = memchr(text.data, '\\', text.length) != NULL;
  if (passed != good && (passed || !escapes))
    fail_msg("%s, %zu duplicate keys: %.*s", passed ? "passed" : "not passed", duplicates, (int)text.length, text.data);
  return passed;
}

static void test_cases(void **state) {
  (void)state;
  size_t passed = 0, count = 0;
  for (size_t i = 0; i < sizeof json_cases / sizeof *json_cases; i++) {
    if (json_cases[i].length == 0) continue;
    passed += assert_like_reader((ee_str){json_cases[i].text, json_cases[i].length});
    count += json_cases[i].message == NULL;
  }
  assert_true(passed > count * 3 / 4);
}

static void test_random_documents(void **state) {
  (void)state;
  test_random random = test_random_start("json_pass", 17);
  ee_buffer text = {0};
  size_t passed = 0;
  for (int i = 0; i < 20000; i++) {
    ee_buffer_clear(&text);
    random_document(&random, &text, 8, 4, i % 4 == 0);
    passed += assert_like_reader((ee_str){text.data, text.length});
    static const char bytes[] = "[]{},:\"\\0123456789.-+eEtfn \n\x01\x80\xff";
    text.data[test_random_below(&random, text.length)] = bytes[test_random_below(&random, sizeof bytes - 1)];
    assert_like_reader((ee_str){text.data, text.length});
    assert_like_reader((ee_str){text.data, 1 + test_random_below(&random, text.length)});
  }
  assert_true(passed > 10000);
  ee_buffer_fini(&text);
}

/* Strings of every length with one unit somewhere that ends them, or makes them others: what is said of them, too. */
static void test_strings(void **state) {
  (void)state;
  static const char *const units[] = {"a",    "\"", "\\",   "\\n",    "\\u00e9", "\\ud800", "\\x",  "\x1f",
                                      "\x01", " ",  "\x7f", "\u00e9", "\u6771",  "\x80",    "\xc3", "\xff"};
  ee_buffer text = {0};
  size_t good = 0;
  for (size_t i = 0; i < sizeof units / sizeof *units * 41 * 41; i++) {
    const char *unit = units[i / 41 / 41];
    ee_buffer_clear(&text);
    ee_buffer_addf(&text, "\"%.*s%s%.*s\"", (int)(i % 41), "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopq", unit,
                   (int)(i / 41 % 41), "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQ");
    ee_str source = {memcpy(malloc(text.length), text.data, text.length), text.length};
    ee_error error;
    ee_str inside = EE_STR("");
    bool escaped = false;
    bool whole = ee_json_read(&arena, source, NULL, &error) != NULL;
    const char *after = ee_json_pass_string(source.data, source.data + source.length, &inside, &escaped);
    assert_int_equal(after == source.data + source.length, whole);
    if (whole) {
      assert_true(inside.data == source.data + 1 && inside.length == source.length - 2);
      assert_int_equal(escaped, *unit == '\\');
    }
    good += whole;
    free((char *)source.data);
    ee_arena_reset(&arena, 0);
  }
  assert_true(good > 10000);
  ee_buffer_fini(&text);
}

/* A key that is equal to another once its escape is read is not told apart, and so not passed. */
static void test_escaped_keys(void **state) {
  (void)state;
  assert_false(passes(EE_STR("{\"a\":1,\"\\u0061\":2}")));
  assert_false(passes(EE_STR("{\"\\u0061\":2}")));
  assert_true(passes(EE_STR("{\"a\":\"\\u0061\"}")));
}

/* Objects of 100 to 160 members; in some a key comes twice, however far apart. */
static void test_duplicates(void **state) {
  (void)state;
  test_random random = test_random_start("json_pass duplicates", 18);
  ee_buffer text = {0};
  size_t passed = 0;
  for (int i = 0; i < 4000; i++) {
    size_t count = 100 + test_random_below(&random, 61), twice = test_random_below(&random, 3) == 0 ? count : 0;
    size_t first = test_random_below(&random, count), again = test_random_below(&random, count);
    ee_buffer_clear(&text);
    for (size_t k = 0; k < count; k++)
      ee_buffer_addf(&text, "%s\"member_%zu_of_all\":%zu", k > 0 ? "," : "{", k == again && twice > 0 ? first : k, k);
    ee_buffer_add_char(&text, '}');
    bool good = (twice == 0 || first == again) && count <= EE_JSON_PASS_KEYS;
    assert_int_equal(passes((ee_str){text.data, text.length}), good);
    passed += good;
  }
  assert_true(passed > 500);
  ee_buffer_fini(&text);
}

static void test_depth(void **state) {
  (void)state;
  for (size_t depth = 1; depth <= EE_JSON_PASS_DEPTH + 1; depth++) {
    ee_buffer arrays = {0}, objects = {0};
    for (size_t i = 0; i < depth; i++) {
      ee_buffer_add_char(&arrays, '[');
      ee_buffer_add_text(&objects, "{\"a\":");
    }
    ee_buffer_add_text(&objects, "1");
    for (size_t i = 0; i < depth; i++) {
      ee_buffer_add_char(&arrays, ']');
      ee_buffer_add_char(&objects, '}');
    }
    assert_int_equal(passes((ee_str){arrays.data, arrays.length}), depth <= EE_JSON_PASS_DEPTH);
    assert_int_equal(passes((ee_str){objects.data, objects.length}), depth <= EE_JSON_PASS_DEPTH);
    ee_buffer_fini(&arrays);
    ee_buffer_fini(&objects);
  }
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_cases), cmocka_unit_test(test_random_documents),
             cmocka_unit_test(test_strings), cmocka_unit_test(test_escaped_keys), cmocka_unit_test(test_duplicates),
             cmocka_unit_test(test_depth));
