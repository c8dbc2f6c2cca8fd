/* date.h: dates by declared format, on the proleptic Gregorian calendar.
 *
 * Independent of the clock, the locale and the time zone of the machine. */
#ifndef EE_PRIM_DATE_H
#define EE_PRIM_DATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

typedef struct ee_date {
  int year, month, day;     /* 1..9999, 1..12, 1..31, as written */
  bool has_time;            /* the text had an hour */
  int hour, minute, second; /* 0..23, 0..59, 0..60 */
  int millisecond;          /* 0..999 */
  bool has_offset;          /* the text had Z or an offset */
  int offset_minutes;       /* east of UTC */
} ee_date;

/* A compiled format. */
typedef struct ee_date_format ee_date_format;

typedef enum ee_date_status {
  EE_DATE_OK,
  EE_DATE_UNPARSEABLE, /* no format fits */
  EE_DATE_AMBIGUOUS    /* like 03/04/2025 without a declared format: the order of day and month is unknown */
} ee_date_status;

/* The orders of day, month and year: bits, so that a set of them is one number. */
enum { EE_DATE_DMY = 1, EE_DATE_MDY = 2, EE_DATE_YMD = 4, EE_DATE_ANY_ORDER = 7 };

/* How the dates of a field are written. All zero: the default formats. */
typedef struct ee_date_rules {
  const ee_date_format *const *formats; /* tried first, in this order */
  size_t format_count;
  unsigned order; /* then: one order, or 0 */
} ee_date_rules;

/* The different days or moments that a text may mean. */
typedef struct ee_date_readings {
  ee_date dates[3];
  unsigned orders[3]; /* those that read the text so, as bits; all of them where no order was asked */
  size_t count;
} ee_date_readings;

/* Compiles `text`: tokens YYYY YY (00-68 are 20xx, 69-99 19xx) MM M DD D MMM MMMM (English names, any case) HH mm ss
 * SSS A (AM/PM, with HH or hh 1..12: "hh" and "h" are not tokens, HH with A is 1..12) Z (Z or +hh:mm, +hhmm, +hh),
 * [literal]; T and all other characters literally. "excel" is a format of its own: Excel's serial number, the days of
 * its calendar of 1900 with the time of day as fraction (45000 is 2023-03-15). Returns NULL with `*why` (static text)
 * for a format that lacks day, month or year, repeats a token, or has an unknown run of letters. */
ee_date_format *ee_date_format_compile(ee_str text, ee_arena *arena, const char **why);

/* Reads all of `text`, except white space at both ends: by the first of the formats that fits, else by the order as
 * ee_date_read_by_order() does. Without formats and order, by ISO 8601 and the other usual formats first (see
 * ee_date_looks_like()), then by every order: more than one reading means that the orders disagree. Returns the number
 * of readings, 0 if there is none. Dates that are not in the calendar do not fit. */
size_t ee_date_read(ee_str text, const ee_date_rules *rules, ee_date_readings *readings);

/* The same by formats alone (count 0: default formats and every order), for one reading. */
ee_date_status ee_date_parse(ee_str text, const ee_date_format *const *formats, size_t count, ee_date *date);

/* True if `text` is a date in one of these formats, with one reading: ISO 8601 (date, or date and time with T or a
 * space, optional seconds, fraction and zone), YYYY/MM/DD and YYYY.MM.DD, "DD-MMM-YYYY", "DD MMM YYYY", "MMM D, YYYY"
 * (English month names, also full; D and DD take one or two digits; the first two also with YY, the last also without
 * its comma), and numbers separated by / . or - with the year last if only one order is a valid date (31/12/2025).
 * Cheap for texts that are not dates. */
bool ee_date_looks_like(ee_str text);

/* The orders (a set of bits) by which ee_date_read_by_order() can read `text`; 0 for a text that is not a date.
 * For finding out how the dates of a field are written. ISO 8601's ordinal dates (2025-015) are left out: numbers of
 * invoices look the same. */
unsigned ee_date_orders(ee_str text);

/* True if the day is in the calendar and the time of day exists. */
bool ee_date_is_valid(const ee_date *date);

/* Two digits of a year: 00-68 are 2000-2068, 69-99 are 1969-1999. */
static inline int ee_full_year(int two_digits) { return two_digits + (two_digits <= 68 ? 2000 : 1900); }

/* Days since 1970-01-01 of the calendar day as written. */
int64_t ee_date_days(const ee_date *date);

/* True if both dates match. If one has no time: if the calendar days as written are at most `tolerance_days` (>= 0)
 * apart. If both have a time: if they are at most tolerance_days * 86400 seconds apart, in UTC if both have an offset,
 * else as written; milliseconds are ignored. `*distance_days` (may be NULL) gets the absolute difference in days. */
bool ee_date_match(const ee_date *a, const ee_date *b, double tolerance_days, double *distance_days);

/* Writes `date` in ISO 8601 to `out`, NUL-terminated, and returns the length: "2025-01-15" or "2025-01-15T10:30:00Z".
 */
size_t ee_date_format_iso(const ee_date *date, char out[40]);

#endif
