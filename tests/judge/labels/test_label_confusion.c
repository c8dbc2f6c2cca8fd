/* test_label_confusion.c: a label against a label: the case, the matrix, and a slow twin of the metrics over the cases
 * themselves. */
#include "judge/corpus_state.h"
#include "judge/corpus_view.h"
#include "judge/plan_fixture.h"

#include <math.h>

#include "judge/label_matrix.h"
#include "run/totals.h"
#include "support/random.h"

#define RULES(options) "{\"ee\":\"rules\",\"items\":[{\"ee\":\"confusion\",\"items\":[\"l\"]" options "}]}"

/* One case ------------------------------------------------------------------------------------- */

static void assert_case(const char *rules, const char *expected, const char *candidate, double score,
                        const char *misses, const char *attributes) {
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, rules);
  const ee_judge_result *result = fixture_judge_case(&f, expected, candidate);
  assert_misses(&f, result, misses);
  assert_string_equal(fixture_attributes(&f, result), attributes);
  assert_true(result->score == score);
  fixture_close(&f);
}

static void test_cases(void **state) {
  (void)state;
  assert_case(RULES(), "{\"l\":\"a\"}", "{\"l\":\"a\"}", 1, "", "a* 1 0 0 0");
  assert_case(RULES(), "{\"l\":\"a\"}", "{\"l\":\"b\"}", 0, "l (value mismatch)", "a* 0 0 0 1; b* 0 0 1 0");
  assert_case(RULES(), "{\"l\":\"a\"}", "{}", 0, "l (required, missing)", "a* 0 0 0 1");
  assert_case(RULES(), "{}", "{\"l\":\"a\"}", 0, "l (nothing expected)", "a* 0 0 1 0");
  assert_case(RULES(), "{}", "{\"l\":\"\"}", 1, "", "");
  assert_case(RULES(), "{\"l\":\"a\"}", NULL, 0, "candidate (missing); l (required, missing)", "a* 0 0 0 1");
  assert_case(RULES(), "{}", NULL, 0, "candidate (missing)", "");
  assert_case(RULES(), "{\"l\":1}", "{\"l\":\"1\"}", 1, "", "1* 1 0 0 0");
  assert_case(RULES(), "{\"l\":true}", "{\"l\":false}", 0, "l (value mismatch)", "true* 0 0 0 1; false* 0 0 1 0");
  assert_case(RULES(), "{\"l\":\"a\"}", "{\"l\":[\"a\"]}", 0, "l (not a label)", "a* 0 0 0 1");
  assert_case(RULES(), "{\"l\":{}}", "{\"l\":\"a\"}", 0, "l (an object, not a label)", "");
  assert_case(RULES(",\"normalize\":[\"trim\",\"casefold\"]"), "{\"l\":\"A\"}", "{\"l\":\" a\"}", 1, "", "a* 1 0 0 0");
  /* Labels that the rules do not name are others, but right only if they are equal. */
  assert_case(RULES(",\"labels\":[\"a\"]"), "{\"l\":\"x\"}", "{\"l\":\"y\"}", 0, "l (value mismatch)",
              "(other)* 0 0 1 1");
  assert_case(RULES(",\"labels\":[\"a\"]"), "{\"l\":\"x\"}", "{\"l\":\"x\"}", 1, "", "(other)* 1 0 0 0");
  /* The rules' own empty values are none. */
#define NULLS "{\"ee\":\"rules\",\"null_values\":[\"-\"],\"items\":[{\"ee\":\"confusion\",\"items\":[\"l\"]}]}"
  assert_case(NULLS, "{\"l\":\"-\"}", "{\"l\":\"a\"}", 0, "l (nothing expected)", "a* 0 0 1 0");
  assert_case(NULLS, "{\"l\":\"a\"}", "{\"l\":\"-\"}", 0, "l (required, missing)", "a* 0 0 0 1");
  assert_case(RULES(), "{\"l\":\"-\"}", "{\"l\":\"a\"}", 0, "l (value mismatch)", "-* 0 0 0 1; a* 0 0 1 0");
  check_mistakes(RULES(",\"line\":2,\"labels\":[\"a\",\"a\"],\"normalize\":[\"upper\"]"),
                 "2: option 'normalize' of ee.confusion: no normal form is called 'upper'",
                 "2: option 'labels' of ee.confusion has 'a' twice");
}

