/* expected_set.c: the texts of a file's records in one piece, and where each id stands in it. */
#include "data/expected_set.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "data/files/byte_source.h"
#include "data/files/capped_errors.h"
#include "data/files/case_file.h"
#include "data/files/splitter.h"
#include "data/json/json_reader.h"

/* Bytes of a record, as in data sets. */
#define RECORD_LIMIT ((size_t)1 << 30)
/* Bytes of an id in a message. */
#define ID_SHOWN 100
/* What the arena keeps from record to record while the file is read. */
#define ARENA_KEPT ((size_t)4 << 20)

typedef struct entry {
  uint64_t hash;
  size_t text, length;  /* of the record */
  size_t id, id_length; /* in `ids` */
  uint64_t line;
  bool asked; /* written atomically */
} entry;

struct ee_expected_set {
  char *file;
  ee_record_paths paths; /* borrowed */
  ee_coco *coco;
  ee_buffer text, ids;
  entry *entries;
  size_t count, capacity;
  size_t *slots;     /* an entry's number plus 1; 0: free */
  size_t slot_count; /* a power of two */
  uint64_t in_error;
};

/* Reading the file ----------------------------------------------------------------------------- */

/* The slot of `id`, or the free one where it belongs. */
static size_t *find_slot(const ee_expected_set *set, ee_str id, uint64_t hash) {
  size_t at = (size_t)hash & (set->slot_count - 1);
  for (; set->slots[at] != 0; at = (at + 1) & (set->slot_count - 1)) {
    const entry *found = &set->entries[set->slots[at] - 1];
    if (found->hash == hash && ee_str_equal((ee_str){set->ids.data + found->id, found->id_length}, id)) break;
  }
  return &set->slots[at];
}

static void grow_slots(ee_expected_set *set) {
  free(set->slots);
  set->slot_count = set->slot_count > 0 ? set->slot_count * 2 : 1024;
  set->slots = ee_calloc(set->slot_count, sizeof *set->slots);
  for (size_t i = 0; i < set->count; i++) {
    size_t at = (size_t)set->entries[i].hash & (set->slot_count - 1);
    while (set->slots[at] != 0) at = (at + 1) & (set->slot_count - 1);
    set->slots[at] = i + 1;
  }
}

/* Adds a record; false, with `*first`, when its id was there before. */
static bool add_entry(ee_expected_set *set, ee_str id, const ee_record_span *span, const entry **first) {
  if (2 * (set->count + 1) > set->slot_count) grow_slots(set);
  uint64_t hash = ee_hash_bytes(id.data, id.length, 0);
  size_t *slot = find_slot(set, id, hash);
  if (*slot != 0) {
    *first = &set->entries[*slot - 1];
    return false;
  }
  if (set->count == set->capacity) {
    set->capacity = set->capacity > 0 ? set->capacity * 2 : 256;
    set->entries = ee_realloc(set->entries, set->capacity, sizeof *set->entries);
  }
  set->entries[set->count++] = (entry){.hash = hash,
                                       .text = span->offset,
                                       .length = span->length,
                                       .id = set->ids.length,
                                       .id_length = id.length,
                                       .line = span->line};
  *slot = set->count;
  ee_buffer_add_str(&set->ids, id);
  ee_buffer_reserve(&set->ids, 1); /* there is a buffer, even when all ids are empty */
  return true;
}

/* Duplicate keys of the record that is being read. Lines are counted on from the last one. */
typedef struct key_watch {
  ee_capped_errors *told;
  const ee_record_span *span;
  const char *text;
  size_t scanned, line_start;
  uint64_t lines;
} key_watch;

static void on_duplicate_key(void *user, ee_str key, size_t offset) {
  key_watch *watch = user;
  if (offset < watch->scanned) watch->scanned = watch->line_start = watch->lines = 0;
  for (; watch->scanned < offset; watch->scanned++) {
    if (watch->text[watch->scanned] != '\n') continue;
    watch->lines++;
    watch->line_start = watch->scanned + 1;
  }
  uint64_t before = watch->lines == 0 ? watch->span->column - 1 : 0;
  ee_capped_errors_warn(watch->told, watch->span->line + watch->lines, before + offset - watch->line_start + 1,
                        "duplicate key '%.*s', the last one counts", (int)ee_utf8_cut(key, ID_SHOWN),
                        key.length > 0 ? key.data : "");
}

