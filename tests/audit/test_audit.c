/* test_audit.c: the work list: evidence against one value, order, gains; duplicates; votes of candidates; unjudged
 * paths. */
#include "audit_fixture.h"

#include "base/hash_index.h"
#include "report/audit_report.h"
#include "support/random.h"

static const char *const rules = "return ee.rules { ee.fields { ee.exact 'name', ee.numeric 'n', ee.ignore 'note' } }";

static void same_source_and_duplicates(void **state) {
  (void)state;
  fixture f;
  fixture_start(&f, NULL, 0);
  add_truth(&f, "a", "{\"name\":\"x\",\"n\":1}", "One Text here");
  add_truth(&f, "b", "{\"name\":\"y\"}", "one  text here");
  add_truth(&f, "c", "{\"name\":\"z\",\"n\":5}", "another text");
  add_truth(&f, "d", "{\"n\":5.0,\"name\":\"z\"}", "another text");
  add_truth(&f, "c", "{\"name\":\"z\",\"n\":5}", "another text");
  const ee_audit_report *report = fixture_finish(&f);
  assert_non_null(find_finding(report, EE_AUDIT_SAME_SOURCE, "b", "name"));
  const ee_audit_finding *finding = find_finding(report, EE_AUDIT_SAME_SOURCE, "a", "n");
  assert_non_null(finding);
  assert_int_equal(finding->records, 2);
  assert_non_null(find_finding(report, EE_AUDIT_DUPLICATE, "d", ""));
  assert_non_null(find_finding(report, EE_AUDIT_REPEATED_ID, "c", ""));
  assert_int_equal(report->count, 4);
  assert_int_equal(report->records, 5);
  fixture_end(&f);
}

/* Equal documents are duplicates only if their values say which document it is. */
static void equal_documents_by_chance(void **state) {
  (void)state;
  for (int sure = 0; sure < 2; sure++) {
    fixture f;
    fixture_start(&f, NULL, 1u << EE_AUDIT_DUPLICATE);
    for (int i = 0; i < 200; i++) {
      char id[16], text[80];
      int value = i == 150 ? 7 : i;
      snprintf(id, sizeof id, "r%d", i);
      snprintf(text, sizeof text, "{\"a\":\"%d\",\"b\":\"%d\"}", sure ? value + 1000 : value % 12,
               sure ? value * 3 : value % 5);
      add_truth(&f, id, text, NULL);
    }
    const ee_audit_report *report = fixture_finish(&f);
    assert_int_equal(report->count, sure);
    if (sure) assert_non_null(find_finding(report, EE_AUDIT_DUPLICATE, "r150", ""));
    fixture_end(&f);
  }
}

static const ee_audit_report *vote(fixture *f, const char *truth, const char *source, const char *const *answers) {
  fixture_start(f, rules, 1u << EE_AUDIT_CONTRADICTED);
  add_truth(f, "a", truth, source);
  for (; *answers != NULL; answers++) {
    begin_candidate(f, "model");
    add_answer(f, "a", *answers);
    add_answer(f, "unknown", *answers);
  }
  return fixture_finish(f);
}

static void votes(void **state) {
  (void)state;
  static const struct {
    const char *truth, *source, *answers[5];
    double gain; /* 0: nothing */
  } cases[] = {
      {"{\"n\":3}", NULL, {"{\"n\":2.99}", "{\"n\":\"2.99\"}", "{\"n\":2.990}", NULL}, 0.55},
      {"{\"n\":3}", NULL, {"{\"n\":2.99}", "{\"n\":2.99}", "{\"n\":3}", NULL}, 0.266667},
      {"{\"n\":3}", NULL, {"{\"n\":2.99}", "{\"n\":2.99}", "{\"n\":3}", "{\"n\":3}", NULL}, 0}, /* no majority */
      {"{\"n\":3}", NULL, {"{\"n\":2.99}", "{\"n\":2}", "{\"n\":1}", NULL}, 0},                 /* no agreement */
      {"{\"n\":3}", NULL, {"{\"n\":2.99}", NULL}, 0},                                           /* one candidate */
      {"{\"n\":3}", "total 2.99", {"{\"n\":2.99}", "{\"n\":2.99}", NULL}, 0.9},
      {"{\"n\":3}", "total 3.00", {"{\"n\":2.99}", "{\"n\":2.99}", NULL}, 0.15},
      {"{\"n\":3}", NULL, {"{}", "{}", "{\"n\":null}", NULL}, 0.15},
      {"{\"n\":3}", NULL, {"{}", "{}", NULL}, 0},
      {"{\"name\":null,\"n\":3}", NULL, {"{\"n\":3,\"name\":\"Ann\"}", "{\"n\":3,\"name\":\"ann\"}", NULL}, 0.4},
      {"{\"n\":\"$3\"}", NULL, {"{\"n\":3}", "{\"n\":3}", "{\"n\":3}", NULL}, 0}, /* the rules cannot read it */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f;
    const ee_audit_report *report = vote(&f, cases[i].truth, cases[i].source, cases[i].answers);
    assert_int_equal(report->count, cases[i].gain > 0);
    if (cases[i].gain > 0 && report->findings[0].gain != cases[i].gain)
      fail_msg("case %zu: gain %.9g", i, report->findings[0].gain);
    assert_true(report->unknown_ids == report->joined);
    fixture_end(&f);
  }
}

