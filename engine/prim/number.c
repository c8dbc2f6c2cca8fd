/* number.c: numbers as people write them, and numeric tolerance. */
#include "prim/number.h"

#include <math.h>
#include <utf8proc.h>

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* Currency ------------------------------------------------------------------------------------- */

/* The codes of ISO 4217 in use, and the last ones that went out of it. */
static const char currency_codes[] =
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF "
    "CHE CHF CHW CLF CLP CNY COP COU CRC CUC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD "
    "GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP "
    "LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN "
    "PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS "
    "TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAF XAG XAU XCD XCG XDR XOF XPD "
    "XPF XPT XSU XUA YER ZAR ZMW ZWG ZWL ";

static bool is_currency_code(const char *text) {
  for (const char *code = currency_codes; *code != '\0'; code += 4) {
    if (memcmp(code, text, 3) == 0) return true;
  }
  return false;
}

/* The bytes of the currency sign (Unicode Sc) or code at the start of `text`, or 0. */
static size_t currency_at_start(ee_str text) {
  if (text.length >= 3 && is_currency_code(text.data)) return 3;
  uint32_t code_point;
  if (text.length == 0) return 0;
  size_t bytes = ee_utf8_decode(text.data, text.length, &code_point);
  return bytes > 0 && utf8proc_category((utf8proc_int32_t)code_point) == UTF8PROC_CATEGORY_SC ? bytes : 0;
}

static size_t currency_at_end(ee_str text) {
  if (text.length >= 3 && is_currency_code(text.data + text.length - 3)) return 3;
  size_t bytes = 1;
  while (bytes < text.length && bytes < 4 && ((unsigned char)text.data[text.length - bytes] & 0xc0) == 0x80) bytes++;
  if (bytes > text.length) return 0;
  return currency_at_start((ee_str){text.data + text.length - bytes, bytes}) == bytes ? bytes : 0;
}

static ee_str without_start(ee_str text, size_t bytes) { return (ee_str){text.data + bytes, text.length - bytes}; }

static ee_str without_end(ee_str text, size_t bytes) { return (ee_str){text.data, text.length - bytes}; }

/* Takes one sign, bracket pair or trailing minus and one currency off `text`, in any order from outside to inside. */
static ee_str peel_money(ee_str text, bool *negative) {
  bool has_sign = false, has_currency = false;
  while (true) {
    text = ee_str_trim(text);
    if (text.length == 0) return text;
    char first = text.data[0], last = text.data[text.length - 1];
    size_t bytes;
    if (!has_currency && (bytes = currency_at_start(text)) > 0) {
      text = without_start(text, bytes);
      has_currency = true;
    } else if (!has_currency && (bytes = currency_at_end(text)) > 0) {
      text = without_end(text, bytes);
      has_currency = true;
    } else if (!has_sign && (first == '-' || first == '+')) {
      text = without_start(text, 1);
      *negative = first == '-';
      has_sign = true;
    } else if (!has_sign && last == '-') {
      text = without_end(text, 1);
      *negative = true;
      has_sign = true;
    } else if (!has_sign && first == '(' && last == ')') {
      text = without_end(without_start(text, 1), 1);
      *negative = true;
      has_sign = true;
    } else {
      return text;
    }
  }
}

/* Digits with grouping ------------------------------------------------------------------------- */

/* The bytes of the grouping sign at `at`, or 0. */
static size_t separator_at(const char *at, const char *end, char decimal) {
  if (*at == (decimal == '.' ? ',' : '.') || *at == ' ' || *at == '\'') return 1;
  if (end - at >= 2 && memcmp(at, "\xc2\xa0", 2) == 0) return 2;
  if (end - at >= 3 && memcmp(at, "\xe2\x80\xaf", 3) == 0) return 3;
  return 0;
}

/* Groups of three, or three and before it twos (12,34,567). `sizes_are_*` say so of all groups between the first and
 * the last one. A grouped number does not begin with 0: in "0,125" the comma is somebody's decimal sign. */
static bool groups_are_right(size_t first, size_t last, bool inner_are_threes, bool inner_are_twos) {
  if (first == 0 || last != 3) return false;
  return (first <= 3 && inner_are_threes) || (first <= 2 && inner_are_twos);
}

/* Appends the digits of the whole part at `*at` to `out` and moves `*at` behind it. False when grouped wrongly. */
static bool read_whole_part(const char **at, const char *end, char decimal, char *out, size_t *length) {
  const char *p = *at, *separator = NULL;
  size_t separator_bytes = 0, first = 0, current = 0;
  bool threes = true, twos = true, leading_zero = p < end && *p == '0';
  while (p < end) {
    if (is_digit(*p)) {
      out[(*length)++] = *p++;
      current++;
      continue;
    }
    size_t bytes = separator_at(p, end, decimal);
    if (bytes == 0 || p + bytes == end || !is_digit(p[bytes])) break;
    if (separator == NULL) {
      separator = p;
      separator_bytes = bytes;
      first = current;
    } else {
      if (bytes != separator_bytes || memcmp(separator, p, bytes) != 0) return false;
      threes = threes && current == 3;
      twos = twos && current == 2;
    }
    current = 0;
    p += bytes;
  }
  *at = p;
  return separator == NULL || (!leading_zero && groups_are_right(first, current, threes, twos));
}

