/* comparison_report.c: a comparison as a page, and a line a case as CSV. On the page the finding comes first, then the
 * metrics, then where they come from. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>

#include "data/json/json_reader.h"
#include "prim/number.h"
#include "prim/sort.h"
#include "prim/unicode.h"
#include "report/comparison_inside.h"
#include "report/csv.h"
#include "report/measures_report.h"

/* Words and numbers ----------------------------------------------------------------------------- */

const char *ee_change_text(ee_arena *arena, ee_metric metric) {
  double size = fabs(metric.value);
  if (!metric.defined) return "-";
  if (size <= EE_SCORE_SLACK) return "0.000";
  if (size >= 1e6) return ee_arena_printf(arena, "%+.3g", metric.value);
  if (size >= 1) return ee_arena_printf(arena, "%+.3f", metric.value);
  if (size < 1e-5) return ee_arena_printf(arena, "%+.0e", metric.value);
  if (size < 0.0005) return ee_arena_printf(arena, size < 1e-4 ? "%+.5f" : "%+.4f", metric.value);
  return ee_arena_printf(arena, "%c%s", metric.value < 0 ? '-' : '+',
                         ee_comparison_share(arena, (ee_metric){true, size}));
}

const char *ee_range_text(ee_arena *arena, ee_interval interval) {
  if (isnan(interval.low)) return "-";
  return ee_arena_printf(arena, "[%s, %s]", ee_comparison_share(arena, (ee_metric){true, interval.low}),
                         ee_comparison_share(arena, (ee_metric){true, interval.high}));
}

const char *ee_change_range_text(ee_arena *arena, ee_interval interval) {
  if (isnan(interval.low)) return "-";
  return ee_arena_printf(arena, "[%s, %s]", ee_change_text(arena, (ee_metric){true, interval.low}),
                         ee_change_text(arena, (ee_metric){true, interval.high}));
}

const char *ee_p_number(ee_arena *arena, double p) {
  if (isnan(p)) return "-";
  if (p < 0.001) return "< 0.001";
  return ee_comparison_share(arena, (ee_metric){true, p});
}

const char *ee_p_text(ee_arena *arena, double p) { return ee_arena_printf(arena, "p %s", ee_p_number(arena, p)); }

const char *ee_finding_text(ee_finding_of_runs finding) {
  static const char *const words[] = {[EE_RUNS_EQUAL] = "no difference",
                                      [EE_RUNS_BETTER] = "better",
                                      [EE_RUNS_WORSE] = "worse",
                                      [EE_RUNS_UNDECIDED] = "no evidence of a difference"};
  return words[finding];
}

static const char *confidence_head(const ee_comparison *comparison, ee_arena *arena) {
  return ee_arena_printf(arena, "(%s)", ee_confidence_text(arena, comparison->options.confidence));
}

/* " (only 3 scores differ)" if too few cases differ for any evidence; else empty. */
static const char *excuse_text(const ee_comparison *comparison, ee_arena *arena) {
  uint64_t changed = comparison->changed;
  if (comparison->finding != EE_RUNS_UNDECIDED || changed >= EE_FEWEST_CHANGES) return "";
  if (changed == 0) return " (no score differs)";
  return ee_arena_printf(arena, " (only %d score%s)", (int)changed, changed == 1 ? " differs" : "s differ");
}

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

static ee_ink ink_of_change(ee_metric change) {
  if (!change.defined || (change.value >= -EE_SCORE_SLACK && change.value <= EE_SCORE_SLACK)) return EE_INK_DIM;
  return change.value < 0 ? EE_INK_RED : EE_INK_GREEN;
}

static ee_cell change_cell(ee_arena *arena, ee_metric change) {
  return ee_cell_words(ee_change_text(arena, change), ink_of_change(change));
}

/* How many of `count` cases or fields are listed. */
static size_t shown_of(const ee_comparison *comparison, size_t count) {
  size_t shown = comparison->options.shown;
  return shown > 0 && shown < count ? shown : count;
}

/* A name of the data, whole in markup. */
static ee_cell name_cell(ee_str name, ee_ink ink) {
  ee_cell cell = ee_cell_data(name, ink);
  cell.max_markup_columns = 0;
  return cell;
}

static ee_line *terminal_line(ee_page *page) { return ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH); }

/* After a table and not in it, where it would widen the column of names. Ends what can be opened, in markup. */
static void add_more(ee_page *page, size_t count) {
  if (count > 0) {
    ee_line_addf(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_PARAGRAPH), EE_INK_PLAIN, "%zu more.", count);
    ee_line *line = terminal_line(page);
    ee_line_add(page, line, ee_cell_words("  ", EE_INK_PLAIN));
    ee_line_addf(page, line, EE_INK_DIM, "%zu more: --verbose, --format json", count);
  }
  ee_page_details_end(page);
}

/* The head -------------------------------------------------------------------------------------- */

static void add_names(ee_page *page, ee_line *line, const ee_comparison *comparison, ee_cell_kind kind) {
  for (int side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++) {
    if (side == EE_SIDE_NEW) ee_line_add(page, line, ee_cell_words(" \xe2\x86\x92 ", EE_INK_PLAIN));
    ee_str name = ee_str_from(ee_comparison_name(comparison, (ee_side)side));
    ee_line_add(page, line, (ee_cell){.text = name, .kind = kind});
  }
}

