/* worst_cases.c: a short sorted list of the worst cases.
 *
 * A case that leaves the list passes the memory of its id on to the next case. */
#include "run/worst_cases.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"

#define FIRST_CAPACITY 16
#define ID_STEP 32
/* The memory of longer ids, which are rare, is freed on clear. */
#define ID_BYTES_KEPT 1024

void ee_worst_cases_init(ee_worst_cases *worst) { *worst = (ee_worst_cases){0}; }

void ee_worst_cases_fini(ee_worst_cases *worst) {
  for (size_t i = 0; i < worst->capacity; i++) ee_free(worst->cases[i].id_memory);
  ee_free(worst->cases);
  *worst = (ee_worst_cases){0};
}

void ee_worst_cases_clear(ee_worst_cases *worst) {
  for (size_t i = 0; i < worst->count; i++) {
    ee_ranked_case *ranked = &worst->cases[i];
    if (ranked->id_capacity <= ID_BYTES_KEPT) continue;
    ee_free(ranked->id_memory);
    *ranked = (ee_ranked_case){0};
  }
  worst->count = 0;
}

/* Makes room for `count` cases; places that are not in use are empty except for memory of an id. */
static void reserve(ee_worst_cases *worst, size_t count) {
  if (count <= worst->capacity) return;
  size_t capacity = worst->capacity > 0 ? worst->capacity * 2 : FIRST_CAPACITY;
  while (capacity < count) capacity *= 2;
  if (capacity > EE_WORST_CASES_LIMIT) capacity = EE_WORST_CASES_LIMIT;
  worst->cases = ee_realloc(worst->cases, capacity, sizeof *worst->cases);
  memset(worst->cases + worst->capacity, 0, (capacity - worst->capacity) * sizeof *worst->cases);
  worst->capacity = capacity;
}

static void set_id(ee_ranked_case *ranked, ee_str id) {
  if (id.length > ranked->id_capacity || ranked->id_memory == NULL) {
    ranked->id_capacity = id.length + ID_STEP - id.length % ID_STEP;
    ranked->id_memory = ee_realloc(ranked->id_memory, ranked->id_capacity, 1);
  }
  if (id.length > 0) memcpy(ranked->id_memory, id.data, id.length);
  ranked->id = (ee_str){ranked->id_memory, id.length};
}

/* Whether a case with this score and id comes before `ranked`. */
static bool is_worse(double score, ee_str id, const ee_ranked_case *ranked) {
  return score != ranked->score ? score < ranked->score : ee_str_compare(id, ranked->id) < 0;
}

static size_t place_of(const ee_worst_cases *worst, double score, ee_str id) {
  size_t low = 0, high = worst->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (is_worse(score, id, &worst->cases[middle]))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

void ee_worst_cases_add(ee_worst_cases *worst, ee_str id, double score, const double *metrics, size_t count) {
  bool full = worst->count == EE_WORST_CASES_LIMIT;
  if (full && !is_worse(score, id, &worst->cases[EE_WORST_CASES_LIMIT - 1])) return;
  size_t place = place_of(worst, score, id);
  if (!full) reserve(worst, ++worst->count);
  /* The case that leaves the list, or the unused place after it, lends its memory. */
  ee_ranked_case added = worst->cases[worst->count - 1];
  memmove(&worst->cases[place + 1], &worst->cases[place], (worst->count - 1 - place) * sizeof *worst->cases);
  set_id(&added, id);
  added.score = score;
  memset(added.case_metrics, 0, sizeof added.case_metrics);
  if (count > 0) memcpy(added.case_metrics, metrics, count * sizeof *metrics);
  worst->cases[place] = added;
}

static void copy_case(ee_ranked_case *to, const ee_ranked_case *from) {
  set_id(to, from->id);
  to->score = from->score;
  memcpy(to->case_metrics, from->case_metrics, sizeof to->case_metrics);
}

static void swap_cases(ee_ranked_case *a, ee_ranked_case *b) {
  ee_ranked_case other = *a;
  *a = *b;
  *b = other;
}

void ee_worst_cases_merge(ee_worst_cases *worst, const ee_worst_cases *other) {
  size_t own = 0, others = 0;
  while (own + others < EE_WORST_CASES_LIMIT && (own < worst->count || others < other->count)) {
    const ee_ranked_case *next = &other->cases[others];
    if (others == other->count || (own < worst->count && !is_worse(next->score, next->id, &worst->cases[own])))
      own++;
    else
      others++;
  }
  if (others == 0) return;
  /* From the end: the places after the last own case that has not been moved yet are free. */
  size_t to = own + others;
  reserve(worst, to);
  worst->count = to;
  while (others > 0) {
    to--;
    const ee_ranked_case *last = &other->cases[others - 1];
    if (own > 0 && is_worse(last->score, last->id, &worst->cases[own - 1]))
      swap_cases(&worst->cases[to], &worst->cases[--own]);
    else
      copy_case(&worst->cases[to], &other->cases[--others]);
  }
}

EE_STATE_COVERS(ee_ranked_case, 40 + 8 * EE_CASE_METRIC_LIMIT);

static void case_state(ee_state_line *line, ee_ranked_case *ranked, size_t count, ee_arena *arena) {
  ee_state_text(line, arena, &ranked->id);
  ee_state_real(line, &ranked->score);
  for (size_t i = 0; i < count; i++) ee_state_real(line, &ranked->case_metrics[i]);
  for (size_t i = 0; i < count; i++)
    if (!isfinite(ranked->case_metrics[i])) ee_state_fail(line);
  if (ranked->id.data == NULL || !isfinite(ranked->score)) ee_state_fail(line);
}

void ee_worst_cases_state(ee_state_line *line, ee_worst_cases *worst, size_t count) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_state_begin_packed(line);
  size_t cases = ee_state_items(line, worst->count);
  if (cases > EE_WORST_CASES_LIMIT) ee_state_fail(line);
  for (size_t i = 0; ee_state_goes_on(line, i, cases); i++) {
    ee_ranked_case ranked = {0};
    if (!ee_state_reading(line)) ranked = worst->cases[i];
    case_state(line, &ranked, count, &arena);
    if (ee_state_reading(line) && !ee_state_failed(line))
      ee_worst_cases_add(worst, ranked.id, ranked.score, ranked.case_metrics, count);
  }
  ee_state_end(line);
  ee_state_end_packed(line);
  ee_arena_fini(&arena);
}
