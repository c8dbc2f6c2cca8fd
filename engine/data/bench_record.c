/* bench_record.c: checks every key of the bench's records. */
#include "data/bench_record.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/hash_index.h"
#include "base/list.h"
#include "base/memory.h"
#include "data/files/dataset.h"
#include "data/json/json_equal.h"
#include "data/json/json_reader.h"

/* In messages, strings from the data are cut at this many bytes. */
#define TEXT_SHOWN 60

const char *ee_empty_kind_name(ee_empty_kind kind) {
  static const char *const names[] = {"non_empty", "empty_by_evidence", "empty_by_failure"};
  return names[kind];
}

bool ee_empty_kind_find(ee_str name, ee_empty_kind *kind) {
  for (int i = EE_NON_EMPTY; i <= EE_EMPTY_BY_FAILURE; i++) {
    if (!ee_str_is(name, ee_empty_kind_name((ee_empty_kind)i))) continue;
    *kind = (ee_empty_kind)i;
    return true;
  }
  return false;
}

/* `text` for a message: cut at TEXT_SHOWN bytes, then followed by "...". */
static const char *shown(ee_arena *arena, ee_str text) {
  size_t length = ee_utf8_cut(text, TEXT_SHOWN);
  return ee_arena_printf(arena, "%.*s%s", (int)length, text.data, length < text.length ? "..." : "");
}

const char *ee_gold_span_error(const ee_unit_index *index, const ee_gold_span *span, ee_arena *arena) {
  if (span->start > span->end || span->end > index->length)
    return ee_arena_printf(arena, "%" PRIu64 " to %" PRIu64 " is not a range of a text of %" PRIu64, span->start,
                           span->end, index->length);
  ee_unit_slice slice = ee_unit_index_slice(index, span->start, span->end);
  if (slice.cuts_start || slice.cuts_end) return "its offsets cut a character";
  if (ee_str_equal(slice.text, span->quote)) return NULL;
  return ee_arena_printf(arena, "the document says '%s' there, not '%s'", shown(arena, slice.text),
                         shown(arena, span->quote));
}

typedef enum key_type { KEY_TEXT, KEY_TEXTS, KEY_OBJECT, KEY_SCHEMA, KEY_LIST, KEY_COUNT } key_type;

/* Flags of a key: the kinds of records that have it, and whether it may be missing. */
enum { SMOKE = 1, REGRESSION = 2, OPTIONAL = 4 };

typedef struct key_row {
  const char *name;
  key_type type;
  unsigned in;
  bool may_be_empty; /* a string may be blank */
} key_row;

static const key_row record_keys[] = {
    {"caseId", KEY_TEXT, SMOKE | REGRESSION, false},
    {"category", KEY_TEXT, REGRESSION, false},
    {"documentText", KEY_TEXT, SMOKE | REGRESSION, true},
    {"instructions", KEY_TEXT, SMOKE | REGRESSION, true},
    {"targetSchema", KEY_SCHEMA, SMOKE | REGRESSION, false},
    {"providerResponseText", KEY_TEXT, SMOKE | REGRESSION | OPTIONAL, true},
    {"providerResponseTexts", KEY_TEXTS, SMOKE | REGRESSION | OPTIONAL, true},
    {"expected", KEY_OBJECT, REGRESSION, false},
    {"sourceUrl", KEY_TEXT, REGRESSION, false},
    {"packId", KEY_TEXT, REGRESSION, false},
    {"sourceQuote", KEY_TEXT, REGRESSION | OPTIONAL, true},
    {"goldSpans", KEY_LIST, SMOKE, false},
    {"offsetMode", KEY_TEXT, SMOKE | OPTIONAL, false},
    {NULL, KEY_TEXT, 0, false},
};
static const key_row expected_keys[] = {
    {"emptyResultKind", KEY_TEXT, SMOKE | REGRESSION, false},
    {"minExtractions", KEY_COUNT, SMOKE | REGRESSION, false},
    {"maxExtractions", KEY_COUNT, SMOKE | REGRESSION, false},
    {NULL, KEY_TEXT, 0, false},
};
static const key_row gold_keys[] = {
    {"extractionClass", KEY_TEXT, SMOKE | REGRESSION, false},
    {"quote", KEY_TEXT, SMOKE | REGRESSION, true},
    {"charStart", KEY_COUNT, SMOKE | REGRESSION, false},
    {"charEnd", KEY_COUNT, SMOKE | REGRESSION, false},
    {NULL, KEY_TEXT, 0, false},
};

