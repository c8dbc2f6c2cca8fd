/* test_openai_chats.c: chats with a schema, which servers know or not; samples; what they cost. */
#ifdef EE_WITH_CURL

#include "provider/openai_fixture.h"

#define SCHEMA "{\"type\":\"object\"}"

static ee_answer complete(fixture *f, const char *prompt, const char *schema, uint32_t sample) {
  ee_answer answer = {0};
  const ee_chat chat = {.system = EE_STR("Judge."),
                        .prompt = ee_str_from(prompt),
                        .schema = ee_str_from(schema),
                        .members = EE_STR("\"seed\":5"),
                        .sample = sample};
  f->session->vtable->complete(f->session, &chat, &f->scratch, &answer);
  return answer;
}

/* One block of `count` chats, "PREFIX0", "PREFIX1", ...; how many of them have an answer. */
static size_t ask_chats(fixture *f, const char *prefix, size_t count, const char *schema) {
  char prompt[64];
  size_t given = 0;
  begin(f);
  for (size_t i = 0; i < count; i++) {
    snprintf(prompt, sizeof prompt, "%s%zu", prefix, i);
    assert_int_equal(complete(f, prompt, schema, 0).state, EE_ANSWER_PENDING);
  }
  ask(f);
  for (size_t i = 0; i < count; i++) {
    snprintf(prompt, sizeof prompt, "%s%zu", prefix, i);
    ee_answer answer = complete(f, prompt, schema, 0);
    if (answer.state != EE_ANSWER_GIVEN) continue;
    char wanted[100];
    snprintf(wanted, sizeof wanted, "You said: %s", prompt);
    assert_true(ee_str_is(answer.text, wanted));
    given++;
  }
  end(f);
  return given;
}

static void assert_formats(const fixture *f, size_t schemas, size_t objects, size_t none) {
  assert_int_equal(f->endpoint.formats[0], schemas);
  assert_int_equal(f->endpoint.formats[1], objects);
  assert_int_equal(f->endpoint.formats[2], none);
}

static void test_request(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f, EE_MODEL_CHAT);
  assert_int_equal(ask_chats(&f, "x", 1, SCHEMA), 1);
  assert_string_equal(
      test_http_kept(f.server, 0)->body,
      "{\"model\":\"m\",\"seed\":5,\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":"
      "\"answer\",\"strict\":true,\"schema\":" SCHEMA "}},\"messages\":[{\"role\":\"system\",\"content\":"
      "\"Judge.\"},{\"role\":\"user\",\"content\":\"x0\"}]}");
  assert_tells(&f, "openai chat: 1 request for 1 question");
  fixture_close(&f);
}

/* The first chat finds out what the server knows; the others go at once. */
static void test_formats(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f, EE_MODEL_CHAT);
  assert_int_equal(ask_chats(&f, "a", 9, SCHEMA), 9);
  assert_formats(&f, 9, 0, 0);
  fixture_close(&f);

  fixture_open(&f, EE_MODEL_CHAT);
  f.endpoint.no_schemas = true;
  assert_int_equal(ask_chats(&f, "a", 9, SCHEMA), 9);
  assert_formats(&f, 1, 9, 0);
  assert_int_equal(ask_chats(&f, "b", 3, SCHEMA), 3);
  assert_formats(&f, 1, 12, 0);
  assert_tells(&f,
               "openai chat: 13 requests for 12 questions; the server takes no JSON Schema: it was asked for a JSON "
               "object");
  fixture_close(&f);

  fixture_open(&f, EE_MODEL_CHAT);
  f.endpoint.no_schemas = f.endpoint.no_objects = true;
  assert_int_equal(ask_chats(&f, "a", 9, SCHEMA), 9);
  assert_formats(&f, 1, 1, 9);
  /* Another schema is another question. */
  assert_int_equal(ask_chats(&f, "a", 2, "{\"type\":\"object\",\"x\":1}"), 2);
  assert_formats(&f, 2, 2, 11);
  /* A chat without a schema needs no format. */
  assert_int_equal(ask_chats(&f, "a", 2, ""), 2);
  assert_formats(&f, 2, 2, 13);
  assert_tells(&f,
               "openai chat: 17 requests for 13 questions; the server takes no response_format: the prompt alone asks "
               "for JSON");
  fixture_close(&f);
}

