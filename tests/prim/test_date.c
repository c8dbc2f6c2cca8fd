/* test_date.c: dates by declared and default formats, comparing and writing them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prim/date.h"
#include "support/arena.h"
#include "support/random.h"

static const char *const test_month_names[] = {"January", "February", "March",     "April",   "May",      "June",
                                               "July",    "August",   "September", "October", "November", "December"};

static int days_in_month(int year, int month) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month == 2 && (year % 400 == 0 || (year % 4 == 0 && year % 100 != 0))) return 29;
  return days[month - 1];
}

static int is_day(int year, int month, int day) {
  return year >= 1 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= days_in_month(year, month);
}

/* Days from 1 January of the year 1. */
static int64_t walk_days(int year, int month, int day) {
  int64_t days = 0;
  for (int y = 1; y < year; y++) days += days_in_month(y, 2) == 29 ? 366 : 365;
  for (int m = 1; m < month; m++) days += days_in_month(year, m);
  return days + day - 1;
}

/* Reading -------------------------------------------------------------------------------------- */

static ee_date_format *compile(const char *format) {
  const char *why = NULL;
  ee_date_format *compiled = ee_date_format_compile(ee_str_from(format), &arena, &why);
  if (compiled == NULL) fail_msg("'%s' does not compile: %s", format, why);
  return compiled;
}

/* By one declared format, or by the default formats when `format` is NULL. The text ends where its memory does. */
static ee_date_status read_date(const char *text, const char *format, ee_date *date) {
  size_t length = strlen(text);
  char *exact = malloc(length + (length == 0));
  memcpy(exact, text, length);
  const ee_date_format *formats[1] = {NULL};
  if (format != NULL) formats[0] = compile(format);
  memset(date, 0, sizeof *date);
  ee_date_status status = ee_date_parse((ee_str){exact, length}, formats, format != NULL, date);
  if (format == NULL && ee_date_looks_like((ee_str){exact, length})) assert_int_equal(status, EE_DATE_OK);
  free(exact);
  return status;
}

static void assert_day(const char *text, const char *format, int year, int month, int day) {
  ee_date date;
  ee_date_status status = read_date(text, format, &date);
  if (status != EE_DATE_OK) fail_msg("'%s' by '%s' is not read", text, format != NULL ? format : "default");
  if (date.year != year || date.month != month || date.day != day)
    fail_msg("'%s' by '%s' is read as %d-%d-%d", text, format != NULL ? format : "default", date.year, date.month,
             date.day);
}

static void assert_time(const char *text, const char *format, int hour, int minute, int second, int millisecond) {
  ee_date date;
  if (read_date(text, format, &date) != EE_DATE_OK) fail_msg("'%s' is not read", text);
  assert_true(date.has_time);
  if (date.hour != hour || date.minute != minute || date.second != second || date.millisecond != millisecond)
    fail_msg("'%s' is read as %d:%d:%d.%03d", text, date.hour, date.minute, date.second, date.millisecond);
}

static void assert_status(const char *text, const char *format, ee_date_status expected) {
  ee_date date;
  ee_date_status status = read_date(text, format, &date);
  if (status != expected)
    fail_msg("'%s' by '%s': status %d, not %d", text, format != NULL ? format : "default", status, expected);
}

