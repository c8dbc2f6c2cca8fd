/* check.c: `evalengine check RULES.lua [DATA]...`, or a YAML data set in the place of the rule file: load, validate,
 * print the plan; with data, print what each key of it would use and find functions that keep state. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/purity.h"
#include "cli/strategy_choices.h"

/* Appends one line a function whose results depend on the order of the cases; returns how many there are. */
static size_t print_impure(const ee_rule_file *rules, const ee_purity *purity, ee_buffer *out) {
  size_t count = 0;
  for (size_t i = 0; i < purity->function_count; i++) {
    if (!purity->functions[i].differs) continue;
    char place[320];
    ee_rule_file_function_place(rules, (int)i, place, sizeof place);
    ee_buffer_addf(out, "%s: this function keeps state: its results for case '%s' change with the order of the cases\n",
                   place, purity->functions[i].example);
    count++;
  }
  return count;
}

/* Whether a judge enters the functions of another rule file. */
static bool calls_inner_script(const ee_plan *plan) {
  bool any = false;
  for (size_t i = 0; i < plan->judge_count; i++) any = any || plan->judges[i]->calls_inner_script;
  return any;
}

/* A cache is left alone: it would be made here, and what it holds is no matter of the rules. */
static ee_status open_without_cache(const ee_plan *plan, const char *offline, ee_provider **provider, ee_error *error) {
  ee_provider_settings settings = plan->provider;
  settings.no_cache = true;
  return ee_open_provider(plan, &settings, offline, provider, error);
}

/* Mistakes in the provider's settings show when it is opened, as for requests; none is made. */
static ee_status check_provider(const ee_plan *plan, ee_error *error) {
  ee_provider *provider;
  ee_status status = open_without_cache(plan, NULL, &provider, error);
  ee_provider_free(provider);
  return status;
}

/* Nothing is asked over a network, and a value without an answer is no finding here. */
static ee_status check_purity(const ee_plan *plan, const ee_record_list *records, ee_purity *purity, ee_error *error) {
  ee_provider *provider;
  ee_status status = open_without_cache(plan, "check makes no requests", &provider, error);
  if (status == EE_OK) status = ee_purity_check(plan, provider, records, purity, error);
  ee_provider_free(provider);
  return status;
}

static int check_data(const ee_options *options, const ee_rule_file *rules, ee_terminal *terminal, ee_buffer *out,
                      ee_error *error) {
  const ee_plan *plan = ee_rule_file_plan(rules);
  ee_purity purity = {0};
  ee_inputs inputs;
  ee_status status = ee_inputs_open(&inputs, options, plan, NULL, terminal, error);
  ee_record_list records = {.expected = inputs.expected};
  if (status == EE_OK) status = ee_record_list_read(&records, inputs.dataset, error);
  if (status == EE_OK) {
    ee_observe(plan, &records, out);
    status = check_purity(plan, &records, &purity, error);
  }
  purity.unreadable_count += (size_t)ee_inputs_in_error(&inputs);
  ee_record_list_fini(&records);
  ee_inputs_close(&inputs);
  int result = (int)status;
  if (status == EE_OK) {
    size_t impure = print_impure(rules, &purity, out);
    bool inner = calls_inner_script(plan);
    if (impure > 0)
      result = EE_ERROR_RULES;
    else if (purity.function_count == 0 && !inner)
      ee_buffer_addf(out, "no functions: nothing can keep state\n");
    else if (purity.function_count == 0)
      ee_buffer_addf(out, "no functions of its own\n");
    else
      ee_buffer_addf(out, "no function keeps state (functions %zu, cases %zu, judged in two orders)\n",
                     purity.function_count, purity.case_count);
    if (inner)
      ee_buffer_addf(out, "functions of the rule files inside were not looked at: check those files by themselves\n");
    if (result == 0 && purity.function_count > 0 && purity.unreadable_count > 0)
      result = (int)ee_error_set(error, EE_ERROR_DATA, "%zu records could not be read (evaluating them tells why)",
                                 purity.unreadable_count);
  }
  ee_purity_fini(&purity);
  return result;
}

/* Checks the rules; the plan and what was found go to standard output whatever the status is. */
static int check_rules(const ee_options *options, const ee_rule_file *rules, ee_terminal *terminal) {
  ee_error error = {0};
  ee_buffer text;
  ee_buffer_init(&text);
  ee_plan_print(ee_rule_file_plan(rules), &text);
  int result = (int)check_provider(ee_rule_file_plan(rules), &error);
  if (result == 0 && options->operand_count > 1) result = check_data(options, rules, terminal, &text, &error);
  if (result != 0 && error.message[0] != '\0') ee_terminal_fail(terminal, &error);
  ee_terminal_mask(text.data, text.length, false);
  ee_output output;
  if (ee_output_open(&output, NULL, &error) != EE_OK ||
      ee_output_write(&output, text.data, text.length, &error) != EE_OK) {
    ee_terminal_fail(terminal, &error);
    result = EE_ERROR_SYSTEM;
  }
  ee_buffer_fini(&text);
  return result;
}

int ee_command_check(const ee_options *options) {
  ee_terminal terminal;
  ee_terminal_init(&terminal, options);
  ee_watchdog *watchdog = ee_watchdog_start(EE_WATCHDOG_SECONDS);
  ee_rule_file *rules;
  ee_case_file *cases;
  int result = (int)ee_load_first(options, NULL, watchdog, &terminal, &rules, &cases);
  if (rules != NULL) result = check_rules(options, rules, &terminal);
  ee_rule_file_free(rules);
  ee_case_file_close(cases);
  ee_watchdog_stop(watchdog);
  return result;
}
