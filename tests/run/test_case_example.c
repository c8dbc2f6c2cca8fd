/* test_case_example.c: the case that stands for many, against a list of all of them. */
#include "run/case_example.h"

#include <string.h>

#include "data/json/json_reader.h"
#include "support/arena.h"
#include "support/random.h"

typedef struct made {
  ee_str id, text, more;
} made;

/* Often equal, sometimes long, so that the memory of the one before is too small. */
static ee_str random_text(test_random *random) {
  size_t length = test_random_below(random, 6) == 0 ? test_random_below(random, 200) : test_random_below(random, 3);
  char *text = ee_arena_alloc(&arena, length + 1);
  memset(text, 'a' + (int)test_random_below(random, 3), length);
  text[length] = '\0';
  return (ee_str){text, length};
}

static bool comes_before(const made *a, const made *b) {
  int order = ee_str_compare(a->id, b->id);
  if (order == 0) order = ee_str_compare(a->text, b->text);
  return (order != 0 ? order : ee_str_compare(a->more, b->more)) < 0;
}

static void assert_is(const ee_case_example *example, const made *expected) {
  if (expected == NULL) {
    assert_null(example->id.data);
    return;
  }
  assert_non_null(example->id.data);
  assert_true(ee_str_equal(example->id, expected->id) && ee_str_equal(example->text, expected->text) &&
              ee_str_equal(example->more, expected->more));
}

static ee_case_example again(ee_case_example *example) {
  ee_buffer out = {0};
  ee_state_line line;
  ee_case_example read = {.room = 0};
  ee_state_write(&line, &out);
  ee_case_example_state(&line, &arena, example);
  assert_true(ee_state_close(&line));
  ee_state_read(&line, ee_json_read(&arena, (ee_str){out.data, out.length}, NULL, NULL));
  ee_case_example_state(&line, &arena, &read);
  assert_true(ee_state_close(&line));
  ee_buffer_fini(&out);
  return read;
}

static void is_the_first_of_all(void **state) {
  (void)state;
  test_random random = test_random_start("case examples", 61);
  for (int round = 0; round < 3000; round++) {
    enum { MOST = 30 };
    made cases[MOST];
    size_t count = test_random_below(&random, MOST + 1), first = 0;
    ee_case_example whole = {.room = 0}, parts[2] = {{.room = 0}, {.room = 0}};
    for (size_t i = 0; i < count; i++) {
      cases[i] = (made){random_text(&random), random_text(&random), random_text(&random)};
      if (comes_before(&cases[i], &cases[first])) first = i;
      /* Who asks before its texts are made is not sent away with the first one. */
      bool wanted = ee_case_example_wants(&whole, cases[i].id);
      if (first == i) assert_true(wanted);
      if (i > 0 && ee_str_compare(cases[i].id, whole.id) > 0) assert_false(wanted);
      ee_case_example_offer(&whole, &arena, cases[i].id, cases[i].text, cases[i].more);
      ee_case_example_offer(&parts[test_random_below(&random, 2)], &arena, cases[i].id, cases[i].text, cases[i].more);
      assert_is(&whole, &cases[first]);
    }
    const made *expected = count > 0 ? &cases[first] : NULL;
    assert_is(&whole, expected);
    ee_case_example read = again(&whole);
    assert_is(&read, expected);
    ee_case_example_merge(&parts[0], &arena, &parts[1]);
    assert_is(&parts[0], expected);
    /* One that was read may be replaced. */
    ee_case_example_offer(&read, &arena, EE_STR(""), EE_STR(""), EE_STR(""));
    assert_is(&read, &(made){EE_STR(""), EE_STR(""), EE_STR("")});
    if (count > 0) ee_case_example_merge(&read, &arena, &whole);
    assert_is(&read, &(made){EE_STR(""), EE_STR(""), EE_STR("")});
    ee_arena_reset(&arena, 0);
  }
}

/* Ids in descending order replace each other: the memory grows by doubling, and is of 64 bytes at least. */
static void memory_is_taken_over(void **state) {
  (void)state;
  ee_case_example example = {.room = 0};
  char id[400];
  size_t rooms = 0, room = 0;
  for (size_t length = 3; length < sizeof id; length++) {
    memset(id, 'x', length);
    for (size_t i = 3, number = 999 - length; i-- > 0; number /= 10) id[i] = (char)('0' + number % 10);
    if (!ee_case_example_wants(&example, (ee_str){id, length})) fail_msg("length %zu", length);
    ee_case_example_offer(&example, &arena, (ee_str){id, length}, EE_STR("t"), EE_STR(""));
    assert_int_equal(example.id.length, length);
    assert_memory_equal(example.id.data, id, length);
    assert_true(ee_str_is(example.text, "t"));
    assert_true(example.room >= length + 1 && example.room >= 64);
    rooms += example.room != room;
    room = example.room;
  }
  assert_int_equal(rooms, 4); /* 64, 128, 256, 512 */
  /* One that needs more than twice as much gets what it needs. */
  static char large[5000];
  memset(large, '!', sizeof large);
  ee_case_example_offer(&example, &arena, (ee_str){large, sizeof large}, EE_STR(""), EE_STR(""));
  assert_int_equal(example.room, sizeof large);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(is_the_first_of_all), cmocka_unit_test(memory_is_taken_over));
