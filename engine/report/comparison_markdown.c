/* comparison_markdown.c: a comparison as a comment on a change. */
#include <ctype.h>
#include <inttypes.h>

#include "report/comparison_parts.h"
#include "report/markdown.h"

static ee_str text_of(const char *text) { return ee_str_from(text); }

static ee_str code(ee_arena *arena, ee_str text) { return ee_markdown_code(arena, text); }

static void add_line(ee_buffer *out, const char *text) {
  ee_buffer_add_text(out, text);
  ee_buffer_add_char(out, '\n');
}

/* "### Worse: mean score 0.912 -> 0.887 (-0.025, 95 % [-0.041, -0.010])" */
static void add_headline(const ee_comparison *comparison, ee_arena *arena, ee_buffer *out) {
  const ee_estimate *score = &comparison->score;
  const char *finding = ee_comparison_finding(comparison);
  ee_buffer_addf(out, "### %c%s%s: mean score %s \xe2\x86\x92 %s", toupper((unsigned char)*finding), finding + 1,
                 ee_comparison_excuse(comparison, arena), ee_comparison_share(arena, score->before),
                 ee_comparison_share(arena, score->after));
  if (comparison->finding != EE_RUNS_EQUAL)
    ee_buffer_addf(out, " (%s, 95 %% %s)", ee_comparison_signed(arena, score->change),
                   ee_comparison_signed_range(arena, score->change_range));
  add_line(out, "\n");
}

static void add_sentence(const ee_comparison *comparison, ee_arena *arena, ee_buffer *out) {
  ee_buffer_add_str(out, code(arena, text_of(ee_comparison_name(comparison, EE_SIDE_BASE))));
  ee_buffer_add_text(out, " \xe2\x86\x92 ");
  ee_buffer_add_str(out, code(arena, text_of(ee_comparison_name(comparison, EE_SIDE_NEW))));
  ee_buffer_addf(out, ", %zu case%s: %" PRIu64 " won, %" PRIu64 " lost, %" PRIu64 " tied", comparison->case_count,
                 comparison->case_count == 1 ? "" : "s", comparison->outcomes[EE_OUTCOME_WIN],
                 comparison->outcomes[EE_OUTCOME_LOSS], comparison->outcomes[EE_OUTCOME_TIE]);
  if (comparison->options.threshold > 0) ee_buffer_addf(out, " (from %g on)", comparison->options.threshold);
  ee_buffer_addf(out, "; passes: %" PRIu64 " gained, %" PRIu64 " lost (McNemar %s)", comparison->pass_fixed,
                 comparison->pass_broken,
                 comparison->pass_p < 0.001 ? "p &lt; 0.001" : ee_comparison_p(arena, comparison->pass_p));
  ee_buffer_addf(out, "; fields: %" PRIu64 " fixed, %" PRIu64 " broken", comparison->fixed, comparison->broken);
  ee_buffer_addf(out, "; mean normalised gain %s.\n\n", ee_comparison_signed(arena, comparison->gain));
}

/* What its name says is code: it may hold an id. */
static void add_failure(const ee_comparison *comparison, ee_arena *arena, ee_buffer *out) {
  if (comparison->failure == NULL) return;
  ee_buffer_addf(out, "**Fails** (`--fail-on %s`): ", ee_fail_on_name(comparison->options.fail_on));
  ee_buffer_add_str(out, code(arena, text_of(comparison->failure)));
  add_line(out, "\n");
}

static void add_figures(const ee_comparison *comparison, ee_arena *arena, ee_buffer *out) {
  static const char *const names[] = {"", "base", "95 %", "new", "95 %", "change", "95 %"};
  ee_compared_figure *rows;
  size_t count = ee_comparison_figures(comparison, arena, &rows);
  ee_markdown_table table;
  ee_markdown_start(&table, arena, names, 7, 1);
  for (size_t i = 0; i < count; i++) {
    const ee_estimate *values = &rows[i].values;
    ee_str *cells = ee_markdown_add(&table), judge = code(arena, rows[i].judge);
    cells[0] = rows[i].judge.length == 0
                   ? text_of(rows[i].what)
                   : text_of(ee_arena_printf(arena, "%.*s %s", (int)judge.length, judge.data, rows[i].what));
    cells[1] = text_of(ee_comparison_share(arena, values->before));
    cells[2] = text_of(ee_comparison_range(arena, values->before_range));
    cells[3] = text_of(ee_comparison_share(arena, values->after));
    cells[4] = text_of(ee_comparison_range(arena, values->after_range));
    cells[5] = ee_markdown_bold(arena, text_of(ee_comparison_signed(arena, values->change)));
    cells[6] = text_of(ee_comparison_signed_range(arena, values->change_range));
  }
  ee_markdown_print(&table, out);
}

/* Lists to be opened --------------------------------------------------------------------------- */

