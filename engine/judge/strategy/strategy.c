/* strategy.c: what all strategies share, the table of them, and those without arithmetic of their own: exact, pattern,
 * one_of, ignore, auto, custom with a project's own strategies. */
#include "judge/strategy/strategy.h"

#include <math.h>

#include "judge/plan.h"
#include "prim/date.h"
#include "prim/normalize.h"
#include "prim/number.h"

const ee_option ee_strategy_shared_options[] = {
    {.name = "weight",
     .type = EE_OPTION_NUMBER,
     .default_text = "1",
     .help = "The field's weight in the judge's weighted mean.",
     .min = 0,
     .max = INFINITY},
    {.name = "required",
     .type = EE_OPTION_BOOL,
     .default_text = "true",
     .help =
         "Whether an empty candidate scores 0; with false it is left out of the score, but still a false negative."},
    {.name = "threshold",
     .type = EE_OPTION_NUMBER,
     .default_text = "1",
     .help = "The lowest score that matches, inclusive, if the strategy grades.",
     .min = 0,
     .max = 1},
    {.name = "candidate",
     .type = EE_OPTION_PATH,
     .default_text = "the path itself",
     .help = "The path in the candidate, if it differs."},
    {.name = "when",
     .lua_type = "fun(case: ee.case): boolean",
     .type = EE_OPTION_FUNCTION,
     .default_text = "none",
     .help = "A function of the case; the field is not judged if it returns false."},
    {.name = "null_values",
     .type = EE_OPTION_TEXTS,
     .default_text = "none",
     .help = "Strings that count as empty in this field, besides those of ee.rules."},
    {.name = "name",
     .type = EE_OPTION_TEXT,
     .default_text = "the path",
     .help = "The field's name in tables and gates."},
    {.name = "normalize",
     .type = EE_OPTION_NORMALIZE,
     .default_text = "none",
     .help =
         "Applied to both values first: " EE_NORMAL_FORM_LIST ", text (makes numbers and booleans strings), an array "
         "of them, or a function of one value."},
    {.name = "confidence",
     .type = EE_OPTION_TEXT_OR_FALSE,
     .default_text = "as the judge has it",
     .help =
         "Where candidates say how sure they are of this field: a path, '*' being the field's path; false: nowhere."},
    {.name = "alternatives",
     .type = EE_OPTION_BOOL,
     .default_text = "false",
     .help = "Whether an expected array, or {\"anyOf\": [...]}, holds several correct answers: the best match counts, "
             "once. [] expects no "
             "value; null in the array makes an empty candidate correct too."},
    {.name = NULL},
};

const ee_strategy_type *const ee_strategy_types[] = {
    &ee_exact_strategy,   &ee_numeric_strategy, &ee_date_strategy, &ee_fuzzy_strategy,  &ee_semantic_strategy,
    &ee_pattern_strategy, &ee_one_of_strategy,  &ee_set_strategy,  &ee_iou_strategy,    &ee_distance_strategy,
    &ee_any_of_strategy,  &ee_ignore_strategy,  &ee_auto_strategy, &ee_custom_strategy, NULL};

bool ee_is_strategy(ee_str kind) { return ee_strategy_type_find(kind) != NULL; }

const ee_strategy_type *ee_strategy_type_find(ee_str name) {
  for (const ee_strategy_type *const *type = ee_strategy_types; *type != NULL; type++) {
    if (ee_str_is(name, (*type)->name)) return *type;
  }
  return NULL;
}

/* Compiling ------------------------------------------------------------------------------------ */

static void report_unknown(ee_plan_builder *builder, const ee_rule_node *node) {
  const char *names[sizeof ee_strategy_types / sizeof *ee_strategy_types];
  size_t count = 0;
  for (; ee_strategy_types[count] != NULL; count++) names[count] = ee_strategy_types[count]->name;
  names[count] = NULL;
  const char *kind = ee_arena_copy(builder->arena, node->kind.data, node->kind.length);
  const char *found = ee_did_you_mean(kind, names);
  if (found != NULL) {
    ee_compile_error(builder, node, "unknown strategy 'ee.%s' (did you mean 'ee.%s'?)", kind, found);
  } else {
    ee_compile_error(builder, node, "unknown strategy 'ee.%s'", kind);
  }
}

/* The null values of the plan and of the field. */
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
  if (rule.none) ee_compile_error(builder, node, "empty = \"none\" leaves nothing to 'null_values'");
  rule.null_values = texts;
  rule.null_value_count = rule.none ? 0 : count;
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
    if (form == EE_NORMAL_TEXT) strategy->scalars_as_text = true;
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
  if (node->item_count > 1 && (own || type->positional == NULL)) {
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
  if (strategy->inner != NULL && ee_strategy_calls_script(strategy->inner)) return true;
  return strategy->function != EE_NO_FUNCTION || strategy->normalize_function != EE_NO_FUNCTION ||
         strategy->type->calls_script;
}

bool ee_strategy_uses_provider(const ee_strategy *strategy) {
  if (strategy->inner != NULL && ee_strategy_uses_provider(strategy->inner)) return true;
  return strategy->type->uses_provider && strategy->function == EE_NO_FUNCTION;
}

