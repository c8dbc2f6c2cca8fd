/* test_average_precision.c: average precision against a slow version, ties, and explanations. */
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/work.h"
#include "prim/average_precision.h"
#include "support/random.h"

enum { MAX_OBJECTS = 60, MAX_DETECTIONS = 90 };

typedef struct scene {
  ee_ap_object objects[MAX_OBJECTS];
  ee_ap_detection detections[MAX_DETECTIONS];
  size_t object_count, detection_count, images, categories;
} scene;

/* An edge on a coarse grid, so that equal IoUs, and IoUs exactly at a threshold, are common; sometimes none or a
 * negative one. */
static double random_size(test_random *random) {
  switch (test_random_below(random, 40)) {
  case 0: return 0;
  case 1: return -3;
  case 2:
  case 3:
  case 4: return 100 * test_random_unit(random);
  default: return (double)(10 + 10 * test_random_below(random, 5));
  }
}

static void random_box(test_random *random, double box[4]) {
  if (test_random_below(random, 16) == 0) { /* the area underflows or overflows */
    box[0] = box[1] = 0;
    box[2] = box[3] = test_random_below(random, 2) == 0 ? 1e-200 : 1e200;
    return;
  }
  for (size_t i = 0; i < 2; i++) {
    box[i] = (double)(5 * test_random_below(random, 12));
    box[2 + i] = random_size(random);
  }
}

static void random_objects(test_random *random, scene *s) {
  s->object_count = test_random_below(random, MAX_OBJECTS + 1);
  for (size_t i = 0; i < s->object_count; i++) {
    ee_ap_object *object = &s->objects[i];
    *object = (ee_ap_object){.image = (uint32_t)test_random_below(random, s->images),
                             .category = (uint32_t)test_random_below(random, s->categories),
                             .crowd = test_random_below(random, 8) == 0,
                             .ignored = test_random_below(random, 8) == 0,
                             .blank = test_random_below(random, 20) == 0};
    random_box(random, object->box);
    object->area = object->box[2] * object->box[3];
    if (test_random_below(random, 3) == 0) object->area = (double)(256 * test_random_below(random, 8));
  }
}

static void random_detections(test_random *random, scene *s) {
  static const double shifts[] = {0, 0, 0, 5, -5, 10, 0.25, -1};
  size_t digits = test_random_below(random, 2) == 0 ? 5 : 1000000;
  s->detection_count = test_random_below(random, MAX_DETECTIONS + 1);
  for (size_t i = 0; i < s->detection_count; i++) {
    ee_ap_detection *detection = &s->detections[i];
    *detection = (ee_ap_detection){.score = (double)test_random_below(random, digits) / (double)digits,
                                   .image = (uint32_t)test_random_below(random, s->images),
                                   .category = (uint32_t)test_random_below(random, s->categories)};
    if (detection->score == 0 && test_random_below(random, 2) == 0) detection->score = -0.0;
    random_box(random, detection->box);
    if (s->object_count == 0 || test_random_below(random, 4) == 0) continue;
    const ee_ap_object *object = &s->objects[test_random_below(random, s->object_count)];
    for (size_t k = 0; k < 4; k++) detection->box[k] = object->box[k] + shifts[test_random_below(random, 8)];
    detection->image = object->image;
    if (test_random_below(random, 5) != 0) detection->category = object->category;
  }
}

static void random_scene(test_random *random, scene *s) {
  s->images = 1 + test_random_below(random, 5);
  s->categories = 1 + test_random_below(random, 4);
  random_objects(random, s);
  random_detections(random, s);
}

/* The slow version, step by step as the published one goes, one threshold and range after the other. Nothing is shared
 * with the real one. */

static double slow_iou(const double d[4], const double g[4], bool crowd) {
  double ga = g[2] * g[3], da = d[2] * d[3];
  double w = fmin(d[2] + d[0], g[2] + g[0]) - fmax(d[0], g[0]);
  if (w <= 0) return 0;
  double h = fmin(d[3] + d[1], g[3] + g[1]) - fmax(d[1], g[1]);
  if (h <= 0) return 0;
  double i = w * h, u = crowd ? da : da + ga - i;
  return isnan(i / u) ? 0 : i / u; /* the one thing that is ours */
}

/* One image and class at one threshold, range and limit. */
typedef struct slow_image {
  size_t detections, objects;
  size_t detection[MAX_DETECTIONS], object[MAX_OBJECTS]; /* in file order; by falling score, ignored ones last */
  bool matched[MAX_DETECTIONS], ignored[MAX_DETECTIONS]; /* beside `detection` */
  bool taken[MAX_OBJECTS], object_ignored[MAX_OBJECTS];  /* beside `object` */
} slow_image;

/* The indices of what is of an image and class; class -1: of all classes, one after the other. */
static void slow_collect(const scene *s, uint32_t image, long class_index, slow_image *out) {
  out->detections = out->objects = 0;
  for (long k = 0; k < (long)s->categories; k++) {
    if (class_index >= 0 && class_index != k) continue;
    for (size_t i = 0; i < s->object_count; i++) {
      if (s->objects[i].image == image && s->objects[i].category == k) out->object[out->objects++] = i;
    }
    for (size_t i = 0; i < s->detection_count; i++) {
      if (s->detections[i].image == image && s->detections[i].category == k) out->detection[out->detections++] = i;
    }
  }
}

static bool slow_ignore(const ee_ap_object *object, ee_ap_range range) {
  return object->crowd || object->ignored || object->area < range.low || object->area > range.high;
}

static void slow_match(const scene *s, uint32_t image, long class_index, double threshold, ee_ap_range range,
                       size_t limit, slow_image *out) {
  slow_collect(s, image, class_index, out);
  /* Bubble sorts are stable. */
  for (size_t round = 1; round < out->detections; round++) {
    for (size_t i = 1; i < out->detections; i++) {
      size_t a = out->detection[i - 1], b = out->detection[i];
      if (-s->detections[b].score < -s->detections[a].score) out->detection[i - 1] = b, out->detection[i] = a;
    }
  }
  if (out->detections > limit) out->detections = limit;
  for (size_t round = 1; round < out->objects; round++) {
    for (size_t i = 1; i < out->objects; i++) {
      size_t a = out->object[i - 1], b = out->object[i];
      if (!slow_ignore(&s->objects[b], range) && slow_ignore(&s->objects[a], range))
        out->object[i - 1] = b, out->object[i] = a;
    }
  }
  for (size_t g = 0; g < out->objects; g++) {
    out->taken[g] = false;
    out->object_ignored[g] = slow_ignore(&s->objects[out->object[g]], range);
  }
  for (size_t d = 0; d < out->detections; d++) {
    const ee_ap_detection *detection = &s->detections[out->detection[d]];
    double best = threshold < 1 - 1e-10 ? threshold : 1 - 1e-10;
    long m = -1;
    for (size_t g = 0; g < out->objects; g++) {
      const ee_ap_object *object = &s->objects[out->object[g]];
      if (out->taken[g] && !object->crowd) continue;
      if (m > -1 && !out->object_ignored[m] && out->object_ignored[g]) break;
      double iou = slow_iou(detection->box, object->box, object->crowd);
      if (iou < best) continue;
      best = iou;
      m = (long)g;
    }
    /* A blank object is a match that leaves no trace in the detection. */
    out->matched[d] = m > -1 && !s->objects[out->object[m]].blank;
    out->ignored[d] = m > -1 && out->object_ignored[m];
    if (m > -1) out->taken[m] = true;
    double area = detection->box[2] * detection->box[3];
    if (!out->matched[d] && (area < range.low || area > range.high)) out->ignored[d] = true;
  }
}

