/* test_unit_table.c: units are apart while they fit and in groups of hashes after that, also when tables are merged,
 * listed together or emptied. */
#include <string.h>

#include "data/json/json_reader.h"
#include "run/unit_table.h"
#include "support/random.h"
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

/* Against a list --------------------------------------------------------------------------------- */

enum { MOST = 400 };

/* Units in the order of their keys, by a list that is searched from its beginning. */
typedef struct plain_units {
  ee_unit items[MOST];
  size_t count;
} plain_units;

static void plain_add(plain_units *list, uint64_t key, const ee_counts *counts) {
  size_t at = 0;
  while (at < list->count && list->items[at].key < key) at++;
  if (at == list->count || list->items[at].key != key) {
    assert_true(list->count < MOST);
    memmove(&list->items[at + 1], &list->items[at], (list->count - at) * sizeof *list->items);
    list->items[at] = (ee_unit){.key = key};
    list->count++;
  }
  list->items[at].counts.tp += counts->tp;
  list->items[at].counts.tn += counts->tn;
  list->items[at].counts.fp += counts->fp;
  list->items[at].counts.fn += counts->fn;
}

static plain_units plain_groups(const plain_units *list, unsigned bits) {
  if (list->count <= (size_t)1 << bits) return *list;
  plain_units groups = {.count = 0};
  for (size_t i = 0; i < list->count; i++) {
    const ee_unit *unit = &list->items[i];
    uint64_t group = unit->key;
    for (unsigned bit = 0; bit < 64 - bits; bit++) group &= ~(UINT64_C(1) << bit);
    plain_add(&groups, group | 1,
              &(ee_counts){.tp = unit->counts.tp, .tn = unit->counts.tn, .fp = unit->counts.fp, .fn = unit->counts.fn});
  }
  return groups;
}

static void assert_terms(const ee_unit *units, size_t count, ee_count_ratio ratio, const ee_ratio_sums *got) {
  ee_ratio_sums sums = {.units = 0};
  for (size_t i = 0; i < count; i++) {
    double tp = (double)units[i].counts.tp, tn = (double)units[i].counts.tn, fp = (double)units[i].counts.fp,
           fn = (double)units[i].counts.fn;
    double a = ratio == EE_RATIO_SPECIFICITY ? tn : ratio == EE_RATIO_F1 ? 2 * tp : tp;
    double b = ratio == EE_RATIO_PRECISION     ? tp + fp
               : ratio == EE_RATIO_RECALL      ? tp + fn
               : ratio == EE_RATIO_SPECIFICITY ? tn + fp
                                               : 2 * tp + fp + fn;
    if (b == 0) continue;
    sums.units++;
    sums.aa += a * a, sums.ab += a * b, sums.bb += b * b;
  }
  assert_int_equal(got->units, sums.units);
  assert_true(got->aa == sums.aa && got->ab == sums.ab && got->bb == sums.bb);
}

static ee_counts random_counts(test_random *random) {
  return (ee_counts){.tp = test_random_below(random, 4) % 3,
                     .tn = test_random_below(random, 4) % 3,
                     .fp = test_random_below(random, 4) % 3,
                     .fn = test_random_below(random, 4) % 3};
}

static void assert_same_units(const ee_unit_table *const *tables, size_t table_count, unsigned bits,
                              const plain_units *expected) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  size_t count;
  const ee_unit *units = ee_units_of(tables, table_count, bits, &arena, &count);
  assert_int_equal(count, expected->count);
  if (count > 0) assert_memory_equal(units, expected->items, count * sizeof *units);
  for (int ratio = 0; ratio < EE_COUNT_RATIOS; ratio++) {
    ee_ratio_sums sums = {.units = 0};
    ee_units_add_terms(units, count, (ee_count_ratio)ratio, &sums);
    assert_terms(expected->items, expected->count, (ee_count_ratio)ratio, &sums);
  }
  ee_arena_fini(&arena);
}

