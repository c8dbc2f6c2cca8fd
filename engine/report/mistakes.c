/* mistakes.c: kinds, reasons and worst cases: collected from rows, as parts of a page, and as JSON. */
#include "report/mistakes.h"

#include <inttypes.h>

#include "base/memory.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "judge/details.h"
#include "prim/sort.h"

/* Fields, reasons of a field and mismatches of a case that are listed; JSON has more. */
#define MAX_FIELDS 40
#define MAX_REASONS 8
#define MAX_MISMATCHES 12
#define VALUE_COLUMNS 34
#define REASON_COLUMNS 50
#define ID_COLUMNS 30
/* Bytes of a value or reason in an example. */
#define EXAMPLE_BYTES 200
#define ROWS_NAME "(rows)"

void ee_mistakes_init(ee_mistakes *mistakes, ee_mistake_choice choice, ee_str judge) {
  *mistakes = (ee_mistakes){.choice = choice, .judge = judge};
  ee_arena_init(&mistakes->arena, 0);
  mistakes->reason_index.arena = &mistakes->arena;
}

void ee_mistakes_fini(ee_mistakes *mistakes) {
  for (size_t i = 0; i < mistakes->worst.count; i++) ee_free(mistakes->worst.items[i].text);
  EE_LIST_FINI(&mistakes->worst);
  EE_LIST_FINI(&mistakes->reasons);
  ee_buffer_fini(&mistakes->text);
  ee_arena_fini(&mistakes->arena);
}

/* Rows ------------------------------------------------------------------------------------------- */

static ee_str copy(ee_arena *arena, ee_str text) {
  return (ee_str){ee_arena_copy(arena, text.data, text.length), text.length};
}

static ee_str copy_cut(ee_arena *arena, ee_str text) {
  size_t length = ee_utf8_cut(text, EXAMPLE_BYTES);
  if (length == text.length) return copy(arena, text);
  return ee_str_from(ee_arena_printf(arena, "%.*s\xe2\x80\xa6", (int)length, text.data));
}

/* Cuts what was appended to `text` since `from`; returns its length. */
static size_t cut_since(ee_buffer *text, size_t from) {
  ee_str all = {text->data + from, text->length - from};
  size_t length = ee_utf8_cut(all, EXAMPLE_BYTES);
  text->length = from + length;
  if (length < all.length) ee_buffer_add_text(text, "\xe2\x80\xa6");
  return text->length - from;
}

static size_t add_json(ee_buffer *text, const ee_value *value) {
  size_t from = text->length;
  if (value == NULL) return 0;
  ee_json_write_value(text, value);
  return cut_since(text, from);
}

/* The array of mismatches of a judge; NULL without. */
static const ee_value *mismatches_of(const ee_stored_judge *judge) {
  const ee_value *details = ee_value_member(judge->entry, EE_STR("details"), NULL);
  const ee_value *list = ee_value_member(details, EE_STR("mismatches"), NULL);
  return ee_type_of(list) == EE_ARRAY ? list : NULL;
}

/* The attribute of a mismatch; empty for an item without a partner. */
static ee_str field_of(const ee_stored_judge *judge, const ee_value *mismatch) {
  ee_str field = ee_value_get_text(mismatch, "field", "");
  if (field.length > 0) return field;
  field = ee_value_get_text(mismatch, "path", "");
  for (size_t i = 0; i < judge->attribute_count; i++)
    if (ee_str_equal(judge->attributes[i].name, field)) return field;
  return EE_STR("");
}

/* Units of ee_reason_print(), whose number decides whether they end in "s". */
static const char *const units[] = {" day", " hour", " minute", " second", " element"};

/* The bytes of the unit in the singular that `text` begins with; 0: none. */
static size_t singular_unit(ee_str text) {
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    size_t length = strlen(units[i]);
    if (text.length < length || memcmp(text.data, units[i], length) != 0) continue;
    bool is_longer = text.length > length && text.data[length] != ' ' && text.data[length] != ',';
    return is_longer ? 0 : length;
  }
  return 0;
}

/* The reason with N for every number, and units in the plural, without the nearest of several right answers. In
 * mistakes->text. */
