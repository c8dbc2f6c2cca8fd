/* test_span_facts.c: what nervaluate and seqeval say of spans and tags, against ee.spans; and where they differ, why.
 *
 * nervaluate.jsonl holds inputs of its README and tests, and random ones, with the results of its code (fce0139):
 * counts of each scheme over all documents and for each label, and the shares. seqeval.jsonl holds tags and the spans
 * that its modes "strict" and default (conlleval) find in them. */
#include "judge/plan_fixture.h"

#include <math.h>

#include "judge/spans/spans.h"

enum { NERVALUATE_HELD = 7462, NERVALUATE_DEVIATING = 186, SEQEVAL_HELD = 499 };

/* How many facts hold, differ for a known reason, or are wrong. */
typedef struct facts {
  size_t held, deviating, wrong;
} facts;

static const ee_value *member(const ee_value *value, const char *key) {
  return ee_value_member(value, ee_str_from(key), NULL);
}
static double number_at(const ee_value *array, size_t index) { return ee_value_number(ee_value_element(array, index)); }

/* Calls `check` with each line of the file. */
static void each_fact(const char *path, void (*check)(const ee_value *fact, facts *counted), facts *counted) {
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  char *line = NULL;
  size_t room = 0;
  ssize_t length;
  while ((length = getline(&line, &room, file)) > 0) {
    ee_arena arena;
    ee_error error = {0};
    ee_arena_init(&arena, 0);
    const ee_value *fact = ee_json_read(&arena, (ee_str){line, (size_t)length}, NULL, &error);
    assert_non_null(fact);
    check(fact, counted);
    ee_arena_fini(&arena);
  }
  free(line);
  fclose(file);
}

/* nervaluate ----------------------------------------------------------------------------------- */

/* The sums over the documents of a fact. */
typedef struct sums {
  ee_span_tally all;
  struct {
    char name[16];
    ee_span_tally tally;
  } labels[8];
  size_t label_count;
} sums;

static void add_document(sums *sum, const ee_spans_case *found) {
  ee_span_tally_add(&sum->all, &found->all);
  for (size_t i = 0; i < found->label_count; i++) {
    ee_str name = found->labels[i].name;
    size_t at = 0;
    while (at < sum->label_count && !ee_str_is(name, sum->labels[at].name)) at++;
    if (at == sum->label_count) {
      assert_true(at < 8 && name.length < 16);
      snprintf(sum->labels[sum->label_count++].name, 16, "%.*s", EE_STR_ARG(name));
    }
    ee_span_tally_add(&sum->labels[at].tally, &found->labels[i].tally);
  }
}

static void check_counts(const ee_value *fact, const ee_value *want, const ee_span_tally *tally, facts *counted) {
  for (ee_span_scheme scheme = EE_SCHEME_STRICT; scheme < EE_SPAN_SCHEMES; scheme++) {
    ee_span_counts counts = ee_span_tally_counts(tally, scheme);
    const ee_value *numbers = member(want, ee_span_scheme_name(scheme));
    const uint64_t ours[] = {counts.correct, counts.incorrect, counts.partial, counts.missed, counts.spurious};
    for (size_t i = 0; i < 5; i++) {
      if ((double)ours[i] == number_at(numbers, i)) {
        counted->held++;
        continue;
      }
      counted->wrong++;
      print_message("%.*s: %s number %zu is %llu, not %g\n", EE_STR_ARG(ee_value_text(member(fact, "id"))),
                    ee_span_scheme_name(scheme), i, (unsigned long long)ours[i], number_at(numbers, i));
    }
  }
}

/* Whether there is a known reason for another share: without spans theirs is 0 and ours undefined; and over several
 * documents theirs leaves out the halves of partial pairs, against its own definition. */
static bool differs_by_reason(const ee_span_counts *counts, ee_span_scheme scheme, ee_metric ours, double theirs,
                              size_t documents) {
  if (!ours.defined) return theirs == 0;
  return scheme == EE_SCHEME_PARTIAL && counts->partial > 0 && documents > 1;
}

static void check_shares(const ee_value *fact, const sums *sum, facts *counted) {
  size_t documents = ee_value_count(member(fact, "expected"));
  for (ee_span_scheme scheme = EE_SCHEME_STRICT; scheme < EE_SPAN_SCHEMES; scheme++) {
    ee_span_counts counts = ee_span_tally_counts(&sum->all, scheme);
    const ee_value *theirs = member(member(fact, "shares"), ee_span_scheme_name(scheme));
    const ee_metric ours[] = {ee_span_precision(&counts), ee_span_recall(&counts), ee_span_f1(&counts)};
    for (size_t i = 0; i < 3; i++) {
      double value = number_at(theirs, i);
      if (ours[i].defined && fabs(ours[i].value - value) < 1e-12) {
        counted->held++;
      } else if (differs_by_reason(&counts, scheme, ours[i], value, documents)) {
        counted->deviating++;
      } else {
        counted->wrong++;
        print_message("%.*s: %s share %zu is %.17g, not %.17g\n", EE_STR_ARG(ee_value_text(member(fact, "id"))),
                      ee_span_scheme_name(scheme), i, ours[i].value, value);
      }
    }
  }
}

