/* http.h: many concurrent JSON requests to one server, with retries and limits.
 *
 * Only http.c includes curl.h. Belongs to one thread at a time. */
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
  const char *key; /* sent as "Authorization: Bearer KEY"; NULL: no such header. Never printed: "***" replaces it where
                      a server's reply repeats it */
  const char *no_key;         /* why there is no key, for the message when a server asks for one; NULL: not mentioned.
                                 Borrowed */
  const char *ca_file;        /* PEM: the authorities that servers' certificates must come from; NULL: the system's.
                                 Borrowed */
  long timeout_ms;            /* of one attempt, from connecting to the last byte */
  long total_ms;              /* of one request: all attempts and the pauses between them; 0: no limit */
  unsigned retries;           /* further attempts of one request */
  unsigned in_flight;         /* concurrent requests, at least 1 */
  double requests_per_minute; /* limits attempts, which start evenly spaced; 0: no limit */
  uint64_t max_requests;      /* limits attempts of the whole run; 0: no limit */
} ee_http_settings;

/* One POST of a JSON body. */
typedef struct ee_http_request {
  const char *path;  /* appended to the base URL: "/embeddings" */
  ee_str body;       /* borrowed */
  size_t max_answer; /* bytes; 0, and the most: 256 MiB */
  /* Filled in: */
  unsigned attempts; /* how often it was sent; 0: never, because of failures of other requests */
  long status;       /* of the last reply; 0: there was none */
  bool done;         /* `answer` is the body of a reply with status 200..299, of any bytes */
  ee_buffer answer;  /* owned by the request: ee_buffer_fini() */
  char failure[256]; /* when not done: the reason, one line: "HTTP 500 after 5 attempts: overloaded", "timed out after
                        60 s", "connection refused", "no address for 'host'", "answer cut off", "budget of 100 requests
                        used up", "interrupted" */
} ee_http_request;

/* Counts so far. */
typedef struct ee_http_counts {
  uint64_t requests; /* attempts */
  uint64_t retries;  /* of these, attempts after the first */
  uint64_t failures; /* requests given up */
} ee_http_counts;

/* Loads curl (base/late_library.h), as the first ee_http_new() does. */
ee_status ee_http_load(ee_error *error);

/* NULL with `error`: EE_ERROR_RULES for a bad URL, another scheme than http and https, or a bad key; EE_ERROR_SYSTEM
 * for a `ca_file` that cannot be read, or without curl. */
ee_http *ee_http_new(const ee_http_settings *settings, ee_error *error);
/* Overwrites the key. NULL is ignored. */
void ee_http_free(ee_http *http);

/* Whether the server of the URL is on this machine: localhost, 127.0.0.0/8 or ::1. Asks no name server; false without
 * curl. */
bool ee_http_is_loopback(const char *url);

/* Sends `requests` in their order, at most `in_flight` at a time, and waits for all of them.
 *
 * Status 429, 408, 5xx, a refused or broken connection and a time-out are retried up to `retries` times: after the time
 * in Retry-After (seconds or a date; if that is more than two minutes, the request is given up at once), else after
 * 0.5 s, doubled each time up to 30 s. A 429 holds back all requests for that time. Any other status ends the request.
 * After 401, 403 or 407, or after 3 * in_flight + 5 given-up requests in a row, all further requests fail with the same
 * reason without being sent. Redirects are not followed, because the key belongs to one server. A reply of more than
 * `max_answer` bytes, headers of more than 256 KiB, and a header of more than about 100 KiB end the request.
 *
 * Proxies are those of the environment, as curl reads them (http_proxy, https_proxy, all_proxy, no_proxy); a server on
 * this machine is asked directly. Certificates are checked, from TLS 1.2 on.
 *
 * EE_ERROR_SYSTEM when `stop` (may be NULL) was set, within a fraction of a second; the unfinished requests have the
 * failure "interrupted". */
ee_status ee_http_perform(ee_http *http, ee_http_request *requests, size_t count, const ee_stop *stop);
ee_http_counts ee_http_counted(const ee_http *http);

#endif
