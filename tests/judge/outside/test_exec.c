/* test_exec.c: ee.exec: another program as a judge, well behaved or not. */
#include "judge/plan_fixture.h"

#include <malloc.h>

#include "base/pool.h"
#include "judge/case.h"
#include "judge/compile.h"
#include "judge/fake_provider.h"
#include "judge/outside/exec_fixture.h"
#include "judge/plan.h"
#include "support/processes.h"

/* A plan with what its judges keep from case to case. */
typedef struct subject {
  fixture f;
  ee_open_plan open;
  char rules[1024];
  volatile sig_atomic_t interrupted;
} subject;

static void subject_open(subject *s, const char *arguments, const char *options) {
  fixture_open(&s->f);
  s->interrupted = 0;
  fixture_rules(&s->f, exec_rules(s->rules, sizeof s->rules, arguments, options));
  ee_error error = {0};
  assert_int_equal(ee_open_plan_init(&s->open, s->f.plan, NULL, &s->interrupted, &error), EE_OK);
}

static void subject_close(subject *s) {
  ee_open_plan_fini(&s->open);
  fixture_close(&s->f);
}

static const ee_judge_result *judge_in(subject *s, ee_context context, const char *expected, const char *candidate) {
  fixture *f = &s->f;
  ee_arena_reset(&f->case_arena, 0);
  f->rule_errors.count = 0;
  f->current = (ee_case){.id = EE_STR("inv-001"),
                         .expected = fixture_json(&f->case_arena, expected),
                         .candidate = candidate != NULL ? fixture_json(&f->case_arena, candidate) : NULL,
                         .candidate_state = candidate != NULL ? EE_CANDIDATE_READ : EE_CANDIDATE_MISSING};
  f->context = context;
  f->context.rule_errors = &f->rule_errors;
  ee_plan_judge(f->plan, &f->context, &f->current, &f->result);
  return f->result.judges;
}

static const ee_judge_result *judge(subject *s, const char *expected, const char *candidate) {
  return judge_in(s, ee_open_plan_context(&s->open, &s->f.case_arena), expected, candidate);
}

static const char *details_text(subject *s, const ee_judge_result *result) {
  ee_buffer_clear(&s->f.text);
  fixture_write_details(result, &s->f.text);
  return ee_buffer_terminate(&s->f.text);
}

/* The only miss is the judge with the reason, and the run is told with the place. */
static void assert_failed(subject *s, const ee_judge_result *result, const char *reason) {
  char text[1024];
  snprintf(text, sizeof text, "external (%s)", reason);
  assert_misses(&s->f, result, text);
  assert_int_equal(result->hit_count + result->attribute_count + result->reasoning.length, 0);
  assert_true(result->score == 0 && s->f.result.score == 0 && result->failed);
  assert_string_equal(details_text(s, result), "{}");
  assert_int_equal(s->f.result.rule_errors, 1);
  const ee_error *error = &s->f.rule_errors.items[0];
  snprintf(text, sizeof text, "ee.exec 'external': %s (case 'inv-001')", reason);
  assert_string_equal(error->message, text);
  assert_string_equal(error->file, "rules.lua");
  assert_int_equal(error->line, 4);
  assert_int_equal(error->status, EE_ERROR_RULES);
}

static void assert_good(subject *s, const ee_judge_result *result, double score) {
  assert_int_equal(s->f.result.rule_errors, 0);
  assert_true(result->score == score && !result->failed);
}

/* What comes back ----------------------------------------------------------------------------------------------------
 */

