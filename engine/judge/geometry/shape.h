/* shape.h: boxes, polygons and points in documents: reading them, the overlap of two shapes, the distance of two
 * points.
 *
 * Shared by the strategies iou and distance and by the judges iou_score and distance_score. */
#ifndef EE_JUDGE_GEOMETRY_SHAPE_H
#define EE_JUDGE_GEOMETRY_SHAPE_H

#include "base/buffer.h"
#include "data/json/value.h"
#include "judge/compile.h"
#include "judge/outcome.h"
#include "judge/result.h"
#include "prim/box.h"
#include "prim/polygon.h"

typedef enum ee_shape_format {
  EE_SHAPE_XYXY,
  EE_SHAPE_XYWH,
  EE_SHAPE_CXCYWH,
  EE_SHAPE_POLYGON,
  EE_SHAPE_ORIENTED
} ee_shape_format;
#define EE_SHAPE_FORMATS "xyxy|xywh|cxcywh|polygon|oriented"

typedef enum ee_overlap_metric {
  EE_OVERLAP_IOU,
  EE_OVERLAP_GIOU,
  EE_OVERLAP_DIOU,
  EE_OVERLAP_CIOU,
  EE_OVERLAP_IOS,
  EE_OVERLAP_IOA
} ee_overlap_metric;
#define EE_OVERLAP_METRICS "iou|giou|diou|ciou|ios|ioa"

/* The compiled options. */
typedef struct ee_shape_rule {
  ee_shape_format format; /* of values without a format of their own */
  ee_overlap_metric metric;
  bool bounding_boxes; /* polygon = "bbox": polygons and oriented boxes are replaced by their bounding boxes */
  ee_fill_rule fill;   /* "even_odd" or "non_zero" */
  bool degrees;        /* angle = "degrees" or "radians", of oriented boxes [cx, cy, w, h, angle] */
  bool anticlockwise;  /* direction = "y_to_x"; "x_to_y" (default): from the x axis towards the y axis, clockwise on a
                          screen */
} ee_shape_rule;

/* The rows of the options format, metric, polygon, fill, angle and direction. */
#define EE_SHAPE_OPTION_ROWS                                                                                           \
  {.name = "format",                                                                                                   \
   .type = EE_OPTION_CHOICE,                                                                                           \
   .default_text = "\"xyxy\"",                                                                                         \
   .help = "How an array of numbers gives a shape: corners, corner and size, centre and size, or an oriented box "     \
           "(centre, size, angle); [[x,y],...] is a polygon, [[[x,y],...],...] one of several rings, and {format, "    \
           "coordinates} names its own format.",                                                                       \
   .choices = EE_SHAPE_FORMATS},                                                                                       \
      {.name = "metric",                                                                                               \
       .type = EE_OPTION_CHOICE,                                                                                       \
       .default_text = "\"iou\"",                                                                                      \
       .help = "The overlap: intersection over union, its variants giou, diou and ciou (of boxes), or intersection "   \
               "over the smaller area (ios) or over the candidate's (ioa). Never below 0.",                            \
       .choices = EE_OVERLAP_METRICS},                                                                                 \
      {.name = "polygon",                                                                                              \
       .type = EE_OPTION_CHOICE,                                                                                       \
       .default_text = "\"area\"",                                                                                     \
       .help = "\"area\" compares polygons and oriented boxes by their true areas, \"bbox\" by their bounding "        \
               "boxes.",                                                                                               \
       .choices = "area|bbox"},                                                                                        \
      {.name = "fill",                                                                                                 \
       .type = EE_OPTION_CHOICE,                                                                                       \
       .default_text = "\"even_odd\"",                                                                                 \
       .help = "What is inside a polygon that crosses itself or has several rings.",                                   \
       .choices = "even_odd|non_zero"},                                                                                \
      {.name = "angle",                                                                                                \
       .type = EE_OPTION_CHOICE,                                                                                       \
       .default_text = "\"degrees\"",                                                                                  \
       .help = "The unit of an oriented box's angle.",                                                                 \
       .choices = "degrees|radians"},                                                                                  \
  {                                                                                                                    \
    .name = "direction", .type = EE_OPTION_CHOICE, .default_text = "\"x_to_y\"",                                       \
    .help = "Where an oriented box's angle grows: from the x axis towards the y axis (clockwise on a screen) or the "  \
            "other way.",                                                                                              \
    .choices = "x_to_y|y_to_x"                                                                                         \
  }
/* Reads these options of `node`, which were checked against the rows. Reports an error for giou, diou and ciou with
 * format "polygon" or "oriented", unless polygon = "bbox": they compare boxes. */
void ee_shape_rule_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_shape_rule *rule);

/* "iou" and so on. */
const char *ee_overlap_name(ee_overlap_metric metric);
/* Prints "xyxy, iou" and options that differ from their defaults, for `evalengine check`. */
void ee_shape_rule_print(const ee_shape_rule *rule, ee_buffer *out);

