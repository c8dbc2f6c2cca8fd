/* aggregate.c: one score from parts (weighted average, all or nothing, macro and micro F1, coverage, a function of the
 * rule file) or from the places of a list (mean, weighted mean, median, minimum). */
#include "judge/aggregate.h"

#include <math.h>
#include <string.h>

#include "base/fixed.h"
#include "judge/compile.h"
#include "judge/formula.h"
#include "judge/plan.h"
#include "prim/number.h"
#include "prim/sort.h"

ee_aggregate ee_aggregate_option(const ee_rule_node *node) {
  int function = ee_option_function(node, "aggregate");
  if (function != EE_NO_FUNCTION) return (ee_aggregate){.kind = EE_AGGREGATE_FUNCTION, .function = function};
  int choice = ee_option_choice(node, "aggregate", EE_AGGREGATE_CHOICES, "weighted_average");
  return (ee_aggregate){.kind = (ee_aggregate_kind)choice, .function = EE_NO_FUNCTION};
}

const char *ee_aggregate_name(const ee_aggregate *aggregate) {
  switch (aggregate->kind) {
  case EE_AGGREGATE_WEIGHTED_AVERAGE: return "weighted_average";
  case EE_AGGREGATE_ALL_OR_NOTHING: return "all_or_nothing";
  case EE_AGGREGATE_MACRO_F1: return "macro_f1";
  case EE_AGGREGATE_MICRO_F1: return "micro_f1";
  case EE_AGGREGATE_COVERAGE: return "coverage";
  default: return "function";
  }
}

/* The score when no part is scored. */
static ee_aggregate_result nothing_scored(const ee_script_part *parts, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (parts[i].counts.fp != 0 || parts[i].counts.fn != 0) return (ee_aggregate_result){.score = 0};
  }
  return (ee_aggregate_result){.score = 1, .vacuous = true};
}

/* Rounding is monotone, so the sum of w * s never exceeds the sum of w, and all scores 1 give exactly 1. */
static ee_aggregate_result weighted_average(const ee_script_part *parts, size_t count) {
  double sum = 0, weights = 0;
  for (size_t i = 0; i < count; i++) {
    if (!parts[i].scored) continue;
    sum += parts[i].weight * parts[i].score;
    weights += parts[i].weight;
  }
  if (!(weights > 0)) return nothing_scored(parts, count);
  return (ee_aggregate_result){.score = sum / weights};
}

static ee_aggregate_result all_or_nothing(const ee_script_part *parts, size_t count) {
  bool any = false;
  for (size_t i = 0; i < count; i++) {
    if (!parts[i].scored || !(parts[i].weight > 0)) continue;
    any = true;
    if (parts[i].score < 1) return (ee_aggregate_result){.score = 0};
  }
  if (!any) return nothing_scored(parts, count);
  return (ee_aggregate_result){.score = 1};
}

static double weight_of(const ee_aggregate *aggregate, const ee_script_part *part) {
  return aggregate->weighted ? part->weight : 1;
}

static bool has_weights(const ee_aggregate *aggregate, const ee_script_part *parts, size_t count) {
  for (size_t i = 0; i < count && aggregate->weighted; i++)
    if (parts[i].weight != 1) return true;
  return false;
}

/* As weighted_average(), of the F1 of the parts. */
static ee_aggregate_result weighted_f1(const ee_script_part *parts, size_t count) {
  double sum = 0, weights = 0;
  for (size_t i = 0; i < count; i++) {
    ee_metric f1 = ee_f1(&parts[i].counts);
    if (!f1.defined) continue;
    sum += parts[i].weight * f1.value;
    weights += parts[i].weight;
  }
  if (!(weights > 0)) return (ee_aggregate_result){.score = 1, .vacuous = true};
  return (ee_aggregate_result){.score = sum / weights};
}

/* Counts of all parts, by their weights. */
typedef struct pooled_counts {
  double tp, fp, fn, wrong;
} pooled_counts;

