/* The option `provider` of ee.rules: what it sets, what is wrong with it, and what is shown of it: never a key. */
#include "judge/plan_fixture.h"

#define FIELD "{\"ee\": \"semantic\", \"line\": 4, \"items\": [\"bio\"]}"
#define RULES(fields) "{\"ee\": \"rules\", \"items\": [{\"ee\": \"fields\", \"items\": [" fields "]}]}"
#define WITH_PROVIDER(provider)                                                                                        \
  "{\"ee\": \"rules\", \"provider\": " provider ", \"items\": [{\"ee\": \"fields\", \"items\": [" FIELD "]}]}"

static void check_print(const char *rules, const char *text) {
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, rules);
  assert_int_equal(f.plan->warning_count, 0);
  ee_buffer_clear(&f.text);
  ee_provider_settings_print(&f.plan->provider, &f.text);
  assert_string_equal(ee_buffer_terminate(&f.text), text);
  ee_buffer_clear(&f.text);
  ee_plan_print(f.plan, &f.text);
  char line[512];
  snprintf(line, sizeof line, "\nprovider %s\n", text);
  assert_non_null(strstr(ee_buffer_terminate(&f.text), line));
  assert_null(strstr(f.text.data, "sk-secret"));
  fixture_close(&f);
}

static void test_settings(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, RULES(FIELD));
  const ee_provider_settings *settings = &f.plan->provider;
  assert_true(f.plan->needs_provider);
  assert_int_equal(settings->kind, EE_PROVIDER_LOCAL);
  assert_string_equal(settings->rule_file, "rules.lua");
  assert_int_equal(settings->line, 1);
  fixture_close(&f);

  fixture_open(&f);
  fixture_rules(
      &f, WITH_PROVIDER(
              "{\"line\": 7, \"items\": [\"openai\"], \"kind\": \"chat\", \"model\": \"m\", \"url\": \"http://h\", "
              "\"key\": \"sk-secret\", \"key_env\": \"KEY_2\", \"timeout\": 1.5, \"retries\": 0, "
              "\"in_flight\": 256, \"requests_per_minute\": 0.5, \"max_requests\": 100, \"batch\": 2048, "
              "\"cache\": false}"));
  settings = &f.plan->provider;
  assert_int_equal(settings->kind, EE_PROVIDER_OPENAI);
  assert_int_equal(settings->model_kind, EE_MODEL_CHAT);
  assert_true(ee_str_is(settings->model, "m") && ee_str_is(settings->url, "http://h"));
  assert_true(ee_str_is(settings->key, "sk-secret") && ee_str_is(settings->key_env, "KEY_2"));
  assert_true(settings->timeout_s == 1.5 && settings->requests_per_minute == 0.5);
  assert_int_equal(settings->retries, 0);
  assert_int_equal(settings->in_flight, 256);
  assert_int_equal(settings->max_requests, 100);
  assert_int_equal(settings->batch, 2048);
  assert_true(settings->no_cache);
  assert_int_equal(settings->line, 7);
  fixture_close(&f);

  check_print(WITH_PROVIDER("\"local\""), "local, english");
  check_print(WITH_PROVIDER("{\"items\": [\"local\"], \"language\": \"german\"}"), "local, german");
  check_print(WITH_PROVIDER("\"openai\""),
              "openai embeddings, model of OPENAI_MODEL, key of OPENAI_API_KEY, 8 in flight, 4 "
              "retries, timeout 60 s, batches of 64");
  check_print(
      WITH_PROVIDER("{\"items\": [\"openai\"], \"model\": \"m\", \"kind\": \"chat\", \"key\": \"sk-secret\", \"url\": "
                    "\"https://user:sk-secret@host:8080/v1?key=sk-secret#sk-secret\", \"cache\": \"a.sqlite\", "
                    "\"requests_per_minute\": 60, \"max_requests\": 9007199254740991}"),
      "openai chat, model m, https://***@host:8080/v1, key of the rule file, 8 in flight, 4 retries, timeout 60 s, 60 "
      "requests a minute, at most 9007199254740991 requests, cache a.sqlite");
  check_print(WITH_PROVIDER("{\"items\": [\"openai\"], \"kind\": \"chat\", \"url\": \"https://h\", \"key_env\": \"K\", "
                            "\"timeout\": 5, \"total_timeout\": 20, \"cache\": false}"),
              "openai chat, model of OPENAI_MODEL, https://h, key of K, 8 in flight, 4 retries, timeout 5 s, 20 s in "
              "all, no cache");
  check_print(
      WITH_PROVIDER("{\"items\": [\"openai\"], \"requests_per_minute\": 0.5, \"total_timeout\": 0.5, "
                    "\"max_requests\": 1, \"cache\": false}"),
      "openai embeddings, model of OPENAI_MODEL, key of OPENAI_API_KEY, 8 in flight, 4 retries, timeout 60 s, 0.5 "
      "s in all, batches of 64, 0.5 requests a minute, at most 1 request, no cache");
  check_print(WITH_PROVIDER("{\"items\": [\"openai\"], \"url\": \"sk-secret@host/a@b\", \"cache\": false}"),
              "openai embeddings, model of OPENAI_MODEL, ***, no key of its own, 8 in flight, 4 retries, timeout 60 s, "
              "batches of 64, no cache");
}

