/* iou_score.c: ee.iou_score, lists of boxes or polygons: first paired, then scored by how much they overlap. */
#include "judge/geometry/iou_score.h"
#include "judge/geometry/bad_shapes.h"

#include <math.h>
#include <stdio.h>

#include "data/json/json_writer.h"
#include "prim/number.h"

/* The lists ------------------------------------------------------------------------------------ */

static bool is_container(const ee_value *value) { return ee_type_of(value) >= EE_ARRAY; }

/* What an array's elements are. It takes all of them to tell, so that their order does not matter. */
typedef struct content {
  bool numbers, lists, objects;
} content;

static content content_of(const ee_value *array) {
  content found = {false, false, false};
  for (const ee_value *item = ee_value_child(array); item != NULL; item = ee_value_next(item)) {
    ee_type type = ee_type_of(item);
    found.numbers |= type == EE_NUMBER;
    found.lists |= type == EE_ARRAY;
    found.objects |= type == EE_OBJECT;
  }
  return found;
}

/* Whether a list of lists is a list of points: what is in there is flat. */
static bool is_list_of_points(const ee_value *array) {
  bool any = false;
  for (const ee_value *item = ee_value_child(array); item != NULL; item = ee_value_next(item)) {
    if (!is_container(item)) continue;
    content inside = content_of(item);
    if (inside.lists || inside.objects) return false;
    any |= inside.numbers;
  }
  return any;
}

/* Whether every element is a point of two numbers, which is no box in any format. */
static bool is_list_of_pairs(const ee_value *array) {
  for (const ee_value *item = ee_value_child(array); item != NULL; item = ee_value_next(item)) {
    if (ee_type_of(item) != EE_ARRAY || ee_value_count(item) != 2) return false;
  }
  return is_list_of_points(array);
}

/* Whether `value`, an array or an object, is one shape rather than a list of them. */
static bool is_single(const ee_iou_score *score, const ee_value *value) {
  if (ee_type_of(value) == EE_OBJECT) return true;
  if (score->box != NULL) return false;
  content inside = content_of(value);
  if (inside.objects) return false;
  if (!inside.lists) return inside.numbers;
  return score->shapes.format == EE_SHAPE_POLYGON ? is_list_of_points(value) : is_list_of_pairs(value);
}

/* Labels go by their texts, as categories do in ee.detection: 1 and "1" are one. */
static const ee_value *label_of(const ee_iou_case *c, const ee_value *value) {
  const ee_value *label = ee_path_get(c->score->label, value, c->arena);
  if (ee_value_is_empty(label, &c->context->plan->empty)) return NULL;
  return ee_type_of(label) == EE_STRING ? label : ee_value_new_string(c->arena, ee_iou_label_text(c, label));
}

static void read_item(ee_iou_case *c, bool is_expected, const ee_value *value, uint32_t index, ee_shape_item *item) {
  const ee_iou_score *score = c->score;
  const ee_empty_rule *empty = &c->context->plan->empty;
  *item = (ee_shape_item){.value = value, .index = index};
  if (score->label != NULL) {
    item->label = label_of(c, value);
    if (item->label != NULL) c->found[EE_IOU_LABEL] = true;
  }
  const ee_value *shape = score->box != NULL ? ee_path_get(score->box, value, c->arena) : value;
  if (score->box != NULL && ee_value_is_empty(shape, empty)) {
    item->trouble = score->no_box;
  } else {
    item->trouble = ee_shape_read(&score->shapes, shape, c->arena, &item->shape);
  }
  if (item->trouble != NULL)
    ee_unreadable_add_shape(&c->context->unreadable, is_expected, &score->shapes, shape, item->trouble, c->arena);
}

/* Reads one side; false when what stands there is neither a shape nor a list. Empty items are none, but by index they
 * keep their places. */
static bool read_side(ee_iou_case *c, const ee_path *path, const ee_value *document, ee_shape_list *list,
                      bool *is_list) {
  const ee_empty_rule *empty = &c->context->plan->empty;
  const ee_value *value = path != NULL ? ee_path_get(path, document, c->arena) : document;
  *list = (ee_shape_list){.count = 0};
  *is_list = true;
  if (ee_value_is_empty(value, empty)) return true;
  if (!is_container(value)) return false;
  *is_list = !is_single(c->score, value);
  uint32_t length = *is_list ? ee_value_count(value) : 1;
  list->items = ee_arena_alloc(c->arena, length * sizeof *list->items);
  uint32_t index = 0;
  for (const ee_value *item = *is_list ? ee_value_child(value) : value; index < length; index++) {
    if (!ee_value_is_empty(item, empty)) read_item(c, list == &c->expected, item, index, &list->items[list->count++]);
    item = ee_value_next(item);
  }
  return true;
}