static pooled_counts pool(const ee_aggregate *aggregate, const ee_script_part *parts, size_t count) {
  pooled_counts all = {0};
  for (size_t i = 0; i < count; i++) {
    double weight = weight_of(aggregate, &parts[i]);
    all.tp += weight * (double)parts[i].counts.tp;
    all.fp += weight * (double)parts[i].counts.fp;
    all.fn += weight * (double)parts[i].counts.fn;
    all.wrong += weight * (double)parts[i].counts.wrong;
  }
  return all;
}

static ee_aggregate_result micro_f1(const pooled_counts *all) {
  double divisor = 2 * all->tp + all->fp + all->fn;
  if (!(divisor > 0)) return (ee_aggregate_result){.score = 1, .vacuous = true};
  return (ee_aggregate_result){.score = 2 * all->tp / divisor};
}

static ee_aggregate_result coverage(const pooled_counts *all) {
  double divisor = all->tp + all->fn;
  if (!(divisor > 0)) return (ee_aggregate_result){.score = all->fp > 0 ? 0 : 1, .vacuous = !(all->fp > 0)};
  return (ee_aggregate_result){.score = fmin(1, (all->tp + all->wrong) / divisor)};
}

/* The sum must not depend on the order of the parts: attributes of line items come in any order. */
static ee_aggregate_result macro_f1(const ee_script_part *parts, size_t count) {
  ee_fixed sum = {0};
  uint64_t defined = 0;
  for (size_t i = 0; i < count; i++) {
    ee_metric f1 = ee_f1(&parts[i].counts);
    if (!f1.defined) continue;
    ee_fixed_add(&sum, ee_fixed_from(f1.value));
    defined++;
  }
  if (defined == 0) return (ee_aggregate_result){.score = 1, .vacuous = true};
  return (ee_aggregate_result){.score = ee_fixed_mean(sum, defined)};
}

static ee_aggregate_result call_function(int function, ee_context *context, const ee_script_part *parts, size_t count) {
  double score = 0;
  ee_error error = {0};
  ee_status status = context->plan->vtable->aggregate(context->script, function, parts, count, &score, &error);
  if (status == EE_OK && !ee_score_round(&score)) {
    status = ee_error_set(&error, EE_ERROR_RULES, "a score outside 0..1: %.17g", score);
  }
  if (status == EE_OK) return (ee_aggregate_result){.score = score};
  return (ee_aggregate_result){.failed = true, .error = ee_context_rule_error(context, &error)};
}

ee_aggregate_result ee_aggregate_parts(const ee_aggregate *aggregate, ee_context *context, const ee_script_part *parts,
                                       size_t count) {
  switch (aggregate->kind) {
  case EE_AGGREGATE_WEIGHTED_AVERAGE: return weighted_average(parts, count);
  case EE_AGGREGATE_ALL_OR_NOTHING: return all_or_nothing(parts, count);
  case EE_AGGREGATE_MACRO_F1:
    return has_weights(aggregate, parts, count) ? weighted_f1(parts, count) : macro_f1(parts, count);
  case EE_AGGREGATE_MICRO_F1:
  case EE_AGGREGATE_COVERAGE: {
    pooled_counts all = pool(aggregate, parts, count);
    return aggregate->kind == EE_AGGREGATE_MICRO_F1 ? micro_f1(&all) : coverage(&all);
  }
  default: return call_function(aggregate->function, context, parts, count);
  }
}

/* Formulas ------------------------------------------------------------------------------------- */

/* More terms are summed. */
#define TERMS_SHOWN 16

/* A sum of terms, each a score with its weight, or the macro F1's. */
typedef struct terms {
  ee_arena *arena;
  const char *text;
  bool weighted; /* weights differ: they are shown */
  size_t count;
  double sum, weights;
} terms;

/* `text`: the score; NULL: as a number. */
static void add_term(terms *all, double weight, double score, const char *text) {
  all->sum += weight * score;
  all->weights += weight;
  if (++all->count > TERMS_SHOWN) return;
  const char *joint = all->count > 1 ? " + " : "", *value = text != NULL ? text : ee_formula_result(score, all->arena);
  all->text = all->weighted ? ee_arena_printf(all->arena, "%s%s%s*%s", all->text, joint,
                                              ee_formula_operand(weight, all->arena), value)
                            : ee_arena_printf(all->arena, "%s%s%s", all->text, joint, value);
}

