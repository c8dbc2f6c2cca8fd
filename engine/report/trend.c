/* trend.c: summaries of runs as a table of metrics, its lines and sparklines, and the gate. */
#include "report/trend.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/memory.h"
#include "data/json/json_reader.h"
#include "judge/compile.h"
#include "prim/unicode.h"
#include "report/csv.h"
#include "report/json_out.h"
#include "report/measures_report.h"
#include "report/run_labels.h"

/* Differences that are rounding. */
#define SLACK 1e-9
/* Runs in a sparkline, the last ones; columns of the name of a run. */
#define SPARKS 60
#define LABEL_COLUMNS 32

typedef struct trend_run {
  const char *name; /* of its file */
  ee_str label;
  uint64_t cases, rules_hash, data_hash; /* hashes: 0: not known */
  bool other_rules, other_data;          /* than the last run */
} trend_run;

typedef struct trend_metric {
  ee_str judge, field; /* empty: of the cases, of the judge */
  ee_str name;         /* "mean_score", "f1", ...; of measures "mean", "p95", and `field` is the path */
  bool is_measure;     /* less is better */
  struct {
    EE_LIST(ee_metric);
  } values; /* by run, as far as it has been seen */
  size_t best;
  bool any; /* some run has it: the first, last and best are defined */
  ee_metric first, last, change;
} trend_metric;

/* A metric held against the earlier runs. */
typedef struct held_metric {
  const trend_metric *metric;
  ee_metric value, reference;
  size_t compared; /* earlier runs */
  size_t best;     /* the run that the reference is of; of EE_TREND_MEAN none */
  bool passed;
} held_metric;

struct ee_trend {
  ee_trend_options options;
  ee_arena arena;
  struct {
    EE_LIST(trend_run);
  } runs;
  struct {
    EE_LIST(trend_metric);
  } metrics;
  ee_hash_index index; /* of the metrics */
  held_metric *held;
  size_t held_count;
  const char *failure;
  struct {
    EE_LIST(const char *);
  } notes;
};

ee_trend *ee_trend_new(const ee_trend_options *options) {
  ee_trend *trend = ee_calloc(1, sizeof *trend);
  trend->options = *options;
  ee_arena_init(&trend->arena, 0);
  trend->index.arena = &trend->arena;
  return trend;
}

void ee_trend_free(ee_trend *trend) {
  if (trend == NULL) return;
  for (size_t i = 0; i < trend->metrics.count; i++) EE_LIST_FINI(&trend->metrics.items[i].values);
  EE_LIST_FINI(&trend->metrics);
  EE_LIST_FINI(&trend->runs);
  EE_LIST_FINI(&trend->notes);
  ee_free(trend->held);
  ee_arena_fini(&trend->arena);
  ee_free(trend);
}

/* Reading summaries ----------------------------------------------------------------------------- */

static ee_str copy(ee_trend *trend, ee_str text) {
  return (ee_str){ee_arena_copy(&trend->arena, text.data, text.length), text.length};
}

static const ee_value *member(const ee_value *value, const char *name) {
  return ee_type_of(value) == EE_OBJECT ? ee_value_member(value, ee_str_from(name), NULL) : NULL;
}

static ee_metric number(const ee_value *value) {
  if (ee_type_of(value) != EE_NUMBER || !isfinite(ee_value_number(value))) return (ee_metric){false, 0};
  return (ee_metric){true, ee_value_number(value)};
}

static ee_str text(const ee_value *value) { return ee_type_of(value) == EE_STRING ? ee_value_text(value) : EE_STR(""); }

bool ee_trend_is_summary(const ee_value *document) {
  return member(document, "mean_score") != NULL || ee_type_of(member(document, "judges")) == EE_ARRAY;
}

/* 16 hexadecimal digits; 0: not a hash. */
static uint64_t hash_of(const ee_value *value) {
  ee_str digits = text(value);
  if (digits.length != 16) return 0;
  char copied[17] = {0}, *end;
  memcpy(copied, digits.data, 16);
  uint64_t hash = strtoull(copied, &end, 16);
  return *end == '\0' ? hash : 0;
}

