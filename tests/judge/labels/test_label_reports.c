/* test_label_reports.c: ee.confusion: what is said of a case, noted of a data set, and printed of the rules. */
#include "judge/corpus_state.h"
#include "judge/corpus_view.h"
#include "judge/plan_fixture.h"

#include "judge/label_matrix.h"
#include "run/totals.h"

#define RULES(options) "{\"ee\":\"rules\",\"items\":[{\"ee\":\"confusion\",\"items\":[\"l\"]" options "}]}"

static void assert_printed(const char *rules, const char *wanted) {
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, rules);
  f.plan->judges[0]->type->print(f.plan->judges[0], &f.text);
  assert_string_equal(ee_buffer_terminate(&f.text), wanted);
  fixture_close(&f);
}

static void test_print(void **state) {
  (void)state;
  assert_printed(RULES(), "  label l\n");
  assert_printed(RULES(",\"candidate\":\"m\",\"labels\":[\"b\"],\"normalize\":[\"trim\"]"),
                 "  label l, in the candidate m\n  normalize trim\n  labels b\n");
  assert_printed(RULES(",\"labels\":[\"b\",\"A c\",\"a\"],\"normalize\":[\"trim\",\"casefold\"]"),
                 "  label l\n  normalize trim, casefold\n  labels b, a c, a\n");
}

/* "class of the outcome: attribute, score, reason": what one case leaves. */
static void test_cases(void **state) {
  (void)state;
  static const struct {
    const char *expected, *candidate, *reasoning, *mismatches, *attribute;
    double score;
    bool vacuous;
    int outcome; /* its class; -1: none */
  } cases[] = {
      {"{\"l\":\"a\"}", "{\"l\":\"a\"}", "the expected label", "", "a", 1, false, EE_CLASS_TP},
      {"{\"l\":\"a\"}", "{\"l\":\"b\"}", "not the expected label", "l \"a\" \"b\" 0", "a", 0, false, EE_CLASS_WRONG},
      {"{\"l\":\"a\"}", "{\"l\":null}", "not the expected label", "l \"a\" null 0", "a", 0, false, EE_CLASS_MISSING},
      {"{\"l\":\"\"}", "{\"l\":\"b\"}", "not the expected label", "l null \"b\" 0", "b", 0, false, EE_CLASS_INVENTED},
      {"{}", "{\"l\":\"z\"}", "not the expected label", "l null \"z\" 0", "(other)", 0, false, EE_CLASS_INVENTED},
      {"{\"l\":\"z\"}", "{\"l\":\"y\"}", "not the expected label", "l \"z\" \"y\" 0", "(other)", 0, false,
       EE_CLASS_WRONG},
      {"{\"l\":\"a\"}", "{\"l\":[1]}", "not the expected label", "l \"a\" [1] 0", "a", 0, false, EE_CLASS_WRONG},
      {"{}", "{}", "no label on either side", "", "", 1, true, -1},
  };
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, RULES(",\"labels\":[\"a\",\"b\"]"));
  f.detail = EE_DETAIL_FULL;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const ee_judge_result *result = fixture_judge_case(&f, cases[i].expected, cases[i].candidate);
    assert_reasoning(result, cases[i].reasoning);
    assert_string_equal(fixture_mismatches(&f, result), cases[i].mismatches);
    assert_true(result->score == cases[i].score && result->vacuous == cases[i].vacuous);
    assert_int_equal(result->hit_count, cases[i].outcome == EE_CLASS_TP);
    assert_int_equal(result->outcome_count, cases[i].outcome >= 0);
    if (result->mismatch_count > 0) {
      assert_true(ee_str_is(result->mismatches[0].attribute, cases[i].attribute));
      assert_int_equal(result->mismatches[0].slot, -1);
    }
    if (cases[i].outcome < 0) continue;
    const ee_outcome *outcome = &result->outcomes[0];
    assert_int_equal(outcome->value_class, cases[i].outcome);
    assert_true(ee_str_is(outcome->attribute, cases[i].attribute));
    assert_true(outcome->score == cases[i].score && outcome->weight == 1);
    assert_true(outcome->row == EE_NO_ROW && outcome->partner == EE_NO_ROW);
  }
  /* No candidate where nothing is expected: 0, and not vacuous. */
  const ee_judge_result *result = fixture_judge_case(&f, "{}", NULL);
  assert_true(result->score == 0 && !result->vacuous);
  result = fixture_judge_case(&f, "{\"l\":[]}", "{}");
  assert_true(result->failed && result->unscored);
  result = fixture_judge_case(&f, "{\"l\":[1]}", "{\"l\":\"a\"}");
  assert_true(result->failed && result->unscored);
  assert_misses(&f, result, "l (an array, not a label)");
  assert_reasoning(result, "the expected value is not a label");
  fixture_close(&f);
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

