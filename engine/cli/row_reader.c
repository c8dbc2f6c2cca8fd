/* row_reader.c: rows from blocks of text, with their errors in the order of the file.
 *
 * Threads claim blocks and read their rows; the caller takes the rows block after block, and reads blocks itself while
 * the next one is not ready. Ids, cases and messages are its own business, in the order of the files. */
#include "cli/row_reader.h"

#include <inttypes.h>
#include <pthread.h>

#include "base/memory.h"

#include "base/runtime.h"
#include "data/json/json_reader.h"

/* Memory that an arena keeps from row to row, and from block to block. */
#define ARENA_KEPT ((size_t)4 << 20)
/* Threads: more would only wait for the one that takes the rows. */
#define MOST_JOBS 8
/* Blocks in memory for each. */
#define BLOCKS_AHEAD 2
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

/* Blocks ----------------------------------------------------------------------------------------- */

/* A record that was read. */
typedef struct read_record {
  ee_stored_row row;
  uint64_t id_hash;
  bool good;      /* else it is invalid: the last of its notices */
  size_t notices; /* of the block, up to those of this record */
} read_record;

typedef struct row_block {
  ee_block text;
  ee_arena arena; /* of the rows */
  struct {
    EE_LIST(read_record);
  } records;             /* one for each of `text` */
  ee_error_list notices; /* invalid records and warnings (EE_OK) */
  bool is_ready;
} row_block;

/* All but the blocks that were claimed and the thread's own is under `lock`. */
struct ee_row_blocks {
  const ee_row_reader *reader;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  uint64_t claimed, taken; /* blocks; number n is in ring[n % size] */
  bool is_claiming;        /* some thread is reading the next text */
  bool ended;              /* no block follows, because of `status` or the end */
  ee_status status;
  ee_error error;
  sig_atomic_t stop; /* the reader is closed */
  row_block *ring;
  size_t size;
  pthread_t *threads;
  unsigned jobs, started, working; /* threads that began to work */
  ee_lean_rows *lean[MOST_JOBS];   /* of the caller, then of each thread; NULL: rows are read whole */

  /* Used by the caller: */
  row_block *current;      /* NULL: none */
  size_t next, next_error; /* of its records and of the errors of its text */
  size_t notice;           /* of its notices */
};

static ee_row_blocks *open_blocks(const ee_row_reader *reader) {
  ee_row_blocks *blocks = ee_calloc(1, sizeof *blocks);
  unsigned jobs = reader->jobs > 0 ? reader->jobs : ee_processor_count();
  blocks->reader = reader;
  blocks->jobs = jobs < MOST_JOBS ? jobs : MOST_JOBS;
  blocks->size = jobs > 1 ? (size_t)blocks->jobs * BLOCKS_AHEAD : 1;
  blocks->ring = ee_calloc(blocks->size, sizeof *blocks->ring);
  blocks->threads = ee_calloc(blocks->jobs, sizeof *blocks->threads);
  for (size_t i = 0; i < blocks->size; i++) {
    ee_block_init(&blocks->ring[i].text);
    ee_arena_init(&blocks->ring[i].arena, 0);
    ee_error_list_init(&blocks->ring[i].notices);
  }
  for (unsigned i = 0; i < blocks->jobs && reader->lean; i++) blocks->lean[i] = ee_lean_rows_new();
  pthread_mutex_init(&blocks->lock, NULL);
  pthread_cond_init(&blocks->changed, NULL);
  if (reader->interrupt == NULL) ee_dataset_set_interrupt(reader->dataset, &blocks->stop);
  if (jobs > 1) ee_dataset_set_threads(reader->dataset, blocks->jobs);
  return blocks;
}

