/* test_coco.c: average precision, recall and counts against pycocotools' numbers, bit for bit; and where the two
 * differ, why. The facts are in coco/, with a README. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/files/dataset.h"
#include "data/json/json_reader.h"
#include "prim/average_precision.h"

/* Where we say something else. Our numbers come from a second evaluator in Python and numpy, which gives pycocotools'
 * numbers for all other cases. */
typedef struct deviation {
  const char *id;
  const char *reason;
  double stats[EE_AP_TWELVE];
  double precision_sum, recall_sum;
  uint64_t tp, fp, fn; /* at each point; only when `found` */
  bool found;          /* the matching differs, not only the summary: one category, and all of it found */
} deviation;

static const deviation deviations[] = {
    {.id = "h21_dup_gt_ids",
     .reason = "Two objects with one id are two objects; pycocotools reads the last one twice.",
     .stats = {1, 1, 1, 1, -1, -1, 1, 1, 1, 1, -1, -1},
     .precision_sum = 6060,
     .recall_sum = 60,
     .tp = 2,
     .found = true},
    {.id = "real_hotcoco_zero",
     .reason = "An object with the id 0 is found like any other; pycocotools takes the id for 'nothing found'.",
     .stats = {1, 1, 1, -1, 1, -1, 0.6666666666666667, 1, 1, -1, 1, -1},
     .precision_sum = 5380,
     .recall_sum = 53.33333333333333,
     .tp = 3,
     .found = true},
    {.id = "p2_maxdets",
     .reason = "AP is at the last limit, here 1,000; pycocotools asks for a limit of 100 and says -1.",
     .stats = {0.5546950262242136, 0.7786368877256966, 0.5763668520440944, 0.5876460813547775, 0.5530448216629894,
               0.5348271687225563, 0.00542257901207782, 0.04938507991610617, 0.8174375497215592, 0.8196572801241372,
               0.81021421107628, 0.8282193958664547},
     .precision_sum = 4938.385905762613,
     .recall_sum = 69.9935120541445},
};
enum { DEVIATIONS = sizeof deviations / sizeof *deviations, CASES = 36 };

static const deviation *find_deviation(ee_str id) {
  for (size_t i = 0; i < DEVIATIONS; i++) {
    if (ee_str_is(id, deviations[i].id)) return &deviations[i];
  }
  return NULL;
}

/* Documents ------------------------------------------------------------------------------------ */

static ee_arena arena, scratch;

static const ee_value *member(const ee_value *value, const char *key) {
  return ee_value_member(value, ee_str_from(key), NULL);
}

/* The numbers of an array. */
static double *numbers_of(const ee_value *array, size_t *count) {
  assert_int_equal(ee_type_of(array), EE_ARRAY);
  *count = ee_value_count(array);
  double *numbers = EE_NEW_ARRAY(&arena, double, *count), *out = numbers;
  for (const ee_value *item = ee_value_child(array); item != NULL; item = ee_value_next(item)) {
    assert_int_equal(ee_type_of(item), EE_NUMBER);
    *out++ = ee_value_number(item);
  }
  return numbers;
}

/* An array of arrays of at least `width` numbers: the first `width` of each. */
static double *rows_of(const ee_value *array, size_t width, size_t *count) {
  assert_int_equal(ee_type_of(array), EE_ARRAY);
  *count = ee_value_count(array);
  double *rows = EE_NEW_ARRAY(&arena, double, *count *width), *out = rows;
  for (const ee_value *item = ee_value_child(array); item != NULL; item = ee_value_next(item), out += width) {
    size_t found;
    double *numbers = numbers_of(item, &found);
    assert_true(found >= width);
    memcpy(out, numbers, width * sizeof *out);
  }
  return rows;
}

/* Cases ---------------------------------------------------------------------------------------- */

typedef struct detection_case {
  char id[64];
  double *images, *categories; /* ids in order */
  size_t image_count, category_count;
  ee_ap_object *objects;
  double *object_ids;
  ee_ap_detection *detections;
  size_t object_count, detection_count;
} detection_case;

static void sort_ids(double *ids, size_t count) {
  for (size_t i = 1; i < count; i++) {
    for (size_t k = i; k > 0 && ids[k] < ids[k - 1]; k--) {
      double id = ids[k];
      ids[k] = ids[k - 1];
      ids[k - 1] = id;
    }
  }
}

static uint32_t index_of(const double *ids, size_t count, double id) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (ids[middle] < id)
      low = middle + 1;
    else
      high = middle;
  }
  assert_true(low < count && ids[low] == id);
  return (uint32_t)low;
}

