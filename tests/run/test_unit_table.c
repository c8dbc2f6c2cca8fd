/* test_unit_table.c: units are apart while they fit and in groups of hashes after that, also when tables are merged,
 * listed together or emptied. */
#include <string.h>

#include "data/json/json_reader.h"
#include "run/unit_table.h"
#include "support/runner.h"

enum { BITS = 3, APART = 1 << BITS };

/* The key of unit `number` in group `group`, of 2^BITS. */
static uint64_t key_of(uint64_t group, uint64_t number) { return group << (64 - BITS) | number << 1 | 1; }

static void add(ee_unit_table *table, uint64_t key, uint64_t tp) {
  ee_unit_table_add_counts(table, BITS, key, &(ee_counts){.tp = tp, .tn = 2, .fp = 3, .fn = 4});
}

typedef struct expected_unit {
  uint64_t key, tp, times;
} expected_unit;

static void assert_units(const ee_unit_table *a, const ee_unit_table *b, unsigned bits, const expected_unit *expected,
                         size_t count) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_unit_table *tables[] = {a, b};
  size_t listed;
  const ee_unit *units = ee_units_of(tables, b == NULL ? 1 : 2, bits, &arena, &listed);
  assert_int_equal(listed, count);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(units[i].key, expected[i].key);
    assert_int_equal(units[i].counts.tp, expected[i].tp);
    assert_int_equal(units[i].counts.tn, 2 * expected[i].times);
    assert_int_equal(units[i].counts.fp, 3 * expected[i].times);
    assert_int_equal(units[i].counts.fn, 4 * expected[i].times);
  }
  ee_arena_fini(&arena);
}

/* As many as are kept apart, of two groups: one more and there are two. */
static void one_more_makes_groups(void **state) {
  (void)state;
  ee_unit_table table = {0};
  expected_unit apart[APART];
  for (uint64_t i = APART; i-- > 0;) {
    apart[i] = (expected_unit){key_of(i < 3 ? 2 : 5, i), i, 1};
    add(&table, apart[i].key, i);
  }
  ee_unit_table_add_counts(&table, BITS, key_of(7, 1), &(ee_counts){0}); /* nothing: no unit */
  assert_false(table.grouped);
  assert_int_equal(table.count, APART);
  assert_units(&table, NULL, BITS, apart, APART);
  add(&table, apart[1].key, 10); /* a unit that is there */
  apart[1].tp += 10;
  apart[1].times++;
  assert_false(table.grouped);
  assert_units(&table, NULL, BITS, apart, APART);
  add(&table, key_of(5, 100), 50);
  assert_true(table.grouped);
  assert_int_equal(table.count, 2);
  assert_int_equal(table.bits, BITS);
  assert_units(&table, NULL, BITS, (const expected_unit[]){{key_of(2, 0), 13, 4}, {key_of(5, 0), 75, 6}}, 2);
  add(&table, key_of(2, 77), 1);
  add(&table, key_of(0, 5), 4);
  const expected_unit three[] = {{key_of(0, 0), 4, 1}, {key_of(2, 0), 14, 5}, {key_of(5, 0), 75, 6}};
  assert_units(&table, NULL, BITS, three, 3);
  /* By fewer bits: groups of groups. */
  assert_units(&table, NULL, 1, (const expected_unit[]){{1, 18, 6}, {UINT64_C(1) << 63 | 1, 75, 6}}, 2);
  ee_unit_table_fini(&table);
  assert_int_equal(table.count, 0);
}

/* A table of groups makes groups of the other, on whichever side it is, however few units there are. */
static void groups_win(void **state) {
  (void)state;
  for (int order = 0; order < 2; order++) {
    ee_unit_table groups = {0}, apart = {0}, empty = {0};
    for (uint64_t i = 0; i <= APART; i++) add(&groups, key_of(4, i), 1);
    add(&apart, key_of(4, 100), 20);
    add(&apart, key_of(1, 100), 30);
    add(&apart, key_of(1, 101), 40);
    assert_true(groups.grouped && !apart.grouped);
    const expected_unit both[] = {{key_of(1, 0), 70, 2}, {key_of(4, 0), 29, 10}};
    assert_units(order == 0 ? &groups : &apart, order == 0 ? &apart : &groups, BITS, both, 2);
    ee_unit_table *to = order == 0 ? &groups : &apart;
    ee_unit_table_merge_counts(to, order == 0 ? &apart : &groups);
    assert_true(to->grouped);
    assert_int_equal(to->count, 2);
    assert_units(to, NULL, BITS, both, 2);
    ee_unit_table_merge_counts(to, &empty);
    assert_units(to, NULL, BITS, both, 2);
    ee_unit_table_merge_counts(&empty, to);
    assert_true(empty.grouped);
    assert_int_equal(empty.bits, BITS);
    assert_units(&empty, NULL, BITS, both, 2);
    /* Emptied, it keeps units apart again. */
    ee_unit_table_clear(to);
    assert_units(to, NULL, BITS, NULL, 0);
    add(to, key_of(4, 7), 2);
    add(to, key_of(4, 8), 3);
    assert_false(to->grouped);
    assert_units(to, NULL, BITS, (const expected_unit[]){{key_of(4, 7), 2, 1}, {key_of(4, 8), 3, 1}}, 2);
    ee_unit_table_fini(&groups);
    ee_unit_table_fini(&apart);
    ee_unit_table_fini(&empty);
  }
}

