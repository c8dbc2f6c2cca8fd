/* splitter.c: splits lines or an array; keeps its state between pieces of text. */
#include "data/files/splitter.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
  AFTER_ARRAY,  /* array: after ']' */
  IGNORING      /* array: after an error that follows ']' */
};

void ee_splitter_start(ee_splitter *splitter, size_t record_limit) {
  memset(splitter, 0, sizeof *splitter);
  splitter->state = AT_START;
  splitter->line = 1;
  splitter->record_limit = record_limit;
}

static void list_error(ee_block *block, uint64_t byte, uint64_t line, uint64_t column, const char *message) {
  ee_error error;
  ee_error_at(&error, EE_ERROR_DATA, block->file, (size_t)line, (size_t)column, "%s", message);
  error.offset = byte;
  ee_error_list_add(&block->errors, &error);
  block->unsplit += 1;
}

/* Adds an invalid record. A file of the wrong kind has one every few bytes, so only the first ones of a file are
 * listed, wherever its blocks begin. */
static void add_error(ee_splitter *s, ee_block *block, uint64_t byte, uint64_t line, uint64_t column,
                      const char *message) {
  s->errors += 1;
  if (s->errors <= EE_UNSPLIT_LISTED) {
    list_error(block, byte, line, column, message);
    return;
  }
  block->unlisted += 1;
  block->unsplit += 1;
}

static void add_length_error(ee_splitter *s, ee_block *block, uint64_t line) {
  char message[64];
  snprintf(message, sizeof message, "record longer than %zu bytes", s->record_limit);
  add_error(s, block, s->text_byte + s->start, line, 0, message);
}

/* At the end of the file: adds how many errors were not listed. */
static void report_unlisted(ee_splitter *s, ee_block *block) {
  if (s->errors <= EE_UNSPLIT_LISTED) return;
  ee_error error;
  ee_error_at(&error, EE_OK, block->file, (size_t)s->line, 0, "%" PRIu64 " more records could not be split off",
              s->errors - EE_UNSPLIT_LISTED);
  error.offset = UINT64_MAX;
  ee_error_list_add(&block->errors, &error);
}

static void add_record(ee_splitter *s, ee_block *block, size_t end, uint64_t line, uint64_t column) {
  if (s->skipping) {
    s->skipping = false;
    return;
  }
  if (end - s->start > s->record_limit) {
    add_length_error(s, block, line);
    return;
  }
  ee_block_add(block, (ee_record_span){.offset = s->start,
                                       .length = end - s->start,
                                       .line = line,
                                       .column = column,
                                       .byte = s->text_byte + s->start,
                                       .unlisted = block->unlisted});
  block->unlisted = 0;
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

/* Arrays --------------------------------------------------------------------------------------- */

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
  s->state = AT_COMMA;
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
  s->scanned += 1;
  s->state = IN_SCALAR;
  if (c == '{' || c == '[') {
    open_container(s, c == '{');
    s->state = IN_CONTAINER;
  } else if (c == '"') {
    s->state = IN_STRING;
  }
}

static void scan_value(ee_splitter *s, ee_block *block, char c) {
  if (c == ']') {
    if (s->state == AT_VALUE) add_error_here(s, block, "expected a value after ','");
    s->scanned += 1;
    s->state = AFTER_ARRAY;
  } else if (c == ',') {
    add_error_here(s, block, "expected a value before ','");
    s->scanned += 1;
    s->state = AT_VALUE;
  } else {
    start_element(s, c);
  }
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

static void scan_container(ee_splitter *s, ee_block *block, ee_str text) {
  /* The bytes that matter in a container, outside its strings. */
  static const bool stops[256] = {['"'] = true, ['{'] = true, ['}'] = true, ['['] = true, [']'] = true, ['\n'] = true};
  size_t at = s->scanned;
  while (at < text.length && !stops[(unsigned char)text.data[at]]) at++;
  s->scanned = at;
  if (at == text.length) return;
  char c = text.data[at];
  if (c == ']' && !close_container(s, false)) {
    /* The end of the whole array, although the element is not closed. */
    end_element(s, block);
    return;
  }
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
    if (c == ',' || c == ']' || ee_json_is_space(c)) {
      end_element(s, block);
      return;
    }
    s->scanned += 1;
  }
}

