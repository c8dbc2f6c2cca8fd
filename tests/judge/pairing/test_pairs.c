/* test_pairs.c: choosing among possible pairs, its limits and its fall-backs. */
#include "judge/pairing/pairs.h"

#include "data/json/json_reader.h"
#include "support/random.h"

/* Row 0 is most similar to column 0, which the only pair of row 1 needs: pairing greedily leaves row 1 alone. */
static ee_pairs contested(ee_arena *arena, double best) {
  ee_pairs pairs = {.rows = 2, .columns = 2, .limit = EE_PAIRS_LIMIT, .arena = arena};
  assert_true(ee_pairs_add(&pairs, 0, 0, best));
  assert_true(ee_pairs_add(&pairs, 0, 1, 0.25));
  assert_true(ee_pairs_add(&pairs, 1, 0, 0.5));
  return pairs;
}

static void assert_pair(const ee_pair *pair, uint32_t row, uint32_t column, double similarity) {
  assert_int_equal(pair->row, row);
  assert_int_equal(pair->column, column);
  assert_true(pair->similarity == similarity);
}

static void test_methods(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  bool fell_back = true;
  ee_pairs pairs = contested(&arena, 0.875);
  assert_int_equal(ee_pairs_choose(&pairs, EE_PAIRS_GREEDY, true, &fell_back), 1);
  assert_false(fell_back);
  assert_pair(&pairs.items[0], 0, 0, 0.875);
  /* 0.875 alone is more than 0.25 + 0.5, but fewer pairs. */
  pairs = contested(&arena, 0.875);
  assert_int_equal(ee_pairs_choose(&pairs, EE_PAIRS_OPTIMAL, true, &fell_back), 1);
  assert_false(fell_back);
  assert_pair(&pairs.items[0], 0, 0, 0.875);
  pairs = contested(&arena, 0.875);
  assert_int_equal(ee_pairs_choose(&pairs, EE_PAIRS_OPTIMAL_COUNT, true, &fell_back), 2);
  assert_false(fell_back);
  assert_pair(&pairs.items[0], 0, 1, 0.25);
  assert_pair(&pairs.items[1], 1, 0, 0.5);
  /* 0.625 alone is less than both. */
  pairs = contested(&arena, 0.625);
  assert_int_equal(ee_pairs_choose(&pairs, EE_PAIRS_OPTIMAL, true, &fell_back), 2);
  ee_arena_fini(&arena);
}

static void test_fall_back(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  static const ee_pairs_method methods[] = {EE_PAIRS_OPTIMAL, EE_PAIRS_OPTIMAL_COUNT};
  for (size_t i = 0; i < 2; i++) {
    bool fell_back = false;
    ee_pairs pairs = contested(&arena, 0.625);
    assert_int_equal(ee_pairs_choose(&pairs, methods[i], false, &fell_back), 1);
    assert_true(fell_back);
    assert_pair(&pairs.items[0], 0, 0, 0.625);
  }
  bool fell_back = true;
  ee_pairs pairs = contested(&arena, 0.625);
  assert_int_equal(ee_pairs_choose(&pairs, EE_PAIRS_GREEDY, false, &fell_back), 1);
  assert_false(fell_back);
  ee_pairs none = {.rows = 3, .columns = 0, .limit = EE_PAIRS_LIMIT, .arena = &arena};
  for (int method = EE_PAIRS_GREEDY; method <= EE_PAIRS_OPTIMAL_COUNT; method++) {
    assert_int_equal(ee_pairs_choose(&none, (ee_pairs_method)method, true, &fell_back), 0);
    assert_false(fell_back);
  }
  ee_arena_fini(&arena);
}

static void test_limit(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_pairs pairs = {.rows = 100, .columns = 100, .limit = 20, .arena = &arena};
  for (uint32_t i = 0; i < 20; i++) assert_true(ee_pairs_add(&pairs, i, i, 1));
  assert_false(ee_pairs_add(&pairs, 20, 20, 1));
  assert_int_equal(pairs.count, 20);
  for (uint32_t i = 0; i < 20; i++) assert_pair(&pairs.items[i], i, i, 1);
  ee_arena_fini(&arena);
}

