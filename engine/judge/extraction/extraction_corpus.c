/* extraction_corpus.c: the runs of all cases, added up, and what they come to.
 *
 * How many runs the whole has, only its last case may tell, and cases with fewer answers give them again from the
 * first on. So cases are added up apart by the number of their runs, and spread over the runs of the whole at the end.
 * Everything is whole numbers until then: parts merge to the same, however the data were cut. */
#include <stdlib.h>

#include "base/memory.h"
#include "judge/extraction/extraction_judge.h"
#include "judge/extraction/extraction_keys.h"
#include "prim/number.h"

#define IDS_SHOWN 3
#define ID_SHOWN 60

/* Cases that have as many runs as each other. */
typedef struct group {
  uint64_t cases;
  ee_extraction_run *runs;
  uint64_t *common; /* one a pair of runs */
} group;

/* What is told with the first cases that have it. */
typedef enum told {
  TOLD_IN_ERROR,
  TOLD_DRIFTS,
  TOLD_APPROXIMATE,
  TOLD_COUNTERS, /* plus ee_extraction_counter */
  TOLD_COUNT = TOLD_COUNTERS + EE_XC_COUNT
} told;

typedef struct told_cases {
  uint64_t count;
  ee_str ids[IDS_SHOWN];
  size_t id_count;
} told_cases;

/* All cases of a part or of the whole. malloc'd. */
typedef struct extraction_set {
  group *groups[EE_EXTRACTION_RUNS + 1]; /* by the number of runs; NULL: none */
  told_cases told[TOLD_COUNT];
  ee_arena ids;
} extraction_set;

double ee_extraction_stability(const uint64_t *common, size_t count) {
  double sum = 0;
  for (size_t a = 0; a < count; a++)
    for (size_t b = a + 1; b < count; b++)
      sum += ee_extraction_jaccard(common[ee_extraction_pair(count, a, b)], common[ee_extraction_pair(count, a, a)],
                                   common[ee_extraction_pair(count, b, b)]);
  return count > 1 ? sum / ((double)count * (double)(count - 1) / 2) : 1;
}

/* Memory -------------------------------------------------------------------------------------------------------------
 */

static void *extraction_open(const ee_judge *judge) {
  (void)judge;
  extraction_set *set = ee_calloc(1, sizeof *set);
  ee_arena_init(&set->ids, 0);
  return set;
}

static void extraction_close(void *corpus_part) {
  extraction_set *set = corpus_part;
  for (size_t n = 1; n <= EE_EXTRACTION_RUNS; n++) {
    if (set->groups[n] == NULL) continue;
    free(set->groups[n]->runs);
    free(set->groups[n]->common);
    free(set->groups[n]);
  }
  ee_arena_fini(&set->ids);
  free(set);
}

static void extraction_clear(void *corpus_part) {
  extraction_set *set = corpus_part;
  for (size_t n = 1; n <= EE_EXTRACTION_RUNS; n++) {
    group *g = set->groups[n];
    if (g == NULL || g->cases == 0) continue;
    g->cases = 0;
    memset(g->runs, 0, n * sizeof *g->runs);
    memset(g->common, 0, ee_extraction_pairs(n) * sizeof *g->common);
  }
  memset(set->told, 0, sizeof set->told);
  ee_arena_reset(&set->ids, 0);
}

static group *group_of(extraction_set *set, size_t runs) {
  if (set->groups[runs] != NULL) return set->groups[runs];
  group *g = ee_calloc(1, sizeof *g);
  g->runs = ee_calloc(runs, sizeof *g->runs);
  g->common = ee_calloc(ee_extraction_pairs(runs), sizeof *g->common);
  return set->groups[runs] = g;
}

/* Adding -------------------------------------------------------------------------------------------------------------
 */

static void tell(extraction_set *set, size_t what, uint64_t count, ee_str id) {
  told_cases *cases = &set->told[what];
  cases->count += count;
  if (count == 0 || cases->id_count == IDS_SHOWN) return;
  cases->ids[cases->id_count++] = (ee_str){ee_arena_copy(&set->ids, id.data, id.length), id.length};
}

