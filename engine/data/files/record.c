/* record.c: finds id, expected and candidate in a record. */
#include "data/files/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "data/files/line_base.h"
#include "data/json/json_in_prose.h"
#include "data/json/json_reader.h"
#include "data/json/json_scan.h"
#include "data/json/json_writer.h"

/* Known names ---------------------------------------------------------------------------------- */

static const char *const id_names[] = {"id", "case_id", "caseId", "eval_id", "test_id", NULL};
static const char *const expected_names[] = {"expected", "expected_output", "reference_answer", "ground_truth", "gt",
                                             NULL};
static const char *const candidate_names[] = {"candidate", "candidate_answer", "output", "prediction", "aio", NULL};
/* Of an array of candidates. */
static const char *const trials_names[] = {"candidates", "candidate_answers", NULL};
/* Names that ordinary fields have, too. */
static const char *const weak_expected_names[] = {"gold", "truth", "label", "reference", "target", NULL};
static const char *const weak_candidate_names[] = {"pred",          "predicted",    "response",
                                                   "actual_output", "model_output", NULL};
static const char *const either_names[] = {"actual", "answer", NULL};
/* Members that a record may have besides its id and its document. */
static const char *const context_names[] = {"input",    "prompt", "question", "messages", "meta",
                                            "metadata", "tags",   "split",    NULL};

/* Members of a case that is not a document, even if it has no part (case_file.h). */
static const char *const case_names[] = {"expected_messages", "vars",      "assert", "assertions",
                                         "evaluators",        "execution", NULL};

static bool is_listed(const char *const *names, ee_str key) {
  for (; *names != NULL; names++)
    if (ee_str_is(key, *names)) return true;
  return false;
}

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

/* The same for paths. */
static const ee_value *find_at(const ee_value *record, const ee_path_list *paths, ee_arena *arena) {
  const ee_value *found = NULL;
  for (size_t i = 0; i < paths->count; i++) {
    const ee_value *value = ee_path_get(paths->items[i], record, arena);
    if (value == NULL) continue;
    if (ee_type_of(value) != EE_NULL) return value;
    if (found == NULL) found = value;
  }
  return found;
}

const ee_path *ee_record_path_parse(ee_arena *arena, ee_str text, ee_error *error) {
  static const ee_path whole = {.text = {"$", 1}};
  if (ee_str_is(text, "$")) return &whole;
  const ee_path *path = ee_path_parse(arena, text, error);
  /* What the RFC would quote: "$.doc-id". */
  bool rooted = text.length > 2 && text.data[0] == '$' && text.data[1] == '.';
  if (path == NULL && rooted && memchr(text.data, '?', text.length) == NULL)
    path = ee_path_parse(arena, (ee_str){text.data + 2, text.length - 2}, error);
  if (path == NULL || path->wildcards == 0) return path;
  ee_error_set(error, EE_ERROR_DATA, "'%.*s' may name several values; the path must name one", EE_STR_ARG(text));
  return NULL;
}

/* Messages ------------------------------------------------------------------------------------- */

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

/* The answer in an array of messages; any other value as it is. */
static const ee_value *open_messages(const ee_value *value, ee_arena *arena) {
  const ee_value *content = last_answer(value, true, arena);
  return content != NULL ? join_parts(content, arena) : value;
}

/* Ids ------------------------------------------------------------------------------------------ */

/* Large whole numbers keep their spelling in the document, but ids are compared as texts and need one spelling. */
ee_str ee_record_id_text(const ee_value *value, ee_arena *arena) {
  if (ee_type_of(value) == EE_STRING) return ee_value_text(value);
  char digits[32];
  ee_str text = ee_value_number_text(value, digits);
  int64_t whole;
  if (ee_json_whole_number(text, &whole)) return ee_str_from(ee_arena_printf(arena, "%" PRId64, whole));
  return (ee_str){ee_arena_copy(arena, text.data, text.length), text.length};
}

/* The value of the id: at `paths`, or with `fallback` in a record without one there under the known names. */
static const ee_value *find_id(const ee_value *record, const ee_path_list *paths, bool fallback, ee_arena *arena) {
  const ee_value *found = find_at(record, paths, arena);
  if (ee_type_of(found) > EE_NULL || (paths->count > 0 && !fallback)) return found;
  return find_named(record, id_names, arena);
}

