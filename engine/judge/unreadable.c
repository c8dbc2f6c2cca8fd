/* unreadable.c: adding up counts of unreadable values. */
#include "judge/unreadable.h"

void ee_unreadable_add(ee_unreadable *unreadable, const ee_unreadable *from) {
  if (from->count == 0) return;
  uint64_t count = unreadable->count, expected = unreadable->expected, otherwise = unreadable->otherwise;
  if (count == 0) *unreadable = *from;
  unreadable->count = count + from->count;
  unreadable->expected = expected + from->expected;
  /* One other format is no advice for values of two. */
  unreadable->otherwise = otherwise + (unreadable->format == from->format ? from->otherwise : 0);
}
