/* run_report.c: the report of a run: its page, its JSON and its CSV. */
#include "report/run_report.h"

#include <ctype.h>
#include <evalengine.h>
#include <inttypes.h>

#include "prim/number.h"
#include "prim/sort.h"
#include "report/calibration_report.h"
#include "report/corrections_report.h"
#include "report/csv.h"
#include "report/json_out.h"
#include "report/label_matrix_report.h"
#include "report/legend.h"
#include "report/measures_report.h"
#include "report/reading_report.h"
#include "report/signature.h"
#include "report/slices_report.h"
#include "report/trials_report.h"

/* What is wanted of accepted answers, with the confidence of all intervals. */
static ee_accept_choice accept_of(const ee_summary *summary) {
  return (ee_accept_choice){summary->accept.wanted, summary->accept.count, summary->plan->confidence};
}

/* The page -------------------------------------------------------------------------------------- */

/* Rows of corpus metrics (one a class), and cases that are listed; JSON has all of them. */
#define MAX_CORPUS_ROWS 200
#define MAX_CORPUS_COLUMNS 12
#define MAX_WORST_CASES 10
/* Columns of a case's id, where lines may have any length. */
#define ID_COLUMNS 40

/* A name that the data made; long ones are shortened in markup only. */
static ee_cell value_cell(ee_str text) {
  ee_cell cell = ee_cell_data(text, EE_INK_PLAIN);
  cell.max_columns = 0;
  return cell;
}

static ee_cell more_cell(ee_arena *arena, size_t count, const char *where) {
  return ee_cell_words(ee_arena_printf(arena, "%zu more%s", count, where), EE_INK_DIM);
}

static void add_alert(ee_page *page, const char *what, const char *rest) {
  ee_line *line = ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH);
  ee_line_addf(page, line, EE_INK_RED, "%c%s: %s", tolower((unsigned char)*what), what + 1, rest);
  line = ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_PARAGRAPH);
  ee_line_add(page, line, (ee_cell){.text = ee_str_from(what), .strong = true});
  ee_line_addf(page, line, EE_INK_PLAIN, ": %s", rest);
}

/* What a merge of parts lacks or has twice. */
static void add_parts(ee_page *page, const ee_summary *summary) {
  ee_arena *arena = &page->arena;
  if (summary->missing_parts != NULL)
    add_alert(page, "Partial",
              ee_arena_printf(arena, "%s %s missing: every figure is of the others", summary->missing_parts,
                              summary->one_missing ? "is" : "are"));
  if (summary->counted_twice > 0)
    add_alert(page, "Counted twice",
              ee_arena_printf(arena, "%" PRIu64 " case%s an id that an earlier part has, too", summary->counted_twice,
                              summary->counted_twice == 1 ? " has" : "s have"));
}

static void add_gate_verdict(ee_page *page, const ee_summary *summary) {
  if (summary->gate_count == 0) return;
  size_t failed = 0, count = summary->gate_count;
  for (size_t i = 0; i < count; i++) failed += !summary->gates[i].passed;
  const char *plural = count == 1 ? "" : "s";
  ee_line *line = ee_page_line(page, EE_MEDIUM_MARKDOWN, EE_LINE_PARAGRAPH);
  ee_line_addf(page, line, EE_INK_PLAIN, failed == 0 ? "\xe2\x9c\x85 " : "\xe2\x9d\x8c ");
  ee_line_add(page, line, (ee_cell){.text = ee_str_from(failed == 0 ? "PASS" : "FAIL"), .strong = true});
  if (failed == 0)
    ee_line_addf(page, line, EE_INK_PLAIN, ": %zu gate%s passed", count, plural);
  else
    ee_line_addf(page, line, EE_INK_PLAIN, ": %zu of %zu gate%s failed", failed, count, plural);
}

static void add_gates(ee_page *page, const ee_summary *summary, ee_medium medium) {
  if (summary->gate_count == 0) return;
  ee_gate_block *gates = ee_page_gates(page, medium, false);
  ee_buffer text;
  ee_buffer_init(&text);
  for (size_t i = 0; i < summary->gate_count; i++) {
    ee_buffer_clear(&text);
    ee_gate_print(&summary->gates[i], &text);
    const ee_gate_result *gate = &summary->gates[i];
    ee_gate_verdict verdict = gate->passed                 ? EE_GATE_PASSED
                              : ee_gate_is_undecided(gate) ? EE_GATE_UNDECIDED
                                                           : EE_GATE_FAILED;
    ee_gates_add(page, gates, verdict, (ee_str){text.data, text.length});
  }
  ee_buffer_fini(&text);
}

static void add_head(ee_page *page, const ee_summary *summary) {
  const ee_score_totals *all = &summary->totals->all;
  const double confidence = summary->plan->confidence;
  const uint64_t count = all->score.count;
  const ee_ranged mean = ee_total_mean(&all->score, &all->units, confidence);
  ee_str name = summary->plan->name, shown = ee_cell_ranged(&page->arena, mean, EE_INK_PLAIN).text;
  ee_line *line = ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_TITLE);
  ee_line_add(page, line, (ee_cell){.text = name, .kind = EE_CELL_QUOTE, .ink = EE_INK_BOLD});
  line = ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_TITLE);
  ee_line_add(page, line, (ee_cell){.text = name, .kind = EE_CELL_DATA});
  ee_line_addf(page, line, EE_INK_PLAIN, ": mean score %.*s", EE_STR_ARG(shown));
  add_gate_verdict(page, summary);
  if (summary->interrupted)
    add_alert(page, "Interrupted",
              summary->unfinished
                  ? "only the cases finished until then are in this report, without metrics over all of "
                    "them that take longer to compute, such as average precision"
                  : "only the cases finished until then are in this report");
  if (summary->stopped) add_alert(page, "Stopped at the first error", "only the cases up to it are in this report");
  if (summary->unended != NULL) add_alert(page, "Incomplete", summary->unended);
  add_parts(page, summary);
  add_gates(page, summary, EE_MEDIUM_HTML);
  ee_page_space(page);
  ee_page_scores(page, (ee_scores){
                           .count = count,
                           .noun = "case",
                           .suffix = "",
                           .confidence = confidence,
                           .mean = mean,
                           .passed = ee_total_pass_rate(&all->score, all->verdicts, &all->units, confidence).interval,
                           .bins = &all->bins,
                           .verdicts = all->verdicts,
                           .tiles = ee_corrections_tiles(&all->corrections, confidence, "case", page),
                       });
  ee_corrections_page(&all->corrections, confidence, "case", page);
  ee_page_part(page, "counts");
  ee_page_space(page);
}

