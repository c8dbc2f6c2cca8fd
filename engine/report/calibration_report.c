/* calibration_report.c: confidences on a page, in JSON and in CSV. */
#include "report/calibration_report.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prim/number.h"
#include "prim/ratio_interval.h"

/* What is wanted where nobody says it. */
static const double usually_wanted[] = {0.9, 0.95, 0.99};
#define CURVE_POINTS 10
/* Columns of a full bar. */
#define BAR_COLUMNS 20
/* An ECE of more than this many times that of chance is worth a word. */
#define NOTEWORTHY 1.5

/* What is wanted ------------------------------------------------------------------------------ */

static ee_accept_choice choice_of(const ee_named_calibration *judge, ee_accept_choice given) {
  const ee_confidence_rules *rules = judge->rules;
  if (given.count == 0 && rules != NULL && rules->accept_count > 0)
    given = (ee_accept_choice){rules->accept, rules->accept_count, given.sure};
  if (given.count == 0)
    given = (ee_accept_choice){usually_wanted, sizeof usually_wanted / sizeof *usually_wanted, given.sure};
  if (!(given.sure > 0)) given.sure = EE_USUAL_CONFIDENCE;
  return given;
}

const ee_named_calibration *ee_calibrations_of(const ee_plan *plan, const ee_score_totals *totals, ee_arena *arena) {
  ee_named_calibration *judges = EE_NEW_ARRAY(arena, ee_named_calibration, plan->judge_count);
  for (size_t i = 0; i < plan->judge_count; i++)
    judges[i] =
        (ee_named_calibration){plan->judges[i]->name, totals->judges[i].calibration, plan->judges[i]->confidence};
  return judges;
}

/* A table with what is computed of it. */
typedef struct table_view {
  const ee_confidence_table *table;
  ee_str name;
  const ee_confident *confidents;
  ee_calibration figures;
  double confidence; /* of intervals */
  uint64_t whole;    /* answers with and without a confidence; of documents also those without answers */
} table_view;

static bool is_documents(const ee_confidence_table *table) { return table->name.length == 0; }

static table_view view_of(const ee_confidence_table *table, double confidence, ee_arena *arena) {
  table_view view = {.table = table, .name = table->name, .confidence = confidence};
  view.confidents = ee_confidence_table_sorted(table, arena);
  ee_calibrate(view.confidents, table->count, confidence, &view.figures);
  ee_answer_counts answers = ee_confidence_table_answers(table);
  view.whole = answers.right + answers.incorrect + answers.spurious;
  /* A document without any answer is one that nobody accepts. */
  if (is_documents(table)) view.whole += table->silent_right + table->silent_wrong;
  return view;
}

static bool has_confidences(const ee_calibration_total *total) {
  bool any = total->documents.count + total->documents.missing + total->documents.bad > 0;
  for (size_t i = 0; i < total->count && !any; i++) any = total->items[i].count + total->items[i].bad > 0;
  return any;
}

/* Numbers as text ------------------------------------------------------------------------------- */

/* "99 %", "99.5 %". */
static const char *percent_text(ee_arena *arena, double share) {
  char text[32];
  ee_double_format_short(share * 100, 4, text);
  return ee_arena_printf(arena, "%s %%", text);
}

/* The shortest number that accepts the same answers as `threshold`: above the next lower confidence, and not above this
 * one. */
static const char *threshold_text(ee_arena *arena, const table_view *view, double threshold) {
  double lower = -1;
  for (size_t i = 0; i < view->table->count && view->confidents[i].confidence < threshold; i++)
    lower = view->confidents[i].confidence;
  char text[32];
  for (int digits = 2; digits <= 17; digits++) {
    ee_double_format_short(threshold, digits, text);
    double number = strtod(text, NULL);
    if (number > lower && number <= threshold) break;
  }
  return ee_arena_printf(arena, "%s", text);
}

/* A bar of eighths of a column. */
static const char *bar_text(ee_arena *arena, double share) {
  static const char *const eighths[] = {"",
                                        "\xe2\x96\x8f",
                                        "\xe2\x96\x8e",
                                        "\xe2\x96\x8d",
                                        "\xe2\x96\x8c",
                                        "\xe2\x96\x8b",
                                        "\xe2\x96\x8a",
                                        "\xe2\x96\x89"};
  int whole = (int)(share * BAR_COLUMNS * 8 + 0.5);
  const char *text = "";
  for (int i = 0; i < whole / 8; i++) text = ee_arena_printf(arena, "%s\xe2\x96\x88", text);
  return ee_arena_printf(arena, "%s%s", text, eighths[whole % 8]);
}

static ee_cell name_cell(const table_view *view) {
  return is_documents(view->table) ? ee_cell_words("documents", EE_INK_BOLD) : ee_cell_data(view->name, EE_INK_PLAIN);
}

