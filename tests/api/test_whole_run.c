/* Whole data sets through the public header: the bytes of the program, callbacks, stops, mistakes. */
#include <cjson/cJSON.h>
#include <dirent.h>
#include <signal.h>
#include <stdarg.h>
#include <time.h>

#include "whole_fixture.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* The bytes of the program ---------------------------------------------------------------------- */

static const char *const formats[] = {"table", "markdown", "json", "csv", "html", "junit", "jsonl", "cases"};

static bool has_detail(const char *format) { return strcmp(format, "junit") != 0; }

static void check_formats(ee_result *result, const char *command) {
  for (size_t i = 0; i < COUNT(formats); i++) {
    bool rows = i == 4 || i == 6 || i == 7;
    text wanted = run_program(ee_result_status(result), "%s -f %s%s", command, formats[i],
                              rows && has_detail(formats[i]) ? " --detail full" : "");
    text found = report_of(result, formats[i], NULL, 0);
    assert_same(found, wanted);
    free_text(&found);
    free_text(&wanted);
  }
}

static void test_files_give_the_bytes_of_the_program(void **state) {
  (void)state;
  static const char *const files[][3] = {{"rules/invoice.lua", "samples/invoices.jsonl", "rules/invoice.lua"},
#ifdef EE_WITH_STEMMER
                                         {"rules/json_quality.lua", "samples/quality.jsonl", "rules/json_quality.lua"},
#endif
                                         {"invoice", "samples/invoices.jsonl", "invoice"}};
  for (size_t i = 0; i < COUNT(files); i++) {
    char command[256];
    snprintf(command, sizeof command, "%s %s", files[i][2], files[i][1]);
    ee_rules *rules = rules_at(files[i][0]);
    for (int jobs = 1; jobs <= 7; jobs += 3) {
      char number[8];
      snprintf(number, sizeof number, "%d", jobs);
      const char *arguments[] = {"--detail", "full", "--jobs", number};
      heard user = {0};
      ee_evaluate_options options = listening(&user);
      options.arguments = arguments;
      options.argument_count = 4;
      options.keep = EE_KEEP_ROWS;
      ee_result *result = evaluated(rules, files[i][1], &options);
      check_formats(result, command);
      size_t length;
      const char *rows = ee_result_rows(result, &length);
      assert_int_equal(strlen(rows), length);
      assert_same(user.rows, (text){(char *)(uintptr_t)rows, length});
      assert_int_equal(user.cases, ee_result_count(result, EE_COUNT_CASES));
      assert_string_equal(ee_result_rules(result, NULL), "");
      assert_string_equal(ee_result_state(result, NULL), "");
      ee_result_free(result);
      free_text(&user.rows);
    }
    ee_rules_free(rules);
  }
}

static double member(const cJSON *object, const char *name) {
  const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, name);
  assert_non_null(found);
  return found->valuedouble;
}

static void test_counts_are_those_of_the_report(void **state) {
  (void)state;
  ee_rules *rules = rules_at(INVOICE_RULES);
  ee_result *result = evaluated(rules, INVOICES, NULL);
  ee_rules_free(rules); /* the result needs them no more */
  text json = report_of(result, NULL, NULL, 0);
  cJSON *report = cJSON_Parse(json.data);
  const cJSON *verdicts = cJSON_GetObjectItemCaseSensitive(report, "verdicts");
  assert_true(ee_result_mean_score(result) == member(report, "mean_score"));
  assert_int_equal(ee_result_count(result, EE_COUNT_CASES), (uint64_t)member(report, "cases"));
  assert_int_equal(ee_result_count(result, EE_COUNT_PASSED), (uint64_t)member(verdicts, "pass"));
  assert_int_equal(ee_result_count(result, EE_COUNT_BORDERLINE), (uint64_t)member(verdicts, "borderline"));
  assert_int_equal(ee_result_count(result, EE_COUNT_FAILED), (uint64_t)member(verdicts, "fail"));
  assert_int_equal(ee_result_count(result, EE_COUNT_UNREADABLE), 0);
  assert_int_equal(ee_result_count(result, (ee_counter)99), 0);
  cJSON_Delete(report);
  free_text(&json);
  ee_result_free(result);
}

