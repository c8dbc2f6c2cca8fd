/* test_dataset_yaml.c: YAML data sets among other files, as data and as expected values. */
#include "data/temporary_files.h"

#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#ifdef EE_WITH_ZLIB
#include <zlib.h>
#endif

#include "data/expected_set.h"
#include "data/files/dataset.h"
#include "data/json/json_writer.h"

#define FILES 3
static char files[FILES][300]; /* called a.yaml, b.yml, c.yaml.gz */

static int set_up_all(void **state) {
  static const char *const ends[] = {"a.yaml", "b.yml", "c.yaml.gz"};
  int status = set_up(state);
  for (int i = 0; i < FILES; i++) snprintf(files[i], sizeof files[i], "%.200s/%s", folder, ends[i]);
  return status;
}

static ee_buffer printed;

static int tear_down_all(void **state) {
  for (int i = 0; i < FILES; i++) unlink(files[i]);
  ee_buffer_fini(&printed);
  return tear_down(state);
}

static void write_text(const char *name, const char *text) { write_file(name, text, strlen(text)); }

/* Everything of a data set: "[2]" for a file, "line:column record", "! line:column message"; the status at last. */
static void print_block(ee_buffer *out, const ee_block *block) {
  for (size_t i = 0; i < block->errors.count; i++) {
    const ee_error *e = &block->errors.items[i];
    assert_string_equal(e->file, block->file);
    ee_buffer_addf(out, "! %zu:%zu %s\n", e->line, e->column, e->message);
  }
  assert_int_equal(block->unsplit, block->errors.count);
  for (size_t i = 0; i < block->count; i++) {
    const ee_record_span *r = &block->records[i];
    assert_true(r->offset + r->length <= block->text.length);
    ee_buffer_addf(out, "%zu:%zu %.*s\n", (size_t)r->line, (size_t)r->column, (int)r->length,
                   block->text.data + r->offset);
  }
}

static const char *print_dataset(ee_dataset *dataset, const char *const *list, size_t count) {
  ee_buffer_clear(&printed);
  ee_block block;
  ee_block_init(&block);
  ee_error error = {0};
  const char *file = NULL;
  uint64_t ticket = 0;
  bool done = false;
  ee_status status;
  while ((status = ee_dataset_next(dataset, &block, &done, &error)) == EE_OK && !done) {
    assert_true(block.ticket == ticket++);
    assert_true(block.count > 0 || block.errors.count > 0);
    if (file == NULL || strcmp(file, block.file) != 0)
      for (size_t i = 0; i < count; i++)
        if (strcmp(block.file, list[i]) == 0) ee_buffer_addf(&printed, "[%zu]\n", i);
    file = block.file;
    print_block(&printed, &block);
  }
  if (status != EE_OK) ee_buffer_addf(&printed, "failed: %s\n", error.message);
  ee_block_fini(&block);
  return ee_buffer_terminate(&printed);
}

/* In blocks of every size the outcome is the same. */
static void check(const char *const *list, size_t count, const char *wanted) {
  for (size_t size = 0; size <= 40; size++) {
    ee_error error = {0};
    ee_dataset *dataset = ee_dataset_open(list, count, &error);
    if (dataset == NULL) print_error("%s\n", error.message);
    assert_non_null(dataset);
    ee_dataset_set_sizes(dataset, size, 0);
    assert_string_equal(print_dataset(dataset, list, count), wanted);
    uint64_t taken, total;
    ee_dataset_progress(dataset, &taken, &total);
    assert_true(taken == total);
    ee_dataset_close(dataset);
  }
}

static const char two_cases[] = "evalcases:\n  - id: a\n    gt: {x: 1.0}\n  - {id: b, gt: no}\n";

