/* many_runs.c: three or more runs: each is compared with the first, and what that gives is put side by side.
 *
 * The base's rows are in every comparison; those of cases that some run does not have, or has without a score, are left
 * out of all, so that all metrics are over the same cases. */
#include "report/many_runs.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "prim/ranking.h"
#include "prim/sort.h"
#include "prim/unicode.h"
#include "report/comparison_inside.h"
#include "report/csv.h"
#include "report/json_out.h"
#include "report/measures_report.h"
#include "report/run_labels.h"

/* Columns of a label, and bytes of a name in a message. */
#define LABEL_COLUMNS 24
#define PAIR_COLUMNS 14
#define NAME_SHOWN 60

/* A metric of each run. */
typedef struct run_metric {
  ee_str judge; /* empty: of the cases, or a measure */
  ee_str name;  /* "mean score", "micro F1", the path of a measure */
  ee_metric *values;
  ee_interval *ranges;
  bool is_measure; /* less is better */
} run_metric;

/* F1 of a field in each run. */
typedef struct run_field {
  ee_str judge, name;
  ee_metric *f1;
  double spread; /* between the best and the worst run */
} run_field;

struct ee_many_runs {
  ee_many_runs_options options;
  ee_arena arena;
  size_t count;
  const ee_str *labels;         /* short names of the runs, each once */
  ee_comparison **pairs;        /* run i + 1 against run 0 */
  ee_ranking ranking;           /* its first pairs are those of `pairs` */
  ee_finding_of_runs *findings; /* by pair of the ranking */
  bool *left_out;               /* by row of the first run */
  uint64_t left_out_count;
  size_t case_count;
  struct {
    EE_LIST(run_metric);
  } metrics;
  struct {
    EE_LIST(run_field);
  } fields; /* the largest spread first */
  bool several_judges;
  struct {
    EE_LIST(const char *);
  } notes;
  const char *failure;
};

/* Adding ---------------------------------------------------------------------------------------- */

ee_many_runs *ee_many_runs_new(const ee_many_runs_options *options) {
  ee_many_runs *runs = ee_calloc(1, sizeof *runs);
  runs->options = *options;
  runs->count = options->count;
  ee_arena_init(&runs->arena, 0);
  runs->labels = ee_run_labels(runs->options.names, runs->count, &runs->arena);
  runs->pairs = EE_NEW_ARRAY(&runs->arena, ee_comparison *, runs->count);
  for (size_t i = 1; i < runs->count; i++) {
    ee_comparison_options each = options->each;
    each.names[EE_SIDE_BASE] = options->names[0];
    each.names[EE_SIDE_NEW] = options->names[i];
    runs->pairs[i - 1] = ee_comparison_new(&each);
  }
  return runs;
}

void ee_many_runs_free(ee_many_runs *runs) {
  if (runs == NULL) return;
  for (size_t i = 1; i < runs->count; i++) ee_comparison_free(runs->pairs[i - 1]);
  ee_free(runs->left_out);
  EE_LIST_FINI(&runs->metrics);
  EE_LIST_FINI(&runs->fields);
  EE_LIST_FINI(&runs->notes);
  ee_arena_fini(&runs->arena);
  ee_free(runs);
}

void ee_many_runs_add(ee_many_runs *runs, size_t run, const ee_stored_row *row) {
  if (run > 0) ee_comparison_add(runs->pairs[run - 1], EE_SIDE_NEW, row);
  for (size_t i = 1; run == 0 && i < runs->count; i++) ee_comparison_add(runs->pairs[i - 1], EE_SIDE_BASE, row);
}

void ee_many_runs_add_skipped(ee_many_runs *runs, size_t run, uint64_t unreadable, uint64_t duplicates) {
  if (run > 0) ee_comparison_add_skipped(runs->pairs[run - 1], EE_SIDE_NEW, unreadable, duplicates);
  for (size_t i = 1; run == 0 && i < runs->count; i++)
    ee_comparison_add_skipped(runs->pairs[i - 1], EE_SIDE_BASE, unreadable, duplicates);
}

/* Joining --------------------------------------------------------------------------------------- */

static ee_run_rows *rows_of(const ee_many_runs *runs, size_t run) {
  return run == 0 ? &runs->pairs[0]->runs[EE_SIDE_BASE] : &runs->pairs[run - 1]->runs[EE_SIDE_NEW];
}

/* Whether every run has the case, and with a score. */
static bool has_all(const ee_many_runs *runs, const ee_run_row *row) {
  for (size_t i = 1; i < runs->count; i++) {
    ee_run_rows *other = rows_of(runs, i);
    uint32_t partner = ee_run_find(other, row->id);
    if (partner == EE_NO_NUMBER || other->rows.items[partner].unscored) return false;
  }
  return !row->unscored;
}

static ee_status leave_out(ee_many_runs *runs, ee_error *error) {
  const ee_run_rows *base = rows_of(runs, 0);
  for (size_t i = 0; i < runs->count; i++)
    if (rows_of(runs, i)->rows.count == 0)
      return ee_error_set(error, EE_ERROR_DATA, "no results in '%.*s' (an evaluation writes them with --results)",
                          NAME_SHOWN, runs->options.names[i]);
  runs->left_out = ee_calloc(base->rows.count + 1, sizeof *runs->left_out);
  for (size_t i = 0; i < base->rows.count; i++) {
    runs->left_out[i] = !has_all(runs, &base->rows.items[i]);
    runs->left_out_count += runs->left_out[i];
  }
  runs->case_count = base->rows.count - runs->left_out_count;
  if (runs->case_count == 0)
    return ee_error_set(error, EE_ERROR_DATA, "no case has a score in all %zu runs", runs->count);
  return EE_OK;
}

/* Findings -------------------------------------------------------------------------------------- */

static const ee_run_row *row_of(const ee_many_runs *runs, size_t run, size_t item) {
  const ee_comparison *pair = runs->pairs[run > 0 ? run - 1 : 0];
  return run > 0 ? pair->cases[item].fresh : pair->cases[item].base;
}

static double confidence_of(const ee_many_runs *runs) {
  return runs->options.each.confidence > 0 ? runs->options.each.confidence : EE_USUAL_CONFIDENCE;
}

