/* iou_score.c: ee.iou_score compares two lists of boxes or polygons.
 *
 * A case: read both lists (read_case), pair their shapes (shape_pairs.h), count TP, FP and FN at each threshold
 * (count_all), list hits and misses (report_all), score the overlaps (set_score), write the details (make_details). */
#include "judge/geometry/iou_score.h"

#include <math.h>
#include <stdio.h>

#include "base/printable.h"
#include "base/work.h"
#include "data/json/json_writer.h"
#include "judge/details.h"
#include "judge/pairing/pairs.h"
#include "judge/result.h"
#include "prim/number.h"
#include "prim/sort.h"

#define SUBJECT "ee.iou_score"

static const ee_option iou_score_options[] = {
    EE_SHAPE_OPTION_ROWS,
    EE_CANDIDATE_PATH_OPTION,
    {.name = "label",
     .type = EE_OPTION_PATH,
     .default_text = "none",
     .help = "The path inside an item to its label; only items with equal labels are paired."},
    {.name = "box",
     .type = EE_OPTION_PATH,
     .default_text = "the item itself",
     .help = "The path inside an item to its shape."},
    {.name = "match",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"index\"",
     .help = "index: by position; greedy: the best remaining pair first; optimal: the largest total overlap.",
     .choices = EE_PAIRINGS},
    {.name = "threshold",
     .type = EE_OPTION_NUMBER,
     .default_text = "0.5",
     .help = "The minimum overlap that counts as found, inclusive up to rounding (2^-50 of it), above 0; "
             "greedy and optimal pair nothing below it.",
     .min = 0,
     .max = 1},
    {.name = "thresholds",
     .type = EE_OPTION_NUMBERS,
     .default_text = "the threshold",
     .help = "Several thresholds, each with its own TP, FP and FN; the lowest is the one for pairing, hits and labels.",
     .min = 0,
     .max = 1},
    EE_PAIRS_GATE_OPTION("the total overlap"),
    EE_PAIRS_MAX_OPTION("pairs that reach the threshold",
                        "Above it optimal falls back to greedy, and every report says so. Only pairs of equal labels "
                        "that reach the lowest threshold count here."),
    {.name = "aggregate",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"mean\", with weights of items \"weighted_mean\"",
     .help = "From the overlaps to the score, over the longer list; a missing partner counts 0.",
     .choices = EE_PLACE_AGGREGATES},
    {.name = "item_weight",
     .type = EE_OPTION_PATH,
     .default_text = "none",
     .help = "The path inside an expected item to its weight; an item without one, and an extra item, weighs 1."},
    {.name = "weight",
     .type = EE_OPTION_NUMBER_OR_PATH,
     .default_text = "1",
     .help = "A number: the judge's weight in the case's score. A path: the same as 'item_weight'.",
     .min = 0,
     .max = INFINITY},
    {.name = NULL},
};

/* The paths in judge->expected_paths, in this order, without those that are not given. */
enum { PATH_LABEL, PATH_WEIGHT, PATHS };

/* Thresholds ----------------------------------------------------------------------------------- */

/* The thresholds in the order of the rule file, without the invalid ones, which are reported. */
static double *given_thresholds(ee_plan_builder *builder, const ee_rule_node *node, size_t *count) {
  ee_rule_value list = ee_rule_node_get(node, "thresholds");
  bool has_list = list.type == EE_RULE_TABLE && list.node->item_count > 0;
  if (has_list && ee_rule_node_get(node, "threshold").type != EE_RULE_NONE) {
    ee_compile_error(builder, node, SUBJECT " has both 'threshold' and 'thresholds'");
  }
  size_t given = has_list ? list.node->item_count : 1;
  double *thresholds = EE_NEW_ARRAY(builder->arena, double, given);
  *count = 0;
  for (size_t i = 0; i < given; i++) {
    double value = ee_option_number(node, "threshold", 0.5);
    if (has_list) value = list.node->items[i].type == EE_RULE_NUMBER ? list.node->items[i].number : -1;
    if (value == 0)
      ee_compile_error(builder, node, "a threshold of " SUBJECT " is 0, which shapes that do not overlap reach too");
    if (value > 0 && value <= 1) thresholds[(*count)++] = value;
  }
  return thresholds;
}

static bool is_less(const double *a, const double *b) { return *a < *b; }
EE_DEFINE_SORT(sort_numbers, double, is_less)

