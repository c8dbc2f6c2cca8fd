/* render_table.c: a page in columns of monospaced text, for terminals. */
#include <inttypes.h>

#include "prim/unicode.h"
#include "report/page.h"

#define GAP 2
#define INDENT 2
#define NOTE_INDENT 4
#define BAR_COLUMNS 30
/* Names are not made narrower than that. */
#define MIN_NAME_COLUMNS 12
/* Narrower terminals get the mean score without the interval's confidence. */
#define MIN_ROOMY_COLUMNS 60
/* Where nothing says how wide lines may be: lines of counts and notes. */
#define DEFAULT_WIDTH 80
/* Narrower terminals do without the columns that are `wide_only`. */
#define WIDE_COLUMNS 100
/* Metrics on one line, at most. */
#define METRICS_A_LINE 6
/* The column that fills the line: its width if lines have no limit, and its minimum; beside it the name's maximum. */
#define FILL_COLUMNS 80
#define MIN_FILL_COLUMNS 24
#define FILL_NAME 20

typedef struct table {
  ee_buffer *out;
  ee_table_style style;
  ee_arena arena; /* scratch */
} table;

/* Text ------------------------------------------------------------------------------------------ */

static void add_ink(table *self, ee_ink ink, ee_str text) {
  static const char *const codes[] = {
      [EE_INK_PLAIN] = "",       [EE_INK_BOLD] = "\033[1m",    [EE_INK_DIM] = "\033[2m",
      [EE_INK_RED] = "\033[31m", [EE_INK_YELLOW] = "\033[33m", [EE_INK_GREEN] = "\033[32m",
  };
  bool colored = self->style.color && ink != EE_INK_PLAIN && text.length > 0;
  if (colored) ee_buffer_add_text(self->out, codes[ink]);
  ee_buffer_add_str(self->out, text);
  if (colored) ee_buffer_add_text(self->out, "\033[0m");
}

static void add_text(table *self, const char *text) { ee_buffer_add_text(self->out, text); }

static void end_line(table *self) { ee_buffer_add_char(self->out, '\n'); }

static void add_repeated(table *self, const char *text, size_t count) {
  while (count-- > 0) ee_buffer_add_text(self->out, text);
}

static size_t line_width(const table *self) { return self->style.width > 0 ? self->style.width : DEFAULT_WIDTH; }

/* Words from `*column` on, in lines that break between them and go on after `indent` columns; a word that is longer
 * than a line has a line of its own. */
static void add_wrapped(table *self, size_t *column, size_t indent, ee_ink ink, ee_str text) {
  size_t line = 0; /* where the text of the line begins */
  for (size_t from = 0, end; from < text.length; from = end + 1) {
    const char *space = memchr(text.data + from, ' ', text.length - from);
    end = space != NULL ? (size_t)(space - text.data) : text.length;
    size_t width = ee_text_width((ee_str){text.data + from, end - from});
    if (from > line && *column + 1 + width > line_width(self)) {
      size_t length = from - 1 - line;
      while (length > 0 && text.data[line + length - 1] == ' ') length--;
      add_ink(self, ink, (ee_str){text.data + line, length});
      end_line(self);
      add_repeated(self, " ", indent);
      *column = indent;
      line = from;
    } else if (from > 0) {
      *column += 1;
    }
    *column += width;
  }
  if (text.length > 0 && text.data[text.length - 1] == ' ') *column += 1;
  add_ink(self, ink, (ee_str){text.data + line, text.length - line});
}

/* The same on a terminal only: elsewhere lines may have any length. */
static void wrap_if_limited(table *self, size_t *column, size_t indent, ee_ink ink, ee_str text) {
  if (self->style.width > 0)
    add_wrapped(self, column, indent, ink, text);
  else
    add_ink(self, ink, text);
}

