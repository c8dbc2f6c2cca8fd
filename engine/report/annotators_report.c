/* annotators_report.c: the agreement of two annotators as a page, as JSON and as CSV. */
#include "report/annotators_report.h"

#include <evalengine.h>
#include <inttypes.h>
#include <math.h>

#include "judge/plan.h"
#include "prim/unicode.h"
#include "report/csv.h"
#include "report/json_out.h"

/* Columns of a text of the data on a page. */
#define VALUE_COLUMNS 40
#define LINE_COLUMNS 60

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

static ee_str judge_name(const ee_annotators_report *report, size_t judge) { return report->plan->judges[judge]->name; }

/* The page ---------------------------------------------------------------------------------------- */

static void add_name(ee_page *page, ee_line *line, const char *role, const char *file) {
  ee_line_addf(page, line, EE_INK_BOLD, "%s ", role);
  ee_line_add(page, line, (ee_cell){.text = ee_str_from(file), .kind = EE_CELL_QUOTE});
}

static void add_records(ee_page *page, const ee_annotators_summary *summary) {
  const ee_annotators_report *report = summary->report;
  ee_line *line = ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_PARAGRAPH);
  ee_line_addf(page, line, EE_INK_PLAIN, "%" PRIu64 " record%s of both annotators", report->cases,
               plural(report->cases));
  if (report->units != report->cases)
    ee_line_addf(page, line, EE_INK_PLAIN, " in %" PRIu64 " cluster%s", report->units, plural(report->units));
  if (summary->rules == NULL) ee_line_addf(page, line, EE_INK_PLAIN, ", judged by rules suggested by the data");
  const struct {
    uint64_t count;
    const char *text;
  } problems[] = {{summary->only_first, "only of A"},
                  {summary->only_second, "only of B"},
                  {summary->without_answer, "without an answer of the model"},
                  {summary->unreadable, "could not be read"}};
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
    if (problems[i].count > 0)
      ee_line_addf(page, line, EE_INK_YELLOW, ", %" PRIu64 " %s", problems[i].count, problems[i].text);
}

static void add_ranged(ee_page *page, ee_line *line, ee_ranged ranged) {
  ee_line_add(page, line, ee_cell_ranged(&page->arena, ranged, EE_INK_BOLD));
}

static void add_head(ee_page *page, const ee_annotators_summary *summary) {
  const ee_annotators_report *report = summary->report;
  ee_line *line = ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_TITLE);
  add_name(page, line, "agreement of A", summary->first);
  add_name(page, line, " and B", summary->second);
  add_records(page, summary);
  line = ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_PARAGRAPH);
  ee_line_addf(page, line, EE_INK_PLAIN, "same in %" PRIu64 " of %" PRIu64 " values: ", report->agreed, report->values);
  add_ranged(page, line, report->agreement);
  ee_line_addf(page, line, EE_INK_PLAIN, " (%s); in all values of %" PRIu64 " of %" PRIu64 " records",
               ee_confidence_text(&page->arena, report->confidence), report->perfect, report->cases);
  line = ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_PARAGRAPH);
  ee_line_addf(page, line, EE_INK_PLAIN, "mean score of B against A ");
  add_ranged(page, line, report->score);
  ee_line_addf(page, line, EE_INK_PLAIN, ", of A against B ");
  ee_line_add(page, line, ee_cell_metric(&page->arena, report->reverse_score, EE_INK_BOLD));
}

enum { NAME, SAME, DIFFER, ONLY_A, ONLY_B, AGREEMENT, F1, KAPPA, COLUMNS };

static void add_field(ee_grid *grid, const ee_field_agreement *field) {
  const ee_counts *counts = &field->counts;
  ee_cell *cells = ee_grid_add(grid);
  cells[NAME] = ee_cell_data(field->name, EE_INK_PLAIN);
  cells[SAME] = ee_cell_count(grid->arena, counts->tp + counts->tn, EE_INK_PLAIN);
  cells[DIFFER] = ee_cell_count_dim(grid->arena, counts->wrong, EE_INK_PLAIN);
  cells[ONLY_A] = ee_cell_count_dim(grid->arena, counts->fn - counts->wrong, EE_INK_PLAIN);
  cells[ONLY_B] = ee_cell_count_dim(grid->arena, counts->fp - counts->wrong, EE_INK_PLAIN);
  cells[AGREEMENT] = ee_cell_ranged(grid->arena, field->agreement, EE_INK_PLAIN);
  cells[F1] = ee_cell_metric(grid->arena, field->f1.metric, EE_INK_PLAIN);
  cells[KAPPA] = field->no_kappa != NULL
                     ? ee_cell_words("-", EE_INK_DIM)
                     : ee_cell_words(ee_arena_printf(grid->arena, "%.3f", field->kappa.value), EE_INK_PLAIN);
}

