/* test_case_metrics.c: per-case metrics of judges, and the worst cases, in the table, the JSON and the CSV of a run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "data/json/json_reader.h"
#include "prim/unicode.h"
#include "report/printed.h"
#include "report/run_report.h"
#include "support/random.h"

enum { MEASURES = 5 };
static const char *const names[] = {"rqs", "accuracy", "completeness", "safety", "hallucination", NULL};
static const ee_judge_type quality_type = {.name = "quality", .case_metrics = names};

/* A plan with one judge that measures, slices by `lang`, and results made by hand. */
typedef struct fixture {
  ee_arena arena;
  ee_judge judge;
  const ee_judge *judges[1];
  const ee_path *slices[1];
  ee_plan plan;
  ee_totals totals;
  ee_summary summary;
} fixture;

static void fixture_open(fixture *f) {
  memset(f, 0, sizeof *f);
  ee_arena_init(&f->arena, 0);
  f->judge = (ee_judge){
      .type = &quality_type, .name = EE_STR("quality"), .weight = 1, .verdict = {.pass = 0.8, .borderline = 0.6}};
  f->judges[0] = &f->judge;
  f->slices[0] = ee_path_parse(&f->arena, EE_STR("lang"), NULL);
  f->plan = (ee_plan){
      .name = EE_STR("letters"), .confidence = 0.95, .judges = f->judges, .judge_count = 1, .slices = f->slices};
  ee_totals_init(&f->totals, &f->plan);
  f->summary = (ee_summary){.plan = &f->plan, .totals = &f->totals};
}

static void fixture_close(fixture *f) {
  ee_totals_fini(&f->totals);
  ee_arena_fini(&f->arena);
}

/* Starts again with values of `lang` told apart. */
static void fixture_slice(fixture *f) {
  ee_totals_fini(&f->totals);
  f->plan.slice_count = 1;
  ee_totals_init(&f->totals, &f->plan);
}

/* Adds a case; `parts` in the order of `names`. */
static void add_case(fixture *f, const char *id, const double parts[MEASURES], ee_judge_result judged) {
  const ee_value *record = ee_json_read(&f->arena, EE_STR("{\"lang\":\"en\"}"), NULL, NULL);
  ee_case source = {.id = ee_str_from(id), .record = record};
  judged.judge = &f->judge;
  judged.score = parts[0];
  judged.case_metrics = parts;
  judged.verdict = ee_verdict_of(parts[0], f->judge.verdict);
  ee_case_result result = {
      .source = &source, .score = parts[0], .verdict = judged.verdict, .judges = &judged, .judge_count = 1};
  ee_totals_add(&f->totals, &result, &f->arena);
}

static void add_four(fixture *f) {
  static const ee_attribute_result bio[] = {{.name = EE_STR("bio"), .slot = -1, .counts = {.tp = 1}},
                                            {.name = EE_STR("name"), .slot = -1, .counts = {.fn = 1}}};
  static const double parts[4][MEASURES] = {
      {0.85, 1, 1, 1, 0}, {0.7375, 1, 0.75, 1, 1.0 / 3}, {0, 0, 0, 0, 0}, {0.5, 0.4, 0.5, 1, 0.25}};
  static const char *const ids[] = {"perfect", "letter-2", "letter-3\x1b of the archive of the town hall", "letter-4"};
  for (size_t i = 0; i < 4; i++)
    add_case(f, ids[i], parts[i], (ee_judge_result){.attributes = bio, .attribute_count = 2});
}

/* The table ------------------------------------------------------------------------------------- */

static const char *table_of(fixture *f, ee_table_style style) {
  ee_buffer out = {0};
  ee_report_write_run(TABLE, &f->summary, style, &out);
  cut_signature(&out);
  const char *text = ee_arena_copy(&f->arena, out.data, out.length);
  ee_buffer_fini(&out);
  return text;
}

/* From the judge's head line on. */
static const char *judge_of(fixture *f, ee_table_style style) {
  const char *table = strstr(table_of(f, style), "\nquality");
  assert_non_null(table);
  return table + 1;
}

#define LINE6 "\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80"