/* "better  base.jsonl -> new.jsonl" */
static void add_finding(ee_page *page, const ee_comparison *comparison) {
  static const ee_ink inks[] = {[EE_RUNS_EQUAL] = EE_INK_BOLD,
                                [EE_RUNS_BETTER] = EE_INK_GREEN,
                                [EE_RUNS_WORSE] = EE_INK_RED,
                                [EE_RUNS_UNDECIDED] = EE_INK_YELLOW};
  ee_line *line = terminal_line(page);
  ee_line_add(page, line, ee_cell_words(ee_finding_text(comparison->finding), inks[comparison->finding]));
  ee_line_addf(page, line, EE_INK_PLAIN, "%s  ", excuse_text(comparison, &page->arena));
  add_names(page, line, comparison, EE_CELL_QUOTE);
}

/* "p 0.012, by random signs 0.011" */
static const char *chance_text(const ee_comparison *comparison, ee_arena *arena) {
  return ee_arena_printf(arena, "%s, by random signs %s", ee_p_text(arena, comparison->score.p),
                         ee_p_number(arena, comparison->sign_p));
}

/* "120 cases", "24 clusters of 120 cases" */
static const char *units_text(const ee_comparison *comparison, ee_arena *arena) {
  if (!comparison->clustered)
    return ee_arena_printf(arena, "%zu case%s", comparison->case_count, plural(comparison->case_count));
  return ee_arena_printf(arena, "%" PRIu64 " cluster%s of %zu cases", comparison->units, plural(comparison->units),
                         comparison->case_count);
}

/* "120 cases can show changes of 0.058 or more (80 % power)" */
static const char *detectable_text(const ee_comparison *comparison, ee_arena *arena) {
  const char *units = units_text(comparison, arena);
  if (!(comparison->detectable < 1))
    return ee_arena_printf(arena, "%s: too few to show any change of the mean score", units);
  return ee_arena_printf(arena, "%s can show changes of %s or more (80 %% power)", units,
                         ee_comparison_share(arena, (ee_metric){true, comparison->detectable}));
}

static const char *margin_word(const ee_comparison *comparison) {
  static const char *const words[] = {
      [EE_MARGIN_UNDECIDED] = "UNDECIDED", [EE_MARGIN_NOT_WORSE] = "NOT WORSE", [EE_MARGIN_WORSE] = "WORSE"};
  return words[comparison->margin];
}

/* After the word: " by more than 0.01: the interval is above -0.01; equivalent: ..." */
static const char *margin_text(const ee_comparison *comparison, ee_arena *arena) {
  const double margin = comparison->options.margin;
  switch (comparison->margin) {
  case EE_MARGIN_NOT_WORSE:
    return ee_arena_printf(arena, " by more than %g%s", margin,
                           comparison->equivalent
                               ? ee_arena_printf(arena, "; equivalent: the interval is within -%g..%g", margin, margin)
                               : "");
  case EE_MARGIN_WORSE: return ee_arena_printf(arena, " by more than %g: the interval is below -%g", margin, margin);
  default:
    return ee_arena_printf(arena, " whether worse by more than %g: the interval contains -%g%s", margin, margin,
                           comparison->finding == EE_RUNS_EQUAL ? ", since no more cases were compared" : "");
  }
}

/* What the first line rests on: the change of the mean score, what these cases can show, the margin. */
static void add_basis(ee_page *page, const ee_comparison *comparison) {
  static const ee_ink inks[] = {
      [EE_MARGIN_UNDECIDED] = EE_INK_YELLOW, [EE_MARGIN_NOT_WORSE] = EE_INK_GREEN, [EE_MARGIN_WORSE] = EE_INK_RED};
  ee_arena *arena = &page->arena;
  const ee_estimate *score = &comparison->score;
  ee_line *line = terminal_line(page);
  ee_line_addf(page, line, EE_INK_PLAIN, "mean score %s %s %s  %s", ee_change_text(arena, score->change),
               ee_change_range_text(arena, score->change_range), confidence_head(comparison, arena),
               chance_text(comparison, arena));
  ee_line_add(page, terminal_line(page), ee_cell_words(detectable_text(comparison, arena), EE_INK_DIM));
  if (!(comparison->options.margin > 0)) return;
  line = ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_PARAGRAPH);
  ee_line_add(page, line,
              (ee_cell){.text = ee_str_from(margin_word(comparison)), .ink = inks[comparison->margin], .strong = true});
  ee_line_add(page, line, ee_cell_words(margin_text(comparison, arena), EE_INK_PLAIN));
}

/* "### Worse: mean score 0.912 -> 0.887 (-0.025, 95 % [-0.041, -0.010], p 0.002)" */
static void add_headline(ee_page *page, const ee_comparison *comparison) {
  ee_arena *arena = &page->arena;
  const ee_estimate *score = &comparison->score;
  const char *finding = ee_finding_text(comparison->finding);
  ee_line *line = ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_HEADING);
  ee_line_addf(page, line, EE_INK_PLAIN, "%c%s%s: mean score %s \xe2\x86\x92 %s", toupper((unsigned char)*finding),
               finding + 1, excuse_text(comparison, arena), ee_comparison_share(arena, score->before),
               ee_comparison_share(arena, score->after));
  ee_line_addf(page, line, EE_INK_PLAIN, " (%s, %s %s, %s)", ee_change_text(arena, score->change),
               ee_confidence_text(arena, comparison->options.confidence),
               ee_change_range_text(arena, score->change_range), chance_text(comparison, arena));
}

