/* test_trial_state.c: states of trials that no run writes are refused, and trials of judged cases have what their
 * judges say. */
#include "run/trial_total.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/json/json_reader.h"
#include "judge/judge.h"
#include "run/open_trials.h"
#include "support/arena.h"

static const ee_verdict_limits limits = {0.75, 0.5};

/* Two open cases and a closed, unstable one, by two judges with fields. */
static void make(ee_trial_total *total) {
  ee_trial_total_init(total, limits);
  static const char *const ids[] = {"closed", "open one", "open two"};
  for (size_t i = 0; i < 3; i++) {
    for (unsigned trial = 1; trial <= 2; trial++) {
      bool right = trial == 1;
      const ee_trial_field fields[] = {
          {EE_STR("a"), right ? (ee_counts){.tp = 1} : (ee_counts){.fp = 1, .fn = 1, .wrong = 1}, EE_STR("x")},
          {EE_STR("b"), {.tp = 1}, {NULL, 0}}};
      const ee_trial_judge judges[] = {
          {.has_score = true, .score = right, .verdict = right ? EE_VERDICT_PASS : EE_VERDICT_FAIL},
          {EE_STR("one"), 1, true, right, EE_VERDICT_PASS, fields, 2},
          {EE_STR("two"), 2, true, 1, EE_VERDICT_PASS, fields, 1}};
      ee_trial_total_add(total, &(ee_trial){.id = ee_str_from(ids[i]),
                                            .name = right ? EE_STR("1") : EE_STR("2"),
                                            .last = i == 0 && trial == 2,
                                            .judges = judges,
                                            .judge_count = 3});
    }
  }
  assert_int_equal(total->open.count, 2);
  assert_int_equal(total->unstable_count, 1);
}

/* Whether the total is written, and what was written is read. */
static bool is_kept(ee_trial_total *total) {
  ee_buffer out = {0};
  ee_state_line line;
  ee_state_write(&line, &out);
  ee_trial_total_state(&line, total);
  bool written = ee_state_close(&line), read = false;
  if (written) {
    ee_trial_total again;
    ee_trial_total_init(&again, limits);
    ee_state_read(&line, ee_json_read(&arena, (ee_str){out.data, out.length}, NULL, NULL));
    ee_trial_total_state(&line, &again);
    read = ee_state_close(&line);
    ee_trial_total_fini(&again);
  }
  ee_buffer_fini(&out);
  return read;
}

/* One member of a total that is otherwise good. */
static void refuses_what_no_run_writes(void **state) {
  (void)state;
  enum { CHANGES = 28 };
  for (int change = -1; change < CHANGES; change++) {
    ee_trial_total total;
    make(&total);
    ee_trial_case *open = total.open.items[0];
    ee_open_scores *scores = &open->judges.items[1];
    ee_open_field *field = &open->items[0];
    ee_unstable_case *unstable = &total.unstable[0];
    bool good = change < 0;
    switch (change) {
    case -1: break;
    /* The case as a whole is the first judge, and each judge has a name. */
    case 0: total.judges.items[0].name = EE_STR("x"); break;
    case 1: total.judges.items[1].name = (ee_str){NULL, 0}; break;
    case 2: total.judges.items[0].name = (ee_str){NULL, 0}; break;
    case 3: total.fields.items[0].name = (ee_str){NULL, 0}; break;
    /* No two fields of a judge have one name. */
    case 4: total.fields.items[1].name = total.fields.items[0].name; break;
    /* What is shown of an unstable case is an object. */
    case 5:
      ee_buffer_clear(&unstable->json);
      ee_buffer_add_text(&unstable->json, "[]");
      break;
    case 6: unstable->json.length--; break;
    case 7:
      ee_buffer_clear(&unstable->json);
      ee_buffer_add_text(&unstable->json, "{}");
      good = true;
      break;
    case 8:
      ee_buffer_clear(&unstable->id);
      good = true;
      break;
    /* Scores are numbers, and no more of them pass than there are. */
    case 9: scores->best = INFINITY; break;
    case 10: scores->worst = -INFINITY; break;
    case 11: scores->worst = NAN; break;
    case 12: scores->passes = 3; break;
    case 13:
      scores->passes = 2;
      good = true;
      break;
    case 14: scores->best_verdict = (ee_verdict)(EE_VERDICT_FAIL + 1); break;
    case 15:
      scores->best_verdict = EE_VERDICT_FAIL;
      good = true;
      break;
    case 16: scores->worst_verdict = (ee_verdict)7; break;
    case 17: open->scores.items[0].score = NAN; break;
    case 18: open->scores.items[1].score = INFINITY; break;
    /* A field has answers, or they are unknown; and is in a case once. */
    case 19: field->count = 0; break;
    case 20:
      field->unknown = true;
      good = true;
      break;
    case 21: open->items[1].field = field->field; break;
    /* An open case has trials, and an id of its own. */
    case 22: open->trials = 0; break;
    case 23: total.open.items[1]->id = open->id; break;
    case 24:
      open->trials = 1;
      good = true;
      break;
    /* Without any trial there need not be judges. */
    case 25:
      total.open.count = 0;
      total.judges.count = total.fields.count = 0;
      break;
    case 26:
      total.open.count = 0;
      total.judges.count = total.fields.count = 0;
      total.trials = total.cases = 0;
      good = true;
      break;
    case 27:
      total.trials = total.cases = 0;
      total.judges.items[0].name = EE_STR("x");
      good = true;
      break;
    default: break;
    }
    if (is_kept(&total) != good) fail_msg("change %d is %s", change, good ? "refused" : "kept");
    ee_trial_total_fini(&total);
  }
}

