/* expected_set.c: keeps the text of a file of records and where each id's record is in it. */
#include "data/expected_set.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/list.h"
#include "base/memory.h"
#include "data/files/byte_source.h"
#include "data/files/capped_errors.h"
#include "data/files/case_file.h"
#include "data/files/splitter.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"

/* Bytes of a record; the same as in data sets. */
#define RECORD_LIMIT ((size_t)1 << 30)
/* Bytes of an id in a message. */
#define ID_SHOWN 100
/* Bytes that the arena keeps from record to record. */
#define ARENA_KEPT ((size_t)4 << 20)

typedef struct entry {
  size_t text, length;  /* of the record */
  size_t id, id_length; /* in `ids` */
  uint64_t line;
  bool used; /* written atomically */
} entry;

struct ee_expected_set {
  char *file;
  ee_record_paths paths; /* borrowed */
  ee_coco *coco;
  ee_buffer text, ids;
  EE_LIST(entry);
  ee_hash_index index; /* of `items`, by id */
  uint64_t in_error;
};

/* Reading the file ----------------------------------------------------------------------------- */

static ee_str id_of(const ee_expected_set *set, const entry *at) {
  return (ee_str){set->ids.data + at->id, at->id_length};
}

static entry *find_entry(const ee_expected_set *set, ee_str id, uint64_t hash) {
  size_t at = 0, number;
  while (ee_hash_index_next(&set->index, hash, &at, &number)) {
    entry *found = &set->items[number];
    if (ee_str_equal(id_of(set, found), id)) return found;
  }
  return NULL;
}

/* Adds a record. NULL, or the earlier record with its id. */
static const entry *add_entry(ee_expected_set *set, ee_str id, const ee_record_span *span) {
  uint64_t hash = ee_hash_bytes(id.data, id.length, 0);
  const entry *first = find_entry(set, id, hash);
  if (first != NULL) return first;
  ee_hash_index_add(&set->index, hash, set->count);
  *EE_LIST_ADD(set, NULL) = (entry){
      .text = span->offset, .length = span->length, .id = set->ids.length, .id_length = id.length, .line = span->line};
  ee_buffer_add_str(&set->ids, id);
  ee_buffer_reserve(&set->ids, 1); /* so that `data` is not NULL when all ids are empty */
  return NULL;
}

/* Finds the places of a record's duplicate keys. Lines are counted up to `scanned`. */
typedef struct key_watch {
  ee_capped_errors *errors;
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
  ee_capped_errors_warn(watch->errors, watch->span->line + watch->lines, before + offset - watch->line_start + 1,
                        "duplicate key '%.*s', the last one counts", (int)ee_utf8_cut(key, ID_SHOWN),
                        key.length > 0 ? key.data : "");
}

static void read_record(ee_expected_set *set, const ee_record_span *span, ee_str given_id, ee_arena *arena,
                        ee_capped_errors *errors) {
  ee_str text = {set->text.data + span->offset, span->length};
  key_watch watch = {.errors = errors, .span = span, .text = text.data};
  ee_json_options options = {.on_duplicate_key = on_duplicate_key, .user = &watch};
  ee_error error;
  const ee_value *record = ee_json_read(arena, text, &options, &error), *expected;
  if (record == NULL) {
    uint64_t before = error.line <= 1 ? span->column - 1 : 0;
    ee_capped_errors_add(errors, span->line + (error.line > 0 ? error.line - 1 : 0), before + error.column, "%s",
                         error.message);
    return;
  }
  ee_str id;
  const entry *first;
  if (ee_record_read_expected(record, &set->paths, given_id, arena, &id, &expected, &error) != EE_OK) {
    ee_capped_errors_add(errors, span->line, 0, "%s", error.message);
  } else if ((first = add_entry(set, id, span)) != NULL) {
    ee_capped_errors_add(errors, span->line, 0, "duplicate id '%.*s' (first at line %" PRIu64 ")",
                         (int)ee_utf8_cut(id, ID_SHOWN), id.data, first->line);
  }
}

/* Reports what could not be split into records. */
static void report_unsplit(const ee_block *block, ee_capped_errors *errors) {
  for (size_t i = 0; i < block->errors.count; i++) {
    const ee_error *error = &block->errors.items[i];
    if (error->status != EE_OK) ee_capped_errors_add(errors, error->line, error->column, "%s", error->message);
  }
  if (errors->count < block->unsplit) errors->count = block->unsplit;
}

/* Indexes the records that `block` lists. */
static void index_records(ee_expected_set *set, const ee_block *block, ee_capped_errors *errors) {
  report_unsplit(block, errors);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_block given = {.text = set->text}; /* which has the block's text by now */
  for (size_t i = 0; i < block->count; i++) {
    read_record(set, &block->records[i], ee_block_given_id(&given, &block->records[i]), &arena, errors);
    ee_arena_reset(&arena, ARENA_KEPT);
  }
  ee_arena_fini(&arena);
}

/* Indexes the records of the text. `damage`: why the text ends early; NULL when it is whole. */
static void read_records(ee_expected_set *set, const char *damage, ee_capped_errors *errors) {
  ee_block block;
  ee_block_init(&block);
  block.text = set->text;
  block.file = set->file;
  ee_splitter splitter;
  ee_splitter_start(&splitter, RECORD_LIMIT);
  ee_splitter_run(&splitter, &block, damage == NULL);
  if (damage != NULL) ee_splitter_abandon(&splitter, &block, damage);
  set->text = block.text; /* the splitter may have moved it */
  ee_buffer_init(&block.text);
  index_records(set, &block, errors);
  ee_block_fini(&block);
}

