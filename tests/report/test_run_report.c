/* test_run_report.c: the table, the Markdown, the JSON and the CSV of a run. */
#include "judge/small_rules.h"
#include "prim/unicode.h"
#include "report/printed.h"
#include "report/run_report.h"
#include "run/gate_decision.h"

#include <stdio.h>

typedef struct fixture {
  small_rules rules;
  ee_arena arena;
  ee_totals totals;
  ee_gate gates[4];
  ee_gate_result results[4];
  ee_summary summary;
  ee_buffer out; /* for Markdown */
} fixture;

enum { RECORDS = 4 };
static const char first_record[] = "{\"id\":\"1\",\"lang\":\"en\",\"expected\":{\"number\":\"7\",\"total\":100},"
                                   "\"candidate\":{\"number\":\"7\",\"total\":100}}",
                  third_record[] = "{\"id\":\"3\",\"expected\":{\"number\":\"7\",\"total\":100},\"raise\":true}",
                  fourth_record[] =
                      "{\"id\":\"4\",\"expected\":{\"number\":\"7\",\"total\":100},\"candidate\":\"sorry\"}";

/* A run over four records, and four gates; two records were unreadable, and one had an id of another. */
static int open_with(void **state, const char *second_record, uint64_t filtered) {
  const char *const records[RECORDS] = {first_record, second_record, third_record, fourth_record};
  static const char *const gates[] = {"mean_score=0.5", "header:total:f1=0.9", "header:note:recall=0.5",
                                      "header:macro_f1=0.3"};
  fixture *f = ee_calloc(1, sizeof *f);
  small_rules_open(&f->rules);
  f->rules.plan->rules_hash = 0xabc;
  ee_arena_init(&f->arena, 0);
  ee_totals_init(&f->totals, f->rules.plan);
  for (size_t i = 0; i < RECORDS; i++) {
    ee_case_result result = small_judge_record(&f->rules, &f->arena, records[i]);
    ee_totals_add(&f->totals, &result, &f->arena);
    ee_error error;
    assert_true(ee_gate_parse(f->rules.plan, gates[i], 0, &f->arena, &f->gates[i], &error));
  }
  f->totals.records += 3 + filtered;
  f->totals.unreadable = 2;
  f->totals.duplicates = 1;
  f->totals.filtered = filtered;
  for (size_t i = 0; i < 4; i++) f->results[i] = ee_gate_decide(&f->gates[i], &f->totals);
  f->summary = (ee_summary){.plan = f->rules.plan, .totals = &f->totals, .gates = f->results, .gate_count = 4};
  *state = f;
  return 0;
}

static int open_fixture(void **state) {
  return open_with(state,
                   "{\"id\":\"2\",\"lang\":\"d\\u001be\",\"expected\":{\"number\":\"7\",\"total\":100},\"candidate\":{"
                   "\"number\":\"7\",\"total\":90,\"note\":\"x\"},\"kind\":\"\xe6\x97\xa5\xe6\x9c\xac \\\"k,\\u202e\"}",
                   2);
}

/* With texts that mean something in Markdown. */
static int open_markdown(void **state) {
  return open_with(state,
                   "{\"id\":\"2\",\"lang\":\"d|`e\",\"expected\":{\"number\":\"7\",\"total\":100},\"candidate\":{"
                   "\"number\":\"7\",\"total\":90,\"note\":\"x\"},\"kind\":\"\xe6\x97\xa5\xe6\x9c\xac @you|<b>\"}",
                   0);
}

static int close_fixture(void **state) {
  fixture *f = *state;
  ee_buffer_fini(&f->out);
  ee_totals_fini(&f->totals);
  ee_arena_fini(&f->arena);
  small_rules_close(&f->rules);
  ee_free(f);
  return 0;
}

/* The table ------------------------------------------------------------------------------------- */

static const char *table_of(fixture *f, ee_table_style style) {
  ee_buffer out = {0};
  ee_report_write_run(TABLE, &f->summary, style, &out);
  cut_signature(&out);
  const char *text = ee_arena_copy(&f->arena, out.data, out.length);
  assert_int_equal(strlen(text), out.length);
  ee_buffer_fini(&out);
  return text;
}

#define LINE10                                                                                                         \
  "\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2"   \
  "\x94\x80"
#define LINE2 "\xe2\x94\x80\xe2\x94\x80"
#define BAR5 "\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88"
#define BAR3 "\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88"

