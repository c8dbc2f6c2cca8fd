/* comparison_table.c: a comparison for people: the finding first, then the figures, then where they come from. */
#include <inttypes.h>

#include "prim/unicode.h"
#include "report/comparison_parts.h"
#include "report/table_parts.h"

/* Narrower terminals do without the intervals of the two runs, since that of the change matters more, and without what
 * stayed as it was. */
#define WIDE_COLUMNS 100
/* What happened to a case, where lines may be as long as they like, and at least. */
#define CHANGES_COLUMNS 80
#define FEWEST_CHANGES_COLUMNS 24
/* What stands left of that beside the id, which takes so much at most where both do not fit. */
#define FIGURE_COLUMNS 26
#define ID_COLUMNS 20
/* Ids and names, where lines may be as long as they like. */
#define LONGEST_NAME 60

static void add_plain(ee_layout *layout, const char *text) { ee_buffer_add_text(layout->out, text); }

static ee_cell text_cell(const char *text, ee_ink ink) { return (ee_cell){ee_str_from(text), ink}; }

static void add_head(ee_grid *grid, const char *const *names) {
  ee_cell *cells = ee_grid_add(grid);
  for (size_t i = 0; i < grid->columns; i++) cells[i] = text_cell(names[i], EE_INK_DIM);
}

/* A terminal shortens the column as far as it must. */
static ee_cell name_cell(ee_layout *layout, ee_str name, ee_ink ink) {
  ee_cell cell = ee_cell_text(layout, name.length > 0 ? name : EE_STR("\"\""), ink);
  if (layout->style.width == 0) cell.text = ee_text_shorten(cell.text, LONGEST_NAME, layout->arena);
  return cell;
}

static bool is_wide(const ee_layout *layout) { return layout->style.width == 0 || layout->style.width >= WIDE_COLUMNS; }

static ee_ink ink_of_change(ee_metric change) {
  if (!change.defined || (change.value >= -EE_SCORE_SLACK && change.value <= EE_SCORE_SLACK)) return EE_INK_DIM;
  return change.value < 0 ? EE_INK_RED : EE_INK_GREEN;
}

/* Behind the grid and not in it, where it would widen the column of names. */
static void add_more(ee_layout *layout, size_t count) {
  if (count == 0) return;
  add_plain(layout, "  ");
  const char *text = ee_arena_printf(layout->arena, "%zu more: --verbose, --format json", count);
  ee_layout_add(layout, EE_INK_DIM, ee_str_from(text));
  ee_table_end_line(layout);
}

/* The head ------------------------------------------------------------------------------------- */

static void add_finding(ee_layout *layout, const ee_comparison *comparison) {
  static const ee_ink inks[] = {[EE_RUNS_EQUAL] = EE_INK_BOLD,
                                [EE_RUNS_BETTER] = EE_INK_GREEN,
                                [EE_RUNS_WORSE] = EE_INK_RED,
                                [EE_RUNS_UNDECIDED] = EE_INK_YELLOW};
  ee_layout_add(layout, inks[comparison->finding], ee_str_from(ee_comparison_finding(comparison)));
  add_plain(layout, ee_comparison_excuse(comparison, layout->arena));
  add_plain(layout, "  ");
  for (int side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++) {
    ee_str name = ee_str_from(ee_comparison_name(comparison, (ee_side)side));
    if (side == EE_SIDE_NEW) add_plain(layout, " \xe2\x86\x92 ");
    ee_layout_add(layout, EE_INK_PLAIN, ee_text_printable(name, layout->arena));
  }
  ee_table_end_line(layout);
}

static void add_outcomes(ee_layout *layout, const ee_comparison *comparison) {
  ee_table_end_line(layout);
  ee_buffer_addf(layout->out, "cases %zu", comparison->case_count);
  ee_table_figure(layout, "won", comparison->outcomes[EE_OUTCOME_WIN], EE_INK_GREEN);
  ee_table_figure(layout, "lost", comparison->outcomes[EE_OUTCOME_LOSS], EE_INK_RED);
  ee_table_figure(layout, "tied", comparison->outcomes[EE_OUTCOME_TIE], EE_INK_PLAIN);
  if (comparison->options.threshold > 0) ee_buffer_addf(layout->out, "  (from %g on)", comparison->options.threshold);
  ee_buffer_addf(layout->out, "  normalised gain %s", ee_comparison_signed(layout->arena, comparison->gain));
  if (comparison->gains < comparison->case_count)
    ee_buffer_addf(layout->out, " (of %" PRIu64 " case%s)", comparison->gains, comparison->gains == 1 ? "" : "s");
  ee_table_end_line(layout);
}