bool ee_strategy_is_reflexive(const ee_strategy *strategy) {
  return strategy->type->equal_matches && !ee_strategy_calls_script(strategy);
}

/* The string of the value in its normal form, or the value itself. Strategies in C get it without the NUL that strings
 * of documents have; a script may keep it until the end of the case and gets a full copy. */
static const ee_value *in_normal_form(const ee_strategy *strategy, ee_arena *arena, const ee_value *value) {
  ee_type type = ee_type_of(value);
  ee_str before;
  char number[32];
  if (type == EE_STRING) {
    before = ee_value_text(value);
  } else if (strategy->scalars_as_text && (type == EE_TRUE || type == EE_FALSE)) {
    before = type == EE_TRUE ? EE_STR("true") : EE_STR("false");
  } else if (strategy->scalars_as_text && type == EE_NUMBER) {
    before = ee_value_number_text(value, number);
    before.data = ee_arena_copy(arena, before.data, before.length);
  } else {
    return value;
  }
  ee_str after = ee_normalize(before, strategy->forms, strategy->form_count, arena);
  if (type == EE_STRING && after.length == before.length && after.data == before.data) return value;
  if (ee_strategy_calls_script(strategy)) return ee_value_new_string(arena, after);
  ee_value *copy = EE_NEW(arena, ee_value);
  copy->json.type = cJSON_String;
  memcpy(&copy->json.valuestring, &after.data,
         sizeof after.data); /* cJSON's strings are not const; ours are read-only */
  copy->length = (uint32_t)after.length;
  return copy;
}

