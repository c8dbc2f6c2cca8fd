/* extraction_corpus.c: adds up the runs of all cases.
 *
 * The number of runs of the whole is known only at the end, and cases with fewer answers repeat them. So cases are
 * added up by the number of their runs, and spread over the runs of the whole at the end. Everything is an integer
 * until then: the result does not depend on how the data were split. */

#include "judge/extraction/extraction_corpus.h"
#include "base/list.h"
#include "base/memory.h"
#include "prim/number.h"
#include "prim/sort.h"

#define IDS_SHOWN 3
#define ID_SHOWN 60

/* Keys ---------------------------------------------------------------------------------------- */

/* A missing string comes before all others. */
static int compare_texts(ee_str a, ee_str b) {
  if (a.data == NULL || b.data == NULL) return (a.data != NULL) - (b.data != NULL);
  return ee_str_compare(a, b);
}

static int compare_keys(const ee_extraction_key *a, const ee_extraction_key *b) {
  if (a->has_offsets != b->has_offsets) return a->has_offsets ? 1 : -1;
  if (a->start != b->start) return a->start < b->start ? -1 : 1;
  if (a->end != b->end) return a->end < b->end ? -1 : 1;
  int order = compare_texts(a->extraction_class, b->extraction_class);
  return order != 0 ? order : compare_texts(a->quote, b->quote);
}

static bool keys_before(const ee_extraction_key *a, const ee_extraction_key *b) { return compare_keys(a, b) < 0; }
EE_DEFINE_SORT(sort_keys, ee_extraction_key, keys_before)

ee_extraction_keys ee_extraction_keys_make(ee_extraction_key *items, size_t count, ee_arena *arena) {
  ee_extraction_keys keys = {.items = items};
  sort_keys(items, count, arena);
  for (size_t i = 0; i < count; i++)
    if (keys.count == 0 || compare_keys(&items[keys.count - 1], &items[i]) != 0) items[keys.count++] = items[i];
  return keys;
}

/* A key, and where its number goes. */
typedef struct numbered {
  const ee_extraction_key *key;
  uint32_t *number;
} numbered;

static bool numbered_before(const numbered *a, const numbered *b) { return compare_keys(a->key, b->key) < 0; }
EE_DEFINE_SORT(sort_numbered, numbered, numbered_before)

/* Numbers the keys of all sets in their order, equal keys alike, so that comparing many pairs of sets is cheap. */
static void number_keys(ee_extraction_keys *sets, size_t count, ee_arena *arena) {
  size_t total = 0, at = 0;
  for (size_t i = 0; i < count; i++) total += sets[i].count;
  uint32_t *numbers = ee_arena_alloc(arena, (total + 1) * sizeof *numbers);
  ee_arena_mark mark = ee_arena_get_mark(arena);
  numbered *all = ee_arena_alloc(arena, (total + 1) * sizeof *all);
  for (size_t i = 0; i < count; i++) {
    sets[i].numbers = numbers + at;
    for (size_t k = 0; k < sets[i].count; k++, at++) all[at] = (numbered){&sets[i].items[k], &numbers[at]};
  }
  sort_numbered(all, total, arena);
  uint32_t number = 0;
  for (size_t i = 0; i < total; i++) {
    number += i > 0 && compare_keys(all[i - 1].key, all[i].key) != 0;
    *all[i].number = number;
  }
  ee_arena_rewind(arena, mark);
}

static size_t shared_numbers(const ee_extraction_keys *a, const ee_extraction_keys *b) {
  size_t i = 0, k = 0, shared = 0;
  while (i < a->count && k < b->count) {
    uint32_t left = a->numbers[i], right = b->numbers[k];
    shared += left == right;
    i += left <= right;
    k += left >= right;
  }
  return shared;
}

size_t ee_extraction_keys_shared(const ee_extraction_keys *a, const ee_extraction_keys *b) {
  if (a->numbers != NULL && b->numbers != NULL) return shared_numbers(a, b);
  size_t i = 0, k = 0, shared = 0;
  while (i < a->count && k < b->count) {
    int order = compare_keys(&a->items[i], &b->items[k]);
    shared += order == 0;
    i += order <= 0;
    k += order >= 0;
  }
  return shared;
}

