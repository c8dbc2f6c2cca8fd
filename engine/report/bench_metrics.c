/* bench_metrics.c: from run.json to figures. */
#include "report/bench_metrics.h"

#include <stdlib.h>
#include <string.h>

#include "judge/extraction/extraction.h"
#include "report/bench_keys.h"
#include "report/bench_trial.h"

/* One run under way. */
typedef struct reading {
  ee_arena *arena;
  ee_bench_metrics *metrics;
  const ee_value **cases;    /* of the run */
  ee_extraction_keys *sets;  /* cases x trials, row by row */
  ee_str *kinds;             /* of the results, likewise */
  uint64_t *counts;          /* extractions a trial */
  uint64_t gold_extractions; /* extractions of answers that gold spans judge */
  ee_bench_failure *failures;
  size_t failure_capacity;
  ee_error *error;
} reading;

/* Reading -----------------------------------------------------------------------------------------------------------
 */

static const ee_value *member(const reading *self, const ee_value *object, const char *name) {
  return ee_value_member(object, ee_str_from(name), self->arena);
}

static ee_str text(const reading *self, const ee_value *object, const char *name) {
  const ee_value *value = member(self, object, name);
  return ee_type_of(value) == EE_STRING ? ee_value_text(value) : (ee_str){NULL, 0};
}

static uint64_t count(const reading *self, const ee_value *object, const char *name) {
  int64_t number;
  return ee_value_whole(member(self, object, name), &number) && number > 0 ? (uint64_t)number : 0;
}

static bool is_true(const reading *self, const ee_value *object, const char *name) {
  return ee_type_of(member(self, object, name)) == EE_TRUE;
}

static void add_failure(reading *self, ee_bench_failure failure) {
  ee_bench_metrics *metrics = self->metrics;
  if (metrics->failure_count == self->failure_capacity) {
    size_t capacity = self->failure_capacity > 0 ? self->failure_capacity * 2 : 64;
    ee_bench_failure *larger = EE_NEW_ARRAY(self->arena, ee_bench_failure, capacity);
    if (metrics->failure_count > 0) memcpy(larger, self->failures, metrics->failure_count * sizeof *larger);
    self->failures = larger;
    self->failure_capacity = capacity;
  }
  self->failures[metrics->failure_count++] = failure;
}

/* Counts one extraction, and what is wrong with it. */
static void count_extraction(reading *self, const ee_value *node, ee_str case_id, size_t trial) {
  ee_bench_metrics *metrics = self->metrics;
  ee_str fault = text(self, node, "fault");
  bool valid = is_true(self, node, "schemaValid");
  metrics->extractions++;
  metrics->schema_valid += valid;
  metrics->quote_valid += fault.data == NULL;
  if (valid && fault.data == NULL) return;
  ee_str actual = text(self, node, fault.data != NULL ? "actual" : "reason");
  ee_bench_failure failure = {.case_id = case_id,
                              .extraction_class = text(self, node, "extractionClass"),
                              .quote = text(self, node, "quote"),
                              .code = fault.data != NULL ? fault : EE_STR("SCHEMA_INVALID"),
                              .trial = trial + 1};
  failure.has_actual = fault.data != NULL && actual.data != NULL;
  failure.actual = actual.data != NULL ? actual : text(self, node, "reason");
  failure.has_offsets = ee_bench_offsets_of(node, &failure.start, &failure.end);
  add_failure(self, failure);
}

static void read_extractions(reading *self, const ee_value *list, ee_str case_id, size_t trial) {
  if (ee_type_of(list) != EE_ARRAY) return;
  self->counts[trial] += ee_value_count(list);
  for (const ee_value *node = ee_value_child(list); node != NULL; node = ee_value_next(node))
    count_extraction(self, node, case_id, trial);
}

static void read_repairs(reading *self, const ee_value *trial) {
  const ee_value *repairs = member(self, trial, "repairs");
  bool any = false;
  for (int i = 0; i < EE_REPAIR_COUNT; i++) {
    uint64_t times = count(self, repairs, ee_repair_name((ee_repair)i));
    self->metrics->repairs[i] += times;
    any |= times > 0;
  }
  self->metrics->answers_repaired += any;
  self->metrics->bare_lists += is_true(self, trial, "bareList");
}

static bool begins_with(ee_str whole, ee_str start) {
  return whole.length >= start.length && memcmp(whole.data, start.data, start.length) == 0;
}

