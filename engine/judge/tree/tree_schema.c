/* tree_schema.c: the type that a JSON Schema declares for a place, for strategies by type and format.
 *
 * It does not validate: it only follows `properties`, `additionalProperties` and `items` down to the place, through
 * `$ref` within the document, `allOf`, `anyOf` and `oneOf`. The first `type` that is not "null" counts, and the first
 * `format`. */
#include "base/work.h"
#include "data/json/json_reader.h"
#include "data/schema/schema_uri.h"
#include "judge/tree/tree.h"

#define SUBJECT "ee.tree"
#define FOLLOW_WORK 50

/* A step of a JSON Pointer with ~0 and ~1 decoded; `*at` moves after it. */
static ee_str next_step(ee_str pointer, size_t *at, ee_arena *arena) {
  size_t from = ++*at;
  while (*at < pointer.length && pointer.data[*at] != '/') ++*at;
  char *step = ee_arena_copy(arena, pointer.data + from, *at - from);
  size_t length = 0;
  for (size_t i = from; i < *at; i++) {
    char c = pointer.data[i];
    if (c == '~' && i + 1 < *at && (pointer.data[i + 1] == '0' || pointer.data[i + 1] == '1'))
      c = pointer.data[++i] == '0' ? '~' : '/';
    step[length++] = c;
  }
  return (ee_str){step, length};
}

/* The element that a step names: digits without a leading zero. */
static const ee_value *element_of(const ee_value *array, ee_str step) {
  size_t index = 0;
  if (step.length == 0 || step.length > 9 || (step.length > 1 && step.data[0] == '0')) return NULL;
  for (size_t i = 0; i < step.length; i++) {
    if (step.data[i] < '0' || step.data[i] > '9') return NULL;
    index = index * 10 + (size_t)(step.data[i] - '0');
  }
  return ee_value_element(array, index);
}

/* The schema that "#/..." leads to, or NULL. The pointer is part of a URI, which may have %XX (RFC 6901, section 6). */
static const ee_value *follow(const ee_value *root, ee_str ref, ee_arena *arena) {
  if (ref.length == 0 || ref.data[0] != '#') return NULL;
  ee_str pointer = ee_uri_decode(arena, (ee_str){ref.data + 1, ref.length - 1});
  const ee_value *at = root;
  for (size_t i = 0; i < pointer.length && at != NULL;) {
    if (pointer.data[i] != '/') return NULL; /* an anchor */
    ee_str step = next_step(pointer, &i, arena);
    at = ee_type_of(at) == EE_ARRAY ? element_of(at, step) : ee_value_member(at, step, NULL);
  }
  return pointer.data != NULL ? at : NULL;
}

/* Adds a schema and what it refers to, each once, as far as there is room: so references and alternatives in each other
 * end. */
static void add_schema(const ee_value *root, const ee_value *schema, ee_tree_schemas *out, ee_arena *arena) {
  static const char *const lists[] = {"allOf", "anyOf", "oneOf"};
  if (ee_type_of(schema) != EE_OBJECT || out->count == EE_TREE_SCHEMAS) return;
  ee_work(FOLLOW_WORK);
  for (size_t i = 0; i < out->count; i++)
    if (out->items[i] == schema) return;
  out->items[out->count++] = schema;
  const ee_value *ref = ee_value_member(schema, EE_STR("$ref"), NULL);
  if (ee_type_of(ref) == EE_STRING) add_schema(root, follow(root, ee_value_text(ref), arena), out, arena);
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    const ee_value *list = ee_value_member(schema, ee_str_from(lists[i]), NULL);
    if (ee_type_of(list) != EE_ARRAY) continue;
    for (const ee_value *one = ee_value_child(list); one != NULL; one = ee_value_next(one))
      add_schema(root, one, out, arena);
  }
}

