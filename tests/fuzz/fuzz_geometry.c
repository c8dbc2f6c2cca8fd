/* fuzz_geometry.c: boxes, polygons, oriented boxes and points as documents have them, and their overlaps.
 *
 * The first byte chooses format, metric and fill, the rest are two JSON values, a line each. Overlaps are in 0..1 and
 * symmetric where their metric is; a shape with an area overlaps itself wholly; a box is a polygon of its corners. */
#include <math.h>

#include "data/json/json_reader.h"
#include "fuzz/fuzz.h"
#include "judge/geometry/shape.h"

#define STEPS ((uint64_t)1 << 22)

static double overlap(const ee_shape_rule *rule, const ee_shape *a, const ee_shape *b, ee_arena *arena) {
  uint64_t steps = STEPS;
  double raw = 0, score = ee_shape_overlap(rule, a, b, &steps, arena, &raw);
  fuzz_require(score >= 0 && score <= 1 && steps <= STEPS);
  fuzz_require(steps == 0 || !isnan(raw));
  return steps == 0 ? -1 : score;
}

static double area(const ee_shape *shape, ee_fill_rule fill, ee_arena *arena) {
  uint64_t steps = STEPS;
  double size = shape->is_box ? ee_box_area(shape->box) : ee_polygon_area(&shape->polygon, fill, &steps, arena);
  fuzz_require(isnan(size) ? steps == 0 : size >= 0);
  return size;
}

static ee_shape corners_of(ee_box box, ee_arena *arena) {
  ee_point *points = EE_NEW_ARRAY(arena, ee_point, 4);
  points[0] = (ee_point){box.x1, box.y1};
  points[1] = (ee_point){box.x2, box.y1};
  points[2] = (ee_point){box.x2, box.y2};
  points[3] = (ee_point){box.x1, box.y2};
  ee_ring *ring = EE_NEW(arena, ee_ring);
  *ring = (ee_ring){points, 4};
  return (ee_shape){.box = box, .polygon = {ring, 1}};
}

static bool is_ordinary(ee_box box) {
  double width = box.x2 - box.x1, height = box.y2 - box.y1;
  double far = fmax(fmax(fabs(box.x1), fabs(box.x2)), fmax(fabs(box.y1), fabs(box.y2)));
  return far < 1e6 && width > 1e-3 && height > 1e-3;
}

static void check_boxes(const ee_shape_rule *rule, const ee_shape *a, const ee_shape *b, ee_arena *arena) {
  double exact = ee_iou(a->box, b->box), matrix = -1, portable = -1;
  fuzz_require(exact >= 0 && exact <= 1 && exact == ee_iou(b->box, a->box));
  ee_iou_matrix(&a->box, 1, &b->box, 1, &matrix);
  ee_iou_matrix_portable(&a->box, 1, &b->box, 1, &portable);
  fuzz_require(matrix == exact && portable == exact);
  double giou = ee_giou(a->box, b->box), diou = ee_diou(a->box, b->box), ciou = ee_ciou(a->box, b->box);
  fuzz_require(giou >= -1 && giou <= 1 && diou >= -1 && diou <= 1 && !isnan(ciou));
  fuzz_require(giou <= exact + 1e-12 && diou <= exact + 1e-12 && ciou <= diou + 1e-12);
  if (rule->metric != EE_OVERLAP_IOU || !is_ordinary(a->box) || !is_ordinary(b->box)) return;
  ee_shape x = corners_of(a->box, arena), y = corners_of(b->box, arena);
  double twin = overlap(rule, &x, &y, arena), mixed = overlap(rule, a, &y, arena);
  fuzz_require(fabs(twin - exact) < 1e-6 && fabs(mixed - exact) < 1e-6);
}

static void check_pair(const ee_shape_rule *rule, const ee_shape *a, const ee_shape *b, ee_arena *arena) {
  double one = overlap(rule, a, b, arena), other = overlap(rule, b, a, arena);
  if (rule->metric != EE_OVERLAP_IOA && one >= 0 && other >= 0) fuzz_require(fabs(one - other) < 1e-6);
  double size = area(a, rule->fill, arena), itself = overlap(rule, a, a, arena);
  if (size > 0 && isfinite(size) && itself >= 0) fuzz_require(itself > 1 - 1e-6);
  if (a->is_box && b->is_box) check_boxes(rule, a, b, arena);
  (void)ee_shape_formula(rule, a, b, arena);
}

static void check_points(const ee_value *a, const ee_value *b, ee_arena *arena) {
  const double *x, *y;
  size_t dimension, other;
  if (ee_point_read(a, arena, &x, &dimension) != NULL || ee_point_read(b, arena, &y, &other) != NULL) return;
  if (dimension != other) return;
  for (int metric = EE_DISTANCE_EUCLIDEAN; metric <= EE_DISTANCE_COSINE; metric++) {
    double distance = ee_point_distance((ee_distance_metric)metric, x, y, dimension);
    fuzz_require(distance >= 0 && isfinite(distance));
    fuzz_require(distance == ee_point_distance((ee_distance_metric)metric, y, x, dimension));
    double score = ee_distance_score(distance, 2, true);
    fuzz_require(score >= 0 && score <= 1);
    if (metric != EE_DISTANCE_COSINE) fuzz_require(ee_point_distance((ee_distance_metric)metric, x, x, dimension) == 0);
    ee_explanation how = {0};
    ee_distance_explain((ee_distance_metric)metric, x, y, dimension, 2, true, arena, &how);
  }
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  fuzz_source source = fuzz_source_of(data, size);
  uint8_t first = fuzz_byte(&source), second = fuzz_byte(&source);
  ee_shape_rule rule = {.format = (ee_shape_format)(first % 5),
                        .metric = (ee_overlap_metric)(first / 5 % 6),
                        .fill = second & 1 ? EE_FILL_NON_ZERO : EE_FILL_EVEN_ODD,
                        .degrees = second & 2,
                        .anticlockwise = second & 4,
                        .bounding_boxes = second & 8};
  const ee_value *a = ee_json_read(&arena, fuzz_line(&source), NULL, NULL);
  const ee_value *b = ee_json_read(&arena, fuzz_rest(&source), NULL, NULL);
  ee_shape x, y;
  const char *why = ee_shape_read(&rule, a, &arena, &x);
  if (why == NULL && ee_shape_read(&rule, b, &arena, &y) == NULL) check_pair(&rule, &x, &y, &arena);
  if (a != NULL && b != NULL) check_points(a, b, &arena);
  ee_arena_fini(&arena);
  return 0;
}

EE_FUZZ_TARGET(1024)