/* "total, number, date and 3 more" of the fields without a kappa for one reason, or with directions that differ. */
static const char *names_of(const ee_annotators_report *report, size_t judge, const char *reason, bool one_way,
                            ee_arena *arena) {
  const char *text = "";
  size_t count = 0;
  for (size_t i = 0; i < report->field_count; i++) {
    const ee_field_agreement *field = &report->fields[i];
    // cppcheck-suppress nullPointer; NULL only with `one_way`
    bool named = one_way ? field->one_way : field->no_kappa != NULL && strcmp(field->no_kappa, reason) == 0;
    if (field->judge != judge || !named || count++ >= 5) continue;
    ee_str name = ee_text_shorten(ee_text_printable(field->name, arena), VALUE_COLUMNS, arena);
    const char *f1 = one_way ? ee_arena_printf(arena, " (F1 of B against A %.3f, of A against B %.3f)",
                                               field->f1.metric.value, field->reverse_f1.value)
                             : "";
    text = ee_arena_printf(arena, "%s%s%.*s%s", text, count > 1 ? ", " : "", EE_STR_ARG(name), f1);
  }
  return count > 5 ? ee_arena_printf(arena, "%s and %zu more", text, count - 5) : text;
}

/* Why fields have no kappa, each reason once, and which directions differ. */
static void add_field_notes(ee_page *page, const ee_annotators_report *report, size_t first, size_t end) {
  ee_arena *arena = &page->arena;
  size_t judge = report->fields[first].judge, count = 0;
  ee_str *notes = EE_NEW_ARRAY(arena, ee_str, end - first + 1);
  for (size_t i = first; i < end; i++) {
    const char *reason = report->fields[i].no_kappa;
    bool known = reason == NULL;
    for (size_t k = first; k < i && !known; k++)
      known = report->fields[k].no_kappa != NULL && strcmp(report->fields[k].no_kappa, reason) == 0;
    if (!known)
      notes[count++] = ee_str_from(
          ee_arena_printf(arena, "no kappa: %s: %s", reason, names_of(report, judge, reason, false, arena)));
  }
  const char *names = names_of(report, judge, NULL, true, arena);
  if (*names != '\0')
    notes[count++] = ee_str_from(ee_arena_printf(arena, "judged differently when A and B are exchanged: %s", names));
  ee_page_notes(page, EE_MEDIUM_ALL, notes, count);
}

static void add_fields(ee_page *page, const ee_annotators_report *report) {
  static const ee_column columns[COLUMNS] = {{.name = "attribute", .left = true, .name_column = true},
                                             {.name = "same"},
                                             {.name = "differ"},
                                             {.name = "only A"},
                                             {.name = "only B"},
                                             {.name = "agreement"},
                                             {.name = "F1", .spare = 1},
                                             {.name = "kappa"}};
  ee_page_section(page, EE_STR("fields"));
  for (size_t i = 0, end; i < report->field_count; i = end) {
    size_t judge = report->fields[i].judge;
    ee_page_space(page);
    ee_line *line = ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_HEADING);
    ee_line_add(page, line, ee_cell_data(judge_name(report, judge), EE_INK_BOLD));
    ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, COLUMNS);
    for (end = i; end < report->field_count && report->fields[end].judge == judge; end++)
      add_field(grid, &report->fields[end]);
    add_field_notes(page, report, i, end);
  }
}

/* The ceiling ------------------------------------------------------------------------------------- */

static const char *p_text(double p, ee_arena *arena) {
  if (isnan(p)) return "-";
  return p < 0.001 ? "< 0.001" : ee_arena_printf(arena, "%.3f", p);
}

