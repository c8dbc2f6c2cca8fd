/* test_item_scores.c: the scores of ee.line_items (score, of, clip, below_threshold) against a slow version of them. */
#include "judge/plan_fixture.h"

#include <math.h>

#include "judge/line_items/line_items.h"
#include "support/random.h"

enum { MOST = 7 };
typedef enum score_name { MACRO, MICRO, COVERAGE, MEAN, SCORES } score_name;
static const char *const score_names[SCORES] = {"macro_f1", "micro_f1", "coverage", "mean"};
static const char *const of_names[] = {"union", "longer", "expected"};

/* An item: a key that no other item of its array has, a number, which may be missing (0), and a name. */
typedef struct item {
  int key, number;
  char name;
} item;

typedef struct setting {
  score_name score;
  int of;
  double clip, weights[2];
  bool below;
} setting;

typedef struct tally {
  double tp, fp, fn, wrong;
} tally;

static void write_items(char *out, const item *items, size_t count) {
  out += sprintf(out, "[");
  for (size_t i = 0; i < count; i++) {
    out += sprintf(out, "%s{\"key\":\"%c%c%c\",\"name\":\"%c\"", i > 0 ? "," : "", 'a' + items[i].key,
                   'a' + items[i].key, 'a' + items[i].key, items[i].name);
    if (items[i].number != 0) out += sprintf(out, ",\"number\":%d", items[i].number);
    out += sprintf(out, "}");
  }
  strcpy(out, "]");
}

/* One side alone. */
static void add_single(tally *c, const item *one, bool expected) {
  c[0].fn += expected && one->number != 0;
  c[0].fp += !expected && one->number != 0;
  c[1].fn += expected;
  c[1].fp += !expected;
}

static double f1(const tally *c) { return c->tp == 0 ? 0 : 2 * c->tp / (2 * c->tp + c->fp + c->fn); }

/* The score from the definition. Items belong together if they have the same key. What is left over is a pair each
 * where `below` says so: then every number is there, so that it does not matter which ones are pairs. */
static double twin(const setting *s, const item *expected, size_t n, const item *candidate, size_t m, bool *vacuous) {
  tally c[2] = {{.tp = 0}, {.tp = 0}};
  double sum = 0;
  size_t pairs = 0;
  bool used[MOST] = {false};
  size_t left[2] = {0, 0};
  const item *alone[2][MOST];
  for (size_t i = 0; i < n; i++) {
    const item *x = &expected[i], *y = NULL;
    for (size_t k = 0; k < m; k++) {
      if (candidate[k].key != x->key) continue;
      y = &candidate[k];
      used[k] = true;
    }
    if (y == NULL) {
      alone[0][left[0]++] = x;
      continue;
    }
    pairs++;
    double number = x->number == y->number ? 1 : 0, name = x->name == y->name ? 1 : 0;
    if (x->number != 0 && y->number != 0) number = fmax(0, 1 - fabs((double)(x->number - y->number)) / x->number);
    c[0].tp += x->number == y->number && x->number != 0;
    bool wrong = x->number != y->number && x->number != 0 && y->number != 0;
    c[0].wrong += wrong;
    c[0].fp += wrong || (x->number == 0 && y->number != 0);
    c[0].fn += wrong || (x->number != 0 && y->number == 0);
    c[1].tp += name;
    c[1].wrong += 1 - name;
    c[1].fp += 1 - name;
    c[1].fn += 1 - name;
    double score = (s->weights[0] * number + s->weights[1] * name) / (s->weights[0] + s->weights[1]);
    if (score >= s->clip) sum += score;
  }
  for (size_t k = 0; k < m; k++)
    if (!used[k]) alone[1][left[1]++] = &candidate[k];
  size_t below = !s->below ? 0 : left[0] < left[1] ? left[0] : left[1];
  for (size_t i = 0; i < left[0]; i++) add_single(c, alone[0][i], true);
  for (size_t i = 0; i < left[1]; i++) add_single(c, alone[1][i], false);
  for (size_t i = 0; i < 2; i++) c[i].wrong += (double)below;
  *vacuous = n + m == 0;
  if (s->score == MEAN) {
    size_t divisor = s->of == 0 ? pairs + left[0] + left[1] - below : s->of == 1 ? (n > m ? n : m) : n;
    *vacuous = divisor == 0 && m == 0;
    return divisor > 0 ? sum / (double)divisor : m > 0 ? 0 : 1;
  }
  double top = 0, bottom = 0;
  for (size_t i = 0; i < 2; i++) {
    double w = s->weights[i];
    switch (s->score) {
    case MACRO:
      if (c[i].tp + c[i].fp + c[i].fn == 0) continue;
      top += w * f1(&c[i]);
      bottom += w;
      break;
    case MICRO:
      top += w * 2 * c[i].tp;
      bottom += w * (2 * c[i].tp + c[i].fp + c[i].fn);
      break;
    default: top += w * (c[i].tp + c[i].wrong); bottom += w * (c[i].tp + c[i].fn);
    }
  }
  if (bottom > 0) return top / bottom;
  return m > 0 ? 0 : 1;
}

