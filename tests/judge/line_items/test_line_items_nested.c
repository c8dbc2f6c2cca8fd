/* test_line_items_nested.c: lists inside the items of lists: against a twin that walks both sides by key, against
 * judges of the inner lists alone, and what is said of it. */
#include "judge/plan_fixture.h"

#include <math.h>

#include "judge/line_items/line_items.h"
#include "support/random.h"

#define LINES                                                                                                          \
  "{\"ee\": \"line_items\", \"line\": 4, \"match\": \"sku\", \"items\": [\"lines\", {\"ee\": \"numeric\", \"items\": " \
  "[\"qty\"]}, {\"ee\": \"exact\", \"items\": [\"sku\"]}]}"
#define ORDERS(more, items)                                                                                            \
  "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"line\": 2, \"match\": \"no\"" more                       \
  ", \"items\": [\"orders\", " items "]}]}"

static void test_pairs(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  /* The list stands between two fields, and so do its attributes. */
  const ee_judge_result *result = fixture_judge_rules(
      &f, ORDERS("", "{\"ee\": \"exact\", \"items\": [\"no\"]}, " LINES ", {\"ee\": \"exact\", \"items\": [\"by\"]}"),
      "{\"orders\": [{\"no\": \"A1000\", \"by\": \"x\", \"lines\": [{\"sku\": \"s1\", \"qty\": 1}, {\"sku\": "
      "\"s2\", \"qty\": 2}]},"
      " {\"no\": \"B2000\", \"by\": \"y\", \"lines\": [{\"sku\": \"s3\", \"qty\": 3}, {\"sku\": \"s4\"}]},"
      " {\"no\": \"C3000\", \"by\": \"z\", \"lines\": []}]}",
      "{\"orders\": [{\"no\": \"C3000\", \"by\": \"z\"},"
      " {\"no\": \"A1000\", \"by\": \"w\", \"lines\": [{\"sku\": \"s5\", \"qty\": 5}, {\"sku\": \"s2\", \"qty\": "
      "9}, {\"sku\": \"s1\", \"qty\": 1}]},"
      " {\"no\": \"Q\", \"lines\": [{\"qty\": 3}, null]}]}");
  assert_string_equal(fixture_attributes(&f, result), "no 2 0 1 1; lines.qty 1 0 3 2; lines.sku 2 0 1 2; by 1 0 1 2");
  assert_hits(&f, result, "orders[0].lines[0]; orders[2]");
  assert_misses(&f, result,
                "orders[0].by (value mismatch); orders[0].lines[1].qty (outside tolerance: diff=7, tolerance=0); "
                "orders[0].lines[0] (extra item); orders[1] (missing item); orders[2] (extra item)");
  assert_reasoning(result, "2/3 items matched, 1 missing, 1 extra");
  assert_int_equal(ee_item_report_of(result)->alignment_count, 2);
  /* F1: 2/3, 2/7, 4/7, 2/5. */
  assert_true(fabs(result->score - (2.0 / 3 + 2.0 / 7 + 4.0 / 7 + 2.0 / 5) / 4) < 1e-12);
  fixture_close(&f);
}

