/* test_decimal_votes.c: decimal = "auto" against counting by hand and against the decimal signs that it decided. */
#include <string.h>

#include "judge/plan_fixture.h"
#include "prim/number.h"
#include "support/random.h"

#define NUMERIC(options) "{\"ee\": \"numeric\", \"items\": [\"a\"]" options "}"
#define FIELDS(list) "{\"ee\": \"rules\", \"items\": [{\"ee\": \"fields\", \"items\": [" list "]}]}"

/* The decimal sign that a text of digits with at most one decimal sign shows, or 0: by its last sign. */
static char naive_sign(const char *text) {
  size_t points = 0, commas = 0;
  const char *last = NULL;
  for (const char *c = text; *c != '\0'; c++) {
    points += *c == '.';
    commas += *c == ',';
    if (*c == '.' || *c == ',') last = c;
  }
  if (last == NULL) return 0;
  if (points > 0 && commas > 0) return *last;
  char other = *last == '.' ? ',' : '.';
  if (points + commas > 1) return other; /* a grouping sign: the decimal one is the other */
  bool may_group = strlen(last + 1) == 3 && last - text <= 3 && text[0] != '0';
  return may_group ? 0 : *last;
}

/* Writes cents as "1.234,50", with or without grouping and cents. */
static void render(test_random *random, uint64_t cents, char decimal, char *out) {
  char digits[24];
  sprintf(digits, "%llu", (unsigned long long)(cents / 100));
  bool grouped = test_random_below(random, 2) == 0;
  size_t length = strlen(digits);
  for (size_t i = 0; i < length; i++) {
    if (grouped && i > 0 && (length - i) % 3 == 0) *out++ = decimal == '.' ? ',' : '.';
    *out++ = digits[i];
  }
  if (cents % 100 == 0 && test_random_below(random, 2) == 0) {
    *out = '\0';
  } else {
    sprintf(out, "%c%02d", decimal, (int)(cents % 100));
  }
}

enum { CASES = 30 };

static void decides_by_the_majority_of_a_side(void **state) {
  (void)state;
  test_random random = test_random_start("decimal votes", 612);
  static const char signs[] = ".,";
  for (int round = 0; round < 200; round++) {
    fixture f;
    fixture_open(&f);
    fixture_rules(&f, FIELDS(NUMERIC(", \"decimal\": \"auto\"")));
    char side_signs[2] = {signs[test_random_below(&random, 2)], signs[test_random_below(&random, 2)]};
    static char texts[2][CASES][40];
    uint64_t counted[2][2] = {{0}};
    ee_decimal_votes votes = {0};
    for (int i = 0; i < CASES; i++) {
      uint64_t cents = test_random_below(&random, 100000000);
      if (test_random_below(&random, 3) == 0) cents -= cents % 100;
      for (int side = 0; side < 2; side++) {
        bool odd = test_random_below(&random, 5) == 0;
        render(&random, cents, odd ? signs[side_signs[side] == '.'] : side_signs[side], texts[side][i]);
        char sign = naive_sign(texts[side][i]);
        if (sign != 0) counted[side][sign == ',']++;
      }
      char expected[80], candidate[80];
      sprintf(expected, "{\"a\": \"%.39s\"}", texts[0][i]);
      sprintf(candidate, "{\"a\": \"%.39s\"}", texts[1][i]);
      ee_arena_reset(&f.case_arena, 0);
      ee_case current = {.expected = fixture_json(&f.case_arena, expected),
                         .candidate = fixture_json(&f.case_arena, candidate)};
      ee_decimal_votes_add_case(f.plan, &current, &votes, &f.case_arena);
    }
    for (int side = 0; side < 2; side++) {
      assert_int_equal(votes.points[side], counted[side][0]);
      assert_int_equal(votes.commas[side], counted[side][1]);
      char sign = counted[side][1] > counted[side][0] ? ',' : '.';
      assert_int_equal(ee_decimal_votes_sign(&votes, (ee_document_side)side), sign);
      side_signs[side] = sign;
    }
    f.plan->decimals->items[0].votes = votes;
    f.plan->decimals->decided = true;
    for (int i = 0; i < CASES; i++) {
      double value[2] = {0, 0};
      bool read[2];
      for (int side = 0; side < 2; side++) {
        ee_number_format format = {.decimal = side_signs[side]};
        read[side] = ee_number_parse(ee_str_from(texts[side][i]), format, &f.arena, &value[side], NULL);
      }
      char expected[80], candidate[80];
      sprintf(expected, "{\"a\": \"%.39s\"}", texts[0][i]);
      sprintf(candidate, "{\"a\": \"%.39s\"}", texts[1][i]);
      const ee_judge_result *result = fixture_judge_case(&f, expected, candidate);
      const ee_counts *counts = &result->attributes[0].counts;
      bool same = strcmp(texts[0][i], texts[1][i]) == 0; /* equal texts match unread */
      bool match = same || (read[0] && read[1] && value[0] == value[1]);
      if (counts->tp != match) fail_msg("'%s' against '%s'", texts[0][i], texts[1][i]);
      assert_int_equal(counts->unread, !same && !read[0]);
      assert_int_equal(counts->unread_candidates, !same && !read[1]);
    }
    fixture_close(&f);
  }
}

