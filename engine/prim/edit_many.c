/* edit_many.c: the edit distances of each of some texts from each of some others. */
#include "prim/edit_many.h"

#include "prim/edit.h"
#include "prim/narrow.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_AVX2_LANES 1
#endif

/* Prepared texts ---------------------------------------------------------------------------------- */

/* Code points by the last byte of each. */
static void count_text(ee_str text, uint8_t *counts) {
  for (size_t i = 0; i < text.length; i++) {
    bool is_last = i + 1 == text.length || ((unsigned char)text.data[i + 1] & 0xc0) != 0x80;
    uint8_t *count = &counts[(unsigned char)text.data[i] & 63];
    *count = (uint8_t)(*count + (is_last && *count < 255));
  }
}

void ee_edit_text_init(ee_edit_text *prepared, ee_str text, ee_arena *arena) {
  ee_letters letters;
  prepared->text = text;
  memset(prepared->counts, 0, sizeof prepared->counts);
  if (ee_narrow(text, &prepared->page, &letters, arena)) {
    prepared->letters = letters.at;
    prepared->length = letters.count;
  } else {
    prepared->letters = NULL;
    prepared->length = ee_utf8_count(text.data, text.length);
  }
  prepared->present = 0;
  if (prepared->letters == NULL || prepared->length > 255) {
    count_text(text, prepared->counts);
    for (unsigned i = 0; i < 64; i++) prepared->present |= (uint64_t)(prepared->counts[i] != 0) << i;
    return;
  }
  for (size_t i = 0; i < prepared->length; i++) {
    unsigned bits = letters.at[i] & 63;
    prepared->counts[bits]++;
    prepared->present |= UINT64_C(1) << bits;
  }
}

/* What `counts` have more than `most`, or less than `least`: the larger sum. */
static inline size_t count_bound(const uint8_t *counts, const uint8_t *least, const uint8_t *most) {
#ifdef HAVE_SSE2
  __m128i more = _mm_setzero_si128(), less = more;
  for (int i = 0; i < 64; i += 16) {
    const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(counts + i));
    const __m128i low = _mm_loadu_si128((const __m128i *)(const void *)(least + i));
    const __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(most + i));
    more = _mm_add_epi64(more, _mm_sad_epu8(_mm_subs_epu8(x, high), _mm_setzero_si128()));
    less = _mm_add_epi64(less, _mm_sad_epu8(_mm_subs_epu8(low, x), _mm_setzero_si128()));
  }
  more = _mm_add_epi64(more, _mm_srli_si128(more, 8));
  less = _mm_add_epi64(less, _mm_srli_si128(less, 8));
  const size_t p = (size_t)_mm_cvtsi128_si32(more), q = (size_t)_mm_cvtsi128_si32(less);
#else
  size_t p = 0, q = 0;
  for (int i = 0; i < 64; i++) {
    p += counts[i] > most[i] ? counts[i] - most[i] : 0;
    q += counts[i] < least[i] ? least[i] - counts[i] : 0;
  }
#endif
  return p > q ? p : q;
}

/* ee_popcount(), by an instruction where the caller's target has one. */
static inline __attribute__((always_inline)) size_t bit_count(uint64_t bits, bool has_instruction) {
  return has_instruction ? (size_t)__builtin_popcountll(bits) : ee_popcount(bits);
}

/* True if lengths and counts show that the distance from a text of `length` and `present` is above `limit`. */
static inline __attribute__((always_inline)) bool is_beyond(const ee_edit_text *a, const ee_edit_text *b, size_t length,
                                                            uint64_t present, size_t limit, bool has_popcount) {
  if (limit >= a->length && limit >= length) return false;
  if (ee_apart(a->length, length) > limit) return true;
  /* The counts less exactly, but from fewer bytes. */
  if (bit_count(a->present & ~present, has_popcount) > limit) return true;
  if (bit_count(present & ~a->present, has_popcount) > limit) return true;
  return count_bound(a->counts, b->counts, b->counts) > limit;
}

/* The distance of two texts for which it is not known that it is above `limit`. */
static size_t open_distance(const ee_edit_text *a, const ee_edit_text *b, size_t limit, ee_arena *scratch) {
  if (a->letters == NULL || b->letters == NULL || (a->page != b->page && a->page != 0 && b->page != 0))
    return ee_levenshtein(a->text, b->text, limit, scratch);
  return ee_letters_distance((ee_letters){a->letters, a->length}, (ee_letters){b->letters, b->length}, limit, scratch);
}

size_t ee_edit_distance(const ee_edit_text *a, const ee_edit_text *b, size_t limit, ee_arena *scratch) {
  return is_beyond(a, b, b->length, b->present, limit, false) ? limit + 1 : open_distance(a, b, limit, scratch);
}

