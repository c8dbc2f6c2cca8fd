/* span_reader.c: spans from arrays of items: objects with members of any name, or [start, end, label].
 *
 * Offsets are checked against the text of the document where the rules name it, and brought to the units of the
 * expected side. An item without offsets is looked for by its text: the n-th item of one text is its n-th occurrence.
 */
#include <string.h>

#include "base/hash_index.h"
#include "base/work.h"
#include "data/json/json_writer.h"
#include "judge/spans/spans.h"
#include "prim/normalize.h"

#define TEXT_SHOWN 40

const char *ee_span_format_name(ee_span_format format) {
  static const char *const names[EE_SPAN_FORMATS] = {"auto", "items", "tags", "conll", "xml"};
  return names[format];
}

void ee_span_list_fault(ee_span_list *list, uint32_t index, const char *fault) {
  if (list->faults++ > 0) return;
  list->fault = fault;
  list->fault_index = index;
}

/* A text that was looked for. */
typedef struct searched {
  ee_str text;
  size_t next; /* where the next search begins, in bytes */
} searched;

/* One list while it is read. */
typedef struct item_reader {
  const ee_span_reader *from;
  ee_span_list *list;
  ee_hash_index by_text;
  struct {
    EE_LIST(searched);
  } searches;
} item_reader;

static const char *shown(const item_reader *r, ee_str text) {
  size_t length = ee_utf8_cut(text, TEXT_SHOWN);
  return ee_arena_printf(r->from->arena, "'%.*s%s'", (int)length, text.data, length < text.length ? "..." : "");
}

/* Labels --------------------------------------------------------------------------------------- */

/* The text of a label; false if the value is not a label. */
static bool label_text(const item_reader *r, const ee_value *value, ee_str *label) {
  ee_arena *arena = r->from->arena;
  switch (ee_type_of(value)) {
  case EE_STRING: *label = ee_nfc(ee_value_text(value), arena); return true;
  case EE_NUMBER: {
    char room[32];
    ee_str text = ee_value_number_text(value, room);
    *label = (ee_str){ee_arena_copy(arena, text.data, text.length), text.length};
    return true;
  }
  case EE_TRUE: *label = EE_STR("true"); return true;
  case EE_FALSE: *label = EE_STR("false"); return true;
  default: return false;
  }
}

/* Offsets -------------------------------------------------------------------------------------- */

/* Where [start, end) is in the document, by one way to count: whether it is there at all, and what is there. */
static bool slice(const ee_unit_index *index, uint64_t start, uint64_t end, ee_unit_slice *found) {
  if (start > end || end > index->length) return false;
  *found = ee_unit_index_slice(index, start, end);
  return !found->cuts_start && !found->cuts_end;
}

/* An option that would make the offsets fit the text; "" if none does. */
static const char *remedy(const item_reader *r, uint64_t start, uint64_t end, ee_str text) {
  const ee_span_reader *from = r->from;
  ee_arena *arena = from->arena;
  if (text.data == NULL || text.length == 0) return "";
  ee_unit_slice found;
  uint64_t other_end = from->rules->inclusive ? end - 1 : end + 1;
  if (slice(from->indexes[from->side], start, other_end, &found) && ee_str_equal(found.text, text))
    return from->rules->inclusive ? " (inclusive = false fits it)" : " (inclusive = true fits it)";
  for (ee_text_unit unit = EE_UNIT_UTF16; unit <= EE_UNIT_UTF8; unit++) {
    if (unit == from->rules->units[from->side]) continue;
    ee_arena_mark mark = ee_arena_get_mark(arena);
    ee_unit_index index;
    ee_work(from->document.length);
    ee_unit_index_build(&index, arena, from->document, unit);
    bool fits = slice(&index, start, end, &found) && ee_str_equal(found.text, text);
    ee_arena_rewind(arena, mark);
    if (fits)
      return ee_arena_printf(arena, " (%s = \"%s\" fits it)", from->side == EE_EXPECTED ? "unit" : "candidate_unit",
                             ee_text_unit_name(unit));
  }
  return "";
}

