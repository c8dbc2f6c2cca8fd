/* test_mistakes.c: reasons, their examples and the worst cases against plain lists of all; rows in any order give the
 * same bytes. */
#include "report/mistakes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/json/json_reader.h"
#include "support/random.h"

enum { ROWS = 1500, JUDGES = 2, FIELDS = 3, WORST = 40 };

typedef struct made_row {
  const char *text, *id;
  double score;
} made_row;

/* A mismatch of some row. */
typedef struct plain_mismatch {
  const char *judge, *field, *reason, *id, *expected;
} plain_mismatch;

static const char *const judge_names[JUDGES] = {"b", "a"};
static const char *const field_names[FIELDS] = {"total", "date", "name"};

static ee_arena arena;

/* Digits of a reason are not told apart: "x12" is written with letters. */
static const char *random_reason(test_random *random, size_t variety) {
  char text[16];
  size_t number = test_random_below(random, variety), length = 0;
  do text[length++] = (char)('a' + number % 26);
  while ((number /= 26) > 0);
  return ee_arena_printf(&arena, "off by %.*s", (int)length, text);
}

static size_t make(test_random *random, size_t variety, made_row *rows, plain_mismatch *list) {
  size_t count = 0;
  for (size_t i = 0; i < ROWS; i++) {
    rows[i].id = ee_arena_printf(&arena, "r%zu", i * 7 % ROWS);
    rows[i].score = (double)test_random_below(random, 5) / 5;
    ee_buffer out = {0};
    ee_buffer_addf(&out, "{\"id\":\"%s\",\"score\":%.17g,\"misses\":[\"x\"],\"evaluator_results\":[", rows[i].id,
                   rows[i].score);
    for (size_t judge = 0; judge < JUDGES; judge++) {
      ee_buffer_addf(&out, "%s{\"name\":\"%s\",\"score\":0.5,\"details\":{\"mismatches\":[", judge > 0 ? "," : "",
                     judge_names[judge]);
      for (size_t k = test_random_below(random, 4), first = k; k > 0; k--) {
        plain_mismatch made = {judge_names[judge], field_names[test_random_below(random, FIELDS)],
                               random_reason(random, variety), rows[i].id,
                               ee_arena_printf(&arena, "%zu", test_random_below(random, 50))};
        ee_buffer_addf(&out, "%s{\"field\":\"%s\",\"reason\":\"%s\",\"expected\":%s,\"candidate\":null}",
                       k < first ? "," : "", made.field, made.reason, made.expected);
        list[count++] = made;
      }
      ee_buffer_add_text(&out, "]}}");
    }
    ee_buffer_add_text(&out, "]}");
    rows[i].text = ee_arena_copy(&arena, out.data, out.length);
    ee_buffer_fini(&out);
  }
  return count;
}

static int by_name(const void *left, const void *right) {
  const plain_mismatch *a = left, *b = right;
  int order = strcmp(a->judge, b->judge);
  if (order == 0) order = strcmp(a->field, b->field);
  if (order == 0) order = strcmp(a->reason, b->reason);
  if (order == 0) order = strcmp(a->id, b->id);
  return order != 0 ? order : strcmp(a->expected, b->expected);
}

static void print(const made_row *rows, const size_t *order, ee_buffer *out) {
  ee_mistakes mistakes;
  ee_mistakes_init(&mistakes, (ee_mistake_choice){.reasons = true, .worst = WORST}, (ee_str){NULL, 0});
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  for (size_t i = 0; i < ROWS; i++) {
    ee_stored_row row;
    ee_error error = {0};
    const ee_value *record = ee_json_read(&scratch, ee_str_from(rows[order[i]].text), NULL, &error);
    if (record == NULL || !ee_stored_row_read(record, &scratch, &row, &error)) fail_msg("%s", error.message);
    ee_mistakes_add_row(&mistakes, &row);
    ee_arena_reset(&scratch, 0);
  }
  ee_json_out json = {.out = out, .arena = &scratch, .first = true};
  ee_json_open(&json, NULL, '{');
  ee_mistakes_json(&mistakes, &json);
  ee_json_close(&json, '}');
  ee_mistakes_fini(&mistakes);
  ee_arena_fini(&scratch);
}

static ee_str text_of(const ee_value *object, const char *name) {
  return ee_value_text(ee_value_member(object, ee_str_from(name), NULL));
}