static ee_finding_of_runs finding_of(const ee_system_pair *pair, double confidence) {
  if (pair->changed == 0) return EE_RUNS_EQUAL;
  if (pair->p_adjusted > 1 - confidence) return EE_RUNS_UNDECIDED;
  return pair->change > 0 ? EE_RUNS_BETTER : EE_RUNS_WORSE;
}

static void decide(ee_many_runs *runs) {
  double *scores = ee_malloc((runs->case_count * runs->count + 1) * sizeof *scores);
  uint64_t *units = ee_malloc((runs->case_count + 1) * sizeof *units);
  for (size_t i = 0; i < runs->case_count; i++) {
    units[i] = ee_comparison_unit(&runs->pairs[0]->cases[i]);
    for (size_t run = 0; run < runs->count; run++) scores[i * runs->count + run] = row_of(runs, run, i)->score;
  }
  const ee_score_table table = {runs->count, runs->case_count, scores, units};
  ee_rank_systems(&table, runs->options.all_pairs, confidence_of(runs), &runs->arena, &runs->ranking);
  ee_free(scores);
  ee_free(units);
  runs->findings = EE_NEW_ARRAY(&runs->arena, ee_finding_of_runs, runs->ranking.pair_count);
  for (size_t i = 0; i < runs->ranking.pair_count; i++)
    runs->findings[i] = finding_of(&runs->ranking.pairs[i], confidence_of(runs));
}

/* Cases of a pair by what became of them. */
static void count_outcomes(const ee_many_runs *runs, const ee_system_pair *pair, uint64_t outcomes[3]) {
  memset(outcomes, 0, 3 * sizeof *outcomes);
  for (size_t i = 0; i < runs->case_count; i++) {
    double delta = row_of(runs, pair->fresh, i)->score - row_of(runs, pair->base, i)->score;
    outcomes[ee_comparison_outcome_of(delta, runs->options.each.threshold)]++;
  }
}

/* Metrics --------------------------------------------------------------------------------------- */

static run_metric *add_metric(ee_many_runs *runs, ee_str judge, ee_str name) {
  run_metric *metric = EE_LIST_ADD(&runs->metrics, NULL);
  *metric = (run_metric){.judge = judge,
                         .name = name,
                         .values = EE_NEW_ARRAY(&runs->arena, ee_metric, runs->count),
                         .ranges = EE_NEW_ARRAY(&runs->arena, ee_interval, runs->count)};
  for (size_t i = 0; i < runs->count; i++) metric->ranges[i] = (ee_interval){NAN, NAN};
  return metric;
}

/* That of the first run from the first pair that has it. */
static void set_metric(run_metric *metric, size_t pair, const ee_estimate *estimate) {
  if (!metric->values[0].defined) {
    metric->values[0] = estimate->before;
    metric->ranges[0] = estimate->before_range;
  }
  metric->values[pair + 1] = estimate->after;
  metric->ranges[pair + 1] = estimate->after_range;
}

static run_metric *metric_of(ee_many_runs *runs, ee_str judge, ee_str name) {
  for (size_t i = 0; i < runs->metrics.count; i++)
    if (ee_str_equal(runs->metrics.items[i].judge, judge) && ee_str_equal(runs->metrics.items[i].name, name))
      return &runs->metrics.items[i];
  return add_metric(runs, judge, name);
}

static void list_scores(ee_many_runs *runs) {
  run_metric *score = add_metric(runs, EE_STR(""), EE_STR("mean score"));
  for (size_t i = 0; i + 1 < runs->count; i++) set_metric(score, i, &runs->pairs[i]->score);
  run_metric *pass = add_metric(runs, EE_STR(""), EE_STR("pass rate"));
  for (size_t i = 0; i + 1 < runs->count; i++) set_metric(pass, i, &runs->pairs[i]->pass);
}

static void list_judges(ee_many_runs *runs) {
  for (size_t i = 0; i + 1 < runs->count; i++) {
    const ee_comparison *pair = runs->pairs[i];
    for (size_t k = 0; k < pair->judge_count; k++) {
      const ee_compared_judge *judge = &pair->judges[k];
      if (!judge->any_counts) continue;
      ee_str name = pair->known_judges.items[judge->judge].name;
      set_metric(metric_of(runs, name, EE_STR("micro F1")), i, &judge->micro);
      set_metric(metric_of(runs, name, EE_STR("macro F1")), i, &judge->macro);
    }
    runs->several_judges = runs->several_judges || pair->several_judges;
  }
}

static void list_measures(ee_many_runs *runs) {
  for (size_t i = 0; i + 1 < runs->count; i++) {
    const ee_comparison *pair = runs->pairs[i];
    for (size_t k = 0; k < pair->measure_count; k++) {
      run_metric *metric = metric_of(runs, EE_STR(""), pair->known_measures.items[pair->measures[k].measure].name);
      metric->is_measure = true;
      set_metric(metric, i, &pair->measures[k].mean);
    }
  }
}

static bool is_better(const run_metric *metric, double a, double b) { return metric->is_measure ? a < b : a > b; }

/* Whether the run has the best value of all; false if all have the same. */
static bool is_best(const ee_many_runs *runs, const run_metric *metric, size_t run) {
  bool any_worse = false;
  if (!metric->values[run].defined) return false;
  double value = metric->values[run].value;
  for (size_t i = 0; i < runs->count; i++) {
    if (!metric->values[i].defined) continue;
    if (fabs(metric->values[i].value - value) <= EE_SCORE_SLACK * fmax(1, fabs(value)) && !metric->is_measure) continue;
    if (is_better(metric, metric->values[i].value, value)) return false;
    any_worse = any_worse || metric->values[i].value != value;
  }
  return any_worse;
}

/* Fields ---------------------------------------------------------------------------------------- */

static bool differs_more(const run_field *a, const run_field *b) { return a->spread > b->spread; }
EE_DEFINE_SORT(sort_fields, run_field, differs_more)

typedef struct field_index {
  ee_hash_index by_name;
  ee_many_runs *runs;
} field_index;