bool ee_strategy_normalize(const ee_strategy *strategy, ee_context *context, const ee_value *value,
                           const ee_value **out, ee_comparison *result) {
  *out = value;
  if (strategy->form_count > 0) {
    *out = in_normal_form(strategy, context->arena, value);
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

/* Values that normalizing makes empty are unknown, not equal: the form "digits" must not match "abc" with "n/a".
 * Returns whether one was. */
static bool decide_nothing(const ee_value *expected, const ee_value *candidate, ee_comparison *result) {
  bool no_expected = is_nothing(expected), no_candidate = is_nothing(candidate);
  if (no_expected && no_candidate) {
    ee_comparison_miss(result, EE_REASON_OF("both values are empty after normalize"));
  } else if (no_expected) {
    ee_comparison_miss(result, EE_REASON_OF("the expected value is empty after normalize"));
  } else if (no_candidate) {
    ee_comparison_miss(result, EE_REASON_OF("the candidate is empty after normalize"));
  }
  return no_expected || no_candidate;
}

/* Compares two values in normal form. */
static void compare_ready(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                          const ee_value *candidate, ee_comparison *result) {
  const ee_strategy_type *type = strategy->type;
  bool normalizes =
      (strategy->form_count > 0 || strategy->normalize_function != EE_NO_FUNCTION) && !type->ignores_expected;
  if (normalizes && !type->normalizes_elements && decide_nothing(expected, candidate, result)) return;
  bool keeps = context->keeps_compared;
  context->keeps_compared = false; /* of elements, which the strategy compares by another one */
  type->compare(strategy, context, expected, candidate, result);
  context->keeps_compared = keeps;
  if (keeps) {
    result->compared[EE_EXPECTED] = expected;
    result->compared[EE_CANDIDATE] = candidate;
  }
  /* Arrays of elements are compared although some elements cannot be read. */
  if (type->reads == NULL || result->matched || !(result->failed || type->normalizes_elements)) return;
  result->unread[EE_EXPECTED] = !type->reads(strategy, EE_EXPECTED, expected, context->arena);
  result->unread[EE_CANDIDATE] = !type->reads(strategy, EE_CANDIDATE, candidate, context->arena);
}

static void compare_normalized(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                               const ee_value *candidate, ee_comparison *result) {
  if (!strategy->type->normalizes_elements) {
    if (!ee_strategy_normalize(strategy, context, expected, &expected, result)) return;
    if (!ee_strategy_normalize(strategy, context, candidate, &candidate, result)) return;
  }
  compare_ready(strategy, context, expected, candidate, result);
}

/* Values that are compared within a limit of work. */
typedef struct comparing {
  const ee_strategy *strategy;
  ee_context *context;
  const ee_value *expected, *candidate;
  ee_comparison *result;
} comparing;

static void compare_self(void *user) {
  const comparing *self = user;
  compare_normalized(self->strategy, self->context, self->expected, self->candidate, self->result);
}

/* Bytes of one text times bytes of the other that are compared in less than a millisecond. */
#define SHORT_PAIR 1000000

/* Whether comparing may take long. Most values are so short that it cannot, whatever the strategy does. */
static bool may_be_long(const ee_strategy *strategy, const ee_value *expected, const ee_value *candidate) {
  if (ee_strategy_calls_script(strategy)) return true;
  ee_type types[] = {ee_type_of(expected), ee_type_of(candidate)};
  if (types[0] >= EE_ARRAY || types[1] >= EE_ARRAY) return true;
  if (types[0] != EE_STRING || types[1] != EE_STRING) return false;
  return ee_work_product(expected->length, candidate->length) > SHORT_PAIR;
}

/* Compares; what takes more than half of the work that is left is given up. */
static void compare_within_limit(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                                 const ee_value *candidate, ee_comparison *result) {
  if (!may_be_long(strategy, expected, candidate)) {
    compare_normalized(strategy, context, expected, candidate, result);
    return;
  }
  bool keeps = context->keeps_compared;
  const ee_script_place *place = context->place;
  comparing self = {strategy, context, expected, candidate, result};
  uint64_t units = ee_work_half();
  ee_work_end end = ee_work_try(units, compare_self, &self);
  if (end == EE_WORK_DONE) return;
  context->keeps_compared = keeps;
  ee_work_pass_on(end);
  ee_error error;
  ee_str reason = ee_context_given_up(context, strategy->node, place != NULL ? place->path : EE_STR(""), units, &error);
  ee_context_rule_error(context, &error);
  ee_comparison_fail(result, (ee_reason){.kind = EE_REASON_TEXT, .text = reason});
}

/* With empty = "none" null and blank strings are values, which nothing but themselves equals: no strategy has to read
 * them as a number or a date. Functions get them as they are. True when that decides. */
static bool decide_blank(const ee_strategy *strategy, const ee_value *expected, const ee_value *candidate,
                         ee_comparison *result) {
  if (strategy->type->ignores_expected || ee_strategy_calls_script(strategy)) return false;
  if (!ee_value_is_empty(expected, NULL) && !ee_value_is_empty(candidate, NULL)) return false;
  if (ee_values_same(expected, candidate))
    ee_comparison_match(result);
  else
    ee_comparison_differ(result, expected, candidate);
  return true;
}

void ee_strategy_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                         const ee_value *candidate, const ee_script_place *place, ee_comparison *result) {
  if (strategy->type->equal_matches && ee_strategy_same(strategy, context, expected, candidate)) {
    ee_comparison_match(result);
    return;
  }
  if (strategy->empty.none && decide_blank(strategy, expected, candidate, result)) return;
  context->place = place;
  if (ee_strategy_calls_script(strategy) || ee_strategy_uses_provider(strategy) || context->keeps_compared) {
    /* What the script or the provider saw and returned stays until the end of the case, as does what is explained. */
    compare_within_limit(strategy, context, expected, candidate, result);
  } else {
    /* Results of other strategies are numbers and static strings, so what they allocated can go; but not the reason why
     * something was given up. */
    ee_arena_mark mark = ee_arena_get_mark(context->arena);
    uint64_t given_up = context->given_up;
    compare_within_limit(strategy, context, expected, candidate, result);
    if (context->given_up == given_up) ee_arena_rewind(context->arena, mark);
  }
  context->place = NULL;
}

bool ee_strategy_compare_ready(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                               const ee_value *candidate, ee_comparison *result) {
  if (may_be_long(strategy, expected, candidate)) return false;
  ee_arena_mark mark = ee_arena_get_mark(context->arena);
  compare_ready(strategy, context, expected, candidate, result);
  ee_arena_rewind(context->arena, mark);
  return true;
}

/* What was compared, where it is not the value itself. */
static const ee_value *changed(const ee_value *value, const ee_value *compared) {
  return ee_values_same(value, compared) ? NULL : compared;
}

void ee_strategy_explain(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                         const ee_value *candidate, const ee_comparison *comparison, ee_explanation *how) {
  const ee_value *const *compared = comparison->compared;
  if (compared[EE_EXPECTED] == NULL || compared[EE_CANDIDATE] == NULL) {
    if (comparison->matched) how->formula = EE_STR("equal");
    return;
  }
  how->expected = changed(expected, compared[EE_EXPECTED]);
  how->candidate = changed(candidate, compared[EE_CANDIDATE]);
  bool nothing = is_nothing(compared[EE_EXPECTED]) || is_nothing(compared[EE_CANDIDATE]);
  if (nothing || comparison->failed || strategy->type->explain == NULL) return;
  how->threshold = strategy->threshold;
  strategy->type->explain(strategy, context, compared[EE_EXPECTED], compared[EE_CANDIDATE], comparison, how);
}

/* Reading -------------------------------------------------------------------------------------- */

/* `value` as the strategy's compare() gets it. */
static const ee_value *as_compared(const ee_strategy *strategy, const ee_value *value, ee_arena *scratch) {
  bool changes = strategy->form_count > 0 && !strategy->type->normalizes_elements;
  return changes ? in_normal_form(strategy, scratch, value) : value;
}

void ee_strategy_vote(const ee_strategy *strategy, ee_document_side document, const ee_value *value,
                      struct ee_decimal_votes *votes, ee_arena *scratch) {
  if (strategy->inner != NULL && ee_type_of(value) == EE_ARRAY) {
    for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item)) {
      ee_strategy_vote(strategy->inner, document, item, votes, scratch);
    }
  }
  if (strategy->decimal_number == 0 || strategy->normalize_function != EE_NO_FUNCTION) return;
  if (ee_value_is_empty(value, &strategy->empty)) return;
  strategy->type->vote(strategy, document, as_compared(strategy, value, scratch), votes, scratch);
}

