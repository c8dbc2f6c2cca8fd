/* test_member_guess.c: which members of one file are the expected value and the candidate. */
#include "data/temporary_files.h"

#include "base/buffer.h"
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

/* What can be opened and not be read, alone and after a good file. */
static void test_unreadable(void **state) {
  (void)state;
  static const char text[] = "{\"gold_a\":\"x\",\"model_a\":\"x\"}\n";
  write_file(names[0], text, sizeof text - 1);
  const char *const files[] = {names[0], "/proc/self/mem"};
  ee_member_guess guess;
  assert_false(ee_member_guess_find(files + 1, 1, NULL, &arena, &guess));
  assert_true(ee_member_guess_find(files, 2, NULL, &arena, &guess));
  assert_string_equal(ee_member_guess_text(&guess, &arena), "--expected-path gold_a --candidate model_a");
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

/* Names: words of all kinds, more than are compared, none beside the role, all in one word. */
static void test_words(void **state) {
  (void)state;
  check("{\"gold_a1\":\"a\",\"model_a1\":\"a\"}\n", "--expected-path gold_a1 --candidate model_a1", true);
  check("{\"GOLDAns\":\"a\",\"Gold{\xC3\xA9[\":\"a\",\"model{\xC3\xA9[\":\"a\"}\n",
        "--expected-path Gold{\xC3\xA9[ --candidate model{\xC3\xA9[", true);
  check("{\"gold_a_Id\":\"a\",\"model_a_Id\":\"a\"}\n", "--expected-path gold_a_Id --candidate model_a_Id", true);
  check("{\"a_b_c_d_e_f_g_h_gold\":\"a\",\"a_b_c_d_e_f_g_h_model\":\"a\"}\n", NULL, false);
  check("{\"gold_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\":\"a\",\"model_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\":\"a\"}\n",
        "--expected-path gold_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa --candidate model_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", true);
  check("{\"gt\":\"a\",\"ai\":\"a\"}\n", NULL, false);
  check("{\"golden\":\"a\",\"inferred\":\"a\"}\n", NULL, false);
  check("{\"gold{A\":\"a\",\"model{A\":\"a\"}\n", "--expected-path gold{A --candidate model{A", true);
  check("{\"aaBbCcDdEeFfGgHhGold\":\"a\",\"aaBbCcDdEeFfGgHhModel\":\"a\"}\n", NULL, false);
  check("{\"gold_a\":\"a\",\"model_a\":7,\"gold_b\":\"x\",\"model_b\":\"x\"}\n",
        "--expected-path gold_b --candidate model_b", false);
  check("{\"gold_a\":\"a\",\"model_a\":\"a\",\"gold_b\":\"x\",\"model_b\":7}\n",
        "--expected-path gold_a --candidate model_a", false);
  check("{\"x\":1,\"doc_id\":1}\n{\"x\":2,\"doc_id\":2}\n", NULL, false);
  check("{\"x\":1,\"y\":1,\"z\":1}\n{\"x\":2,\"y\":2,\"z\":2}\n", "--expected-path x --candidate y", false);
  check("{\"expected\":1,\"gold_a\":1,\"model_a\":1}\n{\"gold_a\":1,\"model_a\":1}\n", NULL, false);
  check("\x1f\x8b\x08 damaged, and so it cannot be read", NULL, false);
  check("{\"_\":\"a\",\"-\":\"a\"}\n{\"_\":\"b\",\"-\":\"b\"}\n", "--expected-path _ --candidate -", false);
}

/* Values that could be answers to one question, or not. */
static void test_alike(void **state) {
  (void)state;
  static const char *const rows[][2] = {{"{\"p\":1,\"q\":2}", "{\"p\":2}"},
                                        {"[1]", "[2]"},
                                        {"\"see [1]\"", "[2]"},
                                        {"\"{\\\"p\\\":1}\"", "{\"p\":2}"},
                                        {NULL, NULL},
                                        {"{}", "{\"p\":1}"},
                                        {"{\"p\":1,\"q\":2,\"r\":3}", "{\"p\":2}"},
                                        {"[1]", "{\"p\":1}"},
                                        {"{\"p\":1}", "[1]"},
                                        {"\"a { b\"", "{\"p\":1}"},
                                        {"null", "1"}};
  bool clear = true;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (rows[i][0] == NULL) {
      clear = false;
      continue;
    }
    const char *text =
        ee_arena_printf(&arena, "{\"x\":1,\"gold_a\":%s,\"model_a\":%s}\n{\"gold_a\":7}\n", rows[i][0], rows[i][1]);
    check(text, "--expected-path gold_a --candidate model_a", clear);
  }
}

/* Members and records beyond those that are looked at; what is not read. */
static void test_bounds(void **state) {
  (void)state;
  ee_buffer text;
  ee_buffer_init(&text);
  for (int i = 0; i < 60; i++) ee_buffer_addf(&text, "%c\"m%d\":1", i == 0 ? '{' : ',', i);
  ee_buffer_add_text(&text, ",\"gold_a\":1,\"model_a\":1}\n");
  check(ee_buffer_terminate(&text), NULL, false);
  ee_buffer_clear(&text);
  ee_buffer_add_text(&text, "{\"x\":\"a\",\"y\":\"a\"}\n1\n{\"x\" 1}\n");
  for (int i = 0; i < 2100; i++)
    ee_buffer_addf(&text, "{\"x\":\"b\",\"y\":\"b\"%s}\n", i < 2050 ? "" : ",\"gold_a\":1,\"model_a\":1");
  check(ee_buffer_terminate(&text), "--expected-path x --candidate y", false);
  ee_buffer_fini(&text);
  ee_member_guess guess;
  const char *const none[] = {"/nowhere/at/all"}, *const standard[] = {names[0], "-"};
  assert_false(ee_member_guess_find(none, 1, NULL, &arena, &guess));
  assert_false(ee_member_guess_find(standard, 2, NULL, &arena, &guess));
}

static int start(void **state) {
  ee_arena_init(&arena, 0);
  return set_up(state);
}

static int stop_all(void **state) {
  ee_arena_fini(&arena);
  return tear_down(state);
}

EE_TEST_FILE(start, stop_all, cmocka_unit_test(test_names), cmocka_unit_test(test_unreadable),
             cmocka_unit_test(test_values), cmocka_unit_test(test_words), cmocka_unit_test(test_alike),
             cmocka_unit_test(test_bounds));