static void read_record(ee_expected_set *set, const ee_record_span *span, ee_arena *arena, ee_capped_errors *told) {
  ee_str text = {set->text.data + span->offset, span->length};
  key_watch watch = {.told = told, .span = span, .text = text.data};
  ee_json_options options = {.on_duplicate_key = on_duplicate_key, .user = &watch};
  ee_error error;
  const ee_value *record = ee_json_read(arena, text, &options, &error), *expected;
  if (record == NULL) {
    uint64_t before = error.line <= 1 ? span->column - 1 : 0;
    ee_capped_errors_add(told, span->line + (error.line > 0 ? error.line - 1 : 0), before + error.column, "%s",
                         error.message);
    return;
  }
  ee_str id;
  const entry *first;
  if (ee_record_read_expected(record, &set->paths, arena, &id, &expected, &error) != EE_OK) {
    ee_capped_errors_add(told, span->line, 0, "%s", error.message);
  } else if (id.data == NULL) {
    ee_capped_errors_add(told, span->line, 0, "record has no id");
  } else if (!add_entry(set, id, span, &first)) {
    ee_capped_errors_add(told, span->line, 0, "duplicate id '%.*s' (first at line %" PRIu64 ")",
                         (int)ee_utf8_cut(id, ID_SHOWN), id.data, first->line);
  }
}

/* Tells what is no record; all of it is counted. */
static void tell_unsplit(const ee_block *block, ee_capped_errors *told) {
  for (size_t i = 0; i < block->errors.count; i++) {
    const ee_error *error = &block->errors.items[i];
    if (error->status != EE_OK) ee_capped_errors_add(told, error->line, error->column, "%s", error->message);
  }
  if (told->count < block->unsplit) told->count = block->unsplit;
}

/* Indexes the records that `block` says to be in the text. */
static void index_records(ee_expected_set *set, const ee_block *block, ee_capped_errors *told) {
  tell_unsplit(block, told);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (size_t i = 0; i < block->count; i++) {
    read_record(set, &block->records[i], &arena, told);
    ee_arena_reset(&arena, ARENA_KEPT);
  }
  ee_arena_fini(&arena);
}

/* Indexes the records of the text. `damage`: why the text ends early; NULL: it does not. */
static void read_records(ee_expected_set *set, const char *damage, ee_capped_errors *told) {
  ee_block block;
  ee_block_init(&block);
  block.text = set->text;
  block.file = set->file;
  ee_splitter splitter;
  ee_splitter_start(&splitter, RECORD_LIMIT);
  ee_splitter_run(&splitter, &block, damage == NULL);
  if (damage != NULL) ee_splitter_abandon(&splitter, &block, damage);
  set->text = block.text; /* it may have been moved */
  ee_buffer_init(&block.text);
  index_records(set, &block, told);
  ee_block_fini(&block);
}

/* The end of reading a file of records. */
static ee_status finish(ee_expected_set *set, ee_capped_errors *told, ee_error *error) {
  ee_capped_errors_end(told, "records");
  set->in_error = told->count;
  if (set->count > 0) return EE_OK;
  return ee_error_set(error, EE_ERROR_DATA, "nothing in '%s' is a record with an id and an expected value", set->file);
}

/* A YAML data set: its cases are the records. */
static ee_status read_cases(ee_expected_set *set, const volatile sig_atomic_t *interrupt, ee_error_list *errors,
                            ee_error *error) {
  ee_case_file *file = ee_case_file_open(set->file, interrupt, error);
  if (file == NULL) return error->status;
  ee_block block;
  ee_block_init(&block);
  ee_case_file_fill(file, 0, SIZE_MAX, &block);
  ee_case_file_close(file);
  set->text = block.text;
  ee_buffer_init(&block.text);
  ee_capped_errors told = {.list = errors, .file = set->file};
  index_records(set, &block, &told);
  ee_block_fini(&block);
  return finish(set, &told, error);
}

static ee_status read_set(ee_expected_set *set, ee_byte_source *source, ee_error_list *errors, ee_error *error) {
  ee_status status = ee_coco_read(source, set->file, &set->text, &set->coco, errors, error);
  if (status != EE_OK) return status;
  if (set->coco != NULL) {
    ee_buffer_fini(&set->text);
    set->in_error = ee_coco_count(set->coco).truths_in_error;
    return EE_OK;
  }
  status = ee_byte_source_read_rest(source, SIZE_MAX, &set->text, error);
  if (status == EE_ERROR_SYSTEM) return status;
  ee_capped_errors told = {.list = errors, .file = set->file};
  read_records(set, status == EE_ERROR_DATA ? error->message : NULL, &told);
  return finish(set, &told, error);
}

