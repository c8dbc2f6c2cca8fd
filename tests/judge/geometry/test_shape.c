/* test_shape.c: how shapes and points are read, and how much they overlap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "data/json/json_reader.h"
#include "judge/geometry/shape.h"
#include "support/random.h"

static const ee_shape_rule corners = {.degrees = true};

static const ee_value *json(ee_arena *arena, const char *text) {
  ee_error error = {0};
  const ee_value *value = ee_json_read(arena, ee_str_from(text), NULL, &error);
  if (value == NULL) fail_msg("%s: %s", text, error.message);
  return value;
}

static ee_shape read_shape(const ee_shape_rule *rule, const char *text, ee_arena *arena) {
  ee_shape shape;
  const char *trouble = ee_shape_read(rule, json(arena, text), arena, &shape);
  if (trouble != NULL) fail_msg("%s: %s", text, trouble);
  return shape;
}

static double overlap(const ee_shape_rule *rule, const char *expected, const char *candidate, double *raw) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_shape a = read_shape(rule, expected, &arena), b = read_shape(rule, candidate, &arena);
  double value = ee_shape_overlap(rule, &a, &b, NULL, &arena, raw);
  ee_arena_fini(&arena);
  return value;
}

/* Reading -------------------------------------------------------------------------------------- */

static void assert_box(const ee_shape_rule *rule, const char *text, double x1, double y1, double x2, double y2) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_shape shape = read_shape(rule, text, &arena);
  if (!shape.is_box) fail_msg("%s is no box", text);
  if (shape.box.x1 != x1 || shape.box.y1 != y1 || shape.box.x2 != x2 || shape.box.y2 != y2) {
    fail_msg("%s: %g %g %g %g", text, shape.box.x1, shape.box.y1, shape.box.x2, shape.box.y2);
  }
  ee_arena_fini(&arena);
}

static void test_boxes(void **state) {
  (void)state;
  ee_shape_rule rule = corners;
  assert_box(&rule, "[1,2,3,5]", 1, 2, 3, 5);
  assert_box(&rule, "[1,2,1,2]", 1, 2, 1, 2);
  assert_box(&rule, "[-1.5,-2e3,0,0.25]", -1.5, -2000, 0, 0.25);
  rule.format = EE_SHAPE_XYWH;
  assert_box(&rule, "[1,2,3,5]", 1, 2, 4, 7);
  rule.format = EE_SHAPE_CXCYWH;
  assert_box(&rule, "[1,2,4,6]", -1, -1, 3, 5);
  /* An object says its own format, and without one means the rule's. */
  assert_box(&rule, "{\"coordinates\":[1,2,4,6]}", -1, -1, 3, 5);
  assert_box(&rule, "{\"format\":null,\"coordinates\":[1,2,4,6]}", -1, -1, 3, 5);
  assert_box(&rule, "{\"format\":\"xyxy\",\"coordinates\":[1,2,4,6]}", 1, 2, 4, 6);
  assert_box(&rule, "{\"id\":7,\"coordinates\":[1,2,4,6],\"format\":\"xywh\"}", 1, 2, 5, 8);
}

static void assert_polygon(const ee_shape_rule *rule, const char *text, size_t rings, size_t points) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_shape shape = read_shape(rule, text, &arena);
  assert_false(shape.is_box);
  assert_int_equal(shape.polygon.count, rings);
  size_t count = 0;
  for (size_t i = 0; i < rings; i++) count += shape.polygon.rings[i].count;
  assert_int_equal(count, points);
  ee_arena_fini(&arena);
}

