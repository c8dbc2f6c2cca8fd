/* needed_cases.c: the variances of two runs, or of one, and the numbers of cases that follow from them. */
#include "report/needed_cases.h"

#include <inttypes.h>
#include <math.h>

#include "base/memory.h"
#include "prim/paired.h"
#include "prim/ratio_interval.h"
#include "report/comparison_inside.h"
#include "report/json_out.h"

/* More are not counted. */
#define MOST_UNITS UINT64_C(1000000000000)
/* From here on the variance is that of the changes alone (prim/paired.h). */
#define FEW_CHANGES 10
/* Assumed correlations of the scores of two runs. */
#define ASSUMPTIONS 2
static const double correlations[ASSUMPTIONS] = {0, 0.5};
/* The tables. */
#define EFFECTS 5
static const double effects[EFFECTS] = {0.005, 0.01, 0.02, 0.05, 0.1};
#define POWERS 2
static const double powers[POWERS] = {0.8, 0.9};
#define WIDTHS 3
static const double widths[WIDTHS] = {0.05, 0.02, 0.01};

enum { MEAN_SCORE, PASS_RATE, METRICS };
static const char *const titles[METRICS] = {"mean score", "pass rate"};
static const char *const members[METRICS] = {"mean_score", "pass_rate"};

/* What the units of one metric say of differences: one a metric, or one a metric and assumption. */
typedef struct spread {
  int metric;
  double correlation; /* assumed; NaN: measured */
  ee_metric difference;
  uint64_t changed;     /* cases */
  double variance;      /* of the difference of a unit */
  double design_effect; /* of clusters; 1 without */
} spread;

struct ee_needed_cases {
  ee_needed_cases_options options;
  ee_comparison *comparison; /* of one run: with itself */
  ee_arena arena;
  size_t cases;
  uint64_t units;
  bool clustered; /* some unit has several cases */
  ee_metric values[2][METRICS];
  ee_ratio_sums sums[2][METRICS]; /* of each run, over units */
  spread spreads[METRICS * ASSUMPTIONS];
  size_t spread_count;
  struct {
    EE_LIST(const char *);
  } notes;
};

static bool is_paired(const ee_needed_cases *needed) { return needed->options.names[1] != NULL; }

/* Adding ---------------------------------------------------------------------------------------- */

ee_needed_cases *ee_needed_cases_new(const ee_needed_cases_options *options) {
  ee_needed_cases *needed = ee_calloc(1, sizeof *needed);
  const char *const *names = options->names;
  needed->options = *options;
  ee_arena_init(&needed->arena, 0);
  needed->comparison = ee_comparison_new(&(ee_comparison_options){
      .names = {names[0], names[1] ? names[1] : names[0]}, .common = options->common, .force = options->force});
  return needed;
}

void ee_needed_cases_free(ee_needed_cases *needed) {
  if (needed == NULL) return;
  ee_comparison_free(needed->comparison);
  EE_LIST_FINI(&needed->notes);
  ee_arena_fini(&needed->arena);
  ee_free(needed);
}

/* Only the row itself is needed: its judges would take most of the memory. */
void ee_needed_cases_add(ee_needed_cases *needed, size_t run, const ee_stored_row *row) {
  ee_stored_row bare = *row;
  bare.judge_count = bare.measure_count = 0;
  bare.slices = NULL;
  ee_comparison_add(needed->comparison, (ee_side)run, &bare);
  if (!is_paired(needed)) ee_comparison_add(needed->comparison, EE_SIDE_NEW, &bare);
}

void ee_needed_cases_add_skipped(ee_needed_cases *needed, size_t run, uint64_t unreadable, uint64_t duplicates) {
  ee_comparison_add_skipped(needed->comparison, (ee_side)run, unreadable, duplicates);
}

/* Units ----------------------------------------------------------------------------------------- */

/* Sums over the cases of a unit. */
typedef struct unit {
  uint64_t cases;
  double sums[2][METRICS];
} unit;

static double value_of(const ee_run_row *row, int metric) {
  return metric == MEAN_SCORE ? row->score : row->verdict == EE_VERDICT_PASS;
}

