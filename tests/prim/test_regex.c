/* test_regex.c: searches with PCRE2: what is found, in how many steps, and when they are given up. */
#include "prim/regex.h"

#include "base/work.h"
#include "support/arena.h"

#ifdef EE_WITH_PCRE2

static const ee_pattern *pattern_of(const char *text) {
  const char *why = NULL;
  const ee_pattern *pattern = ee_pattern_compile(&arena, ee_str_from(text), &why);
  if (pattern == NULL) fail_msg("%s: %s", text, why);
  return pattern;
}

static void test_found(void **state) {
  (void)state;
  static const struct {
    const char *pattern, *text;
    bool found;
  } rows[] = {
      {"a", "xax", true},         {"^a", "xa", false},
      {"a$", "a\n", false},       {"", "", true},
      {"^.$", "\xc3\xa4", true},  {"^[^b]+$", "\xe2\x82\xac", true},
      {"(a)?\\g{1}b", "b", true}, {"\\w", "\xc3\xa4", false},
  };
  ee_pattern_matcher *matcher = ee_pattern_matcher_new(&arena);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ee_pattern_found found = ee_pattern_find(matcher, pattern_of(rows[i].pattern), ee_str_from(rows[i].text));
    if (found != (rows[i].found ? EE_PATTERN_FOUND : EE_PATTERN_ABSENT)) fail_msg("%s: %d", rows[i].pattern, found);
  }
  /* What follows the text is not looked at. */
  assert_int_equal(ee_pattern_find(matcher, pattern_of("^xa$"), (ee_str){"xab", 2}), EE_PATTERN_FOUND);
  static const char *const bad[] = {"(", "[a", "a{2,1}", "\\C"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const char *why = NULL;
    assert_null(ee_pattern_compile(&arena, ee_str_from(bad[i]), &why));
    assert_true(strlen(why) > 5);
  }
}

/* The steps of a search for what is not there, in `count` times the letter x. They are charged, too. */
static uint64_t steps_of(const char *pattern, size_t count) {
  char *text = ee_arena_alloc(&arena, count + 1);
  memset(text, 'x', count);
  ee_pattern_matcher *matcher = ee_pattern_matcher_new(&arena);
  uint64_t before = ee_work_done();
  ee_pattern_found found = ee_pattern_find(matcher, pattern_of(pattern), (ee_str){text, count});
  if (found != EE_PATTERN_ABSENT) fail_msg("%s: %d", pattern, found);
  assert_true(ee_work_done() - before >= ee_pattern_steps(matcher) + count);
  return ee_pattern_steps(matcher);
}

static void test_steps(void **state) {
  (void)state;
  enum { COUNT = 200 };
  /* Bytes that a repeat runs over are steps. */
  assert_in_range(steps_of("^x*+[yz]", COUNT), COUNT, COUNT + 10);
  assert_in_range(steps_of("x++[yz]", COUNT), COUNT * COUNT / 2, COUNT * COUNT);
  /* A reference to a group runs over its bytes once more; a backslash that is a letter does not. */
  uint64_t plain = steps_of("(*NO_START_OPT)^(x*)\\Qa!g\\E", COUNT);
  assert_in_range(plain, COUNT, 10 * COUNT);
  assert_int_equal(steps_of("(*NO_START_OPT)^(x*)\\Qa\\g\\E", COUNT), plain);
  assert_int_equal(steps_of("(*NO_START_OPT)^(x*)\\Qa\\k\\E", COUNT), plain);
  assert_true(steps_of("^(x*)\\g{1}[!?]", COUNT) > COUNT * COUNT / 2);
  assert_true(steps_of("^(?<n>x*)\\k<n>[!?]", COUNT) > COUNT * COUNT / 2);
  /* A pattern that is too long to count its steps is searched for without. */
  enum { LONG = 15000 };
  char *pattern = ee_arena_alloc(&arena, LONG + 1);
  memset(pattern, 'x', LONG);
  pattern[LONG] = '\0';
  ee_pattern_matcher *matcher = ee_pattern_matcher_new(&arena);
  assert_int_equal(ee_pattern_find(matcher, pattern_of(pattern), (ee_str){pattern, LONG}), EE_PATTERN_FOUND);
  assert_int_equal(ee_pattern_find(matcher, pattern_of(pattern), (ee_str){pattern, LONG - 1}), EE_PATTERN_ABSENT);
  assert_int_equal(ee_pattern_steps(matcher), 0);
}

#define DOUBLING "^(x+x+)+[yz]" /* twice the steps for each further x */

/* Each search that is given up lowers the limit of the next ones; what is linear is never given up. */
static void test_given_up(void **state) {
  (void)state;
  char xs[64];
  memset(xs, 'x', sizeof xs);
  ee_pattern_matcher *matcher = ee_pattern_matcher_new(&arena);
  const ee_pattern *doubling = pattern_of(DOUBLING), *linear = pattern_of("^x*+[yz]");
  for (uint64_t times = 1; times <= 4; times++) {
    assert_int_equal(ee_pattern_find(matcher, doubling, (ee_str){xs, sizeof xs}), EE_PATTERN_GIVEN_UP);
    uint64_t limit = EE_PATTERN_STEPS / (times * times);
    assert_in_range(ee_pattern_steps(matcher), limit, limit + 17 * sizeof xs);
    assert_int_equal(ee_pattern_find(matcher, linear, (ee_str){xs, sizeof xs}), EE_PATTERN_ABSENT);
  }
  /* Another matcher has its own limits, and its memory is taken once. */
  ee_pattern_matcher *other = ee_pattern_matcher_new(&arena);
  assert_int_equal(ee_pattern_find(other, doubling, (ee_str){xs, 18}), EE_PATTERN_ABSENT);
  uint64_t steps = ee_pattern_steps(other), allocations = ee_pattern_allocations(other);
  assert_true(steps > 100000);
  /* Searches that are not given up: all of them together may take ten times what one may. */
  uint64_t most = 10 * (uint64_t)EE_PATTERN_STEPS / steps, done = 1;
  while (ee_pattern_find(other, doubling, (ee_str){xs, 18}) == EE_PATTERN_ABSENT && done < 2 * most) done++;
  assert_in_range(done, most, most + 1);
  assert_int_equal(ee_pattern_allocations(other), allocations);
  assert_int_equal(ee_pattern_find(other, linear, (ee_str){xs, sizeof xs}), EE_PATTERN_ABSENT);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_found), cmocka_unit_test(test_steps),
             cmocka_unit_test(test_given_up));

#else

static void test_refused(void **state) {
  (void)state;
  const char *why = NULL;
  assert_null(ee_pattern_compile(&arena, EE_STR("a"), &why));
  assert_non_null(strstr(why, "PCRE2"));
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_refused));

#endif
