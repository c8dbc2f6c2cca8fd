/* test_sums.c: relations between numbers against a slow learner that knows only their definitions; what is reported of
 * items. */
#include "audit_fixture.h"

#include <math.h>

#include "support/random.h"

#define ROWS 60
#define NUMBERS 4

typedef struct slow_relation {
  int kind, result, terms[3], count; /* kind: 0 a+b, 1 a+b+c, 2 a+b-c, 3 a*b, 4 a*b/100 */
} slow_relation;

static double slow_result(const slow_relation *relation, const double *row) {
  double a = row[relation->terms[0]], b = row[relation->terms[1]],
         c = relation->count > 2 ? row[relation->terms[2]] : 0;
  switch (relation->kind) {
  case 0: return a + b;
  case 1: return a + b + c;
  case 2: return a + b - c;
  case 3: return a * b;
  default: return a * b / 100;
  }
}

static bool slow_learned(const slow_relation *relation, double rows[ROWS][NUMBERS]) {
  int all = 0, holds = 0, telling = 0, telling_holds = 0, distinct = 0;
  double seen[ROWS];
  for (int i = 0; i < ROWS; i++) {
    double result = rows[i][relation->result], made = slow_result(relation, rows[i]);
    if (isnan(result) || isnan(made)) continue;
    bool good = fabs(result - made) <= 1e-9 * fabs(result), says = result != 0;
    for (int k = 0; k < relation->count; k++) {
      double term = rows[i][relation->terms[k]];
      if (term == 0 || (relation->kind >= 3 && (term == 1 || term == 100))) says = false;
    }
    all++;
    holds += good;
    telling += says;
    telling_holds += says && good;
    if (!says || !good) continue;
    int known = 0;
    while (known < distinct && seen[known] != result) known++;
    if (known == distinct) seen[distinct++] = result;
  }
  return all >= 10 && holds >= 0.9 * all && telling >= 5 && telling_holds >= 0.9 * telling && distinct >= 4;
}

static size_t slow_relations(double rows[ROWS][NUMBERS], slow_relation *out) {
  size_t count = 0;
  for (int kind = 0; kind < 5; kind++)
    for (int t = 0; t < NUMBERS; t++)
      for (int a = 0; a < NUMBERS; a++)
        for (int b = a + 1; b < NUMBERS; b++)
          for (int c = 0; c < (kind == 1 || kind == 2 ? NUMBERS : 1); c++) {
            slow_relation made = {kind, t, {a, b, c}, kind == 1 || kind == 2 ? 3 : 2};
            if (t == a || t == b || (made.count > 2 && (c == t || c == a || c == b))) continue;
            if (kind == 1 && c < b) continue; /* the same sum */
            if (kind == 2 && c < t) continue; /* T = A + B - C is C = A + B - T */
            if (slow_learned(&made, rows)) out[count++] = made;
          }
  return count;
}

/* Whether a relation of the row fails that no other one with the same result explains. */
static bool slow_fails(const slow_relation *relations, size_t count, const double *row) {
  for (int t = 0; t < NUMBERS; t++) {
    bool holds = false, fails = false;
    for (size_t i = 0; i < count; i++) {
      if (relations[i].result != t) continue;
      double made = slow_result(&relations[i], row);
      if (isnan(row[t]) || isnan(made)) continue;
      *(fabs(row[t] - made) <= 1e-9 * fabs(row[t]) ? &holds : &fails) = true;
    }
    if (fails && !holds) return true;
  }
  return false;
}

static void make_rows(test_random *random, double rows[ROWS][NUMBERS]) {
  size_t kind = test_random_below(random, 6);
  for (int i = 0; i < ROWS; i++) {
    for (int k = 0; k < NUMBERS; k++) rows[i][k] = (double)test_random_below(random, k == 1 ? 8 : 40);
    double *row = rows[i];
    if (kind == 0) row[2] = row[0] + row[1];
    if (kind == 1) row[3] = row[0] + row[1] + row[2];
    if (kind == 2) row[3] = row[0] + row[1] - row[2];
    if (kind == 3) row[2] = row[0] * row[1];
    if (kind == 4) row[2] = row[0] * (row[1] *= 100) / 100;
    if (kind == 0 && test_random_below(random, 2) == 0) row[3] = row[2] + row[0];
    if (test_random_below(random, 15) == 0) row[test_random_below(random, NUMBERS)] += 1;
    if (test_random_below(random, 15) == 0) row[test_random_below(random, NUMBERS)] = NAN;
  }
}