static void test_table(void **state) {
  assert_string_equal(
      table_of(*state, (ee_table_style){0}),
      "invoice\n"
      "\n"
      "cases 4  mean score 0.525 [0.104, 0.913] (95 %)\n"
      "  pass        1  25.0 %  [0.4, 86.3]  " BAR5 "\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\n"
      "  borderline  1  25.0 %               " BAR5 "\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\n"
      "  fail        2  50.0 %               " BAR5 "" BAR5 "" BAR5 "\n"
      "straight-through  25.0 % [0.4, 86.3]: 1 of 4 cases needs no correction\n"
      "corrections       6, 1.5 a case, median 2; cases with 1: 0, 2: 3, 3+: 0\n"
      "                  changed 1, missing 4, removed 1\n"
      "                  checks failed 1\n"
      "\n"
      "records     read 9  scored 4  in error 3  unreadable 2  duplicate ids 1  not selected 2\n"
      "candidates  missing 1  without JSON 1\n"
      "rules       errors 1  cases 1  judges in error 1\n"
      "\n"
      "header (fields)  mean score 0.300 [0.019, 0.860]  pass 1  borderline 0  fail 3\n"
      "  attribute  TP  TN  FP  FN  wrong  invented  precision  recall     F1  interval\n"
      "  note        0   3   1   0      0         1      0.000       -  0.000\n"
      "  total       1   0   1   3      1         0      0.500   0.250  0.333  [0.007, 0.908]\n"
      "  number      2   0   0   2      0         0      1.000   0.500  0.667  [0.106, 0.986]\n"
      "  " LINE10 "" LINE10 "" LINE10 "" LINE10 "" LINE10 "" LINE10 "" LINE10 "" LINE10
      "\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\n"
      "  micro       3   3   2   5      1         1      0.600   0.375  0.462  [0.071, 0.905]\n"
      "  macro                                           0.500   0.250  0.333  [0.010, 0.901]\n"
      "  weighted                                        0.667   0.333  0.444  [0.022, 0.951]\n"
      "\n"
      "seen (judge)  mean score 0.750 [0.137, 0.996]  pass 3  borderline 0  fail 1\n"
      "  in error 1\n"
      "  attribute       TP  TN  FP  FN  wrong  invented  precision  recall     F1\n"
      "  \xe6\x97\xa5\xe6\x9c\xac \"k,\\u202e   1   0   0   0      -         -      1.000   1.000  1.000\n"
      "  " LINE10 "" LINE10 "" LINE10 "" LINE10 "" LINE10 "" LINE10 "" LINE10 "\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\n"
      "  micro            1   0   0   0      -         -      1.000   1.000  1.000\n"
      "  macro                                                1.000   1.000  1.000\n"
      "  weighted                                             1.000   1.000  1.000\n"
      "\n"
      "  - 1 case could not be judged, e.g. '3': seen (rules.lua:30: attempt to index a\n"
      "    nil value)\n"
      "\n"
      "slice lang, by the upper end of the mean's interval, lowest first\n"
      "  value      cases  mean score  interval           pass  interval\n"
      "  (missing)      2       0.250  [0.001, 0.989]    0.0 %  [0.0, 98.8]\n"
      "  d\\u001be       1       0.600                    0.0 %\n"
      "  en             1       1.000                  100.0 %\n"
      "\n"
      "gates\n"
      "  PASS  mean_score 0.525 [0.104, 0.913] (95 %, 4 units) >= 0.5\n"
      "  FAIL  header total f1 0.3333 [0.00717, 0.908] (95 %, 4 units) >= 0.9\n"
      "  UNDECIDED  header note recall undefined >= 0.5\n"
      "  PASS  header macro_f1 0.3333 [0.0102, 0.901] (95 %, 4 units) >= 0.3\n");
}

/* With its colours taken off, the coloured table is the plain one; nothing else is a control character. */
static void test_colors(void **state) {
  fixture *f = *state;
  const char *plain = table_of(f, (ee_table_style){0}), *colored = table_of(f, (ee_table_style){.color = true});
  ee_buffer bare = {0};
  size_t colors = 0;
  for (const char *at = colored; *at != '\0'; at++) {
    if (*at != '\033') {
      ee_buffer_add_char(&bare, *at);
      continue;
    }
    assert_int_equal(at[1], '[');
    at = strchr(at, 'm');
    assert_non_null(at);
    colors++;
  }
  assert_string_equal(ee_buffer_terminate(&bare), plain);
  assert_true(colors > 40);
  for (const char *at = plain; *at != '\0'; at++) assert_true((unsigned char)*at >= 0x20 || *at == '\n');
  assert_non_null(strstr(colored, "\033[32mPASS\033[0m"));
  assert_non_null(strstr(colored, "\033[31mFAIL\033[0m"));
  assert_non_null(strstr(colored, "\033[2m-\033[0m"));
  ee_buffer_fini(&bare);
}