bool ee_strategy_reads(const ee_strategy *strategy, ee_document_side document, const ee_value *value,
                       ee_arena *scratch) {
  if (strategy->type->reads == NULL || strategy->normalize_function != EE_NO_FUNCTION) return true;
  /* An array has nothing to be compared with here: its elements need not be read. */
  if (strategy->type->normalizes_elements && ee_type_of(value) == EE_ARRAY) return true;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  value = as_compared(strategy, value, scratch);
  /* What normalizing makes empty is not compared at all. */
  bool reads = is_nothing(value) || strategy->type->reads(strategy, document, value, scratch);
  ee_arena_rewind(scratch, mark);
  return reads;
}

bool ee_strategy_misses(const ee_strategy *strategy, const ee_value *value, ee_arena *scratch) {
  if (ee_strategy_reads(strategy, EE_EXPECTED, value, scratch)) return true;
  if (strategy->type->reads_somehow == NULL) return false;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  bool reads = strategy->type->reads_somehow(strategy, as_compared(strategy, value, scratch), scratch);
  ee_arena_rewind(scratch, mark);
  return reads;
}

/* Which remedies would read `value`, bit by bit. */
static uint32_t find_remedies(const ee_strategy *strategy, const ee_value *value, ee_arena *scratch) {
  const ee_remedy *remedy = strategy->type->remedies;
  if (remedy == NULL || strategy->normalize_function != EE_NO_FUNCTION) return 0;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  value = as_compared(strategy, value, scratch);
  uint32_t found = 0;
  for (unsigned i = 0; i < EE_REMEDY_LIMIT && remedy[i].option != NULL; i++)
    if (remedy[i].reads(strategy, value, scratch)) found |= UINT32_C(1) << i;
  ee_arena_rewind(scratch, mark);
  return found;
}

void ee_strategy_add_unread(const ee_strategy *strategy, ee_context *context, ee_document_side document,
                            ee_str attribute, int32_t slot, const ee_finding *place, const ee_value *value) {
  uint32_t remedies = find_remedies(strategy, value, context->arena);
  const ee_strategy_type *type = strategy->type;
  const char *why = type->why_unread != NULL ? type->why_unread(strategy, value, context->arena) : NULL;
  *EE_LIST_ADD(&context->unread, context->arena) = (ee_unread){.strategy = type,
                                                               .strategy_name = type->name,
                                                               .known_remedies = type->remedies,
                                                               .document = document,
                                                               .attribute = attribute,
                                                               .slot = slot,
                                                               .place = *place,
                                                               .value = value,
                                                               .why = why,
                                                               .remedies = remedies};
}

/* Outcomes ------------------------------------------------------------------------------------- */

void ee_comparison_differ(ee_comparison *result, const ee_value *expected, const ee_value *candidate) {
  ee_type expected_type = ee_type_of(expected), candidate_type = ee_type_of(candidate);
  bool both_boolean = (expected_type == EE_TRUE || expected_type == EE_FALSE) &&
                      (candidate_type == EE_TRUE || candidate_type == EE_FALSE);
  if (expected_type == candidate_type || both_boolean) {
    ee_comparison_miss(result, (ee_reason){.kind = EE_REASON_VALUE_MISMATCH});
  } else {
    ee_comparison_miss(result,
                       (ee_reason){.kind = EE_REASON_TYPE_MISMATCH, .first = candidate_type, .second = expected_type});
  }
}

void ee_comparison_script_error(ee_comparison *result, ee_context *context, const ee_error *error) {
  ee_comparison_fail(result, (ee_reason){.kind = EE_REASON_TEXT, .text = ee_context_rule_error(context, error)});
}

/* exact ---------------------------------------------------------------------------------------- */

static void exact_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                          const ee_value *candidate, ee_comparison *result) {
  if (ee_strategy_same(strategy, context, expected, candidate)) {
    ee_comparison_match(result);
  } else {
    ee_comparison_differ(result, expected, candidate);
  }
}

#define NUMBER_CHOICES "value|text"

static const ee_option exact_options[] = {
    {.name = "number",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"value\"",
     .help =
         "Numbers are equal by decimal value (1 = 1.0), or only where they are written the same, also inside arrays "
         "and objects.",
     .choices = NUMBER_CHOICES},
    {.name = NULL},
};

/* Whether the numbers of two equal documents are written the same. What only one has is empty. Recursion is bounded by
 * the reader's nesting limit. */