void ee_tree_schemas_of(const ee_tree *tree, const ee_tree_place *place, ee_tree_schemas *out, ee_arena *arena) {
  *out = (ee_tree_schemas){.count = 0};
  if (place->parent == NULL) {
    add_schema(tree->schema, tree->schema, out, arena);
    return;
  }
  const ee_tree_schemas *outer = place->parent->schemas;
  for (size_t i = 0; outer != NULL && i < outer->count; i++) {
    const ee_value *inner = NULL;
    if (place->is_item) {
      inner = ee_value_member(outer->items[i], EE_STR("items"), NULL);
    } else {
      const ee_value *properties = ee_value_member(outer->items[i], EE_STR("properties"), NULL);
      inner = ee_value_member(properties, place->key, NULL);
      if (inner == NULL) inner = ee_value_member(outer->items[i], EE_STR("additionalProperties"), NULL);
    }
    add_schema(tree->schema, inner, out, arena);
  }
}

/* The type of a name; -1: another name. */
static int type_of_name(ee_str name) {
  for (int i = 0; i < EE_TREE_TYPES; i++)
    if (i != EE_TREE_NULL && ee_str_is(name, ee_tree_type_names[i])) return i;
  return -1;
}

/* The first type that is not null; -1: none is declared. */
static int declared_type(const ee_tree_schemas *schemas) {
  for (size_t i = 0; i < schemas->count; i++) {
    const ee_value *type = ee_value_member(schemas->items[i], EE_STR("type"), NULL);
    const ee_value *one = ee_type_of(type) == EE_ARRAY ? ee_value_child(type) : type;
    for (; one != NULL; one = type == one ? NULL : ee_value_next(one)) {
      int found = ee_type_of(one) == EE_STRING ? type_of_name(ee_value_text(one)) : -1;
      if (found >= 0) return found;
    }
  }
  return -1;
}

const ee_tree_leaf *ee_tree_leaf_by_schema(const ee_tree *tree, const ee_tree_schemas *schemas) {
  for (size_t i = 0; i < schemas->count && tree->format_count > 0; i++) {
    const ee_value *format = ee_value_member(schemas->items[i], EE_STR("format"), NULL);
    if (ee_type_of(format) != EE_STRING) continue;
    for (size_t k = 0; k < tree->format_count; k++)
      if (ee_str_equal(tree->formats[k].format, ee_value_text(format))) return &tree->formats[k];
  }
  int type = declared_type(schemas);
  if (type == EE_TREE_INTEGER && tree->by_type[EE_TREE_INTEGER] == NULL) type = EE_TREE_NUMBER;
  return type >= 0 ? tree->by_type[type] : NULL;
}

/* The rule file -------------------------------------------------------------------------------- */

static const ee_value *read_file(ee_plan_builder *builder, const ee_rule_node *node, ee_str name) {
  const char *path = ee_compile_file_path(builder, node, "schema of " SUBJECT, name);
  if (path == NULL) return NULL;
  ee_buffer text;
  ee_buffer_init(&text);
  ee_value *document = NULL;
  if (ee_compile_read_file(builder, node, "schema of " SUBJECT, path, &text)) {
    ee_error error = {0};
    document = ee_json_read(builder->arena, (ee_str){text.data, text.length}, NULL, &error);
    if (document == NULL) {
      ee_error_at(&error, EE_ERROR_RULES, path, error.line, error.column, "%s", error.message);
      ee_error_list_add(builder->errors, &error);
    }
  }
  ee_buffer_fini(&text);
  return document;
}

const ee_value *ee_tree_schema_compile(ee_plan_builder *builder, const ee_rule_node *node) {
  ee_rule_value value = ee_rule_node_get(node, "schema");
  const ee_value *schema = NULL;
  if (value.type == EE_RULE_TEXT) {
    schema = read_file(builder, node, value.text);
  } else if (value.type == EE_RULE_TABLE) {
    const char *why = NULL;
    schema = ee_rule_node_to_value(builder->arena, value.node, &why);
    if (schema == NULL) ee_compile_error(builder, node, "schema of " SUBJECT ": %s", why);
  }
  if (schema != NULL && ee_type_of(schema) != EE_OBJECT) {
    ee_compile_error(builder, node, "schema of " SUBJECT " must be an object, got %s", ee_value_describe(schema));
    return NULL;
  }
  if (schema != NULL) ee_value_freeze((ee_value *)schema, builder->arena);
  return schema;
}
