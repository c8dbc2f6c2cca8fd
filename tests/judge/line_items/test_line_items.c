/* test_line_items.c: ee.line_items: what pairs, what counts and what is said of it. */
#include "judge/plan_fixture.h"

#include "judge/line_items/line_items.h"
#include "support/random.h"

#define ITEMS(options, fields)                                                                                         \
  "{\"ee\": \"rules\", \"null_values\": [\"N/A\"], \"items\": [{\"ee\": \"line_items\"" options                        \
  ", \"items\": [\"inv.lines\"" fields "]}]}"
#define THREE_FIELDS                                                                                                   \
  ", {\"ee\": \"exact\", \"items\": [\"description\"]}, {\"ee\": \"exact\", \"items\": [\"code\"]}, "                  \
  "{\"ee\": \"numeric\", \"items\": [\"total\"], \"tolerance\": 0.01}"

static const ee_judge_result *judge(fixture *f, const char *rules, const char *expected, const char *candidate) {
  char left[8192], right[8192];
  snprintf(left, sizeof left, "{\"inv\": {\"lines\": %s}}", expected);
  if (candidate != NULL) snprintf(right, sizeof right, "{\"inv\": {\"lines\": %s}}", candidate);
  return fixture_judge_rules(f, rules, left, candidate == NULL ? NULL : right);
}

/* The alignment as "0-1 (0.9), 1-0 (1)". */
static const char *alignment(fixture *f, const ee_judge_result *result) {
  ee_buffer_clear(&f->text);
  assert_non_null(result->details);
  for (size_t i = 0; i < ee_item_report_of(result)->alignment_count; i++) {
    const ee_alignment *pair = &ee_item_report_of(result)->alignment[i];
    ee_buffer_addf(&f->text, "%s%u-%u (%.6g)", i > 0 ? ", " : "", pair->expected, pair->candidate, pair->similarity);
  }
  return ee_buffer_terminate(&f->text);
}

static void test_pairs(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_judge_result *result =
      judge(&f, ITEMS("", THREE_FIELDS),
            "[{\"description\": \"Steel bolts\", \"code\": \"A1\", \"total\": 10}, {\"description\": \"Copper wire\", "
            "\"code\": \"B2\"},"
            " {\"description\": \"Oak boards\", \"code\": \"C3\", \"total\": 30}, {\"description\": \"Paint\", "
            "\"code\": null, \"total\": 4}]",
            "[{\"description\": \"COPPER WIRE \", \"code\": \"B2\", \"total\": 7}, {\"description\": \"Steel bolt\", "
            "\"code\": \"A1\", \"total\": 10.005},"
            " {\"description\": \"Glue\", \"total\": 1}, {\"description\": \"Paint\", \"total\": 4}]");
  assert_string_equal(alignment(&f, result), "0-1 (0.909091), 1-0 (1), 3-3 (1)");
  assert_hits(&f, result, "inv.lines[3]");
  assert_misses(&f, result,
                "inv.lines[0].description (value mismatch); inv.lines[1].description (value mismatch); "
                "inv.lines[1].total (nothing "
                "expected); inv.lines[2] (missing item); inv.lines[2] (extra item)");
  assert_string_equal(
      fixture_mismatches(&f, result),
      "inv.lines[0].description \"Steel bolts\" \"Steel bolt\" 0; inv.lines[1].description \"Copper wire\" \"COPPER "
      "WIRE \" 0; "
      "inv.lines[1].total null 7 0; inv.lines[2] {\"description\":\"Oak boards\",\"code\":\"C3\",\"total\":30} null 0; "
      "inv.lines[2] null {\"description\":\"Glue\",\"total\":1} 0");
  assert_string_equal(fixture_attributes(&f, result), "description 1 0 3 3; code 2 1 0 1; total 2 0 2 1");
  assert_reasoning(result, "3/4 items matched, 1 missing, 1 extra");
  assert_int_equal(ee_item_report_of(result)->missing_items, 1);
  assert_int_equal(ee_item_report_of(result)->extra_items, 1);
  /* F1: 1/4, 4/5, 4/7. */
  assert_true(result->score > 0.5404 && result->score < 0.5405);
  fixture_close(&f);
}

static void test_empty_lists(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  static const char *const empty[] = {"[]", "null", "\" \"", "\"N/A\"", "[null]", "[\"\", null]"};
  for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
    const ee_judge_result *result = judge(&f, ITEMS("", THREE_FIELDS), "[]", empty[i]);
    assert_true(result->score == 1 && result->vacuous && !result->failed);
    assert_int_equal(result->hit_count + result->miss_count + result->attribute_count +
                         ee_item_report_of(result)->alignment_count,
                     0);
    assert_reasoning(result, "0/0 items matched, 0 missing, 0 extra");
    assert_non_null(result->details);
    result = judge(&f, ITEMS("", THREE_FIELDS), "[{\"description\": \"x\"}]", empty[i]);
    assert_true(result->score == 0 && !result->vacuous && !result->failed);
    assert_misses(&f, result, "inv.lines[0] (missing item)");
    assert_string_equal(fixture_attributes(&f, result), "description 0 0 0 1");
    result = judge(&f, ITEMS("", THREE_FIELDS), empty[i], "[{\"description\": \"x\", \"code\": \" \"}]");
    assert_true(result->score == 0);
    assert_misses(&f, result, "inv.lines[0] (extra item)");
    assert_string_equal(fixture_attributes(&f, result), "description 0 0 1 0");
  }
  fixture_close(&f);
}

