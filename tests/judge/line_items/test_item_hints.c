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
  /* What is much longer or shorter than the whole item's is not like it; what the whole item lacks does not count. */
  static const struct {
    const char *whole, *first, *second, *hints;
  } units[] = {{"\"pieces\"", "\"pieces\"", "null", "split 0: 0 1"},
               {"\"pieces\"", "null", "\"pieces\"", "split 0: 0 1"},
               {"\"pieces\"", "\"p\"", "null", ""},
               {"\"p\"", "\"pieces\"", "null", ""},
               {"\"pieces\"", "null", "null", ""},
               {"\"pieces\"", "7", "null", ""},
               {"null", "\"pieces\"", "\"p\"", "split 0: 0 1"},
               {"7", "\"pieces\"", "\"p\"", "split 0: 0 1"}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    char left[200], right[200];
    snprintf(left, sizeof left, "[{\"d\": \"Hydraulic pump model A\", \"unit\": %s}]", units[i].whole);
    snprintf(right, sizeof right, "[{\"d\": \"Hydraulic pump\", \"unit\": %s}, {\"d\": \"model A\", \"unit\": %s}]",
             units[i].first, units[i].second);
    const char *found = hints(&f, judge(&f, RULES("[\"d\", \"unit\"]", FIELDS), left, right));
    if (strcmp(found, units[i].hints) != 0) fail_msg("%s and %s: %s", left, right, found);
  }
  /* Every item has its own texts. */
  assert_string_equal(
      hints(
          &f,
          judge(&f, RULES("[\"d\", \"unit\"]", FIELDS),
                "[{\"d\": \"one pump red\", \"unit\": \"x\"}, {\"d\": \"two drills blue\", \"unit\": \"y\"}, "
                "{\"d\": \"six lamps green\", \"unit\": \"z\"}]",
                "[{\"d\": \"one pump\", \"unit\": \"x\"}, {\"d\": \"red\"}, {\"d\": \"two drills\", \"unit\": \"x\"}, "
                "{\"d\": \"blue\"}, {\"d\": \"six lamps\"}, {\"d\": \"green\", \"unit\": \"z\"}]")),
      "split 0: 0 1; split 2: 4 5");
  /* A field of weight 0 alone says nothing. */
  assert_string_equal(
      hints(&f,
            judge(&f, RULES("{\"items\": [{\"ee\": \"fuzzy\", \"items\": [\"d\"], \"weight\": 0}, \"unit\"]}", FIELDS),
                  "[{\"d\": \"one pump red\"}]", "[{\"d\": \"one pump\"}, {\"d\": \"red\", \"unit\": \"x\"}]")),
      "");
  fixture_close(&f);
}

/* Parts have more than one letter, each is clearly shorter than the whole (below 0.9), and together they are nearly the
 * whole (0.9). */
