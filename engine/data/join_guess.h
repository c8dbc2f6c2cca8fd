/* join_guess.h: which members could be the ids of two files that are to be joined. */
#ifndef EE_DATA_JOIN_GUESS_H
#define EE_DATA_JOIN_GUESS_H

#include "base/error.h"
#include "data/files/record.h"

/* Pairs of members that are nearly right. */
#define EE_JOIN_NEAR 3

/* Two members, one of each side, and how many of their values both sides have. The names are in the arena. */
typedef struct ee_join_pair {
  ee_str expected_id, id;
  uint64_t joined;
} ee_join_pair;

typedef struct ee_join_guess {
  /* The names of the members, in the arena; data NULL for a side whose records have ids at the given paths or in their
   * place (the name of a file), and for both if no member joins the files. */
  ee_str expected_id, id;
  uint64_t joined;                 /* ids that both sides have */
  uint64_t expected, records;      /* records of each side */
  bool nameless;                   /* neither side has ids at `paths` or in their place */
  ee_join_pair near[EE_JOIN_NEAR]; /* if nothing joins the files: the pairs that come closest */
  size_t near_count;
} ee_join_guess;

/* Compares the scalar members of the records of `truth` with those of the records of `files`. A side whose records have
 * ids at `paths` (NULL: the known names) keeps these ids.
 *
 * A value that is to be judged must not become the id. So a member qualifies only if nine of ten records have a string
 * or a whole number there, no value occurs twice, and the values are not dates, amounts or booleans. If the names say
 * that they are ids ("invoice_no", "file", "key"; "name" alone less so), 95 % of the smaller side must be in common;
 * others must be texts, not numbers, and have all of it in common. Names that say so come first; then the pair with the
 * most common values; then the first one, in the order of the members. True if there is one, so that --expected-id and
 * --id (only those that are set) would join the files.
 *
 * Reads both sides to their ends ("-" too, which must be rewound). 8 bytes a record and member. False also if a file
 * cannot be read. */
bool ee_join_guess_find(const char *truth, const char *const *files, size_t count, const ee_record_paths *paths,
                        ee_arena *arena, ee_join_guess *guess);

/* "'key' joins 347 of 347: --id key --expected-id doc" (only the options that are needed), in `arena`. */
const char *ee_join_guess_text(const ee_join_guess *guess, ee_arena *arena);

/* "'number' has 29 of 30 in common, 'a' and 'b' 27", the pairs that come closest, in `arena`; NULL: none. */
const char *ee_join_guess_near_text(const ee_join_guess *guess, ee_arena *arena);

#endif