static ee_str strip_numbers(ee_mistakes *mistakes, ee_str reason) {
  static const char nearest[] = "; nearest correct answer";
  const char *end = memmem(reason.data, reason.length, nearest, sizeof nearest - 1);
  if (end != NULL) reason.length = (size_t)(end - reason.data);
  ee_buffer *out = &mistakes->text;
  ee_buffer_clear(out);
  for (size_t i = 0; i < reason.length && out->length < EXAMPLE_BYTES; i++) {
    char c = reason.data[i];
    if (c < '0' || c > '9') {
      ee_buffer_add_char(out, c);
      continue;
    }
    ee_buffer_add_char(out, 'N');
    while (i + 1 < reason.length && strchr("0123456789.", reason.data[i + 1]) != NULL && reason.data[i + 1] != '\0')
      i++;
    size_t unit = singular_unit((ee_str){reason.data + i + 1, reason.length - i - 1});
    if (unit == 0) continue;
    ee_buffer_add(out, reason.data + i + 1, unit);
    ee_buffer_add_char(out, 's');
    i += unit;
  }
  out->length = ee_utf8_valid_prefix(out->data, out->length);
  return (ee_str){out->data, out->length};
}

/* Examples of a reason ---------------------------------------------------------------------------- */

static bool example_before(const ee_mistake_example *a, const ee_mistake_example *b) {
  int order = ee_str_compare(a->id, b->id);
  if (order == 0) order = ee_str_compare(a->expected, b->expected);
  if (order == 0) order = ee_str_compare(a->candidate, b->candidate);
  return order != 0 ? order < 0 : ee_str_compare(a->reason, b->reason) < 0;
}

/* The place of an example, of `count` so far; EE_REASON_EXAMPLES: it is not one of them. */
static size_t example_place(const ee_reason_count *reason, size_t count, const ee_mistake_example *example) {
  size_t place = count;
  while (place > 0 && example_before(example, &reason->examples[place - 1])) place--;
  return place;
}

static size_t count_examples(uint64_t count) { return count < EE_REASON_EXAMPLES ? (size_t)count : EE_REASON_EXAMPLES; }

/* Makes room at `place`; returns what leaves the list, or an empty example. */
static ee_mistake_example open_place(ee_reason_count *reason, size_t count, size_t place) {
  ee_mistake_example leaving = {0};
  if (count == EE_REASON_EXAMPLES) leaving = reason->examples[--count];
  memmove(&reason->examples[place + 1], &reason->examples[place], (count - place) * sizeof leaving);
  return leaving;
}

/* The texts that follow each other there: id, expected, candidate, reason. */
static ee_mistake_example texts_at(const char *data, const size_t lengths[4]) {
  ee_mistake_example texts = {.id = {data, lengths[0]}};
  texts.expected = (ee_str){texts.id.data + lengths[0], lengths[1]};
  texts.candidate = (ee_str){texts.expected.data + lengths[1], lengths[2]};
  texts.reason = (ee_str){texts.candidate.data + lengths[2], lengths[3]};
  return texts;
}

static void add_example(ee_mistakes *mistakes, ee_reason_count *reason, ee_str id, const ee_value *mismatch) {
  size_t count = count_examples(reason->count);
  if (count == EE_REASON_EXAMPLES && ee_str_compare(id, reason->examples[count - 1].id) > 0) return;
  ee_buffer *text = &mistakes->text;
  ee_buffer_clear(text);
  ee_buffer_add_str(text, id);
  size_t lengths[] = {id.length, add_json(text, ee_value_member(mismatch, EE_STR("expected"), NULL)),
                      add_json(text, ee_value_member(mismatch, EE_STR("candidate"), NULL)), 0};
  size_t from = text->length;
  ee_buffer_add_str(text, ee_value_get_text(mismatch, "reason", ""));
  lengths[3] = cut_since(text, from);
  ee_mistake_example example = texts_at(ee_buffer_terminate(text), lengths);
  size_t place = example_place(reason, count, &example);
  if (place == EE_REASON_EXAMPLES) return;
  ee_mistake_example leaving = open_place(reason, count, place);
  char *memory = leaving.memory;
  size_t room = leaving.room;
  if (memory == NULL || text->length > room) {
    room = text->length > 2 * room ? text->length : 2 * room;
    memory = ee_arena_alloc(&mistakes->arena, room);
  }
  memcpy(memory, text->data, text->length);
  example = texts_at(memory, lengths);
  example.memory = memory;
  example.room = room;
  reason->examples[place] = example;
}

/* Reasons ----------------------------------------------------------------------------------------- */

static bool is_other(const ee_reason_count *reason) {
  return ee_str_is(reason->field, EE_OTHER_NAME) && ee_str_is(reason->reason, EE_OTHER_NAME);
}

