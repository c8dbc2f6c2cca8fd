/* runner.h: one test program a folder. Every test file sees this header first (tests/CMakeLists.txt).
 *
 * A test file has no main(): it ends with EE_TEST_FILE and the list of its tests. */
#ifndef EE_TESTS_RUNNER_H
#define EE_TESTS_RUNNER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>

typedef struct test_runner_file {
  const char *path; /* the tests are called by its last part, without ".c" */
  const struct CMUnitTest *tests;
  size_t count;
  CMFixtureFunction set_up, tear_down;
  struct test_runner_file *next;
} test_runner_file;

/* The exit status of a file that is skipped as a whole, from its set_up: the machine lacks what it tests. */
#define EE_TEST_SKIPPED 77

/* Adds a file to those that the program runs. */
void test_runner_add(test_runner_file *file);

/* The tests of this file. `set_up` is called before the first of them, `tear_down` after the last; each may be NULL.
 * Without tests, in a build without what they need, the file passes. */
#define EE_TEST_FILE(set_up, tear_down, ...)                                                                           \
  static const struct CMUnitTest runner_tests[] = {__VA_ARGS__};                                                       \
  EE_TEST_ARRAY(set_up, tear_down, runner_tests)

/* The same for an array, which can hold #ifdef. */
#define EE_TEST_ARRAY(set_up, tear_down, array)                                                                        \
  static test_runner_file runner_this;                                                                                 \
  __attribute__((constructor)) static void runner_add_this(void) { test_runner_add(&runner_this); }                    \
  static test_runner_file runner_this = {__FILE__, array, sizeof array / sizeof *array, set_up, tear_down, NULL}

/* Every test starts in the project's folder, and finds the program that was built as "evalengine" in PATH. */
extern const char *const test_project_folder;
/* The full path of a file of the project, for tests that go elsewhere; valid until the next call. */
const char *test_project_path(const char *name);
/* What tests of child processes start: tests/programs/code_judge_program.c. */
extern const char *const test_judge_program;

#endif
