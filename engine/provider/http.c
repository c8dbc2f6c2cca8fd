/* http.c: concurrent requests over libcurl's multi interface.
 *
 * A request keeps its slot until it is answered or given up, also while it waits for another attempt. So a server that
 * is down gets a few requests at a time, not all of them at once. */
#include "provider/http.h"

#include "base/error.h"

#ifdef EE_WITH_CURL

#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/late_library.h"
#include "base/memory.h"
#include "base/runtime.h"
#include "provider/openai_json.h"

/* Functions of curl ---------------------------------------------------------------------------- */

#define FUNCTIONS(FUNCTION)                                                                                            \
  FUNCTION(curl_easy_cleanup, easy_cleanup)                                                                            \
  FUNCTION(curl_easy_getinfo, easy_getinfo)                                                                            \
  FUNCTION(curl_easy_init, easy_init)                                                                                  \
  FUNCTION(curl_easy_setopt, easy_setopt)                                                                              \
  FUNCTION(curl_easy_strerror, easy_strerror)                                                                          \
  FUNCTION(curl_free, free)                                                                                            \
  FUNCTION(curl_global_init_mem, global_init_mem)                                                                      \
  FUNCTION(curl_multi_add_handle, multi_add_handle)                                                                    \
  FUNCTION(curl_multi_cleanup, multi_cleanup)                                                                          \
  FUNCTION(curl_multi_info_read, multi_info_read)                                                                      \
  FUNCTION(curl_multi_init, multi_init)                                                                                \
  FUNCTION(curl_multi_perform, multi_perform)                                                                          \
  FUNCTION(curl_multi_poll, multi_poll)                                                                                \
  FUNCTION(curl_multi_remove_handle, multi_remove_handle)                                                              \
  FUNCTION(curl_multi_setopt, multi_setopt)                                                                            \
  FUNCTION(curl_slist_append, slist_append)                                                                            \
  FUNCTION(curl_slist_free_all, slist_free_all)                                                                        \
  FUNCTION(curl_url, url)                                                                                              \
  FUNCTION(curl_url_cleanup, url_cleanup)                                                                              \
  FUNCTION(curl_url_get, url_get)                                                                                      \
  FUNCTION(curl_url_set, url_set)

static struct { FUNCTIONS(EE_LATE_MEMBER) } curl = {FUNCTIONS(EE_LATE_VALUE(EE_CURL_LINKED))};
static ee_late_library library = {EE_CURL_FILE, "libcurl4", {FUNCTIONS(EE_LATE_NAME)}, &curl, EE_CURL_LINKED};

#define SECOND UINT64_C(1000000000) /* in nanoseconds, as all times here */
#define MILLISECOND UINT64_C(1000000)
#define FIRST_PAUSE (SECOND / 2)
#define MAX_PAUSE (30 * SECOND)
#define MAX_RETRY_AFTER (120 * SECOND)
/* The longest time until an interrupt is noticed. */
#define MAX_POLL_MS 100
#define CONNECT_TIMEOUT_MS 10000
#define MAX_ANSWER ((size_t)256 << 20)
/* Bytes of an error reply: enough for a message. */
#define MAX_REFUSAL ((size_t)64 << 10)
/* Bytes of all headers of a reply, also of replies 1xx before it and of trailers. */
#define MAX_HEADERS ((size_t)256 << 10)
#define REFUSAL_SHOWN 160
#define TOO_LARGE 100 /* CURLE_TOO_LARGE of curl 8.6 */

typedef enum slot_state { SLOT_FREE, SLOT_WAITING, SLOT_RUNNING } slot_state;

typedef struct slot {
  slot_state state;
  ee_http *http;
  CURL *easy; /* made on first use; the multi handle keeps its connection */
  ee_http_request *request;
  unsigned attempts;
  uint64_t due;      /* WAITING: the earliest time to send it */
  uint64_t deadline; /* the request is given up then; UINT64_MAX: never */
  bool is_sent;      /* RUNNING: whether the current attempt was sent */
  bool too_long;
  bool no_memory;      /* for the answer */
  size_t refusals;     /* of memory, when the attempt began */
  size_t header_bytes; /* of the current attempt */
} slot;

struct ee_http {
  ee_http_settings settings; /* url and key are ours */
  char *url, *key;
  bool is_loopback; /* the server is on this machine */
  struct curl_slist *headers;
  CURLM *multi;
  slot *slots; /* settings.in_flight of them */
  ee_http_counts counts;
  uint64_t next_start; /* by requests_per_minute */
  uint64_t held_until; /* after a 429 */
  uint64_t given_up_in_row;
  char fatal[sizeof((ee_http_request *)NULL)->failure]; /* why nothing more is sent; "": requests are sent */
  ee_cleanup cleanup;
};

