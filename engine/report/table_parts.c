/* table_parts.c: scores, verdicts and attributes as people read them. */
#include "report/table_parts.h"

#include <math.h>
#include <stdlib.h>

#include "prim/unicode.h"

#define BAR_COLUMNS 30
/* Where nothing says how wide lines may be. */
#define HEADING_COLUMNS 80
/* Of attributes at which nothing was ever expected. */
#define NEVER_EXPECTED_SHOWN 10

const ee_ink ee_verdict_inks[3] = {EE_INK_GREEN, EE_INK_YELLOW, EE_INK_RED};

void ee_table_end_line(ee_layout *layout) { ee_buffer_add_char(layout->out, '\n'); }

static void add_plain(ee_layout *layout, const char *text) { ee_buffer_add_text(layout->out, text); }

static void add_cell(ee_layout *layout, ee_cell cell) { ee_layout_add(layout, cell.ink, cell.text); }

/* Scores --------------------------------------------------------------------------------------- */

void ee_table_figure(ee_layout *layout, const char *name, uint64_t count, ee_ink ink) {
  add_plain(layout, "  ");
  ee_layout_add(layout, count > 0 ? EE_INK_PLAIN : EE_INK_DIM, ee_str_from(name));
  add_plain(layout, " ");
  add_cell(layout, ee_cell_count(layout, count, count > 0 ? ink : EE_INK_DIM));
}

