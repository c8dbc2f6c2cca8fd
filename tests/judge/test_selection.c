/* test_selection.c: only the selected judges judge a case, its score is theirs, and nothing of the others is counted.
 */
#include "judge/plan.h"

#include "judge/case.h"
#include "judge/plan_fixture.h"
#include "run/totals.h"
#include "support/random.h"

enum { JUDGES = 4, CASES = 60 };

/* The table ------------------------------------------------------------------------------------ */

static void test_find(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_selection *selection = ee_selection_new(&arena);
  size_t count = 7;
  assert_null(ee_selection_find(selection, EE_STR("a"), &count));
  assert_int_equal(count, 0);
  char id[] = "a";
  uint32_t judges[] = {0, 2, 5};
  ee_selection_add(selection, ee_str_from(id), judges, 3);
  ee_selection_add(selection, EE_STR("b"), NULL, 0);
  ee_selection_add(selection, EE_STR(""), judges, 1);
  /* Everything is copied. */
  id[0] = 'x';
  judges[0] = 9;
  ee_selection_add(selection, EE_STR("a"), judges, 1); /* the first stays */
  const uint32_t *found = ee_selection_find(selection, EE_STR("a"), &count);
  assert_int_equal(count, 3);
  assert_true(found[0] == 0 && found[1] == 2 && found[2] == 5);
  assert_non_null(ee_selection_find(selection, EE_STR("b"), &count));
  assert_int_equal(count, 0);
  found = ee_selection_find(selection, EE_STR(""), &count);
  assert_true(count == 1 && found[0] == 0);
  assert_null(ee_selection_find(selection, EE_STR("x"), &count));
  assert_int_equal(count, 0);
  ee_arena_fini(&arena);
}

static void test_many(void **state) {
  (void)state;
  enum { IDS = 5000 };
  test_random random = test_random_start("test_selection many", 20261101);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_selection *selection = ee_selection_new(&arena);
  static uint8_t masks[IDS];
  static bool added[IDS];
  memset(added, 0, sizeof added);
  for (size_t i = 0; i < IDS; i++) {
    size_t id = test_random_below(&random, IDS);
    uint8_t mask = (uint8_t)test_random_below(&random, 4) == 0 ? (uint8_t)test_random_below(&random, 256) : 0x5a;
    uint32_t judges[8];
    size_t count = 0;
    for (uint32_t k = 0; k < 8; k++) {
      if (mask >> k & 1) judges[count++] = k;
    }
    ee_selection_add(selection, ee_str_from(ee_arena_printf(&arena, "case-%zu", id)), judges, count);
    if (!added[id]) masks[id] = mask;
    added[id] = true;
  }
  for (size_t id = 0; id < IDS; id++) {
    size_t count;
    const uint32_t *found = ee_selection_find(selection, ee_str_from(ee_arena_printf(&arena, "case-%zu", id)), &count);
    assert_int_equal(found != NULL, added[id]);
    uint8_t mask = 0;
    for (size_t k = 0; k < count; k++) {
      assert_true(k == 0 || found[k] > found[k - 1]);
      mask |= (uint8_t)(1u << found[k]);
    }
    if (added[id]) assert_int_equal(mask, masks[id]);
  }
  ee_arena_fini(&arena);
}

/* Judging -------------------------------------------------------------------------------------- */

/* Four judges of one field each; the third is a script's, with an attribute that only the data knows. */
#define RULES                                                                                                          \
  "{\"ee\":\"rules\",\"slices\":[\"lang\"],\"items\":["                                                                \
  "{\"ee\":\"fields\",\"name\":\"first\",\"weight\":1,\"items\":[{\"ee\":\"exact\",\"items\":[\"a\"]}]},"              \
  "{\"ee\":\"fields\",\"name\":\"second\",\"weight\":3,\"items\":[{\"ee\":\"exact\",\"items\":[\"b\"]}]},"             \
  "{\"ee\":\"judge\",\"weight\":2,\"items\":[\"third\",{\"function\":0}]},"                                            \
  "{\"ee\":\"fields\",\"name\":\"fourth\",\"weight\":0,\"items\":[{\"ee\":\"exact\",\"items\":[\"d\"]}]}]}"

static const double weights[JUDGES] = {1, 3, 2, 0};

