/* average_precision.c: see average_precision.h. The means are in ap_mean.c, explanations in ap_explain.c. */
#include "prim/average_precision.h"

#include <math.h>

#include "prim/ap_match.h"

/* numpy.spacing(1) */
static const double spacing = 0x1p-52;

/* A detection that bears on one area range and limit: a bit a threshold. */
typedef struct fate {
  uint64_t hits, misses;
} fate;

/* Working memory for one class, area range and limit. */
typedef struct class_curve {
  fate *fates; /* in the class's order */
  size_t fate_count;
  uint32_t *misses_before; /* [hit], from 1: false detections above the hit */
  double *precision;       /* [hit], from 1: the best precision from there on */
  size_t *needed;          /* [recall point] hits that reach it, at least 1 */
} class_curve;

/* How many of `countable` objects must be found for each recall point: numpy.searchsorted() from the left on
 * 1/countable, 2/countable, ... A point that nothing reaches needs one more than there are. A recall of 0 is reached by
 * the first detection, from which on the best precision is that from the first hit on. */
static void count_needed(const ee_ap_parameters *parameters, size_t countable, size_t *needed) {
  size_t hits = 1;
  for (size_t r = 0; r < parameters->recall_count; r++) {
    while (hits <= countable && (double)hits / (double)countable < parameters->recalls[r]) hits++;
    needed[r] = hits;
  }
}

/* Keeps the detections of rank below `limit` that count at one threshold at least. */
static void choose_fates(const ee_ap_matches *matches, size_t range, unsigned limit, class_curve *curve) {
  const uint64_t *hits = matches->hits + range * matches->count, *misses = matches->misses + range * matches->count;
  size_t count = 0;
  for (size_t i = 0; i < matches->count; i++) {
    curve->fates[count] = (fate){hits[i], misses[i]};
    count += matches->rank[i] < limit && (hits[i] | misses[i]) != 0;
  }
  curve->fate_count = count;
}

/* Fills curve->precision at one threshold and returns the number of hits. Only hits matter: between two of them
 * precision falls and recall stays, so nothing else is first to reach a recall or best from there on. */
static size_t trace(class_curve *curve, size_t threshold) {
  const fate *fates = curve->fates;
  size_t hits = 0;
  uint32_t misses = 0;
  for (size_t i = 0; i < curve->fate_count; i++) { /* without branches, as they could not be predicted */
    curve->misses_before[hits + 1] = misses;
    hits += fates[i].hits >> threshold & 1;
    misses += (uint32_t)(fates[i].misses >> threshold & 1);
  }
  double best = 0;
  for (size_t hit = hits; hit > 0; hit--) {
    double precision = (double)hit / ((double)(curve->misses_before[hit] + hit) + spacing);
    if (precision > best) best = precision;
    curve->precision[hit] = best;
  }
  return hits;
}

/* Everything of one class at the thresholds `first` to `first + count`. */
static void evaluate_class(const ee_ap_scene *scene, size_t k, size_t first, size_t count, const ee_ap_result *result,
                           ee_arena *scratch) {
  const ee_ap_parameters *p = &result->parameters;
  ee_ap_matches matches;
  ee_ap_match(scene, k, p->thresholds + first, count, p->ranges, p->range_count, p->limits[p->limit_count - 1], scratch,
              &matches);
  class_curve curve = {.fates = ee_arena_alloc(scratch, (matches.count + 1) * sizeof(fate)),
                       .misses_before = ee_arena_alloc(scratch, (matches.count + 2) * sizeof(uint32_t)),
                       .precision = ee_arena_alloc(scratch, (matches.count + 1) * sizeof(double)),
                       .needed = ee_arena_alloc(scratch, p->recall_count * sizeof(size_t))};
  for (size_t a = 0; a < p->range_count; a++) {
    size_t countable = matches.countable[a];
    if (countable == 0) continue;
    count_needed(p, countable, curve.needed);
    for (size_t m = 0; m < p->limit_count; m++) {
      choose_fates(&matches, a, p->limits[m], &curve);
      for (size_t t = 0; t < count; t++) {
        size_t hits = trace(&curve, t);
        result->recall[ee_ap_recall_at(result, first + t, k, a, m)] = (double)hits / (double)countable;
        double *precision = result->precision + ee_ap_precision_at(result, first + t, 0, k, a, m);
        size_t stride = result->categories * p->range_count * p->limit_count;
        for (size_t r = 0; r < p->recall_count; r++)
          precision[r * stride] = curve.needed[r] <= hits ? curve.precision[curve.needed[r]] : 0;
      }
    }
  }
}

void ee_ap_evaluate(const ee_ap_object *objects, size_t object_count, const ee_ap_detection *detections,
                    size_t detection_count, size_t images, size_t categories, const ee_ap_parameters *parameters,
                    ee_arena *arena, ee_arena *scratch, ee_ap_result *result) {
  const ee_ap_parameters *p = parameters;
  *result = (ee_ap_result){.parameters = *p, .categories = p->use_categories ? categories : 1};
  size_t recalls = p->threshold_count * result->categories * p->range_count * p->limit_count;
  size_t precisions = recalls * p->recall_count;
  result->precision = ee_arena_alloc(arena, precisions * sizeof(double));
  result->recall = ee_arena_alloc(arena, recalls * sizeof(double));
  for (size_t i = 0; i < precisions; i++) result->precision[i] = -1;
  for (size_t i = 0; i < recalls; i++) result->recall[i] = -1;

  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_ap_scene scene;
  ee_ap_sort(objects, object_count, detections, detection_count, images, categories, p->use_categories, -INFINITY,
             scratch, &scene);
  for (size_t k = 0; k < result->categories; k++) {
    for (size_t first = 0; first < p->threshold_count; first += EE_AP_BATCH) {
      size_t left = p->threshold_count - first;
      ee_arena_mark class_mark = ee_arena_get_mark(scratch);
      evaluate_class(&scene, k, first, left < EE_AP_BATCH ? left : EE_AP_BATCH, result, scratch);
      ee_arena_rewind(scratch, class_mark);
    }
  }
  ee_arena_rewind(scratch, mark);
}
