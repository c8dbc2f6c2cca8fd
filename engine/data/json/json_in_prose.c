/* json_in_prose.c: finds the JSON in a model's answer: the whole text, a code fence, or the longest object or array in
 * prose. */
#include "data/json/json_in_prose.h"

#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "data/json/json_reader.h"
#include "data/json/json_scan.h"

/* Code fences ---------------------------------------------------------------------------------- */

static size_t run_length(ee_str text, size_t at, char c) {
  size_t start = at;
  while (at < text.length && text.data[at] == c) at++;
  return at - start;
}

static size_t line_end(ee_str text, size_t at) {
  const char *newline = memchr(text.data + at, '\n', text.length - at);
  return newline != NULL ? (size_t)(newline - text.data) : text.length;
}

/* Whether the line at `at` closes a fence of `length` characters `c`. */
static bool closes_fence(ee_str text, size_t at, char c, size_t length) {
  while (at < text.length && (text.data[at] == ' ' || text.data[at] == '\t')) at++;
  size_t run = run_length(text, at, c);
  at += run;
  while (at < text.length && ee_json_is_space(text.data[at]) && text.data[at] != '\n') at++;
  return run >= length && (at == text.length || text.data[at] == '\n');
}

/* Finds the next fence from `*at` on, sets `content` to the text between its lines and moves `*at` after it. The
 * opening need not be at the start of a line: models write "Here you are: ```json". As in CommonMark, a fence that is
 * not closed contains the rest of the text, and what follows an opening ``` on its line has no backtick (else it is
 * inline code). */
static bool next_fence(ee_str text, size_t *at, ee_str *content) {
  size_t i = *at;
  for (;;) {
    while (i < text.length && text.data[i] != '`' && text.data[i] != '~') i++;
    if (i == text.length) return false;
    char c = text.data[i];
    size_t length = run_length(text, i, c);
    i += length;
    if (length < 3) continue;
    while (i < text.length && text.data[i] != '\n' && (c == '~' || text.data[i] != '`')) i++;
    if (i == text.length) return false;
    if (text.data[i] == '`') continue;
    size_t start = i + 1, line = start;
    while (line < text.length && !closes_fence(text, line, c, length)) {
      line = line_end(text, line);
      if (line < text.length) line++;
    }
    *content = (ee_str){text.data + start, line - start};
    *at = line_end(text, line);
    return true;
  }
}

static ee_value *read_fences(ee_arena *arena, ee_str text, ee_str *content) {
  size_t at = 0;
  while (next_fence(text, &at, content)) {
    ee_arena_mark mark = ee_arena_get_mark(arena);
    ee_value *value = ee_json_read_data(arena, *content, NULL);
    if (ee_type_of(value) >= EE_ARRAY) return value;
    ee_arena_rewind(arena, mark);
  }
  return NULL;
}

/* The content of the fence that the text is; false if anything but blanks is around it. */
static bool is_fence(ee_str text, ee_str *content) {
  const char *end = text.data + text.length, *start = ee_json_skip_space(text.data, end);
  ee_str rest = {start, (size_t)(end - start)};
  if (rest.length == 0 || (*start != '`' && *start != '~')) return false;
  size_t at = 0, run = run_length(rest, 0, *start), line = line_end(rest, 0);
  if (run < 3 || (*start == '`' && memchr(start + run, '`', line - run) != NULL)) return false;
  return next_fence(rest, &at, content) && ee_json_skip_space(rest.data + at, end) == end;
}

ee_value *ee_json_whole_text(ee_arena *arena, ee_str text, ee_error *error) {
  ee_arena_mark mark = ee_arena_get_mark(arena);
  ee_value *value = ee_json_read_data(arena, text, error);
  ee_str content;
  if (value != NULL || !is_fence(text, &content)) return value;
  ee_arena_rewind(arena, mark);
  value = ee_json_read_data(arena, content, NULL);
  return ee_type_of(value) >= EE_ARRAY ? value : NULL;
}

