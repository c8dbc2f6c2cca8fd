/* test_http.c: many requests at once, and what becomes of them when the server is late, wrong or gone. */
#include "provider/http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef EE_WITH_CURL

#include <pthread.h>
#include <time.h>

#include "support/http_server.h"

#define KEY "sk-Geheim+/=0123456789"

/* A server that says what it was told, and a client for it */

typedef struct desk {
  test_failures failures;
  unsigned delay_ms;
  test_http_server *server;
  ee_http_settings settings; /* to be changed before the first send */
  ee_http *http;
  char url[80];
} desk;

static void repeat_body(void *user, const test_http_request *request, test_http_response *response) {
  const desk *d = user;
  response->delay_ms = d->delay_ms;
  if (test_failures_answer(&d->failures, request->number, response)) return;
  ee_buffer_add(&response->body, request->body, request->length);
}

static void desk_open(desk *d) {
  *d = (desk){0};
  d->server = test_http_start(repeat_body, d);
  snprintf(d->url, sizeof d->url, "%s/v1", test_http_url(d->server));
  d->settings = (ee_http_settings){.url = d->url, .key = KEY, .timeout_ms = 120000, .in_flight = 4};
}

static void desk_close(desk *d) {
  ee_http_free(d->http);
  test_http_stop(d->server);
}

static void fail_with(desk *d, size_t first, size_t last, int status, const char *headers, const char *body) {
  test_failures_add(&d->failures, (test_failure){first, last, status, headers, body, TEST_HTTP_ANSWER, 0, 0});
}

static void misbehave(desk *d, size_t first, size_t last, test_http_manner manner, const char *body, size_t cut_after) {
  test_failures_add(&d->failures, (test_failure){first, last, 200, NULL, body, manner, cut_after, 0});
}

enum { MOST = 400 };
static ee_http_request requests[MOST];
static char bodies[MOST][32];

/* Sends `count` requests whose bodies are {"n":0}, {"n":1}, ...; returns the seconds it took. */
static double send_until(desk *d, size_t count, const volatile sig_atomic_t *interrupted, ee_status status) {
  if (d->http == NULL) d->http = ee_http_new(&d->settings, NULL);
  assert_non_null(d->http);
  memset(requests, 0, sizeof requests);
  for (size_t i = 0; i < count; i++) {
    snprintf(bodies[i], sizeof bodies[i], "{\"n\":%zu}", i);
    requests[i] = (ee_http_request){.path = "/say", .body = ee_str_from(bodies[i])};
  }
  const ee_stop stop = {.interrupted = interrupted};
  double before = test_now();
  assert_int_equal(ee_http_perform(d->http, requests, count, &stop), status);
  return test_now() - before;
}

static double send(desk *d, size_t count) { return send_until(d, count, NULL, EE_OK); }

static void forget(size_t count) {
  for (size_t i = 0; i < count; i++) ee_buffer_fini(&requests[i].answer);
}

static void assert_said(size_t i) {
  if (!requests[i].done) fail_msg("request %zu: %s", i, requests[i].failure);
  assert_true(ee_str_is((ee_str){requests[i].answer.data, requests[i].answer.length}, bodies[i]));
}

static void assert_failed(size_t i, const char *failure) {
  assert_false(requests[i].done);
  assert_string_equal(requests[i].failure, failure);
}

/* One request, which fails like this after so many attempts. */
static void assert_one_fails(desk *d, const char *failure, size_t attempts) {
  send(d, 1);
  assert_failed(0, failure);
  assert_int_equal(test_http_count(d->server), attempts);
  ee_http_counts counts = ee_http_counted(d->http);
  assert_int_equal(counts.requests, attempts);
  assert_int_equal(counts.retries, attempts - 1);
  assert_int_equal(counts.failures, 1);
  forget(1);
}

/* What is sent --------------------------------------------------------------------------------- */

