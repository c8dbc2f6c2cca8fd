/* test_callbacks.c: calling functions of a rule file through the vtable. */
#include "lua/rule_text.h"

#include <math.h>

#include "base/buffer.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "lua/callbacks.h"

/* A rule file whose judges are `functions` (Lua text of a list), a script over it, and a case under way. */
typedef struct fixture {
  ee_rule_file *file;
  ee_script *script;
  ee_arena arena;
  ee_case current;
  ee_error error;
} fixture;

static const ee_script_vtable *const vtable = &ee_lua_callbacks;

static const ee_value *read_json(ee_arena *arena, const char *text) {
  ee_error error;
  const ee_value *value = ee_json_read(arena, ee_str_from(text), NULL, &error);
  if (value == NULL) fail_msg("%s: %s", text, error.message);
  return value;
}

static void start_case(fixture *self, const char *expected, const char *candidate) {
  ee_arena_reset(&self->arena, 0);
  self->current = (ee_case){.id = EE_STR("case-1"),
                            .record = read_json(&self->arena, "{\"meta\":{\"n\":1}}"),
                            .expected = read_json(&self->arena, expected),
                            .candidate = candidate == NULL ? NULL : read_json(&self->arena, candidate)};
  vtable->begin_case(self->script, &self->current, &self->arena);
}

static void start(fixture *self, const char *functions) {
  char text[8192];
  snprintf(text, sizeof(text),
           "local judges = {}\nfor i, f in ipairs {\n%s\n} do judges[i] = ee.judge { 'j' .. i, f } end\n"
           "return ee.rules { judges }",
           functions);
  write_text("rules.lua", text);
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_rule_file_options options = {.limits = {.instructions = -1}};
  self->file = ee_rule_file_load("rules.lua", &options, &errors);
  if (self->file == NULL) fail_msg("%s\n%s", error_text(&errors.items[0]), text);
  ee_error_list_fini(&errors);
  const ee_plan *plan = ee_rule_file_plan(self->file);
  self->script = plan->vtable->open(plan->host, &self->error);
  assert_non_null(self->script);
  ee_arena_init(&self->arena, 0);
  start_case(self, "{\"a\":1}", "{\"a\":2}");
}

static void end(fixture *self) {
  vtable->end_case(self->script);
  vtable->close(self->script);
  ee_rule_file_free(self->file);
  ee_arena_fini(&self->arena);
}

/* Strategies ----------------------------------------------------------------------------------- */

