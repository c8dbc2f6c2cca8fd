/* number_text.c: numbers as people write them: grouped digits, digits of any script, money, percent, own symbols. */
#include <string.h>
#include <utf8proc.h>

#include "prim/normalize.h"
#include "prim/number.h"

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* Digits with grouping -------------------------------------------------------------------------- */

static bool is_separator(char c, char decimal_sign) {
  return c == (decimal_sign == '.' ? ',' : '.') || c == ' ' || c == '\'';
}

/* Groups of three, or a last group of three after groups of two (12,34,567). `inner_*` hold for all groups between the
 * first and the last. */
static bool groups_are_right(size_t first, size_t last, bool inner_are_threes, bool inner_are_twos) {
  if (last != 3) return false;
  return (first <= 3 && inner_are_threes) || (first <= 2 && inner_are_twos);
}

/* Appends the digits of the whole part at `*at` to `out` and moves `*at` past it. False if it is grouped wrongly. */
static bool read_whole_part(const char **at, const char *end, char decimal_sign, char *out, size_t *length) {
  const char *p = *at;
  char separator = '\0';
  size_t first = 0, current = 0;
  bool threes = true, twos = true, leading_zero = *p == '0';
  for (; p < end; p++) {
    if (is_digit(*p)) {
      out[(*length)++] = *p;
      current++;
      continue;
    }
    if (!is_separator(*p, decimal_sign) || p + 1 == end || !is_digit(p[1])) break;
    if (separator == '\0') {
      separator = *p;
      first = current;
    } else {
      if (*p != separator) return false;
      threes = threes && current == 3;
      twos = twos && current == 2;
    }
    current = 0;
  }
  *at = p;
  /* A grouped number does not begin with 0: in "0,125" the comma is a decimal sign. */
  return separator == '\0' || (!leading_zero && groups_are_right(first, current, threes, twos));
}

/* Writes the plain form of an unsigned number to `out` (room for text.length + 2) and returns its length, 0 when `text`
 * is not a number. */
