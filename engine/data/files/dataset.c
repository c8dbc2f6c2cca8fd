/* dataset.c: reads a list of files as numbered blocks of whole records. */
#include "data/files/dataset.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/runtime.h"
#include "data/files/byte_source.h"
#include "data/files/case_file.h"
#include "data/files/splitter.h"

/* Measured as best with many workers. */
#define BLOCK_SIZE ((size_t)256 * 1024)
#define RECORD_LIMIT ((size_t)1024 * 1024 * 1024)
/* Bytes of a YAML file that are read at a time. */
#define PIECE_SIZE ((size_t)256 * 1024)

struct ee_dataset {
  char **files;
  size_t file_count;
  size_t next_file;
  ee_byte_source *source; /* the open file, files[next_file - 1]; NULL between files */
  ee_splitter splitter;
  ee_buffer rest;      /* the incomplete record at the end of the last block; of a YAML file what was read */
  bool is_yaml;        /* the open file is YAML */
  ee_case_file *cases; /* of a YAML file, which is closed already; NULL: none */
  size_t next_case;
  ee_error failure; /* reported after the records that precede it; EE_OK: none */
  const volatile sig_atomic_t *interrupt;
  ee_record_maker *make; /* NULL: records are read */
  void *make_user;
  uint64_t next_ticket;
  size_t block_size, record_limit;
  uint64_t taken_before;  /* bytes of the files that are done */
  uint64_t total;         /* 0: unknown */
  _Atomic uint64_t taken; /* atomic, because another thread shows progress */
};

void ee_block_init(ee_block *block) {
  memset(block, 0, sizeof *block);
  ee_buffer_init(&block->text);
  ee_error_list_init(&block->errors);
}

void ee_block_fini(ee_block *block) {
  ee_buffer_fini(&block->text);
  ee_error_list_fini(&block->errors);
  free(block->records);
  memset(block, 0, sizeof *block);
}

void ee_block_add(ee_block *block, ee_record_span span) {
  if (block->count == block->capacity)
    block->records = ee_list_grow(NULL, block->records, block->count, &block->capacity, 1, sizeof span);
  block->records[block->count++] = span;
}

ee_str ee_block_given_id(const ee_block *block, const ee_record_span *span) {
  if (span->id_length == 0) return (ee_str){NULL, 0};
  return (ee_str){block->text.data + span->id, span->id_length};
}

static void clear_block(ee_block *block) {
  ee_buffer_clear(&block->text);
  block->count = 0;
  block->errors.count = 0;
  block->unlisted = block->unsplit = 0;
  block->file = NULL;
}

/* Checks that all files can be read, and adds up their sizes. */
static ee_status check_files(ee_dataset *dataset, ee_error *error) {
  bool known = true, standard_input = false;
  uint64_t total = 0;
  for (size_t i = 0; i < dataset->file_count; i++) {
    const char *file = dataset->files[i];
    if (strcmp(file, "-") == 0) {
      if (standard_input) return ee_error_set(error, EE_ERROR_SYSTEM, "standard input '-' is given twice");
      standard_input = true;
      known = false;
      continue;
    }
    struct stat facts;
    if (stat(file, &facts) != 0 || access(file, R_OK) != 0)
      return ee_error_set(error, EE_ERROR_SYSTEM, "cannot open '%s': %s", file, strerror(errno));
    if (S_ISDIR(facts.st_mode)) return ee_error_set(error, EE_ERROR_SYSTEM, "'%s' is a directory", file);
    if (S_ISREG(facts.st_mode)) {
      total += (uint64_t)facts.st_size;
    } else {
      known = false;
    }
  }
  dataset->total = known ? total : 0;
  return EE_OK;
}

static ee_status open_next(ee_dataset *dataset, ee_error *error) {
  dataset->source = ee_byte_source_open(dataset->files[dataset->next_file], error);
  if (dataset->source == NULL) {
    dataset->next_file = dataset->file_count; /* the run ends here */
    return EE_ERROR_SYSTEM;
  }
  dataset->is_yaml = ee_is_yaml_name(dataset->files[dataset->next_file]);
  dataset->next_file += 1;
  ee_byte_source_set_interrupt(dataset->source, dataset->interrupt);
  ee_splitter_start(&dataset->splitter, dataset->record_limit);
  ee_buffer_clear(&dataset->rest);
  return EE_OK;
}

static void note_progress(ee_dataset *dataset) {
  atomic_store_explicit(&dataset->taken, dataset->taken_before + ee_byte_source_taken(dataset->source),
                        memory_order_relaxed);
}