/* Sets a metric of the run that is being added. */
static void set(ee_trend *trend, ee_str judge, ee_str field, ee_str name, bool is_measure, ee_metric value) {
  if (!value.defined) return;
  uint64_t hash =
      ee_hash_bytes(name.data, name.length,
                    ee_hash_bytes(field.data, field.length, ee_hash_bytes(judge.data, judge.length, is_measure)));
  size_t at = 0, found, run = trend->runs.count - 1;
  trend_metric *metric = NULL;
  while (metric == NULL && ee_hash_index_next(&trend->index, hash, &at, &found)) {
    trend_metric *known = &trend->metrics.items[found];
    if (known->is_measure == is_measure && ee_str_equal(known->judge, judge) && ee_str_equal(known->field, field) &&
        ee_str_equal(known->name, name))
      metric = known;
  }
  if (metric == NULL) {
    ee_hash_index_add(&trend->index, hash, trend->metrics.count);
    metric = EE_LIST_ADD(&trend->metrics, NULL);
    *metric = (trend_metric){
        .judge = copy(trend, judge), .field = copy(trend, field), .name = copy(trend, name), .is_measure = is_measure};
  }
  while (metric->values.count <= run) *EE_LIST_ADD(&metric->values, NULL) = (ee_metric){false, 0};
  metric->values.items[run] = value;
}

static ee_metric pass_rate(const ee_value *verdicts) {
  double all = 0;
  ee_metric passed = number(member(verdicts, "pass"));
  for (const ee_value *at = ee_type_of(verdicts) == EE_OBJECT ? ee_value_child(verdicts) : NULL; at != NULL;
       at = ee_value_next(at))
    all += number(at).value;
  return (ee_metric){passed.defined && all > 0, all > 0 ? passed.value / all : 0};
}

static void add_judge(ee_trend *trend, const ee_value *judge) {
  ee_str name = text(member(judge, "name")), none = EE_STR("");
  set(trend, name, none, EE_STR("micro_f1"), false, number(member(member(judge, "micro"), "f1")));
  set(trend, name, none, EE_STR("macro_f1"), false, number(member(member(judge, "macro"), "f1")));
  const ee_value *fields = member(judge, "fields");
  if (ee_type_of(fields) != EE_ARRAY) return;
  for (const ee_value *field = ee_value_child(fields); field != NULL; field = ee_value_next(field))
    set(trend, name, text(member(field, "name")), EE_STR("f1"), false, number(member(field, "f1")));
}

void ee_trend_add(ee_trend *trend, const char *name, const ee_value *summary) {
  ee_str none = EE_STR("");
  ee_metric cases = number(member(summary, "cases"));
  if (!cases.defined) cases = number(member(summary, "rows"));
  *EE_LIST_ADD(&trend->runs, NULL) =
      (trend_run){.name = ee_arena_printf(&trend->arena, "%s", name),
                  .cases = cases.value > 0 && cases.value < 0x1p53 ? (uint64_t)cases.value : 0,
                  .rules_hash = hash_of(member(member(summary, "rules"), "hash")),
                  .data_hash = hash_of(member(summary, "data_hash"))};
  set(trend, none, none, EE_STR("mean_score"), false, number(member(summary, "mean_score")));
  set(trend, none, none, EE_STR("pass_rate"), false, pass_rate(member(summary, "verdicts")));
  const ee_value *judges = member(summary, "judges"), *measures = member(summary, "measures");
  if (ee_type_of(judges) == EE_ARRAY)
    for (const ee_value *judge = ee_value_child(judges); judge != NULL; judge = ee_value_next(judge))
      add_judge(trend, judge);
  if (ee_type_of(measures) != EE_ARRAY) return;
  for (const ee_value *measure = ee_value_child(measures); measure != NULL; measure = ee_value_next(measure)) {
    ee_str path = text(member(measure, "path"));
    set(trend, none, path, EE_STR("mean"), true, number(member(measure, "mean")));
    set(trend, none, path, EE_STR("p95"), true, number(member(measure, "p95")));
  }
}

