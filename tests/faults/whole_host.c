/* whole_host.c: a program that runs whole data sets through the library, and is refused memory: each allocation once,
 * of whatever thread, by itself and with all that follow.
 *
 *   whole_host [--sample K] [--seed S] [--only N] FOLDER [SCENE...]
 *
 * FOLDER is that of the project. Whatever is refused, a call must fail with EE_ERROR_SYSTEM and "out of memory", or
 * give what it gives with enough memory; afterwards nothing may be held: no block, descriptor, thread, blocked signal,
 * locale.
 */
#include <evalengine.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "faults/refused_host.h"
#include "faults/refusing_memory.h"
#include "support/random.h"

static size_t refused; /* calls of this scene */

/* Scenes --------------------------------------------------------------------------------------- */

typedef struct text {
  char *data;
  size_t length;
} text;

static text copy_of(const char *data, size_t length) {
  text copy = {malloc(length + 1), length};
  memcpy(copy.data, data, length);
  copy.data[length] = '\0';
  return copy;
}

static text read_file(const char *name) {
  FILE *file = fopen(name, "rb");
  if (file == NULL) perror(name), exit(2);
  text all = {malloc(1 << 20), 0};
  all.length = fread(all.data, 1, 1 << 20, file);
  fclose(file);
  return all;
}

typedef struct scene {
  const char *name;
  const char *rules; /* Lua, of a host; NULL: the data's */
  const char *files[2];
  const char *arguments[6];
  const char *formats[4]; /* besides that of the run */
  bool reads;             /* inputs that are read, in place of files */
  bool merges, compares;
  const char *jobs;
} scene;

#define FIELDS                                                                                                         \
  "return ee.rules { slices = { 'language' },\n"                                                                       \
  "  ee.gate { metric = 'mean_score', min = 0.1 },\n"                                                                  \
  "  case = { expected = 'truth' },\n"                                                                                 \
  "  ee.fields { ee.fuzzy 'supplier_name', ee.exact 'currency', ee.numeric { 'total', tolerance = 0.01 } } }\n"
#define FUNCTIONS                                                                                                      \
  "local n = 0\n"                                                                                                      \
  "return ee.rules { case = { expected = 'truth' },\n"                                                                 \
  "  ee.fields { ee.custom { 'currency', function(a, b) n = n + 1; return a == b end } },\n"                           \
  "  ee.summary { 'longest', init = function() return { n = 0 } end,\n"                                                \
  "step = function(s) s.n = s.n + 1; return s end, finish = function(s) return s.n end } }\n"

static const scene scenes[] = {
    {.name = "fields",
     .rules = FIELDS,
     .files = {"{DATA}"},
     .formats = {"table", "html", "junit", "jsonl"},
     .arguments = {"--limit", "12"},
     .jobs = "1"},
    {.name = "workers",
     .rules = FIELDS,
     .files = {"{MANY}"},
     .formats = {"markdown", "csv"},
     .reads = true,
     .jobs = "3"},
    {.name = "functions", .rules = "{FUNCTIONS}", .files = {"{DATA}"}, .arguments = {"--limit", "8"}, .jobs = "2"},
    {.name = "inferred", .files = {"{TRUTH}", "{ANSWERS}"}, .reads = true, .formats = {"table"}, .jobs = "2"},
    {.name = "expected",
     .rules = "return ee.rules { case = { id = 'doc_id', expected_id = 'key' }, ee.fields { ee.exact 'company' } }",
     .files = {"{ANSWERS}"},
     .arguments = {"--expected", "{TRUTH}"},
     .jobs = "2"},
    {.name = "merge", .rules = FIELDS, .files = {"{DATA}"}, .merges = true, .formats = {"html", "table"}, .jobs = "1"},
    {.name = "compare", .rules = FIELDS, .files = {"{DATA}"}, .compares = true, .formats = {"html"}, .jobs = "1"},
};
enum { SCENES = sizeof scenes / sizeof *scenes, FORMATS = 5 };

/* The files that scenes name, in memory. */
static const char *const names[] = {"{DATA}", "{TRUTH}", "{ANSWERS}", "{MANY}"};
static const char *const paths[] = {"samples/invoices.jsonl", "samples/receipts/truth.jsonl",
                                    "samples/receipts/answers_a.jsonl", "samples/invoices.jsonl"};
enum { FILES = 4, MANY = 3, TIMES = 8 };
static text contents[FILES];

