/* test_run_labels.c: the shortest names that tell files apart. */
#include "report/run_labels.h"

#include <stdio.h>
#include <string.h>

#include "support/runner.h"

/* `labels` are joined by ", ". */
static void assert_labels(const char *const *names, size_t count, const char *labels) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_str *found = ee_run_labels(names, count, &arena);
  char all[400] = "";
  for (size_t i = 0; i < count; i++)
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s%.*s", i > 0 ? ", " : "", (int)found[i].length,
             found[i].data);
  assert_string_equal(all, labels);
  ee_arena_fini(&arena);
}
#define ASSERT_LABELS(labels, ...)                                                                                     \
  assert_labels((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), labels)

static void test_labels(void **state) {
  (void)state;
  ASSERT_LABELS("a, b", "/tmp/lead/a.jsonl", "/tmp/lead/b.jsonl.gz");
  ASSERT_LABELS("b.json, b.jsonl, c.jsonl", "/tmp/lead/b.json", "/tmp/lead/b.jsonl", "/tmp/lead/c.jsonl");
  ASSERT_LABELS("may/run, june/run", "/tmp/may/run.jsonl", "/tmp/june/run.jsonl");
  ASSERT_LABELS("x/may/run, y/may/run, x/june/run", "/tmp/x/may/run.json", "/tmp/y/may/run.json", "x/june/run.json");
  ASSERT_LABELS("may/run.json, may/run.jsonl, june/run.json", "may/run.json", "may/run.jsonl", "june/run.json");
  ASSERT_LABELS("a, b, a (2), a (3)", "r/a.json", "r/b.json", "r/a.json", "r/a.json");
  ASSERT_LABELS("a, a.json", "r/a", "a.json");
  ASSERT_LABELS("standard input, .json", "standard input", ".json");
  ASSERT_LABELS("one", "one.rows");
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_labels));
