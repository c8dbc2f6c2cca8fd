/* rule_tests.c: `evalengine test FILE_test.lua...`. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/load.h"
#include "cli/output.h"
#include "lua/rule_test.h"
#include "report/row.h"
#include "report/run_report.h"
#include "run/gate_decision.h"

/* Opens the provider offline and without its cache: a test must depend on neither a server nor earlier runs. */
static ee_provider *open_for_tests(const ee_provider_settings *settings, ee_error *error) {
  ee_provider_settings own = *settings;
  own.no_cache = true;
  return ee_provider_open(&own, "rule tests make no requests", error);
}

/* What -f json prints of a run. */
static void write_document(const ee_totals *totals, ee_summary_values summaries, ee_buffer *out) {
  const ee_plan *plan = totals->plan;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_gate_result *gates = EE_NEW_ARRAY(&arena, ee_gate_result, plan->gate_count + 1);
  for (size_t i = 0; i < plan->gate_count; i++) gates[i] = ee_gate_decide(&plan->gates[i], totals);
  const ee_summary summary = {
      .plan = plan, .totals = totals, .gates = gates, .gate_count = plan->gate_count, .summaries = summaries};
  ee_run_json(&summary, out);
  ee_arena_fini(&arena);
}

int ee_command_test(const ee_options *options) {
  ee_terminal terminal;
  ee_terminal_init(&terminal, options);
  ee_watchdog *watchdog = ee_watchdog_start(EE_WATCHDOG_SECONDS);
  ee_rule_test_options test = {.load = ee_load_options(options, watchdog),
                               .verbose = options->verbose,
                               .open_provider = open_for_tests,
                               .write = {ee_row_write_collected, write_document}};
  ee_buffer text;
  ee_buffer_init(&text);
  size_t passed = 0, failed = 0;
  bool any_empty = false;
  int result = 0;
  for (size_t i = 0; i < options->operand_count; i++) {
    ee_rule_test_totals totals = {0};
    ee_error error = {0};
    ee_status status = ee_rule_test_run(options->operands[i], &test, &text, &totals, &error);
    if (status != EE_OK) {
      ee_terminal_fail(&terminal, &error);
      result = (int)status;
    } else if (totals.passed + totals.failed == 0) {
      ee_buffer_addf(&text, "no tests in %s\n", options->operands[i]);
      any_empty = true;
    }
    passed += totals.passed;
    failed += totals.failed;
  }
  ee_buffer_addf(&text, "%zu passed, %zu failed\n", passed, failed);
  if (failed > 0 || any_empty) result = 1; /* even if another file could not be run */

  ee_error error = {0};
  if (ee_output_write_all(NULL, &text, &error) != EE_OK) {
    ee_terminal_fail(&terminal, &error);
    result = EE_ERROR_SYSTEM;
  }
  ee_buffer_fini(&text);
  ee_watchdog_stop(watchdog);
  return result;
}
