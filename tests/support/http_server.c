/* http_server.c: sockets and threads behind http_server.h. */
#include "support/http_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

typedef struct connection {
  test_http_server *server;
  size_t number;
  int socket;
  pthread_t thread;
  struct connection *next;
} connection;

typedef struct kept {
  test_http_request request;
  char *headers;
  char *body;
} kept;

struct test_http_server {
  test_http_handler *handler;
  void *user;
  int listener;
  int stop[2]; /* a pipe: its reading end becomes readable when the server is stopped */
  char url[64];
  double started;
  pthread_t acceptor;
  pthread_mutex_t lock; /* guards all below, and the handler */
  connection *connections;
  size_t connection_count;
  kept **requests;
  size_t count;
  size_t capacity;
  size_t in_flight;
  size_t most_in_flight;
};

double test_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

_Noreturn static void die(const char *what) {
  fprintf(stderr, "http_server: %s: %s\n", what, strerror(errno));
  abort();
}

/* Waiting that a stop ends --------------------------------------------------------------------- */

/* True when `socket` (-1: none) became readable within `timeout_ms` (-1: for ever); false at its end, or when the
 * server is stopped. */
static bool wait_for(const test_http_server *server, int socket, int timeout_ms) {
  struct pollfd ends[2] = {{server->stop[0], POLLIN, 0}, {socket, POLLIN, 0}};
  int ready;
  do ready = poll(ends, 2, timeout_ms);
  while (ready < 0 && errno == EINTR);
  return ready > 0 && ends[0].revents == 0;
}

static bool is_stopped(const test_http_server *server) {
  struct pollfd end = {server->stop[0], POLLIN, 0};
  return poll(&end, 1, 0) > 0;
}

static void wait_ms(const test_http_server *server, unsigned ms) {
  if (ms > 0) wait_for(server, -1, (int)ms);
}

/* Reading -------------------------------------------------------------------------------------- */

/* Appends what has come; false at the end of the connection. */
static bool receive(const connection *c, ee_buffer *in) {
  if (!wait_for(c->server, c->socket, -1)) return false;
  ssize_t got = recv(c->socket, ee_buffer_reserve(in, 65536), 65536, 0);
  if (got <= 0) return false;
  in->length += (size_t)got;
  return true;
}