static void reads_the_default_formats(void **state) {
  (void)state;
  ee_date date;
  assert_day("2025-01-15", NULL, 2025, 1, 15);
  assert_day("  2025-01-15\n", NULL, 2025, 1, 15);
  assert_day("0001-01-01", NULL, 1, 1, 1);
  assert_day("9999-12-31", NULL, 9999, 12, 31);
  assert_day("15-JAN-2025", NULL, 2025, 1, 15);
  assert_day("15-Jan-2025", NULL, 2025, 1, 15);
  assert_day("15-jan-2025", NULL, 2025, 1, 15);
  assert_day("5-JAN-2025", NULL, 2025, 1, 5);
  assert_day("15-January-2025", NULL, 2025, 1, 15);
  assert_day("15 Jan 2025", NULL, 2025, 1, 15);
  assert_day("15 SEPTEMBER 2025", NULL, 2025, 9, 15);
  assert_day("5 May 2025", NULL, 2025, 5, 5);
  assert_day("Jan 15, 2025", NULL, 2025, 1, 15);
  assert_day("January 5, 2025", NULL, 2025, 1, 5);
  assert_day("29-FEB-2024", NULL, 2024, 2, 29);
  assert_day("2025/01/15", NULL, 2025, 1, 15); /* the year first: no doubt about the order */
  assert_day("2025.01.15", NULL, 2025, 1, 15);
  assert_day("15 Jan 25", NULL, 2025, 1, 15);
  assert_day("Jan 15 2025", NULL, 2025, 1, 15);
  assert_day("20250115", NULL, 2025, 1, 15); /* ISO 8601's basic form */
  assert_day("15-JAN-25", NULL, 2025, 1, 15);
  assert_day("15-JAN-69", NULL, 1969, 1, 15);
  assert_day("31/12/2025", NULL, 2025, 12, 31);
  assert_day("12/31/2025", NULL, 2025, 12, 31);
  assert_day("31.12.2025", NULL, 2025, 12, 31);
  assert_day("12-31-2025", NULL, 2025, 12, 31);
  assert_day("05/05/2025", NULL, 2025, 5, 5); /* both orders are the same day */
  assert_int_equal(read_date("2025-01-15", NULL, &date), EE_DATE_OK);
  assert_false(date.has_time);
  assert_false(date.has_offset);

  assert_time("2025-01-15T10:30:00Z", NULL, 10, 30, 0, 0);
  assert_time("2025-01-15T10:30:59", NULL, 10, 30, 59, 0);
  assert_time("2025-01-15 10:30", NULL, 10, 30, 0, 0);
  assert_time("2025-01-15T00:00:00.123Z", NULL, 0, 0, 0, 123);
  assert_time("2025-01-15T00:00:00.5", NULL, 0, 0, 0, 500);
  assert_time("2025-01-15T00:00:00.1239999Z", NULL, 0, 0, 0, 123);
  assert_time("20250115T103059", NULL, 10, 30, 59, 0);
  assert_time("20250115T1030Z", NULL, 10, 30, 0, 0);
  assert_time("20250115T10:30", NULL, 10, 30, 0, 0);
  assert_time("2025-01-15T23:59:60Z", NULL, 23, 59, 60, 0); /* a leap second */
  static const struct {
    const char *text;
    bool has_offset;
    int minutes;
  } zones[] = {
      {"2025-01-15T10:30:00", false, 0},         {"2025-01-15T10:30:00Z", true, 0},
      {"2025-01-15T10:30:00+00:00", true, 0},    {"2025-01-15T10:30:00+02:00", true, 120},
      {"2025-01-15T10:30:00-05:30", true, -330}, {"2025-01-15T10:30:00.25+14:00", true, 840},
      {"2025-01-15T10:30:00+23:59", true, 1439}, {"2025-01-15T10:30:00-23:59", true, -1439},
      {"2025-01-15T10:30+0530", true, 330},      {"2025-01-15 10:30:00-08", true, -480},
  };
  for (size_t i = 0; i < sizeof zones / sizeof *zones; i++) {
    if (read_date(zones[i].text, NULL, &date) != EE_DATE_OK) fail_msg("'%s' is not read", zones[i].text);
    assert_int_equal(date.has_offset, zones[i].has_offset);
    assert_int_equal(date.offset_minutes, zones[i].minutes);
    assert_int_equal(date.day, 15);
    assert_int_equal(date.hour, 10);
  }

  static const char *const unparseable[] = {
      "30-FEB-25",
      "15-JAN-2",
      "20250115T10",
      "20250115T1",
      "20250115T",
      "15-JA-2025",
      "15-SEPTEMBERS-2025",
      "15-J-2025",
      "15-XAN-2025",
      "15-AN-2025",
      "Feb 30, 2025",
      "Feb 29, 2023",
      "Jan 15, 2025x",
      "Jan 15, 2025 1",
      "Jan 15,2025x",
      "Ja 15, 2025",
      "2025_01_15",
      "2025-01-15x10:30",
      "2025-01-15_10:30",
      "2025-01-15T10",
      "2025-01-15T10:3",
      "2025-01-15T10:30:00+24:00",
      "2025-01-15T10:30:00+99:00",
      "2025-01-15T10:30:00+02:60",
      "2025-01-15T10:30:00+2",
      "2025-01-15T10:30:5",
      "2025-01-15T10:30:005",
      "15-JAN-2025x",
      "15-JAN-02025",
      "15-JAN-205",
      "20250230",
      "2025011",
      "202501155",
      "31/12/25x",
      "115-JAN-2025",
      "",
      " ",
      "abc",
      "about 12",
      "12",
      "2025",
      "2025-01",
      "Jan 2025",
      "15 Jan",
      "30-FEB-2025",
      "29-FEB-2025",
      "31-APR-2025",
      "2025-02-30",
      "2025-13-01",
      "2025-00-10",
      "2025-01-00",
      "2025-01-32",
      "0000-01-01",
      "2025-1",
      "2025-01-15x",
      "x2025-01-15",
      "2025-01-15T",
      "2025-01-15T25:00:00",
      "2025-01-15T24:30:00",
      "2025-01-15T10:60:00",
      "2025-01-15T10:30:61",
      "2025-01-15T10:30:00ZZ",
      "2025-01-15T10:30:00+",
      "15-JAN",
      "15-JXN-2025",
      "15-JANU-2025",
      "32 Jan 2025",
      "0 Jan 2025",
      "13/13/2025",
      "30/02/2025",
      "00/12/2025",
      "12/00/2025",
      "2025-01-15 2025-01-15",
      "--",
      "//",
      "1//2025",
      "99/99/9999",
      "-2025-01-15",
      "+2025-01-15",
  };
  for (size_t i = 0; i < sizeof unparseable / sizeof *unparseable; i++)
    assert_status(unparseable[i], NULL, EE_DATE_UNPARSEABLE);
  assert_int_equal(ee_date_parse((ee_str){NULL, 0}, NULL, 0, &date), EE_DATE_UNPARSEABLE);
  assert_false(ee_date_looks_like((ee_str){NULL, 0}));
  static const char *const ambiguous[] = {"03/04/2025", "3/4/2025",   "03-04-2025",
                                          "03.04.2025", "12/11/2025", "01/02/2000"};
  for (size_t i = 0; i < sizeof ambiguous / sizeof *ambiguous; i++)
    assert_status(ambiguous[i], NULL, EE_DATE_AMBIGUOUS);
}

