/* test_text_difference.c: runs of common characters, against what must hold for any two texts. */
#include "report/text_difference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "support/arena.h"
#include "support/random.h"
#include "support/runner.h"

/* "a[b]c": what only this text has is in brackets. */
static const char *marked(const ee_text_parts *parts) {
  const char *text = "";
  for (size_t i = 0; i < parts->count; i++)
    text =
        ee_arena_printf(&arena, parts->items[i].same ? "%s%.*s" : "%s[%.*s]", text, EE_STR_ARG(parts->items[i].text));
  return text;
}

static void check(const char *a, const char *b, const char *a_marked, const char *b_marked) {
  ee_text_parts left, right;
  assert_true(ee_text_difference(ee_str_from(a), ee_str_from(b), &arena, &left, &right));
  assert_string_equal(marked(&left), a_marked);
  assert_string_equal(marked(&right), b_marked);
}

static void test_marks(void **state) {
  (void)state;
  check("Acme GmbH", "Acme AG", "Acme [GmbH]", "Acme [AG]");
  check("2024-03-04", "2024-03-07", "2024-03-0[4]", "2024-03-0[7]");
  check("Straße 1", "Strasse 1", "Stra[ß]e 1", "Stra[ss]e 1");
  check("invoice", "an invoice", "invoice", "[an ]invoice");
  check("a b c d e f", "a c e f", "a [b c d] e f", "a [c] e f");
}

static void test_no_marks(void **state) {
  (void)state;
  ee_text_parts left, right;
  assert_false(ee_text_difference(EE_STR("same"), EE_STR("same"), &arena, &left, &right));
  assert_false(ee_text_difference(EE_STR("Hamburg"), EE_STR("1234567"), &arena, &left, &right));
  assert_false(ee_text_difference(EE_STR(""), EE_STR("x"), &arena, &left, &right));
}

/* The parts of both sides are their texts, and the common parts are one text. */
static void check_any(ee_str a, ee_str b) {
  ee_text_parts sides[2];
  if (!ee_text_difference(a, b, &arena, &sides[0], &sides[1])) return;
  ee_buffer whole[2] = {{0}}, same[2] = {{0}};
  for (size_t s = 0; s < 2; s++) {
    for (size_t i = 0; i < sides[s].count; i++) {
      const ee_text_part *part = &sides[s].items[i];
      assert_true(part->text.length > 0);
      if (i > 0) assert_true(part->same != sides[s].items[i - 1].same);
      ee_buffer_add_str(&whole[s], part->text);
      if (part->same) ee_buffer_add_str(&same[s], part->text);
    }
    ee_str text = s == 0 ? a : b;
    assert_int_equal(whole[s].length, text.length);
    assert_memory_equal(whole[s].data, text.data, text.length);
  }
  assert_int_equal(same[0].length, same[1].length);
  assert_memory_equal(same[0].data, same[1].data, same[0].length);
  for (size_t s = 0; s < 2; s++) {
    ee_buffer_fini(&whole[s]);
    ee_buffer_fini(&same[s]);
  }
}

static void test_random_texts(void **state) {
  (void)state;
  test_random random = test_random_start("text_difference", 1);
  static const char *const pieces[] = {"a", "b", "ab", " ", "ß", "漢", "e\xcc\x81", "\xf0\x9f\x98\x80"};
  for (size_t trial = 0; trial < 3000; trial++) {
    const char *texts[2] = {"", ""};
    for (size_t s = 0; s < 2; s++)
      for (size_t n = test_random_below(&random, 14); n > 0; n--)
        texts[s] = ee_arena_printf(&arena, "%s%s", texts[s], pieces[test_random_below(&random, 8)]);
    check_any(ee_str_from(texts[0]), ee_str_from(texts[1]));
    ee_arena_reset(&arena, (size_t)1 << 20);
  }
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_marks), cmocka_unit_test(test_no_marks),
             cmocka_unit_test(test_random_texts));
