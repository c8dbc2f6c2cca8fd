/* collector.c: ee.summary and ee.report, checked. */
#include "judge/collector.h"

#include "judge/plan.h"
#include "judge/script.h"

const ee_option ee_summary_options[] = {
    {.name = "init",
     .lua_type = "fun(): any",
     .type = EE_OPTION_FUNCTION,
     .default_text = "must be given",
     .help = "Returns the first state: a number, a string, a table; not nil."},
    {.name = "step",
     .lua_type = "fun(state: any, result: ee.case_result): any",
     .type = EE_OPTION_FUNCTION,
     .default_text = "must be given",
     .help = "Returns the next state; called for each case, in the order of the data."},
    {.name = "finish",
     .lua_type = "fun(state: any): any",
     .type = EE_OPTION_FUNCTION,
     .default_text = "must be given",
     .help = "Returns what the reports print under the summary's name: a number, a string or a table of data."},
    {.name = "merge",
     .lua_type = "fun(state: any, later: any): any",
     .type = EE_OPTION_FUNCTION,
     .default_text = "none",
     .help = "Returns one state for two, the second of cases that come later; needed for runs in parts (--state)."},
    {.name = "save",
     .lua_type = "fun(state: any): any",
     .type = EE_OPTION_FUNCTION,
     .default_text = "the state itself",
     .help = "Returns what is written of a state in the state of a part: numbers, strings, true, false and tables of "
             "them. Only for states that hold something else, such as functions or metatables."},
    {.name = "load",
     .lua_type = "fun(saved: any): any",
     .type = EE_OPTION_FUNCTION,
     .default_text = "the state itself",
     .help = "Returns the state again, from a copy of what save returned."},
    {.name = NULL},
};

const ee_option ee_report_options[] = {
    {.name = "case",
     .lua_type = "fun(result: ee.case_result): string?",
     .type = EE_OPTION_FUNCTION,
     .default_text = "none",
     .help = "Returns text for a case, or nil for none; called for each case, in the order of the data."},
    {.name = "done",
     .lua_type = "fun(results: ee.results): string",
     .type = EE_OPTION_FUNCTION,
     .default_text = "none",
     .help = "Returns the text of the end, from the results of the whole run."},
    {.name = NULL},
};

/* Reads the name, and for each row a function: by position after the name, or by its option. `functions` has
 * EE_NO_FUNCTION for what is not given. */
static ee_str read_functions(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                             const ee_option *rows, int *functions) {
  const ee_option *const tables[] = {rows, NULL};
  ee_options_check(node, subject, tables, builder->errors);
  size_t count = 0;
  for (; rows[count].name != NULL; count++) functions[count] = ee_option_function(node, rows[count].name);
  ee_str name = EE_STR("");
  if (node->item_count > 0 && node->items[0].type == EE_RULE_TEXT) name = node->items[0].text;
  if (name.length == 0) {
    const char *got = node->item_count > 0 ? ee_rule_value_describe(&node->items[0], builder->arena) : "nothing";
    ee_compile_error(builder, node, "the first value of %s must be its name, got %s", subject, got);
  }
  for (size_t i = 1; i < node->item_count; i++) {
    if (i > count) {
      ee_compile_error(builder, node, "%s takes a name and %zu functions, got %zu values", subject, count,
                       node->item_count);
      break;
    }
    const ee_rule_value *value = &node->items[i];
    const char *row = rows[i - 1].name;
    if (value->type != EE_RULE_FUNCTION)
      ee_compile_error(builder, node, "%s of %s must be a function, got %s", row, subject,
                       ee_rule_value_describe(value, builder->arena));
    else if (functions[i - 1] != EE_NO_FUNCTION)
      ee_compile_error(builder, node, "%s of %s is given twice: by its place and by its name", row, subject);
    else
      functions[i - 1] = value->function;
  }
  return name;
}

/* The node has a value for `row`, if only a wrong one that was reported. */
static bool is_given(const ee_rule_node *node, const ee_option *rows, size_t row) {
  return node->item_count > row + 1 || ee_rule_node_get(node, rows[row].name).type != EE_RULE_NONE;
}

