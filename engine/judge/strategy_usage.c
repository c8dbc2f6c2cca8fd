/* strategy_usage.c: counting choices of strategies by path. */
#include "judge/strategy_usage.h"

#include <string.h>

#include "base/printable.h"

void ee_strategy_usage_init(ee_strategy_usage *usage) {
  *usage = (ee_strategy_usage){.left_out = 0};
  ee_arena_init(&usage->arena, 0);
}

void ee_strategy_usage_fini(ee_strategy_usage *usage) {
  EE_LIST_FINI(usage);
  ee_hash_index_fini(&usage->index);
  ee_arena_fini(&usage->arena);
}

static size_t first_of(const ee_strategy_usage *usage, ee_str path) {
  size_t i = 0;
  while (i < usage->count && !ee_str_equal(usage->items[i].path, path)) i++;
  return i;
}

static void add(ee_strategy_usage *usage, ee_str path, const char *choice, const char *why, uint64_t count) {
  uint64_t hash = ee_hash_bytes(path.data, path.length, 0);
  hash = ee_hash_bytes(choice, strlen(choice), hash);
  hash = ee_hash_bytes(why, strlen(why), hash);
  size_t at = 0, number;
  while (ee_hash_index_next(&usage->index, hash, &at, &number)) {
    ee_strategy_used *item = &usage->items[number];
    if (!ee_str_equal(item->path, path) || strcmp(item->choice, choice) != 0 || strcmp(item->why, why) != 0) continue;
    item->count += count;
    return;
  }
  if (usage->count == EE_STRATEGY_USAGE_LIMIT) {
    usage->left_out += count;
    return;
  }
  ee_str copy = {ee_arena_copy(&usage->arena, path.length > 0 ? path.data : "", path.length), path.length};
  size_t first = first_of(usage, path);
  ee_hash_index_add(&usage->index, hash, usage->count);
  *EE_LIST_ADD(usage, NULL) =
      (ee_strategy_used){.path = copy, .first = first, .choice = choice, .why = why, .count = count};
}

void ee_strategy_usage_add(ee_strategy_usage *usage, ee_str path, const char *choice, const char *why) {
  add(usage, path, choice, why, 1);
}

void ee_strategy_usage_mention(ee_strategy_usage *usage, ee_str path, const char *choice, const char *why) {
  add(usage, path, choice, why, 0);
}

static void print_item(const ee_strategy_used *item, ee_buffer *out) {
  ee_buffer_add_text(out, "  ");
  ee_add_shown(out, "", item->path.length > 0 ? item->path : EE_STR("\"\""), "");
  ee_buffer_addf(out, "  %s  ", item->choice);
  ee_add_shown(out, "", ee_str_from(item->why), ", ");
  if (item->count == 0) {
    ee_buffer_add_text(out, "in no case\n");
  } else {
    ee_buffer_add_u64(out, item->count);
    ee_buffer_add_text(out, item->count == 1 ? " value\n" : " values\n");
  }
}

void ee_strategy_usage_print(const ee_strategy_usage *usage, ee_buffer *out) {
  const ee_strategy_used *items = usage->items;
  for (size_t first = 0; first < usage->count; first++) {
    if (items[first].first != first) continue;
    for (size_t i = first; i < usage->count; i++)
      if (items[i].first == first) print_item(&items[i], out);
  }
  if (usage->left_out == 0) return;
  ee_buffer_add_text(out, "  and ");
  ee_buffer_add_u64(out, usage->left_out);
  ee_buffer_add_text(out, " more values, of keys beyond the first 1000\n");
}
