/* strategy.c: the table of strategies, and what all of them share. */
#include "judge/strategy/strategy.h"

#include <math.h>

#include "judge/strategy/strategy_rows.h"
#include "prim/normalize.h"

const ee_option ee_strategy_shared_options[] = {
    {.name = "weight",
     .type = EE_OPTION_NUMBER,
     .default_text = "1",
     .help = "How much the field counts in the judge's weighted mean.",
     .min = 0,
     .max = INFINITY},
    {.name = "required",
     .type = EE_OPTION_BOOL,
     .default_text = "true",
     .help =
         "Whether an empty candidate costs score; with false it weighs nothing, and still counts as a false negative."},
    {.name = "threshold",
     .type = EE_OPTION_NUMBER,
     .default_text = "1",
     .help = "The least score that matches, inclusive, where the strategy grades.",
     .min = 0,
     .max = 1},
    {.name = "candidate",
     .type = EE_OPTION_PATH,
     .default_text = "the path itself",
     .help = "The path in the candidate, when it differs."},
    {.name = "when",
     .type = EE_OPTION_FUNCTION,
     .default_text = "none",
     .help = "A function of the case; the field is not judged where it says false."},
    {.name = "null_values",
     .type = EE_OPTION_TEXTS,
     .default_text = "none",
     .help = "Texts that count as empty in this field, besides those of ee.rules."},
    {.name = "name",
     .type = EE_OPTION_TEXT,
     .default_text = "the path",
     .help = "What the field is called in tables and gates."},
    {.name = "normalize",
     .type = EE_OPTION_NORMALIZE,
     .default_text = "none",
     .help = "What is done to both values first: trim, casefold, nfkc, collapse_space, alnum, digits, a list of them, "
             "or a function of one value."},
    {.name = NULL},
};