/* `*id` has data NULL if `value` is not an id. */
static ee_status read_id(const ee_value *value, ee_arena *arena, ee_str *id, ee_error *error) {
  switch (ee_type_of(value)) {
  case EE_MISSING:
  case EE_NULL: *id = (ee_str){NULL, 0}; return EE_OK;
  case EE_STRING:
  case EE_NUMBER: *id = ee_record_id_text(value, arena); return EE_OK;
  default:
    return ee_error_set(error, EE_ERROR_DATA, "id must be a string or a number, got %s", ee_value_describe(value));
  }
}

ee_str ee_record_place_name(const ee_record_place *place, ee_arena *arena) {
  const char *file = place->file != NULL ? place->file : "-";
  uint64_t line = place->before != NULL ? ee_line_base_line(place->before, place->line) : place->line;
  if (line == 0) return ee_str_from(ee_arena_printf(arena, "%s@%" PRIu64, file, place->byte));
  if (place->column == 0) return ee_str_from(ee_arena_printf(arena, "%s:%" PRIu64, file, line));
  return ee_str_from(ee_arena_printf(arena, "%s:%" PRIu64 ":%" PRIu64, file, line, place->column));
}

/* Parts under known names ---------------------------------------------------------------------- */

/* The expected value under a name that always counts. */
static const ee_value *search_expected(const ee_value *record, ee_arena *arena) {
  const ee_value *found = find_named(record, expected_names, arena);
  if (ee_type_of(found) > EE_NULL) return open_messages(found, arena);
  const ee_value *list = ee_value_member(record, EE_STR("expected_messages"), arena);
  const ee_value *content = last_answer(list, false, arena);
  return content != NULL ? join_parts(content, arena) : found;
}

bool ee_record_has_expected(const ee_value *record, ee_arena *arena) {
  const ee_value *found = find_named(record, expected_names, arena);
  if (ee_type_of(found) > EE_NULL) return true;
  return ee_type_of(last_answer(ee_value_member(record, EE_STR("expected_messages"), arena), false, arena)) > EE_NULL;
}

typedef struct record_parts {
  const ee_value *expected, *candidate; /* NULL: none */
} record_parts;

/* The parts of a record that names its parts. */
static record_parts find_parts(const ee_value *record, ee_arena *arena) {
  record_parts parts = {search_expected(record, arena), find_named(record, candidate_names, arena)};
  if (parts.expected != NULL && parts.candidate != NULL) return parts;
  const ee_value *expected = parts.expected, *candidate = parts.candidate;
  if (expected == NULL) expected = find_named(record, weak_expected_names, arena);
  if (candidate == NULL) candidate = find_named(record, weak_candidate_names, arena);
  if (expected == NULL && candidate != NULL) expected = find_named(record, either_names, arena);
  if (expected != NULL && candidate == NULL) candidate = find_named(record, either_names, arena);
  return expected != NULL && candidate != NULL ? (record_parts){expected, candidate} : parts;
}

/* Whether a record names its parts, even if it has none, or is a case of a YAML data set. */
static bool names_parts(const ee_value *record, const record_parts *parts, ee_arena *arena) {
  return parts->expected != NULL || parts->candidate != NULL || find_named(record, case_names, arena) != NULL;
}

/* Documents that are records ------------------------------------------------------------------- */

/* Whether a value may be a document in a wrapper: an object, an array, or a text that may have one, whole or broken. */
static bool is_document(const ee_value *value) {
  if (ee_type_of(value) >= EE_ARRAY) return true;
  if (ee_type_of(value) != EE_STRING) return false;
  ee_str text = ee_value_text(value);
  return memchr(text.data, '{', text.length) != NULL || memchr(text.data, '[', text.length) != NULL;
}

/* The document in a record whose only member besides the id and its context is under a name of parts; else NULL. The
 * rule is the same for expected values and answers, so that two files of one make are read alike. */
static const ee_value *find_lone_part(const ee_value *record, const ee_value *id) {
  const ee_value *found = NULL;
  for (const ee_value *member = ee_value_child(record); member != NULL; member = ee_value_next(member)) {
    if (member == id || is_listed(id_names, ee_value_key(member)) || is_listed(context_names, ee_value_key(member)))
      continue;
    if (found != NULL) return NULL;
    found = member;
  }
  if (found == NULL) return NULL;
  ee_str key = ee_value_key(found);
  if (is_listed(candidate_names, key) || is_listed(weak_candidate_names, key)) return found;
  bool known = is_listed(weak_expected_names, key) || is_listed(either_names, key);
  return known && is_document(found) ? found : NULL;
}

