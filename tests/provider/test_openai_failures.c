/* test_openai_failures.c: wrong answers, refusals, limits, turns of several workers, and interruption. */
#ifdef EE_WITH_CURL

#include "provider/openai_fixture.h"

#include <pthread.h>
#include <time.h>

#include "support/random.h"

static void answer_with(fixture *f, size_t first, size_t last, const char *body) {
  test_failures_add(&f->endpoint.failures, (test_failure){first, last, 200, NULL, body, TEST_HTTP_ANSWER, 0, 0});
}

static void refuse_with(fixture *f, size_t first, size_t last, int status, const char *headers, const char *body) {
  test_failures_add(&f->endpoint.failures, (test_failure){first, last, status, headers, body, TEST_HTTP_ANSWER, 0, 0});
}

static void misbehave(fixture *f, size_t first, size_t last, test_http_manner manner, size_t cut_after) {
  test_failures_add(&f->endpoint.failures,
                    (test_failure){first, last, 200, NULL, "{\"data\": []}", manner, cut_after, 0});
}

/* Wrong answers -------------------------------------------------------------------------------- */

#define GOOD(index) "{\"index\":" index ",\"embedding\":[1,2]}"
#define NO_NUMBERS "the server's answer has an embedding that is not an array of numbers"

static const char *const wrong_embeddings[][2] = {
    {"", "the server's answer is not JSON"},
    {"<html>", "the server's answer is not JSON"},
    {"{\"data\":[" GOOD("0") "," GOOD("1"), "the server's answer is not JSON"},
    {"null", "the server's answer has no embeddings"},
    {"[]", "the server's answer has no embeddings"},
    {"{}", "the server's answer has no embeddings"},
    {"{\"data\":null}", "the server's answer has no embeddings"},
    {"{\"data\":{}}", "the server's answer has no embeddings"},
    {"{\"error\":{\"message\":\"no credit\"}}", "the server's answer has no embeddings: no credit"},
    {"{\"data\":[]}", "the server's answer has 0 embeddings for 2 texts"},
    {"{\"data\":[" GOOD("0") "]}", "the server's answer has 1 embeddings for 2 texts"},
    {"{\"data\":[" GOOD("0") "," GOOD("1") "," GOOD("1") "]}", "the server's answer has 3 embeddings for 2 texts"},
    {"{\"data\":[" GOOD("0") "," GOOD("0") "]}", "the server's answer has an index twice"},
    {"{\"data\":[" GOOD("0") "," GOOD("2") "]}", "the server's answer has an embedding without its index"},
    {"{\"data\":[" GOOD("0") "," GOOD("-1") "]}", "the server's answer has an embedding without its index"},
    {"{\"data\":[" GOOD("0") "," GOOD("0.5") "]}", "the server's answer has an embedding without its index"},
    {"{\"data\":[" GOOD("0") "," GOOD("1e300") "]}", "the server's answer has an embedding without its index"},
    {"{\"data\":[" GOOD("0") "," GOOD("\"1\"") "]}", "the server's answer has an embedding without its index"},
    {"{\"data\":[[1,2],[1,2]]}", "the server's answer has an embedding without its index"},
    {"{\"data\":[" GOOD("0") ",{\"index\":1,\"embedding\":[1,2,3]}]}",
     "the server's answer has embeddings of different lengths"},
    {"{\"data\":[" GOOD("0") ",{\"index\":1}]}", NO_NUMBERS},
    {"{\"data\":[" GOOD("0") ",{\"index\":1,\"embedding\":[]}]}", NO_NUMBERS},
    {"{\"data\":[" GOOD("0") ",{\"index\":1,\"embedding\":\"AACAPw==\"}]}", NO_NUMBERS},
    {"{\"data\":[" GOOD("0") ",{\"index\":1,\"embedding\":[1,\"2\"]}]}", NO_NUMBERS},
    {"{\"data\":[" GOOD("0") ",{\"index\":1,\"embedding\":[1,null]}]}", NO_NUMBERS},
    {"{\"data\":[" GOOD("0") ",{\"index\":1,\"embedding\":[1,1e39]}]}", NO_NUMBERS},
    {"{\"data\":[" GOOD("0") ",{\"index\":1,\"embedding\":[1,NaN]}]}", "the server's answer is not JSON"},
    {"{\"data\":[" GOOD("0") ",{\"index\":1,\"embedding\":[0,0]}]}", "the embedding of a text has only zeros"},
};