void ee_trend_add_rows(ee_trend *trend, const char *name, const ee_merged_results *results, uint64_t rules_hash,
                       uint64_t data_hash) {
  ee_buffer json;
  ee_arena arena;
  ee_error error;
  ee_buffer_init(&json);
  ee_arena_init(&arena, 0);
  ee_merged_json(results, &json);
  ee_trend_add(trend, name, ee_json_read(&arena, (ee_str){json.data, json.length}, NULL, &error));
  trend->runs.items[trend->runs.count - 1].rules_hash = rules_hash;
  trend->runs.items[trend->runs.count - 1].data_hash = data_hash;
  ee_arena_fini(&arena);
  ee_buffer_fini(&json);
}

/* Labels and marks ------------------------------------------------------------------------------ */

static void label_runs(ee_trend *trend) {
  const char **names = EE_NEW_ARRAY(&trend->arena, const char *, trend->runs.count);
  for (size_t i = 0; i < trend->runs.count; i++) names[i] = trend->runs.items[i].name;
  const ee_str *labels = ee_run_labels(names, trend->runs.count, &trend->arena);
  for (size_t i = 0; i < trend->runs.count; i++) trend->runs.items[i].label = labels[i];
}

static void mark_runs(ee_trend *trend) {
  const trend_run *last = &trend->runs.items[trend->runs.count - 1];
  size_t rules = 0, data = 0;
  for (size_t i = 0; i + 1 < trend->runs.count; i++) {
    trend_run *run = &trend->runs.items[i];
    run->other_rules = run->rules_hash != 0 && last->rules_hash != 0 && run->rules_hash != last->rules_hash;
    run->other_data = run->data_hash != 0 && last->data_hash != 0 && run->data_hash != last->data_hash;
    rules += run->other_rules;
    data += run->other_data;
  }
  const char *what[] = {"rules", "data"};
  const size_t counts[] = {rules, data};
  for (size_t i = 0; i < 2; i++)
    if (counts[i] > 0)
      *EE_LIST_ADD(&trend->notes, NULL) =
          ee_arena_printf(&trend->arena, "%zu run%s of other %s than the last one: the %s may explain the change",
                          counts[i], counts[i] == 1 ? " is" : "s are", what[i], what[i]);
}

/* Metrics --------------------------------------------------------------------------------------- */

static bool is_better(const trend_metric *metric, double a, double b) { return metric->is_measure ? a < b : a > b; }

static void summarize(ee_trend *trend, trend_metric *metric) {
  while (metric->values.count < trend->runs.count) *EE_LIST_ADD(&metric->values, NULL) = (ee_metric){false, 0};
  const ee_metric *values = metric->values.items;
  for (size_t i = 0; i < trend->runs.count; i++) {
    if (!values[i].defined) continue;
    if (!metric->any) metric->first = values[i];
    if (!metric->any || is_better(metric, values[i].value, values[metric->best].value)) metric->best = i;
    metric->any = true;
  }
  metric->last = values[trend->runs.count - 1];
  metric->change = (ee_metric){metric->last.defined, metric->last.value - metric->first.value};
}

/* "header:total:f1", as --fail-under has it; of a measure "latency_ms p95". */
static const char *spec_of(const trend_metric *metric, ee_arena *arena) {
  if (metric->is_measure)
    return ee_arena_printf(arena, "%.*s %.*s", EE_STR_ARG(metric->field), EE_STR_ARG(metric->name));
  const char *judge = metric->judge.length > 0 ? ee_arena_printf(arena, "%.*s:", EE_STR_ARG(metric->judge)) : "";
  const char *field = metric->field.length > 0 ? ee_arena_printf(arena, "%.*s:", EE_STR_ARG(metric->field)) : "";
  return ee_arena_printf(arena, "%s%s%.*s", judge, field, EE_STR_ARG(metric->name));
}

