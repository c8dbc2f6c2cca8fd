/* edit.c: Levenshtein distance, longest common subsequence, Jaro and Jaro-Winkler similarity.
 *
 * The algorithms are bit-parallel: 64 symbols of a pattern are one machine word, and the bits of the positions of a
 * symbol in the pattern replace comparisons. Texts are compared as bytes, one for each symbol, whatever their script;
 * only where the shorter one has more than 127 different symbols beyond ASCII they are compared as code points. */
#include "prim/edit.h"

#include <string.h>

#include "base/work.h"

#if defined __SSE2__ && !defined EE_EDIT_PORTABLE /* which a test defines */
#define HAVE_SSE2
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

static inline size_t apart(size_t a, size_t b) { return a > b ? a - b : b - a; }

/* The lowest `count` (0..64) bits. */
static inline uint64_t low_bits(size_t count) { return count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1; }

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

/* Symbols ----------------------------------------------------------------------------------------- */

/* A text as bytes, each of which stands for a code point. */
typedef struct letters {
  const unsigned char *at;
  size_t count;
} letters;

/* A text as code points. */
typedef struct symbols {
  const uint32_t *at;
  size_t count;
} symbols;

/* The code point at `*at`, which moves on. Texts are valid UTF-8; should one not be, a bad byte counts as a symbol. */
static inline uint32_t next_symbol(ee_str text, size_t *at) {
  uint32_t symbol = (unsigned char)text.data[*at];
  size_t length = symbol < 0x80 ? 1 : ee_utf8_decode(text.data + *at, text.length - *at, &symbol);
  *at += length != 0 ? length : 1;
  return symbol;
}

/* Decodes `text` into `scratch`. */
static symbols symbols_of(ee_str text, ee_arena *scratch) {
  ee_work(text.length);
  uint32_t *code_points = ee_arena_alloc(scratch, text.length * sizeof *code_points);
  size_t count = 0;
  for (size_t at = 0; at < text.length;) code_points[count++] = next_symbol(text, &at);
  return (symbols){code_points, count};
}

static symbols widen(letters text, ee_arena *scratch) {
  uint32_t *code_points = ee_arena_alloc(scratch, text.count * sizeof *code_points);
  for (size_t i = 0; i < text.count; i++) code_points[i] = text.at[i];
  return (symbols){code_points, text.count};
}

/* ee_is_ascii() without a call, and nearly without branches, for texts of up to 64 bytes. */
static inline bool is_short_ascii(ee_str text) {
  if (text.length > 64) return ee_is_ascii(text.data, text.length);
  uint64_t bits = 0;
  if (text.length < 8) {
    for (size_t i = 0; i < text.length; i++) bits |= (unsigned char)text.data[i];
    return bits < 0x80;
  }
  const char *last = text.data + text.length - 8;
  bits = load_word(text.data) | load_word(last);
  if (text.length > 16) bits |= load_word(text.data + 8) | load_word(last - 8);
  if (text.length > 32)
    bits |= load_word(text.data + 16) | load_word(text.data + 24) | load_word(last - 16) | load_word(last - 24);
  return (bits & UINT64_C(0x8080808080808080)) == 0;
}

#ifdef HAVE_SSE2
/* 1..16 bytes and zeros behind them. */
static inline __m128i load_few(const unsigned char *at, size_t count) {
  if (count == 16) return _mm_loadu_si128((const __m128i *)(const void *)at);
  if (count > 8)
    return _mm_set_epi64x((long long)(load_word((const char *)at + count - 8) >> (128 - 8 * count)),
                          (long long)load_word((const char *)at));
  if (count == 8) return _mm_set_epi64x(0, (long long)load_word((const char *)at));
  if (count >= 4) {
    uint32_t first, last;
    memcpy(&first, at, sizeof first);
    memcpy(&last, at + count - 4, sizeof last);
    return _mm_set_epi64x(0, (long long)(first | (uint64_t)last << (8 * count - 32)));
  }
  unsigned bits = at[0] | (unsigned)at[count / 2] << (8 * (count / 2)) | (unsigned)at[count - 1] << (8 * count - 8);
  return _mm_set_epi64x(0, (long long)bits);
}
#endif

