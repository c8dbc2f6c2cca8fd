/* table.c: the summary for people: first what decides, then where it comes from. */
#include <math.h>
#include <stdlib.h>

#include "prim/width.h"
#include "report/table_figures.h"
#include "report/table_measures.h"

#define BAR_COLUMNS 30
/* Where nothing says how wide lines may be. */
#define HEADING_COLUMNS 80
#define NAME_OF_DATA_COLUMNS 60
/* A table is for reading; --format json and csv have everything. */
#define ATTRIBUTES_SHOWN 200
#define SLICE_VALUES_SHOWN 40
#define NEVER_EXPECTED_SHOWN 10

static const ee_ink verdict_inks[] = {EE_INK_GREEN, EE_INK_YELLOW, EE_INK_RED};

static void end_line(ee_layout *layout) { ee_buffer_add_char(layout->out, '\n'); }

static void add_plain(ee_layout *layout, const char *text) { ee_buffer_add_text(layout->out, text); }

static void add_cell(ee_layout *layout, ee_cell cell) { ee_layout_add(layout, cell.ink, cell.text); }

/* "  name 12", dim when there is none of it. */
static void add_figure(ee_layout *layout, const char *name, uint64_t count, ee_ink ink) {
  add_plain(layout, "  ");
  ee_layout_add(layout, count > 0 ? EE_INK_PLAIN : EE_INK_DIM, ee_str_from(name));
  add_plain(layout, " ");
  add_cell(layout, ee_cell_count(layout, count, count > 0 ? ink : EE_INK_DIM));
}

/* "mean score 0.912 ± 0.021" */
static void add_mean(ee_layout *layout, const ee_sample *score) {
  add_plain(layout, "mean score ");
  if (score->count == 0) {
    ee_layout_add(layout, EE_INK_DIM, EE_STR("-"));
    return;
  }
  add_cell(layout, ee_cell_score(layout, ee_sample_mean(score), EE_INK_BOLD));
  if (score->count < 2) return;
  unsigned thousandths = (unsigned)floor(ee_sample_margin(score) * 1000 + 0.5);
  ee_buffer_addf(layout->out, " \xc2\xb1 %u.%03u", thousandths / 1000, thousandths % 1000);
}

/* The head --------------------------------------------------------------------------------------------------------- */

static ee_cell bar(ee_layout *layout, uint64_t part, uint64_t whole, ee_ink ink) {
  if (part == 0) return (ee_cell){.ink = ink};
  size_t columns = (size_t)((double)part / (double)whole * BAR_COLUMNS + 0.5);
  if (columns == 0) columns = 1;
  char *text = ee_arena_alloc(layout->arena, columns * 3);
  for (size_t i = 0; i < columns; i++) memcpy(text + 3 * i, "\xe2\x96\x88", 3);
  return (ee_cell){{text, columns * 3}, ink};
}

static void add_verdicts(ee_layout *layout, const ee_score_totals *totals) {
  ee_grid grid;
  ee_grid_start(&grid, layout, 4, 2);
  grid.bars = true;
  for (size_t i = 0; i < 3; i++) {
    uint64_t count = totals->verdicts[i];
    ee_ink ink = count > 0 ? verdict_inks[i] : EE_INK_DIM;
    ee_cell *cells = ee_grid_add(&grid);
    cells[0] = ee_cell_text(layout, ee_str_from(ee_verdict_name((ee_verdict)i)), ink);
    cells[1] = ee_cell_count(layout, count, count > 0 ? EE_INK_PLAIN : EE_INK_DIM);
    cells[2] = ee_cell_percent(layout, count, totals->score.count, count > 0 ? EE_INK_PLAIN : EE_INK_DIM);
    cells[3] = bar(layout, count, totals->score.count, ink);
  }
  ee_grid_print(&grid);
}

