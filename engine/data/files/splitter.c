/* splitter.c: splits lines, an array or documents; keeps its state between pieces of text. */
#include "data/files/splitter.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "data/files/file_shape.h"
#include "data/json/json_scan.h"

enum state {
  AT_START,     /* before the byte order mark */
  SNIFFING,     /* in white space before the first record */
  IN_LINES,     /* JSONL */
  AT_FIRST,     /* array: after '[' */
  AT_VALUE,     /* array: after ',' */
  IN_CONTAINER, /* array: in an element that is an object or array */
  IN_STRING,    /* array: in a string of an element, or one that is an element */
  IN_SCALAR,    /* array: in any other element */
  AT_COMMA,     /* array: after an element */
  AT_DOCUMENT,  /* documents: between two */
  AFTER_ARRAY,  /* array: after ']' */
  IGNORING      /* array: after an error that follows ']' */
};

void ee_splitter_start(ee_splitter *splitter, size_t record_limit, bool documents) {
  memset(splitter, 0, sizeof *splitter);
  splitter->documents = documents;
  splitter->state = AT_START;
  splitter->line = 1;
  splitter->record_limit = record_limit;
}

void ee_splitter_set_file_limit(ee_splitter *splitter, size_t file_limit) { splitter->file_limit = file_limit; }

void ee_splitter_set_taker(ee_splitter *splitter, ee_element_taker *take, void *user) {
  splitter->take = take;
  splitter->take_user = user;
}

void ee_splitter_start_inside(ee_splitter *splitter, size_t record_limit, uint64_t byte) {
  ee_splitter_start(splitter, record_limit, false);
  splitter->state = IN_LINES;
  splitter->text_byte = splitter->line_byte = byte;
  splitter->skipping = true;
}

void ee_splitter_start_array(ee_splitter *s, size_t record_limit, uint64_t byte, uint64_t line, uint64_t line_byte) {
  ee_splitter_start(s, record_limit, false);
  s->state = AT_FIRST;
  s->inside = true;
  s->text_byte = byte;
  s->line = line;
  s->line_byte = line_byte;
}

uint64_t ee_splitter_byte(const ee_splitter *splitter) { return splitter->text_byte + splitter->start; }

static void add_error(ee_splitter *s, ee_block *block, uint64_t byte, uint64_t line, uint64_t column,
                      const char *message) {
  ee_block_add_error(block, &s->errors, byte, line, column, message);
}

static void add_length_error(ee_splitter *s, ee_block *block, uint64_t line) {
  char message[100], limit[EE_BOUND_TEXT];
  if (s->file_limit > s->record_limit)
    snprintf(message, sizeof message, "document longer than %s (--max-file)", ee_size_text(s->file_limit, limit));
  else
    snprintf(message, sizeof message, "record longer than %s (--max-record)", ee_size_text(s->record_limit, limit));
  add_error(s, block, s->text_byte + s->start, line, 0, message);
}

/* What the next record may have. */
static size_t limit_of(const ee_splitter *s) {
  return s->file_limit > s->record_limit ? s->file_limit : s->record_limit;
}

static void add_record(ee_splitter *s, ee_block *block, size_t end, uint64_t line, uint64_t column) {
  bool too_long = !s->skipping && end - s->start > limit_of(s);
  if (too_long) add_length_error(s, block, line);
  bool skipped = s->skipping || too_long;
  s->skipping = false;
  s->file_limit = 0;
  if (skipped) return;
  ee_block_add(block, (ee_record_span){.offset = s->start,
                                       .length = end - s->start,
                                       .line = line,
                                       .column = column,
                                       .byte = s->text_byte + s->start});
}

/* Lines ---------------------------------------------------------------------------------------- */

static void add_line(ee_splitter *s, ee_block *block, size_t end) {
  const char *text = block->text.data;
  if (end > s->start && text[end - 1] == '\r') end--;
  bool blank = ee_json_skip_space(text + s->start, text + end) == text + end;
  /* White space above the limit is an error, because it is one when it arrives in pieces. */
  if (blank && !s->skipping && end - s->start <= s->record_limit) return;
  add_record(s, block, end, s->line, s->text_byte + s->start - s->line_byte + 1);
}