static void add_sentence(ee_page *page, const ee_comparison *comparison) {
  const uint64_t *outcomes = comparison->outcomes;
  ee_line *line = ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_PARAGRAPH);
  add_names(page, line, comparison, EE_CELL_DATA);
  ee_line_addf(page, line, EE_INK_PLAIN, ", %zu case%s: %" PRIu64 " won, %" PRIu64 " lost, %" PRIu64 " tied",
               comparison->case_count, plural(comparison->case_count), outcomes[EE_OUTCOME_WIN],
               outcomes[EE_OUTCOME_LOSS], outcomes[EE_OUTCOME_TIE]);
  if (comparison->options.threshold > 0)
    ee_line_addf(page, line, EE_INK_PLAIN, " (by at least %g)", comparison->options.threshold);
  ee_line_addf(page, line, EE_INK_PLAIN,
               "; passes: %" PRIu64 " gained, %" PRIu64 " lost (McNemar %s); fields: %" PRIu64 " fixed, %" PRIu64
               " broken; mean normalised gain of the %" PRIu64 " with base below 1 %s. %s.",
               comparison->pass_fixed, comparison->pass_broken, ee_p_text(&page->arena, comparison->pass_p),
               comparison->fixed, comparison->broken, comparison->gains, ee_change_text(&page->arena, comparison->gain),
               detectable_text(comparison, &page->arena));
}

void ee_comparison_add_failure(ee_page *page, ee_fail_on fail_on, const char *reason) {
  if (reason == NULL) return;
  ee_line *line = ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_PARAGRAPH);
  const char *option = ee_arena_printf(&page->arena, "--fail-on %s", ee_fail_on_name(fail_on));
  ee_line_add(page, line, (ee_cell){.text = EE_STR("Fails"), .strong = true});
  ee_line_add(page, line, ee_cell_words(" (", EE_INK_PLAIN));
  ee_line_add(page, line, (ee_cell){.text = ee_str_from(option), .kind = EE_CELL_DATA});
  ee_line_add(page, line, ee_cell_words("): ", EE_INK_PLAIN));
  ee_line_add(page, line, (ee_cell){.text = ee_str_from(reason), .kind = EE_CELL_DATA});
}

/* Metrics --------------------------------------------------------------------------------------- */

/* A row: a metric of one judge, or of all where `judge` is empty. */
static void add_estimate_row(ee_grid *grid, ee_str judge, const char *metric, const ee_estimate *values) {
  enum { NAME, MARKUP_NAME, BASE, BASE_RANGE, NEW, NEW_RANGE, CHANGE, CHANGE_RANGE, P };
  ee_arena *arena = grid->arena;
  ee_cell *cells = ee_grid_add(grid);
  cells[NAME] = cells[MARKUP_NAME] = ee_cell_words(metric, EE_INK_PLAIN);
  if (judge.length > 0) {
    int length = (int)ee_utf8_cut(judge, EE_NAME_COLUMNS);
    const char *name = ee_arena_printf(arena, "%.*s: %s", length, judge.data, metric);
    cells[NAME] = (ee_cell){.text = ee_str_from(name), .kind = EE_CELL_QUOTE};
    ee_cell *rest = EE_NEW(arena, ee_cell);
    *rest = ee_cell_words(ee_arena_printf(arena, " %s", metric), EE_INK_PLAIN);
    cells[MARKUP_NAME] = (ee_cell){.text = judge, .kind = EE_CELL_DATA, .next = rest};
  }
  cells[BASE] = ee_cell_metric(arena, values->before, EE_INK_PLAIN);
  cells[BASE_RANGE] = ee_cell_words(ee_range_text(arena, values->before_range), EE_INK_DIM);
  cells[NEW] = ee_cell_metric(arena, values->after, EE_INK_BOLD);
  cells[NEW_RANGE] = ee_cell_words(ee_range_text(arena, values->after_range), EE_INK_DIM);
  cells[CHANGE] = change_cell(arena, values->change);
  cells[CHANGE].strong = true;
  cells[CHANGE_RANGE] = ee_cell_words(ee_change_range_text(arena, values->change_range), EE_INK_PLAIN);
  cells[P] = ee_cell_words(ee_p_number(arena, values->p), EE_INK_PLAIN);
}

/* Mean score, pass rate, and for each judge score (where there are several), micro and macro F1. Narrower terminals do
 * without the intervals of the two runs, since that of the change matters more. */
static void add_estimates(ee_page *page, const ee_comparison *comparison) {
  const char *head = confidence_head(comparison, &page->arena);
  const ee_column columns[] = {
      {.name = "", .left = true, .name_column = true, .hidden_in = EE_MEDIUM_MARKUP},
      {.name = "", .left = true, .hidden_in = EE_MEDIUM_TERMINAL},
      {.name = "base"},
      {.name = head, .wide_only = true},
      {.name = "new"},
      {.name = head, .wide_only = true},
      {.name = "change"},
      {.name = head},
      {.name = "p"},
  };
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, sizeof columns / sizeof *columns);
  add_estimate_row(grid, EE_STR(""), "mean score", &comparison->score);
  add_estimate_row(grid, EE_STR(""), "pass rate", &comparison->pass);
  if (comparison->straight_through.change.defined)
    add_estimate_row(grid, EE_STR(""), "straight-through", &comparison->straight_through);
  for (size_t i = 0; i < comparison->judge_count; i++) {
    const ee_compared_judge *judge = &comparison->judges[i];
    ee_str name = comparison->known_judges.items[judge->judge].name;
    if (comparison->judge_count > 1 && judge->score.before.defined)
      add_estimate_row(grid, name, "score", &judge->score);
    if (!judge->any_counts) continue;
    add_estimate_row(grid, name, "micro F1", &judge->micro);
    add_estimate_row(grid, name, "macro F1", &judge->macro);
  }
}

