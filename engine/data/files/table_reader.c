/* table_reader.c: libcsv finds the cells; the header's paths become a tree, by which each row is written. */
#include "data/files/table_reader.h"

#include <csv.h>
#include <stdio.h>

#include "base/limits.h"
#include "base/list.h"
#include "base/memory.h"
#include "data/files/file_shape.h"
#include "data/json/json_scan.h"
#include "data/json/json_writer.h"
#include "data/json/path.h"

/* Bytes of a name in a message. */
#define NAME_SHOWN 100
/* Steps of a path; a longer one is a key. */
#define DEPTH_LIMIT 32
/* Bytes by which libcsv's cell grows. */
#define CELL_GROWTH 4096

typedef struct node {
  const ee_step *step;                  /* from its parent; NULL: the root */
  size_t column;                        /* a value; SIZE_MAX: an object or array */
  size_t first_child, last_child, next; /* in `nodes`; 0, the root: none */
  bool is_array;
} node;

struct ee_table_reader {
  struct csv_parser parser;
  size_t record_limit;
  uint64_t errors;
  bool past_mark;    /* the byte order mark was looked for */
  size_t mark_bytes; /* of it that were seen */
  bool has_header, broken_header;
  bool skipping; /* to the end of the line, after a mistake */
  bool too_long; /* the row; its cells are dropped */
  uint64_t line; /* from 1 */
  uint64_t byte; /* in the file, after what libcsv got */
  uint64_t row_byte, row_line;
  /* The row so far: cells one after the other. */
  ee_buffer text;
  struct {
    EE_LIST(size_t);
  } ends;       /* of each cell in `text`, up to EE_TABLE_COLUMNS */
  size_t cells; /* of the row */
  ee_block *block;
  /* The header: */
  ee_arena arena;
  size_t columns;
  ee_str *names;
  struct {
    EE_LIST(node);
  } nodes;
};

/* The header ----------------------------------------------------------------------------------- */

static ee_str cell_at(const ee_table_reader *r, size_t number) {
  size_t start = number > 0 ? r->ends.items[number - 1] : 0;
  return (ee_str){r->text.data + start, r->ends.items[number] - start};
}

__attribute__((format(printf, 2, 3))) static void add_row_error(ee_table_reader *r, const char *format, ...) {
  char message[sizeof((ee_error){0}).message];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  ee_block_add_error(r->block, &r->errors, r->row_byte, r->row_line, 0, message);
}

/* An array's element of this number, or a member of this name. */
static bool is_same_step(const ee_step *a, const ee_step *b) {
  bool a_index = a->kind == EE_STEP_INDEX, b_index = b->kind == EE_STEP_INDEX;
  if (a_index && b_index) return a->index == b->index;
  if (!a_index && !b_index) return ee_str_equal(a->key, b->key);
  const ee_step *key = a_index ? b : a, *index = a_index ? a : b;
  return key->kind == EE_STEP_KEY_OR_INDEX && key->index == index->index;
}

static size_t add_node(ee_table_reader *r, size_t parent, const ee_step *step) {
  size_t number = r->nodes.count;
  *EE_LIST_ADD(&r->nodes, NULL) = (node){.step = step, .column = SIZE_MAX};
  if (step == NULL) return number;
  node *above = &r->nodes.items[parent];
  if (above->last_child != 0)
    r->nodes.items[above->last_child].next = number;
  else
    above->first_child = number;
  above->last_child = number;
  return number;
}

static size_t find_child(const ee_table_reader *r, size_t parent, const ee_step *step) {
  size_t at = r->nodes.items[parent].first_child;
  while (at != 0 && !is_same_step(r->nodes.items[at].step, step)) at = r->nodes.items[at].next;
  return at;
}

/* The path of a column's name: a single key if the name does not parse as one, or spaces or lone characters show that
 * it is not meant so ("Inv. No."). */