static void add_heading(ee_page *page, const char *text) {
  ee_page_space(page);
  ee_line_add(
      page, ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH),
      ee_cell_words(ee_arena_printf(&page->arena, "  %c%s", tolower((unsigned char)*text), text + 1), EE_INK_PLAIN));
  ee_line_add(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_HEADING), ee_cell_words(text, EE_INK_PLAIN));
}

/* The page -------------------------------------------------------------------------------------- */

static void add_figures(ee_page *page, const table_view *views, size_t count) {
  static const ee_column columns[] = {{.name = "confidence of", .left = true, .name_column = true},
                                      {.name = "n"},
                                      {.name = "says"},
                                      {.name = "right"},
                                      {.name = "ECE"},
                                      {.name = "by chance"},
                                      {.name = "Brier"},
                                      {.name = "AUROC"},
                                      {.name = "AURC"},
                                      {.name = "reliability", .wide_only = true, .spare = 2},
                                      {.name = "resolution", .wide_only = true, .spare = 2},
                                      {.name = "uncertainty", .wide_only = true, .spare = 2}};
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, sizeof columns / sizeof *columns);
  ee_arena *arena = &page->arena;
  for (size_t i = 0; i < count; i++) {
    const ee_calibration *figures = &views[i].figures;
    ee_cell *cells = ee_grid_add(grid);
    bool off = figures->ece.defined && figures->ece.value > NOTEWORTHY * figures->ece_by_chance.value;
    cells[0] = name_cell(&views[i]);
    cells[1] = ee_cell_count(arena, figures->count, EE_INK_PLAIN);
    cells[2] = ee_cell_metric(arena, figures->confidence, EE_INK_PLAIN);
    cells[3] = ee_cell_metric(arena, figures->accuracy, EE_INK_PLAIN);
    cells[4] = ee_cell_metric(arena, figures->ece, off ? EE_INK_YELLOW : EE_INK_PLAIN);
    cells[5] = ee_cell_metric(arena, figures->ece_by_chance, EE_INK_DIM);
    cells[6] = ee_cell_metric(arena, figures->brier, EE_INK_PLAIN);
    cells[7] = ee_cell_metric(arena, figures->auroc, EE_INK_PLAIN);
    cells[8] = ee_cell_metric(arena, figures->aurc, EE_INK_PLAIN);
    cells[9] = ee_cell_metric(arena, figures->reliability, EE_INK_PLAIN);
    cells[10] = ee_cell_metric(arena, figures->resolution, EE_INK_PLAIN);
    cells[11] = ee_cell_metric(arena, figures->uncertainty, EE_INK_PLAIN);
  }
}

/* What ECE and mean confidence say, in words. */
static void add_words(ee_page *page, const table_view *view) {
  const ee_calibration *figures = &view->figures;
  if (figures->count == 0) return;
  ee_arena *arena = &page->arena;
  double gap = figures->confidence.value - figures->accuracy.value;
  const char *says = ee_arena_printf(arena, "%.1f %%", 100 * figures->confidence.value);
  const char *right = ee_arena_printf(arena, "%.1f %%", 100 * figures->accuracy.value);
  const char *text;
  ee_ink ink = EE_INK_YELLOW;
  if (figures->ece.value <= NOTEWORTHY * figures->ece_by_chance.value) {
    ink = EE_INK_PLAIN;
    text = ee_arena_printf(arena, "calibrated as far as %" PRIu64 " documents show: chance alone gives an ECE of %s",
                           figures->count, ee_cell_metric(arena, figures->ece_by_chance, EE_INK_PLAIN).text.data);
  } else if (fabs(gap) <= figures->ece.value / 2) {
    text = "not calibrated: too sure in some documents, not sure enough in others";
  } else {
    text = ee_arena_printf(arena, "%s: documents say %s and are right in %s", gap > 0 ? "too sure" : "not sure enough",
                           says, right);
  }
  ee_line_add(page, ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH),
              ee_cell_words(ee_arena_printf(arena, "  %s", text), ink));
  ee_line_add(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_PARAGRAPH), ee_cell_words(text, EE_INK_PLAIN));
}

/* "0.93: 71.2 %": the threshold, and which share of all answers it accepts. */
static ee_cell accept_cell(ee_page *page, const table_view *view, const ee_acceptance *found) {
  if (!found->found) return ee_cell_words("-", EE_INK_DIM);
  ee_arena *arena = &page->arena;
  ee_cell share = ee_cell_percent(arena, found->right + found->wrong, view->whole, EE_INK_PLAIN);
  return ee_cell_words(
      ee_arena_printf(arena, "%s: %.*s", threshold_text(arena, view, found->threshold), EE_STR_ARG(share.text)),
      is_documents(view->table) ? EE_INK_BOLD : EE_INK_PLAIN);
}