/* Weights -------------------------------------------------------------------------------------- */

static void read_weights(ee_iou_case *c) {
  double *weights = ee_arena_alloc(c->arena, c->expected.count * sizeof *weights);
  bool *bad = NULL;
  for (uint32_t i = 0; i < c->expected.count; i++) {
    weights[i] = 1;
    if (c->score->weight == NULL) continue;
    const ee_value *value = ee_path_get(c->score->weight, c->expected.items[i].value, c->arena);
    if (ee_value_is_empty(value, &c->context->plan->empty)) continue;
    c->found[EE_IOU_WEIGHT] = true;
    double weight = ee_type_of(value) == EE_NUMBER ? ee_value_number(value) : -1;
    if (weight >= 0 && isfinite(weight)) {
      weights[i] = weight;
      continue;
    }
    if (bad == NULL) bad = EE_NEW_ARRAY(c->arena, bool, c->expected.count);
    bad[i] = true;
  }
  c->weights = weights;
  c->bad_weights = bad;
}

/* Counting ------------------------------------------------------------------------------------- */

static bool is_found(const ee_shape_pair *pair, double threshold) {
  return pair->overlap > 0 && ee_score_reaches(pair->overlap, threshold);
}

static ee_counts *group_of(const ee_iou_case *c, const ee_shape_item *item) { return &c->group_counts[item->group]; }

/* A pair of two labels, by index, is one of one label missing and one of the other invented, as it is by other
 * pairings, where they are no pair. */
static void count_pair_of_labels(ee_iou_case *c, const ee_shape_item *expected, const ee_shape_item *candidate) {
  for (size_t t = 0; t < c->score->threshold_count; t++) {
    ee_counts_add_class(&c->counts[t], EE_CLASS_MISSING);
    ee_counts_add_class(&c->counts[t], EE_CLASS_INVENTED);
  }
  ee_counts_add_class(group_of(c, expected), EE_CLASS_MISSING);
  ee_counts_add_class(group_of(c, candidate), EE_CLASS_INVENTED);
}

static void count_pair(ee_iou_case *c, const ee_shape_pair *pair) {
  const ee_shape_item *expected = &c->expected.items[pair->expected], *candidate = &c->candidate.items[pair->candidate];
  if (expected->group != candidate->group) {
    count_pair_of_labels(c, expected, candidate);
    return;
  }
  for (size_t t = 0; t < c->score->threshold_count; t++) {
    bool found = is_found(pair, c->score->thresholds[t]);
    ee_counts_add_class(&c->counts[t], found ? EE_CLASS_TP : EE_CLASS_WRONG);
    if (t == 0 && c->group_counts != NULL)
      ee_counts_add_class(group_of(c, expected), found ? EE_CLASS_TP : EE_CLASS_WRONG);
  }
}

/* Counts the items without a partner. */
static uint32_t count_single(ee_iou_case *c, const ee_shape_list *list, const uint32_t *partners, ee_class as) {
  uint32_t single = 0;
  for (uint32_t i = 0; i < list->count; i++) {
    if (partners[i] != EE_NO_PARTNER) continue;
    single++;
    for (size_t t = 0; t < c->score->threshold_count; t++) ee_counts_add_class(&c->counts[t], as);
    if (c->group_counts != NULL) ee_counts_add_class(group_of(c, &list->items[i]), as);
  }
  return single;
}

static void count_all(ee_iou_case *c) {
  c->counts = EE_NEW_ARRAY(c->arena, ee_counts, c->score->threshold_count);
  if (c->score->label != NULL) c->group_counts = EE_NEW_ARRAY(c->arena, ee_counts, c->matched.group_count);
  for (uint32_t i = 0; i < c->matched.count; i++) count_pair(c, &c->matched.pairs[i]);
  c->missing = count_single(c, &c->expected, c->matched.candidate_of, EE_CLASS_MISSING);
  c->extra = count_single(c, &c->candidate, c->matched.expected_of, EE_CLASS_INVENTED);
}

