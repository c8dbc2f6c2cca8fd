/* test_id_set.c: the set of ids against a sorted list, and its size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/id_set.h"
#include "support/random.h"

static bool add(ee_id_set *set, ee_str id, const char *file, uint64_t line, ee_id_place *first) {
  return ee_id_set_add(set, id, ee_id_hash(id), (ee_id_place){file, line}, first);
}

static void test_tells_first_place(void **state) {
  (void)state;
  ee_id_set set;
  ee_id_set_init(&set);
  ee_id_place first = {NULL, 0};
  static const char one[] = "one.jsonl", two[] = "two.jsonl";
  assert_true(add(&set, EE_STR("a"), one, 12, &first));
  assert_true(add(&set, EE_STR("b"), two, UINT64_MAX, &first));
  assert_true(add(&set, EE_STR(""), two, 300, &first));
  assert_true(add(&set, EE_STR("a\0c"), two, 301, &first));
  assert_false(add(&set, EE_STR("a"), two, 302, &first));
  assert_ptr_equal(first.file, one);
  assert_int_equal(first.line, 12);
  assert_false(add(&set, EE_STR("b"), one, 303, &first));
  assert_ptr_equal(first.file, two);
  assert_true(first.line == UINT64_MAX);
  assert_false(add(&set, EE_STR(""), one, 304, &first));
  assert_int_equal(first.line, 300);
  assert_false(add(&set, EE_STR("a\0c"), one, 305, &first));
  assert_int_equal(first.line, 301);
  ee_id_set_fini(&set);
}

/* Different ids under one hash must stay apart, before and after the table has grown. */
static void test_equal_hashes(void **state) {
  (void)state;
  ee_id_set set;
  ee_id_set_init(&set);
  ee_id_place first;
  for (uint64_t i = 0; i < 500; i++) {
    char text[32];
    ee_str id = {text, (size_t)snprintf(text, sizeof text, "id-%d", (int)i)};
    assert_true(ee_id_set_add(&set, id, UINT64_C(0x1234567890abcdef), (ee_id_place){"f", i}, &first));
    assert_false(ee_id_set_add(&set, id, UINT64_C(0x1234567890abcdef), (ee_id_place){"f", 9999}, &first));
    assert_int_equal(first.line, i);
  }
  ee_id_set_fini(&set);
}

static void test_random_ids(void **state) {
  (void)state;
  enum { IDS = 3000, ROUNDS = 20000 };
  test_random random = test_random_start("id_set", 7);
  static uint64_t first_line[IDS];
  memset(first_line, 0, sizeof first_line);
  ee_id_set set;
  ee_id_set_init(&set);
  size_t distinct = 0;
  char *text = malloc(4096);
  for (uint64_t line = 1; line <= ROUNDS; line++) {
    size_t number = test_random_below(&random, IDS);
    /* Some ids are long, so that chunks end in the middle. */
    size_t padding = number % 50 == 0 ? 3000 : number % 7;
    int head = snprintf(text, 4096, "%zu/", number);
    memset(text + head, 'x', padding);
    ee_id_place first = {NULL, 0};
    bool is_new = add(&set, (ee_str){text, (size_t)head + padding}, "f", line, &first);
    assert_int_equal(is_new, first_line[number] == 0);
    if (is_new) {
      first_line[number] = line;
      distinct++;
    } else {
      assert_int_equal(first.line, first_line[number]);
    }
  }
  assert_int_equal(set.count, distinct);
  free(text);
  ee_id_set_fini(&set);
}

static void test_id_longer_than_a_chunk(void **state) {
  (void)state;
  size_t length = (size_t)3 << 20;
  char *text = malloc(length);
  memset(text, 'y', length);
  ee_id_set set;
  ee_id_set_init(&set);
  ee_id_place first;
  assert_true(add(&set, (ee_str){text, length}, "f", 1, &first));
  for (int i = 0; i < 5000; i++) {
    char small[16];
    assert_true(add(&set, (ee_str){small, (size_t)snprintf(small, sizeof small, "%d", i)}, "f", 2, &first));
  }
  assert_false(add(&set, (ee_str){text, length}, "f", 3, &first));
  assert_int_equal(first.line, 1);
  /* Those after it are found, too, also those that were there before the table grew; and the empty id is not there. */
  for (int i = 0; i < 5000; i++) {
    char small[16];
    assert_false(add(&set, (ee_str){small, (size_t)snprintf(small, sizeof small, "%d", i)}, "f", 9, &first));
    assert_int_equal(first.line, 2);
  }
  assert_int_equal(set.count, 5001);
  assert_true(add(&set, EE_STR(""), "f", 5, &first));
  assert_false(add(&set, EE_STR(""), "f", 6, &first));
  assert_int_equal(first.line, 5);
  text[length - 1] = 'z';
  assert_true(add(&set, (ee_str){text, length}, "f", 4, &first));
  free(text);
  ee_id_set_fini(&set);
}