/* Why nothing can be accepted, and what would help. */
static const char *why_nothing(ee_arena *arena, const ee_acceptance *found, double wanted) {
  const char *right = percent_text(arena, wanted);
  ee_str share = ee_cell_percent(arena, found->surest - found->surest_wrong, found->surest, EE_INK_PLAIN).text;
  const char *more = found->enough > 0
                         ? ee_arena_printf(arena, "about %" PRIu64 " documents like these would do", found->enough)
                         : "more documents like these would not help";
  return ee_arena_printf(arena, "%s right is not shown: of the %" PRIu64 " surest documents %.*s are right; %s", right,
                         found->surest, EE_STR_ARG(share), more);
}

/* "90 %, 95 % and 99 %" of those that need more documents than there are, or how many they need. */
static const char *list_needs(ee_arena *arena, const table_view *view, ee_accept_choice choice, bool needs) {
  const char *text = "";
  size_t left = 0, listed = 0;
  for (size_t pass = 0; pass < 2; pass++) {
    for (size_t k = 0; k < choice.count; k++) {
      ee_acceptance found = ee_accept(view->confidents, view->table->count, choice.wanted[k], choice.sure);
      if (found.surest > 0) continue;
      left += pass == 0;
      if (pass == 0) continue;
      const char *separator = listed == 0 ? "" : listed + 1 == left ? " and " : ", ";
      const char *item =
          needs ? ee_arena_printf(arena, "%" PRIu64, found.needed) : percent_text(arena, choice.wanted[k]);
      text = ee_arena_printf(arena, "%s%s%s", text, separator, item);
      listed++;
    }
  }
  return text;
}

/* What can be accepted, in words. */
static void add_promises(ee_page *page, const table_view *view, ee_accept_choice choice) {
  ee_arena *arena = &page->arena;
  ee_str *notes = EE_NEW_ARRAY(arena, ee_str, choice.count + 1);
  size_t noted = 0;
  for (size_t k = 0; k < choice.count; k++) {
    ee_acceptance found = ee_accept(view->confidents, view->table->count, choice.wanted[k], choice.sure);
    if (!found.found && found.surest == 0) continue;
    ee_str share = ee_cell_percent(arena, found.right + found.wrong, view->whole, EE_INK_PLAIN).text;
    notes[noted++] = ee_str_from(
        !found.found ? why_nothing(arena, &found, choice.wanted[k])
                     : ee_arena_printf(arena, "accept %.*s of documents unseen at %s right (%s sure): threshold %s",
                                       EE_STR_ARG(share), percent_text(arena, choice.wanted[k]),
                                       percent_text(arena, choice.sure), threshold_text(arena, view, found.threshold)));
  }
  const char *few = list_needs(arena, view, choice, false);
  if (*few != '\0')
    notes[noted++] = ee_str_from(ee_arena_printf(
        arena, "%s right cannot be shown: takes %s documents without an error, %" PRIu64 " have a confidence", few,
        list_needs(arena, view, choice, true), view->figures.count));
  ee_page_notes(page, EE_MEDIUM_ALL, notes, noted);
}

/* The same for all, as a table. */
static void add_acceptance(ee_page *page, const ee_calibration_total *total, const table_view *views, size_t count,
                           ee_accept_choice choice) {
  ee_column columns[EE_GRID_COLUMNS] = {{.name = "accept unseen", .left = true, .name_column = true}};
  ee_arena *arena = &page->arena;
  size_t shown = choice.count < EE_GRID_COLUMNS - 1 ? choice.count : EE_GRID_COLUMNS - 1;
  for (size_t k = 0; k < shown; k++)
    columns[1 + k].name = ee_arena_printf(arena, "%s right", percent_text(arena, choice.wanted[k]));
  ee_page_space(page);
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, 1 + shown);
  bool several = false;
  for (size_t i = 0; i < count; i++) {
    ee_cell *cells = ee_grid_add(grid);
    several |= views[i].table->several;
    cells[0] = name_cell(&views[i]);
    for (size_t k = 0; k < shown; k++) {
      ee_acceptance found = ee_accept(views[i].confidents, views[i].table->count, choice.wanted[k], choice.sure);
      cells[1 + k] = accept_cell(page, &views[i], &found);
    }
  }
  ee_str *notes = EE_NEW_ARRAY(arena, ee_str, 3);
  size_t noted = 0;
  notes[noted++] = ee_str_from(
      ee_arena_printf(arena, "lowest threshold: share accepted; %s sure, if documents are independent and like these",
                      percent_text(arena, choice.sure)));
  if (total->clustered > 0)
    notes[noted++] = ee_str_from(
        ee_arena_printf(arena,
                        "%" PRIu64 " cases are in clusters or are trials of one case: they count here as if they were "
                        "independent, so that less may be right than promised",
                        total->clustered));
  if (several)
    notes[noted++] = EE_STR("values of one document in the same field depend on each other: trust the thresholds of "
                            "documents, not of such fields");
  ee_page_notes(page, EE_MEDIUM_ALL, notes, noted);
}

