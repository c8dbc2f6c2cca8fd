/* edit.c: Levenshtein distance, longest common subsequence.
 *
 * The algorithms are bit-parallel: 64 symbols of a pattern are one machine word, and the bits of the positions of a
 * symbol in the pattern replace comparisons. Texts are compared as bytes, one for each symbol, whatever their script;
 * only where the shorter one has more than 127 different symbols beyond ASCII they are compared as code points. */
#include "prim/edit.h"

#include <string.h>

#include "base/work.h"
#include "prim/narrow.h"

/* Work: units of one block of the distance; one of the common subsequence is about a unit. Texts whose shorter one has
 * at most 64 symbols are linear. */
#define BLOCK_WORK 4

static ee_symbols widen(ee_letters text, ee_arena *scratch) {
  uint32_t *code_points = ee_arena_alloc(scratch, text.count * sizeof *code_points);
  for (size_t i = 0; i < text.count; i++) code_points[i] = text.at[i];
  return (ee_symbols){code_points, text.count};
}

/* Common prefix and suffix ------------------------------------------------------------------------ */

/* How many of the last bytes of two different words in memory are equal; `difference` is their xor. */
static size_t equal_last(uint64_t difference) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return (size_t)__builtin_clzll(difference) / 8;
#else
  return (size_t)__builtin_ctzll(difference) / 8;
#endif
}

/* `a` and `b` point past the last byte. */
static size_t common_suffix(const char *a, const char *b, size_t length) {
  size_t same = 0;
  for (; length - same >= 8; same += 8) {
    uint64_t difference = ee_load_word(a - same - 8) ^ ee_load_word(b - same - 8);
    if (difference != 0) return same + equal_last(difference);
  }
  while (same < length && a[-1 - (ptrdiff_t)same] == b[-1 - (ptrdiff_t)same]) same++;
  return same;
}

/* Remove the common prefix and suffix from both texts and return how many bytes or symbols that were. */
static size_t trim_common_bytes(ee_letters *a, ee_letters *b) {
  size_t shorter = a->count < b->count ? a->count : b->count;
  if (shorter == 0) return 0; /* an empty slice may have no data to point into */
  const char *x = (const char *)a->at, *y = (const char *)b->at;
  size_t prefix = ee_common_prefix(x, y, shorter);
  size_t suffix = common_suffix(x + a->count, y + b->count, shorter - prefix);
  *a = (ee_letters){a->at + prefix, a->count - prefix - suffix};
  *b = (ee_letters){b->at + prefix, b->count - prefix - suffix};
  return prefix + suffix;
}

static bool is_later_byte(char byte) { return ((unsigned char)byte & 0xc0) == 0x80; }

/* The same for texts in UTF-8, which are cut between code points. */
static void trim_common_text(ee_str *a, ee_str *b) {
  size_t shorter = a->length < b->length ? a->length : b->length;
  if (shorter == 0) return;
  size_t prefix = ee_common_prefix(a->data, b->data, shorter);
  while (prefix > 0 && ((prefix < a->length && is_later_byte(a->data[prefix])) ||
                        (prefix < b->length && is_later_byte(b->data[prefix]))))
    prefix--;
  size_t suffix = common_suffix(a->data + a->length, b->data + b->length, shorter - prefix);
  while (suffix > 0 && is_later_byte(a->data[a->length - suffix])) suffix--;
  *a = (ee_str){a->data + prefix, a->length - prefix - suffix};
  *b = (ee_str){b->data + prefix, b->length - prefix - suffix};
}

size_t ee_trim_symbols(ee_symbols *a, ee_symbols *b) {
  size_t shorter = a->count < b->count ? a->count : b->count;
  size_t prefix = 0, suffix = 0;
  while (prefix < shorter && a->at[prefix] == b->at[prefix]) prefix++;
  while (suffix < shorter - prefix && a->at[a->count - 1 - suffix] == b->at[b->count - 1 - suffix]) suffix++;
  *a = (ee_symbols){a->at + prefix, a->count - prefix - suffix};
  *b = (ee_symbols){b->at + prefix, b->count - prefix - suffix};
  return prefix + suffix;
}

/* The positions in a pattern of any length: a row of 64-bit words, one for each block of 64. Symbols below 256
 * have whole rows. Of other symbols only the words that are not 0 are kept, so that memory is proportional to the
 * pattern whatever its alphabet; they are copied into a row when needed. */
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
  uint64_t *direct[256]; /* NULL for a symbol that the pattern lacks */
  uint64_t *none;        /* zeros */
  uint64_t *row;         /* the words of the symbol shown last */
  uint32_t shown;
} block_map;