static void test_polygons(void **state) {
  (void)state;
  ee_shape_rule rule = corners;
  static const char triangle[] = "[[0,0],[4,0],[0,3]]";
  static const char holed[] = "[[[0,0],[9,0],[9,9],[0,9]],[[3,3],[6,3],[3,6]]]";
  static const ee_shape_format formats[] = {EE_SHAPE_XYXY, EE_SHAPE_XYWH, EE_SHAPE_CXCYWH, EE_SHAPE_POLYGON,
                                            EE_SHAPE_ORIENTED};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    rule.format = formats[i];
    assert_polygon(&rule, triangle, 1, 3);
    assert_polygon(&rule, holed, 2, 7);
    assert_polygon(&rule, "{\"format\":\"polygon\",\"coordinates\":[[0,0],[4,0],[4,4],[0,4]]}", 1, 4);
  }
  rule.bounding_boxes = true;
  assert_box(&rule, "[[1,0],[4,-1],[0,3]]", 0, -1, 4, 3);
  assert_box(&rule, holed, 0, 0, 9, 9);
}

static void test_oriented(void **state) {
  (void)state;
  ee_shape_rule rule = {.format = EE_SHAPE_ORIENTED, .degrees = true};
  /* By quarters it is a plain box, to the bit. */
  assert_box(&rule, "[5,5,4,2,0]", 3, 4, 7, 6);
  assert_box(&rule, "[5,5,4,2,180]", 3, 4, 7, 6);
  assert_box(&rule, "[5,5,4,2,-360]", 3, 4, 7, 6);
  assert_box(&rule, "[5,5,4,2,90]", 4, 3, 6, 7);
  assert_box(&rule, "[5,5,4,2,-90]", 4, 3, 6, 7);
  assert_box(&rule, "[5,5,4,2,450]", 4, 3, 6, 7);
  assert_polygon(&rule, "[5,5,4,2,45]", 1, 4);
  /* A cross of two 10 x 4 bars: 16 of 64. */
  assert_true(overlap(&rule, "[0,0,10,4,0]", "[0,0,10,4,90]", NULL) == 0.25);
  assert_true(fabs(overlap(&rule, "[0,0,10,4,30]", "[0,0,10,4,120]", NULL) - 0.25) < 1e-12);
  assert_true(overlap(&rule, "[3,-2,10,4,33]", "[3,-2,10,4,33]", NULL) == 1);
  /* The same box by degrees and by radians. */
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_shape_rule radians = rule;
  radians.degrees = false;
  ee_shape a = read_shape(&rule, "[1,2,8,3,30]", &arena);
  ee_shape b = read_shape(&radians, "[1,2,8,3,0.5235987755982988]", &arena);
  assert_true(ee_shape_overlap(&rule, &a, &b, NULL, &arena, NULL) > 1 - 1e-12);
  /* From x to y: the end of the long side at 30 degrees lies at y = 2 + 4 * sin 30. The other way round it lies below.
   */
  ee_shape_rule other = rule;
  other.anticlockwise = true;
  ee_shape up = read_shape(&rule, "[1,2,8,0,30]", &arena), down = read_shape(&other, "[1,2,8,0,30]", &arena);
  double up_x = 0, up_y = -1e9, down_x = 0;
  for (size_t i = 0; i < 4; i++) {
    ee_point point = up.polygon.rings[0].points[i];
    if (point.y > up_y) up_x = point.x, up_y = point.y;
    point = down.polygon.rings[0].points[i];
    if (point.y < 2) down_x = point.x;
  }
  assert_true(fabs(up_y - 4) < 1e-12 && up_x > 1);
  assert_true(down_x > 1);
  rule.bounding_boxes = true;
  ee_shape bounds = read_shape(&rule, "[0,0,2,2,45]", &arena);
  assert_true(bounds.is_box && fabs(bounds.box.x2 - sqrt(2)) < 1e-12 && fabs(bounds.box.y1 + sqrt(2)) < 1e-12);
  ee_arena_fini(&arena);
}

static void assert_trouble(const ee_shape_rule *rule, const char *text, const char *expected) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_shape shape;
  const char *trouble = ee_shape_read(rule, json(&arena, text), &arena, &shape);
  if (trouble == NULL) fail_msg("%s was read", text);
  assert_string_equal(trouble, expected);
  ee_arena_fini(&arena);
}

