/* reading_report.c: the table of fields with the strategy of each, its reason, and what did not fit. */
#include "report/reading_report.h"

#include <inttypes.h>

/* Rows of a page; JSON has all. */
#define ROWS_SHOWN 60
/* Paths that the line on those without an answer names. */
#define UNANSWERED_SHOWN 6

typedef struct reading_rows {
  ee_page *page;
  ee_grid *grid;
  size_t rows;
  struct {
    EE_LIST(ee_str);
  } notes;
} reading_rows;

/* The first value, cut at its end. */
static ee_cell example_cell(const ee_choice *choice) {
  const ee_profile_node *node = choice->node;
  const ee_value_profile *part = node->parts[EE_PROFILE_EXPECTED];
  if (part == NULL) part = node->parts[EE_PROFILE_CANDIDATE];
  ee_cell cell = {.kind = EE_CELL_QUOTE, .max_columns = 40, .max_markup_columns = 60};
  if (part != NULL) cell.text = part->examples[0].text;
  if (cell.text.data == NULL) cell.text = EE_STR("");
  return cell;
}

static void add_row(reading_rows *self, const ee_choice *choice) {
  if (self->rows++ >= ROWS_SHOWN) return;
  ee_arena *arena = &self->page->arena;
  ee_cell *cells = ee_grid_add(self->grid);
  bool judged = choice->kind != EE_CHOICE_NOT_JUDGED;
  cells[0] = ee_cell_data(choice->full_path, judged ? EE_INK_PLAIN : EE_INK_DIM);
  cells[1] = ee_cell_words(choice->read_as, choice->doubt != NULL ? EE_INK_YELLOW : EE_INK_PLAIN);
  if (judged && choice->values > 0)
    cells[2] = ee_cell_words(choice->read == choice->values
                                 ? ee_arena_printf(arena, "%" PRIu64, choice->values)
                                 : ee_arena_printf(arena, "%" PRIu64 " of %" PRIu64, choice->read, choice->values),
                             choice->read == choice->values ? EE_INK_PLAIN : EE_INK_YELLOW);
  cells[3] = example_cell(choice);
  const char *remark = judged                                             ? choice->remark
                       : choice->doubt != NULL                            ? ""
                       : choice->node->parts[EE_PROFILE_EXPECTED] == NULL ? "only candidates have it"
                                                                          : choice->reason;
  cells[4] = (ee_cell){.text = ee_str_from(remark), .kind = EE_CELL_QUOTE};
  if (choice->doubt == NULL) return;
  const char *note = ee_arena_printf(arena, "%.*s: %s", EE_STR_ARG(choice->full_path), choice->doubt);
  *EE_LIST_ADD(&self->notes, arena) = ee_str_from(note);
}

static void add_rows(reading_rows *self, const ee_choice *items, size_t count) {
  for (size_t i = 0; i < count; i++) {
    add_row(self, &items[i]);
    add_rows(self, items[i].inner, items[i].inner_count);
  }
}

/* "cases by 'doc_id' = 'key'; expected: the whole record; candidate: 'answer'" */
static void add_parts(ee_page *page, const ee_profile *profile) {
  if (profile->cases == 0) return;
  ee_line *line = ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_PARAGRAPH);
  const ee_str keys[] = {profile->id_key, profile->expected_id_key, profile->expected_key, profile->candidate_key};
  static const char *const names[] = {"id:", " = ", "expected:", "candidate:"};
  bool same = keys[0].data == NULL || keys[1].data == NULL || ee_str_equal(keys[0], keys[1]);
  for (int i = 0; i < 4; i++) {
    if (i == 1 && same) continue;
    ee_line_addf(page, line, EE_INK_PLAIN, i == 0 ? "%s " : i == 1 ? "%s" : ", %s ", names[i]);
    if (keys[i].data != NULL)
      ee_line_add(page, line, ee_cell_data(keys[i], EE_INK_BOLD));
    else
      ee_line_addf(page, line, EE_INK_DIM,
                   i > 1              ? "the whole record"
                   : profile->unnamed ? "the line number"
                                      : "the file name, or the key of the record");
  }
}

static void add_unanswered(ee_page *page, ee_medium medium, const ee_choice *const *paths, size_t count, size_t all) {
  const char *quote = medium == EE_MEDIUM_TERMINAL ? "'" : "";
  ee_line *line = ee_page_line(page, medium, EE_LINE_PARAGRAPH);
  ee_line_addf(page, line, EE_INK_YELLOW, "not judged  %zu of %zu paths", count, all);
  ee_line_addf(page, line, EE_INK_PLAIN, ": only the expected values have ");
  size_t shown = count <= UNANSWERED_SHOWN + 1 ? count : UNANSWERED_SHOWN;
  for (size_t i = 0; i < shown; i++) {
    if (i > 0) ee_line_addf(page, line, EE_INK_PLAIN, i + 1 == count ? " and " : ", ");
    ee_line_addf(page, line, EE_INK_PLAIN, "%s", quote);
    ee_line_add(page, line, ee_cell_data(paths[i]->full_path, EE_INK_PLAIN));
    ee_line_addf(page, line, EE_INK_PLAIN, "%s", quote);
  }
  if (shown < count) ee_line_addf(page, line, EE_INK_PLAIN, " and %zu more", count - shown);
}

