/* test_tree_choices.c: ee.tree: alternatives within arrays against all pairings, what is counted once where values are
 * compared again, and what the judge tells of itself: places, strategies, paths. */
#include <math.h>

#include "judge/plan_fixture.h"

#include "base/work.h"
#include "judge/strategy_usage.h"
#include "judge/tree/tree.h"
#include "support/random.h"

#define TREE(options) "{\"ee\": \"rules\", \"items\": [{\"ee\": \"tree\"" options "}]}"
#define EXACT ", \"leaves\": {\"default\": {\"ee\": \"exact\"}}"

/* Alternatives in arrays ------------------------------------------------------------------------- */

enum { ITEMS = 4 };

typedef struct choice {
  unsigned letters; /* bits of those that are correct */

} choice;

/* The most values that can be correct, over all pairings. */
static int best_of(const choice *expected, size_t rows, const choice *candidate, size_t columns, size_t row,
                   unsigned taken) {
  if (row == rows) return 0;
  int best = best_of(expected, rows, candidate, columns, row + 1, taken);
  for (size_t k = 0; k < columns; k++) {
    if ((taken >> k & 1) != 0) continue;
    int here = (expected[row].letters & candidate[k].letters) != 0;
    int all = here + best_of(expected, rows, candidate, columns, row + 1, taken | 1u << k);
    if (all > best) best = all;
  }
  return best;
}

static void print_choice(const choice *one, bool several, ee_buffer *out) {
  if (several) ee_buffer_add_text(out, "{\"anyOf\": [");
  const char *comma = "";
  for (int letter = 0; letter < 6; letter++) {
    if ((one->letters >> letter & 1) == 0) continue;
    ee_buffer_addf(out, "%s\"%c\"", comma, 'a' + letter);
    comma = ", ";
  }
  if (several) ee_buffer_add_text(out, "]}");
}

static void test_pairings(void **state) {
  (void)state;
  static const char *const methods[] = {"", ", \"aggregate\": \"mean\"", ", \"aggregate\": \"union\""};
  test_random random = test_random_start("tree: alternatives in arrays", 1965);
  ee_buffer left = {0}, right = {0};
  for (size_t way = 0; way < 3; way++) {
    char rules[256];
    fixture f;
    fixture_open(&f);
    snprintf(rules, sizeof rules, TREE(", \"alternatives\": true" EXACT "%s"), methods[way]);
    fixture_rules(&f, rules);
    for (int round = 0; round < 1500; round++) {
      choice expected[ITEMS] = {{0}}, candidate[ITEMS] = {{0}};
      size_t rows = 1 + test_random_below(&random, ITEMS), columns = 1 + test_random_below(&random, ITEMS);
      ee_buffer_clear(&left);
      ee_buffer_clear(&right);
      for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < 1 + test_random_below(&random, 3); k++)
          expected[i].letters |= 1u << test_random_below(&random, 6);
        ee_buffer_add_text(&left, i > 0 ? ", " : "[");
        print_choice(&expected[i], true, &left);
      }
      for (size_t i = 0; i < columns; i++) {
        candidate[i].letters = 1u << test_random_below(&random, 6);
        ee_buffer_add_text(&right, i > 0 ? ", " : "[");
        print_choice(&candidate[i], false, &right);
      }
      ee_buffer_add_char(&left, ']');
      ee_buffer_add_char(&right, ']');
      double best = best_of(expected, rows, candidate, columns, 0, 0), all = (double)(rows > columns ? rows : columns);
      const ee_judge_result *result = fixture_judge_case(&f, ee_buffer_terminate(&left), ee_buffer_terminate(&right));
      if (fabs(result->score - best / all) > 1e-12)
        fail_msg("%s%s, %s: %.17g, not %g of %g", methods[way], left.data, right.data, result->score, best, all);
    }
    fixture_close(&f);
  }
  ee_buffer_fini(&left);
  ee_buffer_fini(&right);
}

