/* test_gate.c: reading, checking, deciding and printing gates. */
#include <stdio.h>
#include <string.h>

#include "judge/small_rules.h"
#include "run/gate_decision.h"
#include "run/totals.h"

typedef struct fixture {
  small_rules rules;
  ee_arena arena;
  ee_totals totals;
} fixture;

/* Three cases: header scores 1, 0.4 and 0 (number: 2 TP, 1 missing; total: 1 TP, 1 wrong, 1 missing; note: 3 TN). */
static int open_fixture(void **state) {
  static const char *const records[] = {
      "{\"id\":\"1\",\"expected\":{\"number\":\"7\",\"total\":100},\"candidate\":{\"number\":\"7\",\"total\":100}}",
      ("{\"id\":\"2\",\"expected\":{\"number\":\"7\",\"total\":100},\"candidate\":{\"number\":\"7\",\"total\":90},"
       "\"kind\":\"k\"}"),
      "{\"id\":\"3\",\"expected\":{\"number\":\"7\",\"total\":100}}",
  };
  fixture *f = ee_calloc(1, sizeof *f);
  small_rules_open(&f->rules);
  ee_arena_init(&f->arena, 0);
  ee_totals_init(&f->totals, f->rules.plan);
  for (size_t i = 0; i < 3; i++) {
    ee_case_result result = small_judge_record(&f->rules, &f->arena, records[i]);
    ee_totals_add(&f->totals, &result, &f->arena);
  }
  *state = f;
  return 0;
}

static int close_fixture(void **state) {
  fixture *f = *state;
  ee_totals_fini(&f->totals);
  ee_arena_fini(&f->arena);
  small_rules_close(&f->rules);
  ee_free(f);
  return 0;
}

static ee_gate_result decide(fixture *f, const char *text) {
  ee_gate *gate = EE_NEW(&f->arena, ee_gate);
  ee_error error = {0};
  if (!ee_gate_parse(f->rules.plan, text, 0, &f->arena, gate, &error)) fail_msg("%s: %s", text, error.message);
  return ee_gate_decide(gate, &f->totals);
}

/* Decides a gate made by hand. */
static ee_gate_result decide_gate(fixture *f, ee_gate *gate, const ee_totals *totals) {
  ee_error error = {0};
  if (!ee_gate_resolve(f->rules.plan, gate, &error)) fail_msg("%s", error.message);
  return ee_gate_decide(gate, totals);
}

static void test_parse(void **state) {
  fixture *f = *state;
  ee_gate gate;
  ee_error error;
  assert_true(ee_gate_parse(f->rules.plan, "header:total:f1=0.95", 0, &f->arena, &gate, &error));
  assert_true(ee_str_is(gate.judge, "header"));
  assert_true(ee_str_is(gate.field, "total"));
  assert_int_equal(gate.metric, EE_GATE_F1);
  assert_true(gate.has_min && !gate.has_max && gate.min == 0.95 && gate.min_support == 0);
  assert_true(ee_gate_parse(f->rules.plan, "header:macro_f1=1", 0, &f->arena, &gate, &error));
  assert_true(ee_str_is(gate.judge, "header") && gate.field.length == 0 && gate.metric == EE_GATE_MACRO_F1);
  assert_true(ee_gate_parse(f->rules.plan, "mean_score=0", 0, &f->arena, &gate, &error));
  assert_true(gate.judge.length == 0 && gate.metric == EE_GATE_MEAN_SCORE && gate.min == 0);
  /* A judge whose attributes only the data knows; the field's name holds both separators. */
  assert_true(ee_gate_parse(f->rules.plan, "seen:a[\"b:c=d\"]:recall=0.5", 0, &f->arena, &gate, &error));
  assert_true(ee_str_is(gate.field, "a[\"b:c=d\"]"));
}

