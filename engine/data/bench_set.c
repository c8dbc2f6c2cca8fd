/* bench_set.c: all records of the bench's files, checked together. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "data/bench_record.h"
#include "data/files/dataset.h"
#include "data/json/json_equal.h"
#include "data/json/json_reader.h"

/* Bytes of a caseId in a message. */
#define ID_SHOWN 100

/* Where each caseId stands: a record's number + 1 by the hash of its id. */
typedef struct id_table {
  size_t *slots;
  size_t mask;
} id_table;

typedef struct reading {
  ee_bench_set *set;
  size_t capacity;
  id_table ids;
  ee_error_list *errors;
} reading;

static size_t *find_slot(const reading *self, ee_str id) {
  size_t at = (size_t)ee_hash_bytes(id.data, id.length, 0) & self->ids.mask;
  while (self->ids.slots[at] != 0 && !ee_str_equal(self->set->records[self->ids.slots[at] - 1].case_id, id))
    at = (at + 1) & self->ids.mask;
  return &self->ids.slots[at];
}

static void grow(reading *self) {
  ee_bench_set *set = self->set;
  if (set->count == self->capacity) {
    self->capacity = self->capacity > 0 ? self->capacity * 2 : 64;
    set->records = ee_realloc(set->records, self->capacity, sizeof *set->records);
  }
  if (2 * (set->count + 1) <= self->ids.mask) return;
  size_t slots = self->ids.mask > 0 ? (self->ids.mask + 1) * 2 : 256;
  free(self->ids.slots);
  self->ids = (id_table){ee_calloc(slots, sizeof *self->ids.slots), slots - 1};
  for (size_t i = 0; i < set->count; i++) *find_slot(self, set->records[i].case_id) = i + 1;
}

static void add(reading *self, const ee_bench_record *record) {
  grow(self);
  size_t *slot = find_slot(self, record->case_id);
  if (*slot != 0) {
    const ee_bench_record *first = &self->set->records[*slot - 1];
    ee_error_list_addf(self->errors, EE_ERROR_RULES, record->file, record->line,
                       "caseId '%.*s' is there already (%s:%zu)", (int)ee_utf8_cut(record->case_id, ID_SHOWN),
                       record->case_id.data, first->file, first->line);
    return;
  }
  self->set->records[self->set->count++] = *record;
  *slot = self->set->count;
}

/* The last of equal keys would win: in a record of which every key counts, that is a mistake. */
typedef struct key_watch {
  reading *self;
  const char *file;
  size_t line;
} key_watch;

static void on_duplicate_key(void *user, ee_str key, size_t offset) {
  (void)offset;
  const key_watch *watch = user;
  ee_error_list_addf(watch->self->errors, EE_ERROR_RULES, watch->file, watch->line, "key '%.*s' stands there twice",
                     (int)ee_utf8_cut(key, ID_SHOWN), key.length > 0 ? key.data : "");
}

static void read_span(reading *self, const ee_block *block, const ee_record_span *span, const char *file) {
  ee_bench_set *set = self->set;
  ee_error error;
  key_watch watch = {self, file, (size_t)span->line};
  ee_json_options options = {.on_duplicate_key = on_duplicate_key, .user = &watch};
  const ee_value *record =
      ee_json_read(&set->arena, (ee_str){block->text.data + span->offset, span->length}, &options, &error);
  if (record == NULL) {
    size_t column = error.line <= 1 ? error.column + (size_t)span->column - 1 : error.column;
    ee_error placed;
    ee_error_at(&placed, EE_ERROR_RULES, file, (size_t)span->line + (error.line > 0 ? error.line - 1 : 0), column, "%s",
                error.message);
    ee_error_list_add(self->errors, &placed);
    return;
  }
  ee_bench_record read;
  /* Not ee_value_hash(): a schema with "const": null is another one than without. */
  set->hash = ee_hash_mix(set->hash) ^ ee_json_hash(record);
  /* A record in error is not kept, and its id is not compared with others: it may be what is wrong. */
  if (ee_bench_record_read(record, file, (size_t)span->line, &set->arena, &read, self->errors)) add(self, &read);
}

static ee_status read_file(reading *self, const char *name, ee_error *error) {
  ee_dataset *dataset = ee_dataset_open(&name, 1, error);
  if (dataset == NULL) return EE_ERROR_SYSTEM;
  const char *file = ee_arena_copy(&self->set->arena, name, strlen(name));
  ee_block block;
  ee_block_init(&block);
  bool done = false;
  ee_status status;
  while ((status = ee_dataset_next(dataset, &block, &done, error)) == EE_OK && !done) {
    for (size_t i = 0; i < block.errors.count; i++) {
      ee_error failure = block.errors.items[i];
      if (failure.status != EE_OK) failure.status = EE_ERROR_RULES;
      ee_error_list_add(self->errors, &failure);
    }
    for (size_t i = 0; i < block.count; i++) read_span(self, &block, &block.records[i], file);
  }
  ee_block_fini(&block);
  ee_dataset_close(dataset);
  return status;
}

static bool has_mistake(const ee_error_list *errors) {
  for (size_t i = 0; i < errors->count; i++)
    if (errors->items[i].status != EE_OK) return true;
  return false;
}

ee_status ee_bench_set_open(const char *const *files, size_t count, ee_bench_set *set, ee_error_list *errors,
                            ee_error *error) {
  *set = (ee_bench_set){0};
  ee_arena_init(&set->arena, 0);
  reading self = {.set = set, .errors = errors};
  ee_status status = EE_OK;
  for (size_t i = 0; i < count && status == EE_OK; i++) status = read_file(&self, files[i], error);
  free(self.ids.slots);
  if (status != EE_OK) return status;
  if (has_mistake(errors)) return ee_error_set(error, EE_ERROR_RULES, "records of the bench are invalid");
  return EE_OK;
}

void ee_bench_set_close(ee_bench_set *set) {
  ee_arena_fini(&set->arena);
  free(set->records);
  *set = (ee_bench_set){0};
}
