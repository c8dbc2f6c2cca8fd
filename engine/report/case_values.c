/* case_values.c: judged values side by side. */
#include "report/case_values.h"

#include <string.h>

#include "data/json/json_writer.h"
#include "prim/number.h"
#include "prim/unicode.h"
#include "report/text_difference.h"

#define INDENT 2
#define GAP 2
/* "both empty" */
#define WORD_COLUMNS 10
/* The width of lines where nothing limits it. */
#define DEFAULT_WIDTH 100
#define MIN_VALUE_COLUMNS 16
#define MAX_VALUE_COLUMNS 60
/* Values are cut, in bytes: a longer one cannot be read side by side. */
#define MAX_VALUE 4000
/* Longer values are not searched for the characters that differ, in bytes. */
#define MAX_COMPARED 2000
/* Values that are empty on both sides and are named. */
#define EMPTY_SHOWN 20
/* An item in the list of pairs. */
#define ITEM_COLUMNS 46

/* Texts of several colours ------------------------------------------------------------------------ */

typedef struct piece {
  ee_str text;
  ee_ink ink;
} piece;

/* A text that is taken off line by line. */
typedef struct rich {
  EE_LIST(piece);
  size_t next; /* the first piece that is left */
} rich;

static void add_piece(ee_page *page, rich *text, ee_str part, ee_ink ink) {
  if (part.length > 0) *EE_LIST_ADD(text, &page->arena) = (piece){part, ink};
}

static bool is_left(const rich *text) { return text->next < text->count; }

/* The start of `text` that fits into `columns`; after a space where there is one in its second half and `words` is set.
 * At least one character. */
static ee_str start_of(ee_str text, size_t columns, bool words) {
  size_t end = 0, taken = 0, space = 0;
  while (end < text.length) {
    uint32_t code_point;
    size_t step = ee_utf8_decode(text.data + end, text.length - end, &code_point);
    if (step == 0) step = 1;
    size_t width = ee_text_width((ee_str){text.data + end, step});
    if (taken + width > columns && end > 0) break;
    taken += width;
    end += step;
    if (code_point == ' ' && taken > columns / 2) space = end;
  }
  if (words && end < text.length && space > 0) end = space;
  return (ee_str){text.data, end};
}

/* Appends the next line of `text` to `line`, padded to `columns` unless it is the last cell. */
static void take_line(ee_page *page, ee_line *line, rich *text, size_t columns, bool words, bool last) {
  size_t taken = 0;
  while (is_left(text) && taken < columns) {
    piece *next = &text->items[text->next];
    ee_str part = start_of(next->text, columns - taken, words);
    size_t width = ee_text_width(part);
    if (taken > 0 && taken + width > columns) break;
    bool cut = part.length < next->text.length;
    ee_str shown = {part.data, part.length - (words && cut && part.data[part.length - 1] == ' ')};
    ee_line_add(page, line, (ee_cell){.text = shown, .ink = next->ink});
    taken += width;
    if (cut) {
      next->text = (ee_str){next->text.data + part.length, next->text.length - part.length};
      break;
    }
    text->next++;
  }
  if (!last && taken < columns) ee_line_addf(page, line, EE_INK_PLAIN, "%*s", (int)(columns - taken), "");
}

/* Values ------------------------------------------------------------------------------------------ */

/* As JSON, printable and cut; empty for a missing value. */
static ee_str value_text(ee_page *page, const ee_value *value) {
  if (value == NULL) return EE_STR("");
  ee_buffer text;
  ee_buffer_init(&text);
  ee_json_write_value(&text, value);
  ee_str all = {text.data, text.length};
  size_t length = ee_utf8_cut(all, MAX_VALUE);
  const char *copy =
      ee_arena_printf(&page->arena, "%.*s%s", (int)length, all.data, length < all.length ? "\xe2\x80\xa6" : "");
  ee_buffer_fini(&text);
  return ee_text_printable(ee_str_from(copy), &page->arena);
}

