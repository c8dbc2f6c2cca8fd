/* random_document.h: random JSON texts, and other spellings of a document. */
#ifndef EE_TESTS_DATA_RANDOM_DOCUMENT_H
#define EE_TESTS_DATA_RANDOM_DOCUMENT_H

#include <stdlib.h>

#include "base/buffer.h"
#include "data/json/value.h"
#include "support/random.h"

static inline void random_space(test_random *random, ee_buffer *out) {
  static const char spaces[] = {' ', '\n', '\t', '\r'};
  while (test_random_below(random, 6) == 0) ee_buffer_add_char(out, spaces[test_random_below(random, 4)]);
}

/* A JSON string of up to `limit` pieces: ASCII, other scripts, escapes. No \u0000, which cJSON cannot hold. */
static inline void random_string(test_random *random, ee_buffer *out, size_t limit) {
  static const char *const pieces[] = {"a",
                                       "b",
                                       "Z",
                                       "0",
                                       " ",
                                       "{",
                                       "]",
                                       ",",
                                       "\\\"",
                                       "\\\\",
                                       "\\/",
                                       "\\n",
                                       "\\t",
                                       "\\b",
                                       "\\u0041",
                                       "\\u00e9",
                                       "\\u20AC",
                                       "\\ud83d\\ude00",
                                       "\xc3\xbc",
                                       "\xe2\x82\xac",
                                       "\xf0\x9f\x98\x80",
                                       "\x7f",
                                       "plain text of some length",
                                       "'"};
  ee_buffer_add_char(out, '"');
  for (size_t left = test_random_below(random, limit + 1); left > 0; left--)
    ee_buffer_add_text(out, pieces[test_random_below(random, sizeof pieces / sizeof *pieces)]);
  ee_buffer_add_char(out, '"');
}

static inline void random_number(test_random *random, ee_buffer *out) {
  if (test_random_below(random, 3) == 0) ee_buffer_add_char(out, '-');
  switch (test_random_below(random, 6)) {
  case 0: ee_buffer_addf(out, "%zu", test_random_below(random, 10)); break;
  case 1: ee_buffer_addf(out, "%zu", test_random_below(random, 1000000000)); break;
  case 2: ee_buffer_addf(out, "%zu.%02zu", test_random_below(random, 100000), test_random_below(random, 100)); break;
  case 3:
    ee_buffer_addf(out, "%zu.%zue%d", test_random_below(random, 10), test_random_below(random, 1000),
                   (int)test_random_below(random, 600) - 300);
    break;
  case 4: ee_buffer_addf(out, "%.17g", test_random_unit(random)); break;
  default: ee_buffer_addf(out, "%llu", (unsigned long long)test_random_bits(random)); break;
  }
}

/* A document of about `size` nodes at most. Keys of one object differ, unless `duplicates`. */
static inline void random_document(test_random *random, ee_buffer *out, size_t size, size_t depth, bool duplicates) {
  size_t kind = test_random_below(random, depth > 0 ? 9 : 5);
  random_space(random, out);
  if (kind == 0) {
    static const char *const words[] = {"null", "true", "false"};
    ee_buffer_add_text(out, words[test_random_below(random, 3)]);
  } else if (kind <= 2) {
    random_number(random, out);
  } else if (kind <= 4) {
    random_string(random, out, 8);
  } else {
    bool object = kind <= 6;
    size_t count = test_random_below(random, size + 1);
    ee_buffer_add_char(out, object ? '{' : '[');
    for (size_t i = 0; i < count; i++) {
      if (i > 0) ee_buffer_add_char(out, ',');
      random_space(random, out);
      if (object) {
        size_t name = duplicates ? test_random_below(random, count) : i;
        ee_buffer_addf(out, "\"%s%zu%s\"", name % 3 == 0 ? "key" : "", name, name % 5 == 0 ? "_\xc3\xa4" : "");
        random_space(random, out);
        ee_buffer_add_char(out, ':');
      }
      random_document(random, out, size / 2, depth - 1, duplicates);
    }
    random_space(random, out);
    ee_buffer_add_char(out, object ? '}' : ']');
  }
  random_space(random, out);
}

