/* strategy_numeric.c: numbers within a tolerance. */
#include <math.h>

#include "judge/plan.h"
#include "judge/strategy/strategy.h"
#include "prim/number.h"
#include "prim/special.h"

#define SCORE_CHOICES "match|linear|exponential|closeness|closeness_sum"
typedef enum score_kind {
  SCORE_MATCH,
  SCORE_LINEAR,
  SCORE_EXPONENTIAL,
  SCORE_CLOSENESS,
  SCORE_CLOSENESS_SUM
} score_kind;

static const ee_option numeric_options[] = {
    {.name = "tolerance",
     .type = EE_OPTION_NUMBER,
     .default_text = "0",
     .unit = "units of the value, or a share of it",
     .help = "The largest difference that matches, inclusive; a share of the expected value when 'relative' is true.",
     .min = 0,
     .max = INFINITY},
    {.name = "relative",
     .type = EE_OPTION_BOOL,
     .default_text = "false",
     .help = "The tolerance is a share of the expected value (0.02 is 2 %); with an expected value of 0 it stays "
             "absolute."},
    {.name = "relative_tolerance",
     .type = EE_OPTION_NUMBER,
     .default_text = "0",
     .unit = "share of the expected value",
     .help = "A second tolerance besides 'tolerance', which is then absolute: a number matches within either.",
     .min = 0,
     .max = INFINITY},
    {.name = "relative_to",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"expected\"",
     .help = "What a relative tolerance and a relative scale are shares of: the expected value, or the larger of both "
             "numbers, signs aside (as in Python's math.isclose).",
     .choices = "expected|larger"},
    {.name = "decimal",
     .type = EE_OPTION_CHOICE,
     .default_text = "\".\"",
     .help = "The decimal sign of numbers in strings; the other sign may group digits. \"auto\": the sign that most of "
             "the field's values show, decided separately for expected values and candidates.",
     .choices = ".|,|auto"},
    {.name = "format",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"plain\"",
     .help = "How numbers are written in strings; \"money\" also reads currencies before and after, (1.00), a trailing "
             "minus and \"5,-\"; \"percent\" reads \"19 %\" as 19.",
     .choices = "plain|money|percent"},
    {.name = "symbols",
     .type = EE_OPTION_TEXTS,
     .default_text = "none",
     .help =
         "Texts that may precede or follow a number in a string, such as { \"kg\", \"2 x\" }; they are not compared."},
    {.name = "score",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"match\"",
     .help = "What a miss scores: \"match\" 0; \"linear\" max(0, 1 - |x-y|/|y|), or with 'scale' max(0, 1 - "
             "|x-y|/scale); \"exponential\" exp(-|x-y|/scale); \"closeness\" max(0, 1 - |x-y|/max(|x|,|y|)); "
             "\"closeness_sum\" 1 - |x-y|/(|x|+|y|).",
     .choices = SCORE_CHOICES},
    {.name = "scale",
     .type = EE_OPTION_NUMBER,
     .default_text = "none",
     .unit = "units of the value, or a share of it",
     .help =
         "The difference at which \"linear\" reaches 0, and \"exponential\" 1/e; a share of the expected value when "
         "'relative' is true.",
     .min = 0,
     .max = INFINITY},
    {.name = NULL},
};

typedef struct numeric_data {
  double tolerance;
  double relative_tolerance; /* besides `tolerance`; 0: none */
  bool relative;
  bool to_larger; /* shares are of the larger number, not of the expected one */
  score_kind score;
  double scale; /* 0: none */
  ee_number_format format;
  const ee_plan *plan; /* decimal = "auto": where the votes are; else NULL */
  size_t decimal;      /* and their number there */
} numeric_data;

static void compile_symbols(ee_plan_builder *builder, const ee_rule_node *node, ee_number_format *format) {
  ee_rule_value list = ee_rule_node_get(node, "symbols");
  if (list.type != EE_RULE_TABLE) return;
  ee_str *symbols = EE_NEW_ARRAY(builder->arena, ee_str, list.node->item_count);
  for (size_t i = 0; i < list.node->item_count; i++) {
    if (list.node->items[i].type != EE_RULE_TEXT) continue; /* reported */
    ee_str written = list.node->items[i].text, symbol = ee_number_symbol(written, builder->arena);
    double value;
    if (symbol.length == 0 || strpbrk(symbol.data, "()+-,'") != NULL ||
        ee_number_parse(written, (ee_number_format){.decimal = '.'}, builder->arena, &value, NULL)) {
      ee_compile_error(builder, node, "symbol '%.*s' of ee.numeric must have a letter or a sign, and no ( ) + - , or '",
                       EE_STR_ARG(written));
    } else {
      symbols[format->symbol_count++] = symbol;
    }
  }
  format->symbols = symbols;
}

