/* render_html.c: a page as one file of HTML that needs nothing else.
 *
 * It is complete without script, and its script may do nothing but what its hash allows (html_data.h). Texts of the
 * data are escaped, and isolated from the direction of the text around them. */
#include <inttypes.h>

#include "base/base64.h"
#include "prim/unicode.h"
#include "report/html/html_data.h"
#include "report/page.h"

#define ADD(out, literal) ee_buffer_add((out), "" literal, sizeof(literal) - 1)

typedef struct html {
  ee_buffer *out;
  ee_arena arena;     /* scratch */
  ee_str section;     /* that is open; data NULL: none */
  bool in_list;       /* a list is open */
  ee_str heading;     /* the last one, for tables without a caption */
  bool names_misfits; /* what is listed next in the summary gets a heading of its own */
  bool has_title;
  bool has_gates, has_scores, has_fields; /* their ids are taken */
} html;

static void add_text(html *self, const char *text) { ee_buffer_add_text(self->out, text); }

/* Texts ----------------------------------------------------------------------------------------- */

static void add_escaped(ee_buffer *out, ee_str text) {
  for (size_t i = 0; i < text.length; i++) {
    switch (text.data[i]) {
    case '&': ADD(out, "&amp;"); break;
    case '<': ADD(out, "&lt;"); break;
    case '>': ADD(out, "&gt;"); break;
    case '"': ADD(out, "&quot;"); break;
    case '\'': ADD(out, "&#39;"); break;
    default: ee_buffer_add_char(out, text.data[i]);
    }
  }
}

static const char *class_of(ee_ink ink) {
  static const char *const classes[] = {[EE_INK_PLAIN] = NULL, [EE_INK_BOLD] = NULL,     [EE_INK_DIM] = "dim",
                                        [EE_INK_RED] = "bad",  [EE_INK_YELLOW] = "soft", [EE_INK_GREEN] = "good"};
  return classes[ink];
}

/* The text of a cell, printable and at most as long as it may be. */
static ee_str text_of(html *self, const ee_cell *cell) {
  ee_str text = ee_text_printable(cell->text, &self->arena);
  if (cell->max_markup_columns > 0) text = ee_text_shorten(text, cell->max_markup_columns, &self->arena);
  return cell->kind == EE_CELL_DATA && text.length == 0 ? EE_STR("\"\"") : text;
}

static void add_cell(html *self, const ee_cell *cell) {
  const char *class = class_of(cell->ink);
  bool strong = cell->strong || cell->ink == EE_INK_BOLD;
  const char *element = cell->kind == EE_CELL_WORDS ? class != NULL ? "span" : NULL : "bdi";
  if (strong) add_text(self, "<strong>");
  if (cell->link != NULL) {
    add_text(self, "<a href=\"");
    add_escaped(self->out, ee_str_from(cell->link));
    add_text(self, "\">");
  }
  if (element != NULL && class != NULL)
    ee_buffer_addf(self->out, "<%s class=\"%s\">", element, class);
  else if (element != NULL)
    ee_buffer_addf(self->out, "<%s>", element);
  add_escaped(self->out, text_of(self, cell));
  if (element != NULL) ee_buffer_addf(self->out, "</%s>", element);
  if (cell->link != NULL) add_text(self, "</a>");
  if (strong) add_text(self, "</strong>");
}

static void add_pieces(html *self, const ee_cell *cell) {
  for (; cell != NULL; cell = cell->next) add_cell(self, cell);
}

static void add_data(html *self, ee_str text) {
  add_text(self, "<bdi>");
  add_escaped(self->out, ee_text_printable(text, &self->arena));
  add_text(self, "</bdi>");
}

/* Structure ------------------------------------------------------------------------------------- */

static void end_list(html *self) {
  if (self->in_list) add_text(self, "</ul>\n");
  self->in_list = false;
}

static void begin_item(html *self) {
  if (!self->in_list) add_text(self, "<ul>\n");
  self->in_list = true;
  add_text(self, "<li>");
}

