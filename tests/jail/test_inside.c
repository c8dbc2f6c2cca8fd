/* The program in the jail: what it needs works there, and what it may not do is said. */
#include "cli/command_folder.h"

#include "jail/jail.h"
#include "support/openai_endpoint.h"

#ifdef EE_WITH_CURL
static test_openai endpoint;
static test_http_server *server;
#endif

static int run(const char *command) {
  int status = system(command);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static const char asks[] =
    "return ee.rules { provider = { 'openai', model = 'm', retries = 0 }, ee.fields { ee.semantic { "
    "'text', threshold = 0.5 } } }\n";
static const char runs[] =
    "return ee.rules { ee.exec { 'other', command = { 'sh', '-c', 'cat >/dev/null; echo x 2>/dev/null "
    ">new; test -e new && echo {} || echo \\'{\\\"score\\\": 1}\\'' } } }\n";
static const char records[] =
    "{\"id\": \"a\", \"expected\": {\"text\": \"red apple\"}, \"candidate\": {\"text\": \"red pear\"}}\n"
    "{\"id\": \"b\", \"expected\": {\"text\": \"one\"}, \"candidate\": {\"text\": \"two\"}}\n";

/* AddressSanitizer looks for leaks by a process that traces this one, which the jail refuses. */
static void leave_leaks_alone(void) {
  const char *options = getenv("ASAN_OPTIONS");
  char changed[1024];
  snprintf(changed, sizeof changed, "%s:detect_leaks=0", options != NULL ? options : "");
  setenv("ASAN_OPTIONS", changed, 1);
}

/* Without a jail on this machine the file is skipped. */
static int look_for_jail(void **state) {
  leave_leaks_alone();
  if (set_up_folder(state) != 0) return -1;
  save_text("rules.lua", "return ee.rules { ee.fields { ee.exact 'text' } }\n");
  save_text("data.jsonl", records);
  int status = run("evalengine rules.lua data.jsonl --jail -q >out 2>err");
  ee_buffer message = load("err");
  bool lacks = status == EE_ERROR_SYSTEM && strstr(message.data, "needs") != NULL;
  ee_buffer_fini(&message);
  if (!lacks) return 0;
  printf("skipped: no jail on this machine\n");
  tear_down_folder(state);
  exit(EE_TEST_SKIPPED);
}

static int fill_folder(void **state) {
  (void)state;
  remove_files();
  save_text("asks.lua", asks);
  save_text("runs.lua", runs);
  save_text("data.jsonl", records);
  return 0;
}

static void assert_says(const char *name, const char *text) {
  ee_buffer all = load(name);
  if (strstr(all.data, text) == NULL) fail_msg("'%s' is not in: %s", text, all.data);
  ee_buffer_fini(&all);
}

static void assert_same_files(const char *a, const char *b) {
  ee_buffer text = load(a);
  assert_content(b, text.data);
  ee_buffer_fini(&text);
}

#ifdef EE_WITH_CURL

static void open_server(void) {
  server = test_http_start(test_openai_answer, &endpoint);
  setenv("OPENAI_BASE_URL", test_http_url(server), 1);
  setenv("OPENAI_API_KEY", "sk-test", 1);
}

/* A model is asked as without the jail, its answers are kept, and read again where they cannot be written. */
static void asks_a_model(void **state) {
  (void)state;
  open_server();
  /* The cache is in a folder of its own, which is no folder of an output. */
  char folder[] = "/tmp/evalengine-cache-XXXXXX", cache[64];
  assert_non_null(mkdtemp(folder));
  snprintf(cache, sizeof cache, "%s/answers.sqlite", folder);
  setenv("EVALENGINE_CACHE", cache, 1);
  assert_int_equal(run("evalengine asks.lua data.jsonl -q --results plain.jsonl -o plain.txt"), 0);
#ifdef EE_WITH_SQLITE
  assert_int_equal(unlink(cache), 0);
#endif
  assert_int_equal(run("evalengine asks.lua data.jsonl -q --jail --allow-network --results new.jsonl -o new.txt"), 0);
  assert_same_files("plain.jsonl", "new.jsonl");
#ifdef EE_WITH_SQLITE
  assert_int_equal(run("evalengine asks.lua data.jsonl -q --jail --results kept.jsonl -o kept.txt"), 0);
  assert_same_files("plain.jsonl", "kept.jsonl");
  assert_int_equal(unlink(cache), 0);
#endif
  assert_int_equal(rmdir(folder), 0); /* nothing else was left in it */
  test_http_stop(server);
}

static void asks_nobody_without_leave(void **state) {
  (void)state;
  open_server();
  setenv("EVALENGINE_CACHE", "absent.sqlite", 1);
  assert_int_equal(run("evalengine asks.lua data.jsonl --jail -o out 2>err"), 4);
  assert_says("err", "not in the cache (--jail without --allow-network)");
  test_http_stop(server);
}
#endif

static void programs_need_leave(void **state) {
  (void)state;
  assert_int_equal(run("evalengine runs.lua data.jsonl --jail -o out 2>err"), EE_ERROR_RULES);
  assert_says("err", "which --jail forbids without --allow-programs");
  assert_int_equal(run("evalengine runs.lua data.jsonl --jail --allow-programs >out 2>err"), 0);
  assert_true(access("new", F_OK) != 0); /* the program could not write */
}

/* Files of the command line are read and written wherever they are; others are not, and that is said. */
static void other_files_are_refused(void **state) {
  (void)state;
  save_text("named.lua", "return ee.rules { ee.schema { 'shape', file = '/etc/hostname' } }\n");
  assert_int_equal(run("evalengine named.lua data.jsonl --jail -o out 2>err"), EE_ERROR_RULES);
  assert_says("err", "Permission denied");
  assert_says("err", "--jail-read PATH allows more");
  assert_int_equal(run("evalengine check named.lua --jail --jail-read /etc/hostname >out 2>err") == EE_OK, false);
  ee_buffer text = load("err");
  assert_null(strstr(text.data, "Permission denied"));
  ee_buffer_fini(&text);
}

/* Memory that is refused ends the program with status 5, or is a mistake of the rule, but no signal and no hang. */
static void memory_ends_in_words(void **state) {
  (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip();
#endif
  save_text("rules.lua", "return ee.rules { ee.fields { ee.exact 'text' } }\n");
  FILE *file = fopen("long.jsonl", "w");
  assert_non_null(file);
  fputs("{\"id\": \"a\", \"expected\": {\"text\": \"x\"}, \"candidate\": {\"text\": [", file);
  for (int i = 0; i < 2000000; i++) fputs("1,", file);
  fputs("1]}}\n", file);
  fclose(file);
  static const char *const limits[] = {"1", "8", "16", "32", "48", "64", "96"};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    char command[160];
    snprintf(command, sizeof command, "evalengine rules.lua long.jsonl --jail -j 4 --jail-memory %s -o out 2>err",
             limits[i]);
    int status = run(command);
    if (status != EE_ERROR_SYSTEM && status != EE_ERROR_DATA && status != EE_OK) {
      ee_buffer text = load("err");
      fail_msg("--jail-memory %s: status %d: %s", limits[i], status, text.data);
    }
  }
}

/* Outputs that are not files, links, descriptors, and limits that are narrower than the jail's. */
static void outputs_of_all_kinds(void **state) {
  (void)state;
  save_text("plain.lua", "return ee.rules { ee.fields { ee.exact 'text' } }\n");
  assert_int_equal(run("evalengine plain.lua data.jsonl -q -f csv -o plain.csv"), 0);
  assert_int_equal(run("evalengine plain.lua data.jsonl -q --jail -f csv -o /dev/null"), 0);
  assert_int_equal(run("evalengine plain.lua data.jsonl -q --jail -f csv -o - >new.csv"), 0);
  assert_same_files("plain.csv", "new.csv");
  assert_int_equal(run("evalengine plain.lua data.jsonl -q --jail -f csv -o /dev/stdout >new2.csv"), 0);
  assert_same_files("plain.csv", "new2.csv");
  assert_int_equal(run("evalengine plain.lua /dev/fd/7 -q --jail -f csv -o new3.csv 7<data.jsonl 8<plain.lua"), 0);
  assert_same_files("plain.csv", "new3.csv");
  assert_int_equal(run("ln -s new4.csv link.csv && echo old >new4.csv && "
                       "evalengine plain.lua data.jsonl -q --jail -f csv -o link.csv && test -L link.csv"),
                   0);
  assert_same_files("plain.csv", "new4.csv");
  assert_int_equal(run("ulimit -t 100 && evalengine plain.lua data.jsonl -q --jail --jail-cpu 200 -f csv -o new5.csv"),
                   0);
  assert_same_files("plain.csv", "new5.csv");
  assert_int_equal(run("evalengine plain.lua data.jsonl --jail --jail-read missing -o out 2>err"), EE_ERROR_SYSTEM);
  assert_says("err", "cannot open 'missing' of --jail-read");
}

#define TEST(function) cmocka_unit_test_setup(function, fill_folder)

static const struct CMUnitTest tests[] = {
#ifdef EE_WITH_CURL
    TEST(asks_a_model),        TEST(asks_nobody_without_leave),
#endif
    TEST(programs_need_leave), TEST(other_files_are_refused),   TEST(memory_ends_in_words), TEST(outputs_of_all_kinds)};

EE_TEST_ARRAY(look_for_jail, tear_down_folder, tests);
