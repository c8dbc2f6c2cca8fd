/* calendar.h: the calendar as a table and a walk along it, for the tests of dates. */
#ifndef EE_TESTS_PRIM_CALENDAR_H
#define EE_TESTS_PRIM_CALENDAR_H

#include <stdint.h>

static const char *const test_month_names[] = {"January", "February", "March",     "April",   "May",      "June",
                                               "July",    "August",   "September", "October", "November", "December"};

static inline int days_in_month(int year, int month) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month == 2 && (year % 400 == 0 || (year % 4 == 0 && year % 100 != 0))) return 29;
  return days[month - 1];
}

static inline int is_day(int year, int month, int day) {
  return year >= 1 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= days_in_month(year, month);
}

/* Days from 1 January of the year 1. */
static inline int64_t walk_days(int year, int month, int day) {
  int64_t days = 0;
  for (int y = 1; y < year; y++) days += days_in_month(y, 2) == 29 ? 366 : 365;
  for (int m = 1; m < month; m++) days += days_in_month(year, m);
  return days + day - 1;
}

#endif
