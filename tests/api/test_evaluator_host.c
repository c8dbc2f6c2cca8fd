/* test_evaluator_host.c: what an embedding program keeps: its threads, its locale and its memory. */
#include <langinfo.h>
#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>

#include "api/evaluator_fixture.h"

/* Counting memory ------------------------------------------------------------------------------ */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS_MEMORY 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define COUNTS_MEMORY 0
#endif
#endif
#if !defined(COUNTS_MEMORY) && defined(__GLIBC__)
#define COUNTS_MEMORY 1
#elif !defined(COUNTS_MEMORY)
#define COUNTS_MEMORY 0
#endif

#if COUNTS_MEMORY
/* The program's own malloc comes before that of the C library, for the libraries too. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

static atomic_size_t allocations;

void *malloc(size_t size) {
  atomic_fetch_add(&allocations, 1);
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  atomic_fetch_add(&allocations, 1);
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  atomic_fetch_add(&allocations, 1);
  return __libc_realloc(memory, size);
}
#endif

/* Threads -------------------------------------------------------------------------------------- */

enum { THREADS = 4, THREAD_CASES = 120 };

typedef struct thread_work {
  const ee_rules *rules;
  const text_case *cases;
  char **rows; /* what each case must give */
  size_t first;
  size_t wrong;
} thread_work;

static void *judge_all(void *argument) {
  thread_work *work = argument;
  ee_evaluator *evaluator = ee_evaluator_new(work->rules, NULL);
  if (evaluator == NULL) {
    work->wrong = SIZE_MAX;
    return NULL;
  }
  for (size_t i = 0; i < THREAD_CASES; i++) {
    size_t at = (i + work->first) % THREAD_CASES;
    const text_case *one = &work->cases[at];
    const char *json = NULL;
    ee_status status = ee_evaluate_text(evaluator, "c1", one->expected, strlen(one->expected), one->candidate,
                                        strlen(one->candidate), &json, NULL, NULL, NULL);
    if (status != EE_OK || strcmp(json, work->rows[at]) != 0) work->wrong++;
  }
  ee_evaluator_free(evaluator);
  return NULL;
}

/* An evaluator a thread, all of one rule file, some of whose fields call Lua. */
static void check_threads(const char *text) {
  text_case *cases = make_cases("api_threads", 203, THREAD_CASES);
  rule_path path;
  ee_rules *rules = load_kept(text, &path);
  ee_evaluator *evaluator = evaluator_of(rules);
  char *rows[THREAD_CASES];
  for (size_t i = 0; i < THREAD_CASES; i++)
    rows[i] = strdup(judge(evaluator, cases[i].expected, cases[i].candidate, NULL));
  pthread_t threads[THREADS];
  thread_work work[THREADS];
  for (size_t i = 0; i < THREADS; i++) {
    work[i] = (thread_work){.rules = rules, .cases = cases, .rows = rows, .first = i * 31};
    assert_int_equal(pthread_create(&threads[i], NULL, judge_all, &work[i]), 0);
  }
  for (size_t i = 0; i < THREADS; i++) {
    assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(work[i].wrong, 0);
  }
  for (size_t i = 0; i < THREAD_CASES; i++) free(rows[i]);
  unlink(path.text);
  ee_evaluator_free(evaluator);
  ee_rules_free(rules);
  free_cases(cases, THREAD_CASES);
}

static void test_threads(void **state) {
  (void)state;
  check_threads(all_strategies);
}

static void test_threads_with_functions(void **state) {
  (void)state;
  check_threads(
      "return ee.rules {\n"
      "  null_values = { 'N/A', '-' },\n"
      "  ee.fields { ee.custom { 'supplier.name', function(a, b) return tostring(a) == tostring(b) end },\n"
      "    ee.exact { 'code', normalize = function(v) return tostring(v):lower() end },\n"
      "    ee.pattern { 'date', '%d%d%d%d' } },\n"
      "  ee.line_items { 'items', match = { method = 'key', key = function(item) return tostring(item.sku) end },\n"
      "    ee.exact 'price' },\n"
      "  ee.judge { 'counts', function(case) return #tostring(case.expected) % 2 == 0, tostring(case.candidate) end "
      "},\n"
      "}\n");
}

/* Locale --------------------------------------------------------------------------------------- */

static const char *const comma_names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8", "it_IT.UTF-8", "pl_PL.UTF-8"};

/* Makes a locale with a decimal comma that of the program; NULL where there is none. */
static const char *set_comma_locale(void) {
  const char *set = NULL;
  for (size_t i = 0; i < sizeof comma_names / sizeof *comma_names && set == NULL; i++) {
    set = setlocale(LC_ALL, comma_names[i]);
  }
  return set;
}

