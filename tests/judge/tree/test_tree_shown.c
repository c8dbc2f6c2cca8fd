/* test_tree_shown.c: ee.tree: details, a function as aggregate, the places of findings. */
#include <math.h>

#include "judge/plan_fixture.h"

#include "judge/tree/tree.h"

/* Rules with one ee.tree; `options` begin with a comma. Leaves are compared by ee.exact. */
#define TREE(options) "{\"ee\": \"rules\", \"null_values\": [\"N/A\"], \"items\": [{\"ee\": \"tree\"" options "}]}"
#define EXACT "\"default\": {\"ee\": \"exact\"}"
#define LEAVES(options) TREE(", \"leaves\": {" EXACT "}" options)

static const ee_judge_result *judge(fixture *f, const char *rules, const char *expected, const char *candidate) {
  return fixture_judge_rules(f, rules, expected, candidate);
}

/* The pairs of all arrays as "path: 0-1 (0.5), 1-0 (1)", joined by "; ". */
static const char *alignments(fixture *f, const ee_judge_result *result) {
  const ee_tree_result *details = result->details;
  ee_buffer_clear(&f->text);
  for (size_t i = 0; i < details->arrays.count; i++) {
    const ee_tree_alignment *array = &details->arrays.items[i];
    ee_buffer_addf(&f->text, "%s%.*s:", i > 0 ? "; " : "", EE_STR_ARG(array->path));
    for (uint32_t k = 0; k < array->pair_count; k++)
      ee_buffer_addf(&f->text, "%s%u-%u (%.6g)", k > 0 ? ", " : " ", array->pairs[2 * k], array->pairs[2 * k + 1],
                     array->scores[k]);
  }
  return ee_buffer_terminate(&f->text);
}

/* Details --------------------------------------------------------------------------------------- */

static void test_details(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  ee_buffer text = {0};
  const ee_judge_result *result = judge(
      &f, LEAVES(", \"alternatives\": true"),
      "{\"a\": {\"anyOf\": [1, 2]}, \"b\": {\"anyOf\": [3, 4, 5]}, \"l\": [{\"x\": 1, \"y\": 2}, {\"x\": 3, \"y\": 4}, "
      "{\"x\": 5, \"y\": 6}], \"e\": null, \"m\": [7]}",
      "{\"a\": 2, \"b\": 5, \"l\": [{\"x\": 5, \"y\": 6}, {\"x\": 1, \"y\": 9}], \"n\": 8}");
  const ee_value *details = fixture_details(result, &f.arena);
  static const char *const members[][2] = {
      {"leaves", "{\"correct\":5,\"incorrect\":1,\"missing\":3,\"spurious\":1,\"empty\":1,\"sum\":6,\"size\":11}"},
      {"arrays", "[{\"path\":\"l\",\"method\":\"optimal\",\"expected\":3,\"candidate\":2,\"pairs\":[{\"expected\":0,"
                 "\"candidate\":1,\"score\":0.5},{\"expected\":2,\"candidate\":0,\"score\":1}]}]"},
      {"alternatives", "[{\"path\":\"a\",\"chosen\":1,\"of\":2},{\"path\":\"b\",\"chosen\":2,\"of\":3}]"}};
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    ee_buffer_clear(&text);
    ee_json_write_value(&text, ee_value_member(details, ee_str_from(members[i][0]), &f.arena));
    assert_string_equal(ee_buffer_terminate(&text), members[i][1]);
  }
  assert_reasoning(result, "5/9 values correct, 1 incorrect, 3 missing, 1 spurious");
  f.detail = EE_DETAIL_FULL;
  result = judge(&f, LEAVES(""), "{\"a\": 1, \"b\": 2}", "{\"a\": 1, \"b\": 3}");
  f.detail = EE_DETAIL_FULL;
  result = fixture_judge_case(&f, "{\"a\": 1, \"b\": 2, \"c\": 4}", "{\"a\": 1, \"b\": 3, \"c\": 4}");
  assert_true(ee_str_is(result->formula, "2/3 = 0.666667"));
  details = fixture_details(result, &f.arena);
  assert_null(ee_value_member(details, EE_STR("alternatives"), &f.arena));
  assert_int_equal(ee_value_count(ee_value_member(details, EE_STR("arrays"), &f.arena)), 0);
  result = fixture_judge_case(&f, "[1, [2]]", "[1, [2]]");
  details = fixture_details(result, &f.arena);
  ee_buffer_clear(&text);
  ee_json_write_value(&text, ee_value_member(details, EE_STR("arrays"), &f.arena));
  assert_string_equal(ee_buffer_terminate(&text),
                      "[{\"path\":\"document[1]\",\"method\":\"optimal\",\"expected\":1,\"candidate\":1,\"pairs\":[{"
                      "\"expected\":0,\"candidate\":0,\"score\":1}]},{\"path\":\"document\",\"method\":\"optimal\","
                      "\"expected\":2,\"candidate\":2,\"pairs\":[{\"expected\":0,\"candidate\":0,\"score\":1},{"
                      "\"expected\":1,\"candidate\":1,\"score\":1}]}]");
  ee_buffer_fini(&text);
  fixture_close(&f);
}

