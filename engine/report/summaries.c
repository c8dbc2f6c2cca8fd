/* summaries.c: values of ee.summary on a page, in JSON and in CSV. */
#include "report/summaries.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "data/json/json_writer.h"
#include "prim/number.h"
#include "report/csv.h"

/* Rows that a table lists; JSON has all of them. */
#define MAX_ROWS 200

/* Cells ----------------------------------------------------------------------------------------- */

static bool is_container(const ee_value *value) { return ee_type_of(value) >= EE_ARRAY; }

static const char *copy(ee_arena *arena, ee_str text) { return ee_arena_copy(arena, text.data, text.length); }

static ee_cell value_cell(ee_arena *arena, const ee_value *value, ee_ink ink) {
  if (value == NULL || ee_type_of(value) == EE_MISSING) return (ee_cell){0};
  if (ee_type_of(value) == EE_STRING) {
    ee_cell cell = ee_cell_data(ee_value_text(value), ink);
    cell.max_columns = 0;
    return cell;
  }
  if (ee_type_of(value) == EE_NUMBER && value->length == 0) {
    char text[32];
    ee_double_format_short(ee_value_number(value), 6, text);
    return ee_cell_words(copy(arena, ee_str_from(text)), ink);
  }
  ee_buffer text;
  ee_buffer_init(&text);
  ee_json_write_value(&text, value);
  ee_str kept = {ee_arena_copy(arena, text.data, text.length), text.length};
  ee_buffer_fini(&text);
  return is_container(value) ? ee_cell_data(kept, ink) : ee_cell_words(kept.data, ink);
}

static ee_cell name_cell(ee_str name) {
  ee_cell cell = ee_cell_data(name, EE_INK_PLAIN);
  cell.max_columns = 0;
  return cell;
}

static void add_more(ee_page *page, ee_grid *grid, size_t count) {
  if (count == 0) return;
  const char *text = ee_arena_printf(&page->arena, "%zu more: --format json", count);
  ee_grid_add(grid)[0] = ee_cell_words(text, EE_INK_DIM);
}

/* Tables ---------------------------------------------------------------------------------------- */

/* Whether all children are of the type, and there is one. */
static bool holds_only(const ee_value *value, ee_type type) {
  for (const ee_value *at = ee_value_child(value); at != NULL; at = ee_value_next(at))
    if (ee_type_of(at) != type) return false;
  return ee_value_child(value) != NULL;
}

/* The columns of rows of objects: members in order of first appearance. */
typedef struct table_columns {
  ee_str names[EE_GRID_COLUMNS];
  bool text[EE_GRID_COLUMNS]; /* has a value that is not a number */
  size_t count, left_out;
} table_columns;

static size_t column_of(table_columns *columns, ee_str name, size_t limit) {
  size_t i = 0;
  while (i < columns->count && !ee_str_equal(columns->names[i], name)) i++;
  if (i < columns->count) return i;
  if (columns->count == limit) {
    columns->left_out++;
    return SIZE_MAX;
  }
  columns->names[columns->count++] = name;
  return i;
}

static table_columns columns_of(const ee_value *rows, size_t limit) {
  table_columns columns = {.count = 0};
  for (const ee_value *row = ee_value_child(rows); row != NULL; row = ee_value_next(row))
    for (const ee_value *at = ee_value_child(row); at != NULL; at = ee_value_next(at)) {
      size_t column = column_of(&columns, ee_value_key(at), limit);
      if (column != SIZE_MAX) columns.text[column] = columns.text[column] || ee_type_of(at) != EE_NUMBER;
    }
  return columns;
}

