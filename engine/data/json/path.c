/* path.c: parses paths, follows them and writes them. */
#include "data/json/path.h"

#include "base/error.h"
#include "base/list.h"
#include "data/json/json_scan.h"

#define FIRST_TEXT_CAPACITY 128

typedef struct parser {
  ee_path *path;
  ee_step *steps;
  ee_str text;
  size_t at;
  char *pool; /* for keys with escapes; together they are no longer than the text */
  ee_error *error;
} parser;

static bool is_mark(char c) { return c == '.' || c == '[' || c == ']'; }

static bool fail(parser *p, size_t at, const char *message) {
  ee_error_at(p->error, EE_ERROR_RULES, NULL, 0, at + 1, "%s in path '%.*s'", message, (int)ee_utf8_cut(p->text, 200),
              p->text.data);
  if (p->error != NULL) p->error->offset = at;
  return false;
}

static void add_step(parser *p, ee_step step) { p->steps[p->path->count++] = step; }

/* A whole number without leading zeros that fits an index. */
static bool read_index(ee_str text, uint32_t *index) {
  if (text.length == 0 || text.length > 10 || (text.length > 1 && text.data[0] == '0')) return false;
  uint64_t value = 0;
  for (size_t i = 0; i < text.length; i++) {
    if (!ee_json_is_digit(text.data[i])) return false;
    value = value * 10 + (uint64_t)(text.data[i] - '0');
  }
  *index = (uint32_t)value;
  return value <= UINT32_MAX;
}

static void add_key_or_index(parser *p, ee_str key) {
  ee_step step = {EE_STEP_KEY, key, 0};
  if (read_index(key, &step.index)) step.kind = EE_STEP_KEY_OR_INDEX;
  add_step(p, step);
}

/* A step between dots. */
static bool parse_name(parser *p) {
  size_t start = p->at;
  while (p->at < p->text.length && !is_mark(p->text.data[p->at])) p->at++;
  if (p->at < p->text.length && p->text.data[p->at] == ']') return fail(p, p->at, "']' without '['");
  if (p->at == start) return fail(p, start, "empty step");
  add_key_or_index(p, (ee_str){p->text.data + start, p->at - start});
  return true;
}

/* ["key"] or ['key']; a backslash escapes the quote and itself. */
static bool parse_quoted(parser *p, size_t opening) {
  char quote = p->text.data[p->at++];
  char *key = p->pool;
  size_t length = 0;
  for (;; p->at++) {
    if (p->at == p->text.length) return fail(p, opening, "unclosed quote after '['");
    char c = p->text.data[p->at];
    if (c == quote) break;
    if (c == '\\') {
      p->at++;
      if (p->at == p->text.length) return fail(p, opening, "unclosed quote after '['");
      c = p->text.data[p->at];
      if (c != quote && c != '\\') return fail(p, p->at - 1, "unknown escape in key");
    }
    key[length++] = c;
  }
  p->at++;
  key[length] = '\0';
  p->pool += length + 1;
  add_step(p, (ee_step){EE_STEP_KEY, {key, length}, 0});
  if (p->at == p->text.length) return fail(p, opening, "unclosed '['");
  if (p->text.data[p->at] != ']') return fail(p, p->at, "expected ']' after the quoted key");
  p->at++;
  return true;
}

static bool parse_bracket(parser *p) {
  size_t opening = p->at++;
  if (p->at < p->text.length && (p->text.data[p->at] == '"' || p->text.data[p->at] == '\'')) {
    return parse_quoted(p, opening);
  }
  const char *inside = p->text.data + p->at;
  const char *closing = memchr(inside, ']', p->text.length - p->at);
  if (closing == NULL) return fail(p, opening, "unclosed '['");
  ee_str content = {inside, (size_t)(closing - inside)};
  ee_step step = {EE_STEP_INDEX, {NULL, 0}, 0};
  if (ee_str_is(content, "*")) {
    step.kind = EE_STEP_ALL;
    p->path->wildcards += 1;
  } else if (!read_index(content, &step.index)) {
    return fail(p, opening + 1, "expected an index, '*' or a quoted key");
  }
  add_step(p, step);
  p->at += content.length + 1;
  return true;
}

static bool parse_dotted(parser *p) {
  for (;;) {
    if (p->at < p->text.length && p->text.data[p->at] == '[') {
      if (!parse_bracket(p)) return false;
    } else if (!parse_name(p)) {
      return false;
    }
    if (p->at == p->text.length) return true;
    char c = p->text.data[p->at];
    if (c == '[') continue;
    if (c != '.') return fail(p, p->at, c == ']' ? "']' without '['" : "expected '.' or '['");
    p->at++;
    if (p->at < p->text.length && p->text.data[p->at] == '[') return fail(p, p->at, "empty step");
  }
}

/* RFC 6901: ~0 is '~', ~1 is '/'. */
static bool parse_pointer(parser *p) {
  while (p->at < p->text.length) {
    p->at++; /* the '/' */
    char *key = p->pool;
    size_t length = 0;
    for (; p->at < p->text.length && p->text.data[p->at] != '/'; p->at++) {
      char c = p->text.data[p->at];
      if (c == '~') {
        char next = p->at + 1 < p->text.length ? p->text.data[p->at + 1] : '\0';
        if (next != '0' && next != '1') return fail(p, p->at, "expected '0' or '1' after '~'");
        c = next == '0' ? '~' : '/';
        p->at++;
      }
      key[length++] = c;
    }
    key[length] = '\0';
    p->pool += length + 1;
    add_key_or_index(p, (ee_str){key, length});
  }
  return true;
}

