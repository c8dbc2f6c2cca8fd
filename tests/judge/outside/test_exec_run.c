/* test_exec_run.c: whole data sets through ee.exec, on one worker and on several. */
#include "run/run_listener.h"

#include <dirent.h>
#include <stdlib.h>

#include "data/json/json_writer.h"
#include "support/processes.h"

/* Rules with one ee.exec that calls the test program. */
typedef struct exec_run {
  small_rules rules; /* only its arena and plan */
  temporary file;
} exec_run;

static void compile(exec_run *run, const char *manner, const char *argument, bool persistent, double timeout_ms) {
  run->rules = (small_rules){0};
  ee_arena *arena = &run->rules.arena;
  ee_arena_init(arena, 0);
  ee_rule_value command[] = {small_text(test_judge_program), small_text(manner), small_text(argument)};
  ee_rule_option options[] = {{EE_STR("command"), small_node(arena, "", command, 3, NULL, 0)},
                              {EE_STR("name"), small_text("external")},
                              {EE_STR("persistent"), {.type = EE_RULE_BOOL, .boolean = persistent}},
                              {EE_STR("timeout_ms"), small_number(timeout_ms)}};
  ee_rule_value judge = small_node(arena, "exec", NULL, 0, options, 4);
  ee_rule_value root = small_node(arena, "rules", &judge, 1, NULL, 0);
  ee_error_list errors;
  ee_error_list_init(&errors);
  run->rules.plan = ee_plan_compile(arena, root.node, NULL, NULL, &errors);
  for (size_t i = 0; i < errors.count; i++) print_error("%s\n", errors.items[i].message);
  assert_non_null(run->rules.plan);
  ee_error_list_fini(&errors);
}

static void exec_run_close(exec_run *run) {
  small_rules_close(&run->rules);
  temporary_remove(&run->file);
}

/* Everything of a case's result but what only one process can know. */
static void format(void *user, const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  (void)user, (void)scratch;
  const ee_judge_result *judged = &result->judges[0];
  ee_buffer_add_str(out, result->source->id);
  ee_buffer_addf(out, " %.17g", judged->score);
  for (size_t i = 0; i < judged->hit_count; i++) {
    ee_buffer_add_text(out, " +");
    ee_finding_print(&judged->hits[i], out);
  }
  for (size_t i = 0; i < judged->miss_count; i++) {
    ee_buffer_add_text(out, " -");
    ee_finding_print(&judged->misses[i], out);
  }
  ee_json_write_value(out, judged->details);
  ee_buffer_add_char(out, '\n');
}

static ee_run_result judge_all(exec_run *run, unsigned jobs, listener *l) {
  const char *name = run->file.name;
  ee_error error = {0};
  ee_dataset *dataset = ee_dataset_open(&name, 1, &error);
  assert_non_null(dataset);
  ee_run_options options = {.jobs = jobs,
                            .hooks = {.user = l,
                                      .format = format,
                                      .write = listen_write,
                                      .report = listen_report,
                                      .progress = listen_progress},
                            .interrupted = &l->interrupted};
  ee_run_result result;
  assert_int_equal(ee_run(run->rules.plan, dataset, &options, &result, &error), EE_OK);
  ee_dataset_close(dataset);
  assert_false(test_has_children());
  return result;
}

/* Cases of which some make the program misbehave; returns how many. */
static size_t write_cases(temporary *t, size_t count, size_t every, const char *const *manners, size_t manner_count) {
  size_t bad = 0;
  temporary_open(t);
  for (size_t i = 0; i < count; i++) {
    bool misbehaves = every > 0 && i % every == every - 1;
    fprintf(t->file, "{\"id\":\"c%zu\",\"expected\":\"%zu\",\"candidate\":\"", i, i % 3);
    if (misbehaves) {
      fprintf(t->file, "do %s\"}\n", manners[bad++ % manner_count]);
    } else {
      fprintf(t->file, "%zu\"}\n", i % 2);
    }
  }
  temporary_written(t);
  return bad;
}

/* The same rows and messages on one and on three workers; each failing case costs itself alone. */
static void check(exec_run *run, size_t count, size_t bad) {
  listener first, second;
  listener_open(&first);
  listener_open(&second);
  ee_run_result one = judge_all(run, 1, &first), three = judge_all(run, 3, &second);
  assert_int_equal(one.totals.scored, count);
  assert_int_equal(one.totals.rule_errors, bad);
  assert_int_equal(count_newlines(&first.rows), count);
  assert_int_equal(count_newlines(&first.messages), bad);
  assert_same_buffer(&first.rows, &second.rows);
  assert_same_buffer(&first.messages, &second.messages);
  assert_memory_equal(&one.totals.all.score.sum, &three.totals.all.score.sum, sizeof(ee_fixed));
  assert_true(one.totals.data_hash == three.totals.data_hash);
  ee_totals_fini(&one.totals);
  ee_totals_fini(&three.totals);
  listener_close(&first);
  listener_close(&second);
}

