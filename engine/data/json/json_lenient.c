/* json_lenient.c: writes a strict copy of a text that is nearly JSON; the strict reader then reads the copy. */
#include "data/json/json_lenient.h"

#include <string.h>

#include "base/list.h"
#include "data/json/json_reader.h"
#include "data/json/json_scan.h"

/* Names ---------------------------------------------------------------------------------------- */

static const struct {
  const char *name, *words;
} kinds[EE_REPAIR_COUNT] = {
    {"byte_order_mark", "byte order mark"},
    {"fence", "code fence"},
    {"prose", "prose around it"},
    {"trailing_comma", "trailing commas"},
    {"single_quotes", "single quotes"},
    {"unquoted_key", "unquoted keys"},
    {"comment", "comments"},
    {"python_literal", "Python literals"},
    {"not_a_number", "NaN"},
    {"control_character", "line breaks in strings"},
    {"escape", "unknown escapes"},
    {"double_encoding", "JSON in a string"},
    {"cut", "cut"},
};

const char *ee_repair_name(ee_repair repair) { return kinds[repair].name; }
const char *ee_repair_words(ee_repair repair) { return kinds[repair].words; }

uint64_t ee_repairs_total(const ee_repairs *repairs) {
  uint64_t total = 0;
  for (int i = EE_REPAIR_PROSE + 1; i < EE_REPAIR_COUNT; i++) total += repairs->counts[i];
  return total;
}

/* The copy ------------------------------------------------------------------------------------- */

typedef struct level {
  bool is_object;
  bool has_members; /* complete ones */
  size_t kept;      /* length of the copy after the last complete member */
} level;

typedef struct lenient {
  ee_arena *arena;
  ee_str text;
  size_t at;
  unsigned allowed;
  ee_repairs repairs;
  bool cut; /* the text ended */
  struct {
    EE_LIST(char);
  } copy;
  EE_LIST(level); /* open brackets, innermost last */
} lenient;

static void put(lenient *l, const char *data, size_t length) {
  EE_LIST_RESERVE(&l->copy, l->arena, length);
  memcpy(l->copy.items + l->copy.count, data, length);
  l->copy.count += length;
}

static void put_char(lenient *l, char c) { *EE_LIST_ADD(&l->copy, l->arena) = c; }

/* Counts a repair; false when it is not allowed. */
static bool repair(lenient *l, ee_repair kind) {
  l->repairs.counts[kind]++;
  return (l->allowed >> kind & 1) != 0;
}

static bool at_end(lenient *l) {
  if (l->at < l->text.length) return false;
  l->cut = true;
  return true;
}

static char peek(const lenient *l, size_t ahead) {
  return l->at + ahead < l->text.length ? l->text.data[l->at + ahead] : '\0';
}

/* White space and comments ---------------------------------------------------------------------- */

size_t ee_json_lenient_skip(ee_str text, size_t at, unsigned allowed, ee_repairs *repairs) {
  for (;;) {
    while (at < text.length && ee_json_is_space(text.data[at])) at++;
    if (at == text.length || (allowed >> EE_REPAIR_COMMENT & 1) == 0) return at;
    bool slash = text.data[at] == '/' && at + 1 < text.length;
    if (slash && text.data[at + 1] == '*') {
      for (at += 3; at < text.length && !(text.data[at - 1] == '*' && text.data[at] == '/');) at++;
      at = at < text.length ? at + 1 : text.length;
    } else if (text.data[at] == '#' || (slash && text.data[at + 1] == '/')) {
      while (at < text.length && text.data[at] != '\n') at++;
    } else {
      return at;
    }
    repairs->counts[EE_REPAIR_COMMENT]++;
  }
}

static void skip(lenient *l) { l->at = ee_json_lenient_skip(l->text, l->at, l->allowed, &l->repairs); }

/* Strings -------------------------------------------------------------------------------------- */

static bool put_escape(lenient *l) {
  uint32_t code_point;
  const char *mistake, *from = l->text.data + l->at;
  const char *end = l->text.data + l->text.length;
  const char *after = ee_json_read_escape(from, end, &code_point, &mistake);
  if (after == NULL) after = ee_json_lone_surrogate(from, end);
  if (after != NULL) {
    put(l, from, (size_t)(after - from));
    l->at += (size_t)(after - from);
    return true;
  }
  if (l->at + 1 >= l->text.length) {
    l->cut = true;
    return false;
  }
  if (!repair(l, EE_REPAIR_ESCAPE)) return false;
  if (from[1] != '\'') put(l, "\\\\", 2); /* the backslash is meant as it is */
  l->at++;
  if (from[1] == '\'') put_char(l, '\'');
  l->at += from[1] == '\'';
  return true;
}

/* Whether the single quote at `l->at` ends its string: a comma, a colon, a closing bracket, a comment or the end
 * follows. */