/* Checks the offsets of a span against the document and brings them to the units of the expected side. NULL, or what is
 * wrong. */
static const char *check_offsets(const item_reader *r, ee_span *span) {
  const ee_span_reader *from = r->from;
  const ee_unit_index *index = from->indexes[from->side], *common = from->indexes[EE_EXPECTED];
  if (index == NULL) return NULL;
  if (span->end > index->length)
    return ee_arena_printf(from->arena, "the end %llu is after the end of the document, %llu%s",
                           (unsigned long long)span->end, (unsigned long long)index->length,
                           remedy(r, span->start, span->end, span->text));
  ee_unit_slice found = ee_unit_index_slice(index, span->start, span->end);
  if (found.cuts_start || found.cuts_end)
    return ee_arena_printf(from->arena, "an offset is inside a character%s",
                           remedy(r, span->start, span->end, span->text));
  if (span->text.data != NULL && !ee_str_equal(span->text, found.text))
    return ee_arena_printf(from->arena, "the document has %s there, not %s%s", shown(r, found.text),
                           shown(r, span->text), remedy(r, span->start, span->end, span->text));
  span->text = found.text;
  if (index->unit == common->unit) return NULL;
  size_t at = (size_t)(found.text.data - from->document.data);
  span->start = ee_unit_index_of_byte(common, at);
  span->end = ee_unit_index_of_byte(common, at + found.text.length);
  return NULL;
}

static const char *read_offsets(const item_reader *r, const ee_value *first, const ee_value *last, ee_span *span) {
  int64_t start, end;
  if (!ee_value_whole(first, &start) || !ee_value_whole(last, &end)) return "the offsets are not whole numbers";
  if (r->from->rules->inclusive) end++;
  if (start < 0) return "the start is below 0";
  if (end < start)
    return ee_arena_printf(r->from->arena, "the end %lld is before the start %lld",
                           (long long)end - r->from->rules->inclusive, (long long)start);
  if (end == start)
    return r->from->rules->inclusive ? "the end is before the start"
                                     : "the end is the start (inclusive = true counts the end's own position)";
  span->start = (uint64_t)start;
  span->end = (uint64_t)end;
  return check_offsets(r, span);
}

/* Texts ---------------------------------------------------------------------------------------- */

static searched *search_of(item_reader *r, ee_str text) {
  uint64_t hash = ee_hash_bytes(text.data, text.length, 0);
  size_t at = 0, found;
  while (ee_hash_index_next(&r->by_text, hash, &at, &found))
    if (ee_str_equal(r->searches.items[found].text, text)) return &r->searches.items[found];
  *EE_LIST_ADD(&r->searches, r->from->arena) = (searched){.text = text};
  ee_hash_index_add(&r->by_text, hash, r->searches.count - 1);
  return &r->searches.items[r->searches.count - 1];
}

/* The next occurrence of the span's text; after the last one the first one again. */
static const char *locate(item_reader *r, ee_span *span) {
  const ee_span_reader *from = r->from;
  searched *search = search_of(r, span->text);
  for (int round = 0; round < 2; round++) {
    ee_work(from->document.length - search->next);
    const char *found = search->next < from->document.length
                            ? memmem(from->document.data + search->next, from->document.length - search->next,
                                     span->text.data, span->text.length)
                            : NULL;
    if (found == NULL) {
      search->next = 0;
      continue;
    }
    size_t at = (size_t)(found - from->document.data);
    search->next = at + span->text.length;
    span->start = ee_unit_index_of_byte(from->indexes[EE_EXPECTED], at);
    span->end = ee_unit_index_of_byte(from->indexes[EE_EXPECTED], at + span->text.length);
    return NULL;
  }
  return ee_arena_printf(from->arena, "the document does not have %s", shown(r, span->text));
}

static uint64_t characters(ee_str text) {
  uint64_t count = 0;
  for (size_t i = 0; i < text.length; i++) count += ((unsigned char)text.data[i] & 0xc0) != 0x80;
  return count;
}

