/* collect.c: growing lists of findings. */
#include "judge/collect.h"

/* Room for one more item of `size` bytes; twice as much as before where the list is full. */
static void *grow(ee_arena *arena, void *items, size_t count, size_t *capacity, size_t size) {
  if (count < *capacity) return items;
  size_t wanted = *capacity < 4 ? 8 : *capacity * 2;
  void *larger = ee_arena_alloc(arena, wanted * size);
  if (count > 0) memcpy(larger, items, count * size);
  *capacity = wanted;
  return larger;
}

void ee_collect_start(ee_collector *collector, ee_arena *arena, size_t hits) {
  *collector = (ee_collector){.arena = arena, .hit_capacity = hits};
  if (hits > 0) collector->hits = ee_arena_alloc(arena, hits * sizeof *collector->hits);
}

void ee_collect_hit(ee_collector *collector, const ee_finding *finding) {
  collector->hits =
      grow(collector->arena, collector->hits, collector->hit_count, &collector->hit_capacity, sizeof *collector->hits);
  collector->hits[collector->hit_count++] = *finding;
}

static void add_miss(ee_collector *collector, const ee_finding *finding) {
  collector->misses = grow(collector->arena, collector->misses, collector->miss_count, &collector->miss_capacity,
                           sizeof *collector->misses);
  collector->misses[collector->miss_count++] = *finding;
}

void ee_collect_note(ee_collector *collector, ee_str place, ee_reason reason) {
  ee_finding finding = {.path = place, .row = EE_NO_ROW, .reason = reason};
  add_miss(collector, &finding);
}

void ee_collect_miss(ee_collector *collector, const ee_finding *finding, const ee_value *expected,
                     const ee_value *candidate, double score) {
  add_miss(collector, finding);
  collector->mismatches = grow(collector->arena, collector->mismatches, collector->mismatch_count,
                               &collector->mismatch_capacity, sizeof *collector->mismatches);
  collector->mismatches[collector->mismatch_count++] =
      (ee_mismatch){.finding = *finding, .expected = expected, .candidate = candidate, .score = score};
}

void ee_collect_no_candidate(ee_collector *collector, ee_candidate_state state) {
  ee_reason reason = state == EE_CANDIDATE_MISSING ? EE_REASON_OF("missing") : EE_REASON_OF("no JSON found");
  ee_collect_note(collector, EE_STR("candidate"), reason);
}

void ee_collect_finish(const ee_collector *collector, ee_judge_result *result) {
  result->hits = collector->hits;
  result->hit_count = collector->hit_count;
  result->misses = collector->misses;
  result->miss_count = collector->miss_count;
  result->mismatches = collector->mismatches;
  result->mismatch_count = collector->mismatch_count;
}

char *ee_collect_number(char *out, uint64_t value) {
  char digits[20];
  size_t count = 0;
  do {
    digits[count++] = (char)('0' + value % 10);
    value /= 10;
  } while (value != 0);
  while (count > 0) *out++ = digits[--count];
  return out;
}