/* Random units, in one table, in several that are listed together, and in several that are merged. */
static void random_units(void **state) {
  (void)state;
  test_random random = test_random_start("units", 20261124);
  for (int round = 0; round < 3000; round++) {
    unsigned bits = 1 + (unsigned)test_random_below(&random, 7);
    size_t keys = 1 + test_random_below(&random, 3 * ((size_t)1 << bits)), times = test_random_below(&random, 2 * keys);
    uint64_t names[3 << 7];
    for (size_t i = 0; i < keys; i++) names[i] = test_random_bits(&random) | 1;
    plain_units list = {.count = 0};
    ee_unit_table whole = {0}, parts[3], merged = {0};
    memset(parts, 0, sizeof parts);
    for (size_t i = 0; i < times; i++) {
      uint64_t key = names[test_random_below(&random, keys)];
      ee_counts counts = random_counts(&random);
      if (counts.tp + counts.tn + counts.fp + counts.fn > 0) plain_add(&list, key, &counts);
      ee_unit_table_add_counts(&whole, bits, key, &counts);
      ee_unit_table_add_counts(&parts[test_random_below(&random, 3)], bits, key, &counts);
    }
    plain_units groups = plain_groups(&list, bits);
    for (size_t i = 0; i < 3; i++) ee_unit_table_merge_counts(&merged, &parts[i]);
    const ee_unit_table *one[] = {&whole}, *three[] = {&parts[0], &parts[1], &parts[2]}, *all[] = {&merged};
    assert_same_units(one, 1, bits, &groups);
    assert_same_units(three, 3, bits, &groups);
    assert_same_units(all, 1, bits, &groups);
    assert_int_equal(whole.grouped, list.count > (size_t)1 << bits);
    assert_int_equal(merged.grouped, whole.grouped);
    assert_int_equal(merged.count, groups.count);
    assert_true(merged.count == 0 || merged.count * 4 <= merged.capacity * 3);
    for (unsigned fewer = 1; fewer < bits; fewer++) {
      plain_units coarse = plain_groups(&list, fewer);
      if (list.count > (size_t)1 << fewer) assert_same_units(one, 1, fewer, &coarse);
    }
    ee_unit_table_fini(&whole);
    ee_unit_table_fini(&merged);
    for (size_t i = 0; i < 3; i++) ee_unit_table_fini(&parts[i]);
  }
}

/* States ----------------------------------------------------------------------------------------- */

static ee_str copy_out(ee_buffer *out, ee_arena *arena) {
  ee_str text = {ee_arena_copy(arena, out->data, out->length), out->length};
  ee_buffer_fini(out);
  return text;
}

static ee_str save_counts(ee_count_units *units, const ee_unit_keys *keys, ee_arena *arena) {
  ee_buffer out = {0};
  ee_state_line line;
  ee_state_write(&line, &out);
  ee_count_units_state(&line, units, keys);
  assert_true(ee_state_close(&line));
  return copy_out(&out, arena);
}

static bool load_counts(ee_count_units *units, ee_str text, const ee_unit_keys *keys, ee_arena *arena) {
  ee_state_line line;
  *units = (ee_count_units){.clusters = {0}};
  ee_state_read(&line, ee_json_read(arena, text, NULL, NULL));
  ee_count_units_state(&line, units, keys);
  return ee_state_close(&line);
}

static ee_str save_scores(ee_score_units *units, ee_arena *arena) {
  ee_buffer out = {0};
  ee_state_line line;
  ee_state_write(&line, &out);
  ee_score_units_state(&line, units);
  assert_true(ee_state_close(&line));
  return copy_out(&out, arena);
}

static bool load_scores(ee_score_units *units, ee_str text, ee_arena *arena) {
  ee_state_line line;
  *units = (ee_score_units){.passed = 0};
  ee_state_read(&line, ee_json_read(arena, text, NULL, NULL));
  ee_score_units_state(&line, units);
  return ee_state_close(&line);
}

static void assert_same_table(const ee_unit_table *a, const ee_unit_table *b, ee_arena *arena) {
  size_t left, right;
  const ee_unit *x = ee_units_of(&a, 1, 16, arena, &left), *y = ee_units_of(&b, 1, 16, arena, &right);
  assert_int_equal(a->grouped, b->grouped);
  assert_int_equal(left, right);
  if (left > 0) assert_memory_equal(x, y, left * sizeof *x);
}