/* The document of a record without names for parts: the record without its id. NULL if nothing else is in it. */
static const ee_value *find_document(const ee_value *record, const ee_value *id, ee_arena *arena) {
  if (ee_type_of(record) != EE_OBJECT) return record;
  const ee_value *lone = find_lone_part(record, id);
  if (lone != NULL) return open_messages(lone, arena);
  bool has_id = false;
  for (const ee_value *member = ee_value_child(record); member != NULL; member = ee_value_next(member))
    has_id = has_id || member == id;
  if (ee_value_count(record) == (has_id ? 1 : 0)) return NULL;
  return has_id ? ee_value_without(arena, record, id) : record;
}

/* The parts of a case -------------------------------------------------------------------------- */

/* Escapes of half a surrogate pair in a text. */
static uint64_t count_lone_surrogates(ee_str text) {
  uint64_t count = 0;
  const char *end = text.data + text.length;
  for (const char *at = text.data; (at = memchr(at, '\\', (size_t)(end - at))) != NULL;) {
    uint32_t code_point;
    const char *mistake, *after = ee_json_read_escape(at, end, &code_point, &mistake);
    count += after == NULL && ee_json_lone_surrogate(at, end) != NULL;
    at = after != NULL ? after : at + 1;
  }
  return count;
}

void ee_case_read_text(ee_case *current, ee_str text, ee_arena *arena) {
  current->candidate_text = text;
  current->candidate = ee_json_in_prose_find(arena, text, NULL);
  current->candidate_state = current->candidate != NULL ? EE_CANDIDATE_READ : EE_CANDIDATE_UNPARSEABLE;
  /* The text "null" is null, as without quotes. */
  if (ee_type_of(current->candidate) == EE_NULL) {
    current->candidate = NULL;
    current->candidate_state = EE_CANDIDATE_MISSING;
    return;
  }
  if (arena->over) return;
  current->lone_surrogates = count_lone_surrogates(text);
  if (current->candidate != NULL && ee_type_of(current->candidate) != EE_STRING) return;
  ee_value *repaired = ee_json_in_prose_repair(arena, text, EE_REPAIRS_ALL, &current->repairs, NULL);
  if (ee_type_of(repaired) > EE_NULL && ee_repairs_total(&current->repairs) > 0) current->repaired = repaired;
}

static void read_candidate(const ee_value *value, ee_arena *arena, ee_case *out) {
  value = open_messages(value, arena);
  switch (ee_type_of(value)) {
  case EE_MISSING:
  case EE_NULL: out->candidate_state = EE_CANDIDATE_MISSING; return;
  case EE_STRING: ee_case_read_text(out, ee_value_text(value), arena); return;
  default:
    out->candidate = value;
    out->candidate_state = EE_CANDIDATE_READ;
    return;
  }
}

/* As ee_case_keep_text() for a case whose expected value is one document. */
static void keep_text(ee_case *current, const ee_record_paths *paths, ee_arena *arena) {
  if (paths == NULL || !paths->keep_text) return;
  ee_type type = ee_type_of(current->expected);
  bool whole = type == EE_STRING || type == EE_NUMBER || type == EE_TRUE || type == EE_FALSE;
  /* Nothing is expected, and no judge looks for a document in the candidate. */
  whole |= type == EE_NULL && paths->expected_optional && !paths->looks_inside;
  if (paths->keep_options && !whole)
    whole = ee_value_is_flat(current->expected) || ee_value_any_of(current->expected) != NULL ||
            (type == EE_ARRAY && ee_value_count(current->expected) == 0);
  if (!whole || current->candidate_text.data == NULL) return;
  bool found = ee_type_of(current->candidate) >= EE_ARRAY && !paths->looks_inside &&
               ee_json_read_data(arena, current->candidate_text, NULL) == NULL;
  if (!found && current->candidate_state != EE_CANDIDATE_UNPARSEABLE) return;
  current->candidate = ee_value_new_string(arena, current->candidate_text);
  current->candidate_state = EE_CANDIDATE_READ;
  current->repaired = NULL;
}