/* What is wrong with an answer as a whole. */
static void read_outcome(reading *self, const ee_value *of_case, const ee_value *trial, ee_str case_id, size_t number) {
  bool success = is_true(self, trial, "success");
  ee_str failure = text(self, trial, "failure"), kind = text(self, trial, "kind");
  self->metrics->successes += success;
  bool unanswered = begins_with(failure, EE_STR(EE_BENCH_NO_ANSWER));
  self->metrics->unanswered += unanswered;
  self->metrics->answers_unreadable += failure.data != NULL && !unanswered;
  if (success) return;
  ee_bench_failure told = {.case_id = case_id, .trial = number + 1};
  if (failure.data != NULL) {
    told.code = unanswered ? EE_STR("NO_ANSWER") : EE_STR("UNREADABLE_ANSWER");
    told.actual = failure;
  } else {
    const ee_value *expected = member(self, of_case, "expected");
    ee_str wanted = text(self, expected, "emptyResultKind");
    told.code = EE_STR("UNEXPECTED_RESULT");
    told.actual = ee_str_from(ee_arena_printf(
        self->arena, "%.*s, %u extractions; expected %.*s, %llu to %llu", (int)kind.length,
        kind.length > 0 ? kind.data : "", ee_value_count(member(self, trial, "extractions")), (int)wanted.length,
        wanted.length > 0 ? wanted.data : "", (unsigned long long)count(self, expected, "minExtractions"),
        (unsigned long long)count(self, expected, "maxExtractions")));
  }
  add_failure(self, told);
}

static void read_trial(reading *self, const ee_value *of_case, const ee_value *trial, size_t case_number,
                       size_t number) {
  ee_bench_metrics *metrics = self->metrics;
  ee_str case_id = text(self, of_case, "caseId");
  const ee_value *list = member(self, trial, "extractions");
  read_outcome(self, of_case, trial, case_id, number);
  self->sets[case_number * metrics->trials + number] = ee_bench_keys_of(list, self->arena);
  self->kinds[case_number * metrics->trials + number] = text(self, trial, "kind");
  read_extractions(self, list, case_id, number);
  read_repairs(self, trial);
  const ee_value *violations = member(self, trial, "schemaViolations"), *gold = member(self, trial, "gold");
  metrics->schema_violations += ee_type_of(violations) == EE_ARRAY && ee_value_count(violations) > 0;
  if (ee_type_of(gold) != EE_OBJECT) return;
  metrics->gold += count(self, gold, "gold");
  metrics->exact += count(self, gold, "exact");
  metrics->overlapping += count(self, gold, "overlapping");
  metrics->partial += count(self, gold, "partial");
  metrics->approximate += is_true(self, gold, "approximate");
  self->gold_extractions += ee_type_of(list) == EE_ARRAY ? ee_value_count(list) : 0;
}

static ee_status no_run(reading *self, const char *what) {
  return ee_error_set(self->error, EE_ERROR_DATA, "no run of the bench: %s", what);
}

/* Bytes of a caseId in a message. */
#define ID_SHOWN 100

/* The same of one trial, `number` from 0, of a case. */
static ee_status no_trial(reading *self, ee_str case_id, size_t number, const char *what) {
  return ee_error_set(self->error, EE_ERROR_DATA, "no run of the bench: case '%.*s', trial %zu: %s",
                      (int)ee_utf8_cut(case_id, ID_SHOWN), case_id.data, number + 1, what);
}

/* What the form of a run asks for, and how many cases and trials it has. Nothing is taken from a file that fails. */
static ee_status check_run(reading *self, const ee_value *run) {
  ee_bench_metrics *metrics = self->metrics;
  const ee_value *cases = member(self, run, "cases");
  if (ee_type_of(run) != EE_OBJECT || !ee_str_is(text(self, run, "kind"), "bench_run"))
    return no_run(self, "its 'kind' is not 'bench_run'");
  if (count(self, run, "schema") != 1) return no_run(self, "its 'schema' is not 1");
  if (ee_type_of(cases) != EE_ARRAY) return no_run(self, "it has no list 'cases'");
  metrics->cases = ee_value_count(cases);
  metrics->trials = (size_t)count(self, run, "trials");
  if (metrics->trials == 0) return no_run(self, "it has no 'trials'");
  if (metrics->trials > EE_BENCH_MOST_TRIALS) return no_run(self, "it has too many 'trials'");
  for (const ee_value *of_case = ee_value_child(cases); of_case != NULL; of_case = ee_value_next(of_case)) {
    const ee_value *trials = member(self, of_case, "trials");
    if (text(self, of_case, "caseId").data == NULL) return no_run(self, "a case has no 'caseId'");
    if (ee_type_of(trials) != EE_ARRAY || ee_value_count(trials) != metrics->trials)
      return no_run(self, "a case has not as many trials as the run");
    size_t number = 0;
    for (const ee_value *trial = ee_value_child(trials); trial != NULL; trial = ee_value_next(trial), number++) {
      const char *mistake = ee_bench_trial_mistake(trial);
      if (mistake != NULL) return no_trial(self, text(self, of_case, "caseId"), number, mistake);
    }
  }
  return EE_OK;
}

