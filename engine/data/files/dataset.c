/* dataset.c: reads a list of files as numbered blocks of whole records. */
#include "data/files/dataset.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/runtime.h"
#include "data/files/array_seeker.h"
#include "data/files/byte_source.h"
#include "data/files/case_file.h"
#include "data/files/data_part.h"
#include "data/files/file_shape.h"
#include "data/files/folder.h"
#include "data/files/foreign_block.h"
#include "data/files/given_source.h"
#include "data/files/line_base.h"
#include "data/files/nested_records.h"
#include "data/files/record.h"
#include "data/files/sentence_reader.h"
#include "data/files/splitter.h"
#include "data/files/table_reader.h"
#include "data/files/unpack_ahead.h"
#include "data/json/json_scan.h"

/* Measured as best with many workers. */
#define BLOCK_SIZE ((size_t)256 * 1024)
/* Bytes of a YAML file that are read at a time. */
#define PIECE_SIZE ((size_t)256 * 1024)

/* The id of a document that is the only one of its file: the same in every file, so that two such files can be joined.
 */
#define LONE_DOCUMENT "document"
/* Bytes of a line that a message quotes. */
#define LINE_SHOWN 60

/* What the data set has of its files. */
typedef enum extent {
  WHOLE,
  PART, /* bytes `first` to `end` of all files */
  RANGE /* of standard input, which is bytes `first` to `end` of a larger object */
} extent;

struct ee_dataset {
  ee_folder files; /* also those that are in no directory: they give no id */
  ee_error_list notes;
  size_t next_file;
  ee_byte_source *source; /* the open file, files.items[next_file - 1]; NULL between files */
  ee_buffer rest;         /* what was read and is in no block: the beginning of a file whose shape is not known yet, the
                             incomplete record at the end of the last block, a YAML file */
  /* The open file: */
  bool is_yaml;
  ee_shape shape;
  ee_sniffer sniffer;
  ee_splitter splitter;          /* of lines, arrays and documents */
  ee_table_reader *table;        /* NULL: not a table */
  ee_sentence_reader *sentences; /* NULL: not sentences; else its shape is that of a table */
  ee_array_seeker seeker;        /* of a document in which the array of records is looked for */
  bool seeking;
  ee_foreign_blocks foreign; /* of the files of another tool */
  uint64_t records;          /* so far */
  uint64_t last_line;        /* in which a record began */
  /* A file that is closed already: */
  ee_case_file *cases; /* of a YAML file; NULL: none */
  size_t next_case;
  ee_nested_records nested; /* of one document */
  bool looks_inside;        /* of documents */
  bool whole_arrays;        /* the last array in a directory was a document; an empty one is the same */
  bool looked_inside;       /* a file was one value */
  bool knows_arrays;        /* `whole_arrays` is that of the whole data set */
  ee_record_paths paths;
  ee_error failure; /* reported after the records that precede it; EE_OK: none */
  extent extent;
  uint64_t first, end;  /* see there; of records that are made, their numbers */
  uint64_t *starts;     /* of a part: where each file begins, and where the last one ends */
  ee_file_part part;    /* of the open file */
  ee_line_base *before; /* of the open file; NULL: it is read from its beginning */
  ee_line_base *base;   /* of the file inside which the part begins; workers still use it. NULL: none */
  struct {
    EE_LIST(ee_data_range);
  } ranges;
  struct {
    EE_LIST(const char *);
  } unended; /* names of files */
  const volatile sig_atomic_t *interrupt;
  unsigned threads;                         /* that unpack */
  ee_byte_source *coming[EE_AHEAD_THREADS]; /* the next files, which are unpacked already */
  size_t coming_count;
  ee_element_taker *take; /* NULL: there is no taker */
  void *take_user;
  ee_record_maker *make; /* NULL: records are read */
  void *make_user;
  ee_boxes_maker *make_boxes;
  uint64_t made, total_made; /* records so far, with those before the part; and in all */
  uint64_t next_ticket;
  size_t block_size, record_limit, file_limit;
  uint64_t taken_before;  /* bytes of the files that are done */
  uint64_t total;         /* 0: unknown */
  _Atomic uint64_t taken; /* atomic, because another thread shows progress */
};

static void clear_block(ee_block *block) {
  ee_buffer_clear(&block->text);
  block->count = 0;
  block->errors.count = 0;
  block->unlisted = block->unsplit = 0;
  block->file = block->name = NULL;
  block->before = NULL;
  block->make_boxes = NULL;
}

/* Opening -------------------------------------------------------------------------------------- */

static char *copy(const char *text) {
  size_t size = strlen(text) + 1;
  return memcpy(ee_malloc(size), text, size);
}

static void add_file(ee_dataset *dataset, const char *file) {
  *EE_LIST_ADD(&dataset->files, NULL) = (ee_folder_file){.path = copy(file)};
}

static void add_note(ee_dataset *dataset, const char *directory, const ee_folder *folder) {
  if (folder->others == 0) return;
  ee_error note;
  ee_error_at(&note, EE_OK, directory, 0, 0, "%zu other file%s not read, for example '%s'", folder->others,
              folder->others == 1 ? " is" : "s are", folder->example);
  ee_error_list_add(&dataset->notes, &note);
}

/* Of a directory without data files: with what it has instead. */
static ee_status fail_without_data(const char *directory, const ee_folder *folder, ee_error *error) {
  static const char without[] = "no data files (*.json, *.jsonl, *.csv, *.tsv) in";
  if (folder->others == 0) return ee_error_set(error, EE_ERROR_SYSTEM, "%s '%s'", without, directory);
  return ee_error_set(error, EE_ERROR_SYSTEM, "%s '%s', but %zu other file%s, for example '%s'", without, directory,
                      folder->others, folder->others == 1 ? "" : "s", folder->example);
}

/* Adds the data files in a directory. */
static ee_status add_directory(ee_dataset *dataset, const char *directory, ee_error *error) {
  ee_folder folder;
  ee_status status = ee_folder_read(directory, &folder, error);
  if (status == EE_OK && folder.count == 0) status = fail_without_data(directory, &folder, error);
  if (status != EE_OK) {
    ee_folder_fini(&folder);
    return status;
  }
  add_note(dataset, directory, &folder);
  EE_LIST_RESERVE(&dataset->files, NULL, folder.count);
  for (size_t i = 0; i < folder.count; i++) dataset->files.items[dataset->files.count++] = folder.items[i];
  folder.count = 0; /* its files were handed over */
  ee_folder_fini(&folder);
  return EE_OK;
}

