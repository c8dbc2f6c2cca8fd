/* layout.h: columns of text for a terminal.
 */
#ifndef EE_REPORT_LAYOUT_H
#define EE_REPORT_LAYOUT_H

#include "base/arena.h"
#include "base/buffer.h"
#include "report/run_report.h"

typedef enum ee_ink { EE_INK_PLAIN, EE_INK_BOLD, EE_INK_DIM, EE_INK_RED, EE_INK_YELLOW, EE_INK_GREEN } ee_ink;

typedef struct ee_layout {
  ee_buffer *out;
  ee_arena *arena; /* scratch: cells live here until the end of the report */
  ee_table_style style;
} ee_layout;

/* One piece of text in one colour; data NULL: nothing. */
typedef struct ee_cell {
  ee_str text; /* printable */
  ee_ink ink;
} ee_cell;

/* Appends `text` in `ink`. */
void ee_layout_add(ee_layout *layout, ee_ink ink, ee_str text);

/* Cells: a text of the data (made printable), a count, a share of 1 as 0.912, a share as 91.2 %. A number that is not
 * quite 0 or 1 is never rounded to look like it; a score within 1e-9 of 1 is 1. An undefined metric is a dim "-". */
ee_cell ee_cell_text(ee_layout *layout, ee_str text, ee_ink ink);
ee_cell ee_cell_count(ee_layout *layout, uint64_t count, ee_ink ink);
ee_cell ee_cell_score(ee_layout *layout, double score, ee_ink ink);
ee_cell ee_cell_metric(ee_layout *layout, ee_metric metric, ee_ink ink);
ee_cell ee_cell_percent(ee_layout *layout, uint64_t part, uint64_t whole, ee_ink ink);

#define EE_GRID_COLUMNS 12
#define EE_GRID_NO_NAME SIZE_MAX

/* Rows of cells. The column of names stands left and is shortened where the line would be too long; others stand right.
 */
typedef struct ee_grid {
  ee_layout *layout;
  size_t columns, indent;
  size_t name; /* which column that is: the first, or EE_GRID_NO_NAME for figures alone */
  bool bars;   /* the last column stands left too */
  struct ee_grid_row *first, *last;
} ee_grid;

void ee_grid_start(ee_grid *grid, ee_layout *layout, size_t columns, size_t indent);
/* A further row of `columns` empty cells, to be filled. */
ee_cell *ee_grid_add(ee_grid *grid);
/* A line across the grid. */
void ee_grid_add_rule(ee_grid *grid);
void ee_grid_print(const ee_grid *grid);

#endif