static void test_mistakes(void **state) {
  fixture *f = *state;
  static const struct {
    const char *text, *message;
  } mistakes[] = {
      {"mean_score", "gate 'mean_score': no limit: expected [JUDGE:[FIELD:]]METRIC[SLICE]=X"},
      {"mean_scor=0.9", "gate 'mean_scor=0.9': unknown metric 'mean_scor' (did you mean 'mean_score'?)"},
      {"headr:macro_f1=0.9", "gate 'headr:macro_f1=0.9': unknown judge 'headr' (did you mean 'header'?)"},
      {"xyzzy:macro_f1=0.9", "gate 'xyzzy:macro_f1=0.9': unknown judge 'xyzzy' (known: 'header', 'seen')"},
      {"header:totl:f1=0.9",
       "gate 'header:totl:f1=0.9': unknown field 'totl' of judge 'header' (did you mean 'total'?)"},
      {"header:f1=0.9",
       "gate 'header:f1=0.9': metric 'f1' needs a field; of a whole judge it is 'micro_f1', 'macro_f1' or "
       "'weighted_f1'"},
      {"header:specificity=0.9", "gate 'header:specificity=0.9': metric 'specificity' needs a field"},
      {"header:total:mean_score=0.9", "gate 'header:total:mean_score=0.9': fields have no metric 'mean_score', only "
                                      "'precision', 'recall', 'f1' and 'specificity'"},
      {"macro_f1=0.9", "gate 'macro_f1=0.9': metric 'macro_f1' needs a judge: there are several"},
      {"mean_score=90", "gate 'mean_score=90': limit must be within 0..1, got 90 (did you mean 0.9?)"},
      {"mean_score=-1", "gate 'mean_score=-1': limit must be within 0..1, got -1"},
      {"mean_score=", "gate 'mean_score=': limit '' is not a number"},
      {"mean_score=0.9x", "gate 'mean_score=0.9x': limit '0.9x' is not a number"},
      {"mean_score=nan", "gate 'mean_score=nan': limit 'nan' is not a number"},
      {"mean_score=1e999", "gate 'mean_score=1e999': limit must be within 0..1"},
      {":mean_score=0.9", "gate ':mean_score=0.9': no judge before ':'"},
      {"header::f1=0.9", "gate 'header::f1=0.9': no field between 'header:' and 'f1'"},
      {"=1", NULL},
      {"", NULL},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    ee_gate gate;
    ee_error error = {0};
    assert_false(ee_gate_parse(f->rules.plan, mistakes[i].text, 0, &f->arena, &gate, &error));
    assert_int_equal(error.status, EE_ERROR_USAGE);
    if (mistakes[i].message != NULL) assert_string_equal(error.message, mistakes[i].message);
  }
}

static void test_decide(void **state) {
  fixture *f = *state;
  /* header: 1, 0.4 and 0; seen is 1 in each. */
  static const struct {
    const char *name;
    double value;
    uint64_t units;
  } facts[] = {
      {"header:mean_score", 1.4 / 3, 3},
      {"header:pass_rate", 1.0 / 3, 3},
      {"mean_score", (1 + 0.7 + 0.5) / 3, 3},
      {"pass_rate", 1.0 / 3, 3},
      {"straight_through", 1.0 / 3, 3},
      {"header:number:precision", 1, 2},
      {"header:number:recall", 2.0 / 3, 3},
      {"header:number:f1", 0.8, 3},
      {"header:total:precision", 0.5, 2},
      {"header:total:recall", 1.0 / 3, 3},
      {"header:total:f1", 0.4, 3},
      {"header:total:specificity", 0, 1},
      {"header:note:specificity", 1, 3},
      {"header:micro_f1", 0.6, 3},
      {"header:micro_precision", 0.75, 3},
      {"header:micro_recall", 0.5, 3},
      {"header:macro_f1", 0.6, 3},
      {"header:macro_precision", 0.75, 3},
      {"header:weighted_f1", 0.6, 3},
      {"header:weighted_recall", 0.5, 3},
      {"seen:k:f1", 1, 1},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_gate_result result = decide(f, ee_arena_printf(&f->arena, "%s=0", facts[i].name));
    assert_true(result.defined && result.passed && !result.too_few);
    if (!(result.value > facts[i].value - 1e-12 && result.value < facts[i].value + 1e-12))
      fail_msg("%s is %.17g, not %.17g", facts[i].name, result.value, facts[i].value);
    if (result.units != facts[i].units) fail_msg("%s has %d units", facts[i].name, (int)result.units);
    /* The limit itself passes, and what lies above it does not. */
    assert_true(decide(f, ee_arena_printf(&f->arena, "%s=%.15f", facts[i].name, facts[i].value)).passed);
    if (facts[i].value < 1)
      assert_false(decide(f, ee_arena_printf(&f->arena, "%s=%.15f", facts[i].name, facts[i].value + 1e-9)).passed);
  }
}