/* Sees to such a locale: one of this machine, else a German one made for the test where that is possible. */
static int locale_setup(void **state) {
  (void)state;
  bool found = set_comma_locale() != NULL;
  setlocale(LC_ALL, "C");
  if (found) return 0;
  char folder[] = P_tmpdir "/ee-locale-XXXXXX", command[256];
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
  int status = system(command);
  (void)status; /* without it the tests see that there is no such locale, and say so */
  return setenv("LOCPATH", folder, 1);
}

static int locale_teardown(void **state) {
  (void)state;
  const char *folder = getenv("LOCPATH");
  if (folder == NULL || strstr(folder, "/ee-locale-") == NULL) return 0;
  char command[256];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  int status = system(command);
  unsetenv("LOCPATH");
  return status;
}

/* A locale with a decimal comma; without one another that is not "C". It comes by way of the program's locale, because
 * glibc's newlocale() leaks a few bytes where LOCPATH is set. */
static locale_t foreign_locale(bool *comma) {
  *comma = set_comma_locale() != NULL;
  locale_t found = *comma ? duplocale(LC_GLOBAL_LOCALE) : newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
  setlocale(LC_ALL, "C");
  return found;
}

/* Everything that the header offers, once. */
static void use_everything(locale_t host) {
  rule_path good = make_rules(with_function),
            bad = make_rules("return ee.rules { ee.fields { ee.numeric { 'a', tolerance = -0.5 } } }");
  mistakes found = {0};
  assert_null(ee_rules_load(bad.text, on_error, &found));
  assert_ptr_equal(uselocale((locale_t)0), host);
  assert_string_equal(found.list[0].message, "option 'tolerance' of ee.numeric must be at least 0, got -0.5");
  ee_rules *rules = ee_rules_load(good.text, on_error, &found);
  assert_ptr_equal(uselocale((locale_t)0), host);
  ee_evaluator *scripted = ee_evaluator_new(rules, NULL);
  assert_non_null(scripted);
  assert_ptr_equal(uselocale((locale_t)0), host);
  unlink(good.text);
  unlink(bad.text);
  ee_evaluator_free(scripted);
  ee_rules_free(rules);
  assert_ptr_equal(uselocale((locale_t)0), host);

  rules = load(two_fields);
  ee_evaluator *evaluator = evaluator_of(rules);
  double score = -1;
  const char *json = judge(evaluator, "{\"name\":\"A\",\"total\":1.5}", "{\"name\":\"A\",\"total\":\"1.25\"}", &score);
  assert_ptr_equal(uselocale((locale_t)0), host);
  assert_true(score == 0.5);
  assert_non_null(strstr(json, "\"score\":0.5,"));
  assert_non_null(strstr(json, "total (outside tolerance: diff=0.25, tolerance=0.01)"));
  judge(evaluator, "{\"name\":\"A\",\"total\":1.5}", "{\"name\":\"A\",\"total\":\"1.5\"}", &score);
  assert_true(score == 1);
  ee_error error = {0};
  assert_int_equal(ee_evaluate_text(evaluator, "x", "{", 1, "{}", 2, NULL, NULL, NULL, &error), EE_ERROR_DATA);
  assert_ptr_equal(uselocale((locale_t)0), host);
  cJSON *tree = object_with(cJSON_CreateNumber(1.5)), *deep_tree = deep(600);
  assert_int_equal(ee_evaluate_cjson(evaluator, "x", tree, NULL, NULL, NULL, NULL, &error), EE_OK);
  assert_ptr_equal(uselocale((locale_t)0), host);
  assert_int_equal(ee_evaluate_cjson(evaluator, "x", tree, deep_tree, NULL, NULL, NULL, &error), EE_ERROR_DATA);
  assert_ptr_equal(uselocale((locale_t)0), host);
  assert_int_equal(ee_evaluate_cjson(evaluator, "x", NULL, NULL, NULL, NULL, NULL, &error), EE_ERROR_DATA);
  assert_ptr_equal(uselocale((locale_t)0), host);
  cJSON_Delete(tree);
  cJSON_Delete(deep_tree);
  ee_evaluator_free(evaluator);
  ee_rules_free(rules);
}

static void test_locale_of_the_thread(void **state) {
  (void)state;
  bool comma;
  locale_t foreign = foreign_locale(&comma);
  assert_true(foreign != (locale_t)0);
  if (!comma)
    print_message("no locale with a decimal comma on this machine: only that the locale is put back is tested\n");
  locale_t before = uselocale(foreign);
  char text[16];
  snprintf(text, sizeof text, "%.1f", 1.5);
  assert_string_equal(text, comma ? "1,5" : "1.5");
  use_everything(foreign);
  assert_string_equal(nl_langinfo(CODESET), "UTF-8");
  uselocale(before);
  freelocale(foreign);
}