static run_field *field_of(field_index *index, ee_str judge, ee_str name) {
  ee_many_runs *runs = index->runs;
  uint64_t hash = ee_hash_bytes(name.data, name.length, ee_hash_bytes(judge.data, judge.length, 0));
  size_t at = 0, found;
  while (ee_hash_index_next(&index->by_name, hash, &at, &found)) {
    run_field *field = &runs->fields.items[found];
    if (ee_str_equal(field->judge, judge) && ee_str_equal(field->name, name)) return field;
  }
  ee_hash_index_add(&index->by_name, hash, runs->fields.count);
  run_field *field = EE_LIST_ADD(&runs->fields, NULL);
  *field = (run_field){.judge = judge, .name = name, .f1 = EE_NEW_ARRAY(&runs->arena, ee_metric, runs->count)};
  return field;
}

static double spread_of(const ee_metric *values, size_t count) {
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < count; i++) {
    if (!values[i].defined) continue;
    low = fmin(low, values[i].value);
    high = fmax(high, values[i].value);
  }
  return high > low ? high - low : 0;
}

static void list_fields(ee_many_runs *runs) {
  field_index index = {.by_name = {.arena = &runs->arena}, .runs = runs};
  for (size_t i = 0; i + 1 < runs->count; i++) {
    const ee_comparison *pair = runs->pairs[i];
    for (size_t k = 0; k < pair->field_count; k++) {
      const ee_compared_field *field = &pair->fields[k];
      run_field *to = field_of(&index, pair->known_judges.items[field->judge].name,
                               pair->known_attributes.items[field->attribute].name);
      if (!to->f1[0].defined) to->f1[0] = ee_f1(&field->before);
      to->f1[i + 1] = ee_f1(&field->after);
    }
  }
  for (size_t i = 0; i < runs->fields.count; i++)
    runs->fields.items[i].spread = spread_of(runs->fields.items[i].f1, runs->count);
  sort_fields(runs->fields.items, runs->fields.count, &runs->arena);
}

static const char *field_name(const ee_many_runs *runs, const run_field *field, ee_arena *arena) {
  ee_str name = field->name.length > 0 ? field->name : EE_STR("\"\"");
  if (!runs->several_judges) return ee_arena_printf(arena, "%.*s", EE_STR_ARG(name));
  return ee_arena_printf(arena, "%.*s: %.*s", EE_STR_ARG(field->judge), EE_STR_ARG(name));
}

/* Notes and failing ----------------------------------------------------------------------------- */

/* Each once: what is said of the first run is the same in every pair. */
static void add_note(ee_many_runs *runs, const char *note) {
  for (size_t i = 0; i < runs->notes.count; i++)
    if (strcmp(runs->notes.items[i], note) == 0) return;
  *EE_LIST_ADD(&runs->notes, NULL) = note;
}

static void add_notes(ee_many_runs *runs) {
  if (runs->left_out_count > 0)
    add_note(runs, ee_arena_printf(&runs->arena,
                                   "%" PRIu64 " case%s of '%.*s' %s not in all runs with a score, and %s "
                                   "left out",
                                   runs->left_out_count, runs->left_out_count == 1 ? "" : "s", NAME_SHOWN,
                                   runs->options.names[0], runs->left_out_count == 1 ? "is" : "are",
                                   runs->left_out_count == 1 ? "is" : "are"));
  for (size_t i = 0; i + 1 < runs->count; i++) {
    const char *note;
    for (size_t k = 0; (note = ee_comparison_note(runs->pairs[i], k)) != NULL; k++) add_note(runs, note);
  }
}

static const char *failure_of(ee_many_runs *runs, size_t pair) {
  ee_arena *arena = &runs->arena;
  const char *reason = runs->pairs[pair]->failure;
  if (runs->options.each.fail_on == EE_FAIL_ON_SIGNIFICANT) {
    if (runs->findings[pair] != EE_RUNS_WORSE) return NULL;
    reason = ee_arena_printf(arena,
                             "the mean score fell by %s, more than chance explains (%s, corrected for %zu comparisons)",
                             ee_comparison_share(arena, (ee_metric){true, -runs->pairs[pair]->score.change.value}),
                             ee_p_text(arena, runs->ranking.pairs[pair].p_adjusted), runs->ranking.pair_count);
  }
  return reason != NULL ? ee_arena_printf(arena, "'%.*s': %s", NAME_SHOWN, runs->options.names[pair + 1], reason)
                        : NULL;
}

/* The first run that fails, and how many more do. */
static void find_failure(ee_many_runs *runs) {
  size_t failing = 0;
  const char *first = NULL;
  for (size_t i = 0; i + 1 < runs->count && runs->options.each.fail_on != EE_FAIL_ON_NOTHING; i++) {
    const char *reason = failure_of(runs, i);
    if (reason == NULL) continue;
    if (first == NULL) first = reason;
    failing++;
  }
  runs->failure = failing < 2 ? first : ee_arena_printf(&runs->arena, "%s; and %zu more", first, failing - 1);
}

ee_status ee_many_runs_finish(ee_many_runs *runs, ee_error *error) {
  ee_status status = leave_out(runs, error);
  for (size_t i = 0; i + 1 < runs->count && status == EE_OK; i++) {
    runs->pairs[i]->skipped = runs->left_out;
    status = ee_comparison_finish(runs->pairs[i], error);
  }
  if (status != EE_OK) return status;
  decide(runs);
  list_scores(runs);
  list_judges(runs);
  list_measures(runs);
  list_fields(runs);
  add_notes(runs);
  find_failure(runs);
  return EE_OK;
}

bool ee_many_runs_fails(const ee_many_runs *runs, const char **reason) {
  *reason = runs->failure;
  return runs->failure != NULL;
}

const char *ee_many_runs_note(const ee_many_runs *runs, size_t number) {
  return number < runs->notes.count ? runs->notes.items[number] : NULL;
}

/* The page -------------------------------------------------------------------------------------- */

static ee_cell label_cell(const ee_many_runs *runs, size_t run, ee_ink ink) {
  ee_cell cell = ee_cell_data(runs->labels[run], ink);
  cell.max_columns = LABEL_COLUMNS;
  return cell;
}

static void add_labels(ee_page *page, ee_line *line, const ee_many_runs *runs, const bool *chosen) {
  bool any = false;
  for (size_t i = 0; i < runs->count; i++) {
    if (!chosen[i]) continue;
    if (any) ee_line_add(page, line, ee_cell_words(", ", EE_INK_PLAIN));
    ee_line_add(page, line, label_cell(runs, i, EE_INK_PLAIN));
    any = true;
  }
}