static ee_arena arena, scratch;

static int make_arenas(void **state) {
  (void)state;
  ee_arena_init(&arena, 0);
  ee_arena_init(&scratch, 0);
  return 0;
}

static int free_arenas(void **state) {
  (void)state;
  ee_arena_fini(&arena);
  ee_arena_fini(&scratch);
  return 0;
}

/* Curves --------------------------------------------------------------------------------------- */

static void evaluate(const scene *s, const ee_ap_parameters *parameters, ee_ap_result *result) {
  ee_ap_evaluate(
      &(ee_ap_input){s->objects, s->object_count, s->detections, s->detection_count, s->images, s->categories},
      parameters, &arena, &scratch, result);
}

static void random_parameters(test_random *random, ee_ap_parameters *parameters) {
  static const double thresholds[] = {0.75, 0.5, 1, 0.1, 0, 2, 0.5};
  static const ee_ap_range ranges[] = {{0, 1e10}, {0, 400}, {400, 1600}, {-100, 900}, {1024, 1e300}, {7, 7}};
  static const unsigned limits[] = {1, 2, 5, 100};
  ee_ap_defaults(parameters);
  parameters->use_categories = test_random_below(random, 3) != 0;
  parameters->with_ties = test_random_below(random, 2) == 0;
  parameters->last_limit = test_random_below(random, 3) == 0;
  switch (test_random_below(random, 4)) {
  case 0: /* more thresholds than are matched at once */
    parameters->threshold_count = 64 + test_random_below(random, 8);
    double *many = EE_NEW_ARRAY(&arena, double, parameters->threshold_count);
    for (size_t i = 0; i < parameters->threshold_count; i++) many[i] = (double)i / 64;
    parameters->thresholds = many;
    parameters->recall_count = 11;
    break;
  case 1:
    parameters->thresholds = thresholds;
    parameters->threshold_count = 1 + test_random_below(random, 7);
    break;
  default: break;
  }
  if (test_random_below(random, 2) == 0) {
    size_t from = test_random_below(random, 6);
    parameters->ranges = ranges + from;
    parameters->range_count = 1 + test_random_below(random, 6 - from);
  } else if (test_random_below(random, 4) == 0) { /* more than there are usually */
    parameters->range_count = 9 + test_random_below(random, 3);
    ee_ap_range *many = EE_NEW_ARRAY(&arena, ee_ap_range, parameters->range_count);
    for (size_t i = 0; i < parameters->range_count; i++) many[i] = ranges[test_random_below(random, 6)];
    parameters->ranges = many;
  }
  if (test_random_below(random, 2) == 0) {
    size_t from = test_random_below(random, 4);
    parameters->limits = limits + from;
    parameters->limit_count = 1 + test_random_below(random, 4 - from);
  }
}

/* One class at one threshold, range and limit: all detections of all images. */
typedef struct slow_detection {
  double score;
  bool matched, ignored;
} slow_detection;

/* The order of equal scores: as given, or the false or the true ones first. */
typedef enum slow_order { AS_THEY_ARE, FALSE_FIRST, TRUE_FIRST } slow_order;

static bool slow_before(const slow_detection *a, const slow_detection *b, slow_order order) {
  if (a->score != b->score || order == AS_THEY_ARE) return -a->score < -b->score;
  bool a_true = a->matched && !a->ignored, b_true = b->matched && !b->ignored;
  return order == TRUE_FIRST ? a_true && !b_true : b_true && !a_true;
}

/* Writes precision at the recall points to `precision` and returns the recall; both -1 when nothing counts. `*tied`
 * (may be NULL) gets how many detections do not have their score for themselves. */
static double slow_curve(const scene *s, long class_index, const ee_ap_parameters *p, size_t t, size_t a, size_t m,
                         slow_order order, double *precision, size_t *tied) {
  slow_detection all[MAX_DETECTIONS];
  size_t nd = 0, countable = 0;
  for (uint32_t image = 0; image < s->images; image++) {
    slow_image one;
    slow_match(s, image, class_index, p->thresholds[t], p->ranges[a], p->limits[p->limit_count - 1], &one);
    for (size_t g = 0; g < one.objects; g++) countable += !one.object_ignored[g];
    for (size_t d = 0; d < one.detections && d < p->limits[m]; d++)
      all[nd++] = (slow_detection){s->detections[one.detection[d]].score, one.matched[d], one.ignored[d]};
  }
  for (size_t i = 0; tied != NULL && i < nd; i++) {
    size_t equals = 0;
    for (size_t k = 0; k < nd; k++) equals += all[k].score == all[i].score;
    *tied += equals > 1;
  }
  for (size_t r = 0; r < p->recall_count; r++) precision[r] = countable == 0 ? -1 : 0;
  if (countable == 0) return -1;
  for (size_t round = 1; round < nd; round++) {
    for (size_t i = 1; i < nd; i++) {
      slow_detection swap = all[i - 1];
      if (slow_before(&all[i], &swap, order)) all[i - 1] = all[i], all[i] = swap;
    }
  }
  double rc[MAX_DETECTIONS], pr[MAX_DETECTIONS], tp = 0, fp = 0;
  for (size_t i = 0; i < nd; i++) {
    tp += all[i].matched && !all[i].ignored;
    fp += !all[i].matched && !all[i].ignored;
    rc[i] = tp / (double)countable;
    pr[i] = tp / (fp + tp + 2.220446049250313e-16);
  }
  for (size_t i = nd; i-- > 1;) {
    if (pr[i] > pr[i - 1]) pr[i - 1] = pr[i];
  }
  for (size_t r = 0; r < p->recall_count; r++) {
    size_t i = 0;
    while (i < nd && rc[i] < p->recalls[r]) i++;
    if (i < nd) precision[r] = pr[i];
  }
  return nd > 0 ? rc[nd - 1] : 0;
}

/* numpy's sum of what is above -1, over its number, in another way: a queue of values that the recursion empties. */
static double slow_pairwise(const double **next, size_t count) {
  if (count > 128) {
    size_t left = (count >> 1) & ~(size_t)7;
    double sum = slow_pairwise(next, left);
    return sum + slow_pairwise(next, count - left);
  }
  double r[8] = {0}, sum = 0;
  size_t whole = count < 8 ? 0 : count - count % 8;
  for (size_t i = 0; i < whole; i++) r[i % 8] += *(*next)++;
  if (whole > 0) sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
  for (size_t i = whole; i < count; i++) sum += *(*next)++;
  return sum;
}