/* One value against another. `marks`: what only one side has is in brackets instead of in colour. */
static rich marked(ee_page *page, const ee_text_parts *parts, bool is_expected, bool marks) {
  rich text = {.items = NULL};
  ee_ink ink = is_expected ? EE_INK_GREEN : EE_INK_RED;
  for (size_t i = 0; i < parts->count; i++) {
    const ee_text_part *part = &parts->items[i];
    ee_str shown = part->text;
    if (!part->same && marks)
      shown = ee_str_from(ee_arena_printf(&page->arena, is_expected ? "[-%.*s-]" : "{+%.*s+}", EE_STR_ARG(shown)));
    add_piece(page, &text, shown, part->same ? EE_INK_PLAIN : ink);
  }
  return text;
}

static rich plain(ee_page *page, ee_str text, ee_ink ink) {
  rich whole = {.items = NULL};
  add_piece(page, &whole, text, ink);
  return whole;
}

/* The two sides of a value. */
typedef struct pair_text {
  rich expected, candidate;
} pair_text;

static bool is_text(const ee_value *value) { return ee_type_of(value) == EE_STRING; }

/* `compared`: their characters are compared; else what was made of them is, and they are only different. */
static pair_text pair_of(ee_page *page, const ee_value *expected, const ee_value *candidate, bool right, bool compared,
                         bool marks) {
  ee_str a = value_text(page, expected), b = value_text(page, candidate);
  ee_text_parts a_parts, b_parts;
  bool marked_texts =
      compared && is_text(expected) && is_text(candidate) && a.length <= MAX_COMPARED && b.length <= MAX_COMPARED;
  if (marked_texts && ee_text_difference(a, b, &page->arena, &a_parts, &b_parts))
    return (pair_text){marked(page, &a_parts, true, marks), marked(page, &b_parts, false, marks)};
  bool wrong = !right && !ee_str_equal(a, b);
  return (pair_text){plain(page, a, wrong ? EE_INK_GREEN : EE_INK_PLAIN),
                     plain(page, b, wrong ? EE_INK_RED : EE_INK_PLAIN)};
}

/* The text of a cell of markup. */
static ee_cell cell_of(ee_page *page, const rich *text) {
  const char *joined = "";
  for (size_t i = text->next; i < text->count; i++)
    joined = ee_arena_printf(&page->arena, "%s%.*s", joined, EE_STR_ARG(text->items[i].text));
  if (*joined == '\0') return (ee_cell){.text = EE_STR("-"), .kind = EE_CELL_WORDS};
  return (ee_cell){.text = ee_str_from(joined), .kind = EE_CELL_DATA};
}

/* Outcomes ---------------------------------------------------------------------------------------- */

typedef struct outcome_word {
  const char *name; /* in rows */
  const char *word;
  ee_ink ink;
  bool right;
} outcome_word;

static const outcome_word words[] = {
    {"tp", "correct", EE_INK_GREEN, true},
    {"tn", "both empty", EE_INK_DIM, true},
    {"incorrect", "incorrect", EE_INK_RED, false},
    {"spurious", "spurious", EE_INK_RED, false},
    {"missing", "missing", EE_INK_RED, false},
    {"unread", "unread", EE_INK_YELLOW, false},
    {"", "miss", EE_INK_RED, false},
};

/* One judged value of a row. */
typedef struct judged {
  const ee_value *entry; /* of details.outcomes or details.mismatches */
  const outcome_word *word;
  ee_str path, list;
  const ee_value *expected, *candidate, *expected_normal, *candidate_normal;
  int64_t row, partner; /* -1: none */
} judged;

/* Whether something else was compared than what the documents say. */
static bool has_normal(const judged *value) {
  return value->expected_normal != NULL || value->candidate_normal != NULL;
}

static const ee_value *member(const ee_value *object, const char *key) {
  return ee_value_member(object, ee_str_from(key), NULL);
}

static int64_t index_of(const ee_value *entry, const char *key) {
  int64_t index;
  return ee_value_whole(member(entry, key), &index) && index >= 0 ? index : -1;
}

