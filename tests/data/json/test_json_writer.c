/* test_json_writer.c: what is written reads back the same; canonical text is one for equal values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "data/random_document.h"
#include "support/arena.h"

static ee_arena scratch;
static ee_buffer out, other;

static int set_up(void **state) {
  ee_arena_init(&scratch, 0);
  return make_arena(state);
}

static int tear_down(void **state) {
  ee_arena_fini(&scratch);
  ee_buffer_fini(&out);
  ee_buffer_fini(&other);
  return free_arena(state);
}

static ee_value *read_text(ee_str text) {
  ee_value *value = ee_json_read(&arena, text, NULL, NULL);
  if (value == NULL) print_error("%.*s\n", (int)text.length, text.data);
  assert_non_null(value);
  return value;
}

static const char *written(const char *text) {
  ee_buffer_clear(&out);
  ee_json_write_value(&out, read_text(ee_str_from(text)));
  return ee_buffer_terminate(&out);
}

static const char *canonical(const char *text) {
  ee_buffer_clear(&out);
  ee_json_write_canonical(&out, read_text(ee_str_from(text)), &scratch);
  return ee_buffer_terminate(&out);
}

static void test_documents(void **state) {
  (void)state;
  assert_string_equal(written(" [ 1 , true , null , false , { } , [ ] , \"a\" ] "), "[1,true,null,false,{},[],\"a\"]");
  assert_string_equal(written("{ \"b\" : 1 , \"a\" : { \"c\" : [ ] } }"), "{\"b\":1,\"a\":{\"c\":[]}}");
  ee_buffer_clear(&out);
  ee_json_write_value(&out, NULL);
  assert_string_equal(ee_buffer_terminate(&out), "null");
}

static void test_strings(void **state) {
  (void)state;
  assert_string_equal(written("\"\\u0000\\u0001\\u001f\\b\\f\\n\\r\\t\\\"\\\\\\/\\u007f\""),
                      "\"\\u0000\\u0001\\u001f\\b\\f\\n\\r\\t\\\"\\\\/\\u007f\"");
  assert_string_equal(written("\"\\u00e9\\u20ac\\ud83d\\ude00\\u2028\""),
                      "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\\u2028\"");
  assert_string_equal(written("{\"a\\nb\":0}"), "{\"a\\nb\":0}");
  ee_buffer_clear(&out);
  ee_json_write_escaped(&out, EE_STR("a\"b\0c\xc3\xa9"));
  assert_string_equal(ee_buffer_terminate(&out), "a\\\"b\\u0000c\xc3\xa9");
  ee_buffer_clear(&out);
  ee_json_write_string(&out, (ee_str){NULL, 0});
  assert_string_equal(ee_buffer_terminate(&out), "\"\"");
  /* Names of files may not be UTF-8. */
  ee_buffer_clear(&out);
  ee_json_write_string(&out, EE_STR("a\xff"
                                    "b\xc3\xa9\xe2\x82/\x80\xc2"));
  assert_string_equal(ee_buffer_terminate(&out), "\"a\\ufffdb\xc3\xa9\\ufffd\\ufffd/\\ufffd\\ufffd\"");
  /* Each byte that needs an escape, at each place around the vectors' borders. */
  for (size_t length = 1; length < 40; length++) {
    for (size_t place = 0; place < length; place++) {
      static const char bytes[] = "\"\\\x01\x1f\n";
      for (size_t b = 0; b < sizeof bytes - 1; b++) {
        char text[40];
        memset(text, '~', length);
        text[place] = bytes[b];
        ee_buffer_clear(&out);
        ee_json_write_string(&out, (ee_str){text, length});
        ee_arena_reset(&arena, 0);
        ee_value *value = read_text((ee_str){out.data, out.length});
        assert_int_equal(value->length, length);
        assert_memory_equal(value->json.valuestring, text, length);
      }
    }
  }
}

/* The definition, byte by byte, for texts of printable and of escaped ASCII. */
static void add_escaped(ee_buffer *to, ee_str text) {
  for (size_t i = 0; i < text.length; i++) {
    unsigned char c = (unsigned char)text.data[i];
    const char *letter = strchr("\"\"\\\\\bb\ff\nn\rr\tt", c);
    if (c == '"' || c == '\\' || (c < 0x20 && c != 0 && letter != NULL))
      ee_buffer_addf(to, "\\%c", letter[1]);
    else if (c < 0x20 || c == 0x7f)
      ee_buffer_addf(to, "\\u%04x", (unsigned)c);
    else
      ee_buffer_add_char(to, (char)c);
  }
}