/* "(1 + 0.5)/2 = 0.75"; of one term only what is more than its score. */
static ee_str mean_formula(const terms *all, double score) {
  ee_arena *arena = all->arena;
  const char *result = ee_formula_result(score, arena);
  if (all->count == 0 || (all->count == 1 && (all->weighted || strcmp(all->text, result) == 0))) return EE_STR("");
  if (all->count == 1) return ee_str_from(ee_arena_printf(arena, "%s = %s", all->text, result));
  double divisor = all->weighted ? all->weights : (double)all->count;
  const char *sum =
      all->count > TERMS_SHOWN ? ee_formula_result(all->sum, arena) : ee_arena_printf(arena, "(%s)", all->text);
  return ee_str_from(ee_arena_printf(arena, "%s/%s = %s", sum, ee_formula_operand(divisor, arena), result));
}

static bool is_weighted(const ee_script_part *parts, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (parts[i].scored && parts[i].weight != 1) return true;
  return false;
}

static ee_str weighted_formula(const ee_script_part *parts, size_t count, double score, ee_arena *arena) {
  terms all = {.arena = arena, .text = "", .weighted = is_weighted(parts, count)};
  for (size_t i = 0; i < count; i++)
    if (parts[i].scored) add_term(&all, parts[i].weight, parts[i].score, NULL);
  return mean_formula(&all, score);
}

/* F1 as a quotient of counts: "6/7". */
static const char *f1_text(const ee_counts *counts, ee_arena *arena) {
  if (counts->tp == 0) return "0";
  if (counts->fp + counts->fn == 0) return "1";
  return ee_arena_printf(arena, "%zu/%zu", (size_t)(2 * counts->tp),
                         (size_t)(2 * counts->tp + counts->fp + counts->fn));
}

static ee_str macro_formula(const ee_aggregate *aggregate, const ee_script_part *parts, size_t count, double score,
                            ee_arena *arena) {
  terms all = {.arena = arena, .text = "", .weighted = has_weights(aggregate, parts, count)};
  for (size_t i = 0; i < count; i++) {
    ee_metric f1 = ee_f1(&parts[i].counts);
    if (f1.defined) add_term(&all, weight_of(aggregate, &parts[i]), f1.value, f1_text(&parts[i].counts, arena));
  }
  return mean_formula(&all, score);
}

/* "2*6/(2*6 + 1 + 2) = 0.8"; coverage "(6 + 1)/(6 + 2) = 0.875". */
static ee_str pooled_formula(const ee_aggregate *aggregate, const ee_script_part *parts, size_t count, double score,
                             ee_arena *arena) {
  pooled_counts all = pool(aggregate, parts, count);
  const char *tp = ee_formula_operand(all.tp, arena), *fp = ee_formula_operand(all.fp, arena),
             *fn = ee_formula_operand(all.fn, arena), *result = ee_formula_result(score, arena);
  if (aggregate->kind == EE_AGGREGATE_MICRO_F1)
    return ee_str_from(ee_arena_printf(arena, "2*%s/(2*%s + %s + %s) = %s", tp, tp, fp, fn, result));
  if (!(all.tp + all.fn > 0)) return EE_STR("");
  return ee_str_from(
      ee_arena_printf(arena, "(%s + %s)/(%s + %s) = %s", tp, ee_formula_operand(all.wrong, arena), tp, fn, result));
}

/* "all or nothing: 2 of 3 parts score 1 = 0"; a part without weight does not decide. */
static ee_str strict_formula(const ee_script_part *parts, size_t count, double score, ee_arena *arena) {
  size_t all = 0, full = 0;
  for (size_t i = 0; i < count; i++) {
    if (!parts[i].scored || !(parts[i].weight > 0)) continue;
    all++;
    full += parts[i].score >= 1;
  }
  return ee_str_from(ee_arena_printf(arena, "all or nothing: %zu of %zu parts score 1 = %s", full, all,
                                     ee_formula_result(score, arena)));
}

