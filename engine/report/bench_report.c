/* bench_report.c: a run of the bench as a page and as JSON. On the page the rates come first, then where they come
 * from; at a terminal rounded, in markup exactly. */
#include "report/bench_report.h"

#include <inttypes.h>
#include <string.h>

#include "data/json/json_writer.h"
#include "prim/number.h"
#include "prim/unicode.h"
#include "report/json_out.h"

/* Words ----------------------------------------------------------------------------------------- */

/* Failures, drifting cases and changes that are listed one by one; the rest is counted. */
#define MAX_LISTED 20
/* Trials whose metrics are shown one by one. */
#define MAX_TRIALS 10
/* Columns of a text of the data. */
#define QUOTE_COLUMNS 60
#define CASE_COLUMNS 60
#define REASON_COLUMNS 160

static const char *shown(ee_str text, size_t columns, ee_arena *arena) {
  if (text.length == 0) return "";
  ee_str printable = ee_text_shorten(ee_text_printable(text, arena), columns, arena);
  return ee_arena_copy(arena, printable.data, printable.length);
}

ee_str ee_bench_failure_line(const ee_bench_failure *failure, ee_arena *arena) {
  const char *quote = "", *place = "", *actual = "";
  if (failure->quote.data != NULL) quote = ee_arena_printf(arena, " '%s'", shown(failure->quote, QUOTE_COLUMNS, arena));
  if (failure->has_offsets) place = ee_arena_printf(arena, " at %" PRId64 "..%" PRId64, failure->start, failure->end);
  if (failure->has_actual)
    actual = ee_arena_printf(arena, ": the document says '%s'", shown(failure->actual, QUOTE_COLUMNS, arena));
  else if (failure->actual.length > 0)
    actual = ee_arena_printf(arena, ": %s", shown(failure->actual, REASON_COLUMNS, arena));
  return ee_str_from(ee_arena_printf(arena, "%s trial %zu: %s%s%s%s", shown(failure->case_id, CASE_COLUMNS, arena),
                                     failure->trial, shown(failure->code, QUOTE_COLUMNS, arena), quote, place, actual));
}

static const char *exact_number(double value, ee_arena *arena) {
  ee_buffer text;
  ee_buffer_init(&text);
  ee_json_write_number(&text, value);
  const char *copy = ee_arena_copy(arena, text.data, text.length);
  ee_buffer_fini(&text);
  return copy;
}

/* "quoteInvariantRate 0.75 < 1", "precision is undefined in this run (must be at least 0.5)" */
static ee_str gate_text(const ee_gate_result *result, ee_arena *arena) {
  ee_str name = result->gate->own_metric;
  const char *min = exact_number(result->gate->min, arena);
  const char *line =
      result->defined
          ? ee_arena_printf(arena, "%.*s %s %s %s", EE_STR_ARG(name), exact_number(result->value, arena),
                            result->passed ? ">=" : "<", min)
          : ee_arena_printf(arena, "%.*s is undefined in this run (must be at least %s)", EE_STR_ARG(name), min);
  return ee_str_from(line);
}

static ee_str text_of(const ee_value *object, const char *name) {
  const ee_value *value = ee_value_member(object, ee_str_from(name), NULL);
  return ee_type_of(value) == EE_STRING ? ee_value_text(value) : EE_STR("");
}

/* "variance, 5 trials, answers recorded", "deterministic, 1 trial, answers of openai 'm'" */
static ee_str head_text(const ee_value *run, ee_arena *arena) {
  const ee_value *provider = ee_value_member(run, EE_STR("provider"), arena);
  const ee_value *trials = ee_value_member(run, EE_STR("trials"), arena);
  double count = ee_type_of(trials) == EE_NUMBER ? ee_value_number(trials) : 0;
  const char *mode = shown(text_of(run, "mode"), QUOTE_COLUMNS, arena);
  const char *kind = shown(text_of(provider, "kind"), QUOTE_COLUMNS, arena), *model = "";
  if (text_of(provider, "model").length > 0)
    model = ee_arena_printf(arena, " '%s'", shown(text_of(provider, "model"), QUOTE_COLUMNS, arena));
  bool recorded = strcmp(kind, "recorded") == 0;
  return ee_str_from(ee_arena_printf(arena, "%s, %.0f trial%s, answers %s%s%s", mode, count, count == 1 ? "" : "s",
                                     recorded ? "" : "of ", kind, model));
}

