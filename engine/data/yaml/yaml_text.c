/* yaml_text.c: checks and changes a text before libyaml reads it, and changes its scalars back.
 *
 * Two things are bounded here because the time of libyaml 0.2.5 grows with their square: it clears its whole buffer of
 * white space at each word (500 KB of blanks before 500 KB of words took 0.8 s), and compares each %TAG directive with
 * all before it (1 MB of them took 5 s). */
#include "data/yaml/yaml_parts.h"

#include <stdint.h>
#include <stdio.h>

enum {
  PRIVATE_FIRST = 0xe000, /* the private-use area U+E000..U+F8FF, in blocks of as many as there are stand-ins */
  PRIVATE_COUNT = 0x1900,
  BLOCK = 40,
  DIRECTIVES = 64
};

/* The order of the stand-ins: for U+007F, U+0080..U+009F, then for these characters, then for the backslash and the 'u'
 * of an escaped surrogate. */
enum { LAST_C1 = 0x20, LINE_SEPARATOR, PARAGRAPH_SEPARATOR, NO_CHARACTER_FFFE, NO_CHARACTER_FFFF, BACKSLASH, LETTER_U };

static const uint32_t meanings[] = {[LINE_SEPARATOR] = 0x2028,    [PARAGRAPH_SEPARATOR] = 0x2029,
                                    [NO_CHARACTER_FFFE] = 0xfffe, [NO_CHARACTER_FFFF] = 0xffff,
                                    [BACKSLASH] = '\\',           [LETTER_U] = 'u'};

static uint32_t meaning_of(uint32_t number) { return number <= LAST_C1 ? 0x7f + number : meanings[number]; }

/* The number of the stand-in for a character; -1 if libyaml may read the character itself. */
static int number_of(uint32_t c) {
  if (c < 0x7f) return -1;
  if (c < 0xa0) return (int)(c - 0x7f);
  for (int i = LINE_SEPARATOR; i <= NO_CHARACTER_FFFF; i++)
    if (meanings[i] == c) return i;
  return -1;
}

/* Characters that YAML 1.2 allows only in quotes: those that are not printable (U+0085 is), and the byte order mark. */
static bool is_for_quotes(uint32_t c) {
  return (c >= 0x7f && c < 0xa0 && c != 0x85) || c == 0xfffe || c == 0xffff || c == 0xfeff;
}

/* Escapes -------------------------------------------------------------------------------------- */

/* The value of `digits` hexadecimal digits at `at`, or UINT32_MAX. */
static uint32_t read_hex(const char *at, const char *end, int digits) {
  if (end - at < digits) return UINT32_MAX;
  uint32_t value = 0;
  for (int i = 0; i < digits; i++) {
    int digit = ee_hex_digit(at[i]);
    if (digit < 0) return UINT32_MAX;
    value = value << 4 | (uint32_t)digit;
  }
  return value;
}

static bool is_surrogate(uint32_t c) { return c >= 0xd800 && c <= 0xdfff; }

/* Skips the backslashes at `at`. `*surrogate` is set if the last of them begins an escaped surrogate, provided that
 * this is a text in double quotes, where backslashes pair from the left. */
static const char *skip_backslashes(const char *at, const char *end, bool *surrogate, uint32_t *code) {
  const char *first = at;
  while (at < end && *at == '\\') at++;
  *code = UINT32_MAX;
  if (at < end && *at == 'u') *code = read_hex(at + 1, end, 4);
  if (at < end && *at == 'U') *code = read_hex(at + 1, end, 8);
  /* Without a letter no code was read. */
  *surrogate = (at - first) % 2 == 1 && is_surrogate(*code) && *at == 'u';
  return at;
}

/* Checking -------------------------------------------------------------------------------------- */

typedef struct survey {
  bool stand_ins, needs_quotes, tabs;
  bool used[PRIVATE_COUNT / BLOCK]; /* blocks of private-use characters that occur in the text or its escapes */
} survey;