static void add_expected_counts(ee_page *page, const ee_summary *summary) {
  const ee_expected_coverage *expected = &summary->expected;
  if (!expected->given) return;
  const bool coco = expected->detections_given;
  const ee_count_use known = expected->whole && !coco ? EE_COUNT_ALWAYS : EE_COUNT_NEVER;
  const ee_count values[] = {
      {"read", expected->records, EE_INK_PLAIN, EE_COUNT_ALWAYS, NULL, NULL},
      {"in error", expected->in_error, EE_INK_RED, EE_COUNT_ALWAYS, "expected value could not be used",
       "expected values could not be used"},
      {"without a record", expected->without_record, EE_INK_YELLOW, known, "expected value has no record",
       "expected values have no record"},
      {"judged as empty", summary->totals->absent, EE_INK_YELLOW, EE_COUNT_NONZERO, NULL, NULL},
  };
  ee_page_counts(page, EE_MEDIUM_ALL, "expected  ", values, 4, "");
  const ee_count detections[] = {
      {"read", expected->detections, EE_INK_PLAIN, EE_COUNT_ALWAYS, NULL, NULL},
      {"in error", expected->detections_in_error, EE_INK_RED, EE_COUNT_ALWAYS, "detection could not be used",
       "detections could not be used"},
      {"without an image", expected->detections_without_image, EE_INK_RED, EE_COUNT_ALWAYS, "detection has no image",
       "detections have no image"},
  };
  if (coco) ee_page_counts(page, EE_MEDIUM_ALL, "detections", detections, 3, "");
}

/* Which repairs how many candidates needed. */
static void add_repairs(ee_page *page, const ee_summary *summary) {
  const ee_totals *totals = summary->totals;
  if (totals->repairable == 0 || !ee_plan_repairs(summary->plan)) return;
  ee_count kinds[EE_REPAIR_COUNT];
  for (int i = 0; i < EE_REPAIR_COUNT; i++)
    kinds[i] =
        (ee_count){ee_repair_words((ee_repair)i), totals->repairs[i], EE_INK_PLAIN, EE_COUNT_NONZERO, NULL, NULL};
  ee_page_counts(page, EE_MEDIUM_ALL, "repairs   ", kinds, EE_REPAIR_COUNT, "");
}

/* What of all judges does not fit the data, so that no mean is shown without it. */
static void sum_misfits(const ee_totals *totals, uint64_t *unread, uint64_t *in_error) {
  *unread = *in_error = 0;
  for (size_t i = 0; i < totals->plan->judge_count; i++) {
    *unread += ee_judge_total_averages(&totals->all.judges[i]).pooled.unread;
    *in_error += totals->all.judges[i].failed;
  }
}

static void add_counts(ee_page *page, const ee_summary *summary) {
  const ee_totals *totals = summary->totals;
  uint64_t unread, in_error;
  bool asks = summary->plan->asks_model;
  sum_misfits(totals, &unread, &in_error);
  const ee_count records[] = {
      {"read", totals->records, EE_INK_PLAIN, EE_COUNT_ALWAYS, NULL, NULL},
      {"scored", totals->scored - totals->unscored, EE_INK_PLAIN, EE_COUNT_ALWAYS, NULL, NULL},
      {"not scored", totals->unscored, EE_INK_YELLOW, EE_COUNT_NONZERO,
       asks ? "case has no score because of its expected values, or of a model's answer that is missing"
            : "case has no score because of its expected values",
       asks ? "cases have no score because of their expected values, or of a model's answers that are missing"
            : "cases have no score because of their expected values"},
      {"in error", totals->unreadable + totals->duplicates, EE_INK_RED, EE_COUNT_ALWAYS, NULL, NULL},
      {"unreadable", totals->unreadable, EE_INK_RED, EE_COUNT_NONZERO, "record could not be read",
       "records could not be read"},
      {"duplicate ids", totals->duplicates, EE_INK_RED, EE_COUNT_NONZERO,
       "record has an id seen before and was left out", "records have ids seen before and were left out"},
      {"not selected", totals->filtered, EE_INK_PLAIN, EE_COUNT_NONZERO, "record was not selected",
       "records were not selected"},
      {"without a judge", totals->unjudged, EE_INK_YELLOW, EE_COUNT_NONZERO, "record has no judge",
       "records have no judge"},
  };
  ee_page_counts(page, EE_MEDIUM_ALL, "records   ", records, sizeof records / sizeof *records, "");
  ee_page_clusters(page, &totals->all.units, &totals->all.score);
  add_expected_counts(page, summary);
  const ee_count candidates[] = {
      {"missing", totals->candidates_missing, EE_INK_YELLOW, EE_COUNT_ALWAYS, "case has no candidate",
       "cases have no candidate"},
      {"without JSON", totals->candidates_unparseable, EE_INK_YELLOW, EE_COUNT_ALWAYS, "candidate contains no JSON",
       "candidates contain no JSON"},
      {"repaired", ee_plan_repairs(summary->plan) ? totals->repairable : 0, EE_INK_YELLOW, EE_COUNT_NONZERO,
       "candidate was repaired", "candidates were repaired"},
      {"half surrogate pairs", totals->lone_surrogates, EE_INK_YELLOW, EE_COUNT_NONZERO,
       "half of a surrogate pair was read as U+FFFD", "halves of surrogate pairs were read as U+FFFD"},
  };
  ee_page_counts(page, EE_MEDIUM_ALL, "candidates", candidates, sizeof candidates / sizeof *candidates, "");
  add_repairs(page, summary);
  const ee_count rules[] = {
      {"errors", totals->rule_errors, EE_INK_RED, EE_COUNT_ALWAYS, "error was raised by the rules",
       "errors were raised by the rules"},
      {"cases", totals->cases_with_rule_errors, EE_INK_RED, EE_COUNT_NONZERO, NULL, NULL},
      {"given up", totals->given_up, EE_INK_RED, EE_COUNT_NONZERO, "value or judge was given up (--timeout)",
       "values or judges were given up (--timeout)"},
      {"judges in error", in_error, EE_INK_RED, EE_COUNT_NONZERO, "case has a judge in error",
       "cases have a judge in error"},
      {"expected values unread", unread, EE_INK_RED, EE_COUNT_NONZERO, "expected value could not be read by the rules",
       "expected values could not be read by the rules"},
  };
  ee_page_counts(page, EE_MEDIUM_ALL, "rules     ", rules, sizeof rules / sizeof *rules, "");
  const ee_count provider[] = {
      {"no answer", totals->provider_failures, EE_INK_RED, EE_COUNT_ALWAYS, "value got no answer from the provider",
       "values got no answer from the provider"},
      {"cases", totals->cases_with_provider_failures, EE_INK_RED, EE_COUNT_ALWAYS, NULL, NULL},
  };
  if (totals->provider_failures > 0) ee_page_counts(page, EE_MEDIUM_ALL, "provider  ", provider, 2, "");
  if (summary->inference != NULL) ee_reading_summary(summary->inference, page);
}