static void test_strategy_results(void **state) {
  (void)state;
  const struct {
    const char *function;
    double score;     /* below 0: an error */
    const char *text; /* the reason, or the error */
  } cases[] = {
      {"function() return true end", 1, ""},
      {"function() return false, 'because' end", 0, "because"},
      {"function() return 0.25, 'a quarter', 'and more' end", 0.25, "a quarter"},
      {"function() return 1 end", 1, ""},
      {"function() return -0.0 end", 0, ""},
      {"function(e, c) return e == 'x' and c == 'y' end", 1, ""},
      {"function() end", -1, "rules.lua:3: strategy returned nothing (did you forget 'return'?)"},
      {"function() return nil, 'x' end", -1, "rules.lua:3: strategy returned nothing (did you forget 'return'?)"},
      {"function() return 1.5 end", -1, "rules.lua:3: strategy returned 1.5, which is not between 0 and 1"},
      {"function() return -2^-39 end", -1,
       "rules.lua:3: strategy returned -1.8189894035458565e-12, which is not between 0 and 1"},
      {"function() return 1 + 2^-39 end", -1,
       "rules.lua:3: strategy returned 1.000000000001819, which is not between 0 and 1"},
      {"function() return 1 + 2^-52 end", 1, ""},
      {"function() return 1 + 2^-40 end", 1, ""},
      {"function() return 0.1 + 0.2 + 0.3 + 0.4 + 2^-52 end", 1, ""},
      {"function() return -2^-40 end", 0, ""},
      {"function() return 0 / 0 end", -1, "rules.lua:3: strategy returned NaN, which is not between 0 and 1"},
      {"function() return math.huge end", -1, "rules.lua:3: strategy returned inf, which is not between 0 and 1"},
      {"function() return {} end", -1, "rules.lua:3: strategy returned a table, expected true, false or a number"},
      {"function() return '1' end", -1, "rules.lua:3: strategy returned a string, expected true, false or a number"},
      {"function() return ee.null end", -1, "rules.lua:3: strategy returned ee.null, expected true, false or a number"},
      {"function() return print end", -1,
       "rules.lua:3: strategy returned a function, expected true, false or a number"},
      {"function(e, c, x) return x.case.expected end", -1,
       "rules.lua:3: strategy returned an object, expected true, false or a number"},
      {"function() return 1, {} end", -1, "rules.lua:3: strategy returned a table as its reason, expected a string"},
      {"function() return 1, '\\xff' end", -1, "rules.lua:3: strategy returned a reason that is not valid UTF-8"},
      {"function()\n\nreturn nil + 1 end", -1, "rules.lua:5: attempt to perform arithmetic on a nil value"},
      {"function() error 'no' end", -1, "rules.lua:3: no"},
      {"math.floor", -1, " bad argument #1 to 'math.floor' (number expected, got string)"},
      {"function()\nwhile true do end end", -1,
       "rules.lua:4: instruction budget of 10000000 used up (a loop that does not end? --lua-budget gives more)"},
      {"\nfunction() return ('x'):rep(1e9) end", -1,
       "rules.lua:4: out of memory: the rule's state holds more than 64 MiB"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    fixture self = {0};
    start(&self, cases[i].function);
    ee_script_score score = {.score = -7};
    const ee_script_place place = {.path = EE_STR("a")};
    for (int round = 0; round < 2; round++) { /* an error leaves the script as it was */
      ee_status status = vtable->strategy(self.script, 0, read_json(&self.arena, "\"x\""),
                                          read_json(&self.arena, "\"y\""), &place, &score, &self.error);
      if (cases[i].score < 0) {
        assert_int_equal(status, EE_ERROR_RULES);
        assert_string_equal(error_text(&self.error), cases[i].text + (cases[i].text[0] == ' '));
        assert_true(score.score == -7);
      } else {
        if (status != EE_OK) fail_msg("%s: %s", cases[i].function, error_text(&self.error));
        assert_true(score.score == cases[i].score);
        assert_false(signbit(score.score));
        assert_int_equal(score.reason.length, strlen(cases[i].text));
        assert_memory_equal(score.reason.data, cases[i].text, score.reason.length);
      }
    }
    end(&self);
  }
}

static void test_values_handed_over(void **state) {
  (void)state;
  fixture self = {0};
  start(&self, "function(e, c) return e == c end,\n"
               "function(e, c) return math.type(e) == 'integer' and e == 9007199254740993 and c == 1.5 end,\n"
               "function(e, c) return #e == 3 and e == 'a\\0b' and c == ee.null end,\n"
               "function(e, c) return e.list[2] == 'y' and #e.list == 2 and c == nil end");
  const struct {
    const char *expected, *candidate;
  } pairs[] = {{"{\"a\":[1,2]}", "{\"a\":[1,2.0]}"},
               {"9007199254740993", "1.5"},
               {"\"a\\u0000b\"", "null"},
               {"{\"list\":[\"x\",\"y\"]}", NULL}};
  for (int i = 0; i < 4; i++) {
    ee_script_score score = {0};
    const ee_value *candidate = pairs[i].candidate == NULL ? NULL : read_json(&self.arena, pairs[i].candidate);
    ee_status status = vtable->strategy(self.script, i, read_json(&self.arena, pairs[i].expected), candidate, NULL,
                                        &score, &self.error);
    if (status != EE_OK) fail_msg("%s", error_text(&self.error));
    assert_true(score.score == 1);
  }
  end(&self);
}

static void test_context(void **state) {
  (void)state;
  fixture self = {0};
  start(&self, "function(e, c, x) return x.path == 'a.b' and x.item == nil and x.case.id == 'case-1' and "
               "x.case.expected.a == 1\n"
               "  and x.case.candidate.a == 2 and x.case.record.meta.n == 1 and x.case == x.case end,\n"
               "function(e, c, x) return x.item.expected.n == 1 and x.item.candidate.n == 2 end,\n"
               "function(e, c, x) return x.pth end,\n"
               "function(e, c, x) x.path = 1 end,\n"
               "function(e, c, x) return x.case.cnadidate end,\n"
               "function(e, c, x) return tostring(x) == 'context' and tostring(x.case) == 'case' and type(x.options) "
               "== 'table' end");
  ee_script_place place = {.path = EE_STR("a.b")};
  ee_script_score score = {0};
  const ee_value *value = read_json(&self.arena, "\"x\"");
  assert_int_equal(vtable->strategy(self.script, 0, value, value, &place, &score, &self.error), EE_OK);
  assert_true(score.score == 1);
  place.expected_item = read_json(&self.arena, "{\"n\":1}");
  place.candidate_item = read_json(&self.arena, "{\"n\":2}");
  score.score = 0;
  assert_int_equal(vtable->strategy(self.script, 1, value, value, &place, &score, &self.error), EE_OK);
  assert_true(score.score == 1);
  const char *const errors[] = {"rules.lua:6: 'context' has no field 'pth' (did you mean 'path'?)",
                                "rules.lua:7: 'context' cannot be changed",
                                "rules.lua:8: 'case' has no field 'cnadidate' (did you mean 'candidate'?)"};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(vtable->strategy(self.script, 2 + i, value, value, &place, &score, &self.error), EE_ERROR_RULES);
    assert_string_equal(error_text(&self.error), errors[i]);
  }
  score.score = 0;
  assert_int_equal(vtable->strategy(self.script, 5, value, value, &place, &score, &self.error), EE_OK);
  assert_true(score.score == 1);
  end(&self);
}

