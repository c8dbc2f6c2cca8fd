/* test_bench_metrics.c: figures of runs of the bench against a twin that takes the definitions by their letter: sets as
 * lists in which everything is compared with everything. */
#include "report/bench_metrics.h"
#include "report/printed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/json/json_reader.h"
#include "report/bench_report.h"
#include "support/random.h"

enum { MOST_CASES = 5, MOST_TRIALS = 5, MOST_ITEMS = 4 };

/* Texts that could be mistaken for each other where they are joined with a separator. */
static const char *const quotes[] = {"a", "a|b", "b|a", "|", ""};
static const char *const classes[] = {"c", "c|1", NULL};

typedef struct item {
  size_t class_number, quote;
  int start, end; /* start < 0: none */
  bool valid, holds;
} item;

typedef struct trial {
  item items[MOST_ITEMS];
  size_t count;
  int kind; /* 0..2 */
  bool success;
  unsigned fences, commas;
  unsigned gold, exact;
} trial;

typedef struct run {
  size_t cases, trials;
  trial all[MOST_CASES][MOST_TRIALS];
} run;

static const char *const kinds[] = {"non_empty", "empty_by_evidence", "empty_by_failure"};

static void random_run(test_random *random, run *r) {
  *r = (run){.cases = test_random_below(random, MOST_CASES + 1), .trials = 1 + test_random_below(random, MOST_TRIALS)};
  for (size_t c = 0; c < r->cases; c++) {
    bool steady = test_random_below(random, 3) == 0;
    for (size_t t = 0; t < r->trials; t++) {
      trial *one = &r->all[c][t];
      if (steady && t > 0) {
        *one = r->all[c][0];
        continue;
      }
      one->count = test_random_below(random, MOST_ITEMS + 1);
      one->kind = one->count > 0 ? 0 : 1 + (int)test_random_below(random, 2);
      one->success = test_random_below(random, 2) == 0;
      one->fences = test_random_below(random, 3) == 0;
      one->commas = (unsigned)test_random_below(random, 3);
      one->gold = (unsigned)test_random_below(random, 3);
      one->exact = one->gold > 0 && one->count > 0;
      for (size_t i = 0; i < one->count; i++)
        one->items[i] = (item){test_random_below(random, 3),          test_random_below(random, 5),
                               (int)test_random_below(random, 4) - 1, 3 + (int)test_random_below(random, 2),
                               test_random_below(random, 5) != 0,     test_random_below(random, 5) != 0};
    }
  }
}

static void write_trial(const trial *one, ee_buffer *out) {
  ee_buffer_addf(out, "{\"kind\":\"%s\",\"success\":%s,\"score\":0,\"extractions\":[", kinds[one->kind],
                 one->success ? "true" : "false");
  for (size_t i = 0; i < one->count; i++) {
    const item *at = &one->items[i];
    ee_buffer_addf(out, "%s{\"quote\":\"%s\",\"schemaValid\":%s", i > 0 ? "," : "", quotes[at->quote],
                   at->valid ? "true" : "false");
    if (classes[at->class_number] != NULL)
      ee_buffer_addf(out, ",\"extractionClass\":\"%s\"", classes[at->class_number]);
    if (at->start >= 0) ee_buffer_addf(out, ",\"charStart\":%d,\"charEnd\":%d", at->start, at->end);
    ee_buffer_add_text(out, at->holds ? "}" : ",\"fault\":\"QUOTE_MISMATCH\",\"actual\":\"z\"}");
  }
  ee_buffer_addf(out, "],\"schemaViolations\":[],\"repairs\":{\"fence\":%u,\"trailing_comma\":%u},\"bareList\":false",
                 one->fences, one->commas);
  if (one->kind == 2) ee_buffer_add_text(out, ",\"failure\":\"not JSON: x\"");
  ee_buffer_addf(out, ",\"gold\":{\"gold\":%u,\"exact\":%u,\"overlapping\":%u,\"partial\":%u}}", one->gold, one->exact,
                 one->exact, one->exact);
}