/* By judge, field and text; those that share EE_OTHER_NAME last. */
static int compare_reasons(const ee_reason_count *a, const ee_reason_count *b) {
  if (is_other(a) != is_other(b)) return is_other(a) ? 1 : -1;
  int order = ee_str_compare(a->judge, b->judge);
  if (order == 0) order = ee_str_compare(a->field, b->field);
  return order != 0 ? order : ee_str_compare(a->reason, b->reason);
}

static bool reason_before(const ee_reason_count *a, const ee_reason_count *b) { return compare_reasons(a, b) < 0; }
EE_DEFINE_SORT(sort_by_name, ee_reason_count, reason_before)

static void merge_reason(ee_reason_count *to, const ee_reason_count *from) {
  for (size_t i = 0, count = count_examples(to->count); i < count_examples(from->count); i++) {
    size_t place = example_place(to, count, &from->examples[i]);
    if (place == EE_REASON_EXAMPLES) break;
    open_place(to, count, place);
    to->examples[place] = from->examples[i];
    if (count < EE_REASON_EXAMPLES) count++;
  }
  to->count += from->count;
}

/* Sorts the reasons and folds those beyond EE_REASONS_KEPT. Returns how many are left. */
static size_t fold_reasons(ee_reason_count *reasons, size_t count, ee_arena *scratch) {
  size_t named = count, others;
  sort_by_name(reasons, count, scratch);
  while (named > 0 && is_other(&reasons[named - 1])) named--;
  if (named <= EE_REASONS_KEPT) return count;
  /* Those of other judges stay; the first of a judge becomes the one that the others share. */
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_reason_count *shared = EE_NEW_ARRAY(scratch, ee_reason_count, count - EE_REASONS_KEPT);
  others = count - named;
  memcpy(shared, reasons + named, others * sizeof *shared);
  for (size_t i = EE_REASONS_KEPT; i < named; i++) {
    size_t k = 0;
    while (k < others && !ee_str_equal(shared[k].judge, reasons[i].judge)) k++;
    if (k == others)
      shared[others++] =
          (ee_reason_count){.judge = reasons[i].judge, .field = EE_STR(EE_OTHER_NAME), .reason = EE_STR(EE_OTHER_NAME)};
    merge_reason(&shared[k], &reasons[i]);
  }
  memcpy(reasons + EE_REASONS_KEPT, shared, others * sizeof *shared);
  ee_arena_rewind(scratch, mark);
  sort_by_name(reasons + EE_REASONS_KEPT, others, scratch);
  return EE_REASONS_KEPT + others;
}

static uint64_t hash_reason(ee_str judge, ee_str field, ee_str reason) {
  uint64_t hash = ee_hash_bytes(judge.data, judge.length, 0);
  hash = ee_hash_bytes(field.data, field.length, hash);
  return ee_hash_bytes(reason.data, reason.length, hash);
}

static void bound_reasons(ee_mistakes *mistakes) {
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  mistakes->reasons.count = fold_reasons(mistakes->reasons.items, mistakes->reasons.count, &scratch);
  ee_hash_index_clear(&mistakes->reason_index);
  for (size_t i = 0; i < mistakes->reasons.count; i++) {
    const ee_reason_count *reason = &mistakes->reasons.items[i];
    ee_hash_index_add(&mistakes->reason_index, hash_reason(reason->judge, reason->field, reason->reason), i);
  }
  ee_arena_fini(&scratch);
}

/* Finds or adds. */
static ee_reason_count *find_reason(ee_mistakes *mistakes, ee_str judge, ee_str field, ee_str reason) {
  uint64_t hash = hash_reason(judge, field, reason);
  size_t at = 0, number;
  while (ee_hash_index_next(&mistakes->reason_index, hash, &at, &number)) {
    ee_reason_count *found = &mistakes->reasons.items[number];
    if (ee_str_equal(found->judge, judge) && ee_str_equal(found->field, field) && ee_str_equal(found->reason, reason))
      return found;
  }
  if (mistakes->reasons.count >= EE_REASONS_KEPT + EE_REASONS_KEPT / 4) bound_reasons(mistakes);
  ee_hash_index_add(&mistakes->reason_index, hash, mistakes->reasons.count);
  ee_reason_count *added = EE_LIST_ADD(&mistakes->reasons, NULL);
  ee_arena *arena = &mistakes->arena;
  *added = (ee_reason_count){.judge = copy(arena, judge), .field = copy(arena, field), .reason = copy(arena, reason)};
  return added;
}

