/* test_trend.c: metrics over several runs and their gate, against a slow version on random summaries; sparklines; what
 * is not a summary. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/json/json_reader.h"
#include "report/printed.h"
#include "report/trend.h"
#include "support/random.h"

enum { MOST = 9, ROUNDS = 2000 };

static const ee_value *read_json(ee_arena *arena, const char *text) {
  ee_error error;
  const ee_value *value = ee_json_read(arena, ee_str_from(text), NULL, &error);
  if (value == NULL) fail_msg("%s in %s", error.message, text);
  return value;
}

typedef struct made_summary {
  double total, score; /* F1 of a field, the mean score; NaN: not there */
  unsigned rules, data;
} made_summary;

static made_summary random_summary(test_random *random) {
  made_summary made = {.score = (double)test_random_below(random, 21) / 20,
                       .total = (double)test_random_below(random, 11) / 10,
                       .rules = test_random_below(random, 4) == 0,
                       .data = test_random_below(random, 4) == 0};
  if (test_random_below(random, 5) == 0) made.score = NAN;
  if (test_random_below(random, 5) == 0) made.total = NAN;
  return made;
}

static const ee_value *summary_of(ee_arena *arena, const made_summary *made) {
  const char *score = isnan(made->score) ? "" : ee_arena_printf(arena, "\"mean_score\":%.17g,", made->score);
  const char *total = isnan(made->total) ? "" : ee_arena_printf(arena, ",\"f1\":%.17g", made->total);
  return read_json(arena,
                   ee_arena_printf(arena,
                                   "{%s\"rules\":{\"hash\":\"000000000000000%u\"},\"data_hash\":\"%u000000000000000\","
                                   "\"judges\":[{\"name\":\"j\",\"fields\":[{\"name\":\"total\"%s}]}]}",
                                   score, made->rules + 1, made->data + 1, total));
}

static double value_of(const made_summary *made, bool total) { return total ? made->total : made->score; }

/* Whether the last run passes by definition. */
static bool passes(const made_summary *runs, size_t count, bool total, const ee_trend_options *options) {
  double reference = NAN, sum = 0, compared = 0;
  const made_summary *last = &runs[count - 1];
  for (size_t i = 0; i + 1 < count; i++) {
    double value = value_of(&runs[i], total);
    if (isnan(value)) continue;
    if (!options->force && (runs[i].rules != last->rules || runs[i].data != last->data)) continue;
    sum += value;
    compared++;
    if (options->fail_below == EE_TREND_LAST || isnan(reference) || value > reference) reference = value;
  }
  if (options->fail_below == EE_TREND_MEAN) reference = sum / compared;
  return compared > 0 && value_of(last, total) >= reference - options->margin - 1e-9;
}

static void gates_agree_with_their_twin(void **state) {
  (void)state;
  static const char *const metrics[] = {"mean_score", "j:total:f1"};
  test_random random = test_random_start("trend", 701);
  size_t passed = 0;
  for (int round = 0; round < ROUNDS; round++) {
    ee_arena arena;
    ee_error error;
    ee_arena_init(&arena, 0);
    made_summary made[MOST];
    size_t count = 1 + test_random_below(&random, MOST);
    bool total = test_random_below(&random, 2) == 0, known = false;
    ee_trend_options options = {.fail_below = (ee_trend_gate)(1 + test_random_below(&random, 3)),
                                .metrics = &metrics[total ? 1 : 0],
                                .metric_count = 1,
                                .margin = (double)test_random_below(&random, 4) / 20,
                                .force = test_random_below(&random, 2) == 0};
    ee_trend *trend = ee_trend_new(&options);
    for (size_t i = 0; i < count; i++) {
      made[i] = random_summary(&random);
      known = known || !isnan(value_of(&made[i], total));
      ee_trend_add(trend, ee_arena_printf(&arena, "runs/%zu.json", i), summary_of(&arena, &made[i]));
    }
    ee_status status = ee_trend_finish(trend, &error);
    assert_int_equal(status, known ? EE_OK : EE_ERROR_USAGE);
    const char *reason;
    if (status == EE_OK) {
      assert_int_equal(ee_trend_fails(trend, &reason), !passes(made, count, total, &options));
      assert_int_equal(reason == NULL, !ee_trend_fails(trend, &reason));
      passed += reason == NULL;
    }
    ee_trend_free(trend);
    ee_arena_fini(&arena);
  }
  assert_true(passed > ROUNDS / 10 && passed < ROUNDS * 9 / 10);
}