static void split_lines(ee_splitter *s, ee_block *block, bool at_end) {
  const char *text = block->text.data;
  size_t length = block->text.length;
  while (s->scanned < length) {
    const char *newline = memchr(text + s->scanned, '\n', length - s->scanned);
    if (newline == NULL) break;
    add_line(s, block, (size_t)(newline - text));
    s->start = s->scanned = (size_t)(newline - text) + 1;
    s->line += 1;
    s->line_byte = s->text_byte + s->start;
  }
  s->scanned = length;
  if (!at_end) return;
  if (s->start < length) add_line(s, block, length);
  s->start = length;
}

/* Arrays and documents ------------------------------------------------------------------------- */

/* Documents one after the other are scanned like the elements of an array, without its brackets and commas. */

static void pass_newline(ee_splitter *s) {
  s->line += 1;
  s->line_byte = s->text_byte + s->scanned + 1;
}

static void skip_space(ee_splitter *s, ee_str text) {
  for (; s->scanned < text.length && ee_json_is_space(text.data[s->scanned]); s->scanned++)
    if (text.data[s->scanned] == '\n') pass_newline(s);
}

static void add_error_here(ee_splitter *s, ee_block *block, const char *message) {
  uint64_t byte = s->text_byte + s->scanned;
  add_error(s, block, byte, s->line, byte - s->line_byte + 1, message);
}

/* The element ends before `scanned`. */
static void end_element(ee_splitter *s, ee_block *block) {
  add_record(s, block, s->scanned, s->element_line, s->element_column);
  s->start = s->scanned;
  s->state = s->documents ? AT_DOCUMENT : AT_COMMA;
}

static void open_container(ee_splitter *s, bool is_object) {
  if (s->depth < EE_SPLITTER_LEVELS) {
    uint64_t bit = UINT64_C(1) << (s->depth % 64);
    uint64_t *kinds = &s->kinds[s->depth / 64];
    *kinds = is_object ? *kinds | bit : *kinds & ~bit;
    if (is_object) {
      s->objects += 1;
    } else {
      s->arrays += 1;
    }
  }
  s->depth += 1;
}

/* Closes the innermost level of the bracket's kind and all levels inside it, so that a record that lacks a bracket does
 * not swallow the next ones. False if no such level is open. */
static bool close_container(ee_splitter *s, bool is_object) {
  if (s->depth > EE_SPLITTER_LEVELS) {
    s->depth -= 1;
    return true;
  }
  if ((is_object ? s->objects : s->arrays) == 0) return false;
  for (;;) {
    s->depth -= 1;
    bool was_object = (s->kinds[s->depth / 64] >> (s->depth % 64) & 1) != 0;
    if (was_object) {
      s->objects -= 1;
    } else {
      s->arrays -= 1;
    }
    if (was_object == is_object) return true;
  }
}

static void start_element(ee_splitter *s, char c) {
  s->start = s->scanned;
  s->element_byte = s->text_byte + s->scanned;
  s->element_line = s->line;
  s->element_column = s->element_byte - s->line_byte + 1;
  s->depth = s->objects = s->arrays = 0;
  s->escaped = false;
  s->before = c;
  s->scanned += 1;
  s->state = IN_SCALAR;
  if (c == '{' || c == '[') {
    open_container(s, c == '{');
    s->state = IN_CONTAINER;
  } else if (c == '"') {
    s->state = IN_STRING;
  }
}

#if defined(EE_JSON_SSE2)
/* The usual element, whose rest is in `text` and whose brackets match, is passed at once, 16 bytes at a time.
 * All others are left as they are, at their first byte, to the states below. */