static void test_one(void **state) {
  (void)state;
  desk d;
  desk_open(&d);
  send(&d, 1);
  assert_said(0);
  const test_http_request *request = test_http_kept(d.server, 0);
  char value[256];
  assert_string_equal(request->method, "POST");
  assert_string_equal(request->path, "/v1/say");
  assert_string_equal(request->body, "{\"n\":0}");
  assert_string_equal(test_http_header(request, "Authorization", value), "Bearer " KEY);
  assert_string_equal(test_http_header(request, "Content-Type", value), "application/json");
  assert_non_null(test_http_header(request, "User-Agent", value));
  assert_null(test_http_header(request, "Expect", value));
  forget(1);
  ee_http_free(d.http);
  d.settings.key = NULL;
  d.http = NULL;
  send(&d, 1);
  assert_null(test_http_header(test_http_kept(d.server, 1), "Authorization", value));
  forget(1);
  desk_close(&d);
}

static void test_bodies(void **state) {
  (void)state;
  desk d;
  desk_open(&d);
  size_t large = (size_t)3 << 20;
  char *text = malloc(large);
  for (size_t i = 0; i < large; i++) text[i] = (char)(i * i >> 7);
  d.http = ee_http_new(&d.settings, NULL);
  const ee_str sent[] = {{text, large}, {"", 0}, {NULL, 0}, {"a\0b", 3}, {text, 65536}};
  enum { SENT = sizeof sent / sizeof *sent };
  ee_http_request some[SENT] = {0};
  for (size_t i = 0; i < SENT; i++) some[i] = (ee_http_request){.path = "/say", .body = sent[i]};
  for (int again = 0; again < 2; again++) { /* what an earlier answer left in the buffers is replaced */
    assert_int_equal(ee_http_perform(d.http, some, SENT, NULL), EE_OK);
    for (size_t i = 0; i < SENT; i++) {
      assert_true(some[i].done);
      assert_true(ee_str_equal((ee_str){some[i].answer.data, some[i].answer.length}, sent[i]));
    }
  }
  assert_int_equal(ee_http_perform(d.http, NULL, 0, NULL), EE_OK);
  for (size_t i = 0; i < SENT; i++) ee_buffer_fini(&some[i].answer);
  free(text);
  desk_close(&d);
}

static void test_side_by_side(void **state) {
  (void)state;
  desk d;
  desk_open(&d);
  d.delay_ms = 5;
  d.settings.in_flight = 5;
  double took = send(&d, 200);
  size_t connections = 0;
  for (size_t i = 0; i < 200; i++) {
    assert_said(i);
    const test_http_request *request = test_http_kept(d.server, i);
    if (request->connection >= connections) connections = request->connection + 1;
  }
  assert_int_equal(test_http_count(d.server), 200);
  assert_in_range(test_http_most_in_flight(d.server), 2, 5);
  assert_in_range(connections, 2, 5); /* kept alive */
  printf("200 requests of 5 ms, 5 in flight: %.0f ms\n", took * 1000);
  ee_http_counts counts = ee_http_counted(d.http);
  assert_int_equal(counts.requests, 200);
  assert_int_equal(counts.retries + counts.failures, 0);
  forget(200);
  desk_close(&d);
}

/* Patience ------------------------------------------------------------------------------------- */

static void test_retry_after(void **state) {
  (void)state;
  desk d;
  desk_open(&d);
  d.settings.in_flight = 1;
  d.settings.retries = 2;
  fail_with(&d, 0, 0, 429, "Retry-After: 1\r\n", "{\"error\":{\"message\":\"slowly\"}}");
  double took = send(&d, 12);
  for (size_t i = 0; i < 12; i++) assert_said(i);
  assert_true(took > 0.95);
  assert_int_equal(test_http_count(d.server), 13);
  double first = test_http_kept(d.server, 0)->arrived; /* and all are held back */
  for (size_t i = 1; i < 13; i++) assert_true(test_http_kept(d.server, i)->arrived - first > 0.95);
  assert_int_equal(ee_http_counted(d.http).retries, 1);
  forget(12);
  desk_close(&d);
}

static void test_retry_after_date(void **state) {
  (void)state;
  desk d;
  desk_open(&d);
  d.settings.retries = 1;
  char header[100];
  time_t then = time(NULL) + 2;
  strftime(header, sizeof header, "Retry-After: %a, %d %b %Y %H:%M:%S GMT\r\n", gmtime(&then));
  fail_with(&d, 0, 0, 503, header, NULL);
  double took = send(&d, 1);
  assert_said(0);
  assert_true(took > 0.9);
  forget(1);
  desk_close(&d);
}