static void add_runs(group *to, uint64_t cases, const ee_extraction_run *runs, const uint64_t *common, size_t count) {
  to->cases += cases;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < EE_XC_COUNT; k++) to->runs[i].counts[k] += runs[i].counts[k];
  for (size_t i = 0; i < ee_extraction_pairs(count); i++) to->common[i] += common[i];
}

static void extraction_add(void *corpus_part, const ee_case *source, const ee_judge_result *result) {
  extraction_set *set = corpus_part;
  const ee_extraction_case *of = result->corpus_part;
  group *g = group_of(set, of->run_count);
  tell(set, TOLD_IN_ERROR, of->runs == NULL, source->id);
  if (of->runs == NULL) {
    g->cases++;
    return;
  }
  add_runs(g, 1, of->runs, of->common, of->run_count);
  tell(set, TOLD_DRIFTS, of->drifts, source->id);
  tell(set, TOLD_APPROXIMATE, of->approximate, source->id);
  for (size_t k = 0; k < EE_XC_COUNT; k++) {
    uint64_t sum = 0;
    for (size_t i = 0; i < of->run_count; i++) sum += of->runs[i].counts[k];
    tell(set, TOLD_COUNTERS + k, sum, source->id);
  }
}

static void extraction_merge(void *corpus_part, const void *other) {
  extraction_set *set = corpus_part;
  const extraction_set *part = other;
  for (size_t n = 1; n <= EE_EXTRACTION_RUNS; n++) {
    const group *from = part->groups[n];
    if (from != NULL && from->cases > 0) add_runs(group_of(set, n), from->cases, from->runs, from->common, n);
  }
  for (size_t what = 0; what < TOLD_COUNT; what++) {
    const told_cases *from = &part->told[what];
    uint64_t count = set->told[what].count + from->count;
    for (size_t i = 0; i < from->id_count; i++) tell(set, what, 1, from->ids[i]);
    set->told[what].count = count;
  }
}

/* Figures ------------------------------------------------------------------------------------------------------------
 */

/* The whole while figures are made of it. */
typedef struct summing {
  const extraction_set *set;
  ee_arena *arena;
  ee_corpus_summary *summary;
  ee_corpus_metric *figures; /* of `summary`, being filled */
  size_t metric_count;
  size_t runs;                  /* 0 when there is no case */
  uint64_t cases, judged;       /* the latter without those in error */
  uint64_t totals[EE_XC_COUNT]; /* of all runs */
  uint64_t *extractions;        /* one a run */
  uint64_t least, most;         /* of those */
  double stability;
  ee_str *notes;
  size_t note_count;
} summing;

/* Spreads the cases over the runs of the whole. */
static void sum_runs(summing *s) {
  for (size_t n = 1; n <= EE_EXTRACTION_RUNS; n++) {
    if (s->set->groups[n] == NULL || s->set->groups[n]->cases == 0) continue;
    s->runs = n;
    s->cases += s->set->groups[n]->cases;
  }
  s->judged = s->cases - s->set->told[TOLD_IN_ERROR].count;
  s->extractions = EE_NEW_ARRAY(s->arena, uint64_t, s->runs + 1);
  uint64_t *common = EE_NEW_ARRAY(s->arena, uint64_t, ee_extraction_pairs(s->runs) + 1);
  for (size_t n = 1; n <= s->runs; n++) {
    const group *g = s->set->groups[n];
    if (g == NULL || g->cases == 0) continue;
    for (size_t a = 0; a < s->runs; a++) {
      for (size_t k = 0; k < EE_XC_COUNT; k++) s->totals[k] += g->runs[a % n].counts[k];
      s->extractions[a] += g->runs[a % n].counts[EE_XC_EXTRACTIONS];
      for (size_t b = a; b < s->runs; b++) {
        size_t first = a % n, second = b % n;
        size_t pair = first <= second ? ee_extraction_pair(n, first, second) : ee_extraction_pair(n, second, first);
        common[ee_extraction_pair(s->runs, a, b)] += g->common[pair];
      }
    }
  }
  s->stability = ee_extraction_stability(common, s->runs);
  s->least = s->runs > 0 ? UINT64_MAX : 0;
  for (size_t a = 0; a < s->runs; a++) {
    if (s->extractions[a] < s->least) s->least = s->extractions[a];
    if (s->extractions[a] > s->most) s->most = s->extractions[a];
  }
}