static void write_run(const run *r, ee_buffer *out) {
  ee_buffer_addf(out,
                 "{\"schema\":1,\"kind\":\"bench_run\",\"mode\":\"variance\",\"trials\":%zu,\"provider\":{\"kind\":"
                 "\"recorded\"},\"data_hash\":\"0\",\"cases\":[",
                 r->trials);
  for (size_t c = 0; c < r->cases; c++) {
    ee_buffer_addf(out, "%s{\"caseId\":\"case %zu\",\"file\":\"f\",\"trials\":[", c > 0 ? "," : "", c);
    for (size_t t = 0; t < r->trials; t++) {
      if (t > 0) ee_buffer_add_char(out, ',');
      write_trial(&r->all[c][t], out);
    }
    ee_buffer_add_text(out, "]}");
  }
  ee_buffer_add_text(out, "]}");
}

/* The twin -------------------------------------------------------------------------------------- */

/* An extraction of a case: what makes its key. */
typedef struct member {
  size_t of_case;
  const item *at;
} member;

static bool same(member a, member b) {
  if (a.of_case != b.of_case || a.at->class_number != b.at->class_number || a.at->quote != b.at->quote) return false;
  if (a.at->start < 0 || b.at->start < 0) return a.at->start < 0 && b.at->start < 0;
  return a.at->start == b.at->start && a.at->end == b.at->end;
}

typedef struct set {
  member members[MOST_CASES * MOST_ITEMS];
  size_t count;
} set;

static bool has(const set *s, member m) {
  for (size_t i = 0; i < s->count; i++)
    if (same(s->members[i], m)) return true;
  return false;
}

/* The keys of one trial in cases first..last-1. */
static set keys_of(const run *r, size_t t, size_t first, size_t last) {
  set keys = {.count = 0};
  for (size_t c = first; c < last; c++)
    for (size_t i = 0; i < r->all[c][t].count; i++) {
      member m = {c, &r->all[c][t].items[i]};
      if (!has(&keys, m)) keys.members[keys.count++] = m;
    }
  return keys;
}

static double twin_jaccard(const set *a, const set *b) {
  size_t both = 0, either = b->count;
  for (size_t i = 0; i < a->count; i++) {
    both += has(b, a->members[i]);
    either += !has(b, a->members[i]);
  }
  return either > 0 ? (double)both / (double)either : 1;
}

static double twin_stability(const run *r, size_t first, size_t last) {
  double sum = 0, pairs = 0;
  for (size_t a = 0; a < r->trials; a++)
    for (size_t b = a + 1; b < r->trials; b++) {
      set left = keys_of(r, a, first, last), right = keys_of(r, b, first, last);
      sum += twin_jaccard(&left, &right);
      pairs++;
    }
  return pairs > 0 ? sum / pairs : 1;
}

static bool twin_drifts(const run *r, size_t c) {
  for (size_t t = 1; t < r->trials; t++) {
    set first = keys_of(r, 0, c, c + 1), other = keys_of(r, t, c, c + 1);
    const trial *one = &r->all[c][0], *two = &r->all[c][t];
    if (twin_jaccard(&first, &other) < 1 || one->kind != two->kind) return true;
    if (one->count != two->count || one->success != two->success) return true;
  }
  return false;
}

static void assert_near(double a, double b) {
  if (fabs(a - b) > 1e-12) fail_msg("%.17g is not %.17g", a, b);
}

static void check_counts(const run *r, const ee_bench_metrics *m) {
  size_t all = 0, valid = 0, holds = 0, successes = 0, fences = 0, commas = 0, repaired = 0, unreadable = 0, gold = 0,
         exact = 0;
  double counts[MOST_TRIALS] = {0};
  for (size_t c = 0; c < r->cases; c++)
    for (size_t t = 0; t < r->trials; t++) {
      const trial *one = &r->all[c][t];
      all += one->count;
      counts[t] += (double)one->count;
      successes += one->success;
      fences += one->fences, commas += one->commas, repaired += one->fences + one->commas > 0;
      unreadable += one->kind == 2;
      gold += one->gold, exact += one->exact;
      for (size_t i = 0; i < one->count; i++) valid += one->items[i].valid, holds += one->items[i].holds;
    }
  assert_int_equal(m->extractions, all);
  assert_near(m->shares[EE_XM_SCHEMA_VALID_RATE].value, all > 0 ? (double)valid / (double)all : 1);
  assert_near(m->shares[EE_XM_QUOTE_INVARIANT_RATE].value, all > 0 ? (double)holds / (double)all : 1);
  assert_near(m->shares[EE_XM_SUCCESS_RATE].value,
              r->cases > 0 ? (double)successes / (double)(r->cases * r->trials) : 1);
  assert_int_equal(m->repairs[1], fences);
  assert_int_equal(m->repairs[3], commas);
  assert_int_equal(m->answers_repaired, repaired);
  assert_int_equal(m->answers_unreadable, unreadable);
  assert_int_equal(m->shares[EE_XM_COVERAGE_RATE].defined, gold > 0);
  if (gold > 0) assert_near(m->shares[EE_XM_COVERAGE_RATE].value, (double)exact / (double)gold);
  double sum = 0, squares = 0, least = counts[0], most = counts[0];
  for (size_t t = 0; t < r->trials; t++) {
    assert_int_equal(m->counts[t], (uint64_t)counts[t]);
    sum += counts[t];
    least = fmin(least, counts[t]), most = fmax(most, counts[t]);
  }
  double mean = sum / (double)r->trials;
  for (size_t t = 0; t < r->trials; t++) squares += (counts[t] - mean) * (counts[t] - mean);
  assert_near(m->count_mean, mean);
  assert_near(m->count_variance, squares / (double)r->trials);
  assert_near((double)m->count_min, least);
  assert_near((double)m->count_max, most);
}