/* What greedy lost against optimal. */
static void add_methods(ee_page *page, const ee_methods_total *methods) {
  if (methods->compared == 0) return;
  char lost[32];
  ee_double_format_short(ee_fixed_value(methods->lost_similarity), 6, lost);
  ee_line_addf(page, ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH), EE_INK_PLAIN,
               "  greedy against optimal: %" PRIu64 " cases compared, %" PRIu64 " paired differently, %" PRIu64
               " worse by greedy, which loses %s of total similarity",
               methods->compared, methods->different, methods->lost, lost);
  double greedy = ee_fixed_mean(methods->greedy_score, methods->compared);
  double optimal = ee_fixed_mean(methods->optimal_score, methods->compared);
  ee_line *line = ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH);
  ee_line_add(page, line, ee_cell_words("  mean score ", EE_INK_PLAIN));
  ee_line_add(page, line, ee_cell_score(&page->arena, greedy, EE_INK_PLAIN));
  ee_line_add(page, line, ee_cell_words(" by greedy, ", EE_INK_PLAIN));
  ee_line_add(page, line, ee_cell_score(&page->arena, optimal, EE_INK_PLAIN));
  ee_line_add(page, line, ee_cell_words(" by optimal", EE_INK_PLAIN));
}

static void add_case_metrics(ee_page *page, const ee_judge *judge, const ee_judge_total *total, double confidence) {
  static const ee_column columns[] = {{.name = "metric", .left = true, .name_column = true},
                                      {.name = "mean"},
                                      {.name = "interval", .left = true},
                                      {.name = "median"},
                                      {.name = "min"},
                                      {.name = "max"},
                                      {.name = "sd"}};
  enum { COLUMNS = sizeof columns / sizeof *columns };
  if (total->case_metric_count == 0) return;
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, COLUMNS);
  for (size_t i = 0; i < total->case_metric_count; i++) {
    const ee_sample *sample = &total->case_metrics[i].sample;
    const ee_value_counts *tally = &total->case_metrics[i].values;
    bool any = sample->count > 0;
    const ee_metric metrics[] = {{any, ee_sample_mean(sample)},
                                 {any, ee_value_counts_median(tally)},
                                 {any, ee_value_counts_min(tally)},
                                 {any, ee_value_counts_max(tally)},
                                 {sample->count > 1, ee_sample_deviation(sample)}};
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = ee_cell_words(ee_judge_case_metrics(judge)[i], EE_INK_PLAIN);
    for (size_t k = 0; k + 2 < COLUMNS; k++)
      cells[k == 0 ? 1 : k + 2] = ee_cell_metric(&page->arena, metrics[k], k == 0 ? EE_INK_BOLD : EE_INK_PLAIN);
    cells[1].strong = true;
    ee_interval mean = ee_total_mean(sample, &total->case_metrics[i].units, confidence).interval;
    cells[2] = ee_cell_interval(&page->arena, mean, EE_INK_PLAIN);
  }
  for (size_t i = 0; i < total->case_metric_count; i++) {
    uint64_t left_out = total->case_metrics[i].left_out;
    if (left_out > 0)
      ee_line_addf(page, ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_PARAGRAPH), EE_INK_PLAIN,
                   "  %s: %" PRIu64 " case%s without a %s %s left out", ee_judge_case_metrics(judge)[i], left_out,
                   left_out == 1 ? "" : "s", judge->declared != NULL ? "value" : "readable answer",
                   left_out == 1 ? "is" : "are");
  }
}

static bool same_limits(ee_verdict_limits a, ee_verdict_limits b) {
  return a.pass == b.pass && a.borderline == b.borderline;
}

/* What the mean of the cases cannot be recomputed without, and how high it can be: nothing where every judge has the
 * usual weight and limits. */
static void add_share(ee_page *page, const ee_plan *plan, const ee_judge *judge) {
  bool weighted = false;
  double sum = 0;
  for (size_t i = 0; i < plan->judge_count; i++) {
    weighted = weighted || plan->judges[i]->weight != plan->judges[0]->weight;
    sum += plan->judges[i]->weight;
  }
  ee_arena *arena = &page->arena;
  const char *text = "";
  if (weighted)
    text = ee_arena_printf(arena, "weight %s of %s", ee_measure_text(arena, (ee_metric){true, judge->weight}),
                           ee_measure_text(arena, (ee_metric){true, sum}));
  if (!same_limits(judge->verdict, (ee_verdict_limits){0.8, 0.6}))
    text = ee_arena_printf(arena, "%s%spass >= %s, borderline >= %s", text, *text != '\0' ? ", " : "",
                           ee_measure_text(arena, (ee_metric){true, judge->verdict.pass}),
                           ee_measure_text(arena, (ee_metric){true, judge->verdict.borderline}));
  if (judge->best > 0)
    text = ee_arena_printf(arena, "%s%sa perfect answer scores %s", text, *text != '\0' ? ", " : "",
                           ee_measure_text(arena, (ee_metric){true, judge->best}));
  if (*text == '\0') return;
  ee_line_addf(page, ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_PARAGRAPH), EE_INK_DIM, "  %s", text);
}

static void add_corpus_table(ee_page *page, const ee_corpus_table *table) {
  if (table->row_count == 0) return;
  ee_page_space(page);
  size_t count = table->column_count < MAX_CORPUS_COLUMNS ? table->column_count + 1 : MAX_CORPUS_COLUMNS;
  ee_column columns[MAX_CORPUS_COLUMNS] = {{.name = table->row_title, .left = true, .name_column = true}};
  for (size_t i = 1; i < count; i++) columns[i] = (ee_column){.name = table->columns[i - 1]};
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, count);
  size_t shown = table->row_count < MAX_CORPUS_ROWS ? table->row_count : MAX_CORPUS_ROWS;
  for (size_t row = 0; row < shown; row++) {
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = value_cell(table->rows[row].name);
    for (size_t i = 1; i < count; i++) cells[i] = ee_cell_corpus_metric(&page->arena, &table->rows[row].values[i - 1]);
  }
  if (shown < table->row_count) ee_grid_add(grid)[0] = more_cell(&page->arena, table->row_count - shown, "");
}

