/* expected_set.c: keeps the text of a file of records and where each id's record is in it. */
#include "data/expected_set.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash_index.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/runtime.h"
#include "data/files/byte_source.h"
#include "data/files/capped_errors.h"
#include "data/files/case_file.h"
#include "data/files/dataset.h"
#include "data/files/given_source.h"
#include "data/foreign/foreign.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "prim/normalize.h"

/* Bytes of an id in a message. */
#define ID_SHOWN 100
#define HASHED_PIECE ((size_t)1 << 20)
/* Bytes that the arena keeps from record to record. */
#define ARENA_KEPT ((size_t)4 << 20)

typedef struct entry {
  size_t text, length;  /* of the record */
  size_t id, id_length; /* in `ids` */
  const char *file;     /* of the data set */
  uint64_t line;
  bool used; /* written atomically */
} entry;

struct ee_expected_set {
  char *file;
  ee_record_paths paths; /* borrowed */
  ee_coco *coco;
  ee_dataset *dataset; /* read to its end; it has the files' names; NULL: COCO */
  ee_buffer text, ids;
  EE_LIST(entry);
  ee_hash_index index; /* of `items`, by id */
  ee_hash_index forms; /* of those whose id is not in NFC, by its NFC */
  uint64_t in_error;
  bool has_records; /* the file has some, valid or not */
};

/* Reading the file ----------------------------------------------------------------------------- */

static ee_str id_of(const ee_expected_set *set, const entry *at) {
  return (ee_str){set->ids.data + at->id, at->id_length};
}

static entry *find_entry(const ee_expected_set *set, ee_str id, uint64_t hash) {
  size_t at = 0, number;
  while (ee_hash_index_next(&set->index, hash, &at, &number)) {
    entry *found = &set->items[number];
    if (ee_str_equal(id_of(set, found), id)) return found; /* unreached: two ids of one hash */
  }
  return NULL;
}

/* A record whose id is the same text in another Unicode normal form, or NULL. */
static const entry *find_other_form(const ee_expected_set *set, ee_str id, ee_arena *scratch) {
  ee_str form = ee_nfc(id, scratch);
  uint64_t hash = ee_hash_bytes(form.data, form.length, 0);
  const entry *found = find_entry(set, form, hash);
  size_t at = 0, number;
  while (found == NULL && ee_hash_index_next(&set->forms, hash, &at, &number)) {
    const entry *next = &set->items[number];
    if (ee_str_equal(ee_nfc(id_of(set, next), scratch), form)) found = next; /* unreached: two ids of one hash */
  }
  return found;
}