/* An input with the name of a file gives what the file gives, however its bytes come, packed or not. */
static void test_inputs_are_files(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 7, 4093, SIZE_MAX};
  text all = read_file(INVOICES), rules_text = read_file(INVOICE_RULES);
  text wanted = run_program(0, "%s %s -f json", INVOICE_RULES, INVOICES);
  ee_rules *rules = ee_rules_parse(INVOICE_RULES, rules_text.data, rules_text.length, NULL, NULL);
  assert_non_null(rules);
  free_text(&rules_text);
  for (size_t i = 0; i <= COUNT(sizes); i++) {
    pieces given = {.all = all, .size = i < COUNT(sizes) ? sizes[i] : 1, .thread = pthread_self()};
    ee_input input = {.name = INVOICES, .read = read_pieces, .user = &given};
    if (i == COUNT(sizes)) input = (ee_input){.name = INVOICES, .text = all.data, .length = all.length};
    ee_evaluate_options options = {.size = sizeof options, .inputs = &input, .input_count = 1};
    ee_result *result = evaluated(rules, INVOICES, &options);
    text found = report_of(result, NULL, NULL, 0);
    assert_same(found, wanted);
    free_text(&found);
    ee_result_free(result);
  }
  ee_rules_free(rules);
  free_text(&all);
  free_text(&wanted);
}

/* An input that is given piece by piece and needed more than once: decimal signs are voted on first, and rules that
 * follow from the data are made first. */
static void test_inputs_that_are_read_twice(void **state) {
  (void)state;
  text all = {malloc(200000), 0};
  for (int i = 0; i < 2000; i++)
    all.length +=
        (size_t)sprintf(all.data + all.length, "{\"id\":%d,\"expected\":{\"x\":\"%s\"},\"candidate\":{\"x\":%s}}\n", i,
                        i == 0 ? "1,234" : "12,5", i == 0 ? "1.234" : "12.5");
  assert_true(all.length > (size_t)64 << 10);
  ee_rules *votes = rules_of("return ee.rules { ee.fields { ee.numeric { 'x', decimal = 'auto' } } }");
  for (int with_rules = 0; with_rules < 2; with_rules++) {
    text reports[2];
    for (int read = 0; read < 2; read++) {
      pieces given = {.all = all, .size = 4093, .thread = pthread_self()};
      ee_input input = {.name = "data.jsonl", .text = all.data, .length = all.length};
      if (read) input = (ee_input){.name = "data.jsonl", .read = read_pieces, .user = &given};
      ee_evaluate_options options = {.size = sizeof options, .inputs = &input, .input_count = 1};
      ee_result *result = evaluated(with_rules ? votes : NULL, "data.jsonl", &options);
      assert_int_equal(ee_result_count(result, EE_COUNT_CASES), 2000);
      if (with_rules) assert_true(ee_result_mean_score(result) == 1);
      reports[read] = report_of(result, NULL, NULL, 0);
      ee_result_free(result);
    }
    assert_same(reports[1], reports[0]);
    free_text(&reports[0]);
    free_text(&reports[1]);
  }
  ee_rules_free(votes);
  free_text(&all);
}

/* Without rules, from files and from memory; the second and third time by the rules that the first one suggests. */
static void test_rules_that_follow_from_the_data(void **state) {
  (void)state;
  const char *files[] = {"samples/receipts/truth.jsonl", "samples/receipts/answers_a.jsonl"};
  text truth = read_file(files[0]), answers = read_file(files[1]);
  text wanted = run_program(0, "%s %s -f json", files[0], files[1]);
  pieces given[] = {{.all = truth, .size = 999, .thread = pthread_self()},
                    {.all = answers, .size = 1001, .thread = pthread_self()}};
  ee_input inputs[] = {{.name = files[0], .read = read_pieces, .user = &given[0]},
                       {.name = files[1], .read = read_pieces, .user = &given[1]}};
  for (int memory = 0; memory < 2; memory++) {
    ee_evaluate_options options = {.size = sizeof options, .inputs = inputs, .input_count = memory != 0 ? 2 : 0};
    ee_error error = {0};
    ee_result *result = ee_evaluate(NULL, files, 2, &options, &error);
    if (result == NULL) fail_msg("%s", error.message);
    text found = report_of(result, NULL, NULL, 0);
    assert_same(found, wanted);
    size_t length;
    const char *suggested = ee_result_rules(result, &length);
    assert_true(length > 100);
    ee_rules *rules = ee_rules_parse("suggested.lua", suggested, length, NULL, NULL);
    assert_non_null(rules);
    const char *arguments[] = {"--expected", files[0]};
    given[0].at = given[1].at = 0;
    options.arguments = arguments;
    options.argument_count = 2;
    ee_result *again = evaluated(rules, files[1], &options);
    assert_true(ee_result_mean_score(again) == ee_result_mean_score(result));
    assert_int_equal(ee_result_count(again, EE_COUNT_CASES), ee_result_count(result, EE_COUNT_CASES));
    ee_result_free(again);
    ee_rules_free(rules);
    given[0].at = given[1].at = 0;
    free_text(&found);
    ee_result_free(result);
  }
  free_text(&truth);
  free_text(&answers);
  free_text(&wanted);
}