static const ee_path *read_path(ee_table_reader *r, ee_str name) {
  const ee_path *path = memchr(name.data, '*', name.length) == NULL ? ee_path_parse(&r->arena, name, NULL) : NULL;
  bool meant = path != NULL && path->count > 0 && path->count <= DEPTH_LIMIT && name.data[0] != '/' &&
               path->steps[0].kind != EE_STEP_INDEX;
  for (size_t i = 0; meant && i < path->count; i++) {
    ee_str key = path->steps[i].key;
    meant = path->steps[i].kind == EE_STEP_INDEX || (key.length > 0 && ee_str_trim(key).length == key.length);
  }
  if (meant) return path;
  ee_step *step = EE_NEW_ARRAY(&r->arena, ee_step, 1);
  *step = (ee_step){.kind = EE_STEP_KEY, .key = name};
  ee_path *single = EE_NEW_ARRAY(&r->arena, ee_path, 1);
  *single = (ee_path){.text = name, .steps = step, .count = 1};
  return single;
}

/* The first column at or below the node. */
static size_t column_below(const ee_table_reader *r, size_t number) {
  while (r->nodes.items[number].column == SIZE_MAX) number = r->nodes.items[number].first_child;
  return r->nodes.items[number].column;
}

/* False, with an error, if the column's place is taken by another one. */
static bool add_column(ee_table_reader *r, size_t column) {
  ee_str name = r->names[column];
  const ee_path *path = read_path(r, name);
  size_t at = 0, before = r->nodes.count;
  for (size_t i = 0; i < path->count && r->nodes.items[at].column == SIZE_MAX; i++) {
    size_t child = find_child(r, at, &path->steps[i]);
    at = child != 0 ? child : add_node(r, at, &path->steps[i]);
  }
  if (r->nodes.count > before) {
    r->nodes.items[at].column = column;
    return true;
  }
  ee_str other = r->names[column_below(r, at)];
  if (ee_str_equal(name, other)) {
    add_row_error(r, "two columns are called '%.*s'", (int)ee_utf8_cut(name, NAME_SHOWN), name.data);
  } else {
    add_row_error(r, "columns '%.*s' and '%.*s' conflict: one needs a value, the other an object or array there",
                  (int)ee_utf8_cut(other, NAME_SHOWN), other.data, (int)ee_utf8_cut(name, NAME_SHOWN), name.data);
  }
  return false;
}

/* Makes the node an array, with its children in order, if they are its elements 0, 1, 2, ... False, with an error, if
 * some of them say that they are elements ([0]) and this does not hold. */
static bool find_array(ee_table_reader *r, size_t parent) {
  node *at = &r->nodes.items[parent];
  size_t count = 0, found = 0;
  bool sure = false;
  for (size_t i = at->first_child; i != 0; i = r->nodes.items[i].next) count++;
  size_t *sorted = ee_calloc(count + 1, sizeof *sorted);
  for (size_t i = at->first_child; i != 0; i = r->nodes.items[i].next) {
    const ee_step *step = r->nodes.items[i].step;
    sure = sure || step->kind == EE_STEP_INDEX;
    if (step->kind == EE_STEP_KEY || step->index >= count) continue;
    sorted[step->index] = i;
    found++;
  }
  at->is_array = count > 0 && found == count;
  if (at->is_array) {
    at->first_child = sorted[0];
    for (size_t i = 0; i < count; i++) r->nodes.items[sorted[i]].next = sorted[i + 1];
  }
  ee_free(sorted);
  if (at->is_array || !sure) return true;
  ee_str name = r->names[column_below(r, parent)];
  add_row_error(r, "column '%.*s' makes an array, whose columns must be [0], [1], ... and no others",
                (int)ee_utf8_cut(name, NAME_SHOWN), name.data);
  return false;
}