/* Narrowing: most scripts with an alphabet have their letters in one page of 128 code points that begins at a multiple
 * of 128 (Greek, Cyrillic, Hebrew, Arabic, the accents of western Europe), whose UTF-8 has two bytes for each and one
 * pair of first bytes. Such a letter becomes 128 and its place in the page, which needs no table. */

/* What the first byte of a letter of a page is after its last bit is cleared; 0 when `text` has none. */
static unsigned char page_of(ee_str text) {
  size_t at = 0;
  while (at + 8 <= text.length && (load_word(text.data + at) & UINT64_C(0x8080808080808080)) == 0) at += 8;
  while (at < text.length && (unsigned char)text.data[at] < 0x80) at++;
  return at < text.length ? (unsigned char)text.data[at] & 0xfe : 0;
}

#ifdef HAVE_SSE2
/* How many symbols begin in the bytes of `part` that are `valid` (a bit for each); they are put at `to`. `next` are the
 * bytes one further. `*pending` is 1 if the byte before was a first byte. `*strange` is not 0 if a byte is not of ASCII
 * and of the page. */
static inline size_t narrow_part(__m128i part, __m128i next, unsigned valid, __m128i page, unsigned char *to,
                                 unsigned *pending, unsigned *strange) {
  const __m128i is_high = _mm_cmpgt_epi8(_mm_setzero_si128(), part);
  const __m128i is_second = _mm_cmpgt_epi8(_mm_set1_epi8(-64), part);
  const __m128i is_page = _mm_cmpeq_epi8(_mm_and_si128(part, _mm_set1_epi8(-2)), page);
  const unsigned second = (unsigned)_mm_movemask_epi8(is_second);
  const unsigned first = (unsigned)_mm_movemask_epi8(is_high) & ~second;
  *strange |= (first & ~(unsigned)_mm_movemask_epi8(is_page)) | (((first << 1 | *pending) ^ second) & valid);
  *pending = first >> 15;
  /* 0x80 | (first & 1) << 6 | (second & 63), where second has bit 7 already */
  const __m128i place =
      _mm_or_si128(_mm_slli_epi16(_mm_and_si128(part, _mm_set1_epi8(1)), 6), _mm_and_si128(next, _mm_set1_epi8(-65)));
  unsigned char all[16];
  _mm_storeu_si128((__m128i *)(void *)all,
                   _mm_or_si128(_mm_and_si128(is_high, place), _mm_andnot_si128(is_high, part)));
  /* Without branches: what does not begin a symbol is overwritten. */
  const unsigned begins = ~second & valid;
  size_t count = 0;
  for (unsigned i = 0; i < 16; i++) {
    to[count] = all[i];
    count += begins >> i & 1;
  }
  return count;
}
#endif

/* Room behind a narrowed text, for what is written and not counted. */
#define NARROW_ROOM 16

/* `text` into `to`, which has room for its bytes; false if it is not all of ASCII and `page`. */
static bool narrow(ee_str text, unsigned char page, unsigned char *to, size_t *count) {
  size_t at = 0, symbol_count = 0;
  unsigned pending = 0, strange = page != 0 && (page < 0xc2 || page > 0xde);
#ifdef HAVE_SSE2
  const __m128i pages = _mm_set1_epi8((char)page);
  for (; at + 17 <= text.length; at += 16) {
    const __m128i part = _mm_loadu_si128((const __m128i *)(const void *)(text.data + at));
    const __m128i next = _mm_loadu_si128((const __m128i *)(const void *)(text.data + at + 1));
    symbol_count += narrow_part(part, next, 0xffff, pages, to + symbol_count, &pending, &strange);
  }
  if (at < text.length) {
    const __m128i part = load_few((const unsigned char *)text.data + at, text.length - at);
    symbol_count += narrow_part(part, _mm_srli_si128(part, 1), (1u << (text.length - at)) - 1, pages, to + symbol_count,
                                &pending, &strange);
    pending = (unsigned char)text.data[text.length - 1] >= 0xc0;
  }
#else
  for (; at < text.length; at++) {
    unsigned char byte = (unsigned char)text.data[at];
    if (byte >= 0x80) {
      strange |= (byte & 0xfe) != page;
      pending = at + 1 == text.length;
      unsigned char second = pending ? 0 : (unsigned char)text.data[++at];
      strange |= (second & 0xc0) != 0x80;
      byte = (unsigned char)(0x80 | (byte & 1) << 6 | (second & 63));
    }
    to[symbol_count++] = byte;
  }
#endif
  *count = symbol_count;
  return (strange | pending) == 0;
}

