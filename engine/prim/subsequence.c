/* subsequence.c: the longest common subsequence and the ratio that follows from it. Declared in edit.h.
 *
 * H. Hyyro, Bit-parallel LCS-length computation revisited, 2004: a bit stays set until its row gains a match; the
 * common length is the number of bits that were cleared. */
#include <stdint.h>

#include "prim/edit.h"
#include "prim/edit_map.h"

/* `pattern` has 1..64 bytes, more than 32 when `wide`. Both texts are ASCII. */
static inline size_t byte_common(ee_str pattern, ee_str text, bool wide) {
  ee_byte_map map;
  ee_byte_map_fill(&map, pattern, text);
  uint64_t open = ~UINT64_C(0);
  for (size_t j = 0; j < text.length; j++) {
    uint64_t hit = open & ee_byte_map_get(&map, text.data[j], wide);
    open = (open + hit) | (open - hit);
  }
  return ee_popcount(~open & ee_low_bits(pattern.length));
}

/* `pattern` has 1..64 symbols. */
static size_t symbol_common(ee_symbols pattern, ee_symbols text) {
  ee_small_map map;
  ee_small_map_fill(&map, pattern);
  uint64_t open = ~UINT64_C(0);
  for (size_t j = 0; j < text.count; j++) {
    uint64_t hit = open & ee_small_map_get(&map, text.at[j]);
    open = (open + hit) | (open - hit);
  }
  return ee_popcount(~open & ee_low_bits(pattern.count));
}

static size_t long_common(ee_symbols pattern, ee_symbols text, ee_arena *scratch) {
  ee_block_map map;
  ee_block_map_init(&map, pattern, scratch);
  uint64_t *open = ee_arena_alloc(scratch, map.blocks * sizeof *open);
  for (size_t i = 0; i < map.blocks; i++) open[i] = ~UINT64_C(0);
  for (size_t j = 0; j < text.count; j++) {
    const uint64_t *row = ee_block_map_row(&map, text.at[j]);
    unsigned long long carry = 0;
    for (size_t i = 0; i < map.blocks; i++) {
      uint64_t before = open[i], hit = before & row[i];
      /* The sum runs on from block to block; the difference cannot, since `hit` is a part of `open`. */
      uint64_t with_carry = before + carry, sum = with_carry + hit;
      carry = (with_carry < before) | (sum < with_carry);
      open[i] = sum | (before - hit);
    }
  }
  size_t common = 0;
  for (size_t i = 0; i < map.blocks; i++) {
    size_t rows = i + 1 < map.blocks ? 64 : pattern.count - 64 * i;
    common += ee_popcount(~open[i] & ee_low_bits(rows));
  }
  return common;
}

static size_t common_symbols(ee_symbols a, ee_symbols b, ee_arena *scratch) {
  size_t common = ee_trim_common_symbols(&a, &b);
  ee_symbols longer = a.count >= b.count ? a : b, shorter = a.count >= b.count ? b : a;
  if (shorter.count == 0) return common;
  if (longer.count <= 64) return common + symbol_common(longer, shorter);
  if (shorter.count <= 64) return common + symbol_common(shorter, longer);
  return common + long_common(longer, shorter, scratch);
}

/* Both texts are ASCII. */
static size_t common_bytes(ee_str a, ee_str b, ee_arena *scratch) {
  size_t common = ee_trim_common_bytes(&a, &b);
  ee_str longer = a.length >= b.length ? a : b, shorter = a.length >= b.length ? b : a;
  if (shorter.length == 0) return common;
  if (longer.length <= 32) return common + byte_common(longer, shorter, false);
  if (longer.length <= 64) return common + byte_common(longer, shorter, true);
  if (shorter.length <= 64) return common + byte_common(shorter, longer, true);
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  common += common_symbols(ee_symbols_of(a, scratch), ee_symbols_of(b, scratch), scratch);
  ee_arena_rewind(scratch, mark);
  return common;
}

/* The common length, and both lengths in code points together. */
static size_t common_of(ee_str a, ee_str b, ee_arena *scratch, size_t *total) {
  if (ee_is_short_ascii(a) && ee_is_short_ascii(b)) {
    *total = a.length + b.length;
    return common_bytes(a, b, scratch);
  }
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_symbols x = ee_symbols_of(a, scratch), y = ee_symbols_of(b, scratch);
  *total = x.count + y.count;
  size_t common = common_symbols(x, y, scratch);
  ee_arena_rewind(scratch, mark);
  return common;
}

size_t ee_lcs_length(ee_str a, ee_str b, ee_arena *scratch) {
  size_t total;
  return common_of(a, b, scratch, &total);
}

double ee_ratio(ee_str a, ee_str b, ee_arena *scratch) {
  size_t total;
  size_t common = common_of(a, b, scratch, &total);
  return total == 0 ? 1 : 2 * (double)common / (double)total;
}