static void add_reasons(ee_mistakes *mistakes, const ee_stored_row *row, const ee_stored_judge *judge) {
  const ee_value *list = mismatches_of(judge);
  if (list == NULL) return;
  for (const ee_value *mismatch = ee_value_child(list); mismatch != NULL; mismatch = ee_value_next(mismatch)) {
    if (ee_type_of(mismatch) != EE_OBJECT) continue;
    ee_str reason = strip_numbers(mistakes, ee_value_get_text(mismatch, "reason", ""));
    ee_reason_count *count = find_reason(mistakes, judge->name, field_of(judge, mismatch), reason);
    add_example(mistakes, count, row->id, mismatch);
    count->count++;
  }
  const ee_value *details = ee_value_member(judge->entry, EE_STR("details"), NULL);
  mistakes->cut_lists += ee_value_count(list) >= EE_DETAILS_SHOWN && ee_value_get_bool(details, "truncated", false);
}

/* Worst cases ------------------------------------------------------------------------------------- */

static bool has_misses(const ee_value *object) {
  const ee_value *misses = ee_value_member(object, EE_STR("misses"), NULL);
  return ee_type_of(misses) == EE_ARRAY && ee_value_count(misses) > 0;
}

static bool is_worse(const ee_worst_row *a, const ee_worst_row *b) {
  return a->score != b->score ? a->score < b->score : ee_str_compare(a->id, b->id) < 0;
}

static void add_worst(ee_mistakes *mistakes, const ee_stored_row *row, const ee_stored_judge *judge) {
  double score = judge != NULL ? judge->score : row->score;
  bool scored = judge != NULL ? judge->has_score : !row->unscored;
  if (!scored || (score >= 1 && !has_misses(judge != NULL ? judge->entry : row->record))) return;
  size_t limit = mistakes->choice.worst, count = mistakes->worst.count;
  ee_worst_row added = {.score = score, .id = row->id};
  if (count == limit && !is_worse(&added, &mistakes->worst.items[count - 1])) return;
  ee_buffer_clear(&mistakes->text);
  ee_json_write_value(&mistakes->text, row->record);
  added.length = mistakes->text.length;
  ee_buffer_add_str(&mistakes->text, row->id);
  added.text = ee_malloc(mistakes->text.length + 1);
  memcpy(added.text, mistakes->text.data, mistakes->text.length);
  added.id.data = added.text + added.length;
  if (count == limit)
    ee_free(mistakes->worst.items[count - 1].text);
  else
    (void)EE_LIST_ADD(&mistakes->worst, NULL);
  size_t at = mistakes->worst.count - 1;
  for (; at > 0 && is_worse(&added, &mistakes->worst.items[at - 1]); at--)
    mistakes->worst.items[at] = mistakes->worst.items[at - 1];
  mistakes->worst.items[at] = added;
}

void ee_mistakes_add_row(ee_mistakes *mistakes, const ee_stored_row *row) {
  ee_str judge = mistakes->judge;
  const ee_stored_judge *only = NULL;
  for (size_t i = 0; i < row->judge_count; i++) {
    if (judge.data != NULL && !ee_str_equal(row->judges[i].name, judge)) continue;
    if (judge.data != NULL) only = &row->judges[i];
    if (mistakes->choice.reasons) add_reasons(mistakes, row, &row->judges[i]);
  }
  if (mistakes->choice.worst > 0 && (judge.data == NULL || only != NULL)) add_worst(mistakes, row, only);
}

static ee_status take_row(void *user, const ee_stored_row *row, ee_error *error) {
  (void)error;
  ee_mistakes_add_row(user, row);
  return EE_OK;
}

ee_status ee_mistakes_add_rows(ee_mistakes *mistakes, ee_str rows, ee_error *error) {
  return ee_stored_rows_read(rows, take_row, mistakes, error);
}

/* Kinds ------------------------------------------------------------------------------------------ */

static ee_cell value_cell(ee_str text, ee_ink ink) {
  if (text.length == 0) return ee_cell_words("-", EE_INK_DIM);
  ee_cell cell = ee_cell_data(text, ink);
  cell.max_columns = VALUE_COLUMNS;
  return cell;
}

