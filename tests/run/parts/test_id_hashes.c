/* test_id_hashes.c: sets of hashes against sorted lists: written and read, sampled, and what several have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "data/json/json_reader.h"
#include "run/parts/id_hashes.h"
#include "support/random.h"

/* Written as a state line and read again. */
static ee_id_hashes again(ee_id_hashes *ids) {
  ee_buffer text = {0};
  ee_state_line line;
  ee_state_write(&line, &text);
  ee_id_hashes_state(&line, ids);
  assert_true(ee_state_close(&line));
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_id_hashes read = {0};
  ee_state_read(&line, ee_json_read(&arena, (ee_str){text.data, text.length}, NULL, NULL));
  ee_id_hashes_state(&line, &read);
  assert_true(ee_state_close(&line));
  ee_arena_fini(&arena);
  ee_buffer_fini(&text);
  return read;
}

static void assert_same(const ee_id_hashes *a, const ee_id_hashes *b) {
  assert_int_equal(a->count, b->count);
  assert_int_equal(a->shift, b->shift);
  for (size_t i = 0; i < a->count; i++) assert_true(a->items[i] == b->items[i]);
}

static void test_is_read_as_written(void **state) {
  (void)state;
  test_random random = test_random_start("id_hashes", 31);
  static const size_t counts[] = {0, 1, 2, 3, 100, 5000};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    ee_id_hashes ids = {0};
    for (size_t k = 0; k < counts[i]; k++) ee_id_hashes_add(&ids, test_random_bits(&random), SIZE_MAX);
    if (counts[i] > 2) {
      ee_id_hashes_add(&ids, 0, SIZE_MAX);
      ee_id_hashes_add(&ids, UINT64_MAX, SIZE_MAX);
      ee_id_hashes_add(&ids, UINT64_MAX, SIZE_MAX);
    }
    ee_id_hashes_sort(&ids);
    for (size_t k = 1; k < ids.count; k++) assert_true(ids.items[k - 1] < ids.items[k]);
    for (size_t k = 0; k < ids.count; k++) assert_true(ee_id_hashes_has(&ids, ids.items[k]));
    assert_false(ee_id_hashes_has(&ids, 12345));
    ee_id_hashes read = again(&ids);
    assert_same(&ids, &read);
    ee_id_hashes_fini(&ids);
    ee_id_hashes_fini(&read);
  }
}

/* What is kept does not depend on the order, nor on how the parts were cut. */
static void test_keeps_a_sample(void **state) {
  (void)state;
  test_random random = test_random_start("id_hashes sample", 32);
  enum { COUNT = 3000, LIMIT = 100 };
  static uint64_t hashes[COUNT];
  for (size_t i = 0; i < COUNT; i++) hashes[i] = test_random_bits(&random);
  ee_id_hashes forward = {0}, backward = {0};
  for (size_t i = 0; i < COUNT; i++) {
    ee_id_hashes_add(&forward, hashes[i], LIMIT);
    ee_id_hashes_add(&backward, hashes[COUNT - 1 - i], LIMIT);
  }
  ee_id_hashes_sort(&forward);
  ee_id_hashes_sort(&backward);
  assert_same(&forward, &backward);
  /* The first share, halved again and again, that has no more than the limit. */
  unsigned shift = 0;
  size_t kept = COUNT;
  while (kept > LIMIT) {
    uint64_t top = UINT64_MAX >> ++shift;
    kept = 0;
    for (size_t i = 0; i < COUNT; i++) kept += hashes[i] <= top;
  }
  assert_int_equal(forward.shift, shift);
  assert_int_equal(forward.count, kept);
  ee_id_pool pool = {.limit = LIMIT};
  size_t most = 0;
  for (size_t start = 0; start < COUNT;) {
    size_t size = 1 + test_random_below(&random, 700);
    ee_id_hashes part = {0};
    for (size_t i = start; i < COUNT && i < start + size; i++) ee_id_hashes_add(&part, hashes[i], LIMIT);
    ee_id_hashes_sort(&part);
    ee_id_pool_add(&pool, &part, start);
    assert_true(pool.all.count <= LIMIT + LIMIT / 2 + part.count); /* joined before they take more */
    most = pool.run_count > most ? pool.run_count : most;
    ee_id_hashes_fini(&part);
    start += size;
  }
  assert_true(most > 2); /* and not at once */
  ee_id_pool_finish(&pool);
  assert_same(&forward, &pool.all);
  ee_id_pool_fini(&pool);
  ee_id_hashes_fini(&forward);
  ee_id_hashes_fini(&backward);
}

/* Of a part that is a sample and one that is whole, the sample of both is the smaller one, in whatever order they come.
 */
