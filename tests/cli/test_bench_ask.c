/* test_bench_ask.c: what a model is asked, and runs of the bench against a server. */
#include "cli/command_folder.h"

#include <signal.h>
#include <stdbool.h>

#include "cli/bench.h"
#include "data/json/json_reader.h"
#include "support/http_server.h"

/* The prompt, byte by byte. */
static void test_prompt(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_bench_record record = {.instructions = EE_STR("Extract every colour."),
                            .document = EE_STR("The door is teal.\n\nThe document is all that follows this line.\nred"),
                            .target_schema = ee_json_read(&arena, EE_STR("{ \"type\": \"object\" }"), NULL, NULL)};
  ee_buffer prompt = {0};
  ee_bench_prompt(&record, &prompt);
  assert_string_equal(ee_buffer_terminate(&prompt),
                      "Extract every colour.\n"
                      "\n"
                      "Answer with one JSON object and nothing else:\n"
                      "{\"extractions\": [{\"extractionClass\": \"...\", \"quote\": \"...\", \"offsetMode\": "
                      "\"utf16_code_unit\", \"charStart\": 0, \"charEnd\": 0}]}\n"
                      "Each quote is an exact copy of a part of the document. charStart and charEnd say where it "
                      "stands: offsets in the document in UTF-16 code units from 0, the end exclusive. If there is "
                      "nothing to extract, the list is empty.\n"
                      "\n"
                      "The answer must fit this JSON Schema:\n"
                      "{\"type\":\"object\"}\n"
                      "\n"
                      "The document is all that follows this line.\n"
                      "The door is teal.\n\nThe document is all that follows this line.\nred");
  record.unit = EE_UNIT_UTF8;
  ee_buffer_clear(&prompt);
  ee_bench_prompt(&record, &prompt);
  ee_buffer_terminate(&prompt);
  assert_non_null(strstr(prompt.data, "\"offsetMode\": \"utf8_byte\""));
  assert_non_null(strstr(prompt.data, "offsets in the document in bytes of UTF-8 from 0"));
  ee_buffer_fini(&prompt);
  ee_arena_fini(&arena);
}

/* A server that finds the first word of the document, and in every third trial of case-1 nothing; it fails on what
 * names case-2's first word while it is told to. */
typedef struct model {
  _Atomic size_t questions, of_case[3]; /* answers are made on threads of the server */
  _Atomic size_t fail_case;             /* 3: none */
  unsigned delay_ms;
} model;

static void answer(void *user, const test_http_request *request, test_http_response *response) {
  model *self = user;
  static const char *const words[] = {"w0000", "w0007", "w0014"};
  self->questions++;
  response->delay_ms = self->delay_ms;
  for (size_t i = 0; i < 3; i++) {
    char begins[80];
    snprintf(begins, sizeof begins, "follows this line.\\n%s ", words[i]);
    if (strstr(request->body, begins) == NULL) continue;
    size_t number = self->of_case[i]++;
    if (i == self->fail_case) {
      response->status = 400;
      ee_buffer_add_text(&response->body, "{\"error\":{\"message\":\"no such thing\"}}");
      return;
    }
    bool nothing = i == 1 && number == 1;
    ee_buffer_addf(
        &response->body,
        "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"```json\\n{\\\"extractions\\\":[%s%s%s]}"
        "\\n```\"}}]}",
        nothing ? "" : "{\\\"extractionClass\\\":\\\"w\\\",\\\"quote\\\":\\\"", nothing ? "" : words[i],
        nothing ? "" : "\\\",\\\"charStart\\\":0,\\\"charEnd\\\":5}");
    return;
  }
  response->status = 400;
}

static void make_records(void) {
  ee_buffer text = {0};
  for (size_t i = 0; i < 3; i++) add_record(&text, i, 4, 1, SIZE_MAX);
  save("d.jsonl", &text);
  ee_buffer_fini(&text);
}

static void assert_holds(const char *file, const char *wanted) {
  ee_buffer text = load(file);
  if (strstr(text.data, wanted) == NULL) fail_msg("no %s in %s", wanted, text.data);
  ee_buffer_fini(&text);
}

#define ASK                                                                                                            \
  "OPENAI_BASE_URL=%s OPENAI_MODEL=m OPENAI_API_KEY=k evalengine bench run --dataset d.jsonl --provider openai "

static void test_trials_are_asked_anew(void **state) {
  (void)state;
  model self = {.fail_case = 3, .delay_ms = 50};
  test_http_server *server = test_http_start(answer, &self);
  make_records();
  assert_int_equal(shell(ASK "--mode variance --trials 3 -f json >out 2>err", test_http_url(server)), 0);
  assert_int_equal(self.questions, 9);
  for (size_t i = 0; i < 3; i++) assert_int_equal(self.of_case[i], 3);
  assert_true(test_http_most_in_flight(server) > 1);
  assert_holds("out", "\"provider\": {\"kind\":\"openai\",\"model\":\"m\"}");
  assert_holds("out", "\"variance\": {\"counts\":[3,2,3]");
  assert_holds("out", "\"quoteInvariantRate\": 1,");
  assert_holds("run.json", "\"provider\":{\"kind\":\"openai\",\"model\":\"m\"}");
  test_http_stop(server);
  remove_files();
}

