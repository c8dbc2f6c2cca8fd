/* Values as texts, and which of them are equal. */
#include "judge/quality/canonical_text.h"

#include "judge/plan_fixture.h"
#include "prim/normalize.h"
#include "support/random.h"

/* EXACT: pairs that are equal, and pairs that are not, in both directions. */
static void test_exact(void **state) {
  (void)state;
  static const char *const equal[][2] = {
      {"1", "1.0"},
      {"100", "\"100\""},
      {"100", "\" 100.0 \""},
      {"1000", "\"1e3\""},
      {"0", "\"0\""},
      {"0.5", "\"+0.50\""},
      {"0", "\"-0e1\""},
      {"5", "\"+5\""},
      {"-0.5", "\"-.5\""},
      {"9007199254740993", "\"9007199254740993\""},
      {"true", "\"True\""},
      {"false", "\" FALSE\""},
      {"true", "true"},
      {"\"Active\"", "\" active\\n\""},
      {"\"STRASSE\"", "\"stra\xc3\x9f\x65\""},
      {"\"straSSe\"", "\"Stra\xe1\xba\x9e\x65\""},
      {"\"\xc3\x89t\xc3\xa9\"", "\"\xc3\xa9T\xc3\x89\""},
      {"\"false\"", "\"fal\xc5\xbf\x65\""},
      {"[1,\"A\"]", "[1.0,\"a\"]"},
      {"{\"a\":1,\"b\":\"X\"}", "{\"b\":\"x\",\"a\":1}"},
      {"{\"a\":1}", "{\"a\":1,\"b\":null}"},
      {"{\"a\":[null,\"x\"]}", "{\"A\":[\" \",\"X\"],\"b\":\"\"}"},
      {"{\"A\":{\"B\":[true,null]}}", "{\"a\":{\"b\":[true,null]}}"},
      {"[1,\"A\"]", "\"[1,\\\"a\\\"]\""},
      {"{\"b\":1,\"a\":[]}", "\" {\\\"A\\\":[],\\\"B\\\":1} \""},
      {"{}", "\"{}\""},
      {"1e400", "\"1e400\""},
  };
  static const char *const different[][2] = {
      {"1", "2"},
      {"1", "\"1 EUR\""},
      {"1000", "\"1,000\""},
      {"9007199254740993", "9007199254740992"},
      {"9007199254740993", "\"9007199254740992\""},
      {"\"007\"", "\"7\""},
      /* Digits with a leading zero are a code. */
      {"7", "\"007\""},
      {"1067", "\" 01067\""},
      {"0", "\"00\""},
      {"-1.5", "\"-01.5\""},
      {"1", "\"+01\""},
      {"\"1.0\"", "\"1\""},
      {"true", "1"},
      {"true", "\"1\""},
      {"true", "false"},
      {"\"yes\"", "true"},
      {"\"ab\"", "\"abc\""},
      {"\"\xc3\xa9\"", "\"e\""},
      {"[1,2]", "[2,1]"},
      {"[1]", "[\"1\"]"},
      {"[\" a\"]", "[\"a\"]"},
      {"[]", "{}"},
      {"[1]", "1"},
      {"[1]", "\"[1,]\""},
      {"[1]", "\"[ 1 ]\""},
      {"{\"a\":1}", "{\"a\":1,\"b\":2}"},
      {"{\"A\":1,\"b\":2}", "{\"a\":1,\"B\":2}"}, /* keys are sorted before case is dropped */
      {"{\"a\":1}", "true"},
      {"1e400", "1e401"},
      {"\"\"", "0"},
  };
  static const ee_empty_rule blank = {0};
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (size_t i = 0; i < sizeof equal / sizeof *equal; i++) {
    const ee_value *a = fixture_json(&arena, equal[i][0]), *b = fixture_json(&arena, equal[i][1]);
    if (!ee_canonical_texts_equal(a, b, &blank, &arena) || !ee_canonical_texts_equal(b, a, &blank, &arena))
      fail_msg("%s and %s differ", equal[i][0], equal[i][1]);
  }
  for (size_t i = 0; i < sizeof different / sizeof *different; i++) {
    const ee_value *a = fixture_json(&arena, different[i][0]), *b = fixture_json(&arena, different[i][1]);
    if (ee_canonical_texts_equal(a, b, &blank, &arena) || ee_canonical_texts_equal(b, a, &blank, &arena))
      fail_msg("%s and %s are equal", different[i][0], different[i][1]);
  }
  ee_arena_fini(&arena);
}