void ee_case_keep_text(ee_case *current, const ee_record_paths *paths, ee_arena *arena) {
  if (ee_case_documents(current, paths) == NULL) keep_text(current, paths, arena);
}

static const ee_record_paths known_names = {0};

static const ee_value *find_id_of(const ee_value *record, const ee_record_paths *paths, ee_record_part part,
                                  ee_arena *arena);

/* Trials ---------------------------------------------------------------------------------------- */

bool ee_record_trials_are_files(const ee_record_paths *paths) {
  return paths != NULL && paths->trial.count == 1 && ee_str_is(paths->trial.items[0]->text, EE_TRIAL_FILES);
}

ee_status ee_record_paths_check(const ee_record_paths *paths, ee_error *error) {
  for (size_t i = 0; i < paths->records.count; i++)
    if (paths->records.items[i] != NULL && paths->records.items[i]->query != NULL)
      return ee_error_set(error, EE_ERROR_USAGE,
                          "'%.*s' is a query; the path of the records must have keys and indices from 0 on only",
                          EE_STR_ARG(paths->records.items[i]->text));
  if (paths->candidates.count == 0) return EE_OK;
  if (paths->trial.count > 0)
    return ee_error_set(error, EE_ERROR_USAGE,
                        "'candidates' (trials in one record) and 'trial' (a record a trial) exclude each other");
  if (paths->candidate.count == 0) return EE_OK;
  return ee_error_set(error, EE_ERROR_USAGE, "'candidates' (several in a record) and 'candidate' exclude each other");
}

ee_str ee_trial_id(ee_str id, ee_str trial, ee_arena *arena) {
  if (trial.length == 0) return id;
  static const char between[] = " (trial ";
  const size_t gap = sizeof between - 1;
  char *text = ee_arena_alloc(arena, id.length + gap + trial.length + 2);
  if (id.length > 0) memcpy(text, id.data, id.length);
  memcpy(text + id.length, between, gap);
  memcpy(text + id.length + gap, trial.data, trial.length);
  memcpy(text + id.length + gap + trial.length, ")", 2);
  return (ee_str){text, id.length + gap + trial.length + 1};
}

void ee_case_name_trial(ee_case *current, ee_str trial, ee_arena *arena) {
  current->base = ee_case_base(current);
  current->trial = trial;
  current->id = ee_trial_id(current->base, trial, arena);
}

/* Of a record without a trial the empty text. */
static void read_trial(ee_case *current, const ee_record_paths *paths, ee_arena *arena) {
  if (paths->trial.count == 0 || ee_record_trials_are_files(paths)) return;
  const ee_value *found = find_at(current->record, &paths->trial, arena);
  ee_type type = ee_type_of(found);
  bool named = type == EE_STRING || type == EE_NUMBER;
  ee_case_name_trial(current, named ? ee_record_id_text(found, arena) : EE_STR(""), arena);
}

size_t ee_case_trial_count(const ee_case *current) {
  return current->trials != NULL ? ee_value_count(current->trials) : 1;
}

void ee_case_take_trial(ee_case *current, size_t number, const ee_record_paths *paths, ee_arena *arena) {
  if (current->trials == NULL) return;
  const ee_value *at = ee_value_child(current->trials);
  for (size_t i = 0; i < number && at != NULL; i++) at = ee_value_next(at);
  current->trial_number = number + 1;
  current->candidate = current->repaired = NULL;
  current->candidate_text = (ee_str){NULL, 0};
  current->repairs = (ee_repairs){0};
  current->lone_surrogates = 0;
  read_candidate(at, arena, current);
  ee_case_keep_text(current, paths, arena);
  const char *name = ee_arena_printf(arena, "%zu", number + 1);
  ee_case_name_trial(current, ee_str_from(name), arena);
}

/* The candidate `found` is an array of them. */
static bool take_trials(ee_case *current, const ee_value *found, const ee_record_paths *paths, ee_arena *arena) {
  if (ee_type_of(found) != EE_ARRAY || ee_value_child(found) == NULL) return false;
  current->trials = found;
  ee_case_take_trial(current, 0, paths, arena);
  return true;
}