static void check_sets(const run *r, const ee_bench_metrics *m) {
  assert_near(m->shares[EE_XM_STABILITY].value, twin_stability(r, 0, r->cases));
  for (size_t a = 0; a < r->trials; a++)
    for (size_t b = 0; b < r->trials; b++) {
      set left = keys_of(r, a, 0, r->cases), right = keys_of(r, b, 0, r->cases);
      assert_near(m->pairwise[a * r->trials + b], twin_jaccard(&left, &right));
    }
  size_t drifting = 0;
  for (size_t c = 0; c < r->cases; c++) {
    if (!twin_drifts(r, c)) continue;
    drifting++;
    char id[32];
    snprintf(id, sizeof id, "case %zu", c);
    bool listed = false;
    for (size_t i = 0; i < m->drifting_count; i++) {
      if (!ee_str_is(m->drifting[i].case_id, id)) continue;
      listed = true;
      assert_near(m->drifting[i].stability, twin_stability(r, c, c + 1));
    }
    assert_true(listed);
  }
  assert_int_equal(m->drifting_count, drifting);
  assert_near(m->drift_rate, r->cases > 0 ? (double)drifting / (double)r->cases : 0);
}

static const ee_value *read_text(ee_arena *arena, ee_buffer *text) {
  ee_error error = {0};
  const ee_value *value = ee_json_read(arena, (ee_str){text->data, text->length}, NULL, &error);
  if (value == NULL) fail_msg("%s: %s", error.message, ee_buffer_terminate(text));
  return value;
}

static void test_twin(void **state) {
  (void)state;
  test_random random = test_random_start("bench metrics", 6003);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  static run r;
  for (int round = 0; round < 5000; round++) {
    random_run(&random, &r);
    ee_buffer text = {0};
    write_run(&r, &text);
    ee_bench_metrics metrics;
    ee_error error = {0};
    if (ee_bench_metrics_read(read_text(&arena, &text), &arena, &metrics, &error) != EE_OK)
      fail_msg("%s", error.message);
    check_counts(&r, &metrics);
    check_sets(&r, &metrics);
    ee_buffer_fini(&text);
    ee_arena_reset(&arena, 0);
  }
  ee_arena_fini(&arena);
}

/* Two runs -------------------------------------------------------------------------------------- */

/* The keys of a case over all its trials. */
static set all_keys(const run *r, size_t c) {
  set keys = {.count = 0};
  for (size_t t = 0; t < r->trials; t++) {
    set one = keys_of(r, t, c, c + 1);
    for (size_t i = 0; i < one.count; i++)
      if (!has(&keys, one.members[i])) keys.members[keys.count++] = one.members[i];
  }
  return keys;
}

static unsigned all_kinds(const run *r, size_t c) {
  unsigned bits = 0;
  for (size_t t = 0; t < r->trials; t++) bits |= 1u << r->all[c][t].kind;
  return bits;
}