static void test_among_others(void **state) {
  (void)state;
  write_text(names[0], "{\"id\":1}\n{\"id\":2}\n");
  write_text(files[0], two_cases);
  write_text(names[1], "[{\"id\":3}\n]");
  write_text(files[1], "- 7\n- {id: c}\n");
  const char *list[] = {names[0], files[0], names[1], files[1]};
  check(list, 4,
        "[0]\n1:1 {\"id\":1}\n2:1 {\"id\":2}\n"
        "[1]\n2:5 {\"id\":\"a\",\"gt\":{\"x\":1}}\n4:5 {\"id\":\"b\",\"gt\":\"no\"}\n"
        "[2]\n1:2 {\"id\":3}\n"
        "[3]\n1:3 7\n2:3 {\"id\":\"c\"}\n");
  const char *reversed[] = {files[1], names[1], names[0]};
  check(reversed, 3, "[0]\n1:3 7\n2:3 {\"id\":\"c\"}\n[1]\n1:2 {\"id\":3}\n[2]\n1:1 {\"id\":1}\n2:1 {\"id\":2}\n");
  write_text(files[0], "tests: []");
  check(list + 1, 2, "[1]\n1:2 {\"id\":3}\n");
}

/* A broken YAML file is one error; the other files are read. */
static void test_broken_files(void **state) {
  (void)state;
  write_text(names[0], "{\"id\":1}\n");
  write_text(files[0], "tests:\n  - id: a\n    id: b\n");
  write_text(files[1], two_cases);
  const char *list[] = {names[0], files[0], files[1]};
  ee_error error = {0};
  ee_dataset *dataset = ee_dataset_open(list, 3, &error);
  const char *text = print_dataset(dataset, list, 3);
  static const char start[] = "[0]\n1:1 {\"id\":1}\n[1]\n! 3:5 ", end[] = "\n[2]\n2:5 {\"id\":\"a\",\"gt\":{\"x\":1}}\n"
                                                                          "4:5 {\"id\":\"b\",\"gt\":\"no\"}\n";
  assert_memory_equal(text, start, sizeof start - 1);
  assert_true(strlen(text) > sizeof start + sizeof end);
  assert_string_equal(text + strlen(text) - (sizeof end - 1), end);
  ee_dataset_close(dataset);
  /* No cases; the last file of all. */
  write_text(files[1], "name: x\n");
  check(list + 2, 1, "[0]\n! 1:1 no array of cases or rules: expected the key 'evalcases', 'tests' or 'rules'\n");
  write_text(files[1], "");
  check(list + 2, 1, "[0]\n! 1:1 expected an array of cases, or an object with 'evalcases' or 'tests', got null\n");
}

/* A file longer than a record may be is not read on. */
static void test_long_file(void **state) {
  (void)state;
  write_text(files[0], two_cases);
  write_text(names[0], "{\"id\":1}\n");
  const char *list[] = {files[0], names[0]};
  for (size_t less = 0; less < 2; less++) {
    ee_dataset *dataset = ee_dataset_open(list, 2, NULL);
    ee_dataset_set_sizes(dataset, 0, sizeof two_cases - 1 - less);
    char message[500];
    snprintf(message, sizeof message,
             "[0]\n! 0:0 '%s' is read whole and longer than %zu bytes (--max-file)\n[1]\n1:1 {\"id\":1}\n", files[0],
             sizeof two_cases - 2);
    const char *text = print_dataset(dataset, list, 2);
    if (less == 0) assert_non_null(strstr(text, "{\"id\":\"b\",\"gt\":\"no\"}\n[1]\n1:1 {\"id\":1}\n"));
    if (less == 1) assert_string_equal(text, message);
    ee_dataset_close(dataset);
  }
}

