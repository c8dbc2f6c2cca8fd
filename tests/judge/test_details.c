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

/* Made-up results ---------------------------------------------------------------------------------- */

/* What is written by `write`, which is ee_details_write() or another one of this file's. */
static const char *written(fixture *f, void (*write)(const ee_judge_result *, ee_arena *, ee_buffer *),
                           const ee_judge_result *result) {
  ee_buffer_clear(&f->text);
  write(result, &f->arena, &f->text);
  return ee_buffer_terminate(&f->text);
}

/* Attributes come in the order of the judge, with zeros where the case has none, and then those of the data, whatever
 * the order in the result. */
static void test_order_of_attributes(void **state) {
  (void)state;
#define ZERO(name) "\"" name "\":{\"tp\":0,\"tn\":0,\"fp\":0,\"fn\":0}"
#define COUNTED(name, tp, derived)                                                                                     \
  "\"" name "\":{\"tp\":" tp ",\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":1,\"recall\":1,\"f1\":1" derived "}"
#define OF(name_, slot_, tp_)                                                                                          \
  {                                                                                                                    \
    .name = {name_, sizeof(name_) - 1}, .slot = slot_, .counts = {.tp = tp_ }                                          \
  }
  static const ee_attribute declared[] = {
      {.name = {"a", 1}}, {.name = {"b\"", 2}, .derived = true}, {.name = {"c", 1}}};
  static const struct {
    ee_attribute_result attributes[4];
    size_t count;
    const char *metrics;
  } rows[] = {
      {{OF("a", 0, 1), OF("b\"", 1, 2), OF("c", 2, 3)},
       3,
       COUNTED("a", "1", "") "," COUNTED("b\\\"", "2", ",\"derived\":true") "," COUNTED("c", "3", "")},
      {{OF("c", 2, 1), OF("b\"", 1, 1), OF("a", 0, 2)},
       3,
       COUNTED("a", "2", "") "," COUNTED("b\\\"", "1", ",\"derived\":true") "," COUNTED("c", "1", "")},
      {{OF("c", 2, 1), OF("a", 0, 2)},
       2,
       COUNTED("a", "2", "") ","
                             "\"b\\\"\":{\"tp\":0,\"tn\":0,\"fp\":0,\"fn\":0,\"derived\":true}"
                             "," COUNTED("c", "1", "")},
      {{OF("x", -1, 1), OF("b\"", 1, 2), OF("y", -1, 2), OF("z", 3, 1)},
       4,
       ZERO("a") "," COUNTED("b\\\"", "2", ",\"derived\":true") "," ZERO("c") "," COUNTED("x", "1", "") "," COUNTED(
           "y", "2", "") "," COUNTED("z", "1", "")},
      {{OF("x", -1, 1)},
       0,
       ZERO("a") ","
                 "\"b\\\"\":{\"tp\":0,\"tn\":0,\"fp\":0,\"fn\":0,\"derived\":true}"
                 "," ZERO("c")},
  };
  static const ee_judge_type plain = {.name = "plain"};
  fixture f;
  fixture_open(&f);
  ee_judge judge = {.type = &plain, .attributes = declared, .attribute_count = 3};
  const ee_str *prepared = ee_details_prepare(&judge, &f.arena);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    for (int with = 0; with < 2; with++) {
      judge.right_members = with ? prepared : NULL;
      const ee_judge_result result = {
          .judge = &judge, .attributes = rows[i].attributes, .attribute_count = rows[i].count};
      assert_string_equal(written(&f, ee_details_write, &result),
                          ee_arena_printf(&f.arena, "{\"metrics\":{%s},\"mismatches\":[]}", rows[i].metrics));
    }
  }
  fixture_close(&f);
}

