/* json_writer.c: writes documents as compact JSON, as they are or in canonical form. */
#include "data/json/json_writer.h"

#include <math.h>
#include <string.h>

#include "base/printable.h"
#include "data/json/json_scan.h"
#include "prim/number.h"

/* Strings -------------------------------------------------------------------------------------- */

static void write_escape(ee_buffer *out, unsigned char c) {
  static const char hex[] = "0123456789abcdef";
  char letter = 0;
  switch (c) {
  case '"':
  case '\\': letter = (char)c; break;
  case '\b': letter = 'b'; break;
  case '\f': letter = 'f'; break;
  case '\n': letter = 'n'; break;
  case '\r': letter = 'r'; break;
  case '\t': letter = 't'; break;
  default: break;
  }
  if (letter != 0) {
    ee_buffer_add(out, (const char[]){'\\', letter}, 2);
  } else {
    ee_buffer_add(out, (const char[]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, 6);
  }
}

/* Text that needs no escape by RFC 8259. Characters that a terminal would obey, or that turn the direction of text, get
 * one all the same. */
static void write_plain(ee_buffer *out, const char *text, size_t length) {
  if (ee_is_ascii(text, length) && memchr(text, 0x7f, length) == NULL) {
    ee_buffer_add(out, text, length);
    return;
  }
  size_t from = 0;
  for (size_t at = 0; at < length;) {
    uint32_t c = (unsigned char)text[at];
    if (c > 0x7f && !ee_json_may_be_escaped((unsigned char)c)) {
      size_t valid = ee_json_utf8_length(text + at, text + length);
      at += valid;
      if (valid > 0) continue;
    }
    size_t step = c < 0x80 ? 1 : ee_utf8_decode(text + at, length - at, &c);
    if (step == 0 || (c >= 0x7f && ee_is_harmful(c))) {
      ee_buffer_add(out, text + from, at - from);
      ee_buffer_addf(out, "\\u%04x", step == 0 ? 0xfffdu : (unsigned)c); /* a file's name may not be UTF-8 */
      step = step == 0 ? 1 : step;
      from = at + step;
    }
    at += step;
  }
  ee_buffer_add(out, text + from, length - from);
}

/* `canonical`: exactly the escapes that are needed, since it is compared and hashed. */
static void write_escaped(ee_buffer *out, ee_str text, bool canonical) {
  size_t at = 0;
  while (at < text.length) {
    size_t plain = ee_json_plain_length(text.data + at, text.length - at);
    if (canonical)
      ee_buffer_add(out, text.data + at, plain);
    else
      write_plain(out, text.data + at, plain);
    at += plain;
    if (at < text.length) write_escape(out, (unsigned char)text.data[at++]);
  }
}

static void write_string(ee_buffer *out, ee_str text, bool canonical) {
  char *to = ee_buffer_reserve(out, text.length + 2);
  *to++ = '"';
  if (ee_json_copy_if_plain(text.data, text.length, to)) {
    to[text.length] = '"';
    out->length += text.length + 2;
    return;
  }
  out->length += 1;
  write_escaped(out, text, canonical);
  ee_buffer_add_char(out, '"');
}

void ee_json_write_escaped(ee_buffer *out, ee_str text) { write_escaped(out, text, false); }

void ee_json_write_string(ee_buffer *out, ee_str text) { write_string(out, text, false); }

/* Numbers -------------------------------------------------------------------------------------- */

void ee_json_write_number(ee_buffer *out, double number) {
  if (!isfinite(number)) {
    ee_buffer_add_text(out, "null");
  } else if (fabs(number) < 0x1p53 && number == (double)(int64_t)number) {
    /* Faster for whole numbers, whose shortest text is their digits. */
    int64_t whole = (int64_t)number;
    if (whole < 0) ee_buffer_add_char(out, '-');
    ee_buffer_add_u64(out, (unsigned long long)(whole < 0 ? -whole : whole));
  } else {
    char text[32];
    ee_buffer_add(out, text, ee_double_format(number, text));
  }
}

/* Appends the sum of `digits`, a whole number of any length without leading zeros, and `delta`, which is far smaller:
 * for exponents that do not fit 64 bits. */
static void write_sum(ee_buffer *out, ee_str digits, int64_t delta) {
  size_t start = out->length;
  ee_buffer_add_char(out, '0');
  ee_buffer_add_str(out, digits);
  for (size_t i = out->length; delta != 0;) { /* ends in the 0 at the latest */
    int64_t sum = (out->data[--i] - '0') + delta % 10;
    delta /= 10;
    if (sum < 0) {
      sum += 10;
      delta -= 1;
    } else if (sum > 9) {
      sum -= 10;
      delta += 1;
    }
    out->data[i] = (char)('0' + sum);
  }
  size_t zeros = 0;
  while (out->data[start + zeros] == '0') zeros++; /* the sum is not 0 */
  memmove(out->data + start, out->data + start + zeros, out->length - start - zeros);
  out->length -= zeros;
}

/* Appends "e" and the exponent `text` ("+05", "-3", "") plus `delta`; nothing if the sum is 0. */
static void write_exponent(ee_buffer *out, ee_str text, int64_t delta) {
  bool minus = text.length > 0 && text.data[0] == '-';
  size_t skip = text.length > 0 && (minus || text.data[0] == '+');
  while (skip < text.length && text.data[skip] == '0') skip++;
  ee_str digits = {text.data + skip, text.length - skip};
  if (digits.length > 18) {
    ee_buffer_add_char(out, 'e');
    if (minus) ee_buffer_add_char(out, '-');
    write_sum(out, digits, minus ? -delta : delta);
    return;
  }
  int64_t exponent = 0;
  for (size_t i = 0; i < digits.length; i++) exponent = exponent * 10 + (digits.data[i] - '0');
  exponent = (minus ? -exponent : exponent) + delta;
  if (exponent == 0) return;
  ee_buffer_add_text(out, exponent < 0 ? "e-" : "e");
  ee_buffer_add_u64(out, (unsigned long long)(exponent < 0 ? -exponent : exponent));
}

/* Appends the canonical spelling of a number's source text: the digits from the first to the last that is not 0, as a
 * whole number, then the exponent. */
static void write_canonical_text(ee_buffer *out, ee_str text) {
  size_t at = 0;
  if (text.data[0] == '-') ee_buffer_add_char(out, text.data[at++]);
  size_t start = out->length;
  int64_t places = 0; /* decimal places before the exponent */
  bool fraction = false;
  for (; at < text.length && (text.data[at] | 0x20) != 'e'; at++) {
    if (text.data[at] == '.') {
      fraction = true;
      continue;
    }
    places += fraction;
    if (out->length > start || text.data[at] != '0') ee_buffer_add_char(out, text.data[at]);
  }
  int64_t zeros = 0;
  while (out->length > start + 1 && out->data[out->length - 1] == '0') {
    out->length -= 1;
    zeros += 1;
  }
  if (at < text.length) at++;
  write_exponent(out, (ee_str){text.data + at, text.length - at}, zeros - places);
}

/* Documents ------------------------------------------------------------------------------------ */

/* Canonical if `scratch` is not NULL. Recursion is bounded by the reader's nesting limit. */
static void write_value(ee_buffer *out, const ee_value *value, ee_arena *scratch);

static void write_member(ee_buffer *out, const ee_value *member, ee_arena *scratch) {
  write_string(out, ee_value_key(member), scratch != NULL);
  ee_buffer_add_char(out, ':');
  write_value(out, member, scratch);
}

static void write_object(ee_buffer *out, const ee_value *object, ee_arena *scratch) {
  if (scratch == NULL) {
    for (const ee_value *member = ee_value_child(object); member != NULL; member = ee_value_next(member)) {
      if (member != ee_value_child(object)) ee_buffer_add_char(out, ',');
      write_member(out, member, NULL);
    }
    return;
  }
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  size_t count;
  const ee_value **members = ee_value_sorted_members(object, &count, scratch);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    write_member(out, members[i], scratch);
  }
  ee_arena_rewind(scratch, mark);
}

