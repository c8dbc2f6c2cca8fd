/* test_plan.c: rule trees to plans: every mistake is named, and one case goes through all judges. */
#include "judge/plan_fixture.h"

#include "base/fixed.h"
#include "judge/aggregate.h"
#include "support/random.h"

/* Mistakes ----------------------------------------------------------------------------------------------------------
 */

static void test_what_stands_in_rules(void **state) {
  (void)state;
  check_mistakes("{\"ee\": \"rules\"}", "1: ee.rules has no judge");
  check_mistakes("{\"ee\": \"fields\"}", "1: a rule file returns ee.rules { ... }, this one returns ee.fields");
  check_mistakes("{\"x\": 1}", "1: a rule file returns ee.rules { ... }, this one returns a table");
  check_mistakes("{\"ee\": \"rules\", \"items\": [{\"ee\": \"exact\", \"line\": 2, \"items\": [\"a\"]}]}",
                 "2: ee.exact is outside of a judge: put it into ee.fields { ... }");
  check_mistakes("{\"ee\": \"rules\", \"items\": [{\"ee\": \"feilds\", \"line\": 2}, {\"ee\": \"rules\", \"line\": 3},"
                 " {\"ee\": \"strategy\", \"line\": 4}, 7, {\"function\": 0}]}",
                 "1: ee.rules takes judges, gates, summaries and reports, item 4 is a number",
                 "1: ee.rules takes judges, gates, summaries and reports, item 5 is a function (did you mean 'ee.judge "
                 "{ \"name\", function }'?)",
                 "2: unknown judge 'feilds' (did you mean 'fields'?)", "3: ee.rules is inside ee.rules",
                 "4: ee.strategy only defines a strategy: call the function that it returns inside ee.fields { ... }");
}

#define GOOD "{\"ee\": \"fields\", \"line\": 2, \"items\": [{\"ee\": \"exact\", \"line\": 3, \"items\": [\"a\"]}]}"

static void test_options_of_rules(void **state) {
  (void)state;
  check_mistakes(
      "{\"ee\": \"rules\", \"items\": [" GOOD "], \"nmae\": \"x\", \"score\": 3, \"empty\": \"container\","
      "\"null_values\": [\"-\", 1], \"verdict\": {\"pass\": 0.5, \"borderline\": 0.7},"
      "\"case\": {\"idd\": \"x\"}, \"slices\": [\"a[\", \"b[*]\", \"c\", \"c\"]}",
      "1: option 'empty' of ee.rules must be one of 'blank', 'containers', 'none', got 'container' (did you mean "
      "'containers'?)",
      "1: unknown option 'nmae' for ee.rules (did you mean 'name'?)",
      "1: option 'null_values' of ee.rules must be an array of strings, but item 2 is a number",
      "1: option 'score' of ee.rules must be a function, got a number",
      "1: unknown option 'idd' for case (did you mean 'id'?)", "1: slices: unclosed '[' in path 'a['",
      "1: slices: 'b[*]' may name several values; the path must name one", "1: slices lists 'c' twice",
      "1: verdict has borderline 0.7 above pass 0.5");
  check_mistakes("{\"ee\": \"rules\", \"items\": [" GOOD "], \"case\": {\"id\": \"\", \"expected\": \"a[*]\"},"
                 "\"verdict\": {\"pass\": 1.5}, \"score\": \"mean\"}",
                 "1: option 'score' of ee.rules must be a function, got a string",
                 "1: bad path in option 'id' of case: empty path",
                 "1: option 'pass' of verdict must be between 0 and 1, got 1.5");
  check_mistakes(
      "{\"ee\": \"rules\", \"items\": [" GOOD "], \"case\": {\"items\": [\"a\"], \"id\": \"x\"}, \"verdict\": [1]}",
      "1: case takes id, expected_id, expected, candidate, candidates, trial and records by name, got a string",
      "1: verdict takes pass and borderline by name, got a number");
}

static void test_judges(void **state) {
  (void)state;
  check_mistakes("{\"ee\": \"rules\", \"items\": [" GOOD ", " GOOD "]}",
                 "2: a second judge of type 'fields' needs a name (the first is on line 2)");
  check_mistakes(
      "{\"ee\": \"rules\", \"items\": ["
      "{\"ee\": \"fields\", \"line\": 2, \"name\": \"x\", \"items\": [{\"ee\": \"exact\", \"items\": [\"a\"]}]},"
      "{\"ee\": \"judge\", \"line\": 9, \"items\": [\"x\", {\"function\": 0}]}]}",
      "9: a second judge has the name 'x' (the first is on line 2)");
  check_mistakes(
      "{\"ee\": \"rules\", \"items\": [{\"ee\": \"fields\", \"line\": 2, \"weight\": 0, \"items\": [{\"ee\": "
      "\"exact\", \"items\": [\"a\"]}]}]}",
      "1: the weights of the judges sum to 0");
  check_mistakes("{\"ee\": \"rules\", \"items\": [{\"ee\": \"fields\", \"line\": 2, \"weight\": -1, \"name\": \"\","
                 "\"verdict\": {\"borderline\": 0.9}, \"items\": [{\"ee\": \"exact\", \"items\": [\"a\"]}]}]}",
                 "2: option 'weight' of ee.fields must be at least 0, got -1", "2: the name of ee.fields is empty",
                 "2: verdict has borderline 0.9 above pass 0.8");
}

