/* test_item_hints.c: items that look split or merged, what makes them look so, and that hints change no score. */
#include "judge/line_items/line_items.h"
#include "judge/plan_fixture.h"

#include "support/random.h"

#define RULES(match, fields)                                                                                           \
  "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"match\": " match ", \"items\": [\"l\"" fields "]}]}"
#define FIELDS ", {\"ee\": \"fuzzy\", \"items\": [\"d\"]}, {\"ee\": \"numeric\", \"items\": [\"total\"]}"
#define PLAIN RULES("\"d\"", FIELDS)

static const ee_judge_result *judge(fixture *f, const char *rules, const char *expected, const char *candidate) {
  char left[8192], right[8192];
  snprintf(left, sizeof left, "{\"l\": %s}", expected);
  snprintf(right, sizeof right, "{\"l\": %s}", candidate);
  return fixture_judge_rules(f, rules, left, right);
}

/* Hints as "split 3: 4 5; merged 0: 1 2". */
static const char *hints(fixture *f, const ee_judge_result *result) {
  ee_buffer_clear(&f->text);
  for (size_t i = 0; i < ee_item_report_of(result)->hint_count; i++) {
    const ee_item_hint *hint = &ee_item_report_of(result)->hints[i];
    ee_buffer_addf(&f->text, "%s%s %u: %u %u", i > 0 ? "; " : "", hint->merged ? "merged" : "split", hint->whole,
                   hint->parts[0], hint->parts[1]);
  }
  return ee_buffer_terminate(&f->text);
}

#define PUMP "{\"d\": \"Hydraulic pump model A\", \"total\": 100}"
#define BOLTS "{\"d\": \"Steel bolts\", \"total\": 7}"

static void test_split_and_merged(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  static const char *const parts[] = {
      "[" BOLTS ", {\"d\": \"hydraulic pump\", \"total\": 60}, {\"d\": \"model A \", \"total\": 40}]",
      "[" BOLTS ", {\"d\": \"Hydraulic pump\", \"total\": 100}, {\"d\": \"model A\"}]",
      "[" BOLTS ", {\"d\": \"Hydraulic  pump\"}, {\"d\": \"mode1 A\"}]"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    const ee_judge_result *result = judge(&f, PLAIN, "[" PUMP ", " BOLTS "]", parts[i]);
    assert_string_equal(hints(&f, result), "split 0: 1 2");
    assert_reasoning(result, "1/2 items matched, 1 missing, 2 extra; expected item 0 looks split into 1 and 2");
    result = judge(&f, PLAIN, parts[i], "[" PUMP ", " BOLTS "]");
    assert_string_equal(hints(&f, result), "merged 0: 1 2");
    assert_reasoning(result, "1/3 items matched, 2 missing, 1 extra; candidate item 0 looks merged from 1 and 2");
  }
  /* In whatever order, and far from each other. */
  assert_string_equal(hints(&f, judge(&f, PLAIN, "[" PUMP ", " BOLTS "]",
                                      "[{\"d\": \"model A\"}, " BOLTS ", null, {\"d\": \"Hydraulic pump\"}]")),
                      "split 0: 3 0");
  /* By optimal, by the score fields and by the keys of the data. */
  assert_string_equal(
      hints(&f, judge(&f, RULES("{\"items\": [\"d\"], \"method\": \"optimal\"}", FIELDS), "[" PUMP "]", parts[0])),
      "split 0: 1 2");
  assert_string_equal(hints(&f, judge(&f, RULES("\"fields\"", FIELDS), "[" PUMP "]", parts[0])), "split 0: 1 2");
  assert_string_equal(hints(&f, judge(&f, RULES("\"d\"", ""), "[" PUMP "]", parts[0])), "split 0: 1 2");
  fixture_close(&f);
}