static double slow_mean(const double *values, size_t count) {
  double *defined = EE_NEW_ARRAY(&arena, double, count), sum = 0;
  size_t n = 0;
  for (size_t i = 0; i < count; i++) {
    if (values[i] > -1) defined[n++] = values[i];
  }
  const double *next = defined;
  for (size_t left = n; left > 0; left -= left < 8192 ? left : 8192)
    sum += slow_pairwise(&next, left < 8192 ? left : 8192);
  return n > 0 ? sum / (double)n : -1;
}

/* Comparing ------------------------------------------------------------------------------------ */

static void assert_same(double ours, double slow) {
  if (memcmp(&ours, &slow, sizeof ours) != 0) fail_msg("%.17g is not %.17g", ours, slow);
}

static void compare_class(const scene *s, const ee_ap_result *result, size_t k) {
  const ee_ap_parameters *p = &result->parameters;
  long class_index = p->use_categories ? (long)k : -1;
  for (size_t t = 0; t < p->threshold_count; t++) {
    for (size_t a = 0; a < p->range_count; a++) {
      for (size_t m = 0; m < p->limit_count; m++) {
        double precision[101];
        double recall = slow_curve(s, class_index, p, t, a, m, AS_THEY_ARE, precision, NULL);
        assert_same(result->recall[ee_ap_recall_at(result, t, k, a, m)], recall);
        if (p->last_limit && m + 1 < p->limit_count) continue;
        for (size_t r = 0; r < p->recall_count; r++)
          assert_same(result->precision[ee_ap_precision_at(result, t, r, k, a, m)], precision[r]);
      }
    }
  }
}

/* Precision of a class for other orders of equal scores; returns how many detections share their score. */
static size_t compare_ties(const scene *s, const ee_ap_result *result, size_t k) {
  const ee_ap_parameters *p = &result->parameters;
  size_t tied = 0, last = p->limit_count - 1;
  for (size_t t = 0; t < p->threshold_count; t++) {
    double lowest[101], highest[101];
    long class_index = p->use_categories ? (long)k : -1;
    slow_curve(s, class_index, p, t, 0, last, FALSE_FIRST, lowest, t == 0 ? &tied : NULL);
    slow_curve(s, class_index, p, t, 0, last, TRUE_FIRST, highest, NULL);
    for (size_t r = 0; r < p->recall_count; r++) {
      size_t at = (t * p->recall_count + r) * result->categories + k;
      assert_same(result->lowest[at], lowest[r]);
      assert_same(result->highest[at], highest[r]);
      double precision = result->precision[ee_ap_precision_at(result, t, r, k, 0, last)];
      assert_true(lowest[r] <= precision && precision <= highest[r]);
    }
  }
  return tied;
}

/* The mean over a threshold, or all, and a class, or all, picked element by element. */
static double pick_mean(const ee_ap_result *result, bool recall, long threshold, long category, size_t a, size_t m) {
  const ee_ap_parameters *p = &result->parameters;
  double *values = EE_NEW_ARRAY(&arena, double, p->threshold_count * p->recall_count * result->categories);
  size_t count = 0;
  for (size_t t = 0; t < p->threshold_count; t++) {
    for (size_t r = 0; r < (recall ? 1 : p->recall_count); r++) {
      for (size_t k = 0; k < result->categories; k++) {
        if ((threshold >= 0 && threshold != (long)t) || (category >= 0 && category != (long)k)) continue;
        values[count++] = recall ? result->recall[ee_ap_recall_at(result, t, k, a, m)]
                                 : result->precision[ee_ap_precision_at(result, t, r, k, a, m)];
      }
    }
  }
  return slow_mean(values, count);
}

static void compare_means(const ee_ap_result *result) {
  const ee_ap_parameters *p = &result->parameters;
  for (size_t a = 0; a < p->range_count; a++) {
    for (size_t m = 0; m < p->limit_count; m++) {
      for (long t = EE_AP_ALL; t < (long)p->threshold_count; t++)
        assert_same(ee_ap_mean_precision(result, t, EE_AP_ALL, a, m, &scratch),
                    pick_mean(result, false, t, EE_AP_ALL, a, m));
      for (long k = EE_AP_ALL; k < (long)result->categories; k++) {
        assert_same(ee_ap_mean_precision(result, EE_AP_ALL, k, a, m, &scratch),
                    pick_mean(result, false, EE_AP_ALL, k, a, m));
        assert_same(ee_ap_mean_recall(result, 0, k, a, m, &scratch), pick_mean(result, true, 0, k, a, m));
        assert_same(ee_ap_mean_recall(result, EE_AP_ALL, k, a, m, &scratch),
                    pick_mean(result, true, EE_AP_ALL, k, a, m));
      }
    }
  }
}

static void test_twin(void **state) {
  (void)state;
  test_random random = test_random_start("average precision", 20260101);
  for (int round = 0; round < 300; round++) {
    ee_arena_reset(&arena, 0);
    scene s;
    ee_ap_parameters parameters;
    random_scene(&random, &s);
    random_parameters(&random, &parameters);
    ee_ap_result result;
    evaluate(&s, &parameters, &result);
    assert_int_equal(result.categories, parameters.use_categories ? s.categories : 1);
    size_t tied = 0, curves = parameters.threshold_count * parameters.recall_count * result.categories;
    for (size_t k = 0; k < result.categories; k++) {
      compare_class(&s, &result, k);
      if (parameters.with_ties) tied += compare_ties(&s, &result, k);
    }
    compare_means(&result);
    assert_int_equal(result.tied, tied);
    assert_int_equal(result.lowest != NULL, parameters.with_ties);
    if (!parameters.with_ties) continue;
    double range[2];
    ee_ap_tie_range(&result, &scratch, range);
    assert_same(range[0], slow_mean(result.lowest, curves));
    assert_same(range[1], slow_mean(result.highest, curves));
  }
}

/* Numbers -------------------------------------------------------------------------------------- */

/* What numpy.linspace(.5, .95, 10) and numpy.linspace(0, 1, 101) print. */
static void test_defaults(void **state) {
  (void)state;
  static const double thresholds[] = {0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.8999999999999999, 0.95};
  static const size_t above[] = {35, 41, 47, 57, 69, 70, 82, 83, 94, 95}; /* one unit in the last place above i/100 */
  ee_ap_parameters p;
  ee_ap_defaults(&p);
  assert_int_equal(p.threshold_count, 10);
  for (size_t i = 0; i < 10; i++) assert_same(p.thresholds[i], thresholds[i]);
  assert_int_equal(p.recall_count, 101);
  for (size_t i = 0, k = 0; i < 101; i++) {
    bool is_above = k < 10 && above[k] == i;
    assert_same(p.recalls[i], is_above ? nextafter((double)i / 100, 2) : (double)i / 100);
    k += is_above;
  }
  assert_true(p.range_count == 4 && p.limit_count == 3 && p.use_categories);
  static const double bounds[] = {0, 1e10, 0, 1024, 1024, 9216, 9216, 1e10};
  for (size_t i = 0; i < 8; i++) assert_same(i % 2 == 0 ? p.ranges[i / 2].low : p.ranges[i / 2].high, bounds[i]);
  assert_true(p.limits[0] == 1 && p.limits[1] == 10 && p.limits[2] == 100);
}