static void test_wrong_embeddings(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof wrong_embeddings / sizeof *wrong_embeddings; i++) {
    fixture f;
    fixture_open(&f, EE_MODEL_EMBEDDINGS);
    f.settings.retries = 3; /* an answer is an answer: it is not asked for again */
    answer_with(&f, 0, 0, wrong_embeddings[i][0]);
    assert_why(ask_one(&f, "one", "two"), wrong_embeddings[i][1]);
    assert_int_equal(test_http_count(f.server), 1);
    assert_given(ask_one(&f, "one", "two"), test_cosine(EE_STR("one"), EE_STR("two"))); /* and the run goes on */
    fixture_close(&f);
  }
}

/* Two batches that do not fit each other. */
static void test_other_dimensions(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f, EE_MODEL_EMBEDDINGS);
  f.settings.batch = 1;
  f.settings.in_flight = 1;
  answer_with(&f, 0, 0, "{\"data\":[" GOOD("0") "]}");
  answer_with(&f, 1, 1, "{\"data\":[{\"index\":0,\"embedding\":[1,2,3]}]}");
  answer_with(&f, 2, 2, "{\"data\":[{\"index\":0,\"embedding\":[-1,-2]}]}");
  answer_with(&f, 3, 3, "{\"data\":[{\"index\":0,\"embedding\":[3e38,3e38]}]}");
  answer_with(&f, 4, 4, "{\"data\":[{\"index\":0,\"embedding\":[1e-45,1e-45]}]}");
  begin(&f);
  look(&f, "one", "two");
  look(&f, "three", "four");
  look(&f, "three", "five");
  ask(&f);
  assert_why(look(&f, "one", "two"), "the embeddings of the two texts have different lengths");
  assert_why(look(&f, "two", "one"), "the embeddings of the two texts have different lengths");
  assert_given(look(&f, "one", "three"), 0); /* a cosine of -1 */
  assert_given(look(&f, "five", "four"), 1); /* neither overflow nor underflow */
  end(&f);
  fixture_close(&f);
}

#define SAYS(content) "{\"choices\":[{\"message\":{\"content\":" content "},\"finish_reason\":\"stop\"}]}"
#define NO_SIMILARITY "the model's answer has no similarity from 0 to 1: "
#define NO_OBJECT "the model's answer is not a JSON object: "

static const char *const wrong_chats[][2] = {
    {"", "the server's answer is not JSON"},
    {"{\"choices\":", "the server's answer is not JSON"},
    {"{}", "the server's answer has no choices"},
    {"{\"choices\":[]}", "the server's answer has no choices"},
    {"{\"choices\":\"yes\"}", "the server's answer has no choices"},
    {"{\"error\":{\"message\":\"overloaded\"}}", "the server's answer has no choices: overloaded"},
    {"{\"choices\":[7]}", "the server's answer has no text"},
    {"{\"choices\":[{\"message\":{\"content\":7}}]}", "the server's answer has no text"},
    {SAYS("null"), "the model's answer is empty"},
    {SAYS("\" \""), "the model's answer is empty"},
    {SAYS("\"0.9\""), NO_OBJECT "'0.9'"},
    {SAYS("\"[0.9]\""), NO_OBJECT "'[0.9]'"},
    {SAYS("\"I think\\nthey are alike\""), NO_OBJECT "'I think they are alike'"},
    {SAYS("\"{\\\"similarity\\\": 0.9} as said\""), NO_OBJECT "'{\"similarity\": 0.9} as said'"},
    {SAYS("\"{\\\"similarity\\\": NaN}\""), NO_OBJECT "'{\"similarity\": NaN}'"},
    {SAYS("\"{}\""), NO_SIMILARITY "'{}'"},
    {SAYS("\"{\\\"similarity\\\": \\\"0.9\\\"}\""), NO_SIMILARITY "'{\"similarity\": \"0.9\"}'"},
    {SAYS("\"{\\\"similarity\\\": 1.01}\""), NO_SIMILARITY "'{\"similarity\": 1.01}'"},
    {SAYS("\"{\\\"similarity\\\": -0.1}\""), NO_SIMILARITY "'{\"similarity\": -0.1}'"},
    {SAYS("\"{\\\"similarity\\\": true}\""), NO_SIMILARITY "'{\"similarity\": true}'"},
    {SAYS("\"{\\\"similarity\\\": null}\""), NO_SIMILARITY "'{\"similarity\": null}'"},
    {SAYS("\"{\\\"Similarity\\\": 1}\""), NO_SIMILARITY "'{\"Similarity\": 1}'"},
    {"{\"choices\":[{\"message\":{\"content\":\"{\\\"similarity\\\": 1}\"},\"finish_reason\":\"length\"}]}",
     "the model's answer was cut"},
    {"{\"choices\":[{\"message\":{\"content\":null,\"refusal\":\"I can't\"}}]}",
     "the model refused to answer: 'I can't'"},
};

