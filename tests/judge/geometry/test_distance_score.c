/* test_distance_score.c: every rule of ee.distance_score on small cases, and a slow twin on random ones. */
#include "judge/geometry/geometry_fixture.h"

#include <math.h>

#include "support/random.h"

static void distance_rules(fixture *f, const char *options) { geometry_rules(f, "distance_score", "at", options); }

static const ee_judge_result *judge_points(fixture *f, const char *expected, const char *candidate) {
  return judge_lists_at(f, "at", expected, candidate);
}

static void test_point(void **state) {
  (void)state;
  fixture f;
  distance_rules(&f, ",\"threshold\":2");
  const ee_judge_result *result = judge_points(&f, "[0,0,0]", "[0,2,0]");
  assert_score(result, 1);
  assert_hits(&f, result, "at");
  assert_string_equal(fixture_attributes(&f, result), "euclidean<=2 1 0 0 0");
  assert_reasoning(result, "1/1 points within 2, 0 missing, 0 extra");
  assert_details(&f, result,
                 "{\"metrics\":{\"euclidean<=2\":{\"tp\":1,\"tn\":0,\"fp\":0,\"fn\":0,\"precision\":1,\"recall\":1,"
                 "\"f1\":1}},\"pairs\":[{\"index\":0,\"distance\":2,\"score\":1}]}");
  result = judge_points(&f, "[0,0,0]", "[0,3.2,0]");
  assert_score(result, 0);
  assert_misses(&f, result, "at (distance 3.2 above 2)");
  assert_string_equal(fixture_attributes(&f, result), "euclidean<=2 0 0 1 1");
  assert_int_equal(result->attributes[0].counts.wrong, 1);
  result = judge_points(&f, "[1,2,3]", "[1,2]");
  assert_score(result, 0);
  assert_misses(&f, result, "at (dimensions differ: 3 and 2)");
  assert_details(
      &f, result,
      "{\"metrics\":{\"euclidean<=2\":{\"tp\":0,\"tn\":0,\"fp\":1,\"fn\":1,\"incorrect\":1,\"precision\":0,\"recall\":"
      "0,\"f1\":0}},"
      "\"pairs\":[],\"errors\":[{\"index\":0,\"reason\":\"dimensions "
      "differ\"}],\"mismatches\":[{\"path\":\"at\",\"field\":\"euclidean<=2\","
      "\"expected\":[1,2,3],\"candidate\":[1,2],\"score\":0,\"reason\":\"dimensions differ: 3 and 2\","
      "\"class\":\"incorrect\"}]}");
  result = judge_points(&f, "[1,2]", "[1,\"2\"]");
  assert_misses(&f, result, "at (unreadable candidate point: not an array of numbers)");
  assert_details(
      &f, result,
      "{\"metrics\":{\"euclidean<=2\":{\"tp\":0,\"tn\":0,\"fp\":1,\"fn\":1,\"incorrect\":1,\"unread_candidates\":1,"
      "\"precision\":0,"
      "\"recall\":0,\"f1\":0}},"
      "\"pairs\":[],\"errors\":[{\"index\":0,\"side\":\"candidate\",\"reason\":\"not an array of numbers\"}],"
      "\"mismatches\":[{\"path\":\"at\",\"field\":\"euclidean<=2\",\"expected\":[1,2],\"candidate\":[1,\"2\"],"
      "\"score\":0,"
      "\"reason\":\"unreadable candidate point: not an array of numbers\",\"class\":\"incorrect\"}],"
      "\"unread\":[{\"path\":\"at\",\"field\":\"euclidean<=2\",\"document\":\"candidate\",\"value\":[1,\"2\"],"
      "\"strategy\":\"distance\",\"reason\":\"not an array of numbers\",\"remedies\":[]}]}");
  result = judge_points(&f, "[1,2]", "null");
  assert_misses(&f, result, "at (missing item)");
  assert_string_equal(fixture_attributes(&f, result), "euclidean<=2 0 0 0 1");
  result = judge_points(&f, "null", "[1,2]");
  assert_misses(&f, result, "at (extra item)");
  assert_reasoning(result, "0/0 points within 2, 0 missing, 1 extra");
  fixture_close(&f);
}