/* One piece, printable. */
static ee_str piece_text(table *self, const ee_cell *cell) {
  if (cell->kind == EE_CELL_DATA && cell->text.length == 0) return EE_STR("\"\"");
  return ee_text_printable(cell->text, &self->arena);
}

static ee_str shorten(table *self, ee_str text, size_t columns) {
  return columns > 0 ? ee_text_shorten(text, columns, &self->arena) : text;
}

/* A whole cell. On a terminal with a width, the column of names is shortened as far as it must be, and not here. */
static ee_str cell_text(table *self, const ee_cell *cell) {
  if (cell->next == NULL) return shorten(self, piece_text(self, cell), self->style.width == 0 ? cell->max_columns : 0);
  ee_buffer text;
  ee_buffer_init(&text);
  for (; cell != NULL; cell = cell->next)
    ee_buffer_add_str(&text, shorten(self, piece_text(self, cell), cell->max_columns));
  ee_str copy = {ee_arena_copy(&self->arena, ee_buffer_terminate(&text), text.length), text.length};
  ee_buffer_fini(&text);
  return copy;
}

static void add_cell(table *self, const ee_cell *cell) { add_ink(self, cell->ink, cell_text(self, cell)); }

/* Tables ---------------------------------------------------------------------------------------- */

typedef struct shown_cell {
  ee_str text;
  ee_ink ink;
} shown_cell;

/* A table as it is printed: only the columns and rows of a terminal, all texts final. */
typedef struct shown_row {
  struct shown_row *next;
  bool rule;
  shown_cell cells[EE_GRID_COLUMNS];
} shown_row;

typedef struct shown_grid {
  const ee_column *columns[EE_GRID_COLUMNS];
  size_t numbers[EE_GRID_COLUMNS]; /* of the columns in the page's table */
  size_t widths[EE_GRID_COLUMNS];
  size_t count;
  shown_row *first, *last;
} shown_grid;

static shown_row *append(table *self, shown_grid *grid) {
  shown_row *row = EE_NEW(&self->arena, shown_row);
  if (grid->last != NULL)
    grid->last->next = row;
  else
    grid->first = row;
  grid->last = row;
  return row;
}

static void choose_columns(const table *self, const ee_grid *grid, shown_grid *shown) {
  bool wide = self->style.width == 0 || self->style.width >= WIDE_COLUMNS;
  for (size_t c = 0; c < grid->count; c++) {
    const ee_column *column = &grid->columns[c];
    if ((column->hidden_in & EE_MEDIUM_TERMINAL) != 0 || (column->wide_only && !wide)) continue;
    shown->numbers[shown->count] = c;
    shown->columns[shown->count++] = column;
  }
}

/* The start of `text` in at most `columns`. */
static ee_str cut(table *self, ee_str text, size_t columns) {
  if (ee_text_width(text) <= columns) return text;
  size_t end = 0, width = 0;
  while (end < text.length) {
    uint32_t code_point;
    size_t length = ee_utf8_decode(text.data + end, text.length - end, &code_point);
    width += ee_text_width((ee_str){text.data + end, length});
    if (length == 0 || width + 1 > columns) break;
    end += length;
  }
  return ee_str_from(ee_arena_printf(&self->arena, "%.*s\xe2\x80\xa6", (int)end, text.data));
}

static void measure(shown_grid *grid) {
  for (size_t c = 0; c < grid->count; c++) {
    grid->widths[c] = 0;
    for (const shown_row *row = grid->first; row != NULL; row = row->next) {
      size_t width = ee_text_width(row->cells[c].text);
      if (width > grid->widths[c]) grid->widths[c] = width;
    }
  }
}

static size_t name_column(const shown_grid *grid) {
  size_t name = 0;
  while (name < grid->count && !grid->columns[name]->name_column) name++;
  return name;
}

/* How far the name may be shortened. */
static size_t spare_of_name(const shown_grid *grid, size_t name) {
  return grid->widths[name] > MIN_NAME_COLUMNS ? grid->widths[name] - MIN_NAME_COLUMNS : 0;
}

