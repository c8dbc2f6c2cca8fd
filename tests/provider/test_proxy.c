/* test_proxy.c: requests through a proxy that the environment names, what it sees, and what it may do wrong. The proxy
 * is the tests' own server: for http it gets whole URLs, for https CONNECT. */
#ifdef EE_WITH_CURL

#include "provider/openai_fixture.h"

/* A name that needs no network to have no address. */
#define NO_HOST "a-name-that-is-longer-than-sixty-three-letters-and-so-is-none-at-all.invalid"

typedef struct proxy {
  size_t requests;
  char first[600]; /* method and path */
  bool had_key;
  int status; /* of its answer; 0: what a server would say */
} proxy;

static void answer(void *user, const test_http_request *request, test_http_response *response) {
  proxy *self = user;
  char value[256];
  self->requests++;
  snprintf(self->first, sizeof self->first, "%s %s", request->method, request->path);
  self->had_key = test_http_header(request, "Authorization", value) != NULL;
  if (self->status != 0)
    response->status = self->status;
  else
    ee_buffer_add_text(&response->body,
                       "{\"data\":[{\"index\":0,\"embedding\":[1,0]},{\"index\":1,\"embedding\":[1,0]}]}");
}

/* Asks `url` in an environment with `variable` set to the proxy's URL and, unless it is NULL, no_proxy. */
static void assert_request(proxy *self, const char *variable, const char *no_proxy, const char *url, const char *why) {
  test_http_server *server = test_http_start(answer, self);
  setenv(variable, test_http_url(server), 1);
  if (no_proxy != NULL) setenv("no_proxy", no_proxy, 1);
  fixture f;
  fixture_open(&f, EE_MODEL_EMBEDDINGS);
  f.settings.url = ee_str_from(url);
  f.settings.timeout_s = 120;
  ee_answer given = ask_one(&f, "one", "two");
  if (why == NULL)
    assert_given(given, 1);
  else
    assert_why(given, why);
  fixture_close(&f);
  unsetenv(variable);
  unsetenv("no_proxy");
  test_http_stop(server);
}

static void test_http_proxy(void **state) {
  (void)state;
  static const char *const variables[] = {"http_proxy", "all_proxy"};
  for (size_t i = 0; i < 2; i++) {
    proxy self = {0};
    assert_request(&self, variables[i], NULL, "http://models.example:8080/v1", NULL);
    assert_int_equal(self.requests, 1);
    assert_string_equal(self.first, "POST http://models.example:8080/v1/embeddings");
    assert_true(self.had_key);
  }
  proxy self = {.status = 407};
  assert_request(&self, "http_proxy", NULL, "http://models.example/v1",
                 "HTTP 407: the proxy wants a user and a password");
  self = (proxy){.status = 302};
  assert_request(&self, "http_proxy", NULL, "http://models.example/v1", "HTTP 302: redirects are not followed");
}