/* One call of ee_http_perform(). */
typedef struct perform_run {
  ee_http *http;
  ee_http_request *requests;
  size_t count;
  size_t next; /* the first request that has not had a slot */
  size_t busy; /* slots that are not free */
} perform_run;

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

static bool budget_is_used_up(const ee_http *http) {
  return http->settings.max_requests > 0 && http->counts.requests >= http->settings.max_requests;
}

/* Making --------------------------------------------------------------------------------------- */

/* curl's messages after a refused allocation name something else, such as a malformed URL, so that its allocations are
 * ours. */
static atomic_size_t refusals;
static atomic_bool is_curls_memory; /* false: the process had initialised curl before */

static void *noted(void *memory) {
  if (memory == NULL) atomic_fetch_add(&refusals, 1); /* unreached: memory is refused: make faults */
  return memory;
}

static void *take(size_t size) {
  atomic_store_explicit(&is_curls_memory, true, memory_order_relaxed);
  return noted(malloc(size));
}

static void *take_cleared(size_t count, size_t size) { return noted(calloc(count, size)); }
static void *resize(void *memory, size_t size) { return noted(realloc(memory, size)); }
static char *take_copy(const char *text) { return noted(strdup(text)); }

static void init_curl(void) { curl.global_init_mem(CURL_GLOBAL_DEFAULT, take, free, resize, take_copy, take_cleared); }

/* curl accepts http:/host and http:///host, which are probably mistakes. */
static bool is_http_url(const char *url) {
  size_t scheme = strncasecmp(url, "http://", 7) == 0 ? 7 : strncasecmp(url, "https://", 8) == 0 ? 8 : 0;
  if (scheme == 0 || url[scheme] == '/') return false;
  CURLU *parts = curl.url();
  if (parts == NULL) ee_out_of_memory();
  CURLUcode code = curl.url_set(parts, CURLUPART_URL, url, 0);
  curl.url_cleanup(parts);
  if (code == CURLUE_OUT_OF_MEMORY) ee_out_of_memory();
  return code == CURLUE_OK;
}

ee_status ee_http_load(ee_error *error) { return ee_late_library_load(&library, error); }

bool ee_http_is_loopback(const char *url) {
  if (ee_http_load(NULL) != EE_OK) return false;
  CURLU *parts = curl.url();
  if (parts == NULL) ee_out_of_memory();
  char *host = NULL;
  bool found = false;
  CURLUcode code = curl.url_set(parts, CURLUPART_URL, url, 0);
  if (code == CURLUE_OK) code = curl.url_get(parts, CURLUPART_HOST, &host, 0);
  if (code == CURLUE_OK) {
    static const char local[] = "localhost";
    size_t length = strlen(host), suffix = sizeof local - 1;
    struct in_addr address;
    bool is_name = length >= suffix && strcasecmp(host + length - suffix, local) == 0 &&
                   (length == suffix || host[length - suffix - 1] == '.');
    bool is_address = inet_pton(AF_INET, host, &address) == 1 && ntohl(address.s_addr) >> 24 == 127;
    found = is_name || is_address || strcmp(host, "[::1]") == 0;
  }
  curl.free(host);
  curl.url_cleanup(parts);
  if (code == CURLUE_OUT_OF_MEMORY) ee_out_of_memory();
  return found;
}

/* A line break in a key would start another header. */
static bool is_header_text(const char *text) {
  for (const char *at = text; *at != '\0'; at++)
    if (*at <= ' ' || *at > '~') return false;
  return true;
}

static void add_header(ee_http *http, const char *line) {
  struct curl_slist *longer = curl.slist_append(http->headers, line);
  if (longer == NULL) ee_out_of_memory();
  http->headers = longer;
}

static void make_headers(ee_http *http) {
  add_header(http, "Content-Type: application/json");
  add_header(http, "Accept: application/json");
  add_header(http, "Expect:"); /* no waiting for 100 Continue */
  if (http->key == NULL) return;
  ee_buffer line;
  ee_buffer_init(&line);
  ee_buffer_addf(&line, "Authorization: Bearer %s", http->key);
  add_header(http, ee_buffer_terminate(&line));
  explicit_bzero(line.data, line.length);
  ee_buffer_fini(&line);
}