static ee_status finish(ee_expected_set *set, ee_capped_errors *errors, ee_error *error) {
  ee_capped_errors_end(errors, "records");
  set->in_error = errors->count;
  if (set->count > 0) return EE_OK;
  ee_buffer ids, values;
  ee_buffer_init(&ids);
  ee_buffer_init(&values);
  ee_record_names(&set->paths, EE_PART_EXPECTED_ID, &ids);
  ee_record_names(&set->paths, EE_PART_EXPECTED, &values);
  ee_error_set(error, EE_ERROR_DATA,
               "no record in '%s' has an id and an expected value: looked for %s (--expected-id NAME) and for %s "
               "(--expected-path PATH)",
               set->file, ee_buffer_terminate(&ids), ee_buffer_terminate(&values));
  ee_buffer_fini(&ids);
  ee_buffer_fini(&values);
  return EE_ERROR_DATA;
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
  ee_capped_errors capped = {.list = errors, .file = set->file};
  index_records(set, &block, &capped);
  ee_block_fini(&block);
  return finish(set, &capped, error);
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
  ee_capped_errors capped = {.list = errors, .file = set->file};
  read_records(set, status == EE_ERROR_DATA ? error->message : NULL, &capped);
  return finish(set, &capped, error);
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
  ee_error kept; /* read_set() needs the message even when `error` is NULL */
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
  EE_LIST_FINI(set);
  ee_hash_index_fini(&set->index);
  free(set->file);
  free(set);
}

/* Looking up ----------------------------------------------------------------------------------- */

size_t ee_expected_set_count(const ee_expected_set *set) {
  return set->coco != NULL ? (size_t)ee_coco_count(set->coco).images : set->count;
}

const char *ee_expected_set_file(const ee_expected_set *set) { return set->file; }

uint64_t ee_expected_set_in_error(const ee_expected_set *set) { return set->in_error; }

ee_coco *ee_expected_set_coco(const ee_expected_set *set) { return set->coco; }

/* Reads the record of an entry (not NULL: the id is in the set) and its expected value. */
static bool read_entry(const ee_expected_set *set, const entry *found, ee_str id, ee_arena *arena,
                       const ee_value **record, const ee_value **expected) {
  *record = ee_json_read(arena, (ee_str){set->text.data + found->text, found->length}, NULL, NULL);
  ee_str ignored;
  /* The record was valid when the file was opened. */
  return ee_record_read_expected(*record, &set->paths, id, arena, &ignored, expected, NULL) == EE_OK;
}

/* Finds the record of `id` and its expected value, and marks it as used; false if there is none. */
static bool find_record(ee_expected_set *set, ee_str id, ee_arena *arena, const ee_value **record,
                        const ee_value **expected) {
  entry *found = find_entry(set, id, ee_hash_bytes(id.data, id.length, 0));
  if (found == NULL) return false;
  __atomic_store_n(&found->used, true, __ATOMIC_RELAXED);
  return read_entry(set, found, id, arena, record, expected);
}

bool ee_expected_set_read_absent(ee_expected_set *set, ee_str id, ee_arena *arena, ee_case *out) {
  const entry *found = find_entry(set, id, ee_hash_bytes(id.data, id.length, 0));
  *out = (ee_case){
      .id = id, .absent = true, .record = ee_value_new(arena, EE_OBJECT), .candidate_state = EE_CANDIDATE_MISSING};
  return found != NULL && read_entry(set, found, id, arena, &out->truth, &out->expected);
}

const ee_value *ee_expected_set_find(ee_expected_set *set, ee_str id, ee_arena *arena) {
  const ee_value *record, *expected;
  return find_record(set, id, arena, &record, &expected) ? expected : NULL;
}

ee_status ee_expected_set_read(ee_expected_set *set, const ee_value *record, const ee_record_paths *paths, size_t line,
                               ee_str given_id, ee_arena *arena, ee_case *out, ee_error *error) {
  if (set == NULL) return ee_record_read(record, paths, line, given_id, arena, out, error);
  if (set->coco != NULL) return ee_record_read(record, NULL, line, given_id, arena, out, error);
  ee_status status = ee_record_read_answer(record, paths, line, given_id, arena, out, error);
  if (status != EE_OK) return status;
  if (find_record(set, out->id, arena, &out->truth, &out->expected)) return EE_OK;
  if (out->unnamed) return ee_record_fail_without("id", record, arena, error);
  return ee_error_set(error, EE_ERROR_DATA, "no expected value for id '%.*s' in '%s'",
                      (int)ee_utf8_cut(out->id, ID_SHOWN), out->id.data, set->file);
}

bool ee_expected_set_next_unused(const ee_expected_set *set, size_t *at, ee_buffer *text) {
  for (; *at < set->count; ++*at) {
    const entry *next = &set->items[*at];
    if (__atomic_load_n(&next->used, __ATOMIC_RELAXED)) continue;
    ee_json_write_string(text, id_of(set, next));
    ++*at;
    return true;
  }
  return false;
}

size_t ee_expected_set_unused(const ee_expected_set *set, size_t limit, ee_arena *arena, const ee_str **ids) {
  ee_str *list = EE_NEW_ARRAY(arena, ee_str, limit);
  size_t count = 0;
  for (size_t i = 0; i < set->count; i++) {
    const entry *at = &set->items[i];
    if (__atomic_load_n(&at->used, __ATOMIC_RELAXED)) continue;
    if (count < limit) list[count] = id_of(set, at);
    count++;
  }
  *ids = list;
  return count;
}