/* Writes the plain form of an unsigned number to `out` (room for text.length + 2) and returns its length, 0 when `text`
 * is no number. */
static size_t write_plain(ee_str text, char decimal, char *out) {
  const char *at = text.data, *end = text.data + text.length;
  size_t length = 0, digits;
  if (!read_whole_part(&at, end, decimal, out, &length)) return 0;
  digits = length;
  size_t zeros = 0;
  while (zeros + 1 < length && out[zeros] == '0') zeros++;
  length -= zeros;
  memmove(out, out + zeros, length);
  if (length == 0) out[length++] = '0';
  if (at < end && *at == decimal) {
    at++;
    const char *fraction = at;
    while (at < end && is_digit(*at)) at++;
    size_t count = (size_t)(at - fraction);
    digits += count;
    if (count > 0) {
      out[length++] = '.';
      memcpy(out + length, fraction, count);
      length += count;
    }
  }
  if (digits == 0) return 0;
  if (at < end && (*at == 'e' || *at == 'E')) {
    out[length++] = 'e';
    at++;
    if (at < end && (*at == '+' || *at == '-')) {
      if (*at == '-') out[length++] = '-';
      at++;
    }
    if (at == end) return 0;
    while (at < end && is_digit(*at)) out[length++] = *at++;
  }
  return at == end ? length : 0;
}

bool ee_number_parse(ee_str text, ee_number_format format, ee_arena *arena, double *value, ee_str *digits) {
  bool negative = false;
  text = ee_str_trim(text);
  if (format.money) {
    text = peel_money(text, &negative);
  } else if (text.length > 0 && (text.data[0] == '-' || text.data[0] == '+')) {
    negative = text.data[0] == '-';
    text = without_start(text, 1);
  }
  /* Most texts are no numbers, and show it at once. */
  if (text.length == 0 || (!is_digit(text.data[0]) && text.data[0] != format.decimal)) return false;
  char *plain = ee_arena_alloc(arena, text.length + 3);
  size_t sign = negative ? 1 : 0;
  plain[0] = '-';
  size_t length = write_plain(text, format.decimal, plain + sign);
  if (length == 0) return false;
  ee_str result = {plain, length + sign};
  *value = ee_decimal_to_double(result);
  if (digits != NULL) *digits = result;
  return true;
}

/* Tolerance ------------------------------------------------------------------------------------ */

static double bound_of(double y, double tolerance, bool relative) {
  return relative && y != 0 ? tolerance * fabs(y) : tolerance;
}

/* `size` is the larger of both magnitudes. */
static bool is_within(double difference, double bound, double size) {
  return difference <= bound + fmin(0x1p-50 * size, 0x1p-20 * bound) && bound > 0;
}

bool ee_within_tolerance(double x, double y, double tolerance, bool relative) {
  if (!isfinite(x) || !isfinite(y)) return false;
  if (x == y) return true;
  double bound = bound_of(y, tolerance, relative);
  double difference = fabs(x - y);
  if (!isfinite(difference) || !isfinite(bound)) {
    /* At a quarter of the size the difference is finite, and a bound that is not exceeds it. */
    difference = fabs(x / 4 - y / 4);
    bound = relative && y != 0 ? tolerance * (fabs(y) / 4) : tolerance / 4;
    return difference <= bound;
  }
  return is_within(difference, bound, fmax(fabs(x), fabs(y)));
}

static ee_str digits_of(const ee_number *number, char text[32]) {
  return number->digits.length > 0 ? number->digits : (ee_str){text, ee_double_format(number->value, text)};
}

bool ee_numbers_within_tolerance(const ee_number *x, const ee_number *y, double tolerance, bool relative,
                                 double *difference) {
  *difference = fabs(x->value - y->value);
  char x_text[32], y_text[32];
  if (tolerance == 0) {
    /* Doubles have one shortest text each. */
    if (x->digits.length == 0 && y->digits.length == 0) return x->value == y->value;
    return ee_decimal_compare(digits_of(x, x_text), digits_of(y, y_text)) == 0;
  }
  double bound = bound_of(y->value, tolerance, relative), size = fmax(fabs(x->value), fabs(y->value));
  /* The doubles and their difference are off by less than 2^-51 of the size. The slack makes up for that, unless the
   * tolerance bounds it to less; then what lies that near to the tolerance is decided on the decimals. */
  bool close = 0x1p-20 * bound < 0x1p-50 * size && fabs(*difference - bound) <= 0x1p-49 * size;
  if (!close) return ee_within_tolerance(x->value, y->value, tolerance, relative);
  *difference = ee_decimal_difference(digits_of(x, x_text), digits_of(y, y_text));
  return *difference == 0 || is_within(*difference, bound, size);
}

double ee_linear_closeness(double x, double y) {
  if (!isfinite(x) || !isfinite(y)) return 0;
  if (x == y) return 1;
  if (y == 0) return 0;
  return fmax(0, 1 - fabs(x - y) / fabs(y));
}
