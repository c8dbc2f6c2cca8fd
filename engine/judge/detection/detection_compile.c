/* detection_compile.c: the options of ee.detection: reading and printing them. */
#include <math.h>

#include "base/printable.h"
#include "judge/detection/detection.h"
#include "prim/number.h"

#define MAX_THRESHOLDS 1000
#define MAX_LIMITS 16
#define MAX_RANGES 4

const ee_option ee_detection_options[] = {
    {.name = "box", .type = EE_OPTION_PATH, .default_text = "\"bbox\"", .help = "The box, in an item of either list."},
    {.name = "category",
     .type = EE_OPTION_PATH,
     .default_text = "\"category\"",
     .help = "The class, in an item: a string or a number; category_id if it is missing. A number in category_id "
             "decides the order of classes."},
    {.name = "score",
     .type = EE_OPTION_PATH,
     .default_text = "\"score\"",
     .help = "The confidence of a detection, any number. If one is missing there is no average precision."},
    {.name = "area",
     .type = EE_OPTION_PATH,
     .default_text = "\"area\"",
     .help = "The area of an object, which decides its area range; width * height if it is missing."},
    {.name = "crowd",
     .type = EE_OPTION_PATH,
     .default_text = "\"iscrowd\"",
     .help = "Whether an object is a crowd: it takes any number of detections, which are then not counted."},
    {.name = "ignore",
     .type = EE_OPTION_PATH,
     .default_text = "\"ignore\"",
     .help = "Whether an object and the detections that match it are not counted; only with mode = \"corrected\"."},
    {.name = "id",
     .type = EE_OPTION_PATH,
     .default_text = "\"id\" of items with an image_id",
     .help =
         "The id of an object in the whole data set, as in COCO's annotations. It matters with mode = \"coco\" only, "
         "where duplicate ids and the id 0 have the effects that they have in COCO's evaluator."},
    {.name = "format",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"xywh\"",
     .help = "How four numbers make a box, in both lists: x, y, width, height; two corners; or centre, width, height. "
             "A box { format = ..., coordinates = ... } names its own format.",
     .choices = EE_DETECTION_FORMATS},
    {.name = "candidate_format",
     .type = EE_OPTION_CHOICE,
     .default_text = "format",
     .help = "The same for detections, if their boxes have another format than those of objects.",
     .choices = EE_DETECTION_FORMATS},
    {.name = "threshold",
     .type = EE_OPTION_NUMBER,
     .default_text = "0.5",
     .help = "The minimum overlap (IoU) of a match, for precision, recall, F1 and the score of an image; above 0.",
     .min = 0,
     .max = 1},
    {.name = "min_score",
     .type = EE_OPTION_NUMBER,
     .default_text = "none",
     .help = "Detections below it are left out of precision, recall, F1 and the score of an image, not of average "
             "precision.",
     .min = -INFINITY,
     .max = INFINITY},
    {.name = "thresholds",
     .lua_type = "number[]",
     .type = EE_OPTION_VALUES,
     .default_text = "0.5, 0.55, ... 0.95",
     .help = "The IoU thresholds over which average precision and recall are averaged."},
    {.name = "max_detections",
     .lua_type = "integer[]",
     .type = EE_OPTION_VALUES,
     .default_text = "{ 1, 10, 100 }",
     .help =
         "How many detections count per image and class, the best ones: average recall for each, everything else for "
         "the last. Ascending whole numbers."},
    {.name = "area_ranges",
     .lua_type = "number[][]",
     .type = EE_OPTION_VALUES,
     .default_text = "{ { 0, 1e10 }, { 0, 1024 }, { 1024, 9216 }, { 9216, 1e10 } }",
     .unit = "square pixels",
     .help =
         "Pairs of areas, both inclusive: of the objects that count at all, and up to three more, named small, medium "
         "and large."},
    {.name = "classes",
     .type = EE_OPTION_BOOL,
     .default_text = "true",
     .help = "Whether only objects and detections of one class match; false treats all as one class."},
    {.name = "mode",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"coco\"",
     .help =
         "\"coco\": bit-identical to COCO's evaluator; \"corrected\": without its defects, with notes on those that "
         "made a difference.",
     .choices = "coco|corrected"},
    {.name = NULL},
};

/* Paths ---------------------------------------------------------------------------------------- */

static void compile_path(ee_plan_builder *builder, const ee_rule_node *node, ee_detection *detection) {
  for (size_t i = 0; i < node->item_count; i++) {
    const ee_rule_value *item = &node->items[i];
    if (i > 0 || item->type != EE_RULE_TEXT) {
      ee_compile_error(builder, item->type == EE_RULE_NODE ? item->node : node,
                       "ee.detection takes the path of a list and options, got %s",
                       ee_rule_value_describe(item, builder->arena));
      continue;
    }
    detection->path = ee_compile_path(builder, node, item->text, "ee.detection", EE_PATH_NO_WILDCARD);
  }
}

