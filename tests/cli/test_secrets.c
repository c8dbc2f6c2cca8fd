/* test_secrets.c: the key of a provider is in nothing that a run writes: no report, row, state, cache, journal or
 * message, not in the list of processes and in no core dump; whatever the server does, and whatever is wrong with the
 * rule file.
 *
 * Each attack of tests/provider/attacks against one kind of model and one command in turn, and against a model that is
 * a judge; with EE_ATTACKS=all, as `make attacks` sets it, against both kinds and all commands. */
#include "cli/command_folder.h"

#include <limits.h>
#include <signal.h>
#include <sys/resource.h>

#include "data/json/json_writer.h"
#include "support/openai_endpoint.h"

#define KEY "sk-Geheim+/=0123456789"
/* What is looked for: the beginning of the key, as it is and in base64 after "Bearer ". */
#define MARK "Geheim"

static char attacks_file[PATH_MAX];

static int set_up(void **state) {
  assert_non_null(realpath("tests/provider/attacks", attacks_file));
  static const char *const names[] = {"http_proxy",       "https_proxy",     "all_proxy",    "ALL_PROXY",
                                      "HTTPS_PROXY",      "OPENAI_BASE_URL", "OPENAI_MODEL", "OPENAI_API_KEY",
                                      "EVALENGINE_CACHE", "no_proxy"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) unsetenv(names[i]);
  return set_up_folder(state);
}

/* Fails if any file in the folder but "rules.lua" has the mark. */
static void assert_no_key(const char *after) {
  DIR *directory = opendir(".");
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    if (entry->d_name[0] == '.' || strcmp(entry->d_name, "rules.lua") == 0) continue;
    ee_buffer text = load(entry->d_name);
    if (memmem(text.data, text.length, MARK, strlen(MARK)) != NULL)
      fail_msg("after '%s' the key is in '%s'", after, entry->d_name);
    ee_buffer_fini(&text);
  }
  closedir(directory);
}