/* numpy's sums of 1, 1/2, 1/3, ... */
static void test_sums(void **state) {
  (void)state;
  static const struct {
    size_t count;
    double sum;
  } facts[] = {
      {0, 0.0},
      {1, 1.0},
      {7, 2.5928571428571425},
      {8, 2.7178571428571425},
      {9, 2.8289682539682537},
      {127, 5.425334592589172},
      {128, 5.433147092589173},
      {129, 5.440899030573669},
      {1000, 7.485470860550345},
      {8192, 9.58819004609531},
      {8193, 9.588312101508468},
      {20000, 10.480728217229329},
      {80800, 11.876954097516771},
  };
  static double values[80800];
  for (size_t i = 0; i < 80800; i++) values[i] = 1 / ((double)i + 1);
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    assert_same(ee_pairwise_sum(values, facts[i].count), facts[i].sum);
}

static void expect_twelve(const ee_ap_result *result, const double expected[EE_AP_TWELVE]) {
  double numbers[EE_AP_TWELVE];
  ee_ap_twelve(result, &scratch, numbers);
  for (size_t i = 0; i < EE_AP_TWELVE; i++) {
    if (memcmp(&numbers[i], &expected[i], sizeof *numbers) != 0)
      fail_msg("%s is %.17g, not %.17g", ee_ap_names[i], numbers[i], expected[i]);
  }
}

/* Two objects in an image, both found, the first of them poorly. */
static void test_twelve(void **state) {
  (void)state;
  scene s = {.objects = {{.box = {0, 0, 10, 10}, .area = 100}, {.box = {50, 0, 50, 50}, .area = 2500}},
             .detections = {{.box = {0, 0, 10, 6}, .score = 0.9}, {.box = {50, 0, 50, 50}, .score = 0.8}},
             .object_count = 2,
             .detection_count = 2,
             .images = 1,
             .categories = 1};
  ee_ap_parameters p;
  ee_ap_defaults(&p);
  ee_ap_result result;
  evaluate(&s, &p, &result);
  double one = 0.9999999999999998; /* of one detection: 1 / (1 + 2^-52) */
  assert_same(result.precision[ee_ap_precision_at(&result, 0, 100, 0, 0, 2)], 1);
  assert_same(result.precision[ee_ap_precision_at(&result, 0, 100, 0, 1, 2)], one);
  assert_same(result.precision[ee_ap_precision_at(&result, 0, 0, 0, 3, 2)], -1);
  assert_same(result.precision[ee_ap_precision_at(&result, 9, 50, 0, 0, 2)], 0.5);
  assert_same(result.precision[ee_ap_precision_at(&result, 9, 51, 0, 0, 2)], 0);
  assert_same(result.recall[ee_ap_recall_at(&result, 9, 0, 0, 2)], 0.5);
  assert_same(result.recall[ee_ap_recall_at(&result, 9, 0, 0, 0)], 0);

  /* What the parameters do not hold is undefined. */
  static const double thresholds[] = {0.55};
  static const unsigned limits[] = {2};
  p.thresholds = thresholds, p.threshold_count = 1;
  p.limits = limits, p.limit_count = 1;
  p.range_count = 2;
  evaluate(&s, &p, &result);
  double small = ee_ap_mean_precision(&result, 0, 0, 1, 0, &scratch);
  expect_twelve(&result, (double[]){1, -1, -1, small, -1, -1, -1, -1, 1, 1, -1, -1});
  assert_true(small > 0.999999999999999 && small < 1);
}

/* Three detections of equal score, of which one is true. */
static void test_ties(void **state) {
  (void)state;
  scene s = {.objects = {{.box = {0, 0, 10, 10}, .area = 100}},
             .detections = {{.box = {50, 0, 10, 10}, .score = 0.5},
                            {.box = {0, 0, 10, 10}, .score = 0.5},
                            {.box = {70, 0, 10, 10}, .score = 0.5},
                            {.box = {90, 0, 10, 10}, .score = 0.4}},
             .object_count = 1,
             .detection_count = 4,
             .images = 1,
             .categories = 1};
  ee_ap_parameters p;
  ee_ap_defaults(&p);
  p.with_ties = true;
  ee_ap_result result;
  evaluate(&s, &p, &result);
  double range[2];
  ee_ap_tie_range(&result, &scratch, range);
  assert_int_equal(result.tied, 3);
  assert_true(fabs(range[0] - 1.0 / 3) < 1e-12 && fabs(range[1] - 1) < 1e-12);
  assert_same(result.precision[ee_ap_precision_at(&result, 0, 0, 0, 0, 2)], 0.5);
  s.detections[0].score = s.detections[2].score = 0.45;
  s.detections[0].score = 0.46;
  evaluate(&s, &p, &result);
  ee_ap_tie_range(&result, &scratch, range);
  assert_int_equal(result.tied, 0);
  assert_same(range[0], range[1]);
  assert_same(range[0], ee_ap_mean_precision(&result, EE_AP_ALL, EE_AP_ALL, 0, 2, &scratch));
}

/* Nothing at all, of anything. */
static void test_nothing(void **state) {
  (void)state;
  ee_ap_parameters p;
  ee_ap_defaults(&p);
  ee_ap_result result;
  double undefined[EE_AP_TWELVE];
  for (size_t i = 0; i < EE_AP_TWELVE; i++) undefined[i] = -1;
  for (int use_categories = 0; use_categories < 2; use_categories++) {
    p.use_categories = use_categories;
    for (size_t size = 0; size < 2; size++) {
      ee_ap_evaluate(&(ee_ap_input){NULL, 0, NULL, 0, size, size}, &p, &arena, &scratch, &result);
      expect_twelve(&result, undefined);
      ee_ap_operating_point point = {0.5, 0, {0, 1e10}, 100, use_categories};
      ee_ap_counts counts[1] = {{7, 7, 7}};
      ee_ap_explain(&(ee_ap_input){NULL, 0, NULL, 0, size, size}, &point, &scratch,
                    &(ee_ap_explanation){NULL, NULL, NULL, counts});
      if (size == 1) assert_true(counts[0].tp == 0 && counts[0].fp == 0 && counts[0].fn == 0);
    }
  }
  /* Without thresholds there is no number either, and no range but the mean of none. */
  scene s = {.objects = {{.box = {0, 0, 10, 10}, .area = 100}}, .object_count = 1, .images = 1, .categories = 1};
  p.threshold_count = 0;
  evaluate(&s, &p, &result);
  expect_twelve(&result, undefined);
}

/* Properties ----------------------------------------------------------------------------------- */