static bool same_writing(const ee_value *a, const ee_value *b, ee_arena *arena) {
  char shortest[2][32];
  if (ee_type_of(a) == EE_NUMBER && ee_type_of(b) == EE_NUMBER)
    return ee_str_equal(ee_value_written_number(a, shortest[0]), ee_value_written_number(b, shortest[1]));
  if (ee_type_of(a) < EE_ARRAY || ee_type_of(a) != ee_type_of(b)) return true;
  const ee_value *other = ee_value_child(b);
  bool is_object = ee_type_of(a) == EE_OBJECT;
  for (const ee_value *at = ee_value_child(a); at != NULL; at = ee_value_next(at)) {
    const ee_value *found = is_object ? ee_value_member(b, ee_value_key(at), arena) : other;
    if (found != NULL && !same_writing(at, found, arena)) return false;
    if (!is_object) other = other != NULL ? ee_value_next(other) : NULL;
  }
  return true;
}

static void written_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                            const ee_value *candidate, ee_comparison *result) {
  exact_compare(strategy, context, expected, candidate, result);
  if (result->matched && !same_writing(expected, candidate, context->arena))
    ee_comparison_miss(result, EE_REASON_OF("number written differently"));
}

/* ee.exact { number = "text" }: equal values need not match. */
static const ee_strategy_type written_strategy = {
    .name = "exact",
    .help = "equal values of the same type, their numbers written the same",
    .threshold = 1,
    .compare = written_compare,
};

static void exact_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy) {
  (void)builder;
  if (ee_option_choice(node, "number", NUMBER_CHOICES, "value") == 1) strategy->type = &written_strategy;
}

const ee_strategy_type ee_exact_strategy = {
    .name = "exact",
    .help = "equal values of the same type",
    .options = exact_options,
    .threshold = 1,
    .equal_matches = true,
    .compile = exact_compile,
    .compare = exact_compare,
};

/* ignore --------------------------------------------------------------------------------------- */

/* Fields with ee.ignore are not judged; elsewhere everything matches. */
static void ignore_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                           const ee_value *candidate, ee_comparison *result) {
  (void)strategy, (void)context, (void)expected, (void)candidate;
  ee_comparison_match(result);
}

const ee_strategy_type ee_ignore_strategy = {
    .name = "ignore",
    .help = "not judged",
    .threshold = 1,
    .equal_matches = true,
    .compare = ignore_compare,
    .is_ignored = true,
};

/* pattern -------------------------------------------------------------------------------------- */

static const ee_option pattern_options[] = {
    {.name = "pattern",
     .type = EE_OPTION_TEXT,
     .default_text = "none",
     .help = "A Lua pattern, searched in the candidate (^ and $ anchor it); may also follow the path."},
    {.name = NULL},
};

static void pattern_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy) {
  ee_str *pattern = EE_NEW(builder->arena, ee_str);
  strategy->data = pattern;
  ee_rule_value named = ee_rule_node_get(node, "pattern");
  if (named.type != EE_RULE_NONE && node->item_count > 1) {
    ee_compile_error(builder, node, "ee.pattern has two patterns, one after the path and one in option 'pattern'");
  } else if (named.type != EE_RULE_NONE) {
    *pattern = named.text; /* empty if it is not a string, which was reported */
  } else if (node->item_count < 2) {
    ee_compile_error(builder, node, "ee.pattern needs a pattern after its path");
  } else if (node->item_count > 2) {
    ee_compile_error(builder, node, "ee.pattern takes one pattern, got %zu", node->item_count - 1);
  } else if (node->items[1].type != EE_RULE_TEXT) {
    ee_compile_error(builder, node, "the pattern of ee.pattern must be a string, got %s",
                     ee_rule_value_describe(&node->items[1], builder->arena));
  } else {
    *pattern = node->items[1].text;
  }
}

/* Strings, and numbers as they are written: a code of digits is often a number in JSON. */
static void pattern_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                            const ee_value *candidate, ee_comparison *result) {
  (void)expected;
  const ee_str *pattern = strategy->data;
  char number[32];
  ee_str subject;
  switch (ee_type_of(candidate)) {
  case EE_STRING: subject = ee_value_text(candidate); break;
  case EE_NUMBER: subject = ee_value_written_number(candidate, number); break;
  default:
    ee_comparison_miss(
        result, (ee_reason){.kind = EE_REASON_TYPE_MISMATCH, .first = ee_type_of(candidate), .second = EE_STRING});
    return;
  }
  bool found = false;
  ee_error error = {0};
  if (context->plan->vtable->pattern(context->script, *pattern, subject, &found, &error) != EE_OK) {
    ee_comparison_script_error(result, context, &error);
  } else if (found) {
    ee_comparison_match(result);
  } else {
    ee_comparison_miss(result, EE_REASON_OF("pattern not found"));
  }
}

static void pattern_explain(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                            const ee_value *candidate, const ee_comparison *result, ee_explanation *how) {
  (void)expected, (void)candidate;
  const ee_str *pattern = strategy->data;
  how->formula = ee_str_from(
      ee_arena_printf(context->arena, "'%.*s' %s", EE_STR_ARG(*pattern), result->matched ? "found" : "not found"));
}

const ee_strategy_type ee_pattern_strategy = {
    .name = "pattern",
    .help = "a candidate that contains a Lua pattern",
    .positional = "[2] string",
    .options = pattern_options,
    .threshold = 1,
    .compile = pattern_compile,
    .compare = pattern_compare,
    .explain = pattern_explain,
    .calls_script = true,
    .ignores_expected = true,
};

