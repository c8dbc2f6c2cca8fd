/* test_iou_score.c: every rule of ee.iou_score on small cases that were worked out by hand. */
#include "judge/geometry/geometry_fixture.h"

#include <math.h>

#include "judge/geometry/iou_score.h"

static void iou_rules(fixture *f, const char *options) { geometry_rules(f, "iou_score", "boxes", options); }

static const ee_judge_result *judge_boxes(fixture *f, const char *expected, const char *candidate) {
  return judge_lists_at(f, "boxes", expected, candidate);
}

/* Shapes at the path --------------------------------------------------------------------------- */

static void test_single(void **state) {
  (void)state;
  fixture f;
  iou_rules(&f, "");
  const ee_judge_result *result = judge_boxes(&f, "[0,0,10,10]", "[0,0,10,8]");
  assert_score(result, 0.8);
  assert_hits(&f, result, "boxes");
  assert_misses(&f, result, "");
  assert_string_equal(fixture_attributes(&f, result), "iou>=0.5 1 0 0 0");
  assert_reasoning(result, "mean iou 0.8, 1/1 found at 0.5, 0 missing, 0 extra");
  assert_details(
      &f, result,
      "{\"metrics\":{\"iou>=0.5\":{\"tp\":1,\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":1,\"recall\":1,\"f1\":1}"
      "},\"pairs\":[{\"expected\":0,\"candidate\":0,\"overlap\":0.8}],\"unmatched_expected\":[],"
      "\"unmatched_candidate\":[]}");
  result = judge_boxes(&f, "[0,0,10,10]", "[0,0,10,3.1]");
  assert_score(result, 0.31);
  assert_misses(&f, result, "boxes (iou 0.31 below 0.5)");
  assert_string_equal(fixture_attributes(&f, result), "iou>=0.5 0 0 1 1");
  assert_int_equal(result->attributes[0].counts.wrong, 1);
  /* A single shape is a list of one, in all its spellings. */
  assert_score(judge_boxes(&f, "[0,0,10,10]", "[[0,0,10,8]]"), 0.8);
  assert_score(judge_boxes(&f, "{\"format\":\"xywh\",\"coordinates\":[1,1,10,10]}", "[1,1,11,11]"), 1);
  result = judge_boxes(&f, "[0,0,10,10]", "null");
  assert_score(result, 0);
  assert_misses(&f, result, "boxes (missing item)");
  assert_string_equal(fixture_attributes(&f, result), "iou>=0.5 0 0 0 1");
  result = judge_boxes(&f, "[]", "[0,0,10,10]");
  assert_score(result, 0);
  assert_misses(&f, result, "boxes (extra item)");
  assert_string_equal(fixture_attributes(&f, result), "iou>=0.5 0 0 1 0");
  fixture_close(&f);
}

static void test_polygons(void **state) {
  (void)state;
  fixture f;
  iou_rules(&f, ",\"format\":\"polygon\"");
  assert_score(judge_boxes(&f, "[[0,0],[10,0],[10,10],[0,10]]", "[[0,0],[10,0],[10,5],[0,5]]"), 0.5);
  /* A list of rings is one polygon: 100 - 16 against 100, and a hole against the same hole. */
  const ee_judge_result *result =
      judge_boxes(&f, "[[[0,0],[10,0],[10,10],[0,10]],[[3,3],[7,3],[7,7],[3,7]]]", "[[0,0],[10,0],[10,10],[0,10]]");
  assert_score(result, 0.84);
  assert_hits(&f, result, "boxes");
  assert_score(judge_boxes(&f, "[[[0,0],[10,0],[10,10],[0,10]],[[3,3],[7,3],[7,7],[3,7]]]",
                           "[[[3,3],[7,3],[7,7],[3,7]],[[0,0],[10,0],[10,10],[0,10]]]"),
               1);
  /* One deeper it is a list of polygons; their rings are closer inside. */
  result = judge_boxes(&f, "[[[[0,0],[10,0],[10,10],[0,10]],[[3,3],[7,3],[7,7],[3,7]]],[[[0,0],[2,0],[2,2],[0,2]]]]",
                       "[[[[0,0],[10,0],[10,10],[0,10]]],[[[0,0],[2,0],[2,2],[0,2]]]]");
  assert_score(result, 0.92);
  assert_hits(&f, result, "boxes[0]; boxes[1]");
  assert_score(judge_boxes(&f,
                           "{\"format\":\"polygon\",\"coordinates\":[[[0,0],[10,0],[10,10],[0,10]],[[3,3],[7,3],[7,7],"
                           "[3,7]]]}",
                           "[[0,0],[10,0],[10,10],[0,10]]"),
               0.84);
  /* A broken ring breaks its polygon, wherever it is. */
  result = judge_boxes(&f, "[[[0,0],[10,0],[10,10]],[1,2]]", "[[[0,0],[10,0],[10,10]],[[1,2]]]");
  assert_true(result->unscored);
  assert_misses(&f, result, "boxes (unreadable expected box: a point is not two numbers)");
  result = judge_boxes(&f, "[[[1,2]],[[0,0],[10,0],[10,10]]]", "[[[1,2]],[[0,0],[10,0],[10,10]]]");
  assert_misses(&f, result, "boxes (unreadable expected box: a ring of 1 point)");
  result = judge_boxes(&f, "[0,0,10,0,10,10]", "[[0,0],[10,0],[10,10]]");
  assert_true(result->unscored && !result->vacuous);
  assert_misses(&f, result, "boxes (unreadable expected box: a point is not two numbers)");
  fixture_close(&f);
  /* In a list of boxes a list of points is a polygon, and in other formats a list of rings is a list of polygons. */
  iou_rules(&f, "");
  assert_score(judge_boxes(&f, "[[[0,0],[10,0],[10,10],[0,10]]]", "[[0,0,10,10]]"), 1);
  result = judge_boxes(&f, "[[[0,0],[10,0],[10,10],[0,10]],[[0,0],[2,0],[2,2],[0,2]]]",
                       "[[[0,0],[10,0],[10,5],[0,5]],[[0,0],[2,0],[2,2],[0,2]]]");
  assert_score(result, 0.75);
  assert_hits(&f, result, "boxes[0]; boxes[1]");
  /* Points of two numbers are no boxes of any format: a list of nothing else is one polygon. */
  assert_score(judge_boxes(&f, "[[0,0],[10,0],[10,10]]", "[[0,0,10,10]]"), 0.5);
  result = judge_boxes(&f, "[[0,0],[10,0,10,10]]", "[[0,0,10,10],[10,0,10,10]]");
  assert_misses(&f, result, "boxes[0] (unreadable expected box: not four numbers); boxes[1] (iou 0 below 0.5)");
  fixture_close(&f);
}