/* A chat that is refused for another reason says nothing about formats. */
static void test_other_refusal(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f, EE_MODEL_CHAT);
  test_failures_add(
      &f.endpoint.failures,
      (test_failure){.first = 0, .last = 2, .status = 400, .body = "{\"error\":{\"message\":\"too long\"}}"});
  begin(&f);
  complete(&f, "long", SCHEMA, 0);
  complete(&f, "short", SCHEMA, 0);
  ask(&f);
  assert_why(complete(&f, "long", SCHEMA, 0), "HTTP 400: too long");
  assert_int_equal(complete(&f, "short", SCHEMA, 0).state, EE_ANSWER_GIVEN);
  end(&f);
  assert_formats(&f, 1, 0, 0); /* of the second; those of the first were not looked at */
  assert_tells(&f, "openai chat: 4 requests for 2 questions; 1 question without an answer (1 request failed)");
  fixture_close(&f);
}

/* Samples are requests of their own, and so are their answers in the cache; offline they are the same. */
static void test_samples(void **state) {
  (void)state;
#ifndef EE_WITH_SQLITE
  skip();
#endif
  fixture f;
  fixture_open(&f, EE_MODEL_CHAT);
  use_cache(&f);
  f.endpoint.no_schemas = true;
  begin(&f);
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(complete(&f, "p", SCHEMA, i).state, EE_ANSWER_PENDING);
  assert_int_equal(complete(&f, "p", SCHEMA, 1).state, EE_ANSWER_PENDING);
  ask(&f);
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(complete(&f, "p", SCHEMA, i).state, EE_ANSWER_GIVEN);
  end(&f);
  assert_int_equal(f.endpoint.completions, 3);
  fixture_leave(&f);
  fixture_enter(&f, true);
  begin(&f);
  for (uint32_t i = 0; i < 4; i++) complete(&f, "p", SCHEMA, i);
  ask(&f);
  for (uint32_t i = 0; i < 3; i++) assert_true(ee_str_is(complete(&f, "p", SCHEMA, i).text, "You said: p"));
  assert_why(complete(&f, "p", SCHEMA, 3), "not in the cache (--offline)");
  /* Another schema, other members and no system are other requests. */
  complete(&f, "p", "", 0);
  const ee_chat other = {.prompt = EE_STR("p"), .schema = EE_STR(SCHEMA), .members = EE_STR("\"seed\":5")};
  ee_answer answer;
  f.session->vtable->complete(f.session, &other, &f.scratch, &answer);
  ask(&f);
  assert_why(complete(&f, "p", "", 0), "not in the cache (--offline)");
  f.session->vtable->complete(f.session, &other, &f.scratch, &answer);
  assert_why(answer, "not in the cache (--offline)");
  end(&f);
  assert_int_equal(f.endpoint.completions, 3);
  fixture_close(&f);
}

/* What a chat and its like say in a run of their own. */
static ee_answer_state complete_in_run(fixture *f, const char *prompt, bool offline, const char *wanted) {
  fixture_enter(f, offline);
  begin(f);
  complete(f, prompt, "", 0);
  ask(f);
  ee_answer answer = complete(f, prompt, "", 0);
  if (!ee_str_is(answer.text, wanted)) fail_msg("'%.*s', not '%s'", EE_STR_ARG(answer.text), wanted);
  end(f);
  return answer.state;
}

/* What the model declined is said again offline, and asked again otherwise; an answer takes its place. A failure of the
 * server is not kept. */
