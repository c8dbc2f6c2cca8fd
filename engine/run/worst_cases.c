/* worst_cases.c: a short sorted list of the worst cases.
 *
 * Memory of ids is kept in their places: what a case that leaves the list had, the next one that comes gets. */
#include "run/worst_cases.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define FIRST_CAPACITY 16
#define ID_STEP 32
/* Ids beyond this are rare, and their memory is given back on clear. */
#define ID_BYTES_KEPT 1024

void ee_worst_cases_init(ee_worst_cases *ranking) { *ranking = (ee_worst_cases){0}; }

void ee_worst_cases_fini(ee_worst_cases *ranking) {
  for (size_t i = 0; i < ranking->capacity; i++) free(ranking->cases[i].id_memory);
  free(ranking->cases);
  *ranking = (ee_worst_cases){0};
}

void ee_worst_cases_clear(ee_worst_cases *ranking) {
  for (size_t i = 0; i < ranking->count; i++) {
    ee_ranked_case *ranked = &ranking->cases[i];
    if (ranked->id_capacity <= ID_BYTES_KEPT) continue;
    free(ranked->id_memory);
    *ranked = (ee_ranked_case){0};
  }
  ranking->count = 0;
}

/* Makes room for `count` cases; the places behind those in use have nothing in them but perhaps memory for an id. */
static void reserve(ee_worst_cases *ranking, size_t count) {
  if (count <= ranking->capacity) return;
  size_t capacity = ranking->capacity > 0 ? ranking->capacity * 2 : FIRST_CAPACITY;
  while (capacity < count) capacity *= 2;
  if (capacity > EE_WORST_CASES_LIMIT) capacity = EE_WORST_CASES_LIMIT;
  ranking->cases = ee_realloc(ranking->cases, capacity, sizeof *ranking->cases);
  memset(ranking->cases + ranking->capacity, 0, (capacity - ranking->capacity) * sizeof *ranking->cases);
  ranking->capacity = capacity;
}

static void set_id(ee_ranked_case *ranked, ee_str id) {
  if (id.length > ranked->id_capacity || ranked->id_memory == NULL) {
    ranked->id_capacity = id.length + ID_STEP - id.length % ID_STEP;
    ranked->id_memory = ee_realloc(ranked->id_memory, ranked->id_capacity, 1);
  }
  if (id.length > 0) memcpy(ranked->id_memory, id.data, id.length);
  ranked->id = (ee_str){ranked->id_memory, id.length};
}

/* The first place with a score above `score`: equal ones that came before stay before. */
static size_t place_of(const ee_worst_cases *ranking, double score) {
  size_t low = 0, high = ranking->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (ranking->cases[middle].score > score)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

void ee_worst_cases_add(ee_worst_cases *ranking, ee_str id, double score, const double *measures, size_t count) {
  bool full = ranking->count == EE_WORST_CASES_LIMIT;
  if (full && score >= ranking->cases[EE_WORST_CASES_LIMIT - 1].score) return;
  size_t place = place_of(ranking, score);
  if (!full) reserve(ranking, ++ranking->count);
  /* What leaves the list, or the unused place behind it, lends its memory. */
  ee_ranked_case added = ranking->cases[ranking->count - 1];
  memmove(&ranking->cases[place + 1], &ranking->cases[place], (ranking->count - 1 - place) * sizeof *ranking->cases);
  set_id(&added, id);
  added.score = score;
  memset(added.case_metrics, 0, sizeof added.case_metrics);
  if (count > 0) memcpy(added.case_metrics, measures, count * sizeof *measures);
  ranking->cases[place] = added;
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

void ee_worst_cases_merge(ee_worst_cases *ranking, const ee_worst_cases *other) {
  size_t own = 0, others = 0;
  while (own + others < EE_WORST_CASES_LIMIT && (own < ranking->count || others < other->count)) {
    if (others == other->count || (own < ranking->count && ranking->cases[own].score <= other->cases[others].score))
      own++;
    else
      others++;
  }
  if (others == 0) return;
  /* From the end: the places behind the last own case that was not moved yet are free. */
  size_t to = own + others;
  reserve(ranking, to);
  ranking->count = to;
  while (others > 0) {
    to--;
    if (own > 0 && ranking->cases[own - 1].score > other->cases[others - 1].score)
      swap_cases(&ranking->cases[to], &ranking->cases[--own]);
    else
      copy_case(&ranking->cases[to], &other->cases[--others]);
  }
}
