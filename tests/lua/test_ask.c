/* test_ask.c: ee.ask and ee.fence in the function of a judge: what the model is asked, what its answers become, and how
 * calls fail, with a model of the test. */
#include "data/json/json_reader.h"
#include "judge/outside/llm_session.h"
#include "judge/plan.h"
#include "lua/rule_text.h"

#include <math.h>

typedef struct fixture {
  ee_rule_file *file;
  llm_session session;
  ee_open_plan open;
  ee_arena arena;
  ee_error_list errors; /* of the case */
  ee_case current;
  ee_context context;
  ee_case_result result;
} fixture;

/* A judge whose function's body is `body`. */
static void start(fixture *self, const char *options, const char *body, const char *answer) {
  char text[2000];
  snprintf(text, sizeof text,
           "return ee.rules { provider = { 'openai', model = 'm', cache = false },\n"
           "ee.judge { 'asked', needs_expected = false, %s function(case)\n%s\nend } }\n",
           options, body);
  write_text("rules.lua", text);
  ee_error_list errors;
  ee_error_list_init(&errors);
  const ee_rule_file_options loading = {.limits = {.instructions = -1}};
  self->file = ee_rule_file_load("rules.lua", &loading, &errors);
  if (self->file == NULL) fail_msg("%s\n%s", error_text(&errors.items[0]), text);
  ee_error_list_fini(&errors);
  llm_session_open(&self->session, answer);
  ee_error error = {0};
  assert_int_equal(ee_open_plan_init(&self->open, ee_rule_file_plan(self->file), NULL, NULL, &error), EE_OK);
  ee_arena_init(&self->arena, 0);
  ee_error_list_init(&self->errors);
}

static const ee_judge_result *judge(fixture *self, bool has_model) {
  ee_arena_reset(&self->arena, 0);
  self->errors.count = 0;
  self->current = (ee_case){.id = EE_STR("a"),
                            .base = EE_STR("a"),
                            .record = ee_json_read(&self->arena, EE_STR("{\"n\":[1,{\"x\":null}]}"), NULL, NULL),
                            .candidate = ee_json_read(&self->arena, EE_STR("\"an answer\""), NULL, NULL),
                            .candidate_state = EE_CANDIDATE_READ};
  self->context = ee_open_plan_context(&self->open, &self->arena);
  self->context.rule_errors = &self->errors;
  self->context.session = has_model ? &self->session.base : NULL;
  ee_plan_judge(self->open.plan, &self->context, &self->current, &self->result);
  return self->result.judges;
}

static void end(fixture *self) {
  ee_open_plan_fini(&self->open);
  llm_session_close(&self->session);
  ee_rule_file_free(self->file);
  ee_error_list_fini(&self->errors);
  ee_arena_fini(&self->arena);
}

/* Answers -------------------------------------------------------------------------------------- */

static void test_request(void **state) {
  (void)state;
  fixture self = {0};
  start(&self, "asks = true,",
        "return ee.ask('Is it?', { system = 'You judge.', temperature = 0.5, seed = 7, sample = 2,\n"
        "  schema = { type = 'object' } }).share",
        "Well: ```json\n{\"share\": 0.25}\n```");
  const ee_judge_result *result = judge(&self, true);
  assert_true(result->score == 0.25 && !result->unscored && !result->failed);
  assert_int_equal(self.session.asked, 1);
  assert_string_equal(self.session.prompt.data, "Is it?");
  assert_string_equal(self.session.system.data, "You judge.");
  assert_string_equal(self.session.schema.data, "{\"type\":\"object\"}");
  assert_string_equal(self.session.members.data, "\"temperature\":0.5,\"seed\":7");
  end(&self);
}

