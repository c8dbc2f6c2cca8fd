/* test_attacks.c: every attack of the list, against both kinds of model: its reason is the one that the list says,
 * without the key in it, no other server hears of anything, and the next request is answered as if nothing had been. */
#ifdef EE_WITH_CURL

#include "provider/openai_fixture.h"

#include "support/attacks.h"

/* Time-outs: of attacks that last until then, and of the others, which no machine is too slow for. */
#define SHORT_S 0.3
#define LONG_S 120

static void nobody_asks(void *user, const test_http_request *request, test_http_response *response) {
  (void)request, (void)response;
  ++*(size_t *)user;
}

/* One attack in the midst of good answers. */
static void attack_with(const test_attack *attack, ee_model_kind kind) {
  fixture f;
  fixture_open(&f, kind);
  f.settings.timeout_s = attack->waits ? SHORT_S : LONG_S;
  f.endpoint.attack = attack;
  ee_answer answer = ask_one(&f, "one", "two");
  const char *why = attack->why[kind == EE_MODEL_CHAT];
  bool failed = answer.state == EE_ANSWER_FAILED;
  ee_str text = failed ? answer.text : EE_STR("");
  if (getenv("EE_ATTACKS_PRINT") != NULL)
    printf("%s | %s | %.*s\n", attack->name, kind == EE_MODEL_CHAT ? "chat" : "embeddings", EE_STR_ARG(text));
  else if (!ee_str_is(text, why))
    fail_msg("attack '%s': '%.*s', not '%s'", attack->name, EE_STR_ARG(text), why);
  assert_null(memmem(text.data, text.length, "Geheim", 6));
  f.endpoint.attack = NULL;
  bool refused = strncmp(why, "HTTP 401", 8) == 0 || strncmp(why, "HTTP 407", 8) == 0;
  if (!refused && !attack->waits) {
    answer = ask_one(&f, "three", "four");
    if (answer.state != EE_ANSWER_GIVEN) fail_msg("after '%s': %.*s", attack->name, EE_STR_ARG(answer.text));
  }
  fixture_close(&f);
}

static void test_all(void **state) {
  (void)state;
  size_t heard = 0;
  test_http_server *other = test_http_start(nobody_asks, &heard);
  test_attacks attacks;
  test_attacks_read(&attacks, "tests/provider/attacks", KEY, test_http_url(other));
  assert_true(attacks.count > 100);
  for (size_t i = 0; i < attacks.count; i++) {
    if (attacks.items[i].why[0] != NULL) attack_with(&attacks.items[i], EE_MODEL_EMBEDDINGS);
    if (attacks.items[i].why[1] != NULL) attack_with(&attacks.items[i], EE_MODEL_CHAT);
  }
  printf("%zu attacks\n", attacks.count);
  test_attacks_free(&attacks);
  test_http_stop(other);
  assert_int_equal(heard, 0);
}

EE_TEST_FILE(clean_environment, NULL, cmocka_unit_test(test_all));

#else

EE_TEST_FILE(NULL, NULL);

#endif
