/* date_order.h: dates as people and models write them, when only the order of day, month and year is known. */
#ifndef EE_PRIM_DATE_ORDER_H
#define EE_PRIM_DATE_ORDER_H

#include "prim/date.h"

/* What a text means under each order. */
typedef struct ee_date_by_order {
  unsigned orders;  /* those under which it is a date */
  ee_date dates[3]; /* under EE_DATE_DMY, EE_DATE_MDY, EE_DATE_YMD; only those in `orders` are set */
  bool has_name;    /* the month is a name */
  bool is_fixed;    /* a week date or ordinal date of ISO 8601 */
  bool is_ordinal;  /* 2025-015 */
} ee_date_by_order;

/* Reads all of `text`, without white space at both ends, as a date, with a time before or after it if there is one.
 *
 *  - Parts of the date are separated by / . , - spaces or mixtures ("15. - 01 / 25"); none is needed between digits and
 *    letters (15JAN2025). Day and month have one or two digits, the year four or two.
 *  - The month is a number or a name: the full and short names that CLDR has for the languages of date_names.inc, in
 * any case, with or without accents and dots. Words such as "of", "de", "the", weekday names, and endings of ordinals
 * (3rd, 1er, 1.) are skipped; whether the weekday is the right one is not checked.
 *  - A year of four digits in front makes the text YYYY MM DD whatever the order. Where the month is a name, the year
 * is the number of four digits, else the last number, and under YMD the first.
 *  - Eight digits in one are YYYYMMDD if that is a date of 1900 to 2099, else digits in the order. ISO 8601's week
 * dates (2025-W03-2, 2025W032) and ordinal dates (2025-015) are read under every order.
 *  - Times: 9:05, 09:05:07.089, 9.05 pm, 2 PM, 14h30, 14.30 Uhr; hours past 12 may have a PM. Zones: Z, UTC, GMT,
 * offsets, and the North American and Central European abbreviations.
 *
 * Returns those of `orders` (a set of bits) under which `text` is a date, as in `result->orders`. Texts of more than
 * 100 bytes are not dates. No memory is allocated. */
unsigned ee_date_read_by_order(ee_str text, unsigned orders, ee_date_by_order *result);

/* The month, 1 to 12, that `word` names in one of the languages: a full or short name in any case, with or without
 * accents; 0 if it names none. */
int ee_month_named(ee_str word);

#endif