static void test_retry_after_an_hour(void **state) {
  (void)state;
  desk d;
  desk_open(&d);
  d.settings.retries = 5;
  fail_with(&d, 0, 0, 429, "Retry-After: 3600\r\n", "{\"error\":{\"message\":\"quota\"}}");
  assert_one_fails(&d, "HTTP 429: quota (asks to wait 3600 s)", 1);
  desk_close(&d);
}

static void test_server_error(void **state) {
  (void)state;
  static const int passing[] = {500, 502, 503, 504, 408, 529};
  desk d;
  desk_open(&d);
  d.settings.retries = 1;
  d.settings.in_flight = 6;
  for (size_t i = 0; i < 6; i++) fail_with(&d, i, i, passing[i], NULL, "{\"error\":\"overloaded\"}");
  double took = send(&d, 6);
  for (size_t i = 0; i < 6; i++) assert_said(i);
  assert_true(took > 0.48);
  assert_int_equal(ee_http_counted(d.http).requests, 12);
  assert_int_equal(ee_http_counted(d.http).retries, 6);
  forget(6);
  desk_close(&d);
}

static void test_server_error_for_ever(void **state) {
  (void)state;
  desk d;
  desk_open(&d);
  d.settings.retries = 2;
  fail_with(&d, 0, SIZE_MAX, 500, NULL, "{\"error\":{\"message\":\"overloaded\\nand more\"}}");
  double before = test_now();
  assert_one_fails(&d, "HTTP 500 after 3 attempts: overloaded and more", 3);
  double took = test_now() - before; /* 0.5 s and 1 s */
  assert_true(took > 1.45);
  desk_close(&d);
}

