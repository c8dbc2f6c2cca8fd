/* audit_report.c: an audit as a page, as JSON and as CSV. */
#include "report/audit_report.h"

#include <evalengine.h>
#include <inttypes.h>

#include "prim/unicode.h"
#include "report/csv.h"
#include "report/json_out.h"

/* Columns of a text of the data on a page. */
#define VALUE_COLUMNS 40
#define LINE_COLUMNS 60

/* Texts ------------------------------------------------------------------------------------------- */

/* "contradicted, sum": each kind of evidence once. */
static ee_str kinds_of(const ee_audit_finding *finding, ee_arena *arena) {
  const char *text = "";
  unsigned seen = 0;
  for (size_t i = 0; i < finding->evidence_count; i++) {
    ee_audit_kind kind = finding->evidence[i].kind;
    if ((seen >> kind & 1) == 0)
      text = ee_arena_printf(arena, "%s%s%s", text, seen != 0 ? ", " : "", ee_audit_kinds[kind].name);
    seen |= 1u << kind;
  }
  return ee_str_from(text);
}

/* The reasons of all evidence, the strongest first. */
static ee_str reasons_of(const ee_audit_finding *finding, ee_arena *arena) {
  ee_buffer text;
  ee_buffer_init(&text);
  for (size_t i = 0; i < finding->evidence_count; i++) {
    if (i > 0) ee_buffer_add_text(&text, "; ");
    ee_buffer_add_str(&text, finding->evidence[i].reason);
  }
  ee_str copy = {ee_arena_copy(arena, text.data, text.length), text.length};
  ee_buffer_fini(&text);
  return copy;
}

/* The first text that the evidence has. */
static ee_str expected_of(const ee_audit_finding *finding) {
  size_t i = 0;
  while (i < finding->evidence_count && finding->evidence[i].expected.length == 0) i++;
  return i < finding->evidence_count ? finding->evidence[i].expected : EE_STR("");
}

static ee_str proposed_of(const ee_audit_finding *finding) {
  size_t i = 0;
  while (i < finding->evidence_count && finding->evidence[i].proposed.length == 0) i++;
  return i < finding->evidence_count ? finding->evidence[i].proposed : EE_STR("");
}

static ee_str first_id(const ee_audit_finding *finding) { return finding->id_count > 0 ? finding->ids[0] : EE_STR(""); }

/* The page ---------------------------------------------------------------------------------------- */

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

static void add_head(ee_page *page, const ee_audit_report *report) {
  ee_line *line = ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_TITLE);
  ee_line_addf(page, line, EE_INK_BOLD, "audit of ");
  ee_line_add(page, line, (ee_cell){.text = ee_str_from(report->truth), .kind = EE_CELL_QUOTE, .ink = EE_INK_BOLD});
  line = ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_PARAGRAPH);
  ee_line_addf(page, line, EE_INK_PLAIN, "%" PRIu64 " record%s", report->records, plural(report->records));
  if (report->with_source > 0)
    ee_line_addf(page, line, EE_INK_PLAIN, ", %" PRIu64 " with a source text", report->with_source);
  if (report->candidates > 0)
    ee_line_addf(page, line, EE_INK_PLAIN, ", %zu candidate%s (%" PRIu64 " answers)", report->candidates,
                 plural(report->candidates), report->joined);
  if (report->annotator != NULL) {
    ee_line_addf(page, line, EE_INK_PLAIN, ", %" PRIu64 " also in ", report->annotated);
    ee_line_add(page, line, (ee_cell){.text = ee_str_from(report->annotator), .kind = EE_CELL_QUOTE});
  }
  if (report->inferred) ee_line_addf(page, line, EE_INK_PLAIN, ", judged by rules suggested by the data");
  if (report->unreadable > 0)
    ee_line_addf(page, line, EE_INK_RED, ", %" PRIu64 " record%s could not be read", report->unreadable,
                 plural(report->unreadable));
  if (report->unknown_ids > 0)
    ee_line_addf(page, line, EE_INK_YELLOW, ", %" PRIu64 " answer%s without a record", report->unknown_ids,
                 plural(report->unknown_ids));
}