static ee_cell id_cell(ee_page *page, ee_str id) {
  if (id.length == 0) return (ee_cell){0};
  ee_cell cell = ee_cell_data(id, EE_INK_PLAIN);
  cell.max_columns = ID_COLUMNS;
  cell.link = ee_page_case_link(&page->arena, id);
  return cell;
}

static void add_cut_note(ee_page *page, ee_medium medium, uint64_t cut) {
  if (cut == 0) return;
  ee_line_addf(page, ee_page_line(page, medium, EE_LINE_PARAGRAPH), EE_INK_YELLOW,
               "  %" PRIu64 " row%s not list all %s mismatches, which are missing here (--detail full lists more)", cut,
               cut == 1 ? " does" : "s do", cut == 1 ? "its" : "their");
}

enum { FIELD, ERRORS, KIND, COUNT, CASE, EXPECTED, CANDIDATE, KIND_COLUMNS };

/* `field`: the attribute; data NULL: rows. */
static uint64_t add_kinds(ee_page *page, ee_grid *grid, ee_str field, const ee_kind_total *total) {
  const ee_link_part all[] = {{"judge", page->section}, {"field", field}};
  ee_cell name = field.data == NULL ? ee_cell_words(ROWS_NAME, EE_INK_PLAIN) : ee_cell_data(field, EE_INK_BOLD);
  if (field.data != NULL) name.link = ee_page_link(&page->arena, all, 2);
  ee_error_kind kinds[EE_ERROR_KIND_COUNT];
  size_t count = ee_kind_total_rank(total, kinds);
  uint64_t errors = 0;
  for (size_t i = 0; i < count; i++)
    if (kinds[i] != EE_ERROR_KIND_UNREAD) errors += total->kinds[kinds[i]].count;
  for (size_t i = 0; i < count; i++) {
    const ee_kind_count *kind = &total->kinds[kinds[i]];
    ee_cell *cells = ee_grid_add(grid);
    if (i == 0) cells[FIELD] = name;
    if (i == 0) cells[ERRORS] = ee_cell_count(&page->arena, errors, EE_INK_PLAIN);
    const char *word = ee_error_kind_name(kinds[i]);
    const ee_link_part parts[] = {{"judge", page->section}, {"kind", ee_str_from(word)}, {"field", field}};
    cells[KIND] = ee_cell_words(word, EE_INK_PLAIN);
    cells[KIND].link = ee_page_link(&page->arena, parts, field.data != NULL ? 3 : 2);
    cells[COUNT] = ee_cell_count(&page->arena, kind->count, EE_INK_BOLD);
    if (kind->example.id.length == 0) continue;
    cells[CASE] = id_cell(page, kind->example.id);
    cells[EXPECTED] = value_cell(kind->example.text, EE_INK_GREEN);
    cells[CANDIDATE] = value_cell(kind->example.more, EE_INK_RED);
  }
  return errors;
}

static bool any_kinds(const ee_judge_total *total) {
  for (size_t i = 0; i < total->attribute_count; i++)
    if (total->attributes[i].kinds != NULL) return true;
  return total->row_kinds != NULL;
}

void ee_kinds_page(const ee_judge_total *total, const ee_mistake_choice *choice, ee_page *page) {
  static const ee_column columns[KIND_COLUMNS] = {
      [FIELD] = {.name = "attribute", .left = true, .name_column = true},
      [ERRORS] = {.name = "errors"},
      [KIND] = {.name = "kind", .left = true},
      [COUNT] = {.name = "count"},
      [CASE] = {.name = "case", .left = true},
      [EXPECTED] = {.name = "expected", .left = true},
      [CANDIDATE] = {.name = "candidate", .left = true},
  };
  ee_page_part(page, "kinds");
  if (!any_kinds(total)) return;
  ee_medium medium = choice != NULL && choice->kinds ? EE_MEDIUM_ALL : EE_MEDIUM_HTML;
  if (medium == EE_MEDIUM_ALL) ee_page_space(page);
  ee_grid *grid = ee_page_grid(page, medium, columns, KIND_COLUMNS);
  grid->caption = ee_arena_printf(&page->arena, "Kinds of errors of %.*s", EE_STR_ARG(page->section));
  if (total->row_kinds != NULL) add_kinds(page, grid, (ee_str){NULL, 0}, total->row_kinds);
  size_t *order = EE_NEW_ARRAY(&page->arena, size_t, total->attribute_count);
  ee_attribute_order by = choice != NULL && choice->order != EE_ORDER_USUAL ? choice->order : EE_ORDER_ERRORS;
  ee_judge_total_order(total, by, order, &page->arena);
  size_t shown = 0;
  for (size_t i = 0; i < total->attribute_count && shown < MAX_FIELDS; i++) {
    const ee_attribute_total *attribute = &total->attributes[order[i]];
    if (attribute->derived) continue;
    ee_kind_total kinds;
    ee_kind_total_complete(attribute->kinds, &attribute->counts, total->row_kinds != NULL && total->kinds_cut == 0,
                           &kinds);
    shown += add_kinds(page, grid, attribute->name, &kinds) > 0;
  }
  add_cut_note(page, medium, total->kinds_cut);
}