static void test_troubles(void **state) {
  (void)state;
  ee_shape_rule rule = corners;
  assert_trouble(&rule, "[3,0,1,2]", "corners the wrong way round");
  assert_trouble(&rule, "[0,3,1,2]", "corners the wrong way round");
  assert_trouble(&rule, "[0,0,1]", "not four numbers");
  assert_trouble(&rule, "[0,0,1,2,3]", "not four numbers");
  assert_trouble(&rule, "[0,0,1,\"2\"]", "not four numbers");
  assert_trouble(&rule, "[0,0,1,[2]]", "not four numbers");
  assert_trouble(&rule, "[]", "an empty array");
  assert_trouble(&rule, "7", "not an array of numbers");
  assert_trouble(&rule, "\"0,0,1,1\"", "not an array of numbers");
  assert_trouble(&rule, "[0,0,1e999,1]", "a coordinate is not a finite number");
  assert_trouble(&rule, "{\"format\":\"xyxy\"}", "no 'coordinates' in it");
  assert_trouble(&rule, "{\"coordinates\":null}", "no 'coordinates' in it");
  assert_trouble(&rule, "{\"coordinates\":{\"x\":1}}", "its 'coordinates' are not an array");
  assert_trouble(&rule, "{\"coordinates\":[]}", "an empty array");
  static const char unknown[] = "unknown format (known: xyxy, xywh, cxcywh, polygon, oriented)";
  assert_trouble(&rule, "{\"format\":\"yxyx\",\"coordinates\":[0,0,1,1]}", unknown);
  assert_trouble(&rule, "{\"format\":4,\"coordinates\":[0,0,1,1]}", unknown);
  assert_trouble(&rule, "[[0,0],[1,1]]", "a polygon of 2 points");
  assert_trouble(&rule, "[[0,0]]", "a polygon of 1 point");
  assert_trouble(&rule, "{\"format\":\"polygon\",\"coordinates\":[]}", "an empty array");
  assert_trouble(&rule, "[[[0,0],[4,0],[0,4]],[[1,1],[2,2]]]", "a ring of 2 points");
  assert_trouble(&rule, "[[[0,0],[4,0],[0,4]],[]]", "a ring of 0 points");
  assert_trouble(&rule, "[[[0,0],[4,0],[0,4]],7]", "a ring is not an array of points");
  assert_trouble(&rule, "[[0,0],[4,0],[0]]", "a point is not two numbers");
  assert_trouble(&rule, "[[0,0],[4,0],[0,4,1]]", "a point is not two numbers");
  assert_trouble(&rule, "[[0,0],[4,0],7]", "a point is not two numbers");
  assert_trouble(&rule, "[[0,0],[4,0],[0,-1e999]]", "a coordinate is not a finite number");
  rule.format = EE_SHAPE_XYWH;
  assert_trouble(&rule, "[0,0,-1,2]", "a negative width or height");
  /* The corner leaves the doubles' range. */
  assert_trouble(&rule, "[1e308,0,1e308,1]", "a coordinate is not a finite number");
  rule.format = EE_SHAPE_CXCYWH;
  assert_trouble(&rule, "[0,0,1,-2]", "a negative width or height");
  rule.format = EE_SHAPE_POLYGON;
  assert_trouble(&rule, "[0,0,1,2]", "a point is not two numbers");
  rule.format = EE_SHAPE_ORIENTED;
  assert_trouble(&rule, "[0,0,1,2]", "not five numbers (centre, size and angle)");
  assert_trouble(&rule, "[0,0,-1,2,45]", "a negative width or height");
  assert_trouble(&rule, "[1.7e308,0,1e308,1,45]", "a coordinate is not a finite number");
  rule.metric = EE_OVERLAP_GIOU;
  assert_trouble(&rule, "[[0,0],[4,0],[0,4]]",
                 "a polygon, and the metric compares boxes (polygon = \"bbox\" uses bounding boxes)");
  assert_trouble(&rule, "[0,0,2,2,0]",
                 "an oriented box, and the metric compares boxes (polygon = \"bbox\" uses bounding boxes)");
  rule.bounding_boxes = true;
  assert_box(&rule, "[0,0,2,2,0]", -1, -1, 1, 1);
}