static void test_no_list(void **state) {
  (void)state;
  fixture f;
  iou_rules(&f, "");
  const ee_judge_result *result = judge_boxes(&f, "\"here\"", "[[0,0,1,1]]");
  assert_true(result->failed);
  assert_score(result, 0);
  assert_misses(&f, result, "boxes (not a shape or an array of shapes)");
  assert_int_equal(result->attribute_count, 0);
  result = judge_boxes(&f, "[[0,0,1,1],[0,0,2,2]]", "true");
  assert_false(result->failed);
  assert_misses(
      &f, result,
      "boxes (not a shape or an array of shapes in the candidate); boxes[0] (missing item); boxes[1] (missing "
      "item)");
  assert_string_equal(fixture_attributes(&f, result), "iou>=0.5 0 0 0 2");
  result = fixture_judge_case(&f, "{\"boxes\":[[0,0,1,1]]}", NULL);
  assert_false(result->failed);
  assert_score(result, 0);
  assert_misses(&f, result, "candidate (missing); boxes[0] (missing item)");
  assert_reasoning(result, "no candidate document");
  result = fixture_judge_case(&f, "{}", NULL);
  assert_score(result, 0);
  fixture_close(&f);
}

static void test_nothing(void **state) {
  (void)state;
  static const char *const pairings[] = {"index", "greedy", "optimal"};
  for (size_t i = 0; i < 3; i++) {
    char options[100];
    snprintf(options, sizeof options, ",\"match\":\"%s\"", pairings[i]);
    fixture f;
    iou_rules(&f, options);
    const ee_judge_result *result = judge_boxes(&f, "[]", "[]");
    assert_true(result->score == 1 && result->vacuous && result->attribute_count == 0);
    assert_details(&f, result,
                   "{\"metrics\":{\"iou>=0.5\":{\"tp\":0,\"tn\":0,\"fp\":0,\"fn\":0}},\"pairs\":[],\"unmatched_"
                   "expected\":[],\"unmatched_candidate\":[],"
                   "\"vacuous\":true}");
    result = judge_boxes(&f, "null", "\" \"");
    assert_true(result->score == 1 && result->vacuous);
    result = judge_boxes(&f, "[null]", "[]");
    assert_true(result->score == 1 && result->vacuous);
    result = judge_boxes(&f, "[[0,0,1,1]]", "[]");
    assert_true(result->score == 0 && !result->vacuous);
    result = judge_boxes(&f, "[]", "[[0,0,1,1]]");
    assert_true(result->score == 0 && !result->vacuous);
    fixture_close(&f);
  }
}

/* Pairing -------------------------------------------------------------------------------------- */

static void test_index(void **state) {
  (void)state;
  fixture f;
  iou_rules(&f, "");
  const ee_judge_result *result =
      judge_boxes(&f, "[[0,0,10,10],[20,0,30,10],[40,0,50,10]]", "[[0,0,10,8],[40,0,50,10]]");
  assert_score(result, 0.8 / 3);
  assert_hits(&f, result, "boxes[0]");
  assert_misses(&f, result, "boxes[1] (iou 0 below 0.5); boxes[2] (missing item)");
  assert_string_equal(fixture_attributes(&f, result), "iou>=0.5 1 0 1 2");
  result = judge_boxes(&f, "[[0,0,10,10]]", "[[0,0,10,10],[1,1,2,2]]");
  assert_score(result, 0.5);
  assert_misses(&f, result, "boxes[1] (extra item)");
  /* A null keeps its place, and two of them are none. */
  result = judge_boxes(&f, "[null,[0,0,10,10],null]", "[[5,5,6,6],[0,0,10,10],null]");
  assert_score(result, 0.5);
  assert_hits(&f, result, "boxes[1]");
  assert_misses(&f, result, "boxes[0] (extra item)");
  assert_string_equal(fixture_attributes(&f, result), "iou>=0.5 1 0 1 0");
  result = judge_boxes(&f, "[null,[0,0,10,10]]", "[[0,0,10,10]]");
  assert_score(result, 0);
  assert_misses(&f, result, "boxes[1] (missing item); boxes[0] (extra item)");
  fixture_close(&f);
}

/* Shapes without a partner are in the details with their index in the list, where nulls count, too. */
static void test_unmatched(void **state) {
  (void)state;
  fixture f;
  static const char *const methods[] = {"", ",\"match\":\"greedy\"", ",\"match\":\"optimal\""};
  for (size_t i = 0; i < 3; i++) {
    iou_rules(&f, methods[i]);
    const ee_judge_result *result =
        judge_boxes(&f, "[null,[0,0,9,9],null,[20,0,30,9],null]", "[null,[0,0,9,9],[50,0,60,9],null,[70,0,80,9]]");
    ee_buffer_clear(&f.text);
    fixture_write_details(result, &f.text);
    assert_non_null(strstr(ee_buffer_terminate(&f.text),
                           "\"pairs\":[{\"expected\":1,\"candidate\":1,\"overlap\":1}],\"unmatched_expected\":[3],"
                           "\"unmatched_candidate\":[2,4]"));
    fixture_close(&f);
  }
}