static void test_what_a_report_shows(void **state) {
  (void)state;
  ee_rules *rules = rules_at(INVOICE_RULES);
  ee_evaluate_options options = {.size = sizeof options, .keep = EE_KEEP_ROWS};
  ee_result *result = evaluated(rules, INVOICES, &options);
  ee_result *bare = evaluated(rules, INVOICES, NULL);
  const char *shown[] = {"--kinds", "--reasons", "--worst", "3", "--sort", "name"};
  for (int markdown = 0; markdown < 2; markdown++) {
    const char *format = markdown != 0 ? "markdown" : "table";
    text wanted =
        run_program(0, "%s %s -f %s --kinds --reasons --worst 3 --sort name", INVOICE_RULES, INVOICES, format);
    text found = report_of(result, format, shown, COUNT(shown));
    assert_same(found, wanted);
    free_text(&found);
    free_text(&wanted);
  }
  const char *colors[] = {"--color", "always", "--section", "counts"};
  text wanted = run_program(0, "%s %s --color always --section counts", INVOICE_RULES, INVOICES);
  text found = report_of(result, "table", colors, COUNT(colors));
  assert_same(found, wanted);
  assert_non_null(strstr(found.data, "\033["));
  free_text(&found);
  free_text(&wanted);
  ee_error error = {0};
  const char *text_of = "unchanged";
  assert_int_equal(ee_result_report(bare, "html", NULL, 0, &text_of, NULL, &error), EE_ERROR_USAGE);
  assert_non_null(strstr(error.message, "EE_KEEP_ROWS"));
  assert_int_equal(ee_result_report(bare, "latex", NULL, 0, &text_of, NULL, &error), EE_ERROR_USAGE);
  const char *wrong[] = {"--limit", "3"}, *unknown[] = {"--section", "metrcs"};
  assert_int_equal(ee_result_report(bare, "table", unknown, 2, &text_of, NULL, &error), EE_ERROR_USAGE);
  assert_non_null(strstr(error.message, "metrcs"));
  const char *operand[] = {"report.html"};
  assert_int_equal(ee_result_report(bare, "table", operand, 1, &text_of, NULL, &error), EE_ERROR_USAGE);
  assert_string_equal(text_of, "unchanged");
  (void)wrong;
  ee_result_free(bare);
  ee_result_free(result);
  ee_rules_free(rules);
}

/* Statuses -------------------------------------------------------------------------------------- */

static void test_statuses_are_those_of_the_program(void **state) {
  (void)state;
  ee_rules *rules = rules_at(INVOICE_RULES);
  const char *gate[] = {"--fail-under", "mean_score=0.99"};
  ee_evaluate_options options = {.size = sizeof options, .arguments = gate, .argument_count = 2};
  ee_result *result = evaluated(rules, INVOICES, &options);
  assert_int_equal(ee_result_status(result), 1);
  text wanted = run_program(1, "%s %s --fail-under mean_score=0.99 -f table", INVOICE_RULES, INVOICES);
  text found = report_of(result, "table", NULL, 0);
  assert_same(found, wanted);
  free_text(&found);
  free_text(&wanted);
  ee_result_free(result);

  static const char broken[] = "{\"id\":1,\"truth\":{\"a\":1},\"candidate\":{\"a\":1}}\nnothing\n"
                               "{\"id\":1,\"truth\":{\"a\":1},\"candidate\":{\"a\":1}}\n";
  ee_input input = {.name = "broken.jsonl", .text = broken, .length = sizeof broken - 1};
  heard user = {0};
  ee_rules_free(rules);
  rules = rules_of("return ee.rules { case = { expected = 'truth' }, ee.fields { ee.exact 'a' } }");
  options = listening(&user);
  options.inputs = &input;
  options.input_count = 1;
  options.keep = EE_KEEP_ROWS;
  result = evaluated(rules, "broken.jsonl", &options);
  assert_int_equal(ee_result_status(result), 4);
  assert_int_equal(ee_result_count(result, EE_COUNT_UNREADABLE), 1);
  assert_int_equal(ee_result_count(result, EE_COUNT_DUPLICATES), 1);
  assert_string_equal(user.first.file, "broken.jsonl");
  assert_int_equal(user.first.line, 2);
  found = report_of(result, "junit", NULL, 0);
  assert_non_null(strstr(found.data, "broken.jsonl:2"));
  free_text(&found);
  free_text(&user.rows);
  ee_result_free(result);
  ee_rules_free(rules);
}