/* A random leaf, object of leaves, or alternatives of these; all from few letters, so that many are equal. */
static void print_random(test_random *random, int depth, bool alternatives, ee_buffer *out) {
  size_t kind = test_random_below(random, 6);
  if (depth == 0 || kind < 2) {
    ee_buffer_addf(out, "\"%c\"", (char)('a' + test_random_below(random, 3)));
  } else if (kind < 4 && alternatives) {
    ee_buffer_add_text(out, "{\"anyOf\": [");
    for (size_t i = 0; i < 2 + test_random_below(random, 2); i++) {
      if (i > 0) ee_buffer_add_text(out, ", ");
      print_random(random, depth - 1, false, out);
    }
    ee_buffer_add_text(out, "]}");
  } else {
    ee_buffer_add_char(out, '{');
    bool any = false;
    for (char key = 'p'; key < 't'; key++) {
      if (test_random_below(random, 3) == 0) continue;
      ee_buffer_addf(out, "%s\"%c\": ", any ? ", " : "", key);
      print_random(random, depth - 1, alternatives, out);
      any = true;
    }
    ee_buffer_add_char(out, '}');
  }
}

/* The largest sum of the scores of pairs. */
static double best_total(double scores[ITEMS][ITEMS], size_t rows, size_t columns, size_t row, unsigned taken) {
  if (row == rows) return 0;
  double best = best_total(scores, rows, columns, row + 1, taken);
  for (size_t k = 0; k < columns; k++) {
    if ((taken >> k & 1) != 0) continue;
    double all = scores[row][k] + best_total(scores, rows, columns, row + 1, taken | 1u << k);
    if (all > best) best = all;
  }
  return best;
}

static double pairs_total(const ee_judge_result *result) {
  const ee_tree_result *details = result->details;
  const ee_tree_alignment *pairs = &details->arrays.items[details->arrays.count - 1];
  double total = 0;
  for (uint32_t i = 0; i < pairs->pair_count; i++) total += pairs->scores[i];
  return total;
}

/* Whatever is inside of items, their pairs score as much together as the best of all pairings, by the scores of items
 * that are alone. */
static void test_best_pairs(void **state) {
  (void)state;
  static const char *const options[] = {"", ", \"aggregate\": \"mean\"",
                                        ", \"aggregate\": \"union\", \"weights\": {\"*.p\": 3, \"*.q\": 0}",
                                        ", \"weights\": {\"*.p\": 3, \"*.q\": 0.5}, \"on_unexpected\": \"pass\"",
                                        ", \"tn\": \"either\", \"on_unexpected\": \"skip\""};
  test_random random = test_random_start("tree: best pairs of items with alternatives", 1957);
  for (size_t way = 0; way < sizeof options / sizeof *options; way++) {
    char rules[400];
    fixture f;
    fixture_open(&f);
    snprintf(rules, sizeof rules, TREE(", \"alternatives\": true, \"leaves\": {\"default\": {\"ee\": \"exact\"}}%s"),
             options[way]);
    fixture_rules(&f, rules);
    for (int round = 0; round < 400; round++) {
      ee_buffer items[2][ITEMS] = {{{0}}}, lists[2] = {{0}};
      size_t counts[2] = {1 + test_random_below(&random, ITEMS), 1 + test_random_below(&random, ITEMS)};
      for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < counts[side]; i++) {
          ee_buffer_add_char(&items[side][i], '[');
          print_random(&random, 2, side == EE_EXPECTED, &items[side][i]);
          ee_buffer_add_char(&items[side][i], ']');
          ee_buffer_terminate(&items[side][i]);
          ee_buffer_addf(&lists[side], "%s%.*s", i > 0 ? ", " : "[", (int)items[side][i].length - 2,
                         items[side][i].data + 1);
        }
        ee_buffer_add_char(&lists[side], ']');
      }
      double scores[ITEMS][ITEMS];
      for (size_t i = 0; i < counts[0]; i++)
        for (size_t k = 0; k < counts[1]; k++)
          scores[i][k] = pairs_total(fixture_judge_case(&f, items[0][i].data, items[1][k].data));
      const ee_judge_result *result =
          fixture_judge_case(&f, ee_buffer_terminate(&lists[0]), ee_buffer_terminate(&lists[1]));
      double best = best_total(scores, counts[0], counts[1], 0, 0), total = pairs_total(result);
      if (fabs(total - best) > 1e-9)
        fail_msg("%s\n%s\n%s: %.17g, not %.17g", rules, lists[0].data, lists[1].data, total, best);
      for (int side = 0; side < 2; side++) {
        ee_buffer_fini(&lists[side]);
        for (size_t i = 0; i < ITEMS; i++) ee_buffer_fini(&items[side][i]);
      }
    }
    fixture_close(&f);
  }
}

