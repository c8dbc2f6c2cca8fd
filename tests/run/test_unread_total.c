/* test_unread_total.c: where several strategies share an attribute, remedies and example are those of the first by
 * name, in whatever order values come. */
#include "judge/strategy/strategy.h"
#include "run/unread_total.h"
#include "support/runner.h"

static ee_arena arena;

static int set_up(void **state) {
  (void)state;
  ee_arena_init(&arena, 0);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  ee_arena_fini(&arena);
  return 0;
}

static void add(ee_unread_total **total, const char *strategy, uint32_t remedies, const char *id) {
  static ee_buffer text;
  const ee_unread unread = {.strategy = ee_strategy_type_find(ee_str_from(strategy)),
                            .document = EE_CANDIDATE,
                            .value = ee_value_new_string(&arena, ee_str_from(id)),
                            .remedies = remedies};
  assert_non_null(unread.strategy);
  ee_unread_total_add_value(total, &arena, &unread, ee_str_from(id), &text, &arena);
  ee_buffer_fini(&text);
}

static void assert_of_dates(const ee_unread_total *total) {
  const ee_unread_side *side = &total->sides[EE_CANDIDATE];
  assert_int_equal(total->sides[EE_EXPECTED].count, 0);
  assert_int_equal(side->count, 4);
  assert_string_equal(side->strategy->name, "date");
  assert_true(side->by_remedy[0] == 1 && side->by_remedy[1] == 0 && side->by_remedy[2] == 1);
  assert_true(ee_str_is(side->example.id, "c"));
  assert_true(ee_str_is(side->example.text, "c"));
}

static void test_first_by_name(void **state) {
  (void)state;
  ee_unread_total *numbers_first = NULL, *dates_first = NULL, *numbers = NULL, *dates = NULL;
  for (int i = 0; i < 4; i++) {
    bool is_date = i == 2;
    static const char *const ids[] = {"a", "b", "c", "d"};
    add(&numbers_first, is_date ? "date" : "numeric", is_date ? 5 : 3, ids[i]);
    add(is_date ? &dates : &numbers, is_date ? "date" : "numeric", is_date ? 5 : 3, ids[i]);
  }
  add(&dates_first, "date", 5, "c");
  for (int i = 0; i < 3; i++) add(&dates_first, "numeric", 3, "a");
  assert_of_dates(numbers_first);
  assert_of_dates(dates_first);
  ee_unread_total *merged = NULL;
  ee_unread_total_merge(&merged, &arena, dates);
  ee_unread_total_merge(&merged, &arena, NULL);
  ee_unread_total_merge(&merged, &arena, numbers);
  assert_of_dates(merged);
  ee_unread_total_merge(&numbers, &arena, dates);
  assert_of_dates(numbers);
}

EE_TEST_FILE(set_up, tear_down, cmocka_unit_test(test_first_by_name));