static void check_sparks(const char *scores, bool ascii, const char *expected) {
  ee_arena arena;
  ee_error error;
  ee_buffer text;
  ee_arena_init(&arena, 0);
  ee_buffer_init(&text);
  ee_trend *trend = ee_trend_new(&(ee_trend_options){.ascii = ascii});
  for (const ee_value *at = ee_value_child(read_json(&arena, scores)); at != NULL; at = ee_value_next(at))
    ee_trend_add(trend, "run.json", at);
  assert_int_equal(ee_trend_finish(trend, &error), EE_OK);
  ee_report_write_trend(TABLE, trend, (ee_table_style){0}, &text);
  assert_has(ee_buffer_terminate(&text), expected);
  ee_trend_free(trend);
  ee_buffer_fini(&text);
  ee_arena_fini(&arena);
}

static void sparklines_span_their_range(void **state) {
  (void)state;
  const char *rising = "[{\"mean_score\":0},{\"mean_score\":0.125},{\"mean_score\":0.25},{\"mean_score\":0.375},"
                       "{\"mean_score\":0.5},{\"mean_score\":0.625},{\"mean_score\":0.75},{\"mean_score\":1}]";
  check_sparks(rising, true, "_.-=+*%#");
  check_sparks(rising, false,
               "\xe2\x96\x81\xe2\x96\x82\xe2\x96\x83\xe2\x96\x84\xe2\x96\x85\xe2\x96\x86\xe2\x96\x87\xe2\x96\x88");
  check_sparks("[{\"mean_score\":0.5},{\"mean_score\":0.5}]", true, "==");
  check_sparks("[{\"mean_score\":0.5},{\"judges\":[]},{\"mean_score\":0.75}]", true, "_ #");
  check_sparks("[{\"mean_score\":-1e300},{\"mean_score\":1e300}]", true, "_#");
}

/* Whatever JSON comes, nothing is read that is not there. */
static void odd_summaries(void **state) {
  (void)state;
  static const char *const texts[] = {
      "{\"judges\":[1,null,{\"name\":7,\"fields\":{}},{\"fields\":[3,{\"name\":\"\",\"f1\":0.5}]}]}",
      "{\"mean_score\":\"x\",\"verdicts\":[],\"measures\":[{\"path\":\"c\",\"mean\":1,\"p95\":null},5]}",
      "{\"mean_score\":0.5,\"cases\":1e300,\"verdicts\":{\"pass\":0},\"rules\":7,\"data_hash\":\"xyz\"}"};
  ee_arena arena;
  ee_error error;
  ee_arena_init(&arena, 0);
  ee_trend *trend = ee_trend_new(&(ee_trend_options){0});
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    const ee_value *summary = read_json(&arena, texts[i]);
    assert_true(ee_trend_is_summary(summary));
    ee_trend_add(trend, "odd", summary);
  }
  assert_int_equal(ee_trend_finish(trend, &error), EE_OK);
  static const char *const names[] = {"table", "markdown", "json", "csv", "html"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    ee_buffer text;
    ee_buffer_init(&text);
    ee_report_write_trend(ee_report_format_find(ee_str_from(names[i])), trend, (ee_table_style){0}, &text);
    assert_true(text.length > 0);
    ee_buffer_fini(&text);
  }
  ee_trend_free(trend);
  assert_false(ee_trend_is_summary(read_json(&arena, "{\"id\":\"a\",\"score\":1}")));
  assert_false(ee_trend_is_summary(read_json(&arena, "[]")));
  trend = ee_trend_new(&(ee_trend_options){0});
  assert_int_equal(ee_trend_finish(trend, &error), EE_ERROR_DATA);
  ee_trend_free(trend);
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(gates_agree_with_their_twin), cmocka_unit_test(sparklines_span_their_range),
             cmocka_unit_test(odd_summaries));