static bool ends_single(const lenient *l) {
  const char *end = l->text.data + l->text.length;
  const char *next = ee_json_skip_space(l->text.data + l->at + 1, end);
  bool comment = end - next > 1 && *next == '/' && memchr("/*", next[1], 2) != NULL;
  return next == end || memchr(",:]}#", *next, 5) != NULL || comment;
}

/* Copies the string at `l->at`. */
static bool put_string(lenient *l) {
  char quote = l->text.data[l->at];
  if (quote == '\'' && !repair(l, EE_REPAIR_SINGLE_QUOTES)) return false;
  put_char(l, '"');
  for (l->at++; !at_end(l);) {
    char c = peek(l, 0);
    if (c == quote && (quote == '"' || ends_single(l))) {
      put_char(l, '"');
      l->at++;
      return true;
    }
    if (c == '\\') {
      if (!put_escape(l)) return false;
      continue;
    }
    if ((unsigned char)c < 0x20) {
      static const char digits[] = "0123456789abcdef";
      if (!repair(l, EE_REPAIR_CONTROL_CHARACTER)) return false;
      const char escape[] = {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]};
      put(l, escape, sizeof escape);
    } else {
      if (c == '"') put_char(l, '\\');
      put_char(l, c);
    }
    l->at++;
  }
  return false;
}

/* Words and numbers ---------------------------------------------------------------------------- */

static bool begins_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }

static size_t word_length(ee_str text, size_t at) {
  size_t end = at;
  while (end < text.length &&
         (begins_word(text.data[end]) || ee_json_is_digit(text.data[end]) || (end > at && text.data[end] == '-')))
    end++;
  return end - at;
}

static const struct word {
  const char *text, *json;
  int repair; /* -1: none */
} words[] = {{"true", "true", -1},
             {"false", "false", -1},
             {"null", "null", -1},
             {"True", "true", EE_REPAIR_PYTHON_LITERAL},
             {"False", "false", EE_REPAIR_PYTHON_LITERAL},
             {"None", "null", EE_REPAIR_PYTHON_LITERAL},
             {"NaN", "null", EE_REPAIR_NOT_A_NUMBER},
             {"Infinity", "null", EE_REPAIR_NOT_A_NUMBER},
             {"-Infinity", "null", EE_REPAIR_NOT_A_NUMBER}};
#define WORD_COUNT (sizeof words / sizeof *words)

static bool put_word(lenient *l) {
  size_t sign = peek(l, 0) == '-', length = sign + word_length(l->text, l->at + sign);
  ee_str word = {l->text.data + l->at, length};
  for (size_t i = 0; i < WORD_COUNT; i++) {
    if (!ee_str_is(word, words[i].text)) continue;
    if (words[i].repair >= 0 && !repair(l, (ee_repair)words[i].repair)) return false;
    put(l, words[i].json, strlen(words[i].json));
    l->at += length;
    return true;
  }
  /* The beginning of a word at the end of the text. */
  for (size_t i = 0; i < WORD_COUNT && l->at + length == l->text.length; i++)
    if (strncmp(words[i].text, word.data, length) == 0) l->cut = true;
  return false;
}

static bool put_number(lenient *l) {
  ee_json_number number;
  const char *mistake, *mistake_at, *from = l->text.data + l->at, *end = l->text.data + l->text.length;
  const char *after = ee_json_read_number(from, end, &number, &mistake, &mistake_at);
  /* More digits may have followed at the end of the text. */
  if (after == NULL ? mistake_at == end : after == end) l->cut = true;
  if (after == NULL || after == end || begins_word(*after)) return false;
  put(l, from, (size_t)(after - from));
  l->at += (size_t)(after - from);
  return true;
}

/* Values --------------------------------------------------------------------------------------- */

static bool put_scalar(lenient *l) {
  char c = peek(l, 0);
  if (c == '"' || c == '\'') return put_string(l);
  if (ee_json_is_digit(c) || (c == '-' && !begins_word(peek(l, 1)))) return put_number(l);
  return put_word(l);
}

/* Copies a key and its colon. The text does not end here. */
static bool put_key(lenient *l) {
  char c = peek(l, 0);
  if (c == '"' || c == '\'') {
    if (!put_string(l)) return false;
  } else {
    size_t length = word_length(l->text, l->at);
    if (length == 0) return false;
    if (!repair(l, EE_REPAIR_UNQUOTED_KEY)) return false;
    put_char(l, '"');
    put(l, l->text.data + l->at, length);
    put_char(l, '"');
    l->at += length;
  }
  skip(l);
  if (at_end(l) || peek(l, 0) != ':') return false;
  put_char(l, ':');
  l->at++;
  skip(l);
  return true;
}

static level *innermost(lenient *l) { return &l->items[l->count - 1]; }

static void end_value(lenient *l) {
  level *in = innermost(l);
  in->has_members = true;
  in->kept = l->copy.count;
}