static void test_baseline(void **state) {
  (void)state;
  test_random random = test_random_start("bench baseline", 6004);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  static run now, before;
  for (int round = 0; round < 3000; round++) {
    random_run(&random, &now);
    random_run(&random, &before);
    if (test_random_below(&random, 2) == 0)
      for (size_t c = 0; c < MOST_CASES; c++) memcpy(before.all[c], now.all[c], sizeof now.all[c]);
    ee_buffer texts[2] = {{0}, {0}};
    write_run(&now, &texts[0]);
    write_run(&before, &texts[1]);
    ee_bench_comparison comparison;
    ee_bench_compare(read_text(&arena, &texts[0]), read_text(&arena, &texts[1]), &arena, &comparison);
    size_t both = now.cases < before.cases ? now.cases : before.cases, changed = 0, gained = 0, lost = 0;
    for (size_t c = 0; c < both; c++) {
      set a = all_keys(&now, c), b = all_keys(&before, c);
      size_t shared = 0;
      for (size_t i = 0; i < a.count; i++) shared += has(&b, a.members[i]);
      gained += a.count - shared;
      lost += b.count - shared;
      if (shared == a.count && shared == b.count && all_kinds(&now, c) == all_kinds(&before, c)) continue;
      char id[32];
      snprintf(id, sizeof id, "case %zu", c);
      assert_true(changed < comparison.change_count && ee_str_is(comparison.changes[changed].case_id, id));
      assert_int_equal(comparison.changes[changed].gained, a.count - shared);
      changed++;
    }
    assert_int_equal(comparison.change_count, changed);
    assert_int_equal(comparison.gained, gained);
    assert_int_equal(comparison.lost, lost);
    assert_int_equal(comparison.cases, both);
    assert_int_equal(comparison.only_now, now.cases - both);
    assert_int_equal(comparison.only_before, before.cases - both);
    assert_true(comparison.same_data);
    ee_buffer_fini(&texts[0]);
    ee_buffer_fini(&texts[1]);
    ee_arena_reset(&arena, 0);
  }
  ee_arena_fini(&arena);
}

/* By hand --------------------------------------------------------------------------------------- */

#define TRIAL(list) "{\"kind\":\"non_empty\",\"success\":true,\"extractions\":[" list "]}"
#define ONE(quote, start, end)                                                                                         \
  "{\"extractionClass\":\"token\",\"quote\":\"" quote "\",\"charStart\":" #start ",\"charEnd\":" #end                  \
  ",\"schemaValid\":true}"
#define ALPHA ONE("Alpha", 0, 5)
#define BETA ONE("Beta", 6, 10)
#define GAMMA ONE("Gamma", 11, 16)

/* Two cases, three trials. Keys of trial 1: Alpha and Beta of x, Beta of y; of trial 2: Alpha of x, Beta of y; of trial
 * 3: Alpha, Beta and Gamma of x. Pairs: 1 and 2 share 2 of 3; 1 and 3 share 2 of 4; 2 and 3 share 1 of 4. Stability:
 * (2/3 + 1/2 + 1/4) / 3 = 17/36. Counts 3, 2, 3: mean 8/3, variance (1/9 + 4/9 + 1/9) / 3 = 2/9. */
static const char hand[] =
    "{\"schema\":1,\"kind\":\"bench_run\",\"trials\":3,\"cases\":["
    "{\"caseId\":\"x\",\"trials\":[" TRIAL(ALPHA "," BETA) "," TRIAL(ALPHA) "," TRIAL(
        GAMMA "," ALPHA "," BETA) "]},"
                                  "{\"caseId\":\"y\",\"trials\":[" TRIAL(BETA) "," TRIAL(
                                      BETA) ","
                                            "{\"kind\":\"empty_by_evidence\",\"success\":true,\"extractions\":[]}]}]}";

static void test_by_hand(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_bench_metrics m;
  const ee_value *value = ee_json_read(&arena, ee_str_from(hand), NULL, NULL);
  assert_int_equal(ee_bench_metrics_read(value, &arena, &m, NULL), EE_OK);
  assert_near(m.shares[EE_XM_STABILITY].value, 17.0 / 36);
  assert_near(m.pairwise[0 * 3 + 1], 2.0 / 3);
  assert_near(m.pairwise[2 * 3 + 0], 1.0 / 2);
  assert_near(m.pairwise[1 * 3 + 2], 1.0 / 4);
  assert_near(m.count_mean, 8.0 / 3);
  assert_near(m.count_variance, 2.0 / 9);
  assert_int_equal(m.count_min, 2);
  assert_int_equal(m.count_max, 3);
  assert_near(m.drift_rate, 1);
  /* y: 1, 0, 0: a third; x: 1/2, 2/3, 1/3: a half. */
  assert_true(ee_str_is(m.drifting[0].case_id, "y") && ee_str_is(m.drifting[1].case_id, "x"));
  assert_near(m.drifting[0].stability, 1.0 / 3);
  assert_near(m.drifting[1].stability, 1.0 / 2);
  ee_metric value_of;
  assert_true(ee_bench_metric_find(&m, EE_STR("uniqueExtractionStability"), &value_of));
  assert_near(value_of.value, 17.0 / 36);
  assert_true(ee_bench_metric_find(&m, EE_STR("coverageRate"), &value_of) && !value_of.defined);
  assert_false(ee_bench_metric_find(&m, EE_STR("coverage"), &value_of));
  ee_arena_fini(&arena);
}

