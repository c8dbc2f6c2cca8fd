/* bench_trial.c: judges an answer and writes it as a trial of run.json. */
#include "report/bench_trial.h"

#include <inttypes.h>

#include "data/json/json_writer.h"

/* `,"key":`; the first member of an object writes its own key. */
static void add_key(ee_buffer *out, const char *key) { ee_buffer_addf(out, ",\"%s\":", key); }

static void add_text(ee_buffer *out, const char *key, ee_str text) {
  if (text.data == NULL) return;
  add_key(out, key);
  ee_json_write_string(out, text);
}

static void add_bool(ee_buffer *out, const char *key, bool value) {
  add_key(out, key);
  ee_buffer_add_text(out, value ? "true" : "false");
}

/* One trial ----------------------------------------------------------------------------------- */

static void write_actual(ee_str actual, ee_buffer *out) {
  if (actual.data == NULL) return;
  size_t length = ee_utf8_cut(actual, EE_BENCH_ACTUAL_KEPT);
  add_key(out, "actual");
  ee_buffer_add_char(out, '"');
  ee_json_write_escaped(out, (ee_str){actual.data, length});
  if (length < actual.length) ee_buffer_add_text(out, "\xe2\x80\xa6");
  ee_buffer_add_char(out, '"');
}

static void write_extraction(const ee_extraction *item, ee_buffer *out) {
  ee_buffer_add_text(out, "{\"schemaValid\":");
  ee_buffer_add_text(out, item->schema_valid ? "true" : "false");
  add_text(out, "extractionClass", item->extraction_class);
  add_text(out, "quote", item->quote);
  if (item->fault != EE_QUOTE_UNSUPPORTED_OFFSET_MODE)
    add_text(out, "offsetMode", ee_str_from(ee_text_unit_name(item->unit)));
  if (item->has_offsets) ee_buffer_addf(out, ",\"charStart\":%" PRId64 ",\"charEnd\":%" PRId64, item->start, item->end);
  if (!item->schema_valid) add_text(out, "reason", item->schema_reason);
  if (item->fault == EE_QUOTE_HOLDS) {
    ee_buffer_add_char(out, '}');
    return;
  }
  add_text(out, "fault", ee_str_from(ee_quote_fault_name(item->fault)));
  write_actual(item->actual, out);
  ee_buffer_add_char(out, '}');
}

static void write_extractions(const ee_extraction_list *list, ee_buffer *out) {
  add_key(out, "extractions");
  ee_buffer_add_char(out, '[');
  for (size_t i = 0; i < list->count; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    write_extraction(&list->items[i], out);
  }
  ee_buffer_add_char(out, ']');
}

/* An unreadable answer has no violations. */
static void write_violations(const ee_json_schema *schema, const ee_value *document, ee_arena *arena, ee_buffer *out) {
  ee_schema_result result = {.valid = true};
  if (document != NULL) ee_json_schema_validate(schema, document, arena, &result);
  add_key(out, "schemaViolations");
  ee_buffer_add_char(out, '[');
  for (size_t i = 0; i < result.count; i++) {
    const ee_violation *violation = &result.violations[i];
    ee_buffer_add_text(out, i > 0 ? ",{\"place\":" : "{\"place\":");
    ee_json_write_string(out, violation->place);
    add_text(out, "keyword", violation->keyword);
    add_text(out, "message", violation->message);
    ee_buffer_add_char(out, '}');
  }
  ee_buffer_add_char(out, ']');
}

static void write_repairs(const ee_repairs *repairs, ee_buffer *out) {
  add_key(out, "repairs");
  const char *separator = "{";
  for (int i = 0; i < EE_REPAIR_PLAIN_COUNT; i++) {
    if (repairs->counts[i] == 0) continue;
    ee_buffer_addf(out, "%s\"%s\":%" PRIu64, separator, ee_repair_name((ee_repair)i), repairs->counts[i]);
    separator = ",";
  }
  ee_buffer_add_text(out, *separator == '{' ? "{}" : "}");
}

static void write_gold(const ee_gold_result *gold, ee_buffer *out) {
  ee_buffer_addf(out, ",\"gold\":{\"gold\":%zu,\"exact\":%zu,\"overlapping\":%zu,\"partial\":%zu", gold->gold,
                 gold->exact, gold->overlapping, gold->partial);
  if (gold->approximate) add_bool(out, "approximate", true);
  ee_buffer_add_char(out, '}');
}