/* A file that cannot be read would show as a failure of each request. */
static bool check_ca_file(const char *file, ee_error *error) {
  if (file == NULL) return true;
  struct stat status;
  int descriptor = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  bool good = descriptor >= 0 && fstat(descriptor, &status) == 0; /* unreached: fstat() of an open file does not fail */
  if (good && S_ISDIR(status.st_mode)) {
    good = false;
    errno = EISDIR;
  }
  if (!good) ee_error_set(error, EE_ERROR_SYSTEM, "cannot open '%s' (--ca-file): %s", file, strerror(errno));
  if (descriptor >= 0) close(descriptor);
  return good;
}

/* Frees what curl holds, and removes the key from memory that somebody else gets. curl's own copies of it are out of
 * reach. */
static void close_curl(void *user) {
  ee_http *http = user;
  ee_pipe_guard guard;
  ee_pipe_guard_enter(&guard); /* closing a connection may write to it */
  for (unsigned i = 0; http->slots != NULL && i < http->settings.in_flight; i++) curl.easy_cleanup(http->slots[i].easy);
  curl.multi_cleanup(http->multi);
  ee_pipe_guard_leave(&guard);
  for (const struct curl_slist *line = http->headers; line != NULL; line = line->next)
    explicit_bzero(line->data, strlen(line->data));
  if (http->key != NULL) explicit_bzero(http->key, strlen(http->key));
  curl.slist_free_all(http->headers);
}

ee_http *ee_http_new(const ee_http_settings *settings, ee_error *error) {
  if (ee_http_load(error) != EE_OK) return NULL;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, init_curl);
  if (settings->url == NULL || !is_http_url(settings->url)) {
    ee_error_set(error, EE_ERROR_RULES, "the server's URL must be http:// or https:// with a host");
    return NULL;
  }
  if (settings->key != NULL && !is_header_text(settings->key)) {
    ee_error_set(error, EE_ERROR_RULES,
                 "the key has a character that is not allowed: a space, a line break, or one outside ASCII");
    return NULL;
  }
  if (!check_ca_file(settings->ca_file, error)) return NULL;
  ee_http *http = ee_calloc(1, sizeof *http);
  http->settings = *settings;
  ee_cleanup_add(&http->cleanup, close_curl, http);
  http->url = ee_copy_string(settings->url);
  http->is_loopback = ee_http_is_loopback(settings->url);
  if (settings->key != NULL && settings->key[0] != '\0') http->key = ee_copy_string(settings->key);
  http->settings.url = http->url;
  http->settings.key = http->key;
  if (http->settings.in_flight == 0) http->settings.in_flight = 1;
  if (http->settings.timeout_ms < 1) http->settings.timeout_ms = 1;
  http->slots = ee_calloc(http->settings.in_flight, sizeof *http->slots);
  make_headers(http);
  http->multi = curl.multi_init();
  if (http->multi == NULL) ee_out_of_memory();
  curl.multi_setopt(http->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)http->settings.in_flight);
  return http;
}

/* Freeing -------------------------------------------------------------------------------------- */

void ee_http_free(ee_http *http) {
  if (http == NULL) return;
  ee_cleanup_remove(&http->cleanup);
  close_curl(http);
  ee_free(http->slots);
  ee_free(http->url);
  ee_free(http->key);
  ee_free(http);
}

ee_http_counts ee_http_counted(const ee_http *http) { return http->counts; }

/* One attempt ---------------------------------------------------------------------------------- */

static size_t max_answer(const ee_http_request *request) {
  return request->max_answer > 0 && request->max_answer < MAX_ANSWER ? request->max_answer : MAX_ANSWER;
}

/* Headers are not kept, only counted: curl limits the length of one, but not how many come. */
static size_t count_header(char *data, size_t size, size_t count, void *user) {
  (void)data;
  slot *self = user;
  self->header_bytes += size * count;
  return self->header_bytes <= MAX_HEADERS ? size * count : 0;
}

/* curl calls this, and must not be left by a jump. */
static void keep_bytes(slot *self, const char *data, size_t length) {
  self->no_memory = !ee_buffer_try_add(&self->request->answer, data, length);
}

static size_t take_bytes(char *data, size_t size, size_t count, void *user) {
  slot *self = user;
  ee_buffer *answer = &self->request->answer;
  size_t length = size * count;
  long status = 0;
  curl.easy_getinfo(self->easy, CURLINFO_RESPONSE_CODE, &status);
  if (status < 200 || status > 299) {
    size_t room = MAX_REFUSAL - answer->length;
    keep_bytes(self, data, length < room ? length : room);
    return length <= room && !self->no_memory ? length : 0; /* unreached: memory is refused: make faults */
  }
  if (length > max_answer(self->request) - answer->length) {
    self->too_long = true;
    return 0;
  }
  keep_bytes(self, data, length);
  return self->no_memory ? 0 : length; /* unreached: memory is refused: make faults */
}