/* A run of one case of one trial. */
#define ONE_TRIAL(trial)                                                                                               \
  "{\"kind\":\"bench_run\",\"schema\":1,\"trials\":1,\"cases\":[{\"caseId\":\"x\",\"trials\":[" trial "]}]}"
#define EMPTY "\"kind\":\"empty_by_evidence\",\"success\":true,\"extractions\":[]"
#define SOME "\"kind\":\"non_empty\",\"success\":true,\"extractions\":[{\"schemaValid\":true}]"
#define GOLD(gold, exact, overlapping, partial)                                                                        \
  ",\"gold\":{\"gold\":" gold ",\"exact\":" exact ",\"overlapping\":" overlapping ",\"partial\":" partial "}"

/* What would crash, or give rates beyond 1, is not a trial. */
static void test_no_trial(void **state) {
  (void)state;
  static const struct {
    const char *text, *message; /* NULL: it is one */
  } rows[] = {
      {ONE_TRIAL("{" EMPTY "}"), NULL},
      {ONE_TRIAL("{" SOME GOLD("3", "0", "1", "0") "}"), NULL},
      {ONE_TRIAL("7"), "it is not an object"},
      {ONE_TRIAL("{}"), "its 'kind' is not one of non_empty, empty_by_evidence, empty_by_failure"},
      {ONE_TRIAL("{\"kind\":\"non_empty\",\"success\":1}"), "its 'success' is neither true nor false"},
      {ONE_TRIAL("{\"kind\":\"non_empty\",\"success\":false}"), "it has no array 'extractions'"},
      {ONE_TRIAL("{" EMPTY ",\"extractions\":{}}"), "it has no array 'extractions'"},
      {ONE_TRIAL("{" EMPTY ",\"extractions\":[7]}"), "one of its 'extractions' has no 'schemaValid'"},
      {ONE_TRIAL("{" EMPTY ",\"extractions\":[{}]}"), "one of its 'extractions' has no 'schemaValid'"},
      {ONE_TRIAL("{" SOME ",\"gold\":[]}"), "its 'gold' has impossible counts"},
      {ONE_TRIAL("{" SOME GOLD("1e300", "0", "0", "0") "}"), "its 'gold' has impossible counts"},
      {ONE_TRIAL("{" SOME GOLD("0.5", "0", "0", "0") "}"), "its 'gold' has impossible counts"},
      {ONE_TRIAL("{" SOME GOLD("-1", "0", "0", "0") "}"), "its 'gold' has impossible counts"},
      {ONE_TRIAL("{" SOME GOLD("0", "0", "1", "0") "}"), "its 'gold' has impossible counts"},
      {ONE_TRIAL("{" SOME GOLD("2", "0", "2", "0") "}"), "its 'gold' has impossible counts"},
      {ONE_TRIAL("{" SOME GOLD("2", "0", "0", "1") "}"), "its 'gold' has impossible counts"},
      {ONE_TRIAL("{" SOME GOLD("2", "1", "1", "0") "}"), "its 'gold' has impossible counts"},
  };
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ee_bench_metrics m;
    ee_error error = {0};
    const ee_value *value = ee_json_read(&arena, ee_str_from(rows[i].text), NULL, NULL);
    ee_status status = ee_bench_metrics_read(value, &arena, &m, &error);
    assert_int_equal(status, rows[i].message != NULL ? EE_ERROR_DATA : EE_OK);
    if (status == EE_OK) continue;
    const char *wanted = ee_arena_printf(&arena, "not a run of the bench: case 'x', trial 1: %s", rows[i].message);
    assert_string_equal(error.message, wanted);
  }
  ee_arena_fini(&arena);
}

