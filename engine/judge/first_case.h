/* first_case.h: a count of cases, and the first of them by id, for notes about a data set ("3 ... (first in 'a1')"). */
#ifndef EE_JUDGE_FIRST_CASE_H
#define EE_JUDGE_FIRST_CASE_H

#include "base/arena.h"
#include "data/json/state_line.h"

/* Bytes of an id in a note. */
#define EE_FIRST_CASE_SHOWN 60

typedef struct ee_first_case {
  uint64_t count;
  ee_str id; /* the smallest in byte order; data NULL: none */
} ee_first_case;

/* Adds `count` cases, of which `id` is the first; nothing for 0. The id is copied to `ids`. */
void ee_first_case_add(ee_first_case *to, ee_arena *ids, uint64_t count, ee_str id);
/* The state, also read from an untrusted line. */
void ee_first_case_state(ee_first_case *self, ee_arena *ids, ee_state_line *line);
/* What a note says of one and of several: "record without ...", "records without ...". */
typedef struct ee_first_case_text {
  const char *one, *many;
} ee_first_case_text;

/* Writes a note for each of `count` counters that is above 0: "3 MANY (first in 'a1')", or "1 ONE (first in 'a1')".
 * `notes` has room for all; the texts are in `arena`. Returns the number of notes. */
size_t ee_first_case_notes(const ee_first_case *counters, const ee_first_case_text *texts, size_t count, ee_str *notes,
                           ee_arena *arena);

#endif
