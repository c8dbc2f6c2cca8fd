/* read_document.c: prints the document that the readers make of standard input, or what a query finds in it, as JSON,
 * for tests/suites.
 *
 *   read_document json|yaml
 *   read_document QUERY               the nodes of a JSONPath query, as an array [place, value, place, value, ...]; a
 * place is the array of the keys and indices that lead there
 *
 * Status 0, or 1 with the error on standard error. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "data/json/json_query.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "data/yaml/yaml_reader.h"

static ee_value *steps_to(ee_arena *arena, const ee_query_place *place) {
  if (place == NULL) return ee_value_new(arena, EE_ARRAY);
  ee_value *steps = steps_to(arena, place->outer);
  ee_value_append(steps, place->key.data != NULL ? ee_value_new_string(arena, place->key)
                                                 : ee_value_new_number(arena, place->index));
  return steps;
}

static const ee_value *find(ee_arena *arena, const char *text, const ee_value *root, ee_error *error) {
  const ee_json_query *query = ee_json_query_parse(arena, ee_str_from(text), error);
  if (query == NULL) return NULL;
  ee_query_nodes nodes = {0};
  ee_json_query_find(query, root, arena, &nodes);
  ee_value *found = ee_value_new(arena, EE_ARRAY);
  for (size_t i = 0; i < nodes.count; i++) {
    ee_value_append(found, steps_to(arena, nodes.items[i].place));
    ee_value *copy = EE_NEW(arena, ee_value);
    *copy = *nodes.items[i].value;
    ee_value_append(found, copy);
  }
  return found;
}

int main(int count, char **arguments) {
  if (count != 2) return fprintf(stderr, "usage: read_document json|yaml|QUERY\n"), 2;
  ee_buffer text = {0}, out = {0};
  for (size_t got = 1; got > 0; text.length += got) got = fread(ee_buffer_reserve(&text, 65536), 1, 65536, stdin);
  ee_str all = {ee_buffer_terminate(&text), text.length};
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_error error = {0};
  bool is_yaml = strcmp(arguments[1], "yaml") == 0, is_json = strcmp(arguments[1], "json") == 0;
  const ee_value *value = is_yaml ? ee_yaml_read(&arena, all, NULL, &error) : ee_json_read(&arena, all, NULL, &error);
  if (!is_yaml && !is_json && value != NULL) value = find(&arena, arguments[1], value, &error);
  if (value != NULL) {
    ee_json_write_value(&out, value);
    fwrite(out.data, 1, out.length, stdout);
  } else {
    fprintf(stderr, "%zu:%zu: %s\n", error.line, error.column, error.message);
  }
  ee_buffer_fini(&text);
  ee_buffer_fini(&out);
  ee_arena_fini(&arena);
  return value == NULL;
}