static void test_fields(void **state) {
  (void)state;
  check_mistakes("{\"ee\": \"rules\", \"items\": [{\"ee\": \"fields\", \"line\": 2}]}", "2: ee.fields has no fields");
  check_mistakes(
      "{\"ee\": \"rules\", \"items\": [{\"ee\": \"fields\", \"line\": 2, \"aggregate\": \"mean\", \"items\": ["
      "\"total\", 3, {\"ee\": \"gate\", \"line\": 3},"
      "{\"ee\": \"exact\", \"line\": 4, \"items\": [\"a\"]}, {\"ee\": \"fuzzy\", \"line\": 5, \"items\": [\"a\"]},"
      "{\"ee\": \"exact\", \"line\": 6, \"items\": [\"b\"], \"name\": \"a\"},"
      "{\"ee\": \"exact\", \"line\": 7, \"items\": [\"a\"], \"name\": \"c\", \"weight\": -2}]}]}",
      "2: option 'aggregate' of ee.fields must be one of 'weighted_average', 'all_or_nothing', 'macro_f1', 'micro_f1' "
      "or a "
      "function, got 'mean'",
      "2: 'total' has no strategy in ee.fields (did you mean 'ee.exact \"total\"'?)",
      "2: a number instead of a strategy in ee.fields", "3: ee.gate is inside ee.fields, which takes strategies",
      "5: the path 'a' occurs twice in ee.fields, on line 4 and on line 5 (give one of them a 'name')",
      "6: the name 'a' occurs twice in ee.fields, on line 4 and on line 6 (give one of them a 'name')",
      "7: option 'weight' of ee.exact must be at least 0, got -2");
  check_mistakes("{\"ee\": \"rules\", \"items\": [{\"ee\": \"fields\", \"line\": 2, \"items\": ["
                 "{\"ee\": \"exact\", \"items\": [\"a\"], \"weight\": 0}, {\"ee\": \"exact\", \"items\": [\"b\"], "
                 "\"weight\": 0}]}]}",
                 "2: the weights of ee.fields sum to 0");
  check_mistakes(
      "{\"ee\": \"rules\", \"items\": [{\"ee\": \"fields\", \"line\": 2, \"items\": ["
      "{\"ee\": \"exact\", \"items\": [\"a\"], \"weight\": 1e308}, {\"ee\": \"exact\", \"items\": [\"b\"], \"weight\": "
      "1e308}]}]}",
      "2: the weights of ee.fields are too large: their sum is infinite");
  /* ee.ignore takes a field out again, and the same path under two names is two fields. */
  check_mistakes("{\"ee\": \"rules\", \"items\": [{\"ee\": \"fields\", \"line\": 2, \"items\": ["
                 "{\"ee\": \"exact\", \"items\": [\"a\"]}, {\"ee\": \"ignore\", \"items\": [\"a\"]}]}]}",
                 "2: ee.fields has no fields");
  fixture f;
  fixture_open(&f);
  fixture_rules(
      &f, "{\"ee\": \"rules\", \"items\": [{\"ee\": \"fields\", \"items\": ["
          "{\"ee\": \"exact\", \"items\": [\"a\"]}, {\"ee\": \"exact\", \"items\": [\"a\"], \"name\": \"again\"}]}]}");
  assert_int_equal(f.plan->judges[0]->attribute_count, 2);
  fixture_close(&f);
}

/* Every field whose name an earlier one has is reported with the first such line: against a plain search. */
static void test_names_that_occur_twice(void **state) {
  (void)state;
  enum { FIELDS = 400, ROUNDS = 20 };
  test_random random = test_random_start("names", 24);
  for (int round = 0; round < ROUNDS; round++) {
    size_t names = 1 + test_random_below(&random, FIELDS);
    char text[FIELDS][24], path[FIELDS][24];
    char *wanted[FIELDS + 1] = {NULL};
    size_t mistakes = 0;
    bool named[FIELDS], ignored[FIELDS];
    ee_buffer rules = {0};
    ee_buffer_add_text(&rules, "{\"ee\": \"rules\", \"items\": [{\"ee\": \"fields\", \"items\": [");
    for (size_t i = 0; i < FIELDS; i++) {
      named[i] = test_random_below(&random, 3) == 0;
      ignored[i] = test_random_below(&random, 20) == 0;
      snprintf(path[i], sizeof path[i], "p%zu", test_random_below(&random, names));
      snprintf(text[i], sizeof text[i], "%s%zu", named[i] ? "n" : "p", test_random_below(&random, names));
      if (!named[i] || ignored[i]) memcpy(text[i], path[i], sizeof text[i]);
      ee_buffer_addf(&rules, "%s{\"ee\": \"%s\", \"line\": %zu, \"items\": [\"%s\"]", i > 0 ? ", " : "",
                     ignored[i] ? "ignore" : "exact", i + 2, path[i]);
      if (named[i] && !ignored[i]) ee_buffer_addf(&rules, ", \"name\": \"%s\"", text[i]);
      ee_buffer_add_text(&rules, "}");
      size_t first = 0;
      while (first < i && (ignored[first] || strcmp(text[first], text[i]) != 0)) first++;
      if (ignored[i] || first == i) continue;
      char message[200];
      snprintf(message, sizeof message,
               "%zu: the %s '%s' occurs twice in ee.fields, on line %zu and on line %zu (give one of them a 'name')",
               i + 2, strcmp(path[first], path[i]) == 0 ? "path" : "name", text[i], first + 2, i + 2);
      wanted[mistakes++] = strdup(message);
    }
    ee_buffer_add_text(&rules, ", {\"ee\": \"exact\", \"items\": [\"kept\"]}]}]}");
    fixture f;
    fixture_open(&f);
    const ee_plan *plan = fixture_compile(&f, ee_buffer_terminate(&rules));
    assert_int_equal(plan == NULL, mistakes > 0);
    fixture_check_errors(&f, (const char *const *)wanted);
    fixture_close(&f);
    for (size_t i = 0; i < mistakes; i++) free(wanted[i]);
    ee_buffer_fini(&rules);
  }
}

