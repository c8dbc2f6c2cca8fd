/* test_details.c: the JSON of judges' results, byte by byte: what each kind of judge says of itself, a judge among
 * others, a whole case as one judge, and lists that are cut. */
#include "judge/plan_fixture.h"

#define RULES(judges) "{\"ee\":\"rules\",\"items\":[" judges "]}"
#define ITEMS(options)                                                                                                 \
  RULES("{\"ee\":\"line_items\"," options ",\"items\":[\"l\",{\"ee\":\"exact\",\"items\":[\"d\"]},"                    \
        "{\"ee\":\"exact\",\"items\":[\"n\"]}]}")

static void assert_details(const char *rules, ee_detail detail, const char *expected, const char *candidate,
                           const char *wanted) {
  fixture f;
  fixture_open(&f);
  f.detail = detail;
  fixture_rules(&f, rules);
  const ee_judge_result *result = fixture_judge_case(&f, expected, candidate);
  ee_buffer_clear(&f.text);
  fixture_write_details(result, &f.text);
  assert_string_equal(ee_buffer_terminate(&f.text), wanted);
  fixture_close(&f);
}

static void test_line_items(void **state) {
  (void)state;
  assert_details(
      ITEMS("\"match\":\"d\""), EE_DETAIL_MISSES,
      "{\"l\":[{\"d\":\"pump\",\"n\":1},{\"d\":\"bolt\",\"n\":2},{\"d\":\"nut\",\"n\":3}]}",
      "{\"l\":[{\"d\":\"bolt\",\"n\":5},{\"d\":\"pump\",\"n\":1},{\"d\":\"gate \\\"x\\\"\"}]}",
      "{\"metrics\":{\"d\":{\"tp\":2,\"tn\":0,\"fp\":1,\"fn\":1,\"spurious\":1,\"precision\":0.6666666666666666,"
      "\"recall\":0.6666666666666666,\"f1\":0.6666666666666666},\"n\":{\"tp\":1,\"tn\":0,\"fp\":1,\"fn\":2,"
      "\"incorrect\":1,\"precision\":0.5,\"recall\":0.3333333333333333,\"f1\":0.4}},\"alignment\":[{\"expected\":0,"
      "\"candidate\":1,\"similarity\":1},{\"expected\":1,\"candidate\":0,\"similarity\":1}],\"items\":{\"matched\":2,"
      "\"missing\":1,\"extra\":1},\"mismatches\":[{\"path\":\"l[1].n\",\"field\":\"n\",\"expected\":2,\"candidate\":5,"
      "\"score\":0,\"reason\":\"value "
      "mismatch\",\"class\":\"incorrect\"},{\"path\":\"l[2]\",\"expected\":{\"d\":\"nut\",\"n\":3},\"score\":0,"
      "\"reason\":\"missing item\",\"class\":\"missing\"},{\"path\":\"l[2]\",\"candidate\":{\"d\":\"gate "
      "\\\"x\\\"\"},\"score\":0,\"reason\":\"extra item\",\"class\":\"spurious\"}]}");
  assert_details(
      ITEMS("\"match\":{\"items\":[\"d\"],\"method\":\"optimal\"},\"compare_methods\":true"), EE_DETAIL_MISSES,
      "{\"l\":[{\"d\":\"pump\",\"n\":1},{\"d\":\"bolt\",\"n\":2}]}",
      "{\"l\":[{\"d\":\"bolt\",\"n\":2},{\"d\":\"pump\",\"n\":1}]}",
      "{\"metrics\":{\"d\":{\"tp\":2,\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":1,\"recall\":1,\"f1\":1},\"n\":{\"tp\":2,"
      "\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":1,\"recall\":1,\"f1\":1}},\"alignment\":[{\"expected\":0,\"candidate\":"
      "1,\"similarity\":1},{\"expected\":1,\"candidate\":0,\"similarity\":1}],\"items\":{\"matched\":2,\"missing\":0,"
      "\"extra\":0},\"methods\":{\"greedy\":{\"similarity\":2,\"score\":1},\"optimal\":{\"similarity\":2,\"score\":1},"
      "\"similarity_lost\":0,\"different_pairs\":[]},\"mismatches\":[]}");
  assert_details(
      ITEMS("\"match\":\"d\""), EE_DETAIL_MISSES, "{\"l\":[{\"d\":\"Hydraulic pump model A\"}]}",
      "{\"l\":[{\"d\":\"Hydraulic pump\"},{\"d\":\"model A\"}]}",
      "{\"metrics\":{\"d\":{\"tp\":0,\"tn\":0,\"fp\":2,\"fn\":1,\"spurious\":2,\"precision\":0,\"recall\":0,\"f1\":0},"
      "\"n\":{\"tp\":0,\"tn\":0,\"fp\":0,\"fn\":0}},\"alignment\":[],\"items\":{\"matched\":0,\"missing\":1,\"extra\":"
      "2},\"hints\":[{\"kind\":\"split\",\"expected\":0,\"candidate\":[0,1]}],\"mismatches\":[{\"path\":\"l[0]\","
      "\"expected\":{\"d\":\"Hydraulic pump model A\"},\"score\":0,\"reason\":\"missing "
      "item\",\"class\":\"missing\"},{\"path\":\"l[0]\",\"candidate\":{\"d\":\"Hydraulic "
      "pump\"},\"score\":0,\"reason\":\"extra "
      "item\",\"class\":\"spurious\"},{\"path\":\"l[1]\",\"candidate\":{\"d\":\"model "
      "A\"},\"score\":0,\"reason\":\"extra item\",\"class\":\"spurious\"}]}");
  assert_details(
      ITEMS("\"match\":\"d\""), EE_DETAIL_MISSES, "{\"l\":[{\"d\":\"Hydraulic pump\"},{\"d\":\"model A\"}]}",
      "{\"l\":[{\"d\":\"Hydraulic pump model A\"}]}",
      "{\"metrics\":{\"d\":{\"tp\":0,\"tn\":0,\"fp\":1,\"fn\":2,\"spurious\":1,\"precision\":0,\"recall\":0,\"f1\":0},"
      "\"n\":{\"tp\":0,\"tn\":0,\"fp\":0,\"fn\":0}},\"alignment\":[],\"items\":{\"matched\":0,\"missing\":2,\"extra\":"
      "1},\"hints\":[{\"kind\":\"merged\",\"expected\":[0,1],\"candidate\":0}],\"mismatches\":[{\"path\":\"l[0]\","
      "\"expected\":{\"d\":\"Hydraulic pump\"},\"score\":0,\"reason\":\"missing "
      "item\",\"class\":\"missing\"},{\"path\":\"l[1]\",\"expected\":{\"d\":\"model "
      "A\"},\"score\":0,\"reason\":\"missing "
      "item\",\"class\":\"missing\"},{\"path\":\"l[0]\",\"candidate\":{\"d\":\"Hydraulic pump model "
      "A\"},\"score\":0,\"reason\":\"extra item\",\"class\":\"spurious\"}]}");
}

