/* line_item_hints.c: split and merged items among those without a good partner. */
#include <math.h>

#include "judge/line_items/line_items.h"
#include "prim/edit.h"
#include "prim/normalize.h"
#include "prim/number.h"

/* Texts of this similarity are nearly equal. */
#define NEARLY 0.9
/* Pairs below this similarity may be wrong. */
#define LOW 0.9
/* Up to this many parts are tried in all pairs. */
#define ALL_PAIRS 24
/* Comparisons per case, both directions together; most are decided by the lengths. */
#define COMPARISONS 20000
/* Amounts are sums of decimals. */
#define AMOUNT_SLACK 1e-9

/* The rows of one side that have no partner or one of low similarity, with their texts. */
typedef struct row_texts {
  const ee_item_table *table;
  bool is_candidate;
  uint32_t *rows;   /* ascending */
  uint32_t *places; /* by row: its index in `rows`, or NOWHERE */
  bool *single;     /* has no partner */
  size_t count, single_count;
  ee_match_cell *cells; /* count * fields */
} row_texts;

#define NOWHERE UINT32_MAX

typedef struct hint_finder {
  const ee_item_lists *lists;
  ee_arena *arena;
  ee_item_report *report;
  ee_item_hint *hints;
  const ee_match_field *fields; /* of match */
  size_t field_count;
  size_t comparisons; /* left */
} hint_finder;

/* A possible hint. */
typedef struct hint_match {
  double similarity;
  size_t first, second; /* among the parts */
} hint_match;

/* Rows ------------------------------------------------------------------------------------------ */

static uint32_t partner_of(const ee_item_lists *lists, bool candidate, uint32_t row) {
  return candidate ? lists->aligner.expected_of[row] : lists->aligner.candidate_of[row];
}

/* False for rows with a good partner. */
static bool takes_part(const ee_item_lists *lists, bool candidate, uint32_t row) {
  uint32_t partner = partner_of(lists, candidate, row);
  return partner == EE_UNPAIRED || lists->aligner.similarity[candidate ? partner : row] < LOW;
}

static void read_cell(const ee_match_field *field, const ee_value *value, ee_arena *arena, ee_match_cell *cell) {
  static const uint8_t forms[] = {EE_NORMAL_TRIM, EE_NORMAL_CASEFOLD, EE_NORMAL_COLLAPSE_SPACE};
  *cell = (ee_match_cell){.kind = EE_CELL_OTHER, .value = value};
  if (ee_value_is_empty(value, &field->empty) || ee_type_of(value) != EE_STRING) return;
  cell->kind = EE_CELL_TEXT;
  cell->text = ee_normalize(ee_value_text(value), forms, sizeof forms, arena);
  cell->length = ee_utf8_count(cell->text.data, cell->text.length);
}

static row_texts collect(const hint_finder *f, bool candidate) {
  const ee_item_lists *lists = f->lists;
  row_texts found = {.table = candidate ? &lists->candidate : &lists->expected, .is_candidate = candidate};
  uint32_t rows = found.table->rows;
  found.rows = ee_arena_alloc(f->arena, rows * sizeof *found.rows);
  found.places = ee_arena_alloc(f->arena, rows * sizeof *found.places);
  found.single = ee_arena_alloc(f->arena, rows * sizeof *found.single);
  for (uint32_t row = 0; row < rows; row++) {
    found.places[row] = NOWHERE;
    if (!takes_part(lists, candidate, row)) continue;
    bool single = partner_of(lists, candidate, row) == EE_UNPAIRED;
    found.places[row] = (uint32_t)found.count;
    found.single[found.count] = single;
    found.single_count += single;
    found.rows[found.count++] = row;
  }
  found.cells = ee_arena_alloc(f->arena, found.count * f->field_count * sizeof *found.cells);
  for (size_t i = 0; i < found.count; i++) {
    for (size_t k = 0; k < f->field_count; k++) {
      uint32_t column = candidate ? f->fields[k].candidate_column : f->fields[k].expected_column;
      read_cell(&f->fields[k], ee_item_cell(found.table, found.rows[i], column), f->arena,
                &found.cells[i * f->field_count + k]);
    }
  }
  return found;
}

/* Texts ----------------------------------------------------------------------------------------- */

static double text_similarity(ee_str a, size_t a_length, ee_str b, size_t b_length, ee_arena *arena) {
  size_t longer = a_length > b_length ? a_length : b_length;
  size_t difference = a_length > b_length ? a_length - b_length : b_length - a_length;
  size_t limit = ee_edit_limit(0.5, longer);
  if (longer == 0) return 1;
  if (difference > limit) return 0;
  size_t distance = ee_levenshtein(a, b, limit, arena);
  return distance > limit ? 0 : ee_edit_similarity(distance, longer);
}