static size_t total_width(const shown_grid *grid) {
  size_t total = INDENT + (grid->count - 1) * GAP;
  for (size_t c = 0; c < grid->count; c++) total += grid->widths[c];
  return total;
}

/* Cuts the texts of the column that fills the line to the room that the others leave. */
static void cut_fill(table *self, shown_grid *grid, size_t fill) {
  size_t room = FILL_COLUMNS, name = name_column(grid), width = self->style.width;
  if (width > 0) {
    measure(grid);
    size_t others = total_width(grid) - grid->widths[fill];
    if (name < grid->count && grid->widths[name] > FILL_NAME) others -= grid->widths[name] - FILL_NAME;
    room = width > others + MIN_FILL_COLUMNS ? width - others : MIN_FILL_COLUMNS;
  }
  for (shown_row *row = grid->first; row != NULL; row = row->next)
    row->cells[fill].text = cut(self, row->cells[fill].text, room);
}

static void remove_column(shown_grid *grid, size_t removed) {
  grid->count--;
  for (size_t c = removed; c < grid->count; c++) {
    grid->columns[c] = grid->columns[c + 1];
    grid->widths[c] = grid->widths[c + 1];
    for (shown_row *row = grid->first; row != NULL; row = row->next) row->cells[c] = row->cells[c + 1];
  }
}

/* Leaves out columns until the lines fit with a short name, except for the name and one more. `left_out` gets their
 * heads.
 */
static void fit_columns(shown_grid *grid, size_t limit, ee_buffer *left_out) {
  for (;;) {
    size_t name = name_column(grid), least = SIZE_MAX;
    if (name == grid->count || grid->count < 3 || total_width(grid) - spare_of_name(grid, name) <= limit) return;
    for (size_t c = 0; c < grid->count; c++)
      if (c != name && (least == SIZE_MAX || grid->columns[c]->spare >= grid->columns[least]->spare)) least = c;
    const char *head = grid->columns[least]->name;
    if (head != NULL && *head != '\0') ee_buffer_addf(left_out, "%s%s", left_out->length > 0 ? ", " : "", head);
    remove_column(grid, least);
  }
}

/* Shortens the name as far as the line needs it. */
static void fit_name(shown_grid *grid, size_t limit) {
  size_t name = name_column(grid), total = total_width(grid);
  if (name == grid->count || total <= limit) return;
  size_t excess = total - limit, most = spare_of_name(grid, name);
  grid->widths[name] -= excess < most ? excess : most;
}

static void print_row(table *self, const shown_grid *grid, const shown_row *row) {
  size_t pending = INDENT; /* spaces are written only in front of something */
  for (size_t c = 0; c < grid->count; c++) {
    const ee_column *column = grid->columns[c];
    size_t width = grid->widths[c];
    ee_str text = row->cells[c].text;
    if (column->name_column && width > 0) text = ee_text_shorten(text, width, &self->arena);
    size_t padding = width - ee_text_width(text);
    if (c > 0) pending += GAP;
    if (!column->left) pending += padding;
    if (text.length > 0) {
      add_repeated(self, " ", pending);
      add_ink(self, row->cells[c].ink, text);
      pending = 0;
    } else {
      pending += width - padding;
    }
    if (column->left) pending += padding;
  }
  end_line(self);
}

static void print_rule(table *self, const shown_grid *grid) {
  size_t total = (grid->count - 1) * GAP;
  for (size_t c = 0; c < grid->count; c++) total += grid->widths[c];
  add_repeated(self, " ", INDENT);
  if (self->style.color) add_text(self, "\033[2m");
  add_repeated(self, "\xe2\x94\x80", total);
  if (self->style.color) add_text(self, "\033[0m");
  end_line(self);
}