static void set_protocols(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
  curl.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  curl.easy_setopt(easy, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
}

#if LIBCURL_VERSION_NUM >= 0x075000
/* Called before a request is sent. When the server has closed a reused connection, curl sends the request again by
 * itself: that may cost money as any attempt does, so it counts as one. */
static int count_sending(void *user, char *ip, char *own_ip, int port, int own_port) {
  (void)ip, (void)own_ip, (void)port, (void)own_port;
  slot *self = user;
  if (!self->is_sent) {
    self->is_sent = true; /* counted by start_attempt() */
    return CURL_PREREQFUNC_OK;
  }
  if (budget_is_used_up(self->http)) return CURL_PREREQFUNC_ABORT;
  self->http->counts.requests++;
  self->http->counts.retries++;
  return CURL_PREREQFUNC_OK;
}

static void count_sendings(slot *self) {
  curl.easy_setopt(self->easy, CURLOPT_PREREQFUNCTION, count_sending);
  curl.easy_setopt(self->easy, CURLOPT_PREREQDATA, self);
}
#else
static void count_sendings(slot *self) { (void)self; }
#endif

static CURL *make_easy(const ee_http *http) {
  CURL *easy = curl.easy_init();
  if (easy == NULL) ee_out_of_memory();
  long connect_ms = http->settings.timeout_ms < CONNECT_TIMEOUT_MS ? http->settings.timeout_ms : CONNECT_TIMEOUT_MS;
  set_protocols(easy);
  curl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl.easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl.easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
  curl.easy_setopt(easy, CURLOPT_USERAGENT, "evalengine/" EE_VERSION);
  curl.easy_setopt(easy, CURLOPT_HTTPHEADER, http->headers);
  curl.easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, connect_ms);
  curl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_bytes);
  curl.easy_setopt(easy, CURLOPT_HEADERFUNCTION, count_header);
  curl.easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
  if (http->settings.ca_file != NULL) {
    curl.easy_setopt(easy, CURLOPT_CAINFO, http->settings.ca_file);
    curl.easy_setopt(easy, CURLOPT_CAPATH, NULL); /* these authorities, and no others */
  }
  /* A proxy would be asked for a server on its own machine. */
  if (http->is_loopback) curl.easy_setopt(easy, CURLOPT_PROXY, "");
  curl.easy_setopt(easy, CURLOPT_POST, 1L);
  return easy;
}

/* What an attempt may take, to its last byte: no more than is left of the request's time. */
static long attempt_ms(const ee_http *http, const slot *self) {
  uint64_t now = now_ns(), most = (uint64_t)http->settings.timeout_ms;
  if (self->deadline == UINT64_MAX) return (long)most;
  uint64_t left = self->deadline > now ? (self->deadline - now) / MILLISECOND + 1 : 1;
  return (long)(left < most ? left : most);
}

static void start_attempt(ee_http *http, slot *self) {
  self->refusals = atomic_load(&refusals);
  if (self->easy == NULL) {
    self->easy = make_easy(http);
    self->http = http;
    count_sendings(self);
  }
  ee_buffer url;
  ee_buffer_init(&url);
  ee_buffer_add_text(&url, http->url);
  ee_buffer_add_text(&url, self->request->path);
  curl.easy_setopt(self->easy, CURLOPT_URL, ee_buffer_terminate(&url)); /* copied */
  ee_buffer_fini(&url);
  curl.easy_setopt(self->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)self->request->body.length);
  curl.easy_setopt(self->easy, CURLOPT_POSTFIELDS, self->request->body.length > 0 ? self->request->body.data : "");
  if (self->attempts == 0 && http->settings.total_ms > 0)
    self->deadline = now_ns() + (uint64_t)http->settings.total_ms * MILLISECOND;
  curl.easy_setopt(self->easy, CURLOPT_TIMEOUT_MS, attempt_ms(http, self));
  curl.easy_setopt(self->easy, CURLOPT_WRITEDATA, self);
  curl.easy_setopt(self->easy, CURLOPT_HEADERDATA, self);
  curl.easy_setopt(self->easy, CURLOPT_PRIVATE, self);
  ee_buffer_clear(&self->request->answer);
  self->too_long = self->is_sent = self->no_memory = false;
  self->header_bytes = 0;
  if (curl.multi_add_handle(http->multi, self->easy) != CURLM_OK) ee_out_of_memory();
  self->state = SLOT_RUNNING;
  self->request->attempts = ++self->attempts;
  http->counts.requests++;
  if (self->attempts > 1) http->counts.retries++;
}