/* Names of sections may be names of the data, judges: only these are ids. */
static bool is_known_section(ee_str name) {
  static const char *const known[] = {"summary", "slices", "measures", "reading", "legend"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (ee_str_is(name, known[i])) return true;
  return false;
}

static void begin_section(html *self, const ee_page_block *block) {
  if (self->section.data != NULL && ee_str_equal(self->section, block->section)) return;
  end_list(self);
  if (self->section.data != NULL) add_text(self, "</section>\n");
  self->section = block->section;
  bool judge = block->kind == EE_BLOCK_JUDGE;
  if (judge)
    ee_buffer_addf(self->out, "<section%s class=\"judge\">\n", self->has_fields ? "" : " id=\"fields\"");
  else if (is_known_section(block->section))
    ee_buffer_addf(self->out, "<section id=\"%.*s\">\n", EE_STR_ARG(block->section));
  else
    add_text(self, "<section>\n");
  self->has_fields = self->has_fields || judge;
}

/* Begins an item of what did not fit: in the summary of a run under a heading. */
static void begin_misfit(html *self) {
  if (self->names_misfits && !self->in_list && ee_str_is(self->section, "summary")) {
    self->names_misfits = false;
    add_text(self, "<h2 id=\"misfits\">What did not fit</h2>\n");
  }
  begin_item(self);
}

/* Bars ------------------------------------------------------------------------------------------ */

#define BAR_WIDTH 160u

static unsigned scaled(uint64_t count, uint64_t whole, unsigned width) {
  return (unsigned)((count * width + whole / 2) / whole);
}

/* Colours have words beside them: the bar's text has the numbers. */
static void add_bar(html *self, const ee_bar *bar) {
  const struct {
    const char *class, *word;
    uint64_t count;
  } parts[] = {{"incorrect", "wrong", bar->incorrect},
               {"missing", bar->split ? "missing" : "false negative", bar->missing},
               {"spurious", bar->split ? "invented" : "false positive", bar->spurious}};
  enum { PARTS = sizeof parts / sizeof *parts };
  ee_buffer_addf(self->out, "<svg class=\"bar\" role=\"img\" width=\"%u\" height=\"12\" aria-label=\"", BAR_WIDTH);
  bool any = false;
  for (size_t i = 0; i < PARTS; i++) {
    if (parts[i].count == 0) continue;
    ee_buffer_addf(self->out, "%s%" PRIu64 " %s", any ? ", " : "", parts[i].count, parts[i].word);
    any = true;
  }
  add_text(self, any ? "\">" : "no errors\">");
  uint64_t before = 0;
  for (size_t i = 0; i < PARTS; i++) {
    if (parts[i].count == 0) continue;
    unsigned from = scaled(before, bar->whole, BAR_WIDTH);
    before += parts[i].count;
    unsigned to = scaled(before, bar->whole, BAR_WIDTH);
    /* A single wrong value among thousands is seen. */
    ee_buffer_addf(self->out,
                   "<rect class=\"%s\" x=\"%u\" width=\"%u\" height=\"12\"><title>%" PRIu64 " %s</title></rect>",
                   parts[i].class, from, to > from ? to - from : 1, parts[i].count, parts[i].word);
  }
  add_text(self, "</svg>");
}

/* Tables ---------------------------------------------------------------------------------------- */

static bool is_shown(const ee_column *column) { return (column->hidden_in & EE_MEDIUM_HTML) == 0; }

static void print_head_row(html *self, const ee_grid *grid) {
  add_text(self, "<thead><tr>");
  for (size_t c = 0; c < grid->count; c++) {
    const ee_column *column = &grid->columns[c];
    if (!is_shown(column)) continue;
    add_text(self, column->left ? "<th scope=\"col\">" : "<th scope=\"col\" class=\"number\">");
    const char *head = column->markup_name != NULL ? column->markup_name : column->name;
    add_escaped(self->out, ee_text_printable(ee_str_from(head), &self->arena));
    add_text(self, "</th>");
  }
  add_text(self, "</tr></thead>\n");
}

/* The column that names the rows: the first where none is declared. */
static size_t head_column(const ee_grid *grid) {
  size_t first = grid->count;
  for (size_t c = grid->count; c-- > 0;) {
    if (!is_shown(&grid->columns[c])) continue;
    if (first == grid->count || grid->columns[c].name_column || !grid->columns[first].name_column) first = c;
  }
  return first;
}

static void print_row(html *self, const ee_grid *grid, const ee_grid_row *row) {
  size_t head = head_column(grid);
  add_text(self, "<tr>");
  for (size_t c = 0; c < grid->count; c++) {
    const ee_column *column = &grid->columns[c];
    if (!is_shown(column)) continue;
    const char *element = c == head ? "th" : "td";
    ee_buffer_addf(self->out, "<%s%s%s>", element, c == head ? " scope=\"row\"" : "",
                   column->left ? "" : " class=\"number\"");
    const ee_cell *cell = &row->cells[c];
    if (cell->bar != NULL)
      add_bar(self, cell->bar);
    else if (cell->text.length > 0 || cell->kind == EE_CELL_DATA || cell->next != NULL)
      add_pieces(self, cell);
    ee_buffer_addf(self->out, "</%s>", element);
  }
  add_text(self, "</tr>\n");
}

static bool has_split_bars(const ee_grid *grid) {
  for (size_t c = 0; c < grid->count && grid->first != NULL; c++) {
    const ee_bar *bar = grid->first->cells[c].bar;
    if (bar != NULL && bar->split) return is_shown(&grid->columns[c]);
  }
  return false;
}

/* Wide tables scroll by themselves, with the keyboard, too. */
static void print_grid(html *self, const ee_grid *grid) {
  end_list(self);
  ee_str caption = grid->caption != NULL ? ee_text_printable(ee_str_from(grid->caption), &self->arena) : self->heading;
  add_text(self, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
  add_escaped(self->out, caption);
  ee_buffer_addf(self->out, "\">\n<table%s>\n<caption%s>", grid->attributes ? " class=\"fields\"" : "",
                 grid->caption != NULL ? "" : " class=\"unseen\"");
  add_escaped(self->out, caption);
  if (has_split_bars(grid))
    add_text(self, " <span class=\"key\"><i class=\"incorrect\"></i>wrong <i class=\"missing\"></i>missing "
                   "<i class=\"spurious\"></i>invented</span>");
  add_text(self, "</caption>\n");
  if (!grid->no_head) print_head_row(self, grid);
  add_text(self, "<tbody>\n");
  for (const ee_grid_row *row = grid->first; row != NULL; row = row->next)
    if ((row->medium & EE_MEDIUM_HTML) != 0) print_row(self, grid, row);
  add_text(self, "</tbody>\n</table>\n</div>\n");
}

static void print_metrics(html *self, const ee_metric_list *metrics) {
  static const ee_column columns[] = {{.name = "metric", .left = true}, {.name = "value"}};
  if (metrics->count == 0) return;
  ee_grid grid = {.arena = &self->arena, .columns = columns, .count = 2};
  for (size_t i = 0; i < metrics->count; i++) {
    ee_cell *cells = ee_grid_add(&grid);
    cells[0] = ee_cell_words(metrics->items[i].name, EE_INK_PLAIN);
    cells[1] = ee_cell_corpus_metric(&self->arena, &metrics->items[i]);
  }
  print_grid(self, &grid);
}

/* Scores and counts ----------------------------------------------------------------------------- */

static void add_verdicts(html *self, const uint64_t verdicts[3], bool linked) {
  uint64_t whole = verdicts[0] + verdicts[1] + verdicts[2];
  for (size_t i = 0; i < 3; i++) {
    const char *name = ee_verdict_name((ee_verdict)i);
    if (i > 0) add_text(self, ", ");
    if (linked && verdicts[i] > 0) ee_buffer_addf(self->out, "<a href=\"#cases?verdict=%s\">", name);
    ee_buffer_addf(self->out, "%" PRIu64 " %s", verdicts[i], name);
    if (linked && verdicts[i] > 0) add_text(self, "</a>");
    if (verdicts[i] == 0) continue;
    ee_cell share = ee_cell_percent(&self->arena, verdicts[i], whole, EE_INK_PLAIN);
    ee_buffer_addf(self->out, " (%.*s)", EE_STR_ARG(share.text));
  }
}

static void print_counts(html *self, const ee_count *counts, size_t number) {
  for (size_t i = 0; i < number; i++) {
    const ee_count *count = &counts[i];
    if (count->count == 0 || count->one == NULL || count->use == EE_COUNT_NEVER) continue;
    begin_misfit(self);
    ee_buffer_addf(self->out, "%" PRIu64 " %s</li>\n", count->count, count->count == 1 ? count->one : count->many);
  }
}

static void add_tile(html *self, const char *name, const char *value, const char *interval) {
  ee_buffer_addf(self->out, "<li><span>%s</span> <strong>%s</strong> <small>%s</small></li>\n", name, value, interval);
}

static void add_share(html *self, const ee_scores *scores, const char *name, uint64_t count, ee_interval interval) {
  const char *text = ee_arena_printf(&self->arena, "%" PRIu64 " of %" PRIu64, count, scores->count);
  if (ee_interval_is_known(interval))
    text = ee_arena_printf(&self->arena, "%s; %s: %s %%", text, ee_confidence_text(&self->arena, scores->confidence),
                           ee_cell_interval_percent(&self->arena, interval, EE_INK_PLAIN).text.data);
  add_tile(self, name, ee_cell_percent(&self->arena, count, scores->count, EE_INK_PLAIN).text.data, text);
}

/* "12 from 0.90 to 0.95", "39 at 1" */
static const char *bin_text(html *self, const ee_score_bins *bins, unsigned bin) {
  uint64_t count = bins->counts[bin];
  if (bin == EE_SCORE_BINS) return ee_arena_printf(&self->arena, "%" PRIu64 " at 1", count);
  unsigned from = bin * 100 / EE_SCORE_BINS, to = (bin + 1) * 100 / EE_SCORE_BINS;
  return ee_arena_printf(&self->arena, "%" PRIu64 " from 0.%02u to %u.%02u", count, from, to / 100, to % 100);
}

enum { BIN_WIDTH = 30, BIN_HEIGHT = 90, TOP = 14, FOOT = 22 };

static void add_bin(html *self, const ee_score_bins *bins, unsigned bin, uint64_t most) {
  uint64_t count = bins->counts[bin];
  if (count == 0) return;
  unsigned x = bin * BIN_WIDTH, height = scaled(count, most, BIN_HEIGHT);
  if (height < 2) height = 2;
  ee_buffer_addf(self->out,
                 "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%d\" height=\"%u\"><title>%s</title></rect>"
                 "<text x=\"%u\" y=\"%u\">%" PRIu64 "</text>",
                 bin == EE_SCORE_BINS ? "perfect" : "some", x + 2, TOP + BIN_HEIGHT - height, BIN_WIDTH - 4, height,
                 bin_text(self, bins, bin), x + BIN_WIDTH / 2, TOP + BIN_HEIGHT - height - 3, count);
}

/* How many cases have which score; the same in words, for readers who do not see it. */
static void add_histogram(html *self, const ee_scores *scores) {
  const ee_score_bins *bins = scores->bins;
  uint64_t most = 1;
  for (unsigned i = 0; i <= EE_SCORE_BINS; i++)
    if (bins->counts[i] > most) most = bins->counts[i];
  ee_buffer_addf(self->out, "<figure%s><figcaption>Scores of the %ss</figcaption>\n",
                 self->has_scores ? "" : " id=\"scores\"", scores->noun);
  self->has_scores = true;
  ee_buffer_addf(self->out, "<svg class=\"histogram\" role=\"img\" viewBox=\"0 0 %d %d\" aria-label=\"",
                 BIN_WIDTH * (EE_SCORE_BINS + 1), TOP + BIN_HEIGHT + FOOT);
  bool any = false;
  for (unsigned i = EE_SCORE_BINS + 1; i-- > 0;) {
    if (bins->counts[i] == 0) continue;
    ee_buffer_addf(self->out, "%s%s", any ? ", " : "", bin_text(self, bins, i));
    any = true;
  }
  add_text(self, "\">\n");
  for (unsigned i = 0; i <= EE_SCORE_BINS; i++) add_bin(self, bins, i, most);
  static const char *const marks[] = {"0", "0.2", "0.4", "0.6", "0.8", "1"};
  for (unsigned i = 0; i < sizeof marks / sizeof *marks; i++)
    ee_buffer_addf(self->out, "<text class=\"axis\" x=\"%u\" y=\"%d\">%s</text>",
                   i * 4 * BIN_WIDTH + (i == 5 ? BIN_WIDTH / 2 : 6), TOP + BIN_HEIGHT + FOOT - 6, marks[i]);
  ee_buffer_addf(self->out, "<path class=\"axis\" d=\"M0 %d.5H%d\"/></svg></figure>\n", TOP + BIN_HEIGHT,
                 BIN_WIDTH * (EE_SCORE_BINS + 1));
}

static void print_scores(html *self, const ee_scores *scores) {
  end_list(self);
  ee_buffer_addf(self->out, "<p>%" PRIu64 " %s%s%s: ", scores->count, scores->noun, scores->count == 1 ? "" : "s",
                 scores->suffix);
  add_verdicts(self, scores->verdicts, scores->bins != NULL);
  add_text(self, "</p>\n");
  if (scores->bins == NULL || scores->count == 0) return;
  add_text(self, "<ul class=\"tiles\">\n");
  const char *interval = "one case: no interval";
  if (ee_interval_is_known(scores->mean.interval))
    interval = ee_arena_printf(&self->arena, "%s: %s", ee_confidence_text(&self->arena, scores->confidence),
                               ee_cell_interval(&self->arena, scores->mean.interval, EE_INK_PLAIN).text.data);
  add_tile(self, "Mean score", ee_cell_metric(&self->arena, scores->mean.metric, EE_INK_PLAIN).text.data, interval);
  add_share(self, scores, "Pass", scores->verdicts[EE_VERDICT_PASS], scores->passed);
  for (size_t i = 0; i < scores->tiles.count; i++)
    add_tile(self, scores->tiles.items[i].name, scores->tiles.items[i].value, scores->tiles.items[i].text);
  add_text(self, "</ul>\n");
  add_histogram(self, scores);
}

static void print_judge(html *self, const ee_judge_heading *judge) {
  end_list(self);
  self->heading = ee_text_printable(judge->name, &self->arena);
  add_text(self, "<h2>");
  add_data(self, judge->name);
  if (judge->type.length > 0) {
    add_text(self, " <small>");
    add_data(self, judge->type);
    add_text(self, "</small>");
  }
  add_text(self, "</h2>\n<p>Mean score <strong>");
  add_escaped(self->out, ee_cell_ranged(&self->arena, judge->mean, EE_INK_PLAIN).text);
  add_text(self, "</strong>: ");
  add_verdicts(self, judge->verdicts, false);
  add_text(self, "</p>\n");
  print_counts(self, judge->counts, judge->count);
}

/* Notes and gates ------------------------------------------------------------------------------- */

static void print_notes(html *self, const ee_note_list *notes) {
  for (size_t i = 0; i < notes->count; i++) {
    begin_misfit(self);
    add_data(self, notes->items[i]);
    add_text(self, "</li>\n");
  }
}

static void print_gates(html *self, const ee_gate_block *gates) {
  size_t count = 0, failed = 0;
  for (const ee_gate_line *gate = gates->first; gate != NULL; gate = gate->next, count++)
    failed += gate->verdict != EE_GATE_PASSED;
  end_list(self);
  self->heading = EE_STR("Gates");
  ee_buffer_addf(self->out, "<h2%s>Gates: <strong class=\"%s\">", self->has_gates ? "" : " id=\"gates\"",
                 failed > 0 ? "bad" : "good");
  self->has_gates = true;
  if (failed > 0)
    ee_buffer_addf(self->out, "%zu of %zu failed</strong></h2>\n", failed, count);
  else
    ee_buffer_addf(self->out, "%s passed</strong></h2>\n",
                   count == 1 ? "1" : ee_arena_printf(&self->arena, "all %zu", count));
  for (const ee_gate_line *gate = gates->first; gate != NULL; gate = gate->next) {
    static const char *const words[] = {"FAIL", "PASS", "UNDECIDED"};
    begin_item(self);
    ee_buffer_addf(self->out, "<strong class=\"%s\">%s</strong> ", gate->verdict == EE_GATE_PASSED ? "good" : "bad",
                   words[gate->verdict]);
    add_data(self, gate->text);
    add_text(self, "</li>\n");
  }
}

/* The page -------------------------------------------------------------------------------------- */

static ee_str line_text(html *self, const ee_line *line) {
  ee_buffer text;
  ee_buffer_init(&text);
  for (const ee_cell *cell = line->first; cell != NULL; cell = cell->next)
    ee_buffer_add_str(&text, text_of(self, cell));
  ee_str copy = {ee_arena_copy(&self->arena, text.data, text.length), text.length};
  ee_buffer_fini(&text);
  return copy;
}

/* Line by line, since names of rules may have control characters of their own. */
static void print_text(html *self, ee_str text) {
  end_list(self);
  add_text(self, "<pre tabindex=\"0\">");
  while (text.length > 0) {
    const char *end = memchr(text.data, '\n', text.length);
    size_t length = end != NULL ? (size_t)(end - text.data) : text.length;
    add_escaped(self->out, ee_text_printable((ee_str){text.data, length}, &self->arena));
    if (end != NULL) add_text(self, "\n");
    length += end != NULL;
    text = (ee_str){text.data + length, text.length - length};
  }
  add_text(self, "</pre>\n");
}

static void print_line(html *self, const ee_line *line) {
  static const char *const before[] = {[EE_LINE_PARAGRAPH] = "<p>",
                                       [EE_LINE_TITLE] = "<h1>",
                                       [EE_LINE_HEADING] = "<h2>",
                                       [EE_LINE_ITEM] = "",
                                       [EE_LINE_DETAILS] = "<details open><summary>",
                                       [EE_LINE_FOLDED] = "<details><summary>"};
  static const char *const after[] = {
      [EE_LINE_PARAGRAPH] = "</p>\n", [EE_LINE_TITLE] = "</h1>\n",        [EE_LINE_HEADING] = "</h2>\n",
      [EE_LINE_ITEM] = "</li>\n",     [EE_LINE_DETAILS] = "</summary>\n", [EE_LINE_FOLDED] = "</summary>\n"};
  if (line->first == NULL) return;
  /* A document without a title has its first heading instead. */
  ee_line_role role = line->role == EE_LINE_HEADING && !self->has_title ? EE_LINE_TITLE : line->role;
  self->has_title = self->has_title || role == EE_LINE_TITLE;
  if (role != EE_LINE_PARAGRAPH && role != EE_LINE_ITEM) self->heading = line_text(self, line);
  if (role == EE_LINE_ITEM)
    begin_item(self);
  else
    end_list(self);
  add_text(self, before[role]);
  add_pieces(self, line->first);
  add_text(self, after[role]);
}

static void print_block(html *self, const ee_page_block *block) {
  switch (block->kind) {
  case EE_BLOCK_SPACE: break;
  case EE_BLOCK_LINE: print_line(self, &block->line); break;
  case EE_BLOCK_COUNTS: print_counts(self, block->counts.items, block->counts.count); break;
  case EE_BLOCK_SCORES: print_scores(self, &block->scores); break;
  case EE_BLOCK_JUDGE: print_judge(self, &block->judge); break;
  case EE_BLOCK_METRICS: print_metrics(self, &block->metrics); break;
  case EE_BLOCK_GRID: print_grid(self, &block->grid); break;
  case EE_BLOCK_NOTES: print_notes(self, &block->notes); break;
  case EE_BLOCK_GATES: print_gates(self, &block->gates); break;
  case EE_BLOCK_TEXT: print_text(self, block->text); break;
  case EE_BLOCK_DETAILS_END:
    end_list(self);
    add_text(self, "</details>\n");
    break;
  }
}

/* The head: the policy, and the title, which is the page's first title. */
static void add_hashes(ee_buffer *out, const ee_embedded_file *files) {
  for (; files->name != NULL; files++) {
    unsigned char hash[32];
    for (size_t i = 0; i < sizeof hash; i++)
      // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): the build wrote hexadecimal digits
      hash[i] = (unsigned char)(ee_hex_digit(files->hash[2 * i]) << 4 | ee_hex_digit(files->hash[2 * i + 1]));
    ADD(out, " 'sha256-");
    ee_base64_write(out, hash, sizeof hash);
    ADD(out, "'");
  }
}

static void print_head(html *self, const ee_page *page) {
  add_text(self, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src");
  add_hashes(self->out, ee_html_scripts);
  add_text(self, "; style-src");
  add_hashes(self->out, ee_html_styles);
  add_text(self, "; img-src file: data: blob:; base-uri 'none'; form-action 'none'\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                 "<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
  const ee_page_block *titled = NULL;
  for (const ee_page_block *block = page->first; block != NULL; block = block->next) {
    if (block->kind != EE_BLOCK_LINE || (block->medium & EE_MEDIUM_HTML) == 0) continue;
    if (block->line.role == EE_LINE_TITLE || (block->line.role == EE_LINE_HEADING && titled == NULL)) titled = block;
    if (block->line.role == EE_LINE_TITLE) break;
  }
  add_escaped(self->out, titled != NULL ? line_text(self, &titled->line) : EE_STR("evalengine"));
  add_text(self, "</title>\n");
  for (const ee_embedded_file *file = ee_html_styles; file->name != NULL; file++) {
    add_text(self, "<style>");
    ee_buffer_add(self->out, file->text, file->length);
    add_text(self, "</style>\n");
  }
  add_text(self, "</head>\n<body>\n<div id=\"report\">\n");
}

void ee_html_add_end(ee_buffer *out) {
  for (const ee_embedded_file *file = ee_html_scripts; file->name != NULL; file++) {
    ADD(out, "<script>");
    ee_buffer_add(out, file->text, file->length);
    ADD(out, "</script>\n");
  }
  ADD(out, "</body>\n</html>\n");
}

void ee_render_html(const ee_page *page, ee_table_style style, ee_buffer *out) {
  (void)style;
  html self = {.out = out, .names_misfits = true};
  ee_arena_init(&self.arena, 0);
  print_head(&self, page);
  add_text(&self, "<header><fieldset class=\"theme\"><legend>Colours</legend>"
                  "<label><input type=\"radio\" name=\"theme\" id=\"theme-auto\" checked>auto</label>"
                  "<label><input type=\"radio\" name=\"theme\" id=\"theme-light\">light</label>"
                  "<label><input type=\"radio\" name=\"theme\" id=\"theme-dark\">dark</label></fieldset></header>\n"
                  "<main>\n");
  for (const ee_page_block *block = page->first; block != NULL; block = block->next) {
    if ((block->medium & EE_MEDIUM_HTML) == 0) continue;
    begin_section(&self, block);
    print_block(&self, block);
  }
  end_list(&self);
  add_text(&self, self.section.data != NULL ? "</section>\n" : "");
  add_text(&self, "</main>\n</div>\n<div id=\"viewer\" hidden></div>\n");
  if (page->json.length > 0) {
    ee_buffer_addf(out, "<script type=\"application/json\" id=\"ee-run\">{\"document\":\"%s\",\"report\":", page->kind);
    ee_html_add_json(page->json, out);
    ADD(out, "}</script>\n");
  }
  ee_html_add_end(out);
  ee_arena_fini(&self.arena);
}