static void add_check(ee_grid *grid, ee_str name, ee_cell_kind kind, const ee_ceiling_check *check) {
  static const ee_ink inks[] = {EE_INK_DIM, EE_INK_DIM, EE_INK_GREEN, EE_INK_RED, EE_INK_YELLOW};
  ee_cell *cells = ee_grid_add(grid);
  cells[0] = kind == EE_CELL_DATA ? ee_cell_data(name, EE_INK_PLAIN) : ee_cell_words(name.data, EE_INK_BOLD);
  cells[1] = ee_cell_metric(grid->arena, check->annotator.metric, EE_INK_PLAIN);
  cells[2] = ee_cell_metric(grid->arena, check->model.metric, EE_INK_PLAIN);
  const char *change = "-";
  if (check->difference.metric.defined) {
    ee_interval interval = check->difference.interval;
    change = ee_arena_printf(grid->arena, "%+.3f", check->difference.metric.value);
    if (ee_interval_is_known(interval))
      change = ee_arena_printf(grid->arena, "%s [%+.3f, %+.3f]", change, interval.low, interval.high);
  }
  cells[3] = ee_cell_words(change, EE_INK_PLAIN);
  cells[4] = ee_cell_words(p_text(check->p_adjusted, grid->arena), EE_INK_PLAIN);
  cells[5] = ee_cell_words(ee_ceiling_name(check->ceiling), inks[check->ceiling]);
}

static void add_ceiling(ee_page *page, const ee_annotators_summary *summary) {
  static const ee_column columns[] = {{.name = "against A", .left = true, .name_column = true},
                                      {.name = "B"},
                                      {.name = "model"},
                                      {.name = "model - B"},
                                      {.name = "p (Holm)"},
                                      {.name = "the model is", .left = true}};
  const ee_annotators_report *report = summary->report;
  if (!report->has_model) return;
  ee_page_section(page, EE_STR("ceiling"));
  ee_page_space(page);
  ee_line *line = ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_HEADING);
  ee_line_addf(page, line, EE_INK_BOLD, "the ceiling: what B scores against A, and model ");
  ee_line_add(page, line, (ee_cell){.text = ee_str_from(summary->model), .kind = EE_CELL_QUOTE, .ink = EE_INK_BOLD});
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, sizeof columns / sizeof *columns);
  add_check(grid, EE_STR("mean score"), EE_CELL_WORDS, &report->check);
  for (size_t i = 0; i < report->field_count; i++)
    add_check(grid, report->fields[i].name, EE_CELL_DATA, &report->fields[i].check);
  static const char text[] = "of fields F1; at the ceiling: as good as B against A, to 0.05; undecided: these records "
                             "neither show a difference nor rule one out";
  static const ee_str notes[] = {{text, sizeof text - 1}};
  ee_page_notes(page, EE_MEDIUM_ALL, notes, 1);
}

/* Disagreements ----------------------------------------------------------------------------------- */

static ee_str place_of(const ee_disagreement *at) { return at->path.length > 0 ? at->path : at->field; }

static ee_cell data_cell(ee_str text, size_t columns, ee_ink ink, ee_arena *arena) {
  return (ee_cell){
      .text = ee_text_shorten(ee_text_printable(text, arena), columns, arena), .kind = EE_CELL_DATA, .ink = ink};
}

static void add_value(ee_page *page, ee_line *line, const char *who, ee_str text, const char *none) {
  ee_line_addf(page, line, EE_INK_DIM, "  %s ", who);
  if (text.length == 0)
    ee_line_addf(page, line, EE_INK_DIM, "%s", none);
  else
    ee_line_add(page, line, data_cell(text, LINE_COLUMNS, EE_INK_PLAIN, &page->arena));
}

static void add_lines(ee_page *page, const ee_annotators_report *report, const ee_disagreement *at) {
  ee_arena *arena = &page->arena;
  ee_line *line = ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH);
  ee_line_addf(page, line, EE_INK_PLAIN, "  ");
  ee_line_add(page, line, data_cell(at->id, VALUE_COLUMNS, EE_INK_PLAIN, arena));
  ee_line_addf(page, line, EE_INK_PLAIN, "  ");
  ee_line_add(page, line, data_cell(place_of(at), LINE_COLUMNS, EE_INK_BOLD, arena));
  if (at->first.length == 0 && at->second.length == 0) {
    ee_line_addf(page, line, EE_INK_PLAIN, "  ");
    ee_line_add(page, line, (ee_cell){.text = at->reason, .kind = EE_CELL_QUOTE, .ink = EE_INK_DIM});
    return;
  }
  add_value(page, line, "A", at->first, "nothing");
  add_value(page, line, "B", at->second, "nothing");
  if (!report->has_model || at->model_unknown) return;
  if (at->model_agrees)
    ee_line_addf(page, line, EE_INK_DIM, "  model as A");
  else
    add_value(page, line, "model", at->model, "nothing");
}