/* Reasons ---------------------------------------------------------------------------------------- */

typedef struct ranked_reason {
  const ee_reason_count *reason;
  uint64_t of_field; /* mismatches of the field */
} ranked_reason;

static bool comes_before(const ranked_reason *a, const ranked_reason *b) {
  if (a->of_field != b->of_field) return a->of_field > b->of_field;
  int order = ee_str_compare(a->reason->judge, b->reason->judge);
  if (order == 0) order = ee_str_compare(a->reason->field, b->reason->field);
  if (order != 0) return order < 0;
  if (a->reason->count != b->reason->count) return a->reason->count > b->reason->count;
  return ee_str_compare(a->reason->reason, b->reason->reason) < 0;
}
EE_DEFINE_SORT(sort_reasons, ranked_reason, comes_before)

static bool same_field(const ee_reason_count *a, const ee_reason_count *b) {
  return ee_str_equal(a->judge, b->judge) && ee_str_equal(a->field, b->field);
}

/* Fields with the most mismatches first, and within a field the most frequent reasons; `*count` of them, in `arena`. */
static const ranked_reason *rank_reasons(const ee_mistakes *mistakes, size_t *count, ee_arena *arena) {
  ee_reason_count *reasons = EE_NEW_ARRAY(arena, ee_reason_count, mistakes->reasons.count);
  if (mistakes->reasons.count > 0) memcpy(reasons, mistakes->reasons.items, mistakes->reasons.count * sizeof *reasons);
  *count = fold_reasons(reasons, mistakes->reasons.count, arena);
  ranked_reason *ranked = EE_NEW_ARRAY(arena, ranked_reason, *count);
  for (size_t from = 0, to = 0; from < *count; from = to) {
    uint64_t sum = 0;
    for (; to < *count && same_field(&reasons[from], &reasons[to]); to++) sum += reasons[to].count;
    for (size_t i = from; i < to; i++) ranked[i] = (ranked_reason){&reasons[i], sum};
  }
  sort_reasons(ranked, *count, arena);
  return ranked;
}

static void add_reason(ee_page *page, ee_grid *grid, const ranked_reason *ranked, bool first) {
  enum { R_FIELD, R_COUNT, R_REASON, R_CASE, R_EXPECTED, R_CANDIDATE };
  const ee_reason_count *reason = ranked->reason;
  for (size_t i = 0; i < EE_REASON_EXAMPLES && i < reason->count; i++) {
    ee_cell *cells = ee_grid_add(grid);
    if (i == 0) {
      if (first)
        cells[R_FIELD] =
            reason->field.length > 0 ? ee_cell_data(reason->field, EE_INK_BOLD) : ee_cell_words(ROWS_NAME, EE_INK_BOLD);
      cells[R_COUNT] = ee_cell_count(&page->arena, reason->count, EE_INK_BOLD);
      cells[R_REASON] = (ee_cell){.text = reason->reason, .kind = EE_CELL_QUOTE, .max_columns = REASON_COLUMNS};
    }
    cells[R_CASE] = id_cell(page, reason->examples[i].id);
    cells[R_EXPECTED] = value_cell(reason->examples[i].expected, EE_INK_GREEN);
    cells[R_CANDIDATE] = value_cell(reason->examples[i].candidate, EE_INK_RED);
  }
}

