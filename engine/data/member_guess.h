/* member_guess.h: which members of a file's records could be the expected value and the candidate. */
#ifndef EE_DATA_MEMBER_GUESS_H
#define EE_DATA_MEMBER_GUESS_H

#include "base/error.h"
#include "data/files/record.h"

typedef struct ee_member_guess {
  ee_str expected, candidate; /* names, in the arena; data NULL: no two members could be them */
  bool clear;                 /* names and values say so, and of no other two */
} ee_member_guess;

/* Compares the members of the records of `files` with each other, if the first record has no expected value at `paths`
 * (NULL: the known names). Two members are a pair by their names if these are the same except for words that tell the
 * sides apart ("gold_spans" and "predicted_spans", "output" and "generated_output"); it is clear if also their values
 * are: equal in one of five records, objects that share half of their keys or both arrays in half of them. Without such
 * names, the two members whose values, not always the same, are equal most often, in three of ten records at least.
 * JSON in a text is read. True if there are two members.
 *
 * Reads the files ("-" is not read: false). */
bool ee_member_guess_find(const char *const *files, size_t count, const ee_record_paths *paths, ee_arena *arena,
                          ee_member_guess *guess);

/* "--expected-path gold --candidate answer", in `arena`. */
const char *ee_member_guess_text(const ee_member_guess *guess, ee_arena *arena);

#endif