/* ee.ignore takes out exactly the fields of its paths. */
static void test_paths_that_are_ignored(void **state) {
  (void)state;
  enum { FIELDS = 300 };
  test_random random = test_random_start("ignored", 25);
  for (int round = 0; round < 20; round++) {
    bool ignored[FIELDS] = {false};
    size_t kept = FIELDS;
    ee_buffer rules = {0};
    ee_buffer_add_text(&rules, "{\"ee\": \"rules\", \"items\": [{\"ee\": \"fields\", \"items\": [");
    for (size_t i = 0; i < FIELDS; i++) {
      ee_buffer_addf(&rules, "{\"ee\": \"exact\", \"items\": [\"p%zu\"]}, ", i);
      size_t other = test_random_below(&random, FIELDS);
      if (i % 3 != 0) continue;
      ee_buffer_addf(&rules, "{\"ee\": \"ignore\", \"items\": [\"p%zu\"]}, ", other);
      kept -= !ignored[other];
      ignored[other] = true;
    }
    ee_buffer_add_text(&rules, "{\"ee\": \"ignore\", \"items\": [\"none\"]}]}]}");
    fixture f;
    fixture_open(&f);
    fixture_rules(&f, ee_buffer_terminate(&rules));
    const ee_judge *judge = f.plan->judges[0];
    assert_int_equal(judge->attribute_count, kept);
    size_t at = 0;
    for (size_t i = 0; i < FIELDS; i++) {
      if (ignored[i]) continue;
      char name[24];
      snprintf(name, sizeof name, "p%zu", i);
      assert_true(ee_str_is(judge->attributes[at++].name, name));
    }
    fixture_close(&f);
    ee_buffer_fini(&rules);
  }
}

static void test_script_judges(void **state) {
  (void)state;
  check_mistakes("{\"ee\": \"rules\", \"items\": [{\"ee\": \"judge\", \"line\": 2, \"items\": [\"sums\"]},"
                 "{\"ee\": \"judge\", \"line\": 3, \"items\": [{\"function\": 0}, {\"function\": 1}]},"
                 "{\"ee\": \"judge\", \"line\": 4, \"items\": [\"x\", {\"function\": 2}], \"name\": \"y\"},"
                 "{\"ee\": \"judge\", \"line\": 5, \"items\": [\"\", {\"function\": 2}]}]}",
                 "2: ee.judge 'sums' has no function (write ee.judge { \"name\", function(case) ... end })",
                 "3: ee.judge takes a name and one function, got also a function", "4: ee.judge has two names",
                 "5: the name of ee.judge is empty");
  fixture f;
  fixture_open(&f);
  const ee_rule_node *root = fixture_spec(
      &f,
      fixture_json(&f.arena,
                   "{\"ee\": \"rules\", \"items\": [{\"ee\": \"judge\", \"items\": [\"x\", {\"function\": 0}]}]}"),
      1);
  assert_null(ee_plan_compile(&f.arena, root, NULL, NULL, &f.errors));
  fixture_check_errors(&f, (const char *const[]){"1: the tree has functions, but no script to call them", NULL});
  fixture_close(&f);
}

static void test_line_items(void **state) {
  (void)state;
  check_mistakes("{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"line\": 2, \"items\": [3]}]}",
                 "2: ee.line_items takes a path (a string) as its first value, got a number");
  check_mistakes(
      "{\"ee\": \"rules\", \"items\": ["
      "{\"ee\": \"line_items\", \"line\": 2, \"items\": [\"x[*]\"], \"match\": 3},"
      "{\"ee\": \"line_items\", \"line\": 3, \"name\": \"c\", \"items\": [\"x\", {\"ee\": \"exact\", \"items\": "
      "[\"a[*]\"]}],"
      " \"match\": {\"items\": [\"a\", \"a\"], \"threshold\": 2, \"method\": \"best\"}},"
      "{\"ee\": \"line_items\", \"line\": 4, \"name\": \"d\", \"items\": [\"x\"], \"match\": {\"method\": \"optimal\", "
      "\"max_pairs\": -9}},"
      "{\"ee\": \"line_items\", \"line\": 5, \"name\": \"e\", \"items\": [\"x\"], \"match\": {\"method\": \"key\"}},"
      "{\"ee\": \"line_items\", \"line\": 6, \"name\": \"f\", \"items\": [\"x\"], \"match\": {\"method\": \"index\", "
      "\"items\": "
      "[\"a\"], \"threshold\": 0.5, \"key\": \"b\"}},"
      "{\"ee\": \"line_items\", \"line\": 7, \"name\": \"g\", \"items\": [\"x\"], \"match\": {\"items\": [\"a\", 3, "
      "{\"function\": 1},"
      " {\"ee\": \"gate\", \"line\": 8}, {\"ee\": \"ignore\", \"line\": 9, \"items\": [\"b\"]}], \"similarity\": "
      "{\"function\": 2}}},"
      "{\"ee\": \"line_items\", \"line\": 10, \"name\": \"h\", \"items\": [\"x\"], \"match\": {\"key\": true}},"
      "{\"ee\": \"line_items\", \"line\": 11, \"name\": \"i\", \"items\": [\"x\"], \"match\": \"a[\"}]}",
      "2: option 'match' of ee.line_items must be a string or a table, got a number",
      "2: ee.line_items: path 'x[*]' has a [*], which only ee.fields takes",
      "3: path 'a[*]' has a [*], which only ee.fields takes",
      "3: option 'method' of match must be one of 'greedy', 'optimal', 'key', 'index', got 'best'",
      "3: option 'threshold' of match must be between 0 and 1, got 2", "3: match of ee.line_items has 'a' twice",
      "4: option 'max_pairs' of match must be between 1 and 1000000000000000, got -9",
      "5: method 'key' of match needs option 'key'", "6: option 'key' of match belongs to method 'key', not to 'index'",
      "7: match of ee.line_items takes fields and strategies, item 2 is a number",
      "7: match of ee.line_items takes fields and strategies, item 3 is a function (did you mean 'similarity = "
      "function'?)",
      "7: match of ee.line_items must have fields or a similarity function, not both",
      "8: match of ee.line_items takes fields and strategies, got ee.gate",
      "9: ee.ignore is not allowed in match of ee.line_items",
      "10: option 'key' of match must be a field (a string) or a function, got a boolean",
      "11: match of ee.line_items: unclosed '[' in path 'a['");
}

