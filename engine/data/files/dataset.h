/* dataset.h: reads files as blocks of records.
 *
 * The content of a file tells whether it is JSONL, a JSON array, JSON documents that may span lines (file_shape.h), a
 * table (table_reader.h), or no data, and how it is packed and encoded (byte_source.h); only a YAML data set is known
 * by its name (case_file.h), and read whole when its turn comes. A file of one JSON object is one record, or it has the
 * records in it (nested_records.h). A directory stands for the data files in it (folder.h), and there a document that
 * is alone in its file has the file's name as id.
 *
 * Files are read in order, in blocks of whole records. They are read, not mapped, so that a file that is cut short is
 * an error and not a signal. A file that is not data, and a YAML file that is invalid, without cases or too long, is
 * one error of that file, like a record that cannot be split off; the other files go on. One reader serves all workers;
 * the caller holds a lock around ee_dataset_next(). */
#ifndef EE_DATA_FILES_DATASET_H
#define EE_DATA_FILES_DATASET_H

#include <evalengine.h>
#include <signal.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/str.h"
#include "data/files/block.h"
#include "data/files/splitter.h"

typedef struct ee_dataset ee_dataset;
struct ee_byte_source;
struct ee_foreign_seen;
struct ee_record_paths;

/* Opens a data set of `count` files and directories ("-" is standard input, at most once). Checks that all exist and
 * that directories have data files, and opens the first; the others are opened in turn. NULL with `error`
 * (EE_ERROR_SYSTEM). */
ee_dataset *ee_dataset_open(const char *const *files, size_t count, ee_error *error);
void ee_dataset_close(ee_dataset *dataset);

/* A data set of one file that `source`, which the data set takes, has begun to read: `text` is what it gave so far (its
 * bytes are taken, too). Messages call it `name`. */
ee_dataset *ee_dataset_open_source(const char *name, struct ee_byte_source *source, ee_buffer *text);

/* What to tell the user about the files: those in directories that are not read. Owned by the data set. */
const ee_error_list *ee_dataset_notes(const ee_dataset *dataset);

/* The files, those of directories one by one. The id that a file's name gives to its document; data NULL outside of
 * directories. */
size_t ee_dataset_file_count(const ee_dataset *dataset);
ee_str ee_dataset_file_id(const ee_dataset *dataset, size_t number);

/* Before the first block: cuts `prefix` and `suffix` from the ids that files in directories give, and drops the files
 * that have not both. EE_ERROR_SYSTEM if the first one cannot be opened. */
ee_status ee_dataset_cut_names(ee_dataset *dataset, ee_str prefix, ee_str suffix, ee_error *error);

/* Before the first block: a file of one JSON object may have the records in it (nested_records.h). `paths` (NULL: the
 * known names) says what a record has; its paths must outlive the data set. Without this, such an object is a record.
 */
void ee_dataset_look_inside(ee_dataset *dataset, const struct ee_record_paths *paths);
/* Whether a file was one JSON value so far, in which records are looked for: to others their path says nothing. */
bool ee_dataset_looked_inside(const ee_dataset *dataset);

/* What was met in the files of another tool so far (data/foreign/foreign.h); all zero for others. Owned by the data
 * set.
 */
const struct ee_foreign_seen *ee_dataset_foreign(const ee_dataset *dataset);

/* Parts of a data set ------------------------------------------------------------------------- */

/* Before the first block: keeps only part `part` (from 1) of `of`. All files are laid end to end, S bytes as they are
 * stored; part i has the bytes from S(i-1)/of up to but not including S*i/of, and a record belongs to the part in which
 * its first byte lies. So the parts together have each record once, in order, and the same errors; a part may be empty.
 *
 * In JSONL the part's beginning is sought; anything else (an array, documents, a table) is read from its beginning, and
 * what is before the part is dropped. Packed files and UTF-16 belong whole to the part with their first byte. Of YAML,
 * case k of n is at k/n of the file's bytes. Of a data set that is made (ee_dataset_open_made()) the records are
 * counted instead of bytes. The shape of a file is that of its beginning in every part.
 *
 * EE_ERROR_USAGE: a file whose size is not known beforehand (standard input, a pipe); the message says what to do. */
ee_status ee_dataset_take_part(ee_dataset *dataset, uint64_t part, uint64_t of, ee_error *error);

/* The same for standard input that brings a piece of a larger object of JSONL: the records whose first byte is one of
 * the object's bytes `from` up to but not including `to`, counted from 0 as HTTP and rclone count. Standard input has
 * to begin at byte from - 1, which tells whether a record begins at `from` (for `from` 0: at byte 0). Reading ends
 * after the last of the records. If the input ends before `to`, or in the middle of a record, ee_dataset_next() fails
 * with EE_ERROR_SYSTEM. EE_ERROR_USAGE if standard input is not the only file. */