static void test_depth(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
#define PARTS                                                                                                          \
  "{\"ee\": \"line_items\", \"match\": {\"key\": \"p\"}, \"name\": \"bits\", \"items\": [\"x.parts\", {\"ee\": "       \
  "\"exact\", \"items\": [\"p\"]}, {\"ee\": \"exact\", \"items\": [\"[\\\"a.b\\\"]\"]}]}"
#define DEEP                                                                                                           \
  ORDERS("", "{\"ee\": \"line_items\", \"match\": \"sku\", \"items\": [\"lines\", {\"ee\": \"exact\", \"items\": "     \
             "[\"sku\"]}, " PARTS "]}")
  const char *left = "{\"orders\": [{\"no\": \"1\", \"lines\": [{\"sku\": \"s\", \"x\": {\"parts\": [{\"p\": 1, "
                     "\"a.b\": 2}, {\"p\": 3}]}}]}]}";
  const ee_judge_result *result =
      fixture_judge_rules(&f, DEEP, left,
                          "{\"orders\": [{\"no\": \"1\", \"lines\": [{\"sku\": \"s\", \"x\": {\"parts\": "
                          "[{\"p\": 4}, {\"p\": 1, \"a.b\": 5}]}}]}]}");
  assert_string_equal(fixture_attributes(&f, result),
                      "lines.sku 1 0 0 0; lines.bits.p 1 0 1 1; lines.bits[\"a.b\"] 0 0 1 1");
  assert_misses(&f, result,
                "orders[0].lines[0].x.parts[0][\"a.b\"] (value mismatch); orders[0].lines[0].x.parts[1] (missing "
                "item); orders[0].lines[0].x.parts[0] (extra item)");
  /* Nothing of an order is there: each part of each line of it is missing. */
  result = fixture_judge_rules(&f, DEEP, left, "{\"orders\": []}");
  assert_string_equal(fixture_attributes(&f, result),
                      "lines.sku 0 0 0 1; lines.bits.p 0 0 0 2; lines.bits[\"a.b\"] 0 0 0 1");
  assert_misses(&f, result, "orders[0] (missing item)");
  result = fixture_judge_rules(&f, DEEP, "{\"orders\": null}", left);
  assert_string_equal(fixture_attributes(&f, result),
                      "lines.sku 0 0 1 0; lines.bits.p 0 0 2 0; lines.bits[\"a.b\"] 0 0 1 0");
  result = fixture_judge_rules(&f, DEEP, left, left);
  assert_true(result->score == 1 && result->miss_count == 0);
  fixture_close(&f);
}

/* The path of an inner list follows the item's with a dot, but not if it begins with a bracket. */
static void test_inner_paths(void **state) {
  (void)state;
  static const char *const paths[][2] = {{"lines", "orders[0].lines[0]"},
                                         {"l[0]", "orders[0].l[0][0]"},
                                         {"[\\\"a.b\\\"]", "orders[0][\"a.b\"][0]"},
                                         {"[\\\"a.b\\\"].c", "orders[0][\"a.b\"].c[0]"}};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    char rules[512], misses[200];
    snprintf(rules, sizeof rules,
             ORDERS("", "{\"ee\": \"line_items\", \"match\": \"sku\", \"items\": [\"%s\", {\"ee\": \"exact\", "
                        "\"items\": [\"sku\"]}, {\"ee\": \"exact\", \"items\": [\"qty\"]}]}"),
             paths[i][0]);
    snprintf(misses, sizeof misses, "%s.qty (value mismatch)", paths[i][1]);
#define FOUR(qty) "{\"orders\": [{\"no\": \"1\", \"lines\": " LIST(qty) ", \"l\": [" LIST(qty) "], \"a.b\": "
#define LIST(qty) "[{\"sku\": \"s1\", \"qty\": " #qty "}]"
    bool in_object = i == 3;
    const char *expected = in_object ? FOUR(1) "{\"c\": " LIST(1) "}}]}" : FOUR(1) LIST(1) "}]}";
    const char *candidate = in_object ? FOUR(2) "{\"c\": " LIST(2) "}}]}" : FOUR(2) LIST(2) "}]}";
    fixture f;
    fixture_open(&f);
    const ee_judge_result *result = fixture_judge_rules(&f, rules, expected, candidate);
    assert_misses(&f, result, misses);
    fixture_close(&f);
  }
}

/* Nobody declares fields: the keys of the inner items are. */
static void test_keys_of_the_data(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
#define AUTO                                                                                                           \
  ORDERS("", "{\"ee\": \"exact\", \"items\": [\"no\"]}, {\"ee\": \"line_items\", \"match\": \"sku\", \"items\": "      \
             "[\"lines\"]}")
  const ee_judge_result *result = fixture_judge_rules(
      &f, AUTO,
      "{\"orders\": [{\"no\": 1, \"lines\": [{\"sku\": \"a\", \"q\": 1}]}, {\"no\": 2, \"lines\": [{\"sku\": "
      "\"b\", \"q\": 2, \"r\": 3}]}, {\"no\": 3, \"lines\": [{\"t\": 1}]}]}",
      "{\"orders\": [{\"no\": 2, \"lines\": [{\"sku\": \"b\", \"q\": 5, \"s\": 1}]}, {\"no\": 1, \"lines\": [{\"sku\": "
      "\"a\", \"q\": 1}]}]}");
  assert_string_equal(
      fixture_attributes(&f, result),
      "no 2 0 0 1; lines.sku* 2 0 0 0; lines.q* 1 0 1 1; lines.r* 0 0 0 1; lines.s* 0 0 1 0; lines.t* 0 "
      "0 0 1");
  assert_true(f.plan->judges[0]->data_attributes);
  fixture_close(&f);
}

