/* test_misfit.c: what the rules cannot read and cannot find, counted over random records against a slow twin, whole and
 * in parts. */
#include <string.h>

#include "judge/plan_fixture.h"
#include "judge/strategy/strategy.h"
#include "run/misfit.h"
#include "support/random.h"

#define RULES                                                                                                          \
  "{\"ee\":\"rules\",\"items\":[{\"ee\":\"fields\",\"items\":[{\"ee\":\"numeric\",\"items\":[\"a\"]},"                 \
  "{\"ee\":\"exact\",\"items\":[\"b\"]}]}]}"

/* A value, the number it is, and what reads it. */
static const struct {
  const char *json;
  int number;
  bool plain, money, comma;
} values[] = {
    {"5", 5, true, true, true},           {"\"5\"", 5, true, true, true},           {"7", 7, true, true, true},
    {"\"$5\"", 5, false, true, false},    {"\"1,5\"", 0, false, false, true},       {"\"x\"", 0, false, false, false},
    {"true", 0, false, false, false},     {"null", 0, false, false, false},         {NULL, 0, false, false, false},
    {"\"7 EUR\"", 7, false, true, false}, {"\"2,25 EUR\"", 0, false, false, false},
};
enum { VALUES = sizeof values / sizeof *values };

static bool is_empty(size_t v) { return values[v].json == NULL || strcmp(values[v].json, "null") == 0; }

typedef struct twin {
  ee_counts counts;
  uint64_t unread[2], money[2], comma[2];
  size_t first[2], first_case[2];
} twin;

static void twin_note(twin *t, int side, size_t v, size_t number) {
  char id[24], first[24];
  snprintf(id, sizeof id, "%zu", number);
  snprintf(first, sizeof first, "%zu", t->first_case[side]);
  if (t->unread[side]++ == 0 || strcmp(id, first) < 0) {
    t->first[side] = v;
    t->first_case[side] = number;
  }
  t->money[side] += values[v].money;
  t->comma[side] += values[v].comma;
}

static void twin_add(twin *t, size_t e, size_t c, size_t number) {
  bool same = !is_empty(e) && !is_empty(c) && strcmp(values[e].json, values[c].json) == 0;
  bool bad_expected = !is_empty(e) && !values[e].plain && !same,
       bad_candidate = !is_empty(c) && !values[c].plain && !same;
  if (is_empty(e) && is_empty(c)) {
    t->counts.tn++;
  } else if (is_empty(e)) {
    t->counts.fp++;
  } else if (is_empty(c)) {
    t->counts.fn += values[e].plain;
    t->counts.unread += !values[e].plain;
  } else if (same || (values[e].plain && values[c].plain && values[e].number == values[c].number)) {
    t->counts.tp++;
  } else if (bad_expected) {
    t->counts.unread++;
  } else {
    t->counts.fp++;
    t->counts.fn++;
    t->counts.wrong++;
  }
  t->counts.unread_candidates += bad_candidate;
  if (bad_expected) twin_note(t, EE_EXPECTED, e, number);
  if (bad_candidate) twin_note(t, EE_CANDIDATE, c, number);
}

static void write_document(size_t v, ee_buffer *out) {
  ee_buffer_clear(out);
  ee_buffer_add_text(out, "{");
  if (values[v].json != NULL) ee_buffer_addf(out, "\"a\":%s", values[v].json);
  ee_buffer_add_text(out, "}");
}

static void assert_side(const ee_attribute_total *total, const twin *t, ee_document_side side) {
  if (t->unread[side] == 0) {
    assert_true(total->unread == NULL || total->unread->sides[side].count == 0);
    return;
  }
  const ee_unread_side *found = &total->unread->sides[side];
  assert_int_equal(found->count, t->unread[side]);
  for (size_t i = 0; found->strategy->remedies[i].option != NULL; i++) {
    const char *option = found->strategy->remedies[i].option;
    if (strcmp(option, "format = \"money\"") == 0) assert_int_equal(found->by_remedy[i], t->money[side]);
    if (strcmp(option, "decimal = \",\"") == 0) assert_int_equal(found->by_remedy[i], t->comma[side]);
  }
  char id[24];
  snprintf(id, sizeof id, "%zu", t->first_case[side]);
  assert_true(ee_str_is(found->example.id, id));
  const char *json = values[t->first[side]].json;
  size_t quote = json[0] == '"';
  assert_int_equal(found->example.text.length, strlen(json) - 2 * quote);
  assert_memory_equal(found->example.text.data, json + quote, found->example.text.length);
}

static void assert_same_notes(const ee_judge *judge, const ee_judge_total *a, const ee_judge_total *b) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_misfit_list x = ee_misfits_of(judge, a, false, &arena), y = ee_misfits_of(judge, b, false, &arena);
  assert_int_equal(x.count, y.count);
  for (size_t i = 0; i < x.count; i++) assert_true(ee_str_equal(x.items[i].text, y.items[i].text));
  ee_arena_fini(&arena);
}