static unit *list_units(ee_needed_cases *needed) {
  const ee_comparison *comparison = needed->comparison;
  ee_hash_index index = {0};
  unit *units = ee_calloc(comparison->case_count + 1, sizeof *units);
  for (size_t i = 0; i < comparison->case_count; i++) {
    const ee_compared_case *item = &comparison->cases[i];
    uint64_t key = ee_comparison_unit(item);
    size_t at = 0, found;
    if (!ee_hash_index_next(&index, key, &at, &found)) {
      found = needed->units++;
      ee_hash_index_add(&index, key, found);
    }
    needed->clustered = needed->clustered || units[found].cases > 0;
    units[found].cases++;
    for (int metric = 0; metric < METRICS; metric++) {
      units[found].sums[EE_SIDE_BASE][metric] += value_of(item->base, metric);
      units[found].sums[EE_SIDE_NEW][metric] += value_of(item->fresh, metric);
    }
  }
  ee_hash_index_fini(&index);
  return units;
}

static void sum_run(ee_needed_cases *needed, const unit *units, int side, int metric) {
  ee_ratio_sums *sums = &needed->sums[side][metric];
  for (uint64_t i = 0; i < needed->units; i++) {
    double a = units[i].sums[side][metric], b = (double)units[i].cases;
    sums->a += a;
    sums->b += b;
    sums->aa += a * a;
    sums->ab += a * b;
    sums->bb += b * b;
  }
  sums->units = needed->units;
  needed->values[side][metric] = (ee_metric){true, sums->a / sums->b};
}

/* Variances ------------------------------------------------------------------------------------- */

/* Of values whose mean, sum of squares and number are given. */
static double plain_variance(double mean, double squares, double count) { return squares / count - mean * mean; }

/* How many times larger the variance of the mean is with these units than with as many independent cases. */
static double design_effect(const ee_needed_cases *needed, double of_unit, double of_case) {
  return of_case > 0 ? of_unit / of_case * ((double)needed->cases / (double)needed->units) : 1;
}

/* Of the linearized difference of a unit (prim/paired.h). */
static void measure_spread(ee_needed_cases *needed, const unit *units, int metric) {
  const ee_comparison *comparison = needed->comparison;
  ee_paired_sums sums = {.reach = 1};
  double of_units = 0, of_cases = 0;
  uint64_t changed = 0;
  double per_unit = (double)needed->cases / (double)needed->units;
  double mean = needed->values[1][metric].value - needed->values[0][metric].value;
  for (uint64_t i = 0; i < needed->units; i++) {
    double change = units[i].sums[EE_SIDE_NEW][metric] - units[i].sums[EE_SIDE_BASE][metric];
    double size = (double)units[i].cases / per_unit;
    double difference = change / per_unit - mean * size + mean;
    ee_paired_add(&sums, difference, fabs(change) > EE_SCORE_SLACK);
    of_units += difference * difference;
  }
  for (size_t i = 0; i < needed->cases; i++) {
    const ee_compared_case *item = &comparison->cases[i];
    double change = value_of(item->fresh, metric) - value_of(item->base, metric);
    changed += fabs(change) > EE_SCORE_SLACK;
    of_cases += change * change;
  }
  of_units = plain_variance(mean, of_units, (double)needed->units);
  of_cases = plain_variance(mean, of_cases, (double)needed->cases);
  needed->spreads[needed->spread_count++] = (spread){.metric = metric,
                                                     .correlation = NAN,
                                                     .difference = {true, fabs(mean) > EE_SCORE_SLACK ? mean : 0},
                                                     .changed = changed,
                                                     .variance = ee_paired_variance(&sums),
                                                     .design_effect = design_effect(needed, of_units, of_cases)};
}

/* The variance of a unit's linearized value, with one more unit of the mean size and value 0, without which it would be
 * 0 where all is right (prim/ratio_interval.h). */
static double variance_of(const ee_ratio_sums *sums) {
  double n = (double)sums->units, extra = sums->b / n, mean = sums->a / (sums->b + extra);
  double residuals = sums->aa - 2 * mean * sums->ab + mean * mean * (sums->bb + extra * extra);
  return fmax(residuals / n / (extra * extra), 0);
}