static void test_no_list(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
#define SIMPLE ORDERS("", "{\"ee\": \"exact\", \"items\": [\"no\"]}, " LINES)
  const char *good = "{\"orders\": [{\"no\": \"1\"}, {\"no\": \"22\", \"lines\": [{\"sku\": \"a\", \"qty\": 2}]}]}";
  const char *bad = "{\"orders\": [{\"no\": \"1\"}, {\"no\": \"22\", \"lines\": 7}]}";
  const ee_judge_result *result = fixture_judge_rules(&f, SIMPLE, good, bad);
  assert_true(!result->failed && result->score < 1 && !result->vacuous);
  assert_misses(&f, result, "orders[1].lines (candidate is not an array); orders[1].lines[0] (missing item)");
  assert_string_equal(fixture_attributes(&f, result),
                      "no 2 0 0 0; lines.qty 0 0 0 1; lines.sku 0 0 0 1; lines* 0 0 0 0");
  result = fixture_judge_rules(&f, SIMPLE, bad, good);
  assert_true(result->failed && result->unscored && result->score == 0);
  assert_misses(&f, result, "orders[1].lines (expected value is not an array); orders[1].lines[0] (extra item)");
  /* In an item without partner too. */
  result = fixture_judge_rules(&f, SIMPLE, "{\"orders\": []}", bad);
  assert_true(!result->failed && result->score == 0);
  assert_misses(&f, result, "orders[0] (extra item); orders[1] (extra item)");
  /* Lists without anything in them are no matter. */
  result = fixture_judge_rules(&f, SIMPLE, "{\"orders\": [{\"no\": \"1\", \"lines\": [null]}]}",
                               "{\"orders\": [{\"no\": \"1\", \"lines\": \" \"}]}");
  assert_true(result->score == 1 && !result->failed);
  assert_string_equal(fixture_attributes(&f, result), "no 1 0 0 0");
  fixture_close(&f);
}

/* Conditions are called once a case, on every level. */
static ee_status only_odd(int function, bool *result, ee_error *error) {
  (void)error;
  *result = function % 2 == 1;
  return EE_OK;
}

static void test_conditions(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, ORDERS("", "{\"ee\": \"exact\", \"items\": [\"no\"], \"when\": {\"function\": 1}}, {\"ee\": "
                               "\"line_items\", \"match\": \"sku\", \"items\": [\"lines\", {\"ee\": \"exact\", "
                               "\"items\": [\"sku\"], \"when\": {\"function\": 2}}, {\"ee\": \"exact\", \"items\": "
                               "[\"qty\"], \"when\": {\"function\": 3}}]}"));
  f.script.condition = only_odd;
  const char *text = "{\"orders\": [{\"no\": \"1\", \"lines\": [{\"sku\": \"a\", \"qty\": 2}, {\"sku\": \"b\"}]}, "
                     "{\"no\": \"2\", \"lines\": [{\"sku\": \"a\", \"qty\": 2}]}]}";
  const ee_judge_result *result = fixture_judge_case(&f, text, text);
  assert_int_equal(f.script.calls, 3);
  assert_string_equal(fixture_attributes(&f, result), "no 2 0 0 0; lines.qty 2 1 0 0");
  fixture_close(&f);
}

