/* jaro.c: Jaro and Jaro-Winkler similarity. */
#include "base/work.h"
#include "prim/edit.h"
#include "prim/narrow.h"

/* Units of a symbol of a long text that is looked up in a table. */
#define SYMBOL_WORK 8

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
static inline double short_jaro(ee_letters a, ee_letters b, size_t prefix, int parts) {
  const ee_short_pattern map = ee_short_pattern_of(b, parts);
  const size_t window = window_of(a.count, b.count);
  const uint64_t all = ee_low_bits(b.count);
  const uint64_t start = ee_low_bits(prefix);
  uint64_t in_a = start, in_b = start, bit = start + 1;
  /* The window of symbol i: its width grows until it leaves the first place. */
  uint64_t near = prefix < window ? ee_low_bits(prefix + window + 1) : ee_low_bits(2 * window + 1) << (prefix - window);
  for (size_t i = prefix; i < a.count; i++, bit <<= 1) {
    uint64_t free_places = ee_short_positions(&map, a.at[i], parts) & near & all & ~in_b;
    near = near << 1 | (i < window);
    /* Without a branch, which would be mispredicted half of the time. */
    in_b |= free_places & (~free_places + 1);
    in_a |= free_places != 0 ? bit : 0;
  }
  size_t matches = ee_popcount(in_a), crossed = 0;
  for (in_a &= ~start, in_b &= ~start; in_a != 0; in_a &= in_a - 1, in_b &= in_b - 1) {
    crossed += a.at[__builtin_ctzll(in_a)] != b.at[__builtin_ctzll(in_b)];
  }
  return jaro_of(matches, crossed, a.count, b.count);
}

/* Texts of any length in linear time: of each symbol of `b` the places that are not matched are a list. A place that
 * has left the window of one symbol of `a` is outside all later windows, so each list is only read at its front. */
static double long_jaro(ee_letters a, ee_letters b, ee_arena *scratch) {
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

static double jaro_of_bytes(ee_letters a, ee_letters b, size_t prefix, ee_arena *scratch) {
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

static queues queues_of(ee_symbols text, ee_arena *scratch) {
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
static double symbol_jaro(ee_symbols a, ee_symbols b, ee_arena *scratch) {
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
  ee_letters x, y;
  double result;
  if (ee_narrow_pair(a, b, ee_is_short_ascii(a) && ee_is_short_ascii(b), &x, &y, scratch)) {
    size_t same = ee_common_prefix((const char *)x.at, (const char *)y.at, x.count < y.count ? x.count : y.count);
    *prefix = same < 4 ? same : 4;
    result = jaro_of_bytes(x, y, same, scratch);
  } else {
    *prefix = ee_winkler_prefix(a, b);
    result = symbol_jaro(ee_symbols_of(a, scratch), ee_symbols_of(b, scratch), scratch);
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
