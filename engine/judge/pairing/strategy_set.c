/* strategy_set.c: ee.set, the comparison of arrays whose order has no meaning. */
#include <math.h>

#include "base/fixed.h"
#include "base/work.h"
#include "data/json/json_equal.h"
#include "judge/fields/field.h"
#include "judge/judge.h"
#include "judge/pairing/pairs.h"
#include "judge/strategy/strategy.h"
#include "prim/edit.h"
#include "prim/number.h"
#include "prim/sort.h"

static const ee_option set_options[] = {
    {.name = "score",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"jaccard\"",
     .help = "\"jaccard\" scores common elements / all elements, counting repeats; \"all_or_nothing\" scores 1 or 0.",
     .choices = "jaccard|all_or_nothing"},
    {.name = "of",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"union\"",
     .help =
         "What common elements are a share of: all elements of both arrays (Jaccard), those of the longer array, or "
         "the expected ones, so that extra elements cost nothing.",
     .choices = "union|longer|expected"},
    {.name = "threshold",
     .type = EE_OPTION_NUMBER,
     .default_text = "1",
     .help = "The lowest similarity that matches, inclusive; \"all_or_nothing\" ignores it.",
     .min = 0,
     .max = 1},
    {.name = "match",
     .type = EE_OPTION_STRATEGY,
     .default_text = "none",
     .help = "A strategy without a path that compares elements: those that match are paired so that the sum of the "
             "scores is largest. By default equal elements are paired."},
    EE_PAIRS_GATE_OPTION("the sum of the scores"),
    EE_PAIRS_MAX_OPTION(
        "expected elements x candidate elements",
        "Above this, 'match' uses greedy pairing, and every report says so. All pairs count, whatever their score."),
    {.name = NULL},
};

typedef enum set_of { OF_UNION, OF_LONGER, OF_EXPECTED } set_of;

typedef struct set_data {
  set_of of;
  const struct set_match *match; /* NULL: equal elements are paired */
} set_data;

/* What `match` says. */
typedef struct set_match {
  const ee_strategy *strategy;
  uint64_t max_pairs;
  ee_pairs_method method;
} set_match;

/* Compiling ------------------------------------------------------------------------------------ */

static const ee_strategy *compile_match(ee_plan_builder *builder, const ee_rule_node *node) {
  if (node->definition == NULL && ee_judge_type_find(node->kind) != NULL) {
    ee_compile_error(builder, node, "ee.%.*s is a judge, match of ee.set takes a strategy", EE_STR_ARG(node->kind));
    return NULL;
  }
  if (node->item_count > 0 && node->items[0].type == EE_RULE_TEXT) {
    ee_compile_error(builder, node, "the strategy in match of ee.set must not have a path, got '%.*s'",
                     (int)ee_utf8_cut(node->items[0].text, 100), node->items[0].text.data);
    return NULL;
  }
  ee_field_refuse_options(builder, node, "the strategy in match of ee.set");
  const ee_strategy *strategy = ee_strategy_compile(builder, node);
  if (strategy != NULL && strategy->type->is_ignored)
    ee_compile_error(builder, node, "ee.ignore is not allowed in match of ee.set");
  return strategy;
}

static void set_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy) {
  set_data *data = EE_NEW(builder->arena, set_data);
  strategy->data = data;
  strategy->graded = !ee_option_is(node, "score", "all_or_nothing");
  data->of = (set_of)ee_option_choice(node, "of", "union|longer|expected", "union");
  if (!strategy->graded && data->of != OF_UNION)
    ee_compile_error(builder, node, "option 'of' of ee.set has no effect with score = \"all_or_nothing\"");
  ee_rule_value value = ee_rule_node_get(node, "match");
  if (value.type != EE_RULE_NODE) return;
  set_match *match = EE_NEW(builder->arena, set_match);
  match->strategy = compile_match(builder, value.node);
  match->max_pairs = ee_pairs_compile_max(builder, node, node, "ee.set");
  /* All or nothing asks whether every element can have a partner. */
  bool count_first = !strategy->graded || ee_option_is(node, "gate", "count");
  match->method = count_first ? EE_PAIRS_OPTIMAL_COUNT : EE_PAIRS_OPTIMAL;
  if (match->strategy == NULL) return;
  data->match = match;
  strategy->inner = match->strategy;
}