static void test_width(void **state) {
  fixture *f = *state;
  ee_str *name = &f->totals.all.judges[0].attributes[0].name, before = *name;
  *name = EE_STR("supplier.address.postal.street_and_house_number");
  const char *table = table_of(f, (ee_table_style){.width = 100});
  size_t found = 0;
  for (const char *at = table; *at != '\0'; at = strchr(at, '\n') + 1) {
    ee_str line = {at, (size_t)(strchr(at, '\n') - at)};
    assert_true(ee_text_width(line) <= 100);
    found += memmem(at, line.length, "supplier.a", 10) != NULL && ee_text_width(line) > 80;
  }
  assert_int_equal(found, 1);
  assert_non_null(strstr(table, "\xe2\x80\xa6"));
  assert_null(strstr(table_of(f, (ee_table_style){0}), "\xe2\x80\xa6"));
  /* A terminal too narrow for the figures still shows twelve columns of the name. */
  assert_non_null(strstr(table_of(f, (ee_table_style){.width = 20}), "  suppl\xe2\x80\xa6number"));
  *name = before;
}

static void test_ends(void **state) {
  fixture *f = *state;
  f->summary.interrupted = true;
  assert_non_null(strstr(table_of(f, (ee_table_style){0}), "\ninterrupted: "));
  f->summary.interrupted = false;
  f->summary.stopped = true;
  assert_non_null(strstr(table_of(f, (ee_table_style){0}), "\nstopped at the first error: "));
  f->summary.stopped = false;
}

/* Nothing scored: no division by zero, no NaN. */
static void test_nothing_scored(void **state) {
  fixture *f = *state;
  ee_totals totals;
  ee_totals_init(&totals, f->rules.plan);
  ee_summary summary = {.plan = f->rules.plan, .totals = &totals};
  ee_buffer out = {0};
  ee_report_write_run(TABLE, &summary, (ee_table_style){0}, &out);
  cut_signature(&out);
  assert_non_null(strstr(ee_buffer_terminate(&out), "cases 0  mean score -\n  pass        0  -\n"));
  ee_buffer_clear(&out);
  ee_run_json(&summary, &out);
  ee_error error;
  const ee_value *root = ee_json_read(&f->arena, (ee_str){out.data, out.length}, NULL, &error);
  assert_non_null(root);
  assert_null(ee_value_member(root, EE_STR("mean_score"), NULL));
  ee_buffer_fini(&out);
  ee_totals_fini(&totals);
}

/* A figure that is not quite whole never looks whole, but for what is rounding. */
static void test_rounding(void **state) {
  fixture *f = *state;
  static const struct {
    double score;
    const char *text;
  } scores[] = {
      {0, "0.000"},      {1, "1.000"},      {0.9996, "0.999"}, {1 - 1e-8, "0.999"}, {0.9999999999999999, "1.000"},
      {0.9994, "0.999"}, {0.0001, "0.001"}, {0.5, "0.500"},    {0.0625, "0.063"},   {1.0 / 3, "0.333"}};
  for (size_t i = 0; i < sizeof scores / sizeof *scores; i++)
    assert_true(ee_str_is(ee_cell_score(&f->arena, scores[i].score, EE_INK_PLAIN).text, scores[i].text));
  assert_true(ee_str_is(ee_cell_percent(&f->arena, 9999, 10000, EE_INK_PLAIN).text, "99.9 %"));
  assert_true(ee_str_is(ee_cell_percent(&f->arena, 1, 100000, EE_INK_PLAIN).text, "0.1 %"));
  assert_true(ee_str_is(ee_cell_percent(&f->arena, 3, 3, EE_INK_PLAIN).text, "100.0 %"));
  assert_true(ee_str_is(ee_cell_percent(&f->arena, 1, 3, EE_INK_PLAIN).text, "33.3 %"));
  assert_true(ee_str_is(ee_cell_percent(&f->arena, 0, 0, EE_INK_PLAIN).text, "-"));
}

