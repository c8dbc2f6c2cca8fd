/* findings.c: growing lists of findings. */
#include "judge/findings.h"

/* Room for one more item of `size` bytes; twice as much as before where the list is full. */
static void *grow(ee_arena *arena, void *items, size_t count, size_t *capacity, size_t size) {
  if (count < *capacity) return items;
  size_t wanted = *capacity < 4 ? 8 : *capacity * 2;
  void *larger = ee_arena_alloc(arena, wanted * size);
  if (count > 0) memcpy(larger, items, count * size);
  *capacity = wanted;
  return larger;
}

void ee_findings_start(ee_findings *findings, ee_arena *arena, size_t hits) {
  *findings = (ee_findings){.arena = arena, .hit_capacity = hits};
  if (hits > 0) findings->hits = ee_arena_alloc(arena, hits * sizeof *findings->hits);
}

void ee_findings_hit(ee_findings *findings, const ee_finding *finding) {
  findings->hits =
      grow(findings->arena, findings->hits, findings->hit_count, &findings->hit_capacity, sizeof *findings->hits);
  findings->hits[findings->hit_count++] = *finding;
}

static void add_miss(ee_findings *findings, const ee_finding *finding) {
  findings->misses =
      grow(findings->arena, findings->misses, findings->miss_count, &findings->miss_capacity, sizeof *findings->misses);
  findings->misses[findings->miss_count++] = *finding;
}

void ee_findings_note(ee_findings *findings, ee_str place, ee_reason reason) {
  ee_finding finding = {.path = place, .row = EE_NO_ROW, .reason = reason};
  add_miss(findings, &finding);
}

void ee_findings_miss(ee_findings *findings, const ee_finding *finding, const ee_value *expected,
                      const ee_value *candidate, double score) {
  add_miss(findings, finding);
  findings->mismatches = grow(findings->arena, findings->mismatches, findings->mismatch_count,
                              &findings->mismatch_capacity, sizeof *findings->mismatches);
  findings->mismatches[findings->mismatch_count++] =
      (ee_mismatch){.finding = *finding, .expected = expected, .candidate = candidate, .score = score};
}

void ee_findings_no_candidate(ee_findings *findings, ee_candidate_state state) {
  ee_reason reason = state == EE_CANDIDATE_MISSING ? EE_REASON_OF("missing") : EE_REASON_OF("no JSON found");
  ee_findings_note(findings, EE_STR("candidate"), reason);
}

void ee_findings_finish(const ee_findings *findings, ee_judge_result *result) {
  result->hits = findings->hits;
  result->hit_count = findings->hit_count;
  result->misses = findings->misses;
  result->miss_count = findings->miss_count;
  result->mismatches = findings->mismatches;
  result->mismatch_count = findings->mismatch_count;
}

char *ee_findings_number(char *out, uint64_t value) {
  char digits[20];
  size_t count = 0;
  do {
    digits[count++] = (char)('0' + value % 10);
    value /= 10;
  } while (value != 0);
  while (count > 0) *out++ = digits[--count];
  return out;
}

ee_str ee_findings_text(ee_arena *arena, const char *format, const uint64_t *counts) {
  size_t room = 0;
  for (const char *at = format; *at != '\0'; at++) room += *at == '#' ? 20 : 1;
  char *text = ee_arena_alloc(arena, room), *out = text;
  for (; *format != '\0'; format++) {
    if (*format == '#')
      out = ee_findings_number(out, *counts++);
    else
      *out++ = *format;
  }
  return (ee_str){text, (size_t)(out - text)};
}