/* Checks that an operand can be read, and adds it, or the files in it. */
static ee_status add_operand(ee_dataset *dataset, const char *file, bool *has_standard_input, ee_error *error) {
  if (strcmp(file, "-") == 0) {
    if (*has_standard_input) return ee_error_set(error, EE_ERROR_SYSTEM, "standard input '-' is given twice");
    *has_standard_input = true;
    add_file(dataset, file);
    return EE_OK;
  }
  struct stat facts;
  if (ee_given_source_find(file) != NULL) {
    add_file(dataset, file);
    return EE_OK;
  }
  bool is_there = access(file, R_OK) == 0;
  if (is_there) is_there = stat(file, &facts) == 0;
  if (!is_there) return ee_error_set(error, EE_ERROR_SYSTEM, "cannot open '%s': %s", file, strerror(errno));
  if (S_ISDIR(facts.st_mode)) return add_directory(dataset, file, error);
  add_file(dataset, file);
  return EE_OK;
}

/* False if the size is not known: standard input, a pipe. */
static bool find_size(const char *file, uint64_t *size) {
  struct stat facts = {.st_mode = 0};
  const ee_given_source *given = ee_given_source_find(file);
  if (given != NULL) {
    *size = given->length;
    return given->text != NULL;
  }
  if (strcmp(file, "-") != 0) (void)stat(file, &facts);
  *size = (uint64_t)facts.st_size;
  return S_ISREG(facts.st_mode);
}

/* The bytes of all files; 0 if not known. */
static uint64_t total_size(const ee_dataset *dataset) {
  uint64_t total = 0, size;
  for (size_t i = 0; i < dataset->files.count; i++) {
    if (!find_size(dataset->files.items[i].path, &size)) return 0;
    total += size;
  }
  return total;
}

/* The open file, or the last one. */
static const ee_folder_file *current_file(const ee_dataset *dataset) {
  return &dataset->files.items[dataset->next_file - 1];
}

/* Passes the files that are outside of the part. */
static void pass_files(ee_dataset *dataset) {
  const uint64_t *starts = dataset->starts;
  if (dataset->first == dataset->end) dataset->next_file = dataset->files.count;
  while (dataset->next_file < dataset->files.count &&
         (starts[dataset->next_file + 1] <= dataset->first || starts[dataset->next_file] >= dataset->end))
    dataset->next_file += 1;
}

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* What the part has of the file that is opened next. */
static ee_file_part part_of_next(const ee_dataset *dataset) {
  ee_file_part part = {.is_cut = false};
  if (dataset->extent == WHOLE) return part;
  uint64_t start = 0, end = UINT64_MAX;
  if (dataset->extent == PART) {
    start = dataset->starts[dataset->next_file];
    end = dataset->starts[dataset->next_file + 1];
  }
  part.from = larger(dataset->first, start) - start;
  part.to = smaller(dataset->end, end) - start;
  part.size = end - start;
  part.is_cut = part.from > 0 || part.to < part.size;
  return part;
}

/* The open file of another tool may be an archive. */
static void read_archives(ee_dataset *dataset) {
  const ee_foreign_use *use = dataset->foreign.use;
  if (use != NULL && dataset->source != NULL) ee_byte_source_set_entries(dataset->source, use->format->entries);
}

/* Starts with the file that `source` reads. */
static void start_file(ee_dataset *dataset, ee_byte_source *source) {
  dataset->source = source;
  dataset->part = part_of_next(dataset);
  dataset->before = NULL;
  dataset->is_yaml = ee_is_yaml_name(dataset->files.items[dataset->next_file].path);
  dataset->next_file += 1;
  ee_byte_source_set_interrupt(source, dataset->interrupt);
  read_archives(dataset);
  dataset->shape = EE_SHAPE_UNDECIDED;
  dataset->sniffer = (ee_sniffer){.scanned = 0};
  dataset->records = dataset->last_line = 0;
  ee_buffer_clear(&dataset->rest);
}

static bool is_packed_name(const char *path) {
  const char *suffix = strrchr(path, '.');
  return suffix != NULL && (strcmp(suffix, ".gz") == 0 || strcmp(suffix, ".zst") == 0);
}

/* Begins to unpack the next files. One that cannot be opened is reported when its turn comes. */
static void unpack_coming(ee_dataset *dataset) {
  size_t limit = dataset->threads < EE_AHEAD_THREADS ? dataset->threads : EE_AHEAD_THREADS;
  while (dataset->coming_count + 1 < limit) {
    size_t next = dataset->next_file + dataset->coming_count;
    bool wanted = next < dataset->files.count && is_packed_name(dataset->files.items[next].path) &&
                  (dataset->extent == WHOLE || dataset->starts[next] < dataset->end);
    ee_byte_source *source = wanted ? ee_byte_source_open(dataset->files.items[next].path, NULL) : NULL;
    if (source == NULL) return;
    ee_byte_source_set_threads(source, dataset->threads);
    ee_byte_source_start(source);
    dataset->coming[dataset->coming_count++] = source;
  }
}

static void drop_coming(ee_dataset *dataset) {
  while (dataset->coming_count > 0) ee_byte_source_close(dataset->coming[--dataset->coming_count]);
}

static ee_status open_next(ee_dataset *dataset, ee_error *error) {
  ee_byte_source *source = NULL;
  if (dataset->coming_count > 0) {
    source = dataset->coming[0];
    memmove(dataset->coming, dataset->coming + 1, --dataset->coming_count * sizeof source);
  } else {
    source = ee_byte_source_open(dataset->files.items[dataset->next_file].path, error);
    if (source != NULL) ee_byte_source_set_threads(source, dataset->threads);
  }
  if (source != NULL) {
    start_file(dataset, source);
    unpack_coming(dataset);
    return EE_OK;
  }
  dataset->next_file = dataset->files.count; /* the run ends here */
  return EE_ERROR_SYSTEM;
}

/* Bytes of the open file that were read, and are of the part. */
static uint64_t taken_of_file(const ee_dataset *dataset) {
  uint64_t taken = ee_byte_source_taken(dataset->source);
  return dataset->part.is_cut ? smaller(taken, dataset->part.to - dataset->part.from) : taken;
}

static void note_progress(ee_dataset *dataset) {
  atomic_store_explicit(&dataset->taken, dataset->taken_before + taken_of_file(dataset), memory_order_relaxed);
}

