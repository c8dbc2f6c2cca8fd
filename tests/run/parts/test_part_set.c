/* test_part_set.c: states that may be merged, and states that may not: in random order, with twins, gaps and lies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "run/parts/part_set.h"
#include "support/arena.h"
#include "support/random.h"

static char name[64];

static ee_part make(uint64_t from, uint64_t to, uint64_t of) {
  ee_part part = {.kind = EE_STR("run"),
                  .version = EE_STR("1.0"),
                  .rules_name = EE_STR("r"),
                  .rules_hash = 7,
                  .options = EE_STR("|where:a=b"),
                  .from = from,
                  .to = to,
                  .of = of};
  *EE_LIST_ADD(&part.libraries, &arena) = (ee_part_library){EE_STR("lua"), EE_STR("5.4.4")};
  *EE_LIST_ADD(&part.inputs, &arena) = EE_STR("d.jsonl");
  *EE_LIST_ADD(&part.data, &arena) =
      (ee_part_range){.name = EE_STR("d.jsonl"), .from = from * 10 - 10, .to = to * 10, .size = of * 10};
  return part;
}

static const ee_part_wanted wanted = {"run", {"1.0", 3}, {"r", 1}, 7, {"|where:a=b", 10}};

/* Reads and checks the states; the message of the first failure, or "". */
static const char *check(const ee_part *parts, size_t count, ee_part_set *set, ee_error_list *warnings) {
  static ee_error error;
  ee_buffer text = {0};
  for (size_t i = 0; i < count; i++) ee_part_write(&parts[i], EE_STR("[]"), EE_STR("[]"), &text);
  FILE *file = fopen(name, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(text.data, 1, text.length, file), text.length);
  assert_int_equal(fclose(file), 0);
  ee_buffer_fini(&text);
  error = (ee_error){0};
  const char *files[] = {name};
  ee_part_set_init(set);
  ee_part here = make(1, 1, 1);
  ee_status status = ee_part_set_read(set, files, 1, NULL, &error);
  if (status == EE_OK) status = ee_part_set_match(set, &wanted, &here, warnings, &error);
  if (status == EE_OK) status = ee_part_set_check(set, &error);
  return status == EE_OK ? "" : error.message;
}

static void assert_refused(const ee_part *parts, size_t count, const char *message) {
  ee_part_set set;
  ee_error_list warnings;
  ee_error_list_init(&warnings);
  assert_string_equal(check(parts, count, &set, &warnings), message);
  ee_error_list_fini(&warnings);
  ee_part_set_fini(&set);
}

static void test_random_partitions(void **state) {
  (void)state;
  test_random random = test_random_start("part_set", 51);
  for (size_t round = 0; round < 200; round++) {
    uint64_t of = 1 + test_random_below(&random, 40);
    ee_part parts[100];
    bool there[41] = {false};
    size_t count = 0;
    for (uint64_t from = 1, to; from <= of; from = to + 1) {
      to = from + test_random_below(&random, 4);
      if (to > of) to = of;
      if (test_random_below(&random, 6) == 0) continue;
      parts[count++] = make(from, to, of);
      if (test_random_below(&random, 5) == 0) parts[count++] = make(from, to, of);
      for (uint64_t i = from; i <= to; i++) there[i] = true;
    }
    if (count == 0) continue;
    for (size_t i = count; i-- > 1;) {
      size_t other = test_random_below(&random, i + 1);
      ee_part swap = parts[i];
      parts[i] = parts[other];
      parts[other] = swap;
    }
    ee_part_set set;
    ee_error_list warnings;
    ee_error_list_init(&warnings);
    assert_string_equal(check(parts, count, &set, &warnings), "");
    uint64_t missing = 0;
    for (uint64_t i = 1; i <= of; i++) missing += !there[i];
    assert_int_equal(set.missing_count, missing);
    assert_int_equal(set.missing != NULL, missing > 0);
    assert_int_equal(set.count + set.twins, count);
    for (size_t i = 1; i < set.count; i++) {
      assert_true(set.items[i - 1].part.to < set.items[i].part.from);
      assert_int_equal(ee_part_set_follows(&set, i), set.items[i - 1].part.to + 1 == set.items[i].part.from);
    }
    ee_part_set_fini(&set);
    ee_error_list_fini(&warnings);
  }
}