static void test_wrong_chats(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof wrong_chats / sizeof *wrong_chats; i++) {
    fixture f;
    fixture_open(&f, EE_MODEL_CHAT);
    f.settings.retries = 3;
    answer_with(&f, 0, 0, wrong_chats[i][0]);
    assert_why(ask_one(&f, "one", "one two"), wrong_chats[i][1]);
    assert_tells(&f, "openai chat: 1 request for 1 question; 1 question without an answer (1 unusable answer)");
    assert_given(ask_one(&f, "one", "one two"), 1);
    fixture_close(&f);
  }
}

/* What is still an answer: other members, white space, 0 and 1 themselves. */
static void test_odd_chats(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f, EE_MODEL_CHAT);
  answer_with(&f, 0, 0, SAYS("\" {\\\"why\\\": [1], \\\"similarity\\\": 1} \""));
  answer_with(&f, 1, 1, "{\"choices\":[{\"message\":{\"content\":\"{\\\"similarity\\\": -0.0}\"}}]}");
  assert_given(ask_one(&f, "one", "two"), 1);
  ee_answer zero = ask_one(&f, "one", "three");
  assert_given(zero, 0);
  assert_true(1 / zero.similarity > 0); /* not -0, which would be printed */
  fixture_close(&f);
}

/* The server in trouble ------------------------------------------------------------------------ */

static void test_broken(void **state) {
  (void)state;
  static const struct {
    test_http_manner manner;
    const char *why;
  } cases[] = {{TEST_HTTP_CUT, "answer cut off"},
               {TEST_HTTP_CLOSE, "connection closed without an answer"},
               {TEST_HTTP_GARBAGE, "the server's answer is not HTTP"},
               {TEST_HTTP_HANG, "timed out after 0.2 s"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f;
    fixture_open(&f, EE_MODEL_EMBEDDINGS);
    if (cases[i].manner == TEST_HTTP_HANG) f.settings.timeout_s = 0.2;
    misbehave(&f, 0, 0, cases[i].manner, 5);
    assert_why(ask_one(&f, "one", "two"), cases[i].why);
    assert_tells(&f, "openai embeddings: 1 request for 2 texts; 2 texts without an answer (1 request failed)");
    fixture_close(&f);
  }
  fixture f;
  fixture_open(&f, EE_MODEL_EMBEDDINGS);
  char url[64];
  test_http_closed_url(url);
  f.settings.url = ee_str_from(url);
  assert_why(ask_one(&f, "one", "two"), "connection refused");
  fixture_close(&f);
}

/* A name that is no name needs no network to have no address. */
static void test_no_address(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f, EE_MODEL_EMBEDDINGS);
  static const char host[] = "a-name-that-is-longer-than-sixty-three-letters-and-so-is-none-at-all.invalid";
  char url[200], why[200];
  snprintf(url, sizeof url, "http://%s:8080/v1", host);
  snprintf(why, sizeof why, "no address for '%s'", host);
  f.settings.url = ee_str_from(url);
  assert_why(ask_one(&f, "one", "two"), why);
  fixture_close(&f);
}