static void test_settings_mistakes(void **state) {
  (void)state;
  check_mistakes(WITH_PROVIDER("\"opnai\""), "1: unknown provider 'opnai' (did you mean 'openai'?)");
  check_mistakes(WITH_PROVIDER("\"\""), "1: unknown provider in ee.rules: must be 'local' or 'openai'");
  check_mistakes(WITH_PROVIDER("\"gemini\""), "1: unknown provider 'gemini': must be 'local' or 'openai'");
  check_mistakes(WITH_PROVIDER("\"sk-proj-0123456789\""),
                 "1: unknown provider in ee.rules: must be 'local' or 'openai'");
  check_mistakes(WITH_PROVIDER("5"), "1: option 'provider' of ee.rules must be a string or a table, got a number");
  check_mistakes(WITH_PROVIDER("[]"), "1: provider needs a name as its first value: \"local\" or \"openai\"");
  check_mistakes(WITH_PROVIDER("[5]"), "1: provider needs a name (a string) as its first value, got a number");
  check_mistakes(WITH_PROVIDER("[\"openai\", \"sk-secret\"]"), "1: provider takes one name, but a string follows it");
  check_mistakes(WITH_PROVIDER("{\"items\": [\"local\"], \"line\": 3, \"model\": \"m\", \"batch\": 3}"),
                 "3: option 'model' is one of provider 'openai', not of 'local'",
                 "3: option 'batch' is one of provider 'openai', not of 'local'");
  check_mistakes(WITH_PROVIDER("{\"items\": [\"openai\"], \"language\": \"english\"}"),
                 "1: option 'language' is one of provider 'local', not of 'openai'");
  check_mistakes(WITH_PROVIDER("{\"items\": [\"openai\"], \"modle\": \"m\"}"),
                 "1: unknown option 'modle' for provider (did you mean 'model'?)");
  check_mistakes(
      WITH_PROVIDER("{\"items\": [\"openai\"], \"kind\": \"chats\"}"),
      "1: option 'kind' of provider must be one of 'embeddings', 'chat', got 'chats' (did you mean 'chat'?)");
  check_mistakes(WITH_PROVIDER("{\"items\": [\"openai\"], \"key\": 5}"),
                 "1: option 'key' of provider must be a string, got a number");
  check_mistakes(WITH_PROVIDER("{\"items\": [\"openai\"], \"key_env\": \"sk-secret\"}"),
                 "1: option 'key_env' of provider is not the name of an environment variable");
  check_mistakes(WITH_PROVIDER("{\"items\": [\"openai\"], \"key_env\": \"SECRET\"}"),
                 "1: option 'key_env' of provider needs 'url', the server that gets the key");
  check_mistakes(WITH_PROVIDER("{\"items\": [\"openai\"], \"cache\": true}"),
                 "1: option 'cache' of provider must be a string or false, got a boolean");
  check_mistakes(WITH_PROVIDER("{\"items\": [\"openai\"], \"cache\": \" \", \"model\": \"\"}"),
                 "1: option 'model' of provider is empty", "1: option 'cache' of provider is empty");
  check_mistakes(WITH_PROVIDER("{\"items\": [\"openai\"], \"in_flight\": 0, \"batch\": 2049}"),
                 "1: option 'batch' of provider must be between 1 and 2048, got 2049",
                 "1: option 'in_flight' of provider must be between 1 and 256, got 0");
  check_mistakes(WITH_PROVIDER("{\"items\": [\"openai\"], \"retries\": 1.5}"),
                 "1: option 'retries' of provider must be an integer, got 1.5");
  check_mistakes(WITH_PROVIDER("{\"items\": [\"openai\"], \"timeout\": 0}"),
                 "1: option 'timeout' of provider must be between 0.001 and 86400, got 0");
}

