/* row_reader.h: files of results, row by row, joined with the data set that they belong to.
 *
 * Several threads may read blocks of rows ahead; what the caller gets, and the order of rows and messages, does not
 * depend on them. The functions are for one thread at a time. */
#ifndef EE_CLI_ROW_READER_H
#define EE_CLI_ROW_READER_H

#include <signal.h>

#include "base/hash_index.h"
#include "data/expected_set.h"
#include "data/files/dataset.h"
#include "report/lean_row.h"
#include "report/stored_row.h"
#include "run/id_set.h"

/* Ids for a warning: the first few are named, all are counted. */
typedef struct ee_named_ids {
  uint64_t count;
  ee_buffer text; /* "'a', 'b', ..." */
} ee_named_ids;
void ee_named_ids_add(ee_named_ids *ids, ee_str id);
/* The list for a message; NUL-terminated, owned by `ids`. */
const char *ee_named_ids_text(ee_named_ids *ids);
void ee_named_ids_fini(ee_named_ids *ids);

/* The blocks that are read ahead. */
typedef struct ee_row_blocks ee_row_blocks;

typedef struct ee_row_reader {
  ee_dataset *dataset;
  ee_row_blocks *blocks; /* NULL before the first row */
  ee_arena arena;        /* of the row, besides what its block has */
  ee_id_set ids;
  ee_hash_index unnamed; /* of `times`: the ids of records that have none */
  struct {
    EE_LIST(uint64_t);
  } times; /* that such an id was met */
  uint64_t unreadable, duplicates;
  unsigned jobs;                  /* threads that read, the caller's among them; 0: as many as there are cores; 1 */
  bool lean;                      /* rows are read without what report/lean_row.h leaves out */
  bool answers_only;              /* rows need no score: they are judged again */
  ee_expected_set *expected;      /* borrowed; the data set; rows without a case in it are skipped; NULL: none */
  const ee_value *expected_value; /* of the row, from `expected`; NULL without */
  ee_named_ids without_case;      /* ids of rows without a case */
  const volatile sig_atomic_t *interrupt;
  /* Called for invalid rows, duplicate ids and warnings (EE_OK), each with its place. */
  void (*report)(void *user, const ee_error *error);
  void *user;
} ee_row_reader;

/* Opens `count` files of rows ("-": standard input; plain or .gz; JSONL or an array). EE_ERROR_SYSTEM.
 * ee_row_reader_close() in either case. When `interrupt` (may be NULL) is set, reading ends early; the caller
 * checks it. `expected`, `jobs` (1 at first), `lean` and `answers_only` may be set before the first row. */
ee_status ee_row_reader_open(ee_row_reader *reader, const char *const *files, size_t count,
                             const volatile sig_atomic_t *interrupt, void (*report)(void *user, const ee_error *error),
                             void *user, ee_error *error);
void ee_row_reader_close(ee_row_reader *reader);

/* The next row with a case and a new id; a row without an id of its own is never a duplicate: it becomes "data.jsonl:17
 * (2)". It is in `*row`, until the next call. Invalid rows and
 * duplicate ids are reported and counted. *done at the end. EE_ERROR_SYSTEM when a file cannot be read. */
ee_status ee_row_reader_next(ee_row_reader *reader, ee_stored_row *row, bool *done, ee_error *error);

/* Rejects the last row and counts it as an error. `message` has no full stop. */
void ee_row_reader_refuse(ee_row_reader *reader, const char *message);

#endif