/* A row for each object; `named`: they are members of an object, whose keys are the first column. */
static void add_objects(ee_page *page, const ee_value *rows, bool named) {
  table_columns found = columns_of(rows, EE_GRID_COLUMNS - 1);
  ee_column columns[EE_GRID_COLUMNS];
  size_t first = named ? 1 : 0, count = found.count + first;
  if (named) columns[0] = (ee_column){.name = "", .left = true, .name_column = true};
  bool has_name = named;
  for (size_t i = 0; i < found.count; i++) {
    columns[first + i] = (ee_column){.name = copy(&page->arena, found.names[i]), .left = found.text[i]};
    if (!has_name && found.text[i]) has_name = columns[first + i].name_column = true;
  }
  if (count == 0) return;
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, count);
  size_t shown = 0;
  for (const ee_value *row = ee_value_child(rows); row != NULL; row = ee_value_next(row)) {
    if (shown++ == MAX_ROWS) {
      add_more(page, grid, ee_value_count(rows) - MAX_ROWS);
      break;
    }
    ee_cell *cells = ee_grid_add(grid);
    if (named) cells[0] = name_cell(ee_value_key(row));
    for (size_t i = 0; i < found.count; i++)
      cells[first + i] = value_cell(&page->arena, ee_value_member(row, found.names[i], NULL), EE_INK_PLAIN);
  }
  if (found.left_out > 0)
    ee_line_addf(page, ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_PARAGRAPH), EE_INK_DIM,
                 "  more columns: --format json");
}

/* Members with their values. */
static void add_members(ee_page *page, const ee_value *object) {
  bool numbers = holds_only(object, EE_NUMBER);
  const ee_column columns[] = {{.name = "", .left = true, .name_column = true}, {.name = "value", .left = !numbers}};
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, 2);
  grid->no_head = true;
  size_t shown = 0;
  for (const ee_value *at = ee_value_child(object); at != NULL; at = ee_value_next(at)) {
    if (shown++ == MAX_ROWS) {
      add_more(page, grid, ee_value_count(object) - MAX_ROWS);
      break;
    }
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = name_cell(ee_value_key(at));
    cells[1] = value_cell(&page->arena, at, EE_INK_PLAIN);
  }
}

/* The page -------------------------------------------------------------------------------------- */

/* The heading; a value that is not a table follows on its line. */
static void add_heading(ee_page *page, ee_str name, const ee_value *value) {
  ee_line *line = ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_HEADING);
  ee_line_add(page, line, ee_cell_words("summary ", EE_INK_PLAIN));
  ee_line_add(page, line, (ee_cell){.text = name, .kind = EE_CELL_QUOTE, .ink = EE_INK_BOLD});
  if (value != NULL) {
    ee_line_add(page, line, ee_cell_words("  ", EE_INK_PLAIN));
    ee_line_add(page, line, value_cell(&page->arena, value, EE_INK_PLAIN));
  }
  line = ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_HEADING);
  ee_line_add(page, line, ee_cell_words("Summary ", EE_INK_PLAIN));
  ee_line_add(page, line, (ee_cell){.text = name, .kind = EE_CELL_DATA});
  if (value == NULL) return;
  ee_line_add(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_PARAGRAPH),
              value_cell(&page->arena, value, EE_INK_PLAIN));
}

static void add_errors(ee_page *page, const ee_summary_value *summary) {
  if (summary->errors == 0) return;
  const char *what = summary->value == NULL ? "no value, " : "";
  ee_line *line = ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_PARAGRAPH);
  ee_line_addf(page, line, EE_INK_RED, "  %s%" PRIu64 " error%s, such as ", what, summary->errors,
               summary->errors == 1 ? "" : "s");
  ee_line_add(page, line, (ee_cell){.text = ee_str_from(summary->example), .kind = EE_CELL_QUOTE});
}

void ee_summaries_page(const ee_summary_values *values, ee_page *page) {
  for (size_t i = 0; i < values->count; i++) {
    const ee_summary_value *summary = &values->items[i];
    const ee_value *value = summary->value;
    bool objects = is_container(value) && holds_only(value, EE_OBJECT);
    bool table = objects || (ee_type_of(value) == EE_OBJECT && ee_value_count(value) > 0);
    ee_page_section(page, summary->name);
    ee_page_space(page);
    add_heading(page, summary->name, table ? NULL : value);
    if (objects)
      add_objects(page, value, ee_type_of(value) == EE_OBJECT);
    else if (table)
      add_members(page, value);
    add_errors(page, summary);
  }
}

