/* test_calibration_total.c: confidences of cases, however they are split, and the cheapest threshold against a walk
 * over all of them. */
#include "run/calibration_total.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/json/json_reader.h"
#include "support/random.h"

enum { ROUNDS = 1000, MOST = 60, PARTS = 4 };

typedef struct made_case {
  ee_confidences confidences;
  const char *id;
  bool clustered;
} made_case;

static void random_case(test_random *random, ee_arena *arena, size_t number, made_case *made) {
  static const char *const fields[] = {"total", "date", "name"};
  *made = (made_case){.id = ee_arena_printf(arena, "case-%zu", number), .clustered = test_random_below(random, 3) == 0};
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
  ee_calibration_total_add(total, &made->confidences, made->clustered, ee_str_from(made->id), names, text);
}

static ee_str save(ee_calibration_total *total, ee_arena *arena) {
  ee_buffer out = {0};
  ee_state_line line;
  ee_state_write(&line, &out);
  ee_calibration_total_state(&line, arena, total);
  assert_true(ee_state_close(&line));
  ee_str text = {ee_arena_copy(arena, out.data, out.length), out.length};
  ee_buffer_fini(&out);
  return text;
}

static bool load(ee_calibration_total *total, ee_str text, ee_arena *arena) {
  ee_state_line line;
  *total = (ee_calibration_total){0};
  ee_state_read(&line, ee_json_read(arena, text, NULL, NULL));
  ee_calibration_total_state(&line, arena, total);
  return ee_state_close(&line);
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
  assert_true(a->clustered == b->clustered && a->has_cost == b->has_cost && a->other_costs == b->other_costs);
  assert_memory_equal(&a->costs, &b->costs, sizeof a->costs);
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
    ee_str state_text = save(&whole, &arena);
    assert_true(ee_str_equal(save(&kept, &arena), state_text));
    ee_calibration_total again;
    assert_true(load(&again, state_text, &arena));
    assert_same(&again, &whole, &arena);
    assert_true(ee_str_equal(save(&again, &arena), state_text));
    /* What was read can be added to. */
    ee_calibration_total_merge(&again, &whole, &arena);
    assert_int_equal(again.cases, 2 * whole.cases);
    assert_int_equal(again.count, whole.count);
    ee_calibration_total_fini(&again);

    ee_cheapest best = ee_calibration_cheapest(whole.items, whole.count, whole.costs, &arena);
    double lowest = plain_cost(cases, count, 0);
    assert_true(fabs(best.now - lowest) < 1e-9);
    for (int i = 0; i <= 6; i++) lowest = fmin(lowest, plain_cost(cases, count, i == 6 ? 2 : (double)i / 5));
    assert_true(fabs(best.cost - lowest) < 1e-9);
    assert_true(fabs(plain_cost(cases, count, best.threshold) - lowest) < 1e-9);
    for (size_t i = 0; i < whole.count; i++) {
      const ee_confident *sorted = ee_confidence_table_sorted(&whole.items[i], &arena);
      ee_answer_counts answers = ee_confidence_table_answers(&whole.items[i]);
      const ee_answer_counts *unsure = &whole.items[i].unsure;
      uint64_t right = unsure->right, wrong = unsure->incorrect + unsure->spurious;
      for (size_t k = 0; k < whole.items[i].count; k++) {
        assert_true(k == 0 || sorted[k].confidence > sorted[k - 1].confidence);
        right += sorted[k].right;
        wrong += sorted[k].wrong;
      }
      assert_int_equal(right, answers.right);
      assert_int_equal(wrong, answers.incorrect + answers.spurious);
    }
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

/* Rows of several runs may have other costs: the lowest are kept, by the first price that differs. */
static void keeps_the_lowest_costs(void **state) {
  (void)state;
  test_random random = test_random_start("calibration costs", 4402);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer text;
  ee_buffer_init(&text);
  for (size_t round = 0; round < 500; round++) {
    ee_calibration_total whole = {0}, parts[2];
    memset(parts, 0, sizeof parts);
    ee_value_costs lowest = {0};
    size_t count = 1 + test_random_below(&random, 4), clustered = 0, with_costs = 0;
    bool other = false;
    for (size_t i = 0; i < count; i++) {
      made_case made = {.id = "x", .clustered = test_random_below(&random, 2) == 0};
      made.confidences.has_cost = test_random_below(&random, 4) > 0;
      made.confidences.costs = (ee_value_costs){.incorrect = (double)test_random_below(&random, 2),
                                                .missing = (double)test_random_below(&random, 2),
                                                .spurious = (double)test_random_below(&random, 2)};
      clustered += made.clustered;
      add(&whole, &made, &arena, &text);
      add(&parts[test_random_below(&random, 2)], &made, &arena, &text);
      if (!made.confidences.has_cost) continue;
      ee_value_costs costs = made.confidences.costs;
      double price = 4 * costs.incorrect + 2 * costs.missing + costs.spurious,
             before = 4 * lowest.incorrect + 2 * lowest.missing + lowest.spurious;
      other = other || (with_costs > 0 && price != before);
      if (with_costs++ == 0 || price < before) lowest = costs;
    }
    ee_calibration_total_merge(&parts[0], &parts[1], &arena);
    assert_same(&parts[0], &whole, &arena);
    assert_int_equal(whole.cases, count);
    assert_int_equal(whole.clustered, clustered);
    assert_int_equal(whole.has_cost, with_costs > 0);
    assert_int_equal(whole.other_costs, other);
    assert_int_equal(whole.cost.count, with_costs);
    if (with_costs > 0) assert_memory_equal(&whole.costs, &lowest, sizeof lowest);
    ee_calibration_total_fini(&whole);
    for (size_t i = 0; i < 2; i++) ee_calibration_total_fini(&parts[i]);
  }
  ee_buffer_fini(&text);
  ee_arena_fini(&arena);
}

/* A confidence is within 0..1: others are of no state that was written. */
static void refuses_other_confidences(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  static const struct {
    double confidence;
    bool good;
  } facts[] = {{0, true}, {1, true}, {0.5, true}, {-0.125, false}, {1.125, false}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_confidence_count item = {.confidence = facts[i].confidence, .answers = {.right = 3}};
    ee_calibration_total made = {0}, read;
    made.documents.items = &item;
    made.documents.count = 1;
    ee_buffer out = {0};
    ee_state_line line;
    ee_state_write(&line, &out);
    ee_calibration_total_state(&line, &arena, &made);
    assert_int_equal(ee_state_close(&line), facts[i].good);
    if (facts[i].good) {
      assert_true(load(&read, (ee_str){out.data, out.length}, &arena));
      assert_int_equal(read.documents.count, 1);
      assert_true(read.documents.items[0].confidence == facts[i].confidence);
      assert_int_equal(read.documents.items[0].answers.right, 3);
      ee_calibration_total_fini(&read);
    }
    ee_buffer_fini(&out);
  }
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(same_however_split), cmocka_unit_test(keeps_the_lowest_costs),
             cmocka_unit_test(refuses_other_confidences));
