/* yaml_scalar.c: resolving scalars by the core schema of YAML 1.2.2, section 10.3.2. */
#include "base/error.h"
#include "data/json/json_reader.h"
#include "data/json/json_scan.h"
#include "data/yaml/yaml_parts.h"

#define CORE "tag:yaml.org,2002:"
/* Longer numbers of other bases are refused: the time to convert them grows with the square of their length. */
#define BASE_DIGITS 1024

ee_yaml_tag ee_yaml_tag_of(const char *name) {
  static const struct {
    const char *name;
    ee_yaml_tag tag;
  } tags[] = {{"!", EE_YAML_STR},          {CORE "str", EE_YAML_STR},
              {CORE "int", EE_YAML_INT},   {CORE "float", EE_YAML_FLOAT},
              {CORE "bool", EE_YAML_BOOL}, {CORE "null", EE_YAML_NULL},
              {CORE "map", EE_YAML_MAP},   {CORE "seq", EE_YAML_SEQ}};
  for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
    if (strcmp(tags[i].name, name) == 0) return tags[i].tag;
  return EE_YAML_UNKNOWN;
}

/* Forms ---------------------------------------------------------------------------------------- */

static bool is_one_of(ee_str text, const char *const *words) {
  for (; *words != NULL; words++)
    if (ee_str_is(text, *words)) return true;
  return false;
}

static bool is_null(ee_str text) {
  static const char *const words[] = {"", "~", "null", "Null", "NULL", NULL};
  return is_one_of(text, words);
}

static bool is_true(ee_str text) {
  static const char *const words[] = {"true", "True", "TRUE", NULL};
  return is_one_of(text, words);
}

static bool is_false(ee_str text) {
  static const char *const words[] = {"false", "False", "FALSE", NULL};
  return is_one_of(text, words);
}

/* [-+]? .inf, and .nan: numbers that JSON cannot express. */
static bool is_beyond_json(ee_str text) {
  static const char *const words[] = {".inf", ".Inf", ".INF", NULL}, *const others[] = {".nan", ".NaN", ".NAN", NULL};
  if (is_one_of(text, others)) return true;
  if (text.length > 0 && (text.data[0] == '-' || text.data[0] == '+')) text.data++, text.length--;
  return is_one_of(text, words);
}

/* 8 for 0o[0-7]+, 16 for 0x[0-9a-fA-F]+, else 0. */
static unsigned base_of(ee_str text) {
  if (text.length < 3 || text.data[0] != '0' || (text.data[1] != 'o' && text.data[1] != 'x')) return 0;
  unsigned base = text.data[1] == 'o' ? 8 : 16;
  for (size_t i = 2; i < text.length; i++)
    if ((unsigned)ee_hex_digit(text.data[i]) >= base) return 0;
  return base;
}

/* The parts of [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?. */
typedef struct decimal {
  bool negative, point;
  ee_str whole, fraction, exponent; /* the exponent with its letter */
} decimal;

static ee_str take_digits(const char **at, const char *end) {
  const char *first = *at;
  while (*at < end && ee_json_is_digit(**at)) *at += 1;
  return (ee_str){first, (size_t)(*at - first)};
}

static bool read_decimal(ee_str text, decimal *parts) {
  const char *at = text.data, *end = at + text.length;
  *parts = (decimal){0};
  if (at < end && (*at == '-' || *at == '+')) parts->negative = *at++ == '-';
  parts->whole = take_digits(&at, end);
  if (at < end && *at == '.') {
    at++;
    parts->point = true;
    parts->fraction = take_digits(&at, end);
  }
  if (parts->whole.length + parts->fraction.length == 0) return false;
  if (at < end && (*at == 'e' || *at == 'E')) {
    const char *letter = at++;
    if (at < end && (*at == '-' || *at == '+')) at++;
    if (take_digits(&at, end).length == 0) return false;
    parts->exponent = (ee_str){letter, (size_t)(at - letter)};
  }
  return at == end;
}

static bool is_whole(const decimal *parts) { return !parts->point && parts->exponent.length == 0; }

/* Nodes ---------------------------------------------------------------------------------------- */

/* Whole numbers of up to 15 digits are exact doubles. */
static ee_value *short_number_node(ee_arena *arena, const decimal *parts) {
  double value = 0;
  for (size_t i = 0; i < parts->whole.length; i++) value = value * 10 + (parts->whole.data[i] - '0');
  return ee_value_new_number(arena, parts->negative ? -value : value);
}

/* JSON's spelling of the number: no plus, no leading zeros, digits on both sides of the point. The JSON reader makes
 * the node, so that a number is the same node in both languages. */