/* A share, undefined where it is one of nothing. */
static void add_share(summing *s, const char *name, uint64_t part, uint64_t of) {
  s->figures[s->metric_count++] =
      (ee_corpus_metric){.name = name, .defined = of > 0, .value = of > 0 ? (double)part / (double)of : 0};
}

/* A share of all extractions: 1 when there is none, and undefined when there is no answer that could have any. */
static void add_rate(summing *s, const char *name, uint64_t part) {
  uint64_t of = s->totals[EE_XC_EXTRACTIONS];
  s->figures[s->metric_count++] = (ee_corpus_metric){
      .name = name, .defined = s->judged > 0, .value = of > 0 ? (double)part / (double)of : s->judged > 0};
}

static void add_count(summing *s, const char *name, uint64_t count) {
  s->figures[s->metric_count++] =
      (ee_corpus_metric){.name = name, .defined = true, .is_count = true, .value = (double)count};
}

/* A gate may be about all shares but `precision`, which the counts of classes give too. What there is nothing of to
 * tell, gold spans and further runs, is left out. */
static void add_gold(summing *s) {
  const uint64_t *totals = s->totals;
  uint64_t spans = totals[EE_XC_GOLD], extractions = totals[EE_XC_GOLD_EXTRACTIONS];
  if (spans == 0 && extractions == 0) return;
  add_share(s, "coverageRate", totals[EE_XC_EXACT], spans);
  add_share(s, "precision", totals[EE_XC_EXACT], extractions);
  add_share(s, "recallOverlapping", totals[EE_XC_OVERLAPPING], spans);
  add_share(s, "precisionOverlapping", totals[EE_XC_OVERLAPPING], extractions);
  add_share(s, "recallPartial", totals[EE_XC_PARTIAL], spans);
  add_share(s, "precisionPartial", totals[EE_XC_PARTIAL], extractions);
  add_count(s, "gold", spans);
  add_count(s, "exact", totals[EE_XC_EXACT]);
  add_count(s, "overlapping", totals[EE_XC_OVERLAPPING]);
  add_count(s, "partial", totals[EE_XC_PARTIAL]);
}

static void add_figures(summing *s) {
  enum { MOST = 32 };
  const uint64_t *totals = s->totals;
  s->figures = EE_NEW_ARRAY(s->arena, ee_corpus_metric, MOST);
  add_rate(s, "quoteInvariantRate", totals[EE_XC_QUOTE_VALID]);
  add_rate(s, "schemaValidRate", totals[EE_XC_SCHEMA_VALID]);
  add_share(s, "successRate", totals[EE_XC_SUCCESSES], s->cases * s->runs);
  s->figures[s->metric_count++] = (ee_corpus_metric){"uniqueExtractionStability", s->judged > 0, false, s->stability};
  add_count(s, "cases", s->cases);
  add_count(s, "in_error", s->set->told[TOLD_IN_ERROR].count);
  add_count(s, "runs", s->runs);
  add_count(s, "extractions", totals[EE_XC_EXTRACTIONS]);
  if (s->runs > 1) {
    add_count(s, "count_min", s->least);
    add_count(s, "count_max", s->most);
    add_count(s, "drifting", s->set->told[TOLD_DRIFTS].count);
  }
  add_gold(s);
  add_count(s, "unreadable", totals[EE_XC_UNREADABLE]);
  add_count(s, "repaired", totals[EE_XC_REPAIRED]);
  for (int i = 0; i < EE_REPAIR_COUNT; i++) add_count(s, ee_repair_name((ee_repair)i), totals[EE_XC_REPAIRS + i]);
  add_count(s, "bare_list", totals[EE_XC_BARE_LISTS]);
  s->summary->figures = s->figures;
  s->summary->metric_count = s->metric_count;
}

