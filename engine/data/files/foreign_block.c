/* foreign_block.c: record by record, into a second text. */
#include "data/files/foreign_block.h"

/* What is kept of the arena from record to record. */
#define ARENA_KEPT ((size_t)4 << 20)

void ee_foreign_blocks_init(ee_foreign_blocks *self, const ee_foreign_use *use) {
  *self = (ee_foreign_blocks){.use = use};
  ee_arena_init(&self->arena, 0);
  ee_buffer_init(&self->text);
}

void ee_foreign_blocks_fini(ee_foreign_blocks *self) {
  ee_arena_fini(&self->arena);
  ee_buffer_fini(&self->text);
}

/* Adds the error of a record, in the order of the file, as the reader of the block expects it. */
static void add_error(ee_foreign_blocks *self, ee_block *block, const ee_record_span *span, const char *message) {
  size_t at = block->errors.count;
  ee_block_add_error(block, &self->errors, span->byte, span->line, span->column, message);
  for (; at > 0 && at < block->errors.count && block->errors.items[at - 1].offset > span->byte; at--) {
    ee_error before = block->errors.items[at - 1];
    block->errors.items[at - 1] = block->errors.items[at];
    block->errors.items[at] = before;
  }
}

void ee_foreign_blocks_convert(ee_foreign_blocks *self, ee_block *block, bool at_end) {
  ee_buffer_clear(&self->text);
  size_t kept = 0;
  uint64_t unlisted = 0, after = block->unlisted;
  for (size_t i = 0; i < block->count; i++) {
    ee_record_span span = block->records[i];
    ee_error error;
    ee_foreign_reading reading = {.use = self->use,
                                  .seen = &self->seen,
                                  .line = ee_block_line(block, span.line),
                                  .given_id = ee_block_given_id(block, &span),
                                  .arena = &self->arena,
                                  .out = &self->text};
    size_t start = self->text.length;
    ee_str given_id = reading.given_id;
    unlisted += span.unlisted;
    ee_foreign_result result =
        ee_foreign_convert(&reading, (ee_str){block->text.data + span.offset, span.length}, &error);
    ee_arena_reset(&self->arena, ARENA_KEPT);
    if (result == EE_FOREIGN_BROKEN) {
      block->unlisted = 0;
      add_error(self, block, &span, error.message);
      unlisted += block->unlisted;
    }
    if (result != EE_FOREIGN_RECORD) continue;
    span.offset = start;
    span.length = self->text.length - start;
    span.id = self->text.length;
    ee_buffer_add_str(&self->text, given_id);
    span.unlisted = unlisted;
    unlisted = 0;
    block->records[kept++] = span;
  }
  ee_buffer converted = self->text;
  self->text = block->text;
  block->text = converted;
  block->count = kept;
  block->unlisted = after + unlisted;
  if (!at_end) return;
  ee_block_end_errors(block, self->errors, 0);
  self->errors = 0;
}
