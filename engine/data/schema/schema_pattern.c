/* schema_pattern.c: rewrites ECMA-262 patterns for PCRE2. */
#include "data/schema/schema_pattern.h"

#include <stdio.h>

#include "base/memory.h"

/* Rewriting ------------------------------------------------------------------------------------ */

/* \s and its complement, as parts of a class. */
#define SPACES "\\x{9}-\\x{d} \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}"
#define NO_SPACES                                                                                                      \
  "\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}"     \
  "\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}"
/* For classes: in a negated class with a \p, PCRE2 10.42 takes \D and \W as ASCII only. */
#define NO_DIGITS "\\x{0}-\\x{2f}\\x{3a}-\\x{10ffff}"
#define NO_WORDS "\\x{0}-\\x{2f}\\x{3a}-\\x{40}\\x{5b}-\\x{5e}\\x{60}\\x{7b}-\\x{10ffff}"
/* The maximum length in bytes of a translated escape. */
#define STEP_ROOM (sizeof NO_SPACES + 16)

typedef struct rewriting {
  ee_arena *arena;
  const char *start, *at, *end;
  char *out, *out_end;
  bool can_repeat; /* a quantifier may follow */
  const char *why; /* the mistake; NULL: none */
} rewriting;

/* A code point, or a set of them in PCRE2's spelling. */
typedef struct atom {
  bool is_set;
  uint32_t code_point;
  ee_str set;
} atom;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static size_t left(const rewriting *self) { return (size_t)(self->end - self->at); }
static char peek(const rewriting *self, size_t ahead) { return ahead < left(self) ? self->at[ahead] : '\0'; }

static void put(rewriting *self, ee_str text) {
  memcpy(self->out, text.data, text.length);
  self->out += text.length;
}
static void put_text(rewriting *self, const char *text) { put(self, ee_str_from(text)); }
static void put_code_point(rewriting *self, uint32_t code_point) {
  self->out += snprintf(self->out, (size_t)(self->out_end - self->out), "\\x{%x}", (unsigned)code_point);
}

/* Notes the mistake that ends rewriting; returns false. */
static bool refuse(rewriting *self, const char *at, const char *what) {
  size_t place = ee_utf8_count(self->start, (size_t)(at - self->start)) + 1;
  self->why = ee_arena_printf(self->arena, "%s at character %zu", what, place);
  return false;
}

/* Escapes -------------------------------------------------------------------------------------- */

/* Reads `count` hexadecimal digits at `at`. */
static bool read_hex(const rewriting *self, const char *at, size_t count, uint32_t *value) {
  if ((size_t)(self->end - at) < count) return false;
  *value = 0;
  for (size_t i = 0; i < count; i++) {
    int digit = hex_value(at[i]);
    if (digit < 0) return false;
    *value = *value * 16 + (uint32_t)digit;
  }
  return true;
}

/* After "\u{". */
static bool read_braced(rewriting *self, uint32_t *code_point) {
  const char *at = self->at;
  *code_point = 0;
  for (; at < self->end && hex_value(*at) >= 0 && *code_point <= 0x10ffff; at++)
    *code_point = *code_point * 16 + (uint32_t)hex_value(*at);
  if (at == self->at || at == self->end || *at != '}' || *code_point > 0x10ffff) return false;
  self->at = at + 1;
  return true;
}

/* After "\u". A surrogate pair is one character. */
static bool read_unicode(rewriting *self, uint32_t *code_point) {
  const char *start = self->at;
  if (peek(self, 0) == '{') {
    self->at++;
    if (!read_braced(self, code_point)) return refuse(self, start, "'\\u{' without a code point");
  } else {
    if (!read_hex(self, self->at, 4, code_point)) return refuse(self, start, "'\\u' without four hexadecimal digits");
    self->at += 4;
    uint32_t low;
    if (*code_point >= 0xd800 && *code_point <= 0xdbff && peek(self, 0) == '\\' && peek(self, 1) == 'u' &&
        read_hex(self, self->at + 2, 4, &low) && low >= 0xdc00 && low <= 0xdfff) {
      *code_point = 0x10000 + ((*code_point - 0xd800) << 10) + (low - 0xdc00);
      self->at += 6;
    }
  }
  if (*code_point < 0xd800 || *code_point > 0xdfff) return true;
  return refuse(self, start, "half of a surrogate pair");
}

