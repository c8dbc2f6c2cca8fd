/* record.c: finds id, expected and candidate in a record. */
#include "data/files/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "data/json/json_in_prose.h"
#include "data/json/json_scan.h"

static const char *const id_names[] = {"id", "case_id", "caseId", "eval_id", "test_id", NULL};
static const char *const expected_names[] = {"expected", "expected_output", "reference_answer", "ground_truth", "gt",
                                             NULL};
static const char *const candidate_names[] = {"candidate", "candidate_answer", "output", "prediction", "aio", NULL};

/* The first member of these names that is not null; else one that is null; else NULL. Nulls are passed over because
 * some exporters write every column. */
static const ee_value *find_named(const ee_value *record, const char *const *names, ee_arena *arena) {
  const ee_value *found = NULL;
  for (; *names != NULL; names++) {
    const ee_value *value = ee_value_member(record, ee_str_from(*names), arena);
    if (value == NULL) continue;
    if (ee_type_of(value) != EE_NULL) return value;
    if (found == NULL) found = value;
  }
  return found;
}

static const ee_value *find_part(const ee_value *record, const ee_path *path, const char *const *names,
                                 ee_arena *arena) {
  return path != NULL ? ee_path_get(path, record, arena) : find_named(record, names, arena);
}

/* The content of the last assistant message, or NULL. `strictly`: also NULL if an element is not a message. */
static const ee_value *last_answer(const ee_value *list, bool strictly, ee_arena *arena) {
  if (ee_type_of(list) != EE_ARRAY) return NULL;
  const ee_value *content = NULL;
  for (const ee_value *message = ee_value_child(list); message != NULL; message = ee_value_next(message)) {
    const ee_value *role = ee_value_member(message, EE_STR("role"), arena);
    bool has_role = ee_type_of(role) == EE_STRING;
    if (strictly && !has_role) return NULL;
    if (!has_role || !ee_str_is(ee_value_text(role), "assistant")) continue;
    const ee_value *found = ee_value_member(message, EE_STR("content"), arena);
    if (found != NULL) content = found;
  }
  return content;
}

/* The text of a part of a message's content; data NULL for other types of parts. False if it is not a part. */
static bool read_part(const ee_value *part, ee_arena *arena, ee_str *text) {
  const ee_value *type = ee_value_member(part, EE_STR("type"), arena);
  if (ee_type_of(type) != EE_STRING) return false;
  *text = (ee_str){NULL, 0};
  if (!ee_str_is(ee_value_text(type), "text")) return true;
  const ee_value *found = ee_value_member(part, EE_STR("text"), arena);
  if (found == NULL) found = ee_value_member(part, EE_STR("value"), arena);
  if (ee_type_of(found) != EE_STRING) return false;
  *text = ee_value_text(found);
  return true;
}

/* Joins an array of parts, one per line; returns other content as it is. */
static const ee_value *join_parts(const ee_value *content, ee_arena *arena) {
  if (ee_type_of(content) != EE_ARRAY) return content;
  size_t length = 0, count = 0;
  ee_str text;
  for (const ee_value *part = ee_value_child(content); part != NULL; part = ee_value_next(part)) {
    if (!read_part(part, arena, &text)) return content;
    length += text.length + 1;
    count += text.data != NULL;
  }
  if (count == 0) return content;
  char *joined = ee_arena_alloc(arena, length), *end = joined;
  count = 0;
  for (const ee_value *part = ee_value_child(content); part != NULL; part = ee_value_next(part)) {
    read_part(part, arena, &text);
    if (text.data == NULL) continue;
    if (count++ > 0) *end++ = '\n';
    memcpy(end, text.data, text.length);
    end += text.length;
  }
  return ee_value_new_string(arena, (ee_str){joined, (size_t)(end - joined)});
}

/* Searches the known names. `*in_messages`: the result is the content of a message. */
static const ee_value *search_expected(const ee_value *record, ee_arena *arena, bool *in_messages) {
  const ee_value *found = find_named(record, expected_names, arena);
  bool known = ee_type_of(found) > EE_NULL;
  const ee_value *list = known ? found : ee_value_member(record, EE_STR("expected_messages"), arena);
  const ee_value *content = last_answer(list, known, arena);
  *in_messages = content != NULL;
  return content != NULL ? content : found;
}

bool ee_record_has_expected(const ee_value *record, ee_arena *arena) {
  bool ignored;
  return ee_type_of(search_expected(record, arena, &ignored)) > EE_NULL;
}

static const ee_value *find_expected(const ee_value *record, const ee_path *path, ee_arena *arena) {
  if (path != NULL) return ee_path_get(path, record, arena);
  bool in_messages;
  const ee_value *found = search_expected(record, arena, &in_messages);
  return in_messages ? join_parts(found, arena) : found;
}

/* The text of a number as id. Large whole numbers keep their spelling in the document, but ids are compared as texts
 * and need one spelling. */