/* Faults -------------------------------------------------------------------------------------------------------------
 */

enum { FAULTS = EE_QUOTE_MISMATCH + 1 }; /* those of quotes, and SCHEMA_INVALID */

/* In the order of the counters. */
static const struct {
  const char *name, *one, *many; /* "3 extractions MANY" */
} faults[FAULTS] = {
    {"SCHEMA_INVALID", "without a class", "without a class"},
    {"UNSUPPORTED_OFFSET_MODE", "with an unknown offsetMode", "with an unknown offsetMode"},
    {"INVALID_OFFSETS", "without usable offsets", "without usable offsets"},
    {"OFFSET_MISMATCH", "whose span says something else", "whose spans say something else"},
    {"OFFSETS_OUT_OF_RANGE", "outside its document", "outside their documents"},
    {"QUOTE_MISMATCH", "whose quote does not stand at its offsets", "whose quotes do not stand at their offsets"},
};

/* The faults there are, most frequent first. Returns how many. */
static size_t rank_faults(const summing *s, size_t order[FAULTS]) {
  size_t count = 0;
  for (size_t i = 0; i < FAULTS; i++) {
    uint64_t times = s->totals[EE_XC_SCHEMA_INVALID + i];
    if (times == 0) continue;
    size_t at = count++;
    for (; at > 0 && s->totals[EE_XC_SCHEMA_INVALID + order[at - 1]] < times; at--) order[at] = order[at - 1];
    order[at] = i;
  }
  return count;
}

static void add_rows(summing *s, const size_t *order, size_t count) {
  static const char *const columns[] = {"extractions", "share"};
  ee_corpus_row *rows = EE_NEW_ARRAY(s->arena, ee_corpus_row, count + 1);
  for (size_t i = 0; i < count; i++) {
    uint64_t times = s->totals[EE_XC_SCHEMA_INVALID + order[i]];
    ee_corpus_metric *values = EE_NEW_ARRAY(s->arena, ee_corpus_metric, 2);
    values[0] = (ee_corpus_metric){columns[0], true, true, (double)times};
    values[1] = (ee_corpus_metric){columns[1], true, false, (double)times / (double)s->totals[EE_XC_EXTRACTIONS]};
    rows[i] = (ee_corpus_row){ee_str_from(faults[order[i]].name), values};
  }
  s->summary->row_title = "fault";
  s->summary->columns = columns;
  s->summary->column_count = 2;
  s->summary->rows = rows;
  s->summary->row_count = count;
}

/* Notes --------------------------------------------------------------------------------------------------------------
 */

/* Ends the note in `text` and keeps it. */
static void end_note(summing *s, ee_buffer *text) {
  s->notes[s->note_count++] = (ee_str){ee_arena_copy(s->arena, text->data, text->length), text->length};
  ee_buffer_clear(text);
}

/* Appends " (first in 'a', 'b')" and ends the note. */
static void end_with_ids(summing *s, ee_buffer *text, size_t what) {
  const told_cases *cases = &s->set->told[what];
  for (size_t i = 0; i < cases->id_count; i++) {
    size_t shown = ee_utf8_cut(cases->ids[i], ID_SHOWN);
    ee_buffer_add_text(text, i == 0 ? " (first in '" : ", '");
    ee_buffer_add(text, cases->ids[i].data, shown);
    ee_buffer_add_text(text, shown < cases->ids[i].length ? "...'" : "'");
  }
  ee_buffer_add_char(text, ')');
  end_note(s, text);
}

/* "3 records MANY (first in 'a')"; nothing when there are none. */
static void note(summing *s, ee_buffer *text, size_t what, uint64_t count, const char *one, const char *many) {
  if (count == 0) return;
  ee_buffer_add_u64(text, count);
  ee_buffer_addf(text, " %s", count == 1 ? one : many);
  end_with_ids(s, text, what);
}

