/* edit.c: Levenshtein distance, longest common subsequence, Jaro and Jaro-Winkler similarity.
 *
 * The algorithms are bit-parallel: a pattern of up to 64 symbols is one machine word, and a map from symbols to the
 * bits of their positions in the pattern replaces comparisons. Longer patterns take one word for each block of 64. */
#include "prim/edit.h"

#include <string.h>

#include "base/work.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Work: units of one block of the distance; one of the common subsequence is about a unit. Texts whose shorter one has
 * at most 64 symbols are linear. */
#define BLOCK_WORK 4
/* Units of a symbol of a long text that is looked up in a table. */
#define SYMBOL_WORK 8

/* Bits -------------------------------------------------------------------------------------------- */

/* The number of bits set. */
static inline size_t popcount(uint64_t bits) {
  bits -= bits >> 1 & UINT64_C(0x5555555555555555);
  bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
  bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
  return (size_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* The lowest `count` (0..64) bits. */
static inline uint64_t low_bits(size_t count) { return count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1; }

/* Symbols ----------------------------------------------------------------------------------------- */

/* A text as code points. */
typedef struct symbols {
  const uint32_t *at;
  size_t count;
} symbols;

/* Decodes `text` into `scratch`. */
static symbols symbols_of(ee_str text, ee_arena *scratch) {
  ee_work(text.length);
  uint32_t *code_points = ee_arena_alloc(scratch, text.length * sizeof *code_points);
  size_t count = 0;
  for (size_t at = 0; at < text.length;) {
    uint32_t symbol = (unsigned char)text.data[at];
    size_t bytes = 1;
    if (symbol >= 0x80) {
      bytes = ee_utf8_decode(text.data + at, text.length - at, &symbol);
      /* Texts are valid UTF-8; should one not be, a bad byte counts as a symbol, so that the loop ends. */
      if (bytes == 0) bytes = 1;
    }
    code_points[count++] = symbol;
    at += bytes;
  }
  return (symbols){code_points, count};
}

/* ee_is_ascii() without a call for texts of up to 64 bytes. */
static inline bool is_short_ascii(ee_str text) {
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

/* Common prefix and suffix ------------------------------------------------------------------------ */

static uint64_t load_word(const char *at) {
  uint64_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

/* How many of the first, and of the last, bytes of two different words in memory are equal; `difference` is their xor.
 */
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

/* `a` and `b` point past the last byte. */
static size_t common_suffix(const char *a, const char *b, size_t length) {
  size_t same = 0;
  for (; length - same >= 8; same += 8) {
    uint64_t difference = load_word(a - same - 8) ^ load_word(b - same - 8);
    if (difference != 0) return same + equal_last(difference);
  }
  while (same < length && a[-1 - (ptrdiff_t)same] == b[-1 - (ptrdiff_t)same]) same++;
  return same;
}

/* Remove the common prefix and suffix from both texts and return how many bytes or symbols that were. What is left may
 * start or end in the middle of a UTF-8 sequence; it is then not ASCII. */
static size_t trim_common_bytes(ee_str *a, ee_str *b) {
  size_t shorter = a->length < b->length ? a->length : b->length;
  if (shorter == 0) return 0; /* an empty slice may have no data to point into */
  size_t prefix = common_prefix(a->data, b->data, shorter);
  size_t suffix = common_suffix(a->data + a->length, b->data + b->length, shorter - prefix);
  *a = (ee_str){a->data + prefix, a->length - prefix - suffix};
  *b = (ee_str){b->data + prefix, b->length - prefix - suffix};
  return prefix + suffix;
}

static size_t trim_common_symbols(symbols *a, symbols *b) {
  size_t shorter = a->count < b->count ? a->count : b->count;
  size_t prefix = 0, suffix = 0;
  while (prefix < shorter && a->at[prefix] == b->at[prefix]) prefix++;
  while (suffix < shorter - prefix && a->at[a->count - 1 - suffix] == b->at[b->count - 1 - suffix]) suffix++;
  *a = (symbols){a->at + prefix, a->count - prefix - suffix};
  *b = (symbols){b->at + prefix, b->count - prefix - suffix};
  return prefix + suffix;
}

/* Positions of symbols in a pattern --------------------------------------------------------------- */

/* The positions of bytes in an ASCII pattern of at most 64. With SSE2 each byte is compared with the whole pattern,
 * which costs less than filling a table for a short text; otherwise there is a table, in which only the
 * entries that are read are initialized. */
typedef struct byte_map {
#ifdef __SSE2__
  __m128i part[4];
#else
  uint64_t mask[256];
#endif
} byte_map;

/* `text` holds every byte that will be looked up. */
static inline void byte_map_fill(byte_map *map, ee_str pattern, ee_str text) {
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
static inline uint64_t positions_of_byte(__m128i byte, const __m128i *part) {
  unsigned low = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(byte, part[0]));
  unsigned high = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(byte, part[1]));
  return low | high << 16;
}
#endif

/* Bit i is set where `byte` is at position i; bits past the pattern are undefined. `wide` (a constant in each loop)
 * means that the pattern has more than 32 bytes. */
static inline uint64_t byte_map_get(const byte_map *map, char byte, bool wide) {
#ifdef __SSE2__
  __m128i all = _mm_set1_epi8(byte);
  uint64_t low = positions_of_byte(all, map->part);
  return wide ? low | positions_of_byte(all, map->part + 2) << 32 : low;
#else
  (void)wide;
  return map->mask[(unsigned char)byte];
#endif
}

/* The positions of symbols in a pattern of at most 64: bit i of a symbol's mask for position i. Open addressing with
 * room for twice the entries; `mask` is 0 in a free slot. */
typedef struct small_map {
  uint64_t mask[128];
  uint32_t symbol[128];
} small_map;

static void small_map_fill(small_map *map, symbols pattern) {
  memset(map->mask, 0, sizeof map->mask);
  for (size_t i = 0; i < pattern.count; i++) {
    size_t slot = pattern.at[i] % 128;
    while (map->mask[slot] != 0 && map->symbol[slot] != pattern.at[i]) slot = (slot + 1) % 128;
    map->symbol[slot] = pattern.at[i];
    map->mask[slot] |= UINT64_C(1) << i;
  }
}

static inline uint64_t small_map_get(const small_map *map, uint32_t symbol) {
  size_t slot = symbol % 128;
  while (map->mask[slot] != 0 && map->symbol[slot] != symbol) slot = (slot + 1) % 128;
  return map->mask[slot];
}

/* The same for a pattern of any length: a row of 64-bit words, one for each block of 64 positions. ASCII symbols have
 * whole rows. Of other symbols only the words that are not 0 are kept, so that memory is proportional to the pattern
 * whatever its alphabet; they are copied into a row when needed. */
typedef struct block_entry {
  uint64_t mask;
  uint32_t block;
  uint32_t next; /* entry + 1, 0 at the end; ascending blocks */
} block_entry;

typedef struct block_slot {
  uint32_t symbol;
  uint32_t first, last; /* entry + 1; first is 0 in a free slot */
} block_slot;

typedef struct block_map {
  size_t blocks;
  block_slot *slots;
  size_t slot_mask;
  block_entry *entries;
  size_t entry_count;
  uint64_t *ascii[128]; /* NULL for a symbol that the pattern lacks */
  uint64_t *none;       /* zeros */
  uint64_t *row;        /* the words of the symbol shown last */
  uint32_t shown;
} block_map;

static block_slot *find_slot(const block_map *map, uint32_t symbol) {
  size_t at = (size_t)(symbol * UINT32_C(0x9e3779b1)) & map->slot_mask;
  while (map->slots[at].first != 0 && map->slots[at].symbol != symbol) at = (at + 1) & map->slot_mask;
  return &map->slots[at];
}

static void block_map_init(block_map *map, symbols pattern, ee_arena *scratch) {
  size_t others = 0, slots = 16;
  for (size_t i = 0; i < pattern.count; i++) others += pattern.at[i] >= 128;
  while (slots < 2 * others) slots *= 2;
  *map = (block_map){.blocks = (pattern.count + 63) / 64, .slot_mask = slots - 1, .shown = UINT32_MAX};
  map->slots = EE_NEW_ARRAY(scratch, block_slot, slots);
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
    block_slot *slot = find_slot(map, pattern.at[i]);
    uint32_t block = (uint32_t)(i / 64);
    if (slot->first == 0 || map->entries[slot->last - 1].block != block) {
      map->entries[map->entry_count++] = (block_entry){0, block, 0};
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

/* The row of `symbol`, valid until the next call. */
static const uint64_t *block_map_row(block_map *map, uint32_t symbol) {
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

/* Levenshtein ------------------------------------------------------------------------------------- */

/* G. Myers, A fast bit-vector algorithm for approximate string matching based on dynamic programming, JACM 46, 1999;
 * H. Hyyro, A bit-vector algorithm for computing Levenshtein and Damerau edit distances, Nordic J. Computing 10, 2003.
 * A column of the table is kept as its vertical differences: a bit is set in `up` where a row is one more than the row
 * above it, in `down` where it is one less. */

/* The differences are kept so that the chain from one column to the next is short: `not_down` is inverted. */
typedef struct column {
  uint64_t up, not_down;
} column;

#define FIRST_COLUMN ((column){~UINT64_C(0), ~UINT64_C(0)})

/* One column further in a table of at most 64 rows; the row above the first grows by one each column. */
static inline column next_column(column c, uint64_t equal) {
  uint64_t diagonal = (((equal & c.up) + c.up) ^ c.up) | equal | ~c.not_down;
  uint64_t not_right_up = (c.not_down & (diagonal | c.up)) << 1, right_down = (c.up & diagonal) << 1;
  return (column){right_down | (not_right_up & ~diagonal), not_right_up | ~diagonal};
}

/* The last cell of the last column: the value above the first row plus the differences below it. */
static inline size_t last_cell(column c, size_t rows, size_t columns) {
  uint64_t all = low_bits(rows);
  return columns + popcount(c.up & all) - popcount(~c.not_down & all);
}

/* `pattern` has 1..64 bytes, more than 32 when `wide`. Both texts are ASCII. */
static inline size_t byte_distance(ee_str pattern, ee_str text, bool wide) {
  byte_map map;
  byte_map_fill(&map, pattern, text);
  column c = FIRST_COLUMN;
  for (size_t j = 0; j < text.length; j++) c = next_column(c, byte_map_get(&map, text.data[j], wide));
  return last_cell(c, pattern.length, text.length);
}

/* `pattern` has 1..64 symbols. */
static size_t symbol_distance(symbols pattern, symbols text) {
  small_map map;
  small_map_fill(&map, pattern);
  column c = FIRST_COLUMN;
  for (size_t j = 0; j < text.count; j++) c = next_column(c, small_map_get(&map, text.at[j]));
  return last_cell(c, pattern.count, text.count);
}

/* 64 rows of a column, and the value of the lowest of them. */
typedef struct block {
  uint64_t up, down;
  size_t score;
  size_t before; /* the score in the column before */
} block;

/* One column further in a block. `*change` (-1, 0, 1) is the change of the row above the block; it becomes the change
 * of the block's last row, `rows - 1`. */
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

/* The distance if it is at most `limit`, else limit + 1. `limit` is between the difference of the lengths and the
 * longer length, and the pattern has more than one block. Only blocks that a path of cost `limit` or less can touch are
 * computed: those close to the diagonals in which some cell is within the limit. For a neighbour that is left out, the
 * value of some real path is used, so that no cell is ever too small. */
static size_t block_distance(symbols pattern, symbols text, size_t limit, block_map *map, block *blocks) {
  const size_t m = pattern.count, n = text.count, count = map->blocks;
  /* A path through row i of column j costs at least |j - i| + |(n - j) - (m - i)|. */
  const size_t above = n >= m ? (limit + (n - m)) / 2 : (limit - (m - n)) / 2;
  const size_t below = n >= m ? (limit - (n - m)) / 2 : (limit + (m - n)) / 2;
  const size_t last_rows = m - 64 * (count - 1);
  size_t first = 0, last = 0;
  start_block(&blocks[0], 0, 64);
  while (last + 1 < count && 64 * (last + 1) < below) {
    last++;
    start_block(&blocks[last], blocks[last - 1].score, last + 1 == count ? last_rows : 64);
  }
  for (size_t j = 1; j <= n; j++) {
    const uint64_t *row = block_map_row(map, text.at[j - 1]);
    while (first < last && 64 * (first + 1) + above < j) first++;
    int change = 1;
    ee_work(BLOCK_WORK * (last - first + 1));
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
  return last + 1 == count ? blocks[last].score : limit + 1;
}

/* Tries small limits first: the cost for similar texts is then their length times their distance. For other texts the
 * attempts end early and add little. */
static size_t long_distance(symbols pattern, symbols text, size_t limit, ee_arena *scratch) {
  block_map map;
  block_map_init(&map, pattern, scratch);
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

static size_t distance_of_symbols(symbols a, symbols b, size_t limit, ee_arena *scratch) {
  trim_common_symbols(&a, &b);
  symbols longer = a.count >= b.count ? a : b, shorter = a.count >= b.count ? b : a;
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
  /* The longer text is the pattern, because the time is proportional to the length of the other. */
  if (longer.length <= 32) return byte_distance(longer, shorter, false);
  if (longer.length <= 64) return byte_distance(longer, shorter, true);
  ee_work(longer.length);
  return byte_distance(shorter, longer, true);
}

size_t ee_levenshtein(ee_str a, ee_str b, size_t limit, ee_arena *scratch) {
  ee_str x = a, y = b;
  trim_common_bytes(&x, &y);
  ee_str longer = x.length >= y.length ? x : y, shorter = x.length >= y.length ? y : x;
  /* The rest of two texts that are not ASCII may be. */
  bool ascii = is_short_ascii(shorter) && is_short_ascii(longer);
  if (ascii && longer.length - shorter.length > limit) return limit + 1;
  size_t distance;
  if (ascii && shorter.length == 0) {
    distance = longer.length;
  } else if (ascii && shorter.length <= 64) {
    distance = distance_of_bytes(longer, shorter);
  } else {
    ee_arena_mark mark = ee_arena_get_mark(scratch);
    distance =
        distance_of_symbols(symbols_of(ascii ? x : a, scratch), symbols_of(ascii ? y : b, scratch), limit, scratch);
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

/* Thresholds -------------------------------------------------------------------------------------- */

bool ee_ratio_reaches(size_t parts, size_t whole, double threshold) {
  if (whole == 0) parts = whole = 1;
  double required = threshold * (double)whole;
  return (double)parts >= required - 0x1p-50 * required;
}

size_t ee_edit_limit(double threshold, size_t longer) {
  if (!ee_ratio_reaches(longer, longer, threshold)) return SIZE_MAX;
  if (!(threshold > 0)) return longer;
  double estimate = (1 - threshold) * (double)longer;
  size_t limit = estimate > 0 ? (size_t)estimate : 0;
  while (limit < longer && ee_ratio_reaches(longer - limit - 1, longer, threshold)) limit++;
  while (limit > 0 && !ee_ratio_reaches(longer - limit, longer, threshold)) limit--;
  return limit;
}

/* Longest common subsequence ---------------------------------------------------------------------- */

/* H. Hyyro, Bit-parallel LCS-length computation revisited, 2004: a bit stays set until its row gains a match; the
 * length is the number of cleared bits. */

/* `pattern` has 1..64 bytes, more than 32 when `wide`. Both texts are ASCII. */
static inline size_t byte_lcs(ee_str pattern, ee_str text, bool wide) {
  byte_map map;
  byte_map_fill(&map, pattern, text);
  uint64_t open = ~UINT64_C(0);
  for (size_t j = 0; j < text.length; j++) {
    uint64_t hit = open & byte_map_get(&map, text.data[j], wide);
    open = (open + hit) | (open - hit);
  }
  return popcount(~open & low_bits(pattern.length));
}

/* `pattern` has 1..64 symbols. */
static size_t symbol_lcs(symbols pattern, symbols text) {
  small_map map;
  small_map_fill(&map, pattern);
  uint64_t open = ~UINT64_C(0);
  for (size_t j = 0; j < text.count; j++) {
    uint64_t hit = open & small_map_get(&map, text.at[j]);
    open = (open + hit) | (open - hit);
  }
  return popcount(~open & low_bits(pattern.count));
}

static size_t long_lcs(symbols pattern, symbols text, ee_arena *scratch) {
  block_map map;
  block_map_init(&map, pattern, scratch);
  uint64_t *open = ee_arena_alloc(scratch, map.blocks * sizeof *open);
  for (size_t i = 0; i < map.blocks; i++) open[i] = ~UINT64_C(0);
  for (size_t j = 0; j < text.count; j++) {
    const uint64_t *row = block_map_row(&map, text.at[j]);
    unsigned long long carry = 0;
    ee_work(map.blocks);
    for (size_t i = 0; i < map.blocks; i++) {
      uint64_t before = open[i], hit = before & row[i];
      /* The sum carries over to the next block; the difference cannot, since the bits of `hit` are set in `open`. */
      uint64_t with_carry = before + carry, sum = with_carry + hit;
      carry = (with_carry < before) | (sum < with_carry);
      open[i] = sum | (before - hit);
    }
  }
  size_t common = 0;
  for (size_t i = 0; i < map.blocks; i++) {
    size_t rows = i + 1 < map.blocks ? 64 : pattern.count - 64 * i;
    common += popcount(~open[i] & low_bits(rows));
  }
  return common;
}

static size_t lcs_of_symbols(symbols a, symbols b, ee_arena *scratch) {
  size_t common = trim_common_symbols(&a, &b);
  symbols longer = a.count >= b.count ? a : b, shorter = a.count >= b.count ? b : a;
  if (shorter.count == 0) return common;
  if (longer.count <= 64) return common + symbol_lcs(longer, shorter);
  if (shorter.count <= 64) return common + symbol_lcs(shorter, longer);
  return common + long_lcs(longer, shorter, scratch);
}

/* Both texts are ASCII. */
static size_t lcs_of_bytes(ee_str a, ee_str b, ee_arena *scratch) {
  size_t common = trim_common_bytes(&a, &b);
  ee_str longer = a.length >= b.length ? a : b, shorter = a.length >= b.length ? b : a;
  if (shorter.length == 0) return common;
  if (longer.length <= 32) return common + byte_lcs(longer, shorter, false);
  if (longer.length <= 64) return common + byte_lcs(longer, shorter, true);
  if (shorter.length <= 64) {
    ee_work(longer.length);
    return common + byte_lcs(shorter, longer, true);
  }
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  common += lcs_of_symbols(symbols_of(a, scratch), symbols_of(b, scratch), scratch);
  ee_arena_rewind(scratch, mark);
  return common;
}

/* The length of the longest common subsequence; `*total` gets the sum of both lengths. In code points. */
static size_t lcs_of(ee_str a, ee_str b, ee_arena *scratch, size_t *total) {
  if (is_short_ascii(a) && is_short_ascii(b)) {
    *total = a.length + b.length;
    return lcs_of_bytes(a, b, scratch);
  }
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  symbols x = symbols_of(a, scratch), y = symbols_of(b, scratch);
  *total = x.count + y.count;
  size_t common = lcs_of_symbols(x, y, scratch);
  ee_arena_rewind(scratch, mark);
  return common;
}

size_t ee_lcs_length(ee_str a, ee_str b, ee_arena *scratch) {
  size_t total;
  return lcs_of(a, b, scratch, &total);
}

double ee_ratio(ee_str a, ee_str b, ee_arena *scratch) {
  size_t total;
  size_t common = lcs_of(a, b, scratch, &total);
  return total == 0 ? 1 : 2 * (double)common / (double)total;
}

/* Jaro and Winkler -------------------------------------------------------------------------------- */

/* W. Winkler, String comparator metrics and enhanced decision rules in the Fellegi-Sunter model of record linkage,
 * 1990. */

/* Two equal symbols match if they are at most this far apart. */
static size_t window_of(size_t a_count, size_t b_count) {
  size_t longer = a_count > b_count ? a_count : b_count;
  return longer >= 4 ? longer / 2 - 1 : 0;
}

/* `crossed` is the number of matched symbols that are not in the same order in both texts; half of it, rounded down, is
 * the number of transpositions. */
static double jaro_of(size_t matches, size_t crossed, size_t a_count, size_t b_count) {
  if (matches == 0) return 0;
  // NOLINTNEXTLINE(bugprone-integer-division): half of a pair is not a transposition, as in Jaro's definition
  double m = (double)matches, transpositions = (double)(crossed / 2);
  return (m / (double)a_count + m / (double)b_count + (m - transpositions) / m) / 3;
}

/* Both texts are ASCII of 1..64 bytes, `b` of more than 32 when `wide`. */
static inline double byte_jaro(ee_str a, ee_str b, bool wide) {
  byte_map map;
  byte_map_fill(&map, b, a);
  const uint64_t all = low_bits(b.length);
  size_t window = window_of(a.length, b.length);
  uint64_t in_a = 0, in_b = 0;
  for (size_t i = 0; i < a.length; i++) {
    uint64_t near = low_bits(i + window + 1) & all;
    if (i > window) near &= ~low_bits(i - window);
    uint64_t free_places = byte_map_get(&map, a.data[i], wide) & near & ~in_b;
    /* Without a branch, which would be mispredicted half of the time. */
    in_b |= free_places & (~free_places + 1);
    in_a |= (uint64_t)(free_places != 0) << i;
  }
  size_t matches = popcount(in_a), crossed = 0;
  for (; in_a != 0; in_a &= in_a - 1, in_b &= in_b - 1) {
    crossed += a.data[__builtin_ctzll(in_a)] != b.data[__builtin_ctzll(in_b)];
  }
  return jaro_of(matches, crossed, a.length, b.length);
}

/* The positions of one symbol in ascending order, taken one by one. */
typedef struct queue {
  uint32_t symbol;
  size_t next; /* position + 1; 0: none left */
} queue;

typedef struct queues {
  queue *slots;
  size_t slot_mask;
  size_t *following; /* [position] the symbol's next position + 1 */
} queues;

static queue *find_queue(const queues *all, uint32_t symbol) {
  size_t at = (size_t)(symbol * UINT32_C(0x9e3779b1)) & all->slot_mask;
  while (all->slots[at].symbol != symbol && all->slots[at].symbol != UINT32_MAX) at = (at + 1) & all->slot_mask;
  return &all->slots[at];
}

static queues queues_of(symbols text, ee_arena *scratch) {
  size_t slots = 16;
  while (slots < 2 * text.count) slots *= 2;
  queues all = {ee_arena_alloc(scratch, slots * sizeof(queue)), slots - 1,
                ee_arena_alloc(scratch, text.count * sizeof(size_t))};
  for (size_t i = 0; i < slots; i++) all.slots[i] = (queue){UINT32_MAX, 0};
  for (size_t i = text.count; i-- > 0;) {
    queue *q = find_queue(&all, text.at[i]);
    q->symbol = text.at[i];
    all.following[i] = q->next;
    q->next = i + 1;
  }
  return all;
}

/* Texts of any length in linear time: a position that has left the window of one symbol of `a` is outside all later
 * windows, so each queue is only read at its front. */
static double symbol_jaro(symbols a, symbols b, ee_arena *scratch) {
  ee_work(SYMBOL_WORK * (uint64_t)(a.count + b.count));
  size_t window = window_of(a.count, b.count), matches = 0, crossed = 0;
  queues all = queues_of(b, scratch);
  uint32_t *matched = ee_arena_alloc(scratch, a.count * sizeof *matched);
  bool *in_b = EE_NEW_ARRAY(scratch, bool, b.count);
  for (size_t i = 0; i < a.count; i++) {
    queue *q = find_queue(&all, a.at[i]);
    while (q->next != 0 && q->next - 1 + window < i) q->next = all.following[q->next - 1];
    if (q->next == 0 || q->next - 1 > i + window) continue;
    in_b[q->next - 1] = true;
    q->next = all.following[q->next - 1];
    matched[matches++] = a.at[i];
  }
  for (size_t i = 0, j = 0; i < matches; i++, j++) {
    while (!in_b[j]) j++;
    if (matched[i] != b.at[j]) crossed++;
  }
  return jaro_of(matches, crossed, a.count, b.count);
}

double ee_jaro(ee_str a, ee_str b, ee_arena *scratch) {
  if (a.length == 0 || b.length == 0) return a.length == b.length ? 1 : 0;
  if (a.length <= 64 && b.length <= 64 && is_short_ascii(a) && is_short_ascii(b)) {
    return b.length <= 32 ? byte_jaro(a, b, false) : byte_jaro(a, b, true);
  }
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  double result = symbol_jaro(symbols_of(a, scratch), symbols_of(b, scratch), scratch);
  ee_arena_rewind(scratch, mark);
  return result;
}

size_t ee_winkler_prefix(ee_str a, ee_str b) {
  size_t shorter = a.length < b.length ? a.length : b.length, at = 0, count = 0;
  while (count < 4 && at < shorter) {
    uint32_t x, y;
    size_t bytes = ee_utf8_decode(a.data + at, a.length - at, &x);
    if (bytes == 0 || ee_utf8_decode(b.data + at, b.length - at, &y) != bytes || x != y) break;
    at += bytes;
    count++;
  }
  return count;
}

double ee_jaro_winkler(ee_str a, ee_str b, ee_arena *scratch) {
  double jaro = ee_jaro(a, b, scratch);
  return jaro + (double)ee_winkler_prefix(a, b) * 0.1 * (1 - jaro);
}
