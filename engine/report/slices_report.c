/* slices_report.c: the table of a slice's values. */
#include "report/slices_report.h"

#include "prim/sort.h"
#include "prim/statistics.h"

/* Values of a slice that are listed (JSON has all of them), and measures that have a column. */
#define MAX_SLICE_VALUES 40
#define MAX_SLICE_MEASURES 4
/* With fewer cases a mean says next to nothing. */
#define FEW_CASES 10

/* Without an interval anything is possible. */
static double end_of(const ee_slice_line *line) {
  if (ee_interval_is_known(line->mean.interval)) return line->mean.interval.high;
  return line->mean.metric.defined ? 1 : 2;
}

static bool is_worse(const ee_slice_line *a, const ee_slice_line *b) {
  double high = end_of(a), other = end_of(b);
  if (high != other) return high < other;
  return a->mean.metric.value < b->mean.metric.value;
}
EE_DEFINE_SORT(sort_lines, ee_slice_line, is_worse)

void ee_slice_page(ee_str path, ee_slice_line *lines, size_t count, size_t measure_count, ee_page *page) {
  if (count == 0) return;
  enum { FIXED = 6 };
  ee_column columns[FIXED + MAX_SLICE_MEASURES] = {{.name = "value", .left = true, .name_column = true},
                                                   {.name = "cases"},
                                                   {.name = "mean score"},
                                                   {.name = "interval", .left = true},
                                                   {.name = "pass"},
                                                   {.name = "interval", .left = true}};
  ee_arena *arena = &page->arena;
  size_t measures = measure_count < MAX_SLICE_MEASURES ? measure_count : MAX_SLICE_MEASURES;
  for (size_t i = 0; i < measures; i++)
    columns[FIXED + i].name = ee_arena_printf(arena, "mean %.*s", EE_STR_ARG(lines[0].measures[i].name));
  sort_lines(lines, count, arena);
  size_t shown = count < MAX_SLICE_VALUES ? count : MAX_SLICE_VALUES;
  ee_page_space(page);
  ee_line *line = ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_HEADING);
  ee_line_add(page, line, ee_cell_words("slice ", EE_INK_PLAIN));
  ee_line_add(page, line, (ee_cell){.text = path, .kind = EE_CELL_QUOTE, .ink = EE_INK_BOLD});
  ee_line_add(page, line, ee_cell_words(", by the upper end of the mean's interval, lowest first", EE_INK_DIM));
  line = ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_HEADING);
  ee_line_add(page, line, ee_cell_words("Slice ", EE_INK_PLAIN));
  ee_line_add(page, line, (ee_cell){.text = path, .kind = EE_CELL_DATA});
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, FIXED + measures);
  for (size_t i = 0; i < shown; i++) {
    const ee_slice_line *slice = &lines[i];
    bool few = slice->cases < FEW_CASES;
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = ee_cell_data(slice->value, EE_INK_PLAIN);
    cells[0].max_columns = 0;
    ee_str member = ee_str_from(ee_arena_printf(arena, "%.*s=%.*s", EE_STR_ARG(path), EE_STR_ARG(slice->value)));
    cells[0].link = ee_page_link(arena, &(ee_link_part){"slice", member}, 1);
    ee_ink ink = few ? EE_INK_DIM : EE_INK_PLAIN;
    cells[1] = ee_cell_count(arena, slice->cases, few ? EE_INK_YELLOW : EE_INK_PLAIN);
    cells[2] = ee_cell_metric(arena, slice->mean.metric, ink);
    cells[3] = ee_cell_interval(arena, slice->mean.interval, ink);
    cells[4] = ee_cell_percent_of(arena, slice->passed.metric, ink);
    cells[5] = ee_cell_interval_percent(arena, slice->passed.interval, ink);
    for (size_t k = 0; k < measures; k++) {
      ee_metric mean = ee_measure_summarize(slice->measures[k].total).mean;
      cells[FIXED + k] = ee_cell_words(ee_measure_text(arena, mean), mean.defined ? EE_INK_PLAIN : EE_INK_DIM);
    }
  }
  if (shown == count) return;
  ee_grid_add_for(grid, EE_MEDIUM_TERMINAL)[0] =
      ee_cell_words(ee_arena_printf(arena, "%zu more: --format json", count - shown), EE_INK_DIM);
  ee_grid_add_for(grid, EE_MEDIUM_MARKUP)[0] =
      ee_cell_words(ee_arena_printf(arena, "%zu more", count - shown), EE_INK_DIM);
}