static void add_figure(ee_buffer *text, const char *before, double value) {
  char figure[32];
  ee_buffer_add_text(text, before);
  ee_buffer_add(text, figure, ee_double_format_short(value, 6, figure));
}

/* How the number of extractions varies over runs. */
static void note_variance(summing *s, ee_buffer *text) {
  if (s->runs < 2) return;
  double mean = (double)s->totals[EE_XC_EXTRACTIONS] / (double)s->runs, squares = 0;
  for (size_t a = 0; a < s->runs; a++) {
    double off = (double)s->extractions[a] - mean;
    squares += off * off;
  }
  ee_buffer_addf(text, "%zu runs of ", s->runs);
  ee_buffer_add_u64(text, s->least);
  ee_buffer_add_text(text, " to ");
  ee_buffer_add_u64(text, s->most);
  add_figure(text, " extractions: mean ", mean);
  add_figure(text, ", population variance ", squares / (double)s->runs);
  end_note(s, text);
}

static void add_notes(summing *s, const size_t *order, size_t fault_count) {
  enum { MOST = FAULTS + 8 };
  ee_buffer text;
  ee_buffer_init(&text);
  s->notes = EE_NEW_ARRAY(s->arena, ee_str, MOST);
  note(s, &text, TOLD_IN_ERROR, s->set->told[TOLD_IN_ERROR].count, "record in error, in no figure but successRate",
       "records in error, in no figure but successRate");
  for (size_t i = 0; i < fault_count; i++) {
    size_t counter = EE_XC_SCHEMA_INVALID + order[i];
    ee_buffer_add_u64(&text, s->totals[counter]);
    ee_buffer_addf(&text, s->totals[counter] == 1 ? " extraction %s" : " extractions %s",
                   s->totals[counter] == 1 ? faults[order[i]].one : faults[order[i]].many);
    end_with_ids(s, &text, TOLD_COUNTERS + counter);
  }
  note(s, &text, TOLD_COUNTERS + EE_XC_UNREADABLE, s->totals[EE_XC_UNREADABLE], "answer that could not be read",
       "answers that could not be read");
  note(s, &text, TOLD_COUNTERS + EE_XC_REPAIRED, s->totals[EE_XC_REPAIRED], "answer read after repairs",
       "answers read after repairs");
  note_variance(s, &text);
  note(s, &text, TOLD_DRIFTS, s->set->told[TOLD_DRIFTS].count, "case whose runs differ", "cases whose runs differ");
  note(s, &text, TOLD_APPROXIMATE, s->set->told[TOLD_APPROXIMATE].count,
       "case with too many gold spans to search: overlapping and partial may be more",
       "cases with too many gold spans to search: overlapping and partial may be more");
  ee_buffer_fini(&text);
  s->summary->notes = s->notes;
  s->summary->note_count = s->note_count;
}

/* The record ---------------------------------------------------------------------------------------------------------
 */

static void extraction_finish(const ee_judge *judge, void *corpus_part, ee_arena *arena, ee_corpus_summary *summary) {
  (void)judge;
  summing s = {.set = corpus_part, .arena = arena, .summary = summary};
  *summary = (ee_corpus_summary){0};
  size_t order[FAULTS];
  sum_runs(&s);
  add_figures(&s);
  size_t count = rank_faults(&s, order);
  add_rows(&s, order, count);
  add_notes(&s, order, count);
}

static const char *const gate_metrics[] = {
    "quoteInvariantRate", "schemaValidRate",      "successRate",   "uniqueExtractionStability", "coverageRate",
    "recallOverlapping",  "precisionOverlapping", "recallPartial", "precisionPartial",          NULL};

const ee_corpus_type ee_extraction_corpus = {.gate_metrics = gate_metrics,
                                             .open = extraction_open,
                                             .close = extraction_close,
                                             .clear = extraction_clear,
                                             .add = extraction_add,
                                             .merge = extraction_merge,
                                             .finish = extraction_finish};