typedef struct ee_shape {
  bool is_box;        /* the shape is `box`; else it is `polygon`, and `box` is the box around it */
  ee_box box;         /* finite, x1 <= x2 and y1 <= y2 */
  ee_polygon polygon; /* when not is_box */
} ee_shape;

/* Reads a shape: an array of numbers in the rule's format; [[x,y],...], a polygon of one ring, or [[[x,y],...],...],
 * one of several rings, with any format; or {"format": F, "coordinates": C}, which names its own format. Returns NULL,
 * or the error, static or in `arena`, such as "corners the wrong way round" or "a polygon of 2 points". A polygon is an
 * error too when the metric needs boxes. Points live in `arena`. */
const char *ee_shape_read(const ee_shape_rule *rule, const ee_value *value, ee_arena *arena, ee_shape *shape);

/* The overlap by the rule's metric, 0..1; `*raw` (may be NULL) is the value before negative ones became 0. ios divides
 * by the smaller area, ioa by the area of the candidate. Polygons are compared by their true areas; a box compared with
 * a polygon is a polygon of four points. `steps` as in polygon.h: when they are used up, the overlap is 0 and `*raw`
 * NaN. */
double ee_shape_overlap(const ee_shape_rule *rule, const ee_shape *expected, const ee_shape *candidate, uint64_t *steps,
                        ee_arena *scratch, double *raw);

/* The overlap of two boxes by iou, ios or ioa as a quotient of areas, "120/(200 + 320 - 120)"; NULL for other shapes
 * and metrics. In `arena`. */
const char *ee_shape_formula(const ee_shape_rule *rule, const ee_shape *expected, const ee_shape *candidate,
                             ee_arena *arena);

/* Steps that one judge may spend on the polygons of a case, half a second of work, and the error beyond. */
#define EE_SHAPE_STEPS ((uint64_t)1 << 28)
#define EE_SHAPE_TOO_MANY_STEPS "the edges of polygons cross too often"

/* Reads an array of at least one number as a point. Returns NULL, or the error as static text. */
const char *ee_point_read(const ee_value *value, ee_arena *arena, const double **numbers, size_t *dimension);

typedef enum ee_distance_metric { EE_DISTANCE_EUCLIDEAN, EE_DISTANCE_MANHATTAN, EE_DISTANCE_COSINE } ee_distance_metric;
#define EE_DISTANCE_METRICS "euclidean|manhattan|cosine"
#define EE_DISTANCE_SCORES "match|linear"
const char *ee_distance_name(ee_distance_metric metric);
/* metric, threshold and score: rows that the strategy and the judge share. */
#define EE_DISTANCE_OPTION_ROWS                                                                                        \
  {.name = "metric",                                                                                                   \
   .type = EE_OPTION_CHOICE,                                                                                           \
   .default_text = "\"euclidean\"",                                                                                    \
   .help =                                                                                                             \
       "euclidean: the straight line; manhattan: the sum of the differences; cosine: 1 - the cosine of the angle.",    \
   .choices = EE_DISTANCE_METRICS},                                                                                    \
      {.name = "threshold",                                                                                            \
       .type = EE_OPTION_NUMBER,                                                                                       \
       .default_text = "must be given",                                                                                \
       .unit = "units of the coordinates",                                                                             \
       .help = "The largest distance that matches, inclusive.",                                                        \
       .min = 0,                                                                                                       \
       .max = INFINITY},                                                                                               \
  {                                                                                                                    \
    .name = "score", .type = EE_OPTION_CHOICE, .default_text = "\"match\"",                                            \
    .help = "\"match\" scores 1 or 0; \"linear\" scores a miss by its closeness, max(0, 1 - (d-t)/t).",                \
    .choices = EE_DISTANCE_SCORES                                                                                      \
  }

/* Of two points of `dimension` numbers. Finite: at most the largest double. */
double ee_point_distance(ee_distance_metric metric, const double *a, const double *b, size_t dimension);
/* Whether `distance` is at most `threshold`, with a relative tolerance of 2^-50, as in ee_score_reaches(). */
bool ee_distance_within(double distance, double threshold);
/* The score of a distance d with threshold t: 1 within t; beyond it 0, or if `linear` max(0, 1-(d-t)/t) (0 if t = 0).
 */
double ee_distance_score(double distance, double threshold, bool linear);
/* How the distance of two points was judged: "sqrt(3^2 + 4^2) = 5 > 2", and for a linear score "; score max(0, 1 -
 * (5 - 2)/2) = 0". `how` is otherwise zero; the formula is in `arena`. */
void ee_distance_explain(ee_distance_metric metric, const double *a, const double *b, size_t dimension,
                         double threshold, bool linear, ee_arena *arena, ee_explanation *how);

#endif