static void test_detection(void **state) {
  (void)state;
  assert_details(RULES("{\"ee\":\"detection\"}"), EE_DETAIL_MISSES,
                 "[{\"bbox\":[0,0,10,10],\"category\":\"cat\"},{\"bbox\":[50,0,10,10],\"category\":\"cat\"},"
                 "{\"bbox\":[100,0,10,10],\"category\":\"dog\"}]",
                 "[{\"bbox\":[100,0,10,8],\"category\":\"dog\",\"score\":0.9},"
                 "{\"bbox\":[0,0,10,10],\"category\":\"cat\",\"score\":0.8}]",
                 "{\"metrics\":{\"cat\":{\"tp\":1,\"tn\":0,\"fp\":0,\"fn\":1,\"precision\":1,\"recall\":0.5,\"f1\":0."
                 "6666666666666666},\"dog\":{\"tp\":1,\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":1,\"recall\":1,\"f1\":1}"
                 "},\"pairs\":[{\"expected\":0,\"candidate\":1,\"iou\":1,\"category\":\"cat\"},{\"expected\":2,"
                 "\"candidate\":0,\"iou\":0.8,\"category\":\"dog\"}]}");
}

/* All outcomes of the case, after the rest. */
static void test_full(void **state) {
  (void)state;
  assert_details(
      RULES("{\"ee\":\"fields\",\"items\":[{\"ee\":\"exact\",\"items\":[\"a\"]},{\"ee\":\"exact\",\"items\":"
            "[\"b\"]}]}"),
      EE_DETAIL_FULL, "{\"a\":1,\"b\":\"x\"}", "{\"a\":1,\"b\":\"y\"}",
      "{\"metrics\":{\"a\":{\"tp\":1,\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":1,\"recall\":1,\"f1\":1},\"b\":{\"tp\":0,"
      "\"tn\":0,\"fp\":1,\"fn\":1,\"incorrect\":1,\"precision\":0,\"recall\":0,\"f1\":0}},\"mismatches\":[{\"path\":"
      "\"b\",\"expected\":\"x\",\"candidate\":\"y\",\"score\":0,\"reason\":\"value "
      "mismatch\",\"class\":\"incorrect\"}],\"outcomes\":[{\"path\":\"a\",\"field\":\"a\",\"outcome\":\"tp\","
      "\"expected\":1,\"candidate\":1,\"score\":1,\"weight\":1,\"strategy\":\"exact\",\"formula\":\"equal\"},{\"path\":"
      "\"b\",\"field\":\"b\",\"outcome\":\"incorrect\",\"expected\":\"x\",\"candidate\":\"y\",\"score\":0,\"weight\":1,"
      "\"strategy\":\"exact\",\"reason\":\"value mismatch\"}]}");
}

