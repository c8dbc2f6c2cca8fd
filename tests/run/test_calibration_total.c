/* test_calibration_total.c: confidences of cases, however they are split, and the cheapest threshold against a walk
 * over all of them. */
#include "run/calibration_total.h"

#include <math.h>
#include <stdio.h>
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

/* Something that is no confidence; texts may be longer than what is kept of them, and end inside of a character. */
static const ee_value *random_bad(test_random *random, ee_arena *arena) {
  switch (test_random_below(random, 4)) {
  case 0: return NULL;
  case 1: return ee_json_read(arena, EE_STR("[1,\"x\"]"), NULL, NULL);
  case 2: return ee_json_read(arena, EE_STR("\"n/a\""), NULL, NULL);
  default: break;
  }
  ee_buffer text = {0};
  ee_buffer_add_char(&text, '"');
  for (size_t i = test_random_below(random, 4) + EE_CONFIDENCE_BYTES - 3; i > 0; i--) ee_buffer_add_char(&text, 'x');
  ee_buffer_add_text(&text, "\xe2\x82\xac\"");
  const ee_value *value = ee_json_read(arena, (ee_str){text.data, text.length}, NULL, NULL);
  ee_buffer_fini(&text);
  return value;
}

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
      if (value.state == EE_CONFIDENCE_BAD) value.found = random_bad(random, arena);
      value.spurious = !value.right && value.state != EE_CONFIDENCE_ABSTAINED && test_random_below(random, 3) == 0;
      *EE_LIST_ADD(confidences, arena) = value;
    }
  }
  confidences->has_document = test_random_below(random, 4) > 0;
  confidences->document = (ee_confidence_value){.confidence = test_random_unit(random), .right = number % 2 == 0};
  if (test_random_below(random, 4) == 0)
    confidences->document.state = (ee_confidence_state)(1 + test_random_below(random, 4));
  if (confidences->document.state == EE_CONFIDENCE_BAD) confidences->document.found = random_bad(random, arena);
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

/* What is kept of a field, or of the documents, counted value by value. */
typedef struct counted_field {
  uint64_t right, incorrect, spurious; /* of all answers */
  uint64_t unsure_right, unsure_wrong; /* of these: without a confidence */
  uint64_t silent_right, silent_wrong, missing, bad;
  bool none, several;
  const char *missing_case, *bad_case;
  ee_str bad_text; /* of that case, the lowest */
} counted_field;

static bool is_first(const char *id, const char *first) { return first == NULL || strcmp(id, first) < 0; }

static ee_str shown_bad(const ee_value *found, ee_arena *arena) {
  ee_str text = EE_STR("");
  if (ee_type_of(found) == EE_STRING) text = ee_value_text(found);
  if (ee_type_of(found) == EE_ARRAY) text = EE_STR("[1,\"x\"]");
  if (text.length > EE_CONFIDENCE_BYTES) text.length = EE_CONFIDENCE_BYTES;
  /* A character that is cut goes as a whole. */
  size_t letters = 0;
  while (letters < text.length && text.data[letters] > 0) letters++;
  if (text.length - letters < 3) text.length = letters;
  return (ee_str){ee_arena_copy(arena, text.data, text.length), text.length};
}

static void count_value(counted_field *field, const ee_confidence_value *value, const char *id, ee_arena *arena) {
  if (value->state == EE_CONFIDENCE_ABSTAINED) {
    field->silent_right += value->right;
    field->silent_wrong += !value->right;
    return;
  }
  field->right += value->right;
  field->incorrect += !value->right && !value->spurious;
  field->spurious += value->spurious;
  if (value->state == EE_CONFIDENCE_READ) return;
  field->unsure_right += value->right;
  field->unsure_wrong += !value->right;
  field->none = field->none || value->state == EE_CONFIDENCE_NONE;
  if (value->state == EE_CONFIDENCE_MISSING) {
    field->missing++;
    if (is_first(id, field->missing_case)) field->missing_case = id;
  } else if (value->state == EE_CONFIDENCE_BAD) {
    ee_str text = shown_bad(value->found, arena);
    field->bad++;
    if (is_first(id, field->bad_case) ||
        (strcmp(id, field->bad_case) == 0 && ee_str_compare(text, field->bad_text) < 0))
      field->bad_case = id, field->bad_text = text;
  }
}