/* Without a look at all cases, the values of the one case decide: here those of the items. */
static void decides_from_a_single_case(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const char *rules = FIELDS("{\"ee\": \"numeric\", \"items\": [\"a[*].p\"], \"decimal\": \"auto\"}");
  const ee_judge_result *result =
      fixture_judge_rules(&f, rules, "{\"a\": [{\"p\": \"1,50\"}, {\"p\": \"1,234\"}, {\"p\": \"0,5\"}]}",
                          "{\"a\": [{\"p\": 1.5}, {\"p\": 1.234}, {\"p\": \"0.5\"}]}");
  assert_true(result->score == 1);
  result = fixture_judge_case(&f, "{\"a\": [{\"p\": \"1,234\"}]}", "{\"a\": [{\"p\": 1234}]}");
  assert_true(result->score == 1);
  rules = "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"items\": [\"l\", "
          "{\"ee\": \"exact\", \"items\": [\"n\"]}, {\"ee\": \"any_of\", \"items\": [\"p\", \"q\"], "
          "\"match\": {\"ee\": \"numeric\", \"decimal\": \"auto\"}}], \"match\": [\"n\"]}]}";
  result = fixture_judge_rules(&f, rules, "{\"l\": [{\"n\": 1, \"p\": \"7,5\", \"q\": \"1,234\"}]}",
                               "{\"l\": [{\"n\": 1, \"p\": 1.234}]}");
  assert_true(result->score == 1);
  assert_true(ee_str_is(f.plan->decimals->items[0].field, "p"));
  /* Inside of sets, several right answers, and what queries find. */
  static const struct {
    const char *field, *expected, *candidate;
  } rows[] = {
      {"{\"ee\": \"set\", \"items\": [\"a\"], \"match\": {\"ee\": \"numeric\", \"decimal\": \"auto\"}}",
       "{\"a\": [\"1,234\", \"7,5\"]}", "{\"a\": [7.5, 1.234]}"},
      {"{\"ee\": \"numeric\", \"items\": [\"a\"], \"decimal\": \"auto\", \"alternatives\": true}",
       "{\"a\": [\"7,5\", \"1,234\"]}", "{\"a\": 1.234}"},
      {"{\"ee\": \"numeric\", \"items\": [\"$.a[::-1]\"], \"decimal\": \"auto\"}", "{\"a\": [\"1,234\", \"7,5\"]}",
       "{\"a\": [1.234, 7.5]}"},
      {"{\"ee\": \"numeric\", \"items\": [\"a[*][*]\"], \"decimal\": \"auto\"}", "{\"a\": [[\"1,234\"], [\"7,5\"]]}",
       "{\"a\": [[1.234], [7.5]]}"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[512];
    snprintf(text, sizeof text, FIELDS("%s"), rows[i].field);
    result = fixture_judge_rules(&f, text, rows[i].expected, rows[i].candidate);
    if (result->score != 1) fail_msg("%s: %g", rows[i].field, result->score);
  }
  fixture_close(&f);
}

static void needs_a_field(void **state) {
  (void)state;
  check_mistakes(
      "{\"ee\": \"rules\", \"items\": [{\"ee\": \"quality\", \"strategies\": {\"a\": {\"ee\": \"numeric\", "
      "\"decimal\": \"auto\"}}}]}",
      "1: decimal = \"auto\" needs a field of ee.fields or ee.line_items: in ee.quality give \".\" or \",\"");
}

static void assert_votes(ee_decimal_votes votes, const char *text) {
  ee_buffer out = {0};
  ee_decimal_votes_print(&votes, &out);
  assert_string_equal(ee_buffer_terminate(&out), text);
  ee_buffer_fini(&out);
}

/* What was decided, and how many values show it and how many something else. */
static void says_what_it_decided(void **state) {
  (void)state;
  assert_votes((ee_decimal_votes){.points = {0, 0}},
               "expected '.' (no value shows one), candidate '.' (no value shows one)");
  assert_votes((ee_decimal_votes){.points = {1, 2}},
               "expected '.' (1 value shows it), candidate '.' (2 values show it)");
  assert_votes((ee_decimal_votes){.points = {1, 2}, .commas = {3, 5}},
               "expected ',' (3 values show it, 1 shows '.'), candidate ',' (5 values show it, 2 show '.')");
  assert_votes((ee_decimal_votes){.points = {4, 2}, .commas = {1, 2}},
               "expected '.' (4 values show it, 1 shows ','), candidate '.' (2 values show it, 2 show ',')");
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(decides_by_the_majority_of_a_side),
             cmocka_unit_test(decides_from_a_single_case), cmocka_unit_test(needs_a_field),
             cmocka_unit_test(says_what_it_decided));