/* Read as they were written, with keys that several attributes share or without; then they can be added to. */
static void counts_are_read_as_written(void **state) {
  (void)state;
  test_random random = test_random_start("unit states", 20261125);
  for (int round = 0; round < 400; round++) {
    ee_arena arena;
    ee_arena_init(&arena, 0);
    ee_count_units units[2], again[2];
    memset(units, 0, sizeof units);
    size_t keys = 1 + test_random_below(&random, round % 40 == 0 ? 6000 : 300),
           times = test_random_below(&random, 2 * keys);
    uint64_t *names = EE_NEW_ARRAY(&arena, uint64_t, keys);
    for (size_t i = 0; i < keys; i++) names[i] = test_random_bits(&random) | 1;
    for (size_t i = 0; i < times; i++) {
      ee_counts counts = random_counts(&random);
      if (test_random_below(&random, 50) == 0) counts.tp = test_random_bits(&random) >> 20;
      ee_count_units_add(&units[test_random_below(&random, 2)], names[test_random_below(&random, keys)],
                         test_random_below(&random, 3) > 0, test_random_below(&random, 3) > 0, &counts);
    }
    ee_unit_keys shared = {0}, read = {0};
    for (size_t i = 0; i < 2; i++) ee_unit_keys_add(&shared, &arena, &units[i]);
    ee_unit_keys_sort(&shared, &arena);
    for (size_t i = 1; i < shared.count; i++) assert_true(shared.items[i - 1] < shared.items[i]);
    ee_buffer out = {0};
    ee_state_line line;
    ee_state_write(&line, &out);
    ee_unit_keys_state(&line, &arena, &shared);
    assert_true(ee_state_close(&line));
    ee_str text = copy_out(&out, &arena);
    ee_state_read(&line, ee_json_read(&arena, text, NULL, NULL));
    ee_unit_keys_state(&line, &arena, &read);
    assert_true(ee_state_close(&line));
    assert_int_equal(read.count, shared.count);
    if (read.count > 0) assert_memory_equal(read.items, shared.items, read.count * sizeof *read.items);
    for (size_t i = 0; i < 4; i++) {
      ee_count_units *of = &units[i % 2], *to = &again[i % 2];
      const ee_unit_keys *with = i < 2 ? &read : NULL;
      ee_str saved = save_counts(of, with, &arena);
      if (!load_counts(to, saved, with, &arena)) fail_msg("%d: not read", round);
      assert_memory_equal(&of->alone, &to->alone, sizeof of->alone);
      assert_same_table(&of->clusters, &to->clusters, &arena);
      assert_same_table(&of->all, &to->all, &arena);
      assert_true(ee_str_equal(save_counts(to, with, &arena), saved));
      ee_count_units_merge(to, of);
      ee_count_units doubled = {.clusters = {0}};
      ee_count_units_merge(&doubled, of);
      ee_count_units_merge(&doubled, of);
      assert_memory_equal(&doubled.alone, &to->alone, sizeof doubled.alone);
      assert_same_table(&doubled.clusters, &to->clusters, &arena);
      assert_same_table(&doubled.all, &to->all, &arena);
      ee_count_units_clear(to);
      assert_true(
          ee_str_equal(save_counts(to, with, &arena), save_counts(&(ee_count_units){.clusters = {0}}, with, &arena)));
      ee_count_units_fini(&doubled);
      ee_count_units_fini(to);
    }
    for (size_t i = 0; i < 2; i++) ee_count_units_fini(&units[i]);
    ee_arena_fini(&arena);
  }
}