/* What a function kept from one case is of no use in the next. */
static void test_kept_values(void **state) {
  (void)state;
  fixture self = {0};
  start(
      &self,
      "(function() local kept return function(e, c, x)\n"
      "  if kept then return kept.case.id == 'case-1' end kept = { case = x.case, context = x } return 1 end end)(),\n"
      "(function() local kept return function(e, c, x) if kept then return kept.a == 1 end kept = e return 1 end "
      "end)(),\n"
      "(function() local kept return function(case) if kept then return kept.path end return 1 end end)(),\n"
      "function() return ee.exact 'a' end");
  ee_script_score score = {0};
  const ee_script_place place = {.path = EE_STR("a")};
  for (int function = 0; function < 2; function++)
    assert_int_equal(vtable->strategy(self.script, function, self.current.expected, self.current.candidate, &place,
                                      &score, &self.error),
                     EE_OK);
  assert_int_equal(
      vtable->strategy(self.script, 0, self.current.expected, self.current.candidate, &place, &score, &self.error),
      EE_OK); /* the same case */
  vtable->end_case(self.script);
  start_case(&self, "{\"a\":3}", NULL);
  assert_int_equal(vtable->strategy(self.script, 0, self.current.expected, NULL, &place, &score, &self.error),
                   EE_ERROR_RULES);
  assert_string_equal(error_text(&self.error), "rules.lua:4: 'case' is used after its case ended");
  assert_int_equal(vtable->strategy(self.script, 1, self.current.expected, NULL, &place, &score, &self.error),
                   EE_ERROR_RULES);
  assert_non_null(strstr(self.error.message, "case that has ended"));
  assert_int_equal(vtable->strategy(self.script, 3, self.current.expected, NULL, &place, &score, &self.error),
                   EE_ERROR_RULES);
  assert_string_equal(error_text(&self.error),
                      "rules.lua:7: ee.exact describes rules and cannot be called while a case is judged");
  end(&self);
}

/* Judges --------------------------------------------------------------------------------------- */