/* Of measures less is better. */
static void add_measures(ee_page *page, const ee_comparison *comparison) {
  const ee_column columns[] = {{.name = "mean of", .left = true, .name_column = true},
                               {.name = "cases", .wide_only = true},
                               {.name = "base"},
                               {.name = "new"},
                               {.name = "change"},
                               {.name = confidence_head(comparison, &page->arena)},
                               {.name = "p"}};
  ee_arena *arena = &page->arena;
  if (comparison->measure_count == 0) return;
  ee_page_space(page);
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, sizeof columns / sizeof *columns);
  for (size_t i = 0; i < comparison->measure_count; i++) {
    const ee_compared_measure *measure = &comparison->measures[i];
    const ee_metric change = measure->mean.change;
    ee_interval range = measure->mean.change_range;
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = ee_cell_data(comparison->known_measures.items[measure->measure].name, EE_INK_PLAIN);
    cells[1] = ee_cell_count(arena, measure->cases, EE_INK_PLAIN);
    cells[2] = ee_cell_words(ee_measure_text(arena, measure->mean.before), EE_INK_PLAIN);
    cells[3] = ee_cell_words(ee_measure_text(arena, measure->mean.after), EE_INK_BOLD);
    cells[4] = ee_cell_words(ee_measure_change_text(arena, change), !change.defined || change.value == 0 ? EE_INK_DIM
                                                                    : change.value > 0                   ? EE_INK_RED
                                                                                       : EE_INK_GREEN);
    cells[4].strong = true;
    cells[5] =
        ee_cell_words(isnan(range.low) ? "-"
                                       : ee_arena_printf(arena, "[%s, %s]",
                                                         ee_measure_change_text(arena, (ee_metric){true, range.low}),
                                                         ee_measure_change_text(arena, (ee_metric){true, range.high})),
                      EE_INK_PLAIN);
    cells[6] = ee_cell_words(ee_p_number(arena, measure->mean.p), EE_INK_PLAIN);
  }
}

static void add_outcomes(ee_page *page, const ee_comparison *comparison) {
  ee_arena *arena = &page->arena;
  const ee_count counts[] = {
      {"won", comparison->outcomes[EE_OUTCOME_WIN], EE_INK_GREEN, EE_COUNT_ALWAYS, NULL, NULL},
      {"lost", comparison->outcomes[EE_OUTCOME_LOSS], EE_INK_RED, EE_COUNT_ALWAYS, NULL, NULL},
      {"tied", comparison->outcomes[EE_OUTCOME_TIE], EE_INK_PLAIN, EE_COUNT_ALWAYS, NULL, NULL},
  };
  const char *threshold = "", *cases = "";
  if (comparison->options.threshold > 0)
    threshold = ee_arena_printf(arena, "  (by at least %g)", comparison->options.threshold);
  if (comparison->gains < comparison->case_count)
    cases =
        ee_arena_printf(arena, " (%" PRIu64 " case%s with base below 1)", comparison->gains, plural(comparison->gains));
  ee_page_space(page);
  ee_page_counts(
      page, EE_MEDIUM_TERMINAL, ee_arena_printf(arena, "cases %zu", comparison->case_count), counts, 3,
      ee_arena_printf(arena, "%s  normalised gain %s%s", threshold, ee_change_text(arena, comparison->gain), cases));
}

/* Passes and verdicts; the table only where a verdict changed. */
static void add_verdicts(ee_page *page, const ee_comparison *comparison) {
  static const ee_column columns[] = {{.name = "base \xe2\x86\x92 new", .left = true, .name_column = true},
                                      {.name = "pass"},
                                      {.name = "borderline"},
                                      {.name = "fail"}};
  const ee_count counts[] = {
      {"kept", comparison->verdicts[EE_VERDICT_PASS][EE_VERDICT_PASS], EE_INK_PLAIN, EE_COUNT_ALWAYS, NULL, NULL},
      {"gained", comparison->pass_fixed, EE_INK_GREEN, EE_COUNT_ALWAYS, NULL, NULL},
      {"lost", comparison->pass_broken, EE_INK_RED, EE_COUNT_ALWAYS, NULL, NULL},
  };
  ee_page_space(page);
  ee_page_counts(page, EE_MEDIUM_TERMINAL, "passes", counts, 3,
                 ee_arena_printf(&page->arena, "  McNemar %s", ee_p_text(&page->arena, comparison->pass_p)));
  uint64_t same = 0;
  for (size_t i = 0; i < 3; i++) same += comparison->verdicts[i][i];
  if (same == comparison->case_count) return;
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_TERMINAL, columns, 4);
  for (size_t before = 0; before < 3; before++) {
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = ee_cell_words(ee_verdict_name((ee_verdict)before), EE_INK_PLAIN);
    for (size_t after = 0; after < 3; after++) {
      ee_ink ink = after > before ? EE_INK_RED : after < before ? EE_INK_GREEN : EE_INK_PLAIN;
      cells[after + 1] = ee_cell_count_dim(&page->arena, comparison->verdicts[before][after], ink);
    }
  }
}

/* Notes ----------------------------------------------------------------------------------------- */

static void add_terminal_notes(ee_page *page, const ee_comparison *comparison) {
  if (comparison->notes.count > 0) ee_page_space(page);
  for (size_t i = 0; i < comparison->notes.count; i++) {
    ee_line *line = terminal_line(page);
    ee_line_add(page, line, ee_cell_words("note", EE_INK_YELLOW));
    ee_line_add(page, line, ee_cell_words("  ", EE_INK_PLAIN));
    ee_line_add(page, line, (ee_cell){.text = ee_str_from(comparison->notes.items[i]), .kind = EE_CELL_QUOTE});
  }
}

