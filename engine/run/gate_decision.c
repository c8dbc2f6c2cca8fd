/* gate_decision.c: the value of a gate's metric in the totals, compared with its limits. */
#include "run/gate_decision.h"

#include "judge/plan.h"
#include "prim/number.h"
#include "run/misfit.h"
#include "run/totals.h"

#define SLACK 0x1p-50
#define SHOWN 200 /* bytes of a name in a message */

static int shown(ee_str text) { return (int)ee_utf8_cut(text, SHOWN); }

/* Deciding ------------------------------------------------------------------------------------- */

static bool is_of_scores(ee_gate_metric metric) { return metric == EE_GATE_MEAN_SCORE || metric == EE_GATE_PASS_RATE; }

static ee_metric mean_of(const ee_sample *sample) { return (ee_metric){sample->count > 0, ee_sample_mean(sample)}; }

static ee_metric share_of(uint64_t part, uint64_t whole) {
  return (ee_metric){whole > 0, whole > 0 ? (double)part / (double)whole : 0};
}

static ee_metric score_metric(ee_gate_metric metric, const ee_sample *score, const uint64_t verdicts[3]) {
  return metric == EE_GATE_MEAN_SCORE ? mean_of(score) : share_of(verdicts[EE_VERDICT_PASS], score->count);
}

static ee_metric field_metric(ee_gate_metric metric, const ee_counts *counts) {
  switch (metric) {
  case EE_GATE_PRECISION: return ee_precision(counts);
  case EE_GATE_RECALL: return ee_recall(counts);
  case EE_GATE_SPECIFICITY: return ee_specificity(counts);
  default: return ee_f1(counts);
  }
}