/* Every pair of numbers before a year, against both orders on the calendar. */
static void tells_day_and_month_apart(void **state) {
  (void)state;
  static const int years[] = {2023, 2024};
  for (int y = 0; y < 2; y++)
    for (int first = 0; first <= 40; first++)
      for (int second = 0; second <= 40; second++)
        for (const char *separator = "/.-"; *separator != '\0'; separator++) {
          char text[32];
          sprintf(text, "%02d%c%02d%c%d", first, *separator, second, *separator, years[y]);
          int day_first = is_day(years[y], second, first), month_first = is_day(years[y], first, second);
          if (day_first && month_first && first != second)
            assert_status(text, NULL, EE_DATE_AMBIGUOUS);
          else if (day_first)
            assert_day(text, NULL, years[y], second, first);
          else if (month_first)
            assert_day(text, NULL, years[y], first, second);
          else
            assert_status(text, NULL, EE_DATE_UNPARSEABLE);
        }
}

static void checks_the_calendar(void **state) {
  (void)state;
  static const int years[] = {1, 4, 100, 400, 1582, 1899, 1900, 2000, 2023, 2024, 2100, 9999};
  for (size_t y = 0; y < sizeof years / sizeof *years; y++)
    for (int month = 0; month <= 13; month++)
      for (int day = 0; day <= 33; day++) {
        char iso[32], german[32], named[32];
        sprintf(iso, "%04d-%02d-%02d", years[y], month, day);
        sprintf(german, "%02d.%02d.%04d", day, month, years[y]);
        if (is_day(years[y], month, day)) {
          assert_day(iso, NULL, years[y], month, day);
          assert_day(iso, "YYYY-MM-DD", years[y], month, day);
          assert_day(german, "DD.MM.YYYY", years[y], month, day);
        } else {
          assert_status(iso, NULL, EE_DATE_UNPARSEABLE);
          assert_status(iso, "YYYY-MM-DD", EE_DATE_UNPARSEABLE);
          assert_status(german, "DD.MM.YYYY", EE_DATE_UNPARSEABLE);
        }
        if (month < 1 || month > 12) continue;
        sprintf(named, "%02d-%.3s-%04d", day, test_month_names[month - 1], years[y]);
        if (is_day(years[y], month, day))
          assert_day(named, NULL, years[y], month, day);
        else
          assert_status(named, NULL, EE_DATE_UNPARSEABLE);
      }
}