static void print_grid(table *self, const ee_grid *grid) {
  shown_grid shown = {0};
  choose_columns(self, grid, &shown);
  if (!grid->no_head) {
    shown_row *head = append(self, &shown);
    for (size_t c = 0; c < shown.count; c++)
      head->cells[c] = (shown_cell){ee_text_printable(ee_str_from(shown.columns[c]->name), &self->arena), EE_INK_DIM};
  }
  for (const ee_grid_row *row = grid->first; row != NULL; row = row->next) {
    if ((row->medium & EE_MEDIUM_TERMINAL) == 0) continue;
    shown_row *copy = append(self, &shown);
    copy->rule = row->rule;
    for (size_t c = 0; c < shown.count; c++) {
      const ee_cell *cell = &row->cells[shown.numbers[c]];
      copy->cells[c] = (shown_cell){cell_text(self, cell), cell->ink};
    }
  }
  for (size_t c = 0; c < shown.count; c++)
    if (shown.columns[c]->fill) cut_fill(self, &shown, c);
  measure(&shown);
  ee_buffer left_out;
  ee_buffer_init(&left_out);
  if (self->style.width > 0 && shown.count > 0) {
    fit_columns(&shown, self->style.width, &left_out);
    fit_name(&shown, self->style.width);
  }
  for (const shown_row *row = shown.first; row != NULL; row = row->next) {
    if (row->rule)
      print_rule(self, &shown);
    else
      print_row(self, &shown, row);
  }
  if (left_out.length > 0) {
    add_text(self, "  ");
    size_t column = INDENT;
    ee_str text = ee_str_from(ee_arena_printf(&self->arena, "without %s: too narrow", ee_buffer_terminate(&left_out)));
    add_wrapped(self, &column, NOTE_INDENT, EE_INK_DIM, text);
    end_line(self);
  }
  ee_buffer_fini(&left_out);
}

/* Scores and counts ----------------------------------------------------------------------------- */

static const ee_ink verdict_inks[3] = {EE_INK_GREEN, EE_INK_YELLOW, EE_INK_RED};

/* "  name 12", dim if the count is 0. */
static void add_count(table *self, const char *name, uint64_t count, ee_ink ink) {
  add_text(self, "  ");
  add_ink(self, count > 0 ? EE_INK_PLAIN : EE_INK_DIM, ee_str_from(name));
  add_text(self, " ");
  ee_cell cell = ee_cell_count_dim(&self->arena, count, ink);
  add_cell(self, &cell);
}

static size_t width_of_count(table *self, const char *name, uint64_t count) {
  return strlen("  ") + strlen(name) + strlen(" ") + ee_cell_count(&self->arena, count, EE_INK_PLAIN).text.length;
}

static bool is_shown(const ee_count *count) {
  return count->name != NULL && (count->use == EE_COUNT_ALWAYS || (count->use == EE_COUNT_NONZERO && count->count > 0));
}

static void print_counts(table *self, const ee_counts_line *line) {
  add_text(self, line->label);
  size_t label = strlen(line->label), column = label;
  for (size_t i = 0; i < line->count; i++) {
    const ee_count *count = &line->items[i];
    if (!is_shown(count)) continue;
    size_t width = width_of_count(self, count->name, count->count);
    if (self->style.width > 0 && column > label && column + width > self->style.width) {
      end_line(self);
      add_repeated(self, " ", label);
      column = label;
    }
    add_count(self, count->name, count->count, count->ink);
    column += width;
  }
  wrap_if_limited(self, &column, label, EE_INK_PLAIN, ee_str_from(line->tail));
  end_line(self);
}

/* "mean score 0.912 [0.887, 0.931]" */
static void add_mean(table *self, ee_ranged ranged) {
  add_text(self, "mean score ");
  ee_cell mean = ee_cell_metric(&self->arena, ranged.metric, EE_INK_BOLD);
  ee_cell interval = ee_cell_interval(&self->arena, ranged.interval, EE_INK_PLAIN);
  add_cell(self, &mean);
  if (interval.text.length > 0) add_text(self, " ");
  add_cell(self, &interval);
}