ee_str ee_iou_label_text(const ee_iou_case *c, const ee_value *label) {
  switch (ee_type_of(label)) {
  case EE_MISSING:
  case EE_NULL: return EE_STR("no label");
  case EE_FALSE: return EE_STR("false");
  case EE_TRUE: return EE_STR("true");
  case EE_STRING: return ee_value_text(label);
  case EE_NUMBER: {
    char room[32];
    ee_str text = ee_value_number_text(label, room);
    return (ee_str){ee_arena_copy(c->arena, text.data, text.length), text.length};
  }
  default: break;
  }
  ee_buffer text;
  ee_buffer_init(&text);
  ee_json_write_canonical(&text, label, c->arena);
  ee_str copy = {ee_arena_copy(c->arena, text.data, text.length), text.length};
  ee_buffer_fini(&text);
  return copy;
}

static void set_attributes(const ee_iou_case *c, ee_judge_result *result) {
  const ee_iou_score *score = c->score;
  size_t groups = c->group_counts != NULL ? c->matched.group_count : 0;
  ee_attribute_result *attributes = ee_arena_alloc(c->arena, (score->threshold_count + groups) * sizeof *attributes);
  size_t count = 0;
  for (size_t t = 0; t < score->threshold_count; t++) {
    if (c->counts[t].tp + c->counts[t].fp + c->counts[t].fn == 0) continue;
    attributes[count++] = (ee_attribute_result){score->attributes[t].name, (int32_t)t, c->counts[t]};
  }
  for (size_t g = 0; g < groups; g++) {
    static const char prefix[] = "label ";
    ee_str label = ee_iou_label_text(c, c->matched.labels[g]);
    size_t length = sizeof prefix - 1 + label.length;
    char *name = ee_arena_alloc(c->arena, length);
    memcpy(name, prefix, sizeof prefix - 1);
    if (label.length > 0) memcpy(name + sizeof prefix - 1, label.data, label.length);
    attributes[count++] = (ee_attribute_result){{name, length}, -1, c->group_counts[g]};
  }
  result->attributes = attributes;
  result->attribute_count = count;
}

/* The score ------------------------------------------------------------------------------------ */

/* The longer list has as many places as there are pairs and items left alone, where by greedy and optimal one left
 * alone on either side take one place together: they are what a missing partner leaves. By index each has its own. */
static void set_score(ee_iou_case *c, ee_judge_result *result) {
  uint32_t extra = c->extra;
  if (c->score->matcher.pairing != EE_PAIRING_INDEX) extra = c->extra > c->missing ? c->extra - c->missing : 0;
  c->places = c->expected.count + extra;
  if (c->places == 0) {
    result->score = 1;
    result->vacuous = true;
    return;
  }
  ee_place *places = ee_arena_alloc(c->arena, c->places * sizeof *places);
  for (uint32_t i = 0; i < c->expected.count; i++) places[i] = (ee_place){0, c->weights[i]};
  for (uint32_t i = 0; i < extra; i++) places[c->expected.count + i] = (ee_place){0, 1};
  for (uint32_t i = 0; i < c->matched.count; i++) {
    places[c->matched.pairs[i].expected].score = c->matched.pairs[i].overlap;
  }
  double score = ee_places_score(c->score->aggregate, places, c->places, c->arena);
  if (score >= 0) {
    result->score = score;
    return;
  }
  /* Nothing weighs anything: as in ee.fields. */
  result->vacuous = c->counts[0].fp + c->counts[0].fn == 0;
  result->score = result->vacuous ? 1 : 0;
}

/* Findings ------------------------------------------------------------------------------------- */

static ee_finding finding_of(const ee_iou_case *c, const ee_shape_item *item, bool is_expected) {
  const ee_list_paths *paths = &c->score->paths;
  bool is_list = is_expected ? c->expected_is_list : c->candidate_is_list;
  return (ee_finding){.path = ee_list_path_text(is_expected ? paths->expected : paths->candidate),
                      .row = is_list ? item->index : EE_NO_ROW};
}

static ee_reason trouble_of(const ee_shape_item *item, bool is_expected) {
  return (ee_reason){.kind = is_expected ? EE_REASON_BAD_EXPECTED : EE_REASON_BAD_CANDIDATE,
                     .text = ee_str_from(item->trouble)};
}

