/* case_example.h: the case that a report shows for many.
 *
 * Of those that were offered it is the one whose id comes first in byte order, and of several of one case that with the
 * lowest texts: so it depends neither on the order of the cases nor on how they were split. */
#ifndef EE_RUN_CASE_EXAMPLE_H
#define EE_RUN_CASE_EXAMPLE_H

#include "base/arena.h"
#include "base/str.h"
#include "data/json/state_line.h"

/* All zero: no case. */
typedef struct ee_case_example {
  ee_str id;         /* data NULL: there is no example yet */
  ee_str text, more; /* what is shown of it: of an error for example the expected and the candidate value */
  char *memory;      /* of the three, in the total's arena; the next example takes it over */
  size_t room;
} ee_case_example;

/* Whether the case may be the example: ask before its texts are made. */
static inline bool ee_case_example_wants(const ee_case_example *example, ee_str id) {
  return example->id.data == NULL || ee_str_compare(id, example->id) <= 0;
}

/* Makes it the example if it comes before the one so far; everything is copied. `arena` is the same in all calls. */
void ee_case_example_offer(ee_case_example *example, ee_arena *arena, ee_str id, ee_str text, ee_str more);

/* Offers the example of other cases. */
void ee_case_example_merge(ee_case_example *example, ee_arena *arena, const ee_case_example *from);

/* Texts that are read are in `arena`. */
void ee_case_example_state(ee_state_line *line, ee_arena *arena, ee_case_example *example);

#endif