/* Prose ---------------------------------------------------------------------------------------- */

/* Bytes of the longest escape: a surrogate pair. */
#define ESCAPE_BYTES 12

/* What an opening bracket starts: not tried yet, no document, or (from 2 on) the offset where its document ends. */
enum { UNTRIED = 0, NO_DOCUMENT = 1 };

typedef struct level {
  uint32_t start;  /* offset of the opening bracket */
  uint16_t height; /* levels inside it so far, at most one above the limit */
  bool is_object;
} level;

/* The search is linear for any text, because no byte is scanned more than twice:
 *
 * A scan from a bracket also decides every further bracket that it meets outside strings. One that it sees closed is a
 * document by itself; one that is open where the scan fails would fail there too. (The scan has no depth limit, else
 * "[[[[..." would be scanned for 512 bytes from each bracket. It counts heights instead.) A decided bracket is not
 * scanned from again, so a later scan that starts within an earlier one starts inside a string of it. Hence of two
 * scans of a byte, one is inside a string and the other is not. Each quote switches both. An escaped quote does not
 * break this: for the scan outside a string, the backslash before it is a mistake, which ends the scan. */
typedef struct scanner {
  bool cut; /* the last scan had no mistake before the text ended */
  ee_arena *arena;
  const char *start, *end;
  uint32_t *outcomes; /* by offset */
  EE_LIST(level);     /* the open brackets, innermost last */
} scanner;

/* Whether the text ends inside the escape at `at`. */
static bool is_begun_escape(const char *at, const char *end) {
  if (end - at >= ESCAPE_BYTES) return false;
  while (at < end && memchr("\\u0123456789abcdefABCDEF", *at, 24) != NULL) at++;
  return at == end;
}

static const char *scan_string(scanner *s, const char *at) {
  at++;
  for (;;) {
    at += ee_json_plain_length(at, (size_t)(s->end - at));
    if (at == s->end || (unsigned char)*at < 0x20) {
      s->cut = ee_json_skip_space(at, s->end) == s->end;
      return NULL;
    }
    if (*at == '"') return at + 1;
    uint32_t code_point;
    const char *mistake;
    const char *escape = at;
    at = ee_json_read_escape(at, s->end, &code_point, &mistake);
    if (at == NULL) at = ee_json_lone_surrogate(escape, s->end);
    if (at == NULL) {
      s->cut = is_begun_escape(escape, s->end);
      return NULL;
    }
  }
}

static const char *const words[] = {"true", "false", "null"};

static const char *scan_scalar(scanner *s, const char *at) {
  if (*at == '"') return scan_string(s, at);
  if (ee_json_is_digit(*at) || *at == '-') {
    ee_json_number number;
    const char *mistake = NULL, *mistake_at = s->end;
    const char *after = ee_json_read_number(at, s->end, &number, &mistake, &mistake_at);
    s->cut = after == NULL && ee_json_skip_space(mistake_at, s->end) == s->end;
    return after;
  }
  size_t left = (size_t)(s->end - at);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (left < strlen(words[i]) && memcmp(at, words[i], left) == 0) s->cut = true;
  if (left >= 4 && (memcmp(at, "true", 4) == 0 || memcmp(at, "null", 4) == 0)) return at + 4;
  if (left >= 5 && memcmp(at, "false", 5) == 0) return at + 5;
  return NULL;
}

/* A key, its colon and white space. */
static const char *scan_key(scanner *s, const char *at) {
  s->cut = at == s->end;
  if (at == s->end || *at != '"') return NULL;
  at = scan_string(s, at);
  if (at == NULL) return NULL;
  at = ee_json_skip_space(at, s->end);
  s->cut = at == s->end;
  if (at == s->end || *at != ':') return NULL;
  return ee_json_skip_space(at + 1, s->end);
}