static void test_greedy_and_optimal(void **state) {
  (void)state;
  /* Overlaps on a line: e0 = 0..100; c0 = 0..90 (0.9), c1 = 20..100 (0.8); e1 = 0..72: c0 0.8, c1 0.52. */
  static const char expected[] = "[[0,0,100,1],[0,0,72,1]]", candidate[] = "[[0,0,90,1],[20,0,100,1]]";
  fixture f;
  iou_rules(&f, ",\"match\":\"greedy\",\"threshold\":0.6");
  const ee_judge_result *result = judge_boxes(&f, expected, candidate);
  assert_score(result, 0.45);
  assert_hits(&f, result, "boxes[0]");
  assert_misses(&f, result, "boxes[1] (missing item); boxes[1] (extra item)");
  assert_string_equal(fixture_attributes(&f, result), "iou>=0.6 1 0 1 1");
  assert_reasoning(result, "mean iou 0.45, 1/2 found at 0.6, 1 missing, 1 extra");
  fixture_close(&f);
  iou_rules(&f, ",\"match\":\"optimal\",\"threshold\":0.6");
  result = judge_boxes(&f, expected, candidate);
  assert_score(result, 0.8);
  assert_hits(&f, result, "boxes[0]; boxes[1]");
  assert_details(
      &f, result,
      "{\"metrics\":{\"iou>=0.6\":{\"tp\":2,\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":1,\"recall\":1,\"f1\":1}"
      "},\"pairs\":[{\"expected\":0,\"candidate\":1,\"overlap\":0.8},{\"expected\":1,\"candidate\":0,"
      "\"overlap\":0.8}],\"unmatched_expected\":[],\"unmatched_candidate\":[]}");
  fixture_close(&f);
}

/* One pair of 0.95 against two of 0.3 and 0.35: the total prefers the one, the count the two. */
static void test_gate(void **state) {
  (void)state;
  static const char expected[] = "[[0,0,100,1],[65,0,165,1]]";
  static const char candidate[] = "[[0,0,95,1],[-60,0,40,1]]";
  fixture f;
  /* e0: c0 0.95, c1 40/160 = 0.25; e1: c0 30/165 = 0.18, c1 none. */
  iou_rules(&f, ",\"match\":\"optimal\",\"threshold\":0.1");
  const ee_judge_result *result = judge_boxes(&f, expected, candidate);
  assert_score(result, 0.475);
  assert_string_equal(fixture_attributes(&f, result), "iou>=0.1 1 0 1 1");
  fixture_close(&f);
  iou_rules(&f, ",\"match\":\"optimal\",\"threshold\":0.1,\"gate\":\"count\"");
  result = judge_boxes(&f, expected, candidate);
  assert_score(result, (0.25 + 30.0 / 165) / 2);
  assert_string_equal(fixture_attributes(&f, result), "iou>=0.1 2 0 0 0");
  fixture_close(&f);
}

static void test_fallback(void **state) {
  (void)state;
  static const char expected[] = "[[0,0,100,1],[0,0,72,1]]", candidate[] = "[[0,0,90,1],[20,0,100,1]]";
  fixture f;
  iou_rules(&f, ",\"match\":\"optimal\",\"threshold\":0.6,\"max_pairs\":3");
  const ee_judge_result *result = judge_boxes(&f, expected, candidate);
  assert_score(result, 0.8);
  assert_int_equal(result->fallbacks, 0);
  fixture_close(&f);
  static const char *const gates[] = {"total", "count"};
  for (size_t i = 0; i < 2; i++) {
    char options[200];
    snprintf(options, sizeof options, ",\"match\":\"optimal\",\"threshold\":0.6,\"max_pairs\":2,\"gate\":\"%s\"",
             gates[i]);
    iou_rules(&f, options);
    result = judge_boxes(&f, expected, candidate);
    assert_score(result, 0.45);
    assert_reasoning(
        result, "mean iou 0.45, 1/2 found at 0.6, 1 missing, 1 extra; paired by greedy, since optimal would be too "
                "much work");
    assert_int_equal(result->fallbacks, 1);
    ee_buffer_clear(&f.text);
    ee_json_write_value(&f.text, ee_value_member(fixture_details(result, &f.case_arena), EE_STR("fallback"), NULL));
    assert_string_equal(ee_buffer_terminate(&f.text), "\"greedy\"");
    fixture_close(&f);
  }
}

/* Labels, boxes inside items, thresholds ------------------------------------------------------- */

