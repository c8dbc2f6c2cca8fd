/* test_result.c: every kind of reason as text, and rule errors in the context. */
#include "judge/strategy/strategy_fixture.h"

#include <stdio.h>

static void test_texts(void **state) {
  (void)state;
  static const struct {
    ee_reason reason;
    const char *text;
  } rows[] = {
      {{.kind = EE_REASON_NONE}, ""},
      {{.kind = EE_REASON_VALUE_MISMATCH}, "value mismatch"},
      {{.kind = EE_REASON_TYPE_MISMATCH, .first = EE_STRING, .second = EE_NUMBER},
       "type mismatch: got string, expected number"},
      {{.kind = EE_REASON_TYPE_MISMATCH, .first = EE_TRUE, .second = EE_ARRAY},
       "type mismatch: got boolean, expected array"},
      {{.kind = EE_REASON_TYPE_MISMATCH, .first = EE_OBJECT, .second = EE_FALSE},
       "type mismatch: got object, expected boolean"},
      {{.kind = EE_REASON_OUTSIDE_TOLERANCE, .first = 2, .second = 0.01}, "outside tolerance: diff=2, tolerance=0.01"},
      {{.kind = EE_REASON_OUTSIDE_TOLERANCE, .first = 1.0 / 3, .second = 0},
       "outside tolerance: diff=0.333333, tolerance=0"},
      {{.kind = EE_REASON_RELATIVE_TOLERANCE, .first = 2, .second = 0.01, .third = 100},
       "outside tolerance: diff=2 (2% of 100), tolerance=1%"},
      {{.kind = EE_REASON_RELATIVE_TOLERANCE, .first = 2, .second = 0.01, .third = -80},
       "outside tolerance: diff=2 (2.5% of -80), tolerance=1%"},
      {{.kind = EE_REASON_RELATIVE_TOLERANCE, .first = 1e300, .second = 0.5, .third = 1e-300},
       "outside tolerance: diff=1e+300, tolerance=50%"},
      {{.kind = EE_REASON_SIMILARITY, .first = 0.8, .second = 0.85}, "similarity 0.8 below 0.85"},
      {{.kind = EE_REASON_SIMILARITY, .first = 0, .second = 1}, "similarity 0 below 1"},
      {{.kind = EE_REASON_SIMILARITY, .first = -1, .second = 0.85}, "similarity below 0.85"},
      {{.kind = EE_REASON_SIMILARITY, .first = 0.12345611, .second = 0.12345619},
       "similarity 0.1234561 below 0.1234562"},
      {{.kind = EE_REASON_SIMILARITY, .first = 0.1234561, .second = 0.1244568}, "similarity 0.123456 below 0.124457"},
      {{.kind = EE_REASON_SIMILARITY, .first = -1, .second = 0.1234568}, "similarity below 0.123457"},
      {{.kind = EE_REASON_SCORE, .first = 0.5, .second = 1}, "score 0.5 below 1"},
      {{.kind = EE_REASON_RELATIVE_TOLERANCE, .first = 1.00000001, .second = 0.01, .third = 100},
       "outside tolerance: diff=1 (1.00000001% of 100), tolerance=1%"},
      {{.kind = EE_REASON_DATE_DIFFERS, .first = 86399 / 86400.0}, "date differs by 86399 seconds"},
      {{.kind = EE_REASON_DATE_DIFFERS, .first = 86401 / 86400.0}, "date differs by 1.00001 days"},
      {{.kind = EE_REASON_DATE_DIFFERS, .first = 3}, "date differs by 3 days"},
      {{.kind = EE_REASON_DATE_DIFFERS, .first = 1}, "date differs by 1 day"},
      {{.kind = EE_REASON_DATE_DIFFERS, .first = 1.5}, "date differs by 1.5 days"},
      {{.kind = EE_REASON_DATE_DIFFERS, .first = 2 / 24.0}, "date differs by 2 hours"},
      {{.kind = EE_REASON_DATE_DIFFERS, .first = 90 / 1440.0}, "date differs by 90 minutes"},
      {{.kind = EE_REASON_DATE_DIFFERS, .first = 1 / 86400.0}, "date differs by 1 second"},
      {{.kind = EE_REASON_SET_DIFFERS, .first = 2, .second = 1}, "2 elements missing, 1 extra"},
      {{.kind = EE_REASON_SET_DIFFERS, .first = 1, .second = 0}, "1 element missing"},
      {{.kind = EE_REASON_SET_DIFFERS, .first = 0, .second = 1}, "1 element extra"},
      {{.kind = EE_REASON_BELOW, .text = EE_STR("iou"), .first = 0.31, .second = 0.5}, "iou 0.31 below 0.5"},
      {{.kind = EE_REASON_BELOW, .text = EE_STR("giou"), .first = -0.25, .second = 0.5}, "giou -0.25 below 0.5"},
      {{.kind = EE_REASON_ABOVE, .text = EE_STR("distance"), .first = 3.2, .second = 2}, "distance 3.2 above 2"},
      {{.kind = EE_REASON_DIMENSIONS, .first = 3, .second = 2}, "dimensions differ: 3 and 2"},
      {{.kind = EE_REASON_BAD_EXPECTED, .text = EE_STR("not four numbers")},
       "unreadable expected box: not four numbers"},
      {{.kind = EE_REASON_BAD_CANDIDATE, .text = EE_STR("an empty list"), .first = 1},
       "unreadable candidate point: an empty list"},
      {{.kind = EE_REASON_REQUIRED_MISSING}, "required, missing"},
      {{.kind = EE_REASON_OPTIONAL_MISSING}, "optional, missing"},
      {{.kind = EE_REASON_UNEXPECTED}, "nothing expected"},
      {{.kind = EE_REASON_MISSING_ITEM}, "missing item"},
      {{.kind = EE_REASON_EXTRA_ITEM}, "extra item"},
      {EE_REASON_OF("unparseable candidate date"), "unparseable candidate date"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) assert_reason(&rows[i].reason, rows[i].text);
}

/* The nearest answer is printed up to a length, whole code points of it. */
static void test_nearest_answers(void **state) {
  (void)state;
  static const struct {
    size_t letters;
    bool cut;
  } rows[] = {{1, false}, {58, false}, {59, true}, {200, true}};
  fixture f;
  fixture_open(&f);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[256], wanted[300];
    memset(text, 'a', rows[i].letters);
    text[rows[i].letters] = '\0';
    const ee_reason reason = {.kind = EE_REASON_VALUE_MISMATCH,
                              .nearest = ee_value_new_string(&f.arena, ee_str_from(text))};
    snprintf(wanted, sizeof wanted, "value mismatch; nearest correct answer: \"%.*s%s", rows[i].cut ? 59 : 58, text,
             rows[i].cut ? "..." : "\"");
    assert_reason(&reason, wanted);
  }
  fixture_close(&f);
}