static judged read_entry(const ee_value *entry) {
  ee_str name = ee_value_get_text(entry, "outcome", "");
  if (name.length == 0) name = ee_value_get_text(entry, "class", "");
  const outcome_word *word = words;
  while (word->name[0] != '\0' && !ee_str_is(name, word->name)) word++;
  return (judged){.entry = entry,
                  .word = word,
                  .path = ee_value_get_text(entry, "path", ""),
                  .list = ee_value_get_text(entry, "list", ""),
                  .expected = member(entry, "expected"),
                  .candidate = member(entry, "candidate"),
                  .expected_normal = member(entry, "expected_normal"),
                  .candidate_normal = member(entry, "candidate_normal"),
                  .row = index_of(entry, "row"),
                  .partner = index_of(entry, "partner")};
}

/* Whether both sides are empty, as expected: there is nothing to see. */
static bool is_empty(const judged *value) { return value->word == &words[1]; }

static bool is_of_list(const judged *value) { return value->list.length > 0 && value->row + value->partner > -2; }

static bool contains(ee_str text, ee_str part) {
  for (size_t i = 0; part.length > 0 && i + part.length <= text.length; i++)
    if (memcmp(text.data + i, part.data, part.length) == 0) return true;
  return false;
}

/* Whether the formula has the reason's number: then the reason says nothing new. */
static bool says_the_same(const judged *value, ee_str formula, ee_str reason) {
  double measured = ee_value_get_number(value->entry, "value", -1);
  if (formula.length == 0 || measured < 0 || contains(reason, EE_STR("; "))) return false;
  char number[32];
  ee_double_format_short(measured, 6, number);
  return contains(reason, ee_str_from(number));
}

static const char *joined(ee_page *page, const char *text, const char *more) {
  return *text == '\0' ? more : ee_arena_printf(&page->arena, "%s; %s", text, more);
}

/* "fuzzy: 1 - 2/22 = 0.909091 >= 0.85; score 0.909"; empty where the word says it all. */
static const char *how_of(ee_page *page, const judged *value) {
  ee_arena *arena = &page->arena;
  ee_str strategy = ee_value_get_text(value->entry, "strategy", "");
  ee_str formula = ee_value_get_text(value->entry, "formula", "");
  ee_str reason = ee_value_get_text(value->entry, "reason", "");
  double score = ee_value_get_number(value->entry, "score", -1),
         weight = ee_value_get_number(value->entry, "weight", 1);
  const char *text = "";
  if (formula.length > 0) text = ee_arena_printf(arena, "%.*s", EE_STR_ARG(formula));
  if (reason.length > 0 && !says_the_same(value, formula, reason))
    text = joined(page, text, ee_arena_printf(arena, "%.*s", EE_STR_ARG(reason)));
  ee_str kind = ee_value_get_text(value->entry, "kind", "");
  if (kind.length > 0 && !ee_str_is(kind, value->word->word) && !ee_str_is(kind, "otherwise"))
    text = joined(page, text, ee_arena_printf(arena, "%.*s", EE_STR_ARG(kind)));
  if (strategy.length > 0 && *text != '\0') text = ee_arena_printf(arena, "%.*s: %s", EE_STR_ARG(strategy), text);
  if (strategy.length > 0 && *text == '\0' && !ee_str_is(strategy, "exact") && value->word->right)
    text = ee_arena_printf(arena, "%.*s", EE_STR_ARG(strategy));
  if (score >= 0 && score != (value->word->right ? 1 : 0)) {
    ee_cell shown = ee_cell_score(arena, score, EE_INK_PLAIN);
    text = joined(page, text, ee_arena_printf(arena, "score %.*s", EE_STR_ARG(shown.text)));
  }
  if (weight == 0) {
    text = joined(page, text, "not in the score");
  } else if (weight != 1) {
    char number[32];
    ee_double_format_short(weight, 6, number);
    text = joined(page, text, ee_arena_printf(arena, "weight %s", number));
  }
  return text;
}

/* Below the heading of an item the rest of the path is enough. */
static ee_str short_path(const judged *value) {
  ee_str path = value->path;
  const char *end = path.length > value->list.length
                        ? memchr(path.data + value->list.length, ']', path.length - value->list.length)
                        : NULL;
  if (!is_of_list(value) || end == NULL) return path;
  size_t cut = (size_t)(end + 1 - path.data);
  if (cut < path.length && path.data[cut] == '.') cut++;
  return cut < path.length ? (ee_str){path.data + cut, path.length - cut} : path;
}

/* A terminal -------------------------------------------------------------------------------------- */

