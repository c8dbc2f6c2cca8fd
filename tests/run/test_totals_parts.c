/* test_totals_parts.c: all that a run counts, over random records for rules with most options: any parts, merged in
 * memory or as states, have the bytes of the whole; kinds of errors and measures against plain sums. */
#include "judge/measure.h"
#include "judge/plan_fixture.h"
#include "support/random.h"
#include "support/totals_text.h"

#include <math.h>
#include <string.h>

/* Some are not in the rules and occur; 'skip' is ignored, so that a difference there is in no attribute. */
#define RULES                                                                                                          \
  "{\"ee\":\"rules\",\"slices\":[\"lang\",\"region\"],\"measures\":[\"latency\",\"cost.usd\"],\"cluster\":\"doc\","    \
  "\"items\":["                                                                                                        \
  "{\"ee\":\"fields\",\"confidence\":\"*.sure\",\"cost\":{\"incorrect\":5},\"items\":["                                \
  "{\"ee\":\"exact\",\"items\":[\"number\"]},{\"ee\":\"numeric\",\"items\":[\"total\"]},"                              \
  "{\"ee\":\"exact\",\"items\":[\"vendor\"]}]},"                                                                       \
  "{\"ee\":\"line_items\",\"name\":\"lines\",\"match\":\"sku\",\"compare_methods\":true,\"items\":[\"lines\","         \
  "{\"ee\":\"exact\",\"items\":[\"text\"]},{\"ee\":\"numeric\",\"items\":[\"price\"]}]},"                              \
  "{\"ee\":\"quality\",\"name\":\"keys\",\"ignore\":\"everywhere\",\"strategies\":{\"skip\":\"IGNORE\","               \
  "\"number\":\"EXACT\",\"nowhere\":\"EXACT\"}}]}"