static void close_source(ee_dataset *dataset) {
  ee_data_range *range = dataset->ranges.count > 0 ? &dataset->ranges.items[dataset->ranges.count - 1] : NULL;
  if (range != NULL && range->size == UINT64_MAX) range->to = range->size = ee_byte_source_taken(dataset->source);
  dataset->taken_before += taken_of_file(dataset);
  ee_byte_source_close(dataset->source);
  dataset->source = NULL;
  ee_table_reader_free(dataset->table);
  dataset->table = NULL;
  ee_sentence_reader_free(dataset->sentences);
  dataset->sentences = NULL;
}

static ee_dataset *new_dataset(void) {
  ee_dataset *dataset = ee_calloc(1, sizeof *dataset);
  dataset->block_size = BLOCK_SIZE;
  dataset->record_limit = ee_bound_size(EE_BOUND_RECORD);
  dataset->file_limit = ee_bound_size(EE_BOUND_FILE);
  ee_buffer_init(&dataset->rest);
  ee_error_list_init(&dataset->notes);
  return dataset;
}

ee_dataset *ee_dataset_open_made(const char *name, uint64_t total, ee_record_maker *make, void *user) {
  ee_dataset *dataset = new_dataset();
  add_file(dataset, name);
  ee_folder_name_files(&dataset->files);
  dataset->total = total;
  dataset->total_made = total;
  dataset->end = UINT64_MAX;
  dataset->make = make;
  dataset->make_user = user;
  return dataset;
}

ee_dataset *ee_dataset_open_source(const char *name, ee_byte_source *source, ee_buffer *text) {
  ee_dataset *dataset = new_dataset();
  add_file(dataset, name);
  ee_folder_name_files(&dataset->files);
  start_file(dataset, source);
  dataset->rest = *text;
  ee_buffer_init(text);
  return dataset;
}

ee_dataset *ee_dataset_open(const char *const *files, size_t count, ee_error *error) {
  ee_dataset *dataset = new_dataset();
  ee_status status = EE_OK;
  bool has_standard_input = false;
  for (size_t i = 0; status == EE_OK && i < count; i++) {
    size_t before = dataset->files.count;
    status = add_operand(dataset, files[i], &has_standard_input, error);
    for (size_t k = before; k < dataset->files.count; k++) dataset->files.items[k].operand = i;
  }
  dataset->total = status == EE_OK ? total_size(dataset) : 0;
  ee_folder_name_files(&dataset->files);
  if (status == EE_OK && count > 0) status = open_next(dataset, error);
  if (status == EE_OK) return dataset;
  ee_dataset_close(dataset);
  return NULL;
}

void ee_dataset_close(ee_dataset *dataset) {
  if (dataset == NULL) return;
  drop_coming(dataset);
  ee_byte_source_close(dataset->source);
  ee_table_reader_free(dataset->table);
  ee_sentence_reader_free(dataset->sentences);
  ee_foreign_blocks_fini(&dataset->foreign);
  ee_case_file_close(dataset->cases);
  ee_nested_records_fini(&dataset->nested);
  ee_folder_fini(&dataset->files);
  ee_error_list_fini(&dataset->notes);
  ee_buffer_fini(&dataset->rest);
  ee_line_base_free(dataset->base);
  EE_LIST_FINI(&dataset->ranges);
  EE_LIST_FINI(&dataset->unended);
  ee_free(dataset->starts);
  ee_free(dataset);
}

const ee_error_list *ee_dataset_notes(const ee_dataset *dataset) { return &dataset->notes; }

bool ee_dataset_looked_inside(const ee_dataset *dataset) { return dataset->looked_inside; }

size_t ee_dataset_file_count(const ee_dataset *dataset) { return dataset->files.count; }

ee_str ee_dataset_file_id(const ee_dataset *dataset, size_t number) {
  const char *id = dataset->files.items[number].id;
  return id != NULL ? ee_str_from(id) : (ee_str){NULL, 0};
}

ee_status ee_dataset_cut_names(ee_dataset *dataset, ee_str prefix, ee_str suffix, ee_error *error) {
  ee_folder *files = &dataset->files;
  size_t kept = 0;
  for (size_t i = 0; i < files->count; i++) {
    ee_folder_file *file = &files->items[i];
    ee_str name = ee_dataset_file_id(dataset, i);
    if (name.data == NULL || ee_str_cut(&name, prefix, suffix)) {
      if (name.data != NULL) {
        memmove(file->id, name.data, name.length);
        file->id[name.length] = '\0';
      }
      files->items[kept++] = *file;
    } else {
      ee_free(file->path);
      ee_free(file->id);
      ee_free(file->numbered);
    }
  }
  files->count = kept;
  ee_folder_name_files(files);
  close_source(dataset);
  dataset->taken_before = 0;
  dataset->next_file = 0;
  dataset->total = total_size(dataset);
  return kept > 0 ? open_next(dataset, error) : EE_OK;
}

/* Parts ---------------------------------------------------------------------------------------- */

/* Goes on with the line that begins at the part's first byte or after it. */
static void start_inside(ee_dataset *dataset, bool is_file) {
  uint64_t byte = dataset->part.from - 1; /* tells whether a line begins there */
  ee_splitter_start_inside(&dataset->splitter, dataset->record_limit, byte);
  dataset->base = dataset->before = ee_line_base_new(current_file(dataset)->path, is_file, byte);
}

/* The bytes of each file, by which they are cut. */
static ee_status measure(ee_dataset *dataset, ee_error *error) {
  const ee_folder *files = &dataset->files;
  dataset->starts = ee_calloc(files->count + 1, sizeof *dataset->starts);
  for (size_t i = 0; i < files->count; i++) {
    struct stat facts;
    const char *path = files->items[i].path;
    if (strcmp(path, "-") == 0)
      return ee_error_set(error, EE_ERROR_USAGE,
                          "standard input cannot be cut into parts: cut it where it is made, and name each part with "
                          "--part I/N instead of --shard I/N");
    if (ee_given_source_find(path) != NULL)
      return ee_error_set(error, EE_ERROR_USAGE,
                          "'%s' cannot be cut into parts, because it is not a file; cut it where it is made", path);
    if (stat(path, &facts) != 0)
      return ee_error_set(error, EE_ERROR_SYSTEM, "cannot open '%s': %s", path, strerror(errno));
    if (!S_ISREG(facts.st_mode))
      return ee_error_set(error, EE_ERROR_USAGE,
                          "'%s' cannot be cut into parts: it is not a regular file; cut it where it is made, and name "
                          "each part with --part I/N instead of --shard I/N",
                          path);
    dataset->starts[i + 1] = dataset->starts[i] + (uint64_t)facts.st_size;
  }
  return EE_OK;
}