static void end_array(ee_splitter *s, ee_block *block) {
  switch (s->state) {
  case IN_CONTAINER:
  case IN_STRING:
  case IN_SCALAR:
    add_error(s, block, s->element_byte, s->element_line, 0,
              "array is not closed: the file ends in the element that starts here");
    break;
  case AT_FIRST:
  case AT_VALUE:
  case AT_COMMA: add_error_here(s, block, "array is not closed: expected ']' before the end of the file"); break;
  default: break;
  }
}

static void split_array(ee_splitter *s, ee_block *block, bool at_end) {
  ee_str text = {block->text.data, block->text.length};
  while (s->scanned < text.length) {
    bool between = s->state == AT_FIRST || s->state == AT_VALUE || s->state == AT_COMMA || s->state == AFTER_ARRAY;
    if (between) {
      skip_space(s, text);
      s->start = s->scanned;
      if (s->scanned == text.length) break;
    }
    switch (s->state) {
    case AT_FIRST:
    case AT_VALUE: scan_value(s, block, text.data[s->scanned]); break;
    case AT_COMMA: scan_comma(s, block, text.data[s->scanned]); break;
    case IN_CONTAINER: scan_container(s, block, text); break;
    case IN_STRING: scan_string(s, block, text); break;
    case IN_SCALAR: scan_scalar(s, block, text); break;
    case AFTER_ARRAY:
      add_error_here(s, block, "text after the array");
      s->state = IGNORING;
      break;
    default: s->start = s->scanned = text.length; break;
    }
  }
  if (at_end) end_array(s, block);
}

/* Files ----------------------------------------------------------------------------------------- */

/* Skips a byte order mark and white space, and decides between array and lines. */
static void sniff(ee_splitter *s, ee_block *block, bool at_end) {
  ee_str text = {block->text.data, block->text.length};
  if (s->state == AT_START) {
    if (text.length < 3 && !at_end) return;
    if (text.length >= 3 && memcmp(text.data, "\xef\xbb\xbf", 3) == 0) {
      s->start = s->scanned = 3;
      s->line_byte = 3;
    }
    s->state = SNIFFING;
  }
  skip_space(s, text);
  s->start = s->scanned;
  if (s->scanned == text.length) return;
  s->state = IN_LINES;
  if (text.data[s->scanned] == '[') {
    s->scanned += 1;
    s->state = AT_FIRST;
  }
}

/* Drops the text of a record that is too long, with one error. (A line may end with a carriage return, which does not
 * count: hence the + 1.) */
static void limit_record(ee_splitter *s, ee_block *block) {
  size_t length = block->text.length;
  if (!s->skipping) {
    if (length - s->start <= s->record_limit + 1) return;
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
      split_array(s, block, at_end);
    }
    if (!at_end) limit_record(s, block);
  }
  if (at_end) report_unlisted(s, block);
  if (block->count > 0 || s->start == 0) return;
  /* No record points into the text, so the used part can be dropped. */
  memmove(block->text.data, block->text.data + s->start, block->text.length - s->start);
  block->text.length -= s->start;
  s->text_byte += s->start;
  s->scanned -= s->start;
  s->start = 0;
}

void ee_splitter_abandon(ee_splitter *s, ee_block *block, const char *message) {
  list_error(block, s->text_byte + s->scanned, s->line, 0, message);
  report_unlisted(s, block);
}

void ee_splitter_cut(ee_splitter *s, ee_block *block, ee_buffer *rest) {
  ee_buffer_add(rest, block->text.data + s->start, block->text.length - s->start);
  block->text.length = s->start;
  s->text_byte += s->start;
  s->scanned -= s->start;
  s->start = 0;
}