static void close_source(ee_dataset *dataset) {
  dataset->taken_before += ee_byte_source_taken(dataset->source);
  ee_byte_source_close(dataset->source);
  dataset->source = NULL;
}

static ee_dataset *new_dataset(const char *const *files, size_t count) {
  ee_dataset *dataset = ee_calloc(1, sizeof *dataset);
  dataset->files = ee_calloc(count, sizeof *dataset->files);
  dataset->file_count = count;
  dataset->block_size = BLOCK_SIZE;
  dataset->record_limit = RECORD_LIMIT;
  ee_buffer_init(&dataset->rest);
  for (size_t i = 0; i < count; i++) {
    size_t size = strlen(files[i]) + 1;
    dataset->files[i] = memcpy(ee_malloc(size), files[i], size);
  }
  return dataset;
}

ee_dataset *ee_dataset_open_made(const char *name, uint64_t total, ee_record_maker *make, void *user) {
  ee_dataset *dataset = new_dataset(&name, 1);
  dataset->total = total;
  dataset->make = make;
  dataset->make_user = user;
  return dataset;
}

ee_dataset *ee_dataset_open(const char *const *files, size_t count, ee_error *error) {
  ee_dataset *dataset = new_dataset(files, count);
  ee_status status = check_files(dataset, error);
  if (status == EE_OK && count > 0) status = open_next(dataset, error);
  if (status == EE_OK) return dataset;
  ee_dataset_close(dataset);
  return NULL;
}

void ee_dataset_close(ee_dataset *dataset) {
  if (dataset == NULL) return;
  ee_byte_source_close(dataset->source);
  ee_case_file_close(dataset->cases);
  for (size_t i = 0; i < dataset->file_count; i++) free(dataset->files[i]);
  free(dataset->files);
  ee_buffer_fini(&dataset->rest);
  free(dataset);
}

void ee_dataset_set_sizes(ee_dataset *dataset, size_t block_size, size_t record_limit) {
  if (block_size > 0) dataset->block_size = block_size;
  if (record_limit == 0) return;
  dataset->record_limit = record_limit;
  dataset->splitter.record_limit = record_limit;
}

void ee_dataset_set_interrupt(ee_dataset *dataset, const volatile sig_atomic_t *flag) {
  dataset->interrupt = flag;
  if (dataset->source != NULL) ee_byte_source_set_interrupt(dataset->source, flag);
}

/* A file without records. */
static void add_file_error(ee_block *block, const ee_error *error) {
  ee_error added;
  ee_error_at(&added, EE_ERROR_DATA, block->file, error->line, error->column, "%s", error->message);
  ee_error_list_add(&block->errors, &added);
  block->unsplit += 1;
}

/* Closes a file that cannot be read further; an incomplete record is lost. Damaged compressed data is an error of this
 * file; anything else ends the run. */
static void stop_reading(ee_dataset *dataset, ee_block *block, const ee_error *error) {
  if (error->status == EE_ERROR_DATA && dataset->is_yaml) {
    add_file_error(block, error);
  } else if (error->status == EE_ERROR_DATA) {
    ee_splitter_abandon(&dataset->splitter, block, error->message);
  } else {
    dataset->failure = *error;
    dataset->next_file = dataset->file_count;
  }
  close_source(dataset);
}

static bool is_empty(const ee_block *block) {
  return block->count == 0 && block->errors.count == 0 && block->unlisted == 0;
}

/* Reads the open file until the block is full or the file ends, which closes it. False if interrupted. Where blocks end
 * depends on how bytes arrive; nothing else may depend on that. */
static bool fill_block(ee_dataset *dataset, ee_block *block) {
  block->file = dataset->files[dataset->next_file - 1];
  ee_buffer_add(&block->text, dataset->rest.data, dataset->rest.length);
  ee_buffer_clear(&dataset->rest);
  size_t taken = block->text.length;
  for (;;) {
    char *room = ee_buffer_reserve(&block->text, dataset->block_size);
    size_t got = 0;
    ee_error error;
    ee_status status = ee_byte_source_read(dataset->source, room, dataset->block_size, &got, &error);
    note_progress(dataset);
    bool interrupted = status != EE_OK && ee_byte_source_interrupted(dataset->source);
    if (status != EE_OK && !interrupted) {
      stop_reading(dataset, block, &error);
      return true;
    }
    if (!interrupted) {
      block->text.length += got;
      taken += got;
      ee_splitter_run(&dataset->splitter, block, got == 0);
      if (got == 0) {
        close_source(dataset);
        return true;
      }
    }
    if (interrupted || (taken >= dataset->block_size && !is_empty(block))) {
      ee_splitter_cut(&dataset->splitter, block, &dataset->rest);
      return !interrupted;
    }
  }
}

