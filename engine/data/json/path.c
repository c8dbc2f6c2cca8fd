/* path.c: parses paths, follows them and writes them. */
#include "data/json/path.h"

#include "base/error.h"
#include "base/list.h"
#include "data/json/json_query.h"
#include "data/json/json_scan.h"

#define FIRST_TEXT_CAPACITY 128

typedef struct parser {
  ee_arena *arena;
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

/* Queries: one of keys, indices and [*] has steps like any other path. */
static void query_key(void *user, ee_str key) { add_step(user, (ee_step){EE_STEP_KEY, key, 0}); }
static void query_index(void *user, uint32_t index) { add_step(user, (ee_step){EE_STEP_INDEX, {NULL, 0}, index}); }
static void query_all(void *user) {
  parser *p = user;
  add_step(p, (ee_step){EE_STEP_ALL, {NULL, 0}, 0});
  p->path->wildcards++;
}

/* "$." or "$[", with white space between, as the RFC allows. */
static bool is_query(ee_str text) {
  size_t at = 1;
  while (at < text.length && ee_json_is_space(text.data[at])) at++;
  return text.data[0] == '$' && at < text.length && (text.data[at] == '.' || text.data[at] == '[');
}

static bool parse_query(parser *p) {
  const ee_query_steps steps = {query_key, query_index, query_all, p};
  const ee_json_query *query = ee_json_query_parse(p->arena, p->text, p->error);
  if (query == NULL) return false;
  bool all = ee_json_query_walk(query, &steps);
  if (!all) p->path->count = p->path->wildcards = 0;
  if (!all || p->path->wildcards > 0) p->path->query = query;
  return true;
}

const ee_path *ee_path_parse(ee_arena *arena, ee_str text, ee_error *error) {
  ee_path *path = EE_NEW(arena, ee_path);
  path->text = (ee_str){ee_arena_copy(arena, text.length > 0 ? text.data : "", text.length), text.length};
  parser p = {.arena = arena, .path = path, .text = path->text, .error = error};
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
  if (is_query(p.text)) return parse_query(&p) ? path : NULL;
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

static void append_copy(ee_value *array, const ee_value *value, ee_arena *arena) {
  ee_value *copy = EE_NEW(arena, ee_value);
  *copy = *value;
  ee_value_append(array, copy);
}

/* What the query finds: nothing (NULL), the value if it is one that need not be in an array, else an array. */
static const ee_value *get_query(const ee_json_query *query, bool as_array, const ee_value *root, ee_arena *arena) {
  ee_query_nodes nodes = {0};
  ee_json_query_find(query, root, arena, &nodes);
  if (nodes.count == 0) return NULL;
  if (nodes.count == 1 && !as_array) return nodes.items[0].value;
  ee_value *array = ee_value_new(arena, EE_ARRAY);
  for (size_t i = 0; i < nodes.count; i++) append_copy(array, nodes.items[i].value, arena);
  return array;
}

/* The array of the values at `path` and its others. */
static const ee_value *get_all(const ee_path *path, const ee_value *root, ee_arena *arena) {
  ee_value *all = NULL;
  for (size_t i = 0; i <= path->other_count; i++) {
    const ee_path *one = i == 0 ? path : path->others[i - 1];
    const ee_value *found = one->query != NULL ? get_query(one->query, false, root, arena)
                                               : ee_path_get_steps(one, 0, one->count, root, arena);
    if (ee_type_of(found) <= EE_NULL) continue;
    if (all == NULL) all = ee_value_new(arena, EE_ARRAY);
    append_copy(all, found, arena);
  }
  return all;
}

const ee_value *ee_path_get(const ee_path *path, const ee_value *root, ee_arena *arena) {
  if (path->other_count > 0) return get_all(path, root, arena);
  if (path->query != NULL) return get_query(path->query, false, root, arena);
  /* Most paths of records and many of fields are one key. */
  if (path->count == 1 && path->steps->kind == EE_STEP_KEY) return ee_value_member(root, path->steps->key, arena);
  return ee_path_get_steps(path, 0, path->count, root, arena);
}

const ee_value *ee_path_get_array(const ee_path *path, const ee_value *root, ee_arena *arena) {
  if (path->query == NULL || path->other_count > 0) return ee_path_get(path, root, arena);
  return get_query(path->query, !ee_json_query_is_singular(path->query), root, arena);
}

/* Texts of paths ------------------------------------------------------------------------------- */

static char *room_for(ee_path_text *path, size_t extra) {
  if (path->data == NULL || path->capacity - path->length < extra) {
    if (extra < FIRST_TEXT_CAPACITY) extra = FIRST_TEXT_CAPACITY;
    path->data = ee_list_grow(path->arena, path->data, path->length, &path->capacity, extra, 1);
  }
  return path->data + path->length;
}

/* Whether a key has a character that means something in a path, or would make the path a JSON Pointer or a query. */
static bool needs_quotes(const ee_path_text *path, ee_str key) {
  if (key.length == 0) return true;
  if (path->length == 0 && key.data[0] == '/') return true;
  if (path->length == 0 && key.data[0] == '$') {
    size_t spaces = 1;
    while (spaces < key.length && ee_json_is_space(key.data[spaces])) spaces++;
    if (spaces == key.length) return true;
  }
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
