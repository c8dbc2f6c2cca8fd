/* test_environment.c: which variables other programs get. */
#include "base/environment.h"

#include <string.h>
#include <unistd.h>

#include "base/memory.h"

static void test_names(void **state) {
  (void)state;
  assert_true(ee_environment_is_called("PATH=/bin", "PATH"));
  assert_true(ee_environment_is_called("PATH=", "PATH"));
  assert_false(ee_environment_is_called("PATHS=/bin", "PATH"));
  assert_false(ee_environment_is_called("PAT=/bin", "PATH"));
  assert_false(ee_environment_is_called("PATH", "PATH"));
  static const char *const usual[] = {"PATH=/bin", "HOME=", "LC_ALL=C", "LC_TIME=de", "NO_COLOR=1", "TZ=UTC"};
  static const char *const others[] = {"OPENAI_API_KEY=k", "PATHX=1", "HOMEPAGE=x", "https_proxy=p", "LC=C", "=", ""};
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) assert_true(ee_environment_is_usual(usual[i]));
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) assert_false(ee_environment_is_usual(others[i]));
}

static void assert_passed(char **environment, const char *const *names, const char *const *expected) {
  char **before = environ;
  environ = environment;
  char **list = ee_environment_of_programs(names);
  environ = before;
  size_t count = 0;
  for (; expected[count] != NULL; count++) {
    assert_non_null(list[count]);
    assert_string_equal(list[count], expected[count]);
  }
  assert_null(list[count]);
  ee_free(list);
}

static void test_lists(void **state) {
  (void)state;
  static char path[] = "PATH=/bin", key[] = "KEY=secret", other[] = "KEYS=more", language[] = "LANG=C";
  char *all[] = {key, path, other, language, NULL}, *nothing[] = {NULL};
  assert_passed(all, NULL, (const char *[]){path, language, NULL});
  assert_passed(all, (const char *[]){"KEY", NULL}, (const char *[]){key, path, language, NULL});
  assert_passed(all, (const char *[]){"ABSENT", "PATH", NULL}, (const char *[]){path, language, NULL});
  assert_passed(nothing, (const char *[]){"KEY", NULL}, (const char *[]){NULL});
  assert_passed(NULL, NULL, (const char *[]){NULL}); /* after clearenv() */
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_names), cmocka_unit_test(test_lists));
