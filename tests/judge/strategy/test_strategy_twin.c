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

/* Two tolerances at once, of either number, again in whole numbers: hundredths and percents. */
static void test_two_tolerances(void **state) {
  (void)state;
  test_random random = test_random_start("two tolerances", 15);
  for (size_t i = 0; i < ROUNDS; i++) {
    fixture f;
    fixture_open(&f);
    long absolute = (long)test_random_below(&random, 12), percent = 1 + (long)test_random_below(&random, 12);
    bool larger = test_random_below(&random, 2) == 1;
    long y = (long)test_random_below(&random, 401) - 200;
    long x = y + (long)test_random_below(&random, 61) - 30;
    const ee_strategy *numeric =
        WITH(&f, "numeric", O("tolerance", N((double)absolute / 100)),
             O("relative_tolerance", N((double)percent / 100)), O("relative_to", larger ? T("larger") : T("expected")));
    char expected[32], candidate[32];
    snprintf(expected, sizeof expected, "%s%ld.%02ld", y < 0 ? "-" : "", labs(y) / 100, labs(y) % 100);
    snprintf(candidate, sizeof candidate, "%s%ld.%02ld", x < 0 ? "-" : "", labs(x) / 100, labs(x) % 100);
    long base = larger && labs(x) > labs(y) ? labs(x) : labs(y), apart = labs(x - y);
    bool twin = apart <= absolute || apart * 100 <= percent * base;
    if (matches(&f, numeric, expected, candidate) != twin)
      fail_msg("%s %s tolerance %ld and %ld %% of %d", expected, candidate, absolute, percent, larger);
    if (larger && matches(&f, numeric, candidate, expected) != twin)
      fail_msg("%s %s: one way only", expected, candidate);
    fixture_close(&f);
  }
}

/* Graded scores from their formulas; nearer is never worse, and only what matches scores 1. */
static void test_closeness(void **state) {
  (void)state;
  static const char *const scores[] = {"linear", "linear", "exponential", "closeness", "closeness_sum"};
  test_random random = test_random_start("closeness", 16);
  for (size_t i = 0; i < ROUNDS; i++) {
    fixture f;
    fixture_open(&f);
    size_t kind = test_random_below(&random, 5);
    bool scaled = kind == 1 || kind == 2, relative = test_random_below(&random, 3) == 0;
    double scale = (double)(1 + test_random_below(&random, 400)) / 8;
    ee_rule_option options[] = {O("score", ((ee_rule_value){.type = EE_RULE_TEXT, .text = ee_str_from(scores[kind])})),
                                O("relative", B(relative)), O("scale", N(scale))};
    const ee_strategy *numeric = compile(&f, node(&f, "numeric", ITEMS(T("p")), options, scaled ? 3 : 2));
    long y = (long)test_random_below(&random, 2001) - 1000, x = (long)test_random_below(&random, 2001) - 1000;
    long nearer = y + (x - y) / (long)(1 + test_random_below(&random, 4));
    char texts[3][32];
    snprintf(texts[0], sizeof texts[0], "%ld", y);
    snprintf(texts[1], sizeof texts[1], "%ld", x);
    snprintf(texts[2], sizeof texts[2], "%ld", nearer);
    long double apart = labs(x - y), share = relative && y != 0 ? apart / labs(y) : apart;
    long double larger = labs(x) > labs(y) ? labs(x) : labs(y), twin = 0;
    if (apart == 0)
      twin = 1;
    else if (kind == 0)
      twin = y == 0 ? 0 : 1 - apart / labs(y);
    else if (kind == 1)
      twin = 1 - share / scale;
    else if (kind == 2)
      twin = expl(-share / scale);
    else if (kind == 3)
      twin = 1 - apart / larger;
    else
      twin = 1 - apart / (labs(x) + labs(y));
    if (twin < 0) twin = 0;
    ee_comparison result = compare(&f, numeric, texts[0], texts[1]);
    if (fabsl(result.score - twin) > 1e-15L)
      fail_msg("%s of %s and %s: %.17g", scores[kind], texts[0], texts[1], result.score);
    assert_int_equal(result.matched, x == y);
    assert_int_equal(result.score == 1, x == y);
    if (compare(&f, numeric, texts[0], texts[2]).score < result.score)
      fail_msg("%s: %s is nearer to %s than %s", scores[kind], texts[2], texts[0], texts[1]);
    bool both = kind >= 3;
    if (both) assert_true(compare(&f, numeric, texts[1], texts[0]).score == result.score);
    fixture_close(&f);
  }
}

