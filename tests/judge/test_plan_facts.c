/* test_plan_facts.c: what a plan knows of itself: its name, what its judges need, limits of verdicts, slices and
 * clusters, whether boxes do instead of documents, and the hash of judges by case. */
#include "judge/case.h"
#include "judge/plan_fixture.h"

#define A "{\"ee\":\"fields\",\"items\":[{\"ee\":\"exact\",\"items\":[\"a\"]}]}"
#define WHOLE "{\"ee\":\"fields\",\"name\":\"w\",\"items\":[{\"ee\":\"exact\",\"items\":[\"$\"]}]}"
#define BOXES "{\"ee\":\"detection\"}"

/* The plan of `options` and `judges`; NULL options: none. */
static const ee_plan *plan_of(fixture *f, const char *options, const char *judges) {
  fixture_close(f);
  fixture_open(f);
  const char *separator = options[0] != '\0' ? "," : "";
  fixture_rules(f, ee_arena_printf(&f->arena, "{\"ee\":\"rules\"%s%s,\"items\":[%s]}", separator, options, judges));
  return f->plan;
}

/* Without a name the file has one: what is after the last slash and before the last dot. */
static void test_names(void **state) {
  (void)state;
  static const char *const files[][2] = {{"invoice.lua", "invoice"},
                                         {"a/b.c/invoice.v2.lua", "invoice.v2"},
                                         {"a.b/rules", "rules"},
                                         {"a/.hidden", ".hidden"},
                                         {"x", "x"},
                                         {"", "rules"},
                                         {NULL, "rules"}};
  fixture f;
  fixture_open(&f);
  ee_rule_node root = *fixture_spec(&f, fixture_json(&f.arena, "{\"ee\":\"rules\",\"items\":[" A "]}"), 1);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    root.file = files[i][0];
    const ee_plan *plan = ee_plan_compile(&f.arena, &root, NULL, NULL, &f.errors);
    if (!ee_str_is(plan->name, files[i][1])) fail_msg("%s: %.*s", files[i][0], EE_STR_ARG(plan->name));
  }
  assert_true(ee_str_is(plan_of(&f, "\"name\":\"own\"", A)->name, "own"));
  fixture_close(&f);
}

/* What a loader of data must know: a document is looked for in a text where a judge looks inside of documents. */
static void test_needs(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  static const struct {
    const char *judges;
    bool inside, text, optional, provider, model, program, script;
  } rows[] = {
      {A, .inside = true},
      {WHOLE, .text = true},
      {A "," WHOLE, .inside = true, .text = true},
      {WHOLE "," A, .inside = true, .text = true},
      {"{\"ee\":\"llm\",\"items\":[\"q\"],\"prompt\":\"p\"}", .text = true, .optional = true, .provider = true,
       .model = true},
      {"{\"ee\":\"fields\",\"items\":[{\"ee\":\"semantic\",\"items\":[\"a\"]}]}", .inside = true, .provider = true},
      {"{\"ee\":\"exec\",\"items\":[\"q\"],\"command\":[\"true\"]}", .text = true, .program = true},
      {"{\"ee\":\"judge\",\"items\":[\"q\",{\"function\":0}]}", .text = true, .script = true},
      {"{\"ee\":\"judge\",\"items\":[\"q\",{\"function\":0}],\"needs_expected\":false}", .text = true, .optional = true,
       .script = true},
      {"{\"ee\":\"quality\"}", .inside = true, .provider = true},
      {"{\"ee\":\"quality\",\"similarity\":{\"function\":0}}", .inside = true, .script = true},
      {"{\"ee\":\"quality\",\"similarity\":{\"function\":0},\"strategies\":{\"a\":{\"ee\":\"semantic\"}}}",
       .inside = true, .provider = true, .script = true},
      {A ",{\"ee\":\"judge\",\"items\":[\"q\",{\"function\":0}]}", .inside = true, .script = true},
      {"{\"ee\":\"fields\",\"when\":{\"function\":0},\"items\":[{\"ee\":\"exact\",\"items\":[\"a\"]}]}", .inside = true,
       .script = true},
      {"{\"ee\":\"fields\",\"items\":[{\"ee\":\"exact\",\"items\":[\"b\"]},{\"ee\":\"exact\",\"items\":[\"a\"],"
       "\"when\":{\"function\":0}}]}",
       .inside = true, .script = true},
      {"{\"ee\":\"fields\",\"items\":[{\"ee\":\"custom\",\"items\":[\"a\",{\"function\":0}]},{\"ee\":\"exact\","
       "\"items\":[\"b\"]}]}",
       .inside = true, .script = true},
      {"{\"ee\":\"schema\",\"schema\":{\"type\":\"object\"}}", .inside = true, .optional = true},
      {"{\"ee\":\"schema\",\"schema\":{\"type\":\"object\"}}," A, .inside = true},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const ee_plan *plan = plan_of(&f, "", rows[i].judges);
    const bool got[] = {plan->paths.looks_inside, plan->paths.keep_text, plan->paths.expected_optional,
                        plan->needs_provider,     plan->asks_model,      plan->runs_programs,
                        plan->needs_script};
    const bool want[] = {rows[i].inside, rows[i].text,    rows[i].optional, rows[i].provider,
                         rows[i].model,  rows[i].program, rows[i].script};
    for (size_t k = 0; k < sizeof got / sizeof *got; k++)
      if (got[k] != want[k]) fail_msg("%s: fact %zu is %d", rows[i].judges, k, got[k]);
    assert_int_equal(plan->compares_by_provider, rows[i].provider && !rows[i].model);
  }
  assert_true(plan_of(&f, "\"score\":{\"function\":1}", A)->needs_script);
  fixture_close(&f);
}

