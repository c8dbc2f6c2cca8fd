/* test_name_join.c: files of answers whose names are ids with something around them. */
#include "data/temporary_files.h"

#include <sys/stat.h>

#include "data/name_join.h"

static ee_arena arena;

/* The file of expected values; NULL: of the ids 7 and 8. */
static const char *expected_text;

/* Compares the ids with files of the names that `name` makes of 0 to `count` - 1; "PREFIX|SUFFIX JOINED". */
static const char *joined_by(const char *const *file_names, size_t count) {
  static const char ids[] = "{\"id\":\"7\",\"expected\":1}\n{\"id\":\"8\",\"expected\":1}\n";
  const char *text_of_ids = expected_text != NULL ? expected_text : ids;
  write_file(names[0], text_of_ids, strlen(text_of_ids));
  const char *directory = ee_arena_printf(&arena, "%s/d", folder), *text = "none";
  assert_int_equal(mkdir(directory, 0700), 0);
  for (size_t i = 0; i < count; i++)
    write_file(ee_arena_printf(&arena, "%s/%s.json", directory, file_names[i]), "{}", 2);
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_expected_set *set = ee_expected_set_open(names[0], NULL, NULL, &errors, NULL);
  ee_dataset *dataset = ee_dataset_open(&directory, 1, NULL);
  assert_true(set != NULL && dataset != NULL);
  ee_name_join join;
  if (ee_name_join_find(set, dataset, &arena, &join))
    text = ee_arena_printf(&arena, "%.*s|%.*s %zu", EE_STR_ARG(join.prefix), EE_STR_ARG(join.suffix), join.joined);
  ee_dataset_close(dataset);
  ee_expected_set_close(set);
  ee_error_list_fini(&errors);
  for (size_t i = 0; i < count; i++) unlink(ee_arena_printf(&arena, "%s/%s.json", directory, file_names[i]));
  assert_int_equal(rmdir(directory), 0);
  return text;
}

static void test_names(void **state) {
  (void)state;
  assert_string_equal(joined_by((const char *const[]){"run-7-answer", "run-8-answer"}, 2), "run-|-answer 2");
  assert_string_equal(joined_by((const char *const[]){"7", "8"}, 2), "none");
  assert_string_equal(joined_by((const char *const[]){"x7", "8x"}, 2), "none");
}

#define JOINED(...)                                                                                                    \
  joined_by((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* What is around the id most often; of several, the one that has a word for answers. */
static void test_choice(void **state) {
  (void)state;
  assert_string_equal(JOINED("pred_7", "pred_8"), "pred_| 2");
  assert_string_equal(JOINED("7_pred", "8_truth"), "|_pred 1");
  assert_string_equal(JOINED("7_pred", "8_answer"), "none");
  assert_string_equal(JOINED("7_a", "8_b"), "none");
  assert_string_equal(JOINED("extract.7.b", "8_b"), "extract.|.b 1");
  assert_string_equal(JOINED("q-7", "r-7", "r-8"), "r-| 2");
  assert_string_equal(JOINED("r-7", "r-8", "q-7"), "r-| 2");
  assert_string_equal(JOINED("7-7", "8-8"), "none"); /* before and after it */
  assert_string_equal(JOINED("7-7", "8-7"), "|-7 2");
  assert_string_equal(JOINED("77", "88", "nothing"), "none");
  /* Another name may have the same around it. */
  assert_string_equal(JOINED("run-7", "run-8", "run-9"), "run-| 2");
  /* A letter, also one that is not ASCII, is of the same word; an underscore is not. */
  assert_string_equal(JOINED("_7_", "_8_"), "_|_ 2");
  assert_string_equal(JOINED("7\xc3\xa4", "8\xc3\xa4"), "none");
  assert_string_equal(JOINED("\xc3\xa4"
                             "7",
                             "\xc3\xa4"
                             "8"),
                      "none");
}

/* A few names that fit by chance join nothing. */
static void test_few_joined(void **state) {
  (void)state;
  ee_buffer ids = {0};
  for (int i = 0; i < 7; i++) ee_buffer_addf(&ids, "{\"id\":\"c%d\",\"expected\":1}\n", i);
  expected_text = ee_buffer_terminate(&ids);
  assert_string_equal(JOINED("x-c0", "y1", "y2", "y3", "y4", "y5", "y6"), "none");
  assert_string_equal(JOINED("x-c0", "x-c1", "x-c2", "y3", "y4", "y5"), "x-| 3");
  /* An id without letters is in every name, and in none as a word. */
  expected_text = "{\"id\":\"\",\"expected\":1}\n{\"id\":\"7\",\"expected\":1}\n";
  assert_string_equal(JOINED("a-7", "a-8"), "a-| 1");
  expected_text = NULL;
  ee_buffer_fini(&ids);
}

/* Each file has something else around the id: no pair is better than the others, however many there are. */
static void test_many_pairs(void **state) {
  (void)state;
  const char *all[300];
  for (int i = 0; i < 300; i++) all[i] = ee_arena_printf(&arena, "x%d-7-%dy", i, i);
  assert_string_equal(joined_by(all, 300), "none");
}

static int start(void **state) {
  ee_arena_init(&arena, 0);
  return set_up(state);
}

static int stop_all(void **state) {
  ee_arena_fini(&arena);
  return tear_down(state);
}

EE_TEST_FILE(start, stop_all, cmocka_unit_test(test_names), cmocka_unit_test(test_choice),
             cmocka_unit_test(test_few_joined), cmocka_unit_test(test_many_pairs));
