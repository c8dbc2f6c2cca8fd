/* gate_decision.c: the value of a gate's metric in the totals, compared with its limits. */
#include "run/gate_decision.h"

#include <math.h>
#include <string.h>

#include "judge/plan.h"
#include "prim/number.h"
#include "run/misfit.h"
#include "run/total_interval.h"
#include "run/totals.h"

#define SLACK 0x1p-50
#define SHOWN 200 /* bytes of a name in a message */

static int shown(ee_str text) { return (int)ee_utf8_cut(text, SHOWN); }

/* Deciding ------------------------------------------------------------------------------------- */

static bool is_of_scores(ee_gate_metric metric) { return metric == EE_GATE_MEAN_SCORE || metric == EE_GATE_PASS_RATE; }

/* A metric, its interval if it has one, and how many units it is of. */
typedef struct measured {
  ee_ranged ranged;
  uint64_t units;
} measured;

static measured without_interval(ee_metric metric, uint64_t units) {
  return (measured){{metric, EE_NO_INTERVAL}, units};
}

static measured field_metric(ee_gate_metric metric, const ee_attribute_total *attribute, double confidence) {
  ee_count_ratio ratio = metric == EE_GATE_PRECISION     ? EE_RATIO_PRECISION
                         : metric == EE_GATE_RECALL      ? EE_RATIO_RECALL
                         : metric == EE_GATE_SPECIFICITY ? EE_RATIO_SPECIFICITY
                                                         : EE_RATIO_F1;
  return (measured){ee_attribute_ranged(attribute, ratio, confidence), ee_attribute_units(attribute, ratio)};
}

static measured average_metric(ee_gate_metric metric, const ee_judge_total *total, double confidence) {
  ee_judge_ranges ranges = ee_judge_total_ranges(total, confidence);
  switch (metric) {
  case EE_GATE_MICRO_PRECISION: return (measured){ranges.micro.precision, ranges.units};
  case EE_GATE_MICRO_RECALL: return (measured){ranges.micro.recall, ranges.units};
  case EE_GATE_MICRO_F1: return (measured){ranges.micro.f1, ranges.units};
  case EE_GATE_MACRO_PRECISION: return (measured){ranges.macro.precision, ranges.units};
  case EE_GATE_MACRO_RECALL: return (measured){ranges.macro.recall, ranges.units};
  case EE_GATE_MACRO_F1: return (measured){ranges.macro.f1, ranges.units};
  case EE_GATE_WEIGHTED_PRECISION: return (measured){ranges.weighted.precision, ranges.units};
  case EE_GATE_WEIGHTED_RECALL: return (measured){ranges.weighted.recall, ranges.units};
  default: return (measured){ranges.weighted.f1, ranges.units};
  }
}

/* The field's attribute; NULL if no case has the field. */
static const ee_attribute_total *find_field(const ee_judge_total *total, const ee_gate *gate) {
  if (gate->slot != EE_GATE_NO_SLOT) return &total->attributes[gate->slot];
  for (size_t i = 0; i < total->attribute_count; i++)
    if (ee_str_equal(total->attributes[i].name, gate->field)) return &total->attributes[i];
  return NULL;
}

static ee_metric corpus_metric(const ee_judge_total *total, ee_str name) {
  for (size_t i = 0; total->corpus != NULL && i < total->corpus->metric_count; i++) {
    const ee_corpus_metric *found = &total->corpus->metrics[i];
    if (!found->is_count && ee_str_is(name, found->name)) return (ee_metric){found->defined, found->value};
  }
  return (ee_metric){0};
}

/* The same of one row, such as a label; `*unseen`: there is no such row. */
static ee_metric row_metric(const ee_judge_total *total, ee_str row, ee_str name, bool *unseen) {
  const ee_corpus_summary *summary = total->corpus;
  for (size_t i = 0; summary != NULL && i < summary->row_count; i++) {
    if (!ee_str_equal(summary->rows[i].name, row)) continue;
    for (size_t k = 0; k < summary->column_count; k++) {
      const ee_corpus_metric *found = &summary->rows[i].values[k];
      if (!found->is_count && ee_str_is(name, found->name)) return (ee_metric){found->defined, found->value};
    }
  }
  *unseen = true;
  return (ee_metric){0};
}