/* The gate -------------------------------------------------------------------------------------- */

static const char *const gate_names[] = {
    [EE_TREND_NO_GATE] = "", [EE_TREND_BEST] = "best", [EE_TREND_MEAN] = "mean", [EE_TREND_LAST] = "last"};

static const trend_metric *find_metric(const ee_trend *trend, const char *spec, ee_arena *arena) {
  for (size_t i = 0; i < trend->metrics.count; i++)
    if (strcmp(spec_of(&trend->metrics.items[i], arena), spec) == 0) return &trend->metrics.items[i];
  return NULL;
}

static ee_status unknown_metric(ee_trend *trend, const char *spec, ee_error *error) {
  const char **words = EE_NEW_ARRAY(&trend->arena, const char *, trend->metrics.count + 1);
  for (size_t i = 0; i < trend->metrics.count; i++) words[i] = spec_of(&trend->metrics.items[i], &trend->arena);
  return ee_error_set(error, EE_ERROR_USAGE, "no run has the metric '%s'%s", spec,
                      ee_suggestion(&trend->arena, ee_str_from(spec), words));
}

static void hold(const ee_trend *trend, held_metric *held) {
  const trend_metric *metric = held->metric;
  size_t last = trend->runs.count - 1;
  double sum = 0;
  held->value = metric->values.items[last];
  for (size_t i = 0; i < last; i++) {
    const trend_run *run = &trend->runs.items[i];
    ee_metric value = metric->values.items[i];
    if (!value.defined || (!trend->options.force && (run->other_rules || run->other_data))) continue;
    sum += value.value;
    bool better = held->compared == 0 || is_better(metric, value.value, held->reference.value);
    held->compared++;
    if (trend->options.fail_below == EE_TREND_BEST && !better) continue;
    held->reference = value;
    held->best = i;
  }
  if (trend->options.fail_below == EE_TREND_MEAN && held->compared > 0)
    held->reference = (ee_metric){true, sum / (double)held->compared};
  /* Costs and times have any size, so their margin is a share. */
  double reference = held->reference.value, margin = trend->options.margin;
  double by = metric->is_measure ? held->value.value - reference : reference - held->value.value;
  double slack = SLACK * fmax(1, fabs(reference));
  if (metric->is_measure) margin *= fabs(reference);
  held->passed = held->compared > 0 && held->value.defined && by <= margin + slack;
}

static const char *value_text(const trend_metric *metric, ee_arena *arena, ee_metric value) {
  return metric->is_measure ? ee_measure_text(arena, value) : ee_cell_metric(arena, value, EE_INK_PLAIN).text.data;
}

/* "mean_score 0.833 is below the best of the 3 earlier runs, 0.917 of 'a' (margin 0.01)" */
static const char *held_text(const ee_trend *trend, const held_metric *held, ee_arena *arena) {
  const char *spec = spec_of(held->metric, arena);
  if (held->compared == 0)
    return ee_arena_printf(arena, "%s: no earlier run of the same rules and data%s", spec,
                           trend->options.force ? "" : " (--force compares with any)");
  if (!held->value.defined) return ee_arena_printf(arena, "%s is undefined in the last run", spec);
  const char *of = "", *margin = "";
  if (trend->options.fail_below != EE_TREND_MEAN)
    of = ee_arena_printf(arena, " of '%.*s'", (int)ee_utf8_cut(trend->runs.items[held->best].label, 60),
                         trend->runs.items[held->best].label.data);
  if (trend->options.margin > 0) margin = ee_arena_printf(arena, " (allowing a margin of %g)", trend->options.margin);
  const char *word = !held->passed ? "is worse than" : "is not worse than";
  const char *which = gate_names[trend->options.fail_below];
  return ee_arena_printf(arena, "%s %s %s the %s of %zu earlier run%s, %s%s%s", spec,
                         value_text(held->metric, arena, held->value), word, which, held->compared,
                         held->compared == 1 ? "" : "s", value_text(held->metric, arena, held->reference), of, margin);
}