/* Whether `member` is all that an answer has besides its id and its context. */
static bool is_alone(const ee_value *record, const ee_value *id, const ee_value *member) {
  for (const ee_value *other = ee_value_child(record); other != NULL; other = ee_value_next(other))
    if (other != id && other != member && !is_listed(id_names, ee_value_key(other)) &&
        !is_listed(context_names, ee_value_key(other)))
      return false;
  return true;
}

void ee_case_find_trials(ee_case *current, const ee_record_paths *paths, ee_arena *arena) {
  if (paths == NULL) paths = &known_names;
  if (paths->candidate.count + paths->candidates.count + paths->trial.count > 0) return;
  const ee_value *record = current->record, *found = NULL;
  if (ee_type_of(record) != EE_OBJECT || ee_type_of(current->expected) == EE_ARRAY) return;
  for (const char *const *name = trials_names; *name != NULL && found == NULL; name++) {
    found = ee_value_member(record, ee_str_from(*name), arena);
    if (found == NULL) continue;
    if (ee_type_of(current->expected) == EE_OBJECT &&
        ee_value_member(current->expected, ee_str_from(*name), arena) != NULL)
      return;
  }
  if (ee_type_of(found) != EE_ARRAY) return;
  record_parts parts = find_parts(record, arena);
  if (parts.candidate != NULL) return;
  /* In a file of answers the record may be the document. */
  const ee_value *id = find_id_of(record, paths, EE_PART_ID, arena);
  if (current->truth != NULL && !names_parts(record, &parts, arena) && !is_alone(record, id, found)) return;
  take_trials(current, found, paths, arena);
}

const ee_value *ee_record_find_candidate(const ee_value *record, const ee_path_list *paths, ee_arena *arena) {
  if (paths != NULL) return find_at(record, paths, arena);
  return find_parts(record, arena).candidate;
}

static ee_status check_object(const ee_value *record, ee_error *error) {
  if (ee_type_of(record) == EE_OBJECT) return EE_OK;
  return ee_error_set(error, EE_ERROR_DATA, "record must be an object, got %s", ee_value_describe(record));
}

/* Members of a record in a message, and bytes of each. */
#define MEMBERS_SHOWN 6
#define KEY_SHOWN 40

/* "'id', 'total', ...", in `arena`. */
static const char *list_members(const ee_value *record, ee_arena *arena) {
  const char *text = "";
  size_t count = 0;
  for (const ee_value *member = ee_value_child(record); member != NULL; member = ee_value_next(member)) {
    if (count == MEMBERS_SHOWN) return ee_arena_printf(arena, "%s, ...", text);
    ee_str key = ee_value_key(member);
    text = ee_arena_printf(arena, "%s%s'%.*s'", text, count++ > 0 ? ", " : "", (int)ee_utf8_cut(key, KEY_SHOWN),
                           key.length > 0 ? key.data : "");
  }
  return text;
}

static void add_names(const ee_path_list *paths, const char *const *names, ee_buffer *out) {
  for (size_t i = 0; i < paths->count; i++)
    ee_buffer_addf(out, "%s%.*s", i > 0 ? ", " : "", (int)ee_utf8_cut(paths->items[i]->text, 100),
                   paths->items[i]->text.data);
  for (size_t i = 0; paths->count == 0 && names[i] != NULL; i++)
    ee_buffer_addf(out, "%s%s", i > 0 ? ", " : "", names[i]);
}

void ee_record_names(const ee_record_paths *paths, ee_record_part part, ee_buffer *out) {
  if (paths == NULL) paths = &known_names;
  const ee_path_list *ids = paths->expected_id.count > 0 ? &paths->expected_id : &paths->id;
  switch (part) { /* unreached: all are listed */
  case EE_PART_ID: add_names(&paths->id, id_names, out); return;
  case EE_PART_EXPECTED_ID: add_names(ids, id_names, out); return;
  case EE_PART_EXPECTED: add_names(&paths->expected, expected_names, out); return;
  }
}

ee_status ee_record_fail_without(const char *part, const ee_value *record, ee_arena *arena, ee_error *error) {
  if (ee_value_count(record) == 0) return ee_error_set(error, EE_ERROR_DATA, "record has no %s: it is empty", part);
  if (ee_value_member(record, EE_STR("evalengine_state"), NULL) != NULL)
    return ee_error_set(error, EE_ERROR_DATA, "a state, not data: 'merge' reads states");
  return ee_error_set(error, EE_ERROR_DATA, "record has no %s: it has %s", part, list_members(record, arena));
}