/* "2 answers with too many gold spans to search: the counts of overlapping and partial may be too low" */
static const char *approximate_text(const ee_bench_metrics *metrics, ee_arena *arena) {
  return ee_arena_printf(
      arena,
      "%" PRIu64 " answer%s with too many gold spans to search: the counts of overlapping and partial may be too low",
      metrics->approximate, metrics->approximate == 1 ? "" : "s");
}

/* A mean or a variance for people, six digits at most. */
static const char *short_number(double value, ee_arena *arena) {
  char text[32];
  return ee_arena_copy(arena, text, ee_double_format_short(value, 6, text));
}

static ee_metric metric_of(const ee_bench_metrics *metrics, const char *name) {
  ee_metric value = {0};
  ee_bench_metric_find(metrics, ee_str_from(name), &value);
  return value;
}

/* Of a rate, "3 of 4"; empty for a mean. */
static const char *share_text(const ee_bench_metrics *metrics, const char *name, ee_arena *arena) {
  uint64_t part, whole = metrics->extractions;
  if (strcmp(name, "schemaValidRate") == 0)
    part = metrics->schema_valid;
  else if (strcmp(name, "quoteInvariantRate") == 0)
    part = metrics->quote_valid;
  else if (strcmp(name, "successRate") == 0)
    part = metrics->successes, whole = (uint64_t)metrics->cases * metrics->trials;
  else
    return "";
  return ee_arena_printf(arena, "%" PRIu64 " of %" PRIu64, part, whole);
}

static ee_cell quote(ee_str text) { return (ee_cell){.text = text, .kind = EE_CELL_QUOTE}; }

/* On a terminal --------------------------------------------------------------------------------- */

static ee_line *terminal_line(ee_page *page) { return ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH); }

static void add_heading(ee_page *page, const char *text) {
  ee_page_space(page);
  ee_line_add(page, terminal_line(page), ee_cell_words(text, EE_INK_BOLD));
}

/* "40 more": what is not listed. */
static void add_rest(ee_page *page, size_t count, const char *how) {
  if (count > MAX_LISTED) ee_line_addf(page, terminal_line(page), EE_INK_DIM, "  %zu more%s", count - MAX_LISTED, how);
}

static size_t listed(size_t count) { return count < MAX_LISTED ? count : MAX_LISTED; }

static void add_rates(ee_page *page, const ee_bench_metrics *metrics) {
  static const char *const names[] = {"quoteInvariantRate", "schemaValidRate", "successRate",
                                      "uniqueExtractionStability"};
  static const ee_column columns[] = {{.left = true, .name_column = true}, {0}, {0}};
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_TERMINAL, columns, 3);
  grid->no_head = true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    ee_metric value = metric_of(metrics, names[i]);
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = ee_cell_words(names[i], EE_INK_PLAIN);
    cells[1] = ee_cell_metric(&page->arena, value, value.value < 1 ? EE_INK_RED : EE_INK_GREEN);
    cells[2] = ee_cell_words(share_text(metrics, names[i], &page->arena), EE_INK_PLAIN);
  }
}