static ee_status hold_all(ee_trend *trend, ee_error *error) {
  static const char *const usual[] = {"mean_score"};
  const char *const *specs = trend->options.metric_count > 0 ? trend->options.metrics : usual;
  trend->held_count = trend->options.metric_count > 0 ? trend->options.metric_count : 1;
  trend->held = ee_calloc(trend->held_count, sizeof *trend->held);
  size_t failed = 0;
  for (size_t i = 0; i < trend->held_count; i++) {
    trend->held[i].metric = find_metric(trend, specs[i], &trend->arena);
    if (trend->held[i].metric == NULL) return unknown_metric(trend, specs[i], error);
    hold(trend, &trend->held[i]);
    if (trend->held[i].passed) continue;
    if (failed++ == 0) trend->failure = held_text(trend, &trend->held[i], &trend->arena);
  }
  if (failed > 1) trend->failure = ee_arena_printf(&trend->arena, "%s; and %zu more", trend->failure, failed - 1);
  return EE_OK;
}

/* Of the cases, of the judges as the first run that has them lists them, of measures; nothing else is reordered. */
static void order_metrics(ee_trend *trend) {
  size_t count = trend->metrics.count, at = 0;
  trend_metric *ordered = EE_NEW_ARRAY(&trend->arena, trend_metric, count);
  bool *taken = EE_NEW_ARRAY(&trend->arena, bool, count);
  for (int measures = 0; measures < 2; measures++) {
    for (size_t i = 0; i < count; i++) {
      const trend_metric *first = &trend->metrics.items[i];
      for (size_t k = i; k < count && !taken[i] && first->is_measure == (measures == 1); k++) {
        const trend_metric *metric = &trend->metrics.items[k];
        if (taken[k] || metric->is_measure != first->is_measure || !ee_str_equal(metric->judge, first->judge)) continue;
        ordered[at++] = *metric;
        taken[k] = k > i;
      }
      taken[i] = taken[i] || first->is_measure == (measures == 1);
    }
  }
  if (count > 0) memcpy(trend->metrics.items, ordered, count * sizeof *ordered);
}

ee_status ee_trend_finish(ee_trend *trend, ee_error *error) {
  if (trend->runs.count == 0) return ee_error_set(error, EE_ERROR_DATA, "no runs");
  label_runs(trend);
  mark_runs(trend);
  order_metrics(trend);
  for (size_t i = 0; i < trend->metrics.count; i++) summarize(trend, &trend->metrics.items[i]);
  return trend->options.fail_below == EE_TREND_NO_GATE ? EE_OK : hold_all(trend, error);
}

bool ee_trend_fails(const ee_trend *trend, const char **reason) {
  *reason = trend->failure;
  return trend->failure != NULL;
}

const char *ee_trend_note(const ee_trend *trend, size_t at) {
  return at < trend->notes.count ? trend->notes.items[at] : NULL;
}

/* The page -------------------------------------------------------------------------------------- */

/* Eight heights from the lowest to the highest value; a metric that did not move is at half height, and a run without
 * the metric a gap. */
static const char *sparkline(const ee_trend *trend, const trend_metric *metric, ee_arena *arena) {
  static const char *const blocks[] = {"\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
                                       "\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88"};
  static const char *const plain[] = {"_", ".", "-", "=", "+", "*", "%", "#"};
  size_t count = trend->runs.count, first = count > SPARKS ? count - SPARKS : 0;
  double low = INFINITY, high = -INFINITY;
  for (size_t i = first; i < count; i++) {
    if (!metric->values.items[i].defined) continue;
    low = fmin(low, metric->values.items[i].value);
    high = fmax(high, metric->values.items[i].value);
  }
  bool flat = !(high - low > SLACK * fmax(1, fabs(high)));
  const char *line = "";
  for (size_t i = first; i < count; i++) {
    ee_metric value = metric->values.items[i];
    double share = flat || !value.defined ? 0.45 : (value.value / 2 - low / 2) / (high / 2 - low / 2);
    size_t height = share < 1 ? (size_t)(share * 8) : 7;
    const char *mark = !value.defined ? " " : trend->options.ascii ? plain[height] : blocks[height];
    line = ee_arena_printf(arena, "%s%s", line, mark);
  }
  return line;
}

