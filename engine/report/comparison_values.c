/* comparison_values.c: the values that a run had wrong, kept from its rows, and those of a case from both runs side by
 * side.
 *
 * A row lists its wrong values under details.mismatches of each judge. One that only the base lists was fixed, one that
 * only the new run lists was broken. */
#include <stdlib.h>

#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "report/comparison_inside.h"

/* Bytes of a value that is kept. */
#define VALUE_BYTES 500

/* Keeping --------------------------------------------------------------------------------------- */

static ee_str keep(ee_comparison *comparison, ee_str text) {
  return (ee_str){ee_arena_copy(&comparison->arena, text.data, text.length), text.length};
}

/* As JSON; a longer one is a string with its start. */
static ee_str keep_json(ee_comparison *comparison, const ee_value *value) {
  if (value == NULL) return (ee_str){0};
  ee_buffer text;
  ee_buffer_init(&text);
  ee_json_write_value(&text, value);
  ee_str whole = {text.data, text.length};
  if (whole.length <= VALUE_BYTES) {
    whole = keep(comparison, whole);
  } else {
    ee_str start = ee_type_of(value) == EE_STRING ? ee_value_text(value) : whole;
    start.length = ee_utf8_cut(start, VALUE_BYTES);
    const char *cut = ee_arena_printf(&comparison->arena, "%.*s\xe2\x80\xa6", EE_STR_ARG(start));
    ee_buffer_clear(&text);
    ee_json_write_string(&text, ee_str_from(cut));
    whole = keep(comparison, (ee_str){text.data, text.length});
  }
  ee_buffer_fini(&text);
  return whole;
}

static ee_str keep_member(ee_comparison *comparison, const ee_value *entry, ee_str name) {
  const ee_value *found = ee_value_member(entry, name, NULL);
  if (ee_type_of(found) != EE_STRING) return (ee_str){0};
  ee_str text = ee_value_text(found);
  return keep(comparison, (ee_str){text.data, ee_utf8_cut(text, VALUE_BYTES)});
}

void ee_comparison_keep_values(ee_comparison *comparison, ee_run_rows *run, ee_row_judge *judge,
                               const ee_stored_judge *stored) {
  const ee_value *details = ee_value_member(stored->entry, EE_STR("details"), NULL);
  const ee_value *list = ee_value_member(details, EE_STR("mismatches"), NULL);
  judge->first_value = run->values.count;
  judge->cut = ee_type_of(ee_value_member(details, EE_STR("truncated"), NULL)) == EE_TRUE;
  if (ee_type_of(list) != EE_ARRAY) return;
  for (const ee_value *entry = ee_value_child(list); entry != NULL; entry = ee_value_next(entry)) {
    const ee_value *path = ee_value_member(entry, EE_STR("path"), NULL);
    if (ee_type_of(path) != EE_STRING) continue;
    if (judge->value_count == EE_COMPARED_VALUES) {
      judge->cut = true;
      break;
    }
    *EE_LIST_ADD(&run->values, NULL) =
        (ee_row_value){.path = keep(comparison, ee_value_text(path)),
                       .expected = keep_json(comparison, ee_value_member(entry, EE_STR("expected"), NULL)),
                       .candidate = keep_json(comparison, ee_value_member(entry, EE_STR("candidate"), NULL)),
                       .reason = keep_member(comparison, entry, EE_STR("reason")),
                       .kind = keep_member(comparison, entry, EE_STR("kind"))};
    judge->value_count++;
  }
}

/* Fields ---------------------------------------------------------------------------------------- */

static uint32_t field_named(const ee_comparison *comparison, uint32_t judge, ee_str name) {
  uint64_t hash = ee_hash_bytes(name.data, name.length, judge);
  size_t at = 0, found;
  while (ee_hash_index_next(&comparison->attribute_index, hash, &at, &found)) {
    const ee_known_attribute *known = &comparison->known_attributes.items[found];
    if (known->judge == judge && ee_str_equal(known->name, name))
      return comparison->field_of != NULL ? comparison->field_of[found] : EE_NO_NUMBER;
  }
  return EE_NO_NUMBER;
}

/* "items[*].price" of "items[12].price". */
static ee_str without_rows(ee_str path, ee_arena *arena) {
  char *text = ee_arena_alloc(arena, 2 * path.length + 1);
  size_t length = 0;
  for (size_t i = 0; i < path.length; i++) {
    text[length++] = path.data[i];
    size_t digits = 0;
    while (path.data[i] == '[' && i + 1 + digits < path.length && path.data[i + 1 + digits] >= '0' &&
           path.data[i + 1 + digits] <= '9')
      digits++;
    if (digits == 0 || i + 1 + digits == path.length || path.data[i + 1 + digits] != ']') continue;
    text[length++] = '*';
    i += digits;
  }
  return (ee_str){text, length};
}

/* The field that the value at `path` counts for: the path itself, the path for all rows, or what follows the row.
 * EE_NO_NUMBER for a whole item, which counts for several fields. */
static uint32_t field_at(const ee_comparison *comparison, uint32_t judge, ee_str path, ee_arena *arena) {
  uint32_t field = field_named(comparison, judge, path);
  if (field == EE_NO_NUMBER) field = field_named(comparison, judge, without_rows(path, arena));
  for (size_t i = path.length; field == EE_NO_NUMBER && i > 1; i--)
    if (path.data[i - 1] == '.' && path.data[i - 2] == ']')
      return field_named(comparison, judge, (ee_str){path.data + i, path.length - i});
  return field;
}

/* Side by side ---------------------------------------------------------------------------------- */

typedef struct pairs {
  const ee_comparison *comparison;
  ee_arena *arena;
  struct {
    EE_LIST(ee_compared_value);
  } list;
} pairs;