/* ECMA's long names of general categories; PCRE2 knows only short ones. */
static const char *const categories[][2] = {
    {"Cased_Letter", "L&"},
    {"LC", "L&"},
    {"Close_Punctuation", "Pe"},
    {"Combining_Mark", "M"},
    {"Connector_Punctuation", "Pc"},
    {"Control", "Cc"},
    {"cntrl", "Cc"},
    {"Currency_Symbol", "Sc"},
    {"Dash_Punctuation", "Pd"},
    {"Decimal_Number", "Nd"},
    {"digit", "Nd"},
    {"Enclosing_Mark", "Me"},
    {"Final_Punctuation", "Pf"},
    {"Format", "Cf"},
    {"Initial_Punctuation", "Pi"},
    {"Letter", "L"},
    {"Letter_Number", "Nl"},
    {"Line_Separator", "Zl"},
    {"Lowercase_Letter", "Ll"},
    {"Mark", "M"},
    {"Math_Symbol", "Sm"},
    {"Modifier_Letter", "Lm"},
    {"Modifier_Symbol", "Sk"},
    {"Nonspacing_Mark", "Mn"},
    {"Number", "N"},
    {"Open_Punctuation", "Ps"},
    {"Other", "C"},
    {"Other_Letter", "Lo"},
    {"Other_Number", "No"},
    {"Other_Punctuation", "Po"},
    {"Other_Symbol", "So"},
    {"Paragraph_Separator", "Zp"},
    {"Private_Use", "Co"},
    {"Punctuation", "P"},
    {"punct", "P"},
    {"Separator", "Z"},
    {"Space_Separator", "Zs"},
    {"Spacing_Mark", "Mc"},
    {"Surrogate", "Cs"},
    {"Symbol", "S"},
    {"Titlecase_Letter", "Lt"},
    {"Unassigned", "Cn"},
    {"Uppercase_Letter", "Lu"},
};

static ee_str category(ee_str name) {
  for (size_t i = 0; i < sizeof categories / sizeof *categories; i++) {
    if (ee_str_is(name, categories[i][0])) return ee_str_from(categories[i][1]);
  }
  return name;
}

/* After "\p": {NAME} or {KIND=NAME}. */
static bool read_property(rewriting *self, char letter, atom *result) {
  const char *start = self->at;
  if (peek(self, 0) != '{') return refuse(self, start, "'\\p' without '{'");
  const char *at = self->at + 1, *equals = NULL;
  for (; at < self->end && (is_letter(*at) || is_digit(*at) || *at == '_' || (*at == '=' && equals == NULL)); at++) {
    if (*at == '=') equals = at;
  }
  if (at == self->end || *at != '}' || at - start > 60) return refuse(self, start, "unknown character property");
  ee_str kind = {start + 1, equals != NULL ? (size_t)(equals - start - 1) : 0};
  const char *from = equals != NULL ? equals + 1 : start + 1;
  ee_str name = {from, (size_t)(at - from)};
  if (name.length == 0) return refuse(self, start, "unknown character property");
  self->at = at + 1;
  const char *prefix = "";
  if (ee_str_is(kind, "Script") || ee_str_is(kind, "sc")) {
    prefix = "sc:";
  } else if (ee_str_is(kind, "Script_Extensions") || ee_str_is(kind, "scx")) {
    prefix = "scx:";
  } else if (kind.length == 0 || ee_str_is(kind, "General_Category") || ee_str_is(kind, "gc")) {
    name = category(name);
  } else {
    return refuse(self, start, "unknown character property");
  }
  *result = (atom){.is_set = true};
  result->set = ee_str_from(ee_arena_printf(self->arena, "\\%c{%s%.*s}", letter, prefix, (int)name.length, name.data));
  return true;
}

/* Escapes of one character. `letter`, after the backslash, is already consumed. */
static bool read_character(rewriting *self, char letter, const char *start, uint32_t *code_point) {
  static const char letters[] = "tnvfr";
  static const uint32_t controls[] = {'\t', '\n', '\v', '\f', '\r'};
  const char *found = letter != '\0' ? strchr(letters, letter) : NULL;
  if (found != NULL) {
    *code_point = controls[found - letters];
    return true;
  }
  switch (letter) {
  case '0':
    if (is_digit(peek(self, 0))) return refuse(self, start, "an octal escape");
    *code_point = 0;
    return true;
  case 'c':
    if (!is_letter(peek(self, 0))) return refuse(self, start, "'\\c' without a letter");
    *code_point = (uint32_t)(*self->at++ & 31);
    return true;
  case 'x':
    if (!read_hex(self, self->at, 2, code_point)) return refuse(self, start, "'\\x' without two hexadecimal digits");
    self->at += 2;
    return true;
  case 'u': return read_unicode(self, code_point);
  default: break;
  }
  if ((unsigned char)letter >= 0x80 || is_letter(letter) || is_digit(letter) || letter == '_')
    return refuse(self, start, "unknown escape");
  *code_point = (uint32_t)(unsigned char)letter;
  return true;
}