static bool read_header(ee_table_reader *r) {
  if (r->cells > EE_TABLE_COLUMNS) {
    add_row_error(r, "table of %zu columns, at most %d can be read", r->cells, EE_TABLE_COLUMNS);
    return false;
  }
  r->columns = r->ends.count;
  r->names = EE_NEW_ARRAY(&r->arena, ee_str, r->columns);
  add_node(r, 0, NULL);
  for (size_t i = 0; i < r->columns; i++) {
    ee_str name = ee_str_trim(cell_at(r, i));
    if (ee_utf8_valid_prefix(name.data, name.length) < name.length) {
      add_row_error(r,
                    "the header is not valid UTF-8 in column %zu: convert the file, for example with iconv -f "
                    "WINDOWS-1252 -t UTF-8",
                    i + 1);
      return false;
    }
    r->names[i] = name.length > 0 ? (ee_str){ee_arena_copy(&r->arena, name.data, name.length), name.length}
                                  : ee_str_from(ee_arena_printf(&r->arena, "column%zu", i + 1));
    if (!add_column(r, i)) return false;
  }
  for (size_t i = 1; i < r->nodes.count; i++)
    if (!find_array(r, i)) return false;
  return true;
}

/* Rows ----------------------------------------------------------------------------------------- */

static bool is_blank_below(const ee_table_reader *r, size_t number) {
  const node *at = &r->nodes.items[number];
  if (at->column != SIZE_MAX) return cell_at(r, at->column).length == 0;
  for (size_t child = at->first_child; child != 0; child = r->nodes.items[child].next)
    if (!is_blank_below(r, child)) return false;
  return true;
}

/* The elements of an array up to the last one with a cell that is not empty. */
static size_t count_elements(const ee_table_reader *r, const node *array) {
  size_t count = 0, number = 0;
  for (size_t child = array->first_child; child != 0; child = r->nodes.items[child].next) {
    number++;
    if (!is_blank_below(r, child)) count = number;
  }
  return count;
}

/* Whether the cell is a JSON array or object, alone. */
static bool is_container(ee_str cell) {
  ee_json_scan scan = ee_json_scan_of(cell);
  const char *at = ee_json_skip_space(scan.start, scan.end);
  if (at == scan.end || (*at != '[' && *at != '{')) return false;
  const char *end = ee_json_skip_value(&scan, at);
  return end != NULL && ee_json_skip_space(end, scan.end) == scan.end;
}

static void write_cell(const ee_table_reader *r, size_t column, ee_buffer *out) {
  ee_str cell = cell_at(r, column);
  if (is_container(cell))
    ee_buffer_add(out, cell.data, cell.length);
  else
    ee_json_write_string(out, cell);
}

/* As deep as DEPTH_LIMIT. */
static void write_node(const ee_table_reader *r, size_t number, ee_buffer *out) {
  const node *at = &r->nodes.items[number];
  if (at->column != SIZE_MAX) {
    write_cell(r, at->column, out);
    return;
  }
  size_t left = at->is_array ? count_elements(r, at) : SIZE_MAX;
  ee_buffer_add_char(out, at->is_array ? '[' : '{');
  for (size_t child = at->first_child; child != 0 && left > 0; child = r->nodes.items[child].next, left--) {
    if (child != at->first_child) ee_buffer_add_char(out, ',');
    if (!at->is_array) {
      ee_json_write_string(out, r->nodes.items[child].step->key);
      ee_buffer_add_char(out, ':');
    }
    write_node(r, child, out);
  }
  ee_buffer_add_char(out, at->is_array ? ']' : '}');
}

static void add_record(ee_table_reader *r) {
  if (r->cells != r->columns) {
    add_row_error(r, "row has %zu cell%s, the header has %zu", r->cells, r->cells == 1 ? "" : "s", r->columns);
    return;
  }
  if (ee_utf8_valid_prefix(r->text.data, r->text.length) < r->text.length) {
    size_t bad = 0;
    while (ee_utf8_valid_prefix(cell_at(r, bad).data, cell_at(r, bad).length) == cell_at(r, bad).length) bad++;
    add_row_error(r, "'%.*s' is not valid UTF-8: convert the file, for example with iconv -f WINDOWS-1252 -t UTF-8",
                  (int)ee_utf8_cut(r->names[bad], NAME_SHOWN), r->names[bad].data);
    return;
  }
  ee_buffer *out = &r->block->text;
  size_t start = out->length;
  write_node(r, 0, out);
  ee_block_add(
      r->block,
      (ee_record_span){
          .offset = start, .length = out->length - start, .line = r->row_line, .column = 1, .byte = r->row_byte});
}