static ee_cell label_cell(const trend_run *run) {
  ee_cell cell = ee_cell_data(run->label, EE_INK_PLAIN);
  cell.max_columns = LABEL_COLUMNS;
  return cell;
}

static const char *change_text(const trend_metric *metric, ee_arena *arena) {
  ee_metric change = metric->change;
  if (!change.defined) return "-";
  if (metric->is_measure) return ee_measure_change_text(arena, change);
  if (fabs(change.value) <= SLACK) return "0.000";
  const char *size = ee_cell_metric(arena, (ee_metric){true, fabs(change.value)}, EE_INK_PLAIN).text.data;
  return ee_arena_printf(arena, "%c%s", change.value < 0 ? '-' : '+', size);
}

static ee_ink change_ink(const trend_metric *metric) {
  double change = metric->change.value;
  if (!metric->change.defined || fabs(change) <= SLACK) return EE_INK_DIM;
  return (change > 0) == metric->is_measure ? EE_INK_RED : EE_INK_GREEN;
}

/* "header: total F1" */
static ee_cell title_cell(const trend_metric *metric, ee_arena *arena) {
  static const struct {
    const char *name, *title;
  } titles[] = {{"mean_score", "mean score"},
                {"pass_rate", "pass rate"},
                {"micro_f1", "micro F1"},
                {"macro_f1", "macro F1"},
                {"f1", "F1"},
                {"mean", "mean"},
                {"p95", "p95"}};
  const char *title = "";
  for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
    if (ee_str_is(metric->name, titles[i].name)) title = titles[i].title;
  if (metric->is_measure)
    return (ee_cell){.text = ee_str_from(ee_arena_printf(arena, "%.*s %s", EE_STR_ARG(metric->field), title)),
                     .kind = EE_CELL_QUOTE};
  if (metric->judge.length == 0 && metric->field.length == 0) return ee_cell_words(title, EE_INK_BOLD);
  const char *name = ee_arena_printf(arena, "%.*s: %.*s%s%s", EE_STR_ARG(metric->judge), EE_STR_ARG(metric->field),
                                     metric->field.length > 0 ? " " : "", title);
  return (ee_cell){.text = ee_str_from(name), .kind = EE_CELL_QUOTE};
}

static void add_metrics(ee_page *page, const ee_trend *trend) {
  static const ee_column columns[] = {{.name = "", .markup_name = "metric", .left = true, .name_column = true},
                                      {.name = "trend", .left = true},
                                      {.name = "first"},
                                      {.name = "last"},
                                      {.name = "change"},
                                      {.name = "best"},
                                      {.name = "of", .left = true}};
  ee_arena *arena = &page->arena;
  size_t shown = trend->options.shown > 0 && trend->options.shown < trend->metrics.count ? trend->options.shown
                                                                                         : trend->metrics.count;
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, sizeof columns / sizeof *columns);
  for (size_t i = 0; i < shown; i++) {
    const trend_metric *metric = &trend->metrics.items[i];
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = title_cell(metric, arena);
    cells[1] = ee_cell_words(sparkline(trend, metric, arena), EE_INK_PLAIN);
    cells[2] = ee_cell_words(value_text(metric, arena, metric->first), EE_INK_PLAIN);
    cells[3] = ee_cell_words(value_text(metric, arena, metric->last), EE_INK_BOLD);
    cells[4] = ee_cell_words(change_text(metric, arena), change_ink(metric));
    cells[5] = ee_cell_words(value_text(metric, arena, metric->values.items[metric->best]), EE_INK_PLAIN);
    cells[6] = label_cell(&trend->runs.items[metric->best]);
  }
  if (shown < trend->metrics.count)
    ee_line_addf(page, ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_PARAGRAPH), EE_INK_DIM,
                 "  %zu more: --verbose, --format json", trend->metrics.count - shown);
}

