/* host.c: a program that embeds the library, and is refused memory: each allocation once, by itself and with all that
 * follow.
 *
 *   host [--sample K] [--seed S] [--only N] [SCENE...]
 *
 * Whatever is refused, the call must fail with EE_ERROR_SYSTEM and "out of memory", or give what it gives with enough
 * memory; the same call, repeated with enough memory, must give that; and at the end nothing may be held: no block,
 * descriptor or child, no blocked signal, no other locale. --sample tries K allocations a scene at random places in
 * place of all. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <evalengine.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults/refused_host.h"
#include "faults/refusing_memory.h"
#include "support/http_server.h"
#include "support/openai_endpoint.h"
#include "support/random.h"

/* Scenes --------------------------------------------------------------------------------------- */

typedef struct scene {
  const char *name;
  const char *rules;       /* {JUDGE} is a program, {URL} a server, {CACHE} a file name */
  const char *expected[2]; /* two cases */
  const char *candidate[2];
  bool is_large; /* requires a server or a program: fewer samples */
} scene;

#define INVOICE                                                                                                        \
  "{\"name\":\"Müller GmbH\",\"total\":1234.5,\"date\":\"2024-02-29\",\"tags\":[\"a\",\"b\"],\"items\":"              \
  "[{\"sku\":\"A1\",\"text\":\"Steel screws, 100\",\"price\":12.5},{\"sku\":\"B2\",\"text\":\"Red "                    \
  "paint\",\"price\":3},"                                                                                              \
  "{\"sku\":\"C3\",\"text\":\"Brush\",\"price\":4.25}]}"
#define ANSWER                                                                                                         \
  "Here it is:\n```json\n{\"name\":\"Mueller GmbH\",\"total\":\"1.234,50 "                                             \
  "EUR\",\"date\":\"29.02.2024\",\"tags\":[\"b\"],\"items\":"                                                          \
  "[{\"sku\":\"B2\",\"text\":\"paint, red\",\"price\":\"3.00\"},{\"sku\":\"A1\",\"text\":\"steel "                     \
  "screw\",\"price\":12.5},"                                                                                           \
  "{\"sku\":\"D4\",\"text\":\"Hammer\",\"price\":9}]}\n```\n"