static void compile_members(ee_plan_builder *builder, const ee_rule_node *node, ee_detection *detection) {
  static const struct {
    const char *option, *fallback;
  } names[EE_DETECTION_MEMBERS] = {
      [EE_DETECTION_BOX] = {"box", "bbox"},
      [EE_DETECTION_CATEGORY] = {"category", "category"},
      [EE_DETECTION_SCORE] = {"score", "score"},
      [EE_DETECTION_AREA] = {"area", "area"},
      [EE_DETECTION_CROWD] = {"crowd", "iscrowd"},
      [EE_DETECTION_IGNORE] = {"ignore", "ignore"},
      [EE_DETECTION_ID] = {"id", "id"},
      [EE_DETECTION_CATEGORY_ID] = {NULL, "category_id"},
      [EE_DETECTION_IMAGE_ID] = {NULL, "image_id"},
  };
  for (size_t i = 0; i < EE_DETECTION_MEMBERS; i++) {
    const char *option = names[i].option;
    ee_str text = option != NULL ? ee_option_text(node, option, names[i].fallback) : ee_str_from(names[i].fallback);
    const char *subject =
        ee_arena_printf(builder->arena, "option '%s' of ee.detection", option != NULL ? option : names[i].fallback);
    const ee_path *path = ee_compile_path(builder, node, text, subject, EE_PATH_ONE_VALUE | EE_PATH_CHECKED);
    if (path == NULL) continue;
    detection->members[i].path = path;
    if (path->count != 1 || path->steps[0].kind != EE_STEP_KEY) continue;
    ee_str key = detection->members[i].key = path->steps[0].key;
    size_t last = EE_DETECTION_LENGTHS - 1;
    detection->of_length[key.length < last ? key.length : last] |= (uint16_t)(1u << i);
  }
  detection->ids_named = ee_rule_node_get(node, "id").type == EE_RULE_TEXT;
}

/* Lists of numbers ----------------------------------------------------------------------------- */

/* The numbers of the option `name`; NULL when it is not given, or is invalid, which is reported. */
static double *read_numbers(ee_plan_builder *builder, const ee_rule_node *node, const char *name, size_t max,
                            size_t *count) {
  ee_rule_value value = ee_rule_node_get(node, name);
  if (value.type != EE_RULE_TABLE || value.node->option_count > 0) return NULL;
  *count = value.node->item_count;
  if (*count == 0 || *count > max) {
    ee_compile_error(builder, node, "option '%s' of ee.detection takes 1 to %zu numbers, got %zu", name, max, *count);
    return NULL;
  }
  double *numbers = EE_NEW_ARRAY(builder->arena, double, *count);
  for (size_t i = 0; i < *count; i++) {
    const ee_rule_value *item = &value.node->items[i];
    if (item->type != EE_RULE_NUMBER || isnan(item->number)) {
      ee_compile_error(builder, node, "option '%s' of ee.detection takes numbers, got %s", name,
                       item->type == EE_RULE_NUMBER ? "NaN" : ee_rule_value_describe(item, builder->arena));
      return NULL;
    }
    numbers[i] = item->number;
  }
  return numbers;
}

static void compile_thresholds(ee_plan_builder *builder, const ee_rule_node *node, ee_ap_parameters *parameters) {
  size_t count;
  const double *numbers = read_numbers(builder, node, "thresholds", MAX_THRESHOLDS, &count);
  if (numbers == NULL) return;
  for (size_t i = 0; i < count; i++) {
    if (numbers[i] > 0 && numbers[i] <= 1) continue;
    ee_compile_error(builder, node, "a threshold of ee.detection must be above 0 and at most 1, got %g", numbers[i]);
    return;
  }
  parameters->thresholds = numbers;
  parameters->threshold_count = count;
}

static void compile_limits(ee_plan_builder *builder, const ee_rule_node *node, ee_ap_parameters *parameters) {
  size_t count;
  const double *numbers = read_numbers(builder, node, "max_detections", MAX_LIMITS, &count);
  if (numbers == NULL) return;
  unsigned *limits = EE_NEW_ARRAY(builder->arena, unsigned, count);
  for (size_t i = 0; i < count; i++) {
    bool whole = numbers[i] >= 1 && numbers[i] <= 1e9 && floor(numbers[i]) == numbers[i];
    if (!whole || (i > 0 && numbers[i] <= numbers[i - 1])) {
      ee_compile_error(builder, node,
                       "option 'max_detections' of ee.detection must be ascending whole numbers of at least 1");
      return;
    }
    limits[i] = (unsigned)numbers[i];
  }
  parameters->limits = limits;
  parameters->limit_count = count;
}