static void add_reasons_page(const ee_mistakes *mistakes, ee_page *page) {
  static const ee_column columns[] = {{.name = "attribute", .left = true, .name_column = true},
                                      {.name = "count"},
                                      {.name = "reason", .left = true},
                                      {.name = "case", .left = true},
                                      {.name = "expected", .left = true},
                                      {.name = "candidate", .left = true}};
  ee_page_section(page, EE_STR("reasons"));
  if (!mistakes->choice.reasons) return;
  ee_page_space(page);
  ee_line_addf(page, ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_HEADING), EE_INK_BOLD, "reasons");
  if (mistakes->reasons.count == 0) {
    ee_line_addf(page, ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_PARAGRAPH), EE_INK_PLAIN, "  no mismatches");
    return;
  }
  size_t count;
  const ranked_reason *ranked = rank_reasons(mistakes, &count, &page->arena);
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, sizeof columns / sizeof *columns);
  size_t fields = 0, of_field = 0;
  for (size_t i = 0; i < count; i++) {
    bool first = i == 0 || !same_field(ranked[i].reason, ranked[i - 1].reason);
    of_field = first ? 0 : of_field + 1;
    fields += first;
    if (fields > MAX_FIELDS) break;
    if (of_field < MAX_REASONS) add_reason(page, grid, &ranked[i], first);
  }
  add_cut_note(page, EE_MEDIUM_ALL, mistakes->cut_lists);
}

/* Worst cases ------------------------------------------------------------------------------------ */

enum { W_CASE, W_SCORE, W_PLACE, W_EXPECTED, W_CANDIDATE, W_KIND, W_REASON, W_COLUMNS };

static ee_str json_text(ee_page *page, const ee_value *value) {
  if (value == NULL) return (ee_str){0};
  ee_buffer text;
  ee_buffer_init(&text);
  ee_json_write_value(&text, value);
  ee_str result = copy_cut(&page->arena, (ee_str){text.data, text.length});
  ee_buffer_fini(&text);
  return result;
}

static ee_str strings_of(const ee_value *object, const char *key) { return ee_value_get_text(object, key, ""); }

/* A row of the table; the first of a case has its id and score. */
static ee_cell *add_worst_row(ee_page *page, ee_grid *grid, const ee_stored_row *row, double score, size_t number) {
  ee_cell *cells = ee_grid_add(grid);
  if (number > 0) return cells;
  cells[W_CASE] = id_cell(page, row->id);
  cells[W_CASE].ink = EE_INK_BOLD;
  cells[W_SCORE] = ee_cell_score(&page->arena, score, EE_INK_PLAIN);
  return cells;
}

static ee_cell quote_cell(ee_str text, unsigned columns) {
  return (ee_cell){.text = text, .kind = EE_CELL_QUOTE, .max_columns = columns};
}

static void add_case(ee_page *page, ee_grid *grid, const ee_worst_row *worst, ee_str judge) {
  ee_stored_row row;
  const ee_value *record = ee_json_read(&page->arena, (ee_str){worst->text, worst->length}, NULL, NULL);
  if (record == NULL || !ee_stored_row_read(record, &page->arena, &row, NULL)) return;
  size_t shown = 0, left = 0;
  /* Without an answer every value is missing. */
  bool answered = row.candidate_state == EE_CANDIDATE_READ;
  for (size_t i = 0; i < row.judge_count; i++) {
    const ee_value *list = answered ? mismatches_of(&row.judges[i]) : NULL;
    if (list == NULL || (judge.data != NULL && !ee_str_equal(judge, row.judges[i].name))) continue;
    for (const ee_value *mismatch = ee_value_child(list); mismatch != NULL; mismatch = ee_value_next(mismatch)) {
      if (shown == MAX_MISMATCHES) {
        left++;
        continue;
      }
      ee_cell *cells = add_worst_row(page, grid, &row, worst->score, shown++);
      cells[W_PLACE] = ee_cell_data(strings_of(mismatch, "path"), EE_INK_PLAIN);
      cells[W_EXPECTED] =
          value_cell(json_text(page, ee_value_member(mismatch, EE_STR("expected"), NULL)), EE_INK_GREEN);
      cells[W_CANDIDATE] =
          value_cell(json_text(page, ee_value_member(mismatch, EE_STR("candidate"), NULL)), EE_INK_RED);
      cells[W_KIND] = quote_cell(strings_of(mismatch, "kind"), 0);
      cells[W_REASON] = quote_cell(strings_of(mismatch, "reason"), REASON_COLUMNS);
    }
  }
  /* Judges without values have misses only. */
  const ee_value *misses = ee_value_member(row.record, EE_STR("misses"), NULL);
  const ee_value *miss = shown == 0 && ee_type_of(misses) == EE_ARRAY ? ee_value_child(misses) : NULL;
  for (; miss != NULL && shown < (answered ? MAX_MISMATCHES : 1); miss = ee_value_next(miss)) {
    if (ee_type_of(miss) != EE_STRING) continue;
    ee_cell *cells = add_worst_row(page, grid, &row, worst->score, shown++);
    if (!answered) cells[W_KIND] = ee_cell_words(ee_error_kind_name(EE_ERROR_KIND_NO_ANSWER), EE_INK_PLAIN);
    cells[W_REASON] = quote_cell(ee_value_text(miss), REASON_COLUMNS);
  }
  if (shown == 0) add_worst_row(page, grid, &row, worst->score, 0);
  if (left > 0) ee_grid_add(grid)[W_PLACE] = ee_cell_words(ee_arena_printf(&page->arena, "%zu more", left), EE_INK_DIM);
}

