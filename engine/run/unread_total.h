/* unread_total.h: counts the values of one attribute that the rules cannot read, with an example and the option that
 * would read them. */
#ifndef EE_RUN_UNREAD_TOTAL_H
#define EE_RUN_UNREAD_TOTAL_H

#include "base/arena.h"
#include "base/buffer.h"
#include "judge/result.h"
#include "run/case_example.h"

struct ee_strategy_type;

/* Of one document. Where values of several strategies share the attribute, remedies and the example are those of the
 * strategy whose name comes first. */
typedef struct ee_unread_side {
  uint64_t count;
  const struct ee_strategy_type *strategy; /* NULL: no value yet */
  uint64_t by_remedy[EE_REMEDY_LIMIT];     /* how many of its values each of its remedies would read */
  ee_case_example
      example; /* text: the value's JSON, or a string's text, at most EE_UNREAD_BYTES; more: why, or empty */
} ee_unread_side;

#define EE_UNREAD_BYTES 60

typedef struct ee_unread_total {
  ee_unread_side sides[2]; /* by ee_document_side */
} ee_unread_total;

/* Adds a value of a case with the id `id`. `text` and `scratch` are scratch. */
void ee_unread_total_add_value(ee_unread_total **total, ee_arena *arena, const ee_unread *unread, ee_str id,
                               ee_buffer *text, ee_arena *scratch);
/* Adds `from` (may be NULL). */
void ee_unread_total_merge(ee_unread_total **total, ee_arena *arena, const ee_unread_total *from);

/* Writes it (NULL: nothing), or reads it into an empty one. */
void ee_unread_total_state(ee_state_line *line, ee_arena *arena, ee_unread_total **total);

/* The remedy that reads the most values of a side, the first of several; NULL where none reads any. `*reads` gets how
 * many it reads. */
const char *ee_unread_best_remedy(const ee_unread_total *total, ee_document_side document, uint64_t *reads);

/* Appends "61 of 347 expected values of 'total' are not numbers, e.g. '$8.20' in case 'X51'; format = \"money\" reads
 * all of them". `of` is the number of values of that document, 0: not known. */
void ee_unread_print(const ee_unread_total *total, ee_document_side document, ee_str attribute, uint64_t of,
                     ee_buffer *out);

#endif