ee_str ee_aggregate_formula(const ee_aggregate *aggregate, const ee_aggregate_result *result,
                            const ee_script_part *parts, size_t count, ee_arena *arena) {
  if (result->failed) return EE_STR("");
  if (result->vacuous) return EE_STR("nothing to score = 1");
  switch (aggregate->kind) {
  case EE_AGGREGATE_WEIGHTED_AVERAGE: return weighted_formula(parts, count, result->score, arena);
  case EE_AGGREGATE_ALL_OR_NOTHING: return strict_formula(parts, count, result->score, arena);
  case EE_AGGREGATE_MACRO_F1: return macro_formula(aggregate, parts, count, result->score, arena);
  case EE_AGGREGATE_MICRO_F1:
  case EE_AGGREGATE_COVERAGE: return pooled_formula(aggregate, parts, count, result->score, arena);
  default:
    return ee_str_from(
        ee_arena_printf(arena, "a function of the rule file = %s", ee_formula_result(result->score, arena)));
  }
}

/* The places of a list --------------------------------------------------------------------------- */

const char *ee_place_aggregate_name(ee_place_aggregate aggregate) {
  static const char *const names[] = {"mean", "weighted_mean", "median", "min"};
  return names[aggregate];
}

static bool before(const ee_place *a, const ee_place *b) { return a->score < b->score; }

EE_DEFINE_SORT(sort_places, ee_place, before)

static double mean(const ee_place *places, size_t count) {
  ee_fixed sum = {0};
  for (size_t i = 0; i < count; i++) ee_fixed_add(&sum, ee_fixed_from(places[i].score));
  return ee_fixed_mean(sum, count);
}

/* Rounding is monotone, so weighted scores never sum to more than the weights, and all scores 1 give exactly 1. */
static double weighted_mean(const ee_place *places, size_t count) {
  double largest = 0;
  for (size_t i = 0; i < count; i++) largest = fmax(largest, places[i].weight);
  if (!(largest > 0)) return -1;
  int exponent;
  frexp(largest, &exponent);
  ee_fixed sum = {0}, weights = {0};
  for (size_t i = 0; i < count; i++) {
    double weight = ldexp(places[i].weight, -exponent); /* below 1; exact unless negligible */
    ee_fixed_add(&sum, ee_fixed_from(weight * places[i].score));
    ee_fixed_add(&weights, ee_fixed_from(weight));
  }
  return ee_fixed_value(sum) / ee_fixed_value(weights);
}

static double median(ee_place *places, size_t count, ee_arena *scratch) {
  sort_places(places, count, scratch);
  double middle = places[count / 2].score;
  return count % 2 == 1 ? middle : (places[count / 2 - 1].score + middle) / 2;
}

static double minimum(const ee_place *places, size_t count) {
  double score = places[0].score;
  for (size_t i = 1; i < count; i++) score = fmin(score, places[i].score);
  return score;
}

double ee_places_score(ee_place_aggregate aggregate, ee_place *places, size_t count, ee_arena *scratch) {
  switch (aggregate) {
  case EE_PLACES_MEAN: return mean(places, count);
  case EE_PLACES_WEIGHTED_MEAN: return weighted_mean(places, count);
  case EE_PLACES_MEDIAN: return median(places, count, scratch);
  default: return minimum(places, count);
  }
}

ee_str ee_places_formula(ee_place_aggregate aggregate, const ee_place *places, size_t count, double score,
                         ee_arena *arena) {
  if (aggregate == EE_PLACES_MEAN || aggregate == EE_PLACES_WEIGHTED_MEAN) {
    terms all = {.arena = arena, .text = "", .weighted = aggregate == EE_PLACES_WEIGHTED_MEAN};
    for (size_t i = 0; i < count; i++) add_term(&all, all.weighted ? places[i].weight : 1, places[i].score, NULL);
    return mean_formula(&all, score);
  }
  const char *text = "";
  for (size_t i = 0; i < count && i < TERMS_SHOWN; i++)
    text = ee_arena_printf(arena, "%s%s%s", text, i > 0 ? ", " : "", ee_formula_result(places[i].score, arena));
  return ee_str_from(ee_arena_printf(arena, "%s(%s%s) = %s", ee_place_aggregate_name(aggregate), text,
                                     count > TERMS_SHOWN ? ", ..." : "", ee_formula_result(score, arena)));
}
