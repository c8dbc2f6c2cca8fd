/* schema_format.c: see schema_format.h. Each format is read from left to right; what is left over is a mistake. */
#include "data/schema/schema_format.h"

#include "data/schema/schema_pattern.h"
#include "prim/hostname.h"

static const char *const names[] = {
    [EE_FORMAT_DATE] = "date",
    [EE_FORMAT_TIME] = "time",
    [EE_FORMAT_DATE_TIME] = "date-time",
    [EE_FORMAT_DURATION] = "duration",
    [EE_FORMAT_EMAIL] = "email",
    [EE_FORMAT_IDN_EMAIL] = "idn-email",
    [EE_FORMAT_HOSTNAME] = "hostname",
    [EE_FORMAT_IDN_HOSTNAME] = "idn-hostname",
    [EE_FORMAT_IPV4] = "ipv4",
    [EE_FORMAT_IPV6] = "ipv6",
    [EE_FORMAT_URI] = "uri",
    [EE_FORMAT_URI_REFERENCE] = "uri-reference",
    [EE_FORMAT_IRI] = "iri",
    [EE_FORMAT_IRI_REFERENCE] = "iri-reference",
    [EE_FORMAT_URI_TEMPLATE] = "uri-template",
    [EE_FORMAT_UUID] = "uuid",
    [EE_FORMAT_JSON_POINTER] = "json-pointer",
    [EE_FORMAT_RELATIVE_JSON_POINTER] = "relative-json-pointer",
    [EE_FORMAT_REGEX] = "regex",
};

ee_schema_format ee_schema_format_find(ee_str name) {
  for (size_t i = 0; i < EE_FORMAT_UNKNOWN; i++)
    if (ee_str_is(name, names[i])) return (ee_schema_format)i;
  return EE_FORMAT_UNKNOWN;
}

const char *ee_schema_format_name(ee_schema_format format) { return names[format]; }

/* Reading -------------------------------------------------------------------------------------- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (unsigned char)((c | 0x20) - 'a') < 26; }
static bool is_one_of(char c, const char *list) { return c != '\0' && strchr(list, c) != NULL; }

/* The first character; NUL at the end, which no format takes for one. */
static char first(const ee_str *text) { return text->length > 0 ? text->data[0] : '\0'; }

static void drop(ee_str *text, size_t length) {
  text->data += length;
  text->length -= length;
}

static bool take(ee_str *text, char c) {
  if (text->length == 0 || text->data[0] != c) return false;
  drop(text, 1);
  return true;
}

/* A number of exactly `count` digits, at most `max`. */
static bool take_number(ee_str *text, size_t count, int max, int *number) {
  *number = 0;
  if (text->length < count) return false;
  for (size_t i = 0; i < count; i++) {
    if (!is_digit(text->data[i])) return false;
    *number = *number * 10 + (text->data[i] - '0');
  }
  drop(text, count);
  return *number <= max;
}

/* Digits; the number of them. */
static size_t take_digits(ee_str *text) {
  size_t count = 0;
  while (count < text->length && is_digit(text->data[count])) count++;
  drop(text, count);
  return count;
}

/* The part up to the first of `ends`, or all. */
static ee_str take_until(ee_str *text, const char *ends) {
  size_t length = 0;
  while (length < text->length && !is_one_of(text->data[length], ends)) length++;
  ee_str part = {text->data, length};
  drop(text, length);
  return part;
}

/* Dates and times ------------------------------------------------------------------------------ */

static bool take_date(ee_str *text) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int year, month, day;
  bool good = take_number(text, 4, 9999, &year) && take(text, '-') && take_number(text, 2, 12, &month) &&
              take(text, '-') && take_number(text, 2, 31, &day);
  if (!good || month == 0 || day == 0) return false;
  bool is_leap = month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return day <= days[month - 1] + is_leap;
}

static bool take_time(ee_str *text) {
  int hour, minute, second, offset_hour = 0, offset_minute = 0;
  bool good = take_number(text, 2, 23, &hour) && take(text, ':') && take_number(text, 2, 59, &minute) &&
              take(text, ':') && take_number(text, 2, 60, &second);
  if (!good || (take(text, '.') && take_digits(text) == 0)) return false;
  if (!take(text, 'Z') && !take(text, 'z')) {
    int sign = first(text) == '-' ? -1 : 1;
    if (!take(text, '+') && !take(text, '-')) return false;
    if (!take_number(text, 2, 23, &offset_hour) || !take(text, ':') || !take_number(text, 2, 59, &offset_minute))
      return false;
    offset_hour *= sign;
    offset_minute *= sign;
  }
  /* A leap second is the last one of a day in UTC. */
  int of_day = hour * 60 + minute - offset_hour * 60 - offset_minute;
  return second < 60 || (of_day + 2 * 1440) % 1440 == 1439;
}