static void add_gold(ee_page *page, const ee_bench_metrics *metrics) {
  static const ee_column columns[] = {{.name = "gold spans", .left = true, .name_column = true},
                                      {.name = "found"},
                                      {.name = "of"},
                                      {.name = "recall"},
                                      {.name = "precision"}};
  if (metrics->gold == 0 && !metrics->shares[EE_XM_PRECISION].defined) return;
  const struct {
    const char *name;
    uint64_t found;
    ee_metric recall, precision;
  } rows[] = {
      {"exact", metrics->exact, metrics->shares[EE_XM_COVERAGE_RATE], metrics->shares[EE_XM_PRECISION]},
      {"partial", metrics->partial, metrics->shares[EE_XM_RECALL_PARTIAL], metrics->shares[EE_XM_PRECISION_PARTIAL]},
      {"overlapping", metrics->overlapping, metrics->shares[EE_XM_RECALL_OVERLAPPING],
       metrics->shares[EE_XM_PRECISION_OVERLAPPING]}};
  ee_arena *arena = &page->arena;
  ee_page_space(page);
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_TERMINAL, columns, 5);
  for (size_t i = 0; i < 3; i++) {
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = ee_cell_words(rows[i].name, EE_INK_PLAIN);
    cells[1] = ee_cell_count(arena, rows[i].found, EE_INK_PLAIN);
    cells[2] = ee_cell_count(arena, metrics->gold, EE_INK_PLAIN);
    cells[3] = ee_cell_metric(arena, rows[i].recall, EE_INK_PLAIN);
    cells[4] = ee_cell_metric(arena, rows[i].precision, EE_INK_PLAIN);
  }
  if (metrics->approximate == 0) return;
  ee_line *line = terminal_line(page);
  ee_line_add(page, line, ee_cell_words("  ", EE_INK_PLAIN));
  ee_line_add(page, line, ee_cell_words(approximate_text(metrics, arena), EE_INK_YELLOW));
}

/* Counts and similarities of pairs, a column a trial. */
static void add_pairs(ee_page *page, const ee_bench_metrics *metrics) {
  static const ee_column columns[MAX_TRIALS + 1] = {{.left = true, .name_column = true}};
  ee_arena *arena = &page->arena;
  size_t trials = metrics->trials;
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_TERMINAL, columns, trials + 1);
  grid->no_head = true;
  ee_cell *cells = ee_grid_add(grid);
  cells[0] = ee_cell_words("trial", EE_INK_DIM);
  for (size_t t = 0; t < trials; t++) cells[t + 1] = ee_cell_count(arena, t + 1, EE_INK_DIM);
  cells = ee_grid_add(grid);
  cells[0] = ee_cell_words("extractions", EE_INK_PLAIN);
  for (size_t t = 0; t < trials; t++) cells[t + 1] = ee_cell_count(arena, metrics->counts[t], EE_INK_PLAIN);
  for (size_t a = 1; a < trials; a++) {
    cells = ee_grid_add(grid);
    cells[0] = ee_cell_words(ee_arena_printf(arena, "Jaccard with trial %zu", a), EE_INK_PLAIN);
    for (size_t b = a; b < trials; b++) {
      double similarity = metrics->pairwise[(a - 1) * trials + b];
      cells[b + 1] = ee_cell_score(arena, similarity, similarity < 1 ? EE_INK_YELLOW : EE_INK_PLAIN);
    }
  }
}

static void add_trials(ee_page *page, const ee_bench_metrics *metrics) {
  if (metrics->trials < 2) return;
  add_heading(page, "trials");
  ee_line_addf(page, terminal_line(page), EE_INK_PLAIN,
               "  extractions a run: min %" PRIu64 "  max %" PRIu64 "  mean %s  variance %s", metrics->count_min,
               metrics->count_max, short_number(metrics->count_mean, &page->arena),
               short_number(metrics->count_variance, &page->arena));
  if (metrics->trials <= MAX_TRIALS) add_pairs(page, metrics);
}

static void add_drift(ee_page *page, const ee_bench_metrics *metrics) {
  static const ee_column columns[] = {
      {.name = "case", .left = true, .name_column = true}, {.name = "stability"}, {.name = "extractions"}};
  if (metrics->trials < 2) return;
  ee_arena *arena = &page->arena;
  add_heading(page, "drift between trials");
  ee_line *line = terminal_line(page);
  ee_line_addf(page, line, EE_INK_PLAIN, "  %zu of %zu cases (", metrics->drifting_count, metrics->cases);
  ee_line_add(page, line, ee_cell_percent(arena, metrics->drifting_count, metrics->cases, EE_INK_PLAIN));
  ee_line_add(page, line, ee_cell_words(")", EE_INK_PLAIN));
  if (metrics->drifting_count == 0) return;
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_TERMINAL, columns, 3);
  for (size_t i = 0; i < listed(metrics->drifting_count); i++) {
    const ee_bench_drift *drift = &metrics->drifting[i];
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = (ee_cell){.text = drift->case_id, .kind = EE_CELL_QUOTE};
    cells[1] = ee_cell_score(arena, drift->stability, EE_INK_YELLOW);
    const char *range = drift->count_min == drift->count_max
                            ? ee_arena_printf(arena, "%" PRIu64, drift->count_min)
                            : ee_arena_printf(arena, "%" PRIu64 " to %" PRIu64, drift->count_min, drift->count_max);
    cells[2] = ee_cell_words(range, EE_INK_PLAIN);
  }
  add_rest(page, metrics->drifting_count, ": --format json");
}

