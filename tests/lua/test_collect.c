/* test_collect.c: ee.summary and ee.report: what their functions get, in which order they are called, and what goes
 * wrong. */
#include "lua/rule_text.h"

#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "lua/collect.h"
#include "support/random.h"

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

/* Parts ---------------------------------------------------------------------------------------- */

/* The state of all summaries; NULL with the error in self->errors. */
static const char *write_state(fixture *self) {
  ee_state_line line;
  ee_error error;
  ee_buffer_clear(&self->text);
  ee_state_write(&line, &self->text);
  ee_status status = ee_collector_state(self->collector, &line, &error);
  assert_true(ee_state_close(&line));
  if (status == EE_OK) return ee_buffer_terminate(&self->text);
  ee_buffer_addf(&self->errors, "%s\n", error_text(&error));
  return NULL;
}

/* Reads a state, or merges one with what is there; false if it is damaged or with an error in self->errors. */
static bool read_state(fixture *self, const char *text, bool merge) {
  ee_arena arena;
  ee_state_line line;
  ee_error error = {0};
  ee_arena_init(&arena, 0);
  ee_state_read(&line, ee_json_read_data(&arena, ee_str_from(text), &error));
  ee_status status =
      merge ? ee_collector_merge(self->collector, &line, &error) : ee_collector_state(self->collector, &line, &error);
  bool good = ee_state_close(&line) && status == EE_OK;
  if (status != EE_OK) ee_buffer_addf(&self->errors, "%s\n", error_text(&error));
  ee_arena_fini(&arena);
  return good;
}

static const char parts_rules[] =
    "ee.summary { 'ids', function() return '' end, function(s, r) return s .. r.id end, function(s) return s end,\n"
    "  function(s, later) return s .. later end },\n"
    "ee.summary { 'scores', init = function() return {} end, merge = function(s, later)\n"
    "    for score, times in pairs(later) do s[score] = (s[score] or 0) + times end return s end,\n"
    "  step = function(s, r) s[r.score * 2] = (s[r.score * 2] or 0) + 1 return s end,\n"
    "  finish = function(s) return ('%s %s %s'):format(s[0] or 0, s[1] or 0, s[2] or 0) end },\n"
    "ee.summary { 'lowest', function() return math.huge end, function(s, r) return math.min(s, r.score) end,\n"
    "  function(s) return tostring(s) end, math.min },\n"
    "ee.summary { 'object', init = function() return setmetatable({ n = 0 }, { __index = { add = 1 } }) end,\n"
    "  step = function(s, r) s.n = s.n + s.add return s end, finish = function(s) return s.n end,\n"
    "  merge = function(s, later) s.n = s.n + later.n * s.add return s end, save = function(s) return s.n end,\n"
    "  load = function(n) return setmetatable({ n = n }, { __index = { add = 1 } }) end },\n"
    "ee.summary { 'half', function() return 0 end, function(s, r) if r.score == 0 then error('no') end return s + 1\n"
    "  end, function(s) return s end, function(s, later) return s + later end },\n"
    "ee.summary { 'none', function() error('never') end, type, type, type }";

/* Any cut into parts, merged as any tree of neighbours, gives the values, errors and examples of the whole. */
static void test_parts(void **state) {
  (void)state;
  enum { CASES = 12, PARTS = 5 };
  test_random random = test_random_start("summaries in parts", 92);
  for (int round = 0; round < 60; round++) {
    fixture whole, parts[PARTS];
    size_t cases = test_random_below(&random, CASES), ends[PARTS];
    for (size_t i = 0; i < PARTS; i++) ends[i] = i + 1 < PARTS ? test_random_below(&random, cases + 1) : cases;
    for (size_t i = PARTS - 1; i > 0; i--)
      for (size_t k = 0; k < i; k++)
        if (ends[k] > ends[i]) ends[k] = ends[i];
    start(&whole, parts_rules, NULL);
    for (size_t part = 0, i = 0; part < PARTS; part++) {
      start(&parts[part], parts_rules, NULL);
      for (; i < ends[part]; i++) {
        char row[100];
        snprintf(row, sizeof row, "{\"id\":\"%c\",\"score\":%g,\"evaluator_results\":[]}", (int)('a' + i),
                 (double)test_random_below(&random, 3) / 2);
        add(&whole, row);
        add(&parts[part], row);
      }
    }
    for (size_t left = PARTS; left > 1; left--) {
      size_t to = test_random_below(&random, left - 1);
      const char *later = write_state(&parts[to + 1]);
      assert_non_null(later);
      if (test_random_below(&random, 2) == 0) {
        char *own = strdup(write_state(&parts[to]));
        fixture fresh;
        start(&fresh, parts_rules, NULL);
        assert_true(read_state(&fresh, own, false));
        end(&parts[to]);
        parts[to] = fresh;
        free(own);
      }
      assert_true(read_state(&parts[to], later, true));
      end(&parts[to + 1]);
      for (size_t i = to + 1; i + 1 < left; i++) parts[i] = parts[i + 1];
    }
    char *expected = strdup(finish(&whole));
    assert_string_equal(finish(&parts[0]), expected);
    for (size_t i = 0; i < 6; i++) {
      const ee_summary_value *a = &ee_collector_finish(whole.collector).items[i];
      const ee_summary_value *b = &ee_collector_finish(parts[0].collector).items[i];
      assert_int_equal(a->errors, b->errors);
      assert_true((a->example == NULL) == (b->example == NULL));
      if (a->example != NULL) assert_string_equal(a->example, b->example);
    }
    free(expected);
    end(&whole);
    end(&parts[0]);
  }
}