/* The design effect of a mean: from the sums over units, and over cases. */
static double design_of_run(const ee_needed_cases *needed, int metric) {
  const ee_ratio_sums *sums = &needed->sums[0][metric];
  double mean = needed->values[0][metric].value, size = sums->b / (double)sums->units, squares = 0;
  for (size_t i = 0; i < needed->cases; i++) {
    double value = value_of(needed->comparison->cases[i].base, metric);
    squares += value * value;
  }
  double residuals = sums->aa - 2 * mean * sums->ab + mean * mean * sums->bb;
  return design_effect(needed, residuals / (double)sums->units / (size * size),
                       plain_variance(mean, squares, (double)needed->cases));
}

static void assume_spreads(ee_needed_cases *needed, int metric) {
  double variance = variance_of(&needed->sums[0][metric]);
  double design = design_of_run(needed, metric);
  for (int i = 0; i < ASSUMPTIONS; i++)
    needed->spreads[needed->spread_count++] = (spread){.metric = metric,
                                                       .correlation = correlations[i],
                                                       .variance = 2 * variance * (1 - correlations[i]),
                                                       .design_effect = design};
}

/* Numbers of cases ------------------------------------------------------------------------------ */

static uint64_t units_for(const ee_needed_cases *needed, const spread *of, double effect, double power) {
  return ee_paired_units_needed(of->variance, effect, needed->options.confidence, power);
}

static double smallest_for(const ee_needed_cases *needed, const spread *of, double power) {
  return ee_paired_detectable(of->variance, needed->units, needed->options.confidence, power);
}

static double power_now(const ee_needed_cases *needed, const spread *of) {
  return ee_paired_power(of->variance, needed->units, needed->options.effect, needed->options.confidence);
}

/* Rounded up. */
static uint64_t cases_of(const ee_needed_cases *needed, uint64_t units) {
  if (!needed->clustered || units >= MOST_UNITS) return units;
  return (uint64_t)ceil((double)units * (double)needed->cases / (double)needed->units);
}

static double half_width(const ee_ratio_sums *sums, double factor, double confidence) {
  ee_ratio_sums grown = {.units = (uint64_t)nearbyint((double)sums->units * factor),
                         .a = sums->a * factor,
                         .b = sums->b * factor,
                         .aa = sums->aa * factor,
                         .ab = sums->ab * factor,
                         .bb = sums->bb * factor};
  ee_interval interval = ee_ratio_interval(&grown, confidence);
  return (interval.high - interval.low) / 2;
}

/* The fewest units with an interval of at most that half-width. */
static uint64_t units_for_width(const ee_needed_cases *needed, const ee_ratio_sums *sums, double width) {
  double units = (double)sums->units;
  uint64_t low = 1, high = 2;
  while (half_width(sums, (double)high / units, needed->options.confidence) > width) {
    low = high;
    high *= 2;
    if (high > MOST_UNITS) return MOST_UNITS;
  }
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    if (half_width(sums, (double)middle / units, needed->options.confidence) > width)
      low = middle;
    else
      high = middle;
  }
  return high;
}

/* Everything ------------------------------------------------------------------------------------ */

static void add_note(ee_needed_cases *needed, const char *note) { *EE_LIST_ADD(&needed->notes, NULL) = note; }

static void add_notes(ee_needed_cases *needed) {
  const char *note;
  ee_arena *arena = &needed->arena;
  if (needed->clustered)
    add_note(needed, ee_arena_printf(arena,
                                     "cases of a cluster are not independent: %" PRIu64 " clusters of %.1f cases on "
                                     "average are counted, and more cases of the same clusters would show little more",
                                     needed->units, (double)needed->cases / (double)needed->units));
  for (size_t i = 0; i < needed->spread_count && is_paired(needed); i++)
    if (needed->spreads[i].changed < FEW_CHANGES)
      add_note(needed, ee_arena_printf(arena,
                                       "only %" PRIu64 " case%s changed in the %s: too few to know how much cases "
                                       "vary, so the numbers are on the safe side",
                                       needed->spreads[i].changed, needed->spreads[i].changed == 1 ? "" : "s",
                                       titles[needed->spreads[i].metric]));
  if (!is_paired(needed))
    add_note(needed,
             "from one run it is not known how the scores of two runs go together: a correlation of 0 is that of runs "
             "that share nothing, 0.5 that of two different systems; a small change to one system gives more, and "
             "needs fewer cases; with a second run over the same cases (evalengine plan BASE NEW) it is measured");
  for (size_t i = 0; (note = ee_comparison_note(needed->comparison, i)) != NULL; i++) add_note(needed, note);
}