static void compile_thresholds(ee_plan_builder *builder, const ee_rule_node *node, ee_iou_score *score) {
  double *thresholds = given_thresholds(builder, node, &score->threshold_count);
  sort_numbers(thresholds, score->threshold_count, builder->arena);
  ee_attribute *attributes = EE_NEW_ARRAY(builder->arena, ee_attribute, score->threshold_count);
  for (size_t i = 0; i < score->threshold_count; i++) {
    char text[32];
    size_t length = ee_double_format(thresholds[i], text);
    if (i > 0 && thresholds[i] == thresholds[i - 1]) {
      ee_compile_error(builder, node, "thresholds of " SUBJECT " has %.*s twice", (int)length, text);
    }
    attributes[i].name = ee_str_from(
        ee_arena_printf(builder->arena, "%s>=%.*s", ee_overlap_name(score->shapes.metric), (int)length, text));
    /* Labels count the pairs of the lowest threshold; higher thresholds count the same pairs again. */
    attributes[i].derived = i > 0 || score->label != NULL;
  }
  score->thresholds = thresholds;
  score->attributes = attributes;
  score->matcher.threshold = score->threshold_count > 0 ? thresholds[0] : 1;
}

/* The node ------------------------------------------------------------------------------------- */

/* The path to the items' weights, from 'item_weight' or from a path given as 'weight'. */
static const ee_path *compile_weight(ee_plan_builder *builder, const ee_rule_node *node, bool *given) {
  bool by_weight = ee_rule_node_get(node, "weight").type == EE_RULE_TEXT;
  bool by_item_weight = ee_rule_node_get(node, "item_weight").type != EE_RULE_NONE;
  *given = by_weight || by_item_weight;
  if (by_weight && by_item_weight) {
    ee_compile_error(builder, node,
                     SUBJECT " has both 'item_weight' and a path as 'weight', which are the same option");
    return NULL;
  }
  return *given ? ee_compile_option_path(builder, node, SUBJECT, by_weight ? "weight" : "item_weight") : NULL;
}

static void compile_aggregate(ee_plan_builder *builder, const ee_rule_node *node, ee_iou_score *score) {
  bool has_weight;
  score->weight = compile_weight(builder, node, &has_weight);
  score->aggregate = (ee_place_aggregate)ee_option_choice(node, "aggregate", EE_PLACE_AGGREGATES,
                                                          has_weight ? "weighted_mean" : "mean");
  if (score->aggregate == EE_PLACES_WEIGHTED_MEAN && !has_weight) {
    ee_compile_error(builder, node, "aggregate = \"weighted_mean\" of " SUBJECT " needs option 'item_weight'");
  } else if (score->aggregate != EE_PLACES_WEIGHTED_MEAN && has_weight) {
    ee_compile_error(builder, node,
                     "weights of items belong to aggregate = \"weighted_mean\" of " SUBJECT ", not to \"%s\"",
                     ee_place_aggregate_name(score->aggregate));
  }
}

/* A run warns when these paths occur nowhere: with a mistyped one all items would have one label, or one weight. */
static void set_expected_paths(ee_plan_builder *builder, const ee_iou_score *score, ee_judge *judge) {
  const ee_path *const paths[PATHS] = {[PATH_LABEL] = score->label, [PATH_WEIGHT] = score->weight};
  ee_expected_path *expected = EE_NEW_ARRAY(builder->arena, ee_expected_path, PATHS);
  for (size_t i = 0; i < PATHS; i++) {
    if (paths[i] == NULL) continue;
    expected[judge->expected_path_count++] =
        (ee_expected_path){.name = paths[i]->text, .none = "nothing", .what = "path"};
  }
  judge->expected_paths = expected;
}

static void iou_score_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge) {
  ee_iou_score *score = EE_NEW(builder->arena, ee_iou_score);
  judge->data = score;
  ee_list_paths_compile(builder, node, SUBJECT, false, &score->paths);
  ee_shape_rule_compile(builder, node, &score->shapes);
  score->reader = (ee_strategy){
      .type = &ee_iou_strategy, .node = node, .normalize_function = EE_NO_FUNCTION, .data = &score->shapes};
  score->label = ee_compile_option_path(builder, node, SUBJECT, "label");
  score->box = ee_compile_option_path(builder, node, SUBJECT, "box");
  if (score->box != NULL) {
    score->no_box = ee_arena_printf(builder->arena, "nothing at '%.*s'", EE_STR_ARG(score->box->text));
  }
  score->matcher = (ee_shape_pairing){
      .rule = &score->shapes,
      .pairing = (ee_pairing)ee_option_choice(node, "match", EE_PAIRINGS, "index"),
      .labelled = score->label != NULL,
      .count_first = ee_option_is(node, "gate", "count"),
      .max_pairs = ee_pairs_compile_max(builder, node, node, NULL),
      .pair_limit = EE_PAIRS_LIMIT,
      .look_limit = EE_SHAPE_LOOK_LIMIT,
      .steps = EE_SHAPE_STEPS,
  };
  if (score->matcher.count_first && score->matcher.pairing != EE_PAIRING_OPTIMAL)
    ee_compile_warn(builder, node, "option 'gate' of " SUBJECT " has no effect without match = \"optimal\"");
  compile_thresholds(builder, node, score);
  compile_aggregate(builder, node, score);
  judge->attributes = score->attributes;
  judge->attribute_count = score->threshold_count;
  judge->data_attributes = score->label != NULL;
  set_expected_paths(builder, score, judge);
}