/* What becomes empty by its normal forms is no label, and a number is the label of its digits. */
static void test_normal_forms(void **state) {
  (void)state;
#define FORMS ",\"normalize\":[\"digits\"]"
  assert_case(RULES(FORMS), "{\"l\":\"-\"}", "{}", 1, "", "");
  assert_case(RULES(FORMS), "{\"l\":\"-\"}", "{\"l\":\"no 7\"}", 0, "l (nothing expected)", "7* 0 0 1 0");
  assert_case(RULES(FORMS), "{\"l\":\"7\"}", "{\"l\":\"x\"}", 0, "l (required, missing)", "7* 0 0 0 1");
  assert_case(RULES(FORMS ",\"labels\":[\"7\"]"), "{\"l\":7}", "{\"l\":\"a-7\"}", 1, "", "7* 1 0 0 0");
  check_mistakes(RULES(",\"line\":2,\"normalize\":[1]"),
                 "2: option 'normalize' of ee.confusion must be an array of strings, but item 1 is a number");
}

/* Labels that the option cannot have. */
static void test_bad_labels(void **state) {
  (void)state;
  check_mistakes(RULES(",\"line\":2,\"labels\":[\"a\",\"(other)\"]"),
                 "2: option 'labels' of ee.confusion has '(other)', which all other labels are called");
  check_mistakes(RULES(",\"line\":2,\"labels\":[\" \",\"a\"]"),
                 "2: option 'labels' of ee.confusion has a label that is empty, and empty values are not labels");
  check_mistakes(
      RULES(FORMS ",\"line\":2,\"labels\":[\"7\",\"x\"]"),
      "2: option 'labels' of ee.confusion has a label that is empty in its normal form, and empty values are not "
      "labels");
}

static void test_print(void **state) {
  (void)state;
  static const struct {
    const char *rules, *wanted;
  } cases[] = {{RULES(), "  label l\n"},
               {RULES(",\"candidate\":\"m\",\"normalize\":[\"trim\",\"casefold\"],\"labels\":[\"a\",\"B b\"]"),
                "  label l, in the candidate m\n  normalize trim, casefold\n  labels a, b b\n"}};
  for (size_t i = 0; i < 2; i++) {
    fixture f;
    fixture_open(&f);
    fixture_rules(&f, cases[i].rules);
    const ee_judge *judge = f.plan->judges[0];
    judge->type->print(judge, &f.text);
    assert_string_equal(ee_buffer_terminate(&f.text), cases[i].wanted);
    fixture_close(&f);
  }
}

/* A gate on weighted kappa needs an order of the labels. */
static void test_gates(void **state) {
  (void)state;
  static const char *const metrics[] = {"kappa", "kappa_linear", "kappa_quadratic", "mcc"};
  for (size_t i = 0; i < 4; i++)
    for (int labels = 0; labels < 2; labels++) {
      fixture f;
      fixture_open(&f);
      char rules[300];
      snprintf(rules, sizeof rules,
               "{\"ee\":\"rules\",\"items\":[{\"ee\":\"confusion\",\"items\":[\"l\"]%s},{\"ee\":\"gate\",\"judge\":"
               "\"confusion\","
               "\"metric\":\"%s\",\"min\":0.5}]}",
               labels ? ",\"labels\":[\"a\",\"b\"]" : "", metrics[i]);
      bool refused = fixture_compile(&f, rules) == NULL;
      assert_true(refused == (!labels && (i == 1 || i == 2)));
      if (refused) assert_non_null(strstr(f.errors.items[0].message, "labels have no order without option 'labels'"));
      fixture_close(&f);
    }
}

/* The data set --------------------------------------------------------------------------------- */

typedef struct data_set {
  fixture f;
  ee_totals totals;
} data_set;

static void open_set(data_set *d, const char *rules) {
  fixture_open(&d->f);
  fixture_rules(&d->f, rules);
  ee_totals_init(&d->totals, d->f.plan);
}

static void close_set(data_set *d) {
  ee_totals_fini(&d->totals);
  fixture_close(&d->f);
}

static void judge_into(data_set *d, ee_totals *totals, const char *id, const char *expected, const char *candidate) {
  fixture *f = &d->f;
  ee_arena_reset(&f->case_arena, 0);
  f->current = (ee_case){.id = ee_str_from(id),
                         .expected = fixture_json(&f->case_arena, expected),
                         .candidate = fixture_json(&f->case_arena, candidate),
                         .candidate_state = EE_CANDIDATE_READ};
  f->context =
      (ee_context){.plan = f->plan, .arena = &f->case_arena, .script = &f->script, .rule_errors = &f->rule_errors};
  ee_plan_judge(f->plan, &f->context, &f->current, &f->result);
  ee_totals_add(totals, &f->result, &f->case_arena);
}