typedef struct columns {
  ee_page *page;
  bool color;
  size_t width, path, value;
} columns;

static columns columns_of(ee_page *page, const judged *values, size_t count, ee_table_style style) {
  columns c = {.page = page, .color = style.color, .width = style.width > 0 ? style.width : DEFAULT_WIDTH};
  size_t longest = 5, limit = c.width / 4;
  for (size_t i = 0; i < count; i++) {
    size_t width = ee_text_width(ee_text_printable(short_path(&values[i]), &page->arena));
    if (width > longest) longest = width;
  }
  c.path = longest < limit ? longest : limit;
  if (c.path < 8) c.path = 8;
  size_t others = INDENT + WORD_COLUMNS + GAP + c.path + 2 * GAP;
  c.value = c.width > others ? (c.width - others) / 2 : 0;
  if (c.value < MIN_VALUE_COLUMNS) c.value = MIN_VALUE_COLUMNS;
  if (c.value > MAX_VALUE_COLUMNS) c.value = MAX_VALUE_COLUMNS;
  return c;
}

static ee_line *new_line(const columns *c, size_t indent) {
  ee_line *line = ee_page_line(c->page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH);
  ee_line_addf(c->page, line, EE_INK_PLAIN, "%*s", (int)indent, "");
  return line;
}

static void add_gap(const columns *c, ee_line *line) { ee_line_add(c->page, line, ee_cell_words("  ", EE_INK_PLAIN)); }

/* Adds as many lines as the longest of the texts needs. */
static void add_row(const columns *c, rich word, rich path, pair_text *values) {
  do {
    ee_line *line = new_line(c, INDENT);
    bool last = !is_left(&values->expected) && !is_left(&values->candidate);
    take_line(c->page, line, &word, WORD_COLUMNS, false, false);
    add_gap(c, line);
    take_line(c->page, line, &path, c->path, false, last);
    if (last) continue;
    add_gap(c, line);
    take_line(c->page, line, &values->expected, c->value, false, !is_left(&values->candidate));
    if (!is_left(&values->candidate)) continue;
    add_gap(c, line);
    take_line(c->page, line, &values->candidate, c->value, false, true);
  } while (is_left(&path) || is_left(&values->expected) || is_left(&values->candidate));
}

static void add_head(const columns *c, const judged *values, size_t count) {
  bool any = false;
  for (size_t i = 0; i < count; i++) any = any || values[i].expected != NULL || values[i].candidate != NULL;
  if (!any) return;
  pair_text heads = {plain(c->page, EE_STR("expected"), EE_INK_BOLD), plain(c->page, EE_STR("candidate"), EE_INK_BOLD)};
  add_row(c, (rich){.items = NULL}, plain(c->page, EE_STR("value"), EE_INK_BOLD), &heads);
}

/* What was compared, where it is not what the documents say. */
static void add_normal(const columns *c, const judged *value) {
  if (!has_normal(value)) return;
  const ee_value *expected = value->expected_normal != NULL ? value->expected_normal : value->expected;
  const ee_value *candidate = value->candidate_normal != NULL ? value->candidate_normal : value->candidate;
  pair_text normal = pair_of(c->page, expected, candidate, value->word->right, true, !c->color);
  add_row(c, (rich){.items = NULL}, plain(c->page, EE_STR("compared"), EE_INK_DIM), &normal);
}

static void add_how(const columns *c, const judged *value) {
  rich how = plain(c->page, ee_text_printable(ee_str_from(how_of(c->page, value)), &c->page->arena), EE_INK_DIM);
  size_t indent = INDENT + WORD_COLUMNS + GAP;
  while (is_left(&how)) {
    ee_line *line = new_line(c, indent);
    take_line(c->page, line, &how, c->width > indent + 20 ? c->width - indent : 20, true, true);
  }
}

static bool is_plain_match(const judged *value) {
  return value->word->right && ee_str_is(ee_value_get_text(value->entry, "formula", ""), "equal") &&
         ee_value_get_number(value->entry, "weight", 1) == 1;
}