/* The record that is being read, and where its mistakes go. */
typedef struct reading {
  const char *file;
  size_t line;
  ee_arena *arena;
  ee_error_list *errors;
  size_t mistakes;
} reading;

static void mistake(reading *self, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void mistake(reading *self, const char *format, ...) {
  char message[sizeof((ee_error *)NULL)->message];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  message[ee_utf8_valid_prefix(message, strlen(message))] = '\0';
  ee_error_list_addf(self->errors, EE_ERROR_RULES, self->file, self->line, "%s", message);
  self->mistakes++;
}

static bool read_count(const ee_value *value, uint64_t *count) {
  int64_t whole;
  if (!ee_value_whole(value, &whole) || whole < 0) return false;
  *count = (uint64_t)whole;
  return true;
}

/* Keys ----------------------------------------------------------------------------------------- */

static void check_schema(reading *self, const ee_value *schema) {
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_json_schema_compile(self->arena, schema, NULL, &errors);
  for (size_t i = 0; i < errors.count; i++)
    if (errors.items[i].status != EE_OK) mistake(self, "targetSchema%s", errors.items[i].message);
  ee_error_list_fini(&errors);
}

/* Checks the type of one key's value. `where` is the key's path for messages. */
static void check_value(reading *self, const key_row *row, const char *where, const ee_value *value) {
  ee_type type = ee_type_of(value);
  switch (row->type) { /* unreached: all are listed */
  case KEY_TEXT:
    if (type != EE_STRING)
      mistake(self, "%s must be a string, got %s", where, ee_value_describe(value));
    else if (!row->may_be_empty && ee_str_is_blank(ee_value_text(value)))
      mistake(self, "%s must not be empty", where);
    break;
  case KEY_TEXTS:
    if (type != EE_ARRAY || ee_value_count(value) == 0) {
      mistake(self, "%s must be an array of at least one string", where);
      break;
    }
    for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item)) {
      if (ee_type_of(item) == EE_STRING) continue;
      mistake(self, "%s must contain only strings, got %s", where, ee_value_describe(item));
      break;
    }
    break;
  case KEY_OBJECT:
    if (type != EE_OBJECT) mistake(self, "%s must be an object, got %s", where, ee_value_describe(value));
    break;
  case KEY_SCHEMA:
    if (type != EE_OBJECT && type != EE_TRUE && type != EE_FALSE)
      mistake(self, "%s must be a JSON Schema, got %s", where, ee_value_describe(value));
    else
      check_schema(self, value);
    break;
  case KEY_LIST:
    if (type != EE_ARRAY) mistake(self, "%s must be an array, got %s", where, ee_value_describe(value));
    break;
  case KEY_COUNT:
    if (!read_count(value, &(uint64_t){0})) mistake(self, "%s must be a whole number from 0", where);
    break;
  }
}

static const key_row *find_row(const key_row *rows, ee_str name) {
  for (; rows->name != NULL; rows++)
    if (ee_str_is(name, rows->name)) return rows;
  return NULL;
}

/* Reports `name`, which records of this `kind` (SMOKE or REGRESSION) do not have. */
static void unknown_key(reading *self, const key_row *rows, unsigned kind, const char *prefix, ee_str name) {
  if (find_row(rows, name) != NULL) {
    mistake(self,
            kind == SMOKE ? "key '%s' belongs to regression records ('goldSpans' makes this one a smoke record)"
                          : "key '%s' belongs to smoke records ('goldSpans' would make this one)",
            shown(self->arena, name));
    return;
  }
  const char *names[16];
  size_t count = 0;
  for (; rows->name != NULL; rows++) names[count++] = rows->name;
  names[count] = NULL;
  const char *near = ee_did_you_mean(ee_arena_copy(self->arena, name.data, name.length), names);
  if (near != NULL)
    mistake(self, "unknown key '%s%s' (did you mean '%s'?)", prefix, shown(self->arena, name), near);
  else
    mistake(self, "unknown key '%s%s'", prefix, shown(self->arena, name));
}

