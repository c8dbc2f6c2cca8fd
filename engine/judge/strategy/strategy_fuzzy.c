/* strategy_fuzzy.c: texts that are similar enough. */
#include "judge/strategy/strategy.h"
#include "prim/edit.h"
#include "prim/normalize.h"
#include "prim/number.h"
#include "prim/token.h"

#define ALGORITHMS "levenshtein|jaro_winkler|token_sort|token_set|token_f1|ratio"
/* Longest string, in code points, for which a miss computes the similarity for its reason. */
#define REPORTED_LENGTH 4096

static const ee_option fuzzy_options[] = {
    {.name = "algorithm",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"levenshtein\"",
     .help = "The similarity of two texts; lengths and distances count code points.",
     .choices = ALGORITHMS},
    {.name = "threshold",
     .type = EE_OPTION_NUMBER,
     .default_text = "0.85",
     .help = "The lowest similarity that matches, inclusive.",
     .min = 0,
     .max = 1},
    {.name = "score",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"match\"",
     .help = "\"match\" scores 1 or 0; \"similarity\" scores the similarity itself.",
     .choices = "match|similarity"},
    {.name = "normalize",
     .type = EE_OPTION_NORMALIZE,
     .default_text = "{ \"trim\", \"casefold\" }",
     .help = "Applied to both texts first: trim, casefold, nfkc, collapse_space, alnum, digits, an array of them, or a "
             "function; {} for nothing."},
    {.name = NULL},
};

typedef enum algorithm { LEVENSHTEIN, JARO_WINKLER, TOKEN_SORT, TOKEN_SET, TOKEN_F1, RATIO } algorithm;

typedef struct fuzzy_data {
  algorithm algorithm;
} fuzzy_data;

static void fuzzy_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy) {
  static const uint8_t default_forms[] = {EE_NORMAL_TRIM, EE_NORMAL_CASEFOLD};
  fuzzy_data *data = EE_NEW(builder->arena, fuzzy_data);
  data->algorithm = (algorithm)ee_option_choice(node, "algorithm", ALGORITHMS, "levenshtein");
  strategy->graded = ee_option_is(node, "score", "similarity");
  strategy->data = data;
  if (ee_rule_node_get(node, "normalize").type == EE_RULE_NONE) {
    strategy->forms = default_forms;
    strategy->form_count = sizeof default_forms;
  }
}

/* Fills `result` from a decision and its similarity (negative: not known). */
static void conclude(const ee_strategy *strategy, bool matched, double similarity, ee_comparison *result) {
  if (matched) {
    ee_comparison_match(result);
  } else {
    ee_comparison_miss(result,
                       (ee_reason){.kind = EE_REASON_SIMILARITY, .first = similarity, .second = strategy->threshold});
  }
  if (strategy->graded) result->score = similarity;
  result->similarity = similarity;
}

/* Decided on the distance, an integer. Unless the similarity is the score, the distance is computed only up to the
 * limit of a match, and of a miss in full only for short strings. */
static void levenshtein(const ee_strategy *strategy, ee_arena *arena, ee_str a, ee_str b, ee_comparison *result) {
  size_t a_length = ee_utf8_count(a.data, a.length), b_length = ee_utf8_count(b.data, b.length);
  size_t longer = a_length > b_length ? a_length : b_length;
  if (longer == 0) {
    conclude(strategy, true, 1, result);
    return;
  }
  size_t limit = ee_edit_limit(strategy->threshold, longer);
  bool reported = strategy->graded || longer <= REPORTED_LENGTH;
  size_t distance = ee_levenshtein(a, b, strategy->graded ? EE_NO_LIMIT : limit, arena);
  bool matched = distance <= limit;
  if (!matched && reported && !strategy->graded) distance = ee_levenshtein(a, b, EE_NO_LIMIT, arena);
  double similarity = ee_edit_similarity(distance < longer ? distance : longer, longer);
  conclude(strategy, matched, matched || reported ? similarity : -1, result);
}

/* A ratio of integers: 2 * common / sum of lengths. */
static void quotient(const ee_strategy *strategy, size_t parts, size_t whole, ee_comparison *result) {
  double similarity = whole == 0 ? 1 : (double)parts / (double)whole;
  conclude(strategy, ee_ratio_reaches(parts, whole, strategy->threshold), similarity, result);
}

static void measured(const ee_strategy *strategy, double value, ee_comparison *result) {
  conclude(strategy, ee_score_reaches(value, strategy->threshold), value, result);
}