static void reads_declared_formats(void **state) {
  (void)state;
  assert_day("03/04/2025", "DD/MM/YYYY", 2025, 4, 3); /* declared, so not ambiguous */
  assert_day("03/04/2025", "MM/DD/YYYY", 2025, 3, 4);
  assert_day("3/4/2025", "D/M/YYYY", 2025, 4, 3);
  assert_day("13/4/2025", "D/M/YYYY", 2025, 4, 13);
  assert_day("20250115", "YYYYMMDD", 2025, 1, 15);
  assert_day("15-JAN-25", "DD-MMM-YY", 2025, 1, 15);
  assert_day("15-JAN-00", "DD-MMM-YY", 2000, 1, 15);
  assert_day("15-JAN-68", "DD-MMM-YY", 2068, 1, 15);
  assert_day("15-JAN-69", "DD-MMM-YY", 1969, 1, 15);
  assert_day("15-JAN-99", "DD-MMM-YY", 1999, 1, 15);
  assert_day("january 15 2025", "MMMM D YYYY", 2025, 1, 15);
  assert_day("MAY 5 2025", "MMMM D YYYY", 2025, 5, 5);
  assert_day("day 15 of 01 in 2025", "[day] DD [of] MM [in] YYYY", 2025, 1, 15);
  assert_day("2025/01/15", "YYYY/MM/DD", 2025, 1, 15);
  assert_day(" 2025/01/15 ", "YYYY/MM/DD", 2025, 1, 15);
  assert_day("2025\u5e7401\u670815\u65e5", "YYYY\u5e74MM\u6708DD\u65e5", 2025, 1, 15);
  assert_time("2025-01-15 09:05:07.089", "YYYY-MM-DD HH:mm:ss.SSS", 9, 5, 7, 89);
  assert_time("2025-01-15T10:30", "YYYY-MM-DDTHH:mm", 10, 30, 0, 0);
  assert_time("01/15/2025 12:00 AM", "MM/DD/YYYY HH:mm A", 0, 0, 0, 0);
  assert_time("01/15/2025 12:30 PM", "MM/DD/YYYY HH:mm A", 12, 30, 0, 0);
  assert_time("01/15/2025 01:30 pm", "MM/DD/YYYY HH:mm A", 13, 30, 0, 0);
  assert_time("01/15/2025 11:59 am", "MM/DD/YYYY HH:mm A", 11, 59, 0, 0);
  assert_status("01/15/2025 13:00 PM", "MM/DD/YYYY HH:mm A", EE_DATE_UNPARSEABLE);
  assert_status("01/15/2025 00:30 AM", "MM/DD/YYYY HH:mm A", EE_DATE_UNPARSEABLE);
  assert_status("01/15/2025 10:30 XM", "MM/DD/YYYY HH:mm A", EE_DATE_UNPARSEABLE);
  assert_status("2025-01-15 24:00", "YYYY-MM-DD HH:mm", EE_DATE_UNPARSEABLE);
  assert_status("2025-01-15 10:60", "YYYY-MM-DD HH:mm", EE_DATE_UNPARSEABLE);
  assert_status("2025-01-15", "DD/MM/YYYY", EE_DATE_UNPARSEABLE);
  assert_status("31/12/2025", "MM/DD/YYYY", EE_DATE_UNPARSEABLE);           /* no guess once a format is declared */
  assert_status("2025-01-15T10:30:00Z", "YYYY-MM-DD", EE_DATE_UNPARSEABLE); /* the whole text */
  assert_status("2025-01-15", "YYYY-MM-DDTHH:mm", EE_DATE_UNPARSEABLE);
  assert_status("", "YYYY-MM-DD", EE_DATE_UNPARSEABLE);
  assert_status("30-FEB-2025", "DD-MMM-YYYY", EE_DATE_UNPARSEABLE);
  assert_status("202501155", "YYYYMMDD", EE_DATE_UNPARSEABLE);
  ee_date date;
  static const struct {
    const char *text;
    int minutes;
  } zones[] = {{"Z", 0}, {"+02:00", 120}, {"-0330", -210}, {"+05", 300}};
  for (size_t i = 0; i < sizeof zones / sizeof *zones; i++) {
    char text[64];
    sprintf(text, "2025-01-15 10:30 %s", zones[i].text);
    assert_int_equal(read_date(text, "YYYY-MM-DD HH:mm Z", &date), EE_DATE_OK);
    assert_true(date.has_offset);
    assert_int_equal(date.offset_minutes, zones[i].minutes);
  }
  /* The first format that fits, in the order given. */
  const ee_date_format *both[] = {compile("DD/MM/YYYY"), compile("MM/DD/YYYY")}, *turned[] = {both[1], both[0]};
  assert_int_equal(ee_date_parse(EE_STR("03/04/2025"), both, 2, &date), EE_DATE_OK);
  assert_int_equal(date.month, 4);
  assert_int_equal(ee_date_parse(EE_STR("03/04/2025"), turned, 2, &date), EE_DATE_OK);
  assert_int_equal(date.month, 3);
  assert_int_equal(ee_date_parse(EE_STR("12/31/2025"), both, 2, &date), EE_DATE_OK);
  assert_int_equal(date.day, 31);
  assert_int_equal(ee_date_parse(EE_STR("2025-12-31"), both, 2, &date), EE_DATE_UNPARSEABLE);
}