/* Copies the bytes from `at` up to `end` without white space outside of strings to `*to`; an escape is passed as a
 * whole. Returns the place after them. */
static const char *copy_tokens(const char *at, const char *end, bool *in_string, char **to) {
  while (at < end) {
    char c = *at++;
    if (!*in_string && ee_json_is_space(c)) continue;
    *(*to)++ = c;
    if (c == '"') *in_string = !*in_string;
    if (c == '\\') *(*to)++ = *at++;
  }
  return at;
}

/* Copying by vectors writes up to this many bytes after what it copies. */
#define VECTOR 16

/* Copies whole tokens to `out` without the white space between them; returns how many bytes that makes. */
static size_t copy_unspaced(const char *text, size_t length, char *out) {
  const char *at = text, *const end = text + length;
  char *to = out;
  bool in_string = false;
#if defined(EE_JSON_SSE2)
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), space = _mm_set1_epi8(' ');
  while (end - at >= 2 * VECTOR) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
    if (_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, backslash)) != 0) {
      at = copy_tokens(at, at + VECTOR, &in_string, &to);
      continue;
    }
    /* Bit by bit, whether the number of quotes up to there is odd: in strings. */
    unsigned inside = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, quote));
    for (unsigned shift = 1; shift < VECTOR; shift *= 2) inside ^= inside << shift;
    inside ^= in_string ? 0xffffu : 0;
    unsigned spaces = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(bytes, space), bytes));
    unsigned from = 0;
    for (unsigned left = spaces & ~inside; left != 0; left &= left - 1) {
      unsigned next = (unsigned)__builtin_ctz(left);
      memcpy(to, at + from, VECTOR);
      to += next - from;
      from = next + 1;
    }
    memcpy(to, at + from, VECTOR);
    to += VECTOR - from;
    in_string = (inside >> (VECTOR - 1) & 1) != 0;
    at += VECTOR;
  }
