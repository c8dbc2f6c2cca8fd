/* case_report.c: a case and its misses in lines, and a page of one case. */
#include "report/case_report.h"

#include "data/json/json_writer.h"
#include "prim/unicode.h"

/* Columns of a value of a mismatch; longer values continue in the next row. */
#define VALUE_COLUMNS 32
/* Values of a mismatch longer than that are cut, in bytes. */
#define MAX_VALUE 4000

static ee_ink ink_of(ee_verdict verdict) {
  return verdict == EE_VERDICT_PASS ? EE_INK_GREEN : verdict == EE_VERDICT_BORDERLINE ? EE_INK_YELLOW : EE_INK_RED;
}

static const ee_stored_judge *find_judge(const ee_stored_row *row, ee_str name) {
  for (size_t i = 0; i < row->judge_count; i++)
    if (ee_str_equal(row->judges[i].name, name)) return &row->judges[i];
  return NULL;
}

/* The first element of an array of strings, such as "misses"; NULL: none. */
static const ee_value *first_of(const ee_value *object, const char *key) {
  const ee_value *list = ee_value_member(object, ee_str_from(key), NULL);
  return ee_type_of(list) == EE_ARRAY ? ee_value_child(list) : NULL;
}

/* Data of any length, code in markup. */
static ee_cell whole(ee_str text, ee_ink ink) { return (ee_cell){.text = text, .kind = EE_CELL_DATA, .ink = ink}; }

/* Words with data in them. */
static ee_cell quote(ee_str text) { return (ee_cell){.text = text, .kind = EE_CELL_QUOTE}; }

/* Lines ------------------------------------------------------------------------------------------ */

static void add_misses(ee_page *page, const ee_value *object, const char *indent) {
  for (const ee_value *miss = first_of(object, "misses"); miss != NULL; miss = ee_value_next(miss)) {
    if (ee_type_of(miss) != EE_STRING) continue;
    ee_line *line = ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH);
    ee_line_add(page, line, ee_cell_words(indent, EE_INK_PLAIN));
    ee_line_add(page, line, whole(ee_value_text(miss), EE_INK_PLAIN));
  }
}

static void add_result(ee_page *page, ee_line *line, double score, ee_verdict verdict) {
  ee_line_add(page, line, ee_cell_words("  ", EE_INK_PLAIN));
  ee_line_add(page, line, ee_cell_score(&page->arena, score, EE_INK_PLAIN));
  ee_line_add(page, line, ee_cell_words("  ", EE_INK_PLAIN));
  ee_line_add(page, line, ee_cell_words(ee_verdict_name(verdict), ink_of(verdict)));
}

void ee_case_lines(const ee_stored_row *row, ee_str judge, ee_table_style style, ee_buffer *out) {
  const ee_stored_judge *judged = judge.data != NULL ? find_judge(row, judge) : NULL;
  if (judge.data != NULL && judged == NULL) return;
  ee_page page;
  ee_page_init(&page);
  ee_line *line = ee_page_line(&page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH);
  ee_line_add(&page, line, whole(row->id, EE_INK_BOLD));
  add_result(&page, line, judged != NULL ? judged->score : row->score, judged != NULL ? judged->verdict : row->verdict);
  if (judged != NULL) {
    add_misses(&page, judged->entry, "    ");
  } else if (first_of(row->record, "misses") != NULL) {
    add_misses(&page, row->record, "    ");
  } else {
    for (size_t i = 0; i < row->judge_count; i++) add_misses(&page, row->judges[i].entry, "    ");
  }
  ee_render_table(&page, style, out);
  ee_page_fini(&page);
}

/* One case --------------------------------------------------------------------------------------- */

/* Adds `words` as a line for terminals, indented, and as a paragraph. */
static void add_words(ee_page *page, ee_cell words) {
  ee_line *line = ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH);
  ee_line_add(page, line, ee_cell_words("  ", EE_INK_PLAIN));
  ee_line_add(page, line, words);
  ee_line_add(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_PARAGRAPH), words);
}

/* A list with its length: "misses 2", and a line each. */
static void add_list(ee_page *page, const ee_value *object, const char *key, ee_ink ink) {
  size_t count = 0;
  for (const ee_value *each = first_of(object, key); each != NULL; each = ee_value_next(each)) count++;
  if (count == 0) return;
  add_words(page, ee_cell_words(ee_arena_printf(&page->arena, "%s %zu", key, count), EE_INK_PLAIN));
  for (const ee_value *each = first_of(object, key); each != NULL; each = ee_value_next(each)) {
    if (ee_type_of(each) != EE_STRING) continue;
    ee_line *line = ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH);
    ee_line_add(page, line, ee_cell_words("    ", EE_INK_PLAIN));
    ee_line_add(page, line, whole(ee_value_text(each), ink));
    ee_line_add(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_ITEM), whole(ee_value_text(each), ink));
  }
}

/* "NAME (type)  0.912  pass", in markup "NAME (type): 0.912, pass". */
static void add_heading(ee_page *page, ee_line_role role, ee_str name, ee_str type, double score, ee_verdict verdict) {
  const ee_medium media[] = {EE_MEDIUM_TERMINAL, EE_MEDIUM_MARKUP};
  for (size_t i = 0; i < 2; i++) {
    ee_line *line = ee_page_line(page, media[i], role);
    ee_line_add(page, line, whole(name, EE_INK_BOLD));
    if (type.length > 0 && !ee_str_equal(type, name)) {
      ee_line_add(page, line, ee_cell_words(" (", EE_INK_PLAIN));
      ee_line_add(page, line, whole(type, EE_INK_PLAIN));
      ee_line_add(page, line, ee_cell_words(")", EE_INK_PLAIN));
    }
    if (media[i] == EE_MEDIUM_TERMINAL) {
      add_result(page, line, score, verdict);
    } else {
      ee_line_add(page, line, ee_cell_words(": ", EE_INK_PLAIN));
      ee_line_add(page, line, ee_cell_score(&page->arena, score, EE_INK_PLAIN));
      ee_line_addf(page, line, EE_INK_PLAIN, ", %s", ee_verdict_name(verdict));
    }
  }
}