static void open_details(ee_buffer *out) { ee_buffer_add_text(out, "\n<details><summary>"); }
static void open_body(ee_buffer *out) { ee_buffer_add_text(out, "</summary>\n\n"); }

static void close_details(ee_buffer *out, size_t more) {
  if (more > 0) ee_buffer_addf(out, "\n%zu more.\n", more);
  ee_buffer_add_text(out, "\n</details>\n");
}

static void add_field(ee_markdown_table *table, const ee_comparison *comparison, const ee_compared_field *field,
                      bool degrees) {
  ee_arena *arena = table->arena;
  ee_str *cells = ee_markdown_add(table);
  *cells++ = code(arena, ee_comparison_field_name(comparison, field, arena));
  *cells++ = ee_markdown_count(arena, field->fixed);
  *cells++ = ee_markdown_count(arena, field->broken);
  *cells++ = ee_markdown_count(arena, field->still_wrong);
  *cells++ = ee_markdown_count(arena, field->still_right);
  *cells++ = ee_markdown_metric(arena, ee_f1_ranked(&field->before));
  *cells++ = ee_markdown_metric(arena, ee_f1_ranked(&field->after));
  if (!degrees) return;
  *cells++ = ee_markdown_count(arena, field->fewer);
  *cells++ = ee_markdown_count(arena, field->more);
}

static void add_fields(const ee_comparison *comparison, ee_arena *arena, ee_buffer *out) {
  static const char *const names[] = {"field",   "fixed",  "broken",       "still wrong", "still right",
                                      "base F1", "new F1", "fewer errors", "more errors"};
  size_t *order, count = ee_comparison_rank_fields(comparison, arena, &order);
  size_t shown = ee_comparison_shown(comparison, count);
  if (count == 0) return;
  open_details(out);
  ee_buffer_addf(out, "%zu field%s changed, %zu did not", count, count == 1 ? "" : "s",
                 comparison->field_count - count);
  open_body(out);
  bool degrees = ee_comparison_has_degrees(comparison);
  ee_markdown_table table;
  ee_markdown_start(&table, arena, names, degrees ? 9 : 7, 1);
  for (size_t i = 0; i < shown; i++) add_field(&table, comparison, &comparison->fields[order[i]], degrees);
  ee_markdown_print(&table, out);
  close_details(out, count - shown);
}

static void add_cases(const ee_comparison *comparison, const char *word, const size_t *order, size_t count,
                      ee_arena *arena, ee_buffer *out) {
  static const char *const names[] = {"case", "what changed", "base", "new", "change"};
  size_t shown = ee_comparison_shown(comparison, count);
  if (count == 0) return;
  open_details(out);
  size_t ties = ee_comparison_ties(comparison, order, count);
  ee_buffer_addf(out, "%zu case%s got %s", count, count == 1 ? "" : "s", word);
  if (ties > 0) ee_buffer_addf(out, " (%zu tied)", ties);
  open_body(out);
  ee_markdown_table table;
  ee_markdown_start(&table, arena, names, 5, 2);
  for (size_t i = 0; i < shown; i++) {
    const ee_compared_case *item = &comparison->cases[order[i]];
    ee_str *cells = ee_markdown_add(&table);
    cells[0] = code(arena, item->base->id);
    cells[1] = ee_comparison_changes(comparison, item, ee_markdown_code, arena);
    cells[2] = ee_markdown_metric(arena, (ee_metric){true, item->base->score});
    cells[3] = ee_markdown_metric(arena, (ee_metric){true, item->fresh->score});
    cells[4] = text_of(ee_comparison_signed(arena, (ee_metric){true, item->delta}));
  }
  ee_markdown_print(&table, out);
  close_details(out, count - shown);
}

static void add_notes(const ee_comparison *comparison, ee_arena *arena, ee_buffer *out) {
  if (comparison->notes.count == 0) return;
  open_details(out);
  ee_buffer_addf(out, "%zu note%s on the data", comparison->notes.count, comparison->notes.count == 1 ? "" : "s");
  open_body(out);
  for (size_t i = 0; i < comparison->notes.count; i++) {
    ee_buffer_add_text(out, "- ");
    ee_buffer_add_str(out, code(arena, text_of(comparison->notes.items[i])));
    ee_buffer_add_char(out, '\n');
  }
  close_details(out, 0);
}

void ee_comparison_markdown(const ee_comparison *comparison, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  add_headline(comparison, &arena, out);
  add_sentence(comparison, &arena, out);
  add_failure(comparison, &arena, out);
  add_figures(comparison, &arena, out);
  add_fields(comparison, &arena, out);
  size_t *order, count = ee_comparison_worse(comparison, &arena, &order);
  add_cases(comparison, "worse", order, count, &arena, out);
  count = ee_comparison_better(comparison, &arena, &order);
  add_cases(comparison, "better", order, count, &arena, out);
  add_notes(comparison, &arena, out);
  ee_arena_fini(&arena);
}
