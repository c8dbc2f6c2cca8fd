/* list.h: a growing array.
 *
 *   typedef struct names { EE_LIST(ee_str); } names;      members items, count, capacity; all zero is an empty list
 *   *EE_LIST_ADD(&list, arena) = text;                    one more item, not initialised; arena NULL: malloc
 *   EE_LIST_RESERVE(&list, arena, count);                 room for `count` more
 *   EE_LIST_FINI(&list);                                  of a list without an arena
 *
 * Any struct with members items, count and capacity (both size_t) works. In an arena the outgrown arrays stay until it
 * is reset; together they take no more memory than the last one. Adding is amortised O(1) and moves the items. */
#ifndef EE_BASE_LIST_H
#define EE_BASE_LIST_H

#include "base/arena.h"
#include "base/memory.h"

#define EE_LIST(type)                                                                                                  \
  type *items;                                                                                                         \
  size_t count, capacity

/* Returns a larger copy of `items` with room for `more` items of `size` bytes beyond `count`; sets `*capacity`. */
void *ee_list_grow(ee_arena *arena, void *items, size_t count, size_t *capacity, size_t more, size_t size)
    __attribute__((returns_nonnull));

#ifdef __clang_analyzer__ /* it does not know that an array with capacity is not NULL */
#define EE_LIST_RESERVE(list, arena, more)                                                                             \
  ((void)((list)->items =                                                                                              \
              ee_list_grow((arena), (list)->items, (list)->count, &(list)->capacity, (more), sizeof *(list)->items)))
#else
#define EE_LIST_RESERVE(list, arena, more)                                                                             \
  ((void)((list)->capacity - (list)->count >= (more) ||                                                                \
          ((list)->items = ee_list_grow((arena), (list)->items, (list)->count, &(list)->capacity, (more),              \
                                        sizeof *(list)->items)) != NULL))
#endif

#define EE_LIST_ADD(list, arena) (EE_LIST_RESERVE(list, arena, 1), &(list)->items[(list)->count++])

#define EE_LIST_FINI(list) (ee_free((list)->items), (list)->items = NULL, (list)->count = (list)->capacity = 0)

#endif