/* "score reasoning +hit -miss details". */
static const char *print_judgement(const ee_script_judgement *judgement, ee_buffer *out) {
  ee_buffer_clear(out);
  ee_buffer_addf(out, "%g '%.*s'", judgement->score, (int)judgement->reasoning.length, judgement->reasoning.data);
  for (size_t i = 0; i < judgement->hit_count; i++)
    ee_buffer_addf(out, " +%.*s", (int)judgement->hits[i].length, judgement->hits[i].data);
  for (size_t i = 0; i < judgement->miss_count; i++)
    ee_buffer_addf(out, " -%.*s", (int)judgement->misses[i].length, judgement->misses[i].data);
  if (judgement->details != NULL) {
    ee_buffer_add_char(out, ' ');
    ee_json_write_value(out, judgement->details);
  }
  return ee_buffer_terminate(out);
}

static void test_judge_results(void **state) {
  (void)state;
  const struct {
    const char *function, *expected; /* an error begins with '!' */
  } cases[] = {
      {"function(case) return case.candidate.a == 2, 'why' end", "1 'why'"},
      {"function() return 0.5 end", "0.5 ''"},
      {"function() return { score = 0.5 } end", "0.5 ''"},
      {"function() return { score = true, hits = { 'a', 'b' }, misses = { 'c' }, reasoning = 'r', details = { x = { 1, "
       "2 } } } end",
       "1 'r' +a +b -c {\"x\":[1,2]}"},
      {"function() return { score = 0, hits = {}, details = {} } end", "0 '' {}"},
      {"function(case) return { score = 1, details = case.candidate } end", "1 '' {\"a\":2}"},
      {"function(case) return { score = 1, details = { kept = case.candidate, none = ee.null } } end",
       "1 '' {\"kept\":{\"a\":2},\"none\":null}"},
      {"function() end", "!judge returned nothing (did you forget 'return'?)"},
      {"function() return 'x' end", "!judge returned a string, expected true, false, a number or a table"},
      {"function(case) return case.expected end",
       "!judge returned an object, expected true, false, a number or a table"},
      {"function() return 2 end", "!judge returned 2, which is not between 0 and 1"},
      {"function() return {} end", "!judge returned a table without score"},
      {"function() return { score = 2 } end", "!judge returned 2, which is not between 0 and 1"},
      {"function() return { score = {} } end", "!judge returned a table, expected true, false or a number"},
      {"function() return { 0.5, 'x' } end",
       "!judge returned a list, expected { score = ..., hits = ..., misses = ... }"},
      {"function() return { score = 1, reasonning = 'x', zzzzzzzz = 1 } end",
       "!judge returned the unknown field 'reasonning' (did you mean 'reasoning'?)"},
      {"function() return { score = 1, zzzzzzzz = 1 } end", "!judge returned the unknown field 'zzzzzzzz'"},
      {"function() return { score = 1, hits = 'x' } end",
       "!judge returned a string as hits, expected an array of strings"},
      {"function() return { score = 1, hits = { 'x', 1 } } end",
       "!judge returned hits that hold a value of type number, expected strings"},
      {"function() return { score = 1, misses = { 'x', nil, 'y' } } end", "!judge returned misses that hold *"},
      {"function() return { score = 1, misses = { '\\xff' } } end", "!judge returned misses that hold *"},
      {"function() return { score = 1, reasoning = 1 } end",
       "!judge returned a number as its reasoning, expected a string"},
      {"function() return { score = 1, details = 'x' } end", "!judge returned a string as details, expected an object"},
      {"function() return { score = 1, details = { 1, 2 } } end",
       "!judge returned a list as details, expected an object"},
      {"function() return { score = 1, details = { x = print } } end", "!judge returned details that hold a function"},
      {"function() return { score = 1, details = { x = 0 / 0 } } end", "!judge returned details that hold *"},
      {"function() local t = {} t.t = t return { score = 1, details = t } end", "!judge returned details that hold *"},
      {"function() return { score = 1, details = ee.null } end",
       "!judge returned ee.null as details, expected an object"},
  };
  ee_buffer out = {0};
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    fixture self = {0};
    start(&self, cases[i].function);
    ee_script_judgement judgement;
    ee_status status = vtable->judge(self.script, 0, NULL, &judgement, &self.error);
    const char *expected = cases[i].expected;
    if (expected[0] == '!') {
      assert_int_equal(status, EE_ERROR_RULES);
      assert_string_equal(self.error.file, "rules.lua");
      assert_int_equal(self.error.line, 3);
      const char *star = strchr(expected, '*');
      if (star == NULL)
        assert_string_equal(self.error.message, expected + 1);
      else
        assert_memory_equal(self.error.message, expected + 1, (size_t)(star - expected) - 1);
    } else {
      if (status != EE_OK) fail_msg("%s: %s", cases[i].function, error_text(&self.error));
      assert_string_equal(print_judgement(&judgement, &out), expected);
    }
    end(&self);
  }
  ee_buffer_fini(&out);
}

