/* jaro.c: the similarities of Jaro and Winkler. Declared in edit.h.
 *
 * W. Winkler, String comparator metrics and enhanced decision rules in the Fellegi-Sunter model of record linkage,
 * 1990. */
#include <stdint.h>

#include "prim/edit.h"
#include "prim/edit_map.h"

/* Two equal symbols match when they stand at most this far apart. */
static size_t window_of(size_t a_count, size_t b_count) {
  size_t longer = a_count > b_count ? a_count : b_count;
  return longer >= 4 ? longer / 2 - 1 : 0;
}

/* `crossed` matched symbols differ from the one that is matched in their place; half of them, rounded down, are the
 * transpositions. */
static double jaro_of(size_t matches, size_t crossed, size_t a_count, size_t b_count) {
  if (matches == 0) return a_count == 0 && b_count == 0 ? 1 : 0;
  double m = (double)matches, transpositions = (double)(crossed / 2);
  return (m / (double)a_count + m / (double)b_count + (m - transpositions) / m) / 3;
}

/* Both texts are ASCII of 1..64 bytes, `b` of more than 32 when `wide`. */
static inline double byte_jaro(ee_str a, ee_str b, bool wide) {
  ee_byte_map map;
  ee_byte_map_fill(&map, b, a);
  const uint64_t all = ee_low_bits(b.length);
  size_t window = window_of(a.length, b.length);
  uint64_t in_a = 0, in_b = 0;
  for (size_t i = 0; i < a.length; i++) {
    uint64_t near = ee_low_bits(i + window + 1) & all;
    if (i > window) near &= ~ee_low_bits(i - window);
    uint64_t free_places = ee_byte_map_get(&map, a.data[i], wide) & near & ~in_b;
    /* Without a branch, which would be guessed wrong half of the time. */
    in_b |= free_places & (~free_places + 1);
    in_a |= (uint64_t)(free_places != 0) << i;
  }
  size_t matches = ee_popcount(in_a), crossed = 0;
  for (; in_a != 0; in_a &= in_a - 1, in_b &= in_b - 1) {
    crossed += a.data[__builtin_ctzll(in_a)] != b.data[__builtin_ctzll(in_b)];
  }
  return jaro_of(matches, crossed, a.length, b.length);
}

/* The places of each symbol in ascending order, from which they are taken one by one. */
typedef struct queue {
  uint32_t symbol;
  size_t next; /* place + 1, 0 when none is left */
} queue;

typedef struct queues {
  queue *slots;
  size_t slot_mask;
  size_t *following; /* by place: the symbol's next place + 1 */
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

/* Texts of any length in linear time: a place that fell out of the window of one symbol of `a` is out of every later
 * one, so that each queue is only ever taken from at its front. */
static double symbol_jaro(ee_symbols a, ee_symbols b, ee_arena *scratch) {
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
  if (a.length <= 64 && b.length <= 64 && ee_is_short_ascii(a) && ee_is_short_ascii(b)) {
    return b.length <= 32 ? byte_jaro(a, b, false) : byte_jaro(a, b, true);
  }
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  double result = symbol_jaro(ee_symbols_of(a, scratch), ee_symbols_of(b, scratch), scratch);
  ee_arena_rewind(scratch, mark);
  return result;
}

/* The number of common first code points, at most 4. */
static size_t common_prefix(ee_str a, ee_str b) {
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
  return jaro + (double)common_prefix(a, b) * 0.1 * (1 - jaro);
}