static bool take_date_time(ee_str *text) {
  return take_date(text) && (take(text, 'T') || take(text, 't')) && take_time(text);
}

/* Numbers with these units, in this order and without gaps; the number of them. A number without a unit of these is
 * left as it is. */
static size_t take_units(ee_str *text, const char *units) {
  size_t count = 0;
  for (const char *unit = units; *unit != '\0'; unit++) {
    ee_str rest = *text;
    if (take_digits(&rest) == 0 || !take(&rest, *unit)) {
      if (count > 0) break;
      continue;
    }
    *text = rest;
    count++;
  }
  return count;
}

static bool take_duration(ee_str *text) {
  if (!take(text, 'P')) return false;
  if (take_units(text, "W") > 0) return true;
  bool has_date = take_units(text, "YMD") > 0;
  return take(text, 'T') ? take_units(text, "HMS") > 0 : has_date;
}

/* Addresses ------------------------------------------------------------------------------------ */

static bool take_ipv4(ee_str *text) {
  for (int i = 0; i < 4; i++) {
    ee_str part = *text;
    size_t count = take_digits(text);
    int value = 0;
    for (size_t k = 0; k < count && k < 3; k++) value = value * 10 + (part.data[k] - '0');
    if (count == 0 || count > 3 || value > 255 || (count > 1 && part.data[0] == '0')) return false;
    if (i < 3 && !take(text, '.')) return false;
  }
  return true;
}

static bool is_ipv4(ee_str text) { return take_ipv4(&text) && text.length == 0; }

static bool is_ipv6(ee_str text) {
  int groups = 0;
  bool has_gap = false;
  if (text.length >= 2 && text.data[0] == ':' && text.data[1] == ':') {
    drop(&text, 2);
    has_gap = true;
  }
  while (text.length > 0) {
    size_t digits = 0;
    while (digits < text.length && ee_hex_digit(text.data[digits]) >= 0) digits++;
    if (digits < text.length && text.data[digits] == '.') {
      groups += 2;
      return is_ipv4(text) && (has_gap ? groups <= 7 : groups == 8);
    }
    if (digits == 0 || digits > 4) return false;
    drop(&text, digits);
    groups++;
    bool after_colon = take(&text, ':');
    if (after_colon && first(&text) == ':') {
      if (has_gap) return false;
      has_gap = true;
      drop(&text, 1);
    } else if (after_colon && text.length == 0) {
      return false;
    }
  }
  return has_gap ? groups <= 7 : groups == 8;
}

static bool is_hex(ee_str text, size_t at, size_t count) {
  for (size_t i = at; i < at + count; i++)
    if (ee_hex_digit(text.data[i]) < 0) return false;
  return true;
}

static bool is_uuid(ee_str text) {
  if (text.length != 36) return false;
  bool hyphens = text.data[8] == '-' && text.data[13] == '-' && text.data[18] == '-' && text.data[23] == '-';
  return hyphens && is_hex(text, 0, 8) && is_hex(text, 9, 4) && is_hex(text, 14, 4) && is_hex(text, 19, 4) &&
         is_hex(text, 24, 12);
}

/* A local part between quotes, after the first one. */
static bool take_quoted(ee_str *text, bool is_international) {
  while (text->length > 0) {
    unsigned char c = (unsigned char)text->data[0];
    drop(text, 1);
    if (c == '"') return true;
    if (c == '\\') {
      c = (unsigned char)first(text);
      if (text->length == 0 || c < 0x20 || c > 0x7e) return false;
      drop(text, 1);
    } else if (c < 0x20 || c == 0x7f || (c > 0x7f && !is_international)) {
      return false;
    }
  }
  return false;
}

static bool take_atoms(ee_str *text, bool is_international) {
  do {
    size_t length = 0;
    while (length < text->length) {
      char c = text->data[length];
      bool good = is_letter(c) || is_digit(c) || is_one_of(c, "!#$%&'*+-/=?^_`{|}~") ||
                  ((unsigned char)c > 0x7f && is_international);
      if (!good) break;
      length++;
    }
    if (length == 0) return false;
    drop(text, length);
  } while (take(text, '.'));
  return true;
}