static void test_labels(void **state) {
  (void)state;
  fixture f;
  iou_rules(&f, ",\"match\":\"greedy\",\"label\":\"category\",\"box\":\"bbox\",\"thresholds\":[0.75,0.5]");
  const ee_judge_result *result =
      judge_boxes(&f,
                  "[{\"bbox\":[0,0,10,10],\"category\":\"person\"},{\"bbox\":[0,0,10,10],\"category\":\"dog\"},"
                  "{\"bbox\":[50,50,60,60],\"category\":7}]",
                  "[{\"bbox\":[0,0,10,6],\"category\":\"dog\"},{\"bbox\":[0,0,10,8],\"category\":\"person\"},"
                  "{\"bbox\":[50,50,60,60],\"category\":\"7\"},{\"bbox\":[50,50,60,60]}]");
  /* Labels go by their texts. */
  assert_score(result, (0.8 + 0.6 + 1) / 4);
  assert_hits(&f, result, "boxes[0]; boxes[1]; boxes[2]");
  assert_misses(&f, result, "boxes[3] (extra item)");
  assert_string_equal(fixture_attributes(&f, result),
                      "iou>=0.5 3 0 1 0; iou>=0.75 2 0 2 1; label no label* 0 0 1 0; label 7* 1 0 0 0; label dog* 1 0 "
                      "0 0; label person* 1 0 0 0");
  fixture_close(&f);
  /* By index two labels are an error of each. */
  iou_rules(&f, ",\"label\":\"category\",\"box\":\"bbox\"");
  result = judge_boxes(&f, "[{\"bbox\":[0,0,10,10],\"category\":\"cat\"},{\"bbox\":[0,0,1,1],\"category\":null}]",
                       "[{\"bbox\":[0,0,10,10],\"category\":\"dog\"},{\"bbox\":[0,0,1,1]}]");
  assert_score(result, 0.5);
  assert_misses(&f, result, "boxes[0] (labels differ: cat and dog)");
  assert_string_equal(fixture_attributes(&f, result),
                      "iou>=0.5 1 0 1 1; label no label* 1 0 0 0; label cat* 0 0 0 1; label dog* 0 0 1 0");
  for (size_t i = 0; i < result->attribute_count; i++) assert_int_equal(result->attributes[i].counts.wrong, 0);
  assert_details(
      &f, result,
      "{\"metrics\":{\"iou>=0.5\":{\"tp\":1,\"tn\":0,\"fp\":1,\"fn\":1,\"spurious\":1,\"precision\":0.5,\"recall\":0.5,"
      "\"f1\":0.5,\"derived\":true},\"label no "
      "label\":{\"tp\":1,\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":1,\"recall\":1,"
      "\"f1\":1},\"label cat\":{\"tp\":0,\"tn\":0,\"fp\":0,\"fn\":1,\"recall\":0,\"f1\":0},\"label dog\":{\"tp\":0,"
      "\"tn\":0,\"fp\":1,\"fn\":0,\"spurious\":1,\"precision\":0,\"f1\":0}},\"pairs\":[{\"expected\":0,\"candidate\":0,"
      "\"overlap\":0,"
      "\"label\":\"cat\"},{\"expected\":1,\"candidate\":1,\"overlap\":1}],\"unmatched_expected\":[],"
      "\"unmatched_candidate\":[],\"mismatches\":[{\"path\":\"boxes[0]\",\"field\":\"iou>=0.5\",\"expected\":{\"bbox\":"
      "[0,0,10,10],"
      "\"category\":\"cat\"},\"candidate\":{\"bbox\":[0,0,10,10],\"category\":\"dog\"},\"score\":0,"
      "\"reason\":\"labels differ: cat and dog\",\"class\":\"incorrect\"}]}");
  fixture_close(&f);
  /* The item itself may be the shape and carry its label. */
  iou_rules(&f, ",\"label\":\"kind\",\"match\":\"optimal\"");
  result = judge_boxes(&f, "[{\"format\":\"xywh\",\"coordinates\":[1,1,4,4],\"kind\":true}]",
                       "{\"format\":\"xyxy\",\"coordinates\":[1,1,5,5],\"kind\":true}");
  assert_score(result, 1);
  assert_string_equal(fixture_attributes(&f, result), "iou>=0.5 1 0 0 0; label true* 1 0 0 0");
  fixture_close(&f);
}

/* A label of any type names its attribute: its string, or its JSON with sorted keys. */
static void test_label_types(void **state) {
  (void)state;
  static const char *const labels[][2] = {
      {"\"cat\"", "cat"},
      {"7", "7"},
      {"1.50", "1.5"},
      {"true", "true"},
      {"false", "false"},
      {"null", "no label"},
      {"[]", "[]"},
      {"{\"b\":1,\"a\":[\"x\"]}", "{\"a\":[\"x\"],\"b\":1}"},
      {"[\"a\",2]", "[\"a\",2]"},
  };
  for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
    fixture f;
    iou_rules(&f, ",\"label\":\"category\",\"box\":\"bbox\",\"match\":\"greedy\"");
    char text[200], attributes[200];
    snprintf(text, sizeof text, "[{\"bbox\":[0,0,10,10],\"category\":%s}]", labels[i][0]);
    snprintf(attributes, sizeof attributes, "iou>=0.5 1 0 0 0; label %s* 1 0 0 0", labels[i][1]);
    const ee_judge_result *result = judge_boxes(&f, text, text);
    assert_score(result, 1);
    assert_string_equal(fixture_attributes(&f, result), attributes);
    fixture_close(&f);
  }
}

static void test_bad_items(void **state) {
  (void)state;
  fixture f;
  iou_rules(&f, ",\"box\":\"at.bbox\"");
  const ee_judge_result *result = judge_boxes(
      &f, "[{\"at\":{\"bbox\":[0,0,10,10]}},{\"at\":{}},{\"at\":{\"bbox\":[3,0,1,1]}},[1,2,3,4]]",
      "[{\"at\":{\"bbox\":[0,0,10,10]}},{\"at\":{\"bbox\":[0,0,1,1]}},{\"at\":{\"bbox\":[0,0,1,1]}},{\"at\":{\"bbox\":"
      "[0,0,1,1]}},{\"at\":{\"bbox\":[0,0]}}]");
  assert_score(result, 0.5);
  assert_misses(&f, result,
                "boxes[1] (unreadable expected box: nothing at 'at.bbox'); boxes[2] (unreadable expected box: corners "
                "the wrong way round); boxes[3] (unreadable expected box: nothing at 'at.bbox'); boxes[4] (unreadable "
                "candidate box: not four numbers)");
  assert_string_equal(fixture_attributes(&f, result), "iou>=0.5 1 0 1 0");
  ee_buffer_clear(&f.text);
  ee_json_write_value(&f.text, ee_value_member(fixture_details(result, &f.case_arena), EE_STR("errors"), NULL));
  assert_string_equal(ee_buffer_terminate(&f.text),
                      "[{\"side\":\"expected\",\"index\":1,\"reason\":\"nothing at 'at.bbox'\"},{\"side\":\"expected\","
                      "\"index\":2,\"reason\":\"corners the wrong way round\"},{\"side\":\"expected\",\"index\":3,"
                      "\"reason\":\"nothing at 'at.bbox'\"},{\"side\":\"candidate\",\"index\":4,\"reason\":\"not four "
                      "numbers\"}]");
  /* A single item, too. */
  assert_score(judge_boxes(&f, "{\"at\":{\"bbox\":[0,0,10,10]}}", "{\"at\":{\"bbox\":[0,0,10,9]}}"), 0.9);
  fixture_close(&f);
  /* What cannot be read pairs with nothing. */
  iou_rules(&f, ",\"match\":\"optimal\"");
  result = judge_boxes(&f, "[[3,0,1,1],[0,0,2,2]]", "[[0,0,2,2],[3,0,1,1]]");
  assert_score(result, 1); /* the bad candidate shares the place of the bad expected one */
  assert_hits(&f, result, "boxes[1]");
  assert_misses(&f, result,
                "boxes[0] (unreadable expected box: corners the wrong way round); boxes[1] (unreadable candidate box: "
                "corners the wrong way round)");
  fixture_close(&f);
}