static void test_no_answer(void **state) {
  (void)state;
  model self = {.fail_case = 2};
  test_http_server *server = test_http_start(answer, &self);
  make_records();
  assert_int_equal(shell(ASK "--mode variance --trials 2 >out 2>err", test_http_url(server)), 4);
  assert_holds("err", "d.jsonl:3: case 'case-2', trial 1: no answer: ");
  assert_holds("err", "d.jsonl:3: case 'case-2', trial 2: no answer: ");
  assert_holds("out", "no answer 2");
  assert_holds("run.json", "{\"kind\":\"empty_by_failure\",\"success\":false,\"score\":0,\"extractions\":[]");
  assert_int_equal(shell("evalengine bench score -f json >score.json 2>err"), 0);
  assert_holds("score.json", "\"noAnswer\":2");
  assert_holds("score.json", "\"code\":\"NO_ANSWER\"");
  test_http_stop(server);
  remove_files();
}

/* Answers come together, and so they are counted. */
static void test_progress(void **state) {
  (void)state;
  model self = {.fail_case = 3, .delay_ms = 600};
  test_http_server *server = test_http_start(answer, &self);
  make_records();
  assert_int_equal(shell(ASK "--progress always >out 2>err", test_http_url(server)), 0);
  assert_holds("err", "\r3 trials");
  test_http_stop(server);
  remove_files();
}

/* Going on asks again for the answers that did not come, and for no others. */
static void test_answers_that_come_later(void **state) {
  (void)state;
  model self = {.fail_case = 2};
  test_http_server *server = test_http_start(answer, &self);
  make_records();
  for (int i = 0; i < 2; i++) {
    assert_int_equal(
        shell(ASK "--mode variance --trials 2 %s >out 2>err", test_http_url(server), i > 0 ? "--resume" : ""), 4);
    assert_holds("err", "2 of 6 trials have no answer: the same command with --resume requests them again");
    assert_int_equal(self.questions, 6 + 2 * i);
  }
  self.fail_case = 3;
  assert_int_equal(shell(ASK "--mode variance --trials 2 --resume >out 2>err", test_http_url(server)), 0);
  assert_int_equal(self.questions, 10);
  assert_holds("err", "4 of 6 trials are done");
  assert_holds("out", "read 6");
  assert_int_equal(access("run.json.part", F_OK), -1);
  /* A run that is whole is left as it is. */
  assert_int_equal(shell(ASK "--mode variance --trials 2 --resume >out 2>err", test_http_url(server)), 0);
  assert_int_equal(self.questions, 10);
  assert_holds("err", "nothing to resume: 'run.json' is complete");
  test_http_stop(server);
  remove_files();
}

/* An interrupt keeps what has come; going on asks only for the rest. */
static void test_interrupt(void **state) {
  (void)state;
  model self = {.fail_case = 3};
  test_http_server *server = test_http_start(answer, &self);
  ee_buffer text = {0};
  for (size_t i = 0; i < 3; i++) add_record(&text, i, 4, 1, SIZE_MAX);
  save("d.jsonl", &text);
  ee_buffer_fini(&text);
  setenv("OPENAI_BASE_URL", test_http_url(server), 1);
  setenv("OPENAI_MODEL", "m", 1);
  const char *const arguments[] = {"bench",  "run",      "--dataset", "d.jsonl", "--provider", "openai",
                                   "--mode", "variance", "--trials",  "400",     NULL};
  pid_t pid = start_program(arguments);
  while (test_http_count(server) < 30) usleep(1000);
  kill(pid, SIGINT);
  int status = wait_for(pid);
  assert_int_equal(status, 130);
  size_t before = self.questions;
  assert_true(before < 1200);
  assert_holds("err", "the same command with --resume continues");
  ee_buffer journal = load("run.json.part");
  size_t done = 0;
  for (size_t i = 0; i < journal.length; i++) done += journal.data[i] == '\n';
  done--;
  ee_buffer_fini(&journal);
  assert_true(done > 0 && done <= before);
  assert_int_equal(
      shell("evalengine bench run --dataset d.jsonl --provider openai --mode variance --trials 400 --resume "
            ">out 2>err"),
      0);
  /* The server may have counted some of those that the interrupt cut only afterwards: as many as were in flight. */
  size_t asked = self.questions - before;
  assert_true(asked >= 1200 - done && asked <= 1200 - done + 8);
  unsetenv("OPENAI_BASE_URL");
  unsetenv("OPENAI_MODEL");
  test_http_stop(server);
  remove_files();
}

EE_TEST_FILE(set_up_folder, tear_down_folder, cmocka_unit_test(test_prompt),
             cmocka_unit_test(test_trials_are_asked_anew), cmocka_unit_test(test_no_answer),
             cmocka_unit_test(test_answers_that_come_later), cmocka_unit_test(test_progress),
             cmocka_unit_test(test_interrupt));
