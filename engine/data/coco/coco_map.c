/* coco_map.c: open addressing. */
#include "data/coco/coco_map.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

#define FIRST_CAPACITY 64

void ee_coco_map_fini(ee_coco_map *map) {
  free(map->slots);
  *map = (ee_coco_map){0};
}

/* The slot of `id`, or the free one where it belongs. */
static struct ee_coco_slot *find_slot(const ee_coco_map *map, int64_t id) {
  size_t mask = map->capacity - 1, at = (size_t)ee_hash_mix((uint64_t)id) & mask;
  while (map->slots[at].number != 0 && map->slots[at].id != id) at = (at + 1) & mask;
  return &map->slots[at];
}

static void grow(ee_coco_map *map) {
  ee_coco_map old = *map;
  map->capacity = old.capacity > 0 ? old.capacity * 2 : FIRST_CAPACITY;
  map->slots = ee_calloc(map->capacity, sizeof *map->slots);
  for (size_t i = 0; i < old.capacity; i++)
    if (old.slots[i].number != 0) *find_slot(map, old.slots[i].id) = old.slots[i];
  free(old.slots);
}

size_t ee_coco_map_find(const ee_coco_map *map, int64_t id) {
  if (map->capacity == 0) return EE_COCO_NOWHERE;
  return find_slot(map, id)->number - 1; /* of a free one: SIZE_MAX */
}

size_t ee_coco_map_add(ee_coco_map *map, int64_t id, size_t number, bool *added) {
  if (2 * (map->count + 1) > map->capacity) grow(map);
  struct ee_coco_slot *slot = find_slot(map, id);
  *added = slot->number == 0;
  if (*added) {
    *slot = (struct ee_coco_slot){id, number + 1};
    map->count++;
  }
  return slot->number - 1;
}