static void test_mistakes(void **state) {
  (void)state;
  check_mistakes(ORDERS("", "{\"ee\": \"exact\", \"line\": 3, \"items\": [\"lines.qty\"]}, " LINES),
                 "4: the name 'lines.qty' occurs twice in ee.line_items, on line 3 and on line 4 (give one of them a "
                 "'name' of its own)");
  check_mistakes(
      ORDERS("", LINES ", {\"ee\": \"line_items\", \"line\": 5, \"items\": [\"lines\"]}"),
      "5: the list 'lines' occurs twice in ee.line_items, on line 4 and on line 5 (give one of them a 'name' "
      "of its own)");
  check_mistakes(ORDERS("", "{\"ee\": \"line_items\", \"line\": 5, \"items\": [\"a[*]\"], \"repair\": true, "
                            "\"compare_methods\": true, \"candidate\": \"b\", \"name\": \" \"}"),
                 "5: ee.line_items: path 'a[*]' has a [*], which only ee.fields takes",
                 "5: unknown option 'repair' for ee.line_items inside another",
                 "5: option 'compare_methods' belongs to the outermost ee.line_items",
                 "5: option 'candidate' belongs to the outermost ee.line_items",
                 "5: the name of ee.line_items is empty");
  check_mistakes(ORDERS("", "{\"ee\": \"line_items\", \"line\": 5, \"items\": [{\"ee\": \"exact\", \"items\": "
                            "[\"a\"]}]}, {\"ee\": \"fields\", \"line\": 6, \"items\": [\"a\"]}"),
                 "5: ee.line_items inside another needs the path of the array as its first value, got ee.exact",
                 "6: ee.fields is inside ee.line_items, which takes strategies");
}

/* ee.ignore takes a list out as it takes a field out. */
static void test_ignored(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_judge_result *result = fixture_judge_rules(
      &f,
      ORDERS("", "{\"ee\": \"exact\", \"items\": [\"no\"]}, " LINES ", {\"ee\": \"ignore\", \"items\": [\"lines\"]}"),
      "{\"orders\": [{\"no\": \"1\", \"lines\": [{\"sku\": \"a\"}]}]}", "{\"orders\": [{\"no\": \"1\"}]}");
  assert_string_equal(fixture_attributes(&f, result), "no 1 0 0 0");
  fixture_close(&f);
}

/* A twin -------------------------------------------------------------------------------------------------------------
 *
 * Items of three levels: {"k": KEY, "v": VALUE, "l": [...]}, keys distinct within a list, so that it is plain which
 * items belong together. */
enum { LEVELS = 3, MOST = 5 };

typedef struct node {
  int key, value; /* value 0: missing */
  size_t count;
  struct node *items;
} node;

static void random_nodes(test_random *random, ee_arena *arena, size_t level, node *around) {
  around->count = level == LEVELS ? 0 : test_random_below(random, MOST + 1);
  around->items = EE_NEW_ARRAY(arena, node, MOST);
  for (size_t i = 0; i < around->count; i++) {
    node *item = &around->items[i];
    *item = (node){.key = (int)(i * 2 + test_random_below(random, 2)), .value = (int)test_random_below(random, 4)};
    random_nodes(random, arena, level + 1, item);
  }
}

/* Some values are others, some items gone or new, and the order is another. */
static void vary(test_random *random, ee_arena *arena, size_t level, const node *from, node *to) {
  *to = *from;
  to->items = EE_NEW_ARRAY(arena, node, MOST);
  to->count = 0;
  for (size_t i = 0; i < from->count; i++) {
    if (test_random_below(random, 6) == 0) continue;
    node *item = &to->items[to->count++];
    vary(random, arena, level + 1, &from->items[i], item);
    if (test_random_below(random, 4) == 0) item->value = (int)test_random_below(random, 4);
    if (test_random_below(random, 8) == 0) item->key += 100;
  }
  for (size_t i = to->count; i > 1; i--) {
    size_t other = test_random_below(random, i);
    node kept = to->items[i - 1];
    to->items[i - 1] = to->items[other];
    to->items[other] = kept;
  }
}

static void print_nodes(const node *around, ee_buffer *out) {
  ee_buffer_add_text(out, "\"l\":[");
  for (size_t i = 0; i < around->count; i++) {
    const node *item = &around->items[i];
    ee_buffer_addf(out, "%s{\"k\":%d,", i > 0 ? "," : "", item->key);
    if (item->value > 0) ee_buffer_addf(out, "\"v\":%d,", item->value);
    print_nodes(item, out);
    ee_buffer_add_char(out, '}');
  }
  ee_buffer_add_char(out, ']');
}