/* Not more unstable cases than a total keeps. */
static void keeps_as_many_unstable_cases(void **state) {
  (void)state;
  ee_trial_total total;
  make(&total);
  ee_buffer out = {0};
  ee_state_line line;
  while (total.unstable_count < EE_UNSTABLE_CASES) {
    ee_unstable_case *added = &total.unstable[total.unstable_count++];
    ee_buffer_add_text(&added->id, "x");
    ee_buffer_add_text(&added->json, "{\"unstable\":1}");
  }
  assert_true(is_kept(&total));
  ee_state_write(&line, &out);
  ee_trial_total_state(&line, &total);
  assert_true(ee_state_close(&line));
  /* One of them once more. */
  const char *text = ee_buffer_terminate(&out), *first = strstr(text, ",[20,["), *at = strstr(text, "[-3,\"x\",");
  assert_true(first != NULL && at != NULL && first < at);
  const char *end = strchr(at, ']') + 1;
  const char *more = ee_arena_printf(&arena, "%.*s,[21,[%.*s,%.*s%s", (int)(first - text), text, (int)(end - first - 6),
                                     first + 6, (int)(end - at), at, end);
  ee_trial_total read;
  for (int i = 0; i < 2; i++) {
    ee_trial_total_init(&read, limits);
    ee_state_read(&line, ee_json_read(&arena, ee_str_from(i == 0 ? text : more), NULL, NULL));
    ee_trial_total_state(&line, &read);
    assert_int_equal(ee_state_close(&line), i == 0);
    assert_int_equal(read.unstable_count, i == 0 ? EE_UNSTABLE_CASES : 0);
    ee_trial_total_fini(&read);
  }
  ee_buffer_fini(&out);
  ee_trial_total_fini(&total);
}