static size_t make_items(test_random *random, item *items, bool full) {
  size_t count = test_random_below(random, MOST + 1);
  int keys[10];
  for (int i = 0; i < 10; i++) keys[i] = i;
  for (size_t i = 0; i < count; i++) {
    size_t at = i + test_random_below(random, 10 - i);
    int key = keys[at];
    keys[at] = keys[i];
    keys[i] = key;
    items[i] = (item){key, (int)test_random_below(random, 5) + 1, (char)('p' + test_random_below(random, 3))};
    if (!full && test_random_below(random, 4) == 0) items[i].number = 0;
  }
  return count;
}

static void agrees_with_a_slow_version(void **state) {
  (void)state;
  test_random random = test_random_start("scores of line items", 421);
  for (size_t round = 0; round < 4000; round++) {
    fixture f;
    fixture_open(&f);
    setting s = {.score = (score_name)test_random_below(&random, SCORES), .of = (int)test_random_below(&random, 3)};
    s.below = test_random_below(&random, 2) == 1;
    if (s.score == MEAN && test_random_below(&random, 2) == 1) s.clip = (double)test_random_below(&random, 5) / 4;
    for (size_t i = 0; i < 2; i++) s.weights[i] = (double)(1 + test_random_below(&random, 4)) / 2;
    char more[100] = "", rules[800], texts[2][1000];
    if (s.score == MEAN) sprintf(more, ",\"of\":\"%s\",\"clip\":%g", of_names[s.of], s.clip);
    snprintf(rules, sizeof rules,
             "{\"ee\":\"rules\",\"items\":[{\"ee\":\"line_items\",\"score\":\"%s\"%s,\"below_threshold\":\"%s\","
             "\"match\":{\"items\":[\"key\"],\"method\":\"%s\"},\"items\":[\"lines\","
             "{\"ee\":\"numeric\",\"items\":[\"number\"],\"score\":\"linear\",\"weight\":%g},"
             "{\"ee\":\"exact\",\"items\":[\"name\"],\"weight\":%g}]}]}",
             score_names[s.score], more, s.below ? "incorrect" : "apart", round % 2 == 0 ? "greedy" : "optimal",
             s.weights[0], s.weights[1]);
    item items[2][MOST];
    size_t counts[2];
    for (size_t i = 0; i < 2; i++) {
      counts[i] = make_items(&random, items[i], s.below);
      size_t length = (size_t)sprintf(texts[i], "{\"lines\":");
      write_items(texts[i] + length, items[i], counts[i]);
      strcat(texts[i], "}");
    }
    bool vacuous;
    double wanted = twin(&s, items[0], counts[0], items[1], counts[1], &vacuous);
    const ee_judge_result *result = fixture_judge_rules(&f, rules, texts[0], texts[1]);
    if (fabs(result->score - wanted) > 1e-12)
      fail_msg("%s\n%s\n%s: %.17g, twin %.17g", rules, texts[0], texts[1], result->score, wanted);
    assert_int_equal(result->vacuous, vacuous);
    /* A perfect answer. */
    if (fixture_judge_case(&f, texts[0], texts[0])->score != 1) fail_msg("%s\n%s: not perfect", rules, texts[0]);
    fixture_close(&f);
  }
}

