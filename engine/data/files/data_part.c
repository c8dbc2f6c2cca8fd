/* data_part.c: the records of a part. */
#include "data/files/data_part.h"

uint64_t ee_part_end(uint64_t size, uint64_t part, uint64_t of) {
  return (uint64_t)((unsigned __int128)size * part / of);
}

/* Records and errors --------------------------------------------------------------------------- */

static uint64_t place_of(const ee_file_part *part, uint64_t byte) {
  return part->places > 0 ? ee_part_end(part->size, byte, part->places) : byte;
}

/* Compared with the part's bounds. */
static bool is_before(const ee_file_part *part, uint64_t byte) { return byte < part->from; }
static bool is_after(const ee_file_part *part, uint64_t byte) { return byte >= part->to; }

static void keep_errors(const ee_file_part *part, ee_block *block) {
  ee_error_list *errors = &block->errors;
  size_t kept = 0;
  for (size_t i = 0; i < errors->count; i++) {
    uint64_t byte = errors->items[i].offset;
    bool at_end = byte >= part->size; /* the last part has it */
    if (at_end ? part->to < part->size : is_before(part, byte) || is_after(part, byte)) continue;
    if (errors->items[i].status != EE_OK) block->unsplit++;
    if (kept != i) errors->items[kept] = errors->items[i];
    kept++;
  }
  errors->count = kept;
}

bool ee_file_part_keep(ee_file_part *part, ee_block *block, bool at_end) {
  size_t kept = 0;
  bool ends = false;
  block->unsplit = 0;
  for (size_t i = 0; i < block->count && !ends; i++) {
    ee_record_span span = block->records[i];
    uint64_t place = place_of(part, span.byte);
    /* Errors that are only counted have no place: they go with the next record. */
    span.unlisted += part->unlisted;
    part->unlisted = 0;
    ends = is_after(part, place);
    if (ends || is_before(part, place)) continue;
    block->unsplit += span.unlisted;
    block->records[kept++] = span;
  }
  if (!ends) part->unlisted += block->unlisted;
  block->count = kept;
  block->unlisted = 0;
  if (at_end && !ends && part->to == part->size) {
    block->unlisted = part->unlisted;
    block->unsplit += part->unlisted;
  }
  keep_errors(part, block);
  return ends;
}