ee_extraction_keys ee_extraction_keys_union(const ee_extraction_keys *a, const ee_extraction_keys *b, ee_arena *arena) {
  ee_extraction_keys keys = {.items = EE_NEW_ARRAY(arena, ee_extraction_key, a->count + b->count + 1)};
  size_t i = 0, k = 0;
  while (i < a->count || k < b->count) {
    int order = i == a->count ? 1 : k == b->count ? -1 : compare_keys(&a->items[i], &b->items[k]);
    keys.items[keys.count++] = order <= 0 ? a->items[i] : b->items[k];
    i += order <= 0;
    k += order >= 0;
  }
  return keys;
}

/* Runs of a case ------------------------------------------------------------------------------ */

/* Equal keys do not make equal runs: a quote given twice may be one extraction too many. */
static bool outcomes_differ(const ee_extraction_run *a, const ee_extraction_run *b) {
  return a->counts[EE_XC_SUCCESSES] != b->counts[EE_XC_SUCCESSES] ||
         a->counts[EE_XC_EXTRACTIONS] != b->counts[EE_XC_EXTRACTIONS];
}

void ee_extraction_compare_runs(ee_extraction_keys *sets, const ee_empty_kind *kinds, ee_arena *arena,
                                ee_extraction_case *result) {
  size_t count = result->run_count;
  uint64_t *common = ee_arena_alloc(arena, ee_extraction_pairs(count) * sizeof *common);
  if (count > 2) number_keys(sets, count, arena);
  for (size_t a = 0; a < count; a++) {
    result->drifts |=
        kinds[a] != kinds[0] || sets[a].count != sets[0].count || outcomes_differ(&result->runs[a], &result->runs[0]);
    common[ee_extraction_pair(count, a, a)] = sets[a].count;
    for (size_t b = a + 1; b < count; b++)
      common[ee_extraction_pair(count, a, b)] = ee_extraction_keys_shared(&sets[a], &sets[b]);
    result->drifts |= common[ee_extraction_pair(count, 0, a)] != sets[0].count;
  }
  result->common = common;
}

/* The Jaccard similarity of two sets: |shared| / (|a| + |b| - |shared|); 1 when both are empty. */
static double jaccard(uint64_t shared, uint64_t a, uint64_t b) {
  uint64_t either = a + b - shared;
  return either > 0 ? (double)shared / (double)either : 1;
}

double ee_extraction_similarity(const uint64_t *common, size_t count, size_t a, size_t b) {
  return jaccard(common[ee_extraction_pair(count, a, b)], common[ee_extraction_pair(count, a, a)],
                 common[ee_extraction_pair(count, b, b)]);
}

double ee_extraction_stability(const uint64_t *common, size_t count) {
  double sum = 0;
  for (size_t a = 0; a < count; a++)
    for (size_t b = a + 1; b < count; b++) sum += ee_extraction_similarity(common, count, a, b);
  return count > 1 ? sum / ((double)count * (double)(count - 1) / 2) : 1;
}

/* Totals --------------------------------------------------------------------------------------- */

/* All cases with the same number of runs. */
typedef struct group {
  uint64_t cases;
  ee_extraction_run *runs;
  uint64_t *common; /* one per pair of runs */
} group;

/* What notes report, with the ids of the cases that have it and come first in byte order: so notes do not depend on the
 * order of the cases. */
enum {
  NOTED_IN_ERROR,
  NOTED_DRIFTS,
  NOTED_APPROXIMATE,
  NOTED_COUNTERS, /* plus ee_extraction_counter */
  NOTED_COUNT = NOTED_COUNTERS + EE_XC_COUNT
};

typedef struct shown_id {
  ee_str text;
  char *memory; /* of the text; the id that takes its place takes it over */
  size_t room;
} shown_id;

typedef struct noted_cases {
  uint64_t count;
  shown_id ids[IDS_SHOWN];
  size_t id_count;
} noted_cases;