/* Numbers at the ends of what doubles hold. */
static void test_closeness_of_extremes(void **state) {
  (void)state;
  static const struct {
    const char *score, *expected, *candidate;
    double value;
  } cases[] = {
      {"closeness", "1e308", "-1e308", 0},
      {"closeness", "1.5e308", "0.75e308", 0.5},
      {"closeness_sum", "1.5e308", "0.5e308", 0.5},
      {"closeness_sum", "1e308", "-1e308", 0},
      {"closeness", "5e-324", "1e-323", 0.5},
      {"closeness_sum", "0", "5e-324", 0},
      {"closeness", "0", "5", 0},
      {"exponential", "1e308", "-1e308", 0},
      {"closeness_sum", "100", "105", 1 - 5.0 / 205}, /* as autoevals' NumericDiff */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f;
    fixture_open(&f);
    ee_rule_option options[] = {
        O("score", ((ee_rule_value){.type = EE_RULE_TEXT, .text = ee_str_from(cases[i].score)})), O("scale", N(2))};
    bool scaled = strcmp(cases[i].score, "exponential") == 0;
    const ee_strategy *numeric = compile(&f, node(&f, "numeric", ITEMS(T("p")), options, scaled ? 2 : 1));
    ee_comparison result = compare(&f, numeric, cases[i].expected, cases[i].candidate);
    if (result.score != cases[i].value) fail_msg("%s %s: %.17g", cases[i].expected, cases[i].candidate, result.score);
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
    /* Shares of the longer array and of the expected one. */
    size_t n = 0, m = 0, longer;
    for (size_t kind = 0; kind < KINDS; kind++) {
      n += counts[0][kind];
      m += counts[1][kind];
    }
    longer = n > m ? n : m;
    double threshold = (double)test_random_below(&random, 5) / 4;
    const ee_strategy *of_longer = WITH(&f, "set", O("of", T("longer")), O("threshold", N(threshold)));
    const ee_strategy *of_expected =
        WITH(&f, "set", O("of", T("expected")), O("threshold", N(threshold)),
             O("match", ((ee_rule_value){.type = EE_RULE_NODE, .node = node(&f, "exact", NONE, NONE)})));
    double of_both[2] = {longer == 0 ? 1 : (double)smaller / (double)longer, n > 0    ? (double)smaller / (double)n
                                                                             : m == 0 ? 1
                                                                                      : 0};
    ee_comparison got[2] = {compare(&f, of_longer, texts[0], texts[1]), compare(&f, of_expected, texts[0], texts[1])};
    for (size_t k = 0; k < 2; k++) {
      assert_true(got[k].score == of_both[k]);
      assert_int_equal(got[k].matched, of_both[k] >= threshold);
    }
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

/* Days since a common day, by walking. */
static void write_day(long day, bool named, char *out) {
  static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  int year = 2023, month = 11, at = 20;
  for (; day > 0; day--) next_day(&year, &month, &at);
  if (named)
    sprintf(out, "%d %s %d", at, months[month - 1], year);
  else
    sprintf(out, "%04d-%02d-%02d", year, month, at);
}

static void write_range(test_random *random, long first, long last, char *out) {
  static const char *const forms[] = {"\"%s to %s\"",
                                      "\"%s - %s\"",
                                      "\"from %s until %s\"",
                                      "[\"%s\",\"%s\"]",
                                      "{\"start\":\"%s\",\"end\":\"%s\"}",
                                      "{\"to\":\"%2$s\",\"from\":\"%1$s\"}",
                                      "\"%s/%s\""};
  char days[2][40];
  bool named = test_random_below(random, 2) == 1;
  write_day(first, named, days[0]);
  write_day(last, named, days[1]);
  if (first == last && test_random_below(random, 2) == 1)
    sprintf(out, "\"%s\"", days[0]);
  else
    sprintf(out, forms[test_random_below(random, named ? 6 : 7)], days[0], days[1]);
}

/* Days in common, counted one by one. */
static void test_date_ranges(void **state) {
  (void)state;
  test_random random = test_random_start("ranges of dates", 17);
  for (size_t i = 0; i < ROUNDS; i++) {
    fixture f;
    fixture_open(&f);
    double threshold = (double)test_random_below(&random, 5) / 4;
    size_t tolerance = test_random_below(&random, 3);
    const ee_strategy *days = WITH(&f, "date", O("range", T("days")), O("threshold", N(threshold)));
    const ee_strategy *ends = WITH(&f, "date", O("range", T("ends")), O("tolerance_days", N((double)tolerance)));
    long ranges[2][2];
    char texts[2][120];
    for (size_t k = 0; k < 2; k++) {
      ranges[k][0] = (long)test_random_below(&random, 140);
      ranges[k][1] = ranges[k][0] + (long)(test_random_below(&random, 3) == 0 ? 0 : test_random_below(&random, 40));
      if (k == 1 && test_random_below(&random, 3) == 0) {
        ranges[1][0] = ranges[0][0] + (long)test_random_below(&random, 2);
        ranges[1][1] = ranges[0][1] + 1 + (long)test_random_below(&random, 3);
      }
      write_range(&random, ranges[k][0], ranges[k][1], texts[k]);
    }
    size_t common = 0, all = 0;
    for (long day = 0; day < 250; day++) {
      bool first = day >= ranges[0][0] && day <= ranges[0][1], second = day >= ranges[1][0] && day <= ranges[1][1];
      common += first && second;
      all += first || second;
    }
    ee_comparison result = compare(&f, days, texts[0], texts[1]);
    if (result.failed || result.score != (double)common / (double)all)
      fail_msg("%s %s: %zu of %zu days, got %g", texts[0], texts[1], common, all, result.score);
    assert_int_equal(result.matched, (double)common >= threshold * (double)all);
    bool near =
        labs(ranges[0][0] - ranges[1][0]) <= (long)tolerance && labs(ranges[0][1] - ranges[1][1]) <= (long)tolerance;
    if (matches(&f, ends, texts[0], texts[1]) != near) fail_msg("%s %s within %zu days", texts[0], texts[1], tolerance);
    fixture_close(&f);
  }
}

/* Graded by distance. */
static void test_date_distance(void **state) {
  (void)state;
  test_random random = test_random_start("distances of dates", 18);
  for (size_t i = 0; i < ROUNDS; i++) {
    fixture f;
    fixture_open(&f);
    double scale = (double)(1 + test_random_below(&random, 60)) / 2;
    bool linear = test_random_below(&random, 2) == 1;
    size_t tolerance = test_random_below(&random, 3);
    const ee_strategy *date = WITH(&f, "date", O("score", linear ? T("linear") : T("exponential")),
                                   O("scale", N(scale)), O("tolerance_days", N((double)tolerance)));
    long first = (long)test_random_below(&random, 60), second = (long)test_random_below(&random, 60);
    char days[2][40], texts[2][50];
    write_day(first, true, days[0]);
    write_day(second, false, days[1]);
    for (size_t k = 0; k < 2; k++) sprintf(texts[k], "\"%s\"", days[k]);
    double apart = (double)labs(first - second);
    double twin = apart <= (double)tolerance ? 1 : linear ? fmax(0, 1 - apart / scale) : exp(-apart / scale);
    ee_comparison result = compare(&f, date, texts[0], texts[1]);
    if (fabs(result.score - twin) > 1e-15) fail_msg("%s %s: %.17g, twin %.17g", texts[0], texts[1], result.score, twin);
    assert_int_equal(result.matched, apart <= (double)tolerance);
    fixture_close(&f);
  }
}

/* Dates that lack parts, part by part: 0 is missing. */
static void test_date_parts(void **state) {
  (void)state;
  static const char *const rules[] = {"equal", "expected", "common"};
  test_random random = test_random_start("parts of dates", 19);
  for (size_t i = 0; i < ROUNDS; i++) {
    fixture f;
    fixture_open(&f);
    size_t rule = test_random_below(&random, 3);
    ee_rule_value name = {.type = EE_RULE_TEXT, .text = ee_str_from(rules[rule])};
    const ee_strategy *date = WITH(&f, "date", O("partial", name));
    int parts[2][3];
    char texts[2][40];
    for (size_t k = 0; k < 2; k++) {
      int year = 2024 + (int)test_random_below(&random, 2), month = 1 + (int)test_random_below(&random, 2);
      int day = 13 + (int)test_random_below(&random, 2);
      size_t kind = test_random_below(&random, 4);
      int *p = parts[k];
      p[0] = kind == 3 ? 0 : year;
      p[1] = kind == 0 ? 0 : month;
      p[2] = kind >= 2 ? day : 0;
      if (kind == 0) sprintf(texts[k], test_random_below(&random, 2) == 1 ? "%d" : "\"%d\"", year);
      if (kind == 1) sprintf(texts[k], "\"%02d/%d\"", month, year);
      if (kind == 2) sprintf(texts[k], "\"%d-%02d-%d\"", year, month, day);
      if (kind == 3) sprintf(texts[k], "\"%d %s\"", day, month == 1 ? "January" : "February");
    }
    bool same = true, any = false, lacks = false, more = false;
    for (size_t k = 0; k < 3; k++) {
      int x = parts[0][k], y = parts[1][k];
      if (x != 0 && y != 0) same = same && x == y;
      any |= x != 0 && y != 0;
      lacks |= x != 0 && y == 0;
      more |= x == 0 && y != 0;
    }
    bool twin = any && same && (rule == 2 || !lacks) && (rule != 0 || !more);
    ee_comparison result = compare(&f, date, texts[0], texts[1]);
    if (result.failed || result.matched != twin)
      fail_msg("%s: %s %s should be %d", rules[rule], texts[0], texts[1], twin);
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

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_numeric), cmocka_unit_test(test_two_tolerances),
             cmocka_unit_test(test_closeness), cmocka_unit_test(test_closeness_of_extremes),
             cmocka_unit_test(test_fuzzy), cmocka_unit_test(test_set), cmocka_unit_test(test_date),
             cmocka_unit_test(test_date_ranges), cmocka_unit_test(test_date_distance),
             cmocka_unit_test(test_date_parts), cmocka_unit_test(test_reflexive));
