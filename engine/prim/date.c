/* date.c: reading dates by declared and default formats, the calendar, comparing and writing dates. */
#include "prim/date.h"

#include "prim/date_order.h"
#include "prim/number.h"

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }
static bool is_letter(char c) { return (unsigned char)((c | 0x20) - 'a') < 26; }

bool ee_date_is_valid(const ee_date *date) {
  static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (date->year < 1 || date->year > 9999 || date->month < 1 || date->month > 12 || date->day < 1) return false;
  bool leap = date->year % 4 == 0 && (date->year % 100 != 0 || date->year % 400 == 0);
  if (date->day > days[date->month - 1] + (date->month == 2 && leap ? 1 : 0)) return false;
  return date->hour <= 23 && date->minute <= 59 && date->second <= 60;
}

/* Parts of a date ------------------------------------------------------------------------------- */

/* The rest of a text. The scan_...() functions move `at` past what they read, or return false, and `at` is then
 * undefined.
 */
typedef struct cursor {
  const char *at, *end;
} cursor;

/* `min` to `max` ASCII digits, as many as there are. */
static bool scan_number(cursor *scan, int min, int max, int *number) {
  int value = 0, digits = 0;
  for (; digits < max && scan->at < scan->end && is_digit(*scan->at); digits++)
    value = value * 10 + (*scan->at++ - '0');
  *number = value;
  return digits >= min;
}

static bool scan_year2(cursor *scan, int *year) {
  int number;
  if (!scan_number(scan, 2, 2, &number)) return false;
  *year = ee_full_year(number);
  return true;
}

/* An English month name in any case, not followed by a letter: its first three letters if `shortened`, all of it if
 * `whole`. */