static void add_answers(ee_page *page, const ee_bench_metrics *metrics) {
  uint64_t read = (uint64_t)metrics->cases * metrics->trials - metrics->answers_unreadable - metrics->unanswered;
  const ee_count answers[] = {
      {"read", read, EE_INK_PLAIN, EE_COUNT_ALWAYS, NULL, NULL},
      {"unreadable", metrics->answers_unreadable, EE_INK_YELLOW, EE_COUNT_ALWAYS, NULL, NULL},
      {"no answer", metrics->unanswered, EE_INK_RED, EE_COUNT_NONZERO, NULL, NULL},
      {"violating targetSchema", metrics->schema_violations, EE_INK_YELLOW, EE_COUNT_ALWAYS, NULL, NULL},
      {"bare arrays", metrics->bare_lists, EE_INK_PLAIN, EE_COUNT_ALWAYS, NULL, NULL},
  };
  ee_count repairs[EE_REPAIR_PLAIN_COUNT + 1] = {{.name = "answers", .count = metrics->answers_repaired}};
  for (int i = 0; i < EE_REPAIR_PLAIN_COUNT; i++)
    repairs[i + 1] = (ee_count){.name = ee_repair_name((ee_repair)i), .count = metrics->repairs[i]};
  ee_page_space(page);
  ee_page_counts(page, EE_MEDIUM_TERMINAL, "answers", answers, sizeof answers / sizeof *answers, "");
  ee_page_counts(page, EE_MEDIUM_TERMINAL, "repairs", repairs, EE_REPAIR_PLAIN_COUNT + 1, "");
}

static void add_failures(ee_page *page, const ee_bench_metrics *metrics) {
  if (metrics->failure_count == 0) return;
  add_heading(page, "failures");
  for (size_t i = 0; i < listed(metrics->failure_count); i++) {
    ee_line *line = terminal_line(page);
    ee_line_add(page, line, ee_cell_words("  ", EE_INK_PLAIN));
    ee_line_add(page, line, quote(ee_bench_failure_line(&metrics->failures[i], &page->arena)));
  }
  add_rest(page, metrics->failure_count, ": --format json");
}

static void add_deltas(ee_page *page, const ee_bench_score *score) {
  static const ee_column columns[] = {
      {.name = "metric", .left = true, .name_column = true}, {.name = "before"}, {.name = "now"}, {.name = "change"}};
  ee_arena *arena = &page->arena;
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_TERMINAL, columns, 4);
  for (size_t i = 0; ee_bench_metric_names[i] != NULL; i++) {
    ee_metric now = metric_of(score->metrics, ee_bench_metric_names[i]);
    ee_metric before = metric_of(score->baseline, ee_bench_metric_names[i]);
    if (!now.defined && !before.defined) continue;
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = ee_cell_words(ee_bench_metric_names[i], EE_INK_PLAIN);
    cells[1] = ee_cell_metric(arena, before, EE_INK_PLAIN);
    cells[2] = ee_cell_metric(arena, now, EE_INK_PLAIN);
    double change = now.value - before.value;
    if (!now.defined || !before.defined)
      cells[3] = ee_cell_words("-", EE_INK_DIM);
    else if (change == 0)
      cells[3] = ee_cell_words("=", EE_INK_DIM);
    else
      cells[3] = ee_cell_words(ee_arena_printf(arena, "%+.3f", change), change < 0 ? EE_INK_RED : EE_INK_GREEN);
  }
}