static void test_raw(void **state) {
  (void)state;
  fixture f;
  iou_rules(&f, ",\"metric\":\"giou\"");
  const ee_judge_result *result = judge_boxes(&f, "[0,0,10,10]", "[30,0,40,10]");
  assert_score(result, 0);
  assert_misses(&f, result, "boxes (giou -0.5 below 0.5)");
  assert_details(
      &f, result,
      "{\"metrics\":{\"giou>=0.5\":{\"tp\":0,\"tn\":0,\"fp\":1,\"fn\":1,\"incorrect\":1,\"precision\":0,\"recall\":0,"
      "\"f1\":0}},"
      "\"pairs\":[{\"expected\":0,\"candidate\":0,\"overlap\":0,\"raw\":-0.5}],\"unmatched_expected\":[],"
      "\"unmatched_candidate\":[],\"mismatches\":[{\"path\":\"boxes\",\"field\":\"giou>=0.5\",\"expected\":[0,0,10,10],"
      "\"candidate\":[30,0,40,10],\"score\":0,\"reason\":\"giou -0.5 below 0.5\",\"class\":\"incorrect\"}]}");
  fixture_close(&f);
}

/* Aggregates ----------------------------------------------------------------------------------- */

static void test_aggregates(void **state) {
  (void)state;
  static const char expected[] = "[{\"b\":[0,0,10,10],\"w\":3},{\"b\":[0,0,10,10]},{\"b\":[0,0,10,10],\"w\":0}]";
  static const char candidate[] = "[{\"b\":[0,0,10,9]},{\"b\":[0,0,10,5]},{\"b\":[0,0,10,2]},{\"b\":[9,9,10,10]}]";
  static const struct {
    const char *options;
    double score;
  } rows[] = {
      {"", (0.9 + 0.5 + 0.2) / 4},
      {",\"aggregate\":\"median\"", 0.35},
      {",\"aggregate\":\"min\"", 0},
      {",\"aggregate\":\"weighted_mean\",\"weight\":\"w\"", (3 * 0.9 + 0.5) / 5},
      {",\"weight\":\"w\"", (3 * 0.9 + 0.5) / 5},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fixture f;
    char options[200];
    snprintf(options, sizeof options, ",\"box\":\"b\"%s", rows[i].options);
    iou_rules(&f, options);
    assert_score(judge_boxes(&f, expected, candidate), rows[i].score);
    fixture_close(&f);
  }
  fixture f;
  iou_rules(&f, ",\"aggregate\":\"median\"");
  assert_score(judge_boxes(&f, "[[0,0,10,10],[0,0,10,10],[0,0,10,10]]", "[[0,0,10,9],[0,0,10,2],[0,0,10,5]]"), 0.5);
  fixture_close(&f);
  /* An item left alone on either side: together one place of the longer list, with the expected item's weight. Only
   * what is longer in the candidate weighs 1 each. */
  iou_rules(&f, ",\"box\":\"b\",\"weight\":\"w\",\"match\":\"greedy\"");
  static const char two[] = "[{\"b\":[0,0,10,10],\"w\":3},{\"b\":[50,0,60,10],\"w\":2}]";
  assert_score(judge_boxes(&f, two, "[{\"b\":[0,0,10,9]},{\"b\":[70,0,80,10]}]"), 3 * 0.9 / 5);
  assert_score(judge_boxes(&f, two, "[{\"b\":[0,0,10,9]},{\"b\":[70,0,80,10]},{\"b\":[90,0,95,10]}]"), 3 * 0.9 / 6);
  fixture_close(&f);
}