static bool send_all(const connection *c, const char *data, size_t length) {
  while (length > 0) {
    ssize_t sent = send(c->socket, data, length, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    data += sent;
    length -= (size_t)sent;
  }
  return true;
}

/* Of a head that ends with an empty line; NULL when it is none. */
static const char *find_header(const char *headers, const char *name, char value[256]) {
  size_t length = strlen(name);
  for (const char *line = headers; *line != '\0' && *line != '\r';) {
    const char *end = strstr(line, "\r\n");
    if (end == NULL) return NULL;
    if (strncasecmp(line, name, length) == 0 && line[length] == ':') {
      const char *from = line + length + 1;
      while (*from == ' ') from++;
      snprintf(value, 256, "%.*s", (int)(end - from), from);
      return value;
    }
    line = end + 2;
  }
  return NULL;
}

const char *test_http_header(const test_http_request *request, const char *name, char value[256]) {
  return find_header(request->headers, name, value);
}

/* Reads one request, which is cut off from `in`. NULL at the end of the connection. */
static kept *read_request(const connection *c, ee_buffer *in) {
  const char *end;
  while (in->length == 0 || (end = strstr(ee_buffer_terminate(in), "\r\n\r\n")) == NULL) {
    if (!receive(c, in)) return NULL;
  }
  kept *k = ee_calloc(1, sizeof *k);
  test_http_request *request = &k->request;
  size_t head = (size_t)(end - in->data) + 4;
  const char *lines = strstr(in->data, "\r\n") + 2;
  if (sscanf(in->data, "%15s %511s HTTP/1.1", request->method, request->path) != 2) die("a request without its line");
  k->headers = ee_copy_bytes(lines, head - (size_t)(lines - in->data) - 2);
  char value[256];
  if (find_header(k->headers, "Content-Length", value) != NULL) request->length = strtoull(value, NULL, 10);
  if (find_header(k->headers, "Expect", value) != NULL) send_all(c, "HTTP/1.1 100 Continue\r\n\r\n", 25);
  while (in->length < head + request->length) {
    if (receive(c, in)) continue;
    ee_free(k->headers);
    ee_free(k);
    return NULL;
  }
  k->body = ee_malloc(request->length + 1);
  memcpy(k->body, in->data + head, request->length);
  k->body[request->length] = '\0';
  in->length -= head + request->length;
  memmove(in->data, in->data + head + request->length, in->length);
  request->headers = k->headers;
  request->body = k->body;
  request->connection = c->number;
  return k;
}

/* Answering ------------------------------------------------------------------------------------ */

static void handle(test_http_server *server, kept *k, test_http_response *response) {
  pthread_mutex_lock(&server->lock);
  k->request.arrived = test_now() - server->started;
  k->request.number = server->count;
  if (server->count == server->capacity) {
    server->capacity = server->capacity * 2 + 64;
    server->requests = ee_realloc(server->requests, server->capacity, sizeof *server->requests);
  }
  server->requests[server->count++] = k;
  server->in_flight++;
  if (server->in_flight > server->most_in_flight) server->most_in_flight = server->in_flight;
  server->handler(server->user, &k->request, response);
  pthread_mutex_unlock(&server->lock);
}

/* Before the first byte of the answer: the client may send the next request before this thread goes on. */
static void leave(test_http_server *server) {
  pthread_mutex_lock(&server->lock);
  server->in_flight--;
  pthread_mutex_unlock(&server->lock);
}

/* The ends of an attack's connection. */
static bool attack_send(void *user, const char *data, size_t length) {
  const connection *c = user;
  return !is_stopped(c->server) && send_all(c, data, length);
}

static bool attack_wait(void *user, int ms) {
  const connection *c = user;
  struct pollfd ends[2] = {{c->server->stop[0], POLLIN, 0}, {c->socket, POLLIN | POLLRDHUP, 0}};
  return poll(ends, 2, ms) == 0;
}

static void attack_reset(void *user) {
  const connection *c = user;
  setsockopt(c->socket, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0}, sizeof(struct linger));
  /* Closing would free the descriptor, which the end of the server closes: another takes its place. */
  int other = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (other < 0 || dup2(other, c->socket) < 0) die("no socket");
  close(other);
}

static bool attack(connection *c, const test_http_response *response) {
  leave(c->server);
  const test_attack_end end = {c, attack_send, attack_wait, attack_reset};
  test_attack_play(response->attack, &end);
  return false;
}

/* False when the connection is to be closed. */
static bool answer(connection *c, test_http_response *response) {
  if (response->manner == TEST_HTTP_ATTACK) return attack(c, response);
  wait_ms(c->server, response->delay_ms);
  if (response->manner == TEST_HTTP_HANG) wait_for(c->server, c->socket, -1);
  leave(c->server);
  if (is_stopped(c->server)) return false;
  ee_buffer out = {0};
  size_t body = response->body.length;
  if (response->manner == TEST_HTTP_CUT && response->cut_after < body) body = response->cut_after;
  if (response->manner != TEST_HTTP_GARBAGE)
    ee_buffer_addf(&out, "HTTP/1.1 %d Said\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n%s\r\n",
                   response->status, response->body.length, response->headers);
  ee_buffer_add(&out, response->body.data, body);
  bool goes_on = response->manner == TEST_HTTP_ANSWER;
  if (response->manner != TEST_HTTP_HANG && response->manner != TEST_HTTP_CLOSE)
    goes_on = send_all(c, out.data, out.length) && goes_on;
  ee_buffer_fini(&out);
  return goes_on;
}

static void *serve(void *argument) {
  connection *c = argument;
  ee_buffer in = {0};
  kept *k;
  bool goes_on = true;
  while (goes_on && (k = read_request(c, &in)) != NULL) {
    test_http_response response = {.status = 200};
    handle(c->server, k, &response);
    goes_on = answer(c, &response);
    ee_buffer_fini(&response.body);
  }
  ee_buffer_fini(&in);
  /* The descriptor itself is closed by stop, so that its number means this connection until then. */
  shutdown(c->socket, SHUT_RDWR);
  return NULL;
}