#ifdef EE_WITH_ZLIB
static void test_packed(void **state) {
  (void)state;
  gzFile packed = gzopen(files[2], "wb");
  assert_int_equal(gzwrite(packed, two_cases, sizeof two_cases - 1), sizeof two_cases - 1);
  gzclose(packed);
  write_text(names[0], "{\"id\":1}\n");
  const char *list[] = {files[2], names[0]};
  check(list, 2, "[0]\n2:5 {\"id\":\"a\",\"gt\":{\"x\":1}}\n4:5 {\"id\":\"b\",\"gt\":\"no\"}\n[1]\n1:1 {\"id\":1}\n");
  /* Cut short: nothing of it can be used, because it is no JSONL. */
  struct stat facts;
  assert_int_equal(stat(files[2], &facts), 0);
  assert_int_equal(truncate(files[2], facts.st_size - 5), 0);
  char wanted[500];
  snprintf(wanted, sizeof wanted, "[0]\n! 0:0 compressed data in '%s' is cut short\n[1]\n1:1 {\"id\":1}\n", files[2]);
  check(list, 2, wanted);
}
#endif

/* A file that cannot be read ends the run. */
static void test_unreadable(void **state) {
  (void)state;
  write_text(files[0], two_cases);
  write_text(files[1], two_cases);
  const char *list[] = {files[0], files[1]};
  ee_dataset *dataset = ee_dataset_open(list, 2, NULL);
  unlink(files[1]);
  const char *text = print_dataset(dataset, list, 2);
  assert_non_null(strstr(text, "{\"id\":\"b\",\"gt\":\"no\"}\nfailed: cannot open '"));
  ee_dataset_close(dataset);
  ee_error error = {0};
  assert_null(ee_dataset_open(list, 2, &error));
  assert_int_equal(error.status, EE_ERROR_SYSTEM);
}

/* A pipe that ends in .yaml and is interrupted half way: nothing, until the flag is taken back and the rest is there.
 */
static volatile sig_atomic_t flag;
static void *interrupt_when_read(void *argument) {
  struct timespec moment = {.tv_nsec = 2000000};
  for (int waiting = 1; waiting > 0; nanosleep(&moment, NULL))
    assert_int_equal(ioctl(*(int *)argument, FIONREAD, &waiting), 0);
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  return NULL;
}

static void test_interrupt(void **state) {
  (void)state;
  int ends[2];
  char target[40];
  assert_int_equal(pipe(ends), 0);
  snprintf(target, sizeof target, "/dev/fd/%d", ends[0]);
  unlink(files[0]);
  assert_int_equal(symlink(target, files[0]), 0);
  const char *list[] = {files[0]};
  ee_error error = {0};
  ee_dataset *dataset = ee_dataset_open(list, 1, &error);
  assert_non_null(dataset);
  flag = 0;
  ee_dataset_set_interrupt(dataset, &flag);
  ee_dataset_set_sizes(dataset, 1, 0);
  assert_int_equal(write(ends[1], two_cases, 30), 30);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, interrupt_when_read, &ends[0]), 0);
  assert_string_equal(print_dataset(dataset, list, 1), "");
  pthread_join(thread, NULL);
  flag = 0;
  assert_int_equal(write(ends[1], two_cases + 30, sizeof two_cases - 31), sizeof two_cases - 31);
  /* The data set has its own end of the pipe; its last writer goes away here. */
  close(ends[1]);
  ee_block block;
  ee_block_init(&block);
  bool done;
  assert_int_equal(ee_dataset_next(dataset, &block, &done, &error), EE_OK);
  assert_false(done);
  assert_int_equal(block.count, 1);
  /* Between two blocks of one file. */
  flag = 1;
  assert_int_equal(ee_dataset_next(dataset, &block, &done, &error), EE_OK);
  assert_true(done && block.count == 0);
  flag = 0;
  assert_int_equal(ee_dataset_next(dataset, &block, &done, &error), EE_OK);
  assert_false(done);
  assert_int_equal(block.ticket, 1);
  assert_memory_equal(block.text.data + block.records[0].offset, "{\"id\":\"b\"", 9);
  ee_block_fini(&block);
  ee_dataset_close(dataset);
  close(ends[0]);
}

/* Expected values ------------------------------------------------------------------------------ */

