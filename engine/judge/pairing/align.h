/* align.h: which expected line item belongs to which candidate item.
 *
 * The result does not depend on the order of the items, except by method index. */
#ifndef EE_JUDGE_PAIRING_ALIGN_H
#define EE_JUDGE_PAIRING_ALIGN_H

#include "base/fixed.h"
#include "judge/pairing/item_similarity.h"
#include "prim/assign.h"

#define EE_UNPAIRED UINT32_MAX

/* A score field: its values in the items. */
typedef struct ee_item_field {
  const ee_field *field;
  uint32_t expected_column, candidate_column;
  uint32_t part; /* which of the judge's counts it adds to; of no meaning to an alignment */
} ee_item_field;

/* The state of an alignment: what is compared, and the pairs found so far. Rows are those of the tables. */
typedef struct ee_aligner {
  ee_context *context;
  const ee_match_rule *rule;
  const ee_item_table *expected, *candidate;
  const ee_item_field *fields;    /* the score fields, which break ties */
  const ee_condition *conditions; /* one a score field */
  size_t field_count;
  uint32_t *candidate_of; /* per expected row: its partner, or EE_UNPAIRED */
  uint32_t *expected_of;  /* per candidate row */
  double *similarity;     /* per expected row that is paired */
  bool *equal;            /* per expected row that is paired: the items are equal */
  bool too_many;          /* more pairs than the rule's pair_limit: only equal items are paired */
  bool fell_back;         /* optimal was asked for, and would have been more work than the rule allows: greedy */
} ee_aligner;

/* Sets up the pairs (none yet) of two tables; rule and fields are the caller's to fill in. */
void ee_align_start(ee_aligner *aligner, ee_context *context, const ee_item_table *expected,
                    const ee_item_table *candidate);

/* Records one pair. */
static inline void ee_align_take(ee_aligner *aligner, uint32_t row, uint32_t column, double similarity) {
  aligner->candidate_of[row] = column;
  aligner->expected_of[column] = row;
  aligner->similarity[row] = similarity;
}

/* The same for the tables, rule and fields of `other`, whose pairs stay its own. */
void ee_align_start_beside(ee_aligner *aligner, const ee_aligner *other);

/* Pairs equal items (here and below: equal without their empty members, ee_item_filled()), in the order of their
 * indices among several equal ones, in O(n + m). Greedy matching would take these pairs first where equal items have
 * similarity 1 and match in every score field. */
void ee_align_equal(ee_aligner *aligner);

/* True when every item of the shorter list has a partner. */
bool ee_align_is_complete(const ee_aligner *aligner);

/* Pairs the rest by the rule's method; both tables have their cells.
 *
 * greedy: the best remaining pair at or above the threshold first: highest similarity, then most score fields that
 * match, then equal items, then lowest canonical order (ee_value_compare) of the expected and of the candidate item,
 * then index. optimal: ee_align_both(). key: items of equal keys that are not empty, several of one key as by greedy at
 * similarity 1; items without a key with items that are equal to them, in the order of their indices, so that a list
 * against itself is perfect. index: by place. */
void ee_align(ee_aligner *aligner);

/* Pairs by greedy and by optimal, in aligners for the same tables, rule and fields. `greedy` may have pairs of equal
 * items (ee_align_equal) and keeps them; `optimal` has none, since two equal items may belong to others where these are
 * then left with less. All of both tables have their cells.
 *
 * optimal: of the pairs at or above the threshold those with the largest total similarity. Where greedy pairs some
 * items as well (to 2^-50 a pair), they are paired as greedy does it; else, of several such pairings, as the items'
 * canonical order has it. True when both were found. Above the rule's max_pairs (rows times columns), and when it takes
 * too many steps, `optimal` falls back to the pairs of greedy. */
bool ee_align_both(ee_aligner *greedy, ee_aligner *optimal);

/* Takes the best pairs out of `count` possible ones: the last step of greedy, apart for tests. Sets the aligner's
 * pairs. Rows and columns of `pairs` are table rows; matches and ranks are filled in here, where a tie needs them. */
void ee_align_resolve(ee_aligner *aligner, ee_pair *pairs, size_t count);

/* The similarities of an alignment, added up: exact, in whatever order. */
ee_fixed ee_align_total(const ee_aligner *aligner);

#endif