/* Of tables that are listed together a unit is one, and groups are made when all of them together have too many. */
static void listed_together(void **state) {
  (void)state;
  ee_unit_table first = {0}, second = {0};
  expected_unit all[APART];
  for (uint64_t i = 0; i < APART; i++) {
    all[i] = (expected_unit){key_of(i / 2, i), i, 1};
    if (i < 5) add(&first, all[i].key, i);
    if (i >= 5) add(&second, all[i].key, i);
  }
  add(&second, all[2].key, 7);
  all[2].tp += 7;
  all[2].times++;
  assert_units(&first, &second, BITS, all, APART);
  add(&first, key_of(7, 0), 1);
  const expected_unit groups[] = {
      {key_of(0, 0), 1, 2}, {key_of(1, 0), 12, 3}, {key_of(2, 0), 9, 2}, {key_of(3, 0), 13, 2}, {key_of(7, 0), 1, 1}};
  assert_units(&first, &second, BITS, groups, 5);
  assert_false(first.grouped || second.grouped);
  ee_unit_table_fini(&first);
  ee_unit_table_fini(&second);
}

/* Scores in groups: clusters are counted as groups, and what was added to them is all there. */
static void scores_in_groups(void **state) {
  (void)state;
  ee_score_units units = {0}, other = {0};
  ee_sample all = {0};
  const uint64_t apart = UINT64_C(1) << EE_CLUSTER_BITS;
  for (uint64_t i = 0; i <= apart; i++) {
    ee_sample_add(&all, 0.25);
    ee_score_units_add(&units, i % 16 << 60 | i << 1 | 1, 0.25, i % 2 == 0);
    assert_int_equal(ee_score_units_count(&units, &all), i < apart ? i + 1 : 16);
  }
  ee_sample_add(&all, 1);
  ee_score_units_add(&units, 0, 1, true); /* a case without a cluster is a unit */
  assert_int_equal(ee_score_units_count(&units, &all), 17);
  ee_score_units_merge(&other, &units);
  assert_int_equal(ee_score_units_count(&other, &all), 17);
  double sum = (double)(apart + 1) / 4 + 1;
  ee_ratio_sums mean = ee_score_units_mean(&other, &all);
  assert_int_equal(mean.units, 17);
  assert_true(mean.a == sum && mean.b == (double)(apart + 2));
  ee_ratio_sums rate = ee_score_units_pass_rate(&other, &all, apart / 2 + 2);
  assert_int_equal(rate.units, 17);
  assert_true(rate.a == (double)(apart / 2 + 2) && rate.b == (double)(apart + 2));
  /* 8 groups of 128 clusters that pass, one of them with one more, and the case alone. */
  assert_true(rate.aa == 7 * 128.0 * 128 + 129 * 129 + 1);
  /* So few groups of so many units are not believed: real keys are spread evenly. */
  ee_buffer out = {0};
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_state_line line;
  ee_state_write(&line, &out);
  ee_score_units_state(&line, &units);
  assert_true(ee_state_close(&line));
  ee_score_units read = {0};
  ee_state_read(&line, ee_json_read(&arena, (ee_str){out.data, out.length}, NULL, NULL));
  ee_score_units_state(&line, &read);
  assert_false(ee_state_close(&line));
  ee_score_units_fini(&read);
  ee_arena_fini(&arena);
  ee_buffer_fini(&out);
  ee_score_units_clear(&other);
  ee_score_units_add(&other, 1, 1, true);
  ee_score_units_add(&other, 3, 1, true);
  assert_int_equal(ee_score_units_count(&other, &(ee_sample){.count = 2}), 2);
  ee_score_units_fini(&units);
  ee_score_units_fini(&other);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(one_more_makes_groups), cmocka_unit_test(groups_win),
             cmocka_unit_test(listed_together), cmocka_unit_test(scores_in_groups));
