/* where.h: selects cases by values in their records (--where PATH=VALUE). */
#ifndef EE_RUN_WHERE_H
#define EE_RUN_WHERE_H

#include "base/error.h"
#include "data/expected_set.h"
#include "data/files/dataset.h"
#include "data/files/record.h"

typedef struct ee_where {
  const ee_path *path; /* in the record, else in that of the file of expected values (ee_case_get()) */
  ee_str value;
  bool excludes; /* PATH!=VALUE */
} ee_where;

/* Reads "PATH=VALUE" or "PATH!=VALUE" into `arena`, from which `where` borrows; fails with EE_ERROR_USAGE. */
ee_status ee_where_parse(ee_arena *arena, const char *text, ee_where *where, ee_error *error);

/* Whether the case is selected: at each path it has one of the wanted values and none of the excluded ones. A value is
 * compared as text: true, 7 (also 7.0), a string as it is, "(missing)" where there is none or null. An array has the
 * values of its elements. */
bool ee_where_keeps(const ee_where *list, size_t count, const ee_case *current, ee_arena *arena);

/* The cases selected by --only and --where. All zero: every case. */
typedef struct ee_case_choice {
  const char *const *only; /* globs on the id without its trial (ee_glob_match()): a case matches one of them */
  size_t only_count;       /* 0: any */
  const ee_where *where;   /* conditions that a case fulfils */
  size_t where_count;
  /* Called on all workers, for cases that fulfil the rest; NULL: any. */
  bool (*wants)(void *user, const ee_case *current);
  void *user;
} ee_case_choice;

/* Whether the case is chosen. */
bool ee_case_choice_keeps(const ee_case_choice *choice, const ee_case *current, ee_arena *arena);

/* Why no case was chosen: for the first path none of whose values occurs, the values that do, "no case has split=tst:
 * 'split' is 'test' (120), 'train' (300)"; in `arena`. NULL if each condition alone chooses some. Reads no more of
 * `dataset` than its first `most` bytes and a block, and then speaks of "the first 1000 cases". */
const char *ee_where_explain(const ee_where *list, size_t count, ee_dataset *dataset, uint64_t most,
                             ee_expected_set *expected, const ee_record_paths *paths, ee_arena *arena);

#endif