static ee_status check_units(const ee_needed_cases *needed, ee_error *error) {
  if (needed->options.clusters && !needed->clustered)
    return ee_error_set(error, EE_ERROR_DATA,
                        "no cluster has several cases: judge again with --cluster PATH, the path of what cases have in "
                        "common, such as meta.document");
  if (needed->units < 2)
    return ee_error_set(error, EE_ERROR_DATA, "a variance needs at least two %s with a score",
                        needed->clustered ? "clusters of cases" : "cases");
  return EE_OK;
}

ee_status ee_needed_cases_finish(ee_needed_cases *needed, ee_error *error) {
  ee_status status = ee_comparison_finish(needed->comparison, error);
  if (status != EE_OK) return status;
  needed->cases = needed->comparison->case_count;
  unit *units = list_units(needed);
  status = check_units(needed, error);
  for (int metric = 0; metric < METRICS && status == EE_OK; metric++) {
    for (int side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++) sum_run(needed, units, side, metric);
    if (is_paired(needed))
      measure_spread(needed, units, metric);
    else
      assume_spreads(needed, metric);
  }
  ee_free(units);
  if (status == EE_OK) add_notes(needed);
  return status;
}

/* The page -------------------------------------------------------------------------------------- */

static ee_cell number_cell(ee_arena *arena, uint64_t count, ee_ink ink) {
  if (count >= MOST_UNITS) return ee_cell_words("> 10^12", EE_INK_DIM);
  return ee_cell_count(arena, count, ink);
}

/* Units, after them their cases where they are clusters: "46 (183)". */
static ee_cell units_cell(const ee_needed_cases *needed, ee_arena *arena, uint64_t units, ee_ink ink) {
  ee_cell cell = number_cell(arena, cases_of(needed, units), ink);
  if (!needed->clustered || units >= MOST_UNITS) return cell;
  return ee_cell_words(ee_arena_printf(arena, "%" PRIu64 " (%.*s)", units, EE_STR_ARG(cell.text)), ink);
}

/* "0.0145": three digits that count. */
static const char *small_text(ee_arena *arena, double value) {
  int places = 3;
  if (!isfinite(value)) return "-";
  // NOLINTNEXTLINE(cert-flp30-c,clang-analyzer-security.FloatLoopCounter): places are counted
  for (double size = 0.1; size > value && places < 8; size /= 10) places++;
  return ee_arena_printf(arena, "%.*f", places, value);
}

/* As a person writes it: 0.02, 0.8. */
static const char *plain_text(ee_arena *arena, double value) { return ee_arena_printf(arena, "%g", value); }

static const char *noun(const ee_needed_cases *needed) { return needed->clustered ? "clusters (cases)" : "cases"; }

static const char *spread_title(const spread *of, ee_arena *arena) {
  if (isnan(of->correlation)) return titles[of->metric];
  return ee_arena_printf(arena, "%s, correlation %g", titles[of->metric], of->correlation);
}

static void add_head(const ee_needed_cases *needed, ee_page *page) {
  ee_arena *arena = &page->arena;
  const ee_needed_cases_options *options = &needed->options;
  ee_line *line = ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_PARAGRAPH);
  if (needed->clustered)
    ee_line_addf(page, line, EE_INK_BOLD, "%" PRIu64 " clusters of %zu cases", needed->units, needed->cases);
  else
    ee_line_addf(page, line, EE_INK_BOLD, "%zu cases", needed->cases);
  ee_line_add(page, line, ee_cell_words(is_paired(needed) ? ", two runs: " : ", one run: ", EE_INK_PLAIN));
  ee_line_add(page, line, ee_cell_data(ee_str_from(options->names[0]), EE_INK_PLAIN));
  if (is_paired(needed)) {
    ee_line_add(page, line, ee_cell_words(" \xe2\x86\x92 ", EE_INK_PLAIN));
    ee_line_add(page, line, ee_cell_data(ee_str_from(options->names[1]), EE_INK_PLAIN));
  }
  line = ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_PARAGRAPH);
  ee_line_addf(page, line, EE_INK_PLAIN, "to find a difference of %s with a power of %s, at %s %% confidence:",
               plain_text(arena, options->effect), plain_text(arena, options->power),
               plain_text(arena, 100 * options->confidence));
}