static void test_no_hint(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  static const char *const answers[] = {
      /* amounts that do not add up; texts that do not; one part alone is as good as the whole; a part of one letter */
      "[{\"d\": \"Hydraulic pump\", \"total\": 60}, {\"d\": \"model A\", \"total\": 50}]",
      "[{\"d\": \"Hydraulic pump\", \"total\": 60}, {\"d\": \"engine B\", \"total\": 40}]",
      "[{\"d\": \"Hydraulic pump\", \"total\": 100}]",
      "[{\"d\": \"Hydraulic model\", \"total\": 100}, {\"d\": \"A\", \"total\": 0}]",
      "[]",
      "[{\"d\": \"Hydraulic pump model A\", \"total\": 60}, {\"d\": \"model A\", \"total\": 40}]",
      "[{\"d\": \"Hydraulic pump model\", \"total\": 100}, {\"d\": \"A\", \"total\": 0}]"};
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
    const ee_judge_result *result = judge(&f, PLAIN, "[" PUMP "]", answers[i]);
    assert_string_equal(hints(&f, result), "");
    assert_int_equal(ee_item_report_of(result)->hint_count, 0);
  }
  /* Pairs by key or place have no texts to go by. */
  const char *parts = "[{\"d\": \"Hydraulic pump\", \"total\": 60}, {\"d\": \"model A\", \"total\": 40}]";
  assert_int_equal(ee_item_report_of(judge(&f, RULES("{\"key\": \"d\"}", FIELDS), "[" PUMP "]", parts))->hint_count, 0);
  assert_int_equal(
      ee_item_report_of(judge(&f, RULES("{\"method\": \"index\"}", FIELDS), "[" PUMP "]", parts))->hint_count, 0);
  fixture_close(&f);
}

/* A field that both parts share counts once, and one that only one has as well. */
static void test_several_fields(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
#define TWO RULES("[\"d\", \"sku\", \"unit\"]", FIELDS)
  const char *whole = "[{\"d\": \"Hydraulic pump model A\", \"sku\": \"HP-1\", \"unit\": \"pcs\", \"total\": 3}]";
  assert_string_equal(
      hints(&f, judge(&f, TWO, whole,
                      "[{\"d\": \"Hydraulic pump\", \"sku\": \"HP-1\", \"unit\": \"pcs\", \"total\": 1}, "
                      "{\"d\": \"model A\", \"sku\": \"HP-1\", \"total\": 2}]")),
      "split 0: 0 1");
  assert_string_equal(
      hints(&f, judge(&f, TWO, whole,
                      "[{\"d\": \"Hydraulic pump\", \"sku\": \"XY-7\", \"unit\": \"pcs\", \"total\": 1}, "
                      "{\"d\": \"model A\", \"sku\": \"ZZ-9\", \"total\": 2}]")),
      "");
  fixture_close(&f);
}

/* The item next to one without partner may have been taken for want of a better one. */
static void test_a_low_neighbour(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const char *rules = RULES("{\"items\": [\"d\"], \"threshold\": 0.5}", FIELDS);
  const char *expected = "[{\"d\": \"Pump Al\"}, {\"d\": \"Pump Alpha and gear box Beta\"}]";
  const ee_judge_result *result =
      judge(&f, rules, expected, "[{\"d\": \"Pump Alpha\"}, {\"d\": \"and gear box Beta\"}]");
  /* The second is more than half of it: they are a pair, and there is nothing to explain. */
  assert_string_equal(hints(&f, result), "");
  rules = RULES("{\"items\": [\"d\"], \"threshold\": 0.65}", FIELDS);
  result = judge(&f, rules, expected, "[{\"d\": \"Pump Alpha\"}, {\"d\": \"and gear box Beta\"}]");
  assert_int_equal(ee_item_report_of(result)->alignment_count, 1);
  assert_true(ee_item_report_of(result)->alignment[0].similarity == 0.7);
  assert_string_equal(hints(&f, result), "split 1: 0 1");
  fixture_close(&f);
}