static const ee_corpus_summary *finish(data_set *d) {
  ee_totals_finish(&d->totals);
  return d->totals.all.judges[0].corpus;
}

/* Labels of the twin: 0 to 4 are named, 5 is another one, 6 is none, 7 another one that is not the expected other one.
 */
enum { NAMED = 5, OTHER = 5, NONE = 6, KINDS = 7, ANOTHER = 7 };
static const char *const names[] = {"\"e\"", "\"c\"", "\"a\"", "\"d\"", "\"b\"", "\"z\"", "null", "\"y\""};

typedef struct twin_case {
  int x, y;
} twin_case;

static void assert_close(const ee_corpus_summary *figures, const char *name, bool defined, double value) {
  const ee_corpus_metric *found = figure_find(figures, name);
  assert_non_null(found);
  if (found->defined != defined || (defined && fabs(found->value - value) > 1e-12))
    fail_msg("%s: %d %.17g, not %d %.17g", name, found->defined, found->value, defined, value);
}

/* Everything by loops over the cases. */
static void check_twin(const ee_corpus_summary *figures, const twin_case *cases, size_t all) {
  double n = 0, right = 0, by_chance = 0, pairs = 0, missing = 0, spurious = 0, balanced = 0, labels = 0;
  double seen[2] = {0}, chance[2] = {0}, ranked = 0, xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < all; i++) n += cases[i].x != NONE || cases[i].y != NONE;
  for (size_t i = 0; i < all; i++) {
    twin_case one = cases[i];
    if (one.x == NONE && one.y == NONE) continue;
    right += one.x == one.y;
    missing += one.y == NONE;
    spurious += one.x == NONE;
    ranked += one.x < NAMED && one.y < NAMED;
    for (size_t k = 0; k < all; k++) {
      twin_case other = cases[k];
      if (other.x == NONE && other.y == NONE) continue;
      pairs++;
      by_chance += one.x == other.y;
      if (one.x >= NAMED || one.y >= NAMED || other.x >= NAMED || other.y >= NAMED) continue;
      chance[0] += abs(one.x - other.y);
      chance[1] += (one.x - other.y) * (one.x - other.y);
    }
    if (one.x >= NAMED || one.y >= NAMED) continue;
    seen[0] += abs(one.x - one.y);
    seen[1] += (one.x - one.y) * (one.x - one.y);
  }
  for (int label = 0; label <= ANOTHER; label++) {
    double of = 0, good = 0, mean_x = 0, mean_y = 0;
    for (size_t i = 0; i < all; i++) {
      if (cases[i].x == NONE && cases[i].y == NONE) continue;
      of += cases[i].x == label;
      good += cases[i].x == label && cases[i].y == label;
      mean_x += (cases[i].x == label) / n;
      mean_y += (cases[i].y == label) / n;
    }
    if (label != NONE && of > 0) {
      balanced += good / of;
      labels++;
    }
    for (size_t i = 0; i < all; i++) {
      if (cases[i].x == NONE && cases[i].y == NONE) continue;
      double left = (cases[i].x == label) - mean_x, other = (cases[i].y == label) - mean_y;
      xy += left * other;
      xx += left * left;
      yy += other * other;
    }
  }
  double observed = right / n, expected = by_chance / pairs;
  assert_close(figures, "accuracy", n > 0, observed);
  assert_close(figures, "balanced_accuracy", labels > 0, balanced / labels);
  assert_close(figures, "kappa", n > 0 && by_chance < pairs, (observed - expected) / (1 - expected));
  assert_close(figures, "kappa_linear", chance[0] > 0, 1 - seen[0] / ranked / (chance[0] / (ranked * ranked)));
  assert_close(figures, "kappa_quadratic", chance[1] > 0, 1 - seen[1] / ranked / (chance[1] / (ranked * ranked)));
  assert_close(figures, "mcc", xx > 1e-9 && yy > 1e-9, xy / sqrt(xx * yy));
  assert_close(figures, "missing", true, missing);
  assert_close(figures, "spurious", true, spurious);
  assert_close(figures, "labelled", true, n);
  assert_close(figures, "correct", true, right);
  assert_close(figures, "incorrect", true, n - right - missing - spurious);
  /* The matrix, cell by cell. */
  const ee_label_summary *matrix = figures->confusion;
  assert_int_equal(matrix->count, NAMED);
  for (int x = 0; x < KINDS; x++)
    for (int y = 0; y < KINDS; y++) {
      uint64_t count = 0;
      for (size_t i = 0; i < all; i++) count += cases[i].x == x && (cases[i].y == ANOTHER ? OTHER : cases[i].y) == y;
      if (x == NONE && y == NONE) count = 0;
      assert_int_equal(ee_label_summary_at(matrix, (size_t)x, (size_t)y), count);
    }
}

