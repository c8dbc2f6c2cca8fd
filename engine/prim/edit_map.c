/* edit_map.c: code points, trimming, and maps from symbols to their places in a pattern. */
#include "prim/edit_map.h"

#include <string.h>

ee_symbols ee_symbols_of(ee_str text, ee_arena *scratch) {
  uint32_t *symbols = ee_arena_alloc(scratch, text.length * sizeof *symbols);
  size_t count = 0;
  for (size_t at = 0; at < text.length;) {
    uint32_t symbol = (unsigned char)text.data[at];
    size_t bytes = 1;
    if (symbol >= 0x80) {
      bytes = ee_utf8_decode(text.data + at, text.length - at, &symbol);
      /* Texts are valid UTF-8; a byte that is not stands for itself rather than for an endless loop. */
      if (bytes == 0) bytes = 1;
    }
    symbols[count++] = symbol;
    at += bytes;
  }
  return (ee_symbols){symbols, count};
}

static uint64_t load_word(const char *at) {
  uint64_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

/* How many of the first, and of the last, bytes of two words in memory are equal; the words differ. */
static size_t equal_first(uint64_t difference) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return (size_t)__builtin_ctzll(difference) / 8;
#else
  return (size_t)__builtin_clzll(difference) / 8;
#endif
}

static size_t equal_last(uint64_t difference) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return (size_t)__builtin_clzll(difference) / 8;
#else
  return (size_t)__builtin_ctzll(difference) / 8;
#endif
}

static size_t common_prefix(const char *a, const char *b, size_t length) {
  size_t same = 0;
  for (; length - same >= 8; same += 8) {
    uint64_t difference = load_word(a + same) ^ load_word(b + same);
    if (difference != 0) return same + equal_first(difference);
  }
  while (same < length && a[same] == b[same]) same++;
  return same;
}

/* `a` and `b` point behind the last byte. */
static size_t common_suffix(const char *a, const char *b, size_t length) {
  size_t same = 0;
  for (; length - same >= 8; same += 8) {
    uint64_t difference = load_word(a - same - 8) ^ load_word(b - same - 8);
    if (difference != 0) return same + equal_last(difference);
  }
  while (same < length && a[-1 - (ptrdiff_t)same] == b[-1 - (ptrdiff_t)same]) same++;
  return same;
}

size_t ee_trim_common_bytes(ee_str *a, ee_str *b) {
  size_t shorter = a->length < b->length ? a->length : b->length;
  if (shorter == 0) return 0; /* an empty slice may have no data to point into */
  size_t prefix = common_prefix(a->data, b->data, shorter);
  size_t suffix = common_suffix(a->data + a->length, b->data + b->length, shorter - prefix);
  *a = (ee_str){a->data + prefix, a->length - prefix - suffix};
  *b = (ee_str){b->data + prefix, b->length - prefix - suffix};
  return prefix + suffix;
}

size_t ee_trim_common_symbols(ee_symbols *a, ee_symbols *b) {
  size_t shorter = a->count < b->count ? a->count : b->count;
  size_t prefix = 0, suffix = 0;
  while (prefix < shorter && a->at[prefix] == b->at[prefix]) prefix++;
  while (suffix < shorter - prefix && a->at[a->count - 1 - suffix] == b->at[b->count - 1 - suffix]) suffix++;
  *a = (ee_symbols){a->at + prefix, a->count - prefix - suffix};
  *b = (ee_symbols){b->at + prefix, b->count - prefix - suffix};
  return prefix + suffix;
}

void ee_small_map_fill(ee_small_map *map, ee_symbols pattern) {
  memset(map->mask, 0, sizeof map->mask);
  for (size_t i = 0; i < pattern.count; i++) {
    size_t slot = pattern.at[i] % 128;
    while (map->mask[slot] != 0 && map->symbol[slot] != pattern.at[i]) slot = (slot + 1) % 128;
    map->symbol[slot] = pattern.at[i];
    map->mask[slot] |= UINT64_C(1) << i;
  }
}

static ee_block_slot *find_slot(const ee_block_map *map, uint32_t symbol) {
  size_t at = (size_t)(symbol * UINT32_C(0x9e3779b1)) & map->slot_mask;
  while (map->slots[at].first != 0 && map->slots[at].symbol != symbol) at = (at + 1) & map->slot_mask;
  return &map->slots[at];
}

void ee_block_map_init(ee_block_map *map, ee_symbols pattern, ee_arena *scratch) {
  size_t others = 0, slots = 16;
  for (size_t i = 0; i < pattern.count; i++) others += pattern.at[i] >= 128;
  while (slots < 2 * others) slots *= 2;
  *map = (ee_block_map){.blocks = (pattern.count + 63) / 64, .slot_mask = slots - 1, .shown = UINT32_MAX};
  map->slots = EE_NEW_ARRAY(scratch, ee_block_slot, slots);
  map->entries = ee_arena_alloc(scratch, others * sizeof *map->entries);
  map->row = EE_NEW_ARRAY(scratch, uint64_t, map->blocks);
  map->none = EE_NEW_ARRAY(scratch, uint64_t, map->blocks);
  for (size_t i = 0; i < pattern.count; i++) {
    if (pattern.at[i] < 128) {
      uint64_t **words = &map->ascii[pattern.at[i]];
      if (*words == NULL) *words = EE_NEW_ARRAY(scratch, uint64_t, map->blocks);
      (*words)[i / 64] |= UINT64_C(1) << (i % 64);
      continue;
    }
    ee_block_slot *slot = find_slot(map, pattern.at[i]);
    uint32_t block = (uint32_t)(i / 64);
    if (slot->first == 0 || map->entries[slot->last - 1].block != block) {
      map->entries[map->entry_count++] = (ee_block_entry){0, block, 0};
      uint32_t link = (uint32_t)map->entry_count;
      if (slot->first == 0)
        slot->first = link;
      else
        map->entries[slot->last - 1].next = link;
      slot->symbol = pattern.at[i];
      slot->last = link;
    }
    map->entries[slot->last - 1].mask |= UINT64_C(1) << (i % 64);
  }
}

const uint64_t *ee_block_map_row(ee_block_map *map, uint32_t symbol) {
  if (symbol < 128) return map->ascii[symbol] != NULL ? map->ascii[symbol] : map->none;
  if (symbol == map->shown) return map->row;
  if (map->shown != UINT32_MAX) {
    for (uint32_t link = find_slot(map, map->shown)->first; link != 0; link = map->entries[link - 1].next) {
      map->row[map->entries[link - 1].block] = 0;
    }
  }
  for (uint32_t link = find_slot(map, symbol)->first; link != 0; link = map->entries[link - 1].next) {
    map->row[map->entries[link - 1].block] = map->entries[link - 1].mask;
  }
  map->shown = symbol;
  return map->row;
}