static void add_range(ee_dataset *dataset, const ee_folder_file *file, ee_data_unit unit, uint64_t from, uint64_t to,
                      uint64_t size) {
  *EE_LIST_ADD(&dataset->ranges, NULL) = (ee_data_range){file->name, unit, from, to, size};
}

ee_status ee_dataset_take_part(ee_dataset *dataset, uint64_t part, uint64_t of, ee_error *error) {
  ee_status status = dataset->make == NULL ? measure(dataset, error) : EE_OK;
  if (status != EE_OK) return status;
  uint64_t size = dataset->make == NULL ? dataset->starts[dataset->files.count] : dataset->total_made;
  dataset->extent = PART;
  dataset->first = ee_part_end(size, part - 1, of);
  dataset->end = ee_part_end(size, part, of);
  dataset->total = dataset->end - dataset->first;
  if (dataset->make != NULL || dataset->source == NULL) return EE_OK;
  close_source(dataset);
  dataset->taken_before = 0;
  dataset->next_file = 0;
  pass_files(dataset);
  return dataset->next_file < dataset->files.count ? open_next(dataset, error) : EE_OK;
}

ee_status ee_dataset_take_range(ee_dataset *dataset, uint64_t from, uint64_t to, ee_error *error) {
  if (dataset->files.count != 1 || strcmp(dataset->files.items[0].path, "-") != 0)
    return ee_error_set(error, EE_ERROR_USAGE,
                        "--range is of standard input ('-' alone): files are cut with --shard I/N");
  dataset->extent = RANGE;
  dataset->first = from;
  dataset->end = to;
  dataset->total = to - from;
  dataset->next_file = 0;
  start_file(dataset, dataset->source);
  if (from == 0) return EE_OK;
  /* The beginning, which tells the shape, is not there. */
  ee_byte_source_set_plain(dataset->source);
  dataset->shape = EE_SHAPE_LINES;
  start_inside(dataset, false);
  add_range(dataset, current_file(dataset), EE_DATA_BYTES, from, to, 0);
  return EE_OK;
}

size_t ee_dataset_ranges(const ee_dataset *dataset, const ee_data_range **ranges) {
  *ranges = dataset->ranges.items;
  return dataset->ranges.count;
}

size_t ee_dataset_unended(const ee_dataset *dataset, const char *const **names) {
  *names = dataset->unended.items;
  return dataset->unended.count;
}

uint64_t ee_dataset_cut_hash(const ee_dataset *dataset) {
  ee_buffer text = {0};
  for (size_t i = 0; dataset->starts != NULL && i < dataset->files.count; i++)
    ee_buffer_addf(&text, "%s\n%" PRIu64 "\n", dataset->files.items[i].name,
                   dataset->starts[i + 1] - dataset->starts[i]);
  uint64_t hash = ee_hash_bytes(text.data, text.length, 0);
  ee_buffer_fini(&text);
  return hash + (hash == 0);
}

uint64_t ee_dataset_line(const ee_dataset *dataset, const char *file, uint64_t line) {
  bool is_cut = dataset->base != NULL && ee_line_base_is_of(dataset->base, file);
  return is_cut ? ee_line_base_line(dataset->base, line) : line;
}

void ee_dataset_look_inside(ee_dataset *dataset, const ee_record_paths *paths) {
  dataset->looks_inside = true;
  if (paths == NULL) return;
  dataset->paths = *paths;
  if (paths->from != NULL && !paths->from->format->coco) ee_foreign_blocks_init(&dataset->foreign, paths->from);
  read_archives(dataset);
}

const ee_foreign_seen *ee_dataset_foreign(const ee_dataset *dataset) { return &dataset->foreign.seen; }

void ee_dataset_set_sizes(ee_dataset *dataset, size_t block_size, size_t record_limit) {
  if (block_size > 0) dataset->block_size = block_size;
  if (record_limit > 0) dataset->record_limit = dataset->file_limit = record_limit;
}

void ee_dataset_set_threads(ee_dataset *dataset, unsigned threads) {
  dataset->threads = threads;
  if (dataset->source != NULL) ee_byte_source_set_threads(dataset->source, threads);
  if (dataset->source != NULL) unpack_coming(dataset);
}

void ee_dataset_set_interrupt(ee_dataset *dataset, const volatile sig_atomic_t *flag) {
  dataset->interrupt = flag;
  if (dataset->source != NULL) ee_byte_source_set_interrupt(dataset->source, flag);
}

/* Reading -------------------------------------------------------------------------------------- */

/* A file without records. */
static void add_file_error(ee_block *block, const ee_error *error) {
  ee_error added;
  ee_error_at(&added, EE_ERROR_DATA, block->file, error->line, error->column, "%s", error->message);
  ee_error_list_add(&block->errors, &added);
  block->unsplit += 1;
}

static void note_unended(ee_dataset *dataset) { *EE_LIST_ADD(&dataset->unended, NULL) = current_file(dataset)->name; }

/* Closes a file that cannot be read further; an incomplete record is lost. Damaged compressed data is an error of this
 * file; anything else ends the run. */
static void stop_reading(ee_dataset *dataset, ee_block *block, const ee_error *error) {
  if (error->status != EE_ERROR_DATA) {
    dataset->failure = *error;
    dataset->next_file = dataset->files.count;
    close_source(dataset);
    return;
  }
  note_unended(dataset);
  if (dataset->is_yaml || dataset->shape == EE_SHAPE_OTHER) {
    add_file_error(block, error);
  } else if (dataset->sentences != NULL) {
    ee_sentence_reader_end(dataset->sentences, error->message, block);
  } else if (dataset->table != NULL) {
    ee_table_reader_end(dataset->table, error->message, block);
  } else {
    ee_splitter_abandon(&dataset->splitter, block, error->message);
  }
  close_source(dataset);
}

static bool is_empty(const ee_block *block) {
  return block->count == 0 && block->errors.count == 0 && block->unlisted == 0;
}

/* What reading the next bytes of the open file led to. */
typedef enum outcome { GOT_BYTES, AT_END, INTERRUPTED, FAILED } outcome;

/* Appends the next bytes to `text`. */
static outcome read_piece(ee_dataset *dataset, ee_buffer *text, ee_error *error) {
  char *room = ee_buffer_reserve(text, dataset->block_size);
  size_t got = 0;
  ee_status status = ee_byte_source_read(dataset->source, room, dataset->block_size, &got, error);
  note_progress(dataset);
  if (status != EE_OK) return ee_byte_source_interrupted(dataset->source) ? INTERRUPTED : FAILED;
  text->length += got;
  return got > 0 ? GOT_BYTES : AT_END;
}

