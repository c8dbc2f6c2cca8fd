/* fuzz_path.c: paths as a rule file or a command line writes them, walked through a document.
 *
 * The first line is a path or a JSONPath query, the rest a document. What is parsed has the same steps when its text is
 * made of it again; the path that is written for a node of the document finds that node. */
#include "data/files/record.h"
#include "data/json/json_reader.h"
#include "fuzz/fuzz.h"

static void check_same(const ee_path *a, const ee_path *b) {
  fuzz_require(b != NULL && a->count == b->count && a->wildcards == b->wildcards);
  for (size_t i = 0; i < a->count; i++) {
    const ee_step *x = &a->steps[i], *y = &b->steps[i];
    bool key = x->kind == EE_STEP_KEY || x->kind == EE_STEP_KEY_OR_INDEX;
    if (key) fuzz_require(ee_str_equal(x->key, y->key));
    if (x->kind == EE_STEP_INDEX) fuzz_require(y->kind == EE_STEP_INDEX && x->index == y->index);
    if (x->kind == EE_STEP_ALL) fuzz_require(y->kind == EE_STEP_ALL);
  }
}

static void check_path(ee_str text, const ee_value *root, ee_arena *arena) {
  ee_error error = {0};
  const ee_path *path = ee_path_parse(arena, text, &error);
  if (path == NULL) {
    fuzz_require(error.column >= 1 && error.column <= text.length + 1 && error.message[0] != '\0');
  } else {
    fuzz_require(path->count >= 1 || path->query != NULL || ee_str_is(text, "$"));
    fuzz_require(ee_str_equal(path->text, text));
    if (path->query != NULL) {
      const ee_value *one = ee_path_get(path, root, arena), *all = ee_path_get_array(path, root, arena);
      fuzz_require((one == NULL) == (all == NULL));
    }
    ee_str again = ee_path_text_of(path, arena);
    if (again.length > 0) check_same(path, ee_path_parse(arena, again, NULL));
    if (path->wildcards == 0 || path->query != NULL) (void)ee_path_get(path, root, arena);
    for (size_t from = 0; path->wildcards > 0 && from < path->count;) {
      size_t to = from;
      while (to < path->count && path->steps[to].kind != EE_STEP_ALL) to++;
      (void)ee_path_get_steps(path, from, to, root, arena);
      from = to + 1;
    }
  }
  path = ee_record_path_parse(arena, text, &error);
  if (path != NULL) (void)ee_path_get(path, root, arena);
}

static void check_node(const ee_value *node, const ee_value *root, ee_path_text *text) {
  if (text->length > 0) {
    const ee_path *path = ee_path_parse(text->arena, ee_path_text_get(text), NULL);
    fuzz_require(path != NULL && ee_path_get(path, root, text->arena) == node);
  }
  ee_type type = ee_type_of(node);
  size_t length = text->length;
  uint32_t index = 0;
  if (type != EE_OBJECT && type != EE_ARRAY) return;
  for (const ee_value *child = ee_value_child(node); child != NULL && index < 20; child = ee_value_next(child)) {
    if (type == EE_OBJECT)
      ee_path_text_add_key(text, ee_value_key(child));
    else
      ee_path_text_add_index(text, index);
    check_node(child, root, text);
    text->length = length;
    index++;
  }
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  fuzz_source source = fuzz_source_of(data, size);
  ee_str line = fuzz_line(&source);
  const ee_value *root = ee_json_read(&arena, fuzz_rest(&source), NULL, NULL);
  check_path(line, root, &arena);
  ee_path_text text = {.arena = &arena};
  if (root != NULL) check_node(root, root, &text);
  ee_arena_fini(&arena);
  return 0;
}

EE_FUZZ_TARGET(2048)