/* A function as aggregate ------------------------------------------------------------------------ */

static char parts_seen[2048];
static double part_scores[8]; /* what the function returns, in its calls */
static size_t part_calls;
static bool parts_fail;

static ee_status list_parts(const ee_script_part *parts, size_t count, double *result, ee_error *error) {
  size_t length = strlen(parts_seen);
  for (size_t i = 0; i < count; i++)
    length += (size_t)snprintf(parts_seen + length, sizeof parts_seen - length, "%s%.*s%s %g*%g %d/%d/%d/%d/%d",
                               i > 0            ? ", "
                               : part_calls > 0 ? "; "
                                                : "",
                               EE_STR_ARG(parts[i].name), parts[i].scored ? "" : "?", parts[i].score, parts[i].weight,
                               (int)parts[i].counts.tp, (int)parts[i].counts.tn, (int)parts[i].counts.fp,
                               (int)parts[i].counts.fn, (int)parts[i].counts.wrong);
  *result = part_scores[part_calls < 8 ? part_calls : 7];
  part_calls++;
  if (!parts_fail) return EE_OK;
  ee_error_set(error, EE_ERROR_RULES, "no score today");
  return EE_ERROR_RULES;
}

static const ee_judge_result *judge_by_function(fixture *f, const char *expected, const char *candidate) {
  parts_seen[0] = '\0';
  part_calls = 0;
  f->script.aggregate = list_parts;
  return judge(f,
               TREE(", \"leaves\": {" EXACT "}, \"weights\": {\"b\": 3, \"c\": 0}, \"aggregate\": {\"function\": 1}"),
               expected, candidate);
}

static void test_function(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  for (size_t i = 0; i < 8; i++) part_scores[i] = 0.125 * (double)(i + 1);
  const ee_judge_result *result =
      judge_by_function(&f, "{\"a\": 1, \"b\": {\"x\": 1, \"y\": 2, \"z\": 3}, \"c\": 4, \"d\": null}",
                        "{\"a\": 2, \"b\": {\"x\": 1, \"z\": 4, \"w\": 5}, \"c\": 4}");
  assert_string_equal(parts_seen, "x 1*1 1/0/0/0/0, y 0*1 0/0/0/1/0, z 0*1 0/0/1/1/1, w 0*1 0/0/1/0/0; a 0*1 "
                                  "0/0/1/1/1, b 0.125*3 1/0/2/2/1, c? 1*0 1/0/0/0/0, d 1*1 0/1/0/0/0");
  assert_true(result->score == 0.25);
  /* All items of an array are one place. */
  result = judge_by_function(&f, "[1, 2]", "[1, 3, 4]");
  assert_string_equal(parts_seen, "[*] 1*1 1/0/0/0/0, [*] 0*1 0/0/1/1/1, [*] 0*1 0/0/1/0/0");
  /* What is not a score fails the case, once. */
  static const double bad[] = {-0.001, 1.001, NAN, INFINITY};
  static const char *const said[] = {"-0.001", "1.001", "nan", "inf"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    for (size_t k = 0; k < 8; k++) part_scores[k] = bad[i];
    result = judge_by_function(&f, "{\"a\": {\"x\": 1}, \"b\": 2}", "{\"a\": {\"x\": 1}, \"b\": 2}");
    assert_true(result->failed && result->score == 0);
    assert_int_equal(part_calls, 2);
    assert_int_equal(f.result.rule_errors, 2);
    char miss[128];
    snprintf(miss, sizeof miss, "aggregate (rules.lua:1: aggregate returned a number outside 0..1: %s)", said[i]);
    assert_misses(&f, result, miss);
  }
  for (size_t k = 0; k < 8; k++) part_scores[k] = k % 2 == 1 ? 1 : 0;
  result = judge_by_function(&f, "{\"a\": {\"x\": 1}, \"b\": 2}", "{\"a\": {\"x\": 1}, \"b\": 2}");
  assert_true(!result->failed && result->score == 1);
  /* An error of the function; of items that are compared to be paired it is counted once. */
  parts_fail = true;
  result = judge_by_function(&f, "[{\"x\": 1}, {\"x\": 2}]", "[{\"x\": 3}, {\"x\": 4}]");
  assert_true(result->failed && result->score == 0);
  assert_misses(&f, result,
                "aggregate (no score today); document[0].x (value mismatch); document[1].x (value mismatch)");
  /* Four pairs, the two chosen ones once more, and the array. */
  assert_int_equal(part_calls, 7);
  assert_int_equal(f.result.rule_errors, 5);
  parts_fail = false;
  fixture_close(&f);
}