static void test_gates(void **state) {
  (void)state;
#define JUDGES                                                                                                         \
  "{\"ee\": \"fields\", \"name\": \"header\", \"items\": [{\"ee\": \"exact\", \"items\": [\"total\"]}]},"              \
  "{\"ee\": \"line_items\", \"items\": [\"x\"]},"
  check_mistakes(
      "{\"ee\": \"rules\", \"items\": [" JUDGES
      "{\"ee\": \"gate\", \"line\": 3, \"judge\": \"heder\", \"metric\": \"macro_f1\"},"
      "{\"ee\": \"gate\", \"line\": 4, \"judge\": \"header\", \"field\": \"totl\", \"metric\": \"f1\", \"min\": 0.9, "
      "\"max\": 0.1},"
      "{\"ee\": \"gate\", \"line\": 5, \"judge\": \"header\", \"metric\": \"macro_f2\", \"min\": 2},"
      "{\"ee\": \"gate\", \"line\": 6, \"min\": 0.5, \"min_support\": 1.5, \"items\": [1]},"
      "{\"ee\": \"gate\", \"line\": 7, \"judge\": \"\", \"metric\": \"mean_score\", \"min\": \"x\"},"
      "{\"ee\": \"gate\", \"line\": 8, \"judge\": \"header\", \"metric\": \"mean_score\", \"mini\": 0.5}]}",
      "3: ee.gate has neither 'min' nor 'max'", "3: ee.gate: unknown judge 'heder' (did you mean 'header'?)",
      "4: ee.gate has a 'min' above its 'max', so nothing can pass",
      "4: ee.gate: unknown field 'totl' of judge 'header' (did you mean 'total'?)",
      "5: option 'min' of ee.gate must be between 0 and 1, got 2",
      "5: ee.gate: unknown metric 'macro_f2' (did you mean 'macro_f1'?)",
      "6: ee.gate takes named options only, got a number", "6: option 'min_support' of ee.gate must be an integer",
      "6: ee.gate has no metric", "7: option 'min' of ee.gate must be a number, got a string",
      "7: option 'judge' of ee.gate is empty", "8: unknown option 'mini' for ee.gate (did you mean 'min'?)",
      "8: ee.gate has neither 'min' nor 'max'");
  fixture f;
  fixture_open(&f);
  fixture_rules(&f,
                "{\"ee\": \"rules\", \"items\": ["
                "{\"ee\": \"gate\", \"judge\": \"header\", \"field\": \"total\", \"metric\": \"f1\", \"min\": 0.95, "
                "\"min_support\": 20}," JUDGES
                "{\"ee\": \"gate\", \"judge\": \"line_items\", \"field\": \"any\", \"metric\": \"recall\", \"max\": 1},"
                "{\"ee\": \"gate\", \"metric\": \"pass_rate\", \"min\": 0.5}]}");
  assert_int_equal(f.plan->gate_count, 3);
  assert_int_equal(f.plan->gates[0].metric, EE_GATE_F1);
  assert_true(f.plan->gates[0].has_min && !f.plan->gates[0].has_max);
  assert_true(f.plan->gates[0].min == 0.95);
  assert_int_equal(f.plan->gates[0].min_support, 20);
  assert_int_equal(f.plan->gates[1].metric, EE_GATE_RECALL);
  assert_int_equal(f.plan->gates[2].metric, EE_GATE_PASS_RATE);
  fixture_close(&f);
}

/* The choices of the row and the names of the enum are one list. */
static void test_whole_numbers_of_gates(void **state) {
  (void)state;
  static const char *const names[] = {"min_support"};
  static const struct {
    const char *value, *mistake;
  } values[] = {{"0.5", "an integer"}, {"1.5", "an integer"}, {"-0.5", "between 0 and 1000000000000000, got -0.5"},
                {"0", NULL},           {"1", NULL},           {"1000", NULL}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
      char rules[300], message[120];
      snprintf(rules, sizeof rules,
               "{\"ee\": \"rules\", \"items\": [" GOOD ", {\"ee\": \"gate\", \"line\": 7, \"metric\": \"mean_score\", "
               "\"min\": 0.5, \"%s\": %s}]}",
               names[i], values[k].value);
      fixture f;
      fixture_open(&f);
      bool good = fixture_compile(&f, rules) != NULL;
      if (values[k].mistake == NULL) {
        if (!good) fail_msg("%s = %s: %s", names[i], values[k].value, f.errors.items[0].message);
      } else {
        snprintf(message, sizeof message, "7: option '%s' of ee.gate must be %s", names[i], values[k].mistake);
        fixture_check_errors(&f, (const char *const[]){message, NULL});
      }
      fixture_close(&f);
    }
  }
}