static void test_canonical_text(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"\" a B \"", "a B"},   {"1.50", "1.5"},
      {"true", "true"},       {"false", "false"},
      {"null", "null"},       {"[1.0, \"\\u0001\\\"\\n\", {}]", "[1,\"\\u0001\\\"\\n\",{}]"},
      {"[]", "[]"},           {"{\"b\":[null],\"a\":{\"d\":null,\"c\":-1e-7}}", "{\"a\":{\"c\":-1e-7},\"b\":[null]}"},
      {"1e400", "1e400"},     {"[100000000000000000000000000001]", "[100000000000000000000000000001]"},
      {"[1e400]", "[1e400]"},
  };
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ee_str text = ee_canonical_text(fixture_json(&arena, cases[i][0]), &arena);
    assert_int_equal(text.length, strlen(cases[i][1]));
    assert_memory_equal(text.data, cases[i][1], text.length);
  }
  ee_arena_fini(&arena);
}

/* Comparing documents member by member is comparing their canonical JSON without case: against that, written out, on
 * random documents of few words. */
static void random_value(test_random *random, ee_buffer *out, int depth) {
  static const char *const scalars[] = {"1",    "1.0",     "10e-1",     "\"a\"",  "\"A\"",      "null",
                                        "true", "\"\\n\"", "\"\\\\N\"", "\"ss\"", "\"\u00df\"", "2"};
  static const char *const keys[] = {"a", "A", "b", "B", "ss", "\u00df", "c"};
  size_t kind = test_random_below(random, depth > 0 ? 4 : 2), count = test_random_below(random, 4);
  if (kind < 2) {
    ee_buffer_add_text(out, scalars[test_random_below(random, sizeof scalars / sizeof *scalars)]);
    return;
  }
  ee_buffer_add_char(out, kind == 2 ? '[' : '{');
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    if (kind == 3) ee_buffer_addf(out, "\"%s\":", keys[test_random_below(random, sizeof keys / sizeof *keys)]);
    random_value(random, out, depth - 1);
  }
  ee_buffer_add_char(out, kind == 2 ? ']' : '}');
}

static void test_containers_at_random(void **state) {
  (void)state;
  test_random random = test_random_start("text forms of containers", 51);
  static const uint8_t form = EE_NORMAL_CASEFOLD;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer text;
  ee_buffer_init(&text);
  size_t equal = 0;
  for (int i = 0; i < 20000; i++) {
    const ee_value *values[2];
    ee_str folded[2];
    for (int side = 0; side < 2; side++) {
      ee_buffer_clear(&text);
      ee_buffer_add_char(&text, '[');
      random_value(&random, &text, 2);
      ee_buffer_add_char(&text, ']');
      values[side] = fixture_json(&arena, ee_buffer_terminate(&text));
      ee_buffer_clear(&text);
      ee_json_write_canonical(&text, values[side], &arena);
      ee_str form_of = ee_canonical_text(values[side], &arena);
      assert_int_equal(form_of.length, text.length);
      assert_memory_equal(form_of.data, text.data, text.length);
      folded[side] = ee_normalize(form_of, &form, 1, &arena);
    }
    bool same = ee_str_equal(folded[0], folded[1]);
    equal += same;
    if (ee_canonical_texts_equal(values[0], values[1], &(ee_empty_rule){0}, &arena) != same)
      fail_msg("%.*s and %.*s", (int)folded[0].length, folded[0].data, (int)folded[1].length, folded[1].data);
    ee_arena_reset(&arena, 0);
  }
  assert_true(equal > 200);
  ee_buffer_fini(&text);
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_exact), cmocka_unit_test(test_canonical_text),
             cmocka_unit_test(test_containers_at_random));