static void test_undefined(void **state) {
  fixture *f = *state;
  /* Three TN: nothing was expected and nothing given. */
  ee_gate_result result = decide(f, "header:note:f1=0");
  assert_false(result.passed);
  assert_false(result.defined);
  assert_false(decide(f, "header:note:recall=0").passed);
  /* An attribute that the data never showed. */
  assert_false(decide(f, "seen:never:f1=0").passed);

  /* FN only: precision is undefined, and F1 is 0. */
  ee_totals totals;
  ee_totals_init(&totals, f->rules.plan);
  ee_case_result missing = small_judge_record(&f->rules, &f->arena, "{\"id\":\"1\",\"expected\":{\"number\":\"7\"}}");
  ee_totals_add(&totals, &missing, &f->arena);
  ee_gate gate = {.judge = EE_STR("header"), .field = EE_STR("number"), .metric = EE_GATE_F1, .has_min = true};
  result = decide_gate(f, &gate, &totals);
  assert_true(result.defined && result.passed && result.value == 0);
  gate.metric = EE_GATE_PRECISION;
  assert_false(decide_gate(f, &gate, &totals).passed);
  gate = (ee_gate){
      .judge = EE_STR("header"), .field = EE_STR(""), .metric = EE_GATE_MICRO_F1, .has_min = true, .min = 0.1};
  result = decide_gate(f, &gate, &totals);
  assert_true(result.defined && !result.passed && result.value == 0);
  ee_totals_fini(&totals);

  /* No case at all. */
  ee_totals_init(&totals, f->rules.plan);
  gate = (ee_gate){.judge = EE_STR(""), .field = EE_STR(""), .metric = EE_GATE_MEAN_SCORE, .has_min = true};
  assert_false(decide_gate(f, &gate, &totals).passed);
  ee_totals_fini(&totals);
}

static void test_limits_and_support(void **state) {
  fixture *f = *state;
  ee_gate gate = {
      .judge = EE_STR("header"), .field = EE_STR("number"), .metric = EE_GATE_F1, .has_max = true, .max = 0.8};
  assert_true(decide_gate(f, &gate, &f->totals).passed);
  gate.max = 0.79;
  assert_false(decide_gate(f, &gate, &f->totals).passed);
  gate.min_support = 3;
  assert_false(decide_gate(f, &gate, &f->totals).passed);
  gate.min_support = 4;
  ee_gate_result result = decide_gate(f, &gate, &f->totals);
  assert_true(!result.passed && result.too_few && !result.defined && ee_gate_is_undecided(&result));
}

/* Measures -----------------------------------------------------------------------------------------------------------
 */

static const char *const measure_names[] = {"rqs", "completeness", "hallucination", NULL};
static const char *const lower_names[] = {"hallucination", NULL};
static const ee_judge_type measuring_type = {
    .name = "quality", .case_metrics = measure_names, .lower_is_better = lower_names};

/* A plan with two judges, of which the first measures; `second_measures`: so does the other. */
typedef struct measured {
  ee_arena arena;
  ee_judge first, second;
  const ee_judge *judges[2];
  ee_plan plan;
  ee_totals totals;
} measured;