static void test_gate_metrics(void **state) {
  (void)state;
  for (size_t metric = 0; ee_gate_metric_names[metric] != NULL; metric++) {
    bool of_field = ee_gate_metric_is_of_field((ee_gate_metric)metric);
    bool of_document =
        metric == EE_GATE_STRAIGHT_THROUGH || metric == EE_GATE_CORRECTIONS || metric == EE_GATE_CASE_PASS_RATE;
    bool has_k = metric == EE_GATE_PASS_AT_K || metric == EE_GATE_PASS_ALL_K;
    char rules[512];
    snprintf(rules, sizeof rules,
             "{\"ee\": \"rules\", \"items\": [" GOOD ", {\"ee\": \"gate\", %s%s%s\"metric\": \"%s\", \"max\": 1}]}",
             of_document ? "" : "\"judge\": \"fields\", ", of_field ? "\"field\": \"a\", " : "",
             has_k ? "\"k\": 2, " : "", ee_gate_metric_names[metric]);
    fixture f;
    fixture_open(&f);
    fixture_rules(&f, rules);
    assert_int_equal(f.plan->gates[0].metric, metric);
    fixture_close(&f);
  }
}

/* Plans -------------------------------------------------------------------------------------------------------------
 */

static const char *const invoice =
    "{\"ee\": \"rules\", \"name\": \"invoice\", \"null_values\": [\" N/A \"], \"empty\": \"containers\","
    "\"case\": {\"id\": \"id\", \"expected\": \"truth\", \"candidate\": \"answer\"}, \"slices\": [\"meta.language\"], "
    "\"items\": ["
    "{\"ee\": \"fields\", \"name\": \"header\", \"weight\": 3, \"verdict\": {\"pass\": 0.5}, \"items\": ["
    "{\"ee\": \"exact\", \"items\": [\"number\"]}, {\"ee\": \"custom\", \"items\": [\"vat\", {\"function\": 0}]}]},"
    "{\"ee\": \"line_items\", \"items\": [\"lines\", {\"ee\": \"numeric\", \"items\": [\"total\"], \"tolerance\": "
    "0.01}]},"
    "{\"ee\": \"gate\", \"judge\": \"header\", \"field\": \"vat\", \"metric\": \"f1\", \"min\": 0.95, \"min_support\": "
    "20},"
    "{\"ee\": \"gate\", \"metric\": \"mean_score\", \"min\": 0.5, \"max\": 0.9}]}";

static void test_compiled(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, invoice);
  const ee_plan *plan = f.plan;
  assert_true(ee_str_is(plan->name, "invoice"));
  assert_string_equal(plan->file, "rules.lua");
  assert_true(ee_str_is(plan->paths.expected.items[0]->text, "truth"));
  assert_int_equal(plan->empty.null_value_count, 1);
  assert_true(ee_str_is(plan->empty.null_values[0], "N/A"));
  assert_true(plan->empty.containers);
  assert_int_equal(plan->judge_count, 2);
  assert_true(plan->judges[0]->weight == 3);
  assert_true(plan->judges[0]->verdict.pass == 0.5 && plan->judges[0]->verdict.borderline == 0.5);
  assert_true(plan->judges[1]->verdict.pass == 0.8 && plan->judges[1]->verdict.borderline == 0.6);
  assert_true(plan->needs_script && plan->judges[0]->calls_script && !plan->judges[1]->calls_script);
  ee_plan_print(plan, &f.text);
  assert_string_equal(ee_buffer_terminate(&f.text),
                      "rules invoice (rules.lua)\n"
                      "case id=id expected=truth candidate=answer\n"
                      "empty: blank, \"N/A\", [] and {}\n"
                      "slice meta.language\n"
                      "judge header (fields), weight 3, pass 0.5, borderline 0.5\n"
                      "  aggregate weighted_average\n"
                      "  number  exact  weight 1\n"
                      "  vat  custom(function)  weight 1  (calls Lua)\n"
                      "judge line_items (line_items), weight 1, pass 0.8, borderline 0.6\n"
                      "  list lines\n"
                      "  match description, threshold 0.8, method greedy\n"
                      "  total  numeric(tolerance = 0.01)  weight 1\n"
                      "gate header vat f1 >= 0.95, from 20 units on\n"
                      "gate mean_score >= 0.5 <= 0.9\n"
                      "score weighted mean of the judges\n"
                      "calls Lua: header\n");
  fixture_close(&f);
}

static void test_defaults(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, "{\"ee\": \"rules\", \"verdict\": {\"pass\": 0.9, \"borderline\": 0.1}, \"items\": [" GOOD "]}");
  assert_true(ee_str_is(f.plan->name, "rules"));
  assert_int_equal(f.plan->paths.id.count, 0);
  assert_false(f.plan->needs_script || f.plan->empty.containers);
  assert_true(f.plan->judges[0]->verdict.pass == 0.9 && f.plan->judges[0]->verdict.borderline == 0.1);
  assert_true(ee_str_is(f.plan->judges[0]->name, "fields"));
  fixture_close(&f);
}