static void add_value(const columns *c, const judged *value) {
  ee_str path = ee_text_printable(short_path(value), &c->page->arena);
  pair_text texts =
      pair_of(c->page, value->expected, value->candidate, value->word->right, !has_normal(value), !c->color);
  add_row(c, plain(c->page, ee_str_from(value->word->word), value->word->ink), plain(c->page, path, EE_INK_PLAIN),
          &texts);
  add_normal(c, value);
  if (!is_plain_match(value)) add_how(c, value);
}

/* Items of lists ---------------------------------------------------------------------------------- */

static bool same_item(const judged *a, const judged *b) {
  return ee_str_equal(a->list, b->list) && a->row == b->row && a->partner == b->partner;
}

/* What an item is called: its first value that is a text, else its first value. */
static ee_str label_of(ee_page *page, const judged *first, size_t count, bool is_expected) {
  const ee_value *found = NULL;
  for (size_t i = 0; i < count && same_item(first, &first[i]); i++) {
    const ee_value *value = is_expected ? first[i].expected : first[i].candidate;
    if (value == NULL) continue;
    if (found == NULL) found = value;
    if (!is_text(value)) continue;
    found = value;
    break;
  }
  return value_text(page, found);
}

/* Similarities by expected and candidate item, of details.alignment. Negative: not known. */
static double similarity_of(const ee_value *details, const judged *value) {
  const ee_value *list = member(details, "alignment");
  for (const ee_value *pair = ee_type_of(list) == EE_ARRAY ? ee_value_child(list) : NULL; pair != NULL;
       pair = ee_value_next(pair))
    if (index_of(pair, "expected") == value->row && index_of(pair, "candidate") == value->partner)
      return ee_value_get_number(pair, "similarity", -1);
  return -1;
}

/* An item of a list in the alignment: two columns with a link between them. */
static const char *link_of(ee_page *page, const judged *value, double similarity) {
  if (value->partner < 0) return "missing";
  if (value->row < 0) return "spurious";
  if (similarity < 0) return "-----";
  ee_cell shown = ee_cell_score(&page->arena, similarity, EE_INK_PLAIN);
  return ee_arena_printf(&page->arena, "- %.*s -", EE_STR_ARG(shown.text));
}

static ee_str item_text(ee_page *page, int64_t index, ee_str label) {
  if (index < 0) return EE_STR("");
  return ee_str_from(ee_arena_printf(&page->arena, "[%lld] %.*s", (long long)index, EE_STR_ARG(label)));
}

/* Whether the values of a list begin at `i`; inner lists are shown by their headings only. */
static bool starts_list(const judged *values, size_t i) {
  if (!is_of_list(&values[i]) || contains(values[i].list, EE_STR("]"))) return false;
  if (i > 0 && ee_str_equal(values[i - 1].list, values[i].list)) return false;
  for (size_t k = 0; k < i; k++)
    if (ee_str_equal(values[k].list, values[i].list)) return false;
  return true;
}

static void add_link(const columns *c, ee_grid *grid, const ee_value *details, const judged *values, size_t left) {
  ee_page *page = c->page;
  bool paired = values->row >= 0 && values->partner >= 0;
  const char *link =
      link_of(page, values, paired && !contains(values->list, EE_STR("]")) ? similarity_of(details, values) : -1);
  ee_str expected = item_text(page, values->row, label_of(page, values, left, true));
  ee_str candidate = item_text(page, values->partner, label_of(page, values, left, false));
  ee_cell *cells = ee_grid_add_for(grid, EE_MEDIUM_MARKUP);
  cells[0] = (ee_cell){.text = expected.length > 0 ? expected : EE_STR("-"), .kind = EE_CELL_QUOTE};
  cells[1] = ee_cell_words(link, EE_INK_PLAIN);
  cells[2] = (ee_cell){.text = candidate.length > 0 ? candidate : EE_STR("-"), .kind = EE_CELL_QUOTE};
  enum { LINK_COLUMNS = 10 };
  size_t side = (c->width - INDENT - LINK_COLUMNS - 2 * GAP) / 2;
  if (side > ITEM_COLUMNS) side = ITEM_COLUMNS;
  rich left_text = plain(page, ee_text_shorten(expected, side, &page->arena), EE_INK_PLAIN);
  ee_line *line = new_line(c, INDENT);
  take_line(page, line, &left_text, side, false, false);
  add_gap(c, line);
  rich middle = plain(page, ee_str_from(link), paired ? EE_INK_DIM : EE_INK_RED);
  take_line(page, line, &middle, LINK_COLUMNS, false, candidate.length == 0);
  if (candidate.length == 0) return;
  add_gap(c, line);
  ee_line_add(page, line, (ee_cell){.text = ee_text_shorten(candidate, side, &page->arena)});
}