/* "best gpt, claude  mean score 0.912  3 runs, 347 cases" */
static void add_head(ee_page *page, const ee_many_runs *runs, ee_medium medium) {
  const run_metric *score = &runs->metrics.items[0];
  bool *best = EE_NEW_ARRAY(&page->arena, bool, runs->count), any = false;
  double highest = 0;
  for (size_t i = 0; i < runs->count; i++) {
    best[i] = is_best(runs, score, i);
    any = any || best[i];
    highest = fmax(highest, score->values[i].value);
  }
  ee_line *line = ee_page_line(page, medium, medium == EE_MEDIUM_MARKUP ? EE_LINE_HEADING : EE_LINE_PARAGRAPH);
  if (any) {
    ee_line_add(page, line, ee_cell_words(medium == EE_MEDIUM_MARKUP ? "Best: " : "best  ", EE_INK_GREEN));
    add_labels(page, line, runs, best);
  } else {
    ee_line_add(page, line, ee_cell_words(medium == EE_MEDIUM_MARKUP ? "All equal" : "all equal", EE_INK_BOLD));
  }
  ee_line_addf(page, line, EE_INK_PLAIN, "%smean score %s%s%zu runs, %zu case%s%s",
               medium == EE_MEDIUM_MARKUP ? ", " : "  ", ee_comparison_share(&page->arena, (ee_metric){true, highest}),
               medium == EE_MEDIUM_MARKUP ? " (" : "  ", runs->count, runs->case_count,
               runs->case_count == 1 ? "" : "s", medium == EE_MEDIUM_MARKUP ? ")" : "");
}

/* "against the first, gpt: better claude; worse gemini, qwen" */
static void add_findings(ee_page *page, const ee_many_runs *runs) {
  static const ee_finding_of_runs order[] = {EE_RUNS_BETTER, EE_RUNS_WORSE, EE_RUNS_UNDECIDED, EE_RUNS_EQUAL};
  ee_line *line = ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_PARAGRAPH);
  ee_line_add(page, line, ee_cell_words("against the first, ", EE_INK_PLAIN));
  ee_line_add(page, line, label_cell(runs, 0, EE_INK_PLAIN));
  bool *chosen = EE_NEW_ARRAY(&page->arena, bool, runs->count), any = false;
  for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
    size_t count = 0;
    for (size_t i = 1; i < runs->count; i++) count += chosen[i] = runs->findings[i - 1] == order[k];
    if (count == 0) continue;
    ee_line_addf(page, line, EE_INK_PLAIN, "%s%s: ", any ? "; " : ": ", ee_finding_text(order[k]));
    add_labels(page, line, runs, chosen);
    any = true;
  }
}

static ee_cell metric_cell(ee_arena *arena, const run_metric *metric, size_t run) {
  ee_metric value = metric->values[run];
  const char *text = metric->is_measure ? ee_measure_text(arena, value) : ee_comparison_share(arena, value);
  return ee_cell_words(text, value.defined ? EE_INK_PLAIN : EE_INK_DIM);
}

/* The best of a column: a star before it on a terminal, bold in markup. */
static ee_cell marked(ee_arena *arena, ee_cell cell, ee_medium medium, bool best) {
  if (medium == EE_MEDIUM_MARKUP) {
    cell.strong = best;
    return cell;
  }
  if (!best) return cell;
  cell.text = ee_str_from(ee_arena_printf(arena, "*%.*s", EE_STR_ARG(cell.text)));
  cell.ink = EE_INK_GREEN;
  return cell;
}

static const char *metric_title(const ee_many_runs *runs, const run_metric *metric, ee_arena *arena) {
  if (metric->is_measure) return ee_arena_printf(arena, "%.*s", EE_STR_ARG(metric->name));
  if (metric->judge.length == 0 || !runs->several_judges)
    return ee_arena_printf(arena, "%.*s", EE_STR_ARG(metric->name));
  return ee_arena_printf(arena, "%.*s %.*s", EE_STR_ARG(metric->judge), EE_STR_ARG(metric->name));
}

/* "62 %"; never rounded to all or nothing. */
static const char *share_text(ee_arena *arena, double share) {
  if (share > 0 && share < 0.005) return "< 1 %";
  if (share < 1 && share > 0.995) return "> 99 %";
  return ee_arena_printf(arena, "%.0f %%", 100 * share);
}

/* A row a run. Where there are too many metrics, the first ones and the measures. */
static void add_runs(ee_page *page, const ee_many_runs *runs, ee_medium medium) {
  enum { RUN, SCORE, RANGE, BEST, FIRST };
  ee_arena *arena = &page->arena;
  const char *confidence = ee_arena_printf(arena, "(%g %%)", 100 * confidence_of(runs));
  ee_column columns[EE_GRID_COLUMNS] = {[RUN] = {.name = "run", .left = true, .name_column = true},
                                        [SCORE] = {.name = "mean score"},
                                        [RANGE] = {.name = confidence, .wide_only = true},
                                        [BEST] = {.name = "best in"}};
  const run_metric *shown[EE_GRID_COLUMNS];
  size_t count = FIRST, measures = 0, left_out = 0;
  for (size_t i = 0; i < runs->metrics.count; i++) measures += runs->metrics.items[i].is_measure;
  size_t reserved = measures < 2 ? measures : 2;
  for (size_t i = 1; i < runs->metrics.count; i++) {
    const run_metric *metric = &runs->metrics.items[i];
    if (count + (metric->is_measure ? 0 : reserved) >= EE_GRID_COLUMNS) {
      left_out++;
      continue;
    }
    shown[count] = metric;
    columns[count++].name = metric_title(runs, metric, arena);
  }
  ee_grid *grid = ee_page_grid(page, medium, columns, count);
  for (size_t run = 0; run < runs->count; run++) {
    const run_metric *score = &runs->metrics.items[0];
    ee_cell *cells = ee_grid_add(grid);
    cells[RUN] = label_cell(runs, run, EE_INK_PLAIN);
    cells[SCORE] = marked(arena, metric_cell(arena, score, run), medium, is_best(runs, score, run));
    cells[RANGE] = ee_cell_words(ee_range_text(arena, score->ranges[run]), EE_INK_DIM);
    cells[BEST] = ee_cell_words(share_text(arena, runs->ranking.best[run]), EE_INK_PLAIN);
    for (size_t c = FIRST; c < count; c++)
      cells[c] = marked(arena, metric_cell(arena, shown[c], run), medium, is_best(runs, shown[c], run));
  }
  if (left_out > 0)
    ee_line_addf(page, ee_page_line(page, medium, EE_LINE_PARAGRAPH), EE_INK_DIM,
                 "%s%zu more metrics: --format json or csv", medium == EE_MEDIUM_TERMINAL ? "  " : "", left_out);
}

