/* test_signature.c: the line that names what decides the numbers. */
#include "report/signature.h"

#include <evalengine.h>

static const char *text_of(ee_arena *arena, ee_signature signature) {
  ee_str text = ee_signature_text(&signature, arena);
  return ee_arena_copy(arena, text.data, text.length);
}

static void test_what_is_known_is_named(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  assert_string_equal(text_of(&arena, (ee_signature){.cases = 3, .confidence = 0.95}),
                      "evalengine|v:" EE_VERSION "|n:3|conf:0.95");
  ee_signature full = {.rules = 0xc0836a94ffffffffu,
                       .data = 0x99dece8b00000000u,
                       .records = 0x0000000100000000u,
                       .rows = 0xabcdef0123456789u,
                       .cases = 120,
                       .confidence = 0.999,
                       .options = EE_STR("|limit:10")};
  assert_string_equal(text_of(&arena, full),
                      "evalengine|v:" EE_VERSION
                      "|rules:c0836a94|data:99dece8b|records:00000001|rows:abcdef01|n:120|conf:0.999|limit:10");
  full.several_rules = true;
  assert_non_null(strstr(text_of(&arena, full), "|rules:several|"));
  ee_arena_fini(&arena);
}

/* Parts cannot be forged by values, and different values stay different. */
static void test_values_of_options(void **state) {
  (void)state;
  ee_buffer out, long_a, long_b;
  ee_buffer_init(&out);
  ee_buffer_init(&long_a);
  ee_buffer_init(&long_b);
  ee_signature_add(&out, "set",
                   EE_STR("a|n:1\n%\x7f"
                          "\xc3\xa9"));
  assert_string_equal(ee_buffer_terminate(&out), "|set:a%7Cn:1%0A%25%7F\xc3\xa9");
  char same[100], other[100];
  memset(same, 'x', sizeof same);
  memcpy(other, same, sizeof same);
  other[99] = 'y';
  ee_signature_add(&long_a, "set", (ee_str){same, sizeof same});
  ee_signature_add(&long_b, "set", (ee_str){other, sizeof other});
  assert_true(long_a.length < 80 && long_a.length == long_b.length);
  assert_string_not_equal(ee_buffer_terminate(&long_a), ee_buffer_terminate(&long_b));
  ee_buffer_fini(&out);
  ee_buffer_fini(&long_a);
  ee_buffer_fini(&long_b);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_what_is_known_is_named), cmocka_unit_test(test_values_of_options));