static void test_answers(void **state) {
  (void)state;
  static const struct {
    const char *body, *answer;
    double score; /* -1: no score, because of the model; -2: an error of the rules */
    const char *message;
  } rows[] = {
      {"return ee.ask 'x' == 'yes'", "yes", 1, NULL},
      {"return ee.ask 'x' == 'yes'", " yes", 0, NULL},
      {"return #ee.ask 'x' / 10", "", 0, NULL},
      {"return tonumber(ee.ask('x', {}))", "0.5", 0.5, NULL},
      {"return ee.ask('x', { schema = { a = 1 } })[2]", "[0.1, 0.75]", 0.75, NULL},
      {"return ee.ask('x', { schema = { a = 1 } }).a", "no JSON", -1, "the model's answer is not JSON: "},
      /* What a function makes of an answer is its own mistake. */
      {"return ee.ask 'x'", "yes", -2, "expected"},
      {"return ee.ask('x', { schema = { a = 1 } }).b", "{\"a\":1}", -2, "returned nothing"},
      {"return ee.ask('x', { schema = { a = 1 } }).a", "{\"a\":7}", -2, "not between 0 and 1"},
      {"return ee.ask()", "", -2, "the prompt of ee.ask is empty"},
      {"return ee.ask ' \\n'", "", -2, "the prompt of ee.ask is empty"},
      {"return ee.ask(7)", "", -2, "the prompt of ee.ask must be a string, got number"},
      {"return ee.ask '\\xff'", "", -2, "the prompt of ee.ask is not UTF-8"},
      {"return ee.ask('x', { tempreature = 1 })", "", -2, "did you mean 'temperature'?"},
      {"return ee.ask('x', { temperature = 2.5 })", "", -2, "temperature of ee.ask must be a number from 0 to 2"},
      {"return ee.ask('x', { temperature = 0/0 })", "", -2, "temperature of ee.ask must be a number from 0 to 2"},
      {"return ee.ask('x', { seed = 1.5 })", "", -2, "seed of ee.ask must be an integer"},
      {"return ee.ask('x', { sample = -1 })", "", -2, "sample of ee.ask must be an integer"},
      {"return ee.ask('x', { sample = 1e9 })", "", -2, "sample of ee.ask must be an integer"},
      {"return ee.ask('x', { system = {} })", "", -2, "system of ee.ask must be a string, got table"},
      {"return ee.ask('x', { schema = 'object' })", "", -2, "schema of ee.ask must be a table with keys"},
      {"return ee.ask('x', { schema = { 1, 2 } })", "", -2, "schema of ee.ask must be a table with keys"},
      {"return ee.ask('x', { schema = { f = print } })", "", -2, "schema of ee.ask must be a table with keys"},
      {"return ee.ask('x', 'y')", "", -2, "table expected"},
      {"return ee.ask('x', { zzzzzz = 1 })", "", -2,
       "unknown option 'zzzzzz' of ee.ask (system, temperature, seed, sample, schema)"},
      {"return ee.ask('x', { [1] = 'system' })", "", -2, "unknown option '?' of ee.ask"},
      {"return ee.ask('x', { temperature = '1' })", "", -2, "temperature of ee.ask must be a number from 0 to 2"},
      {"return ee.ask('x', { seed = true })", "", -2, "seed of ee.ask must be an integer"},
      {"return ee.ask('x', { seed = 3 }) == 'yes'", "yes", 1, NULL},
      {"return ee.fence('x', print)", "", -2, "ee.fence got a value that holds"},
      /* A function may go on where there is no usable answer; the failure counts all the same. */
      {"local ok = pcall(ee.ask, 'x', { schema = { a = 1 } }) return ok and 1 or 0.5", "no JSON", 0.5,
       "the model's answer is not JSON: "},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fixture self = {0};
    start(&self, "asks = true,", rows[i].body, rows[i].answer);
    for (int round = 0; round < 2; round++) { /* the script is as it was */
      const ee_judge_result *result = judge(&self, true);
      const char *message = self.errors.count > 0 ? self.errors.items[0].message : NULL;
      if (rows[i].score >= 0 && result->score != rows[i].score)
        fail_msg("%s: %g (%s)", rows[i].body, result->score, message != NULL ? message : "");
      if (result->unscored != (rows[i].score == -1) || result->failed != (rows[i].score == -2))
        fail_msg("%s: unscored %d, failed %d, %s", rows[i].body, result->unscored, result->failed,
                 message != NULL ? message : "");
      assert_true((message != NULL) == (rows[i].message != NULL));
      if (message != NULL && strstr(message, rows[i].message) == NULL) fail_msg("%s: %s", rows[i].body, message);
      bool by_model = rows[i].score != -2 && rows[i].message != NULL;
      assert_int_equal(self.context.provider_failures, by_model);
      assert_int_equal(self.context.rule_error_count, rows[i].score == -2);
    }
    end(&self);
  }
}

