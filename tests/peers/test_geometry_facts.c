/* test_geometry_facts.c: boxes, oriented boxes, polygons, distances and assignments whose results others have published
 * or computed.
 *
 * geometry_cases.jsonl holds a fact a line: published values, to the tolerance of their rounding, and values by the
 * published formulas, to 1e-9. Polygons' values are by the even-odd rule, those called _nonzero by the other. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
/* cmocka.h needs some of the above. */
#include <cmocka.h>

#include "data/json/json_reader.h"
#include "prim/assign.h"
#include "prim/box.h"
#include "prim/polygon.h"

static ee_arena arena;

/* The file ------------------------------------------------------------------------------------- */

static const ee_value *member(const ee_value *value, const char *key) {
  return ee_value_member(value, ee_str_from(key), NULL);
}

static const ee_value *needed(const ee_value *value, const char *key) {
  const ee_value *found = member(value, key);
  if (found == NULL) fail_msg("no member '%s'", key);
  return found;
}

static bool has_text(const ee_value *value, const char *text) {
  return ee_type_of(value) == EE_STRING && ee_str_is(ee_value_text(value), text);
}

static const char *id_of(const ee_value *row) { return needed(row, "id")->json.valuestring; }

enum { MOST_ROWS = 500 };
static const ee_value *rows[MOST_ROWS];
static size_t row_count;

static int read_rows(void **state) {
  (void)state;
  ee_arena_init(&arena, 0);
  FILE *file = fopen("tests/peers/geometry_cases.jsonl", "rb");
  if (file == NULL) return -1;
  char *line = NULL;
  size_t capacity = 0;
  for (ssize_t length; (length = getline(&line, &capacity, file)) > 0;) {
    ee_error error = {0};
    if (row_count == MOST_ROWS) return -1;
    rows[row_count++] = ee_json_read(&arena, (ee_str){line, (size_t)length}, NULL, &error);
    if (rows[row_count - 1] == NULL) {
      fprintf(stderr, "line %zu: %s\n", row_count, error.message);
      return -1;
    }
  }
  free(line);
  fclose(file);
  return 0;
}

static int free_rows(void **state) {
  (void)state;
  ee_arena_fini(&arena);
  return 0;
}

static size_t read_numbers(const ee_value *list, double *out, size_t most) {
  size_t count = 0;
  for (const ee_value *item = ee_value_child(list); item != NULL; item = ee_value_next(item)) {
    assert_true(count < most);
    out[count++] = ee_value_number(item);
  }
  return count;
}

/* Values of about 1 to 1e-9; larger ones to so many digits. `size` is what the value was computed from, where
 * cancellation has eaten digits. */
static void assert_value(const ee_value *row, const char *key, double got, double size, double tolerance) {
  const ee_value *value = member(row, key);
  if (value == NULL) return;
  double want = ee_value_number(value);
  if (!(fabs(got - want) <= tolerance * fmax(fabs(want), size)))
    fail_msg("%s: %s is %.17g, not %.17g", id_of(row), key, got, want);
}

/* Boxes ---------------------------------------------------------------------------------------- */

static ee_box read_box(const ee_value *row, const char *side) {
  double at[4];
  assert_int_equal(read_numbers(needed(row, side), at, 4), 4);
  const ee_value *format = needed(row, "format");
  if (has_text(format, "xywh")) return ee_box_from_xywh(at);
  if (has_text(format, "cxcywh")) return ee_box_from_cxcywh(at);
  assert_true(has_text(format, "xyxy"));
  return (ee_box){at[0], at[1], at[2], at[3]};
}

/* In the facts `a` is the detection, which our measure takes second. */
static double ioa_of_first(ee_box a, ee_box b) { return ee_ioa(b, a); }

static const struct {
  const char *key;
  double (*measure)(ee_box, ee_box);
} box_measures[] = {{"iou", ee_iou},   {"giou", ee_giou}, {"diou", ee_diou},
                    {"ciou", ee_ciou}, {"ios", ee_ios},   {"ioa", ioa_of_first}};

