/* test_calibration_total.c: confidences of cases, however they are split, and the cheapest threshold against a walk
 * over all of them. */
#include "run/calibration_total.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"

enum { ROUNDS = 1000, MOST = 60, PARTS = 4 };

typedef struct made_case {
  ee_confidences confidences;
  const char *id;
} made_case;

static void random_case(test_random *random, ee_arena *arena, size_t number, made_case *made) {
  static const char *const fields[] = {"total", "date", "name"};
  *made = (made_case){.id = ee_arena_printf(arena, "case-%zu", number)};
  ee_confidences *confidences = &made->confidences;
  for (size_t i = 0; i < 3; i++) {
    if (test_random_below(random, 8) == 0) continue;
    for (size_t times = 1 + test_random_below(random, 9) / 8; times > 0; times--) {
      ee_confidence_value value = {.field = ee_str_from(fields[i]),
                                   .state = (ee_confidence_state)(test_random_below(random, 8) % 5),
                                   .right = test_random_below(random, 2) == 0};
      if (value.state == EE_CONFIDENCE_READ) value.confidence = (double)test_random_below(random, 6) / 5;
      value.spurious = !value.right && value.state != EE_CONFIDENCE_ABSTAINED && test_random_below(random, 3) == 0;
      *EE_LIST_ADD(confidences, arena) = value;
    }
  }
  confidences->has_document = test_random_below(random, 4) > 0;
  confidences->document = (ee_confidence_value){.confidence = test_random_unit(random), .right = number % 2 == 0};
  confidences->has_cost = true;
  confidences->costs = (ee_value_costs){.incorrect = 5, .missing = 2, .spurious = 3};
  confidences->cost = (double)test_random_below(random, 20) / 10;
}

static void add(ee_calibration_total *total, const made_case *made, ee_arena *names, ee_buffer *text) {
  ee_calibration_total_add(total, &made->confidences, false, ee_str_from(made->id), names, text);
}

static void assert_same_table(const ee_confidence_table *a, const ee_confidence_table *b, ee_arena *arena) {
  assert_true(ee_str_equal(a->name, b->name) && ee_str_equal(a->missing_case.id, b->missing_case.id) &&
              ee_str_equal(a->bad_case.id, b->bad_case.id) && ee_str_equal(a->bad_case.text, b->bad_case.text));
  assert_int_equal(a->count, b->count);
  const ee_confident *left = ee_confidence_table_sorted(a, arena), *right = ee_confidence_table_sorted(b, arena);
  for (size_t i = 0; i < a->count; i++)
    assert_true(left[i].confidence == right[i].confidence && left[i].right == right[i].right &&
                left[i].wrong == right[i].wrong);
  assert_true(memcmp(&a->unsure, &b->unsure, sizeof a->unsure) == 0);
  assert_true(a->silent_right == b->silent_right && a->silent_wrong == b->silent_wrong && a->missing == b->missing &&
              a->bad == b->bad && a->none == b->none && a->several == b->several);
}

static void assert_same(const ee_calibration_total *a, const ee_calibration_total *b, ee_arena *arena) {
  assert_int_equal(a->count, b->count);
  assert_same_table(&a->documents, &b->documents, arena);
  for (size_t i = 0; i < a->count; i++) assert_same_table(&a->items[i], &b->items[i], arena);
  assert_true(a->cases == b->cases && a->cost.count == b->cost.count && a->cost.sum.units == b->cost.sum.units &&
              a->cost.sum_of_squares.units == b->cost.sum_of_squares.units);
}

/* What the values cost if answers below the threshold are left out. */
static double plain_cost(const made_case *cases, size_t count, double threshold) {
  double cost = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < cases[i].confidences.count; k++) {
      const ee_confidence_value *value = &cases[i].confidences.items[k];
      if (value->state == EE_CONFIDENCE_ABSTAINED)
        cost += value->right ? 0 : 2;
      else if (value->state == EE_CONFIDENCE_READ && value->confidence < threshold)
        cost += value->spurious ? 0 : 2;
      else
        cost += value->right ? 0 : value->spurious ? 3 : 5;
    }
  return cost;
}

static void same_however_split(void **state) {
  (void)state;
  test_random random = test_random_start("calibration totals", 4401);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer text;
  ee_buffer_init(&text);
  ee_calibration_total parts[PARTS], kept = {0};
  memset(parts, 0, sizeof parts);
  for (size_t round = 0; round < ROUNDS; round++) {
    made_case cases[MOST];
    size_t count = 1 + test_random_below(&random, MOST);
    for (size_t i = 0; i < count; i++) random_case(&random, &arena, i, &cases[i]);
    ee_calibration_total whole = {0};
    for (size_t i = 0; i < count; i++) add(&whole, &cases[i], &arena, &text);
    /* In parts, which keep their memory from round to round. */
    for (size_t i = 0; i < PARTS; i++) ee_calibration_total_clear(&parts[i]);
    for (size_t i = count; i-- > 0;) add(&parts[test_random_below(&random, PARTS)], &cases[i], &arena, &text);
    ee_calibration_total_clear(&kept);
    for (size_t i = 0; i < PARTS; i++) ee_calibration_total_merge(&kept, &parts[i], &arena);
    ee_calibration_total_settle(&kept);
    ee_calibration_total_settle(&whole);
    assert_same(&kept, &whole, &arena);

    ee_cheapest best = ee_calibration_cheapest(whole.items, whole.count, whole.costs, &arena);
    double lowest = plain_cost(cases, count, 0);
    assert_true(fabs(best.now - lowest) < 1e-9);
    for (int i = 0; i <= 6; i++) lowest = fmin(lowest, plain_cost(cases, count, i == 6 ? 2 : (double)i / 5));
    assert_true(fabs(best.cost - lowest) < 1e-9);
    assert_true(fabs(plain_cost(cases, count, best.threshold) - lowest) < 1e-9);
    ee_calibration_total_fini(&whole);
    ee_arena_reset(&arena, 0);
    for (size_t i = 0; i < PARTS; i++) ee_calibration_total_clear(&parts[i]);
    ee_calibration_total_clear(&kept);
  }
  for (size_t i = 0; i < PARTS; i++) ee_calibration_total_fini(&parts[i]);
  ee_calibration_total_fini(&kept);
  ee_buffer_fini(&text);
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(same_however_split));
