/* date_scan.c: the parts of a date, and the formats that are understood without being declared. */
#include "prim/date_scan.h"

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

static bool is_letter(char c) { return (unsigned char)((c | 0x20) - 'a') < 26; }

bool ee_scan_number(ee_scan *scan, int least, int most, int *number) {
  int value = 0, digits = 0;
  for (; digits < most && scan->at < scan->end && is_digit(*scan->at); digits++)
    value = value * 10 + (*scan->at++ - '0');
  *number = value;
  return digits >= least;
}

bool ee_scan_year2(ee_scan *scan, int *year) {
  int number;
  if (!ee_scan_number(scan, 2, 2, &number)) return false;
  *year = number + (number <= 68 ? 2000 : 1900);
  return true;
}

bool ee_scan_month(ee_scan *scan, bool shortened, bool whole, int *month) {
  static const char *const names[12] = {"january", "february", "march",     "april",   "may",      "june",
                                        "july",    "august",   "september", "october", "november", "december"};
  const char *word = scan->at;
  size_t length = 0, left = (size_t)(scan->end - scan->at);
  while (length < left && is_letter(word[length])) length++;
  if (length < 3 || length > 9) return false;
  for (int i = 0; i < 12; i++) {
    size_t same = 0; /* stops at the name's NUL, which no letter equals */
    while (same < length && (word[same] | 0x20) == names[i][same]) same++;
    if (same != length) continue;
    if (!(shortened && length == 3) && !(whole && names[i][length] == '\0')) return false;
    *month = i + 1;
    scan->at += length;
    return true;
  }
  return false;
}

static bool scan_char(ee_scan *scan, char c) {
  if (scan->at == scan->end || *scan->at != c) return false;
  scan->at++;
  return true;
}

bool ee_scan_zone(ee_scan *scan, ee_date *date) {
  date->has_offset = true;
  date->offset_minutes = 0;
  if (scan_char(scan, 'Z') || scan_char(scan, 'z')) return true;
  bool west = scan_char(scan, '-');
  if (!west && !scan_char(scan, '+')) return false;
  int hours, minutes = 0;
  if (!ee_scan_number(scan, 2, 2, &hours)) return false;
  bool colon = scan_char(scan, ':');
  if (colon || (scan->at < scan->end && is_digit(*scan->at))) {
    if (!ee_scan_number(scan, 2, 2, &minutes)) return false;
  }
  if (hours > 23 || minutes > 59) return false;
  date->offset_minutes = (west ? -1 : 1) * (hours * 60 + minutes);
  return true;
}

/* The default formats -------------------------------------------------------------------------- */

/* hh:mm[:ss[.fraction]][zone], without the colons when `compact`; digits of the fraction past the third are dropped. */
static bool scan_time(ee_scan *scan, bool compact, ee_date *date) {
  date->has_time = true;
  if (!ee_scan_number(scan, 2, 2, &date->hour)) return false;
  if (!compact && !scan_char(scan, ':')) return false;
  if (!ee_scan_number(scan, 2, 2, &date->minute)) return false;
  if (compact ? scan->at < scan->end && is_digit(*scan->at) : scan_char(scan, ':')) {
    if (!ee_scan_number(scan, 2, 2, &date->second)) return false;
    if (scan_char(scan, '.') || scan_char(scan, ',')) {
      const char *start = scan->at;
      if (!ee_scan_number(scan, 1, 3, &date->millisecond)) return false;
      for (ptrdiff_t digits = scan->at - start; digits < 3; digits++) date->millisecond *= 10;
      while (scan->at < scan->end && is_digit(*scan->at)) scan->at++;
    }
  }
  return scan->at == scan->end || ee_scan_zone(scan, date);
}