static void test_declined(void **state) {
  (void)state;
  fixture f;
  remove_cache();
  fixture_open(&f, EE_MODEL_CHAT);
  use_cache(&f);
  test_failures_add(
      &f.endpoint.failures,
      (test_failure){
          .first = 0, .last = 1, .status = 200, .body = "{\"choices\":[{\"message\":{\"refusal\":\"No " KEY "\"}}]}"});
  test_failures_add(&f.endpoint.failures,
                    (test_failure){.first = 2, .last = 2, .status = 200, .body = "{\"choices\":[]}"});
  const char *why = "the model refused to answer: 'No ***'";
  assert_int_equal(complete_in_run(&f, "a", false, why), EE_ANSWER_FAILED);
  fixture_leave(&f);
  assert_int_equal(complete_in_run(&f, "a", true, why), EE_ANSWER_FAILED);
  assert_tells(&f, "openai chat: 0 requests, 1 question from the cache; 1 question without an answer (1 unusable "
                   "answer)");
  fixture_leave(&f);
  assert_int_equal(complete_in_run(&f, "a", false, why), EE_ANSWER_FAILED);
  assert_int_equal(test_http_count(f.server), 2);
  fixture_leave(&f);
  assert_int_equal(complete_in_run(&f, "b", false, "the server's answer has no choices"), EE_ANSWER_FAILED);
  fixture_leave(&f);
  assert_int_equal(complete_in_run(&f, "b", true, "not in the cache (--offline)"), EE_ANSWER_FAILED);
  fixture_leave(&f);
  for (int offline = 0; offline < 2; offline++) {
    assert_int_equal(complete_in_run(&f, "a", offline, "You said: a"), EE_ANSWER_GIVEN);
    fixture_leave(&f);
  }
  assert_int_equal(test_http_count(f.server), 4);
  fixture_close(&f);
}

/* Each chat costs 10 * 100 + 2 * 500 = 2,000 millionths. Groups of at most `in_flight` are sent before the sum is
 * looked at again. */
static void test_costs(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f, EE_MODEL_CHAT);
  f.settings.input_price = 100;
  f.settings.output_price = 500;
  assert_int_equal(ask_chats(&f, "a", 3, ""), 3);
  assert_tells(&f, "openai chat: 3 requests for 3 questions; 30 tokens sent, 6 answered, cost 0.006");
  fixture_leave(&f);

  f.settings.max_cost = 0.009;
  assert_int_equal(ask_chats(&f, "b", 20, ""), 8); /* 4, 0.008, 4 more */
  begin(&f);
  complete(&f, "later", "", 0);
  ask(&f);
  assert_why(complete(&f, "later", "", 0), "budget used up: cost 0.009");
  end(&f);
  assert_tells(
      &f, "openai chat: 8 requests for 8 questions; 13 questions without an answer (13 not sent); 80 tokens sent, 16 "
          "answered, cost 0.016");
  fixture_leave(&f);

  /* What is not known cannot be limited. */
  f.endpoint.no_usage = true;
  assert_int_equal(ask_chats(&f, "c", 9, ""), 4);
  begin(&f);
  complete(&f, "later", "", 0);
  ask(&f);
  assert_why(complete(&f, "later", "", 0),
             "the server does not say how many tokens an answer took (usage), which max_cost needs");
  end(&f);
  fixture_close(&f);
}

/* Embeddings by one model, chats by the other. */
static void test_both(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f, EE_MODEL_EMBEDDINGS);
  f.settings.chat_model = EE_STR("talker");
  begin(&f);
  assert_int_equal(complete(&f, "hello", "", 0).state, EE_ANSWER_PENDING);
  assert_int_equal(look(&f, "a b", "a c").state, EE_ANSWER_PENDING);
  ask(&f);
  assert_true(ee_str_is(complete(&f, "hello", "", 0).text, "You said: hello"));
  assert_given(look(&f, "a b", "a c"), test_cosine(EE_STR("a b"), EE_STR("a c")));
  end(&f);
  assert_int_equal(test_http_count(f.server), 2);
  assert_non_null(strstr(test_http_kept(f.server, 0)->body, "\"model\":\"m\""));
  assert_non_null(strstr(test_http_kept(f.server, 1)->body, "\"model\":\"talker\""));
  fixture_close(&f);
}

EE_TEST_FILE(make_cache_folder, remove_cache_folder, cmocka_unit_test(test_request), cmocka_unit_test(test_formats),
             cmocka_unit_test(test_other_refusal), cmocka_unit_test(test_samples), cmocka_unit_test(test_declined),
             cmocka_unit_test(test_costs), cmocka_unit_test(test_both));

#else

EE_TEST_FILE(NULL, NULL); /* test_openai.c tests that such a program says so */

#endif