static void test_locale_of_the_program(void **state) {
  (void)state;
  char *before = strdup(setlocale(LC_ALL, NULL));
  const char *set = set_comma_locale();
  if (set == NULL) set = setlocale(LC_ALL, "C.UTF-8");
  assert_non_null(set);
  char *name = strdup(set);
  assert_ptr_equal(uselocale((locale_t)0), LC_GLOBAL_LOCALE);
  use_everything(LC_GLOBAL_LOCALE);
  assert_string_equal(setlocale(LC_ALL, NULL), name);
  setlocale(LC_ALL, before);
  free(name);
  free(before);
}

/* Memory --------------------------------------------------------------------------------------- */

#if COUNTS_MEMORY
enum { MEMORY_CASES = 1000 };

static size_t judge_texts(ee_evaluator *evaluator, const text_case *cases) {
  size_t before = atomic_load(&allocations);
  for (size_t i = 0; i < MEMORY_CASES; i++) {
    const char *json;
    size_t length;
    double score;
    ee_evaluate_text(evaluator, "c1", cases[i].expected, strlen(cases[i].expected), cases[i].candidate,
                     strlen(cases[i].candidate), &json, &length, &score, NULL);
  }
  return atomic_load(&allocations) - before;
}

static size_t judge_trees(ee_evaluator *evaluator, cJSON *const *trees) {
  size_t before = atomic_load(&allocations);
  for (size_t i = 0; i + 1 < MEMORY_CASES; i++) {
    const char *json;
    ee_evaluate_cjson(evaluator, "c1", trees[i], trees[i + 1], &json, NULL, NULL, NULL);
  }
  return atomic_load(&allocations) - before;
}
#endif

#if COUNTS_MEMORY
static void assert_no_malloc(const char *text) {
  text_case *cases = make_cases("api_memory", 204, MEMORY_CASES);
  cJSON *trees[MEMORY_CASES];
  for (size_t i = 0; i < MEMORY_CASES; i++) trees[i] = parsed(cases[i].expected);
  ee_rules *rules = load(text);
  ee_evaluator *evaluator = evaluator_of(rules);
  /* The counter counts, or the first round would be free too. */
  assert_true(judge_texts(evaluator, cases) > 0);
  assert_int_equal(judge_texts(evaluator, cases), 0);
  judge_trees(evaluator, trees);
  assert_int_equal(judge_trees(evaluator, trees), 0);
  for (size_t i = 0; i < MEMORY_CASES; i++) cJSON_Delete(trees[i]);
  ee_evaluator_free(evaluator);
  ee_rules_free(rules);
  free_cases(cases, MEMORY_CASES);
}
#endif

/* Once memory has grown to what the cases need, a case takes none from the system, the result's row included. */
static void test_no_malloc_after_warm_up(void **state) {
  (void)state;
#if COUNTS_MEMORY
  assert_no_malloc(all_strategies);
#else
  skip();
#endif
}

/* The same of ee.quality: texts by meaning, by likeness and exactly, at the top and at leaves of lists. */
static void test_no_malloc_in_quality(void **state) {
  (void)state;
#if COUNTS_MEMORY && defined EE_WITH_STEMMER
  assert_no_malloc(
      "local strategies = { code = 'FUZZY', ['supplier.name'] = 'FUZZY', supplier = 'SEMANTIC', total = ee.numeric "
      "{},\n"
      "  ['items[*].description'] = 'SEMANTIC', ['items[*].sku'] = 'EXACT', ['tags[*]'] = 'FUZZY', paid = 'IGNORE',\n"
      "  currency = ee.one_of { 'EUR', 'USD' } }\n"
      "return ee.rules {\n"
      "  null_values = { 'N/A', '-' },\n"
      "  ee.quality { name = 'top', strategies = strategies },\n"
      "  ee.quality { name = 'leaves', strategies = strategies, depth = 'leaves', scale = 'max' },\n"
      "  ee.quality { 'supplier', name = 'part', ignore = 'everywhere' },\n"
      "}\n");
#else
  skip();
#endif
}

EE_TEST_FILE(locale_setup, locale_teardown, cmocka_unit_test(test_threads),
             cmocka_unit_test(test_threads_with_functions), cmocka_unit_test(test_locale_of_the_thread),
             cmocka_unit_test(test_locale_of_the_program), cmocka_unit_test(test_no_malloc_after_warm_up),
             cmocka_unit_test(test_no_malloc_in_quality));
