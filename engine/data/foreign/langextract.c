/* langextract.c: annotated documents of LangExtract (github.com/google/langextract, langextract/core/data.py and
 * data_lib.py): JSONL, one document a line.
 *
 * A file is one side: the expected extractions in one, the found ones in another, joined on `document_id`. An
 * extraction becomes a span {label, start, end, text} of ee.spans. Its text is left out where LangExtract says that the
 * interval covers another text (a fuzzy or partial match): then it is `quote`. An extraction that was not found in the
 * document has no offsets, and ee.spans looks for its text. Offsets count code points, as in Python. */
#include "data/foreign/foreign.h"

#include "data/json/json_writer.h"

enum { UNGROUNDED, NO_LIST, OTHER_TEXT };

static const char *const notes[] = {
    [UNGROUNDED] = "an extraction without an interval: its text is looked for in the document",
    [NO_LIST] = "'extractions' is null, read as an empty list",
    [OTHER_TEXT] = "an extraction whose interval covers another text than its own (match_fuzzy, match_lesser, "
                   "match_greater): its interval counts",
    NULL};

static const ee_value *member(const ee_value *object, const char *key) {
  return ee_value_member(object, ee_str_from(key), NULL);
}

static bool is_document(const ee_value *record) {
  const ee_value *list = member(record, "extractions");
  if (ee_type_of(list) != EE_ARRAY || member(record, "text") == NULL) return false;
  const ee_value *first = ee_value_child(list);
  return first == NULL ? member(record, "document_id") != NULL : member(first, "extraction_class") != NULL;
}

/* A member of a span. */
static void add_to_span(ee_foreign_reading *r, const char *key, const ee_value *value, bool first) {
  if (ee_type_of(value) <= EE_NULL) return;
  if (!first) ee_buffer_add_char(r->out, ',');
  ee_json_write_string(r->out, ee_str_from(key));
  ee_buffer_add_char(r->out, ':');
  ee_json_write_value(r->out, value);
}

/* False with `error` for what is not an extraction. */
static bool add_extraction(ee_foreign_reading *r, const ee_value *extraction, size_t number, bool *notes_met,
                           ee_error *error) {
  const ee_value *label = member(extraction, "extraction_class"), *text = member(extraction, "extraction_text");
  if (ee_type_of(label) != EE_STRING || ee_type_of(text) < EE_FALSE) {
    ee_error_set(error, EE_ERROR_DATA, "extraction %zu has no 'extraction_class' or no 'extraction_text'", number);
    return false;
  }
  const ee_value *interval = member(extraction, "char_interval");
  const ee_value *start = member(interval, "start_pos"), *end = member(interval, "end_pos");
  bool placed = ee_type_of(start) == EE_NUMBER && ee_type_of(end) == EE_NUMBER;
  ee_str status = ee_value_get_text(extraction, "alignment_status", "match_exact");
  bool exact = !placed || ee_str_is(status, "match_exact");
  if (!placed) notes_met[UNGROUNDED] = true;
  if (!exact) notes_met[OTHER_TEXT] = true;
  ee_buffer_add_char(r->out, '{');
  add_to_span(r, "label", label, true);
  add_to_span(r, "start", placed ? start : NULL, false);
  add_to_span(r, "end", placed ? end : NULL, false);
  add_to_span(r, exact ? "text" : "quote", text, false);
  add_to_span(r, "attributes", member(extraction, "attributes"), false);
  ee_buffer_add_char(r->out, '}');
  return true;
}

static ee_foreign_result read(ee_foreign_reading *r, const ee_value *record, ee_error *error) {
  const ee_value *list = member(record, "extractions"), *text = member(record, "text");
  ee_type type = ee_type_of(list);
  if (type != EE_ARRAY && (type != EE_NULL || text == NULL)) {
    ee_error_set(error, EE_ERROR_DATA,
                 "not a document of LangExtract: 'text' and an array 'extractions' are expected in it");
    return EE_FOREIGN_BROKEN;
  }
  ee_foreign_add_id(r, member(record, "document_id"));
  ee_foreign_add(r, "text", ee_type_of(text) == EE_STRING ? text : NULL);
  ee_foreign_add_key(r, "extractions");
  ee_buffer_add_char(r->out, '[');
  size_t number = 0;
  bool met[EE_FOREIGN_NOTES] = {false};
  if (type == EE_NULL) met[NO_LIST] = true;
  for (const ee_value *at = type == EE_ARRAY ? ee_value_child(list) : NULL; at != NULL; at = ee_value_next(at)) {
    if (number++ > 0) ee_buffer_add_char(r->out, ',');
    if (!add_extraction(r, at, number, met, error)) return EE_FOREIGN_BROKEN;
  }
  ee_buffer_add_char(r->out, ']');
  for (size_t i = 0; i < EE_FOREIGN_NOTES; i++)
    if (met[i]) ee_foreign_note_record(r, i);
  return EE_FOREIGN_RECORD;
}

static const ee_foreign_judge judges[] = {
    {.member = "extractions",
     .comment = "Extractions as labelled spans of the text; the label is the class",
     .lua = "ee.spans { \"extractions\", name = \"extractions\", document = \"text\" },"},
    {.member = NULL}};

const ee_foreign_format ee_foreign_langextract = {
    .name = "langextract",
    .what = "documents of LangExtract (JSONL)",
    .notes = notes,
    .judges = judges,
    .is = is_document,
    .read = read,
};