/* one_of --------------------------------------------------------------------------------------- */

static const ee_option one_of_options[] = {
    {.name = "values",
     .type = EE_OPTION_VALUES,
     .default_text = "none",
     .help = "The values that match besides the expected one; may also follow the path."},
    {.name = NULL},
};

typedef struct one_of_data {
  const ee_value **values;
  size_t count;
} one_of_data;

/* A listed value as a document value, in the normal form of candidates. */
static const ee_value *listed_value(ee_plan_builder *builder, const ee_strategy *strategy,
                                    const ee_rule_value *listed) {
  ee_value *value = NULL;
  if (listed->type == EE_RULE_TEXT) value = ee_value_new_string(builder->arena, listed->text);
  if (listed->type == EE_RULE_BOOL) value = ee_value_new_bool(builder->arena, listed->boolean);
  if (listed->type == EE_RULE_NUMBER && isfinite(listed->number)) {
    value = ee_value_new_number(builder->arena, listed->number);
  }
  if (value == NULL) return NULL;
  if (strategy->form_count > 0) value = ee_value_copy(builder->arena, in_normal_form(strategy, builder->arena, value));
  ee_value_freeze(value, builder->arena);
  return value;
}

static void add_listed(ee_plan_builder *builder, const ee_rule_node *node, const ee_strategy *strategy,
                       const ee_rule_value *items, size_t count, one_of_data *data) {
  for (size_t i = 0; i < count; i++) {
    const ee_value *value = listed_value(builder, strategy, &items[i]);
    if (value != NULL) {
      data->values[data->count++] = value;
    } else if (items[i].type == EE_RULE_NULL) {
      ee_compile_error(builder, node, "ee.null in ee.one_of never matches: empty values are not compared");
    } else {
      const char *got = items[i].type == EE_RULE_NUMBER ? "an infinite number or NaN"
                                                        : ee_rule_value_describe(&items[i], builder->arena);
      ee_compile_error(builder, node, "a value of ee.one_of must be a string, a number or a boolean, got %s", got);
    }
  }
}

static void one_of_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy) {
  one_of_data *data = EE_NEW(builder->arena, one_of_data);
  strategy->data = data;
  ee_rule_value named = ee_rule_node_get(node, "values");
  size_t named_count = named.type == EE_RULE_TABLE ? named.node->item_count : 0;
  size_t positional = node->item_count > 1 ? node->item_count - 1 : 0;
  data->values = EE_NEW_ARRAY(builder->arena, const ee_value *, named_count + positional);
  if (positional > 0) add_listed(builder, node, strategy, node->items + 1, positional, data);
  if (named_count > 0) add_listed(builder, node, strategy, named.node->items, named_count, data);
  bool reported = named.type != EE_RULE_NONE && named.type != EE_RULE_TABLE;
  if (positional + named_count == 0 && !reported)
    ee_compile_error(builder, node, "ee.one_of needs values after its path");
}

static void one_of_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                           const ee_value *candidate, ee_comparison *result) {
  const one_of_data *data = strategy->data;
  bool found = ee_strategy_same(strategy, context, expected, candidate);
  for (size_t i = 0; i < data->count && !found; i++) found = ee_values_same(data->values[i], candidate);
  if (found) {
    ee_comparison_match(result);
  } else {
    ee_comparison_miss(result, EE_REASON_OF("not one of the values"));
  }
}

const ee_strategy_type ee_one_of_strategy = {
    .name = "one_of",
    .help = "any of a list of values",
    .positional = "[integer] any",
    .options = one_of_options,
    .threshold = 1,
    .compile = one_of_compile,
    .compare = one_of_compare,
};

/* auto ----------------------------------------------------------------------------------------- */

typedef struct auto_data {
  ee_strategy numeric, date; /* with default options */
} auto_data;

static void auto_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy) {
  auto_data *data = EE_NEW(builder->arena, auto_data);
  static const ee_rule_node no_options = {.kind = {"auto", 4}};
  (void)node;
  data->numeric = *strategy;
  data->date = *strategy;
  data->numeric.type = &ee_numeric_strategy;
  data->date.type = &ee_date_strategy;
  ee_numeric_strategy.compile(builder, &no_options, &data->numeric);
  ee_date_strategy.compile(builder, &no_options, &data->date);
  strategy->data = data;
}

/* Eight digits and nothing else, which a date and a code may be. */
static bool is_eight_digits(const ee_value *value) {
  char number[32];
  ee_type type = ee_type_of(value);
  if (type != EE_STRING && type != EE_NUMBER) return false;
  ee_str text = type == EE_STRING ? ee_str_trim(ee_value_text(value)) : ee_value_number_text(value, number);
  size_t digits = 0;
  while (digits < text.length && (unsigned char)(text.data[digits] - '0') < 10) digits++;
  return digits == 8 && text.length == 8;
}

static bool looks_like_date(const ee_value *value) {
  return ee_type_of(value) == EE_STRING && ee_date_looks_like(ee_value_text(value));
}