/* Reads the whole open YAML file and closes it; then it has cases or the block has an error. False if interrupted; what
 * was read is kept. */
static bool read_cases(ee_dataset *dataset, ee_block *block) {
  ee_buffer *text = &dataset->rest;
  size_t limit = dataset->record_limit < EE_CASE_FILE_LIMIT ? dataset->record_limit : EE_CASE_FILE_LIMIT;
  block->file = dataset->files[dataset->next_file - 1];
  ee_error error;
  for (size_t got = 1; got > 0; text->length += got) {
    char *room = ee_buffer_reserve(text, PIECE_SIZE);
    ee_status status = ee_byte_source_read(dataset->source, room, PIECE_SIZE, &got, &error);
    note_progress(dataset);
    if (status != EE_OK && ee_byte_source_interrupted(dataset->source)) return false;
    if (status == EE_OK && text->length + got > limit)
      status = ee_error_set(&error, EE_ERROR_DATA, "YAML file of more than %zu bytes", limit);
    if (status != EE_OK) {
      stop_reading(dataset, block, &error);
      return true;
    }
  }
  close_source(dataset);
  dataset->cases = ee_case_file_read(block->file, (ee_str){text->data, text->length}, &error);
  dataset->next_case = 0;
  if (dataset->cases == NULL) add_file_error(block, &error);
  ee_buffer_fini(text); /* it may be large */
  return true;
}

/* Fills the block with the next cases; false at the end of the file. */
static bool hand_out_cases(ee_dataset *dataset, ee_block *block) {
  block->file = dataset->files[dataset->next_file - 1];
  dataset->next_case = ee_case_file_fill(dataset->cases, dataset->next_case, dataset->block_size, block);
  if (block->count > 0) return true;
  ee_case_file_close(dataset->cases);
  dataset->cases = NULL;
  return false;
}

/* Fills the block with generated records; false at the end. */
static bool make_block(ee_dataset *dataset, ee_block *block) {
  block->file = dataset->files[0];
  uint64_t made = 0;
  for (size_t start = 0; start < dataset->block_size; start = block->text.length, made++) {
    if (!dataset->make(dataset->make_user, &block->text)) break;
    ee_block_add(block, (ee_record_span){.offset = start, .length = block->text.length - start, .column = 1});
  }
  atomic_fetch_add_explicit(&dataset->taken, made, memory_order_relaxed);
  return made > 0;
}

static ee_status fail(ee_dataset *dataset, ee_error *error) {
  ee_status status = dataset->failure.status;
  if (error != NULL) *error = dataset->failure;
  dataset->failure.status = EE_OK;
  return status;
}

ee_status ee_dataset_next(ee_dataset *dataset, ee_block *block, bool *done, ee_error *error) {
  *done = false;
  clear_block(block);
  if (dataset->make != NULL) {
    *done = !make_block(dataset, block);
    if (!*done) block->ticket = dataset->next_ticket++;
    return EE_OK;
  }
  for (;;) {
    if (dataset->cases != NULL) {
      *done = ee_flag_is_set(dataset->interrupt);
      if (*done) return EE_OK;
      if (!hand_out_cases(dataset, block)) continue;
      block->ticket = dataset->next_ticket++;
      return EE_OK;
    }
    if (dataset->source == NULL) {
      if (dataset->failure.status != EE_OK) return fail(dataset, error);
      if (dataset->next_file == dataset->file_count) {
        *done = true;
        return EE_OK;
      }
      ee_status status = open_next(dataset, error);
      if (status != EE_OK) return status;
    }
    *done = dataset->is_yaml ? !read_cases(dataset, block) : !fill_block(dataset, block);
    if (!is_empty(block)) {
      *done = false;
      block->ticket = dataset->next_ticket++;
      return EE_OK;
    }
    clear_block(block);
    if (*done) return EE_OK;
  }
}

void ee_dataset_set_first_ticket(ee_dataset *dataset, uint64_t first) { dataset->next_ticket = first; }

void ee_dataset_progress(const ee_dataset *dataset, uint64_t *taken, uint64_t *total) {
  *taken = atomic_load_explicit(&dataset->taken, memory_order_relaxed);
  *total = dataset->total;
}
