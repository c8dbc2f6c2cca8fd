/* config_file.c: one small file, read whole. */
#include "cli/config_file.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "data/files/byte_source.h"
#include "data/json/json_reader.h"
#include "data/yaml/yaml_reader.h"

static ee_status read_text(const char *file, ee_buffer *text, ee_error *error) {
  ee_byte_source *source = ee_byte_source_open(file, error);
  if (source == NULL) return EE_ERROR_SYSTEM;
  ee_status status = ee_byte_source_read_rest(source, SIZE_MAX, text, error);
  ee_byte_source_close(source);
  return status;
}

/* The second one of two equal keys, the first such pair of a file. */
typedef struct duplicate_key {
  bool found;
  size_t offset;
  char key[100];
} duplicate_key;

static void on_duplicate_key(void *user, ee_str key, size_t offset) {
  duplicate_key *duplicate = user;
  if (duplicate->found) return;
  duplicate->found = true;
  duplicate->offset = offset;
  size_t length = ee_utf8_cut(key, sizeof duplicate->key - 1);
  if (length > 0) memcpy(duplicate->key, key.data, length);
  duplicate->key[length] = '\0';
}

/* Line and column of a byte, from 1. */
static void place_of(ee_str text, size_t offset, size_t *line, size_t *column) {
  size_t line_start = 0;
  *line = 1;
  for (size_t i = 0; i < offset && i < text.length; i++) {
    if (text.data[i] != '\n') continue;
    *line += 1;
    line_start = i + 1;
  }
  *column = offset - line_start + 1;
}

/* In data a key that stands twice is a warning; what a person wrote by hand is worth a second look. */
static const ee_value *read_json(ee_arena *arena, ee_str text, ee_error *error) {
  duplicate_key duplicate = {0};
  ee_json_options options = {.on_duplicate_key = on_duplicate_key, .user = &duplicate};
  const ee_value *value = ee_json_read(arena, text, &options, error);
  if (value == NULL || !duplicate.found) return value;
  size_t line, column;
  place_of(text, duplicate.offset, &line, &column);
  ee_error_at(error, EE_ERROR_DATA, NULL, line, column, "duplicate key '%s'", duplicate.key);
  return NULL;
}

ee_status ee_config_read(const char *file, ee_arena *arena, const ee_value **config, ee_error *error) {
  *config = NULL;
  if (strcmp(file, "-") == 0) return ee_error_set(error, EE_ERROR_USAGE, "--config takes a file, not standard input");
  ee_error kept = {0};
  ee_buffer text;
  ee_buffer_init(&text);
  ee_status status = read_text(file, &text, &kept);
  const ee_value *value = NULL;
  if (status == EE_OK) {
    ee_str all = {ee_buffer_terminate(&text), text.length};
    value = ee_is_yaml_name(file) ? ee_yaml_read(arena, all, NULL, &kept) : read_json(arena, all, &kept);
    if (value == NULL)
      ee_error_at(error, EE_ERROR_RULES, file, kept.line, kept.column, "%s", kept.message);
    else if (ee_type_of(value) != EE_OBJECT)
      ee_error_at(error, EE_ERROR_RULES, file, 0, 0, "the configuration is no object (type %s)", ee_type_name(value));
    else
      *config = value;
  } else {
    ee_error_set(error, EE_ERROR_RULES, "%s", kept.message);
  }
  ee_buffer_fini(&text);
  return *config != NULL ? EE_OK : EE_ERROR_RULES;
}