const ee_strategy_type ee_strategy_types[] = {
    {.name = "exact",
     .help = "equal values of the same type",
     .description =
         "Same type and same value: strings by code points (case and space count), numbers by decimal value (1 = "
         "1.0), objects by keys in any order, arrays in order. 'normalize' loosens it for texts. Score 1 or 0.",
     .threshold = 1,
     .equal_matches = true,
     .compare = ee_exact_compare},
    {.name = "numeric",
     .help = "numbers within a tolerance",
     .description =
         "|x-y| <= tolerance, inclusive, or |x-y| <= tolerance*|y| when 'relative' (y, the expected value, is 0: "
         "absolute). At tolerance 0 decimal equality; above it a slack of min(2^-50*max(|x|,|y|), "
         "2^-20*tolerance). Texts are read as whole numbers (\"12abc\" is none). Infinite numbers, booleans, lists "
         "and objects: score 0 and a reason. With score = \"linear\" a miss scores max(0, 1-|x-y|/|y|), 0 when y "
         "= 0, and matches from 'threshold' on.",
     .options = ee_numeric_options,
     .threshold = 1,
     .equal_matches = true,
     .compile = ee_numeric_compile,
     .compare = ee_numeric_compare},
    {.name = "date",
     .help = "dates of the same day or moment, by declared formats",
     .description =
         "Both sides are read by 'formats', in order. A date equals a date-time of the same calendar day; two "
         "date-times compare to the second, in UTC when both carry an offset. The calendar is checked, and neither "
         "clock nor time zone matters. Without declared formats 03/04/2025 is ambiguous: score 0 and a reason. "
         "Score 1 or 0.",
     .options = ee_date_options,
     .threshold = 1,
     .equal_matches = true,
     .compile = ee_date_compile,
     .compare = ee_date_compare},
    {.name = "fuzzy",
     .help = "texts that are similar enough",
     .description =
         "levenshtein: 1 - distance/max length, decided on the whole-number distance; jaro_winkler: prefix 4, "
         "scale 0.1, always applied; ratio: 2*longest common subsequence/sum of lengths; token_sort: ratio of the "
         "sorted words; token_set: the best ratio among common words with either rest; token_f1: F1 of the words "
         "as multisets. Lengths in code points. Matches at or above 'threshold'; values that are no texts match "
         "only when equal.",
     .options = ee_fuzzy_options,
     .threshold = 0.85,
     .equal_matches = true,
     .compile = ee_fuzzy_compile,
     .compare = ee_fuzzy_compare},
    {.name = "semantic",
     .help = "texts that mean the same",
     .description =
         "The similarity of two texts, 0..1, as the provider of ee.rules gives it: 'local' compares words (lexical, "
         "deterministic), 'openai' asks a model. Equal texts have similarity 1 and are not asked for. With "
         "'similarity' a Lua function gives it instead, of values of any type that are not equal; the same pair is "
         "asked for once a case. Matches at or above 'threshold'; without a function values that are no texts match "
         "only when equal. A value to which no answer came (\"no answer: ...\") scores 0 and does not match: it is "
         "counted, and the run ends with status 4.",
     .options = ee_semantic_options,
     .threshold = 0.8,
     .equal_matches = true,
     .compile = ee_semantic_compile,
     .compare = ee_semantic_compare},
    {.name = "pattern",
     .help = "a candidate in which a Lua pattern is found",
     .description =
         "The pattern is searched in the candidate, a text or a number as it is written; the expected value only "
         "says whether there must be one. Score 1 or 0.",
     .options = ee_pattern_options,
     .threshold = 1,
     .positional = true,
     .compile = ee_pattern_compile,
     .compare = ee_pattern_compare},
    {.name = "one_of",
     .help = "any of a list of values",
     .description =
         "The candidate equals one of the listed values, or the expected one. 'normalize' by name applies to the "
         "listed texts too, a function does not. Score 1 or 0.",
     .options = ee_one_of_options,
     .threshold = 1,
     .positional = true,
     .compile = ee_one_of_compile,
     .compare = ee_one_of_compare},
    {.name = "set",
     .help = "lists without order",
     .description =
         "Lists as multisets of equal elements: Jaccard = sum of the smaller counts/sum of the larger counts, 1 "
         "for two empty lists. 'normalize' applies to each element. With 'match' elements pair by that strategy: of "
         "the "
         "pairs that match those with the largest sum of scores, and the similarity is sum/(n+m-sum); two empty "
         "elements are equal. Matches at or above 'threshold'; a value that is no list is an error unless both are "
         "equal.",
     .options = ee_set_options,
     .threshold = 1,
     .equal_matches = true,
     .compile = ee_set_compile,
     .compare = ee_set_compare},
    {.name = "iou",
     .help = "boxes or polygons that overlap enough",
     .description =
         "Intersection over union of two boxes, 0 when the union is 0; giou, diou, ciou, ios (over the smaller area) "
         "and ioa (over the candidate's) by 'metric', cut off at 0. Polygons and oriented boxes by their true areas, "
         "or by the boxes around them with polygon = \"bbox\". Matches at or above 'threshold'; the score is the "
         "overlap. Corners the wrong way round, a wrong number of numbers, a polygon of fewer than three points, "
         "numbers past the doubles' range: score 0 and a reason. A box without an area overlaps nothing, itself "
         "included.",
     .options = ee_iou_options,
     .threshold = 0.5,
     .compile = ee_iou_compile,
     .compare = ee_iou_compare},
    {.name = "distance",
     .help = "points that lie close enough together",
     .description =
         "The euclidean, manhattan or cosine distance d of two lists of numbers of any length. Matches when d <= "
         "'threshold', which must be given (slack 2^-50, relative). With score = \"linear\" a miss scores max(0, "
         "1-(d-t)/t), 0 when the threshold t is 0. cosine is 1 - a.b/(|a||b|), 1 when either is a zero vector. Lists "
         "of different lengths and what is no list of numbers: score 0 and a reason.",
     .options = ee_distance_options,
     .threshold = -1,
     .compile = ee_distance_compile,
     .compare = ee_distance_compare},
    {.name = "ignore",
     .help = "not judged",
     .description = "The field is judged nowhere; in a list built by a loop it takes a path out again.",
     .threshold = 1,
     .equal_matches = true,
     .compare = ee_ignore_compare},
    {.name = "auto",
     .help = "numeric, date or exact, by the expected value",
     .description =
         "An expected number is compared as by numeric with tolerance 0, a text that the default formats read as a "
         "date as by date, all else as by exact.",
     .threshold = 1,
     .equal_matches = true,
     .compile = ee_auto_compile,
     .compare = ee_auto_compare},
    {.name = "custom",
     .help = "a Lua function of both values",
     .description =
         "The function gets expected, candidate and a context, and returns true, false or 0..1 and perhaps a "
         "reason. It is called only when neither value is empty. Score as returned; matches at or above "
         "'threshold'. An error counts as not matched.",
     .options = ee_custom_options,
     .threshold = 1,
     .positional = true,
     .compile = ee_custom_compile,
     .compare = ee_custom_compare},
    {.name = NULL},
};

bool ee_is_strategy(ee_str kind) { return ee_strategy_type_find(kind) != NULL; }

const ee_strategy_type *ee_strategy_type_find(ee_str name) {
  for (const ee_strategy_type *type = ee_strategy_types; type->name != NULL; type++) {
    if (ee_str_is(name, type->name)) return type;
  }
  return NULL;
}