static void check_combination(ee_plan_builder *builder, const ee_rule_node *node, const numeric_data *data) {
  bool has_scale = ee_rule_node_get(node, "scale").type != EE_RULE_NONE;
  if (data->relative && data->relative_tolerance > 0)
    ee_compile_error(builder, node, "ee.numeric must have 'relative' or 'relative_tolerance', not both");
  if (data->to_larger && !data->relative && !(data->relative_tolerance > 0))
    ee_compile_error(builder, node, "option 'relative_to' of ee.numeric needs 'relative' or 'relative_tolerance'");
  if (has_scale && data->scale == 0)
    ee_compile_error(builder, node, "option 'scale' of ee.numeric must be above 0");
  else if (!has_scale && data->score == SCORE_EXPONENTIAL)
    ee_compile_error(builder, node, "score = \"exponential\" of ee.numeric needs option 'scale'");
  else if (has_scale && data->score != SCORE_LINEAR && data->score != SCORE_EXPONENTIAL)
    ee_compile_error(builder, node, "option 'scale' of ee.numeric belongs to score = \"linear\" and \"exponential\"");
}

static void numeric_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy) {
  numeric_data *data = EE_NEW(builder->arena, numeric_data);
  data->tolerance = ee_option_number(node, "tolerance", 0);
  data->relative = ee_option_bool(node, "relative", false);
  data->relative_tolerance = ee_option_number(node, "relative_tolerance", 0);
  data->to_larger = ee_option_is(node, "relative_to", "larger");
  data->score = (score_kind)ee_option_choice(node, "score", SCORE_CHOICES, "match");
  data->scale = ee_option_number(node, "scale", 0);
  check_combination(builder, node, data);
  data->format.decimal = ee_option_is(node, "decimal", ",") ? ',' : '.';
  data->format.money = ee_option_is(node, "format", "money");
  data->format.percent = ee_option_is(node, "format", "percent");
  compile_symbols(builder, node, &data->format);
  if (ee_option_is(node, "decimal", "auto")) {
    data->plan = builder->plan;
    data->decimal = data->plan->decimals->count;
    *EE_LIST_ADD(data->plan->decimals, builder->arena) = (ee_decimal){.field = EE_STR("")};
    strategy->decimal_number = data->decimal + 1;
  }
  strategy->data = data;
  strategy->graded = data->score != SCORE_MATCH;
}

typedef enum read_status { READ_OK, READ_NO_NUMBER, READ_INFINITE, READ_WRONG_TYPE } read_status;

static read_status read_number(ee_number_format format, const ee_value *value, ee_arena *arena, ee_number *number) {
  switch (ee_type_of(value)) {
  case EE_NUMBER:
    number->value = ee_value_number(value);
    number->digits = value->length > 0 ? ee_value_text(value) : (ee_str){NULL, 0};
    break;
  case EE_STRING:
    if (!ee_number_parse(ee_value_text(value), format, arena, &number->value, &number->digits)) return READ_NO_NUMBER;
    break;
  default: return READ_WRONG_TYPE;
  }
  return isfinite(number->value) ? READ_OK : READ_INFINITE;
}

/* The format of one side. `decimals`: the votes of a case, where the plan has not decided; NULL: none. */
static ee_number_format format_of(const numeric_data *data, ee_document_side document,
                                  const ee_decimal_votes *decimals) {
  ee_number_format format = data->format;
  if (data->plan == NULL) return format;
  const ee_decimals *all = data->plan->decimals;
  const ee_decimal_votes *votes = decimals != NULL ? &decimals[data->decimal] : NULL;
  if (all->decided) votes = &all->items[data->decimal].votes;
  if (votes != NULL) format.decimal = ee_decimal_votes_sign(votes, document);
  return format;
}

static ee_reason expected_trouble(read_status status) {
  return status == READ_INFINITE ? EE_REASON_OF("infinite expected number")
                                 : EE_REASON_OF("no number in expected value");
}

