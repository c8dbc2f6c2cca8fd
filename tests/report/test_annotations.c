/* test_annotations.c: workflow commands: escaping, places, and no more than are shown. */
#include <string.h>

#include "report/annotations.h"

static const char *printed(const ee_annotations *annotations, ee_buffer *out) {
  ee_buffer_clear(out);
  ee_annotations_print(annotations, out);
  return ee_buffer_terminate(out);
}

static void escapes(void **state) {
  (void)state;
  static const struct {
    ee_annotation given;
    const char *printed;
  } facts[] = {
      {{EE_STR("a,b:c%.jsonl"), EE_STR("x: 5%, y"), EE_STR("1%\n2\r::error::3, 4: 5"), 7},
       "::error file=a%2Cb%3Ac%25.jsonl,line=7,title=x%3A 5%25%2C y::1%25\\n2\\r::error::3, 4: 5\n"},
      {{EE_STR(""), EE_STR(""), EE_STR("only this"), 3}, "::error::only this\n"},
      {{EE_STR("-"), EE_STR("t"), EE_STR("m"), 3}, "::error title=t::m\n"},
      {{EE_STR("d.jsonl"), EE_STR("\xe2\x80\xae"), EE_STR("\x1b[0m\xff rest"), 0},
       "::error file=d.jsonl,title=\\u202e::\\u001b[0m\xef\xbf\xbd rest\n"},
  };
  ee_buffer out;
  ee_buffer_init(&out);
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_annotations *annotations = ee_annotations_new();
    ee_annotations_add(annotations, EE_ANNOTATE_ERROR, &facts[i].given);
    assert_string_equal(printed(annotations, &out), facts[i].printed);
    ee_annotations_free(annotations);
  }
  ee_buffer_fini(&out);
}

static size_t count_lines(const char *text, const char *beginning) {
  size_t count = 0;
  for (const char *at = text; *at != '\0'; at = strchr(at, '\n') + 1)
    count += strncmp(at, beginning, strlen(beginning)) == 0;
  return count;
}

static void shows_ten_of_each(void **state) {
  (void)state;
  ee_annotations *annotations = ee_annotations_new();
  ee_annotation any = {.message = EE_STR("m")}, gate = {.message = EE_STR("gate")};
  for (size_t i = 0; i < 25; i++) ee_annotations_add(annotations, EE_ANNOTATE_ERROR, &any);
  ee_annotations_add(annotations, EE_ANNOTATE_GATE, &gate);
  for (size_t i = 0; i < 10; i++) ee_annotations_add_case(annotations, EE_STR("c"), "d.jsonl", i + 1);
  ee_buffer out;
  ee_buffer_init(&out);
  const char *text = printed(annotations, &out);
  assert_int_equal(count_lines(text, "::error"), 10);
  assert_int_equal(count_lines(text, "::warning"), 10);
  assert_true(strncmp(text, "::error::gate\n", 14) == 0); /* first, though it came last */
  assert_non_null(strstr(text, "::error::17 more, which are in the report\n"));
  assert_null(strstr(text, "::warning::"));
  ee_buffer_fini(&out);
  ee_annotations_free(annotations);
}

static void says_what_rows_say(void **state) {
  (void)state;
  ee_annotations *annotations = ee_annotations_new();
  ee_annotations_add_case(annotations, EE_STR("b"), "d.jsonl", 2);
  ee_annotations_add_case(annotations, EE_STR("d"), "d.jsonl", 4);
  static const char rows[] =
      "{\"id\":\"a\",\"score\":1,\"evaluator_results\":[]}\n"
      "{\"id\":\"b\",\"score\":0.25,\"evaluator_results\":[{\"name\":\"j\",\"score\":0,\"misses\":[\"one\"]}]}\n";
  static const char more[] = "{\"id\":\"c\",\"score\":1,\"evaluator_results\":[]}\n"
                             "{\"id\":\"d\",\"score\":0,\"misses\":[\"two\"],\"evaluator_results\":[]}\n";
  ee_annotations_add_rows(annotations, rows, sizeof rows - 1);
  ee_annotations_add_rows(annotations, more, sizeof more - 1);
  ee_buffer out;
  ee_buffer_init(&out);
  assert_string_equal(printed(annotations, &out), "::warning file=d.jsonl,line=2,title=case b::score 0.25: one\n"
                                                  "::warning file=d.jsonl,line=4,title=case d::score 0: two\n");
  ee_buffer_fini(&out);
  ee_annotations_free(annotations);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(escapes), cmocka_unit_test(shows_ten_of_each),
             cmocka_unit_test(says_what_rows_say));
