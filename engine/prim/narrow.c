/* narrow.c: texts as bytes, one for each code point. */
#include "prim/narrow.h"

#include "base/work.h"

#if defined HAVE_SSE2 && !defined EE_EDIT_NO_SSSE3 /* which a test defines */
#define HAVE_SSSE3
#include <tmmintrin.h> /* used on processors that have it */
#endif

/* The code point at `*at`, which moves on. Texts are valid UTF-8; should one not be, a bad byte counts as a symbol. */
static inline uint32_t next_symbol(ee_str text, size_t *at) {
  uint32_t symbol = (unsigned char)text.data[*at];
  size_t length = symbol < 0x80 ? 1 : ee_utf8_decode(text.data + *at, text.length - *at, &symbol);
  *at += length != 0 ? length : 1;
  return symbol;
}

ee_symbols ee_symbols_of(ee_str text, ee_arena *scratch) {
  ee_work(text.length);
  uint32_t *code_points = ee_arena_alloc(scratch, text.length * sizeof *code_points);
  size_t count = 0;
  for (size_t at = 0; at < text.length;) code_points[count++] = next_symbol(text, &at);
  return (ee_symbols){code_points, count};
}

/* Narrowing: most scripts with an alphabet have their letters in one page of 128 code points that begins at a multiple
 * of 128 (Greek, Cyrillic, Hebrew, Arabic, the accents of western Europe), whose UTF-8 has two bytes for each and one
 * pair of first bytes. Such a letter becomes 128 and its place in the page, which needs no table. */

/* What the first byte of a letter of a page is after its last bit is cleared; 0 when `text` has none. */
static unsigned char page_of(ee_str text) {
  size_t at = 0;
  if (text.length > 0 && (unsigned char)*text.data >= 0x80) return (unsigned char)*text.data & 0xfe;
  while (at + 8 <= text.length && (ee_load_word(text.data + at) & UINT64_C(0x8080808080808080)) == 0) at += 8;
  while (at < text.length && (unsigned char)text.data[at] < 0x80) at++;
  return at < text.length ? (unsigned char)text.data[at] & 0xfe : 0;
}

#ifdef HAVE_SSE2
/* Puts the bytes of `all` whose bit is set in `begins` side by side; returns how many they are. NARROW_ROOM bytes may
 * be written. */
typedef size_t put_function(__m128i all, unsigned begins, unsigned char *to);

/* Without branches: what does not begin a symbol is overwritten. */
static inline size_t put_each(__m128i all, unsigned begins, unsigned char *to) {
  unsigned char symbol[16];
  _mm_storeu_si128((__m128i *)(void *)symbol, all);
  size_t count = 0;
  for (unsigned i = 0; i < 16; i++) {
    to[count] = symbol[i];
    count += begins >> i & 1;
  }
  return count;
}

#ifdef HAVE_SSSE3
/* Of each set of eight places a word with the places, lowest first: a shuffle that puts these side by side. */
#define HAS(set, place) (((set) + UINT64_C(0)) >> (place)&1)
#define BELOW_4(set) (HAS(set, 0) + HAS(set, 1) + HAS(set, 2) + HAS(set, 3))
#define WORD_OF(set)                                                                                                   \
  (HAS(set, 1) * 1 << 8 * HAS(set, 0) | HAS(set, 2) * 2 << 8 * (HAS(set, 0) + HAS(set, 1)) |                           \
   HAS(set, 3) * 3 << 8 * (HAS(set, 0) + HAS(set, 1) + HAS(set, 2)) | HAS(set, 4) * 4 << 8 * BELOW_4(set) |            \
   HAS(set, 5) * 5 << 8 * (BELOW_4(set) + HAS(set, 4)) |                                                               \
   HAS(set, 6) * 6 << 8 * (BELOW_4(set) + HAS(set, 4) + HAS(set, 5)) |                                                 \
   HAS(set, 7) * 7 << 8 * (BELOW_4(set) + HAS(set, 4) + HAS(set, 5) + HAS(set, 6)))
#define WORDS_4(set) WORD_OF(set), WORD_OF(set + 1), WORD_OF(set + 2), WORD_OF(set + 3)
#define WORDS_16(set) WORDS_4(set), WORDS_4(set + 4), WORDS_4(set + 8), WORDS_4(set + 12)
#define WORDS_64(set) WORDS_16(set), WORDS_16(set + 16), WORDS_16(set + 32), WORDS_16(set + 48)
static const uint64_t places_of[256] = {WORDS_64(0), WORDS_64(64), WORDS_64(128), WORDS_64(192)};

__attribute__((target("ssse3"))) static inline size_t put_shuffled(__m128i all, unsigned begins, unsigned char *to) {
  const uint64_t first = places_of[begins & 0xff], second = places_of[begins >> 8] + UINT64_C(0x0808080808080808);
  const unsigned first_count = (unsigned)ee_popcount(begins & 0xff), shift = 4 * first_count; /* twice, up to 64 */
  const __m128i places = _mm_set_epi64x((long long)(second >> (32 - shift) >> (32 - shift)),
                                        (long long)(first | second << shift << shift));
  _mm_storeu_si128((__m128i *)(void *)to, _mm_shuffle_epi8(all, places));
  return first_count + ee_popcount(begins >> 8);
}
#endif