/* As JSON; "-" for a missing value. */
static ee_str value_text(ee_page *page, const ee_value *value) {
  if (value == NULL) return EE_STR("-");
  ee_buffer text;
  ee_buffer_init(&text);
  ee_json_write_value(&text, value);
  ee_str all = {text.data, text.length};
  size_t length = ee_utf8_cut(all, MAX_VALUE);
  const char *copy =
      ee_arena_printf(&page->arena, "%.*s%s", (int)length, all.data, length < all.length ? "\xe2\x80\xa6" : "");
  ee_buffer_fini(&text);
  return ee_str_from(copy);
}

/* Takes the start of `*text` that has at most VALUE_COLUMNS off it. */
static ee_str take_columns(ee_str *text) {
  size_t end = 0, columns = 0;
  while (end < text->length) {
    uint32_t code_point;
    size_t step = ee_utf8_decode(text->data + end, text->length - end, &code_point);
    if (step == 0) step = 1;
    size_t width = ee_text_width((ee_str){text->data + end, step});
    if (columns + width > VALUE_COLUMNS) break;
    columns += width;
    end += step;
  }
  ee_str start = {text->data, end};
  *text = (ee_str){text->data + end, text->length - end};
  return start;
}

enum { PATH, EXPECTED, CANDIDATE, SCORE, REASON, COLUMNS };

static void fill_first(ee_page *page, ee_cell *cells, const ee_value *mismatch, ee_str path) {
  double score = ee_value_get_number(mismatch, "score", -1);
  cells[PATH] = ee_cell_data(path, EE_INK_PLAIN);
  cells[PATH].max_columns = cells[PATH].max_markup_columns = 0;
  if (score >= 0 && score <= 1) cells[SCORE] = ee_cell_score(&page->arena, score, EE_INK_PLAIN);
  cells[REASON] = quote(ee_value_get_text(mismatch, "reason", ""));
}

/* A missing value is "-". */
static ee_cell value_cell(ee_str text) { return ee_str_is(text, "-") ? quote(text) : whole(text, EE_INK_PLAIN); }

static void add_mismatch(ee_page *page, ee_grid *grid, const ee_value *mismatch) {
  ee_str path = ee_value_get_text(mismatch, "path", "");
  ee_str expected = value_text(page, ee_value_member(mismatch, EE_STR("expected"), NULL));
  ee_str candidate = value_text(page, ee_value_member(mismatch, EE_STR("candidate"), NULL));
  ee_cell *cells = ee_grid_add_for(grid, EE_MEDIUM_MARKUP);
  fill_first(page, cells, mismatch, path);
  cells[EXPECTED] = value_cell(expected);
  cells[CANDIDATE] = value_cell(candidate);
  expected = ee_text_printable(expected, &page->arena);
  candidate = ee_text_printable(candidate, &page->arena);
  for (bool first = true; first || expected.length > 0 || candidate.length > 0; first = false) {
    cells = ee_grid_add_for(grid, EE_MEDIUM_TERMINAL);
    if (first) fill_first(page, cells, mismatch, path);
    cells[EXPECTED] = (ee_cell){.text = take_columns(&expected), .ink = EE_INK_GREEN};
    cells[CANDIDATE] = (ee_cell){.text = take_columns(&candidate), .ink = EE_INK_RED};
  }
}

static void add_mismatches(ee_page *page, const ee_value *details) {
  static const ee_column columns[COLUMNS] = {{.name = "mismatch", .left = true, .name_column = true},
                                             {.name = "expected", .left = true},
                                             {.name = "candidate", .left = true},
                                             {.name = "score"},
                                             {.name = "reason", .left = true}};
  const ee_value *mismatch = first_of(details, "mismatches");
  if (mismatch == NULL) return;
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, COLUMNS);
  for (; mismatch != NULL; mismatch = ee_value_next(mismatch))
    if (ee_type_of(mismatch) == EE_OBJECT) add_mismatch(page, grid, mismatch);
}

static void add_judge(ee_page *page, const ee_stored_judge *judge) {
  ee_page_section(page, judge->name);
  ee_page_space(page);
  add_heading(page, EE_LINE_HEADING, judge->name, judge->type, judge->score, judge->verdict);
  ee_str reasoning = ee_value_get_text(judge->entry, "reasoning", "");
  if (reasoning.length > 0) add_words(page, quote(reasoning));
  add_list(page, judge->entry, "misses", EE_INK_RED);
  add_mismatches(page, ee_value_member(judge->entry, EE_STR("details"), NULL));
  add_list(page, judge->entry, "hits", EE_INK_GREEN);
}

void ee_one_case_page(const ee_one_case *one, ee_page *page) {
  const ee_stored_row *row = one->row;
  add_heading(page, EE_LINE_TITLE, row->id, EE_STR(""), row->score, row->verdict);
  for (size_t i = 0; i < row->judge_count; i++)
    if (one->judge.data == NULL || ee_str_equal(row->judges[i].name, one->judge)) add_judge(page, &row->judges[i]);
  if (row->judge_count == 0) add_list(page, row->record, "misses", EE_INK_RED);
}

void ee_one_case_json(const ee_one_case *one, ee_buffer *out) {
  ee_json_write_value(out, one->row->record);
  ee_buffer_add_char(out, '\n');
}
