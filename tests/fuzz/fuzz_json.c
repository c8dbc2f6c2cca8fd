/* fuzz_json.c: any bytes through the reader of JSON, the writer, and what skips values without reading them.
 *
 * What is read must survive writing and reading, plain and canonical, and is what cJSON and, where it is installed,
 * simdjson read; what is refused must have a place within the text. */

#include "data/json/json_in_prose.h"
#include "data/json/json_reader.h"
#include "data/json/json_scan.h"
#include "data/json/json_writer.h"
#include "fuzz/fuzz.h"

/* Writes `value`, reads it back and compares. */
static void check_round_trip(const ee_value *value, ee_arena *arena, ee_arena *scratch) {
  ee_buffer out, again;
  ee_buffer_init(&out);
  ee_buffer_init(&again);
  for (int canonical = 0; canonical < 2; canonical++) {
    ee_buffer_clear(&out);
    ee_buffer_clear(&again);
    if (canonical) {
      ee_json_write_canonical(&out, value, scratch);
    } else {
      ee_json_write_value(&out, value);
    }
    ee_value *read = ee_json_read(arena, (ee_str){out.data, out.length}, NULL, NULL);
    fuzz_require(read != NULL && ee_value_equal(value, read) && ee_value_hash(value) == ee_value_hash(read));
    fuzz_require(ee_value_compare(value, read, scratch) == 0);
    if (canonical) {
      ee_json_write_canonical(&again, read, scratch);
    } else {
      ee_json_write_value(&again, read);
    }
    fuzz_require(ee_str_equal((ee_str){out.data, out.length}, (ee_str){again.data, again.length}));
  }
  fuzz_require(ee_value_equal(value, ee_value_copy(arena, value)));
  ee_buffer_fini(&out);
  ee_buffer_fini(&again);
}

static void count_duplicate(void *user, ee_str key, size_t offset) {
  (void)key, (void)offset;
  *(size_t *)user += 1;
}

/* cJSON keeps no length, so a text ends at its first NUL, and reads at most 63 bytes of a number. */
static void check_same(const ee_value *value, const cJSON *other) {
  ee_type type = ee_type_of(value);
  fuzz_require((other->type & 0xff) == (value->json.type & 0xff));
  if (type == EE_STRING) fuzz_require(strcmp(value->json.valuestring, other->valuestring) == 0);
  if (type == EE_NUMBER && value->length < 60)
    fuzz_require(value->json.valuedouble == other->valuedouble || value->json.valuestring != NULL);
  const cJSON *theirs = other->child;
  const ee_value *ours = type == EE_ARRAY || type == EE_OBJECT ? ee_value_child(value) : NULL;
  for (; ours != NULL; ours = ee_value_next(ours), theirs = theirs->next) {
    fuzz_require(theirs != NULL);
    if (type == EE_OBJECT) fuzz_require(strcmp(ours->json.string, theirs->string) == 0);
    check_same(ours, theirs);
  }
  fuzz_require(theirs == NULL);
}

static void check_document(ee_str text, ee_arena *arena, ee_arena *scratch) {
  ee_error error = {0};
  ee_value *value = ee_json_read(arena, text, NULL, &error);
  if (value != NULL) {
    check_round_trip(value, arena, scratch);
  } else {
    fuzz_require(error.offset <= text.length && error.line >= 1 && error.column >= 1 && error.message[0] != '\0');
  }
  size_t end = 0;
  if (ee_json_read_prefix(arena, text, &end, NULL) != NULL) fuzz_require(end >= 1 && end <= text.length);
  /* The search takes valid UTF-8. */
  text.length = ee_utf8_valid_prefix(text.data, text.length);
  const ee_value *found = ee_json_in_prose_find(arena, text, NULL);
  if (found != NULL) check_round_trip(found, arena, scratch);
}

#ifdef EE_WITH_SIMDJSON
int fuzz_simdjson_reads(const char *text, size_t length);

/* Both read the same texts, but for the bounds of simdjson's numbers and for the depth that is read here. */
static void check_simdjson(ee_str text, const ee_value *value, const ee_error *error) {
  int reads = fuzz_simdjson_reads(text.data, text.length);
  bool deep = strstr(error->message, "nest") != NULL || strstr(error->message, "deep") != NULL;
  bool marked = text.length >= 3 && memcmp(text.data, "\xef\xbb\xbf", 3) == 0; /* simdjson skips a byte order mark */
  if (reads >= 0 && !deep && !marked) fuzz_require((value != NULL) == (reads == 1));
}
#endif

/* What is skipped is what is read, and what cJSON reads is the same document. */
static void check_others(ee_str text, ee_arena *arena) {
  size_t end = 0, duplicates = 0;
  ee_json_options options = {.on_duplicate_key = count_duplicate, .user = &duplicates};
  ee_error error = {0};
  const ee_value *value = ee_json_read(arena, text, &options, &error);
#ifdef EE_WITH_SIMDJSON
  check_simdjson(text, value, &error);
#endif
  if (text.length > 0) {
    ee_json_scan scan = ee_json_scan_of(text);
    const char *past = ee_json_skip_value(&scan, text.data);
    const ee_value *prefix = ee_json_read_prefix(arena, text, &end, NULL);
    const char *start = ee_json_skip_space(text.data, text.data + text.length);
    if (start == text.data) fuzz_require((past != NULL) == (prefix != NULL));
    if (past != NULL && prefix != NULL) fuzz_require((size_t)(past - text.data) == end);
    fuzz_require(value == NULL || past != NULL);
  }
  if (value == NULL || duplicates > 0) return;
  cJSON *other = cJSON_ParseWithLength(text.data, text.length);
  if (other != NULL) check_same(value, other);
  cJSON_Delete(other);
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_arena arena, scratch;
  ee_arena_init(&arena, 0);
  ee_arena_init(&scratch, 0);
  ee_str text = {(const char *)data, size};
  check_document(text, &arena, &scratch);
  check_others(text, &arena);
  ee_arena_fini(&arena);
  ee_arena_fini(&scratch);
  return 0;
}

EE_FUZZ_TARGET(65536)
