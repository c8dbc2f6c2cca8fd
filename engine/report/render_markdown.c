/* render_markdown.c: a page as Markdown (GitHub's), for a comment on a change.
 *
 * A comment is read from its top, so gates follow the summary, and long tables are folded. It may have 65,536
 * characters at GitHub (a million at GitLab): a longer page is cut to EE_MARKDOWN_BYTES. Summary, gates and headings
 * are kept first, then the rest in the order of the page, tables and lists up to the row that fits; the end names what
 * was left out.
 *
 * Texts of the data are in code spans or escaped: they format nothing, link nothing and mention nobody. Tables are
 * aligned in the source too. */
#include <inttypes.h>
#include <strings.h>

#include "prim/unicode.h"
#include "report/page.h"

/* Rows of a table that is not folded. */
#define FOLD_ROWS 12
/* What naming the rest may take of a page that is cut. */
#define END_BYTES ((size_t)2000)

typedef struct markdown {
  ee_buffer *out;
  ee_arena arena; /* scratch */
  bool any;       /* something was printed */
  bool in_list;   /* and the last of it was an item of a list */
  bool in_details;
  size_t body, body_end; /* of the current block, if it is folded; 0: all of it */
} markdown;

static void add_text(markdown *self, const char *text) { ee_buffer_add_text(self->out, text); }

static void add_str(markdown *self, ee_str text) { ee_buffer_add_str(self->out, text); }

/* An empty line goes before every block but the first. */
static void begin_block(markdown *self) {
  if (self->any) add_text(self, "\n");
  self->any = true;
  self->in_list = false;
}

static void begin_item(markdown *self) {
  if (!self->in_list) begin_block(self);
  self->in_list = true;
  add_text(self, "- ");
}

/* Texts ----------------------------------------------------------------------------------------- */

static bool is_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

/* Inside <code>, Markdown is still read: everything that could mean something becomes an entity. Dots, dashes,
 * commas and slashes do not. */
static void add_entities(ee_buffer *out, ee_str text) {
  for (size_t i = 0; i < text.length; i++) {
    char c = text.data[i];
    bool plain = !is_punctuation(c) || c == '.' || c == '-' || c == ',' || c == '/';
    if (plain)
      ee_buffer_add_char(out, c);
    else
      ee_buffer_addf(out, "&#%d;", c);
  }
}

/* Printable text as inline code: `text`; where it has a pipe or a backtick, which would end a table's cell or the span,
 * <code> with entities. */
static void add_code(ee_buffer *out, ee_str text) {
  if (text.length == 0) {
    ee_buffer_add_text(out, "`\"\"`");
    return;
  }
  bool simple = memchr(text.data, '|', text.length) == NULL && memchr(text.data, '`', text.length) == NULL;
  if (simple) {
    /* Readers of Markdown take off one space at both ends. */
    bool spaced = text.data[0] == ' ' && text.data[text.length - 1] == ' ';
    ee_buffer_add_text(out, spaced ? "` " : "`");
    ee_buffer_add_str(out, text);
    ee_buffer_add_text(out, spaced ? " `" : "`");
  } else {
    ee_buffer_add_text(out, "<code>");
    add_entities(out, text);
    ee_buffer_add_text(out, "</code>");
  }
}

static bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c & 0x80) != 0;
}

static bool has_at(ee_str text, size_t at, const char *part) {
  size_t length = strlen(part);
  return text.length - at >= length && memcmp(text.data + at, part, length) == 0;
}

/* What becomes a link without any markup: "@name" and "#1" at GitHub, "http://" and "www." in its Markdown. An empty
 * comment after its first character makes it plain text. */
static bool begins_link(ee_str text, size_t at) {
  char c = text.data[at];
  bool follows = at + 1 < text.length && is_word(text.data[at + 1]);
  if (c == '@' || c == '#') return follows;
  if (c == ':') return has_at(text, at, "://");
  return (c == 'w' || c == 'W') &&
         strncasecmp(text.data + at, "www.", text.length - at < 4 ? text.length - at : 4) == 0 && text.length - at > 4;
}