static void test_no_list(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  static const char *const wrong[] = {"3", "\"none\"", "{}", "true", "{\"description\": \"x\"}"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const ee_judge_result *result = judge(&f, ITEMS("", THREE_FIELDS), wrong[i], "[{\"code\": 1}]");
    assert_true(result->failed && result->unscored && result->score == 0 && !result->vacuous);
    assert_misses(&f, result, "inv.lines (expected value is not an array); inv.lines[0] (extra item)");
    assert_string_equal(fixture_attributes(&f, result), "code 0 0 1 0");
    /* What was expected and did not come stays in the counts. */
    result = judge(&f, ITEMS("", THREE_FIELDS), "[{\"code\": 1}]", wrong[i]);
    assert_true(!result->failed && !result->unscored && result->score == 0);
    assert_misses(&f, result, "inv.lines (candidate is not an array); inv.lines[0] (missing item)");
    assert_string_equal(fixture_attributes(&f, result), "code 0 0 0 1; inv.lines* 0 0 0 0");
    assert_int_equal(result->unread_count, 1);
    assert_true(result->unread[0].document == EE_CANDIDATE && ee_str_is(result->unread[0].attribute, "inv.lines"));
    result = judge(&f, ITEMS("", THREE_FIELDS), "[]", wrong[i]);
    assert_true(!result->failed && result->score == 0 && !result->vacuous);
  }
  /* A single item may be an object, where both sides have one or the candidate nothing. */
  const ee_judge_result *result = judge(&f, ITEMS("", THREE_FIELDS), "{\"code\": 1}", "{\"code\": 1}");
  assert_true(result->score == 1 && !result->failed);
  assert_string_equal(fixture_attributes(&f, result), "description 0 1 0 0; code 1 0 0 0; total 0 1 0 0");
  result = judge(&f, ITEMS("", THREE_FIELDS), "{\"code\": 1}", "null");
  assert_true(result->score == 0 && !result->failed);
  assert_misses(&f, result, "inv.lines[0] (missing item)");
  result = judge(&f, ITEMS("", THREE_FIELDS), "{\"code\": 1}", "[{\"code\": 1}]");
  assert_true(result->failed && result->unscored);
  fixture_close(&f);
}

static void test_no_candidate(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_judge_result *result =
      judge(&f, ITEMS("", THREE_FIELDS),
            "[{\"description\": \"x\", \"total\": 2, \"code\": null}, {\"description\": \"y\"}]", NULL);
  assert_true(result->score == 0 && !result->failed && !result->vacuous);
  assert_misses(&f, result, "candidate (missing); inv.lines[0] (missing item); inv.lines[1] (missing item)");
  assert_string_equal(fixture_attributes(&f, result), "description 0 0 0 2; total 0 0 0 1");
  result = fixture_judge_values(&f, fixture_json(&f.case_arena, "{}"), NULL, EE_CANDIDATE_UNPARSEABLE);
  assert_true(result->score == 0 && !result->vacuous);
  assert_misses(&f, result, "candidate (no JSON found)");
  fixture_close(&f);
}

/* An item without any of the fields that are scored counts nothing, but it is missing or spurious all the same: among
 * the outcomes as among the misses, with its value. */
static void test_item_without_fields(void **state) {
  (void)state;
  for (int side = 0; side < 2; side++) {
    fixture f;
    fixture_open(&f);
    fixture_rules(&f, ITEMS("", ", {\"ee\": \"exact\", \"items\": [\"total\"]}"));
    f.detail = EE_DETAIL_FULL;
    const char *item = "{\"inv\": {\"lines\": [{\"description\": \"x\"}]}}", *none = "{\"inv\": {\"lines\": []}}";
    const ee_judge_result *result = fixture_judge_case(&f, side == 0 ? item : none, side == 0 ? none : item);
    assert_string_equal(fixture_attributes(&f, result), "");
    assert_int_equal(result->outcome_count, 1);
    const ee_outcome *outcome = &result->outcomes[0];
    const ee_value *there = side == 0 ? outcome->expected : outcome->candidate;
    assert_null(side == 0 ? outcome->candidate : outcome->expected);
    ee_buffer_clear(&f.text);
    ee_json_write_value(&f.text, there);
    assert_string_equal(ee_buffer_terminate(&f.text), "{\"description\":\"x\"}");
    assert_int_equal(outcome->value_class, side == 0 ? EE_CLASS_MISSING : EE_CLASS_INVENTED);
    assert_true(outcome->score == 0);
    fixture_close(&f);
  }
}

static void test_keys_of_the_data(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_judge_result *result =
      judge(&f, ITEMS("", ""),
            "[{\"description\": \"bolts\", \"date\": \"2025-01-15\"}, {\"qty\": 2, \"description\": \"wire\"}]",
            "[{\"date\": \"15-JAN-2025\", \"description\": \"bolts\"}, {\"description\": \"wire\", \"qty\": 3, "
            "\"extra\": true}]");
  assert_string_equal(fixture_attributes(&f, result),
                      "description* 2 0 0 0; date* 1 1 0 0; qty* 0 1 1 1; extra* 0 1 1 0");
  assert_hits(&f, result, "inv.lines[0]");
  assert_misses(&f, result,
                "inv.lines[1].qty (outside tolerance: diff=1, tolerance=0); inv.lines[1].extra (nothing expected)");
  assert_true(result->score == 0.5);
  assert_int_equal(f.plan->judges[0]->attribute_count, 0);
  /* ee.ignore takes keys out. */
  result =
      judge(&f, ITEMS("", ", {\"ee\": \"ignore\", \"items\": [\"qty\"]}, {\"ee\": \"ignore\", \"items\": [\"extra\"]}"),
            "[{\"description\": \"wire\", \"qty\": 2}]", "[{\"description\": \"wire\", \"qty\": 3, \"extra\": true}]");
  assert_string_equal(fixture_attributes(&f, result), "description* 1 0 0 0");
  assert_true(result->score == 1);
  /* Many keys, and more members than are guessed at. */
  ee_buffer left = {0}, right = {0};
  ee_buffer_add_text(&left, "[{\"description\": \"a\"");
  ee_buffer_add_text(&right, "[{\"description\": \"a\"");
  for (int i = 0; i < 60; i++) {
    ee_buffer_addf(&left, ", \"key %d\": %d", i, i);
    ee_buffer_addf(&right, ", \"key %d\": %d", 59 - i, i == 3 ? -1 : 59 - i);
  }
  ee_buffer_add_text(&left, "}, {\"description\": \"b\", \"key 7\": 1}]");
  ee_buffer_add_text(&right, "}, {\"key 7\": 1, \"description\": \"b\"}]");
  result = judge(&f, ITEMS("", ""), ee_buffer_terminate(&left), ee_buffer_terminate(&right));
  assert_int_equal(result->attribute_count, 61);
  assert_misses(&f, result, "inv.lines[0].key 56 (outside tolerance: diff=57, tolerance=0)");
  assert_hits(&f, result, "inv.lines[1]");
  assert_true(result->attributes[8].counts.tp == 2 && ee_str_is(result->attributes[8].name, "key 7"));
  ee_buffer_fini(&left);
  ee_buffer_fini(&right);
  fixture_close(&f);
}

