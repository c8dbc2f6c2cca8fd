/* part_set.h: the states that are merged: read, checked against each other, and in the order of the parts.
 *
 * One state is in memory at a time. Of all, the headers are kept, and the texts of the first ones, EE_PART_SET_TEXT
 * bytes together; the others are read once more when their totals are needed: from their files, or, where these are
 * packed or a pipe, from a temporary one. */
#ifndef EE_RUN_PARTS_PART_SET_H
#define EE_RUN_PARTS_PART_SET_H

#include <signal.h>

#include "base/temporary_file.h"
#include "run/parts/part.h"

#define EE_PART_SET_TEXT ((size_t)32 << 20)

/* A state and where it is from. */
typedef struct ee_part_entry {
  ee_part part;
  size_t file, line; /* from 0; from 1 */
  uint64_t check;
  ee_str text; /* data NULL: the next three say where it is */
  uint64_t offset;
  size_t length;
  bool spooled; /* in the temporary file */
} ee_part_entry;

typedef struct ee_part_set {
  EE_LIST(ee_part_entry);   /* after ee_part_set_check(): in the order of the parts, without twins */
  const char *const *files; /* borrowed */
  size_t held;              /* bytes of texts */
  ee_held_file *spool;      /* NULL: not opened yet */
  uint64_t spooled;         /* its bytes */
  uint64_t twins;           /* dropped: the same state twice */
  const char *twin;         /* the first of these: "part 3 of 8" */
  const char *missing;      /* "3, 5-6", parts of `of`; NULL: nothing is */
  uint64_t missing_count;   /* how many parts */
  uint64_t of;              /* 0: the parts have no numbers */
  ee_arena arena;
} ee_part_set;

void ee_part_set_init(ee_part_set *set);
void ee_part_set_fini(ee_part_set *set);

/* Reads all states of `files` ("-": standard input; plain, .gz or .zst), one a line; text before a tab, such as
 * the key of a streaming engine, and text after one is ignored. EE_ERROR_RULES with file and line for what is not a
 * whole state; EE_ERROR_SYSTEM. */
ee_status ee_part_set_read(ee_part_set *set, const char *const *files, size_t count,
                           const volatile sig_atomic_t *interrupt, ee_error *error);

/* What the states must be of. */
typedef struct ee_part_wanted {
  const char *kind;
  ee_str version;
  ee_str rules_name;
  uint64_t rules_hash;
  ee_str options; /* as in ee_part */
} ee_part_wanted;

/* Checks that all are of what is wanted, and of the same expected values; EE_ERROR_RULES names the state and what
 * differs. Libraries that differ from `libraries` or among the states are added to `warnings`. */
ee_status ee_part_set_match(ee_part_set *set, const ee_part_wanted *wanted, const ee_part *self,
                            ee_error_list *warnings, ee_error *error);

/* Sorts by part, drops twins, and checks that the parts are of one partition, that none overlaps another, and, if none
 * is missing, that their ranges tile the data, which must be the same files in all. EE_ERROR_RULES. Sets `missing`,
 * which is not a failure. */
ee_status ee_part_set_check(ee_part_set *set, ee_error *error);

/* "parts 3, 5-6 of 8 are missing", in `arena`; NULL if all are there. */
const char *ee_part_set_missing(const ee_part_set *set, ee_arena *arena);

/* Whether an entry comes right after the one before: both can be one state. Of those without a number: always. */
bool ee_part_set_follows(const ee_part_set *set, size_t number);

/* The document of an entry, in `arena`, for its totals. EE_ERROR_SYSTEM or EE_ERROR_RULES if the file has changed. */
ee_status ee_part_set_load(ee_part_set *set, size_t number, ee_arena *arena, const ee_value **body, ee_error *error);

/* Fills `error` with a message about an entry, with its file and line; returns EE_ERROR_RULES. */
ee_status ee_part_set_refuse(const ee_part_set *set, size_t number, ee_error *error, const char *message);

#endif
