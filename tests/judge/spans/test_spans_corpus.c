/* test_spans_corpus.c: the spans of a data set: sums of the cases, the matrix, in any parts and in any order. */
#include <math.h>

#include "judge/corpus_state.h"
#include "judge/corpus_view.h"
#include "judge/plan_fixture.h"

#include "judge/label_matrix.h"
#include "judge/spans/spans.h"
#include "run/gate_decision.h"
#include "run/totals.h"
#include "support/random.h"

#define RULES(options) "{\"ee\":\"rules\",\"items\":[{\"ee\":\"spans\"" options "}]}"

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

/* Judges a record into `totals`; the result lives until the next one. */
static const ee_judge_result *judge_into(data_set *d, ee_totals *totals, const char *id, const char *expected,
                                         const char *candidate) {
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
  return f->result.judges;
}

static const ee_corpus_summary *finish(data_set *d) {
  ee_totals_finish(&d->totals);
  return d->totals.all.judges[0].corpus;
}

static void test_figures(void **state) {
  (void)state;
  data_set d;
  open_set(&d, RULES());
  judge_into(&d, &d.totals, "2", "[[0,5,\"A\"],[6,9,\"B\"]]", "[[0,4,\"A\"],[6,9,\"C\"],{\"label\":\"C\"}]");
  judge_into(&d, &d.totals, "1", "[[0,5,\"A\"]]", "[[0,5,\"A\"]]");
  judge_into(&d, &d.totals, "0", "[[5,5,\"A\"]]", "[[0,5,\"A\"]]");
  const ee_corpus_summary *figures = finish(&d);
  assert_figure(figures, "strict_correct", 1);
  assert_figure(figures, "strict_possible", 3);
  assert_figure(figures, "strict_actual", 4);
  assert_figure(figures, "strict_f1", 2.0 / 7);
  assert_figure(figures, "partial_f1", 5.0 / 7);
  /* A 1 of 2 and 2, B 0, C 0. */
  assert_figure(figures, "strict_macro_f1", 0.5 / 3);
  assert_int_equal(figures->table_count, 1);
  assert_int_equal(figures->in_tables, figures->metric_count);
  assert_int_equal(figures->row_count, 3);
  assert_true(has_note(figures, "1 record whose expected spans cannot be used: in no count (first in '0')"));
  assert_true(has_note(figures, "1 candidate span that cannot be used: it is spurious (first in '2')"));
  /* Gates on the whole and on a label. */
  ee_gate gate;
  ee_error error;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  assert_true(ee_gate_parse(d.f.plan, "spans:A:partial_f1=0.75", 0, &arena, &gate, &error));
  assert_true(ee_gate_decide(&gate, &d.totals).passed);
  assert_true(ee_gate_parse(d.f.plan, "spans:A:strict_f1=0.51", 0, &arena, &gate, &error));
  assert_false(ee_gate_decide(&gate, &d.totals).passed);
  assert_true(ee_gate_parse(d.f.plan, "spans:Z:strict_f1=0.1", 0, &arena, &gate, &error));
  assert_true(ee_gate_decide(&gate, &d.totals).unseen);
  assert_false(ee_gate_parse(d.f.plan, "spans:A:strict_precision=0.1", 0, &arena, &gate, &error));
  ee_arena_fini(&arena);
  close_set(&d);
}

/* A random record, some of whose spans cannot be used. */
static void random_spans(test_random *random, char *out) {
  size_t count = test_random_below(random, 6);
  *out++ = '[';
  for (size_t i = 0; i < count; i++) {
    int start = (int)test_random_below(random, 12),
        length = (int)test_random_below(random, 25) == 0 ? 0 : 1 + (int)test_random_below(random, 4);
    out += sprintf(out, "%s[%d,%d,\"%c\"]", i > 0 ? "," : "", start, start + length,
                   "ABCDE"[test_random_below(random, 5)]);
  }
  strcpy(out, "]");
}

