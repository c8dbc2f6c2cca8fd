/* layout.c: aligning cells, colouring them, and numbers as people read them. */
#include "report/layout.h"

#include <math.h>

#include "prim/unicode.h"

#define GAP 2
#define NARROWEST_NAME 12
/* What is as near to 1 as that is 1 to people. */
#define ROUNDING 1e-9

typedef struct ee_grid_row {
  struct ee_grid_row *next;
  bool rule;
  ee_cell cells[EE_GRID_COLUMNS];
} ee_grid_row;

/* Colours -------------------------------------------------------------------------------------- */

void ee_layout_add(ee_layout *layout, ee_ink ink, ee_str text) {
  static const char *const codes[] = {
      [EE_INK_PLAIN] = "",       [EE_INK_BOLD] = "\033[1m",    [EE_INK_DIM] = "\033[2m",
      [EE_INK_RED] = "\033[31m", [EE_INK_YELLOW] = "\033[33m", [EE_INK_GREEN] = "\033[32m",
  };
  bool colored = layout->style.color && ink != EE_INK_PLAIN && text.length > 0;
  if (colored) ee_buffer_add_text(layout->out, codes[ink]);
  ee_buffer_add_str(layout->out, text);
  if (colored) ee_buffer_add_text(layout->out, "\033[0m");
}

/* Cells ---------------------------------------------------------------------------------------- */

static ee_cell cell_of(const char *text, ee_ink ink) { return (ee_cell){ee_str_from(text), ink}; }

ee_cell ee_cell_text(ee_layout *layout, ee_str text, ee_ink ink) {
  return (ee_cell){ee_text_printable(text, layout->arena), ink};
}

ee_cell ee_cell_count(ee_layout *layout, uint64_t count, ee_ink ink) {
  return cell_of(ee_arena_printf(layout->arena, "%llu", (unsigned long long)count), ink);
}

/* `share` (0..1) in `steps`ths, rounded, but only a whole one to 0 or to `steps`. */
static unsigned round_share(double share, unsigned steps) {
  double rounded = floor(share * steps + 0.5);
  if (rounded < 1) return share > 0 ? 1 : 0;
  if (rounded >= steps) return share < 1 ? steps - 1 : steps;
  return (unsigned)rounded;
}

ee_cell ee_cell_score(ee_layout *layout, double score, ee_ink ink) {
  /* Average precision has 2^-52 in its denominators: perfect detections come to a little less than 1. */
  unsigned thousandths = score > 1 - ROUNDING ? 1000 : round_share(score, 1000);
  return cell_of(ee_arena_printf(layout->arena, "%u.%03u", thousandths / 1000, thousandths % 1000), ink);
}

ee_cell ee_cell_metric(ee_layout *layout, ee_metric metric, ee_ink ink) {
  return metric.defined ? ee_cell_score(layout, metric.value, ink) : cell_of("-", EE_INK_DIM);
}

ee_cell ee_cell_percent(ee_layout *layout, uint64_t part, uint64_t whole, ee_ink ink) {
  if (whole == 0) return cell_of("-", EE_INK_DIM);
  unsigned tenths = round_share((double)part / (double)whole, 1000);
  return cell_of(ee_arena_printf(layout->arena, "%u.%u %%", tenths / 10, tenths % 10), ink);
}

/* Grids ---------------------------------------------------------------------------------------- */

void ee_grid_start(ee_grid *grid, ee_layout *layout, size_t columns, size_t indent) {
  *grid = (ee_grid){.layout = layout, .columns = columns, .indent = indent};
}

static ee_grid_row *append(ee_grid *grid) {
  ee_grid_row *row = EE_NEW(grid->layout->arena, ee_grid_row);
  if (grid->last != NULL)
    grid->last->next = row;
  else
    grid->first = row;
  grid->last = row;
  return row;
}

ee_cell *ee_grid_add(ee_grid *grid) { return append(grid)->cells; }
void ee_grid_add_rule(ee_grid *grid) { append(grid)->rule = true; }

static void add_repeated(ee_buffer *out, const char *text, size_t count) {
  for (size_t i = 0; i < count; i++) ee_buffer_add_text(out, text);
}

static void measure(const ee_grid *grid, size_t widths[EE_GRID_COLUMNS]) {
  size_t total = grid->indent;
  for (size_t c = 0; c < grid->columns; c++) {
    widths[c] = 0;
    for (const ee_grid_row *row = grid->first; row != NULL; row = row->next) {
      size_t width = ee_text_width(row->cells[c].text);
      if (width > widths[c]) widths[c] = width;
    }
    total += widths[c] + (c > 0 ? GAP : 0);
  }
  size_t limit = grid->layout->style.width;
  if (limit == 0 || total <= limit || grid->name == EE_GRID_NO_NAME) return;
  size_t excess = total - limit;
  size_t *name = &widths[grid->name];
  size_t least = *name < NARROWEST_NAME ? *name : NARROWEST_NAME;
  *name = *name >= least + excess ? *name - excess : least;
}

static void print_row(const ee_grid *grid, const ee_grid_row *row, const size_t widths[EE_GRID_COLUMNS]) {
  ee_layout *layout = grid->layout;
  size_t pending = grid->indent; /* spaces are written only in front of something */
  for (size_t c = 0; c < grid->columns; c++) {
    ee_cell cell = row->cells[c];
    if (c == grid->name && widths[c] > 0) cell.text = ee_text_shorten(cell.text, widths[c], layout->arena);
    size_t padding = widths[c] - ee_text_width(cell.text);
    bool left = c == grid->name || (grid->bars && c + 1 == grid->columns);
    if (c > 0) pending += GAP;
    if (!left) pending += padding;
    if (cell.text.length > 0) {
      add_repeated(layout->out, " ", pending);
      ee_layout_add(layout, cell.ink, cell.text);
      pending = 0;
    } else {
      pending += widths[c] - padding;
    }
    if (left) pending += padding;
  }
  ee_buffer_add_char(layout->out, '\n');
}

void ee_grid_print(const ee_grid *grid) {
  size_t widths[EE_GRID_COLUMNS];
  measure(grid, widths);
  size_t total = (grid->columns - 1) * GAP;
  for (size_t c = 0; c < grid->columns; c++) total += widths[c];
  for (const ee_grid_row *row = grid->first; row != NULL; row = row->next) {
    if (!row->rule) {
      print_row(grid, row, widths);
      continue;
    }
    ee_buffer *out = grid->layout->out;
    add_repeated(out, " ", grid->indent);
    if (grid->layout->style.color) ee_buffer_add_text(out, "\033[2m");
    add_repeated(out, "\xe2\x94\x80", total);
    if (grid->layout->style.color) ee_buffer_add_text(out, "\033[0m");
    ee_buffer_add_char(out, '\n');
  }
}