static char *nodes_text(const node *around) {
  ee_buffer out;
  ee_buffer_init(&out);
  ee_buffer_add_char(&out, '{');
  print_nodes(around, &out);
  ee_buffer_add_char(&out, '}');
  char *text = strdup(ee_buffer_terminate(&out));
  ee_buffer_fini(&out);
  return text;
}

/* tp, tn, fp, fn of keys and values, one a level. */
typedef struct twin_counts {
  size_t tp, tn, fp, fn;
} twin_counts;

static void twin_value(twin_counts *counts, int expected, int candidate) {
  if (expected == 0 && candidate == 0) {
    counts->tn++;
  } else if (expected == candidate) {
    counts->tp++;
  } else {
    counts->fn += expected != 0;
    counts->fp += candidate != 0;
  }
}

static void twin_alone(const node *item, size_t level, bool expected, twin_counts (*counts)[2]) {
  size_t *keys = expected ? &counts[level][0].fn : &counts[level][0].fp;
  size_t *values = expected ? &counts[level][1].fn : &counts[level][1].fp;
  *keys += 1;
  *values += item->value != 0;
  for (size_t i = 0; i < item->count; i++) twin_alone(&item->items[i], level + 1, expected, counts);
}

static const node *find(const node *around, int key) {
  for (size_t i = 0; i < around->count; i++) {
    if (around->items[i].key == key) return &around->items[i];
  }
  return NULL;
}

static void twin_lists(const node *expected, const node *candidate, size_t level, twin_counts (*counts)[2]) {
  for (size_t i = 0; i < expected->count; i++) {
    const node *item = &expected->items[i], *other = find(candidate, item->key);
    if (other == NULL) {
      twin_alone(item, level, true, counts);
      continue;
    }
    counts[level][0].tp++;
    twin_value(&counts[level][1], item->value, other->value);
    twin_lists(item, other, level + 1, counts);
  }
  for (size_t i = 0; i < candidate->count; i++) {
    if (find(expected, candidate->items[i].key) == NULL) twin_alone(&candidate->items[i], level, false, counts);
  }
}

static double twin_score(twin_counts (*counts)[2]) {
  double sum = 0;
  size_t defined = 0;
  for (size_t i = 0; i < (size_t)LEVELS * 2; i++) {
    const twin_counts *c = &counts[i / 2][i % 2];
    if (c->tp + c->fp + c->fn == 0) continue;
    sum += 2 * (double)c->tp / (double)(2 * c->tp + c->fp + c->fn);
    defined++;
  }
  return defined == 0 ? 1 : sum / (double)defined;
}

#define LEVEL(inner)                                                                                                   \
  "{\"ee\": \"line_items\", \"match\": %s, "                                                                           \
  "\"items\": [\"l\", {\"ee\": \"exact\", \"items\": [\"k\"]}, {\"ee\": \"exact\", \"items\": [\"v\"]}" inner "]}"

static void check_counts(const ee_judge_result *result, twin_counts (*counts)[2]) {
  static const char *const names[LEVELS * 2] = {"k", "v", "l.k", "l.v", "l.l.k", "l.l.v"};
  size_t seen = 0;
  for (size_t i = 0; i < LEVELS * 2; i++) {
    const twin_counts *twin = &counts[i / 2][i % 2];
    if (twin->tp + twin->tn + twin->fp + twin->fn == 0) continue;
    assert_true(seen < result->attribute_count);
    const ee_attribute_result *attribute = &result->attributes[seen++];
    assert_true(ee_str_is(attribute->name, names[i]));
    assert_int_equal(attribute->counts.tp, twin->tp);
    assert_int_equal(attribute->counts.tn, twin->tn);
    assert_int_equal(attribute->counts.fp, twin->fp);
    assert_int_equal(attribute->counts.fn, twin->fn);
  }
  assert_int_equal(seen, result->attribute_count);
}

