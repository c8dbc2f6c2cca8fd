/* iou_score_details.c: what a row says of a case of ee.iou_score. */
#include "judge/details.h"
#include "judge/geometry/iou_score.h"

static ee_value *pairs_of(ee_details *d, const ee_iou_case *c) {
  ee_value *list = ee_value_new(d->arena, EE_ARRAY);
  for (uint32_t i = 0; i < c->matched.count && ee_details_have_room(d, i); i++) {
    const ee_shape_pair *pair = &c->matched.pairs[i];
    const ee_shape_item *expected = &c->expected.items[pair->expected];
    ee_value *entry = ee_value_new(d->arena, EE_OBJECT);
    ee_details_set_number(d, entry, "expected", expected->index);
    ee_details_set_number(d, entry, "candidate", c->candidate.items[pair->candidate].index);
    ee_details_set_number(d, entry, "overlap", pair->overlap);
    if (pair->raw != pair->overlap) ee_details_set_number(d, entry, "raw", pair->raw);
    if (expected->label != NULL) {
      ee_details_set(d, entry, "label", ee_value_new_string(d->arena, ee_iou_label_text(c, expected->label)));
    }
    ee_value_append(list, entry);
  }
  return list;
}

static ee_value *unmatched_of(ee_details *d, const ee_shape_list *list, const uint32_t *partners) {
  ee_value *indices = ee_value_new(d->arena, EE_ARRAY);
  uint32_t shown = 0;
  for (uint32_t i = 0; i < list->count; i++) {
    if (partners[i] != EE_NO_PARTNER) continue;
    if (!ee_details_have_room(d, shown++)) break;
    ee_value_append(indices, ee_value_new_number(d->arena, list->items[i].index));
  }
  return indices;
}

static void add_error(ee_details *d, ee_value *errors, const char *side, uint32_t index, const char *reason) {
  ee_value *entry = ee_value_new(d->arena, EE_OBJECT);
  ee_details_set(d, entry, "side", ee_value_new_string(d->arena, ee_str_from(side)));
  ee_details_set_number(d, entry, "index", index);
  ee_details_set(d, entry, "reason", ee_value_new_string(d->arena, ee_str_from(reason)));
  ee_value_append(errors, entry);
}

static void add_errors_of(ee_details *d, ee_value *errors, const ee_shape_list *list, const char *side,
                          const bool *bad_weights) {
  for (uint32_t i = 0; i < list->count; i++) {
    const ee_shape_item *item = &list->items[i];
    bool bad_weight = bad_weights != NULL && bad_weights[i];
    if (item->trouble == NULL && !bad_weight) continue;
    if (!ee_details_have_room(d, ee_value_count(errors))) return;
    if (item->trouble != NULL) add_error(d, errors, side, item->index, item->trouble);
    if (bad_weight && ee_details_have_room(d, ee_value_count(errors))) {
      add_error(d, errors, side, item->index, "the weight is not a number from 0 on");
    }
  }
}

const ee_value *ee_iou_score_details(const ee_iou_case *c, const ee_judge_result *result) {
  ee_details d;
  ee_details_start(&d, c->arena, result);
  ee_value *tree = d.tree;
  ee_details_set(&d, tree, "pairs", pairs_of(&d, c));
  ee_details_set(&d, tree, "unmatched_expected", unmatched_of(&d, &c->expected, c->matched.candidate_of));
  ee_details_set(&d, tree, "unmatched_candidate", unmatched_of(&d, &c->candidate, c->matched.expected_of));
  ee_value *errors = ee_value_new(d.arena, EE_ARRAY);
  add_errors_of(&d, errors, &c->expected, "expected", c->bad_weights);
  add_errors_of(&d, errors, &c->candidate, "candidate", NULL);
  if (ee_value_count(errors) > 0) ee_details_set(&d, tree, "errors", errors);
  if (c->matched.fell_back) ee_details_set(&d, tree, "fallback", ee_value_new_string(d.arena, EE_STR("greedy")));
  return ee_details_finish(&d, result);
}