static void add_row(ee_grid *grid, const ee_annotators_report *report, const ee_disagreement *at) {
  ee_str texts[] = {at->id, place_of(at), at->first, at->second, at->model_agrees ? at->first : at->model};
  ee_cell *cells = ee_grid_add(grid);
  for (size_t i = 0; i < (report->has_model ? 5 : 4); i++)
    cells[i] = texts[i].length == 0
                   ? ee_cell_words("-", EE_INK_DIM)
                   : (ee_cell){.text = texts[i], .kind = EE_CELL_DATA, .max_markup_columns = VALUE_COLUMNS};
}

static void add_disagreements(ee_page *page, const ee_annotators_summary *summary) {
  static const ee_column columns[] = {{.name = "case", .left = true},
                                      {.name = "path", .left = true},
                                      {.name = "A", .left = true},
                                      {.name = "B", .left = true},
                                      {.name = "model", .left = true}};
  const ee_annotators_report *report = summary->report;
  ee_page_section(page, EE_STR("disagreements"));
  ee_page_space(page);
  if (report->disagreements == 0) {
    ee_line_addf(page, ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_PARAGRAPH), EE_INK_GREEN, "no disagreements");
    return;
  }
  size_t shown = summary->shown > 0 && summary->shown < report->listed_count ? summary->shown : report->listed_count;
  ee_line *line = ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_HEADING);
  ee_line_addf(page, line, EE_INK_BOLD, "%" PRIu64 " disagreement%s in %" PRIu64 " record%s", report->disagreements,
               plural(report->disagreements), report->disagreeing, plural(report->disagreeing));
  for (size_t i = 0; i < shown; i++) add_lines(page, report, &report->listed[i]);
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_MARKUP, columns, report->has_model ? 5 : 4);
  for (size_t i = 0; i < shown; i++) add_row(grid, report, &report->listed[i]);
  uint64_t more = report->disagreements - shown;
  if (more == 0) return;
  ee_line_addf(page, ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH), EE_INK_DIM,
               "  %" PRIu64 " more: --verbose, --format csv or json", more);
  ee_line_addf(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_PARAGRAPH), EE_INK_PLAIN, "%" PRIu64 " more.", more);
}

void ee_annotators_page(const ee_annotators_summary *summary, ee_page *page) {
  add_head(page, summary);
  add_fields(page, summary->report);
  add_ceiling(page, summary);
  add_disagreements(page, summary);
}

/* JSON -------------------------------------------------------------------------------------------- */

static void add_check_json(ee_json_out *json, const char *key, const ee_ceiling_check *check) {
  ee_json_open(json, key, '{');
  ee_json_add_ranged(json, "annotator", check->annotator);
  ee_json_add_ranged(json, "model", check->model);
  ee_json_add_ranged(json, "difference", check->difference);
  if (!isnan(check->p)) ee_json_add_number(json, "p", check->p);
  if (!isnan(check->p_adjusted)) ee_json_add_number(json, "p_adjusted", check->p_adjusted);
  ee_json_add_text(json, "model_is", ee_str_from(ee_ceiling_name(check->ceiling)));
  ee_json_close(json, '}');
}

static void add_field_json(ee_json_out *json, const ee_annotators_report *report, const ee_field_agreement *field) {
  const ee_counts *counts = &field->counts;
  ee_json_open(json, NULL, '{');
  ee_json_add_text(json, "judge", judge_name(report, field->judge));
  ee_json_add_text(json, "name", field->name);
  ee_json_add_count(json, "same", counts->tp);
  ee_json_add_count(json, "both_empty", counts->tn);
  ee_json_add_count(json, "differ", counts->wrong);
  ee_json_add_count(json, "only_first", counts->fn - counts->wrong);
  ee_json_add_count(json, "only_second", counts->fp - counts->wrong);
  if (counts->unread > 0) ee_json_add_count(json, "unread", counts->unread);
  ee_json_add_ranged(json, "agreement", field->agreement);
  ee_json_add_ranged(json, "f1", field->f1);
  ee_json_add_metric(json, "reverse_f1", field->reverse_f1);
  ee_json_add_bool(json, "symmetric", !field->one_way);
  if (field->no_kappa == NULL) {
    ee_json_add_number(json, "kappa", field->kappa.value);
    ee_json_add_interval(json, "kappa_interval", field->kappa_interval);
    ee_json_add_number(json, "agreement_by_chance", field->kappa.expected);
  } else {
    ee_json_add_text(json, "no_kappa", ee_str_from(field->no_kappa));
  }
  if (report->has_model) add_check_json(json, "ceiling", &field->check);
  ee_json_close(json, '}');
}

