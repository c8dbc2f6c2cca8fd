/* iou_score_compile.c: what ee.iou_score says, checked, compiled and printed. */
#include <math.h>

#include "judge/geometry/iou_score.h"
#include "prim/number.h"

#define SUBJECT "ee.iou_score"
#define GATES "total|count"
#define MAX_PAIRS 4000000
#define MOST_PAIRS 1e15

const ee_option ee_iou_score_options[] = {
    EE_SHAPE_OPTION_ROWS,
    {.name = "candidate",
     .type = EE_OPTION_PATH,
     .default_text = "the path itself",
     .help = "The path in the candidate, when it differs."},
    {.name = "label",
     .type = EE_OPTION_PATH,
     .default_text = "none",
     .help = "The path inside an item to its label; only items of equal labels belong together."},
    {.name = "box",
     .type = EE_OPTION_PATH,
     .default_text = "the item itself",
     .help = "The path inside an item to its shape."},
    {.name = "match",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"index\"",
     .help = "index: by place; greedy: the best remaining pair first; optimal: the largest total overlap.",
     .choices = EE_PAIRINGS},
    {.name = "threshold",
     .type = EE_OPTION_NUMBER,
     .default_text = "0.5",
     .help = "The least overlap that counts as found, inclusive up to the rounding of decimals (2^-50 of it), above 0; "
             "greedy and optimal pair nothing below it.",
     .min = 0,
     .max = 1},
    {.name = "thresholds",
     .type = EE_OPTION_NUMBERS,
     .default_text = "the threshold",
     .help = "Several thresholds, each with its own TP, FP and FN; the lowest is the one for pairing, hits and labels.",
     .min = 0,
     .max = 1},
    {.name = "gate",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"total\"",
     .help = "What optimal matching makes as large as can be: the total overlap, or the number of pairs and only then "
             "their total.",
     .choices = GATES},
    {.name = "max_pairs",
     .type = EE_OPTION_NUMBER,
     .default_text = "4000000",
     .unit = "pairs from the threshold on",
     .help =
         "Above it optimal falls back to greedy, and every report says so. Only pairs of equal labels that reach the "
         "lowest threshold count here.",
     .min = 1,
     .max = MOST_PAIRS},
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
     .help = "A number: how much the judge counts in the case's score. A path: the same as 'item_weight'.",
     .min = 0,
     .max = INFINITY},
    {.name = NULL},
};

/* Thresholds ----------------------------------------------------------------------------------- */

/* The thresholds as given; one that was reported is left out. */
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
      ee_compile_error(builder, node, "a threshold of " SUBJECT " is 0, which shapes that do not meet reach too");
    if (value > 0 && value <= 1) thresholds[(*count)++] = value;
  }
  return thresholds;
}

static void sort_ascending(double *numbers, size_t count) {
  for (size_t i = 1; i < count; i++) {
    double number = numbers[i];
    size_t at = i;
    for (; at > 0 && numbers[at - 1] > number; at--) numbers[at] = numbers[at - 1];
    numbers[at] = number;
  }
}

static void compile_thresholds(ee_plan_builder *builder, const ee_rule_node *node, ee_iou_score *score) {
  double *thresholds = given_thresholds(builder, node, &score->threshold_count);
  sort_ascending(thresholds, score->threshold_count);
  ee_attribute *attributes = EE_NEW_ARRAY(builder->arena, ee_attribute, score->threshold_count);
  for (size_t i = 0; i < score->threshold_count; i++) {
    char text[32];
    size_t length = ee_double_format(thresholds[i], text);
    if (i > 0 && thresholds[i] == thresholds[i - 1]) {
      ee_compile_error(builder, node, "thresholds of " SUBJECT " has %.*s twice", (int)length, text);
    }
    attributes[i].name = ee_str_from(
        ee_arena_printf(builder->arena, "%s>=%.*s", ee_overlap_name(score->shapes.metric), (int)length, text));
    /* Labels tell the lowest threshold's pairs apart, and higher thresholds tell them again. */
    attributes[i].derived = i > 0 || score->label != NULL;
  }
  score->thresholds = thresholds;
  score->attributes = attributes;
  score->matcher.threshold = score->threshold_count > 0 ? thresholds[0] : 1;
}