/* Overlaps ------------------------------------------------------------------------------------- */

static void test_metrics(void **state) {
  (void)state;
  static const struct {
    ee_overlap_metric metric;
    double value;
  } rows[] = {{EE_OVERLAP_IOU, 1.0 / 7},   {EE_OVERLAP_GIOU, -0.07936507936507936},
              {EE_OVERLAP_DIOU, 2.0 / 63}, {EE_OVERLAP_CIOU, 2.0 / 63},
              {EE_OVERLAP_IOS, 0.25},      {EE_OVERLAP_IOA, 0.25}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ee_shape_rule rule = {.metric = rows[i].metric};
    double raw, value = overlap(&rule, "[100,100,200,200]", "[150,150,250,250]", &raw);
    if (fabs(raw - rows[i].value) > 1e-15) fail_msg("%s: %.17g", ee_overlap_name(rule.metric), raw);
    assert_true(value == fmax(raw, 0));
    assert_true(overlap(&rule, "[1,2,30,40]", "[1,2,30,40]", &raw) == 1 && raw == 1);
    assert_true(overlap(&rule, "[1,2,3,4]", "[5,6,7,8]", NULL) == 0);
  }
  /* ioa is over the candidate's area. */
  ee_shape_rule rule = {.metric = EE_OVERLAP_IOA};
  assert_true(overlap(&rule, "[0,0,10,10]", "[0,0,5,5]", NULL) == 1);
  assert_true(overlap(&rule, "[0,0,5,5]", "[0,0,10,10]", NULL) == 0.25);
  rule.metric = EE_OVERLAP_IOS;
  assert_true(overlap(&rule, "[0,0,5,5]", "[0,0,10,10]", NULL) == 1);
  /* A box without an area overlaps nothing. */
  rule.metric = EE_OVERLAP_IOU;
  assert_true(overlap(&rule, "[1,1,1,5]", "[1,1,1,5]", NULL) == 0);
  assert_true(overlap(&rule, "[1e307,1e307,1.5e308,1e308]", "[1e307,1e307,1.5e308,1e308]", NULL) == 1);
}

static void test_polygon_overlaps(void **state) {
  (void)state;
  ee_shape_rule rule = corners;
  /* Half of a square: a triangle against the box around it. */
  static const char triangle[] = "[[0,0],[10,0],[0,10]]";
  assert_true(fabs(overlap(&rule, triangle, "[0,0,10,10]", NULL) - 0.5) < 1e-12);
  assert_true(fabs(overlap(&rule, "[0,0,10,10]", triangle, NULL) - 0.5) < 1e-12);
  rule.metric = EE_OVERLAP_IOS;
  assert_true(fabs(overlap(&rule, triangle, "[0,0,10,10]", NULL) - 1) < 1e-12);
  rule.metric = EE_OVERLAP_IOA;
  assert_true(fabs(overlap(&rule, triangle, "[0,0,10,10]", NULL) - 0.5) < 1e-12);
  assert_true(fabs(overlap(&rule, "[0,0,10,10]", triangle, NULL) - 1) < 1e-12);
  assert_true(overlap(&rule, triangle, "[20,20,30,30]", NULL) == 0);
  rule.metric = EE_OVERLAP_IOU;
  static const char holed[] = "[[[0,0],[10,0],[10,10],[0,10]],[[3,3],[7,3],[7,7],[3,7]]]";
  assert_true(fabs(overlap(&rule, holed, "[0,0,10,10]", NULL) - 0.84) < 1e-12);
  rule.fill = EE_FILL_NON_ZERO;
  assert_true(fabs(overlap(&rule, holed, "[0,0,10,10]", NULL) - 1) < 1e-12);
  rule.bounding_boxes = true;
  assert_true(overlap(&rule, triangle, "[0,0,10,10]", NULL) == 1);
  rule.metric = EE_OVERLAP_GIOU;
  assert_true(overlap(&rule, triangle, "[0,0,10,10]", NULL) == 1);
  /* Points on one line have no area and are valid. */
  assert_true(overlap(&corners, "[[0,0],[1,1],[2,2]]", "[[0,0],[1,1],[2,2]]", NULL) == 0);
}