static void pass_element(ee_splitter *s, ee_block *block, ee_str text) {
  const __m128i lower = _mm_set1_epi8(0x20), first = _mm_set1_epi8('{' - 1), last = _mm_set1_epi8('}' + 1);
  const __m128i quote = _mm_set1_epi8('"'), line_feed = _mm_set1_epi8('\n');
  const char *at = text.data + s->scanned, *end = text.data + text.length, *newline = NULL;
  uint64_t lines = 0, kinds = s->kinds[0] & 1; /* a bit for each level, as in the splitter, but the innermost lowest */
  size_t depth = 1;
  bool in_string = false;
  for (; end - at >= 16; at += 16) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at), lowered = _mm_or_si128(bytes, lower);
    __m128i bracket = _mm_and_si128(_mm_cmpgt_epi8(lowered, first), _mm_cmplt_epi8(lowered, last)); /* or backslash */
    __m128i other = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, line_feed));
    for (unsigned mask = (unsigned)_mm_movemask_epi8(_mm_or_si128(bracket, other)); mask != 0; mask &= mask - 1) {
      const char *stop = at + __builtin_ctz(mask);
      if (*stop == '"') {
        in_string = !in_string;
      } else if (in_string) {
        if (*stop == '\\' || *stop == '\n') return;
      } else if (*stop == '\n') {
        lines++;
        newline = stop;
      } else if (*stop == '{' || *stop == '[') {
        if (depth++ == 64) return;
        kinds = kinds << 1 | (*stop == '{');
      } else if (*stop == '}' || *stop == ']') {
        if ((kinds & 1) != (*stop == '}')) return;
        kinds >>= 1;
        if (--depth > 0) continue;
        s->line += lines;
        if (newline != NULL) s->line_byte = s->text_byte + (uint64_t)(newline - text.data) + 1;
        s->scanned = (size_t)(stop - text.data) + 1;
        end_element(s, block);
        return;
      }
    }
  }
}
#else
static void pass_element(ee_splitter *s, ee_block *block, ee_str text) { (void)s, (void)block, (void)text; }
#endif

/* Elements of which more text is waited for. */
#define TAKEN_BYTES 4096

/* Offers the element at `scanned` to the taker, unless the block has a record, which comes before it. `at_end`: no more
 * text comes. */
static ee_taking offer(ee_splitter *s, const ee_block *block, ee_str text, bool at_end) {
  if (s->take == NULL || block->count > 0 || text.data[s->scanned] != '{') return EE_TAKING_NOT;
  size_t left = text.length - s->scanned, limit = limit_of(s), length = 0;
  const char *at = text.data + s->scanned, *newline;
  ee_taking taking = s->take(s->take_user, (ee_str){at, left < limit ? left : limit}, &length);
  if (taking == EE_TAKING_MORE) return at_end || left >= TAKEN_BYTES ? EE_TAKING_NOT : taking;
  if (taking == EE_TAKING_NOT) return taking;
  const char *end = at + length;
  while ((newline = memchr(at, '\n', (size_t)(end - at))) != NULL) {
    at = newline + 1;
    s->line += 1;
    s->line_byte = s->text_byte + (uint64_t)(at - text.data);
  }
  s->start = s->scanned += length;
  s->state = AT_COMMA;
  return taking;
}

/* False when the element there needs more text. */
static bool scan_value(ee_splitter *s, ee_block *block, ee_str text, bool at_end) {
  char c = text.data[s->scanned];
  if (c == ']') {
    if (s->state == AT_VALUE) add_error_here(s, block, "expected a value after ','");
    s->scanned += 1;
    s->state = AFTER_ARRAY;
  } else if (c == ',') {
    add_error_here(s, block, "expected a value before ','");
    s->scanned += 1;
    s->state = AT_VALUE;
  } else {
    ee_taking taking = offer(s, block, text, at_end);
    if (taking != EE_TAKING_NOT) return taking == EE_TAKING_DONE;
    start_element(s, c);
    if (s->state == IN_CONTAINER) pass_element(s, block, text);
  }
  return true;
}

static void scan_comma(ee_splitter *s, ee_block *block, char c) {
  if (c == ',') {
    s->scanned += 1;
    s->state = AT_VALUE;
  } else if (c == ']') {
    s->scanned += 1;
    s->state = AFTER_ARRAY;
  } else {
    /* Continue with the next element. */
    add_error_here(s, block, "expected ',' or ']'");
    start_element(s, c);
  }
}

/* Whether `c` at `scanned`, in an object that is not closed, starts the next document all the same: a '{' that begins a
 * line, where no value can stand. */