static measured document_metric(ee_gate_metric metric, const ee_correction_total *corrections, double confidence) {
  uint64_t cases = corrections->cases;
  if (metric == EE_GATE_CORRECTIONS) return without_interval(ee_corrections_mean(corrections), cases);
  ee_ratio_sums sums = ee_straight_through_sums(corrections);
  return (measured){ee_ranged_of(ee_straight_through_rate(corrections), &sums, confidence), sums.units};
}

static measured trial_metric(const ee_gate *gate, const ee_totals *totals, double confidence) {
  const ee_trial_total *trials = &totals->trials;
  if (gate->metric == EE_GATE_CASE_PASS_RATE) {
    const uint64_t *verdicts = trials->verdicts[totals->plan->trial_rule];
    uint64_t count = verdicts[0] + verdicts[1] + verdicts[2];
    return (measured){ee_ranged_of_proportion(verdicts[EE_VERDICT_PASS], count, confidence), count};
  }
  unsigned size = ee_pass_size_find(gate->k);
  for (size_t i = 0; i < trials->judges.count && size < EE_PASS_SIZES; i++) {
    const ee_trial_figures *figures = &trials->judges.items[i];
    bool is_it = gate->subject != NULL ? i > 0 && ee_str_equal(figures->name, gate->subject->name) : i == 0;
    if (!is_it) continue;
    const ee_sample *sample = gate->metric == EE_GATE_PASS_AT_K ? &figures->at[size] : &figures->all[size];
    return (measured){ee_ranged_of_sample(sample, confidence), sample->count};
  }
  return without_interval((ee_metric){0}, 0);
}

/* Of the cases, or of a judge. */
static measured score_metric(const ee_gate *gate, const ee_score_totals *of, double confidence) {
  const ee_judge_total *total = gate->subject != NULL ? &of->judges[gate->subject->number] : NULL;
  const ee_sample *score = total != NULL ? &total->score : &of->score;
  const ee_score_units *units = total != NULL ? &total->units : &of->units;
  const uint64_t *verdicts = total != NULL ? total->verdicts : of->verdicts;
  return (measured){gate->metric == EE_GATE_MEAN_SCORE ? ee_total_mean(score, units, confidence)
                                                       : ee_total_pass_rate(score, verdicts, units, confidence),
                    ee_score_units_count(units, score)};
}

/* The value in `of`, all cases or those of a slice; `result` gets whether the field occurs. */
static measured metric_of(const ee_gate *gate, const ee_score_totals *of, double confidence, ee_gate_result *result) {
  if (is_of_scores(gate->metric)) return score_metric(gate, of, confidence);
  if (gate->metric == EE_GATE_STRAIGHT_THROUGH || gate->metric == EE_GATE_CORRECTIONS)
    return document_metric(gate->metric, &of->corrections, confidence);
  const ee_judge_total *total = gate->subject != NULL ? &of->judges[gate->subject->number] : NULL;
  const measured none = without_interval((ee_metric){0}, 0);
  if (total == NULL) return none;
  if (gate->metric == EE_GATE_CASE_METRIC) {
    if (gate->slot >= total->case_metric_count) return none;
    const struct ee_case_metric_total *metric = &total->case_metrics[gate->slot];
    return (measured){ee_total_mean(&metric->sample, &metric->units, confidence),
                      ee_score_units_count(&metric->units, &metric->sample)};
  }
  if (gate->metric == EE_GATE_CORPUS_METRIC) {
    ee_metric found = gate->field.length > 0 ? row_metric(total, gate->field, gate->own_metric, &result->unseen)
                                             : corpus_metric(total, gate->own_metric);
    return without_interval(found, ee_score_units_count(&total->units, &total->score));
  }
  if (gate->field.length == 0) return average_metric(gate->metric, total, confidence);
  const ee_attribute_total *attribute = find_field(total, gate);
  result->unseen = attribute == NULL;
  if (attribute != NULL) return field_metric(gate->metric, attribute, confidence);
  result->near = ee_judge_total_near(total, gate->field);
  return none;
}

