/* strategy_basic.c: the strategies without arithmetic: exact, pattern, one_of, ignore, auto, custom. */
#include <math.h>

#include "judge/strategy/strategy_rows.h"
#include "prim/date.h"
#include "prim/normalize.h"

void ee_comparison_differ(ee_comparison *result, const ee_value *expected, const ee_value *candidate) {
  ee_type wanted = ee_type_of(expected), got = ee_type_of(candidate);
  bool both_boolean = (wanted == EE_TRUE || wanted == EE_FALSE) && (got == EE_TRUE || got == EE_FALSE);
  if (wanted == got || both_boolean) {
    ee_comparison_miss(result, (ee_reason){.kind = EE_REASON_VALUE_MISMATCH});
  } else {
    ee_comparison_miss(result, (ee_reason){.kind = EE_REASON_TYPE_MISMATCH, .first = got, .second = wanted});
  }
}

void ee_comparison_script_error(ee_comparison *result, ee_context *context, const ee_error *error) {
  ee_comparison_fail(result, (ee_reason){.kind = EE_REASON_TEXT, .text = ee_context_rule_error(context, error)});
}

/* exact ---------------------------------------------------------------------------------------- */

void ee_exact_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                      const ee_value *candidate, ee_comparison *result) {
  (void)strategy, (void)context;
  if (ee_values_same(expected, candidate)) {
    ee_comparison_match(result);
  } else {
    ee_comparison_differ(result, expected, candidate);
  }
}

/* ignore --------------------------------------------------------------------------------------- */

/* Fields with ee.ignore are judged nowhere; where a strategy is asked for all the same, everything is right. */
void ee_ignore_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                       const ee_value *candidate, ee_comparison *result) {
  (void)strategy, (void)context, (void)expected, (void)candidate;
  ee_comparison_match(result);
}

/* pattern -------------------------------------------------------------------------------------- */

const ee_option ee_pattern_options[] = {
    {.name = "pattern",
     .type = EE_OPTION_TEXT,
     .default_text = "none",
     .help = "A Lua pattern, searched in the candidate (^ and $ anchor it); may also stand behind the path."},
    {.name = NULL},
};

void ee_pattern_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy) {
  ee_str *pattern = EE_NEW(builder->arena, ee_str);
  strategy->data = pattern;
  ee_rule_value named = ee_rule_node_get(node, "pattern");
  if (named.type != EE_RULE_NONE && node->item_count > 1) {
    ee_compile_error(builder, node, "ee.pattern has two patterns, one behind the path and one in option 'pattern'");
  } else if (named.type != EE_RULE_NONE) {
    *pattern = named.text; /* empty when it is no text, which the check of the row reported */
  } else if (node->item_count < 2) {
    ee_compile_error(builder, node, "ee.pattern needs a pattern behind its path");
  } else if (node->item_count > 2) {
    ee_compile_error(builder, node, "ee.pattern takes one pattern, got %zu", node->item_count - 1);
  } else if (node->items[1].type != EE_RULE_TEXT) {
    ee_compile_error(builder, node, "the pattern of ee.pattern must be a string, got %s",
                     ee_rule_value_describe(&node->items[1], builder->arena));
  } else {
    *pattern = node->items[1].text;
  }
}