struct ee_extraction_totals {
  EE_LIST(group *); /* by the number of runs; NULL: no such case */
  noted_cases noted[NOTED_COUNT];
  ee_arena ids;
};

ee_extraction_totals *ee_extraction_totals_new(void) {
  ee_extraction_totals *totals = ee_calloc(1, sizeof *totals);
  ee_arena_init(&totals->ids, 0);
  return totals;
}

void ee_extraction_totals_free(ee_extraction_totals *totals) {
  for (size_t n = 0; n < totals->count; n++) {
    if (totals->items[n] == NULL) continue;
    ee_free(totals->items[n]->runs);
    ee_free(totals->items[n]->common);
    ee_free(totals->items[n]);
  }
  EE_LIST_FINI(totals);
  ee_arena_fini(&totals->ids);
  ee_free(totals);
}

static void clear_totals(ee_extraction_totals *totals) {
  for (size_t n = 0; n < totals->count; n++) {
    group *g = totals->items[n];
    if (g == NULL || g->cases == 0) continue;
    g->cases = 0;
    memset(g->runs, 0, n * sizeof *g->runs);
    memset(g->common, 0, ee_extraction_pairs(n) * sizeof *g->common);
  }
  memset(totals->noted, 0, sizeof totals->noted);
  ee_arena_reset(&totals->ids, 0);
}

static group *group_of(ee_extraction_totals *totals, size_t runs) {
  while (totals->count <= runs) *EE_LIST_ADD(totals, NULL) = NULL;
  if (totals->items[runs] != NULL) return totals->items[runs];
  group *g = ee_calloc(1, sizeof *g);
  g->runs = ee_calloc(runs, sizeof *g->runs);
  g->common = ee_calloc(ee_extraction_pairs(runs), sizeof *g->common);
  return totals->items[runs] = g;
}

static void show_id(ee_extraction_totals *totals, noted_cases *cases, ee_str id) {
  enum { LEAST = 32 };
  size_t at = cases->id_count;
  while (at > 0 && ee_str_compare(id, cases->ids[at - 1].text) < 0) at--;
  if (at == IDS_SHOWN) return;
  shown_id added = cases->ids[IDS_SHOWN - 1];
  if (cases->id_count < IDS_SHOWN) cases->id_count++;
  for (size_t i = cases->id_count - 1; i > at; i--) cases->ids[i] = cases->ids[i - 1];
  if (added.memory == NULL || id.length > added.room) {
    size_t room = added.room > 0 ? 2 * added.room : LEAST;
    added.room = room > id.length ? room : id.length;
    added.memory = ee_arena_alloc(&totals->ids, added.room);
  }
  if (id.length > 0) memcpy(added.memory, id.data, id.length);
  added.text = (ee_str){added.memory, id.length};
  cases->ids[at] = added;
}

static void add_noted(ee_extraction_totals *totals, size_t what, uint64_t count, ee_str id) {
  noted_cases *cases = &totals->noted[what];
  cases->count += count;
  if (count > 0) show_id(totals, cases, id);
}

static void add_runs(group *to, uint64_t cases, const ee_extraction_run *runs, const uint64_t *common, size_t count) {
  to->cases += cases;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < EE_XC_COUNT; k++) to->runs[i].counts[k] += runs[i].counts[k];
  for (size_t i = 0; i < ee_extraction_pairs(count); i++) to->common[i] += common[i];
}

void ee_extraction_totals_add(ee_extraction_totals *totals, ee_str id, const ee_extraction_case *of_case) {
  group *g = group_of(totals, of_case->run_count);
  add_noted(totals, NOTED_IN_ERROR, of_case->runs == NULL, id);
  if (of_case->runs == NULL) {
    g->cases++;
    return;
  }
  add_runs(g, 1, of_case->runs, of_case->common, of_case->run_count);
  add_noted(totals, NOTED_DRIFTS, of_case->drifts, id);
  add_noted(totals, NOTED_APPROXIMATE, of_case->approximate, id);
  for (size_t k = 0; k < EE_XC_COUNT; k++) {
    uint64_t sum = 0;
    for (size_t i = 0; i < of_case->run_count; i++) sum += of_case->runs[i].counts[k];
    add_noted(totals, NOTED_COUNTERS + k, sum, id);
  }
}