/* A variable's name has letters, digits but for the first character, and '_'; anything else may be a key. */
static void test_names_of_variables(void **state) {
  (void)state;
  static const struct {
    const char *name;
    bool good;
  } rows[] = {{"A", true},   {"Z", true},   {"a", true},    {"z", true},   {"_", true},
              {"A9", true},  {"A0", true},  {"_0", true},   {"KEY", true}, {"0A", false},
              {"9", false},  {"A-", false}, {"A B", false}, {"A@", false}, {"A[", false},
              {"A`", false}, {"A{", false}, {"A/", false},  {"A:", false}, {"A\u00e4", false}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fixture f;
    fixture_open(&f);
    char rules[400];
    snprintf(rules, sizeof rules,
             WITH_PROVIDER("{\"items\": [\"openai\"], \"url\": \"http://h\", \"key_env\": \"%s\"}"), rows[i].name);
    if ((fixture_compile(&f, rules) != NULL) != rows[i].good) fail_msg("'%s'", rows[i].name);
    if (!rows[i].good) assert_null(strstr(f.errors.items[0].message, rows[i].name));
    fixture_close(&f);
  }
}

/* Prices are those of a million tokens, in a table of its own, whose mistakes have its place. */
static void test_prices(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, WITH_PROVIDER("{\"items\": [\"openai\"], \"prices\": {\"input\": 2.5, \"output\": 10}}"));
  assert_true(f.plan->provider.input_price == 2.5 && f.plan->provider.output_price == 10);
  fixture_close(&f);
  check_mistakes(WITH_PROVIDER("{\"items\": [\"openai\"], \"line\": 5, \"prices\": {\"line\": 6, \"inptu\": 2.5}}"),
                 "6: unknown option 'inptu' for prices of provider (did you mean 'input'?)");
  check_mistakes(WITH_PROVIDER("{\"items\": [\"openai\"], \"line\": 5, \"prices\": {\"line\": 0, \"inptu\": 2.5}}"),
                 "5: unknown option 'inptu' for prices of provider (did you mean 'input'?)");
  check_mistakes(WITH_PROVIDER("{\"items\": [\"openai\"], \"line\": 5, \"prices\": {\"line\": 6, \"items\": [1]}}"),
                 "6: prices of provider takes input and output by name, got a number");
}

static void test_warning(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f,
                "{\"ee\": \"rules\", \"line\": 3, \"provider\": \"local\", \"items\": [{\"ee\": \"fields\", \"items\": "
                "[{\"ee\": \"exact\", \"items\": [\"a\"]}]}]}");
  assert_false(f.plan->needs_provider);
  assert_int_equal(f.plan->warning_count, 1);
  assert_int_equal(f.plan->warnings[0].status, EE_OK);
  assert_int_equal(f.plan->warnings[0].line, 3);
  assert_string_equal(f.plan->warnings[0].file, "rules.lua");
  assert_string_equal(f.plan->warnings[0].message,
                      "option 'provider' of ee.rules has no effect: nothing uses a provider");
  ee_buffer_clear(&f.text);
  ee_plan_print(f.plan, &f.text);
  assert_null(strstr(ee_buffer_terminate(&f.text), "provider"));
  fixture_close(&f);
}

/* Two providers are the same if all of their settings are, wherever they are named; a cache beside the rule file is
 * that of the file's folder. */