static void close_blocks(ee_row_blocks *blocks) {
  if (blocks == NULL) return;
  pthread_mutex_lock(&blocks->lock);
  __atomic_store_n(&blocks->stop, 1, __ATOMIC_RELAXED);
  pthread_cond_broadcast(&blocks->changed);
  pthread_mutex_unlock(&blocks->lock);
  for (unsigned i = 0; i < blocks->started; i++) pthread_join(blocks->threads[i], NULL);
  for (size_t i = 0; i < blocks->size; i++) {
    row_block *block = &blocks->ring[i];
    ee_block_fini(&block->text);
    ee_arena_fini(&block->arena);
    EE_LIST_FINI(&block->records);
    ee_error_list_fini(&block->notices);
  }
  for (unsigned i = 0; i < blocks->jobs; i++) ee_lean_rows_free(blocks->lean[i]);
  pthread_cond_destroy(&blocks->changed);
  pthread_mutex_destroy(&blocks->lock);
  ee_free(blocks->threads);
  ee_free(blocks->ring);
  ee_free(blocks);
}

/* Reading blocks --------------------------------------------------------------------------------- */

/* Notes an invalid record; places in the record become places in the file. */
static void note_invalid(row_block *block, const ee_record_span *span, const ee_error *why) {
  ee_error error;
  size_t before = why->line <= 1 ? (size_t)span->column - 1 : 0;
  size_t line = (size_t)span->line + (why->line > 0 ? why->line - 1 : 0);
  ee_error_at(&error, EE_ERROR_DATA, block->text.file, line, why->column > 0 ? before + why->column : 0, "%s",
              why->message);
  ee_error_list_add(&block->notices, &error);
}

typedef struct key_watch {
  row_block *block;
  const ee_record_span *span;
} key_watch;

/* The line is the row's first: in a formatted JSON array a row has several. */
static void on_duplicate_key(void *user, ee_str key, size_t offset) {
  (void)offset;
  const key_watch *watch = user;
  ee_error warning;
  ee_error_at(&warning, EE_OK, watch->block->text.file, (size_t)watch->span->line, 0,
              "duplicate key '%.*s', the last one counts", (int)ee_utf8_cut(key, ID_SHOWN),
              key.length > 0 ? key.data : "");
  ee_error_list_add(&watch->block->notices, &warning);
}

/* Reads the record at `span`; false when it is not a row. */
static bool read_row(const ee_row_reader *reader, ee_lean_rows *lean, row_block *block, const ee_record_span *span,
                     ee_stored_row *row) {
  ee_str text = {block->text.text.data + span->offset, span->length};
  key_watch watch = {block, span};
  ee_json_options options = {.on_duplicate_key = on_duplicate_key, .user = &watch};
  ee_error error = {0};
  bool good;
  if (lean != NULL) {
    good = ee_lean_rows_read(lean, text, &options, &block->arena, row, &error);
  } else {
    const ee_value *record = ee_json_read(&block->arena, text, &options, &error);
    bool (*read)(const ee_value *, ee_arena *, ee_stored_row *, ee_error *) =
        reader->answers_only ? ee_stored_row_read_id : ee_stored_row_read;
    good = record != NULL && read(record, &block->arena, row, &error);
  }
  if (!good) {
    note_invalid(block, span, &error);
    return false;
  }
  row->line = span->line;
  row->text_hash = ee_hash_bytes(text.data, text.length, 0);
  return true;
}

static void read_block(const ee_row_reader *reader, ee_lean_rows *lean, row_block *block) {
  ee_arena_reset(&block->arena, ARENA_KEPT);
  block->records.count = block->notices.count = 0;
  EE_LIST_RESERVE(&block->records, NULL, block->text.count);
  for (size_t i = 0; i < block->text.count; i++) {
    read_record *record = EE_LIST_ADD(&block->records, NULL);
    record->good = read_row(reader, lean, block, &block->text.records[i], &record->row);
    if (record->good) record->id_hash = ee_id_hash(record->row.id);
    record->notices = block->notices.count;
  }
}

/* Threads ---------------------------------------------------------------------------------------- */

static bool can_claim(const ee_row_blocks *blocks) {
  return !blocks->is_claiming && !blocks->ended && !ee_flag_is_set(&blocks->stop) &&
         blocks->claimed - blocks->taken < blocks->size;
}