static void add_counts(ee_page *page, const ee_audit_report *report) {
  static const ee_column columns[] = {
      {.name = "finding", .left = true}, {.name = "count"}, {.name = "what it is", .left = true, .fill = true}};
  ee_page_section(page, EE_STR("counts"));
  if (report->count == 0) return;
  ee_page_space(page);
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, sizeof columns / sizeof *columns);
  for (int kind = 0; kind < EE_AUDIT_KINDS; kind++) {
    if (report->counts[kind] == 0) continue;
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = ee_cell_words(ee_audit_kinds[kind].name, EE_INK_BOLD);
    cells[1] = ee_cell_count(&page->arena, report->counts[kind], EE_INK_PLAIN);
    cells[2] = ee_cell_words(ee_audit_kinds[kind].help, EE_INK_PLAIN);
  }
}

static ee_cell value_cell(ee_str text) {
  if (text.length == 0) return ee_cell_words("-", EE_INK_DIM);
  return (ee_cell){.text = text, .kind = EE_CELL_DATA, .max_markup_columns = VALUE_COLUMNS};
}

static ee_cell id_cell(const ee_audit_finding *finding, ee_arena *arena) {
  ee_cell cell = value_cell(first_id(finding));
  if (finding->records <= 1) return cell;
  ee_cell *more = EE_NEW(arena, ee_cell);
  *more = ee_cell_words(ee_arena_printf(arena, " +%" PRIu64, finding->records - 1), EE_INK_DIM);
  cell.next = more;
  return cell;
}

static const char *gain_text(double gain, ee_arena *arena) {
  return ee_arena_printf(arena, gain >= 100 ? "%.0f" : gain >= 10 ? "%.1f" : "%.2f", gain);
}

/* A text of the data in a line, cut in the middle. */
static ee_cell data_cell(ee_str text, size_t columns, ee_ink ink, ee_arena *arena) {
  return (ee_cell){
      .text = ee_text_shorten(ee_text_printable(text, arena), columns, arena), .kind = EE_CELL_DATA, .ink = ink};
}

/* A finding on a terminal: what and where on one line, the evidence on the next ones. */
static void add_lines(ee_page *page, const ee_audit_finding *finding) {
  ee_arena *arena = &page->arena;
  ee_line *line = ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH);
  ee_line_addf(page, line, EE_INK_BOLD, "%7s  ", gain_text(finding->gain, arena));
  ee_line_add(page, line, data_cell(first_id(finding), VALUE_COLUMNS, EE_INK_PLAIN, arena));
  if (finding->records > 1) ee_line_addf(page, line, EE_INK_DIM, " +%" PRIu64, finding->records - 1);
  ee_str texts[] = {finding->path, expected_of(finding), proposed_of(finding)};
  static const ee_ink inks[] = {EE_INK_BOLD, EE_INK_RED, EE_INK_GREEN};
  static const char *const before[] = {"  ", "  ", " \xe2\x86\x92 "};
  for (size_t i = 0; i < 3; i++) {
    if (texts[i].length == 0) continue;
    ee_line_addf(page, line, EE_INK_DIM, "%s", before[i]);
    ee_line_add(page, line, data_cell(texts[i], LINE_COLUMNS, inks[i], arena));
  }
  for (size_t i = 0; i < finding->evidence_count; i++) {
    const ee_audit_evidence *evidence = &finding->evidence[i];
    line = ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH);
    ee_line_addf(page, line, EE_INK_YELLOW, "         %s: ", ee_audit_kinds[evidence->kind].name);
    ee_line_add(page, line, (ee_cell){.text = evidence->reason, .kind = EE_CELL_QUOTE, .ink = EE_INK_DIM});
  }
}