static void test_lists(void **state) {
  (void)state;
  fixture f;
  distance_rules(&f, ",\"threshold\":1,\"score\":\"linear\",\"metric\":\"manhattan\"");
  const ee_judge_result *result = judge_points(&f, "[[0,0],[5,5],[9,9]]", "[[0,1],[5,6.5]]");
  assert_score(result, 0.5);
  assert_hits(&f, result, "at[0]");
  assert_misses(&f, result, "at[1] (distance 1.5 above 1); at[2] (missing item)");
  assert_string_equal(fixture_attributes(&f, result), "manhattan<=1 1 0 1 2");
  result = judge_points(&f, "[[0,0]]", "[[0,1],[1,1],[2,2]]");
  assert_score(result, 1.0 / 3);
  assert_misses(&f, result, "at[1] (extra item); at[2] (extra item)");
  /* A null keeps its place, and two of them are none. */
  result = judge_points(&f, "[null,[1],null]", "[[2],[1],null]");
  assert_score(result, 0.5);
  assert_misses(&f, result, "at[0] (extra item)");
  result = judge_points(&f, "[[1,2],\"x\",[]]", "[[1,2],[1],[1]]");
  assert_score(result, 1);
  assert_int_equal(result->attributes[0].counts.unread, 2);
  assert_misses(
      &f, result,
      "at[1] (unreadable expected point: not an array of numbers); at[2] (unreadable expected point: an empty "
      "array)");
  assert_score(judge_points(&f, "[1,2]", "[[1,2]]"), 1);
  result = judge_points(&f, "[]", "[]");
  assert_true(result->score == 1 && result->vacuous);
  assert_details(
      &f, result,
      "{\"metrics\":{\"manhattan<=1\":{\"tp\":0,\"tn\":0,\"fp\":0,\"fn\":0}},\"pairs\":[],\"vacuous\":true}");
  fixture_close(&f);
}

static void test_no_list(void **state) {
  (void)state;
  fixture f;
  distance_rules(&f, ",\"threshold\":1");
  const ee_judge_result *result = judge_points(&f, "7", "[1]");
  assert_true(result->failed && result->score == 0);
  assert_misses(&f, result, "at (not a point or an array of points)");
  result = judge_points(&f, "[[1],[2]]", "{\"x\":1}");
  assert_true(!result->failed && result->score == 0);
  assert_misses(&f, result,
                "at (not a point or an array of points in the candidate); at[0] (missing item); at[1] (missing item)");
  result = fixture_judge_case(&f, "{\"at\":[1]}", NULL);
  assert_true(!result->failed && result->score == 0);
  assert_misses(&f, result, "candidate (missing); at (missing item)");
  assert_reasoning(result, "no candidate document");
  assert_score(fixture_judge_case(&f, "{}", NULL), 0);
  fixture_close(&f);
}

static void test_aggregates(void **state) {
  (void)state;
  static const struct {
    const char *aggregate;
    double score;
  } rows[] = {{"mean", 1.6 / 4}, {"median", 0.3}, {"min", 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fixture f;
    char options[128];
    snprintf(options, sizeof options, ",\"threshold\":10,\"score\":\"linear\",\"aggregate\":\"%s\"", rows[i].aggregate);
    distance_rules(&f, options);
    assert_score(judge_points(&f, "[[0],[0],[0],[0]]", "[[14],[1],[50],[20]]"), rows[i].score);
    fixture_close(&f);
  }
}

#define RULES(options)                                                                                                 \
  "{\"ee\":\"rules\",\"items\":[{\"ee\":\"distance_score\",\"line\":3,\"items\":[\"at\"]" options "}]}"

static void test_mistakes(void **state) {
  (void)state;
  check_mistakes(RULES(""), "3: ee.distance_score needs option 'threshold'");
  check_mistakes(RULES(",\"threshold\":-1"), "3: option 'threshold' of ee.distance_score must be at least 0, got -1");
  check_mistakes(RULES(",\"threshold\":1,\"match\":\"greedy\""),
                 "3: option 'match' of ee.distance_score must be one of 'index', got 'greedy'");
  check_mistakes(RULES(",\"threshold\":1,\"weight\":-1,\"candidate\":\"a[*]\""),
                 "3: option 'weight' of ee.distance_score must be at least 0, got -1",
                 "3: ee.distance_score: path 'a[*]' has a [*], which only ee.fields takes");
}

static void test_print(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, RULES(",\"threshold\":2.5,\"score\":\"linear\",\"metric\":\"cosine\",\"candidate\":\"b\",\"match\":"
                          "\"index\",\"aggregate\":\"min\""));
  ee_buffer_clear(&f.text);
  const ee_judge *judge = f.plan->judges[0];
  assert_false(judge->calls_script || judge->uses_provider);
  judge->type->print(judge, &f.text);
  assert_string_equal(ee_buffer_terminate(&f.text),
                      "  points at, in the candidate b\n  cosine, threshold 2.5, score linear, match index, min\n");
  fixture_close(&f);
}

