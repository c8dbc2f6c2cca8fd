/* collector.h: ee.summary and ee.report: functions of a rule file that get the result of every case, in the order of
 * the data, on one Lua state. They score nothing; lua/collect.h calls them. */
#ifndef EE_JUDGE_COLLECTOR_H
#define EE_JUDGE_COLLECTOR_H

#include "judge/compile.h"

/* ee.summary: state = init(); state = step(state, result) for each case; value = finish(state). */
typedef struct ee_summary_rule {
  ee_str name;
  int init, step, finish;
  int merge;      /* merge(state, state of later cases) -> state; or EE_NO_FUNCTION: not in parts */
  int save, load; /* save(state) -> plain data; load(it) -> state; both or neither, then EE_NO_FUNCTION */
  const char *file;
  size_t line;
} ee_summary_rule;

/* ee.report: text = case(result) for each case, then text = done(results). One of the two may be EE_NO_FUNCTION. */
typedef struct ee_report_rule {
  ee_str name; /* as -f takes it */
  int each, done;
  const char *file;
  size_t line;
} ee_report_rule;

/* What a summary came to. */
typedef struct ee_summary_value {
  ee_str name;
  const ee_value *value; /* NULL: init or finish raised an error */
  uint64_t errors;       /* calls that raised one; a case with an error in step is not in the value */
  const char *example;   /* the first, with its place; NULL without errors */
} ee_summary_value;

typedef struct ee_summary_values {
  const ee_summary_value *items; /* in the order of the rule file */
  size_t count;
} ee_summary_values;

/* Compile a node of the plan under construction; errors go to the builder. Names are unique among summaries, and among
 * reports. */
void ee_summary_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_summary_rule *summary);
void ee_report_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_report_rule *report);

/* The report of that name; NULL if the rules have none. */
const ee_report_rule *ee_report_rule_find(const struct ee_plan *plan, ee_str name);

/* EE_OK if the summaries can be computed in parts, which are merged; else EE_ERROR_RULES at the first that cannot, with
 * what to add. */
ee_status ee_summaries_check_parts(const struct ee_plan *plan, ee_error *error);
/* EE_OK if the report needs no rows; else EE_ERROR_USAGE with the command that prints it. */
ee_status ee_report_check_parts(const ee_report_rule *report, ee_error *error);

/* The names of the plan's summaries, without values, in `arena`. */
ee_summary_values ee_summary_names(const struct ee_plan *plan, ee_arena *arena);

/* Options of ee.summary and ee.report, in the order of their positions after the name. */
extern const ee_option ee_summary_options[], ee_report_options[];

#endif