/* The objects as detections are perfect, but for the denominator's 2^-52. */
static void test_perfect(void **state) {
  (void)state;
  test_random random = test_random_start("perfect detections", 20260103);
  for (int round = 0; round < 200; round++) {
    ee_arena_reset(&arena, 0);
    scene s;
    random_scene(&random, &s);
    s.detection_count = s.object_count;
    for (size_t i = 0; i < s.object_count; i++) {
      s.objects[i].box[2] = s.objects[i].box[3] = 20;
      s.objects[i].box[0] = (double)(100 * i);
      s.objects[i].area = 400;
      s.objects[i].blank = false;
      s.detections[i] = (ee_ap_detection){.score = 0.5, .image = s.objects[i].image, .category = s.objects[i].category};
      memcpy(s.detections[i].box, s.objects[i].box, sizeof s.objects[i].box);
    }
    ee_ap_parameters p;
    ee_ap_defaults(&p);
    ee_ap_result result;
    evaluate(&s, &p, &result);
    size_t cells = p.threshold_count * p.recall_count * result.categories * p.range_count * p.limit_count;
    for (size_t i = 0; i < cells; i += p.limit_count) {
      double precision = result.precision[i + p.limit_count - 1];
      assert_true(precision == -1 || precision == 1 || precision == 0.9999999999999998);
    }
  }
}

/* Scores that differ make the order of the file unimportant. */
static void test_order(void **state) {
  (void)state;
  test_random random = test_random_start("order of detections", 20260104);
  for (int round = 0; round < 200; round++) {
    ee_arena_reset(&arena, 0);
    scene s;
    random_scene(&random, &s);
    for (size_t i = 0; i < s.detection_count; i++) s.detections[i].score = (double)i;
    ee_ap_parameters p;
    random_parameters(&random, &p);
    ee_ap_result a, b;
    evaluate(&s, &p, &a);
    for (size_t i = s.detection_count; i > 1; i--) {
      size_t other = test_random_below(&random, i);
      ee_ap_detection swap = s.detections[i - 1];
      s.detections[i - 1] = s.detections[other];
      s.detections[other] = swap;
    }
    evaluate(&s, &p, &b);
    size_t cells = p.threshold_count * a.categories * p.range_count * p.limit_count;
    assert_memory_equal(a.recall, b.recall, cells * sizeof(double));
    if (p.last_limit) cells /= p.limit_count;
    assert_memory_equal(a.precision, b.precision, cells * p.recall_count * sizeof(double));
  }
}

/* Ap ties --------------------------------------------------------------------------------------- */

enum { MOST = 6 };

static ee_ap_result evaluate_orders(const ee_ap_object *objects, size_t object_count, const ee_ap_detection *detections,
                                    size_t count, const ee_ap_parameters *parameters) {
  ee_ap_result result;
  ee_ap_evaluate(&(ee_ap_input){objects, object_count, detections, count, MOST, 1}, parameters, &arena, &scratch,
                 &result);
  return result;
}

/* One detection an image, so that their images are the order of those with equal scores: each order is tried. */
static void try_orders(ee_ap_object *objects, size_t object_count, ee_ap_detection *detections, size_t count,
                       const ee_ap_parameters *parameters, uint32_t *images, size_t fixed, double range[2]) {
  if (fixed < MOST) {
    for (size_t i = fixed; i < MOST; i++) {
      uint32_t kept = images[fixed];
      images[fixed] = images[i];
      images[i] = kept;
      try_orders(objects, object_count, detections, count, parameters, images, fixed + 1, range);
      kept = images[fixed];
      images[fixed] = images[i];
      images[i] = kept;
    }
    return;
  }
  ee_ap_object moved_objects[MOST];
  ee_ap_detection moved[MOST];
  for (size_t i = 0; i < object_count; i++) {
    moved_objects[i] = objects[i];
    moved_objects[i].image = images[objects[i].image];
  }
  for (size_t i = 0; i < count; i++) {
    moved[i] = detections[i];
    moved[i].image = images[detections[i].image];
  }
  ee_arena_mark mark = ee_arena_get_mark(&arena);
  ee_ap_result result = evaluate_orders(moved_objects, object_count, moved, count, parameters);
  double ap = ee_ap_mean_precision(&result, EE_AP_ALL, EE_AP_ALL, 0, 0, &scratch);
  ee_arena_rewind(&arena, mark);
  if (ap < range[0]) range[0] = ap;
  if (ap > range[1]) range[1] = ap;
}

static void test_every_order(void **state) {
  (void)state;
  test_random random = test_random_start("test_ap_ties", 101);
  static const double threshold = 0.5;
  static const ee_ap_range all = {0, 1e10};
  static const unsigned limit = 10;
  ee_ap_parameters parameters;
  ee_ap_defaults(&parameters);
  parameters.thresholds = &threshold;
  parameters.threshold_count = 1;
  parameters.ranges = &all;
  parameters.range_count = 1;
  parameters.limits = &limit;
  parameters.limit_count = 1;
  parameters.with_ties = true;
  for (int round = 0; round < 60; round++) {
    ee_ap_object objects[MOST];
    ee_ap_detection detections[MOST];
    size_t object_count = 0, count = 0, tied = 0;
    for (uint32_t i = 0; i < MOST; i++) {
      if (test_random_below(&random, 2) > 0)
        objects[object_count++] =
            (ee_ap_object){.box = {0, 0, 10, 10}, .area = 100, .image = i, .crowd = test_random_below(&random, 8) == 0};
      if (test_random_below(&random, 6) > 0)
        detections[count++] =
            (ee_ap_detection){.box = {0, 0, 10, 10}, .image = i, .score = (double)test_random_below(&random, 3)};
    }
    for (size_t i = 0; i < count; i++) {
      bool shared = false;
      for (size_t k = 0; k < count; k++) shared = shared || (k != i && detections[k].score == detections[i].score);
      tied += shared;
    }
    ee_ap_result result = evaluate_orders(objects, object_count, detections, count, &parameters);
    assert_int_equal(result.tied, tied);
    double ours[2], theirs[2] = {INFINITY, -INFINITY};
    ee_ap_tie_range(&result, &scratch, ours);
    uint32_t images[MOST] = {0, 1, 2, 3, 4, 5};
    try_orders(objects, object_count, detections, count, &parameters, images, 0, theirs);
    assert_true(ours[0] == theirs[0] && ours[1] == theirs[1]);
    ee_arena_reset(&arena, 0);
  }
}