static void refuses_bad_formats(void **state) {
  (void)state;
  static const char *const bad[] = {
      "",
      "YYYY",
      "MM/DD",
      "YYYY-MM",
      "DD.MM",
      "HH:mm",
      "YYYY-MM-DD YYYY",
      "YYYY-MM-DD DD",
      "YYYY-MM-DD HH:mm HH",
      "YYYY-MM-DD hh:mm",
      "YYYY-MM-DD h:mm A",
      "YYYY-MM-DD QQ",
      "YYY-MM-DD",
      "YYYYY-MM-DD",
      "YYYY-MM-DDD",
      "yyyy-mm-dd",
      "YYYY-MM-DD foo",
      "YYYY-MM-DD HH:MM",
      "%Y-%m-%d",
      "[YYYY-MM-DD]",
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const char *why = NULL;
    if (ee_date_format_compile(ee_str_from(bad[i]), &arena, &why) != NULL) fail_msg("'%s' compiles", bad[i]);
    assert_non_null(why);
    assert_true(why[0] != '\0');
  }
}

/* Dates written by random formats are read back. */
static void reads_what_was_written(void **state) {
  (void)state;
  test_random random = test_random_start("date: written", 501);
  static const char *const separators[] = {"/", "-", ".", " ", ", ", "_"};
  for (int round = 0; round < 20000; round++) {
    ee_date want = {.year = 1969 + (int)test_random_below(&random, 100)};
    want.month = 1 + (int)test_random_below(&random, 12);
    want.day = 1 + (int)test_random_below(&random, (size_t)days_in_month(want.year, want.month));
    char format[128] = "", text[128] = "", part[32];
    const char *separator = separators[test_random_below(&random, 6)];
    int order[3] = {0, 1, 2};
    for (int i = 2; i > 0; i--) {
      int k = (int)test_random_below(&random, (size_t)i + 1), kept = order[i];
      order[i] = order[k];
      order[k] = kept;
    }
    for (int i = 0; i < 3; i++) {
      if (i > 0) strcat(format, separator), strcat(text, separator);
      const char *name = test_month_names[want.month - 1];
      switch (order[i] * 4 + (int)test_random_below(&random, order[i] == 1 ? 4 : 2)) {
      case 0: strcat(format, "YYYY"), sprintf(part, "%04d", want.year); break;
      case 1: strcat(format, "YY"), sprintf(part, "%02d", want.year % 100); break;
      case 4: strcat(format, "MM"), sprintf(part, "%02d", want.month); break;
      case 5: strcat(format, "M"), sprintf(part, "%d", want.month); break;
      case 6: strcat(format, "MMM"), sprintf(part, "%.3s", name); break;
      case 7: strcat(format, "MMMM"), sprintf(part, "%s", name); break;
      case 8: strcat(format, "DD"), sprintf(part, "%02d", want.day); break;
      default: strcat(format, "D"), sprintf(part, "%d", want.day); break;
      }
      if (test_random_below(&random, 2) == 0)
        for (char *c = part; *c != '\0'; c++)
          if (*c >= 'a' && *c <= 'z') *c = (char)(*c - 32);
      strcat(text, part);
    }
    want.has_time = test_random_below(&random, 2) == 0;
    if (want.has_time) {
      want.hour = (int)test_random_below(&random, 24);
      want.minute = (int)test_random_below(&random, 60);
      bool halves = test_random_below(&random, 3) == 0;
      strcat(format, " HH:mm");
      sprintf(part, " %02d:%02d", halves ? (want.hour % 12 == 0 ? 12 : want.hour % 12) : want.hour, want.minute);
      strcat(text, part);
      if (test_random_below(&random, 2) == 0) {
        want.second = (int)test_random_below(&random, 60);
        want.millisecond = (int)test_random_below(&random, 1000);
        strcat(format, ":ss.SSS");
        sprintf(part, ":%02d.%03d", want.second, want.millisecond);
        strcat(text, part);
      }
      if (halves) strcat(format, " A"), strcat(text, want.hour < 12 ? " AM" : " PM");
      want.has_offset = test_random_below(&random, 2) == 0;
      if (want.has_offset) {
        want.offset_minutes = ((int)test_random_below(&random, 53) - 24) * 15;
        int minutes = abs(want.offset_minutes);
        strcat(format, "Z");
        sprintf(part, "%c%02d:%02d", want.offset_minutes < 0 ? '-' : '+', minutes / 60, minutes % 60);
        strcat(text, part);
      }
    }
    ee_date got;
    if (read_date(text, format, &got) != EE_DATE_OK) fail_msg("'%s' by '%s' is not read", text, format);
    if (got.year != want.year || got.month != want.month || got.day != want.day || got.has_time != want.has_time ||
        got.hour != want.hour || got.minute != want.minute || got.second != want.second ||
        got.millisecond != want.millisecond || got.has_offset != want.has_offset ||
        got.offset_minutes != want.offset_minutes)
      fail_msg("'%s' by '%s' is read as %d-%d-%d %d:%d:%d.%d %d", text, format, got.year, got.month, got.day, got.hour,
               got.minute, got.second, got.millisecond, got.offset_minutes);
    if (round % 100 == 0) ee_arena_reset(&arena, 0);
  }
}