/* JSON ------------------------------------------------------------------------------------------ */

/* The value at a path of members and indices, or a failure. */
static const ee_value *at(fixture *f, const ee_value *root, const char *text) {
  ee_error error;
  const ee_path *path = ee_path_parse(&f->arena, ee_str_from(text), &error);
  assert_non_null(path);
  const ee_value *value = ee_path_get(path, root, &f->arena);
  if (value == NULL) fail_msg("nothing at %s", text);
  return value;
}

static void assert_number(fixture *f, const ee_value *root, const char *path, double number) {
  const ee_value *value = at(f, root, path);
  assert_int_equal(ee_type_of(value), EE_NUMBER);
  if (ee_value_number(value) != number) fail_msg("%s is %.17g, not %.17g", path, ee_value_number(value), number);
}

static void assert_text(fixture *f, const ee_value *root, const char *path, const char *text) {
  const ee_value *value = at(f, root, path);
  assert_int_equal(ee_type_of(value), EE_STRING);
  assert_true(ee_str_is(ee_value_text(value), text));
}

static void test_json(void **state) {
  fixture *f = *state;
  ee_buffer out = {0};
  ee_run_json(&f->summary, &out);
  ee_error error;
  const ee_value *root = ee_json_read(&f->arena, (ee_str){out.data, out.length}, NULL, &error);
  if (root == NULL) fail_msg("%zu: %s", error.line, error.message);
  assert_number(f, root, "schema", 1);
  assert_text(f, root, "version", EE_VERSION);
  assert_text(f, root, "rules.name", "invoice");
  assert_text(f, root, "rules.hash", "0000000000000abc");
  assert_number(f, root, "records", 9);
  assert_number(f, root, "cases", 4);
  assert_number(f, root, "not_selected", 2);
  assert_number(f, root, "errors.unreadable", 2);
  assert_number(f, root, "errors.duplicate_ids", 1);
  assert_number(f, root, "errors.rule_errors", 1);
  assert_number(f, root, "candidates.missing", 1);
  assert_number(f, root, "candidates.without_json", 1);
  assert_number(f, root, "mean_score", ee_sample_mean(&f->totals.all.score));
  ee_ranged mean = ee_ranged_of_sample(&f->totals.all.score, 0.95);
  assert_number(f, root, "confidence", 0.95);
  assert_number(f, root, "mean_score_interval.low", mean.interval.low);
  assert_number(f, root, "mean_score_interval.high", mean.interval.high);
  assert_number(f, root, "verdicts.pass", 1);
  assert_number(f, root, "verdicts.borderline", 1);
  assert_number(f, root, "verdicts.fail", 2);
  assert_text(f, root, "judges[0].name", "header");
  assert_text(f, root, "judges[0].type", "fields");
  /* Worst first; undefined metrics are not there. */
  assert_text(f, root, "judges[0].fields[0].name", "note");
  assert_number(f, root, "judges[0].fields[0].precision", 0);
  assert_null(ee_value_member(at(f, root, "judges[0].fields[0]"), EE_STR("recall"), NULL));
  assert_number(f, root, "judges[0].fields[0].f1", 0);
  assert_text(f, root, "judges[0].fields[2].name", "number");
  assert_number(f, root, "judges[0].fields[2].tp", 2);
  assert_number(f, root, "judges[0].fields[1].wrong", 1);
  assert_number(f, root, "judges[0].fields[1].invented", 0);
  assert_number(f, root, "judges[0].pooled.fn", 5);
  assert_number(f, root, "judges[0].micro.precision", 0.6);
  assert_number(f, root, "judges[0].macro.recall", 0.25);
  assert_number(f, root, "judges[0].weighted.f1", 4.0 / 9);
  assert_number(f, root, "judges[1].in_error", 1);
  assert_text(f, root, "judges[1].fields[0].name", "\xe6\x97\xa5\xe6\x9c\xac \"k,\xe2\x80\xae");
  assert_null(ee_value_member(at(f, root, "judges[1].fields[0]"), EE_STR("wrong"), NULL));
  assert_text(f, root, "slices[0].path", "lang");
  assert_text(f, root, "slices[0].values[0].value", "en");
  assert_text(f, root, "slices[0].values[1].value",
              "d\x1b"
              "e");
  assert_number(f, root, "slices[0].values[2].cases", 2);
  assert_number(f, root, "slices[0].values[2].judges[0].pooled.fn", 4);
  assert_number(f, root, "gates[0].value", 0.525);
  assert_int_equal(ee_type_of(at(f, root, "gates[0].passed")), EE_TRUE);
  assert_text(f, root, "gates[1].field", "total");
  assert_int_equal(ee_type_of(at(f, root, "gates[2].passed")), EE_FALSE);
  assert_text(f, root, "gates[2].reason", "undefined");
  /* Indented by two spaces, one member a line. */
  assert_memory_equal(out.data, "{\n  \"schema\": 1,\n  \"version\": ", 30);
  assert_non_null(strstr(ee_buffer_terminate(&out), "\n  \"errors\": {\n    \"unreadable\": 2,\n"));
  assert_memory_equal(out.data + out.length - 4, "]\n}\n", 4);
  ee_buffer_fini(&out);
}