/* ISO 8601 and its like with / or . for the hyphen: the year comes first, so that no order is in doubt. */
static bool read_year_first(ee_scan scan, ee_date *date) {
  if (!ee_scan_number(&scan, 4, 4, &date->year) || scan.at == scan.end) return false;
  char separator = *scan.at;
  bool compact = is_digit(separator);
  if (!compact) {
    if (separator != '-' && separator != '/' && separator != '.') return false;
    scan.at++;
  }
  if (!ee_scan_number(&scan, 2, 2, &date->month)) return false;
  if (!compact && !scan_char(&scan, separator)) return false;
  if (!ee_scan_number(&scan, 2, 2, &date->day)) return false;
  if (scan.at < scan.end) {
    char between = *scan.at++;
    if (between != 'T' && between != 't' && between != ' ') return false;
    const char *colon = memchr(scan.at, ':', (size_t)(scan.end - scan.at) < 3 ? (size_t)(scan.end - scan.at) : 3);
    if (!scan_time(&scan, compact && colon == NULL, date)) return false;
  }
  return scan.at == scan.end && ee_date_is_valid(date);
}

/* 15-JAN-2025, 15 January 2025, 15-Jan-25; `scan` stands behind the day and its separator. */
static bool read_month_second(ee_scan scan, char separator, ee_date *date) {
  if (!ee_scan_month(&scan, true, true, &date->month) || !scan_char(&scan, separator)) return false;
  if (scan.end - scan.at == 2) return ee_scan_year2(&scan, &date->year) && ee_date_is_valid(date);
  return ee_scan_number(&scan, 4, 4, &date->year) && scan.at == scan.end && ee_date_is_valid(date);
}

/* Jan 5, 2025; also without the comma. */
static bool read_month_first(ee_scan scan, ee_date *date) {
  if (!ee_scan_month(&scan, true, true, &date->month) || !scan_char(&scan, ' ')) return false;
  if (!ee_scan_number(&scan, 1, 2, &date->day)) return false;
  scan_char(&scan, ',');
  if (!scan_char(&scan, ' ')) return false;
  return ee_scan_number(&scan, 4, 4, &date->year) && scan.at == scan.end && ee_date_is_valid(date);
}

/* Two numbers and a year: read where only one order of day and month makes a date. `scan` stands behind the first. */
static ee_date_status read_numbers(ee_scan scan, int first, char separator, ee_date *date) {
  int second;
  if (!ee_scan_number(&scan, 1, 2, &second) || !scan_char(&scan, separator)) return EE_DATE_UNPARSEABLE;
  if (!ee_scan_number(&scan, 4, 4, &date->year) || scan.at != scan.end) return EE_DATE_UNPARSEABLE;
  ee_date day_first = *date, month_first = *date;
  day_first.day = month_first.month = first;
  day_first.month = month_first.day = second;
  bool by_day = ee_date_is_valid(&day_first), by_month = ee_date_is_valid(&month_first);
  if (!by_day && !by_month) return EE_DATE_UNPARSEABLE;
  if (by_day && by_month && first != second) return EE_DATE_AMBIGUOUS;
  *date = by_day ? day_first : month_first;
  return EE_DATE_OK;
}

ee_date_status ee_date_read_default(ee_str text, ee_date *date) {
  *date = (ee_date){0};
  if (text.length < 8) return EE_DATE_UNPARSEABLE;
  ee_scan scan = {text.data, text.data + text.length};
  if (is_letter(*scan.at)) return read_month_first(scan, date) ? EE_DATE_OK : EE_DATE_UNPARSEABLE;
  int first;
  if (!ee_scan_number(&scan, 1, 2, &first)) return EE_DATE_UNPARSEABLE;
  if (scan.at < scan.end && is_digit(*scan.at)) {
    scan.at = text.data;
    return read_year_first(scan, date) ? EE_DATE_OK : EE_DATE_UNPARSEABLE;
  }
  if (scan.end - scan.at < 2) return EE_DATE_UNPARSEABLE;
  char separator = *scan.at++;
  if ((separator == '-' || separator == ' ') && is_letter(*scan.at)) {
    date->day = first;
    return read_month_second(scan, separator, date) ? EE_DATE_OK : EE_DATE_UNPARSEABLE;
  }
  if (separator != '/' && separator != '.' && separator != '-') return EE_DATE_UNPARSEABLE;
  return read_numbers(scan, first, separator, date);
}
