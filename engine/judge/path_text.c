/* path_text.c: keys and indices as the text of a path. */
#include "judge/path_text.h"

#include "judge/findings.h"

/* Room for `extra` more bytes. */
static char *reserve(ee_path_text *path, size_t extra) {
  if (path->capacity - path->length >= extra) return path->data + path->length;
  size_t capacity = path->capacity < 64 ? 128 : path->capacity * 2;
  while (capacity - path->length < extra) capacity *= 2;
  char *data = ee_arena_alloc(path->arena, capacity);
  if (path->length > 0) memcpy(data, path->data, path->length);
  path->data = data;
  path->capacity = capacity;
  return data + path->length;
}

/* A key that holds a mark of the path's own, or begins it as a JSON Pointer would, stands in quotes. */
static bool needs_quotes(const ee_path_text *path, ee_str key) {
  if (key.length == 0) return true;
  if (path->length == 0 && key.data[0] == '/') return true;
  for (size_t i = 0; i < key.length; i++) {
    if (key.data[i] == '.' || key.data[i] == '[' || key.data[i] == ']') return true;
  }
  return false;
}

static void add_quoted(ee_path_text *path, ee_str key) {
  char *start = reserve(path, 2 * key.length + 4), *out = start;
  *out++ = '[';
  *out++ = '"';
  for (size_t i = 0; i < key.length; i++) {
    if (key.data[i] == '"' || key.data[i] == '\\') *out++ = '\\';
    *out++ = key.data[i];
  }
  *out++ = '"';
  *out++ = ']';
  path->length += (size_t)(out - start);
}

void ee_path_text_add_key(ee_path_text *path, ee_str key) {
  if (needs_quotes(path, key)) {
    add_quoted(path, key);
    return;
  }
  char *out = reserve(path, key.length + 1);
  if (path->length > 0) {
    *out++ = '.';
    path->length++;
  }
  memcpy(out, key.data, key.length);
  path->length += key.length;
}

static void add_index(ee_path_text *path, bool extra, uint32_t index) {
  char *start = reserve(path, 23), *out = start;
  *out++ = '[';
  if (extra) *out++ = '+';
  out = ee_findings_number(out, index);
  *out++ = ']';
  path->length += (size_t)(out - start);
}

void ee_path_text_add_index(ee_path_text *path, uint32_t index) { add_index(path, false, index); }
void ee_path_text_add_extra(ee_path_text *path, uint32_t index) { add_index(path, true, index); }

void ee_path_text_add_all(ee_path_text *path) {
  memcpy(reserve(path, 3), "[*]", 3);
  path->length += 3;
}

ee_str ee_path_text_of(const ee_path *path, ee_arena *arena) {
  ee_path_text text = {.arena = arena};
  for (size_t i = 0; i < path->count; i++) {
    const ee_step *step = &path->steps[i];
    switch (step->kind) {
    case EE_STEP_KEY:
    case EE_STEP_KEY_OR_INDEX: ee_path_text_add_key(&text, step->key); break;
    case EE_STEP_INDEX: ee_path_text_add_index(&text, step->index); break;
    case EE_STEP_ALL: ee_path_text_add_all(&text); break;
    }
  }
  return ee_path_text_get(&text);
}