/* The rows of the summary as a table. */
static ee_corpus_table rows_of(const ee_corpus_summary *summary) {
  return (ee_corpus_table){.row_title = summary->row_title,
                           .columns = summary->columns,
                           .column_count = summary->column_count,
                           .rows = summary->rows,
                           .row_count = summary->row_count};
}

static void add_corpus(ee_page *page, const ee_corpus_summary *summary) {
  size_t by_themselves = summary->metric_count - summary->in_tables;
  if (by_themselves > 0) ee_page_metrics(page, summary->metrics, by_themselves);
  for (size_t i = 0; i < summary->table_count; i++) add_corpus_table(page, &summary->tables[i]);
  ee_corpus_table rows = rows_of(summary);
  add_corpus_table(page, &rows);
  if (summary->confusion != NULL) ee_label_matrix_page(page, summary->confusion);
  ee_page_part(page, "notes");
  if (summary->note_count == 0) return;
  ee_page_space(page);
  ee_page_notes(page, EE_MEDIUM_ALL, summary->notes, summary->note_count);
}

/* No score is below the lowest, so all are equal if their sum is that many times the lowest. */
static bool all_equal(const ee_sample *score, double lowest) {
  return score->sum.units == (__int128)score->count * ee_fixed_from(lowest).units;
}

static ee_ink ink_of_verdict(ee_verdict verdict) {
  return verdict == EE_VERDICT_PASS ? EE_INK_PLAIN : verdict == EE_VERDICT_BORDERLINE ? EE_INK_YELLOW : EE_INK_RED;
}

/* Nothing if all cases have the same score. */
static void add_worst_cases(ee_page *page, const ee_judge *judge, const ee_judge_total *total) {
  enum { RANK, ID, FIRST };
  const ee_worst_cases *ranking = total->worst;
  if (ranking == NULL || ranking->count == 0 || all_equal(&total->score, ranking->cases[0].score)) return;
  ee_column columns[FIRST + EE_CASE_METRIC_LIMIT] = {
      [RANK] = {.name = "rank", .hidden_in = EE_MEDIUM_MARKUP},
      [ID] = {.name = "id", .markup_name = "worst case", .left = true, .name_column = true}};
  for (size_t i = 0; i < total->case_metric_count; i++) columns[FIRST + i].name = ee_judge_case_metrics(judge)[i];
  ee_page_space(page);
  ee_line_add(page, ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH),
              ee_cell_words("  worst cases", EE_INK_PLAIN));
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, FIRST + total->case_metric_count);
  for (size_t i = 0; i < ranking->count && i < MAX_WORST_CASES; i++) {
    const ee_ranked_case *ranked = &ranking->cases[i];
    ee_cell *cells = ee_grid_add(grid);
    cells[RANK] = ee_cell_count(&page->arena, i + 1, EE_INK_DIM);
    cells[ID] = ee_cell_data(ranked->id, ink_of_verdict(ee_verdict_of(ranked->score, judge->verdict)));
    cells[ID].max_columns = ID_COLUMNS;
    cells[ID].link = ee_page_case_link(&page->arena, ranked->id);
    for (size_t k = 0; k < total->case_metric_count; k++)
      cells[FIRST + k] = ee_cell_metric(
          &page->arena, (ee_metric){ranked->case_metrics[k] >= 0, ranked->case_metrics[k]}, EE_INK_PLAIN);
  }
}

/* The decimal signs that the values of the judge's fields have decided. */
static void add_decimals(ee_page *page, const ee_decimals *decimals, const ee_judge *judge) {
  if (decimals == NULL || !decimals->decided) return;
  ee_str *notes = EE_NEW_ARRAY(&page->arena, ee_str, decimals->count);
  size_t count = 0;
  ee_buffer text;
  ee_buffer_init(&text);
  for (size_t i = 0; i < decimals->count; i++) {
    if (decimals->items[i].judge != judge->number) continue;
    ee_buffer_clear(&text);
    ee_buffer_addf(&text, "decimal of '%.*s': ", EE_STR_ARG(decimals->items[i].field));
    ee_decimal_votes_print(&decimals->items[i].votes, &text);
    notes[count++] = (ee_str){ee_arena_copy(&page->arena, text.data, text.length), text.length};
  }
  ee_buffer_fini(&text);
  if (count == 0) return;
  ee_page_part(page, "notes");
  ee_page_space(page);
  ee_page_notes(page, EE_MEDIUM_ALL, notes, count);
}

/* Of `cases` (0: not known) those that the judge's `when` left out. */
static uint64_t left_out_by(const ee_judge *judge, const ee_judge_total *total, uint64_t cases) {
  uint64_t judged = total->score.count + total->unscored;
  return judge->has_when && cases > judged ? cases - judged : 0;
}

static void add_judge(ee_page *page, const ee_summary *summary, const ee_judge *judge, const ee_judge_total *total) {
  const ee_mistakes *mistakes = summary->mistakes;
  const ee_count counts[] = {
      {"in error", total->failed, EE_INK_RED, EE_COUNT_NONZERO, "case in which the judge failed",
       "cases in which the judge failed"},
      {"not scored", total->unscored, EE_INK_YELLOW, EE_COUNT_NONZERO,
       judge->asks_model ? "case without an answer of the model, or without a usable expected value"
                         : "case without a score because of its expected values",
       judge->asks_model ? "cases without an answer of the model, or without a usable expected value"
                         : "cases without a score because of their expected values"},
      {"left out", left_out_by(judge, total, summary->totals->scored), EE_INK_PLAIN, EE_COUNT_NONZERO,
       "case that the judge's 'when' left out", "cases that the judge's 'when' left out"},
      {"vacuous", total->vacuous, EE_INK_YELLOW, EE_COUNT_NONZERO, "case with nothing to score",
       "cases with nothing to score"},
      {"greedy instead of optimal", total->fallbacks, EE_INK_YELLOW, EE_COUNT_NONZERO,
       "case with arrays paired by greedy instead of optimal", "cases with arrays paired by greedy instead of optimal"},
  };
  ee_page_section(page, judge->name);
  ee_page_space(page);
  ee_page_judge(page, (ee_judge_heading){.name = judge->name,
                                         .type = ee_str_from(judge->type->name),
                                         .mean = ee_total_mean(&total->score, &total->units, summary->plan->confidence),
                                         .verdicts = total->verdicts,
                                         .counts = counts,
                                         .count = sizeof counts / sizeof *counts});
  add_share(page, summary->plan, judge);
  ee_page_part(page, "metrics");
  add_methods(page, &total->methods);
  add_case_metrics(page, judge, total, summary->plan->confidence);
  if (total->corpus != NULL) add_corpus(page, total->corpus);
  ee_page_part(page, "attributes");
  if ((total->case_metric_count > 0 || total->corpus != NULL) && total->attribute_count > 0) ee_page_space(page);
  bool split = ee_judge_splits_fp(judge);
  ee_page_attributes(page, total, split, split, mistakes != NULL ? mistakes->choice.order : EE_ORDER_USUAL,
                     judge->verdict, summary->plan->confidence);
  add_decimals(page, summary->plan->decimals, judge);
  ee_misfit_list misfits = ee_misfits_of(judge, total, summary->totals->chosen, &page->arena);
  ee_page_misfits(page, EE_MEDIUM_TERMINAL | EE_MEDIUM_MARKDOWN, &misfits);
  ee_kinds_page(total, mistakes != NULL ? &mistakes->choice : NULL, page);
  ee_page_part(page, "worst");
  add_worst_cases(page, judge, total);
}