/* A span that is known by its text only. */
static const char *read_text(item_reader *r, ee_span *span) {
  if (span->text.data == NULL) return "neither offsets nor a text";
  if (span->text.length == 0) return "the text is empty";
  ee_work(span->text.length);
  if (r->from->document.data != NULL) return locate(r, span);
  if (r->list->place == EE_SPANS_OFFSETS) return "no offsets, which other spans have";
  r->list->place = EE_SPANS_TEXTS;
  span->text = ee_nfc(span->text, r->from->arena);
  span->end = characters(span->text);
  return NULL;
}

/* Items ---------------------------------------------------------------------------------------- */

/* [start, end, label], in this order. */
static void read_array(const ee_value *item, const ee_value *parts[EE_SPAN_MEMBERS]) {
  const ee_value *element = ee_value_child(item);
  static const ee_span_member order[] = {EE_SPAN_START, EE_SPAN_END, EE_SPAN_LABEL};
  for (size_t i = 0; i < 3 && element != NULL; i++, element = ee_value_next(element)) parts[order[i]] = element;
}

static const char *read_parts(item_reader *r, const ee_value *item, ee_span *span) {
  const ee_spans *rules = r->from->rules;
  const ee_value *parts[EE_SPAN_MEMBERS] = {NULL};
  ee_type type = ee_type_of(item);
  if (type == EE_ARRAY) {
    if (ee_value_count(item) != 3) return "not [start, end, label]";
    read_array(item, parts);
  } else if (type == EE_OBJECT) {
    for (size_t i = 0; i < EE_SPAN_MEMBERS; i++) parts[i] = ee_path_get(rules->members[i], item, r->from->arena);
  } else {
    return ee_arena_printf(r->from->arena, "%s, not an object", ee_value_describe(item));
  }
  for (size_t i = 0; i < EE_SPAN_MEMBERS; i++)
    if (ee_type_of(parts[i]) == EE_NULL) parts[i] = NULL;
  if (!label_text(r, parts[EE_SPAN_LABEL], &span->label)) return "no label";
  if (ee_type_of(parts[EE_SPAN_TEXT]) == EE_STRING) span->text = ee_value_text(parts[EE_SPAN_TEXT]);
  if (parts[EE_SPAN_START] == NULL && parts[EE_SPAN_END] == NULL) return read_text(r, span);
  if (r->list->place == EE_SPANS_TEXTS) return "offsets, which other spans have not";
  const char *fault = read_offsets(r, parts[EE_SPAN_START], parts[EE_SPAN_END], span);
  if (fault == NULL) r->list->place = EE_SPANS_OFFSETS;
  return fault;
}

bool ee_span_label_counts(const ee_spans *rules, ee_str label) {
  if (rules->labels == NULL) return true;
  for (size_t i = 0; i < rules->label_count; i++)
    if (ee_str_equal(rules->labels[i], label)) return true;
  return false;
}

void ee_span_items_read(const ee_span_reader *reader, const ee_value *array, ee_span_list *list) {
  size_t count = ee_value_count(array);
  ee_work_bound(EE_BOUND_ITEMS, count, "spans in an array");
  item_reader r = {.from = reader, .list = list, .by_text = {.arena = reader->arena}};
  EE_LIST_RESERVE(list, reader->arena, count);
  uint32_t index = 0;
  for (const ee_value *item = ee_value_child(array); item != NULL; item = ee_value_next(item), index++) {
    ee_span span = {.label = EE_STR(""), .node = item, .index = index};
    ee_work(reader->rules->label_count);
    span.fault = read_parts(&r, item, &span);
    if (span.label.length > 0 && !ee_span_label_counts(reader->rules, span.label)) {
      list->left_out++;
      continue;
    }
    if (span.fault != NULL) {
      ee_span_list_fault(list, index, span.fault);
      span.start = span.end = 0;
    } else if (list->place == EE_SPANS_NOWHERE) {
      list->place = EE_SPANS_OFFSETS; /* found in the document */
    }
    list->items[list->count++] = span;
  }
}