static ee_value *number_node(ee_arena *arena, const decimal *parts, size_t length) {
  if (is_whole(parts) && parts->whole.length <= 15) return short_number_node(arena, parts);
  char *text = ee_arena_alloc(arena, length + 4), *out = text;
  ee_str whole = parts->whole;
  while (whole.length > 1 && whole.data[0] == '0') whole.data++, whole.length--;
  if (whole.length == 0) whole = EE_STR("0");
  if (parts->negative) *out++ = '-';
  memcpy(out, whole.data, whole.length);
  out += whole.length;
  if (parts->fraction.length > 0) {
    *out++ = '.';
    memcpy(out, parts->fraction.data, parts->fraction.length);
    out += parts->fraction.length;
  }
  if (parts->exponent.length > 0) memcpy(out, parts->exponent.data, parts->exponent.length);
  out += parts->exponent.length;
  return ee_json_read(arena, (ee_str){text, (size_t)(out - text)}, NULL, NULL);
}

/* Converts digits of base 8 or 16 to decimal, in limbs of nine digits, the lowest first. */
static ee_value *based_node(ee_arena *arena, ee_str digits, unsigned base) {
  uint32_t limbs[BASE_DIGITS * 4 / 29 + 2];
  size_t count = 0;
  for (size_t i = 0; i < digits.length; i++) {
    uint64_t carry = (uint64_t)ee_hex_digit(digits.data[i]);
    for (size_t k = 0; k < count; k++) {
      carry += (uint64_t)limbs[k] * base;
      limbs[k] = (uint32_t)(carry % 1000000000);
      carry /= 1000000000;
    }
    if (carry > 0) limbs[count++] = (uint32_t)carry;
  }
  ee_buffer text = {0};
  ee_buffer_addf(&text, "%u", count > 0 ? limbs[count - 1] : 0);
  for (size_t k = count; k-- > 1;) ee_buffer_addf(&text, "%09u", limbs[k - 1]);
  ee_value *node = ee_json_read(arena, (ee_str){text.data, text.length}, NULL, NULL);
  ee_buffer_fini(&text);
  return node;
}

static ee_value *refuse(ee_error *error, ee_yaml_spot spot, ee_str text, const char *why) {
  char shown[64];
  ee_yaml_fail(error, spot, "'%s' %s", ee_yaml_shown(text, shown), why);
  return NULL;
}

/* Reads a number of the kind that `tag` allows (untagged: any); `*is_number` is set to whether the text is one. */
static ee_value *read_number(ee_arena *arena, ee_str text, ee_yaml_tag tag, bool *is_number, ee_yaml_spot spot,
                             ee_error *error) {
  *is_number = true;
  unsigned base = tag == EE_YAML_FLOAT ? 0 : base_of(text);
  if (base != 0 && text.length - 2 > BASE_DIGITS) return refuse(error, spot, text, "has more than 1024 digits");
  if (base != 0) return based_node(arena, (ee_str){text.data + 2, text.length - 2}, base);
  if (tag != EE_YAML_INT && is_beyond_json(text)) return refuse(error, spot, text, "is not a number in JSON");
  decimal parts;
  *is_number = read_decimal(text, &parts) && (tag != EE_YAML_INT || is_whole(&parts));
  return *is_number ? number_node(arena, &parts, text.length) : NULL;
}

static ee_value *resolve(ee_arena *arena, ee_str text, ee_yaml_spot spot, ee_error *error) {
  if (is_null(text)) return ee_value_new(arena, EE_NULL);
  char first = text.data[0];
  if (first == 't' || first == 'T' || first == 'f' || first == 'F') {
    if (is_true(text) || is_false(text)) return ee_value_new_bool(arena, is_true(text));
  } else if (ee_json_is_digit(first) || first == '-' || first == '+' || first == '.') {
    bool is_number;
    ee_value *node = read_number(arena, text, EE_YAML_UNTAGGED, &is_number, spot, error);
    if (is_number) return node;
  }
  return ee_value_new_string(arena, text);
}

ee_value *ee_yaml_scalar(ee_arena *arena, ee_str text, ee_yaml_tag tag, ee_yaml_spot spot, ee_error *error) {
  bool is_number;
  ee_value *node;
  switch (tag) { /* unreached: callers refuse other tags */
  case EE_YAML_UNTAGGED: return resolve(arena, text, spot, error);
  case EE_YAML_STR: return ee_value_new_string(arena, text);
  case EE_YAML_INT:
  case EE_YAML_FLOAT:
    node = read_number(arena, text, tag, &is_number, spot, error);
    if (!is_number) refuse(error, spot, text, tag == EE_YAML_INT ? "is not a whole number" : "is not a number");
    return node;
  case EE_YAML_BOOL:
    if (is_true(text) || is_false(text)) return ee_value_new_bool(arena, is_true(text));
    return refuse(error, spot, text, "is neither true nor false");
  case EE_YAML_NULL:
    if (is_null(text)) return ee_value_new(arena, EE_NULL);
    return refuse(error, spot, text, "is not null");
  case EE_YAML_MAP: return refuse(error, spot, text, "is not an object, but its tag says so");
  case EE_YAML_SEQ: return refuse(error, spot, text, "is not an array, but its tag says so");
  case EE_YAML_UNKNOWN: break; /* unreached: the same */
  }
  return refuse(error, spot, text, "has an unknown tag"); /* unreached: the same */
}