/* A place is a path, an index and a field, each of which may be missing. */
static void test_printed_places(void **state) {
  (void)state;
  static const struct {
    ee_finding finding;
    const char *text;
  } rows[] = {
      {{.path = EE_STR("a.b"), .row = EE_NO_ROW}, "a.b"},
      {{.path = EE_STR("a"), .row = 0}, "a[0]"},
      {{.path = EE_STR("a"), .row = 9, .field = EE_STR("price")}, "a[9].price"},
      {{.path = EE_STR("a"), .row = 10, .field = EE_STR("['x']")}, "a[10]['x']"},
      {{.path = EE_STR("a"), .row = 4294967294, .field = EE_STR("b")}, "a[4294967294].b"},
      {{.path = EE_STR(""), .row = 7}, "[7]"},
      {{.path = EE_STR(""), .row = EE_NO_ROW}, "\"\""},
  };
  fixture f;
  fixture_open(&f);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ee_buffer out = {0};
    ee_buffer_add_char(&out, '<');
    ee_finding_print_place(&rows[i].finding, &out);
    ee_buffer_add_char(&out, '>');
    assert_string_equal(ee_buffer_terminate(&out), ee_arena_printf(&f.arena, "<%s>", rows[i].text));
    ee_buffer_fini(&out);
  }
  ee_str text = ee_findings_text(&f.arena, "#/# of #, #", (uint64_t[]){0, 10, UINT64_MAX, 1234567890123456789});
  assert_string_equal(ee_arena_printf(&f.arena, "%.*s", EE_STR_ARG(text)),
                      "0/10 of 18446744073709551615, 1234567890123456789");
  fixture_close(&f);
}

static void test_rule_error(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  ee_error error = {0};
  ee_error_at(&error, EE_ERROR_RULES, "rules.lua", 12, 0, "no luck");
  ee_str text = ee_context_rule_error(&f.context, &error);
  assert_string_equal(text.data, "rules.lua:12: no luck");
  assert_int_equal(text.length, strlen(text.data));
  assert_int_equal(f.context.rule_error_count, 1);
  assert_string_equal(f.rule_errors.items[0].message, "no luck (case 'inv-001')");
  assert_string_equal(f.rule_errors.items[0].file, "rules.lua");
  assert_int_equal(f.rule_errors.items[0].line, 12);

  ee_error_set(&error, EE_ERROR_RULES, "no place");
  assert_string_equal(ee_context_rule_error(&f.context, &error).data, "no place");
  fixture_close(&f);
}

/* The case is told even where the message fills its room, and no code point is cut. */
static void test_long_rule_error(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  ee_error error = {.status = EE_ERROR_RULES};
  for (size_t i = 0; i + 2 < sizeof error.message; i += 2) memcpy(error.message + i, "\xc3\xa9", 2);
  char id[400];
  for (size_t i = 0; i < sizeof id; i += 2) memcpy(id + i, "\xc3\xb6", 2);
  f.current.id = (ee_str){id, sizeof id};
  ee_context_rule_error(&f.context, &error);
  const char *message = f.rule_errors.items[0].message;
  size_t length = strlen(message);
  assert_true(length < sizeof error.message);
  assert_int_equal(ee_utf8_valid_prefix(message, length), length);
  assert_non_null(strstr(message, " (case '\xc3\xb6"));
  assert_string_equal(message + length - 2, "')");
  fixture_close(&f);
}

/* A hundred are kept, all are counted; without a list they are only counted. */
static void test_many_rule_errors(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  ee_error error = {0};
  script_raise(&error);
  for (size_t i = 0; i < 150; i++) ee_context_rule_error(&f.context, &error);
  assert_int_equal(f.rule_errors.count, 100);
  assert_int_equal(f.context.rule_error_count, 150);
  f.context.rule_errors = NULL;
  ee_context_rule_error(&f.context, &error);
  assert_int_equal(f.context.rule_error_count, 151);
  fixture_close(&f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_texts), cmocka_unit_test(test_nearest_answers),
             cmocka_unit_test(test_printed_places), cmocka_unit_test(test_rule_error),
             cmocka_unit_test(test_long_rule_error), cmocka_unit_test(test_many_rule_errors));
