/* part_rows.h: the rows of parts (`merge --rows`): which file belongs to which state.
 *
 * A state has hashes of the ids of its cases, so rows of another run are noticed, and files may be given in any order:
 * their rows are read in the order of the parts. The beginning of a file says which states it may be of; it is read
 * whole while the ids of such a state are in memory, one state at a time. Rows without ids are known by their number
 * only, and taken in the order given. */
#ifndef EE_CLI_PART_ROWS_H
#define EE_CLI_PART_ROWS_H

#include <signal.h>

#include "base/arena.h"
#include "run/parts/part.h"

typedef struct ee_rows_file {
  const char *name, *path; /* as given; what is read: of a pipe a copy */
  int copy;                /* the copy; -1: the file itself */
  bool empty, named;       /* has no rows; has one with an id */
  bool kept;               /* its rows are a choice of --keep */
  uint64_t hash, first;    /* of the named row with the least hash at its beginning: of its id, of its first trial */
  ee_str id;               /* of this row */
  uint64_t rows;           /* counted when it was read whole */
  size_t state;            /* SIZE_MAX: not found yet */
  const char *why; /* what keeps it from being the rows of the last state that has its first case; may be NULL */
} ee_rows_file;

typedef struct ee_rows_state {
  const char *name; /* "part 3 of 8" */
  bool single;      /* one part, so one file */
  bool kept;
  uint64_t cases, rows;
  size_t files;
} ee_rows_state;

typedef struct ee_part_rows {
  struct {
    EE_LIST(ee_rows_file);
  } files; /* as given */
  struct {
    EE_LIST(ee_rows_state);
  } states;
  struct {
    EE_LIST(size_t);
  } order;        /* after ee_part_rows_finish(): files in the order of the parts */
  size_t guessed; /* files whose place is only by the order given */
  uint64_t top;   /* the largest hash that all states keep */
  uint64_t rules_hash;
  const volatile sig_atomic_t *interrupt;
  ee_arena arena;
} ee_part_rows;

/* All zero can be closed. */
void ee_part_rows_close(ee_part_rows *self);
/* Reads the beginnings. EE_ERROR_RULES for what is not rows, or rows of other rules; EE_ERROR_SYSTEM. */
ee_status ee_part_rows_open(ee_part_rows *self, const char *const *names, size_t count, uint64_t rules_hash,
                            const volatile sig_atomic_t *interrupt, ee_error *error);
/* Finds the files of the next state, in the order of the parts, by its sorted ids and the number of its cases. */
ee_status ee_part_rows_find(ee_part_rows *self, const ee_part *part, const ee_id_hashes *ids, uint64_t cases,
                            ee_error *error);
/* After the last state: EE_ERROR_RULES for a file that fits no state, and for a state without its rows. */
ee_status ee_part_rows_finish(ee_part_rows *self, ee_error *error);
/* What to open to read the rows of a file from their beginning. */
const char *ee_part_rows_path(const ee_part_rows *self, size_t file);

#endif