/* Claims the next block and reads it. Under `lock`, which is released meanwhile. */
static void claim_block(ee_row_blocks *blocks, ee_lean_rows *lean) {
  row_block *block = &blocks->ring[blocks->claimed % blocks->size];
  bool done = true;
  ee_error error = {0};
  blocks->is_claiming = true;
  pthread_mutex_unlock(&blocks->lock);
  ee_status status = ee_dataset_next(blocks->reader->dataset, &block->text, &done, &error);
  pthread_mutex_lock(&blocks->lock);
  blocks->is_claiming = false;
  blocks->ended = status != EE_OK || done;
  blocks->status = status;
  blocks->error = error;
  blocks->claimed += !blocks->ended;
  pthread_cond_broadcast(&blocks->changed);
  if (blocks->ended) return;
  pthread_mutex_unlock(&blocks->lock);
  read_block(blocks->reader, lean, block);
  pthread_mutex_lock(&blocks->lock);
  block->is_ready = true;
  pthread_cond_broadcast(&blocks->changed);
}

static void *work(void *argument) {
  ee_row_blocks *blocks = argument;
  pthread_mutex_lock(&blocks->lock);
  ee_lean_rows *lean = blocks->lean[++blocks->working];
  while (!blocks->ended && !ee_flag_is_set(&blocks->stop)) {
    if (can_claim(blocks))
      claim_block(blocks, lean);
    else
      pthread_cond_wait(&blocks->changed, &blocks->lock);
  }
  pthread_mutex_unlock(&blocks->lock);
  return NULL;
}

/* Starts the threads; if the system refuses some, fewer do the work. */
static void start_threads(ee_row_blocks *blocks) {
  while (blocks->started + 1 < blocks->jobs &&
         pthread_create(&blocks->threads[blocks->started], NULL, work, blocks) == 0)
    blocks->started++;
}

/* Takes the next block; NULL at the end. The one before is given back. */
static row_block *take_block(ee_row_blocks *blocks) {
  pthread_mutex_lock(&blocks->lock);
  if (blocks->current != NULL) {
    blocks->current->is_ready = false;
    blocks->taken++;
    pthread_cond_broadcast(&blocks->changed);
  }
  /* A small file needs no threads. */
  if (blocks->taken == 2 && !blocks->ended) start_threads(blocks);
  row_block *block = &blocks->ring[blocks->taken % blocks->size];
  while (!block->is_ready && !(blocks->ended && blocks->taken == blocks->claimed)) {
    if (can_claim(blocks))
      claim_block(blocks, blocks->lean[0]);
    else
      pthread_cond_wait(&blocks->changed, &blocks->lock);
  }
  blocks->current = block->is_ready ? block : NULL;
  blocks->next = blocks->next_error = blocks->notice = 0;
  pthread_mutex_unlock(&blocks->lock);
  return blocks->current;
}

/* Opening ---------------------------------------------------------------------------------------- */

ee_status ee_row_reader_open(ee_row_reader *reader, const char *const *files, size_t count,
                             const volatile sig_atomic_t *interrupt, void (*report)(void *user, const ee_error *error),
                             void *user, ee_error *error) {
  *reader = (ee_row_reader){.jobs = 1, .interrupt = interrupt, .report = report, .user = user};
  ee_arena_init(&reader->arena, 0);
  ee_id_set_init(&reader->ids);
  reader->dataset = ee_dataset_open(files, count, error);
  if (reader->dataset == NULL) return EE_ERROR_SYSTEM;
  ee_dataset_set_interrupt(reader->dataset, interrupt);
  return EE_OK;
}

void ee_row_reader_close(ee_row_reader *reader) {
  close_blocks(reader->blocks);
  ee_dataset_close(reader->dataset);
  ee_arena_fini(&reader->arena);
  ee_id_set_fini(&reader->ids);
  ee_hash_index_fini(&reader->unnamed);
  EE_LIST_FINI(&reader->times);
  ee_named_ids_fini(&reader->without_case);
  *reader = (ee_row_reader){0};
}

