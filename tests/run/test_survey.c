/* test_survey.c: every readable case is visited once, in order, with its expected value. */
#include "run/survey.h"

#include "run/run_listener.h"
#include "support/random.h"

static void note_case(void *user, const ee_case *current, ee_arena *arena) {
  ee_buffer *seen = user;
  memset(ee_arena_alloc(arena, 100), 0x5a, 100);
  ee_buffer_add_str(seen, current->id);
  ee_buffer_add_char(seen, ee_type_of(current->candidate) == EE_OBJECT ? '+' : '-');
  ee_buffer_addf(seen, "%g ", ee_value_get_number(current->expected, "number", -1));
}

static void survey_text(const char *text, const char *expected, ee_buffer *seen) {
  temporary data, other;
  temporary_fill(&data, text, strlen(text));
  ee_error error = {0};
  ee_expected_set *set = NULL;
  if (expected != NULL) {
    temporary_fill(&other, expected, strlen(expected));
    ee_error_list errors;
    ee_error_list_init(&errors);
    set = ee_expected_set_open(other.name, NULL, NULL, &errors, &error);
    assert_non_null(set);
    ee_error_list_fini(&errors);
    temporary_remove(&other);
  }
  const char *name = data.name;
  ee_dataset *dataset = ee_dataset_open(&name, 1, &error);
  assert_non_null(dataset);
  assert_int_equal(ee_survey(dataset, set, NULL, NULL, note_case, seen, &error), EE_OK);
  ee_dataset_close(dataset);
  ee_expected_set_close(set);
  temporary_remove(&data);
}

static void assert_seen(ee_buffer *seen, const char *text) {
  assert_string_equal(ee_buffer_terminate(seen), text);
  ee_buffer_fini(seen);
}

static void visits_readable_cases_in_order(void **state) {
  (void)state;
  ee_buffer seen = {0};
  survey_text(GOOD("b") "{\"id\": \"broken\"\n{\"id\":\"none\"}\n" GOOD("a")
                  GOOD("b") "{\"id\":7,\"expected\":{\"number\":3}}\n",
              NULL, &seen);
  assert_seen(&seen, "b+1 a+1 b+1 7-3 ");
}

static void joins_expected_values(void **state) {
  (void)state;
  ee_buffer seen = {0};
  survey_text("{\"id\":\"x\",\"candidate\":{}}\n{\"id\":\"y\",\"candidate\":{}}\n{\"id\":\"z\",\"candidate\":\"\"}\n",
              "{\"id\":\"z\",\"expected\":{\"number\":26}}\n{\"id\":\"x\",\"expected\":{\"number\":24}}\n", &seen);
  assert_seen(&seen, "x+24 z-26 ");
}

static void nothing_to_visit(void **state) {
  (void)state;
  ee_buffer seen = {0};
  survey_text("\n\n[1, 2]\n", NULL, &seen);
  assert_seen(&seen, "");
}

/* Many blocks: as many visits as records, in their order. */
static void visits_all_blocks(void **state) {
  (void)state;
  test_random random = test_random_start("survey", 12);
  ee_buffer text = {0}, expected = {0}, seen = {0};
  for (size_t i = 0; i < 20000; i++) {
    size_t number = test_random_below(&random, 1000);
    ee_buffer_addf(&text, "{\"id\":\"c%zu\",\"expected\":{\"number\":%zu},\"candidate\":{},\"pad\":\"%*s\"}\n", i,
                   number, (int)test_random_below(&random, 60), "");
    ee_buffer_addf(&expected, "c%zu+%zu ", i, number);
  }
  survey_text(ee_buffer_terminate(&text), NULL, &seen);
  assert_seen(&seen, ee_buffer_terminate(&expected));
  ee_buffer_fini(&text);
  ee_buffer_fini(&expected);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(visits_readable_cases_in_order), cmocka_unit_test(joins_expected_values),
             cmocka_unit_test(nothing_to_visit), cmocka_unit_test(visits_all_blocks));