static ee_status open_set(ee_expected_set *set, const volatile sig_atomic_t *interrupt, ee_error_list *errors,
                          ee_error *error) {
  if (ee_is_yaml_name(set->file)) return read_cases(set, interrupt, errors, error);
  ee_byte_source *source = ee_byte_source_open(set->file, error);
  if (source == NULL) return EE_ERROR_SYSTEM;
  ee_byte_source_set_interrupt(source, interrupt);
  ee_status status = read_set(set, source, errors, error);
  ee_byte_source_close(source);
  return status;
}

ee_expected_set *ee_expected_set_open(const char *file, const ee_record_paths *paths,
                                      const volatile sig_atomic_t *interrupt, ee_error_list *errors, ee_error *error) {
  ee_expected_set *set = ee_calloc(1, sizeof *set);
  size_t size = strlen(file) + 1;
  set->file = memcpy(ee_malloc(size), file, size);
  if (paths != NULL) set->paths = *paths;
  ee_error kept; /* the message of damaged data is needed in any case */
  ee_status status = open_set(set, interrupt, errors, &kept);
  if (status == EE_OK) return set;
  if (error != NULL) *error = kept;
  ee_expected_set_close(set);
  return NULL;
}

void ee_expected_set_close(ee_expected_set *set) {
  if (set == NULL) return;
  ee_coco_free(set->coco);
  ee_buffer_fini(&set->text);
  ee_buffer_fini(&set->ids);
  free(set->entries);
  free(set->slots);
  free(set->file);
  free(set);
}

/* Asking --------------------------------------------------------------------------------------- */

size_t ee_expected_set_count(const ee_expected_set *set) {
  return set->coco != NULL ? (size_t)ee_coco_count(set->coco).images : set->count;
}

uint64_t ee_expected_set_in_error(const ee_expected_set *set) { return set->in_error; }

ee_coco *ee_expected_set_coco(const ee_expected_set *set) { return set->coco; }

const ee_value *ee_expected_set_find(ee_expected_set *set, ee_str id, ee_arena *arena) {
  if (set->count == 0) return NULL;
  size_t number = *find_slot(set, id, ee_hash_bytes(id.data, id.length, 0));
  if (number == 0) return NULL;
  entry *found = &set->entries[number - 1];
  __atomic_store_n(&found->asked, true, __ATOMIC_RELAXED);
  const ee_value *record = ee_json_read(arena, (ee_str){set->text.data + found->text, found->length}, NULL, NULL),
                 *expected;
  ee_str ignored;
  /* It was read before, when the file was opened. */
  return ee_record_read_expected(record, &set->paths, arena, &ignored, &expected, NULL) == EE_OK ? expected : NULL;
}

ee_status ee_expected_set_read(ee_expected_set *set, const ee_value *record, const ee_record_paths *paths, size_t line,
                               ee_arena *arena, ee_case *out, ee_error *error) {
  if (set == NULL) return ee_record_read(record, paths, line, arena, out, error);
  if (set->coco != NULL) return ee_record_read(record, NULL, line, arena, out, error);
  ee_status status = ee_record_read_answer(record, paths, line, arena, out, error);
  if (status != EE_OK) return status;
  out->expected = ee_expected_set_find(set, out->id, arena);
  if (out->expected != NULL) return EE_OK;
  return ee_error_set(error, EE_ERROR_DATA, "no expected value for id '%.*s' in '%s'",
                      (int)ee_utf8_cut(out->id, ID_SHOWN), out->id.data, set->file);
}

size_t ee_expected_set_unused(const ee_expected_set *set, size_t limit, ee_arena *arena, const ee_str **ids) {
  ee_str *list = EE_NEW_ARRAY(arena, ee_str, limit);
  size_t count = 0;
  for (size_t i = 0; i < set->count; i++) {
    const entry *at = &set->entries[i];
    if (__atomic_load_n(&at->asked, __ATOMIC_RELAXED)) continue;
    if (count < limit) list[count] = (ee_str){set->ids.data + at->id, at->id_length};
    count++;
  }
  *ids = list;
  return count;
}
