/* shape.c: reading boxes, polygons and points, how much two shapes overlap, and how far two points lie apart. */
#include "judge/geometry/shape.h"

#include <float.h>
#include <math.h>

#include "base/limits.h"
#include "judge/plan.h"

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

/* Rules ---------------------------------------------------------------------------------------- */

static const char *const format_names[] = {"xyxy", "xywh", "cxcywh", "polygon", "oriented"};
static const char *const metric_names[] = {"iou", "giou", "diou", "ciou", "ios", "ioa"};
static const char *const distance_names[] = {"euclidean", "manhattan", "cosine"};

static const char *format_name(ee_shape_format format) { return format_names[format]; }

const char *ee_overlap_name(ee_overlap_metric metric) { return metric_names[metric]; }
const char *ee_distance_name(ee_distance_metric metric) { return distance_names[metric]; }

/* giou, diou and ciou use hulls, centres and sides of boxes, which polygons do not have. */
static bool needs_boxes(const ee_shape_rule *rule) {
  bool of_boxes = rule->metric == EE_OVERLAP_GIOU || rule->metric == EE_OVERLAP_DIOU || rule->metric == EE_OVERLAP_CIOU;
  return of_boxes && !rule->bounding_boxes;
}

static bool has_boxes(ee_shape_format format) { return format != EE_SHAPE_POLYGON && format != EE_SHAPE_ORIENTED; }

void ee_shape_rule_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_shape_rule *rule) {
  *rule = (ee_shape_rule){
      .format = (ee_shape_format)ee_option_choice(node, "format", EE_SHAPE_FORMATS, "xyxy"),
      .metric = (ee_overlap_metric)ee_option_choice(node, "metric", EE_OVERLAP_METRICS, "iou"),
      .bounding_boxes = ee_option_is(node, "polygon", "bbox"),
      .fill = ee_option_is(node, "fill", "non_zero") ? EE_FILL_NON_ZERO : EE_FILL_EVEN_ODD,
      .degrees = !ee_option_is(node, "angle", "radians"),
      .anticlockwise = ee_option_is(node, "direction", "y_to_x"),
  };
  if (!needs_boxes(rule) || has_boxes(rule->format)) return;
  ee_compile_error(builder, node, "metric \"%s\" compares boxes: format \"%s\" needs polygon = \"bbox\"",
                   ee_overlap_name(rule->metric), format_name(rule->format));
}

void ee_shape_rule_print(const ee_shape_rule *rule, ee_buffer *out) {
  ee_buffer_addf(out, "%s, %s", format_name(rule->format), ee_overlap_name(rule->metric));
  if (rule->format == EE_SHAPE_ORIENTED) {
    ee_buffer_addf(out, ", angle in %s %s", rule->degrees ? "degrees" : "radians",
                   rule->anticlockwise ? "y_to_x" : "x_to_y");
  }
  if (rule->bounding_boxes) {
    ee_buffer_add_text(out, ", polygons by their bounding boxes");
  } else if (rule->fill == EE_FILL_NON_ZERO) {
    ee_buffer_add_text(out, ", fill non_zero");
  }
}

/* Reading -------------------------------------------------------------------------------------- */

#define NOT_FINITE "a coordinate is not a finite number"

/* Reads exactly `count` numbers. NULL, or the error: `type_error` for another length or another type. */
static const char *read_numbers(const ee_value *list, size_t count, double *numbers, const char *type_error) {
  if (ee_value_count(list) != count) return type_error;
  for (const ee_value *item = ee_value_child(list); item != NULL; item = ee_value_next(item)) {
    if (ee_type_of(item) != EE_NUMBER) return type_error;
    *numbers++ = ee_value_number(item);
  }
  for (size_t i = 1; i <= count; i++) {
    if (!isfinite(*(numbers - i))) return NOT_FINITE;
  }
  return NULL;
}

static const char *set_box(ee_box box, ee_shape *shape) {
  /* The computed far corner may overflow even when all numbers of the box are finite. */
  if (!isfinite(box.x1) || !isfinite(box.y1) || !isfinite(box.x2) || !isfinite(box.y2)) return NOT_FINITE;
  if (ee_box_check(box) != NULL) return "corners the wrong way round";
  *shape = (ee_shape){.is_box = true, .box = box};
  return NULL;
}

static const char *set_polygon(const ee_shape_rule *rule, ee_polygon polygon, ee_shape *shape) {
  const char *error = ee_polygon_check(&polygon);
  if (error != NULL) return error;
  if (needs_boxes(rule)) return "a polygon, and the metric compares boxes (polygon = \"bbox\" uses bounding boxes)";
  *shape = (ee_shape){.is_box = rule->bounding_boxes, .box = ee_polygon_bounds(&polygon), .polygon = polygon};
  return NULL;
}