/* A thousand ids of 1 MiB take no gigabyte; one that differs in a byte or has more of them is another one. */
static void test_memory_of_long_ids(void **state) {
  (void)state;
  size_t length = (size_t)1 << 20;
  char *text = malloc(length);
  memset(text, 'i', length);
  ee_id_set set;
  ee_id_set_init(&set);
  ee_id_place first;
  for (int round = 0; round < 2; round++) {
    for (unsigned i = 0; i < 1000; i++) {
      memcpy(text + (i % 2 == 0 ? 0 : length - 4), &i, 4);
      assert_int_equal(add(&set, (ee_str){text, length - i % 3}, "f", i + 1, &first), round == 0);
      if (round == 1) assert_int_equal(first.line, i + 1);
      memset(text + (i % 2 == 0 ? 0 : length - 4), 'i', 4);
    }
    assert_int_equal(set.count, 1000);
    assert_true(ee_id_set_held(&set) < (size_t)2 << 20);
  }
  free(text);
  ee_id_set_fini(&set);
}

/* At its worst, right after the table has grown, an id of 20 bytes costs less than 60; the table counts, too. */
static void test_memory(void **state) {
  (void)state;
  ee_id_set set;
  ee_id_set_init(&set);
  ee_id_place first;
  for (unsigned i = 0; i < 400000; i++) {
    char text[32];
    snprintf(text, sizeof text, "case-%015u", i);
    assert_true(add(&set, (ee_str){text, 20}, "data.jsonl", i + 1, &first));
    if (i < 100000) continue;
    assert_true(ee_id_set_held(&set) < (size_t)60 * (i + 1) + ((size_t)1 << 20));
    assert_true(ee_id_set_held(&set) > set.capacity * sizeof *set.table + (size_t)20 * (i + 1));
  }
  ee_id_set_fini(&set);
}

/* The names of files take room, too. */
static void test_memory_of_files(void **state) {
  (void)state;
  enum { FILES = 2000 };
  static char names[FILES][8];
  ee_id_set one, many;
  ee_id_place first;
  ee_id_set_init(&one);
  ee_id_set_init(&many);
  for (unsigned i = 0; i < FILES; i++) {
    ee_str id = {names[i], (size_t)snprintf(names[i], sizeof *names, "%u", i)};
    assert_true(add(&one, id, names[0], i, &first) && add(&many, id, names[i], i, &first));
  }
  assert_true(ee_id_set_held(&many) >= ee_id_set_held(&one) + (FILES - 1) * sizeof(char *));
  ee_id_set_fini(&one);
  ee_id_set_fini(&many);
}

enum { IDS = 2006 };

typedef struct taken {
  uint64_t hashes[IDS];
  size_t count;
} taken;

static void take(void *user, uint64_t hash) {
  taken *all = user;
  if (all->count == IDS) fail_msg("more hashes than ids");
  all->hashes[all->count++] = hash;
}

static void test_hashes_in_order(void **state) {
  (void)state;
  ee_id_set set;
  ee_id_set_init(&set);
  ee_id_place first;
  char *text = calloc(1, 3000000);
  memset(text, 'x', 3000000);
  char other[IDS];
  memset(other, 'y', sizeof other);
  static const ee_str short_ids[] = {{"b", 1}, {"a", 1}, {"", 0}, {"c", 1}};
  static ee_str ids[IDS];
  memcpy(ids, short_ids, sizeof short_ids);
  ids[4] = (ee_str){text, 3000000};
  /* So many bytes are in several chunks. */
  for (size_t i = 5; i < IDS; i++) ids[i] = (ee_str){text, i / 2};
  for (size_t i = 6; i < IDS; i += 2) ids[i].data = other;
  for (size_t i = 0; i < IDS; i++) assert_true(add(&set, ids[i], i % 2 == 0 ? "f" : "g", 100 * i, &first));
  assert_false(add(&set, ids[1], "f", 1, &first));
  taken all = {.count = 0};
  ee_id_set_hashes(&set, take, &all);
  assert_int_equal(all.count, IDS);
  for (size_t i = 0; i < IDS; i++) assert_true(all.hashes[i] == ee_id_hash(ids[i]));
  free(text);
  ee_id_set_fini(&set);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_tells_first_place), cmocka_unit_test(test_equal_hashes),
             cmocka_unit_test(test_random_ids), cmocka_unit_test(test_id_longer_than_a_chunk),
             cmocka_unit_test(test_memory), cmocka_unit_test(test_memory_of_long_ids),
             cmocka_unit_test(test_memory_of_files), cmocka_unit_test(test_hashes_in_order));
