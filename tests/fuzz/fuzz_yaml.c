/* fuzz_yaml.c: any bytes through the YAML reader.
 *
 * What is read must be a tree whose nodes all have places within the text, within the bounds that are promised, and
 * must survive being written as JSON and read back, by the JSON reader and as YAML; what is JSON must read like JSON;
 * what is refused must have a place within the text, that is the line and column of its offset. */

#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "data/yaml/yaml_reader.h"
#include "fuzz/fuzz.h"

/* Checks the links and places of a tree, and counts its nodes. */
static size_t check_tree(const ee_value *value, const ee_yaml_places *places, size_t depth, size_t length) {
  size_t nodes = 1, children = 0;
  ee_type type = ee_type_of(value);
  struct ee_yaml_place place = ee_yaml_place_of(places, value);
  fuzz_require(place.value == value && place.line >= 1 && place.column >= 1);
  fuzz_require(place.line <= length + 1 && place.column <= length + 1 && value->hash == 0);
  if (type != EE_ARRAY && type != EE_OBJECT) return nodes;
  fuzz_require(depth < EE_YAML_DEPTH);
  const ee_value *before = NULL;
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child)) {
    fuzz_require(before == NULL || (const ee_value *)child->json.prev == before);
    fuzz_require((child->json.string != NULL) == (type == EE_OBJECT));
    if (type == EE_OBJECT) fuzz_require(ee_value_member(value, ee_value_key(child), NULL) == child);
    nodes += check_tree(child, places, depth + 1, length);
    before = child;
    children++;
  }
  fuzz_require(children == value->length);
  fuzz_require(before == NULL || (const ee_value *)value->json.child->prev == before);
  return nodes;
}

static void check_round_trip(const ee_value *value, ee_arena *arena) {
  ee_buffer out = {0}, again = {0};
  ee_json_write_value(&out, value);
  ee_str text = {out.data, out.length};
  const ee_value *json = ee_json_read(arena, text, NULL, NULL), *yaml = ee_yaml_read(arena, text, NULL, NULL);
  fuzz_require(json != NULL && yaml != NULL && ee_value_equal(value, json) && ee_value_equal(value, yaml));
  ee_json_write_value(&again, yaml);
  fuzz_require(ee_str_equal(text, (ee_str){again.data, again.length}));
  ee_buffer_fini(&out);
  ee_buffer_fini(&again);
}

static void check_error(const ee_error *error, ee_str text) {
  fuzz_require(error->status == EE_ERROR_DATA && error->message[0] != '\0' && error->offset <= text.length);
  size_t line = 1, start = text.length >= 3 && memcmp(text.data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  for (size_t i = start; i < error->offset; i++) {
    if (text.data[i] == '\r' && i + 1 < text.length && text.data[i + 1] == '\n') continue;
    if (text.data[i] != '\r' && text.data[i] != '\n') continue;
    line += 1;
    start = i + 1;
  }
  fuzz_require(error->line == line && error->column == error->offset - start + 1);
}

static void count_duplicates(void *user, ee_str key, size_t offset) {
  (void)key, (void)offset;
  *(size_t *)user += 1;
}

/* JSON is YAML, but for duplicate keys. */
static void check_json(ee_str text, const ee_value *yaml, ee_arena *arena) {
  size_t duplicates = 0;
  ee_json_options options = {.on_duplicate_key = count_duplicates, .user = &duplicates};
  const ee_value *json = ee_json_read(arena, text, &options, NULL);
  if (json == NULL) return;
  fuzz_require((yaml == NULL) == (duplicates > 0));
  if (yaml != NULL) fuzz_require(ee_value_equal(json, yaml));
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_str text = {(const char *)data, size};
  ee_error error = {0};
  ee_yaml_places places = {0};
  const ee_value *value = ee_yaml_read(&arena, text, &places, &error);
  if (value != NULL) {
    size_t nodes = check_tree(value, &places, 0, size);
    fuzz_require(nodes <= EE_YAML_NODES && nodes <= size + 1 + EE_YAML_REPEATED_NODES);
    check_round_trip(value, &arena);
  } else {
    check_error(&error, text);
  }
  check_json(text, value, &arena);
  ee_arena_fini(&arena);
  return 0;
}

EE_FUZZ_TARGET(16384)