void ee_edit_bounds_init(ee_edit_bounds *bounds, const ee_edit_text *const *texts, size_t count) {
  *bounds = (ee_edit_bounds){.shortest = SIZE_MAX, .present_in_all = ~UINT64_C(0)};
  memset(bounds->least, 0xff, sizeof bounds->least);
  for (size_t i = 0; i < count; i++) {
    const ee_edit_text *text = texts[i];
    if (text->length < bounds->shortest) bounds->shortest = text->length;
    if (text->length > bounds->longest) bounds->longest = text->length;
    bounds->present_in_any |= text->present;
    bounds->present_in_all &= text->present;
    for (size_t k = 0; k < 64; k++) {
      const uint8_t least = bounds->least[k], most = bounds->most[k], letters = text->counts[k];
      bounds->least[k] = letters < least ? letters : least;
      bounds->most[k] = letters > most ? letters : most;
    }
  }
}

bool ee_edit_is_beyond(const ee_edit_bounds *bounds, const ee_edit_text *text, size_t limit) {
  if (limit >= text->length && limit >= bounds->longest) return false;
  if (text->length > bounds->longest && text->length - bounds->longest > limit) return true;
  if (bounds->shortest > text->length && bounds->shortest - text->length > limit) return true;
  if (ee_popcount(text->present & ~bounds->present_in_any) > limit) return true;
  if (ee_popcount(bounds->present_in_all & ~text->present) > limit) return true;
  return count_bound(text->counts, bounds->least, bounds->most) > limit;
}

/* Lanes ------------------------------------------------------------------------------------------- */

/* H. Hyyro, K. Fredriksson, G. Navarro, Increased bit-parallelism for approximate and multiple string matching, J. of
 * Experimental Algorithmics 10, 2005: several patterns are in one vector. The formulas are those of edit.c. */

/* Bytes of a vector; the compiler makes of it what the processor has. */
#define VECTOR 32
/* Two vectors take turns, since each waits for its last result. */
#define STEP(word_size) ((size_t)(2 * VECTOR / (word_size)))

/* The length of the longest text, and the page of all; SIZE_MAX if they have none in common. */
static size_t fit_lanes(const ee_edit_text *const *texts, size_t count, unsigned char *page) {
  size_t longest = 0;
  *page = 0;
  for (size_t i = 0; i < count; i++) {
    if (texts[i]->letters == NULL) return SIZE_MAX;
    if (texts[i]->page != 0 && *page != 0 && texts[i]->page != *page) return SIZE_MAX;
    if (texts[i]->page != 0) *page = texts[i]->page;
    if (texts[i]->length > longest) longest = texts[i]->length;
  }
  return longest;
}

void ee_edit_batch_init(ee_edit_batch *batch, const ee_edit_text *const *texts, size_t count, ee_arena *arena) {
  const size_t longest = fit_lanes(texts, count, &batch->page);
  batch->texts = texts;
  batch->count = count;
  batch->word_size = longest <= 32 ? 4 : 8;
  batch->lanes = (count + STEP(batch->word_size) - 1) / STEP(batch->word_size) * STEP(batch->word_size);
  batch->masks = NULL;
  for (size_t i = 0; i < count; i++) {
    batch->lengths[i] = texts[i]->length;
    batch->present[i] = texts[i]->present;
  }
  if (longest > 64) return;
  memset(batch->row_of, 0, sizeof batch->row_of);
  uint32_t end = (uint32_t)batch->lanes; /* of the rows, after that of zeros */
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; k < texts[i]->length; k++) {
      uint32_t *row = &batch->row_of[texts[i]->letters[k]];
      if (*row != 0) continue;
      *row = end;
      end += (uint32_t)batch->lanes;
    }
  }
  batch->masks = ee_arena_calloc(arena, end, batch->word_size);
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; k < texts[i]->length; k++) {
      size_t at = batch->row_of[texts[i]->letters[k]] + i;
      if (batch->word_size == 4)
        ((uint32_t *)batch->masks)[at] |= UINT32_C(1) << k;
      else
        ((uint64_t *)batch->masks)[at] |= UINT64_C(1) << k;
    }
  }
}

/* next_column() of edit.c in all lanes of a vector. */
#define NEXT_COLUMNS(vector, up, not_down, row)                                                                        \
  do {                                                                                                                 \
    const vector equal = *(const vector *)(const void *)(row);                                                         \
    const vector diagonal = (((equal & (up)) + (up)) ^ (up)) | equal | ~(not_down);                                    \
    const vector not_right_up = ((not_down) & (diagonal | (up))) << 1, right_down = ((up)&diagonal) << 1;              \
    (up) = right_down | (not_right_up & ~diagonal);                                                                    \
    (not_down) = not_right_up | ~diagonal;                                                                             \
  } while (0)