static bool reaches(double value, double limit) { return value >= limit - SLACK; }
static bool stays_below(double value, double limit) { return value <= limit + SLACK; }

/* What is held against `min` and against `max`. */
static double low_of(const ee_gate_result *result) {
  return result->gate->confidence > 0 ? result->range.low : result->value;
}
static double high_of(const ee_gate_result *result) {
  return result->gate->confidence > 0 ? result->range.high : result->value;
}

static void compare(const ee_gate *gate, const measured *found, double confidence, ee_gate_result *result) {
  result->units = found->units;
  result->confidence = confidence;
  result->too_few = result->units < gate->min_support;
  if (result->too_few || !found->ranged.metric.defined) return;
  result->value = found->ranged.metric.value;
  result->range = found->ranged.interval;
  /* Fewer than two units say nothing of others. */
  if (gate->confidence > 0 && !ee_interval_is_known(result->range)) result->range = (ee_interval){0, 1};
  result->defined = true;
  result->passed = (!gate->has_min || reaches(low_of(result), gate->min)) &&
                   (!gate->has_max || stays_below(high_of(result), gate->max));
}

/* Doubts --------------------------------------------------------------------------------------- */

/* Whether the judge compared anything at all: two missing values are right, but say nothing. */
static bool compared_anything(const ee_judge_total *total) {
  if (total->score.count == 0 || total->vacuous >= total->score.count) return false;
  for (size_t i = 0; i < total->attribute_count; i++) {
    const ee_counts *counts = &total->attributes[i].counts;
    if (counts->tp + counts->fp + counts->fn + counts->unread > 0) return true;
  }
  return total->static_count == 0;
}

/* `of`: the cases that the gate is about. That a field is nowhere is known of all cases only. */
static void doubt_attribute(const ee_gate *gate, const ee_totals *totals, const ee_score_totals *of,
                            const ee_judge *judge, size_t number, ee_gate_result *result) {
  const ee_judge_total *total = &of->judges[judge->number], *all = &totals->all.judges[judge->number];
  const ee_attribute_total *attribute = &total->attributes[number];
  if (result->doubt != EE_DOUBT_NONE) return;
  if (ee_attribute_unread_share(attribute) > gate->max_unread + SLACK) {
    result->doubt = EE_DOUBT_UNREAD;
    result->unread = attribute->unread->sides[EE_EXPECTED].count;
    result->expected = ee_attribute_expected(attribute);
  } else if (!totals->chosen && number < all->static_count && ee_field_is_nowhere(judge, all, number)) {
    result->doubt = EE_DOUBT_NOWHERE;
  } else {
    return;
  }
  result->doubted = attribute->name;
}

static void doubt_judge(const ee_gate *gate, const ee_totals *totals, const ee_score_totals *of, const ee_judge *judge,
                        ee_gate_result *result) {
  const ee_judge_total *total = &of->judges[judge->number];
  for (size_t i = 0; i < total->attribute_count; i++)
    if (gate->field.length == 0 || ee_str_equal(total->attributes[i].name, gate->field))
      doubt_attribute(gate, totals, of, judge, i, result);
}

/* Sets what makes the metric worthless. */
static void find_doubt(const ee_gate *gate, const ee_totals *totals, const ee_score_totals *of,
                       ee_gate_result *result) {
  bool anything = false;
  for (size_t i = 0; i < totals->plan->judge_count; i++)
    if (gate->subject == NULL || gate->subject == totals->plan->judges[i])
      anything = anything || compared_anything(&of->judges[i]);
  /* A metric of the whole data set is undefined where it has nothing to say. */
  if (!anything && gate->metric != EE_GATE_CORPUS_METRIC) {
    result->doubt = EE_DOUBT_NOTHING;
    return;
  }
  for (size_t i = 0; i < totals->plan->judge_count; i++)
    if (gate->subject == NULL || gate->subject == totals->plan->judges[i])
      doubt_judge(gate, totals, of, totals->plan->judges[i], result);
}