static void measured_open(measured *m, bool second_measures) {
  memset(m, 0, sizeof *m);
  ee_arena_init(&m->arena, 0);
  m->first = (ee_judge){.type = &measuring_type, .name = EE_STR("quality")};
  m->second = (ee_judge){
      .type = second_measures ? &measuring_type : &ee_line_items_judge, .name = EE_STR("lines"), .number = 1};
  m->judges[0] = &m->first;
  m->judges[1] = &m->second;
  m->plan = (ee_plan){.judges = m->judges, .judge_count = 2};
  ee_totals_init(&m->totals, &m->plan);
}

static void measured_close(measured *m) {
  ee_totals_fini(&m->totals);
  ee_arena_fini(&m->arena);
}

static void measured_add(measured *m, double rqs, double completeness, double hallucination) {
  const double measures[] = {rqs, completeness, hallucination};
  ee_case source = {.id = EE_STR("x")};
  ee_judge_result results[2] = {{.judge = &m->first, .score = rqs, .case_metrics = measures}, {.judge = &m->second}};
  ee_case_result result = {.source = &source, .judges = results, .judge_count = 2};
  ee_totals_add(&m->totals, &result, &m->arena);
}

static ee_gate_result decide_measure(measured *m, const char *text) {
  ee_gate *gate = EE_NEW(&m->arena, ee_gate);
  ee_error error = {0};
  if (!ee_gate_parse(&m->plan, text, 0, &m->arena, gate, &error)) fail_msg("%s: %s", text, error.message);
  assert_int_equal(gate->metric, EE_GATE_CASE_METRIC);
  return ee_gate_decide(gate, &m->totals);
}

static void test_measures(void **state) {
  (void)state;
  measured m;
  measured_open(&m, false);
  /* No case at all: undefined, which fails, also below a maximum. */
  ee_gate_result result = decide_measure(&m, "quality:rqs=0");
  assert_false(result.defined || result.passed || result.too_few);
  ee_gate most = {.judge = EE_STR("quality"),
                  .metric = EE_GATE_CASE_METRIC,
                  .own_metric = EE_STR("hallucination"),
                  .has_max = true,
                  .max = 0.2};
  ee_error error;
  assert_true(ee_gate_resolve(&m.plan, &most, &error));
  assert_false(ee_gate_decide(&most, &m.totals).passed);
  measured_add(&m, 0.5, 1, 0);
  measured_add(&m, 0.25, 0.5, 0.25);
  measured_add(&m, 0.75, 0, 0.5);
  result = decide_measure(&m, "quality:rqs=0.5");
  assert_true(result.defined && result.passed && result.value == 0.5 && result.units == 3);
  assert_false(decide_measure(&m, "quality:rqs=0.51").passed);
  /* Without a judge: the only one that has it. */
  assert_true(decide_measure(&m, "completeness=0.5").value == 0.5);
  assert_true(decide_measure(&m, "completeness=0.5").passed);
  result = ee_gate_decide(&most, &m.totals);
  assert_true(result.defined && !result.passed && result.value == 0.25);
  most.max = 0.25;
  assert_true(ee_gate_decide(&most, &m.totals).passed);
  most.min_support = 4;
  assert_true(ee_gate_decide(&most, &m.totals).too_few);
  measured_close(&m);
}