/* Where findings are ----------------------------------------------------------------------------- */

static void test_places(void **state) {
  (void)state;
  static const char expected[] =
      "{\"l\": [{\"a.b\": 1, \"m\": [{\"c d\": [1, 2], \"e\": 3}], \"o\": {\"p\": {\"q\": 1}}}, 7], "
      "\"x.y\": [1, [2]]}";
  fixture f;
  fixture_open(&f);
  const ee_judge_result *result = judge(
      &f, LEAVES(", \"arrays\": \"index\""), expected,
      "{\"l\": [{\"a.b\": 2, \"m\": [{\"c d\": [2, 1, 0], \"e\": 4}, {\"e\": 9}], \"o\": {\"p\": {\"q\": 2}}}, 8, "
      "{\"a.b\": [6]}], \"x.y\": [2, [3, 4]]}");
  assert_misses(
      &f, result,
      "l[0][\"a.b\"] (value mismatch); l[0].m[0].c d[0] (value mismatch); l[0].m[0].c d[1] (value mismatch); "
      "l[0].m[0].c d[+2] (nothing expected); l[0].m[0].e (value mismatch); l[0].m[+1].e (nothing expected); "
      "l[0].o.p.q (value mismatch); l[1] (value mismatch); l[+2][\"a.b\"][+0] (nothing expected); [\"x.y\"][0] "
      "(value mismatch); [\"x.y\"][1][0] (value mismatch); [\"x.y\"][1][+1] (nothing expected)");
  assert_string_equal(alignments(&f, result), "l[0].m[0].c d: 0-0 (0), 1-1 (0); l[0].m: 0-0 (0); l: 0-0 (0), 1-1 (0); "
                                              "[\"x.y\"][1]: 0-0 (0); [\"x.y\"]: 0-0 (0), 1-1 (0)");
  assert_string_equal(fixture_attributes(&f, result),
                      "l[*][\"a.b\"]* 0 0 1 1; l[*].m[*].c d[*]* 0 0 3 2; l[*].m[*].e* 0 0 2 1; l[*].o.p.q* 0 0 1 1; "
                      "l[*]* 0 0 1 1; l[*][\"a.b\"][*]* 0 0 1 0; [\"x.y\"][*]* 0 0 1 1; [\"x.y\"][*][*]* 0 0 2 1");
  fixture_close(&f);
}

/* Lists of details hold 50 entries, and say so where there are more: alternatives, arrays, and pairs of an array. */
static void test_cut(void **state) {
  (void)state;
  static const char *const parts[] = {"{\"anyOf\": [\"x\", \"y\"]}", "[1]", "1"}, *const answers[] = {"\"y\"", "[1]",
                                                                                                      "1"};
  for (size_t kind = 0; kind < 3; kind++) {
    for (size_t count = 50; count <= 51; count++) {
      ee_buffer left = {0}, right = {0};
      ee_buffer_add_text(&left, kind == 2 ? "{\"l\": [" : "{");
      ee_buffer_add_text(&right, kind == 2 ? "{\"l\": [" : "{");
      for (size_t i = 0; i < count; i++) {
        char key[16] = "";
        if (kind < 2) snprintf(key, sizeof key, "\"k%zu\": ", i);
        ee_buffer_addf(&left, "%s%s%s", i > 0 ? ", " : "", key, parts[kind]);
        ee_buffer_addf(&right, "%s%s%s", i > 0 ? ", " : "", key, answers[kind]);
      }
      ee_buffer_add_text(&left, kind == 2 ? "]}" : "}");
      ee_buffer_add_text(&right, kind == 2 ? "]}" : "}");
      fixture f;
      fixture_open(&f);
      const ee_judge_result *result =
          fixture_judge_rules(&f, "{\"ee\": \"rules\", \"items\": [{\"ee\": \"tree\", \"alternatives\": true}]}",
                              ee_buffer_terminate(&left), ee_buffer_terminate(&right));
      assert_true(result->score == 1);
      ee_buffer_clear(&f.text);
      fixture_write_details(result, &f.text);
      bool cut = strstr(ee_buffer_terminate(&f.text), "\"truncated\":true") != NULL;
      if (cut != (count > 50)) fail_msg("kind %zu, %zu entries: %s", kind, count, f.text.data);
      fixture_close(&f);
      ee_buffer_fini(&left);
      ee_buffer_fini(&right);
    }
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_details), cmocka_unit_test(test_function), cmocka_unit_test(test_places),
             cmocka_unit_test(test_cut));