static const char *one_of(test_random *random, const char *const *texts, size_t count) {
  return texts[test_random_below(random, count)];
}
#define ONE_OF(random, ...)                                                                                            \
  one_of(random, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static const char *random_lines(test_random *random, ee_arena *arena) {
  const char *list = "";
  for (size_t count = test_random_below(random, 4); count > 0; count--)
    list = ee_arena_printf(arena, "%s%s{%s\"text\":\"t%zu\",\"price\":%s}", list, *list != '\0' ? "," : "",
                           ONE_OF(random, "", "\"sku\":\"a\",", "\"sku\":\"b\","), test_random_below(random, 3),
                           ONE_OF(random, "1", "2", "\"x\""));
  return list;
}

static const char *random_document(test_random *random, ee_arena *arena, bool candidate) {
  const char *value = ONE_OF(random, "7", "8", "\"many\"", "null");
  return ee_arena_printf(arena, "{\"number\":%s,\"total\":%s%s%s,\"skip\":%zu,\"lines\":[%s]%s}",
                         ONE_OF(random, "\"1\"", "\"12\"", "\"21\""),
                         candidate ? ee_arena_printf(arena, "{\"value\":%s,\"sure\":%s}", value,
                                                     ONE_OF(random, "0.5", "0.75", "1", "\"?\""))
                                   : value,
                         candidate ? "" : ",\"vendor\":", candidate ? "" : ONE_OF(random, "\"v\"", "\"w\""),
                         test_random_below(random, 3), random_lines(random, arena),
                         candidate ? ONE_OF(random, "", ",\"seller\":\"v\"") : "");
}

static const char *random_record(test_random *random, ee_arena *arena, size_t number) {
  return ee_arena_printf(arena, "{\"id\":\"c%zu\",\"expected\":%s,\"candidate\":%s%s%s%s%s%s}", number,
                         random_document(random, arena, false),
                         test_random_below(random, 9) == 0 ? "null" : random_document(random, arena, true),
                         ONE_OF(random, "", ",\"lang\":\"de\"", ",\"lang\":\"en\"", ",\"lang\":\"fr\""),
                         ONE_OF(random, "", ",\"region\":\"de\"", ",\"region\":\"fr\"", ",\"region\":\"us\""),
                         ONE_OF(random, "", ",\"doc\":\"d1\"", ",\"doc\":\"d2\""),
                         ONE_OF(random, "", ",\"latency\":2", ",\"latency\":0.25", ",\"latency\":\"fast\""),
                         ONE_OF(random, "", ",\"cost\":{\"usd\":3}", ",\"cost\":{\"usd\":1e-3}"));
}

/* The case is in f->case_arena. */
static void judge(fixture *f, const char *text) {
  ee_error error = {0};
  ee_value *record = ee_json_read(&f->case_arena, ee_str_from(text), NULL, &error);
  if (record == NULL) fail_msg("%s: %s", text, error.message);
  if (ee_record_read(record, &f->plan->paths, &(ee_record_place){.line = 1}, &f->case_arena, &f->current, &error) !=
      EE_OK)
    fail_msg("%s: %s", text, error.message);
  f->context = (ee_context){
      .plan = f->plan, .arena = &f->case_arena, .script = &f->script, .kinds = true, .rule_errors = &f->rule_errors};
  ee_plan_judge(f->plan, &f->context, &f->current, &f->result);
}

enum { JUDGES = 3, MEASURES = 2, SLICES = 2, VALUES = 5, PARTS = 4 };

/* What is added up, the plain way. */
typedef struct plain {
  uint64_t kinds[JUDGES][EE_ERROR_KIND_COUNT], rows[JUDGES][EE_ERROR_KIND_COUNT];
  uint64_t measured[MEASURES], missing[MEASURES], not_numbers[MEASURES];
  double sums[MEASURES];
  uint64_t slices[SLICES][VALUES];
} plain;

static const char *const slice_names[] = {"lang", "region"}, *const slice_values[] = {"(missing)", "de", "en", "fr",
                                                                                      "us"};

static void plain_add(plain *sum, const ee_case_result *result) {
  for (size_t i = 0; i < result->judge_count; i++) {
    const ee_judge_result *judged = &result->judges[i];
    for (size_t k = 0; k < judged->mismatch_count; k++) {
      const ee_mismatch *mismatch = &judged->mismatches[k];
      if (mismatch->is_row)
        sum->rows[i][mismatch->kind]++;
      else if (mismatch->attribute.length > 0)
        sum->kinds[i][mismatch->kind]++;
    }
  }
  for (size_t i = 0; i < MEASURES; i++) {
    const ee_value *record = result->source->record;
    const ee_value *found = i == 0
                                ? ee_value_member(record, EE_STR("latency"), NULL)
                                : ee_value_member(ee_value_member(record, EE_STR("cost"), NULL), EE_STR("usd"), NULL);
    sum->missing[i] += found == NULL;
    sum->not_numbers[i] += ee_type_of(found) == EE_STRING;
    if (ee_type_of(found) != EE_NUMBER) continue;
    sum->measured[i]++;
    sum->sums[i] += ee_value_number(found);
  }
}

static void plain_add_slices(plain *sum, const ee_value *record) {
  for (size_t i = 0; i < SLICES; i++) {
    const ee_value *found = ee_value_member(record, ee_str_from(slice_names[i]), NULL);
    for (size_t v = 0; v < VALUES; v++)
      sum->slices[i][v] += found == NULL ? v == 0 : ee_str_is(ee_value_text(found), slice_values[v]);
  }
}

static void assert_plain(const ee_totals *totals, const plain *sum) {
  for (size_t i = 0; i < JUDGES; i++) {
    const ee_judge_total *judge = &totals->all.judges[i];
    uint64_t kinds[EE_ERROR_KIND_COUNT] = {0};
    for (size_t k = 0; k < judge->attribute_count; k++) {
      assert_true(judge->attributes[k].name.length > 0);
      for (int kind = 0; kind < EE_ERROR_KIND_COUNT && judge->attributes[k].kinds != NULL; kind++)
        kinds[kind] += judge->attributes[k].kinds->kinds[kind].count;
    }
    for (int kind = EE_ERROR_KIND_NONE + 1; kind < EE_ERROR_KIND_COUNT; kind++) {
      assert_int_equal(kinds[kind], sum->kinds[i][kind]);
      assert_int_equal(judge->row_kinds != NULL ? judge->row_kinds->kinds[kind].count : 0, sum->rows[i][kind]);
    }
  }
  for (size_t i = 0; i < MEASURES; i++) {
    const ee_measure_total *measure = &totals->all.measures[i];
    assert_int_equal(measure->values.total, sum->measured[i]);
    assert_int_equal(measure->missing, sum->missing[i]);
    assert_int_equal(measure->not_numbers, sum->not_numbers[i]);
    ee_metric mean = ee_measure_summarize(measure).mean;
    assert_int_equal(mean.defined, sum->measured[i] > 0);
    if (mean.defined) assert_true(fabs(mean.value - sum->sums[i] / (double)sum->measured[i]) < 1e-12);
  }
  size_t slices = 0;
  for (size_t i = 0; i < SLICES; i++)
    for (size_t v = 0; v < VALUES; v++) {
      uint64_t cases = 0;
      for (size_t k = 0; k < totals->slice_count; k++)
        if (totals->slices[k].slice == i && ee_str_is(totals->slices[k].value, slice_values[v]))
          cases += totals->slices[k].totals.score.count;
      assert_int_equal(cases, sum->slices[i][v]);
      slices += cases > 0;
    }
  assert_int_equal(totals->slice_count, slices);
}

/* What was written is read: members, and what is computed from those that have memory of their own. */
static void same_sums(ee_ratio_sums a, ee_ratio_sums b) {
  assert_true(a.units == b.units && a.a == b.a && a.b == b.b && a.aa == b.aa && a.ab == b.ab && a.bb == b.bb);
}

static void same_sample(const ee_sample *a, const ee_sample *b) {
  assert_int_equal(a->count, b->count);
  assert_true(a->sum.units == b->sum.units && a->sum_of_squares.units == b->sum_of_squares.units);
}

static void same_scores(const ee_sample *score, const uint64_t verdicts[3], const ee_score_units *a,
                        const ee_sample *other, const uint64_t others[3], const ee_score_units *b) {
  same_sample(score, other);
  for (int i = 0; i < 3; i++) assert_int_equal(verdicts[i], others[i]);
  assert_int_equal(ee_score_units_count(a, score), ee_score_units_count(b, other));
  same_sums(ee_score_units_mean(a, score), ee_score_units_mean(b, other));
  same_sums(ee_score_units_pass_rate(a, score, verdicts[0]), ee_score_units_pass_rate(b, other, others[0]));
}

static void same_example(const ee_case_example *a, const ee_case_example *b) {
  assert_true(ee_str_equal(a->id, b->id) && ee_str_equal(a->text, b->text) && ee_str_equal(a->more, b->more));
}

static void same_kinds(const ee_kind_total *a, const ee_kind_total *b) {
  assert_int_equal(a != NULL, b != NULL);
  for (int kind = 0; a != NULL && kind < EE_ERROR_KIND_COUNT; kind++) {
    assert_int_equal(a->kinds[kind].count, b->kinds[kind].count);
    same_example(&a->kinds[kind].example, &b->kinds[kind].example);
  }
  assert_true(a == NULL || (a->missing == b->missing && a->spurious == b->spurious));
}

static void same_attribute(const ee_attribute_total *a, const ee_attribute_total *b) {
  assert_true(ee_str_equal(a->name, b->name));
  assert_memory_equal(&a->counts, &b->counts, sizeof a->counts);
  for (int ratio = 0; ratio < EE_COUNT_RATIOS; ratio++)
    same_sums(ee_count_units_ratio(&a->units, &a->counts, (ee_count_ratio)ratio),
              ee_count_units_ratio(&b->units, &b->counts, (ee_count_ratio)ratio));
  assert_int_equal(a->units.all.count, b->units.all.count);
  assert_int_equal(a->unread != NULL, b->unread != NULL);
  same_kinds(a->kinds, b->kinds);
  for (int side = 0; side < 2; side++) {
    assert_int_equal(a->absent.there[side], b->absent.there[side]);
    assert_int_equal(a->absent.sides[side].cases, b->absent.sides[side].cases);
    for (size_t i = 0; i < a->absent.sides[side].cases; i++)
      same_example(&a->absent.sides[side].items[i], &b->absent.sides[side].items[i]);
    if (a->unread == NULL) continue;
    const ee_unread_side *x = &a->unread->sides[side], *y = &b->unread->sides[side];
    assert_true(x->count == y->count && x->strategy == y->strategy);
    assert_memory_equal(x->by_remedy, y->by_remedy, sizeof x->by_remedy);
    same_example(&x->example, &y->example);
  }
}

static void same_judge(const ee_judge_total *a, const ee_judge_total *b, size_t paths) {
  same_scores(&a->score, a->verdicts, &a->units, &b->score, b->verdicts, &b->units);
  same_example(&a->fault, &b->fault);
  assert_true(a->failed == b->failed && a->unscored == b->unscored && a->vacuous == b->vacuous);
  assert_true(a->paired == b->paired && a->unpairable == b->unpairable && a->match_sides == b->match_sides);
  assert_int_equal(a->match_names != NULL, b->match_names != NULL);
  if (a->match_names != NULL) assert_string_equal(a->match_names, b->match_names);
  assert_true(a->fallbacks == b->fallbacks && a->kinds_cut == b->kinds_cut);
  same_kinds(a->row_kinds, b->row_kinds);
  assert_memory_equal(&a->methods, &b->methods, sizeof a->methods);
  assert_memory_equal(&a->pooled, &b->pooled, sizeof a->pooled);
  assert_int_equal(a->case_metric_count, b->case_metric_count);
  for (size_t i = 0; i < a->case_metric_count; i++) {
    same_sample(&a->case_metrics[i].sample, &b->case_metrics[i].sample);
    assert_int_equal(a->case_metrics[i].values.total, b->case_metrics[i].values.total);
    assert_int_equal(a->case_metrics[i].left_out, b->case_metrics[i].left_out);
    same_sums(ee_score_units_mean(&a->case_metrics[i].units, &a->case_metrics[i].sample),
              ee_score_units_mean(&b->case_metrics[i].units, &b->case_metrics[i].sample));
  }
  assert_int_equal(a->worst != NULL, b->worst != NULL);
  assert_int_equal(a->calibration != NULL, b->calibration != NULL);
  if (a->calibration != NULL) assert_int_equal(a->calibration->cases, b->calibration->cases);
  for (size_t i = 0; i < paths && a->seen != NULL; i++) assert_int_equal(a->seen[i], b->seen[i]);
  assert_int_equal(a->attribute_count, b->attribute_count);
  for (size_t i = 0; i < a->attribute_count; i++) same_attribute(&a->attributes[i], &b->attributes[i]);
}

static void same_score(const ee_plan *plan, const ee_score_totals *a, const ee_score_totals *b) {
  same_scores(&a->score, a->verdicts, &a->units, &b->score, b->verdicts, &b->units);
  assert_memory_equal(&a->bins, &b->bins, sizeof a->bins);
  const ee_correction_total *x = &a->corrections, *y = &b->corrections;
  assert_true(x->cases == y->cases && x->straight == y->straight && x->row_values == y->row_values &&
              x->optional == y->optional && x->checks == y->checks);
  assert_memory_equal(x->kinds, y->kinds, sizeof x->kinds);
  same_sums(ee_straight_through_sums(x), ee_straight_through_sums(y));
  uint64_t bins[EE_CORRECTION_BINS], others[EE_CORRECTION_BINS];
  ee_correction_total_bins(x, bins);
  ee_correction_total_bins(y, others);
  assert_memory_equal(bins, others, sizeof bins);
  for (size_t i = 0; i < plan->judge_count; i++)
    same_judge(&a->judges[i], &b->judges[i], plan->judges[i]->expected_path_count);
  for (size_t i = 0; i < plan->measure_count; i++) {
    const ee_measure_total *m = &a->measures[i], *n = &b->measures[i];
    assert_true(m->values.total == n->values.total && m->missing == n->missing && m->not_numbers == n->not_numbers &&
                m->correct == n->correct);
    same_example(&m->missing_case, &n->missing_case);
    same_example(&m->bad_case, &n->bad_case);
    ee_metric mean = ee_measure_summarize(m).mean, other = ee_measure_summarize(n).mean;
    assert_true(mean.defined == other.defined && (!mean.defined || mean.value == other.value));
  }
}

/* Both are settled. */
static void same_totals(const ee_totals *a, const ee_totals *b) {
  same_score(a->plan, &a->all, &b->all);
  assert_true(a->records_hash == b->records_hash && a->data_hash == b->data_hash && a->scored == b->scored);
  assert_int_equal(a->slice_count, b->slice_count);
  for (size_t i = 0; i < a->slice_count; i++) {
    assert_int_equal(a->slices[i].slice, b->slices[i].slice);
    assert_true(ee_str_equal(a->slices[i].value, b->slices[i].value));
    same_score(a->plan, &a->slices[i].totals, &b->slices[i].totals);
  }
}

static void merge_loaded(ee_totals *to, const ee_plan *plan, ee_str text, ee_arena *arena) {
  ee_totals part;
  if (!totals_load(&part, plan, text, arena)) fail_msg("%.*s", EE_STR_ARG(text));
  ee_totals_merge(to, &part);
  ee_totals_fini(&part);
}

/* Records that are no cases are counted by others. */
static void add_other_records(test_random *random, ee_totals *part, ee_totals *whole) {
  uint64_t *const counts[] = {&part->unreadable, &part->duplicates, &part->filtered, &part->unjudged,
                              &part->lone_surrogates};
  uint64_t *const sums[] = {&whole->unreadable, &whole->duplicates, &whole->filtered, &whole->unjudged,
                            &whole->lone_surrogates};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    *counts[i] = test_random_below(random, 5);
    *sums[i] += *counts[i];
  }
}

