/* data_part.c: the records of a part, and the lines before it. */
#include "data/files/data_part.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

/* Bytes that are read at a time to count lines. */

uint64_t ee_part_end(uint64_t size, uint64_t part, uint64_t of) {
  return (uint64_t)((unsigned __int128)size * part / of);
}

/* Records and errors --------------------------------------------------------------------------- */

static uint64_t place_of(const ee_file_part *part, uint64_t byte) {
  return part->places > 0 ? ee_part_end(part->size, byte, part->places) : byte;
}

/* Compared with the part's bounds. */
static bool is_before(const ee_file_part *part, uint64_t byte) { return byte < part->from; }
static bool is_behind(const ee_file_part *part, uint64_t byte) { return byte >= part->to; }

static void keep_errors(const ee_file_part *part, ee_block *block) {
  ee_error_list *errors = &block->errors;
  size_t kept = 0;
  for (size_t i = 0; i < errors->count; i++) {
    uint64_t byte = errors->items[i].offset;
    bool at_end = byte >= part->size; /* the last part has it */
    if (at_end ? part->to < part->size : is_before(part, byte) || is_behind(part, byte)) continue;
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
    ends = is_behind(part, place);
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

/* Lines ---------------------------------------------------------------------------------------- */

struct ee_line_base {
  const char *file;
  uint64_t byte;
  pthread_mutex_t lock;
  bool is_there, counted;
  uint64_t lines; /* before `byte` */
};

ee_line_base *ee_line_base_new(const char *file, bool is_there, uint64_t byte) {
  ee_line_base *base = ee_calloc(1, sizeof *base);
  base->file = file;
  base->is_there = is_there;
  base->byte = byte;
  pthread_mutex_init(&base->lock, NULL);
  return base;
}

void ee_line_base_free(ee_line_base *base) {
  if (base == NULL) return;
  pthread_mutex_destroy(&base->lock);
  ee_free(base);
}

bool ee_line_base_is_of(const ee_line_base *base, const char *file) { return base->file == file; }

static uint64_t count_newlines(const char *text, size_t length) {
  uint64_t lines = 0;
  for (size_t i = 0; i < length; i++) lines += text[i] == '\n';
  return lines;
}

/* A file that cannot be read to `byte` any more leaves the lines unknown. */
static void count_lines(ee_line_base *base) {
  int fd = open(base->file, O_RDONLY | O_CLOEXEC);
  char piece[16384]; /* not ee_malloc(), which may not return: there is a lock */
  uint64_t left = base->byte, lines = 0;
  while (fd >= 0 && left > 0) {
    ssize_t got = read(fd, piece, left < sizeof piece ? (size_t)left : sizeof piece);
    if (got <= 0) break;
    lines += count_newlines(piece, (size_t)got);
    left -= (uint64_t)got;
  }
  if (fd >= 0) close(fd);
  base->counted = true;
  base->lines = lines;
  base->is_there = left == 0;
}

uint64_t ee_line_base_line(ee_line_base *base, uint64_t line) {
  pthread_mutex_lock(&base->lock);
  if (base->is_there && !base->counted) count_lines(base);
  uint64_t found = base->is_there ? base->lines + line : 0;
  pthread_mutex_unlock(&base->lock);
  return found;
}
