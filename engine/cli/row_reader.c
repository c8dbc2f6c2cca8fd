/* row_reader.c: rows from blocks of text, with their errors in the order of the file. */
#include "cli/row_reader.h"

#include <inttypes.h>

#include "base/runtime.h"
#include "data/json/json_reader.h"

/* Memory that the arena keeps from row to row. */
#define ARENA_KEPT ((size_t)4 << 20)
/* Bytes of an id in a message. */
#define ID_SHOWN 200
#define NAMED_SHOWN 60
/* Ids that are named. */
#define NAMED_IDS 5

void ee_named_ids_add(ee_named_ids *ids, ee_str id) {
  if (ids->count++ < NAMED_IDS)
    ee_buffer_addf(&ids->text, "%s'%.*s'", ids->count > 1 ? ", " : "", (int)ee_utf8_cut(id, NAMED_SHOWN), id.data);
  else if (ids->count == NAMED_IDS + 1)
    ee_buffer_add_text(&ids->text, ", ...");
}

const char *ee_named_ids_text(ee_named_ids *ids) { return ee_buffer_terminate(&ids->text); }

void ee_named_ids_fini(ee_named_ids *ids) { ee_buffer_fini(&ids->text); }

ee_status ee_row_reader_open(ee_row_reader *reader, const char *const *files, size_t count,
                             const volatile sig_atomic_t *interrupt, void (*report)(void *user, const ee_error *error),
                             void *user, ee_error *error) {
  *reader = (ee_row_reader){.interrupt = interrupt, .report = report, .user = user};
  ee_block_init(&reader->block);
  ee_arena_init(&reader->arena, 0);
  ee_id_set_init(&reader->ids);
  reader->dataset = ee_dataset_open(files, count, error);
  if (reader->dataset == NULL) return EE_ERROR_SYSTEM;
  ee_dataset_set_interrupt(reader->dataset, interrupt);
  return EE_OK;
}

void ee_row_reader_close(ee_row_reader *reader) {
  ee_dataset_close(reader->dataset);
  ee_block_fini(&reader->block);
  ee_arena_fini(&reader->arena);
  ee_id_set_fini(&reader->ids);
  ee_hash_index_fini(&reader->unnamed);
  EE_LIST_FINI(&reader->times);
  ee_named_ids_fini(&reader->without_case);
  *reader = (ee_row_reader){0};
}

/* Reports the records before the byte `end` of the file whose end could not be found. */
static void report_unsplit(ee_row_reader *reader, uint64_t end) {
  const ee_error_list *errors = &reader->block.errors;
  for (; reader->next_error < errors->count && errors->items[reader->next_error].offset <= end; reader->next_error++)
    reader->report(reader->user, &errors->items[reader->next_error]);
}

/* Reports an invalid record; places in the record become places in the file. */
static void report_invalid(ee_row_reader *reader, const ee_record_span *span, const ee_error *why) {
  ee_error error;
  size_t before = why->line <= 1 ? (size_t)span->column - 1 : 0;
  size_t line = (size_t)span->line + (why->line > 0 ? why->line - 1 : 0);
  ee_error_at(&error, EE_ERROR_DATA, reader->block.file, line, why->column > 0 ? before + why->column : 0, "%s",
              why->message);
  reader->report(reader->user, &error);
  reader->unreadable++;
}

typedef struct key_watch {
  ee_row_reader *reader;
  const ee_record_span *span;
} key_watch;

/* The line is the row's first: in a formatted JSON array a row has several. */
static void on_duplicate_key(void *user, ee_str key, size_t offset) {
  (void)offset;
  const key_watch *watch = user;
  ee_error warning;
  ee_error_at(&warning, EE_OK, watch->reader->block.file, (size_t)watch->span->line, 0,
              "duplicate key '%.*s', the last one counts", (int)ee_utf8_cut(key, ID_SHOWN),
              key.length > 0 ? key.data : "");
  watch->reader->report(watch->reader->user, &warning);
}

/* A row whose record has no id is a case of its own, although another file may have a record at the same place: the
 * second one gets a number. */