static ee_cell bar(table *self, uint64_t part, uint64_t whole, size_t full, ee_ink ink) {
  if (part == 0 || full == 0) return (ee_cell){.ink = ink};
  size_t columns = (size_t)((double)part / (double)whole * (double)full + 0.5);
  if (columns == 0) columns = 1;
  char *text = ee_arena_alloc(&self->arena, columns * 3);
  for (size_t i = 0; i < columns; i++) memcpy(text + 3 * i, "\xe2\x96\x88", 3);
  return (ee_cell){.text = {text, columns * 3}, .ink = ink};
}

/* A line a verdict, with a bar. */
static void print_scores(table *self, const ee_scores *scores) {
  ee_buffer_addf(self->out, "%ss %" PRIu64 "  ", scores->noun, scores->count);
  add_mean(self, scores->mean);
  size_t limit = self->style.width;
  bool roomy = limit == 0 || limit >= MIN_ROOMY_COLUMNS;
  if (ee_interval_is_known(scores->mean.interval) && roomy) {
    add_text(self, " (");
    add_text(self, ee_confidence_text(&self->arena, scores->confidence));
    add_text(self, ")");
  }
  end_line(self);
  enum { NAME, COUNT, SHARE, INTERVAL, BAR, COLUMNS };
  uint64_t whole = scores->count;
  ee_cell passed = ee_cell_interval_percent(&self->arena, scores->passed, EE_INK_PLAIN);
  const ee_medium hidden = passed.text.length > 0 ? EE_MEDIUM_NONE : EE_MEDIUM_ALL;
  const ee_column columns[COLUMNS] = {[NAME] = {.left = true, .name_column = true},
                                      [INTERVAL] = {.left = true, .hidden_in = hidden},
                                      [BAR] = {.left = true}};
  ee_grid grid = {.arena = &self->arena, .columns = columns, .count = COLUMNS, .no_head = true};
  size_t taken = INDENT + strlen("borderline  ") + ee_cell_count(&self->arena, whole, EE_INK_PLAIN).text.length +
                 strlen("  100.0 %  ") + (passed.text.length > 0 ? passed.text.length + GAP : 0);
  size_t bars = limit == 0 || limit >= taken + BAR_COLUMNS ? BAR_COLUMNS : limit > taken ? limit - taken : 0;
  for (size_t i = 0; i < 3; i++) {
    uint64_t count = scores->verdicts[i];
    ee_ink ink = count > 0 ? verdict_inks[i] : EE_INK_DIM;
    ee_cell *cells = ee_grid_add(&grid);
    cells[NAME] = ee_cell_words(ee_verdict_name((ee_verdict)i), ink);
    cells[COUNT] = ee_cell_count_dim(&self->arena, count, EE_INK_PLAIN);
    cells[SHARE] = ee_cell_percent(&self->arena, count, whole, count > 0 ? EE_INK_PLAIN : EE_INK_DIM);
    if (i == EE_VERDICT_PASS) cells[INTERVAL] = passed;
    cells[BAR] = bar(self, count, whole, bars, ink);
  }
  print_grid(self, &grid);
}

/* Judges ---------------------------------------------------------------------------------------- */

/* "items (line_items)" */
static void add_judge_name(table *self, const ee_judge_heading *judge) {
  ee_cell name = {.text = judge->name, .kind = EE_CELL_DATA, .ink = EE_INK_BOLD};
  add_cell(self, &name);
  if (judge->type.length > 0) {
    add_text(self, " (");
    ee_cell type = {.text = judge->type, .kind = EE_CELL_DATA};
    add_cell(self, &type);
    add_text(self, ")");
  }
}