/* The sum of the counts of all reasons, and of each that is kept: those that are first by name. */
static void check_reasons(const ee_value *reasons, const plain_mismatch *sorted, size_t count) {
  size_t distinct = 0, listed = 0;
  double all = 0;
  for (const ee_value *each = ee_value_child(reasons); each != NULL; each = ee_value_next(each), listed++)
    all += ee_value_number(ee_value_member(each, EE_STR("count"), NULL));
  assert_true(all == (double)count);
  for (size_t from = 0, to = 0; from < count; from = to, distinct++) {
    const plain_mismatch *one = &sorted[from];
    while (to < count && strcmp(sorted[to].judge, one->judge) == 0 && strcmp(sorted[to].field, one->field) == 0 &&
           strcmp(sorted[to].reason, one->reason) == 0)
      to++;
    const ee_value *found = ee_value_child(reasons);
    while (found != NULL &&
           !(ee_str_is(text_of(found, "judge"), one->judge) && ee_str_is(text_of(found, "field"), one->field) &&
             ee_str_is(text_of(found, "reason"), one->reason)))
      found = ee_value_next(found);
    assert_int_equal(found != NULL, distinct < EE_REASONS_KEPT);
    if (found == NULL) continue;
    assert_true(ee_value_number(ee_value_member(found, EE_STR("count"), NULL)) == (double)(to - from));
    const ee_value *example = ee_value_child(ee_value_member(found, EE_STR("examples"), NULL));
    for (size_t i = from; i < to && i < from + EE_REASON_EXAMPLES; i++, example = ee_value_next(example)) {
      assert_true(ee_str_is(text_of(example, "id"), sorted[i].id));
      assert_true(ee_str_is(text_of(example, "expected"), sorted[i].expected));
    }
    assert_null(example);
  }
  if (distinct <= EE_REASONS_KEPT)
    assert_int_equal(listed, distinct);
  else
    assert_in_range(listed, EE_REASONS_KEPT + 1, EE_REASONS_KEPT + JUDGES);
}

static void check_worst(const ee_value *worst, const made_row *rows) {
  const ee_value *each = ee_value_child(worst), *before = NULL;
  size_t listed = 0;
  for (; each != NULL; before = each, each = ee_value_next(each), listed++) {
    if (before == NULL) continue;
    double score = ee_value_number(ee_value_member(each, EE_STR("score"), NULL));
    double last = ee_value_number(ee_value_member(before, EE_STR("score"), NULL));
    assert_true(last < score || (last == score && ee_str_compare(text_of(before, "id"), text_of(each, "id")) < 0));
  }
  assert_int_equal(listed, WORST);
  double last = ee_value_number(ee_value_member(before, EE_STR("score"), NULL));
  size_t better = 0;
  for (size_t i = 0; i < ROWS; i++)
    better += rows[i].score > last || (rows[i].score == last && strcmp(rows[i].id, text_of(before, "id").data) > 0);
  assert_int_equal(better, ROWS - WORST);
}

static void check(test_random *random, size_t variety) {
  static made_row rows[ROWS];
  static plain_mismatch list[ROWS * JUDGES * 4];
  static size_t order[ROWS];
  ee_arena_init(&arena, 0);
  size_t count = make(random, variety, rows, list);
  ee_buffer first = {0};
  for (size_t i = 0; i < ROWS; i++) order[i] = i;
  print(rows, order, &first);
  const ee_value *found = ee_json_read(&arena, (ee_str){first.data, first.length}, NULL, NULL);
  assert_non_null(found);
  qsort(list, count, sizeof *list, by_name);
  check_reasons(ee_value_member(found, EE_STR("reasons"), NULL), list, count);
  check_worst(ee_value_member(found, EE_STR("worst"), NULL), rows);
  for (int turn = 0; turn < 3; turn++) {
    for (size_t i = ROWS; i-- > 1;) {
      size_t other = test_random_below(random, i + 1), kept = order[i];
      order[i] = order[other];
      order[other] = kept;
    }
    ee_buffer again = {0};
    print(rows, order, &again);
    assert_string_equal(ee_buffer_terminate(&again), ee_buffer_terminate(&first));
    ee_buffer_fini(&again);
  }
  ee_buffer_fini(&first);
  ee_arena_fini(&arena);
}

static void any_order_is_the_same(void **state) {
  (void)state;
  test_random random = test_random_start("mistakes", 1501);
  check(&random, 40);
  check(&random, 3000); /* more than are kept */
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(any_order_is_the_same));