/* Printing ------------------------------------------------------------------------------------- */

static void print_path(const char *what, const ee_path *path, ee_buffer *out) {
  if (path == NULL) return;
  ee_buffer_add_text(out, what);
  ee_add_shown(out, "", path->text, "");
}

static void iou_score_print(const ee_judge *judge, ee_buffer *out) {
  const ee_iou_score *score = judge->data;
  const ee_shape_pairing *matcher = &score->matcher;
  static const char *const pairings[] = {"index", "greedy", "optimal"};
  ee_list_paths_print(&score->paths, "shapes", out);
  ee_buffer_add_text(out, "  read as ");
  ee_shape_rule_print(&score->shapes, out);
  print_path(", box ", score->box, out);
  print_path(", label ", score->label, out);
  ee_buffer_addf(out, "\n  match %s", pairings[matcher->pairing]);
  if (matcher->pairing == EE_PAIRING_OPTIMAL) {
    ee_buffer_addf(out, ", gate %s, up to %zu pairs", matcher->count_first ? "count" : "total", matcher->max_pairs);
  }
  for (size_t i = 0; i < score->threshold_count; i++) {
    char text[32];
    ee_buffer_add_text(out, i == 0 ? ", threshold " : ", ");
    ee_buffer_add(out, text, ee_double_format(score->thresholds[i], text));
  }
  ee_buffer_addf(out, "\n  score %s", ee_place_aggregate_name(score->aggregate));
  print_path(" by ", score->weight, out);
  ee_buffer_add_char(out, '\n');
}

/* A case -------------------------------------------------------------------------------------- */

/* A case that has been paired and counted. */
typedef struct iou_case {
  const ee_iou_score *score;
  ee_context *context;
  ee_arena *arena;
  ee_shape_list expected, candidate;
  bool expected_is_list, candidate_is_list; /* rather than a single shape */
  ee_shape_pairs matched;
  ee_counts *counts;       /* one per threshold */
  ee_counts *group_counts; /* one per label, at the lowest threshold; NULL without labels */
  const double *weights;   /* one per expected item */
  const bool *bad_weights; /* one per expected item; NULL: all weights are valid */
  uint32_t missing, extra; /* items without a partner */
  ee_findings findings;
  bool found[PATHS]; /* which of the expected paths occur */
} iou_case;

/* The lists ------------------------------------------------------------------------------------ */

static bool is_container(const ee_value *value) { return ee_type_of(value) >= EE_ARRAY; }

/* Which types an array's elements have, whatever their order. */
typedef struct content {
  bool numbers, arrays, objects;
} content;

static content content_of(const ee_value *array) {
  content found = {false, false, false};
  for (const ee_value *item = ee_value_child(array); item != NULL; item = ee_value_next(item)) {
    ee_type type = ee_type_of(item);
    found.numbers |= type == EE_NUMBER;
    found.arrays |= type == EE_ARRAY;
    found.objects |= type == EE_OBJECT;
  }
  return found;
}

/* Whether arrays are nested at least `depth` deep in `array`, itself counted. Objects end the search. */
static bool is_nested(const ee_value *array, int depth) {
  if (ee_type_of(array) != EE_ARRAY) return false;
  if (depth == 1) return true;
  for (const ee_value *item = ee_value_child(array); item != NULL; item = ee_value_next(item))
    if (is_nested(item, depth - 1)) return true;
  return false;
}

/* Whether every element is an array of two numbers, which no box format has. */
static bool is_list_of_pairs(const ee_value *array) {
  bool any = false;
  for (const ee_value *item = ee_value_child(array); item != NULL; item = ee_value_next(item)) {
    content inside = content_of(item);
    if (ee_type_of(item) != EE_ARRAY || ee_value_count(item) != 2 || inside.arrays || inside.objects) return false;
    any |= inside.numbers;
  }
  return any;
}

/* Whether `value`, an array or an object, is one shape rather than a list of them. An array of rings may be a polygon
 * or a list of polygons of one ring each: format "polygon" says that it is a polygon. A list of polygons of several
 * rings is nested one deeper. */
static bool is_single(const ee_iou_score *score, const ee_value *value) {
  if (ee_type_of(value) == EE_OBJECT) return true;
  if (score->box != NULL) return false;
  content inside = content_of(value);
  if (inside.objects) return false;
  if (!inside.arrays) return inside.numbers;
  return score->shapes.format == EE_SHAPE_POLYGON ? !is_nested(value, 4) : is_list_of_pairs(value);
}

