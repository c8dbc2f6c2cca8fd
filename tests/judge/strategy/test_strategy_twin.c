/* test_strategy_twin.c: strategies against slow and obvious versions of themselves, on random values. */
#include "judge/strategy/strategy_fixture.h"

#include <math.h>
#include <stdio.h>

#include "support/random.h"

#define ROUNDS 4000

#define WITH(f, kind, ...) compile(f, node(f, kind, ITEMS(T("p")), OPTIONS(__VA_ARGS__)))

static bool matches(fixture *f, const ee_strategy *strategy, const char *expected, const char *candidate) {
  return compare(f, strategy, expected, candidate).matched;
}

/* Numbers in hundredths are compared as whole numbers. */
static void test_numeric(void **state) {
  (void)state;
  test_random random = test_random_start("numeric", 11);
  for (size_t i = 0; i < ROUNDS; i++) {
    fixture f;
    fixture_open(&f);
    bool relative = test_random_below(&random, 2) == 1;
    long tolerance = (long)test_random_below(&random, 12);
    long y = (long)test_random_below(&random, 2001) - 1000;
    long x = y + (long)test_random_below(&random, 41) - 20;
    const ee_strategy *numeric =
        WITH(&f, "numeric", O("tolerance", N((double)tolerance / 100)), O("relative", B(relative)));
    char expected[32], candidate[32];
    snprintf(expected, sizeof expected, "%s%ld.%02ld", y < 0 ? "-" : "", labs(y) / 100, labs(y) % 100);
    const char *format = test_random_below(&random, 2) == 1 ? "\"%s%ld.%02ld\"" : "%s%ld.%02ld";
    snprintf(candidate, sizeof candidate, format, x < 0 ? "-" : "", labs(x) / 100, labs(x) % 100);
    bool twin = labs(x - y) * (relative && y != 0 ? 100 : 1) <= tolerance * (relative && y != 0 ? labs(y) : 1);
    if (matches(&f, numeric, expected, candidate) != twin) {
      fail_msg("%s %s tolerance %ld relative %d", expected, candidate, tolerance, relative);
    }
    fixture_close(&f);
  }
}

static size_t slow_levenshtein(const char *a, size_t a_length, const char *b, size_t b_length) {
  size_t rows[40][40];
  for (size_t i = 0; i <= a_length; i++) {
    for (size_t k = 0; k <= b_length; k++) {
      if (i == 0 || k == 0) {
        rows[i][k] = i + k;
        continue;
      }
      size_t best = rows[i - 1][k - 1] + (a[i - 1] != b[k - 1]);
      if (rows[i - 1][k] + 1 < best) best = rows[i - 1][k] + 1;
      if (rows[i][k - 1] + 1 < best) best = rows[i][k - 1] + 1;
      rows[i][k] = best;
    }
  }
  return rows[a_length][b_length];
}

/* The decision in whole numbers, with the threshold in hundredths; case aside, as the default normalize says. */
static void test_fuzzy(void **state) {
  (void)state;
  test_random random = test_random_start("fuzzy", 12);
  for (size_t i = 0; i < ROUNDS; i++) {
    fixture f;
    fixture_open(&f);
    size_t percent = test_random_below(&random, 101);
    const ee_strategy *fuzzy = WITH(&f, "fuzzy", O("threshold", N((double)percent / 100)));
    const ee_strategy *graded =
        WITH(&f, "fuzzy", O("threshold", N((double)percent / 100)), O("score", T("similarity")));
    char texts[2][40], folded[2][40];
    size_t lengths[2];
    lengths[0] = 1 + test_random_below(&random, 25);
    lengths[1] = lengths[0] - test_random_below(&random, lengths[0]) + test_random_below(&random, 6);
    for (size_t t = 0; t < 2; t++) {
      if (lengths[t] == 0) lengths[t] = 1;
      texts[t][0] = texts[t][lengths[t] + 1] = '"';
      texts[t][lengths[t] + 2] = '\0';
      for (size_t k = 0; k < lengths[t]; k++) {
        bool copy = t == 1 && k < lengths[0] && test_random_below(&random, 4) > 0;
        char letter = copy ? folded[0][k] : (char)('a' + test_random_below(&random, 3));
        folded[t][k] = letter;
        texts[t][k + 1] = test_random_below(&random, 2) == 1 ? (char)(letter - 32) : letter;
      }
    }
    size_t longer = lengths[0] > lengths[1] ? lengths[0] : lengths[1];
    size_t distance = slow_levenshtein(folded[0], lengths[0], folded[1], lengths[1]);
    bool twin = (longer - distance) * 100 >= percent * longer;
    if (matches(&f, fuzzy, texts[0], texts[1]) != twin) fail_msg("%s %s at %zu", texts[0], texts[1], percent);
    ee_comparison result = compare(&f, graded, texts[0], texts[1]);
    assert_int_equal(result.matched, twin);
    assert_true(fabs(result.score - (1 - (double)distance / (double)longer)) <= 1e-15);
    fixture_close(&f);
  }
}