/* A judge's own limits come before those of the rules; a `pass` below the borderline lowers it, too. */
static void test_verdicts(void **state) {
  (void)state;
  static const struct {
    const char *rules, *judge;
    double pass, borderline;
  } rows[] = {
      {"", "", 0.8, 0.6},
      {"\"verdict\":{\"pass\":0.7}", "", 0.7, 0.6},
      {"\"verdict\":{\"pass\":0.5}", "", 0.5, 0.5},
      {"\"verdict\":{\"borderline\":0.3}", "", 0.8, 0.3},
      {"\"verdict\":{\"pass\":0.9,\"borderline\":0.9}", "", 0.9, 0.9},
      {"\"verdict\":{\"pass\":0.9,\"borderline\":0.2}", ",\"verdict\":{\"pass\":0.4}", 0.4, 0.2},
      {"\"verdict\":{\"pass\":0.9,\"borderline\":0.2}", ",\"verdict\":{\"pass\":0.1}", 0.1, 0.1},
      {"\"verdict\":{\"pass\":0.9,\"borderline\":0.2}", ",\"verdict\":{\"borderline\":0.5}", 0.9, 0.5},
      {"", ",\"verdict\":{\"pass\":1,\"borderline\":0}", 1, 0},
  };
  fixture f;
  fixture_open(&f);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char judge[256];
    snprintf(judge, sizeof judge, "{\"ee\":\"fields\"%s,\"items\":[{\"ee\":\"exact\",\"items\":[\"a\"]}]}",
             rows[i].judge);
    ee_verdict_limits limits = plan_of(&f, rows[i].rules, judge)->judges[0]->verdict;
    if (limits.pass != rows[i].pass || limits.borderline != rows[i].borderline)
      fail_msg("row %zu: pass %g, borderline %g", i, limits.pass, limits.borderline);
  }
  fixture_close(&f);
  check_mistakes(
      "{\"ee\":\"rules\",\"verdict\":{\"line\":7,\"items\":[1]},\"case\":{\"line\":8,\"items\":[2]},"
      "\"items\":[" A "]}",
      "7: verdict takes pass and borderline by name, got a number",
      "8: case takes id, expected_id, expected, candidate, candidates, trial and records by name, got a number");
}

