/* edit_map.h: what the bit-parallel algorithms on texts share: code points, trimming, and where each symbol stands.
 *
 * c, jaro.c and subsequence.c. */
#ifndef EE_PRIM_EDIT_MAP_H
#define EE_PRIM_EDIT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/arena.h"
#include "base/str.h"

/* A text as code points. */
typedef struct ee_symbols {
  const uint32_t *at;
  size_t count;
} ee_symbols;

/* The code points of `text`, in `scratch`. */
ee_symbols ee_symbols_of(ee_str text, ee_arena *scratch);

/* ee_is_ascii() without a call for texts of up to 64 bytes. */
static inline bool ee_is_short_ascii(ee_str text) {
  if (text.length > 64 || text.length < 8) {
    if (text.length > 64) return ee_is_ascii(text.data, text.length);
    unsigned bits = 0;
    for (size_t i = 0; i < text.length; i++) bits |= (unsigned char)text.data[i];
    return bits < 0x80;
  }
  uint64_t bits = 0, word;
  for (size_t i = 0; i + 8 < text.length; i += 8) {
    memcpy(&word, text.data + i, sizeof word);
    bits |= word;
  }
  memcpy(&word, text.data + text.length - 8, sizeof word);
  return ((bits | word) & UINT64_C(0x8080808080808080)) == 0;
}

/* Takes the common prefix and suffix off both texts; returns how many bytes or symbols went. Where UTF-8 is left cut in
 * the middle of a code point, what is left is not ASCII. */
size_t ee_trim_common_bytes(ee_str *a, ee_str *b);
size_t ee_trim_common_symbols(ee_symbols *a, ee_symbols *b);

/* The places of bytes in an ASCII pattern of at most 64. With SSE2 the pattern is compared as a whole each time, which
 * costs less than filling a table for a short text; otherwise a table, of which only what is read is ever written. */
typedef struct ee_byte_map {
#ifdef __SSE2__
  __m128i part[4];
#else
  uint64_t mask[256];
#endif
} ee_byte_map;

/* `text` holds every byte that will be asked for. */
static inline void ee_byte_map_fill(ee_byte_map *map, ee_str pattern, ee_str text) {
#ifdef __SSE2__
  (void)text;
  memset(map, 0, sizeof *map);
  memcpy(map, pattern.data, pattern.length);
#else
  for (size_t i = 0; i < text.length; i++) map->mask[(unsigned char)text.data[i]] = 0;
  for (size_t i = 0; i < pattern.length; i++) map->mask[(unsigned char)pattern.data[i]] = 0;
  for (size_t i = 0; i < pattern.length; i++) map->mask[(unsigned char)pattern.data[i]] |= UINT64_C(1) << i;
#endif
}

#ifdef __SSE2__
static inline uint64_t ee_places_of_byte(__m128i byte, const __m128i *part) {
  unsigned low = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(byte, part[0]));
  unsigned high = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(byte, part[1]));
  return low | high << 16;
}
#endif

/* Bit i is set where `byte` stands at place i; bits past the pattern may be anything. `wide` (a constant in each loop)
 * says that the pattern has more than 32 bytes. */
static inline uint64_t ee_byte_map_get(const ee_byte_map *map, char byte, bool wide) {
#ifdef __SSE2__
  __m128i all = _mm_set1_epi8(byte);
  uint64_t low = ee_places_of_byte(all, map->part);
  return wide ? low | ee_places_of_byte(all, map->part + 2) << 32 : low;
#else
  (void)wide;
  return map->mask[(unsigned char)byte];
#endif
}

/* Where symbols stand in a pattern of at most 64: bit i of a symbol's mask for position i. Open addressing with room
 * for twice the entries; `mask` is 0 where a slot is free. */
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

/* The same for a pattern of any length: 64-bit words, one a block of 64 positions. ASCII has whole rows of them; of
 * every other symbol only the words that are not 0 are kept, so that memory is proportional to the pattern whatever its
 * alphabet, and are laid out as a row when they are asked for. */
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
  uint64_t *ascii[128]; /* NULL where the pattern does not have it */
  uint64_t *none;       /* zeros */
  uint64_t *row;        /* the words of the symbol shown last */
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