/* Random lists against plain sums. */
static void test_twin(void **state) {
  (void)state;
  test_random random = test_random_start("distance twin", 5);
  static const char *const metrics[] = {"euclidean", "manhattan", "cosine"};
  for (size_t round = 0; round < 1500; round++) {
    size_t metric = test_random_below(&random, 3), counts[2], most = 0;
    bool linear = test_random_below(&random, 2) == 1;
    double threshold = metric == 2 ? 0.25 : (double)test_random_below(&random, 8);
    double points[2][6][3];
    size_t dimensions[2][6];
    ee_buffer texts[2];
    for (size_t side = 0; side < 2; side++) {
      counts[side] = test_random_below(&random, 7);
      most = counts[side] > most ? counts[side] : most;
      ee_buffer_init(&texts[side]);
      ee_buffer_add_text(&texts[side], "{\"at\":[");
      for (size_t i = 0; i < counts[side]; i++) {
        dimensions[side][i] = test_random_below(&random, 8) == 0 ? 2 : 3;
        for (size_t k = 0; k < dimensions[side][i]; k++) {
          points[side][i][k] = (double)test_random_below(&random, 9) - 4;
          ee_buffer_addf(&texts[side], "%s%g", k > 0 ? "," : i > 0 ? ",[" : "[", points[side][i][k]);
        }
        ee_buffer_add_char(&texts[side], ']');
      }
      ee_buffer_add_text(&texts[side], "]}");
      ee_buffer_terminate(&texts[side]);
    }
    double sum = 0;
    size_t within = 0;
    for (size_t i = 0; i < counts[0] && i < counts[1]; i++) {
      if (dimensions[0][i] != dimensions[1][i]) continue;
      double squares = 0, absolute = 0, dot = 0, a = 0, b = 0;
      for (size_t k = 0; k < dimensions[0][i]; k++) {
        double x = points[0][i][k], y = points[1][i][k];
        squares += (x - y) * (x - y);
        absolute += fabs(x - y);
        dot += x * y;
        a += x * x;
        b += y * y;
      }
      double cosine = a == 0 || b == 0 ? 1 : 1 - dot / (sqrt(a) * sqrt(b));
      double distance = metric == 0 ? sqrt(squares) : metric == 1 ? absolute : cosine;
      if (distance <= threshold + 1e-12) {
        sum += 1;
        within++;
      } else if (linear && threshold > 0) {
        sum += fmax(0, 1 - (distance - threshold) / threshold);
      }
    }
    fixture f;
    char options[160];
    snprintf(options, sizeof options, ",\"threshold\":%g,\"score\":\"%s\",\"metric\":\"%s\"", threshold,
             linear ? "linear" : "match", metrics[metric]);
    distance_rules(&f, options);
    const ee_judge_result *result = fixture_judge_case(&f, texts[0].data, texts[1].data);
    double score = most == 0 ? 1 : sum / (double)most;
    if (fabs(result->score - score) > 1e-9) {
      fail_msg("%s\n%s\n%s: %.17g, twin %.17g", texts[0].data, texts[1].data, options, result->score, score);
    }
    if (most > 0) {
      ee_counts found = result->attributes[0].counts;
      assert_true(found.tp == within && found.fn == counts[0] - within && found.fp == counts[1] - within);
    }
    /* Against itself it is perfect, zero vectors aside. */
    result = fixture_judge_case(&f, texts[0].data, texts[0].data);
    if (metric != 2) assert_true(result->score == 1);
    fixture_close(&f);
    ee_buffer_fini(&texts[0]);
    ee_buffer_fini(&texts[1]);
  }
}

/* How each distance came about, in full detail; points that cannot be compared have none. */
static void test_explained(void **state) {
  (void)state;
  static const struct {
    const char *expected, *candidate, *formula;
  } rows[] = {{"[1,2]", "[1,2]", "sqrt(0^2 + 0^2) = 0 <= 2"},
              {"[0,0]", "[3,4]", "sqrt(3^2 + 4^2) = 5 > 2"},
              {"[0,0]", "[0,2]", "sqrt(0^2 + 2^2) = 2 <= 2"},
              {"[0,0]", "[1]", ""},
              {"[0,0]", "\"x\"", ""},
              {"[0,0]", "null", ""}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fixture f;
    distance_rules(&f, ",\"threshold\":2");
    f.detail = EE_DETAIL_FULL;
    const ee_judge_result *result = judge_points(&f, rows[i].expected, rows[i].candidate);
    assert_int_equal(result->outcome_count, 1);
    ee_str formula = result->outcomes[0].how.formula;
    if (!ee_str_is(formula, rows[i].formula)) fail_msg("%zu: %.*s", i, EE_STR_ARG(formula));
    fixture_close(&f);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_point), cmocka_unit_test(test_lists), cmocka_unit_test(test_no_list),
             cmocka_unit_test(test_aggregates), cmocka_unit_test(test_mistakes), cmocka_unit_test(test_print),
             cmocka_unit_test(test_twin), cmocka_unit_test(test_explained));