/* Some judge repairs if the rules say so, or one of the judges, whatever the others say. */
static void test_repairs(void **state) {
  (void)state;
#define REPAIR(name, value) "{\"ee\":\"quality\",\"name\":\"" name "\",\"repair\":" value "}"
  static const struct {
    const char *options, *judges;
    bool repairs;
  } rows[] = {{"", A, false},
              {"\"repair\":true", A, true},
              {"", REPAIR("p", "true") "," REPAIR("q", "false"), true},
              {"", REPAIR("p", "false") "," REPAIR("q", "true"), true},
              {"", REPAIR("p", "false") "," REPAIR("q", "false"), false}};
  fixture f;
  fixture_open(&f);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (ee_plan_repairs(plan_of(&f, rows[i].options, rows[i].judges)) != rows[i].repairs) fail_msg("row %zu", i);
  assert_false(plan_of(&f, "\"repair\":true", REPAIR("p", "false"))->judges[0]->repair);
  assert_true(plan_of(&f, "\"repair\":true", A)->judges[0]->repair);
  fixture_close(&f);
}

/* Boxes do where detection judges only, and nothing else looks into a case. */
static void test_boxes(void **state) {
  (void)state;
  static const struct {
    const char *options, *judges;
    bool takes;
  } rows[] = {{"", BOXES, true},
              {"", A, false},
              {"", BOXES "," A, false},
              {"", A "," BOXES, false},
              {"\"slices\":[\"s\"]", BOXES, false},
              {"\"measures\":[\"m\"]", BOXES, false},
              {"\"cluster\":\"c\"", BOXES, false},
              {"\"alternatives\":true", BOXES, false},
              {"\"score\":{\"function\":1}", BOXES, false},
              {"\"case\":{\"trial\":\"@file\"}", BOXES, false},
              {"\"verdict\":{\"pass\":0.5}", BOXES, true},
              {"", "{\"ee\":\"detection\",\"when\":{\"function\":0}}", false}};
  fixture f;
  fixture_open(&f);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (ee_plan_takes_boxes(plan_of(&f, rows[i].options, rows[i].judges)) != rows[i].takes)
      fail_msg("%s %s", rows[i].options, rows[i].judges);
  fixture_close(&f);
}

