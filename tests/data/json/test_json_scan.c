/* test_json_scan.c: the scanner accepts what the reader accepts, and finds the same mistakes in the same places. */
#include <string.h>

#include "data/json/json_cases.h"
#include "data/json/json_reader.h"
#include "data/json/json_scan.h"
#include "data/random_document.h"
#include "support/arena.h"

/* Skips a whole document; the offset of its mistake, or SIZE_MAX when it has none. */
static size_t scan_document(ee_str text, ee_json_scan *scan) {
  /* A copy of exactly its size, so that a sanitizer sees reads past the end. */
  *scan = ee_json_scan_of(text);
  const char *at = ee_json_skip_value(scan, scan->start);
  if (at != NULL && (at = ee_json_skip_space(at, scan->end)) != scan->end)
    ee_json_scan_fail(scan, at, "text after the document");
  return scan->mistake == NULL ? SIZE_MAX : (size_t)(scan->mistake_at - scan->start);
}

static void assert_like_reader(ee_str text) {
  ee_error error;
  ee_json_scan scan;
  char *copy = memcpy(malloc(text.length > 0 ? text.length : 1), text.data, text.length);
  size_t mistake = scan_document((ee_str){copy, text.length}, &scan);
  const ee_value *value = ee_json_read(&arena, text, NULL, &error);
  if ((value == NULL) != (mistake != SIZE_MAX) ||
      (value == NULL && (error.offset != mistake || strcmp(error.message, scan.mistake) != 0))) {
    print_error("%.*s\nreader: %s at %d\nscanner: %s at %d\n", (int)text.length, text.data,
                value == NULL ? error.message : "fine", value == NULL ? (int)error.offset : -1,
                scan.mistake != NULL ? scan.mistake : "fine", (int)mistake);
    fail();
  }
  free(copy);
}

static void test_cases(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof json_cases / sizeof *json_cases; i++) {
    const json_case *row = &json_cases[i];
    if (row->message != NULL && strcmp(row->message, BOM) == 0) continue; /* files have one, documents have none */
    assert_like_reader((ee_str){row->text, row->length});
  }
}

static void test_nesting(void **state) {
  (void)state;
  char text[2 * 600];
  for (size_t depth = 510; depth < 516; depth++) {
    for (int objects = 0; objects < 2; objects++) {
      memset(text, '[', depth);
      memset(text + depth, ']', depth);
      assert_like_reader((ee_str){text, 2 * depth});
    }
  }
}

/* Documents, and documents with a byte changed. */
static void test_random_documents(void **state) {
  (void)state;
  test_random random = test_random_start("json_scan", 11);
  ee_buffer text = {0};
  for (int i = 0; i < 20000; i++) {
    ee_buffer_clear(&text);
    random_document(&random, &text, 8, 4, false);
    assert_like_reader((ee_str){text.data, text.length});
    if (text.length == 0) continue;
    static const char bytes[] = "[]{},:\"\\0123456789.-+eEtfn \n\x01\x80\xff";
    text.data[test_random_below(&random, text.length)] = bytes[test_random_below(&random, sizeof bytes - 1)];
    assert_like_reader((ee_str){text.data, text.length});
    assert_like_reader((ee_str){text.data, test_random_below(&random, text.length)});
  }
  ee_buffer_fini(&text);
}

/* Long lists of numbers, which are skipped 64 bytes at a time. */
static void test_outlines(void **state) {
  (void)state;
  test_random random = test_random_start("json_scan outlines", 12);
  ee_buffer text = {0};
  for (int i = 0; i < 60000; i++) {
    ee_buffer_clear(&text);
    bool spaced = test_random_below(&random, 3) == 0, odd = test_random_below(&random, 4) == 0;
    ee_buffer_add_text(&text, "[[");
    for (size_t left = 1 + test_random_below(&random, 60); left > 0; left--) {
      if (odd && test_random_below(&random, 20) == 0)
        random_number(&random, &text);
      else if (test_random_below(&random, 4) == 0)
        ee_buffer_addf(&text, "%zu", test_random_below(&random, 1000));
      else
        ee_buffer_addf(&text, "%zu.%0*zu", test_random_below(&random, 1000), 1 + (int)test_random_below(&random, 3),
                       test_random_below(&random, 10));
      if (left > 1) ee_buffer_add_text(&text, spaced ? ", " : ",");
    }
    ee_buffer_add_text(&text, "]]");
    assert_like_reader((ee_str){text.data, text.length});
    for (int changes = 0; changes < 4; changes++) {
      static const char bytes[] = "0123456789..,,00 -e]";
      size_t at = test_random_below(&random, text.length);
      char kept = text.data[at];
      text.data[at] = bytes[test_random_below(&random, sizeof bytes - 1)];
      assert_like_reader((ee_str){text.data, text.length});
      if (changes % 2 == 0) text.data[at] = kept;
    }
  }
  ee_buffer_fini(&text);
}