/* Labels are cut, so that a reason stays one. */
static ee_reason labels_differ(const ee_iou_case *c, const ee_shape_item *expected, const ee_shape_item *candidate) {
  enum { SHOWN = 40 };
  ee_str a = ee_iou_label_text(c, expected->label), b = ee_iou_label_text(c, candidate->label);
  const char *text = ee_arena_printf(c->arena, "labels differ: %.*s and %.*s", (int)ee_utf8_cut(a, SHOWN), a.data,
                                     (int)ee_utf8_cut(b, SHOWN), b.data);
  return (ee_reason){.kind = EE_REASON_TEXT, .text = ee_str_from(text)};
}

static ee_reason reason_of(const ee_iou_case *c, const ee_shape_pair *pair) {
  const ee_shape_item *expected = &c->expected.items[pair->expected], *candidate = &c->candidate.items[pair->candidate];
  if (expected->trouble != NULL) return trouble_of(expected, true);
  if (candidate->trouble != NULL) return trouble_of(candidate, false);
  if (expected->group != candidate->group) return labels_differ(c, expected, candidate);
  return (ee_reason){.kind = EE_REASON_BELOW,
                     .text = ee_str_from(ee_overlap_name(c->score->shapes.metric)),
                     .first = pair->raw,
                     .second = c->score->thresholds[0]};
}

static void tell_pair(ee_iou_case *c, const ee_shape_pair *pair) {
  const ee_shape_item *expected = &c->expected.items[pair->expected];
  ee_finding finding = finding_of(c, expected, true);
  if (is_found(pair, c->score->thresholds[0])) {
    ee_findings_hit(&c->findings, &finding);
    return;
  }
  finding.reason = reason_of(c, pair);
  ee_findings_miss(&c->findings, &finding, expected->value, c->candidate.items[pair->candidate].value, pair->overlap);
}

static void tell_single(ee_iou_case *c, const ee_shape_item *item, bool is_expected) {
  ee_finding finding = finding_of(c, item, is_expected);
  finding.reason.kind = is_expected ? EE_REASON_MISSING_ITEM : EE_REASON_EXTRA_ITEM;
  if (item->trouble != NULL) finding.reason = trouble_of(item, is_expected);
  ee_findings_miss(&c->findings, &finding, is_expected ? item->value : NULL, is_expected ? NULL : item->value, 0);
}

/* A weight that cannot be read counts 1, and is told. */
static void tell_bad_weight(ee_iou_case *c, const ee_shape_item *item) {
  ee_finding finding = finding_of(c, item, true);
  char row[16] = "";
  if (finding.row != EE_NO_ROW) snprintf(row, sizeof row, "[%u]", finding.row);
  ee_str weight = c->score->weight->text;
  const char *place = ee_arena_printf(c->arena, "%.*s%s%s%.*s", (int)finding.path.length, finding.path.data, row,
                                      weight.data[0] == '[' ? "" : ".", (int)weight.length, weight.data);
  ee_findings_note(&c->findings, ee_str_from(place), EE_REASON_OF("no weight: not a number from 0 on; it counts 1"));
}

static void tell_all(ee_iou_case *c) {
  uint32_t pair = 0;
  for (uint32_t i = 0; i < c->expected.count; i++) {
    if (c->matched.candidate_of[i] == EE_NO_PARTNER) {
      tell_single(c, &c->expected.items[i], true);
    } else {
      tell_pair(c, &c->matched.pairs[pair++]);
    }
    if (c->bad_weights != NULL && c->bad_weights[i]) tell_bad_weight(c, &c->expected.items[i]);
  }
  for (uint32_t i = 0; i < c->candidate.count; i++) {
    if (c->matched.expected_of[i] == EE_NO_PARTNER) tell_single(c, &c->candidate.items[i], false);
  }
}

