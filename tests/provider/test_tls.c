/* test_tls.c: servers whose certificates are not what they should be, and --ca-file. The certificates are made here, by
 * the program openssl; the server is one in Python. Skipped where either is missing. */
#ifdef EE_WITH_CURL

#include "provider/openai_fixture.h"

#include <limits.h>
#include <signal.h>
#include <sys/wait.h>

static bool run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static bool run(const char *format, ...) {
  char command[2048];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(command, sizeof command, format, arguments);
  va_end(arguments);
  return system(command) == 0;
}

static bool possible;

/* ca.pem signs good.pem (127.0.0.1 and localhost), wrong.pem (another name) and old.pem (over since long); self.pem is
 * signed by itself. */
static int make_certificates(void **state) {
  if (make_cache_folder(state) != 0) return -1;
  possible =
      run("command -v openssl >/dev/null 2>&1 && python3 -c 'import ssl' >/dev/null 2>&1") &&
      run("cd '%s' && {\n"
          "  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ca.key -out ca.pem "
          "-days 30 -subj '/CN=test authority' "
          "    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign &&\n"
          "  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout self.key -out self.pem "
          "-days 30 -subj /CN=127.0.0.1 "
          "    -addext subjectAltName=IP:127.0.0.1 &&\n"
          "  for row in good:IP:127.0.0.1,DNS:localhost:30 wrong:DNS:models.example:30; do\n"
          "    name=${row%%%%:*} rest=${row#*:} days=${row##*:}\n"
          "    printf 'subjectAltName=%%s\\n' \"${rest%%:*}\" >$name.ext &&\n"
          "    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout $name.key -out $name.csr "
          "-subj /CN=test &&\n"
          "    openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days $days -extfile $name.ext "
          "      -out $name.pem || exit 1\n"
          "  done; } >openssl.log 2>&1",
          cache_folder);
  return 0;
}

static int remove_certificates(void **state) {
  (void)state;
  return run("rm -rf '%s'", cache_folder) ? 0 : -1;
}

typedef struct tls_server {
  pid_t pid;
  int input; /* it ends when this is closed */
  char url[64];
} tls_server;

static void start(tls_server *server, const char *name) {
  int in[2], out[2];
  char script[PATH_MAX], certificate[400], key[400], port[32] = "";
  assert_non_null(realpath("tests/programs/tls_server.py", script));
  snprintf(certificate, sizeof certificate, "%s/%s.pem", cache_folder, name);
  snprintf(key, sizeof key, "%s/%s.key", cache_folder, name);
  assert_true(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
  server->pid = fork();
  assert_true(server->pid >= 0);
  if (server->pid == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    execlp("python3", "python3", script, certificate, key, (char *)NULL);
    _exit(99);
  }
  close(in[0]);
  close(out[1]);
  server->input = in[1];
  for (size_t length = 0; strchr(port, '\n') == NULL; length = strlen(port))
    assert_true(read(out[0], port + length, sizeof port - 1 - length) > 0);
  close(out[0]);
  snprintf(server->url, sizeof server->url, "https://127.0.0.1:%ld/v1", strtol(port, NULL, 10));
}

static void stop(tls_server *server) {
  close(server->input);
  waitpid(server->pid, NULL, 0);
}

/* What a request to the server with this certificate comes to, with `ca_file` in the folder (NULL: none). */
static void assert_request(const char *certificate, const char *ca_file, const char *host, const char *why) {
  tls_server server;
  start(&server, certificate);
  fixture f;
  fixture_open(&f, EE_MODEL_EMBEDDINGS);
  char file[400], url[64];
  snprintf(file, sizeof file, "%s/%s", cache_folder, ca_file != NULL ? ca_file : "");
  if (ca_file != NULL) f.settings.ca_file = file;
  snprintf(url, sizeof url, "https://%s%s", host, strrchr(server.url, ':'));
  f.settings.url = ee_str_from(url);
  f.settings.timeout_s = 120;
  ee_answer answer = ask_one(&f, "one", "two");
  if (why == NULL)
    assert_given(answer, 1);
  else
    assert_why(answer, why);
  fixture_close(&f);
  stop(&server);
}

#define NOT_TRUSTED "the server's certificate is not trusted, or not for this server"

static void test_certificates(void **state) {
  (void)state;
  if (!possible) {
    printf("no openssl or python3: not tested\n");
    skip();
  }
  assert_request("good", "ca.pem", "127.0.0.1", NULL);
  assert_request("good", "ca.pem", "localhost", NULL);
  assert_request("self", "self.pem", "127.0.0.1", NULL);
  assert_request("good", NULL, "127.0.0.1", NOT_TRUSTED);
  assert_request("good", "self.pem", "127.0.0.1", NOT_TRUSTED);
  assert_request("self", NULL, "127.0.0.1", NOT_TRUSTED);
  assert_request("self", "ca.pem", "127.0.0.1", NOT_TRUSTED);
  assert_request("wrong", "ca.pem", "127.0.0.1", NOT_TRUSTED);
}

/* A file without a certificate is a failure of each request, one that is not there of the start. */
static void test_ca_files(void **state) {
  (void)state;
  if (!possible) skip();
  char file[400], why[600];
  snprintf(file, sizeof file, "%s/good.key", cache_folder);
  snprintf(why, sizeof why, "'%s' (--ca-file) has no certificates that can be read", file);
  assert_request("good", "good.key", "127.0.0.1", why);
  fixture f;
  fixture_open(&f, EE_MODEL_EMBEDDINGS);
  static const char *const files[] = {"/nowhere/ca.pem", "/"};
  for (size_t i = 0; i < 2; i++) {
    ee_error error = {0};
    f.settings.ca_file = files[i];
    assert_null(ee_provider_open(&f.settings, NULL, &error));
    assert_int_equal(error.status, EE_ERROR_SYSTEM);
    assert_non_null(strstr(error.message, "(--ca-file)"));
  }
  fixture_close(&f);
}

/* A server without TLS behind https, and one with TLS behind http. */
static void test_other_protocol(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f, EE_MODEL_EMBEDDINGS);
  char url[80];
  snprintf(url, sizeof url, "https%s", test_http_url(f.server) + strlen("http"));
  f.settings.url = ee_str_from(url);
  f.settings.timeout_s = 2; /* the server waits for the rest of what it takes for a request */
  assert_int_equal(ask_one(&f, "one", "two").state, EE_ANSWER_FAILED);
  fixture_close(&f);
  if (!possible) skip();
  tls_server server;
  start(&server, "good");
  fixture_open(&f, EE_MODEL_EMBEDDINGS);
  snprintf(url, sizeof url, "http%s", server.url + strlen("https"));
  f.settings.url = ee_str_from(url);
  f.settings.timeout_s = 120;
  assert_int_equal(ask_one(&f, "one", "two").state, EE_ANSWER_FAILED);
  fixture_close(&f);
  stop(&server);
}

EE_TEST_FILE(make_certificates, remove_certificates, cmocka_unit_test(test_certificates),
             cmocka_unit_test(test_ca_files), cmocka_unit_test(test_other_protocol));

#else

EE_TEST_FILE(NULL, NULL);

#endif