static void add_figures(ee_layout *layout, const ee_comparison *comparison) {
  static const char *const wide[] = {"", "base", "(95 %)", "new", "(95 %)", "change", "(95 %)"};
  static const char *const narrow[] = {"", "base", "new", "change", "(95 %)"};
  bool intervals = is_wide(layout);
  ee_arena *arena = layout->arena;
  ee_compared_figure *rows;
  size_t count = ee_comparison_figures(comparison, arena, &rows);
  ee_grid grid;
  ee_grid_start(&grid, layout, intervals ? 7 : 5, 2);
  add_head(&grid, intervals ? wide : narrow);
  for (size_t i = 0; i < count; i++) {
    const ee_estimate *values = &rows[i].values;
    ee_cell *cells = ee_grid_add(&grid);
    ee_str judge = rows[i].judge;
    const char *name = judge.length == 0 ? rows[i].what
                                         : ee_arena_printf(arena, "%.*s: %s", (int)ee_utf8_cut(judge, LONGEST_NAME),
                                                           judge.data, rows[i].what);
    *cells++ = ee_cell_text(layout, ee_str_from(name), EE_INK_PLAIN);
    *cells++ = ee_cell_metric(layout, values->before, EE_INK_PLAIN);
    if (intervals) *cells++ = text_cell(ee_comparison_range(arena, values->before_range), EE_INK_DIM);
    *cells++ = ee_cell_metric(layout, values->after, EE_INK_BOLD);
    if (intervals) *cells++ = text_cell(ee_comparison_range(arena, values->after_range), EE_INK_DIM);
    *cells++ = text_cell(ee_comparison_signed(arena, values->change), ink_of_change(values->change));
    *cells++ = text_cell(ee_comparison_signed_range(arena, values->change_range), EE_INK_PLAIN);
  }
  ee_grid_print(&grid);
}

/* Passes and verdicts; the table only where anything moved. */
static void add_verdicts(ee_layout *layout, const ee_comparison *comparison) {
  const uint64_t kept = comparison->verdicts[EE_VERDICT_PASS][EE_VERDICT_PASS];
  uint64_t same = 0;
  add_plain(layout, "\npasses");
  ee_table_figure(layout, "kept", kept, EE_INK_PLAIN);
  ee_table_figure(layout, "gained", comparison->pass_fixed, EE_INK_GREEN);
  ee_table_figure(layout, "lost", comparison->pass_broken, EE_INK_RED);
  ee_buffer_addf(layout->out, "  McNemar %s\n", ee_comparison_p(layout->arena, comparison->pass_p));
  for (size_t i = 0; i < 3; i++) same += comparison->verdicts[i][i];
  if (same == comparison->case_count) return;
  static const char *const names[] = {"base \xe2\x86\x92 new", "pass", "borderline", "fail"};
  ee_grid grid;
  ee_grid_start(&grid, layout, 4, 2);
  add_head(&grid, names);
  for (size_t before = 0; before < 3; before++) {
    ee_cell *cells = ee_grid_add(&grid);
    cells[0] = text_cell(ee_verdict_name((ee_verdict)before), EE_INK_PLAIN);
    for (size_t after = 0; after < 3; after++) {
      uint64_t cases = comparison->verdicts[before][after];
      ee_ink ink = cases == 0 ? EE_INK_DIM : after > before ? EE_INK_RED : after < before ? EE_INK_GREEN : EE_INK_PLAIN;
      cells[after + 1] = ee_cell_count(layout, cases, ink);
    }
  }
  ee_grid_print(&grid);
}