static ee_reason candidate_trouble(read_status status, const ee_value *candidate) {
  switch (status) {
  case READ_INFINITE: return EE_REASON_OF("infinite candidate number");
  case READ_WRONG_TYPE:
    return (ee_reason){.kind = EE_REASON_TYPE_MISMATCH, .first = ee_type_of(candidate), .second = EE_NUMBER};
  default: return EE_REASON_OF("no number in candidate");
  }
}

/* Two numbers that are compared. */
typedef struct number_pair {
  const ee_number *expected, *candidate;
  const ee_number *base; /* of shares */
  double difference;     /* |x - y| as compared */
  bool within;
  bool relative; /* the relative tolerance decided, or is the wider one */
} number_pair;

static number_pair compare_numbers(const numeric_data *data, const ee_number *expected, const ee_number *candidate) {
  number_pair pair = {.expected = expected, .candidate = candidate, .base = expected};
  const ee_number *other = candidate;
  if (data->to_larger && fabs(candidate->value) > fabs(expected->value)) {
    pair.base = candidate;
    other = expected;
  }
  double size = fabs(pair.base->value);
  pair.relative = data->relative && size != 0;
  pair.within = ee_numbers_within_tolerance(other, pair.base, data->tolerance, data->relative, &pair.difference);
  if (pair.within || !(data->relative_tolerance > 0) || size == 0) return pair;
  double difference;
  pair.within = ee_numbers_within_tolerance(other, pair.base, data->relative_tolerance, true, &difference);
  pair.relative = pair.within || data->relative_tolerance * size > data->tolerance;
  if (pair.relative) pair.difference = difference;
  return pair;
}

/* The tolerance that decides, as a share where the pair is relative. */
static double tolerance_of(const numeric_data *data, const number_pair *pair) {
  return pair->relative && !data->relative ? data->relative_tolerance : data->tolerance;
}

static ee_reason outside(const numeric_data *data, const number_pair *pair) {
  /* Without numbers where doubles are equal although the numbers differ, or the difference overflows. */
  if (pair->difference == 0 || !isfinite(pair->difference)) return (ee_reason){.kind = EE_REASON_VALUE_MISMATCH};
  double tolerance = tolerance_of(data, pair);
  if (!pair->relative)
    return (ee_reason){.kind = EE_REASON_OUTSIDE_TOLERANCE, .first = pair->difference, .second = tolerance};
  return (ee_reason){
      .kind = EE_REASON_RELATIVE_TOLERANCE, .first = pair->difference, .second = tolerance, .third = pair->base->value};
}

/* The difference that `scale` is a scale of. */
static double scaled_difference(const numeric_data *data, const number_pair *pair) {
  double size = fabs(pair->base->value), difference = fabs(pair->candidate->value - pair->expected->value);
  return data->relative && size != 0 ? difference / size : difference;
}

static double score_of(const numeric_data *data, const number_pair *pair) {
  double x = pair->candidate->value, y = pair->expected->value;
  switch (data->score) {
  case SCORE_MATCH: return 0;
  case SCORE_LINEAR:
    if (data->scale == 0) return ee_linear_closeness(x, y);
    return fmax(0, 1 - scaled_difference(data, pair) / data->scale);
  case SCORE_EXPONENTIAL: return ee_exp(-(scaled_difference(data, pair) / data->scale));
  case SCORE_CLOSENESS: return ee_symmetric_closeness(x, y);
  case SCORE_CLOSENESS_SUM: return ee_sum_closeness(x, y);
  }
  return 0;
}

static void judge_numbers(const ee_strategy *strategy, const ee_number *expected, const ee_number *candidate,
                          ee_comparison *result) {
  const numeric_data *data = strategy->data;
  number_pair pair = compare_numbers(data, expected, candidate);
  if (pair.within) {
    ee_comparison_match(result);
    return;
  }
  ee_comparison_miss(result, outside(data, &pair));
  if (data->score == SCORE_MATCH) return;
  /* 2^53 and 2^53 + 1 are equal as doubles but do not match: unequal numbers must not score 1. */
  result->score = result->similarity = fmin(score_of(data, &pair), 0x1.fffffffffffffp-1);
  if (strategy->threshold < 1 && ee_score_reaches(result->score, strategy->threshold)) {
    result->matched = true;
    result->reason = (ee_reason){.kind = EE_REASON_NONE};
  }
}