static bool is_next_document(ee_splitter *s, char c) {
  if (c == '{' && s->text_byte + s->scanned == s->line_byte && strchr("{[:,", s->before) == NULL) return true;
  if (c != '\n') s->before = c;
  return false;
}

/* Notes the last byte of the text from `from` to `to` that is not white space. */
static void note_before(ee_splitter *s, const char *from, const char *to) {
  while (to > from && ee_json_is_space(to[-1])) to--;
  if (to > from) s->before = to[-1];
}

/* Goes on to the next byte that matters in a container, outside its strings. Inlined for arrays, which spend most of
 * their time here. */
__attribute__((always_inline)) static inline void find_stop(ee_splitter *s, ee_str text) {
  static const bool stops[256] = {['"'] = true, ['{'] = true, ['}'] = true, ['['] = true, [']'] = true, ['\n'] = true};
  size_t at = s->scanned;
  while (at < text.length && !stops[(unsigned char)text.data[at]]) at++;
  s->scanned = at;
}

/* Passes the byte `c` that matters; of a ']' the level is closed already. */
__attribute__((always_inline)) static inline void pass_stop(ee_splitter *s, ee_block *block, char c) {
  if (c == '\n') pass_newline(s);
  s->scanned += 1;
  if (c == '"') {
    s->state = IN_STRING;
  } else if (c == '{' || c == '[') {
    open_container(s, c == '{');
  } else if (c == '}') {
    close_container(s, true);
  }
  if (s->depth == 0) end_element(s, block);
}

__attribute__((always_inline)) static inline void scan_container(ee_splitter *s, ee_block *block, ee_str text) {
  find_stop(s, text);
  if (s->scanned == text.length) return;
  char c = text.data[s->scanned];
  if (c == ']' && !close_container(s, false)) {
    /* The end of the whole array, although the element is not closed. */
    end_element(s, block);
    return;
  }
  pass_stop(s, block, c);
}

__attribute__((noinline)) static void scan_document(ee_splitter *s, ee_block *block, ee_str text) {
  size_t from = s->scanned;
  find_stop(s, text);
  note_before(s, text.data + from, text.data + s->scanned);
  if (s->scanned == text.length) return;
  char c = text.data[s->scanned];
  if (c == ']') (void)close_container(s, false);
  if (is_next_document(s, c))
    end_element(s, block);
  else
    pass_stop(s, block, c);
}

static void scan_string(ee_splitter *s, ee_block *block, ee_str text) {
  if (s->escaped) {
    s->escaped = false;
    if (text.data[s->scanned] != '\n') s->scanned += 1;
  }
  s->scanned += ee_json_plain_length(text.data + s->scanned, text.length - s->scanned);
  if (s->scanned == text.length) return;
  char c = text.data[s->scanned];
  if (c == '"' || c == '\n') {
    /* A string has no newline: one that lacks its quote ends here, so that it does not swallow the next records. */
    if (c == '\n') pass_newline(s);
    s->scanned += 1;
    s->state = IN_CONTAINER;
    if (s->depth == 0) end_element(s, block);
  } else {
    s->escaped = c == '\\';
    s->scanned += 1;
  }
}

static void scan_scalar(ee_splitter *s, ee_block *block, ee_str text) {
  while (s->scanned < text.length) {
    char c = text.data[s->scanned];
    /* Between documents, the rest of a line that is not JSON is one mistake. */
    if (s->documents ? c == '\n' : c == ',' || c == ']' || ee_json_is_space(c)) {
      end_element(s, block);
      return;
    }
    s->scanned += 1;
  }
}

static void end_elements(ee_splitter *s, ee_block *block) {
  switch (s->state) {
  case IN_CONTAINER:
  case IN_STRING:
  case IN_SCALAR:
    if (s->documents && s->state == IN_SCALAR) {
      end_element(s, block);
      break;
    }
    add_error(s, block, s->element_byte, s->element_line, 0,
              s->documents ? "the file ends in the document that starts here"
                           : "array is not closed: the file ends in the element that starts here");
    s->unended = true;
    break;
  case AT_FIRST:
  case AT_VALUE:
  case AT_COMMA:
    add_error_here(s, block, "array is not closed: expected ']' before the end of the file");
    s->unended = true;
    break;
  default: break;
  }
}