static void test_good(void **state) {
  (void)state;
  static const char *const modes[][2] = {{"\"judge\"", ""}, {"\"lines\"", ", \"persistent\": true"}};
  for (size_t i = 0; i < 2; i++) {
    subject s;
    char options[200];
    snprintf(options, sizeof options, "\"config\": {\"fields\": [1, {\"path\": \"a b\"}], \"deep\": {}}%s",
             modes[i][1]);
    subject_open(&s, modes[i][0], options);
    assert_true(ee_str_is(s.f.plan->judges[0]->name, "external"));
    assert_true(s.f.plan->judges[0]->data_attributes && s.f.plan->runs_programs);
    const ee_judge_result *result = judge(&s, "{\"x\": 1}", "{\"x\": 1}");
    assert_good(&s, result, 1);
    assert_hits(&s.f, result, "inv-001");
    assert_misses(&s.f, result, "");
    assert_reasoning(result, "the same");
    assert_string_equal(fixture_attributes(&s.f, result), "answer* 1 0 0 0");
    assert_string_equal(details_text(&s, result),
                        "{\"metrics\":{\"answer\":{\"tp\":1}},\"payload\":{\"id\":\"inv-001\",\"candidate_answer\":\"{"
                        "\\\"x\\\":1}\",\"reference_answer\":\"{\\\"x\\\":1}"
                        "\",\"expected_messages\":[{\"role\":\"assistant\",\"content\":{\"x\":1}}],\"config\":{"
                        "\"deep\":{},\"fields\":[1,{\"path\":\"a b\"}]}}}");
    result = judge(&s, "{\"x\": 1}", NULL);
    assert_good(&s, result, 0.25);
    assert_misses(&s.f, result, "inv-001");
    assert_string_equal(fixture_attributes(&s.f, result), "answer* 0 0 0 1");
    subject_close(&s);
  }
}

static void test_folder(void **state) {
  (void)state;
  char expected[4352];
  subject s;
  subject_open(&s, "\"where\", \"$HOME; *\"", "");
  snprintf(expected, sizeof expected, "%s $HOME; *", test_project_folder);
  assert_reasoning(judge(&s, "1", "1"), expected);
  subject_close(&s);
  subject_open(&s, "\"where\"", "\"cwd\": \"tests/judge\"");
  snprintf(expected, sizeof expected, "%s/tests/judge ", test_project_folder);
  assert_reasoning(judge(&s, "1", "1"), expected);
  subject_close(&s);
  subject_open(&s, "\"where\"", "\"cwd\": \"/\"");
  assert_reasoning(judge(&s, "1", "1"), "/ ");
  subject_close(&s);
}