static void test_the_smallest_sample_wins(void **state) {
  (void)state;
  test_random random = test_random_start("id_hashes samples", 34);
  for (int round = 0; round < 200; round++) {
    ee_id_hashes parts[3] = {{.shift = 0}, {.shift = 0}, {.shift = 0}};
    unsigned shift = (unsigned)test_random_below(&random, 6);
    uint64_t top = UINT64_MAX >> shift;
    size_t expected = 0;
    for (size_t i = 0; i < 3; i++) {
      size_t count = test_random_below(&random, 30);
      if (i == 1) parts[i].shift = shift;
      for (size_t k = 0; k < count; k++) {
        uint64_t hash = test_random_bits(&random);
        if (i == 1) hash >>= shift;
        ee_id_hashes_add(&parts[i], hash, 1000);
        expected += hash <= top;
      }
      ee_id_hashes_sort(&parts[i]);
    }
    ee_id_pool pool = {.limit = 1000};
    for (size_t i = 0; i < 3; i++) ee_id_pool_add(&pool, &parts[(i + (size_t)round) % 3], i);
    ee_id_pool_finish(&pool);
    assert_int_equal(pool.all.shift, shift);
    assert_int_equal(pool.all.count, expected);
    for (size_t i = 0; i < pool.all.count; i++) assert_true(pool.all.items[i] <= top);
    ee_id_pool_fini(&pool);
    for (size_t i = 0; i < 3; i++) ee_id_hashes_fini(&parts[i]);
  }
}

/* Which parts have which of a few ids. */
enum { IDS = 60, PARTS = 12 };

typedef struct found {
  bool repeated[PARTS][IDS];
  const uint64_t *hashes;
} found;

static void note(void *user, uint64_t hash, size_t owner) {
  found *self = user;
  for (size_t i = 0; i < IDS; i++) {
    if (self->hashes[i] != hash) continue;
    assert_true(owner < PARTS);
    assert_false(self->repeated[owner][i]);
    self->repeated[owner][i] = true;
    return;
  }
  fail();
}

static void test_finds_what_several_parts_have(void **state) {
  (void)state;
  test_random random = test_random_start("id_pool", 33);
  for (size_t round = 0; round < 300; round++) {
    uint64_t hashes[IDS];
    bool has[PARTS][IDS];
    found seen = {.hashes = hashes};
    for (size_t i = 0; i < IDS; i++) hashes[i] = test_random_bits(&random) >> test_random_below(&random, 8);
    size_t limit = test_random_below(&random, 4) == 0 ? IDS : 0; /* a small limit: runs are joined on the way */
    ee_id_pool pool = {.limit = limit, .repeated = note, .user = &seen};
    size_t share = 1 + test_random_below(&random, 10);
    for (size_t p = 0; p < PARTS; p++) {
      ee_id_hashes part = {0};
      for (size_t i = 0; i < IDS; i++) {
        has[p][i] = test_random_below(&random, share) == 0;
        if (has[p][i]) ee_id_hashes_add(&part, hashes[i], SIZE_MAX);
      }
      ee_id_hashes_sort(&part);
      ee_id_pool_add(&pool, &part, p);
      ee_id_hashes_fini(&part);
    }
    ee_id_pool_finish(&pool);
    for (size_t i = 0; i < IDS; i++) {
      bool before = false;
      for (size_t p = 0; p < PARTS; p++) {
        assert_int_equal(seen.repeated[p][i], before && has[p][i]);
        before = before || has[p][i];
      }
      assert_int_equal(ee_id_hashes_has(&pool.all, hashes[i]), before);
    }
    ee_id_pool_fini(&pool);
  }
}

/* A list that does not ascend, or goes beyond its sample, is refused. */
static void test_refuses_other_lists(void **state) {
  (void)state;
  static const char *const texts[] = {
      "[0,\"AgMA\"]", "[63,\"AQM=\"]", "[64,\"AQM=\"]", "[64,\"AQA=\"]", "[0,\"/////w8=\"]", "[0,5]",
      "{}",           "[0,\"AgM=\"]"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    ee_arena arena;
    ee_arena_init(&arena, 0);
    ee_id_hashes ids = {0};
    ee_state_line line;
    ee_state_read(&line, ee_json_read(&arena, ee_str_from(texts[i]), NULL, NULL));
    ee_id_hashes_state(&line, &ids);
    assert_false(ee_state_close(&line));
    assert_int_equal(ids.count, 0);
    ee_id_hashes_fini(&ids);
    ee_arena_fini(&arena);
  }
}

/* A sample of one in 2^63, in which there may be 0 and 1, is the smallest. */
static void test_reads_the_smallest_sample(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_id_hashes ids = {0};
  ee_state_line line;
  ee_state_read(&line, ee_json_read(&arena, EE_STR("[63,\"AQA=\"]"), NULL, NULL));
  ee_id_hashes_state(&line, &ids);
  assert_true(ee_state_close(&line));
  assert_int_equal(ids.shift, 63);
  ee_id_hashes_fini(&ids);
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_is_read_as_written), cmocka_unit_test(test_keeps_a_sample),
             cmocka_unit_test(test_the_smallest_sample_wins), cmocka_unit_test(test_finds_what_several_parts_have),
             cmocka_unit_test(test_refuses_other_lists), cmocka_unit_test(test_reads_the_smallest_sample));