/* Elements ------------------------------------------------------------------------------------- */

/* An element and what it is sorted by. */
typedef struct element {
  uint64_t hash;
  const ee_value *value; /* NULL: empty */
  ee_arena *scratch;     /* for comparing values */
} element;

/* By hash, and equal hashes by value: < 0, 0 (equal), > 0. */
static int compare(const element *a, const element *b) {
  if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
  return ee_value_compare(a->value, b->value, a->scratch);
}

static bool before(const element *a, const element *b) { return compare(a, b) < 0; }

EE_DEFINE_SORT(sort_elements, element, before)

/* An element as it is compared: NULL if it is empty for the field, and without what is empty inside it. */
static const ee_value *filled(const ee_empty_rule *empty, const ee_value *value, ee_arena *arena) {
  if (ee_value_is_empty(value, empty)) return NULL;
  return ee_value_without_empty(arena, value, empty);
}

/* With empty = "none" null and "" are values: what tells them apart is part of the hash, and the order of elements is
 * nobody's business but the hash's. */
static uint64_t element_hash(const ee_empty_rule *empty, const ee_value *value) {
  return empty->none && value != NULL ? ee_json_hash(value) : ee_value_hash(value);
}

/* The normalized elements of `list`, sorted, or NULL with `result` filled when the normalize function raised. */
static element *collect(const ee_strategy *strategy, ee_context *context, const ee_value *list, ee_comparison *result) {
  element *elements = EE_NEW_ARRAY(context->arena, element, ee_value_count(list));
  size_t count = 0;
  for (const ee_value *item = ee_value_child(list); item != NULL; item = ee_value_next(item)) {
    const ee_value *value;
    if (!ee_strategy_normalize(strategy, context, item, &value, result)) return NULL;
    value = filled(&strategy->empty, value, context->arena);
    elements[count++] = (element){element_hash(&strategy->empty, value), value, context->arena};
  }
  sort_elements(elements, count, context->arena);
  return elements;
}

/* The size of the intersection of two sorted multisets. */
static size_t count_common(const element *a, size_t a_count, const element *b, size_t b_count) {
  size_t common = 0;
  for (size_t i = 0, k = 0; i < a_count && k < b_count;) {
    int order = compare(&a[i], &b[k]);
    if (order <= 0) i++;
    if (order >= 0) k++;
    if (order == 0) common++;
  }
  return common;
}

/* Two multisets. */
typedef struct element_sets {
  element *expected, *candidate;
  size_t expected_count, candidate_count;
} element_sets;

/* What they have in common: pairs, and the sum of their scores. */
typedef struct overlap {
  size_t pairs;
  double sum;
} overlap;

/* Pairing by a strategy ------------------------------------------------------------------------ */

/* The score of two elements that match; 0 when they do not. Empty ones are equal, whether the field or the strategy in
 * `match` takes them for empty. */
static double element_score(const ee_strategy *strategy, ee_context *context, const ee_script_place *place,
                            const ee_value *expected, const ee_value *candidate) {
  bool no_expected = ee_value_is_empty(expected, &strategy->empty);
  bool no_candidate = ee_value_is_empty(candidate, &strategy->empty);
  if (no_expected || no_candidate) return no_expected && no_candidate ? 1 : 0;
  ee_comparison comparison;
  ee_strategy_compare(strategy, context, expected, candidate, place, &comparison);
  context->place = place;
  return comparison.matched && !comparison.failed ? comparison.score : 0;
}

/* Work: units of a pair that is compared, besides what comparing long values takes. */
#define PAIR_WORK 100

