/* test_date_partial.c: dates that lack parts. */
#include "prim/date_partial.h"

#include <stdio.h>

#include "support/random.h"

static void check(const char *text, int year, int month, int day) {
  ee_partial_date date;
  bool read = ee_partial_date_read(ee_str_from(text), &date);
  bool wanted = year + month + day > 0;
  if (read != wanted) fail_msg("'%s' is %s", text, read ? "read" : "not read");
  if (read && (date.year != year || date.month != month || date.day != day))
    fail_msg("'%s' is %d-%d-%d", text, date.year, date.month, date.day);
}

static void knows_partial_dates(void **state) {
  (void)state;
  check("2025", 2025, 0, 0);
  check(" 2025 ", 2025, 0, 0);
  check("2025-03", 2025, 3, 0);
  check("2025/3", 2025, 3, 0);
  check("03.2025", 2025, 3, 0);
  check("3-2025", 2025, 3, 0);
  check("March 2025", 2025, 3, 0);
  check("MAR 2025", 2025, 3, 0);
  check("Mar. 2025", 2025, 3, 0);
  check("March, 2025", 2025, 3, 0);
  check("2025 March", 2025, 3, 0);
  check("2025 Mar.", 2025, 3, 0);
  check("mars 2025", 2025, 3, 0);
  check("M\xc3\xa4rz 2025", 2025, 3, 0);
  check("Mar-2025", 2025, 3, 0);
  check("14 March", 0, 3, 14);
  check("14. M\xc3\xa4rz", 0, 3, 14);
  check("March 14", 0, 3, 14);
  check("March 1st", 0, 3, 1);
  check("22nd March", 0, 3, 22);
  check("3rd March", 0, 3, 3);
  check("1st March", 0, 3, 1);
  check("4th March", 0, 3, 4);
  check("March 4th", 0, 3, 4);
  check("March 22nd", 0, 3, 22);
  check("March 3rd", 0, 3, 3);
  check("29 February", 0, 2, 29);
}

static void refuses_everything_else(void **state) {
  (void)state;
  static const char *const texts[] = {
      "",        "25",         "20250",      "0000",       "2025-13",     "2025-00",    "2025 03",     "13/2025",
      "2025-",   "-2025",      "2025-03-14", "March",      "March March", "March 32",   "30 February", "14 March 2025",
      "2025-3a", "x 2025",     "March 0",    "March 123",  "2025--03",    "1st",        "14xx March",  "March 14xx",
      "14th",    "2025 2024",  "March14",    "14th.March", "2025 Mar..",  "March 1stt", ". 2025",      "Q1 2025",
      "2025.",   "14 March..", "March 1 st", "2025-003",   "25-03",       "March 1th2", "1th",         "March st"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) check(texts[i], 0, 0, 0);
  char text[80];
  memset(text, ' ', sizeof text);
  memcpy(text, "March", 5);
  memcpy(text + 74, "2025", 5);
  check(text, 0, 0, 0);
  /* 60 bytes are read, 61 are not. */
  for (size_t length = 60; length <= 61; length++) {
    memset(text, ' ', sizeof text);
    memcpy(text, "March", 5);
    memcpy(text + length - 4, "2025", 5);
    check(text, length == 60 ? 2025 : 0, length == 60 ? 3 : 0, 0);
  }
}

/* Every month of random years, as it is written. */
static void reads_what_is_written(void **state) {
  (void)state;
  static const char *const names[] = {"January", "February", "March",     "April",   "May",      "June",
                                      "July",    "August",   "September", "October", "November", "December"};
  test_random random = test_random_start("partial dates", 61);
  for (size_t i = 0; i < 20000; i++) {
    int year = 1 + (int)test_random_below(&random, 9999), month = 1 + (int)test_random_below(&random, 12);
    int day = 1 + (int)test_random_below(&random, (size_t)ee_days_of_month(0, month));
    const char *name = names[month - 1];
    char text[60];
    switch (test_random_below(&random, 8)) {
    case 0:
      snprintf(text, sizeof text, "%04d", year);
      month = day = 0;
      break;
    case 1:
      snprintf(text, sizeof text, "%04d-%02d", year, month);
      day = 0;
      break;
    case 2:
      snprintf(text, sizeof text, "%d/%04d", month, year);
      day = 0;
      break;
    case 3:
      snprintf(text, sizeof text, "%s %04d", name, year);
      day = 0;
      break;
    case 4:
      snprintf(text, sizeof text, "%.3s. %04d", name, year);
      day = 0;
      break;
    case 5:
      snprintf(text, sizeof text, "%d %s", day, name);
      year = 0;
      break;
    case 6:
      snprintf(text, sizeof text, "%s %d", name, day);
      year = 0;
      break;
    default:
      snprintf(text, sizeof text, "%04d %s", year, name);
      day = 0;
      break;
    }
    check(text, year, month, day);
  }
}

/* Against the calendar, day by day. */
static void counts_days(void **state) {
  (void)state;
  int total = 0;
  for (int year = 2001; year <= 2400; year++)
    for (int month = 1; month <= 12; month++) total += ee_days_of_month(year, month);
  assert_int_equal(total, 146097);
  assert_int_equal(ee_days_of_month(2024, 2), 29);
  assert_int_equal(ee_days_of_month(1900, 2), 28);
  assert_int_equal(ee_days_of_month(2000, 2), 29);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(knows_partial_dates), cmocka_unit_test(refuses_everything_else),
             cmocka_unit_test(reads_what_is_written), cmocka_unit_test(counts_days));