ee_gate_result ee_gate_compare(const ee_gate *gate, ee_metric metric, uint64_t units) {
  ee_gate_result result = {.gate = gate};
  measured found = without_interval(metric, units);
  compare(gate, &found, 0, &result);
  return result;
}

static ee_gate_result decide_on(const ee_gate *gate, const ee_totals *totals, const ee_score_totals *of) {
  ee_gate_result result = {.gate = gate, .range = EE_NO_INTERVAL};
  double confidence = gate->confidence > 0 ? gate->confidence : totals->plan->confidence;
  measured found = ee_gate_metric_is_of_trials(gate->metric) ? trial_metric(gate, totals, confidence)
                                                             : metric_of(gate, of, confidence, &result);
  compare(gate, &found, confidence, &result);
  find_doubt(gate, totals, of, &result);
  /* With too few units a gate is not to be decided on what they say. */
  if (result.too_few && result.doubt != EE_DOUBT_UNREAD) result.doubt = EE_DOUBT_NONE;
  if (result.doubt != EE_DOUBT_NONE) result.passed = false;
  return result;
}

/* Slices --------------------------------------------------------------------------------------- */

/* The text of the plan's slice or of the slice's value that was probably meant. */
static ee_str near_slice(const ee_totals *totals, const ee_gate *gate, bool value) {
  enum { LONGEST = 200 }; /* bytes: comparing takes the product of two lengths */
  const ee_path *path = totals->plan->slices[gate->slice_number];
  ee_str wanted = value ? gate->slice_value : path->text, found = EE_STR("");
  if (wanted.length > LONGEST) return found;
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  size_t limit = value ? totals->slice_count : totals->plan->slice_count, count = 0;
  const char **words = EE_NEW_ARRAY(&scratch, const char *, limit + 1);
  ee_str *texts = EE_NEW_ARRAY(&scratch, ee_str, limit + 1);
  for (size_t i = 0; i < limit; i++) {
    if (value ? totals->slices[i].slice != gate->slice_number : i == gate->slice_number) continue;
    texts[count] = value ? totals->slices[i].value : totals->plan->slices[i]->text;
    if (texts[count].length > LONGEST) continue;
    words[count] = ee_arena_copy(&scratch, texts[count].data, texts[count].length);
    count++;
  }
  const char *meant = ee_did_you_mean(ee_arena_copy(&scratch, wanted.data, wanted.length), words);
  for (size_t i = 0; meant != NULL && i < count; i++)
    if (words[i] == meant) found = texts[i];
  ee_arena_fini(&scratch);
  return found;
}

static ee_gate_result no_slice(const ee_gate *gate, const ee_totals *totals, bool value) {
  return (ee_gate_result){
      .gate = gate, .range = EE_NO_INTERVAL, .doubt = EE_DOUBT_NO_SLICE, .near = near_slice(totals, gate, value)};
}

/* Whether some case has a value at the path of the gate's slice. */
static bool occurs(const ee_gate *gate, const ee_totals *totals) {
  for (size_t i = 0; i < totals->slice_count; i++)
    if (totals->slices[i].slice == gate->slice_number && !ee_str_is(totals->slices[i].value, EE_MISSING_NAME))
      return true;
  return false;
}

/* The same with the rule about values with few cases: in them it is not decided. */
static ee_gate_result decide_value(const ee_gate *gate, const ee_totals *totals, const ee_slice_total *slice) {
  uint64_t cases = slice->totals.score.count;
  ee_gate_result result = {.gate = gate, .too_few = true, .range = EE_NO_INTERVAL};
  if (cases >= gate->min_cases) result = decide_on(gate, totals, &slice->totals);
  result.cases = cases;
  return result;
}