static void read_inputs(const ee_value *row, detection_case *c) {
  c->images = numbers_of(member(row, "images"), &c->image_count);
  c->categories = numbers_of(member(row, "categories"), &c->category_count);
  sort_ids(c->images, c->image_count);
  sort_ids(c->categories, c->category_count);
  double *objects = rows_of(member(row, "objects"), 9, &c->object_count);
  c->objects = EE_NEW_ARRAY(&arena, ee_ap_object, c->object_count);
  c->object_ids = EE_NEW_ARRAY(&arena, double, c->object_count);
  for (size_t i = 0; i < c->object_count; i++) {
    const double *from = objects + 9 * i; /* `ignored` stays false: see the README */
    c->object_ids[i] = from[0];
    c->objects[i] = (ee_ap_object){.box = {from[3], from[4], from[5], from[6]},
                                   .area = from[7],
                                   .image = index_of(c->images, c->image_count, from[1]),
                                   .category = index_of(c->categories, c->category_count, from[2]),
                                   .crowd = from[8] != 0};
  }
  double *detections = rows_of(member(row, "detections"), 7, &c->detection_count);
  c->detections = EE_NEW_ARRAY(&arena, ee_ap_detection, c->detection_count);
  for (size_t i = 0; i < c->detection_count; i++) {
    const double *from = detections + 7 * i;
    c->detections[i] = (ee_ap_detection){.box = {from[2], from[3], from[4], from[5]},
                                         .score = from[6],
                                         .image = index_of(c->images, c->image_count, from[0]),
                                         .category = index_of(c->categories, c->category_count, from[1])};
  }
}

static void read_parameters(const ee_value *row, ee_ap_parameters *parameters) {
  ee_ap_defaults(parameters);
  const ee_value *given = member(row, "parameters");
  if (given == NULL) return;
  uint32_t read = 0;
  const ee_value *thresholds = member(given, "iouThrs"), *ranges = member(given, "areaRng");
  const ee_value *limits = member(given, "maxDets");
  if (thresholds != NULL) {
    read++;
    parameters->thresholds = numbers_of(thresholds, &parameters->threshold_count);
  }
  if (ranges != NULL) {
    read++;
    double *bounds = rows_of(ranges, 2, &parameters->range_count);
    ee_ap_range *own = EE_NEW_ARRAY(&arena, ee_ap_range, parameters->range_count);
    for (size_t i = 0; i < parameters->range_count; i++) own[i] = (ee_ap_range){bounds[2 * i], bounds[2 * i + 1]};
    parameters->ranges = own;
  }
  if (limits != NULL) {
    read++;
    double *numbers = numbers_of(limits, &parameters->limit_count);
    unsigned *own = EE_NEW_ARRAY(&arena, unsigned, parameters->limit_count);
    for (size_t i = 0; i < parameters->limit_count; i++) own[i] = (unsigned)numbers[i];
    parameters->limits = own;
  }
  assert_int_equal(read, ee_value_count(given));
}

/* Comparing ------------------------------------------------------------------------------------ */

/* What went wrong and what was compared, over all cases. */
static size_t wrong, compared;

/* The same double, by its bits. */
static void same(const char *id, const char *what, size_t index, double ours, double theirs) {
  compared++;
  if (memcmp(&ours, &theirs, sizeof ours) == 0) return;
  wrong++;
  print_error("%s: %s %zu is %.17g, not %.17g\n", id, what, index, ours, theirs);
}

static void same_count(const char *id, const char *what, size_t index, uint64_t ours, uint64_t theirs) {
  compared++;
  if (ours == theirs) return;
  wrong++;
  print_error("%s: %s %zu is %llu, not %llu\n", id, what, index, (unsigned long long)ours, (unsigned long long)theirs);
}

/* The index of a threshold; -1 when it is not there, which happens to be what pycocotools calls its mean. */
static long threshold_of(const ee_ap_parameters *parameters, double threshold) {
  for (size_t i = 0; i < parameters->threshold_count; i++) {
    if (parameters->thresholds[i] == threshold) return (long)i;
  }
  return -1;
}

/* Sum and number of what is defined in a whole array. */
static void compare_sum(const char *id, const char *what, const double *values, size_t count, const ee_value *expected,
                        const double *own_sum) {
  ee_arena_mark mark = ee_arena_get_mark(&scratch);
  double *defined = EE_NEW_ARRAY(&scratch, double, count);
  size_t found = 0, width;
  for (size_t i = 0; i < count; i++) {
    if (values[i] > -1) defined[found++] = values[i];
  }
  double *theirs = numbers_of(expected, &width);
  assert_int_equal(width, 2);
  same(id, what, 0, ee_pairwise_sum(defined, found), own_sum != NULL ? *own_sum : theirs[0]);
  same_count(id, what, 1, found, (uint64_t)theirs[1]);
  ee_arena_rewind(&scratch, mark);
}