static void test_table(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  add_four(&f);
  assert_string_equal(
      judge_of(&f, (ee_table_style){0}),
      "quality  mean score 0.522 [0.112, 0.904]  pass 1  borderline 1  fail 2\n"
      "  metric          mean  interval        median    min    max     sd\n"
      "  rqs            0.522  [0.112, 0.904]   0.619  0.000  0.850  0.377\n"
      "  accuracy       0.600  [0.107, 0.952]   0.700  0.000  1.000  0.490\n"
      "  completeness   0.563  [0.112, 0.929]   0.625  0.000  1.000  0.427\n"
      "  safety         0.750  [0.137, 0.996]   1.000  0.000  1.000  0.500\n"
      "  hallucination  0.146  [0.024, 0.547]   0.125  0.000  0.333  0.172\n"
      "\n"
      "  attribute  TP  TN  FP  FN  wrong  invented  precision  recall     F1  interval\n"
      "  name        0   0   0   4      0         0          -   0.000  0.000  [0.000, 0.717]\n"
      "  bio         4   0   0   0      0         0      1.000   1.000  1.000  [0.240, 1.000]\n"
      "  "
      "\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2"
      "\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94"
      "\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80"
      "\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2"
      "\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94"
      "\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80"
      "\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2"
      "\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94"
      "\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80"
      "\n"
      "  micro       4   0   0   4      0         0      1.000   0.500  0.667  [0.253, 0.922]\n"
      "  macro                                           0.500   0.500  0.500  [0.185, 0.815]\n"
      "  weighted                                        0.500   0.500  0.500  [0.185, 0.815]\n"
      "\n"
      "  worst cases\n"
      "  rank  id                                          rqs  accuracy  completeness  safety  hallucination\n"
      "     1  letter-3\\u001b of t\xe2\x80\xa6ive of the town hall  0.000     0.000         0.000   0.000          "
      "0.000\n"
      "     2  letter-4                                  0.500     0.400         0.500   1.000          0.250\n"
      "     3  letter-2                                  0.738     1.000         0.750   1.000          0.333\n"
      "     4  perfect                                   0.850     1.000         1.000   1.000          0.000\n");
  fixture_close(&f);
}

/* With its colours taken off, the coloured table is the plain one. */
static void test_colors(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  add_four(&f);
  f.totals.provider_failures = 3;
  f.totals.cases_with_provider_failures = 2;
  const char *plain = table_of(&f, (ee_table_style){0}), *colored = table_of(&f, (ee_table_style){.color = true});
  ee_buffer bare = {0};
  for (const char *at = colored; *at != '\0'; at++) {
    if (*at == '\033')
      at = strchr(at, 'm');
    else
      ee_buffer_add_char(&bare, *at);
  }
  assert_string_equal(ee_buffer_terminate(&bare), plain);
  ee_buffer_fini(&bare);
  assert_non_null(strstr(colored, "\033[31mletter-4\033[0m"));
  assert_non_null(strstr(colored, "\033[33mletter-2\033[0m"));
  assert_non_null(strstr(colored, "  perfect  "));
  assert_non_null(strstr(colored, "\033[1m0.750\033[0m"));
  assert_non_null(strstr(plain, "\nprovider    no answer 3  cases 2\n"));
  assert_non_null(strstr(colored, "\nprovider    no answer \033[31m3\033[0m  cases \033[31m2\033[0m\n"));
  fixture_close(&f);
}

/* Ids give way, then the last figures, which a line names. */
static void test_width(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  add_four(&f);
  const char *table = judge_of(&f, (ee_table_style){.width = 80});
  assert_non_null(strstr(table, "\n     1  letter-3\xe2\x80\xa6town hall  0.000     0.000"));
  for (const char *at = table; *at != '\0'; at = strchr(at, '\n') + 1)
    assert_true(ee_text_width((ee_str){at, (size_t)(strchr(at, '\n') - at)}) <= 80);
  table = judge_of(&f, (ee_table_style){.width = 46});
  assert_non_null(strstr(table, "quality  mean score 0.522 [0.112, 0.904]\n  pass 1  borderline 1  fail 2\n"));
  assert_non_null(
      strstr(table, "  hallucination  0.146  [0.024, 0.547]   0.125\n  without sd, max, min: too narrow\n"));
  assert_non_null(strstr(table, "\n  attribute  TP  FP  FN  recall     F1\n"));
  assert_non_null(strstr(table, "\n  without TN, invented, wrong, interval,"));
  assert_non_null(strstr(table, "\n  rank  id                       rqs  accuracy\n     1  letter-3"));
  for (size_t width = 40; width < 120; width++) {
    table = table_of(&f, (ee_table_style){.width = width});
    for (const char *at = table; *at != '\0'; at = strchr(at, '\n') + 1)
      assert_true(ee_text_width((ee_str){at, (size_t)(strchr(at, '\n') - at)}) <= width);
  }
  fixture_close(&f);
}

static size_t count_lines(const char *text) {
  size_t lines = 0;
  for (; *text != '\0'; text++) lines += *text == '\n';
  return lines;
}

