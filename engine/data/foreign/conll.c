/* conll.c: sentences of CoNLL files: columns of white space, a token a line, a blank line after a sentence.
 *
 * The last column is the tag (CoNLL-2000 and 2003, and what most taggers write). Two files are the expected tags and
 * the found ones; of one file the last column but one has the expected tags and the last one the found ones, as
 * conlleval reads it (Tjong Kim Sang, Buchholz 2000). Lines with -DOCSTART- are not sentences, and a comment "# sent_id
 * = X" gives the sentence its id. The word "#" begins like a comment, too (CoNLL-2000 writes pounds as "# # B-NP"):
 * such a line is a word if it has as many columns as the words, and words come before it or its last column is a tag.
 *
 * Ten columns with tabs, the first a number, are CoNLL-U (universaldependencies.org/format.html): words with
 * form, lemma, upos, xpos, feats, head and deprel. Ranges of words (1-2) and empty words (1.1) are left out. */
#include "data/foreign/foreign.h"

#include <string.h>

#include "data/json/json_writer.h"

#define COLUMNS 64
#define U_COLUMNS 10

enum { RANGES };

static const char *const notes[] = {[RANGES] = "ranges of words (1-2) and empty words (1.1) of CoNLL-U are left out",
                                    NULL};

/* The cells of a line; of more than COLUMNS, the last ones are where the last ones were. */
typedef struct cell_list {
  ee_str items[COLUMNS];
  size_t count; /* of the line */
  size_t kept;
  bool is_u;
} cell_list;

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static void add_cell(cell_list *line, ee_str cell) {
  line->count++;
  if (line->kept == COLUMNS)
    memmove(line->items + 1, line->items + 2, (COLUMNS - 2) * sizeof *line->items);
  else
    line->kept++;
  line->items[line->kept - 1] = cell;
}

static bool is_number(ee_str text) {
  for (size_t i = 0; i < text.length; i++)
    if (text.data[i] < '0' || text.data[i] > '9') return false;
  return text.length > 0;
}

/* The number of a word, "1-2" or "1.1". */
static bool is_word_number(ee_str text) {
  size_t at = 0;
  while (at < text.length && text.data[at] >= '0' && text.data[at] <= '9') at++;
  if (at == 0 || at == text.length) return at > 0;
  return (text.data[at] == '-' || text.data[at] == '.') &&
         is_number((ee_str){text.data + at + 1, text.length - at - 1});
}

/* Cells of a table with tabs may have spaces inside and be empty. */
static void split(ee_str text, cell_list *line) {
  line->count = line->kept = 0;
  size_t tabs = 0;
  if (text.length > 0 && text.data[text.length - 1] == '\r') text.length--;
  for (size_t i = 0; i < text.length; i++) tabs += text.data[i] == '\t';
  const char *at = text.data, *end = text.data + text.length;
  if (tabs == U_COLUMNS - 1) {
    for (;;) {
      const char *tab = memchr(at, '\t', (size_t)(end - at));
      add_cell(line, (ee_str){at, (size_t)((tab != NULL ? tab : end) - at)});
      if (tab == NULL) break;
      at = tab + 1;
    }
    line->is_u = is_word_number(line->items[0]);
    if (line->is_u) return;
    line->count = line->kept = 0;
    at = text.data;
  }
  line->is_u = false;
  while (at < end) {
    while (at < end && is_space(*at)) at++;
    const char *from = at;
    while (at < end && !is_space(*at)) at++;
    if (at > from) add_cell(line, (ee_str){from, (size_t)(at - from)});
  }
}

/* The lines of a sentence. */
static bool next_line(ee_str *text, ee_str *line) {
  if (text->length == 0) return false;
  const char *newline = memchr(text->data, '\n', text->length);
  line->data = text->data;
  line->length = newline != NULL ? (size_t)(newline - text->data) : text->length;
  size_t used = line->length + (newline != NULL);
  text->data += used;
  text->length -= used;
  return true;
}

static bool begins_as_comment(ee_str line) { return line.length > 1 && line.data[0] == '#' && is_space(line.data[1]); }

/* The value of "# KEY = value"; data NULL. */
static ee_str comment_value(ee_str line, const char *key) {
  ee_str rest = ee_str_trim((ee_str){line.data + 1, line.length - 1});
  size_t length = strlen(key);
  if (rest.length <= length || memcmp(rest.data, key, length) != 0) return (ee_str){NULL, 0};
  rest = ee_str_trim((ee_str){rest.data + length, rest.length - length});
  if (rest.data[0] != '=') return (ee_str){NULL, 0};
  return ee_str_trim((ee_str){rest.data + 1, rest.length - 1});
}

/* What the lines of a sentence have in common. */
typedef struct shape {
  size_t lines, columns;
  bool is_u, ranges;
  ee_str id, text;
} shape;

/* "O", or such as "B-NP". */
static bool is_tag(ee_str text) {
  return ee_str_is(text, "O") || (text.length > 2 && text.data[0] >= 'A' && text.data[0] <= 'Z' && text.data[1] == '-');
}