static void test_twin(void **state) {
  (void)state;
  test_random random = test_random_start("confusion", 2004);
  data_set d;
  open_set(&d, RULES(",\"labels\":[\"e\",\"c\",\"a\",\"d\",\"b\"]"));
  for (int round = 0; round < 1000; round++) {
    twin_case cases[40];
    size_t count = test_random_below(&random, 41), kinds = 1 + test_random_below(&random, KINDS);
    ee_totals parts[2];
    for (int i = 0; i < 2; i++) ee_totals_init(&parts[i], d.f.plan);
    for (size_t i = 0; i < count; i++) {
      cases[i].x = (int)test_random_below(&random, kinds);
      cases[i].y = test_random_below(&random, 2) ? cases[i].x : (int)test_random_below(&random, KINDS);
      char id[24], expected[24], candidate[24];
      if (cases[i].x == OTHER && cases[i].y == OTHER && test_random_below(&random, 3) == 0) cases[i].y = ANOTHER;
      sprintf(id, "%zu", i);
      sprintf(expected, "{\"l\":%s}", names[cases[i].x]);
      sprintf(candidate, "{\"l\":%s}", names[cases[i].y]);
      judge_into(&d, &parts[test_random_below(&random, 2)], id, expected, candidate);
    }
    for (int i = 0; i < 2; i++) {
      corpus_through_state(&parts[i]);
      ee_totals_merge(&d.totals, &parts[i]);
      ee_totals_fini(&parts[i]);
    }
    check_twin(finish(&d), cases, count);
    ee_totals_clear(&d.totals);
  }
  close_set(&d);
}

/* The bound on labels -------------------------------------------------------------------------- */

/* Adds pairs of labels that are numbers. */
static void add_pair(ee_label_matrix *matrix, int x, int y) {
  uint32_t numbers[2];
  const int labels[2] = {x, y};
  for (int i = 0; i < 2; i++) {
    char name[16];
    sprintf(name, "%03d", labels[i]);
    numbers[i] = labels[i] < 0 ? EE_LABEL_NONE : ee_label_matrix_find(matrix, ee_str_from(name));
  }
  ee_label_matrix_add(matrix, numbers[0], numbers[1], 1);
  matrix->labels.items[numbers[0]].fields[0]++;
  ee_label_matrix_settle(matrix);
}

static void write_state(ee_label_matrix *matrix, ee_buffer *out) {
  ee_state_line line;
  ee_buffer_clear(out);
  ee_state_write(&line, out);
  ee_label_matrix_state(matrix, &line);
  assert_true(ee_state_close(&line));
}