/* The metric of a gate and its judge, or what is wrong. Printed as the plan prints it. */
static void test_gates(void **state) {
  (void)state;
#define JUDGE(name, metrics) "{\"ee\":\"judge\",\"items\":[\"" name "\",{\"function\":0}],\"metrics\":[" metrics "]}"
#define DECLARING JUDGE("p", "\"pages\",\"recall\"") "," JUDGE("q", "\"lines\"")
  static const struct {
    const char *judges, *options, *gate, *said;
  } rows[] = {
      {A, "", "\"metric\":\"mean_score\",\"min\":0.5", "gate mean_score >= 0.5"},
      {A, "", "\"metric\":\"mean_score\",\"max\":1", "gate mean_score <= 1"},
      {A, "", "\"metric\":\"mean_score\",\"max\":1.5", "option 'max' of ee.gate must be between 0 and 1, got 1.5"},
      {A, "", "\"metric\":\"corrections\",\"max\":1.5", "gate corrections <= 1.5"},
      {A, "", "\"metric\":\"mean_score\",\"min\":0.5,\"max\":0.5", "gate mean_score >= 0.5 <= 0.5"},
      {A, "", "\"metric\":\"mean_score\",\"min\":0.6,\"max\":0.5",
       "ee.gate has a 'min' above its 'max', so nothing can pass"},
      /* Of the only judge, where there is one. */
      {A, "", "\"metric\":\"f1\",\"field\":\"a\",\"min\":1", "gate a f1 >= 1"},
      {A "," WHOLE, "", "\"metric\":\"f1\",\"field\":\"a\",\"judge\":\"fields\",\"min\":1", "gate fields a f1 >= 1"},
      /* What a judge declares comes before the metric of fields of that name, but not where the gate names a field. */
      {DECLARING, "", "\"metric\":\"pages\",\"min\":1", "gate pages >= 1"},
      {DECLARING, "", "\"metric\":\"lines\",\"min\":1", "gate lines >= 1"},
      {DECLARING, "", "\"metric\":\"lines\",\"judge\":\"q\",\"min\":1", "gate q lines >= 1"},
      {DECLARING, "", "\"metric\":\"recall\",\"judge\":\"p\",\"min\":1", "gate p recall >= 1"},
      {DECLARING, "", "\"metric\":\"pass@3\",\"min\":1", "gate pass@3 >= 1"},
      {DECLARING, "", "\"metric\":\"pass^16\",\"min\":1", "gate pass^16 >= 1"},
      /* A slice that is nearly a listed one. */
      {A, "\"slices\":[\"country\",\"kind\"]", "\"metric\":\"mean_score\",\"min\":1,\"slice\":\"kind\"",
       "gate mean_score[kind] >= 1"},
      {A, "\"slices\":[\"country\",\"kind\"]", "\"metric\":\"mean_score\",\"min\":1,\"slice\":\"knid\"",
       "gate mean_score[knid] >= 1; ee.gate has a slice 'knid' that is not in 'slices' (did you mean 'kind'?)"},
      {A, "\"slices\":[\"country\",\"kind\"]", "\"metric\":\"mean_score\",\"min\":1,\"slice\":\"zzzzzz\"",
       "gate mean_score[zzzzzz] >= 1"},
      {A, "", "\"metric\":\"mean_score\",\"min\":1,\"slice\":\"knid\"", "gate mean_score[knid] >= 1"},
      {A, "", "\"metric\":\"mean_score\",\"min\":1,\"min_cases\":3",
       "'min_cases' of ee.gate needs a 'slice' (without one, 'min_support' counts units)"},
      {A, "", "\"metric\":\"corrections\",\"min\":0.5",
       "gate corrections >= 0.5; ee.gate has a 'min' for 'corrections', which is better when lower: use 'max'"},
  };
  fixture f;
  fixture_open(&f);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fixture_close(&f);
    fixture_open(&f);
    const char *rules =
        ee_arena_printf(&f.arena, "{\"ee\":\"rules\"%s%s,\"items\":[%s,{\"ee\":\"gate\",%s}]}",
                        rows[i].options[0] != '\0' ? "," : "", rows[i].options, rows[i].judges, rows[i].gate);
    const ee_plan *plan = fixture_compile(&f, rules);
    ee_buffer said = {0};
    if (plan != NULL) {
      ee_plan_print(plan, &f.text);
      const char *line = strstr(ee_buffer_terminate(&f.text), "\ngate ") + 1;
      ee_buffer_add(&said, line, strcspn(line, "\n"));
      for (size_t k = 0; k < plan->warning_count; k++) ee_buffer_addf(&said, "; %s", plan->warnings[k].message);
    }
    for (size_t k = 0; k < f.errors.count; k++)
      ee_buffer_addf(&said, "%s%s", k > 0 ? "; " : "", f.errors.items[k].message);
    if (strcmp(ee_buffer_terminate(&said), rows[i].said) != 0) fail_msg("%s: %s", rows[i].gate, said.data);
    ee_buffer_fini(&said);
  }
  fixture_close(&f);
}

/* Slices that are added keep the places of those before; one that is there is found. */
static void test_slices(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  ee_plan *plan = (plan_of(&f, "\"slices\":[\"s.t\",\"u\"]", A), f.plan);
  static const struct {
    const char *path;
    size_t number, count;
  } rows[] = {{"s.t", 0, 2}, {"u", 1, 2}, {"v", 2, 3}, {"u", 1, 3}, {"v", 2, 3}, {"w[0]", 3, 4}};
  ee_error error = {0};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    size_t number = 99;
    assert_true(ee_plan_add_slice(plan, ee_str_from(rows[i].path), &number, &error));
    if (number != rows[i].number || plan->slice_count != rows[i].count) fail_msg("%s: %zu", rows[i].path, number);
    assert_true(ee_str_is(plan->slices[number]->text, rows[i].path));
  }
  assert_true(ee_str_is(plan->slices[0]->text, "s.t") && ee_str_is(plan->slices[1]->text, "u"));
  size_t number;
  assert_false(ee_plan_add_slice(plan, EE_STR("x[*]"), &number, &error));
  assert_string_equal(error.message, "'x[*]' may name several values; the path must name one");
  assert_false(ee_plan_add_slice(plan, EE_STR("x["), &number, &error));
  assert_int_equal(plan->slice_count, 4);
  assert_false(ee_plan_set_cluster(plan, EE_STR("x[*]"), &error));
  assert_null(plan->cluster);
  assert_true(ee_plan_set_cluster(plan, EE_STR("x"), &error));
  assert_true(ee_str_is(plan->cluster->text, "x"));
  assert_false(ee_plan_set_cluster(plan, EE_STR("y["), &error));
  assert_true(ee_str_is(plan->cluster->text, "x"));
  fixture_close(&f);
}