/* Risk and coverage of one table: the surest tenth, fifth, ... */
static void add_curve(ee_page *page, ee_medium medium, const table_view *view) {
  static const ee_column columns[] = {
      {.name = "surest"}, {.name = "threshold"}, {.name = "wrong"}, {.name = "right"}, {.name = "", .left = true}};
  ee_coverage_point points[CURVE_POINTS];
  size_t count = ee_coverage_curve(view->confidents, view->table->count, view->whole, CURVE_POINTS, points);
  if (count == 0) return;
  ee_arena *arena = &page->arena;
  ee_grid *grid = ee_page_grid(page, medium, columns, sizeof columns / sizeof *columns);
  grid->caption = "Accepting the surest first";
  for (size_t i = 0; i < count; i++) {
    const ee_coverage_point *point = &points[i];
    uint64_t right = point->accepted - point->wrong;
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = ee_cell_percent(arena, point->accepted, view->whole, EE_INK_PLAIN);
    cells[1] = ee_cell_words(threshold_text(arena, view, point->threshold), EE_INK_PLAIN);
    cells[2] = ee_cell_count_dim(arena, point->wrong, EE_INK_PLAIN);
    cells[3] = ee_cell_percent(arena, right, point->accepted, EE_INK_PLAIN);
    cells[4] = ee_cell_words(bar_text(arena, (double)right / (double)point->accepted), EE_INK_GREEN);
  }
}

/* "0.95 to 0.99" */
static const char *range_text(ee_arena *arena, const ee_calibration_bin *bin) {
  char low[32], high[32];
  ee_double_format_short(bin->low, 3, low);
  ee_double_format_short(bin->high, 3, high);
  return strcmp(low, high) == 0 ? ee_arena_printf(arena, "%s", low) : ee_arena_printf(arena, "%s to %s", low, high);
}

static ee_interval bin_interval(const ee_calibration_bin *bin, double confidence) {
  ee_ratio_sums sums = ee_ratio_of_proportion(bin->right, bin->count);
  return ee_ratio_interval(&sums, confidence);
}

/* The reliability of one table: what the bins say, and what came true. */
static void add_reliability(ee_page *page, ee_medium medium, const table_view *view) {
  static const ee_column columns[] = {{.name = "confidence", .left = true},
                                      {.name = "n"},
                                      {.name = "says"},
                                      {.name = "right"},
                                      {.name = "interval"},
                                      {.name = "", .left = true}};
  ee_arena *arena = &page->arena;
  ee_grid *grid = ee_page_grid(page, medium, columns, sizeof columns / sizeof *columns);
  grid->caption = "Reliability";
  for (size_t i = view->figures.bin_count; i-- > 0;) {
    const ee_calibration_bin *bin = &view->figures.bins[i];
    double right = (double)bin->right / (double)bin->count;
    ee_interval interval = bin_interval(bin, view->confidence);
    bool off = bin->confidence < interval.low || bin->confidence > interval.high;
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = ee_cell_words(range_text(arena, bin), EE_INK_PLAIN);
    cells[1] = ee_cell_count(arena, bin->count, EE_INK_PLAIN);
    cells[2] = ee_cell_score(arena, bin->confidence, EE_INK_PLAIN);
    cells[3] = ee_cell_score(arena, right, off ? EE_INK_YELLOW : EE_INK_PLAIN);
    cells[4] = ee_cell_words(ee_arena_printf(arena, "[%.3f, %.3f]", interval.low, interval.high), EE_INK_DIM);
    cells[5] = ee_cell_words(bar_text(arena, right), off ? EE_INK_YELLOW : EE_INK_GREEN);
  }
}

/* Both tables of a field, to be opened. */
static void add_field_details(ee_page *page, const table_view *view) {
  if (!page->html || view->figures.count == 0) return;
  ee_line *line = ee_page_line(page, EE_MEDIUM_HTML, EE_LINE_FOLDED);
  ee_line_add(page, line, ee_cell_words("Reliability and curve of ", EE_INK_PLAIN));
  ee_line_add(page, line, ee_cell_data(view->name, EE_INK_PLAIN));
  add_reliability(page, EE_MEDIUM_HTML, view);
  add_curve(page, EE_MEDIUM_HTML, view);
  ee_page_details_end(page);
}

/* Abstentions and costs ------------------------------------------------------------------------- */

typedef struct abstentions {
  uint64_t values, answered, right; /* of the values; of those answered */
  uint64_t silent_right, silent_wrong;
} abstentions;

static abstentions count_abstentions(const ee_confidence_table *tables, size_t count) {
  abstentions all = {0};
  for (size_t i = 0; i < count; i++) {
    ee_answer_counts answers = ee_confidence_table_answers(&tables[i]);
    all.answered += answers.right + answers.incorrect + answers.spurious;
    all.right += answers.right;
    all.silent_right += tables[i].silent_right;
    all.silent_wrong += tables[i].silent_wrong;
  }
  all.values = all.answered + all.silent_right + all.silent_wrong;
  return all;
}

static const char *number_text(ee_arena *arena, double number) {
  char text[32];
  ee_double_format_short(number, 4, text);
  return ee_arena_printf(arena, "%s", text);
}