static void test_other_status(void **state) {
  (void)state;
  static const struct {
    int status;
    const char *body, *failure;
  } cases[] = {
      {400, "{\"error\":{\"message\":\"no such model\"}}", "HTTP 400: no such model"},
      {404, "<html>not found</html>", "HTTP 404"},
      {422, "{\"error\":17}", "HTTP 422"},
      {300, NULL, "HTTP 300: redirects are not followed"},
      {418, NULL, "HTTP 418"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    desk d;
    desk_open(&d);
    d.settings.retries = 5;
    fail_with(&d, 0, SIZE_MAX, cases[i].status, NULL, cases[i].body);
    assert_one_fails(&d, cases[i].failure, 1);
    desk_close(&d);
  }
}

/* After a key was refused once, nothing is sent any more. */
static void test_refused_key(void **state) {
  (void)state;
  for (int status = 401; status <= 403; status += 2) {
    desk d;
    desk_open(&d);
    d.settings.retries = 5;
    d.settings.in_flight = 1;
    fail_with(&d, 1, SIZE_MAX, status, NULL, "{\"error\":{\"message\":\"who are you\"}}");
    send(&d, 20);
    char failure[100];
    snprintf(failure, sizeof failure, "HTTP %d: who are you", status);
    assert_said(0);
    for (size_t i = 1; i < 20; i++) assert_failed(i, failure);
    assert_int_equal(test_http_count(d.server), 2);
    forget(20);
    send(&d, 3);
    for (size_t i = 0; i < 3; i++) assert_failed(i, failure);
    assert_int_equal(test_http_count(d.server), 2);
    assert_int_equal(ee_http_counted(d.http).requests, 2);
    forget(3);
    desk_close(&d);
  }
}

static void test_given_up_in_a_row(void **state) {
  (void)state;
  desk d;
  desk_open(&d);
  d.settings.in_flight = 2;
  /* 10 failures are not yet enough; a success lets the count begin again. */
  fail_with(&d, 0, 9, 500, NULL, NULL);
  fail_with(&d, 12, SIZE_MAX, 500, NULL, NULL);
  send(&d, 60);
  size_t done = 0;
  for (size_t i = 0; i < 60; i++) {
    done += requests[i].done;
    if (!requests[i].done) assert_failed(i, "HTTP 500");
  }
  assert_int_equal(done, 2);
  size_t sent = test_http_count(d.server);
  /* Two fly at a time, and which of the two ends first is not ours to say: a failure from before the successes may end
   * behind them. */
  assert_in_range(sent, 12 + 11 - 2, 12 + 11 + 2);
  forget(60);
  send(&d, 2);
  assert_failed(1, "HTTP 500");
  assert_int_equal(test_http_count(d.server), sent);
  forget(2);
  desk_close(&d);
}

/* Broken connections --------------------------------------------------------------------------- */

static void test_broken(void **state) {
  (void)state;
  static const struct {
    test_http_manner manner;
    const char *body;
    size_t cut_after;
    const char *failure;
  } cases[] = {
      {TEST_HTTP_CUT, "{\"a text\": 1}", 5, "answer cut off"},
      {TEST_HTTP_CUT, "{\"a text\": 1}", 0, "answer cut off"},
      {TEST_HTTP_CLOSE, NULL, 0, "connection closed without an answer"},
      {TEST_HTTP_GARBAGE, "220 smtp.example.com ready\r\n", 0, "the server's answer is not HTTP"},
      {TEST_HTTP_HANG, NULL, 0, "timed out after 0.2 s"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    desk d;
    desk_open(&d);
    if (cases[i].manner == TEST_HTTP_HANG) d.settings.timeout_ms = 200;
    misbehave(&d, 0, SIZE_MAX, cases[i].manner, cases[i].body, cases[i].cut_after);
    assert_one_fails(&d, cases[i].failure, 1);
    desk_close(&d);
  }
}

/* Each kind of break is repeated. */
static void test_broken_once(void **state) {
  (void)state;
  desk d;
  desk_open(&d);
  d.settings.in_flight = 4;
  d.settings.retries = 1;
  d.settings.timeout_ms = 3000; /* of the one that hangs; the others must have theirs before */
  misbehave(&d, 0, 0, TEST_HTTP_CUT, "{\"a text\": 1}", 5);
  misbehave(&d, 1, 1, TEST_HTTP_CLOSE, NULL, 0);
  misbehave(&d, 2, 2, TEST_HTTP_GARBAGE, "no answer", 0);
  misbehave(&d, 3, 3, TEST_HTTP_HANG, NULL, 0);
  double took = send(&d, 4);
  for (size_t i = 0; i < 4; i++) assert_said(i); /* and nothing of what was cut stands before the answer */
  assert_true(took > 0.75);
  assert_int_equal(ee_http_counted(d.http).retries, 4);
  forget(4);
  desk_close(&d);
}

/* curl sends again by itself when a connection that was used before is closed: that is counted, and paid for. */
static void test_sent_again(void **state) {
  (void)state;
  desk d;
  desk_open(&d);
  d.settings.in_flight = 1;
  misbehave(&d, 1, 1, TEST_HTTP_CLOSE, NULL, 0);
  send(&d, 3);
  for (size_t i = 0; i < 3; i++) assert_said(i);
  assert_int_equal(test_http_count(d.server), 4);
  ee_http_counts counts = ee_http_counted(d.http);
  assert_int_equal(counts.requests, 4);
  assert_int_equal(counts.retries, 1);
  assert_int_equal(counts.failures, 0);
  forget(3);
  desk_close(&d);

  desk_open(&d);
  d.settings.in_flight = 1;
  d.settings.retries = 3;
  d.settings.max_requests = 2;
  misbehave(&d, 1, SIZE_MAX, TEST_HTTP_CLOSE, NULL, 0);
  send(&d, 3);
  assert_said(0);
  assert_failed(1, "connection closed without an answer (budget of 2 requests used up)");
  assert_failed(2, "budget of 2 requests used up");
  assert_int_equal(test_http_count(d.server), 2);
  assert_int_equal(ee_http_counted(d.http).requests, 2);
  forget(3);
  desk_close(&d);
}

static void test_refused_connection(void **state) {
  (void)state;
  char url[64];
  test_http_closed_url(url);
  desk d;
  desk_open(&d);
  d.settings.url = url;
  d.settings.retries = 1;
  double took = send(&d, 1);
  assert_failed(0, "connection refused, 2 attempts");
  assert_true(took > 0.48);
  forget(1);
  desk_close(&d);
}

/* The key belongs to one server: not even another path of it is followed. */
static void test_redirect(void **state) {
  (void)state;
  desk d, other;
  desk_open(&d);
  desk_open(&other);
  d.settings.retries = 3;
  char header[200];
  snprintf(header, sizeof header, "Location: %s/v1/say\r\n", test_http_url(other.server));
  fail_with(&d, 0, 0, 302, header, NULL);
  fail_with(&d, 1, 1, 307, "Location: /v1/other\r\n", NULL);
  send(&d, 1);
  assert_failed(0, "HTTP 302: redirects are not followed");
  send(&d, 1);
  assert_failed(0, "HTTP 307: redirects are not followed");
  assert_int_equal(test_http_count(other.server), 0);
  assert_int_equal(test_http_count(d.server), 2);
  desk_close(&d);
  desk_close(&other);
}

/* The key in no message ------------------------------------------------------------------------ */

static void test_key_in_an_answer(void **state) {
  (void)state;
  desk d;
  desk_open(&d);
  char body[600], filler[201];
  memset(filler, 'x', sizeof filler);
  /* Wherever it stands, also where the message is cut. */
  for (int before = 0; before <= 200; before += before < 130 ? 26 : 1) {
    snprintf(body, sizeof body, "{\"error\":{\"message\":\"%.*s " KEY " is no key: Bearer " KEY "\"}}", before, filler);
    d.failures.count = 0;
    fail_with(&d, 0, SIZE_MAX, 400, "X-Key: " KEY "\r\n", body);
    ee_http_free(d.http);
    d.http = NULL;
    send(&d, 1);
    assert_false(requests[0].done);
    assert_non_null(strstr(requests[0].failure, before > 150 ? "HTTP 400" : "***"));
    assert_null(strstr(requests[0].failure, "Geh"));
    assert_null(strstr(requests[0].failure, "sk-"));
    forget(1);
  }
  snprintf(body, sizeof body, "{\"detail\":\"%s %s\"}", KEY, KEY);
  d.failures.count = 0;
  fail_with(&d, 0, SIZE_MAX, 401, NULL, body);
  send(&d, 1);
  assert_failed(0, "HTTP 401: *** ***");
  forget(1);
  desk_close(&d);
}

/* Limits --------------------------------------------------------------------------------------- */

static void test_budget(void **state) {
  (void)state;
  desk d;
  desk_open(&d);
  d.settings.in_flight = 3;
  d.settings.max_requests = 5;
  send(&d, 12);
  for (size_t i = 0; i < 12; i++) {
    if (i < 5)
      assert_said(i);
    else
      assert_failed(i, "budget of 5 requests used up");
  }
  forget(12);
  send(&d, 2);
  assert_failed(0, "budget of 5 requests used up");
  forget(2);
  assert_int_equal(test_http_count(d.server), 5);
  ee_http_counts counts = ee_http_counted(d.http);
  assert_int_equal(counts.requests, 5);
  assert_int_equal(counts.failures, 9);
  desk_close(&d);
}

/* Repeated attempts are paid for too. */
static void test_budget_of_attempts(void **state) {
  (void)state;
  desk d;
  desk_open(&d);
  d.settings.in_flight = 1;
  d.settings.retries = 3;
  d.settings.max_requests = 3;
  fail_with(&d, 1, SIZE_MAX, 500, NULL, NULL);
  send(&d, 3);
  assert_said(0);
  assert_failed(1, "HTTP 500 after 2 attempts (budget of 3 requests used up)");
  assert_failed(2, "budget of 3 requests used up");
  assert_int_equal(test_http_count(d.server), 3);
  forget(3);
  desk_close(&d);
}

static void test_rate(void **state) {
  (void)state;
  desk d;
  desk_open(&d);
  d.settings.requests_per_minute = 600;
  double took = send(&d, 10);
  for (size_t i = 0; i < 10; i++) assert_said(i);
  assert_true(took > 0.88);
  printf("10 requests at 600 a minute: %.0f ms\n", took * 1000);
  forget(10);
  took = send(&d, 2); /* the spacing goes on between calls */
  assert_true(took > 0.08);
  forget(2);
  desk_close(&d);
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

static void test_interrupted(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    desk d;
    desk_open(&d);
    d.settings.in_flight = 2;
    d.settings.retries = 3;
    d.settings.timeout_ms = 60000;
    /* While the server says nothing; while a pause lasts; while the next request is not yet allowed. */
    if (kind == 0) misbehave(&d, 1, SIZE_MAX, TEST_HTTP_HANG, NULL, 0);
    if (kind == 1) fail_with(&d, 1, SIZE_MAX, 429, "Retry-After: 60\r\n", NULL);
    if (kind == 2) d.settings.requests_per_minute = 1;
    flag = 0;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, set_flag, NULL), 0);
    double took = send_until(&d, 6, &flag, EE_ERROR_SYSTEM);
    pthread_join(thread, NULL);
    assert_true(took > 0.05);
    for (size_t i = 1; i < 6; i++) {
      if (!requests[i].done) assert_failed(i, "interrupted");
    }
    assert_false(requests[5].done);
    forget(6);
    send_until(&d, 3, &flag, EE_ERROR_SYSTEM); /* it is still set: nothing is sent */
    assert_failed(0, "interrupted");
    forget(3);
    desk_close(&d);
  }
}

