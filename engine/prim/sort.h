/* sort.h: a stable merge sort for one type, without malloc and without a call per comparison.
 *
 * qsort() may call malloc, which is not allowed on the path of a case. */
#ifndef EE_PRIM_SORT_H
#define EE_PRIM_SORT_H

#include <stddef.h>
#include <string.h>

#include "base/arena.h"

/* Sorts a few items in place. */
typedef void ee_sort_run(void *items, size_t count);
/* Merges the first `left_count` items and the `right_count` after them into `out`. */
typedef void ee_sort_merge(const void *items, size_t left_count, size_t right_count, void *out);

/* For EE_DEFINE_SORT: sorts `count` items of `size` bytes in runs of 8, then merges these between two arrays. */
void ee_sort_runs(void *items, size_t count, size_t size, ee_sort_run *run, ee_sort_merge *merge, ee_arena *scratch);

/* Defines `static void name(type *items, size_t count, ee_arena *scratch)`, which sorts `items` in place by
 * `static bool before(const type *a, const type *b)`, a strict order. O(n log n), and charged as such (base/work.h).
 * `scratch` is rewound. */
#define EE_DEFINE_SORT(name, type, before)                                                                             \
  static void name##_run(void *untyped, size_t count) {                                                                \
    type *items = untyped;                                                                                             \
    for (size_t i = 1; i < count; i++) {                                                                               \
      type item = items[i];                                                                                            \
      size_t at = i;                                                                                                   \
      for (; at > 0 && before(&item, &items[at - 1]); at--) items[at] = items[at - 1];                                 \
      items[at] = item;                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  static void name##_merge(const void *items, size_t left_count, size_t right_count, void *merged) {                   \
    const type *left = items, *left_end = left + left_count, *right = left_end, *right_end = right + right_count;      \
    type *out = merged;                                                                                                \
    while (left < left_end && right < right_end) *out++ = before(right, left) ? *right++ : *left++;                    \
    memcpy(out, left, (size_t)(left_end - left) * sizeof(type));                                                       \
    memcpy(out + (left_end - left), right, (size_t)(right_end - right) * sizeof(type));                                \
  }                                                                                                                    \
  static void name(type *items, size_t count, ee_arena *scratch) {                                                     \
    ee_sort_runs(items, count, sizeof(type), name##_run, name##_merge, scratch);                                       \
  }

#endif