static void test_worst_cases(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  /* Twelve cases with the same score say nothing; one that differs does, and ten are shown. */
  const double good[MEASURES] = {0.7, 1, 1, 1, 0}, bad[MEASURES] = {0.7 - 0x1p-53, 1, 1, 1, 0.25};
  for (int i = 0; i < 12; i++) add_case(&f, ee_arena_printf(&f.arena, "c%02d", i), good, (ee_judge_result){0});
  assert_null(strstr(table_of(&f, (ee_table_style){0}), "worst cases"));
  assert_int_equal(count_lines(judge_of(&f, (ee_table_style){0})), 1 + 1 + MEASURES);
  add_case(&f, "", bad, (ee_judge_result){0});
  const char *worst = strstr(table_of(&f, (ee_table_style){0}), "\n\n  worst cases\n");
  assert_non_null(worst);
  assert_int_equal(count_lines(worst), 2 + 1 + 1 + 10);
  assert_non_null(strstr(worst, "\n     1  \"\"   0.700"));
  assert_non_null(strstr(worst, "\n     2  c00  0.700"));
  assert_non_null(strstr(worst, "\n    10  c08  0.700"));
  fixture_close(&f);
}

static void test_few_cases(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  assert_string_equal(judge_of(&f, (ee_table_style){0}), "quality  mean score -  pass 0  borderline 0  fail 0\n"
                                                         "  metric         mean  interval  median  min  max  sd\n"
                                                         "  rqs               -                 -    -    -   -\n"
                                                         "  accuracy          -                 -    -    -   -\n"
                                                         "  completeness      -                 -    -    -   -\n"
                                                         "  safety            -                 -    -    -   -\n"
                                                         "  hallucination     -                 -    -    -   -\n");
  add_case(&f, "only", (const double[MEASURES]){0.5, 0.5, 0.5, 0.5, 0.5}, (ee_judge_result){0});
  assert_non_null(
      strstr(judge_of(&f, (ee_table_style){0}), "\n  rqs            0.500             0.500  0.500  0.500   -\n"));
  assert_null(strstr(table_of(&f, (ee_table_style){0}), "worst cases"));
  assert_null(strstr(table_of(&f, (ee_table_style){0}), "provider"));
  fixture_close(&f);
}

/* JSON ------------------------------------------------------------------------------------------ */

static const char *json_of(fixture *f) {
  ee_buffer out = {0};
  ee_run_json(&f->summary, &out);
  const char *text = ee_arena_copy(&f->arena, out.data, out.length);
  ee_buffer_fini(&out);
  return text;
}

static void test_json_bytes(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const double low[MEASURES] = {0.25, 0.5, 0.5, 1, 1}, high[MEASURES] = {0.75, 1, 1, 1, 0};
  add_case(&f, "high", high, (ee_judge_result){0});
  add_case(&f, "a \"low\" one", low, (ee_judge_result){0});
  const char *json = json_of(&f);
#define FIGURES(name, mean, from, to, low, high, deviation)                                                            \
  "        \"" name "\": {\n          \"mean\": " mean ",\n          \"mean_interval\": {\"low\":" from                \
  ",\"high\":" to "},\n"                                                                                               \
  "          \"median\": " mean ",\n          \"min\": " low ",\n          \"max\": " high ",\n          "             \
  "\"standard_deviation\": " deviation "\n        }"
  static const char *const figures[] = {
      "      \"vacuous\": 0,\n",
      "      \"case_metrics\": {\n",
      FIGURES("rqs", "0.5", "0.004653427803644429", "0.9953465721963556", "0.25", "0.75", "0.3535533905932738") ",\n",
      FIGURES("accuracy", "0.75", "0.006888242685801914", "0.9999999966026675", "0.5", "1", "0.3535533905932738") ",\n",
      FIGURES("completeness", "0.75", "0.006888242685801914", "0.9999999966026675", "0.5", "1",
              "0.3535533905932738") ",\n",
      FIGURES("safety", "1", "0.008190965540253482", "1", "1", "1", "0") ",\n",
      FIGURES("hallucination", "0.5", "0.0020519518916289527", "0.997948048108371", "0", "1",
              "0.7071067811865476") "\n",
      "      },\n",
      "      \"fields\": [],\n",
  };
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) assert_non_null(strstr(json, figures[i]));
#define RANKED(rank, id, rqs, rest)                                                                                    \
  "        {\n          \"rank\": " rank ",\n          \"id\": " id ",\n          \"score\": " rqs                     \
  ",\n          \"rqs\": " rqs ",\n          " rest "\n        }"
  assert_non_null(strstr(
      json,
      "      \"weighted\": {},\n"
      "      \"ranking\": [\n" RANKED(
          "1", "\"a \\\"low\\\" one\"", "0.25",
          "\"accuracy\": 0.5,\n          \"completeness\": 0.5,\n          "
          "\"safety\": 1,\n          \"hallucination\": 1") ",\n" RANKED("2", "\"high\"", "0.75",
                                                                         "\"accuracy\": 1,\n          "
                                                                         "\"completeness\": 1,\n          \"safety\": "
                                                                         "1,\n          "
                                                                         "\"hallucination\": 0") "\n      ]\n    }\n"));
  assert_null(strstr(json, "ranking_truncated"));
  fixture_close(&f);
}