static void *accept_all(void *argument) {
  test_http_server *server = argument;
  while (wait_for(server, server->listener, -1)) {
    int accepted = accept(server->listener, NULL, NULL);
    if (accepted < 0) continue;
    setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    connection *c = ee_calloc(1, sizeof *c);
    c->server = server;
    c->socket = accepted;
    pthread_mutex_lock(&server->lock);
    c->number = server->connection_count++;
    c->next = server->connections;
    server->connections = c;
    pthread_mutex_unlock(&server->lock);
    if (pthread_create(&c->thread, NULL, serve, c) != 0) die("no thread");
  }
  return NULL;
}

/* Starting, stopping, asking ------------------------------------------------------------------- */

static int listen_somewhere(char url[64]) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 256) != 0 ||
      getsockname(listener, (struct sockaddr *)&address, &length) != 0)
    die("no port");
  snprintf(url, 64, "http://127.0.0.1:%u", (unsigned)ntohs(address.sin_port));
  return listener;
}

test_http_server *test_http_start(test_http_handler *handler, void *user) {
  test_http_server *server = ee_calloc(1, sizeof *server);
  server->handler = handler;
  server->user = user;
  server->started = test_now();
  server->listener = listen_somewhere(server->url);
  pthread_mutex_init(&server->lock, NULL);
  if (pipe(server->stop) != 0) die("no pipe");
  if (pthread_create(&server->acceptor, NULL, accept_all, server) != 0) die("no thread");
  return server;
}

void test_http_stop(test_http_server *server) {
  if (write(server->stop[1], "", 1) != 1) die("a pipe that is full");
  pthread_join(server->acceptor, NULL);
  for (connection *c = server->connections, *next; c != NULL; c = next) {
    next = c->next;
    shutdown(c->socket, SHUT_RDWR); /* ends a send to a client that does not read */
    pthread_join(c->thread, NULL);
    close(c->socket);
    ee_free(c);
  }
  test_http_forget(server);
  ee_free(server->requests);
  close(server->listener);
  close(server->stop[0]);
  close(server->stop[1]);
  pthread_mutex_destroy(&server->lock);
  ee_free(server);
}

const char *test_http_url(const test_http_server *server) { return server->url; }

void test_http_closed_url(char url[64]) { close(listen_somewhere(url)); }

size_t test_http_count(test_http_server *server) {
  pthread_mutex_lock(&server->lock);
  size_t count = server->count;
  pthread_mutex_unlock(&server->lock);
  return count;
}

size_t test_http_most_in_flight(test_http_server *server) {
  pthread_mutex_lock(&server->lock);
  size_t most = server->most_in_flight;
  pthread_mutex_unlock(&server->lock);
  return most;
}

const test_http_request *test_http_kept(test_http_server *server, size_t number) {
  pthread_mutex_lock(&server->lock);
  if (number >= server->count) die("a request that did not come");
  const test_http_request *request = &server->requests[number]->request;
  pthread_mutex_unlock(&server->lock);
  return request;
}

void test_http_forget(test_http_server *server) {
  pthread_mutex_lock(&server->lock);
  for (size_t i = 0; i < server->count; i++) {
    ee_free(server->requests[i]->headers);
    ee_free(server->requests[i]->body);
    ee_free(server->requests[i]);
  }
  server->count = 0;
  server->most_in_flight = 0;
  pthread_mutex_unlock(&server->lock);
}

/* Failures ------------------------------------------------------------------------------------- */

void test_failures_add(test_failures *failures, test_failure failure) {
  if (failures->count == TEST_FAILURES) die("too many failures");
  failures->items[failures->count++] = failure;
}

bool test_failures_answer(const test_failures *failures, size_t number, test_http_response *response) {
  for (size_t i = 0; i < failures->count; i++) {
    const test_failure *failure = &failures->items[i];
    if (number < failure->first || number > failure->last) continue;
    if (failure->body != NULL) ee_buffer_add_text(&response->body, failure->body);
    if (failure->headers != NULL) snprintf(response->headers, sizeof response->headers, "%s", failure->headers);
    response->status = failure->status;
    response->manner = failure->manner;
    response->cut_after = failure->cut_after;
    if (failure->delay_ms > 0) response->delay_ms = failure->delay_ms;
    return true;
  }
  return false;
}