/* CSV ------------------------------------------------------------------------------------------- */

static void test_csv(void **state) {
  fixture *f = *state;
  ee_buffer out = {0};
  ee_run_csv(&f->summary, &out);
  assert_string_equal(
      ee_buffer_terminate(&out),
      "judge,attribute,tp,tn,fp,fn,wrong,precision,recall,f1,unread,precision_low,precision_high,recall_low,recall_"
      "high,f1_low,f1_high,accuracy,answered_rate,fabrication_rate\n"
      "header,note,0,3,1,0,0,0,,0,0,,,,,,,0.75,,0.25\n"
      "header,total,1,0,1,3,1,0.5,0.25,0.3333333333333333,0,0.0020519518916289527,0.997948048108371,0."
      "003818340826853976,0.8625544491735242,0.0071736656969041525,0.9081809257945572,0.25,0.5,\n"
      "header,number,2,0,0,2,0,1,0.5,0.6666666666666666,0,0.008190965540253482,1,0.0614182636505437,0.9385817363494563,"
      "0.10552919989400653,0.986288250464568,0.5,0.5,\n"
      "header,(micro),3,3,2,5,1,0.6,0.375,0.46153846153846156,0,0.0053277424636691785,0.9976250850521385,0."
      "04481612466916546,0.8798666411464299,0.07140856854679148,0.905248311472068,0.5,0.5,0.25\n"
      "header,(macro),,,,,,0.5,0.25,0.3333333333333333,,6.794665096596867e-9,0.999999993205335,0.011080692072613368,0."
      "8330935881882353,0.010182657660384677,0.9012612136701865,,,\n"
      "header,(weighted),,,,,,0.6666666666666666,0.3333333333333333,0.4444444444444444,,0.0028251582960990207,1,0."
      "013627010183880465,0.894626964395846,0.022272925202066415,0.9510206273558589,,,\n"
      "seen,\"\xe6\x97\xa5\xe6\x9c\xac \"\"k,\\u202e\",1,0,0,0,,1,1,1,0,,,,,,,,,\n"
      "seen,(micro),1,0,0,0,,1,1,1,0,,,,,,,,,\n"
      "seen,(macro),,,,,,1,1,1,,,,,,,,,,\n"
      "seen,(weighted),,,,,,1,1,1,,,,,,,,,,\n");
  ee_buffer_fini(&out);
}