/* Whether a line that begins as a comment is one. `first`: no word comes before it. */
static bool is_comment(const shape *s, const cell_list *cells, bool first) {
  if (s->is_u || cells->count != s->columns) return true;
  if (cells->count > 2 && ee_str_is(cells->items[2], "=")) return true; /* # KEY = value */
  return first && !is_tag(cells->items[cells->kept - 1]);
}

/* Sets the columns to those of the first line that cannot be a comment. */
static void find_columns(ee_str text, shape *s) {
  ee_str line;
  cell_list cells;
  while (next_line(&text, &line)) {
    if (begins_as_comment(line)) continue;
    split(line, &cells);
    if (cells.count == 0) continue;
    s->columns = cells.count;
    s->is_u = cells.is_u;
    return;
  }
}

static ee_foreign_result find_shape(ee_foreign_reading *r, ee_str text, shape *s, ee_error *error) {
  *s = (shape){.id = {NULL, 0}, .text = {NULL, 0}};
  find_columns(text, s);
  ee_str line, rest = text;
  cell_list cells;
  for (uint64_t number = 0; next_line(&rest, &line); number++) {
    if (ee_utf8_valid_prefix(line.data, line.length) < line.length) {
      ee_error_set(error, EE_ERROR_DATA, "line %llu is not valid UTF-8", (unsigned long long)(r->line + number));
      return EE_FOREIGN_BROKEN;
    }
    split(line, &cells);
    if (begins_as_comment(line) && is_comment(s, &cells, s->lines == 0)) {
      ee_str id = comment_value(line, "sent_id"), whole = comment_value(line, "text");
      if (id.length > 0) s->id = id;
      if (whole.data != NULL) s->text = whole;
      continue;
    }
    if (cells.count == 0) continue;
    s->lines++;
    s->ranges = s->ranges || (cells.is_u && !is_number(cells.items[0]));
    if (cells.count == s->columns && cells.is_u == s->is_u) continue;
    ee_error_set(error, EE_ERROR_DATA, "line %llu has %zu columns, the first one of the sentence %zu",
                 (unsigned long long)(r->line + number), cells.count, s->columns);
    return EE_FOREIGN_BROKEN;
  }
  return s->lines > 0 ? EE_FOREIGN_RECORD : EE_FOREIGN_NOTHING;
}

/* The words of a sentence, one after the other. */
typedef struct word_lines {
  const shape *shape;
  ee_str rest;
  size_t count; /* so far */
  cell_list cells;
} word_lines;

static bool next_word(word_lines *words) {
  ee_str line;
  while (next_line(&words->rest, &line)) {
    split(line, &words->cells);
    if (words->cells.count == 0) continue;
    if (begins_as_comment(line) && is_comment(words->shape, &words->cells, words->count == 0)) continue;
    words->count++;
    return true;
  }
  return false;
}

/* An array of the cells of a column, counted from the last one; from the first one if `from_start`. */
static void write_column(ee_foreign_reading *r, const shape *s, ee_str text, size_t column, bool from_start) {
  word_lines words = {.shape = s, .rest = text};
  char before = '[';
  while (next_word(&words)) {
    ee_buffer_add_char(r->out, before);
    ee_json_write_string(r->out, words.cells.items[from_start ? column : words.cells.kept - 1 - column]);
    before = ',';
  }
  ee_buffer_add_char(r->out, ']');
}

static void write_tags(ee_foreign_reading *r, const shape *s, ee_str text, size_t column) {
  EE_JSON_ADD(r->out, "{\"tokens\":");
  write_column(r, s, text, 0, true);
  EE_JSON_ADD(r->out, ",\"tags\":");
  write_column(r, s, text, column, false);
  ee_buffer_add_char(r->out, '}');
}

static void write_words(ee_foreign_reading *r, const shape *s, ee_str text) {
  static const char *const names[U_COLUMNS] = {NULL,    "form", "lemma",  "upos", "xpos",
                                               "feats", "head", "deprel", NULL,   NULL};
  word_lines words = {.shape = s, .rest = text};
  const ee_str *cells = words.cells.items;
  char before = '[';
  while (next_word(&words)) {
    if (!is_number(cells[0])) continue;
    ee_buffer_add_char(r->out, before);
    char comma = '{';
    for (size_t i = 0; i < U_COLUMNS; i++) {
      bool form = names[i] != NULL && strcmp(names[i], "form") == 0;
      if (names[i] == NULL || (!form && ee_str_is(cells[i], "_"))) continue;
      ee_buffer_add_char(r->out, comma);
      ee_json_write_string(r->out, ee_str_from(names[i]));
      ee_buffer_add_char(r->out, ':');
      ee_json_write_string(r->out, cells[i]);
      comma = ',';
    }
    ee_buffer_add_char(r->out, '}');
    before = ',';
  }
  if (before == '[') ee_buffer_add_char(r->out, '[');
  ee_buffer_add_char(r->out, ']');
}

