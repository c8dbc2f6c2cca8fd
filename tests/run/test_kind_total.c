/* test_kind_total.c: kinds of an attribute, added one by one and merged in parts, against plain counts; the example is
 * the lowest id in byte order. */
#include "run/kind_total.h"

#include <stdio.h>

#include "support/random.h"

enum { MISMATCHES = 3000, CASES = 400 };

static void test_parts(void **state) {
  (void)state;
  test_random random = test_random_start("kind totals", 20261122);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer text;
  ee_buffer_init(&text);
  uint64_t counts[EE_ERROR_KIND_COUNT] = {0}, missing = 0, spurious = 0;
  char first[EE_ERROR_KIND_COUNT][16] = {""};
  ee_kind_total *whole = NULL, *merged = NULL, *part = NULL;
  for (unsigned i = 0; i < MISMATCHES; i++) {
    ee_error_kind kind = (ee_error_kind)(1 + test_random_below(&random, EE_ERROR_KIND_COUNT - 1));
    ee_class value_class = (ee_class)(EE_CLASS_WRONG + test_random_below(&random, 3));
    char id[16];
    snprintf(id, sizeof id, "c%u", (i * CASES / MISMATCHES * 37) % CASES);
    const ee_value *value = test_random_below(&random, 3) == 0 ? NULL : ee_value_new_number(&arena, i);
    if (counts[kind]++ == 0 || strcmp(id, first[kind]) < 0) strcpy(first[kind], id);
    missing += value_class == EE_CLASS_MISSING;
    spurious += value_class == EE_CLASS_INVENTED;
    ee_kind_total_add(&whole, &arena, kind, value_class, ee_str_from(id), value, NULL, &text);
    ee_kind_total_add(&part, &arena, kind, value_class, ee_str_from(id), value, NULL, &text);
    if (test_random_below(&random, 20) > 0 && i + 1 < MISMATCHES) continue;
    ee_kind_total_merge(&merged, &arena, part);
    part = NULL;
  }
  const ee_kind_total *totals[] = {whole, merged};
  for (size_t t = 0; t < 2; t++) {
    assert_int_equal(totals[t]->missing, missing);
    assert_int_equal(totals[t]->spurious, spurious);
    for (int kind = 0; kind < EE_ERROR_KIND_COUNT; kind++) {
      const ee_kind_count *count = &totals[t]->kinds[kind];
      assert_int_equal(count->count, counts[kind]);
      assert_true(ee_str_is(count->example.id, first[kind]));
      assert_true(ee_str_equal(count->example.text, whole->kinds[kind].example.text));
      assert_int_equal(count->example.more.length, 0);
    }
  }
  ee_error_kind ranked[EE_ERROR_KIND_COUNT];
  size_t count = ee_kind_total_rank(merged, ranked);
  for (size_t i = 1; i < count; i++) assert_true(counts[ranked[i - 1]] >= counts[ranked[i]]);
  size_t kinds = 0;
  for (int kind = 0; kind < EE_ERROR_KIND_COUNT; kind++) kinds += counts[kind] > 0;
  assert_int_equal(count, kinds);
  assert_int_equal(ee_kind_total_rank(NULL, ranked), 0);
  ee_buffer_fini(&text);
  ee_arena_fini(&arena);
}

/* An example has both values as JSON, each cut at a bound, which is seen. */
static void test_examples(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer text, value;
  ee_buffer_init(&text);
  ee_buffer_init(&value);
  for (size_t length = EE_KIND_EXAMPLE_BYTES - 1; length <= EE_KIND_EXAMPLE_BYTES + 1; length++) {
    ee_buffer_clear(&value);
    while (value.length < length - 2) ee_buffer_add_char(&value, 'a');
    ee_kind_total *total = NULL;
    ee_kind_total_add(&total, &arena, EE_ERROR_KIND_CASE, EE_CLASS_WRONG, EE_STR("c"),
                      ee_value_new_string(&arena, (ee_str){value.data, value.length}), ee_value_new_number(&arena, 7),
                      &text);
    const ee_case_example *example = &total->kinds[EE_ERROR_KIND_CASE].example;
    bool is_cut = length > EE_KIND_EXAMPLE_BYTES;
    assert_int_equal(example->text.length, is_cut ? EE_KIND_EXAMPLE_BYTES + 3 : length);
    assert_true(ee_str_is((ee_str){example->text.data, 2}, "\"a"));
    assert_true(ee_str_is((ee_str){example->text.data + example->text.length - 3, 3}, is_cut ? "\u2026" : "aa\""));
    assert_true(ee_str_is(example->more, "7"));
  }
  ee_buffer_fini(&text);
  ee_buffer_fini(&value);
  ee_arena_fini(&arena);
}

/* What is counted and not listed is in rows without a partner. */
static void test_complete(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer text;
  ee_buffer_init(&text);
  ee_kind_total *total = NULL, all;
  ee_kind_total_add(&total, &arena, EE_ERROR_KIND_SIGN, EE_CLASS_WRONG, EE_STR("a"), NULL, NULL, &text);
  ee_kind_total_add(&total, &arena, EE_ERROR_KIND_MISSING, EE_CLASS_MISSING, EE_STR("a"), NULL, NULL, &text);
  const ee_counts counts = {.fp = 4, .fn = 6, .wrong = 1};
  ee_kind_total_complete(total, &counts, true, &all);
  assert_int_equal(all.kinds[EE_ERROR_KIND_MISSING_ROW].count, 4);
  assert_int_equal(all.kinds[EE_ERROR_KIND_SPURIOUS_ROW].count, 3);
  assert_int_equal(all.kinds[EE_ERROR_KIND_SIGN].count, 1);
  ee_kind_total_complete(NULL, &counts, false, &all);
  assert_int_equal(all.kinds[EE_ERROR_KIND_MISSING_ROW].count, 0);
  ee_buffer_fini(&text);
  ee_arena_fini(&arena);
}

/* The most frequent first, equal ones in the order of the kinds, against every pair of them. */
static void test_rank(void **state) {
  (void)state;
  test_random random = test_random_start("kind ranks", 20261124);
  for (int round = 0; round < 2000; round++) {
    ee_kind_total total = {0};
    ee_error_kind ranked[EE_ERROR_KIND_COUNT];
    size_t there = 0;
    for (int kind = 0; kind < EE_ERROR_KIND_COUNT; kind++)
      there += (total.kinds[kind].count = test_random_below(&random, 4)) > 0;
    size_t count = ee_kind_total_rank(&total, ranked);
    assert_int_equal(count, there);
    for (size_t i = 0; i < count; i++) {
      assert_true(total.kinds[ranked[i]].count > 0);
      for (size_t k = 0; k < i; k++) {
        uint64_t before = total.kinds[ranked[k]].count, after = total.kinds[ranked[i]].count;
        assert_true(before > after || (before == after && ranked[k] < ranked[i]));
      }
    }
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_parts), cmocka_unit_test(test_rank), cmocka_unit_test(test_complete),
             cmocka_unit_test(test_examples));