static void add_escaped(ee_buffer *out, ee_str text) {
  for (size_t i = 0; i < text.length; i++) {
    if (text.data[i] != '\0' && strchr("\\`*_{}[]<>()#|~&!", text.data[i]) != NULL) ee_buffer_add_char(out, '\\');
    ee_buffer_add_char(out, text.data[i]);
    if (begins_link(text, i)) ee_buffer_add_text(out, "<!-- -->");
  }
}

/* Our own words, which may have a name of the rules among them. Only what would be markup is changed: brackets of
 * intervals stay. As entities, which mean the same in HTML. */
static void add_words(ee_buffer *out, ee_str text) {
  for (size_t i = 0; i < text.length; i++) {
    char c = text.data[i];
    bool is_end_of_link = c == ']' && i + 1 < text.length && (text.data[i + 1] == '(' || text.data[i + 1] == '[');
    if (c == '<')
      ee_buffer_add_text(out, "&lt;");
    else if (is_end_of_link || (c != '\0' && strchr("\\`*|~&", c) != NULL))
      ee_buffer_addf(out, "&#%d;", c);
    else
      ee_buffer_add_char(out, c);
    if (begins_link(text, i)) ee_buffer_add_text(out, "<!-- -->");
  }
}

static void add_pieces(markdown *self, ee_buffer *out, const ee_cell *cell) {
  for (; cell != NULL; cell = cell->next) {
    ee_str text = ee_text_printable(cell->text, &self->arena);
    if (cell->max_markup_columns > 0) text = ee_text_shorten(text, cell->max_markup_columns, &self->arena);
    if (cell->strong) ee_buffer_add_text(out, "**");
    if (cell->kind == EE_CELL_CODE && memchr(text.data, '`', text.length) == NULL)
      ee_buffer_addf(out, "`%.*s`", EE_STR_ARG(text));
    else if (cell->kind == EE_CELL_DATA || cell->kind == EE_CELL_CODE)
      add_code(out, text);
    else if (cell->kind == EE_CELL_QUOTE)
      add_escaped(out, text);
    else
      add_words(out, text);
    if (cell->strong) ee_buffer_add_text(out, "**");
  }
}

static ee_str cell_text(markdown *self, const ee_cell *cell) {
  ee_buffer out;
  ee_buffer_init(&out);
  add_pieces(self, &out, cell);
  ee_str text = {ee_arena_copy(&self->arena, ee_buffer_terminate(&out), out.length), out.length};
  ee_buffer_fini(&out);
  return text;
}

static void add_data(markdown *self, ee_str text) { add_code(self->out, ee_text_printable(text, &self->arena)); }

/* Tables ---------------------------------------------------------------------------------------- */

typedef struct markdown_row {
  struct markdown_row *next;
  ee_str cells[EE_GRID_COLUMNS];
} markdown_row;

typedef struct markdown_table {
  const ee_column *columns[EE_GRID_COLUMNS];
  size_t numbers[EE_GRID_COLUMNS]; /* of the columns in the page's table */
  size_t count;
  markdown_row *first, *last;
} markdown_table;

static markdown_row *append(markdown *self, markdown_table *table) {
  markdown_row *row = EE_NEW(&self->arena, markdown_row);
  if (table->last != NULL)
    table->last->next = row;
  else
    table->first = row;
  table->last = row;
  return row;
}

static void add_repeated(markdown *self, char c, size_t count) {
  while (count-- > 0) ee_buffer_add_char(self->out, c);
}

static void print_row(markdown *self, const markdown_table *table, const markdown_row *row, const size_t *widths) {
  for (size_t i = 0; i < table->count; i++) {
    ee_str cell = row->cells[i];
    size_t padding = widths[i] - ee_text_width(cell);
    add_text(self, "| ");
    if (!table->columns[i]->left) add_repeated(self, ' ', padding);
    add_str(self, cell);
    if (table->columns[i]->left) add_repeated(self, ' ', padding);
    add_text(self, " ");
  }
  add_text(self, "|\n");
}