/* How to compare the others with the best run; NULL where that is the first. */
static const char *best_command(const ee_many_runs *runs, ee_arena *arena) {
  size_t best = 0;
  while (best < runs->count && !is_best(runs, &runs->metrics.items[0], best)) best++;
  if (best == 0 || best == runs->count) return NULL;
  const char *command =
      ee_arena_printf(arena, "each against the best: evalengine compare %s", runs->options.names[best]);
  for (size_t i = 0; i < runs->count; i++)
    if (i != best) command = ee_arena_printf(arena, "%s %s", command, runs->options.names[i]);
  return command;
}

static void add_more(ee_page *page, size_t count, ee_medium medium) {
  if (count == 0) return;
  ee_line *line = ee_page_line(page, medium, EE_LINE_PARAGRAPH);
  if (medium == EE_MEDIUM_MARKUP)
    ee_line_addf(page, line, EE_INK_PLAIN, "%zu more.", count);
  else
    ee_line_addf(page, line, EE_INK_DIM, "  %zu more: --verbose, --format json", count);
}

static size_t shown_of(const ee_many_runs *runs, size_t count) {
  size_t shown = runs->options.each.shown;
  return shown > 0 && shown < count ? shown : count;
}

/* A run against the first, or, of all pairs, "BASE \xe2\x86\x92 NEW". */
static ee_cell pair_cell(const ee_many_runs *runs, const ee_system_pair *pair, ee_arena *arena) {
  ee_cell cell = label_cell(runs, pair->fresh, EE_INK_PLAIN);
  if (!runs->options.all_pairs) return cell;
  ee_cell *arrow = EE_NEW_ARRAY(arena, ee_cell, 2);
  ee_cell base = label_cell(runs, pair->base, EE_INK_PLAIN);
  arrow[1] = cell;
  arrow[0] = ee_cell_words(" \xe2\x86\x92 ", EE_INK_PLAIN);
  arrow[0].next = &arrow[1];
  base.next = &arrow[0];
  base.max_columns = arrow[1].max_columns = PAIR_COLUMNS;
  return base;
}

static void add_pair_notes(ee_page *page, const ee_many_runs *runs) {
  ee_arena *arena = &page->arena;
  const char *command = runs->options.all_pairs ? NULL : best_command(runs, arena);
  ee_str *notes = EE_NEW_ARRAY(arena, ee_str, 3);
  size_t count = 0, pairs = runs->ranking.pair_count;
  notes[count++] = ee_str_from(ee_arena_printf(
      arena,
      "p is corrected for %zu comparisons (Holm); a run is better or worse if it is at most %.3g; the intervals hold "
      "together: each is of %.4g %%, and may just include 0 where Holm finds a difference",
      pairs, 1 - confidence_of(runs), 100 * runs->ranking.each));
  notes[count++] =
      ee_str_from(ee_arena_printf(arena, "best in: how often a run has the highest mean score in %d samples of the %s",
                                  EE_RANKING_SAMPLES, runs->ranking.units < runs->case_count ? "clusters" : "cases"));
  if (command != NULL) notes[count++] = ee_str_from(command);
  ee_page_space(page);
  ee_page_notes(page, EE_MEDIUM_TERMINAL, notes, count);
  for (size_t i = 0; i < count; i++)
    ee_line_add(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_PARAGRAPH),
                (ee_cell){.text = notes[i], .kind = i < 2 ? EE_CELL_WORDS : EE_CELL_QUOTE});
}

static void add_pairs(ee_page *page, const ee_many_runs *runs) {
  enum { PAIR, CHANGE, RANGE, P, HOLM, WON, LOST, TIED, FIXED, BROKEN, VERDICT, COLUMNS };
  static const ee_ink inks[] = {[EE_RUNS_EQUAL] = EE_INK_PLAIN,
                                [EE_RUNS_BETTER] = EE_INK_GREEN,
                                [EE_RUNS_WORSE] = EE_INK_RED,
                                [EE_RUNS_UNDECIDED] = EE_INK_YELLOW};
  ee_arena *arena = &page->arena;
  bool all = runs->options.all_pairs;
  const char *confidence = ee_arena_printf(arena, "(%g %% together)", 100 * confidence_of(runs));
  const ee_column columns[COLUMNS] = {
      [PAIR] = {.name = all ? "pair" : "against the first", .left = true, .name_column = true},
      [CHANGE] = {.name = "change"},
      [RANGE] = {.name = confidence},
      [P] = {.name = "p", .wide_only = true},
      [HOLM] = {.name = "p (Holm)"},
      [WON] = {.name = "won"},
      [LOST] = {.name = "lost"},
      [TIED] = {.name = "tied", .wide_only = true},
      [FIXED] = {.name = "fixed", .wide_only = true, .hidden_in = all ? EE_MEDIUM_ALL : EE_MEDIUM_NONE},
      [BROKEN] = {.name = "broken", .wide_only = true, .hidden_in = all ? EE_MEDIUM_ALL : EE_MEDIUM_NONE},
      [VERDICT] = {.name = "", .left = true}};
  size_t shown = shown_of(runs, runs->ranking.pair_count);
  ee_page_space(page);
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, COLUMNS);
  for (size_t i = 0; i < shown; i++) {
    const ee_system_pair *pair = &runs->ranking.pairs[i];
    uint64_t outcomes[3];
    count_outcomes(runs, pair, outcomes);
    ee_cell *cells = ee_grid_add(grid);
    cells[PAIR] = pair_cell(runs, pair, arena);
    cells[CHANGE] = ee_cell_words(ee_change_text(arena, (ee_metric){true, pair->change}), EE_INK_BOLD);
    cells[RANGE] = ee_cell_words(ee_change_range_text(arena, pair->interval), EE_INK_PLAIN);
    cells[P] = ee_cell_words(ee_p_number(arena, pair->p), EE_INK_PLAIN);
    cells[HOLM] = ee_cell_words(ee_p_number(arena, pair->p_adjusted), EE_INK_PLAIN);
    cells[WON] = ee_cell_count_dim(arena, outcomes[EE_OUTCOME_WIN], EE_INK_GREEN);
    cells[LOST] = ee_cell_count_dim(arena, outcomes[EE_OUTCOME_LOSS], EE_INK_RED);
    cells[TIED] = ee_cell_count_dim(arena, outcomes[EE_OUTCOME_TIE], EE_INK_PLAIN);
    if (!all) {
      cells[FIXED] = ee_cell_count_dim(arena, runs->pairs[i]->fixed, EE_INK_GREEN);
      cells[BROKEN] = ee_cell_count_dim(arena, runs->pairs[i]->broken, EE_INK_RED);
    }
    cells[VERDICT] = ee_cell_words(ee_finding_text(runs->findings[i]), inks[runs->findings[i]]);
  }
  add_more(page, runs->ranking.pair_count - shown, EE_MEDIUM_TERMINAL);
  add_more(page, runs->ranking.pair_count - shown, EE_MEDIUM_MARKUP);
  add_pair_notes(page, runs);
}