/* The sum of what each case keeps, whatever the parts; and the same bytes of state. */
static void test_parts(void **state) {
  (void)state;
  enum { CASES = 30, PARTS = 3 };
  test_random random = test_random_start("spans: parts", 91);
  data_set d;
  open_set(&d, RULES(",\"labels\":[\"C\",\"A\",\"B\"]"));
  ee_buffer first = {0}, again = {0};
  for (int round = 0; round < 200; round++) {
    char expected[CASES][256], candidate[CASES][256];
    for (size_t i = 0; i < CASES; i++) {
      random_spans(&random, expected[i]);
      random_spans(&random, candidate[i]);
    }
    for (int order = 0; order < 2; order++) {
      ee_totals parts[PARTS];
      ee_span_tally sum = {{0}};
      uint64_t cells[5][5] = {{0}};
      for (int i = 0; i < PARTS; i++) ee_totals_init(&parts[i], d.f.plan);
      for (size_t i = 0; i < CASES; i++) {
        size_t number = order == 0 ? i : CASES - 1 - i;
        char id[16];
        sprintf(id, "%zu", number);
        const ee_judge_result *result =
            judge_into(&d, &parts[test_random_below(&random, PARTS)], id, expected[number], candidate[number]);
        const ee_spans_case *kept = result->corpus_part;
        ee_span_tally_add(&sum, &kept->all);
        for (size_t k = 0; k < kept->cell_count; k++) {
          size_t places[2];
          const uint32_t numbers[2] = {kept->cells[k].expected, kept->cells[k].candidate};
          for (int side = 0; side < 2; side++)
            places[side] = numbers[side] == UINT32_MAX
                               ? 4
                               : (size_t)(strchr("CAB", kept->labels[numbers[side]].name.data[0]) - "CAB");
          cells[places[0]][places[1]]++;
        }
      }
      for (int i = 0; i < PARTS; i++) {
        if (test_random_below(&random, 2)) corpus_through_state(&parts[i]);
        ee_totals_merge(&d.totals, &parts[i]);
        ee_totals_fini(&parts[i]);
      }
      corpus_write(&d.totals, order == 0 ? &first : &again);
      const ee_corpus_summary *figures = finish(&d);
      for (ee_span_scheme scheme = EE_SCHEME_STRICT; scheme < EE_SPAN_SCHEMES; scheme++) {
        char name[32];
        ee_span_counts counts = ee_span_tally_counts(&sum, scheme);
        ee_metric f1 = ee_span_f1(&counts);
        sprintf(name, "%s_f1", ee_span_scheme_name(scheme));
        assert_figure(figures, name, f1.defined ? f1.value : -1);
        sprintf(name, "%s_incorrect", ee_span_scheme_name(scheme));
        assert_figure(figures, name, (double)counts.incorrect);
      }
      for (size_t x = 0; x < 5; x++)
        for (size_t y = 0; y < 5; y++) assert_int_equal(ee_label_summary_at(figures->confusion, x, y), cells[x][y]);
      ee_totals_clear(&d.totals);
    }
    assert_true(first.length == again.length && memcmp(first.data, again.data, first.length) == 0);
    if (round % 20 == 0) corpus_refuses_damage(&d.totals, (ee_str){first.data, first.length}, &random);
  }
  ee_buffer_fini(&first);
  ee_buffer_fini(&again);
  close_set(&d);
}

/* Many labels in one part: the list of labels moves while it grows. */
static void test_many_labels(void **state) {
  (void)state;
  enum { LABELS = 300 };
  data_set d;
  open_set(&d, RULES());
  ee_buffer text = {0};
  for (int i = 0; i < LABELS; i++) ee_buffer_addf(&text, "%s[%d,%d,\"L%03d\"]", i > 0 ? "," : "[", i, i + 1, i);
  ee_buffer_add_char(&text, ']');
  const char *spans = ee_buffer_terminate(&text);
  for (int i = 0; i < 3; i++) judge_into(&d, &d.totals, i == 0 ? "a" : i == 1 ? "b" : "c", spans, spans);
  const ee_corpus_summary *figures = finish(&d);
  assert_figure(figures, "strict_correct", 3 * LABELS);
  assert_figure(figures, "strict_macro_f1", 1);
  assert_int_equal(figures->confusion->count, LABELS);
  for (size_t i = 0; i < LABELS; i++) {
    assert_int_equal(figures->confusion->fields[i][EE_SPAN_SAME], 3);
    assert_int_equal(ee_label_summary_at(figures->confusion, i, i), 3);
  }
  ee_buffer_fini(&text);
  close_set(&d);
}