/* A call that must fail. */
static void check_failure(const ee_rules *rules, const char *file, const ee_evaluate_options *options, ee_status status,
                          const char *message) {
  heard user = {.thread = pthread_self()};
  ee_evaluate_options own = *options;
  own.on_message = on_message;
  own.user = &user;
  ee_error error = {0};
  ee_result *result = ee_evaluate(rules, &file, 1, &own, &error);
  assert_null(result);
  if (error.status != status || strstr(error.message, message) == NULL)
    fail_msg("status %d: %s, not %d: %s", (int)error.status, error.message, (int)status, message);
  assert_true(user.messages > 0);
  assert_string_equal(user.first.message, error.message);
  assert_null(ee_evaluate(rules, &file, 1, options, NULL));
}

static ptrdiff_t read_nothing(void *user, char *out, size_t room) {
  (void)user, (void)out, (void)room;
  return -1;
}

/* More than there was room for. */
static ptrdiff_t read_too_much(void *user, char *out, size_t room) {
  (void)user, (void)out;
  return (ptrdiff_t)room + 1;
}

static void test_inputs_without_names(void **state) {
  (void)state;
  ee_rules *rules = rules_at(INVOICE_RULES);
  ee_input inputs[] = {{.name = NULL, .text = "", .length = 0}, {.name = "b", .text = "", .length = 0}};
  ee_evaluate_options options = {.size = sizeof options, .inputs = inputs, .input_count = 2};
  check_failure(rules, "b", &options, EE_ERROR_USAGE, "needs a name");
  inputs[0].name = "";
  check_failure(rules, "b", &options, EE_ERROR_USAGE, "needs a name");
  inputs[0] = (ee_input){.name = "b", .read = read_too_much};
  options.input_count = 1;
  check_failure(rules, "b", &options, EE_ERROR_SYSTEM, "cannot read 'b'");
  /* The first of several states. */
  ee_input states[] = {{.name = "-"}, {.name = "b", .text = "", .length = 0}};
  ee_error error = {0};
  assert_null(ee_merge(rules, states, 2, NULL, &error));
  assert_int_equal(error.status, EE_ERROR_USAGE);
  assert_non_null(strstr(error.message, "needs a name"));
  ee_rules_free(rules);
  ee_result_free(NULL);
}

/* Other arguments for the format of the first report; what cannot be reported leaves the result as it is. */
static void test_reports_with_arguments(void **state) {
  (void)state;
  ee_rules *rules = rules_at(INVOICE_RULES);
  ee_evaluate_options options = {.size = sizeof options, .keep = EE_KEEP_ROWS};
  ee_result *result = evaluated(rules, INVOICES, &options);
  const char *worst[] = {"--worst", "3"};
  text wanted = run_program(0, "%s %s -f json --worst 3", INVOICE_RULES, INVOICES);
  text found = report_of(result, NULL, worst, 2), first = report_of(result, NULL, NULL, 0);
  assert_same(found, wanted);
  assert_true(first.length != found.length);
  const char *data;
  assert_int_equal(ee_result_report(result, "no-such-format", NULL, 0, &data, NULL, NULL), EE_ERROR_USAGE);
  free_text(&found);
  found = report_of(result, "json", NULL, 0);
  assert_same(found, first);
  free_text(&found);
  free_text(&first);
  free_text(&wanted);
  ee_result_free(result);
  ee_rules_free(rules);
}