/* The runs that have a column where each run has one, in their order: all, or the first and those of the highest mean
 * scores. Sets the heads from `columns[1]` on; returns how many. */
static size_t add_run_columns(const ee_many_runs *runs, ee_column *columns, size_t *chosen, ee_arena *arena) {
  enum { HEAD_COLUMNS = 16, ROOM = EE_GRID_COLUMNS - 1, NARROW = 6 };
  const ee_metric *means = runs->metrics.items[0].values;
  size_t count = 0;
  for (size_t i = 0; i < runs->count; i++) {
    size_t above = 1; /* the first run has its place */
    for (size_t k = 1; k < runs->count; k++)
      above += means[k].value > means[i].value || (k < i && means[k].value == means[i].value);
    if (i > 0 && above >= ROOM) continue;
    ee_str head = ee_text_shorten(ee_text_printable(runs->labels[i], arena), HEAD_COLUMNS, arena);
    chosen[count++] = i;
    columns[count] = (ee_column){.name = ee_arena_printf(arena, "%.*s", EE_STR_ARG(head)), .wide_only = count > NARROW};
  }
  return count;
}

static void add_more_runs(ee_page *page, const ee_many_runs *runs, size_t shown, ee_medium medium) {
  if (shown == runs->count) return;
  ee_line_addf(page, ee_page_line(page, medium, EE_LINE_PARAGRAPH), EE_INK_DIM,
               "%s%zu more runs, none with a higher mean score: --format json or csv",
               medium == EE_MEDIUM_TERMINAL ? "  " : "", runs->count - shown);
}

static bool any_wrong(const ee_many_runs *runs, const run_field *field) {
  for (size_t i = 0; i < runs->count; i++)
    if (field->f1[i].defined && field->f1[i].value < 1) return true;
  return false;
}

static void add_fields(ee_page *page, const ee_many_runs *runs, ee_medium medium) {
  if (runs->fields.count == 0) return;
  ee_arena *arena = &page->arena;
  ee_column columns[EE_GRID_COLUMNS] = {
      {.name = "F1", .markup_name = "F1 of field", .left = true, .name_column = true}};
  size_t *chosen = EE_NEW_ARRAY(arena, size_t, runs->count), count = add_run_columns(runs, columns, chosen, arena);
  size_t shown = shown_of(runs, runs->fields.count);
  ee_grid *grid = ee_page_grid(page, medium, columns, count + 1);
  for (size_t i = 0; i < shown; i++) {
    const run_field *field = &runs->fields.items[i];
    const run_metric metric = {.values = field->f1};
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = ee_cell_data(ee_str_from(field_name(runs, field, arena)), EE_INK_PLAIN);
    const ee_link_part link[] = {{"judge", field->judge}, {"field", field->name}};
    if (any_wrong(runs, field)) cells[0].link = ee_page_link(arena, link, 2);
    for (size_t k = 0; k < count; k++)
      cells[1 + k] = marked(arena, metric_cell(arena, &metric, chosen[k]), medium, is_best(runs, &metric, chosen[k]));
  }
  add_more(page, runs->fields.count - shown, medium);
  add_more_runs(page, runs, count, medium);
}

typedef struct spread_case {
  double spread;
  size_t number;
} spread_case;

static bool spreads_more(const spread_case *a, const spread_case *b) { return a->spread > b->spread; }
EE_DEFINE_SORT(sort_cases, spread_case, spreads_more)

/* The cases whose scores differ, those that differ most first; returns their number. */
static size_t rank_cases(const ee_many_runs *runs, ee_arena *arena, spread_case **ranked, size_t passed[3]) {
  *ranked = EE_NEW_ARRAY(arena, spread_case, runs->case_count + 1);
  size_t count = 0;
  memset(passed, 0, 3 * sizeof *passed);
  for (size_t i = 0; i < runs->case_count; i++) {
    double low = 1, high = 0;
    size_t passes = 0;
    for (size_t run = 0; run < runs->count; run++) {
      const ee_run_row *row = row_of(runs, run, i);
      low = fmin(low, row->score);
      high = fmax(high, row->score);
      passes += row->verdict == EE_VERDICT_PASS;
    }
    passed[passes == 0 ? 0 : passes < runs->count ? 1 : 2]++;
    if (high - low > EE_SCORE_SLACK) (*ranked)[count++] = (spread_case){high - low, i};
  }
  sort_cases(*ranked, count, arena);
  return count;
}