static void merge_totals(ee_extraction_totals *totals, const ee_extraction_totals *part) {
  for (size_t n = 0; n < part->count; n++) {
    const group *from = part->items[n];
    if (from != NULL && from->cases > 0) add_runs(group_of(totals, n), from->cases, from->runs, from->common, n);
  }
  for (size_t what = 0; what < NOTED_COUNT; what++) {
    const noted_cases *from = &part->noted[what];
    totals->noted[what].count += from->count;
    for (size_t i = 0; i < from->id_count; i++) show_id(totals, &totals->noted[what], from->ids[i].text);
  }
}

/* State ---------------------------------------------------------------------------------------- */

/* The cases with `runs` runs. */
static void group_state(group *g, size_t runs, ee_state_line *line) {
  ee_state_count(line, &g->cases);
  for (size_t i = 0; i < runs; i++) ee_state_counts(line, g->runs[i].counts, EE_XC_COUNT);
  ee_state_counts(line, g->common, ee_extraction_pairs(runs));
}

static void noted_state(ee_extraction_totals *totals, noted_cases *noted, ee_arena *scratch, ee_state_line *line) {
  ee_state_count(line, &noted->count);
  size_t count = ee_state_items(line, noted->id_count);
  if (count > IDS_SHOWN) ee_state_fail(line);
  for (size_t i = 0; ee_state_goes_on(line, i, count); i++) {
    ee_str id = noted->ids[i].text;
    ee_state_text(line, scratch, &id);
    if (ee_state_reading(line)) show_id(totals, noted, id);
  }
  ee_state_end(line);
}

static void totals_state(ee_extraction_totals *totals, ee_state_line *line) {
  size_t count = 0;
  for (size_t n = 1; n < totals->count; n++) count += totals->items[n] != NULL && totals->items[n]->cases > 0;
  ee_state_begin_packed(line);
  count = ee_state_items(line, count);
  for (size_t i = 0, runs = 0; ee_state_goes_on(line, i, count); i++) {
    size_t before = runs++;
    if (!ee_state_reading(line))
      while (totals->items[runs] == NULL || totals->items[runs]->cases == 0) runs++;
    ee_state_size(line, &runs);
    if (runs <= before || runs > EE_EXTRACTION_RUNS)
      ee_state_fail(line);
    else
      group_state(group_of(totals, runs), runs, line);
  }
  ee_state_end(line);
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  for (size_t what = 0; what < NOTED_COUNT; what++) noted_state(totals, &totals->noted[what], &scratch, line);
  ee_arena_fini(&scratch);
  ee_state_end_packed(line);
}

/* Sums ----------------------------------------------------------------------------------------- */

/* Adds the runs of a group of cases with `n` runs each to those of the whole. */
static void spread_group(const group *g, size_t n, ee_extraction_sums *sums, uint64_t *extractions, uint64_t *common) {
  for (size_t a = 0; a < sums->runs; a++) {
    for (size_t k = 0; k < EE_XC_COUNT; k++) sums->counts[k] += g->runs[a % n].counts[k];
    extractions[a] += g->runs[a % n].counts[EE_XC_EXTRACTIONS];
    for (size_t b = a; b < sums->runs; b++) {
      size_t first = a % n, second = b % n;
      size_t pair = first <= second ? ee_extraction_pair(n, first, second) : ee_extraction_pair(n, second, first);
      common[ee_extraction_pair(sums->runs, a, b)] += g->common[pair];
    }
  }
}

static void sum_counts(ee_extraction_sums *sums) {
  if (sums->runs == 0) return;
  sums->count_min = UINT64_MAX;
  for (size_t a = 0; a < sums->runs; a++) {
    if (sums->extractions[a] < sums->count_min) sums->count_min = sums->extractions[a];
    if (sums->extractions[a] > sums->count_max) sums->count_max = sums->extractions[a];
  }
  sums->count_mean = (double)sums->counts[EE_XC_EXTRACTIONS] / (double)sums->runs;
  double squares = 0;
  for (size_t a = 0; a < sums->runs; a++) {
    double off = (double)sums->extractions[a] - sums->count_mean;
    squares += off * off;
  }
  sums->count_variance = squares / (double)sums->runs;
}