/* The similarity of a text and the joined texts of two parts. A text that both parts share, or that only one has, is
 * taken once; `*joined`: it is nearly the joined text of two that are each clearly shorter. */
static double join_similarity(const ee_match_cell *whole, const ee_match_cell *first, const ee_match_cell *second,
                              bool *joined, ee_arena *arena) {
  *joined = false;
  const ee_match_cell *only = first->kind != EE_CELL_TEXT ? second : first;
  if (only->kind != EE_CELL_TEXT) return 0;
  bool both = first->kind == EE_CELL_TEXT && second->kind == EE_CELL_TEXT;
  if (!both || ee_str_equal(first->text, second->text))
    return text_similarity(whole->text, whole->length, only->text, only->length, arena);
  size_t length = first->length + 1 + second->length;
  ee_arena_mark mark = ee_arena_get_mark(arena);
  ee_str text = {NULL, first->text.length + 1 + second->text.length};
  char *bytes = ee_arena_alloc(arena, text.length);
  memcpy(bytes, first->text.data, first->text.length);
  bytes[first->text.length] = ' ';
  memcpy(bytes + first->text.length + 1, second->text.data, second->text.length);
  text.data = bytes;
  double similarity = text_similarity(whole->text, whole->length, text, length, arena);
  ee_arena_rewind(arena, mark);
  double max = NEARLY * (double)whole->length;
  *joined = similarity >= NEARLY && first->length > 1 && second->length > 1 && (double)first->length < max &&
            (double)second->length < max;
  return similarity;
}

/* The weighted mean over the match fields in which the whole item has a text; 0 if no text is joined. */
static double similarity_of(const hint_finder *f, const ee_match_cell *whole, const ee_match_cell *first,
                            const ee_match_cell *second) {
  double sum = 0, weights = 0;
  bool any_joined = false;
  for (size_t k = 0; k < f->field_count; k++) {
    if (whole[k].kind != EE_CELL_TEXT) continue;
    bool joined;
    sum += f->fields[k].weight * join_similarity(&whole[k], &first[k], &second[k], &joined, f->arena);
    weights += f->fields[k].weight;
    any_joined |= joined;
  }
  return any_joined && weights > 0 ? sum / weights : 0;
}

/* Amounts --------------------------------------------------------------------------------------- */

static bool read_amount(const ee_value *value, ee_arena *arena, double *amount) {
  if (ee_type_of(value) == EE_NUMBER) {
    *amount = ee_value_number(value);
    return isfinite(*amount);
  }
  if (ee_type_of(value) != EE_STRING) return false;
  ee_arena_mark mark = ee_arena_get_mark(arena);
  ee_number_format format = {.decimal = '.', .money = true};
  bool good = ee_number_parse(ee_value_text(value), format, arena, amount, NULL) && isfinite(*amount);
  ee_arena_rewind(arena, mark);
  return good;
}

static const ee_value *value_in(const row_texts *texts, size_t at, const ee_item_field *field) {
  uint32_t column = texts->is_candidate ? field->candidate_column : field->expected_column;
  return ee_item_cell(texts->table, texts->rows[at], column);
}

/* False if numeric score fields have values, and none is the sum of the parts' values. */
static bool adds_up(const hint_finder *f, const row_texts *wholes, size_t whole, const row_texts *parts, size_t first,
                    size_t second) {
  bool any = false;
  for (size_t k = 0; k < f->lists->field_count; k++) {
    const ee_item_field *field = &f->lists->fields[k];
    const ee_value *value = value_in(wholes, whole, field);
    bool numeric = field->field->strategy->type->is_numeric ||
                   (f->lists->items->automatic != NULL && ee_type_of(value) == EE_NUMBER);
    double amount, a = 0, b = 0;
    if (!numeric || !read_amount(value, f->arena, &amount)) continue;
    bool has_a = read_amount(value_in(parts, first, field), f->arena, &a);
    bool has_b = read_amount(value_in(parts, second, field), f->arena, &b);
    if (!has_a && !has_b) continue;
    any = true;
    double sum = (has_a ? a : 0) + (has_b ? b : 0);
    if (fabs(sum - amount) <= AMOUNT_SLACK * fmax(fabs(sum), fabs(amount))) return true;
  }
  return !any;
}

/* Searching ------------------------------------------------------------------------------------- */

/* The search for the parts of one item. */
typedef struct hint_search {
  hint_finder *f;
  const row_texts *wholes, *parts;
  size_t whole;
  hint_match best;
} hint_search;

