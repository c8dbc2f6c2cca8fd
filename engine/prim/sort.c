#include "prim/sort.h"

#include "base/work.h"

#define RUN ((size_t)8)

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

void ee_sort_runs(void *items, size_t count, size_t size, ee_sort_run *run, ee_sort_merge *merge, ee_arena *scratch) {
  char *from = items;
  for (size_t i = 0; i < count; i += RUN) run(from + i * size, smaller(count - i, RUN));
  if (count <= RUN) return;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  char *to = ee_arena_calloc(scratch, count, size);
  for (size_t width = RUN; width < count; width *= 2) {
    ee_work(4 * (uint64_t)count);
    for (size_t i = 0; i < count; i += 2 * width) {
      size_t left = smaller(count - i, width);
      merge(from + i * size, left, smaller(count - i - left, width), to + i * size);
    }
    char *swap = from;
    from = to;
    to = swap;
  }
  if (from != items) memcpy(items, from, count * size);
  ee_arena_rewind(scratch, mark);
}