ee_extraction_sums ee_extraction_totals_sum(const ee_extraction_totals *totals, size_t runs, ee_arena *arena) {
  ee_extraction_sums sums = {.runs = runs, .drifting = totals->noted[NOTED_DRIFTS].count};
  for (size_t n = 0; n < totals->count; n++) {
    if (totals->items[n] == NULL || totals->items[n]->cases == 0) continue;
    if (n > sums.runs) sums.runs = n;
    sums.cases += totals->items[n]->cases;
  }
  sums.judged = sums.cases - totals->noted[NOTED_IN_ERROR].count;
  uint64_t *extractions = EE_NEW_ARRAY(arena, uint64_t, sums.runs + 1);
  uint64_t *common = EE_NEW_ARRAY(arena, uint64_t, ee_extraction_pairs(sums.runs) + 1);
  for (size_t n = 1; n < totals->count; n++)
    if (totals->items[n] != NULL && totals->items[n]->cases > 0)
      spread_group(totals->items[n], n, &sums, extractions, common);
  sums.extractions = extractions;
  sums.common = common;
  sums.stability = ee_extraction_stability(common, sums.runs);
  sum_counts(&sums);
  return sums;
}

/* Metrics -------------------------------------------------------------------------------------- */

static const char *const metric_names[EE_XM_COUNT] = {
    [EE_XM_QUOTE_INVARIANT_RATE] = "quoteInvariantRate",
    [EE_XM_SCHEMA_VALID_RATE] = "schemaValidRate",
    [EE_XM_SUCCESS_RATE] = "successRate",
    [EE_XM_STABILITY] = "uniqueExtractionStability",
    [EE_XM_COVERAGE_RATE] = "coverageRate",
    [EE_XM_PRECISION] = "precision",
    [EE_XM_RECALL_OVERLAPPING] = "recallOverlapping",
    [EE_XM_PRECISION_OVERLAPPING] = "precisionOverlapping",
    [EE_XM_RECALL_PARTIAL] = "recallPartial",
    [EE_XM_PRECISION_PARTIAL] = "precisionPartial",
};

const char *ee_extraction_metric_name(ee_extraction_metric metric) { return metric_names[metric]; }

static ee_metric share(uint64_t part, uint64_t of) {
  return (ee_metric){.defined = of > 0, .value = of > 0 ? (double)part / (double)of : 0};
}

/* A share of all extractions. */
static ee_metric rate(const ee_extraction_sums *sums, uint64_t part) {
  uint64_t of = sums->counts[EE_XC_EXTRACTIONS];
  return (ee_metric){.defined = sums->judged > 0, .value = of > 0 ? (double)part / (double)of : sums->judged > 0};
}

ee_metric ee_extraction_metric_of(const ee_extraction_sums *sums, ee_extraction_metric metric) {
  const uint64_t *counts = sums->counts;
  switch (metric) {
  case EE_XM_QUOTE_INVARIANT_RATE: return rate(sums, counts[EE_XC_QUOTE_VALID]);
  case EE_XM_SCHEMA_VALID_RATE: return rate(sums, counts[EE_XC_SCHEMA_VALID]);
  case EE_XM_SUCCESS_RATE: return share(counts[EE_XC_SUCCESSES], sums->cases * sums->runs);
  case EE_XM_STABILITY: return (ee_metric){.defined = sums->judged > 0, .value = sums->stability};
  case EE_XM_COVERAGE_RATE: return share(counts[EE_XC_EXACT], counts[EE_XC_GOLD]);
  case EE_XM_PRECISION: return share(counts[EE_XC_EXACT], counts[EE_XC_GOLD_EXTRACTIONS]);
  case EE_XM_RECALL_OVERLAPPING: return share(counts[EE_XC_OVERLAPPING], counts[EE_XC_GOLD]);
  case EE_XM_PRECISION_OVERLAPPING: return share(counts[EE_XC_OVERLAPPING], counts[EE_XC_GOLD_EXTRACTIONS]);
  case EE_XM_RECALL_PARTIAL: return share(counts[EE_XC_PARTIAL], counts[EE_XC_GOLD]);
  case EE_XM_PRECISION_PARTIAL: return share(counts[EE_XC_PARTIAL], counts[EE_XC_GOLD_EXTRACTIONS]);
  case EE_XM_COUNT: break;
  }
  return (ee_metric){.defined = false};
}