static void parts_are_the_whole(void **state) {
  (void)state;
  test_random random = test_random_start("totals in parts", 3107);
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, RULES);
  assert_int_equal(f.plan->judge_count, JUDGES);
  assert_int_equal(f.plan->measure_count, MEASURES);
  ee_totals whole, merged, loaded, parts[PARTS];
  ee_totals_init(&whole, f.plan);
  ee_totals_init(&merged, f.plan);
  for (size_t i = 0; i < PARTS; i++) ee_totals_init(&parts[i], f.plan);
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  for (int round = 0; round < 60; round++) {
    plain sum = {0};
    ee_totals_init(&loaded, f.plan);
    size_t cases = test_random_below(&random, 40);
    for (size_t i = 0; i < cases; i++) {
      ee_arena_reset(&f.case_arena, 0);
      judge(&f, random_record(&random, &f.case_arena, i * 7 % 41));
      plain_add(&sum, &f.result);
      plain_add_slices(&sum, f.current.record);
      ee_totals_add(&whole, &f.result, &scratch);
      ee_totals_add(&parts[test_random_below(&random, PARTS)], &f.result, &scratch);
    }
    for (size_t i = 0; i < PARTS; i++) {
      add_other_records(&random, &parts[i], &whole);
      merge_loaded(&loaded, f.plan, totals_save(&parts[i], &scratch), &scratch);
      ee_totals_merge(&merged, &parts[i]);
    }
    assert_plain(&whole, &sum);
    assert_plain(&merged, &sum);
    ee_str text = totals_save(&whole, &scratch), other = totals_save(&merged, &scratch);
    if (!ee_str_equal(text, other)) fail_msg("%.*s\n%.*s", EE_STR_ARG(text), EE_STR_ARG(other));
    other = totals_save(&loaded, &scratch);
    if (!ee_str_equal(text, other)) fail_msg("%.*s\n%.*s", EE_STR_ARG(text), EE_STR_ARG(other));
    same_totals(&whole, &merged);
    same_totals(&whole, &loaded);
    ee_totals_fini(&loaded);
    ee_totals_clear(&whole);
    ee_totals_clear(&merged);
    for (size_t i = 0; i < PARTS; i++) ee_totals_clear(&parts[i]);
    ee_arena_reset(&scratch, 0);
  }
  for (size_t i = 0; i < PARTS; i++) ee_totals_fini(&parts[i]);
  ee_totals_fini(&merged);
  ee_totals_fini(&whole);
  ee_arena_fini(&scratch);
  fixture_close(&f);
}