static void test_weights(void **state) {
  (void)state;
  fixture f;
  iou_rules(&f, ",\"box\":\"b\",\"weight\":\"w\"");
  const ee_judge_result *result =
      judge_boxes(&f, "[{\"b\":[0,0,10,10],\"w\":-2},{\"b\":[0,0,10,10],\"w\":\"much\"},{\"b\":[0,0,10,10],\"w\":2}]",
                  "[{\"b\":[0,0,10,10]},{\"b\":[0,0,10,5]},{\"b\":[0,0,10,1]}]");
  assert_score(result, (1 + 0.5 + 0.2) / 4);
  assert_misses(&f, result,
                "boxes[0].w (weight is not a non-negative number; using 1); boxes[1].w (weight is not a "
                "non-negative number; using 1); boxes[2] (iou 0.1 below 0.5)");
  ee_buffer_clear(&f.text);
  fixture_write_details(result, &f.text);
  assert_non_null(
      strstr(ee_buffer_terminate(&f.text),
             "\"errors\":[{\"side\":\"expected\",\"index\":0,\"reason\":\"the weight is not a non-negative number\"},"
             "{\"side\":\"expected\",\"index\":1,\"reason\":\"the weight is not a non-negative number\"}]"));
  assert_score(judge_boxes(&f, "[{\"b\":[0,0,10,10],\"w\":1e308},{\"b\":[0,0,10,10],\"w\":1e308}]",
                           "[{\"b\":[0,0,10,10]},{\"b\":[0,0,10,5]}]"),
               0.75);
  assert_true(f.plan->judges[0]->weight == 1);
  /* Where nothing weighs anything, as in ee.fields. */
  result = judge_boxes(&f, "{\"b\":[0,0,10,10],\"w\":0}", "{\"b\":[0,0,10,9]}");
  assert_true(result->score == 1 && result->vacuous);
  result = judge_boxes(&f, "{\"b\":[0,0,10,10],\"w\":0}", "{\"b\":[0,0,10,1]}");
  assert_true(result->score == 0 && !result->vacuous);
  fixture_close(&f);
  /* A number is the judge's own weight, as everywhere. */
  iou_rules(&f, ",\"box\":\"b\",\"weight\":2,\"item_weight\":\"w\"");
  assert_true(f.plan->judges[0]->weight == 2);
  assert_score(judge_boxes(&f, "[{\"b\":[0,0,10,10],\"w\":3},{\"b\":[0,0,10,10]}]", "[{\"b\":[0,0,10,10]}]"), 0.75);
  fixture_close(&f);
  iou_rules(&f, ",\"weight\":2");
  assert_true(f.plan->judges[0]->weight == 2);
  fixture_close(&f);
}

/* Loading and printing ------------------------------------------------------------------------- */

#define RULES(options) "{\"ee\":\"rules\",\"items\":[{\"ee\":\"iou_score\",\"line\":3" options "}]}"

static void test_mistakes(void **state) {
  (void)state;
  check_mistakes(RULES(",\"items\":[\"boxes\"],\"threshold\":0"),
                 "3: a threshold of ee.iou_score is 0, which shapes that do not overlap reach too");
  check_mistakes(RULES(",\"items\":[\"boxes\"],\"thresholds\":[0.5,0,0.5]"),
                 "3: a threshold of ee.iou_score is 0, which shapes that do not overlap reach too",
                 "3: thresholds of ee.iou_score has 0.5 twice");
  check_mistakes(RULES(",\"items\":[\"boxes\"],\"thresholds\":[0.5,2]"),
                 "3: option 'thresholds' of ee.iou_score must be between 0 and 1, got 2");
  check_mistakes(RULES(",\"items\":[\"boxes\"],\"thresholds\":[]"),
                 "3: option 'thresholds' of ee.iou_score must be a non-empty array of numbers");
  check_mistakes(RULES(",\"items\":[\"boxes\"],\"thresholds\":0.5"),
                 "3: option 'thresholds' of ee.iou_score must be an array of numbers, got a number");
  check_mistakes(RULES(",\"items\":[\"boxes\"],\"thresholds\":[\"0.5\"]"),
                 "3: option 'thresholds' of ee.iou_score must be an array of numbers, but item 1 is a string");
  check_mistakes(RULES(",\"items\":[\"boxes\"],\"threshold\":0.5,\"thresholds\":[0.75]"),
                 "3: ee.iou_score has both 'threshold' and 'thresholds'");
  check_mistakes(RULES(",\"items\":[\"boxes\"],\"aggregate\":\"weighted_mean\""),
                 "3: aggregate = \"weighted_mean\" of ee.iou_score needs option 'item_weight'");
  check_mistakes(RULES(",\"items\":[\"boxes\"],\"aggregate\":\"min\",\"weight\":\"w\""),
                 "3: weights of items belong to aggregate = \"weighted_mean\" of ee.iou_score, not to \"min\"");
  check_mistakes(RULES(",\"items\":[\"boxes\"],\"item_weight\":\"v\",\"weight\":\"w\""),
                 "3: ee.iou_score has both 'item_weight' and a path as 'weight', which are the same option");
  check_mistakes(RULES(",\"items\":[\"boxes\"],\"weight\":-1"),
                 "3: option 'weight' of ee.iou_score must be at least 0, got -1");
  check_mistakes(RULES(",\"items\":[\"boxes\"],\"weight\":true"),
                 "3: option 'weight' of ee.iou_score must be a number or a path (a string), got a boolean");
  check_mistakes(RULES(",\"items\":[7]"), "3: ee.iou_score takes a path (a string) as its first value, got a number");
  check_mistakes(RULES(",\"items\":[\"boxes\",{\"ee\":\"exact\",\"items\":[\"a\"]}]"),
                 "3: ee.iou_score takes one path, but ee.exact follows it");
  check_mistakes(RULES(",\"items\":[\"a[*].b\"],\"label\":\"c[*]\""),
                 "3: ee.iou_score: path 'a[*].b' has a [*], which only ee.fields takes",
                 "3: ee.iou_score: path 'c[*]' has a [*], which only ee.fields takes");
  check_mistakes(RULES(",\"items\":[\"boxes\"],\"box\":\"a..b\""),
                 "3: bad path in option 'box' of ee.iou_score: empty step in path 'a..b'");
  check_mistakes(RULES(",\"items\":[\"boxes\"],\"max_pairs\":0"),
                 "3: option 'max_pairs' of ee.iou_score must be between 1 and 1000000000000000, got 0");
  check_mistakes(RULES(",\"items\":[\"boxes\"],\"metric\":\"diou\",\"format\":\"oriented\""),
                 "3: metric \"diou\" compares boxes: format \"oriented\" needs polygon = \"bbox\"");
}

static void assert_printed(const char *rules, const char *expected) {
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, rules);
  ee_buffer_clear(&f.text);
  const ee_judge *judge = f.plan->judges[0];
  assert_false(judge->calls_script || judge->uses_provider);
  judge->type->print(judge, &f.text);
  assert_string_equal(ee_buffer_terminate(&f.text), expected);
  fixture_close(&f);
}