static size_t write_plain(ee_str text, char decimal_sign, char *out) {
  const char *at = text.data, *end = text.data + text.length;
  size_t length = 0, digits;
  if (!read_whole_part(&at, end, decimal_sign, out, &length)) return 0;
  digits = length;
  size_t zeros = 0;
  while (zeros + 1 < length && out[zeros] == '0') zeros++;
  length -= zeros;
  memmove(out, out + zeros, length);
  if (length == 0) out[length++] = '0';
  if (at < end && *at == decimal_sign) {
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

/* One way to write each character --------------------------------------------------------------- */

/* The ASCII character for `code_point`: digits of any script, signs, spaces that group digits; 0 for none,
 * and ' ' also for marks of the direction of writing, which mean nothing here. */
static char plain_character(uint32_t code_point, ee_number_format format) {
  int digit = ee_decimal_digit(code_point);
  if (digit >= 0) return (char)('0' + digit);
  switch (code_point) {
  case 0x2212: return '-';
  case 0xA0:
  case 0x2007:
  case 0x2009:
  case 0x202F: return ' ';
  case 0x2019: return '\'';
  case 0x66B: return format.decimal;
  case 0x66C: return format.decimal == '.' ? ',' : '.';
  case 0x66A:
  case 0xFF05: return '%';
  default: break;
  }
  bool is_direction = code_point == 0x61C || code_point == 0x200E || code_point == 0x200F ||
                      (code_point >= 0x202A && code_point <= 0x202E) || (code_point >= 0x2066 && code_point <= 0x2069);
  return is_direction ? ' ' : '\0';
}

static bool is_dash(uint32_t code_point) { return code_point >= 0x2010 && code_point <= 0x2015; }

/* `text` with plain characters, in `arena`; letters in lower case without accents if `marked`. Length 0 when it is not
 * UTF-8 or becomes more than three times as long. */
static ee_str fold(ee_str text, ee_number_format format, bool marked, ee_arena *arena) {
  char *out = ee_arena_alloc(arena, 4 * EE_PLAIN_LETTER_LIMIT + 3 * text.length + 1);
  size_t length = 0, room = 3 * text.length;
  for (size_t at = 0; at < text.length;) {
    if (length > room) return (ee_str){NULL, 0}; /* unreached: no letter becomes that long */
    uint32_t c = (unsigned char)text.data[at];
    if (c < 0x80) {
      out[length++] = (char)(marked && c - 'A' < 26 ? c | 0x20 : c);
      at++;
      continue;
    }
    size_t bytes = ee_utf8_decode(text.data + at, text.length - at, &c);
    if (bytes == 0) return (ee_str){NULL, 0};
    at += bytes;
    char plain = plain_character(c, format);
    uint32_t letters[EE_PLAIN_LETTER_LIMIT] = {c};
    size_t count = 1;
    if (plain != '\0') {
      letters[0] = (unsigned char)plain;
    } else if (marked && is_dash(c)) {
      letters[0] = '-';
    } else if (marked) {
      count = ee_plain_letter(c, true, letters);
    }
    for (size_t i = 0; i < count; i++) length += ee_utf8_encode(letters[i], out + length);
  }
  return ee_str_trim((ee_str){out, length});
}

/* Currencies and other marks -------------------------------------------------------------------- */

static const char currency_codes[] =
#include "prim/currency_codes.inc"
    ;

static const char *const currency_signs[] = {
#include "prim/currency_signs.inc"
};

static const char *const percent_signs[] = {"%", "percent", "pct", "prozent", "procent", "pourcent", "porciento"};

/* `code` is in lower case. The codes are sorted. */
static bool is_currency_code(const char *code) {
  size_t low = 0, high = sizeof currency_codes / 4;
  while (low < high) {
    size_t middle = (low + high) / 2;
    const char *known = currency_codes + 4 * middle;
    int order = 0;
    for (int i = 0; i < 3 && order == 0; i++) order = (unsigned char)code[i] - (known[i] | 0x20);
    if (order == 0) return true;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return false;
}

static bool is_currency_sign(ee_str key) {
  uint32_t code_point;
  size_t bytes = ee_utf8_decode(key.data, key.length, &code_point);
  if (bytes == key.length && utf8proc_category((utf8proc_int32_t)code_point) == UTF8PROC_CATEGORY_SC) return true;
  size_t low = 0, high = sizeof currency_signs / sizeof *currency_signs;
  while (low < high) {
    size_t middle = (low + high) / 2;
    int order = (unsigned char)key.data[0] - (unsigned char)currency_signs[middle][0];
    if (order == 0) order = ee_str_compare(key, ee_str_from(currency_signs[middle]));
    if (order == 0) return true;
    if (order < 0) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return false;
}

/* Letters and signs before or after the digits, without spaces and dots. */
typedef struct marks {
  char key[40];
  size_t length;
} marks;

/* What was found on both sides. */
typedef struct findings {
  int sign_count, code_count, currency_count, percent_count, opened, closed;
  bool negative;
} findings;

static bool is_symbol(ee_str key, ee_number_format format) {
  for (size_t i = 0; i < format.symbol_count; i++) {
    if (ee_str_equal(key, format.symbols[i])) return true;
  }
  return false;
}

static bool add_currency(ee_str key, findings *found) {
  if (key.length == 3 && is_currency_code(key.data)) {
    found->code_count++;
    return true;
  }
  found->currency_count++;
  return is_currency_sign(key);
}

/* Looks the key of one side up: one mark, or a code and a sign ("USD $", "kr SEK"). */
static bool add_marks(const marks *side, ee_number_format format, findings *found) {
  ee_str key = {side->key, side->length};
  if (key.length == 0 || is_symbol(key, format)) return true;
  if (format.percent && (key.data[0] == '%' || key.data[0] == 'p')) {
    for (size_t i = 0; i < sizeof percent_signs / sizeof *percent_signs; i++) {
      if (ee_str_is(key, percent_signs[i])) return ++found->percent_count == 1;
    }
  }
  if (!format.money) return false;
  findings before = *found;
  if (add_currency(key, found)) return true;
  if (key.length <= 3) return false;
  ee_str first = {key.data, 3}, rest = {key.data + 3, key.length - 3};
  *found = before;
  if (is_currency_code(first.data)) {
    found->code_count++;
    if (add_currency(rest, found)) return true;
    *found = before;
  }
  first.length = key.length - 3;
  if (!is_currency_code(key.data + first.length)) return false;
  found->code_count++;
  return add_currency(first, found);
}

static bool is_letter_before(ee_str text, size_t at) {
  if (at == 0) return false;
  do at--;
  while (at > 0 && ((unsigned char)text.data[at] & 0xC0) == 0x80);
  uint32_t c;
  ee_utf8_decode(text.data + at, text.length - at, &c); /* folded text is UTF-8 */
  utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)c);
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

/* Reads signs, brackets and the letters of marks from `text[from, to)`. */
static bool read_side(ee_str text, size_t from, size_t to, bool is_prefix, ee_number_format format, findings *found) {
  marks side = {.length = 0};
  for (size_t at = from; at < to; at++) {
    char c = text.data[at];
    bool is_sign = c == '-' || (c == '+' && is_prefix), is_bracket = c == (is_prefix ? '(' : ')');
    if (c == ' ' || (c == '.' && is_letter_before(text, at))) continue;
    if (is_sign || is_bracket) {
      found->opened += is_bracket && is_prefix;
      found->closed += is_bracket && !is_prefix;
      if (is_sign || is_prefix) found->sign_count++;
      found->negative = found->negative || c != '+';
      if (!add_marks(&side, format, found)) return false;
      side.length = 0;
    } else if (side.length == sizeof side.key || c == '.' || c == ',' || c == '\'') {
      return false;
    } else {
      side.key[side.length++] = c;
    }
  }
  return add_marks(&side, format, found);
}

/* The end of what belongs to the digits after the last one at `text[at - 1]`: nothing, the decimal sign ("5."), or a
 * sign and dashes instead of cents ("5,-"). False if the digits in `body` do not go with it. */
static bool read_cents(ee_str text, ee_str body, char decimal, size_t *at) {
  char sign = *at < text.length ? text.data[*at] : '\0';
  if (sign != '.' && sign != ',') return true;
  bool dashes = *at + 1 < text.length && text.data[*at + 1] == '-';
  if (!dashes && sign != decimal) return false;
  /* The sign is the decimal one here, so the digits before it must have none, and none that could be one. */
  if (memchr(body.data, decimal, body.length) != NULL) return false;
  if (sign != decimal && memchr(body.data, sign, body.length) != NULL) return false;
  ++*at;
  for (int i = 0; i < 2 && *at < text.length && text.data[*at] == '-'; i++) ++*at;
  return true;
}

/* Finds the digits in folded `text`, and reads what is around them. */
static bool read_marked(ee_str text, ee_number_format format, ee_str *body, bool *negative) {
  size_t first = 0, end = text.length;
  while (first < end && !is_digit(text.data[first])) first++;
  while (end > first && !is_digit(text.data[end - 1])) end--;
  if (first == end) return false;
  /* In "$.50" the point belongs to the number, in "Rs.50" to the sign. */
  if (first > 0 && text.data[first - 1] == format.decimal && !is_letter_before(text, first - 1)) first--;
  *body = (ee_str){text.data + first, end - first};
  findings found = {0};
  if (!read_cents(text, *body, format.decimal, &end)) return false;
  if (!read_side(text, 0, first, true, format, &found)) return false;
  if (!read_side(text, end, text.length, false, format, &found)) return false;
  *negative = found.negative;
  return found.opened == found.closed && found.sign_count <= 1 && found.code_count <= 1 && found.currency_count <= 1;
}

/* Symbols with digits ("2 x") --------------------------------------------------------------------- */

/* The bytes at the start of `text` that are `key`, with spaces and dots in between, or 0. */
static size_t match_at_start(ee_str text, ee_str key) {
  size_t at = 0, done = 0;
  for (; at < text.length && done < key.length; at++) {
    if (text.data[at] == key.data[done]) {
      done++;
    } else if (done == 0 || (text.data[at] != ' ' && text.data[at] != '.')) {
      return 0;
    }
  }
  bool cuts = at < text.length && is_digit(text.data[at - 1]) && text.data[at] != ' ';
  return done == key.length && !cuts ? at : 0;
}

static size_t match_at_end(ee_str text, ee_str key) {
  size_t at = text.length, done = key.length;
  for (; at > 0 && done > 0; at--) {
    if (text.data[at - 1] == key.data[done - 1]) {
      done--;
    } else if (done == key.length || (text.data[at - 1] != ' ' && text.data[at - 1] != '.')) {
      return 0;
    }
  }
  bool cuts = at > 0 && is_digit(text.data[at]) && text.data[at - 1] != ' ';
  return done == 0 && !cuts ? text.length - at : 0;
}

static ee_str without_numbered_symbols(ee_str text, ee_number_format format) {
  for (size_t i = 0; i < format.symbol_count; i++) {
    ee_str key = format.symbols[i];
    if (strcspn(key.data, "0123456789") >= key.length) continue;
    size_t bytes = match_at_start(text, key);
    text = (ee_str){text.data + bytes, text.length - bytes};
    text.length -= match_at_end(text, key);
  }
  return ee_str_trim(text);
}

ee_str ee_number_symbol(ee_str text, ee_arena *arena) {
  ee_str folded = fold(text, (ee_number_format){.decimal = '.'}, true, arena);
  char *out = ee_arena_alloc(arena, folded.length + 1);
  size_t length = 0;
  for (size_t i = 0; i < folded.length; i++) {
    if (folded.data[i] != ' ' && folded.data[i] != '.') out[length++] = folded.data[i];
  }
  out[length] = '\0';
  return (ee_str){out, length};
}

/* Reading --------------------------------------------------------------------------------------- */

/* The longest marks of ASCII: a code and "ringgit". */
#define LONGEST_MARK 10

/* Whether `text[from, to)` of ASCII, beside digits, has a character that no mark has, or more of them than a mark. */
static bool has_no_mark(ee_str text, size_t from, size_t to) {
  for (size_t at = from, length = 0; at < to; at++) {
    const unsigned char c = (unsigned char)text.data[at];
    const bool is_letter = (c | 0x20u) - 'a' < 26u;
    if (!is_letter && strchr(" $%()+,-./", c) == NULL) return true;
    if (c == '-' || c == '+' || c == '(' || c == ')') {
      length = 0;
    } else if (c != ' ' && c != '.' && c != ',' && ++length > LONGEST_MARK) {
      return true;
    }
  }
  return false;
}

/* Whether no number can be in ASCII `text`: something that is part of none is between its first and its last digit, or
 * what is around them are no marks. */
static bool has_stray_characters(ee_str text) {
  size_t first = 0, end = text.length;
  while (first < end && !is_digit(text.data[first])) first++;
  while (end > first && !is_digit(text.data[end - 1])) end--;
  for (size_t i = first; i < end; i++) {
    char c = text.data[i];
    bool belongs = is_digit(c) || c == ' ' || c == '\'' || (c >= '+' && c <= '.') || (c | 0x20) == 'e';
    if (!belongs) return true;
  }
  return first == end || has_no_mark(text, 0, first) || has_no_mark(text, end, text.length);
}

/* Most texts are not numbers, and their first character shows it. */
static bool may_be_plain(ee_str text, char decimal) {
  char first = text.data[0];
  return is_digit(first) || first == '-' || first == '+' || first == decimal || (unsigned char)first >= 0x80;
}

bool ee_number_parse(ee_str text, ee_number_format format, ee_arena *arena, double *value, ee_str *digits) {
  text = ee_str_trim(text);
  bool marked = format.money || format.percent || format.symbol_count > 0, negative = false;
  if (text.length == 0 || (!marked && !may_be_plain(text, format.decimal))) return false;
  /* Nothing needs to be folded or looked up in digits with their signs. */
  bool ends_in_digits = is_digit(text.data[0]) && is_digit(text.data[text.length - 1]);
  bool is_ascii = ee_is_ascii(text.data, text.length);
  bool is_plain = (!marked || (ends_in_digits && format.symbol_count == 0)) && is_ascii;
  if (is_ascii && format.symbol_count == 0 && has_stray_characters(text)) return false;
  if (!is_plain) text = fold(text, format, marked, arena);
  if (format.symbol_count > 0) text = without_numbered_symbols(text, format);
  if (marked && !is_plain) {
    if (!read_marked(text, format, &text, &negative)) return false;
  } else if (text.length > 0 && (text.data[0] == '-' || text.data[0] == '+')) {
    negative = text.data[0] == '-';
    text = (ee_str){text.data + 1, text.length - 1};
  }
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

char ee_number_decimal_sign(ee_str text, ee_number_format format, ee_arena *arena) {
  ee_arena_mark mark = ee_arena_get_mark(arena);
  double value;
  format.decimal = '.';
  bool by_point = ee_number_parse(text, format, arena, &value, NULL);
  format.decimal = ',';
  bool by_comma = ee_number_parse(text, format, arena, &value, NULL);
  ee_arena_rewind(arena, mark);
  return by_point == by_comma ? '\0' : by_point ? '.' : ',';
}
