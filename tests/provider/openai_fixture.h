/* openai_fixture.h: a provider `openai` with a server of its own, and questions for it. */
#ifndef EE_TESTS_PROVIDER_OPENAI_FIXTURE_H
#define EE_TESTS_PROVIDER_OPENAI_FIXTURE_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "provider/provider.h"
#include "support/openai_endpoint.h"

#define KEY "sk-Geheim+/=0123456789"

typedef struct fixture {
  test_openai endpoint;
  test_http_server *server;
  ee_provider_settings settings; /* to be changed before the provider is opened */
  ee_provider *provider;
  ee_provider_session *session;
  ee_arena scratch;
  uint64_t ticket;
} fixture;

static inline void fixture_open(fixture *f, ee_model_kind kind) {
  *f = (fixture){0};
  f->server = test_http_start(test_openai_answer, &f->endpoint);
  f->settings = (ee_provider_settings){.kind = EE_PROVIDER_OPENAI,
                                       .model_kind = kind,
                                       .url = ee_str_from(test_http_url(f->server)),
                                       .model = EE_STR("m"),
                                       .key = EE_STR(KEY),
                                       .timeout_s = 120,
                                       .in_flight = 4,
                                       .batch = 64,
                                       .no_cache = true};
  ee_arena_init(&f->scratch, 0);
}

/* Opens the provider and an asker when they are not; once more after fixture_leave(). */
static inline void fixture_enter(fixture *f, bool offline) {
  if (f->provider != NULL) return;
  ee_error error = {0};
  f->provider = ee_provider_open(&f->settings, offline ? "--offline" : NULL, &error);
  if (f->provider == NULL) fail_msg("%s", error.message);
  f->session = f->provider->vtable->open(f->provider, &error);
  assert_non_null(f->session);
  f->ticket = 0;
}

static inline void fixture_leave(fixture *f) {
  if (f->provider == NULL) return;
  f->provider->vtable->close(f->session);
  ee_provider_free(f->provider);
  f->provider = NULL;
}

static inline void fixture_close(fixture *f) {
  fixture_leave(f);
  ee_arena_fini(&f->scratch);
  test_http_stop(f->server);
}

static inline ee_answer similarity_of(ee_provider_session *session, ee_arena *scratch, const char *expected,
                                      const char *candidate) {
  ee_answer answer = {0};
  session->vtable->similarity(session, ee_str_from(expected), ee_str_from(candidate), scratch, &answer);
  return answer;
}

static inline ee_answer look(fixture *f, const char *expected, const char *candidate) {
  return similarity_of(f->session, &f->scratch, expected, candidate);
}

static inline void begin(fixture *f) {
  fixture_enter(f, false);
  f->session->vtable->begin(f->session, f->ticket++);
}
static inline void ask(fixture *f) { assert_int_equal(f->session->vtable->ask(f->session, NULL), EE_OK); }
static inline void end(fixture *f) { f->session->vtable->end(f->session); }

/* A turn of one question; the answer's text lives until the next. */
static inline ee_answer ask_one(fixture *f, const char *expected, const char *candidate) {
  begin(f);
  assert_int_equal(look(f, expected, candidate).state, EE_ANSWER_PENDING);
  ask(f);
  ee_answer answer = look(f, expected, candidate);
  end(f);
  return answer;
}

static inline void assert_given(ee_answer answer, double similarity) {
  if (answer.state == EE_ANSWER_FAILED) fail_msg("%.*s", (int)answer.text.length, answer.text.data);
  assert_int_equal(answer.state, EE_ANSWER_GIVEN);
  if (answer.similarity != similarity) fail_msg("%.17g, not %.17g", answer.similarity, similarity);
}

static inline void assert_why(ee_answer answer, const char *why) {
  assert_int_equal(answer.state, EE_ANSWER_FAILED);
  if (!ee_str_is(answer.text, why)) fail_msg("'%.*s', not '%s'", (int)answer.text.length, answer.text.data, why);
}

static inline void assert_tells(fixture *f, const char *line) {
  ee_buffer out = {0};
  f->provider->vtable->tell(f->provider, &out);
  assert_string_equal(ee_buffer_terminate(&out), line);
  ee_buffer_fini(&out);
}

/* The environment is that of the tests alone. */
static inline int clean_environment(void **state) {
  (void)state;
  static const char *const names[] = {"http_proxy",   "https_proxy",    "all_proxy",       "ALL_PROXY",
                                      "HTTPS_PROXY",  "no_proxy",       "NO_PROXY",        "OPENAI_BASE_URL",
                                      "OPENAI_MODEL", "OPENAI_API_KEY", "EVALENGINE_CACHE"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) unsetenv(names[i]);
  return 0;
}

/* A folder with a file for a cache in it. */
static char cache_folder[256], cache_file[300];

static inline int make_cache_folder(void **state) {
  const char *parent = getenv("TMPDIR");
  snprintf(cache_folder, sizeof cache_folder, "%s/ee_openai_XXXXXX", parent != NULL ? parent : P_tmpdir);
  if (mkdtemp(cache_folder) == NULL) return -1;
  snprintf(cache_file, sizeof cache_file, "%s/answers.sqlite", cache_folder);
  return clean_environment(state);
}

static inline void remove_cache(void) {
  static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    char name[400];
    snprintf(name, sizeof name, "%s%s", cache_file, ends[i]);
    unlink(name);
  }
}

static inline int remove_cache_folder(void **state) {
  (void)state;
  remove_cache();
  return rmdir(cache_folder);
}

static inline void use_cache(fixture *f) {
  f->settings.no_cache = false;
  f->settings.cache = ee_str_from(cache_file);
}

#endif
