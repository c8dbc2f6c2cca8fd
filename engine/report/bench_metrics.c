/* bench_metrics.c: the metrics of a run of the bench, and its difference to another run.
 *
 * The trials of a case are its runs: they go into the totals that ee.extraction uses too (extraction_corpus.h). What
 * remains here is reading run.json, the list of failures and the list of cases that differ between trials. */
#include "report/bench_metrics.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "judge/extraction/extraction_corpus.h"
#include "report/bench_trial.h"

/* A run while it is read. */
typedef struct reading {
  ee_arena *arena, scratch; /* scratch: of one case */
  ee_bench_metrics *metrics;
  ee_extraction_totals *totals;
  struct {
    EE_LIST(ee_bench_failure);
  } failures;
  ee_bench_drift *drifting; /* room for all cases */
  ee_error *error;
} reading;

/* Members --------------------------------------------------------------------------------------- */

static const ee_value *member(const ee_value *object, const char *name) {
  return ee_value_member(object, ee_str_from(name), NULL);
}

/* A positive integer; 0 for anything else. */
static uint64_t count(const ee_value *object, const char *name) {
  int64_t number;
  return ee_value_whole(member(object, name), &number) && number > 0 ? (uint64_t)number : 0;
}

/* charStart and charEnd of an extraction; false, and both unchanged, unless both are integers. */
static bool read_offsets(const ee_value *extraction, int64_t *start, int64_t *end) {
  int64_t first, last;
  if (!ee_value_whole(member(extraction, "charStart"), &first) || !ee_value_whole(member(extraction, "charEnd"), &last))
    return false;
  *start = first;
  *end = last;
  return true;
}

static ee_extraction_key key_of(const ee_value *node) {
  ee_extraction_key key = {.extraction_class = ee_value_get_text(node, "extractionClass", NULL),
                           .quote = ee_value_get_text(node, "quote", NULL)};
  key.has_offsets = read_offsets(node, &key.start, &key.end);
  return key;
}

/* The keys of the array `extractions` of a trial, in `arena`; they borrow from it. */
static ee_extraction_keys keys_of(const ee_value *extractions, ee_arena *arena) {
  size_t length = ee_type_of(extractions) == EE_ARRAY ? ee_value_count(extractions) : 0;
  if (length == 0) return (ee_extraction_keys){0};
  ee_extraction_key *keys = EE_NEW_ARRAY(arena, ee_extraction_key, length);
  const ee_value *node = ee_value_child(extractions);
  for (size_t i = 0; i < length; i++, node = ee_value_next(node)) keys[i] = key_of(node);
  return ee_extraction_keys_make(keys, length, arena);
}

/* Trials ---------------------------------------------------------------------------------------- */

/* Counts one extraction, and lists it if it fails a check. */
static void count_extraction(reading *self, const ee_value *node, ee_str case_id, size_t trial, uint64_t *counts) {
  ee_str fault = ee_value_get_text(node, "fault", NULL);
  bool valid = ee_value_get_bool(node, "schemaValid", false);
  counts[EE_XC_EXTRACTIONS]++;
  counts[EE_XC_SCHEMA_VALID] += valid;
  counts[EE_XC_QUOTE_VALID] += fault.data == NULL;
  if (valid && fault.data == NULL) return;
  ee_str actual = ee_value_get_text(node, fault.data != NULL ? "actual" : "reason", NULL);
  ee_bench_failure failure = {.case_id = case_id,
                              .extraction_class = ee_value_get_text(node, "extractionClass", NULL),
                              .quote = ee_value_get_text(node, "quote", NULL),
                              .code = fault.data != NULL ? fault : EE_STR("SCHEMA_INVALID"),
                              .trial = trial + 1};
  failure.has_actual = fault.data != NULL && actual.data != NULL;
  failure.actual = actual.data != NULL ? actual : ee_value_get_text(node, "reason", NULL);
  failure.has_offsets = read_offsets(node, &failure.start, &failure.end);
  *EE_LIST_ADD(&self->failures, self->arena) = failure;
}

static void read_repairs(const ee_value *trial, uint64_t *counts) {
  const ee_value *repairs = member(trial, "repairs");
  for (int i = 0; i < EE_REPAIR_PLAIN_COUNT; i++) {
    uint64_t times = count(repairs, ee_repair_name((ee_repair)i));
    counts[EE_XC_REPAIRS + i] = times;
    if (times > 0) counts[EE_XC_REPAIRED] = 1;
  }
  counts[EE_XC_BARE_LISTS] = ee_value_get_bool(trial, "bareList", false);
}