static void note_character(survey *found, uint32_t c) {
  if (c >= PRIVATE_FIRST && c < PRIVATE_FIRST + PRIVATE_COUNT) found->used[(c - PRIVATE_FIRST) / BLOCK] = true;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* Checks all text up to `end`. Returns the place of the first error, or NULL. */
static const char *check(const char *at, const char *end, survey *found, char message[64]) {
  while (at < end) {
    unsigned char c = (unsigned char)*at;
    if (c > 0x20 && c < 0x7f && c != '\\') {
      at++;
    } else if (is_blank((char)c)) {
      const char *first = at;
      for (; at < end && is_blank(*at); at++) found->tabs = found->tabs || *at == '\t';
      if (at - first <= EE_YAML_BLANKS) continue;
      snprintf(message, 64, "more than %d blanks in a row", EE_YAML_BLANKS);
      return first;
    } else if (c == '\\') {
      bool surrogate;
      uint32_t code;
      at = skip_backslashes(at, end, &surrogate, &code);
      if (surrogate) found->stand_ins = true;
      note_character(found, code);
    } else if (c < 0x20) {
      snprintf(message, 64, "control character U+%04X", c);
      return at;
    } else {
      uint32_t code;
      at += ee_utf8_decode(at, (size_t)(end - at), &code);
      if (number_of(code) >= 0) found->stand_ins = true;
      if (is_for_quotes(code)) found->needs_quotes = true;
      note_character(found, code);
    }
  }
  return NULL;
}

/* Directives are before the document; after its start they are text or errors. Returns the place of the first one over
 * the limit. */
static const char *find_excess_directive(const char *at, const char *end) {
  size_t count = 0;
  while (at < end) {
    const char *first = at;
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): not NULL before its end
    while (first < end && is_blank(*first)) first++;
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the same
    if (first == end || (*first != '#' && *first != '%')) return NULL;
    if (*first == '%' && ++count > DIRECTIVES) return first;
    while (first < end && *first != '\n' && *first != '\r') first++;
    at = first;
  }
  return NULL;
}

/* Text of 16-bit or 32-bit units has a byte order mark, or NUL in the first bytes. */
static bool is_utf16(ee_str text) {
  if (text.length < 2) return false;
  const unsigned char *bytes = (const unsigned char *)text.data;
  if ((bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff)) return true;
  if (text.length < 4) return false;
  if (bytes[0] != 0) return bytes[1] == 0 && bytes[3] == 0;
  return bytes[1] != 0 ? bytes[2] == 0 : (bytes[2] == 0 || bytes[2] == 0xfe) && bytes[3] != 0;
}

/* Changing ------------------------------------------------------------------------------------- */

static void add_code_point(ee_buffer *out, uint32_t c) { out->length += ee_utf8_encode(c, ee_buffer_reserve(out, 4)); }

static void put_stand_ins(ee_yaml_text *text) {
  const char *at = text->source.data, *end = at + text->source.length;
  ee_buffer *out = &text->copy;
  ee_buffer_reserve(out, text->source.length);
  while (at < end) {
    const char *first = at;
    if (*at == '\\') {
      bool surrogate;
      uint32_t code;
      at = skip_backslashes(at, end, &surrogate, &code);
      ee_buffer_add(out, first, (size_t)(at - first) - surrogate);
      if (!surrogate) continue;
      add_code_point(out, text->stand_ins + BACKSLASH);
      add_code_point(out, text->stand_ins + LETTER_U);
      at++;
      continue;
    }
    uint32_t code;
    at += ee_utf8_decode(at, (size_t)(end - at), &code);
    int number = number_of(code);
    if (number >= 0) {
      add_code_point(out, text->stand_ins + (uint32_t)number);
    } else {
      ee_buffer_add(out, first, (size_t)(at - first));
    }
  }
  text->fed = (ee_str){out->data, out->length};
}

/* Whether the line may begin a block text ("key: |"). A wrong yes only affects tabs. */
static bool may_begin_block(const char *line, const char *end) {
  for (const char *at = line; at < end; at++)
    if ((*at == '|' || *at == '>') && (at == line || at[-1] == ' ' || at[-1] == '\t')) return true;
  return false;
}

static void blank_tabs(ee_yaml_text *text, size_t from, size_t to) {
  if (text->copy.data == NULL) ee_buffer_add_str(&text->copy, text->fed);
  text->fed.data = text->copy.data;
  for (size_t i = from; i < to; i++)
    if (text->copy.data[i] == '\t') text->copy.data[i] = ' ';
}