/* A domain of mail in all scripts: labels as in RFC 1123, with any other character that is not ASCII. */
static bool is_international_domain(ee_str text) {
  do {
    ee_str part = take_until(&text, ".");
    if (part.length == 0 || part.data[0] == '-' || part.data[part.length - 1] == '-') return false;
    for (size_t i = 0; i < part.length; i++) {
      char c = part.data[i];
      if (!is_letter(c) && !is_digit(c) && c != '-' && (unsigned char)c <= 0x7f) return false;
    }
  } while (take(&text, '.'));
  return true;
}

static bool is_email(ee_str text, bool is_international, ee_arena *scratch) {
  bool good = take(&text, '"') ? take_quoted(&text, is_international) : take_atoms(&text, is_international);
  if (!good || !take(&text, '@')) return false;
  if (first(&text) == '[' && text.data[text.length - 1] == ']') {
    ee_str address = {text.data + 1, text.length - 2};
    if (address.length > 5 && memcmp(address.data, "IPv6:", 5) == 0)
      return is_ipv6((ee_str){address.data + 5, address.length - 5});
    return is_ipv4(address);
  }
  return is_international ? is_international_domain(text) : ee_hostname_valid(text, false, scratch);
}

/* References ----------------------------------------------------------------------------------- */

/* RFC 3987: characters of other scripts, and for private use. */
static bool is_international_character(uint32_t c) {
  if ((c & 0xfffe) == 0xfffe) return false;
  return (c >= 0xa0 && c <= 0xd7ff) || (c >= 0xf900 && c <= 0xfdcf) || (c >= 0xfdf0 && c <= 0xffef) ||
         (c >= 0x10000 && c <= 0xdffff) || (c >= 0xe1000 && c <= 0xeffff);
}
static bool is_private_character(uint32_t c) {
  return (c >= 0xe000 && c <= 0xf8ff) || (c >= 0xf0000 && (c & 0xfffe) != 0xfffe);
}

/* Whether all of `text` is made of unreserved characters, %XX, those of `others`, and with `is_international` those of
 * other scripts. */
static bool is_made_of(ee_str text, const char *others, bool is_international, bool with_private) {
  while (text.length > 0) {
    char c = text.data[0];
    if ((unsigned char)c > 0x7f) {
      uint32_t point;
      size_t length = ee_utf8_decode(text.data, text.length, &point);
      bool good = is_international_character(point) || (with_private && is_private_character(point));
      if (!is_international || !good) return false;
      drop(&text, length);
      continue;
    }
    if (c == '%') {
      if (text.length < 3 || !is_hex(text, 1, 2)) return false;
      drop(&text, 3);
      continue;
    }
    if (!is_letter(c) && !is_digit(c) && !is_one_of(c, "-._~") && !is_one_of(c, others)) return false;
    drop(&text, 1);
  }
  return true;
}

#define DELIMITERS "!$&'()*+,;="

/* An address in brackets, with them. */
static bool is_literal(ee_str text) {
  if (text.length < 3 || text.data[text.length - 1] != ']') return false;
  text = (ee_str){text.data + 1, text.length - 2};
  if (first(&text) != 'v' && first(&text) != 'V') return is_ipv6(text);
  drop(&text, 1);
  ee_str version = take_until(&text, ".");
  return version.length > 0 && is_hex(version, 0, version.length) && take(&text, '.') && text.length > 0 &&
         memchr(text.data, '%', text.length) == NULL && is_made_of(text, DELIMITERS ":", false, false);
}

static bool is_authority(ee_str text, bool is_international) {
  ee_str rest = text, user = take_until(&rest, "@");
  if (take(&rest, '@')) {
    if (!is_made_of(user, DELIMITERS ":", is_international, false)) return false;
    text = rest;
  }
  ee_str host = text;
  if (first(&text) == '[') {
    take_until(&text, "]");
    take(&text, ']');
    host.length = (size_t)(text.data - host.data);
    if (!is_literal(host)) return false;
  } else {
    host = take_until(&text, ":");
    if (!is_made_of(host, DELIMITERS, is_international, false)) return false;
  }
  if (take(&text, ':')) take_digits(&text);
  return text.length == 0;
}

static bool is_scheme(ee_str text) {
  if (!is_letter(first(&text))) return false;
  for (size_t i = 1; i < text.length; i++)
    if (!is_letter(text.data[i]) && !is_digit(text.data[i]) && !is_one_of(text.data[i], "+-.")) return false;
  return true;
}

