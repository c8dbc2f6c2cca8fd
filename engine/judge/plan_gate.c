/* plan_gate.c: what a gate of a rule file says, checked against the plan. */
#include "judge/plan_gate.h"

#include <math.h>

/* ee_gate_metric_names, then what judges measure, then figures of the whole data set: as a text for the row. A test holds
 * it to those lists. */
#define METRIC_CHOICES                                                                                                 \
  "mean_score|pass_rate|micro_precision|micro_recall|micro_f1|macro_precision|macro_recall|macro_f1|"                  \
  "weighted_precision|weighted_recall|weighted_f1|precision|recall|f1|specificity|"                                    \
  "rqs|accuracy|completeness|safety|hallucination|schema_valid|quote_valid|stability|"                                 \
  "AP|AP50|AP75|APs|APm|APl|AR1|AR10|AR100|ARs|ARm|ARl|AP_low|"                                                        \
  "quoteInvariantRate|schemaValidRate|successRate|uniqueExtractionStability|coverageRate|"                             \
  "recallOverlapping|precisionOverlapping|recallPartial|precisionPartial"

const ee_option ee_gate_options[] = {
    {.name = "judge",
     .type = EE_OPTION_TEXT,
     .standard = "the case's score",
     .help = "The judge whose numbers are held against the limits."},
    {.name = "field",
     .type = EE_OPTION_TEXT,
     .standard = "the whole judge",
     .help = "One field (attribute) of the judge."},
    {.name = "metric",
     .type = EE_OPTION_CHOICE,
     .standard = "must be given",
     .help = "mean_score and pass_rate of the cases or of a judge; micro, macro and weighted averages of a judge; "
             "precision, recall, "
             "f1 and specificity of a field; the mean of what ee.quality measures (hallucination is better when lower, "
             "so that it takes a max, and is 0 where a model gives no answer at all: gate completeness beside it); "
             "figures of ee.detection and ee.extraction, and the mean of what the latter measures.",
     .choices = METRIC_CHOICES},
    {.name = "min",
     .type = EE_OPTION_NUMBER,
     .standard = "none",
     .help = "The lowest value that passes.",
     .min = 0,
     .max = 1},
    {.name = "max",
     .type = EE_OPTION_NUMBER,
     .standard = "none",
     .help = "The highest value that passes.",
     .min = 0,
     .max = 1},
    {.name = "min_support",
     .type = EE_OPTION_NUMBER,
     .standard = "0",
     .unit = "expected values",
     .help = "With fewer expected values (TP + FN) the gate is not decided: it passes, and says so.",
     .min = 0,
     .max = 1e15},
    {.name = NULL},
};

/* Every mistake of a gate is reported, so its subject and its limits are checked apart. */
static void check_subject(ee_plan_builder *builder, const ee_spec *spec, const ee_gate *gate) {
  ee_gate subject = *gate;
  subject.has_min = true;
  subject.has_max = false;
  subject.min = 0;
  ee_error error = {0};
  if (!ee_gate_check(builder->plan, &subject, &error)) {
    ee_plan_error(builder, spec, "ee.gate: %s", error.message);
  } else if (gate->has_min && ee_gate_is_better_lower(builder->plan, gate)) {
    ee_str name = ee_gate_metric_name(gate);
    ee_plan_warn(builder, spec, "ee.gate has a 'min' for '%.*s', which is better when lower: it is 'max' that bounds it",
                 (int)name.length, name.data);
  }
}

static void check_limits(ee_plan_builder *builder, const ee_spec *spec, const ee_gate *gate) {
  if (ee_spec_get(spec, "min").type == EE_SPEC_NONE && ee_spec_get(spec, "max").type == EE_SPEC_NONE) {
    ee_plan_error(builder, spec, "ee.gate has neither 'min' nor 'max'");
  } else if (gate->has_min && gate->has_max && gate->min > gate->max) {
    ee_plan_error(builder, spec, "ee.gate has a 'min' above its 'max', so nothing can pass");
  }
}

/* A text that was given must say something. */
static void check_not_empty(ee_plan_builder *builder, const ee_spec *spec, const char *name) {
  ee_spec_value value = ee_spec_get(spec, name);
  if (value.type == EE_SPEC_TEXT && value.text.length == 0) {
    ee_plan_error(builder, spec, "option '%s' of ee.gate is empty", name);
  }
}

void ee_plan_gate_compile(ee_plan_builder *builder, const ee_spec *spec, ee_gate *gate) {
  static const ee_option *const tables[] = {ee_gate_options, NULL};
  ee_options_check(spec, "ee.gate", tables, builder->errors);
  if (spec->item_count > 0) {
    ee_plan_error(builder, spec, "ee.gate takes named options only, got %s",
                  ee_spec_describe(&spec->items[0], builder->arena));
  }
  *gate = (ee_gate){.judge = ee_option_text(spec, "judge", ""),
                    .field = ee_option_text(spec, "field", ""),
                    .metric = EE_GATE_MEAN_SCORE,
                    .has_min = ee_spec_get(spec, "min").type == EE_SPEC_NUMBER,
                    .has_max = ee_spec_get(spec, "max").type == EE_SPEC_NUMBER,
                    .min = ee_option_number(spec, "min", 0),
                    .max = ee_option_number(spec, "max", 0),
                    .file = spec->file,
                    .line = spec->line};
  check_limits(builder, spec, gate);
  double support = ee_option_number(spec, "min_support", 0);
  if (support >= 0 && support <= 1e15) {
    if (floor(support) != support)
      ee_plan_error(builder, spec, "option 'min_support' of ee.gate must be a whole number");
    gate->min_support = (uint64_t)support;
  }
  check_not_empty(builder, spec, "judge");
  check_not_empty(builder, spec, "field");
  ee_spec_value metric = ee_spec_get(spec, "metric");
  if (metric.type == EE_SPEC_NONE) {
    ee_plan_error(builder, spec, "ee.gate has no metric");
  } else if (metric.type == EE_SPEC_TEXT && ee_gate_find_metric(builder->plan, metric.text, gate)) {
    check_subject(builder, spec, gate);
  }
}