static void test_refuses_what_does_not_fit(void **state) {
  (void)state;
  ee_part parts[3] = {make(1, 1, 2), make(2, 2, 2), make(2, 2, 2)};
  char message[400];
  ee_part good = parts[1];
  parts[1].version = EE_STR("0.9");
  assert_refused(parts, 2, "a state of another version (0.9, this is 1.0)");
  parts[1] = good;
  parts[1].cut = 5;
  snprintf(message, sizeof message,
           "part 2 of 2 was cut from other files than part 1 of 2 (%s:1): one was added, removed or changed between "
           "them, or they were in another order",
           name);
  assert_refused(parts, 2, message);
  parts[1] = good;
  parts[1].kind = EE_STR("comparison");
  assert_refused(parts, 2, "a state of a comparison, not of a run");
  parts[1] = good;
  parts[1].rules_hash = 8;
  assert_refused(parts, 2, "a state of other rules, parameters or config ('r' differs)");
  parts[1] = good;
  parts[1].options = EE_STR("|where:a=b|repair:yes");
  assert_refused(parts, 2, "made with --repair, which is not given here");
  parts[1].options = EE_STR("");
  assert_refused(parts, 2, "made without --where a=b, which is given here");
  parts[1] = good;
  parts[1].expected = (ee_part_expected){.given = true, .hash = 1};
  assert_refused(parts, 2, "made with --expected, others without it");
  parts[0].expected = (ee_part_expected){.given = true, .hash = 2};
  assert_refused(parts, 2, "a state of other expected values");
  parts[0].expected = parts[1].expected = (ee_part_expected){.given = false};
  parts[1].data.items = &(ee_part_range){.name = EE_STR("d.jsonl"), .from = 11, .to = 20, .size = 20};
  snprintf(message, sizeof message, "'d.jsonl' starts at byte 11 here, but ends at 10 in %s:1", name);
  assert_refused(parts, 2, message);
  parts[1].data.items = &(ee_part_range){.name = EE_STR("d.jsonl"), .from = 10, .to = 19, .size = 20};
  assert_refused(parts, 2, "'d.jsonl' ends at 19 of 20 here, and no part has the rest");
  parts[1] = good;
  parts[2].data.items = &(ee_part_range){.name = EE_STR("d.jsonl"), .from = 12, .to = 20, .size = 20};
  snprintf(message, sizeof message, "part 2 of 2 is given twice with different contents (also in %s:2)", name);
  assert_refused(parts, 3, message);
}

/* Equal states are dropped as attempts of one task; without numbers, only if they are of the same operands. */
static void test_twins(void **state) {
  (void)state;
  for (size_t i = 0; i < 4; i++) {
    ee_part parts[2] = {make(1, 1, 1), make(1, 1, 1)};
    bool numbers = i % 2 == 0, same = i / 2 == 0;
    for (size_t k = 0; k < 2 && !numbers; k++) parts[k].from = parts[k].to = parts[k].of = 0;
    if (!same) parts[1].inputs.items[0] = EE_STR("other/d.jsonl");
    ee_part_set set;
    ee_error_list warnings;
    ee_error_list_init(&warnings);
    assert_string_equal(check(parts, 2, &set, &warnings), "");
    assert_int_equal(set.twins, numbers || same ? 1 : 0);
    ee_part_set_fini(&set);
    ee_error_list_fini(&warnings);
  }
}

static void test_warns_of_libraries(void **state) {
  (void)state;
  ee_part parts[2] = {make(1, 1, 2), make(2, 2, 2)};
  parts[1].libraries.items[0].version = EE_STR("5.4.6");
  ee_part_set set;
  ee_error_list warnings;
  ee_error_list_init(&warnings);
  assert_string_equal(check(parts, 2, &set, &warnings), "");
  assert_int_equal(warnings.count, 1);
  assert_string_equal(warnings.items[0].message,
                      "warning: made with lua 5.4.6, this program has 5.4.4: results may differ in detail");
  assert_int_equal(warnings.items[0].line, 2);
  ee_part_set_fini(&set);
  ee_error_list_fini(&warnings);
}

static int open_all(void **state) {
  snprintf(name, sizeof name, "/tmp/ee_part_set_%ld.state", (long)getpid());
  return make_arena(state);
}

static int close_all(void **state) {
  unlink(name);
  return free_arena(state);
}

EE_TEST_FILE(open_all, close_all, cmocka_unit_test(test_random_partitions),
             cmocka_unit_test(test_refuses_what_does_not_fit), cmocka_unit_test(test_twins),
             cmocka_unit_test(test_warns_of_libraries));