/* Whatever is asked for, AP lies within the range, and is both of its ends when no two scores are equal. */
static void test_bounds(void **state) {
  (void)state;
  test_random random = test_random_start("test_bounds", 102);
  enum { COUNT = 60, IMAGES = 8, CLASSES = 3 };
  for (int round = 0; round < 100; round++) {
    bool distinct = test_random_below(&random, 4) == 0;
    ee_ap_object objects[COUNT];
    ee_ap_detection detections[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
      double x = (double)test_random_below(&random, 10) * 4;
      objects[i] = (ee_ap_object){.box = {x, 0, 10, 10},
                                  .area = 100,
                                  .image = (uint32_t)test_random_below(&random, IMAGES),
                                  .category = (uint32_t)test_random_below(&random, CLASSES),
                                  .crowd = test_random_below(&random, 10) == 0};
      detections[i] = (ee_ap_detection){.box = {x + (double)test_random_below(&random, 3), 0, 10, 10},
                                        .score = distinct ? (double)i : (double)test_random_below(&random, 5),
                                        .image = objects[i].image,
                                        .category = (uint32_t)test_random_below(&random, CLASSES)};
    }
    ee_ap_parameters parameters;
    ee_ap_defaults(&parameters);
    parameters.with_ties = true;
    parameters.use_categories = test_random_below(&random, 4) > 0;
    ee_ap_result result, plain;
    ee_ap_evaluate(&(ee_ap_input){objects, COUNT, detections, COUNT, IMAGES, CLASSES}, &parameters, &arena, &scratch,
                   &result);
    parameters.with_ties = false;
    ee_ap_evaluate(&(ee_ap_input){objects, COUNT, detections, COUNT, IMAGES, CLASSES}, &parameters, &arena, &scratch,
                   &plain);
    assert_null(plain.lowest);
    double range[2], ap = ee_ap_mean_precision(&result, EE_AP_ALL, EE_AP_ALL, 0, 2, &scratch);
    assert_true(ap == ee_ap_mean_precision(&plain, EE_AP_ALL, EE_AP_ALL, 0, 2, &scratch));
    ee_ap_tie_range(&result, &scratch, range);
    assert_true(range[0] <= ap && ap <= range[1]);
    if (distinct) {
      assert_int_equal(result.tied, 0);
      assert_true(range[0] == ap && range[1] == ap);
    }
    ee_arena_reset(&arena, 0);
  }
}

/* Classes of many detections, whose scores are sorted in another way than those of few. */
enum { MANY = 3000, MANY_OBJECTS = 600, MANY_IMAGES = 40 };
static ee_ap_detection many[MANY];

/* By falling score, then image, then file order. */
static int compare_many(const void *left, const void *right) {
  const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  if (many[a].score != many[b].score) return many[a].score > many[b].score ? -1 : 1;
  if (many[a].image != many[b].image) return many[a].image < many[b].image ? -1 : 1;
  return a < b ? -1 : 1;
}

static double random_score(test_random *random) {
  static const double odd[] = {0.0, -0.0, -1, -1e-310, 4.9e-324, 1e300, -1e300, 0.5, 1, 3};
  switch (test_random_below(random, 4)) {
  case 0: return odd[test_random_below(random, sizeof odd / sizeof *odd)];
  case 1: return (double)test_random_below(random, 9) / 7 - 0.3;
  default: return test_random_unit(random);
  }
}

static void test_many_scores(void **state) {
  (void)state;
  test_random random = test_random_start("many scores", 8);
  static ee_ap_object objects[MANY_OBJECTS];
  for (int round = 0; round < 30; round++) {
    size_t count = round < 4 ? 1022 + (size_t)round : 1000 + test_random_below(&random, MANY - 1000 + 1);
    for (size_t i = 0; i < MANY_OBJECTS; i++)
      objects[i] = (ee_ap_object){
          .box = {(double)(20 * (i / MANY_IMAGES)), 0, 12, 12}, .area = 144, .image = (uint32_t)(i % MANY_IMAGES)};
    for (size_t i = 0; i < count; i++)
      many[i] = (ee_ap_detection){.box = {(double)(test_random_below(&random, 400)), 0, 12, 12},
                                  .score = round % 5 == 4 ? 0.5 + (double)test_random_below(&random, 4096) / 8192
                                                          : random_score(&random),
                                  .image = (uint32_t)test_random_below(&random, MANY_IMAGES)};
    ee_ap_parameters parameters;
    ee_ap_defaults(&parameters);
    parameters.threshold_count = parameters.range_count = 1;
    parameters.limits += 2;
    parameters.limit_count = 1;
    ee_ap_result result;
    ee_ap_evaluate(&(ee_ap_input){objects, MANY_OBJECTS, many, count, MANY_IMAGES, 1}, &parameters, &arena, &scratch,
                   &result);
    uint32_t order[MANY];
    for (size_t i = 0; i < count; i++) order[i] = (uint32_t)i;
    qsort(order, count, sizeof *order, compare_many);
    bool taken[MANY_OBJECTS] = {false};
    size_t ranks[MANY_IMAGES] = {0}, kept = 0;
    double recall[MANY + 1], precision[MANY + 1], tp = 0, fp = 0;
    for (size_t i = 0; i < count; i++) {
      const ee_ap_detection *detection = &many[order[i]];
      if (ranks[detection->image]++ >= parameters.limits[0]) continue;
      double best = 0.5;
      size_t chosen = MANY_OBJECTS;
      for (size_t k = detection->image; k < MANY_OBJECTS; k += MANY_IMAGES) {
        double iou = slow_iou(detection->box, objects[k].box, false);
        if (taken[k] || iou < best) continue;
        best = iou;
        chosen = k;
      }
      if (chosen < MANY_OBJECTS) taken[chosen] = true;
      tp += chosen < MANY_OBJECTS;
      fp += chosen == MANY_OBJECTS;
      recall[kept] = tp / MANY_OBJECTS;
      precision[kept++] = tp / (fp + tp + 2.220446049250313e-16);
    }
    for (size_t i = kept; i-- > 1;)
      if (precision[i] > precision[i - 1]) precision[i - 1] = precision[i];
    assert_same(result.recall[0], recall[kept - 1]);
    for (size_t r = 0; r < parameters.recall_count; r++) {
      size_t i = 0;
      while (i < kept && recall[i] < parameters.recalls[r]) i++;
      assert_same(result.precision[ee_ap_precision_at(&result, 0, r, 0, 0, 0)], i < kept ? precision[i] : 0);
    }
    ee_arena_reset(&arena, 0);
  }
}

/* A blank object is taken, and neither it nor the detection counts as found. */
static void test_blank(void **state) {
  (void)state;
  const ee_ap_object objects[] = {{.box = {0, 0, 10, 10}, .area = 100, .blank = true},
                                  {.box = {50, 0, 10, 10}, .area = 100},
                                  {.box = {90, 0, 10, 10}, .area = 100, .blank = true, .crowd = true}};
  const ee_ap_detection detections[] = {{.box = {0, 0, 10, 10}, .score = 0.9},
                                        {.box = {50, 0, 10, 10}, .score = 0.8},
                                        {.box = {90, 0, 10, 10}, .score = 0.7}};
  ee_ap_operating_point point = {
      .threshold = 0.5, .min_score = -INFINITY, .range = {0, 1e10}, .limit = UINT32_MAX, .use_categories = true};
  ee_ap_fate fates[3];
  bool found[3];
  ee_ap_counts counts;
  ee_ap_explain(&(ee_ap_input){objects, 3, detections, 3, 1, 1}, &point, &scratch,
                &(ee_ap_explanation){fates, found, NULL, &counts});
  assert_int_equal(counts.tp, 1);
  assert_int_equal(counts.fp, 1);
  assert_int_equal(counts.fn, 1);
  assert_int_equal(fates[0], EE_AP_DUPLICATE);
  assert_int_equal(fates[1], EE_AP_TRUE);
  assert_int_equal(fates[2], EE_AP_IGNORED);
  assert_false(found[0]);
  assert_true(found[1]);
  ee_ap_parameters parameters;
  ee_ap_defaults(&parameters);
  ee_ap_result result = evaluate_orders(objects, 3, detections, 3, &parameters);
  double recall = ee_ap_mean_recall(&result, EE_AP_ALL, EE_AP_ALL, 0, 2, &scratch);
  double precision = ee_ap_mean_precision(&result, EE_AP_ALL, EE_AP_ALL, 0, 2, &scratch);
  assert_true(recall == 0.5);
  /* The true one is the second: half of the points are reached, at a precision of a half. */
  assert_true(fabs(precision - 25.5 / 101) < 1e-12);
}