/* The mean cost of a document and its interval, by Student's t; not below 0. */
static ee_interval cost_interval(const ee_sample *cost, double confidence) {
  double mean = ee_sample_mean(cost), n = (double)cost->count;
  double half =
      ee_critical_point(confidence, cost->count < 30 ? cost->count - 1 : 0) * ee_sample_deviation(cost) / sqrt(n);
  return (ee_interval){mean > half ? mean - half : 0, mean + half};
}

static const char *cost_text(ee_arena *arena, const ee_calibration_total *total, double confidence) {
  const ee_sample *cost = &total->cost;
  const char *mean = number_text(arena, ee_sample_mean(cost));
  if (cost->count < 2) return ee_arena_printf(arena, "cost of a document %s", mean);
  ee_interval interval = cost_interval(cost, confidence);
  return ee_arena_printf(arena, "cost of a document %s [%s, %s] (%s)", mean, number_text(arena, interval.low),
                         number_text(arena, interval.high), percent_text(arena, confidence));
}

static const char *cheapest_text(ee_arena *arena, const ee_calibration_total *total) {
  ee_cheapest best = ee_calibration_cheapest(total->items, total->count, total->costs, arena);
  double cases = (double)total->cost.count;
  if (best.left_out == 0) return "no threshold makes it cheaper to leave unsure answers out";
  const char *now = number_text(arena, best.now / cases), *then = number_text(arena, best.cost / cases);
  if (best.threshold > 1)
    return ee_arena_printf(arena, "leaving out all answers with a confidence costs less: %s instead of %s", then, now);
  return ee_arena_printf(arena,
                         "leaving out the %" PRIu64 " answers below %s costs least: %s instead of %s "
                         "(on these documents; a little more on others)",
                         best.left_out, number_text(arena, best.threshold), then, now);
}

static void add_abstentions(ee_page *page, const ee_calibration_total *total, double confidence) {
  ee_arena *arena = &page->arena;
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): judges without one are not listed
  abstentions all = count_abstentions(total->items, total->count);
  ee_str *notes = EE_NEW_ARRAY(arena, ee_str, 3);
  size_t noted = 0;
  if (all.values > 0) {
    ee_str answered = ee_cell_percent(arena, all.answered, all.values, EE_INK_PLAIN).text;
    ee_str right = ee_cell_percent(arena, all.right, all.answered, EE_INK_PLAIN).text;
    uint64_t silent = all.silent_right + all.silent_wrong;
    notes[noted++] =
        ee_str_from(ee_arena_printf(arena,
                                    "answered %.*s of %" PRIu64 " values; %.*s of these are right; %" PRIu64
                                    " left empty, %" PRIu64 " of them rightly",
                                    EE_STR_ARG(answered), all.values, EE_STR_ARG(right), silent, all.silent_right));
  }
  if (total->has_cost && total->cost.count > 0) {
    notes[noted++] = ee_str_from(cost_text(arena, total, confidence));
    if (has_confidences(total)) notes[noted++] = ee_str_from(cheapest_text(arena, total));
  }
  if (noted == 0) return;
  ee_page_space(page);
  ee_page_notes(page, EE_MEDIUM_ALL, notes, noted);
}

/* What cannot be used --------------------------------------------------------------------------- */

/* Which scale would read the value. */
static const char *remedy_for(ee_str value, const ee_confidence_rules *rules) {
  char text[EE_CONFIDENCE_BYTES + 1] = "", *end;
  if (rules == NULL || value.length == 0 || value.length >= sizeof text) return "";
  memcpy(text, value.data, value.length);
  if (rules->scale != EE_SCALE_LOGPROB && rules->scale != EE_SCALE_MEAN_LOGPROB && *text == '[')
    return " (did you mean scale = \"logprob\"?)";
  double number = strtod(text, &end);
  if (*end != '\0') return "";
  if (rules->scale == EE_SCALE_SHARE && number > 1 && number <= 100) return " (did you mean scale = \"percent\"?)";
  if (rules->scale <= EE_SCALE_PERCENT && number < 0) return " (did you mean scale = \"logprob\"?)";
  if (rules->scale >= EE_SCALE_LOGPROB && number > 0 && number <= 1) return " (did you mean scale = \"share\"?)";
  return "";
}

static const char *range_of(const ee_confidence_rules *rules) {
  if (rules == NULL) return "";
  switch (rules->scale) {
  case EE_SCALE_SHARE: return ": must be a number from 0 to 1";
  case EE_SCALE_PERCENT: return ": must be a number from 0 to 100";
  default: return ": must be a log probability, or an array of them";
  }
}