void ee_summary_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_summary_rule *summary) {
  int functions[6];
  ee_str name = read_functions(builder, node, "ee.summary", ee_summary_options, functions);
  *summary = (ee_summary_rule){.name = name,
                               .init = functions[0],
                               .step = functions[1],
                               .finish = functions[2],
                               .merge = functions[3],
                               .save = functions[4],
                               .load = functions[5],
                               .file = node->file,
                               .line = node->line};
  for (size_t i = 0; i < 3; i++)
    if (!is_given(node, ee_summary_options, i))
      ee_compile_error(builder, node, "ee.summary '%.*s' has no function %s", EE_STR_ARG(name),
                       ee_summary_options[i].name);
  bool has_save = is_given(node, ee_summary_options, 4), has_load = is_given(node, ee_summary_options, 5);
  if (has_save != has_load)
    ee_compile_error(builder, node, "ee.summary '%.*s' has a function %s but no function %s", EE_STR_ARG(name),
                     has_save ? "save" : "load", has_save ? "load" : "save");
  else if (has_save && !is_given(node, ee_summary_options, 3))
    ee_compile_error(builder, node, "ee.summary '%.*s' has functions save and load, which need a function merge",
                     EE_STR_ARG(name));
  for (const ee_summary_rule *other = builder->plan->summaries; other < summary; other++)
    if (ee_str_equal(other->name, name) && name.length > 0)
      ee_compile_error(builder, node, "a second summary has the name '%.*s' (the first is on line %zu)",
                       EE_STR_ARG(name), other->line);
}

void ee_report_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_report_rule *report) {
  int functions[2];
  ee_str name = read_functions(builder, node, "ee.report", ee_report_options, functions);
  *report = (ee_report_rule){
      .name = name, .each = functions[0], .done = functions[1], .file = node->file, .line = node->line};
  if (!is_given(node, ee_report_options, 0) && !is_given(node, ee_report_options, 1))
    ee_compile_error(builder, node, "ee.report '%.*s' has neither a function 'case' nor a function 'done'",
                     EE_STR_ARG(name));
  for (const ee_report_rule *other = builder->plan->reports; other < report; other++)
    if (ee_str_equal(other->name, name) && name.length > 0)
      ee_compile_error(builder, node, "a second report has the name '%.*s' (the first is on line %zu)",
                       EE_STR_ARG(name), other->line);
}

const ee_report_rule *ee_report_rule_find(const ee_plan *plan, ee_str name) {
  for (size_t i = 0; i < plan->report_count; i++)
    if (ee_str_equal(plan->reports[i].name, name)) return &plan->reports[i];
  return NULL;
}

ee_status ee_summaries_check_parts(const ee_plan *plan, ee_error *error) {
  for (size_t i = 0; i < plan->summary_count; i++) {
    const ee_summary_rule *summary = &plan->summaries[i];
    if (summary->merge != EE_NO_FUNCTION) continue;
    return ee_error_at(error, EE_ERROR_RULES, summary->file, summary->line, 0,
                       "ee.summary '%.*s' cannot be computed in parts without a function merge: add 'merge = "
                       "function(state, later) ... return state end', which makes one state of two",
                       EE_STR_ARG(summary->name));
  }
  return EE_OK;
}

ee_status ee_report_check_parts(const ee_report_rule *report, ee_error *error) {
  if (report->each == EE_NO_FUNCTION) return EE_OK;
  return ee_error_at(error, EE_ERROR_USAGE, NULL, 0, 0,
                     "ee.report '%.*s' prints text for each case, which states do not have: 'evalengine report ROWS "
                     "--rules RULES -f %.*s' prints it from the rows of the parts (--results)",
                     EE_STR_ARG(report->name), EE_STR_ARG(report->name));
}

ee_summary_values ee_summary_names(const ee_plan *plan, ee_arena *arena) {
  ee_summary_value *values = EE_NEW_ARRAY(arena, ee_summary_value, plan->summary_count + 1);
  for (size_t i = 0; i < plan->summary_count; i++) values[i].name = plan->summaries[i].name;
  return (ee_summary_values){values, plan->summary_count};
}
