/* measure.c: reading the measures of a case. */
#include "judge/measure.h"

#include <math.h>

#include "judge/plan.h"
#include "prim/number.h"

bool ee_measure_read_number(const ee_value *value, ee_arena *arena, double *number) {
  const ee_number_format plain = {.decimal = '.'};
  if (ee_type_of(value) == EE_NUMBER)
    *number = value->json.valuedouble;
  else if (ee_type_of(value) != EE_STRING || !ee_number_parse(ee_value_text(value), plain, arena, number, NULL))
    return false;
  return isfinite(*number);
}

const ee_measure_value *ee_measures_read(const struct ee_plan *plan, const ee_case *current, ee_arena *arena) {
  ee_measure_value *measures = EE_NEW_ARRAY(arena, ee_measure_value, plan->measure_count);
  for (size_t i = 0; i < plan->measure_count; i++) {
    ee_measure_value *measure = &measures[i];
    *measure = (ee_measure_value){.name = plan->measures[i]->text};
    const ee_value *found = ee_case_get(current, plan->measures[i], arena);
    if (ee_type_of(found) == EE_MISSING || ee_type_of(found) == EE_NULL) continue;
    measure->found = found;
    measure->state = ee_measure_read_number(found, arena, &measure->value) ? EE_MEASURE_READ : EE_MEASURE_NOT_NUMBER;
    if (measure->state != EE_MEASURE_READ) measure->value = 0;
  }
  return measures;
}