/* "mean iou 0.82, 9/10 found at 0.5, 1 missing, 0 extra". */
static ee_str reasoning(const ee_iou_case *c, const ee_judge_result *result) {
  char score[32], threshold[32];
  ee_double_format_short(result->score, 6, score);
  ee_double_format_short(c->score->thresholds[0], 6, threshold);
  const char *fallback = c->matched.fell_back ? "; paired by greedy, since optimal would be too much work" : "";
  return ee_str_from(ee_arena_printf(c->arena, "%s %s %s, %zu/%u found at %s, %u missing, %u extra%s",
                                     ee_place_aggregate_name(c->score->aggregate),
                                     ee_overlap_name(c->score->shapes.metric), score, (size_t)c->counts[0].tp,
                                     c->expected.count, threshold, c->missing, c->extra, fallback));
}

/* The judge ------------------------------------------------------------------------------------ */

/* Reads both sides; what is no list is reported. */
static void read_case(ee_iou_case *c, ee_judge_result *result) {
  const ee_case *current = c->context->current;
  const ee_list_paths *paths = &c->score->paths;
  bool expected_good = read_side(c, paths->expected, current->expected, &c->expected, &c->expected_is_list);
  bool candidate_good = read_side(c, paths->candidate, current->candidate, &c->candidate, &c->candidate_is_list);
  /* Without shapes to compare with, those of the candidate are neither right nor wrong. */
  if (!expected_good) c->candidate.count = 0;
  ee_findings_start(&c->findings, c->arena, c->expected.count);
  if (current->candidate_state != EE_CANDIDATE_READ) ee_findings_no_candidate(&c->findings, current->candidate_state);
  result->failed = !expected_good || !candidate_good;
  static const char *const texts[] = {"not a shape or a list of shapes",
                                      "not a shape or a list of shapes in the candidate"};
  if (result->failed) {
    ee_reason reason = {.kind = EE_REASON_TEXT, .text = ee_str_from(texts[expected_good ? 1 : 0])};
    ee_findings_note(&c->findings, ee_list_path_text(expected_good ? paths->candidate : paths->expected), reason);
  }
}

static void report_refused(ee_iou_case *c, ee_judge_result *result) {
  result->failed = true;
  ee_findings_note(&c->findings, ee_list_path_text(c->score->paths.expected),
                   (ee_reason){.kind = EE_REASON_TEXT, .text = ee_str_from(c->matched.refused)});
}

static void iou_score_judge_case(const ee_judge *judge, ee_context *context, ee_judge_result *result) {
  ee_iou_case *c = EE_NEW(context->arena, ee_iou_case);
  c->score = judge->data;
  c->context = context;
  c->arena = context->arena;
  read_case(c, result);
  read_weights(c);
  ee_shape_match(&c->score->matcher, &c->expected, &c->candidate, c->arena, &c->matched);
  if (c->matched.refused != NULL) report_refused(c, result);
  if (c->matched.fell_back) context->fallbacks++;
  count_all(c);
  tell_all(c);
  bool no_candidate = context->current->candidate_state != EE_CANDIDATE_READ;
  if (!result->failed && !no_candidate) set_score(c, result);
  set_attributes(c, result);
  ee_findings_finish(&c->findings, result);
  result->found = c->score->label != NULL ? c->found : c->found + EE_IOU_WEIGHT;
  result->reasoning = no_candidate ? EE_STR("no candidate document") : reasoning(c, result);
  result->details = ee_iou_score_details(c, result);
}

const ee_judge_type ee_iou_score_judge = {
    .name = "iou_score",
    .help = "Boxes or polygons, one or a list, by how much they overlap.",
    .description = "The value at the path is one shape or a list of them (of items with a shape at 'box'). They are "
                   "paired by index, "
                   "greedily, or for the largest total overlap ('gate' = \"count\": the most pairs, and then the "
                   "largest total), only "
                   "equal labels where 'label' is given; greedy and optimal pair nothing below the lowest threshold, "
                   "and the order of "
                   "items changes nothing. Score: the mean (weighted mean, median, least) overlap over the longer "
                   "list, where a missing "
                   "partner counts 0; two empty lists: 1. At each threshold a pair that reaches it is a TP, any other "
                   "an FP and an "
                   "FN, an item without a partner an FN or an FP: attributes \"iou>=0.5\", and \"label person\" for "
                   "each label at the "
                   "lowest threshold. A shape that cannot be read scores 0 and pairs with none, or only by its place. "
                   "An item that is "
                   "null or blank is none.",
    .options = ee_iou_score_options,
    .compile = ee_iou_score_compile,
    .judge_case = iou_score_judge_case,
    .print = ee_iou_score_print,
};