/* The node ------------------------------------------------------------------------------------- */

/* The path to the items' weights, by either of its options. */
static const ee_path *compile_weight(ee_plan_builder *builder, const ee_rule_node *node, bool *given) {
  bool by_weight = ee_rule_node_get(node, "weight").type == EE_RULE_TEXT;
  bool by_item_weight = ee_rule_node_get(node, "item_weight").type != EE_RULE_NONE;
  *given = by_weight || by_item_weight;
  if (by_weight && by_item_weight) {
    ee_compile_error(builder, node, SUBJECT " has both 'item_weight' and a path as 'weight', which mean the same");
    return NULL;
  }
  return *given ? ee_list_option_path(builder, node, SUBJECT, by_weight ? "weight" : "item_weight") : NULL;
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

/* A mistyped path to labels would pair everything with everything, and one to weights would weigh nothing. */
static void set_wanted(ee_plan_builder *builder, const ee_iou_score *score, ee_judge *judge) {
  const ee_path *const paths[EE_IOU_WANTED] = {[EE_IOU_LABEL] = score->label, [EE_IOU_WEIGHT] = score->weight};
  ee_expected_path *wanted = EE_NEW_ARRAY(builder->arena, ee_expected_path, EE_IOU_WANTED);
  for (size_t i = 0; i < EE_IOU_WANTED; i++) {
    if (paths[i] == NULL) continue;
    wanted[judge->expected_path_count++] =
        (ee_expected_path){.name = paths[i]->text, .none = "nothing", .what = "path"};
  }
  judge->expected_paths = wanted;
}

void ee_iou_score_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge) {
  ee_iou_score *score = EE_NEW(builder->arena, ee_iou_score);
  judge->data = score;
  ee_list_paths_compile(builder, node, SUBJECT, &score->paths);
  ee_shape_rule_compile(builder, node, &score->shapes);
  score->label = ee_list_option_path(builder, node, SUBJECT, "label");
  score->box = ee_list_option_path(builder, node, SUBJECT, "box");
  if (score->box != NULL) {
    score->no_box =
        ee_arena_printf(builder->arena, "nothing at '%.*s'", (int)score->box->text.length, score->box->text.data);
  }
  double max_pairs = ee_option_number(node, "max_pairs", MAX_PAIRS);
  score->matcher = (ee_shape_matcher){
      .rule = &score->shapes,
      .pairing = (ee_pairing)ee_option_choice(node, "match", EE_PAIRINGS, "index"),
      .labelled = score->label != NULL,
      .count_first = ee_option_choice(node, "gate", GATES, "total") == 1,
      .max_pairs = max_pairs >= 1 && max_pairs <= MOST_PAIRS ? (size_t)max_pairs : MAX_PAIRS,
      .pair_limit = EE_SHAPE_PAIR_LIMIT,
      .look_limit = EE_SHAPE_LOOK_LIMIT,
      .steps = EE_SHAPE_STEPS,
  };
  if (score->matcher.count_first && score->matcher.pairing != EE_PAIRING_OPTIMAL)
    ee_compile_warn(builder, node, "option 'gate' of " SUBJECT " is of no use without match = \"optimal\"");
  compile_thresholds(builder, node, score);
  compile_aggregate(builder, node, score);
  judge->attributes = score->attributes;
  judge->attribute_count = score->threshold_count;
  judge->data_attributes = score->label != NULL;
  set_wanted(builder, score, judge);
}

/* Printing ------------------------------------------------------------------------------------- */

static void print_path(const char *what, const ee_path *path, ee_buffer *out) {
  if (path == NULL) return;
  ee_buffer_add_text(out, what);
  ee_buffer_add_str(out, path->text);
}

void ee_iou_score_print(const ee_judge *judge, ee_buffer *out) {
  const ee_iou_score *score = judge->data;
  const ee_shape_matcher *matcher = &score->matcher;
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
