/* date.c: dates by declared format, the calendar, and when two dates match. */
#include "prim/date.h"

#include "prim/date_scan.h"
#include "prim/number.h"

/* Declared formats ----------------------------------------------------------------------------- */

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
  bool has_half; /* hours are 1..12 */
  token tokens[];
};

static const struct {
  const char *text;
  token_kind kind;
  char field; /* what may be there once only */
} token_table[] = {{"YYYY", TOKEN_YEAR4, 'Y'},      {"YY", TOKEN_YEAR2, 'Y'},  {"MMMM", TOKEN_MONTH_LONG, 'M'},
                   {"MMM", TOKEN_MONTH_SHORT, 'M'}, {"MM", TOKEN_MONTH2, 'M'}, {"M", TOKEN_MONTH1, 'M'},
                   {"DD", TOKEN_DAY2, 'D'},         {"D", TOKEN_DAY1, 'D'},    {"HH", TOKEN_HOUR, 'H'},
                   {"mm", TOKEN_MINUTE, 'm'},       {"ss", TOKEN_SECOND, 's'}, {"SSS", TOKEN_MILLISECOND, 'S'},
                   {"A", TOKEN_HALF, 'A'},          {"Z", TOKEN_ZONE, 'Z'}};

static bool is_letter(char c) { return (unsigned char)((c | 0x20) - 'a') < 26; }

/* The row of token_table that the run of `length` equal letters at `text` is, or -1. */
static int find_token(const char *text, size_t length) {
  for (size_t i = 0; i < sizeof token_table / sizeof *token_table; i++) {
    if (ee_str_is((ee_str){text, length}, token_table[i].text)) return (int)i;
  }
  return -1;
}

static bool has_seen(const char *seen, char field) { return strchr(seen, field) != NULL; }

ee_date_format *ee_date_format_compile(ee_str text, ee_arena *arena, const char **why) {
  ee_date_format *format = ee_arena_alloc(arena, sizeof *format + text.length * sizeof(token));
  *format = (ee_date_format){0, false};
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
        *why = "unknown letters (tokens are YYYY YY MM M MMM MMMM DD D HH mm ss SSS A Z, other text stands in [])";
        return NULL;
      }
      format->tokens[format->count++] = (token){TOKEN_LITERAL, c};
      at++;
      continue;
    }
    if (has_seen(seen, token_table[row].field)) {
      *why = "the same part of a date is there twice";
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
static bool scan_half(ee_scan *scan, int *half) {
  if (scan->end - scan->at < 2 || (scan->at[1] | 0x20) != 'm') return false;
  char c = (char)(scan->at[0] | 0x20);
  if (c != 'a' && c != 'p') return false;
  *half = c == 'p' ? 12 : 0;
  scan->at += 2;
  return true;
}

static bool read_token(ee_scan *scan, token t, ee_date *date, int *half) {
  switch (t.kind) {
  case TOKEN_LITERAL:
    if (scan->at == scan->end || *scan->at != t.literal) return false;
    scan->at++;
    return true;
  case TOKEN_YEAR4: return ee_scan_number(scan, 4, 4, &date->year);
  case TOKEN_YEAR2: return ee_scan_year2(scan, &date->year);
  case TOKEN_MONTH2: return ee_scan_number(scan, 2, 2, &date->month);
  case TOKEN_MONTH1: return ee_scan_number(scan, 1, 2, &date->month);
  case TOKEN_MONTH_SHORT: return ee_scan_month(scan, true, false, &date->month);
  case TOKEN_MONTH_LONG: return ee_scan_month(scan, false, true, &date->month);
  case TOKEN_DAY2: return ee_scan_number(scan, 2, 2, &date->day);
  case TOKEN_DAY1: return ee_scan_number(scan, 1, 2, &date->day);
  case TOKEN_HOUR: date->has_time = true; return ee_scan_number(scan, 2, 2, &date->hour);
  case TOKEN_MINUTE: return ee_scan_number(scan, 2, 2, &date->minute);
  case TOKEN_SECOND: return ee_scan_number(scan, 2, 2, &date->second);
  case TOKEN_MILLISECOND: return ee_scan_number(scan, 3, 3, &date->millisecond);
  case TOKEN_HALF: return scan_half(scan, half);
  case TOKEN_ZONE: return ee_scan_zone(scan, date);
  }
  return false;
}

static bool read_by_format(ee_str text, const ee_date_format *format, ee_date *date) {
  ee_scan scan = {text.data, text.data + text.length};
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

ee_date_status ee_date_parse(ee_str text, const ee_date_format *const *formats, size_t count, ee_date *date) {
  text = ee_str_trim(text);
  if (count == 0) return ee_date_read_default(text, date);
  for (size_t i = 0; i < count; i++) {
    if (read_by_format(text, formats[i], date)) return EE_DATE_OK;
  }
  return EE_DATE_UNPARSEABLE;
}

bool ee_date_looks_like(ee_str text) {
  /* The shortest is 1/1/2025. White space in front is rare enough to be looked for only behind this test. */
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
  return ee_date_read_default(text, &date) == EE_DATE_OK;
}

/* The calendar --------------------------------------------------------------------------------- */

bool ee_date_is_valid(const ee_date *date) {
  static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (date->year < 1 || date->year > 9999 || date->month < 1 || date->month > 12 || date->day < 1) return false;
  bool leap = date->year % 4 == 0 && (date->year % 100 != 0 || date->year % 400 == 0);
  if (date->day > days[date->month - 1] + (date->month == 2 && leap ? 1 : 0)) return false;
  return date->hour <= 23 && date->minute <= 59 && date->second <= 60;
}

int64_t ee_date_days(const ee_date *date) {
  /* Years that begin in March end in the leap day, and their months follow 153 days in five. 306 days lie between the
   * first of March of the year 0 and the first of January of the year 1; that day is 719162 days before 1970. */
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
  /* The slack of a tolerance is for parts of a day: 0.7 * 86400 falls just short of a whole second. */
  return tolerance_days > 0 && ee_within_tolerance((double)distance, 0, tolerance_days * (double)unit, false);
}

/* Writing -------------------------------------------------------------------------------------- */

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