/* What was not searched to the end is told wherever it is shown. */
static void test_approximate(void **state) {
  (void)state;
  static const char text[] =
      ONE_TRIAL("{" SOME ",\"gold\":{\"gold\":2,\"exact\":0,\"overlapping\":1,\"partial\":1,\"approximate\":true}}");
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_bench_metrics m;
  ee_bench_score score = {.metrics = &m, .run = ee_json_read(&arena, ee_str_from(text), NULL, NULL)};
  assert_int_equal(ee_bench_metrics_read(score.run, &arena, &m, NULL), EE_OK);
  assert_int_equal(m.approximate, 1);
  static const char line[] =
      "1 answer with too many gold spans to search: the counts of overlapping and partial may be too low";
  ee_buffer table = {0}, markdown = {0}, json = {0};
  ee_report_write_bench(TABLE, &score, (ee_table_style){0}, &table);
  ee_report_write_bench(MARKDOWN, &score, (ee_table_style){0}, &markdown);
  ee_bench_json(&score, &json);
  assert_non_null(strstr(ee_buffer_terminate(&table), line));
  assert_non_null(strstr(ee_buffer_terminate(&markdown), line));
  assert_non_null(strstr(ee_buffer_terminate(&json), "\"overlapping\":1,\"approximate\":1}"));
  ee_buffer_fini(&table), ee_buffer_fini(&markdown), ee_buffer_fini(&json);
  ee_arena_fini(&arena);
}

static void test_no_run(void **state) {
  (void)state;
  static const char *const texts[] = {
      "7",
      "{}",
      "{\"kind\":\"bench_run\"}",
      "{\"kind\":\"bench_run\",\"schema\":2,\"trials\":1,\"cases\":[]}",
      "{\"kind\":\"bench_run\",\"schema\":1,\"trials\":1}",
      "{\"kind\":\"bench_run\",\"schema\":1,\"cases\":[]}",
      "{\"kind\":\"bench_run\",\"schema\":1,\"trials\":1e15,\"cases\":[]}",
      "{\"kind\":\"bench_run\",\"schema\":1,\"trials\":1,\"cases\":[{\"caseId\":\"x\",\"trials\":[]}]}",
      "{\"kind\":\"bench_run\",\"schema\":1,\"trials\":1,\"cases\":[{\"trials\":[{}]}]}",
      "{\"kind\":\"bench_run\",\"schema\":1,\"trials\":1,\"cases\":[3]}",
  };
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    ee_bench_metrics m;
    ee_error error = {0};
    const ee_value *value = ee_json_read(&arena, ee_str_from(texts[i]), NULL, NULL);
    if (ee_bench_metrics_read(value, &arena, &m, &error) != EE_ERROR_DATA) fail_msg("%s is a run", texts[i]);
    assert_memory_equal(error.message, "not a run of the bench: ", 21);
  }
  ee_arena_fini(&arena);
}

static void test_failure_lines(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_bench_failure failure = {.case_id = EE_STR("CASE"),
                              .extraction_class = EE_STR("w"),
                              .quote = EE_STR("planet"),
                              .code = EE_STR("QUOTE_MISMATCH"),
                              .actual = EE_STR("world"),
                              .has_actual = true,
                              .has_offsets = true,
                              .start = 6,
                              .end = 11,
                              .trial = 2};
  const char *wanted = "CASE trial 2: QUOTE_MISMATCH 'planet' at 6..11: the document says 'world'";
  assert_true(ee_str_is(ee_bench_failure_line(&failure, &arena), wanted));
  failure = (ee_bench_failure){
      .case_id = EE_STR("a\nb"), .code = EE_STR("NO_ANSWER"), .actual = EE_STR("no answer: 500"), .trial = 1};
  assert_true(ee_str_is(ee_bench_failure_line(&failure, &arena), "a\\nb trial 1: NO_ANSWER: no answer: 500"));
  /* A code that a file of a run made up. */
  failure = (ee_bench_failure){.case_id = EE_STR("a"), .code = EE_STR("\x1b[2J\r"), .trial = 1};
  assert_true(ee_str_is(ee_bench_failure_line(&failure, &arena), "a trial 1: \\u001b[2J\\r"));
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_twin), cmocka_unit_test(test_baseline), cmocka_unit_test(test_by_hand),
             cmocka_unit_test(test_no_run), cmocka_unit_test(test_no_trial), cmocka_unit_test(test_approximate),
             cmocka_unit_test(test_failure_lines));