static void test_measures_mistaken(void **state) {
  fixture *f = *state;
  static const struct {
    bool both;
    const char *text, *message;
  } mistakes[] = {
      {false, "lines:rqs=0.9", "judge 'lines' has no metric 'rqs'"},
      {true, "rqs=0.9", "metric 'rqs' needs a judge: there are several"},
      {false, "quality:completness=0.9", "unknown metric 'completness' (did you mean 'completeness'?)"},
      {false, "hallucination=0.1",
       "'hallucination' is better when lower: use ee.gate { metric = \"hallucination\", max = ... }"},
      {false, "quality:hallucination=0",
       "'hallucination' is better when lower: use ee.gate { metric = \"hallucination\", max = ... }"},
      {false, "lines:hallucination=0.1", "judge 'lines' has no metric 'hallucination'"},
      {false, "qualty:rqs=0.9", "unknown judge 'qualty' (did you mean 'quality'?)"},
      {false, "quality:bio:rqs=0.9", "fields have no metric 'rqs', only 'precision', 'recall', 'f1' and 'specificity'"},
      {true, "quality:straight_through=0.5", "metric 'straight_through' is of whole documents: leave out the judge"},
      {false, "corrections=0.5",
       "'corrections' is better when lower: use ee.gate { metric = \"corrections\", max = ... }"},
      {true, "x=1",
       "unknown metric 'x' (known: 'mean_score', 'pass_rate', 'straight_through', 'corrections', 'pass@k', 'pass^k', "
       "'case_pass_rate', 'micro_precision', "
       "'micro_recall', "
       "'micro_f1', 'macro_precision', 'macro_recall', 'macro_f1', 'weighted_precision', "
       "'weighted_recall', 'weighted_f1', 'precision', 'recall', 'f1', 'specificity', 'rqs', "
       "'completeness', 'hallucination')"},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    measured m;
    measured_open(&m, mistakes[i].both);
    ee_gate gate;
    ee_error error = {0};
    assert_false(ee_gate_parse(&m.plan, mistakes[i].text, 0, &m.arena, &gate, &error));
    const char *message = ee_arena_printf(&m.arena, "gate '%s': %s", mistakes[i].text, mistakes[i].message);
    assert_string_equal(error.message, message);
    measured_close(&m);
  }
  /* A plan where nothing is measured, and a measure that no judge has ever had. */
  ee_gate gate;
  ee_error error = {0};
  assert_false(ee_gate_parse(f->rules.plan, "header:rqs=0.9", 0, &f->arena, &gate, &error));
  assert_string_equal(error.message, "gate 'header:rqs=0.9': judge 'header' has no metric 'rqs'");
  assert_false(ee_gate_parse(f->rules.plan, "rqs=0.9", 0, &f->arena, &gate, &error));
  assert_string_equal(error.message, "gate 'rqs=0.9': no judge here provides 'rqs' (ee.quality does)");
  gate = (ee_gate){.metric = EE_GATE_CASE_METRIC, .own_metric = EE_STR("rqss"), .has_min = true};
  assert_false(ee_gate_resolve(f->rules.plan, &gate, &error));
  assert_memory_equal(error.message, "unknown metric 'rqss' (known: ", 30);
}

/* Compiles ee.rules { ee.fields { ee.exact "number" }, ee.quality {}, ee.gate { judge = ..., metric = ..., max = 0.05 }
 * }. */
static ee_plan *compile_gate(ee_arena *arena, const char *judge, const char *metric, ee_error_list *errors) {
  ee_rule_value number = small_text("number");
  ee_rule_value field = small_node(arena, "exact", &number, 1, NULL, 0);
  const ee_rule_option options[] = {{EE_STR("judge"), small_text(judge)},
                                    {EE_STR("max"), small_number(0.05)},
                                    {EE_STR("metric"), small_text(metric)}};
  const ee_rule_value items[] = {small_node(arena, "fields", &field, 1, NULL, 0),
                                 small_node(arena, "quality", NULL, 0, NULL, 0),
                                 small_node(arena, "gate", NULL, 0, options, 3)};
  return ee_plan_compile(arena, small_node(arena, "rules", items, 3, NULL, 0).node, NULL, NULL, errors);
}

