/* details.c: metrics of a case as a tree, and what all details end with. */
#include "judge/details.h"

void ee_details_set(ee_details *details, ee_value *object, const char *key, ee_value *value) {
  ee_value_set(details->arena, object, ee_str_from(key), value);
}

void ee_details_set_number(ee_details *details, ee_value *object, const char *key, double number) {
  ee_details_set(details, object, key, ee_value_new_number(details->arena, number));
}

static void set_metric(ee_details *details, ee_value *object, const char *key, ee_metric metric) {
  if (metric.defined) ee_details_set_number(details, object, key, metric.value);
}

bool ee_details_have_room(ee_details *details, uint32_t shown) {
  if (shown < EE_DETAILS_SHOWN) return true;
  details->truncated = true;
  return false;
}

void ee_details_start(ee_details *details, ee_arena *arena, const ee_judge_result *result) {
  *details = (ee_details){.arena = arena, .tree = ee_value_new(arena, EE_OBJECT)};
  ee_value *metrics = ee_value_new(arena, EE_OBJECT);
  for (uint32_t i = 0; i < result->attribute_count && ee_details_have_room(details, i); i++) {
    const ee_attribute_result *attribute = &result->attributes[i];
    const ee_counts *counts = &attribute->counts;
    ee_value *entry = ee_value_new(arena, EE_OBJECT);
    ee_details_set_number(details, entry, "tp", (double)counts->tp);
    ee_details_set_number(details, entry, "tn", (double)counts->tn);
    ee_details_set_number(details, entry, "fp", (double)counts->fp);
    ee_details_set_number(details, entry, "fn", (double)counts->fn);
    set_metric(details, entry, "precision", ee_precision(counts));
    set_metric(details, entry, "recall", ee_recall(counts));
    set_metric(details, entry, "f1", ee_f1(counts));
    ee_value_set(arena, metrics, attribute->name, entry);
  }
  ee_details_set(details, details->tree, "metrics", metrics);
}

const ee_value *ee_details_finish(ee_details *details, const ee_judge_result *result) {
  if (result->vacuous) ee_details_set(details, details->tree, "vacuous", ee_value_new_bool(details->arena, true));
  if (details->truncated) ee_details_set(details, details->tree, "truncated", ee_value_new_bool(details->arena, true));
  return details->tree;
}