static void numeric_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                            const ee_value *candidate, ee_comparison *result) {
  ee_arena_mark mark = ee_arena_get_mark(context->arena);
  ee_number expected_number, candidate_number;
  ee_number_format expected_format = format_of(strategy->data, EE_EXPECTED, context->decimals);
  ee_number_format candidate_format = format_of(strategy->data, EE_CANDIDATE, context->decimals);
  read_status expected_status = read_number(expected_format, expected, context->arena, &expected_number);
  read_status candidate_status = read_number(candidate_format, candidate, context->arena, &candidate_number);
  if (expected_status != READ_OK) {
    ee_comparison_fail(result, expected_trouble(expected_status));
  } else if (candidate_status != READ_OK) {
    ee_comparison_fail(result, candidate_trouble(candidate_status, candidate));
  } else {
    judge_numbers(strategy, &expected_number, &candidate_number, result);
  }
  ee_arena_rewind(context->arena, mark);
}

/* The number as it is written in a formula: all digits that were read. */
static const char *operand(const ee_number *number, ee_arena *arena) {
  if (number->digits.length == 0) return ee_formula_operand(number->value, arena);
  bool negative = number->digits.data[0] == '-';
  return ee_arena_printf(arena, negative ? "(%.*s)" : "%.*s", EE_STR_ARG(number->digits));
}

/* What a miss scores: "max(0, 1 - 2/100)"; NULL without a formula. */
static const char *score_expression(const numeric_data *data, const number_pair *pair, ee_arena *arena) {
  const char *difference = ee_formula_operand(pair->difference, arena);
  const char *x = ee_formula_operand(fabs(pair->candidate->value), arena),
             *y = ee_formula_operand(fabs(pair->expected->value), arena);
  const char *base = pair->base == pair->expected ? y : x;
  bool share = data->relative && pair->base->value != 0;
  const char *scaled = share ? ee_arena_printf(arena, "%s/%s", difference, base) : difference;
  const char *scale = data->scale > 0 ? ee_formula_operand(data->scale, arena) : "";
  switch (data->score) {
  case SCORE_LINEAR:
    if (data->scale > 0) return ee_arena_printf(arena, "max(0, 1 - %s/%s)", scaled, scale);
    return pair->expected->value != 0 ? ee_arena_printf(arena, "max(0, 1 - %s/%s)", difference, y) : NULL;
  case SCORE_EXPONENTIAL: return ee_arena_printf(arena, "exp(-(%s/%s))", scaled, scale);
  case SCORE_CLOSENESS: return ee_arena_printf(arena, "max(0, 1 - %s/max(%s, %s))", difference, x, y);
  case SCORE_CLOSENESS_SUM: return ee_arena_printf(arena, "max(0, 1 - %s/(%s + %s))", difference, x, y);
  default: return NULL;
  }
}

/* "|100 - 102| = 2 > 0.01"; relative "|100 - 102|/100 = 0.02 > 0.01"; then "; score max(0, 1 - 2/100) = 0.98". Of two
 * tolerances the one that decided, or that is nearer. */
static void numeric_explain(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                            const ee_value *candidate, const ee_comparison *result, ee_explanation *how) {
  const numeric_data *data = strategy->data;
  ee_arena *arena = context->arena;
  ee_number x, y;
  if (read_number(format_of(data, EE_EXPECTED, context->decimals), expected, arena, &x) != READ_OK ||
      read_number(format_of(data, EE_CANDIDATE, context->decimals), candidate, arena, &y) != READ_OK)
    return;
  if (ee_type_of(expected) == EE_STRING) how->expected = ee_value_new_number(arena, x.value);
  if (ee_type_of(candidate) == EE_STRING) how->candidate = ee_value_new_number(arena, y.value);
  number_pair pair = compare_numbers(data, &x, &y);
  if (!pair.within && pair.difference == 0) { /* they differ in digits that doubles do not have */
    how->formula = ee_str_from(ee_arena_printf(arena, "%s is not %s", operand(&x, arena), operand(&y, arena)));
    return;
  }
  const char *expression = ee_arena_printf(arena, "|%s - %s|", operand(&x, arena), operand(&y, arena));
  double size = fabs(pair.base->value);
  how->threshold = tolerance_of(data, &pair);
  how->measure = pair.relative ? "relative difference" : "difference";
  how->value = pair.relative ? pair.difference / size : pair.difference;
  if (pair.relative) expression = ee_arena_printf(arena, "%s/%s", expression, ee_formula_operand(size, arena));
  ee_explanation_decide(how, expression, EE_LIMIT_MAX, pair.within, arena);
  const char *score = pair.within || !isfinite(pair.difference) ? NULL : score_expression(data, &pair, arena);
  if (score == NULL) return;
  how->formula = ee_str_from(ee_arena_printf(arena, "%.*s; score %s = %s", EE_STR_ARG(how->formula), score,
                                             ee_formula_result(result->score, arena)));
}