static void print_rule(markdown *self, const markdown_table *table, const size_t *widths) {
  for (size_t i = 0; i < table->count; i++) {
    bool left = table->columns[i]->left;
    add_text(self, left ? "|:" : "|-");
    add_repeated(self, '-', widths[i]);
    add_text(self, left ? "-" : ":");
  }
  add_text(self, "|\n");
}

static void print_aligned(markdown *self, const markdown_table *table) {
  size_t widths[EE_GRID_COLUMNS];
  for (size_t i = 0; i < table->count; i++) {
    widths[i] = 1;
    for (const markdown_row *row = table->first; row != NULL; row = row->next) {
      size_t width = ee_text_width(row->cells[i]);
      if (width > widths[i]) widths[i] = width;
    }
  }
  for (const markdown_row *row = table->first; row != NULL; row = row->next) {
    print_row(self, table, row, widths);
    if (row == table->first) print_rule(self, table, widths);
  }
}

static void print_unaligned(markdown *self, const markdown_table *table) {
  for (const markdown_row *row = table->first; row != NULL; row = row->next) {
    for (size_t i = 0; i < table->count; i++) {
      add_text(self, "| ");
      add_str(self, row->cells[i]);
      if (row->cells[i].length > 0 || row != table->first) add_text(self, " ");
    }
    add_text(self, "|\n");
    if (row != table->first) continue;
    for (size_t i = 0; i < table->count; i++) add_text(self, table->columns[i]->left ? "|---" : "|---:");
    add_text(self, "|\n");
  }
}

/* "16 rows: value, cases, mean score, pass" */
static void begin_fold(markdown *self, const markdown_table *table, size_t rows) {
  ee_buffer_addf(self->out, "<details><summary>%zu rows: ", rows);
  for (size_t i = 0; i < table->count; i++) {
    if (i > 0) add_text(self, ", ");
    add_str(self, table->first->cells[i]);
  }
  add_text(self, "</summary>\n\n");
  self->body = self->out->length;
}

static void end_fold(markdown *self) {
  self->body_end = self->out->length;
  add_text(self, "\n</details>\n");
}

static void print_grid(markdown *self, const ee_grid *grid) {
  begin_block(self);
  markdown_table table = {0};
  for (size_t c = 0; c < grid->count; c++) {
    if ((grid->columns[c].hidden_in & EE_MEDIUM_MARKDOWN) != 0) continue;
    table.numbers[table.count] = c;
    table.columns[table.count++] = &grid->columns[c];
  }
  markdown_row *head = append(self, &table);
  for (size_t c = 0; c < table.count; c++) {
    const ee_column *column = table.columns[c];
    ee_cell cell = ee_cell_words(column->markup_name != NULL ? column->markup_name : column->name, EE_INK_PLAIN);
    if (column->data_name) cell.kind = EE_CELL_DATA;
    head->cells[c] = cell_text(self, &cell);
  }
  size_t rows = 0;
  for (const ee_grid_row *row = grid->first; row != NULL; row = row->next) {
    if ((row->medium & EE_MEDIUM_MARKDOWN) == 0) continue;
    rows++;
    markdown_row *copy = append(self, &table);
    for (size_t c = 0; c < table.count; c++) {
      const ee_cell *cell = &row->cells[table.numbers[c]];
      if (cell->text.length > 0 || cell->kind == EE_CELL_DATA || cell->next != NULL)
        copy->cells[c] = cell_text(self, cell);
    }
  }
  bool folded = rows > FOLD_ROWS && !self->in_details;
  if (folded) begin_fold(self, &table, rows);
  if (grid->unaligned)
    print_unaligned(self, &table);
  else
    print_aligned(self, &table);
  if (folded) end_fold(self);
}