static ee_gate_result decide_one(const ee_gate *gate, const ee_totals *totals) {
  ee_str value = gate->slice_value;
  if (value.length > EE_SLICE_TEXT_BYTES) value.length = ee_utf8_cut(value, EE_SLICE_TEXT_BYTES);
  for (size_t i = 0; i < totals->slice_count; i++) {
    const ee_slice_total *slice = &totals->slices[i];
    if (slice->slice != gate->slice_number || !ee_str_equal(slice->value, value)) continue;
    ee_gate_result result = decide_value(gate, totals, slice);
    return result;
  }
  return no_slice(gate, totals, occurs(gate, totals));
}

/* How far what is held against the limits is within them: negative beyond; lowest where there is nothing to hold. */
static double reserve(const ee_gate_result *result) {
  const ee_gate *gate = result->gate;
  if (!result->defined || result->doubt != EE_DOUBT_NONE) return -INFINITY;
  double below = gate->has_max ? gate->max - high_of(result) : INFINITY,
         above = gate->has_min ? low_of(result) - gate->min : INFINITY;
  return below < above ? below : above;
}

/* What fails: the end that is beyond its limit. */
static double held_of(const ee_gate_result *result) {
  const ee_gate *gate = result->gate;
  return gate->has_min && (!gate->has_max || !reaches(low_of(result), gate->min)) ? low_of(result) : high_of(result);
}

static ee_gate_result decide_every(const ee_gate *gate, const ee_totals *totals) {
  if (!occurs(gate, totals)) return no_slice(gate, totals, false);
  ee_gate_result worst = {.gate = gate, .range = EE_NO_INTERVAL}, whole = {.gate = gate};
  double lowest = 0, reserves[EE_GATE_VALUES];
  for (size_t i = 0; i < totals->slice_count; i++) {
    const ee_slice_total *slice = &totals->slices[i];
    if (slice->slice != gate->slice_number) continue;
    ee_gate_result result = decide_value(gate, totals, slice);
    if (result.too_few && result.doubt == EE_DOUBT_NONE) {
      whole.values_too_few++;
      continue;
    }
    double left = reserve(&result);
    if (whole.values++ == 0 || left < lowest) {
      worst = result;
      worst.worst = slice->value;
      lowest = left;
    }
    if (result.passed) continue;
    size_t known = whole.values_failed++ < EE_GATE_VALUES ? whole.values_failed - 1 : EE_GATE_VALUES, at = known;
    while (at > 0 && left < reserves[at - 1]) at--;
    if (at == EE_GATE_VALUES) continue;
    for (size_t k = known < EE_GATE_VALUES ? known : EE_GATE_VALUES - 1; k > at; k--) {
      reserves[k] = reserves[k - 1];
      whole.failed[k] = whole.failed[k - 1];
    }
    reserves[at] = left;
    whole.failed[at] = (ee_gate_value){slice->value, result.defined, held_of(&result)};
  }
  worst.too_few = whole.values == 0;
  worst.passed = whole.values > 0 && whole.values_failed == 0;
  worst.values = whole.values;
  worst.values_failed = whole.values_failed;
  worst.values_too_few = whole.values_too_few;
  memcpy(worst.failed, whole.failed, sizeof worst.failed);
  return worst;
}

ee_gate_result ee_gate_decide(const ee_gate *gate, const ee_totals *totals) {
  if (gate->slice.length == 0) return decide_on(gate, totals, &totals->all);
  return gate->slice_value.data != NULL ? decide_one(gate, totals) : decide_every(gate, totals);
}

/* Printing ------------------------------------------------------------------------------------- */

static const char *plural(uint64_t count, const char *one, const char *many) { return count == 1 ? one : many; }

static void print_value(double value, int digits, ee_buffer *out) {
  char text[32];
  ee_buffer_add(out, text, ee_double_format_short(value, digits, text));
}