static void test_judge_without_candidate(void **state) {
  (void)state;
  fixture self = {0};
  start(&self, "function(case) return case.candidate == nil and ee.get(case.candidate, 'a') == nil end");
  vtable->end_case(self.script);
  start_case(&self, "{}", NULL);
  ee_script_judgement judgement;
  assert_int_equal(vtable->judge(self.script, 0, NULL, &judgement, &self.error), EE_OK);
  assert_true(judgement.score == 1);
  end(&self);
}

/* The other calls ------------------------------------------------------------------------------ */

static void test_map(void **state) {
  (void)state;
  const struct {
    const char *function, *input, *expected; /* an error begins with '!' */
  } cases[] = {
      {"function(v) return v:upper(), 'ignored' end", "\"ab\"", "\"AB\""},
      {"function(v) return v + 1 end", "1", "2"},
      {"function(v) return v end", "{\"a\":[1]}", "{\"a\":[1]}"},
      {"function(v) return { v } end", "\"x\"", "[\"x\"]"},
      {"function(v) return ee.null end", "1", "null"},
      {"function(v) return false end", "1", "false"},
      {"function(v) end", "1", "!function returned nothing (did you forget 'return'?)"},
      {"function(v) return print end", "1", "!function returned a function"},
  };
  ee_buffer out = {0};
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    fixture self = {0};
    start(&self, cases[i].function);
    const ee_value *result = NULL;
    ee_status status = vtable->map(self.script, 0, read_json(&self.arena, cases[i].input), &result, &self.error);
    if (cases[i].expected[0] == '!') {
      assert_int_equal(status, EE_ERROR_RULES);
      assert_string_equal(self.error.message, cases[i].expected + 1);
    } else {
      if (status != EE_OK) fail_msg("%s: %s", cases[i].function, error_text(&self.error));
      ee_buffer_clear(&out);
      ee_json_write_value(&out, result);
      assert_string_equal(ee_buffer_terminate(&out), cases[i].expected);
    }
    end(&self);
  }
  ee_buffer_fini(&out);
}

static void test_similarity_and_condition(void **state) {
  (void)state;
  fixture self = {0};
  start(&self, "function(a, b) return a.n == b.n and 0.75 or 0 end, function(a, b) return 'x' end,\n"
               "function(case) return case.expected.a == 1 end, function(case) return case.expected.b ~= nil end,\n"
               "function(case) return 'yes' end, function(case) error 'no' end,\n"
               "function(case) return case.expected.b end");
  const ee_value *item = read_json(&self.arena, "{\"n\":1}");
  double similarity = 0;
  assert_int_equal(vtable->similarity(self.script, 0, item, item, &similarity, &self.error), EE_OK);
  assert_true(similarity == 0.75);
  assert_int_equal(vtable->similarity(self.script, 1, item, item, &similarity, &self.error), EE_ERROR_RULES);
  assert_string_equal(error_text(&self.error),
                      "rules.lua:3: similarity returned a string, expected true, false or a number");
  const bool expected[] = {true, false, true};
  for (int i = 0; i < 3; i++) {
    bool result = !expected[i];
    assert_int_equal(vtable->condition(self.script, 2 + i, &result, &self.error), EE_OK);
    assert_int_equal(result, expected[i]);
  }
  bool result;
  assert_int_equal(vtable->condition(self.script, 6, &result, &self.error), EE_ERROR_RULES);
  assert_string_equal(error_text(&self.error), "rules.lua:6: condition returned nothing (did you forget 'return'?)");
  assert_int_equal(vtable->condition(self.script, 5, &result, &self.error), EE_ERROR_RULES);
  end(&self);
}