/* The outcome of an attempt -------------------------------------------------------------------- */

typedef struct outcome {
  bool done;
  bool again;        /* another attempt may succeed */
  bool fatal;        /* no other request will succeed */
  long status;       /* 0: no reply */
  const char *unset; /* why no key was sent, or NULL */
  uint64_t wait;     /* from Retry-After; 0: none */
  ee_buffer why;     /* without the number of attempts; ee_buffer_fini() */
} outcome;

static void explain_status(const ee_http *http, const slot *self, outcome *result) {
  result->again = result->status == 429 || result->status == 408 || result->status >= 500;
  result->fatal = result->status == 401 || result->status == 403 || result->status == 407;
  if (result->status == 401 && http->key == NULL) result->unset = http->settings.no_key;
  if (result->status == 407) ee_buffer_add_text(&result->why, "the proxy wants a user and a password");
  if (result->status < 400) ee_buffer_add_text(&result->why, "redirects are not followed");
  ee_buffer said;
  ee_buffer_init(&said);
  ee_openai_read_refusal((ee_str){self->request->answer.data, self->request->answer.length}, &said);
  ee_str key = {http->key, http->key != NULL ? strlen(http->key) : 0};
  if (result->why.length == 0) ee_one_line(&result->why, (ee_str){said.data, said.length}, key, REFUSAL_SHOWN);
  ee_buffer_fini(&said);
}

static void explain_timeout(const ee_http *http, const slot *self, outcome *result) {
  curl_off_t elapsed = 0; /* microseconds */
  curl.easy_getinfo(self->easy, CURLINFO_TOTAL_TIME_T, &elapsed);
  long limit = http->settings.timeout_ms;
  if (now_ns() >= self->deadline && elapsed / 1000 < limit) {
    ee_buffer_addf(&result->why, "given up after %g s", (double)http->settings.total_ms / 1000);
    result->again = false;
  } else if (limit > CONNECT_TIMEOUT_MS + 1000 && elapsed / 1000 < CONNECT_TIMEOUT_MS + 500) {
    ee_buffer_addf(&result->why, "no connection within %d s", CONNECT_TIMEOUT_MS / 1000);
  } else {
    ee_buffer_addf(&result->why, "timed out after %g s", (double)limit / 1000);
  }
}

static void explain_connect(const slot *self, outcome *result) {
  long number = 0;
  curl.easy_getinfo(self->easy, CURLINFO_OS_ERRNO, &number);
  ee_buffer_add_text(&result->why, number == ECONNREFUSED ? "connection refused" : "no connection");
}

static void explain_host(const ee_http *http, outcome *result) {
  char shown[256];
  CURLU *parts = curl.url();
  char *host = NULL;
  if (parts == NULL) ee_out_of_memory();
  if (curl.url_set(parts, CURLUPART_URL, http->url, 0) == CURLUE_OK) curl.url_get(parts, CURLUPART_HOST, &host, 0);
  snprintf(shown, sizeof shown, "%s", host != NULL ? host : http->url);
  curl.free(host);
  curl.url_cleanup(parts);
  ee_buffer_addf(&result->why, "no address for '%s'", shown);
}

/* A proxy that refuses to connect to the server, or a connection that broke. */
static void explain_broken(const slot *self, outcome *result) {
  long answered = 0;
  curl.easy_getinfo(self->easy, CURLINFO_HTTP_CONNECTCODE, &answered);
  if (answered >= 300) {
    ee_buffer_addf(&result->why, "the proxy refused the connection: HTTP %ld", answered);
    result->again = answered >= 500;
    result->fatal = answered == 403 || answered == 407;
  } else {
    ee_buffer_add_text(&result->why, result->status > 0 ? "answer cut off" : "connection broken");
  }
}