/* In a directory an empty array is what the last array before it was. A part that did not read that array looks for it:
 * at the beginnings of the files before this one, the next first. */
static void look_back(ee_dataset *dataset) {
  ee_buffer head;
  ee_buffer_init(&head);
  bool found = false;
  for (size_t i = dataset->next_file - 1; i > 0 && !found; i--) {
    const ee_folder_file *file = &dataset->files.items[i - 1];
    ee_byte_source *source = ee_is_yaml_name(file->path) ? NULL : ee_byte_source_open(file->path, NULL);
    ee_buffer_clear(&head);
    if (source != NULL) ee_byte_source_set_brief(source);
    if (source != NULL) (void)ee_byte_source_read_rest(source, EE_SHAPE_WINDOW, &head, NULL);
    ee_byte_source_close(source);
    ee_str text = {head.data, head.length < EE_SHAPE_WINDOW ? head.length : EE_SHAPE_WINDOW};
    ee_sniffer sniffer = {.scanned = 0};
    if (head.length == 0 || ee_sniff(&sniffer, text, true) != EE_SHAPE_ARRAY) continue;
    bool complete;
    ee_array_use use = ee_array_use_find(text, &dataset->paths, file->id != NULL, &complete);
    found = use != EE_ARRAY_EMPTY;
    dataset->whole_arrays = use == EE_ARRAY_DOCUMENT;
  }
  ee_buffer_fini(&head);
}

/* Makes an array that is one document a document. False if more of the file has to be read for this. */
static bool find_array_use(ee_dataset *dataset, bool at_end) {
  if (dataset->shape != EE_SHAPE_ARRAY || !dataset->looks_inside) return true;
  bool cut = dataset->rest.length > EE_SHAPE_WINDOW, complete;
  ee_str head = {dataset->rest.data, cut ? EE_SHAPE_WINDOW : dataset->rest.length};
  bool in_directory = current_file(dataset)->id != NULL;
  ee_array_use use = ee_array_use_find(head, &dataset->paths, in_directory, &complete);
  if (!complete && !cut && !at_end) return false;
  if (use == EE_ARRAY_EMPTY && dataset->extent == PART && !dataset->knows_arrays) look_back(dataset);
  if (use != EE_ARRAY_EMPTY) dataset->whole_arrays = use == EE_ARRAY_DOCUMENT;
  dataset->knows_arrays = true;
  if (dataset->whole_arrays) dataset->shape = EE_SHAPE_DOCUMENTS;
  return true;
}

/* Where the first record begins in what was read. */
static size_t first_byte(const ee_buffer *head) {
  ee_str text = {head->data, head->length};
  size_t mark = ee_mark_length(text);
  return (size_t)(ee_json_skip_space(text.data + mark, text.data + text.length) - text.data);
}

/* Whether the first line is the beginning of a value that goes on: records that begin their lines, in an object. The
 * text is not blank: of blanks alone no shape is found. */
static bool is_cut_by_lines(const ee_buffer *head) {
  const char *end = head->data + head->length, *at = head->data + first_byte(head);
  const char *newline = memchr(at, '\n', (size_t)(end - at));
  ee_json_scan scan = ee_json_scan_of((ee_str){at, (size_t)((newline != NULL ? newline : end) - at)});
  return ee_json_skip_value(&scan, at) == NULL && scan.cut;
}

/* Reads the beginning of the open file until its shape is known. False if interrupted; what was read is kept. */
static bool find_shape(ee_dataset *dataset) {
  ee_buffer *head = &dataset->rest;
  const ee_foreign_format *format = dataset->foreign.use != NULL ? dataset->foreign.use->format : NULL;
  bool at_end = false;
  dataset->seeking = false;
  if (format != NULL && format->sentences) {
    dataset->shape = EE_SHAPE_TABLE;
    dataset->sentences = ee_sentence_reader_new(dataset->record_limit, current_file(dataset)->id);
    return true;
  }
  while (true) {
    /* Longer records than the limit are errors of JSONL. */
    at_end = at_end || head->length > dataset->record_limit + EE_SHAPE_WINDOW;
    if (head->length > 0 || at_end)
      dataset->shape = ee_sniff(&dataset->sniffer, (ee_str){head->data, head->length}, at_end);
    if (dataset->shape != EE_SHAPE_UNDECIDED && find_array_use(dataset, at_end)) break;
    ee_error met_again; /* with the next bytes */
    outcome next = read_piece(dataset, head, &met_again);
    if (next == INTERRUPTED) return false;
    at_end = next != GOT_BYTES;
  }
  if (format != NULL && format->arrays != NULL && dataset->shape == EE_SHAPE_LINES && is_cut_by_lines(head))
    dataset->shape = EE_SHAPE_DOCUMENTS;
  if (dataset->shape == EE_SHAPE_TABLE)
    dataset->table = ee_table_reader_new(dataset->sniffer.separator, dataset->record_limit);
  else
    ee_splitter_start(&dataset->splitter, dataset->record_limit, dataset->shape == EE_SHAPE_DOCUMENTS);
  ee_splitter_set_taker(&dataset->splitter, dataset->take, dataset->take_user);
  if (dataset->shape != EE_SHAPE_DOCUMENTS) return true;
  ee_splitter_set_file_limit(&dataset->splitter, dataset->file_limit);
  dataset->seeking = format != NULL && format->arrays != NULL;
  if (dataset->seeking) dataset->seeker = (ee_array_seeker){.paths = format->arrays};
  return true;
}

/* The bytes of the file; UINT64_MAX: not known before the end. */
static uint64_t size_of(const ee_dataset *dataset) {
  uint64_t size;
  if (dataset->extent == RANGE) return 0;
  if (dataset->part.is_cut) return dataset->part.size;
  return find_size(current_file(dataset)->path, &size) ? size : UINT64_MAX;
}

/* Once the kind of the open file is known: what of it is in the part, and lines are read from there on. False if
 * nothing of it is; the file is closed. */
