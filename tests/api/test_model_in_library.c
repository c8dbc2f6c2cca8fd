/* test_model_in_library.c: ee.llm and ee.ask through the public header: single cases and whole runs, whose report is
 * the program's. */
#include "support/judging_model.h"

#include "api/whole_fixture.h" /* after what has parameters of the name 'text' */

#define KEY "sk-Geheim+/=0123456789"

static int set_up(void **state) {
  (void)state;
  static const char *const names[] = {"http_proxy",  "https_proxy", "all_proxy",    "ALL_PROXY",
                                      "HTTPS_PROXY", "no_proxy",    "OPENAI_MODEL", "EVALENGINE_CACHE"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) unsetenv(names[i]);
  setenv("OPENAI_API_KEY", KEY, 1);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  unsetenv("OPENAI_BASE_URL");
  return unsetenv("OPENAI_API_KEY");
}

static const char rules_text[] =
    "return ee.rules { provider = { 'openai', model = 'm', retries = 0, in_flight = 4, cache = false },\n"
    "  ee.llm { 'good', prompt = 'Good? {{candidate}} {{id}}', scale = { 1, 2, 3, 4, 5 }, samples = 2, seed = 1 },\n"
    "  ee.judge { 'asked', asks = true, needs_expected = false, function(case)\n"
    "    return ee.ask('Good? ' .. ee.fence('text', case.candidate), { schema = { type = 'object' } }).score / 9\n"
    "  end } }\n";

static test_http_server *start(judging_model *model) {
  test_http_server *server = test_http_start(judging_model_answer, model);
  setenv("OPENAI_BASE_URL", test_http_url(server), 1);
  return server;
}

/* Cases one by one: each has a result, and without any answer a message that says so. */
static void test_single_cases(void **state) {
  (void)state;
  judging_model model = {0};
  test_http_server *server = start(&model);
  ee_rules *rules = rules_of(rules_text);
  ee_error error = {0};
  ee_evaluator *evaluator = ee_evaluator_new(rules, &error);
  if (evaluator == NULL) fail_msg("%s", error.message);
  size_t failures = 0, count;
  char *kept[60];
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < 60; i++) {
      char id[16], candidate[32];
      snprintf(id, sizeof id, "c%d", i);
      snprintf(candidate, sizeof candidate, "\"answer %d\"", i);
      const char *json;
      size_t length;
      double score;
      ee_status status =
          ee_evaluate_text(evaluator, id, "{}", 2, candidate, strlen(candidate), &json, &length, &score, &error);
      assert_int_equal(status, EE_OK);
      assert_null(strstr(json, "Geheim"));
      const ee_error *errors;
      count = ee_evaluator_rule_errors(evaluator, &errors);
      for (size_t k = 0; k < count; k++) {
        assert_int_equal(errors[k].status, EE_ERROR_PROVIDER);
        assert_non_null(strstr(errors[k].message, "no answer for '"));
        assert_null(strstr(errors[k].message, "Geheim"));
      }
      failures += count;
      assert_true(score >= 0 && score <= 1);
      if (round == 0)
        kept[i] = strdup(json);
      else
        assert_string_equal(json, kept[i]);
    }
  for (int i = 0; i < 60; i++) free(kept[i]);
  /* What the server did badly, and nothing else; the other failures are verdicts off the scale, which ee.ask takes. */
  assert_in_range(failures, model.cut + model.refused + model.without,
                  model.cut + model.refused + model.without + model.off_scale);
  assert_true(model.given > 100 && model.cut > 0 && model.refused > 0 && model.without > 0);
  ee_evaluator_free(evaluator);
  ee_rules_free(rules);
  test_http_stop(server);
}

static void test_whole_run(void **state) {
  (void)state;
  judging_model model = {0};
  test_http_server *server = start(&model);
  char folder[] = P_tmpdir "/ee_model_XXXXXX", lua[64], data[64];
  assert_non_null(mkdtemp(folder));
  snprintf(lua, sizeof lua, "%s/rules.lua", folder);
  snprintf(data, sizeof data, "%s/d.jsonl", folder);
  FILE *file = fopen(lua, "wb");
  fputs(rules_text, file);
  fclose(file);
  file = fopen(data, "wb");
  for (int i = 0; i < 80; i++)
    fprintf(file, "{\"id\":\"c%d\",\"candidate\":\"answer %d\",\"pad\":\"%08000d\"}\n", i, i, 0);
  fclose(file);
  text program = run_program(4, "%s %s -f json --jobs 2", lua, data);
  ee_rules *rules = rules_at(lua);
  for (int i = 0; i < 2; i++) {
    const char *jobs[] = {"--jobs", i == 0 ? "1" : "7"};
    heard user = {0};
    ee_evaluate_options options = listening(&user);
    options.arguments = jobs;
    options.argument_count = 2;
    ee_result *result = evaluated(rules, data, &options);
    assert_int_equal(ee_result_status(result), 4);
    assert_int_equal(user.cases, 80);
    assert_true(user.messages > 0);
    assert_int_equal(user.first.status, EE_ERROR_PROVIDER);
    assert_null(memmem(user.rows.data, user.rows.length, "Geheim", 6));
    text report = report_of(result, "json", NULL, 0);
    assert_same(report, program);
    free_text(&report);
    free_text(&user.rows);
    ee_result_free(result);
  }
  free_text(&program);
  ee_rules_free(rules);
  unlink(lua);
  unlink(data);
  rmdir(folder);
  test_http_stop(server);
}

EE_TEST_FILE(set_up, tear_down, cmocka_unit_test(test_single_cases), cmocka_unit_test(test_whole_run));