static void test_aggregate(void **state) {
  (void)state;
  fixture self = {0};
  start(&self,
        "function(p) return #p == 2 and p[1].name == 'invoice.total' and p['invoice.total'].score == 0.5\n"
        "  and p.header.weight == 3 and p[1].scored and not p.header.scored and p[2].tp == 1 and p[2].tn == 2\n"
        "  and p[2].fp == 3 and p[2].fn == 4 and p[2].incorrect == 2 and p[2].missing == 2 and p[2].spurious == 1\n"
        "  and p[1] == p['invoice.total'] and 0.25 or 0 end,\n"
        "function(p) return true end, function(p) end");
  const ee_script_part parts[] = {
      {.name = EE_STR("invoice.total"), .scored = true, .score = 0.5, .weight = 1},
      {.name = EE_STR("header"), .score = 1, .weight = 3, .counts = {.tp = 1, .tn = 2, .fp = 3, .fn = 4, .wrong = 2}}};
  double result = 0;
  assert_int_equal(vtable->aggregate(self.script, 0, parts, 2, &result, &self.error), EE_OK);
  assert_true(result == 0.25);
  assert_int_equal(vtable->aggregate(self.script, 1, parts, 2, &result, &self.error), EE_ERROR_RULES);
  assert_string_equal(error_text(&self.error), "rules.lua:7: function returned a boolean, expected a number");
  assert_int_equal(vtable->aggregate(self.script, 2, NULL, 0, &result, &self.error), EE_ERROR_RULES);
  assert_string_equal(error_text(&self.error), "rules.lua:7: function returned nothing (did you forget 'return'?)");
  end(&self);
}

static void test_combine(void **state) {
  (void)state;
  fixture self = {0};
  start(
      &self,
      "function(p, case) return p.accuracy == 0.5 and p.weight_accuracy == 0.45 and p.safety == 1\n"
      "  and case.id == 'case-1' and case.candidate.a == 2 and 0.25 or 0 end,\n"
      "function(p) local names = {} for k, v in pairs(p) do names[#names + 1] = k .. '=' .. v end\n"
      "  return table.concat(names, ' ') == 'accuracy=0.5 safety=1.0 weight_accuracy=0.45' end,\n"
      "function() return false end, function() end, function() return 0 / 0 end, function() return -0.25 end,\n"
      "function(p) return p end, function(p) return p.acuracy * 2 end,\n"
      "function(p) return p.rqs end, function(p) return p[1] == nil and #ee.json(p) > 0 and rawget(p, 'x') == nil end");
  const ee_script_number numbers[] = {{"safety", 1}, {"accuracy", 0.5}, {"weight_accuracy", 0.45}};
  const double expected[] = {0.25, 1, 0};
  for (int i = 0; i < 3; i++) {
    double result = -7;
    ee_status status = vtable->combine(self.script, i, numbers, 3, &result, &self.error);
    if (status != EE_OK) fail_msg("%s", error_text(&self.error));
    assert_true(result == expected[i]);
  }
  const char *const errors[] = {"rules.lua:7: formula returned nothing (did you forget 'return'?)",
                                "rules.lua:7: formula returned NaN, which is not between 0 and 1",
                                "rules.lua:7: formula returned -0.25, which is not between 0 and 1",
                                "rules.lua:8: formula returned a table, expected true, false or a number",
                                "rules.lua:8: 'acuracy' is not a part (did you mean 'accuracy'?)",
                                "rules.lua:9: 'rqs' is not a part"};
  for (int i = 0; i < 6; i++) {
    double result = -7;
    assert_int_equal(vtable->combine(self.script, 3 + i, numbers, 3, &result, &self.error), EE_ERROR_RULES);
    assert_string_equal(error_text(&self.error), errors[i]);
    assert_true(result == -7);
  }
  double result = -7;
  if (vtable->combine(self.script, 9, numbers, 3, &result, &self.error) != EE_OK)
    fail_msg("%s", error_text(&self.error));
  assert_true(result == 1);
  assert_int_equal(vtable->combine(self.script, 3, numbers + 1, 2, &result, &self.error), EE_ERROR_RULES);
  assert_string_equal(error_text(&self.error), "rules.lua:7: safety returned nothing (did you forget 'return'?)");
  end(&self);
}