static void test_persistent(void **state) {
  (void)state;
  static const char *const manners[] = {"crash", "exit", "bad", "number", "half", "list", "quit"};
  static const char *const good_manners[] = {"last", "where", "twice", "later", "blanks"};
  exec_run run;
  compile(&run, "lines", "", true, 30000);
  write_cases(&run.file, 1000, 0, NULL, 0);
  check(&run, 1000, 0);
  temporary_remove(&run.file);
  size_t bad = write_cases(&run.file, 1000, 7, manners, 7);
  assert_int_equal(bad, 142);
  check(&run, 1000, bad);
  temporary_remove(&run.file);
  /* It ends behind good answers, or goes on talking, so that every worker needs a new one now and then. */
  write_cases(&run.file, 500, 7, good_manners, 5);
  check(&run, 500, 0);
  exec_run_close(&run);
}

static void test_one_process_a_case(void **state) {
  (void)state;
  static const char *const manners[] = {"crash", "exit", "bad", "half", "list", "fork"};
  exec_run run;
  compile(&run, "judge", "", false, 30000);
  write_cases(&run.file, 150, 7, manners, 5);
  check(&run, 150, 21);
  exec_run_close(&run);
}

/* A case is told twice: its block is judged again without it. */
static void test_duplicates(void **state) {
  (void)state;
  exec_run run;
  compile(&run, "lines", "", true, 30000);
  temporary_open(&run.file);
  for (int i = 0; i < 60; i++)
    fprintf(run.file.file, "{\"id\":\"c%d\",\"expected\":\"1\",\"candidate\":\"%s\"}\n", i % 50,
            i == 20 ? "do crash" : "1");
  temporary_written(&run.file);
  listener l;
  listener_open(&l);
  ee_run_result result = judge_all(&run, 2, &l);
  assert_int_equal(result.totals.scored, 50);
  assert_int_equal(result.totals.duplicates, 10);
  assert_int_equal(result.totals.rule_errors, 1);
  ee_totals_fini(&result.totals);
  listener_close(&l);
  exec_run_close(&run);
}

/* Two cases that wait for each other: only workers that have their processes at the same time get through. */
static void test_workers_overlap(void **state) {
  (void)state;
  const char *temporary_folder = getenv("TMPDIR");
  char folder[200];
  snprintf(folder, sizeof folder, "%.150s/ee-test-meet-XXXXXX", temporary_folder != NULL ? temporary_folder : P_tmpdir);
  assert_non_null(mkdtemp(folder));
  exec_run run;
  compile(&run, "meet", folder, false, 60000);
  temporary_open(&run.file);
  for (int i = 0; i < 2; i++) fprintf(run.file.file, "{\"id\":\"c%d\",\"expected\":1,\"padding\":\"%0300d\"}\n", i, i);
  temporary_written(&run.file);
  listener l;
  listener_open(&l);
  ee_run_result result = judge_all(&run, 2, &l);
  assert_int_equal(result.totals.rule_errors, 0);
  assert_int_equal(result.totals.scored, 2);
  ee_totals_fini(&result.totals);
  listener_close(&l);
  DIR *list = opendir(folder);
  assert_non_null(list);
  for (const struct dirent *entry; (entry = readdir(list)) != NULL;) unlinkat(dirfd(list), entry->d_name, 0);
  closedir(list);
  assert_int_equal(rmdir(folder), 0);
  exec_run_close(&run);
}

/* The user interrupts while programs hang: the run ends at once, and what they did not judge is in no result. */
static void test_interrupt(void **state) {
  (void)state;
  static const char *const manners[] = {"hang"};
  for (unsigned jobs = 1; jobs <= 3; jobs += 2) {
    exec_run run;
    compile(&run, "lines", "", true, 3600000);
    write_cases(&run.file, 400, 100, manners, 1);
    listener l;
    listener_open(&l);
    l.interrupt_at = 5;
    ee_run_result result = judge_all(&run, jobs, &l);
    assert_true(result.interrupted);
    assert_int_equal(result.totals.rule_errors, 0);
    assert_true(result.totals.scored >= 5 && result.totals.scored < 100);
    assert_int_equal(count_newlines(&l.rows), result.totals.scored);
    assert_int_equal(l.messages.length, 0);
    ee_totals_fini(&result.totals);
    listener_close(&l);
    exec_run_close(&run);
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

EE_TEST_FILE(NULL, NULL, TEST(test_persistent), TEST(test_one_process_a_case), TEST(test_duplicates),
             TEST(test_workers_overlap), TEST(test_interrupt));