/* Scores 1 or 0 by `c`, and counts one attribute, the value of `kind`. */
static ee_status third(ee_script *script, ee_script_judgement *result, ee_error *error) {
  (void)error;
  const ee_case *current = script->current;
  bool same = ee_value_equal(ee_value_member(current->expected, EE_STR("c"), NULL),
                             ee_value_member(current->candidate, EE_STR("c"), NULL));
  result->score = same ? 1 : 0;
  ee_value *details = ee_value_new(script->arena, EE_OBJECT), *metrics = ee_value_new(script->arena, EE_OBJECT);
  ee_value *counts = ee_value_new(script->arena, EE_OBJECT);
  ee_value_set(script->arena, counts, same ? EE_STR("tp") : EE_STR("fp"), ee_value_new_number(script->arena, 1));
  ee_value_set(script->arena, metrics, ee_value_text(ee_value_member(current->expected, EE_STR("kind"), NULL)), counts);
  ee_value_set(script->arena, details, EE_STR("metrics"), metrics);
  result->details = details;
  return EE_OK;
}

typedef struct selected {
  fixture f;
  ee_plan plan; /* with the selection */
  const char *ids[CASES], *records[CASES];
  uint8_t masks[CASES]; /* of judges */
} selected;

static void selected_open(selected *s, test_random *random) {
  fixture_open(&s->f);
  fixture_rules(&s->f, RULES);
  s->f.script.judge = third;
  s->plan = *s->f.plan;
  ee_arena *arena = &s->f.arena;
  ee_selection *selection = ee_selection_new(arena);
  for (size_t i = 0; i < CASES; i++) {
    s->ids[i] = ee_arena_printf(arena, "c%zu", i);
    int values[2][JUDGES];
    for (size_t k = 0; k < 2 * JUDGES; k++) values[k / JUDGES][k % JUDGES] = (int)test_random_below(random, 2);
    s->records[i] = ee_arena_printf(
        arena,
        "{\"id\":\"c%zu\",\"lang\":\"l%zu\",\"expected\":{\"a\":%d,\"b\":%d,\"c\":%d,\"d\":%d,\"kind\":\"k%zu\"},"
        "\"candidate\":{\"a\":%d,\"b\":%d,\"c\":%d,\"d\":%d}}",
        i, test_random_below(random, 3), values[0][0], values[0][1], values[0][2], values[0][3],
        test_random_below(random, 3), values[1][0], values[1][1], values[1][2], values[1][3]);
    s->masks[i] = (uint8_t)test_random_below(random, 1 << JUDGES);
    uint32_t judges[JUDGES];
    size_t count = 0;
    for (uint32_t k = 0; k < JUDGES; k++) {
      if (s->masks[i] >> k & 1) judges[count++] = k;
    }
    ee_selection_add(selection, ee_str_from(s->ids[i]), judges, count);
  }
  s->plan.selection = selection;
}

/* Judges case `i` by `plan`, into the fixture's result. */
static const ee_case_result *judge_record(selected *s, const ee_plan *plan, size_t i) {
  fixture *f = &s->f;
  ee_error error = {0};
  const ee_value *record = fixture_json(&f->case_arena, s->records[i]);
  if (ee_record_read(record, &plan->paths, &(ee_record_place){.line = 1}, &f->case_arena, &f->current, &error) != EE_OK)
    fail_msg("%s", error.message);
  ee_open_plan open;
  assert_int_equal(ee_open_plan_init_with(&open, plan, &f->script, NULL, NULL, NULL), EE_OK);
  ee_context context = ee_open_plan_context(&open, &f->case_arena);
  ee_plan_judge(plan, &context, &f->current, &f->result);
  ee_open_plan_fini(&open);
  return &f->result;
}

static bool same_counts(const ee_counts *a, const ee_counts *b) { return memcmp(a, b, sizeof *a) == 0; }

static void assert_same_judge(const ee_judge_result *a, const ee_judge_result *b) {
  assert_ptr_equal(a->judge, b->judge);
  assert_true(a->score == b->score && a->verdict == b->verdict);
  assert_int_equal(a->hit_count, b->hit_count);
  assert_int_equal(a->miss_count, b->miss_count);
  assert_int_equal(a->attribute_count, b->attribute_count);
  for (size_t i = 0; i < a->attribute_count; i++) {
    assert_true(ee_str_equal(a->attributes[i].name, b->attributes[i].name));
    assert_true(same_counts(&a->attributes[i].counts, &b->attributes[i].counts));
  }
}

