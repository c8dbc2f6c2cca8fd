/* edit.c: the Levenshtein distance, and how ratios meet thresholds.
 *
 * G. Myers, A fast bit-vector algorithm for approximate string matching based on dynamic programming, JACM 46, 1999;
 * H. Hyyro, A bit-vector algorithm for computing Levenshtein and Damerau edit distances, Nordic J. Computing 10, 2003.
 * A column of the table is kept as its vertical differences: a bit set in `up` where a row is one more than the row
 * above it, in `down` where it is one less. */
#include "prim/edit.h"

#include <stdint.h>

#include "prim/edit_map.h"

/* The differences are kept so that the chain from one column to the next is short: `not_down` is inverted. */
typedef struct column {
  uint64_t up, not_down;
} column;

#define EE_FIRST_COLUMN ((column){~UINT64_C(0), ~UINT64_C(0)})

/* One column further in a table of at most 64 rows; the row above the first grows by one each column. */
static inline column next_column(column c, uint64_t equal) {
  uint64_t diagonal = (((equal & c.up) + c.up) ^ c.up) | equal | ~c.not_down;
  uint64_t not_right_up = (c.not_down & (diagonal | c.up)) << 1, right_down = (c.up & diagonal) << 1;
  return (column){right_down | (not_right_up & ~diagonal), not_right_up | ~diagonal};
}

/* The last cell of the last column: what the row above the first counts, and the differences below it. */
static inline size_t last_cell(column c, size_t rows, size_t columns) {
  uint64_t all = ee_low_bits(rows);
  return columns + ee_popcount(c.up & all) - ee_popcount(~c.not_down & all);
}

/* `pattern` has 1..64 bytes, more than 32 when `wide`. Both texts are ASCII. */
static inline size_t byte_distance(ee_str pattern, ee_str text, bool wide) {
  ee_byte_map map;
  ee_byte_map_fill(&map, pattern, text);
  column c = EE_FIRST_COLUMN;
  for (size_t j = 0; j < text.length; j++) c = next_column(c, ee_byte_map_get(&map, text.data[j], wide));
  return last_cell(c, pattern.length, text.length);
}

/* `pattern` has 1..64 symbols. */
static size_t symbol_distance(ee_symbols pattern, ee_symbols text) {
  ee_small_map map;
  ee_small_map_fill(&map, pattern);
  column c = EE_FIRST_COLUMN;
  for (size_t j = 0; j < text.count; j++) c = next_column(c, ee_small_map_get(&map, text.at[j]));
  return last_cell(c, pattern.count, text.count);
}

/* Long texts ----------------------------------------------------------------------------------- */

/* 64 rows of a column, and the value of the lowest of them. */
typedef struct block {
  uint64_t up, down;
  size_t score;
  size_t before; /* the score one column earlier */
} block;

/* One column further in a block. `change` (-1, 0, 1) is how the row above the block changes, and becomes how the
 * block's last row, `rows - 1`, does. */
static inline void next_block(block *b, uint64_t equal, size_t rows, int *change) {
  uint64_t plus = *change > 0, minus = *change < 0;
  uint64_t up = b->up, down = b->down;
  uint64_t vertical = equal | down;
  equal |= minus;
  uint64_t diagonal = (((equal & up) + up) ^ up) | equal;
  uint64_t right_up = down | ~(diagonal | up), right_down = up & diagonal;
  *change = (int)(right_up >> (rows - 1) & 1) - (int)(right_down >> (rows - 1) & 1);
  b->before = b->score;
  b->score = b->score + (size_t)(ptrdiff_t)*change; /* wraps as it should for -1 */
  right_up = right_up << 1 | plus;
  right_down = right_down << 1 | minus;
  b->up = right_down | ~(vertical | right_up);
  b->down = right_up & vertical;
}

static void start_block(block *b, size_t score_above, size_t rows) {
  *b = (block){~UINT64_C(0), 0, score_above + rows, score_above + rows};
}

/* The distance where it is at most `limit`, else limit + 1. `limit` is at least the difference of the lengths and at
 * most the longer one. Only blocks that a path of cost `limit` or less can touch are computed: those near enough to the
 * diagonals, and not those in which every cell exceeds the limit. Where a neighbour is left out, the value of some real
 * path stands in for it, so that no cell is ever too small. */
static size_t block_distance(ee_symbols pattern, ee_symbols text, size_t limit, ee_block_map *map, block *blocks) {
  const size_t m = pattern.count, n = text.count, count = map->blocks;
  /* A path through row i of column j costs at least |j - i| + |(n - j) - (m - i)|. */
  const size_t above = n >= m ? (limit + (n - m)) / 2 : (limit - (m - n)) / 2;
  const size_t below = n >= m ? (limit - (n - m)) / 2 : (limit + (m - n)) / 2;
  const size_t last_rows = m - 64 * (count - 1);
  size_t first = 0, last = 0;
  start_block(&blocks[0], 0, count == 1 ? last_rows : 64);
  while (last + 1 < count && 64 * (last + 1) < below) {
    last++;
    start_block(&blocks[last], blocks[last - 1].score, last + 1 == count ? last_rows : 64);
  }
  for (size_t j = 1; j <= n; j++) {
    const uint64_t *row = ee_block_map_row(map, text.at[j - 1]);
    while (first < last && 64 * (first + 1) + above < j) first++;
    int change = 1;
    for (size_t i = first; i <= last; i++) next_block(&blocks[i], row[i], i + 1 == count ? last_rows : 64, &change);
    while (last + 1 < count && 64 * (last + 1) < j + below &&
           (blocks[last].score <= limit || blocks[last].before <= limit)) {
      size_t rows = last + 2 == count ? last_rows : 64;
      last++;
      start_block(&blocks[last], blocks[last - 1].before, rows);
      next_block(&blocks[last], row[last], rows, &change);
    }
    /* One more than the rows, because the cell above the block counts as well. */
    while (blocks[last].score > limit + (last + 1 == count ? last_rows : 64)) {
      if (last == first) return limit + 1;
      last--;
    }
    while (first < last && blocks[first].score > limit + 64) first++;
    if (last + 1 == count && blocks[last].score > limit + (n - j)) return limit + 1;
  }
  return last + 1 == count && blocks[last].score <= limit ? blocks[last].score : limit + 1;
}

