/* shape.h: boxes and polygons as documents spell them, and how much two of them overlap.
 *
 * Layer: judge. Shared by the strategy iou, the judge iou_score and the judge detection. */
#ifndef EE_JUDGE_SHAPE_H
#define EE_JUDGE_SHAPE_H

#include "data/value.h"
#include "judge/option.h"
#include "prim/geometry.h"
#include "prim/polygon.h"

typedef enum ee_shape_format { EE_SHAPE_XYXY, EE_SHAPE_XYWH, EE_SHAPE_CXCYWH, EE_SHAPE_POLYGON, EE_SHAPE_ORIENTED } ee_shape_format;
#define EE_SHAPE_FORMATS "xyxy|xywh|cxcywh|polygon|oriented"

typedef enum ee_overlap_metric { EE_OVERLAP_IOU, EE_OVERLAP_GIOU, EE_OVERLAP_DIOU, EE_OVERLAP_CIOU, EE_OVERLAP_IOS, EE_OVERLAP_IOA } ee_overlap_metric;
#define EE_OVERLAP_METRICS "iou|giou|diou|ciou|ios|ioa"

/* What the options say. */
typedef struct ee_shape_rule {
  ee_shape_format format;   /* of values that do not say it themselves */
  ee_overlap_metric metric;
  bool bounding_boxes;      /* polygon = "bbox": polygons and oriented boxes stand for the boxes around them */
  ee_fill_rule fill;        /* "even_odd" or "non_zero" */
  bool degrees;             /* angle = "degrees" or "radians", of oriented boxes [cx, cy, w, h, angle] */
  bool anticlockwise;       /* direction = "x_to_y" (default: from the x axis towards the y axis, clockwise on a screen) or "y_to_x" */
} ee_shape_rule;

/* format, metric, polygon, fill, angle, direction: rows for checks and documentation. */
extern const ee_option ee_shape_options[];
/* Reads those options of `spec`, which were checked. giou, diou and ciou need boxes: with format "polygon" or "oriented" and without polygon =
 * "bbox" that is a mistake at load. */
typedef struct ee_plan_builder ee_plan_builder;
void ee_shape_rule_compile(ee_plan_builder *builder, const ee_spec *spec, ee_shape_rule *rule);

typedef struct ee_shape {
  bool is_box;       /* `box` is the shape itself; else it is the box around the polygon */
  ee_box box;
  ee_polygon polygon; /* when not is_box */
} ee_shape;

/* Reads a value: an array of numbers by the rule's format; [[x,y],...] is a polygon of one ring, [[[x,y],...],...] one of several rings, whatever the format; {"format": F, "coordinates": C} says its
 * own. NULL when it could, else why not, as text in `arena` or static: "corners the wrong way round", "a polygon of 2 points", "not four numbers", "a coordinate is
 * no finite number", "unknown format 'f'". Points live in `arena`. */
const char *ee_shape_read(const ee_shape_rule *rule, const ee_value *value, ee_arena *arena, ee_shape *shape);

/* The overlap by the rule's metric, never below 0; `*raw` (may be NULL) is the value before that. ios: over the smaller area, ioa: over the area of the candidate. Polygons by their true
 * areas unless the rule says bounding boxes. */
double ee_shape_overlap(const ee_shape_rule *rule, const ee_shape *expected, const ee_shape *candidate, ee_arena *scratch, double *raw);

/* Reads an array of numbers of any length (>= 1) as a point for distances; NULL when it could, else why not. */
const char *ee_point_read(const ee_value *value, ee_arena *arena, const double **numbers, size_t *dimension);

typedef enum ee_distance_metric { EE_DISTANCE_EUCLIDEAN, EE_DISTANCE_MANHATTAN, EE_DISTANCE_COSINE } ee_distance_metric;
#define EE_DISTANCE_METRICS "euclidean|manhattan|cosine"
double ee_point_distance(ee_distance_metric metric, const double *a, const double *b, size_t dimension);
/* Score of a distance: 1 at or below `threshold`, else 0, or with `linear` max(0, 1-(d-t)/t), 0 when t = 0. */
double ee_distance_score(double distance, double threshold, bool linear);

#endif
