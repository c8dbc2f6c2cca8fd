/* read_document.c: prints the document that the readers make of standard input, as JSON, for tests/suites.
 *
 *   read_document json|yaml
 *
 * Status 0, or 1 with the error on standard error. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "data/yaml/yaml_reader.h"

int main(int count, char **arguments) {
  if (count != 2) return fprintf(stderr, "usage: read_document json|yaml\n"), 2;
  ee_buffer text = {0}, out = {0};
  for (size_t got = 1; got > 0; text.length += got) got = fread(ee_buffer_reserve(&text, 65536), 1, 65536, stdin);
  ee_str all = {ee_buffer_terminate(&text), text.length};
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_error error = {0};
  const ee_value *value = strcmp(arguments[1], "yaml") == 0 ? ee_yaml_read(&arena, all, NULL, &error)
                                                            : ee_json_read(&arena, all, NULL, &error);
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