/* How an empty value is spelled decides neither which items are equal, nor which are there, nor what is counted. */
static void test_empty_members(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const char *left = "[{\"description\": \"a\", \"t\": \"N/A\"}, {\"description\": \"b\", \"t\": {\"x\": null}}]";
  const char *right = "[{\"description\": \"b\", \"t\": {}, \"u\": \"\"}, {\"description\": \"a\"}]";
  const ee_judge_result *result = judge(&f, ITEMS("", ""), left, right);
  assert_string_equal(alignment(&f, result), "0-1 (1), 1-0 (1)");
  assert_string_equal(fixture_attributes(&f, result), "description* 2 0 0 0; t* 1 1 0 0; u* 0 2 0 0");
  assert_true(result->score == 1 && result->miss_count == 0);
  result = judge(&f, ITEMS("", ""), right, left);
  assert_string_equal(fixture_attributes(&f, result), "description* 2 0 0 0; t* 1 1 0 0; u* 0 2 0 0");
  /* Where {} is empty, so is an item with empty members only: no item, in its place or left out. */
#define CONTAINERS(options)                                                                                            \
  "{\"ee\": \"rules\", \"empty\": \"containers\", \"items\": [{\"ee\": \"line_items\"" options                         \
  ", \"items\": [\"inv.lines\"]}]}"
  static const char *const empty[] = {"{}", "{\"t\": null}", "{\"t\": \" \"}", "{\"t\": [], \"u\": {\"v\": null}}"};
  for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
    char text[100];
    snprintf(text, sizeof text, "[{\"description\": \"a\"}, %s]", empty[i]);
    result = judge(&f, CONTAINERS(""), text, "[{\"description\": \"a\"}]");
    assert_reasoning(result, "1/1 items matched, 0 missing, 0 extra");
    result = judge(&f, CONTAINERS(", \"match\": {\"method\": \"index\"}"), text, "[{\"description\": \"a\"}]");
    assert_reasoning(result, "1/1 items matched, 0 missing, 0 extra");
    result = judge(&f, ITEMS("", ""), text, "[{\"description\": \"a\"}]");
    assert_int_equal(ee_item_report_of(result)->missing_items, 1);
  }
  fixture_close(&f);
}

static void test_plain_items(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  /* Texts and numbers are items without fields: equal ones pair, and one that is left over costs. */
  const ee_judge_result *result = judge(&f, ITEMS("", ""), "[\"a\", 2, \"c\"]", "[2.0, \"a\", \"C\"]");
  assert_string_equal(alignment(&f, result), "0-1 (1), 1-0 (1)");
  assert_true(result->score == 0 && !result->vacuous);
  result = judge(&f, ITEMS("", ""), "[\"a\", 2]", "[2.0, \"a\"]");
  assert_true(result->score == 1);
  result = judge(&f, ITEMS("", THREE_FIELDS), "[{\"description\": \"a\"}, 5]", "[5, {\"description\": \"a\"}]");
  assert_string_equal(alignment(&f, result), "0-1 (1), 1-0 (1)");
  assert_string_equal(fixture_attributes(&f, result), "description 1 1 0 0; code 0 2 0 0; total 0 2 0 0");
  fixture_close(&f);
}

static void test_match_rules(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
#define TOTAL ", {\"ee\": \"exact\", \"items\": [\"total\"]}"
  const char *left = "[{\"sku\": \"A\", \"total\": 1}, {\"sku\": \"B\", \"total\": 2}]";
  const char *right = "[{\"sku\": \"B\", \"total\": 2}, {\"sku\": \"a \", \"total\": 5}]";
  assert_string_equal(alignment(&f, judge(&f, ITEMS("", TOTAL), left, right)), "1-0 (1)");
  assert_string_equal(alignment(&f, judge(&f, ITEMS(", \"match\": \"sku\"", TOTAL), left, right)), "0-1 (1), 1-0 (1)");
  assert_string_equal(
      alignment(&f, judge(&f, ITEMS(", \"match\": {\"items\": [{\"ee\": \"exact\", \"items\": [\"sku\"]}]}", TOTAL),
                          left, right)),
      "1-0 (1)");
  assert_string_equal(alignment(&f, judge(&f, ITEMS(", \"match\": {\"method\": \"index\"}", TOTAL), left, right)),
                      "0-0 (1), 1-1 (1)");
  assert_string_equal(alignment(&f, judge(&f, ITEMS(", \"match\": {\"key\": \"sku\"}", TOTAL), left, right)),
                      "1-0 (1)");
  assert_string_equal(
      alignment(&f, judge(&f, ITEMS(", \"match\": {\"items\": [\"sku\"], \"method\": \"key\"}", TOTAL), left, right)),
      "1-0 (1)");
  /* Weighted mean: sku 1, total 0 of 1 + 3; a threshold is reached exactly. */
#define WEIGHTED(threshold)                                                                                            \
  ", \"match\": {\"items\": [\"sku\", {\"ee\": \"exact\", \"items\": [\"total\"], \"weight\": 3}], "                   \
  "\"threshold\": " threshold "}"
  assert_string_equal(alignment(&f, judge(&f, ITEMS(WEIGHTED("0.25"), TOTAL), left, right)), "0-1 (0.25), 1-0 (1)");
  assert_string_equal(alignment(&f, judge(&f, ITEMS(WEIGHTED("0.26"), TOTAL), left, right)), "1-0 (1)");
  /* Pairing by the score fields themselves. */
#define BY_FIELDS ", {\"ee\": \"exact\", \"items\": [\"a\"], \"weight\": 4}, {\"ee\": \"exact\", \"items\": [\"b\"]}"
  assert_string_equal(alignment(&f, judge(&f, ITEMS(", \"match\": \"fields\"", BY_FIELDS),
                                          "[{\"a\": 1, \"b\": 1}, {\"a\": 1, \"b\": 2}]",
                                          "[{\"a\": 1, \"b\": 2}, {\"a\": 1, \"b\": 3}]")),
                      "0-1 (0.8), 1-0 (1)");
  assert_string_equal(alignment(&f, judge(&f, ITEMS(", \"match\": \"fields\"", ""),
                                          "[{\"a\": 1, \"b\": 1, \"c\": 1, \"d\": 1, \"e\": null}]",
                                          "[{\"a\": 2}, {\"a\": 1, \"b\": 1, \"c\": 1, \"d\": 1, \"f\": 1}]")),
                      "0-1 (0.8)");
  fixture_close(&f);
}