#define TWO                                                                                                            \
  RULES("{\"ee\":\"fields\",\"name\":\"head\",\"weight\":2,\"items\":[{\"ee\":\"exact\",\"items\":[\"a\"]}]},"         \
        "{\"ee\":\"fields\",\"name\":\"foot\",\"items\":[{\"ee\":\"exact\",\"items\":[\"b\"]},{\"ee\":\"exact\","      \
        "\"items\":[\"c\"]}]}")

/* A judge among others, with findings that are formatted or copied, and the place of one before which some are left
 * out; a case of several judges. */
static void test_judges(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, TWO);
  fixture_judge_case(&f, "{\"a\":1,\"b\":2,\"c\":3}", "{\"a\":1,\"b\":3,\"c\":3}");
  const ee_judge_result *foot = &f.result.judges[1];
  ee_buffer_clear(&f.text);
  ee_details_write_judge(foot, 1, NULL, NULL, &f.arena, &f.text);
  const char *formatted = ee_arena_printf(&f.arena, "%s", ee_buffer_terminate(&f.text));
  assert_string_equal(formatted,
                      "{\"name\":\"foot\",\"type\":\"fields\",\"score\":0.5,\"weight\":1,\"verdict\":\"fail\",\"hits\":"
                      "[\"c\"],\"misses\":[\"b (value mismatch)\"],\"reasoning\":\"1/2 fields "
                      "matched\",\"details\":{\"metrics\":{\"b\":{\"tp\":0,\"tn\":0,\"fp\":1,\"fn\":1,\"incorrect\":1,"
                      "\"precision\":0,\"recall\":0,\"f1\":0},\"c\":{\"tp\":1,\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":"
                      "1,\"recall\":1,\"f1\":1}},\"mismatches\":[{\"path\":\"b\",\"expected\":2,\"candidate\":3,"
                      "\"score\":0,\"reason\":\"value mismatch\",\"class\":\"incorrect\"}]}}");
  ee_buffer_clear(&f.text);
  bool any = false;
  ee_buffer_add_char(&f.text, '[');
  ee_byte_range hits = ee_details_add_findings(foot->hits, foot->hit_count, &any, &f.arena, &f.text);
  ee_byte_range misses = ee_details_add_findings(foot->misses, foot->miss_count, &any, &f.arena, &f.text);
  ee_byte_range none = ee_details_add_findings(NULL, 0, &any, &f.arena, &f.text);
  ee_buffer_add_char(&f.text, ']');
  assert_int_equal(none.from, none.to);
  assert_string_equal(ee_buffer_terminate(&f.text), "[\"c\",\"b (value mismatch)\"]");
  size_t before = f.text.length;
  ee_details_write_judge(foot, 1, &hits, &misses, &f.arena, &f.text);
  assert_string_equal(ee_buffer_terminate(&f.text) + before, formatted);
  before = f.text.length;
  ee_details_write_judge(foot, 1, &none, &none, &f.arena, &f.text);
  assert_non_null(strstr(ee_buffer_terminate(&f.text) + before, "\"hits\":[],\"misses\":[],"));
  before = f.text.length;
  ee_details_write_judge(foot, 0, NULL, NULL, &f.arena, &f.text);
  assert_non_null(strstr(ee_buffer_terminate(&f.text) + before, ",\"place\":2,\"weight\":1,"));
  ee_buffer_clear(&f.text);
  ee_details_write_case(&f.result, &f.arena, &f.text);
  assert_string_equal(
      ee_buffer_terminate(&f.text),
      "{\"metrics\":{\"head/a\":{\"tp\":1,\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":1,\"recall\":1,\"f1\":1},\"foot/"
      "b\":{\"tp\":0,\"tn\":0,\"fp\":1,\"fn\":1,\"incorrect\":1,\"precision\":0,\"recall\":0,\"f1\":0},\"foot/"
      "c\":{\"tp\":1,\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":1,\"recall\":1,\"f1\":1}},\"evaluator_results\":[{"
      "\"name\":\"head\",\"type\":\"fields\",\"score\":1,\"weight\":2,\"verdict\":\"pass\",\"hits\":[\"a\"],\"misses\":"
      "[],\"reasoning\":\"1/1 fields "
      "matched\",\"details\":{\"metrics\":{\"a\":{\"tp\":1,\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":1,\"recall\":1,"
      "\"f1\":1}},\"mismatches\":[]}},{\"name\":\"foot\",\"type\":\"fields\",\"score\":0.5,\"weight\":1,\"verdict\":"
      "\"fail\",\"hits\":[\"c\"],\"misses\":[\"b (value mismatch)\"],\"reasoning\":\"1/2 fields "
      "matched\",\"details\":{\"metrics\":{\"b\":{\"tp\":0,\"tn\":0,\"fp\":1,\"fn\":1,\"incorrect\":1,\"precision\":0,"
      "\"recall\":0,\"f1\":0},\"c\":{\"tp\":1,\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":1,\"recall\":1,\"f1\":1}},"
      "\"mismatches\":[{\"path\":\"b\",\"expected\":2,\"candidate\":3,\"score\":0,\"reason\":\"value "
      "mismatch\",\"class\":\"incorrect\"}]}}]}");
  /* With how the score came about. */
  f.detail = EE_DETAIL_FULL;
  fixture_judge_case(&f, "{\"a\":1,\"b\":2,\"c\":3}", "{\"a\":1,\"b\":3,\"c\":3}");
  ee_buffer_clear(&f.text);
  ee_details_write_judge(&f.result.judges[1], 1, NULL, NULL, &f.arena, &f.text);
  assert_non_null(strstr(ee_buffer_terminate(&f.text), ",\"score\":0.5,\"formula\":\"(0 + 1)/2 = 0.5\",\"weight\":1,"));
  /* Of one judge its own. */
  fixture_judge_rules(&f, RULES("{\"ee\":\"fields\",\"items\":[{\"ee\":\"exact\",\"items\":[\"a\"]}]}"), "{\"a\":1}",
                      "{\"a\":1}");
  ee_buffer_clear(&f.text);
  ee_details_write_case(&f.result, &f.arena, &f.text);
  assert_string_equal(ee_buffer_terminate(&f.text), "{\"metrics\":{\"a\":{\"tp\":1,\"tn\":0,\"fp\":0,\"fn\":0,"
                                                    "\"precision\":1,\"recall\":1,\"f1\":1}},\"mismatches\":[]}");
  fixture_close(&f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_line_items), cmocka_unit_test(test_detection),
             cmocka_unit_test(test_full), cmocka_unit_test(test_judges));