static void add_disagreement_json(ee_json_out *json, const ee_annotators_report *report, const ee_disagreement *at) {
  ee_json_open(json, NULL, '{');
  ee_json_add_text(json, "case", at->id);
  ee_json_add_text(json, "judge", judge_name(report, at->judge));
  if (at->field.length > 0) ee_json_add_text(json, "field", at->field);
  ee_json_add_text(json, "path", at->path);
  if (at->first.length > 0) ee_json_add_text(json, "first", at->first);
  if (at->second.length > 0) ee_json_add_text(json, "second", at->second);
  if (at->model_agrees || at->model.length > 0)
    ee_json_add_text(json, "model", at->model_agrees ? at->first : at->model);
  if (report->has_model && !at->model_unknown) ee_json_add_bool(json, "model_as_first", at->model_agrees);
  if (at->reason.length > 0) ee_json_add_text(json, "reason", at->reason);
  ee_json_close(json, '}');
}

void ee_annotators_json(const ee_annotators_summary *summary, ee_buffer *out) {
  const ee_annotators_report *report = summary->report;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_json_out json = {.out = out, .arena = &arena, .first = true};
  ee_json_open(&json, NULL, '{');
  ee_json_add_text(&json, "first", ee_str_from(summary->first));
  ee_json_add_text(&json, "second", ee_str_from(summary->second));
  if (summary->model != NULL) ee_json_add_text(&json, "model", ee_str_from(summary->model));
  if (summary->rules != NULL) ee_json_add_text(&json, "rules", ee_str_from(summary->rules));
  ee_json_add_bool(&json, "rules_inferred", summary->rules == NULL);
  ee_json_add_number(&json, "confidence", report->confidence);
  ee_json_add_count(&json, "cases", report->cases);
  ee_json_add_count(&json, "units", report->units);
  ee_json_add_count(&json, "only_first", summary->only_first);
  ee_json_add_count(&json, "only_second", summary->only_second);
  ee_json_add_count(&json, "unreadable", summary->unreadable);
  if (report->has_model) ee_json_add_count(&json, "without_answer", summary->without_answer);
  ee_json_add_count(&json, "cases_without_disagreement", report->perfect);
  ee_json_add_ranged(&json, "mean_score", report->score);
  ee_json_add_metric(&json, "reverse_mean_score", report->reverse_score);
  ee_json_add_count(&json, "values", report->values);
  ee_json_add_count(&json, "agreed", report->agreed);
  ee_json_add_ranged(&json, "agreement", report->agreement);
  if (report->has_model) add_check_json(&json, "ceiling", &report->check);
  ee_json_open(&json, "fields", '[');
  for (size_t i = 0; i < report->field_count; i++) add_field_json(&json, report, &report->fields[i]);
  ee_json_close(&json, ']');
  ee_json_add_count(&json, "disagreement_count", report->disagreements);
  ee_json_open_as(&json, "disagreements", '[', EE_JSON_ROWS);
  for (size_t i = 0; i < report->listed_count; i++) add_disagreement_json(&json, report, &report->listed[i]);
  ee_json_close(&json, ']');
  ee_json_add_text(&json, "version", EE_STR(EE_VERSION));
  ee_json_close(&json, '}');
  ee_buffer_add_char(out, '\n');
  ee_arena_fini(&arena);
}

/* CSV --------------------------------------------------------------------------------------------- */

void ee_annotators_csv(const ee_annotators_summary *summary, ee_buffer *out) {
  const ee_annotators_report *report = summary->report;
  ee_buffer_add_text(out, "case,judge,field,path,first,second,model,reason\n");
  for (size_t i = 0; i < report->listed_count; i++) {
    const ee_disagreement *at = &report->listed[i];
    const ee_str texts[] = {at->id,
                            judge_name(report, at->judge),
                            at->field,
                            at->path,
                            at->first,
                            at->second,
                            at->model_agrees ? at->first : at->model,
                            at->reason};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
      if (k > 0) ee_buffer_add_char(out, ',');
      ee_csv_add_text(out, texts[k]);
    }
    ee_buffer_add_char(out, '\n');
  }
}