static void scores_are_read_as_written(void **state) {
  (void)state;
  test_random random = test_random_start("score unit states", 20261126);
  for (int round = 0; round < 200; round++) {
    ee_arena arena;
    ee_arena_init(&arena, 0);
    ee_score_units units = {.passed = 0}, again, doubled = {.passed = 0};
    size_t keys = 1 + test_random_below(&random, round % 20 == 0 ? 5000 : 200),
           times = test_random_below(&random, 2 * keys);
    uint64_t *names = EE_NEW_ARRAY(&arena, uint64_t, keys);
    for (size_t i = 0; i < keys; i++) names[i] = test_random_below(&random, 5) == 0 ? 0 : test_random_bits(&random) | 1;
    for (size_t i = 0; i < times; i++) {
      double score = test_random_unit(&random);
      ee_score_units_add(&units, names[test_random_below(&random, keys)], score, score > 0.5);
    }
    ee_str saved = save_scores(&units, &arena);
    assert_true(load_scores(&again, saved, &arena));
    assert_memory_equal(&units.clustered, &again.clustered, sizeof units.clustered);
    assert_int_equal(units.passed, again.passed);
    assert_int_equal(units.clusters.count, again.clusters.count);
    assert_int_equal(units.clusters.grouped, again.clusters.grouped);
    assert_true(ee_str_equal(save_scores(&again, &arena), saved));
    ee_score_units_merge(&again, &units);
    ee_score_units_merge(&doubled, &units);
    ee_score_units_merge(&doubled, &units);
    assert_true(ee_str_equal(save_scores(&again, &arena), save_scores(&doubled, &arena)));
    ee_score_units_fini(&units);
    ee_score_units_fini(&again);
    ee_score_units_fini(&doubled);
    ee_arena_fini(&arena);
  }
}

/* A state as no table writes it: `count` clusters of a score each, the first after `skipped` keys. */
static bool reads_scores(size_t count, uint64_t skipped, bool grouped, size_t *read_count) {
  ee_buffer out = {0};
  ee_state_line line;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_sample clustered = {.count = count};
  uint64_t passed = 0, zero = 0, one = 1;
  bool there = count > 0, none = false;
  ee_fixed sum = ee_fixed_from(0.5);
  ee_state_write(&line, &out);
  ee_state_begin(&line);
  ee_state_sample(&line, &clustered);
  ee_state_count(&line, &passed);
  ee_state_begin_packed(&line);
  ee_state_flag(&line, &grouped);
  ee_state_items(&line, count);
  bool all = grouped && count == (size_t)1 << EE_CLUSTER_BITS; /* all groups: without their numbers */
  for (size_t i = 0; i < count && !all; i++) ee_state_count(&line, i == 0 ? &skipped : &zero);
  ee_state_flag(&line, &there);
  if (there) ee_state_count(&line, &one);
  for (size_t i = 0; i < count; i++) ee_state_count(&line, &zero);
  ee_state_flag(&line, &none);
  for (size_t i = 0; i < count; i++) ee_state_fixed(&line, &sum);
  ee_state_end(&line);
  ee_state_end_packed(&line);
  ee_state_end(&line);
  assert_true(ee_state_close(&line));
  ee_score_units read;
  bool good = load_scores(&read, copy_out(&out, &arena), &arena);
  *read_count = read.clusters.count;
  if (good) assert_int_equal(read.clusters.grouped, grouped);
  ee_score_units_fini(&read);
  ee_arena_fini(&arena);
  return good;
}

/* No more units than a table keeps apart, no key or group beyond the last, and not far fewer groups than there are. */
static void refuses_impossible_tables(void **state) {
  (void)state;
  const size_t most = (size_t)1 << EE_CLUSTER_BITS;
  const uint64_t last_key = UINT64_MAX >> 1;
  const struct {
    size_t count;
    uint64_t skipped;
    bool grouped, good;
  } facts[] = {
      {0, 0, false, true},
      {1, 0, false, true},
      {most - 1, 0, false, true},
      {most, 0, false, true},
      {most + 1, 0, false, false},
      {1, last_key, false, true},
      {1, last_key + 1, false, false},
      {1, UINT64_MAX, false, false},
      {2, last_key - 1, false, true},
      {2, last_key, false, false},
      {most, 0, true, true},
      {most + 1, 0, true, false},
      {most / 2, 0, true, true},
      {most / 2, most / 2, true, true},
      {most / 2, most / 2 + 1, true, false},
      {most / 8, 7, true, true},
      {most / 8 - 1, 7, true, false},
      {0, 0, true, false},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    size_t count;
    bool good = reads_scores(facts[i].count, facts[i].skipped, facts[i].grouped, &count);
    if (good != facts[i].good) fail_msg("%zu: %s", i, good ? "read" : "refused");
    if (good) assert_int_equal(count, facts[i].count);
  }
}

