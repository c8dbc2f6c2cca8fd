/* edit_map.h: what the bit-parallel algorithms on texts share: code points, trimming, and where each symbol stands.
 *
 * Layer: prim, and private to edit.c, jaro.c and subsequence.c. */
#ifndef EE_PRIM_EDIT_MAP_H
#define EE_PRIM_EDIT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

/* A text as code points. */
typedef struct ee_symbols {
  const uint32_t *at;
  size_t count;
} ee_symbols;

/* The code points of `text`, in `scratch`. */
ee_symbols ee_symbols_of(ee_str text, ee_arena *scratch);

/* Takes the common prefix and suffix off both texts; returns how many bytes (of ASCII texts) or symbols went. */
size_t ee_trim_common_bytes(ee_str *a, ee_str *b);
size_t ee_trim_common_symbols(ee_symbols *a, ee_symbols *b);

/* For ASCII: the places of each byte of `text` in `pattern` (at most 64 bytes), bit i for position i. Only what is read
 * afterwards is written; clearing the whole table would cost more than comparing two short texts. */
static inline void ee_ascii_masks(uint64_t masks[128], ee_str pattern, ee_str text) {
  for (size_t i = 0; i < text.length; i++) masks[(unsigned char)text.data[i]] = 0;
  for (size_t i = 0; i < pattern.length; i++) masks[(unsigned char)pattern.data[i]] = 0;
  for (size_t i = 0; i < pattern.length; i++) masks[(unsigned char)pattern.data[i]] |= UINT64_C(1) << i;
}

/* Where symbols stand in a pattern of at most 64: bit i of a symbol's mask for position i. Open addressing with room for
 * twice the entries; `mask` is 0 where a slot is free. */
typedef struct ee_small_map {
  uint64_t mask[128];
  uint32_t symbol[128];
} ee_small_map;

void ee_small_map_fill(ee_small_map *map, ee_symbols pattern);

static inline uint64_t ee_small_map_get(const ee_small_map *map, uint32_t symbol) {
  size_t slot = symbol % 128;
  while (map->mask[slot] != 0 && map->symbol[slot] != symbol) slot = (slot + 1) % 128;
  return map->mask[slot];
}

/* The same for a pattern of any length: for each symbol the 64-bit words, one a block of 64 positions, that are not 0.
 * Memory is proportional to the pattern, whatever its alphabet. */
typedef struct ee_block_entry {
  uint64_t mask;
  uint32_t block;
  uint32_t next; /* entry + 1, 0 at the end; ascending blocks */
} ee_block_entry;

typedef struct ee_block_slot {
  uint32_t symbol;
  uint32_t first, last; /* entry + 1; first is 0 where the slot is free */
} ee_block_slot;

typedef struct ee_block_map {
  size_t blocks;
  ee_block_slot *slots;
  size_t slot_mask;
  ee_block_entry *entries;
  size_t entry_count;
  uint64_t *row; /* the words of the symbol shown last, one a block */
  uint32_t shown;
} ee_block_map;

void ee_block_map_init(ee_block_map *map, ee_symbols pattern, ee_arena *scratch);

/* The words of `symbol`, one a block, valid until the next call. */
const uint64_t *ee_block_map_row(ee_block_map *map, uint32_t symbol);

/* The number of bits set. */
static inline size_t ee_popcount(uint64_t bits) {
  bits -= bits >> 1 & UINT64_C(0x5555555555555555);
  bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
  bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
  return (size_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* The lowest `count` (0..64) bits. */
static inline uint64_t ee_low_bits(size_t count) { return count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1; }

#endif
