/* evaluator_fixture.h: rule files from texts, evaluators, and random cases, through the public header. */
#ifndef EE_TESTS_API_EVALUATOR_FIXTURE_H
#define EE_TESTS_API_EVALUATOR_FIXTURE_H

#include <cjson/cJSON.h>
#include <evalengine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/documents.h"
#include "support/random.h"

/* Rule files ----------------------------------------------------------------------------------- */

typedef struct mistakes {
  size_t count;
  ee_error list[8];
} mistakes;

static inline void on_error(void *user, const ee_error *error) {
  mistakes *found = user;
  assert_true(found->count < 8);
  found->list[found->count++] = *error;
}

typedef struct rule_path {
  char text[64];
} rule_path;

static inline void write_rules(const char *path, const char *text) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
  assert_int_equal(fclose(file), 0);
}

/* A new file that holds `text`; the caller removes it. */
static inline rule_path make_rules(const char *text) {
  rule_path path = {P_tmpdir "/ee-api-XXXXXX.lua"};
  int descriptor = mkstemps(path.text, 4);
  assert_true(descriptor >= 0);
  close(descriptor);
  write_rules(path.text, text);
  return path;
}

/* Loads `text`, which must have no mistake, from a file that the caller removes: evaluators read it again when it has
 * functions. */
static inline ee_rules *load_kept(const char *text, rule_path *path) {
  *path = make_rules(text);
  mistakes found = {0};
  ee_rules *rules = ee_rules_load(path->text, on_error, &found);
  if (rules == NULL) fail_msg("%zu: %s", found.list[0].line, found.list[0].message);
  assert_int_equal(found.count, 0);
  return rules;
}

/* The same for rules without functions. */
static inline ee_rules *load(const char *text) {
  rule_path path;
  ee_rules *rules = load_kept(text, &path);
  unlink(path.text);
  return rules;
}

static inline ee_evaluator *evaluator_of(const ee_rules *rules) {
  ee_error error = {0};
  ee_evaluator *evaluator = ee_evaluator_new(rules, &error);
  if (evaluator == NULL) fail_msg("%s", error.message);
  return evaluator;
}

/* Judges two texts, which must succeed; the result is a line of JSON with its length and score. */
static inline const char *judge(ee_evaluator *evaluator, const char *expected, const char *candidate, double *score) {
  const char *json = NULL;
  size_t length = 0;
  ee_error error = {0};
  ee_status status = ee_evaluate_text(evaluator, "c1", expected, strlen(expected), candidate,
                                      candidate == NULL ? 0 : strlen(candidate), &json, &length, score, &error);
  if (status != EE_OK) fail_msg("%d: %s", (int)status, error.message);
  assert_int_equal(strlen(json), length);
  assert_null(strchr(json, '\n'));
  return json;
}

static inline cJSON *parsed(const char *json) {
  cJSON *tree = cJSON_Parse(json);
  if (tree == NULL) fail_msg("no JSON: %s", json);
  return tree;
}

/* The text at `key` of the result, in a buffer that the next call takes. */
static inline const char *result_text(const char *json, const char *key) {
  static char text[4096];
  cJSON *tree = parsed(json);
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(tree, key);
  assert_non_null(value);
  char *printed = cJSON_PrintUnformatted(value);
  snprintf(text, sizeof text, "%s", printed);
  free(printed);
  cJSON_Delete(tree);
  return text;
}

static const char two_fields[] = "return ee.rules {\n"
                                 "  ee.fields { ee.exact \"name\", ee.numeric { \"total\", tolerance = 0.01 } },\n"
                                 "}\n";

/* A field that calls Lua. */
static const char with_function[] =
    "return ee.rules {\n"
    "  ee.fields { ee.custom { \"name\", function(a, b) return a:lower() == b:lower() end } },\n"
    "}\n";

/* Every built-in strategy and method, none of which calls Lua. */
static const char all_strategies[] =
    "local fields = {}\n"
    "for i, algorithm in ipairs { 'levenshtein', 'jaro_winkler', 'token_sort', 'token_set', 'token_f1', 'ratio' } do\n"
    "  fields[i] = ee.fuzzy { 'supplier.name', name = algorithm, algorithm = algorithm, score = 'similarity' }\n"
    "end\n"
    "local function cells()\n"
    "  return { ee.fuzzy 'description', ee.exact 'sku', ee.numeric { 'price', tolerance = 0.01 },\n"
    "    ee.date 'delivered', ee.auto 'note' }\n"
    "end\n"
    "return ee.rules {\n"
    "  null_values = { 'N/A', '-' },\n"
    "  ee.fields { fields, ee.exact { 'code', normalize = { 'trim', 'casefold', 'nfkc' } },\n"
    "    ee.numeric { 'total', relative = true, tolerance = 0.05 }, ee.numeric { 'weight', format = 'money', score = "
    "'linear' },\n"
    "    ee.date 'date', ee.one_of { 'currency', 'EUR', 'USD' }, ee.set 'tags', ee.auto 'paid', ee.exact 'address',\n"
    "    ee.auto { 'supplier.vat', required = false }, ee.exact 'rows[*].value' },\n"
    "  ee.line_items { 'items', name = 'greedy', match = { 'description', threshold = 0.5 }, cells() },\n"
    "  ee.line_items { 'items', name = 'dates', match = { ee.date 'delivered', 'price', threshold = 0.4 }, cells() },\n"
    "  ee.line_items { 'items', name = 'key', match = { method = 'key', key = 'sku' }, cells() },\n"
    "  ee.line_items { 'items', name = 'index', match = { method = 'index' }, cells() },\n"
    "  ee.line_items { 'items', name = 'by_fields', match = 'fields', cells() },\n"
    "  ee.line_items { 'items', name = 'auto', match = 'fields' },\n"
    "}\n";

/* Random cases --------------------------------------------------------------------------------- */

typedef struct text_case {
  char *expected, *candidate;
} text_case;

static inline char *printed_document(const test_document *document, test_random *random) {
  ee_buffer text;
  ee_buffer_init(&text);
  test_document_print(document, &(test_spelling){.keys = random, .nulls = random}, &text);
  char *copy = strdup(ee_buffer_terminate(&text));
  ee_buffer_fini(&text);
  return copy;
}

static inline text_case *make_cases(const char *name, uint64_t seed, size_t count) {
  test_random random = test_random_start(name, seed);
  text_case *cases = calloc(count, sizeof *cases);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (size_t i = 0; i < count; i++) {
    test_document expected, candidate;
    test_document_make(&random, &arena, &expected);
    test_document_answer(&random, &arena, &expected, &candidate);
    cases[i] = (text_case){printed_document(&expected, &random), printed_document(&candidate, &random)};
    ee_arena_reset(&arena, 0);
  }
  ee_arena_fini(&arena);
  return cases;
}

static inline void free_cases(text_case *cases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    free(cases[i].expected);
    free(cases[i].candidate);
  }
  free(cases);
}

/* Trees ---------------------------------------------------------------------------------------- */

/* Arrays inside arrays, `depth` of them. */
static inline cJSON *deep(size_t depth) {
  cJSON *tree = cJSON_CreateArray();
  for (size_t i = 1; i < depth; i++) {
    cJSON *outer = cJSON_CreateArray();
    cJSON_AddItemToArray(outer, tree);
    tree = outer;
  }
  return tree;
}

static inline cJSON *object_with(cJSON *value) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddItemToObject(object, "name", value);
  return object;
}

#endif