/* Reports invalid, unknown and missing keys of an object. */
static void check_keys(reading *self, const ee_value *object, const key_row *rows, unsigned kind, const char *prefix) {
  for (const ee_value *member = ee_value_child(object); member != NULL; member = ee_value_next(member)) {
    const key_row *row = find_row(rows, ee_value_key(member));
    if (row == NULL || (row->in & kind) == 0)
      unknown_key(self, rows, kind, prefix, ee_value_key(member));
    else
      check_value(self, row, ee_arena_printf(self->arena, "%s%s", prefix, row->name), member);
  }
  for (const key_row *row = rows; row->name != NULL; row++) {
    if ((row->in & kind) == 0 || (row->in & OPTIONAL) != 0) continue;
    if (ee_value_member(object, ee_str_from(row->name), self->arena) == NULL)
      mistake(self, "missing key '%s%s'", prefix, row->name);
  }
}

/* Parts ---------------------------------------------------------------------------------------- */

static uint64_t count_of(reading *self, const ee_value *object, const char *key) {
  uint64_t count = 0;
  read_count(ee_value_member(object, ee_str_from(key), self->arena), &count);
  return count;
}

static void read_answers(reading *self, const ee_value *record, ee_bench_record *out) {
  const ee_value *one = ee_value_member(record, EE_STR("providerResponseText"), self->arena);
  const ee_value *many = ee_value_member(record, EE_STR("providerResponseTexts"), self->arena);
  if ((one == NULL) == (many == NULL))
    mistake(self, one == NULL ? "missing key 'providerResponseText'"
                              : "providerResponseText and providerResponseTexts are both given");
  const ee_value *first = one != NULL ? one : ee_type_of(many) == EE_ARRAY ? ee_value_child(many) : NULL;
  size_t count = one != NULL ? 1 : ee_type_of(many) == EE_ARRAY ? ee_value_count(many) : 0;
  ee_str *texts = EE_NEW_ARRAY(self->arena, ee_str, count + 1);
  for (size_t i = 0; i < count; i++, first = ee_value_next(first))
    texts[i] = ee_type_of(first) == EE_STRING ? ee_value_text(first) : EE_STR("");
  out->answers = texts;
  out->answer_count = count;
}

/* True for http:// or https:// and something that may be a host. */
static bool is_url(ee_str url) {
  static const char *const schemes[] = {"http://", "https://"};
  for (size_t i = 0; i < 2; i++) {
    size_t length = strlen(schemes[i]);
    if (url.length <= length || strncasecmp(url.data, schemes[i], length) != 0) continue;
    for (size_t at = length; at < url.length; at++)
      if ((unsigned char)url.data[at] <= ' ' || url.data[at] == 0x7F) return false;
    char first = url.data[length];
    return first != '/' && first != '?' && first != '#' && first != ':' && first != '@';
  }
  return false;
}

static void read_expected(reading *self, const ee_value *record, ee_bench_record *out) {
  const ee_value *expected = ee_value_member(record, EE_STR("expected"), self->arena);
  if (ee_type_of(expected) != EE_OBJECT) return;
  out->has_expected = true;
  check_keys(self, expected, expected_keys, REGRESSION, "expected.");
  ee_str kind = ee_value_get_text(expected, "emptyResultKind", NULL);
  bool known = ee_empty_kind_find(kind, &out->kind);
  if (!ee_str_is_blank(kind) && !known)
    mistake(self, "expected.emptyResultKind must be one of " EE_EMPTY_KIND_LIST ", got '%s'", shown(self->arena, kind));
  bool has_min = read_count(ee_value_member(expected, EE_STR("minExtractions"), self->arena), &out->min_extractions);
  bool has_max = read_count(ee_value_member(expected, EE_STR("maxExtractions"), self->arena), &out->max_extractions);
  if (has_min && has_max && out->max_extractions < out->min_extractions)
    mistake(self, "expected.maxExtractions is below expected.minExtractions");
  else if (known && out->kind != EE_NON_EMPTY && has_min && out->min_extractions > 0)
    mistake(self, "expected.minExtractions must be 0 where emptyResultKind is '%s'", ee_empty_kind_name(out->kind));
  else if (known && out->kind == EE_NON_EMPTY && has_min && has_max && out->max_extractions == 0)
    mistake(self, "expected.maxExtractions must not be 0 where emptyResultKind is 'non_empty'");
}