/* The values of slice path number `path`. */
static void add_slice(ee_page *page, const ee_plan *plan, const ee_totals *totals, size_t path) {
  ee_slice_line *lines = EE_NEW_ARRAY(&page->arena, ee_slice_line, totals->slice_count);
  size_t count = 0;
  for (size_t i = 0; i < totals->slice_count; i++) {
    const ee_slice_total *slice = &totals->slices[i];
    if (slice->slice != path) continue;
    const ee_score_totals *scores = &slice->totals;
    lines[count++] = (ee_slice_line){
        slice->value, scores->score.count, ee_total_mean(&scores->score, &scores->units, plan->confidence),
        ee_total_pass_rate(&scores->score, scores->verdicts, &scores->units, plan->confidence),
        ee_measures_of(plan, scores, &page->arena)};
  }
  ee_slice_page(plan->slices[path]->text, lines, count, plan->measure_count, page);
}

static void add_slices(ee_page *page, const ee_plan *plan, const ee_totals *totals) {
  ee_page_section(page, EE_STR("slices"));
  for (size_t i = 0; i < plan->slice_count; i++) add_slice(page, plan, totals, i);
}

/* What does not fit the rules, of all judges together: on a page of HTML it comes first. */
static void add_all_misfits(ee_page *page, const ee_totals *totals) {
  const ee_plan *plan = totals->plan;
  ee_misfit_list all = {0};
  if (!page->html) return;
  for (size_t i = 0; i < plan->judge_count; i++) {
    const ee_judge *judge = plan->judges[i];
    ee_misfit_list misfits = ee_misfits_of(judge, &totals->all.judges[i], totals->chosen, &page->arena);
    for (size_t k = 0; k < misfits.count; k++) {
      ee_misfit *misfit = EE_LIST_ADD(&all, &page->arena);
      *misfit = misfits.items[k];
      if (plan->judge_count > 1)
        misfit->text =
            ee_str_from(ee_arena_printf(&page->arena, "%.*s: %.*s", EE_STR_ARG(judge->name), EE_STR_ARG(misfit->text)));
    }
  }
  ee_page_misfits(page, EE_MEDIUM_HTML, &all);
}

static ee_signature signature_of(const ee_summary *summary) {
  return (ee_signature){.rules = summary->plan->rules_hash,
                        .data = summary->totals->data_hash,
                        .records = summary->totals->records_hash,
                        .cases = summary->totals->scored,
                        .confidence = summary->plan->confidence,
                        .plan = summary->plan,
                        .options = summary->options};
}

void ee_run_page(const ee_summary *summary, ee_page *page) {
  add_head(page, summary);
  add_counts(page, summary);
  add_all_misfits(page, summary->totals);
  for (size_t i = 0; i < summary->plan->judge_count; i++)
    add_judge(page, summary, summary->plan->judges[i], &summary->totals->all.judges[i]);
  ee_mistakes_page(summary->mistakes, page);
  const ee_plan *plan = summary->plan;
  ee_trials_page(&summary->totals->trials, plan->confidence, plan->trial_rule, page);
  ee_calibration_page(ee_calibrations_of(plan, &summary->totals->all, &page->arena), plan->judge_count,
                      accept_of(summary), page);
  ee_measures_page(ee_measures_of(plan, &summary->totals->all, &page->arena), plan->measure_count, page);
  add_slices(page, summary->plan, summary->totals);
  ee_summaries_page(&summary->summaries, page);
  ee_page_section(page, EE_STR("gates"));
  add_gates(page, summary, EE_MEDIUM_TERMINAL | EE_MEDIUM_MARKDOWN);
  if (summary->inference != NULL && summary->inference->choices.count > 0)
    ee_reading_page(summary->inference, summary->saved_rules, page);
  ee_legend_page(plan, page);
  ee_signature signature = signature_of(summary);
  ee_signature_page(&signature, page);
}

/* JSON ------------------------------------------------------------------------------------------ */

/* Metrics of a judge without cases are left out. */
static void json_case_metrics(ee_json_out *json, const ee_judge *judge, const ee_judge_total *total,
                              double confidence) {
  if (total->case_metric_count == 0) return;
  ee_json_open(json, "case_metrics", '{');
  for (size_t i = 0; i < total->case_metric_count; i++) {
    const ee_sample *sample = &total->case_metrics[i].sample;
    const ee_value_counts *tally = &total->case_metrics[i].values;
    ee_json_open(json, ee_judge_case_metrics(judge)[i], '{');
    if (sample->count > 0) {
      ee_json_add_ranged(json, "mean", ee_total_mean(sample, &total->case_metrics[i].units, confidence));
      ee_json_add_number(json, "median", ee_value_counts_median(tally));
      if (tally->rounded) ee_json_add_bool(json, "rounded", true);
      ee_json_add_number(json, "min", ee_value_counts_min(tally));
      ee_json_add_number(json, "max", ee_value_counts_max(tally));
    }
    if (sample->count > 1) ee_json_add_number(json, "standard_deviation", ee_sample_deviation(sample));
    if (total->case_metrics[i].left_out > 0) ee_json_add_count(json, "left_out", total->case_metrics[i].left_out);
    ee_json_close(json, '}');
  }
  ee_json_close(json, '}');
}

