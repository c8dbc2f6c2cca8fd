/* align.h: which expected line item belongs to which candidate item.
 *
 * Layer: judge. The result does not depend on the order of the items, except by method index. */
#ifndef EE_JUDGE_ALIGN_H
#define EE_JUDGE_ALIGN_H

#include "base/fixed.h"
#include "judge/item_similarity.h"
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

/* Pairs equal items (here and below: equal without their empty members, ee_item_filled()), in the order of their
 * indices among several equal ones, in O(n + m). Greedy matching would take these pairs first where equal items have
 * similarity 1 and match in every score field. */
void ee_align_equal(ee_aligner *aligner);

/* True when every item of the shorter list has an equal partner: no pairing has a larger total similarity, where equal
 * items have similarity 1. */
bool ee_align_is_complete(const ee_aligner *aligner);

/* Forgets all pairs. */
void ee_align_clear(ee_aligner *aligner);

/* Pairs the rest by the rule's method; both tables have their cells.
 *
 * greedy: the best remaining pair at or above the threshold first: highest similarity, then most score fields that
 * match, then equal items, then lowest canonical order (ee_value_compare) of the expected and of the candidate item,
 * then index. optimal: of the pairs at or above the threshold those with the largest total similarity; where several
 * pairings have it (to 2^-50 a pair), by the number of score fields that match and of equal items, and then as the
 * items' canonical order has it. key: items of equal keys that are not empty, several of one key as by greedy at
 * similarity 1; items without a key with items that are equal to them, in the order of their indices, so that a list
 * against itself is perfect. index: by place.
 *
 * optimal must not find pairs of equal items: two equal items may belong to others, where these are then left with
 * less. It falls back to greedy above the rule's max_pairs, or when it takes too many steps. */
void ee_align(ee_aligner *aligner);

/* True when rows times columns are within the rule's max_pairs. */
bool ee_align_fits(const ee_aligner *aligner);

/* Pairs by greedy and by optimal, each into an aligner of its own that has no pairs yet and is set up for the same
 * tables, which fit, and the same rule and fields; similarities are computed once. False when the two cannot be
 * compared: too many pairs or steps, or answers of a provider that are open. */
bool ee_align_both(ee_aligner *greedy, ee_aligner *optimal);

/* Takes the best pairs out of `count` possible ones: the last step of greedy, apart for tests. Sets the aligner's
 * pairs. Rows and columns of `pairs` are table rows; matches and ranks are filled in here, where a tie needs them. */
void ee_align_resolve(ee_aligner *aligner, ee_pair *pairs, size_t count);

/* The same for optimal. When it takes too many steps it falls back to greedy. */
void ee_align_resolve_optimal(ee_aligner *aligner, ee_pair *pairs, size_t count);

/* The similarities of an alignment, added up: exact, in whatever order. */
ee_fixed ee_align_total(const ee_aligner *aligner);

#endif
