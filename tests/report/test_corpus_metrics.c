/* test_corpus_metrics.c: corpus metrics in the table and in the JSON of a run. */
#include <stdio.h>

#include "data/json/json_reader.h"
#include "report/printed.h"
#include "report/run_report.h"

/* A judge that gathers nothing and says the same of every data set. */
static const ee_corpus_metric head[] = {
    {"AP", true, false, 0.512345678},  {"AP50", true, false, 1 - 0x1p-50}, {"AP75", false, false, 0},
    {"AR1", true, false, 0.25},        {"AR10", true, false, 1 - 1e-8},    {"AR100", true, false, 0.75},
    {"precision", true, false, 0.125}, {"images", true, true, 12},         {"dropped", true, true, 0}};
static const char *const columns[] = {"AP", "objects"};
static const ee_corpus_metric cat[] = {{"AP", true, false, 0.1}, {"objects", true, true, 3}};
static const ee_corpus_metric dog[] = {{"AP", false, false, 0}, {"objects", true, true, 0}};
static ee_corpus_row rows[300];
static const ee_str notes[] = {{"2 objects missed (first in 'a')", 31}, {"two\nlines", 9}};

static void *open_gathered(const ee_judge *judge) {
  static int nothing;
  (void)judge;
  return &nothing;
}
static void ignore(void *corpus_part) { (void)corpus_part; }
static void add(void *corpus_part, const struct ee_case *source, const ee_judge_result *result) {
  (void)corpus_part, (void)source, (void)result;
}
static void merge(void *corpus_part, const void *other) { (void)corpus_part, (void)other; }

static size_t row_count = 2;

static void finish(const ee_judge *judge, void *corpus_part, ee_arena *arena, ee_corpus_summary *summary) {
  (void)judge, (void)corpus_part, (void)arena;
  for (size_t i = 0; i < row_count; i++) rows[i] = (ee_corpus_row){EE_STR("dog"), dog};
  if (row_count > 0) rows[0] = (ee_corpus_row){EE_STR("cat"), cat};
  *summary = (ee_corpus_summary){.metrics = head,
                                 .metric_count = sizeof head / sizeof *head,
                                 .row_title = "class",
                                 .columns = columns,
                                 .column_count = 2,
                                 .rows = rows,
                                 .row_count = row_count,
                                 .notes = notes,
                                 .note_count = 2};
}

static const ee_corpus_type gather = {
    .open = open_gathered, .close = ignore, .clear = ignore, .add = add, .merge = merge, .finish = finish};
static const ee_judge_type type = {.name = "boxes", .corpus = &gather};

typedef struct fixture {
  ee_judge judge;
  const ee_judge *judges[1];
  ee_plan plan;
  ee_totals totals;
  ee_summary summary;
  ee_buffer out;
} fixture;

static void fixture_open(fixture *f, size_t count) {
  *f = (fixture){0};
  row_count = count;
  f->judge =
      (ee_judge){.type = &type, .name = EE_STR("boxes"), .weight = 1, .verdict = {.pass = 0.8, .borderline = 0.6}};
  f->judges[0] = &f->judge;
  f->plan = (ee_plan){.name = EE_STR("street"), .judges = f->judges, .judge_count = 1};
  ee_totals_init(&f->totals, &f->plan);
  ee_totals_finish(&f->totals);
  f->summary = (ee_summary){.plan = &f->plan, .totals = &f->totals};
}

static void fixture_close(fixture *f) {
  ee_buffer_fini(&f->out);
  ee_totals_fini(&f->totals);
}

static void test_table(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f, 2);
  ee_report_write_run(TABLE, &f.summary, (ee_table_style){0}, &f.out);
  const char *text = ee_buffer_terminate(&f.out);
  static const char wanted[] = "         AP   AP50  AP75    AR1   AR10  AR100\n"
                               "      0.512  1.000     -  0.250  0.999  0.750\n"
                               "  precision\n"
                               "      0.125\n"
                               "\n"
                               "  images 12  dropped 0\n"
                               "\n"
                               "  class     AP  objects\n"
                               "  cat    0.100        3\n"
                               "  dog        -        0\n"
                               "\n"
                               "  - 2 objects missed (first in 'a')\n"
                               "  - two\\nlines\n";
  if (strstr(text, wanted) == NULL) fail_msg("%s", text);
  fixture_close(&f);
}

/* Rows beyond the two hundredth are left to the JSON. */
static void test_many_rows(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f, 300);
  ee_report_write_run(TABLE, &f.summary, (ee_table_style){0}, &f.out);
  assert_non_null(strstr(ee_buffer_terminate(&f.out), "  100 more"));
  ee_buffer_clear(&f.out);
  ee_run_json(&f.summary, &f.out);
  size_t count = 0;
  for (const char *at = ee_buffer_terminate(&f.out); (at = strstr(at, "\"class\"")) != NULL; at++) count++;
  assert_int_equal(count, 300);
  fixture_close(&f);
}

static void test_json(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f, 2);
  ee_run_json(&f.summary, &f.out);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_error error;
  const ee_value *summary = ee_json_read(&arena, (ee_str){f.out.data, f.out.length}, NULL, &error);
  assert_non_null(summary);
  const ee_value *judge = ee_value_child(ee_value_member(summary, EE_STR("judges"), NULL));
  const ee_value *figures = ee_value_member(judge, EE_STR("figures"), NULL);
  assert_int_equal(ee_value_count(figures), 8);
  assert_true(ee_value_number(ee_value_member(figures, EE_STR("AP"), NULL)) == 0.512345678);
  assert_null(ee_value_member(figures, EE_STR("AP75"), NULL));
  assert_true(ee_value_number(ee_value_member(figures, EE_STR("images"), NULL)) == 12);
  const ee_value *lines = ee_value_member(judge, EE_STR("rows"), NULL);
  assert_int_equal(ee_value_count(lines), 2);
  assert_true(ee_str_is(ee_value_text(ee_value_member(ee_value_element(lines, 0), EE_STR("class"), NULL)), "cat"));
  assert_int_equal(ee_value_count(ee_value_element(lines, 1)), 2); /* no AP */
  const ee_value *texts = ee_value_member(judge, EE_STR("notes"), NULL);
  assert_true(ee_str_is(ee_value_text(ee_value_element(texts, 1)), "two\nlines"));
  ee_arena_fini(&arena);
  fixture_close(&f);
}

/* A judge that is not finished, or gathers nothing, says nothing of it. */
static void test_without(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f, 2);
  ee_totals_clear(&f.totals);
  ee_run_json(&f.summary, &f.out);
  assert_null(strstr(ee_buffer_terminate(&f.out), "figures"));
  ee_buffer_clear(&f.out);
  ee_report_write_run(TABLE, &f.summary, (ee_table_style){0}, &f.out);
  assert_null(strstr(ee_buffer_terminate(&f.out), "AP50"));
  fixture_close(&f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_table), cmocka_unit_test(test_many_rows), cmocka_unit_test(test_json),
             cmocka_unit_test(test_without));
