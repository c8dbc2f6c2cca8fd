/* block.c: the records and errors of a block. */
#include "data/files/block.h"

#include <inttypes.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/runtime.h"
#include "data/files/line_base.h"
#include "data/files/record.h"

void ee_block_init(ee_block *block) {
  memset(block, 0, sizeof *block);
  ee_buffer_init(&block->text);
  ee_error_list_init(&block->errors);
}

void ee_block_fini(ee_block *block) {
  ee_buffer_fini(&block->text);
  ee_error_list_fini(&block->errors);
  ee_free(block->records);
  memset(block, 0, sizeof *block);
}

void ee_block_add(ee_block *block, ee_record_span span) {
  if (block->count == block->capacity)
    block->records = ee_list_grow(NULL, block->records, block->count, &block->capacity, 1, sizeof span);
  span.unlisted = block->unlisted;
  block->unlisted = 0;
  block->records[block->count++] = span;
}

static void list_error(ee_block *block, uint64_t byte, uint64_t line, uint64_t column, const char *message) {
  ee_error error;
  ee_error_at(&error, EE_ERROR_DATA, block->file, (size_t)line, (size_t)column, "%s", message);
  error.offset = byte;
  ee_error_list_add(&block->errors, &error);
  block->unsplit += 1;
}

void ee_block_add_error(ee_block *block, uint64_t *count, uint64_t byte, uint64_t line, uint64_t column,
                        const char *message) {
  *count += 1;
  if (*count <= EE_UNSPLIT_LISTED) {
    list_error(block, byte, line, column, message);
    return;
  }
  block->unlisted += 1;
  block->unsplit += 1;
}

void ee_block_add_last_error(ee_block *block, uint64_t byte, uint64_t line, const char *message) {
  list_error(block, byte, line, 0, message);
}

void ee_block_end_errors(ee_block *block, uint64_t count, uint64_t line) {
  if (count <= EE_UNSPLIT_LISTED) return;
  ee_error error;
  ee_error_at(&error, EE_OK, block->file, (size_t)line, 0, "%" PRIu64 " more records could not be split off",
              count - EE_UNSPLIT_LISTED);
  error.offset = UINT64_MAX;
  ee_error_list_add(&block->errors, &error);
}

ee_str ee_block_given_id(const ee_block *block, const ee_record_span *span) {
  if (span->id_length == 0) return (ee_str){NULL, 0};
  return (ee_str){block->text.data + span->id, span->id_length};
}

ee_record_place ee_block_place(const ee_block *block, const ee_record_span *span) {
  return (ee_record_place){.given_id = ee_block_given_id(block, span),
                           .file = block->name,
                           .line = span->line,
                           .column = span->shares_line ? span->column : 0,
                           .byte = span->byte,
                           .before = block->before};
}

uint64_t ee_block_line(const ee_block *block, uint64_t line) {
  return block->before != NULL ? ee_line_base_line(block->before, line) : line;
}

void ee_block_place_error(const ee_block *block, ee_error *error) {
  if (error->line == 0) return; /* unreached: errors of records have lines */
  uint64_t line = ee_line_base_line(block->before, error->line);
  if (line > 0) {
    error->line = (size_t)line;
    return;
  }
  ee_error before = *error;
  ee_buffer place;
  ee_buffer_init(&place);
  ee_buffer_addf(&place, "%s@%" PRIu64, block->file, before.offset);
  ee_error_at(error, before.status, ee_buffer_terminate(&place), 0, 0, "%s", before.message);
  error->offset = before.offset;
  ee_buffer_fini(&place);
}