static const char *too_few_points(size_t count, bool of_ring) {
  static const char *const polygons[] = {"a polygon of 0 points", "a polygon of 1 point", "a polygon of 2 points"};
  static const char *const rings[] = {"a ring of 0 points", "a ring of 1 point", "a ring of 2 points"};
  return count > 2 ? NULL : of_ring ? rings[count] : polygons[count];
}

/* `corners`: of the rings before it, to which this one's are added. */
static const char *read_ring(const ee_value *list, bool of_several, ee_arena *arena, size_t *corners, ee_ring *ring) {
  if (ee_type_of(list) != EE_ARRAY) return "a ring is not an array of points";
  size_t count = ee_value_count(list);
  *corners += count;
  char bound[EE_BOUND_MESSAGE];
  if (*corners > ee_bound_of(EE_BOUND_CORNERS))
    return ee_arena_printf(arena, "a polygon of %zu corners%s", *corners, ee_bound_message(EE_BOUND_CORNERS, bound));
  ee_point *points = ee_arena_alloc(arena, count * sizeof *points);
  *ring = (ee_ring){points, count};
  for (const ee_value *item = ee_value_child(list); item != NULL; item = ee_value_next(item)) {
    static const char *const type_error = "a point is not two numbers";
    double numbers[2];
    if (ee_type_of(item) != EE_ARRAY) return type_error;
    const char *error = read_numbers(item, 2, numbers, type_error);
    if (error != NULL) return error;
    *points++ = (ee_point){numbers[0], numbers[1]};
  }
  return too_few_points(count, of_several);
}

/* [[x,y],...] or [[[x,y],...],...]; `list` is an array. */
static const char *read_polygon(const ee_shape_rule *rule, const ee_value *list, ee_arena *arena, ee_shape *shape) {
  const ee_value *first = ee_value_child(list);
  bool several = ee_type_of(first) == EE_ARRAY && ee_type_of(ee_value_child(first)) == EE_ARRAY;
  size_t count = several ? ee_value_count(list) : 1;
  ee_ring *rings = ee_arena_alloc(arena, count * sizeof *rings);
  const ee_value *item = several ? first : list;
  size_t corners = 0;
  for (size_t i = 0; i < count; i++) {
    const char *error = read_ring(item, several, arena, &corners, &rings[i]);
    if (error != NULL) return error;
    item = ee_value_next(item);
  }
  return set_polygon(rule, (ee_polygon){rings, count}, shape);
}

/* An angle of 0 or 90 degrees makes a plain box; sine and cosine would not give its corners exactly. */
static bool set_upright(const ee_shape_rule *rule, const double *numbers, ee_shape *shape, const char **error) {
  double quarters = rule->degrees ? fmod(numbers[4], 180) / 90 : numbers[4];
  if (quarters != 0 && (!rule->degrees || fabs(quarters) != 1)) return false;
  bool turned = quarters != 0;
  const double upright[4] = {numbers[0], numbers[1], numbers[turned ? 3 : 2], numbers[turned ? 2 : 3]};
  *error = set_box(ee_box_from_cxcywh(upright), shape);
  return true;
}

static const char *read_oriented(const ee_shape_rule *rule, const ee_value *list, ee_arena *arena, ee_shape *shape) {
  double numbers[5];
  const char *error = read_numbers(list, 5, numbers, "not five numbers (centre, size and angle)");
  if (error != NULL) return error;
  if (numbers[2] < 0 || numbers[3] < 0) return "a negative width or height";
  if (set_upright(rule, numbers, shape, &error)) {
    if (error == NULL && needs_boxes(rule)) {
      /* Whether a metric accepts a shape must not depend on the angle. */
      error = "an oriented box, and the metric compares boxes (polygon = \"bbox\" uses bounding boxes)";
    }
    return error;
  }
  if (rule->degrees) numbers[4] = fmod(numbers[4], 360) * (M_PI / 180);
  if (rule->anticlockwise) numbers[4] = -numbers[4];
  ee_ring *ring = EE_NEW(arena, ee_ring);
  ee_point *corners = EE_NEW_ARRAY(arena, ee_point, 4);
  ee_oriented_box_corners(numbers, corners);
  *ring = (ee_ring){corners, 4};
  return set_polygon(rule, (ee_polygon){ring, 1}, shape);
}

static const char *read_box(ee_shape_format format, const ee_value *list, ee_shape *shape) {
  double numbers[4];
  const char *error = read_numbers(list, 4, numbers, "not four numbers");
  if (error != NULL) return error;
  if (format == EE_SHAPE_XYXY) return set_box((ee_box){numbers[0], numbers[1], numbers[2], numbers[3]}, shape);
  if (numbers[2] < 0 || numbers[3] < 0) return "a negative width or height";
  return set_box(format == EE_SHAPE_XYWH ? ee_box_from_xywh(numbers) : ee_box_from_cxcywh(numbers), shape);
}