/* Evidence of several checks against one value is one finding, which comes first. */
static void evidence_adds_up(void **state) {
  (void)state;
  fixture f;
  fixture_start(&f, rules, 0);
  for (int i = 0; i < 12; i++) {
    char id[16], text[80], source[80];
    snprintf(id, sizeof id, "r%d", i);
    snprintf(text, sizeof text, "{\"name\":\"person %d\",\"n\":%d.5,\"note\":\"x\",\"extra\":[{\"y\":1}]}", i,
             i == 4 ? 71 : 17 + i);
    snprintf(source, sizeof source, "Person %d has %d.50 x", i, 17 + i);
    add_truth(&f, id, text, source);
  }
  for (int model = 0; model < 2; model++) {
    begin_candidate(&f, "model");
    for (int i = 0; i < 12; i++) {
      char id[16], text[80];
      snprintf(id, sizeof id, "r%d", i);
      snprintf(text, sizeof text, "{\"name\":\"person %d\",\"n\":%d.5}", i, 17 + i);
      add_answer(&f, id, text);
    }
  }
  const ee_audit_report *report = fixture_finish(&f);
  const ee_audit_finding *first = &report->findings[0];
  assert_true(first == find_finding(report, EE_AUDIT_CONTRADICTED, "r4", "n"));
  assert_int_equal(first->evidence_count, 2);
  assert_true(
      ee_str_is(first->evidence[0].reason, "2 of 2 candidates agree on '21.5', and the source text has only that"));
  assert_non_null(evidence_of(first, EE_AUDIT_NOT_IN_SOURCE));
  assert_true(first->gain > 0.9 && first->gain < 1);
  /* ee.ignore names 'note'; nobody looks at 'extra'. */
  assert_non_null(find_finding(report, EE_AUDIT_UNJUDGED, "r0", "extra"));
  assert_null(find_finding(report, EE_AUDIT_UNJUDGED, "r0", "note"));
  assert_null(find_finding(report, EE_AUDIT_UNJUDGED, "r0", "n"));
  assert_int_equal(report->count, 2);
  fixture_end(&f);
}

static void another_convention_is_one_finding(void **state) {
  (void)state;
  fixture f;
  fixture_start(&f, rules, 1u << EE_AUDIT_CONTRADICTED);
  for (int i = 0; i < 20; i++) {
    char id[16], text[80];
    snprintf(id, sizeof id, "r%d", i);
    snprintf(text, sizeof text, "{\"name\":\"%d, Ann\",\"n\":1}", i);
    add_truth(&f, id, text, NULL);
  }
  for (int model = 0; model < 3; model++) {
    begin_candidate(&f, "model");
    for (int i = 0; i < 20; i++) {
      char id[16], text[80];
      snprintf(id, sizeof id, "r%d", i);
      snprintf(text, sizeof text, "{\"name\":\"Ann %d\",\"n\":%d}", i, i == 3 ? 2 : 1);
      add_answer(&f, id, text);
    }
  }
  const ee_audit_report *report = fixture_finish(&f);
  assert_int_equal(report->count, 2);
  assert_true(ee_str_is(report->findings[0].path, "name"));
  assert_int_equal(report->findings[0].values, 20);
  assert_non_null(find_finding(report, EE_AUDIT_CONTRADICTED, "r3", "n"));
  fixture_end(&f);
}

static void unreadable_by_rules(void **state) {
  (void)state;
  fixture f;
  fixture_start(&f, rules, 1u << EE_AUDIT_UNREADABLE);
  static const char *const values[] = {"1", "\"$2\"", "\"$3.50\"", "\"none\"", "\"none\"", "\"1O\"", "4", "null"};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    char id[16], text[80];
    snprintf(id, sizeof id, "r%zu", i);
    snprintf(text, sizeof text, "{\"n\":%s}", values[i]);
    add_truth(&f, id, text, NULL);
  }
  const ee_audit_report *report = fixture_finish(&f);
  assert_int_equal(report->count, 3);
  const ee_audit_finding *money = find_finding(report, EE_AUDIT_UNREADABLE, "r2", "n");
  assert_non_null(money);
  assert_int_equal(money->values, 2);
  assert_true(money->gain == 2);
  assert_true(find_finding(report, EE_AUDIT_UNREADABLE, "r3", "n") ==
              find_finding(report, EE_AUDIT_UNREADABLE, "r4", "n"));
  assert_non_null(find_finding(report, EE_AUDIT_UNREADABLE, "r5", "n"));
  fixture_end(&f);
}

