/* quote_check.c: reads the extractions of an answer and checks each against its document. */
#include "judge/extraction/quote_check.h"

#include "base/work.h"

#include <string.h>

const char *ee_quote_fault_name(ee_quote_fault fault) {
  static const char *const names[] = {
      NULL, "UNSUPPORTED_OFFSET_MODE", "INVALID_OFFSETS", "OFFSET_MISMATCH", "OFFSETS_OUT_OF_RANGE", "QUOTE_MISMATCH"};
  return names[fault];
}

/* Offsets ------------------------------------------------------------------------------------- */

typedef enum number_kind { NUMBER_MISSING, NUMBER_WHOLE, NUMBER_OTHER } number_kind;

/* The offsets in one object: the extraction itself or its span. */
typedef struct location {
  bool any;             /* it has an offset */
  const ee_value *mode; /* NULL: not given */
  number_kind start_kind, end_kind;
  int64_t start, end;
} location;

static number_kind read_number(const ee_value *value, int64_t *number) {
  ee_type type = ee_type_of(value);
  if (type <= EE_NULL) return NUMBER_MISSING;
  return ee_value_whole(value, number) ? NUMBER_WHOLE : NUMBER_OTHER;
}

static location read_location(const ee_value *object, ee_arena *arena) {
  location place = {0};
  const ee_value *mode = ee_value_member(object, EE_STR("offsetMode"), arena);
  place.mode = ee_type_of(mode) <= EE_NULL ? NULL : mode;
  place.start_kind = read_number(ee_value_member(object, EE_STR("charStart"), arena), &place.start);
  place.end_kind = read_number(ee_value_member(object, EE_STR("charEnd"), arena), &place.end);
  place.any = place.start_kind != NUMBER_MISSING || place.end_kind != NUMBER_MISSING;
  return place;
}

/* False for an unknown mode. */
static bool read_mode(const ee_value *mode, ee_text_unit *unit) {
  if (mode == NULL) return true;
  return ee_type_of(mode) == EE_STRING && ee_text_unit_find(ee_value_text(mode), unit);
}

static bool is_whole(const location *place) {
  return place->start_kind == NUMBER_WHOLE && place->end_kind == NUMBER_WHOLE;
}

/* Whether extraction and span have the same offsets, if both have some. */
static bool agree(const location *top, const location *span) {
  if (!top->any || !span->any) return true;
  ee_text_unit first = EE_UNIT_UTF16, second = EE_UNIT_UTF16;
  bool modes = top->mode == NULL || span->mode == NULL ||
               (read_mode(top->mode, &first) && read_mode(span->mode, &second) && first == second);
  return modes && is_whole(top) && is_whole(span) && top->start == span->start && top->end == span->end;
}

/* One extraction ------------------------------------------------------------------------------ */

static const ee_unit_index *index_of(ee_extraction_document *document, ee_text_unit unit, ee_arena *arena) {
  if (!document->built[unit]) ee_unit_index_build(&document->index[unit], arena, document->text, unit);
  document->built[unit] = true;
  return &document->index[unit];
}

/* U+FFFD. */
#define HALF EE_STR("\xEF\xBF\xBD")

/* The slice for display: half a character is U+FFFD. */
static ee_str show_slice(const ee_unit_slice *slice, ee_arena *arena) {
  if (!slice->cuts_start && !slice->cuts_end) return slice->text;
  size_t length = slice->text.length, size = 0;
  char *text = ee_arena_alloc(arena, length + 2 * HALF.length);
  if (slice->cuts_start) memcpy(text, HALF.data, size = HALF.length);
  if (length > 0) memcpy(text + size, slice->text.data, length);
  size += length;
  if (slice->cuts_end) memcpy(text + size, HALF.data, HALF.length);
  return (ee_str){text, size + (slice->cuts_end ? HALF.length : 0)};
}

/* Units of a slice without text. */
#define SLICE_WORK 100

/* The last two checks: the range of the offsets, and the document's text there. */
static ee_quote_fault check_text(ee_extraction_document *document, ee_extraction *item, ee_arena *arena) {
  const ee_unit_index *index = index_of(document, item->unit, arena);
  if (item->start < 0 || (uint64_t)item->end > index->length) return EE_QUOTE_OFFSETS_OUT_OF_RANGE;
  ee_unit_slice slice = ee_unit_index_slice(index, (uint64_t)item->start, (uint64_t)item->end);
  /* Slices may be as long as the document, however short their quotes are. */
  ee_work(SLICE_WORK + slice.text.length);
  bool same = !slice.cuts_start && !slice.cuts_end && item->quote.data != NULL && ee_str_equal(slice.text, item->quote);
  item->actual = show_slice(&slice, arena);
  return same ? EE_QUOTE_HOLDS : EE_QUOTE_MISMATCH;
}

static ee_quote_fault check_quote(ee_extraction_document *document, const location *top, const location *span,
                                  bool known_mode, ee_extraction *item, ee_arena *arena) {
  if (!known_mode) return EE_QUOTE_UNSUPPORTED_OFFSET_MODE;
  if (!item->has_offsets || item->start > item->end) return EE_QUOTE_INVALID_OFFSETS;
  if (!agree(top, span)) return EE_QUOTE_OFFSET_MISMATCH;
  return check_text(document, item, arena);
}

