/* test_file_name.c: names of files that stand in other files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants those first. */
#include <cmocka.h>

#include "base/runtime.h"

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

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_beside));