static void test_against_the_twin(void **state) {
  (void)state;
#define EXACT "{\"items\": [{\"ee\": \"exact\", \"items\": [\"k\"]}], \"method\": "
  static const char *const matches[] = {EXACT "\"greedy\"}", EXACT "\"optimal\"}", "{\"key\": \"k\"}"};
  test_random random = test_random_start("nested_twin", 411);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (size_t round = 0; round < 6; round++) {
    char rules[2048];
    const char *match = matches[round % 3];
    snprintf(rules, sizeof rules, "{\"ee\": \"rules\", \"items\": [" LEVEL(", " LEVEL(", " LEVEL(""))) "]}", match,
             match, match);
    fixture f;
    fixture_open(&f);
    fixture_rules(&f, rules);
    for (size_t i = 0; i < 60; i++) {
      node expected = {0}, candidate = {0};
      random_nodes(&random, &arena, 0, &expected);
      vary(&random, &arena, 0, &expected, &candidate);
      char *left = nodes_text(&expected), *right = nodes_text(&candidate);
      const ee_judge_result *result = fixture_judge_case(&f, left, right);
      twin_counts counts[LEVELS + 1][2] = {{{0}}};
      twin_lists(&expected, &candidate, 0, counts);
      check_counts(result, counts);
      assert_true(fabs(result->score - twin_score(counts)) < 1e-12);
      result = fixture_judge_case(&f, left, left);
      assert_true(result->score == 1 && result->miss_count == 0);
      free(left);
      free(right);
    }
    fixture_close(&f);
    ee_arena_reset(&arena, 0);
  }
  ee_arena_fini(&arena);
}

/* Inner lists alone --------------------------------------------------------------------------------------------------
 */

static void random_lines(test_random *random, ee_buffer *out) {
  ee_buffer_add_char(out, '[');
  size_t count = test_random_below(random, 7);
  for (size_t i = 0; i < count; i++) {
    char text[8] = "";
    for (size_t k = test_random_below(random, 5); k-- > 0;) text[k] = "ab"[test_random_below(random, 2)];
    for (size_t k = 0; k < sizeof text - 1 && text[k] == '\0'; k++) text[k] = 'a';
    text[1 + test_random_below(random, 5)] = '\0';
    ee_buffer_addf(out, "%s{\"d\": \"%s\", \"n\": %d}", i > 0 ? ", " : "", text, (int)test_random_below(random, 3));
  }
  ee_buffer_add_char(out, ']');
}

/* Items that are paired by their place: what is counted inside of them is what judges of each pair of lists count. */
static void check_alone(test_random *random, const char *match) {
  enum { PAIRS = 3 };
  ee_buffer text, sides[2], parts[PAIRS][2];
  ee_buffer_init(&text);
  ee_buffer_addf(&text, "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"match\": {\"method\": \"index\"}, "
                        "\"items\": [\"o\", ");
#define INNER                                                                                                          \
  "{\"ee\": \"line_items\", \"match\": %s, \"items\": [\"l\", {\"ee\": \"exact\", \"items\": [\"d\"]}, "               \
  "{\"ee\": \"exact\", \"items\": [\"n\"]}]}"
  ee_buffer_addf(&text, INNER "]}, ", match);
  ee_buffer_addf(&text,
                 "{\"ee\": \"line_items\", \"name\": \"alone\", \"match\": %s, \"items\": [\"l\", {\"ee\": "
                 "\"exact\", \"items\": [\"d\"]}, {\"ee\": \"exact\", \"items\": [\"n\"]}]}]}",
                 match);
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, ee_buffer_terminate(&text));
  for (size_t side = 0; side < 2; side++) {
    ee_buffer_init(&sides[side]);
    ee_buffer_add_text(&sides[side], "{\"o\": [");
    for (size_t i = 0; i < PAIRS; i++) {
      ee_buffer_init(&parts[i][side]);
      ee_buffer_add_text(&parts[i][side], "{\"l\": ");
      random_lines(random, &parts[i][side]);
      ee_buffer_add_char(&parts[i][side], '}');
      ee_buffer_addf(&sides[side], "%s%s", i > 0 ? ", " : "", ee_buffer_terminate(&parts[i][side]));
    }
    ee_buffer_add_text(&sides[side], "]}");
  }
  uint64_t sums[2][4] = {{0}};
  for (size_t i = 0; i < PAIRS; i++) {
    fixture_judge_case(&f, ee_buffer_terminate(&parts[i][0]), ee_buffer_terminate(&parts[i][1]));
    const ee_judge_result *alone = &f.result.judges[1];
    for (size_t k = 0; k < alone->attribute_count; k++) {
      const ee_counts *counts = &alone->attributes[k].counts;
      uint64_t *sum = sums[alone->attributes[k].slot];
      sum[0] += counts->tp, sum[1] += counts->tn, sum[2] += counts->fp, sum[3] += counts->fn;
    }
  }
  const ee_judge_result *whole = fixture_judge_case(&f, ee_buffer_terminate(&sides[0]), ee_buffer_terminate(&sides[1]));
  uint64_t counted[2][4] = {{0}};
  for (size_t k = 0; k < whole->attribute_count; k++) {
    const ee_counts *counts = &whole->attributes[k].counts;
    uint64_t *sum = counted[whole->attributes[k].slot];
    sum[0] += counts->tp, sum[1] += counts->tn, sum[2] += counts->fp, sum[3] += counts->fn;
  }
  assert_memory_equal(sums, counted, sizeof sums);
  fixture_close(&f);
  ee_buffer_fini(&text);
  for (size_t side = 0; side < 2; side++) {
    ee_buffer_fini(&sides[side]);
    for (size_t i = 0; i < PAIRS; i++) ee_buffer_fini(&parts[i][side]);
  }
}