/* A server that wants a key, and no key. */
static void test_no_key(void **state) {
  (void)state;
  static const struct {
    const char *key, *key_env, *answer, *why;
  } cases[] = {
      {"", "", "{\"error\":{\"message\":\"You need a key\"}}",
       "HTTP 401: You need a key (the rule file has no key_env)"},
      {"", "OPENAI_API_KEY", "{}", "HTTP 401 (OPENAI_API_KEY is not set)"},
      {"", "MY_KEY", "", "HTTP 401 (MY_KEY is not set)"},
      {"secret", "MY_KEY", "{\"error\":{\"message\":\"Wrong key\"}}", "HTTP 401: Wrong key"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f;
    fixture_open(&f, EE_MODEL_CHAT);
    f.settings.key = ee_str_from(cases[i].key);
    f.settings.key_env = ee_str_from(cases[i].key_env);
    refuse_with(&f, 0, SIZE_MAX, 401, NULL, cases[i].answer);
    assert_why(ask_one(&f, "a", "b"), cases[i].why);
    assert_why(ask_one(&f, "a", "c"), cases[i].why);
    fixture_close(&f);
  }
}

static void test_retried(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f, EE_MODEL_CHAT);
  f.settings.retries = 1;
  f.settings.in_flight = 8;
  refuse_with(&f, 0, 0, 500, NULL, NULL);
  refuse_with(&f, 1, 1, 429, NULL, NULL);
  misbehave(&f, 2, 2, TEST_HTTP_CUT, 3);
  begin(&f);
  static const char *const texts[] = {"a", "b", "c", "d"};
  for (int i = 0; i < 4; i++) look(&f, texts[i], "a b");
  ask(&f);
  for (int i = 0; i < 4; i++) assert_given(look(&f, texts[i], "a b"), i < 2);
  end(&f);
  assert_tells(&f, "openai chat: 7 requests for 4 questions, 3 retries");
  fixture_close(&f);
}

static void test_refused_key(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f, EE_MODEL_CHAT);
  f.settings.retries = 4;
  f.settings.in_flight = 1;
  refuse_with(&f, 1, SIZE_MAX, 401, NULL, "{\"error\":{\"message\":\"Incorrect API key provided: " KEY "\"}}");
  assert_given(ask_one(&f, "a", "a b"), 1);
  begin(&f);
  look(&f, "a", "b");
  look(&f, "a", "c");
  ask(&f);
  assert_why(look(&f, "a", "b"), "HTTP 401: Incorrect API key provided: ***");
  assert_why(look(&f, "a", "c"), "HTTP 401: Incorrect API key provided: ***");
  end(&f);
  assert_why(ask_one(&f, "a", "d"), "HTTP 401: Incorrect API key provided: ***");
  assert_int_equal(test_http_count(f.server), 2);
  fixture_close(&f);
}

/* Wherever a server or a model may repeat the key. */
static void test_key_in_no_text(void **state) {
  (void)state;
  static const struct {
    ee_model_kind kind;
    int status;
    const char *body;
  } cases[] = {
      {EE_MODEL_CHAT, 400, "{\"error\":{\"message\":\"" KEY "\"}}"},
      {EE_MODEL_CHAT, 500, "{\"message\":\"x" KEY KEY "\"}"},
      {EE_MODEL_CHAT, 302, "{\"detail\":\"" KEY "\"}"},
      {EE_MODEL_CHAT, 200, "{\"error\":{\"message\":\"" KEY "\"}}"},
      {EE_MODEL_CHAT, 200, "" KEY ""},
      {EE_MODEL_CHAT, 200, SAYS("\"" KEY "\"")},
      {EE_MODEL_CHAT, 200, SAYS("\"{\\\"similarity\\\": \\\"" KEY "\\\"}\"")},
      {EE_MODEL_CHAT, 200, SAYS("\"a text of some length, so that the key is cut off..." KEY "\"")},
      {EE_MODEL_CHAT, 200, "{\"choices\":[{\"message\":{\"refusal\":\"" KEY "\"}}]}"},
      {EE_MODEL_EMBEDDINGS, 200, "{\"error\":\"" KEY "\"}"},
      {EE_MODEL_EMBEDDINGS, 403, "{\"error\":\"s" KEY "\"}"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f;
    fixture_open(&f, cases[i].kind);
    refuse_with(&f, 0, SIZE_MAX, cases[i].status, "Location: /" KEY "\r\nX: " KEY "\r\n", cases[i].body);
    ee_answer answer = ask_one(&f, "one", "two");
    assert_int_equal(answer.state, EE_ANSWER_FAILED);
    assert_true(answer.text.length > 0);
    assert_null(memmem(answer.text.data, answer.text.length, "Geh", 3));
    assert_null(memmem(answer.text.data, answer.text.length, "sk-", 3));
    ee_buffer out = {0};
    f.provider->vtable->tell(f.provider, &out);
    assert_true(out.length > 0);
    assert_null(memmem(out.data, out.length, "Geh", 3));
    ee_buffer_fini(&out);
    fixture_close(&f);
  }
}

/* Limits --------------------------------------------------------------------------------------- */

static void test_budget(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f, EE_MODEL_CHAT);
  f.settings.max_requests = 5;
  char texts[12][32];
  begin(&f);
  for (int i = 0; i < 12; i++) {
    snprintf(texts[i], sizeof texts[i], "text %d", i);
    look(&f, texts[i], "text");
  }
  ask(&f);
  for (int i = 0; i < 12; i++) {
    if (i < 5)
      assert_given(look(&f, texts[i], "text"), 0.5);
    else
      assert_why(look(&f, texts[i], "text"), "budget of 5 requests used up");
  }
  end(&f);
  assert_why(ask_one(&f, "a", "b"), "budget of 5 requests used up");
  assert_int_equal(test_http_count(f.server), 5);
  assert_tells(&f, "openai chat: 5 requests for 5 questions; 8 questions without an answer (8 not sent)");
  fixture_close(&f);
}