static void test_mistakes(void **state) {
  (void)state;
  ee_rules *rules = rules_at(INVOICE_RULES);
  static const char *const refused[] = {"--output",   "--results", "--state",    "--resume",  "--save-rules",
                                        "--annotate", "--timings", "--progress", "--jail-cpu"};
  for (size_t i = 0; i < COUNT(refused); i++) {
    const char *arguments[] = {refused[i], strcmp(refused[i], "--annotate") == 0   ? "github"
                                           : strcmp(refused[i], "--progress") == 0 ? "always"
                                                                                   : "1"};
    bool is_flag = strcmp(refused[i], "--resume") == 0 || strcmp(refused[i], "--timings") == 0;
    ee_evaluate_options options = {.size = sizeof options, .arguments = arguments, .argument_count = is_flag ? 1 : 2};
    check_failure(rules, INVOICES, &options, EE_ERROR_USAGE, "does not apply to a call of the library");
  }
  const char *help[] = {"--help"}, *unknown[] = {"--limt", "3"}, *operand[] = {INVOICES};
  ee_evaluate_options options = {.size = sizeof options, .arguments = help, .argument_count = 1};
  check_failure(rules, INVOICES, &options, EE_ERROR_USAGE, "does not apply");
  options.arguments = unknown;
  options.argument_count = 2;
  check_failure(rules, INVOICES, &options, EE_ERROR_USAGE, "did you mean '--limit'");
  options.arguments = operand;
  options.argument_count = 1;
  check_failure(rules, INVOICES, &options, EE_ERROR_USAGE, "is not an option");
  options.argument_count = 0;
  check_failure(rules, "-", &options, EE_ERROR_USAGE, "standard input");
  check_failure(rules, "no-such-file.jsonl", &options, EE_ERROR_SYSTEM, "no-such-file.jsonl");
  ee_input input = {.name = "data.jsonl", .read = read_nothing};
  options.inputs = &input;
  options.input_count = 1;
  check_failure(rules, "data.jsonl", &options, EE_ERROR_SYSTEM, "cannot read 'data.jsonl'");
  check_failure(NULL, "data.jsonl", &options, EE_ERROR_SYSTEM, "cannot read 'data.jsonl'");
  input = (ee_input){.name = "data.jsonl"};
  check_failure(rules, "data.jsonl", &options, EE_ERROR_USAGE, "neither a text nor");
  input = (ee_input){.name = "-", .text = "", .length = 0};
  check_failure(rules, "data.jsonl", &options, EE_ERROR_USAGE, "needs a name");
  ee_rules_free(rules);

  static const char wrong[] = "return ee.rules { ee.fields { ee.fuzy 'name' } }";
  heard user = {.thread = pthread_self()};
  assert_null(ee_rules_parse("wrong.lua", wrong, sizeof wrong - 1, on_message, &user));
  assert_string_equal(user.first.file, "wrong.lua");
  assert_int_equal(user.first.line, 1);
}

/* Members that the caller's header does not have yet are 0. */
static void test_options_may_be_shorter(void **state) {
  (void)state;
  ee_rules *rules = rules_at(INVOICE_RULES);
  const char *arguments[] = {"--limit", "5"};
  ee_evaluate_options options = {.arguments = arguments, .argument_count = 2};
  options.size = offsetof(ee_evaluate_options, inputs);
  options.inputs = (const ee_input *)(uintptr_t)1;
  options.input_count = 7;
  options.interrupt = (const volatile int *)(uintptr_t)1;
  ee_result *result = evaluated(rules, INVOICES, &options);
  assert_int_equal(ee_result_count(result, EE_COUNT_CASES), 5);
  ee_result_free(result);
  ee_rules_free(rules);
}

/* Bounds are those of one call, also on its workers. */
static void test_bounds_of_a_call(void **state) {
  (void)state;
  ee_rules *rules = rules_at(INVOICE_RULES);
  const char *arguments[] = {"--max-record", "1000", "--jobs", "3"};
  ee_evaluate_options options = {.size = sizeof options, .arguments = arguments, .argument_count = 4};
  text wanted = run_program(1, "%s %s --max-record 1000 -f json", INVOICE_RULES, INVOICES);
  for (int i = 0; i < 2; i++) {
    ee_result *bounded = evaluated(rules, INVOICES, &options), *whole = evaluated(rules, INVOICES, NULL);
    text found = report_of(bounded, NULL, NULL, 0);
    assert_same(found, wanted);
    assert_true(ee_result_count(bounded, EE_COUNT_UNREADABLE) > 10);
    assert_int_equal(ee_result_count(whole, EE_COUNT_UNREADABLE), 0);
    free_text(&found);
    ee_result_free(bounded);
    ee_result_free(whole);
  }
  free_text(&wanted);
  ee_rules_free(rules);
}

/* Stopping -------------------------------------------------------------------------------------- */

static void test_a_callback_stops_the_run(void **state) {
  (void)state;
  ee_rules *rules = rules_at(INVOICE_RULES);
  heard user = {.stop_after = 7};
  ee_evaluate_options options = listening(&user);
  const char *arguments[] = {"--jobs", "2"};
  options.arguments = arguments;
  options.argument_count = 2;
  ee_result *result = evaluated(rules, INVOICES, &options);
  assert_int_equal(user.cases, 7);
  assert_true(ee_result_count(result, EE_COUNT_CASES) >= 7);
  ee_result_free(result);
  free_text(&user.rows);
  ee_rules_free(rules);
}

/* A record at a time, for a few seconds. */
static ptrdiff_t read_slowly(void *user, char *out, size_t room) {
  size_t *given = user;
  if (++*given > 2000) return 0;
  nanosleep(&(struct timespec){0, 5000000}, NULL);
  return snprintf(out, room, "{\"id\":%zu,\"expected\":{\"a\":1},\"candidate\":{\"a\":1}}\n", *given);
}

static int stop_soon(void *user, const ee_progress_of_run *progress) {
  (void)progress;
  ++*(size_t *)user;
  return 1;
}

