/* rule_tests.c: `evalengine test FILE_test.lua...`. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/printable.h"
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

/* Where tests are listed besides the report. */
typedef struct listing {
  ee_junit *tests;             /* NULL: another format */
  ee_annotations *annotations; /* --annotate; NULL: none */
  const char *file;
} listing;

/* "invoice_test" of "rules/invoice_test.lua". */
static ee_str stem_of(const char *file) {
  const char *slash = strrchr(file, '/'), *base = slash != NULL ? slash + 1 : file;
  return (ee_str){base, strcspn(base, ".")};
}

static void add_test(void *user, const char *name, const ee_error *failure) {
  const listing *of = user;
  ee_junit_test test = {
      .of = stem_of(of->file), .name = ee_str_from(name), .outcome = EE_JUNIT_PASSED, .type = EE_STR("rule test")};
  ee_buffer text;
  ee_buffer_init(&text);
  if (failure != NULL) {
    ee_error_print(failure, &text);
    test.outcome = EE_JUNIT_FAILED;
    test.message = ee_str_from(failure->message);
    test.text = (ee_str){text.data, text.length};
  }
  if (of->tests != NULL) ee_junit_add(of->tests, "tests", &test);
  if (failure != NULL && of->annotations != NULL) {
    ee_annotation added = {ee_str_from(failure->file), test.name, test.message, failure->line};
    ee_annotations_add(of->annotations, EE_ANNOTATE_TEST, &added);
  }
  ee_buffer_fini(&text);
}

/* A file without tests, or one that does not load. */
static void add_file(const listing *of, const char *message) {
  ee_junit_test test = {.of = stem_of(of->file),
                        .name = ee_str_from(of->file),
                        .outcome = EE_JUNIT_ERROR,
                        .type = EE_STR("file"),
                        .message = ee_str_from(message)};
  if (of->tests != NULL) ee_junit_add(of->tests, "files", &test);
}

int ee_command_test(const ee_options *options) {
  ee_terminal terminal;
  ee_terminal_init(&terminal, options);
  ee_error unfit = {0};
  if (ee_options_check_format(options, EE_DOCUMENT_TESTS, "test", &unfit) != EE_OK) {
    ee_terminal_fail(&terminal, &unfit);
    return (int)unfit.status;
  }
  listing listed = {.tests = options->format->tests ? ee_junit_new(EE_STR("rules")) : NULL,
                    .annotations = ee_terminal_annotations(options)};
  ee_rule_test_options test = {.load = ee_load_options(options),
                               .verbose = options->verbose,
                               .open_provider = open_for_tests,
                               .write = {ee_row_write_collected, write_document},
                               .done = add_test,
                               .user = &listed};
  ee_buffer text;
  ee_buffer_init(&text);
  size_t passed = 0, failed = 0;
  bool any_empty = false;
  int result = 0;
  for (size_t i = 0; i < options->operand_count; i++) {
    ee_rule_test_totals totals = {0};
    ee_error error = {0};
    listed.file = options->operands[i];
    ee_status status = ee_rule_test_run(options->operands[i], &test, &text, &totals, &error);
    if (status != EE_OK) {
      ee_terminal_fail(&terminal, &error);
      if (listed.annotations != NULL) ee_annotations_add_error(listed.annotations, &error);
      add_file(&listed, error.message);
      result = (int)status;
    } else if (totals.passed + totals.failed == 0) {
      ee_add_shown(&text, "no tests in ", ee_str_from(options->operands[i]), "\n");
      add_file(&listed, "no tests");
      any_empty = true;
    }
    passed += totals.passed;
    failed += totals.failed;
  }
  ee_buffer_addf(&text, "%zu passed, %zu failed\n", passed, failed);
  if (failed > 0 || any_empty) result = 1; /* even if another file could not be run */

  ee_error error = {0};
  /* The report is not on the screen. */
  if (options->output != NULL && result != 0 && !options->quiet) fwrite(text.data, 1, text.length, stderr);
  ee_status written = listed.tests != NULL ? ee_output_write_all_tests(options->output, listed.tests, &error)
                                           : ee_output_write_all(options->output, &text, &error);
  if (written != EE_OK) {
    ee_terminal_fail(&terminal, &error);
    result = EE_ERROR_SYSTEM;
  }
  ee_terminal_annotate(&terminal, listed.annotations);
  ee_junit_free(listed.tests);
  ee_buffer_fini(&text);
  return result;
}