static void test_print(void **state) {
  (void)state;
  assert_printed(RULES(""), "  shapes document\n  read as xyxy, iou\n  match index, threshold 0.5\n  score mean\n");
  assert_printed(
      RULES(",\"items\":[\"a.b\"],\"candidate\":\"c\",\"format\":\"oriented\",\"angle\":\"radians\","
            "\"match\":\"optimal\",\"gate\":\"count\",\"thresholds\":[0.75,0.5],\"label\":\"l\",\"box\":"
            "\"x.y\",\"weight\":\"w\",\"max_pairs\":1000,\"fill\":\"non_zero\""),
      "  shapes a.b, in the candidate c\n  read as oriented, iou, angle in radians x_to_y, fill non_zero, box "
      "x.y, label l\n  match optimal, gate count, up to 1000 pairs, threshold 0.5, 0.75\n  score "
      "weighted_mean by w\n");
  assert_printed(RULES(",\"items\":[\"a\"],\"format\":\"polygon\",\"polygon\":\"bbox\",\"metric\":\"giou\",\"match\":"
                       "\"greedy\",\"aggregate\":\"median\""),
                 "  shapes a\n  read as polygon, giou, polygons by their bounding boxes\n  match greedy, threshold "
                 "0.5\n  score median\n");
}

static void test_paths(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, RULES(",\"items\":[\"a.boxes\"],\"candidate\":\"b\""));
  const ee_judge_result *result =
      fixture_judge_case(&f, "{\"a\":{\"boxes\":[[0,0,1,1]]}}", "{\"b\":[[0,0,1,1],[2,2,3,3]]}");
  assert_score(result, 0.5);
  assert_hits(&f, result, "a.boxes[0]");
  assert_misses(&f, result, "b[1] (extra item)");
  fixture_close(&f);
  fixture_open(&f);
  fixture_rules(&f, RULES(""));
  result = fixture_judge_case(&f, "[[0,0,1,1],[2,2,3,3]]", "[[0,0,1,1]]");
  assert_score(result, 0.5);
  assert_misses(&f, result, "document[1] (missing item)");
  fixture_close(&f);
}