/* How many symbols begin in the bytes of `part` that are `valid` (a bit for each); they are put at `to`. `next` are the
 * bytes one further. `*pending` is 1 if the byte before was a first byte. `*strange` is not 0 if a byte is not of ASCII
 * and of the page. */
static inline __attribute__((always_inline)) size_t narrow_part(__m128i part, __m128i next, unsigned valid,
                                                                __m128i page, put_function *put, unsigned char *to,
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
  const __m128i all = _mm_or_si128(_mm_and_si128(is_high, place), _mm_andnot_si128(is_high, part));
  return put(all, ~second & valid, to);
}
#endif

/* Room after a narrowed text, for what is written and not counted. */
#define NARROW_ROOM 16

#ifdef HAVE_SSE2
static inline __attribute__((always_inline)) bool narrow_by(ee_str text, unsigned char page, put_function *put,
                                                            unsigned char *to, size_t *count) {
  size_t at = 0, symbol_count = 0;
  unsigned pending = 0, strange = 0;
  const __m128i pages = _mm_set1_epi8((char)page);
  for (; at + 17 <= text.length; at += 16) {
    const __m128i part = _mm_loadu_si128((const __m128i *)(const void *)(text.data + at));
    const __m128i next = _mm_loadu_si128((const __m128i *)(const void *)(text.data + at + 1));
    symbol_count += narrow_part(part, next, 0xffff, pages, put, to + symbol_count, &pending, &strange);
  }
  if (at < text.length) {
    const unsigned left = (unsigned)(text.length - at);
    __m128i part;
    unsigned valid = (1u << left) - 1;
    if (at > 0) {
      /* The last bytes, of which the first ones have been read: without a branch for each number of bytes. */
      part = _mm_loadu_si128((const __m128i *)(const void *)(text.data + text.length - 16));
      valid = valid << (16 - left);
      pending &= left >> 4;
    } else {
      part = ee_load_few((const unsigned char *)text.data, left);
    }
    symbol_count +=
        narrow_part(part, _mm_srli_si128(part, 1), valid, pages, put, to + symbol_count, &pending, &strange);
    pending = (unsigned char)text.data[text.length - 1] >= 0xc0;
  }
  *count = symbol_count;
  return (strange | pending) == 0;
}

#ifdef HAVE_SSSE3
__attribute__((target("ssse3"))) static bool narrow_ssse3(ee_str text, unsigned char page, unsigned char *to,
                                                          size_t *count) {
  return narrow_by(text, page, put_shuffled, to, count);
}
#endif

static bool narrow_sse2(ee_str text, unsigned char page, unsigned char *to, size_t *count) {
  return narrow_by(text, page, put_each, to, count);
}
#else
static bool narrow_bytes(ee_str text, unsigned char page, unsigned char *to, size_t *count) {
  size_t symbol_count = 0;
  bool strange = false;
  for (size_t at = 0; at < text.length; at++) {
    unsigned char byte = (unsigned char)text.data[at];
    if (byte >= 0x80) {
      strange |= (byte & 0xfe) != page;
      unsigned char second = at + 1 < text.length ? (unsigned char)text.data[++at] : 0;
      strange |= (second & 0xc0) != 0x80;
      byte = (unsigned char)(0x80 | (byte & 1) << 6 | (second & 63));
    }
    to[symbol_count++] = byte;
  }
  *count = symbol_count;
  return !strange;
}
#endif

/* `text` into `to`, which has room for its bytes and NARROW_ROOM more; false if it is not all of ASCII and `page`, or
 * there is no such page. */
static bool narrow(ee_str text, unsigned char page, unsigned char *to, size_t *count) {
  if (page < 0xc2 || page > 0xde) return false; /* longer letters, or none */
#ifdef HAVE_SSE2
#ifdef HAVE_SSSE3
  if (__builtin_cpu_supports("ssse3")) return narrow_ssse3(text, page, to, count); /* unreached: another processor */
#endif
  return narrow_sse2(text, page, to, count);
#else
  return narrow_bytes(text, page, to, count);
#endif
}

bool ee_narrow(ee_str text, unsigned char *page, ee_letters *letters, ee_arena *arena) {
  *letters = (ee_letters){(const unsigned char *)text.data, text.length};
  *page = 0;
  if (ee_is_short_ascii(text)) return true;
  unsigned char *to = ee_arena_alloc(arena, text.length + NARROW_ROOM);
  *page = page_of(text);
  letters->at = to;
  return narrow(text, *page, to, &letters->count);
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

bool ee_narrow_others(ee_str a, ee_str b, ee_letters *x, ee_letters *y, ee_arena *scratch) {
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
  if (a.length <= b.length) {
    if (!rename_symbols(&names, a, true, to_a, &x->count)) return false;
    rename_symbols(&names, b, false, to_b, &y->count);
  } else {
    if (!rename_symbols(&names, b, true, to_b, &y->count)) return false;
    rename_symbols(&names, a, false, to_a, &x->count);
  }
  return true;
}