static void explain_failure(const ee_http *http, const slot *self, CURLcode code, outcome *result) {
  result->again = true;
  switch (code) {
  case CURLE_OPERATION_TIMEDOUT: explain_timeout(http, self, result); return;
  case CURLE_COULDNT_CONNECT: explain_connect(self, result); return;
  case CURLE_COULDNT_RESOLVE_HOST: explain_host(http, result); return;
  case CURLE_COULDNT_RESOLVE_PROXY: ee_buffer_add_text(&result->why, "no address for the proxy's name"); return;
  case CURLE_ABORTED_BY_CALLBACK: /* by count_sending() */
  case CURLE_GOT_NOTHING: ee_buffer_add_text(&result->why, "connection closed without an answer"); return;
  case CURLE_SEND_ERROR: ee_buffer_add_text(&result->why, "connection broken"); return;
  case CURLE_RECV_ERROR: explain_broken(self, result); return;
  case CURLE_PARTIAL_FILE: ee_buffer_add_text(&result->why, "answer cut off"); return;
  case CURLE_SSL_CONNECT_ERROR: ee_buffer_add_text(&result->why, "no secure connection"); return;
  case CURLE_OK:                   /* the server switched to another protocol */
  case CURLE_UNSUPPORTED_PROTOCOL: /* a reply without a status line */
  case CURLE_WEIRD_SERVER_REPLY: ee_buffer_add_text(&result->why, "the server's answer is not HTTP"); return;
  default: break;
  }
  result->again = false;
  if (self->too_long) {
    ee_buffer_addf(&result->why, "answer of more than %zu MiB cut off", max_answer(self->request) >> 20);
  } else if (self->header_bytes > MAX_HEADERS) {
    ee_buffer_addf(&result->why, "headers of more than %zu KiB cut off", MAX_HEADERS >> 10);
  } else if (code == CURLE_BAD_CONTENT_ENCODING) {
    ee_buffer_add_text(&result->why, "the answer has an encoding that is not known");
  } else if (code == CURLE_OUT_OF_MEMORY || (int)code == TOO_LARGE) { /* unreached: another curl */
    /* curl before 8.6 says the same of both. Of memory that is not ours, memory that was short still is. */
    /* unreached: another curl */
    if (code == CURLE_OUT_OF_MEMORY && !atomic_load(&is_curls_memory)) ee_free(ee_malloc(MAX_HEADERS));
    ee_buffer_add_text(&result->why, "a header of the answer is too long");
  } else if (code == CURLE_SSL_CACERT_BADFILE) {
    ee_buffer_addf(&result->why, "'%s' (--ca-file) has no certificates that can be read", http->settings.ca_file);
  } else if (code == CURLE_PEER_FAILED_VERIFICATION) {
    ee_buffer_add_text(&result->why, "the server's certificate is not trusted, or not for this server");
  } else {
    ee_buffer_add_text(&result->why, curl.easy_strerror(code));
  }
}

/* A date in the past, and 0 s, are ignored. */
static uint64_t asked_wait(const slot *self) {
  curl_off_t seconds = 0;
  curl.easy_getinfo(self->easy, CURLINFO_RETRY_AFTER, &seconds);
  if (seconds <= 0) return 0;
  return seconds > 1000000000 ? 1000000000 * SECOND : (uint64_t)seconds * SECOND;
}

static outcome read_outcome(const ee_http *http, const slot *self, CURLcode code) {
  outcome result = {0};
  curl.easy_getinfo(self->easy, CURLINFO_RESPONSE_CODE, &result.status);
  result.done = code == CURLE_OK && result.status >= 200 && result.status <= 299;
  if (result.done) return result;
  result.wait = asked_wait(self);
  if (result.status >= 300) { /* also when its text was cut off */
    explain_status(http, self, &result);
  } else {
    explain_failure(http, self, code, &result);
  }
  return result;
}

static void write_failure(const slot *self, const outcome *result, ee_buffer *out) {
  if (result->status >= 300) {
    ee_buffer_addf(out, "HTTP %ld", result->status);
    if (self->attempts > 1) ee_buffer_addf(out, " after %u attempts", self->attempts);
    if (result->why.length > 0) ee_buffer_add_text(out, ": ");
    ee_buffer_add(out, result->why.data, result->why.length);
    if (result->unset != NULL) ee_buffer_addf(out, " (%s)", result->unset);
  } else {
    ee_buffer_add(out, result->why.data, result->why.length);
    if (self->attempts > 1) ee_buffer_addf(out, ", %u attempts", self->attempts);
  }
}

/* Ending a request ----------------------------------------------------------------------------- */

static void set_failure(ee_http_request *request, const char *why) {
  request->done = false;
  ee_buffer_fini(&request->answer);
  snprintf(request->failure, sizeof request->failure, "%s", why);
}

static void leave_slot(perform_run *run, slot *self) {
  self->state = SLOT_FREE;
  self->request = NULL;
  run->busy--;
}

static void give_up(perform_run *run, slot *self, const char *why) {
  run->http->counts.failures++;
  set_failure(self->request, why);
  leave_slot(run, self);
}

static void write_budget(const ee_http *http, ee_buffer *out) {
  ee_buffer_addf(out, "budget of %llu requests used up", (unsigned long long)http->settings.max_requests);
}