static void assert_counted(const ee_confidence_table *table, const counted_field *field) {
  ee_answer_counts answers = ee_confidence_table_answers(table);
  assert_int_equal(answers.right, field->right);
  assert_int_equal(answers.incorrect, field->incorrect);
  assert_int_equal(answers.spurious, field->spurious);
  assert_int_equal(table->unsure.right, field->unsure_right);
  assert_int_equal(table->unsure.incorrect + table->unsure.spurious, field->unsure_wrong);
  assert_int_equal(table->silent_right, field->silent_right);
  assert_int_equal(table->silent_wrong, field->silent_wrong);
  assert_int_equal(table->missing, field->missing);
  assert_int_equal(table->bad, field->bad);
  assert_int_equal(table->none, field->none);
  assert_int_equal(table->several, field->several);
  assert_true(ee_str_is(table->missing_case.id, field->missing_case != NULL ? field->missing_case : ""));
  assert_true(ee_str_is(table->bad_case.id, field->bad_case != NULL ? field->bad_case : ""));
  if (!ee_str_equal(table->bad_case.text, field->bad_text))
    fail_msg("%.*s, not %.*s", EE_STR_ARG(table->bad_case.text), EE_STR_ARG(field->bad_text));
}

/* A field, or with NULL the documents. */
static void assert_field_counted(const ee_confidence_table *table, const char *name, const made_case *cases,
                                 size_t count, ee_arena *arena) {
  counted_field field = {0};
  for (size_t i = 0; i < count; i++) {
    const ee_confidences *confidences = &cases[i].confidences;
    if (name == NULL) {
      if (confidences->has_document) count_value(&field, &confidences->document, cases[i].id, arena);
      continue;
    }
    size_t values = 0;
    for (size_t k = 0; k < confidences->count; k++) {
      if (!ee_str_is(confidences->items[k].field, name)) continue;
      count_value(&field, &confidences->items[k], cases[i].id, arena);
      values++;
    }
    field.several = field.several || values > 1;
  }
  assert_counted(table, &field);
}

static void assert_all_counted(const ee_calibration_total *total, const made_case *cases, size_t count,
                               ee_arena *arena) {
  uint64_t clustered = 0;
  for (size_t i = 0; i < count; i++) clustered += cases[i].clustered;
  assert_int_equal(total->cases, count);
  assert_int_equal(total->clustered, clustered);
  assert_field_counted(&total->documents, NULL, cases, count, arena);
  for (size_t i = 0; i < total->count; i++) {
    char name[16];
    snprintf(name, sizeof name, "%.*s", EE_STR_ARG(total->items[i].name));
    assert_true(i == 0 || ee_str_compare(total->items[i - 1].name, total->items[i].name) < 0);
    assert_field_counted(&total->items[i], name, cases, count, arena);
  }
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

static uint64_t count_below(const made_case *cases, size_t count, double threshold) {
  uint64_t below = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < cases[i].confidences.count; k++) {
      const ee_confidence_value *value = &cases[i].confidences.items[k];
      below += value->state == EE_CONFIDENCE_READ && value->confidence < threshold;
    }
  return below;
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
    assert_all_counted(&kept, cases, count, &arena);
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
    /* Of thresholds that cost the same the one that leaves out the fewest. */
    assert_int_equal(best.left_out, count_below(cases, count, best.threshold));
    for (int i = 0; i <= 6; i++) {
      double threshold = i == 6 ? 2 : (double)i / 5;
      if (plain_cost(cases, count, threshold) <= best.cost + 1e-9)
        assert_true(best.left_out <= count_below(cases, count, threshold));
    }
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