/* Taking rows ------------------------------------------------------------------------------------ */

/* Reports the records before the byte `end` of the file whose end could not be found. */
static void report_unsplit(ee_row_reader *reader, uint64_t end) {
  ee_row_blocks *blocks = reader->blocks;
  const ee_error_list *errors = &blocks->current->text.errors;
  for (; blocks->next_error < errors->count && errors->items[blocks->next_error].offset <= end; blocks->next_error++)
    reader->report(reader->user, &errors->items[blocks->next_error]);
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
static bool is_new(ee_row_reader *reader, ee_str id, uint64_t hash, const ee_record_span *span) {
  const char *file = reader->blocks->current->text.file;
  ee_id_place place = {file, span->line}, first;
  if (ee_id_set_add(&reader->ids, id, hash, place, &first)) return true;
  ee_error error;
  ee_error_at(&error, EE_ERROR_DATA, file, (size_t)span->line, 0, "duplicate id '%.*s' (first at %s:%" PRIu64 ")",
              (int)ee_utf8_cut(id, ID_SHOWN), id.data, first.file, first.line);
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

/* Passes the notices of the current block up to number `end`. */
static void report_notices(ee_row_reader *reader, size_t end) {
  const ee_error_list *notices = &reader->blocks->current->notices;
  for (size_t *next = &reader->blocks->notice; *next < end; ++*next)
    reader->report(reader->user, &notices->items[*next]);
}

/* Takes the next record of the current block; false when it is not a row, or is skipped. */
static bool take_row(ee_row_reader *reader, ee_stored_row *row) {
  ee_row_blocks *blocks = reader->blocks;
  const ee_record_span *span = &blocks->current->text.records[blocks->next];
  const read_record *record = &blocks->current->records.items[blocks->next++];
  report_unsplit(reader, span->byte);
  report_notices(reader, record->notices);
  if (!record->good) {
    reader->unreadable++;
    return false;
  }
  *row = record->row;
  ee_arena_reset(&reader->arena, ARENA_KEPT);
  ee_str base = row->base;
  if (row->unnamed) number_unnamed(reader, row);
  uint64_t hash = row->unnamed ? ee_id_hash(row->id) : record->id_hash;
  return is_new(reader, row->id, hash, span) && has_case(reader, base);
}

ee_status ee_row_reader_next(ee_row_reader *reader, ee_stored_row *row, bool *done, ee_error *error) {
  if (reader->blocks == NULL) reader->blocks = open_blocks(reader);
  ee_row_blocks *blocks = reader->blocks;
  *done = false;
  while (!ee_flag_is_set(reader->interrupt)) {
    while (blocks->current != NULL && blocks->next < blocks->current->text.count)
      if (take_row(reader, row)) return EE_OK;
    if (blocks->current != NULL) report_unsplit(reader, UINT64_MAX);
    if (take_block(blocks) != NULL) {
      reader->unreadable += blocks->current->text.unsplit;
      for (size_t i = 0; i < blocks->current->records.count; i++)
        if (blocks->current->records.items[i].good)
          ee_id_set_expect(&reader->ids, blocks->current->records.items[i].id_hash);
      continue;
    }
    *done = blocks->status == EE_OK;
    if (!*done) *error = blocks->error;
    return blocks->status;
  }
  *done = true;
  return EE_OK;
}

void ee_row_reader_refuse(ee_row_reader *reader, const char *message) {
  row_block *block = reader->blocks->current;
  ee_error error = {.status = EE_ERROR_DATA};
  ee_error_set(&error, EE_ERROR_DATA, "%s", message);
  /* After the notices of the row, before those of the next one. */
  note_invalid(block, &block->text.records[reader->blocks->next - 1], &error);
  reader->report(reader->user, &block->notices.items[--block->notices.count]);
  reader->unreadable++;
}