/* Records whose ids are in no order, in parts of random size. */
static void check_run(test_random *random, size_t cases) {
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, RULES);
  ee_totals whole, merged, part;
  ee_totals_init(&whole, f.plan);
  ee_totals_init(&merged, f.plan);
  ee_totals_init(&part, f.plan);
  ee_buffer left = {0}, right = {0};
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  twin t = {0};
  size_t vocabulary = 1 + test_random_below(random, VALUES);
  for (size_t i = 0; i < cases; i++) {
    size_t e = test_random_below(random, vocabulary), c = test_random_below(random, vocabulary);
    write_document(e, &left);
    write_document(c, &right);
    fixture_judge_case(&f, ee_buffer_terminate(&left), ee_buffer_terminate(&right));
    char id[24];
    size_t number = i * 37 % 101;
    int length = snprintf(id, sizeof id, "%zu", number);
    f.current.id = (ee_str){id, (size_t)length};
    twin_add(&t, e, c, number);
    ee_totals_add(&whole, &f.result, &scratch);
    ee_totals_add(&part, &f.result, &scratch);
    if (test_random_below(random, 7) > 0) continue;
    ee_totals_merge(&merged, &part);
    ee_totals_clear(&part);
  }
  ee_totals_merge(&merged, &part);
  for (int k = 0; k < 2; k++) {
    const ee_attribute_total *total = &(k == 0 ? &whole : &merged)->all.judges[0].attributes[0];
    assert_memory_equal(&total->counts, &t.counts, sizeof t.counts);
    assert_side(total, &t, EE_EXPECTED);
    assert_side(total, &t, EE_CANDIDATE);
  }
  assert_same_notes(f.plan->judges[0], &whole.all.judges[0], &merged.all.judges[0]);
  ee_buffer_fini(&left);
  ee_buffer_fini(&right);
  ee_arena_fini(&scratch);
  ee_totals_fini(&part);
  ee_totals_fini(&merged);
  ee_totals_fini(&whole);
  fixture_close(&f);
}

static void test_unread_against_twin(void **state) {
  (void)state;
  test_random random = test_random_start("misfit", 1203);
  for (int round = 0; round < 200; round++) check_run(&random, 1 + test_random_below(&random, 80));
}

/* A path that one side calls differently: the same name is found however the records are split. */
static void test_absent_paths_in_parts(void **state) {
  (void)state;
  test_random random = test_random_start("misfit paths", 1204);
  for (int round = 0; round < 60; round++) {
    ee_arena arena;
    ee_arena_init(&arena, 0);
    ee_buffer text;
    ee_buffer_init(&text);
    ee_absent_path whole = {0}, merged = {0}, part = {0};
    size_t cases = 1 + test_random_below(&random, 60);
    for (size_t i = 0; i < cases; i++) {
      int number = (int)test_random_below(&random, 3);
      ee_value *object = ee_value_new(&arena, EE_OBJECT);
      if (test_random_below(&random, 5) > 0)
        ee_value_set(&arena, object, EE_STR("vendor"), ee_value_new_number(&arena, number));
      ee_value_set(&arena, object, EE_STR("other"), ee_value_new_number(&arena, (double)test_random_below(&random, 9)));
      ee_absence absence = {.value = ee_value_new_number(&arena, number)};
      absence.around[EE_CANDIDATE] = object;
      ee_attribute_result attribute = {.there = {true, false}, .absence = &absence};
      ee_str id = ee_str_from(ee_arena_printf(&arena, "%zu", i * 7 % 61));
      ee_absent_path_add(&whole, &arena, &attribute, id, &text);
      ee_absent_path_add(&part, &arena, &attribute, id, &text);
      if (test_random_below(&random, 5) > 0) continue;
      ee_absent_path_merge(&merged, &arena, &part);
      part = (ee_absent_path){0};
    }
    ee_absent_path_merge(&merged, &arena, &part);
    assert_int_equal(whole.sides[EE_CANDIDATE].cases, cases < EE_ABSENT_CASES ? cases : EE_ABSENT_CASES);
    assert_int_equal(whole.sides[EE_CANDIDATE].cases, merged.sides[EE_CANDIDATE].cases);
    for (size_t i = 0; i < whole.sides[EE_CANDIDATE].cases; i++) {
      const ee_case_example *a = &whole.sides[EE_CANDIDATE].items[i], *b = &merged.sides[EE_CANDIDATE].items[i];
      assert_true(ee_str_equal(a->id, b->id) && ee_str_equal(a->text, b->text));
      assert_true(i == 0 || ee_str_compare(a[-1].id, a->id) < 0);
    }
    ee_buffer_fini(&text);
    ee_arena_fini(&arena);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_unread_against_twin), cmocka_unit_test(test_absent_paths_in_parts));