static void print_metrics(markdown *self, const ee_metric_list *metrics) {
  static const ee_column columns[] = {{.name = "metric", .left = true}, {.name = "value"}};
  if (metrics->count == 0) return;
  ee_grid grid = {.arena = &self->arena, .columns = columns, .count = 2};
  for (size_t i = 0; i < metrics->count; i++) {
    const ee_corpus_metric *metric = &metrics->items[i];
    ee_cell *cells = ee_grid_add(&grid);
    cells[0] = ee_cell_words(metric->name, EE_INK_PLAIN);
    cells[1] = ee_cell_corpus_metric(&self->arena, metric);
  }
  print_grid(self, &grid);
}

/* Scores and counts ----------------------------------------------------------------------------- */

/* "51 pass (75.0 % [63.5, 83.8]), 12 borderline (17.6 %), 5 fail (7.4 %)" */
static void add_verdicts(markdown *self, const uint64_t verdicts[3], ee_interval passed) {
  uint64_t whole = verdicts[0] + verdicts[1] + verdicts[2];
  for (size_t i = 0; i < 3; i++) {
    ee_buffer_addf(self->out, "%s%" PRIu64 " %s", i > 0 ? ", " : "", verdicts[i], ee_verdict_name((ee_verdict)i));
    if (verdicts[i] == 0) continue;
    ee_cell share = ee_cell_percent(&self->arena, verdicts[i], whole, EE_INK_PLAIN);
    ee_buffer_addf(self->out, " (%.*s", EE_STR_ARG(share.text));
    ee_cell interval = ee_cell_interval_percent(&self->arena, passed, EE_INK_PLAIN);
    if (i == EE_VERDICT_PASS && interval.text.length > 0) ee_buffer_addf(self->out, " %.*s", EE_STR_ARG(interval.text));
    add_text(self, ")");
  }
}

/* "- 2 records could not be read" */
static void print_counts(markdown *self, const ee_count *counts, size_t number) {
  for (size_t i = 0; i < number; i++) {
    const ee_count *count = &counts[i];
    if (count->count == 0 || count->one == NULL || count->use == EE_COUNT_NEVER) continue;
    begin_item(self);
    ee_buffer_addf(self->out, "%" PRIu64 " %s\n", count->count, count->count == 1 ? count->one : count->many);
  }
}

static void print_scores(markdown *self, const ee_scores *scores) {
  begin_block(self);
  ee_buffer_addf(self->out, "%" PRIu64 " %s%s%s: ", scores->count, scores->noun, scores->count == 1 ? "" : "s",
                 scores->suffix);
  add_verdicts(self, scores->verdicts, scores->passed);
  if (ee_interval_is_known(scores->passed))
    ee_buffer_addf(self->out, "; intervals at %s", ee_confidence_text(&self->arena, scores->confidence));
  add_text(self, "\n");
}

static void print_judge(markdown *self, const ee_judge_heading *judge) {
  begin_block(self);
  add_text(self, "### ");
  add_data(self, judge->name);
  if (judge->type.length > 0) {
    add_text(self, " (");
    add_data(self, judge->type);
    add_text(self, ")");
  }
  add_text(self, "\n");
  begin_block(self);
  add_text(self, "Mean score **");
  add_str(self, ee_cell_ranged(&self->arena, judge->mean, EE_INK_PLAIN).text);
  add_text(self, "**: ");
  add_verdicts(self, judge->verdicts, EE_NO_INTERVAL);
  add_text(self, "\n");
  print_counts(self, judge->counts, judge->count);
}

/* Notes and gates ------------------------------------------------------------------------------- */

static void print_notes(markdown *self, const ee_note_list *notes) {
  if (notes->count == 0) return;
  begin_block(self);
  for (size_t i = 0; i < notes->count; i++) {
    add_text(self, "- ");
    add_data(self, notes->items[i]);
    add_text(self, "\n");
  }
}