static const char *read_list(const ee_shape_rule *rule, ee_shape_format format, const ee_value *list, ee_arena *arena,
                             ee_shape *shape) {
  if (ee_value_count(list) == 0) return "an empty array";
  if (format == EE_SHAPE_POLYGON || ee_type_of(ee_value_child(list)) == EE_ARRAY) {
    return read_polygon(rule, list, arena, shape);
  }
  if (format == EE_SHAPE_ORIENTED) return read_oriented(rule, list, arena, shape);
  return read_box(format, list, shape);
}

/* {"format": F, "coordinates": C}; the rule's format is the default. */
static const char *read_object(const ee_shape_rule *rule, const ee_value *object, ee_arena *arena, ee_shape *shape) {
  ee_shape_format format = rule->format;
  const ee_value *name = ee_value_member(object, EE_STR("format"), arena);
  if (ee_type_of(name) > EE_NULL) {
    size_t found = 0, known = sizeof format_names / sizeof *format_names;
    while (found < known && !(ee_type_of(name) == EE_STRING && ee_str_is(ee_value_text(name), format_names[found]))) {
      found++;
    }
    if (found == known) return "unknown format (known: xyxy, xywh, cxcywh, polygon, oriented)";
    format = (ee_shape_format)found;
  }
  const ee_value *coordinates = ee_value_member(object, EE_STR("coordinates"), arena);
  if (ee_type_of(coordinates) <= EE_NULL) return "no 'coordinates' in it";
  if (ee_type_of(coordinates) != EE_ARRAY) return "its 'coordinates' are not an array";
  return read_list(rule, format, coordinates, arena, shape);
}

const char *ee_shape_read(const ee_shape_rule *rule, const ee_value *value, ee_arena *arena, ee_shape *shape) {
  switch (ee_type_of(value)) {
  case EE_ARRAY: return read_list(rule, rule->format, value, arena, shape);
  case EE_OBJECT: return read_object(rule, value, arena, shape);
  default: return "not an array of numbers";
  }
}

/* Overlaps ------------------------------------------------------------------------------------- */

/* A shape as a polygon; `corners` and `ring` are room for those of a box. */
static ee_polygon as_polygon(const ee_shape *shape, ee_point corners[4], ee_ring *ring) {
  if (!shape->is_box) return shape->polygon;
  ee_box box = shape->box;
  corners[0] = (ee_point){box.x1, box.y1};
  corners[1] = (ee_point){box.x2, box.y1};
  corners[2] = (ee_point){box.x2, box.y2};
  corners[3] = (ee_point){box.x1, box.y2};
  *ring = (ee_ring){corners, 4};
  return (ee_polygon){ring, 1};
}

static double overlap_of_polygons(const ee_shape_rule *rule, const ee_shape *expected, const ee_shape *candidate,
                                  uint64_t *steps, ee_arena *scratch) {
  ee_point corners[2][4];
  ee_ring rings[2];
  ee_polygon a = as_polygon(expected, corners[0], &rings[0]), b = as_polygon(candidate, corners[1], &rings[1]);
  if (rule->metric == EE_OVERLAP_IOU) return ee_polygon_iou(&a, &b, rule->fill, steps, scratch);
  double common = ee_polygon_intersection(&a, &b, rule->fill, steps, scratch);
  if (isnan(common)) return common;
  if (!(common > 0)) return 0;
  double area = ee_polygon_area(&b, rule->fill, steps, scratch);
  if (rule->metric == EE_OVERLAP_IOS && !isnan(area)) {
    double other = ee_polygon_area(&a, rule->fill, steps, scratch);
    if (!(other >= area)) area = other; /* NaN too */
  }
  if (isnan(area)) return area;
  return area > 0 ? common / area : 0;
}

static double overlap_of_boxes(ee_overlap_metric metric, ee_box expected, ee_box candidate) {
  switch (metric) {
  case EE_OVERLAP_GIOU: return ee_giou(expected, candidate);
  case EE_OVERLAP_DIOU: return ee_diou(expected, candidate);
  case EE_OVERLAP_CIOU: return ee_ciou(expected, candidate);
  case EE_OVERLAP_IOS: return ee_ios(expected, candidate);
  case EE_OVERLAP_IOA: return ee_ioa(expected, candidate);
  default: return ee_iou(expected, candidate);
  }
}