/* More text can only take a mistake away where the scan says that it may. */
static void test_cut(void **state) {
  (void)state;
  test_random random = test_random_start("json_scan cut", 13);
  ee_buffer text = {0};
  for (int i = 0; i < 3000; i++) {
    ee_buffer_clear(&text);
    ee_buffer_add_char(&text, '[');
    random_document(&random, &text, 8, 4, false);
    ee_buffer_add_char(&text, ']');
    for (size_t length = 0; length < text.length; length++) {
      ee_json_scan scan = ee_json_scan_of((ee_str){text.data, length});
      assert_null(ee_json_skip_value(&scan, scan.start));
      assert_true(scan.cut);
    }
  }
  ee_json_scan scan = ee_json_scan_of(EE_STR("[1,x,                                ]"));
  assert_null(ee_json_skip_value(&scan, scan.start));
  assert_false(scan.cut);
  ee_buffer_fini(&text);
}

static void test_keys(void **state) {
  (void)state;
  assert_true(ee_json_key_is(EE_STR("images"), "images"));
  assert_true(ee_json_key_is(EE_STR("im\\u0061ges"), "images"));
  assert_true(ee_json_key_is(EE_STR("\\u0069\\u006d\\u0061\\u0067\\u0065\\u0073"), "images"));
  assert_false(ee_json_key_is(EE_STR("imagez"), "images"));
  assert_false(ee_json_key_is(EE_STR("image"), "images"));
  assert_false(ee_json_key_is(EE_STR("images2"), "images"));
  assert_false(ee_json_key_is(EE_STR("im\\u0061gez"), "images"));
  assert_false(ee_json_key_is(EE_STR("im\\u0061gesx"), "images"));
  assert_false(ee_json_key_is(EE_STR("im\\u0161ges"), "images"));
  assert_false(ee_json_key_is(EE_STR(""), "images"));
}

static void test_whole_numbers(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t number;
  } good[] = {{"0", 0},
              {"-0", 0},
              {"0.0", 0},
              {"0e999999999999", 0},
              {"139", 139},
              {"139.0", 139},
              {"1.39e2", 139},
              {"1390e-1", 139},
              {"-7", -7},
              {"9007199254740993", 9007199254740993},
              {"9007199254740993.00", 9007199254740993},
              {"9.007199254740993e15", 9007199254740993},
              {"999999999999999999", 999999999999999999},
              {"1e17", 100000000000000000}};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    int64_t number = -1;
    assert_true(ee_json_whole_number(ee_str_from(good[i].text), &number));
    assert_true(number == good[i].number);
  }
  static const char *const bad[] = {
      "1.5",   "1e-1", "1e18", "1000000000000000000", "18446744073709551617", "1e999999999999", "0.01", "true",
      "\"1\"", "[1]",  ""};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    int64_t number;
    assert_false(ee_json_whole_number(ee_str_from(bad[i]), &number));
  }
}