static void test_judging(void **state) {
  (void)state;
  test_random random = test_random_start("test_selection judging", 20261102);
  selected s;
  selected_open(&s, &random);
  for (size_t i = 0; i < CASES; i++) {
    ee_arena_reset(&s.f.case_arena, 0);
    ee_case_result all = *judge_record(&s, s.f.plan, i);
    size_t calls = s.f.script.calls;
    ee_case_result some = *judge_record(&s, &s.plan, i);
    /* The script is entered for its judge only. */
    assert_int_equal(s.f.script.calls - calls, s.masks[i] >> 2 & 1);
    assert_int_equal(all.judge_count, JUDGES);
    assert_true(some.expected_hash == all.expected_hash);
    double sum = 0, weight = 0;
    size_t at = 0;
    for (size_t k = 0; k < JUDGES; k++) {
      if (!(s.masks[i] >> k & 1)) continue;
      assert_true(at < some.judge_count);
      assert_same_judge(&some.judges[at++], &all.judges[k]);
      sum += weights[k] * all.judges[k].score;
      weight += weights[k];
    }
    assert_int_equal(some.judge_count, at);
    /* Without a judge, or without one that weighs anything, there is nothing to score. */
    assert_true(some.score == (weight > 0 ? sum / weight : 1));
    assert_int_equal(some.verdict, ee_verdict_of(some.score, s.plan.verdict));
  }
  ee_plan_print(&s.plan, &s.f.text);
  assert_non_null(strstr(ee_buffer_terminate(&s.f.text), "\neach case by its own judges, from the data set\n"));
  /* A case that the data set does not know. */
  s.records[0] = "{\"id\":\"other\",\"expected\":{\"a\":1},\"candidate\":{}}";
  ee_case_result none = *judge_record(&s, &s.plan, 0);
  assert_int_equal(none.judge_count, 0);
  assert_true(none.score == 1 && none.verdict == EE_VERDICT_PASS);
  fixture_close(&s.f);
}

/* Totals --------------------------------------------------------------------------------------- */

static const ee_attribute_total *find_attribute(const ee_judge_total *total, ee_str name) {
  for (size_t i = 0; i < total->attribute_count; i++) {
    if (ee_str_equal(total->attributes[i].name, name)) return &total->attributes[i];
  }
  return NULL;
}

/* A judge's totals must be what it gives alone on the cases that are its own. */
static void assert_same_totals(const ee_judge_total *some, const ee_judge_total *alone) {
  assert_int_equal(some->score.count, alone->score.count);
  assert_memory_equal(&some->score.sum, &alone->score.sum, sizeof some->score.sum);
  assert_memory_equal(some->verdicts, alone->verdicts, sizeof some->verdicts);
  assert_int_equal(some->attribute_count, alone->attribute_count);
  for (size_t i = 0; i < some->attribute_count; i++) {
    const ee_attribute_total *other = find_attribute(alone, some->attributes[i].name);
    assert_non_null(other);
    assert_true(same_counts(&some->attributes[i].counts, &other->counts));
  }
}

static const ee_slice_total *find_slice(const ee_totals *totals, ee_str value) {
  for (size_t i = 0; i < totals->slice_count; i++) {
    if (ee_str_equal(totals->slices[i].value, value)) return &totals->slices[i];
  }
  return NULL;
}

static void test_totals(void **state) {
  (void)state;
  test_random random = test_random_start("test_selection totals", 20261103);
  selected s;
  selected_open(&s, &random);
  ee_totals whole, parts[2];
  ee_totals_init(&whole, &s.plan);
  for (size_t i = 0; i < 2; i++) {
    ee_totals_init(&parts[i], &s.plan);
  }
  size_t cut = test_random_below(&random, CASES + 1);
  for (size_t i = 0; i < CASES; i++) {
    ee_totals_add(&parts[i >= cut], judge_record(&s, &s.plan, i), &s.f.case_arena);
    ee_arena_reset(&s.f.case_arena, 0);
  }
  ee_totals_merge(&whole, &parts[0]);
  ee_totals_merge(&whole, &parts[1]);
  assert_int_equal(whole.scored, CASES);
  assert_int_equal(whole.all.score.count, CASES);
  for (size_t k = 0; k < JUDGES; k++) {
    ee_totals alone;
    ee_totals_init(&alone, s.f.plan);
    for (size_t i = 0; i < CASES; i++) {
      if (s.masks[i] >> k & 1) ee_totals_add(&alone, judge_record(&s, s.f.plan, i), &s.f.case_arena);
      ee_arena_reset(&s.f.case_arena, 0);
    }
    assert_same_totals(&whole.all.judges[k], &alone.all.judges[k]);
    for (size_t i = 0; i < alone.slice_count; i++) {
      const ee_slice_total *slice = find_slice(&whole, alone.slices[i].value);
      assert_non_null(slice);
      assert_same_totals(&slice->totals.judges[k], &alone.slices[i].totals.judges[k]);
    }
    ee_totals_fini(&alone);
  }
  ee_totals_fini(&parts[0]);
  ee_totals_fini(&parts[1]);
  ee_totals_fini(&whole);
  fixture_close(&s.f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_find), cmocka_unit_test(test_many), cmocka_unit_test(test_judging),
             cmocka_unit_test(test_totals));