static void add_runs(ee_page *page, const ee_trend *trend) {
  static const ee_column columns[] = {{.name = "run", .left = true, .name_column = true},
                                      {.name = "cases"},
                                      {.name = "mean score"},
                                      {.name = "", .left = true}};
  ee_arena *arena = &page->arena;
  const trend_metric *score = find_metric(trend, "mean_score", arena);
  ee_page_space(page);
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, sizeof columns / sizeof *columns);
  for (size_t i = 0; i < trend->runs.count; i++) {
    const trend_run *run = &trend->runs.items[i];
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = label_cell(run);
    cells[1] = ee_cell_count(arena, run->cases, EE_INK_PLAIN);
    if (score != NULL) cells[2] = ee_cell_metric(arena, score->values.items[i], EE_INK_PLAIN);
    cells[3] = ee_cell_words(run->other_rules && run->other_data ? "other rules and data"
                             : run->other_rules                  ? "other rules"
                             : run->other_data                   ? "other data"
                                                                 : "",
                             EE_INK_YELLOW);
  }
  ee_str *notes = EE_NEW_ARRAY(arena, ee_str, trend->notes.count + 1);
  for (size_t i = 0; i < trend->notes.count; i++) notes[i] = ee_str_from(trend->notes.items[i]);
  if (trend->notes.count == 0) return;
  ee_page_space(page);
  ee_page_notes(page, EE_MEDIUM_ALL, notes, trend->notes.count);
}

static void add_gates(ee_page *page, const ee_trend *trend) {
  if (trend->held_count == 0) return;
  ee_gate_block *gates = ee_page_gates(page, EE_MEDIUM_ALL, true);
  for (size_t i = 0; i < trend->held_count; i++) {
    const held_metric *held = &trend->held[i];
    bool decided = held->compared > 0 && held->value.defined;
    ee_gates_add(page, gates,
                 held->passed ? EE_GATE_PASSED
                 : decided    ? EE_GATE_FAILED
                              : EE_GATE_UNDECIDED,
                 ee_str_from(held_text(trend, held, &page->arena)));
  }
}

void ee_trend_page(const ee_trend *trend, ee_page *page) {
  const trend_run *first = &trend->runs.items[0], *last = &trend->runs.items[trend->runs.count - 1];
  ee_line *line = ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_TITLE);
  ee_line_addf(page, line, EE_INK_PLAIN, "%zu run%s, ", trend->runs.count, trend->runs.count == 1 ? "" : "s");
  ee_line_add(page, line, label_cell(first));
  ee_line_add(page, line, ee_cell_words(" \xe2\x86\x92 ", EE_INK_PLAIN));
  ee_line_add(page, line, label_cell(last));
  ee_page_section(page, EE_STR("metrics"));
  ee_page_space(page);
  add_metrics(page, trend);
  ee_page_section(page, EE_STR("runs"));
  add_runs(page, trend);
  ee_page_section(page, EE_STR("gates"));
  add_gates(page, trend);
}

/* JSON and CSV ---------------------------------------------------------------------------------- */

static void json_number(ee_json_out *json, const char *key, ee_metric metric) {
  ee_json_add_number(json, key, metric.defined ? metric.value : NAN);
}

static void json_names(ee_json_out *json, const trend_metric *metric) {
  if (metric->judge.length > 0) ee_json_add_text(json, "judge", metric->judge);
  if (metric->field.length > 0) ee_json_add_text(json, metric->is_measure ? "measure" : "field", metric->field);
  ee_json_add_text(json, "metric", metric->name);
}

