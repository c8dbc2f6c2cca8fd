/* test_annotators.c: the agreement of two annotators, against plain loops over their values. */
#include "audit/annotators.h"

#include <math.h>
#include <string.h>

#include "audit_fixture.h"
#include "support/random.h"

typedef struct annotated {
  fixture rules;
  ee_annotators *annotators;
  const ee_annotators_report *report;
} annotated;

static void start(annotated *self, const char *rules, bool has_model) {
  fixture_start(&self->rules, rules, 0);
  self->annotators = ee_annotators_new(ee_rule_file_plan(self->rules.rules), 0.95, has_model);
}

static void end(annotated *self) {
  ee_annotators_free(self->annotators);
  fixture_end(&self->rules);
}

static const ee_value *read_json(annotated *self, const char *text) {
  ee_error error;
  const ee_value *value = ee_json_read(&self->rules.arena, ee_str_from(text), NULL, &error);
  if (value == NULL) fail_msg("%s: %s", text, error.message);
  return value;
}

static void judge_pair(annotated *self, const char *id, const char *expected, const char *candidate,
                       ee_case_result *result) {
  ee_case *current = EE_NEW(&self->rules.arena, ee_case);
  *current = (ee_case){.id = ee_str_from(id),
                       .record = ee_value_new(&self->rules.arena, EE_OBJECT),
                       .expected = read_json(self, expected),
                       .candidate = read_json(self, candidate),
                       .candidate_state = EE_CANDIDATE_READ};
  ee_context context = ee_open_plan_context(&self->rules.open, &self->rules.arena);
  context.detail = EE_DETAIL_FULL;
  ee_plan_judge(self->rules.open.plan, &context, current, result);
}

/* Adds a record; `model` NULL: without one. */
static void add(annotated *self, const char *id, const char *unit, const char *first, const char *second,
                const char *model) {
  ee_case_result results[3];
  judge_pair(self, id, first, second, &results[0]);
  judge_pair(self, id, second, first, &results[1]);
  if (model != NULL) judge_pair(self, id, first, model, &results[2]);
  ee_str key = unit != NULL ? ee_str_from(unit) : (ee_str){NULL, 0};
  ee_annotators_add(self->annotators, key, &results[0], &results[1], model != NULL ? &results[2] : NULL,
                    &self->rules.arena);
  ee_arena_reset(&self->rules.arena, 0);
}

static const ee_field_agreement *find(const annotated *self, const char *name) {
  for (size_t i = 0; i < self->report->field_count; i++)
    if (ee_str_is(self->report->fields[i].name, name)) return &self->report->fields[i];
  fail_msg("no field %s", name);
  return NULL;
}

static void assert_near(double got, double expected, const char *what) {
  if (!(fabs(got - expected) <= 1e-12)) fail_msg("%s: %.17g, not %.17g", what, got, expected);
}

/* Plain loops ----------------------------------------------------------------------------------- */

enum { RECORDS = 60, LABELS = 4 };

static const char *json_of(char *out, size_t size, int label) {
  if (label == 0)
    snprintf(out, size, "{}");
  else
    snprintf(out, size, "{\"label\":\"L%d\"}", label);
  return out;
}

/* Labels 0 (nothing) to LABELS - 1 by two annotators and a model. */
static void agrees_with_plain_loops(void **state) {
  (void)state;
  test_random random = test_random_start("annotators: labels", 804);
  for (int round = 0; round < 300; round++) {
    annotated self;
    start(&self, "return ee.rules { ee.fields { ee.exact \"label\" } }", true);
    int count = 2 + (int)test_random_below(&random, RECORDS - 1), labels[3][RECORDS];
    double same = 0, chance = 0, tp[2] = {0}, wrong[2] = {0}, missing[2] = {0}, spurious[2] = {0}, agreed_by_all = 0;
    for (int i = 0; i < count; i++) {
      char id[20], text[3][40];
      labels[0][i] = (int)test_random_below(&random, LABELS);
      for (int who = 1; who < 3; who++)
        labels[who][i] = test_random_below(&random, 3) ? labels[0][i] : (int)test_random_below(&random, LABELS);
      snprintf(id, sizeof id, "r%d", i);
      for (int who = 0; who < 3; who++) json_of(text[who], sizeof text[who], labels[who][i]);
      add(&self, id, NULL, text[0], text[1], text[2]);
      same += labels[0][i] == labels[1][i];
      agreed_by_all += labels[0][i] == labels[1][i];
      for (int who = 1; who < 3; who++) {
        int a = labels[0][i], b = labels[who][i];
        tp[who - 1] += a == b && a != 0;
        wrong[who - 1] += a != b && a != 0 && b != 0;
        missing[who - 1] += a != 0 && b == 0;
        spurious[who - 1] += a == 0 && b != 0;
      }
    }
    for (int i = 0; i < count; i++)
      for (int k = 0; k < count; k++) chance += labels[0][i] == labels[1][k];
    self.report = ee_annotators_finish(self.annotators);
    const ee_field_agreement *field = find(&self, "label");
    assert_int_equal(self.report->cases, count);
    assert_int_equal(self.report->perfect, (int)agreed_by_all);
    assert_int_equal(self.report->disagreements, count - (int)same);
    assert_near(field->agreement.metric.value, same / count, "agreement");
    assert_near(self.report->agreement.metric.value, same / count, "agreement of all");
    assert_false(field->one_way);
    for (int who = 0; who < 2; who++) {
      double whole = 2 * tp[who] + 2 * wrong[who] + missing[who] + spurious[who];
      const ee_metric *f1 = who == 0 ? &field->check.annotator.metric : &field->check.model.metric;
      assert_int_equal(f1->defined, whole > 0);
      if (whole > 0) assert_near(f1->value, 2 * tp[who] / whole, "F1");
    }
    if (field->f1.metric.defined) assert_near(field->f1.metric.value, field->reverse_f1.value, "F1 both ways");
    if (field->no_kappa == NULL) {
      double expected = chance / ((double)count * count);
      assert_near(field->kappa.value, (same / count - expected) / (1 - expected), "kappa");
      assert_true(field->kappa_interval.low <= field->kappa.value && field->kappa.value <= field->kappa_interval.high);
    } else {
      assert_true(count < EE_KAPPA_VALUES * LABELS || chance == (double)count * count);
    }
    end(&self);
  }
}