/* Random documents ------------------------------------------------------------------------------- */

static void random_value(test_random *random, size_t depth, ee_buffer *out) {
  static const char *const scalars[] = {
      "null",
      "true",
      "false",
      "0",
      "1",
      "12.5",
      "-3",
      "1e300",
      "\"\"",
      "\"  \"",
      "\"$8.20\"",
      "\"2025-01-05\"",
      "\"05/01/2025\"",
      "\"1.234,50\"",
      "\"Invoice\"",
      "\"invoice \"",
      "\"Invioce\"",
      "\"n/a\"",
      "\"M\xc3\xbcller & S\xc3\xb6hne\"",
      "\"a\\u0000b\"",
      "\"\xe5\xb9\xb4 7\"",
      "\"12 Main Street, Springfield, a long way from the station and the river bank\""};
  static const char *const keys[] = {"a", "b", "n", "name", "nmae", "items", "x y", "", "a.b", "[0]"};
  size_t kind = test_random_below(random, depth > 3 ? 6 : 10);
  if (kind < 6) {
    ee_buffer_add_text(out, scalars[test_random_below(random, sizeof scalars / sizeof *scalars)]);
    return;
  }
  size_t count = test_random_below(random, 5);
  ee_buffer_add_char(out, kind < 8 ? '{' : '[');
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    if (kind < 8) ee_buffer_addf(out, "\"%s\":", keys[(i * 3 + test_random_below(random, 2)) % 10]);
    random_value(random, depth + 1, out);
  }
  ee_buffer_add_char(out, kind < 8 ? '}' : ']');
}

/* Anything may be in a truth and in answers; the result is the same again. */
static void random_documents(void **state) {
  (void)state;
  static const char *const all_rules =
      "return ee.rules { ee.fields { name = 'f', ee.exact 'a', ee.numeric 'n', ee.date 'b', ee.fuzzy 'name' },"
      " ee.line_items { 'items' }, ee.quality {}, ee.judge { 'g', function(c) return 1 end } }";
  test_random random = test_random_start("random truths", 99);
  for (int round = 0; round < 60; round++) {
    uint64_t hashes[2];
    test_random start = random;
    for (int again = 0; again < 2; again++) {
      fixture f;
      ee_buffer text = {0}, source = {0};
      random = start;
      fixture_start(&f, round % 3 == 0 ? NULL : all_rules, 0);
      size_t records = 1 + test_random_below(&random, 40);
      for (size_t i = 0; i < records; i++) {
        char id[16];
        snprintf(id, sizeof id, "r%zu", test_random_below(&random, 60));
        ee_buffer_clear(&text);
        random_value(&random, test_random_below(&random, 2), &text);
        ee_buffer_clear(&source);
        random_value(&random, 0, &source);
        bool nothing = strcmp(ee_buffer_terminate(&text), "null") == 0; /* no expected value */
        add_truth(&f, id, nothing ? "0" : text.data, i % 2 == 0 ? ee_buffer_terminate(&source) : NULL);
      }
      for (int model = 0; model < 3; model++) {
        begin_candidate(&f, "model");
        for (size_t i = 0; i < records; i++) {
          char id[16];
          snprintf(id, sizeof id, "r%zu", test_random_below(&random, 60));
          ee_buffer_clear(&text);
          random_value(&random, 0, &text);
          add_answer(&f, id, ee_buffer_terminate(&text));
        }
      }
      const ee_audit_report *report = fixture_finish(&f);
      ee_buffer_clear(&text);
      ee_audit_get_report(f.audit)->truth = "truth.jsonl";
      ee_audit_json(report, &text);
      hashes[again] = ee_hash_bytes(text.data, text.length, 0);
      for (size_t i = 1; i < report->count; i++) assert_true(report->findings[i - 1].gain >= report->findings[i].gain);
      for (size_t i = 0; i < report->count; i++)
        assert_true(report->findings[i].weight > 0 && report->findings[i].weight <= 1);
      ee_buffer_fini(&text);
      ee_buffer_fini(&source);
      fixture_end(&f);
    }
    assert_true(hashes[0] == hashes[1]);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(random_documents), cmocka_unit_test(same_source_and_duplicates),
             cmocka_unit_test(equal_documents_by_chance), cmocka_unit_test(votes), cmocka_unit_test(evidence_adds_up),
             cmocka_unit_test(another_convention_is_one_finding), cmocka_unit_test(unreadable_by_rules));
