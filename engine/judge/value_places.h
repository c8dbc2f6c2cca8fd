/* value_places.h: where else in the two documents of a case a value occurs.
 *
 * A place is a path with [*] for indices: all rows of a list have the same places. Values are the same if their numbers
 * are ("1,234.50" and 1234.5), else if their texts are the same except for case and the width of white space. Only
 * values that could not be equal by chance count: not empty ones, true and false, containers, nor those of fewer than 3
 * characters or digits.
 *
 * Asked for a few values of a case, as error_kind.c does, most of the work is left out: of all values only those are
 * listed whose first digits or letters are those of a value that will be asked for; they are listed by what equal ones
 * share and is cheap to know (their digits, or their letters), and read in full only where it is the same. */
#ifndef EE_JUDGE_VALUE_PLACES_H
#define EE_JUDGE_VALUE_PLACES_H

#include "judge/result.h"

typedef struct ee_value_places ee_value_places;

/* The values that will be asked for. All zero: none. */
typedef struct ee_value_asks {
  uint64_t texts[16], numbers[16]; /* bits by the first digits or letters of texts, and by numbers */
  const ee_value *values[128];     /* of the values themselves those that have been added last, */
  uint64_t sketches[128];          /* and what has been learned about them */
} ee_value_asks;

/* Adds a value (NULL: nothing). `scratch` is rewound. */
void ee_value_asks_add(ee_value_asks *asks, const ee_value *value, ee_arena *scratch);

/* Lists the values of both documents in `arena`, where also what is learned later is kept; the documents must live as
 * long. Only values of `asks`, which must live as long, may be asked for (NULL: all). NULL if the documents have more
 * than `limit` values. */
ee_value_places *ee_value_places_new(const ee_case *source, const ee_value_asks *asks, size_t limit, ee_arena *arena);

/* A number that grows whenever something is kept in the arena. */
size_t ee_value_places_kept(const ee_value_places *places);

/* Where a value is, as bits: at the place of the mismatch in another row, at another place. */
#define EE_IN_ANOTHER_ROW 1u
#define EE_IN_ANOTHER_FIELD 2u

/* Where the candidate has `expected` and it is not expected, besides the mismatch `at`. A path in another spelling than
 * the document's, such as a JSON Pointer, is a place of its own. */
unsigned ee_value_misplaced(ee_value_places *places, const ee_value *expected, const ee_finding *at);

/* Where `candidate`, which is not `expected`, is expected, besides the mismatch `at`. */
unsigned ee_value_due_elsewhere(ee_value_places *places, const ee_value *expected, const ee_value *candidate,
                                const ee_finding *at);

#endif
