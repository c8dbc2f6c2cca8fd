/* item_keys.h: the keys of line items as fields, where the rule file names no fields.
 *
 * Used by ee.line_items and by ee.quality for lists of objects. */
#ifndef EE_JUDGE_PAIRING_ITEM_KEYS_H
#define EE_JUDGE_PAIRING_ITEM_KEYS_H

#include "judge/pairing/align.h"

/* Every key is a field of weight 1. If the keys themselves are data, the number of cells grows with the square of the
 * list, so that beyond 256 keys the product of items and keys is bounded. */
typedef struct ee_item_keys {
  const ee_item_field *fields; /* one per key, in order of first appearance, expected items first */
  const ee_match_field *match; /* the same keys as match fields */
  size_t count;
  ee_item_columns columns; /* those given, then those of the keys */
  bool too_many;           /* more than the bound; no fields then */
} ee_item_keys;

/* The message for `too_many`. */
#define EE_ITEM_KEYS_TOO_MANY "too many distinct keys: more than 8388608 items x keys"

/* Lists the keys of the items of both tables of `aligner`; ee_align_equal() may have paired some of them. `given` are
 * columns that other paths have already; the fields of `ignored` (NULL: none) are left out; `strategy` compares each
 * field. Everything is made in the case's arena. */
void ee_item_keys_find(ee_item_keys *keys, const ee_aligner *aligner, const ee_item_columns *given,
                       const ee_field_list *ignored, const ee_strategy *strategy);

#endif