static void read_gold(reading *self, const ee_value *trial, uint64_t *counts) {
  const ee_value *gold = member(trial, "gold");
  if (ee_type_of(gold) != EE_OBJECT) return;
  counts[EE_XC_GOLD] = count(gold, "gold");
  counts[EE_XC_EXACT] = count(gold, "exact");
  counts[EE_XC_OVERLAPPING] = count(gold, "overlapping");
  counts[EE_XC_PARTIAL] = count(gold, "partial");
  counts[EE_XC_GOLD_EXTRACTIONS] = counts[EE_XC_EXTRACTIONS];
  self->metrics->approximate += ee_value_get_bool(gold, "approximate", false);
}

static bool begins_with(ee_str whole, ee_str start) {
  return whole.length >= start.length && memcmp(whole.data, start.data, start.length) == 0;
}

/* Counts the outcome of an answer, and lists it if it fails. */
static void read_outcome(reading *self, const ee_value *of_case, const ee_value *trial, ee_str case_id, size_t number,
                         uint64_t *counts) {
  ee_str failure = ee_value_get_text(trial, "failure", NULL), kind = ee_value_get_text(trial, "kind", "");
  bool unanswered = begins_with(failure, EE_STR(EE_BENCH_NO_ANSWER));
  counts[EE_XC_SUCCESSES] = ee_value_get_bool(trial, "success", false);
  counts[EE_XC_UNREADABLE] = failure.data != NULL && !unanswered;
  self->metrics->unanswered += unanswered;
  if (counts[EE_XC_SUCCESSES] > 0) return;
  ee_bench_failure added = {.case_id = case_id, .trial = number + 1};
  if (failure.data != NULL) {
    added.code = unanswered ? EE_STR("NO_ANSWER") : EE_STR("UNREADABLE_ANSWER");
    added.actual = failure;
  } else {
    const ee_value *expected = member(of_case, "expected");
    ee_str expected_kind = ee_value_get_text(expected, "emptyResultKind", "");
    added.code = EE_STR("UNEXPECTED_RESULT");
    added.actual = ee_str_from(ee_arena_printf(
        self->arena, "%.*s, %u extractions; expected %.*s, %llu to %llu", EE_STR_ARG(kind),
        ee_value_count(member(trial, "extractions")), EE_STR_ARG(expected_kind),
        (unsigned long long)count(expected, "minExtractions"), (unsigned long long)count(expected, "maxExtractions")));
  }
  *EE_LIST_ADD(&self->failures, self->arena) = added;
}

static void read_trial(reading *self, const ee_value *of_case, const ee_value *trial, ee_str case_id, size_t number,
                       ee_extraction_run *run) {
  const ee_value *extractions = member(trial, "extractions"), *violations = member(trial, "schemaViolations");
  read_outcome(self, of_case, trial, case_id, number, run->counts);
  for (const ee_value *node = ee_value_child(extractions); node != NULL; node = ee_value_next(node))
    count_extraction(self, node, case_id, number, run->counts);
  read_repairs(trial, run->counts);
  read_gold(self, trial, run->counts);
  self->metrics->schema_violations += ee_type_of(violations) == EE_ARRAY && ee_value_count(violations) > 0;
}

/* Cases ----------------------------------------------------------------------------------------- */

static void add_drift(reading *self, ee_str case_id, const ee_extraction_case *of_case) {
  ee_bench_drift drift = {.case_id = case_id, .count_min = UINT64_MAX};
  for (size_t t = 0; t < of_case->run_count; t++) {
    uint64_t length = of_case->runs[t].counts[EE_XC_EXTRACTIONS];
    if (length < drift.count_min) drift.count_min = length;
    if (length > drift.count_max) drift.count_max = length;
  }
  drift.stability = ee_extraction_stability(of_case->common, of_case->run_count);
  self->drifting[self->metrics->drifting_count++] = drift;
}