static void knows_boxes(void **state) {
  (void)state;
  size_t refused = 0, flat = 0, valid = 0, published_values = 0;
  for (size_t i = 0; i < row_count; i++) {
    const ee_value *row = rows[i];
    if (!has_text(needed(row, "kind"), "box")) continue;
    ee_box a = read_box(row, "a"), b = read_box(row, "b");
    if (ee_type_of(member(row, "invalid")) == EE_TRUE) {
      /* Theirs is invalid without an area, too; to us that is a box, which overlaps nothing. */
      if (ee_box_check(a) != NULL) {
        refused++;
        continue;
      }
      assert_true(ee_box_area(a) == 0 && ee_iou(a, b) == 0);
      flat++;
      continue;
    }
    valid++;
    assert_null(ee_box_check(a));
    assert_null(ee_box_check(b));
    double both = ee_box_intersection(a, b);
    assert_value(row, "intersection", both, 0, 1e-9);
    assert_value(row, "union", ee_box_area(a) + ee_box_area(b) - both, 0, 1e-9);
    const ee_value *published = member(row, "published");
    for (size_t k = 0; k < sizeof box_measures / sizeof *box_measures; k++) {
      const char *key = box_measures[k].key;
      double got = box_measures[k].measure(a, b);
      assert_non_null(member(row, key));
      assert_value(row, key, got, k == 0 ? 0 : 1, 1e-9);
      const ee_value *value = member(published, key);
      if (value == NULL) continue;
      published_values++;
      double tolerance = ee_value_number(needed(row, "published_tolerance"));
      if (!(fabs(got - ee_value_number(value)) <= tolerance))
        fail_msg("%s: %s is %.17g, published as %.17g", id_of(row), key, got, ee_value_number(value));
    }
    double in_matrix;
    ee_iou_matrix(&a, 1, &b, 1, &in_matrix);
    assert_true(in_matrix == ee_iou(a, b));
  }
  assert_int_equal(refused, 2);
  assert_int_equal(flat, 1);
  assert_int_equal(valid, 176);
  assert_int_equal(published_values, 25);
}

/* Polygons ------------------------------------------------------------------------------------- */

static ee_polygon read_polygon(const ee_value *list) {
  size_t ring_count = ee_value_count(list), r = 0;
  ee_ring *rings = EE_NEW_ARRAY(&arena, ee_ring, ring_count);
  for (const ee_value *ring = ee_value_child(list); ring != NULL; ring = ee_value_next(ring), r++) {
    ee_point *points = EE_NEW_ARRAY(&arena, ee_point, ee_value_count(ring));
    size_t count = 0;
    for (const ee_value *point = ee_value_child(ring); point != NULL; point = ee_value_next(point)) {
      double at[2];
      assert_int_equal(read_numbers(point, at, 2), 2);
      points[count++] = (ee_point){at[0], at[1]};
    }
    rings[r] = (ee_ring){points, count};
  }
  return (ee_polygon){rings, ring_count};
}

static void knows_polygons(void **state) {
  (void)state;
  static const char *const keys[2][4] = {{"area_a", "area_b", "intersection", "iou"},
                                         {"area_a_nonzero", "area_b_nonzero", "intersection_nonzero", "iou_nonzero"}};
  size_t count = 0;
  for (size_t i = 0; i < row_count; i++) {
    const ee_value *row = rows[i];
    if (!has_text(needed(row, "kind"), "polygon")) continue;
    count++;
    ee_polygon a = read_polygon(needed(row, "a")), b = read_polygon(needed(row, "b"));
    assert_null(ee_polygon_check(&a));
    assert_null(ee_polygon_check(&b));
    double tolerance = ee_value_number(needed(row, "tolerance"));
    assert_non_null(member(row, "iou"));
    for (int rule = 0; rule < 2; rule++) {
      ee_fill_rule fill = rule == 0 ? EE_FILL_EVEN_ODD : EE_FILL_NON_ZERO;
      double area_a = ee_polygon_area(&a, fill, NULL, &arena), area_b = ee_polygon_area(&b, fill, NULL, &arena);
      assert_value(row, keys[rule][0], area_a, 0, 1e-9);
      assert_value(row, keys[rule][1], area_b, 0, 1e-9);
      for (int turn = 0; turn < 2; turn++) {
        const ee_polygon *first = turn == 0 ? &a : &b, *second = turn == 0 ? &b : &a;
        assert_value(row, keys[rule][2], ee_polygon_intersection(first, second, fill, NULL, &arena),
                     fmin(area_a, area_b), tolerance);
        assert_value(row, keys[rule][3], ee_polygon_iou(first, second, fill, NULL, &arena), 1, tolerance);
      }
    }
  }
  assert_int_equal(count, 139);
}

static ee_polygon read_oriented_box(const ee_value *row, const char *side) {
  double at[5];
  assert_int_equal(read_numbers(needed(row, side), at, 5), 5);
  if (has_text(needed(row, "angle"), "deg")) at[4] *= M_PI / 180;
  /* Theirs turn from the x axis away from the y axis, which points down on a screen. */
  if (!has_text(needed(row, "direction"), "x towards y")) at[4] = -at[4];
  ee_point *corners = EE_NEW_ARRAY(&arena, ee_point, 4);
  ee_ring *ring = EE_NEW(&arena, ee_ring);
  ee_oriented_box_corners(at, corners);
  *ring = (ee_ring){corners, 4};
  return (ee_polygon){ring, 1};
}