/* Of a run that was checked. */
static void read_cases(reading *self, const ee_value *run) {
  ee_bench_metrics *metrics = self->metrics;
  self->sets = EE_NEW_ARRAY(self->arena, ee_extraction_keys, metrics->cases * metrics->trials + 1);
  self->kinds = EE_NEW_ARRAY(self->arena, ee_str, metrics->cases * metrics->trials + 1);
  self->counts = EE_NEW_ARRAY(self->arena, uint64_t, metrics->trials);
  self->cases = EE_NEW_ARRAY(self->arena, const ee_value *, metrics->cases + 1);
  const ee_value *of_case = ee_value_child(member(self, run, "cases"));
  for (size_t number = 0; of_case != NULL; of_case = ee_value_next(of_case), number++) {
    self->cases[number] = of_case;
    const ee_value *trial = ee_value_child(member(self, of_case, "trials"));
    for (size_t t = 0; trial != NULL; trial = ee_value_next(trial), t++) read_trial(self, of_case, trial, number, t);
  }
}

/* Figures -----------------------------------------------------------------------------------------------------------
 */

static double share(uint64_t part, uint64_t of) { return of > 0 ? (double)part / (double)of : 1; }

static ee_metric metric(uint64_t part, uint64_t of) {
  return of > 0 ? (ee_metric){true, (double)part / (double)of} : (ee_metric){false, 0};
}

/* Over all pairs of runs; the key sets of a run are those of its cases, which never share a key. */
static void compute_stability(reading *self) {
  ee_bench_metrics *metrics = self->metrics;
  size_t trials = metrics->trials;
  double *pairwise = EE_NEW_ARRAY(self->arena, double, trials *trials);
  uint64_t *sizes = EE_NEW_ARRAY(self->arena, uint64_t, trials);
  uint64_t *shared = EE_NEW_ARRAY(self->arena, uint64_t, trials * trials);
  for (size_t c = 0; c < metrics->cases; c++) {
    ee_extraction_keys *sets = &self->sets[c * trials];
    if (trials > 2) ee_extraction_keys_number(sets, trials, self->arena);
    for (size_t a = 0; a < trials; a++) {
      sizes[a] += sets[a].count;
      for (size_t b = a + 1; b < trials; b++) shared[a * trials + b] += ee_extraction_keys_shared(&sets[a], &sets[b]);
    }
  }
  double sum = 0;
  for (size_t a = 0; a < trials; a++) {
    pairwise[a * trials + a] = 1;
    for (size_t b = a + 1; b < trials; b++) {
      double similarity = ee_extraction_jaccard(shared[a * trials + b], sizes[a], sizes[b]);
      pairwise[a * trials + b] = pairwise[b * trials + a] = similarity;
      sum += similarity;
    }
  }
  metrics->pairwise = pairwise;
  metrics->stability = trials > 1 ? sum / ((double)trials * (double)(trials - 1) / 2) : 1;
}

static bool drifts(const reading *self, size_t case_number) {
  size_t trials = self->metrics->trials;
  const ee_extraction_keys *sets = &self->sets[case_number * trials];
  const ee_str *kinds = &self->kinds[case_number * trials];
  for (size_t t = 1; t < trials; t++) {
    if (sets[t].count != sets[0].count || ee_extraction_keys_shared(&sets[t], &sets[0]) != sets[0].count) return true;
    if (!ee_str_equal(kinds[t], kinds[0])) return true;
  }
  return false;
}

static ee_bench_drift describe_drift(const reading *self, size_t case_number) {
  size_t trials = self->metrics->trials;
  const ee_extraction_keys *sets = &self->sets[case_number * trials];
  ee_bench_drift drift = {.case_id = text(self, self->cases[case_number], "caseId"), .least = UINT64_MAX};
  const ee_value *list = member(self, self->cases[case_number], "trials");
  for (const ee_value *trial = ee_value_child(list); trial != NULL; trial = ee_value_next(trial)) {
    uint64_t length = ee_value_count(member(self, trial, "extractions"));
    if (length < drift.least) drift.least = length;
    if (length > drift.most) drift.most = length;
  }
  double sum = 0;
  for (size_t a = 0; a < trials; a++)
    for (size_t b = a + 1; b < trials; b++)
      sum += ee_extraction_jaccard(ee_extraction_keys_shared(&sets[a], &sets[b]), sets[a].count, sets[b].count);
  drift.stability = sum / ((double)trials * (double)(trials - 1) / 2);
  return drift;
}