/* Arrays inside the array arrive flattened. */
static void compile_ranges(ee_plan_builder *builder, const ee_rule_node *node, ee_ap_parameters *parameters) {
  size_t count;
  const double *numbers = read_numbers(builder, node, "area_ranges", 2 * MAX_RANGES, &count);
  if (numbers == NULL) return;
  ee_ap_range *ranges = EE_NEW_ARRAY(builder->arena, ee_ap_range, count / 2 + 1);
  for (size_t i = 0; i + 1 < count; i += 2) ranges[i / 2] = (ee_ap_range){numbers[i], numbers[i + 1]};
  bool good = count % 2 == 0;
  for (size_t i = 0; i < count / 2; i++) good = good && ranges[i].low <= ranges[i].high;
  if (!good) {
    ee_compile_error(builder, node, "option 'area_ranges' of ee.detection takes pairs of a lower and an upper area");
    return;
  }
  parameters->ranges = ranges;
  parameters->range_count = count / 2;
}

/* The node ------------------------------------------------------------------------------------- */

void ee_detection_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge) {
  ee_detection *detection = EE_NEW(builder->arena, ee_detection);
  judge->data = detection;
  detection->empty = builder->plan->empty;
  detection->pair_limit = EE_DETECTION_PAIR_LIMIT;
  compile_path(builder, node, detection);
  compile_members(builder, node, detection);
  detection->format = (ee_detection_format)ee_option_choice(node, "format", EE_DETECTION_FORMATS, "xywh");
  detection->candidate_format = detection->format;
  if (ee_rule_node_get(node, "candidate_format").type == EE_RULE_TEXT)
    detection->candidate_format =
        (ee_detection_format)ee_option_choice(node, "candidate_format", EE_DETECTION_FORMATS, "xywh");
  detection->threshold = ee_option_number(node, "threshold", 0.5);
  detection->min_score = ee_option_number(node, "min_score", -INFINITY); /* scores may be any numbers */
  detection->corrected = ee_option_is(node, "mode", "corrected");
  if (detection->threshold == 0)
    ee_compile_error(builder, node,
                     "option 'threshold' of ee.detection must be above 0: at 0 boxes that do not overlap match");
  ee_ap_parameters *parameters = &detection->parameters;
  ee_ap_defaults(parameters);
  parameters->with_ties = parameters->last_limit = true;
  parameters->use_categories = ee_option_bool(node, "classes", true);
  compile_thresholds(builder, node, parameters);
  compile_limits(builder, node, parameters);
  compile_ranges(builder, node, parameters);
}

/* Printing ------------------------------------------------------------------------------------- */

static void print_number(ee_buffer *out, const char *before, double value) {
  char text[32];
  ee_buffer_add_text(out, before);
  ee_buffer_add(out, text, ee_double_format_short(value, 6, text));
}

void ee_detection_print(const ee_judge *judge, ee_buffer *out) {
  static const char *const formats[] = {"xywh", "xyxy", "cxcywh"};
  static const char *const names[] = {"box", "category", "score", "area", "crowd", "ignore"};
  const ee_detection *detection = judge->data;
  const ee_ap_parameters *parameters = &detection->parameters;
  if (detection->path != NULL) ee_add_shown(out, "  list ", detection->path->text, "\n");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    ee_buffer_addf(out, "%s%s ", i == 0 ? "  " : ", ", names[i]);
    ee_add_shown(out, "", detection->members[i].path->text, "");
  }
  ee_buffer_addf(out, "\n  format %s", formats[detection->format]);
  if (detection->candidate_format != detection->format)
    ee_buffer_addf(out, ", candidate_format %s", formats[detection->candidate_format]);
  ee_buffer_addf(out, ", classes %s, mode %s\n", parameters->use_categories ? "true" : "false",
                 detection->corrected ? "corrected" : "coco");
  print_number(out, "  precision, recall, F1 at IoU ", detection->threshold);
  if (detection->min_score > -INFINITY) print_number(out, ", scores from ", detection->min_score);
  ee_buffer_add_text(out, "\n  average precision at IoU");
  for (size_t i = 0; i < parameters->threshold_count; i++)
    print_number(out, i > 0 ? ", " : " ", parameters->thresholds[i]);
  ee_buffer_add_text(out, "\n  max_detections");
  for (size_t i = 0; i < parameters->limit_count; i++)
    ee_buffer_addf(out, i > 0 ? ", %u" : " %u", parameters->limits[i]);
  ee_buffer_add_text(out, "; area_ranges");
  for (size_t i = 0; i < parameters->range_count; i++) {
    print_number(out, i > 0 ? ", " : " ", parameters->ranges[i].low);
    print_number(out, "..", parameters->ranges[i].high);
  }
  ee_buffer_add_char(out, '\n');
}