static const ee_row_value *values_of(const ee_run_rows *run, const ee_row_judge *judge) {
  return judge->value_count > 0 ? run->values.items + judge->first_value : NULL;
}

/* A value that is missing is not one that is spurious, even at one path. */
static bool is_same_place(const ee_row_value *a, const ee_row_value *b) {
  return ee_str_equal(a->path, b->path) && (a->expected.data == NULL) == (b->expected.data == NULL);
}

static void set_side(ee_compared_value *pair, ee_side side, const ee_row_value *value) {
  pair->wrong[side] = value != NULL;
  if (value == NULL) {
    pair->values[side] = pair->expected;
    return;
  }
  pair->values[side] = value->candidate;
  pair->reasons[side] = value->reason;
  pair->kinds[side] = value->kind;
}

static void add_pair(pairs *self, uint32_t judge, const ee_row_value *base, const ee_row_value *fresh) {
  const ee_row_value *any = base != NULL ? base : fresh;
  if (any == NULL) return;
  const ee_comparison *comparison = self->comparison;
  ee_compared_value *pair = EE_LIST_ADD(&self->list, self->arena);
  *pair = (ee_compared_value){.judge = comparison->known_judges.items[judge].name,
                              .path = any->path,
                              .expected = any->expected,
                              .is_expected = any->expected.data != NULL && !ee_str_is(any->expected, "null")};
  uint32_t field = field_at(comparison, judge, any->path, self->arena);
  if (field != EE_NO_NUMBER) pair->field = comparison->known_attributes.items[comparison->fields[field].attribute].name;
  set_side(pair, EE_SIDE_BASE, base);
  set_side(pair, EE_SIDE_NEW, fresh);
}

static void pair_judge(pairs *self, const ee_row_judge *before, const ee_row_judge *after) {
  const ee_run_rows *runs = self->comparison->runs;
  const ee_row_value *old = values_of(&runs[EE_SIDE_BASE], before), *fresh = values_of(&runs[EE_SIDE_NEW], after);
  bool taken[EE_COMPARED_VALUES] = {false};
  for (uint32_t i = 0; i < before->value_count; i++) {
    uint32_t k = 0;
    while (k < after->value_count && (taken[k] || !is_same_place(&old[i], &fresh[k]))) k++;
    if (k < after->value_count) taken[k] = true;
    /* What the other run does not list may be beyond the end of its list. */
    if (k < after->value_count || !after->cut)
      add_pair(self, before->judge, &old[i], k < after->value_count ? &fresh[k] : NULL);
  }
  for (uint32_t k = 0; k < after->value_count; k++)
    if (!taken[k] && !before->cut) add_pair(self, before->judge, NULL, &fresh[k]);
}

size_t ee_comparison_values(const ee_comparison *comparison, size_t number, ee_arena *arena,
                            const ee_compared_value **values) {
  pairs self = {.comparison = comparison, .arena = arena};
  const ee_compared_case *item = &comparison->cases[number];
  const ee_run_rows *runs = comparison->runs;
  for (uint32_t i = 0; i < item->base->judge_count; i++) {
    const ee_row_judge *before = &runs[EE_SIDE_BASE].judges.items[item->base->first_judge + i];
    const ee_row_judge *after = ee_run_judge(&runs[EE_SIDE_NEW], item->fresh, before->judge);
    if (after != NULL) pair_judge(&self, before, after);
  }
  *values = self.list.items;
  return self.list.count;
}

bool ee_comparison_is_new_change(const ee_compared_value *values, size_t number) {
  const ee_compared_value *value = &values[number];
  if (value->wrong[EE_SIDE_BASE] == value->wrong[EE_SIDE_NEW]) return false;
  for (size_t i = 0; i < number; i++)
    if (ee_str_equal(values[i].path, value->path) && ee_str_equal(values[i].expected, value->expected) &&
        values[i].wrong[EE_SIDE_BASE] == value->wrong[EE_SIDE_BASE] &&
        ee_str_equal(values[i].values[EE_SIDE_BASE], value->values[EE_SIDE_BASE]) &&
        ee_str_equal(values[i].values[EE_SIDE_NEW], value->values[EE_SIDE_NEW]))
      return false;
  return true;
}

uint64_t ee_comparison_count_values(const ee_comparison *comparison) {
  uint64_t count = 0;
  for (size_t i = 0; i < comparison->listed; i++) {
    if (ee_comparison_change(&comparison->cases[i]) == EE_CASE_SAME) continue;
    ee_arena arena;
    ee_arena_init(&arena, 0);
    const ee_compared_value *values;
    size_t all = ee_comparison_values(comparison, i, &arena, &values);
    for (size_t k = 0; k < all; k++) count += ee_comparison_is_new_change(values, k);
    ee_arena_fini(&arena);
  }
  return count;
}

size_t ee_comparison_case_count(const ee_comparison *comparison) { return comparison->listed; }

ee_case_pair ee_comparison_case(const ee_comparison *comparison, size_t number) {
  const ee_compared_case *item = &comparison->cases[number];
  return (ee_case_pair){.id = item->base->id,
                        .scores = {item->base->score, item->fresh->score},
                        .verdicts = {item->base->verdict, item->fresh->verdict},
                        .change = ee_comparison_change(item),
                        .fixed = item->fixed,
                        .broken = item->broken,
                        .still_wrong = item->still_wrong,
                        .lines = {item->base->line, item->fresh->line}};
}

const char *ee_value_change_name(const ee_compared_value *value) {
  if (value->wrong[EE_SIDE_BASE] && value->wrong[EE_SIDE_NEW]) return "still wrong";
  return value->wrong[EE_SIDE_NEW] ? "broken" : "fixed";
}
