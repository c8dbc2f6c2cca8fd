/* test_date_match.c: counting, comparing and writing dates, against a calendar that is walked day by day. */
#include "prim/date.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "prim/calendar.h"
#include "support/random.h"

static ee_arena arena;

static int make_arena(void **state) {
  (void)state;
  ee_arena_init(&arena, 0);
  return 0;
}

static int free_arena(void **state) {
  (void)state;
  ee_arena_fini(&arena);
  return 0;
}

static void counts_every_day(void **state) {
  (void)state;
  int64_t epoch = walk_days(1970, 1, 1), count = 0;
  for (int year = 1; year <= 9999; year++)
    for (int month = 1; month <= 12; month++)
      for (int day = 1; day <= days_in_month(year, month); day++) {
        ee_date date = {.year = year, .month = month, .day = day};
        if (ee_date_days(&date) != count - epoch) fail_msg("%d-%d-%d", year, month, day);
        count++;
      }
  assert_int_equal(count, 3652059);
  ee_date epoch_day = {.year = 1970, .month = 1, .day = 1}, known = {.year = 2000, .month = 3, .day = 1};
  assert_int_equal(ee_date_days(&epoch_day), 0);
  assert_int_equal(ee_date_days(&known), 11017);
  known.has_time = true; /* the calendar day as written, whatever the time and the zone */
  known.hour = 23;
  known.has_offset = true;
  known.offset_minutes = -720;
  assert_int_equal(ee_date_days(&known), 11017);
}

static ee_date_format *compile(const char *format) {
  const char *why = NULL;
  ee_date_format *compiled = ee_date_format_compile(ee_str_from(format), &arena, &why);
  if (compiled == NULL) fail_msg("'%s' does not compile: %s", format, why);
  return compiled;
}

/* Matching ------------------------------------------------------------------------------------- */

static bool plain_match(const ee_date *a, const ee_date *b, double tolerance, double *distance) {
  int64_t days = walk_days(a->year, a->month, a->day) - walk_days(b->year, b->month, b->day);
  if (!a->has_time || !b->has_time) {
    *distance = (double)llabs(days);
    return *distance <= tolerance;
  }
  int64_t seconds = days * 86400 + (a->hour - b->hour) * 3600 + (a->minute - b->minute) * 60 + a->second - b->second;
  if (a->has_offset && b->has_offset) seconds -= (a->offset_minutes - b->offset_minutes) * 60;
  *distance = (double)llabs(seconds) / 86400;
  return (double)llabs(seconds) <= tolerance * 86400;
}

static ee_date random_date(test_random *random, int year) {
  ee_date date = {.year = year, .month = 1 + (int)test_random_below(random, 12)};
  date.day = 1 + (int)test_random_below(random, (size_t)days_in_month(date.year, date.month));
  if (test_random_below(random, 3) == 0) return date;
  date.has_time = true;
  date.hour = (int)test_random_below(random, 24);
  date.minute = (int)test_random_below(random, 4) * 15;
  date.second = (int)test_random_below(random, 2) * 59;
  date.millisecond = (int)test_random_below(random, 1000); /* equal to the second is equal */
  date.has_offset = test_random_below(random, 3) != 0;
  if (date.has_offset) date.offset_minutes = ((int)test_random_below(random, 53) - 24) * 15;
  return date;
}