/* Columns of the name, or of name and mean score. */
static size_t width_of_heading(const ee_judge_heading *judge, bool with_mean) {
  ee_buffer text;
  ee_buffer_init(&text);
  table plain = {.out = &text};
  ee_arena_init(&plain.arena, 0);
  add_judge_name(&plain, judge);
  if (with_mean) add_text(&plain, "  "), add_mean(&plain, judge->mean);
  size_t width = ee_text_width((ee_str){text.data, text.length});
  ee_arena_fini(&plain.arena);
  ee_buffer_fini(&text);
  return width;
}

/* A count on the line that is `*column` wide, or on the next one. */
static void add_count_within(table *self, size_t *column, const char *name, uint64_t count, ee_ink ink) {
  size_t width = width_of_count(self, name, count);
  if (*column + width > line_width(self)) {
    end_line(self);
    *column = 0;
  }
  add_count(self, name, count, ink);
  *column += width;
}

static void print_judge(table *self, const ee_judge_heading *judge) {
  add_judge_name(self, judge);
  size_t column = width_of_heading(judge, true);
  if (self->style.width > 0 && column > self->style.width) {
    column -= width_of_heading(judge, false);
    end_line(self);
  }
  add_text(self, "  ");
  add_mean(self, judge->mean);
  for (size_t i = 0; i < 3; i++)
    add_count_within(self, &column, ee_verdict_name((ee_verdict)i), judge->verdicts[i], verdict_inks[i]);
  for (size_t i = 0; i < judge->count; i++) {
    const ee_count *count = &judge->counts[i];
    if (is_shown(count)) add_count_within(self, &column, count->name, count->count, count->ink);
  }
  end_line(self);
}

/* Corpus metrics -------------------------------------------------------------------------------- */

/* The next metric from `*at` on that is a count, or is not; NULL after the last one. */
static const ee_corpus_metric *next_metric(const ee_metric_list *metrics, size_t *at, bool is_count) {
  while (*at < metrics->count) {
    const ee_corpus_metric *metric = &metrics->items[(*at)++];
    if (metric->is_count == is_count) return metric;
  }
  return NULL;
}

/* How many shares are on a line: six, or as many as it has room for. */
static size_t shares_a_line(const table *self, const ee_metric_list *metrics) {
  enum { MIN = 5 }; /* columns of a value */
  for (size_t tried = METRICS_A_LINE; tried > 1; tried--) {
    size_t widths[METRICS_A_LINE] = {0}, total = 0, at = 0, number = 0;
    for (const ee_corpus_metric *metric; (metric = next_metric(metrics, &at, false)) != NULL; number++) {
      size_t width = ee_text_width(ee_str_from(metric->name)), *column = &widths[number % tried];
      if (width < MIN) width = MIN;
      if (width > *column) *column = width;
    }
    for (size_t i = 0; i < tried; i++) total += GAP + widths[i];
    if (total <= line_width(self)) return tried;
  }
  return 1;
}

/* Names in one row, values in the row below. The first of all is the one that people look for. */
static void print_shares(table *self, const ee_metric_list *metrics) {
  static const ee_column columns[METRICS_A_LINE] = {{0}};
  size_t at = 0;
  const ee_corpus_metric *metric = next_metric(metrics, &at, false);
  if (metric == NULL) return;
  ee_grid grid = {.arena = &self->arena, .columns = columns, .count = shares_a_line(self, metrics), .no_head = true};
  for (ee_ink ink = EE_INK_BOLD; metric != NULL; ink = EE_INK_PLAIN) {
    ee_cell *names = ee_grid_add(&grid), *values = ee_grid_add(&grid);
    for (size_t i = 0; i < grid.count && metric != NULL; i++) {
      names[i] = ee_cell_words(metric->name, EE_INK_DIM);
      values[i] =
          ee_cell_metric(&self->arena, (ee_metric){metric->defined, metric->value}, i == 0 ? ink : EE_INK_PLAIN);
      metric = next_metric(metrics, &at, false);
    }
  }
  print_grid(self, &grid);
}

