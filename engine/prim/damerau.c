/* damerau.c: edit distances with swaps of neighbours, and Hamming's distance. */
#include "prim/damerau.h"

#include "base/work.h"
#include "prim/narrow.h"

typedef struct symbol_pair {
  ee_symbols longer, shorter;
} symbol_pair;

/* Both texts without what they have in common at both ends, which no cheapest way edits. */
static symbol_pair pair_of(ee_str a, ee_str b, ee_arena *scratch) {
  ee_symbols x = ee_symbols_of(a, scratch), y = ee_symbols_of(b, scratch);
  ee_trim_symbols(&x, &y);
  return x.count >= y.count ? (symbol_pair){x, y} : (symbol_pair){y, x};
}

static inline uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Damerau-Levenshtein ----------------------------------------------------------------------------- */

/* Of a column of the table, that is a symbol of the shorter text. */
typedef struct damerau_column {
  uint32_t last, before; /* the distance in the last row and in the one before */
  uint32_t match;        /* the last row with the same symbol; 0: none */
  uint32_t corner;       /* the distance before that match and before the column's left neighbour */
} damerau_column;

/* Zhao and Sahni, String correction using the Damerau-Levenshtein distance, BMC Bioinformatics 20, 2019: of the swaps
 * that a cheapest way may take, those suffice in which the two symbols are neighbours in one of the texts. */
static size_t damerau_of(symbol_pair pair, ee_arena *scratch) {
  const size_t rows = pair.longer.count, columns = pair.shorter.count;
  damerau_column *at = ee_arena_calloc(scratch, columns + 1, sizeof *at);
  for (size_t j = 0; j <= columns; j++) at[j].last = (uint32_t)j;
  for (size_t i = 1; i <= rows; i++) {
    const uint32_t symbol = pair.longer.at[i - 1], row = (uint32_t)i;
    size_t match = 0;   /* the last column with this row's symbol */
    uint32_t above = 0; /* the distance before the row above, and before the column of that match */
    uint32_t diagonal = at[0].last, diagonal_before = at[0].before;
    ee_work(2 * columns);
    at[0].before = at[0].last;
    at[0].last = row;
    for (size_t j = 1; j <= columns; j++) {
      damerau_column *column = &at[j];
      const uint32_t up = column->last, up_before = column->before;
      uint32_t best = smaller(up, at[j - 1].last) + 1;
      if (pair.shorter.at[j - 1] == symbol) {
        best = smaller(best, diagonal);
        /* Two columns to the left in the row above, where there is one. */
        column->corner = j >= 2 ? at[j - 2].before : 0;
        column->match = row;
        match = j;
        above = diagonal_before;
      } else {
        best = smaller(best, diagonal + 1);
        if (match > 0 && column->match > 0) {
          if (j - match == 1)
            best = smaller(best, column->corner + (row - column->match));
          else if (row - column->match == 1)
            best = smaller(best, above + (uint32_t)(j - match));
        }
      }
      diagonal = up;
      diagonal_before = up_before;
      column->before = up;
      column->last = best;
    }
  }
  return at[columns].last;
}

size_t ee_damerau(ee_str a, ee_str b, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  size_t distance = damerau_of(pair_of(a, b, scratch), scratch);
  ee_arena_rewind(scratch, mark);
  return distance;
}

/* Optimal string alignment ------------------------------------------------------------------------ */

/* A column of the table as its vertical differences, as in edit.c; `pattern` has 1..16 * parts bytes. */
static inline size_t short_osa(ee_letters pattern, ee_letters text, int parts) {
  const ee_short_pattern map = ee_short_pattern_of(pattern, parts);
  uint64_t up = ~UINT64_C(0), down = 0, diagonal = 0, equal_before = 0;
  size_t distance = pattern.count, last = pattern.count - 1;
  for (size_t j = 0; j < text.count; j++) {
    const uint64_t equal = ee_short_positions(&map, text.at[j], parts);
    const uint64_t swapped = ((~diagonal & equal) << 1) & equal_before;
    diagonal = (((equal & up) + up) ^ up) | equal | down | swapped;
    uint64_t right_up = down | ~(diagonal | up), right_down = diagonal & up;
    distance += (right_up >> last) & 1;
    distance -= (right_down >> last) & 1;
    right_up = right_up << 1 | 1;
    up = (right_down << 1) | ~(diagonal | right_up);
    down = right_up & diagonal;
    equal_before = equal;
  }
  return distance;
}

static size_t long_osa(symbol_pair pair, ee_arena *scratch) {
  const size_t columns = pair.shorter.count;
  uint32_t *row = ee_arena_alloc(scratch, (columns + 1) * sizeof *row);
  uint32_t *last = ee_arena_alloc(scratch, (columns + 1) * sizeof *last);
  uint32_t *before = ee_arena_alloc(scratch, (columns + 1) * sizeof *before);
  for (size_t j = 0; j <= columns; j++) row[j] = (uint32_t)j;
  for (size_t i = 1; i <= pair.longer.count; i++) {
    uint32_t *oldest = before;
    before = last;
    last = row;
    row = oldest;
    const uint32_t symbol = pair.longer.at[i - 1], symbol_before = i >= 2 ? pair.longer.at[i - 2] : 0;
    ee_work(2 * columns);
    row[0] = (uint32_t)i;
    for (size_t j = 1; j <= columns; j++) {
      const uint32_t other = pair.shorter.at[j - 1];
      uint32_t best = smaller(last[j - 1] + (symbol != other), smaller(last[j], row[j - 1]) + 1);
      if (i >= 2 && j >= 2 && symbol == pair.shorter.at[j - 2] && symbol_before == other)
        best = smaller(best, before[j - 2] + 1);
      row[j] = best;
    }
  }
  return row[columns];
}

size_t ee_osa(ee_str a, ee_str b, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_letters x, y;
  size_t distance;
  bool is_narrow = ee_narrow_pair(a, b, ee_is_short_ascii(a) && ee_is_short_ascii(b), &x, &y, scratch);
  ee_letters shorter = x.count <= y.count ? x : y, longer = x.count <= y.count ? y : x;
  if (is_narrow && shorter.count == 0)
    distance = longer.count;
  else if (is_narrow && shorter.count <= 16)
    distance = short_osa(shorter, longer, 1);
  else if (is_narrow && shorter.count <= 32)
    distance = short_osa(shorter, longer, 2);
  else if (is_narrow && shorter.count <= 64)
    distance = short_osa(shorter, longer, 4);
  else
    distance = long_osa(pair_of(a, b, scratch), scratch);
  ee_arena_rewind(scratch, mark);
  return distance;
}

/* Hamming ----------------------------------------------------------------------------------------- */

/* The length in bytes of the code point at `at`, at least 1. */
static size_t bytes_at(ee_str text, size_t at) {
  uint32_t code_point;
  size_t bytes = ee_utf8_decode(text.data + at, text.length - at, &code_point);
  return bytes > 0 ? bytes : 1;
}

size_t ee_hamming(ee_str a, ee_str b) {
  size_t distance = 0, i = 0, j = 0;
  while (i < a.length && j < b.length) {
    size_t a_bytes = bytes_at(a, i), b_bytes = bytes_at(b, j);
    distance += a_bytes != b_bytes || memcmp(a.data + i, b.data + j, a_bytes) != 0;
    i += a_bytes;
    j += b_bytes;
  }
  return distance + ee_utf8_count(a.data + i, a.length - i) + ee_utf8_count(b.data + j, b.length - j);
}