/* Judging -----------------------------------------------------------------------------------------------------------
 */

static void test_case_score(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(
      &f, "{\"ee\": \"rules\", \"items\": ["
          "{\"ee\": \"fields\", \"name\": \"x\", \"weight\": 3, \"items\": [{\"ee\": \"exact\", \"items\": [\"a\"]}]},"
          "{\"ee\": \"fields\", \"name\": \"y\", \"items\": [{\"ee\": \"exact\", \"items\": [\"b\"]}]}]}");
  fixture_judge_case(&f, "{\"a\": 1, \"b\": 2}", "{\"a\": 1, \"b\": 3}");
  assert_true(f.result.score == 0.75);
  assert_int_equal(f.result.verdict, EE_VERDICT_BORDERLINE);
  assert_int_equal(f.result.judges[0].verdict, EE_VERDICT_PASS);
  assert_int_equal(f.result.judges[1].verdict, EE_VERDICT_FAIL);
  assert_true(f.result.expected_hash == ee_value_hash(f.current.expected));
  assert_int_equal(f.result.judge_count, 2);
  assert_int_equal(f.result.rule_errors, 0);
  assert_ptr_equal(f.result.source, &f.current);
  fixture_judge_case(&f, "{\"a\": 1, \"b\": 2}", "{\"b\": 2.0, \"a\": 1}");
  assert_true(f.result.score == 1);
  fixture_judge_case(&f, "{\"a\": 1, \"b\": 2}", NULL);
  assert_true(f.result.score == 0);
  fixture_close(&f);
}

static ee_status half_of_second(const ee_script_part *parts, size_t count, double *result, ee_error *error) {
  (void)error;
  assert_int_equal(count, 2);
  assert_true(ee_str_is(parts[1].name, "y"));
  assert_true(parts[0].weight == 3 && parts[0].scored);
  assert_int_equal(parts[0].counts.fn, 1);
  *result = parts[1].score / 2;
  return EE_OK;
}
static ee_status raise_error(const ee_script_part *parts, size_t count, double *result, ee_error *error) {
  (void)parts, (void)count, (void)result;
  return ee_error_at(error, EE_ERROR_RULES, "rules.lua", 7, 0, "attempt to index a nil value");
}
static ee_status answer_two(const ee_script_part *parts, size_t count, double *result, ee_error *error) {
  (void)parts, (void)count, (void)error;
  *result = 2;
  return EE_OK;
}

static void test_score_function(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(
      &f, "{\"ee\": \"rules\", \"score\": {\"function\": 0}, \"items\": ["
          "{\"ee\": \"fields\", \"name\": \"x\", \"weight\": 3, \"items\": [{\"ee\": \"exact\", \"items\": [\"a\"]}]},"
          "{\"ee\": \"fields\", \"name\": \"y\", \"items\": [{\"ee\": \"exact\", \"items\": [\"b\"]}]}]}");
  assert_true(f.plan->needs_script);
  f.script.aggregate = half_of_second;
  fixture_judge_case(&f, "{\"a\": 1, \"b\": 2}", "{\"b\": 2}");
  assert_true(f.result.score == 0.5);
  assert_int_equal(f.script.begun, 1);
  f.script.aggregate = raise_error;
  fixture_judge_case(&f, "{\"a\": 1, \"b\": 2}", "{\"b\": 2}");
  assert_true(f.result.score == 0);
  assert_int_equal(f.result.rule_errors, 1);
  assert_int_equal(f.rule_errors.count, 1);
  assert_string_equal(f.rule_errors.items[0].message, "attempt to index a nil value (case 'inv-001')");
  f.script.aggregate = answer_two;
  fixture_judge_case(&f, "{\"a\": 1, \"b\": 2}", "{\"b\": 2}");
  assert_true(f.result.score == 0);
  assert_int_equal(f.result.rule_errors, 1);
  ee_buffer_clear(&f.text);
  ee_plan_print(f.plan, &f.text);
  assert_non_null(strstr(ee_buffer_terminate(&f.text), "score by a function  (calls Lua)\ncalls Lua: score\n"));
  fixture_close(&f);
}

/* Aggregates --------------------------------------------------------------------------------------------------------
 */

static ee_aggregate_result aggregate(ee_aggregate_kind kind, const ee_script_part *parts, size_t count) {
  ee_context context = {0};
  return ee_aggregate_parts(&(ee_aggregate){.kind = kind, .function = EE_NO_FUNCTION}, &context, parts, count);
}

