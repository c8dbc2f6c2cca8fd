/* sentence_reader.c: lines are added to a sentence until a blank one ends it. */
#include "data/files/sentence_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "data/files/file_shape.h"

struct ee_sentence_reader {
  size_t record_limit;
  const char *prefix;
  ee_buffer line;     /* that is not complete */
  ee_buffer sentence; /* the lines so far */
  size_t tokens;      /* lines of the sentence that are not comments */
  bool too_long;
  uint64_t number;                 /* sentences so far */
  uint64_t line_number, byte;      /* of the line, from 1; and where it begins in the file */
  uint64_t line_passed;            /* bytes of it in earlier pieces */
  uint64_t first_line, first_byte; /* of the sentence */
  uint64_t errors;
};

ee_sentence_reader *ee_sentence_reader_new(size_t record_limit, const char *prefix) {
  ee_sentence_reader *reader = ee_calloc(1, sizeof *reader);
  reader->record_limit = record_limit;
  reader->prefix = prefix;
  reader->line_number = 1;
  ee_buffer_init(&reader->line);
  ee_buffer_init(&reader->sentence);
  return reader;
}

void ee_sentence_reader_free(ee_sentence_reader *reader) {
  if (reader == NULL) return;
  ee_buffer_fini(&reader->line);
  ee_buffer_fini(&reader->sentence);
  ee_free(reader);
}

static void end_sentence(ee_sentence_reader *r, ee_block *block) {
  if (r->too_long) {
    char message[100], limit[EE_BOUND_TEXT];
    r->number += 1;
    snprintf(message, sizeof message, "sentence longer than %s (--max-record)", ee_size_text(r->record_limit, limit));
    ee_block_add_error(block, &r->errors, r->first_byte, r->first_line, 0, message);
  } else if (r->tokens > 0) {
    ee_record_span span = {.offset = block->text.length,
                           .length = r->sentence.length,
                           .line = r->first_line,
                           .column = 1,
                           .byte = r->first_byte};
    ee_buffer_add(&block->text, r->sentence.data, r->sentence.length);
    span.id = block->text.length;
    if (r->prefix != NULL) ee_buffer_addf(&block->text, "%s:", r->prefix);
    ee_buffer_addf(&block->text, "%" PRIu64, ++r->number);
    span.id_length = block->text.length - span.id;
    ee_block_add(block, span);
  }
  ee_buffer_clear(&r->sentence);
  r->tokens = 0;
  r->too_long = false;
}

static const char document_start[] = "-DOCSTART-";

static bool is_document_start(ee_str line) {
  size_t length = sizeof document_start - 1;
  return line.length >= length && memcmp(line.data, document_start, length) == 0;
}

/* A whole line, without its end. */
static void add_line(ee_sentence_reader *r, ee_str line, ee_block *block) {
  if (r->line_number == 1) {
    size_t mark = ee_mark_length(line);
    line = (ee_str){line.data + mark, line.length - mark};
  }
  if (ee_str_trim(line).length == 0 || is_document_start(line)) {
    end_sentence(r, block);
    return;
  }
  if (r->sentence.length == 0 && !r->too_long) {
    r->first_line = r->line_number;
    r->first_byte = r->byte;
  }
  if (r->too_long || r->sentence.length + (r->sentence.length > 0) + line.length > r->record_limit) {
    r->too_long = true;
    return;
  }
  bool comment = line.length > 1 && line.data[0] == '#' && (line.data[1] == ' ' || line.data[1] == '\t');
  r->tokens += !comment;
  if (r->sentence.length > 0) ee_buffer_add_char(&r->sentence, '\n');
  ee_buffer_add_str(&r->sentence, line);
}

/* Of a line that is too long, only so much is kept that it stays so, also without a byte order mark, and that a
 * document's start is known. */
static void keep_rest(ee_sentence_reader *r, ee_str rest) {
  size_t most = r->record_limit + 4 + sizeof document_start, room = most > r->line.length ? most - r->line.length : 0;
  ee_buffer_add(&r->line, rest.data, rest.length < room ? rest.length : room);
}

void ee_sentence_reader_run(ee_sentence_reader *r, ee_str piece, ee_block *block) {
  while (piece.length > 0) {
    const char *newline = memchr(piece.data, '\n', piece.length);
    if (newline == NULL) {
      keep_rest(r, piece);
      r->line_passed += piece.length;
      return;
    }
    ee_str line = {piece.data, (size_t)(newline - piece.data)};
    size_t used = line.length + 1;
    if (r->line_passed > 0) {
      keep_rest(r, line);
      line = (ee_str){r->line.data, r->line.length};
    }
    add_line(r, line, block);
    ee_buffer_clear(&r->line);
    r->byte += r->line_passed + used;
    r->line_passed = 0;
    r->line_number += 1;
    piece = (ee_str){newline + 1, piece.length - used};
  }
}

void ee_sentence_reader_end(ee_sentence_reader *r, const char *damage, ee_block *block) {
  if (damage != NULL) {
    ee_block_add_last_error(block, UINT64_MAX - 1, r->line_number, damage);
  } else {
    if (r->line.length > 0) add_line(r, (ee_str){r->line.data, r->line.length}, block);
    end_sentence(r, block);
  }
  ee_block_end_errors(block, r->errors, r->line_number);
}
