/* label_matrix_report.c: the matrix of labels as a table, as JSON and as lines of CSV. */
#include "report/label_matrix_report.h"

#include <inttypes.h>

#include "prim/sort.h"
#include "prim/unicode.h"
#include "report/csv.h"

/* Labels that a table shows one by one; with the sum of the others, missing, and the names they fill a grid. */
#define SHOWN 14
#define HEAD_COLUMNS 16

_Static_assert(SHOWN + 3 <= EE_GRID_COLUMNS, "a grid has no room for this many labels");

/* Which labels a table shows. */
typedef struct shown_labels {
  size_t numbers[SHOWN];
  size_t count;
  size_t more; /* labels that are summed up */
  bool others; /* a row and a column for these, or for those above the bound of the matrix */
} shown_labels;

typedef struct ranked {
  uint64_t count;
  size_t number;
} ranked;

static bool ranked_before(const ranked *a, const ranked *b) {
  return a->count != b->count ? a->count > b->count : a->number < b->number;
}
EE_DEFINE_SORT(sort_ranked, ranked, ranked_before)

/* The sum of the label's row and column. */
static uint64_t total_of(const ee_label_summary *summary, size_t number) {
  uint64_t sum = 0;
  for (size_t i = 0; i < summary->count + 2; i++)
    sum += ee_label_summary_at(summary, number, i) + (i != number ? ee_label_summary_at(summary, i, number) : 0);
  return sum;
}

/* Labels in their order; of too many those that occur most. */
static shown_labels choose(const ee_label_summary *summary, ee_arena *arena) {
  shown_labels shown = {.others = summary->has_other};
  ranked *labels = EE_NEW_ARRAY(arena, ranked, summary->count + 1);
  bool *chosen = EE_NEW_ARRAY(arena, bool, summary->count + 1);
  for (size_t i = 0; i < summary->count; i++) labels[i] = (ranked){total_of(summary, i), i};
  sort_ranked(labels, summary->count, arena);
  for (size_t i = 0; i < summary->count && i < SHOWN; i++) chosen[labels[i].number] = true;
  for (size_t i = 0; i < summary->count; i++)
    if (chosen[i]) shown.numbers[shown.count++] = i;
  shown.more = summary->count - shown.count;
  shown.others = shown.others || shown.more > 0;
  return shown;
}

/* The place of a label in the table. */
static size_t place_of(const shown_labels *shown, const ee_label_summary *summary, size_t number) {
  if (number == summary->count + 1) return shown->count + 1;
  for (size_t i = 0; i < shown->count; i++)
    if (shown->numbers[i] == number) return i;
  return shown->count;
}

static bool is_empty(const ee_label_summary *summary) {
  for (size_t i = 0; i < (summary->count + 2) * (summary->count + 2); i++)
    if (summary->cells[i] > 0) return false;
  return true;
}

static const char *head_of(ee_arena *arena, ee_str label) {
  ee_str text = ee_text_shorten(ee_text_printable(label, arena), HEAD_COLUMNS, arena);
  return text.length > 0 ? ee_arena_copy(arena, text.data, text.length) : "\"\"";
}

void ee_label_matrix_page(ee_page *page, const ee_label_summary *summary) {
  if (is_empty(summary)) return;
  ee_arena *arena = &page->arena;
  shown_labels shown = choose(summary, arena);
  size_t side = shown.count + 2; /* the others, then nothing */
  uint64_t *sums = EE_NEW_ARRAY(arena, uint64_t, side * side);
  size_t *places = EE_NEW_ARRAY(arena, size_t, summary->count + 2);
  for (size_t i = 0; i < summary->count + 2; i++) places[i] = place_of(&shown, summary, i);
  for (size_t i = 0; i < summary->count + 2; i++)
    for (size_t k = 0; k < summary->count + 2; k++)
      sums[places[i] * side + places[k]] += ee_label_summary_at(summary, i, k);
  ee_column columns[EE_GRID_COLUMNS] = {{.name = "expected as", .left = true, .name_column = true}};
  size_t count = 1;
  for (size_t i = 0; i < shown.count; i++)
    columns[count++] = (ee_column){.name = head_of(arena, summary->labels[shown.numbers[i]]),
                                   .data_name = true,
                                   .spare = (unsigned char)(i < 255 ? i : 255)};
  if (shown.others) columns[count++] = (ee_column){.name = "(other)"};
  if (summary->has_missing) columns[count++] = (ee_column){.name = "(missing)"};
  ee_page_space(page);
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, count);
  for (size_t i = 0; i < side; i++) {
    if (i == shown.count && !shown.others) continue;
    if (i == shown.count + 1 && !summary->has_spurious) continue;
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = i < shown.count
                   ? ee_cell_data(summary->labels[shown.numbers[i]], EE_INK_PLAIN)
                   : ee_cell_words(i == shown.count + 1 ? "(spurious)"
                                   : shown.more > 0     ? ee_arena_printf(arena, "(other, %zu labels%s)", shown.more,
                                                                      summary->has_other ? " and more" : "")
                                                        : "(other)",
                                   EE_INK_DIM);
    size_t at = 1;
    for (size_t k = 0; k < side; k++) {
      if (k == shown.count && !shown.others) continue;
      if (k == shown.count + 1 && !summary->has_missing) continue;
      uint64_t number = sums[i * side + k];
      ee_ink ink = i == k && i < shown.count ? EE_INK_GREEN : EE_INK_PLAIN;
      cells[at++] = ee_cell_count_dim(arena, number, ink);
    }
  }
}

