/* shape.h: boxes and polygons as documents spell them, and how much two of them overlap.
 *
 * Shared by the strategy iou, the judge iou_score and the judge detection. */
#ifndef EE_JUDGE_GEOMETRY_SHAPE_H
#define EE_JUDGE_GEOMETRY_SHAPE_H

#include "base/buffer.h"
#include "data/json/value.h"
#include "judge/compile.h"
#include "prim/geometry.h"
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

/* What the options say. */
typedef struct ee_shape_rule {
  ee_shape_format format; /* of values that do not say it themselves */
  ee_overlap_metric metric;
  bool bounding_boxes; /* polygon = "bbox": polygons and oriented boxes stand for the boxes around them */
  ee_fill_rule fill;   /* "even_odd" or "non_zero" */
  bool degrees;        /* angle = "degrees" or "radians", of oriented boxes [cx, cy, w, h, angle] */
  bool anticlockwise;  /* direction = "y_to_x"; "x_to_y" (default): from the x axis towards the y axis, clockwise on a
                          screen */
} ee_shape_rule;

/* format, metric, polygon, fill, angle, direction: rows for checks and documentation, to stand first in a table of
 * rows. */
#define EE_SHAPE_OPTION_ROWS                                                                                           \
  {.name = "format",                                                                                                   \
   .type = EE_OPTION_CHOICE,                                                                                           \
   .default_text = "\"xyxy\"",                                                                                         \
   .help = "How a list of numbers spells a shape: corners, corner and size, centre and size, or an oriented box "      \
           "(centre, size, angle); [[x,y],...] is a polygon, [[[x,y],...],...] one of several rings, and {format, "    \
           "coordinates} says its own.",                                                                               \
   .choices = EE_SHAPE_FORMATS},                                                                                       \
      {.name = "metric",                                                                                               \
       .type = EE_OPTION_CHOICE,                                                                                       \
       .default_text = "\"iou\"",                                                                                      \
       .help = "The overlap: intersection over union, its relatives giou, diou and ciou (of boxes), or intersection "  \
               "over the smaller area (ios) or over the candidate's (ioa). Never below 0.",                            \
       .choices = EE_OVERLAP_METRICS},                                                                                 \
      {.name = "polygon",                                                                                              \
       .type = EE_OPTION_CHOICE,                                                                                       \
       .default_text = "\"area\"",                                                                                     \
       .help = "\"area\" compares polygons and oriented boxes by their true areas, \"bbox\" by the boxes around "      \
               "them.",                                                                                                \
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
/* Those rows alone, ended by a NULL name. */
extern const ee_option ee_shape_options[];
/* Reads those options of `spec`, which were checked. giou, diou and ciou need boxes: with format "polygon" or
 * "oriented" and without polygon = "bbox" that is a mistake at load. */
void ee_shape_rule_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_shape_rule *rule);

/* "xyxy", "iou" and so on. */
const char *ee_shape_format_name(ee_shape_format format);
const char *ee_overlap_name(ee_overlap_metric metric);
/* Prints "xyxy, iou" and what else matters, for `evalengine check`. */
void ee_shape_rule_print(const ee_shape_rule *rule, ee_buffer *out);

typedef struct ee_shape {
  bool is_box;        /* `box` is the shape itself; else it is the box around the polygon */
  ee_box box;         /* finite, corners the right way round */
  ee_polygon polygon; /* when not is_box */
} ee_shape;

/* Reads a value: an array of numbers by the rule's format; [[x,y],...] is a polygon of one ring, [[[x,y],...],...] one
 * of several rings, whatever the format; {"format": F, "coordinates": C} says its own. NULL when it could, else why
 * not, as static text: "corners the wrong way round", "a polygon of 2 points", "not four numbers", "a coordinate is no
 * finite number", "unknown format (...)"; and where the metric needs boxes, that a polygon is none. Points live in
 * `arena`. */
const char *ee_shape_read(const ee_shape_rule *rule, const ee_value *value, ee_arena *arena, ee_shape *shape);

/* The overlap by the rule's metric, 0..1; `*raw` (may be NULL) is the value before it was cut off at 0. ios: over the
 * smaller area, ioa: over the area of the candidate. Polygons by their true areas; a box beside a polygon is one of
 * four points. `steps` as in polygon.h: where they do not do, the overlap is 0 and `*raw` NaN. */
double ee_shape_overlap(const ee_shape_rule *rule, const ee_shape *expected, const ee_shape *candidate, uint64_t *steps,
                        ee_arena *scratch, double *raw);

/* Steps that one judge may spend on the polygons of a case, some seconds' worth, and what to say beyond. */
#define EE_SHAPE_STEPS ((uint64_t)1 << 30)
#define EE_SHAPE_TOO_MANY_STEPS "the edges of polygons cross too often"

/* Reads an array of numbers of any length (>= 1) as a point for distances; NULL when it could, else why not, as static
 * text. */
const char *ee_point_read(const ee_value *value, ee_arena *arena, const double **numbers, size_t *dimension);

typedef enum ee_distance_metric { EE_DISTANCE_EUCLIDEAN, EE_DISTANCE_MANHATTAN, EE_DISTANCE_COSINE } ee_distance_metric;
#define EE_DISTANCE_METRICS "euclidean|manhattan|cosine"
#define EE_DISTANCE_SCORES "match|linear"
const char *ee_distance_name(ee_distance_metric metric);
/* Finite: the largest double where it is more. */
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

double ee_point_distance(ee_distance_metric metric, const double *a, const double *b, size_t dimension);
/* At or below `threshold`, with a slack of 2^-50, relative, as in ee_score_reaches(). */
bool ee_distance_within(double distance, double threshold);
/* Score of a distance: 1 within `threshold`, else 0, or with `linear` max(0, 1-(d-t)/t), 0 when t = 0. */
double ee_distance_score(double distance, double threshold, bool linear);

#endif