static void print_gates(markdown *self, const ee_gate_block *gates) {
  static const ee_column columns[] = {{.name = "gate", .left = true}, {.name = "verdict", .left = true}};
  begin_block(self);
  add_text(self, "### Gates\n");
  ee_grid grid = {.arena = &self->arena, .columns = columns, .count = 2};
  for (const ee_gate_line *gate = gates->first; gate != NULL; gate = gate->next) {
    if (gates->quotes) {
      begin_item(self);
      static const char *const words[] = {"FAIL ", "PASS ", "UNDECIDED "};
      add_text(self, words[gate->verdict]);
      add_escaped(self->out, ee_text_printable(gate->text, &self->arena));
      add_text(self, "\n");
    } else {
      ee_cell *cells = ee_grid_add(&grid);
      cells[0] = (ee_cell){.text = gate->text, .kind = EE_CELL_DATA};
      static const char *const words[] = {"\xe2\x9d\x8c FAIL", "\xe2\x9c\x85 PASS", "\xe2\x9d\x8c UNDECIDED"};
      cells[1] = ee_cell_words(words[gate->verdict], EE_INK_PLAIN);
    }
  }
  if (!gates->quotes) print_grid(self, &grid);
}

/* The page -------------------------------------------------------------------------------------- */

static void print_line(markdown *self, const ee_line *line) {
  static const char *const before[] = {[EE_LINE_PARAGRAPH] = "",
                                       [EE_LINE_TITLE] = "## ",
                                       [EE_LINE_HEADING] = "### ",
                                       [EE_LINE_ITEM] = "",
                                       [EE_LINE_DETAILS] = "<details><summary>"};
  if (line->role == EE_LINE_ITEM)
    begin_item(self);
  else
    begin_block(self);
  add_text(self, before[line->role]);
  add_pieces(self, self->out, line->first);
  add_text(self, line->role == EE_LINE_DETAILS ? "</summary>\n" : "\n");
  if (line->role == EE_LINE_DETAILS) self->in_details = true;
}

static void print_block(markdown *self, const ee_page_block *block) {
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
  case EE_BLOCK_TEXT: break;
  case EE_BLOCK_DETAILS_END:
    begin_block(self);
    add_text(self, "</details>\n");
    self->in_details = false;
    break;
  }
}

/* A comment ------------------------------------------------------------------------------------- */

/* A block, printed: bytes of the whole page. */
typedef struct piece {
  const ee_page_block *block;
  size_t from, to;
  size_t body, body_end; /* the lines that can be cut */
  size_t kept;           /* the body up to this byte; its start: nothing of the piece */
  bool item;             /* continues a list */
} piece;

typedef struct pieces {
  EE_LIST(piece);
} pieces;

static void print_piece(markdown *self, const ee_page_block *block, pieces *list) {
  piece added = {.block = block, .from = self->out->length, .item = self->in_list};
  self->body = self->body_end = 0;
  print_block(self, block);
  added.to = self->out->length;
  added.body = self->body > 0 ? self->body : added.from;
  added.body_end = self->body > 0 ? self->body_end : added.to;
  added.item = added.item && self->in_list;
  added.kept = added.body_end;
  if (added.to > added.from) *EE_LIST_ADD(list, &self->arena) = added;
}

static size_t frame_of(const piece *each) { return each->to - each->from - (each->body_end - each->body); }

/* Lower first: what holds the page together, then what a reader looks for, then tables and lists. */
static int rank_of(const ee_page_block *block) {
  switch (block->kind) {
  case EE_BLOCK_DETAILS_END: return 0;
  case EE_BLOCK_LINE: return block->line.role == EE_LINE_ITEM ? 2 : 0;
  case EE_BLOCK_GATES:
  case EE_BLOCK_SCORES:
  case EE_BLOCK_JUDGE:
  case EE_BLOCK_COUNTS: return 1;
  default: return 2;
  }
}

/* The end of the whole lines of a piece's body that fit, with the rest of it, into `room` bytes; the start of the body
 * if only the head of a table does. */
static size_t fit(const ee_buffer *page, const piece *each, size_t room) {
  enum { HEAD_LINES = 4 };
  if (each->to - each->from < room) return each->body_end;
  if (frame_of(each) + 1 >= room) return each->body;
  size_t end = each->body + (room - frame_of(each) - 1), lines = 0;
  while (end > each->body && page->data[end - 1] != '\n') end--;
  for (size_t i = each->body; i < end; i++) lines += page->data[i] == '\n';
  return lines > HEAD_LINES ? end : each->body;
}