static void test_keys_with_escapes(void **state) {
  (void)state;
  static const struct {
    const char *key;
    bool is_name;
  } facts[] = {{"name", true},        {"n\\u0061me", true},   {"\\u006eame", true}, {"nam\\u0065", true},
               {"names", false},      {"nam", false},         {"n\\u0061m", false}, {"\\u006ea", false},
               {"n\\u0062me", false}, {"n\\u0061mes", false}, {"na\\nme", false},   {"nam\\", false},
               {"na\\qme", false},    {"n\\u00", false}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    if (ee_json_key_is(ee_str_from(facts[i].key), "name") != facts[i].is_name) fail_msg("'%s'", facts[i].key);
}

static void test_odd_numbers(void **state) {
  (void)state;
  int64_t number = 0;
  assert_true(ee_json_whole_number(EE_STR("-120e-1"), &number) && number == -12);
  static const char *const others[] = {"", "x", "-", "1.5", "01", "1e", "1.", "12345678901234567890", "1e18"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (ee_json_whole_number(ee_str_from(others[i]), &number)) fail_msg("'%s'", others[i]);
  /* A million places. */
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "0.");
  memset(ee_buffer_reserve(&text, 1000001), '0', 1000001);
  text.length += 1000001;
  assert_true(ee_json_whole_number((ee_str){"0", 1}, &number) && number == 0);
  assert_false(ee_json_whole_number((ee_str){text.data, text.length}, &number));
  assert_int_equal(ee_type_of(ee_json_read(&arena, (ee_str){text.data, text.length}, NULL, NULL)), EE_NUMBER);
  ee_buffer_fini(&text);
}

/* What is passed 32 bytes at a time is the number that is read digit by digit. */
static void test_plain_numbers(void **state) {
  (void)state;
  test_random random = test_random_start("json_scan plain numbers", 14);
  static const char bytes[] = "0123456789012345678901234567890123456789...eE-+, ]";
  size_t passed = 0;
  for (int round = 0; round < 200000; round++) {
    char text[64];
    size_t length = 1 + test_random_below(&random, sizeof text);
    for (size_t i = 0; i < length; i++) text[i] = bytes[test_random_below(&random, sizeof bytes - 1)];
    size_t plain = ee_json_plain_number_length(text, text + length);
    if (plain == 0) continue;
    ee_json_number number;
    const char *mistake = NULL, *mistake_at = NULL;
    const char *after = ee_json_read_number(text, text + length, &number, &mistake, &mistake_at);
    if (after != text + plain) fail_msg("%.*s: %zu", (int)length, text, plain);
    passed++;
  }
  static const char known[] = "12.5,                           ";
  bool at_once = ee_json_plain_number_length(known, known + sizeof known) == 4;
  assert_true(at_once ? passed > 50000 : passed == 0);
}

/* What is read without a loop is as with one: digits, points, signs and exponents anywhere. */
static void test_short_numbers(void **state) {
  (void)state;
  test_random random = test_random_start("json_scan short numbers", 15);
  size_t passed = 0;
  for (int round = 0; round < 200000; round++) {
    char text[40];
    size_t length = 1 + test_random_below(&random, sizeof text);
    for (size_t i = 0; i < length; i++) text[i] = "0123456789"[test_random_below(&random, 10)];
    for (size_t odd = test_random_below(&random, 4); odd > 0; odd--)
      text[test_random_below(&random, length)] = ".,]} eE-+/:\x00\x80\xff"[test_random_below(&random, 14)];
    for (int ends = 0; ends < 2 && length > 20; ends++)
      text[1 + test_random_below(&random, 9 + 9 * (size_t)ends)] = ".,"[ends];
    const char *end = text + length, *mistake, *mistake_at;
    ee_json_number number, slow;
    const char *after = ee_json_read_short_number(text, end, &number);
    if (after == NULL) continue;
    assert_true(*text != '-' && ee_json_is_digit(*text));
    assert_ptr_equal(ee_json_read_number(text, end, &slow, &mistake, &mistake_at), after);
    assert_true(number.digits == slow.digits && number.digit_count == slow.digit_count);
    assert_true(number.exponent == slow.exponent && number.negative == slow.negative);
    passed++;
  }
  static const char known[] = "1234567.12345678,         ";
  ee_json_number number;
  bool at_once = ee_json_read_short_number(known, known + sizeof known, &number) == known + 16;
  assert_true(at_once ? passed > 10000 && number.digits == 123456712345678 : passed == 0);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_cases), cmocka_unit_test(test_nesting),
             cmocka_unit_test(test_random_documents), cmocka_unit_test(test_outlines), cmocka_unit_test(test_cut),
             cmocka_unit_test(test_keys), cmocka_unit_test(test_whole_numbers),
             cmocka_unit_test(test_keys_with_escapes), cmocka_unit_test(test_odd_numbers),
             cmocka_unit_test(test_plain_numbers), cmocka_unit_test(test_short_numbers));
