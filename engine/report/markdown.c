/* markdown.c: code spans that nothing gets out of, and tables. */
#include "report/markdown.h"

#include <math.h>

#include "prim/unicode.h"
#include "report/layout.h"

/* Texts ---------------------------------------------------------------------------------------- */

static bool is_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

/* Inside <code>, Markdown is still read: everything that could mean something becomes an entity. Dots, dashes,
 * commas and slashes do not. */
static void add_entities(ee_buffer *out, ee_str text) {
  for (size_t i = 0; i < text.length; i++) {
    char c = text.data[i];
    bool plain = !is_punctuation(c) || c == '.' || c == '-' || c == ',' || c == '/';
    if (plain)
      ee_buffer_add_char(out, c);
    else
      ee_buffer_addf(out, "&#%d;", c);
  }
}

ee_str ee_markdown_code(ee_arena *arena, ee_str text) {
  text = ee_text_printable(text, arena);
  if (text.length == 0) return EE_STR("`\"\"`");
  bool simple = memchr(text.data, '|', text.length) == NULL && memchr(text.data, '`', text.length) == NULL;
  ee_buffer out;
  ee_buffer_init(&out);
  if (simple) {
    /* One space at both ends is taken off by who reads it. */
    bool spaced = text.data[0] == ' ' && text.data[text.length - 1] == ' ';
    ee_buffer_add_text(&out, spaced ? "` " : "`");
    ee_buffer_add_str(&out, text);
    ee_buffer_add_text(&out, spaced ? " `" : "`");
  } else {
    ee_buffer_add_text(&out, "<code>");
    add_entities(&out, text);
    ee_buffer_add_text(&out, "</code>");
  }
  ee_str code = {ee_arena_copy(arena, out.data, out.length), out.length};
  ee_buffer_fini(&out);
  return code;
}

/* Tables --------------------------------------------------------------------------------------- */

typedef struct ee_markdown_row {
  struct ee_markdown_row *next;
  ee_str cells[EE_MARKDOWN_COLUMNS];
} markdown_row;

ee_str *ee_markdown_add(ee_markdown_table *table) {
  markdown_row *row = EE_NEW(table->arena, markdown_row);
  if (table->last != NULL)
    table->last->next = row;
  else
    table->first = row;
  table->last = row;
  return row->cells;
}

void ee_markdown_start(ee_markdown_table *table, ee_arena *arena, const char *const *names, size_t columns,
                       size_t left) {
  *table = (ee_markdown_table){.arena = arena, .columns = columns, .left = left};
  ee_str *cells = ee_markdown_add(table);
  for (size_t i = 0; i < columns; i++) cells[i] = ee_str_from(names[i]);
}

static void add_repeated(ee_buffer *out, char c, size_t count) {
  while (count-- > 0) ee_buffer_add_char(out, c);
}

static void print_row(const ee_markdown_table *table, const markdown_row *row, const size_t *widths, ee_buffer *out) {
  for (size_t i = 0; i < table->columns; i++) {
    ee_str cell = row->cells[i];
    size_t padding = widths[i] - ee_text_width(cell);
    ee_buffer_add_text(out, "| ");
    if (i >= table->left) add_repeated(out, ' ', padding);
    ee_buffer_add_str(out, cell);
    if (i < table->left) add_repeated(out, ' ', padding);
    ee_buffer_add_char(out, ' ');
  }
  ee_buffer_add_text(out, "|\n");
}

static void print_rule(const ee_markdown_table *table, const size_t *widths, ee_buffer *out) {
  for (size_t i = 0; i < table->columns; i++) {
    ee_buffer_add_text(out, i < table->left ? "|:" : "|-");
    add_repeated(out, '-', widths[i]);
    ee_buffer_add_char(out, i < table->left ? '-' : ':');
  }
  ee_buffer_add_text(out, "|\n");
}

void ee_markdown_print(const ee_markdown_table *table, ee_buffer *out) {
  size_t widths[EE_MARKDOWN_COLUMNS];
  for (size_t i = 0; i < table->columns; i++) {
    widths[i] = 1;
    for (const markdown_row *row = table->first; row != NULL; row = row->next) {
      size_t width = ee_text_width(row->cells[i]);
      if (width > widths[i]) widths[i] = width;
    }
  }
  for (const markdown_row *row = table->first; row != NULL; row = row->next) {
    print_row(table, row, widths, out);
    if (row == table->first) print_rule(table, widths, out);
  }
}

/* Cells ---------------------------------------------------------------------------------------- */

ee_str ee_markdown_count(ee_arena *arena, uint64_t count) {
  return ee_str_from(ee_arena_printf(arena, "%llu", (unsigned long long)count));
}

/* The rounding is that of tables. */
ee_str ee_markdown_metric(ee_arena *arena, ee_metric metric) {
  ee_layout layout = {.arena = arena};
  return ee_cell_metric(&layout, metric, EE_INK_PLAIN).text;
}

ee_str ee_markdown_bold(ee_arena *arena, ee_str text) {
  return ee_str_from(ee_arena_printf(arena, "**%.*s**", (int)text.length, text.data));
}

ee_str ee_markdown_percent(ee_arena *arena, uint64_t part, uint64_t whole) {
  ee_layout layout = {.arena = arena};
  return ee_cell_percent(&layout, part, whole, EE_INK_PLAIN).text;
}

ee_str ee_markdown_mean(ee_arena *arena, const ee_sample *score) {
  ee_str mean = ee_markdown_metric(arena, (ee_metric){score->count > 0, ee_sample_mean(score)});
  if (score->count < 2) return mean;
  unsigned thousandths = (unsigned)floor(ee_sample_margin(score) * 1000 + 0.5);
  return ee_str_from(ee_arena_printf(arena, "%.*s \xc2\xb1 %u.%03u", (int)mean.length, mean.data, thousandths / 1000,
                                     thousandths % 1000));
}