static void test_equal(void **state) {
  (void)state;
  const ee_provider_settings base = {.kind = EE_PROVIDER_OPENAI,
                                     .url = EE_STR("u"),
                                     .model = EE_STR("m"),
                                     .key = EE_STR("k"),
                                     .key_env = EE_STR("e"),
                                     .timeout_s = 1,
                                     .total_timeout_s = 2,
                                     .retries = 3,
                                     .in_flight = 4,
                                     .requests_per_minute = 5,
                                     .max_requests = 6,
                                     .batch = 7,
                                     .cache = EE_STR("c"),
                                     .kind_given = true,
                                     .chat_model = EE_STR("h"),
                                     .max_cost = 8,
                                     .input_price = 9,
                                     .output_price = 10,
                                     .rule_file = "a/x.lua",
                                     .line = 1};
  ee_provider_settings other[] = {base, base, base, base, base, base, base, base, base, base,
                                  base, base, base, base, base, base, base, base, base};
  other[0].kind = EE_PROVIDER_LOCAL;
  other[1].model_kind = EE_MODEL_CHAT;
  other[2].url = EE_STR("v");
  other[3].model = EE_STR("n");
  other[4].key = EE_STR("l");
  other[5].key_env = EE_STR("f");
  other[6].timeout_s = 8;
  other[7].total_timeout_s = 8;
  other[8].retries = 8;
  other[9].in_flight = 8;
  other[10].requests_per_minute = 8;
  other[11].max_requests = 8;
  other[12].batch = 8;
  other[13].cache = EE_STR("d");
  other[14].no_cache = true;
  other[15].chat_model = EE_STR("i");
  other[16].max_cost = 1;
  other[17].input_price = 1;
  other[18].output_price = 1;
  for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
    assert_false(ee_provider_settings_equal(&base, &other[i]));
    assert_false(ee_provider_settings_equal(&other[i], &base));
    assert_true(ee_provider_settings_equal(&other[i], &other[i]));
  }
  /* A kind that one of them does not give is that of the other. */
  ee_provider_settings open_kind = base;
  open_kind.kind_given = false;
  open_kind.model_kind = EE_MODEL_CHAT;
  assert_true(ee_provider_settings_equal(&base, &open_kind) && ee_provider_settings_equal(&open_kind, &base));
  ee_provider_settings beside = base, elsewhere = base, nowhere = base;
  beside.rule_file = "a/y.lua";
  beside.line = 9;
  elsewhere.rule_file = "b/x.lua";
  nowhere.rule_file = NULL;
  assert_true(ee_provider_settings_equal(&base, &beside));
  assert_false(ee_provider_settings_equal(&base, &elsewhere) || ee_provider_settings_equal(&base, &nowhere));
  ee_provider_settings rooted = base;
  rooted.cache = elsewhere.cache = EE_STR("/c");
  assert_true(ee_provider_settings_equal(&rooted, &elsewhere));
  rooted.cache = elsewhere.cache = EE_STR("");
  assert_true(ee_provider_settings_equal(&rooted, &elsewhere));
  rooted.no_cache = elsewhere.no_cache = true;
  rooted.cache = EE_STR("x");
  assert_true(ee_provider_settings_equal(&rooted, &elsewhere));
  ee_provider_settings english = {.kind = EE_PROVIDER_LOCAL, .language = EE_STR("english")}, german = english;
  german.language = EE_STR("german");
  assert_true(ee_provider_settings_equal(&english, &english) && !ee_provider_settings_equal(&english, &german));
}

static void test_retries(void **state) {
  (void)state;
  static const char *const texts[] = {"0 retries,", "1 retry,", "2 retries,"};
  for (size_t i = 0; i < 3; i++) {
    fixture f;
    char rules[400];
    fixture_open(&f);
    snprintf(rules, sizeof rules, WITH_PROVIDER("{\"items\": [\"openai\"], \"model\": \"m\", \"retries\": %zu}"), i);
    fixture_rules(&f, rules);
    ee_provider_settings_print(&f.plan->provider, &f.text);
    if (strstr(ee_buffer_terminate(&f.text), texts[i]) == NULL) fail_msg("%s", f.text.data);
    fixture_close(&f);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_settings), cmocka_unit_test(test_settings_mistakes),
             cmocka_unit_test(test_names_of_variables), cmocka_unit_test(test_prices), cmocka_unit_test(test_warning),
             cmocka_unit_test(test_equal), cmocka_unit_test(test_retries));
