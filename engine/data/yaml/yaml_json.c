/* yaml_json.c: a YAML text that is JSON. */
#include "data/json/json_reader.h"
#include "data/json/json_scan.h"
#include "data/yaml/yaml_parts.h"

/* Behind the string whose quote is at `at`; the text is known to be JSON here and below. */
static const char *skip_string(const char *at, const char *end) {
  at++;
  for (;;) {
    at += ee_json_plain_length(at, (size_t)(end - at));
    if (at >= end || *at == '"') return at + 1;
    at += 2; /* a backslash and what it escapes */
  }
}

static const char *skip_scalar(const char *at, const char *end) {
  if (*at == '"') return skip_string(at, end);
  while (at < end && *at != ',' && *at != ']' && *at != '}' && !ee_json_is_space(*at)) at++;
  return at;
}

/* Behind the key at `at` and its colon. */
static const char *skip_key(const char *at, const char *end) {
  at = ee_json_skip_space(skip_string(at, end), end);
  return ee_json_skip_space(at + 1, end);
}

/* Goes through the text and its tree together. False, with `error`, past the bound on nodes. */
static bool note_places(ee_arena *arena, ee_value *root, ee_yaml_cursor *cursor, ee_yaml_places *places,
                        ee_error *error) {
  const ee_value *parents[EE_JSON_DEPTH_LIMIT], *node = root;
  size_t depth = 0, nodes = 0;
  const char *end = cursor->end, *at = ee_json_skip_space(cursor->at, end);
  for (;;) {
    ee_yaml_spot spot = {0};
    if (places != NULL || nodes == EE_YAML_NODES) spot = ee_yaml_seek_byte(cursor, at);
    if (nodes++ == EE_YAML_NODES) return ee_yaml_fail(error, spot, "more than %zu nodes", EE_YAML_NODES);
    ee_yaml_places_put(arena, places, node, spot);
    const ee_value *next = ee_value_child(node);
    if (next != NULL) {
      at = ee_json_skip_space(at + 1, end);
      parents[depth++] = node;
    } else {
      at = *at == '[' || *at == '{' ? ee_json_skip_space(at + 1, end) + 1 : skip_scalar(at, end);
      while (depth > 0 && (next = ee_value_next(node)) == NULL) {
        at = ee_json_skip_space(at, end) + 1;
        node = parents[--depth];
      }
      if (next == NULL) return true;
      at = ee_json_skip_space(ee_json_skip_space(at, end) + 1, end);
    }
    node = next;
    if (ee_type_of(parents[depth - 1]) == EE_OBJECT) at = skip_key(at, end);
  }
}

/* Duplicates ----------------------------------------------------------------------------------- */

typedef struct duplicate {
  bool found;
  size_t offset; /* of the first second key */
} duplicate;

static void on_duplicate(void *user, ee_str key, size_t offset) {
  (void)key;
  duplicate *first = user;
  if (!first->found) *first = (duplicate){true, offset};
}

/* The place behind the bracket that is open at `stop`, which is not in a string. */
static const char *find_open_bracket(const char *at, const char *end, const char *stop) {
  const char *open[EE_JSON_DEPTH_LIMIT + 1];
  size_t depth = 0;
  while (at < stop) {
    if (*at == '"') {
      at = skip_string(at, end);
      continue;
    }
    if (*at == '{' || *at == '[') open[depth++] = at + 1;
    if (*at == '}' || *at == ']') depth -= 1;
    at++;
  }
  return open[depth - 1];
}

/* The key's text, decoded. */
static ee_str read_key(ee_arena *arena, const char *quote, const char *end) {
  size_t length;
  return ee_value_text(
      ee_json_read_prefix(arena, (ee_str){quote, (size_t)(skip_string(quote, end) - quote)}, &length, NULL));
}

static void report_duplicate(ee_yaml_cursor *cursor, size_t offset, ee_error *error) {
  const char *start = cursor->at, *end = cursor->end, *second = start + offset;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_str key = read_key(&arena, second, end);
  ee_json_scan scan = ee_json_scan_of((ee_str){start, (size_t)(end - start)});
  const char *at = find_open_bracket(start, end, second);
  for (bool first = true;; first = false) {
    ee_arena_mark mark = ee_arena_get_mark(&arena);
    ee_str source;
    bool done;
    at = ee_json_next_member(&scan, at, first, &source, &done);
    bool same = ee_str_equal(read_key(&arena, source.data - 1, end), key);
    ee_arena_rewind(&arena, mark);
    if (same) {
      size_t line = ee_yaml_seek_byte(cursor, source.data - 1).line;
      char shown[64];
      ee_yaml_fail(error, ee_yaml_seek_byte(cursor, second), "duplicate key '%s' (first on line %zu)",
                   ee_yaml_shown(key, shown), line);
      break;
    }
    at = ee_json_skip_value(&scan, at);
  }
  ee_arena_fini(&arena);
}

ee_yaml_json ee_yaml_read_json(ee_arena *arena, ee_str text, ee_yaml_cursor *cursor, ee_yaml_places *places,
                               ee_value **root, ee_error *error) {
  /* Most YAML is told from JSON by its first character, before memory is taken. */
  const char *end = text.data + text.length, *at = ee_json_skip_space(text.data, end);
  if (at == end || memchr("{[\"-0123456789tfn", *at, 17) == NULL) return EE_YAML_NO_JSON;
  duplicate second = {0};
  ee_json_options options = {on_duplicate, &second};
  ee_arena_mark mark = ee_arena_get_mark(arena);
  *root = ee_json_read(arena, text, &options, NULL);
  if (*root == NULL) {
    ee_arena_rewind(arena, mark);
    return EE_YAML_NO_JSON;
  }
  if (!second.found) return note_places(arena, *root, cursor, places, error) ? EE_YAML_IS_JSON : EE_YAML_BAD_JSON;
  report_duplicate(cursor, second.offset, error);
  return EE_YAML_BAD_JSON;
}