static void add_needed(const ee_needed_cases *needed, ee_page *page) {
  enum { METRIC, SEEN, CHANGED, DEVIATION, DESIGN, NEEDED, VERDICT, POWER, COLUMNS };
  ee_arena *arena = &page->arena;
  ee_column columns[COLUMNS] = {
      [METRIC] = {.name = "", .left = true},  [SEEN] = {.name = "seen"},
      [CHANGED] = {.name = "changed"},        [DEVIATION] = {.name = "deviation"},
      [DESIGN] = {.name = "design effect"},   [NEEDED] = {.name = ee_arena_printf(arena, "%s needed", noun(needed))},
      [VERDICT] = {.name = "", .left = true}, [POWER] = {.name = "power now"},
  };
  if (!is_paired(needed)) columns[SEEN].hidden_in = columns[CHANGED].hidden_in = EE_MEDIUM_ALL;
  if (!needed->clustered) columns[DESIGN].hidden_in = EE_MEDIUM_ALL;
  columns[CHANGED].wide_only = columns[DEVIATION].wide_only = needed->clustered;
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, COLUMNS);
  for (size_t i = 0; i < needed->spread_count; i++) {
    const spread *of = &needed->spreads[i];
    uint64_t units = units_for(needed, of, needed->options.effect, needed->options.power);
    bool enough = units <= needed->units;
    double times = (double)units / (double)needed->units;
    ee_cell *cells = ee_grid_add(grid);
    cells[METRIC] = ee_cell_words(spread_title(of, arena), EE_INK_PLAIN);
    if (of->difference.defined) cells[SEEN] = ee_cell_words(ee_change_text(arena, of->difference), EE_INK_PLAIN);
    cells[CHANGED] = ee_cell_count(arena, of->changed, EE_INK_PLAIN);
    cells[DEVIATION] = ee_cell_words(small_text(arena, sqrt(of->variance)), EE_INK_PLAIN);
    cells[DESIGN] = ee_cell_words(ee_arena_printf(arena, "%.2f", of->design_effect), EE_INK_PLAIN);
    cells[NEEDED] = units_cell(needed, arena, units, EE_INK_BOLD);
    if (enough)
      cells[VERDICT] = ee_cell_words("enough", EE_INK_GREEN);
    else
      cells[VERDICT] = ee_cell_words(ee_arena_printf(arena, "%.*f x now", times < 10 ? 1 : 0, times), EE_INK_YELLOW);
    cells[POWER] = ee_cell_words(ee_comparison_share(arena, (ee_metric){true, power_now(needed, of)}), EE_INK_PLAIN);
  }
}

static void add_smallest(const ee_needed_cases *needed, ee_page *page) {
  ee_arena *arena = &page->arena;
  ee_column columns[1 + POWERS] = {
      {.name = needed->clustered
                   ? ee_arena_printf(arena, "smallest difference that %" PRIu64 " clusters show", needed->units)
                   : ee_arena_printf(arena, "smallest difference that %zu cases show", needed->cases),
       .left = true}};
  for (int p = 0; p < POWERS; p++) columns[1 + p].name = ee_arena_printf(arena, "with power %g", powers[p]);
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, 1 + POWERS);
  for (size_t i = 0; i < needed->spread_count; i++) {
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = ee_cell_words(spread_title(&needed->spreads[i], arena), EE_INK_PLAIN);
    for (int p = 0; p < POWERS; p++)
      cells[1 + p] =
          ee_cell_words(small_text(arena, smallest_for(needed, &needed->spreads[i], powers[p])), EE_INK_PLAIN);
  }
}

