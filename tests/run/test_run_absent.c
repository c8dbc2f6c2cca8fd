/* test_run_absent.c: expected values without a record, which are judged after the data. */
#include "run/run_listener.h"

#define TRUTH(id) "{\"id\":\"" id "\",\"expected\":{\"number\":1}}\n"
#define ANSWER(id) "{\"id\":\"" id "\",\"candidate\":{\"number\":1}}\n"

typedef struct outcome {
  uint64_t records, scored, filtered, unjudged, absent, unreadable;
  char ids[64]; /* of the rows */
} outcome;

static outcome run(const small_rules *rules, const char *records, ee_run_options options) {
  static const char truth[] = TRUTH("a") TRUTH("b") TRUTH("f") TRUTH("u") TRUTH("y") TRUTH("z");
  temporary file, expected;
  temporary_fill(&file, records, strlen(records));
  temporary_fill(&expected, truth, sizeof truth - 1);
  ee_error error = {0};
  ee_error_list errors;
  ee_error_list_init(&errors);
  options.judge_absent = true;
  options.expected = ee_expected_set_open(expected.name, NULL, NULL, &errors, &error);
  assert_non_null(options.expected);
  listener l;
  listener_open(&l);
  ee_run_result result = run_file(rules, file.name, options, &l);
  const ee_totals *t = &result.totals;
  outcome seen = {t->records, t->scored, t->filtered, t->unjudged, t->absent, t->unreadable, ""};
  size_t length = 0;
  for (size_t i = 0; i < l.rows.length; i++)
    if (i == 0 || l.rows.data[i - 1] == '\n') seen.ids[length++] = l.rows.data[i];
  listener_close(&l);
  ee_totals_fini(&result.totals);
  ee_expected_set_close(options.expected);
  ee_error_list_fini(&errors);
  temporary_remove(&file);
  temporary_remove(&expected);
  return seen;
}

/* They are judged if some record could be read, whatever became of it: without any the ids most likely do not fit. */
static void test_judged_after_any_record(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  static const uint32_t all[] = {0, 1};
  ee_selection *selection = ee_selection_new(&rules.arena);
  static const char *const selected[] = {"a", "b", "f", "y", "z", "broken"};
  for (size_t i = 0; i < 6; i++) ee_selection_add(selection, ee_str_from(selected[i]), all, 2);
  static const char *const only[] = {"a", "b", "u", "z"};
  const ee_run_options chosen = {.choice = {.only = only, .only_count = 4}};
  static const struct {
    const char *records;
    bool selects, chooses;
    outcome expected;
  } facts[] = {
      {ANSWER("b"), false, false, {1, 6, 0, 0, 5, 0, "bafuyz"}},
      {ANSWER("b") ANSWER("z"), false, false, {2, 6, 0, 0, 4, 0, "bzafuy"}},
      {"broken\n" ANSWER("b"), false, false, {2, 6, 0, 0, 5, 1, "bafuyz"}},
      {"broken\n", false, false, {1, 0, 0, 0, 0, 1, ""}},
      {"", false, false, {0, 0, 0, 0, 0, 0, ""}},
      /* A record that is not chosen was read; absent ones that are not chosen are not counted. */
      {ANSWER("f"), false, true, {1, 4, 1, 0, 4, 0, "abuz"}},
      {ANSWER("b") ANSWER("f"), false, true, {2, 4, 1, 0, 3, 0, "bauz"}},
      {ANSWER("b") ANSWER("f") ANSWER("y"), false, true, {3, 4, 2, 0, 3, 0, "bauz"}},
      /* One without a judge, too; and absent ones without a judge are counted. */
      {ANSWER("u"), true, false, {1, 5, 0, 1, 5, 0, "abfyz"}},
      {ANSWER("b"), true, false, {1, 5, 0, 1, 4, 0, "bafyz"}},
      {ANSWER("u") ANSWER("f"), true, true, {2, 3, 1, 1, 3, 0, "abz"}},
      {ANSWER("b") ANSWER("u"), true, true, {2, 3, 0, 1, 2, 0, "baz"}},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    rules.plan->selection = facts[i].selects ? selection : NULL;
    for (unsigned jobs = 1; jobs <= 3; jobs++) {
      ee_run_options options = facts[i].chooses ? chosen : (ee_run_options){0};
      options.jobs = jobs;
      outcome got = run(&rules, facts[i].records, options);
      const outcome *want = &facts[i].expected;
      if (memcmp(&got, want, offsetof(outcome, ids)) != 0 || strcmp(got.ids, want->ids) != 0)
        fail_msg("%zu: records %d scored %d filtered %d unjudged %d absent %d unreadable %d of %s", i, (int)got.records,
                 (int)got.scored, (int)got.filtered, (int)got.unjudged, (int)got.absent, (int)got.unreadable, got.ids);
    }
  }
  small_rules_close(&rules);
}

