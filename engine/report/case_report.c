/* case_report.c: a case and its misses in lines, and a page of one case. */
#include "report/case_report.h"

#include "data/json/json_writer.h"
#include "report/case_values.h"

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

/* "score = (2*1 + 1*0.5)/3 = 0.833", where the row has it. */
static void add_formula(ee_page *page, const ee_value *object) {
  ee_str formula = ee_value_get_text(object, "formula", "");
  if (formula.length > 0)
    add_words(page, quote(ee_str_from(ee_arena_printf(&page->arena, "score %.*s", EE_STR_ARG(formula)))));
}

/* Which of several accepted documents the case was judged by. */
static void add_alternative(ee_page *page, const ee_value *record) {
  double number = ee_value_get_number(record, "expected_alternative", -1);
  if (number >= 0)
    add_words(page, ee_cell_words(ee_arena_printf(&page->arena, "judged by accepted document %.0f (from 0)", number),
                                  EE_INK_PLAIN));
}

/* What a model was asked, line by line. */
static void add_prompt(ee_page *page, const ee_value *details) {
  ee_str prompt = ee_value_get_text(details, "prompt", "");
  if (prompt.length == 0) return;
  add_words(page, ee_cell_words("prompt", EE_INK_PLAIN));
  while (prompt.length > 0) {
    const char *end = memchr(prompt.data, '\n', prompt.length);
    ee_str text = {prompt.data, end != NULL ? (size_t)(end - prompt.data) : prompt.length};
    prompt = end != NULL ? (ee_str){end + 1, prompt.length - text.length - 1} : EE_STR("");
    if (ee_str_is_blank(text)) continue;
    ee_line *line = ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH);
    ee_line_add(page, line, ee_cell_words("    ", EE_INK_PLAIN));
    ee_line_add(page, line, whole(text, EE_INK_DIM));
    ee_line_add(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_ITEM), whole(text, EE_INK_DIM));
  }
}

static void add_judge(ee_page *page, const ee_stored_judge *judge, ee_table_style style) {
  const ee_value *details = ee_value_member(judge->entry, EE_STR("details"), NULL);
  ee_page_section(page, judge->name);
  ee_page_space(page);
  add_heading(page, EE_LINE_HEADING, judge->name, judge->type, judge->score, judge->verdict);
  ee_str reasoning = ee_value_get_text(judge->entry, "reasoning", "");
  if (reasoning.length > 0) add_words(page, quote(reasoning));
  add_formula(page, judge->entry);
  add_prompt(page, details);
  if (ee_case_has_outcomes(details)) {
    ee_case_values(page, details, style);
    return;
  }
  add_list(page, judge->entry, "misses", EE_INK_RED);
  ee_case_values(page, details, style);
  add_list(page, judge->entry, "hits", EE_INK_GREEN);
}

void ee_one_case_page(const ee_one_case *one, ee_page *page) {
  const ee_stored_row *row = one->row;
  add_heading(page, EE_LINE_TITLE, row->id, EE_STR(""), row->score, row->verdict);
  add_formula(page, row->record);
  add_alternative(page, row->record);
  for (size_t i = 0; i < row->judge_count; i++)
    if (one->judge.data == NULL || ee_str_equal(row->judges[i].name, one->judge))
      add_judge(page, &row->judges[i], one->style);
  if (row->judge_count == 0) add_list(page, row->record, "misses", EE_INK_RED);
  if (!ee_str_is(ee_value_get_text(row->record, "detail", ""), "misses")) return;
  ee_page_space(page);
  add_words(page,
            ee_cell_words("misses only; 'explain', or rows of --detail full, show all values and how they compare",
                          EE_INK_DIM));
}

void ee_one_case_json(const ee_one_case *one, ee_buffer *out) {
  ee_json_write_value(out, one->row->record);
  ee_buffer_add_char(out, '\n');
}