/* Turns ---------------------------------------------------------------------------------------- */

enum { TURNS = 60, WORKERS = 4, ROUNDS = 2, MOST_QUESTIONS = 3 };

typedef struct crew {
  fixture *f;
  pthread_mutex_t lock;
  uint64_t next; /* turn that nobody has */
  bool fixed;    /* turns belong to workers: WORKERS - 1 - turn % WORKERS */
  size_t given;
} crew;

typedef struct worker {
  crew *crew;
  unsigned number;
  pthread_t thread;
  size_t given, failed;
} worker;

static void nap(test_random *random) {
  struct timespec moment = {.tv_nsec = (long)test_random_below(random, 2000000)};
  nanosleep(&moment, NULL);
}

static uint64_t take_turn(worker *w, uint64_t last) {
  if (w->crew->fixed) return last == EE_NO_TICKET ? WORKERS - 1 - w->number : last + WORKERS;
  pthread_mutex_lock(&w->crew->lock);
  uint64_t ticket = w->crew->next++;
  pthread_mutex_unlock(&w->crew->lock);
  return ticket;
}

static size_t questions_of(uint64_t ticket, int round) {
  return (size_t)(ticket * 7 + (uint64_t)round) % (MOST_QUESTIONS + 1);
}

/* A turn of several rounds; some have nothing to ask. */
static void work(worker *w, ee_provider_session *session, ee_arena *scratch, uint64_t ticket, test_random *random) {
  session->vtable->begin(session, ticket);
  for (int round = 0; round < ROUNDS; round++) {
    char texts[MOST_QUESTIONS][48];
    size_t count = questions_of(ticket, round);
    nap(random);
    for (int pass = 0; pass < 2; pass++) {
      for (size_t i = 0; i < count; i++) {
        snprintf(texts[i], sizeof texts[i], "%zu %d %zu", (size_t)ticket, round, i);
        ee_answer answer = similarity_of(session, scratch, texts[i], "some");
        if (pass == 0) continue;
        w->given += answer.state == EE_ANSWER_GIVEN;
        w->failed += answer.state == EE_ANSWER_FAILED;
      }
      if (pass == 0 && session->vtable->ask(session, NULL) != EE_OK) abort();
    }
  }
  nap(random);
  session->vtable->end(session);
}

static void *work_all(void *argument) {
  worker *w = argument;
  ee_provider *provider = w->crew->f->provider;
  ee_provider_session *session = provider->vtable->open(provider, NULL);
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  test_random random = {w->number};
  for (uint64_t ticket = take_turn(w, EE_NO_TICKET); ticket < TURNS; ticket = take_turn(w, ticket))
    work(w, session, &scratch, ticket, &random);
  ee_arena_fini(&scratch);
  provider->vtable->close(session);
  return NULL;
}