static void split_elements(ee_splitter *s, ee_block *block, bool at_end) {
  ee_str text = {block->text.data, block->text.length};
  while (s->scanned < text.length) {
    bool between = s->state == AT_FIRST || s->state == AT_VALUE || s->state == AT_COMMA || s->state == AT_DOCUMENT ||
                   s->state == AFTER_ARRAY;
    if (between) {
      skip_space(s, text);
      s->start = s->scanned;
      if (s->scanned == text.length) break;
    }
    switch (s->state) {
    case AT_FIRST:
    case AT_VALUE:
      if (!scan_value(s, block, text, at_end)) return;
      break;
    case AT_COMMA: scan_comma(s, block, text.data[s->scanned]); break;
    case AT_DOCUMENT: start_element(s, text.data[s->scanned]); break;
    case IN_CONTAINER:
      if (s->documents)
        scan_document(s, block, text);
      else
        scan_container(s, block, text);
      break;
    case IN_STRING: scan_string(s, block, text); break;
    case IN_SCALAR: scan_scalar(s, block, text); break;
    case AFTER_ARRAY:
      if (!s->inside) add_error_here(s, block, "text after the array");
      s->state = IGNORING;
      break;
    default: s->start = s->scanned = text.length; break;
    }
  }
  if (at_end) end_elements(s, block);
}

/* Files ----------------------------------------------------------------------------------------- */

/* Skips a byte order mark and white space, and decides between array and lines. */
static void sniff(ee_splitter *s, ee_block *block, bool at_end) {
  ee_str text = {block->text.data, block->text.length};
  if (s->state == AT_START) {
    if (text.length < 3 && !at_end) return;
    s->start = s->scanned = ee_mark_length(text);
    s->line_byte = s->scanned;
    s->state = SNIFFING;
  }
  skip_space(s, text);
  s->start = s->scanned;
  if (s->scanned == text.length) return;
  s->state = IN_LINES;
  if (s->documents) {
    s->state = AT_DOCUMENT;
  } else if (text.data[s->scanned] == '[') {
    s->scanned += 1;
    s->state = AT_FIRST;
  }
}

/* Drops the text of a record that is too long, with one error. (A line may end with a carriage return, which does not
 * count: hence the + 1.) */
static void limit_record(ee_splitter *s, ee_block *block) {
  size_t length = block->text.length;
  if (!s->skipping) {
    if (length - s->start <= limit_of(s) + 1) return;
    add_length_error(s, block, s->state == IN_LINES ? s->line : s->element_line);
    s->skipping = true;
  }
  s->text_byte += length - s->start;
  block->text.length = s->scanned = s->start;
}

static bool is_sniffing(const ee_splitter *s) { return s->state == AT_START || s->state == SNIFFING; }

void ee_splitter_run(ee_splitter *s, ee_block *block, bool at_end) {
  if (is_sniffing(s)) sniff(s, block, at_end);
  if (!is_sniffing(s)) {
    if (s->state == IN_LINES) {
      split_lines(s, block, at_end);
    } else {
      split_elements(s, block, at_end);
    }
    if (!at_end) limit_record(s, block);
  }
  if (at_end) ee_block_end_errors(block, s->errors, s->line);
  if (block->count > 0 || s->start == 0) return;
  /* No record points into the text, so the used part can be dropped. */
  memmove(block->text.data, block->text.data + s->start, block->text.length - s->start);
  block->text.length -= s->start;
  s->text_byte += s->start;
  s->scanned -= s->start;
  s->start = 0;
}

void ee_splitter_abandon(ee_splitter *s, ee_block *block, const char *message) {
  ee_block_add_last_error(block, s->text_byte + s->scanned, s->line, message);
  ee_block_end_errors(block, s->errors, s->line);
}

void ee_splitter_cut(ee_splitter *s, ee_block *block, ee_buffer *rest) {
  ee_buffer_add(rest, block->text.data + s->start, block->text.length - s->start);
  block->text.length = s->start;
  s->text_byte += s->start;
  s->scanned -= s->start;
  s->start = 0;
}