static void relations_against_definitions(void **state) {
  (void)state;
  test_random random = test_random_start("sums", 77);
  size_t failing = 0;
  for (int round = 0; round < 1500; round++) {
    double rows[ROWS][NUMBERS];
    make_rows(&random, rows);
    fixture f;
    fixture_start(&f, NULL, 1u << EE_AUDIT_SUM);
    for (int i = 0; i < ROWS; i++) {
      char id[16], text[200];
      int length = snprintf(text, sizeof text, "{\"x\":0");
      snprintf(id, sizeof id, "r%d", i);
      for (int k = 0; k < NUMBERS; k++)
        if (!isnan(rows[i][k]))
          length += snprintf(text + length, sizeof text - (size_t)length, ",\"n%d\":%g", k, rows[i][k]);
      snprintf(text + length, sizeof text - (size_t)length, "}");
      add_truth(&f, id, text, NULL);
    }
    const ee_audit_report *report = fixture_finish(&f);
    slow_relation relations[200];
    size_t count = slow_relations(rows, relations);
    for (int i = 0; i < ROWS; i++) {
      char id[16];
      snprintf(id, sizeof id, "r%d", i);
      bool reported = false;
      for (size_t k = 0; k < report->count; k++) reported = reported || ee_str_is(report->findings[k].ids[0], id);
      bool fails = slow_fails(relations, count, rows[i]);
      failing += fails;
      if (reported != fails) fail_msg("round %d, row %d: reported %d, fails %d", round, i, reported, fails);
    }
    fixture_end(&f);
  }
  assert_true(failing > 500);
}

/* Twelve orders; the last one is written by the test. */
static const ee_audit_report *audit_orders(fixture *f, const char *last) {
  fixture_start(f, NULL, 1u << EE_AUDIT_SUM);
  for (int i = 1; i <= 12; i++) {
    char id[16], text[300];
    snprintf(id, sizeof id, "o%d", i);
    snprintf(
        text, sizeof text,
        "{\"lines\":[{\"n\":%d,\"each\":2.25,\"sum\":%.2f},{\"n\":3,\"each\":%d.10,\"sum\":%.2f}],\"total\":\"%.2f\"}",
        i + 1, (i + 1) * 2.25, i, 3 * (i + 0.1), (i + 1) * 2.25 + 3 * (i + 0.1));
    add_truth(f, id, text, NULL);
  }
  add_truth(f, "last", last, NULL);
  return fixture_finish(f);
}

static void blames_the_number_that_is_wrong(void **state) {
  (void)state;
  fixture f;
  const ee_audit_report *report = audit_orders(
      &f,
      "{\"lines\":[{\"n\":2,\"each\":5.00,\"sum\":10.00},{\"n\":4,\"each\":1.50,\"sum\":6.00}],\"total\":\"61.00\"}");
  assert_int_equal(report->count, 1);
  const ee_audit_finding *finding = find_finding(report, EE_AUDIT_SUM, "last", "total");
  assert_non_null(finding);
  assert_true(ee_str_is(finding->evidence[0].proposed, "16.00"));
  fixture_end(&f);
  /* The item's, although the sum over items is wrong as well. */
  report = audit_orders(
      &f,
      "{\"lines\":[{\"n\":2,\"each\":5.00,\"sum\":10.00},{\"n\":4,\"each\":1.50,\"sum\":9.00}],\"total\":\"16.00\"}");
  assert_int_equal(report->count, 1);
  finding = find_finding(report, EE_AUDIT_SUM, "last", "lines[1].sum");
  assert_non_null(finding);
  assert_true(ee_str_is(finding->evidence[0].proposed, "6.00"));
  fixture_end(&f);
  /* A cent is rounding; a missing number says nothing. */
  report = audit_orders(
      &f, "{\"lines\":[{\"n\":2,\"each\":5.00,\"sum\":10.01},{\"n\":4,\"each\":1.50}],\"total\":\"16.00\"}");
  assert_int_equal(report->count, 0);
  fixture_end(&f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(relations_against_definitions),
             cmocka_unit_test(blames_the_number_that_is_wrong));