/* Reading -------------------------------------------------------------------------------------- */

static bool reads_in(ee_number_format format, const ee_value *value, ee_arena *scratch) {
  ee_number number;
  return read_number(format, value, scratch, &number) == READ_OK;
}

static bool numeric_reads(const ee_strategy *strategy, ee_document_side document, const ee_value *value,
                          ee_arena *scratch) {
  const numeric_data *data = strategy->data;
  ee_number_format format = format_of(data, document, NULL);
  if (reads_in(format, value, scratch)) return true;
  /* Which sign the values of a single case have decided is not known here. */
  if (data->plan == NULL || data->plan->decimals->decided) return false;
  format.decimal = ',';
  return reads_in(format, value, scratch);
}

static void numeric_vote(const ee_strategy *strategy, ee_document_side document, const ee_value *value,
                         ee_decimal_votes *votes, ee_arena *scratch) {
  const numeric_data *data = strategy->data;
  if (ee_type_of(value) != EE_STRING) return;
  char sign = ee_number_decimal_sign(ee_value_text(value), data->format, scratch);
  votes[data->decimal].points[document] += sign == '.';
  votes[data->decimal].commas[document] += sign == ',';
}

/* With another decimal sign (0: the strategy's own), as money where it says so. With decimal = "auto" another sign is
 * no remedy: the majority would then be unread. */
static bool reads_as(const ee_strategy *strategy, char decimal, bool money, const ee_value *value, ee_arena *scratch) {
  const numeric_data *data = strategy->data;
  ee_number_format format = data->format;
  if (decimal != 0 && data->plan != NULL) return false;
  if (decimal != 0) format.decimal = decimal;
  if (decimal == 0 && money && format.money) return false; /* nothing new */
  format.money |= money;
  if (reads_in(format, value, scratch)) return true;
  format.decimal = ',';
  return data->plan != NULL && reads_in(format, value, scratch);
}

static bool reads_money(const ee_strategy *strategy, const ee_value *value, ee_arena *scratch) {
  return reads_as(strategy, 0, true, value, scratch);
}

static bool reads_comma(const ee_strategy *strategy, const ee_value *value, ee_arena *scratch) {
  return reads_as(strategy, ',', false, value, scratch);
}

static bool reads_point(const ee_strategy *strategy, const ee_value *value, ee_arena *scratch) {
  return reads_as(strategy, '.', false, value, scratch);
}

static bool reads_percent(const ee_strategy *strategy, const ee_value *value, ee_arena *scratch) {
  ee_number_format format = ((const numeric_data *)strategy->data)->format;
  format.percent = true;
  return reads_in(format, value, scratch);
}

static bool reads_money_comma(const ee_strategy *strategy, const ee_value *value, ee_arena *scratch) {
  return reads_as(strategy, ',', true, value, scratch);
}

static bool reads_money_point(const ee_strategy *strategy, const ee_value *value, ee_arena *scratch) {
  return reads_as(strategy, '.', true, value, scratch);
}

static const ee_remedy numeric_remedies[] = {
    {"format = \"money\"", reads_money},
    {"decimal = \",\"", reads_comma},
    {"decimal = \".\"", reads_point},
    {"format = \"percent\"", reads_percent},
    {"format = \"money\", decimal = \",\"", reads_money_comma},
    {"format = \"money\", decimal = \".\"", reads_money_point},
    {.option = NULL},
};

const ee_strategy_type ee_numeric_strategy = {
    .name = "numeric",
    .help = "numbers within a tolerance",
    .options = numeric_options,
    .threshold = 1,
    .equal_matches = true,
    .compile = numeric_compile,
    .compare = numeric_compare,
    .explain = numeric_explain,
    .reads = numeric_reads,
    .vote = numeric_vote,
    .remedies = numeric_remedies,
    .reads_one = "a number",
    .reads_many = "numbers",
    .is_numeric = true,
};