static void test_fence(void **state) {
  (void)state;
  fixture self = {0};
  start(&self, "asks = true,",
        "return #ee.ask(ee.fence('a [name]\\n', case.candidate) .. ee.fence('record', case.record)\n"
        "  .. ee.fence('nothing', nil)) / 10",
        "12345");
  assert_true(judge(&self, true)->score == 0.5);
  const char *prompt = self.session.prompt.data;
  assert_non_null(strstr(prompt, "\nan answer\n[END "));
  assert_non_null(strstr(prompt, "{\"n\":[1,{\"x\":null}]}\n[END "));
  assert_non_null(strstr(prompt, "(no value)"));
  assert_null(strstr(prompt, "[name]\n\n"));
  end(&self);
}

/* No answer ------------------------------------------------------------------------------------ */

static bool out_of_money(void *user, const ee_chat *chat, ee_buffer *out) {
  size_t *left = user;
  (void)chat;
  ee_buffer_add_text(out, *left > 0 ? "0.25" : "budget used up: cost 2");
  if (*left == 0) return false;
  --*left;
  return true;
}

static void test_no_answer(void **state) {
  (void)state;
  fixture self = {0};
  size_t left = 2;
  start(&self, "asks = true,", "return tonumber(ee.ask 'one') + tonumber(ee.ask 'two') + tonumber(ee.ask 'three')", "");
  self.session.answer = out_of_money;
  self.session.user = &left;
  const ee_judge_result *result = judge(&self, true);
  assert_true(result->unscored && !result->failed && self.result.unscored);
  assert_int_equal(self.context.provider_failures, 1);
  assert_int_equal(self.context.rule_error_count, 0);
  assert_int_equal(self.errors.items[0].status, EE_ERROR_PROVIDER);
  assert_string_equal(self.errors.items[0].message, "no answer for 'asked' (case 'a'): budget used up: cost 2");
  left = 3;
  result = judge(&self, true);
  assert_true(!result->unscored && result->score == 0.75);
  /* Without a provider. */
  result = judge(&self, false);
  assert_true(result->unscored);
  assert_int_equal(self.context.provider_failures, 1);
  assert_string_equal(self.errors.items[0].message, "no answer for 'asked' (case 'a'): no provider with a model");
  end(&self);
}

/* The function is left past every pcall while an answer is pending, and nothing counts. */
static void test_pending(void **state) {
  (void)state;
  fixture self = {0};
  start(&self, "asks = true,", "pcall(ee.ask, 'one') return 1", "fine");
  self.session.pending = true;
  for (int round = 0; round < 3; round++) {
    judge(&self, true);
    assert_int_equal(self.context.pending_answers, 1);
    assert_int_equal(self.context.provider_failures, 0);
    assert_int_equal(self.errors.count, 0);
  }
  self.session.pending = false;
  const ee_judge_result *result = judge(&self, true);
  assert_true(result->score == 1 && !result->unscored);
  assert_int_equal(self.context.pending_answers, 0);
  end(&self);
}

/* Only a function that says so may ask. */
static void test_not_allowed(void **state) {
  (void)state;
  fixture self = {0};
  start(&self, "", "return ee.ask 'x' and 1", "yes");
  const ee_judge_result *result = judge(&self, true);
  assert_true(result->failed);
  assert_int_equal(self.session.asked, 0);
  assert_int_equal(self.context.rule_error_count, 1);
  assert_non_null(strstr(self.errors.items[0].message,
                         "ee.ask can be called by the function of an ee.judge with asks = true only"));
  end(&self);
  assert_run_fails("ee.ask 'x'", "rules.lua:1: ee.ask can be called while a case is judged, by the function of an "
                                 "ee.judge");
  assert_run_fails("ee.fence('x', 1)", "rules.lua:1: ee.fence can be called while a case is judged");
}

EE_TEST_FILE(rule_text_setup, rule_text_teardown, cmocka_unit_test(test_request), cmocka_unit_test(test_answers),
             cmocka_unit_test(test_fence), cmocka_unit_test(test_no_answer), cmocka_unit_test(test_pending),
             cmocka_unit_test(test_not_allowed));