/* Kappa ------------------------------------------------------------------------------------------- */

/* The table of Cohen 1960 (kappa 0.492), with categories that are spelt in several ways which the rules match. */
static void gives_the_kappa_of_a_published_table(void **state) {
  (void)state;
  static const int table[3][3] = {{88, 10, 2}, {14, 40, 6}, {18, 10, 12}};
  static const char *const spelt[3][2] = {{"{\"k\":\"Schizo\"}", "{\"k\":\"schizo\"}"},
                                          {"{\"k\":\"Neuro\"}", "{\"k\":\"NEURO\"}"},
                                          {"{\"k\":\"other\"}", "{\"k\":\"Other\"}"}};
  annotated self;
  start(&self, "return ee.rules { ee.fields { ee.exact { \"k\", normalize = { \"casefold\" } } } }", false);
  int number = 0;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      for (int n = 0; n < table[i][k]; n++) {
        char id[20];
        snprintf(id, sizeof id, "%d", number++);
        add(&self, id, NULL, spelt[i][n % 2], spelt[k][n / 2 % 2], NULL);
      }
  self.report = ee_annotators_finish(self.annotators);
  const ee_field_agreement *field = find(&self, "k");
  assert_null(field->no_kappa);
  assert_near(field->kappa.observed, 0.70, "observed");
  assert_near(field->kappa.expected, 0.41, "expected");
  assert_near(field->kappa.value, 0.29 / 0.59, "kappa");
  end(&self);
}

static const char *reason_for(int different, int count) {
  static annotated self;
  start(&self, "return ee.rules { ee.fields { ee.exact \"k\" } }", false);
  for (int i = 0; i < count; i++) {
    char id[20], text[40];
    snprintf(id, sizeof id, "%d", i);
    snprintf(text, sizeof text, "{\"k\":\"v%d\"}", i % different);
    add(&self, id, NULL, text, text, NULL);
  }
  self.report = ee_annotators_finish(self.annotators);
  const char *reason = find(&self, "k")->no_kappa;
  end(&self);
  return reason;
}

static void says_why_there_is_no_kappa(void **state) {
  (void)state;
  assert_null(reason_for(12, 36));
  assert_string_equal(reason_for(13, 39), "more than 12 different values");
  assert_string_equal(reason_for(100, 200), "more than 12 different values");
  assert_string_equal(reason_for(12, 35), "fewer than 3 values of each kind on average");
  assert_string_equal(reason_for(1, 10), "all values are the same");
}

/* Directions and units ---------------------------------------------------------------------------- */

/* A strategy that reads "~" only in the expected value: the two directions differ. */
static void names_directions_that_differ(void **state) {
  (void)state;
  annotated self;
  start(&self,
        "return ee.rules { ee.fields { ee.custom { \"k\", function(e, c) return e == '~' or e == c end }, "
        "ee.exact \"l\" } }",
        false);
  add(&self, "1", NULL, "{\"k\":\"~\",\"l\":\"a\"}", "{\"k\":\"x\",\"l\":\"b\"}", NULL);
  add(&self, "2", NULL, "{\"k\":\"y\",\"l\":\"a\"}", "{\"k\":\"y\",\"l\":\"a\"}", NULL);
  self.report = ee_annotators_finish(self.annotators);
  assert_true(find(&self, "k")->one_way);
  assert_near(find(&self, "k")->f1.metric.value, 1, "F1");
  assert_near(find(&self, "k")->reverse_f1.value, 0.5, "reverse F1");
  assert_false(find(&self, "l")->one_way);
  end(&self);
}

