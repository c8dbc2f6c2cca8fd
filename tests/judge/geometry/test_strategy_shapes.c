/* test_strategy_shapes.c: the strategies iou and distance. */
#include "judge/strategy/strategy_fixture.h"

#include <math.h>

#include "judge/geometry/shape.h"

static void check_graded(fixture *f, const ee_strategy *strategy, const char *expected, const char *candidate,
                         double score, bool matched, const char *reason) {
  ee_comparison result = compare(f, strategy, expected, candidate);
  assert_reason(&result.reason, reason);
  if (fabs(result.score - score) > 1e-15) fail_msg("%s %s: %.17g", expected, candidate, result.score);
  assert_true(result.similarity == result.score);
  assert_int_equal(result.matched, matched);
  assert_false(result.failed);
}

static void test_iou(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_strategy *strategy = compile(&f, node(&f, "iou", ITEMS(T("box")), NONE));
  assert_true(strategy->threshold == 0.5 && strategy->graded);
  assert_false(ee_strategy_calls_script(strategy) || ee_strategy_uses_provider(strategy));
  check_graded(&f, strategy, "[0,0,10,10]", "[0,0,10,10]", 1, true, "");
  check_graded(&f, strategy, "[0,0,10,10]", "[0,0,10,5]", 0.5, true, "");
  check_graded(&f, strategy, "[0,0,10,10]", "[0,0,10,3.1]", 0.31, false, "iou 0.31 below 0.5");
  check_graded(&f, strategy, "[0,0,10,10]", "[20,20,30,30]", 0, false, "iou 0 below 0.5");
  check_graded(&f, strategy, "[0,0,10,10]", "{\"format\":\"xywh\",\"coordinates\":[0,0,10,8]}", 0.8, true, "");
  check_graded(&f, strategy, "[[0,0],[10,0],[10,10],[0,10]]", "[0,0,10,10]", 1, true, "");
  /* A box without an area is valid and matches nothing. */
  check_graded(&f, strategy, "[1,1,1,1]", "[1,1,1,1]", 0, false, "iou 0 below 0.5");
  check_failed(&f, strategy, "[10,0,0,10]", "[0,0,10,10]", "unreadable expected box: corners the wrong way round");
  check_failed(&f, strategy, "[0,0,10,10]", "[0,0,10]", "unreadable candidate box: not four numbers");
  check_failed(&f, strategy, "[10,0,0,10]", "[0,0,10]", "unreadable expected box: corners the wrong way round");
  /* Equal values match only as shapes. */
  check_failed(&f, strategy, "\"box\"", "\"box\"", "unreadable expected box: not an array of numbers");
  check_failed(&f, strategy, "[5,5,1,1]", "[5,5,1,1]", "unreadable expected box: corners the wrong way round");
  fixture_close(&f);
}

/* What the polygons of a judge may cost together. */
static void test_iou_steps(void **state) {
  (void)state;
  static const char arrow[] = "[[0,0],[8,0],[4,2],[4,9]]", other[] = "[[0,0],[8,0],[4,3],[4,9]]";
  fixture f;
  fixture_open(&f);
  const ee_strategy *strategy = compile(&f, node(&f, "iou", ITEMS(T("box")), OPTIONS(O("score", T("match")))));
  check_match(&f, strategy, arrow, other);
  uint64_t spent = f.context.polygon_steps;
  assert_true(spent > 0);
  f.context.polygon_steps = EE_SHAPE_STEPS - spent;
  check_match(&f, strategy, arrow, other);
  check_failed(&f, strategy, arrow, other, "the edges of polygons cross too often");
  assert_true(f.context.polygon_steps == EE_SHAPE_STEPS);
  check_match(&f, strategy, "[0,0,1,1]", "[0,0,1,1]");
  fixture_close(&f);
}

static void test_iou_options(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_strategy *strategy =
      compile(&f, node(&f, "iou", ITEMS(T("box")), OPTIONS(O("score", T("match")), O("threshold", N(0.3)))));
  check_match(&f, strategy, "[0,0,10,10]", "[0,0,10,3.1]");
  ee_comparison result = compare(&f, strategy, "[0,0,10,10]", "[0,0,10,2]");
  assert_true(result.score == 0 && result.similarity == 0.2 && !result.matched);
  assert_reason(&result.reason, "iou 0.2 below 0.3");
  strategy = compile(&f, node(&f, "iou", ITEMS(T("box")), OPTIONS(O("metric", T("giou")))));
  result = compare(&f, strategy, "[0,0,10,10]", "[20,20,30,30]");
  assert_true(result.score == 0 && result.similarity == 0);
  /* The reason tells what the figure was before it was cut off. */
  assert_reason(&result.reason, "giou -0.777778 below 0.5");
  strategy = compile(&f, node(&f, "iou", ITEMS(T("box")),
                              OPTIONS(O("format", T("oriented")), O("metric", T("ciou")), O("polygon", T("bbox")))));
  check_graded(&f, strategy, "[0,0,10,4,90]", "[0,0,4,10,0]", 1, true, "");
  strategy = compile(&f, node(&f, "iou", ITEMS(T("box")), OPTIONS(O("threshold", N(0.01)))));
  check_graded(&f, strategy, "[0,0,1,1]", "[5,5,6,6]", 0, false, "iou 0 below 0.01");
  fixture_close(&f);
}