/* Other scripts: each symbol of one text beyond ASCII gets a byte of its own. */
typedef struct renames {
  uint32_t symbol[256];
  unsigned char name[256]; /* 0: a free slot */
  unsigned char last;      /* the name given last; UNKNOWN: none */
} renames;

/* The name of all symbols that the text which gave the names lacks. */
#define UNKNOWN 0x80

/* `text` into `to`; `gives` names to symbols that have none. False if there are not enough names. */
static bool rename_symbols(renames *names, ee_str text, bool gives, unsigned char *to, size_t *count) {
  size_t symbol_count = 0;
  for (size_t at = 0; at < text.length;) {
    uint32_t symbol = next_symbol(text, &at);
    unsigned char name = (unsigned char)symbol;
    if (symbol >= 0x80) {
      size_t slot = (symbol * UINT32_C(0x9e3779b1)) >> 24;
      while (names->name[slot] != 0 && names->symbol[slot] != symbol) slot = (slot + 1) % 256;
      if (names->name[slot] == 0 && gives) {
        if (names->last == 0xff) return false;
        names->symbol[slot] = symbol;
        names->name[slot] = ++names->last;
      }
      name = names->name[slot] != 0 ? names->name[slot] : UNKNOWN;
    }
    to[symbol_count++] = name;
  }
  *count = symbol_count;
  return true;
}

/* narrow_pair() of texts that are not both ASCII. */
static bool narrow_others(ee_str a, ee_str b, letters *x, letters *y, ee_arena *scratch) {
  unsigned char *to_a = ee_arena_alloc(scratch, a.length + NARROW_ROOM);
  unsigned char *to_b = ee_arena_alloc(scratch, b.length + NARROW_ROOM);
  x->at = to_a;
  y->at = to_b;
  unsigned char page = page_of(a);
  if (page == 0) page = page_of(b);
  if (narrow(a, page, to_a, &x->count) && narrow(b, page, to_b, &y->count)) return true;
  renames names;
  memset(names.name, 0, sizeof names.name);
  names.last = UNKNOWN;
  if (a.length <= b.length)
    return rename_symbols(&names, a, true, to_a, &x->count) && rename_symbols(&names, b, false, to_b, &y->count);
  return rename_symbols(&names, b, true, to_b, &y->count) && rename_symbols(&names, a, false, to_a, &x->count);
}

/* Two texts as bytes that are equal where their code points are, except that all symbols that occur in one text only
 * may have the same byte. False if the shorter has too many different symbols. */
static inline bool narrow_pair(ee_str a, ee_str b, bool is_ascii, letters *x, letters *y, ee_arena *scratch) {
  *x = (letters){(const unsigned char *)a.data, a.length};
  *y = (letters){(const unsigned char *)b.data, b.length};
  return is_ascii || narrow_others(a, b, x, y, scratch);
}

/* Common prefix and suffix ------------------------------------------------------------------------ */

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

/* Remove the common prefix and suffix from both texts and return how many bytes or symbols that were. */
static size_t trim_common_bytes(letters *a, letters *b) {
  size_t shorter = a->count < b->count ? a->count : b->count;
  if (shorter == 0) return 0; /* an empty slice may have no data to point into */
  const char *x = (const char *)a->at, *y = (const char *)b->at;
  size_t prefix = common_prefix(x, y, shorter);
  size_t suffix = common_suffix(x + a->count, y + b->count, shorter - prefix);
  *a = (letters){a->at + prefix, a->count - prefix - suffix};
  *b = (letters){b->at + prefix, b->count - prefix - suffix};
  return prefix + suffix;
}

static bool is_later_byte(char byte) { return ((unsigned char)byte & 0xc0) == 0x80; }

