/* date_partial.h: dates that lack parts: "2025", "March 2025", "2025-03", "03/2025", "14 March". */
#ifndef EE_PRIM_DATE_PARTIAL_H
#define EE_PRIM_DATE_PARTIAL_H

#include <stdbool.h>

#include "base/str.h"

/* 0: the part is missing. */
typedef struct ee_partial_date {
  int year;  /* 1..9999, written with four digits */
  int month; /* 1..12 */
  int day;   /* 1..31, only with a month that has it (29 February, too) */
} ee_partial_date;

/* Reads all of `text`, except white space at both ends: a year of four digits; year and month, as numbers with one of
 * "-/." between them (the year first or last) or with the month's name (in the languages of ee_month_named()), which a
 * space, "-", "/", "." or "," separates from the year; a month's name and a day of one or two digits, also with "st",
 * "nd", "rd" or "th". False for anything else, also for a date that has all parts. */
bool ee_partial_date_read(ee_str text, ee_partial_date *date);

/* The days of the month of a year (0: of a leap year). */
int ee_days_of_month(int year, int month);

#endif