/* Reports hold what is in rows: --results has it in plain text, also what HTML packs. */
static const char *const commands[] = {
    "rules.lua d.jsonl -f html -o r.html --results rows.jsonl --detail full --annotate github -v",
    "rules.lua d.jsonl --part 1/1 --state s.json --results rows.jsonl -v",
    "rules.lua d.jsonl -f junit -o r.xml --kinds --reasons --worst 3 --timings",
    "rules.lua d.jsonl -f markdown -o r.md --progress always --strict",
    "explain rules.lua d.jsonl --case a",
    "judge rules.lua <payload",
    "audit rules.lua d.jsonl -f json",
    "check rules.lua d.jsonl -v",
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void write_rules(const char *kind, const char *key) {
  ee_buffer text = {0};
  ee_buffer_addf(&text,
                 "local ask = ee.prim and nil\n"
                 "return ee.rules { provider = { 'openai', model = 'm', kind = '%s', url = ee.param('url'), %s,\n"
                 "  timeout = ee.param('timeout', 60), retries = 0, in_flight = 1, cache = 'answers.sqlite' },\n"
                 "  ee.fields { ee.semantic { 'text' } } }\n",
                 kind, key);
  save("rules.lua", &text);
  ee_buffer_fini(&text);
}

/* A model as a judge, and a function that asks one. */
static void write_asking_rules(void) {
  save_text("rules.lua",
            "return ee.rules { provider = { 'openai', model = 'm', url = ee.param('url'), key_env = 'MY_KEY',\n"
            "  timeout = ee.param('timeout', 60), retries = 0, in_flight = 1, cache = 'answers.sqlite',\n"
            "  prices = { input = 1 } },\n"
            "  ee.llm { 'good', prompt = 'Good? {{candidate}} {{record.id}}', samples = 2 },\n"
            "  ee.judge { 'asked', asks = true, function(case)\n"
            "    return #ee.ask('Good? ' .. ee.fence('text', case.candidate)) > 9\n"
            "  end } }\n");
}

static void write_data(void) {
  save_text("d.jsonl", "{\"id\":\"a\",\"expected\":{\"text\":\"one\"},\"candidate\":{\"text\":\"two\"}}\n"
                       "{\"id\":\"b\",\"expected\":{\"text\":\"three\"},\"candidate\":{\"text\":\"four\"}}\n");
  save_text("payload", "{\"candidate_answer\":\"{\\\"text\\\":\\\"one\\\"}\",\"reference_answer\":\"{\\\"text\\\":"
                       "\\\"two\\\"}\"}");
}

static void run(const test_attack *attack, test_openai *endpoint, const char *url, const char *command) {
  unlink("answers.sqlite");
  endpoint->attack = attack;
  const char *input = strstr(command, " <");
  int length = input != NULL ? (int)(input - command) : (int)strlen(command);
  int status = shell("MY_KEY='" KEY "' evalengine %.*s --set url=%s --set timeout=%s %s >out 2>err", length, command,
                     url, attack->waits ? "0.3" : "120", input != NULL ? input : "");
  if (status == 2 || status > 5) fail_msg("'%s' under '%s' ended with %d", command, attack->name, status);
  endpoint->attack = NULL;
  assert_no_key(attack->name);
}

static void test_under_attack(void **state) {
  (void)state;
  test_openai endpoint = {0};
  test_http_server *server = test_http_start(test_openai_answer, &endpoint);
  test_attacks attacks;
  test_attacks_read(&attacks, attacks_file, KEY, "http://127.0.0.1:9");
  const char *wanted = getenv("EE_ATTACKS");
  bool all = wanted != NULL && strcmp(wanted, "all") == 0;
  size_t runs = 0;
  write_data();
  for (int round = 0; round < 3; round++) {
    int kind = round > 0;
    if (round == 2)
      write_asking_rules();
    else
      write_rules(kind == 0 ? "embeddings" : "chat", "key_env = 'MY_KEY'");
    for (size_t i = 0; i < attacks.count; i++) {
      const test_attack *attack = &attacks.items[i];
      bool turn = round == 2 || attack->why[1 - kind] == NULL || kind == (int)(i % 2);
      if (attack->why[kind] == NULL || (!all && !turn)) continue;
      if (!all && attack->waits && i > 1) continue; /* each takes its time, and writes what the first does */
      for (size_t c = 0; c < COMMANDS; c++) {
        if (!all && c != i % COMMANDS) continue;
        run(attack, &endpoint, test_http_url(server), commands[c]);
        runs++;
      }
    }
  }
  printf("%zu runs under %zu attacks\n", runs, attacks.count);
  test_attacks_free(&attacks);
  test_http_stop(server);
  remove_files();
}

/* A run of the bench, its journal and what resumes it. */
static void test_bench(void **state) {
  (void)state;
  test_openai endpoint = {0};
  test_http_server *server = test_http_start(test_openai_answer, &endpoint);
  test_attacks attacks;
  test_attacks_read(&attacks, attacks_file, KEY, "http://127.0.0.1:9");
  ee_buffer text = {0};
  add_record(&text, 0, 4, 1, SIZE_MAX);
  save("d.jsonl", &text);
  ee_buffer_fini(&text);
  size_t runs = 0;
  for (size_t i = 0; i < attacks.count; i++) {
    if (attacks.items[i].why[1] == NULL || attacks.items[i].waits || strstr(attacks.items[i].name, "key") == NULL)
      continue;
    endpoint.attack = &attacks.items[i];
    int status = shell("OPENAI_BASE_URL=%s/v1 OPENAI_MODEL=m OPENAI_API_KEY='" KEY "' evalengine bench run --dataset "
                       "d.jsonl --provider openai -f json >out 2>err",
                       test_http_url(server));
    assert_in_range(status, 0, 5);
    endpoint.attack = NULL;
    assert_no_key(attacks.items[i].name);
    runs++;
  }
  assert_true(runs >= 5);
  test_attacks_free(&attacks);
  test_http_stop(server);
  remove_files();
}

/* A server that sends the key as a usable answer: what a function makes of it, and what is kept, does not have it. */
static void test_answers(void **state) {
  (void)state;
  test_openai endpoint = {0};
  test_http_server *server = test_http_start(test_openai_answer, &endpoint);
  write_data();
  test_failures_add(&endpoint.failures,
                    (test_failure){0, SIZE_MAX, 200, "X-Key: " KEY "\r\n",
                                   "{\"choices\":[{\"message\":{\"content\":\"{\\\"similarity\\\": 0.5, \\\"why\\\": "
                                   "\\\"" KEY "\\\"}\"}}]}",
                                   TEST_HTTP_ANSWER, 0, 0});
  write_rules("chat", "key = ee.param('key')");
  int status =
      shell("evalengine rules.lua d.jsonl --set url=%s --set key='" KEY "' -f html -o r.html --results rows.jsonl "
            "--detail full >out 2>err",
            test_http_url(server));
  assert_int_equal(status, 0);
  assert_int_equal(shell("evalengine rules.lua d.jsonl --set url=%s --set key='" KEY "' --part 1/1 --state s.json "
                         "--results rows2.jsonl >out 2>err",
                         test_http_url(server)),
                   0);
  assert_no_key("a usable answer");
  test_http_stop(server);
  remove_files();
}

/* Whatever is wrong around a key in the rule file, no message repeats it. */
static void test_rule_files(void **state) {
  (void)state;
  static const char *const tables[] = {
      "key = '" KEY "', modle = 'm'",
      "key = '" KEY "\\n'",
      "key = '" KEY " '",
      "key = '" KEY "', url = 'http://u:" KEY "@h/v1'",
      "key = '" KEY "', url = 'http://h/v1?key=" KEY "'",
      "key = '" KEY "', url = '" KEY "'",
      "key_env = '" KEY "'",
      "key = { '" KEY "' }",
      "key = '" KEY "', '" KEY "'",
      "key = '" KEY,
      "key '" KEY "'",
      "key = '" KEY "' '" KEY "'",
      "key = \"" KEY,
      "key = [[" KEY,
      "key = '" KEY "', model = 'm\xff'",
      "key = '" KEY "', model = ''",
      "key = '" KEY "', retries = -1",
      "key = '" KEY "', timeout = '" KEY "'",
      "key = '" KEY "', total_timeout = {}",
  };
  write_data();
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    ee_buffer text = {0};
    ee_buffer_addf(&text, "return ee.rules { provider = { 'openai', %s }, ee.fields { ee.semantic 'text' } }\n",
                   tables[i]);
    save("rules.lua", &text);
    ee_buffer_fini(&text);
    assert_int_equal(shell("evalengine rules.lua d.jsonl -v >out 2>err"), 3);
    assert_no_key(tables[i]);
    assert_int_equal(shell("evalengine check rules.lua d.jsonl -v >out 2>err"), 3);
    assert_no_key(tables[i]);
  }
  assert_int_equal(shell("evalengine rules.lua d.jsonl --set key=" KEY " --set key=x" KEY " >out 2>err"), 2);
  assert_no_key("--set twice");
  remove_files();
}