/* Failures of a provider are told where one is asked, even when there are none. */
static void test_json_provider(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  assert_null(strstr(json_of(&f), "provider"));
  f.plan.needs_provider = true;
  f.totals.provider_failures = 3;
  f.totals.cases_with_provider_failures = 2;
  assert_non_null(strstr(json_of(&f), "    \"cases_with_rule_errors\": 0,\n"
                                      "    \"judges_in_error\": 0,\n"
                                      "    \"expected_values_unread\": 0,\n"
                                      "    \"provider_failures\": 3,\n"
                                      "    \"cases_with_provider_failures\": 2\n  },\n"));
  fixture_close(&f);
}

static const ee_value *read_json(fixture *f) {
  ee_error error;
  const ee_value *value = ee_json_read(&f->arena, ee_str_from(json_of(f)), NULL, &error);
  if (value == NULL) fail_msg("%zu: %s", error.line, error.message);
  return value;
}

static const ee_value *member(const ee_value *value, const char *key) {
  const ee_value *found = ee_value_member(value, ee_str_from(key), NULL);
  if (found == NULL) fail_msg("no member '%s'", key);
  return found;
}

static bool has(const ee_value *value, const char *key) {
  return ee_value_member(value, ee_str_from(key), NULL) != NULL;
}

static double number(const ee_value *value, const char *key) { return ee_value_number(member(value, key)); }

/* Of no case nothing is known; slices have measures, and no ranking. */
static void test_json_slices(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_slice(&f);
  const ee_value *judge = ee_value_element(member(read_json(&f), "judges"), 0);
  assert_int_equal(ee_value_count(member(member(judge, "case_metrics"), "rqs")), 0);
  assert_int_equal(ee_value_count(member(judge, "ranking")), 0);
  add_four(&f);
  const ee_value *root = read_json(&f);
  const ee_value *slice = ee_value_element(member(ee_value_element(member(root, "slices"), 0), "values"), 0);
  judge = ee_value_element(member(slice, "judges"), 0);
  assert_true(number(member(member(judge, "case_metrics"), "accuracy"), "median") == 0.7);
  assert_false(has(judge, "ranking"));
  assert_false(has(judge, "ranking_truncated"));
  assert_int_equal(ee_value_count(member(ee_value_element(member(root, "judges"), 0), "ranking")), 4);
  fixture_close(&f);
}

static void test_csv(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  add_four(&f);
  ee_buffer out = {0};
  ee_run_csv(&f.summary, &out);
  assert_string_equal(
      ee_buffer_terminate(&out),
      "judge,attribute,tp,tn,fp,fn,wrong,precision,recall,f1,unread,precision_low,precision_high,"
      "recall_low,recall_high,f1_low,f1_high,accuracy,answered_rate,fabrication_rate\n"
      "quality,name,0,0,0,4,0,,0,0,0,,,0,0.7168735804821831,0,0.7168735804821831,0,0,\n"
      "quality,bio,4,0,0,0,0,1,1,1,0,0.2400966781805284,1,0.2400966781805284,1,0.2400966781805284,1,1,1,\n"
      "quality,(micro),4,0,0,4,0,1,0.5,0.6666666666666666,0,0.2400966781805284,1,0.20617406394336574,0."
      "7938259360566342,0.2531718184979386,0.9218722339141663,0.5,0.5,\n"
      "quality,(macro),,,,,,0.5,0.5,0.5,,0.18481647192919518,0.8151835280708047,0.18481647192919518,0."
      "8151835280708047,0.18481647192919518,0.8151835280708047,,,\n"
      "quality,(weighted),,,,,,0.5,0.5,0.5,,0.18481647192919518,0.8151835280708047,0.18481647192919518,"
      "0.8151835280708047,0.18481647192919518,0.8151835280708047,,,\n");
  ee_buffer_fini(&out);
  fixture_close(&f);
}