void ee_bench_trial_write(const ee_bench_record *record, ee_extraction_document *document, const ee_json_schema *schema,
                          ee_str answer, const char *why, ee_arena *arena, ee_buffer *out) {
  ee_extraction_list list;
  ee_extractions_read(document, answer, NULL, EE_REPAIRS_PLAIN, record->unit, arena, &list);
  if (why != NULL) list.failure = ee_str_from(ee_arena_printf(arena, EE_BENCH_NO_ANSWER "%s", why));
  /* A missing answer never succeeds, even if the record expects a failure. */
  bool success = why == NULL && ee_extraction_succeeds(record, &list);
  ee_gold_result gold = {0};
  if (record->has_gold) gold = ee_gold_match(record, document, &list, arena);
  ee_buffer_addf(out, "{\"kind\":\"%s\",\"success\":%s,\"score\":", ee_empty_kind_name(list.kind),
                 success ? "true" : "false");
  ee_json_write_number(out, ee_extraction_score(success, &list) * ee_gold_share(&gold));
  write_extractions(&list, out);
  write_violations(schema, list.document, arena, out);
  write_repairs(&list.repairs, out);
  add_bool(out, "bareList", list.bare_list);
  if (list.failure.length > 0) add_text(out, "failure", list.failure);
  if (record->has_gold) write_gold(&gold, out);
  ee_buffer_add_char(out, '}');
}

/* Reading it ---------------------------------------------------------------------------------- */

static const ee_value *member(const ee_value *object, const char *name) {
  return ee_value_member(object, ee_str_from(name), NULL);
}

static bool is_boolean(const ee_value *value) { return ee_type_of(value) == EE_TRUE || ee_type_of(value) == EE_FALSE; }

static bool is_kind(const ee_value *value) {
  ee_empty_kind kind;
  return ee_type_of(value) == EE_STRING && ee_empty_kind_find(ee_value_text(value), &kind);
}

/* A whole number from 0 to `max`; -1 for anything else. */
static int64_t count_up_to(const ee_value *object, const char *name, int64_t max) {
  int64_t number;
  return ee_value_whole(member(object, name), &number) && number >= 0 && number <= max ? number : -1;
}

/* Each gold span is found at most once, each time by another extraction. */
static bool is_gold(const ee_value *gold, int64_t extractions) {
  int64_t spans = count_up_to(gold, "gold", UINT32_MAX);
  int64_t overlapping = count_up_to(gold, "overlapping", spans < extractions ? spans : extractions);
  int64_t partial = count_up_to(gold, "partial", overlapping), exact = count_up_to(gold, "exact", partial);
  const ee_value *approximate = member(gold, "approximate");
  return exact >= 0 && (approximate == NULL || is_boolean(approximate));
}

const char *ee_bench_trial_mistake(const ee_value *trial) {
  if (ee_type_of(trial) != EE_OBJECT) return "it is not an object";
  if (!is_kind(member(trial, "kind"))) return "its 'kind' is not one of non_empty, empty_by_evidence, empty_by_failure";
  if (!is_boolean(member(trial, "success"))) return "its 'success' is neither true nor false";
  const ee_value *list = member(trial, "extractions"), *gold = member(trial, "gold");
  if (ee_type_of(list) != EE_ARRAY) return "it has no array 'extractions'";
  for (const ee_value *item = ee_value_child(list); item != NULL; item = ee_value_next(item))
    if (ee_type_of(item) != EE_OBJECT || !is_boolean(member(item, "schemaValid")))
      return "one of its 'extractions' has no 'schemaValid'";
  if (gold != NULL && !is_gold(gold, ee_value_count(list))) return "its 'gold' has impossible counts";
  return NULL;
}

/* Around it ----------------------------------------------------------------------------------- */

void ee_bench_head_write(const ee_bench_head *head, const char *kind, ee_buffer *out) {
  ee_buffer_addf(out, "\"schema\":1,\"kind\":\"%s\",\"mode\":\"%s\",\"trials\":%zu,\"provider\":{\"kind\":\"%s\"", kind,
                 head->mode, head->trials, head->provider);
  if (head->model != NULL) add_text(out, "model", ee_str_from(head->model));
  ee_buffer_addf(out, "},\"data_hash\":\"%016" PRIx64 "\"", head->data_hash);
}

void ee_bench_case_write(const ee_bench_record *record, ee_buffer *out) {
  ee_buffer_add_text(out, "\"caseId\":");
  ee_json_write_string(out, record->case_id);
  add_text(out, "category", record->category);
  const char *slash = strrchr(record->file, '/');
  add_text(out, "file", ee_str_from(slash != NULL ? slash + 1 : record->file));
  if (record->has_expected)
    ee_buffer_addf(
        out, ",\"expected\":{\"emptyResultKind\":\"%s\",\"minExtractions\":%" PRIu64 ",\"maxExtractions\":%" PRIu64 "}",
        ee_empty_kind_name(record->kind), record->min_extractions, record->max_extractions);
  if (record->has_gold) ee_buffer_addf(out, ",\"goldCount\":%zu", record->gold_count);
}