static void add_notes(ee_layout *layout, const ee_comparison *comparison) {
  if (comparison->notes.count > 0) ee_table_end_line(layout);
  for (size_t i = 0; i < comparison->notes.count; i++) {
    ee_layout_add(layout, EE_INK_YELLOW, EE_STR("note"));
    add_plain(layout, "  ");
    ee_layout_add(layout, EE_INK_PLAIN, ee_text_printable(ee_str_from(comparison->notes.items[i]), layout->arena));
    ee_table_end_line(layout);
  }
}

/* Fields --------------------------------------------------------------------------------------- */

/* Which columns stand in the table of fields. */
typedef struct field_columns {
  bool degrees; /* "fewer" and "more" errors: some field is still wrong, but not as before */
  bool still_right;
  size_t count;
} field_columns;

static field_columns choose_columns(const ee_layout *layout, const ee_comparison *comparison) {
  bool wide = is_wide(layout), degrees = wide && ee_comparison_has_degrees(comparison);
  return (field_columns){degrees, wide, 7 + (size_t)wide + (degrees ? 2 : 0)};
}

static void add_field_head(ee_grid *grid, field_columns columns) {
  const char *names[EE_GRID_COLUMNS], **next = names;
  *next++ = "field";
  *next++ = "fixed";
  *next++ = "broken";
  *next++ = "still wrong";
  if (columns.degrees) *next++ = "fewer errors";
  if (columns.degrees) *next++ = "more";
  if (columns.still_right) *next++ = "still right";
  *next++ = "base F1";
  *next++ = "new F1";
  *next++ = "change";
  add_head(grid, names);
}

static ee_cell count_cell(ee_layout *layout, uint64_t count, ee_ink ink) {
  return ee_cell_count(layout, count, count > 0 ? ink : EE_INK_DIM);
}

static void add_field(ee_grid *grid, const ee_comparison *comparison, const ee_compared_field *field,
                      field_columns columns) {
  ee_layout *layout = grid->layout;
  ee_cell *cells = ee_grid_add(grid);
  ee_metric before = ee_f1_ranked(&field->before), after = ee_f1_ranked(&field->after);
  ee_metric change = {before.defined && after.defined, after.value - before.value};
  ee_ink ink = field->broken > field->fixed ? EE_INK_RED : field->broken < field->fixed ? EE_INK_GREEN : EE_INK_PLAIN;
  *cells++ = name_cell(layout, ee_comparison_field_name(comparison, field, layout->arena), ink);
  *cells++ = count_cell(layout, field->fixed, EE_INK_GREEN);
  *cells++ = count_cell(layout, field->broken, EE_INK_RED);
  *cells++ = count_cell(layout, field->still_wrong, EE_INK_PLAIN);
  if (columns.degrees) *cells++ = count_cell(layout, field->fewer, EE_INK_GREEN);
  if (columns.degrees) *cells++ = count_cell(layout, field->more, EE_INK_RED);
  if (columns.still_right) *cells++ = count_cell(layout, field->still_right, EE_INK_PLAIN);
  *cells++ = ee_cell_metric(layout, before, EE_INK_PLAIN);
  *cells++ = ee_cell_metric(layout, after, EE_INK_BOLD);
  *cells++ = text_cell(ee_comparison_signed(layout->arena, change), ink_of_change(change));
}

static void add_fields(ee_layout *layout, const ee_comparison *comparison) {
  if (comparison->field_count == 0) return;
  size_t *order, count = ee_comparison_rank_fields(comparison, layout->arena, &order);
  size_t shown = ee_comparison_shown(comparison, count), unchanged = comparison->field_count - count;
  add_plain(layout, "\n");
  ee_layout_add(layout, EE_INK_BOLD, EE_STR("fields"));
  ee_buffer_addf(layout->out, "  changed %zu  unchanged %zu\n", count, unchanged);
  if (count == 0) return;
  field_columns columns = choose_columns(layout, comparison);
  ee_grid grid;
  ee_grid_start(&grid, layout, columns.count, 2);
  add_field_head(&grid, columns);
  for (size_t i = 0; i < shown; i++) add_field(&grid, comparison, &comparison->fields[order[i]], columns);
  ee_grid_print(&grid);
  add_more(layout, count - shown);
}