/* What the functions of a part raise ends it; what cannot be written names the remedy. */
static void test_parts_with_errors(void **state) {
  (void)state;
  fixture f, g;
  start(&f,
        "ee.summary { 'print', function() return { print } end, type, type, type },\n"
        "ee.summary { 'y', function() return 0 end, type, type, type }",
        NULL);
  assert_null(write_state(&f));
  assert_string_equal(errors_of(&f), "rules.lua:2: the state holds a function, which cannot be written: give functions "
                                     "'save' and 'load' (summary 'print')\n");
  assert_int_equal(ee_collector_errors(f.collector), 0);
  end(&f);
  static const struct {
    const char *functions, *message;
  } rows[] = {
      {"save = function() end,\nload = type", "rules.lua:3: save returned nothing (did you forget 'return'?)"},
      {"save = function()\nerror('full') end, load = type", "rules.lua:4: full"},
      {"save = function() return { type } end,\nload = type", "rules.lua:3: save returned a function"},
      {"save = function() return 1 end,\nload = function() end",
       "rules.lua:4: load returned nothing (did you forget 'return'?)"},
      {"save = function() return 1 end,\nload = function(s) return s.x.y end",
       "rules.lua:4: attempt to index a number value (local 's')"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char items[400], expected[400];
    snprintf(items, sizeof items, "ee.summary { 'x', function() return 0 end, type, type, type,\n%s }",
             rows[i].functions);
    snprintf(expected, sizeof expected, "%s (summary 'x')\n", rows[i].message);
    start(&f, items, NULL);
    const char *text = write_state(&f);
    if (text != NULL) assert_false(read_state(&f, text, false));
    assert_string_equal(errors_of(&f), expected);
    end(&f);
  }
  start(&f, "ee.summary { 'x', function() return 0 end, type, type, function(s)\nif s > 0 then return s end end }",
        NULL);
  start(&g, "ee.summary { 'x', function() return 0 end, type, type, function(s)\nif s > 0 then return s end end }",
        NULL);
  assert_false(read_state(&g, write_state(&f), true));
  assert_string_equal(errors_of(&g), "rules.lua:2: merge returned nothing (did you forget 'return'?) (summary 'x')\n");
  end(&f);
  end(&g);
}

static void test_damaged_states(void **state) {
  (void)state;
  fixture f;
  static const char *const texts[] = {"[[[1,-2,\"i0\"]]]",      "[[[1]]]",
                                      "[[[0,-2,\"i1;\"]]]",     "[[[2,-2,\"i1;\"]]]",
                                      "[[[1,-2,\"\"]]]",        "[[[1,0,0,\"z;\"]]]",
                                      "[[[1,-2,\"i1;\"],[1]]]", "{}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    start(&f, "ee.summary { 'x', function() return 0 end, type, type, type }", NULL);
    if (read_state(&f, texts[i], i % 2 == 0)) fail_msg("%s is read", texts[i]);
    end(&f);
  }
  start(&f, "ee.summary { 'x', function() return 0 end, type, function(s) return s end, type }", NULL);
  assert_true(read_state(&f, "[[[1,-2,\"i7;\"]]]", false));
  assert_string_equal(finish(&f), "x=7;");
  end(&f);
}

static void test_refused_in_parts(void **state) {
  (void)state;
  fixture f;
  ee_error error;
  start(&f,
        "ee.summary { 'a', type, type, type, type },\nee.summary { 'b', type, type, type },\n"
        "ee.report { 'list', case = type, done = type }, ee.report { 'end', done = type }",
        NULL);
  const ee_plan *plan = ee_rule_file_plan(f.file);
  assert_int_equal(ee_summaries_check_parts(plan, &error), EE_ERROR_RULES);
  assert_string_equal(error_text(&error), "rules.lua:3: ee.summary 'b' cannot be computed in parts without a function "
                                          "merge: add 'merge = function(state, later) ... return state end', which "
                                          "makes one state of two");
  assert_int_equal(ee_report_check_parts(&plan->reports[0], &error), EE_ERROR_USAGE);
  assert_string_equal(error.message,
                      "ee.report 'list' prints text for each case, which states do not have: 'evalengine "
                      "report ROWS --rules RULES -f list' prints it from the rows of the parts (--results)");
  assert_int_equal(ee_report_check_parts(&plan->reports[1], &error), EE_OK);
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
  assert_load_fails("ee.summary { 'x', type, type, type, type, type, type, type }",
                    "rules.lua:2: ee.summary takes a name and 6 functions, got 8 values\n");
  assert_load_fails("ee.summary { 'x', type, type, type, type, save = type },\n"
                    "ee.summary { 'y', type, type, type, load = type },\n"
                    "ee.summary { 'z', type, type, type, save = type, load = type }",
                    "rules.lua:2: ee.summary 'x' has a function save but no function load\n"
                    "rules.lua:3: ee.summary 'y' has a function load but no function save\n"
                    "rules.lua:4: ee.summary 'z' has functions save and load, which need a function merge\n");
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
             cmocka_unit_test(test_limits), cmocka_unit_test(test_parts), cmocka_unit_test(test_parts_with_errors),
             cmocka_unit_test(test_damaged_states), cmocka_unit_test(test_refused_in_parts),
             cmocka_unit_test(test_mistakes));
