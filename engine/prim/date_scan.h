/* date_scan.h: reading the parts of a date from the front of a text, and the default formats.
 *
 * Each ee_scan_... function moves `at` behind what it read, or
 * returns false (and `at` may then be anywhere). */
#ifndef EE_PRIM_DATE_SCAN_H
#define EE_PRIM_DATE_SCAN_H

#include <stdbool.h>

#include "prim/date.h"

typedef struct ee_scan {
  const char *at, *end;
} ee_scan;

/* `least` to `most` ASCII digits, as many as there are. */
bool ee_scan_number(ee_scan *scan, int least, int most, int *number);

/* Two digits: 00-68 are 2000-2068, 69-99 are 1969-1999. */
bool ee_scan_year2(ee_scan *scan, int *year);

/* An English month name in any case, not followed by a letter: its first three letters when `shortened`, all of it when
 * `whole`. */
bool ee_scan_month(ee_scan *scan, bool shortened, bool whole, int *month);

/* Z, +hh:mm, +hhmm or +hh. */
bool ee_scan_zone(ee_scan *scan, ee_date *date);

/* True when the day is in the calendar and the time is one. */
bool ee_date_is_valid(const ee_date *date);

/* Reads trimmed `text` by the default formats. */
ee_date_status ee_date_read_default(ee_str text, ee_date *date);

#endif