static void json_ranking(ee_json_out *json, const ee_judge *judge, const ee_judge_total *total) {
  const ee_worst_cases *ranking = total->worst;
  if (ranking == NULL) return;
  ee_json_open(json, "ranking", '[');
  for (size_t i = 0; i < ranking->count; i++) {
    const ee_ranked_case *ranked = &ranking->cases[i];
    ee_json_open(json, NULL, '{');
    ee_json_add_count(json, "rank", i + 1);
    ee_json_add_text(json, "id", ranked->id);
    ee_json_add_number(json, "score", ranked->score);
    for (size_t k = 0; k < total->case_metric_count; k++)
      ee_json_add_metric(json, ee_judge_case_metrics(judge)[k],
                         (ee_metric){ranked->case_metrics[k] >= 0, ranked->case_metrics[k]});
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
  if (ranking->count < total->score.count) ee_json_add_bool(json, "ranking_truncated", true);
}

/* How lists were paired: only what is not 0. */
static void json_pairing(ee_json_out *json, const ee_judge_total *total) {
  if (total->fallbacks > 0) ee_json_add_count(json, "fallbacks_to_greedy", total->fallbacks);
  const ee_methods_total *methods = &total->methods;
  if (methods->compared == 0) return;
  ee_json_open(json, "methods", '{');
  ee_json_add_count(json, "compared", methods->compared);
  ee_json_add_count(json, "cases_with_different_pairs", methods->different);
  ee_json_add_count(json, "greedy_lost", methods->lost);
  ee_json_add_number(json, "similarity_lost", ee_fixed_value(methods->lost_similarity));
  ee_json_add_number(json, "mean_score_greedy", ee_fixed_mean(methods->greedy_score, methods->compared));
  ee_json_add_number(json, "mean_score_optimal", ee_fixed_mean(methods->optimal_score, methods->compared));
  ee_json_close(json, '}');
}

/* Undefined metrics are left out. */
static void json_metric(ee_json_out *json, const ee_corpus_metric *figure) {
  if (!figure->defined) return;
  if (figure->is_count)
    ee_json_add_count(json, figure->name, (uint64_t)figure->value);
  else
    ee_json_add_number(json, figure->name, figure->value);
}

static void json_corpus_table(ee_json_out *json, const char *name, const ee_corpus_table *table) {
  ee_json_open(json, name, '[');
  for (size_t i = 0; i < table->row_count; i++) {
    ee_json_open(json, NULL, '{');
    ee_json_add_text(json, table->row_title, table->rows[i].name);
    for (size_t k = 0; k < table->column_count; k++) json_metric(json, &table->rows[i].values[k]);
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
}

/* Corpus metrics: "figures", further tables by their names, "rows" (of classes, worst first) and "notes". */
static void json_corpus(ee_json_out *json, const ee_corpus_summary *summary) {
  ee_json_open(json, "figures", '{');
  for (size_t i = 0; i < summary->metric_count; i++) json_metric(json, &summary->metrics[i]);
  ee_json_close(json, '}');
  for (size_t i = 0; i < summary->table_count; i++)
    json_corpus_table(json, summary->tables[i].name, &summary->tables[i]);
  ee_corpus_table rows = rows_of(summary);
  json_corpus_table(json, "rows", &rows);
  if (summary->confusion != NULL) ee_label_matrix_json(json, summary->confusion);
  ee_json_open(json, "notes", '[');
  for (size_t i = 0; i < summary->note_count; i++) ee_json_add_text(json, NULL, summary->notes[i]);
  ee_json_close(json, ']');
}

/* The decimal signs that were decided from the values of the judge's fields. */
static void json_decimals(ee_json_out *json, const ee_decimals *decimals, const ee_judge *judge) {
  if (decimals == NULL || !decimals->decided) return;
  bool any = false;
  for (size_t i = 0; i < decimals->count; i++) {
    const ee_decimal *decimal = &decimals->items[i];
    if (decimal->judge != judge->number) continue;
    if (!any) ee_json_open(json, "decimals", '[');
    any = true;
    ee_json_open(json, NULL, '{');
    ee_json_add_text(json, "field", decimal->field);
    for (int side = EE_EXPECTED; side <= EE_CANDIDATE; side++) {
      char sign = ee_decimal_votes_sign(&decimal->votes, (ee_document_side)side);
      ee_json_open(json, ee_document_side_name((ee_document_side)side), '{');
      ee_json_add_text(json, "sign", (ee_str){&sign, 1});
      ee_json_add_count(json, "points", decimal->votes.points[side]);
      ee_json_add_count(json, "commas", decimal->votes.commas[side]);
      ee_json_close(json, '}');
    }
    ee_json_close(json, '}');
  }
  if (any) ee_json_close(json, ']');
}

/* A slice may well lack a path that others have. */
static void json_judge(ee_json_out *json, const ee_plan *plan, const ee_judge *judge, const ee_judge_total *total,
                       uint64_t cases, bool chosen) {
  ee_json_open(json, NULL, '{');
  ee_json_add_text(json, "name", judge->name);
  ee_json_add_text(json, "type", ee_str_from(judge->type->name));
  ee_json_add_number(json, "weight", judge->weight);
  ee_json_add_number(json, "pass_limit", judge->verdict.pass);
  ee_json_add_number(json, "borderline_limit", judge->verdict.borderline);
  if (judge->best > 0) ee_json_add_number(json, "best_score", judge->best);
  ee_json_add_mean(json, &total->score, ee_total_mean(&total->score, &total->units, plan->confidence));
  ee_json_add_verdicts(json, total->verdicts);
  ee_json_add_ranged(json, "pass_rate",
                     ee_total_pass_rate(&total->score, total->verdicts, &total->units, plan->confidence));
  ee_json_add_count(json, "in_error", total->failed);
  ee_json_add_count(json, "vacuous", total->vacuous);
  if (total->unscored > 0) ee_json_add_count(json, "unscored", total->unscored);
  uint64_t left_out = left_out_by(judge, total, cases);
  if (left_out > 0) ee_json_add_count(json, "left_out", left_out);
  ee_misfit_list misfits = ee_misfits_of(judge, total, chosen, json->arena);
  ee_json_add_misfits(json, &misfits);
  json_decimals(json, plan->decimals, judge);
  json_pairing(json, total);
  json_case_metrics(json, judge, total, plan->confidence);
  if (total->corpus != NULL) json_corpus(json, total->corpus);
  ee_json_add_attributes(json, total, ee_judge_splits_fp(judge), plan->confidence);
  json_ranking(json, judge, total);
  ee_json_close(json, '}');
}

static void json_judges(ee_json_out *json, const ee_plan *plan, const ee_score_totals *totals, uint64_t cases,
                        bool chosen) {
  ee_json_open(json, "judges", '[');
  for (size_t i = 0; i < plan->judge_count; i++)
    json_judge(json, plan, plan->judges[i], &totals->judges[i], cases, chosen);
  ee_json_close(json, ']');
}

static void json_slices(ee_json_out *json, const ee_plan *plan, const ee_totals *totals) {
  ee_json_open(json, "slices", '[');
  for (size_t path = 0; path < plan->slice_count; path++) {
    ee_json_open(json, NULL, '{');
    ee_json_add_text(json, "path", plan->slices[path]->text);
    ee_json_open(json, "values", '[');
    for (size_t i = 0; i < totals->slice_count; i++) {
      const ee_slice_total *slice = &totals->slices[i];
      if (slice->slice != path) continue;
      ee_json_open(json, NULL, '{');
      ee_json_add_text(json, "value", slice->value);
      ee_json_add_count(json, "cases", slice->totals.score.count);
      ee_json_add_mean(json, &slice->totals.score,
                       ee_total_mean(&slice->totals.score, &slice->totals.units, plan->confidence));
      ee_json_add_verdicts(json, slice->totals.verdicts);
      ee_json_add_ranged(
          json, "pass_rate",
          ee_total_pass_rate(&slice->totals.score, slice->totals.verdicts, &slice->totals.units, plan->confidence));
      ee_corrections_json(&slice->totals.corrections, plan->confidence, json);
      ee_measures_json(ee_measures_of(plan, &slice->totals, json->arena), plan->measure_count, json);
      json_judges(json, plan, &slice->totals, 0, true);
      ee_json_close(json, '}');
    }
    ee_json_close(json, ']');
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
}

/* Of a gate with a slice: its cases, and of one on every value the worst one and those that fail. */
static void json_gate_slice(ee_json_out *json, const ee_gate_result *result) {
  const ee_gate *gate = result->gate;
  if (gate->slice.length == 0) return;
  ee_json_add_count(json, "cases", result->cases);
  if (gate->slice_value.data != NULL) return;
  if (result->worst.data != NULL) ee_json_add_text(json, "worst", result->worst);
  ee_json_add_count(json, "values", result->values);
  ee_json_add_count(json, "values_not_decided", result->values_too_few);
  ee_json_add_count(json, "values_failed", result->values_failed);
  ee_json_open(json, "failed", '[');
  for (size_t i = 0; i < result->values_failed && i < EE_GATE_VALUES; i++) {
    ee_json_open(json, NULL, '{');
    ee_json_add_text(json, "value", result->failed[i].name);
    if (result->failed[i].defined) ee_json_add_number(json, "held", result->failed[i].held);
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
}

static void json_gate(ee_json_out *json, const ee_gate_result *result) {
  const ee_gate *gate = result->gate;
  ee_json_open(json, NULL, '{');
  if (gate->judge.length > 0) ee_json_add_text(json, "judge", gate->judge);
  if (gate->field.length > 0) ee_json_add_text(json, "field", gate->field);
  ee_json_add_text(json, "metric", ee_gate_metric_name(gate));
  if (gate->k > 0) ee_json_add_count(json, "k", gate->k);
  if (gate->slice.length > 0) ee_json_add_text(json, "slice", gate->slice);
  if (gate->has_min) ee_json_add_number(json, "min", gate->min);
  if (gate->has_max) ee_json_add_number(json, "max", gate->max);
  if (gate->min_support > 0) ee_json_add_count(json, "min_support", gate->min_support);
  if (gate->min_cases > 0) ee_json_add_count(json, "min_cases", gate->min_cases);
  if (gate->confidence > 0) ee_json_add_number(json, "confidence", gate->confidence);
  if (result->defined) ee_json_add_number(json, "value", result->value);
  if (result->defined && gate->confidence > 0) {
    ee_json_add_number(json, "low", result->range.low);
    ee_json_add_number(json, "high", result->range.high);
  }
  if (result->defined) ee_json_add_interval(json, "value_interval", result->range);
  ee_json_add_count(json, "units", result->units);
  json_gate_slice(json, result);
  ee_json_add_bool(json, "passed", result->passed);
  static const char *const doubts[] = {"undefined", "nothing was compared", "unread expected values",
                                       "nothing at its path", "no case has the slice"};
  if (result->too_few && result->cases < gate->min_cases)
    ee_json_add_text(json, "reason", EE_STR("too few cases"));
  else if (result->too_few)
    ee_json_add_text(json, "reason", EE_STR("too few units"));
  else if (!result->defined || result->doubt != EE_DOUBT_NONE)
    ee_json_add_text(json, "reason", ee_str_from(doubts[result->doubt]));
  if (ee_gate_is_undecided(result)) ee_json_add_bool(json, "undecided", true);
  if (result->doubted.length > 0) ee_json_add_text(json, "because_of", result->doubted);
  ee_json_close(json, '}');
}

static void json_rules(ee_json_out *json, const ee_plan *plan) {
  ee_json_open(json, "rules", '{');
  ee_json_add_text(json, "name", plan->name);
  if (plan->file != NULL && ee_utf8_valid_prefix(plan->file, strlen(plan->file)) == strlen(plan->file))
    ee_json_add_text(json, "file", ee_str_from(plan->file));
  ee_json_add_hash(json, "hash", plan->rules_hash);
  ee_json_close(json, '}');
}

/* Failures of a provider are there if the rules need one. */
static void json_coverage(ee_json_out *json, const ee_summary *summary) {
  const ee_totals *totals = summary->totals;
  const ee_expected_coverage *expected = &summary->expected;
  ee_json_add_count(json, "records", totals->records);
  ee_json_add_count(json, "cases", totals->scored);
  if (totals->unscored > 0) ee_json_add_count(json, "unscored", totals->unscored);
  ee_json_add_count(json, "not_selected", totals->filtered);
  if (totals->unjudged > 0) ee_json_add_count(json, "without_judge", totals->unjudged);
  if (expected->given) ee_json_add_count(json, "expected_records", expected->records);
  if (expected->whole && !expected->detections_given)
    ee_json_add_count(json, "expected_without_record", expected->without_record);
  if (expected->given && !expected->detections_given) ee_json_add_count(json, "judged_without_record", totals->absent);
  if (expected->detections_given) ee_json_add_count(json, "detections", expected->detections);
  ee_json_open(json, "errors", '{');
  ee_json_add_count(json, "unreadable", totals->unreadable);
  ee_json_add_count(json, "duplicate_ids", totals->duplicates);
  if (expected->given) ee_json_add_count(json, "expected_in_error", expected->in_error);
  if (expected->detections_given) {
    ee_json_add_count(json, "detections_in_error", expected->detections_in_error);
    ee_json_add_count(json, "detections_without_image", expected->detections_without_image);
  }
  ee_json_add_count(json, "rule_errors", totals->rule_errors);
  ee_json_add_count(json, "cases_with_rule_errors", totals->cases_with_rule_errors);
  if (totals->given_up > 0) {
    ee_json_add_count(json, "given_up", totals->given_up);
    ee_json_add_count(json, "cases_with_given_up", totals->cases_with_given_up);
  }
  uint64_t unread, in_error;
  sum_misfits(totals, &unread, &in_error);
  ee_json_add_count(json, "judges_in_error", in_error);
  ee_json_add_count(json, "expected_values_unread", unread);
  if (totals->plan->needs_provider) {
    ee_json_add_count(json, "provider_failures", totals->provider_failures);
    ee_json_add_count(json, "cases_with_provider_failures", totals->cases_with_provider_failures);
  }
  ee_json_close(json, '}');
  ee_json_open(json, "candidates", '{');
  ee_json_add_count(json, "missing", totals->candidates_missing);
  ee_json_add_count(json, "without_json", totals->candidates_unparseable);
  if (totals->lone_surrogates > 0) ee_json_add_count(json, "half_surrogate_pairs", totals->lone_surrogates);
  if (totals->repairable > 0) {
    ee_json_add_count(json, ee_plan_repairs(summary->plan) ? "repaired" : "repairable", totals->repairable);
    ee_json_open(json, "repairs", '{');
    for (int i = 0; i < EE_REPAIR_COUNT; i++)
      if (totals->repairs[i] > 0) ee_json_add_count(json, ee_repair_name((ee_repair)i), totals->repairs[i]);
    ee_json_close(json, '}');
  }
  ee_json_close(json, '}');
}

void ee_run_json(const ee_summary *summary, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_json_out json = {.out = out, .arena = &arena, .first = true};
  ee_json_open(&json, NULL, '{');
  ee_json_add_count(&json, "schema", 1);
  ee_json_add_text(&json, "version", EE_STR(EE_VERSION));
  ee_signature signature = signature_of(summary);
  ee_json_add_text(&json, "signature", ee_signature_text(&signature, &arena));
  json_rules(&json, summary->plan);
  ee_json_add_hash(&json, "data_hash", summary->totals->data_hash);
  ee_json_add_bool(&json, "interrupted", summary->interrupted);
  ee_json_add_bool(&json, "stopped", summary->stopped);
  if (summary->unended != NULL) ee_json_add_text(&json, "incomplete", ee_str_from(summary->unended));
  if (summary->missing_parts != NULL) ee_json_add_text(&json, "missing_parts", ee_str_from(summary->missing_parts));
  if (summary->counted_twice > 0) ee_json_add_count(&json, "counted_twice", summary->counted_twice);
  json_coverage(&json, summary);
  ee_json_add_number(&json, "confidence", summary->plan->confidence);
  ee_json_add_clusters(&json, summary->plan->cluster != NULL ? summary->plan->cluster->text : EE_STR(""),
                       &summary->totals->all.units, &summary->totals->all.score);
  ee_json_add_mean(&json, &summary->totals->all.score,
                   ee_total_mean(&summary->totals->all.score, &summary->totals->all.units, summary->plan->confidence));
  ee_json_add_verdicts(&json, summary->totals->all.verdicts);
  ee_json_add_ranged(&json, "pass_rate",
                     ee_total_pass_rate(&summary->totals->all.score, summary->totals->all.verdicts,
                                        &summary->totals->all.units, summary->plan->confidence));
  ee_corrections_json(&summary->totals->all.corrections, summary->plan->confidence, &json);
  ee_trials_json(&summary->totals->trials, summary->plan->confidence, &json);
  ee_measures_json(ee_measures_of(summary->plan, &summary->totals->all, &arena), summary->plan->measure_count, &json);
  json_judges(&json, summary->plan, &summary->totals->all, summary->totals->scored, summary->totals->chosen);
  json_slices(&json, summary->plan, summary->totals);
  ee_mistakes_json(summary->mistakes, &json);
  ee_calibration_json(ee_calibrations_of(summary->plan, &summary->totals->all, json.arena), summary->plan->judge_count,
                      accept_of(summary), &json);
  ee_summaries_json(&summary->summaries, &json);
  ee_json_open(&json, "gates", '[');
  for (size_t i = 0; i < summary->gate_count; i++) json_gate(&json, &summary->gates[i]);
  ee_json_close(&json, ']');
  if (summary->inference != NULL) ee_reading_json(summary->inference, summary->saved_rules, &json);
  ee_json_close(&json, '}');
  ee_buffer_add_char(out, '\n');
  ee_arena_fini(&arena);
}

/* CSV ------------------------------------------------------------------------------------------- */

/* One table of counts and what follows from them. Other metrics (rqs, completeness) have no column there. */
void ee_run_csv(const ee_summary *summary, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  bool any = summary->plan->measure_count > 0;
  const char *tail = any ? EE_CSV_NO_ATTRIBUTES EE_CSV_NO_MEASURES "\n" : EE_CSV_NO_ATTRIBUTES "\n";
  size_t start = out->length;
  ee_buffer_add_text(out, EE_CSV_ATTRIBUTES_HEAD);
  ee_buffer_add_text(out, any ? EE_CSV_MEASURES_HEAD "\n" : "\n");
  for (size_t i = 0; i < summary->plan->judge_count; i++) {
    const ee_judge *judge = summary->plan->judges[i];
    ee_csv_add_attributes(out, judge->name, &summary->totals->all.judges[i], ee_judge_splits_fp(judge),
                          any ? EE_CSV_NO_MEASURES : "", summary->plan->confidence, &arena);
    const ee_corpus_summary *corpus = summary->totals->all.judges[i].corpus;
    if (corpus != NULL && corpus->confusion != NULL)
      ee_label_matrix_csv(out, judge->name, corpus->confusion, any ? EE_CSV_NO_MEASURES : "");
  }
  ee_measures_csv(ee_measures_of(summary->plan, &summary->totals->all, &arena), summary->plan->measure_count, out);
  if (summary->unended != NULL) {
    ee_buffer_add_text(out, "(incomplete),");
    ee_csv_add_text(out, ee_str_from(summary->unended));
    ee_buffer_add_text(out, tail);
  }
  if (summary->missing_parts != NULL) {
    ee_buffer_add_text(out, "(missing),");
    ee_csv_add_text(out, ee_str_from(summary->missing_parts));
    ee_buffer_add_text(out, tail);
  }
  if (summary->counted_twice > 0) ee_buffer_addf(out, "(counted twice),%" PRIu64 "%s", summary->counted_twice, tail);
  ee_summaries_csv(&summary->summaries, start, out);
  ee_arena_fini(&arena);
}
