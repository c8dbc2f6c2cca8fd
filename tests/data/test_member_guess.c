/* test_member_guess.c: which members of one file are the expected value and the candidate. */
#include "data/temporary_files.h"

#include "data/member_guess.h"

static ee_arena arena;

/* `text` NULL: no two members. */
static void check(const char *records, const char *text, bool clear) {
  write_file(names[0], records, strlen(records));
  const char *file = names[0];
  ee_member_guess guess;
  bool found = ee_member_guess_find(&file, 1, NULL, &arena, &guess);
  assert_int_equal(found, text != NULL);
  if (!found) return;
  assert_string_equal(ee_member_guess_text(&guess, &arena), text);
  assert_int_equal(guess.clear, clear);
}

static void test_names(void **state) {
  (void)state;
  check("{\"id\":1,\"input\":\"x\",\"output\":{\"a\":1},\"generated_output\":\"```json\\n{\\\"a\\\": 2}\\n```\"}\n",
        "--expected-path output --candidate generated_output", true);
  check("{\"gold_spans\":[1],\"gold_sent\":\"x\",\"predicted_spans\":[2]}\n",
        "--expected-path gold_spans --candidate predicted_spans", true);
  check("{\"goldAnswer\":\"a\",\"modelAnswer\":\"a\"}\n{\"goldAnswer\":\"b\",\"modelAnswer\":\"c\"}\n",
        "--expected-path goldAnswer --candidate modelAnswer", true);
  /* Nothing is alike; another pair has such names, too. */
  check("{\"gold_answer\":\"a\",\"model_answer\":7}\n", "--expected-path gold_answer --candidate model_answer", false);
  check("{\"gold_a\":\"a\",\"model_a\":\"a\",\"gold_b\":\"a\",\"model_b\":\"a\"}\n",
        "--expected-path gold_a --candidate model_a", false);
}

static void test_values(void **state) {
  (void)state;
  check("{\"x\":\"a\",\"y\":\"a\",\"z\":\"q\"}\n{\"x\":\"b\",\"y\":\"b\",\"z\":\"q\"}\n",
        "--expected-path x --candidate y", false);
  /* Always the same, ids, too seldom equal, known names, no objects. */
  check("{\"x\":0,\"y\":0}\n{\"x\":0,\"y\":0}\n", NULL, false);
  check("{\"id\":1,\"doc_id\":1}\n{\"id\":2,\"doc_id\":2}\n", NULL, false);
  check("{\"x\":1,\"y\":2}\n{\"x\":2,\"y\":3}\n", NULL, false);
  check("{\"expected\":1,\"gold_a\":1,\"model_a\":1}\n", NULL, false);
  check("1\n", NULL, false);
  check("", NULL, false);
}

static int start(void **state) {
  ee_arena_init(&arena, 0);
  return set_up(state);
}

static int stop_all(void **state) {
  ee_arena_fini(&arena);
  return tear_down(state);
}

EE_TEST_FILE(start, stop_all, cmocka_unit_test(test_names), cmocka_unit_test(test_values));