static void assert_corners(const ee_value *row, const char *key, const ee_polygon *box) {
  size_t i = 0;
  for (const ee_value *point = ee_value_child(needed(row, key)); point != NULL; point = ee_value_next(point), i++) {
    double at[2];
    read_numbers(point, at, 2);
    assert_true(i < 4);
    assert_true(fabs(box->rings->points[i].x - at[0]) <= 1e-9 * fmax(1, fabs(at[0])));
    assert_true(fabs(box->rings->points[i].y - at[1]) <= 1e-9 * fmax(1, fabs(at[1])));
  }
  assert_int_equal(i, 4);
}

static void knows_oriented_boxes(void **state) {
  (void)state;
  size_t count = 0;
  for (size_t i = 0; i < row_count; i++) {
    const ee_value *row = rows[i];
    if (!has_text(needed(row, "kind"), "obb")) continue;
    count++;
    ee_polygon a = read_oriented_box(row, "a"), b = read_oriented_box(row, "b");
    assert_corners(row, "corners_a", &a);
    assert_corners(row, "corners_b", &b);
    assert_value(row, "iou", ee_polygon_iou(&a, &b, EE_FILL_EVEN_ODD, NULL, &arena), 1, 1e-9);
    assert_value(row, "iou", ee_polygon_iou(&b, &a, EE_FILL_NON_ZERO, NULL, &arena), 1, 1e-9);
  }
  assert_int_equal(count, 6);
}

/* Distances and assignments -------------------------------------------------------------------- */

static void knows_distances(void **state) {
  (void)state;
  size_t count = 0;
  for (size_t i = 0; i < row_count; i++) {
    const ee_value *row = rows[i];
    if (!has_text(needed(row, "kind"), "distance")) continue;
    count++;
    double a[8], b[8];
    size_t dimension = read_numbers(needed(row, "a"), a, 8);
    assert_int_equal(read_numbers(needed(row, "b"), b, 8), dimension);
    assert_value(row, "euclidean", ee_euclidean(a, b, dimension), 0, 1e-12);
    assert_value(row, "manhattan", ee_manhattan(a, b, dimension), 0, 1e-12);
    assert_value(row, "cosine", ee_cosine(a, b, dimension), 1, 1e-12);
  }
  assert_int_equal(count, 6);
}

/* A cost that stands for a pair which is not possible: larger than all others of any row together. */
#define IMPOSSIBLE 1e6

static void knows_assignments(void **state) {
  (void)state;
  size_t count = 0, impossible = 0;
  for (size_t i = 0; i < row_count; i++) {
    const ee_value *row = rows[i];
    if (!has_text(needed(row, "kind"), "assignment")) continue;
    count++;
    const ee_value *matrix = needed(row, "cost");
    size_t height = ee_value_count(matrix), width = ee_value_count(ee_value_child(matrix)), at = 0;
    double *costs = EE_NEW_ARRAY(&arena, double, height *width);
    for (const ee_value *line = ee_value_child(matrix); line != NULL; line = ee_value_next(line))
      for (const ee_value *cost = ee_value_child(line); cost != NULL; cost = ee_value_next(cost))
        costs[at++] = ee_type_of(cost) == EE_NUMBER ? ee_value_number(cost) : IMPOSSIBLE;
    assert_int_equal(at, height * width);
    uint32_t *column_of = EE_NEW_ARRAY(&arena, uint32_t, height);
    double least = ee_assign_dense(costs, height, width, column_of, &arena);
    if (ee_type_of(needed(row, "least")) == EE_NULL) {
      assert_true(least >= IMPOSSIBLE);
      impossible++;
    } else {
      assert_value(row, "least", least, 1, 1e-9);
    }
    if (ee_type_of(needed(row, "most")) == EE_NULL) continue;
    for (size_t k = 0; k < at; k++) costs[k] = -costs[k];
    assert_value(row, "most", -ee_assign_dense(costs, height, width, column_of, &arena), 1, 1e-9);
  }
  assert_int_equal(count, 16);
  assert_int_equal(impossible, 1);
}

EE_TEST_FILE(read_rows, free_rows, cmocka_unit_test(knows_boxes), cmocka_unit_test(knows_polygons),
             cmocka_unit_test(knows_oriented_boxes), cmocka_unit_test(knows_distances),
             cmocka_unit_test(knows_assignments));