static void add_changes(ee_page *page, const ee_bench_comparison *comparison) {
  static const ee_column columns[] = {{.name = "case", .left = true, .name_column = true},
                                      {.name = "new"},
                                      {.name = "lost"},
                                      {.name = "result", .left = true}};
  if (comparison->change_count == 0) return;
  ee_arena *arena = &page->arena;
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_TERMINAL, columns, 4);
  for (size_t i = 0; i < listed(comparison->change_count); i++) {
    const ee_bench_change *change = &comparison->changes[i];
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = (ee_cell){.text = change->case_id, .kind = EE_CELL_QUOTE};
    cells[1] = ee_cell_count_dim(arena, change->gained, EE_INK_PLAIN);
    cells[2] = ee_cell_count_dim(arena, change->lost, EE_INK_PLAIN);
    if (ee_str_equal(change->kinds, change->kinds_before)) continue;
    const char *result = ee_arena_printf(arena, "%s, was %s", change->kinds.data, change->kinds_before.data);
    cells[3] = ee_cell_words(result, EE_INK_YELLOW);
  }
  add_rest(page, comparison->change_count, ": --format json");
}

static void add_baseline(ee_page *page, const ee_bench_score *score, const ee_bench_comparison *drift) {
  add_heading(page, "drift from the baseline");
  if (!drift->same_data) {
    ee_line *line = terminal_line(page);
    ee_line_add(page, line, ee_cell_words("  ", EE_INK_PLAIN));
    ee_line_add(page, line, ee_cell_words("the runs have different records", EE_INK_YELLOW));
    ee_line_addf(page, line, EE_INK_PLAIN, ": %zu cases in both, %zu only now, %zu only before", drift->cases,
                 drift->only_now, drift->only_before);
  }
  add_deltas(page, score);
  ee_line_addf(page, terminal_line(page), EE_INK_PLAIN,
               "  %zu of %zu cases changed: %" PRIu64 " new extractions, %" PRIu64 " lost", drift->change_count,
               drift->cases, drift->gained, drift->lost);
  add_changes(page, drift);
}

/* In markup ------------------------------------------------------------------------------------- */

static ee_line *sentence(ee_page *page) { return ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_PARAGRAPH); }

static ee_line *item(ee_page *page) { return ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_ITEM); }

static ee_cell exact_cell(ee_metric value, ee_arena *arena) {
  return ee_cell_words(value.defined ? exact_number(value.value, arena) : "-", EE_INK_PLAIN);
}

/* All metrics, exactly. */
static void add_metric_table(ee_page *page, const ee_bench_score *score) {
  static const ee_column columns[] = {
      {.name = "metric", .left = true}, {.name = "value"}, {.name = ""}, {.name = "baseline"}};
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_MARKUP, columns, score->baseline != NULL ? 4 : 3);
  grid->unaligned = true;
  for (size_t i = 0; ee_bench_metric_names[i] != NULL; i++) {
    const char *name = ee_bench_metric_names[i];
    ee_metric now = metric_of(score->metrics, name), before = {0};
    if (score->baseline != NULL) before = metric_of(score->baseline, name);
    if (!now.defined && !before.defined) continue;
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = ee_cell_words(name, EE_INK_PLAIN);
    cells[1] = exact_cell(now, &page->arena);
    cells[2] = ee_cell_words(share_text(score->metrics, name, &page->arena), EE_INK_PLAIN);
    if (score->baseline != NULL) cells[3] = exact_cell(before, &page->arena);
  }
}

static void add_sentences(ee_page *page, const ee_bench_metrics *metrics) {
  ee_arena *arena = &page->arena;
  if (metrics->trials > 1)
    ee_line_addf(page, sentence(page), EE_INK_PLAIN,
                 "Extractions a run: min %" PRIu64 ", max %" PRIu64
                 ", mean %s, variance %s. Cases that drift between trials: %zu of %zu.",
                 metrics->count_min, metrics->count_max, short_number(metrics->count_mean, arena),
                 short_number(metrics->count_variance, arena), metrics->drifting_count, metrics->cases);
  ee_line_addf(page, sentence(page), EE_INK_PLAIN,
               "Answers repaired: %" PRIu64 ", unreadable: %" PRIu64 ", violating targetSchema: %" PRIu64
               ", no answer: %" PRIu64 ".",
               metrics->answers_repaired, metrics->answers_unreadable, metrics->schema_violations, metrics->unanswered);
  if (metrics->approximate > 0)
    ee_line_addf(page, sentence(page), EE_INK_PLAIN, "%s.", approximate_text(metrics, arena));
}