static bool scan_month(cursor *scan, bool shortened, bool whole, int *month) {
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

static bool scan_char(cursor *scan, char c) {
  if (scan->at == scan->end || *scan->at != c) return false;
  scan->at++;
  return true;
}

/* Z, +hh:mm, +hhmm or +hh. */
static bool scan_zone(cursor *scan, ee_date *date) {
  date->has_offset = true;
  date->offset_minutes = 0;
  if (scan_char(scan, 'Z') || scan_char(scan, 'z')) return true;
  bool west = scan_char(scan, '-');
  if (!west && !scan_char(scan, '+')) return false;
  int hours, minutes = 0;
  if (!scan_number(scan, 2, 2, &hours)) return false;
  bool colon = scan_char(scan, ':');
  if (colon || (scan->at < scan->end && is_digit(*scan->at))) {
    if (!scan_number(scan, 2, 2, &minutes)) return false;
  }
  if (hours > 23 || minutes > 59) return false;
  date->offset_minutes = (west ? -1 : 1) * (hours * 60 + minutes);
  return true;
}

/* Default formats ------------------------------------------------------------------------------- */

/* hh:mm[:ss[.fraction]][zone], without the colons when `compact`; digits of the fraction past the third are dropped. */
static bool scan_time(cursor *scan, bool compact, ee_date *date) {
  date->has_time = true;
  if (!scan_number(scan, 2, 2, &date->hour)) return false;
  if (!compact && !scan_char(scan, ':')) return false;
  if (!scan_number(scan, 2, 2, &date->minute)) return false;
  if (compact ? scan->at < scan->end && is_digit(*scan->at) : scan_char(scan, ':')) {
    if (!scan_number(scan, 2, 2, &date->second)) return false;
    if (scan_char(scan, '.') || scan_char(scan, ',')) {
      const char *start = scan->at;
      if (!scan_number(scan, 1, 3, &date->millisecond)) return false;
      for (ptrdiff_t digits = scan->at - start; digits < 3; digits++) date->millisecond *= 10;
      while (scan->at < scan->end && is_digit(*scan->at)) scan->at++;
    }
  }
  return scan->at == scan->end || scan_zone(scan, date);
}

/* ISO 8601, also with / or . for the hyphen. The year comes first, so the order of day and month is known. */
static bool read_year_first(cursor scan, ee_date *date) {
  if (!scan_number(&scan, 4, 4, &date->year) || scan.at == scan.end) return false;
  char separator = *scan.at;
  bool compact = is_digit(separator);
  if (!compact) {
    if (separator != '-' && separator != '/' && separator != '.') return false;
    scan.at++;
  }
  if (!scan_number(&scan, 2, 2, &date->month)) return false;
  if (!compact && !scan_char(&scan, separator)) return false;
  if (!scan_number(&scan, 2, 2, &date->day)) return false;
  if (scan.at < scan.end) {
    char between = *scan.at++;
    if (between != 'T' && between != 't' && between != ' ') return false;
    const char *colon = memchr(scan.at, ':', (size_t)(scan.end - scan.at) < 3 ? (size_t)(scan.end - scan.at) : 3);
    if (!scan_time(&scan, compact && colon == NULL, date)) return false;
  }
  return scan.at == scan.end && ee_date_is_valid(date);
}

/* 15-JAN-2025, 15 January 2025, 15-Jan-25; `scan` is after the day and its separator. */
static bool read_month_second(cursor scan, char separator, ee_date *date) {
  if (!scan_month(&scan, true, true, &date->month) || !scan_char(&scan, separator)) return false;
  if (scan.end - scan.at == 2) return scan_year2(&scan, &date->year) && ee_date_is_valid(date);
  return scan_number(&scan, 4, 4, &date->year) && scan.at == scan.end && ee_date_is_valid(date);
}

/* Jan 5, 2025; also without the comma. */
static bool read_month_first(cursor scan, ee_date *date) {
  if (!scan_month(&scan, true, true, &date->month) || !scan_char(&scan, ' ')) return false;
  if (!scan_number(&scan, 1, 2, &date->day)) return false;
  scan_char(&scan, ',');
  if (!scan_char(&scan, ' ')) return false;
  return scan_number(&scan, 4, 4, &date->year) && scan.at == scan.end && ee_date_is_valid(date);
}

/* Two numbers and a year, valid if only one order of day and month makes a date. `scan` is after the first and its
 * separator. */
static ee_date_status read_numbers(cursor scan, int first, char separator, ee_date *date) {
  int second;
  if (!scan_number(&scan, 1, 2, &second) || !scan_char(&scan, separator)) return EE_DATE_UNPARSEABLE;
  if (!scan_number(&scan, 4, 4, &date->year) || scan.at != scan.end) return EE_DATE_UNPARSEABLE;
  ee_date day_first = *date, month_first = *date;
  day_first.day = month_first.month = first;
  day_first.month = month_first.day = second;
  bool by_day = ee_date_is_valid(&day_first), by_month = ee_date_is_valid(&month_first);
  if (!by_day && !by_month) return EE_DATE_UNPARSEABLE;
  if (by_day && by_month && first != second) return EE_DATE_AMBIGUOUS;
  *date = by_day ? day_first : month_first;
  return EE_DATE_OK;
}

/* Reads trimmed `text` by the default formats. None is shorter than 8 bytes, which those that read on rely on. */
static ee_date_status read_default(ee_str text, ee_date *date) {
  *date = (ee_date){0};
  if (text.length < 8) return EE_DATE_UNPARSEABLE;
  cursor scan = {text.data, text.data + text.length};
  if (is_letter(*scan.at)) return read_month_first(scan, date) ? EE_DATE_OK : EE_DATE_UNPARSEABLE;
  int first;
  if (!scan_number(&scan, 1, 2, &first)) return EE_DATE_UNPARSEABLE;
  if (is_digit(*scan.at)) {
    scan.at = text.data;
    return read_year_first(scan, date) ? EE_DATE_OK : EE_DATE_UNPARSEABLE;
  }
  char separator = *scan.at++;
  if ((separator == '-' || separator == ' ') && is_letter(*scan.at)) {
    date->day = first;
    return read_month_second(scan, separator, date) ? EE_DATE_OK : EE_DATE_UNPARSEABLE;
  }
  if (separator != '/' && separator != '.' && separator != '-') return EE_DATE_UNPARSEABLE;
  return read_numbers(scan, first, separator, date);
}

/* Declared formats ------------------------------------------------------------------------------ */

typedef enum token_kind {
  TOKEN_LITERAL,
  TOKEN_YEAR4,
  TOKEN_YEAR2,
  TOKEN_MONTH2,
  TOKEN_MONTH1,
  TOKEN_MONTH_SHORT,
  TOKEN_MONTH_LONG,
  TOKEN_DAY2,
  TOKEN_DAY1,
  TOKEN_HOUR,
  TOKEN_MINUTE,
  TOKEN_SECOND,
  TOKEN_MILLISECOND,
  TOKEN_HALF,
  TOKEN_ZONE
} token_kind;

typedef struct token {
  token_kind kind;
  char literal;
} token;

struct ee_date_format {
  size_t count;
  bool has_half;  /* hours are 1..12 */
  bool is_serial; /* "excel": a number of days, without tokens */
  token tokens[];
};

static const struct {
  const char *text;
  token_kind kind;
  char field; /* the part of a date; a format has each once */
} token_table[] = {{"YYYY", TOKEN_YEAR4, 'Y'},      {"YY", TOKEN_YEAR2, 'Y'},  {"MMMM", TOKEN_MONTH_LONG, 'M'},
                   {"MMM", TOKEN_MONTH_SHORT, 'M'}, {"MM", TOKEN_MONTH2, 'M'}, {"M", TOKEN_MONTH1, 'M'},
                   {"DD", TOKEN_DAY2, 'D'},         {"D", TOKEN_DAY1, 'D'},    {"HH", TOKEN_HOUR, 'H'},
                   {"mm", TOKEN_MINUTE, 'm'},       {"ss", TOKEN_SECOND, 's'}, {"SSS", TOKEN_MILLISECOND, 'S'},
                   {"A", TOKEN_HALF, 'A'},          {"Z", TOKEN_ZONE, 'Z'}};

/* The row of token_table for the run of `length` equal letters at `text`, or -1. */
static int find_token(const char *text, size_t length) {
  for (size_t i = 0; i < sizeof token_table / sizeof *token_table; i++) {
    if (ee_str_is((ee_str){text, length}, token_table[i].text)) return (int)i;
  }
  return -1;
}

static bool has_seen(const char *seen, char field) { return strchr(seen, field) != NULL; }

ee_date_format *ee_date_format_compile(ee_str text, ee_arena *arena, const char **why) {
  ee_date_format *format = ee_arena_alloc(arena, sizeof *format + text.length * sizeof(token));
  *format = (ee_date_format){.count = 0};
  if (ee_str_is(text, "excel")) {
    format->is_serial = true;
    return format;
  }
  char seen[16] = "";
  size_t seen_count = 0;
  for (size_t at = 0; at < text.length;) {
    char c = text.data[at];
    if (c == '[') {
      const char *close = memchr(text.data + at, ']', text.length - at);
      if (close == NULL) {
        *why = "a '[' is not closed";
        return NULL;
      }
      size_t end = (size_t)(close - text.data);
      for (at++; at < end; at++) format->tokens[format->count++] = (token){TOKEN_LITERAL, text.data[at]};
      at++;
      continue;
    }
    size_t run = 1;
    if (is_letter(c)) {
      while (at + run < text.length && text.data[at + run] == c) run++;
    }
    int row = is_letter(c) ? find_token(text.data + at, run) : -1;
    if (row < 0) {
      if (is_letter(c) && !(c == 'T' && run == 1)) {
        *why = "unknown letters (tokens are YYYY YY MM M MMM MMMM DD D HH mm ss SSS A Z; put other text in [])";
        return NULL;
      }
      format->tokens[format->count++] = (token){TOKEN_LITERAL, c};
      at++;
      continue;
    }
    if (has_seen(seen, token_table[row].field)) {
      *why = "a part of the date occurs twice";
      return NULL;
    }
    seen[seen_count++] = token_table[row].field;
    if (token_table[row].kind == TOKEN_HALF) format->has_half = true;
    format->tokens[format->count++] = (token){token_table[row].kind, 0};
    at += run;
  }
  if (!has_seen(seen, 'Y') || !has_seen(seen, 'M') || !has_seen(seen, 'D')) {
    *why = "a date needs a year, a month and a day";
    return NULL;
  }
  return format;
}

/* Reads AM or PM into 0 or 12. */
static bool scan_half(cursor *scan, int *half) {
  if (scan->end - scan->at < 2 || (scan->at[1] | 0x20) != 'm') return false;
  char c = (char)(scan->at[0] | 0x20);
  if (c != 'a' && c != 'p') return false;
  *half = c == 'p' ? 12 : 0;
  scan->at += 2;
  return true;
}

static bool read_token(cursor *scan, token t, ee_date *date, int *half) {
  switch (t.kind) { /* unreached: all are listed */
  case TOKEN_LITERAL:
    if (scan->at == scan->end || *scan->at != t.literal) return false;
    scan->at++;
    return true;
  case TOKEN_YEAR4: return scan_number(scan, 4, 4, &date->year);
  case TOKEN_YEAR2: return scan_year2(scan, &date->year);
  case TOKEN_MONTH2: return scan_number(scan, 2, 2, &date->month);
  case TOKEN_MONTH1: return scan_number(scan, 1, 2, &date->month);
  case TOKEN_MONTH_SHORT: return scan_month(scan, true, false, &date->month);
  case TOKEN_MONTH_LONG: return scan_month(scan, false, true, &date->month);
  case TOKEN_DAY2: return scan_number(scan, 2, 2, &date->day);
  case TOKEN_DAY1: return scan_number(scan, 1, 2, &date->day);
  case TOKEN_HOUR: date->has_time = true; return scan_number(scan, 2, 2, &date->hour);
  case TOKEN_MINUTE: return scan_number(scan, 2, 2, &date->minute);
  case TOKEN_SECOND: return scan_number(scan, 2, 2, &date->second);
  case TOKEN_MILLISECOND: return scan_number(scan, 3, 3, &date->millisecond);
  case TOKEN_HALF: return scan_half(scan, half);
  case TOKEN_ZONE: return scan_zone(scan, date);
  }
  return false; /* unreached: all kinds are above */
}

/* The calendar day of `days` since 1970-01-01; the inverse of ee_date_days(). */
static void set_day(int64_t days, ee_date *date) {
  int64_t day = days + 719162 + 306; /* since 0000-03-01, where years begin in March */
  int64_t year = (day * 400 + 399) / 146097;
  while (day >= 365 * (year + 1) + (year + 1) / 4 - (year + 1) / 100 + (year + 1) / 400) year++;
  while (day < 365 * year + year / 4 - year / 100 + year / 400) year--;
  day -= 365 * year + year / 4 - year / 100 + year / 400;
  int64_t month = (5 * day + 2) / 153; /* 0 for March */
  date->day = (int)(day - (153 * month + 2) / 5 + 1);
  date->month = (int)(month < 10 ? month + 3 : month - 9);
  date->year = (int)(month < 10 ? year : year + 1);
}

/* Excel's serial numbers of 1900: 1 is 1900-01-01, the fraction is the time of day. Its calendar has a 29 February 1900
 * (60), so that from 61 on days count from 1899-12-30. */
static bool read_serial(ee_str text, ee_date *date) {
  size_t points = 0;
  for (size_t i = 0; i < text.length; i++) {
    points += text.data[i] == '.';
    if (!is_digit(text.data[i]) && text.data[i] != '.') return false;
  }
  bool ends_in_digits = text.length > 0 && is_digit(text.data[0]) && is_digit(text.data[text.length - 1]);
  if (!ends_in_digits || points > 1 || text.length > 24) return false;
  *date = (ee_date){0};
  double serial = ee_decimal_to_double(text);
  if (!(serial >= 1 && serial < 2958466) || (serial >= 60 && serial < 61)) return false; /* up to 9999-12-31 */
  int64_t days = (int64_t)serial, seconds = (int64_t)((serial - (double)days) * 86400 + 0.5);
  bool has_time = (double)days != serial;
  days += seconds / 86400;
  seconds %= 86400;
  set_day(days - (days < 60 ? 25568 : 25569), date);
  date->has_time = has_time;
  date->hour = (int)(seconds / 3600);
  date->minute = (int)(seconds / 60 % 60);
  date->second = (int)(seconds % 60);
  return ee_date_is_valid(date);
}

static bool read_by_format(ee_str text, const ee_date_format *format, ee_date *date) {
  if (format->is_serial) return read_serial(text, date);
  cursor scan = {text.data, text.data + text.length};
  int half = 0;
  *date = (ee_date){0};
  for (size_t i = 0; i < format->count; i++) {
    if (!read_token(&scan, format->tokens[i], date, &half)) return false;
  }
  if (scan.at != scan.end) return false;
  if (format->has_half && date->has_time) {
    if (date->hour < 1 || date->hour > 12) return false;
    date->hour = date->hour % 12 + half;
  }
  return ee_date_is_valid(date);
}

/* Of two readings of one text: the times are the same, and if year and month are, the number that is left is the day.
 */
static bool is_same(const ee_date *a, const ee_date *b) { return a->year == b->year && a->month == b->month; }

static void add_reading(ee_date_readings *readings, const ee_date *date, unsigned order) {
  size_t i = 0;
  while (i < readings->count && !is_same(&readings->dates[i], date)) i++;
  if (i == readings->count) {
    readings->dates[readings->count] = *date;
    readings->orders[readings->count++] = 0;
  }
  readings->orders[i] |= order;
}

/* By every order. A two-digit year at the start is not tried as a reading, since only the calendar supports it
 * (30/02/25); it makes another reading doubtful (31/12/25), unless the month is a name (15 Jan 25). */
static void read_without_order(ee_str text, ee_date_readings *readings) {
  ee_date_by_order all;
  ee_date_read_by_order(text, EE_DATE_ANY_ORDER, &all);
  if ((all.orders & (EE_DATE_DMY | EE_DATE_MDY)) == 0) return;
  if (all.has_name) all.orders &= EE_DATE_DMY | EE_DATE_MDY;
  for (int i = 0; i < 3; i++) {
    if ((all.orders & 1u << i) != 0) add_reading(readings, &all.dates[i], 1u << i);
  }
}

size_t ee_date_read(ee_str text, const ee_date_rules *rules, ee_date_readings *readings) {
  text = ee_str_trim(text);
  readings->count = 0;
  readings->orders[0] = EE_DATE_ANY_ORDER;
  for (size_t i = 0; i < rules->format_count; i++) {
    if (read_by_format(text, rules->formats[i], &readings->dates[0])) return readings->count = 1;
  }
  if (rules->order != 0) {
    ee_date_by_order read;
    readings->dates[0] = (ee_date){0};
    if (read_year_first((cursor){text.data, text.data + text.length}, &readings->dates[0])) return readings->count = 1;
    if (ee_date_read_by_order(text, rules->order, &read) != 0)
      add_reading(readings, &read.dates[rules->order / 2], EE_DATE_ANY_ORDER);
  } else if (rules->format_count == 0) {
    if (read_default(text, &readings->dates[0]) == EE_DATE_OK) return readings->count = 1;
    read_without_order(text, readings);
  }
  return readings->count;
}

ee_date_status ee_date_parse(ee_str text, const ee_date_format *const *formats, size_t count, ee_date *date) {
  ee_date_rules rules = {.formats = formats, .format_count = count};
  ee_date_readings readings;
  switch (ee_date_read(text, &rules, &readings)) {
  case 0: return EE_DATE_UNPARSEABLE;
  case 1: *date = readings.dates[0]; return EE_DATE_OK;
  default: return EE_DATE_AMBIGUOUS;
  }
}

unsigned ee_date_orders(ee_str text) {
  ee_date_by_order read;
  ee_date_read_by_order(text, EE_DATE_ANY_ORDER, &read);
  return read.is_ordinal ? 0 : read.orders;
}

bool ee_date_looks_like(ee_str text) {
  /* The shortest is 1/1/2025. Leading white space is rare, so the text is trimmed only after this test. */
  if (text.length < 8) return false;
  char first = text.data[0];
  if (!is_letter(first) && (unsigned char)(first - '0') >= 10) {
    if ((unsigned char)first > ' ' && (unsigned char)first < 0x80) return false;
  }
  text = ee_str_trim(text);
  if (text.length < 8 || (!is_letter(text.data[0]) && (unsigned char)(text.data[0] - '0') >= 10)) return false;
  /* Every default format ends in a digit or in the zone Z. */
  char last = text.data[text.length - 1];
  if ((unsigned char)(last - '0') >= 10 && (last | 0x20) != 'z') return false;
  ee_date date;
  return read_default(text, &date) == EE_DATE_OK;
}

/* Calendar days and comparison ------------------------------------------------------------------ */

int64_t ee_date_days(const ee_date *date) {
  /* In years that begin in March the leap day is the last day, and five months have 153 days. 306 days are between
   * 0000-03-01 and 0001-01-01, which is 719162 days before 1970-01-01. */
  int64_t year = date->month <= 2 ? date->year - 1 : date->year;
  int64_t month = (date->month + 9) % 12; /* 0 for March */
  int64_t day = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + date->day - 1;
  return day - 306 - 719162;
}

static int64_t seconds_of(const ee_date *date, bool in_utc) {
  int64_t minutes = (ee_date_days(date) * 24 + date->hour) * 60 + date->minute;
  if (in_utc) minutes -= date->offset_minutes;
  return minutes * 60 + date->second;
}

bool ee_date_match(const ee_date *a, const ee_date *b, double tolerance_days, double *distance_days) {
  int64_t distance, unit;
  if (a->has_time && b->has_time) {
    bool in_utc = a->has_offset && b->has_offset;
    distance = seconds_of(a, in_utc) - seconds_of(b, in_utc);
    unit = 86400;
  } else {
    distance = ee_date_days(a) - ee_date_days(b);
    unit = 1;
  }
  if (distance < 0) distance = -distance;
  if (distance_days != NULL) *distance_days = (double)distance / (double)unit;
  if (distance == 0) return true;
  /* The slack covers fractions of a day: 0.7 * 86400 is slightly less than a whole second. */
  return tolerance_days > 0 && ee_within_tolerance((double)distance, 0, tolerance_days * (double)unit, false);
}

/* Writing --------------------------------------------------------------------------------------- */

static char *put_number(char *out, int number, int digits) {
  for (int i = digits; i-- > 0; number /= 10) out[i] = (char)('0' + number % 10);
  return out + digits;
}

static char *put_pair(char *out, char before, int number) {
  *out++ = before;
  return put_number(out, number, 2);
}

size_t ee_date_format_iso(const ee_date *date, char out[40]) {
  char *at = put_number(out, date->year, 4);
  at = put_pair(at, '-', date->month);
  at = put_pair(at, '-', date->day);
  if (date->has_time) {
    at = put_pair(at, 'T', date->hour);
    at = put_pair(at, ':', date->minute);
    at = put_pair(at, ':', date->second);
    if (date->millisecond > 0) {
      *at++ = '.';
      at = put_number(at, date->millisecond, 3);
    }
    if (date->has_offset && date->offset_minutes == 0) {
      *at++ = 'Z';
    } else if (date->has_offset) {
      int minutes = date->offset_minutes < 0 ? -date->offset_minutes : date->offset_minutes;
      at = put_pair(at, date->offset_minutes < 0 ? '-' : '+', minutes / 60);
      at = put_pair(at, ':', minutes % 60);
    }
  }
  *at = '\0';
  return (size_t)(at - out);
}