static void add_head(ee_layout *layout, const ee_summary *summary) {
  const ee_totals *totals = summary->totals;
  add_cell(layout, ee_cell_text(layout, summary->plan->name, EE_INK_BOLD));
  end_line(layout);
  if (summary->interrupted) {
    ee_layout_add(layout, EE_INK_RED, EE_STR("interrupted: only the cases finished until then are in this report"));
    end_line(layout);
  }
  if (summary->stopped) {
    ee_layout_add(layout, EE_INK_RED,
                  EE_STR("stopped at the first error: only the cases up to it are in this report"));
    end_line(layout);
  }
  end_line(layout);
  ee_buffer_addf(layout->out, "cases %llu  ", (unsigned long long)totals->scored);
  add_mean(layout, &totals->all.score);
  if (totals->all.score.count > 1) add_plain(layout, " (95 %)");
  end_line(layout);
  add_verdicts(layout, &totals->all);
  end_line(layout);
}

static void add_expected(ee_layout *layout, const ee_expected_coverage *expected) {
  if (!expected->given) return;
  add_plain(layout, "expected  ");
  add_figure(layout, "read", expected->records, EE_INK_PLAIN);
  add_figure(layout, "in error", expected->in_error, EE_INK_RED);
  if (expected->whole && !expected->detections_given)
    add_figure(layout, "without a record", expected->without_record, EE_INK_YELLOW);
  end_line(layout);
  if (!expected->detections_given) return;
  add_plain(layout, "detections");
  add_figure(layout, "read", expected->detections, EE_INK_PLAIN);
  add_figure(layout, "in error", expected->detections_in_error, EE_INK_RED);
  add_figure(layout, "without an image", expected->detections_without_image, EE_INK_RED);
  end_line(layout);
}

static void add_coverage(ee_layout *layout, const ee_summary *summary) {
  const ee_totals *totals = summary->totals;
  add_plain(layout, "records   ");
  add_figure(layout, "read", totals->records, EE_INK_PLAIN);
  add_figure(layout, "scored", totals->scored, EE_INK_PLAIN);
  add_figure(layout, "in error", totals->unreadable + totals->duplicates, EE_INK_RED);
  if (totals->unreadable > 0) add_figure(layout, "unreadable", totals->unreadable, EE_INK_RED);
  if (totals->duplicates > 0) add_figure(layout, "duplicate ids", totals->duplicates, EE_INK_RED);
  if (totals->filtered > 0) add_figure(layout, "not selected", totals->filtered, EE_INK_PLAIN);
  end_line(layout);
  add_expected(layout, &summary->expected);
  add_plain(layout, "candidates");
  add_figure(layout, "missing", totals->candidates_missing, EE_INK_YELLOW);
  add_figure(layout, "without JSON", totals->candidates_unparseable, EE_INK_YELLOW);
  end_line(layout);
  add_plain(layout, "rules     ");
  add_figure(layout, "errors", totals->rule_errors, EE_INK_RED);
  if (totals->rule_errors > 0) add_figure(layout, "cases", totals->cases_with_rule_errors, EE_INK_RED);
  end_line(layout);
  if (totals->provider_failures == 0) return;
  add_plain(layout, "provider  ");
  add_figure(layout, "no answer", totals->provider_failures, EE_INK_RED);
  add_figure(layout, "cases", totals->cases_with_provider_failures, EE_INK_RED);
  end_line(layout);
}

/* Judges ----------------------------------------------------------------------------------------------------------- */

enum { NAME, TP, TN, FP, FN, WRONG, INVENTED, PRECISION, RECALL, F1, COLUMNS };

static void add_attribute_head(ee_grid *grid) {
  static const char *const names[COLUMNS] = {"attribute", "TP",       "TN",        "FP",     "FN",
                                             "wrong",     "invented", "precision", "recall", "F1"};
  ee_cell *cells = ee_grid_add(grid);
  for (size_t i = 0; i < COLUMNS; i++) cells[i] = ee_cell_text(grid->layout, ee_str_from(names[i]), EE_INK_DIM);
}

/* `split`: false where the judge does not tell wrong values from invented ones. */
static void fill_counts(ee_layout *layout, ee_cell *cells, const ee_counts *counts, bool split) {
  const uint64_t numbers[] = {counts->tp, counts->tn,    counts->fp,
                              counts->fn, counts->wrong, counts->fp - counts->wrong};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    cells[TP + i] = ee_cell_count(layout, numbers[i], numbers[i] > 0 ? EE_INK_PLAIN : EE_INK_DIM);
  if (!split) cells[WRONG] = cells[INVENTED] = ee_cell_text(layout, EE_STR("-"), EE_INK_DIM);
}