static void add_baseline_sentence(ee_page *page, const ee_bench_comparison *drift) {
  ee_line_addf(page, sentence(page), EE_INK_PLAIN,
               "Against the baseline%s: %zu of %zu cases changed, %" PRIu64 " new extractions, %" PRIu64 " lost.",
               drift->same_data ? "" : " (other records)", drift->change_count, drift->cases, drift->gained,
               drift->lost);
  for (size_t i = 0; i < listed(drift->change_count); i++) {
    const ee_bench_change *change = &drift->changes[i];
    ee_line *line = item(page);
    ee_line_add(page, line, quote(change->case_id));
    ee_line_addf(page, line, EE_INK_PLAIN, ": %zu new, %zu lost", change->gained, change->lost);
  }
  if (drift->change_count > MAX_LISTED)
    ee_line_addf(page, item(page), EE_INK_PLAIN, "%zu more", drift->change_count - MAX_LISTED);
}

static void add_failure_list(ee_page *page, const ee_bench_metrics *metrics) {
  if (metrics->failure_count == 0) return;
  ee_line_add(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_HEADING), ee_cell_words("Failures", EE_INK_PLAIN));
  for (size_t i = 0; i < listed(metrics->failure_count); i++)
    ee_line_add(page, item(page), quote(ee_bench_failure_line(&metrics->failures[i], &page->arena)));
  if (metrics->failure_count > MAX_LISTED)
    ee_line_addf(page, item(page), EE_INK_PLAIN, "%zu more", metrics->failure_count - MAX_LISTED);
}

/* The page -------------------------------------------------------------------------------------- */

static void add_head(ee_page *page, const ee_bench_score *score) {
  const ee_bench_metrics *metrics = score->metrics;
  ee_cell head = quote(head_text(score->run, &page->arena));
  ee_line *line = terminal_line(page);
  ee_line_add(page, line, ee_cell_words("extraction bench", EE_INK_BOLD));
  ee_line_add(page, line, ee_cell_words(": ", EE_INK_PLAIN));
  ee_line_add(page, line, head);
  ee_page_space(page);
  ee_line_addf(page, terminal_line(page), EE_INK_PLAIN, "cases %zu  trials %zu  extractions %" PRIu64, metrics->cases,
               metrics->trials, metrics->extractions);
  ee_line_add(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_TITLE),
              ee_cell_words("Extraction bench", EE_INK_PLAIN));
  line = sentence(page);
  ee_line_add(page, line, head);
  ee_line_addf(page, line, EE_INK_PLAIN, "; cases %zu, extractions %" PRIu64 ".", metrics->cases, metrics->extractions);
}

void ee_bench_page(const ee_bench_score *score, ee_page *page) {
  const ee_bench_metrics *metrics = score->metrics;
  add_head(page, score);
  ee_page_section(page, EE_STR("metrics"));
  add_rates(page, metrics);
  ee_page_section(page, EE_STR("gold"));
  add_gold(page, metrics);
  ee_page_section(page, EE_STR("stability"));
  add_trials(page, metrics);
  add_drift(page, metrics);
  ee_page_section(page, EE_STR("failures"));
  add_answers(page, metrics);
  add_failures(page, metrics);
  ee_page_section(page, EE_STR("metrics"));
  add_metric_table(page, score);
  add_sentences(page, metrics);
  ee_page_section(page, EE_STR("baseline"));
  if (score->baseline != NULL) {
    ee_bench_comparison drift;
    ee_bench_compare(score->run, score->baseline_run, &page->arena, &drift);
    add_baseline(page, score, &drift);
    add_baseline_sentence(page, &drift);
  }
  ee_page_section(page, EE_STR("failures"));
  add_failure_list(page, metrics);
  ee_page_section(page, EE_STR("gates"));
  if (score->gate_count == 0) return;
  ee_gate_block *gates = ee_page_gates(page, EE_MEDIUM_ALL, true);
  for (size_t i = 0; i < score->gate_count; i++)
    ee_gates_add(page, gates, score->gates[i].passed ? EE_GATE_PASSED : EE_GATE_FAILED,
                 gate_text(&score->gates[i], &page->arena));
}