void ee_reading_summary(const ee_inference *inference, ee_page *page) {
  const ee_choice **found;
  size_t all, count = ee_choices_unanswered(&inference->choices, &page->arena, &found, &all);
  if (count == 0) return;
  add_unanswered(page, EE_MEDIUM_TERMINAL, found, count, all);
  add_unanswered(page, EE_MEDIUM_MARKUP, found, count, all);
}

void ee_reading_page(const ee_inference *inference, const char *saved, ee_page *page) {
  static const ee_column columns[] = {
      {.name = "field", .left = true, .name_column = true},
      {.name = "read as", .left = true},
      {.name = "values"},
      {.name = "example", .left = true, .wide_only = true},
      {.name = "remark", .left = true, .fill = true},
  };
  ee_page_section(page, EE_STR("reading"));
  ee_page_space(page);
  ee_line *line = ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_HEADING);
  ee_line_add(page, line, ee_cell_words("How each field was read", EE_INK_BOLD));
  add_parts(page, &inference->profile);
  reading_rows self = {.page = page, .grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, 5)};
  add_rows(&self, inference->choices.items, inference->choices.count);
  if (self.rows > ROWS_SHOWN) {
    line = ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_PARAGRAPH);
    ee_line_addf(page, line, EE_INK_DIM, "%zu more fields (all of them: --format json)", self.rows - ROWS_SHOWN);
  }
  if (inference->profile.left_out > 0) {
    const char *note = ee_arena_printf(&page->arena,
                                       "%" PRIu64 " values are judged as part of a larger value, or not at all: only "
                                       "the first %d paths, to a depth of %d, are examined",
                                       inference->profile.left_out, EE_PROFILE_PATHS, EE_PROFILE_DEPTH);
    *EE_LIST_ADD(&self.notes, &page->arena) = ee_str_from(note);
  }
  if (inference->profile.several > 0) {
    uint64_t several = inference->profile.several;
    const char *note = ee_arena_printf(&page->arena,
                                       "%" PRIu64 " expected value%s several accepted ones: the best match counts, and "
                                       "the first one is described here",
                                       several, several == 1 ? " holds" : "s hold");
    *EE_LIST_ADD(&self.notes, &page->arena) = ee_str_from(note);
  }
  if (self.notes.count > 0) ee_page_notes(page, EE_MEDIUM_ALL, self.notes.items, self.notes.count);
  line = ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_PARAGRAPH);
  if (saved != NULL)
    ee_line_addf(page, line, EE_INK_PLAIN, "No rule file was given. These rules were saved to '%s'.", saved);
  else
    ee_line_addf(
        page, line, EE_INK_PLAIN,
        "No rule file was given. --save-rules FILE saves these rules; 'evalengine init' saves them with a test.");
}

static void json_rows(ee_json_out *json, const ee_choice *items, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const ee_choice *choice = &items[i];
    ee_json_open(json, NULL, '{');
    ee_json_add_text(json, "field", choice->full_path);
    ee_json_add_bool(json, "judged", choice->kind != EE_CHOICE_NOT_JUDGED);
    ee_json_add_text(json, "read_as", ee_str_from(choice->read_as));
    if (choice->strategy != NULL) ee_json_add_text(json, "strategy", ee_str_from(choice->strategy));
    if (*choice->options != '\0') ee_json_add_text(json, "options", ee_str_from(choice->options));
    if (choice->candidate.data != NULL) ee_json_add_text(json, "candidate", choice->candidate);
    ee_json_add_count(json, "values", choice->values);
    ee_json_add_count(json, "read", choice->read);
    ee_json_add_text(json, "reason", ee_str_from(choice->reason));
    if (*choice->remark != '\0') ee_json_add_text(json, "remark", ee_str_from(choice->remark));
    if (choice->doubt != NULL) ee_json_add_text(json, "doubt", ee_str_from(choice->doubt));
    ee_json_close(json, '}');
    json_rows(json, choice->inner, choice->inner_count);
  }
}

void ee_reading_json(const ee_inference *inference, const char *saved, ee_json_out *json) {
  ee_json_open(json, "reading", '{');
  if (saved != NULL) ee_json_add_text(json, "saved", ee_str_from(saved));
  if (inference->profile.left_out > 0) ee_json_add_count(json, "values_left_out", inference->profile.left_out);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_choice **found;
  size_t all, count = ee_choices_unanswered(&inference->choices, &arena, &found, &all);
  if (count > 0) {
    ee_json_add_count(json, "paths", all);
    ee_json_open(json, "only_expected", '[');
    for (size_t i = 0; i < count; i++) ee_json_add_text(json, NULL, found[i]->full_path);
    ee_json_close(json, ']');
  }
  ee_arena_fini(&arena);
  ee_json_open(json, "fields", '[');
  json_rows(json, inference->choices.items, inference->choices.count);
  ee_json_close(json, ']');
  ee_json_close(json, '}');
}