static void test_thresholds(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  /* 2 of 10 code points differ: 0.8, reached exactly; 3 do not. */
  assert_string_equal(alignment(&f, judge(&f, ITEMS("", THREE_FIELDS), "[{\"description\": \"abcdefghij\"}]",
                                          "[{\"description\": \"abcdefghXY\"}]")),
                      "0-0 (0.8)");
  assert_string_equal(alignment(&f, judge(&f, ITEMS("", THREE_FIELDS), "[{\"description\": \"abcdefghij\"}]",
                                          "[{\"description\": \"abcdefgXYZ\"}]")),
                      "");
  assert_string_equal(
      alignment(&f, judge(&f, ITEMS("", THREE_FIELDS), "[{\"description\": \"\\u00c4\\u00d6\\u00dcxy\"}]",
                          "[{\"description\": \" \\u00e4\\u00f6\\u00fcx\"}]")),
      "0-0 (0.8)");
  assert_string_equal(
      alignment(&f, judge(&f, ITEMS(", \"match\": {\"threshold\": 0}", THREE_FIELDS),
                          "[{\"description\": \"abc\"}, {}]", "[{\"description\": \"xyz\"}, {\"total\": 1}]")),
      "0-1 (0), 1-0 (0)"); /* by canonical order: {} comes first */
  /* Empty on one side is 0, on both sides left out, with none left only equal items pair, however what is empty is
   * spelled; a number is no text. */
  assert_string_equal(
      alignment(&f,
                judge(&f, ITEMS("", THREE_FIELDS),
                      "[{\"description\": \"N/A\", \"total\": 1}, {\"description\": 5}, {\"description\": \"5\"}]",
                      "[{\"description\": null, \"total\": 1}, {\"description\": 5.0, \"total\": 3}, {\"total\": 1}]")),
      "0-0 (1), 1-1 (1)");
  assert_string_equal(
      alignment(&f, judge(&f, ITEMS("", THREE_FIELDS), "[{\"total\": 1, \"x\": \" \"}, {\"total\": 2}]",
                          "[{\"total\": 3}, {\"description\": null, \"total\": 1}, {\"total\": 1, \"y\": 0}]")),
      "0-1 (1)");
  fixture_close(&f);
}

/* Greedy takes the best pair first, though another assignment would be better in all. */
static void test_greedy(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const char *rules = ITEMS(", \"match\": {\"items\": [\"description\"], \"threshold\": 0.5}", THREE_FIELDS);
  assert_string_equal(
      alignment(&f, judge(&f, rules, "[{\"description\": \"aaaaaaaaaa\"}, {\"description\": \"aaaaaaaabb\"}]",
                          "[{\"description\": \"aaaaaaaaab\"}, {\"description\": \"aaaaaaabbb\"}]")),
      "0-0 (0.9), 1-1 (0.9)");
  assert_string_equal(
      alignment(&f, judge(&f, rules, "[{\"description\": \"aaaaaaaaaa\"}, {\"description\": \"aaaaaaaaab\"}]",
                          "[{\"description\": \"AAAAAAAAAB\"}, {\"description\": \"bbbbbbbbbb\"}]")),
      "1-0 (1)");
  /* Ties: more matching score fields; then canonical order, which is 1 before 2. */
  assert_string_equal(alignment(&f, judge(&f, rules, "[{\"description\": \"a\", \"total\": 1, \"code\": 5}]",
                                          "[{\"description\": \"A\", \"total\": 1, \"code\": 4}, {\"description\": "
                                          "\"A\", \"total\": 1, \"code\": 5}]")),
                      "0-1 (1)");
  assert_string_equal(
      alignment(&f, judge(&f, rules, "[{\"description\": \"a\", \"total\": 1}]",
                          "[{\"description\": \"A\", \"total\": 3}, {\"description\": \"A\", \"total\": 2}]")),
      "0-1 (1)");
  /* Several equal items pair in the order of their indices. */
  assert_string_equal(alignment(&f, judge(&f, rules, "[{\"total\": 2}, {\"total\": 1}, {\"total\": 1}]",
                                          "[{\"total\": 1}, {\"total\": 3}, {\"total\": 1}]")),
                      "1-0 (1), 2-2 (1)");
  fixture_close(&f);
}