static void test_rule_file(void **state) {
  fixture *f = *state;
  ee_error_list errors;
  ee_error_list_init(&errors);
  const ee_plan *plan = compile_gate(&f->arena, "quality", "hallucination", &errors);
  assert_non_null(plan);
  const ee_gate *gate = &plan->gates[0];
  assert_int_equal(gate->metric, EE_GATE_CASE_METRIC);
  assert_true(ee_str_is(gate->own_metric, "hallucination") && gate->has_max && gate->max == 0.05);
  ee_buffer text = {0};
  ee_plan_print(plan, &text);
  assert_non_null(strstr(ee_buffer_terminate(&text), "\ngate quality hallucination <= 0.05\n"));
  ee_buffer_fini(&text);
  assert_null(compile_gate(&f->arena, "fields", "rqs", &errors));
  assert_int_equal(errors.count, 1);
  assert_string_equal(errors.items[0].message, "ee.gate: judge 'fields' has no metric 'rqs'");
  assert_null(compile_gate(&f->arena, "quality", "acuracy", &errors));
  assert_int_equal(errors.count, 2);
  assert_string_equal(errors.items[1].message, "ee.gate: unknown metric 'acuracy' (did you mean 'accuracy'?)");
  ee_error_list_fini(&errors);
}

/* Whether "|a|b|c" has a name. */
static bool has_name(ee_buffer *list, const char *name) {
  char quoted[100];
  snprintf(quoted, sizeof quoted, "|%s|", name);
  ee_buffer_add_char(list, '|');
  bool found = strstr(ee_buffer_terminate(list), quoted) != NULL;
  list->length--;
  return found;
}

/* The row of the option names exactly what a gate can be about, each once, and nothing has two meanings. */
static void test_choices(void **state) {
  (void)state;
  const ee_option *row = ee_gate_options;
  while (strcmp(row->name, "metric") != 0) row++;
  ee_buffer wanted = {0};
  for (size_t i = 0; ee_gate_metric_names[i] != NULL; i++) ee_buffer_addf(&wanted, "|%s", ee_gate_metric_names[i]);
  for (size_t i = 0; ee_judge_types[i] != NULL; i++) {
    const char *const *measures = ee_judge_types[i]->case_metrics;
    for (; measures != NULL && *measures != NULL; measures++) {
      for (size_t k = 0; ee_gate_metric_names[k] != NULL; k++)
        assert_string_not_equal(ee_gate_metric_names[k], *measures);
      ee_buffer_addf(&wanted, "|%s", *measures);
    }
  }
  for (size_t i = 0; ee_judge_types[i] != NULL; i++) {
    const ee_corpus_type *gather = ee_judge_types[i]->corpus;
    for (const char *const *at = gather != NULL ? gather->gate_metrics : NULL; at != NULL && *at != NULL; at++)
      if (!has_name(&wanted, *at)) ee_buffer_addf(&wanted, "|%s", *at);
  }
  ee_arena arena;
  ee_arena_init(&arena, 0);
  assert_string_equal(ee_option_choices(row, &arena), ee_buffer_terminate(&wanted) + 1);
  ee_arena_fini(&arena);
  ee_buffer_fini(&wanted);
}

static void assert_printed(ee_gate_result result, const char *text) {
  ee_buffer out;
  ee_buffer_init(&out);
  ee_gate_print(&result, &out);
  assert_string_equal(ee_buffer_terminate(&out), text);
  ee_buffer_fini(&out);
}

static void test_print(void **state) {
  fixture *f = *state;
  assert_printed(decide(f, "header:number:f1=0.9"), "header number f1 0.8 [0.0703, 1] (95 %, 3 units) >= 0.9");
  assert_printed(decide(f, "mean_score=0.25"), "mean_score 0.7333 [0.101, 0.985] (95 %, 3 units) >= 0.25");
  assert_printed(decide(f, "header:note:f1=0.5"), "header note f1 undefined >= 0.5");
  /* Fields that only the data knows; it has 'k'. */
  assert_printed(decide(f, "seen:k:f1=1"), "seen k f1 1 >= 1");
  assert_printed(decide(f, "seen:long name:f1=1"), "seen long name f1 undefined >= 1 (in no case)");
  assert_printed(decide(f, "seen:kinds:f1=1"), "seen kinds f1 undefined >= 1 (in no case)");
  ee_gate gate = {
      .judge = EE_STR("header"), .field = EE_STR(""), .metric = EE_GATE_MACRO_F1, .has_min = true, .min = 0.9};
  ee_gate_result result = {.gate = &gate, .defined = true, .value = 0.899999, .range = EE_NO_INTERVAL};
  /* Four digits would say that 0.9 is below 0.9. */
  assert_printed(result, "header macro_f1 0.899999 >= 0.9");
  gate.has_max = true;
  gate.max = 0.95;
  result.value = 0.93;
  assert_printed(result, "header macro_f1 0.93 >= 0.9 and <= 0.95");
  gate.has_min = false;
  gate.min_support = 20;
  result = (ee_gate_result){.gate = &gate, .too_few = true, .units = 3};
  assert_printed(result, "header macro_f1 not decided <= 0.95 (3 units, fewer than 20)");
  assert_true(ee_gate_is_undecided(&result));
  gate.metric = EE_GATE_CASE_METRIC;
  gate.own_metric = EE_STR("hallucination");
  result = (ee_gate_result){.gate = &gate, .defined = true, .value = 0.125, .range = EE_NO_INTERVAL, .units = 30};
  assert_printed(result, "header hallucination 0.125 <= 0.95");
}

