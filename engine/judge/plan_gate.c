/* plan_gate.c: what a gate of a rule file says, checked against the plan. */
#include "judge/plan_gate.h"

#include <math.h>

/* In the order of ee_gate_metric. */
#define METRIC_CHOICES                                                                                                 \
  "mean_score|pass_rate|micro_precision|micro_recall|micro_f1|macro_precision|macro_recall|macro_f1|"                  \
  "weighted_precision|weighted_recall|weighted_f1|precision|recall|f1|specificity"

const ee_option ee_gate_options[] = {
    {.name = "judge", .type = EE_OPTION_TEXT, .standard = "the case's score", .help = "The judge whose numbers are held against the limits."},
    {.name = "field", .type = EE_OPTION_TEXT, .standard = "the whole judge", .help = "One field (attribute) of the judge."},
    {.name = "metric",
     .type = EE_OPTION_CHOICE,
     .standard = "must be given",
     .help = "mean_score and pass_rate of the cases or of a judge; micro, macro and weighted averages of a judge; precision, recall, "
             "f1 and specificity of a field.",
     .choices = METRIC_CHOICES},
    {.name = "min", .type = EE_OPTION_NUMBER, .standard = "none", .help = "The lowest value that passes.", .min = 0, .max = 1},
    {.name = "max", .type = EE_OPTION_NUMBER, .standard = "none", .help = "The highest value that passes.", .min = 0, .max = 1},
    {.name = "min_support",
     .type = EE_OPTION_NUMBER,
     .standard = "0",
     .unit = "expected values",
     .help = "With fewer expected values (TP + FN) the gate is not decided: it passes, and says so.",
     .min = 0,
     .max = 1e15},
    {.name = NULL},
};

/* " (did you mean 'x'?)", or nothing. */
static const char *suggestion(ee_arena *arena, ee_str word, const char *const *words) {
  const char *found = ee_did_you_mean(ee_arena_copy(arena, word.data, word.length), words);
  return found == NULL ? "" : ee_arena_printf(arena, " (did you mean '%s'?)", found);
}

static const ee_judge *find_judge(ee_plan_builder *builder, const ee_spec *spec, ee_str name) {
  const ee_plan *plan = builder->plan;
  const char **names = EE_NEW_ARRAY(builder->arena, const char *, plan->judge_count + 1);
  for (size_t i = 0; i < plan->judge_count; i++) {
    const ee_judge *judge = plan->judges[i];
    if (ee_str_equal(judge->name, name)) return judge;
    names[i] = ee_arena_copy(builder->arena, judge->name.data, judge->name.length);
  }
  ee_plan_error(builder, spec, "ee.gate names no judge: '%.*s'%s", (int)name.length, name.data,
                suggestion(builder->arena, name, names));
  return NULL;
}

/* Attributes of a judge without static ones are known only when the data is. */
static void check_field(ee_plan_builder *builder, const ee_spec *spec, const ee_judge *judge, ee_str name) {
  if (judge->attribute_count == 0) return;
  const char **names = EE_NEW_ARRAY(builder->arena, const char *, judge->attribute_count + 1);
  for (size_t i = 0; i < judge->attribute_count; i++) {
    ee_str attribute = judge->attributes[i].name;
    if (ee_str_equal(attribute, name)) return;
    names[i] = ee_arena_copy(builder->arena, attribute.data, attribute.length);
  }
  ee_plan_error(builder, spec, "ee.gate names no field of judge '%.*s': '%.*s'%s", (int)judge->name.length,
                judge->name.data, (int)name.length, name.data, suggestion(builder->arena, name, names));
}

/* Each metric belongs to the cases, to a judge or to a field. */
static void check_scope(ee_plan_builder *builder, const ee_spec *spec, ee_gate_metric metric, bool judge, bool field) {
  const char *name = ee_gate_metric_names[metric];
  bool of_field = metric >= EE_GATE_PRECISION;
  bool of_cases = metric <= EE_GATE_PASS_RATE;
  if (of_field && !field) {
    ee_plan_error(builder, spec, "metric '%s' of ee.gate needs a field (of a whole judge: 'micro_%s', 'macro_%s')", name,
                  metric == EE_GATE_SPECIFICITY ? "f1" : name, metric == EE_GATE_SPECIFICITY ? "f1" : name);
  } else if (!of_field && field) {
    ee_plan_error(builder, spec, "metric '%s' of ee.gate is none of a field (precision, recall, f1, specificity)", name);
  } else if (!of_field && !of_cases && !judge) {
    ee_plan_error(builder, spec, "metric '%s' of ee.gate needs a judge", name);
  }
}

static bool has_text(const ee_spec *spec, const char *name) {
  ee_spec_value value = ee_spec_get(spec, name);
  return value.type == EE_SPEC_TEXT && value.text.length > 0;
}

static void check_limits(ee_plan_builder *builder, const ee_spec *spec, const ee_gate *gate) {
  if (ee_spec_get(spec, "min").type == EE_SPEC_NONE && ee_spec_get(spec, "max").type == EE_SPEC_NONE) {
    ee_plan_error(builder, spec, "ee.gate has neither 'min' nor 'max'");
  } else if (gate->has_min && gate->has_max && gate->min > gate->max) {
    ee_plan_error(builder, spec, "ee.gate has 'min' above 'max', so nothing can pass");
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
                    .metric = (ee_gate_metric)ee_option_choice(spec, "metric", METRIC_CHOICES, "mean_score"),
                    .has_min = ee_spec_get(spec, "min").type == EE_SPEC_NUMBER,
                    .has_max = ee_spec_get(spec, "max").type == EE_SPEC_NUMBER,
                    .min = ee_option_number(spec, "min", 0),
                    .max = ee_option_number(spec, "max", 0),
                    .file = spec->file,
                    .line = spec->line};
  check_limits(builder, spec, gate);
  double support = ee_option_number(spec, "min_support", 0);
  if (support >= 0 && support <= 1e15) {
    if (floor(support) != support) ee_plan_error(builder, spec, "option 'min_support' of ee.gate must be a whole number");
    gate->min_support = (uint64_t)support;
  }
  bool judge_given = has_text(spec, "judge"), field_given = has_text(spec, "field");
  const ee_judge *judge = judge_given ? find_judge(builder, spec, gate->judge) : NULL;
  if (field_given && !judge_given) ee_plan_error(builder, spec, "ee.gate has a field and no judge that it is of");
  if (field_given && judge != NULL) check_field(builder, spec, judge, gate->field);
  if (ee_spec_get(spec, "metric").type == EE_SPEC_NONE) {
    ee_plan_error(builder, spec, "ee.gate has no metric");
  } else if (ee_spec_get(spec, "metric").type == EE_SPEC_TEXT) {
    check_scope(builder, spec, gate->metric, judge_given, field_given);
  }
}