/* False when there are too many. */
static bool find_pairs(const set_match *match, ee_context *context, const element_sets *sets, ee_pairs *pairs) {
  const ee_script_place *place = context->place;
  for (size_t i = 0; i < sets->expected_count; i++) {
    ee_work(PAIR_WORK * (uint64_t)sets->candidate_count);
    for (size_t k = 0; k < sets->candidate_count; k++) {
      double score = element_score(match->strategy, context, place, sets->expected[i].value, sets->candidate[k].value);
      if (score > 0 && !ee_pairs_add(pairs, (uint32_t)i, (uint32_t)k, score)) return false;
    }
  }
  return true;
}

/* The largest sum of scores, or first the most pairs. The elements are sorted, so that their order in the lists does
 * not matter. */
static overlap pair_elements(const set_match *match, ee_context *context, ee_pairs *pairs) {
  bool fell_back, allowed = (uint64_t)pairs->rows * pairs->columns <= match->max_pairs;
  size_t taken = ee_pairs_choose(pairs, match->method, allowed, &fell_back);
  if (fell_back) context->fallbacks++;
  ee_fixed sum = {0};
  for (size_t i = 0; i < taken; i++) ee_fixed_add(&sum, ee_fixed_from(pairs->items[i].similarity));
  return (overlap){taken, ee_fixed_value(sum)};
}

/* Comparing ------------------------------------------------------------------------------------ */

/* False with `result` filled when there are too many pairs. */
static bool find_overlap(const ee_strategy *strategy, ee_context *context, const element_sets *sets, overlap *found,
                         ee_comparison *result) {
  const set_match *match = ((const set_data *)strategy->data)->match;
  size_t shorter = sets->expected_count < sets->candidate_count ? sets->expected_count : sets->candidate_count;
  size_t common = count_common(sets->expected, sets->expected_count, sets->candidate, sets->candidate_count);
  *found = (overlap){common, (double)common};
  /* No pairing does better than one in which all pairs are equal. */
  if (match == NULL || (common == shorter && ee_strategy_is_reflexive(match->strategy))) return true;
  ee_pairs pairs = {
      .rows = sets->expected_count, .columns = sets->candidate_count, .limit = EE_PAIRS_LIMIT, .arena = context->arena};
  if (!find_pairs(match, context, sets, &pairs)) {
    ee_comparison_fail(result, EE_REASON_OF("too many similar elements: more pairs than --max-pairs"));
    return false;
  }
  *found = pair_elements(match, context, &pairs);
  return true;
}

/* What `taken`, pairs or the sum of their scores, is a share of. */
static double divisor_of(set_of of, size_t n, size_t m, double taken) {
  switch (of) {
  case OF_LONGER: return (double)(n > m ? n : m);
  case OF_EXPECTED: return (double)n;
  default: return (double)(n + m) - taken;
  }
}

/* sum / (n + m - sum), the Jaccard similarity where every pair counts 1, or sum / max(n, m), or sum / n. Without
 * elements to be a share of, 1 if the candidate has none either. */
static double similarity_of(set_of of, const overlap *found, size_t n, size_t m) {
  double all = divisor_of(of, n, m, found->sum);
  return all > 0 ? found->sum / all : m == 0 || of == OF_UNION ? 1 : 0;
}

static bool reaches(set_of of, const overlap *found, size_t n, size_t m, double threshold) {
  bool whole = found->sum == (double)found->pairs && divisor_of(of, n, m, found->sum) > 0;
  if (whole) return ee_ratio_reaches(found->pairs, (size_t)divisor_of(of, n, m, found->sum), threshold);
  return ee_score_reaches(similarity_of(of, found, n, m), threshold);
}

