/* dataset.c: from a list of files to numbered blocks of whole records. */
#include "data/dataset.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "data/byte_source.h"
#include "data/splitter.h"

/* 256 KB of text a block did best with many workers. */
#define BLOCK_SIZE ((size_t)256 * 1024)
#define RECORD_LIMIT ((size_t)1024 * 1024 * 1024)

struct ee_dataset {
  char **files;
  size_t file_count;
  size_t next_file;
  ee_byte_source *source; /* the open file, files[next_file - 1]; NULL between files */
  ee_splitter splitter;
  ee_buffer rest; /* the incomplete record at the end of the last block */
  uint64_t next_ticket;
  size_t block_size, record_limit;
  uint64_t taken_before;  /* bytes of the files that are done */
  uint64_t total;         /* 0: unknown */
  _Atomic uint64_t taken; /* atomic, because a progress line asks while another thread reads */
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

static void clear_block(ee_block *block) {
  ee_buffer_clear(&block->text);
  block->count = 0;
  block->errors.count = 0;
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
  dataset->next_file += 1;
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

ee_dataset *ee_dataset_open(const char *const *files, size_t count, ee_error *error) {
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
  ee_status status = check_files(dataset, error);
  if (status == EE_OK && count > 0) status = open_next(dataset, error);
  if (status == EE_OK) return dataset;
  ee_dataset_close(dataset);
  return NULL;
}

void ee_dataset_close(ee_dataset *dataset) {
  if (dataset == NULL) return;
  ee_byte_source_close(dataset->source);
  for (size_t i = 0; i < dataset->file_count; i++) free(dataset->files[i]);
  free(dataset->files);
  ee_buffer_fini(&dataset->rest);
  free(dataset);
}

void ee_dataset_set_sizes(ee_dataset *dataset, size_t block_size, size_t record_limit) {
  dataset->block_size = block_size;
  dataset->record_limit = record_limit;
  dataset->splitter.record_limit = record_limit;
}

/* A file that stops half-way is an error with the line where it did; the record that was being read is lost with it. */
static void add_read_error(ee_dataset *dataset, ee_block *block, ee_error *error) {
  ee_error placed;
  ee_error_at(&placed, error->status, block->file, (size_t)dataset->splitter.line, 0, "%s", error->message);
  ee_error_list_add(&block->errors, &placed);
}

/* Reads from the open file until the block is full or the file ends, and closes it then. */
static void fill_block(ee_dataset *dataset, ee_block *block) {
  block->file = dataset->files[dataset->next_file - 1];
  ee_buffer_add(&block->text, dataset->rest.data, dataset->rest.length);
  ee_buffer_clear(&dataset->rest);
  for (;;) {
    char *room = ee_buffer_reserve(&block->text, dataset->block_size);
    size_t got = 0;
    ee_error error;
    ee_status status = ee_byte_source_read(dataset->source, room, dataset->block_size, &got, &error);
    note_progress(dataset);
    if (status != EE_OK) {
      add_read_error(dataset, block, &error);
      close_source(dataset);
      return;
    }
    block->text.length += got;
    ee_splitter_run(&dataset->splitter, block, got == 0);
    if (got == 0) {
      close_source(dataset);
      return;
    }
    if (block->errors.count > 0 || (block->count > 0 && block->text.length >= dataset->block_size)) {
      ee_splitter_cut(&dataset->splitter, block, &dataset->rest);
      return;
    }
  }
}

ee_status ee_dataset_next(ee_dataset *dataset, ee_block *block, bool *done, ee_error *error) {
  *done = false;
  clear_block(block);
  for (;;) {
    if (dataset->source == NULL) {
      if (dataset->next_file == dataset->file_count) {
        *done = true;
        return EE_OK;
      }
      ee_status status = open_next(dataset, error);
      if (status != EE_OK) return status;
    }
    fill_block(dataset, block);
    if (block->count > 0 || block->errors.count > 0) {
      block->ticket = dataset->next_ticket++;
      return EE_OK;
    }
    clear_block(block);
  }
}

void ee_dataset_progress(const ee_dataset *dataset, uint64_t *taken, uint64_t *total) {
  *taken = atomic_load_explicit(&dataset->taken, memory_order_relaxed);
  *total = dataset->total;
}