/* The same for texts in UTF-8, which are cut between code points. */
static void trim_common_text(ee_str *a, ee_str *b) {
  size_t shorter = a->length < b->length ? a->length : b->length;
  if (shorter == 0) return;
  size_t prefix = common_prefix(a->data, b->data, shorter);
  while (prefix > 0 && ((prefix < a->length && is_later_byte(a->data[prefix])) ||
                        (prefix < b->length && is_later_byte(b->data[prefix]))))
    prefix--;
  size_t suffix = common_suffix(a->data + a->length, b->data + b->length, shorter - prefix);
  while (suffix > 0 && is_later_byte(a->data[a->length - suffix])) suffix--;
  *a = (ee_str){a->data + prefix, a->length - prefix - suffix};
  *b = (ee_str){b->data + prefix, b->length - prefix - suffix};
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

/* Bit i is set where at[i] is `byte`, for i < 16 * parts; `parts` is 1, 2 or 4, a constant in each loop. To compare
 * with all places costs less than to fill a table for a short text. */
static inline uint64_t positions(const unsigned char *at, unsigned char byte, int parts) {
  uint64_t result = 0;
#ifdef HAVE_SSE2
  const __m128i all = _mm_set1_epi8((char)byte);
  for (int i = 0; i < parts; i++) {
    const __m128i part = _mm_loadu_si128((const __m128i *)(const void *)(at + 16 * i));
    result |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(part, all)) << (16 * i);
  }
#else
  const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f), all = byte * UINT64_C(0x0101010101010101);
  for (int i = 0; i < 2 * parts; i++) {
    uint64_t differs = load_word((const char *)at + 8 * i) ^ all;
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    differs = __builtin_bswap64(differs);
#endif
    /* The first bit of each byte that is 0, then these eight bits side by side. */
    uint64_t equal = ~(((differs & low) + low) | differs | low) >> 7;
    result |= (equal * UINT64_C(0x0102040810204080) >> 56) << (8 * i);
  }
#endif
  return result;
}

/* A pattern of 1..64 bytes. With SSE2 it is in registers: the first bytes in the first half of the parts, the last
 * ones, which may overlap them, in the second half, as far behind as `behind` says. */
typedef struct short_pattern {
#ifdef HAVE_SSE2
  __m128i part[4];
  unsigned behind;
#else
  unsigned char at[64];
#endif
} short_pattern;

#ifdef HAVE_SSE2
static inline uint64_t matches_of(__m128i part, __m128i all) {
  return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(part, all));
}
#endif

/* `parts` is 1, 2 or 4 for up to 16, 32 or 64 bytes, and more than for half of them. */
static inline short_pattern short_pattern_of(letters text, int parts) {
  short_pattern pattern;
  memset(&pattern, 0, sizeof pattern);
#ifdef HAVE_SSE2
  if (parts == 1) {
    pattern.part[0] = load_few(text.at, text.count);
    return pattern;
  }
  for (int i = 0; i < parts; i++) {
    size_t from = i < parts / 2 ? 16 * (size_t)i : text.count - 16 * (size_t)(parts - i);
    pattern.part[i] = _mm_loadu_si128((const __m128i *)(const void *)(text.at + from));
  }
  pattern.behind = (unsigned)text.count - 8 * (unsigned)parts;
#else
  (void)parts;
  memcpy(pattern.at, text.at, text.count);
#endif
  return pattern;
}

