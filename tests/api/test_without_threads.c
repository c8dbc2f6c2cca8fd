/* test_without_threads.c: calls for whole data sets where the system refuses threads: all, those after the first ones,
 * or one. The bytes are the same, and callbacks are called on the thread of the caller. */
#include <errno.h>

#include "whole_fixture.h"

/* Creations from here on: those that are refused, a bit each, and how many were. */
static _Atomic unsigned asked, refused;
static _Atomic uint64_t refusals;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *user);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *user);

/* The linker leads every call of pthread_create() in this program here (--wrap). */
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *user) {
  unsigned number = asked++;
  if (((refusals >> (number < 63 ? number : 63)) & 1) == 0)
    return __real_pthread_create(thread, attributes, start, user);
  refused++;
  return EAGAIN;
}

static void refuse(uint64_t which) {
  asked = refused = 0;
  refusals = which;
}

/* All, all but the first, the first, the second, and every other one. */
static const uint64_t patterns[] = {UINT64_MAX, UINT64_MAX - 1, 1, 2, UINT64_C(0x5555555555555555)};
#define PATTERNS (sizeof patterns / sizeof *patterns)

/* Rows and report of a run with a reader for its data. */
static text judged(const ee_rules *rules, const text *all, uint64_t which) {
  static const char *const arguments[] = {"--detail", "full", "--jobs", "4"};
  pieces given = {*all, 0, 997, pthread_self()};
  ee_input input = {.name = INVOICES, .read = read_pieces, .user = &given};
  heard user = {0};
  ee_evaluate_options options = listening(&user);
  options.arguments = arguments;
  options.argument_count = 4;
  options.inputs = &input;
  options.input_count = 1;
  options.keep = EE_KEEP_ROWS;
  refuse(which);
  ee_result *result = evaluated(rules, INVOICES, &options);
  refusals = 0;
  assert_int_equal(refused > 0, which != 0);
  size_t length;
  const char *rows = ee_result_rows(result, &length);
  assert_int_equal(strlen(rows), length);
  assert_int_equal(length, user.rows.length);
  assert_memory_equal(rows, user.rows.data, length);
  free_text(&user.rows);
  assert_int_equal(user.cases, 68);
  text report = report_of(result, "table", NULL, 0);
  text both = {malloc(length + report.length + 1), length + report.length};
  memcpy(both.data, rows, length);
  memcpy(both.data + length, report.data, report.length + 1);
  free_text(&report);
  ee_result_free(result);
  return both;
}

static void test_the_bytes_are_the_same(void **state) {
  (void)state;
  ee_rules *rules = rules_at(INVOICE_RULES);
  text all = read_file(INVOICES);
  text wanted = judged(rules, &all, 0);
  for (size_t i = 0; i < PATTERNS; i++) {
    text found = judged(rules, &all, patterns[i]);
    assert_int_equal(found.length, wanted.length);
    assert_memory_equal(found.data, wanted.data, wanted.length);
    free_text(&found);
  }
  free_text(&wanted);
  free_text(&all);
  ee_rules_free(rules);
}

/* A callback stops the run after as many cases as with threads. */
static void test_a_run_stops(void **state) {
  (void)state;
  ee_rules *rules = rules_at(INVOICE_RULES);
  heard user = {.stop_after = 5};
  ee_evaluate_options options = listening(&user);
  ee_error error = {0};
  const char *const file = INVOICES;
  refuse(UINT64_MAX);
  ee_result *result = ee_evaluate(rules, &file, 1, &options, &error);
  assert_int_equal(user.cases, 5);
  if (result != NULL) assert_int_equal(ee_result_status(result), 130);
  ee_result_free(result);
  refuse(0);
  free_text(&user.rows);
  ee_rules_free(rules);
}

static void test_merging_and_comparing(void **state) {
  (void)state;
  ee_rules *rules = rules_at(INVOICE_RULES);
  ee_evaluate_options keep = {.size = sizeof keep, .keep = EE_KEEP_ROWS | EE_KEEP_STATE};
  ee_result *run = evaluated(rules, INVOICES, &keep);
  ee_input part = {.name = "part"}, runs[2] = {{.name = "a"}, {.name = "b"}};
  part.text = ee_result_state(run, &part.length);
  for (int i = 0; i < 2; i++) runs[i].text = ee_result_rows(run, &runs[i].length);
  ee_error error = {0};
  text wanted[2] = {{0}};
  for (size_t i = 0; i <= PATTERNS; i++) {
    for (int k = 0; k < 2; k++) {
      refuse(i > 0 ? patterns[i - 1] : 0);
      ee_result *result = k == 0 ? ee_merge(rules, &part, 1, NULL, &error) : ee_compare(runs, 2, NULL, &error);
      if (result == NULL) fail_msg("%s", error.message);
      text report = report_of(result, "table", NULL, 0);
      refuse(0);
      ee_result_free(result);
      if (i == 0) {
        wanted[k] = report;
        continue;
      }
      assert_string_equal(report.data, wanted[k].data);
      free_text(&report);
    }
  }
  for (int k = 0; k < 2; k++) free_text(&wanted[k]);
  ee_result_free(run);
  ee_rules_free(rules);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_the_bytes_are_the_same), cmocka_unit_test(test_a_run_stops),
             cmocka_unit_test(test_merging_and_comparing));