/* Appends a sentence about answers whose confidences cannot be used; nothing without. */
static void print_bad(const ee_confidence_table *table, const ee_confidence_rules *rules, ee_buffer *out) {
  if (table->bad == 0) return;
  uint64_t count = table->bad;
  ee_buffer_addf(out, "'%.*s': %" PRIu64 " confidence%s cannot be used", EE_STR_ARG(table->name), count,
                 count == 1 ? "" : "s");
  const ee_case_example *bad = &table->bad_case;
  if (bad->id.length > 0)
    ee_buffer_addf(out, ", e.g. %.*s%sin case '%.*s'", EE_STR_ARG(bad->text), bad->text.length > 0 ? " " : "",
                   (int)ee_utf8_cut(bad->id, EE_CONFIDENCE_BYTES), bad->id.data);
  ee_buffer_addf(out, "%s%s", range_of(rules), remedy_for(bad->text, rules));
}

/* The same of answers without one. */
static void print_missing(const ee_confidence_table *table, ee_buffer *out) {
  uint64_t count = table->missing;
  if (count == 0) return;
  if (table->count + table->bad == 0 && count > 1) {
    ee_buffer_addf(out, "'%.*s': no answer has a confidence: is the path right?", EE_STR_ARG(table->name));
    return;
  }
  ee_buffer_addf(out, "'%.*s': %" PRIu64 " answer%s no confidence", EE_STR_ARG(table->name), count,
                 count == 1 ? " has" : "s have");
  ee_str id = table->missing_case.id;
  if (id.length > 0) ee_buffer_addf(out, ", e.g. in case '%.*s'", (int)ee_utf8_cut(id, EE_CONFIDENCE_BYTES), id.data);
}

/* Calls `each` with every sentence. */
static void list_notes(const ee_named_calibration *judge, void (*each)(void *user, ee_str note), void *user) {
  const ee_calibration_total *total = judge->total;
  ee_buffer text;
  ee_buffer_init(&text);
  for (size_t i = 0; i < 2 * total->count; i++) {
    ee_buffer_clear(&text);
    const ee_confidence_table *table = &total->items[i / 2];
    if (i % 2 == 0)
      print_missing(table, &text);
    else
      print_bad(table, judge->rules, &text);
    if (text.length > 0) each(user, (ee_str){text.data, text.length});
  }
  ee_buffer_clear(&text);
  if (total->other_costs)
    ee_buffer_add_text(&text, "rows have different costs: thresholds by cost use those of the first");
  if (text.length > 0) each(user, (ee_str){text.data, text.length});
  ee_buffer_fini(&text);
}

typedef struct note_list {
  EE_LIST(ee_str);
  ee_arena *arena;
} note_list;

static void keep_note(void *user, ee_str note) {
  note_list *notes = user;
  *EE_LIST_ADD(notes, notes->arena) = (ee_str){ee_arena_copy(notes->arena, note.data, note.length), note.length};
}

static void add_notes(ee_page *page, const ee_named_calibration *judge) {
  note_list notes = {.arena = &page->arena};
  list_notes(judge, keep_note, &notes);
  const ee_confidence_table *documents = &judge->total->documents;
  uint64_t without = documents->missing + documents->bad + documents->silent_right + documents->silent_wrong;
  if (without > 0)
    *EE_LIST_ADD(&notes, notes.arena) =
        ee_str_from(ee_arena_printf(notes.arena, "%" PRIu64 " document%s no confidence, and %s never accepted", without,
                                    without == 1 ? " has" : "s have", without == 1 ? "is" : "are"));
  if (notes.count == 0) return;
  ee_page_space(page);
  ee_page_notes(page, EE_MEDIUM_ALL, notes.items, notes.count);
}

static void add_judge(const ee_named_calibration *judge, bool named, ee_accept_choice accept, ee_page *page) {
  const ee_calibration_total *total = judge->total;
  ee_arena *arena = &page->arena;
  const ee_accept_choice choice = choice_of(judge, accept);
  ee_page_space(page);
  const char *what = has_confidences(total) ? "confidence" : "answers and costs";
  ee_line *line = ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_HEADING);
  ee_line_add(page, line, ee_cell_words(what, EE_INK_BOLD));
  if (named) ee_line_addf(page, line, EE_INK_PLAIN, " of %.*s", EE_STR_ARG(judge->judge));
  line = ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_HEADING);
  ee_line_add(page, line, ee_cell_words(*what == 'c' ? "Confidence" : "Answers and costs", EE_INK_PLAIN));
  if (named) {
    ee_line_add(page, line, ee_cell_words(" of ", EE_INK_PLAIN));
    ee_line_add(page, line, ee_cell_data(judge->judge, EE_INK_PLAIN));
  }
  if (has_confidences(total)) {
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): judges without one are not listed
    table_view *views = EE_NEW_ARRAY(arena, table_view, total->count + 1);
    size_t count = 0;
    if (total->documents.count > 0) views[count++] = view_of(&total->documents, choice.sure, arena);
    for (size_t i = 0; i < total->count; i++)
      if (total->items[i].count > 0) views[count++] = view_of(&total->items[i], choice.sure, arena);
    bool documents = count > 0 && is_documents(views[0].table);
    if (documents) {
      add_words(page, &views[0]);
      add_promises(page, &views[0], choice);
      ee_page_space(page);
    }
    if (count > 0) add_figures(page, views, count);
    if (count > 0) add_acceptance(page, total, views, count, choice);
    if (documents) {
      add_heading(page, "Documents, the surest first");
      add_curve(page, EE_MEDIUM_ALL, &views[0]);
      add_heading(page, "Documents by confidence");
      add_reliability(page, EE_MEDIUM_ALL, &views[0]);
    }
    for (size_t i = documents ? 1 : 0; i < count; i++) add_field_details(page, &views[i]);
  }
  add_abstentions(page, total, choice.sure);
  add_notes(page, judge);
}