/* How the items of the outermost lists were paired. */
static void add_alignment(const columns *c, const ee_value *details, const judged *values, size_t count) {
  static const ee_column heads[] = {
      {.name = "expected", .left = true}, {.name = "pair"}, {.name = "candidate", .left = true}};
  for (size_t i = 0; i < count; i++) {
    if (!starts_list(values, i)) continue;
    ee_line *line = new_line(c, INDENT);
    ee_line_add(c->page, line, ee_cell_words("pairs of ", EE_INK_PLAIN));
    ee_line_add(c->page, line, (ee_cell){.text = values[i].list, .kind = EE_CELL_DATA, .ink = EE_INK_BOLD});
    ee_grid *grid = ee_page_grid(c->page, EE_MEDIUM_MARKUP, heads, 3);
    for (size_t k = i; k < count; k++) {
      bool first = ee_str_equal(values[k].list, values[i].list) && (k == i || !same_item(&values[k], &values[k - 1]));
      if (first) add_link(c, grid, details, &values[k], count - k);
    }
    ee_page_space(c->page);
  }
}

/* The heading above the values of a pair of items, or of an item alone. `equal` of its values are not listed. */
static void add_item_heading(const columns *c, const judged *value, size_t equal) {
  ee_line *line = new_line(c, INDENT);
  ee_line_add(c->page, line, (ee_cell){.text = value->list, .kind = EE_CELL_DATA, .ink = EE_INK_BOLD});
  if (value->row >= 0 && value->partner >= 0)
    ee_line_addf(c->page, line, EE_INK_BOLD, "[%lld] with [%lld] of the candidate", (long long)value->row,
                 (long long)value->partner);
  else
    ee_line_addf(c->page, line, EE_INK_RED, "[%lld] %s", (long long)(value->row >= 0 ? value->row : value->partner),
                 value->row >= 0 ? "has no partner in the candidate" : "of the candidate has no partner");
  if (equal > 0)
    ee_line_addf(c->page, line, EE_INK_DIM, ": %zu %s equal", equal, equal == 1 ? "value is" : "values are");
}

/* The number of values of the item that begins at `values`. */
static size_t count_of_item(const judged *values, size_t count) {
  size_t of_item = 1;
  while (of_item < count && same_item(&values[of_item], values)) of_item++;
  return of_item;
}

static bool are_plain_matches(const judged *values, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!is_plain_match(&values[i]) && !is_empty(&values[i])) return false;
  return true;
}

/* The values of an item; where all of them are equal, only their number. */
static void add_item(const columns *c, const judged *values, size_t count) {
  size_t equal = are_plain_matches(values, count) ? count : 0;
  add_item_heading(c, values, equal);
  for (size_t i = 0; i < count && equal == 0; i++) add_value(c, &values[i]);
}

/* Values that are empty on both sides, in one paragraph. */
static void add_empty(const columns *c, const judged *values, size_t count) {
  ee_page *page = c->page;
  size_t empty = 0, shown = 0;
  const char *names = "";
  for (size_t i = 0; i < count; i++) {
    if (!is_empty(&values[i]) || is_of_list(&values[i])) continue;
    if (empty++ >= EMPTY_SHOWN) continue;
    ee_str path = ee_text_printable(values[i].path, &page->arena);
    names = ee_arena_printf(&page->arena, "%s%s%.*s", names, shown++ > 0 ? ", " : "", EE_STR_ARG(path));
  }
  if (empty == 0) return;
  if (empty > shown) names = ee_arena_printf(&page->arena, "%s and %zu more", names, empty - shown);
  ee_line_add(
      page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_PARAGRAPH),
      (ee_cell){.text = ee_str_from(ee_arena_printf(&page->arena, "Both empty: %s", names)), .kind = EE_CELL_QUOTE});
  rich word = plain(page, EE_STR("both empty"), EE_INK_DIM), text = plain(page, ee_str_from(names), EE_INK_DIM);
  size_t indent = INDENT + WORD_COLUMNS + GAP;
  while (is_left(&text)) {
    ee_line *line = new_line(c, INDENT);
    take_line(page, line, &word, WORD_COLUMNS, false, false);
    add_gap(c, line);
    take_line(page, line, &text, c->width > indent + 20 ? c->width - indent : 20, true, true);
  }
}