/* More labels than the matrix keeps apart: those after the first EE_LABEL_LIMIT in byte order are one. */
static void test_other_labels(void **state) {
  (void)state;
  enum { LABELS = EE_LABEL_LIMIT + 2 };
  data_set d;
  open_set(&d, RULES());
  ee_buffer text = {0};
  for (int i = 0; i < LABELS; i++) ee_buffer_addf(&text, "%s[%d,%d,\"L%03d\"]", i > 0 ? "," : "[", i, i + 1, i);
  ee_buffer_add_char(&text, ']');
  judge_into(&d, &d.totals, "1", ee_buffer_terminate(&text), "[[0,1,\"L000\"],[400,401,\"L400\"]]");
  const ee_corpus_summary *figures = finish(&d);
  assert_figure(figures, "strict_correct", 2);
  /* L000 1, the others of the first 400 0, (other) 1 of 2: F1 2/3. */
  assert_true(fabs(figure_value(figures, "strict_macro_f1") - (1 + 2.0 / 3) / (EE_LABEL_LIMIT + 1)) < 1e-12);
  assert_int_equal(figures->row_count, EE_LABEL_LIMIT + 1);
  assert_int_equal(figures->confusion->count, EE_LABEL_LIMIT);
  for (int i = 0; i < EE_LABEL_LIMIT; i++) {
    char name[8];
    snprintf(name, sizeof name, "L%03d", i);
    assert_true(ee_str_is(figures->confusion->labels[i], name));
    assert_int_equal(figures->confusion->fields[i][EE_SPAN_SAME], i == 0);
    assert_int_equal(figures->confusion->fields[i][EE_SPAN_MISSED], i > 0);
  }
  bool seen = false;
  for (size_t i = 0; i < figures->row_count; i++) {
    if (!ee_str_is(figures->rows[i].name, "(other)")) continue;
    seen = true;
    assert_true(figures->rows[i].values[0].value == 2 && figures->rows[i].values[1].value == 1);
  }
  assert_true(seen);
  ee_buffer_fini(&text);
  close_set(&d);
}

/* All figures of a small data set, worked out by hand. Whole: 1 the same, 1 of other bounds, 1 of another label, 1
 * missed, 2 spurious. */
static void test_all_figures(void **state) {
  (void)state;
  data_set d;
  open_set(&d, RULES());
  judge_into(&d, &d.totals, "2", "[[0,5,\"A\"],[6,9,\"B\"]]", "[[0,4,\"A\"],[6,9,\"C\"],{\"label\":\"C\"}]");
  judge_into(&d, &d.totals, "1", "[[0,5,\"A\"],[20,21,\"B\"]]", "[[0,5,\"A\"]]");
  judge_into(&d, &d.totals, "3", "[]", "[[50,51,\"A\"]]");
  const ee_corpus_summary *figures = finish(&d);
  ee_buffer text = {0};
  figures_print(figures, &text);
  for (size_t i = 0; i < figures->tables[0].row_count; i++) {
    ee_buffer_add_str(&text, figures->tables[0].rows[i].name);
    for (size_t k = 0; k < figures->tables[0].column_count; k++) {
      assert_string_equal(figures->tables[0].rows[i].values[k].name, figures->tables[0].columns[k]);
      add_figure_text(&text, &figures->tables[0].rows[i].values[k]);
    }
    ee_buffer_add_char(&text, '\n');
  }
  assert_string_equal(
      ee_buffer_terminate(&text),
      " strict_f1=0.22222222222222221 strict_precision=0.20000000000000001 strict_recall=0.25 "
      "strict_macro_f1=0.13333333333333333 strict_macro_precision=0.1111111111111111 "
      "strict_macro_recall=0.16666666666666666 exact_f1=0.44444444444444442 exact_precision=0.40000000000000002 "
      "exact_recall=0.5 exact_macro_f1=0.35555555555555557 exact_macro_precision=0.44444444444444442 "
      "exact_macro_recall=0.33333333333333331 partial_f1=0.55555555555555558 partial_precision=0.5 "
      "partial_recall=0.625 partial_macro_f1=0.42222222222222222 partial_macro_precision=0.5 "
      "partial_macro_recall=0.41666666666666669 type_f1=0.44444444444444442 type_precision=0.40000000000000002 "
      "type_recall=0.5 type_macro_f1=0.26666666666666666 type_macro_precision=0.22222222222222221 "
      "type_macro_recall=0.33333333333333331 strict_correct=1 strict_incorrect=2 strict_partial=0 strict_missed=1 "
      "strict_spurious=2 strict_possible=4 strict_actual=5 exact_correct=2 exact_incorrect=1 exact_partial=0 "
      "exact_missed=1 exact_spurious=2 exact_possible=4 exact_actual=5 partial_correct=2 partial_incorrect=0 "
      "partial_partial=1 partial_missed=1 partial_spurious=2 partial_possible=4 partial_actual=5 type_correct=2 "
      "type_incorrect=1 type_partial=0 type_missed=1 type_spurious=2 type_possible=4 type_actual=5\n"
      "label B expected=2 candidate=0 strict_f1=0 exact_f1=0.66666666666666663 partial_f1=0.66666666666666663 "
      "type_f1=0\n"
      "label C expected=0 candidate=2 strict_f1=0 exact_f1=0 partial_f1=0 type_f1=0\n"
      "label A expected=2 candidate=3 strict_f1=0.40000000000000002 exact_f1=0.40000000000000002 "
      "partial_f1=0.59999999999999998 type_f1=0.80000000000000004\n"
      "- 1 candidate span that cannot be used: it is spurious (first in '2')\n"
      "strict correct=1 incorrect=2 partial=0 missed=1 spurious=2 possible=4 actual=5 f1=0.22222222222222221 "
      "precision=0.20000000000000001 recall=0.25 macro_f1=0.13333333333333333\n"
      "exact correct=2 incorrect=1 partial=0 missed=1 spurious=2 possible=4 actual=5 f1=0.44444444444444442 "
      "precision=0.40000000000000002 recall=0.5 macro_f1=0.35555555555555557\n"
      "partial correct=2 incorrect=0 partial=1 missed=1 spurious=2 possible=4 actual=5 f1=0.55555555555555558 "
      "precision=0.5 recall=0.625 macro_f1=0.42222222222222222\n"
      "type correct=2 incorrect=1 partial=0 missed=1 spurious=2 possible=4 actual=5 f1=0.44444444444444442 "
      "precision=0.40000000000000002 recall=0.5 macro_f1=0.26666666666666666\n");
  ee_buffer_fini(&text);
  close_set(&d);
}