static void set_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                        const ee_value *candidate, ee_comparison *result) {
  if (ee_type_of(expected) != EE_ARRAY) {
    ee_comparison_fail(result, EE_REASON_OF("expected value is not an array"));
    return;
  }
  if (ee_type_of(candidate) != EE_ARRAY) {
    ee_comparison_fail(result, EE_REASON_OF("candidate is not an array"));
    return;
  }
  ee_work_bound(EE_BOUND_ITEMS, ee_value_count(expected), "items in an array");
  ee_work_bound(EE_BOUND_ITEMS, ee_value_count(candidate), "items in an array");
  element_sets sets = {.expected_count = ee_value_count(expected), .candidate_count = ee_value_count(candidate)};
  sets.expected = collect(strategy, context, expected, result);
  sets.candidate = sets.expected == NULL ? NULL : collect(strategy, context, candidate, result);
  overlap found;
  if (sets.candidate == NULL || !find_overlap(strategy, context, &sets, &found, result)) return;
  size_t n = sets.expected_count, m = sets.candidate_count;
  set_of of = ((const set_data *)strategy->data)->of;
  double similarity = similarity_of(of, &found, n, m);
  /* All or nothing: equal, or not, whatever the threshold. */
  bool all = found.pairs * 2 == n + m;
  if (strategy->graded ? reaches(of, &found, n, m, strategy->threshold) : all) {
    ee_comparison_match(result);
  } else if (all) {
    ee_comparison_miss(result,
                       (ee_reason){.kind = EE_REASON_SIMILARITY, .first = similarity, .second = strategy->threshold});
  } else {
    ee_comparison_miss(result, (ee_reason){.kind = EE_REASON_SET_DIFFERS,
                                           .first = (double)(n - found.pairs),
                                           .second = (double)(m - found.pairs)});
  }
  result->similarity = similarity;
  if (strategy->graded) result->score = result->similarity;
}

/* "2/(3 + 3 - 2) = 0.5 < 1", "2/max(3, 3)", "2/3". The sum of the pairs' scores follows from the similarity, which is s
 * = sum / (n + m - sum) or a share, so that nothing is paired a second time. */
static void set_explain(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                        const ee_value *candidate, const ee_comparison *result, ee_explanation *how) {
  set_of of = ((const set_data *)strategy->data)->of;
  ee_arena *arena = context->arena;
  size_t n = ee_value_count(expected), m = ee_value_count(candidate);
  how->measure = "similarity";
  how->value = result->similarity;
  const char *expression = NULL;
  if (of != OF_UNION && n > 0) {
    const char *sum = ee_formula_result(how->value * divisor_of(of, n, m, 0), arena);
    expression = of == OF_EXPECTED ? ee_arena_printf(arena, "%s/%zu", sum, n)
                                   : ee_arena_printf(arena, "%s/max(%zu, %zu)", sum, n, m);
  } else if (of == OF_UNION && n + m > 0) {
    const char *sum = ee_formula_result(how->value * (double)(n + m) / (1 + how->value), arena);
    expression = ee_arena_printf(arena, "%s/(%zu + %zu - %s)", sum, n, m, sum);
  }
  ee_explanation_decide(how, expression, EE_LIMIT_MIN, result->matched, arena);
}

/* An array all of whose elements can be read. */
static bool set_reads(const ee_strategy *strategy, ee_document_side document, const ee_value *value,
                      ee_arena *scratch) {
  if (ee_type_of(value) != EE_ARRAY) return false;
  const ee_strategy *inner = strategy->inner;
  if (inner == NULL || inner->type->reads == NULL || strategy->normalize_function != EE_NO_FUNCTION) return true;
  for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item))
    if (!ee_value_is_empty(item, &inner->empty) && !ee_strategy_reads(inner, document, item, scratch)) return false;
  return true;
}

const ee_strategy_type ee_set_strategy = {
    .name = "set",
    .help = "arrays in any order",
    .options = set_options,
    .threshold = 1,
    .equal_matches = true,
    .compile = set_compile,
    .compare = set_compare,
    .explain = set_explain,
    .reads = set_reads,
    .reads_one = "an array that can be read",
    .reads_many = "arrays that can be read",
    .normalizes_elements = true,
};
