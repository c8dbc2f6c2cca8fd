/* http.h: many JSON requests to one server, side by side, with patience.
 *
 * the only place that includes curl.h is http.c. Belongs to one thread at a time (the caller holds a lock). */
#ifndef EE_PROVIDER_HTTP_H
#define EE_PROVIDER_HTTP_H

#include <evalengine.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "base/runtime.h"
#include "base/str.h"

typedef struct ee_http ee_http;

typedef struct ee_http_settings {
  const char *url; /* base: scheme, host, path; http or https. Checked by ee_http_new() */
  const char *key; /* sent as "Authorization: Bearer KEY"; NULL: no such header. Appears in no message: where a server's
                      answer repeats it, it is replaced by "***" */
  const char *key_name; /* what would hold a key, told where the server wants one and there is none; NULL: not told.
                           Borrowed */
  long timeout_ms;      /* of one attempt */
  unsigned retries;     /* further attempts of one request */
  unsigned in_flight;   /* requests at a time, at least 1 */
  double requests_per_minute; /* attempts; 0: no limit. They start evenly spaced */
  uint64_t max_requests;      /* attempts of the whole run; 0: no limit */
} ee_http_settings;

/* One POST of a JSON body. */
typedef struct ee_http_request {
  const char *path; /* behind the base URL: "/embeddings" */
  ee_str body;      /* borrowed */
  /* Filled in: */
  unsigned attempts; /* how often it was sent; 0: never, and then it failed for what other requests had met */
  bool done;         /* `answer` is the body of an answer with status 200..299, of any bytes */
  ee_buffer answer;  /* owned by the request: ee_buffer_fini() */
  char failure[256]; /* when not done: why, in one line: "HTTP 500 after 5 attempts: overloaded", "timed out after 60
                        s", "connection refused", "no address for 'host'", "answer cut off", "budget of 100 requests
                        used up", "interrupted" */
} ee_http_request;

/* What was sent so far. */
typedef struct ee_http_counts {
  uint64_t requests; /* attempts */
  uint64_t retries;  /* of these, attempts after the first */
  uint64_t failures; /* requests that were given up */
} ee_http_counts;

/* NULL with `error` (EE_ERROR_RULES: a URL that is none, a scheme other than http and https). */
ee_http *ee_http_new(const ee_http_settings *settings, ee_error *error);
void ee_http_free(ee_http *http);

/* Sends `requests` and waits for all of them, at most `in_flight` at a time, in their order. An attempt that ends in
 * 429, 408, 5xx, a broken, refused or cut connection or a time-out is repeated up to `retries` times: after what
 * Retry-After says (seconds or a date; more than two minutes: given up at once, saying so), else after 0.5 s doubled
 * each time, at most 30 s; a 429 holds back all requests for that long. Other statuses end the request. After 401 or
 * 403, or when 3 * in_flight + 5 requests in a row were given up without a success, the rest, and all later ones, fail
 * with the same reason without being sent. Redirects are not followed: the key belongs to one server. An answer of more
 * than 256 MiB is cut off. EE_ERROR_SYSTEM when `stop` (may be NULL) was set, within a fraction of a second: the rest
 * failed as "interrupted". */
ee_status ee_http_perform(ee_http *http, ee_http_request *requests, size_t count, const ee_stop *stop);
ee_http_counts ee_http_counted(const ee_http *http);

#endif