/* libyaml refuses tabs on a line that is blank or has only a comment, where they indent nothing. Such tabs become
 * spaces. In quoted and plain texts of several lines tabs and spaces are folded alike; in block texts, where they are
 * content, tabs stay. */
static void clear_idle_tabs(ee_yaml_text *text) {
  bool in_block = false;
  ptrdiff_t parent = 0; /* a line indented by at most this ends the block text */
  for (size_t at = 0; at < text->fed.length;) {
    const char *line = text->fed.data + at;
    const char *newline = memchr(line, '\n', text->fed.length - at);
    const char *end = newline != NULL ? newline : text->fed.data + text->fed.length;
    const char *first = line;
    while (first < end && *first == ' ') first++;
    ptrdiff_t spaces = first - line;
    bool tab = false;
    for (; first < end && is_blank(*first); first++) tab = tab || *first == '\t';
    if (in_block && first < end && spaces <= parent) in_block = false;
    bool begins = !in_block && may_begin_block(line, end);
    bool at_root = begins && (*first == '|' || *first == '>' || memcmp(line, "---", 3) == 0); /* "x |" at least */
    size_t next = at + (size_t)(end - line) + 1;
    if (tab && !in_block && (first == end || *first == '#')) blank_tabs(text, at, at + (size_t)(first - line));
    if (begins) {
      in_block = true;
      parent = at_root ? -1 : spaces;
    }
    at = next;
  }
}

bool ee_yaml_text_init(ee_yaml_text *text, ee_str given, ee_yaml_cursor *cursor, ee_error *error) {
  memset(text, 0, sizeof *text);
  if (given.data == NULL) given = EE_STR("");
  const char *start = given.data, *end = start + given.length;
  if (given.length >= 3 && memcmp(start, "\xef\xbb\xbf", 3) == 0) start += 3;
  *cursor = (ee_yaml_cursor){given.data, start, end, start, start, 0, 1};
  text->source = text->fed = (ee_str){start, (size_t)(end - start)};
  ee_yaml_spot top = {1, 1, 0};
  bool is_long = given.length > UINT32_MAX;
  if (is_long) return ee_yaml_fail(error, top, "text longer than 4 GiB"); /* unreached: texts of 4 GiB */
  if (is_utf16(given)) return ee_yaml_fail(error, top, "UTF-16 or UTF-32 text (only UTF-8 is read)");
  return true;
}

/* Whether the last line has no end and only spaces. */
static bool ends_in_spaces(ee_str text) {
  size_t length = text.length;
  while (length > 0 && text.data[length - 1] == ' ') length--;
  return length < text.length && (length == 0 || text.data[length - 1] == '\n' || text.data[length - 1] == '\r');
}

/* libyaml reads no line without an end where it belongs to a block text (|, >). The new line is after all that is read:
 * `fed` is one code point longer than `source`. */
static void end_last_line(ee_yaml_text *text) {
  if (text->copy.length == 0) ee_buffer_add_str(&text->copy, text->fed);
  ee_buffer_add_char(&text->copy, '\n');
  text->fed = (ee_str){text->copy.data, text->copy.length};
}

bool ee_yaml_text_prepare(ee_yaml_text *text, ee_yaml_cursor *cursor, ee_error *error) {
  const char *start = text->source.data, *end = start + text->source.length;
  survey found = {0};
  char message[64];
  const char *valid_end = start + ee_utf8_valid_prefix(start, text->source.length);
  const char *bad = check(start, valid_end, &found, message);
  if (bad == NULL && valid_end < end) {
    bad = valid_end;
    snprintf(message, sizeof message, "invalid UTF-8");
  }
  if (bad == NULL && (bad = find_excess_directive(start, end)) != NULL)
    snprintf(message, sizeof message, "more than %d directives", DIRECTIVES);
  if (bad != NULL) return ee_yaml_fail(error, ee_yaml_seek_byte(cursor, bad), "%s", message);

  text->needs_quotes = found.needs_quotes;
  if (found.stand_ins) {
    size_t block = 0;
    while (block < PRIVATE_COUNT / BLOCK && found.used[block]) block++;
    if (block == PRIVATE_COUNT / BLOCK)
      return ee_yaml_fail(error, ee_yaml_seek_byte(cursor, start),
                          "too many private-use characters together with control characters or surrogates");
    text->stand_ins = PRIVATE_FIRST + (uint32_t)(block * BLOCK);
    put_stand_ins(text);
  }
  if (found.tabs) clear_idle_tabs(text);
  if (ends_in_spaces(text->source)) end_last_line(text);
  return true;
}