static void read_case(reading *self, const ee_value *of_case) {
  size_t trials = self->metrics->trials;
  ee_str case_id = ee_value_get_text(of_case, "caseId", NULL);
  ee_arena_mark mark = ee_arena_get_mark(&self->scratch);
  ee_extraction_run *runs = EE_NEW_ARRAY(&self->scratch, ee_extraction_run, trials);
  ee_extraction_keys *sets = EE_NEW_ARRAY(&self->scratch, ee_extraction_keys, trials);
  ee_empty_kind *kinds = EE_NEW_ARRAY(&self->scratch, ee_empty_kind, trials);
  const ee_value *trial = ee_value_child(member(of_case, "trials"));
  for (size_t t = 0; t < trials; t++, trial = ee_value_next(trial)) {
    read_trial(self, of_case, trial, case_id, t, &runs[t]);
    sets[t] = keys_of(member(trial, "extractions"), &self->scratch);
    ee_empty_kind_find(ee_value_get_text(trial, "kind", ""), &kinds[t]);
  }
  ee_extraction_case added = {.run_count = trials, .runs = runs};
  ee_extraction_compare_runs(sets, kinds, &self->scratch, &added);
  ee_extraction_totals_add(self->totals, case_id, &added);
  if (added.drifts) add_drift(self, case_id, &added);
  ee_arena_rewind(&self->scratch, mark);
}

static ee_status no_run(reading *self, const char *what) {
  return ee_error_set(self->error, EE_ERROR_DATA, "not a run of the bench: %s", what);
}

/* Bytes of a caseId in a message. */
#define ID_SHOWN 100

/* The same for a trial of a case; `number` from 0. */
static ee_status no_trial(reading *self, ee_str case_id, size_t number, const char *what) {
  return ee_error_set(self->error, EE_ERROR_DATA, "not a run of the bench: case '%.*s', trial %zu: %s",
                      (int)ee_utf8_cut(case_id, ID_SHOWN), case_id.data, number + 1, what);
}

/* Checks the form of a run, and sets the numbers of cases and trials. */
static ee_status check_run(reading *self, const ee_value *run) {
  ee_bench_metrics *metrics = self->metrics;
  const ee_value *cases = member(run, "cases");
  if (ee_type_of(run) != EE_OBJECT || !ee_str_is(ee_value_get_text(run, "kind", NULL), "bench_run"))
    return no_run(self, "its 'kind' is not 'bench_run'");
  if (count(run, "schema") != 1) return no_run(self, "its 'schema' is not 1");
  if (ee_type_of(cases) != EE_ARRAY) return no_run(self, "it has no array 'cases'");
  metrics->cases = ee_value_count(cases);
  metrics->trials = (size_t)count(run, "trials");
  if (metrics->trials == 0) return no_run(self, "it has no 'trials'");
  if (metrics->trials > EE_BENCH_MAX_TRIALS) return no_run(self, "it has too many 'trials'");
  for (const ee_value *of_case = ee_value_child(cases); of_case != NULL; of_case = ee_value_next(of_case)) {
    const ee_value *trials = member(of_case, "trials");
    if (ee_value_get_text(of_case, "caseId", NULL).data == NULL) return no_run(self, "a case has no 'caseId'");
    if (ee_type_of(trials) != EE_ARRAY || ee_value_count(trials) != metrics->trials)
      return no_run(self, "a case has another number of trials than the run");
    size_t number = 0;
    for (const ee_value *trial = ee_value_child(trials); trial != NULL; trial = ee_value_next(trial), number++) {
      const char *mistake = ee_bench_trial_mistake(trial);
      if (mistake != NULL) return no_trial(self, ee_value_get_text(of_case, "caseId", NULL), number, mistake);
    }
  }
  return EE_OK;
}

/* Metrics --------------------------------------------------------------------------------------- */

static void set_shares(const ee_extraction_sums *sums, ee_bench_metrics *metrics) {
  for (ee_extraction_metric i = 0; i < EE_XM_COUNT; i++) metrics->shares[i] = ee_extraction_metric_of(sums, i);
  /* These are always defined: a share of nothing is 1. */
  static const ee_extraction_metric defined[] = {EE_XM_QUOTE_INVARIANT_RATE, EE_XM_SCHEMA_VALID_RATE,
                                                 EE_XM_SUCCESS_RATE, EE_XM_STABILITY};
  for (size_t i = 0; i < sizeof defined / sizeof *defined; i++)
    if (!metrics->shares[defined[i]].defined) metrics->shares[defined[i]] = (ee_metric){.defined = true, .value = 1};
}