/* Decides what is kept of each piece of a page that is too long. */
static void cut(const ee_buffer *page, pieces *list) {
  size_t room = EE_MARKDOWN_BYTES - END_BYTES;
  for (int rank = 0; rank <= 2; rank++) {
    for (size_t i = 0; i < list->count; i++) {
      piece *each = &list->items[i];
      if (rank_of(each->block) != rank) continue;
      each->kept = fit(page, each, room);
      /* One more: the empty line before an item that lost its list. */
      if (each->kept > each->body) room -= frame_of(each) + (each->kept - each->body) + 1;
    }
  }
}

static bool is_same_part(const ee_page_block *a, const ee_page_block *b) {
  return ee_str_equal(a->section, b->section) && a->part == b->part;
}

/* Appends "`header` attributes (3880 lines)" for each part of a section that lost lines; "and 7 more" for those beyond
 * END_BYTES / 2. */
static void name_rest(markdown *self, const ee_buffer *page, const pieces *list) {
  size_t begun = self->out->length, more = 0;
  for (size_t i = 0, next; i < list->count; i = next) {
    const ee_page_block *block = list->items[i].block;
    size_t lines = 0;
    for (next = i; next < list->count && is_same_part(list->items[next].block, block); next++)
      for (size_t at = list->items[next].kept; at < list->items[next].body_end; at++) lines += page->data[at] == '\n';
    if (lines == 0) continue;
    if (self->out->length - begun > END_BYTES / 2) {
      more++;
      continue;
    }
    if (self->out->length > begun) add_text(self, ", ");
    add_data(self, ee_text_shorten(ee_text_printable(block->section, &self->arena), EE_NAME_COLUMNS, &self->arena));
    if (block->part != NULL) ee_buffer_addf(self->out, " %s", block->part);
    ee_buffer_addf(self->out, " (%zu line%s)", lines, lines == 1 ? "" : "s");
  }
  if (more > 0) ee_buffer_addf(self->out, " and %zu more", more);
}

/* Appends the pieces in the order of a comment: summary, gates, the rest. */
static void add_in_order(markdown *self, const ee_buffer *page, const pieces *list) {
  const piece *before = NULL;
  for (int turn = 0; turn < 3; turn++) {
    for (size_t i = 0; i < list->count; i++) {
      const piece *each = &list->items[i];
      int own = ee_str_is(each->block->section, "summary") ? 0 : each->block->kind == EE_BLOCK_GATES ? 1 : 2;
      if (own != turn || each->kept == each->body) continue;
      /* An empty line between blocks, whatever was before them on the page. */
      bool parted = page->data[each->from] == '\n', joined = each->item && before != NULL && before + 1 == each;
      if (before != NULL && !parted && !joined) add_text(self, "\n");
      size_t from = each->from + (before == NULL && parted);
      ee_buffer_add(self->out, page->data + from, each->kept - from);
      ee_buffer_add(self->out, page->data + each->body_end, each->to - each->body_end);
      before = each;
    }
  }
}

void ee_render_markdown(const ee_page *page, ee_table_style style, ee_buffer *out) {
  (void)style;
  ee_buffer all;
  ee_buffer_init(&all);
  markdown self = {.out = &all};
  pieces list = {0};
  ee_arena_init(&self.arena, 0);
  for (const ee_page_block *block = page->first; block != NULL; block = block->next)
    if ((block->medium & EE_MEDIUM_MARKDOWN) != 0) print_piece(&self, block, &list);
  bool fits = all.length <= EE_MARKDOWN_BYTES;
  if (!fits) cut(&all, &list);
  self.out = out;
  add_in_order(&self, &all, &list);
  if (!fits) {
    add_text(&self, "\nLeft out, so that this fits into a comment: ");
    name_rest(&self, &all, &list);
    add_text(&self, ". `-f json` and `-f html` have everything.\n");
  }
  ee_arena_fini(&self.arena);
  ee_buffer_fini(&all);
}