static void test_keys(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const char *rules = ITEMS(", \"match\": {\"key\": \"id\"}", ", {\"ee\": \"exact\", \"items\": [\"t\"]}");
  /* Several of one key pair by their fields; an item without key does not pair with one that it does not equal. */
  const ee_judge_result *result =
      judge(&f, rules, "[{\"id\": 1, \"t\": 5}, {\"id\": null, \"t\": 6}, {\"id\": 1, \"t\": 7}, {\"id\": \"1\"}]",
            "[{\"id\": 1.0, \"t\": 7}, {\"t\": 8}, {\"id\": 1, \"t\": 5}, {\"id\": 2}]");
  assert_string_equal(alignment(&f, result), "0-2 (1), 2-0 (1)");
  assert_reasoning(result, "2/4 items matched, 2 missing, 2 extra");
  /* Those without key that are equal but for empty members do, in the order of their indices. */
  result = judge(&f, rules, "[{\"id\": \"\", \"t\": 6}, {\"t\": 6, \"x\": 1}, {\"t\": 6}, 5, {\"t\": 6}]",
                 "[5, {\"t\": 6}, {\"id\": \"N/A\", \"t\": 6}, {\"id\": 6, \"t\": 6}]");
  assert_string_equal(alignment(&f, result), "0-1 (1), 2-2 (1), 3-0 (1)");
  assert_reasoning(result, "3/5 items matched, 2 missing, 1 extra");
  /* Equal is not yet right: here the field lies elsewhere in the candidate. */
  result = judge(
      &f, ITEMS(", \"match\": {\"key\": \"id\"}", ", {\"ee\": \"exact\", \"items\": [\"t\"], \"candidate\": \"u\"}"),
      "[{\"t\": 6}, {\"id\": 7}]", "[{\"t\": 6}]");
  assert_string_equal(alignment(&f, result), "0-0 (1)");
  assert_misses(&f, result, "inv.lines[0].t (required, missing); inv.lines[1] (missing item)");
  /* Where no item has the key, the score fields decide. */
  result = judge(&f, ITEMS(", \"match\": {\"key\": \"sku\"}", ", {\"ee\": \"exact\", \"items\": [\"t\"]}"),
                 "[{\"t\": 6, \"x\": 1}, {\"t\": 7, \"x\": 1}]", "[{\"t\": 7, \"x\": 2}, {\"t\": 6, \"x\": 2}]");
  assert_string_equal(alignment(&f, result), "0-1 (1), 1-0 (1)");
  assert_string_equal(result->unpairable, "'sku'");
  result = judge(&f, ITEMS("", ", {\"ee\": \"exact\", \"items\": [\"t\"]}"), "[{\"t\": 6, \"x\": 1}]",
                 "[{\"t\": 6, \"description\": \"tea\"}]");
  assert_string_equal(alignment(&f, result), "");
  assert_null(result->unpairable);
  fixture_close(&f);
}

static void test_index(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const char *rules = ITEMS(", \"match\": {\"method\": \"index\"}", ", {\"ee\": \"exact\", \"items\": [\"t\"]}");
  const ee_judge_result *result = judge(&f, rules, "[null, {\"t\": 1}, {\"t\": 2}, null]", "[{\"t\": 5}, {\"t\": 1}]");
  assert_string_equal(alignment(&f, result), "1-1 (1)");
  assert_misses(&f, result, "inv.lines[2] (missing item); inv.lines[0] (extra item)");
  assert_reasoning(result, "1/2 items matched, 1 missing, 1 extra");
  fixture_close(&f);
}

static void test_other_paths(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const char *rules =
      ITEMS("", ", {\"ee\": \"exact\", \"items\": [\"price.net\"], \"candidate\": \"net\", \"name\": \"net\"}"
                ", {\"ee\": \"exact\", \"items\": [\"tags[0]\"]}, {\"ee\": \"exact\", \"items\": [\"['a.b']\"]}");
  const ee_judge_result *result =
      judge(&f, rules, "[{\"description\": \"x\", \"price\": {\"net\": 1}, \"tags\": [\"t\"], \"a.b\": 1}]",
            "[{\"description\": \"x\", \"net\": 1, \"tags\": [\"u\"], \"a.b\": 2}]");
  assert_string_equal(fixture_attributes(&f, result), "net 1 0 0 0; tags[0] 0 0 1 1; ['a.b'] 0 0 1 1");
  assert_misses(&f, result, "inv.lines[0].tags[0] (value mismatch); inv.lines[0]['a.b'] (value mismatch)");
  /* The same item on both sides is not right where the paths differ. */
  result = judge(&f, rules, "[{\"description\": \"x\", \"price\": {\"net\": 1}}]",
                 "[{\"description\": \"x\", \"price\": {\"net\": 1}}]");
  assert_misses(&f, result, "inv.lines[0].price.net (required, missing)");
  fixture_close(&f);
}

/* Without a path the documents are the arrays, and all values are fields. */
static void test_documents(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  static const char *const rules[] = {
      "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"items\": [{\"ee\": \"exact\", \"items\": [\"a\"]}, "
      "{\"ee\": \"exact\", \"items\": [\"b\"]}]}]}",
      "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\"}]}"};
  for (size_t i = 0; i < 2; i++) {
    const ee_judge_result *result =
        fixture_judge_rules(&f, rules[i], "[{\"a\": \"tea\", \"b\": 1}, {\"a\": \"milk\", \"b\": 2}]",
                            "[{\"a\": \"milk\", \"b\": 2}, {\"a\": \"tea\", \"b\": 1}]");
    assert_string_equal(alignment(&f, result), "0-1 (1), 1-0 (1)");
    assert_string_equal(fixture_attributes(&f, result), i == 0 ? "a 2 0 0 0; b 2 0 0 0" : "a* 2 0 0 0; b* 2 0 0 0");
  }
  fixture_close(&f);
}