/* A run warns of labels and weights that no item has. */
static void test_wanted(void **state) {
  (void)state;
  static const struct {
    const char *options, *wanted, *found;
  } rows[] = {{"", "", ""},
              {",\"label\":\"l\"", "l", "1"},
              {",\"weight\":\"w\"", "w", "0"},
              {",\"label\":\"k\",\"weight\":\"m\"", "km", "01"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fixture f;
    char options[128];
    snprintf(options, sizeof options, ",\"box\":\"b\"%s", rows[i].options);
    iou_rules(&f, options);
    const ee_judge_result *result = judge_boxes(&f, "[{\"b\":[0,0,1,1],\"m\":2}]", "[{\"b\":[0,0,1,1],\"l\":\"x\"}]");
    const ee_judge *judge = f.plan->judges[0];
    assert_int_equal(judge->expected_path_count, strlen(rows[i].wanted));
    for (size_t k = 0; k < judge->expected_path_count; k++) {
      assert_true(judge->expected_paths[k].name.length == 1 &&
                  judge->expected_paths[k].name.data[0] == rows[i].wanted[k]);
      assert_int_equal(result->found[k], rows[i].found[k] == '1');
    }
    fixture_close(&f);
  }
}

/* Gates may name a threshold, and with labels any label. */
static void test_gates(void **state) {
  (void)state;
  static const char rules[] =
      "{\"ee\":\"rules\",\"items\":[{\"ee\":\"iou_score\",\"items\":[\"boxes\"]%s},{\"ee\":\"gate\",\"line\":4,"
      "\"judge\":\"iou_score\",\"field\":\"%s\",\"metric\":\"f1\",\"min\":0.5}]}";
  char text[512];
  fixture f;
  fixture_open(&f);
  snprintf(text, sizeof text, rules, "", "iou>=0.5");
  fixture_rules(&f, text);
  fixture_close(&f);
  fixture_open(&f);
  snprintf(text, sizeof text, rules, ",\"label\":\"category\"", "label person");
  fixture_rules(&f, text);
  fixture_close(&f);
  snprintf(text, sizeof text, rules, "", "iou>=0.75");
  check_mistakes(text, "4: ee.gate: unknown field 'iou>=0.75' of judge 'iou_score' (did you mean 'iou>=0.5'?)");
}

/* Details show at most 50 of a kind. */
static void test_bounds(void **state) {
  (void)state;
  fixture f;
  iou_rules(&f, ",\"label\":\"l\",\"box\":\"b\"");
  ee_buffer text;
  ee_buffer_init(&text);
  ee_buffer_add_text(&text, "{\"boxes\":[");
  for (int i = 0; i < 60; i++) ee_buffer_addf(&text, "%s{\"b\":[0,0,1,%d],\"l\":%d}", i > 0 ? "," : "", i % 2 - 1, i);
  ee_buffer_add_text(&text, "]}");
  const char *document = ee_buffer_terminate(&text);
  const ee_judge_result *result = fixture_judge_case(&f, document, document);
  assert_int_equal(result->attribute_count, 61);
  const ee_value *metrics = ee_value_member(fixture_details(result, &f.case_arena), EE_STR("metrics"), NULL);
  assert_int_equal(ee_value_count(metrics), 61); /* rows have to add up to the totals of the run */
  static const char *const lists[] = {"pairs", "errors"};
  for (size_t i = 0; i < 2; i++) {
    const ee_value *list = ee_value_member(fixture_details(result, &f.case_arena), ee_str_from(lists[i]), NULL);
    assert_int_equal(ee_value_count(list), 50);
  }
  assert_int_equal(ee_type_of(ee_value_member(fixture_details(result, &f.case_arena), EE_STR("truncated"), NULL)),
                   EE_TRUE);
  ee_buffer_fini(&text);
  fixture_close(&f);
}

/* Lists of what has no partner are as long as the others at most. */
static void test_bounds_of_unmatched(void **state) {
  (void)state;
  for (int count = 50; count <= 51; count++) {
    fixture f;
    iou_rules(&f, "");
    ee_buffer text;
    ee_buffer_init(&text);
    ee_buffer_add_text(&text, "{\"boxes\":[");
    for (int i = 0; i < count; i++) ee_buffer_addf(&text, "%s[0,0,1,1]", i > 0 ? "," : "");
    ee_buffer_add_text(&text, "]}");
    const char *full = ee_buffer_terminate(&text), *empty = "{\"boxes\":[]}";
    for (int side = 0; side < 2; side++) {
      const ee_judge_result *result = fixture_judge_case(&f, side == 0 ? full : empty, side == 0 ? empty : full);
      const ee_value *details = fixture_details(result, &f.case_arena);
      const ee_value *lists[] = {ee_value_member(details, EE_STR("unmatched_expected"), NULL),
                                 ee_value_member(details, EE_STR("unmatched_candidate"), NULL)};
      assert_int_equal(ee_value_count(lists[side]), 50);
      assert_int_equal(ee_value_count(lists[1 - side]), 0);
      assert_true(ee_value_number(ee_value_child(lists[side])) == 0);
    }
    ee_buffer_fini(&text);
    fixture_close(&f);
  }
}

/* A pairing that would hold too many pairs is refused, not run. */
static void test_too_many(void **state) {
  (void)state;
  fixture f;
  iou_rules(&f, ",\"match\":\"greedy\"");
  ee_iou_score small = *(const ee_iou_score *)f.plan->judges[0]->data;
  small.matcher.pair_limit = 3;
  ee_judge judge = *f.plan->judges[0];
  judge.data = &small;
  const ee_judge *judges[] = {&judge};
  f.plan->judges = judges;
  const ee_judge_result *result = judge_boxes(&f, "[[0,0,1,1],[0,0,1,1]]", "[[0,0,1,1],[0,0,1,1]]");
  assert_true(result->failed && result->score == 0);
  assert_misses(&f, result,
                "boxes (too many shapes: more than 3 pairs); boxes[0] (missing item); boxes[1] (missing "
                "item); boxes[0] (extra item); boxes[1] (extra item)");
  assert_score(judge_boxes(&f, "[[0,0,1,1],[0,0,1,1]]", "[[0,0,1,1]]"), 0.5);
  /* Those that are looked at and do not meet count too. */
  small.matcher.look_limit = 3;
  result = judge_boxes(&f, "[[0,0,1,1],[0,5,1,6]]", "[[0,0,1,1],[0,9,1,10]]");
  assert_true(result->failed && result->score == 0 && result->attributes[0].counts.tp == 0);
  small.matcher.look_limit = 4;
  assert_score(judge_boxes(&f, "[[0,0,1,1],[0,5,1,6]]", "[[0,0,1,1],[0,9,1,10]]"), 0.5);
  /* So does the work for polygons, also where nothing has to be found. */
  static const char arrows[] = "[[[0,0],[8,0],[4,2],[4,9]],[[0,0],[8,0],[4,4],[4,9]]]";
  static const char others[] = "[[[0,0],[8,0],[4,3],[4,9]],[[0,0],[8,0],[4,4],[4,9]]]";
  small.matcher.pair_limit = 4;
  for (ee_pairing pairing = EE_PAIRING_INDEX; pairing <= EE_PAIRING_OPTIMAL; pairing++) {
    small.matcher.pairing = pairing;
    small.matcher.steps = EE_SHAPE_STEPS;
    result = judge_boxes(&f, arrows, others);
    assert_true(!result->failed && result->attributes[0].counts.tp == 2);
    small.matcher.steps = 30;
    result = judge_boxes(&f, arrows, others);
    assert_true(result->failed && result->score == 0 && result->attributes[0].counts.fn == 2);
    assert_string_equal(fixture_attributes(&f, result), "iou>=0.5 0 0 2 2");
  }
  fixture_close(&f);
}

/* In full detail the score has its formula, also where it is low. */
static void test_formula(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  f.detail = EE_DETAIL_FULL;
  fixture_rules(&f, "{\"ee\":\"rules\",\"items\":[{\"ee\":\"iou_score\",\"items\":[\"b\"]}]}");
  const ee_judge_result *result = fixture_judge_case(&f, "{\"b\":[[0,0,4,2],[10,10,12,12]]}", "{\"b\":[[0,0,4,1]]}");
  char text[128];
  snprintf(text, sizeof text, "%.*s", EE_STR_ARG(result->formula));
  assert_true(result->score == 0.25);
  assert_string_equal(text, "(0.5 + 0)/2 = 0.25");
  fixture_close(&f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_single), cmocka_unit_test(test_polygons), cmocka_unit_test(test_no_list),
             cmocka_unit_test(test_nothing), cmocka_unit_test(test_index), cmocka_unit_test(test_unmatched),
             cmocka_unit_test(test_greedy_and_optimal), cmocka_unit_test(test_gate), cmocka_unit_test(test_fallback),
             cmocka_unit_test(test_labels), cmocka_unit_test(test_label_types), cmocka_unit_test(test_bad_items),
             cmocka_unit_test(test_raw), cmocka_unit_test(test_aggregates), cmocka_unit_test(test_weights),
             cmocka_unit_test(test_mistakes), cmocka_unit_test(test_print), cmocka_unit_test(test_paths),
             cmocka_unit_test(test_wanted), cmocka_unit_test(test_gates), cmocka_unit_test(test_bounds),
             cmocka_unit_test(test_bounds_of_unmatched), cmocka_unit_test(test_too_many),
             cmocka_unit_test(test_formula));