#define LINES(options, fields)                                                                                         \
  "{\"ee\":\"rules\",\"items\":[{\"ee\":\"line_items\"," options ",\"items\":[\"lines\"," fields "]}]}"
#define QTY_AND_SKU "{\"ee\":\"numeric\",\"items\":[\"qty\"]},{\"ee\":\"exact\",\"items\":[\"sku\"]}"

/* What is left over, as pairs: reported as pairs, and nothing in them is right. */
static void shows_pairs_below(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const char *expected =
      "{\"lines\":[{\"description\":\"bolts\",\"qty\":1,\"sku\":\"a\"},{\"description\":\"wire\",\"qty\":2},"
      "{\"description\":\"glue\",\"qty\":3}]}";
  const char *candidate =
      "{\"lines\":[{\"description\":\"wired\",\"qty\":1,\"sku\":\"a\"},{\"description\":\"bolts\",\"qty\":1,"
      "\"sku\":\"a\"}]}";
  const ee_judge_result *result = fixture_judge_rules(
      &f,
      LINES("\"match\":{\"items\":[\"description\"],\"threshold\":0.9},\"below_threshold\":\"incorrect\"", QTY_AND_SKU),
      expected, candidate);
  assert_reasoning(result, "1/3 items matched, 1 missing, 0 extra, 1 below the threshold");
  assert_hits(&f, result, "lines[0]");
  assert_misses(
      &f, result,
      "lines[1].qty (similarity 0.8 below 0.9); lines[1].sku (similarity 0.8 below 0.9); lines[2] (missing item)");
  assert_string_equal(fixture_attributes(&f, result), "qty 1 0 1 2; sku 1 0 1 0");
  assert_int_equal(ee_item_report_of(result)->alignment_count, 2);
  ee_buffer_clear(&f.text);
  fixture_write_details(result, &f.text);
  assert_non_null(strstr(ee_buffer_terminate(&f.text),
                         "\"items\":{\"matched\":1,\"missing\":1,\"extra\":0,\"below_threshold\":1}"));
  fixture_close(&f);
}

/* An inner list is one more value of a pair. */
static void means_of_inner_lists(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_judge_result *result = fixture_judge_rules(
      &f,
      LINES("\"match\":\"id\",\"score\":\"mean\",\"of\":\"longer\"",
            "{\"ee\":\"exact\",\"items\":[\"sku\"],\"weight\":3},{\"ee\":\"line_items\",\"match\":\"id\",\"weight\":2,"
            "\"items\":[\"parts\",{\"ee\":\"exact\",\"items\":[\"n\"]}]}"),
      "{\"lines\":[{\"id\":\"a\",\"sku\":1,\"parts\":[{\"id\":\"x\",\"n\":1},{\"id\":\"y\",\"n\":2}]},{\"id\":\"b\","
      "\"sku\":2}]}",
      "{\"lines\":[{\"id\":\"b\",\"sku\":2},{\"id\":\"a\",\"sku\":1,\"parts\":[{\"id\":\"x\",\"n\":1},{\"id\":\"z\","
      "\"n\":2},{\"id\":\"u\"}]}]}");
  /* The parts: one pair of 1, three items in the longer array; then (3*1 + 2/3)/5, and 1 for the item without parts. */
  assert_float_equal(result->score, ((3 + 2.0 / 3) / 5 + 1) / 2, 1e-15);
  fixture_close(&f);
}