/* JSON ------------------------------------------------------------------------------------------ */

void ee_label_matrix_json(ee_json_out *json, const ee_label_summary *summary) {
  size_t count = summary->count + summary->has_other, nothing = summary->count + 1;
  ee_json_open(json, "confusion", '{');
  ee_json_open_as(json, "labels", '[', EE_JSON_LINE);
  for (size_t i = 0; i < summary->count; i++) ee_json_add_text(json, NULL, summary->labels[i]);
  if (summary->has_other) ee_json_add_text(json, NULL, EE_STR("(other)"));
  ee_json_close(json, ']');
  if (summary->has_other) ee_json_add_bool(json, "others", true);
  ee_json_open(json, "counts", '[');
  for (size_t i = 0; i < count; i++) {
    ee_json_open_as(json, NULL, '[', EE_JSON_LINE);
    for (size_t k = 0; k < count; k++) ee_json_add_count(json, NULL, ee_label_summary_at(summary, i, k));
    ee_json_close(json, ']');
  }
  ee_json_close(json, ']');
  ee_json_open_as(json, "missing", '[', EE_JSON_LINE);
  for (size_t i = 0; i < count; i++) ee_json_add_count(json, NULL, ee_label_summary_at(summary, i, nothing));
  ee_json_close(json, ']');
  ee_json_open_as(json, "spurious", '[', EE_JSON_LINE);
  for (size_t i = 0; i < count; i++) ee_json_add_count(json, NULL, ee_label_summary_at(summary, nothing, i));
  ee_json_close(json, ']');
  ee_json_close(json, '}');
}

/* CSV ------------------------------------------------------------------------------------------- */

/* "A" in quotes, (other), or nothing. */
static void add_name(ee_buffer *out, const ee_label_summary *summary, size_t number) {
  if (number < summary->count)
    ee_buffer_addf(out, "\"%.*s\"", EE_STR_ARG(summary->labels[number]));
  else
    ee_buffer_add_text(out, number == summary->count ? "(other)" : "nothing");
}

void ee_label_matrix_csv(ee_buffer *out, ee_str judge, const ee_label_summary *summary, const char *tail) {
  ee_buffer name;
  ee_buffer_init(&name);
  for (size_t i = 0; i < summary->count + 2; i++) {
    for (size_t k = 0; k < summary->count + 2; k++) {
      uint64_t count = ee_label_summary_at(summary, i, k);
      if (count == 0) continue;
      ee_buffer_clear(&name);
      ee_buffer_add_text(&name, "(confusion) ");
      add_name(&name, summary, i);
      ee_buffer_add_text(&name, " as ");
      add_name(&name, summary, k);
      ee_csv_add_text(out, judge);
      ee_buffer_add_char(out, ',');
      ee_csv_add_text(out, (ee_str){name.data, name.length});
      /* tp, tn, fp, fn, wrong */
      bool spurious = i == summary->count + 1, missing = k == summary->count + 1, right = i == k && i < summary->count;
      size_t column = right ? 0 : spurious ? 2 : missing ? 3 : 4;
      for (size_t c = 0; c < 5; c++) {
        ee_buffer_add_char(out, ',');
        if (c == column) ee_buffer_add_u64(out, count);
      }
      ee_buffer_addf(out, ",,,,,,,,,,,,,%s\n", tail);
    }
  }
  ee_buffer_fini(&name);
}