/* The text of a cluster; trials are of one cluster, at least. */
static void test_clusters(void **state) {
  (void)state;
  static const struct {
    const char *record, *cluster, *of_trial; /* NULL: none */
  } rows[] = {{"{\"doc\":\"d\"}", "d", "d"},
              {"{\"doc\":\"\"}", NULL, "c1"},
              {"{\"doc\":null}", NULL, "c1"},
              {"{}", NULL, "c1"},
              {"{\"doc\":12.50}", "12.5", "12.5"},
              {"{\"doc\":true}", "true", "true"},
              {"{\"doc\":{\"b\":1,\"a\":[]}}", "{\"a\":[],\"b\":1}", "{\"a\":[],\"b\":1}"}};
  fixture f;
  fixture_open(&f);
  for (int with = 0; with < 2; with++) {
    const ee_plan *plan = plan_of(&f, with ? "\"cluster\":\"doc\"" : "", A);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
      for (int trial = 0; trial < 2; trial++) {
        ee_case source = {.id = EE_STR("c1#2"), .record = fixture_json(&f.case_arena, rows[i].record)};
        if (trial) {
          source.trial = EE_STR("2");
          source.base = EE_STR("c1");
        }
        const char *want = !with ? (trial ? "c1" : NULL) : trial ? rows[i].of_trial : rows[i].cluster;
        ee_str got = ee_plan_cluster_of(plan, &source, &f.case_arena);
        if ((got.data == NULL) != (want == NULL) || (want != NULL && !ee_str_is(got, want)))
          fail_msg("%s, trial %d: %.*s", rows[i].record, trial, EE_STR_ARG(got));
      }
    }
  }
  fixture_close(&f);
}

/* The hash tells ids, judges and their order apart; an id that is there changes nothing. */
static void test_hash_of_selections(void **state) {
  (void)state;
  typedef struct added {
    const char *id;
    uint32_t judges[2];
    size_t count;
  } added;
  static const added lists[][3] = {
      {{NULL}},
      {{"a", {0, 1}, 2}},
      {{"a", {0}, 1}},
      {{"a", {1}, 1}},
      {{"a", {0}, 0}},
      {{"b", {0, 1}, 2}},
      {{"a", {0, 1}, 2}, {"b", {0}, 1}},
      {{"b", {0}, 1}, {"a", {0, 1}, 2}},
      {{"a", {0}, 1}, {"b", {0, 1}, 2}},
  };
  enum { LISTS = sizeof lists / sizeof *lists };
  ee_arena arena;
  ee_arena_init(&arena, 0);
  uint64_t hashes[LISTS];
  for (size_t i = 0; i < LISTS; i++) {
    ee_selection *selection = ee_selection_new(&arena), *again = ee_selection_new(&arena);
    for (size_t k = 0; k < 3 && lists[i][k].id != NULL; k++) {
      const added *one = &lists[i][k];
      ee_selection_add(selection, ee_str_from(one->id), one->judges, one->count);
      ee_selection_add(again, ee_str_from(one->id), one->judges, one->count);
      ee_selection_add(again, ee_str_from(one->id), (const uint32_t[]){7}, 1);
    }
    hashes[i] = ee_selection_hash(selection);
    assert_true(hashes[i] == ee_selection_hash(again));
    for (size_t k = 0; k < i; k++)
      if (hashes[k] == hashes[i]) fail_msg("lists %zu and %zu have the same hash", k, i);
  }
  assert_true(ee_selection_hash(NULL) == 0 && hashes[0] == 0);
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_names), cmocka_unit_test(test_needs), cmocka_unit_test(test_verdicts),
             cmocka_unit_test(test_repairs), cmocka_unit_test(test_boxes), cmocka_unit_test(test_gates),
             cmocka_unit_test(test_slices), cmocka_unit_test(test_clusters), cmocka_unit_test(test_hash_of_selections));