/* The same as a row of a table in markup. */
static void add_row(ee_grid *grid, const ee_audit_finding *finding) {
  enum { GAIN, KIND, CASE, PATH, EXPECTED, PROPOSED, REASON };
  ee_arena *arena = grid->arena;
  ee_cell *cells = ee_grid_add(grid);
  cells[GAIN] = ee_cell_words(gain_text(finding->gain, arena), EE_INK_PLAIN);
  cells[KIND] = ee_cell_words(kinds_of(finding, arena).data, EE_INK_PLAIN);
  cells[CASE] = id_cell(finding, arena);
  cells[PATH] = value_cell(finding->path);
  cells[EXPECTED] = value_cell(expected_of(finding));
  cells[PROPOSED] = value_cell(proposed_of(finding));
  cells[REASON] = (ee_cell){.text = reasons_of(finding, arena), .kind = EE_CELL_QUOTE};
}

static void add_list(ee_page *page, const ee_audit_report *report) {
  static const ee_column columns[] = {{.name = "gain"},
                                      {.name = "finding", .left = true},
                                      {.name = "case", .left = true},
                                      {.name = "path", .left = true},
                                      {.name = "expected", .left = true},
                                      {.name = "found instead", .left = true},
                                      {.name = "why", .left = true}};
  ee_page_section(page, EE_STR("findings"));
  ee_page_space(page);
  if (report->count == 0) {
    ee_line_addf(page, ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_PARAGRAPH), EE_INK_GREEN, "nothing found");
    return;
  }
  size_t shown = report->shown > 0 && report->shown < report->count ? report->shown : report->count;
  ee_line *head = ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH);
  ee_line_addf(page, head, EE_INK_DIM, "   gain  case  path  expected \xe2\x86\x92 found instead");
  for (size_t i = 0; i < shown; i++) add_lines(page, &report->findings[i]);
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_MARKUP, columns, sizeof columns / sizeof *columns);
  for (size_t i = 0; i < shown; i++) add_row(grid, &report->findings[i]);
  if (shown == report->count) return;
  ee_line_addf(page, ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH), EE_INK_DIM,
               "  %zu more: --verbose, --format csv or json", report->count - shown);
  ee_line_addf(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_PARAGRAPH), EE_INK_PLAIN, "%zu more.",
               report->count - shown);
}

static void add_notes(ee_page *page, const ee_audit_report *report) {
  ee_page_section(page, EE_STR("notes"));
  if (report->note_count == 0) return;
  ee_page_space(page);
  for (size_t i = 0; i < report->note_count; i++) {
    const ee_audit_note *note = &report->notes[i];
    ee_line *line = ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_ITEM);
    ee_line_addf(page, line, EE_INK_DIM, "%s: ", ee_audit_kinds[note->kind].name);
    ee_line_add(page, line, (ee_cell){.text = note->text, .kind = EE_CELL_QUOTE, .ink = EE_INK_DIM});
  }
}

void ee_audit_page(const ee_audit_report *report, ee_page *page) {
  add_head(page, report);
  add_counts(page, report);
  add_list(page, report);
  add_notes(page, report);
}

/* JSON -------------------------------------------------------------------------------------------- */

static void add_evidence(ee_json_out *json, const ee_audit_evidence *evidence) {
  ee_json_open(json, NULL, '{');
  ee_json_add_text(json, "kind", ee_str_from(ee_audit_kinds[evidence->kind].name));
  ee_json_add_number(json, "weight", evidence->weight);
  if (evidence->expected.length > 0) ee_json_add_text(json, "expected", evidence->expected);
  if (evidence->proposed.length > 0) ee_json_add_text(json, "proposed", evidence->proposed);
  ee_json_add_text(json, "reason", evidence->reason);
  ee_json_close(json, '}');
}