/* What comes out with enough memory. */
typedef struct reference {
  bool known;
  int status;
  size_t cases;
  text reports[FORMATS];
} reference;

static size_t heard_cases;

static int on_case(void *user, const char *row, size_t length) {
  (void)user;
  if (strlen(row) != length) test_host_fail("a row of another length");
  heard_cases++;
  return 0;
}

static size_t at[FILES];

static ptrdiff_t read_more(void *user, char *out, size_t room) {
  const size_t number = (size_t)(uintptr_t)user;
  size_t left = contents[number].length - at[number], take = left < 4000 ? left : 4000;
  if (take > room) take = room;
  memcpy(out, contents[number].data + at[number], take);
  at[number] += take;
  return (ptrdiff_t)take;
}

static void note_refusal(const char *what, const ee_error *error, bool is_first) {
  if (is_first || test_host.fault == 0)
    test_host_fail("%s fails with enough memory: %d: %s", what, (int)error->status, error->message);
  else if (!test_is_no_memory(error))
    test_host_fail("%s fails with status %d: %s", what, (int)error->status, error->message);
  refused++;
}

static void keep_or_compare(reference *good, size_t number, const char *data, size_t length) {
  text *wanted = &good->reports[number];
  if (!good->known)
    *wanted = copy_of(data, length);
  else if (wanted->length != length || memcmp(wanted->data, data, length) != 0)
    test_host_fail("report %zu is another one", number);
}

/* The reports of a result; after a refusal once more, with enough memory. */
static void check_reports(const scene *played, ee_result *result, reference *good) {
  for (size_t i = 0; i < FORMATS; i++) {
    const char *format = i == 0 ? NULL : played->formats[i - 1], *data;
    if (i > 0 && format == NULL) break;
    size_t length;
    ee_error error = {0};
    ee_status status = ee_result_report(result, format, NULL, 0, &data, &length, &error);
    if (status != EE_OK) {
      note_refusal("a report", &error, !good->known);
      size_t n = test_memory_requests_of_all();
      test_refuse_memory_of_all(0, false);
      status = ee_result_report(result, format, NULL, 0, &data, &length, &error);
      (void)n;
      if (status != EE_OK) test_host_fail("a report fails with enough memory: %s", error.message);
    }
    if (status == EE_OK) keep_or_compare(good, i, data, length);
  }
}

static void on_rule_error(void *user, const ee_error *error) { *(ee_error *)user = *error; }