/* Texts of all lengths around whole words and vectors, with at most a few bytes that are escaped. */
static void test_random_strings(void **state) {
  (void)state;
  test_random random = test_random_start("strings", 33);
  for (int i = 0; i < 20000; i++) {
    size_t length = test_random_below(&random, 70), odd = test_random_below(&random, 3);
    char *text = malloc(length + 1); /* of its very size, for sanitizers */
    assert_non_null(text);
    for (size_t k = 0; k < length; k++) text[k] = (char)(' ' + test_random_below(&random, 95));
    for (; odd > 0 && length > 0; odd--)
      text[test_random_below(&random, length)] = "\"\\\x7f\x1f\n\b\f\r\t\0"[test_random_below(&random, 10)];
    ee_buffer_clear(&out), ee_buffer_clear(&other);
    ee_buffer_add_text(&out, "[");
    ee_json_write_string(&out, (ee_str){text, length});
    ee_buffer_add_text(&other, "[\"");
    add_escaped(&other, (ee_str){text, length});
    ee_buffer_add_text(&other, "\"");
    assert_string_equal(ee_buffer_terminate(&out), ee_buffer_terminate(&other));
    ee_buffer_clear(&out);
    ee_buffer_add(&out, "[\"", 2);
    ee_buffer_add(&out, text, length);
    ee_json_escape_since(&out, 2, &arena);
    ee_buffer_add_text(&out, "\"");
    assert_string_equal(ee_buffer_terminate(&out), ee_buffer_terminate(&other));
    free(text);
  }
}

static void test_numbers(void **state) {
  (void)state;
  static const char *const same[] = {"0",
                                     "1",
                                     "-1",
                                     "0.1",
                                     "-12.5",
                                     "9007199254740991",
                                     "-9007199254740991",
                                     "9007199254740992",
                                     "9007199254740993",
                                     "123456789012345678901234567890",
                                     "1e400",
                                     "-1E+400",
                                     "1e-400",
                                     "0.10000000000000000001",
                                     "100000000000000000000",
                                     "1e21",
                                     "1e-7",
                                     "5e-324"};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) assert_string_equal(written(same[i]), same[i]);
  assert_string_equal(written("-0"), "0");
  assert_string_equal(written("-0.0"), "0");
  assert_string_equal(written("1.0"), "1");
  assert_string_equal(written("10e-1"), "1");
  assert_string_equal(written("1E2"), "100");
  assert_string_equal(written("0.50"), "0.5");
  const double not_numbers[] = {(double)NAN, (double)INFINITY, (double)-INFINITY};
  for (size_t i = 0; i < 3; i++) {
    ee_buffer_clear(&out);
    ee_json_write_number(&out, not_numbers[i]);
    assert_string_equal(ee_buffer_terminate(&out), "null");
  }
}

/* The text of any double reads back as that double. */
static void test_random_numbers(void **state) {
  (void)state;
  test_random random = test_random_start("numbers", 31);
  for (int i = 0; i < 50000; i++) {
    double number;
    uint64_t bits = test_random_bits(&random);
    if (i % 3 == 0) {
      memcpy(&number, &bits, sizeof number);
    } else {
      number = (double)(int64_t)bits / (i % 3 == 1 ? 1.0 : 1000.0);
      for (size_t halvings = test_random_below(&random, 60); halvings > 0; halvings--) number = trunc(number / 2);
    }
    if (!isfinite(number)) continue;
    ee_buffer_clear(&out);
    ee_json_write_number(&out, number);
    assert_true(strtod(ee_buffer_terminate(&out), NULL) == number);
    ee_arena_reset(&arena, 0);
    ee_value *value = read_text((ee_str){out.data, out.length});
    assert_true(value->json.valuedouble == number);
    assert_int_equal(value->length, 0);
  }
}