/* By label, then by value; equal items stay in their order. */
static void test_ranks(void **state) {
  (void)state;
  static const struct {
    const char *label, *value;
  } items[] = {{"\"b\"", "1"},         {"\"a\"", "{\"x\":2}"}, {NULL, "7"},
               {"\"a\"", "{\"x\":1}"}, {"\"b\"", "1.0"},       {NULL, "2"}};
  static const uint32_t expected[] = {5, 2, 3, 1, 0, 4};
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_ranked_item ranked[6];
  for (uint32_t i = 0; i < 6; i++) {
    ee_error error;
    ranked[i] = (ee_ranked_item){.value = ee_json_read(&arena, ee_str_from(items[i].value), NULL, &error), .index = i};
    if (items[i].label != NULL) ranked[i].label = ee_json_read(&arena, ee_str_from(items[i].label), NULL, &error);
  }
  ee_rank_items(ranked, 6, &arena);
  for (size_t i = 0; i < 6; i++) assert_int_equal(ranked[i].index, expected[i]);
  ee_arena_fini(&arena);
}

/* Most pairs first: as many as the maximum matching by search has, with the total of none of the greedy ones above. */
static void test_counts(void **state) {
  (void)state;
  test_random random = test_random_start("pairs", 21);
  enum { SIZE = 6 };
  for (int round = 0; round < 500; round++) {
    ee_arena arena;
    ee_arena_init(&arena, 0);
    double similarity[SIZE][SIZE] = {{0}};
    ee_pairs pairs = {.rows = SIZE, .columns = SIZE, .limit = EE_PAIRS_LIMIT, .arena = &arena};
    for (uint32_t r = 0; r < SIZE; r++) {
      for (uint32_t c = 0; c < SIZE; c++) {
        if (test_random_below(&random, 3) > 0) continue;
        similarity[r][c] = (double)(1 + test_random_below(&random, 64)) / 64;
        ee_pairs_add(&pairs, r, c, similarity[r][c]);
      }
    }
    /* The best count and total of the first rows, by the set of columns taken: (count, total) packed into one number.
     */
    double best[1 << SIZE];
    for (size_t set = 0; set < 1 << SIZE; set++) best[set] = set == 0 ? 0 : -1;
    for (uint32_t r = 0; r < SIZE; r++) {
      for (size_t set = (1 << SIZE); set-- > 0;) {
        for (uint32_t c = 0; c < SIZE; c++) {
          if ((set >> c & 1) == 0 || similarity[r][c] == 0 || best[set & ~((size_t)1 << c)] < 0) continue;
          double with = best[set & ~((size_t)1 << c)] + 1000 + similarity[r][c];
          if (with > best[set]) best[set] = with;
        }
      }
    }
    double expected = 0, sum = 0;
    for (size_t set = 0; set < 1 << SIZE; set++) expected = best[set] > expected ? best[set] : expected;
    bool fell_back, rows[SIZE] = {false}, columns[SIZE] = {false};
    size_t taken = ee_pairs_choose(&pairs, EE_PAIRS_OPTIMAL_COUNT, true, &fell_back);
    for (size_t i = 0; i < taken; i++) {
      const ee_pair *pair = &pairs.items[i];
      assert_true(pair->similarity == similarity[pair->row][pair->column]);
      assert_false(rows[pair->row] || columns[pair->column]);
      rows[pair->row] = columns[pair->column] = true;
      sum += 1000 + pair->similarity;
    }
    assert_true(sum == expected);
    ee_arena_fini(&arena);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_methods), cmocka_unit_test(test_fall_back), cmocka_unit_test(test_limit),
             cmocka_unit_test(test_ranks), cmocka_unit_test(test_counts));