/* Texts of the right pieces in any order: never a crash, and never a day that the calendar has not. */
static void survives_junk(void **state) {
  (void)state;
  test_random random = test_random_start("date: junk", 504);
  static const char *const pieces[] = {
      "2025", "1999", "0", "1",   "02",       "12",  "31", "29", "-",      "/",      ".",     ":",      " ",
      "T",    "Z",    "+", "Jan", "FEBRUARY", "sep", ",",  "AM", "\u00a0", "\u0661", "10:30", "-05:00", "2025-01-15"};
  static const char *const format_pieces[] = {"YYYY", "YY", "MM", "M",   "MMM", "MMMM", "DD",    "D",
                                              "HH",   "mm", "ss", "SSS", "A",   "Z",    "[",     "]",
                                              "[at]", "-",  "/",  " ",   "T",   "x",    "\u5e74"};
  size_t read = 0;
  for (int round = 0; round < 60000; round++) {
    char text[160] = "", format[160] = "";
    for (size_t n = 1 + test_random_below(&random, 8); n > 0; n--)
      strcat(text, pieces[test_random_below(&random, sizeof pieces / sizeof *pieces)]);
    for (size_t n = 1 + test_random_below(&random, 8); n > 0; n--)
      strcat(format, format_pieces[test_random_below(&random, sizeof format_pieces / sizeof *format_pieces)]);
    const char *why = NULL;
    ee_date_format *compiled = ee_date_format_compile(ee_str_from(format), &arena, &why);
    assert_true(compiled != NULL || why != NULL);
    for (int way = 0; way < (compiled != NULL ? 2 : 1); way++) {
      ee_date date;
      memset(&date, 0, sizeof date);
      const ee_date_format *formats[] = {compiled};
      if (ee_date_parse(ee_str_from(text), formats, (size_t)way, &date) != EE_DATE_OK) continue;
      read++;
      if (!is_day(date.year, date.month, date.day) || date.hour < 0 || date.hour > 23 || date.minute < 0 ||
          date.minute > 59 || date.second < 0 || date.second > 60 || date.millisecond < 0 || date.millisecond > 999)
        fail_msg("'%s' by '%s' gave %d-%d-%d %d:%d:%d", text, way == 0 ? "default" : format, date.year, date.month,
                 date.day, date.hour, date.minute, date.second);
    }
    if (round % 100 == 0) ee_arena_reset(&arena, 0);
  }
  assert_true(read > 100);
}

/* Date match ------------------------------------------------------------------------------------ */

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

