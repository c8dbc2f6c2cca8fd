/* coco_map.h: from an id to the number of what has it.
 *
 * */
#ifndef EE_DATA_COCO_COCO_MAP_H
#define EE_DATA_COCO_COCO_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is an empty map. */
typedef struct ee_coco_map {
  struct ee_coco_slot {
    int64_t id;
    size_t number; /* plus 1; 0: free */
  } * slots;
  size_t capacity; /* a power of two; at most half of it is used */
  size_t count;
} ee_coco_map;

#define EE_COCO_NOWHERE SIZE_MAX

void ee_coco_map_fini(ee_coco_map *map);

/* The number of `id`; EE_COCO_NOWHERE when it has none. */
size_t ee_coco_map_find(const ee_coco_map *map, int64_t id);

/* The number of `id`, which becomes `number` when it has none; `*added` tells. */
size_t ee_coco_map_add(ee_coco_map *map, int64_t id, size_t number, bool *added);

#endif