/* Escapes that mean the same inside and outside a class. `start` is the backslash; `letter` is already consumed. */
static bool read_escape(rewriting *self, char letter, const char *start, atom *result) {
  *result = (atom){.is_set = true};
  switch (letter) {
  case 'd': result->set = EE_STR("\\d"); return true;
  case 'D': result->set = EE_STR(NO_DIGITS); return true;
  case 'w': result->set = EE_STR("\\w"); return true;
  case 'W': result->set = EE_STR(NO_WORDS); return true;
  case 's': result->set = EE_STR(SPACES); return true;
  case 'S': result->set = EE_STR(NO_SPACES); return true;
  case 'p':
  case 'P': return read_property(self, letter, result);
  default: result->is_set = false; return read_character(self, letter, start, &result->code_point);
  }
}

/* A number after a backslash: a reference to a group. */
static void rewrite_reference(rewriting *self) {
  const char *from = self->at;
  while (left(self) > 0 && is_digit(*self->at) && self->at - from < 6) self->at++;
  put_text(self, "\\g{");
  put(self, (ee_str){from, (size_t)(self->at - from)});
  put_text(self, "}");
}

/* <NAME> of a group. */
static bool copy_name(rewriting *self) {
  const char *from = self->at;
  if (peek(self, 0) != '<') return refuse(self, from, "a group's name is missing");
  const char *closing = memchr(from, '>', left(self));
  if (closing == NULL || closing == from + 1) return refuse(self, from, "a group's name is missing");
  self->at = closing + 1;
  put(self, (ee_str){from, (size_t)(self->at - from)});
  return true;
}

static bool rewrite_escape(rewriting *self) {
  const char *start = self->at++;
  if (left(self) == 0) return refuse(self, start, "a backslash at the end");
  self->can_repeat = true;
  char letter = *self->at;
  if (letter >= '1' && letter <= '9') {
    rewrite_reference(self);
    return true;
  }
  self->at++;
  if (letter == 'b' || letter == 'B') {
    self->can_repeat = false;
    put(self, (ee_str){start, 2});
    return true;
  }
  if (letter == 'k') {
    put_text(self, "\\k");
    return copy_name(self);
  }
  atom found;
  if (!read_escape(self, letter, start, &found)) return false;
  if (!found.is_set) {
    put_code_point(self, found.code_point);
  } else if (letter == 's' || letter == 'S') {
    put_text(self, letter == 's' ? "[" SPACES "]" : "[^" SPACES "]");
  } else if (letter == 'p' || letter == 'P') {
    put(self, found.set);
  } else {
    put(self, (ee_str){start, 2});
  }
  return true;
}

/* Classes -------------------------------------------------------------------------------------- */

static bool read_atom(rewriting *self, atom *result) {
  const char *start = self->at;
  *result = (atom){0};
  if (*start != '\\') {
    self->at += ee_utf8_decode(start, left(self), &result->code_point);
    return true;
  }
  if (left(self) < 2) return refuse(self, start, "a backslash at the end");
  char letter = start[1];
  self->at += 2;
  if (letter == 'b') {
    result->code_point = '\b';
    return true;
  }
  return read_escape(self, letter, start, result);
}

static void put_atom(rewriting *self, const atom *found) {
  if (found->is_set)
    put(self, found->set);
  else
    put_code_point(self, found->code_point);
}

/* A character, set or range of a class. */
static bool rewrite_class_part(rewriting *self) {
  atom first, last;
  const char *start = self->at;
  if (!read_atom(self, &first)) return false;
  put_atom(self, &first);
  if (peek(self, 0) != '-' || left(self) < 2 || self->at[1] == ']') return true;
  const char *after_hyphen = ++self->at;
  if (!read_atom(self, &last)) return false;
  if (first.is_set || last.is_set) {
    /* Not a range: the hyphen is a character. */
    put_code_point(self, '-');
    self->at = after_hyphen;
    return true;
  }
  if (first.code_point > last.code_point) return refuse(self, start, "a range that ends before it begins");
  put_text(self, "-");
  put_atom(self, &last);
  return true;
}

static bool rewrite_class(rewriting *self) {
  const char *start = self->at++;
  bool negated = peek(self, 0) == '^';
  self->can_repeat = true;
  if (negated) self->at++;
  if (peek(self, 0) == ']') {
    self->at++;
    put_text(self, negated ? "[\\x{0}-\\x{10ffff}]" : "(?!)");
    return true;
  }
  put_text(self, negated ? "[^" : "[");
  while (left(self) > 0 && *self->at != ']') {
    if (!rewrite_class_part(self)) return false;
  }
  if (left(self) == 0) return refuse(self, start, "'[' without ']'");
  self->at++;
  put_text(self, "]");
  return true;
}