static void add_markup_notes(ee_page *page, const ee_comparison *comparison) {
  size_t count = comparison->notes.count;
  if (count == 0) return;
  ee_str *notes = EE_NEW_ARRAY(&page->arena, ee_str, count);
  for (size_t i = 0; i < count; i++) notes[i] = ee_str_from(comparison->notes.items[i]);
  ee_line_addf(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_DETAILS), EE_INK_PLAIN, "%zu note%s on the data",
               count, plural(count));
  ee_page_notes(page, EE_MEDIUM_MARKUP, notes, count);
  ee_page_details_end(page);
}

/* Fields and slices ----------------------------------------------------------------------------- */

static const char *corrected_head(const ee_comparison *comparison) {
  static const char *const heads[] = {
      [EE_CORRECTION_HOLM] = "p (Holm)", [EE_CORRECTION_BH] = "p (BH)", [EE_CORRECTION_NONE] = "p"};
  return heads[comparison->options.correction];
}

/* "worse, better: p (Holm) of 14 at most 0.05" */
static const char *family_text(const ee_comparison *comparison, ee_arena *arena, size_t count) {
  char level[32];
  ee_double_format_short(1 - comparison->options.confidence, 6, level);
  return ee_arena_printf(arena, "worse, better: %s of %zu at most %s", corrected_head(comparison), count, level);
}

static ee_cell verdict_cell(int verdict) {
  return verdict < 0   ? ee_cell_words("worse", EE_INK_RED)
         : verdict > 0 ? ee_cell_words("better", EE_INK_GREEN)
                       : ee_cell_words("", EE_INK_PLAIN);
}

static void add_field(ee_grid *grid, const ee_comparison *comparison, const ee_compared_field *field) {
  ee_arena *arena = grid->arena;
  ee_metric before = field->f1.before, after = field->f1.after, change = field->f1.change;
  ee_ink ink = field->broken > field->fixed ? EE_INK_RED : field->broken < field->fixed ? EE_INK_GREEN : EE_INK_PLAIN;
  ee_cell *cells = ee_grid_add(grid);
  cells[0] = name_cell(ee_comparison_field_name(comparison, field->attribute, arena), ink);
  const ee_link_part link[] = {{"judge", comparison->known_judges.items[field->judge].name},
                               {"field", comparison->known_attributes.items[field->attribute].name}};
  if (field->fixed + field->broken + field->still_wrong > 0) cells[0].link = ee_page_link(arena, link, 2);
  cells[1] = ee_cell_count_dim(arena, field->fixed, EE_INK_GREEN);
  cells[2] = ee_cell_count_dim(arena, field->broken, EE_INK_RED);
  cells[3] = ee_cell_count_dim(arena, field->still_wrong, EE_INK_PLAIN);
  cells[4] = cells[14] = ee_cell_count_dim(arena, field->fewer, EE_INK_GREEN);
  cells[5] = cells[15] = ee_cell_count_dim(arena, field->more, EE_INK_RED);
  cells[6] = ee_cell_count_dim(arena, field->still_right, EE_INK_PLAIN);
  cells[7] = ee_cell_metric(arena, before, EE_INK_PLAIN);
  cells[8] = ee_cell_metric(arena, after, EE_INK_BOLD);
  cells[9] = change_cell(arena, change);
  cells[10] = ee_cell_words(ee_change_range_text(arena, field->f1.change_range), EE_INK_PLAIN);
  cells[11] = ee_cell_words(ee_p_number(arena, field->f1.p), EE_INK_PLAIN);
  cells[12] = ee_cell_words(ee_p_number(arena, field->f1.p_adjusted), EE_INK_PLAIN);
  cells[13] = verdict_cell(ee_field_verdict(comparison, field));
}

static void add_fields(ee_page *page, const ee_comparison *comparison) {
  if (comparison->field_count == 0) return;
  /* Columns of degrees, where some field is still wrong, but not as before; they are last in markup. */
  bool degrees = ee_comparison_has_degrees(comparison);
  const ee_medium early = degrees ? EE_MEDIUM_MARKUP : EE_MEDIUM_ALL,
                  late = degrees ? EE_MEDIUM_TERMINAL : EE_MEDIUM_ALL,
                  uncorrected = comparison->options.correction == EE_CORRECTION_NONE ? EE_MEDIUM_ALL : EE_MEDIUM_NONE;
  const ee_column columns[] = {{.name = "field", .left = true, .name_column = true},
                               {.name = "fixed"},
                               {.name = "broken"},
                               {.name = "still wrong", .wide_only = true},
                               {.name = "fewer errors", .wide_only = true, .hidden_in = early},
                               {.name = "more", .wide_only = true, .hidden_in = early},
                               {.name = "still right", .wide_only = true},
                               {.name = "base F1"},
                               {.name = "new F1"},
                               {.name = "change"},
                               {.name = confidence_head(comparison, &page->arena), .wide_only = true, .spare = 1},
                               {.name = "p", .hidden_in = uncorrected},
                               {.name = corrected_head(comparison)},
                               {.name = "", .left = true},
                               {.name = "fewer errors", .hidden_in = late},
                               {.name = "more errors", .hidden_in = late}};
  size_t *order, count = ee_comparison_rank_fields(comparison, &page->arena, &order);
  size_t shown = shown_of(comparison, count), unchanged = comparison->field_count - count;
  ee_page_space(page);
  ee_line *line = terminal_line(page);
  ee_line_add(page, line, ee_cell_words("fields", EE_INK_BOLD));
  ee_line_addf(page, line, EE_INK_PLAIN, "  changed %zu  unchanged %zu", count, unchanged);
  if (count == 0) return;
  const char *family = family_text(comparison, &page->arena, ee_comparison_field_family(comparison));
  ee_line_addf(page, line, EE_INK_DIM, "  (%s)", family);
  ee_line_addf(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_DETAILS), EE_INK_PLAIN,
               "%zu field%s changed, %zu did not (%s)", count, plural(count), unchanged, family);
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, sizeof columns / sizeof *columns);
  for (size_t i = 0; i < shown; i++) add_field(grid, comparison, &comparison->fields[order[i]]);
  add_more(page, count - shown);
}