static void start_row(ee_table_reader *r) {
  ee_buffer_clear(&r->text);
  r->ends.count = r->cells = 0;
  r->too_long = false;
  r->row_line = r->line;
  r->row_byte = r->byte;
}

static void end_row(ee_table_reader *r) {
  if (r->too_long) {
    char limit[EE_BOUND_TEXT];
    add_row_error(r, "record longer than %s (--max-record)", ee_size_text(r->record_limit, limit));
  } else if (r->has_header) {
    if (!r->broken_header) add_record(r);
  } else {
    r->has_header = true;
    r->broken_header = !read_header(r);
  }
}

static void on_cell(void *data, size_t length, void *user) {
  ee_table_reader *r = user;
  const char *text = data;
  for (const char *at = text; length > 0 && (at = memchr(at, '\n', length - (size_t)(at - text))) != NULL; at++)
    r->line += 1;
  r->too_long = r->too_long || r->text.length + length > r->record_limit;
  if (r->too_long) {
    ee_buffer_clear(&r->text);
    r->ends.count = 0;
    return;
  }
  r->cells += 1;
  if (r->cells > EE_TABLE_COLUMNS) return; /* the row is in error; its cells are only counted */
  ee_buffer_add(&r->text, text, length);
  ee_buffer_reserve(&r->text, 1); /* so that `data` is not NULL when all cells are empty */
  *EE_LIST_ADD(&r->ends, NULL) = r->text.length;
}

/* A line of white space is not a row. */
static bool is_blank_row(const ee_table_reader *r) {
  return r->ends.count == 1 && ee_str_trim(cell_at(r, 0)).length == 0;
}

/* `end`: the character that ends the row, CR or LF, each of a CRLF by itself, or -1 at the end of the file. */
static void on_row(int end, void *user) {
  ee_table_reader *r = user;
  bool has_cells = r->ends.count > 0 || r->too_long;
  if (has_cells && !is_blank_row(r)) end_row(r);
  if (end == '\n') r->line += 1;
  start_row(r);
}

/* Pieces --------------------------------------------------------------------------------------- */

/* White space is part of a cell. */
static int is_space(unsigned char c) {
  (void)c;
  return 0;
}

static void start_parser(ee_table_reader *r, char separator) {
  if (csv_init(&r->parser, CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL) != 0) ee_out_of_memory();
  csv_set_realloc_func(&r->parser, ee_try_realloc);
  csv_set_free_func(&r->parser, ee_free);
  csv_set_delim(&r->parser, (unsigned char)separator);
  csv_set_space_func(&r->parser, is_space);
  csv_set_blk_size(&r->parser, CELL_GROWTH);
}

ee_table_reader *ee_table_reader_new(char separator, size_t record_limit) {
  ee_table_reader *r = ee_calloc(1, sizeof *r);
  r->record_limit = record_limit;
  r->line = r->row_line = 1;
  ee_buffer_init(&r->text);
  ee_arena_init(&r->arena, 0);
  start_parser(r, separator);
  return r;
}

void ee_table_reader_free(ee_table_reader *r) {
  if (r == NULL) return;
  csv_free(&r->parser);
  ee_buffer_fini(&r->text);
  EE_LIST_FINI(&r->ends);
  EE_LIST_FINI(&r->nodes);
  ee_arena_fini(&r->arena);
  ee_free(r);
}