static void add_table(const ee_needed_cases *needed, ee_page *page) {
  ee_arena *arena = &page->arena;
  ee_column columns[2 + EFFECTS] = {
      {.name = ee_arena_printf(arena, "%s for a difference of", needed->clustered ? "clusters" : "cases"),
       .left = true},
      {.name = "power"}};
  for (int e = 0; e < EFFECTS; e++) columns[2 + e].name = plain_text(arena, effects[e]);
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, 2 + EFFECTS);
  for (size_t i = 0; i < needed->spread_count; i++) {
    for (int p = 0; p < POWERS; p++) {
      ee_cell *cells = ee_grid_add(grid);
      cells[0] = ee_cell_words(spread_title(&needed->spreads[i], arena), EE_INK_PLAIN);
      cells[1] = ee_cell_words(plain_text(arena, powers[p]), EE_INK_PLAIN);
      for (int e = 0; e < EFFECTS; e++)
        cells[2 + e] = number_cell(arena, units_for(needed, &needed->spreads[i], effects[e], powers[p]), EE_INK_PLAIN);
    }
  }
}

/* The widths of the table: those that are wanted. */
static int chosen_widths(const ee_needed_cases *needed, const double **chosen) {
  *chosen = needed->options.half_width > 0 ? &needed->options.half_width : widths;
  return needed->options.half_width > 0 ? 1 : WIDTHS;
}

static void add_widths(const ee_needed_cases *needed, ee_page *page) {
  ee_arena *arena = &page->arena;
  const double *chosen;
  int count = chosen_widths(needed, &chosen), last = is_paired(needed) ? EE_SIDE_NEW : EE_SIDE_BASE;
  ee_column columns[3 + WIDTHS] = {
      {.name = ee_arena_printf(arena, "%s for one run's interval", needed->clustered ? "clusters" : "cases"),
       .left = true},
      {.name = "now"},
      {.name = ee_arena_printf(arena, "(%g %%)", 100 * needed->options.confidence)}};
  for (int w = 0; w < count; w++) columns[3 + w].name = ee_arena_printf(arena, "\xc2\xb1%g", chosen[w]);
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, 3 + (size_t)count);
  for (int run = EE_SIDE_BASE; run <= last; run++) {
    for (int metric = 0; metric < METRICS; metric++) {
      const ee_ratio_sums *sums = &needed->sums[run][metric];
      ee_cell *cells = ee_grid_add(grid);
      cells[0] = ee_cell_words(
          is_paired(needed) ? ee_arena_printf(arena, "%s, %s", titles[metric], run == EE_SIDE_BASE ? "base" : "new")
                            : titles[metric],
          EE_INK_PLAIN);
      cells[1] = ee_cell_metric(arena, needed->values[run][metric], EE_INK_PLAIN);
      cells[2] = ee_cell_words(ee_range_text(arena, ee_ratio_interval(sums, needed->options.confidence)), EE_INK_PLAIN);
      for (int w = 0; w < count; w++)
        cells[3 + w] = number_cell(arena, units_for_width(needed, sums, chosen[w]), EE_INK_PLAIN);
    }
  }
}

void ee_needed_cases_page(const ee_needed_cases *needed, ee_page *page) {
  add_head(needed, page);
  ee_page_section(page, EE_STR("needed"));
  ee_page_space(page);
  add_needed(needed, page);
  ee_page_section(page, EE_STR("smallest"));
  ee_page_space(page);
  add_smallest(needed, page);
  ee_page_section(page, EE_STR("differences"));
  ee_page_space(page);
  add_table(needed, page);
  ee_page_section(page, EE_STR("intervals"));
  ee_page_space(page);
  add_widths(needed, page);
  if (needed->notes.count == 0) return;
  ee_page_section(page, EE_STR("notes"));
  ee_str *notes = EE_NEW_ARRAY(&page->arena, ee_str, needed->notes.count);
  for (size_t i = 0; i < needed->notes.count; i++) notes[i] = ee_str_from(needed->notes.items[i]);
  ee_page_space(page);
  ee_page_notes(page, EE_MEDIUM_ALL, notes, needed->notes.count);
}

/* JSON ------------------------------------------------------------------------------------------ */

/* More than 10^12: null. */
static void json_needed(ee_json_out *json, const ee_needed_cases *needed, uint64_t units) {
  bool known = units < MOST_UNITS;
  ee_json_add_metric_or_null(json, "cases", (ee_metric){known, (double)cases_of(needed, units)});
  if (needed->clustered) ee_json_add_metric_or_null(json, "clusters", (ee_metric){known, (double)units});
}