/* Summary of ee.extraction --------------------------------------------------------------------- */

/* The summary while it is made. */
typedef struct summing {
  const ee_extraction_totals *totals;
  ee_extraction_sums sums;
  ee_arena *arena;
  ee_corpus_summary *summary;
  ee_corpus_metric *metrics; /* of `summary` */
  size_t metric_count;
  ee_str *notes;
  size_t note_count;
} summing;

static void add_shares(summing *s, ee_extraction_metric first, ee_extraction_metric last) {
  for (ee_extraction_metric i = first; i <= last; i++) {
    ee_metric metric = ee_extraction_metric_of(&s->sums, i);
    s->metrics[s->metric_count++] = ee_corpus_share(metric_names[i], metric.defined, metric.value);
  }
}

static void add_count(summing *s, const char *name, uint64_t count) {
  s->metrics[s->metric_count++] = ee_corpus_count(name, count);
}

/* Metrics of gold spans and of several runs are left out when the data have none. */
static void add_gold(summing *s) {
  const uint64_t *counts = s->sums.counts;
  if (counts[EE_XC_GOLD] == 0 && counts[EE_XC_GOLD_EXTRACTIONS] == 0) return;
  add_shares(s, EE_XM_COVERAGE_RATE, EE_XM_PRECISION_PARTIAL);
  add_count(s, "gold", counts[EE_XC_GOLD]);
  add_count(s, "exact", counts[EE_XC_EXACT]);
  add_count(s, "overlapping", counts[EE_XC_OVERLAPPING]);
  add_count(s, "partial", counts[EE_XC_PARTIAL]);
}

static void add_metrics(summing *s) {
  enum { MAX_METRICS = 32 };
  const ee_extraction_sums *sums = &s->sums;
  s->metrics = EE_NEW_ARRAY(s->arena, ee_corpus_metric, MAX_METRICS);
  add_shares(s, EE_XM_QUOTE_INVARIANT_RATE, EE_XM_STABILITY);
  add_count(s, "cases", sums->cases);
  add_count(s, "in_error", s->totals->noted[NOTED_IN_ERROR].count);
  add_count(s, "runs", sums->runs);
  add_count(s, "extractions", sums->counts[EE_XC_EXTRACTIONS]);
  if (sums->runs > 1) {
    add_count(s, "count_min", sums->count_min);
    add_count(s, "count_max", sums->count_max);
    add_count(s, "drifting", sums->drifting);
  }
  add_gold(s);
  add_count(s, "unreadable", sums->counts[EE_XC_UNREADABLE]);
  add_count(s, "repaired", sums->counts[EE_XC_REPAIRED]);
  for (int i = 0; i < EE_REPAIR_PLAIN_COUNT; i++)
    add_count(s, ee_repair_name((ee_repair)i), sums->counts[EE_XC_REPAIRS + i]);
  add_count(s, "bare_list", sums->counts[EE_XC_BARE_LISTS]);
  s->summary->metrics = s->metrics;
  s->summary->metric_count = s->metric_count;
}

/* Faults --------------------------------------------------------------------------------------- */

enum { FAULTS = EE_QUOTE_MISMATCH + 1 }; /* those of quotes, and SCHEMA_INVALID */