static level *open_level(scanner *s, const char *at) {
  level *opened = EE_LIST_ADD(s, s->arena);
  *opened = (level){(uint32_t)(at - s->start), 0, *at == '{'};
  s->outcomes[opened->start] = NO_DOCUMENT;
  return opened;
}

/* Closes the innermost level; `end` is the place after its bracket. */
static void close_level(scanner *s, const char *end) {
  const level *closed = &s->items[--s->count];
  uint16_t height = closed->height;
  if (height <= EE_JSON_DEPTH_LIMIT) height++;
  if (height <= EE_JSON_DEPTH_LIMIT) s->outcomes[closed->start] = (uint32_t)(end - s->start);
  if (s->count > 0 && s->items[s->count - 1].height < height) s->items[s->count - 1].height = height;
}

/* Decides the bracket at `at` and all brackets that the scan meets outside strings. */
static void scan_from(scanner *s, const char *at) {
  s->count = 0;
  s->cut = false;
  for (;;) {
    /* A value must start here. */
    s->cut = at == s->end;
    if (at == s->end) return;
    if (*at == '{' || *at == '[') {
      bool is_object = open_level(s, at)->is_object;
      at = ee_json_skip_space(at + 1, s->end);
      s->cut = at == s->end;
      if (at == s->end) return;
      if (*at != (is_object ? '}' : ']')) {
        if (is_object) at = scan_key(s, at);
        if (at == NULL) return;
        continue;
      }
    } else {
      at = scan_scalar(s, at);
      if (at == NULL) return;
      at = ee_json_skip_space(at, s->end);
    }
    /* A comma or the level's end must follow. The outer level may end too. */
    for (;;) {
      s->cut = at == s->end;
      if (at == s->end) return;
      bool is_object = s->items[s->count - 1].is_object;
      if (*at == ',') {
        at = ee_json_skip_space(at + 1, s->end);
        if (is_object) at = scan_key(s, at);
        if (at == NULL) return;
        break;
      }
      if (*at != (is_object ? '}' : ']')) return;
      close_level(s, ++at);
      if (s->count == 0) return;
      at = ee_json_skip_space(at, s->end);
    }
  }
}

/* Whether the scan from `at` ran into the end of the text: the answer was cut off, and no part of it may be used. A
 * lone bracket at the end of the text does not count. */
static bool is_cut(const scanner *s, const char *at) { return s->cut && ee_json_skip_space(at + 1, s->end) != s->end; }

/* The length of what starts at the bracket text[0], which is not a document: a broken document, which counts as a
 * whole, or only a bracket in prose. */
static size_t broken_length(ee_str text) { return ee_json_begins(text) ? ee_json_bracket_extent(text) : 1; }

/* The longest complete object or array in the text; length 0 when there is none. `*cut` is set when the text ends
 * inside one; nothing inside that one counts. */
static ee_str find_longest(ee_arena *arena, ee_str text, bool *cut) {
  scanner s = {.arena = arena, .start = text.data, .end = text.data + text.length};
  *cut = false;
  s.outcomes = EE_NEW_ARRAY(arena, uint32_t, text.length);
  ee_str longest = {text.data, 0};
  for (size_t i = 0; i < text.length;) {
    if (text.data[i] != '{' && text.data[i] != '[') {
      i++;
      continue;
    }
    if (s.outcomes[i] == UNTRIED) { /* unreached: a second look; what was scanned is skipped as a whole */
      scan_from(&s, text.data + i);
      *cut = is_cut(&s, text.data + i);
      if (*cut) break;
    }
    if (s.outcomes[i] == NO_DOCUMENT) {
      i += broken_length((ee_str){text.data + i, text.length - i});
      continue;
    }
    size_t length = s.outcomes[i] - i;
    if (length > longest.length) longest = (ee_str){text.data + i, length};
    i += length;
  }
  return longest;
}