/* The strategy for a pair of values; NULL: exact. Eight digits are a date where the other value is one that is written
 * with more than digits, and else a code or a number. */
__attribute__((nonnull)) static const ee_strategy *auto_choose(const auto_data *data, const ee_value *expected,
                                                               const ee_value *candidate) {
  if (is_eight_digits(expected)) {
    if (looks_like_date(candidate) && !is_eight_digits(candidate)) return &data->date;
  } else if (looks_like_date(expected)) {
    return &data->date;
  }
  return ee_type_of(expected) == EE_NUMBER ? &data->numeric : NULL;
}

static void auto_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                         const ee_value *candidate, ee_comparison *result) {
  const ee_strategy *chosen = auto_choose(strategy->data, expected, candidate);
  if (chosen != NULL)
    chosen->type->compare(chosen, context, expected, candidate, result);
  else
    exact_compare(strategy, context, expected, candidate, result);
}

static void auto_explain(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                         const ee_value *candidate, const ee_comparison *result, ee_explanation *how) {
  const ee_strategy *chosen = auto_choose(strategy->data, expected, candidate);
  if (chosen != NULL) chosen->type->explain(chosen, context, expected, candidate, result, how);
}

const ee_strategy_type ee_auto_strategy = {
    .name = "auto",
    .help = "numeric, date or exact, by the expected value",
    .threshold = 1,
    .equal_matches = true,
    .compile = auto_compile,
    .compare = auto_compare,
    .explain = auto_explain,
};

/* custom --------------------------------------------------------------------------------------- */

static const ee_option custom_options[] = {
    {.name = "threshold",
     .type = EE_OPTION_NUMBER,
     .default_text = "1",
     .help = "The lowest score of the function that matches, inclusive.",
     .min = 0,
     .max = 1},
    {.name = NULL},
};

const ee_option ee_strategy_definition_options[] = {
    {.name = "help", .type = EE_OPTION_TEXT, .default_text = "none", .help = "What the strategy does, in a sentence."},
    {.name = "options",
     .lua_type = "table<string, ee.option_declaration>",
     .type = EE_OPTION_TABLE,
     .default_text = "none",
     .help = "Its own options: name = { \"string\", \"number\" or \"boolean\", help = \"...\" }."},
    {.name = "score",
     .lua_type = "ee.score_function",
     .type = EE_OPTION_FUNCTION,
     .default_text = "none",
     .help =
         "A function of expected, candidate and context that returns true, false or 0..1, and a reason if it likes."},
    {.name = NULL},
};

/* The named part of a declaration such as { "string", help = "..." }. */
static const ee_option declaration_options[] = {
    {.name = "help", .type = EE_OPTION_TEXT, .default_text = "none", .help = "What the option does, in a sentence."},
    {.name = NULL},
};

/* Adds an error of the definition once, although each field with the strategy checks it. */
static void add_once(ee_error_list *errors, const ee_error *error) {
  for (size_t i = 0; i < errors->count; i++) {
    const ee_error *known = &errors->items[i];
    if (known->line == error->line && strcmp(known->file, error->file) == 0 &&
        strcmp(known->message, error->message) == 0) {
      return;
    }
  }
  ee_error_list_add(errors, error);
}

/* Reads one declared option into `row`; false with an error. */
static bool read_declaration(ee_plan_builder *builder, const ee_rule_node *definition, const ee_rule_option *declared,
                             ee_option *row) {
  const ee_rule_value *value = &declared->value;
  row->name = ee_arena_copy(builder->arena, declared->name.data, declared->name.length);
  for (const ee_option *shared = ee_strategy_shared_options; shared->name != NULL; shared++) {
    if (strcmp(shared->name, row->name) != 0) continue;
    ee_compile_error(builder, definition,
                     "option '%s' of ee.strategy has the name of an option that all strategies have", row->name);
    return false;
  }
  if (value->type != EE_RULE_TABLE || value->node->item_count != 1 || value->node->items[0].type != EE_RULE_TEXT) {
    ee_compile_error(builder, definition,
                     "option '%s' of ee.strategy must be declared as { \"string\", help = \"...\" } (or \"number\", "
                     "\"boolean\")",
                     row->name);
    return false;
  }
  ee_str type = value->node->items[0].text;
  if (ee_str_is(type, "string")) {
    row->type = EE_OPTION_TEXT;
  } else if (ee_str_is(type, "number")) {
    row->type = EE_OPTION_NUMBER;
    row->min = -__builtin_inf();
    row->max = __builtin_inf();
  } else if (ee_str_is(type, "boolean")) {
    row->type = EE_OPTION_BOOL;
  } else {
    ee_compile_error(builder, definition,
                     "unknown type '%.*s' of option '%s' in ee.strategy: must be string, number or boolean",
                     (int)type.length, type.data, row->name);
    return false;
  }
  const ee_option *const tables[] = {declaration_options, NULL};
  const char *subject = ee_arena_printf(builder->arena, "the declaration of option '%s'", row->name);
  return ee_options_check(value->node, subject, tables, builder->errors);
}