void ee_trend_json(const ee_trend *trend, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_json_out json = {.out = out, .arena = &arena, .first = true};
  ee_json_open(&json, NULL, '{');
  ee_json_open_as(&json, "runs", '[', EE_JSON_ROWS);
  for (size_t i = 0; i < trend->runs.count; i++) {
    const trend_run *run = &trend->runs.items[i];
    ee_json_open(&json, NULL, '{');
    ee_json_add_text(&json, "name", ee_str_from(run->name));
    ee_json_add_text(&json, "label", run->label);
    ee_json_add_count(&json, "cases", run->cases);
    if (run->rules_hash != 0) ee_json_add_hash(&json, "rules_hash", run->rules_hash);
    if (run->data_hash != 0) ee_json_add_hash(&json, "data_hash", run->data_hash);
    ee_json_add_bool(&json, "other_rules", run->other_rules);
    ee_json_add_bool(&json, "other_data", run->other_data);
    ee_json_close(&json, '}');
  }
  ee_json_close(&json, ']');
  ee_json_open_as(&json, "metrics", '[', EE_JSON_ROWS);
  for (size_t i = 0; i < trend->metrics.count; i++) {
    const trend_metric *metric = &trend->metrics.items[i];
    ee_json_open(&json, NULL, '{');
    json_names(&json, metric);
    ee_json_open(&json, "values", '[');
    for (size_t k = 0; k < trend->runs.count; k++) json_number(&json, NULL, metric->values.items[k]);
    ee_json_close(&json, ']');
    json_number(&json, "first", metric->first);
    json_number(&json, "last", metric->last);
    json_number(&json, "change", metric->change);
    json_number(&json, "best", metric->values.items[metric->best]);
    ee_json_add_text(&json, "best_run", trend->runs.items[metric->best].label);
    ee_json_close(&json, '}');
  }
  ee_json_close(&json, ']');
  ee_json_open(&json, "gates", '[');
  for (size_t i = 0; i < trend->held_count; i++) {
    const held_metric *held = &trend->held[i];
    ee_json_open(&json, NULL, '{');
    json_names(&json, held->metric);
    ee_json_add_text(&json, "fail_below", ee_str_from(gate_names[trend->options.fail_below]));
    ee_json_add_number(&json, "margin", trend->options.margin);
    ee_json_add_count(&json, "earlier_runs", held->compared);
    json_number(&json, "reference", held->reference);
    json_number(&json, "value", held->value);
    ee_json_add_bool(&json, "passed", held->passed);
    ee_json_close(&json, '}');
  }
  ee_json_close(&json, ']');
  ee_json_open(&json, "notes", '[');
  for (size_t i = 0; i < trend->notes.count; i++) ee_json_add_text(&json, NULL, ee_str_from(trend->notes.items[i]));
  ee_json_close(&json, ']');
  ee_json_close(&json, '}');
  ee_buffer_add_char(out, '\n');
  ee_arena_fini(&arena);
}

static void csv_hash(ee_buffer *out, uint64_t hash) {
  ee_buffer_add_char(out, ',');
  if (hash != 0) ee_buffer_addf(out, "%016" PRIx64, hash);
}

void ee_trend_csv(const ee_trend *trend, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer_add_text(out, "run,cases,rules_hash,data_hash");
  for (size_t i = 0; i < trend->metrics.count; i++) {
    ee_buffer_add_char(out, ',');
    ee_csv_add_text(out, ee_str_from(spec_of(&trend->metrics.items[i], &arena)));
  }
  ee_buffer_add_char(out, '\n');
  for (size_t i = 0; i < trend->runs.count; i++) {
    const trend_run *run = &trend->runs.items[i];
    ee_csv_add_text(out, run->label);
    ee_buffer_addf(out, ",%" PRIu64, run->cases);
    csv_hash(out, run->rules_hash);
    csv_hash(out, run->data_hash);
    for (size_t k = 0; k < trend->metrics.count; k++) ee_csv_add_metric(out, trend->metrics.items[k].values.items[i]);
    ee_buffer_add_char(out, '\n');
  }
  ee_arena_fini(&arena);
}
