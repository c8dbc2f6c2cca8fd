/* extraction_truth.c: what a record of ee.extraction says is right: its document, what is expected, gold spans. */
#include "judge/extraction/extraction_judge.h"

#define TEXT_SHOWN 60

/* A record while it is read. */
typedef struct reading {
  const ee_extraction_rules *rules;
  const ee_case *current;
  ee_arena *arena;
  ee_bench_record *record;
} reading;

static const ee_value *member(const reading *self, const ee_value *object, const char *key) {
  return ee_value_member(object, ee_str_from(key), self->arena);
}

static const ee_value *value_at(const reading *self, const ee_path *path) {
  return ee_path_get(path, self->current->record, self->arena);
}

/* A text of the data in a message; what follows a NUL in it is not shown. */
static const char *shown(const reading *self, ee_str text) {
  size_t length = ee_utf8_cut(text, TEXT_SHOWN);
  return ee_arena_printf(self->arena, "%.*s%s", (int)length, text.data, length < text.length ? "..." : "");
}

static bool read_count(const ee_value *value, uint64_t *count) {
  int64_t whole;
  if (!ee_value_whole(value, &whole) || whole < 0) return false;
  *count = (uint64_t)whole;
  return true;
}

/* Document and unit --------------------------------------------------------------------------------------------------
 */

static const char *read_document(const reading *self, ee_extraction_document *document) {
  const ee_value *value = value_at(self, self->rules->document);
  if (ee_type_of(value) == EE_MISSING) return "missing";
  if (ee_type_of(value) != EE_STRING)
    return ee_arena_printf(self->arena, "the document is no text but '%s'", ee_type_name(value));
  *document = (ee_extraction_document){.text = ee_value_text(value)};
  self->record->document = document->text;
  return NULL;
}

static const char *read_unit(const reading *self) {
  const ee_value *value = member(self, self->current->record, "offsetMode");
  self->record->unit = self->rules->unit;
  if (ee_type_of(value) <= EE_NULL) return NULL;
  if (ee_type_of(value) != EE_STRING) return ee_arena_printf(self->arena, "no text but '%s'", ee_type_name(value));
  if (ee_text_unit_find(ee_value_text(value), &self->record->unit)) return NULL;
  return ee_arena_printf(self->arena, "'%s' is none of " EE_TEXT_UNIT_LIST, shown(self, ee_value_text(value)));
}

/* What is expected -------------------------------------------------------------------------------------------------
 */

static const char *read_kind(const reading *self, const ee_value *value) {
  if (ee_type_of(value) != EE_STRING) return "emptyResultKind is no text";
  if (ee_empty_kind_find(ee_value_text(value), &self->record->kind)) return NULL;
  return ee_arena_printf(self->arena, "emptyResultKind '%s' is none of " EE_EMPTY_KIND_LIST,
                         shown(self, ee_value_text(value)));
}

static const char *read_expected(const reading *self, const ee_value *expected) {
  ee_bench_record *record = self->record;
  const char *trouble = read_kind(self, member(self, expected, "emptyResultKind"));
  if (trouble != NULL) return trouble;
  if (!read_count(member(self, expected, "minExtractions"), &record->least))
    return "minExtractions is no whole number from 0";
  if (!read_count(member(self, expected, "maxExtractions"), &record->most))
    return "maxExtractions is no whole number from 0";
  if (record->most < record->least) return "maxExtractions is below minExtractions";
  record->has_expected = true;
  return NULL;
}

/* Gold spans -------------------------------------------------------------------------------------------------------
 */

static const char *read_span(const reading *self, const ee_unit_index *index, const ee_value *item,
                             ee_gold_span *span) {
  if (ee_type_of(item) != EE_OBJECT) return "it is no object";
  const ee_value *name = member(self, item, "extractionClass"), *quote = member(self, item, "quote");
  if (ee_type_of(name) != EE_STRING) return "extractionClass is no text";
  if (ee_type_of(quote) != EE_STRING) return "quote is no text";
  span->extraction_class = ee_value_text(name);
  span->quote = ee_value_text(quote);
  bool whole = read_count(member(self, item, "charStart"), &span->start) &&
               read_count(member(self, item, "charEnd"), &span->end);
  if (!whole) return "charStart and charEnd are no whole numbers from 0";
  return ee_gold_span_trouble(index, span, self->arena);
}

static const char *read_gold(const reading *self, const ee_value *list, ee_extraction_document *document) {
  ee_bench_record *record = self->record;
  ee_unit_index *index = &document->index[record->unit];
  ee_unit_index_build(index, self->arena, document->text, record->unit);
  document->built[record->unit] = true;
  ee_gold_span *gold = EE_NEW_ARRAY(self->arena, ee_gold_span, ee_value_count(list) + 1);
  size_t count = 0;
  for (const ee_value *item = ee_value_child(list); item != NULL; item = ee_value_next(item), count++) {
    const char *trouble = read_span(self, index, item, &gold[count]);
    if (trouble != NULL) return ee_arena_printf(self->arena, "gold span %zu: %s", count, trouble);
  }
  record->has_gold = true;
  record->gold = gold;
  record->gold_count = count;
  return NULL;
}

/* The record -------------------------------------------------------------------------------------------------------
 */

const char *ee_extraction_truth_read(const ee_extraction_rules *rules, const ee_case *current, ee_arena *arena,
                                     ee_extraction_truth *truth, ee_extraction_document *document, ee_str *place) {
  *truth = (ee_extraction_truth){.gold_place = rules->gold->text};
  reading self = {rules, current, arena, &truth->record};
  *place = rules->document->text;
  const char *trouble = read_document(&self, document);
  if (trouble != NULL) return trouble;
  *place = EE_STR("offsetMode");
  trouble = read_unit(&self);
  if (trouble != NULL) return trouble;
  *place = EE_STR("expected");
  const ee_value *expected = current->expected, *gold = value_at(&self, rules->gold);
  if (ee_type_of(expected) == EE_ARRAY) {
    if (gold != expected) truth->gold_place = *place;
    gold = expected;
  } else if (ee_type_of(expected) == EE_OBJECT) {
    trouble = read_expected(&self, expected);
    if (trouble != NULL) return trouble;
  } else {
    return ee_arena_printf(arena, "neither { emptyResultKind, minExtractions, maxExtractions } nor gold spans but '%s'",
                           ee_type_name(expected));
  }
  *place = truth->gold_place;
  if (ee_type_of(gold) <= EE_NULL) return NULL;
  if (ee_type_of(gold) != EE_ARRAY) return ee_arena_printf(arena, "no list of gold spans but '%s'", ee_type_name(gold));
  return read_gold(&self, gold, document);
}