/* A twin ---------------------------------------------------------------------------------------- */

typedef struct plain_case {
  double parts[MEASURES];
  size_t number;
} plain_case;

static int compare_numbers(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static int compare_cases(const void *left, const void *right) {
  const plain_case *a = left, *b = right;
  if (a->parts[0] != b->parts[0]) return a->parts[0] < b->parts[0] ? -1 : 1;
  char first[32], second[32];
  snprintf(first, sizeof first, "case %zu", a->number);
  snprintf(second, sizeof second, "case %zu", b->number);
  return strcmp(first, second);
}

static void assert_near(double value, long double wanted) {
  if (fabsl(value - wanted) > 1e-12L) fail_msg("%.17g is not %.17Lg", value, wanted);
}

/* The figures of one measure the slow way, from all its values. */
static void assert_figures(const ee_value *figures, const plain_case *cases, size_t count, size_t measure) {
  double *sorted = ee_calloc(count, sizeof *sorted);
  long double sum = 0, squares = 0;
  for (size_t i = 0; i < count; i++) sum += sorted[i] = cases[i].parts[measure];
  for (size_t i = 0; i < count; i++) squares += (sorted[i] - sum / count) * (sorted[i] - sum / count);
  qsort(sorted, count, sizeof *sorted, compare_numbers);
  assert_near(number(figures, "mean"), sum / count);
  assert_true(number(figures, "median") == (sorted[(count - 1) / 2] + sorted[count / 2]) / 2);
  assert_true(number(figures, "min") == sorted[0]);
  assert_true(number(figures, "max") == sorted[count - 1]);
  assert_int_equal(has(figures, "standard_deviation"), count > 1);
  if (count > 1) {
    double deviation = number(figures, "standard_deviation");
    /* The sum of squares is kept to 2^-60 a value, and the root makes more of it where it is near 0. */
    assert_near(deviation * deviation, squares / (count - 1));
  }
  ee_free(sorted);
}

static void check_twin(test_random *random, size_t count) {
  fixture f;
  fixture_open(&f);
  plain_case *cases = ee_calloc(count, sizeof *cases);
  size_t steps = 1 + test_random_below(random, 40);
  for (size_t i = 0; i < count; i++) {
    cases[i].number = i;
    for (size_t k = 0; k < MEASURES; k++)
      cases[i].parts[k] = test_random_below(random, 10) == 0
                              ? test_random_unit(random)
                              : (double)test_random_below(random, steps + 1) / (double)steps;
    add_case(&f, ee_arena_printf(&f.arena, "case %zu", i), cases[i].parts, (ee_judge_result){0});
  }
  const ee_value *judge = ee_value_element(member(read_json(&f), "judges"), 0);
  for (size_t k = 0; k < MEASURES; k++)
    assert_figures(member(member(judge, "case_metrics"), names[k]), cases, count, k);
  qsort(cases, count, sizeof *cases, compare_cases);
  const ee_value *ranked = ee_value_child(member(judge, "ranking"));
  size_t listed = count < 1000 ? count : 1000;
  assert_int_equal(ee_value_count(member(judge, "ranking")), listed);
  assert_int_equal(has(judge, "ranking_truncated"), count > 1000);
  for (size_t i = 0; i < listed; i++, ranked = ee_value_next(ranked)) {
    char id[32];
    snprintf(id, sizeof id, "case %zu", cases[i].number);
    assert_true(ee_str_is(ee_value_text(member(ranked, "id")), id));
    assert_true(number(ranked, "rank") == (double)(i + 1));
    assert_true(number(ranked, "score") == cases[i].parts[0]);
    for (size_t k = 0; k < MEASURES; k++) assert_true(number(ranked, names[k]) == cases[i].parts[k]);
  }
  ee_free(cases);
  fixture_close(&f);
}

static void test_twin(void **state) {
  (void)state;
  test_random random = test_random_start("measures", 42);
  for (int round = 0; round < 200; round++) check_twin(&random, 1 + test_random_below(&random, 60));
  check_twin(&random, 1000);
  check_twin(&random, 1001);
  check_twin(&random, 4000);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_table), cmocka_unit_test(test_colors), cmocka_unit_test(test_width),
             cmocka_unit_test(test_worst_cases), cmocka_unit_test(test_few_cases), cmocka_unit_test(test_json_bytes),
             cmocka_unit_test(test_json_provider), cmocka_unit_test(test_json_slices), cmocka_unit_test(test_csv),
             cmocka_unit_test(test_twin));