static void matches_like_counted_days(void **state) {
  (void)state;
  test_random random = test_random_start("date: match", 502);
  static const double tolerances[] = {0, 0, 0, 0.25, 0.5, 1, 1.5, 2, 7, 30, 365};
  size_t matched = 0;
  for (int round = 0; round < 30000; round++) {
    int year =
        round % 16 == 0 ? 1 + (int)test_random_below(&random, 9998) : 1900 + (int)test_random_below(&random, 200);
    ee_date a = random_date(&random, year), b = random_date(&random, year + (test_random_below(&random, 8) == 0));
    if (round % 2 == 0) {
      b.month = a.month;
      b.day = a.day > 28 ? a.day : 1 + (a.day + (int)test_random_below(&random, 3)) % 28;
      b.year = a.year;
    }
    if (round % 8 == 0) b.day = a.day;
    if (round % 4 == 0 && a.has_time && b.has_time) { /* the same moment in another zone, or a second off */
      b = a;
      b.millisecond = (int)test_random_below(&random, 1000);
      int shift = (int)test_random_below(&random, (size_t)(24 - b.hour));
      b.hour += shift;
      if (b.has_offset) b.offset_minutes += 60 * shift;
      if (test_random_below(&random, 3) == 0) b.second = (b.second + 1) % 60;
    }
    double tolerance = tolerances[test_random_below(&random, 11)], distance = -1, expected;
    bool match = plain_match(&a, &b, tolerance, &expected);
    matched += match;
    if (ee_date_match(&a, &b, tolerance, &distance) != match)
      fail_msg("round %d: %d-%d-%d %d:%d:%d %d against %d-%d-%d %d:%d:%d %d, tolerance %g: should be %d", round, a.year,
               a.month, a.day, a.hour, a.minute, a.second, a.offset_minutes, b.year, b.month, b.day, b.hour, b.minute,
               b.second, b.offset_minutes, tolerance, match);
    if (!(fabs(distance - expected) <= 1e-9))
      fail_msg("round %d: distance %.17g, not %.17g", round, distance, expected);
    assert_int_equal(ee_date_match(&b, &a, tolerance, NULL), match);
    assert_true(ee_date_match(&a, &a, 0, &distance));
    assert_true(distance == 0);
  }
  assert_true(matched > 3000 && matched < 27000);
}

static bool texts_match(const char *x, const char *y, const char *format_one, const char *format_two,
                        double tolerance) {
  const ee_date_format *formats[2];
  size_t count = 0;
  if (format_one != NULL) formats[count++] = compile(format_one);
  if (format_two != NULL) formats[count++] = compile(format_two);
  ee_date a, b;
  return ee_date_parse(ee_str_from(x), formats, count, &a) == EE_DATE_OK &&
         ee_date_parse(ee_str_from(y), formats, count, &b) == EE_DATE_OK && ee_date_match(&a, &b, tolerance, NULL);
}

/* What another evaluator says of dates in fields, but for its defects: days that do not exist, garbage with a number in
 * it, formats that are ignored, and the time zone of the machine. */