void ee_table_mean(ee_layout *layout, const ee_sample *score) {
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

static ee_cell bar(ee_layout *layout, uint64_t part, uint64_t whole, ee_ink ink) {
  if (part == 0) return (ee_cell){.ink = ink};
  size_t columns = (size_t)((double)part / (double)whole * BAR_COLUMNS + 0.5);
  if (columns == 0) columns = 1;
  char *text = ee_arena_alloc(layout->arena, columns * 3);
  for (size_t i = 0; i < columns; i++) memcpy(text + 3 * i, "\xe2\x96\x88", 3);
  return (ee_cell){{text, columns * 3}, ink};
}

static void add_verdicts(ee_layout *layout, const uint64_t verdicts[3], uint64_t whole) {
  ee_grid grid;
  ee_grid_start(&grid, layout, 4, 2);
  grid.bars = true;
  for (size_t i = 0; i < 3; i++) {
    uint64_t count = verdicts[i];
    ee_ink ink = count > 0 ? ee_verdict_inks[i] : EE_INK_DIM;
    ee_cell *cells = ee_grid_add(&grid);
    cells[0] = ee_cell_text(layout, ee_str_from(ee_verdict_name((ee_verdict)i)), ink);
    cells[1] = ee_cell_count(layout, count, count > 0 ? EE_INK_PLAIN : EE_INK_DIM);
    cells[2] = ee_cell_percent(layout, count, whole, count > 0 ? EE_INK_PLAIN : EE_INK_DIM);
    cells[3] = bar(layout, count, whole, ink);
  }
  ee_grid_print(&grid);
}

void ee_table_scores(ee_layout *layout, const ee_sample *score, const uint64_t verdicts[3]) {
  ee_table_mean(layout, score);
  if (score->count > 1) add_plain(layout, " (95 %)");
  ee_table_end_line(layout);
  add_verdicts(layout, verdicts, score->count);
}

/* A judge's heading ---------------------------------------------------------------------------- */

/* "items (line_items)  mean score 0.912 ± 0.021" */
static void add_judge_name(ee_layout *layout, const ee_judge_heading *heading) {
  add_cell(layout, ee_cell_text(layout, heading->name.length > 0 ? heading->name : EE_STR("\"\""), EE_INK_BOLD));
  if (heading->type.length > 0 && !ee_str_equal(heading->name, heading->type)) {
    add_plain(layout, " (");
    add_cell(layout, ee_cell_text(layout, heading->type, EE_INK_PLAIN));
    add_plain(layout, ")");
  }
  add_plain(layout, "  ");
  ee_table_mean(layout, heading->score);
}

/* How wide that is, in columns. */
static size_t width_of_name(const ee_layout *layout, const ee_judge_heading *heading) {
  ee_buffer text;
  ee_buffer_init(&text);
  ee_layout plain = {.out = &text, .arena = layout->arena};
  add_judge_name(&plain, heading);
  size_t width = ee_text_width((ee_str){text.data, text.length});
  ee_buffer_fini(&text);
  return width;
}

/* A figure on the line that is `*column` wide, or on the next one. */
static void add_figure_within(ee_layout *layout, size_t *column, const char *name, uint64_t count, ee_ink ink) {
  size_t limit = layout->style.width > 0 ? layout->style.width : HEADING_COLUMNS;
  size_t width = strlen("  ") + strlen(name) + strlen(" ") + ee_cell_count(layout, count, ink).text.length;
  if (*column + width > limit) {
    ee_table_end_line(layout);
    *column = 0;
  }
  ee_table_figure(layout, name, count, ink);
  *column += width;
}

void ee_table_judge_heading(ee_layout *layout, const ee_judge_heading *heading) {
  add_judge_name(layout, heading);
  size_t column = width_of_name(layout, heading);
  for (size_t i = 0; i < 3; i++)
    add_figure_within(layout, &column, ee_verdict_name((ee_verdict)i), heading->verdicts[i], ee_verdict_inks[i]);
  if (heading->failed > 0) add_figure_within(layout, &column, "in error", heading->failed, EE_INK_RED);
  if (heading->vacuous > 0) add_figure_within(layout, &column, "vacuous", heading->vacuous, EE_INK_YELLOW);
  if (heading->fallbacks > 0)
    add_figure_within(layout, &column, "greedy instead of optimal", heading->fallbacks, EE_INK_YELLOW);
  ee_table_end_line(layout);
}

/* Attributes ----------------------------------------------------------------------------------- */

/* True for an attribute that candidates made up: only the data knows it, and nothing was ever expected there. */
static bool is_never_expected(const ee_judge_total *total, size_t number) {
  const ee_attribute_total *attribute = &total->attributes[number];
  const ee_counts *counts = &attribute->counts;
  return number >= total->static_count && counts->tp + counts->fn + counts->tn == 0 && counts->fp > 0 &&
         !ee_str_is(attribute->name, EE_OTHER_NAME);
}

size_t ee_attributes_in_order(const ee_judge_total *total, bool fold, ee_arena *arena, size_t **order, size_t *folded,
                              ee_counts *pooled) {
  size_t never = 0, left = 0, seen = 0, *numbers = EE_NEW_ARRAY(arena, size_t, total->attribute_count);
  *order = numbers;
  *folded = 0;
  *pooled = (ee_counts){0};
  ee_judge_total_rank(total, numbers);
  for (size_t i = 0; i < total->attribute_count; i++) never += fold && is_never_expected(total, i);
  /* One alone is as long as the line that would stand for it. */
  if (never <= NEVER_EXPECTED_SHOWN + 1) return total->attribute_count;
  for (size_t i = 0; i < total->attribute_count; i++) {
    if (is_never_expected(total, numbers[i]) && ++seen > NEVER_EXPECTED_SHOWN) {
      ee_counts_add(pooled, &total->attributes[numbers[i]].counts);
      ++*folded;
    } else {
      numbers[left++] = numbers[i];
    }
  }
  return left;
}

enum { NAME, TP, TN, FP, FN, WRONG, INVENTED, PRECISION, RECALL, F1, COLUMNS };

static void add_attribute_head(ee_grid *grid) {
  static const char *const names[COLUMNS] = {"attribute", "TP",       "TN",        "FP",     "FN",
                                             "wrong",     "invented", "precision", "recall", "F1"};
  ee_cell *cells = ee_grid_add(grid);
  for (size_t i = 0; i < COLUMNS; i++) cells[i] = ee_cell_text(grid->layout, ee_str_from(names[i]), EE_INK_DIM);
}

/* `split`: false where wrong values are not told from invented ones. */
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

/* `longest`: columns of the name; 0: any. */
static void add_attribute(ee_grid *grid, ee_str name, const ee_counts *counts, bool split, ee_verdict_limits limits,
                          size_t longest) {
  ee_layout *layout = grid->layout;
  ee_ink ink = ink_of_f1(ee_f1_ranked(counts), limits);
  ee_cell *cells = ee_grid_add(grid);
  cells[NAME] = ee_cell_text(layout, name.length > 0 ? name : EE_STR("\"\""), ink);
  if (longest > 0) cells[NAME].text = ee_text_shorten(cells[NAME].text, longest, layout->arena);
  fill_counts(layout, cells, counts, split);
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

void ee_table_attributes(ee_layout *layout, const ee_judge_total *total, bool split, bool fold,
                         ee_verdict_limits limits) {
  size_t *order, folded;
  ee_counts pooled;
  size_t count = ee_attributes_in_order(total, fold, layout->arena, &order, &folded, &pooled);
  ee_grid grid;
  ee_grid_start(&grid, layout, COLUMNS, 2);
  add_attribute_head(&grid);
  size_t shown = count < EE_ATTRIBUTES_SHOWN ? count : EE_ATTRIBUTES_SHOWN;
  for (size_t i = 0; i < shown; i++) {
    const ee_attribute_total *attribute = &total->attributes[order[i]];
    bool of_data = order[i] >= total->static_count;
    /* A terminal shortens the column as far as it must. */
    size_t longest = of_data && layout->style.width == 0 ? EE_NAME_OF_DATA_COLUMNS : 0;
    add_attribute(&grid, attribute->name, &attribute->counts, split, limits, longest);
  }
  if (folded > 0) {
    const char *name = ee_arena_printf(layout->arena, "%zu more keys never expected", folded);
    add_attribute(&grid, ee_str_from(name), &pooled, split, limits, 0);
  }
  if (shown < count) {
    ee_cell *cells = ee_grid_add(&grid);
    const char *text = ee_arena_printf(layout->arena, "%zu more: --format json or csv", count - shown);
    cells[NAME] = ee_cell_text(layout, ee_str_from(text), EE_INK_DIM);
  }
  ee_grid_add_rule(&grid);
  ee_judge_averages averages = ee_judge_total_averages(total);
  fill_counts(layout, add_average(&grid, "micro", &averages.micro), &averages.pooled, split);
  add_average(&grid, "macro", &averages.macro);
  add_average(&grid, "weighted", &averages.weighted);
  ee_grid_print(&grid);
}

/* Slices --------------------------------------------------------------------------------------- */

static int compare_slices(const void *left, const void *right) {
  const ee_ranked_slice *a = left, *b = right;
  if (a->mean != b->mean) return a->mean < b->mean ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

size_t ee_slices_in_order(const ee_totals *totals, size_t path, ee_arena *arena, ee_ranked_slice **ranked) {
  *ranked = EE_NEW_ARRAY(arena, ee_ranked_slice, totals->slice_count);
  size_t count = 0;
  for (size_t i = 0; i < totals->slice_count; i++) {
    const ee_slice_total *slice = &totals->slices[i];
    if (slice->slice != path) continue;
    (*ranked)[count++] = (ee_ranked_slice){slice, ee_sample_mean(&slice->totals.score), i};
  }
  qsort(*ranked, count, sizeof **ranked, compare_slices);
  return count;
}