#endif
  copy_tokens(at, end, &in_string, &to);
  return (size_t)(to - out);
}

static void write_tokens(ee_buffer *out, const char *text, size_t length, bool spaced) {
  if (spaced)
    out->length += copy_unspaced(text, length, ee_buffer_reserve(out, length + VECTOR));
  else
    ee_buffer_add(out, text, length);
}

/* Writes an array or object as its source. False: it has none. */
static bool write_source(ee_buffer *out, const ee_value *container) {
  const ee_source *source = ee_value_source(container);
  if (source == NULL) return false;
  const char *at = source->text.data, *end = at + source->text.length;
  for (const ee_respelling *next = source->respellings; next != NULL && next->at < end; next = next->next) {
    write_tokens(out, at, (size_t)(next->at - at), source->spaced);
    if (next->is_key)
      write_string(out, ee_value_key(next->value), false);
    else
      write_value(out, next->value, NULL);
    at = next->at + next->length;
  }
  write_tokens(out, at, (size_t)(end - at), source->spaced);
  return true;
}

static void write_value(ee_buffer *out, const ee_value *value, ee_arena *scratch) {
  switch (ee_type_of(value)) {
  case EE_FALSE: ee_buffer_add(out, "false", 5); break;
  case EE_TRUE: ee_buffer_add(out, "true", 4); break;
  case EE_NUMBER:
    if (value->length == 0) {
      ee_json_write_number(out, value->json.valuedouble);
    } else if (scratch == NULL) {
      ee_buffer_add_str(out, ee_value_text(value));
    } else {
      write_canonical_text(out, ee_value_text(value));
    }
    break;
  case EE_STRING: write_string(out, ee_value_text(value), scratch != NULL); break;
  case EE_ARRAY:
    if (scratch == NULL && write_source(out, value)) break;
    ee_buffer_add_char(out, '[');
    for (const ee_value *element = ee_value_child(value); element != NULL; element = ee_value_next(element)) {
      if (element != ee_value_child(value)) ee_buffer_add_char(out, ',');
      /* A blank string is null, as in equality. */
      write_value(out, scratch != NULL && ee_value_is_empty(element, NULL) ? NULL : element, scratch);
    }
    ee_buffer_add_char(out, ']');
    break;
  case EE_OBJECT:
    if (scratch == NULL && write_source(out, value)) break;
    ee_buffer_add_char(out, '{');
    write_object(out, value, scratch);
    ee_buffer_add_char(out, '}');
    break;
  default: ee_buffer_add(out, "null", 4); break;
  }
}

void ee_json_write_value(ee_buffer *out, const ee_value *value) { write_value(out, value, NULL); }

void ee_json_write_canonical(ee_buffer *out, const ee_value *value, ee_arena *scratch) {
  write_value(out, value, scratch);
}

void ee_json_escape_again(ee_buffer *out, size_t from, ee_arena *scratch) {
  ee_str raw = {out->data + from, out->length - from};
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  raw.data = ee_arena_copy(scratch, raw.data, raw.length);
  out->length = from;
  ee_json_write_escaped(out, raw);
  ee_arena_rewind(scratch, mark);
}