/* A key that is not among the shared ones. */
static void refuses_keys_that_are_not_shared(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_count_units units = {.clusters = {0}}, read;
  for (uint64_t i = 1; i <= 4; i++) ee_count_units_add(&units, 8 * i + 1, true, false, &(ee_counts){.tp = i});
  ee_unit_keys all = {0};
  ee_unit_keys_add(&all, &arena, &units);
  ee_unit_keys_sort(&all, &arena);
  assert_int_equal(all.count, 4);
  ee_str saved = save_counts(&units, &all, &arena);
  assert_true(load_counts(&read, saved, &all, &arena));
  ee_count_units_fini(&read);
  ee_unit_keys fewer = all;
  for (fewer.count = 0; fewer.count < 4; fewer.count++) {
    assert_false(load_counts(&read, saved, &fewer, &arena));
    ee_count_units_fini(&read);
    /* Nor are they written. */
    ee_buffer out = {0};
    ee_state_line line;
    ee_state_write(&line, &out);
    ee_count_units_state(&line, &units, &fewer);
    assert_false(ee_state_close(&line));
    ee_buffer_fini(&out);
  }
  ee_count_units_fini(&units);
  ee_arena_fini(&arena);
}

/* The sums of a mean and of a share of passes, by hand: clusters of 3 and 1 scores, and two scores alone. */
static void sums_of_clusters(void **state) {
  (void)state;
  static const struct {
    uint64_t cluster;
    double score;
  } cases[] = {{9, 0.5}, {9, 1}, {0, 0.25}, {7, 0.75}, {9, 0}, {0, 1}};
  ee_score_units units = {.passed = 0};
  ee_sample all = {.count = 0};
  uint64_t passed = 0;
  for (size_t i = 0; i < 6; i++) {
    ee_sample_add(&all, cases[i].score);
    ee_score_units_add(&units, cases[i].cluster, cases[i].score, cases[i].score >= 0.75);
    passed += cases[i].score >= 0.75;
  }
  assert_int_equal(ee_score_units_count(&units, &all), 4);
  ee_ratio_sums mean = ee_score_units_mean(&units, &all);
  assert_true(mean.units == 4 && mean.a == 3.5 && mean.b == 6);
  assert_true(mean.aa == 1.5 * 1.5 + 0.75 * 0.75 + 0.25 * 0.25 + 1 && mean.ab == 1.5 * 3 + 0.75 + 0.25 + 1 &&
              mean.bb == 9 + 1 + 1 + 1);
  ee_ratio_sums rate = ee_score_units_pass_rate(&units, &all, passed);
  assert_true(rate.units == 4 && rate.a == 3 && rate.b == 6);
  assert_true(rate.aa == 1 + 1 + 0 + 1 && rate.ab == 3 + 1 + 0 + 1 && rate.bb == 9 + 1 + 1 + 1);
  ee_score_units_clear(&units);
  assert_int_equal(ee_score_units_count(&units, &all), 6);
  rate = ee_score_units_pass_rate(&units, &all, passed);
  assert_true(rate.units == 6 && rate.a == 3 && rate.b == 6);
  ee_score_units_fini(&units);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(random_units), cmocka_unit_test(counts_are_read_as_written),
             cmocka_unit_test(scores_are_read_as_written), cmocka_unit_test(refuses_impossible_tables),
             cmocka_unit_test(refuses_keys_that_are_not_shared), cmocka_unit_test(sums_of_clusters),
             cmocka_unit_test(one_more_makes_groups), cmocka_unit_test(groups_win), cmocka_unit_test(listed_together),
             cmocka_unit_test(scores_in_groups));
