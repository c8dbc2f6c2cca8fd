/* test_model_runs.c: whole runs of ee.llm and ee.ask against a server: the same bytes with any number of workers, in
 * parts, with a budget, and again from the cache without requests; the key is in nothing that is written. */
#include "cli/command_folder.h"

#include <stdbool.h>

#include "support/judging_model.h"

#define KEY "sk-Geheim+/=0123456789"
#define MARK "Geheim"

static int set_up(void **state) {
  static const char *const names[] = {"http_proxy",  "https_proxy",      "all_proxy",    "ALL_PROXY",
                                      "HTTPS_PROXY", "OPENAI_BASE_URL",  "OPENAI_MODEL", "OPENAI_API_KEY",
                                      "no_proxy",    "EVALENGINE_CACHE", "NO_PROXY"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) unsetenv(names[i]);
  return set_up_folder(state);
}

static void write_rules(const char *cache) {
  ee_buffer text = {0};
  ee_buffer_addf(
      &text,
      "return ee.rules {\n"
      "  provider = { 'openai', model = 'm', url = ee.param('url'), key_env = 'MY_KEY', retries = 0,\n"
      "    in_flight = 4, cache = %s, prices = { input = 100, output = 500 } },\n"
      "  ee.llm { 'good', prompt = 'Good? {{candidate.text}} {{record.note}}', scale = { 1, 2, 3, 4, 5 },\n"
      "    samples = 3, seed = 1, human = 'grade' },\n"
      "  ee.judge { 'asked', asks = true, needs_expected = false, function(case)\n"
      "    local schema = { type = 'object', properties = { score = { type = 'integer' } } }\n"
      "    local first = ee.ask('First ' .. ee.fence('text', case.candidate.text), { schema = schema }).score\n"
      "    if first > 3 then return 1 end\n"
      "    local second = ee.ask('Second ' .. ee.fence('text', case.candidate.text), { schema = schema })\n"
      "    return { score = (first + second.score) / 14, reasoning = second.reason }\n"
      "  end },\n"
      "}\n",
      cache);
  save("rules.lua", &text);
  ee_buffer_fini(&text);
}

/* So many bytes that they are several blocks, which workers share. */
enum { RECORDS = 150, PADDING = 6000 };

static void write_data(void) {
  ee_buffer text = {0};
  for (int i = 0; i < RECORDS; i++) {
    ee_buffer_addf(&text, "{\"id\":\"c%d\",\"grade\":%d,\"note\":\"n%d\",\"pad\":\"", i, i % 7, i % 9);
    memset(ee_buffer_reserve(&text, PADDING), 'x', PADDING);
    text.length += PADDING;
    ee_buffer_add_text(&text, "\"");
    if (i % 40 != 39) ee_buffer_addf(&text, ",\"candidate\":{\"text\":\"answer %d\"}", i % 120);
    ee_buffer_add_text(&text, "}\n");
  }
  save("d.jsonl", &text);
  ee_buffer_fini(&text);
}

static void assert_no_key(void) {
  DIR *directory = opendir(".");
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    ee_buffer text = load(entry->d_name);
    if (memmem(text.data, text.length, MARK, strlen(MARK)) != NULL) fail_msg("the key is in '%s'", entry->d_name);
    ee_buffer_fini(&text);
  }
  closedir(directory);
}

/* One run: NAME.json, NAME.rows and NAME.err. */
static void run(const test_http_server *server, const char *name, const char *arguments) {
  int status = shell("MY_KEY='" KEY "' evalengine rules.lua d.jsonl --set url=%s -f json -o %s.json --results %s.rows "
                     "--detail full %s 2>%s.err",
                     test_http_url(server), name, name, arguments, name);
  if (status != 4) {
    ee_buffer text = load("first.err");
    fail_msg("%s: status %d: %s", arguments, status, text.data);
  }
}

static void assert_same_run(const char *name, const char *other) {
  static const char *const ends[] = {"json", "rows", "err"};
  char a[32], b[32];
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    snprintf(a, sizeof a, "%s.%s", name, ends[i]);
    snprintf(b, sizeof b, "%s.%s", other, ends[i]);
    assert_same_file(a, b);
  }
}