static void print_limit(double limit, ee_buffer *out) {
  char text[32];
  ee_buffer_add(out, text, ee_double_format(limit, text));
}

/* The fewest digits, four or more, that lie on the same side of the limits as the value itself. `low`, `high`: whether
 * it is held against `min` and against `max`. */
static int digits_for(const ee_gate *gate, double value, bool low, bool high) {
  for (int digits = 4; digits < 17; digits++) {
    char text[32];
    double rounded = ee_decimal_to_double((ee_str){text, ee_double_format_short(value, digits, text)});
    if ((!low || !gate->has_min || reaches(rounded, gate->min) == reaches(value, gate->min)) &&
        (!high || !gate->has_max || stays_below(rounded, gate->max) == stays_below(value, gate->max)))
      return digits;
  }
  return 17;
}

static void print_held(const ee_gate *gate, double value, bool low, bool high, ee_buffer *out) {
  print_value(value, digits_for(gate, value, low, high), out);
}

/* An end of the interval: with three digits, and more where they decide. */
static void print_end(const ee_gate_result *result, bool low, ee_buffer *out) {
  const ee_gate *gate = result->gate;
  double value = low ? result->range.low : result->range.high;
  bool held = gate->confidence > 0 && (low ? gate->has_min : gate->has_max);
  print_value(value, held ? digits_for(gate, value, low, !low) : 3, out);
}

/* "0.8123 [0.781, 0.838] (95 %, 120 units)". What is held against a limit has as many digits as it takes. */
static void print_metric(const ee_gate_result *result, ee_buffer *out) {
  const ee_gate *gate = result->gate;
  if (!result->defined) {
    bool nothing = result->too_few || result->doubt == EE_DOUBT_NO_SLICE;
    ee_buffer_add_text(out, nothing ? "not decided" : "undefined");
    return;
  }
  bool held = gate->confidence == 0;
  print_held(gate, result->value, held, held, out);
  if (!ee_interval_is_known(result->range)) return;
  ee_buffer_add_text(out, " [");
  print_end(result, true, out);
  ee_buffer_add_text(out, ", ");
  print_end(result, false, out);
  ee_buffer_add_text(out, "] (");
  print_value(100 * result->confidence, 6, out);
  ee_buffer_addf(out, " %%, %llu %s)", (unsigned long long)result->units, plural(result->units, "unit", "units"));
  if (gate->confidence > 0)
    ee_buffer_add_text(out, gate->has_min && gate->has_max ? ", ends" : gate->has_min ? ", lower end" : ", upper end");
}

static void print_limits(const ee_gate *gate, ee_buffer *out) {
  if (gate->has_min) {
    ee_buffer_add_text(out, " >= ");
    print_limit(gate->min, out);
  }
  if (gate->has_max) {
    ee_buffer_add_text(out, gate->has_min ? " and <= " : " <= ");
    print_limit(gate->max, out);
  }
}

static void print_doubt(const ee_gate_result *result, ee_buffer *out) {
  const ee_gate *gate = result->gate;
  int length = shown(result->doubted);
  switch (result->doubt) {
  case EE_DOUBT_NONE: return;
  case EE_DOUBT_NOTHING: ee_buffer_add_text(out, " (nothing was compared)"); return;
  case EE_DOUBT_UNREAD:
    ee_buffer_addf(out, " (%llu of %llu expected values of '%.*s' could not be read)",
                   (unsigned long long)result->unread, (unsigned long long)result->expected, length,
                   result->doubted.data);
    return;
  case EE_DOUBT_NOWHERE: ee_buffer_addf(out, " (nothing at '%.*s' in any case)", length, result->doubted.data); return;
  case EE_DOUBT_NO_SLICE:
    ee_buffer_addf(out, " (no case has '%.*s'", shown(gate->slice), gate->slice.data);
    if (result->near.length > 0) ee_buffer_addf(out, "; did you mean '%.*s'?", shown(result->near), result->near.data);
    ee_buffer_add_char(out, ')');
    return;
  }
}