/* Excel's serial numbers against days counted one by one; its 29 February 1900 is not a date. */
static void counts_serial_days(void **state) {
  (void)state;
  const char *why;
  const ee_date_format *format = ee_date_format_compile(EE_STR("excel"), &arena, &why);
  int serial = 0;
  for (int year = 1900; year <= 9999; year++)
    for (int month = 1; month <= 12; month++)
      for (int day = 1; day <= days_in_month(year, month); day++) {
        if (++serial == 60) serial++;
        if (year > 2100 && year < 9990) continue;
        char text[16];
        ee_date date;
        snprintf(text, sizeof text, "%d", serial);
        if (ee_date_parse(ee_str_from(text), &format, 1, &date) != EE_DATE_OK || date.has_time || date.year != year ||
            date.month != month || date.day != day)
          fail_msg("%d is not %d-%d-%d", serial, year, month, day);
      }
  assert_int_equal(serial, 2958465);
  ee_date date;
  static const char *const bad[] = {"60", "0", "0.5", "2958466", "-1", "1e4", "4.5.6", "45000,5", "", ".5", "45000."};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (ee_date_parse(ee_str_from(bad[i]), &format, 1, &date) == EE_DATE_OK) fail_msg("'%s' is a date", bad[i]);
  assert_int_equal(ee_date_parse(EE_STR("45000.75"), &format, 1, &date), EE_DATE_OK);
  assert_true(date.has_time && date.day == 15 && date.month == 3 && date.hour == 18 && date.minute == 0);
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

/* By itself: elsewhere what it says no to is read by the order of day and month. */
static void knows_what_looks_like_a_date(void **state) {
  (void)state;
  static const char *const dates[] = {"2025-01-15",
                                      "2025-01-15T10:30",
                                      "2025-01-15 10:30:05",
                                      "2025-01-15T10:30:05.123Z",
                                      "2025-01-15T10:30:05+01:00",
                                      "2025/01/15",
                                      "2025.01.15",
                                      "15-Jan-2025",
                                      "5-JAN-2025",
                                      "15 January 2025",
                                      "5 Jan 25",
                                      "Jan 5, 2025",
                                      "January 15 2025",
                                      "31/12/2025",
                                      "12/31/2025",
                                      "1/13/2025",
                                      "13/1/2025",
                                      "31.12.2025",
                                      "31-12-2025",
                                      "5/5/2025",
                                      "1/1/2025",
                                      " 2025-01-15\n",
                                      "20250115T103000Z"};
  static const char *const others[] = {"",
                                       "1/1/202",
                                       "2025-01-1",
                                       "2025-13-01",
                                       "2025-02-30",
                                       "2025-01-15T10",
                                       "2025-01-15T1030",
                                       "2025-01-15T10.30",
                                       "2025-01-15T24:30",
                                       "2025-01-15x",
                                       "2025-01-15:",
                                       "03/04/2025",
                                       "31/12/25",
                                       "31/12-2025",
                                       "31/12/12025",
                                       "123/1/2025",
                                       "1/123/2025",
                                       "Jan 2025",
                                       "15 Foo 2025",
                                       "January 32, 2025",
                                       "abcdefgh",
                                       "12345678",
                                       "1234567890",
                                       "$2025-01-15"};
  for (size_t i = 0; i < sizeof dates / sizeof *dates; i++)
    if (!ee_date_looks_like(ee_str_from(dates[i]))) fail_msg("'%s' is a date", dates[i]);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (ee_date_looks_like(ee_str_from(others[i]))) fail_msg("'%s' is no date by itself", others[i]);
}

static void knows_the_borders_of_formats(void **state) {
  (void)state;
  assert_false(ee_date_is_valid(&(ee_date){.year = 10000, .month = 1, .day = 1}));
  assert_false(ee_date_is_valid(&(ee_date){.year = 0, .month = 1, .day = 1}));
  assert_time("2025-01-15T10:30:00z", NULL, 10, 30, 0, 0);
  assert_time("20250115T1030", NULL, 10, 30, 0, 0);
  assert_time("20250115T1030Z", NULL, 10, 30, 0, 0);
  assert_time("2025-01-15T10:30:05,25", NULL, 10, 30, 5, 250);
  static const char *const not_dates[] = {"2025-01-15T10:30:00+01:5", "2025-01-15T10:30:00+1", "15-Jan-2a", "30-Feb-25",
                                          "2025-01-15T10:30:0",       "2025-01-15T10:30:00.x5"};
  ee_date date;
  for (size_t i = 0; i < sizeof not_dates / sizeof *not_dates; i++)
    if (read_date(not_dates[i], NULL, &date) == EE_DATE_OK) fail_msg("'%s' is read", not_dates[i]);
  /* A half of the day without an hour says nothing. */
  assert_day("2025-01-15 PM", "YYYY-MM-DD A", 2025, 1, 15);
  assert_int_not_equal(read_date("1111111111111111111111111", "excel", &date), EE_DATE_OK);
  /* White space of other scripts before it; a sign. */
  assert_true(ee_date_looks_like(EE_STR("\u00a02025-01-15")));
  assert_false(ee_date_looks_like(EE_STR("\u00e92025-01-15")));
  assert_false(ee_date_looks_like(EE_STR(" -2025-01-15")));
  assert_false(ee_date_looks_like(EE_STR("  1/1/25 ")));
}

/* A token takes the digits that its letters say: one more, even a zero in front, belongs to no token. */
static void takes_as_many_digits_as_letters(void **state) {
  (void)state;
  static const struct {
    const char *format, *text, *longer, *shorter;
  } tokens[] = {
      {"YYYY/MM/DD HH:mm:ss.SSS", "2025/01/15 09:05:07.089", "02025/01/15 09:05:07.089", "225/01/15 09:05:07.089"},
      {"YYYY/MM/DD HH:mm:ss.SSS", "2025/01/15 09:05:07.089", "2025/001/15 09:05:07.089", "2025/1/15 09:05:07.089"},
      {"YYYY/MM/DD HH:mm:ss.SSS", "2025/01/15 09:05:07.089", "2025/01/015 09:05:07.089", "2025/01/5 09:05:07.089"},
      {"YYYY/MM/DD HH:mm:ss.SSS", "2025/01/15 09:05:07.089", "2025/01/15 009:05:07.089", "2025/01/15 9:05:07.089"},
      {"YYYY/MM/DD HH:mm:ss.SSS", "2025/01/15 09:05:07.089", "2025/01/15 09:005:07.089", "2025/01/15 09:5:07.089"},
      {"YYYY/MM/DD HH:mm:ss.SSS", "2025/01/15 09:05:07.089", "2025/01/15 09:05:007.089", "2025/01/15 09:05:7.089"},
      {"YYYY/MM/DD HH:mm:ss.SSS", "2025/01/15 09:05:07.089", "2025/01/15 09:05:07.0089", "2025/01/15 09:05:07.89"},
      {"M/YYYY/D", "1/2025/5", "001/2025/5", "/2025/5"},
      {"M/YYYY/D", "1/2025/5", "1/2025/005", "1/2025/"},
      {"DD.MM.YY", "15.01.25", "15.01.025", "15.01.5"},
  };
  for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
    assert_status(tokens[i].text, tokens[i].format, EE_DATE_OK);
    assert_status(tokens[i].longer, tokens[i].format, EE_DATE_UNPARSEABLE);
    assert_status(tokens[i].shorter, tokens[i].format, EE_DATE_UNPARSEABLE);
  }
  assert_time("20250115090507089", "YYYYMMDDHHmmssSSS", 9, 5, 7, 89);
  assert_day("01/2025/05", "M/YYYY/D", 2025, 1, 5);
}