/* A label as attribute names show it: its string, its JSON, or "no label". */
static ee_str label_text(const iou_case *c, const ee_value *label) {
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

/* Labels are compared as strings, as the categories of ee.detection are: 1 and "1" are equal. */
static const ee_value *label_of(const iou_case *c, const ee_value *value) {
  const ee_value *label = ee_path_get(c->score->label, value, c->arena);
  if (ee_value_is_empty(label, &c->context->plan->empty)) return NULL;
  return ee_type_of(label) == EE_STRING ? label : ee_value_new_string(c->arena, label_text(c, label));
}

static void read_item(iou_case *c, const ee_value *value, uint32_t index, ee_shape_item *item) {
  const ee_iou_score *score = c->score;
  const ee_empty_rule *empty = &c->context->plan->empty;
  *item = (ee_shape_item){.value = value, .index = index};
  if (score->label != NULL) {
    item->label = label_of(c, value);
    if (item->label != NULL) c->found[PATH_LABEL] = true;
  }
  const ee_value *shape = score->box != NULL ? ee_path_get(score->box, value, c->arena) : value;
  if (score->box != NULL && ee_value_is_empty(shape, empty)) {
    item->error = score->no_box;
  } else {
    item->error = ee_shape_read(&score->shapes, shape, c->arena, &item->shape);
  }
}

/* Reads one side; false when its value is neither a shape nor a list. Empty items are skipped, but count as places when
 * pairing by index. */
static bool read_side(iou_case *c, const ee_path *path, const ee_value *document, ee_shape_list *list, bool *is_list) {
  const ee_empty_rule *empty = &c->context->plan->empty;
  const ee_value *value = path != NULL ? ee_path_get_array(path, document, c->arena) : document;
  *list = (ee_shape_list){.count = 0};
  *is_list = true;
  if (ee_value_is_no_list(value, empty)) return true;
  if (!is_container(value)) return false;
  *is_list = !is_single(c->score, value);
  uint32_t length = *is_list ? ee_value_count(value) : 1;
  ee_work_bound(EE_BOUND_ITEMS, length, "items in an array");
  list->items = ee_arena_alloc(c->arena, length * sizeof *list->items);
  uint32_t index = 0;
  for (const ee_value *item = *is_list ? ee_value_child(value) : value; index < length; index++) {
    if (!ee_value_is_no_list(item, empty)) read_item(c, item, index, &list->items[list->count++]);
    item = ee_value_next(item);
  }
  return true;
}

/* Weights -------------------------------------------------------------------------------------- */

static void read_weights(iou_case *c) {
  double *weights = ee_arena_alloc(c->arena, c->expected.count * sizeof *weights);
  bool *bad = NULL;
  for (uint32_t i = 0; i < c->expected.count; i++) {
    weights[i] = 1;
    if (c->score->weight == NULL) continue;
    const ee_value *value = ee_path_get(c->score->weight, c->expected.items[i].value, c->arena);
    if (ee_value_is_empty(value, &c->context->plan->empty)) continue;
    c->found[PATH_WEIGHT] = true;
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

/* Places and reasons --------------------------------------------------------------------------- */

static ee_finding finding_of(const iou_case *c, const ee_shape_item *item, bool is_expected) {
  const ee_list_paths *paths = &c->score->paths;
  bool is_list = is_expected ? c->expected_is_list : c->candidate_is_list;
  return (ee_finding){.path = ee_list_path_text(is_expected ? paths->expected : paths->candidate),
                      .row = is_list && item != NULL ? item->index : EE_NO_ROW};
}

static ee_reason error_reason(const ee_shape_item *item, bool is_expected) {
  return (ee_reason){.kind = is_expected ? EE_REASON_BAD_EXPECTED : EE_REASON_BAD_CANDIDATE,
                     .text = ee_str_from(item->error)};
}

/* Labels are cut, so that a reason stays short. */
static ee_reason labels_differ(const iou_case *c, const ee_shape_item *expected, const ee_shape_item *candidate) {
  enum { SHOWN = 40 };
  ee_str a = label_text(c, expected->label), b = label_text(c, candidate->label);
  const char *text = ee_arena_printf(c->arena, "labels differ: %.*s and %.*s", (int)ee_utf8_cut(a, SHOWN), a.data,
                                     (int)ee_utf8_cut(b, SHOWN), b.data);
  return (ee_reason){.kind = EE_REASON_TEXT, .text = ee_str_from(text)};
}

static ee_reason reason_of(const iou_case *c, const ee_shape_pair *pair) {
  const ee_shape_item *expected = &c->expected.items[pair->expected], *candidate = &c->candidate.items[pair->candidate];
  if (expected->error != NULL) return error_reason(expected, true);
  if (candidate->error != NULL) return error_reason(candidate, false);
  if (expected->group != candidate->group) return labels_differ(c, expected, candidate);
  return (ee_reason){.kind = EE_REASON_BELOW,
                     .text = ee_str_from(ee_overlap_name(c->score->shapes.metric)),
                     .first = pair->raw,
                     .second = c->score->thresholds[0]};
}

/* Outcomes, in full detail --------------------------------------------------------------------- */

/* How two shapes were measured. */
static void explain(const iou_case *c, const ee_shape_pair *pair, bool found, ee_explanation *how) {
  const ee_shape_item *expected = &c->expected.items[pair->expected], *candidate = &c->candidate.items[pair->candidate];
  const ee_shape_rule *rule = &c->score->shapes;
  how->measure = ee_overlap_name(rule->metric);
  how->value = pair->overlap;
  how->threshold = c->score->thresholds[0];
  const char *expression = ee_shape_formula(rule, &expected->shape, &candidate->shape, c->arena);
  ee_explanation_decide(how, expression, EE_LIMIT_MIN, found, c->arena);
}

/* Adds an item, or a pair of them, for the lowest threshold; one of the items may be NULL. `pair` is NULL where no
 * overlap was computed. */
static void keep_outcome(iou_case *c, ee_class value_class, const ee_shape_item *expected,
                         const ee_shape_item *candidate, const ee_shape_pair *pair, ee_reason reason) {
  if (!ee_context_keeps_outcomes(c->context)) return;
  ee_outcome kept = {.place = finding_of(c, expected != NULL ? expected : candidate, expected != NULL),
                     .attribute = c->score->attributes[0].name,
                     .value_class = value_class,
                     .weight = expected != NULL ? c->weights[expected - c->expected.items] : 1,
                     .strategy = ee_str_from(ee_iou_strategy.name),
                     .row = expected != NULL ? expected->index : EE_NO_ROW,
                     .partner = candidate != NULL ? candidate->index : EE_NO_ROW};
  kept.place.reason = reason;
  if (expected != NULL) kept.expected = expected->value;
  if (candidate != NULL) kept.candidate = candidate->value;
  if (value_class == EE_CLASS_UNREAD) kept.weight = 0;
  if (pair != NULL) {
    kept.score = pair->overlap;
    if (expected->error == NULL && candidate->error == NULL) explain(c, pair, value_class == EE_CLASS_TP, &kept.how);
  }
  if (kept.place.row == EE_NO_ROW) kept.row = kept.partner = EE_NO_ROW; /* not of a list */
  ee_outcomes_add(&c->context->outcomes, c->arena, &kept);
}

/* Counting ------------------------------------------------------------------------------------- */

static bool is_found(const ee_shape_pair *pair, double threshold) {
  return pair->overlap > 0 && ee_score_reaches(pair->overlap, threshold);
}

static ee_counts *group_of(const iou_case *c, const ee_shape_item *item) { return &c->group_counts[item->group]; }

/* Pairing by index may pair two labels. That counts as one item missing and one spurious, as it would be with the other
 * pairings, which pair equal labels only. */
static void count_pair_of_labels(iou_case *c, const ee_shape_item *expected, const ee_shape_item *candidate) {
  for (size_t t = 0; t < c->score->threshold_count; t++) {
    ee_counts_add_class(&c->counts[t], EE_CLASS_MISSING);
    ee_counts_add_class(&c->counts[t], EE_CLASS_INVENTED);
  }
  ee_counts_add_class(group_of(c, expected), EE_CLASS_MISSING);
  ee_counts_add_class(group_of(c, candidate), EE_CLASS_INVENTED);
  if (!ee_context_keeps_outcomes(c->context)) return;
  ee_reason reason = labels_differ(c, expected, candidate);
  keep_outcome(c, EE_CLASS_MISSING, expected, NULL, NULL, reason);
  keep_outcome(c, EE_CLASS_INVENTED, NULL, candidate, NULL, reason);
}

static bool is_unread(const iou_case *c, uint32_t i) { return c->expected.items[i].error != NULL; }

/* An expected item that cannot be read, and what pairing by index gave it. */
static void count_unread(iou_case *c, const ee_shape_item *expected) {
  for (size_t t = 0; t < c->score->threshold_count; t++) ee_counts_add_class(&c->counts[t], EE_CLASS_UNREAD);
  if (c->group_counts != NULL) ee_counts_add_class(group_of(c, expected), EE_CLASS_UNREAD);
  keep_outcome(c, EE_CLASS_UNREAD, expected, NULL, NULL, error_reason(expected, true));
}

static void count_pair(iou_case *c, const ee_shape_pair *pair) {
  const ee_shape_item *expected = &c->expected.items[pair->expected], *candidate = &c->candidate.items[pair->candidate];
  if (expected->error != NULL) {
    count_unread(c, expected);
    return;
  }
  if (expected->group != candidate->group) {
    count_pair_of_labels(c, expected, candidate);
    return;
  }
  bool hit = is_found(pair, c->score->thresholds[0]);
  ee_reason reason = {0};
  if (!hit) reason = reason_of(c, pair);
  keep_outcome(c, hit ? EE_CLASS_TP : EE_CLASS_WRONG, expected, candidate, pair, reason);
  for (size_t t = 0; t < c->score->threshold_count; t++) {
    bool found = is_found(pair, c->score->thresholds[t]);
    ee_counts_add_class(&c->counts[t], found ? EE_CLASS_TP : EE_CLASS_WRONG);
    if (t == 0 && c->group_counts != NULL)
      ee_counts_add_class(group_of(c, expected), found ? EE_CLASS_TP : EE_CLASS_WRONG);
  }
}

static ee_reason reason_unpaired(const ee_shape_item *item, bool is_expected) {
  if (item->error != NULL) return error_reason(item, is_expected);
  return (ee_reason){.kind = is_expected ? EE_REASON_MISSING_ITEM : EE_REASON_EXTRA_ITEM};
}

static void keep_unpaired(iou_case *c, const ee_shape_item *item, ee_class as) {
  bool is_expected = as == EE_CLASS_MISSING;
  keep_outcome(c, as, is_expected ? item : NULL, is_expected ? NULL : item, NULL, reason_unpaired(item, is_expected));
}

/* Counts the items without a partner; returns their number. */
static uint32_t count_unpaired(iou_case *c, const ee_shape_list *list, const uint32_t *partners, ee_class as) {
  uint32_t unpaired = 0;
  for (uint32_t i = 0; i < list->count; i++) {
    if (partners[i] != EE_NO_PARTNER) continue;
    unpaired++;
    if (as == EE_CLASS_MISSING && is_unread(c, i)) {
      count_unread(c, &list->items[i]);
      continue;
    }
    for (size_t t = 0; t < c->score->threshold_count; t++) ee_counts_add_class(&c->counts[t], as);
    if (c->group_counts != NULL) ee_counts_add_class(group_of(c, &list->items[i]), as);
    keep_unpaired(c, &list->items[i], as);
  }
  return unpaired;
}

static void count_all(iou_case *c) {
  c->counts = EE_NEW_ARRAY(c->arena, ee_counts, c->score->threshold_count);
  if (c->score->label != NULL) c->group_counts = EE_NEW_ARRAY(c->arena, ee_counts, c->matched.group_count);
  for (uint32_t i = 0; i < c->matched.count; i++) count_pair(c, &c->matched.pairs[i]);
  c->missing = count_unpaired(c, &c->expected, c->matched.candidate_of, EE_CLASS_MISSING);
  c->extra = count_unpaired(c, &c->candidate, c->matched.expected_of, EE_CLASS_INVENTED);
}

static void set_attributes(const iou_case *c, ee_judge_result *result) {
  const ee_iou_score *score = c->score;
  size_t groups = c->group_counts != NULL ? c->matched.group_count : 0;
  ee_attribute_result *attributes = ee_arena_alloc(c->arena, (score->threshold_count + groups) * sizeof *attributes);
  size_t count = 0;
  for (size_t t = 0; t < score->threshold_count; t++) {
    const ee_counts *counts = &c->counts[t];
    if (counts->tp + counts->fp + counts->fn + counts->unread == 0) continue;
    attributes[count++] =
        (ee_attribute_result){.name = score->attributes[t].name, .slot = (int32_t)t, .counts = c->counts[t]};
  }
  for (size_t g = 0; g < groups; g++) {
    static const char prefix[] = "label ";
    ee_str label = label_text(c, c->matched.labels[g]);
    size_t length = sizeof prefix - 1 + label.length;
    char *name = ee_arena_alloc(c->arena, length);
    memcpy(name, prefix, sizeof prefix - 1);
    if (label.length > 0) memcpy(name + sizeof prefix - 1, label.data, label.length);
    attributes[count++] = (ee_attribute_result){.name = {name, length}, .slot = -1, .counts = c->group_counts[g]};
  }
  result->attributes = attributes;
  result->attribute_count = count;
}

/* The score ------------------------------------------------------------------------------------ */

/* The score averages over the places of the longer list. With greedy and optimal a missing and an extra item share one
 * place, as if they were a pair without overlap; with index each has a place of its own. */
static void set_score(iou_case *c, ee_judge_result *result) {
  uint32_t extra = c->extra;
  if (c->score->matcher.pairing != EE_PAIRING_INDEX) extra = c->extra > c->missing ? c->extra - c->missing : 0;
  uint32_t count = c->expected.count + extra;
  if (count == 0) {
    result->score = 1;
    result->vacuous = true;
    return;
  }
  ee_place *places = ee_arena_alloc(c->arena, count * sizeof *places);
  for (uint32_t i = 0; i < c->expected.count; i++) places[i] = (ee_place){0, c->weights[i]};
  for (uint32_t i = 0; i < extra; i++) places[c->expected.count + i] = (ee_place){0, 1};
  for (uint32_t i = 0; i < c->matched.count; i++) {
    places[c->matched.pairs[i].expected].score = c->matched.pairs[i].overlap;
  }
  /* What cannot be read has no place, nor has what shared it. */
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; i++)
    if (i >= c->expected.count || !is_unread(c, i)) places[kept++] = places[i];
  if (kept == 0) {
    result->score = 1;
    result->vacuous = true;
    return;
  }
  count = kept;
  double score = ee_places_score(c->score->aggregate, places, count, c->arena);
  if (ee_context_keeps_outcomes(c->context) && score >= 0)
    result->formula = ee_places_formula(c->score->aggregate, places, count, score, c->arena);
  if (score >= 0) {
    result->score = score;
    return;
  }
  /* All weights are 0: as in ee.fields. */
  result->vacuous = c->counts[0].fp + c->counts[0].fn == 0;
  result->score = result->vacuous ? 1 : 0;
}

/* Findings ------------------------------------------------------------------------------------- */

/* Values are in the counts of the first threshold. */
static void add_miss(iou_case *c, const ee_finding *finding, ee_class value_class, const ee_value *expected,
                     const ee_value *candidate, double overlap) {
  ee_mismatch *mismatch = ee_findings_miss(&c->findings, finding, value_class, expected, candidate, overlap);
  mismatch->attribute = c->score->attributes[0].name;
  mismatch->slot = 0;
  mismatch->unread_candidate = finding->reason.kind == EE_REASON_BAD_CANDIDATE;
}

static void report_pair(iou_case *c, const ee_shape_pair *pair) {
  const ee_shape_item *expected = &c->expected.items[pair->expected];
  ee_finding finding = finding_of(c, expected, true);
  if (is_found(pair, c->score->thresholds[0])) {
    ee_findings_hit(&c->findings, &finding);
    return;
  }
  finding.reason = reason_of(c, pair);
  add_miss(c, &finding, expected->error != NULL ? EE_CLASS_UNREAD : EE_CLASS_WRONG, expected->value,
           c->candidate.items[pair->candidate].value, pair->overlap);
}

static void report_unpaired(iou_case *c, const ee_shape_item *item, bool is_expected) {
  ee_finding finding = finding_of(c, item, is_expected);
  finding.reason = reason_unpaired(item, is_expected);
  ee_class value_class = !is_expected ? EE_CLASS_INVENTED : item->error != NULL ? EE_CLASS_UNREAD : EE_CLASS_MISSING;
  add_miss(c, &finding, value_class, is_expected ? item->value : NULL, is_expected ? NULL : item->value, 0);
}

/* An invalid weight counts 1, and is reported. */
static void report_bad_weight(iou_case *c, const ee_shape_item *item) {
  ee_finding finding = finding_of(c, item, true);
  char row[16] = "";
  if (finding.row != EE_NO_ROW) snprintf(row, sizeof row, "[%u]", finding.row);
  ee_str weight = c->score->weight->text;
  const char *place = ee_arena_printf(c->arena, "%.*s%s%s%.*s", EE_STR_ARG(finding.path), row,
                                      weight.data[0] == '[' ? "" : ".", EE_STR_ARG(weight));
  ee_findings_note(&c->findings, ee_str_from(place), EE_REASON_OF("weight is not a non-negative number; using 1"));
}

/* Each item that cannot be read counts once, for the lowest threshold. */
static void add_unread(iou_case *c, const ee_shape_list *list, ee_document_side document) {
  for (uint32_t i = 0; i < list->count; i++) {
    const ee_shape_item *item = &list->items[i];
    if (item->error == NULL) continue;
    ee_finding place = finding_of(c, item, document == EE_EXPECTED);
    place.reason = error_reason(item, document == EE_EXPECTED);
    if (document == EE_CANDIDATE) c->counts[0].unread_candidates++;
    const ee_value *shape = c->score->box != NULL ? ee_path_get(c->score->box, item->value, c->arena) : NULL;
    ee_strategy_add_unread(&c->score->reader, c->context, document, c->score->attributes[0].name, 0, &place,
                           shape != NULL ? shape : item->value);
  }
}

static void report_all(iou_case *c) {
  uint32_t pair = 0;
  for (uint32_t i = 0; i < c->expected.count; i++) {
    if (c->matched.candidate_of[i] == EE_NO_PARTNER) {
      report_unpaired(c, &c->expected.items[i], true);
    } else {
      report_pair(c, &c->matched.pairs[pair++]);
    }
    if (c->bad_weights != NULL && c->bad_weights[i]) report_bad_weight(c, &c->expected.items[i]);
  }
  for (uint32_t i = 0; i < c->candidate.count; i++) {
    if (c->matched.expected_of[i] == EE_NO_PARTNER) report_unpaired(c, &c->candidate.items[i], false);
  }
}

/* "mean iou 0.82, 9/10 found at 0.5, 1 missing, 0 extra". */
static ee_str reasoning(const iou_case *c, const ee_judge_result *result) {
  char score[32], threshold[32];
  ee_double_format_short(result->score, 6, score);
  ee_double_format_short(c->score->thresholds[0], 6, threshold);
  const char *fallback = c->matched.fell_back ? "; paired by greedy, since optimal would be too much work" : "";
  return ee_str_from(ee_arena_printf(c->arena, "%s %s %s, %zu/%u found at %s, %u missing, %u extra%s",
                                     ee_place_aggregate_name(c->score->aggregate),
                                     ee_overlap_name(c->score->shapes.metric), score, (size_t)c->counts[0].tp,
                                     c->expected.count, threshold, c->missing, c->extra, fallback));
}

/* Details ------------------------------------------------------------------------------------ */

static ee_value *pairs_of(ee_details *d, const iou_case *c) {
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
      ee_details_set(d, entry, "label", ee_value_new_string(d->arena, label_text(c, expected->label)));
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
    if (item->error == NULL && !bad_weight) continue;
    if (!ee_details_have_room(d, ee_value_count(errors))) return;
    if (item->error != NULL) add_error(d, errors, side, item->index, item->error);
    if (bad_weight && ee_details_have_room(d, ee_value_count(errors))) {
      add_error(d, errors, side, item->index, "the weight is not a non-negative number");
    }
  }
}

static void iou_score_write_details(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out) {
  const iou_case *c = result->details;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_details d;
  ee_details_start(&d, scratch, result);
  ee_value *tree = d.tree;
  ee_details_set(&d, tree, "pairs", pairs_of(&d, c));
  ee_details_set(&d, tree, "unmatched_expected", unmatched_of(&d, &c->expected, c->matched.candidate_of));
  ee_details_set(&d, tree, "unmatched_candidate", unmatched_of(&d, &c->candidate, c->matched.expected_of));
  ee_value *errors = ee_value_new(d.arena, EE_ARRAY);
  add_errors_of(&d, errors, &c->expected, "expected", c->bad_weights);
  add_errors_of(&d, errors, &c->candidate, "candidate", NULL);
  if (ee_value_count(errors) > 0) ee_details_set(&d, tree, "errors", errors);
  if (c->matched.fell_back) ee_details_set(&d, tree, "fallback", ee_value_new_string(d.arena, EE_STR("greedy")));
  ee_details_finish(&d, result, out);
  ee_arena_rewind(scratch, mark);
}

/* The judge ------------------------------------------------------------------------------------ */

/* Reads both sides, and reports a side that is not an array. False if there is nothing to score. */
static bool read_case(iou_case *c) {
  const ee_case *current = c->context->current;
  const ee_list_paths *paths = &c->score->paths;
  bool expected_good = read_side(c, paths->expected, current->expected, &c->expected, &c->expected_is_list);
  bool candidate_good = read_side(c, paths->candidate, current->candidate, &c->candidate, &c->candidate_is_list);
  /* Without expected shapes, those of the candidate are neither correct nor incorrect. */
  if (!expected_good) c->candidate.count = 0;
  ee_findings_start(&c->findings, c->arena, c->expected.count);
  if (current->candidate_state != EE_CANDIDATE_READ) ee_findings_no_candidate(&c->findings, current->candidate_state);
  if (!expected_good)
    ee_findings_fail(&c->findings, EE_FAULT_DATA, ee_list_path_text(paths->expected),
                     EE_REASON_OF("not a shape or an array of shapes"));
  else if (!candidate_good)
    ee_findings_note(&c->findings, ee_list_path_text(paths->candidate),
                     EE_REASON_OF("not a shape or an array of shapes in the candidate"));
  return expected_good && candidate_good;
}

static void report_pairing_error(iou_case *c) {
  ee_findings_fail(&c->findings, EE_FAULT_RULES, ee_list_path_text(c->score->paths.expected),
                   (ee_reason){.kind = EE_REASON_TEXT, .text = ee_str_from(c->matched.error)});
}

static void iou_score_judge_case(const ee_judge *judge, ee_context *context, ee_judge_result *result) {
  iou_case *c = EE_NEW(context->arena, iou_case);
  c->score = judge->data;
  c->context = context;
  c->arena = context->arena;
  bool good = read_case(c);
  read_weights(c);
  ee_shape_pairs_find(&c->score->matcher, &c->expected, &c->candidate, c->arena, &c->matched);
  if (c->matched.error != NULL) report_pairing_error(c);
  if (c->matched.fell_back) context->fallbacks++;
  count_all(c);
  report_all(c);
  add_unread(c, &c->expected, EE_EXPECTED);
  add_unread(c, &c->candidate, EE_CANDIDATE);
  bool no_candidate = context->current->candidate_state != EE_CANDIDATE_READ;
  if (good && c->matched.error == NULL && !no_candidate) set_score(c, result);
  set_attributes(c, result);
  ee_findings_finish(&c->findings, result);
  result->found = c->score->label != NULL ? c->found : c->found + PATH_WEIGHT;
  result->reasoning = no_candidate ? EE_STR("no candidate document") : reasoning(c, result);
  result->details = c;
}

const ee_judge_type ee_iou_score_judge = {
    .name = "iou_score",
    .help = "Boxes or polygons, one or a list, by how much they overlap.",
    .positional = "[1] string?",
    .options = iou_score_options,
    .compile = iou_score_compile,
    .takes_path = true,
    .lists_values = true,
    .judge_case = iou_score_judge_case,
    .write_details = iou_score_write_details,
    .print = iou_score_print,
};