static const scene scenes[] = {
    {.name = "fields",
     .rules =
         "return ee.rules { null_values = { '-' },\n"
         "  ee.fields { ee.fuzzy { 'name', algorithm = 'token_sort', normalize = { 'trim', 'casefold', 'nfkc' } },\n"
         "    ee.numeric { 'total', tolerance = 0.01 }, ee.date 'date', ee.set 'tags' },\n"
         "  ee.line_items { 'items', name = 'greedy', match = { 'text', threshold = 0.5 }, ee.exact 'sku', ee.numeric "
         "'price' },\n"
         "  ee.line_items { 'items', name = 'optimal', match = 'fields', assignment = 'optimal', ee.auto 'text' },\n"
         "}\n",
     .expected = {INVOICE, "{\"name\":\"x\"}"},
     .candidate = {ANSWER, "no JSON at all"}},
    {.name = "functions",
     .rules =
         "local seen = {}\n"
         "return ee.rules { ee.fields {\n"
         "  ee.custom { 'name', function(a, b) seen[#seen + 1] = a .. b; return ee.prim.ratio(a:lower(), b:lower()) "
         "end },\n"
         "  ee.custom { 'tags', function(a, b) local ok, why = pcall(error, { #a }); return not ok and #b / #a end },\n"
         "  ee.exact 'total', score = function(x) return x.score end },\n"
         "}\n",
     .expected = {INVOICE, "{\"name\":\"x\",\"tags\":[1]}"},
     .candidate = {ANSWER, "{\"name\":\"y\",\"tags\":[1,2]}"}},
    {.name = "wrong",
     .rules = "return ee.rules { ee.fields { ee.fuzy 'name', ee.numeric { 'total', tolerence = 1 } }, ee.fields 7 }\n"},
    {.name = "schema",
     .rules = "return ee.rules { ee.schema { schema = { type = 'object', required = { 'total' }, properties = {\n"
              "  name = { type = 'string', pattern = '^[A-Z]\\\\w+( GmbH)?$' }, total = { type = 'number' },\n"
              "  items = { type = 'array', items = { ['$ref'] = '#/$defs/item' }, uniqueItems = true } },\n"
              "  ['$defs'] = { item = { properties = { sku = { enum = { 'A1', 'B2' } } } } } } } }\n",
     .expected = {INVOICE, "{}"},
     .candidate = {ANSWER, "{\"total\":1}"}},
#ifdef EE_WITH_STEMMER
    {.name = "local",
     .rules = "return ee.rules { ee.fields { ee.semantic { 'name', threshold = 0.5 } },\n"
              "  ee.line_items { 'items', match = { ee.semantic 'text', threshold = 0.3 }, ee.exact 'sku' } }\n",
     .expected = {INVOICE, "{\"name\":\"red apples\"}"},
     .candidate = {ANSWER, "{\"name\":\"apple, red\"}"}},
#endif
    {.name = "program",
     .rules = "return ee.rules { ee.exec { 'all', command = { '{JUDGE}', 'lines' }, persistent = true },\n"
              "  ee.exec { 'one', command = { '{JUDGE}', 'judge' } } }\n",
     .expected = {"\"do\"", "\"yes\""},
     .candidate = {"do", "no"},
     .is_large = true},
#if defined EE_WITH_CURL && defined EE_WITH_SQLITE
    {.name = "server",
     .rules = "return ee.rules { provider = { 'openai', model = 'm', url = '{URL}', retries = 0, cache = '{CACHE}' },\n"
              "  ee.fields { ee.semantic { 'name', threshold = 0.5 } } }\n",
     .expected = {"{\"name\":\"red apples\"}", "{\"name\":\"green pears\"}"},
     .candidate = {"{\"name\":\"apples\"}", "{\"name\":\"red pears\"}"},
     .is_large = true},
#endif
};
enum { SCENES = sizeof scenes / sizeof *scenes };

/* One pass ------------------------------------------------------------------------------------- */

/* What comes out of a pass with enough memory. */
typedef struct reference {
  char *rows[4]; /* both cases as texts, and as trees; NULL: status */
  ee_status status[4];
  size_t rule_errors[4];
  size_t mistakes; /* of a rule file that does not load */
  char *message;   /* of the first */
} reference;

typedef struct mistakes {
  size_t count;
  ee_error first;
} mistakes;

static void take_mistake(void *user, const ee_error *error) {
  mistakes *found = user;
  if (found->count++ == 0) found->first = *error;
}

/* Loads the rules; a second time with enough memory if the first fails for want of it. */
static ee_rules *load(const char *path, reference *good, bool is_first) {
  for (int attempt = 0;; attempt++) {
    mistakes found = {0};
    ee_rules *rules = ee_rules_load(path, take_mistake, &found);
    if (rules != NULL) {
      if (found.count > 0 || (!is_first && good->mistakes > 0)) test_host_fail("rules load in spite of a mistake");
      return rules;
    }
    if (is_first) {
      good->mistakes = found.count;
      good->message = strdup(found.first.message);
      return NULL;
    }
    bool as_ever =
        found.count == good->mistakes && good->mistakes > 0 && strcmp(found.first.message, good->message) == 0;
    if (as_ever) return NULL;
    if (attempt > 0 || found.count != 1 || !test_is_no_memory(&found.first)) {
      test_host_fail("loading fails with %zu mistakes, status %d: %s", found.count, (int)found.first.status,
                     found.first.message);
      if (attempt > 0) return NULL;
    }
    test_refuse_memory(0, false);
  }
}

static ee_evaluator *open_evaluator(const ee_rules *rules) {
  for (int attempt = 0;; attempt++) {
    ee_error error = {0};
    ee_evaluator *evaluator = ee_evaluator_new(rules, &error);
    if (evaluator != NULL) return evaluator;
    if (attempt > 0 || !test_is_no_memory(&error)) {
      test_host_fail("no evaluator, status %d: %s", (int)error.status, error.message);
      if (attempt > 0) return NULL;
    }
    test_refuse_memory(0, false);
  }
}