/* The user's messages hold "TURN ROUND NUMBER" of the question. */
static size_t place_of(const test_http_request *request) {
  size_t ticket = 0, number = 0;
  int round = 0;
  const char *at = strstr(request->body, "{\\\"expected\\\":\\\"");
  assert_non_null(at);
  assert_int_equal(sscanf(at, "{\\\"expected\\\":\\\"%zu %d %zu", &ticket, &round, &number), 3);
  return (ticket * ROUNDS + (size_t)round) * MOST_QUESTIONS + number;
}

/* Whoever has which turn, the server sees the questions in the order of the turns, and a budget ends at the same one.
 */
static void test_turns(void **state) {
  (void)state;
  size_t all = 0;
  for (uint64_t ticket = 0; ticket < TURNS; ticket++) {
    for (int round = 0; round < ROUNDS; round++) all += questions_of(ticket, round);
  }
  for (unsigned workers = 1; workers <= WORKERS; workers *= 2) {
    for (int fixed = 0; fixed < (workers == WORKERS ? 2 : 1); fixed++) {
      for (size_t budget = 0; budget <= all / 2; budget += all / 2) {
        fixture f;
        fixture_open(&f, EE_MODEL_CHAT);
        f.settings.in_flight = 1;
        f.settings.max_requests = budget;
        fixture_enter(&f, false);
        crew c = {.f = &f, .fixed = fixed != 0};
        pthread_mutex_init(&c.lock, NULL);
        worker w[WORKERS] = {0};
        for (unsigned i = 0; i < workers; i++) {
          w[i] = (worker){.crew = &c, .number = i};
          assert_int_equal(pthread_create(&w[i].thread, NULL, work_all, &w[i]), 0);
        }
        size_t given = 0, failed = 0, last = 0;
        for (unsigned i = 0; i < workers; i++) {
          pthread_join(w[i].thread, NULL);
          given += w[i].given;
          failed += w[i].failed;
        }
        pthread_mutex_destroy(&c.lock);
        assert_int_equal(given, budget > 0 ? budget : all);
        assert_int_equal(given + failed, all);
        assert_int_equal(test_http_count(f.server), given);
        for (size_t i = 0; i < given; i++) {
          size_t place = place_of(test_http_kept(f.server, i));
          assert_true(i == 0 || place > last);
          last = place;
        }
        fixture_close(&f);
      }
    }
  }
}

/* Askers without a turn may come at any time; one that is closed in its turn holds up nobody. */
static void test_no_turn(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f, EE_MODEL_CHAT);
  fixture_enter(&f, false);
  ee_provider_session *other = f.provider->vtable->open(f.provider, NULL);
  other->vtable->begin(other, EE_NO_TICKET);
  similarity_of(other, &f.scratch, "a", "a");
  assert_int_equal(other->vtable->ask(other, NULL), EE_OK);
  assert_given(similarity_of(other, &f.scratch, "a", "a"), 1);
  other->vtable->end(other);
  other->vtable->begin(other, 0);
  similarity_of(other, &f.scratch, "b", "b");
  f.provider->vtable->close(other);
  f.ticket = 1;
  assert_given(ask_one(&f, "c", "c d"), 1);
  fixture_close(&f);
}

/* Interruption --------------------------------------------------------------------------------- */

static volatile sig_atomic_t flag;

static void *set_flag(void *unused) {
  (void)unused;
  struct timespec moment = {.tv_nsec = 100000000};
  nanosleep(&moment, NULL);
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  return NULL;
}

typedef struct waiting_worker {
  fixture *f;
  uint64_t ticket;
  ee_status status;
} waiting_worker;

static void *ask_and_wait(void *argument) {
  waiting_worker *w = argument;
  ee_provider_session *session = w->f->provider->vtable->open(w->f->provider, NULL);
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  session->vtable->begin(session, w->ticket);
  similarity_of(session, &scratch, "one", w->ticket == 0 ? "zero" : "more");
  const ee_stop stop = {.interrupted = &flag};
  w->status = session->vtable->ask(session, &stop);
  session->vtable->end(session);
  ee_arena_fini(&scratch);
  w->f->provider->vtable->close(session);
  return NULL;
}

