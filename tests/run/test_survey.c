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

/* Each candidate of a record is a case, and only chosen cases are visited. */
static void visits_candidates_that_are_chosen(void **state) {
  (void)state;
  static const char text[] =
      GOOD("a") "{\"id\":\"b\",\"expected\":{\"number\":2},\"candidates\":[{},null,{}]}\n" GOOD("c");
  static const char *const only[] = {"b", "c"};
  const ee_case_choice choice = {.only = only, .only_count = 2};
  temporary data;
  temporary_fill(&data, text, sizeof text - 1);
  for (int i = 0; i < 2; i++) {
    ee_buffer seen = {0};
    ee_error error = {0};
    const char *name = data.name;
    ee_dataset *dataset = ee_dataset_open(&name, 1, &error);
    assert_int_equal(ee_survey(dataset, NULL, NULL, i == 0 ? NULL : &choice, note_case, &seen, &error), EE_OK);
    ee_dataset_close(dataset);
    assert_seen(&seen, i == 0 ? "a+1 b (trial 1)+2 b (trial 2)-2 b (trial 3)+2 c+1 "
                              : "b (trial 1)+2 b (trial 2)-2 b (trial 3)+2 c+1 ");
  }
  temporary_remove(&data);
}

/* All values of the data decide the decimal signs, unless the data cannot be read to its end. */
static void decides_decimal_signs(void **state) {
  (void)state;
  small_rules rules = {0};
  ee_arena *arena = &rules.arena;
  ee_arena_init(arena, 0);
  ee_rule_option automatic = {EE_STR("decimal"), small_text("auto")};
  ee_rule_value a = small_text("a"), b = small_text("b"), c = small_text("c");
  ee_rule_value fields[] = {small_node(arena, "numeric", &a, 1, &automatic, 1),
                            small_node(arena, "numeric", &b, 1, NULL, 0),
                            small_node(arena, "numeric", &c, 1, &automatic, 1)};
  ee_rule_value judges[] = {
      small_node(arena, "fields", fields, 3, NULL, 0),
      small_node(arena, "fields", fields + 1, 1, &(ee_rule_option){EE_STR("name"), small_text("plain")}, 1)};
  static const char text[] = "{\"id\":\"1\",\"expected\":{\"a\":\"1,5\",\"b\":\"1,5\",\"c\":\"2.5\"},\"candidate\":{"
                             "\"a\":\"1.5\",\"c\":\"2.5\"}}\n"
                             "{\"id\":\"2\",\"expected\":{\"a\":\"2,5\"},\"candidate\":{\"a\":\"7\",\"c\":\"3,25\"}}\n";
  temporary file;
  temporary_fill(&file, text, sizeof text - 1);
  for (int i = 0; i < 3; i++) {
    ee_rule_value root = small_node(arena, "rules", i == 2 ? judges + 1 : judges, 1, NULL, 0);
    ee_error_list errors;
    ee_error_list_init(&errors);
    rules.plan = ee_plan_compile(arena, root.node, NULL, NULL, &errors);
    assert_non_null(rules.plan);
    ee_error_list_fini(&errors);
    const char *names[] = {file.name, "/proc/self/mem"}; /* which cannot be read: nothing is mapped at its start */
    ee_error error = {0};
    ee_dataset *dataset = ee_dataset_open(names, i == 1 ? 2 : 1, &error);
    assert_non_null(dataset);
    assert_int_equal(ee_survey_decimals(rules.plan, dataset, NULL, &error), i == 1 ? EE_ERROR_SYSTEM : EE_OK);
    const ee_decimals *decimals = rules.plan->decimals;
    assert_int_equal(decimals->count, i == 2 ? 0 : 2);
    assert_int_equal(decimals->decided, i == 0);
    static const ee_decimal_votes votes[] = {{.points = {0, 1}, .commas = {2, 0}},
                                             {.points = {1, 1}, .commas = {0, 1}}};
    for (size_t k = 0; k < decimals->count; k++)
      assert_memory_equal(&decimals->items[k].votes, &votes[k], sizeof votes[k]);
    /* Without such strategies nothing was read. */
    ee_block block;
    bool done;
    ee_block_init(&block);
    if (i != 1) assert_int_equal(ee_dataset_next(dataset, &block, &done, &error), EE_OK);
    if (i != 1) assert_int_equal(done, i == 0);
    ee_block_fini(&block);
    ee_dataset_close(dataset);
  }
  temporary_remove(&file);
  ee_arena_fini(arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(visits_candidates_that_are_chosen), cmocka_unit_test(decides_decimal_signs),
             cmocka_unit_test(visits_readable_cases_in_order), cmocka_unit_test(joins_expected_values),
             cmocka_unit_test(nothing_to_visit), cmocka_unit_test(visits_all_blocks));