/* Whether the tags of a column, counted from the last one, are of phrases (B-NP) and not of entities. */
static bool has_chunks(const shape *s, ee_str text, size_t column) {
  static const char *const names[] = {"NP", "VP", "PP", "ADJP", "ADVP", "SBAR", "PRT", "CONJP", "INTJ", NULL};
  word_lines words = {.shape = s, .rest = text};
  while (next_word(&words)) {
    ee_str tag = words.cells.items[words.cells.kept - 1 - column];
    if (tag.length < 3 || tag.data[1] != '-') continue;
    for (const char *const *name = names; *name != NULL; name++)
      if (ee_str_is((ee_str){tag.data + 2, tag.length - 2}, *name)) return true;
  }
  return false;
}

static ee_foreign_result read_text(ee_foreign_reading *r, ee_str text, ee_error *error) {
  shape s;
  ee_foreign_result result = find_shape(r, text, &s, error);
  if (result != EE_FOREIGN_RECORD) return result;
  if (s.is_u ? r->use->one_file : s.columns < (r->use->one_file ? 3 : 2)) {
    const char *what = s.is_u          ? "a sentence of CoNLL-U has one side"
                       : s.columns < 2 ? "a line needs a token and a tag"
                                       : "a line of one file needs a token, the expected tag and the found tag";
    ee_error_set(error, EE_ERROR_DATA, "%s, got %zu column%s: --from conll EXPECTED FOUND takes two files", what,
                 s.columns, s.columns == 1 ? "" : "s");
    return EE_FOREIGN_BROKEN;
  }
  /* CoNLL-2003 has chunks before the entities; they are no expected entities. */
  if (!s.is_u && r->use->one_file && has_chunks(&s, text, 1) && !has_chunks(&s, text, 0)) {
    ee_error_set(error, EE_ERROR_DATA,
                 "the last column but one has tags of phrases and the last one has none: this file has one side of "
                 "entities, --from conll EXPECTED FOUND takes two files");
    return EE_FOREIGN_BROKEN;
  }
  if (s.id.data != NULL) {
    r->id = s.id;
    ee_foreign_add_text(r, "id", s.id);
  }
  ee_foreign_add_text(r, "text", s.text);
  if (s.is_u) {
    if (s.ranges) ee_foreign_note_record(r, RANGES);
    ee_foreign_add_key(r, "words");
    write_words(r, &s, text);
  } else if (r->use->one_file) {
    ee_foreign_add_key(r, "expected");
    write_tags(r, &s, text, 1);
    ee_foreign_add_key(r, "candidate");
    write_tags(r, &s, text, 0);
  } else {
    ee_foreign_add_key(r, "tokens");
    write_column(r, &s, text, 0, true);
    ee_foreign_add_key(r, "tags");
    write_column(r, &s, text, 0, false);
  }
  return EE_FOREIGN_RECORD;
}

static const ee_foreign_judge judges[] = {
    {.member = "tags",
     .comment = "Spans by their tags, which are read as conlleval does",
     .lua = "ee.spans { \"tags\", name = \"entities\", format = \"tags\", lenient = true },"},
    {.member = "tokens",
     .comment = "Both sides must be of the same tokens: the gate fails if they are not",
     .lua = "ee.fields { ee.exact \"tokens\", name = \"tokens\", weight = 0 },\n"
            "  ee.gate { judge = \"tokens\", field = \"tokens\", metric = \"f1\", min = 1 },"},
    {.member = "words",
     .comment = "Words by their position: form, tags, heads and relations",
     .lua = "ee.line_items { \"words\", name = \"words\", match = { method = \"index\" }, ee.exact \"form\", ee.exact "
            "\"lemma\", ee.exact \"upos\", ee.exact \"xpos\", ee.exact \"feats\", ee.exact \"head\", ee.exact "
            "\"deprel\" },"},
    {.member = NULL}};

/* Lines that a file needs to be taken for one of CoNLL, and most that are looked at. */
enum { FEWEST_LINES = 3, MOST_LINES = 200 };

/* Whether all lines with words have the same columns, two or more, the last of which is a tag, and some tag is not O.
 * The last line may be cut. */
static bool is_text(ee_str head) {
  ee_str line;
  cell_list cells;
  size_t lines = 0, columns = 0;
  bool in_span = false;
  while (lines < MOST_LINES && next_line(&head, &line)) {
    if (begins_as_comment(line) || (head.length == 0 && lines > 0)) continue;
    split(line, &cells);
    if (cells.count == 0) continue;
    if (columns == 0) columns = cells.count;
    ee_str tag = cells.items[cells.kept - 1];
    if (cells.count != columns || columns < 2 || cells.is_u || !is_tag(tag)) return false;
    in_span = in_span || tag.data[0] == 'B' || tag.data[0] == 'I';
    lines++;
  }
  return lines >= FEWEST_LINES && in_span;
}

const ee_foreign_format ee_foreign_conll = {
    .name = "conll",
    .what = "sentences of CoNLL files",
    .sentences = true,
    .is_text = is_text,
    .notes = notes,
    .judges = judges,
    .read_text = read_text,
};