/* Counts that are 0 are left out, but for the four; ratios that divide by 0, too. */
static void test_counts(void **state) {
  (void)state;
  static const struct {
    ee_counts counts;
    bool brings_counts;
    const char *wanted;
  } rows[] = {
      {{.tp = 1}, false, "\"tp\":1,\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":1,\"recall\":1,\"f1\":1"},
      {{.tp = 7}, false, "\"tp\":7,\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":1,\"recall\":1,\"f1\":1"},
      {{.tn = 2}, false, "\"tp\":0,\"tn\":2,\"fp\":0,\"fn\":0"},
      {{.tp = 1, .tn = 1}, false, "\"tp\":1,\"tn\":1,\"fp\":0,\"fn\":0,\"precision\":1,\"recall\":1,\"f1\":1"},
      {{.fn = 1}, false, "\"tp\":0,\"tn\":0,\"fp\":0,\"fn\":1,\"recall\":0,\"f1\":0"},
      {{.fp = 3, .fn = 2, .wrong = 1},
       false,
       "\"tp\":0,\"tn\":0,\"fp\":3,\"fn\":2,\"incorrect\":1,\"spurious\":2,\"precision\":0,\"recall\":0,\"f1\":0"},
      {{.fp = 3, .fn = 2, .wrong = 1},
       true,
       "\"tp\":0,\"tn\":0,\"fp\":3,\"fn\":2,\"precision\":0,\"recall\":0,\"f1\":0"},
      {{.tp = 1, .unread = 1},
       false,
       "\"tp\":1,\"tn\":0,\"fp\":0,\"fn\":0,\"unread\":1,\"precision\":1,\"recall\":1,\"f1\":1"},
      {{.tp = 1, .unread_candidates = 2},
       false,
       "\"tp\":1,\"tn\":0,\"fp\":0,\"fn\":0,\"unread_candidates\":2,\"precision\":1,\"recall\":1,\"f1\":1"},
  };
  static const ee_judge_type plain = {.name = "plain"};
  fixture f;
  fixture_open(&f);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const ee_judge judge = {.type = &plain, .brings_counts = rows[i].brings_counts};
    const ee_attribute_result attribute = {.name = EE_STR("a"), .slot = -1, .counts = rows[i].counts};
    const ee_judge_result result = {.judge = &judge, .attributes = &attribute, .attribute_count = 1};
    assert_string_equal(written(&f, ee_details_write, &result),
                        ee_arena_printf(&f.arena, "{\"metrics\":{\"a\":{%s}},\"mismatches\":[]}", rows[i].wanted));
  }
  fixture_close(&f);
}

/* Lists of mismatches and of values that were not read, up to the limit; what is cut is said to be. */
static void test_lists_that_are_cut(void **state) {
  (void)state;
  enum { MOST = EE_DETAILS_SHOWN + 1 };
  static const ee_judge_type plain = {.name = "plain"};
  static const ee_judge judge = {.type = &plain};
  static const ee_remedy remedies[] = {{.option = "x = 1"}, {.option = "y = \"z\""}, {.option = "last"}};
  fixture f;
  fixture_open(&f);
  static ee_mismatch mismatches[MOST];
  static ee_unread unread[MOST];
  const ee_value *seven = fixture_json(&f.arena, "7");
  for (size_t i = 0; i < MOST; i++) {
    mismatches[i] = (ee_mismatch){.finding = {.path = EE_STR("['\"']"), .row = EE_NO_ROW}, .attribute = EE_STR("n")};
    unread[i] = (ee_unread){.strategy_name = "numeric",
                            .known_remedies = remedies,
                            .document = EE_CANDIDATE,
                            .attribute = EE_STR("n"),
                            .place = {.path = EE_STR("a[\"b\"]"), .row = EE_NO_ROW},
                            .value = seven,
                            .why = i == 1 ? "it is \"odd\"" : NULL,
                            .remedies = i == 1   ? 5
                                        : i == 2 ? 2
                                                 : 0};
  }
  for (size_t missing = 0; missing <= MOST; missing += EE_DETAILS_SHOWN / 2) {
    for (size_t without = 0; without <= MOST; without++) {
      const ee_judge_result result = {.judge = &judge,
                                      .mismatches = mismatches,
                                      .mismatch_count = missing,
                                      .unread = unread,
                                      .unread_count = without};
      const ee_value *details = fixture_json(&f.case_arena, written(&f, ee_details_write, &result));
      const ee_value *list = ee_value_member(details, EE_STR("mismatches"), NULL);
      assert_int_equal(ee_value_count(list), missing < EE_DETAILS_SHOWN ? missing : EE_DETAILS_SHOWN);
      list = ee_value_member(details, EE_STR("unread"), NULL);
      if (without == 0)
        assert_null(list);
      else
        assert_int_equal(ee_value_count(list), without < EE_DETAILS_SHOWN ? without : EE_DETAILS_SHOWN);
      bool cut = missing > EE_DETAILS_SHOWN || without > EE_DETAILS_SHOWN;
      assert_int_equal(ee_value_member(details, EE_STR("truncated"), NULL) != NULL, cut);
      ee_arena_reset(&f.case_arena, 0);
    }
  }
  const ee_judge_result cut = {.judge = &judge, .mismatches = mismatches, .mismatch_count = MOST, .vacuous = true};
  assert_non_null(strstr(written(&f, ee_details_write, &cut), "}],\"vacuous\":true,\"truncated\":true}"));
#define UNREAD(more)                                                                                                   \
  "{\"path\":\"a[\\\"b\\\"]\",\"field\":\"n\",\"document\":\"candidate\",\"value\":7,\"strategy\":\"numeric\"" more "}"
  const ee_judge_result three = {.judge = &judge, .unread = unread, .unread_count = 3, .fallbacks = 1};
  assert_string_equal(
      written(&f, ee_details_write, &three),
      "{\"metrics\":{},\"fallback\":\"greedy\",\"mismatches\":[],\"unread\":[" UNREAD(",\"remedies\":[]") "," UNREAD(
          ",\"reason\":\"it is \\\"odd\\\"\",\"remedies\":[\"x = 1\",\"last\"]") "," UNREAD(",\"remedies\":[\"y = "
                                                                                            "\\\"z\\\"\"]") "]}");
  fixture_close(&f);
}