static ee_status same_total(const ee_value *expected, const ee_value *candidate, double *result, ee_error *error) {
  const ee_value *a = ee_value_member(expected, EE_STR("t"), NULL), *b = ee_value_member(candidate, EE_STR("t"), NULL);
  if (a == NULL) return ee_error_at(error, EE_ERROR_RULES, "rules.lua", 3, 0, "no t");
  *result = ee_value_equal(a, b) ? 0.9 : 0.1;
  return EE_OK;
}
static ee_status key_of_item(const ee_value *value, const ee_value **result, ee_error *error) {
  *result = ee_value_member(value, EE_STR("t"), NULL);
  if (ee_type_of(*result) == EE_STRING) return ee_error_at(error, EE_ERROR_RULES, "rules.lua", 3, 0, "no number");
  return EE_OK;
}
static ee_status when_no(int function, bool *result, ee_error *error) {
  if (function == 1) return ee_error_at(error, EE_ERROR_RULES, "rules.lua", 3, 0, "bad when");
  *result = false;
  return EE_OK;
}

static void test_functions(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  f.script.similarity = same_total;
  f.script.map = key_of_item;
  f.script.condition = when_no;
#define T_FIELD ", {\"ee\": \"exact\", \"items\": [\"t\"]}"
  const ee_judge_result *result = judge(&f, ITEMS(", \"match\": {\"similarity\": {\"function\": 0}}", T_FIELD),
                                        "[{\"t\": 1}, {\"t\": 2}, {}]", "[{\"t\": 2}, {\"t\": 1, \"x\": 1}]");
  assert_string_equal(alignment(&f, result), "0-1 (0.9), 1-0 (0.9)");
  assert_int_equal(f.result.rule_errors, 2);
  assert_true(f.plan->judges[0]->calls_script);
  result = judge(&f, ITEMS(", \"match\": {\"key\": {\"function\": 0}}", T_FIELD), "[{\"t\": 1}, {\"t\": \"x\"}, {}]",
                 "[{\"t\": \"x\"}, {\"t\": 1}]");
  assert_string_equal(alignment(&f, result), "0-1 (1)");
  assert_int_equal(f.result.rule_errors, 2);
  /* A field whose condition says no takes no part; one whose condition fails is wrong everywhere. */
#define WHEN_FIELDS                                                                                                    \
  ", {\"ee\": \"exact\", \"items\": [\"t\"], \"when\": {\"function\": 0}}, {\"ee\": \"exact\", \"items\": [\"u\"], "   \
  "\"when\": {\"function\": 1}}"
  result = judge(&f, ITEMS("", WHEN_FIELDS), "[{\"description\": \"a\", \"t\": 1, \"u\": 1}, {\"t\": 2}]",
                 "[{\"description\": \"a\", \"t\": 1, \"u\": 1}]");
  assert_string_equal(alignment(&f, result), "0-0 (1)");
  assert_string_equal(fixture_attributes(&f, result), "u 0 0 1 1");
  assert_misses(&f, result, "inv.lines[0].u (rules.lua:3: bad when); inv.lines[1] (missing item)");
  assert_int_equal(f.result.rule_errors, 1);
  /* Nor does it take part in pairing by the score fields. */
  result = judge(&f, ITEMS(", \"match\": \"fields\"", WHEN_FIELDS), "[{\"t\": 1, \"u\": 1}]", "[{\"t\": 2, \"u\": 1}]");
  assert_string_equal(alignment(&f, result), "0-0 (1)");
  fixture_close(&f);
}

/* So many similar items that their pairs would fill the memory. */
static void test_pair_limit(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, ITEMS("", THREE_FIELDS));
  ee_line_items *items = (ee_line_items *)f.plan->judges[0]->data;
  assert_int_equal(items->match.pair_limit, 4000000);
#define SIMILAR(description, total) "{\"description\": \"" description "\", \"total\": " total "}"
#define EXPECTED "{\"inv\": {\"lines\": [" SIMILAR("a", "1") "," SIMILAR("a", "2") "," SIMILAR("b", "9") "]}}"
#define CANDIDATE "{\"inv\": {\"lines\": [" SIMILAR("b", "9") "," SIMILAR("A", "2") "," SIMILAR("A", "1") "]}}"
  items->match.pair_limit = 4;
  const ee_judge_result *result = fixture_judge_case(&f, EXPECTED, CANDIDATE);
  assert_string_equal(alignment(&f, result), "0-2 (1), 1-1 (1), 2-0 (1)");
  assert_false(result->failed);
  items->match.pair_limit = 3;
  result = fixture_judge_case(&f, EXPECTED, CANDIDATE);
  assert_true(result->failed && result->score == 0 && !result->vacuous);
  assert_string_equal(alignment(&f, result), "2-0 (1)");
  assert_misses(
      &f, result,
      "inv.lines (too many similar items: more than 3 pairs); inv.lines[0] (missing item); inv.lines[1] (missing "
      "item); inv.lines[1] (extra item); inv.lines[2] (extra item)");
  fixture_close(&f);
}

/* {"inv": {"lines": [...]}} of `count` items with a key of its own each. */
static const char *own_keys(ee_buffer *out, const char *prefix, size_t count) {
  ee_buffer_clear(out);
  ee_buffer_add_text(out, "{\"inv\": {\"lines\": [{\"n\": 7}");
  for (size_t i = 0; i < count; i++) ee_buffer_addf(out, ", {\"%s%zu\": 1}", prefix, i);
  ee_buffer_add_text(out, "]}}");
  return ee_buffer_terminate(out);
}