/* A rectangle says the same as a box and as a polygon, in either direction and from any corner. */
static void test_rectangles(void **state) {
  (void)state;
  test_random random = test_random_start("rectangles", 41);
  for (size_t round = 0; round < 400; round++) {
    char box[2][200], polygon[2][200];
    for (size_t k = 0; k < 2; k++) {
      int x1 = (int)test_random_below(&random, 20), y1 = (int)test_random_below(&random, 20);
      int x2 = x1 + 1 + (int)test_random_below(&random, 20), y2 = y1 + 1 + (int)test_random_below(&random, 20);
      const int ring[8][2] = {{x1, y1}, {x2, y1}, {x2, y2}, {x1, y2}, {x1, y1}, {x2, y1}, {x2, y2}, {x1, y2}};
      size_t from = test_random_below(&random, 4);
      bool back = test_random_below(&random, 2) == 1;
      snprintf(box[k], sizeof box[k], "[%d,%d,%d,%d]", x1, y1, x2, y2);
      size_t length = 0;
      for (size_t i = 0; i < 4; i++) {
        const int *point = ring[back ? from + 3 - i : from + i];
        length += (size_t)snprintf(polygon[k] + length, sizeof polygon[k] - length, "%s[%d,%d]", i == 0 ? "[" : ",",
                                   point[0], point[1]);
      }
      snprintf(polygon[k] + length, sizeof polygon[k] - length, "]");
    }
    static const ee_overlap_metric metrics[] = {EE_OVERLAP_IOU, EE_OVERLAP_IOS, EE_OVERLAP_IOA};
    for (size_t i = 0; i < 3; i++) {
      ee_shape_rule rule = {.metric = metrics[i]};
      double plain = overlap(&rule, box[0], box[1], NULL);
      double mixed = overlap(&rule, box[0], polygon[1], NULL), both = overlap(&rule, polygon[0], polygon[1], NULL);
      if (fabs(plain - mixed) > 1e-9 || fabs(plain - both) > 1e-9) {
        fail_msg("%s %s %s: %.17g %.17g %.17g", ee_overlap_name(metrics[i]), box[0], box[1], plain, mixed, both);
      }
    }
  }
}

static void assert_formula(ee_overlap_metric metric, const char *expected, const char *candidate, const char *formula) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_shape_rule rule = {.metric = metric};
  ee_shape a, b;
  assert_null(ee_shape_read(&rule, json(&arena, expected), &arena, &a));
  assert_null(ee_shape_read(&rule, json(&arena, candidate), &arena, &b));
  const char *found = ee_shape_formula(&rule, &a, &b, &arena);
  if (found == NULL || formula == NULL)
    assert_true(found == formula);
  else
    assert_string_equal(found, formula);
  ee_arena_fini(&arena);
}

/* Of boxes, where the overlap is one quotient that is defined. */
static void test_formulas(void **state) {
  (void)state;
  const char *box = "[0,0,4,2]", *other = "[1,0,4,4]", *empty = "[1,1,1,1]", *triangle = "[[0,0],[4,0],[0,4]]";
  assert_formula(EE_OVERLAP_IOU, box, other, "6/(8 + 12 - 6)");
  assert_formula(EE_OVERLAP_IOS, box, other, "6/min(8, 12)");
  assert_formula(EE_OVERLAP_IOA, box, other, "6/12");
  assert_formula(EE_OVERLAP_GIOU, box, other, NULL);
  assert_formula(EE_OVERLAP_DIOU, box, other, NULL);
  assert_formula(EE_OVERLAP_CIOU, box, other, NULL);
  assert_formula(EE_OVERLAP_IOU, box, empty, "0/(8 + 0 - 0)");
  assert_formula(EE_OVERLAP_IOU, empty, empty, NULL);
  assert_formula(EE_OVERLAP_IOS, box, empty, NULL);
  assert_formula(EE_OVERLAP_IOA, empty, box, "0/8");
  assert_formula(EE_OVERLAP_IOA, box, empty, NULL);
  assert_formula(EE_OVERLAP_IOU, box, triangle, NULL);
  assert_formula(EE_OVERLAP_IOU, triangle, box, NULL);
}