/* In the order of the counters. */
static const struct {
  const char *name, *one, *many; /* "3 extractions MANY" */
} faults[FAULTS] = {
    {"SCHEMA_INVALID", "without a class", "without a class"},
    {"UNSUPPORTED_OFFSET_MODE", "with an unknown offsetMode", "with an unknown offsetMode"},
    {"INVALID_OFFSETS", "without usable offsets", "without usable offsets"},
    {"OFFSET_MISMATCH", "whose span has other offsets", "whose spans have other offsets"},
    {"OFFSETS_OUT_OF_RANGE", "outside its document", "outside their documents"},
    {"QUOTE_MISMATCH", "whose quote is not at its offsets", "whose quotes are not at their offsets"},
};

/* The faults that occur, most frequent first. Returns their number. */
static size_t rank_faults(const summing *s, size_t order[FAULTS]) {
  const uint64_t *counts = &s->sums.counts[EE_XC_SCHEMA_INVALID];
  size_t count = 0;
  for (size_t i = 0; i < FAULTS; i++) {
    if (counts[i] == 0) continue;
    size_t at = count++;
    for (; at > 0 && counts[order[at - 1]] < counts[i]; at--) order[at] = order[at - 1];
    order[at] = i;
  }
  return count;
}

static void add_rows(summing *s, const size_t *order, size_t count) {
  static const char *const columns[] = {"extractions", "share"};
  ee_corpus_row *rows = EE_NEW_ARRAY(s->arena, ee_corpus_row, count + 1);
  for (size_t i = 0; i < count; i++) {
    uint64_t times = s->sums.counts[EE_XC_SCHEMA_INVALID + order[i]];
    ee_corpus_metric *values = EE_NEW_ARRAY(s->arena, ee_corpus_metric, 2);
    values[0] = ee_corpus_count(columns[0], times);
    values[1] = ee_corpus_share(columns[1], true, (double)times / (double)s->sums.counts[EE_XC_EXTRACTIONS]);
    rows[i] = (ee_corpus_row){ee_str_from(faults[order[i]].name), values};
  }
  s->summary->row_title = "fault";
  s->summary->columns = columns;
  s->summary->column_count = 2;
  s->summary->rows = rows;
  s->summary->row_count = count;
}

/* Notes ---------------------------------------------------------------------------------------- */

/* Ends the note in `text` and keeps it. */
static void end_note(summing *s, ee_buffer *text) {
  s->notes[s->note_count++] = (ee_str){ee_arena_copy(s->arena, text->data, text->length), text->length};
  ee_buffer_clear(text);
}

/* Appends " (first in 'a', 'b')" and ends the note. */
static void end_with_ids(summing *s, ee_buffer *text, size_t what) {
  const noted_cases *cases = &s->totals->noted[what];
  for (size_t i = 0; i < cases->id_count; i++) {
    ee_str id = cases->ids[i].text;
    size_t shown = ee_utf8_cut(id, ID_SHOWN);
    ee_buffer_add_text(text, i == 0 ? " (first in '" : ", '");
    ee_buffer_add(text, id.data, shown);
    ee_buffer_add_text(text, shown < id.length ? "...'" : "'");
  }
  ee_buffer_add_char(text, ')');
  end_note(s, text);
}

/* "3 records MANY (first in 'a')"; nothing for a count of 0. */
static void add_note(summing *s, ee_buffer *text, size_t what, uint64_t count, const char *one, const char *many) {
  if (count == 0) return;
  ee_buffer_add_u64(text, count);
  ee_buffer_addf(text, " %s", count == 1 ? one : many);
  end_with_ids(s, text, what);
}

static void add_number(ee_buffer *text, const char *before, double value) {
  char number[32];
  ee_buffer_add_text(text, before);
  ee_buffer_add(text, number, ee_double_format_short(value, 6, number));
}

/* How the number of extractions varies over runs. */
static void note_variance(summing *s, ee_buffer *text) {
  const ee_extraction_sums *sums = &s->sums;
  if (sums->runs < 2) return;
  ee_buffer_addf(text, "%zu runs of ", sums->runs);
  ee_buffer_add_u64(text, sums->count_min);
  ee_buffer_add_text(text, " to ");
  ee_buffer_add_u64(text, sums->count_max);
  add_number(text, " extractions: mean ", sums->count_mean);
  add_number(text, ", population variance ", sums->count_variance);
  end_note(s, text);
}