static bool start_part(ee_dataset *dataset) {
  ee_file_part *part = &dataset->part;
  const ee_folder_file *file = current_file(dataset);
  uint64_t size = size_of(dataset);
  bool plain = ee_byte_source_is_plain(dataset->source);
  if (dataset->extent == RANGE && (!plain || dataset->shape != EE_SHAPE_LINES)) {
    ee_error_set(&dataset->failure, EE_ERROR_SYSTEM,
                 "--range is of JSONL, and standard input is %s: only --shard I/N of the file can cut that",
                 !plain                                 ? "packed or UTF-16"
                 : dataset->shape == EE_SHAPE_ARRAY     ? "a JSON array"
                 : dataset->shape == EE_SHAPE_TABLE     ? "a table"
                 : dataset->shape == EE_SHAPE_DOCUMENTS ? "JSON that spans lines, or one record"
                                                        : "no data");
    dataset->next_file = dataset->files.count;
    close_source(dataset);
    return false;
  }
  if (!part->is_cut) {
    add_range(dataset, file, plain ? EE_DATA_BYTES : EE_DATA_FILE, 0, size, size);
    return true;
  }
  if (!plain && part->from > 0) {
    ee_buffer_clear(&dataset->rest);
    close_source(dataset);
    return false;
  }
  part->is_cut = plain;
  add_range(dataset, file, plain ? EE_DATA_BYTES : EE_DATA_FILE, part->from, plain ? part->to : size, size);
  if (dataset->shape != EE_SHAPE_LINES || part->from <= first_byte(&dataset->rest)) return true;
  ee_buffer_clear(&dataset->rest);
  start_inside(dataset, true);
  ee_byte_source_seek(dataset->source, part->from - 1);
  return true;
}

/* Makes records that are too long errors: a document that turned out to be a record, and records within one. */
static void drop_long_records(ee_dataset *dataset, ee_block *block) {
  size_t kept = 0;
  uint64_t unlisted = 0, after = block->unlisted; /* errors before the next record, and after the last one */
  for (size_t i = 0; i < block->count; i++) {
    ee_record_span span = block->records[i];
    span.unlisted += unlisted;
    unlisted = 0;
    if (span.length <= dataset->record_limit) {
      block->records[kept++] = span;
      continue;
    }
    char message[100], found[EE_BOUND_TEXT], limit[EE_BOUND_TEXT];
    snprintf(message, sizeof message, "record of %s, longer than %s (--max-record)", ee_size_text(span.length, found),
             ee_size_text(dataset->record_limit, limit));
    size_t at = block->errors.count;
    block->unlisted = 0;
    ee_block_add_error(block, &dataset->splitter.errors, span.byte, span.line, span.column, message);
    /* In order, as the reader of the block expects it. */
    for (; at > 0 && at < block->errors.count && block->errors.items[at - 1].offset > span.byte; at--) {
      ee_error before = block->errors.items[at - 1];
      block->errors.items[at - 1] = block->errors.items[at];
      block->errors.items[at] = before;
    }
    unlisted = span.unlisted + block->unlisted;
  }
  block->count = kept;
  block->unlisted = after + unlisted;
}

/* Marks records that begin in a line in which another one began. */
static void find_shared_lines(ee_dataset *dataset, ee_block *block) {
  for (size_t i = 0; i < block->count; i++) {
    ee_record_span *span = &block->records[i];
    span->shares_line = span->line == dataset->last_line;
    dataset->last_line = span->line;
  }
}

/* Drops what is not in the part; then the file may be done. */
static void keep_part(ee_dataset *dataset, ee_block *block) {
  ee_file_part *part = &dataset->part;
  block->before = dataset->before;
  part->places = dataset->cases != NULL ? dataset->cases->count : 0;
  bool at_end = dataset->source == NULL && dataset->cases == NULL && dataset->nested.nesting == EE_NESTING_NONE;
  if (ee_file_part_keep(part, block, at_end) && !at_end) {
    if (dataset->source != NULL) close_source(dataset);
    ee_case_file_close(dataset->cases);
    dataset->cases = NULL;
    ee_nested_records_fini(&dataset->nested);
  }
  if (block->before == NULL) return;
  for (size_t i = 0; i < block->errors.count; i++) ee_block_place_error(block, &block->errors.items[i]);
}

/* The only document of a file, in `block`, and the file is closed: it gets its file's name as id, or it has the records
 * in it. */
static void finish_document(ee_dataset *dataset, ee_block *block) {
  const char *id = current_file(dataset)->id; /* NULL: not in a directory */
  ee_record_span *span = &block->records[0];
  dataset->looked_inside = true;
  if (dataset->looks_inside && dataset->foreign.use == NULL && (id == NULL || dataset->paths.records.count > 0)) {
    ee_error error;
    ee_nesting nesting =
        ee_nested_records_find(&dataset->nested, &block->text, span, &dataset->paths, id != NULL, &error);
    if (nesting == EE_NESTING_DOCUMENT && id == NULL) id = LONE_DOCUMENT;
    bool is_taken = nesting != EE_NESTING_NONE && nesting != EE_NESTING_DOCUMENT;
    if (is_taken) block->count = 0;
    if (nesting == EE_NESTING_UNCLEAR) {
      error.line = (size_t)span->line;
      error.column = (size_t)span->column;
      add_file_error(block, &error);
    }
    if (is_taken) return;
  }
  if (id == NULL) return;
  span->id = block->text.length;
  span->id_length = strlen(id);
  ee_buffer_add(&block->text, id, span->id_length);
}

/* Whether what begins at `byte` is after the part. The end of the file has to be seen, by the part that has it. */
static bool ends_part(const ee_file_part *part, uint64_t byte) {
  return part->is_cut && part->to < part->size && byte >= part->to;
}

/* At the end of standard input: fails if that is not the end of the range, and drops the record that was cut. */
static void check_range(ee_dataset *dataset, ee_buffer *text) {
  uint64_t begin = dataset->first > 0 ? dataset->first - 1 : 0, end = begin + ee_byte_source_taken(dataset->source);
  uint64_t line = ee_splitter_byte(&dataset->splitter);
  size_t start = dataset->splitter.start;
  ee_json_scan scan = ee_json_scan_of((ee_str){text->data + start, text->length - start});
  const char *value = text->length > start ? ee_json_skip_space(scan.start, scan.end) : scan.end;
  bool is_inside = value != scan.end && line < dataset->end; /* unreached: what begins after it ended the part */
  if (end < dataset->end)
    ee_error_set(&dataset->failure, EE_ERROR_SYSTEM,
                 "standard input ends at byte %" PRIu64 ", before byte %" PRIu64
                 ", where --range ends: it was cut short, or the object is smaller",
                 end, dataset->end);
  else if (is_inside && ee_json_skip_value(&scan, value) == NULL && scan.cut)
    ee_error_set(&dataset->failure, EE_ERROR_SYSTEM,
                 "standard input ends at byte %" PRIu64 ", in the middle of the record that begins at byte %" PRIu64,
                 end, line);
  if (dataset->failure.status == EE_OK) return;
  dataset->next_file = dataset->files.count;
  text->length = start;
}