/* The schema error of an extraction; empty when it is valid. */
static ee_str check_form(const location *top, const location *span, bool known_mode, const ee_extraction *item) {
  if (item->extraction_class.data == NULL) return EE_STR("extractionClass is not a string");
  if (item->quote.data == NULL) return EE_STR("quote is not a string");
  if (!known_mode) return EE_STR("offsetMode is unknown");
  if (!item->has_offsets) return EE_STR("charStart and charEnd are not whole numbers");
  if (!agree(top, span)) return EE_STR("span has other offsets");
  return EE_STR("");
}

static ee_str text_member(const ee_value *node, const char *key, ee_arena *arena) {
  const ee_value *value = ee_value_member(node, ee_str_from(key), arena);
  return ee_type_of(value) == EE_STRING ? ee_value_text(value) : (ee_str){NULL, 0};
}

static void read_one(ee_extraction_document *document, const ee_value *node, ee_text_unit unit, ee_arena *arena,
                     ee_extraction *item) {
  *item = (ee_extraction){.node = node, .unit = unit};
  if (ee_type_of(node) != EE_OBJECT) {
    item->schema_reason = EE_STR("it is not an object");
    item->fault = EE_QUOTE_INVALID_OFFSETS;
    return;
  }
  item->extraction_class = text_member(node, "extractionClass", arena);
  item->quote = text_member(node, "quote", arena);
  location top = read_location(node, arena), span = read_location(ee_value_member(node, EE_STR("span"), arena), arena);
  const location *used = top.any || !span.any ? &top : &span;
  const ee_value *mode = used->mode != NULL ? used->mode : top.mode != NULL ? top.mode : span.mode;
  bool known_mode = read_mode(mode, &item->unit);
  item->has_offsets = is_whole(used);
  item->start = used->start;
  item->end = used->end;
  item->schema_reason = check_form(&top, &span, known_mode, item);
  item->schema_valid = item->schema_reason.length == 0;
  item->fault = check_quote(document, &top, &span, known_mode, item, arena);
}

/* Answers ------------------------------------------------------------------------------------- */

/* The array of extractions in a parsed answer; NULL with list->failure set. */
static const ee_value *find_list(const ee_value *answer, ee_arena *arena, ee_extraction_list *list) {
  if (ee_type_of(answer) == EE_ARRAY) {
    list->bare_list = true;
    return answer;
  }
  if (ee_type_of(answer) != EE_OBJECT) {
    list->failure = ee_str_from(ee_arena_printf(arena, "the answer is %s", ee_type_name(answer)));
    return NULL;
  }
  const ee_value *found = ee_value_member(answer, EE_STR("extractions"), arena);
  if (ee_type_of(found) == EE_ARRAY) return found;
  list->failure = found == NULL
                      ? EE_STR("the answer has no 'extractions'")
                      : ee_str_from(ee_arena_printf(arena, "'extractions' is %s, not an array", ee_type_name(found)));
  return NULL;
}

void ee_extractions_read(ee_extraction_document *document, ee_str answer, const ee_value *parsed, unsigned repairs,
                         ee_text_unit unit, ee_arena *arena, ee_extraction_list *list) {
  *list = (ee_extraction_list){.kind = EE_EMPTY_BY_FAILURE};
  if (parsed == NULL) {
    ee_error error = {0};
    parsed = answer.data != NULL ? ee_json_in_prose_repair(arena, answer, repairs, &list->repairs, &error) : NULL;
    if (parsed == NULL) {
      list->failure = answer.data == NULL ? EE_STR("there is no answer")
                                          : ee_str_from(ee_arena_printf(arena, "not JSON: %s at line %zu column %zu",
                                                                        error.message, error.line, error.column));
      return;
    }
  }
  list->document = parsed;
  const ee_value *found = find_list(parsed, arena, list);
  if (found == NULL) return;
  ee_work_bound(EE_BOUND_ITEMS, ee_value_count(found), "extractions");
  list->items = EE_NEW_ARRAY(arena, ee_extraction, ee_value_count(found) + 1);
  for (const ee_value *node = ee_value_child(found); node != NULL; node = ee_value_next(node)) {
    ee_extraction *item = &list->items[list->count++];
    read_one(document, node, unit, arena, item);
    list->schema_valid += item->schema_valid;
    list->quote_valid += item->fault == EE_QUOTE_HOLDS;
    list->sound += item->schema_valid && item->fault == EE_QUOTE_HOLDS;
  }
  list->kind = list->count > 0 ? EE_NON_EMPTY : EE_EMPTY_BY_EVIDENCE;
}

bool ee_extraction_succeeds(const ee_bench_record *record, const ee_extraction_list *list) {
  if (!record->has_expected) return list->kind != EE_EMPTY_BY_FAILURE;
  return list->kind == record->kind && list->count >= record->min_extractions && list->count <= record->max_extractions;
}

double ee_extraction_score(bool succeeds, const ee_extraction_list *list) {
  if (!succeeds) return 0;
  return list->count > 0 ? (double)list->sound / (double)list->count : 1;
}