static void test_failures(void **state) {
  (void)state;
  static const struct {
    const char *manner, *options, *once, *persistent;
  } rows[] = {
      {"exit", "", "exited with status 3: ValueError: x", "exited with status 3 before it answered: ValueError: x"},
      {"quit", "", "no JSON: the answer is empty", "exited with status 0 before it answered"},
      {"crash", "", "killed by signal 11 (Segmentation fault)", "killed by signal 11 (Segmentation fault)"},
      {"hang", ", \"timeout_ms\": 500", "no answer within 500 ms", "no answer within 500 ms (is each line flushed?)"},
      {"close", ", \"timeout_ms\": 500", "no answer within 500 ms", "no answer within 500 ms (is each line flushed?)"},
      {"flood", "", "wrote more than 16777216 bytes", "wrote more than 16777216 bytes"},
      {"bad", "", "no JSON: expected a value at line 1 column 1", "no JSON: expected a value at line 1 column 1"},
      {"half", "", "no JSON: unexpected end of text at line 1 column 11", "exited with status 0 before it answered"},
      {"list", "", "details must be an object, got an array", "details must be an object, got an array"},
      {"number", "", "score 1.5 is outside 0..1", "score 1.5 is outside 0..1"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    for (int persistent = 0; persistent < 2; persistent++) {
      subject s;
      char options[200], candidate[100];
      snprintf(options, sizeof options, "\"persistent\": %s%s", persistent ? "true" : "false", rows[i].options);
      subject_open(&s, persistent ? "\"lines\"" : "\"judge\"", options);
      snprintf(candidate, sizeof candidate, "\"do %s\"", rows[i].manner);
      assert_failed(&s, judge(&s, "1", candidate), persistent ? rows[i].persistent : rows[i].once);
      /* The next case has nothing to do with it. */
      assert_good(&s, judge(&s, "1", "1"), 1);
      assert_good(&s, judge(&s, "1", "2"), 0.25);
      subject_close(&s);
    }
  }
}

/* Programs that do not read what they are given. */
static void test_not_reading(void **state) {
  (void)state;
  ee_buffer large = {0};
  ee_buffer_add_char(&large, '"');
  for (int i = 0; i < 200000; i++) ee_buffer_add_text(&large, "0123456789");
  ee_buffer_add_char(&large, '"');
  const char *text = ee_buffer_terminate(&large);
  subject s;
  subject_open(&s, "\"last\"", "");
  assert_good(&s, judge(&s, "1", text), 1);
  subject_close(&s);
  for (int persistent = 0; persistent < 2; persistent++) {
    subject_open(&s, "\"hang\"", persistent ? "\"timeout_ms\": 100, \"persistent\": true" : "\"timeout_ms\": 100");
    assert_failed(&s, judge(&s, "1", text),
                  persistent ? "no answer within 100 ms (is each line flushed?)" : "no answer within 100 ms");
    subject_close(&s);
    /* One that does reads it all. */
    subject_open(&s, persistent ? "\"lines\"" : "\"judge\"", persistent ? "\"persistent\": true" : "");
    assert_good(&s, judge(&s, text, text), 1);
    subject_close(&s);
  }
  ee_buffer_fini(&large);
}

static void test_cannot_run(void **state) {
  (void)state;
  static const char rules[] = "{\"ee\": \"rules\", \"items\": [{\"ee\": \"exec\", \"line\": 4, \"items\": "
                              "[\"external\"], \"command\": [\"%s\"], "
                              "\"cwd\": \"%s\", \"persistent\": %s}]}";
  static const char *const rows[][3] = {
      {"no-such-program", ".", "cannot run 'no-such-program': No such file or directory"},
      {"./README.md", ".", "cannot run './README.md': Permission denied"},
      {"cat", "no-such-folder", "cannot run 'cat' in 'no-such-folder': No such file or directory"},
      {"test_exec.c", "tests/judge/outside",
       "cannot run 'test_exec.c': No such file or directory (did you mean './test_exec.c'?)"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    for (int persistent = 0; persistent < 2; persistent++) {
      subject s;
      fixture_open(&s.f);
      snprintf(s.rules, sizeof s.rules, rules, rows[i][0], rows[i][1], persistent ? "true" : "false");
      fixture_rules(&s.f, s.rules);
      ee_error error = {0};
      assert_int_equal(ee_open_plan_init(&s.open, s.f.plan, NULL, NULL, &error), EE_OK);
      for (int cases = 0; cases < 2; cases++) assert_failed(&s, judge(&s, "1", "1"), rows[i][2]);
      subject_close(&s);
    }
  }
}

/* Keeping it running -------------------------------------------------------------------------------------------------
 */

static double judged(const ee_judge_result *result) {
  return ee_value_number(ee_value_member(result->details, EE_STR("judged"), NULL));
}

static void test_one_process(void **state) {
  (void)state;
  subject s;
  subject_open(&s, "\"lines\", \"count\"", "\"persistent\": true");
  for (int i = 1; i <= 20; i++) assert_true(judged(judge(&s, "1", "1")) == i);
  assert_failed(&s, judge(&s, "1", "\"do crash\""), "killed by signal 11 (Segmentation fault)");
  for (int i = 1; i <= 5; i++) assert_true(judged(judge(&s, "1", "1")) == i);
  /* An answer that makes no sense ends it too: what follows could belong to anything. */
  assert_failed(&s, judge(&s, "1", "\"do number\""), "score 1.5 is outside 0..1");
  assert_true(judged(judge(&s, "1", "1")) == 1);
  /* It ends behind a good answer: the next case finds it gone, which is no fault of that one. */
  assert_good(&s, judge(&s, "1", "\"do last\""), 1);
  assert_true(judged(judge(&s, "1", "1")) == 1);
  assert_true(judged(judge(&s, "1", "1")) == 2);
  subject_close(&s);
  /* Without persistent each case has a process of its own. */
  subject_open(&s, "\"judge\", \"count\"", "");
  for (int i = 1; i <= 3; i++) assert_true(judged(judge(&s, "1", "1")) == 1);
  subject_close(&s);
}

static void test_two_lines(void **state) {
  (void)state;
  subject s;
  subject_open(&s, "\"cat-twice\"", "\"persistent\": true");
  assert_failed(&s, judge(&s, "1", "1"), "score is missing");
  assert_failed(&s, judge(&s, "1", "1"), "score is missing");
  subject_close(&s);
  /* Behind a good answer the second line is nobody's: it costs a process and no case. */
  subject_open(&s, "\"lines\", \"count\"", "\"persistent\": true");
  assert_good(&s, judge(&s, "1", "\"do twice\""), 1);
  assert_true(judged(judge(&s, "1", "1")) == 1);
  assert_true(judged(judge(&s, "1", "1")) == 2);
  subject_close(&s);
}

/* Blocks of the pool with more than 4 MiB. */
static size_t large_blocks(const ee_pool *pool) {
  size_t count = 0;
  for (ee_pool_block *block = pool->blocks.after; block != &pool->blocks; block = block->after)
    count += malloc_usable_size(block) > (size_t)4 << 20;
  return count;
}

/* A worker gives the room for a large case back with the next one. */
static void test_large_case(void **state) {
  (void)state;
  const size_t length = (size_t)6 << 20;
  char *large = test_malloc(length + 3);
  memset(large, 'x', length + 2);
  large[0] = large[length + 1] = '"';
  large[length + 2] = '\0';
  ee_pool pool, *before;
  ee_pool_init(&pool);
  before = ee_pool_enter(&pool);
  subject s;
  subject_open(&s, "\"lines\", \"count\"", "\"persistent\": true");
  assert_good(&s, judge(&s, "1", large), 0.25);
  assert_true(large_blocks(&pool) > 0);
  ee_arena_reset(&s.f.case_arena, 1 << 20); /* as workers do */
  assert_good(&s, judge(&s, "\"a\"", "\"a\""), 1);
  assert_int_equal(large_blocks(&pool), 0);
  subject_close(&s);
  ee_pool_enter(before);
  assert_ptr_equal(pool.blocks.after, &pool.blocks);
  test_free(large);
}

/* Who keeps no states gets the same answers. */
static void test_without_states(void **state) {
  (void)state;
  subject s;
  subject_open(&s, "\"lines\", \"count\"", "\"persistent\": true");
  for (int i = 0; i < 3; i++) {
    const ee_judge_result *result = judge_in(&s, (ee_context){.arena = &s.f.case_arena}, "1", "1");
    assert_good(&s, result, 1);
    assert_true(judged(result) == 1);
    assert_false(test_has_children());
  }
  subject_close(&s);
}

static void test_process_left_behind(void **state) {
  (void)state;
  for (int persistent = 0; persistent < 2; persistent++) {
    subject s;
    subject_open(&s, persistent ? "\"lines\"" : "\"judge\"", persistent ? "\"persistent\": true" : "");
    const ee_judge_result *result = judge(&s, "1", "\"do fork\"");
    assert_good(&s, result, 1);
    int left = (int)ee_value_number(ee_value_member(result->details, EE_STR("left"), NULL));
    subject_close(&s);
    assert_true(left > 1 && test_process_ends(left));
  }
}

static void test_collecting(void **state) {
  (void)state;
  subject s;
  subject_open(&s, "\"exit\"", "");
  ee_context context = ee_open_plan_context(&s.open, &s.f.case_arena);
  context.dry_run = true;
  context.rule_errors = &s.f.rule_errors;
  s.f.current = (ee_case){.id = EE_STR("a"), .expected = fixture_json(&s.f.case_arena, "1")};
  context.current = &s.f.current;
  ee_judge_result result = {0};
  const ee_judge *external = s.f.plan->judges[0];
  external->type->judge_case(external, &context, &result);
  assert_false(result.failed);
  assert_int_equal(result.miss_count + s.f.rule_errors.count, 0);
  subject_close(&s);
}

/* A case with a question to a provider over a network is judged again when that has answered; the program is run once.
 */
static void test_beside_a_provider(void **state) {
  (void)state;
  subject s;
  fixture_open(&s.f);
  snprintf(s.rules, sizeof s.rules,
           "{\"ee\": \"rules\", \"items\": [{\"ee\": \"exec\", \"command\": [\"%s\", \"lines\", \"count\"], "
           "\"persistent\": true}, {\"ee\": "
           "\"fields\", \"items\": [{\"ee\": \"semantic\", \"items\": [\"bio\"], \"threshold\": 0.5}]}]}",
           test_judge_program);
  fixture_rules(&s.f, s.rules);
  fake_provider provider;
  fake_init(&provider, true);
  provider.asks_needed = 3;
  ee_error error = {0};
  assert_int_equal(ee_open_plan_init(&s.open, s.f.plan, &provider.base, NULL, &error), EE_OK);
  for (int i = 1; i <= 3; i++) {
    const ee_judge_result *results = judge(&s, "{\"bio\": \"abcdef\"}", "{\"bio\": \"abcdeg\"}");
    assert_int_equal(s.f.result.rule_errors, 0);
    assert_true(judged(&results[0]) == i);
    assert_true(results[1].score == 1);
  }
  assert_int_equal(provider.asks, 9);
  /* What a pass said that only asked is not said again by the one that counts. */
  provider.refused = "!";
  judge(&s, "{\"bio\": \"abcdef\"}", "{\"bio\": \"abcd!f\"}");
  assert_int_equal(s.f.rule_errors.count, 1);
  assert_int_equal(s.f.result.provider_failures, 1);
  ee_open_plan_fini(&s.open);
  fake_fini(&provider);
  fixture_close(&s.f);
}

static void test_interrupted(void **state) {
  (void)state;
  for (int persistent = 0; persistent < 2; persistent++) {
    subject s;
    subject_open(&s, persistent ? "\"lines\"" : "\"judge\"", persistent ? "\"persistent\": true" : "");
    assert_good(&s, judge(&s, "1", "1"), 1);
    s.interrupted = 1;
    assert_failed(&s, judge(&s, "1", "\"do hang\""), "interrupted");
    subject_close(&s);
  }
}

/* At load ------------------------------------------------------------------------------------------------------------
 */

static void test_mistakes(void **state) {
  (void)state;
#define EXEC(content) "{\"ee\": \"rules\", \"items\": [{\"ee\": \"exec\", \"line\": 4" content "}]}"
  check_mistakes(EXEC(""), "4: ee.exec needs option 'command' (as in command = { \"python3\", \"judge.py\" })");
  check_mistakes(EXEC(", \"command\": []"), "4: option 'command' of ee.exec is empty");
  check_mistakes(EXEC(", \"command\": [\"\", \"a\"]"),
                 "4: option 'command' of ee.exec begins with an empty string, expected a program");
  check_mistakes(EXEC(", \"command\": \"a b\""),
                 "4: option 'command' of ee.exec must be an array of strings, got a string");
  check_mistakes(EXEC(", \"command\": [\"a\", 1]"),
                 "4: option 'command' of ee.exec must be an array of strings, but item 2 is a number");
  check_mistakes(EXEC(", \"command\": [\"a\", \"b\\u0000\"]"), "4: option 'command' of ee.exec contains a NUL");
  check_mistakes(EXEC(", \"command\": [\"a\"], \"cwd\": \"\""), "4: option 'cwd' of ee.exec is empty");
  check_mistakes(EXEC(", \"command\": [\"a\"], \"env\": [\"HOME\", \"A=b\", \"\"]"),
                 "4: option 'env' of ee.exec must have names of variables, got 'A=b'",
                 "4: option 'env' of ee.exec must have names of variables, got ''");
  check_mistakes(EXEC(", \"command\": [\"a\"], \"timeout_ms\": 0, \"timeout\": 5"),
                 "4: unknown option 'timeout' for ee.exec (did you mean 'timeout_ms'?)",
                 "4: option 'timeout_ms' of ee.exec must be between 1 and 86400000, got 0");
  check_mistakes(EXEC(", \"command\": [\"a\"], \"config\": [1]"),
                 "4: option 'config' of ee.exec must be a table with keys, got an array");
  check_mistakes(EXEC(", \"command\": [\"a\"], \"config\": 1"),
                 "4: option 'config' of ee.exec must be a table, got a number");
  check_mistakes(EXEC(", \"command\": [\"a\"], \"config\": {\"b\": {\"c\": [0, {\"function\": 1}]}}"),
                 "4: option 'config' of ee.exec must be plain data: 'b.c[2]' is a function");
  check_mistakes(EXEC(", \"command\": [\"a\"], \"config\": {\"b\": {\"ee\": \"exact\"}}"),
                 "4: option 'config' of ee.exec must be plain data: 'b' is ee.exact");
  check_mistakes(EXEC(", \"command\": [\"a\"], \"config\": {\"b\": {\"items\": [1], \"c\": 1}}"),
                 "4: option 'config' of ee.exec must be plain data: keys and positions together in 'b'");
  check_mistakes(EXEC(", \"command\": [\"a\"], \"items\": [\"x\", \"y\"]"),
                 "4: ee.exec takes one name (write command = { ... }), got also a string");
  check_mistakes(EXEC(", \"command\": [\"a\"], \"items\": [3]"), "4: ee.exec takes one name, got a number");
  check_mistakes(EXEC(", \"command\": [\"a\"], \"items\": [\"x\"], \"name\": \"y\""), "4: ee.exec has two names");
  check_mistakes(EXEC(", \"command\": [\"a\"], \"items\": [\"\"]"), "4: the name of ee.exec is empty");
}

/* A table that stands in itself again and again would unfold to more than any machine holds. */
static void test_unfolding_config(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_rule_node *inner = EE_NEW(&arena, ee_rule_node);
  for (int depth = 0; depth < 60; depth++) {
    ee_rule_value *items = EE_NEW_ARRAY(&arena, ee_rule_value, 2);
    items[0] = items[1] = (ee_rule_value){.type = EE_RULE_TABLE, .node = inner};
    ee_rule_node *outer = EE_NEW(&arena, ee_rule_node);
    *outer = (ee_rule_node){.items = items, .item_count = 2};
    inner = outer;
  }
  const char *wrong = NULL;
  assert_null(ee_rule_node_to_value(&arena, inner, &wrong));
  assert_non_null(wrong);
  assert_non_null(strstr(wrong, "more than a million values"));
  ee_arena_fini(&arena);
}

static void test_print(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(
      &f,
      EXEC(", \"command\": [\"python3\", \"a b.py\"], \"config\": {\"x\": [null, true, -2.5]}, \"timeout_ms\": 1500.5, "
           "\"persistent\": true, \"name\": \"own\", \"cwd\": \"judges\""));
  const ee_judge *one = f.plan->judges[0];
  assert_true(ee_str_is(one->name, "own"));
  one->type->print(one, &f.text);
  assert_string_equal(ee_buffer_terminate(&f.text), "  runs 'python3' 'a b.py' in 'judges'\n"
                                                    "  one process per worker, 1500 ms per case\n"
                                                    "  config {\"x\":[null,true,-2.5]}\n");
  fixture_close(&f);
  fixture_open(&f);
  fixture_rules(&f, EXEC(", \"command\": [\"./judge\"]"));
  one = f.plan->judges[0];
  assert_true(ee_str_is(one->name, "exec"));
  one->type->print(one, &f.text);
  assert_string_equal(ee_buffer_terminate(&f.text),
                      "  runs './judge' in '.'\n  one process per case, 60000 ms per case\n");
  fixture_close(&f);
  /* A folder has its name without "/.". */
  static const char *const folders[][2] = {{"a/.", "a"}, {"a/b/.", "a/b"}, {"a.", "a."}, {"/.", "/."}};
  for (size_t i = 0; i < 4; i++) {
    char rules[256], expected[128];
    snprintf(rules, sizeof rules,
             "{\"ee\":\"rules\",\"items\":[{\"ee\":\"exec\",\"line\":4,\"command\":[\"a\"],"
             "\"cwd\":\"%s\"}]}",
             folders[i][0]);
    snprintf(expected, sizeof expected, "  runs 'a' in '%s'\n", folders[i][1]);
    fixture_open(&f);
    fixture_rules(&f, rules);
    one = f.plan->judges[0];
    one->type->print(one, &f.text);
    assert_int_equal(strncmp(ee_buffer_terminate(&f.text), expected, strlen(expected)), 0);
    fixture_close(&f);
  }
}

static size_t descriptors_before;

static int count_descriptors(void **state) {
  (void)state;
  descriptors_before = test_open_descriptors();
  return 0;
}

static int nothing_is_left(void **state) {
  (void)state;
  if (test_open_descriptors() != descriptors_before) fail_msg("descriptors are left open");
  if (test_has_children()) fail_msg("children are left");
  return 0;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, count_descriptors, nothing_is_left)

EE_TEST_FILE(NULL, NULL, TEST(test_good), TEST(test_folder), TEST(test_failures), TEST(test_not_reading),
             TEST(test_cannot_run), TEST(test_one_process), TEST(test_two_lines), TEST(test_large_case),
             TEST(test_without_states), TEST(test_process_left_behind), TEST(test_collecting),
             TEST(test_beside_a_provider), TEST(test_interrupted), TEST(test_mistakes), TEST(test_unfolding_config),
             TEST(test_print));