ee_status ee_dataset_take_range(ee_dataset *dataset, uint64_t from, uint64_t to, ee_error *error);

typedef enum ee_data_unit { EE_DATA_BYTES, EE_DATA_RECORDS, EE_DATA_FILE } ee_data_unit;

/* What was read of one file. */
typedef struct ee_data_range {
  const char *name;  /* as ee_block.name; owned by the data set */
  ee_data_unit unit; /* of the next three; EE_DATA_FILE: the whole file, in bytes, which cannot be cut */
  uint64_t from, to; /* from 0, `to` not included */
  uint64_t size;     /* of the whole file; 0: unknown (a range of standard input) */
} ee_data_range;

/* After the last block: the files that this data set took something from, in order. Owned by the data set. */
size_t ee_dataset_ranges(const ee_dataset *dataset, const ee_data_range **ranges);

/* The names of the files so far that could not be read to their end: packed data that is cut, damaged or too large, an
 * array or document that is not closed. They are errors of these files; what is after them is not known. Owned by the
 * data set. */
size_t ee_dataset_unended(const ee_dataset *dataset, const char *const **names);

/* After ee_dataset_take_part(): a hash of the names and sizes of all files that were cut, including files that
 * are in other parts only; never 0. Parts with different hashes are of different data. */
uint64_t ee_dataset_cut_hash(const ee_dataset *dataset);

/* The number in the file of a line of a span, for `file` of a block that was handed out; as ee_block_line(). */
uint64_t ee_dataset_line(const ee_dataset *dataset, const char *file, uint64_t line);

/* ---------------------------------------------------------------------------------------------- */

/* Before the first block: objects in arrays are offered to `take` as they are read. Once it has left one to be a record
 * it should take no more until it has got that one's block, for the order. `user` must outlive the data set. */
void ee_dataset_set_taker(ee_dataset *dataset, ee_element_taker *take, void *user);

/* Appends the next record's text to `text`; false at the end. Called by one thread at a time. */
typedef bool ee_record_maker(void *user, ee_buffer *text);

/* A data set whose records `make` generates (line 0, column 1). Messages call it `name`. `total`: number of records,
 * for progress (0: unknown). `user` must outlive the data set. */
ee_dataset *ee_dataset_open_made(const char *name, uint64_t total, ee_record_maker *make, void *user);

/* Before the first block of a data set that is made: `make` with its `user`, for who needs no texts. */
void ee_dataset_set_boxes(ee_dataset *dataset, ee_boxes_maker *make);

/* Fills `block` with the next records, about 256 KB of them and at least one. EE_OK with `*done` false: a block; it has
 * no records if it has only errors. `*done` true: the end or an interrupt; the block is empty. EE_ERROR_SYSTEM: a file
 * cannot be opened or read, and all records before it were handed out. */
ee_status ee_dataset_next(ee_dataset *dataset, ee_block *block, bool *done, ee_error *error);

/* Before the first block: only the first one is wanted (ee_byte_source_set_brief()). */
void ee_dataset_set_brief(ee_dataset *dataset);

/* Numbers the blocks from `first` on, before the first block. */
void ee_dataset_set_first_ticket(ee_dataset *dataset, uint64_t first);

/* Before the first block: how many threads may unpack .gz and .zst files ahead of the reader, also the next ones of the
 * list; 0, as at first: none. What is read does not depend on it. */
void ee_dataset_set_threads(ee_dataset *dataset, unsigned threads);

/* While `*flag` is not 0 (set by a signal handler) nothing more is read: ee_dataset_next() that waits for a pipe
 * returns what it has, or `*done`, within a fraction of a second. `flag` must outlive the data set; NULL: no flag. */
void ee_dataset_set_interrupt(ee_dataset *dataset, const volatile sig_atomic_t *flag);

/* Sets the bytes of a block (default 256 KB) and the limit of a record and of a file that is read whole (defaults:
 * --max-record and --max-file), before the first block; 0: the default. A longer record is an error, and so are a
 * longer YAML file and a longer document with the records in it. */
void ee_dataset_set_sizes(ee_dataset *dataset, size_t block_size, size_t record_limit);

/* Bytes read so far and in all (0: unknown, pipes), for a progress line: compressed bytes for .gz, records if they are
 * generated. */
void ee_dataset_progress(const ee_dataset *dataset, uint64_t *taken, uint64_t *total);

#endif