/* One worker waits for the server, one for its turn. */
static void test_interrupted(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f, EE_MODEL_EMBEDDINGS);
  f.settings.timeout_s = 60;
  f.settings.retries = 4;
  misbehave(&f, 0, SIZE_MAX, TEST_HTTP_HANG, 0);
  fixture_enter(&f, false);
  flag = 0;
  pthread_t setter, threads[2];
  waiting_worker workers[2] = {{&f, 0, EE_OK}, {&f, 1, EE_OK}};
  double before = test_now();
  for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, ask_and_wait, &workers[i]), 0);
  assert_int_equal(pthread_create(&setter, NULL, set_flag, NULL), 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  double took = test_now() - before;
  pthread_join(setter, NULL);
  assert_true(took > 0.09);
  for (int i = 0; i < 2; i++) assert_int_equal(workers[i].status, EE_ERROR_SYSTEM);
  assert_int_equal(test_http_count(f.server), 1);
  fixture_close(&f);
}

/* Settings that cannot be used ----------------------------------------------------------------- */

static void assert_refused(const ee_provider_settings *settings, const char *part) {
  for (int offline = 0; offline < 2; offline++) {
    ee_error error = {0};
    ee_provider *provider = ee_provider_open(settings, offline != 0 ? "--offline" : NULL, &error);
    if (provider != NULL) fail_msg("accepted, instead of '%s'", part);
    assert_int_equal(error.status, EE_ERROR_RULES);
    if (strstr(error.message, part) == NULL) fail_msg("'%s' without '%s'", error.message, part);
    assert_null(strstr(error.message, "secret"));
  }
}

static void test_bad_settings(void **state) {
  (void)state;
  static const char *const urls[][2] = {{"127.0.0.1:80/v1", "http"},
                                        {"ftp://host/v1", "http"},
                                        {"file:///etc/passwd", "http"},
                                        {"http://", "host"},
                                        {"https:///v1", "host"},
                                        {"http://me:secret@host/v1", "password"},
                                        {"http://host/v1?a=secret", "query"},
                                        {"http://host/#secret", "fragment"},
                                        {"http://ho st/v1", "character"},
                                        {"http://host\r\nX: secret/v1", "character"}};
  const ee_provider_settings good = {.kind = EE_PROVIDER_OPENAI,
                                     .url = EE_STR("http://127.0.0.1:1"),
                                     .model = EE_STR("m"),
                                     .in_flight = 1,
                                     .batch = 1,
                                     .no_cache = true};
  ee_provider_settings settings = good;
  for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
    settings.url = ee_str_from(urls[i][0]);
    assert_refused(&settings, urls[i][1]);
  }
  settings = good;
  settings.url = EE_STR("http://127.0.0.1:1\0/secret");
  assert_refused(&settings, "url");
  static const char *const keys[] = {"secret\nX: y", "secret\r", "secret secret", "secret\xc3\xa9"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    settings = good;
    settings.key = ee_str_from(keys[i]);
    assert_refused(&settings, "key");
    settings = good;
    settings.key_env = EE_STR("OPENAI_API_KEY");
    setenv("OPENAI_API_KEY", keys[i], 1);
    assert_refused(&settings, "OPENAI_API_KEY");
    unsetenv("OPENAI_API_KEY");
  }
  settings = good;
  settings.key = EE_STR("key\0secret");
  assert_refused(&settings, "key");
  settings = good;
  settings.model = EE_STR("");
  assert_refused(&settings, "model");
}

EE_TEST_FILE(clean_environment, NULL, cmocka_unit_test(test_wrong_embeddings), cmocka_unit_test(test_other_dimensions),
             cmocka_unit_test(test_wrong_chats), cmocka_unit_test(test_odd_chats), cmocka_unit_test(test_broken),
             cmocka_unit_test(test_no_address), cmocka_unit_test(test_no_key), cmocka_unit_test(test_retried),
             cmocka_unit_test(test_refused_key), cmocka_unit_test(test_key_in_no_text), cmocka_unit_test(test_budget),
             cmocka_unit_test(test_turns), cmocka_unit_test(test_no_turn), cmocka_unit_test(test_interrupted),
             cmocka_unit_test(test_bad_settings));

#else

EE_TEST_FILE(NULL, NULL); /* test_openai.c tests that such a program says so */

#endif