/* JSON ------------------------------------------------------------------------------------------ */

void ee_summaries_json(const ee_summary_values *values, ee_json_out *json) {
  uint64_t errors = 0;
  if (values->count == 0) return;
  ee_json_open(json, "summaries", '{');
  for (size_t i = 0; i < values->count; i++) {
    const ee_summary_value *summary = &values->items[i];
    errors += summary->errors;
    if (summary->value == NULL) continue;
    ee_json_next(json, copy(json->arena, summary->name));
    ee_json_write_value(json->out, summary->value);
  }
  ee_json_close(json, '}');
  if (errors == 0) return;
  ee_json_open(json, "summary_errors", '{');
  for (size_t i = 0; i < values->count; i++) {
    const ee_summary_value *summary = &values->items[i];
    if (summary->errors == 0) continue;
    ee_json_open(json, copy(json->arena, summary->name), '{');
    ee_json_add_count(json, "errors", summary->errors);
    ee_json_add_text(json, "example", ee_str_from(summary->example));
    ee_json_close(json, '}');
  }
  ee_json_close(json, '}');
}

/* CSV ------------------------------------------------------------------------------------------- */

/* Ends each line of the table with one more cell: "value" in the head, else empty. Returns how many cells the head had.
 */
static size_t add_column(size_t start, ee_buffer *out) {
  ee_buffer table;
  ee_buffer_init(&table);
  ee_buffer_add(&table, out->data + start, out->length - start);
  out->length = start;
  size_t cells = 1;
  bool quoted = false, head = true;
  for (size_t i = 0; i < table.length; i++) {
    char c = table.data[i];
    if (c == '"') quoted = !quoted;
    cells += head && !quoted && c == ',';
    if (c == '\n' && !quoted) {
      ee_buffer_add_text(out, head ? ",value" : ",");
      head = false;
    }
    ee_buffer_add_char(out, c);
  }
  ee_buffer_fini(&table);
  return cells;
}

/* A line for `value`, or for each value in it. `name` grows while it is inside. */
static void add_line(const ee_value *value, ee_buffer *name, size_t cells, ee_buffer *out) {
  size_t length = name->length;
  if (is_container(value) && ee_value_child(value) != NULL) {
    size_t index = 0;
    for (const ee_value *at = ee_value_child(value); at != NULL; at = ee_value_next(at)) {
      if (ee_type_of(value) == EE_ARRAY)
        ee_buffer_addf(name, "[%zu]", index++);
      else
        ee_buffer_addf(name, ".%.*s", EE_STR_ARG(ee_value_key(at)));
      add_line(at, name, cells, out);
      name->length = length;
    }
    return;
  }
  ee_buffer_add_text(out, "(summary),");
  ee_csv_add_text(out, (ee_str){name->data, name->length});
  for (size_t i = 2; i < cells; i++) ee_buffer_add_char(out, ',');
  ee_buffer_add_char(out, ',');
  if (ee_type_of(value) == EE_STRING)
    ee_csv_add_text(out, ee_value_text(value));
  else
    ee_json_write_value(out, value);
  ee_buffer_add_char(out, '\n');
}

void ee_summaries_csv(const ee_summary_values *values, size_t start, ee_buffer *out) {
  if (values->count == 0) return;
  size_t cells = add_column(start, out);
  ee_buffer name;
  ee_buffer_init(&name);
  for (size_t i = 0; i < values->count; i++) {
    if (values->items[i].value == NULL) continue;
    ee_buffer_clear(&name);
    ee_buffer_add_str(&name, values->items[i].name);
    add_line(values->items[i].value, &name, cells, out);
  }
  ee_buffer_fini(&name);
}