static void test_canonical(void **state) {
  (void)state;
  assert_string_equal(canonical("{\"b\":1.0,\"a\":[10e-1,{\"d\":null,\"c\":\"\\u0041\"}]}"),
                      "{\"a\":[1,{\"c\":\"A\"}],\"b\":1}");
  assert_string_equal(canonical("{\"\\u00e9\":1,\"z\":2,\"\":3,\"Z\":4}"), "{\"\":3,\"Z\":4,\"z\":2,\"\xc3\xa9\":1}");
  assert_string_equal(canonical("{\"b\":null,\"a\":[null,{\"c\":null}]}"), "{\"a\":[null,{}]}");
  assert_string_equal(canonical("9007199254740993"), "9007199254740993");
  assert_string_equal(canonical("90071992547409930e-1"), "9007199254740993");
  assert_string_equal(canonical("-900719925474099.3e1"), "-9007199254740993");
  assert_string_equal(canonical("90071992547409930000001230000"), "9007199254740993000000123e4");
  assert_string_equal(canonical("1e400"), "1e400");
  assert_string_equal(canonical("10.0e399"), "1e400");
  assert_string_equal(canonical("0.001E+403"), "1e400");
  assert_string_equal(canonical("-0.00120e-400"), "-12e-404");
  /* Exponents past 64 bits. */
  assert_string_equal(canonical("1e100000000000000000000"), "1e100000000000000000000");
  assert_string_equal(canonical("10e99999999999999999999"), "1e100000000000000000000");
  assert_string_equal(canonical("0.01e100000000000000000002"), "1e100000000000000000000");
  assert_string_equal(canonical("1e-100000000000000000000"), "1e-100000000000000000000");
  assert_string_equal(canonical("0.1e-99999999999999999999"), "1e-100000000000000000000");
  assert_string_equal(canonical("10e-100000000000000000001"), "1e-100000000000000000000");
  assert_string_equal(canonical("1e1000000000000000000"), "1e1000000000000000000");
  assert_string_equal(canonical("10e999999999999999999"), "1e1000000000000000000");
  assert_string_equal(canonical("0.1e1000000000000000000"), "1e999999999999999999");
  assert_string_equal(canonical("1e0000000000000000000000999"), "1e999");
}

static void test_round_trip(void **state) {
  (void)state;
  test_random random = test_random_start("round trip", 32);
  ee_buffer text = {0};
  for (int i = 0; i < 3000; i++) {
    ee_arena_reset(&arena, 0);
    ee_buffer_clear(&text);
    ee_buffer_clear(&out);
    ee_buffer_clear(&other);
    random_document(&random, &text, 20, 4, true);
    ee_value *value = read_text((ee_str){text.data, text.length});
    ee_json_write_value(&out, value);
    ee_value *again = read_text((ee_str){out.data, out.length});
    assert_true(ee_value_equal(value, again));
    ee_json_write_value(&other, again);
    assert_string_equal(ee_buffer_terminate(&out), ee_buffer_terminate(&other));
    /* Canonical text of another spelling is the same; it is canonical itself; and it is the value. */
    ee_buffer_clear(&text);
    respell_document(&random, &text, value);
    ee_buffer_clear(&out);
    ee_buffer_clear(&other);
    ee_json_write_canonical(&out, value, &scratch);
    ee_json_write_canonical(&other, read_text((ee_str){text.data, text.length}), &scratch);
    assert_string_equal(ee_buffer_terminate(&out), ee_buffer_terminate(&other));
    again = read_text((ee_str){out.data, out.length});
    assert_true(ee_value_equal(value, again));
    ee_buffer_clear(&other);
    ee_json_write_canonical(&other, again, &scratch);
    assert_string_equal(ee_buffer_terminate(&out), ee_buffer_terminate(&other));
  }
  ee_buffer_fini(&text);
}

static void test_escape_since(void **state) {
  (void)state;
  static const char *const facts[][2] = {{"plain", "plain"}, {"a\nb", "a\\nb"},   {"a\"b", "a\\\"b"},
                                         {"a\\b", "a\\\\b"}, {"\x01", "\\u0001"}, {"", ""}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_buffer own = {0};
    ee_buffer_add_text(&own, "\n\"");
    ee_buffer_add_text(&own, facts[i][0]);
    ee_json_escape_since(&own, 2, &arena);
    assert_string_equal(ee_buffer_terminate(&own) + 2, facts[i][1]);
    ee_buffer_fini(&own);
  }
}

EE_TEST_FILE(set_up, tear_down, cmocka_unit_test(test_documents), cmocka_unit_test(test_strings),
             cmocka_unit_test(test_random_strings), cmocka_unit_test(test_numbers),
             cmocka_unit_test(test_random_numbers), cmocka_unit_test(test_canonical), cmocka_unit_test(test_round_trip),
             cmocka_unit_test(test_escape_since));