static void test_progress_stops_the_run(void **state) {
  (void)state;
  size_t given = 0, told = 0;
  ee_rules *rules = rules_of("return ee.rules { ee.fields { ee.exact 'a' } }");
  ee_input input = {.name = "data.jsonl", .read = read_slowly, .user = &given};
  ee_evaluate_options options = {
      .size = sizeof options, .inputs = &input, .input_count = 1, .on_progress = stop_soon, .user = &told};
  ee_result *result = evaluated(rules, "data.jsonl", &options);
  assert_int_equal(told, 1);
  assert_true(given < 2000);
  assert_int_equal(ee_result_status(result), 130);
  assert_true(ee_result_count(result, EE_COUNT_CASES) < 2000);
  ee_result_free(result);
  ee_rules_free(rules);
}

static const char endless[] = "return ee.rules { ee.fields { ee.custom { 'a', function() while true do end end } } }";
static const char one_case[] = "{\"id\":1,\"expected\":{\"a\":1},\"candidate\":{\"a\":1}}\n";

static volatile int flag;

static void *set_flag(void *user) {
  (void)user;
  nanosleep(&(struct timespec){0, 100000000}, NULL);
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  return NULL;
}

static void test_an_endless_loop_ends(void **state) {
  (void)state;
  ee_rules *rules = rules_of(endless);
  ee_input input = {.name = "data.jsonl", .text = one_case, .length = sizeof one_case - 1};
  ee_evaluate_options options = {.size = sizeof options, .inputs = &input, .input_count = 1};
  ee_result *result = evaluated(rules, "data.jsonl", &options);
  assert_int_equal(ee_result_status(result), 4);
  assert_int_equal(ee_result_count(result, EE_COUNT_RULE_ERRORS) + ee_result_count(result, EE_COUNT_CASES), 2);
  ee_result_free(result);

  /* Without a limit another thread ends it. */
  const char *arguments[] = {"--lua-budget", "0"};
  flag = 0;
  options.arguments = arguments;
  options.argument_count = 2;
  options.interrupt = &flag;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, set_flag, NULL), 0);
  result = evaluated(rules, "data.jsonl", &options);
  assert_int_equal(ee_result_status(result), 130);
  assert_int_equal(ee_result_count(result, EE_COUNT_CASES), 0);
  pthread_join(thread, NULL);
  ee_result_free(result);
  ee_rules_free(rules);
}

/* Parts ----------------------------------------------------------------------------------------- */

static void test_parts_merge_to_the_whole(void **state) {
  (void)state;
  ee_rules *rules = rules_at(INVOICE_RULES);
  text all = read_file(INVOICES);
  enum { PARTS = 3 };
  ee_input states[PARTS] = {{0}}, rows[PARTS] = {{0}};
  ee_result *parts[PARTS];
  for (int i = 0; i < PARTS; i++) {
    char number[8];
    snprintf(number, sizeof number, "%d/%d", i + 1, PARTS);
    const char *arguments[] = {"--shard", number, "--detail", "full"};
    ee_evaluate_options options = {.size = sizeof options, .arguments = arguments, .argument_count = 4};
    options.keep = EE_KEEP_STATE | EE_KEEP_ROWS;
    parts[i] = evaluated(rules, INVOICES, &options);
    states[i].text = ee_result_state(parts[i], &states[i].length);
    states[i].name = i == 0 ? "1.state" : i == 1 ? "2.state" : "3.state";
    rows[i].text = ee_result_rows(parts[i], &rows[i].length);
    rows[i].name = i == 0 ? "1.jsonl" : i == 1 ? "2.jsonl" : "3.jsonl";
    assert_true(states[i].length > 0);
    assert_int_equal(strlen(states[i].text), states[i].length);
    assert_int_equal(strlen(rows[i].text), rows[i].length);
  }
  const char *arguments[] = {"--rows", "1.jsonl", "--rows", "2.jsonl", "--rows", "3.jsonl"};
  ee_evaluate_options options = {
      .size = sizeof options, .arguments = arguments, .argument_count = 6, .inputs = rows, .input_count = PARTS};
  ee_error error = {0};
  ee_result *whole = ee_merge(rules, states, PARTS, &options, &error);
  if (whole == NULL) fail_msg("%s", error.message);
  for (int i = 0; i < PARTS; i++) ee_result_free(parts[i]);
  ee_rules_free(rules);
  assert_int_equal(ee_result_status(whole), 0);
  assert_int_equal(ee_result_count(whole, EE_COUNT_CASES), 68);
  check_formats(whole, INVOICE_RULES " " INVOICES);
  ee_result_free(whole);
  free_text(&all);
}