static void test_inner_lists_alone(void **state) {
  (void)state;
  static const char *const matches[] = {"{\"items\": [\"d\"], \"threshold\": 0.5}",
                                        "{\"items\": [\"d\"], \"threshold\": 0.5, \"method\": \"optimal\"}",
                                        "{\"key\": \"d\"}", "{\"method\": \"index\"}", "\"fields\""};
  test_random random = test_random_start("nested_alone", 412);
  for (size_t i = 0; i < 200; i++) check_alone(&random, matches[i % 5]);
}

/* Orders of two lines of few values: many ties, which the lines break in some way, but never by their order. */
static void add_orders(char *out, size_t size, const unsigned *values, bool turned) {
  size_t length = (size_t)snprintf(out, size, "{\"orders\": [");
  for (size_t i = 0; i < 3; i++) {
    unsigned first = values[2 * i], second = values[2 * i + 1];
    if (turned) {
      unsigned kept = first;
      first = second;
      second = kept;
    }
    length += (size_t)snprintf(out + length, size - length,
                               "%s{\"no\": \"N\", \"by\": \"x\", \"lines\": [{\"sku\": \"s%u\", \"qty\": 1}, {\"sku\": "
                               "\"s%u\", \"qty\": 1}]}",
                               i > 0 ? ", " : "", first, second);
  }
  snprintf(out + length, size - length, "]}");
}

static void test_order_of_inner_items(void **state) {
  (void)state;
  test_random random = test_random_start("order of inner items", 91);
  static const char *const rules[] = {
      ORDERS("", "{\"ee\": \"exact\", \"items\": [\"by\"]}, " LINES),
      "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"line\": 2, \"match\": {\"items\": [\"no\"], "
      "\"method\": "
      "\"optimal\"}, \"items\": [\"orders\", {\"ee\": \"exact\", \"items\": [\"by\"]}, " LINES "]}]}"};
  for (size_t round = 0; round < 600; round++) {
    unsigned left[6], right[6];
    for (size_t i = 0; i < 6; i++) {
      left[i] = (unsigned)test_random_below(&random, 4);
      right[i] = (unsigned)test_random_below(&random, 4);
    }
    char expected[800], candidate[800], turned[800];
    add_orders(expected, sizeof expected, left, false);
    add_orders(candidate, sizeof candidate, right, false);
    add_orders(turned, sizeof turned, right, true);
    fixture f;
    fixture_open(&f);
    double straight = fixture_judge_rules(&f, rules[round % 2], expected, candidate)->score;
    double other = fixture_judge_rules(&f, rules[round % 2], expected, turned)->score;
    assert_true(straight == other);
    fixture_close(&f);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_pairs), cmocka_unit_test(test_depth), cmocka_unit_test(test_inner_paths),
             cmocka_unit_test(test_keys_of_the_data), cmocka_unit_test(test_no_list), cmocka_unit_test(test_conditions),
             cmocka_unit_test(test_mistakes), cmocka_unit_test(test_ignored), cmocka_unit_test(test_against_the_twin),
             cmocka_unit_test(test_inner_lists_alone), cmocka_unit_test(test_order_of_inner_items));