static void add_finding(ee_json_out *json, const ee_audit_finding *finding) {
  ee_json_open(json, NULL, '{');
  ee_json_add_number(json, "gain", finding->gain);
  ee_json_add_number(json, "weight", finding->weight);
  ee_json_add_text(json, "kind", ee_str_from(ee_audit_kinds[finding->evidence[0].kind].name));
  ee_json_add_text(json, "case", first_id(finding));
  ee_json_add_text(json, "path", finding->path);
  ee_json_add_count(json, "values", finding->values);
  if (expected_of(finding).length > 0) ee_json_add_text(json, "expected", expected_of(finding));
  if (proposed_of(finding).length > 0) ee_json_add_text(json, "proposed", proposed_of(finding));
  ee_json_open(json, "evidence", '[');
  for (size_t i = 0; i < finding->evidence_count; i++) add_evidence(json, &finding->evidence[i]);
  ee_json_close(json, ']');
  ee_json_add_count(json, "records", finding->records);
  ee_json_open(json, "cases", '[');
  for (size_t i = 0; i < finding->id_count; i++) ee_json_add_text(json, NULL, finding->ids[i]);
  ee_json_close(json, ']');
  ee_json_close(json, '}');
}

void ee_audit_json(const ee_audit_report *report, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_json_out json = {.out = out, .arena = &arena, .first = true};
  ee_json_open(&json, NULL, '{');
  ee_json_add_text(&json, "truth", ee_str_from(report->truth));
  if (report->rules != NULL) ee_json_add_text(&json, "rules", ee_str_from(report->rules));
  ee_json_add_bool(&json, "rules_inferred", report->inferred);
  ee_json_add_count(&json, "records", report->records);
  ee_json_add_count(&json, "records_with_source_text", report->with_source);
  ee_json_add_count(&json, "unreadable_records", report->unreadable);
  ee_json_add_count(&json, "candidates", report->candidates);
  ee_json_add_count(&json, "answers", report->joined);
  ee_json_add_count(&json, "answers_without_record", report->unknown_ids);
  if (report->annotator != NULL) {
    ee_json_add_text(&json, "annotator", ee_str_from(report->annotator));
    ee_json_add_count(&json, "annotated", report->annotated);
  }
  ee_json_open(&json, "counts", '{');
  for (int kind = 0; kind < EE_AUDIT_KINDS; kind++)
    ee_json_add_count(&json, ee_audit_kinds[kind].name, report->counts[kind]);
  ee_json_close(&json, '}');
  ee_json_open_as(&json, "findings", '[', EE_JSON_ROWS);
  for (size_t i = 0; i < report->count; i++) add_finding(&json, &report->findings[i]);
  ee_json_close(&json, ']');
  ee_json_open_as(&json, "notes", '[', EE_JSON_ROWS);
  for (size_t i = 0; i < report->note_count; i++) {
    ee_json_open(&json, NULL, '{');
    ee_json_add_text(&json, "kind", ee_str_from(ee_audit_kinds[report->notes[i].kind].name));
    ee_json_add_text(&json, "text", report->notes[i].text);
    ee_json_close(&json, '}');
  }
  ee_json_close(&json, ']');
  ee_json_add_text(&json, "version", EE_STR(EE_VERSION));
  ee_json_close(&json, '}');
  ee_buffer_add_char(out, '\n');
  ee_arena_fini(&arena);
}

/* CSV --------------------------------------------------------------------------------------------- */

void ee_audit_csv(const ee_audit_report *report, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer_add_text(out, "gain,kind,case,records,path,values,expected,proposed,reason\n");
  for (size_t i = 0; i < report->count; i++) {
    const ee_audit_finding *finding = &report->findings[i];
    ee_buffer_add_text(out, gain_text(finding->gain, &arena));
    const ee_str texts[] = {kinds_of(finding, &arena),
                            first_id(finding),
                            ee_str_from(ee_arena_printf(&arena, "%" PRIu64, finding->records)),
                            finding->path,
                            ee_str_from(ee_arena_printf(&arena, "%" PRIu64, finding->values)),
                            expected_of(finding),
                            proposed_of(finding),
                            reasons_of(finding, &arena)};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
      ee_buffer_add_char(out, ',');
      ee_csv_add_text(out, texts[k]);
    }
    ee_buffer_add_char(out, '\n');
    ee_arena_reset(&arena, 0);
  }
  ee_arena_fini(&arena);
}
