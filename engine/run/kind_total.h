/* kind_total.h: the mismatches of an attribute by kind of error, with an example of each.
 *
 * Counts are integers, and examples do not depend on the order of the cases (run/case_example.h), so that merging
 * totals gives those of the whole. Memory is the totals' arena. */
#ifndef EE_RUN_KIND_TOTAL_H
#define EE_RUN_KIND_TOTAL_H

#include "base/arena.h"
#include "judge/error_kind.h"
#include "run/case_example.h"

/* Bytes of a value in an example. */
#define EE_KIND_EXAMPLE_BYTES 60

typedef struct ee_kind_count {
  uint64_t count;
  ee_case_example example; /* text and more: the expected and the candidate value, JSON, cut; empty: missing */
} ee_kind_count;

typedef struct ee_kind_total {
  uint64_t missing, spurious; /* of all mismatches: those of a missing and of a spurious value */
  ee_kind_count kinds[EE_ERROR_KIND_COUNT];
} ee_kind_total;

/* Adds a mismatch of a case; `*total` is made if it is NULL. Values (NULL: missing) are copied. `text` is scratch. */
void ee_kind_total_add(ee_kind_total **total, ee_arena *arena, ee_error_kind kind, ee_class value_class, ee_str id,
                       const ee_value *expected, const ee_value *candidate, ee_buffer *text);
/* Adds `from` (may be NULL). */
void ee_kind_total_merge(ee_kind_total **total, ee_arena *arena, const ee_kind_total *from);

/* Writes it (NULL: nothing), or reads it into an empty one. */
void ee_kind_total_state(ee_state_line *line, ee_arena *arena, ee_kind_total **total);

/* The kinds of an attribute with these counts, in `*all`. Where the judge pairs `rows`, values that no mismatch lists
 * are in rows without a partner: they are of the kinds "missing row" and "spurious row". */
void ee_kind_total_complete(const ee_kind_total *total, const ee_counts *counts, bool rows, ee_kind_total *all);

/* The kinds that occur, most frequent first, in the order of the table if equal; returns how many. `total` may be
 * NULL. */
size_t ee_kind_total_rank(const ee_kind_total *total, ee_error_kind kinds[EE_ERROR_KIND_COUNT]);

#endif