/* Compiling ------------------------------------------------------------------------------------ */

static void report_unknown(ee_plan_builder *builder, const ee_rule_node *node) {
  const char *names[sizeof ee_strategy_types / sizeof *ee_strategy_types];
  size_t count = 0;
  for (; ee_strategy_types[count].name != NULL; count++) names[count] = ee_strategy_types[count].name;
  names[count] = NULL;
  const char *kind = ee_arena_copy(builder->arena, node->kind.data, node->kind.length);
  const char *found = ee_did_you_mean(kind, names);
  if (found != NULL) {
    ee_compile_error(builder, node, "unknown strategy 'ee.%s' (did you mean 'ee.%s'?)", kind, found);
  } else {
    ee_compile_error(builder, node, "unknown strategy 'ee.%s'", kind);
  }
}

/* The plan's null values and those of the field. */
static ee_empty_rule compile_empty(ee_plan_builder *builder, const ee_rule_node *node) {
  ee_empty_rule rule = builder->plan->empty;
  ee_rule_value own = ee_rule_node_get(node, "null_values");
  if (own.type != EE_RULE_TABLE || own.node->item_count == 0) return rule;
  ee_str *texts = EE_NEW_ARRAY(builder->arena, ee_str, rule.null_value_count + own.node->item_count);
  size_t count = 0;
  for (; count < rule.null_value_count; count++) texts[count] = rule.null_values[count];
  for (size_t i = 0; i < own.node->item_count; i++) {
    if (own.node->items[i].type == EE_RULE_TEXT) texts[count++] = own.node->items[i].text;
  }
  rule.null_values = texts;
  rule.null_value_count = count;
  return rule;
}

static void compile_normalize(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy) {
  ee_rule_value value = ee_rule_node_get(node, "normalize");
  const ee_rule_value *names = &value;
  size_t count = value.type == EE_RULE_TEXT;
  if (value.type == EE_RULE_FUNCTION) strategy->normalize_function = value.function;
  if (value.type == EE_RULE_TABLE) {
    names = value.node->items;
    count = value.node->item_count;
  }
  if (count == 0) return;
  uint8_t *forms = EE_NEW_ARRAY(builder->arena, uint8_t, count);
  for (size_t i = 0; i < count; i++) {
    int form = names[i].type == EE_RULE_TEXT ? ee_normal_form_find(names[i].text) : -1;
    if (form >= 0) forms[strategy->form_count++] = (uint8_t)form;
  }
  strategy->forms = forms;
}

static void check_options(ee_plan_builder *builder, const ee_rule_node *node, const ee_strategy_type *type) {
  static const ee_option none[] = {{.name = NULL}};
  const ee_option *const tables[] = {type->options != NULL ? type->options : none, ee_strategy_shared_options, NULL};
  const char *subject = ee_arena_printf(builder->arena, "ee.%s", type->name);
  ee_options_check(node, subject, tables, builder->errors);
  if (type->threshold < 0 && ee_rule_node_get(node, "threshold").type == EE_RULE_NONE) {
    ee_compile_error(builder, node, "%s needs option 'threshold'", subject);
  }
}

const ee_strategy *ee_strategy_compile(ee_plan_builder *builder, const ee_rule_node *node) {
  bool own = node->definition != NULL;
  const ee_strategy_type *type = ee_strategy_type_find(own ? EE_STR("custom") : node->kind);
  if (type == NULL) {
    report_unknown(builder, node);
    return NULL;
  }
  if (!own) check_options(builder, node, type);
  if (node->item_count > 1 && (own || !type->positional)) {
    ee_compile_error(builder, node, "%s%.*s takes one path, but %s follows it", own ? "" : "ee.",
                     (int)node->kind.length, node->kind.data, ee_rule_value_describe(&node->items[1], builder->arena));
  }
  ee_strategy *strategy = EE_NEW(builder->arena, ee_strategy);
  strategy->type = type;
  strategy->name = own ? node->kind : ee_str_from(type->name);
  strategy->node = node;
  strategy->threshold = ee_option_number(node, "threshold", type->threshold);
  strategy->normalize_function = EE_NO_FUNCTION;
  strategy->function = EE_NO_FUNCTION;
  strategy->empty = compile_empty(builder, node);
  compile_normalize(builder, node, strategy);
  if (type->compile != NULL) type->compile(builder, node, strategy);
  return strategy;
}

/* Comparing ------------------------------------------------------------------------------------ */

bool ee_strategy_calls_script(const ee_strategy *strategy) {
  const ee_strategy *inner = ee_set_match(strategy);
  if (inner != NULL && ee_strategy_calls_script(inner)) return true;
  return strategy->function != EE_NO_FUNCTION || strategy->normalize_function != EE_NO_FUNCTION ||
         strategy->type->compare == ee_pattern_compare;
}