static void set_counts(const ee_extraction_sums *sums, ee_bench_metrics *metrics) {
  const uint64_t *counts = sums->counts;
  metrics->extractions = counts[EE_XC_EXTRACTIONS];
  metrics->schema_valid = counts[EE_XC_SCHEMA_VALID];
  metrics->quote_valid = counts[EE_XC_QUOTE_VALID];
  metrics->successes = counts[EE_XC_SUCCESSES];
  metrics->gold = counts[EE_XC_GOLD];
  metrics->exact = counts[EE_XC_EXACT];
  metrics->overlapping = counts[EE_XC_OVERLAPPING];
  metrics->partial = counts[EE_XC_PARTIAL];
  for (int i = 0; i < EE_REPAIR_PLAIN_COUNT; i++) metrics->repairs[i] = counts[EE_XC_REPAIRS + i];
  metrics->answers_repaired = counts[EE_XC_REPAIRED];
  metrics->answers_unreadable = counts[EE_XC_UNREADABLE];
  metrics->bare_lists = counts[EE_XC_BARE_LISTS];
  metrics->counts = sums->extractions;
  metrics->count_min = sums->count_min;
  metrics->count_max = sums->count_max;
  metrics->count_mean = sums->count_mean;
  metrics->count_variance = sums->count_variance;
}

static const double *make_pairwise(const ee_extraction_sums *sums, ee_arena *arena) {
  size_t trials = sums->runs;
  double *pairwise = EE_NEW_ARRAY(arena, double, trials *trials);
  for (size_t a = 0; a < trials; a++) {
    pairwise[a * trials + a] = 1;
    for (size_t b = a + 1; b < trials; b++)
      pairwise[a * trials + b] = pairwise[b * trials + a] = ee_extraction_similarity(sums->common, trials, a, b);
  }
  return pairwise;
}

static int compare_drift(const void *left, const void *right) {
  const ee_bench_drift *a = left, *b = right;
  if (a->stability != b->stability) return a->stability < b->stability ? -1 : 1;
  return ee_str_compare(a->case_id, b->case_id);
}

ee_status ee_bench_metrics_read(const ee_value *run, ee_arena *arena, ee_bench_metrics *metrics, ee_error *error) {
  *metrics = (ee_bench_metrics){0};
  reading self = {.arena = arena, .metrics = metrics, .error = error};
  ee_status status = check_run(&self, run);
  if (status != EE_OK) return status;
  self.totals = ee_extraction_totals_new();
  ee_arena_init(&self.scratch, 0);
  self.drifting = EE_NEW_ARRAY(arena, ee_bench_drift, metrics->cases + 1);
  const ee_value *of_case = ee_value_child(member(run, "cases"));
  for (; of_case != NULL; of_case = ee_value_next(of_case)) read_case(&self, of_case);
  ee_arena_fini(&self.scratch);
  ee_extraction_sums sums = ee_extraction_totals_sum(self.totals, metrics->trials, arena);
  ee_extraction_totals_free(self.totals);
  set_shares(&sums, metrics);
  set_counts(&sums, metrics);
  metrics->pairwise = make_pairwise(&sums, arena);
  metrics->failures = self.failures.items;
  metrics->failure_count = self.failures.count;
  if (metrics->drifting_count > 0) qsort(self.drifting, metrics->drifting_count, sizeof *self.drifting, compare_drift);
  metrics->drifting = self.drifting;
  metrics->drift_rate = metrics->cases > 0 ? (double)metrics->drifting_count / (double)metrics->cases : 0;
  return EE_OK;
}

/* By name --------------------------------------------------------------------------------------- */

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
  for (ee_extraction_metric i = 0; i < EE_XM_COUNT; i++) {
    if (!ee_str_is(name, ee_extraction_metric_name(i))) continue;
    *value = metrics->shares[i];
    return true;
  }
  return false;
}

/* Difference to another run --------------------------------------------------------------------- */

/* A case of either run; sorted by its id. */
typedef struct one_case {
  ee_str id;
  const ee_value *node;
  size_t number;
} one_case;

typedef struct case_list {
  one_case *items;
  size_t count;
} case_list;

