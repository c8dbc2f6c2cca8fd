/* i_regexp.c: rewrites I-Regexp for PCRE2. */
#include "data/json/i_regexp.h"

#include <string.h>

typedef struct rewriting {
  ee_str text;
  size_t at, depth;
  char *out;
  const char *why; /* static */
} rewriting;

static bool refuse(rewriting *self, const char *why) {
  self->why = why;
  return false;
}

/* The next byte; NUL at the end, and for a NUL, which is an ordinary character then. */
static char peek(const rewriting *self, size_t ahead) {
  return self->at + ahead < self->text.length ? self->text.data[self->at + ahead] : '\0';
}

static bool at_end(const rewriting *self) { return self->at >= self->text.length; }

static void put_bytes(rewriting *self, const char *text, size_t length) {
  memcpy(self->out, text, length);
  self->out += length;
}

static void put(rewriting *self, const char *text) { put_bytes(self, text, strlen(text)); }

/* The next `length` bytes of the pattern as they are. */
static void copy(rewriting *self, size_t length) {
  put_bytes(self, self->text.data + self->at, length);
  self->at += length;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* One character as itself: what may mean something to PCRE2 gets a backslash. */
static void copy_character(rewriting *self) {
  char c = self->text.data[self->at];
  if (c == '\0') {
    put(self, "\\x{0}");
    self->at++;
    return;
  }
  bool word = is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  if ((unsigned char)c < 0x80 && !word) put(self, "\\");
  do {
    copy(self, 1);
  } while (!at_end(self) && ((unsigned char)peek(self, 0) & 0xc0) == 0x80);
}

/* \p{Lu}, \P{L}: the general categories of Unicode. */
static bool rewrite_category(rewriting *self) {
  static const char *const categories[] = {"L",  "Ll", "Lm", "Lo", "Lt", "Lu", "M",  "Mc", "Me", "Mn", "N",  "Nd",
                                           "Nl", "No", "P",  "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "Z",  "Zl",
                                           "Zp", "Zs", "S",  "Sc", "Sk", "Sm", "So", "C",  "Cc", "Cf", "Cn", "Co"};
  char sign = peek(self, 1);
  size_t start = self->at + 3, end = start;
  if (peek(self, 2) != '{') return refuse(self, "\\p without {");
  while (end < self->text.length && self->text.data[end] != '}') end++;
  ee_str name = {self->text.data + start, end - start};
  for (size_t i = 0; end < self->text.length && i < sizeof categories / sizeof *categories; i++) {
    if (!ee_str_is(name, categories[i])) continue;
    put(self, sign == 'p' ? "\\p{" : "\\P{");
    put(self, categories[i]);
    put(self, "}");
    self->at = end + 1;
    return true;
  }
  return refuse(self, "\\p without the name of a category");
}

/* After a backslash: a character of the syntax, \n, \r, \t, or a category. */
static bool rewrite_escape(rewriting *self) {
  char c = peek(self, 1);
  if (c == 'p' || c == 'P') return rewrite_category(self);
  if (c == '\0' || strchr("()*+-.?[\\]^{|}nrt$", c) == NULL)
    return refuse(self, "a backslash before a character that needs none (\\d is [0-9], \\w is [0-9A-Za-z_])");
  copy(self, 2);
  return true;
}

/* A character of a class, for a range. */
static bool rewrite_class_character(rewriting *self) {
  if (at_end(self)) return refuse(self, "a class without ]");
  char c = peek(self, 0);
  if (c == '\\' && peek(self, 1) != 'p' && peek(self, 1) != 'P') return rewrite_escape(self);
  if (c == '\\' || c == '[' || c == '-') return refuse(self, "a class with a range that ends oddly");
  copy_character(self);
  return true;
}

static bool rewrite_class(rewriting *self) {
  self->at++;
  put(self, "[");
  if (peek(self, 0) == '^') {
    put(self, "^");
    self->at++;
  }
  size_t first = self->at;
  for (;; first = SIZE_MAX) {
    if (at_end(self)) return refuse(self, "a class without ]");
    char c = peek(self, 0);
    if (c == ']' && first == SIZE_MAX) break;
    if (c == ']' || c == '[') return refuse(self, c == ']' ? "an empty class" : "[ in a class without a backslash");
    if (c == '-') { /* itself, at either end */
      if (first == SIZE_MAX && peek(self, 1) != ']') return refuse(self, "- in the middle of a class");
      copy_character(self);
      continue;
    }
    if (c == '\\' && (peek(self, 1) == 'p' || peek(self, 1) == 'P')) {
      if (!rewrite_category(self)) return false;
      continue;
    }
    if (!rewrite_class_character(self)) return false;
    if (peek(self, 0) != '-' || peek(self, 1) == ']') continue;
    self->at++;
    put(self, "-");
    if (!rewrite_class_character(self)) return false;
  }
  self->at++;
  put(self, "]");
  return true;
}

/* {n}, {n,} or {n,m}: the length of the quantifier at `at`, or 0. */
static size_t count_quantifier(const rewriting *self) {
  size_t ahead = 1, digits = 0;
  while (is_digit(peek(self, ahead))) ahead++, digits++;
  if (digits == 0) return 0;
  if (peek(self, ahead) == ',') {
    ahead++;
    while (is_digit(peek(self, ahead))) ahead++;
  }
  return peek(self, ahead) == '}' ? ahead + 1 : 0;
}

/* What may follow an atom. */
static bool rewrite_quantifier(rewriting *self) {
  char c = peek(self, 0);
  size_t length = 0;
  if (!at_end(self) && (c == '*' || c == '+' || c == '?')) length = 1;
  if (c == '{') {
    length = count_quantifier(self);
    if (length == 0) return refuse(self, "{ without {n}, {n,} or {n,m}");
  }
  copy(self, length);
  c = peek(self, 0);
  if (length > 0 && !at_end(self) && strchr("*+?{", c) != NULL && c != '\0')
    return refuse(self, "a repeat of a repeat");
  return true;
}

static bool rewrite_next(rewriting *self) {
  char c = peek(self, 0);
  switch (c) {
  case '(':
    if (peek(self, 1) == '?') return refuse(self, "(?");
    self->depth++;
    self->at++;
    put(self, "(?:");
    return true;
  case ')':
    if (self->depth == 0) return refuse(self, ") without (");
    self->depth--;
    self->at++;
    put(self, ")");
    return rewrite_quantifier(self);
  case '|':
  case '^':
  case '$': copy(self, 1); return true;
  case '.':
    self->at++;
    put(self, "[^\\n\\r]");
    return rewrite_quantifier(self);
  case '[': return rewrite_class(self) && rewrite_quantifier(self);
  case '\\': return rewrite_escape(self) && rewrite_quantifier(self);
  case '*':
  case '+':
  case '?':
  case '{':
  case '}':
  case ']': return refuse(self, "a repeat or bracket without what it belongs to");
  default: break;
  }
  copy_character(self);
  return rewrite_quantifier(self);
}

const ee_pattern *ee_i_regexp_compile(ee_arena *arena, ee_str text, bool whole, const char **why) {
  if (text.length > EE_I_REGEXP_LIMIT) {
    *why = "a very long pattern";
    return NULL;
  }
  /* A byte becomes at most ten. */
  char *out = ee_arena_alloc(arena, text.length * 10 + 16);
  rewriting self = {.text = text, .out = out};
  put(&self, whole ? "\\A(?:" : "(?:");
  bool good = true;
  while (good && !at_end(&self)) good = rewrite_next(&self);
  if (good && self.depth > 0) good = refuse(&self, "( without )");
  put(&self, whole ? ")\\z" : ")");
  *why = self.why;
  return good ? ee_pattern_compile(arena, (ee_str){out, (size_t)(self.out - out)}, why) : NULL;
}