/* Settings that cannot be used ----------------------------------------------------------------- */

static void test_bad_settings(void **state) {
  (void)state;
  static const char *const urls[] = {
      NULL,      "",         "127.0.0.1/v1",   "ftp://127.0.0.1/v1",  "file:///etc/passwd",
      "http://", "https://", "http://a b/v1",  "http://a\r\nX: y/v1", "gopher://x/",
      "//x/v1",  "http",     "http://[::1/v1", "http://x:99999999/"};
  ee_http_settings settings = {.timeout_ms = 1000, .in_flight = 1};
  for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
    ee_error error = {0};
    settings.url = urls[i];
    if (ee_http_new(&settings, &error) != NULL) fail_msg("'%s' passed for a URL", urls[i]);
    assert_int_equal(error.status, EE_ERROR_RULES);
    assert_string_equal(error.message, "the server's URL must be http:// or https:// with a host");
    assert_null(ee_http_new(&settings, NULL));
  }
  static const char *const keys[] = {"a\nX-Evil: 1", "a\r", "\n", "a b", "schl\xc3\xbcssel", "tab\t", "del\x7f"};
  settings.url = "http://127.0.0.1:1/v1";
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    ee_error error = {0};
    settings.key = keys[i];
    assert_null(ee_http_new(&settings, &error));
    assert_int_equal(error.status, EE_ERROR_RULES);
    assert_null(strstr(error.message, keys[i]));
  }
  ee_http_free(NULL);
}