/* Many attributes and values: the table stays readable, the others are complete. */
static void test_long_lists(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_totals totals;
  ee_totals_init(&totals, rules.plan);
  for (int i = 0; i < 250; i++) {
    const char *record = ee_arena_printf(
        &arena,
        "{\"id\":\"%d\",\"expected\":{\"number\":1},\"candidate\":{\"number\":1},\"lang\":%d,\"kind\":\"k%03d\"}", i, i,
        i);
    ee_case_result result = small_judge_record(&rules, &arena, record);
    ee_totals_add(&totals, &result, &arena);
  }
  ee_summary summary = {.plan = rules.plan, .totals = &totals};
  ee_buffer out = {0};
  ee_report_write_run(TABLE, &summary, (ee_table_style){0}, &out);
  cut_signature(&out);
  const char *table = ee_buffer_terminate(&out);
  assert_non_null(strstr(table, "\n  k199 "));
  assert_null(strstr(table, "\n  k200 "));
  assert_non_null(strstr(table, "\n  50 more: --format json or csv\n"));
  assert_non_null(strstr(table, "\n  210 more: --format json\n"));
  ee_buffer_clear(&out);
  ee_run_csv(&summary, &out);
  assert_non_null(strstr(ee_buffer_terminate(&out), "\nseen,k249,"));
  ee_buffer_fini(&out);
  ee_totals_fini(&totals);
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

/* Keys that candidates made up: many of them are one line, and those that occur most come first. */
static void test_never_expected(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_judge judge = {.type = &ee_quality_judge, .name = EE_STR("quality"), .weight = 1};
  const ee_judge *judges[] = {&judge};
  ee_plan plan = *rules.plan;
  plan.judges = judges;
  plan.judge_count = 1;
  plan.slice_count = 0;
  for (int keys = 11; keys <= 15; keys += 4) {
    ee_totals totals;
    ee_totals_init(&totals, &plan);
    ee_attribute_result attributes[20] = {
        {.name = EE_STR(""), .slot = -1, .counts = {.fp = 1, .fn = 1, .wrong = 1}},
        {.name = EE_STR("a null"), .slot = -1, .counts = {.tn = 2, .fp = 1}},
        {.name = EE_STR("missing"), .slot = -1, .counts = {.fn = 3}},
    };
    for (int i = 0; i < keys; i++) {
      attributes[3 + i] = (ee_attribute_result){.slot = -1, .counts = {.fp = i == 12 ? 9 : i == 1 ? 2 : 1}};
      attributes[3 + i].name = ee_str_from(ee_arena_printf(&arena, "made-up-%02d", i));
    }
    ee_judge_result judged = {.judge = &judge, .attributes = attributes, .attribute_count = 3 + (size_t)keys};
    ee_case source = {.id = EE_STR("one"), .record = NULL};
    ee_totals_add(&totals, &(ee_case_result){.source = &source, .judges = &judged, .judge_count = 1}, &arena);
    ee_summary summary = {.plan = &plan, .totals = &totals};
    ee_buffer out = {0};
    ee_report_write_run(TABLE, &summary, (ee_table_style){0}, &out);
    cut_signature(&out);
    const char *table = strstr(ee_buffer_terminate(&out), "  attribute ");
    assert_non_null(table);
    if (keys == 15) {
      static const char *const lines[] = {
          "  attribute                   TP  TN  FP  FN  wrong  invented  precision  recall     F1\n",
          "  made-up-12                   0   0   9   0      0         9      0.000       -  0.000\n",
          "  missing                      0   0   0   3      0         0          -   0.000  0.000\n",
          "  \"\"                           0   0   1   1      1         0      0.000   0.000  0.000\n",
          "  made-up-01                   0   0   2   0      0         2      0.000       -  0.000\n",
          "  a null                       0   2   1   0      0         1      0.000       -  0.000\n",
          "  made-up-00                   0   0   1   0      0         1      0.000       -  0.000\n",
          "  made-up-02                   0   0   1   0      0         1      0.000       -  0.000\n",
      };
      for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        assert_memory_equal(table, lines[i], strlen(lines[i]));
        table += strlen(lines[i]);
      }
      assert_null(strstr(table, "made-up-09"));
      static const char fold[] =
          "  made-up-08                   0   0   1   0      0         1      0.000       -  0.000\n"
          "  5 more keys never expected   0   0   5   0      0         5      0.000       -  0.000\n"
          "  \xe2\x94\x80";
      assert_non_null(strstr(table, fold));
    } else {
      assert_non_null(strstr(table, "\n  made-up-10 "));
      assert_null(strstr(table, "never expected"));
    }
    ee_buffer_clear(&out);
    ee_run_csv(&summary, &out);
    for (int i = 0; i < keys; i++) {
      assert_non_null(strstr(ee_buffer_terminate(&out), ee_arena_printf(&arena, "\nquality,made-up-%02d,0,0,", i)));
    }
    ee_buffer_fini(&out);
    ee_totals_fini(&totals);
  }
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

/* Markdown --------------------------------------------------------------------------------------- */

static const char *markdown_of(fixture *f) {
  ee_buffer_clear(&f->out);
  ee_report_write_run(MARKDOWN, &f->summary, (ee_table_style){0}, &f->out);
  cut_signature(&f->out);
  return ee_buffer_terminate(&f->out);
}

static void test_markdown(void **state) {
  assert_string_equal(
      markdown_of(*state),
      "## `invoice`: mean score 0.525 [0.104, 0.913]\n"
      "\n"
      "\xe2\x9d\x8c **FAIL**: 2 of 4 gates failed\n"
      "\n"
      "4 cases: 1 pass (25.0 % [0.4, 86.3]), 1 borderline (25.0 %), 2 fail (50.0 %); intervals at 95 %\n"
      "\n"
      "- straight-through **25.0 %** [0.4, 86.3]: 1 of 4 cases needs no correction\n"
      "- corrections 6, 1.5 a case, median 2; cases with 1: 0, 2: 3, 3+: 0: changed 1, missing 4, removed 1; checks "
      "failed 1\n"
      "- 2 records could not be read\n"
      "- 1 record has an id seen before and was left out\n"
      "- 1 case has no candidate\n"
      "- 1 candidate contains no JSON\n"
      "- 1 error was raised by the rules\n"
      "- 1 case has a judge in error\n"
      "\n"
      "### Gates\n"
      "\n"
      "| gate                                                             | verdict      |\n"
      "|:-----------------------------------------------------------------|:-------------|\n"
      "| `mean_score 0.525 [0.104, 0.913] (95 %, 4 units) >= 0.5`         | \xe2\x9c\x85 PASS      |\n"
      "| `header total f1 0.3333 [0.00717, 0.908] (95 %, 4 units) >= 0.9` | \xe2\x9d\x8c FAIL      |\n"
      "| `header note recall undefined >= 0.5`                            | \xe2\x9d\x8c UNDECIDED |\n"
      "| `header macro_f1 0.3333 [0.0102, 0.901] (95 %, 4 units) >= 0.3`  | \xe2\x9c\x85 PASS      |\n"
      "\n"
      "### `header` (`fields`)\n"
      "\n"
      "Mean score **0.300 [0.019, 0.860]**: 1 pass (25.0 %), 0 borderline, 3 fail (75.0 %)\n"
      "\n"
      "| attribute    | TP | TN | FP | FN | wrong | invented | precision | recall |        F1 | interval       |\n"
      "|:-------------|---:|---:|---:|---:|------:|---------:|----------:|-------:|----------:|:---------------|\n"
      "| `note`       |  0 |  3 |  1 |  0 |     0 |        1 |     0.000 |      - |     0.000 |                |\n"
      "| `total`      |  1 |  0 |  1 |  3 |     1 |        0 |     0.500 |  0.250 |     0.333 | [0.007, 0.908] |\n"
      "| `number`     |  2 |  0 |  0 |  2 |     0 |        0 |     1.000 |  0.500 |     0.667 | [0.106, 0.986] |\n"
      "| **micro**    |  3 |  3 |  2 |  5 |     1 |        1 |     0.600 |  0.375 | **0.462** | [0.071, 0.905] |\n"
      "| **macro**    |    |    |    |    |       |          |     0.500 |  0.250 | **0.333** | [0.010, 0.901] |\n"
      "| **weighted** |    |    |    |    |       |          |     0.667 |  0.333 | **0.444** | [0.022, 0.951] |\n"
      "\n"
      "### `seen` (`judge`)\n"
      "\n"
      "Mean score **0.750 [0.137, 0.996]**: 3 pass (75.0 %), 0 borderline, 1 fail (25.0 %)\n"
      "\n"
      "- 1 case in which the judge failed\n"
      "\n"
      "| attribute                                   | TP | TN | FP | FN | precision | recall |        F1 |\n"
      "|:--------------------------------------------|---:|---:|---:|---:|----------:|-------:|----------:|\n"
      "| <code>\xe6\x97\xa5\xe6\x9c\xac &#64;you&#124;&#60;b&#62;</code> |  1 |  0 |  0 |  0 |     1.000 |  1.000 |    "
      " 1.000 |\n"
      "| **micro**                                   |  1 |  0 |  0 |  0 |     1.000 |  1.000 | **1.000** |\n"
      "| **macro**                                   |    |    |    |    |     1.000 |  1.000 | **1.000** |\n"
      "| **weighted**                                |    |    |    |    |     1.000 |  1.000 | **1.000** |\n"
      "\n"
      "- `1 case could not be judged, e.g. '3': seen (rules.lua:30: attempt to index a nil value)`\n"
      "\n"
      "### Slice `lang`\n"
      "\n"
      "| value                      | cases | mean score | interval       |    pass | interval    |\n"
      "|:---------------------------|------:|-----------:|:---------------|--------:|:------------|\n"
      "| `(missing)`                |     2 |      0.250 | [0.001, 0.989] |   0.0 % | [0.0, 98.8] |\n"
      "| <code>d&#124;&#96;e</code> |     1 |      0.600 |                |   0.0 % |             |\n"
      "| `en`                       |     1 |      1.000 |                | 100.0 % |             |\n");
}

/* The line of the verdict says what the gates say. */
static void test_verdict(void **state) {
  fixture *f = *state;
  f->summary.gate_count = 1;
  assert_non_null(strstr(markdown_of(f), "\n\n\xe2\x9c\x85 **PASS**: 1 gate passed\n\n"));
  f->summary.gates = &f->results[1];
  assert_non_null(strstr(markdown_of(f), "\n\n\xe2\x9d\x8c **FAIL**: 1 of 1 gate failed\n\n"));
  f->summary.gate_count = 0;
  const char *text = markdown_of(f);
  assert_null(strstr(text, "PASS"));
  assert_null(strstr(text, "Gates"));
  f->summary.interrupted = true;
  assert_non_null(strstr(markdown_of(f), "**Interrupted**: "));
  f->summary.expected = (ee_expected_coverage){.given = true, .whole = true, .records = 9, .without_record = 3};
  assert_non_null(strstr(markdown_of(f), "- 3 expected values have no record\n"));
}

/* All rows of a table are as wide as its head, and no cell has a bare pipe. */
static void test_alignment(void **state) {
  const char *text = markdown_of(*state);
  size_t width = 0, pipes = 0, tables = 0;
  for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
    ee_str row = {line, (size_t)(strchr(line, '\n') - line)};
    if (row.length == 0 || row.data[0] != '|') {
      width = 0;
      continue;
    }
    size_t count = 0;
    for (size_t i = 0; i < row.length; i++) count += row.data[i] == '|';
    if (width == 0) {
      width = ee_text_width(row);
      pipes = count;
      tables++;
    }
    assert_int_equal(ee_text_width(row), width);
    assert_int_equal(count, pipes);
  }
  assert_int_equal(tables, 4);
}

