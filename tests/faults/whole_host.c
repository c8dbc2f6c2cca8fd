/* whole_host.c: a program that runs whole data sets through the library, and is refused memory: each allocation once,
 * of whatever thread, by itself and with all that follow.
 *
 *   whole_host [--sample K] [--seed S] [--only N] FOLDER [SCENE...]
 *
 * FOLDER is that of the project. Whatever is refused, a call must fail with EE_ERROR_SYSTEM and "out of memory", or
 * give what it gives with enough memory; afterwards nothing may be held: no block, descriptor, thread, blocked signal,
 * locale.
 */
#include <dirent.h>
#include <evalengine.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "faults/refusing_memory.h"
#include "support/random.h"

/* Reports -------------------------------------------------------------------------------------- */

static const char *scene_name = "";
static size_t fault, failures, tries, only, refused;
static bool fault_goes_on;

__attribute__((format(printf, 1, 2))) static void fail(const char *format, ...) {
  test_refuse_memory_of_all(0, false);
  va_list arguments;
  va_start(arguments, format);
  printf("%s, allocation %zu%s: ", scene_name, fault, fault_goes_on ? " and all that follow" : "");
  vprintf(format, arguments);
  printf("\n");
  va_end(arguments);
  fflush(stdout);
  if (++failures >= 20) exit(1);
}

static size_t entries(const char *path) {
  size_t count = 0;
  DIR *folder = opendir(path);
  if (folder == NULL) return 0;
  while (readdir(folder) != NULL) count++;
  closedir(folder);
  return count;
}

static void check_process(size_t descriptors) {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, NULL, &blocked);
  for (int i = 1; i < NSIG; i++)
    if (sigismember(&blocked, i) == 1) fail("signal %d stays blocked", i);
  if (uselocale((locale_t)0) != LC_GLOBAL_LOCALE) fail("another locale stays");
  if (entries("/proc/self/fd") != descriptors) fail("%zu descriptors are open", entries("/proc/self/fd"));
}

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
  if (strlen(row) != length) fail("a row of another length");
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

static bool is_no_memory(const ee_error *error) {
  return error->status == EE_ERROR_SYSTEM && strcmp(error->message, "out of memory") == 0;
}

static void note_refusal(const char *what, const ee_error *error, bool is_first) {
  if (is_first || fault == 0)
    fail("%s fails with enough memory: %d: %s", what, (int)error->status, error->message);
  else if (!is_no_memory(error))
    fail("%s fails with status %d: %s", what, (int)error->status, error->message);
  refused++;
}

static void keep_or_compare(reference *good, size_t number, const char *data, size_t length) {
  text *wanted = &good->reports[number];
  if (!good->known)
    *wanted = copy_of(data, length);
  else if (wanted->length != length || memcmp(wanted->data, data, length) != 0)
    fail("report %zu is another one", number);
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
      if (status != EE_OK) fail("a report fails with enough memory: %s", error.message);
    }
    if (status == EE_OK) keep_or_compare(good, i, data, length);
  }
}

static void on_rule_error(void *user, const ee_error *error) { *(ee_error *)user = *error; }

/* Everything that a host does. `n` 0: with enough memory. Returns the number of allocations. */
static size_t pass(const scene *played, reference *good, size_t n, bool on) {
  fault = n;
  fault_goes_on = on;
  size_t descriptors = entries("/proc/self/fd");
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
      fail("status %d and %zu cases, not %d and %zu", ee_result_status(shown), heard_cases, good->status, good->cases);
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
  if (tries > 0 && test_memory_held() != held) fail("%ld blocks are not freed", test_memory_held() - held);
  check_process(descriptors);
  return count;
}

static void play(const scene *played, size_t sample, uint64_t seed) {
  scene_name = played->name;
  reference good = {0};
  tries = 0;
  refused = 0;
  /* Libraries keep what they make at the first use, and the C library the stacks of threads. */
  for (int i = 0; i < 3; i++) pass(played, &good, 0, false);
  size_t count = pass(played, &good, 0, false);
  test_random random = test_random_start(played->name, seed);
  for (int on = 0; on < 2; on++) {
    size_t faults = sample > 0 && sample < count ? sample : count;
    for (size_t i = 0; i < faults; i++) {
      size_t n = sample > 0 && sample < count ? 1 + (size_t)test_random_below(&random, count) : i + 1;
      if (only > 0 && n != only) continue;
      tries++;
      pass(played, &good, n, on);
    }
  }
  printf("%s: %zu allocations, %zu faults, %zu calls refused, %zu failures\n", played->name, count, tries, refused,
         failures);
  fflush(stdout);
  for (size_t i = 0; i < FORMATS; i++) free(good.reports[i].data);
}

static bool is_wanted(const char *name, char *const *wanted) {
  if (*wanted == NULL) return true;
  for (; *wanted != NULL; wanted++)
    if (strcmp(*wanted, name) == 0) return true;
  return false;
}

int main(int argc, char **argv) {
  size_t sample = 0;
  uint64_t seed = 1;
  argv++, argc--;
  for (; argc >= 2 && strncmp(*argv, "--", 2) == 0; argv += 2, argc -= 2) {
    if (strcmp(*argv, "--sample") == 0) sample = strtoul(argv[1], NULL, 10);
    if (strcmp(*argv, "--seed") == 0) seed = strtoull(argv[1], NULL, 10);
    if (strcmp(*argv, "--only") == 0) only = strtoul(argv[1], NULL, 10);
  }
  if (argc < 1 || chdir(argv[0]) != 0) {
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
    if (!is_wanted(scenes[i].name, argv + 1)) continue;
    play(&scenes[i], sample, seed);
    faults += tries;
  }
  for (size_t i = 0; i < FILES; i++) free(contents[i].data);
  printf("%zu faults, %zu failures\n", faults, failures);
  return failures > 0;
}