static int compare_cases(const void *left, const void *right) {
  const one_case *a = left, *b = right;
  int order = ee_str_compare(a->id, b->id);
  return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

static int compare_changes(const void *left, const void *right) {
  const ee_bench_change *const *a = left, *const *b = right;
  return (*a > *b) - (*a < *b);
}

static case_list list_cases(const ee_value *run, ee_arena *arena) {
  const ee_value *cases = ee_value_member(run, EE_STR("cases"), NULL);
  case_list list = {EE_NEW_ARRAY(arena, one_case, ee_value_count(cases) + 1), 0};
  for (const ee_value *node = ee_value_child(cases); node != NULL; node = ee_value_next(node)) {
    list.items[list.count] = (one_case){ee_value_get_text(node, "caseId", ""), node, list.count};
    list.count++;
  }
  if (list.count > 0) qsort(list.items, list.count, sizeof *list.items, compare_cases);
  return list;
}

/* The kinds and keys that occur in any trial of a case. */
typedef struct outcome {
  unsigned kinds; /* bits by ee_empty_kind */
  ee_extraction_keys keys;
} outcome;

static outcome outcome_of(const ee_value *of_case, ee_arena *arena) {
  outcome all = {0};
  const ee_value *trials = ee_value_member(of_case, EE_STR("trials"), NULL);
  for (const ee_value *trial = ee_value_child(trials); trial != NULL; trial = ee_value_next(trial)) {
    ee_empty_kind kind;
    if (ee_empty_kind_find(ee_value_get_text(trial, "kind", ""), &kind)) all.kinds |= 1u << kind;
    ee_extraction_keys keys = keys_of(ee_value_member(trial, EE_STR("extractions"), NULL), arena);
    all.keys = ee_extraction_keys_union(&all.keys, &keys, arena);
  }
  return all;
}

static ee_str describe_kinds(unsigned kinds, ee_arena *arena) {
  const char *words = "";
  for (int kind = EE_NON_EMPTY; kind <= EE_EMPTY_BY_FAILURE; kind++)
    if ((kinds & (1u << kind)) != 0)
      words =
          ee_arena_printf(arena, "%s%s%s", words, *words != '\0' ? ", " : "", ee_empty_kind_name((ee_empty_kind)kind));
  return ee_str_from(words);
}

/* False when nothing changed. */
static bool compare_case(const one_case *now, const one_case *before, ee_arena *arena, ee_bench_change *change) {
  outcome a = outcome_of(now->node, arena), b = outcome_of(before->node, arena);
  size_t shared = ee_extraction_keys_shared(&a.keys, &b.keys);
  *change = (ee_bench_change){.case_id = now->id,
                              .kinds = describe_kinds(a.kinds, arena),
                              .kinds_before = describe_kinds(b.kinds, arena),
                              .gained = a.keys.count - shared,
                              .lost = b.keys.count - shared};
  return a.kinds != b.kinds || change->gained > 0 || change->lost > 0;
}

void ee_bench_compare(const ee_value *run, const ee_value *before, ee_arena *arena, ee_bench_comparison *comparison) {
  *comparison = (ee_bench_comparison){
      .same_data = ee_str_equal(ee_value_get_text(run, "data_hash", ""), ee_value_get_text(before, "data_hash", ""))};
  case_list now = list_cases(run, arena), old = list_cases(before, arena);
  /* One entry per case of the run, in its order; the used ones are listed in that order. */
  ee_bench_change *places = EE_NEW_ARRAY(arena, ee_bench_change, now.count + 1);
  ee_bench_change **used = EE_NEW_ARRAY(arena, ee_bench_change *, now.count + 1);
  for (size_t i = 0, k = 0; i < now.count || k < old.count;) {
    int order = i == now.count ? 1 : k == old.count ? -1 : ee_str_compare(now.items[i].id, old.items[k].id);
    comparison->only_now += order < 0;
    comparison->only_before += order > 0;
    comparison->cases += order == 0;
    if (order == 0) {
      ee_bench_change *change = &places[now.items[i].number];
      if (compare_case(&now.items[i], &old.items[k], arena, change)) used[comparison->change_count++] = change;
      comparison->gained += change->gained;
      comparison->lost += change->lost;
    }
    i += order <= 0;
    k += order >= 0;
  }
  if (comparison->change_count > 0) qsort(used, comparison->change_count, sizeof *used, compare_changes);
  ee_bench_change *changes = EE_NEW_ARRAY(arena, ee_bench_change, comparison->change_count + 1);
  for (size_t i = 0; i < comparison->change_count; i++) changes[i] = *used[i];
  comparison->changes = changes;
}