static void compare_curves(const detection_case *c, const ee_ap_result *result, const ee_value *expected,
                           const deviation *deviates) {
  const ee_ap_parameters *p = &result->parameters;
  double numbers[EE_AP_TWELVE];
  size_t count, differ = 0, last = p->limit_count - 1;
  double *stats = numbers_of(member(expected, "stats"), &count);
  assert_int_equal(count, EE_AP_TWELVE);
  ee_ap_twelve(result, &scratch, numbers);
  for (size_t i = 0; i < EE_AP_TWELVE; i++) {
    same(c->id, ee_ap_names[i], i, numbers[i], deviates != NULL ? deviates->stats[i] : stats[i]);
    differ += numbers[i] != stats[i];
  }
  /* A deviation that is none is a mistake of the list above. */
  if (deviates != NULL) assert_true(differ > 0);

  size_t cells = p->threshold_count * result->categories * p->range_count * p->limit_count;
  compare_sum(c->id, "precision", result->precision, cells * p->recall_count, member(expected, "precision"),
              deviates != NULL ? &deviates->precision_sum : NULL);
  compare_sum(c->id, "recall", result->recall, cells, member(expected, "recall"),
              deviates != NULL ? &deviates->recall_sum : NULL);
  if (deviates != NULL && deviates->found) return;

  double *thresholds = numbers_of(member(expected, "thresholds"), &count);
  assert_int_equal(count, p->threshold_count);
  double *means = numbers_of(member(expected, "per_threshold"), &count);
  assert_int_equal(count, p->threshold_count);
  for (size_t t = 0; t < p->threshold_count; t++) {
    same(c->id, "threshold", t, p->thresholds[t], thresholds[t]);
    same(c->id, "AP at threshold", t, ee_ap_mean_precision(result, (long)t, EE_AP_ALL, 0, last, &scratch), means[t]);
  }
  double *rows = rows_of(member(expected, "per_category"), 5, &count);
  assert_int_equal(count, c->category_count);
  for (size_t i = 0; i < count; i++) {
    const double *row = rows + 5 * i;
    long k = (long)index_of(c->categories, c->category_count, row[0]);
    long t50 = threshold_of(p, 0.5), t75 = threshold_of(p, 0.75);
    same(c->id, "AP of category", i, ee_ap_mean_precision(result, EE_AP_ALL, k, 0, last, &scratch), row[1]);
    same(c->id, "AP50 of category", i, t50 < 0 ? -1 : ee_ap_mean_precision(result, t50, k, 0, last, &scratch), row[2]);
    same(c->id, "AP75 of category", i, t75 < 0 ? -1 : ee_ap_mean_precision(result, t75, k, 0, last, &scratch), row[3]);
    same(c->id, "AR of category", i, ee_ap_mean_recall(result, EE_AP_ALL, k, 0, last, &scratch), row[4]);
  }
}

static void compare_counts(const detection_case *c, const ee_ap_parameters *parameters, const ee_value *expected,
                           const deviation *deviates) {
  size_t count;
  double *rows = rows_of(member(expected, "counts"), 5, &count);
  ee_ap_counts *counts = EE_NEW_ARRAY(&arena, ee_ap_counts, c->category_count);
  ee_ap_fate *fates = EE_NEW_ARRAY(&arena, ee_ap_fate, c->detection_count);
  bool *found = EE_NEW_ARRAY(&arena, bool, c->object_count);
  for (size_t i = 0; i < count; i++) {
    const double *row = rows + 5 * i;
    ee_ap_operating_point point = {.threshold = row[0],
                                   .min_score = row[1],
                                   .range = parameters->ranges[0],
                                   .limit = parameters->limits[parameters->limit_count - 1],
                                   .use_categories = true};
    ee_ap_explain(&(ee_ap_input){c->objects, c->object_count, c->detections, c->detection_count, c->image_count,
                                 c->category_count},
                  &point, &scratch, &(ee_ap_explanation){fates, found, NULL, counts});
    ee_ap_counts sum = {0}, by_fate = {0};
    for (size_t k = 0; k < c->category_count; k++) {
      sum.tp += counts[k].tp;
      sum.fp += counts[k].fp;
      sum.fn += counts[k].fn;
    }
    bool own = deviates != NULL && deviates->found;
    same_count(c->id, "true positives", i, sum.tp, own ? deviates->tp : (uint64_t)row[2]);
    same_count(c->id, "false positives", i, sum.fp, own ? deviates->fp : (uint64_t)row[3]);
    same_count(c->id, "false negatives", i, sum.fn, own ? deviates->fn : (uint64_t)row[4]);
    /* The single fates add up to the counts. */
    for (size_t k = 0; k < c->detection_count; k++) {
      by_fate.tp += fates[k] == EE_AP_TRUE;
      by_fate.fp += fates[k] >= EE_AP_DUPLICATE;
    }
    for (size_t k = 0; k < c->object_count; k++) by_fate.fn += found[k];
    same_count(c->id, "true fates", i, by_fate.tp, sum.tp);
    same_count(c->id, "false fates", i, by_fate.fp, sum.fp);
    same_count(c->id, "found objects", i, by_fate.fn, sum.tp);
  }
}