static void test_lengths(void **state) {
  (void)state;
  static const struct {
    const char *whole, *first, *second;
    bool hint;
  } rows[] = {
      {"pump Ax", "pump", "Ax", true},
      {"pump A", "pump", "A", false},
      {"Ax pump", "Ax", "pump", true},
      {"A pump", "A", "pump", false},
      {"abcdefghijklmnopqrst", "ab", "defghijklmnopqrst", true},
      {"abcdefghijklmnopqrst", "ab", "cdefghijklmnopqrst", false},
      {"abcdefghijklmnopqrst", "abcdefghijklmnopq", "st", true},
      {"abcdefghijklmnopqrst", "abcdefghijklmnopqr", "st", false},
      {"abcdefghij lmnopqrst", "abcdefghij", "lmnopqrst", true},
      {"abcdefghij lmnopqrst", "abcdefghxx", "lmnopqrst", true},
      {"abcdefghij lmnopqrst", "abcdefgxxx", "lmnopqrst", false},
      {"abcdefghij lmnopqrst", "abcdefghij", "abcdefghij", false},
      {"abcdefghij", "abcdefghij", "abcdefghij", false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fixture f;
    fixture_open(&f);
    char left[100], right[100];
    snprintf(left, sizeof left, "[{\"d\": \"%s\", \"x\": 1}]", rows[i].whole);
    snprintf(right, sizeof right, "[{\"d\": \"%s\"}, {\"d\": \"%s\"}]", rows[i].first, rows[i].second);
    const char *found = hints(&f, judge(&f, RULES("{\"items\": [\"d\"], \"threshold\": 1}", FIELDS), left, right));
    if (strcmp(found, rows[i].hint ? "split 0: 0 1" : "") != 0) fail_msg("%s and %s: %s", left, right, found);
    fixture_close(&f);
  }
}

/* Where both sides have numbers, they must add up, as decimals do. */
static void test_amounts(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  static const struct {
    const char *whole, *first, *second;
    bool hint;
  } rows[] = {{"100", "60", "40", true},
              {"100", "60", "50", false},
              {"\"100.00\"", "\"60\"", "40", true},
              {"\"$ 100\"", "60", "\"$40\"", true},
              {"100", "100", "null", true},
              {"100", "null", "100", true},
              {"100", "\"x\"", "100", true},
              {"100", "\"x\"", "40", false},
              {"100", "40", "\"x\"", false},
              {"100", "\"x\"", "\"y\"", true},
              {"100", "[60]", "{}", true},
              {"\"x\"", "60", "50", true},
              {"null", "60", "50", true},
              {"true", "60", "50", true},
              {"-100", "-60", "-40", true},
              {"20", "60", "-40", true},
              {"20", "60", "40", false},
              {"0.3", "0.1", "0.2", true},
              {"1000", "600", "400.00001", false},
              {"0", "0", "0", true},
              {"0", "0", "0.01", false}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char left[200], right[200];
    snprintf(left, sizeof left, "[{\"d\": \"Hydraulic pump model A\", \"total\": %s}]", rows[i].whole);
    snprintf(right, sizeof right, "[{\"d\": \"Hydraulic pump\", \"total\": %s}, {\"d\": \"model A\", \"total\": %s}]",
             rows[i].first, rows[i].second);
    const char *found = hints(&f, judge(&f, PLAIN, left, right));
    if (strcmp(found, rows[i].hint ? "split 0: 0 1" : "") != 0) fail_msg("%s and %s: %s", left, right, found);
    found = hints(&f, judge(&f, PLAIN, right, left));
    if (strcmp(found, rows[i].hint ? "merged 0: 0 1" : "") != 0) fail_msg("%s and %s: %s", right, left, found);
  }
  /* One of several numbers that add up is enough: prices of one unit do not. */
  const char *rules =
      RULES("\"d\"", ", {\"ee\": \"numeric\", \"items\": [\"price\"]}, {\"ee\": \"numeric\", \"items\": "
                     "[\"total\"]}");
  assert_string_equal(hints(&f, judge(&f, rules, "[{\"d\": \"Hydraulic pump model A\", \"price\": 9, \"total\": 3}]",
                                      "[{\"d\": \"Hydraulic pump\", \"price\": 9, \"total\": 1}, {\"d\": \"model A\", "
                                      "\"price\": 9, \"total\": 2}]")),
                      "split 0: 0 1");
  /* Where all keys are compared, texts are no amounts. */
  assert_string_equal(hints(&f, judge(&f, RULES("\"d\"", ""), "[{\"d\": \"Hydraulic pump model A\", \"n\": \"3\"}]",
                                      "[{\"d\": \"Hydraulic pump\", \"n\": 7}, {\"d\": \"model A\"}]")),
                      "split 0: 0 1");
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

/* Up to three hints are listed; of more, the first three and their number. */
static void test_number_of_hints(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  static const char *const firsts[] = {"one pump", "two drills", "six lamps", "ten hoses", "fat cables"},
                           *const seconds[] = {"red", "blue", "green", "black", "white"};
  static const char *const ends[] = {"split into 0 and 1", "split into 2 and 3", "split into 4 and 5", "; 1 more hints",
                                     "; 2 more hints"};
  ee_buffer left = {0}, right = {0};
  for (size_t count = 1; count <= 5; count++) {
    ee_buffer_clear(&left);
    ee_buffer_clear(&right);
    for (size_t i = 0; i < count; i++) {
      ee_buffer_addf(&left, "%s{\"d\": \"%s %s\"}", i > 0 ? ", " : "[", firsts[i], seconds[i]);
      ee_buffer_addf(&right, "%s{\"d\": \"%s\"}, {\"d\": \"%s\"}", i > 0 ? ", " : "[", firsts[i], seconds[i]);
    }
    ee_buffer_add_char(&left, ']');
    ee_buffer_add_char(&right, ']');
    const ee_judge_result *result = judge(&f, PLAIN, ee_buffer_terminate(&left), ee_buffer_terminate(&right));
    assert_int_equal(ee_item_report_of(result)->hint_count, count);
    assert_false(ee_item_report_of(result)->hints_cut);
    size_t length = strlen(ends[count - 1]);
    assert_true(result->reasoning.length > length);
    assert_memory_equal(result->reasoning.data + result->reasoning.length - length, ends[count - 1], length);
  }
  ee_buffer_fini(&left);
  ee_buffer_fini(&right);
  fixture_close(&f);
}

static void add_fillers(ee_buffer *out, const char *letters, size_t count) {
  for (size_t i = 0; i < count; i++)
    ee_buffer_addf(out, ", {\"d\": \"%c%c%c%c\"}", letters[i / 100], letters[i / 10 % 10], letters[i % 10], letters[9]);
}

/* Of up to 24 items without a partner any two are tried, of more only neighbours. */
static void test_far_apart(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const char *rules = RULES("{\"items\": [\"d\"], \"threshold\": 0.7}", FIELDS);
  static const struct {
    const char *whole, *before, *after;
    size_t fillers;
    const char *hints;
  } cases[] = {
      {"Hydraulic pump model A", "{\"d\": \"Hydraulic pump\"}", ", {\"d\": \"model A\"}", 22, "split 0: 0 23"},
      {"Hydraulic pump model A", "{\"d\": \"Hydraulic pump\"}", ", {\"d\": \"model A\"}", 23, ""},
      {"Hydraulic pump model A", "{\"d\": \"model A\"}, {\"d\": \"Hydraulic pump\"}", "", 30, "split 0: 1 0"},
      /* "Hydraulic pump model" has the whole item for its partner; the others have none. */
      {"Hydraulic pump model AX-200", "{\"d\": \"Hydraulic pump model\"}", ", {\"d\": \"AX-200\"}", 23,
       "split 0: 0 24"},
      {"Hydraulic pump model AX-200", "{\"d\": \"Hydraulic pump model\"}", ", {\"d\": \"AX-200\"}", 24, ""},
      {"Hydraulic pump model AX-200", "{\"d\": \"Hydraulic pump model\"}, {\"d\": \"AX-200\"}", "", 30, "split 0: 0 1"},
      {"AX-200 Hydraulic pump model", "{\"d\": \"AX-200\"}, {\"d\": \"Hydraulic pump model\"}", "", 30, "split 0: 0 1"},
  };
  ee_buffer right = {0};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char left[100];
    snprintf(left, sizeof left, "[{\"d\": \"%s\"}]", cases[i].whole);
    ee_buffer_clear(&right);
    ee_buffer_addf(&right, "[%s", cases[i].before);
    add_fillers(&right, "0123456789", cases[i].fillers);
    ee_buffer_addf(&right, "%s]", cases[i].after);
    const char *found = hints(&f, judge(&f, rules, left, ee_buffer_terminate(&right)));
    if (strcmp(found, cases[i].hints) != 0) fail_msg("%zu: %s", i, found);
  }
  ee_buffer_fini(&right);
  fixture_close(&f);
}

/* 20,000 comparisons a case: W items against the 10 * 9 of any two of 10 others, and these against 2 * (W - 1)
 * neighbours. */
static void test_bound(void **state) {
  (void)state;
  ee_buffer left = {0}, right = {0};
  ee_buffer_add_text(&right, "[{\"d\": \"zzzz\"}");
  add_fillers(&right, "abcdefghij", 9);
  ee_buffer_add_char(&right, ']');
  ee_buffer_terminate(&right);
  for (size_t count = 181; count <= 182; count++) {
    fixture f;
    fixture_open(&f);
    ee_buffer_clear(&left);
    ee_buffer_add_text(&left, "[{\"d\": \"yyyy\"}");
    add_fillers(&left, "0123456789", count - 1);
    ee_buffer_add_char(&left, ']');
    const ee_judge_result *result = judge(&f, PLAIN, ee_buffer_terminate(&left), right.data);
    assert_int_equal(ee_item_report_of(result)->hint_count, 0);
    assert_int_equal(ee_item_report_of(result)->hints_cut, count == 182);
    fixture_close(&f);
  }
  ee_buffer_fini(&left);
  ee_buffer_fini(&right);
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
             cmocka_unit_test(test_several_fields), cmocka_unit_test(test_amounts), cmocka_unit_test(test_lengths),
             cmocka_unit_test(test_number_of_hints), cmocka_unit_test(test_far_apart), cmocka_unit_test(test_bound),
             cmocka_unit_test(test_a_low_neighbour), cmocka_unit_test(test_a_part_for_a_partner),
             cmocka_unit_test(test_many), cmocka_unit_test(test_match_sides));