void ee_yaml_text_fini(ee_yaml_text *text) { ee_buffer_fini(&text->copy); }

/* Changing back -------------------------------------------------------------------------------- */

/* The first character from `from` on that is only allowed in quotes. */
static const char *find_unquoted(const ee_yaml_cursor *from) {
  for (const char *at = from->at; at < from->end;) { /* unreached: the end; the text has one */
    uint32_t c;
    size_t length = ee_utf8_decode(at, (size_t)(from->end - at), &c);
    if (is_for_quotes(c)) return at;
    at += length;
  }
  return from->at; /* unreached: see above */
}

/* The escaped surrogate from `from` on that has `before` others before it. */
static const char *find_surrogate(const ee_yaml_cursor *from, size_t before) {
  for (const char *at = from->at; at < from->end; at++) { /* unreached: the end; the text has it */
    if (*at != '\\') continue;
    bool surrogate;
    uint32_t code;
    at = skip_backslashes(at, from->end, &surrogate, &code);
    if (surrogate && before-- == 0) return at - 1;
  }
  return from->at; /* unreached: see above */
}

/* The code point of the pair of escaped surrogates at `at`, which is the stand-in of a backslash, or UINT32_MAX if
 * there is no pair. `*next` is set to its end. */
static uint32_t read_pair(const ee_yaml_text *text, const char *at, const char *end, const char **next) {
  char low_start[8];
  size_t length = ee_utf8_encode(text->stand_ins + BACKSLASH, low_start);
  length += ee_utf8_encode(text->stand_ins + LETTER_U, low_start + length);
  uint32_t high = read_hex(at + length, end, 4);
  at += length + 4;
  if (high >= 0xdc00 || (size_t)(end - at) < length || memcmp(at, low_start, length) != 0) return UINT32_MAX;
  uint32_t low = read_hex(at + length, end, 4);
  if (low < 0xdc00) return UINT32_MAX;
  *next = at + length + 4;
  return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

static ee_str failed(const ee_yaml_cursor *from, const char *at, const char *message, ee_error *error) {
  ee_yaml_cursor cursor = *from;
  ee_yaml_fail(error, ee_yaml_seek_byte(&cursor, at), "%s", message);
  return (ee_str){NULL, 0};
}

ee_str ee_yaml_restore(const ee_yaml_text *text, ee_arena *arena, ee_str scalar, ee_yaml_style style,
                       const ee_yaml_cursor *from, ee_error *error) {
  bool bare = style == EE_YAML_BARE && text->needs_quotes;
  if (text->stand_ins == 0 && !bare) return scalar;
  char *copy = ee_arena_copy(arena, scalar.data, scalar.length);
  /* A stand-in is at least as long as the original. */
  char *out = copy;
  size_t surrogates = 0;
  for (const char *at = scalar.data, *end = at + scalar.length; at < end;) {
    uint32_t c;
    size_t length = ee_utf8_decode(at, (size_t)(end - at), &c);
    const char *next = at + length;
    if (text->stand_ins != 0 && c >= text->stand_ins && c <= text->stand_ins + LETTER_U) {
      uint32_t number = c - text->stand_ins;
      c = meaning_of(number);
      if (number == BACKSLASH && style == EE_YAML_DOUBLE) {
        c = read_pair(text, at, end, &next);
        if (c == UINT32_MAX)
          return failed(from, find_surrogate(from, surrogates), "lone surrogate in \\u escape", error);
        surrogates += 2;
      }
    }
    if (bare && is_for_quotes(c)) {
      char message[64];
      snprintf(message, sizeof message, "character U+%04X outside quotes", c);
      return failed(from, find_unquoted(from), message, error);
    }
    out += ee_utf8_encode(c, out);
    at = next;
  }
  *out = '\0';
  return (ee_str){copy, (size_t)(out - copy)};
}