bool ee_strategy_uses_provider(const ee_strategy *strategy) {
  const ee_strategy *inner = ee_set_match(strategy);
  if (inner != NULL && ee_strategy_uses_provider(inner)) return true;
  return strategy->type->compare == ee_semantic_compare && strategy->function == EE_NO_FUNCTION;
}

bool ee_strategy_is_reflexive(const ee_strategy *strategy) {
  return strategy->type->equal_matches && !ee_strategy_calls_script(strategy);
}

/* A text without the NUL that a document's texts have, for strategies in C, which go by the length; what a script may
 * hold until the end of the case is a whole copy. */
static const ee_value *normalized_text(const ee_strategy *strategy, ee_arena *arena, const ee_value *value) {
  ee_str before = ee_value_text(value);
  ee_str after = ee_normalize(before, strategy->forms, strategy->form_count, arena);
  if (after.length == before.length && after.data == before.data) return value;
  if (ee_strategy_calls_script(strategy)) return ee_value_new_string(arena, after);
  ee_value *copy = EE_NEW(arena, ee_value);
  copy->json.type = cJSON_String;
  memcpy(&copy->json.valuestring, &after.data,
         sizeof after.data); /* cJSON's strings are not const, ours are read only */
  copy->length = (uint32_t)after.length;
  return copy;
}

bool ee_strategy_normalize(const ee_strategy *strategy, ee_context *context, const ee_value *value,
                           const ee_value **out, ee_comparison *result) {
  *out = value;
  if (strategy->form_count > 0) {
    if (ee_type_of(value) == EE_STRING) *out = normalized_text(strategy, context->arena, value);
  } else if (strategy->normalize_function != EE_NO_FUNCTION) {
    ee_error error = {0};
    if (context->plan->vtable->map(context->script, strategy->normalize_function, value, out, &error) != EE_OK) {
      ee_comparison_script_error(result, context, &error);
      return false;
    }
  }
  return true;
}

static bool is_nothing(const ee_value *value) {
  return ee_type_of(value) <= EE_NULL || (ee_type_of(value) == EE_STRING && value->length == 0);
}

/* Normalizing may take all of a value away: neither value was empty, so two such are not equal but unknown, and a digit
 * form must not match "abc" with "n/a". Returns whether that was so. */
static bool decide_nothing(const ee_value *expected, const ee_value *candidate, ee_comparison *result) {
  bool no_expected = is_nothing(expected), no_candidate = is_nothing(candidate);
  if (no_expected && no_candidate) {
    ee_comparison_miss(result, EE_REASON_OF("nothing left of either value by normalize"));
  } else if (no_expected) {
    ee_comparison_miss(result, EE_REASON_OF("nothing left of the expected value by normalize"));
  } else if (no_candidate) {
    ee_comparison_miss(result, EE_REASON_OF("nothing left of the candidate by normalize"));
  }
  return no_expected || no_candidate;
}

static void compare_normalized(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                               const ee_value *candidate, ee_comparison *result) {
  /* A set's values are its elements: it normalizes them itself. */
  if (strategy->type->compare != ee_set_compare) {
    if (!ee_strategy_normalize(strategy, context, expected, &expected, result)) return;
    if (!ee_strategy_normalize(strategy, context, candidate, &candidate, result)) return;
    /* A pattern looks at the candidate alone. */
    bool normalizes = (strategy->form_count > 0 || strategy->normalize_function != EE_NO_FUNCTION) &&
                      strategy->type->compare != ee_pattern_compare;
    if (normalizes && decide_nothing(expected, candidate, result)) return;
  }
  strategy->type->compare(strategy, context, expected, candidate, result);
}

void ee_strategy_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                         const ee_value *candidate, const ee_script_place *place, ee_comparison *result) {
  if (strategy->type->equal_matches && ee_values_same(expected, candidate)) {
    ee_comparison_match(result);
    return;
  }
  context->place = place;
  if (ee_strategy_calls_script(strategy) || ee_strategy_uses_provider(strategy)) {
    /* What the script saw and said stays until the end of the case, and so does what was asked of a provider. */
    compare_normalized(strategy, context, expected, candidate, result);
  } else {
    /* Other strategies in C give figures and fixed texts as reasons, so nothing of what they made is needed any more.
     */
    ee_arena_mark mark = ee_arena_get_mark(context->arena);
    compare_normalized(strategy, context, expected, candidate, result);
    ee_arena_rewind(context->arena, mark);
  }
  context->place = NULL;
}