static uint64_t pause_after(const slot *self, const outcome *result) {
  if (result->wait > 0) return result->wait;
  uint64_t pause = FIRST_PAUSE;
  for (unsigned i = 1; i < self->attempts && pause < MAX_PAUSE; i++) pause *= 2;
  return pause < MAX_PAUSE ? pause : MAX_PAUSE;
}

/* Makes the slot wait for another attempt. False when there will be none; the reason is appended to `text`. */
static bool try_again(ee_http *http, slot *self, const outcome *result, ee_buffer *text) {
  if (!result->again) return false;
  uint64_t pause = pause_after(self, result);
  uint64_t until = now_ns() + pause;
  bool too_late = pause > MAX_RETRY_AFTER;
  /* It holds back the others even if this request is given up. */
  if (result->status == 429 && !too_late && until > http->held_until) http->held_until = until;
  if (self->attempts > http->settings.retries || http->fatal[0] != '\0') return false;
  if (until >= self->deadline) {
    ee_buffer_addf(text, " (no more of its %g s left)", (double)http->settings.total_ms / 1000);
    return false;
  }
  if (too_late) {
    ee_buffer_addf(text, " (asks to wait %llu s)", (unsigned long long)(pause / SECOND));
    return false;
  }
  if (budget_is_used_up(http)) {
    ee_buffer_add_text(text, " (");
    write_budget(http, text);
    ee_buffer_add_char(text, ')');
    return false;
  }
  self->state = SLOT_WAITING;
  self->due = until;
  return true;
}

/* Many given-up requests in a row are as fatal as a refused key. */
static void count_given_up(ee_http *http, const outcome *result, const char *why) {
  http->given_up_in_row++;
  if (http->fatal[0] != '\0') return;
  if (result->fatal || http->given_up_in_row >= 3 * (uint64_t)http->settings.in_flight + 5)
    snprintf(http->fatal, sizeof http->fatal, "%s", why);
}

static void end_attempt(perform_run *run, slot *self, CURLcode code) {
  ee_http *http = run->http;
  if (self->no_memory || (code != CURLE_OK && self->refusals != atomic_load(&refusals))) ee_out_of_memory();
  outcome result = read_outcome(http, self, code);
  self->request->status = result.status;
  curl.multi_remove_handle(http->multi, self->easy);
  if (result.done) {
    self->request->done = true;
    http->given_up_in_row = 0;
    leave_slot(run, self);
    return;
  }
  ee_buffer text;
  ee_buffer_init(&text);
  write_failure(self, &result, &text);
  if (!try_again(http, self, &result, &text)) {
    const char *why = ee_buffer_terminate(&text);
    count_given_up(http, &result, why);
    give_up(run, self, why);
  }
  ee_buffer_fini(&text);
  ee_buffer_fini(&result.why);
}

/* The run -------------------------------------------------------------------------------------- */

/* Gives free slots to the next requests. */
static void fill_slots(perform_run *run) {
  ee_http *http = run->http;
  for (unsigned i = 0; i < http->settings.in_flight && run->next < run->count; i++) {
    slot *self = &http->slots[i];
    if (self->state != SLOT_FREE) continue;
    self->state = SLOT_WAITING;
    self->request = &run->requests[run->next++];
    self->attempts = 0;
    self->due = 0;
    self->deadline = UINT64_MAX; /* set when it is sent first */
    run->busy++;
  }
}

/* Of the waiting slots that are due, the one with the first request; else NULL, with the next due time in `*until`. */
static slot *find_due(const ee_http *http, uint64_t now, uint64_t *until) {
  slot *first = NULL;
  for (unsigned i = 0; i < http->settings.in_flight; i++) {
    slot *self = &http->slots[i];
    if (self->state != SLOT_WAITING) continue;
    if (self->due > now) {
      if (self->due < *until) *until = self->due;
    } else if (first == NULL || self->request < first->request) {
      first = self;
    }
  }
  return first;
}

/* Gives up the waiting requests after a fatal failure or when the budget is used up. True if there were any. */
static bool drop_hopeless(perform_run *run) {
  ee_http *http = run->http;
  bool fatal = http->fatal[0] != '\0';
  if (!fatal && !budget_is_used_up(http)) return false;
  ee_buffer why;
  ee_buffer_init(&why);
  if (fatal) {
    ee_buffer_add_text(&why, http->fatal);
  } else {
    write_budget(http, &why);
  }
  bool any = false;
  for (unsigned i = 0; i < http->settings.in_flight; i++) {
    if (http->slots[i].state != SLOT_WAITING) continue;
    give_up(run, &http->slots[i], ee_buffer_terminate(&why));
    any = true;
  }
  ee_buffer_fini(&why);
  return any;
}

