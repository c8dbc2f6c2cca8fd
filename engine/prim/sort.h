/* sort.h: a stable merge sort for one type, without malloc and without a call per comparison.
 *
 * qsort() may call malloc, which is not allowed on the path of a case. */
#ifndef EE_PRIM_SORT_H
#define EE_PRIM_SORT_H

#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/work.h"

/* Defines `static void name(type *items, size_t count, ee_arena *scratch)`, which sorts `items` in place by
 * `static bool before(const type *a, const type *b)`, a strict order: runs of 8 by insertion, then merges between two
 * arrays. O(n log n), and charged as such (base/work.h). `scratch` is rewound. */
#define EE_DEFINE_SORT(name, type, before)                                                                             \
  static void name##_run(type *items, size_t count) {                                                                  \
    for (size_t i = 1; i < count; i++) {                                                                               \
      type item = items[i];                                                                                            \
      size_t at = i;                                                                                                   \
      for (; at > 0 && before(&item, &items[at - 1]); at--) items[at] = items[at - 1];                                 \
      items[at] = item;                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  static void name##_merge(const type *left, size_t left_count, const type *right, size_t right_count, type *out) {    \
    const type *left_end = left + left_count, *right_end = right + right_count;                                        \
    while (left < left_end && right < right_end) *out++ = before(right, left) ? *right++ : *left++;                    \
    while (left < left_end) *out++ = *left++;                                                                          \
    while (right < right_end) *out++ = *right++;                                                                       \
  }                                                                                                                    \
  static void name(type *items, size_t count, ee_arena *scratch) {                                                     \
    const size_t run = 8;                                                                                              \
    for (size_t i = 0; i < count; i += run) name##_run(items + i, count - i < run ? count - i : run);                  \
    if (count <= run) return;                                                                                          \
    ee_arena_mark mark = ee_arena_get_mark(scratch);                                                                   \
    type *other = ee_arena_calloc(scratch, count, sizeof(type));                                                       \
    type *from = items, *to = other;                                                                                   \
    for (size_t width = run; width < count; width *= 2) {                                                              \
      ee_work(4 * (uint64_t)count);                                                                                    \
      for (size_t i = 0; i < count; i += 2 * width) {                                                                  \
        size_t left = count - i < width ? count - i : width;                                                           \
        size_t right = count - i - left < width ? count - i - left : width;                                            \
        name##_merge(from + i, left, from + i + left, right, to + i);                                                  \
      }                                                                                                                \
      type *swap = from;                                                                                               \
      from = to;                                                                                                       \
      to = swap;                                                                                                       \
    }                                                                                                                  \
    if (from != items) memcpy(items, from, count * sizeof(type));                                                      \
    ee_arena_rewind(scratch, mark);                                                                                    \
  }

#endif