/* Ap explain ------------------------------------------------------------------------------------ */

/* Why detection `d` is false, word for word as the header has it; the fates are those of a matching at `point`. */
static ee_ap_fate slow_false_fate(const scene *s, const ee_ap_operating_point *point, const ee_ap_detection *d) {
  bool duplicate = false, wrong_class = false, poor_place = false;
  for (size_t i = 0; i < s->object_count; i++) {
    const ee_ap_object *object = &s->objects[i];
    if (object->image != d->image) continue;
    double iou = slow_iou(d->box, object->box, object->crowd);
    bool same_class = !point->use_categories || object->category == d->category;
    bool reached = iou >= (point->threshold < 1 - 1e-10 ? point->threshold : 1 - 1e-10);
    duplicate |= same_class && reached;
    wrong_class |= !same_class && reached && !slow_ignore(object, point->range);
    poor_place |= same_class && !object->crowd && iou >= 0.1;
  }
  return duplicate     ? EE_AP_DUPLICATE
         : wrong_class ? EE_AP_WRONG_CLASS
         : poor_place  ? EE_AP_POOR_PLACE
                       : EE_AP_BACKGROUND;
}

static void compare_fates(const scene *s, const ee_ap_operating_point *point) {
  ee_ap_fate fates[MAX_DETECTIONS], expected[MAX_DETECTIONS];
  bool found[MAX_OBJECTS], expected_found[MAX_OBJECTS] = {false};
  uint32_t takers[MAX_OBJECTS];
  ee_ap_counts counts[4], expected_counts[4] = {{0}};
  ee_ap_explain(
      &(ee_ap_input){s->objects, s->object_count, s->detections, s->detection_count, s->images, s->categories}, point,
      &scratch, &(ee_ap_explanation){fates, found, takers, counts});
  /* Detections of a low score go to an image where they are alone. */
  scene high = *s;
  for (size_t i = 0; i < s->detection_count; i++) {
    bool low = s->detections[i].score < point->min_score;
    expected[i] = low ? EE_AP_LOW_SCORE : EE_AP_DROPPED;
    if (low) high.detections[i].image = (uint32_t)s->images;
  }
  size_t classes = point->use_categories ? s->categories : 1;
  for (size_t k = 0; k < classes; k++) {
    for (uint32_t image = 0; image < s->images; image++) {
      slow_image one;
      slow_match(&high, image, point->use_categories ? (long)k : -1, point->threshold, point->range, point->limit,
                 &one);
      for (size_t g = 0; g < one.objects; g++) {
        bool hit = one.taken[g] && !one.object_ignored[g] && !s->objects[one.object[g]].blank;
        expected_found[one.object[g]] = hit;
        expected_counts[k].tp += hit;
        expected_counts[k].fn += !hit && !one.object_ignored[g];
      }
      for (size_t d = 0; d < one.detections; d++) {
        size_t index = one.detection[d];
        expected[index] = one.ignored[d]   ? EE_AP_IGNORED
                          : one.matched[d] ? EE_AP_TRUE
                                           : slow_false_fate(s, point, &s->detections[index]);
        expected_counts[k].fp += !one.ignored[d] && !one.matched[d];
      }
    }
    assert_int_equal(counts[k].tp, expected_counts[k].tp);
    assert_int_equal(counts[k].fp, expected_counts[k].fp);
    assert_int_equal(counts[k].fn, expected_counts[k].fn);
  }
  for (size_t i = 0; i < s->detection_count; i++) assert_int_equal(fates[i], expected[i]);
  for (size_t i = 0; i < s->object_count; i++) assert_int_equal(found[i], expected_found[i]);
  /* Each true detection took one object, which it overlaps enough. */
  size_t taking[MAX_DETECTIONS] = {0};
  for (size_t i = 0; i < s->object_count; i++) {
    if (!found[i]) continue;
    const ee_ap_detection *taker = &s->detections[takers[i]];
    assert_int_equal(fates[takers[i]], EE_AP_TRUE);
    assert_int_equal(taker->image, s->objects[i].image);
    assert_true(slow_iou(taker->box, s->objects[i].box, false) >= fmin(point->threshold, 1 - 1e-10));
    taking[takers[i]]++;
  }
  for (size_t i = 0; i < s->detection_count; i++) assert_int_equal(taking[i], fates[i] == EE_AP_TRUE);
}

static void test_explain_twin(void **state) {
  (void)state;
  test_random random = test_random_start("fates of detections", 20260102);
  static const double thresholds[] = {0.5, 0.75, 1, 0.05, 0};
  static const double scores[] = {-INFINITY, 0.3, 0.6};
  static const ee_ap_range ranges[] = {{0, 1e10}, {400, 1600}};
  static const unsigned limits[] = {1, 3, 100, UINT_MAX};
  for (int round = 0; round < 2000; round++) {
    scene s;
    random_scene(&random, &s);
    ee_ap_operating_point point = {.threshold = thresholds[test_random_below(&random, 5)],
                                   .min_score = scores[test_random_below(&random, 3)],
                                   .range = ranges[test_random_below(&random, 2)],
                                   .limit = limits[test_random_below(&random, 4)],
                                   .use_categories = test_random_below(&random, 4) != 0};
    compare_fates(&s, &point);
  }
}

static void test_each_fate(void **state) {
  (void)state;
  scene s = {.objects = {{.box = {0, 0, 10, 10}, .area = 100},
                         {.box = {50, 0, 10, 10}, .area = 100, .category = 1},
                         {.box = {0, 50, 100, 10}, .area = 1000, .crowd = true},
                         {.box = {80, 0, 10, 10}, .area = 100, .ignored = true}},
             .detections = {{.box = {0, 0, 10, 10}, .score = 0.9},
                            {.box = {0, 0, 10, 9}, .score = 0.8},
                            {.box = {50, 0, 10, 10}, .score = 0.8},
                            {.box = {0, 6, 10, 10}, .score = 0.8},
                            {.box = {200, 200, 10, 10}, .score = 0.8},
                            {.box = {10, 50, 10, 10}, .score = 0.7},
                            {.box = {20, 50, 10, 10}, .score = 0.7},
                            {.box = {80, 0, 10, 10}, .score = 0.7},
                            {.box = {80, 0, 10, 10}, .score = 0.6},
                            {.box = {300, 0, -10, 10}, .score = 0.6},
                            {.box = {300, 0, 10, 10}, .score = 0.4},
                            {.box = {0, 0, 10, 10}, .score = 0.5}},
             .object_count = 4,
             .detection_count = 12,
             .images = 1,
             .categories = 2};
  ee_ap_fate fates[MAX_DETECTIONS];
  static const ee_ap_fate expected[] = {EE_AP_TRUE,       EE_AP_DUPLICATE, EE_AP_WRONG_CLASS, EE_AP_POOR_PLACE,
                                        EE_AP_BACKGROUND, EE_AP_IGNORED,   EE_AP_IGNORED,     EE_AP_IGNORED,
                                        EE_AP_DUPLICATE,  EE_AP_IGNORED,   EE_AP_LOW_SCORE,   EE_AP_DROPPED};
  bool found[MAX_OBJECTS];
  ee_ap_counts counts[2];
  ee_ap_operating_point point = {0.5, 0.5, {0, 1e10}, 10, true};
  ee_ap_explain(&(ee_ap_input){s.objects, s.object_count, s.detections, s.detection_count, s.images, s.categories},
                &point, &scratch, &(ee_ap_explanation){fates, found, NULL, counts});
  for (size_t i = 0; i < s.detection_count; i++) assert_int_equal(fates[i], expected[i]);
  assert_true(found[0] && !found[1] && !found[2] && !found[3]);
  assert_true(counts[0].tp == 1 && counts[0].fp == 5 && counts[0].fn == 0);
  assert_true(counts[1].tp == 0 && counts[1].fp == 0 && counts[1].fn == 1);
  /* Nothing that can be asked for needs to be. */
  ee_ap_explain(&(ee_ap_input){s.objects, s.object_count, s.detections, s.detection_count, s.images, s.categories},
                &point, &scratch, &(ee_ap_explanation){NULL, NULL, NULL, NULL});
}