/* Adds a record. NULL, or the earlier record with its id. */
static const entry *add_entry(ee_expected_set *set, ee_str id, const ee_record_span *span, const char *file,
                              ee_arena *scratch) {
  uint64_t hash = ee_hash_bytes(id.data, id.length, 0);
  const entry *first = find_entry(set, id, hash);
  if (first != NULL) return first;
  ee_hash_index_add(&set->index, hash, set->count);
  ee_str form = ee_nfc(id, scratch);
  if (!ee_str_equal(form, id)) ee_hash_index_add(&set->forms, ee_hash_bytes(form.data, form.length, 0), set->count);
  *EE_LIST_ADD(set, NULL) = (entry){.text = span->offset,
                                    .length = span->length,
                                    .id = set->ids.length,
                                    .id_length = id.length,
                                    .file = file,
                                    .line = span->line};
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

static void read_record(ee_expected_set *set, const ee_record_span *span, ee_str given_id, const char *file,
                        ee_arena *arena, ee_capped_errors *errors) {
  ee_str text = {set->text.data + span->offset, span->length};
  key_watch watch = {.errors = errors, .span = span, .text = text.data};
  uint64_t surrogates = 0;
  ee_json_options options = {.on_duplicate_key = on_duplicate_key, .user = &watch, .lone_surrogates = &surrogates};
  ee_error error;
  const ee_value *record = ee_json_read(arena, text, &options, &error), *expected;
  if (record == NULL) {
    uint64_t before = error.line == 1 ? span->column - 1 : 0;
    ee_capped_errors_add(errors, span->line + error.line - 1, before + error.column, "%s", error.message);
    return;
  }
  if (surrogates > 0) ee_capped_errors_warn(errors, span->line, 0, "half a surrogate pair in a string, read as U+FFFD");
  ee_str id;
  const entry *first;
  if (ee_record_read_expected(record, &set->paths, given_id, arena, &id, &expected, &error) != EE_OK) {
    ee_capped_errors_add(errors, span->line, 0, "%s", error.message);
  } else if ((first = add_entry(set, id, span, file, arena)) != NULL) {
    bool same = first->file == file;
    ee_capped_errors_add(errors, span->line, 0, "duplicate id '%.*s' (first at %s%s%" PRIu64 ")",
                         (int)ee_utf8_cut(id, ID_SHOWN), id.data, same ? "line " : first->file, same ? "" : ":",
                         first->line);
  }
}

/* Reports what could not be split into records before the byte `end` of the file; `*next`: the next such error. */
static void report_unsplit(const ee_block *block, uint64_t end, size_t *next, ee_capped_errors *errors) {
  for (; *next < block->errors.count && block->errors.items[*next].offset <= end; ++*next) {
    const ee_error *error = &block->errors.items[*next];
    if (error->status != EE_OK) ee_capped_errors_add(errors, error->line, error->column, "%s", error->message);
  }
}

/* Indexes the records of a block, whose text is added to the set's. */
static void index_records(ee_expected_set *set, ee_block *block, ee_capped_errors *errors) {
  size_t before = set->text.length, next = 0;
  uint64_t unlisted = block->unlisted;
  errors->file = block->file;
  set->has_records = set->has_records || block->count > 0;
  ee_buffer_add(&set->text, block->text.data, block->text.length);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (size_t i = 0; i < block->count; i++) {
    ee_record_span span = block->records[i];
    report_unsplit(block, span.byte, &next, errors);
    unlisted += span.unlisted;
    span.offset += before;
    read_record(set, &span, ee_block_given_id(block, &span), block->file, &arena, errors);
    ee_arena_reset(&arena, ARENA_KEPT);
  }
  report_unsplit(block, UINT64_MAX, &next, errors);
  errors->count += unlisted;
  ee_arena_fini(&arena);
}

static ee_status finish(ee_expected_set *set, ee_capped_errors *errors, ee_error *error) {
  ee_capped_errors_end(errors, "records");
  set->in_error = errors->count;
  if (set->count > 0) return EE_OK;
  if (!set->has_records) return ee_error_set(error, EE_ERROR_DATA, "no records in '%s'", set->file);
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

/* Reads all records of the set's data set. */
static ee_status read_records(ee_expected_set *set, const volatile sig_atomic_t *interrupt, ee_error_list *errors,
                              ee_error *error) {
  const ee_error_list *notes = ee_dataset_notes(set->dataset);
  for (size_t i = 0; i < notes->count; i++) ee_error_list_add(errors, &notes->items[i]);
  ee_dataset_look_inside(set->dataset, &set->paths);
  ee_dataset_set_interrupt(set->dataset, interrupt);
  ee_capped_errors capped = {.list = errors, .file = set->file};
  ee_block block;
  ee_block_init(&block);
  bool done = false;
  ee_status status;
  while ((status = ee_dataset_next(set->dataset, &block, &done, error)) == EE_OK && !done)
    index_records(set, &block, &capped);
  ee_block_fini(&block);
  ee_dataset_set_interrupt(set->dataset, NULL);
  if (status != EE_OK) return status;
  if (ee_flag_is_set(interrupt)) return ee_error_set(error, EE_ERROR_SYSTEM, "reading '%s' was interrupted", set->file);
  return finish(set, &capped, error);
}

/* Reads the file if it is COCO's; else makes a data set of it. */
static ee_status read_coco(ee_expected_set *set, const volatile sig_atomic_t *interrupt, ee_error_list *errors,
                           ee_error *error) {
  ee_byte_source *source = ee_byte_source_open(set->file, error);
  if (source == NULL) return EE_ERROR_SYSTEM;
  ee_byte_source_set_interrupt(source, interrupt);
  ee_buffer text;
  ee_buffer_init(&text);
  ee_status status = ee_coco_read(source, set->file, &text, &set->coco, errors, error);
  if (status == EE_OK && set->coco == NULL) {
    set->dataset = ee_dataset_open_source(set->file, source, &text);
    return EE_OK;
  }
  if (status == EE_OK) set->in_error = ee_coco_count(set->coco).truths_in_error;
  ee_buffer_fini(&text);
  ee_byte_source_close(source);
  return status;
}

/* A broken YAML data set is an error as a whole: no case of it is used. */
static ee_status check_cases(const char *file, const volatile sig_atomic_t *interrupt, ee_error *error) {
  ee_case_file *cases = ee_case_file_open(file, interrupt, error);
  ee_case_file_close(cases);
  return cases != NULL ? EE_OK : error->status;
}

/* "-" and what is not there are no directories; opening them says so. */
static ee_status look_for_directory(const char *file, bool *is_directory, ee_error *error) {
  struct stat facts;
  *is_directory = false;
  if (ee_given_source_find(file) != NULL) return EE_OK;
  if (stat(file, &facts) == 0)
    *is_directory = S_ISDIR(facts.st_mode);
  else if (errno != ENOENT && errno != ENOTDIR)
    return ee_error_set(error, EE_ERROR_SYSTEM, "cannot open '%s': %s", file, strerror(errno));
  return EE_OK;
}

static ee_status open_set(ee_expected_set *set, const volatile sig_atomic_t *interrupt, ee_error_list *errors,
                          ee_error *error) {
  bool is_directory;
  ee_status status = look_for_directory(set->file, &is_directory, error);
  if (status != EE_OK) return status;
  if (ee_is_yaml_name(set->file) || is_directory) {
    const char *file = set->file;
    if (ee_is_yaml_name(file)) status = check_cases(file, interrupt, error);
    if (status != EE_OK) return status;
    set->dataset = ee_dataset_open(&file, 1, error);
    if (set->dataset == NULL) return EE_ERROR_SYSTEM;
  } else {
    status = read_coco(set, interrupt, errors, error);
  }
  if (status != EE_OK || set->coco != NULL) return status;
  return read_records(set, interrupt, errors, error);
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
  ee_dataset_close(set->dataset);
  ee_buffer_fini(&set->text);
  ee_buffer_fini(&set->ids);
  EE_LIST_FINI(set);
  ee_hash_index_fini(&set->index);
  ee_hash_index_fini(&set->forms);
  ee_free(set->file);
  ee_free(set);
}

/* Looking up ----------------------------------------------------------------------------------- */

size_t ee_expected_set_count(const ee_expected_set *set) {
  return set->coco != NULL ? (size_t)ee_coco_count(set->coco).images : set->count;
}

const char *ee_expected_set_unended(const ee_expected_set *set) {
  const char *const *names;
  return set->dataset != NULL && ee_dataset_unended(set->dataset, &names) > 0 ? set->file : NULL;
}

bool ee_expected_set_looked_inside(const ee_expected_set *set) {
  return set->dataset != NULL && ee_dataset_looked_inside(set->dataset);
}

const ee_foreign_seen *ee_expected_set_foreign(const ee_expected_set *set) {
  return set->paths.from != NULL && set->dataset != NULL ? ee_dataset_foreign(set->dataset) : NULL;
}

const char *ee_expected_set_file(const ee_expected_set *set) { return set->file; }

uint64_t ee_expected_set_in_error(const ee_expected_set *set) { return set->in_error; }

ee_coco *ee_expected_set_coco(const ee_expected_set *set) { return set->coco; }

ee_str ee_expected_set_id(const ee_expected_set *set, size_t number) { return id_of(set, &set->items[number]); }

bool ee_expected_set_has(const ee_expected_set *set, ee_str id) {
  return find_entry(set, id, ee_hash_bytes(id.data, id.length, 0)) != NULL;
}

/* Reads the record of an entry (not NULL: the id is in the set) and its expected value. */
static bool read_entry(const ee_expected_set *set, const entry *found, ee_str id, ee_arena *arena,
                       const ee_value **record, const ee_value **expected) {
  *record = ee_json_read_data(arena, (ee_str){set->text.data + found->text, found->length}, NULL);
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
  if (found == NULL) return false;
  return read_entry(set, found, id, arena, &out->truth, &out->expected);
}

const ee_value *ee_expected_set_find(ee_expected_set *set, ee_str id, ee_arena *arena) {
  const ee_value *record, *expected;
  return find_record(set, id, arena, &record, &expected) ? expected : NULL;
}

ee_status ee_expected_set_read(ee_expected_set *set, const ee_value *record, const ee_record_paths *paths,
                               const ee_record_place *place, ee_arena *arena, ee_case *out, ee_error *error) {
  if (set == NULL) return ee_record_read(record, paths, place, arena, out, error);
  if (set->coco != NULL) return ee_record_read(record, NULL, place, arena, out, error);
  ee_status status = ee_record_read_answer(record, paths, place, arena, out, error);
  if (status != EE_OK) return status;
  if (find_record(set, ee_case_base(out), arena, &out->truth, &out->expected)) {
    ee_case_keep_text(out, paths, arena);
    if (out->trials == NULL) ee_case_find_trials(out, paths, arena);
    return EE_OK;
  }
  if (out->unnamed) return ee_record_fail_without("id", record, arena, error);
  ee_str id = ee_case_base(out);
  if (find_other_form(set, id, arena) != NULL)
    return ee_error_set(
        error, EE_ERROR_DATA,
        "no expected value for id '%.*s' in '%s', which has it in another Unicode normal form: write the "
        "ids of both files in one, such as NFC",
        (int)ee_utf8_cut(id, ID_SHOWN), id.data, set->file);
  return ee_error_set(error, EE_ERROR_DATA, "no expected value for id '%.*s' in '%s'", (int)ee_utf8_cut(id, ID_SHOWN),
                      id.data, set->file);
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

/* Parts ---------------------------------------------------------------------------------------- */

/* Chained, so that it does not depend on the pieces that the system gives. */
static uint64_t hash_file(const char *file) {
  ee_byte_source *source = strcmp(file, "-") != 0 ? ee_byte_source_open(file, NULL) : NULL;
  ee_buffer piece;
  ee_buffer_init(&piece);
  uint64_t hash = 0;
  for (bool more = source != NULL; more;) {
    char *room = ee_buffer_reserve(&piece, HASHED_PIECE);
    size_t got = 0;
    /* unreached: what was read from a file can be read again */
    while (piece.length < HASHED_PIECE &&
           ee_byte_source_read(source, room + piece.length, HASHED_PIECE - piece.length, &got, NULL) == EE_OK &&
           got > 0)
      piece.length += got;
    more = piece.length > 0;
    if (more) hash = ee_hash_bytes(piece.data, piece.length, hash);
    ee_buffer_clear(&piece);
  }
  ee_buffer_fini(&piece);
  ee_byte_source_close(source);
  return hash;
}

uint64_t ee_expected_set_hash(const ee_expected_set *set) {
  uint64_t ids = ee_hash_bytes(set->ids.data, set->ids.length, set->in_error);
  if (set->coco == NULL) return ee_hash_bytes(set->text.data, set->text.length, ids);
  return ee_hash_mix(hash_file(set->file) ^ ee_hash_mix(ee_expected_set_count(set)));
}

void ee_expected_set_add_marks(const ee_expected_set *set, ee_buffer *out) {
  size_t size = (set->count + 7) / 8;
  unsigned char *marks = memset(ee_buffer_reserve(out, size), 0, size);
  for (size_t i = 0; i < set->count; i++)
    if (__atomic_load_n(&set->items[i].used, __ATOMIC_RELAXED)) marks[i / 8] |= (unsigned char)(1u << i % 8);
  out->length += size;
}

bool ee_expected_set_merge_marks(ee_expected_set *set, ee_str marks) {
  if (marks.length != (set->count + 7) / 8) return false;
  for (size_t i = 0; i < set->count; i++)
    if (((unsigned char)marks.data[i / 8] >> i % 8 & 1) != 0)
      __atomic_store_n(&set->items[i].used, true, __ATOMIC_RELAXED);
  return true;
}
