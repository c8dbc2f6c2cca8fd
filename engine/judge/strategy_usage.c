/* strategy_usage.c: counting choices, each once a path. */
#include "judge/strategy_usage.h"

#include <stdlib.h>

#include "base/hash_index.h"
#include "base/memory.h"

/* At most a quarter full. */
#define SLOTS ((size_t)4096)

void ee_strategy_usage_init(ee_strategy_usage *observation) {
  *observation = (ee_strategy_usage){0};
  ee_arena_init(&observation->names, 0);
}

void ee_strategy_usage_fini(ee_strategy_usage *observation) {
  free(observation->items);
  free(observation->slots);
  ee_arena_fini(&observation->names);
  *observation = (ee_strategy_usage){0};
}

static uint64_t hash_of(ee_str path, const char *choice, const char *why) {
  uint64_t hash = ee_hash_bytes(path.data, path.length, 0);
  hash = ee_hash_bytes(choice, strlen(choice), hash);
  return ee_hash_bytes(why, strlen(why), hash);
}

/* The slot of the choice, or the free one where it would stand. */
static uint32_t *slot_of(const ee_strategy_usage *observation, ee_str path, const char *choice, const char *why) {
  size_t at = (size_t)hash_of(path, choice, why) & (SLOTS - 1);
  for (; observation->slots[at] != 0; at = (at + 1) & (SLOTS - 1)) {
    const struct ee_strategy_used *item = &observation->items[observation->slots[at] - 1];
    if (ee_str_equal(item->path, path) && strcmp(item->choice, choice) == 0 && strcmp(item->why, why) == 0) break;
  }
  return &observation->slots[at];
}

/* Behind the last item of its path, else at the end. */
static size_t place_for(const ee_strategy_usage *observation, ee_str path) {
  for (size_t i = observation->count; i > 0; i--) {
    if (ee_str_equal(observation->items[i - 1].path, path)) return i;
  }
  return observation->count;
}

static void insert(ee_strategy_usage *observation, ee_str path, const char *choice, const char *why, uint64_t count) {
  if (observation->count == observation->capacity) {
    observation->capacity = observation->capacity == 0 ? 64 : observation->capacity * 2;
    observation->items = ee_realloc(observation->items, observation->capacity, sizeof *observation->items);
  }
  size_t at = place_for(observation, path);
  struct ee_strategy_used *items = observation->items;
  memmove(&items[at + 1], &items[at], (observation->count - at) * sizeof *items);
  ee_str name = {ee_arena_copy(&observation->names, path.length > 0 ? path.data : "", path.length), path.length};
  items[at] = (struct ee_strategy_used){.path = name, .choice = choice, .why = why, .count = count};
  observation->count++;
  /* Those behind it have moved. There are few insertions, and many more counts. */
  memset(observation->slots, 0, SLOTS * sizeof *observation->slots);
  for (size_t i = 0; i < observation->count; i++) {
    *slot_of(observation, items[i].path, items[i].choice, items[i].why) = (uint32_t)i + 1;
  }
}

static void add(ee_strategy_usage *observation, ee_str path, const char *choice, const char *why, uint64_t count) {
  if (observation->slots == NULL) observation->slots = ee_calloc(SLOTS, sizeof *observation->slots);
  uint32_t *slot = slot_of(observation, path, choice, why);
  if (*slot != 0) {
    observation->items[*slot - 1].count += count;
  } else if (observation->count < EE_STRATEGY_USAGE_LIMIT) {
    insert(observation, path, choice, why, count);
  } else {
    observation->left_out += count;
  }
}

void ee_strategy_usage_add(ee_strategy_usage *observation, ee_str path, const char *choice, const char *why) {
  add(observation, path, choice, why, 1);
}

void ee_strategy_usage_mention(ee_strategy_usage *observation, ee_str path, const char *choice, const char *why) {
  add(observation, path, choice, why, 0);
}

void ee_strategy_usage_print(const ee_strategy_usage *observation, ee_buffer *out) {
  for (size_t i = 0; i < observation->count; i++) {
    const struct ee_strategy_used *item = &observation->items[i];
    ee_buffer_add_text(out, "  ");
    ee_buffer_add_str(out, item->path.length > 0 ? item->path : EE_STR("\"\""));
    ee_buffer_addf(out, "  %s  %s, ", item->choice, item->why);
    if (item->count == 0) {
      ee_buffer_add_text(out, "in no case\n");
    } else {
      ee_buffer_add_u64(out, item->count);
      ee_buffer_add_text(out, item->count == 1 ? " value\n" : " values\n");
    }
  }
  if (observation->left_out == 0) return;
  ee_buffer_add_text(out, "  and ");
  ee_buffer_add_u64(out, observation->left_out);
  ee_buffer_add_text(out, " more values, of keys beyond the first 1000\n");
}