static int no_proxy(void **state) {
  (void)state;
  static const char *const names[] = {"http_proxy", "https_proxy", "all_proxy", "ALL_PROXY", "HTTPS_PROXY"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) unsetenv(names[i]);
  return 0;
}

EE_TEST_FILE(no_proxy, NULL, cmocka_unit_test(test_one), cmocka_unit_test(test_bodies),
             cmocka_unit_test(test_side_by_side), cmocka_unit_test(test_retry_after),
             cmocka_unit_test(test_retry_after_date), cmocka_unit_test(test_retry_after_an_hour),
             cmocka_unit_test(test_server_error), cmocka_unit_test(test_server_error_for_ever),
             cmocka_unit_test(test_other_status), cmocka_unit_test(test_refused_key),
             cmocka_unit_test(test_given_up_in_a_row), cmocka_unit_test(test_broken),
             cmocka_unit_test(test_broken_once), cmocka_unit_test(test_sent_again),
             cmocka_unit_test(test_refused_connection), cmocka_unit_test(test_redirect),
             cmocka_unit_test(test_key_in_an_answer), cmocka_unit_test(test_budget),
             cmocka_unit_test(test_budget_of_attempts), cmocka_unit_test(test_rate), cmocka_unit_test(test_interrupted),
             cmocka_unit_test(test_bad_settings));

#else

static void test_switched_off(void **state) {
  (void)state;
  const ee_http_settings settings = {.url = "http://127.0.0.1:1/v1", .timeout_ms = 1000, .in_flight = 1};
  ee_error error = {0};
  assert_null(ee_http_new(&settings, &error));
  assert_int_equal(error.status, EE_ERROR_RULES);
  assert_non_null(strstr(error.message, "built without libcurl"));
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_switched_off));

#endif
