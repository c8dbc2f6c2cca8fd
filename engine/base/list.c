/* list.c: growing the array of a list. */
#include "base/list.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"

#define FIRST_CAPACITY 8

void *ee_list_grow(ee_arena *arena, void *items, size_t count, size_t *capacity, size_t more, size_t size) {
  if (more > SIZE_MAX / 2 - count) ee_out_of_memory();
  size_t needed = *capacity > 0 ? *capacity * 2 : FIRST_CAPACITY;
  if (needed < count + more) needed = count + more;
  if (arena == NULL) {
    items = ee_realloc(items, needed, size);
  } else {
    if (needed > SIZE_MAX / size) ee_out_of_memory();
    void *larger = ee_arena_alloc(arena, needed * size);
    if (count > 0) memcpy(larger, items, count * size);
    items = larger;
  }
  *capacity = needed;
  return items;
}