static void add_cases(ee_page *page, const ee_many_runs *runs) {
  static const ee_ink inks[] = {EE_INK_GREEN, EE_INK_YELLOW, EE_INK_RED};
  ee_arena *arena = &page->arena;
  spread_case *ranked;
  size_t passed[3], differing = rank_cases(runs, arena, &ranked, passed), shown = shown_of(runs, differing);
  const ee_count counts[] = {
      {"passed by all", passed[2], EE_INK_GREEN, EE_COUNT_ALWAYS, "case passes in all runs", "cases pass in all runs"},
      {"by some", passed[1], EE_INK_YELLOW, EE_COUNT_ALWAYS, "case passes in some", "cases pass in some"},
      {"by none", passed[0], EE_INK_RED, EE_COUNT_ALWAYS, "case passes in none", "cases pass in none"},
  };
  ee_page_space(page);
  ee_page_counts(page, EE_MEDIUM_ALL, "cases", counts, 3, "");
  if (differing == 0) return;
  ee_column columns[EE_GRID_COLUMNS] = {
      {.name = "score", .markup_name = "score of case", .left = true, .name_column = true}};
  size_t *chosen = EE_NEW_ARRAY(arena, size_t, runs->count), count = add_run_columns(runs, columns, chosen, arena);
  ee_line_addf(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_DETAILS), EE_INK_PLAIN,
               "%zu case%s with different scores", differing, differing == 1 ? "" : "s");
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, count + 1);
  for (size_t i = 0; i < shown; i++) {
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = ee_cell_data(row_of(runs, 0, ranked[i].number)->id, EE_INK_PLAIN);
    cells[0].link = ee_page_case_link(arena, row_of(runs, 0, ranked[i].number)->id);
    for (size_t k = 0; k < count; k++) {
      const ee_run_row *row = row_of(runs, chosen[k], ranked[i].number);
      cells[1 + k] = ee_cell_score(arena, row->score, inks[row->verdict]);
    }
  }
  add_more(page, differing - shown, EE_MEDIUM_TERMINAL);
  add_more(page, differing - shown, EE_MEDIUM_MARKUP);
  ee_page_details_end(page);
}

static void add_page_notes(ee_page *page, const ee_many_runs *runs) {
  size_t count = runs->notes.count;
  ee_str *notes = EE_NEW_ARRAY(&page->arena, ee_str, count + 1);
  for (size_t i = 0; i < count; i++) notes[i] = ee_str_from(runs->notes.items[i]);
  if (count == 0) return;
  ee_page_space(page);
  ee_page_notes(page, EE_MEDIUM_ALL, notes, count);
}

void ee_many_runs_page(const ee_many_runs *runs, ee_page *page) {
  add_head(page, runs, EE_MEDIUM_TERMINAL);
  add_head(page, runs, EE_MEDIUM_MARKUP);
  add_findings(page, runs);
  ee_comparison_add_failure(page, runs->options.each.fail_on, runs->failure);
  ee_page_section(page, EE_STR("metrics"));
  ee_page_space(page);
  add_runs(page, runs, EE_MEDIUM_TERMINAL);
  add_runs(page, runs, EE_MEDIUM_MARKUP);
  add_pairs(page, runs);
  ee_page_section(page, EE_STR("fields"));
  ee_page_space(page);
  add_fields(page, runs, EE_MEDIUM_TERMINAL);
  add_fields(page, runs, EE_MEDIUM_MARKUP);
  ee_page_section(page, EE_STR("cases"));
  add_cases(page, runs);
  ee_page_section(page, EE_STR("notes"));
  add_page_notes(page, runs);
}

/* JSON and CSV ---------------------------------------------------------------------------------- */

/* Members of the open object. */
static void json_pair(ee_json_out *json, const ee_many_runs *runs, size_t number) {
  const ee_system_pair *pair = &runs->ranking.pairs[number];
  uint64_t outcomes[3];
  count_outcomes(runs, pair, outcomes);
  ee_json_add_text(json, "finding", ee_str_from(ee_finding_text(runs->findings[number])));
  ee_json_add_number(json, "difference", pair->change);
  ee_json_add_interval(json, "difference_interval", pair->interval);
  ee_json_add_number(json, "p", pair->p);
  ee_json_add_number(json, "p_adjusted", pair->p_adjusted);
  ee_json_add_count(json, "wins", outcomes[EE_OUTCOME_WIN]);
  ee_json_add_count(json, "losses", outcomes[EE_OUTCOME_LOSS]);
  ee_json_add_count(json, "ties", outcomes[EE_OUTCOME_TIE]);
}

static void json_against(ee_json_out *json, const ee_many_runs *runs, size_t number) {
  const ee_comparison *pair = runs->pairs[number];
  ee_json_open(json, "against_first", '{');
  json_pair(json, runs, number);
  ee_json_add_count(json, "passes_gained", pair->pass_fixed);
  ee_json_add_count(json, "passes_lost", pair->pass_broken);
  ee_json_add_number(json, "mcnemar_p", pair->pass_p);
  ee_json_add_count(json, "fields_fixed", pair->fixed);
  ee_json_add_count(json, "fields_broken", pair->broken);
  ee_json_close(json, '}');
}

