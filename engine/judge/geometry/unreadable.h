/* unreadable.h: values that could not be read as boxes or points.
 *
 * Layer: judge. Each of them scores 0, so that a wrong format would look like bad answers: a run tells how many there
 * were. */
#ifndef EE_JUDGE_UNREADABLE_H
#define EE_JUDGE_UNREADABLE_H

#include "judge/geometry/shape.h"

struct ee_strategy;

typedef enum ee_unreadable_kind { EE_UNREADABLE_BOX, EE_UNREADABLE_POLYGON, EE_UNREADABLE_POINT } ee_unreadable_kind;

/* All zero: none. The rest is of the first one; texts are static or the plan's. */
typedef struct ee_unreadable {
  uint64_t count;
  uint64_t expected;  /* of them: expected ones */
  uint64_t otherwise; /* of them: lists that `other` could read */
  ee_unreadable_kind kind;
  const char *reason;
  const char *format; /* what a list was read as; NULL: no list, or one whose spelling is no matter of a format */
  const char *other;  /* "xywh" beside "xyxy", "xyxy" beside others; NULL where `format` is */
} ee_unreadable;

/* Adds `value` (NULL: there is none), which ee_shape_read() could not read for `reason`. `arena` is scratch. */
void ee_unreadable_add_shape(ee_unreadable *unreadable, bool is_expected, const ee_shape_rule *rule,
                             const ee_value *value, const char *reason, ee_arena *arena);
/* Adds a value that ee_point_read() could not read. */
void ee_unreadable_add_point(ee_unreadable *unreadable, bool is_expected, const char *reason);
/* Adds all of `from`, which come later. */
void ee_unreadable_add(ee_unreadable *unreadable, const ee_unreadable *from);

/* Why a strategy iou or distance cannot read `value`, which is counted then; NULL when it can, and of other strategies.
 * `arena` is scratch. */
const char *ee_unreadable_by(const struct ee_strategy *strategy, bool is_expected, const ee_value *value,
                             ee_unreadable *unreadable, ee_arena *arena);

#endif
