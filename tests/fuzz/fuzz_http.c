/* fuzz_http.c: any bytes as what a server on the loopback answers: status line, headers, chunks, body.
 *
 * A request ends with an answer or with a reason in one line, in which the key is not repeated. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "fuzz/output_checks.h"
#include "provider/http.h"

#define SECRET "sk-7Q"

/* What the server answers next; one request at a time. */
static struct server {
  int listener;
  pthread_mutex_t lock; /* held while the answer is sent, which may take longer than curl waits */
  ee_str answer;
} server = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *serve(void *none) {
  for (;;) {
    int client = accept(server.listener, NULL, NULL);
    if (client < 0) continue;
    char request[4096];
    bool asked = read(client, request, sizeof request) > 0;
    pthread_mutex_lock(&server.lock);
    if (asked && server.answer.length > 0) (void)!send(client, server.answer.data, server.answer.length, MSG_NOSIGNAL);
    pthread_mutex_unlock(&server.lock);
    shutdown(client, SHUT_WR);
    while (read(client, request, sizeof request) > 0) continue; /* until curl has read it all */
    close(client);
  }
  return none;
}

/* The server's address; NULL where there is no loopback. */
static const char *start(void) {
  static char url[64];
  static bool tried;
  if (tried) return url[0] != '\0' ? url : NULL;
  tried = true;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof address;
  pthread_t thread;
  server.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (server.listener < 0 || bind(server.listener, (struct sockaddr *)&address, sizeof address) != 0 ||
      listen(server.listener, 8) != 0 || getsockname(server.listener, (struct sockaddr *)&address, &length) != 0 ||
      pthread_create(&thread, NULL, serve, NULL) != 0)
    return NULL;
  pthread_detach(thread);
  snprintf(url, sizeof url, "http://127.0.0.1:%d", ntohs(address.sin_port));
  return url;
}

static void set_answer(ee_str answer) {
  pthread_mutex_lock(&server.lock);
  server.answer = answer;
  pthread_mutex_unlock(&server.lock);
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_error error = {0};
  ee_http_settings settings = {.url = start(), .key = SECRET, .timeout_ms = 2000, .in_flight = 1};
  if (settings.url == NULL) return 0;
  ee_http *http = ee_http_new(&settings, &error);
  if (http == NULL) return 0; /* a build without curl */
  set_answer(fuzz_text(data, size));
  ee_http_request request = {.path = "/x", .body = EE_STR("{}")};
  fuzz_require(ee_http_perform(http, &request, 1, NULL) == EE_OK);
  ee_str failure = ee_str_from(request.failure);
  fuzz_require(request.done == (failure.length == 0));
  fuzz_check_message(failure);
  fuzz_require(strstr(request.failure, SECRET) == NULL);
  ee_buffer_fini(&request.answer);
  ee_http_free(http);
  set_answer((ee_str){0});
  return 0;
}

EE_FUZZ_TARGET(4096)