/* The declared options as rows; errors go to the builder. */
static const ee_option *read_declarations(ee_plan_builder *builder, const ee_rule_node *definition) {
  ee_rule_value declared = ee_rule_node_get(definition, "options");
  size_t count = declared.type == EE_RULE_TABLE ? declared.node->option_count : 0;
  ee_option *rows = EE_NEW_ARRAY(builder->arena, ee_option, count + 1);
  if (declared.type == EE_RULE_TABLE && declared.node->item_count > 0) {
    ee_compile_error(builder, definition, "the options of ee.strategy must be a table with keys");
  }
  for (size_t i = 0; i < count; i++) {
    read_declaration(builder, definition, &declared.node->options[i], &rows[i]);
  }
  return rows;
}

static const ee_option *check_definition(ee_plan_builder *builder, const ee_rule_node *definition) {
  const ee_option *const tables[] = {ee_strategy_definition_options, NULL};
  ee_options_check(definition, "ee.strategy", tables, builder->errors);
  if (definition->item_count != 1 || definition->items[0].type != EE_RULE_TEXT ||
      definition->items[0].text.length == 0) {
    ee_compile_error(builder, definition, "ee.strategy needs a name as its only positional value");
  }
  if (ee_rule_node_get(definition, "score").type == EE_RULE_NONE) {
    ee_compile_error(builder, definition, "ee.strategy needs option 'score', a function");
  }
  return read_declarations(builder, definition);
}

static void check_own_strategy(ee_plan_builder *builder, const ee_rule_node *node) {
  ee_error_list of_definition;
  ee_error_list_init(&of_definition);
  ee_plan_builder separate = {.arena = builder->arena, .plan = builder->plan, .errors = &of_definition};
  const ee_option *declared = check_definition(&separate, node->definition);
  for (size_t i = 0; i < of_definition.count; i++) add_once(builder->errors, &of_definition.items[i]);
  bool good = of_definition.count == 0;
  ee_error_list_fini(&of_definition);
  if (!good) return; /* the options of its nodes are unknown */
  const ee_option *const tables[] = {declared, custom_options, ee_strategy_shared_options, NULL};
  const char *subject = ee_arena_copy(builder->arena, node->kind.data, node->kind.length);
  ee_options_check(node, subject, tables, builder->errors);
}

static void custom_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy) {
  strategy->graded = true;
  if (node->definition != NULL) {
    check_own_strategy(builder, node);
    strategy->function = ee_option_function(node->definition, "score");
    return;
  }
  /* Without a path the function comes first. */
  size_t at = node->item_count > 0 && node->items[0].type == EE_RULE_FUNCTION ? 0 : 1;
  if (node->item_count <= at) {
    ee_compile_error(builder, node, "ee.custom needs a function after its path");
  } else if (node->items[at].type != EE_RULE_FUNCTION) {
    ee_compile_error(builder, node, "ee.custom needs a function after its path, got %s",
                     ee_rule_value_describe(&node->items[at], builder->arena));
  } else if (node->item_count > at + 1) {
    ee_compile_error(builder, node, "ee.custom takes one function, but %s follows it",
                     ee_rule_value_describe(&node->items[at + 1], builder->arena));
  } else {
    strategy->function = node->items[at].function;
  }
}

static void custom_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                           const ee_value *candidate, ee_comparison *result) {
  ee_script_place place = {0};
  if (context->place != NULL) place = *context->place;
  if (strategy->node->definition != NULL) place.options = strategy->node;
  ee_script_score answer = {0};
  ee_error error = {0};
  if (context->plan->vtable->strategy(context->script, strategy->function, expected, candidate, &place, &answer,
                                      &error) != EE_OK) {
    ee_comparison_script_error(result, context, &error);
    return;
  }
  *result = (ee_comparison){.score = answer.score,
                            .matched = ee_score_reaches(answer.score, strategy->threshold),
                            .similarity = answer.score};
  if (answer.reason.length > 0) {
    result->reason = (ee_reason){.kind = EE_REASON_TEXT, .text = answer.reason};
  } else if (!result->matched && answer.score > 0) {
    result->reason = (ee_reason){.kind = EE_REASON_SCORE, .first = answer.score, .second = strategy->threshold};
  } else if (!result->matched) {
    result->reason = (ee_reason){.kind = EE_REASON_VALUE_MISMATCH};
  }
}

static void custom_explain(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                           const ee_value *candidate, const ee_comparison *result, ee_explanation *how) {
  (void)strategy, (void)expected, (void)candidate;
  how->measure = "score";
  how->value = result->score;
  ee_explanation_decide(how, NULL, EE_LIMIT_MIN, result->matched, context->arena);
}

const ee_strategy_type ee_custom_strategy = {
    .name = "custom",
    .help = "a Lua function of both values",
    .positional = "[2] ee.score_function",
    .options = custom_options,
    .threshold = 1,
    .compile = custom_compile,
    .compare = custom_compare,
    .explain = custom_explain,
    .calls_script = true,
    .takes_function = true,
};