/* The digits of a number text moved between fraction and exponent, which leaves its value as it was. */
static inline void respell_number(test_random *random, ee_buffer *out, ee_str text) {
  char digits[512];
  size_t count = 0, at = 0;
  long exponent = 0;
  bool fraction = false;
  if (text.data[0] == '-') at = 1;
  for (; at < text.length && text.data[at] != 'e' && text.data[at] != 'E'; at++) {
    if (text.data[at] == '.') {
      fraction = true;
    } else {
      digits[count++] = text.data[at];
      exponent -= fraction;
    }
  }
  if (at < text.length) {
    char power[64] = {0};
    memcpy(power, text.data + at + 1, text.length - at - 1 < 63 ? text.length - at - 1 : 63);
    exponent += strtol(power, NULL, 10);
  }
  size_t zeros = test_random_below(random, 4);
  for (size_t i = 0; i < zeros && count < sizeof digits; i++) digits[count++] = '0', exponent--;
  size_t first = 0;
  while (first + 1 < count && digits[first] == '0') first++;
  if (text.data[0] == '-') ee_buffer_add_char(out, '-');
  if (test_random_below(random, 2) == 0 && count - first > 1) {
    ee_buffer_add_char(out, digits[first]);
    ee_buffer_add_char(out, '.');
    ee_buffer_add(out, digits + first + 1, count - first - 1);
    ee_buffer_addf(out, "%s%ld", test_random_below(random, 2) ? "e" : "E", exponent + (long)(count - first - 1));
  } else {
    ee_buffer_add(out, digits + first, count - first);
    ee_buffer_addf(out, "e%s%ld", exponent >= 0 && test_random_below(random, 2) ? "+" : "", exponent);
  }
}

static inline void respell_string(test_random *random, ee_buffer *out, ee_str text) {
  ee_buffer_add_char(out, '"');
  for (size_t i = 0; i < text.length; i++) {
    unsigned char c = (unsigned char)text.data[i];
    bool escape = c < 0x20 || c == '"' || c == '\\' || (c < 0x80 && test_random_below(random, 4) == 0);
    if (escape) {
      ee_buffer_addf(out, "\\u%04x", c);
    } else {
      ee_buffer_add_char(out, (char)c);
    }
  }
  ee_buffer_add_char(out, '"');
}

/* The same document in other words: keys shuffled, null members left out and put in, numbers, strings and white space
 * spelled anew. */
static inline void respell_document(test_random *random, ee_buffer *out, const ee_value *value) {
  random_space(random, out);
  switch (ee_type_of(value)) {
  case EE_FALSE: ee_buffer_add_text(out, "false"); break;
  case EE_TRUE: ee_buffer_add_text(out, "true"); break;
  case EE_NUMBER: {
    char digits[32];
    respell_number(random, out, ee_value_number_text(value, digits));
    break;
  }
  case EE_STRING: respell_string(random, out, ee_value_text(value)); break;
  case EE_ARRAY:
    ee_buffer_add_char(out, '[');
    for (const ee_value *element = ee_value_child(value); element != NULL; element = ee_value_next(element)) {
      if (element != ee_value_child(value)) ee_buffer_add_char(out, ',');
      respell_document(random, out, element);
    }
    ee_buffer_add_char(out, ']');
    break;
  case EE_OBJECT: {
    size_t count = ee_value_count(value), filled = 0;
    const ee_value **members = malloc((count + 1) * sizeof *members);
    for (const ee_value *member = ee_value_child(value); member != NULL; member = ee_value_next(member)) {
      if (ee_type_of(member) == EE_NULL && test_random_below(random, 2) == 0) continue;
      size_t place = test_random_below(random, filled + 1);
      members[filled++] = members[place];
      members[place] = member;
    }
    ee_buffer_add_char(out, '{');
    /* No random key is called so. */
    size_t null_before = test_random_below(random, 2 * count + 2);
    for (size_t i = 0; i <= filled; i++) {
      if (i == null_before) ee_buffer_addf(out, "%s\"nothing\":null", i > 0 ? "," : "");
      if (i == filled) break;
      if (i > 0 || null_before == 0) ee_buffer_add_char(out, ',');
      respell_string(random, out, ee_value_key(members[i]));
      ee_buffer_add_char(out, ':');
      respell_document(random, out, members[i]);
    }
    ee_buffer_add_char(out, '}');
    free(members);
    break;
  }
  default: ee_buffer_add_text(out, "null"); break;
  }
  random_space(random, out);
}

#endif
