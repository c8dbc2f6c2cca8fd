/* bad_shapes.c: counting values that could not be read as boxes or points. */
#include "judge/geometry/bad_shapes.h"

#include "judge/strategy/strategy_rows.h"

/* The format that is mistaken for this one most easily; of shapes without one the format itself. */
static ee_shape_format other_format(ee_shape_format format) {
  switch (format) {
  case EE_SHAPE_XYXY: return EE_SHAPE_XYWH;
  case EE_SHAPE_XYWH:
  case EE_SHAPE_CXCYWH: return EE_SHAPE_XYXY;
  default: return format;
  }
}

void ee_unreadable_add_shape(ee_unreadable *unreadable, bool is_expected, const ee_shape_rule *rule,
                             const ee_value *value, const char *reason, ee_arena *arena) {
  ee_unreadable one = {.count = 1,
                       .expected = is_expected,
                       .kind = rule->format == EE_SHAPE_POLYGON ? EE_UNREADABLE_POLYGON : EE_UNREADABLE_BOX,
                       .reason = reason};
  ee_shape_rule other = *rule;
  other.format = other_format(rule->format);
  if (ee_type_of(value) == EE_ARRAY && ee_type_of(ee_value_child(value)) == EE_NUMBER) {
    ee_arena_mark mark = ee_arena_get_mark(arena);
    ee_shape shape;
    one.format = ee_shape_format_name(rule->format);
    one.other = ee_shape_format_name(other.format);
    one.otherwise = other.format != rule->format && ee_shape_read(&other, value, arena, &shape) == NULL;
    ee_arena_rewind(arena, mark);
  }
  ee_unreadable_add(unreadable, &one);
}

void ee_unreadable_add_point(ee_unreadable *unreadable, bool is_expected, const char *reason) {
  ee_unreadable_add(
      unreadable, &(ee_unreadable){.count = 1, .expected = is_expected, .kind = EE_UNREADABLE_POINT, .reason = reason});
}

const char *ee_unreadable_by(const ee_strategy *strategy, bool is_expected, const ee_value *value,
                             ee_unreadable *unreadable, ee_arena *arena) {
  const char *trouble = NULL;
  ee_arena_mark mark = ee_arena_get_mark(arena);
  if (strategy->type->compare == ee_iou_compare) {
    ee_shape shape;
    trouble = ee_shape_read(strategy->data, value, arena, &shape);
    if (trouble != NULL) ee_unreadable_add_shape(unreadable, is_expected, strategy->data, value, trouble, arena);
  } else if (strategy->type->compare == ee_distance_compare) {
    const double *point;
    size_t dimension;
    trouble = ee_point_read(value, arena, &point, &dimension);
    if (trouble != NULL) ee_unreadable_add_point(unreadable, is_expected, trouble);
  }
  ee_arena_rewind(arena, mark);
  return trouble;
}