static void judge(ee_evaluator *evaluator, size_t number, const scene *played, cJSON *const *trees, reference *good,
                  bool is_first) {
  const char *expected = played->expected[number % 2], *candidate = played->candidate[number % 2];
  for (int attempt = 0;; attempt++) {
    const char *json = NULL;
    ee_error error = {0};
    ee_status status = number < 2 ? ee_evaluate_text(evaluator, "id", expected, strlen(expected), candidate,
                                                     strlen(candidate), &json, NULL, NULL, &error)
                                  : ee_evaluate_cjson(evaluator, "id", trees[number % 2], trees[number % 2], &json,
                                                      NULL, NULL, &error);
    size_t count = ee_evaluator_rule_errors(evaluator, NULL);
    if (is_first) {
      good->status[number] = status;
      good->rows[number] = json != NULL ? strdup(json) : NULL;
      good->rule_errors[number] = count;
      if (status != EE_OK) test_host_fail("case %zu, status %d: %s", number, (int)status, error.message);
      return;
    }
    if (status == EE_OK && json != NULL && strcmp(json, good->rows[number]) == 0 && count == good->rule_errors[number])
      return;
    if (status == EE_OK)
      test_host_fail("case %zu has another result: %s", number, json);
    else if (status != EE_ERROR_SYSTEM || !test_is_no_memory(&error))
      test_host_fail("case %zu fails with status %d: %s", number, (int)status, error.message);
    if (attempt > 0) {
      if (status != EE_OK) test_host_fail("case %zu fails again, with enough memory: %s", number, error.message);
      return;
    }
    test_refuse_memory(0, false);
  }
}

/* Everything that a host does. `n` 0: with enough memory. Returns the number of allocations. */
static size_t pass(const scene *played, const char *path, const char *cache, cJSON *const *trees, reference *good,
                   size_t n, bool on, bool is_first) {
  test_host.fault = n;
  test_host.goes_on = on;
  size_t descriptors = test_open_descriptors();
  if (cache != NULL) unlink(cache);
  long held = test_memory_held();
  test_refuse_memory(n, on);
  ee_rules *rules = load(path, good, is_first);
  ee_evaluator *evaluator = rules != NULL ? open_evaluator(rules) : NULL;
  for (size_t i = 0; i < 4 && evaluator != NULL; i++) judge(evaluator, i, played, trees, good, is_first);
  size_t count = test_memory_requests();
  if (on) test_refuse_memory(1, true); /* freeing must not need memory */
  ee_evaluator_free(evaluator);
  ee_rules_free(rules);
  test_refuse_memory(0, false);
  if (!is_first && test_memory_held() != held) test_host_fail("%ld blocks are not freed", test_memory_held() - held);
  test_host_check_process(descriptors);
  return count;
}

/* Scenes --------------------------------------------------------------------------------------- */

static void write_rules(const char *path, const char *text, const char *url, const char *cache) {
  FILE *file = fopen(path, "w");
  if (file == NULL) perror(path), exit(2);
  for (const char *at = text; *at != '\0';) {
    const char *names[] = {"{JUDGE}", "{URL}", "{CACHE}"}, *values[] = {EE_JUDGE_PROGRAM, url, cache};
    int which = 0;
    while (which < 3 && strncmp(at, names[which], strlen(names[which])) != 0) which++;
    if (which < 3) {
      fputs(values[which], file);
      at += strlen(names[which]);
    } else {
      fputc(*at++, file);
    }
  }
  fclose(file);
}