/* JSON ------------------------------------------------------------------------------------------ */

/* A member of the run, unchanged. */
static void json_member(ee_json_out *json, const ee_value *run, const char *key) {
  const ee_value *value = ee_value_member(run, ee_str_from(key), NULL);
  if (value == NULL) return;
  ee_json_next(json, key);
  ee_json_write_value(json->out, value);
}

/* Nothing if `text` is undefined. */
static void json_text(ee_json_out *json, const char *key, ee_str text) {
  if (text.data != NULL) ee_json_add_text(json, key, text);
}

static void json_offset(ee_json_out *json, const char *key, int64_t offset) {
  ee_json_next(json, key);
  ee_buffer_addf(json->out, "%" PRId64, offset);
}

static void json_metrics(ee_json_out *json, const ee_bench_metrics *metrics) {
  for (size_t i = 0; ee_bench_metric_names[i] != NULL; i++)
    ee_json_add_metric(json, ee_bench_metric_names[i], metric_of(metrics, ee_bench_metric_names[i]));
}

static void json_counts(ee_json_out *json, const ee_bench_metrics *metrics) {
  ee_json_add_count(json, "cases", metrics->cases);
  ee_json_add_count(json, "extractions", metrics->extractions);
  ee_json_add_count(json, "schemaValid", metrics->schema_valid);
  ee_json_add_count(json, "quoteValid", metrics->quote_valid);
  ee_json_add_count(json, "successes", metrics->successes);
  ee_json_open_as(json, "gold", '{', EE_JSON_LINE);
  ee_json_add_count(json, "spans", metrics->gold);
  ee_json_add_count(json, "exact", metrics->exact);
  ee_json_add_count(json, "partial", metrics->partial);
  ee_json_add_count(json, "overlapping", metrics->overlapping);
  if (metrics->approximate > 0) ee_json_add_count(json, "approximate", metrics->approximate);
  ee_json_close(json, '}');
}

static void json_variance(ee_json_out *json, const ee_bench_metrics *metrics) {
  const size_t trials = metrics->trials;
  ee_json_open_as(json, "variance", '{', EE_JSON_LINE);
  ee_json_open(json, "counts", '[');
  for (size_t t = 0; t < trials; t++) ee_json_add_count(json, NULL, metrics->counts[t]);
  ee_json_close(json, ']');
  ee_json_add_count(json, "min", metrics->count_min);
  ee_json_add_count(json, "max", metrics->count_max);
  ee_json_add_number(json, "mean", metrics->count_mean);
  ee_json_add_number(json, "variance", metrics->count_variance);
  ee_json_close(json, '}');
  ee_json_open_as(json, "pairwise", '[', EE_JSON_LINE);
  for (size_t a = 0; a < trials; a++) {
    ee_json_open(json, NULL, '[');
    for (size_t b = 0; b < trials; b++) ee_json_add_number(json, NULL, metrics->pairwise[a * trials + b]);
    ee_json_close(json, ']');
  }
  ee_json_close(json, ']');
}