/* Of a gate on every value of a slice: which one the metric is of, those that fail, and how many do not count. */
static void print_values(const ee_gate_result *result, ee_buffer *out) {
  const ee_gate *gate = result->gate;
  if (result->worst.data != NULL)
    ee_buffer_addf(out, " in '%.*s' (%llu %s)", shown(result->worst), result->worst.data,
                   (unsigned long long)result->cases, plural(result->cases, "case", "cases"));
  if (result->values_failed > 1) {
    ee_buffer_addf(out, "; %llu of %llu values fail: ", (unsigned long long)result->values_failed,
                   (unsigned long long)result->values);
    for (size_t i = 0; i < result->values_failed && i < EE_GATE_VALUES; i++) {
      const ee_gate_value *failed = &result->failed[i];
      ee_buffer_addf(out, "%s'%.*s'", i > 0 ? ", " : "", shown(failed->name), failed->name.data);
      if (!failed->defined) continue;
      ee_buffer_add_char(out, ' ');
      print_held(gate, failed->held, true, true, out);
    }
    if (result->values_failed > EE_GATE_VALUES) ee_buffer_add_text(out, ", ...");
  } else if (result->values > 1) {
    ee_buffer_addf(out, ", the worst of %llu values", (unsigned long long)result->values);
  }
  if (result->values_too_few > 0) {
    ee_buffer_addf(out, "; %llu %s not decided: fewer than ", (unsigned long long)result->values_too_few,
                   plural(result->values_too_few, "value is", "values are"));
    if (gate->min_cases > 0) ee_buffer_addf(out, "%llu cases", (unsigned long long)gate->min_cases);
    if (gate->min_support > 0)
      ee_buffer_addf(out, "%s%llu units", gate->min_cases > 0 ? " or " : "", (unsigned long long)gate->min_support);
  }
}

static void print_subject(const ee_gate *gate, ee_buffer *out) {
  if (gate->judge.length > 0) {
    ee_buffer_add_str(out, gate->judge);
    ee_buffer_add_char(out, ' ');
  }
  if (gate->field.length > 0) {
    ee_buffer_add_str(out, gate->field);
    ee_buffer_add_char(out, ' ');
  }
  ee_gate_print_metric(gate, out);
  if (gate->slice.length > 0) ee_buffer_addf(out, "[%.*s]", EE_STR_ARG(gate->slice));
}

void ee_gate_print_condition(const ee_gate *gate, ee_buffer *out) {
  print_subject(gate, out);
  if (gate->confidence > 0) {
    ee_buffer_add_text(out, " at ");
    print_value(100 * gate->confidence, 6, out);
    ee_buffer_add_text(out, " %");
  }
  print_limits(gate, out);
}

void ee_gate_print(const ee_gate_result *result, ee_buffer *out) {
  const ee_gate *gate = result->gate;
  print_subject(gate, out);
  ee_buffer_add_char(out, ' ');
  print_metric(result, out);
  print_limits(gate, out);
  if (gate->slice.length > 0 && gate->slice_value.data == NULL) {
    print_values(result, out);
  } else if (result->too_few && result->cases < gate->min_cases) {
    ee_buffer_addf(out, " (%llu %s, fewer than %llu)", (unsigned long long)result->cases,
                   plural(result->cases, "case", "cases"), (unsigned long long)gate->min_cases);
  } else if (result->too_few) {
    ee_buffer_addf(out, " (%llu %s, fewer than %llu)", (unsigned long long)result->units,
                   plural(result->units, "unit", "units"), (unsigned long long)gate->min_support);
  }
  print_doubt(result, out);
  if (!result->unseen) return;
  ee_buffer_add_text(out, " (in no case");
  if (result->near.length > 0) ee_buffer_addf(out, "; did you mean '%.*s'?", shown(result->near), result->near.data);
  ee_buffer_add_char(out, ')');
}
