/* outcome.h: how each value of a case was judged, hits too: what was compared, measured and decided.
 *
 * Collected only in full detail (ee_context.detail); otherwise nothing here costs time or memory. A judge that judges
 * values asks ee_context_keeps_outcomes() and adds one outcome for each value that it counts, so that the classes of
 * the outcomes of an attribute add up to its counts. */
#ifndef EE_JUDGE_OUTCOME_H
#define EE_JUDGE_OUTCOME_H

#include "base/buffer.h"
#include "base/list.h"
#include "judge/formula.h"
#include "judge/result.h"

/* Outcomes of one judge in one case that are kept; ee_judge_result.outcomes_cut says that there were more. */
#define EE_OUTCOMES_KEPT 10000

/* How two values were compared. */
typedef struct ee_explanation {
  const ee_value *expected, *candidate; /* what was compared, where normalizing changed it; NULL: the value itself */
  const char *measure; /* "similarity", "difference", "days", "iou"; NULL: equal or not, nothing was measured */
  double value;        /* of the measure */
  double threshold;    /* that the value was held against: the lowest similarity, the largest difference */
  ee_str formula;      /* with its numbers: "1 - 2/22 = 0.909091 >= 0.85"; empty: no formula */
} ee_explanation;

/* Sets the formula of an explanation whose measure, value and threshold are set; `expression` gives the value, NULL:
 * the name of the measure stands for it. */
void ee_explanation_decide(ee_explanation *how, const char *expression, ee_limit side, bool matched, ee_arena *arena);

/* One judged value. Everything lives in the case's arena or in the plan. */
typedef struct ee_outcome {
  ee_finding place; /* with the reason of a miss; of an item without a partner its own index */
  ee_str attribute; /* whose counts it is in; empty: in no counts */
  ee_class value_class;
  const ee_value *expected, *candidate; /* NULL: missing */
  double score;                         /* 0..1 */
  double weight;                        /* in the judge's score; 0: left out of it */
  ee_str strategy;                      /* that compared them; empty: nothing did */
  ee_explanation how;
  uint32_t row, partner; /* of a list: the expected and the candidate item; else EE_NO_ROW */
} ee_outcome;

/* Outcomes of the current judge. */
typedef struct ee_outcome_list {
  EE_LIST(ee_outcome);
  bool cut; /* there were more than EE_OUTCOMES_KEPT */
} ee_outcome_list;

/* Adds a copy of `outcome`, or notes that there are too many. */
void ee_outcomes_add(ee_outcome_list *list, ee_arena *arena, const ee_outcome *outcome);

/* "tp", "tn", "incorrect", "spurious", "missing", "unread". */
const char *ee_class_name(ee_class value_class);

/* Appends the outcomes of a result as a JSON array, [] where there are none: {"path", "field", "outcome", "expected",
 * "candidate", "score", "weight", "strategy", "expected_normal", "candidate_normal", "measure", "value", "threshold",
 * "formula", "reason", "kind", "list", "row", "partner"}, without the members that an outcome has not. `list` is the
 * path of the list whose items `row` and `partner` are. */
void ee_outcomes_write(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out);

#endif