static void json_drifting(ee_json_out *json, const ee_bench_metrics *metrics) {
  ee_json_open_as(json, "drifting", '[', EE_JSON_ROWS);
  for (size_t i = 0; i < metrics->drifting_count; i++) {
    const ee_bench_drift *drift = &metrics->drifting[i];
    ee_json_open(json, NULL, '{');
    json_text(json, "caseId", drift->case_id);
    ee_json_add_count(json, "min", drift->count_min);
    ee_json_add_count(json, "max", drift->count_max);
    ee_json_add_number(json, "stability", drift->stability);
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
}

static void json_answers(ee_json_out *json, const ee_bench_metrics *metrics) {
  ee_json_open_as(json, "answers", '{', EE_JSON_LINE);
  ee_json_add_count(json, "unreadable", metrics->answers_unreadable);
  ee_json_add_count(json, "noAnswer", metrics->unanswered);
  ee_json_add_count(json, "schemaViolations", metrics->schema_violations);
  ee_json_add_count(json, "bareLists", metrics->bare_lists);
  ee_json_add_count(json, "repaired", metrics->answers_repaired);
  ee_json_close(json, '}');
  ee_json_open_as(json, "repairs", '{', EE_JSON_LINE);
  for (int i = 0; i < EE_REPAIR_PLAIN_COUNT; i++)
    ee_json_add_count(json, ee_repair_name((ee_repair)i), metrics->repairs[i]);
  ee_json_close(json, '}');
}

static void json_failures(ee_json_out *json, const ee_bench_metrics *metrics) {
  ee_json_open_as(json, "failures", '[', EE_JSON_ROWS);
  for (size_t i = 0; i < metrics->failure_count; i++) {
    const ee_bench_failure *failure = &metrics->failures[i];
    ee_json_open(json, NULL, '{');
    json_text(json, "caseId", failure->case_id);
    ee_json_add_count(json, "trial", failure->trial);
    json_text(json, "code", failure->code);
    json_text(json, "extractionClass", failure->extraction_class);
    json_text(json, "quote", failure->quote);
    if (failure->has_offsets) {
      json_offset(json, "charStart", failure->start);
      json_offset(json, "charEnd", failure->end);
    }
    json_text(json, failure->has_actual ? "actual" : "reason", failure->actual);
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
}

static void json_baseline(ee_json_out *json, const ee_bench_score *score) {
  if (score->baseline == NULL) return;
  ee_bench_comparison drift;
  ee_bench_compare(score->run, score->baseline_run, json->arena, &drift);
  ee_json_open_as(json, "baseline", '{', EE_JSON_LINE);
  ee_json_add_bool(json, "sameData", drift.same_data);
  ee_json_add_count(json, "cases", drift.cases);
  ee_json_add_count(json, "onlyNow", drift.only_now);
  ee_json_add_count(json, "onlyBefore", drift.only_before);
  ee_json_add_count(json, "newExtractions", drift.gained);
  ee_json_add_count(json, "lostExtractions", drift.lost);
  ee_json_open(json, "metrics", '{');
  json_metrics(json, score->baseline);
  ee_json_close(json, '}');
  ee_json_open_as(json, "changed", '[', EE_JSON_ROWS);
  for (size_t i = 0; i < drift.change_count; i++) {
    const ee_bench_change *change = &drift.changes[i];
    ee_json_open(json, NULL, '{');
    json_text(json, "caseId", change->case_id);
    json_text(json, "kind", change->kinds);
    json_text(json, "kindBefore", change->kinds_before);
    ee_json_add_count(json, "new", change->gained);
    ee_json_add_count(json, "lost", change->lost);
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
  ee_json_close(json, '}');
}

static void json_gates(ee_json_out *json, const ee_bench_score *score) {
  if (score->gate_count == 0) return;
  ee_json_open_as(json, "gates", '[', EE_JSON_ROWS);
  for (size_t i = 0; i < score->gate_count; i++) {
    const ee_gate_result *gate = &score->gates[i];
    ee_json_open(json, NULL, '{');
    ee_json_add_text(json, "metric", gate->gate->own_metric);
    ee_json_add_number(json, "min", gate->gate->min);
    ee_json_add_metric(json, "value", (ee_metric){gate->defined, gate->value});
    ee_json_add_bool(json, "passed", gate->passed);
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
}

void ee_bench_json(const ee_bench_score *score, ee_buffer *out) {
  static const char *const heads[] = {"mode", "trials", "provider", "data_hash"};
  const ee_bench_metrics *metrics = score->metrics;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_json_out json = {.out = out, .arena = &arena, .first = true};
  ee_json_open(&json, NULL, '{');
  ee_json_add_count(&json, "schema", 1);
  ee_json_add_text(&json, "kind", EE_STR("bench_score"));
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) json_member(&json, score->run, heads[i]);
  json_metrics(&json, metrics);
  ee_json_add_number(&json, "caseOutcomeDriftRate", metrics->drift_rate);
  json_counts(&json, metrics);
  json_variance(&json, metrics);
  json_drifting(&json, metrics);
  json_answers(&json, metrics);
  json_failures(&json, metrics);
  json_baseline(&json, score);
  json_gates(&json, score);
  ee_json_close(&json, '}');
  ee_buffer_add_char(out, '\n');
  ee_arena_fini(&arena);
}