/* A limit counts them, and an end before them leaves them out. */
static void test_limits_and_ends(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  for (uint64_t limit = 1; limit <= 7; limit++) {
    outcome got = run(&rules, ANSWER("b"), (ee_run_options){.jobs = 1, .limit = limit});
    assert_int_equal(got.scored, limit < 6 ? limit : 6);
    assert_int_equal(strncmp(got.ids, "bafuyz", strlen(got.ids)), 0);
    assert_int_equal(strlen(got.ids), got.scored);
  }
  outcome strict = run(&rules, ANSWER("b") "broken\n", (ee_run_options){.jobs = 1, .strict = true});
  assert_int_equal(strict.scored, 1);
  assert_int_equal(strict.absent, 0);
  small_rules_close(&rules);
}

/* Of no data: only they. */
static void test_alone(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  outcome got = run(&rules, ANSWER("b"), (ee_run_options){.jobs = 2, .only_absent = true});
  assert_int_equal(got.records, 0);
  assert_int_equal(got.absent, 6);
  assert_string_equal(got.ids, "abfuyz");
  small_rules_close(&rules);
}

/* Ids that an earlier part has are duplicates, and so are their other records. */
static void test_ids_of_an_earlier_part(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  ee_id_hashes earlier = {0};
  ee_id_hashes_add(&earlier, ee_id_hash(EE_STR("b")), SIZE_MAX);
  ee_id_hashes_add(&earlier, ee_id_hash(EE_STR("d")), SIZE_MAX);
  ee_id_hashes_sort(&earlier);
  temporary file;
  static const char text[] = GOOD("a") GOOD("b") GOOD("c") GOOD("c") GOOD("b") GOOD("e");
  temporary_fill(&file, text, sizeof text - 1);
  for (unsigned jobs = 1; jobs <= 3; jobs++) {
    listener l;
    listener_open(&l);
    ee_run_result result = run_file(&rules, file.name, (ee_run_options){.jobs = jobs, .except = &earlier}, &l);
    char expected[1000];
    snprintf(expected, sizeof expected,
             "%s:2: duplicate id 'b' (an earlier part has it)\n%s:4: duplicate id 'c' (first at %s:3)\n"
             "%s:5: duplicate id 'b' (an earlier part has it)\n",
             file.name, file.name, file.name, file.name);
    assert_string_equal(ee_buffer_terminate(&l.messages), expected);
    assert_int_equal(result.totals.scored, 3);
    assert_int_equal(result.totals.duplicates, 3);
    listener_close(&l);
    ee_totals_fini(&result.totals);
  }
  ee_id_hashes_fini(&earlier);
  temporary_remove(&file);
  small_rules_close(&rules);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_judged_after_any_record), cmocka_unit_test(test_limits_and_ends),
             cmocka_unit_test(test_alone), cmocka_unit_test(test_ids_of_an_earlier_part));
