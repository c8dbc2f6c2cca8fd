/* test_unread_total.c: where several strategies share an attribute, remedies and example are those of the first by
 * name, in whatever order values come. */
#include "data/json/json_reader.h"
#include "judge/strategy/strategy.h"
#include "run/unread_total.h"
#include "support/runner.h"

#include <string.h>

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

/* The sentence, of sides that are made here. */
static void test_sentences(void **state) {
  (void)state;
  const ee_strategy_type *numeric = ee_strategy_type_find(EE_STR("numeric"));
  const char *first = numeric->remedies[0].option, *second = numeric->remedies[1].option;
  static const struct {
    uint64_t count, of, by[3];
    const char *more, *beginning, *end;
    int remedy; /* that reads some; -1: none */
  } facts[] = {
      {1, 0, {0}, "", "1 value of 'a' is not a number", "", -1},
      {1, 1, {0}, "", "1 value of 'a' is not a number", "", -1},
      {1, 5, {0}, "", "1 of 5 values of 'a' is not a number", "", -1},
      {2, 0, {0}, "", "2 values of 'a' are not numbers", "", -1},
      {2, 1, {0}, "", "2 values of 'a' are not numbers", "", -1},
      {2, 2, {0}, "", "none of the 2 values of 'a' is a number", "", -1},
      {2, 5, {0}, "", "2 of 5 values of 'a' are not numbers", "", -1},
      {1, 0, {0}, "too long", "1 value of 'a' is not a number", " (too long)", -1},
      {1, 0, {1}, "", "1 value of 'a' is not a number", "it", 0},
      {2, 5, {2}, "", "2 of 5 values of 'a' are not numbers", "all of them", 0},
      {3, 3, {3}, "", "none of the 3 values of 'a' is a number", "all of them", 0},
      {3, 5, {2}, "", "3 of 5 values of 'a' are not numbers", "2 of them", 0},
      {3, 5, {1, 2}, "", "3 of 5 values of 'a' are not numbers", "2 of them", 1},
      {3, 5, {2, 2}, "", "3 of 5 values of 'a' are not numbers", "2 of them", 0},
      {3, 5, {0, 1}, "", "3 of 5 values of 'a' are not numbers", "1 of them", 1},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    for (int k = 0; k < 2; k++) {
      ee_document_side document = k == 0 ? EE_EXPECTED : EE_CANDIDATE;
      ee_unread_total total = {.sides = {{.count = 0}, {.count = 0}}};
      ee_unread_side *side = &total.sides[document];
      side->count = facts[i].count;
      side->strategy = numeric;
      for (size_t r = 0; r < 3; r++) side->by_remedy[r] = facts[i].by[r];
      side->example = (ee_case_example){.id = EE_STR("c"), .text = EE_STR("x"), .more = ee_str_from(facts[i].more)};
      ee_buffer text = {0}, expected = {0};
      ee_unread_print(&total, document, EE_STR("a"), facts[i].of, &text);
      const char *value = strstr(facts[i].beginning, "value");
      ee_buffer_addf(&expected, "%.*s%s %s, e.g. 'x' in case 'c'", (int)(value - facts[i].beginning),
                     facts[i].beginning, k == 0 ? "expected" : "candidate", value);
      if (facts[i].remedy >= 0) ee_buffer_addf(&expected, "; %s reads ", facts[i].remedy == 0 ? first : second);
      ee_buffer_add_text(&expected, facts[i].end);
      assert_string_equal(ee_buffer_terminate(&text), ee_buffer_terminate(&expected));
      uint64_t reads;
      const char *best = ee_unread_best_remedy(&total, document, &reads);
      assert_true(best == (facts[i].remedy < 0 ? NULL : facts[i].remedy == 0 ? first : second));
      assert_int_equal(reads, facts[i].remedy < 0 ? 0 : facts[i].by[facts[i].remedy]);
      ee_buffer_fini(&text);
      ee_buffer_fini(&expected);
    }
  }
}

static bool read_again(ee_unread_total *total, ee_unread_total **read) {
  ee_buffer out = {0};
  ee_state_line line;
  ee_state_write(&line, &out);
  ee_unread_total_state(&line, &arena, &total);
  bool good = ee_state_close(&line);
  *read = NULL;
  if (good) {
    ee_state_read(&line, ee_json_read(&arena, (ee_str){out.data, out.length}, NULL, NULL));
    ee_unread_total_state(&line, &arena, read);
    good = ee_state_close(&line);
  }
  ee_buffer_fini(&out);
  return good;
}

/* A side with values has a strategy that there is, and one without has none. */
static void test_states(void **state) {
  (void)state;
  const ee_strategy_type *numeric = ee_strategy_type_find(EE_STR("numeric"));
  ee_strategy_type unknown = *numeric;
  unknown.name = "nothing";
  const struct {
    uint64_t count;
    const ee_strategy_type *strategy;
    bool good;
  } facts[] = {{0, NULL, true}, {2, numeric, true}, {2, NULL, false}, {0, numeric, false}, {2, &unknown, false}};
  ee_unread_total *read;
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    for (size_t k = 0; k < 2; k++) {
      ee_unread_total total = {.sides = {{.count = 1, .strategy = numeric}, {.count = 1, .strategy = numeric}}};
      ee_unread_side *side = &total.sides[k];
      *side = (ee_unread_side){.count = facts[i].count, .strategy = facts[i].strategy, .by_remedy = {0, 7}};
      side->example = (ee_case_example){.id = EE_STR("c"), .text = EE_STR("x"), .more = EE_STR("m")};
      assert_int_equal(read_again(&total, &read), facts[i].good);
      if (!facts[i].good) continue;
      assert_int_equal(read->sides[k].count, facts[i].count);
      assert_ptr_equal(read->sides[k].strategy, facts[i].strategy);
      assert_true(read->sides[k].by_remedy[0] == 0 && read->sides[k].by_remedy[1] == 7);
      assert_true(ee_str_is(read->sides[k].example.id, "c") && ee_str_is(read->sides[k].example.more, "m"));
      assert_int_equal(read->sides[1 - k].count, 1);
    }
  }
  assert_true(read_again(NULL, &read));
  assert_null(read);
}

EE_TEST_FILE(set_up, tear_down, cmocka_unit_test(test_sentences), cmocka_unit_test(test_states),
             cmocka_unit_test(test_first_by_name));