/* Everything that a host does. `n` 0: with enough memory. Returns the number of allocations. */
static size_t pass(const scene *played, reference *good, size_t n, bool on) {
  test_host.fault = n;
  test_host.goes_on = on;
  size_t descriptors = test_open_descriptors();
  const char *rules_text = played->rules != NULL && played->rules[0] == '{' ? FUNCTIONS : played->rules;
  const char *files[2], *arguments[8];
  size_t file_count = 0, argument_count = 0;
  ee_input inputs[FILES];
  memset(at, 0, sizeof at);
  heard_cases = 0;
  for (size_t i = 0; i < FILES; i++) {
    inputs[i] = (ee_input){.name = names[i], .text = contents[i].data, .length = contents[i].length};
    if (played->reads) inputs[i] = (ee_input){.name = names[i], .read = read_more, .user = (void *)(uintptr_t)i};
  }
  for (; file_count < 2 && played->files[file_count] != NULL; file_count++)
    files[file_count] = played->files[file_count];
  for (; argument_count < 6 && played->arguments[argument_count] != NULL; argument_count++)
    arguments[argument_count] = played->arguments[argument_count];
  arguments[argument_count++] = "--jobs";
  arguments[argument_count++] = played->jobs;
  ee_evaluate_options options = {.size = sizeof options,
                                 .arguments = arguments,
                                 .argument_count = argument_count,
                                 .inputs = inputs,
                                 .input_count = FILES,
                                 .keep = played->merges ? EE_KEEP_STATE : EE_KEEP_ROWS,
                                 .on_case = on_case};
  long held = test_memory_held();
  test_refuse_memory_of_all(n, on);
  ee_error error = {0};
  ee_rules *rules = NULL;
  if (rules_text != NULL) {
    rules = ee_rules_parse("host.lua", rules_text, strlen(rules_text), on_rule_error, &error);
    if (rules == NULL) note_refusal("loading", &error, !good->known);
  }
  ee_result *result = NULL;
  if (rules_text == NULL || rules != NULL) {
    result = ee_evaluate(rules, files, file_count, &options, &error);
    if (result == NULL) note_refusal("evaluating", &error, !good->known);
  }
  ee_result *second = NULL;
  if (result != NULL && (played->merges || played->compares)) {
    ee_input one[2] = {{.name = "one"}, {.name = "two"}};
    one[0].text = played->merges ? ee_result_state(result, &one[0].length) : ee_result_rows(result, &one[0].length);
    one[1].text = one[0].text;
    one[1].length = one[0].length;
    const char *rows[] = {"--rows", "rows"};
    ee_input row_input = {.name = "rows", .text = "", .length = 0};
    ee_evaluate_options merging = {.size = sizeof merging, .inputs = &row_input, .input_count = 1};
    merging.arguments = rows;
    merging.argument_count = 2;
    second = played->merges ? ee_merge(rules, one, 1, &merging, &error) : ee_compare(one, 2, NULL, &error);
    if (second == NULL) note_refusal("merging or comparing", &error, !good->known);
  }
  ee_result *shown = played->merges || played->compares ? second : result;
  if (shown != NULL) {
    if (good->known && (ee_result_status(shown) != good->status || heard_cases != good->cases))
      test_host_fail("status %d and %zu cases, not %d and %zu", ee_result_status(shown), heard_cases, good->status,
                     good->cases);
    good->status = ee_result_status(shown);
    good->cases = heard_cases;
    check_reports(played, shown, good);
    good->known = true;
  }
  size_t count = test_memory_requests_of_all();
  if (on) test_refuse_memory_of_all(1, true); /* freeing must not need memory */
  ee_result_free(second);
  ee_result_free(result);
  ee_rules_free(rules);
  test_refuse_memory_of_all(0, false);
  if (test_host.tries > 0 && test_memory_held() != held)
    test_host_fail("%ld blocks are not freed", test_memory_held() - held);
  test_host_check_process(descriptors);
  return count;
}

static void play(const scene *played) {
  const size_t sample = test_host.sample, only = test_host.only;
  test_host.scene = played->name;
  reference good = {0};
  test_host.tries = 0;
  refused = 0;
  /* Libraries keep what they make at the first use, and the C library the stacks of threads. */
  for (int i = 0; i < 3; i++) pass(played, &good, 0, false);
  size_t count = pass(played, &good, 0, false);
  test_random random = test_random_start(played->name, test_host.seed);
  for (int on = 0; on < 2; on++) {
    size_t faults = sample > 0 && sample < count ? sample : count;
    for (size_t i = 0; i < faults; i++) {
      size_t n = sample > 0 && sample < count ? 1 + (size_t)test_random_below(&random, count) : i + 1;
      if (only > 0 && n != only) continue;
      test_host.tries++;
      pass(played, &good, n, on);
    }
  }
  printf("%s: %zu allocations, %zu faults, %zu calls refused, %zu failures\n", played->name, count, test_host.tries,
         refused, test_host.failures);
  fflush(stdout);
  for (size_t i = 0; i < FORMATS; i++) free(good.reports[i].data);
}

int main(int argc, char **argv) {
  (void)argc;
  char **operands = test_host_options(argv + 1);
  if (operands[0] == NULL || chdir(operands[0]) != 0) {
    fprintf(stderr, "whole_host [--sample K] [--seed S] [--only N] FOLDER [SCENE...]\n");
    return 2;
  }
  for (size_t i = 0; i < FILES; i++) contents[i] = read_file(paths[i]);
  /* Several blocks, for several workers; all but the first copy of a case are errors. */
  text once = contents[MANY];
  contents[MANY] = (text){malloc(once.length * TIMES), once.length * TIMES};
  for (size_t i = 0; i < TIMES; i++) memcpy(contents[MANY].data + i * once.length, once.data, once.length);
  free(once.data);
  size_t faults = 0;
  for (size_t i = 0; i < SCENES; i++) {
    if (!test_host_plays(scenes[i].name, operands + 1)) continue;
    play(&scenes[i]);
    faults += test_host.tries;
  }
  for (size_t i = 0; i < FILES; i++) free(contents[i].data);
  printf("%zu faults, %zu failures\n", faults, test_host.failures);
  return test_host.failures > 0;
}
