/* item_keys.h: the keys of line items as fields, where no rule names any.
 *
 * Shared by line_items and the leaves of quality. */
#ifndef EE_JUDGE_PAIRING_ITEM_KEYS_H
#define EE_JUDGE_PAIRING_ITEM_KEYS_H

#include "judge/pairing/align.h"

/* Every key is a field of weight 1. Where the keys themselves may be data, cells grow with the square of the list, so
 * that beyond 256 keys items times keys are bounded. */
typedef struct ee_item_keys {
  const ee_item_field *fields; /* one a key, in order of first appearance; the expected items come first */
  const ee_match_field *match; /* the same as fields that decide what belongs together */
  size_t count;
  ee_item_columns columns; /* those given, then those of the keys */
  bool too_many;           /* more than the bound: there are no fields */
} ee_item_keys;

/* What to say of `too_many`. */
#define EE_ITEM_KEYS_TOO_MANY "too many distinct keys: more than 8388608 items x keys"

/* Finds the keys of the items of both tables of `aligner`, where ee_align_equal() may have paired some. `given` are the
 * columns that other paths have already; the fields of `ignored` (NULL: none) are left out; `strategy` compares each
 * field. Everything is made in the case's arena. */
void ee_item_keys_find(ee_item_keys *keys, const ee_aligner *aligner, const ee_item_columns *given,
                       const ee_field_list *ignored, const ee_strategy *strategy);

#endif
