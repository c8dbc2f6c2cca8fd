/* strategy_set.c: lists whose order says nothing. */
#include <string.h>

#include "judge/strategy_rows.h"
#include "prim/edit.h"

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
} element;

/* Sorts by hash: merge sort, because qsort() takes memory of its own for longer lists. */
static void sort(element *elements, size_t count, ee_arena *arena) {
  element *from = elements, *to = EE_NEW_ARRAY(arena, element, count);
  for (size_t width = 1; width < count; width *= 2) {
    for (size_t start = 0; start < count; start += 2 * width) {
      size_t left = start, middle = start + width < count ? start + width : count;
      size_t right = middle, end = middle + width < count ? middle + width : count;
      for (size_t i = start; i < end; i++) {
        bool take_left = left < middle && (right == end || from[left].hash <= from[right].hash);
        to[i] = take_left ? from[left++] : from[right++];
      }
    }
    element *swapped = from;
    from = to;
    to = swapped;
  }
  if (from != elements) memcpy(elements, from, count * sizeof *elements);
}

/* The normalized elements of `list` by hash, or NULL with `result` filled when the normalize function raised. */
static element *collect(const ee_strategy *strategy, ee_context *context, const ee_value *list, ee_comparison *result) {
  element *elements = EE_NEW_ARRAY(context->arena, element, ee_value_count(list));
  size_t count = 0;
  for (const ee_value *item = ee_value_child(list); item != NULL; item = ee_value_next(item)) {
    const ee_value *value;
    if (!ee_strategy_normalize(strategy, context, item, &value, result)) return NULL;
    elements[count++] = (element){ee_value_hash(value), value};
  }
  sort(elements, count, context->arena);
  return elements;
}

/* Nothing and null are the same, however an element came to be empty. */
static bool same(const ee_value *a, const ee_value *b) {
  if (ee_type_of(a) <= EE_NULL || ee_type_of(b) <= EE_NULL) return ee_type_of(a) <= EE_NULL && ee_type_of(b) <= EE_NULL;
  return ee_values_same(a, b);
}

/* The number of pairs of equal elements among `a` and `b`, which all share one hash: almost always they are all equal,
 * and each finds its partner at once. */
static size_t common_in_group(element *a, size_t a_count, const element *b, size_t b_count) {
  size_t common = 0;
  for (size_t i = 0; i < b_count && common < a_count; i++) {
    for (size_t k = common; k < a_count; k++) {
      if (!same(a[k].value, b[i].value)) continue;
      element taken = a[k];
      a[k] = a[common];
      a[common++] = taken;
      break;
    }
  }
  return common;
}

/* The size of the intersection of two multisets, sorted by hash. */
static size_t count_common(element *a, size_t a_count, const element *b, size_t b_count) {
  size_t common = 0;
  for (size_t i = 0, k = 0; i < a_count && k < b_count;) {
    if (a[i].hash < b[k].hash) {
      i++;
    } else if (a[i].hash > b[k].hash) {
      k++;
    } else {
      size_t i_end = i + 1, k_end = k + 1;
      while (i_end < a_count && a[i_end].hash == a[i].hash) i_end++;
      while (k_end < b_count && b[k_end].hash == b[k].hash) k_end++;
      common += common_in_group(a + i, i_end - i, b + k, k_end - k);
      i = i_end;
      k = k_end;
    }
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
  if (strategy->graded) result->score = all == 0 ? 1 : (double)common / (double)all;
}