static bool is_used(const ee_named_calibration *judges, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (judges[i].total != NULL && judges[i].total->cases > 0) return true;
  return false;
}

void ee_calibration_page(const ee_named_calibration *judges, size_t count, ee_accept_choice accept, ee_page *page) {
  /* Which sections there are is asked before the first case. */
  for (size_t i = 0; i < count; i++)
    if (judges[i].total != NULL) ee_page_section(page, EE_STR("calibration"));
  for (size_t i = 0; i < count; i++)
    if (is_used(&judges[i], 1)) add_judge(&judges[i], count > 1, accept, page);
}

/* JSON ------------------------------------------------------------------------------------------ */

static void json_interval(ee_json_out *json, const char *key, ee_interval interval) {
  ee_json_open_as(json, key, '{', EE_JSON_LINE);
  ee_json_add_number(json, "low", interval.low);
  ee_json_add_number(json, "high", interval.high);
  ee_json_close(json, '}');
}

static void json_figures(ee_json_out *json, const table_view *view) {
  const ee_calibration *figures = &view->figures;
  ee_json_add_count(json, "n", figures->count);
  ee_json_add_metric(json, "accuracy", figures->accuracy);
  ee_json_add_metric(json, "mean_confidence", figures->confidence);
  ee_json_add_metric(json, "ece", figures->ece);
  ee_json_add_metric(json, "ece_by_chance", figures->ece_by_chance);
  ee_json_add_metric(json, "brier", figures->brier);
  ee_json_add_metric(json, "reliability", figures->reliability);
  ee_json_add_metric(json, "resolution", figures->resolution);
  ee_json_add_metric(json, "uncertainty", figures->uncertainty);
  ee_json_add_metric(json, "within_bins", figures->within);
  ee_json_add_metric(json, "auroc", figures->auroc);
  if (figures->auroc.defined) json_interval(json, "auroc_interval", figures->auroc_interval);
  ee_json_add_metric(json, "aurc", figures->aurc);
  ee_json_add_metric(json, "aurc_excess", figures->aurc_excess);
}