/* Drops the row so far and goes on with the next line. */
static void give_up_row(ee_table_reader *r, const char *message) {
  for (size_t i = 0; i < r->parser.entry_pos; i++) r->line += r->parser.entry_buf[i] == '\n';
  if (!r->has_header) r->has_header = r->broken_header = true;
  add_row_error(r, "%s", message);
  char separator = (char)csv_get_delim(&r->parser);
  csv_free(&r->parser);
  start_parser(r, separator);
  r->skipping = true;
}

/* libcsv stopped at the character `c`, a mistake in its strict mode. */
static void handle_mistake(ee_table_reader *r, char c) {
  if (csv_error(&r->parser) != CSV_EPARSE) ee_out_of_memory();
  if (r->parser.quoted) {
    give_up_row(r, "text after the closing quote of a cell (a quote inside must be doubled)");
    return;
  }
  /* A quote in the middle of a cell without quotes. */
  csv_set_opts(&r->parser, CSV_STRICT_FINI | CSV_REPALL_NL);
  csv_parse(&r->parser, &c, 1, on_cell, on_row, r);
  csv_set_opts(&r->parser, CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL);
}

/* The byte order mark, which may arrive in pieces. */
static ee_str pass_mark(ee_table_reader *r, ee_str piece) {
  static const char mark[] = "\xef\xbb\xbf";
  while (!r->past_mark && piece.length > 0) {
    if (r->mark_bytes == 3 || piece.data[0] != mark[r->mark_bytes]) {
      r->past_mark = true;
    } else {
      r->mark_bytes += 1;
      r->byte += 1;
      piece = (ee_str){piece.data + 1, piece.length - 1};
    }
  }
  return piece;
}

/* The length of the text up to its first CR or LF, with it. */
static size_t line_length(ee_str text) {
  const char *newline = memchr(text.data, '\n', text.length);
  if (newline != NULL) text.length = (size_t)(newline - text.data) + 1;
  const char *end = memchr(text.data, '\r', text.length);
  return end != NULL ? (size_t)(end - text.data) + 1 : text.length;
}

void ee_table_reader_run(ee_table_reader *r, ee_str piece, ee_block *block) {
  r->block = block;
  piece = pass_mark(r, piece);
  while (piece.length > 0) {
    if (r->skipping) {
      const char *newline = memchr(piece.data, '\n', piece.length);
      if (newline == NULL) {
        r->byte += piece.length;
        return;
      }
      r->byte += (size_t)(newline - piece.data) + 1;
      piece = (ee_str){newline + 1, (size_t)(piece.data + piece.length - newline) - 1};
      r->line += 1;
      r->skipping = false;
      start_row(r);
      continue;
    }
    /* No more than what makes the cell just too long, so that this does not depend on the pieces. */
    size_t room = r->record_limit + 1 - r->parser.entry_pos, wanted = piece.length < room ? piece.length : room;
    wanted = line_length((ee_str){piece.data, wanted}); /* so that on_row() knows where it is */
    r->byte += wanted;
    size_t used = csv_parse(&r->parser, piece.data, wanted, on_cell, on_row, r);
    if (used < wanted) {
      handle_mistake(r, piece.data[used]);
      used += !r->skipping;
    } else if (r->parser.entry_pos > r->record_limit) {
      char limit[EE_BOUND_TEXT], message[100];
      snprintf(message, sizeof message, "a cell is longer than %s (--max-record): perhaps its closing quote is missing",
               ee_size_text(r->record_limit, limit));
      give_up_row(r, message);
    }
    r->byte -= wanted - used;
    piece = (ee_str){piece.data + used, piece.length - used};
  }
}

void ee_table_reader_end(ee_table_reader *r, const char *damage, ee_block *block) {
  r->block = block;
  if (damage != NULL) {
    ee_block_add_last_error(block, UINT64_MAX - 1, r->line, damage);
  } else if (!r->skipping && csv_fini(&r->parser, on_cell, on_row, r) != 0) {
    if (csv_error(&r->parser) != CSV_EPARSE) ee_out_of_memory();
    add_row_error(r, "a quote is not closed: the rest of the file is in the row that starts here");
  }
  ee_block_end_errors(block, r->errors, r->line);
}