/* The process ---------------------------------------------------------------------------------- */

static test_attack hang_attack;

/* Starts a run whose server does not answer, and waits until its request has come. */
static pid_t start_hanging(test_http_server *server, const char *folder) {
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    struct rlimit core = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_CORE, &core);
    char url[128];
    snprintf(url, sizeof url, "url=%s", test_http_url(server));
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(null, 1);
    dup2(null, 2);
    setenv("MY_KEY", KEY, 1);
    if (chdir(folder) != 0) _exit(99);
    execlp("evalengine", "evalengine", "rules.lua", "d.jsonl", "--set", url, "--set", "timeout=600", (char *)NULL);
    _exit(99);
  }
  while (test_http_count(server) == 0 && waitpid(pid, NULL, WNOHANG) == 0) usleep(1000);
  return pid;
}

/* Whether a process that is killed by a signal leaves a core dump on this machine. */
static bool dumps_cores(void) {
  pid_t pid = fork();
  if (pid == 0) {
    struct rlimit core = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_CORE, &core);
    signal(SIGABRT, SIG_DFL);
    execlp("sh", "sh", "-c", "kill -ABRT $$", (char *)NULL);
    _exit(99);
  }
  int how = 0;
  waitpid(pid, &how, 0);
  bool dumped = WIFSIGNALED(how) && WCOREDUMP(how);
  shell("rm -f core core.*");
  return dumped;
}

static void test_process(void **state) {
  (void)state;
  test_openai endpoint = {0};
  test_step step = {.kind = TEST_STEP_HANG};
  hang_attack = (test_attack){.name = "hang", .steps = {.items = &step, .count = 1}};
  endpoint.attack = &hang_attack;
  test_http_server *server = test_http_start(test_openai_answer, &endpoint);
  write_data();
  write_rules("chat", "key_env = 'MY_KEY', total_timeout = 6000");
  pid_t pid = start_hanging(server, command_folder);
  char name[64];
  static const char *const files[] = {"cmdline", "comm", "stat", "status"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf(name, sizeof name, "/proc/%d/%s", (int)pid, files[i]);
    if (access(name, R_OK) != 0) continue;
    ee_buffer text = load(name);
    assert_null(memmem(text.data, text.length, MARK, strlen(MARK)));
    ee_buffer_fini(&text);
  }
  kill(pid, SIGABRT);
  int how;
  assert_int_equal(waitpid(pid, &how, 0), pid);
  assert_true(WIFSIGNALED(how));
  bool dumped = WCOREDUMP(how);
  test_http_stop(server);
  bool dumps = dumps_cores();
  shell("rm -f core core.*");
  remove_files();
  assert_false(dumped);
  if (!dumps) {
    printf("no core dumps on this machine: not tested\n");
    skip();
  }
}

EE_TEST_FILE(set_up, tear_down_folder, cmocka_unit_test(test_under_attack), cmocka_unit_test(test_bench),
             cmocka_unit_test(test_answers), cmocka_unit_test(test_rule_files), cmocka_unit_test(test_process));