/* Patterns ------------------------------------------------------------------------------------- */

static bool rewrite_group(rewriting *self) {
  const char *start = self->at;
  self->can_repeat = false;
  if (peek(self, 1) != '?') {
    put(self, (ee_str){self->at++, 1});
    return true;
  }
  char kind = peek(self, 2), next = peek(self, 3);
  size_t length = kind == ':' || kind == '=' || kind == '!'     ? 3
                  : kind == '<' && (next == '=' || next == '!') ? 4
                  : kind == '<'                                 ? 2
                                                                : 0;
  if (length == 0) return refuse(self, start, "a group that ECMA-262 does not have");
  put(self, (ee_str){start, length});
  self->at += length;
  return length == 2 ? copy_name(self) : true;
}

/* The length of {n}, {n,} or {n,m}, or 0. */
static size_t counted(const rewriting *self) {
  size_t at = 1;
  while (is_digit(peek(self, at))) at++;
  if (at == 1) return 0;
  if (peek(self, at) == ',') {
    at++;
    while (is_digit(peek(self, at))) at++;
  }
  return peek(self, at) == '}' ? at + 1 : 0;
}

static bool rewrite_quantifier(rewriting *self, size_t length) {
  if (!self->can_repeat) return refuse(self, self->at, "nothing to repeat");
  put(self, (ee_str){self->at, length});
  self->at += length;
  if (peek(self, 0) == '?') put(self, (ee_str){self->at++, 1});
  self->can_repeat = false;
  return true;
}

static void copy_character(rewriting *self) {
  uint32_t code_point;
  size_t length = ee_utf8_decode(self->at, left(self), &code_point);
  if (code_point < 0x20 || code_point == ']' || code_point == '{' || code_point == '}')
    put_code_point(self, code_point);
  else
    put(self, (ee_str){self->at, length});
  self->at += length;
  self->can_repeat = true;
}

static bool rewrite_next(rewriting *self) {
  switch (*self->at) {
  case '\\': return rewrite_escape(self);
  case '[': return rewrite_class(self);
  case '(': return rewrite_group(self);
  case '*':
  case '+':
  case '?': return rewrite_quantifier(self, 1);
  case '{':
    if (counted(self) > 0) return rewrite_quantifier(self, counted(self));
    copy_character(self);
    return true;
  case '.':
    put_text(self, "[^\\n\\r\\x{2028}\\x{2029}]");
    self->at++;
    self->can_repeat = true;
    return true;
  case '^':
  case '$':
  case '|':
  case ')':
    self->can_repeat = *self->at == ')';
    put(self, (ee_str){self->at++, 1});
    return true;
  default: copy_character(self); return true;
  }
}

/* Rewrites a pattern for PCRE2 with UTF and without UCP. False with `*why`, in `arena`. PCRE2 finds the other mistakes,
 * such as unbalanced brackets. Linear. */
static bool rewrite_pattern(ee_arena *arena, ee_str pattern, ee_str *rewritten, const char **why) {
  if (pattern.length > EE_PATTERN_LIMIT) {
    *why = ee_arena_printf(arena, "longer than %zu bytes", EE_PATTERN_LIMIT);
    return false;
  }
  size_t escapes = 0;
  for (size_t i = 0; i < pattern.length; i++) escapes += pattern.data[i] == '\\';
  /* Other bytes become at most "\x{10ffff}" and a hyphen, or what '.' becomes. */
  size_t size = pattern.length * 32 + escapes * STEP_ROOM + 1;
  char *out = ee_malloc(size);
  rewriting self = {.arena = arena,
                    .start = pattern.data,
                    .at = pattern.data,
                    .end = pattern.data + pattern.length,
                    .out = out,
                    .out_end = out + size};
  while (self.at < self.end && rewrite_next(&self)) continue;
  if (self.why == NULL)
    *rewritten = (ee_str){ee_arena_copy(arena, out, (size_t)(self.out - out)), (size_t)(self.out - out)};
  ee_free(out);
  *why = self.why;
  return self.why == NULL;
}

const ee_pattern *ee_schema_pattern_compile(ee_arena *arena, ee_str text, const char **why) {
  ee_str rewritten;
  return rewrite_pattern(arena, text, &rewritten, why) ? ee_pattern_compile(arena, rewritten, why) : NULL;
}
