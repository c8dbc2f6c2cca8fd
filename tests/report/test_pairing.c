/* test_pairing.c: how lists were paired, in rows, in the table and in the JSON of a run: falling back to greedy, what
 * greedy loses, and hints. */
#include "judge/plan_fixture.h"
#include "report/printed.h"
#include "report/row.h"
#include "report/run_report.h"

#define RULES                                                                                                          \
  "{\"ee\": \"rules\", \"name\": \"pairing\", \"items\": [{\"ee\": \"line_items\", \"compare_methods\": true, "        \
  "\"match\": {\"items\": [\"d\"], \"threshold\": 0.5, \"method\": \"optimal\", \"max_pairs\": 4}, \"items\": "        \
  "[\"l\", "                                                                                                           \
  "{\"ee\": \"exact\", \"items\": [\"n\"]}]}]}"

/* Optimal pairs both, greedy one; greedy as well; too many; one split in two. */
static const char *const documents[][2] = {
    {"{\"l\": [{\"d\": \"aabb\", \"n\": 1}, {\"d\": \"abbbbbb\", \"n\": 2}]}",
     "{\"l\": [{\"d\": \"aabbb\", \"n\": 2}, {\"d\": \"aab\", \"n\": 1}]}"},
    {"{\"l\": [{\"d\": \"aabb\", \"n\": 1}]}", "{\"l\": [{\"d\": \"aabb\", \"n\": 1}]}"},
    {"{\"l\": [{\"d\": \"aabb\", \"n\": 1}, {\"d\": \"b\", \"n\": 1}, {\"d\": \"c\", \"n\": 1}]}",
     "{\"l\": [{\"d\": \"aabb\", \"n\": 1}, {\"d\": \"x\", \"n\": 1}]}"},
    {"{\"l\": [{\"d\": \"Hydraulic pump with valve\", \"n\": 3}]}",
     "{\"l\": [{\"d\": \"Hydraulic\", \"n\": 1}, {\"d\": \"pump with valve\", \"n\": 2}]}"},
};
enum { DOCUMENTS = sizeof documents / sizeof *documents };

static const char *row_of(fixture *f, size_t number) {
  fixture_judge_case(f, documents[number][0], documents[number][1]);
  ee_buffer_clear(&f->text);
  ee_row_write(&f->result, &f->case_arena, &f->text);
  return ee_buffer_terminate(&f->text);
}

static void test_rows(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, RULES);
  const char *row = row_of(&f, 0);
  assert_has(row,
             "\"items\":{\"matched\":2,\"missing\":0,\"extra\":0},\"methods\":{\"greedy\":{\"similarity\":0.8,"
             "\"score\":0},\"optimal\":{\"similarity\":1.3214285714285714,\"score\":1},"
             "\"similarity_lost\":0.5214285714285714,\"different_pairs\":[{\"expected\":0,\"greedy\":0,\"optimal\":"
             "1},{\"expected\":1,\"greedy\":null,\"optimal\":0}]},\"mismatches\":[]}");
  row = row_of(&f, 1);
  assert_has(row, "\"methods\":{\"greedy\":{\"similarity\":1,\"score\":1},\"optimal\":{\"similarity\":1,\"score\":1},"
                  "\"similarity_lost\":0,\"different_pairs\":[]}");
  assert_has_not(row, "fallback");
  row = row_of(&f, 2);
  assert_has(row, ",\"fallback\":\"greedy\",\"mismatches\"");
  assert_has(row, "paired by greedy, since optimal would be too much work");
  assert_has_not(row, "\"methods\"");
  row = row_of(&f, 3);
  assert_has(row, ",\"hints\":[{\"kind\":\"split\",\"expected\":0,\"candidate\":[0,1]}],");
  assert_has(row, "line_items: 1/1 items matched, 0 missing, 1 extra; expected item 0 looks split into 0 and 1");
  fixture_judge_case(&f, documents[3][1], documents[3][0]);
  ee_buffer_clear(&f.text);
  ee_row_write(&f.result, &f.case_arena, &f.text);
  assert_has(ee_buffer_terminate(&f.text), ",\"hints\":[{\"kind\":\"merged\",\"expected\":[0,1],\"candidate\":0}],");
  fixture_close(&f);
}

/* Totals in two parts, as workers make them. */
static void judge_all(fixture *f, ee_totals *totals, ee_totals *part) {
  ee_totals_init(totals, f->plan);
  ee_totals_init(part, f->plan);
  for (size_t i = 0; i < DOCUMENTS; i++) {
    fixture_judge_case(f, documents[i][0], documents[i][1]);
    ee_totals_add(i < 2 ? totals : part, &f->result, &f->case_arena);
  }
  ee_totals_merge(totals, part);
}

static void test_summaries(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, RULES);
  ee_totals totals, part;
  judge_all(&f, &totals, &part);
  ee_summary summary = {.plan = f.plan, .totals = &totals};
  ee_buffer_clear(&f.text);
  ee_report_write_run(TABLE, &summary, (ee_table_style){0}, &f.text);
  const char *table = ee_buffer_terminate(&f.text);
  assert_has(table, "fail 2\n  greedy instead of optimal 1\n  greedy against optimal: 3 cases compared, 1 paired "
                    "differently, 1 worse by greedy, which loses 0.521429 of total similarity\n  mean score 0.");
  ee_buffer_clear(&f.text);
  ee_run_json(&summary, &f.text);
  const char *json = ee_buffer_terminate(&f.text);
  assert_has(json, "\"fallbacks_to_greedy\": 1,\n      \"methods\": {\n        \"compared\": 3,\n        "
                   "\"cases_with_different_pairs\": 1,\n        \"greedy_lost\": 1,\n        \"similarity_lost\": "
                   "0.5214285714285714,\n        \"mean_score_greedy\": 0.");
  /* Nothing of a case is left over for the next run. */
  ee_totals_clear(&totals);
  fixture_judge_case(&f, "{\"l\": 3}", "{}");
  ee_totals_add(&totals, &f.result, &f.case_arena);
  ee_buffer_clear(&f.text);
  ee_run_json(&summary, &f.text);
  assert_has_not(ee_buffer_terminate(&f.text), "fallbacks_to_greedy");
  ee_totals_fini(&totals);
  ee_totals_fini(&part);
  fixture_close(&f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_rows), cmocka_unit_test(test_summaries));