/* Lists of small numbers and texts, which repeat often. */
static void test_set(void **state) {
  (void)state;
  test_random random = test_random_start("set", 13);
  static const char *const elements[] = {"1",
                                         "\"1\"",
                                         "\"a\"",
                                         "null",
                                         "[1]",
                                         "9007199254740993",
                                         "9007199254740992",
                                         "1.00000000000000000001",
                                         "1.00000000000000000002",
                                         "1.00000000000000000003"}; /* some equal as doubles */
  enum { KINDS = sizeof elements / sizeof *elements };
  for (size_t i = 0; i < ROUNDS; i++) {
    fixture f;
    fixture_open(&f);
    const ee_strategy *set = compile(&f, node(&f, "set", ITEMS(T("p")), NONE));
    char texts[2][1024];
    size_t counts[2][KINDS] = {{0}};
    for (size_t t = 0; t < 2; t++) {
      size_t length = test_random_below(&random, 40), kinds = 1 + test_random_below(&random, KINDS);
      char *at = texts[t];
      *at++ = '[';
      for (size_t k = 0; k < length; k++) {
        size_t kind = test_random_below(&random, kinds);
        counts[t][kind]++;
        at += sprintf(at, "%s%s", k > 0 ? "," : "", elements[kind]);
      }
      strcpy(at, "]");
    }
    size_t smaller = 0, larger = 0;
    for (size_t kind = 0; kind < KINDS; kind++) {
      size_t x = counts[0][kind], y = counts[1][kind];
      smaller += x < y ? x : y;
      larger += x < y ? y : x;
    }
    double twin = larger == 0 ? 1 : (double)smaller / (double)larger;
    ee_comparison result = compare(&f, set, texts[0], texts[1]);
    assert_true(result.score == twin);
    assert_int_equal(result.matched, smaller == larger);
    fixture_close(&f);
  }
}

/* Walks day by day through leap years and ends of months. */
static void next_day(int *year, int *month, int *day) {
  static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = (*year % 4 == 0 && *year % 100 != 0) || *year % 400 == 0;
  int length = lengths[*month - 1] + (*month == 2 && leap);
  if (++*day <= length) return;
  *day = 1;
  if (++*month <= 12) return;
  *month = 1;
  ++*year;
}

static void test_date(void **state) {
  (void)state;
  static const char *const months[] = {"JAN", "Feb", "mar", "APR", "May", "jun",
                                       "JUL", "Aug", "sep", "OCT", "Nov", "dec"};
  test_random random = test_random_start("date", 14);
  int year = 1899, month = 12, day = 1;
  for (size_t i = 0; i < ROUNDS; i++) {
    fixture f;
    fixture_open(&f);
    size_t tolerance = test_random_below(&random, 4), distance = test_random_below(&random, 6);
    const ee_strategy *date = WITH(&f, "date", O("tolerance_days", N((double)tolerance)));
    char expected[40], candidate[40];
    snprintf(expected, sizeof expected, "\"%04d-%02d-%02d\"", year, month, day);
    for (size_t k = 0; k < distance; k++) next_day(&year, &month, &day);
    snprintf(candidate, sizeof candidate, "\"%02d-%s-%04d\"", day, months[month - 1], year);
    ee_comparison result = compare(&f, date, expected, candidate);
    assert_int_equal(result.matched, distance <= tolerance);
    if (!result.matched) assert_true(result.reason.first == (double)distance);
    for (size_t k = test_random_below(&random, 30); k > 0; k--) next_day(&year, &month, &day);
    fixture_close(&f);
  }
}

/* What is equal matches with score 1 in every strategy that says so, whatever the values are. */
static void test_reflexive(void **state) {
  (void)state;
  static const char *const values[] = {"1",
                                       "-0",
                                       "1e999",
                                       "true",
                                       "[]",
                                       "{}",
                                       "\"x\"",
                                       "\"1,00\"",
                                       "\"03/04/2025\"",
                                       "\"2025-01-15\"",
                                       "[1,[2]]",
                                       "\"\\u0000\"",
                                       "[null,1]",
                                       "{\"a\":[1e999,\"b\"]}"};
  for (const ee_strategy_type *const *at = ee_strategy_types; *at != NULL; at++) {
    const ee_strategy_type *type = *at;
    fixture f;
    fixture_open(&f);
    if (type->positional != NULL || !type->equal_matches) {
      fixture_close(&f);
      continue;
    }
    const ee_strategy *strategy = compile(&f, node(&f, type->name, ITEMS(T("p")), NONE));
    assert_true(ee_strategy_is_reflexive(strategy));
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) check_match(&f, strategy, values[i], values[i]);
    fixture_close(&f);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_numeric), cmocka_unit_test(test_fuzzy), cmocka_unit_test(test_set),
             cmocka_unit_test(test_date), cmocka_unit_test(test_reflexive));