const ee_path *ee_path_parse(ee_arena *arena, ee_str text, ee_error *error) {
  ee_path *path = EE_NEW(arena, ee_path);
  path->text = (ee_str){ee_arena_copy(arena, text.length > 0 ? text.data : "", text.length), text.length};
  parser p = {path, NULL, path->text, 0, NULL, error};
  size_t valid = ee_utf8_valid_prefix(p.text.data, p.text.length);
  if (p.text.length == 0) {
    ee_error_at(error, EE_ERROR_RULES, NULL, 0, 1, "empty path");
    return NULL;
  }
  if (valid != p.text.length) {
    ee_error_at(error, EE_ERROR_RULES, NULL, 0, valid + 1, "invalid UTF-8 in path");
    return NULL;
  }
  if (ee_str_is(p.text, "$")) return path; /* no step */
  /* Each step begins with '.', '[' or '/', or is the first. */
  size_t steps = 1;
  for (size_t i = 0; i < p.text.length; i++) steps += is_mark(p.text.data[i]) || p.text.data[i] == '/';
  p.steps = EE_NEW_ARRAY(arena, ee_step, steps);
  p.pool = ee_arena_alloc(arena, p.text.length + 1);
  path->steps = p.steps;
  return (p.text.data[0] == '/' ? parse_pointer(&p) : parse_dotted(&p)) ? path : NULL;
}

const ee_value *ee_path_get_steps(const ee_path *path, size_t from, size_t to, const ee_value *root, ee_arena *arena) {
  const ee_value *value = root;
  for (size_t i = from; i < to && value != NULL; i++) {
    const ee_step *step = &path->steps[i];
    switch (step->kind) { /* unreached: all are listed */
    case EE_STEP_KEY: value = ee_value_member(value, step->key, arena); break;
    case EE_STEP_INDEX: value = ee_value_element(value, step->index); break;
    case EE_STEP_KEY_OR_INDEX:
      value = ee_type_of(value) == EE_ARRAY ? ee_value_element(value, step->index)
                                            : ee_value_member(value, step->key, arena);
      break;
    case EE_STEP_ALL: value = NULL; break;
    }
  }
  return value;
}

/* The array of the values at `path` and its others. */
static const ee_value *get_all(const ee_path *path, const ee_value *root, ee_arena *arena) {
  ee_value *all = NULL;
  for (size_t i = 0; i <= path->other_count; i++) {
    const ee_path *one = i == 0 ? path : path->others[i - 1];
    const ee_value *found = ee_path_get_steps(one, 0, one->count, root, arena);
    if (ee_type_of(found) <= EE_NULL) continue;
    if (all == NULL) all = ee_value_new(arena, EE_ARRAY);
    ee_value *copy = EE_NEW(arena, ee_value);
    *copy = *found;
    ee_value_append(all, copy);
  }
  return all;
}

const ee_value *ee_path_get(const ee_path *path, const ee_value *root, ee_arena *arena) {
  if (path->other_count > 0) return get_all(path, root, arena);
  return ee_path_get_steps(path, 0, path->count, root, arena);
}

/* Texts of paths ------------------------------------------------------------------------------- */

static char *room_for(ee_path_text *path, size_t extra) {
  if (path->data == NULL || path->capacity - path->length < extra) {
    if (extra < FIRST_TEXT_CAPACITY) extra = FIRST_TEXT_CAPACITY;
    path->data = ee_list_grow(path->arena, path->data, path->length, &path->capacity, extra, 1);
  }
  return path->data + path->length;
}

/* Whether a key has a character that means something in a path, or would make the path a JSON Pointer. */
static bool needs_quotes(const ee_path_text *path, ee_str key) {
  if (key.length == 0) return true;
  if (path->length == 0 && (key.data[0] == '/' || ee_str_is(key, "$"))) return true;
  for (size_t i = 0; i < key.length; i++) {
    if (key.data[i] == '.' || key.data[i] == '[' || key.data[i] == ']') return true;
  }
  return false;
}

static void add_quoted(ee_path_text *path, ee_str key) {
  char *start = room_for(path, 2 * key.length + 4), *out = start;
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
  char *out = room_for(path, key.length + 1);
  if (path->length > 0) {
    *out++ = '.';
    path->length++;
  }
  memcpy(out, key.data, key.length);
  path->length += key.length;
}

static void add_index(ee_path_text *path, bool extra, uint32_t index) {
  char *start = room_for(path, 23), *out = start;
  *out++ = '[';
  if (extra) *out++ = '+';
  char digits[10];
  size_t count = 0;
  do {
    digits[count++] = (char)('0' + index % 10);
    index /= 10;
  } while (index != 0);
  while (count > 0) *out++ = digits[--count];
  *out++ = ']';
  path->length += (size_t)(out - start);
}

void ee_path_text_add_index(ee_path_text *path, uint32_t index) { add_index(path, false, index); }
void ee_path_text_add_extra(ee_path_text *path, uint32_t index) { add_index(path, true, index); }

void ee_path_text_add_all(ee_path_text *path) {
  memcpy(room_for(path, 3), "[*]", 3);
  path->length += 3;
}

ee_str ee_path_text_of(const ee_path *path, ee_arena *arena) {
  ee_path_text text = {.arena = arena};
  for (size_t i = 0; i < path->count; i++) {
    const ee_step *step = &path->steps[i];
    switch (step->kind) { /* unreached: all are listed */
    case EE_STEP_KEY:
    case EE_STEP_KEY_OR_INDEX: ee_path_text_add_key(&text, step->key); break;
    case EE_STEP_INDEX: ee_path_text_add_index(&text, step->index); break;
    case EE_STEP_ALL: ee_path_text_add_all(&text); break;
    }
  }
  return ee_path_text_get(&text);
}
