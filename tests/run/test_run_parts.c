/* test_run_parts.c: runs over parts of a file say where in the file something is, as a run over the whole does; of a
 * range of standard input, at which byte. */
#include "run/run_listener.h"
#include "support/random.h"

static ee_run_result run_dataset(const small_rules *rules, ee_dataset *dataset, ee_run_options options, listener *l) {
  options.hooks = (ee_run_hooks){
      .user = l, .format = listen_format, .write = listen_write, .report = listen_report, .failed = NULL};
  ee_run_result result;
  ee_error error = {0};
  assert_int_equal(ee_run(rules->plan, dataset, &options, &result, &error), EE_OK);
  ee_dataset_close(dataset);
  return result;
}

enum { RECORDS = 400 };

/* A line each; of a few the id is that of the line before, and some are in error on their first line or their last. */
static void write_lines(test_random *random, ee_buffer *text, size_t *starts) {
  for (size_t i = 0; i < RECORDS; i++) {
    starts[i] = text->length;
    switch (test_random_below(random, 8)) {
    case 0: ee_buffer_addf(text, "{\"id\":\"c%zu\",\"expected\" 1}\n", i); break;
    case 1: ee_buffer_addf(text, "{\"id\":\"c%zu\",\"expected\":1}\n", i > 0 ? i - 1 : 0); break;
    case 2: ee_buffer_addf(text, "{\"id\":\"c%zu\",\"id\":\"c%zu\",\"expected\":{\"number\":2}}\n", i, i); break;
    case 3: ee_buffer_addf(text, "\n\n{\"id\":\"c%zu\",\"candidate\":1}\n", i); break;
    default:
      ee_buffer_addf(text, "{\"id\":\"c%zu\",\"expected\":{\"number\":%zu}}\n", i, test_random_below(random, 9));
      break;
    }
  }
}

/* Whether `messages` has the line from `at` up to `end`. */
static bool has_line(const char *messages, const char *at, size_t length) {
  for (const char *line = messages; *line != '\0'; line = strchr(line, '\n') + 1)
    if (strncmp(line, at, length) == 0 && line[length] == '\n') return true;
  return false;
}

static void test_places_in_parts_of_a_file(void **state) {
  (void)state;
  test_random random = test_random_start("run parts", 20261124);
  small_rules rules;
  small_rules_open(&rules);
  for (int round = 0; round < 6; round++) {
    ee_buffer text = {0};
    size_t starts[RECORDS];
    write_lines(&random, &text, starts);
    temporary file;
    temporary_fill(&file, text.data, text.length);
    const char *name = file.name;
    listener whole;
    listener_open(&whole);
    ee_run_result result = run_file(&rules, name, (ee_run_options){.jobs = 1}, &whole);
    size_t all = count_newlines(&whole.messages);
    const char *of_whole = ee_buffer_terminate(&whole.messages);
    assert_true(all > 100);
    uint64_t of = 1 + test_random_below(&random, 7);
    size_t listed = 0;
    uint64_t records = 0;
    for (uint64_t part = 1; part <= of; part++) {
      ee_error error = {0};
      ee_dataset *dataset = ee_dataset_open(&name, 1, &error);
      assert_int_equal(ee_dataset_take_part(dataset, part, of, &error), EE_OK);
      listener l;
      listener_open(&l);
      ee_run_options options = {.jobs = 1 + (unsigned)test_random_below(&random, 3),
                                .block_size = test_random_below(&random, 2) == 0 ? 1 : 0,
                                .part = true};
      ee_run_result one = run_dataset(&rules, dataset, options, &l);
      records += one.totals.records;
      listed += count_newlines(&l.messages);
      for (const char *at = ee_buffer_terminate(&l.messages); *at != '\0'; at = strchr(at, '\n') + 1)
        if (!has_line(of_whole, at, strcspn(at, "\n"))) fail_msg("part %d of %d: %.150s", (int)part, (int)of, at);
      listener_close(&l);
      ee_totals_fini(&one.totals);
    }
    assert_int_equal(records, result.totals.records);
    /* Two records of one id may be in two parts. */
    assert_true(listed <= all && listed + of > all);
    listener_close(&whole);
    ee_totals_fini(&result.totals);
    temporary_remove(&file);
    ee_buffer_fini(&text);
  }
  small_rules_close(&rules);
}

/* A range of an object whose lines before it nobody has: errors are at their records' bytes. */
static void test_bytes_in_a_range(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  ee_buffer text = {0};
  size_t starts[8];
  static const char *const lines[] = {
      GOOD("before"), GOOD("a"), "broken\n",         "{\"id\":\"k\",\"id\":\"k\",\"expected\":1}\n",
      GOOD("a"),      "\n",      "{\"id\":\"x\"}\n", GOOD("after")};
  for (size_t i = 0; i < 8; i++) {
    starts[i] = text.length;
    ee_buffer_add_text(&text, lines[i]);
  }
  temporary file;
  temporary_fill(&file, text.data + starts[1] - 1, text.length - starts[1] + 1);
  int input = dup(STDIN_FILENO);
  for (unsigned jobs = 1; jobs <= 3; jobs++) {
    assert_non_null(freopen(file.name, "r", stdin));
    ee_error error = {0};
    const char *name = "-";
    ee_dataset *dataset = ee_dataset_open(&name, 1, &error);
    assert_int_equal(ee_dataset_take_range(dataset, starts[1], starts[7], &error), EE_OK);
    listener l;
    listener_open(&l);
    ee_run_result result = run_dataset(&rules, dataset, (ee_run_options){.jobs = jobs, .part = true}, &l);
    char expected[500];
    snprintf(expected, sizeof expected,
             "-@%zu: expected a value\nwarning -@%zu: duplicate key 'id', the last one counts\n"
             "-@%zu: duplicate id 'a' (first at -)\n-@%zu: record has no expected value: it has 'id'\n",
             starts[2], starts[3], starts[4], starts[6]);
    assert_string_equal(ee_buffer_terminate(&l.messages), expected);
    assert_int_equal(result.totals.scored, 2);
    assert_int_equal(result.totals.records, 5);
    listener_close(&l);
    ee_totals_fini(&result.totals);
  }
  if (input >= 0) {
    assert_int_equal(dup2(input, STDIN_FILENO), STDIN_FILENO);
    close(input);
  }
  temporary_remove(&file);
  ee_buffer_fini(&text);
  small_rules_close(&rules);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_places_in_parts_of_a_file), cmocka_unit_test(test_bytes_in_a_range));