/* Comparing again ------------------------------------------------------------------------------- */

static ee_status never(const ee_value *expected, const ee_value *candidate, ee_script_score *result, ee_error *error) {
  (void)expected, (void)candidate, (void)result;
  return ee_error_at(error, EE_ERROR_RULES, "rules.lua", 3, 0, "never");
}

/* Of three alternatives each is compared once, and the one that counts again, whose error is not counted again. */
static void test_errors_of_alternatives(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  f.script.strategy = never;
  const char *rules = TREE(", \"alternatives\": true, \"leaves\": {\"default\": {\"ee\": \"custom\", \"items\": "
                           "[{\"function\": 0}]}}");
  fixture_judge_rules(&f, rules, "{\"a\": {\"anyOf\": [1, 2, 3]}}", "{\"a\": 4}");
  assert_int_equal(f.script.calls, 4);
  assert_int_equal(f.result.rule_errors, 3);
  assert_int_equal(f.rule_errors.count, 3);
  f.script.calls = 0;
  fixture_judge_rules(&f, rules, "{\"a\": 1}", "{\"a\": 4}");
  assert_int_equal(f.script.calls, 1);
  assert_int_equal(f.result.rule_errors, 1);
  fixture_close(&f);
}

static char seen[1024];

/* Lists "NAME tp/tn/fp/fn" of each child. */
static ee_status list_children(const ee_script_part *parts, size_t count, double *result, ee_error *error) {
  (void)error;
  size_t length = strlen(seen);
  for (size_t i = 0; i < count; i++)
    length += (size_t)snprintf(seen + length, sizeof seen - length, "%.*s %d/%d/%d/%d ", EE_STR_ARG(parts[i].name),
                               (int)parts[i].counts.tp, (int)parts[i].counts.tn, (int)parts[i].counts.fp,
                               (int)parts[i].counts.fn);
  *result = 1;
  return EE_OK;
}

/* A function gets the same counts of a child when items are compared to be paired: each of two by two, then the two
 * pairs, then the array. */
static void test_counts_of_a_function(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  f.script.aggregate = list_children;
  seen[0] = '\0';
  fixture_judge_rules(&f, TREE(EXACT ", \"aggregate\": {\"function\": 1}"), "[{\"x\": 1}, {\"x\": null}]",
                      "[{\"x\": 1}, {\"x\": 3}]");
  size_t right = 0, spurious = 0;
  for (const char *at = seen; (at = strstr(at, "x 1/0/0/0")) != NULL; at++) right++;
  for (const char *at = seen; (at = strstr(at, "x 0/0/1/0")) != NULL; at++) spurious++;
  /* The first items are one pair of the four, and then a pair of the array. */
  if (right != 2 || spurious == 0 || strstr(seen, "2/") != NULL) fail_msg("%s", seen);
  fixture_close(&f);
}

/* What the judge tells of itself ----------------------------------------------------------------- */