static int compare_drift(const void *left, const void *right) {
  const ee_bench_drift *a = left, *b = right;
  if (a->stability != b->stability) return a->stability < b->stability ? -1 : 1;
  return ee_str_compare(a->case_id, b->case_id);
}

static void compute_drift(reading *self) {
  ee_bench_metrics *metrics = self->metrics;
  ee_bench_drift *list = EE_NEW_ARRAY(self->arena, ee_bench_drift, metrics->cases + 1);
  for (size_t c = 0; c < metrics->cases; c++)
    if (drifts(self, c)) list[metrics->drifting_count++] = describe_drift(self, c);
  if (metrics->drifting_count > 0) qsort(list, metrics->drifting_count, sizeof *list, compare_drift);
  metrics->drifting = list;
  metrics->drift_rate = metrics->cases > 0 ? (double)metrics->drifting_count / (double)metrics->cases : 0;
}

static void compute_counts(reading *self) {
  ee_bench_metrics *metrics = self->metrics;
  size_t trials = metrics->trials;
  metrics->counts = self->counts;
  metrics->count_min = UINT64_MAX;
  for (size_t t = 0; t < trials; t++) {
    if (self->counts[t] < metrics->count_min) metrics->count_min = self->counts[t];
    if (self->counts[t] > metrics->count_max) metrics->count_max = self->counts[t];
  }
  metrics->count_mean = (double)metrics->extractions / (double)trials;
  double squares = 0;
  for (size_t t = 0; t < trials; t++) {
    double off = (double)self->counts[t] - metrics->count_mean;
    squares += off * off;
  }
  metrics->count_variance = squares / (double)trials;
}

ee_status ee_bench_metrics_read(const ee_value *run, ee_arena *arena, ee_bench_metrics *metrics, ee_error *error) {
  *metrics = (ee_bench_metrics){0};
  reading self = {.arena = arena, .metrics = metrics, .error = error};
  ee_status status = check_run(&self, run);
  if (status != EE_OK) return status;
  read_cases(&self, run);
  metrics->failures = self.failures;
  metrics->schema_valid_rate = share(metrics->schema_valid, metrics->extractions);
  metrics->quote_invariant_rate = share(metrics->quote_valid, metrics->extractions);
  metrics->success_rate = share(metrics->successes, (uint64_t)metrics->cases * metrics->trials);
  metrics->coverage = metric(metrics->exact, metrics->gold);
  metrics->recall_overlapping = metric(metrics->overlapping, metrics->gold);
  metrics->recall_partial = metric(metrics->partial, metrics->gold);
  metrics->precision = metric(metrics->exact, self.gold_extractions);
  metrics->precision_overlapping = metric(metrics->overlapping, self.gold_extractions);
  metrics->precision_partial = metric(metrics->partial, self.gold_extractions);
  compute_counts(&self);
  compute_stability(&self);
  compute_drift(&self);
  return EE_OK;
}

/* By name -----------------------------------------------------------------------------------------------------------
 */

const char *const ee_bench_metric_names[] = {"successRate",
                                             "schemaValidRate",
                                             "quoteInvariantRate",
                                             "uniqueExtractionStability",
                                             "coverageRate",
                                             "precision",
                                             "recallOverlapping",
                                             "precisionOverlapping",
                                             "recallPartial",
                                             "precisionPartial",
                                             NULL};

bool ee_bench_metric_find(const ee_bench_metrics *metrics, ee_str name, ee_metric *value) {
  const ee_metric values[] = {
      {true, metrics->success_rate},
      {true, metrics->schema_valid_rate},
      {true, metrics->quote_invariant_rate},
      {true, metrics->stability},
      metrics->coverage,
      metrics->precision,
      metrics->recall_overlapping,
      metrics->precision_overlapping,
      metrics->recall_partial,
      metrics->precision_partial,
  };
  for (size_t i = 0; ee_bench_metric_names[i] != NULL; i++) {
    if (!ee_str_is(name, ee_bench_metric_names[i])) continue;
    *value = values[i];
    return true;
  }
  return false;
}
