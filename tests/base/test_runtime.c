/* test_runtime.c: the locale of a thread and paths next to a file. */
#include <langinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/runtime.h"

/* A locale that differs from "C" in its encoding, and where the machine has one also in its decimal point. */
static locale_t some_other_locale(void) {
  static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8", "en_US.UTF-8"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    locale_t locale = newlocale(LC_ALL_MASK, names[i], (locale_t)0);
    if (locale != (locale_t)0) return locale;
  }
  return (locale_t)0;
}

static void assert_c_locale(void) {
  char text[32];
  snprintf(text, sizeof(text), "%.1f", 1.5);
  assert_string_equal(text, "1.5");
  assert_string_not_equal(nl_langinfo(CODESET), "UTF-8");
}

static void test_enter_and_leave(void **state) {
  (void)state;
  locale_t other = some_other_locale();
  if (other == (locale_t)0) skip();
  locale_t start = uselocale(other);
  assert_string_equal(nl_langinfo(CODESET), "UTF-8");

  locale_t before = ee_locale_enter();
  assert_ptr_equal(before, other);
  assert_c_locale();

  locale_t inner = ee_locale_enter();
  assert_c_locale();
  ee_locale_leave(inner);
  assert_c_locale();

  ee_locale_leave(before);
  assert_ptr_equal(uselocale((locale_t)0), other);
  assert_string_equal(nl_langinfo(CODESET), "UTF-8");
  uselocale(start);
  freelocale(other);
}

static void test_global_locale_is_put_back(void **state) {
  (void)state;
  assert_ptr_equal(uselocale((locale_t)0), LC_GLOBAL_LOCALE);
  locale_t before = ee_locale_enter();
  assert_ptr_equal(before, LC_GLOBAL_LOCALE);
  assert_ptr_not_equal(uselocale((locale_t)0), LC_GLOBAL_LOCALE);
  ee_locale_leave(before);
  assert_ptr_equal(uselocale((locale_t)0), LC_GLOBAL_LOCALE);
}

static void *look(void *seen) {
  *(locale_t *)seen = uselocale((locale_t)0);
  return NULL;
}

static void test_other_threads_keep_theirs(void **state) {
  (void)state;
  locale_t before = ee_locale_enter();
  locale_t seen = (locale_t)0;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, look, &seen), 0);
  pthread_join(thread, NULL);
  ee_locale_leave(before);
  assert_ptr_equal(seen, LC_GLOBAL_LOCALE);
}

/* File name ------------------------------------------------------------------------------------- */

static void test_beside(void **state) {
  (void)state;
  static const struct {
    const char *file, *name, *expected;
  } rows[] = {{"rules/a.lua", "b.json", "rules/b.json"},
              {"a.lua", "b.json", "b.json"},
              {NULL, "b.json", "b.json"},
              {"/r/a.lua", "../b", "/r/../b"},
              {"/a.lua", "b", "/b"},
              {"rules/a.lua", "/b", "/b"},
              {"rules/a.lua", "", ""},
              {"", "x/y", "x/y"}};
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_string_equal(ee_file_name_beside(&arena, rows[i].file, ee_str_from(rows[i].name)), rows[i].expected);
  /* The name need not end in a NUL. */
  assert_string_equal(ee_file_name_beside(&arena, "d/f", (ee_str){"abcd", 2}), "d/ab");
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_enter_and_leave), cmocka_unit_test(test_global_locale_is_put_back),
             cmocka_unit_test(test_other_threads_keep_theirs), cmocka_unit_test(test_beside));