/* Whether a code fence ends inside a document. */
static bool has_cut_fence(ee_arena *arena, ee_str text) {
  size_t at = 0;
  ee_str content;
  bool cut = false;
  while (!cut && next_fence(text, &at, &content)) {
    ee_arena_mark mark = ee_arena_get_mark(arena);
    find_longest(arena, content, &cut);
    ee_arena_rewind(arena, mark);
  }
  return cut;
}

/* Where a document was found. */
typedef enum document_place { IN_WHOLE_TEXT, IN_FENCE, IN_PROSE } document_place;

/* ee_json_in_prose_find(), which also sets `*place` and `*source`, the part of `text` that is the document. Both are
 * undefined when the result is NULL. */
static ee_value *find_document(ee_arena *arena, ee_str text, document_place *place, ee_str *source, ee_error *error) {
  ee_arena_mark mark = ee_arena_get_mark(arena);
  *place = IN_WHOLE_TEXT;
  *source = text;
  ee_value *value = ee_json_read_data(arena, text, error);
  if (value != NULL) return value;
  ee_arena_rewind(arena, mark);
  if (text.length > UINT32_MAX || arena->over) return NULL; /* unreached: texts of 4 GiB */
  *place = IN_FENCE;
  value = read_fences(arena, text, source);
  if (value != NULL) return value;
  if (has_cut_fence(arena, text)) return NULL;
  bool cut;
  *place = IN_PROSE;
  *source = find_longest(arena, text, &cut);
  ee_arena_rewind(arena, mark);
  return source->length > 0 ? ee_json_read_data(arena, *source, NULL) : NULL;
}

ee_value *ee_json_in_prose_find(ee_arena *arena, ee_str text, ee_error *error) {
  document_place place;
  ee_str source;
  return find_document(arena, text, &place, &source, error);
}

/* Repairs -------------------------------------------------------------------------------------- */

/* JSON in JSON strings is opened this often. */
#define MAX_ENCODINGS 3

typedef struct repairing {
  ee_arena *arena;
  unsigned allowed;
  ee_repairs *repairs; /* of the document that is read */
} repairing;

static bool is_allowed(const repairing *r, ee_repair kind) { return (r->allowed >> kind & 1) != 0; }

/* The text as a document and nothing else. */
static ee_value *repair_whole(repairing *r, ee_str text) {
  ee_repairs before = *r->repairs;
  size_t start = ee_json_lenient_skip(text, 0, r->allowed, r->repairs), end;
  ee_value *value = NULL;
  if (start < text.length && (text.data[start] == '{' || text.data[start] == '['))
    value =
        ee_json_lenient_read(r->arena, (ee_str){text.data + start, text.length - start}, r->allowed, &end, r->repairs);
  if (value != NULL && ee_json_lenient_skip(text, start + end, r->allowed, r->repairs) == text.length) return value;
  *r->repairs = before;
  return NULL;
}

static ee_value *repair_fences(repairing *r, ee_str text) {
  size_t at = 0;
  ee_str content;
  while (next_fence(text, &at, &content)) {
    ee_value *value = repair_whole(r, content);
    if (value != NULL) return value;
  }
  return NULL;
}

/* The longest document in prose, if it is longer than `found` bytes. */
static ee_value *repair_prose(repairing *r, ee_str text, size_t found) {
  ee_value *longest = NULL;
  ee_repairs of_longest = *r->repairs;
  /* Strings may be taken for longer than ee_json_bracket_extent() does, so the work needs a limit. */
  size_t work = 0, limit = 8 * text.length;
  for (size_t i = 0; i < text.length && work <= limit && !r->arena->over;) { /* unreached: memory is gone before */
    ee_str rest = {text.data + i, text.length - i};
    if (*rest.data != '{' && *rest.data != '[') {
      i++;
      continue;
    }
    ee_repairs repairs = *r->repairs;
    size_t end;
    ee_arena_mark mark = ee_arena_get_mark(r->arena);
    ee_value *value = ee_json_lenient_read(r->arena, rest, r->allowed, &end, &repairs);
    work += end;
    if (value == NULL) {
      i += broken_length(rest);
    } else if (end > found) {
      longest = value;
      of_longest = repairs;
      found = end;
      i += end;
    } else {
      ee_arena_rewind(r->arena, mark);
      i += end;
    }
  }
  *r->repairs = of_longest;
  return longest;
}