static void print_metrics(table *self, const ee_metric_list *metrics) {
  print_shares(self, metrics);
  end_line(self);
  size_t at = 0, column = 0;
  for (const ee_corpus_metric *metric; (metric = next_metric(metrics, &at, true)) != NULL;) {
    uint64_t count = (uint64_t)metric->value;
    ee_str name = ee_text_printable(ee_str_from(metric->name), &self->arena);
    ee_cell cell = ee_cell_count_dim(&self->arena, count, EE_INK_PLAIN);
    size_t width = GAP + ee_text_width(name) + 1 + ee_text_width(cell.text);
    if (column > 0 && column + width > line_width(self)) {
      end_line(self);
      column = 0;
    }
    column += width;
    add_repeated(self, " ", GAP);
    add_ink(self, cell.ink, name);
    ee_buffer_add_char(self->out, ' ');
    add_cell(self, &cell);
  }
  if (column > 0) end_line(self);
}

/* Notes and gates ------------------------------------------------------------------------------- */

static void print_notes(table *self, const ee_note_list *notes) {
  for (size_t i = 0; i < notes->count; i++) {
    add_text(self, "  - ");
    size_t column = NOTE_INDENT;
    add_wrapped(self, &column, NOTE_INDENT, EE_INK_PLAIN, ee_text_printable(notes->items[i], &self->arena));
    end_line(self);
  }
}

static void print_gates(table *self, const ee_gate_block *gates) {
  add_ink(self, EE_INK_BOLD, EE_STR("gates"));
  end_line(self);
  for (const ee_gate_line *gate = gates->first; gate != NULL; gate = gate->next) {
    add_text(self, "  ");
    static const char *const words[] = {"FAIL", "PASS", "UNDECIDED"};
    add_ink(self, gate->verdict == EE_GATE_PASSED ? EE_INK_GREEN : EE_INK_RED, ee_str_from(words[gate->verdict]));
    add_text(self, "  ");
    size_t column = INDENT + strlen(words[gate->verdict]) + GAP;
    wrap_if_limited(self, &column, NOTE_INDENT, EE_INK_PLAIN, ee_text_printable(gate->text, &self->arena));
    end_line(self);
  }
}

/* The page -------------------------------------------------------------------------------------- */

static void print_line(table *self, const ee_line *line) {
  size_t column = 0, indent = 0;
  ee_str first = line->first != NULL ? piece_text(self, line->first) : EE_STR("");
  while (indent < first.length && first.data[indent] == ' ') indent++;
  for (const ee_cell *piece = line->first; piece != NULL; piece = piece->next)
    wrap_if_limited(self, &column, indent + INDENT, piece->ink, piece_text(self, piece));
  end_line(self);
}

static void print_block(table *self, const ee_page_block *block) {
  switch (block->kind) {
  case EE_BLOCK_SPACE: end_line(self); break;
  case EE_BLOCK_LINE: print_line(self, &block->line); break;
  case EE_BLOCK_COUNTS: print_counts(self, &block->counts); break;
  case EE_BLOCK_SCORES: print_scores(self, &block->scores); break;
  case EE_BLOCK_JUDGE: print_judge(self, &block->judge); break;
  case EE_BLOCK_METRICS: print_metrics(self, &block->metrics); break;
  case EE_BLOCK_GRID: print_grid(self, &block->grid); break;
  case EE_BLOCK_NOTES: print_notes(self, &block->notes); break;
  case EE_BLOCK_GATES: print_gates(self, &block->gates); break;
  case EE_BLOCK_TEXT: break;
  case EE_BLOCK_DETAILS_END: break;
  }
}

void ee_render_table(const ee_page *page, ee_table_style style, ee_buffer *out) {
  table self = {.out = out, .style = style};
  ee_arena_init(&self.arena, 0);
  for (const ee_page_block *block = page->first; block != NULL; block = block->next)
    if ((block->medium & EE_MEDIUM_TERMINAL) != 0) print_block(&self, block);
  ee_arena_fini(&self.arena);
}
