/* fuzz_json.c: any bytes through the reader, the writer, the search for documents and the path parser.
 *
 * What is read must survive writing and reading, plain and canonical; what is refused must have a place within the
 * text. */

#include "data/json/json_in_prose.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "data/json/path.h"
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

/* The bytes up to the first newline are a path, walked through what is found in the rest. */
static void check_path(ee_str text, ee_arena *arena) {
  const char *newline = text.length > 0 ? memchr(text.data, '\n', text.length) : NULL;
  ee_str first = {text.data, newline != NULL ? (size_t)(newline - text.data) : text.length};
  ee_error error = {0};
  const ee_path *path = ee_path_parse(arena, first, &error);
  if (path == NULL) {
    fuzz_require(error.column >= 1 && error.column <= first.length + 1 && error.message[0] != '\0');
    return;
  }
  fuzz_require(path->count >= 1 && path->wildcards <= path->count && ee_str_equal(path->text, first));
  if (newline == NULL) return;
  ee_str rest = {newline + 1, text.length - first.length - 1};
  ee_path_get(path, ee_json_read(arena, rest, NULL, NULL), arena);
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_arena arena, scratch;
  ee_arena_init(&arena, 0);
  ee_arena_init(&scratch, 0);
  ee_str text = {(const char *)data, size};
  check_document(text, &arena, &scratch);
  check_path(text, &arena);
  ee_arena_fini(&arena);
  ee_arena_fini(&scratch);
  return 0;
}

EE_FUZZ_TARGET(65536)