/* Texts, and numbers as they are written: a code of digits only is often delivered as a number. */
void ee_pattern_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                        const ee_value *candidate, ee_comparison *result) {
  (void)expected;
  const ee_str *pattern = strategy->data;
  char number[32];
  ee_str subject;
  switch (ee_type_of(candidate)) {
  case EE_STRING: subject = ee_value_text(candidate); break;
  case EE_NUMBER: subject = ee_value_number_text(candidate, number); break;
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

/* one_of --------------------------------------------------------------------------------------- */

const ee_option ee_one_of_options[] = {
    {.name = "values",
     .type = EE_OPTION_VALUES,
     .default_text = "none",
     .help = "The values that are right besides the expected one; may also stand behind the path."},
    {.name = NULL},
};

typedef struct one_of_data {
  const ee_value **values;
  size_t count;
} one_of_data;

/* The document value of a listed one, its text in the normal form in which candidates will come. */
static ee_value *listed_value(ee_plan_builder *builder, const ee_strategy *strategy, const ee_rule_value *listed) {
  switch (listed->type) {
  case EE_RULE_TEXT:
    return ee_value_new_string(builder->arena,
                               ee_normalize(listed->text, strategy->forms, strategy->form_count, builder->arena));
  case EE_RULE_NUMBER: return isfinite(listed->number) ? ee_value_new_number(builder->arena, listed->number) : NULL;
  case EE_RULE_BOOL: return ee_value_new_bool(builder->arena, listed->boolean);
  default: return NULL;
  }
}

static void add_listed(ee_plan_builder *builder, const ee_rule_node *node, const ee_strategy *strategy,
                       const ee_rule_value *items, size_t count, one_of_data *data) {
  for (size_t i = 0; i < count; i++) {
    ee_value *value = listed_value(builder, strategy, &items[i]);
    if (value != NULL) {
      ee_value_freeze(value, builder->arena);
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

void ee_one_of_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy) {
  one_of_data *data = EE_NEW(builder->arena, one_of_data);
  strategy->data = data;
  ee_rule_value named = ee_rule_node_get(node, "values");
  size_t named_count = named.type == EE_RULE_TABLE ? named.node->item_count : 0;
  size_t behind = node->item_count > 1 ? node->item_count - 1 : 0;
  data->values = EE_NEW_ARRAY(builder->arena, const ee_value *, named_count + behind);
  if (behind > 0) add_listed(builder, node, strategy, node->items + 1, behind, data);
  if (named_count > 0) add_listed(builder, node, strategy, named.node->items, named_count, data);
  bool reported = named.type != EE_RULE_NONE && named.type != EE_RULE_TABLE;
  if (behind + named_count == 0 && !reported) ee_compile_error(builder, node, "ee.one_of needs values behind its path");
}

void ee_one_of_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                       const ee_value *candidate, ee_comparison *result) {
  (void)context;
  const one_of_data *data = strategy->data;
  bool found = ee_values_same(expected, candidate);
  for (size_t i = 0; i < data->count && !found; i++) found = ee_values_same(data->values[i], candidate);
  if (found) {
    ee_comparison_match(result);
  } else {
    ee_comparison_miss(result, EE_REASON_OF("not one of the values"));
  }
}

/* auto ----------------------------------------------------------------------------------------- */

typedef struct auto_data {
  ee_strategy numeric, date; /* both with the defaults of their options */
} auto_data;

void ee_auto_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy) {
  auto_data *data = EE_NEW(builder->arena, auto_data);
  static const ee_rule_node no_options = {.kind = {"auto", 4}};
  (void)node;
  data->numeric = *strategy;
  data->date = *strategy;
  ee_numeric_compile(builder, &no_options, &data->numeric);
  ee_date_compile(builder, &no_options, &data->date);
  strategy->data = data;
}

void ee_auto_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                     const ee_value *candidate, ee_comparison *result) {
  const auto_data *data = strategy->data;
  if (ee_type_of(expected) == EE_NUMBER) {
    ee_numeric_compare(&data->numeric, context, expected, candidate, result);
  } else if (ee_type_of(expected) == EE_STRING && ee_date_looks_like(ee_value_text(expected))) {
    ee_date_compare(&data->date, context, expected, candidate, result);
  } else {
    ee_exact_compare(strategy, context, expected, candidate, result);
  }
}

/* custom --------------------------------------------------------------------------------------- */

const ee_option ee_custom_options[] = {
    {.name = "threshold",
     .type = EE_OPTION_NUMBER,
     .default_text = "1",
     .help = "The least score of the function that matches, inclusive.",
     .min = 0,
     .max = 1},
    {.name = NULL},
};

void ee_custom_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy) {
  strategy->graded = true;
  if (node->definition != NULL) {
    ee_own_strategy_check(builder, node);
    strategy->function = ee_option_function(node->definition, "score");
    return;
  }
  /* Where a strategy stands without a path, the function comes first. */
  size_t at = node->item_count > 0 && node->items[0].type == EE_RULE_FUNCTION ? 0 : 1;
  if (node->item_count <= at) {
    ee_compile_error(builder, node, "ee.custom needs a function behind its path");
  } else if (node->items[at].type != EE_RULE_FUNCTION) {
    ee_compile_error(builder, node, "ee.custom needs a function behind its path, got %s",
                     ee_rule_value_describe(&node->items[at], builder->arena));
  } else if (node->item_count > at + 1) {
    ee_compile_error(builder, node, "ee.custom takes one function, but %s follows it",
                     ee_rule_value_describe(&node->items[at + 1], builder->arena));
  } else {
    strategy->function = node->items[at].function;
  }
}

void ee_custom_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
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