static void reports_mistakes(void **state) {
  (void)state;
  static const struct {
    const char *rules, *message;
  } cases[] = {
      {LINES("\"clip\":0.5", QTY_AND_SKU), "option 'clip' of ee.line_items belongs to score = \"mean\""},
      {LINES("\"score\":\"coverage\",\"of\":\"longer\"", QTY_AND_SKU),
       "option 'of' of ee.line_items belongs to score = \"mean\""},
      {LINES("\"match\":{\"method\":\"index\"},\"below_threshold\":\"incorrect\"", QTY_AND_SKU),
       "below_threshold = \"incorrect\" of ee.line_items needs method 'greedy' or 'optimal'"},
      {LINES("\"compare_methods\":true,\"below_threshold\":\"incorrect\"", QTY_AND_SKU),
       "ee.line_items must have 'below_threshold' or 'compare_methods', not both"},
      {LINES("\"match\":\"id\"", "{\"ee\":\"line_items\",\"score\":\"mean\",\"items\":[\"parts\"," QTY_AND_SKU "]}"),
       "option 'score' belongs to the outermost ee.line_items"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f;
    fixture_open(&f);
    fixture_compile(&f, cases[i].rules);
    fixture_check_errors(&f, (const char *const[]){ee_arena_printf(&f.arena, "1: %s", cases[i].message), NULL});
    fixture_close(&f);
  }
}

/* How the score of items without fields came about. */
static void explains_items_without_fields(void **state) {
  (void)state;
  static const struct {
    const char *candidate, *formula;
  } cases[] = {{"{\"lines\":[\"b\",\"a\"]}", "nothing to score = 1"},
               {"{\"lines\":[\"a\"]}", "items without a partner and without fields = 0"},
               {"{\"lines\":[\"a\",\"c\"]}", "items without a partner and without fields = 0"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f;
    fixture_open(&f);
    f.detail = EE_DETAIL_FULL;
    fixture_rules(&f, "{\"ee\":\"rules\",\"items\":[{\"ee\":\"line_items\",\"items\":[\"lines\"]}]}");
    const ee_judge_result *result = fixture_judge_case(&f, "{\"lines\":[\"a\",\"b\"]}", cases[i].candidate);
    if (!ee_str_is(result->formula, cases[i].formula)) fail_msg("%zu: %.*s", i, EE_STR_ARG(result->formula));
    fixture_close(&f);
  }
}

/* What is counted of a value in a pair below the threshold: it is wrong, missing or invented, and what cannot be read
 * is counted as that. */
static void counts_values_below(void **state) {
  (void)state;
  static const struct {
    const char *expected, *candidate, *counts; /* tp fp fn, unread expected and candidate values */
  } cases[] = {{"1", "1", "0 1 1, 0 0"},        {"1", "2", "0 1 1, 0 0"},        {"1", "null", "0 0 1, 0 0"},
               {"null", "1", "0 1 0, 0 0"},     {"\"x\"", "1", "0 0 0, 1 0"},    {"1", "\"x\"", "0 1 1, 0 1"},
               {"null", "\"x\"", "0 1 0, 0 1"}, {"\"x\"", "null", "0 0 0, 1 0"}, {"\"x\"", "\"y\"", "0 0 0, 1 1"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f;
    fixture_open(&f);
    char left[100], right[100], counts[64];
    snprintf(left, sizeof left, "{\"lines\":[{\"k\":\"abcd\",\"a\":%s}]}", cases[i].expected);
    snprintf(right, sizeof right, "{\"lines\":[{\"k\":\"abyz\",\"a\":%s}]}", cases[i].candidate);
    fixture_rules(&f,
                  LINES("\"match\":\"k\",\"below_threshold\":\"incorrect\"", "{\"ee\":\"numeric\",\"items\":[\"a\"]}"));
    const ee_judge_result *result = fixture_judge_case(&f, left, right);
    assert_int_equal(result->attribute_count, 1);
    const ee_counts *of = &result->attributes[0].counts;
    snprintf(counts, sizeof counts, "%d %d %d, %d %d", (int)of->tp, (int)of->fp, (int)of->fn, (int)of->unread,
             (int)of->unread_candidates);
    if (strcmp(counts, cases[i].counts) != 0) fail_msg("%s and %s: %s", cases[i].expected, cases[i].candidate, counts);
    fixture_close(&f);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(agrees_with_a_slow_version), cmocka_unit_test(shows_pairs_below),
             cmocka_unit_test(means_of_inner_lists), cmocka_unit_test(reports_mistakes),
             cmocka_unit_test(explains_items_without_fields), cmocka_unit_test(counts_values_below));