static void compare(const detection_case *c, const ee_value *row, const deviation *deviates) {
  ee_ap_parameters parameters;
  read_parameters(row, &parameters);
  ee_ap_result result;
  ee_ap_evaluate(
      &(ee_ap_input){c->objects, c->object_count, c->detections, c->detection_count, c->image_count, c->category_count},
      &parameters, &arena, &scratch, &result);
  const ee_value *expected = member(row, "expected");
  compare_curves(c, &result, expected, deviates);
  compare_counts(c, &parameters, expected, deviates);
}

/* Does to the objects what pycocotools' mistakes with ids do to them. */
static void read_as_they_do(detection_case *c) {
  for (size_t i = 0; i < c->object_count; i++) {
    c->objects[i].blank = c->object_ids[i] == 0;
    for (size_t k = i + 1; k < c->object_count; k++) {
      if (c->object_ids[k] == c->object_ids[i]) c->objects[i] = c->objects[k];
    }
  }
}

/* Compares one line. `c` still holds the case of the line before, whose inputs may be those of this one. */
static void compare_case(const ee_value *row, detection_case *c, uint32_t *known_deviations) {
  const ee_value *inputs_of = member(row, "inputs_of");
  if (inputs_of == NULL)
    read_inputs(row, c);
  else
    assert_true(ee_str_is(ee_value_text(inputs_of), c->id));
  ee_str id = ee_value_text(member(row, "case"));
  snprintf(c->id, sizeof c->id, "%.*s", (int)id.length, id.data);
  const deviation *deviates = find_deviation(id);
  *known_deviations += deviates != NULL;
  compare(c, row, deviates);
  if (deviates == NULL || !deviates->found) return;
  /* With their mistake we have their numbers: nothing else is between us. */
  read_as_they_do(c);
  compare(c, row, NULL);
}

static uint32_t compare_file(const char *name, uint32_t *known_deviations) {
  ee_error error = {0};
  ee_dataset *dataset = ee_dataset_open(&name, 1, &error);
  if (dataset == NULL) fail_msg("%s", error.message);
  ee_block block;
  ee_block_init(&block);
  bool done = false;
  uint32_t cases = 0;
  detection_case c = {0};
  for (;;) {
    if (ee_dataset_next(dataset, &block, &done, &error) != EE_OK) fail_msg("%s", error.message);
    if (done) break;
    for (size_t i = 0; i < block.count; i++, cases++) {
      ee_str text = {block.text.data + block.records[i].offset, block.records[i].length};
      const ee_value *row = ee_json_read(&arena, text, NULL, &error);
      if (row == NULL) fail_msg("%s:%llu: %s", name, (unsigned long long)block.records[i].line, error.message);
      compare_case(row, &c, known_deviations);
    }
  }
  ee_block_fini(&block);
  ee_dataset_close(dataset);
  return cases;
}

static void test_facts(void **state) {
  (void)state;
  uint32_t cases = 0, known = 0;
  ee_arena_init(&arena, 0);
  ee_arena_init(&scratch, 0);
  cases += compare_file("tests/peers/coco/small.jsonl", &known);
#ifdef EE_WITH_ZLIB
  cases += compare_file("tests/peers/coco/large.jsonl.gz", &known);
  assert_int_equal(cases, CASES);
  assert_int_equal(known, DEVIATIONS);
#else
  assert_true(cases > 0 && cases < CASES);
#endif
  ee_arena_fini(&arena);
  ee_arena_fini(&scratch);
  print_message("coco: %u cases, %zu numbers compared, %u cases in which we deviate\n", cases, compared, known);
  assert_int_equal(wrong, 0);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_facts));