static void check_nervaluate(const ee_value *fact, facts *counted) {
  fixture f;
  char rules[512];
  ee_buffer labels = {0};
  ee_json_write_value(&labels, member(fact, "labels_that_count"));
  snprintf(rules, sizeof rules,
           "{\"ee\":\"rules\",\"items\":[{\"ee\":\"spans\",\"pairing\":\"first\",\"per_label\":\"alone\","
           "\"lenient\":true,\"inclusive\":true,\"overlap\":%.17g,\"labels\":%s}]}",
           ee_value_number(member(fact, "overlap")), ee_buffer_terminate(&labels));
  fixture_open(&f);
  fixture_rules(&f, rules);
  sums sum = {.label_count = 0};
  const ee_value *expected = ee_value_child(member(fact, "expected")),
                 *candidate = ee_value_child(member(fact, "candidate"));
  for (; expected != NULL; expected = ee_value_next(expected), candidate = ee_value_next(candidate)) {
    const ee_judge_result *result = fixture_judge_values(&f, expected, candidate, EE_CANDIDATE_READ);
    assert_false(result->failed);
    add_document(&sum, result->corpus_part);
  }
  check_counts(fact, member(fact, "want"), &sum.all, counted);
  for (const ee_value *label = ee_value_child(member(fact, "labels")); label != NULL; label = ee_value_next(label)) {
    size_t at = 0;
    while (at < sum.label_count && !ee_str_is(ee_value_key(label), sum.labels[at].name)) at++;
    assert_true(at < sum.label_count);
    check_counts(fact, label, &sum.labels[at].tally, counted);
  }
  check_shares(fact, &sum, counted);
  ee_buffer_fini(&labels);
  fixture_close(&f);
}

static void test_nervaluate(void **state) {
  (void)state;
  facts counted = {0};
  each_fact("tests/peers/nervaluate.jsonl", check_nervaluate, &counted);
  print_message("nervaluate: %zu held, %zu deviating, %zu wrong\n", counted.held, counted.deviating, counted.wrong);
  assert_int_equal(counted.wrong, 0);
  assert_int_equal(counted.held, NERVALUATE_HELD);
  assert_int_equal(counted.deviating, NERVALUATE_DEVIATING);
}

/* seqeval -------------------------------------------------------------------------------------- */

/* The spans that the tags of a candidate make, "A [0, 2); B [3, 4)". */
static const char *spans_of(fixture *f, const ee_value *fact, bool lenient) {
  char rules[256];
  snprintf(rules, sizeof rules,
           "{\"ee\":\"rules\",\"items\":[{\"ee\":\"spans\",\"format\":\"tags\",\"tagging\":\"%.*s\",\"lenient\":%s}]}",
           EE_STR_ARG(ee_value_text(member(fact, "tagging"))), lenient ? "true" : "false");
  fixture_open(f);
  fixture_rules(f, rules);
  const ee_value *nothing = ee_value_new(&f->case_arena, EE_ARRAY);
  const ee_judge_result *result = fixture_judge_values(f, nothing, member(fact, "tags"), EE_CANDIDATE_READ);
  ee_buffer_clear(&f->text);
  for (size_t i = 0; i < result->mismatch_count; i++) {
    if (i > 0) ee_buffer_add_text(&f->text, "; ");
    ee_finding_print_place(&result->mismatches[i].finding, &f->text);
  }
  return ee_buffer_terminate(&f->text);
}

static void check_seqeval(const ee_value *fact, facts *counted) {
  static const char *const modes[] = {"strict", "default"};
  for (size_t mode = 0; mode < 2; mode++) {
    const ee_value *spans = member(fact, modes[mode]);
    if (ee_type_of(spans) != EE_ARRAY) continue; /* seqeval reads BILOU in its strict mode only */
    ee_buffer wanted = {0};
    for (const ee_value *span = ee_value_child(spans); span != NULL; span = ee_value_next(span))
      ee_buffer_addf(&wanted, "%s%.*s [%g, %g)", wanted.length > 0 ? "; " : "",
                     EE_STR_ARG(ee_value_text(ee_value_element(span, 2))), number_at(span, 0), number_at(span, 1));
    fixture f;
    const char *found = spans_of(&f, fact, mode == 1);
    if (strcmp(found, ee_buffer_terminate(&wanted)) == 0) {
      counted->held++;
    } else {
      counted->wrong++;
      print_message("%.*s, %s: '%s', not '%s'\n", EE_STR_ARG(ee_value_text(member(fact, "id"))), modes[mode], found,
                    wanted.data);
    }
    ee_buffer_fini(&wanted);
    fixture_close(&f);
  }
}

static void test_seqeval(void **state) {
  (void)state;
  facts counted = {0};
  each_fact("tests/peers/seqeval.jsonl", check_seqeval, &counted);
  print_message("seqeval: %zu held, %zu deviating, %zu wrong\n", counted.held, counted.deviating, counted.wrong);
  assert_int_equal(counted.wrong, 0);
  assert_int_equal(counted.held, SEQEVAL_HELD);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_nervaluate), cmocka_unit_test(test_seqeval));