static void test_expected(void **state) {
  (void)state;
  write_text(files[0], "name: invoices\n"
                       "tests:\n"
                       "  - id: a\n"
                       "    vars: {expected_output: [{role: assistant, content: {x: 1.50}}]}\n"
                       "  - {id: 7, expected: no}\n"
                       "  - {id: a, expected: 2}\n"
                       "  - {expected: 2}\n"
                       "  - {id: c}\n"
                       "  - file://more.yaml\n"
                       "  - {id: d, vars: {expected_output: '{{ answer }}'}}\n"
                       "  - {id: '', gt: '[1, 2]'}\n");
  ee_error_list told;
  ee_error_list_init(&told);
  ee_error error = {0};
  ee_expected_set *set = ee_expected_set_open(files[0], NULL, NULL, &told, &error);
  assert_non_null(set);
  static const struct {
    size_t line;
    const char *message;
  } wanted[] = {{6, "duplicate id 'a' (first at line 3)"},
                {7, "record has no id: it has 'expected'"},
                {8, "record has no expected value: it has 'id'"},
                {9, "record must be an object, got a string"},
                {10, "record has no expected value: it has 'id', 'vars'"}};
  assert_int_equal(told.count, 5);
  for (size_t i = 0; i < 5; i++) {
    assert_string_equal(told.items[i].file, files[0]);
    assert_int_equal(told.items[i].line, wanted[i].line);
    assert_string_equal(told.items[i].message, wanted[i].message);
  }
  assert_int_equal(ee_expected_set_count(set), 3);
  assert_int_equal(ee_expected_set_in_error(set), 5);
  assert_null(ee_expected_set_coco(set));
  ee_arena arena;
  ee_arena_init(&arena, 0);
  static const char *const ids[] = {"a", "7", ""}, *const values[] = {"{\"x\":1.5}", "\"no\"", "[1,2]"};
  for (int i = 0; i < 3; i++) {
    ee_buffer out = {0};
    ee_json_write_value(&out, ee_expected_set_find(set, ee_str_from(ids[i]), &arena));
    assert_string_equal(ee_buffer_terminate(&out), values[i]);
    ee_buffer_fini(&out);
  }
  ee_arena_fini(&arena);
  ee_expected_set_close(set);
  ee_error_list_fini(&told);
}

static void check_no_set(const char *text, size_t line, size_t column, const char *message) {
  write_text(files[1], text);
  ee_error_list told;
  ee_error_list_init(&told);
  ee_error error = {0};
  assert_null(ee_expected_set_open(files[1], NULL, NULL, &told, &error));
  assert_int_equal(error.status, EE_ERROR_DATA);
  assert_int_equal(error.line, line);
  assert_int_equal(error.column, column);
  if (message != NULL) assert_non_null(strstr(error.message, message));
  if (line > 0) assert_string_equal(error.file, files[1]);
  assert_null(ee_expected_set_open(files[1], NULL, NULL, &told, NULL));
  ee_error_list_fini(&told);
}

static void test_no_expected(void **state) {
  (void)state;
  check_no_set("tests:\n  - id: a\n    id: b\n", 3, 5, NULL);
  check_no_set("name: x\n", 1, 1, "no array of cases or rules: expected the key 'evalcases', 'tests' or 'rules'");
  char message[400];
  snprintf(message, sizeof message, "no records in '%s'", files[1]);
  check_no_set("tests: []\n", 0, 0, message);
  snprintf(message, sizeof message, "no record in '%s' has an id and an expected value", files[1]);
  check_no_set("tests: [{id: a}]\n", 0, 0, message);
  ee_error error = {0};
  unlink(files[1]);
  assert_null(ee_expected_set_open(files[1], NULL, NULL, NULL, &error));
  assert_int_equal(error.status, EE_ERROR_SYSTEM);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_among_others), cmocka_unit_test(test_broken_files), cmocka_unit_test(test_long_file),
#ifdef EE_WITH_ZLIB
    cmocka_unit_test(test_packed),
#endif
    cmocka_unit_test(test_unreadable),   cmocka_unit_test(test_interrupt),    cmocka_unit_test(test_expected),
    cmocka_unit_test(test_no_expected),
};
EE_TEST_ARRAY(set_up_all, tear_down_all, tests);