static void test_parts_of_other_rules_do_not_merge(void **state) {
  (void)state;
  ee_rules *rules = rules_at(INVOICE_RULES), *others = rules_of(endless);
  ee_evaluate_options options = {.size = sizeof options, .keep = EE_KEEP_STATE};
  ee_result *part = evaluated(rules, INVOICES, &options);
  ee_input one = {.name = "state"};
  one.text = ee_result_state(part, &one.length);
  ee_error error = {0};
  const char *report;
  assert_int_equal(ee_result_report(part, "table", NULL, 0, &report, NULL, &error), EE_ERROR_USAGE);
  assert_string_equal(error.message, "a part has no report: merge its state with those of the other parts");
  assert_null(ee_merge(others, &one, 1, NULL, &error));
  assert_int_equal(error.status, EE_ERROR_RULES);
  ee_input broken = {.name = "state", .text = "{}", .length = 2};
  assert_null(ee_merge(rules, &broken, 1, NULL, &error));
  ee_input reader = {.name = "state", .read = read_nothing};
  assert_null(ee_merge(rules, &reader, 1, NULL, &error));
  assert_int_equal(error.status, EE_ERROR_USAGE);
  ee_result_free(part);
  ee_rules_free(rules);
  ee_rules_free(others);
}

/* Comparing ------------------------------------------------------------------------------------- */

static void test_comparing(void **state) {
  (void)state;
  const char *names[] = {"a.jsonl", "b.jsonl"};
  char folder[] = P_tmpdir "/ee-compare-XXXXXX", command[512];
  assert_non_null(mkdtemp(folder));
  ee_rules *rules = rules_at("rules/receipts.lua");
  const char *expected[] = {"--expected", "samples/receipts/truth.jsonl"};
  ee_evaluate_options options = {
      .size = sizeof options, .keep = EE_KEEP_ROWS, .arguments = expected, .argument_count = 2};
  ee_result *runs[2];
  ee_input inputs[2] = {{0}};
  for (int i = 0; i < 2; i++) {
    runs[i] =
        evaluated(rules, i == 0 ? "samples/receipts/answers_a.jsonl" : "samples/receipts/answers_b.jsonl", &options);
    inputs[i].name = names[i];
    inputs[i].text = ee_result_rows(runs[i], &inputs[i].length);
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(inputs[i].text, 1, inputs[i].length, file);
    fclose(file);
  }
  ee_error error = {0};
  const char *arguments[] = {"--fail-on", "any"};
  options = (ee_evaluate_options){.size = sizeof options, .arguments = arguments, .argument_count = 2};
  for (int back = 0; back < 2; back++) {
    const ee_input order[] = {inputs[back], inputs[1 - back]};
    ee_result *compared = ee_compare(order, 2, &options, &error);
    if (compared == NULL) fail_msg("%s", error.message);
    assert_int_equal(ee_result_status(compared), 1);
    assert_true(isnan(ee_result_mean_score(compared)));
    static const char *const shown[] = {"table", "markdown", "json", "csv", "html", "junit"};
    for (size_t i = 0; i < COUNT(shown); i++) {
      text found = report_of(compared, shown[i], NULL, 0);
      snprintf(command, sizeof command, "compare %s %s --fail-on any -f %s", names[back], names[1 - back], shown[i]);
      char cwd[4096];
      assert_non_null(getcwd(cwd, sizeof cwd));
      assert_int_equal(chdir(folder), 0);
      text wanted = run_program(1, "%s", command);
      assert_int_equal(chdir(cwd), 0);
      assert_same(found, wanted);
      free_text(&found);
      free_text(&wanted);
    }
    ee_result_free(compared);
  }
  const ee_input missing[] = {inputs[0], {.name = "no-such-file.jsonl"}};
  assert_null(ee_compare(missing, 2, NULL, &error));
  assert_int_equal(error.status, EE_ERROR_SYSTEM);
  for (int i = 0; i < 2; i++) {
    ee_result_free(runs[i]);
    snprintf(command, sizeof command, "%s/%s", folder, names[i]);
    unlink(command);
  }
  rmdir(folder);
  ee_rules_free(rules);
}

/* Hosts ------------------------------------------------------------------------------------------ */

/* A callback that uses the library itself. */
static int nest(void *user, const char *row, size_t length) {
  (void)length;
  size_t *depth = user;
  assert_non_null(strstr(row, "\"id\""));
  if (++*depth > 2) return 0;
  ee_rules *rules = rules_at(INVOICE_RULES);
  ee_evaluate_options options = {.size = sizeof options, .on_case = nest, .user = user};
  ee_result *result = evaluated(rules, INVOICES, &options);
  assert_int_equal(ee_result_count(result, EE_COUNT_CASES), 68);
  ee_result_free(result);
  ee_rules_free(rules);
  return 0;
}

