/* value_counts.c: counts of values in open addressing, at most half full. */
#include "run/value_counts.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

#define FIRST_CAPACITY 16

typedef struct ee_value_counts_slot tally_slot;

void ee_value_counts_init(ee_value_counts *tally) { *tally = (ee_value_counts){0}; }

void ee_value_counts_fini(ee_value_counts *tally) {
  free(tally->slots);
  *tally = (ee_value_counts){0};
}

void ee_value_counts_clear(ee_value_counts *tally) {
  if (tally->distinct > 0) memset(tally->slots, 0, tally->capacity * sizeof *tally->slots);
  tally->distinct = 0;
  tally->total = 0;
}

/* The slot of `value`, or the free one where it belongs. There is always a free one. */
static tally_slot *slot_of(tally_slot *slots, size_t capacity, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  size_t at = (size_t)ee_hash_mix(bits) & (capacity - 1);
  while (slots[at].count != 0 && slots[at].value != value) at = (at + 1) & (capacity - 1);
  return &slots[at];
}

static void grow(ee_value_counts *tally) {
  size_t capacity = tally->capacity > 0 ? tally->capacity * 2 : FIRST_CAPACITY;
  tally_slot *slots = ee_calloc(capacity, sizeof *slots);
  for (size_t i = 0; i < tally->capacity; i++)
    if (tally->slots[i].count != 0) *slot_of(slots, capacity, tally->slots[i].value) = tally->slots[i];
  free(tally->slots);
  tally->slots = slots;
  tally->capacity = capacity;
}

void ee_value_counts_add(ee_value_counts *tally, double value, uint64_t count) {
  if (count == 0) return;
  if (value == 0) value = 0; /* -0 has other bits */
  if ((tally->distinct + 1) * 2 > tally->capacity) grow(tally);
  tally_slot *slot = slot_of(tally->slots, tally->capacity, value);
  if (slot->count == 0) {
    slot->value = value;
    tally->distinct++;
  }
  slot->count += count;
  tally->total += count;
}

void ee_value_counts_merge(ee_value_counts *tally, const ee_value_counts *other) {
  if (other->distinct == 0) return;
  for (size_t i = 0; i < other->capacity; i++) ee_value_counts_add(tally, other->slots[i].value, other->slots[i].count);
}

/* Reading -------------------------------------------------------------------------------------- */

static int compare_slots(const void *left, const void *right) {
  double a = ((const tally_slot *)left)->value, b = ((const tally_slot *)right)->value;
  return (a > b) - (a < b);
}

/* The mean of two, also where their sum leaves the range of doubles. */
static double mean_of(double a, double b) {
  double sum = a + b;
  return isfinite(sum) ? sum / 2 : a / 2 + b / 2;
}

double ee_value_counts_median(const ee_value_counts *tally) {
  if (tally->total == 0) return 0;
  tally_slot *sorted = ee_calloc(tally->distinct, sizeof *sorted);
  size_t count = 0;
  for (size_t i = 0; i < tally->capacity; i++)
    if (tally->slots[i].count != 0) sorted[count++] = tally->slots[i];
  qsort(sorted, count, sizeof *sorted, compare_slots);
  /* Of the values in order, from 0: the last of the lower half, and the first of the upper one. */
  uint64_t lower = (tally->total - 1) / 2, upper = tally->total / 2, passed = 0;
  size_t at = 0;
  for (; passed + sorted[at].count <= lower; at++) passed += sorted[at].count;
  double low = sorted[at].value;
  for (; passed + sorted[at].count <= upper; at++) passed += sorted[at].count;
  double median = mean_of(low, sorted[at].value);
  free(sorted);
  return median;
}

double ee_value_counts_min(const ee_value_counts *tally) {
  double least = 0;
  bool any = false;
  for (size_t i = 0; i < tally->capacity; i++) {
    if (tally->slots[i].count == 0 || (any && tally->slots[i].value >= least)) continue;
    least = tally->slots[i].value;
    any = true;
  }
  return least;
}

double ee_value_counts_max(const ee_value_counts *tally) {
  double greatest = 0;
  bool any = false;
  for (size_t i = 0; i < tally->capacity; i++) {
    if (tally->slots[i].count == 0 || (any && tally->slots[i].value <= greatest)) continue;
    greatest = tally->slots[i].value;
    any = true;
  }
  return greatest;
}
