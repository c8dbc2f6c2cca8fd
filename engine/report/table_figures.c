/* table_figures.c: figures of the whole data set, up to six to a line; counters and notes in lines of the terminal's
 * width. */
#include "report/table_figures.h"

#include <string.h>

#include "prim/unicode.h"

#define IN_A_LINE 6

/* Columns of text where no terminal says how many it has. */
#define USUAL_WIDTH 80
#define INDENT 2
#define NOTE_INDENT 4

static void end_line(ee_layout *layout) { ee_buffer_add_char(layout->out, '\n'); }

static size_t line_width(const ee_layout *layout) {
  return layout->style.width > 0 ? layout->style.width : USUAL_WIDTH;
}

static void add_spaces(ee_layout *layout, size_t count) {
  while (count-- > 0) ee_buffer_add_char(layout->out, ' ');
}

static ee_cell name_cell(ee_layout *layout, const char *name) {
  return ee_cell_text(layout, ee_str_from(name), EE_INK_DIM);
}

static ee_cell value_cell(ee_layout *layout, const ee_corpus_metric *figure, ee_ink ink) {
  if (figure->is_count && figure->defined) return ee_cell_count(layout, (uint64_t)figure->value, ink);
  return ee_cell_metric(layout, (ee_metric){figure->defined, figure->value}, ink);
}

/* The next figure from `*at` on that is a count, or is none; NULL behind the last one. */
static const ee_corpus_metric *next_figure(const ee_corpus_summary *summary, size_t *at, bool count) {
  while (*at < summary->metric_count) {
    const ee_corpus_metric *figure = &summary->figures[(*at)++];
    if (figure->is_count == count) return figure;
  }
  return NULL;
}

/* How many shares stand in a line: six, or as many as the line has room for. */
static size_t shares_in_line(const ee_layout *layout, const ee_corpus_summary *summary) {
  enum { LEAST = 5 }; /* columns of a value */
  for (size_t wanted = IN_A_LINE; wanted > 1; wanted--) {
    size_t widths[IN_A_LINE] = {0}, total = 0, at = 0, number = 0;
    for (const ee_corpus_metric *figure; (figure = next_figure(summary, &at, false)) != NULL; number++) {
      size_t width = ee_text_width(ee_str_from(figure->name)), *column = &widths[number % wanted];
      if (width < LEAST) width = LEAST;
      if (width > *column) *column = width;
    }
    for (size_t i = 0; i < wanted; i++) total += INDENT + widths[i];
    if (total <= line_width(layout)) return wanted;
  }
  return 1;
}

/* Names in one row, values in the row below; the first figure of all is the one that people look for. */
static void add_shares(ee_layout *layout, const ee_corpus_summary *summary) {
  size_t at = 0;
  const ee_corpus_metric *figure = next_figure(summary, &at, false);
  if (figure == NULL) return;
  size_t in_line = shares_in_line(layout, summary);
  ee_grid grid;
  ee_grid_start(&grid, layout, in_line, 2);
  grid.name = EE_GRID_NO_NAME;
  for (ee_ink ink = EE_INK_BOLD; figure != NULL; ink = EE_INK_PLAIN) {
    ee_cell *names = ee_grid_add(&grid), *values = ee_grid_add(&grid);
    for (size_t i = 0; i < in_line && figure != NULL; i++) {
      names[i] = name_cell(layout, figure->name);
      values[i] = value_cell(layout, figure, i == 0 ? ink : EE_INK_PLAIN);
      figure = next_figure(summary, &at, false);
    }
  }
  ee_grid_print(&grid);
}

static void add_counts(ee_layout *layout, const ee_corpus_summary *summary) {
  size_t at = 0, column = 0;
  for (const ee_corpus_metric *figure; (figure = next_figure(summary, &at, true)) != NULL;) {
    ee_ink ink = figure->value > 0 ? EE_INK_PLAIN : EE_INK_DIM;
    ee_str name = ee_str_from(figure->name);
    ee_cell cell = ee_cell_count(layout, (uint64_t)figure->value, ink);
    size_t width = INDENT + ee_text_width(name) + 1 + ee_text_width(cell.text);
    if (column > 0 && column + width > line_width(layout)) {
      end_line(layout);
      column = 0;
    }
    column += width;
    add_spaces(layout, INDENT);
    ee_layout_add(layout, ink, name);
    ee_buffer_add_char(layout->out, ' ');
    ee_layout_add(layout, cell.ink, cell.text);
  }
  if (column > 0) end_line(layout);
}

static void add_rows(ee_layout *layout, const ee_corpus_summary *summary) {
  if (summary->row_count == 0) return;
  size_t columns = summary->column_count < EE_GRID_COLUMNS ? summary->column_count + 1 : EE_GRID_COLUMNS;
  end_line(layout);
  ee_grid grid;
  ee_grid_start(&grid, layout, columns, 2);
  ee_cell *cells = ee_grid_add(&grid);
  cells[0] = name_cell(layout, summary->row_title);
  for (size_t i = 1; i < columns; i++) cells[i] = name_cell(layout, summary->columns[i - 1]);
  size_t shown = summary->row_count < EE_CORPUS_ROWS ? summary->row_count : EE_CORPUS_ROWS;
  for (size_t row = 0; row < shown; row++) {
    ee_str name = summary->rows[row].name;
    cells = ee_grid_add(&grid);
    cells[0] = ee_cell_text(layout, name.length > 0 ? name : EE_STR("\"\""), EE_INK_PLAIN);
    for (size_t i = 1; i < columns; i++) cells[i] = value_cell(layout, &summary->rows[row].values[i - 1], EE_INK_PLAIN);
  }
  if (shown < summary->row_count) {
    const char *text = ee_arena_printf(layout->arena, "%zu more", summary->row_count - shown);
    ee_grid_add(&grid)[0] = ee_cell_text(layout, ee_str_from(text), EE_INK_DIM);
  }
  ee_grid_print(&grid);
}

/* Adds words behind NOTE_INDENT columns, in lines that break between them; a word that is longer than a line has one of
 * its own. */
static void add_wrapped(ee_layout *layout, ee_str text) {
  size_t column = NOTE_INDENT;
  for (size_t from = 0, end; from < text.length; from = end + 1) {
    const char *space = memchr(text.data + from, ' ', text.length - from);
    end = space != NULL ? (size_t)(space - text.data) : text.length;
    ee_str word = {text.data + from, end - from};
    size_t width = ee_text_width(word);
    if (column > NOTE_INDENT && column + 1 + width > line_width(layout)) {
      end_line(layout);
      add_spaces(layout, NOTE_INDENT);
      column = NOTE_INDENT;
    } else if (from > 0) {
      ee_buffer_add_char(layout->out, ' ');
      column++;
    }
    ee_layout_add(layout, EE_INK_PLAIN, word);
    column += width;
  }
  end_line(layout);
}

static void add_notes(ee_layout *layout, const ee_corpus_summary *summary) {
  if (summary->note_count > 0) end_line(layout);
  for (size_t i = 0; i < summary->note_count; i++) {
    ee_buffer_add_text(layout->out, "  - ");
    add_wrapped(layout, ee_text_printable(summary->notes[i], layout->arena));
  }
}

void ee_table_figures(ee_layout *layout, const ee_corpus_summary *summary) {
  add_shares(layout, summary);
  end_line(layout);
  add_counts(layout, summary);
  add_rows(layout, summary);
  add_notes(layout, summary);
}
