/* test_collector.c: how the functions of ee.summary and ee.report are given, what is reported of them, and which need
 * a run in one piece. */
#include "judge/collector.h"

#include "judge/plan_fixture.h"

#define GOOD "{\"ee\": \"fields\", \"items\": [{\"ee\": \"exact\", \"items\": [\"a\"]}]}"
#define F(number) "{\"function\": " #number "}"
#define THREE "\"init\": " F(1) ", \"step\": " F(2) ", \"finish\": " F(3)

/* The rules with two nodes, each of `kind` with what follows; all mistakes, joined by "; ", and the plan if there are
 * none. */
static const char *compiled(fixture *f, const char *kind, const char *first, const char *second) {
  fixture_close(f);
  fixture_open(f);
  ee_buffer rules = {0};
  ee_buffer_addf(&rules, "{\"ee\": \"rules\", \"items\": [" GOOD ", {\"ee\": \"%s\", \"line\": 4, %s}", kind, first);
  if (second != NULL) ee_buffer_addf(&rules, ", {\"ee\": \"%s\", \"line\": 7, %s}", kind, second);
  ee_buffer_add_text(&rules, "]}");
  fixture_compile(f, ee_arena_copy(&f->arena, ee_buffer_terminate(&rules), rules.length + 1));
  ee_buffer_fini(&rules);
  for (size_t i = 0; i < f->errors.count; i++)
    ee_buffer_addf(&f->text, "%s%zu: %s", i > 0 ? "; " : "", f->errors.items[i].line, f->errors.items[i].message);
  return ee_buffer_terminate(&f->text);
}

typedef struct written {
  const char *first, *second, *mistakes;
} written;

static void check_all(const char *kind, const written *rows, size_t count) {
  fixture f;
  fixture_open(&f);
  for (size_t i = 0; i < count; i++) {
    const char *mistakes = compiled(&f, kind, rows[i].first, rows[i].second);
    if (strcmp(mistakes, rows[i].mistakes) != 0) fail_msg("%s: %s", rows[i].first, mistakes);
  }
  fixture_close(&f);
}

static void test_summaries(void **state) {
  (void)state;
  static const written rows[] = {
      {"\"items\": [\"s\"], " THREE, "\"items\": [\"t\"], " THREE, ""},
      {"\"items\": [\"s\", " F(1) "," F(2) "," F(3) "," F(4) "," F(5) "," F(6) "]", NULL, ""},
      {"\"items\": [\"s\", " F(1) "," F(2) "," F(3) "," F(4) "," F(5) "," F(6) "," F(7) "," F(8) "]", NULL,
       "4: ee.summary takes a name and 6 functions, got 9 values"},
      {"\"items\": [\"s\", " F(1) "], \"step\": " F(2), NULL, "4: ee.summary 's' has no function finish"},
      {"\"items\": [\"s\", " F(1) "," F(2) "], \"step\": " F(2) ", \"finish\": " F(3), NULL,
       "4: step of ee.summary is given twice: by its place and by its name"},
      {"\"items\": [\"s\", 5, " F(2) ", \"x\"]", NULL,
       "4: init of ee.summary must be a function, got a number; 4: finish of ee.summary must be a function, got a "
       "string"},
      {"\"items\": [], " THREE, NULL, "4: the first value of ee.summary must be its name, got nothing"},
      {"\"items\": [" F(1) "], " THREE, NULL, "4: the first value of ee.summary must be its name, got a function"},
      /* Without a name two are not the same. */
      {"\"items\": [\"\"], " THREE, "\"items\": [\"\"], " THREE,
       "4: the first value of ee.summary must be its name, got a string; "
       "7: the first value of ee.summary must be its name, got a string"},
      {"\"items\": [\"s\"], " THREE, "\"items\": [\"s\"], " THREE,
       "7: a second summary has the name 's' (the first is on line 4)"},
      {"\"items\": [\"s\"], " THREE ", \"save\": " F(4), NULL,
       "4: ee.summary 's' has a function save but no function load"},
      {"\"items\": [\"s\"], " THREE ", \"load\": " F(4) ", \"merge\": " F(5), NULL,
       "4: ee.summary 's' has a function load but no function save"},
      {"\"items\": [\"s\"], " THREE ", \"save\": " F(4) ", \"load\": " F(5), NULL,
       "4: ee.summary 's' has functions save and load, which need a function merge"},
  };
  check_all("summary", rows, sizeof rows / sizeof *rows);
}