/* Metrics of cases ------------------------------------------------------------------------------- */

static void add_metrics(fixture *f, ee_totals *totals, const char *id, const double *metrics) {
  ee_arena_reset(&f->case_arena, 0);
  judge(f,
        ee_arena_printf(&f->case_arena,
                        "{\"id\":\"%s\",\"expected\":{\"a\":1},\"candidate\":{\"a\":1},\"doc\":\"%c\",\"lang\":\"de\"}",
                        id, *id));
  ee_judge_result *judged = EE_NEW(&f->case_arena, ee_judge_result);
  *judged = f->result.judges[0];
  judged->case_metrics = metrics;
  f->result.judges = judged;
  ee_totals_add(totals, &f->result, &f->case_arena);
}

static void assert_metric(const struct ee_case_metric_total *metric, uint64_t count, double sum, uint64_t left_out,
                          uint64_t clusters) {
  assert_int_equal(metric->sample.count, count);
  assert_true(ee_fixed_value(metric->sample.sum) == sum);
  assert_int_equal(metric->values.total, count);
  assert_int_equal(metric->left_out, left_out);
  assert_int_equal(ee_score_units_count(&metric->units, &metric->sample), clusters);
}

/* A metric that a case does not have is left out of the case; a case that has none at all has 0 in each. */
static void metrics_left_out(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, "{\"ee\":\"rules\",\"cluster\":\"doc\",\"slices\":[\"lang\"],\"items\":[{\"ee\":\"quality\"}]}");
  ee_totals whole, part;
  ee_totals_init(&whole, f.plan);
  ee_totals_init(&part, f.plan);
  static const double first[] = {0.5, -1, 0.25, 1, -1}, second[] = {1, -1, -1, 0.5, 0.75};
  add_metrics(&f, &whole, "a1", first);
  add_metrics(&f, &part, "a2", second);
  add_metrics(&f, &part, "b1", NULL);
  ee_totals_merge(&whole, &part);
  for (int i = 0; i < 2; i++) {
    const ee_judge_total *judge = i == 0 ? &whole.all.judges[0] : &whole.slices[0].totals.judges[0];
    assert_int_equal(judge->case_metric_count, 5);
    assert_metric(&judge->case_metrics[0], 3, 1.5, 0, 2);
    assert_metric(&judge->case_metrics[1], 1, 0, 2, 1);
    assert_metric(&judge->case_metrics[2], 2, 0.25, 1, 2);
    assert_metric(&judge->case_metrics[3], 3, 1.5, 0, 2);
    assert_metric(&judge->case_metrics[4], 2, 0.75, 1, 2);
    assert_int_equal(judge->worst != NULL, i == 0);
  }
  const ee_worst_cases *worst = whole.all.judges[0].worst;
  assert_int_equal(worst->count, 3);
  for (size_t i = 0; i < 3; i++) {
    const double none[] = {0, 0, 0, 0, 0};
    const double *metrics = ee_str_is(worst->cases[i].id, "a1")   ? first
                            : ee_str_is(worst->cases[i].id, "a2") ? second
                                                                  : none;
    assert_memory_equal(worst->cases[i].case_metrics, metrics, sizeof none);
  }
  ee_totals_clear(&whole);
  for (size_t i = 0; i < 5; i++) assert_metric(&whole.all.judges[0].case_metrics[i], 0, 0, 0, 0);
  assert_int_equal(worst->count, 0);
  ee_totals_fini(&part);
  ee_totals_fini(&whole);
  fixture_close(&f);
}