typedef struct ranked_slice {
  double p;
  size_t number;
} ranked_slice;

static bool slice_before(const ranked_slice *a, const ranked_slice *b) { return a->p < b->p; }
EE_DEFINE_SORT(sort_slices, ranked_slice, slice_before)

/* Those whose change is least likely by chance first, so that slices of a few cases are not on top. */
static void add_slices(ee_page *page, const ee_comparison *comparison) {
  ee_arena *arena = &page->arena;
  const ee_medium uncorrected = comparison->options.correction == EE_CORRECTION_NONE ? EE_MEDIUM_ALL : EE_MEDIUM_NONE;
  const ee_column columns[] = {{.name = "slice", .left = true, .name_column = true},
                               {.name = "cases"},
                               {.name = "base"},
                               {.name = "new"},
                               {.name = "change"},
                               {.name = confidence_head(comparison, arena), .wide_only = true},
                               {.name = "p", .hidden_in = uncorrected},
                               {.name = corrected_head(comparison)},
                               {.name = "", .left = true}};
  ranked_slice *order = EE_NEW_ARRAY(arena, ranked_slice, comparison->slice_count + 1);
  size_t count = 0;
  for (size_t i = 0; i < comparison->slice_count; i++) {
    const ee_compared_slice *slice = &comparison->slices[i];
    if (slice->cases > 0) order[count++] = (ranked_slice){isnan(slice->score.p) ? 2 : slice->score.p, i};
  }
  if (count == 0) return;
  sort_slices(order, count, arena);
  ee_page_space(page);
  const char *family = family_text(comparison, arena, ee_comparison_slice_family(comparison));
  ee_line *line = terminal_line(page);
  ee_line_add(page, line, ee_cell_words("slices", EE_INK_BOLD));
  ee_line_addf(page, line, EE_INK_DIM, "  (mean scores; %s)", family);
  ee_line_addf(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_DETAILS), EE_INK_PLAIN,
               "Mean scores of %zu slice%s (%s)", count, plural(count), family);
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, sizeof columns / sizeof *columns);
  size_t shown = shown_of(comparison, count);
  for (size_t i = 0; i < shown; i++) {
    const ee_compared_slice *slice = &comparison->slices[order[i].number];
    const int verdict = ee_estimate_verdict(comparison, &slice->score);
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = name_cell(ee_comparison_slice_name(comparison, slice, arena), verdict < 0   ? EE_INK_RED
                                                                             : verdict > 0 ? EE_INK_GREEN
                                                                                           : EE_INK_PLAIN);
    cells[1] = ee_cell_count(arena, slice->cases, EE_INK_PLAIN);
    cells[2] = ee_cell_metric(arena, slice->score.before, EE_INK_PLAIN);
    cells[3] = ee_cell_metric(arena, slice->score.after, EE_INK_BOLD);
    cells[4] = change_cell(arena, slice->score.change);
    cells[5] = ee_cell_words(ee_change_range_text(arena, slice->score.change_range), EE_INK_PLAIN);
    cells[6] = ee_cell_words(ee_p_number(arena, slice->score.p), EE_INK_PLAIN);
    cells[7] = ee_cell_words(ee_p_number(arena, slice->score.p_adjusted), EE_INK_PLAIN);
    cells[8] = verdict_cell(verdict);
  }
  add_more(page, count - shown);
}

/* Cases ----------------------------------------------------------------------------------------- */

/* Fields of a case that are named. */
#define CHANGES_SHOWN 4

static void add_changed_fields(ee_page *page, ee_line *line, const ee_comparison *comparison,
                               const ee_compared_case *item, bool broken) {
  size_t count = broken ? item->broken : item->fixed, shown = 0;
  if (count == 0) return;
  ee_line_addf(page, line, EE_INK_PLAIN, "%s%s ", line->first != NULL ? "; " : "", broken ? "broken" : "fixed");
  for (size_t i = 0; i < item->fixed + item->broken && shown < CHANGES_SHOWN; i++) {
    const ee_change *change = &comparison->changes.items[item->first_change + i];
    if (change->broken != broken) continue;
    if (shown++ > 0) ee_line_add(page, line, ee_cell_words(", ", EE_INK_PLAIN));
    ee_cell name = name_cell(ee_comparison_field_name(comparison, change->attribute, &page->arena), EE_INK_PLAIN);
    ee_line_add(page, line, name);
  }
  if (shown < count) ee_line_addf(page, line, EE_INK_PLAIN, " and %zu more", count - shown);
}

/* "pass -> fail; broken total, date and 2 more; fixed number"; may be empty. */
static ee_cell changes_cell(ee_page *page, const ee_comparison *comparison, const ee_compared_case *item) {
  ee_line line = {0};
  if (item->base->verdict != item->fresh->verdict)
    ee_line_addf(page, &line, EE_INK_PLAIN, "%s \xe2\x86\x92 %s", ee_verdict_name(item->base->verdict),
                 ee_verdict_name(item->fresh->verdict));
  add_changed_fields(page, &line, comparison, item, true);
  add_changed_fields(page, &line, comparison, item, false);
  return line.first != NULL ? *line.first : (ee_cell){0};
}