/* Pages of one document count as one unit: their sums are added before they are squared. */
static void takes_clusters_as_units(void **state) {
  (void)state;
  annotated whole, pages;
  const char *rules = "return ee.rules { ee.fields { ee.exact \"k\" } }";
  start(&whole, rules, false);
  start(&pages, rules, false);
  for (int i = 0; i < 40; i++) {
    char id[20], unit[20];
    snprintf(id, sizeof id, "%d", i);
    snprintf(unit, sizeof unit, "d%d", i / 4);
    const char *second = i / 4 % 3 == 0 ? "{\"k\":\"b\"}" : "{\"k\":\"a\"}"; /* whole documents differ */
    add(&whole, id, NULL, "{\"k\":\"a\"}", second, NULL);
    add(&pages, id, unit, "{\"k\":\"a\"}", second, NULL);
  }
  whole.report = ee_annotators_finish(whole.annotators);
  pages.report = ee_annotators_finish(pages.annotators);
  assert_int_equal(whole.report->units, 40);
  assert_int_equal(pages.report->units, 10);
  assert_near(pages.report->agreement.metric.value, whole.report->agreement.metric.value, "agreement");
  ee_interval narrow = whole.report->agreement.interval, wide = pages.report->agreement.interval;
  assert_true(wide.low < narrow.low && wide.high > narrow.high);
  ee_ratio_sums sums = {.units = 10, .a = 24, .b = 40, .aa = 6 * 16, .ab = 6 * 16, .bb = 160};
  ee_interval expected = ee_ratio_interval(&sums, 0.95);
  assert_near(wide.low, expected.low, "low");
  assert_near(wide.high, expected.high, "high");
  end(&whole);
  end(&pages);
}

/* The ceiling ------------------------------------------------------------------------------------- */

static ee_ceiling ceiling_of(int wrong_of_annotator, int wrong_of_model, ee_field_agreement *out) {
  annotated self;
  start(&self, "return ee.rules { ee.fields { ee.exact \"k\" } }", true);
  for (int i = 0; i < 100; i++) {
    char id[20];
    snprintf(id, sizeof id, "%d", i);
    add(&self, id, NULL, "{\"k\":\"a\"}", i < wrong_of_annotator ? "{\"k\":\"b\"}" : "{\"k\":\"a\"}",
        i >= 100 - wrong_of_model ? "{\"k\":\"c\"}" : "{\"k\":\"a\"}");
  }
  self.report = ee_annotators_finish(self.annotators);
  *out = *find(&self, "k");
  end(&self);
  return out->check.ceiling;
}

static void holds_a_model_against_the_ceiling(void **state) {
  (void)state;
  ee_field_agreement field;
  assert_int_equal(ceiling_of(5, 30, &field), EE_CEILING_BELOW);
  assert_near(field.check.difference.metric.value, -0.25, "difference");
  assert_true(field.check.difference.interval.high < 0);
  assert_int_equal(ceiling_of(30, 5, &field), EE_CEILING_ABOVE);
  assert_int_equal(ceiling_of(8, 10, &field), EE_CEILING_UNDECIDED);
  assert_true(field.check.difference.interval.low < 0 && field.check.difference.interval.high > 0);
  assert_int_equal(ceiling_of(0, 0, &field), EE_CEILING_REACHED);
}

/* A disagreement says what the model has there. */
static void lists_disagreements_with_the_models_value(void **state) {
  (void)state;
  annotated self;
  start(&self, "return ee.rules { ee.fields { ee.exact \"k\", ee.numeric \"n\" } }", true);
  add(&self, "1", NULL, "{\"k\":\"a\",\"n\":1}", "{\"k\":\"b\",\"n\":1}", "{\"k\":\"a\",\"n\":2}");
  add(&self, "2", NULL, "{\"k\":\"a\",\"n\":1}", "{\"k\":\"a\"}", "{\"k\":\"a\",\"n\":7}");
  add(&self, "3", NULL, "{\"k\":\"a\"}", "{\"k\":\"a\",\"n\":3}", "{\"k\":\"a\",\"n\":3}");
  self.report = ee_annotators_finish(self.annotators);
  assert_int_equal(self.report->disagreements, 3);
  assert_int_equal(self.report->disagreeing, 3);
  const ee_disagreement *listed = self.report->listed;
  assert_true(ee_str_is(listed[0].first, "a") && ee_str_is(listed[0].second, "b") && listed[0].model_agrees);
  assert_true(ee_str_is(listed[1].first, "1") && listed[1].second.length == 0 && ee_str_is(listed[1].model, "7"));
  assert_true(listed[2].first.length == 0 && ee_str_is(listed[2].second, "3") && ee_str_is(listed[2].model, "3"));
  assert_true(ee_str_is(listed[2].path, "n") && ee_str_is(listed[2].id, "3"));
  end(&self);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(agrees_with_plain_loops),
             cmocka_unit_test(gives_the_kappa_of_a_published_table), cmocka_unit_test(says_why_there_is_no_kappa),
             cmocka_unit_test(names_directions_that_differ), cmocka_unit_test(takes_clusters_as_units),
             cmocka_unit_test(holds_a_model_against_the_ceiling),
             cmocka_unit_test(lists_disagreements_with_the_models_value));
