/* Answers of models: what is read, and which repairs are counted. */
#include "data/json/json_in_prose.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include "data/json/json_writer.h"
#include "support/random.h"

#include <cmocka.h>

typedef struct fact {
  const char *text, *json; /* json NULL: no answer */
  uint64_t mark, fence, prose, commas;
} fact;

static const fact facts[] = {
    {"{\"a\":1}", "{\"a\":1}", 0, 0, 0, 0},
    {" [1] \n", "[1]", 0, 0, 0, 0},
    {"\xEF\xBB\xBF[1]", "[1]", 1, 0, 0, 0},
    {"```json\n[1]\n```", "[1]", 0, 1, 0, 0},
    {"Sure:\n```\n{\"a\":[]}\n```\nDone.", "{\"a\":[]}", 0, 1, 0, 0},
    {"The answer is {\"a\":1}, I think.", "{\"a\":1}", 0, 0, 1, 0},
    {"[1,2,]", "[1,2]", 0, 0, 0, 1},
    {"{\"a\":[1, \n],}", "{\"a\":[1]}", 0, 0, 0, 2},
    {"```json\n{\"a\":1,}\n```", "{\"a\":1}", 0, 1, 0, 1},
    {"He said \"this: [1,] and no more", "[1]", 0, 0, 1, 1},
    {"\xEF\xBB\xBFSo: {\"a\":[\"x,]\",],}.", "{\"a\":[\"x,]\"]}", 1, 0, 1, 2},
    {"{\"a\":\",]\\\",}\",}", "{\"a\":\",]\\\",}\"}", 0, 0, 0, 1},
    {"two lists [7,] and [1,2,3,4,]", "[1,2,3,4]", 0, 0, 1, 1},
    {"[1,,]", NULL, 0, 0, 0, 0},
    {"[,]", "[]", 0, 0, 0, 1},
    {"{\"a\":[1,2", NULL, 0, 0, 0, 0},
    {"{\"a\":[1,],\"b\":", NULL, 0, 0, 0, 0},
    {"nothing here", NULL, 0, 0, 0, 0},
    {"", NULL, 0, 0, 0, 0},
};

static void test_facts(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer out;
  ee_buffer_init(&out);
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    const fact *f = &facts[i];
    ee_repairs repairs;
    ee_error error = {0};
    const ee_value *value = ee_json_in_prose_repair(&arena, ee_str_from(f->text), &repairs, &error);
    if (f->json == NULL) {
      if (value != NULL) fail_msg("'%s' should hold no answer", f->text);
      assert_true(error.message[0] != '\0');
    } else {
      if (value == NULL) fail_msg("'%s' should hold an answer: %s", f->text, error.message);
      ee_buffer_clear(&out);
      ee_json_write_value(&out, value);
      assert_string_equal(ee_buffer_terminate(&out), f->json);
    }
    assert_int_equal(repairs.counts[EE_REPAIR_BYTE_ORDER_MARK], f->json != NULL ? f->mark : 0);
    assert_int_equal(repairs.counts[EE_REPAIR_FENCE], f->fence);
    assert_int_equal(repairs.counts[EE_REPAIR_PROSE], f->prose);
    assert_int_equal(repairs.counts[EE_REPAIR_TRAILING_COMMA], f->commas);
    ee_arena_reset(&arena, 0);
  }
  ee_buffer_fini(&out);
  ee_arena_fini(&arena);
}

/* Commas put before closing brackets of a random text of brackets are all taken away and counted. */
static size_t random_json(test_random *random, char *out, int depth, bool commas, uint64_t *count) {
  size_t length = 0;
  if (depth == 0 || test_random_below(random, 3) == 0) {
    static const char *const some[] = {"1", "\"a,]\"", "\"}\\\"\"", "null", "-2.5", "\"\""};
    const char *text = some[test_random_below(random, 6)];
    while (*text != '\0') out[length++] = *text++;
    return length;
  }
  out[length++] = '[';
  size_t items = test_random_below(random, 4);
  for (size_t i = 0; i < items; i++) {
    if (i > 0) out[length++] = ',';
    length += random_json(random, out + length, depth - 1, commas, count);
  }
  if (items > 0 && commas && test_random_below(random, 2) == 0) {
    out[length++] = ',';
    if (test_random_below(random, 2) == 0) out[length++] = '\n';
    ++*count;
  }
  out[length++] = ']';
  return length;
}

static void test_random_commas(void **state) {
  (void)state;
  test_random random = test_random_start("answer_text", 20260102);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  static char text[1 << 16];
  for (int i = 0; i < 3000; i++) {
    uint64_t commas = 0;
    size_t length = random_json(&random, text, 5, true, &commas);
    ee_repairs repairs;
    const ee_value *value = ee_json_in_prose_repair(&arena, (ee_str){text, length}, &repairs, NULL);
    assert_non_null(value);
    assert_int_equal(repairs.counts[EE_REPAIR_TRAILING_COMMA], commas);
    assert_int_equal(repairs.counts[EE_REPAIR_PROSE], 0);
    ee_arena_reset(&arena, 0);
  }
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_facts), cmocka_unit_test(test_random_commas));
