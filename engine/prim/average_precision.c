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

/* Makes curve->misses_before precisions, each the best from there on. */
static void make_envelope(class_curve *curve, size_t hits) {
  double best = 0;
  for (size_t hit = hits; hit > 0; hit--) {
    double precision = (double)hit / ((double)(curve->misses_before[hit] + hit) + spacing);
    if (precision > best) best = precision;
    curve->precision[hit] = best;
  }
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
  make_envelope(curve, hits);
  return hits;
}

/* Equal scores --------------------------------------------------------------------------------- */

/* Detections of one class with the same score. */
typedef struct tie_group {
  size_t start, count; /* among the class's fates */
} tie_group;

/* Splits the fates of the class, in the first range and at the last limit, by score. `fates` and `groups` have room for
 * all detections. Returns the number of groups; `*tied` gets those that are not alone in theirs, counting nowhere or
 * not. */
static size_t group_ties(const ee_ap_scene *scene, const ee_ap_matches *matches, unsigned limit, fate *fates,
                         tie_group *groups, uint64_t *tied) {
  size_t group_count = 0, fate_count = 0, sharing = 0;
  for (size_t i = 0; i < matches->count; i++) {
    double score = scene->detections[matches->index[i]].score;
    if (i == 0 || scene->detections[matches->index[i - 1]].score != score) {
      if (sharing > 1) *tied += sharing;
      sharing = 0;
      groups[group_count++] = (tie_group){.start = fate_count};
    }
    if (matches->rank[i] >= limit) continue;
    sharing++;
    if ((matches->hits[i] | matches->misses[i]) == 0) continue;
    fates[fate_count++] = (fate){matches->hits[i], matches->misses[i]};
    groups[group_count - 1].count++;
  }
  if (sharing > 1) *tied += sharing;
  return group_count;
}

/* As trace(), with the misses of each group above its hits, or below them. */
static size_t trace_groups(class_curve *curve, const tie_group *groups, size_t group_count, size_t threshold,
                           bool hits_first) {
  size_t hits = 0;
  uint32_t misses = 0;
  for (size_t i = 0; i < group_count; i++) {
    const fate *fates = curve->fates + groups[i].start;
    uint32_t before = misses;
    size_t first = hits + 1;
    for (size_t k = 0; k < groups[i].count; k++) {
      hits += fates[k].hits >> threshold & 1;
      misses += (uint32_t)(fates[k].misses >> threshold & 1);
    }
    for (size_t hit = first; hit <= hits; hit++) curve->misses_before[hit] = hits_first ? before : misses;
  }
  return hits;
}

/* The curves of one class if equal scores stood otherwise. curve->needed is filled, the rest of `curve` is overwritten.
 */
static void trace_ties(const ee_ap_scene *scene, const ee_ap_matches *matches, size_t k, size_t first, size_t count,
                       class_curve *curve, ee_ap_result *result, ee_arena *scratch) {
  const ee_ap_parameters *p = &result->parameters;
  tie_group *groups = ee_arena_alloc(scratch, matches->count * sizeof *groups);
  uint64_t tied = 0;
  size_t group_count = group_ties(scene, matches, p->limits[p->limit_count - 1], curve->fates, groups, &tied);
  if (first == 0) result->tied += tied;
  if (matches->countable[0] == 0) return;
  for (size_t t = 0; t < count; t++) {
    for (int hits_first = 0; hits_first <= 1; hits_first++) {
      size_t hits = trace_groups(curve, groups, group_count, t, hits_first != 0);
      make_envelope(curve, hits);
      double *out =
          (hits_first ? result->highest : result->lowest) + (first + t) * p->recall_count * result->categories + k;
      for (size_t r = 0; r < p->recall_count; r++)
        out[r * result->categories] = curve->needed[r] <= hits ? curve->precision[curve->needed[r]] : 0;
    }
  }
}

/* Everything of one class at the thresholds `first` to `first + count`. */
static void evaluate_class(const ee_ap_scene *scene, size_t k, size_t first, size_t count, ee_ap_result *result,
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
  if (!p->with_ties) return;
  if (matches.countable[0] > 0) count_needed(p, matches.countable[0], curve.needed);
  trace_ties(scene, &matches, k, first, count, &curve, result, scratch);
}

/* `count` doubles that say that nothing is defined. */
static double *make_undefined(size_t count, ee_arena *arena) {
  double *values = ee_arena_alloc(arena, count * sizeof *values);
  for (size_t i = 0; i < count; i++) values[i] = -1;
  return values;
}

void ee_ap_evaluate(const ee_ap_object *objects, size_t object_count, const ee_ap_detection *detections,
                    size_t detection_count, size_t images, size_t categories, const ee_ap_parameters *parameters,
                    ee_arena *arena, ee_arena *scratch, ee_ap_result *result) {
  const ee_ap_parameters *p = parameters;
  *result = (ee_ap_result){.parameters = *p, .categories = p->use_categories ? categories : 1};
  size_t recalls = p->threshold_count * result->categories * p->range_count * p->limit_count;
  size_t precisions = recalls * p->recall_count;
  result->precision = make_undefined(precisions, arena);
  result->recall = make_undefined(recalls, arena);
  if (p->with_ties) {
    result->lowest = make_undefined(p->threshold_count * p->recall_count * result->categories, arena);
    result->highest = make_undefined(p->threshold_count * p->recall_count * result->categories, arena);
  }

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