static void test_aggregates(void **state) {
  (void)state;
  ee_script_part parts[] = {{.scored = true, .score = 1, .weight = 3, .counts = {.tp = 1}},
                            {.scored = true, .score = 0.5, .weight = 1, .counts = {.fp = 1, .fn = 1}},
                            {.scored = false, .score = 0, .weight = 8, .counts = {.fn = 1}},
                            {.scored = true, .score = 1, .weight = 0, .counts = {.tn = 1}}};
  assert_true(aggregate(EE_AGGREGATE_WEIGHTED_AVERAGE, parts, 4).score == 0.875);
  assert_true(aggregate(EE_AGGREGATE_ALL_OR_NOTHING, parts, 4).score == 0);
  assert_true(aggregate(EE_AGGREGATE_ALL_OR_NOTHING, parts, 1).score == 1);
  assert_true(aggregate(EE_AGGREGATE_MACRO_F1, parts, 4).score == ee_fixed_mean(ee_fixed_from(1), 3));
  /* Nothing scored: an FN costs everything, nothing at all is vacuous. */
  assert_true(aggregate(EE_AGGREGATE_WEIGHTED_AVERAGE, parts + 2, 2).score == 0);
  assert_false(aggregate(EE_AGGREGATE_WEIGHTED_AVERAGE, parts + 2, 2).vacuous);
  assert_true(aggregate(EE_AGGREGATE_ALL_OR_NOTHING, parts + 2, 2).score == 0);
  for (ee_aggregate_kind kind = EE_AGGREGATE_WEIGHTED_AVERAGE; kind <= EE_AGGREGATE_MACRO_F1; kind++) {
    assert_true(aggregate(kind, parts + 3, 1).score == 1 && aggregate(kind, parts + 3, 1).vacuous);
    assert_true(aggregate(kind, NULL, 0).score == 1 && aggregate(kind, NULL, 0).vacuous);
  }
}

static void test_verdicts(void **state) {
  (void)state;
  ee_verdict_limits limits = {.pass = 0.8, .borderline = 0.6};
  assert_int_equal(ee_verdict_of(0.8, limits), EE_VERDICT_PASS);
  assert_int_equal(ee_verdict_of(0.7999999, limits), EE_VERDICT_BORDERLINE);
  assert_int_equal(ee_verdict_of(0.6, limits), EE_VERDICT_BORDERLINE);
  /* Means of decimals that are 0.8 and 0.6, and a rounding short of it. */
  double sum = 0.1 + 0.4 + 0.7;
  assert_true(sum / (sum + 0.3) < 0.8);
  assert_int_equal(ee_verdict_of(sum / (sum + 0.3), limits), EE_VERDICT_PASS);
  assert_int_equal(ee_verdict_of(0x1.3333333333332p-1, limits), EE_VERDICT_BORDERLINE);
  assert_int_equal(ee_verdict_of(0.5999999, limits), EE_VERDICT_FAIL);
  assert_string_equal(ee_verdict_name(EE_VERDICT_PASS), "pass");
  assert_string_equal(ee_verdict_name(EE_VERDICT_BORDERLINE), "borderline");
  assert_string_equal(ee_verdict_name(EE_VERDICT_FAIL), "fail");
}

/* A gate's slice that is nearly one of 'slices' is probably meant to be that one, be it the first or the last. */
static void test_slices_of_gates(void **state) {
  (void)state;
  static const struct {
    const char *slice, *meant;
  } facts[] = {{"meta.languge", "meta.language"},
               {"meta.suplier", "meta.supplier"},
               {"zzz", NULL},
               {"meta.language", NULL},
               {"meta.supplier", NULL}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    fixture f;
    fixture_open(&f);
    fixture_rules(&f, ee_arena_printf(&f.arena,
                                      "{\"ee\": \"rules\", \"slices\": [\"meta.language\", \"meta.supplier\"], "
                                      "\"items\": [" GOOD ", {\"ee\": \"gate\", \"line\": 7, \"metric\": "
                                      "\"mean_score\", \"min\": 0.5, \"slice\": \"%s\"}]}",
                                      facts[i].slice));
    assert_int_equal(f.plan->warning_count, facts[i].meant != NULL);
    if (facts[i].meant != NULL) {
      assert_string_equal(f.plan->warnings[0].message,
                          ee_arena_printf(&f.arena,
                                          "ee.gate has a slice '%s' that is not in 'slices' (did you mean '%s'?)",
                                          facts[i].slice, facts[i].meant));
      assert_int_equal(f.plan->warnings[0].line, 7);
    }
    fixture_close(&f);
  }
}

static void test_summaries(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, "{\"ee\": \"rules\", \"items\": [" GOOD ", {\"ee\": \"summary\", \"line\": 5, \"items\": [\"s\"], "
                    "\"init\": {\"function\": 1}, \"step\": {\"function\": 2}, \"finish\": {\"function\": 3}, "
                    "\"merge\": {\"function\": 4}, \"save\": {\"function\": 5}, \"load\": {\"function\": 6}}]}");
  assert_int_equal(f.plan->summary_count, 1);
  const ee_summary_rule *summary = &f.plan->summaries[0];
  assert_true(ee_str_is(summary->name, "s"));
  assert_int_equal(summary->line, 5);
  const int functions[] = {summary->init, summary->step, summary->finish, summary->merge, summary->save, summary->load};
  for (int i = 0; i < 6; i++) assert_int_equal(functions[i], i + 1);
  fixture_close(&f);
  /* The first three are needed, the others are not. */
  check_mistakes("{\"ee\": \"rules\", \"items\": [" GOOD ", {\"ee\": \"summary\", \"line\": 5, \"items\": [\"s\"]}]}",
                 "5: ee.summary 's' has no function init", "5: ee.summary 's' has no function step",
                 "5: ee.summary 's' has no function finish");
}

/* What enters Lua is listed in the order judges, summaries, reports, score. */
static void check_calls(const char *judge, const char *more, const char *options, const char *lines) {
  char rules[1500];
  snprintf(rules, sizeof rules, "{\"ee\": \"rules\", \"items\": [%s%s]%s}", judge, more, options);
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, rules);
  ee_plan_print(f.plan, &f.text);
  const char *text = ee_buffer_terminate(&f.text), *first = strstr(text, "summary ");
  if (first == NULL) first = strstr(text, "report -f");
  if (first == NULL) first = strstr(text, "score ");
  assert_non_null(first);
  assert_string_equal(first, lines);
  fixture_close(&f);
}