static void number_unnamed(ee_row_reader *reader, ee_stored_row *row) {
  uint64_t hash = ee_id_hash(row->id);
  size_t at = 0, number;
  if (!ee_hash_index_next(&reader->unnamed, hash, &at, &number)) {
    ee_hash_index_add(&reader->unnamed, hash, reader->times.count);
    *EE_LIST_ADD(&reader->times, NULL) = 1;
    return;
  }
  uint64_t times = ++reader->times.items[number];
  bool is_cluster = ee_str_equal(row->cluster, row->base);
  row->base = ee_str_from(ee_arena_printf(&reader->arena, "%.*s (%" PRIu64 ")", EE_STR_ARG(row->base), times));
  if (is_cluster) row->cluster = row->base;
  row->id = ee_trial_id(row->base, row->trial, &reader->arena);
}

/* False, with a report, for a duplicate id. */
static bool is_new(ee_row_reader *reader, ee_str id, const ee_record_span *span) {
  ee_id_place place = {reader->block.file, span->line}, first;
  if (ee_id_set_add(&reader->ids, id, ee_id_hash(id), place, &first)) return true;
  ee_error error;
  ee_error_at(&error, EE_ERROR_DATA, reader->block.file, (size_t)span->line, 0,
              "duplicate id '%.*s' (first at %s:%" PRIu64 ")", (int)ee_utf8_cut(id, ID_SHOWN), id.data, first.file,
              first.line);
  reader->report(reader->user, &error);
  reader->duplicates++;
  return false;
}

/* Whether the data set, if there is one, has a case with the id. */
static bool has_case(ee_row_reader *reader, ee_str id) {
  if (reader->expected == NULL) return true;
  reader->expected_value = ee_expected_set_find(reader->expected, id, &reader->arena);
  if (reader->expected_value != NULL) return true;
  ee_named_ids_add(&reader->without_case, id);
  return false;
}

/* Reads the record at `span`; false when it is not a row, or is skipped. */
static bool read_row(ee_row_reader *reader, const ee_record_span *span, ee_stored_row *row) {
  ee_str text = {reader->block.text.data + span->offset, span->length};
  key_watch watch = {reader, span};
  ee_json_options options = {.on_duplicate_key = on_duplicate_key, .user = &watch};
  ee_error error = {0};
  ee_arena_reset(&reader->arena, ARENA_KEPT);
  bool good;
  if (reader->lean != NULL) {
    good = ee_lean_rows_read(reader->lean, text, &options, &reader->arena, row, &error);
  } else {
    const ee_value *record = ee_json_read(&reader->arena, text, &options, &error);
    bool (*read)(const ee_value *, ee_arena *, ee_stored_row *, ee_error *) =
        reader->answers_only ? ee_stored_row_read_id : ee_stored_row_read;
    good = record != NULL && read(record, &reader->arena, row, &error);
  }
  if (!good) {
    report_invalid(reader, span, &error);
    return false;
  }
  row->line = span->line;
  row->text_hash = ee_hash_bytes(text.data, text.length, 0);
  ee_str base = row->base;
  if (row->unnamed) number_unnamed(reader, row);
  return is_new(reader, row->id, span) && has_case(reader, base);
}

ee_status ee_row_reader_next(ee_row_reader *reader, ee_stored_row *row, bool *done, ee_error *error) {
  ee_block *block = &reader->block;
  *done = false;
  while (!ee_flag_is_set(reader->interrupt)) {
    while (reader->next < block->count) {
      const ee_record_span *span = &block->records[reader->next++];
      report_unsplit(reader, span->byte);
      if (read_row(reader, span, row)) return EE_OK;
    }
    report_unsplit(reader, UINT64_MAX);
    reader->next = reader->next_error = 0;
    ee_status status = ee_dataset_next(reader->dataset, block, done, error);
    if (status != EE_OK || *done) return status;
    reader->unreadable += block->unsplit;
  }
  *done = true;
  return EE_OK;
}

void ee_row_reader_refuse(ee_row_reader *reader, const char *message) {
  ee_error error = {.status = EE_ERROR_DATA};
  ee_error_set(&error, EE_ERROR_DATA, "%s", message);
  report_invalid(reader, &reader->block.records[reader->next - 1], &error);
}
