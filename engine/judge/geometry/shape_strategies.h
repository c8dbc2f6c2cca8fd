/* shape_strategies.h: which values the strategies ee.iou and ee.distance cannot read. */
#ifndef EE_JUDGE_GEOMETRY_SHAPE_STRATEGIES_H
#define EE_JUDGE_GEOMETRY_SHAPE_STRATEGIES_H

#include "data/json/value.h"
#include "judge/unreadable.h"

struct ee_strategy;

/* If `strategy` is ee.iou or ee.distance and cannot read `value` (NULL: missing): counts the value in `unreadable` and
 * returns why, as static text. NULL otherwise. `arena` is scratch. */
const char *ee_unreadable_by(const struct ee_strategy *strategy, bool is_expected, const ee_value *value,
                             ee_unreadable *unreadable, ee_arena *arena);

#endif
