/* unreadable.h: values that could not be read as boxes or points.
 *
 * Each of them scores 0, so that a wrong format would look like bad answers: a run reports how many there
 * were. */
#ifndef EE_JUDGE_UNREADABLE_H
#define EE_JUDGE_UNREADABLE_H

#include <stdint.h>

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

/* Adds all of `from`, which come later. */
void ee_unreadable_add(ee_unreadable *unreadable, const ee_unreadable *from);

#endif