/* A text that is JSON as a whole is replaced by it. It is not searched for JSON: "see [1]" is a text. */
static const ee_value *read_expected(const ee_value *value, ee_arena *arena) {
  if (ee_type_of(value) != EE_STRING) return value;
  const ee_value *document = ee_json_whole_text(arena, ee_value_text(value), NULL);
  return document != NULL ? document : value;
}

const ee_value *ee_case_documents(const ee_case *current, const ee_record_paths *paths) {
  if (paths == NULL || !paths->several_documents) return NULL;
  const ee_value *documents = ee_value_any_of(current->expected);
  if (documents != NULL) return documents;
  return ee_type_of(current->expected) == EE_ARRAY && ee_value_count(current->expected) > 0 ? current->expected : NULL;
}

void ee_case_take_document(ee_case *current, const ee_value *document, const ee_record_paths *paths, ee_arena *arena) {
  current->expected = read_expected(document, arena);
  keep_text(current, paths, arena);
}

/* The value of the id of a record, or of one of a file of expected values; NULL if it has none. */
static const ee_value *find_id_of(const ee_value *record, const ee_record_paths *paths, ee_record_part part,
                                  ee_arena *arena) {
  if (part == EE_PART_ID) return find_id(record, &paths->id, false, arena);
  bool own = paths->expected_id.count > 0;
  return find_id(record, own ? &paths->expected_id : &paths->id, !own, arena);
}

ee_status ee_record_read_id(const ee_value *record, const ee_record_paths *paths, ee_record_part part, ee_arena *arena,
                            ee_str *id, ee_error *error) {
  ee_status status = check_object(record, error);
  if (status != EE_OK) return status;
  return read_id(find_id_of(record, paths != NULL ? paths : &known_names, part, arena), arena, id, error);
}

/* Begins a case: everything but its parts. `*id`: the value of its id, or NULL. */
static ee_status start_case(const ee_value *record, const ee_record_paths *paths, const ee_record_place *place,
                            ee_arena *arena, ee_case *out, const ee_value **id, ee_error *error) {
  *id = find_id_of(record, paths, EE_PART_ID, arena);
  *out = (ee_case){.record = record};
  ee_status status = read_id(*id, arena, &out->id, error);
  if (out->id.data == NULL && place != NULL) out->id = place->given_id;
  if (status != EE_OK || out->id.data != NULL) return status;
  out->unnamed = true;
  static const ee_record_place nowhere = {.line = 0};
  out->id = ee_record_place_name(place != NULL ? place : &nowhere, arena);
  return EE_OK;
}

/* The value under one of `names`, unless it is `taken`, or the whole record is. */
static const ee_value *other_part(const ee_value *record, const char *const *names, const ee_value *taken,
                                  ee_arena *arena) {
  const ee_value *found = find_named(record, names, arena);
  return found != taken && taken != record ? found : NULL;
}

ee_str ee_record_likely_expected(const ee_value *record, ee_arena *arena) {
  const ee_value *found = find_named(record, weak_expected_names, arena);
  return found != NULL ? ee_value_key(found) : (ee_str){NULL, 0};
}