static void test_pattern(void **state) {
  (void)state;
  fixture self = {0};
  start(&self, "function() return 1 end");
  const struct {
    const char *pattern, *subject;
    int expected; /* -1: an error */
  } cases[] = {{"^%d+$", "123", 1}, {"^%d+$", "12a", 0},           {"b", "abc", 1},  {"", "", 1}, {"^$", "", 1},
               {"^b", "abc", 0},    {"%f[%w]x%f[%W]", "a x b", 1}, {"[a", "abc", -1}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    bool result = false;
    ee_status status = vtable->pattern(self.script, ee_str_from(cases[i].pattern), ee_str_from(cases[i].subject),
                                       &result, &self.error);
    assert_int_equal(status, cases[i].expected < 0 ? EE_ERROR_RULES : EE_OK);
    if (cases[i].expected >= 0) assert_int_equal(result, cases[i].expected);
  }
  end(&self);
}

/* A project's own strategy sees its own options, frozen, and each node's own. */
static void test_own_options(void **state) {
  (void)state;
  write_text("rules.lua", "local own = ee.strategy { 'own', options = { country = { 'string' }, limit = { 'number' }, "
                          "strict = { 'boolean' } },\n"
                          "  score = function(e, c, x)\n"
                          "    local o, names = x.options, {}\n"
                          "    for k, v in pairs(o) do names[#names + 1] = k .. '=' .. tostring(v) end\n"
                          "    assert(not pcall(function() o.country = 'x' end))\n"
                          "    return 0, table.concat(names, ' ') end }\n"
                          "return ee.rules { ee.fields { own { 'a', country = 'DE', limit = 3, weight = 2 }, own { "
                          "'b', strict = true } } }");
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_rule_file_options options = {.limits = {.instructions = -1}};
  ee_rule_file *file = ee_rule_file_load("rules.lua", &options, &errors);
  if (file == NULL) fail_msg("%s", error_text(&errors.items[0]));
  ee_error_list_fini(&errors);
  const ee_plan *plan = ee_rule_file_plan(file);
  ee_error error = {0};
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_error_list rule_errors;
  ee_error_list_init(&rule_errors);
  ee_context context = {
      .plan = plan, .arena = &arena, .script = vtable->open(plan->host, &error), .rule_errors = &rule_errors};
  assert_non_null(context.script);
  for (int round = 0; round < 2; round++) {
    const ee_case current = {.id = EE_STR("c"),
                             .record = read_json(&arena, "{}"),
                             .expected = read_json(&arena, "{\"a\":\"x\",\"b\":\"x\"}"),
                             .candidate = read_json(&arena, "{\"a\":\"y\",\"b\":\"y\"}")};
    ee_case_result result;
    ee_plan_judge(plan, &context, &current, &result);
    assert_int_equal(result.rule_errors, 0);
    ee_buffer out = {0};
    for (size_t i = 0; i < result.judges[0].miss_count; i++) {
      ee_finding_print(&result.judges[0].misses[i], &out);
      ee_buffer_add_char(&out, '\n');
    }
    assert_string_equal(ee_buffer_terminate(&out), "a (country=DE limit=3)\nb (strict=true)\n");
    ee_buffer_fini(&out);
    ee_arena_reset(&arena, 0);
  }
  vtable->close(context.script);
  ee_error_list_fini(&rule_errors);
  ee_arena_fini(&arena);
  ee_rule_file_free(file);
}

EE_TEST_FILE(rule_text_setup, rule_text_teardown, cmocka_unit_test(test_strategy_results),
             cmocka_unit_test(test_values_handed_over), cmocka_unit_test(test_context),
             cmocka_unit_test(test_kept_values), cmocka_unit_test(test_judge_results),
             cmocka_unit_test(test_judge_without_candidate), cmocka_unit_test(test_map),
             cmocka_unit_test(test_similarity_and_condition), cmocka_unit_test(test_aggregate),
             cmocka_unit_test(test_combine), cmocka_unit_test(test_pattern), cmocka_unit_test(test_own_options));
