/* test_collect.c: ee.summary and ee.report: what their functions get, in which order they are called, and what goes
 * wrong. */
#include "lua/rule_text.h"

#include "data/json/json_writer.h"
#include "lua/collect.h"

typedef struct fixture {
  ee_rule_file *file;
  ee_collector *collector;
  ee_buffer text;   /* of the report */
  ee_buffer errors; /* a line each */
  ee_buffer values;
} fixture;

static void note(void *user, const ee_error *error) {
  fixture *self = user;
  ee_buffer_addf(&self->errors, "%s\n", error_text(error));
}

/* Rules with one judge and `items` after it. */
static void start_with(fixture *self, const char *items, const char *report, ee_lua_limits limits) {
  ee_buffer text;
  *self = (fixture){0};
  ee_buffer_init(&text);
  ee_buffer_addf(&text, "return ee.rules { ee.fields { ee.exact 'n' },\n%s }", items);
  write_text("rules.lua", ee_buffer_terminate(&text));
  ee_buffer_fini(&text);
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_rule_file_options options = {.limits = limits};
  self->file = ee_rule_file_load("rules.lua", &options, &errors);
  if (self->file == NULL) fail_msg("%s", error_text(&errors.items[0]));
  ee_error_list_fini(&errors);
  const ee_report_rule *rule = NULL;
  if (report != NULL) {
    rule = ee_report_rule_find(ee_rule_file_plan(self->file), ee_str_from(report));
    assert_non_null(rule);
  }
  ee_error error;
  self->collector = ee_collector_open(self->file, rule, note, self, &error);
  assert_non_null(self->collector);
}

static void start(fixture *self, const char *items, const char *report) {
  start_with(self, items, report, (ee_lua_limits){.instructions = -1});
}

static void end(fixture *self) {
  ee_collector_free(self->collector);
  ee_rule_file_free(self->file);
  ee_buffer_fini(&self->text);
  ee_buffer_fini(&self->errors);
  ee_buffer_fini(&self->values);
}

static uint64_t add(fixture *self, const char *row) {
  return ee_collector_add(self->collector, ee_str_from(row), &self->text);
}

/* "NAME=JSON;", "NAME=?2;" for one without a value but with 2 errors. */
static const char *finish(fixture *self) {
  ee_summary_values values = ee_collector_finish(self->collector);
  ee_buffer_clear(&self->values);
  for (size_t i = 0; i < values.count; i++) {
    ee_buffer_addf(&self->values, "%.*s=", EE_STR_ARG(values.items[i].name));
    if (values.items[i].value == NULL)
      ee_buffer_addf(&self->values, "?%d", (int)values.items[i].errors);
    else
      ee_json_write_value(&self->values, values.items[i].value);
    ee_buffer_add_char(&self->values, ';');
  }
  return ee_buffer_terminate(&self->values);
}

static const char *errors_of(fixture *self) { return ee_buffer_terminate(&self->errors); }
static const char *text_of(fixture *self) { return ee_buffer_terminate(&self->text); }

static const char row_a[] =
    "{\"schema\":2,\"id\":\"a\",\"score\":1,\"verdict\":\"pass\",\"hits\":[\"n\"],\"misses\":[],"
    "\"candidate_answer\":{\"n\":\"x\"},\"expected\":{\"n\":\"x\"},\"slices\":{\"l\":[\"de\"]},"
    "\"evaluator_results\":[{\"name\":\"fields\",\"score\":1,\"details\":{\"metrics\":{\"n\":{\"tp\":1,\"tn\":0,"
    "\"fp\":0,\"fn\":0}}}},{\"name\":\"bare\",\"score\":0.5}]}";
static const char row_b[] = "{\"id\":\"b\",\"score\":0.5,\"candidate_answer\":\"not JSON\",\"evaluator_results\":[]}";