/* Markup ------------------------------------------------------------------------------------------ */

static void add_cells(ee_page *page, ee_grid *grid, const judged *value) {
  enum { VALUE, EXPECTED, CANDIDATE, OUTCOME, SCORE, HOW };
  ee_cell *cells = ee_grid_add(grid);
  pair_text texts = pair_of(page, value->expected, value->candidate, value->word->right, !has_normal(value), true);
  double score = ee_value_get_number(value->entry, "score", -1);
  cells[VALUE] = (ee_cell){.text = value->path, .kind = EE_CELL_DATA};
  cells[EXPECTED] = cell_of(page, &texts.expected);
  cells[CANDIDATE] = cell_of(page, &texts.candidate);
  cells[OUTCOME] = ee_cell_words(value->word->word, value->word->ink);
  if (score >= 0 && score <= 1) cells[SCORE] = ee_cell_score(&page->arena, score, EE_INK_PLAIN);
  const char *how = how_of(page, value);
  if (has_normal(value)) {
    const ee_value *a = value->expected_normal != NULL ? value->expected_normal : value->expected;
    const ee_value *b = value->candidate_normal != NULL ? value->candidate_normal : value->candidate;
    ee_str left = value_text(page, a), right = value_text(page, b);
    how = joined(page, how,
                 ee_arena_printf(&page->arena, "compared %.*s with %.*s", EE_STR_ARG(left), EE_STR_ARG(right)));
  }
  cells[HOW] = (ee_cell){.text = ee_str_from(how), .kind = EE_CELL_QUOTE};
}

static void add_markup(ee_page *page, const judged *values, size_t count) {
  static const ee_column heads[] = {{.name = "value", .left = true},
                                    {.name = "expected", .left = true},
                                    {.name = "candidate", .left = true},
                                    {.name = "outcome", .left = true},
                                    {.name = "score"},
                                    {.name = "how", .left = true}};
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_MARKUP, heads, sizeof heads / sizeof *heads);
  for (size_t i = 0; i < count; i++)
    if (!is_empty(&values[i]) || is_of_list(&values[i])) add_cells(page, grid, &values[i]);
}

/* The judge --------------------------------------------------------------------------------------- */

static const ee_value *list_in(const ee_value *details, const char *key) {
  const ee_value *list = member(details, key);
  return ee_type_of(list) == EE_ARRAY && ee_value_child(list) != NULL ? list : NULL;
}

bool ee_case_has_outcomes(const ee_value *details) { return ee_type_of(member(details, "outcomes")) == EE_ARRAY; }

void ee_case_values(ee_page *page, const ee_value *details, ee_table_style style) {
  const ee_value *list = list_in(details, ee_case_has_outcomes(details) ? "outcomes" : "mismatches");
  if (list == NULL) return;
  judged *values = EE_NEW_ARRAY(&page->arena, judged, ee_value_count(list));
  size_t count = 0;
  for (const ee_value *entry = ee_value_child(list); entry != NULL; entry = ee_value_next(entry))
    if (ee_type_of(entry) == EE_OBJECT) values[count++] = read_entry(entry);
  columns c = columns_of(page, values, count, style);
  add_alignment(&c, details, values, count);
  add_head(&c, values, count);
  for (size_t i = 0, of_item; i < count; i += of_item) {
    of_item = is_of_list(&values[i]) ? count_of_item(&values[i], count - i) : 1;
    if (is_of_list(&values[i]))
      add_item(&c, &values[i], of_item);
    else if (!is_empty(&values[i]))
      add_value(&c, &values[i]);
  }
  add_markup(page, values, count);
  add_empty(&c, values, count);
}