/* positions() in a short pattern. Bits past its end are undefined. */
static inline uint64_t short_positions(const short_pattern *pattern, unsigned char byte, int parts) {
#ifdef HAVE_SSE2
  const __m128i all = _mm_set1_epi8((char)byte);
  uint64_t first = matches_of(pattern->part[0], all);
  if (parts == 1) return first;
  uint64_t second = matches_of(pattern->part[1], all);
  if (parts == 2) return first | second << pattern->behind;
  uint64_t third = matches_of(pattern->part[2], all), fourth = matches_of(pattern->part[3], all);
  return first | second << 16 | (third | fourth << 16) << pattern->behind;
#else
  return positions(pattern->at, byte, parts);
#endif
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

static void block_map_init(block_map *map, symbols pattern, ee_arena *scratch) {
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
  uint64_t all = low_bits(rows);
  return columns + popcount(c.up & all) - popcount(~c.not_down & all);
}

/* `text` has at most 16 * parts bytes as a pattern. */
static inline size_t short_distance(letters pattern, letters text, int parts) {
  const short_pattern map = short_pattern_of(pattern, parts);
  column c = FIRST_COLUMN;
  for (size_t j = 0; j < text.count; j++) c = next_column(c, short_positions(&map, text.at[j], parts));
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
static inline size_t band_distance(unsigned char *pattern, size_t count, letters text, size_t limit, int parts,
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
    uint64_t diagonal = diagonal_of(c, positions(window + j, text.at[j], parts) & (uint64_t)exists);
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
static size_t banded(letters longer, letters shorter, size_t limit, guess *guessed, ee_arena *scratch) {
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
  letters bytes;        /* of code points: at is NULL */
  uint64_t *rows[256];  /* of bytes: by byte; `none` for those that the pattern lacks */
  uint64_t *none;       /* of bytes: zeros */
  size_t filled;        /* of bytes: places */
  block_map map;        /* of code points */
  uint64_t *other_row;  /* of code points: a copy, since the map shows one row at a time */
  size_t count, blocks; /* places, words of a row */
} long_pattern;

static void start_bytes(long_pattern *pattern, letters text, ee_arena *scratch) {
  pattern->bytes = text;
  pattern->count = text.count;
  pattern->blocks = (text.count + 63) / 64;
  pattern->filled = 0;
  pattern->none = EE_NEW_ARRAY(scratch, uint64_t, pattern->blocks);
  for (size_t i = 0; i < 256; i++) pattern->rows[i] = pattern->none;
}

static void start_symbols(long_pattern *pattern, symbols text, ee_arena *scratch) {
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

/* The blocks of a column that are computed, `first` to `last`, and the value of the last row of the last of them, which
 * may be below the pattern's. */
typedef struct block_band {
  block *blocks;
  size_t first, last, value;
} block_band;

/* What the rows `from`.. of a block add to the value above them; wraps where they are less. */
static inline size_t rise(block b, size_t from) {
  uint64_t rows = ~low_bits(from);
  return popcount(b.up & rows) - popcount(b.down & rows);
}

/* Leaves out blocks of which, after `columns` columns, no cell is on a path of cost `limit` or less, `excess` being the
 * last cell's diagonal: to get there from another diagonal takes at least as many edits as they are apart. False if
 * there is no such path. */
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
    while (band.last + 1 < count && band.value + apart(64 * (band.last + 1), j + excess) <= limit + 4) {
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

static size_t distance_of_symbols(symbols a, symbols b, size_t limit, ee_arena *scratch) {
  trim_common_symbols(&a, &b);
  symbols longer = a.count >= b.count ? a : b, shorter = a.count >= b.count ? b : a;
  if (longer.count - shorter.count > limit) return limit + 1;
  if (shorter.count == 0) return longer.count;
  long_pattern pattern;
  start_symbols(&pattern, longer, scratch);
  const long_text text = {NULL, shorter.at, shorter.count};
  return long_distance(&pattern, &text, limit < longer.count ? limit : longer.count, 0, scratch);
}

/* True if the lengths alone decide. */
static bool lengths_exceed(ee_str a, ee_str b, size_t limit) {
  if (limit >= a.length && limit >= b.length) return false;
  return apart(ee_utf8_count(a.data, a.length), ee_utf8_count(b.data, b.length)) > limit;
}

static size_t distance_of_bytes(letters longer, letters shorter, size_t limit, ee_arena *scratch) {
  guess guessed = {.is_wanted = false};
  if (longer.count - shorter.count > limit) return limit + 1;
  if (shorter.count == 0) return longer.count;
  if (limit == 0) return 1;
  if (longer.count > 64) ee_work(longer.count);
  if (limit <= BAND_LIMIT && limit < longer.count) return banded(longer, shorter, limit, &guessed, scratch);
  /* The longer text is the pattern, because the time is proportional to the length of the other. */
  letters pattern = longer.count <= 64 ? longer : shorter, text = longer.count <= 64 ? shorter : longer;
  if (pattern.count <= 16) return short_distance(pattern, text, 1);
  if (pattern.count <= 32) return short_distance(pattern, text, 2);
  if (pattern.count <= 64) return short_distance(pattern, text, 4);
  guessed.is_wanted = true;
  if (longer.count - shorter.count <= BAND_LIMIT) {
    size_t distance = banded(longer, shorter, BAND_LIMIT, &guessed, scratch);
    if (distance <= BAND_LIMIT) return distance;
  }
  long_pattern rows;
  start_bytes(&rows, longer, scratch);
  const long_text other = {shorter.at, NULL, shorter.count};
  return long_distance(&rows, &other, limit < longer.count ? limit : longer.count, guessed.distance, scratch);
}

size_t ee_levenshtein(ee_str a, ee_str b, size_t limit, ee_arena *scratch) {
  trim_common_text(&a, &b);
  const bool is_ascii = is_short_ascii(a) && is_short_ascii(b);
  if (!is_ascii && lengths_exceed(a, b, limit)) return limit + 1;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  letters x, y;
  size_t distance;
  if (narrow_pair(a, b, is_ascii, &x, &y, scratch))
    distance = distance_of_bytes(x.count >= y.count ? x : y, x.count >= y.count ? y : x, limit, scratch);
  else
    distance = distance_of_symbols(symbols_of(a, scratch), symbols_of(b, scratch), limit, scratch);
  ee_arena_rewind(scratch, mark);
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

/* `pattern` has 1..16 * parts bytes. */
static inline size_t short_lcs(letters pattern, letters text, int parts) {
  const short_pattern map = short_pattern_of(pattern, parts);
  uint64_t open = ~UINT64_C(0);
  for (size_t j = 0; j < text.count; j++) {
    uint64_t hit = open & short_positions(&map, text.at[j], parts);
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
  return shorter.count == 0 ? common : common + long_lcs(longer, shorter, scratch);
}

static size_t lcs_of_bytes(letters a, letters b, ee_arena *scratch) {
  size_t common = trim_common_bytes(&a, &b);
  letters longer = a.count >= b.count ? a : b, shorter = a.count >= b.count ? b : a;
  if (shorter.count == 0) return common;
  if (longer.count > 64) ee_work(longer.count);
  letters pattern = longer.count <= 64 ? longer : shorter, text = longer.count <= 64 ? shorter : longer;
  if (pattern.count <= 16) return common + short_lcs(pattern, text, 1);
  if (pattern.count <= 32) return common + short_lcs(pattern, text, 2);
  if (pattern.count <= 64) return common + short_lcs(pattern, text, 4);
  return common + long_lcs(widen(longer, scratch), widen(shorter, scratch), scratch);
}

/* The length of the longest common subsequence; `*total` gets the sum of both lengths. In code points. */
static size_t lcs_of(ee_str a, ee_str b, ee_arena *scratch, size_t *total) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  letters x, y;
  size_t common;
  if (narrow_pair(a, b, is_short_ascii(a) && is_short_ascii(b), &x, &y, scratch)) {
    *total = x.count + y.count;
    common = lcs_of_bytes(x, y, scratch);
  } else {
    symbols p = symbols_of(a, scratch), q = symbols_of(b, scratch);
    *total = p.count + q.count;
    common = lcs_of_symbols(p, q, scratch);
  }
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

/* Both texts have 1..64 bytes, `b` at most 16 * parts; the first `prefix` are the same, and match one another. */
static inline double short_jaro(letters a, letters b, size_t prefix, int parts) {
  const short_pattern map = short_pattern_of(b, parts);
  const size_t window = window_of(a.count, b.count);
  const uint64_t all = low_bits(b.count);
  const uint64_t start = low_bits(prefix);
  uint64_t in_a = start, in_b = start, bit = start + 1;
  /* The window of symbol i: its width grows until it leaves the first place. */
  uint64_t near = prefix < window ? low_bits(prefix + window + 1) : low_bits(2 * window + 1) << (prefix - window);
  for (size_t i = prefix; i < a.count; i++, bit <<= 1) {
    uint64_t free_places = short_positions(&map, a.at[i], parts) & near & all & ~in_b;
    near = near << 1 | (i < window);
    /* Without a branch, which would be mispredicted half of the time. */
    in_b |= free_places & (~free_places + 1);
    in_a |= free_places != 0 ? bit : 0;
  }
  size_t matches = popcount(in_a), crossed = 0;
  for (in_a &= ~start, in_b &= ~start; in_a != 0; in_a &= in_a - 1, in_b &= in_b - 1) {
    crossed += a.at[__builtin_ctzll(in_a)] != b.at[__builtin_ctzll(in_b)];
  }
  return jaro_of(matches, crossed, a.count, b.count);
}

/* Texts of any length in linear time: of each symbol of `b` the places that are not matched are a list. A place that
 * has left the window of one symbol of `a` is outside all later windows, so each list is only read at its front. */
static double long_jaro(letters a, letters b, ee_arena *scratch) {
  ee_work(SYMBOL_WORK * (uint64_t)(a.count + b.count));
  size_t window = window_of(a.count, b.count), matches = 0, crossed = 0;
  size_t first[256] = {0}; /* place + 1; 0: none left */
  size_t *following = ee_arena_alloc(scratch, b.count * sizeof *following);
  for (size_t i = b.count; i-- > 0;) {
    following[i] = first[b.at[i]];
    first[b.at[i]] = i + 1;
  }
  unsigned char *matched = ee_arena_alloc(scratch, a.count);
  bool *in_b = EE_NEW_ARRAY(scratch, bool, b.count);
  for (size_t i = 0; i < a.count; i++) {
    size_t place = first[a.at[i]];
    while (place != 0 && place - 1 + window < i) place = following[place - 1];
    bool near = place != 0 && place - 1 <= i + window;
    if (near) {
      in_b[place - 1] = true;
      place = following[place - 1];
      matched[matches++] = a.at[i];
    }
    first[a.at[i]] = place;
  }
  for (size_t i = 0, j = 0; i < matches; i++, j++) {
    while (!in_b[j]) j++;
    if (matched[i] != b.at[j]) crossed++;
  }
  return jaro_of(matches, crossed, a.count, b.count);
}

static double jaro_of_bytes(letters a, letters b, size_t prefix, ee_arena *scratch) {
  if (a.count > 64 || b.count > 64) return long_jaro(a, b, scratch);
  if (prefix == a.count && prefix == b.count) return 1;
  if (b.count <= 16) return short_jaro(a, b, prefix, 1);
  return b.count <= 32 ? short_jaro(a, b, prefix, 2) : short_jaro(a, b, prefix, 4);
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

/* long_jaro() of code points. */
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

/* Jaro's similarity; `*prefix` gets the number of common first code points, at most 4. */
static double jaro_with_prefix(ee_str a, ee_str b, size_t *prefix, ee_arena *scratch) {
  *prefix = 0;
  if (a.length == 0 || b.length == 0) return a.length == b.length ? 1 : 0;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  letters x, y;
  double result;
  if (narrow_pair(a, b, is_short_ascii(a) && is_short_ascii(b), &x, &y, scratch)) {
    size_t same = common_prefix((const char *)x.at, (const char *)y.at, x.count < y.count ? x.count : y.count);
    *prefix = same < 4 ? same : 4;
    result = jaro_of_bytes(x, y, same, scratch);
  } else {
    *prefix = ee_winkler_prefix(a, b);
    result = symbol_jaro(symbols_of(a, scratch), symbols_of(b, scratch), scratch);
  }
  ee_arena_rewind(scratch, mark);
  return result;
}

double ee_jaro(ee_str a, ee_str b, ee_arena *scratch) {
  size_t prefix;
  return jaro_with_prefix(a, b, &prefix, scratch);
}

size_t ee_winkler_prefix(ee_str a, ee_str b) {
  size_t shorter = a.length < b.length ? a.length : b.length, at = 0, count = 0;
  while (count < 4 && at < shorter) {
    uint32_t x, y;
    size_t length = ee_utf8_decode(a.data + at, a.length - at, &x);
    if (length == 0 || ee_utf8_decode(b.data + at, b.length - at, &y) != length || x != y) break;
    at += length;
    count++;
  }
  return count;
}

double ee_jaro_winkler(ee_str a, ee_str b, ee_arena *scratch) {
  size_t prefix;
  double jaro = jaro_with_prefix(a, b, &prefix, scratch);
  return jaro + (double)prefix * 0.1 * (1 - jaro);
}
