/* align.h: which expected line item belongs to which candidate item.
 *
 * The result does not depend on the order of the items, except by method index. */
#ifndef EE_JUDGE_PAIRING_ALIGN_H
#define EE_JUDGE_PAIRING_ALIGN_H

#include "base/fixed.h"
#include "judge/pairing/similarity.h"

#define EE_UNPAIRED UINT32_MAX

/* A score field and the columns of its values. */
typedef struct ee_item_field {
  const ee_field *field;
  uint32_t expected_column, candidate_column;
  uint32_t part; /* which of the judge's counts it adds to; not used by an alignment */
} ee_item_field;

/* The state of an alignment: what is compared, and the pairs found so far. Rows are those of the tables. */
typedef struct ee_aligner {
  ee_context *context;
  const ee_match_rule *rule;
  const ee_item_table *expected, *candidate;
  const ee_item_field *fields;    /* the score fields, which break ties */
  const ee_condition *conditions; /* one a score field */
  size_t field_count;
  uint32_t *candidate_of; /* by expected row: its partner, or EE_UNPAIRED */
  uint32_t *expected_of;  /* by candidate row */
  double *similarity;     /* by expected row that is paired */
  bool *equal;            /* by expected row that is paired: the items are equal */
  bool too_many;          /* more pairs than the rule's pair_limit: only equal items are paired */
  bool fell_back;         /* greedy was used instead of optimal: too many pairs or too many steps */
} ee_aligner;

/* Sets up an alignment of two tables without pairs. The caller sets rule, fields, conditions and field_count. */
void ee_align_start(ee_aligner *aligner, ee_context *context, const ee_item_table *expected,
                    const ee_item_table *candidate);

/* The same with the tables, rule and fields of `other`, and pairs of its own. */
void ee_align_start_beside(ee_aligner *aligner, const ee_aligner *other);

/* Pairs equal items (here and below: equal by ee_item_filled()); among several equal ones by their indices. O(n + m).
 * Greedy matching would take these pairs first where equal items have similarity 1 and match in every score field. */
void ee_align_equal(ee_aligner *aligner);

/* True when every item of the shorter list has a partner. */
bool ee_align_is_complete(const ee_aligner *aligner);

/* Pairs the remaining items by the rule's method; both tables must have their cells.
 *
 * greedy: the best remaining pair at or above the threshold first: highest similarity, then most score fields that
 * match, then equal items, then lowest canonical order (ee_value_compare) of the expected and of the candidate item,
 * then index. optimal: see ee_align_both(). key: items of equal keys that are not empty, several items of one key as by
 * greedy with similarity 1; items without a key with equal items, by index, so that a list against itself is perfect.
 * index: by position. */
void ee_align(ee_aligner *aligner);

/* Pairs by greedy and by optimal, in two aligners for the same tables, rule and fields. `greedy` may have pairs of
 * equal items (ee_align_equal) and keeps them; `optimal` has none, since the best total may need other partners for
 * them. Both tables must have all their cells.
 *
 * optimal: of the pairs at or above the threshold those with the largest total similarity, with count_first of the
 * largest sets of pairs. If several pairings have
 * that total (to 2^-50 a pair), the items are paired as greedy does it where possible, else by canonical order. Falls
 * back to the pairs of greedy above the rule's max_pairs (rows times columns), and when the search takes too many
 * steps. True when both pairings were found. */
bool ee_align_both(ee_aligner *greedy, ee_aligner *optimal);

/* The sum of the pairs' similarities: exact, in any order. */
ee_fixed ee_align_total(const ee_aligner *aligner);

#endif