/* With https, the proxy learns the server's name and nothing else. */
static void test_https_proxy(void **state) {
  (void)state;
  static const struct {
    int status;
    const char *why;
  } rows[] = {{403, "the proxy refused the connection: HTTP 403"},
              {407, "the proxy refused the connection: HTTP 407"},
              {503, "the proxy refused the connection: HTTP 503"},
              {302, "the proxy refused the connection: HTTP 302"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    proxy self = {.status = rows[i].status};
    assert_request(&self, "https_proxy", NULL, "https://models.example/v1", rows[i].why);
    assert_string_equal(self.first, "CONNECT models.example:443");
    assert_false(self.had_key);
  }
}

static void test_exceptions(void **state) {
  (void)state;
  proxy self = {0};
  assert_request(&self, "http_proxy", "models.example," NO_HOST, "http://" NO_HOST "/v1",
                 "no address for '" NO_HOST "'");
  assert_request(&self, "http_proxy", "*", "http://" NO_HOST "/v1", "no address for '" NO_HOST "'");
  /* A variable in capitals could come from a header of a request to a CGI program. */
  assert_request(&self, "HTTP_PROXY", NULL, "http://" NO_HOST "/v1", "no address for '" NO_HOST "'");
  assert_int_equal(self.requests, 0);
}

/* The key of a server on this machine does not go to the proxy. */
static void test_loopback(void **state) {
  (void)state;
  proxy proxied = {0}, direct = {0};
  test_http_server *server = test_http_start(answer, &direct);
  assert_request(&proxied, "http_proxy", NULL, test_http_url(server), NULL);
  char url[80];
  snprintf(url, sizeof url, "http://localhost%s/v1", strrchr(test_http_url(server), ':'));
  assert_request(&proxied, "all_proxy", NULL, url, NULL);
  assert_int_equal(proxied.requests, 0);
  assert_int_equal(direct.requests, 2);
  test_http_stop(server);
}

/* Which key goes where, and what is warned of. */
static void test_keys(void **state) {
  (void)state;
  static const struct {
    const char *base_url, *url, *key, *key_env; /* the environment's, then the rule file's */
    const char *warning;                        /* NULL: none */
  } rows[] = {
      {NULL, "", "", "", NULL},
      {NULL, "https://api.openai.com/v1", "", "", NULL},
      {NULL, "HTTPS://API.OpenAI.com", "", "", NULL},
      {NULL, "http://api.openai.com/v1", "", "",
       "OPENAI_API_KEY is not sent to 'api.openai.com', which the rule file names (with key_env = \"OPENAI_API_KEY\" "
       "it "
       "is)"},
      {NULL, "https://api.openai.com.evil.example/v1", "", "",
       "OPENAI_API_KEY is not sent to 'api.openai.com.evil.example', which the rule file names (with key_env = "
       "\"OPENAI_API_KEY\" it is)"},
      {"https://h.example/v1", "", "", "", NULL},
      {"https://h.example/v1", "https://h.example/v2", "", "", NULL},
      {"https://h.example/v1", "https://h.example:444/v1", "", "",
       "OPENAI_API_KEY is not sent to 'h.example:444', which the rule file names (with key_env = \"OPENAI_API_KEY\" it "
       "is)"},
      {"http://h.example/v1", "", "", "",
       "the key goes to 'h.example' over http, where others can read it (use https)"},
      {"http://127.0.0.1:8000/v1", "", "", "", NULL},
      {NULL, "http://localhost:8000/v1", "k", "", NULL},
      {NULL, "http://[::1]:8000/v1", "k", "", NULL},
      {NULL, "http://127.9.9.9/v1", "k", "", NULL},
      {NULL, "http://x.localhost/v1", "k", "", NULL},
      {NULL, "http://localhost.evil.example/v1", "k", "",
       "the key goes to 'localhost.evil.example' over http, where others can read it (use https)"},
      {NULL, "http://notlocalhost/v1", "k", "",
       "the key goes to 'notlocalhost' over http, where others can read it (use https)"},
      {NULL, "http://127.0.0.1.evil.example/v1", "k", "",
       "the key goes to '127.0.0.1.evil.example' over http, where others can read it (use https)"},
      {NULL, "http://10.0.0.1/v1", "", "OTHER",
       "the key goes to '10.0.0.1' over http, where others can read it (use https)"},
      {NULL, "http://10.0.0.1/v1", "", "NOT_SET", NULL},
      {NULL, "https://evil.example/v1", "", "OPENAI_API_KEY", NULL},
  };
  setenv("OPENAI_API_KEY", "sk-default", 1);
  setenv("OTHER", "sk-other", 1);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (rows[i].base_url != NULL) setenv("OPENAI_BASE_URL", rows[i].base_url, 1);
    const ee_provider_settings settings = {.kind = EE_PROVIDER_OPENAI,
                                           .model = EE_STR("m"),
                                           .url = ee_str_from(rows[i].url),
                                           .key = ee_str_from(rows[i].key),
                                           .key_env = ee_str_from(rows[i].key_env),
                                           .no_cache = true};
    ee_error error = {0};
    ee_provider *provider = ee_provider_open(&settings, NULL, &error);
    if (provider == NULL) fail_msg("row %zu: %s", i, error.message);
    const char *warning = provider->warning != NULL ? provider->warning : "";
    if (strcmp(warning, rows[i].warning != NULL ? rows[i].warning : "") != 0) fail_msg("row %zu: '%s'", i, warning);
    ee_provider_free(provider);
    unsetenv("OPENAI_BASE_URL");
  }
  unsetenv("OPENAI_API_KEY");
  unsetenv("OTHER");
}

/* What is not sent is not only not warned of. */
static void test_default_key_stays(void **state) {
  (void)state;
  for (int named = 0; named < 2; named++) {
    fixture f;
    fixture_open(&f, EE_MODEL_CHAT);
    f.settings.key = EE_STR("");
    if (named) f.settings.key_env = EE_STR("OPENAI_API_KEY");
    setenv("OPENAI_API_KEY", "sk-default", 1);
    assert_given(ask_one(&f, "one", "one two"), 1);
    char value[256];
    const char *header = test_http_header(test_http_kept(f.server, 0), "Authorization", value);
    if (named)
      assert_string_equal(header, "Bearer sk-default");
    else
      assert_null(header);
    unsetenv("OPENAI_API_KEY");
    fixture_close(&f);
  }
}

EE_TEST_FILE(clean_environment, NULL, cmocka_unit_test(test_http_proxy), cmocka_unit_test(test_https_proxy),
             cmocka_unit_test(test_exceptions), cmocka_unit_test(test_loopback), cmocka_unit_test(test_keys),
             cmocka_unit_test(test_default_key_stays));

#else

EE_TEST_FILE(NULL, NULL);

#endif
