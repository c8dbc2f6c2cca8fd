/* bad_shapes.h: counting values that could not be read as boxes or points.
 *
 * Each of them scores 0, so that a wrong format would look like bad answers: a run tells how many there
 * were. */
#ifndef EE_JUDGE_GEOMETRY_BAD_SHAPES_H
#define EE_JUDGE_GEOMETRY_BAD_SHAPES_H

#include "judge/geometry/shape.h"
#include "judge/unreadable.h"

struct ee_strategy;

/* Adds `value` (NULL: there is none), which ee_shape_read() could not read for `reason`. `arena` is scratch. */
void ee_unreadable_add_shape(ee_unreadable *unreadable, bool is_expected, const ee_shape_rule *rule,
                             const ee_value *value, const char *reason, ee_arena *arena);
/* Adds a value that ee_point_read() could not read. */
void ee_unreadable_add_point(ee_unreadable *unreadable, bool is_expected, const char *reason);
/* Why a strategy iou or distance cannot read `value`, which is counted then; NULL when it can, and of other strategies.
 * `arena` is scratch. */
const char *ee_unreadable_by(const struct ee_strategy *strategy, bool is_expected, const ee_value *value,
                             ee_unreadable *unreadable, ee_arena *arena);

#endif