/* Cases ---------------------------------------------------------------------------------------- */

static ee_str printable_name(ee_arena *arena, ee_str name) {
  return ee_text_shorten(ee_text_printable(name, arena), LONGEST_NAME, arena);
}

/* Room for what happened to a case. */
static size_t changes_columns(const ee_layout *layout, const ee_comparison *comparison, const size_t *order,
                              size_t shown) {
  size_t width = layout->style.width, taken = 2; /* an id that is empty is "" */
  if (width == 0) return CHANGES_COLUMNS;
  for (size_t i = 0; i < shown && taken < ID_COLUMNS; i++) {
    size_t id = ee_text_width(ee_text_printable(comparison->cases[order[i]].base->id, layout->arena));
    if (id > taken) taken = id;
  }
  taken = FIGURE_COLUMNS + (taken < ID_COLUMNS ? taken : ID_COLUMNS);
  return width > taken + FEWEST_CHANGES_COLUMNS ? width - taken : FEWEST_CHANGES_COLUMNS;
}

/* The start of `text` in at most `columns`: what is worst stands there. */
static ee_str cut(ee_str text, size_t columns, ee_arena *arena) {
  if (ee_text_width(text) <= columns) return text;
  size_t end = 0, width = 0;
  while (end < text.length) {
    uint32_t code_point;
    size_t length = ee_utf8_decode(text.data + end, text.length - end, &code_point);
    width += ee_text_width((ee_str){text.data + end, length});
    if (length == 0 || width + 1 > columns) break;
    end += length;
  }
  return ee_str_from(ee_arena_printf(arena, "%.*s\xe2\x80\xa6", (int)end, text.data));
}

static void add_cases(ee_layout *layout, const ee_comparison *comparison, const char *title, const size_t *order,
                      size_t count, ee_ink ink) {
  static const char *const names[] = {"id", "base", "new", "change", "what changed"};
  if (count == 0) return;
  size_t shown = ee_comparison_shown(comparison, count), room = changes_columns(layout, comparison, order, shown);
  add_plain(layout, "\n");
  ee_layout_add(layout, EE_INK_BOLD, ee_str_from(title));
  size_t ties = ee_comparison_ties(comparison, order, count);
  ee_buffer_addf(layout->out, "  %zu", count);
  if (ties > 0) ee_buffer_addf(layout->out, "  (%zu tied)", ties);
  ee_table_end_line(layout);
  ee_grid grid;
  ee_grid_start(&grid, layout, 5, 2);
  grid.bars = true;
  add_head(&grid, names);
  for (size_t i = 0; i < shown; i++) {
    const ee_compared_case *item = &comparison->cases[order[i]];
    ee_metric change = {true, item->delta};
    ee_str changes = ee_comparison_changes(comparison, item, printable_name, layout->arena);
    ee_cell *cells = ee_grid_add(&grid);
    cells[0] = name_cell(layout, item->base->id, ink);
    cells[1] = ee_cell_score(layout, item->base->score, EE_INK_PLAIN);
    cells[2] = ee_cell_score(layout, item->fresh->score, EE_INK_BOLD);
    cells[3] = text_cell(ee_comparison_signed(layout->arena, change), ink_of_change(change));
    cells[4] = (ee_cell){cut(changes, room, layout->arena), EE_INK_PLAIN};
  }
  ee_grid_print(&grid);
  add_more(layout, count - shown);
}

void ee_comparison_table(const ee_comparison *comparison, ee_table_style style, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_layout layout = {out, &arena, style};
  add_finding(&layout, comparison);
  add_figures(&layout, comparison);
  add_outcomes(&layout, comparison);
  add_verdicts(&layout, comparison);
  add_notes(&layout, comparison);
  add_fields(&layout, comparison);
  size_t *order, count = ee_comparison_worse(comparison, &arena, &order);
  add_cases(&layout, comparison, "worse", order, count, EE_INK_RED);
  count = ee_comparison_better(comparison, &arena, &order);
  add_cases(&layout, comparison, "better", order, count, EE_INK_GREEN);
  ee_arena_fini(&arena);
}
