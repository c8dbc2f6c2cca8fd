/* render_html.c: a page as one file of HTML that needs nothing else.
 *
 * It is complete without script, and its script may do nothing but what its hash allows (html_data.h). Texts of the
 * data are escaped, and isolated from the direction of the text around them. */
#include <inttypes.h>

#include "prim/unicode.h"
#include "report/html/html_data.h"
#include "report/page.h"

#define ADD(out, literal) ee_buffer_add((out), "" literal, sizeof(literal) - 1)

typedef struct html {
  ee_buffer *out;
  ee_arena arena; /* scratch */
  ee_str section; /* that is open; empty: none */
  bool in_list;   /* a list is open */
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

static void add_cell(html *self, const ee_cell *cell) {
  ee_str text = cell->text;
  if (cell->kind != EE_CELL_WORDS) text = ee_text_printable(text, &self->arena);
  if (cell->max_markup_columns > 0) text = ee_text_shorten(text, cell->max_markup_columns, &self->arena);
  if (cell->kind == EE_CELL_DATA && text.length == 0) text = EE_STR("\"\"");
  const char *class = class_of(cell->ink);
  bool strong = cell->strong || cell->ink == EE_INK_BOLD;
  const char *element = cell->kind == EE_CELL_DATA ? "bdi" : class != NULL ? "span" : NULL;
  if (strong) add_text(self, "<strong>");
  if (element != NULL && class != NULL)
    ee_buffer_addf(self->out, "<%s class=\"%s\">", element, class);
  else if (element != NULL)
    ee_buffer_addf(self->out, "<%s>", element);
  add_escaped(self->out, text);
  if (element != NULL) ee_buffer_addf(self->out, "</%s>", element);
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

/* Tables ---------------------------------------------------------------------------------------- */

static bool is_shown(const ee_column *column) { return (column->hidden_in & EE_MEDIUM_HTML) == 0; }

static void print_grid(html *self, const ee_grid *grid) {
  end_list(self);
  add_text(self, "<table>\n<thead><tr>");
  for (size_t c = 0; c < grid->count; c++) {
    const ee_column *column = &grid->columns[c];
    if (!is_shown(column)) continue;
    add_text(self, column->left ? "<th scope=\"col\">" : "<th scope=\"col\" class=\"number\">");
    add_escaped(self->out, ee_str_from(column->markup_name != NULL ? column->markup_name : column->name));
    add_text(self, "</th>");
  }
  add_text(self, "</tr></thead>\n<tbody>\n");
  for (const ee_grid_row *row = grid->first; row != NULL; row = row->next) {
    if ((row->medium & EE_MEDIUM_HTML) == 0) continue;
    add_text(self, "<tr>");
    bool head = true;
    for (size_t c = 0; c < grid->count; c++) {
      const ee_column *column = &grid->columns[c];
      if (!is_shown(column)) continue;
      const char *element = head ? "th" : "td";
      ee_buffer_addf(self->out, "<%s%s%s>", element, head ? " scope=\"row\"" : "",
                     column->left ? "" : " class=\"number\"");
      const ee_cell *cell = &row->cells[c];
      if (cell->text.length > 0 || cell->kind == EE_CELL_DATA || cell->next != NULL) add_pieces(self, cell);
      ee_buffer_addf(self->out, "</%s>", element);
      head = false;
    }
    add_text(self, "</tr>\n");
  }
  add_text(self, "</tbody>\n</table>\n");
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

static void add_mean(html *self, const ee_sample *score) {
  add_escaped(self->out, ee_cell_mean(&self->arena, score, EE_INK_PLAIN).text);
  add_text(self, ee_margin_text(&self->arena, score));
}

static void add_verdicts(html *self, const uint64_t verdicts[3]) {
  uint64_t whole = verdicts[0] + verdicts[1] + verdicts[2];
  for (size_t i = 0; i < 3; i++) {
    ee_buffer_addf(self->out, "%s%" PRIu64 " %s", i > 0 ? ", " : "", verdicts[i], ee_verdict_name((ee_verdict)i));
    if (verdicts[i] == 0) continue;
    ee_cell share = ee_cell_percent(&self->arena, verdicts[i], whole, EE_INK_PLAIN);
    ee_buffer_addf(self->out, " (%.*s)", EE_STR_ARG(share.text));
  }
}

static void print_counts(html *self, const ee_count *counts, size_t number) {
  for (size_t i = 0; i < number; i++) {
    const ee_count *count = &counts[i];
    if (count->count == 0 || count->one == NULL || count->use == EE_COUNT_NEVER) continue;
    begin_item(self);
    ee_buffer_addf(self->out, "%" PRIu64 " %s</li>\n", count->count, count->count == 1 ? count->one : count->many);
  }
}

static void print_scores(html *self, const ee_scores *scores) {
  end_list(self);
  ee_buffer_addf(self->out, "<p>%" PRIu64 " %s%s%s: ", scores->count, scores->noun, scores->count == 1 ? "" : "s",
                 scores->suffix);
  add_verdicts(self, scores->verdicts);
  add_text(self, "</p>\n");
}

static void print_judge(html *self, const ee_judge_heading *judge) {
  end_list(self);
  add_text(self, "<h2>");
  add_data(self, judge->name);
  if (judge->type.length > 0) {
    add_text(self, " <small>");
    add_data(self, judge->type);
    add_text(self, "</small>");
  }
  add_text(self, "</h2>\n<p>Mean score <strong>");
  add_mean(self, judge->score);
  add_text(self, "</strong>: ");
  add_verdicts(self, judge->verdicts);
  add_text(self, "</p>\n");
  print_counts(self, judge->counts, judge->count);
}

/* Notes and gates ------------------------------------------------------------------------------- */

static void print_notes(html *self, const ee_note_list *notes) {
  for (size_t i = 0; i < notes->count; i++) {
    begin_item(self);
    add_data(self, notes->items[i]);
    add_text(self, "</li>\n");
  }
}

static void print_gates(html *self, const ee_gate_block *gates) {
  end_list(self);
  add_text(self, "<h2>Gates</h2>\n");
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

static void print_line(html *self, const ee_line *line) {
  static const char *const before[] = {[EE_LINE_PARAGRAPH] = "<p>",
                                       [EE_LINE_TITLE] = "<h1>",
                                       [EE_LINE_HEADING] = "<h3>",
                                       [EE_LINE_ITEM] = "",
                                       [EE_LINE_DETAILS] = "<details><summary>"};
  static const char *const after[] = {[EE_LINE_PARAGRAPH] = "</p>\n",
                                      [EE_LINE_TITLE] = "</h1>\n",
                                      [EE_LINE_HEADING] = "</h3>\n",
                                      [EE_LINE_ITEM] = "</li>\n",
                                      [EE_LINE_DETAILS] = "</summary>\n"};
  if (line->first == NULL) return;
  if (line->role == EE_LINE_ITEM)
    begin_item(self);
  else
    end_list(self);
  add_text(self, before[line->role]);
  add_pieces(self, line->first);
  add_text(self, after[line->role]);
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
      hash[i] = (unsigned char)(ee_hex_digit(files->hash[2 * i]) << 4 | ee_hex_digit(files->hash[2 * i + 1]));
    ADD(out, " 'sha256-");
    ee_html_add_base64(hash, sizeof hash, out);
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
  for (const ee_page_block *block = page->first; block != NULL; block = block->next) {
    if (block->kind != EE_BLOCK_LINE || block->line.role != EE_LINE_TITLE || (block->medium & EE_MEDIUM_HTML) == 0)
      continue;
    for (const ee_cell *cell = block->line.first; cell != NULL; cell = cell->next)
      add_escaped(self->out, ee_text_printable(cell->text, &self->arena));
    break;
  }
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
  html self = {.out = out};
  ee_arena_init(&self.arena, 0);
  print_head(&self, page);
  add_text(&self, "<header><fieldset class=\"theme\"><legend>Colours</legend>"
                  "<label><input type=\"radio\" name=\"theme\" id=\"theme-auto\" checked>auto</label>"
                  "<label><input type=\"radio\" name=\"theme\" id=\"theme-light\">light</label>"
                  "<label><input type=\"radio\" name=\"theme\" id=\"theme-dark\">dark</label></fieldset></header>\n"
                  "<main>\n");
  for (const ee_page_block *block = page->first; block != NULL; block = block->next)
    if ((block->medium & EE_MEDIUM_HTML) != 0) print_block(&self, block);
  end_list(&self);
  add_text(&self, "</main>\n</div>\n<div id=\"viewer\" hidden></div>\n");
  if (page->json.length > 0) {
    ee_buffer_addf(out, "<script type=\"application/json\" id=\"ee-run\">{\"document\":\"%s\",\"report\":", page->kind);
    ee_html_add_json(page->json, out);
    ADD(out, "}</script>\n");
  }
  ee_html_add_end(out);
  ee_arena_fini(&self.arena);
}