/* Keys that are data: a cell for each item and key would fill the memory. */
static void test_key_limit(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, ITEMS("", ""));
  ee_buffer expected, candidate;
  ee_buffer_init(&expected);
  ee_buffer_init(&candidate);
  const ee_judge_result *result =
      fixture_judge_case(&f, own_keys(&expected, "a", 1200), own_keys(&candidate, "b", 1200));
  assert_false(result->failed);
  assert_int_equal(result->attribute_count, 2401);
  result = fixture_judge_case(&f, own_keys(&expected, "a", 2000), own_keys(&candidate, "b", 2000));
  assert_true(result->failed && result->score == 0 && !result->vacuous);
  assert_int_equal(result->attribute_count, 0);
  ee_buffer_clear(&f.text);
  ee_finding_print(&result->misses[0], &f.text);
  assert_string_equal(ee_buffer_terminate(&f.text),
                      "inv.lines (too many distinct keys: more than 8388608 items x keys)");
  assert_string_equal(alignment(&f, result), "0-0 (1)");
  assert_reasoning(result, "1/2001 items matched, 2000 missing, 2000 extra");
  assert_int_equal(result->miss_count, 4001);
  /* So it is where the score fields decide what belongs together. */
  ee_line_items *items = (ee_line_items *)f.plan->judges[0]->data;
  items->match_score_fields = true;
  result = fixture_judge_case(&f, expected.data, candidate.data);
  assert_true(result->failed && result->attribute_count == 0);
  ee_buffer_fini(&expected);
  ee_buffer_fini(&candidate);
  fixture_close(&f);
}

/* {"inv": {"lines": [...]}} of `count` items that have the same `count` keys, with other values in each. */
static const char *same_keys(ee_buffer *out, size_t count, size_t first) {
  ee_buffer_clear(out);
  ee_buffer_add_text(out, "{\"inv\": {\"lines\": [");
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; k < count; k++)
      ee_buffer_addf(out, "%s\"k%zu\": %zu", k > 0 ? ", " : i > 0 ? ", {" : "{", k, first + i + k);
    ee_buffer_add_char(out, '}');
  }
  ee_buffer_add_text(out, "]}}");
  return ee_buffer_terminate(out);
}

static uint64_t work_of(fixture *f, const char *expected, const char *candidate) {
  uint64_t before = ee_work_done();
  assert_false(fixture_judge_case(f, expected, candidate)->failed);
  return ee_work_done() - before;
}

/* Each pair of items costs as much as the two have values, and no more where there are many keys that they lack. */
static void test_work_of_keys(void **state) {
  (void)state;
  enum { COUNT = 200, OWN = 800 };
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, ITEMS("", ""));
  ee_buffer expected = {0}, candidate = {0};
  uint64_t pairs = (uint64_t)COUNT * COUNT,
           units = work_of(&f, same_keys(&expected, COUNT, 0), same_keys(&candidate, COUNT, 1000));
  assert_in_range(units, 2 * COUNT * pairs, 20 * COUNT * pairs);
  pairs = (uint64_t)OWN * OWN;
  units = work_of(&f, own_keys(&expected, "a", OWN), own_keys(&candidate, "b", OWN));
  assert_in_range(units, 40 * pairs, 2 * OWN * pairs);
  ee_buffer_fini(&expected);
  ee_buffer_fini(&candidate);
  fixture_close(&f);
}

/* Beyond 64 keys: those that only one item has, those that both have, and those that nobody has any more. */
static void test_many_keys(void **state) {
  (void)state;
  test_random random = test_random_start("many_keys", 64);
  ee_buffer expected = {0}, candidate = {0};
  for (int round = 0; round < 200; round++) {
    fixture f;
    fixture_open(&f);
    fixture_rules(&f, ITEMS("", ""));
    int both = 0, either = 0;
    ee_buffer_clear(&expected);
    ee_buffer_clear(&candidate);
    ee_buffer_add_text(&expected, "{\"inv\": {\"lines\": [{\"k\": 7");
    ee_buffer_add_text(&candidate, "{\"inv\": {\"lines\": [{\"k\": 8");
    for (int k = 0; k < 200; k++) {
      bool a = test_random_below(&random, 2) == 0, b = test_random_below(&random, 2) == 0;
      ee_buffer_addf(&expected, ", \"k%d\": %s", k, a ? "1" : "null");
      ee_buffer_addf(&candidate, ", \"k%d\": %s", k, b ? "1" : "\"\"");
      both += a && b;
      either += a || b;
    }
    ee_buffer_add_text(&expected, "}]}}");
    ee_buffer_add_text(&candidate, "}]}}");
    ((ee_line_items *)f.plan->judges[0]->data)->match.threshold = 0.01;
    const ee_judge_result *result =
        fixture_judge_case(&f, ee_buffer_terminate(&expected), ee_buffer_terminate(&candidate));
    assert_int_equal(ee_item_report_of(result)->alignment_count, 1);
    assert_true(ee_item_report_of(result)->alignment[0].similarity == (double)both / (either + 1));
    fixture_close(&f);
  }
  ee_buffer_fini(&expected);
  ee_buffer_fini(&candidate);
}

static void test_print(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(
      &f, ITEMS(", \"match\": {\"items\": [\"sku\", {\"ee\": \"date\", \"items\": [\"day\"]}], \"threshold\": 0.75}",
                ", {\"ee\": \"ignore\", \"items\": [\"x\"]}"));
  const ee_judge *judge_of_plan = f.plan->judges[0];
  judge_of_plan->type->print(judge_of_plan, &f.text);
  assert_string_equal(ee_buffer_terminate(&f.text),
                      "  list inv.lines\n  match sku, day  date  weight 1, threshold 0.75, method greedy\n  x  ignore\n"
                      "  every key of the items  auto\n");
  fixture_close(&f);
}

/* The only match field is the key, wherever it stands among the fields. */
static void test_key_is_the_match_field(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_judge_result *result = fixture_judge_rules(
      &f,
      "{\"ee\":\"rules\",\"items\":[{\"ee\":\"line_items\",\"match\":{\"items\":[\"n\"],\"method\":\"key\"},\"items\":"
      "[\"l\",{\"ee\":\"exact\",\"items\":[\"d\"]},{\"ee\":\"exact\",\"items\":[\"n\"]}]}]}",
      "{\"l\":[{\"d\":\"x\",\"n\":1},{\"d\":\"y\",\"n\":2}]}", "{\"l\":[{\"d\":\"x\",\"n\":2},{\"d\":\"y\",\"n\":1}]}");
  const ee_item_report *report = ee_item_report_of(result);
  assert_int_equal(report->alignment_count, 2);
  assert_int_equal(report->alignment[0].candidate, 1);
  assert_int_equal(report->alignment[1].candidate, 0);
  fixture_close(&f);
}