static void test_callbacks_may_call_the_library(void **state) {
  (void)state;
  size_t depth = 0;
  ee_rules *rules = rules_at(INVOICE_RULES);
  ee_evaluate_options options = {.size = sizeof options, .on_case = nest, .user = &depth};
  ee_result *result = evaluated(rules, INVOICES, &options);
  assert_int_equal(depth, 3 * 68);
  ee_result_free(result);
  ee_rules_free(rules);
}

typedef struct shared_work {
  const ee_rules *rules;
  text wanted;
} shared_work;

static void *evaluate_shared(void *user) {
  const shared_work *work = user;
  const char *arguments[] = {"--jobs", "2"}, *file = INVOICES;
  ee_evaluate_options options = {.size = sizeof options, .arguments = arguments, .argument_count = 2};
  ee_result *result = ee_evaluate(work->rules, &file, 1, &options, NULL);
  if (result == NULL) return (void *)1;
  const char *data;
  size_t length;
  bool good = ee_result_report(result, NULL, NULL, 0, &data, &length, NULL) == EE_OK && length == work->wanted.length &&
              memcmp(data, work->wanted.data, length) == 0;
  ee_result_free(result);
  return good ? NULL : (void *)1;
}

static void test_a_hundred_threads_at_once(void **state) {
  (void)state;
  enum { THREADS = 100 };
  ee_rules *rules = rules_at(INVOICE_RULES);
  shared_work work = {rules, run_program(0, "%s %s -f json", INVOICE_RULES, INVOICES)};
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, evaluate_shared, &work), 0);
  for (int i = 0; i < THREADS; i++) {
    void *failed = NULL;
    pthread_join(threads[i], &failed);
    assert_null(failed);
  }
  free_text(&work.wanted);
  ee_rules_free(rules);
}

static size_t open_descriptors(void) {
  size_t count = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (readdir(folder) != NULL) count++;
  closedir(folder);
  return count;
}

/* Signals, descriptors, the folder and the locale stay as they are. */
static void test_the_process_stays_as_it_is(void **state) {
  (void)state;
  struct sigaction before[NSIG], after;
  sigset_t blocked_before, blocked;
  for (int i = 1; i < NSIG; i++)
    if (sigaction(i, NULL, &before[i]) != 0) before[i].sa_handler = SIG_DFL;
  pthread_sigmask(SIG_SETMASK, NULL, &blocked_before);
  size_t descriptors = open_descriptors();
  ee_rules *rules = rules_at(INVOICE_RULES);
  ee_evaluate_options options = {.size = sizeof options, .keep = EE_KEEP_ROWS};
  ee_result *result = evaluated(rules, INVOICES, &options);
  for (size_t i = 0; i < COUNT(formats); i++) {
    text report = report_of(result, formats[i], NULL, 0);
    free_text(&report);
  }
  ee_result_free(result);
  ee_rules_free(rules);
  for (int i = 1; i < NSIG; i++)
    if (sigaction(i, NULL, &after) == 0) assert_true(after.sa_handler == before[i].sa_handler);
  pthread_sigmask(SIG_SETMASK, NULL, &blocked);
  for (int i = 1; i < NSIG; i++) assert_int_equal(sigismember(&blocked, i), sigismember(&blocked_before, i));
  assert_int_equal(open_descriptors(), descriptors);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_files_give_the_bytes_of_the_program),
             cmocka_unit_test(test_counts_are_those_of_the_report), cmocka_unit_test(test_inputs_are_files),
             cmocka_unit_test(test_inputs_that_are_read_twice), cmocka_unit_test(test_inputs_without_names),
             cmocka_unit_test(test_reports_with_arguments), cmocka_unit_test(test_progress_stops_the_run),
             cmocka_unit_test(test_rules_that_follow_from_the_data), cmocka_unit_test(test_what_a_report_shows),
             cmocka_unit_test(test_statuses_are_those_of_the_program), cmocka_unit_test(test_mistakes),
             cmocka_unit_test(test_options_may_be_shorter), cmocka_unit_test(test_bounds_of_a_call),
             cmocka_unit_test(test_a_callback_stops_the_run), cmocka_unit_test(test_an_endless_loop_ends),
             cmocka_unit_test(test_parts_merge_to_the_whole), cmocka_unit_test(test_parts_of_other_rules_do_not_merge),
             cmocka_unit_test(test_comparing), cmocka_unit_test(test_callbacks_may_call_the_library),
             cmocka_unit_test(test_a_hundred_threads_at_once), cmocka_unit_test(test_the_process_stays_as_it_is));