/* Sends what may be sent now; returns the time of the next attempt, UINT64_MAX when no slot waits. */
static uint64_t start_due(perform_run *run) {
  ee_http *http = run->http;
  for (;;) {
    do fill_slots(run);
    while (drop_hopeless(run));
    uint64_t now = now_ns(), until = UINT64_MAX;
    slot *self = find_due(http, now, &until);
    if (self == NULL) return until;
    uint64_t allowed = http->held_until > http->next_start ? http->held_until : http->next_start;
    if (allowed > now) return allowed;
    start_attempt(http, self);
    if (http->settings.requests_per_minute > 0)
      http->next_start = now + (uint64_t)fmin(60 / http->settings.requests_per_minute * (double)SECOND, 0x1p62);
  }
}

/* True if an attempt ended. */
static bool collect_ended(perform_run *run) {
  bool any = false;
  int left;
  for (const CURLMsg *message; (message = curl.multi_info_read(run->http->multi, &left)) != NULL;) {
    if (message->msg != CURLMSG_DONE) continue; /* unreached: curl has no other messages */
    CURLcode code = message->data.result;
    char *self = NULL; /* the message does not outlive the handle's removal */
    curl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &self);
    end_attempt(run, (slot *)(void *)self, code);
    any = true;
  }
  return any;
}

/* Looking up a name cannot be interrupted: its thread is left to itself. */
static void leave_resolver(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
  curl.easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
  (void)easy;
#endif
}

/* These are not the server's failures and are not counted. */
static void abandon(perform_run *run) {
  for (unsigned i = 0; i < run->http->settings.in_flight; i++) {
    slot *self = &run->http->slots[i];
    if (self->state == SLOT_FREE) continue;
    if (self->state == SLOT_RUNNING) leave_resolver(self->easy);
    if (self->state == SLOT_RUNNING) curl.multi_remove_handle(run->http->multi, self->easy);
    set_failure(self->request, "interrupted");
    leave_slot(run, self);
  }
  while (run->next < run->count) set_failure(&run->requests[run->next++], "interrupted");
}

static ee_status perform(perform_run *run, const ee_stop *stop) {
  CURLM *multi = run->http->multi;
  for (;;) {
    if (ee_stop_is_set(stop)) {
      abandon(run);
      return EE_ERROR_SYSTEM;
    }
    uint64_t until = start_due(run);
    if (run->busy == 0) return EE_OK;
    int running;
    if (curl.multi_perform(multi, &running) != CURLM_OK) ee_out_of_memory();
    if (collect_ended(run)) continue;
    uint64_t now = now_ns();
    uint64_t wait = until > now ? until - now : 0;
    int wait_ms = wait < MAX_POLL_MS * MILLISECOND ? (int)(wait / MILLISECOND) + 1 : MAX_POLL_MS;
    curl.multi_poll(multi, NULL, 0, wait_ms, NULL);
  }
}

ee_status ee_http_perform(ee_http *http, ee_http_request *requests, size_t count, const ee_stop *stop) {
  for (size_t i = 0; i < count; i++) {
    requests[i].done = false;
    requests[i].failure[0] = '\0';
    ee_buffer_clear(&requests[i].answer);
  }
  perform_run run = {.http = http, .requests = requests, .count = count};
  ee_pipe_guard guard;
  ee_pipe_guard_enter(&guard);
  ee_status status = perform(&run, stop);
  ee_pipe_guard_leave(&guard);
  return status;
}

#else

ee_status ee_http_load(ee_error *error) {
  return ee_error_set(error, EE_ERROR_RULES,
                      "this evalengine was built without libcurl, which the provider 'openai' needs");
}

ee_http *ee_http_new(const ee_http_settings *settings, ee_error *error) {
  (void)settings;
  ee_http_load(error);
  return NULL;
}

bool ee_http_is_loopback(const char *url) {
  (void)url;
  return true; /* nothing leaves this machine */
}

/* Never called: there is no client. */
void ee_http_free(ee_http *http) { (void)http; }

ee_status ee_http_perform(ee_http *http, ee_http_request *requests, size_t count, const ee_stop *stop) {
  (void)http, (void)requests, (void)count, (void)stop;
  return EE_ERROR_SYSTEM;
}

ee_http_counts ee_http_counted(const ee_http *http) {
  (void)http;
  return (ee_http_counts){0};
}

#endif