/* Looks for the array of records in the document that has been read so far; what was passed of a long one is dropped.
 * False: there is none, which is the file's error, and it is closed. Still `seeking`: it has not come yet. */
static bool seek_array(ee_dataset *dataset, ee_block *block, bool at_end) {
  ee_buffer *text = &block->text;
  ee_array_seeker *seeker = &dataset->seeker;
  uint64_t dropped = dataset->splitter.text_byte;
  size_t at = (size_t)(seeker->byte - dropped);
  ee_seek seek = ee_array_seeker_run(seeker, (ee_str){text->data, text->length}, &at);
  bool ended = seek == EE_SEEK_ABSENT || at_end; /* where nothing new is found */
  dataset->seeking = seek == EE_SEEK_MORE && !at_end;
  if (ended && dropped == 0) return true; /* the document is a record, or one of several */
  if (dataset->seeking && text->length <= dataset->record_limit) return true;
  text->length -= at;
  memmove(text->data, text->data + at, text->length);
  dataset->splitter.text_byte = seeker->byte;
  if (seek == EE_SEEK_FOUND) {
    dataset->shape = EE_SHAPE_ARRAY;
    ee_splitter_start_array(&dataset->splitter, dataset->record_limit, seeker->byte, seeker->line + 1,
                            seeker->line_byte);
  }
  if (!ended) return true;
  ee_error error = {.line = 0};
  ee_error_set(&error, EE_ERROR_DATA, "no array of records at '%s': not %s", seeker->paths[0],
               dataset->foreign.use->format->what);
  add_file_error(block, &error);
  ee_buffer_clear(text);
  close_source(dataset);
  return false;
}

/* Reads lines, an array or documents until the block is full or the file ends, which closes it. False if interrupted.
 * Where blocks end depends on how bytes arrive; nothing else may depend on that. */
static bool fill_block(ee_dataset *dataset, ee_block *block) {
  bool documents = dataset->shape == EE_SHAPE_DOCUMENTS;
  size_t taken = 0;
  for (;;) {
    ee_error error;
    size_t before = block->text.length;
    outcome next = GOT_BYTES;
    if (dataset->rest.length > 0) {
      ee_buffer_add(&block->text, dataset->rest.data, dataset->rest.length);
      ee_buffer_clear(&dataset->rest);
    } else {
      next = read_piece(dataset, &block->text, &error);
    }
    if (next == FAILED) {
      stop_reading(dataset, block, &error);
      return true;
    }
    taken += block->text.length - before;
    if (dataset->seeking && next != INTERRUPTED) {
      if (!seek_array(dataset, block, next == AT_END)) return true;
      documents = dataset->shape == EE_SHAPE_DOCUMENTS;
      if (dataset->seeking) continue;
    }
    if (next == AT_END && dataset->extent == RANGE) check_range(dataset, &block->text);
    if (next != INTERRUPTED) ee_splitter_run(&dataset->splitter, block, next == AT_END);
    if (next == AT_END) {
      if (dataset->splitter.unended) note_unended(dataset);
      bool alone = documents && dataset->records == 0 && block->count == 1 && dataset->splitter.errors == 0;
      close_source(dataset);
      if (alone) finish_document(dataset, block);
      return true;
    }
    /* Whether a document is the only one of its file is known when the next one or the end was seen. */
    bool undecided = documents && dataset->records + block->count < 2 && dataset->splitter.errors == 0;
    if (ends_part(&dataset->part, ee_splitter_byte(&dataset->splitter)) && !undecided) {
      close_source(dataset);
      return true;
    }
    if (next == INTERRUPTED || (taken >= dataset->block_size && !is_empty(block) && !undecided)) {
      dataset->records += block->count;
      ee_splitter_cut(&dataset->splitter, block, &dataset->rest);
      return next != INTERRUPTED;
    }
  }
}

/* The same for a table, and for sentences. */
static bool fill_from_table(ee_dataset *dataset, ee_block *block) {
  ee_buffer *piece = &dataset->rest;
  for (;;) {
    ee_str text = {piece->data, piece->length};
    if (dataset->sentences != NULL)
      ee_sentence_reader_run(dataset->sentences, text, block);
    else
      ee_table_reader_run(dataset->table, text, block);
    ee_buffer_clear(piece);
    if (block->count > 0 && ends_part(&dataset->part, block->records[block->count - 1].byte)) return true;
    if (block->text.length >= dataset->block_size || block->errors.count >= EE_UNSPLIT_LISTED) return true;
    ee_error error;
    switch (read_piece(dataset, piece, &error)) { /* unreached: all outcomes are listed */
    case GOT_BYTES: break;
    case INTERRUPTED: return false;
    case FAILED: stop_reading(dataset, block, &error); return true;
    case AT_END:
      if (dataset->sentences != NULL)
        ee_sentence_reader_end(dataset->sentences, NULL, block);
      else
        ee_table_reader_end(dataset->table, NULL, block);
      close_source(dataset);
      return true;
    }
  }
}

/* The lines after the first one; `*last`: what ended the file, with `error`. */
static uint64_t count_lines(ee_dataset *dataset, outcome *last, ee_error *error) {
  ee_buffer *piece = &dataset->rest;
  uint64_t lines = 0;
  bool ended = false; /* the last byte so far was a line break */
  do {
    for (size_t i = 0; i < piece->length; i++) {
      lines += ended;
      ended = piece->data[i] == '\n';
    }
    ee_buffer_clear(piece);
  } while ((*last = read_piece(dataset, piece, error)) == GOT_BYTES);
  return lines;
}

/* Reports a file that is not data and closes it. */
static void refuse_file(ee_dataset *dataset, ee_block *block) {
  ee_error error, failure;
  outcome last = AT_END;
  if (dataset->sniffer.what != NULL) {
    ee_error_set(&error, EE_ERROR_DATA, "this is %s", dataset->sniffer.what);
  } else {
    ee_str text = {dataset->rest.data, dataset->rest.length};
    size_t mark = ee_mark_length(text);
    text = ee_str_trim((ee_str){text.data + mark, text.length - mark});
    const char *newline = memchr(text.data, '\n', text.length);
    if (newline != NULL) text = ee_str_trim((ee_str){text.data, (size_t)(newline - text.data)});
    ee_buffer line;
    ee_buffer_init(&line);
    ee_one_line(&line, text, (ee_str){NULL, 0}, LINE_SHOWN);
    ee_buffer_terminate(&line);
    uint64_t more = count_lines(dataset, &last, &failure);
    ee_error_set(
        &error, EE_ERROR_DATA,
        "neither JSON nor a table (CSV, TSV) with two columns and a row under its header: the file begins with '%s'",
        line.data);
    if (more > 0)
      ee_error_set(&error, EE_ERROR_DATA, "%s, and has %" PRIu64 " more line%s", error.message, more,
                   more == 1 ? "" : "s");
    ee_buffer_fini(&line);
  }
  error.line = error.column = 0;
  add_file_error(block, &error);
  if (last == FAILED) {
    stop_reading(dataset, block, &failure);
  } else {
    close_source(dataset);
  }
}