/* `counts`: all such cases, and those of them that are tied; `listed` of them are in `order`. */
static void add_cases(ee_page *page, const ee_comparison *comparison, const char *title, const size_t *order,
                      size_t listed, const uint64_t counts[2], ee_ink ink) {
  static const ee_column columns[] = {
      {.name = "id", .markup_name = "case", .left = true, .name_column = true},
      {.name = "what changed", .left = true, .hidden_in = EE_MEDIUM_TERMINAL},
      {.name = "base"},
      {.name = "new"},
      {.name = "change"},
      {.name = "what changed", .left = true, .fill = true, .hidden_in = EE_MEDIUM_MARKUP},
  };
  const size_t count = (size_t)counts[0], ties = (size_t)counts[1];
  if (count == 0) return;
  ee_arena *arena = &page->arena;
  size_t shown = shown_of(comparison, listed);
  const char *tied = ties > 0 ? ee_arena_printf(arena, "(%zu tied)", ties) : "";
  ee_page_space(page);
  ee_line *line = terminal_line(page);
  ee_line_add(page, line, ee_cell_words(title, EE_INK_BOLD));
  ee_line_addf(page, line, EE_INK_PLAIN, "  %zu%s%s", count, ties > 0 ? "  " : "", tied);
  ee_line_addf(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_DETAILS), EE_INK_PLAIN, "%zu case%s got %s%s%s",
               count, plural(count), title, ties > 0 ? " " : "", tied);
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, sizeof columns / sizeof *columns);
  for (size_t i = 0; i < shown; i++) {
    const ee_compared_case *item = &comparison->cases[order[i]];
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = name_cell(item->base->id, ink);
    cells[0].link = ee_page_case_link(&page->arena, item->base->id);
    cells[1] = cells[5] = changes_cell(page, comparison, item);
    cells[2] = ee_cell_score(arena, item->base->score, EE_INK_PLAIN);
    cells[3] = ee_cell_score(arena, item->fresh->score, EE_INK_BOLD);
    cells[4] = change_cell(arena, (ee_metric){true, item->delta});
  }
  add_more(page, count - shown);
}

/* Values ---------------------------------------------------------------------------------------- */

/* Columns of a value, and of what is shown before the first difference of two longer ones. */
#define VALUE_COLUMNS 32
#define VALUE_LEAD 12

/* A JSON value as a person writes it: a string without quotes. */
static ee_str plain_text(ee_str json, ee_arena *arena) {
  ee_error error;
  if (json.length == 0 || json.data[0] != '"') return json;
  const ee_value *value = ee_json_read(arena, json, NULL, &error);
  return value != NULL && ee_value_text(value).length > 0 ? ee_value_text(value) : json;
}

/* Bytes that both begin with, up to a character's start. */
static size_t common_start(ee_str a, ee_str b) {
  size_t length = 0;
  while (length < a.length && length < b.length && a.data[length] == b.data[length]) length++;
  return ee_utf8_cut((ee_str){a.data, length < a.length ? length + 1 : length}, length);
}

/* At most VALUE_COLUMNS of a text that differs from another one after `same` bytes: around that place. */
static ee_cell value_cell(ee_arena *arena, ee_str text, size_t same, ee_ink ink) {
  text = ee_text_printable(text, arena);
  if (ee_text_width(text) > VALUE_COLUMNS && same > VALUE_COLUMNS / 2 && same < text.length) {
    size_t from = ee_utf8_cut(text, same - VALUE_LEAD);
    text = ee_str_from(ee_arena_printf(arena, "\xe2\x80\xa6%.*s", (int)(text.length - from), text.data + from));
  }
  if (ee_text_width(text) > VALUE_COLUMNS) {
    text.length = ee_utf8_cut(text, VALUE_COLUMNS - 1);
    text = ee_str_from(ee_arena_printf(arena, "%.*s\xe2\x80\xa6", EE_STR_ARG(text)));
  }
  return name_cell(text, ink);
}

static ee_cell nothing_cell(void) { return ee_cell_words("nothing", EE_INK_DIM); }

static void add_value(ee_grid *grid, ee_str id, const ee_compared_value *value) {
  ee_arena *arena = grid->arena;
  ee_cell *cells = ee_grid_add(grid);
  if (id.data != NULL) {
    cells[0] = name_cell(id, EE_INK_PLAIN);
    cells[0].link = ee_page_case_link(grid->arena, id);
  }
  cells[1] = name_cell(value->path, EE_INK_PLAIN);
  ee_str expected = plain_text(value->expected, arena);
  size_t same = 0;
  for (int side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++) {
    ee_cell *cell = &cells[3 + side];
    if (!value->wrong[side]) {
      *cell = ee_cell_words("right", EE_INK_GREEN);
      continue;
    }
    ee_str text = plain_text(value->values[side], arena);
    if (value->is_expected) same = common_start(expected, text);
    *cell = text.data == NULL ? nothing_cell() : value_cell(arena, text, same, EE_INK_RED);
  }
  cells[2] = value->expected.data == NULL ? nothing_cell() : value_cell(arena, expected, same, EE_INK_PLAIN);
}