static void add_worst_page(const ee_mistakes *mistakes, ee_page *page) {
  static const ee_column columns[W_COLUMNS] = {
      [W_CASE] = {.name = "case", .left = true},
      [W_SCORE] = {.name = "score"},
      [W_PLACE] = {.name = "mismatch", .left = true, .name_column = true},
      [W_EXPECTED] = {.name = "expected", .left = true},
      [W_CANDIDATE] = {.name = "candidate", .left = true},
      [W_KIND] = {.name = "kind", .left = true},
      [W_REASON] = {.name = "reason", .left = true, .fill = true},
  };
  ee_page_section(page, EE_STR("worst"));
  if (mistakes->choice.worst == 0) return;
  ee_page_space(page);
  ee_line_addf(page, ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_HEADING), EE_INK_BOLD, "worst cases");
  if (mistakes->worst.count == 0) {
    ee_line_addf(page, ee_page_line(page, EE_MEDIUM_ALL, EE_LINE_PARAGRAPH), EE_INK_PLAIN, "  nothing is wrong");
    return;
  }
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, W_COLUMNS);
  for (size_t i = 0; i < mistakes->worst.count; i++) add_case(page, grid, &mistakes->worst.items[i], mistakes->judge);
}

void ee_mistakes_page(const ee_mistakes *mistakes, ee_page *page) {
  static const ee_mistakes none;
  add_reasons_page(mistakes != NULL ? mistakes : &none, page);
  add_worst_page(mistakes != NULL ? mistakes : &none, page);
}

/* JSON ------------------------------------------------------------------------------------------- */

static void json_reasons(const ee_mistakes *mistakes, ee_json_out *json) {
  ee_arena_mark mark = ee_arena_get_mark(json->arena);
  size_t count;
  const ranked_reason *ranked = rank_reasons(mistakes, &count, json->arena);
  ee_json_open(json, "reasons", '[');
  for (size_t i = 0; i < count; i++) {
    const ee_reason_count *reason = ranked[i].reason;
    ee_json_open(json, NULL, '{');
    ee_json_add_text(json, "judge", reason->judge);
    if (reason->field.length > 0) ee_json_add_text(json, "field", reason->field);
    ee_json_add_text(json, "reason", reason->reason);
    ee_json_add_count(json, "count", reason->count);
    ee_json_open(json, "examples", '[');
    for (size_t k = 0; k < EE_REASON_EXAMPLES && k < reason->count; k++) {
      const ee_mistake_example *example = &reason->examples[k];
      ee_json_open_as(json, NULL, '{', EE_JSON_LINE);
      ee_json_add_text(json, "id", example->id);
      if (example->expected.length > 0) ee_json_add_text(json, "expected", example->expected);
      if (example->candidate.length > 0) ee_json_add_text(json, "candidate", example->candidate);
      ee_json_add_text(json, "reason", example->reason);
      ee_json_close(json, '}');
    }
    ee_json_close(json, ']');
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
  ee_arena_rewind(json->arena, mark);
}

void ee_mistakes_json(const ee_mistakes *mistakes, ee_json_out *json) {
  if (mistakes == NULL) return;
  if (mistakes->choice.reasons) json_reasons(mistakes, json);
  if (mistakes->choice.worst == 0) return;
  /* Whole rows, as in --results. */
  ee_json_open_as(json, "worst", '[', EE_JSON_ROWS);
  for (size_t i = 0; i < mistakes->worst.count; i++) {
    ee_json_next(json, NULL);
    ee_buffer_add(json->out, mistakes->worst.items[i].text, mistakes->worst.items[i].length);
  }
  ee_json_close(json, ']');
}