static ee_metric average_metric(ee_gate_metric metric, const ee_judge_averages *averages) {
  switch (metric) {
  case EE_GATE_MICRO_PRECISION: return averages->micro.precision;
  case EE_GATE_MICRO_RECALL: return averages->micro.recall;
  case EE_GATE_MICRO_F1: return ee_f1(&averages->pooled);
  case EE_GATE_MACRO_PRECISION: return averages->macro.precision;
  case EE_GATE_MACRO_RECALL: return averages->macro.recall;
  case EE_GATE_MACRO_F1: return averages->macro.f1;
  case EE_GATE_WEIGHTED_PRECISION: return averages->weighted.precision;
  case EE_GATE_WEIGHTED_RECALL: return averages->weighted.recall;
  default: return averages->weighted.f1;
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
  return (ee_metric){false, 0};
}

/* The value; `result` gets its support, and whether the field occurs. */
static ee_metric metric_of(const ee_gate *gate, const ee_totals *totals, ee_gate_result *result) {
  uint64_t *support = &result->support;
  const ee_judge_total *total = gate->subject != NULL ? &totals->all.judges[gate->subject->number] : NULL;
  if (is_of_scores(gate->metric)) {
    const ee_sample *score = total != NULL ? &total->score : &totals->all.score;
    *support = score->count;
    return score_metric(gate->metric, score, total != NULL ? total->verdicts : totals->all.verdicts);
  }
  if (total == NULL) return (ee_metric){false, 0};
  if (gate->metric == EE_GATE_CASE_METRIC) {
    if (gate->slot >= total->case_metric_count) return (ee_metric){false, 0};
    *support = total->case_metrics[gate->slot].sample.count;
    return mean_of(&total->case_metrics[gate->slot].sample);
  }
  if (gate->metric == EE_GATE_CORPUS_METRIC) {
    *support = total->score.count;
    return corpus_metric(total, gate->own_metric);
  }
  if (gate->field.length > 0) {
    const ee_attribute_total *attribute = find_field(total, gate);
    result->unseen = attribute == NULL;
    if (attribute == NULL) {
      result->near = ee_judge_total_near(total, gate->field);
      return (ee_metric){false, 0};
    }
    *support = attribute->counts.tp + attribute->counts.fn;
    return field_metric(gate->metric, &attribute->counts);
  }
  ee_judge_averages averages = ee_judge_total_averages(total);
  *support = averages.pooled.tp + averages.pooled.fn;
  return average_metric(gate->metric, &averages);
}

static bool reaches(double value, double limit) { return value >= limit - SLACK; }
static bool stays_below(double value, double limit) { return value <= limit + SLACK; }

static void compare(const ee_gate *gate, ee_metric metric, ee_gate_result *result) {
  result->too_few = result->support < gate->min_support;
  result->passed = result->too_few;
  if (result->too_few || !metric.defined) return;
  result->defined = true;
  result->value = metric.value;
  result->passed =
      (!gate->has_min || reaches(metric.value, gate->min)) && (!gate->has_max || stays_below(metric.value, gate->max));
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

static void doubt_attribute(const ee_gate *gate, const ee_totals *totals, const ee_judge *judge, size_t number,
                            ee_gate_result *result) {
  const ee_judge_total *total = &totals->all.judges[judge->number];
  const ee_attribute_total *attribute = &total->attributes[number];
  if (result->doubt != EE_DOUBT_NONE) return;
  if (ee_attribute_unread_share(attribute) > gate->max_unread + SLACK) {
    result->doubt = EE_DOUBT_UNREAD;
    result->unread = attribute->unread->sides[EE_EXPECTED].count;
    result->expected = ee_attribute_expected(attribute);
  } else if (!totals->chosen && number < total->static_count && ee_field_is_nowhere(judge, total, number)) {
    result->doubt = EE_DOUBT_NOWHERE;
  } else {
    return;
  }
  result->doubted = attribute->name;
}

static void doubt_judge(const ee_gate *gate, const ee_totals *totals, const ee_judge *judge, ee_gate_result *result) {
  const ee_judge_total *total = &totals->all.judges[judge->number];
  for (size_t i = 0; i < total->attribute_count; i++)
    if (gate->field.length == 0 || ee_str_equal(total->attributes[i].name, gate->field))
      doubt_attribute(gate, totals, judge, i, result);
}

/* Sets what makes the metric worthless. */
static void find_doubt(const ee_gate *gate, const ee_totals *totals, ee_gate_result *result) {
  bool anything = false;
  for (size_t i = 0; i < totals->plan->judge_count; i++)
    if (gate->subject == NULL || gate->subject == totals->plan->judges[i])
      anything = anything || compared_anything(&totals->all.judges[i]);
  /* A metric of the whole data set is undefined where it has nothing to say. */
  if (!anything && gate->metric != EE_GATE_CORPUS_METRIC) {
    result->doubt = EE_DOUBT_NOTHING;
    return;
  }
  for (size_t i = 0; i < totals->plan->judge_count; i++)
    if (gate->subject == NULL || gate->subject == totals->plan->judges[i])
      doubt_judge(gate, totals, totals->plan->judges[i], result);
}

ee_gate_result ee_gate_compare(const ee_gate *gate, ee_metric metric, uint64_t support) {
  ee_gate_result result = {.gate = gate, .support = support};
  compare(gate, metric, &result);
  return result;
}

ee_gate_result ee_gate_decide(const ee_gate *gate, const ee_totals *totals) {
  ee_gate_result result = {.gate = gate};
  compare(gate, metric_of(gate, totals, &result), &result);
  find_doubt(gate, totals, &result);
  /* With too few values a gate is not to be decided on what they say. */
  if (result.too_few && result.doubt != EE_DOUBT_UNREAD) result.doubt = EE_DOUBT_NONE;
  if (result.doubt != EE_DOUBT_NONE) result.passed = false;
  return result;
}

/* Printing ------------------------------------------------------------------------------------- */

static void print_value(double value, int digits, ee_buffer *out) {
  char text[32];
  ee_buffer_add(out, text, ee_double_format_short(value, digits, text));
}

static void print_limit(double limit, ee_buffer *out) {
  char text[32];
  ee_buffer_add(out, text, ee_double_format(limit, text));
}

/* The fewest digits, four or more, that lie on the same side of the limits as the value itself. */
static int digits_for(const ee_gate *gate, double value) {
  for (int digits = 4; digits < 17; digits++) {
    char text[32];
    double rounded = ee_decimal_to_double((ee_str){text, ee_double_format_short(value, digits, text)});
    if ((!gate->has_min || reaches(rounded, gate->min) == reaches(value, gate->min)) &&
        (!gate->has_max || stays_below(rounded, gate->max) == stays_below(value, gate->max)))
      return digits;
  }
  return 17;
}

void ee_gate_print(const ee_gate_result *result, ee_buffer *out) {
  const ee_gate *gate = result->gate;
  if (gate->judge.length > 0) {
    ee_buffer_add_str(out, gate->judge);
    ee_buffer_add_char(out, ' ');
  }
  if (gate->field.length > 0) {
    ee_buffer_add_str(out, gate->field);
    ee_buffer_add_char(out, ' ');
  }
  ee_buffer_add_str(out, ee_gate_metric_name(gate));
  ee_buffer_add_char(out, ' ');
  if (result->defined)
    print_value(result->value, digits_for(gate, result->value), out);
  else
    ee_buffer_add_text(out, result->too_few ? "not decided" : "undefined");
  if (gate->has_min) {
    ee_buffer_add_text(out, " >= ");
    print_limit(gate->min, out);
  }
  if (gate->has_max) {
    ee_buffer_add_text(out, gate->has_min ? " and <= " : " <= ");
    print_limit(gate->max, out);
  }
  if (result->too_few)
    ee_buffer_addf(out, " (support %llu below %llu)", (unsigned long long)result->support,
                   (unsigned long long)gate->min_support);
  int length = shown(result->doubted);
  switch (result->doubt) {
  case EE_DOUBT_NONE: break;
  case EE_DOUBT_NOTHING: ee_buffer_add_text(out, " (nothing was compared)"); break;
  case EE_DOUBT_UNREAD:
    ee_buffer_addf(out, " (%llu of %llu expected values of '%.*s' could not be read)",
                   (unsigned long long)result->unread, (unsigned long long)result->expected, length,
                   result->doubted.data);
    break;
  case EE_DOUBT_NOWHERE: ee_buffer_addf(out, " (nothing at '%.*s' in any case)", length, result->doubted.data); break;
  }
  if (!result->unseen) return;
  ee_buffer_add_text(out, " (in no case");
  if (result->near.length > 0) ee_buffer_addf(out, "; did you mean '%.*s'?", shown(result->near), result->near.data);
  ee_buffer_add_char(out, ')');
}
