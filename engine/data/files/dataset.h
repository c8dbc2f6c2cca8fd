/* dataset.h: files to blocks of records.
 *
 * One reader serves all workers; the caller holds a lock around ee_dataset_next(). Plain or .gz (by
 * content, where zlib was built in), JSONL or a JSON array (by content: the first byte that is no white space is '['),
 * read in order, in blocks of whole records. Files are read, not mapped, so that a file cut short is an error and no
 * signal. A file named .yaml or .yml (yaml_reader.h) is a YAML data set (case_file.h): it is read whole when its turn
 * comes. One that is no YAML, holds no cases or is too long is one error of that file, as a record that could not be
 * split off is, with line and column; the other files go on. */
#ifndef EE_DATA_FILES_DATASET_H
#define EE_DATA_FILES_DATASET_H

#include <evalengine.h>
#include <signal.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/str.h"

typedef struct ee_dataset ee_dataset;

/* One record's text inside its block. */
typedef struct ee_record_span {
  size_t offset;   /* in the block's text */
  size_t length;   /* bytes, without the line's end; a line of white space only is not listed */
  uint64_t line;   /* of the file, from 1: where the record starts; 0: in none */
  uint64_t column; /* of that line, from 1, in bytes (a byte order mark is none): more than 1 in a JSON array, and where
                      white space is at the start of the file */
  uint64_t byte;   /* of the file, from 0: where the record starts (uncompressed); of a YAML file the case's number */
  uint64_t unlisted; /* records between the one before and this one that could not be split off and are only counted */
} ee_record_span;

/* Whole records of one file. Owned by the caller, refilled again and again. */
typedef struct ee_block {
  ee_buffer text;
  ee_record_span *records;
  size_t count, capacity;
  const char *file;     /* the name as given, "-" for standard input; borrowed from the data set */
  uint64_t ticket;      /* 0, 1, 2, ... in input order */
  ee_error_list errors; /* records that could not even be split off: a line above the size limit, an array's end that is
                           missing, packed data that are damaged; each with file, line and offset, in order. One at
                           the offset of a record stands before it. One with status EE_OK is no record but tells how
                           many of the file were not told */
  uint64_t unlisted;    /* like a record's, behind the last one */
  uint64_t unsplit;     /* all records that could not be split off, told or not */
} ee_block;

/* At most so many records of a file that could not be split off are told one by one; all are counted. */
#define EE_UNSPLIT_LISTED 1000

void ee_block_init(ee_block *block);
void ee_block_fini(ee_block *block);
/* Appends a record's place; its text is the caller's business. */
void ee_block_add(ee_block *block, ee_record_span span);

/* Opens the data set of `count` files ("-" is standard input, at most once). Each file is opened in turn, the first one
 * at once; all are checked to exist and to be no directory now. NULL with `error` (EE_ERROR_SYSTEM). */
ee_dataset *ee_dataset_open(const char *const *files, size_t count, ee_error *error);
void ee_dataset_close(ee_dataset *dataset);

/* Appends the next record's text to `text`; false when there are no more. Called by one thread at a time. */
typedef bool ee_record_maker(void *user, ee_buffer *text);

/* A data set whose records are made, not read: they stand in no line (line 0, column 1), and messages about them name
 * `name`. `total` records, for progress (0: unknown). `user` must outlive it. */
ee_dataset *ee_dataset_open_made(const char *name, uint64_t total, ee_record_maker *make, void *user);

/* Fills `block` with the next records, about 256 KB of them and at least one. EE_OK with *done false: a block (its
 * count may be 0 when it has errors only). *done true: the end, or an interrupt; the block is empty. EE_ERROR_SYSTEM: a
 * file cannot be opened or read; the records before were handed out, and this ends the run. */
ee_status ee_dataset_next(ee_dataset *dataset, ee_block *block, bool *done, ee_error *error);

/* Reads nothing more while *flag is not 0 (a signal handler sets it, on whichever thread): ee_dataset_next() that waits
 * for a pipe gives what is there, or *done, within a fraction of a second. The caller looks at its flag. `flag` must
 * outlive the data set; NULL: never. */
void ee_dataset_set_interrupt(ee_dataset *dataset, const volatile sig_atomic_t *flag);

/* Other sizes than the usual 256 KB a block and 1 GiB a record, before the first block is read (0: as it is); for tests
 * and for programs with little memory. A longer record is an error of its own, and the rest goes on; so is a longer
 * YAML file (which may have EE_CASE_FILE_LIMIT bytes in any case). */
void ee_dataset_set_sizes(ee_dataset *dataset, size_t block_size, size_t record_limit);

/* Bytes taken so far and in all (0 when unknown: pipes), for a progress line; compressed bytes for .gz; records where
 * they are made. */
void ee_dataset_progress(const ee_dataset *dataset, uint64_t *taken, uint64_t *total);

#endif
