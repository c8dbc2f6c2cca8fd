/* line_item_score.c: from the counts and pairs of ee.line_items to the score of a case, and its formula. */
#include <math.h>

#include "judge/line_items/line_items.h"

#include "judge/formula.h"

/* The score of pairs (score = "mean") --------------------------------------------------------------------------- */

void ee_item_mean_add(ee_item_mean *mean, double weight, double score) {
  mean->sum += weight * score;
  mean->weights += weight;
}

void ee_item_mean_end_pair(ee_item_mean *mean, const ee_line_items *outermost, bool good) {
  double score = mean->weights > 0 ? mean->sum / mean->weights : good ? 1 : 0;
  if (score < outermost->clip) score = 0;
  ee_fixed_add(&mean->pairs, ee_fixed_from(score));
  mean->sum = mean->weights = 0;
}

/* What the sum of the pairs' scores is divided by: numbers of items. */
static uint64_t divisor_of(const ee_item_lists *lists, const ee_line_items *outermost) {
  uint64_t expected = lists->pairs + lists->below + lists->missing,
           candidate = lists->pairs + lists->below + lists->extra;
  switch (outermost->of) {
  case EE_ITEMS_OF_EXPECTED: return expected;
  case EE_ITEMS_OF_LONGER: return expected > candidate ? expected : candidate;
  default: return expected + lists->extra;
  }
}

ee_aggregate_result ee_item_mean_score(const ee_item_lists *lists, const ee_line_items *outermost) {
  uint64_t divisor = divisor_of(lists, outermost);
  if (divisor > 0) return (ee_aggregate_result){.score = ee_fixed_mean(lists->mean.pairs, divisor)};
  if (lists->extra > 0) return (ee_aggregate_result){.score = 0};
  return (ee_aggregate_result){.score = 1, .vacuous = true};
}

static ee_str mean_formula(const ee_item_lists *lists, const ee_line_items *outermost, double score) {
  ee_arena *arena = lists->scorer->arena;
  uint64_t divisor = divisor_of(lists, outermost);
  if (divisor == 0) return score == 0 ? EE_STR("") : EE_STR("nothing to score = 1");
  return ee_str_from(ee_arena_printf(arena, "%s/%llu = %s", ee_formula_result(ee_fixed_value(lists->mean.pairs), arena),
                                     (unsigned long long)divisor, ee_formula_result(score, arena)));
}

/* The score of a case --------------------------------------------------------------------------------------------- */

/* By the counts of the score fields. Items without any of these fields, such as plain strings, still need a partner. */
ee_aggregate_result ee_item_score_of(const ee_item_lists *lists) {
  const ee_item_scorer *scorer = lists->scorer;
  const ee_line_items *outermost = scorer->judge->data;
  if (scorer->failed) return (ee_aggregate_result){.score = 0};
  if (outermost->score.kind == EE_AGGREGATE_WEIGHTED_AVERAGE) return ee_item_mean_score(lists, outermost);
  ee_aggregate_result total =
      ee_aggregate_parts(&outermost->score, scorer->context, scorer->parts.items, scorer->parts.count);
  if (total.vacuous && scorer->alone > 0) total = (ee_aggregate_result){.score = 0};
  return total;
}

ee_str ee_item_formula_of(const ee_item_lists *lists, const ee_aggregate_result *total) {
  const ee_item_scorer *scorer = lists->scorer;
  const ee_line_items *outermost = scorer->judge->data;
  if (scorer->failed) return EE_STR("");
  if (outermost->score.kind == EE_AGGREGATE_WEIGHTED_AVERAGE) return mean_formula(lists, outermost, total->score);
  ee_str text = ee_aggregate_formula(&outermost->score, total, scorer->parts.items, scorer->parts.count, scorer->arena);
  bool no_fields = text.length == 0 && total->score == 0 && scorer->alone > 0 && scorer->parts.count == 0;
  return no_fields ? EE_STR("items without a partner and without fields = 0") : text;
}
