/* rule_test.h: tests of rule files: describe, it, expect. */
#ifndef EE_LUA_RULE_TEST_H
#define EE_LUA_RULE_TEST_H

#include "base/buffer.h"
#include "judge/provider_session.h"
#include "lua/rule_file.h"
#include "run/totals.h"

/* Writes what functions that collect results get: a case's row, and the document of a run. */
typedef struct ee_rule_test_writers {
  void (*row)(const ee_case_result *result, ee_arena *scratch, ee_buffer *out);
  void (*document)(const ee_totals *totals, ee_summary_values summaries, ee_buffer *out);
} ee_rule_test_writers;

typedef struct ee_rule_test_options {
  ee_rule_file_options load;
  bool verbose;
  ee_provider_opener *open_provider; /* for rules that need a provider; NULL: requests fail */
  ee_rule_test_writers write;
  /* Called after each test: its name, and why it failed, with a place; NULL: it passed. May be NULL. */
  void (*done)(void *user, const char *name, const ee_error *failure);
  void *user;
} ee_rule_test_options;

typedef struct ee_rule_test_totals {
  size_t passed, failed;
} ee_rule_test_totals;

/* Runs the test file at `path` and appends its report to `out`: one line for each failure ("file:line: describe > it:
 * message"), with `verbose` one for each test. A file without tests passes 0 and fails 0. Fails with EE_ERROR_RULES
 * when the file itself does not load. */
ee_status ee_rule_test_run(const char *path, const ee_rule_test_options *options, ee_buffer *out,
                           ee_rule_test_totals *totals, ee_error *error);

#endif