static void try_in_order(hint_search *s, size_t first, size_t second) {
  hint_finder *f = s->f;
  if (f->comparisons == 0) return;
  f->comparisons--;
  const ee_match_cell *cells = s->parts->cells;
  double similarity = similarity_of(f, &s->wholes->cells[s->whole * f->field_count], &cells[first * f->field_count],
                                    &cells[second * f->field_count]);
  if (similarity < NEARLY || similarity <= s->best.similarity) return;
  if (adds_up(f, s->wholes, s->whole, s->parts, first, second)) s->best = (hint_match){similarity, first, second};
}

static void try_both_orders(hint_search *s, size_t first, size_t second) {
  try_in_order(s, first, second);
  try_in_order(s, second, first);
}

/* The place after `at` if their rows are neighbours in the list too; else NOWHERE. */
static size_t next_place(const row_texts *texts, size_t at) {
  return at + 1 < texts->count && texts->rows[at + 1] == texts->rows[at] + 1 ? at + 1 : NOWHERE;
}

/* For an item without a partner: any two parts; at least one of them has no partner. */
static void search_single(hint_search *s) {
  const row_texts *parts = s->parts;
  bool all = parts->single_count <= ALL_PAIRS;
  for (size_t first = 0; first < parts->count && s->f->comparisons > 0; first++) {
    size_t next = next_place(parts, first);
    if (next != NOWHERE && (parts->single[first] || parts->single[next])) try_both_orders(s, first, next);
    if (!all || !parts->single[first]) continue;
    for (size_t second = first + 1; second < parts->count; second++) {
      if (parts->single[second] && second != next) try_both_orders(s, first, second);
    }
  }
}

/* For an item with a partner of low similarity: that one, and one without a partner. */
static void search_paired(hint_search *s) {
  const row_texts *parts = s->parts;
  uint32_t partner = partner_of(s->f->lists, s->wholes->is_candidate, s->wholes->rows[s->whole]);
  size_t own = parts->places[partner];
  if (parts->single_count <= ALL_PAIRS) {
    for (size_t other = 0; other < parts->count; other++) {
      if (parts->single[other]) try_both_orders(s, own, other);
    }
    return;
  }
  size_t next = next_place(parts, own);
  if (next != NOWHERE && parts->single[next]) try_both_orders(s, own, next);
  if (own > 0 && next_place(parts, own - 1) == own && parts->single[own - 1]) try_both_orders(s, own - 1, own);
}

static void find_hints(hint_finder *f, const row_texts *wholes, const row_texts *parts) {
  bool merged = wholes->is_candidate;
  for (size_t i = 0; i < wholes->count && parts->single_count > 0 && f->comparisons > 0; i++) {
    hint_search search = {.f = f, .wholes = wholes, .parts = parts, .whole = i};
    if (wholes->single[i]) {
      search_single(&search);
    } else {
      search_paired(&search);
    }
    if (!(search.best.similarity > 0)) continue;
    if (f->report->hint_count == EE_ITEM_HINT_LIMIT) {
      f->report->hints_cut = true;
      return;
    }
    const uint32_t *indices = parts->table->indices;
    f->hints[f->report->hint_count++] =
        (ee_item_hint){.merged = merged,
                       .whole = wholes->table->indices[wholes->rows[i]],
                       .parts = {indices[parts->rows[search.best.first]], indices[parts->rows[search.best.second]]}};
  }
  if (f->comparisons == 0) f->report->hints_cut = true;
}

void ee_item_hints_find(const ee_item_lists *lists, ee_item_report *report) {
  /* There must be a part without a partner. */
  if (lists->missing + lists->extra == 0 || lists->pairs + lists->missing == 0 || lists->pairs + lists->extra == 0)
    return;
  if (lists->match.field_count == 0 || lists->expected.columns == 0) return;
  hint_finder f = {.lists = lists,
                   .arena = lists->scorer->arena,
                   .report = report,
                   .fields = lists->match.fields,
                   .field_count = lists->match.field_count,
                   .comparisons = COMPARISONS};
  f.hints = ee_arena_alloc(f.arena, EE_ITEM_HINT_LIMIT * sizeof *f.hints);
  report->hints = f.hints;
  row_texts expected = collect(&f, false), candidate = collect(&f, true);
  find_hints(&f, &expected, &candidate);
  find_hints(&f, &candidate, &expected);
}

const char *ee_item_hints_text(const ee_item_report *report, ee_arena *arena) {
  enum { IN_WORDS = 3 };
  const char *text = "";
  for (size_t i = 0; i < report->hint_count && i < IN_WORDS; i++) {
    const ee_item_hint *hint = &report->hints[i];
    text = ee_arena_printf(arena, "%s; %s item %u looks %s %u and %u", text, hint->merged ? "candidate" : "expected",
                           hint->whole, hint->merged ? "merged from" : "split into", hint->parts[0], hint->parts[1]);
  }
  if (report->hint_count <= IN_WORDS) return text;
  return ee_arena_printf(arena, "%s; %zu more hints", text, report->hint_count - IN_WORDS);
}