/* The values that changed in the cases listed as worse and as better. */
static void add_values(ee_page *page, const ee_comparison *comparison) {
  static const ee_column columns[] = {{.name = "id", .markup_name = "case", .left = true, .name_column = true},
                                      {.name = "value", .left = true},
                                      {.name = "expected", .left = true},
                                      {.name = "base", .left = true},
                                      {.name = "new", .left = true}};
  ee_arena *arena = &page->arena;
  size_t *lists[2], total = 0, shown = 0, limit = comparison->options.shown;
  size_t counts[] = {ee_comparison_worse(comparison, arena, &lists[0]),
                     ee_comparison_better(comparison, arena, &lists[1])};
  ee_grid *grid = NULL;
  ee_line *heading = NULL;
  for (size_t l = 0; l < 2; l++) {
    const size_t end = limit > 0 ? shown + limit : SIZE_MAX;
    for (size_t i = 0; i < counts[l]; i++) {
      const ee_compared_value *values;
      ee_arena scratch;
      ee_arena_init(&scratch, 0);
      size_t count = ee_comparison_values(comparison, lists[l][i], &scratch, &values);
      ee_str id = comparison->cases[lists[l][i]].base->id;
      for (size_t k = 0; k < count; k++) {
        if (!ee_comparison_is_new_change(values, k)) continue;
        total++;
        if (shown == end) continue;
        if (shown++ == 0) {
          ee_page_space(page);
          heading = terminal_line(page);
          ee_line_add(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_DETAILS),
                      ee_cell_words("Values that changed", EE_INK_PLAIN));
          grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, sizeof columns / sizeof *columns);
        }
        add_value(grid, id, &values[k]);
        id = (ee_str){0};
      }
      ee_arena_fini(&scratch);
    }
  }
  if (heading == NULL) return;
  if (comparison->is_merged) total = comparison->values_changed;
  ee_line_add(page, heading, ee_cell_words("values", EE_INK_BOLD));
  ee_line_addf(page, heading, EE_INK_PLAIN, "  changed %zu", total);
  add_more(page, total - shown);
}

void ee_comparison_page(const ee_comparison *comparison, ee_page *page) {
  add_finding(page, comparison);
  add_headline(page, comparison);
  add_basis(page, comparison);
  add_sentence(page, comparison);
  ee_comparison_add_failure(page, comparison->options.fail_on, comparison->failure);
  ee_page_section(page, EE_STR("metrics"));
  add_estimates(page, comparison);
  add_measures(page, comparison);
  add_outcomes(page, comparison);
  add_verdicts(page, comparison);
  ee_page_section(page, EE_STR("notes"));
  add_terminal_notes(page, comparison);
  ee_page_section(page, EE_STR("fields"));
  add_fields(page, comparison);
  ee_page_section(page, EE_STR("slices"));
  add_slices(page, comparison);
  ee_page_section(page, EE_STR("worse"));
  size_t *order, count = ee_comparison_worse(comparison, &page->arena, &order);
  add_cases(page, comparison, "worse", order, count, comparison->worse, EE_INK_RED);
  ee_page_section(page, EE_STR("better"));
  count = ee_comparison_better(comparison, &page->arena, &order);
  add_cases(page, comparison, "better", order, count, comparison->better, EE_INK_GREEN);
  ee_page_section(page, EE_STR("values"));
  add_values(page, comparison);
  ee_page_section(page, EE_STR("notes"));
  add_markup_notes(page, comparison);
}

/* CSV ------------------------------------------------------------------------------------------- */

/* "total: 102 -> 100 (expected 100); ...", of the values that changed; NULL: nothing is there. */
static void csv_values(const ee_comparison *comparison, size_t number, ee_buffer *text) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_compared_value *values;
  size_t count = ee_comparison_values(comparison, number, &arena, &values);
  for (size_t i = 0; i < count; i++) {
    const ee_compared_value *value = &values[i];
    if (!ee_comparison_is_new_change(values, i)) continue;
    if (text->length > 0) ee_buffer_add_text(text, "; ");
    ee_buffer_add_str(text, value->path);
    ee_buffer_add_text(text, ": ");
    const ee_str parts[] = {value->values[EE_SIDE_BASE], value->values[EE_SIDE_NEW], value->expected};
    const char *const before[] = {"", " -> ", " (expected "};
    for (size_t k = 0; k < 3; k++) {
      ee_buffer_add_text(text, before[k]);
      ee_buffer_add_str(text, parts[k].data != NULL ? plain_text(parts[k], &arena) : EE_STR("nothing"));
    }
    ee_buffer_add_char(text, ')');
  }
  ee_arena_fini(&arena);
}

void ee_comparison_csv(const ee_comparison *comparison, ee_buffer *out) {
  ee_buffer text;
  ee_buffer_init(&text);
  ee_buffer_add_text(out, "id,base,new,delta,outcome,fixed,broken,still_wrong,values\n");
  for (size_t i = 0; i < comparison->listed; i++) {
    const ee_compared_case *item = &comparison->cases[i];
    ee_csv_add_text(out, item->base->id);
    ee_csv_add_metric(out, (ee_metric){true, item->base->score});
    ee_csv_add_metric(out, (ee_metric){true, item->fresh->score});
    ee_csv_add_metric(out, (ee_metric){true, item->delta});
    ee_buffer_addf(out, ",%s,%u,%u,%u,", ee_outcome_name(item->outcome), item->fixed, item->broken, item->still_wrong);
    ee_buffer_clear(&text);
    csv_values(comparison, i, &text);
    ee_csv_add_text(out, (ee_str){text.data, text.length});
    ee_buffer_add_char(out, '\n');
  }
  ee_buffer_fini(&text);
}