/* What is noted of a data set, of one record and of several. */
static void test_notes(void **state) {
  (void)state;
  static const struct {
    const char *options, *expected, *candidate, *notes[2];
  } cases[] = {
      {"",
       "17",
       "[]",
       {"1 record whose expected spans cannot be used: in no count (first in '1')",
        "2 records whose expected spans cannot be used: in no count (first in '1')"}},
      {"",
       "[]",
       "[[1,1,\"A\"]]",
       {"1 candidate span that cannot be used: it is spurious (first in '1')",
        "2 candidate spans that cannot be used: they are spurious (first in '1')"}},
      {"",
       "[\"O\"]",
       "[\"I-A\"]",
       {"1 candidate tag or mark out of sequence: it makes no span (lenient = true reads such tags) (first in '1')",
        "2 candidate tags or marks out of sequence: they make no span (lenient = true reads such tags) (first in "
        "'1')"}},
      {",\"lenient\":true",
       "[\"O\"]",
       "[\"I-A\"]",
       {"1 tag out of sequence that began a span (first in '1')",
        "2 tags out of sequence that began spans (first in '1')"}},
      {",\"labels\":[\"A\"]",
       "[[0,1,\"B\"]]",
       "[]",
       {"1 span of another label, left out (first in '1')", "2 spans of other labels, left out (first in '1')"}},
      {"",
       "[\"O\"]",
       "[\"O\",\"O\"]",
       {"1 candidate with another number of tags (first in '1')",
        "2 candidates with another number of tags (first in '1')"}},
      {",\"format\":\"xml\"",
       "\"a\"",
       "\"b\"",
       {"1 marked-up candidate of another text, whose offsets differ (first in '1')",
        "2 marked-up candidates of another text, whose offsets differ (first in '1')"}},
      {"",
       "[\"O\"]",
       "[[0,1,\"A\"]]",
       {"1 candidate whose spans have another kind of position: they are spurious (first in '1')",
        "2 candidates whose spans have another kind of position: they are spurious (first in '1')"}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char rules[128];
    data_set d;
    snprintf(rules, sizeof rules, RULES("%s"), cases[i].options);
    for (int count = 1; count <= 2; count++) {
      open_set(&d, rules);
      for (int k = count; k > 0; k--)
        judge_into(&d, &d.totals, k == 1 ? "1" : "2", cases[i].expected, cases[i].candidate);
      corpus_through_state(&d.totals);
      const ee_corpus_summary *figures = finish(&d);
      assert_int_equal(figures->note_count, 1);
      assert_note(figures, cases[i].notes[count - 1]);
      /* Cleared, nothing is left of it. */
      ee_totals_clear(&d.totals);
      judge_into(&d, &d.totals, "5", "null", "null");
      const ee_corpus_summary *nothing = finish(&d);
      assert_int_equal(nothing->note_count, 0);
      assert_false(figure_find(nothing, "strict_macro_f1")->defined || figure_find(nothing, "type_f1")->defined);
      close_set(&d);
    }
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_figures), cmocka_unit_test(test_parts),
             cmocka_unit_test(test_many_labels), cmocka_unit_test(test_other_labels),
             cmocka_unit_test(test_all_figures), cmocka_unit_test(test_notes));