static void test_summaries(void **state) {
  (void)state;
  fixture f;
  start(&f,
        "ee.summary { 'ids', function() return '' end, function(s, r) return s .. r.id end, function(s) return s end },"
        "ee.summary { 'mean', finish = function(s) return s.sum / s.count end, init = function() return { sum = 0, "
        "count = 0 } end, step = function(s, r) s.sum, s.count = s.sum + r.score, s.count + 1 return s end },"
        "ee.summary { 'table', function() return {} end, function(s, r) s[#s + 1] = { r.id, r.score } return s end,"
        " function(s) return s end, function(s, t) return s end }",
        NULL);
  assert_int_equal(add(&f, row_a), 0);
  assert_int_equal(add(&f, row_b), 0);
  assert_string_equal(finish(&f), "ids=\"ab\";mean=0.75;table=[[\"a\",1],[\"b\",0.5]];");
  assert_string_equal(finish(&f), "ids=\"ab\";mean=0.75;table=[[\"a\",1],[\"b\",0.5]];"); /* once is enough */
  assert_string_equal(errors_of(&f), "");
  end(&f);
}

/* Everything that a result has. */
static void test_results(void **state) {
  (void)state;
  static const struct {
    const char *expression, *of_a;
  } rows[] = {
      {"r.id", "a"},
      {"r.verdict", "pass"},
      {"#r.misses", "0"},
      {"r.expected.n", "x"},
      {"r.candidate.n", "x"},
      {"r.candidate_answer.n", "x"},
      {"r.judges.fields.score", "1"},
      {"r.judges.fields.fields.n.tp", "1"},
      {"r.judges.fields.details.metrics.n.fn", "0"},
      {"r.judges.bare.fields.n", "nil"},
      {"r.judges.bare.weight", "nil"},
      {"r.slices.l[1]", "de"},
      {"r.unscored", "nil"},
      {"r.rule_errors", "nil"},
      {"ee.get(r, 'slices.l[0]')", "de"},
      {"ee.copy(r).score", "1"},
      {"(function() local t = '' for name, judge in pairs(r.judges) do t = t .. name .. judge.score .. "
       "ee.json(judge.fields) "
       "end return t end)()",
       "fields1{\"n\":{\"tp\":1,\"tn\":0,\"fp\":0,\"fn\":0}}bare0.5{}"},
      {"#ee.json(r) == #ee.json(ee.copy(r))", "true"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char items[512];
    snprintf(items, sizeof items, "ee.report { 'x', function(r) return tostring(%s) end }", rows[i].expression);
    fixture f;
    start(&f, items, "x");
    assert_int_equal(add(&f, row_a), 0);
    assert_string_equal(text_of(&f), rows[i].of_a);
    end(&f);
  }
}

/* Names that are not there are mistakes, not nil. */
static void test_unknown_names(void **state) {
  (void)state;
  static const struct {
    const char *expression, *message;
  } rows[] = {
      {"r.scroe", "a result has no field 'scroe' (did you mean 'score'?)"},
      {"r.judge", "a result has no field 'judge' (did you mean 'judges'?)"},
      {"r.judges.filds", "no judge 'filds' (did you mean 'fields'?)"},
      {"r.judges.fields.scor", "a judge has no field 'scor' (did you mean 'score'?)"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char items[256], expected[512];
    snprintf(items, sizeof items, "ee.report { 'x', function(r)\nreturn tostring(%s) end }", rows[i].expression);
    snprintf(expected, sizeof expected, "rules.lua:3: %s (report 'x', case 'a')\n", rows[i].message);
    fixture f;
    start(&f, items, "x");
    assert_int_equal(add(&f, row_a), 1);
    assert_string_equal(errors_of(&f), expected);
    assert_string_equal(text_of(&f), "");
    end(&f);
  }
  /* The documents are in rows of full detail only; without a document there is no rest of the record either. */
  fixture f;
  start(&f, "ee.report { 'x', function(r)\nreturn tostring(r.record) end }", "x");
  assert_int_equal(add(&f, row_a), 0);
  assert_int_equal(add(&f, row_b), 1);
  assert_string_equal(text_of(&f), "nil");
  assert_string_equal(errors_of(&f), "rules.lua:3: this row has no 'record' (--results writes it with --detail full) "
                                     "(report 'x', case 'b')\n");
  end(&f);
}

/* An error leaves its case out of that summary only; the others go on. */
static void test_errors_in_summaries(void **state) {
  (void)state;
  fixture f;
  start(
      &f,
      "ee.summary { 'init', function() error('no') end, function(s) return s end, function(s) return s end },\n"
      "ee.summary { 'step', function() return 0 end, function(s, r) if r.id == 'a' then error('at a') end return s + 1 "
      "end, function(s) return s end },\n"
      "ee.summary { 'nil step', function() return 7 end, function(s) end, function(s) return s end },\n"
      "ee.summary { 'nil', function() return 0 end, function(s) return s end, function(s) end },\n"
      "ee.summary { 'function', function() return 0 end, function(s) return s end, function(s) return print end },\n"
      "ee.summary { 'NaN', function() return 0 end, function(s) return s end, function(s) return { 0 / 0 } end },\n"
      "ee.summary { 'kept', function() return {} end, function(s, r) s[#s + 1] = r.judges return s end,\n"
      " function(s) return #s.fields end },\n"
      "ee.summary { 'good', function() return 0 end, function(s) return s + 1 end, function(s) return s end }\n",
      NULL);
  assert_int_equal(add(&f, row_a), 2);
  assert_int_equal(add(&f, row_b), 1);
  assert_string_equal(finish(&f), "init=?1;step=1;nil step=7;nil=?1;function=?1;NaN=?1;kept=?1;good=2;");
  assert_string_equal(errors_of(&f),
                      "rules.lua:2: no (summary 'init')\n"
                      "rules.lua:3: at a (summary 'step', case 'a')\n"
                      "rules.lua:4: step returned nothing (did you forget 'return'?) (summary 'nil step', case 'a')\n"
                      "rules.lua:4: step returned nothing (did you forget 'return'?) (summary 'nil step', case 'b')\n"
                      "rules.lua:5: finish returned nothing (did you forget 'return'?) (summary 'nil')\n"
                      "rules.lua:6: finish returned a function (summary 'function')\n"
                      "rules.lua:7: finish returned a number that is NaN or infinite (summary 'NaN')\n"
                      "rules.lua:9: attempt to get length of a nil value (field 'fields') (summary 'kept')\n");
  assert_int_equal(ee_collector_errors(f.collector), 8);
  end(&f);
}

static void test_views_end_with_their_case(void **state) {
  (void)state;
  fixture f;
  start(&f,
        "ee.summary { 'kept', function() return {} end, function(s, r) s[1] = r return s end,\n"
        "function(s) return s[1].id end }",
        NULL);
  add(&f, row_a);
  assert_string_equal(finish(&f), "kept=?1;");
  assert_string_equal(errors_of(&f),
                      "rules.lua:3: this value belongs to a case that has ended (copy it with ee.copy, or "
                      "do not keep it) (summary 'kept')\n");
  end(&f);
}

static void test_reports(void **state) {
  (void)state;
  fixture f;
  start(&f,
        "ee.report { 'x', function(r) if r.id == 'a' then return 'A\\n' end end,\n"
        "function(results) return results.mean_score .. ' ' .. results.summaries.s end }",
        "x");
  assert_int_equal(add(&f, row_a), 0);
  assert_int_equal(add(&f, row_b), 0);
  assert_true(ee_collector_done(f.collector, EE_STR("{\"mean_score\":0.5,\"summaries\":{\"s\":3}}"), &f.text));
  assert_string_equal(text_of(&f), "A\n0.5 3");
  end(&f);

  start(&f, "ee.report { 'x', case = function(r) return r.id end }", "x");
  add(&f, row_a);
  assert_true(ee_collector_done(f.collector, EE_STR("{}"), &f.text));
  assert_string_equal(text_of(&f), "a");
  end(&f);

  start(&f,
        "ee.report { 'x', case = function(r) return 1 end,\n"
        "done = function() return { } end },\nee.report { 'y', done = function() return '\\xff' end }",
        "x");
  assert_int_equal(add(&f, row_a), 1);
  assert_false(ee_collector_done(f.collector, EE_STR("{}"), &f.text));
  assert_string_equal(errors_of(&f), "rules.lua:2: case returned a number, expected a string (report 'x', case 'a')\n"
                                     "rules.lua:3: done returned a table, expected a string (report 'x')\n");
  end(&f);
}

/* The limits are those of other functions; what a step exceeds is its own error. */
static void test_limits(void **state) {
  (void)state;
  fixture f;
  start_with(&f,
             "ee.summary { 'loop', function() return 0 end, function(s, r) while r.id == 'a' do end return s + 1 end,\n"
             "function(s) return s end },\n"
             "ee.summary { 'large', function() return '' end,\n"
             "function(s, r) return r.id == 'a' and s .. ('x'):rep(1 << 22) .. r.id or s .. r.id end,\n"
             "function(s) return #s end }",
             NULL, (ee_lua_limits){.instructions = 100000, .memory = (size_t)2 << 20});
  assert_int_equal(add(&f, row_a), 2);
  assert_int_equal(add(&f, row_b), 0);
  assert_string_equal(finish(&f), "loop=1;large=1;");
  assert_non_null(strstr(errors_of(&f), "instruction budget of 100000 used up"));
  assert_non_null(strstr(errors_of(&f), "out of memory: the rule's state holds more than 2 MiB"));
  end(&f);
}

static void assert_load_fails(const char *items, const char *expected) {
  ee_buffer text;
  ee_buffer_init(&text);
  ee_buffer_addf(&text, "return ee.rules { ee.fields { ee.exact 'n' },\n%s }", items);
  write_text("rules.lua", ee_buffer_terminate(&text));
  ee_buffer_clear(&text);
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_rule_file_options options = {.limits = {.instructions = -1}};
  assert_null(ee_rule_file_load("rules.lua", &options, &errors));
  for (size_t i = 0; i < errors.count; i++) ee_buffer_addf(&text, "%s\n", error_text(&errors.items[i]));
  assert_string_equal(ee_buffer_terminate(&text), expected);
  ee_buffer_fini(&text);
  ee_error_list_fini(&errors);
}

static void test_mistakes(void **state) {
  (void)state;
  assert_load_fails("ee.summary { 'x' }", "rules.lua:2: ee.summary 'x' has no function init\n"
                                          "rules.lua:2: ee.summary 'x' has no function step\n"
                                          "rules.lua:2: ee.summary 'x' has no function finish\n");
  assert_load_fails("ee.summary { 'x', 0, type, type }",
                    "rules.lua:2: init of ee.summary must be a function, got a number\n");
  assert_load_fails("ee.summary { type, type, type, type, init = type }",
                    "rules.lua:2: the first value of ee.summary must be its name, got a function\n"
                    "rules.lua:2: init of ee.summary is given twice: by its place and by its name\n");
  assert_load_fails("ee.summary { 'x', type, type, type, type, type }",
                    "rules.lua:2: ee.summary takes a name and 4 functions, got 6 values\n");
  assert_load_fails("ee.summary { 'x', type, type, type },\nee.summary { 'x', type, type, type }",
                    "rules.lua:3: a second summary has the name 'x' (the first is on line 2)\n");
  assert_load_fails("ee.report 'x'",
                    "rules.lua:2: ee.report 'x' has neither a function 'case' nor a function 'done'\n");
  assert_load_fails("ee.report { 'x', finish = type }",
                    "rules.lua:2: unknown option 'finish' for ee.report\n"
                    "rules.lua:2: ee.report 'x' has neither a function 'case' nor a function 'done'\n");
  assert_load_fails("ee.report { 'x', case = 'text' }",
                    "rules.lua:2: option 'case' of ee.report must be a function, got a string\n");
  assert_load_fails("ee.report { 'x', type },\nee.report { 'x', type }",
                    "rules.lua:3: a second report has the name 'x' (the first is on line 2)\n");
}

EE_TEST_FILE(rule_text_setup, rule_text_teardown, cmocka_unit_test(test_summaries), cmocka_unit_test(test_results),
             cmocka_unit_test(test_unknown_names), cmocka_unit_test(test_errors_in_summaries),
             cmocka_unit_test(test_views_end_with_their_case), cmocka_unit_test(test_reports),
             cmocka_unit_test(test_limits), cmocka_unit_test(test_mistakes));