static ee_ink ink_of_f1(ee_metric f1, ee_verdict_limits limits) {
  if (!f1.defined || f1.value >= limits.pass) return EE_INK_PLAIN;
  return f1.value >= limits.borderline ? EE_INK_YELLOW : EE_INK_RED;
}

/* `of_data`: the data made the name, so that it may be of any length. */
static void add_attribute(ee_grid *grid, const ee_attribute_total *attribute, const ee_judge *judge, bool of_data) {
  ee_layout *layout = grid->layout;
  const ee_counts *counts = &attribute->counts;
  ee_ink ink = ink_of_f1(ee_f1_ranked(counts), judge->verdict);
  ee_cell *cells = ee_grid_add(grid);
  cells[NAME] = ee_cell_text(layout, attribute->name.length > 0 ? attribute->name : EE_STR("\"\""), ink);
  if (of_data && layout->style.width == 0)
    cells[NAME].text = ee_text_shorten(cells[NAME].text, NAME_OF_DATA_COLUMNS, layout->arena);
  fill_counts(layout, cells, counts, ee_judge_splits_fp(judge));
  cells[PRECISION] = ee_cell_metric(layout, ee_precision(counts), EE_INK_PLAIN);
  cells[RECALL] = ee_cell_metric(layout, ee_recall(counts), EE_INK_PLAIN);
  cells[F1] = ee_cell_metric(layout, ee_f1(counts), ink);
}

static ee_cell *add_average(ee_grid *grid, const char *name, const ee_averages *averages) {
  ee_layout *layout = grid->layout;
  ee_cell *cells = ee_grid_add(grid);
  cells[NAME] = ee_cell_text(layout, ee_str_from(name), EE_INK_PLAIN);
  cells[PRECISION] = ee_cell_metric(layout, averages->precision, EE_INK_PLAIN);
  cells[RECALL] = ee_cell_metric(layout, averages->recall, EE_INK_PLAIN);
  cells[F1] = ee_cell_metric(layout, averages->f1, EE_INK_BOLD);
  return cells;
}

/* True for an attribute that candidates made up: only the data knows it, and nothing was ever expected there. */
static bool is_never_expected(const ee_judge *judge, const ee_judge_total *total, size_t number) {
  const ee_attribute_total *attribute = &total->attributes[number];
  const ee_counts *counts = &attribute->counts;
  return number >= total->static_count && ee_judge_splits_fp(judge) && counts->tp + counts->fn + counts->tn == 0 &&
         counts->fp > 0 && !ee_str_is(attribute->name, EE_OTHER_NAME);
}

/* Leaves the first of those that were never expected in `order`, and all others; returns how many are left. Of what is
 * taken out `folded` is how many, and their counts are pooled. */
static size_t fold_never_expected(const ee_judge *judge, const ee_judge_total *total, size_t *order, size_t *folded,
                                  ee_counts *pooled) {
  size_t never = 0, left = 0, seen = 0;
  for (size_t i = 0; i < total->attribute_count; i++) never += is_never_expected(judge, total, i);
  *folded = 0;
  /* One alone is as long as the line that would stand for it. */
  if (never <= NEVER_EXPECTED_SHOWN + 1) return total->attribute_count;
  for (size_t i = 0; i < total->attribute_count; i++) {
    if (is_never_expected(judge, total, order[i]) && ++seen > NEVER_EXPECTED_SHOWN) {
      ee_counts_add(pooled, &total->attributes[order[i]].counts);
      ++*folded;
    } else {
      order[left++] = order[i];
    }
  }
  return left;
}