/* Points --------------------------------------------------------------------------------------- */

static void assert_point_trouble(const char *text, const char *expected) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const double *numbers;
  size_t dimension;
  const char *trouble = ee_point_read(json(&arena, text), &arena, &numbers, &dimension);
  if (trouble == NULL) fail_msg("%s was read", text);
  assert_string_equal(trouble, expected);
  ee_arena_fini(&arena);
}

static void test_points(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const double *numbers;
  size_t dimension;
  assert_null(ee_point_read(json(&arena, "[1,-2.5,1e300]"), &arena, &numbers, &dimension));
  assert_int_equal(dimension, 3);
  assert_true(numbers[0] == 1 && numbers[1] == -2.5 && numbers[2] == 1e300);
  ee_arena_fini(&arena);
  assert_point_trouble("[]", "an empty array");
  assert_point_trouble("[1,\"2\"]", "not an array of numbers");
  assert_point_trouble("[[1,2]]", "not an array of numbers");
  assert_point_trouble("3", "not an array of numbers");
  assert_point_trouble("[1,1e999]", "a coordinate is not a finite number");
}

static void test_distances(void **state) {
  (void)state;
  const double a[] = {0, 3}, b[] = {4, 0}, zero[] = {0, 0}, far[] = {-DBL_MAX, -DBL_MAX}, near[] = {DBL_MAX, DBL_MAX};
  assert_true(ee_point_distance(EE_DISTANCE_EUCLIDEAN, a, b, 2) == 5);
  assert_true(ee_point_distance(EE_DISTANCE_MANHATTAN, a, b, 2) == 7);
  assert_true(ee_point_distance(EE_DISTANCE_COSINE, a, b, 2) == 1);
  assert_true(ee_point_distance(EE_DISTANCE_COSINE, a, a, 2) == 0);
  assert_true(ee_point_distance(EE_DISTANCE_COSINE, a, zero, 2) == 1);
  assert_true(ee_point_distance(EE_DISTANCE_MANHATTAN, far, near, 2) == DBL_MAX);
  assert_true(ee_point_distance(EE_DISTANCE_EUCLIDEAN, far, near, 2) == DBL_MAX);
  assert_true(ee_point_distance(EE_DISTANCE_COSINE, far, near, 2) == 2);

  assert_true(ee_distance_score(2, 2, false) == 1 && ee_distance_score(2.001, 2, false) == 0);
  /* Decimals whose difference is off by an ulp. */
  assert_true(0.1 + 0.2 > 0.3 && ee_distance_score(0.1 + 0.2, 0.3, false) == 1);
  assert_true(ee_distance_score(0, 0, false) == 1 && ee_distance_score(1e-300, 0, true) == 0);
  assert_true(ee_distance_score(3, 2, true) == 0.5 && ee_distance_score(4, 2, true) == 0);
  assert_true(ee_distance_score(DBL_MAX, 2, true) == 0 && ee_distance_score(DBL_MAX, 1e-300, true) == 0);
  double above = 2 + 4 * 0x1p-50;
  assert_true(ee_distance_score(above, 2, true) < 1 && ee_distance_score(above, 2, true) > 0.999);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_boxes), cmocka_unit_test(test_polygons), cmocka_unit_test(test_oriented),
             cmocka_unit_test(test_troubles), cmocka_unit_test(test_metrics), cmocka_unit_test(test_polygon_overlaps),
             cmocka_unit_test(test_rectangles), cmocka_unit_test(test_formulas), cmocka_unit_test(test_points),
             cmocka_unit_test(test_distances));