static void json_spread(ee_json_out *json, const ee_needed_cases *needed, const spread *of) {
  ee_json_open(json, NULL, '{');
  ee_json_add_text(json, "metric", ee_str_from(members[of->metric]));
  if (!isnan(of->correlation)) ee_json_add_number(json, "assumed_correlation", of->correlation);
  ee_json_add_metric(json, "difference", of->difference);
  if (of->difference.defined) ee_json_add_count(json, "changed", of->changed);
  ee_json_add_number(json, "standard_deviation", sqrt(of->variance));
  if (needed->clustered) ee_json_add_number(json, "design_effect", of->design_effect);
  ee_json_open_as(json, "needed", '{', EE_JSON_LINE);
  json_needed(json, needed, units_for(needed, of, needed->options.effect, needed->options.power));
  ee_json_close(json, '}');
  ee_json_add_number(json, "power_now", power_now(needed, of));
  ee_json_open_as(json, "smallest_difference", '[', EE_JSON_ROWS);
  for (int p = 0; p < POWERS; p++) {
    ee_json_open(json, NULL, '{');
    ee_json_add_number(json, "power", powers[p]);
    ee_json_add_number(json, "difference", smallest_for(needed, of, powers[p]));
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
  ee_json_open_as(json, "differences", '[', EE_JSON_ROWS);
  for (int e = 0; e < EFFECTS; e++) {
    for (int p = 0; p < POWERS; p++) {
      ee_json_open(json, NULL, '{');
      ee_json_add_number(json, "difference", effects[e]);
      ee_json_add_number(json, "power", powers[p]);
      json_needed(json, needed, units_for(needed, of, effects[e], powers[p]));
      ee_json_close(json, '}');
    }
  }
  ee_json_close(json, ']');
  ee_json_close(json, '}');
}

static void json_interval(ee_json_out *json, const ee_needed_cases *needed, int run, int metric) {
  const double *chosen;
  int count = chosen_widths(needed, &chosen);
  const ee_ratio_sums *sums = &needed->sums[run][metric];
  ee_json_open(json, NULL, '{');
  ee_json_add_text(json, "run", ee_str_from(needed->options.names[run]));
  ee_json_add_text(json, "metric", ee_str_from(members[metric]));
  ee_json_add_metric(json, "value", needed->values[run][metric]);
  ee_json_add_interval(json, "interval", ee_ratio_interval(sums, needed->options.confidence));
  ee_json_open_as(json, "half_widths", '[', EE_JSON_ROWS);
  for (int w = 0; w < count; w++) {
    ee_json_open(json, NULL, '{');
    ee_json_add_number(json, "half_width", chosen[w]);
    json_needed(json, needed, units_for_width(needed, sums, chosen[w]));
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
  ee_json_close(json, '}');
}

void ee_needed_cases_json(const ee_needed_cases *needed, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_json_out json = {.out = out, .arena = &arena, .first = true};
  const ee_needed_cases_options *options = &needed->options;
  int last = is_paired(needed) ? EE_SIDE_NEW : EE_SIDE_BASE;
  ee_json_open(&json, NULL, '{');
  ee_json_open_as(&json, "runs", '[', EE_JSON_LINE);
  for (int run = 0; run <= last; run++) ee_json_add_text(&json, NULL, ee_str_from(options->names[run]));
  ee_json_close(&json, ']');
  ee_json_add_count(&json, "cases", needed->cases);
  if (needed->clustered) ee_json_add_count(&json, "clusters", needed->units);
  ee_json_add_number(&json, "effect", options->effect);
  ee_json_add_number(&json, "power", options->power);
  ee_json_add_number(&json, "confidence", options->confidence);
  ee_json_open(&json, "metrics", '[');
  for (size_t i = 0; i < needed->spread_count; i++) json_spread(&json, needed, &needed->spreads[i]);
  ee_json_close(&json, ']');
  ee_json_open(&json, "intervals", '[');
  for (int run = 0; run <= last; run++)
    for (int metric = 0; metric < METRICS; metric++) json_interval(&json, needed, run, metric);
  ee_json_close(&json, ']');
  ee_json_open(&json, "notes", '[');
  for (size_t i = 0; i < needed->notes.count; i++) ee_json_add_text(&json, NULL, ee_str_from(needed->notes.items[i]));
  ee_json_close(&json, ']');
  ee_json_close(&json, '}');
  ee_buffer_add_char(out, '\n');
  ee_arena_fini(&arena);
}