/* The trials of a case have the score of the case and of each judge. */
static void trials_of_every_judge(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, "{\"ee\":\"rules\",\"case\":{\"trial\":\"run\"},\"items\":[{\"ee\":\"fields\",\"items\":[{\"ee\":"
                    "\"exact\",\"items\":"
                    "[\"number\"]}]},{\"ee\":\"quality\",\"name\":\"keys\"}]}");
  ee_totals totals;
  ee_totals_init(&totals, f.plan);
  for (int i = 0; i < 2; i++) {
    ee_arena_reset(&f.case_arena, 0);
    judge(&f, ee_arena_printf(&f.case_arena, "{\"id\":\"a\",\"run\":%d,\"expected\":%s,\"candidate\":%s}", i,
                              "{\"number\":\"1\"}", "{\"number\":\"1\"}"));
    ee_totals_add(&totals, &f.result, &f.case_arena);
  }
  ee_trial_total_finish(&totals.trials);
  assert_int_equal(totals.trials.trials, 2);
  assert_int_equal(totals.trials.judges.count, 3);
  assert_string_equal(totals.trials.judges.items[2].name.data, "keys");
  assert_int_equal(totals.trials.judges.items[2].trials, 2);
  ee_totals_fini(&totals);
  fixture_close(&f);
}

