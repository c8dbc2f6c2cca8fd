/* join_guess.h: which members could be the ids of two files that are to be joined. */
#ifndef EE_DATA_JOIN_GUESS_H
#define EE_DATA_JOIN_GUESS_H

#include "base/error.h"
#include "data/files/record.h"

typedef struct ee_join_guess {
  /* The names of the members, in the arena; data NULL for a side whose records have ids at the given paths or in their
   * place (the name of a file), and for both if no member joins the files. */
  ee_str expected_id, id;
  uint64_t joined;            /* ids that both sides have */
  uint64_t expected, records; /* records of each side */
} ee_join_guess;

/* Compares the scalar members of the records of `truth` with those of the records of `files`. A side whose records have
 * ids at `paths` (NULL: the known names) is taken at its word. Of the other, members count that have a string or a
 * number, rarely the same one twice, in nine of ten records. The pair with the most common values wins if these are at
 * least half of the smaller side; the first one, in the order of the members, of several. True if there is one, so that
 * --expected-id and --id (only those that are set) would join the files.
 *
 * Reads both sides to their ends ("-" too, which must be rewound). 8 bytes a record and member. False also if a file
 * cannot be read. */
bool ee_join_guess_find(const char *truth, const char *const *files, size_t count, const ee_record_paths *paths,
                        ee_arena *arena, ee_join_guess *guess);

/* "'key' joins 347 of 347: --id key --expected-id doc" (only the options that are needed), in `arena`. */
const char *ee_join_guess_text(const ee_join_guess *guess, ee_arena *arena);

#endif