/* Of --pairs all. */
static void json_pairs(ee_json_out *json, const ee_many_runs *runs) {
  ee_json_open_as(json, "pairs", '[', EE_JSON_ROWS);
  for (size_t i = 0; i < runs->ranking.pair_count; i++) {
    ee_json_open(json, NULL, '{');
    ee_json_add_text(json, "base", runs->labels[runs->ranking.pairs[i].base]);
    ee_json_add_text(json, "new", runs->labels[runs->ranking.pairs[i].fresh]);
    json_pair(json, runs, i);
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
}

static void json_run(ee_json_out *json, const ee_many_runs *runs, size_t run) {
  const ee_run_rows *rows = rows_of(runs, run);
  ee_json_open(json, NULL, '{');
  ee_json_add_text(json, "name", ee_str_from(runs->options.names[run]));
  ee_json_add_text(json, "label", runs->labels[run]);
  ee_json_add_number(json, "best_share", runs->ranking.best[run]);
  ee_json_add_count(json, "rows", rows->rows.count);
  ee_json_add_count(json, "unreadable", rows->unreadable);
  ee_json_add_count(json, "duplicate_ids", rows->duplicates);
  ee_json_open(json, "metrics", '[');
  for (size_t i = 0; i < runs->metrics.count; i++) {
    const run_metric *metric = &runs->metrics.items[i];
    ee_json_open_as(json, NULL, '{', EE_JSON_LINE);
    if (metric->judge.length > 0) ee_json_add_text(json, "judge", metric->judge);
    ee_json_add_text(json, metric->is_measure ? "mean_of" : "metric", metric->name);
    ee_json_add_metric_or_null(json, "value", metric->values[run]);
    ee_json_add_interval(json, "interval", metric->ranges[run]);
    ee_json_add_bool(json, "best", is_best(runs, metric, run));
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
  if (run > 0) json_against(json, runs, run - 1);
  ee_json_close(json, '}');
}

static void json_fields(ee_json_out *json, const ee_many_runs *runs) {
  ee_json_open_as(json, "fields", '[', EE_JSON_ROWS);
  for (size_t i = 0; i < runs->fields.count; i++) {
    const run_field *field = &runs->fields.items[i];
    ee_json_open(json, NULL, '{');
    ee_json_add_text(json, "judge", field->judge);
    ee_json_add_text(json, "name", field->name);
    ee_json_open(json, "f1", '[');
    for (size_t run = 0; run < runs->count; run++) ee_json_add_metric_or_null(json, NULL, field->f1[run]);
    ee_json_close(json, ']');
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
}

static void json_cases(ee_json_out *json, const ee_many_runs *runs) {
  ee_json_open_as(json, "results", '[', EE_JSON_ROWS);
  for (size_t i = 0; i < runs->case_count; i++) {
    ee_json_open(json, NULL, '{');
    ee_json_add_text(json, "id", row_of(runs, 0, i)->id);
    ee_json_open(json, "scores", '[');
    for (size_t run = 0; run < runs->count; run++) ee_json_add_number(json, NULL, row_of(runs, run, i)->score);
    ee_json_close(json, ']');
    ee_json_open(json, "verdicts", '[');
    for (size_t run = 0; run < runs->count; run++)
      ee_json_add_text(json, NULL, ee_str_from(ee_verdict_name(row_of(runs, run, i)->verdict)));
    ee_json_close(json, ']');
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
}

void ee_many_runs_json(const ee_many_runs *runs, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_json_out json = {.out = out, .arena = &arena, .first = true};
  ee_json_open(&json, NULL, '{');
  ee_json_add_count(&json, "cases", runs->case_count);
  ee_json_add_count(&json, "not_in_all_runs", runs->left_out_count);
  if (runs->ranking.units < runs->case_count) ee_json_add_count(&json, "clusters", runs->ranking.units);
  ee_json_add_count(&json, "comparisons", runs->ranking.pair_count);
  ee_json_add_text(&json, "correction", EE_STR("Holm"));
  ee_json_add_number(&json, "confidence", confidence_of(runs));
  ee_json_add_number(&json, "confidence_of_each_difference", runs->ranking.each);
  if (runs->options.each.fail_on != EE_FAIL_ON_NOTHING) {
    ee_json_add_text(&json, "fail_on", ee_str_from(ee_fail_on_name(runs->options.each.fail_on)));
    ee_json_add_bool(&json, "failed", runs->failure != NULL);
    if (runs->failure != NULL) ee_json_add_text(&json, "failure", ee_str_from(runs->failure));
  }
  ee_json_open(&json, "runs", '[');
  for (size_t run = 0; run < runs->count; run++) json_run(&json, runs, run);
  ee_json_close(&json, ']');
  if (runs->options.all_pairs) json_pairs(&json, runs);
  json_fields(&json, runs);
  ee_json_open(&json, "notes", '[');
  for (size_t i = 0; i < runs->notes.count; i++) ee_json_add_text(&json, NULL, ee_str_from(runs->notes.items[i]));
  ee_json_close(&json, ']');
  json_cases(&json, runs);
  ee_json_close(&json, '}');
  ee_buffer_add_char(out, '\n');
  ee_arena_fini(&arena);
}

static void csv_title(ee_buffer *out, const char *title) {
  ee_buffer_add_char(out, ',');
  ee_csv_add_text(out, ee_str_from(title));
}

void ee_many_runs_csv(const ee_many_runs *runs, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer_add_text(out,
                     "run,cases,mean score,low,high,best in,change,change low,change high,p,p (Holm),won,lost,tied");
  for (size_t i = 1; i < runs->metrics.count; i++) csv_title(out, metric_title(runs, &runs->metrics.items[i], &arena));
  for (size_t i = 0; i < runs->fields.count; i++)
    csv_title(out, ee_arena_printf(&arena, "F1 of %s", field_name(runs, &runs->fields.items[i], &arena)));
  ee_buffer_add_char(out, '\n');
  for (size_t run = 0; run < runs->count; run++) {
    const run_metric *score = &runs->metrics.items[0];
    const ee_comparison *pair = run > 0 ? runs->pairs[run - 1] : NULL;
    ee_csv_add_text(out, runs->labels[run]);
    ee_buffer_addf(out, ",%zu", runs->case_count);
    ee_csv_add_metric(out, score->values[run]);
    ee_csv_add_metric(out, (ee_metric){true, score->ranges[run].low});
    ee_csv_add_metric(out, (ee_metric){true, score->ranges[run].high});
    ee_csv_add_metric(out, (ee_metric){true, runs->ranking.best[run]});
    if (pair != NULL) {
      const ee_system_pair *against = &runs->ranking.pairs[run - 1];
      ee_csv_add_metric(out, (ee_metric){true, against->change});
      ee_csv_add_metric(out, (ee_metric){true, against->interval.low});
      ee_csv_add_metric(out, (ee_metric){true, against->interval.high});
      ee_csv_add_metric(out, (ee_metric){true, against->p});
      ee_csv_add_metric(out, (ee_metric){true, against->p_adjusted});
      ee_buffer_addf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, pair->outcomes[EE_OUTCOME_WIN],
                     pair->outcomes[EE_OUTCOME_LOSS], pair->outcomes[EE_OUTCOME_TIE]);
    } else {
      ee_buffer_add_text(out, ",,,,,,,,");
    }
    for (size_t i = 1; i < runs->metrics.count; i++) ee_csv_add_metric(out, runs->metrics.items[i].values[run]);
    for (size_t i = 0; i < runs->fields.count; i++) ee_csv_add_metric(out, runs->fields.items[i].f1[run]);
    ee_buffer_add_char(out, '\n');
  }
  ee_arena_fini(&arena);
}