static void add_attributes(ee_layout *layout, const ee_judge *judge, const ee_judge_total *total) {
  size_t *order = EE_NEW_ARRAY(layout->arena, size_t, total->attribute_count), folded;
  ee_judge_total_rank(total, order);
  ee_counts pooled = {0};
  size_t count = fold_never_expected(judge, total, order, &folded, &pooled);
  ee_grid grid;
  ee_grid_start(&grid, layout, COLUMNS, 2);
  add_attribute_head(&grid);
  size_t shown = count < ATTRIBUTES_SHOWN ? count : ATTRIBUTES_SHOWN;
  for (size_t i = 0; i < shown; i++) {
    add_attribute(&grid, &total->attributes[order[i]], judge, order[i] >= total->static_count);
  }
  if (folded > 0) {
    const char *name = ee_arena_printf(layout->arena, "%zu more keys never expected", folded);
    add_attribute(&grid, &(ee_attribute_total){.name = ee_str_from(name), .counts = pooled}, judge, false);
  }
  if (shown < count) {
    ee_cell *cells = ee_grid_add(&grid);
    const char *text = ee_arena_printf(layout->arena, "%zu more: --format json or csv", count - shown);
    cells[NAME] = ee_cell_text(layout, ee_str_from(text), EE_INK_DIM);
  }
  ee_grid_add_rule(&grid);
  ee_judge_averages averages = ee_judge_total_averages(total);
  fill_counts(layout, add_average(&grid, "micro", &averages.micro), &averages.pooled, ee_judge_splits_fp(judge));
  add_average(&grid, "macro", &averages.macro);
  add_average(&grid, "weighted", &averages.weighted);
  ee_grid_print(&grid);
}

/* "items (line_items)  mean score 0.912 ± 0.021" */
static void add_judge_name(ee_layout *layout, const ee_judge *judge, const ee_judge_total *total) {
  add_cell(layout, ee_cell_text(layout, judge->name, EE_INK_BOLD));
  if (!ee_str_is(judge->name, judge->type->name)) ee_buffer_addf(layout->out, " (%s)", judge->type->name);
  add_plain(layout, "  ");
  add_mean(layout, &total->score);
}

/* How wide that is, in columns. */
static size_t width_of_name(const ee_layout *layout, const ee_judge *judge, const ee_judge_total *total) {
  ee_buffer text;
  ee_buffer_init(&text);
  ee_layout plain = {.out = &text, .arena = layout->arena};
  add_judge_name(&plain, judge, total);
  size_t width = ee_text_width((ee_str){text.data, text.length});
  ee_buffer_fini(&text);
  return width;
}

/* A figure on the line that is `*column` wide, or on the next one. */
static void add_figure_within(ee_layout *layout, size_t *column, const char *name, uint64_t count, ee_ink ink) {
  size_t limit = layout->style.width > 0 ? layout->style.width : HEADING_COLUMNS;
  size_t width = strlen("  ") + strlen(name) + strlen(" ") + ee_cell_count(layout, count, ink).text.length;
  if (*column + width > limit) {
    end_line(layout);
    *column = 0;
  }
  add_figure(layout, name, count, ink);
  *column += width;
}

static void add_judge_heading(ee_layout *layout, const ee_judge *judge, const ee_judge_total *total) {
  add_judge_name(layout, judge, total);
  size_t column = width_of_name(layout, judge, total);
  for (size_t i = 0; i < 3; i++)
    add_figure_within(layout, &column, ee_verdict_name((ee_verdict)i), total->verdicts[i], verdict_inks[i]);
  if (total->failed > 0) add_figure_within(layout, &column, "in error", total->failed, EE_INK_RED);
  if (total->vacuous > 0) add_figure_within(layout, &column, "vacuous", total->vacuous, EE_INK_YELLOW);
  if (total->fallbacks > 0)
    add_figure_within(layout, &column, "greedy instead of optimal", total->fallbacks, EE_INK_YELLOW);
  end_line(layout);
}

static void add_judge(ee_layout *layout, const ee_judge *judge, const ee_judge_total *total) {
  end_line(layout);
  add_judge_heading(layout, judge, total);
  ee_table_methods(layout, total);
  ee_table_measures(layout, judge, total);
  if (total->figures != NULL) ee_table_figures(layout, total->figures);
  if ((total->measure_count > 0 || total->figures != NULL) && total->attribute_count > 0) end_line(layout);
  if (total->attribute_count > 0) add_attributes(layout, judge, total);
  ee_table_worst_cases(layout, judge, total);
}

/* Slices ----------------------------------------------------------------------------------------------------------- */

typedef struct ranked_slice {
  const ee_slice_total *slice;
  double mean;
  size_t number;
} ranked_slice;