ee_status ee_record_read(const ee_value *record, const ee_record_paths *paths, const ee_record_place *place,
                         ee_arena *arena, ee_case *out, ee_error *error) {
  if (paths == NULL) paths = &known_names;
  const ee_value *id;
  ee_status status = check_object(record, error);
  if (status == EE_OK) status = start_case(record, paths, place, arena, out, &id, error);
  if (status != EE_OK) return status;
  record_parts parts = {NULL, NULL};
  if (paths->expected.count == 0 || paths->candidate.count == 0) parts = find_parts(record, arena);
  if (paths->expected.count > 0) parts.expected = find_at(record, &paths->expected, arena);
  if (paths->candidate.count > 0) parts.candidate = find_at(record, &paths->candidate, arena);
  /* Where a path names one part, an ordinary name may be the other: the record has both. */
  if (paths->expected.count > 0 && paths->candidate.count + paths->candidates.count == 0 && parts.candidate == NULL)
    parts.candidate = other_part(record, weak_candidate_names, parts.expected, arena);
  if (paths->candidate.count + paths->candidates.count > 0 && paths->expected.count == 0 && parts.expected == NULL &&
      !paths->expected_optional)
    parts.expected = other_part(record, weak_expected_names, parts.candidate, arena);
  if (parts.expected == NULL && paths->expected_optional) {
    parts.expected = ee_value_new(arena, EE_NULL);
    bool named = paths->candidate.count + paths->candidates.count > 0;
    if (parts.candidate == NULL && !named) parts.candidate = find_document(record, id, arena);
  }
  if (parts.expected == NULL) return ee_record_fail_without("expected value", record, arena, error);
  out->expected = read_expected(parts.expected, arena);
  if (paths->candidates.count > 0) {
    parts.candidate = find_at(record, &paths->candidates, arena);
    if (take_trials(out, parts.candidate, paths, arena)) return EE_OK;
  }
  read_candidate(parts.candidate, arena, out);
  ee_case_keep_text(out, paths, arena);
  if (parts.candidate == NULL) ee_case_find_trials(out, paths, arena);
  read_trial(out, paths, arena);
  return EE_OK;
}

ee_status ee_record_read_answer(const ee_value *record, const ee_record_paths *paths, const ee_record_place *place,
                                ee_arena *arena, ee_case *out, ee_error *error) {
  if (paths == NULL) paths = &known_names;
  const ee_value *id;
  ee_status status = place == NULL || place->given_id.data == NULL ? check_object(record, error) : EE_OK;
  if (status == EE_OK) status = start_case(record, paths, place, arena, out, &id, error);
  if (status != EE_OK) return status;
  read_trial(out, paths, arena);
  const ee_path_list *places = paths->candidates.count > 0 ? &paths->candidates : &paths->candidate;
  if (places->count > 0) {
    const ee_value *found = find_at(record, places, arena);
    if (places == &paths->candidates && take_trials(out, found, paths, arena)) return EE_OK;
    read_candidate(found, arena, out);
    return EE_OK;
  }
  record_parts parts = find_parts(record, arena);
  bool named = names_parts(record, &parts, arena);
  read_candidate(named ? parts.candidate : find_document(record, id, arena), arena, out);
  return EE_OK;
}

ee_status ee_record_read_expected(const ee_value *record, const ee_record_paths *paths, ee_str given_id,
                                  ee_arena *arena, ee_str *id, const ee_value **expected, ee_error *error) {
  if (paths == NULL) paths = &known_names;
  ee_status status = given_id.data == NULL ? check_object(record, error) : EE_OK;
  if (status != EE_OK) return status;
  const ee_value *found = find_id_of(record, paths, EE_PART_EXPECTED_ID, arena);
  status = read_id(found, arena, id, error);
  if (status != EE_OK) return status;
  if (paths->expected.count > 0) {
    *expected = find_at(record, &paths->expected, arena);
  } else {
    record_parts parts = find_parts(record, arena);
    *expected = parts.expected;
    if (!names_parts(record, &parts, arena) || (parts.expected == NULL && find_lone_part(record, found) != NULL))
      *expected = find_document(record, found, arena);
  }
  if (*expected == NULL) return ee_record_fail_without("expected value", record, arena, error);
  *expected = read_expected(*expected, arena);
  if (id->data == NULL) *id = given_id;
  return id->data != NULL ? EE_OK : ee_record_fail_without("id", record, arena, error);
}

const ee_value *ee_case_get(const ee_case *current, const ee_path *path, ee_arena *arena) {
  const ee_value *found = ee_path_get(path, current->record, arena);
  return found != NULL || current->truth == NULL ? found : ee_path_get(path, current->truth, arena);
}

/* The rest of a record -------------------------------------------------------------------------- */

/* Where a record has its parts; NULL: nowhere. */
typedef struct part_places {
  const ee_value *items[3];
} part_places;

/* Where a record has one part: as ee_record_read_answer() and ee_record_read_expected() find it. */
static const ee_value *place_of(const ee_value *record, const ee_path_list *paths, const ee_value *part,
                                const record_parts *parts, const ee_value *id, ee_arena *arena) {
  if (paths->count > 0) return find_at(record, paths, arena);
  if (part != NULL || names_parts(record, parts, arena)) return part;
  const ee_value *lone = find_lone_part(record, id);
  return lone != NULL ? lone : record;
}