/* Whatever the order and the parts: the first labels by name are kept, the others are one. */
static void test_bound(void **state) {
  (void)state;
  enum { PAIRS = 120, LIMIT = 5, PARTS = 3 };
  test_random random = test_random_start("label matrix", 400);
  ee_buffer first = {0}, again = {0};
  for (int round = 0; round < 500; round++) {
    int pairs[PAIRS][2];
    size_t count = test_random_below(&random, PAIRS);
    for (size_t i = 0; i < count; i++)
      for (int k = 0; k < 2; k++) pairs[i][k] = (int)test_random_below(&random, 40) - 1;
    for (int order = 0; order < 3; order++) {
      ee_label_matrix parts[PARTS];
      for (int i = 0; i < PARTS; i++) {
        ee_label_matrix_init(&parts[i], NULL, 0, 1);
        parts[i].limit = LIMIT;
      }
      for (size_t i = count; i > 1; i--) {
        size_t k = test_random_below(&random, i);
        for (int side = 0; side < 2; side++) {
          int swapped = pairs[i - 1][side];
          pairs[i - 1][side] = pairs[k][side];
          pairs[k][side] = swapped;
        }
      }
      for (size_t i = 0; i < count; i++) add_pair(&parts[test_random_below(&random, PARTS)], pairs[i][0], pairs[i][1]);
      for (int i = 1; i < PARTS; i++) ee_label_matrix_merge(&parts[0], &parts[i]);
      write_state(&parts[0], order == 0 ? &first : &again);
      if (order > 0) assert_true(again.length == first.length && memcmp(again.data, first.data, first.length) == 0);
      ee_arena arena;
      ee_arena_init(&arena, 0);
      const ee_label_summary *summary = ee_label_matrix_summarize(&parts[0], &arena);
      /* A twin by the definition. */
      bool there[40] = {false};
      for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 2; k++)
          if (pairs[i][k] >= 0) there[pairs[i][k]] = true;
      int kept[LIMIT];
      size_t labels = 0;
      for (int label = 0; label < 40 && labels < LIMIT; label++)
        if (there[label]) kept[labels++] = label;
      assert_int_equal(summary->count, labels);
      uint64_t sums[LIMIT + 2][LIMIT + 2] = {{0}};
      for (size_t i = 0; i < count; i++) {
        size_t places[2];
        for (int k = 0; k < 2; k++) {
          places[k] = pairs[i][k] < 0 ? labels + 1 : labels;
          for (size_t l = 0; l < labels; l++)
            if (kept[l] == pairs[i][k]) places[k] = l;
        }
        sums[places[0]][places[1]]++;
      }
      for (size_t x = 0; x < labels + 2; x++)
        for (size_t y = 0; y < labels + 2; y++) assert_int_equal(ee_label_summary_at(summary, x, y), sums[x][y]);
      for (size_t x = 0; x <= labels; x++) {
        uint64_t row = 0;
        for (size_t y = 0; y < labels + 2; y++) row += sums[x][y];
        assert_int_equal(summary->fields[x][0], row);
      }
      ee_arena_fini(&arena);
      for (int i = 0; i < PARTS; i++) ee_label_matrix_fini(&parts[i]);
    }
  }
  ee_buffer_fini(&first);
  ee_buffer_fini(&again);
}

/* A state that is cut or changed is refused, or read as something, without harm. */
static void test_damage(void **state) {
  (void)state;
  test_random random = test_random_start("confusion: damage", 7);
  data_set d;
  open_set(&d, RULES());
  for (int i = 0; i < 30; i++) {
    char id[16], expected[32];
    sprintf(id, "%d", i);
    sprintf(expected, "{\"l\":\"label %d\"}", i % 7);
    judge_into(&d, &d.totals, id, expected, i % 3 ? expected : "{\"l\":[]}");
  }
  ee_buffer text = {0};
  corpus_write(&d.totals, &text);
  for (int i = 0; i < 20; i++) corpus_refuses_damage(&d.totals, (ee_str){text.data, text.length}, &random);
  ee_buffer_fini(&text);
  close_set(&d);
}

/* A pair of labels is one cell, however often it is added; counts of labels that are not in the rules are those of
 * others, with or without a cell. */
static void test_cells(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  static const ee_str given[] = {EE_STR("a"), EE_STR("b")};
  ee_label_matrix matrix;
  ee_label_matrix_init(&matrix, given, 2, 1);
  uint32_t a = ee_label_matrix_find(&matrix, given[0]), b = ee_label_matrix_find(&matrix, given[1]);
  assert_int_equal(ee_label_matrix_find(&matrix, EE_STR("c")), EE_LABEL_OTHER);
  for (int i = 0; i < 3; i++) {
    ee_label_matrix_add(&matrix, a, b, 2);
    ee_label_matrix_add(&matrix, b, a, 1);
    ee_label_matrix_add(&matrix, a, a, 5);
    ee_label_matrix_add(&matrix, b, b, 0);
  }
  assert_int_equal(matrix.cells.count, 3);
  const ee_label_summary *summary = ee_label_matrix_summarize(&matrix, &arena);
  assert_int_equal(ee_label_summary_at(summary, 0, 1), 6);
  assert_int_equal(ee_label_summary_at(summary, 1, 0), 3);
  assert_int_equal(ee_label_summary_at(summary, 0, 0), 15);
  assert_int_equal(ee_label_summary_at(summary, 1, 1), 0);
  assert_false(summary->has_other || summary->has_missing || summary->has_spurious);
  matrix.labels.items[EE_LABEL_OTHER].fields[0] = 1;
  assert_true(ee_label_matrix_summarize(&matrix, &arena)->has_other);
  ee_label_matrix_fini(&matrix);
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_cells), cmocka_unit_test(test_cases),
             cmocka_unit_test(test_normal_forms), cmocka_unit_test(test_bad_labels), cmocka_unit_test(test_print),
             cmocka_unit_test(test_gates), cmocka_unit_test(test_twin), cmocka_unit_test(test_bound),
             cmocka_unit_test(test_damage));