/* The shortest default format has eight characters; what is shorter is read by none, and nothing after it is. */
static void refuses_short_texts(void **state) {
  (void)state;
  static const char letters[] = "0129/.-,: 'TZJmMay+W";
  const size_t count = sizeof letters - 1;
  assert_day("1/1/2025", NULL, 2025, 1, 1);
  assert_status("", NULL, EE_DATE_UNPARSEABLE);
  for (size_t a = 0; a < count; a++)
    for (size_t b = 0; b <= count; b++) {
      const char text[] = {letters[a], letters[b], '\0'}; /* of one where the second is the end */
      assert_status(text, NULL, EE_DATE_UNPARSEABLE);
      assert_false(ee_date_looks_like(ee_str_from(text)));
    }
  static const char *const shorter[] = {"1/1/202", "1.1.202", "2025-1-", "Jan 1 2", "1 Jan 2", "202501", "2025-01"};
  for (size_t i = 0; i < sizeof shorter / sizeof *shorter; i++) assert_status(shorter[i], NULL, EE_DATE_UNPARSEABLE);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(knows_what_looks_like_a_date),
             cmocka_unit_test(reads_the_default_formats), cmocka_unit_test(tells_day_and_month_apart),
             cmocka_unit_test(checks_the_calendar), cmocka_unit_test(reads_declared_formats),
             cmocka_unit_test(refuses_bad_formats), cmocka_unit_test(reads_what_was_written),
             cmocka_unit_test(survives_junk), cmocka_unit_test(counts_every_day), cmocka_unit_test(counts_serial_days),
             cmocka_unit_test(matches_like_counted_days), cmocka_unit_test(agrees_with_known_cases),
             cmocka_unit_test(writes_iso_that_reads_back), cmocka_unit_test(knows_the_borders_of_formats),
             cmocka_unit_test(takes_as_many_digits_as_letters), cmocka_unit_test(refuses_short_texts));