static block_slot *find_slot(const block_map *map, uint32_t symbol) {
  size_t at = (size_t)(symbol * UINT32_C(0x9e3779b1)) & map->slot_mask;
  while (map->slots[at].first != 0 && map->slots[at].symbol != symbol) at = (at + 1) & map->slot_mask;
  return &map->slots[at];
}

static void block_map_init(block_map *map, ee_symbols pattern, ee_arena *scratch) {
  size_t others = 0, slots = 16;
  for (size_t i = 0; i < pattern.count; i++) others += pattern.at[i] >= 256;
  while (slots < 2 * others) slots *= 2;
  *map = (block_map){.blocks = (pattern.count + 63) / 64, .slot_mask = slots - 1, .shown = UINT32_MAX};
  map->slots = EE_NEW_ARRAY(scratch, block_slot, slots);
  map->entries = ee_arena_alloc(scratch, others * sizeof *map->entries);
  map->row = EE_NEW_ARRAY(scratch, uint64_t, map->blocks);
  map->none = EE_NEW_ARRAY(scratch, uint64_t, map->blocks);
  for (size_t i = 0; i < pattern.count; i++) {
    if (pattern.at[i] < 256) {
      uint64_t **words = &map->direct[pattern.at[i]];
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
  if (symbol < 256) return map->direct[symbol] != NULL ? map->direct[symbol] : map->none;
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
 * H. Hyyro, A bit-vector algorithm for computing Levenshtein and Damerau edit distances, Nordic J. Computing 10, 2003;
 * E. Ukkonen, Algorithms for approximate string matching, Information and Control 64, 1985.
 * A column of the table is kept as its vertical differences: a bit is set in `up` where a row is one more than the row
 * above it, in `down` where it is one less. */

/* The differences are kept so that the chain from one column to the next is short: `not_down` is inverted. */
typedef struct column {
  uint64_t up, not_down;
} column;

#define FIRST_COLUMN ((column){~UINT64_C(0), ~UINT64_C(0)})

/* Bits of the rows that are as large as the one above in the column before. */
static inline uint64_t diagonal_of(column c, uint64_t equal) {
  return (((equal & c.up) + c.up) ^ c.up) | equal | ~c.not_down;
}

/* One column further in a table of at most 64 rows; the row above the first grows by one each column. */
static inline column next_column(column c, uint64_t equal) {
  uint64_t diagonal = diagonal_of(c, equal);
  uint64_t not_right_up = (c.not_down & (diagonal | c.up)) << 1, right_down = (c.up & diagonal) << 1;
  return (column){right_down | (not_right_up & ~diagonal), not_right_up | ~diagonal};
}

/* The last cell of the last column: the value above the first row plus the differences below it. */
static inline size_t last_cell(column c, size_t rows, size_t columns) {
  uint64_t all = ee_low_bits(rows);
  return columns + ee_popcount(c.up & all) - ee_popcount(~c.not_down & all);
}

/* `text` has at most 16 * parts bytes as a pattern. */
static inline size_t short_distance(ee_letters pattern, ee_letters text, int parts) {
  const ee_short_pattern map = ee_short_pattern_of(pattern, parts);
  column c = FIRST_COLUMN;
  for (size_t j = 0; j < text.count; j++) c = next_column(c, ee_short_positions(&map, text.at[j], parts));
  return last_cell(c, pattern.count, text.count);
}

/* A band: the largest limit for which all diagonals that a path of that cost can touch are in one word. */
#define BAND_LIMIT 63

/* A distance that is not known, and about how large it is. */
typedef struct guess {
  bool is_wanted; /* end as soon as the limit looks out of reach */
  size_t distance;
} guess;

/* The distance if it is at most `limit` (1..BAND_LIMIT), else limit + 1. The pattern is at least as long as the text,
 * by at most `limit`, and has BAND_BEFORE and BAND_AFTER bytes around it that are changed. `parts` is 1, 2 or 4 for
 * limits below 16, 32, 64.
 *
 * A path of cost `limit` stays between diagonals -side and excess + side. Bit k of a column j (from 1) is row
 * j - side + k, so the word moves down a row with each column, and the last cell's diagonal has a bit that stays. Along
 * a diagonal values never fall: when that one's exceeds the limit, so does the distance. A neighbour outside of the
 * word counts as what some path through the word costs, so that no cell is ever too small. */
static inline size_t band_distance(unsigned char *pattern, size_t count, ee_letters text, size_t limit, int parts,
                                   guess *guessed) {
  const size_t excess = count - text.count, side = (limit - excess) / 2, last = excess + side;
  const unsigned char *window = pattern - side;
  memset(pattern - 8 * parts, 0, 8 * (size_t)parts);
  memset(pattern + count, 0, 16 * (size_t)parts);
  /* Rows above the first: there is nothing that could match, and column 0 is 0. */
  int64_t exists = (int64_t)(~UINT64_C(0) << side);
  column c = {(uint64_t)exists, ~UINT64_C(0)};
  size_t distance = excess;
  for (size_t j = 0; j < text.count; j++) {
    uint64_t diagonal = diagonal_of(c, ee_positions(window + j, text.at[j], parts) & (uint64_t)exists);
    exists = exists >> 1;
    uint64_t not_right_up = c.not_down & (diagonal | c.up), right_down = c.up & diagonal, further = diagonal >> 1;
    distance += (size_t)(~diagonal >> last & 1);
    if (distance > limit) {
      guessed->distance = excess + (distance - excess) * text.count / (j + 1);
      return limit + 1;
    }
    c = (column){right_down | (not_right_up & ~further), not_right_up | ~further};
    if (guessed->is_wanted && j % 8 == 7 && distance >= 7 + excess) {
      guessed->distance = excess + (distance - excess) * text.count / (j + 1);
      if (guessed->distance > limit + limit / 8) return limit + 1;
    }
  }
  return distance;
}

#define BAND_BEFORE 32
#define BAND_AFTER 64
#define BAND_SHORT 448

/* band_distance() of any pattern. */
static size_t banded(ee_letters longer, ee_letters shorter, size_t limit, guess *guessed, ee_arena *scratch) {
  unsigned char here[BAND_BEFORE + BAND_SHORT + BAND_AFTER], *copy = here;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  if (longer.count > BAND_SHORT) copy = ee_arena_alloc(scratch, BAND_BEFORE + longer.count + BAND_AFTER);
  copy += BAND_BEFORE;
  memcpy(copy, longer.at, longer.count);
  size_t distance;
  if (limit < 16)
    distance = band_distance(copy, longer.count, shorter, limit, 1, guessed);
  else if (limit < 32)
    distance = band_distance(copy, longer.count, shorter, limit, 2, guessed);
  else
    distance = band_distance(copy, longer.count, shorter, limit, 4, guessed);
  ee_arena_rewind(scratch, mark);
  return distance;
}

/* The places of the symbols of a long pattern: rows of words, one word for each block of 64 places, either of bytes,
 * filled as far as they are needed, or of code points. */
typedef struct long_pattern {
  ee_letters bytes;     /* of code points: at is NULL */
  uint64_t *rows[256];  /* of bytes: by byte; `none` for those that the pattern lacks */
  uint64_t *none;       /* of bytes: zeros */
  size_t filled;        /* of bytes: places */
  block_map map;        /* of code points */
  uint64_t *other_row;  /* of code points: a copy, since the map shows one row at a time */
  size_t count, blocks; /* places, words of a row */
} long_pattern;

static void start_bytes(long_pattern *pattern, ee_letters text, ee_arena *scratch) {
  pattern->bytes = text;
  pattern->count = text.count;
  pattern->blocks = (text.count + 63) / 64;
  pattern->filled = 0;
  pattern->none = EE_NEW_ARRAY(scratch, uint64_t, pattern->blocks);
  for (size_t i = 0; i < 256; i++) pattern->rows[i] = pattern->none;
}

static void start_symbols(long_pattern *pattern, ee_symbols text, ee_arena *scratch) {
  pattern->bytes.at = NULL;
  pattern->count = text.count;
  pattern->blocks = (text.count + 63) / 64;
  block_map_init(&pattern->map, text, scratch);
  pattern->other_row = ee_arena_alloc(scratch, pattern->blocks * sizeof *pattern->other_row);
}

/* Makes the words of the blocks before `blocks` known. */
static void fill_rows(long_pattern *pattern, size_t blocks, ee_arena *scratch) {
  if (pattern->bytes.at == NULL) return;
  size_t end = 64 * blocks < pattern->count ? 64 * blocks : pattern->count;
  for (; pattern->filled < end; pattern->filled++) {
    uint64_t **row = &pattern->rows[pattern->bytes.at[pattern->filled]];
    if (*row == pattern->none) *row = EE_NEW_ARRAY(scratch, uint64_t, pattern->blocks);
    (*row)[pattern->filled / 64] |= UINT64_C(1) << (pattern->filled % 64);
  }
}

/* The other text, in the same form as the pattern. */
typedef struct long_text {
  const unsigned char *bytes;
  const uint32_t *symbols;
  size_t count;
} long_text;

/* The row of a symbol of the text; one of code points is valid until the next call. */
static inline const uint64_t *row_of(long_pattern *pattern, const long_text *text, size_t at) {
  return pattern->bytes.at != NULL ? pattern->rows[text->bytes[at]] : block_map_row(&pattern->map, text->symbols[at]);
}

/* 64 rows of a column: their vertical differences. */
typedef struct block {
  uint64_t up, down;
} block;

/* One column further in a block. `*plus` or `*minus` is 1 if the row above the block is one more or one less than in
 * the column before; afterwards the same of the block's last row. */
static inline void next_block(block *b, uint64_t equal, uint64_t *plus, uint64_t *minus) {
  uint64_t up = b->up, down = b->down, vertical = equal | down;
  equal |= *minus;
  uint64_t diagonal = (((equal & up) + up) ^ up) | equal;
  uint64_t right_up = down | ~(diagonal | up), right_down = up & diagonal;
  uint64_t to_right_up = right_up << 1 | *plus, to_right_down = right_down << 1 | *minus;
  *plus = right_up >> 63;
  *minus = right_down >> 63;
  b->up = to_right_down | ~(vertical | to_right_up);
  b->down = to_right_up & vertical;
}

/* The distance for a pattern of 65 to 128 bytes: two blocks, which need no rows in memory. */
static size_t two_block_distance(ee_letters pattern, ee_letters text) {
  const size_t rest = pattern.count - 64;
  const ee_short_pattern first = ee_short_pattern_of((ee_letters){pattern.at, 64}, 4);
  const ee_short_pattern last = ee_short_pattern_of((ee_letters){pattern.at + rest, 64}, 4);
  block upper = {~UINT64_C(0), 0}, lower = upper;
  ee_work(BLOCK_WORK * 2 * text.count);
  for (size_t j = 0; j < text.count; j++) {
    uint64_t plus = 1, minus = 0;
    next_block(&upper, ee_short_positions(&first, text.at[j], 4), &plus, &minus);
    next_block(&lower, ee_short_positions(&last, text.at[j], 4) >> (64 - rest), &plus, &minus);
  }
  const uint64_t rows = ee_low_bits(rest);
  return text.count + ee_popcount(upper.up) - ee_popcount(upper.down) + ee_popcount(lower.up & rows) -
         ee_popcount(lower.down & rows);
}

/* The blocks of a column that are computed, `first` to `last`, and the value of the last row of the last of them, which
 * may be below the pattern's. */
typedef struct block_band {
  block *blocks;
  size_t first, last, value;
} block_band;

/* What the rows `from`.. of a block add to the value above them; wraps where they are less. */
static inline size_t rise(block b, size_t from) {
  uint64_t rows = ~ee_low_bits(from);
  return ee_popcount(b.up & rows) - ee_popcount(b.down & rows);
}

/* Leaves out blocks whose cells, after `columns` columns, cannot be on a path of cost `limit` or less, `excess` being
 * the last cell's diagonal: to get there from another diagonal takes at least as many edits as they are apart. False if
 * every path costs more. */
static bool narrow_band(block_band *band, size_t columns, size_t excess, size_t limit) {
  const size_t middle = columns + excess; /* the row on the last diagonal */
  while (band->last > band->first && 64 * band->last >= middle &&
         band->value + (64 * (band->last + 1) - middle) > limit + 126) {
    band->value -= rise(band->blocks[band->last], 0);
    band->last--;
  }
  if (middle > 64 * (band->last + 1)) return false;
  size_t value = band->value, at = band->last;
  while (at > (middle - 1) / 64) value -= rise(band->blocks[at--], 0);
  /* Values never fall along a diagonal. */
  if (value - rise(band->blocks[at], (middle - 1) % 64 + 1) > limit) return false;
  for (; at > band->first; at--) {
    value -= rise(band->blocks[at], 0); /* of the last row of the block above */
    if (value + (middle - 64 * at) > limit) {
      band->first = at;
      return true;
    }
  }
  return true;
}

/* Columns between two looks at what may be left out. */
#define NARROW_COLUMNS 16

/* The distance if it is at most `limit`, else limit + 1. The pattern is at least as long as the text; `limit` is
 * between the difference of their lengths and the longer length. Only blocks that a path of cost `limit` or less can
 * touch are computed. For a neighbour that is left out, the value of some real path is used, so that no cell is ever
 * too small. Two columns are computed in one go, since a block waits for the one above it. */
static size_t block_distance(long_pattern *pattern, const long_text *text, size_t limit, block *blocks,
                             ee_arena *scratch) {
  const size_t excess = pattern->count - text->count, count = pattern->blocks;
  block_band band = {.blocks = blocks, .first = 0, .last = 0, .value = 64};
  blocks[0] = (block){~UINT64_C(0), 0};
  for (size_t j = 0; j < text->count; j += 2) {
    /* Down to where a path may go in these two columns: each changes the value and the diagonal by at most one. */
    while (band.last + 1 < count && band.value + ee_apart(64 * (band.last + 1), j + excess) <= limit + 4) {
      blocks[++band.last] = (block){~UINT64_C(0), 0};
      band.value += 64;
    }
    fill_rows(pattern, band.last + 1, scratch);
    ee_work(2 * BLOCK_WORK * (band.last - band.first + 1));
    const uint64_t *row = row_of(pattern, text, j);
    uint64_t plus = 1, minus = 0, other_plus = 1, other_minus = 0;
    if (j + 1 == text->count) {
      for (size_t i = band.first; i <= band.last; i++) next_block(&blocks[i], row[i], &plus, &minus);
      band.value += (size_t)(plus - minus);
      break;
    }
    if (pattern->bytes.at == NULL) row = memcpy(pattern->other_row, row, count * sizeof *row);
    const uint64_t *other_row = row_of(pattern, text, j + 1);
    for (size_t i = band.first; i <= band.last; i++) {
      block b = blocks[i];
      next_block(&b, row[i], &plus, &minus);
      next_block(&b, other_row[i], &other_plus, &other_minus);
      blocks[i] = b;
    }
    band.value += (size_t)(plus - minus + other_plus - other_minus);
    if ((j + 2) % NARROW_COLUMNS == 0 && !narrow_band(&band, j + 2, excess, limit)) return limit + 1;
  }
  if (band.last + 1 < count) return limit + 1;
  size_t distance = band.value - rise(blocks[band.last], pattern->count - 64 * band.last);
  return distance <= limit ? distance : limit + 1;
}

/* The first attempt is a limit that `guessed` makes likely, since the cost is the length times the limit. */
static size_t long_distance(long_pattern *pattern, const long_text *text, size_t limit, size_t guessed,
                            ee_arena *scratch) {
  block *blocks = ee_arena_alloc(scratch, pattern->blocks * sizeof *blocks);
  size_t attempt = pattern->count - text->count + 64 + guessed + guessed / 4;
  for (; attempt < limit / 2; attempt *= 2) {
    size_t distance = block_distance(pattern, text, attempt, blocks, scratch);
    if (distance <= attempt) return distance;
  }
  return block_distance(pattern, text, limit, blocks, scratch);
}

static size_t distance_of_symbols(ee_symbols a, ee_symbols b, size_t limit, ee_arena *scratch) {
  ee_trim_symbols(&a, &b);
  ee_symbols longer = a.count >= b.count ? a : b, shorter = a.count >= b.count ? b : a;
  if (longer.count - shorter.count > limit) return limit + 1;
  if (shorter.count == 0) return longer.count;
  long_pattern pattern;
  start_symbols(&pattern, longer, scratch);
  const long_text text = {NULL, shorter.at, shorter.count};
  return long_distance(&pattern, &text, limit < longer.count ? limit : longer.count, 0, scratch);
}

/* True if the lengths alone decide; they are counted only where that is likely. */
static bool lengths_exceed(ee_str a, ee_str b, size_t limit) {
  if (ee_apart(a.length, b.length) <= limit) return false;
  return ee_apart(ee_count_symbols(a), ee_count_symbols(b)) > limit;
}

static size_t distance_of_bytes(ee_letters longer, ee_letters shorter, size_t limit, ee_arena *scratch) {
  guess guessed = {.is_wanted = false};
  if (longer.count - shorter.count > limit) return limit + 1;
  if (shorter.count == 0) return longer.count;
  if (limit == 0) return 1;
  if (longer.count > 64) ee_work(longer.count);
  if (limit <= BAND_LIMIT && limit < longer.count) return banded(longer, shorter, limit, &guessed, scratch);
  /* The longer text is the pattern, because the time is proportional to the length of the other. */
  ee_letters pattern = longer.count <= 64 ? longer : shorter, text = longer.count <= 64 ? shorter : longer;
  if (pattern.count <= 16) return short_distance(pattern, text, 1);
  if (pattern.count <= 32) return short_distance(pattern, text, 2);
  if (pattern.count <= 64) return short_distance(pattern, text, 4);
  guessed.is_wanted = true;
  if (longer.count - shorter.count <= BAND_LIMIT) {
    size_t distance = banded(longer, shorter, BAND_LIMIT, &guessed, scratch);
    if (distance <= BAND_LIMIT) return distance;
  }
  if (longer.count <= 128) return two_block_distance(longer, shorter);
  long_pattern rows;
  start_bytes(&rows, longer, scratch);
  const long_text other = {shorter.at, NULL, shorter.count};
  return long_distance(&rows, &other, limit < longer.count ? limit : longer.count, guessed.distance, scratch);
}

/* Whether `text` has no symbol or one. */
static inline bool is_symbol_or_empty(ee_str text) {
  uint32_t symbol;
  if (text.length <= 1) return true;
  return text.length <= 4 && ee_utf8_decode(text.data, text.length, &symbol) == text.length;
}

size_t ee_levenshtein(ee_str a, ee_str b, size_t limit, ee_arena *scratch) {
  trim_common_text(&a, &b);
  /* Many similar texts differ in one letter. */
  if (is_symbol_or_empty(a) && is_symbol_or_empty(b)) return a.length + b.length > 0;
  const bool is_ascii = ee_is_short_ascii(a) && ee_is_short_ascii(b);
  if (!is_ascii && lengths_exceed(a, b, limit)) return limit + 1;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_letters x, y;
  size_t distance;
  if (ee_narrow_pair(a, b, is_ascii, &x, &y, scratch))
    distance = distance_of_bytes(x.count >= y.count ? x : y, x.count >= y.count ? y : x, limit, scratch);
  else
    distance = distance_of_symbols(ee_symbols_of(a, scratch), ee_symbols_of(b, scratch), limit, scratch);
  ee_arena_rewind(scratch, mark);
  return distance > limit ? limit + 1 : distance;
}

size_t ee_letters_distance(ee_letters a, ee_letters b, size_t limit, ee_arena *scratch) {
  trim_common_bytes(&a, &b);
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  size_t distance = distance_of_bytes(a.count >= b.count ? a : b, a.count >= b.count ? b : a, limit, scratch);
  ee_arena_rewind(scratch, mark);
  return distance > limit ? limit + 1 : distance;
}

size_t ee_symbols_distance(ee_symbols a, ee_symbols b, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  size_t distance = distance_of_symbols(a, b, EE_NO_LIMIT, scratch);
  ee_arena_rewind(scratch, mark);
  return distance;
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

/* `pattern` has 1..16 * parts bytes. `lengths` (or NULL) gets, for each byte of the text, the length of what the text
 * up to it has in common with the pattern. */
static inline size_t short_lcs_of(const ee_short_pattern *map, size_t count, ee_letters text, int parts,
                                  size_t *lengths) {
  uint64_t open = ~UINT64_C(0);
  for (size_t j = 0; j < text.count; j++) {
    uint64_t hit = open & ee_short_positions(map, text.at[j], parts);
    open = (open + hit) | (open - hit);
    if (lengths != NULL) lengths[j] = ee_popcount(~open & ee_low_bits(count));
  }
  return ee_popcount(~open & ee_low_bits(count));
}

static inline size_t short_lcs(ee_letters pattern, ee_letters text, int parts) {
  const ee_short_pattern map = ee_short_pattern_of(pattern, parts);
  return short_lcs_of(&map, pattern.count, text, parts, NULL);
}

static size_t count_closed(const uint64_t *open, size_t count) {
  size_t common = 0;
  for (size_t i = 0; 64 * i < count; i++) common += ee_popcount(~open[i] & ee_low_bits(count - 64 * i));
  return common;
}

/* The same for a pattern of any length: `map` is of the pattern, which has `count` symbols, and `open` is room for
 * map->blocks words. */
static size_t long_lcs_of(block_map *map, size_t count, ee_symbols text, uint64_t *open, size_t *lengths) {
  for (size_t i = 0; i < map->blocks; i++) open[i] = ~UINT64_C(0);
  for (size_t j = 0; j < text.count; j++) {
    const uint64_t *row = block_map_row(map, text.at[j]);
    unsigned long long carry = 0;
    ee_work(map->blocks);
    for (size_t i = 0; i < map->blocks; i++) {
      uint64_t before = open[i], hit = before & row[i];
      /* The sum carries over to the next block; the difference cannot, since the bits of `hit` are set in `open`. */
      uint64_t with_carry = before + carry, sum = with_carry + hit;
      carry = (with_carry < before) | (sum < with_carry);
      open[i] = sum | (before - hit);
    }
    if (lengths != NULL) lengths[j] = count_closed(open, count);
  }
  return count_closed(open, count);
}

static size_t long_lcs(ee_symbols pattern, ee_symbols text, ee_arena *scratch) {
  block_map map;
  block_map_init(&map, pattern, scratch);
  uint64_t *open = ee_arena_alloc(scratch, map.blocks * sizeof *open);
  return long_lcs_of(&map, pattern.count, text, open, NULL);
}

static size_t lcs_of_symbols(ee_symbols a, ee_symbols b, ee_arena *scratch) {
  size_t common = ee_trim_symbols(&a, &b);
  ee_symbols longer = a.count >= b.count ? a : b, shorter = a.count >= b.count ? b : a;
  return shorter.count == 0 ? common : common + long_lcs(longer, shorter, scratch);
}

static size_t lcs_of_bytes(ee_letters a, ee_letters b, ee_arena *scratch) {
  size_t common = trim_common_bytes(&a, &b);
  ee_letters longer = a.count >= b.count ? a : b, shorter = a.count >= b.count ? b : a;
  if (shorter.count == 0) return common;
  if (longer.count > 64) ee_work(longer.count);
  ee_letters pattern = longer.count <= 64 ? longer : shorter, text = longer.count <= 64 ? shorter : longer;
  if (pattern.count <= 16) return common + short_lcs(pattern, text, 1);
  if (pattern.count <= 32) return common + short_lcs(pattern, text, 2);
  if (pattern.count <= 64) return common + short_lcs(pattern, text, 4);
  return common + long_lcs(widen(longer, scratch), widen(shorter, scratch), scratch);
}

/* The length of the longest common subsequence; `*total` gets the sum of both lengths. In code points. */
static size_t lcs_of(ee_str a, ee_str b, ee_arena *scratch, size_t *total) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_letters x, y;
  size_t common;
  if (ee_narrow_pair(a, b, ee_is_short_ascii(a) && ee_is_short_ascii(b), &x, &y, scratch)) {
    *total = x.count + y.count;
    common = lcs_of_bytes(x, y, scratch);
  } else {
    ee_symbols p = ee_symbols_of(a, scratch), q = ee_symbols_of(b, scratch);
    *total = p.count + q.count;
    common = lcs_of_symbols(p, q, scratch);
  }
  ee_arena_rewind(scratch, mark);
  return common;
}

size_t ee_symbols_lcs(ee_symbols a, ee_symbols b, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  size_t common = lcs_of_symbols(a, b, scratch);
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

/* Partial ratio ----------------------------------------------------------------------------------- */

/* What is looked for, and where: bytes while the shorter text has at most 64 symbols, else code points. */
typedef struct window_search {
  size_t needle, text; /* symbols; needle <= text */
  ee_part best;
} window_search;

/* Keeps the part of the text from `start` to `end` if it is better than all before: 2 * common / (needle + part). */
static void consider(window_search *search, size_t common, size_t start, size_t end) {
  ee_part *best = &search->best;
  if (best->common * (search->needle + (end - start)) >= common * (search->needle + best->length)) return;
  *best = (ee_part){.common = common, .start = start, .length = end - start};
}

/* The least that a part as long as the needle must have in common with it to be better than the best one. */
static size_t common_wanted(const window_search *search) {
  return 2 * search->needle * search->best.common / (search->needle + search->best.length) + 1;
}

/* Parts at both ends that are shorter than the needle: of their lengths in common, `of_start` and `of_end`. */
static void consider_ends(window_search *search, const size_t *of_start, const size_t *of_end) {
  for (size_t i = 1; i < search->needle; i++) {
    consider(search, of_start[i - 1], 0, i);
    consider(search, of_end[i - 1], search->text - i, search->text);
  }
}

/* Parts as long as the needle. To move one by a place changes what is in common by one at most, so that most places
 * need not be looked at. */
#define CONSIDER_WINDOWS(search, common_at)                                                                            \
  for (size_t at = 0; at + (search)->needle <= (search)->text;) {                                                      \
    const size_t common = (common_at);                                                                                 \
    consider((search), common, at, at + (search)->needle);                                                             \
    const size_t wanted = common_wanted(search);                                                                       \
    if (wanted > (search)->needle) break;                                                                              \
    at += wanted - common;                                                                                             \
  }

static inline void search_letters(window_search *search, ee_letters needle, ee_letters text, int parts,
                                  ee_arena *scratch) {
  const size_t count = needle.count, ends = count - 1;
  const ee_short_pattern map = ee_short_pattern_of(needle, parts);
  size_t *of_start = ee_arena_alloc(scratch, count * sizeof *of_start);
  size_t *of_end = ee_arena_alloc(scratch, count * sizeof *of_end);
  unsigned char *turned = ee_arena_alloc(scratch, count), *end = ee_arena_alloc(scratch, count);
  for (size_t i = 0; i < count; i++) turned[i] = needle.at[count - 1 - i];
  for (size_t i = 0; i < ends; i++) end[i] = text.at[text.count - 1 - i];
  const ee_short_pattern turned_map = ee_short_pattern_of((ee_letters){turned, count}, parts);
  short_lcs_of(&map, count, (ee_letters){text.at, ends}, parts, of_start);
  short_lcs_of(&turned_map, count, (ee_letters){end, ends}, parts, of_end);
  consider_ends(search, of_start, of_end);
  CONSIDER_WINDOWS(search, (ee_work(count), short_lcs_of(&map, count, (ee_letters){text.at + at, count}, parts, NULL)))
}

static void search_symbols(window_search *search, ee_symbols needle, ee_symbols text, ee_arena *scratch) {
  const size_t count = needle.count, ends = count - 1;
  size_t *of_start = ee_arena_alloc(scratch, count * sizeof *of_start);
  size_t *of_end = ee_arena_alloc(scratch, count * sizeof *of_end);
  uint32_t *turned = ee_arena_alloc(scratch, count * sizeof *turned);
  uint32_t *end = ee_arena_alloc(scratch, count * sizeof *end);
  for (size_t i = 0; i < count; i++) turned[i] = needle.at[count - 1 - i];
  for (size_t i = 0; i < ends; i++) end[i] = text.at[text.count - 1 - i];
  block_map map;
  block_map_init(&map, (ee_symbols){turned, count}, scratch);
  uint64_t *open = ee_arena_alloc(scratch, map.blocks * sizeof *open);
  long_lcs_of(&map, count, (ee_symbols){end, ends}, open, of_end);
  block_map_init(&map, needle, scratch);
  long_lcs_of(&map, count, (ee_symbols){text.at, ends}, open, of_start);
  consider_ends(search, of_start, of_end);
  CONSIDER_WINDOWS(search, long_lcs_of(&map, count, (ee_symbols){text.at + at, count}, open, NULL))
}

/* Takes the better of what was found so far and the best part of `text` for `needle`, both not empty. */
static ee_part search_part(ee_str needle, ee_str text, ee_arena *scratch) {
  ee_letters x, y;
  window_search search = {.best = {.length = 0}};
  const bool is_ascii = ee_is_short_ascii(needle) && ee_is_short_ascii(text);
  if (ee_narrow_pair(needle, text, is_ascii, &x, &y, scratch) && x.count <= 64) {
    search.needle = x.count;
    search.text = y.count;
    if (x.count > y.count) return search.best; /* not UTF-8: it was counted another way */
    if (x.count <= 16)
      search_letters(&search, x, y, 1, scratch);
    else if (x.count <= 32)
      search_letters(&search, x, y, 2, scratch);
    else
      search_letters(&search, x, y, 4, scratch);
    return search.best;
  }
  ee_symbols p = ee_symbols_of(needle, scratch), q = ee_symbols_of(text, scratch);
  search.needle = p.count;
  search.text = q.count;
  if (p.count > q.count) return search.best;
  search_symbols(&search, p, q, scratch);
  return search.best;
}

ee_part ee_best_part(ee_str a, ee_str b, ee_arena *scratch) {
  size_t a_count = ee_utf8_count(a.data, a.length), b_count = ee_utf8_count(b.data, b.length);
  ee_part best = {.of_a = a_count > b_count, .whole = a_count < b_count ? a_count : b_count};
  if (best.whole == 0) return best;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_part found = best.of_a ? search_part(b, a, scratch) : search_part(a, b, scratch);
  if (a_count == b_count && found.common < a_count) {
    ee_part other = search_part(b, a, scratch);
    if (other.common * (a_count + found.length) > found.common * (a_count + other.length)) {
      found = other;
      best.of_a = true;
    }
  }
  ee_arena_rewind(scratch, mark);
  best.common = found.common;
  best.start = found.start;
  best.length = found.length;
  return best;
}

double ee_partial_ratio(ee_str a, ee_str b, ee_arena *scratch) {
  ee_part best = ee_best_part(a, b, scratch);
  if (best.whole == 0) return a.length == b.length ? 1 : 0;
  return 2 * (double)best.common / (double)(best.whole + best.length);
}