static void agrees_with_known_cases(void **state) {
  (void)state;
  static const struct {
    const char *candidate, *expected, *format_one, *format_two;
    bool match;
  } facts[] = {
      {"2025-01-15", "15-JAN-2025", "DD-MMM-YYYY", "YYYY-MM-DD", true},
      {"2025-01-15", "15-JAN-2025", NULL, NULL, true},
      {"2025-01-15T10:30:00Z", "2025-01-15", NULL, NULL, true},
      {"15-January-2025", "2025-01-15", NULL, NULL, true},
      {"15 Jan 2025", "2025-01-15", NULL, NULL, true},
      {"31/12/2025", "2025-12-31", NULL, NULL, true},
      {"12/31/2025", "2025-12-31", NULL, NULL, true},
      {"03/04/2025", "2025-04-03", "DD/MM/YYYY", "YYYY-MM-DD", true},
      {"03/04/2025", "2025-03-04", "DD/MM/YYYY", "YYYY-MM-DD", false},
      {"03/04/2025", "2025-04-03", NULL, NULL, false},
      {"30-FEB-2025", "2025-03-02", NULL, NULL, false},
      {"about 12", "2001-12-01", NULL, NULL, false},
      {"", "2025-01-15", NULL, NULL, false},
      {"29-FEB-2024", "2024-02-29", NULL, NULL, true},
      {"2025/01/15", "2025-01-15", NULL, NULL, true},
      {"15-JAN-25", "2025-01-15", NULL, NULL, true},
      {"20250115", "2025-01-15", NULL, NULL, true},
      {"2025-01-16", "2025-01-15", NULL, NULL, false},
      {"2025-01-15T23:30:00-05:00", "2025-01-16T04:30:00Z", NULL, NULL, true},
      {"2025-01-15T23:30:00-05:00", "2025-01-15", NULL, NULL, true}, /* the calendar day as written */
      {"2025-01-15T23:30:00-05:00", "2025-01-16", NULL, NULL, false},
      {"2025-01-15T10:30:00", "2025-01-15T10:30:00+02:00", NULL, NULL, true}, /* one offset: as written */
      {"2025-01-15T10:30:00.000Z", "2025-01-15T10:30:00.999Z", NULL, NULL, true},
      {"2025-01-15T10:30:00Z", "2025-01-15T10:30:01Z", NULL, NULL, false},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    if (texts_match(facts[i].candidate, facts[i].expected, facts[i].format_one, facts[i].format_two, 0) !=
        facts[i].match)
      fail_msg("'%s' against '%s'", facts[i].candidate, facts[i].expected);
  assert_true(texts_match("2025-01-16", "2025-01-15", NULL, NULL, 1));
  assert_false(texts_match("2025-01-17", "2025-01-15", NULL, NULL, 1));
  assert_true(texts_match("2025-01-01", "2024-12-31", NULL, NULL, 1));
  assert_true(texts_match("2025-01-15T10:30:00Z", "2025-01-16T10:30:00Z", NULL, NULL, 1));
  assert_false(texts_match("2025-01-15T10:30:00Z", "2025-01-16T10:30:01Z", NULL, NULL, 1));
  /* 0.7 days are 60480 seconds, though 0.7 * 86400 falls short of that; 0.1 days are 8640. */
  assert_true(texts_match("2025-01-15T00:00:00Z", "2025-01-15T16:48:00Z", NULL, NULL, 0.7));
  assert_false(texts_match("2025-01-15T00:00:00Z", "2025-01-15T16:48:01Z", NULL, NULL, 0.7));
  assert_true(texts_match("2025-01-15T00:00:00Z", "2025-01-15T02:24:00Z", NULL, NULL, 0.1));
  assert_false(texts_match("2025-01-15T00:00:00Z", "2025-01-15T02:24:01Z", NULL, NULL, 0.1));
}

/* Writing -------------------------------------------------------------------------------------- */

static void writes_iso_that_reads_back(void **state) {
  (void)state;
  char text[40];
  ee_date date = {.year = 2025, .month = 1, .day = 15};
  assert_int_equal(ee_date_format_iso(&date, text), 10);
  assert_string_equal(text, "2025-01-15");
  date.has_time = true;
  date.hour = 10;
  date.minute = 30;
  date.has_offset = true;
  ee_date_format_iso(&date, text);
  assert_string_equal(text, "2025-01-15T10:30:00Z");
  test_random random = test_random_start("date: iso", 503);
  for (int round = 0; round < 20000; round++) {
    ee_date want = random_date(&random, 1 + (int)test_random_below(&random, 9999)), got;
    memset(text, '#', sizeof text);
    size_t length = ee_date_format_iso(&want, text);
    assert_true(length < sizeof text);
    assert_int_equal(text[length], '\0');
    if (ee_date_parse((ee_str){text, length}, NULL, 0, &got) != EE_DATE_OK) fail_msg("'%s' is not read", text);
    if (got.year != want.year || got.month != want.month || got.day != want.day || got.has_time != want.has_time ||
        got.hour != want.hour || got.minute != want.minute || got.second != want.second ||
        got.has_offset != want.has_offset || got.offset_minutes != want.offset_minutes)
      fail_msg("'%s' is not what was written", text);
  }
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(counts_every_day), cmocka_unit_test(matches_like_counted_days),
             cmocka_unit_test(agrees_with_known_cases), cmocka_unit_test(writes_iso_that_reads_back));
