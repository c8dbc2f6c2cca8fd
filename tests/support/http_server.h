/* http_server.h: a small HTTP/1.1 server on 127.0.0.1, which answers as a test says, also badly.
 *
 * One thread a connection, keep-alive, bodies with Content-Length. Everything that came is kept. */
#ifndef EE_TESTS_HTTP_SERVER_H
#define EE_TESTS_HTTP_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "support/attacks.h"

typedef struct test_http_server test_http_server;

typedef struct test_http_request {
  size_t number;     /* from 0, in the order in which they came */
  double arrived;    /* seconds since the server was started */
  size_t connection; /* from 0 */
  char method[16];
  char path[512];      /* with its query */
  const char *headers; /* the lines behind the first, each with its \r\n */
  const char *body;    /* `length` bytes and a NUL */
  size_t length;
} test_http_request;

typedef enum test_http_manner {
  TEST_HTTP_ANSWER,  /* as it should be */
  TEST_HTTP_CUT,     /* the connection is closed after `cut_after` bytes of the body */
  TEST_HTTP_HANG,    /* nothing is sent before the server is stopped, or the client goes away */
  TEST_HTTP_CLOSE,   /* the connection is closed without an answer */
  TEST_HTTP_GARBAGE, /* `body` is all that is sent, without a head; then the connection is closed */
  TEST_HTTP_ATTACK,  /* what `attack` says; then the connection is closed */
} test_http_manner;

/* What a handler fills in; it comes as status 200 with nothing else. */
typedef struct test_http_response {
  int status;
  char headers[512]; /* further ones, each with its \r\n: "Retry-After: 1\r\n" */
  ee_buffer body;    /* freed by the server */
  unsigned delay_ms; /* before the answer */
  test_http_manner manner;
  size_t cut_after;
  const test_attack *attack;
} test_http_response;

/* Called for one request at a time, by threads of the server. */
typedef void test_http_handler(void *user, const test_http_request *request, test_http_response *response);

/* Requests first..last get this in place of what the handler answers else. */
typedef struct test_failure {
  size_t first;
  size_t last;
  int status;
  const char *headers; /* NULL: none */
  const char *body;    /* NULL: none */
  test_http_manner manner;
  size_t cut_after;
  unsigned delay_ms; /* 0: that of the handler */
} test_failure;

enum { TEST_FAILURES = 8 };
typedef struct test_failures {
  test_failure items[TEST_FAILURES];
  size_t count;
} test_failures;

void test_failures_add(test_failures *failures, test_failure failure);
/* For handlers: fills in what the first that names the request says; false when none does. */
bool test_failures_answer(const test_failures *failures, size_t number, test_http_response *response);

/* Listens on a free port. Fails the test when it cannot. */
test_http_server *test_http_start(test_http_handler *handler, void *user);
/* Closes all connections and waits for all threads. */
void test_http_stop(test_http_server *server);

/* "http://127.0.0.1:PORT"; lives as long as the server. */
const char *test_http_url(const test_http_server *server);
/* A URL at whose port nobody listens. */
void test_http_closed_url(char url[64]);

/* Requests that came so far. */
size_t test_http_count(test_http_server *server);
/* The greatest number of requests between their last byte and the first byte of their answers. */
size_t test_http_most_in_flight(test_http_server *server);
/* Request `number` < count; lives until the server is stopped or told to forget. */
const test_http_request *test_http_kept(test_http_server *server, size_t number);
/* Counts from 0 again. No request may be on its way. */
void test_http_forget(test_http_server *server);

/* The value of a header in `headers`, without case, or NULL; in `value`. */
const char *test_http_header(const test_http_request *request, const char *name, char value[256]);

/* Seconds of a clock that only goes forward. */
double test_now(void);

#endif