/* The distances of the lanes of a vector, the first of them `from`. */
#define TAKE_DISTANCES(up, not_down, from)                                                                             \
  for (size_t i = 0; i < step / 2 && (from) + i < batch->count; i++) {                                                 \
    const uint64_t rows = ee_low_bits(batch->texts[(from) + i]->length);                                               \
    distances[(from) + i] = text->length + (size_t)__builtin_popcountll((up)[i] & rows) -                              \
                            (size_t)__builtin_popcountll(~(not_down)[i] & rows);                                       \
  }

/* Fills `distances` of all lanes, which are of type `word`. */
#define DEFINE_LANES(name, word)                                                                                       \
  typedef word name##_vector __attribute__((vector_size(VECTOR), aligned(sizeof(word))));                              \
  static inline __attribute__((always_inline)) void name(const ee_edit_batch *batch, const ee_edit_text *text,         \
                                                         size_t *distances) {                                          \
    const size_t step = STEP(sizeof(word));                                                                            \
    const name##_vector ones = ~(name##_vector){0};                                                                    \
    for (size_t lane = 0; lane < batch->lanes; lane += step) {                                                         \
      name##_vector up = ones, not_down = ones, other_up = ones, other_not_down = ones;                                \
      for (size_t j = 0; j < text->length; j++) {                                                                      \
        const word *row = (const word *)batch->masks + batch->row_of[text->letters[j]] + lane;                         \
        NEXT_COLUMNS(name##_vector, up, not_down, row);                                                                \
        NEXT_COLUMNS(name##_vector, other_up, other_not_down, row + step / 2);                                         \
      }                                                                                                                \
      TAKE_DISTANCES(up, not_down, lane)                                                                               \
      TAKE_DISTANCES(other_up, other_not_down, lane + step / 2)                                                        \
    }                                                                                                                  \
  }

DEFINE_LANES(short_lanes, uint32_t)
DEFINE_LANES(long_lanes, uint64_t)

static inline __attribute__((always_inline)) void compute_lanes(const ee_edit_batch *batch, const ee_edit_text *text,
                                                                size_t *distances) {
  if (batch->word_size == 4)
    short_lanes(batch, text, distances);
  else
    long_lanes(batch, text, distances);
}

/* With fewer open pairs than this each is computed alone, which a limit makes short. */
#define FEW_PAIRS 4

static inline __attribute__((always_inline)) void fill_distances(bool has_popcount, const ee_edit_batch *batch,
                                                                 const ee_edit_text *text, const size_t *limits,
                                                                 size_t *distances, ee_arena *scratch) {
  const bool fits = batch->masks != NULL && text->letters != NULL &&
                    (text->page == batch->page || text->page == 0 || batch->page == 0);
  if (limits == NULL && fits) {
    compute_lanes(batch, text, distances);
    return;
  }
  uint32_t open[EE_EDIT_BATCH];
  size_t open_count = 0;
  for (size_t i = 0; i < batch->count; i++) {
    if (limits != NULL &&
        is_beyond(text, batch->texts[i], batch->lengths[i], batch->present[i], limits[i], has_popcount))
      distances[i] = limits[i] + 1;
    else
      open[open_count++] = (uint32_t)i;
  }
  if (open_count <= FEW_PAIRS || !fits) {
    for (size_t k = 0; k < open_count; k++) {
      size_t i = open[k];
      distances[i] = open_distance(text, batch->texts[i], limits != NULL ? limits[i] : EE_NO_LIMIT, scratch);
    }
    return;
  }
  size_t all[EE_EDIT_BATCH];
  compute_lanes(batch, text, all);
  for (size_t k = 0; k < open_count; k++) {
    size_t i = open[k];
    distances[i] = all[i] > limits[i] ? limits[i] + 1 : all[i];
  }
}

#ifdef HAVE_AVX2_LANES
/* Its own target: the rest of the program runs on every processor. */
__attribute__((target("avx2,popcnt"))) static void avx2_distances(const ee_edit_batch *batch, const ee_edit_text *text,
                                                                  const size_t *limits, size_t *distances,
                                                                  ee_arena *scratch) {
  fill_distances(true, batch, text, limits, distances, scratch);
}
#endif

void ee_edit_batch_distances(const ee_edit_batch *batch, const ee_edit_text *text, const size_t *limits,
                             size_t *distances, ee_arena *scratch) {
#ifdef HAVE_AVX2_LANES
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")) { /* unreached: another processor */
    avx2_distances(batch, text, limits, distances, scratch);
    return;
  }
#endif
  ee_edit_batch_distances_portable(batch, text, limits, distances, scratch); /* unreached: another processor */
}

void ee_edit_batch_distances_portable(const ee_edit_batch *batch, const ee_edit_text *text, const size_t *limits,
                                      size_t *distances, ee_arena *scratch) {
  fill_distances(false, batch, text, limits, distances, scratch);
}