static int compare_slices(const void *left, const void *right) {
  const ranked_slice *a = left, *b = right;
  if (a->mean != b->mean) return a->mean < b->mean ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

/* Worst mean score first, ties in order of appearance. */
static size_t rank_slices(ee_layout *layout, const ee_totals *totals, size_t path, ranked_slice **ranked) {
  *ranked = EE_NEW_ARRAY(layout->arena, ranked_slice, totals->slice_count);
  size_t count = 0;
  for (size_t i = 0; i < totals->slice_count; i++) {
    const ee_slice_total *slice = &totals->slices[i];
    if (slice->slice != path) continue;
    (*ranked)[count++] = (ranked_slice){slice, ee_sample_mean(&slice->totals.score), i};
  }
  qsort(*ranked, count, sizeof **ranked, compare_slices);
  return count;
}

static void add_slice(ee_layout *layout, const ee_summary *summary, size_t path) {
  ranked_slice *ranked;
  size_t count = rank_slices(layout, summary->totals, path, &ranked);
  if (count == 0) return;
  end_line(layout);
  add_plain(layout, "slice ");
  add_cell(layout, ee_cell_text(layout, summary->plan->slices[path]->text, EE_INK_BOLD));
  end_line(layout);
  ee_grid grid;
  ee_grid_start(&grid, layout, 4, 2);
  static const char *const names[] = {"value", "cases", "mean score", "pass"};
  ee_cell *cells = ee_grid_add(&grid);
  for (size_t i = 0; i < 4; i++) cells[i] = ee_cell_text(layout, ee_str_from(names[i]), EE_INK_DIM);
  size_t shown = count < SLICE_VALUES_SHOWN ? count : SLICE_VALUES_SHOWN;
  for (size_t i = 0; i < shown; i++) {
    const ee_slice_total *slice = ranked[i].slice;
    const ee_score_totals *totals = &slice->totals;
    cells = ee_grid_add(&grid);
    cells[0] = ee_cell_text(layout, slice->value.length > 0 ? slice->value : EE_STR("\"\""), EE_INK_PLAIN);
    cells[1] = ee_cell_count(layout, totals->score.count, EE_INK_PLAIN);
    cells[2] = ee_cell_score(layout, ranked[i].mean, EE_INK_PLAIN);
    cells[3] = ee_cell_percent(layout, totals->verdicts[EE_VERDICT_PASS], totals->score.count, EE_INK_PLAIN);
  }
  if (shown < count) {
    const char *text = ee_arena_printf(layout->arena, "%zu more: --format json", count - shown);
    ee_grid_add(&grid)[0] = ee_cell_text(layout, ee_str_from(text), EE_INK_DIM);
  }
  ee_grid_print(&grid);
}

/* Gates ------------------------------------------------------------------------------------------------------------ */

static void add_gates(ee_layout *layout, const ee_summary *summary) {
  if (summary->gate_count == 0) return;
  end_line(layout);
  ee_layout_add(layout, EE_INK_BOLD, EE_STR("gates"));
  end_line(layout);
  ee_buffer text;
  ee_buffer_init(&text);
  for (size_t i = 0; i < summary->gate_count; i++) {
    const ee_gate_result *result = &summary->gates[i];
    add_plain(layout, "  ");
    ee_layout_add(layout, result->passed ? EE_INK_GREEN : EE_INK_RED, ee_str_from(result->passed ? "PASS" : "FAIL"));
    add_plain(layout, "  ");
    ee_buffer_clear(&text);
    ee_gate_print(result, &text);
    add_cell(layout, ee_cell_text(layout, (ee_str){text.data, text.length}, EE_INK_PLAIN));
    end_line(layout);
  }
  ee_buffer_fini(&text);
}

void ee_summary_table(const ee_summary *summary, ee_table_style style, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_layout layout = {out, &arena, style};
  add_head(&layout, summary);
  add_coverage(&layout, summary);
  for (size_t i = 0; i < summary->plan->judge_count; i++)
    add_judge(&layout, summary->plan->judges[i], &summary->totals->all.judges[i]);
  for (size_t i = 0; i < summary->plan->slice_count; i++) add_slice(&layout, summary, i);
  add_gates(&layout, summary);
  ee_arena_fini(&arena);
}