static void judge_into(data_set *d, const char *id, const char *expected, const char *candidate) {
  fixture *f = &d->f;
  fixture_judge_case(f, expected, candidate);
  f->current.id = ee_str_from(id);
  ee_plan_judge(f->plan, &f->context, &f->current, &f->result);
  ee_totals_add(&d->totals, &f->result, &f->case_arena);
}

static const ee_corpus_summary *finish(data_set *d) {
  ee_totals_finish(&d->totals);
  return d->totals.all.judges[0].corpus;
}

static void test_notes(void **state) {
  (void)state;
  static const char weighted[] = "weighted kappas are of the cases that have one of the labels on both sides";
  static const struct {
    const char *expected, *candidate, *one, *two;
    bool others; /* of the labels of the rules something is missing */
  } cases[] = {
      {"{}", "{}", "1 case without a label on either side, in no count (first in '1')",
       "2 cases without a label on either side, in no count (first in '1')", false},
      {"{\"l\":\"a\"}", "{\"l\":{\"b\":1}}",
       "1 candidate with an object or an array instead of a label, counted as (other) (first in '1')",
       "2 candidates with an object or an array instead of a label, counted as (other) (first in '1')", true},
      {"{\"l\":\"z\"}", "{\"l\":\"a\"}",
       "1 expected label that the rules do not name, counted as (other) (first in '1')",
       "2 expected labels that the rules do not name, counted as (other) (first in '1')", true},
      {"{\"l\":\"a\"}", "{\"l\":\"z\"}",
       "1 candidate label that the rules do not name, counted as (other) (first in '1')",
       "2 candidate labels that the rules do not name, counted as (other) (first in '1')", true},
      {"{\"l\":[1]}", "{\"l\":\"a\"}", "1 record whose expected value is not a label: in no count (first in '1')",
       "2 records whose expected values are not labels: in no count (first in '1')", false},
      {"{\"l\":\"a\"}", "{}", NULL, NULL, true},
      {"{}", "{\"l\":\"a\"}", NULL, NULL, true},
      {"{\"l\":\"a\"}", "{\"l\":\"b\"}", NULL, NULL, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (int count = 1; count <= 2; count++) {
      data_set d;
      open_set(&d, RULES(",\"labels\":[\"a\",\"b\"]"));
      /* Two cases are in a part of their own each. */
      for (int k = count; k > 0; k--) {
        ee_totals whole = d.totals;
        ee_totals_init(&d.totals, d.f.plan);
        judge_into(&d, k == 1 ? "1" : "2", cases[i].expected, cases[i].candidate);
        corpus_through_state(&d.totals);
        ee_totals_merge(&whole, &d.totals);
        ee_totals_fini(&d.totals);
        d.totals = whole;
      }
      const ee_corpus_summary *figures = finish(&d);
      const char *note = count == 1 ? cases[i].one : cases[i].two;
      if (note != NULL) assert_note(figures, note);
      assert_int_equal(has_note(figures, weighted), cases[i].others);
      assert_int_equal(figures->note_count, (size_t)(note != NULL) + cases[i].others);
      /* Cleared, nothing is left. */
      ee_totals_clear(&d.totals);
      assert_int_equal(finish(&d)->note_count, 0);
      close_set(&d);
    }
  }
}

/* The note of labels above the bound, which are one; and none at the bound. */
static void test_bound(void **state) {
  (void)state;
  for (int more = 0; more < 2; more++) {
    data_set d;
    open_set(&d, RULES());
    for (int i = 0; i < EE_LABEL_LIMIT + 2 * more; i++) {
      char text[32];
      sprintf(text, "{\"l\":\"%03d\"}", i);
      judge_into(&d, "1", text, i == 401 ? "{\"l\":\"400\"}" : text);
    }
    const ee_corpus_summary *figures = finish(&d);
    assert_int_equal(figures->confusion->count, EE_LABEL_LIMIT);
    assert_int_equal(figures->note_count, 2 * more);
    if (more) {
      assert_note(figures, "the data have more than 400 labels: the first in byte order are counted by themselves, all "
                           "others as (other)");
      assert_note(figures,
                  "1 of (other) as (other) is not the expected label: incorrect, and one more label for kappa and MCC");
    }
    /* 401 for 400 is incorrect although both are others. */
    assert_figure(figures, "incorrect", more);
    assert_figure(figures, "correct", EE_LABEL_LIMIT + more);
    close_set(&d);
  }
}

/* Labels that the rules do not name are one, however many the rules name. */
static void test_given(void **state) {
  (void)state;
  static const char *const rules[] = {RULES(",\"labels\":[\"b\"]"), RULES(",\"labels\":[\"b\",\"c\"]"),
                                      RULES(",\"labels\":[\"d\",\"c\",\"b\"]")};
  for (size_t i = 0; i < 3; i++) {
    data_set d;
    open_set(&d, rules[i]);
    for (int round = 0; round < 2; round++) {
      judge_into(&d, "1", "{\"l\":\"b\"}", "{\"l\":\"b\"}");
      judge_into(&d, "2", "{\"l\":\"b\"}", "{\"l\":\"x\"}");
      judge_into(&d, "3", "{\"l\":\"y\"}", "{\"l\":\"a\"}");
      corpus_through_state(&d.totals);
      const ee_label_summary *matrix = finish(&d)->confusion;
      assert_int_equal(matrix->count, i + 1);
      assert_true(ee_str_is(matrix->labels[0], i == 2 ? "d" : "b"));
      size_t b = i == 2 ? 2 : 0, others = matrix->count;
      assert_int_equal(ee_label_summary_at(matrix, b, b), 1);
      assert_int_equal(ee_label_summary_at(matrix, b, others), 1);
      assert_int_equal(ee_label_summary_at(matrix, others, others), 1);
      /* Cleared, the labels of the rules stay. */
      ee_totals_clear(&d.totals);
    }
    close_set(&d);
  }
}

/* Without labels in the rules there is no order, and so no weighted kappa; a gate on one is refused. */
static void test_unordered(void **state) {
  (void)state;
  for (int ordered = 0; ordered < 2; ordered++) {
    data_set d;
    open_set(&d, ordered ? RULES(",\"labels\":[\"a\",\"b\"]") : RULES());
    judge_into(&d, "1", "{\"l\":\"a\"}", "{\"l\":\"b\"}");
    judge_into(&d, "2", "{\"l\":\"b\"}", "{\"l\":\"b\"}");
    const ee_corpus_summary *figures = finish(&d);
    assert_int_equal(figure_find(figures, "kappa_linear") != NULL, ordered);
    assert_int_equal(figure_find(figures, "kappa_quadratic") != NULL, ordered);
    const ee_judge *judge = d.f.plan->judges[0];
    static const char *const metrics[] = {"kappa_linear", "kappa_quadratic", "kappa", "mcc"};
    for (size_t i = 0; i < 4; i++) {
      const char *why = judge->type->corpus->lacks(judge, ee_str_from(metrics[i]), &d.f.arena);
      if (!ordered && i < 2)
        assert_string_equal(why, "labels have no order without option 'labels'");
      else
        assert_null(why);
    }
    close_set(&d);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_print), cmocka_unit_test(test_cases), cmocka_unit_test(test_notes),
             cmocka_unit_test(test_bound), cmocka_unit_test(test_given), cmocka_unit_test(test_unordered));