/* `{\"a\": 1}` as {"a": 1}: what is left of a JSON string without its quotes. */
static ee_value *open_escaped(repairing *r, ee_str text) {
  size_t start = ee_json_lenient_skip(text, 0, 0, r->repairs);
  if (start == text.length || (text.data[start] != '{' && text.data[start] != '[')) return NULL;
  const char *quote = memchr(text.data + start, '"', text.length - start);
  if (quote == NULL || quote[-1] != '\\') return NULL;
  char *quoted = ee_arena_alloc(r->arena, text.length + 2);
  quoted[0] = quoted[text.length + 1] = '"';
  memcpy(quoted + 1, text.data, text.length);
  return ee_json_read_data(r->arena, (ee_str){quoted, text.length + 2}, NULL);
}

/* The document in the string `value`, which is JSON again. */
static ee_value *repair_encoded(repairing *r, const ee_value *value) {
  ee_repairs before = *r->repairs;
  for (int i = 0; i < MAX_ENCODINGS && ee_type_of(value) == EE_STRING; i++) {
    ee_str inside = ee_value_text(value);
    r->repairs->counts[EE_REPAIR_DOUBLE_ENCODING]++;
    ee_value *document = ee_json_read_data(r->arena, inside, NULL);
    if (document == NULL) document = repair_whole(r, inside);
    if (ee_type_of(document) >= EE_ARRAY) return document;
    value = document;
  }
  *r->repairs = before;
  return NULL;
}

static ee_value *read_with_repairs(repairing *r, ee_str text, ee_error *error) {
  document_place place;
  ee_str source = {text.data, 0};
  ee_value *value = find_document(r->arena, text, &place, &source, error);
  bool encoding = is_allowed(r, EE_REPAIR_DOUBLE_ENCODING);
  if (value != NULL && place != IN_PROSE) {
    ee_value *inside = encoding && ee_type_of(value) == EE_STRING ? repair_encoded(r, value) : NULL;
    if (place == IN_FENCE) r->repairs->counts[EE_REPAIR_FENCE]++;
    return inside != NULL ? inside : value;
  }
  if (r->arena->over) return NULL; /* nothing else in it is smaller */
  ee_value *whole = repair_whole(r, text);
  if (whole != NULL) return whole;
  const ee_value *escaped = encoding && value == NULL ? open_escaped(r, text) : NULL;
  ee_value *inside = escaped != NULL ? repair_encoded(r, escaped) : NULL;
  if (inside != NULL) return inside;
  ee_value *fenced = repair_fences(r, text);
  if (fenced != NULL) {
    r->repairs->counts[EE_REPAIR_FENCE]++;
    return fenced;
  }
  ee_value *longer = repair_prose(r, text, value != NULL ? source.length : 0);
  if (longer != NULL) value = longer;
  if (value != NULL) r->repairs->counts[EE_REPAIR_PROSE]++;
  return value;
}

ee_value *ee_json_in_prose_repair(ee_arena *arena, ee_str text, unsigned allowed, ee_repairs *repairs,
                                  ee_error *error) {
  *repairs = (ee_repairs){{0}};
  bool marked = text.length >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0;
  if (marked) text = (ee_str){text.data + 3, text.length - 3};
  repairing r = {arena, allowed, repairs};
  ee_value *value = read_with_repairs(&r, text, error);
  repairs->counts[EE_REPAIR_BYTE_ORDER_MARK] = marked && value != NULL;
  return value;
}