static void test_workers(void **state) {
  (void)state;
  judging_model model = {0};
  test_http_server *server = test_http_start(judging_model_answer, &model);
  write_rules("false");
  write_data();
  run(server, "first", "--jobs 1");
  /* All that a model may do has happened. */
  assert_true(model.given > 100 && model.cut > 5 && model.refused > 5 && model.without > 5 && model.off_scale > 5);
  run(server, "second", "--jobs 2");
  assert_same_run("first", "second");
  run(server, "third", "--jobs 7");
  assert_same_run("first", "third");
  ee_buffer rows = load("first.rows");
  assert_non_null(strstr(rows.data, "***")); /* the model has said the key */
  ee_buffer_fini(&rows);
  assert_no_key();
  test_http_stop(server);
  remove_files();
}

/* What is left when the budget is used up is the same, too. */
static void test_budget(void **state) {
  (void)state;
  judging_model model = {0};
  test_http_server *server = test_http_start(judging_model_answer, &model);
  write_rules("false");
  write_data();
  /* A chat costs 0.002: more than the first block, less than all. */
  run(server, "first", "--jobs 1 --max-cost 0.5");
  size_t sent = test_http_count(server);
  assert_in_range(sent, 250, 254); /* a group of at most four more */
  run(server, "second", "--jobs 2 --max-cost 0.5");
  assert_int_equal(test_http_count(server), 2 * sent);
  assert_same_run("first", "second");
  run(server, "third", "--jobs 7 --max-cost 0.5");
  assert_int_equal(test_http_count(server), 3 * sent);
  assert_same_run("first", "third");
  ee_buffer text = load("first.rows");
  assert_non_null(strstr(text.data, "no answer: budget used up: cost 0.5"));
  ee_buffer_fini(&text);
  assert_no_key();
  test_http_stop(server);
  remove_files();
}

static void test_parts(void **state) {
  (void)state;
  judging_model model = {0};
  test_http_server *server = test_http_start(judging_model_answer, &model);
  write_rules("false");
  write_data();
  run(server, "first", "--jobs 2");
  for (int i = 1; i <= 3; i++)
    assert_int_equal(shell("MY_KEY='" KEY "' evalengine rules.lua d.jsonl --set url=%s --shard %d/3 --state %d.state "
                           "--results %d.part --detail full 2>>parts.err",
                           test_http_url(server), i, i, i),
                     0); /* the state has what went wrong */
  assert_int_equal(
      shell("evalengine merge rules.lua 2.state 3.state 1.state --set url=%s -f json -o merged.json 2>merge.err",
            test_http_url(server)),
      4);
  assert_same_file("first.json", "merged.json");
  assert_int_equal(shell("cat 1.part 2.part 3.part >merged.rows"), 0);
  assert_same_file("first.rows", "merged.rows");
  assert_no_key();
  test_http_stop(server);
  remove_files();
}

/* Without `word`, where it is there. */
static void without(const char *file, const char *word) {
  ee_buffer text = load(file);
  for (char *at; (at = memmem(text.data, text.length, word, strlen(word))) != NULL;) {
    size_t rest = text.length - (size_t)(at - text.data) - strlen(word);
    memmove(at, at + strlen(word), rest);
    text.length -= strlen(word);
  }
  save(file, &text);
  ee_buffer_fini(&text);
}

/* From the cache: rows, report and messages are those of the run that filled it, but for the signature's word; also
 * what the model declined. Nothing is sent, and a run with requests asks again only for that. */
static void test_offline(void **state) {
  (void)state;
  judging_model model = {0};
  test_http_server *server = test_http_start(judging_model_answer, &model);
  write_rules("'answers.sqlite'");
  write_data();
  run(server, "first", "--jobs 2 -q");
  size_t sent = test_http_count(server), declined = model.cut + model.refused;
  assert_true(model.cut > 5 && model.refused > 5 && model.without > 5 && model.off_scale > 5);
  static const char *const jobs[] = {"1", "7"};
  for (size_t i = 0; i < 2; i++) {
    char arguments[64];
    snprintf(arguments, sizeof arguments, "--offline -q --jobs %s", jobs[i]);
    run(server, "second", arguments);
    without("second.json", "|offline:yes");
    assert_same_run("first", "second");
  }
  assert_int_equal(test_http_count(server), sent);
  run(server, "third", "-q");
  assert_same_run("first", "third");
  assert_int_equal(test_http_count(server), sent + declined);
  assert_no_key();
  test_http_stop(server);
  remove_files();
}

EE_TEST_FILE(set_up, tear_down_folder, cmocka_unit_test(test_workers), cmocka_unit_test(test_budget),
             cmocka_unit_test(test_parts), cmocka_unit_test(test_offline));