/* Values of an answer that count for what one correct value costs: not those that are counted again elsewhere. */
static void counted_once(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f,
                "{\"ee\":\"rules\",\"measures\":[\"cost\"],\"items\":[{\"ee\":\"iou_score\",\"label\":\"c\",\"box\":"
                "\"b\",\"items\":[\"boxes\"]}]}");
  judge(&f, "{\"id\":\"a\",\"cost\":6,"
            "\"expected\":{\"boxes\":[{\"c\":\"x\",\"b\":[0,0,1,1]},{\"c\":\"y\",\"b\":[5,5,6,6]}]},"
            "\"candidate\":{\"boxes\":[{\"c\":\"x\",\"b\":[0,0,1,1]},{\"c\":\"y\",\"b\":[5,5,6,6]}]}}");
  ee_totals totals;
  ee_totals_init(&totals, f.plan);
  ee_totals_add(&totals, &f.result, &f.case_arena);
  const ee_judge_total *boxes = &totals.all.judges[0];
  assert_int_equal(boxes->attribute_count, 3); /* the threshold, and both labels */
  for (size_t i = 0; i < 3; i++) assert_int_equal(boxes->attributes[i].counts.tp, i == 0 ? 2 : 1);
  assert_int_equal(totals.all.measures[0].correct, 2);
  assert_true(ee_measure_summarize(&totals.all.measures[0]).per_correct.value == 3);
  ee_totals_fini(&totals);
  fixture_close(&f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(parts_are_the_whole), cmocka_unit_test(metrics_left_out),
             cmocka_unit_test(trials_of_every_judge), cmocka_unit_test(counted_once));