/* Reads the whole open YAML file and closes it; then it has cases or the block has an error. False if interrupted; what
 * was read is kept. */
static bool read_cases(ee_dataset *dataset, ee_block *block) {
  ee_buffer *text = &dataset->rest;
  size_t limit = dataset->file_limit;
  ee_error error;
  for (size_t got = 1; got > 0; text->length += got) {
    char *room = ee_buffer_reserve(text, PIECE_SIZE);
    ee_status status = ee_byte_source_read(dataset->source, room, PIECE_SIZE, &got, &error);
    note_progress(dataset);
    if (status != EE_OK && ee_byte_source_interrupted(dataset->source)) return false;
    if (status == EE_OK && text->length + got > limit)
      status = ee_file_too_long(current_file(dataset)->path, limit, &error);
    if (status != EE_OK) {
      stop_reading(dataset, block, &error);
      return true;
    }
  }
  bool is_here = start_part(dataset);
  if (is_here) close_source(dataset);
  if (!is_here) return true;
  dataset->cases = ee_case_file_read(block->file, (ee_str){text->data, text->length}, &error);
  dataset->next_case = 0;
  if (dataset->cases == NULL) add_file_error(block, &error);
  ee_buffer_fini(text); /* it may be large */
  return true;
}

/* Fills the block with the next cases; false at the end of the file. */
static bool hand_out_cases(ee_dataset *dataset, ee_block *block) {
  dataset->next_case = ee_case_file_fill(dataset->cases, dataset->next_case, dataset->block_size, block);
  if (block->count > 0) return true;
  ee_case_file_close(dataset->cases);
  dataset->cases = NULL;
  return false;
}

static bool hand_out(ee_dataset *dataset, ee_block *block) {
  if (dataset->cases != NULL) return hand_out_cases(dataset, block);
  if (ee_nested_records_fill(&dataset->nested, dataset->block_size, block)) return true;
  ee_nested_records_fini(&dataset->nested);
  return false;
}

/* Reads the open file until the block is full or the file ends. False if interrupted. */
static bool read_block(ee_dataset *dataset, ee_block *block) {
  if (dataset->is_yaml) return read_cases(dataset, block);
  if (dataset->shape == EE_SHAPE_UNDECIDED) {
    if (!find_shape(dataset)) return false;
    if (!start_part(dataset)) return true;
  }
  switch (dataset->shape) {
  case EE_SHAPE_TABLE: return fill_from_table(dataset, block);
  case EE_SHAPE_OTHER: refuse_file(dataset, block); return true;
  default: return fill_block(dataset, block);
  }
}

/* Fills the block with generated records; false at the end. */
static bool make_block(ee_dataset *dataset, ee_block *block) {
  block->file = dataset->files.items[0].path;
  block->name = dataset->files.items[0].name;
  if (dataset->ranges.count == 0)
    add_range(dataset, &dataset->files.items[0], EE_DATA_RECORDS, dataset->first,
              smaller(dataset->end, dataset->total_made), dataset->total_made);
  for (; dataset->made < dataset->first && dataset->make(dataset->make_user, &block->text); dataset->made++)
    ee_buffer_clear(&block->text);
  block->make_boxes = dataset->make_boxes;
  block->boxes_user = dataset->make_user;
  block->first_made = dataset->made;
  uint64_t made = 0;
  for (size_t start = 0; start < dataset->block_size && dataset->made < dataset->end;
       start = block->text.length, made++, dataset->made++) {
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

static void name_block(const ee_dataset *dataset, ee_block *block) {
  block->file = current_file(dataset)->path;
  block->name = current_file(dataset)->name;
  block->operand = current_file(dataset)->operand;
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
    if (dataset->next_file > 0) name_block(dataset, block);
    if (dataset->cases != NULL || dataset->nested.nesting != EE_NESTING_NONE) {
      *done = ee_flag_is_set(dataset->interrupt);
      if (*done) return EE_OK;
      if (!hand_out(dataset, block)) continue;
      drop_long_records(dataset, block);
      find_shared_lines(dataset, block);
      if (dataset->part.is_cut) keep_part(dataset, block);
      if (is_empty(block)) {
        clear_block(block);
        continue;
      }
      block->ticket = dataset->next_ticket++;
      return EE_OK;
    }
    if (dataset->source == NULL) {
      if (dataset->failure.status != EE_OK) return fail(dataset, error);
      if (dataset->extent == PART) pass_files(dataset);
      if (dataset->next_file == dataset->files.count) {
        *done = true;
        return EE_OK;
      }
      ee_status status = open_next(dataset, error);
      if (status != EE_OK) return status;
      name_block(dataset, block);
    }
    *done = !read_block(dataset, block);
    if (dataset->shape == EE_SHAPE_DOCUMENTS) drop_long_records(dataset, block);
    find_shared_lines(dataset, block);
    if (dataset->part.is_cut) keep_part(dataset, block);
    if (dataset->foreign.use != NULL && !dataset->is_yaml)
      ee_foreign_blocks_convert(&dataset->foreign, block, dataset->source == NULL);
    if (!is_empty(block)) {
      *done = false;
      block->ticket = dataset->next_ticket++;
      return EE_OK;
    }
    clear_block(block);
    if (*done) return EE_OK;
  }
}

void ee_dataset_set_taker(ee_dataset *dataset, ee_element_taker *take, void *user) {
  dataset->take = take;
  dataset->take_user = user;
}

void ee_dataset_set_boxes(ee_dataset *dataset, ee_boxes_maker *make) { dataset->make_boxes = make; }

void ee_dataset_set_brief(ee_dataset *dataset) {
  if (!dataset->is_yaml) ee_byte_source_set_brief(dataset->source);
}

void ee_dataset_set_first_ticket(ee_dataset *dataset, uint64_t first) { dataset->next_ticket = first; }

void ee_dataset_progress(const ee_dataset *dataset, uint64_t *taken, uint64_t *total) {
  *taken = atomic_load_explicit(&dataset->taken, memory_order_relaxed);
  *total = dataset->total;
}
