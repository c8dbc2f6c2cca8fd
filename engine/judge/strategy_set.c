/* strategy_set.c: lists whose order says nothing. */
#include "judge/strategy_rows.h"
#include "prim/edit.h"
#include "prim/sort.h"

#define SCORES "jaccard|all_or_nothing"

const ee_option ee_set_options[] = {
    {.name = "score",
     .type = EE_OPTION_CHOICE,
     .standard = "\"jaccard\"",
     .help = "\"jaccard\" scores common elements / all elements, counting repeats; \"all_or_nothing\" scores 1 or 0.",
     .choices = SCORES},
    {.name = "threshold",
     .type = EE_OPTION_NUMBER,
     .standard = "1",
     .help = "The least Jaccard similarity that matches, inclusive.",
     .min = 0,
     .max = 1},
    {.name = NULL},
};

void ee_set_compile(ee_plan_builder *builder, const ee_spec *spec, ee_strategy *strategy) {
  (void)builder;
  strategy->graded = ee_option_choice(spec, "score", SCORES, "jaccard") == 0;
}

/* An element and what it is sorted by. */
typedef struct element {
  uint64_t hash;
  const ee_value *value; /* NULL: the normalize function gave nothing */
  ee_arena *scratch;     /* for comparing values */
} element;

/* By hash, and equal hashes by value: < 0, 0 (equal), > 0. Nothing and null are the same, however an element came to be
 * empty. */
static int compare(const element *a, const element *b) {
  if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
  bool a_is_null = ee_type_of(a->value) <= EE_NULL, b_is_null = ee_type_of(b->value) <= EE_NULL;
  if (a_is_null || b_is_null) return (int)b_is_null - (int)a_is_null;
  return ee_value_compare(a->value, b->value, a->scratch);
}

static bool before(const element *a, const element *b) { return compare(a, b) < 0; }

EE_DEFINE_SORT(sort_elements, element, before)

/* The normalized elements of `list`, sorted, or NULL with `result` filled when the normalize function raised. */
static element *collect(const ee_strategy *strategy, ee_context *context, const ee_value *list, ee_comparison *result) {
  element *elements = EE_NEW_ARRAY(context->arena, element, ee_value_count(list));
  size_t count = 0;
  for (const ee_value *item = ee_value_child(list); item != NULL; item = ee_value_next(item)) {
    const ee_value *value;
    if (!ee_strategy_normalize(strategy, context, item, &value, result)) return NULL;
    elements[count++] = (element){ee_value_hash(value), value, context->arena};
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

void ee_set_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                    const ee_value *candidate, ee_comparison *result) {
  if (ee_type_of(expected) != EE_ARRAY) {
    ee_comparison_fail(result, EE_REASON_OF("expected value is not a list"));
    return;
  }
  if (ee_type_of(candidate) != EE_ARRAY) {
    ee_comparison_fail(result, EE_REASON_OF("candidate is not a list"));
    return;
  }
  element *a = collect(strategy, context, expected, result);
  element *b = a == NULL ? NULL : collect(strategy, context, candidate, result);
  if (b == NULL) return;
  size_t a_count = ee_value_count(expected), b_count = ee_value_count(candidate);
  size_t common = count_common(a, a_count, b, b_count);
  size_t all = a_count + b_count - common;
  if (ee_ratio_reaches(common, all, strategy->threshold)) {
    ee_comparison_match(result);
  } else {
    ee_comparison_miss(result, (ee_reason){.kind = EE_REASON_SET_DIFFERS,
                                           .first = (double)(a_count - common),
                                           .second = (double)(b_count - common)});
  }
  result->similarity = all == 0 ? 1 : (double)common / (double)all;
  if (strategy->graded) result->score = result->similarity;
}