static void json_acceptance(ee_json_out *json, const table_view *view, ee_accept_choice choice) {
  ee_json_open_as(json, "accept", '[', EE_JSON_ROWS);
  for (size_t k = 0; k < choice.count; k++) {
    ee_acceptance found = ee_accept(view->confidents, view->table->count, choice.wanted[k], choice.sure);
    ee_json_open(json, NULL, '{');
    ee_json_add_number(json, "wanted", choice.wanted[k]);
    ee_json_add_number(json, "sure", choice.sure);
    if (found.found) {
      uint64_t accepted = found.right + found.wrong;
      ee_json_add_number(json, "threshold", found.threshold);
      ee_json_add_count(json, "accepted", accepted);
      ee_json_add_number(json, "coverage", (double)accepted / (double)view->whole);
      ee_json_add_number(json, "accuracy", (double)found.right / (double)accepted);
      ee_json_add_number(json, "accuracy_at_least", found.lowest);
    } else {
      ee_json_add_count(json, "needed_without_error", found.needed);
      if (found.enough > 0) ee_json_add_count(json, "enough", found.enough);
    }
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
}

static void json_tables(ee_json_out *json, const table_view *view) {
  ee_json_open_as(json, "bins", '[', EE_JSON_ROWS);
  for (size_t i = 0; i < view->figures.bin_count; i++) {
    const ee_calibration_bin *bin = &view->figures.bins[i];
    ee_json_open(json, NULL, '{');
    ee_json_add_number(json, "low", bin->low);
    ee_json_add_number(json, "high", bin->high);
    ee_json_add_count(json, "n", bin->count);
    ee_json_add_number(json, "mean_confidence", bin->confidence);
    ee_json_add_number(json, "accuracy", (double)bin->right / (double)bin->count);
    json_interval(json, "accuracy_interval", bin_interval(bin, view->confidence));
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
  ee_coverage_point points[CURVE_POINTS];
  size_t count = ee_coverage_curve(view->confidents, view->table->count, view->whole, CURVE_POINTS, points);
  ee_json_open_as(json, "curve", '[', EE_JSON_ROWS);
  for (size_t i = 0; i < count; i++) {
    ee_json_open(json, NULL, '{');
    ee_json_add_number(json, "threshold", points[i].threshold);
    ee_json_add_number(json, "coverage", (double)points[i].accepted / (double)view->whole);
    ee_json_add_count(json, "accepted", points[i].accepted);
    ee_json_add_count(json, "wrong", points[i].wrong);
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
}

static void json_table(ee_json_out *json, const char *key, const ee_confidence_table *table, ee_accept_choice choice) {
  table_view view = view_of(table, choice.sure, json->arena);
  ee_json_open(json, key, '{');
  if (!is_documents(table)) ee_json_add_text(json, "name", table->name);
  json_figures(json, &view);
  ee_json_add_count(json, "without_confidence", table->missing);
  ee_json_add_count(json, "bad_confidence", table->bad);
  ee_json_add_count(json, "empty_right", table->silent_right);
  ee_json_add_count(json, "empty_wrong", table->silent_wrong);
  if (table->several) ee_json_add_bool(json, "several_a_document", true);
  if (table->count > 0) {
    json_acceptance(json, &view, choice);
    json_tables(json, &view);
  }
  ee_json_close(json, '}');
}

static void json_abstentions(ee_json_out *json, const ee_calibration_total *total) {
  abstentions all = count_abstentions(total->items, total->count);
  ee_json_open(json, "abstention", '{');
  ee_json_add_count(json, "values", all.values);
  ee_json_add_count(json, "answered", all.answered);
  if (all.values > 0) ee_json_add_number(json, "answered_rate", (double)all.answered / (double)all.values);
  if (all.answered > 0) ee_json_add_number(json, "selective_accuracy", (double)all.right / (double)all.answered);
  ee_json_add_count(json, "empty_right", all.silent_right);
  ee_json_add_count(json, "empty_wrong", all.silent_wrong);
  ee_json_close(json, '}');
}

static void json_cost(ee_json_out *json, const ee_calibration_total *total, double confidence) {
  if (!total->has_cost || total->cost.count == 0) return;
  double cases = (double)total->cost.count;
  ee_json_open(json, "cost", '{');
  ee_json_add_number(json, "mean", ee_sample_mean(&total->cost));
  if (total->cost.count > 1) json_interval(json, "mean_interval", cost_interval(&total->cost, confidence));
  ee_json_add_number(json, "incorrect", total->costs.incorrect);
  ee_json_add_number(json, "missing", total->costs.missing);
  ee_json_add_number(json, "spurious", total->costs.spurious);
  if (has_confidences(total)) {
    ee_cheapest best = ee_calibration_cheapest(total->items, total->count, total->costs, json->arena);
    if (best.threshold <= 1) ee_json_add_number(json, "cheapest_threshold", best.threshold);
    ee_json_add_count(json, "cheapest_left_out", best.left_out);
    ee_json_add_number(json, "cheapest_mean", best.cost / cases);
    ee_json_add_bool(json, "in_sample", true);
  }
  ee_json_close(json, '}');
}

static void json_judge(ee_json_out *json, const ee_named_calibration *judge, ee_accept_choice accept) {
  const ee_calibration_total *total = judge->total;
  ee_accept_choice choice = choice_of(judge, accept);
  ee_json_open(json, NULL, '{');
  ee_json_add_text(json, "judge", judge->judge);
  if (has_confidences(total)) json_table(json, "documents", &total->documents, choice);
  ee_json_open(json, "fields", '[');
  for (size_t i = 0; i < total->count; i++) json_table(json, NULL, &total->items[i], choice);
  ee_json_close(json, ']');
  json_abstentions(json, total);
  json_cost(json, total, choice.sure);
  ee_json_close(json, '}');
}

void ee_calibration_json(const ee_named_calibration *judges, size_t count, ee_accept_choice accept, ee_json_out *json) {
  if (!is_used(judges, count)) return;
  ee_json_open(json, "calibration", '[');
  for (size_t i = 0; i < count; i++)
    if (is_used(&judges[i], 1)) json_judge(json, &judges[i], accept);
  ee_json_close(json, ']');
}

/* Warnings -------------------------------------------------------------------------------------- */

typedef struct warner {
  const ee_named_calibration *judge;
  ee_error_list *warnings;
} warner;

static void warn(void *user, ee_str note) {
  const warner *self = user;
  ee_error_list_addf(self->warnings, EE_OK, NULL, 0, "warning: %.*s: %.*s", EE_STR_ARG(self->judge->judge),
                     EE_STR_ARG(note));
}

void ee_calibration_warn(const ee_named_calibration *judge, ee_error_list *warnings) {
  warner self = {judge, warnings};
  if (judge->total != NULL) list_notes(judge, warn, &self);
}

bool ee_calibration_unfit(const ee_calibration_total *total) {
  for (size_t i = 0; total != NULL && i < total->count; i++) {
    const ee_confidence_table *table = &total->items[i];
    if (table->bad > 0 || (table->missing > 0 && table->count == 0)) return true;
  }
  return false;
}