static void add_notes(summing *s, const size_t *order, size_t fault_count) {
  enum { MAX_NOTES = FAULTS + 8 };
  const noted_cases *noted = s->totals->noted;
  const uint64_t *counts = s->sums.counts;
  ee_buffer text;
  ee_buffer_init(&text);
  s->notes = EE_NEW_ARRAY(s->arena, ee_str, MAX_NOTES);
  add_note(s, &text, NOTED_IN_ERROR, noted[NOTED_IN_ERROR].count,
           "record in error, excluded from all metrics but successRate",
           "records in error, excluded from all metrics but successRate");
  for (size_t i = 0; i < fault_count; i++) {
    size_t counter = EE_XC_SCHEMA_INVALID + order[i];
    bool one = counts[counter] == 1;
    ee_buffer_add_u64(&text, counts[counter]);
    ee_buffer_addf(&text, one ? " extraction %s" : " extractions %s",
                   one ? faults[order[i]].one : faults[order[i]].many);
    end_with_ids(s, &text, NOTED_COUNTERS + counter);
  }
  add_note(s, &text, NOTED_COUNTERS + EE_XC_UNREADABLE, counts[EE_XC_UNREADABLE], "answer that could not be read",
           "answers that could not be read");
  add_note(s, &text, NOTED_COUNTERS + EE_XC_REPAIRED, counts[EE_XC_REPAIRED], "answer read after repairs",
           "answers read after repairs");
  note_variance(s, &text);
  add_note(s, &text, NOTED_DRIFTS, noted[NOTED_DRIFTS].count, "case whose runs differ", "cases whose runs differ");
  add_note(s, &text, NOTED_APPROXIMATE, noted[NOTED_APPROXIMATE].count,
           "case with too many gold spans to search: overlapping and partial may be more",
           "cases with too many gold spans to search: overlapping and partial may be more");
  ee_buffer_fini(&text);
  s->summary->notes = s->notes;
  s->summary->note_count = s->note_count;
}

/* The corpus record ---------------------------------------------------------------------------- */

static void *extraction_open(const ee_judge *judge) {
  (void)judge;
  return ee_extraction_totals_new();
}

static void extraction_close(void *corpus_part) { ee_extraction_totals_free(corpus_part); }
static void extraction_clear(void *corpus_part) { clear_totals(corpus_part); }

static void extraction_add(void *corpus_part, const ee_case *source, const ee_judge_result *result) {
  ee_extraction_totals_add(corpus_part, source->id, result->corpus_part);
}

static void extraction_state(void *corpus_part, ee_state_line *line) { totals_state(corpus_part, line); }
static void extraction_merge(void *corpus_part, const void *other) { merge_totals(corpus_part, other); }

static void extraction_finish(const ee_judge *judge, void *corpus_part, ee_arena *arena, ee_corpus_summary *summary) {
  (void)judge;
  summing s = {.totals = corpus_part, .arena = arena, .summary = summary};
  s.sums = ee_extraction_totals_sum(corpus_part, 0, arena);
  *summary = (ee_corpus_summary){0};
  size_t order[FAULTS];
  add_metrics(&s);
  size_t count = rank_faults(&s, order);
  add_rows(&s, order, count);
  add_notes(&s, order, count);
}

/* All shares but precision, which the counts of classes give too. */
static const char *const gate_metrics[] = {
    "quoteInvariantRate", "schemaValidRate",      "successRate",   "uniqueExtractionStability", "coverageRate",
    "recallOverlapping",  "precisionOverlapping", "recallPartial", "precisionPartial",          NULL};

const ee_corpus_type ee_extraction_corpus = {.gate_metrics = gate_metrics,
                                             .open = extraction_open,
                                             .close = extraction_close,
                                             .clear = extraction_clear,
                                             .add = extraction_add,
                                             .merge = extraction_merge,
                                             .state = extraction_state,
                                             .finish = extraction_finish};
