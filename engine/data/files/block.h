/* block.h: whole records of one file, as the readers of a data set fill them and workers take them. */
#ifndef EE_DATA_FILES_BLOCK_H
#define EE_DATA_FILES_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/str.h"

struct ee_image_boxes;
struct ee_line_base;
struct ee_record_place;

/* Makes what record `number`, from 0, of a data set that is made says as boxes (image_boxes.h), in `arena`. False: only
 * its text says it. May be called by several threads at once. */
typedef bool ee_boxes_maker(const void *user, uint64_t number, ee_arena *arena, struct ee_image_boxes *boxes);

/* The text of a record in its block. */
typedef struct ee_record_span {
  size_t offset;        /* in the block's text */
  size_t length;        /* bytes, without the end of the line; blank lines are not records */
  uint64_t line;        /* of the record's start, from 1; 0: unknown. In a part of a data set it is counted from the
                           part's beginning: ee_block_line() */
  uint64_t column;      /* in that line, from 1, in bytes without a byte order mark */
  uint64_t byte;        /* offset in the (uncompressed) file; in a YAML file the number of the case */
  uint64_t hash;        /* ee_hash_bytes() of the text, set by the worker that takes the record */
  uint64_t unlisted;    /* errors between the previous record and this one that are only counted */
  bool shares_line;     /* an earlier record of the file begins in the same line */
  size_t id, id_length; /* in the block's text, the id of a record that has none itself (its file's name, its key in an
                           object of records); length 0: none */
} ee_record_span;

/* Whole records of one file. Owned by the caller, and reused. */
typedef struct ee_block {
  ee_buffer text;
  ee_record_span *records;
  size_t count, capacity;
  const char *file;            /* as given, "-" for standard input; borrowed from the data set */
  struct ee_line_base *before; /* of a part: the lines before it; NULL: lines are those of the file. Borrowed, too */
  const char *name;     /* of the file in the names of cases: the file's own, with as many directories as tell it from
                           the other files of the data set; borrowed */
  size_t operand;       /* which of the files and directories that were given it is from, from 0 */
  uint64_t ticket;      /* 0, 1, 2, ... in the order of the input */
  ee_error_list errors; /* text that is not a record (a record above the size limit, an array that does not end, damaged
                           compressed data), with file, line and offset, in order; one at the offset of a record
                           precedes it. The last may have status EE_OK: how many more were only counted */
  uint64_t unlisted;    /* as in ee_record_span, after the last record */
  uint64_t unsplit;     /* all such errors, listed or not */
  ee_boxes_maker *make_boxes; /* of records that are made; NULL: there are only texts */
  const void *boxes_user;
  uint64_t first_made; /* the number of the first record */
} ee_block;

/* Errors of a file that are listed; all are counted. */
#define EE_UNSPLIT_LISTED 1000

void ee_block_init(ee_block *block);
void ee_block_fini(ee_block *block);
/* Appends a record, whose text the caller adds to `text`; sets its `unlisted`. */
void ee_block_add(ee_block *block, ee_record_span span);
/* Adds an error at a place (column 0: unknown) of the block's file. `*count`, the errors of the file so far, grows by
 * one. A file of the wrong kind may have one every few bytes, so only its first EE_UNSPLIT_LISTED are listed, wherever
 * its blocks begin. */
void ee_block_add_error(ee_block *block, uint64_t *count, uint64_t byte, uint64_t line, uint64_t column,
                        const char *message);
/* The same, listed in any case: the last error of a file. */
void ee_block_add_last_error(ee_block *block, uint64_t byte, uint64_t line, const char *message);
/* At the end of a file: adds how many of its `count` errors were not listed, if any. */
void ee_block_end_errors(ee_block *block, uint64_t count, uint64_t line);
/* The id that the record's place gives it; data NULL if none. */
ee_str ee_block_given_id(const ee_block *block, const ee_record_span *span);
/* Where the record is, for its name. */
struct ee_record_place ee_block_place(const ee_block *block, const ee_record_span *span);
/* The number in the file of a line of the block's spans; 0: unknown. In a part it counts, once a file, the lines before
 * the part; any thread may call it. (Lines of errors are the file's.) */
uint64_t ee_block_line(const ee_block *block, uint64_t line);
/* In a part that begins inside a file (`before` is not NULL): gives an error at a line of the spans its place in the
 * file; where lines are not known, "FILE@BYTE" by its offset. */
void ee_block_place_error(const ee_block *block, ee_error *error);

#endif
