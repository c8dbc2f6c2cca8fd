/* test_spans_corpus.c: the spans of a data set: sums of the cases, the matrix, in any parts and in any order. */
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

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_figures), cmocka_unit_test(test_parts),
             cmocka_unit_test(test_many_labels));
