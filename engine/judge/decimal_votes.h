/* decimal_votes.h: the decimal sign of numbers in texts, decided from all values of a field.
 *
 * "1,234" alone may be 1234 or 1.234. `decimal = "auto"` lets the values that show their sign ("12,50", "1,234.56")
 * vote, separately for expected values and candidates, and the majority decides; '.' without votes and in a tie. All
 * cases of a run vote before the first one is judged. Without a data set (a rule test, `evalengine judge`, the
 * library), the values of the case decide. */
#ifndef EE_JUDGE_DECIMAL_VOTES_H
#define EE_JUDGE_DECIMAL_VOTES_H

#include "base/list.h"
#include "judge/case.h"
#include "judge/result.h"

struct ee_plan;

/* Of one strategy, by ee_document_side. */
typedef struct ee_decimal_votes {
  uint64_t points[2], commas[2];
} ee_decimal_votes;

/* A strategy with decimal = "auto". */
typedef struct ee_decimal {
  ee_str field;
  uint32_t judge; /* its number */
  ee_decimal_votes votes;
} ee_decimal;

/* Those of a plan. */
typedef struct ee_decimals {
  EE_LIST(ee_decimal);
  bool decided; /* all cases have voted */
} ee_decimals;

/* '.' or ','. */
char ee_decimal_votes_sign(const ee_decimal_votes *votes, ee_document_side document);

/* "expected ',' (212 values show it, 3 show '.'), candidate '.' (no value shows one)" */
void ee_decimal_votes_print(const ee_decimal_votes *votes, ee_buffer *out);

/* Adds the votes of a case: `votes` has one element for each strategy with decimal = "auto" in the plan. Rewinds
 * `arena`. */
void ee_decimal_votes_add_case(const struct ee_plan *plan, const ee_case *current, ee_decimal_votes *votes,
                               ee_arena *arena);

#endif