static ee_str number_id(const ee_value *value, ee_arena *arena) {
  char digits[32];
  ee_str text = ee_value_number_text(value, digits);
  int64_t whole;
  if (ee_json_whole_number(text, &whole)) return ee_str_from(ee_arena_printf(arena, "%" PRId64, whole));
  return (ee_str){ee_arena_copy(arena, text.data, text.length), text.length};
}

/* `*id` has data NULL if the record has none. */
static ee_status find_id(const ee_value *record, const ee_path *path, ee_arena *arena, ee_str *id, ee_error *error) {
  const ee_value *value = find_part(record, path, id_names, arena);
  switch (ee_type_of(value)) {
  case EE_MISSING:
  case EE_NULL: *id = (ee_str){NULL, 0}; return EE_OK;
  case EE_STRING: *id = ee_value_text(value); return EE_OK;
  case EE_NUMBER: *id = number_id(value, arena); return EE_OK;
  default:
    return ee_error_set(error, EE_ERROR_DATA, "id must be a string or a number, got %s", ee_value_describe(value));
  }
}

static const ee_value *read_text(const ee_value *value, ee_arena *arena) {
  return ee_json_in_prose_find(arena, ee_value_text(value), NULL);
}

static void read_candidate(const ee_value *value, ee_arena *arena, ee_case *out) {
  out->candidate = NULL;
  out->candidate_text = (ee_str){NULL, 0};
  switch (ee_type_of(value)) {
  case EE_MISSING:
  case EE_NULL: out->candidate_state = EE_CANDIDATE_MISSING; return;
  case EE_STRING:
    out->candidate_text = ee_value_text(value);
    out->candidate = read_text(value, arena);
    break;
  default: out->candidate = value; break;
  }
  out->candidate_state = out->candidate != NULL ? EE_CANDIDATE_READ : EE_CANDIDATE_UNPARSEABLE;
}

static const ee_record_paths known_names = {NULL, NULL, NULL};

static ee_status check_object(const ee_value *record, ee_error *error) {
  if (ee_type_of(record) == EE_OBJECT) return EE_OK;
  return ee_error_set(error, EE_ERROR_DATA, "record must be an object, got %s", ee_value_describe(record));
}

static ee_status read_expected(const ee_value *record, const ee_record_paths *paths, ee_arena *arena,
                               const ee_value **expected, ee_error *error) {
  *expected = find_expected(record, paths->expected, arena);
  if (*expected == NULL) {
    if (paths->expected == NULL) return ee_error_set(error, EE_ERROR_DATA, "record has no expected value");
    return ee_error_set(error, EE_ERROR_DATA, "record has no expected value at '%.*s'",
                        (int)ee_utf8_cut(paths->expected->text, 200), paths->expected->text.data);
  }
  if (ee_type_of(*expected) == EE_STRING) {
    const ee_value *document = read_text(*expected, arena);
    if (document != NULL) *expected = document;
  }
  return EE_OK;
}

ee_str ee_record_line_id(uint64_t line, char out[EE_LINE_ID_SIZE]) {
  int length = snprintf(out, EE_LINE_ID_SIZE, "line:%" PRIu64, line);
  return (ee_str){out, (size_t)length};
}

ee_status ee_record_read_id(const ee_value *record, const ee_path *path, ee_arena *arena, ee_str *id, ee_error *error) {
  ee_status status = check_object(record, error);
  return status == EE_OK ? find_id(record, path, arena, id, error) : status;
}

ee_status ee_record_read_answer(const ee_value *record, const ee_record_paths *paths, size_t line, ee_str given_id,
                                ee_arena *arena, ee_case *out, ee_error *error) {
  if (paths == NULL) paths = &known_names;
  ee_status status = check_object(record, error);
  if (status == EE_OK) status = find_id(record, paths->id, arena, &out->id, error);
  if (status != EE_OK) return status;
  if (out->id.data == NULL) out->id = given_id;
  if (out->id.data == NULL) {
    char made[EE_LINE_ID_SIZE];
    ee_str id = ee_record_line_id(line, made);
    out->id = (ee_str){ee_arena_copy(arena, id.data, id.length), id.length};
  }
  out->record = record;
  out->expected = NULL;
  read_candidate(find_part(record, paths->candidate, candidate_names, arena), arena, out);
  return EE_OK;
}

ee_status ee_record_read_expected(const ee_value *record, const ee_record_paths *paths, ee_arena *arena, ee_str *id,
                                  const ee_value **expected, ee_error *error) {
  if (paths == NULL) paths = &known_names;
  ee_status status = check_object(record, error);
  if (status == EE_OK) status = find_id(record, paths->id, arena, id, error);
  if (status == EE_OK) status = read_expected(record, paths, arena, expected, error);
  return status;
}

ee_status ee_record_read(const ee_value *record, const ee_record_paths *paths, size_t line, ee_str given_id,
                         ee_arena *arena, ee_case *out, ee_error *error) {
  if (paths == NULL) paths = &known_names;
  ee_status status = ee_record_read_answer(record, paths, line, given_id, arena, out, error);
  return status == EE_OK ? read_expected(record, paths, arena, &out->expected, error) : status;
}