/* Texts of the data in code spans. */
static void test_code(void **state) {
  fixture *f = *state;
  static const char *const texts[][2] = {
      {"a.b[0]", "`a.b[0]`"},
      {"", "`\"\"`"},
      {"\\|", "<code>&#92;&#124;</code>"},
      {"a\nb\x1b", "`a\\nb\\u001b`"},
      {" both ", "`  both  `"},
      {" left", "` left`"},
      {"*x* _y_ ](z) <i> &amp;", "`*x* _y_ ](z) <i> &amp;`"},
      {"`*x* <i> &amp; a.b-c,d/e", "<code>&#96;&#42;x&#42; &#60;i&#62; &#38;amp&#59; a.b-c,d/e</code>"},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    ee_page page;
    ee_page_init(&page);
    ee_line *line = ee_page_line(&page, EE_MEDIUM_ALL, EE_LINE_PARAGRAPH);
    ee_line_add(&page, line, (ee_cell){.text = ee_str_from(texts[i][0]), .kind = EE_CELL_DATA});
    ee_buffer_clear(&f->out);
    ee_render_markdown(&page, (ee_table_style){0}, &f->out);
    ee_page_fini(&page);
    assert_string_equal(ee_buffer_terminate(&f->out), ee_arena_printf(&f->arena, "%s\n", texts[i][1]));
  }
}

EE_TEST_FILE(open_fixture, close_fixture, cmocka_unit_test(test_table), cmocka_unit_test(test_colors),
             cmocka_unit_test(test_width), cmocka_unit_test(test_ends), cmocka_unit_test(test_nothing_scored),
             cmocka_unit_test(test_rounding), cmocka_unit_test(test_json), cmocka_unit_test(test_csv),
             cmocka_unit_test(test_long_lists), cmocka_unit_test(test_never_expected),
             cmocka_unit_test_setup_teardown(test_markdown, open_markdown, close_fixture),
             cmocka_unit_test_setup_teardown(test_verdict, open_markdown, close_fixture),
             cmocka_unit_test_setup_teardown(test_alignment, open_markdown, close_fixture),
             cmocka_unit_test_setup_teardown(test_code, open_markdown, close_fixture));