static void fuzzy_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                          const ee_value *candidate, ee_comparison *result) {
  if (ee_strategy_same(strategy, context, expected, candidate)) {
    ee_comparison_match(result);
    return;
  }
  if (ee_type_of(expected) != EE_STRING || ee_type_of(candidate) != EE_STRING) {
    ee_comparison_differ(result, expected, candidate);
    return;
  }
  const fuzzy_data *data = strategy->data;
  ee_str a = ee_value_text(expected), b = ee_value_text(candidate);
  ee_arena *arena = context->arena;
  size_t parts, whole;
  switch (data->algorithm) {
  case LEVENSHTEIN: levenshtein(strategy, arena, a, b, result); break;
  case JARO_WINKLER: measured(strategy, ee_jaro_winkler(a, b, arena), result); break;
  case TOKEN_SORT: measured(strategy, ee_token_sort(a, b, arena), result); break;
  case TOKEN_SET: measured(strategy, ee_token_set(a, b, arena), result); break;
  case TOKEN_F1:
    ee_token_f1_parts(a, b, arena, &parts, &whole);
    quotient(strategy, parts, whole, result);
    break;
  case RATIO:
    parts = 2 * ee_lcs_length(a, b, arena);
    whole = ee_utf8_count(a.data, a.length) + ee_utf8_count(b.data, b.length);
    quotient(strategy, parts, whole, result);
    break;
  }
}

/* The similarity as an expression of lengths and distances. */
static const char *expression_of(algorithm chosen, const ee_comparison *result, ee_str a, ee_str b, ee_arena *arena) {
  size_t a_length = ee_utf8_count(a.data, a.length), b_length = ee_utf8_count(b.data, b.length), parts, whole;
  size_t longer = a_length > b_length ? a_length : b_length;
  double ratios[3];
  switch (chosen) {
  case LEVENSHTEIN:
    /* The distance, a whole number, follows from the similarity. */
    return ee_arena_printf(arena, "1 - %.0f/%zu", (1 - result->similarity) * (double)longer, longer);
  case JARO_WINKLER:
    return ee_arena_printf(arena, "%s + %zu * 0.1 * (1 - %s)", ee_formula_result(ee_jaro(a, b, arena), arena),
                           ee_winkler_prefix(a, b), ee_formula_result(ee_jaro(a, b, arena), arena));
  case TOKEN_SET:
    ee_token_set_ratios(a, b, arena, ratios);
    return ee_arena_printf(arena, "max(%s, %s, %s)", ee_formula_result(ratios[0], arena),
                           ee_formula_result(ratios[1], arena), ee_formula_result(ratios[2], arena));
  case TOKEN_F1:
    ee_token_f1_parts(a, b, arena, &parts, &whole);
    return ee_arena_printf(arena, "2 * %zu/%zu", parts / 2, whole);
  default: /* RATIO; TOKEN_SORT, of the sorted texts */
    return ee_arena_printf(arena, "2 * %zu/(%zu + %zu)", ee_lcs_length(a, b, arena), a_length, b_length);
  }
}

static void fuzzy_explain(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                          const ee_value *candidate, const ee_comparison *result, ee_explanation *how) {
  if (ee_type_of(expected) != EE_STRING || ee_type_of(candidate) != EE_STRING) return;
  const fuzzy_data *data = strategy->data;
  ee_arena *arena = context->arena;
  ee_str a = ee_value_text(expected), b = ee_value_text(candidate);
  if (data->algorithm == TOKEN_SORT) {
    a = ee_token_sorted(a, arena);
    b = ee_token_sorted(b, arena);
    how->expected = ee_value_new_string(arena, a);
    how->candidate = ee_value_new_string(arena, b);
  }
  /* Of long texts that do not match the similarity is not known. */
  if (result->similarity < 0) return;
  how->measure = "similarity";
  how->value = result->similarity;
  const char *expression = a.length + b.length > 0 ? expression_of(data->algorithm, result, a, b, arena) : NULL;
  ee_explanation_decide(how, expression, EE_LIMIT_MIN, result->matched, arena);
}

const ee_strategy_type ee_fuzzy_strategy = {
    .name = "fuzzy",
    .help = "texts that are similar enough",
    .options = fuzzy_options,
    .threshold = 0.85,
    .equal_matches = true,
    .compile = fuzzy_compile,
    .compare = fuzzy_compare,
    .explain = fuzzy_explain,
};