static void read_unit(reading *self, const ee_value *record, ee_bench_record *out) {
  ee_str mode = ee_value_get_text(record, "offsetMode", NULL);
  if (mode.data != NULL && !ee_text_unit_find(mode, &out->unit))
    mistake(self, "offsetMode must be one of " EE_TEXT_UNIT_LIST ", got '%s'", shown(self->arena, mode));
}

static void read_gold(reading *self, const ee_value *record, ee_bench_record *out) {
  const ee_value *list = ee_value_member(record, EE_STR("goldSpans"), self->arena);
  if (ee_type_of(list) != EE_ARRAY || out->document.data == NULL) return;
  out->has_gold = true;
  ee_unit_index index;
  ee_unit_index_build(&index, self->arena, out->document, out->unit);
  ee_gold_span *gold = EE_NEW_ARRAY(self->arena, ee_gold_span, ee_value_count(list) + 1);
  size_t number = 0;
  for (const ee_value *item = ee_value_child(list); item != NULL; item = ee_value_next(item), number++) {
    if (ee_type_of(item) != EE_OBJECT) {
      mistake(self, "goldSpans[%zu] must be an object, got %s", number, ee_value_describe(item));
      continue;
    }
    size_t before = self->mistakes;
    check_keys(self, item, gold_keys, SMOKE, ee_arena_printf(self->arena, "goldSpans[%zu].", number));
    ee_gold_span *span = &gold[number];
    span->extraction_class = ee_value_get_text(item, "extractionClass", NULL);
    span->quote = ee_value_get_text(item, "quote", NULL);
    span->start = count_of(self, item, "charStart");
    span->end = count_of(self, item, "charEnd");
    const char *error = self->mistakes == before ? ee_gold_span_error(&index, span, self->arena) : NULL;
    if (error != NULL) mistake(self, "goldSpans[%zu]: %s", number, error);
  }
  out->gold = gold;
  out->gold_count = number;
}

bool ee_bench_record_read(const ee_value *record, const char *file, size_t line, ee_arena *arena, ee_bench_record *out,
                          ee_error_list *errors) {
  reading self = {file, line, arena, errors, 0};
  *out = (ee_bench_record){.node = record, .file = file, .line = line};
  if (ee_type_of(record) != EE_OBJECT) {
    mistake(&self, "a record must be an object, got %s", ee_value_describe(record));
    return false;
  }
  bool smoke = ee_value_member(record, EE_STR("goldSpans"), arena) != NULL;
  check_keys(&self, record, record_keys, smoke ? SMOKE : REGRESSION, "");
  read_answers(&self, record, out);
  out->case_id = ee_value_get_text(record, "caseId", NULL);
  out->category = ee_value_get_text(record, "category", NULL);
  out->document = ee_value_get_text(record, "documentText", NULL);
  out->instructions = ee_value_get_text(record, "instructions", NULL);
  out->source_url = ee_value_get_text(record, "sourceUrl", NULL);
  out->pack_id = ee_value_get_text(record, "packId", NULL);
  out->source_quote = ee_value_get_text(record, "sourceQuote", NULL);
  out->target_schema = ee_value_member(record, EE_STR("targetSchema"), arena);
  if (!ee_str_is_blank(out->source_url) && !is_url(out->source_url))
    mistake(&self, "sourceUrl '%s' is not an http or https URL", shown(arena, out->source_url));
  read_unit(&self, record, out);
  if (smoke)
    read_gold(&self, record, out);
  else
    read_expected(&self, record, out);
  return self.mistakes == 0;
}

/* Files ---------------------------------------------------------------------------------------- */

/* In messages, ids and keys are cut at this many bytes. */
#define ID_SHOWN 100

typedef struct set_reader {
  ee_bench_set *set;
  size_t capacity;   /* of its records */
  ee_hash_index ids; /* of the records, by caseId */
  ee_error_list *errors;
} set_reader;

static const ee_bench_record *find_record(const set_reader *self, ee_str id, uint64_t hash) {
  size_t at = 0, number;
  while (ee_hash_index_next(&self->ids, hash, &at, &number)) {
    const ee_bench_record *found = &self->set->records[number];
    if (ee_str_equal(found->case_id, id)) return found; /* unreached: two ids of one hash */
  }
  return NULL;
}