/* Of a judge that writes its own details: outcomes go into their object, and what it declares beside it. */
static void test_own_details(void **state) {
  (void)state;
  static const char *const metrics[] = {"p", "q\"", "r", NULL}, *const lower[] = {"q\"", "r", NULL},
                           *const one[] = {"p", NULL};
  static const double values[] = {0.5, 0.25, -1}, none[] = {-1, 0.75, 1};
  static const ee_judge_type own = {.name = "judge", .write_details = ee_details_write_value};
  static const ee_declared_metrics both = {.metrics = metrics, .lower_is_better = lower}, only = {.metrics = one},
                                   third = {.metrics = metrics, .lower_is_better = one}, counters = {.metrics = NULL};
  fixture f;
  fixture_open(&f);
  const ee_value *empty = fixture_json(&f.arena, "{}"), *object = fixture_json(&f.arena, "{\"x\":1}");
  const struct {
    ee_judge_result result;
    const ee_declared_metrics *declared;
    bool brings_counts;
    const char *wanted; /* after the reasoning */
  } rows[] = {
      {{.details = NULL}, NULL, false, ",\"details\":{}"},
      {{.details = object}, NULL, true, ",\"own_counts\":true,\"details\":{\"x\":1}"},
      {{.details = NULL, .detail = EE_DETAIL_FULL}, NULL, false, ",\"details\":{\"outcomes\":[]}"},
      {{.details = empty, .detail = EE_DETAIL_FULL}, NULL, false, ",\"details\":{\"outcomes\":[]}"},
      {{.details = object, .detail = EE_DETAIL_FULL, .outcomes_cut = true},
       NULL,
       false,
       ",\"details\":{\"x\":1,\"outcomes\":[],\"outcomes_truncated\":true}"},
      {{.case_metrics = values},
       &both,
       false,
       ",\"case_metrics\":{\"p\":0.5,\"q\\\"\":0.25},\"lower_is_better\":[\"q\\\"\",\"r\"],\"details\":{}"},
      {{.case_metrics = none},
       &third,
       false,
       ",\"case_metrics\":{\"q\\\"\":0.75,\"r\":1},\"lower_is_better\":[\"p\"],\"details\":{}"},
      {{.case_metrics = none}, &only, false, ",\"case_metrics\":{},\"details\":{}"},
      {{.case_metrics = NULL}, &both, false, ",\"details\":{}"},
      {{.case_metrics = values}, &counters, false, ",\"details\":{}"},
      {{.unscored = true}, NULL, false, ",\"unscored\":true,\"details\":{}"},
      {{.failed = true}, NULL, false, ",\"in_error\":true,\"details\":{}"},
      /* A judge that was given up has the plain ones. */
      {{.bare = true, .details = object}, NULL, false, ",\"details\":{\"metrics\":{},\"mismatches\":[]}"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const ee_judge judge = {
        .type = &own, .name = EE_STR("n"), .declared = rows[i].declared, .brings_counts = rows[i].brings_counts};
    ee_judge_result result = rows[i].result;
    result.judge = &judge;
    ee_buffer_clear(&f.text);
    ee_details_write_judge(&result, 0, NULL, NULL, &f.arena, &f.text);
    const char *after = strstr(ee_buffer_terminate(&f.text), "\"reasoning\":\"\"") + strlen("\"reasoning\":\"\"");
    assert_string_equal(after, ee_arena_printf(&f.arena, "%s}", rows[i].wanted));
  }
  fixture_close(&f);
}

/* Texts with quotes stay JSON, also in the findings. */
static void test_quotes(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, RULES("{\"ee\":\"fields\",\"items\":[{\"ee\":\"exact\",\"items\":[\"['\\\"a']\"]},{\"ee\":"
                          "\"exact\",\"items\":[\"['\\\"b']\"]}]}"));
  const ee_judge_result *result = fixture_judge_case(&f, "{\"\\\"a\":1,\"\\\"b\":1}", "{\"\\\"a\":1,\"\\\"b\":2}");
  ee_details_write_judge(result, 0, NULL, NULL, &f.arena, &f.text);
  const char *text = ee_buffer_terminate(&f.text);
  assert_non_null(strstr(text, "\"hits\":[\"['\\\"a']\"],\"misses\":[\"['\\\"b'] (value mismatch)\"]"));
  assert_non_null(strstr(text, "{\"path\":\"['\\\"b']\",\"expected\":1,"));
  fixture_close(&f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_line_items), cmocka_unit_test(test_detection),
             cmocka_unit_test(test_full), cmocka_unit_test(test_judges), cmocka_unit_test(test_order_of_attributes),
             cmocka_unit_test(test_counts), cmocka_unit_test(test_lists_that_are_cut),
             cmocka_unit_test(test_own_details), cmocka_unit_test(test_quotes));
