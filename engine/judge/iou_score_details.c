/* iou_score_details.c: what a row says of a case of ee.iou_score. */
#include "judge/iou_score.h"

/* A tree under construction. */
typedef struct details {
  const ee_iou_case *c;
  ee_arena *arena;
  bool truncated;
} details;

static void set(details *d, ee_value *object, const char *key, ee_value *value) {
  ee_value_set(d->arena, object, ee_str_from(key), value);
}

static void set_number(details *d, ee_value *object, const char *key, double number) {
  set(d, object, key, ee_value_new_number(d->arena, number));
}

static void set_metric(details *d, ee_value *object, const char *key, ee_metric metric) {
  if (metric.defined) set_number(d, object, key, metric.value);
}

/* Whether one more entry may be shown; notes that one is not. */
static bool has_room(details *d, uint32_t shown) {
  if (shown < EE_IOU_SHOWN) return true;
  d->truncated = true;
  return false;
}

static ee_value *metrics_of(details *d, const ee_judge_result *result) {
  ee_value *metrics = ee_value_new(d->arena, EE_OBJECT);
  for (uint32_t i = 0; i < result->attribute_count && has_room(d, i); i++) {
    const ee_attribute_result *attribute = &result->attributes[i];
    const ee_counts *counts = &attribute->counts;
    ee_value *entry = ee_value_new(d->arena, EE_OBJECT);
    set_number(d, entry, "tp", (double)counts->tp);
    set_number(d, entry, "tn", (double)counts->tn);
    set_number(d, entry, "fp", (double)counts->fp);
    set_number(d, entry, "fn", (double)counts->fn);
    set_metric(d, entry, "precision", ee_precision(counts));
    set_metric(d, entry, "recall", ee_recall(counts));
    set_metric(d, entry, "f1", ee_f1(counts));
    ee_value_set(d->arena, metrics, attribute->name, entry);
  }
  return metrics;
}

static ee_value *pairs_of(details *d) {
  const ee_iou_case *c = d->c;
  ee_value *list = ee_value_new(d->arena, EE_ARRAY);
  for (uint32_t i = 0; i < c->matched.count && has_room(d, i); i++) {
    const ee_shape_pair *pair = &c->matched.pairs[i];
    const ee_shape_item *expected = &c->expected.items[pair->expected];
    ee_value *entry = ee_value_new(d->arena, EE_OBJECT);
    set_number(d, entry, "expected", expected->index);
    set_number(d, entry, "candidate", c->candidate.items[pair->candidate].index);
    set_number(d, entry, "overlap", pair->overlap);
    if (pair->raw != pair->overlap) set_number(d, entry, "raw", pair->raw);
    if (expected->label != NULL) {
      set(d, entry, "label", ee_value_new_string(d->arena, ee_iou_label_text(c, expected->label)));
    }
    ee_value_append(list, entry);
  }
  return list;
}

static ee_value *unmatched_of(details *d, const ee_shape_list *list, const uint32_t *partners) {
  ee_value *indices = ee_value_new(d->arena, EE_ARRAY);
  uint32_t shown = 0;
  for (uint32_t i = 0; i < list->count; i++) {
    if (partners[i] != EE_NO_PARTNER) continue;
    if (!has_room(d, shown++)) break;
    ee_value_append(indices, ee_value_new_number(d->arena, list->items[i].index));
  }
  return indices;
}

static void add_error(details *d, ee_value *errors, const char *side, uint32_t index, const char *reason) {
  ee_value *entry = ee_value_new(d->arena, EE_OBJECT);
  set(d, entry, "side", ee_value_new_string(d->arena, ee_str_from(side)));
  set_number(d, entry, "index", index);
  set(d, entry, "reason", ee_value_new_string(d->arena, ee_str_from(reason)));
  ee_value_append(errors, entry);
}

static void add_errors_of(details *d, ee_value *errors, const ee_shape_list *list, const char *side,
                          const bool *bad_weights) {
  for (uint32_t i = 0; i < list->count; i++) {
    const ee_shape_item *item = &list->items[i];
    bool bad_weight = bad_weights != NULL && bad_weights[i];
    if (item->trouble == NULL && !bad_weight) continue;
    if (!has_room(d, ee_value_count(errors))) return;
    if (item->trouble != NULL) add_error(d, errors, side, item->index, item->trouble);
    if (bad_weight && has_room(d, ee_value_count(errors))) {
      add_error(d, errors, side, item->index, "the weight is not a number from 0 on");
    }
  }
}

const ee_value *ee_iou_score_details(const ee_iou_case *c, const ee_judge_result *result) {
  details d = {c, c->arena, false};
  ee_value *tree = ee_value_new(d.arena, EE_OBJECT);
  set(&d, tree, "metrics", metrics_of(&d, result));
  set(&d, tree, "pairs", pairs_of(&d));
  set(&d, tree, "unmatched_expected", unmatched_of(&d, &c->expected, c->matched.candidate_of));
  set(&d, tree, "unmatched_candidate", unmatched_of(&d, &c->candidate, c->matched.expected_of));
  ee_value *errors = ee_value_new(d.arena, EE_ARRAY);
  add_errors_of(&d, errors, &c->expected, "expected", c->bad_weights);
  add_errors_of(&d, errors, &c->candidate, "candidate", NULL);
  if (ee_value_count(errors) > 0) set(&d, tree, "errors", errors);
  if (result->vacuous) set(&d, tree, "vacuous", ee_value_new_bool(d.arena, true));
  if (c->matched.fell_back) set(&d, tree, "fallback", ee_value_new_string(d.arena, EE_STR("greedy")));
  if (d.truncated) set(&d, tree, "truncated", ee_value_new_bool(d.arena, true));
  return tree;
}
