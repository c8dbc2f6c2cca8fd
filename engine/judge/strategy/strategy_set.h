/* strategy_set.h: the strategy inside ee.set.
 *
 * of strategy.c, for what a strategy is by those that it is made of. */
#ifndef EE_JUDGE_STRATEGY_STRATEGY_SET_H
#define EE_JUDGE_STRATEGY_STRATEGY_SET_H

#include "judge/strategy/strategy_rows.h"

/* What the elements of ee.set are compared by; NULL for equality, and for any other strategy. */
const ee_strategy *ee_set_match(const ee_strategy *strategy);

#endif