static void play(const scene *played, const char *folder, const char *url) {
  const size_t sample = test_host.sample, only = test_host.only;
  test_host.scene = played->name;
  char path[4096], cache[4096];
  if (snprintf(path, sizeof path, "%s/%s.lua", folder, played->name) >= (int)sizeof path ||
      snprintf(cache, sizeof cache, "%s/cache.sqlite", folder) >= (int)sizeof cache)
    exit(2);
  write_rules(path, played->rules, url, cache);
  cJSON *trees[2] = {0};
  for (int i = 0; i < 2; i++) trees[i] = cJSON_Parse(played->expected[i] != NULL ? played->expected[i] : "{}");
  reference good = {0};
  /* Libraries keep what they make at the first use. */
  pass(played, path, cache, trees, &good, 0, false, true);
  size_t count = pass(played, path, cache, trees, &good, 0, false, false), before = test_host.tries;
  test_random random = {0};
  if (sample > 0) random = test_random_start(played->name, test_host.seed);
  for (int on = 0; on < 2; on++) {
    if (sample == 0) {
      for (size_t n = only > 0 ? only : 1; n <= count && (only == 0 || n == only); n++, test_host.tries++)
        pass(played, path, cache, trees, &good, n, on, false);
    } else {
      for (size_t i = 0; i < sample; i++, test_host.tries++)
        pass(played, path, cache, trees, &good, 1 + (size_t)test_random_below(&random, count), on, false);
    }
  }
  printf("%s: %zu allocations, %zu faults, %zu failures\n", played->name, count, test_host.tries - before,
         test_host.failures);
  fflush(stdout);
  for (int i = 0; i < 2; i++) cJSON_Delete(trees[i]);
  for (int i = 0; i < 4; i++) free(good.rows[i]);
  free(good.message);
  unlink(path);
  unlink(cache);
}

/* The C library keeps stacks of threads that have ended, each with a block for its thread-local variables, for the next
 * thread. libcurl starts one when it has no memory for reading the server's address as numbers, and looks it up as a
 * name: that block is neither ours nor lost, and is to exist before blocks are counted. */
static void *do_nothing(void *user) { return user; }

static void fill_stack_cache(void) {
  pthread_t threads[2];
  int started = 0;
  while (started < 2 && pthread_create(&threads[started], NULL, do_nothing, NULL) == 0) started++;
  while (started > 0) pthread_join(threads[--started], NULL);
}

/* The server runs in a process of its own, which is not our child: its memory, descriptors and threads do not count. It
 * ends with us. Returns the end of a pipe that keeps it alive. */
static int start_server(char url[128]) {
  int alive[2], told[2];
  if (pipe(alive) != 0 || pipe(told) != 0) perror("pipe"), exit(2);
  pid_t between = fork();
  if (between < 0) perror("fork"), exit(2);
  if (between == 0) {
    if (fork() != 0) _exit(0);
    close(alive[1]);
    close(told[0]);
    test_openai openai = {0};
    test_http_server *server = test_http_start(test_openai_answer, &openai);
    char text[128] = "";
    snprintf(text, sizeof text, "%s/v1", test_http_url(server));
    if (write(told[1], text, sizeof text) != (ssize_t)sizeof text) _exit(2);
    close(told[1]);
    while (read(alive[0], text, 1) < 0 && errno == EINTR) continue;
    _exit(0);
  }
  waitpid(between, NULL, 0);
  close(alive[0]);
  close(told[1]);
  if (read(told[0], url, 128) != 128) fprintf(stderr, "no server\n"), exit(2);
  close(told[0]);
  return alive[1];
}

int main(int argc, char **argv) {
  (void)argc;
  char **names = test_host_options(argv + 1);
  const char *temporary = getenv("TMPDIR");
  char folder[4096];
  snprintf(folder, sizeof folder, "%s/ee-faults-XXXXXX", temporary != NULL && *temporary != '\0' ? temporary : "/tmp");
  if (mkdtemp(folder) == NULL) perror(folder), exit(2);
  char url[128];
  int server = start_server(url);
  unsetenv("OPENAI_API_KEY");
  fill_stack_cache();
  for (size_t i = 0; i < SCENES; i++)
    if (test_host_plays(scenes[i].name, names)) play(&scenes[i], folder, url);
  close(server);
  rmdir(folder);
  printf("%zu faults, %zu failures\n", test_host.tries, test_host.failures);
  return test_host.failures > 0;
}