static void test_parse_slices(void **state) {
  fixture *f = *state;
  ee_gate gate;
  ee_error error;
  assert_true(ee_gate_parse(f->rules.plan, "header:total:f1[lang=d=e]=0.95", 0.9, &f->arena, &gate, &error));
  assert_true(ee_str_is(gate.field, "total") && gate.metric == EE_GATE_F1 && gate.min == 0.95);
  assert_true(ee_str_is(gate.slice, "lang=d=e") && ee_str_is(gate.slice_value, "d=e") && gate.slice_number == 0);
  assert_true(gate.confidence == 0.9);
  assert_true(ee_gate_parse(f->rules.plan, "mean_score[lang]=0.5", 0, &f->arena, &gate, &error));
  assert_true(gate.slice_value.data == NULL && gate.slice_number == 0 && f->rules.plan->slice_count == 1);
  /* A path that is not a slice yet becomes one; brackets and colons of fields and paths are theirs. */
  assert_true(ee_gate_parse(f->rules.plan, "seen:a[0]:recall[m[\"x=1:f1\"]=]=0.5", 0, &f->arena, &gate, &error));
  assert_true(ee_str_is(gate.field, "a[0]") && ee_str_is(gate.slice, "m[\"x=1:f1\"]="));
  assert_true(gate.slice_value.data != NULL && gate.slice_value.length == 0 && gate.slice_number == 1);
  assert_true(ee_str_is(f->rules.plan->slices[1]->text, "m[\"x=1:f1\"]"));
  static const struct {
    const char *text;
    double confidence;
    const char *message;
  } mistakes[] = {
      {"mean_score[lang=de]", 0, "no limit: expected [JUDGE:[FIELD:]]METRIC[SLICE]=X"},
      {"mean_score[lang[*]=de]=1", 0, "'lang[*]' may name several values; the path must name one"},
      {"mean_score[]=1", 0, "empty path"},
      {"f2[lang=de]=1", 0, "unknown metric 'f2'"},
      {"header:macro_f1[lang]=1", 0.95,
       "'macro_f1' has no interval, so 'confidence' does not apply: it is an average over fields within a slice"},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    assert_false(ee_gate_parse(f->rules.plan, mistakes[i].text, mistakes[i].confidence, &f->arena, &gate, &error));
    if (strstr(error.message, mistakes[i].message) == NULL) fail_msg("%s: %s", mistakes[i].text, error.message);
  }
}

EE_TEST_FILE(open_fixture, close_fixture, cmocka_unit_test(test_parse), cmocka_unit_test(test_mistakes),
             cmocka_unit_test(test_decide), cmocka_unit_test(test_undefined), cmocka_unit_test(test_limits_and_support),
             cmocka_unit_test(test_print), cmocka_unit_test(test_measures), cmocka_unit_test(test_measures_mistaken),
             cmocka_unit_test(test_choices), cmocka_unit_test(test_rule_file), cmocka_unit_test(test_parse_slices));