static void add_record(set_reader *self, const ee_bench_record *record) {
  uint64_t hash = ee_hash_bytes(record->case_id.data, record->case_id.length, 0);
  const ee_bench_record *first = find_record(self, record->case_id, hash);
  if (first != NULL) {
    ee_error_list_addf(self->errors, EE_ERROR_RULES, record->file, record->line,
                       "duplicate caseId '%.*s' (first at %s:%zu)", (int)ee_utf8_cut(record->case_id, ID_SHOWN),
                       record->case_id.data, first->file, first->line);
    return;
  }
  ee_hash_index_add(&self->ids, hash, self->set->count);
  ee_bench_set *set = self->set;
  if (set->count == self->capacity)
    set->records = ee_list_grow(NULL, set->records, set->count, &self->capacity, 1, sizeof *set->records);
  set->records[set->count++] = *record;
}

/* Duplicate keys are mistakes in a bench record. */
typedef struct key_watch {
  set_reader *self;
  const char *file;
  size_t line;
} key_watch;

static void on_duplicate_key(void *user, ee_str key, size_t offset) {
  (void)offset;
  const key_watch *watch = user;
  ee_error_list_addf(watch->self->errors, EE_ERROR_RULES, watch->file, watch->line, "duplicate key '%.*s'",
                     (int)ee_utf8_cut(key, ID_SHOWN), key.length > 0 ? key.data : "");
}

static void read_span(set_reader *self, const ee_block *block, const ee_record_span *span, const char *file) {
  ee_bench_set *set = self->set;
  ee_error error;
  key_watch watch = {self, file, (size_t)span->line};
  ee_json_options options = {.on_duplicate_key = on_duplicate_key, .user = &watch};
  const ee_value *record =
      ee_json_read(&set->arena, (ee_str){block->text.data + span->offset, span->length}, &options, &error);
  if (record == NULL) {
    /* The reader counts from the start of the span; only its first line is preceded by other text. */
    size_t column = error.line == 1 ? error.column + (size_t)span->column - 1 : error.column;
    ee_error placed;
    ee_error_at(&placed, EE_ERROR_RULES, file, (size_t)span->line + error.line - 1, column, "%s", error.message);
    ee_error_list_add(self->errors, &placed);
    return;
  }
  ee_bench_record read;
  /* Not ee_value_hash(), which ignores null members: "const": null matters in a schema. */
  set->hash = ee_hash_mix(set->hash) ^ ee_json_hash(record);
  /* An invalid record is dropped, and its id is not compared with others. */
  if (ee_bench_record_read(record, file, (size_t)span->line, &set->arena, &read, self->errors)) add_record(self, &read);
}

static ee_status read_file(set_reader *self, const char *name, ee_error *error) {
  ee_dataset *dataset = ee_dataset_open(&name, 1, error);
  if (dataset == NULL) return EE_ERROR_SYSTEM;
  const char *file = ee_arena_copy(&self->set->arena, name, strlen(name));
  ee_block block;
  ee_block_init(&block);
  bool done = false;
  ee_status status;
  while ((status = ee_dataset_next(dataset, &block, &done, error)) == EE_OK && !done) {
    for (size_t i = 0; i < block.errors.count; i++) {
      ee_error failure = block.errors.items[i];
      if (failure.status != EE_OK) failure.status = EE_ERROR_RULES;
      ee_error_list_add(self->errors, &failure);
    }
    for (size_t i = 0; i < block.count; i++) read_span(self, &block, &block.records[i], file);
  }
  ee_block_fini(&block);
  ee_dataset_close(dataset);
  return status;
}

static bool has_mistake(const ee_error_list *errors) {
  for (size_t i = 0; i < errors->count; i++)
    if (errors->items[i].status != EE_OK) return true;
  return false;
}

ee_status ee_bench_set_open(const char *const *files, size_t count, ee_bench_set *set, ee_error_list *errors,
                            ee_error *error) {
  *set = (ee_bench_set){0};
  ee_arena_init(&set->arena, 0);
  set_reader self = {.set = set, .errors = errors};
  ee_status status = EE_OK;
  for (size_t i = 0; i < count && status == EE_OK; i++) status = read_file(&self, files[i], error);
  ee_hash_index_fini(&self.ids);
  if (status != EE_OK) return status;
  if (has_mistake(errors)) return ee_error_set(error, EE_ERROR_RULES, "invalid bench records");
  return EE_OK;
}

void ee_bench_set_close(ee_bench_set *set) {
  ee_arena_fini(&set->arena);
  ee_free(set->records);
  *set = (ee_bench_set){0};
}