static bool is_part(const part_places *places, const ee_value *value) {
  for (size_t i = 0; i < 3; i++)
    if (places->items[i] == value) return true;
  return false;
}

/* Appends `value` without the parts in it. Recursion is bounded by the reader's nesting limit. */
static void write_without(const ee_value *value, const part_places *places, ee_buffer *out) {
  ee_type type = ee_type_of(value);
  if (type != EE_OBJECT && type != EE_ARRAY) {
    ee_json_write_value(out, value);
    return;
  }
  bool any = false;
  ee_buffer_add_char(out, type == EE_OBJECT ? '{' : '[');
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child)) {
    if (is_part(places, child)) continue;
    if (any) ee_buffer_add_char(out, ',');
    any = true;
    if (type == EE_OBJECT) {
      ee_json_write_string(out, ee_value_key(child));
      ee_buffer_add_char(out, ':');
    }
    write_without(child, places, out);
  }
  ee_buffer_add_char(out, type == EE_OBJECT ? '}' : ']');
}

/* Appends the members of a record besides its parts, and besides those that `other` (or NULL) has. */
static void write_rest(const ee_value *record, const ee_value *other, const part_places *places, ee_arena *arena,
                       ee_buffer *out) {
  if (is_part(places, record)) return;
  for (const ee_value *member = ee_value_child(record); member != NULL; member = ee_value_next(member)) {
    if (is_part(places, member) || (other != NULL && ee_value_member(other, ee_value_key(member), arena) != NULL))
      continue;
    ee_buffer_add_char(out, ',');
    ee_json_write_string(out, ee_value_key(member));
    ee_buffer_add_char(out, ':');
    write_without(member, places, out);
  }
}

bool ee_case_write_rest(const ee_case *current, const ee_record_paths *paths, ee_arena *arena, ee_buffer *out) {
  if (paths == NULL) paths = &known_names;
  const ee_value *record = current->record, *truth = current->truth;
  size_t from = out->length;
  if (ee_type_of(record) == EE_OBJECT) {
    record_parts parts = find_parts(record, arena);
    const ee_value *id = find_id_of(record, paths, EE_PART_ID, arena);
    part_places places = {{id, current->trials != NULL
                                   ? current->trials
                                   : place_of(record, &paths->candidate, parts.candidate, &parts, id, arena)}};
    if (truth == NULL)
      places.items[2] = paths->expected.count > 0 ? find_at(record, &paths->expected, arena) : parts.expected;
    write_rest(record, NULL, &places, arena, out);
  }
  if (ee_type_of(truth) == EE_OBJECT) {
    record_parts parts = find_parts(truth, arena);
    const ee_value *id = find_id_of(truth, paths, EE_PART_EXPECTED_ID, arena);
    part_places places = {{id, place_of(truth, &paths->expected, parts.expected, &parts, id, arena)}};
    write_rest(truth, record, &places, arena, out);
  }
  if (out->length == from) return false;
  out->data[from] = '{'; /* instead of the first comma */
  ee_buffer_add_char(out, '}');
  return true;
}

/* Names in keys --------------------------------------------------------------------------------- */

/* Whether a path starts at the member `key`. */
static bool starts_at(const ee_path_list *paths, ee_str key) {
  for (size_t i = 0; i < paths->count; i++)
    if (paths->items[i]->count > 0 && ee_str_equal(paths->items[i]->steps[0].key, key)) return true;
  return false;
}

void ee_record_keys_add(ee_record_keys *keys, ee_str key, const ee_record_paths *paths) {
  keys->id = keys->id || is_listed(id_names, key) || starts_at(&paths->id, key) || starts_at(&paths->expected_id, key);
  keys->expected = keys->expected || is_listed(expected_names, key) || is_listed(case_names, key) ||
                   starts_at(&paths->expected, key);
  keys->candidate = keys->candidate || is_listed(candidate_names, key) || starts_at(&paths->candidate, key) ||
                    starts_at(&paths->candidates, key);
  keys->weak_expected = keys->weak_expected || is_listed(weak_expected_names, key);
  keys->weak_candidate = keys->weak_candidate || is_listed(weak_candidate_names, key);
  keys->either = keys->either || is_listed(either_names, key);
}