static void test_distance(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_strategy *strategy = compile(&f, node(&f, "distance", ITEMS(T("p")), OPTIONS(O("threshold", N(2)))));
  assert_false(strategy->graded);
  check_match(&f, strategy, "[0,0]", "[0,2]");
  check_match(&f, strategy, "[1,2,3]", "[1,2,3]");
  check_compare(&f, strategy, "[0,0]", "[3.2,0]", "distance 3.2 above 2");
  assert_false(compare(&f, strategy, "[0,0]", "[3.2,0]").failed);
  check_failed(&f, strategy, "[1,2,3]", "[1,2]", "dimensions differ: 3 and 2");
  check_failed(&f, strategy, "[]", "[1]", "unreadable expected point: an empty array");
  check_failed(&f, strategy, "[1]", "7", "unreadable candidate point: not an array of numbers");
  check_failed(&f, strategy, "\"x\"", "\"x\"", "unreadable expected point: not an array of numbers");
  check_compare(&f, strategy, "[1e308,-1e308]", "[-1e308,1e308]", "distance 1.79769e+308 above 2");
  strategy = compile(&f, node(&f, "distance", ITEMS(T("p")),
                              OPTIONS(O("threshold", N(2)), O("score", T("linear")), O("metric", T("manhattan")))));
  check_graded(&f, strategy, "[0,0]", "[1,1]", 1, true, "");
  check_graded(&f, strategy, "[0,0]", "[1,2]", 0.5, false, "distance 3 above 2");
  check_graded(&f, strategy, "[0,0]", "[9,9]", 0, false, "distance 18 above 2");
  strategy = compile(&f, node(&f, "distance", ITEMS(T("p")),
                              OPTIONS(O("threshold", N(0)), O("score", T("linear")), O("metric", T("cosine")))));
  check_match(&f, strategy, "[1,2,3]", "[1,2,3]");
  check_match(&f, strategy, "[1,2]", "[10,20]");
  check_graded(&f, strategy, "[1,0]", "[0,1]", 0, false, "distance 1 above 0");
  check_graded(&f, strategy, "[0,0]", "[0,0]", 0, false, "distance 1 above 0");
  fixture_close(&f);
}

static void test_mistakes(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  check_strategy_errors(&f, node(&f, "distance", ITEMS(T("p")), NONE), "ee.distance needs option 'threshold'");
  check_strategy_errors(&f, node(&f, "distance", ITEMS(T("p")), OPTIONS(O("threshold", N(-1)))),
                        "option 'threshold' of ee.distance must be at least 0, got -1");
  check_strategy_errors(&f, node(&f, "distance", ITEMS(T("p")), OPTIONS(O("threshold", N(INFINITY)))),
                        "option 'threshold' of ee.distance must be at least 0, got infinity");
  compile(&f, node(&f, "distance", ITEMS(T("p")), OPTIONS(O("threshold", N(500)))));
  check_strategy_errors(&f, node(&f, "iou", ITEMS(T("p")), OPTIONS(O("threshold", N(2)))),
                        "option 'threshold' of ee.iou must be between 0 and 1, got 2");
  check_strategy_errors(&f, node(&f, "iou", ITEMS(T("p")), OPTIONS(O("format", T("xyhw")))),
                        "option 'format' of ee.iou must be one of 'xyxy', 'xywh', 'cxcywh', 'polygon', 'oriented', got "
                        "'xyhw' (did you mean 'xywh'?)");
  check_strategy_errors(&f, node(&f, "iou", ITEMS(T("p")), OPTIONS(O("format", T("polygon")), O("metric", T("giou")))),
                        "metric \"giou\" compares boxes: format \"polygon\" needs polygon = \"bbox\"");
  check_strategy_errors(&f, node(&f, "iou", ITEMS(T("p"), T("q")), NONE),
                        "ee.iou takes one path, but a string follows it");
  fixture_close(&f);
}

/* Line items compare many pairs in one case: what a comparison made must go with it. */
static void test_memory(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_strategy *strategy = compile(&f, node(&f, "iou", ITEMS(T("box")), NONE));
  const ee_value *polygon = json(&f, "[[0,0],[10,0],[5,5],[10,10],[0,10]]"), *broken = json(&f, "[[0,0],[1,1]]");
  ee_script_place place = {.path = EE_STR("p")};
  ee_comparison result;
  ee_strategy_compare(strategy, &f.context, polygon, polygon, &place, &result);
  size_t held = ee_arena_held(&f.case_arena);
  for (size_t i = 0; i < 20000; i++) {
    ee_strategy_compare(strategy, &f.context, polygon, i % 2 == 0 ? polygon : broken, &place, &result);
    assert_int_equal(result.matched, i % 2 == 0);
  }
  assert_reason(&result.reason, "unreadable candidate box: a polygon of 2 points");
  assert_int_equal(ee_arena_held(&f.case_arena), held);
  fixture_close(&f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_iou), cmocka_unit_test(test_iou_options),
             cmocka_unit_test(test_iou_steps), cmocka_unit_test(test_distance), cmocka_unit_test(test_mistakes),
             cmocka_unit_test(test_memory));