/* A detection that takes a blank object is false, and no other detection can take it. */
static void test_blank_fates(void **state) {
  (void)state;
  scene s = {.objects = {{.box = {0, 0, 10, 10}, .area = 100, .blank = true}, {.box = {50, 0, 10, 10}, .area = 100}},
             .detections = {{.box = {0, 0, 10, 10}, .score = 0.9}, {.box = {50, 0, 10, 10}, .score = 0.8}},
             .object_count = 2,
             .detection_count = 2,
             .images = 1,
             .categories = 1};
  ee_ap_operating_point point = {0.5, -INFINITY, {0, 1e10}, 100, true};
  ee_ap_fate fates[2];
  bool found[2];
  ee_ap_counts counts[1];
  ee_ap_explain(&(ee_ap_input){s.objects, 2, s.detections, 2, 1, 1}, &point, &scratch,
                &(ee_ap_explanation){fates, found, NULL, counts});
  assert_true(fates[0] == EE_AP_DUPLICATE && fates[1] == EE_AP_TRUE && !found[0] && found[1]);
  assert_true(counts[0].tp == 1 && counts[0].fp == 1 && counts[0].fn == 1);
}

static void reaches_no_recall_beyond_one(void **state) {
  (void)state;
  static const double thresholds[] = {0.5}, recalls[] = {0.5, 1, 1.5};
  static const ee_ap_range ranges[] = {{0, 1e10}};
  static const unsigned limits[] = {100};
  scene s = {.objects = {{.box = {0, 0, 10, 10}, .area = 100}},
             .detections = {{.box = {0, 0, 10, 10}, .score = 1}},
             .object_count = 1,
             .detection_count = 1,
             .images = 1,
             .categories = 1};
  ee_ap_parameters parameters = {thresholds, 1, recalls, 3, ranges, 1, limits, 1, true, false, false};
  ee_ap_result result;
  evaluate(&s, &parameters, &result);
  assert_true(result.precision[0] > 0.99 && result.precision[1] > 0.99 && result.precision[2] == 0);
}

/* An interrupt that is noticed after any number of units ends the rest of the work: there is no try to jump to. */
static void ends_when_it_is_interrupted(void **state) {
  (void)state;
  test_random random = test_random_start("average precision: interrupts", 981);
  static const double thresholds[] = {0.5, 0.75}, recalls[] = {0, 0.5, 1};
  static const ee_ap_range ranges[] = {{0, 1e10}, {0, 400}};
  static const unsigned limits[] = {1, 100};
  ee_ap_parameters parameters = {thresholds, 2, recalls, 3, ranges, 2, limits, 2, true, true, false};
  ee_ap_operating_point point = {0.5, 0.1, {0, 1e10}, 10, true};
  static ee_ap_fate fates[MAX_DETECTIONS];
  scene s;
  do random_scene(&random, &s);
  while (s.object_count < 20 || s.detection_count < 30);
  ee_ap_input input = {s.objects, s.object_count, s.detections, s.detection_count, s.images, s.categories};
  volatile sig_atomic_t flag = 1;
  uint64_t whole = 0, least = UINT64_MAX;
  for (uint64_t after = 0; after <= whole; after += 1 + whole / 2000) {
    ee_work_forget(); /* a new slice, at whose end the flag is looked at */
    int64_t left = ee_work_of_thread.left;
    if (whole > 0) {
      ee_work_watch(&flag);
      ee_work((uint64_t)left - after);
    }
    uint64_t before = ee_work_done();
    ee_ap_result result;
    ee_ap_evaluate(&input, &parameters, &arena, &scratch, &result);
    ee_ap_explain(&input, &point, &scratch, &(ee_ap_explanation){.fates = fates});
    uint64_t cost = ee_work_done() - before;
    if (whole == 0) {
      whole = cost;
      after = 0;
    } else {
      assert_true(cost <= whole);
      if (cost < least) least = cost;
    }
    ee_work_watch(NULL);
    ee_arena_reset(&arena, 0);
  }
  assert_true(least < whole / 2); /* each of both begins with sorting the scene */
}

static void tells_who_took_what(void **state) {
  (void)state;
  scene s = {.objects = {{.box = {0, 0, 10, 10}, .area = 100}, {.box = {50, 0, 10, 10}, .area = 100}},
             .detections = {{.box = {200, 0, 10, 10}, .score = 0.9}, {.box = {50, 0, 10, 10}, .score = 0.5}}};
  ee_ap_operating_point point = {0.5, 0.1, {0, 1e10}, 10, true};
  bool found[2];
  uint32_t takers[2] = {7, 7};
  ee_ap_explain(&(ee_ap_input){s.objects, 2, s.detections, 2, 1, 1}, &point, &scratch,
                &(ee_ap_explanation){.found = found, .takers = takers});
  assert_true(!found[0] && takers[0] == 7 && found[1] && takers[1] == 1);
}

EE_TEST_FILE(make_arenas, free_arenas, cmocka_unit_test(test_defaults), cmocka_unit_test(test_sums),
             cmocka_unit_test(test_twelve), cmocka_unit_test(test_nothing), cmocka_unit_test(test_ties),
             cmocka_unit_test(test_twin), cmocka_unit_test(test_perfect), cmocka_unit_test(test_order),
             cmocka_unit_test(test_every_order), cmocka_unit_test(test_bounds), cmocka_unit_test(test_blank),
             cmocka_unit_test(test_many_scores), cmocka_unit_test(test_each_fate), cmocka_unit_test(test_blank_fates),
             cmocka_unit_test(test_explain_twin), cmocka_unit_test(reaches_no_recall_beyond_one),
             cmocka_unit_test(ends_when_it_is_interrupted), cmocka_unit_test(tells_who_took_what));