/* What cannot be read of a match field is counted once: as a value of the score field of that name, else on its own. */
static void test_unread_match_fields(void **state) {
  (void)state;
  static const struct {
    const char *fields;
    size_t attributes;
  } rules[] = {{", {\"ee\": \"exact\", \"items\": [\"t\"]}", 2},
               {", {\"ee\": \"numeric\", \"items\": [\"n\"]}, {\"ee\": \"exact\", \"items\": [\"t\"]}", 2},
               {", {\"ee\": \"exact\", \"items\": [\"t\"]}, {\"ee\": \"numeric\", \"items\": [\"n\"]}", 2}};
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    fixture f;
    fixture_open(&f);
    char text[512];
    snprintf(text, sizeof text, ITEMS(", \"match\": {\"items\": [{\"ee\": \"numeric\", \"items\": [\"n\"]}]}", "%s"),
             rules[i].fields);
    const ee_judge_result *result = judge(&f, text, "[{\"n\": \"x\", \"t\": 1}, {\"n\": 2, \"t\": 3}]",
                                          "[{\"n\": \"y\", \"t\": 2}, {\"n\": \"z\"}, {\"n\": 2, \"t\": 3}]");
    assert_int_equal(result->attribute_count, rules[i].attributes);
    for (size_t k = 0; k < result->attribute_count; k++) {
      const ee_attribute_result *attribute = &result->attributes[k];
      bool is_n = ee_str_is(attribute->name, "n");
      assert_int_equal(attribute->counts.unread, is_n ? 1 : 0);
      assert_int_equal(attribute->counts.unread_candidates, is_n ? 2 : 0);
    }
    assert_int_equal(f.context.unread.count, 3);
    assert_misses(
        &f, result,
        "inv.lines[0] (missing item: n unreadable: not a number); inv.lines[0] (extra item: n unreadable: not "
        "a number); inv.lines[1] (extra item: n unreadable: not a number)");
    fixture_close(&f);
  }
}

/* Values that have their confidence with them, in any of the fields. */
static void test_wrapped_values(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
#define SURE(value) "{\"value\": " value ", \"confidence\": 0.5}"
  const ee_judge_result *result = judge(
      &f,
      ITEMS(", \"confidence\": \"*.confidence\", \"match\": \"d\"",
            ", {\"ee\": \"exact\", \"items\": [\"a\"]}, {\"ee\": \"exact\", \"items\": [\"b\"]}, {\"ee\": \"exact\", "
            "\"items\": [\"c\"]}"),
      "[{\"d\": \"x\", \"a\": 1, \"b\": 2, \"c\": 3}, {\"d\": \"yy\", \"a\": 4, \"b\": 5, \"c\": 6}]",
      "[{\"d\": " SURE("\"yy\"") ", \"a\": " SURE("4") ", \"b\": " SURE("5") ", \"c\": " SURE("6") "}, {\"d\": " SURE(
          "\"x\"") ", \"a\": " SURE("1") ", \"b\": " SURE("7") ", \"c\": " SURE("3") "}]");
  assert_string_equal(fixture_attributes(&f, result), "a 2 0 0 0; b 1 0 1 1; c 2 0 0 0");
  assert_string_equal(alignment(&f, result), "0-1 (1), 1-0 (1)");
  assert_misses(&f, result, "inv.lines[0].b (value mismatch)");
  fixture_close(&f);
}

/* In full detail both values of a key of the data, of equal items too, whose candidate's values were not read. */
static void test_values_of_keys(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  f.detail = EE_DETAIL_FULL;
  fixture_rules(&f, ITEMS("", ""));
  const ee_judge_result *result = fixture_judge_case(
      &f, "{\"inv\": {\"lines\": [{\"description\": \"x\", \"n.m\": 1}, {\"description\": \"long\", \"n.m\": 2}]}}",
      "{\"inv\": {\"lines\": [{\"n.m\": 3, \"description\": \"long\"}, {\"n.m\": 1, \"description\": \"x\"}]}}");
  ee_buffer_clear(&f.text);
  for (size_t i = 0; i < result->outcome_count; i++) {
    ee_json_write_value(&f.text, result->outcomes[i].expected);
    ee_buffer_add_char(&f.text, ' ');
    ee_json_write_value(&f.text, result->outcomes[i].candidate);
    ee_buffer_add_text(&f.text, "; ");
  }
  assert_string_equal(ee_buffer_terminate(&f.text), "\"x\" \"x\"; 1 1; \"long\" \"long\"; 2 3; ");
  fixture_close(&f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_pairs), cmocka_unit_test(test_empty_lists),
             cmocka_unit_test(test_no_list), cmocka_unit_test(test_no_candidate),
             cmocka_unit_test(test_item_without_fields), cmocka_unit_test(test_keys_of_the_data),
             cmocka_unit_test(test_empty_members), cmocka_unit_test(test_plain_items),
             cmocka_unit_test(test_match_rules), cmocka_unit_test(test_thresholds), cmocka_unit_test(test_greedy),
             cmocka_unit_test(test_keys), cmocka_unit_test(test_index), cmocka_unit_test(test_other_paths),
             cmocka_unit_test(test_documents), cmocka_unit_test(test_functions), cmocka_unit_test(test_print),
             cmocka_unit_test(test_pair_limit), cmocka_unit_test(test_key_limit), cmocka_unit_test(test_work_of_keys),
             cmocka_unit_test(test_many_keys), cmocka_unit_test(test_key_is_the_match_field),
             cmocka_unit_test(test_unread_match_fields), cmocka_unit_test(test_wrapped_values),
             cmocka_unit_test(test_values_of_keys));