static bool is_reference(ee_str text, bool is_international, bool may_be_relative) {
  ee_str rest = text, scheme = take_until(&rest, ":/?#");
  if (first(&rest) == ':') {
    /* Without a scheme the first segment has no colon. */
    if (!is_scheme(scheme)) return false;
    drop(&rest, 1);
    text = rest;
  } else if (!may_be_relative) {
    return false;
  }
  if (text.length >= 2 && text.data[0] == '/' && text.data[1] == '/') {
    drop(&text, 2);
    if (!is_authority(take_until(&text, "/?#"), is_international)) return false;
  }
  if (!is_made_of(take_until(&text, "?#"), DELIMITERS ":@/", is_international, false)) return false;
  if (take(&text, '?') && !is_made_of(take_until(&text, "#"), DELIMITERS ":@/?", is_international, true)) return false;
  return !take(&text, '#') || is_made_of(text, DELIMITERS ":@/?", is_international, false);
}

/* Templates and pointers ----------------------------------------------------------------------- */

static bool is_variable(ee_str text) {
  ee_str name = take_until(&text, ":*");
  do {
    ee_str part = take_until(&name, ".");
    if (part.length == 0 || !is_made_of(part, "_", false, false)) return false;
    if (memchr(part.data, '-', part.length) != NULL || memchr(part.data, '~', part.length) != NULL) return false;
  } while (take(&name, '.'));
  if (take(&text, '*')) return text.length == 0;
  if (!take(&text, ':')) return true;
  return text.length <= 4 && first(&text) != '0' && take_digits(&text) > 0 && text.length == 0;
}

static bool is_expression(ee_str text) {
  if (is_one_of(first(&text), "+#./;?&=,!@|")) drop(&text, 1);
  do {
    if (!is_variable(take_until(&text, ","))) return false;
  } while (take(&text, ','));
  return true;
}

static bool is_template(ee_str text) {
  while (text.length > 0) {
    ee_str literal = take_until(&text, "{");
    if (!is_made_of(literal, DELIMITERS ":@/?#[]", true, true)) return false;
    if (!take(&text, '{')) break;
    ee_str expression = take_until(&text, "}");
    if (!take(&text, '}') || !is_expression(expression)) return false;
  }
  return true;
}

static bool is_pointer(ee_str text) {
  if (text.length > 0 && text.data[0] != '/') return false;
  for (size_t i = 0; i < text.length; i++) {
    if (text.data[i] != '~') continue;
    if (i + 1 == text.length || (text.data[i + 1] != '0' && text.data[i + 1] != '1')) return false;
  }
  return true;
}

static bool is_relative_pointer(ee_str text) {
  bool from_zero = first(&text) == '0';
  size_t digits = take_digits(&text);
  if (digits == 0 || (from_zero && digits > 1)) return false;
  return ee_str_is(text, "#") || is_pointer(text);
}

static bool is_regex(ee_str text, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  const char *why;
  bool good = ee_schema_pattern_compile(scratch, text, &why) != NULL;
  ee_arena_rewind(scratch, mark);
  return good;
}

bool ee_schema_format_fits(ee_schema_format format, ee_str text, ee_arena *scratch) {
  switch (format) { /* unreached: all formats are listed */
  case EE_FORMAT_DATE: return take_date(&text) && text.length == 0;
  case EE_FORMAT_TIME: return take_time(&text) && text.length == 0;
  case EE_FORMAT_DATE_TIME: return take_date_time(&text) && text.length == 0;
  case EE_FORMAT_DURATION: return take_duration(&text) && text.length == 0;
  case EE_FORMAT_EMAIL: return is_email(text, false, scratch);
  case EE_FORMAT_IDN_EMAIL: return is_email(text, true, scratch);
  case EE_FORMAT_HOSTNAME: return ee_hostname_valid(text, false, scratch);
  case EE_FORMAT_IDN_HOSTNAME: return ee_hostname_valid(text, true, scratch);
  case EE_FORMAT_IPV4: return is_ipv4(text);
  case EE_FORMAT_IPV6: return is_ipv6(text);
  case EE_FORMAT_URI: return is_reference(text, false, false);
  case EE_FORMAT_URI_REFERENCE: return is_reference(text, false, true);
  case EE_FORMAT_IRI: return is_reference(text, true, false);
  case EE_FORMAT_IRI_REFERENCE: return is_reference(text, true, true);
  case EE_FORMAT_URI_TEMPLATE: return is_template(text);
  case EE_FORMAT_UUID: return is_uuid(text);
  case EE_FORMAT_JSON_POINTER: return is_pointer(text);
  case EE_FORMAT_RELATIVE_JSON_POINTER: return is_relative_pointer(text);
  case EE_FORMAT_REGEX: return is_regex(text, scratch);
  case EE_FORMAT_UNKNOWN: break;
  }
  return true;
}