/* An item that found one of its parts, and the other part has nobody. */
static void test_a_part_for_a_partner(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const char *whole = "[" BOLTS ", {\"d\": \"Hydraulic pump model AX-200\", \"total\": 100}]";
  const char *parts =
      "[{\"d\": \"AX-200\", \"total\": 40}, " BOLTS ", {\"d\": \"Hydraulic pump model\", \"total\": 60}]";
  const char *rules = RULES("{\"items\": [\"d\"], \"threshold\": 0.7}", FIELDS);
  const ee_judge_result *result = judge(&f, rules, whole, parts);
  assert_int_equal(ee_item_report_of(result)->alignment_count, 2);
  assert_string_equal(hints(&f, result), "split 1: 2 0");
  result = judge(&f, rules, parts, whole);
  assert_int_equal(ee_item_report_of(result)->alignment_count, 2);
  assert_string_equal(hints(&f, result), "merged 1: 2 0");
  fixture_close(&f);
}

/* However many items there are, the work is bounded, and neighbours are still found. */
static void test_many(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, PLAIN);
  enum { MANY = 120 };
  ee_buffer left, right;
  ee_buffer_init(&left);
  ee_buffer_init(&right);
  test_random random = test_random_start("hints_many", 421);
  for (int i = 0; i < MANY; i++) {
    char first[16], second[16];
    for (size_t k = 0; k < 15; k++) {
      first[k] = (char)('a' + test_random_below(&random, 26));
      second[k] = (char)('a' + test_random_below(&random, 26));
    }
    first[12] = second[12] = '\0';
    ee_buffer_addf(&left, "%s{\"d\": \"%s %s\", \"total\": %d}", i > 0 ? ", " : "{\"l\": [", first, second, i);
    ee_buffer_addf(&right, "%s{\"d\": \"%s\", \"total\": %d}, {\"d\": \"%s\"}", i > 0 ? ", " : "{\"l\": [", first, i,
                   second);
  }
  ee_buffer_add_text(&left, "]}");
  ee_buffer_add_text(&right, "]}");
  const ee_judge_result *result = fixture_judge_case(&f, ee_buffer_terminate(&left), ee_buffer_terminate(&right));
  const ee_item_report *report = ee_item_report_of(result);
  assert_non_null(report);
  assert_true(report->hint_count > 20 && report->hint_count <= EE_ITEM_HINT_LIMIT && report->hints_cut);
  for (size_t i = 0; i < report->hint_count; i++) {
    assert_int_equal(report->hints[i].whole, i);
    assert_int_equal(report->hints[i].parts[0], 2 * i);
    assert_int_equal(report->hints[i].parts[1], 2 * i + 1);
  }
  assert_true(memmem(result->reasoning.data, result->reasoning.length, "more hints", 10) != NULL);
  ee_buffer_fini(&left);
  ee_buffer_fini(&right);
  fixture_close(&f);
}

/* Equal items are paired whatever the rule says: where all of them are, nothing is said of a field that none has. */
static void test_match_sides(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, "{\"ee\":\"rules\",\"items\":[{\"ee\":\"line_items\",\"match\":\"sku\",\"items\":[\"l\",{\"ee\":"
                    "\"exact\",\"items\":[\"a\"]}]}]}");
  const unsigned both = 1u << EE_EXPECTED | 1u << EE_CANDIDATE;
#define LIST(last) "{\"l\":[{\"a\":1},{\"a\":" last "}]}"
  assert_int_equal(fixture_judge_case(&f, LIST("2"), LIST("2"))->match_sides, both);
  assert_int_equal(fixture_judge_case(&f, LIST("2"), LIST("3"))->match_sides, 0);
  assert_int_equal(fixture_judge_case(&f, LIST("2"), "{\"l\":[{\"a\":2}]}")->match_sides, both);
  assert_int_equal(fixture_judge_case(&f, "{\"l\":[{\"a\":2}]}", LIST("1"))->match_sides, 0);
  assert_int_equal(fixture_judge_case(&f, LIST("2"), "{\"l\":[{\"a\":1},{\"sku\":1}]}")->match_sides,
                   1u << EE_CANDIDATE);
#undef LIST
  fixture_close(&f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_split_and_merged), cmocka_unit_test(test_no_hint),
             cmocka_unit_test(test_several_fields), cmocka_unit_test(test_a_low_neighbour),
             cmocka_unit_test(test_a_part_for_a_partner), cmocka_unit_test(test_many),
             cmocka_unit_test(test_match_sides));