double ee_shape_overlap(const ee_shape_rule *rule, const ee_shape *expected, const ee_shape *candidate, uint64_t *steps,
                        ee_arena *scratch, double *raw) {
  double value;
  if (expected->is_box && candidate->is_box) {
    value = overlap_of_boxes(rule->metric, expected->box, candidate->box);
  } else {
    ee_arena_mark mark = ee_arena_get_mark(scratch);
    value = overlap_of_polygons(rule, expected, candidate, steps, scratch);
    ee_arena_rewind(scratch, mark);
  }
  if (raw != NULL) *raw = value;
  return value > 0 ? fmin(value, 1) : 0;
}

const char *ee_shape_formula(const ee_shape_rule *rule, const ee_shape *expected, const ee_shape *candidate,
                             ee_arena *arena) {
  if (!expected->is_box || !candidate->is_box) return NULL;
  double first = ee_box_area(expected->box), second = ee_box_area(candidate->box);
  const char *common = ee_formula_result(ee_box_intersection(expected->box, candidate->box), arena);
  const char *left = ee_formula_result(first, arena), *right = ee_formula_result(second, arena);
  if (rule->metric == EE_OVERLAP_IOU && first + second > 0)
    return ee_arena_printf(arena, "%s/(%s + %s - %s)", common, left, right, common);
  if (rule->metric == EE_OVERLAP_IOS && fmin(first, second) > 0)
    return ee_arena_printf(arena, "%s/min(%s, %s)", common, left, right);
  if (rule->metric == EE_OVERLAP_IOA && second > 0) return ee_arena_printf(arena, "%s/%s", common, right);
  return NULL;
}

/* Points --------------------------------------------------------------------------------------- */

const char *ee_point_read(const ee_value *value, ee_arena *arena, const double **numbers, size_t *dimension) {
  if (ee_type_of(value) != EE_ARRAY) return "not an array of numbers";
  size_t count = ee_value_count(value);
  if (count == 0) return "an empty array";
  double *read = ee_arena_alloc(arena, count * sizeof *read);
  *numbers = read;
  *dimension = count;
  return read_numbers(value, count, read, "not an array of numbers");
}

double ee_point_distance(ee_distance_metric metric, const double *a, const double *b, size_t dimension) {
  double distance = 0;
  switch (metric) {
  case EE_DISTANCE_EUCLIDEAN: distance = ee_euclidean(a, b, dimension); break;
  case EE_DISTANCE_MANHATTAN: distance = ee_manhattan(a, b, dimension); break;
  case EE_DISTANCE_COSINE: distance = ee_cosine(a, b, dimension); break;
  }
  return fmin(distance, DBL_MAX);
}

/* "sqrt(3^2 + 4^2)" or "3 + 4", of up to 4 dimensions; NULL of more, and of cosine. */
static const char *expression_of(ee_distance_metric metric, const double *a, const double *b, size_t dimension,
                                 ee_arena *arena) {
  if (dimension > 4 || metric == EE_DISTANCE_COSINE) return NULL;
  bool euclidean = metric == EE_DISTANCE_EUCLIDEAN;
  const char *text = "";
  for (size_t i = 0; i < dimension; i++)
    text = ee_arena_printf(arena, euclidean ? "%s%s%s^2" : "%s%s%s", text, i > 0 ? " + " : "",
                           ee_formula_result(fabs(a[i] - b[i]), arena));
  return euclidean ? ee_arena_printf(arena, "sqrt(%s)", text) : text;
}

bool ee_distance_within(double distance, double threshold) { return distance <= threshold + threshold * 0x1p-50; }

double ee_distance_score(double distance, double threshold, bool linear) {
  if (ee_distance_within(distance, threshold)) return 1;
  if (!linear || threshold == 0) return 0;
  /* A distance above the threshold must not be rounded to a score of 1. */
  return fmin(fmax(0, 1 - (distance - threshold) / threshold), 0x1.fffffffffffffp-1);
}

void ee_distance_explain(ee_distance_metric metric, const double *a, const double *b, size_t dimension,
                         double threshold, bool linear, ee_arena *arena, ee_explanation *how) {
  double distance = ee_point_distance(metric, a, b, dimension);
  bool within = ee_distance_within(distance, threshold);
  *how = (ee_explanation){.measure = "distance", .value = distance, .threshold = threshold};
  ee_explanation_decide(how, expression_of(metric, a, b, dimension, arena), EE_LIMIT_MAX, within, arena);
  if (within || !linear || threshold == 0) return;
  const char *limit = ee_formula_operand(threshold, arena);
  how->formula = ee_str_from(ee_arena_printf(
      arena, "%.*s; score max(0, 1 - (%s - %s)/%s) = %s", EE_STR_ARG(how->formula), ee_formula_operand(distance, arena),
      limit, limit, ee_formula_result(ee_distance_score(distance, threshold, linear), arena)));
}