static void test_calls_of_collectors(void **state) {
  (void)state;
#define CALLER "{\"ee\": \"judge\", \"items\": [\"sums\", {\"function\": 0}]}"
#define SUMMARY(name)                                                                                                  \
  ", {\"ee\": \"summary\", \"items\": [\"" name "\"], \"init\": {\"function\": 1}, \"step\": {\"function\": 2}, "      \
  "\"finish\": {\"function\": 3}}"
#define REPORT(name) ", {\"ee\": \"report\", \"items\": [\"" name "\"], \"done\": {\"function\": 4}}"
#define MEAN "score weighted mean of the judges\n"
#define BY_FUNCTION "score by a function  (calls Lua)\n"
  check_calls(GOOD, "", "", MEAN "calls Lua: nothing\n");
  check_calls(CALLER, "", "", MEAN "calls Lua: sums\n");
  check_calls(GOOD, "", ",\"score\": {\"function\": 9}", BY_FUNCTION "calls Lua: score\n");
  check_calls(GOOD, SUMMARY("s"), "", "summary s\n" MEAN "calls Lua: summary s\n");
  check_calls(GOOD, REPORT("r"), "", "report -f r\n" MEAN "calls Lua: report r\n");
  check_calls(GOOD, REPORT("r") REPORT("q"), "", "report -f r\nreport -f q\n" MEAN "calls Lua: report r, report q\n");
  check_calls(CALLER, SUMMARY("s") SUMMARY("t") REPORT("r"), ",\"score\": {\"function\": 9}",
              "summary s\nsummary t\nreport -f r\n" BY_FUNCTION
              "calls Lua: sums, summary s, summary t, report r, score\n");
}

/* The same warning of one place is given once. */
static void test_equal_warnings(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  ee_plan plan = {0};
  ee_plan_builder builder = {.arena = &f.arena, .plan = &plan, .errors = &f.errors};
  static const struct {
    const char *file;
    size_t line;
    const char *message;
  } rows[] = {{"a.lua", 1, "x"}, {"a.lua", 1, "x"}, {"a.lua", 2, "x"}, {"b.lua", 1, "x"},
              {"a.lua", 1, "y"}, {"a.lua", 1, "x"}, {"a.lua", 1, "y"}};
  ee_error warnings[7];
  for (size_t i = 0; i < 7; i++) ee_error_at(&warnings[i], EE_OK, rows[i].file, rows[i].line, 0, "%s", rows[i].message);
  ee_compile_add_warnings(&builder, warnings, 3);
  ee_compile_add_warnings(&builder, warnings + 3, 4);
  static const size_t kept[] = {0, 2, 3, 4};
  assert_int_equal(plan.warning_count, 4);
  for (size_t i = 0; i < 4; i++) {
    assert_string_equal(plan.warnings[i].file, rows[kept[i]].file);
    assert_int_equal(plan.warnings[i].line, rows[kept[i]].line);
    assert_string_equal(plan.warnings[i].message, rows[kept[i]].message);
  }
  fixture_close(&f);
}

/* A case may take so much memory, whoever judges it: what takes more is given up, and the next case may again. */
static void test_memory_of_a_case(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"match\": {\"score_fields\": true}, "
                    "\"items\": [\"l\", {\"ee\": \"fuzzy\", \"items\": [\"t\"], \"threshold\": 0}]}]}");
  f.long_lists = true;
  char documents[2][16000];
  for (int side = 0; side < 2; side++) {
    size_t length = 0;
    for (int i = 0; i < 400; i++)
      length += (size_t)snprintf(documents[side] + length, sizeof documents[side] - length, "%s{\"t\":\"item %d\"}",
                                 i > 0 ? "," : "{\"l\":[", 2 * i + side);
    snprintf(documents[side] + length, sizeof documents[side] - length, "]}");
  }
  ee_limits limits = EE_LIMITS_DEFAULT;
  enum { SMALL = 1 << 20 };
  const uint64_t most[] = {SMALL, 64 << 20, SMALL, 0};
  for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
    limits.memory = most[i];
    ee_limits_set(&limits);
    fixture_judge_case(&f, documents[EE_EXPECTED], documents[EE_CANDIDATE]);
    assert_int_equal(f.result.given_up, most[i] == SMALL);
    assert_int_equal(f.case_arena.limit, 0);
  }
  ee_limits_set(NULL);
  fixture_close(&f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_what_stands_in_rules), cmocka_unit_test(test_options_of_rules),
             cmocka_unit_test(test_judges), cmocka_unit_test(test_fields),
             cmocka_unit_test(test_names_that_occur_twice), cmocka_unit_test(test_paths_that_are_ignored),
             cmocka_unit_test(test_script_judges), cmocka_unit_test(test_line_items), cmocka_unit_test(test_gates),
             cmocka_unit_test(test_whole_numbers_of_gates), cmocka_unit_test(test_gate_metrics),
             cmocka_unit_test(test_compiled), cmocka_unit_test(test_defaults), cmocka_unit_test(test_case_score),
             cmocka_unit_test(test_score_function), cmocka_unit_test(test_aggregates), cmocka_unit_test(test_verdicts),
             cmocka_unit_test(test_slices_of_gates), cmocka_unit_test(test_summaries),
             cmocka_unit_test(test_calls_of_collectors), cmocka_unit_test(test_equal_warnings),
             cmocka_unit_test(test_memory_of_a_case));
