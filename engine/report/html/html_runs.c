/* html_runs.c: rows of several runs, kept until all have been read, and joined. */
#include "report/html/html_runs.h"

#include <errno.h>
#include <unistd.h>

#include "base/hash_index.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/temporary_file.h"
#include "data/json/json_writer.h"

/* Text that is written at once. */
#define WRITE_BYTES ((size_t)256 * 1024)

typedef struct row_place {
  uint64_t offset;
  size_t length; /* 0: the run has no such row */
} row_place;

struct ee_html_runs {
  ee_held_file *file;
  uint64_t file_bytes; /* written */
  ee_buffer pending;
  size_t run_count;
  ee_arena arena; /* of the ids */
  ee_hash_index index;
  struct {
    EE_LIST(ee_str);
  } ids;
  struct {
    EE_LIST(row_place);
  } places; /* of case i and run r: i * run_count + r */
};

static ee_status file_error(ee_error *error, const char *what) { /* unreached: a failing call: make faults */
  /* unreached: as the line before */
  return ee_error_set(error, EE_ERROR_SYSTEM, "cannot %s a temporary file for the report (see TMPDIR): %s", what,
                      strerror(errno)); /* unreached: as the line before */
}

ee_html_runs *ee_html_runs_new(size_t count, ee_error *error) {
  ee_held_file *file = ee_held_file_new();
  if (file == NULL) {            /* unreached: no temporary file can be made: make faults */
    file_error(error, "create"); /* unreached: as the line before */
    return NULL;
  }
  ee_html_runs *self = ee_calloc(1, sizeof *self);
  self->file = file;
  self->run_count = count;
  ee_arena_init(&self->arena, 0);
  return self;
}

void ee_html_runs_free(ee_html_runs *self) {
  if (self == NULL) return;
  ee_held_file_close(self->file);
  ee_buffer_fini(&self->pending);
  ee_arena_fini(&self->arena);
  ee_hash_index_fini(&self->index);
  EE_LIST_FINI(&self->ids);
  EE_LIST_FINI(&self->places);
  ee_free(self);
}

/* The number of the case, which is added if it is new. */
static size_t case_of(ee_html_runs *self, ee_str id) {
  uint64_t hash = ee_hash_bytes(id.data, id.length, 0);
  size_t at = 0, number;
  while (ee_hash_index_next(&self->index, hash, &at, &number))
    if (ee_str_equal(self->ids.items[number], id)) return number; /* unreached: two ids of one hash */
  number = self->ids.count;
  *EE_LIST_ADD(&self->ids, NULL) = (ee_str){ee_arena_copy(&self->arena, id.data, id.length), id.length};
  for (size_t i = 0; i < self->run_count; i++) *EE_LIST_ADD(&self->places, NULL) = (row_place){0};
  ee_hash_index_add(&self->index, hash, number);
  return number;
}

static ee_status flush_pending(ee_html_runs *self, ee_error *error) {
  /* unreached: the disk is full: make faults */
  if (!ee_write_whole(ee_held_file_descriptor(self->file), self->pending.data, self->pending.length))
    return file_error(error, "write");
  self->file_bytes += self->pending.length;
  ee_buffer_clear(&self->pending);
  return EE_OK;
}

ee_status ee_html_runs_add(ee_html_runs *self, size_t run, const ee_stored_row *row, ee_error *error) {
  size_t number = case_of(self, row->id); /* may move the places */
  row_place *place = &self->places.items[number * self->run_count + run];
  if (place->length > 0) return EE_OK;
  size_t before = self->pending.length;
  ee_json_write_value(&self->pending, row->record);
  *place = (row_place){self->file_bytes + before, self->pending.length - before};
  return self->pending.length >= WRITE_BYTES ? flush_pending(self, error) : EE_OK;
}

static bool read_whole(int file, char *to, row_place place) {
  while (place.length > 0) {
    ssize_t got = pread(file, to, place.length, (off_t)place.offset);
    if (got < 0 && errno == EINTR) continue; /* unreached: a signal during a read */
    if (got <= 0) return false;              /* unreached: a read fails: make faults */
    to += got;
    place.offset += (uint64_t)got;
    place.length -= (size_t)got;
  }
  return true;
}

ee_status ee_html_runs_join(ee_html_runs *self, ee_html_cases *cases, ee_error *error) {
  ee_status status = flush_pending(self, error);
  ee_arena rows;
  ee_arena_init(&rows, 0);
  for (size_t i = 0; i < self->ids.count && status == EE_OK; i++) {
    ee_str *texts = EE_NEW_ARRAY(&rows, ee_str, self->run_count);
    for (size_t r = 0; r < self->run_count && status == EE_OK; r++) {
      row_place place = self->places.items[i * self->run_count + r];
      char *text = ee_arena_alloc(&rows, place.length);
      /* unreached: a read fails: make faults */
      if (!read_whole(ee_held_file_descriptor(self->file), text, place)) status = file_error(error, "read");
      texts[r] = (ee_str){text, place.length};
    }
    /* unreached: a read fails: make faults */
    if (status == EE_OK) status = ee_html_cases_add_runs(cases, texts, error);
    ee_arena_reset(&rows, (size_t)1 << 20);
  }
  ee_arena_fini(&rows);
  return status;
}