/* Copies values until the first bracket is closed; false at a mistake and at the end of the text. */
static bool put_document(lenient *l) {
  for (;;) {
    /* A value must start here. */
    if (at_end(l)) return false;
    char c = peek(l, 0);
    if (c == '{' || c == '[') {
      if (l->count == EE_JSON_DEPTH_LIMIT) return false;
      put_char(l, c);
      *EE_LIST_ADD(l, l->arena) = (level){.is_object = c == '{', .kept = l->copy.count};
      l->at++;
      skip(l);
      if (at_end(l)) return false;
      if (peek(l, 0) == ',') {
        /* [,] */
        if (!repair(l, EE_REPAIR_TRAILING_COMMA)) return false;
        l->at++;
        skip(l);
        if (at_end(l) || peek(l, 0) != (c == '{' ? '}' : ']')) return false;
      }
      if (peek(l, 0) != (c == '{' ? '}' : ']')) {
        if (c == '{' && !put_key(l)) return false;
        continue;
      }
    } else {
      if (!put_scalar(l)) return false;
      end_value(l);
      skip(l);
    }
    /* A comma or the level's end must follow. The outer level may end too. */
    for (;;) {
      if (at_end(l)) return false;
      c = peek(l, 0);
      char closing = innermost(l)->is_object ? '}' : ']';
      if (c == ',') {
        l->at++;
        skip(l);
        if (at_end(l)) return false;
        if (peek(l, 0) != closing) {
          put_char(l, ',');
          if (closing == '}' && !put_key(l)) return false;
          break;
        }
        if (!repair(l, EE_REPAIR_TRAILING_COMMA)) return false;
        c = closing;
      }
      if (c != closing) return false;
      put_char(l, c);
      l->at++;
      if (--l->count == 0) return true;
      end_value(l);
      skip(l);
    }
  }
}

/* Ends the copy of a cut document after its last complete value; false when there is none. */
static bool close_cut(lenient *l) {
  if (!l->cut || !repair(l, EE_REPAIR_CUT)) return false;
  while (l->count > 1 && !innermost(l)->has_members) l->count--;
  if (!innermost(l)->has_members) return false;
  l->copy.count = innermost(l)->kept;
  while (l->count > 0) put_char(l, l->items[--l->count].is_object ? '}' : ']');
  l->at = l->text.length;
  return true;
}

ee_value *ee_json_lenient_read(ee_arena *arena, ee_str text, unsigned allowed, size_t *end, ee_repairs *repairs) {
  lenient l = {.arena = arena, .text = text, .allowed = allowed, .repairs = *repairs};
  ee_arena_mark mark = ee_arena_get_mark(arena);
  ee_value *value = NULL;
  if (put_document(&l) || close_cut(&l)) value = ee_json_read_data(arena, (ee_str){l.copy.items, l.copy.count}, NULL);
  *end = l.at;
  if (value == NULL) {
    ee_arena_rewind(arena, mark);
    return NULL;
  }
  *repairs = l.repairs;
  return value;
}

/* Brackets that are no documents ---------------------------------------------------------------- */

static size_t skip_space(ee_str text, size_t at) {
  return (size_t)(ee_json_skip_space(text.data + at, text.data + text.length) - text.data);
}

bool ee_json_begins(ee_str text) {
  size_t at = skip_space(text, 1);
  if (at == text.length) return false;
  char c = text.data[at];
  bool comment = c == '/' && at + 1 < text.length && memchr("/*", text.data[at + 1], 2) != NULL;
  if (c == '"' || c == '\'' || c == '\\' || comment) return true;
  if (text.data[0] == '{') {
    size_t length = word_length(text, at), after = skip_space(text, at + length);
    return length > 0 && after < text.length && text.data[after] == ':';
  }
  if (c == '{' || c == '[') return true;
  size_t length = word_length(text, at);
  bool is_value = false;
  if (ee_json_is_digit(c) || c == '-') {
    ee_json_number number;
    const char *mistake, *mistake_at;
    const char *after = ee_json_read_number(text.data + at, text.data + text.length, &number, &mistake, &mistake_at);
    is_value = after != NULL;
    if (is_value) length = (size_t)(after - text.data) - at;
  }
  for (size_t i = 0; i < WORD_COUNT; i++)
    is_value = is_value || ee_str_is((ee_str){text.data + at, length}, words[i].text);
  size_t after = skip_space(text, at + length);
  return is_value && after < text.length && (text.data[after] == ',' || text.data[after] == ']');
}

size_t ee_json_bracket_extent(ee_str text) {
  size_t depth = 0;
  char before = ','; /* the last character that is not white space */
  for (size_t at = 0; at < text.length; at++) {
    char c = text.data[at];
    if (ee_json_is_space(c)) continue;
    /* A single quote starts a string where a key or a value may start; elsewhere it is an apostrophe. */
    if (c == '"' || (c == '\'' && memchr("{[,:", before, 4) != NULL)) {
      for (at++; at < text.length && text.data[at] != c; at++)
        if (text.data[at] == '\\') at++;
    } else if (c == '{' || c == '[') {
      depth++;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return at + 1;
    }
    before = c;
  }
  return text.length;
}