/* A judged case: fields without derived ones, wrong answers from the first mismatch of each, positions from 1. */
static void takes_trials_of_judged_cases(void **state) {
  (void)state;
  static const ee_attribute attributes[] = {{EE_STR("a"), false}, {EE_STR("twice"), true}, {EE_STR("b"), false}};
  const ee_judge judges[] = {{.name = EE_STR("first"), .number = 0, .attributes = attributes, .attribute_count = 3},
                             {.name = EE_STR("second"), .number = 1}};
  ee_value *x = ee_value_new_string(&arena, EE_STR("x")), *y = ee_value_new_string(&arena, EE_STR("y"));
  ee_trial_total total;
  ee_trial_total_init(&total, limits);
  for (unsigned trial = 1; trial <= 3; trial++) {
    const ee_counts wrong = {.fp = 1, .fn = 1, .wrong = 1}, right = {.tp = 1};
    const ee_attribute_result found[] = {{.name = EE_STR("a"), .slot = 0, .counts = trial == 1 ? right : wrong},
                                         {.name = EE_STR("twice"), .slot = 1, .counts = wrong},
                                         {.name = EE_STR("b"), .slot = 2, .counts = trial == 3 ? wrong : right},
                                         {.name = EE_STR("of the data"), .slot = -1, .counts = right}};
    /* The second mismatch of an attribute does not count, nor one of no attribute. */
    ee_mismatch mismatches[] = {{.attribute = EE_STR("other"), .candidate = y},
                                {.attribute = EE_STR("a"), .candidate = trial == 2 ? x : y},
                                {.attribute = EE_STR("a"), .candidate = trial == 2 ? y : x},
                                {.attribute = EE_STR("b"), .candidate = x}};
    const ee_judge_result judged[] = {{.judge = &judges[0],
                                       .score = trial == 1 ? 1 : 0.5,
                                       .verdict = EE_VERDICT_BORDERLINE,
                                       .attributes = found,
                                       .attribute_count = 4,
                                       .mismatches = mismatches,
                                       .mismatch_count = trial == 1 ? 0 : 4},
                                      {.judge = &judges[1], .score = 0.25, .unscored = trial == 2}};
    const ee_case source = {.id = ee_str_from(ee_arena_printf(&arena, "c (trial %u)", trial)),
                            .base = EE_STR("c"),
                            .trial = ee_str_from(ee_arena_printf(&arena, "%u", trial))};
    const ee_case_result result = {.source = &source,
                                   .score = (double)trial / 4,
                                   .verdict = trial == 3 ? EE_VERDICT_PASS : EE_VERDICT_FAIL,
                                   .unscored = trial == 1,
                                   .judges = judged,
                                   .judge_count = 2};
    ee_trial_total_add_case(&total, &result, &arena);
  }
  const ee_case alone = {.id = EE_STR("d")};
  ee_trial_total_add_case(&total, &(ee_case_result){.source = &alone}, &arena);
  ee_trial_total_finish(&total);
  assert_true(total.trials == 3 && total.cases == 1 && total.others == 1);
  assert_int_equal(total.judges.count, 3);
  static const char *const names[] = {"", "first", "second"};
  static const uint64_t trials[] = {2, 3, 2};
  static const double means[] = {(0.5 + 0.75) / 2, 2.0 / 3, 0.25};
  for (size_t i = 0; i < 3; i++) {
    const ee_trial_figures *figures = &total.judges.items[i];
    assert_true(ee_str_is(figures->name, names[i]));
    assert_int_equal(figures->position, i);
    assert_int_equal(figures->trials, trials[i]);
    assert_true(fabs(ee_sample_mean(&figures->mean) - means[i]) < 1e-15);
  }
  static const struct {
    const char *name;
    uint64_t right, differ, elected;
  } fields[] = {{"a", 1, 1, 1}, {"b", 2, 1, 1}, {"of the data", 3, 0, 1}};
  assert_int_equal(total.fields.count, 3);
  for (size_t i = 0; i < 3; i++) {
    const ee_trial_field_total *field = &total.fields.items[i];
    assert_true(ee_str_is(field->name, fields[i].name));
    assert_true(field->cases == 1 && field->trials == 3 && field->votes == 1);
    assert_true(field->outcomes[0] == fields[i].right &&
                fabs(ee_fixed_value(field->one) - (double)fields[i].right / 3) < 1e-15 &&
                field->differ == fields[i].differ && field->elected == fields[i].elected);
  }
  const char *json = ee_arena_copy(&arena, total.unstable[0].json.data, total.unstable[0].json.length);
  assert_string_equal(
      json,
      "{\"id\":\"c\",\"trials\":3,\"passed\":1,\"scores\":[0.5,0.75],\"fields\":[{\"judge\":\"first\",\"field\":\"a\","
      "\"right\":1,\"wrong\":2,\"answers\":[{\"value\":\"x\",\"trials\":1},{\"value\":\"y\",\"trials\":1}]},"
      "{\"judge\":\"first\",\"field\":\"b\",\"right\":2,\"wrong\":1,\"answers\":[{\"value\":\"x\",\"trials\":1}]}]}");
  ee_trial_total_fini(&total);
}

/* An answer is known to its last byte, and shown with its first ones. */
static void long_answers(void **state) {
  (void)state;
  char answers[3][70];
  for (size_t i = 0; i < 3; i++) {
    memset(answers[i], 'x', 65);
    snprintf(answers[i] + 65, 5, "%d", i < 2 ? 1 : 2);
  }
  ee_trial_total total;
  ee_trial_total_init(&total, limits);
  for (size_t i = 0; i < 3; i++) {
    const ee_trial_field field = {EE_STR("a"), {.fp = 1, .fn = 1, .wrong = 1}, ee_str_from(answers[i])};
    const ee_trial_judge judges[] = {{.has_score = true, .score = 0, .verdict = EE_VERDICT_FAIL},
                                     {EE_STR("j"), 1, true, 0, EE_VERDICT_FAIL, &field, 1}};
    ee_trial_total_add(&total, &(ee_trial){.id = EE_STR("c"),
                                           .name = ee_str_from(ee_arena_printf(&arena, "%zu", i)),
                                           .last = i == 2,
                                           .judges = judges,
                                           .judge_count = 2});
  }
  const char *json = ee_arena_copy(&arena, total.unstable[0].json.data, total.unstable[0].json.length);
  const char *expected = ee_arena_printf(&arena,
                                         "\"right\":0,\"wrong\":3,\"answers\":[{\"value\":\"%.60s\",\"trials\":2},"
                                         "{\"value\":\"%.60s\",\"trials\":1}]}]}",
                                         answers[0], answers[2]);
  if (strstr(json, expected) == NULL) fail_msg("%s", json);
  ee_trial_total_fini(&total);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(refuses_what_no_run_writes),
             cmocka_unit_test(keeps_as_many_unstable_cases), cmocka_unit_test(takes_trials_of_judged_cases),
             cmocka_unit_test(long_answers));