static void test_observe(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_judge_rules(
      &f,
      TREE(", \"alternatives\": true, \"leaves\": {\"default\": {\"ee\": \"exact\"}, \"l[*].n\": {\"ee\": "
           "\"numeric\"}, \"string\": {\"ee\": \"fuzzy\"}}"),
      "{\"a\": 1, \"b\": null, \"c\": \"\", \"l\": [{\"n\": 1}, {\"n\": 2}, {\"n\": null}], \"e\": [], "
      "\"s\": {\"anyOf\": [\"x\", \"y\"]}}",
      "{}");
  ee_strategy_usage usage;
  ee_strategy_usage_init(&usage);
  const ee_judge *one = f.plan->judges[0];
  one->type->observe(one, &f.context, &usage);
  ee_buffer_clear(&f.text);
  for (size_t i = 0; i < usage.count; i++)
    ee_buffer_addf(&f.text, "%.*s %s %s %d; ", EE_STR_ARG(usage.items[i].path), usage.items[i].choice,
                   usage.items[i].why, (int)usage.items[i].count);
  assert_string_equal(ee_buffer_terminate(&f.text),
                      "a exact default 1; l[*].n numeric l[*].n 2; e exact default 1; s fuzzy string 2; ");
  ee_strategy_usage_fini(&usage);
  fixture_close(&f);
}

/* Paths that some case should have, in the order of the rules' kinds, with a star the one that holds the others; what
 * needs values before the run, a provider. */
static void test_needs(void **state) {
  (void)state;
  static const struct {
    const char *rules, *paths;
    bool votes, provider, script;
  } rows[] = {
      {TREE(
           ", \"leaves\": {\"a\": {\"ee\": \"exact\"}, \"b\": {\"ee\": \"date\"}}, \"arrays\": {\"l\": \"set\", \"m\": "
           "\"index\"}, \"weights\": {\"w\": 2}"),
       "a b l m w ", false, false, false},
      {TREE(", \"items\": [\"p\"]"), "p* ", false, false, false},
      {TREE(", \"candidate\": \"q\", \"weights\": {\"w\": 2}"), "w q* ", false, false, false},
      {TREE(", \"leaves\": {\"a\": {\"ee\": \"numeric\", \"decimal\": \"auto\"}}"), "a ", true, false, false},
      {TREE(", \"leaves\": {\"a\": {\"ee\": \"set\", \"match\": {\"ee\": \"numeric\", \"decimal\": \"auto\"}}}"), "a ",
       true, false, false},
      {TREE(", \"leaves\": {\"a\": {\"ee\": \"numeric\", \"decimal\": \",\"}}"), "a ", false, false, false},
      {TREE(", \"leaves\": {\"string\": {\"ee\": \"semantic\"}}"), "", false, true, false},
      {TREE(", \"leaves\": {\"mixed\": {\"ee\": \"custom\", \"items\": [{\"function\": 1}]}}"), "", false, false, true},
      {TREE(", \"aggregate\": {\"function\": 1}"), "", false, false, true},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fixture f;
    fixture_open(&f);
    fixture_rules(&f, rows[i].rules);
    const ee_judge *judge = f.plan->judges[0];
    for (size_t k = 0; k < judge->expected_path_count; k++)
      ee_buffer_addf(&f.text, "%.*s%s ", EE_STR_ARG(judge->expected_paths[k].name),
                     judge->expected_paths[k].holds_rest ? "*" : "");
    assert_string_equal(ee_buffer_terminate(&f.text), rows[i].paths);
    assert_int_equal(((const ee_tree *)judge->data)->votes, rows[i].votes);
    assert_int_equal(judge->uses_provider, rows[i].provider);
    assert_int_equal(judge->calls_script, rows[i].script);
    fixture_close(&f);
  }
}

/* Each place of a strategy is looked at, whatever else there is. */
static void test_each_strategy_counts(void **state) {
  (void)state;
  static const char *const entries[] = {"a",      "*.b",   "null",   "boolean",     "integer", "number",
                                        "string", "array", "object", "format:date", "mixed",   "default"};
  enum { ENTRIES = sizeof entries / sizeof *entries };
  ee_buffer rules = {0};
  for (size_t script = 0; script <= ENTRIES; script++) {
    fixture f;
    fixture_open(&f);
    ee_buffer_clear(&rules);
    ee_buffer_add_text(&rules, "{\"ee\": \"rules\", \"items\": [{\"ee\": \"tree\", \"schema\": {}, \"leaves\": {");
    for (size_t i = 0; i < ENTRIES; i++)
      ee_buffer_addf(&rules, "%s\"%s\": %s", i > 0 ? ", " : "", entries[i],
                     i == script ? "{\"ee\": \"custom\", \"items\": [{\"function\": 1}]}" : "{\"ee\": \"exact\"}");
    ee_buffer_add_text(&rules, "}}]}");
    fixture_rules(&f, ee_buffer_terminate(&rules));
    if (f.plan->judges[0]->calls_script != (script < ENTRIES)) fail_msg("%s", rules.data);
    fixture_close(&f);
  }
  ee_buffer_fini(&rules);
}