static void test_reports(void **state) {
  (void)state;
  static const written rows[] = {
      {"\"items\": [\"r\"], \"case\": " F(1), "\"items\": [\"q\"], \"done\": " F(1), ""},
      {"\"items\": [\"r\", " F(1) "," F(2) "]", "\"items\": [\"q\", " F(1) "]", ""},
      {"\"items\": [\"r\", " F(1) "," F(2) "," F(3) "]", NULL,
       "4: ee.report takes a name and 2 functions, got 4 values"},
      {"\"items\": [\"r\"]", NULL, "4: ee.report 'r' has neither a function 'case' nor a function 'done'"},
      {"\"items\": [\"r\"], \"case\": " F(1), "\"items\": [\"r\"], \"done\": " F(1),
       "7: a second report has the name 'r' (the first is on line 4)"},
      {"\"items\": [], \"case\": " F(1), "\"items\": [], \"done\": " F(1),
       "4: the first value of ee.report must be its name, got nothing; "
       "7: the first value of ee.report must be its name, got nothing"},
  };
  check_all("report", rows, sizeof rows / sizeof *rows);
}

/* Functions by their place are those by their name. */
static void test_places(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  assert_string_equal(
      compiled(&f, "summary", "\"items\": [\"s\", " F(1) "," F(2) "," F(3) "," F(4) "," F(5) "," F(6) "]", NULL), "");
  const ee_summary_rule *summary = f.plan->summaries;
  const int functions[] = {summary->init, summary->step, summary->finish, summary->merge, summary->save, summary->load};
  for (int i = 0; i < 6; i++) assert_int_equal(functions[i], i + 1);
  assert_string_equal(
      compiled(&f, "report", "\"items\": [\"r\", " F(1) "," F(2) "]", "\"items\": [\"q\"], \"done\": " F(3)), "");
  const ee_report_rule *report = ee_report_rule_find(f.plan, EE_STR("r"));
  assert_true(report == f.plan->reports && report->each == 1 && report->done == 2 && report->line == 4);
  report = ee_report_rule_find(f.plan, EE_STR("q"));
  assert_true(report == f.plan->reports + 1 && report->each == EE_NO_FUNCTION && report->done == 3);
  assert_null(ee_report_rule_find(f.plan, EE_STR("s")));
  fixture_close(&f);
}

/* In parts: a summary that merges, and a report that prints no cases. */
static void test_parts(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  ee_error error = {0};
#define MERGED THREE ", \"merge\": " F(4)
  compiled(&f, "summary", "\"items\": [\"s\"], " MERGED, "\"items\": [\"t\"], " MERGED);
  assert_int_equal(ee_summaries_check_parts(f.plan, &error), EE_OK);
  ee_summary_values names = ee_summary_names(f.plan, &f.arena);
  assert_true(names.count == 2 && ee_str_is(names.items[0].name, "s") && ee_str_is(names.items[1].name, "t"));
  assert_null(names.items[1].value);
  compiled(&f, "summary", "\"items\": [\"s\"], " MERGED, "\"items\": [\"t\"], " THREE);
  assert_int_equal(ee_summaries_check_parts(f.plan, &error), EE_ERROR_RULES);
  assert_int_equal(error.line, 7);
  assert_non_null(strstr(error.message, "ee.summary 't' cannot be computed in parts without a function merge"));
  compiled(&f, "report", "\"items\": [\"r\"], \"done\": " F(1), "\"items\": [\"q\"], \"case\": " F(1));
  assert_int_equal(ee_report_check_parts(&f.plan->reports[0], &error), EE_OK);
  assert_int_equal(ee_report_check_parts(&f.plan->reports[1], &error), EE_ERROR_USAGE);
  assert_non_null(strstr(error.message, "ee.report 'q' prints text for each case"));
  fixture_close(&f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_summaries), cmocka_unit_test(test_reports),
             cmocka_unit_test(test_places), cmocka_unit_test(test_parts));