/* Tries small limits first: similar texts then cost their length times their distance, and others little more than
 * without the attempts, which end early. */
static size_t long_distance(ee_symbols pattern, ee_symbols text, size_t limit, ee_arena *scratch) {
  ee_block_map map;
  ee_block_map_init(&map, pattern, scratch);
  block *blocks = ee_arena_alloc(scratch, map.blocks * sizeof *blocks);
  size_t difference = pattern.count > text.count ? pattern.count - text.count : text.count - pattern.count;
  size_t attempt = difference + 64;
  while (attempt < limit / 4) {
    size_t distance = block_distance(pattern, text, attempt, &map, blocks);
    if (distance <= attempt) return distance;
    attempt *= 4;
  }
  return block_distance(pattern, text, limit, &map, blocks);
}

/* The public functions ------------------------------------------------------------------------- */

static size_t distance_of_symbols(ee_symbols a, ee_symbols b, size_t limit, ee_arena *scratch) {
  ee_trim_common_symbols(&a, &b);
  ee_symbols longer = a.count >= b.count ? a : b, shorter = a.count >= b.count ? b : a;
  if (longer.count - shorter.count > limit) return limit + 1;
  size_t distance;
  if (shorter.count == 0)
    distance = longer.count;
  else if (longer.count <= 64)
    distance = symbol_distance(longer, shorter);
  else if (shorter.count <= 64)
    distance = symbol_distance(shorter, longer);
  else
    distance = long_distance(longer, shorter, limit < longer.count ? limit : longer.count, scratch);
  return distance > limit ? limit + 1 : distance;
}

/* Both texts are ASCII. */
static size_t distance_of_bytes(ee_str longer, ee_str shorter) {
  /* The longer text as the pattern, because time goes by the length of the other. */
  if (longer.length <= 32) return byte_distance(longer, shorter, false);
  if (longer.length <= 64) return byte_distance(longer, shorter, true);
  return byte_distance(shorter, longer, true);
}

size_t ee_levenshtein(ee_str a, ee_str b, size_t limit, ee_arena *scratch) {
  ee_str x = a, y = b;
  ee_trim_common_bytes(&x, &y);
  ee_str longer = x.length >= y.length ? x : y, shorter = x.length >= y.length ? y : x;
  /* What is left of texts of any kind may be ASCII. */
  bool ascii = ee_is_short_ascii(shorter) && ee_is_short_ascii(longer);
  if (ascii && longer.length - shorter.length > limit) return limit + 1;
  size_t distance;
  if (ascii && shorter.length == 0) {
    distance = longer.length;
  } else if (ascii && shorter.length <= 64) {
    distance = distance_of_bytes(longer, shorter);
  } else {
    ee_arena_mark mark = ee_arena_get_mark(scratch);
    distance = distance_of_symbols(ee_symbols_of(ascii ? x : a, scratch), ee_symbols_of(ascii ? y : b, scratch), limit,
                                   scratch);
    ee_arena_rewind(scratch, mark);
  }
  return distance > limit ? limit + 1 : distance;
}

double ee_levenshtein_similarity(ee_str a, ee_str b, ee_arena *scratch) {
  size_t a_count = ee_utf8_count(a.data, a.length), b_count = ee_utf8_count(b.data, b.length);
  size_t longer = a_count > b_count ? a_count : b_count;
  size_t distance = ee_levenshtein(a, b, EE_NO_LIMIT, scratch);
  return ee_edit_similarity(distance, longer);
}

bool ee_ratio_reaches(size_t parts, size_t whole, double threshold) {
  if (whole == 0) parts = whole = 1;
  double wanted = threshold * (double)whole;
  return (double)parts >= wanted - 0x1p-50 * wanted;
}

size_t ee_edit_limit(double threshold, size_t longer) {
  if (!ee_ratio_reaches(longer, longer, threshold)) return SIZE_MAX;
  if (!(threshold > 0)) return longer;
  double estimate = (1 - threshold) * (double)longer;
  size_t limit = estimate > 0 ? (size_t)estimate : 0;
  if (limit > longer) limit = longer;
  while (limit < longer && ee_ratio_reaches(longer - limit - 1, longer, threshold)) limit++;
  while (limit > 0 && !ee_ratio_reaches(longer - limit, longer, threshold)) limit--;
  return limit;
}