/* Which of the named places the case has: of leaves, arrays, weights, and the judge's own path. */
static void test_found(void **state) {
  (void)state;
  static const char rules[] = TREE(", \"items\": [\"p\"], \"leaves\": {\"a\": {\"ee\": \"exact\"}, \"b\": {\"ee\": "
                                   "\"exact\"}}, \"arrays\": {\"l\": \"set\", \"m\": \"index\"}, \"weights\": {\"v\": "
                                   "2, \"w\": 3}");
  static const struct {
    const char *expected, *candidate, *found;
  } rows[] = {
      {"{\"p\": {\"a\": 1, \"l\": [1], \"v\": 1}}", "{}", "alvp"},
      {"{\"p\": {\"b\": 1}}", "{\"p\": {\"m\": [1], \"w\": 2}}", "bmwp"},
      {"{\"p\": {}}", "{}", "p"},
      {"{}", "{\"p\": {\"a\": null, \"b\": 1, \"l\": [], \"m\": [1], \"v\": 1, \"w\": 1}}", "ablmvwp"},
      {"{\"a\": 1}", "{\"a\": 1}", ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fixture f;
    fixture_open(&f);
    const ee_judge_result *result = fixture_judge_rules(&f, rules, rows[i].expected, rows[i].candidate);
    ee_buffer_clear(&f.text);
    for (size_t k = 0; k < result->judge->expected_path_count; k++)
      if (result->found[k]) ee_buffer_add_str(&f.text, result->judge->expected_paths[k].name);
    assert_string_equal(ee_buffer_terminate(&f.text), rows[i].found);
    /* Before the run the places are not kept. */
    ee_strategy_usage usage;
    ee_strategy_usage_init(&usage);
    result->judge->type->observe(result->judge, &f.context, &usage);
    ee_strategy_usage_fini(&usage);
    fixture_close(&f);
  }
}

static ee_status always(const ee_value *expected, const ee_value *candidate, ee_script_score *result, ee_error *error) {
  (void)expected, (void)candidate, (void)error;
  result->score = 1;
  return EE_OK;
}

/* The pair that bounds from hashes choose is found impossible by finer bounds; then the next best one is taken. */
static void test_pairs_after_finer_bounds(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_judge_rules(
      &f,
      TREE(", \"leaves\": {\"string\": {\"ee\": \"fuzzy\", \"threshold\": 0.5, \"score\": \"similarity\", "
           "\"normalize\": []}, \"number\": {\"ee\": \"numeric\", \"tolerance\": 1}, \"d\": {\"ee\": "
           "\"ignore\"}, \"default\": {\"ee\": \"exact\"}}, \"arrays\": {\"items\": [\"optimal\"], "
           "\"threshold\": 0.6}, \"tn\": \"skip\", \"on_unexpected\": \"pass\", \"null\": \"absent\""),
      "[{\"a\": 2, \"b\": \"5\", \"c\": null, \"d\": null, \"e\": 1},"
      " {\"a\": 0, \"b\": true, \"c\": 3, \"d\": null, \"e\": 4},"
      " {\"a\": 3, \"b\": null, \"c\": \"\", \"d\": 4, \"e\": 2},"
      " {\"a\": 4, \"b\": \"\", \"c\": true, \"d\": \"5\", \"e\": 2}]",
      "[{\"a\": 2, \"b\": 4, \"c\": false, \"d\": \"abc\", \"e\": 0}]");
  const ee_tree_result *details = f.result.judges[0].details;
  assert_int_equal(details->arrays.count, 1);
  assert_int_equal(details->arrays.items[0].pair_count, 1);
  fixture_close(&f);
}

/* Items that are alone with their key are compared once; of several with one key each is compared with each, and the
 * pairs again. */
static void test_calls_of_keys(void **state) {
  (void)state;
  static const struct {
    const char *expected, *candidate;
    size_t calls;
  } rows[] = {
      {"[{\"id\": 1, \"v\": 1}]", "[{\"id\": 1, \"v\": 2}]", 1},
      {"[{\"id\": 1, \"v\": 1}, {\"id\": 2, \"v\": 1}]", "[{\"id\": 2, \"v\": 2}, {\"id\": 1, \"v\": 2}]", 2},
      {"[{\"id\": 1, \"v\": 1}, {\"id\": 1, \"v\": 2}]", "[{\"id\": 1, \"v\": 3}, {\"id\": 1, \"v\": 4}]", 6},
      {"[{\"id\": 1, \"v\": 1}]", "[{\"id\": 1, \"v\": 3}, {\"id\": 1, \"v\": 4}]", 3},
      {"[{\"id\": 1, \"v\": 1}, {\"id\": 1, \"v\": 2}]", "[{\"id\": 1, \"v\": 3}]", 3},
      {"[{\"id\": 1, \"v\": 1}]", "[{\"id\": 2, \"v\": 1}]", 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fixture f;
    fixture_open(&f);
    f.script.strategy = always;
    fixture_judge_rules(
        &f,
        TREE(", \"leaves\": {\"*.id\": {\"ee\": \"ignore\"}, \"default\": {\"ee\": \"custom\", \"items\": "
             "[{\"function\": 1}]}}, \"arrays\": {\"items\": [\"key\"], \"key\": \"id\"}"),
        rows[i].expected, rows[i].candidate);
    if (f.script.calls != rows[i].calls) fail_msg("%s: %zu calls", rows[i].expected, f.script.calls);
    fixture_close(&f);
  }
}

/* Each place costs what it takes to compare it with all entries. */
static void test_work_of_places(void **state) {
  (void)state;
  enum { KEYS = 300, ENTRIES = 200 };
  ee_buffer rules = {0}, text = {0};
  uint64_t units[2];
  for (int k = 0; k < KEYS; k++) ee_buffer_addf(&text, "%s\"k%d\": 1", k > 0 ? ", " : "{", k);
  ee_buffer_add_char(&text, '}');
  for (int many = 0; many < 2; many++) {
    fixture f;
    fixture_open(&f);
    ee_buffer_clear(&rules);
    ee_buffer_add_text(&rules, "{\"ee\": \"rules\", \"items\": [{\"ee\": \"tree\", \"weights\": {\"w\": 1");
    for (int i = 0; i < ENTRIES * many; i++) ee_buffer_addf(&rules, ", \"w%d\": 1", i);
    ee_buffer_add_text(&rules, "}}]}");
    fixture_rules(&f, ee_buffer_terminate(&rules));
    uint64_t before = ee_work_done();
    fixture_judge_case(&f, ee_buffer_terminate(&text), text.data);
    units[many] = ee_work_done() - before;
    fixture_close(&f);
  }
  if (units[1] < units[0] + (uint64_t)KEYS * ENTRIES) fail_msg("%d and %d units", (int)units[0], (int)units[1]);
  ee_buffer_fini(&rules);
  ee_buffer_fini(&text);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_pairings), cmocka_unit_test(test_best_pairs),
             cmocka_unit_test(test_errors_of_alternatives), cmocka_unit_test(test_counts_of_a_function),
             cmocka_unit_test(test_observe), cmocka_unit_test(test_needs), cmocka_unit_test(test_each_strategy_counts),
             cmocka_unit_test(test_found), cmocka_unit_test(test_pairs_after_finer_bounds),
             cmocka_unit_test(test_calls_of_keys), cmocka_unit_test(test_work_of_places));
