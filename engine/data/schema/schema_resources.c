/* schema_resources.c: documents, and what references can name in them: resources, anchors, places. */
#include <stdio.h>

#include "data/schema/schema_compiler.h"
#include "data/schema/schema_uri.h"

/* Elements of a $ref's array up to which it is walked. */
#define SHORT_ARRAY 16
/* Metaschemas that name each other in $schema. */
#define METASCHEMAS_MAX 4

/* Names ---------------------------------------------------------------------------------------- */

static uint64_t hash_of(ee_str text, uint64_t seed) { return ee_hash_bytes(text.data, text.length, seed); }

static ee_schema_resource *find_name(const ee_schema_compiler *self, ee_str uri) {
  size_t at = 0, number;
  while (ee_hash_index_next(&self->names_index, hash_of(uri, 0), &at, &number))
    if (ee_str_equal(self->names.items[number].uri, uri)) /* unreached: two URIs of one hash */
      return self->names.items[number].resource;
  return NULL;
}

/* Of two resources with one name the first keeps it. */
static void add_name(ee_schema_compiler *self, ee_str uri, ee_schema_resource *resource) {
  if (uri.length == 0 || find_name(self, uri) != NULL) return;
  ee_hash_index_add(&self->names_index, hash_of(uri, 0), self->names.count);
  *EE_LIST_ADD(&self->names, self->arena) = (ee_schema_name){uri, resource};
}

static ee_schema_anchor *find_anchor(const ee_schema_compiler *self, const ee_schema_resource *resource, ee_str name) {
  size_t at = 0, number;
  while (ee_hash_index_next(&self->anchors_index, hash_of(name, resource->number), &at, &number)) {
    ee_schema_anchor *anchor = &self->anchors.items[number];
    if (anchor->target.resource != resource) continue;
    if (ee_str_equal(anchor->name, name)) return anchor; /* unreached: two anchors of one hash */
  }
  return NULL;
}

static void add_anchor(ee_schema_compiler *self, ee_str name, const ee_schema_target *target, bool is_dynamic) {
  ee_schema_anchor anchor = {name, *target, is_dynamic};
  if (is_dynamic) *EE_LIST_ADD(&target->resource->dynamic, self->arena) = anchor;
  ee_schema_anchor *other = find_anchor(self, target->resource, name);
  if (other != NULL) {
    /* $anchor and $dynamicAnchor of one schema may have one name. */
    if (other->target.value == target->value)
      other->is_dynamic |= is_dynamic;
    else if (target->resource->dialect.draft <= EE_DRAFT_2019_09)
      ee_schema_mistake(self, target->place, "duplicate anchor '%.*s'", ee_schema_shown(name), name.data);
    return;
  }
  ee_hash_index_add(&self->anchors_index, hash_of(name, target->resource->number), self->anchors.count);
  *EE_LIST_ADD(&self->anchors, self->arena) = anchor;
}

static ee_schema_resource *add_resource(ee_schema_compiler *self, const ee_value *root, const ee_schema_place *place,
                                        const ee_schema_document *document, ee_schema_dialect dialect) {
  ee_schema_resource *resource = EE_NEW(self->arena, ee_schema_resource);
  resource->number = (uint32_t)self->resources.count;
  resource->root = root;
  resource->place = place;
  resource->document = document;
  resource->dialect = dialect;
  *EE_LIST_ADD(&self->resources, self->arena) = resource;
  return resource;
}

/* Dialects ------------------------------------------------------------------------------------- */

static const ee_value *text_member(const ee_value *object, const char *name) {
  const ee_value *found = ee_value_member(object, ee_str_from(name), NULL);
  return ee_type_of(found) == EE_STRING ? found : NULL;
}

/* The dialect of a metaschema's `uri`; false if it is not known. */
static bool find_dialect(ee_schema_compiler *self, ee_schema_resource *from, ee_str uri, const ee_schema_place *place,
                         ee_schema_dialect *dialect) {
  ee_schema_draft draft;
  if (ee_schema_draft_find(uri, &draft)) {
    *dialect = ee_schema_dialect_of(draft, self->options->formats);
    return true;
  }
  ee_str fragment;
  uri = ee_uri_split(uri, &fragment);
  if (self->metaschemas >= METASCHEMAS_MAX || fragment.length > 0 || !ee_uri_is_absolute(uri)) return false;
  self->metaschemas++;
  const char *why;
  const ee_schema_resource *metaschema = ee_schema_find_resource(self, from, uri, &why);
  self->metaschemas--;
  if (metaschema == NULL) return false;
  ee_schema_dialect found = ee_schema_dialect_of(metaschema->dialect.draft, self->options->formats);
  ee_str unknown;
  if (!ee_schema_vocabularies_read(metaschema->root, &found, &unknown))
    ee_schema_mistake(self, place, "requires the vocabulary '%.*s', which is not known", ee_schema_shown(unknown),
                      unknown.data);
  *dialect = found;
  return true;
}

/* What `key` ($schema) says about the dialect of a resource. */
static void read_dialect(ee_schema_compiler *self, ee_schema_resource *resource, const char *key) {
  const ee_value *uri = text_member(resource->root, key);
  if (uri == NULL) return;
  const ee_schema_place *place = ee_schema_place_below(self->arena, resource->place, ee_value_key(uri));
  if (find_dialect(self, resource, ee_value_text(uri), place, &resource->dialect)) return;
  bool is_03 = strstr(uri->json.valuestring, "json-schema.org/draft-03/") != NULL;
  if (is_03) resource->dialect = ee_schema_dialect_of(EE_DRAFT_04, self->options->formats);
  ee_schema_warn(self, place, "unknown dialect, treated as %s", ee_schema_draft_name(resource->dialect.draft));
}

/* Schemas -------------------------------------------------------------------------------------- */

static bool ignores_siblings(const ee_schema_resource *resource, const ee_value *schema) {
  return resource->dialect.draft >= EE_DRAFT_07 && text_member(schema, "$ref") != NULL;
}

/* Gives the resource that `schema` is the root of, because of its $id; else `resource`. */
static ee_schema_resource *read_id(ee_schema_compiler *self, const ee_value *schema, const ee_schema_place *place,
                                   ee_schema_resource *resource) {
  bool is_root = schema == resource->root;
  ee_schema_resource *own = resource;
  const ee_value *dialect = is_root ? NULL : text_member(schema, "$schema");
  ee_schema_draft draft = resource->dialect.draft;
  if (dialect != NULL) ee_schema_draft_find(ee_value_text(dialect), &draft);
  const ee_value *id = draft == EE_DRAFT_OPENAPI_30 ? NULL : text_member(schema, draft == EE_DRAFT_04 ? "id" : "$id");
  if (id == NULL || ignores_siblings(resource, schema)) return resource;
  const ee_schema_place *id_place = ee_schema_place_below(self->arena, place, ee_value_key(id));
  ee_str fragment, uri = ee_uri_split(ee_uri_resolve(self->arena, resource->uri, ee_value_text(id)), &fragment);
  bool is_anchor = fragment.length > 0 && fragment.data[0] != '/';
  if (fragment.length > 0 && draft <= EE_DRAFT_2019_09) {
    ee_schema_mistake(self, id_place, "'$id' has a fragment ('$anchor' names a part)");
    is_anchor = false;
  }
  if (is_root) {
    resource->uri = uri;
  } else if (!ee_str_equal(uri, resource->uri)) {
    own = add_resource(self, schema, place, resource->document, resource->dialect);
    own->uri = uri;
  }
  add_name(self, uri, own);
  if (own != resource && dialect != NULL) read_dialect(self, own, "$schema");
  if (is_anchor) add_anchor(self, fragment, &(ee_schema_target){schema, place, own}, false);
  return own;
}

/* Whether `text` may name an anchor. */
static bool is_anchor_name(ee_str text, ee_schema_draft draft) {
  for (size_t i = 0; i < text.length; i++) {
    char c = text.data[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    bool other = (c >= '0' && c <= '9') || c == '-' || c == '.' || (c == ':' && draft == EE_DRAFT_2019_09);
    if (!letter && !(other && i > 0)) return false;
  }
  return text.length > 0;
}

static void read_anchors(ee_schema_compiler *self, const ee_schema_target *target) {
  static const char *const names[] = {"$anchor", "$dynamicAnchor"};
  ee_schema_draft draft = target->resource->dialect.draft;
  if (draft > EE_DRAFT_2019_09) return;
  for (size_t i = 0; i < (draft == EE_DRAFT_2020_12 ? 2 : 1); i++) {
    const ee_value *value = ee_value_member(target->value, ee_str_from(names[i]), NULL);
    if (value == NULL) continue;
    const ee_schema_place *place = ee_schema_place_below(self->arena, target->place, ee_str_from(names[i]));
    if (ee_type_of(value) != EE_STRING) {
      ee_schema_mistake(self, place, "expected a name, got %s", ee_value_describe(value));
      continue;
    }
    ee_str name = ee_value_text(value);
    if (is_anchor_name(name, draft))
      add_anchor(self, name, target, i == 1);
    else
      ee_schema_mistake(self, place, "'%.*s' is not a valid anchor name", ee_schema_shown(name), name.data);
  }
  const ee_value *recursive = ee_value_member(target->value, EE_STR("$recursiveAnchor"), NULL);
  if (draft == EE_DRAFT_2019_09 && ee_type_of(recursive) == EE_TRUE && target->value == target->resource->root) {
    ee_schema_anchor anchor = {{"", 0}, *target, true};
    *EE_LIST_ADD(&target->resource->dynamic, self->arena) = anchor; /* unreached: room in an empty list */
  }
}

static void scan_named(ee_schema_compiler *self, const ee_value *object, const ee_schema_place *place,
                       ee_schema_resource *resource) {
  for (const ee_value *item = ee_value_child(object); item != NULL; item = ee_value_next(item))
    ee_schema_scan(self, item, ee_schema_place_below(self->arena, place, ee_value_key(item)), resource);
}

static void scan_list(ee_schema_compiler *self, const ee_value *array, const ee_schema_place *place,
                      ee_schema_resource *resource) {
  size_t index = 0;
  for (const ee_value *item = ee_value_child(array); item != NULL; item = ee_value_next(item), index++)
    ee_schema_scan(self, item, ee_schema_place_at(self->arena, place, index), resource);
}

static void scan_keyword(ee_schema_compiler *self, const ee_value *value, const ee_schema_place *place,
                         ee_keyword_shape shape, ee_schema_resource *resource) {
  ee_type type = ee_type_of(value);
  switch (shape) {
  case EE_SHAPE_SCHEMA:
  case EE_SHAPE_SCHEMA_OR_BOOLEAN: ee_schema_scan(self, value, place, resource); break;
  case EE_SHAPE_SCHEMAS:
    if (type == EE_ARRAY) scan_list(self, value, place, resource);
    break;
  case EE_SHAPE_SCHEMA_OR_SCHEMAS:
    if (type == EE_ARRAY)
      scan_list(self, value, place, resource);
    else
      ee_schema_scan(self, value, place, resource);
    break;
  default: /* EE_SHAPE_NAMED_SCHEMAS, EE_SHAPE_PATTERN_SCHEMAS, EE_SHAPE_DEPENDENCIES */
    if (type == EE_OBJECT) scan_named(self, value, place, resource);
    break;
  }
}

/* Recursion is bounded by the reader's nesting limit. */
void ee_schema_scan(ee_schema_compiler *self, const ee_value *value, const ee_schema_place *place,
                    ee_schema_resource *resource) {
  ee_type type = ee_type_of(value);
  bool is_schema = type == EE_OBJECT || type == EE_TRUE || type == EE_FALSE;
  if (!is_schema || ee_schema_memo_get(&self->resource_of, value, 0) != 0) return;
  if (type == EE_OBJECT) resource = read_id(self, value, place, resource);
  ee_schema_memo_put(&self->resource_of, value, 0, (uint64_t)resource->number + 1);
  if (type != EE_OBJECT) return;
  read_anchors(self, &(ee_schema_target){value, place, resource});
  for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item)) {
    const ee_schema_word_row *row = ee_schema_word_find(resource->dialect, ee_value_key(item));
    if (row == NULL || ee_type_of(item) < EE_FALSE) continue;
    if (row->shape < EE_SHAPE_SCHEMA || row->shape > EE_SHAPE_DEPENDENCIES) continue;
    scan_keyword(self, item, ee_schema_place_below(self->arena, place, ee_value_key(item)), row->shape, resource);
  }
}

ee_schema_resource *ee_schema_resource_of(const ee_schema_compiler *self, const ee_value *value) {
  uint64_t number = ee_schema_memo_get(&self->resource_of, value, 0);
  return number != 0 ? self->resources.items[number - 1] : NULL;
}

/* Documents ------------------------------------------------------------------------------------ */

bool ee_schema_is_openapi(const ee_value *document) {
  return text_member(document, "openapi") != NULL || text_member(document, "swagger") != NULL;
}

/* The schemas of an OpenAPI document that references name; others are found when a reference leads there. */
static void scan_openapi(ee_schema_compiler *self, ee_schema_resource *resource) {
  const ee_value *version = text_member(resource->root, "openapi");
  if (version == NULL || strncmp(version->json.valuestring, "3.0", 3) == 0)
    resource->dialect = ee_schema_dialect_of(EE_DRAFT_OPENAPI_30, self->options->formats);
  else
    resource->dialect = ee_schema_dialect_of(EE_DRAFT_2020_12, self->options->formats);
  read_dialect(self, resource, "jsonSchemaDialect");
  const ee_value *schemas =
      ee_value_member(ee_value_member(resource->root, EE_STR("components"), NULL), EE_STR("schemas"), NULL);
  if (ee_type_of(schemas) != EE_OBJECT) return;
  const ee_schema_place *components = ee_schema_place_below(self->arena, resource->place, EE_STR("components"));
  scan_named(self, schemas, ee_schema_place_below(self->arena, components, EE_STR("schemas")), resource);
}

ee_schema_resource *ee_schema_add_document(ee_schema_compiler *self, const ee_schema_source *source, bool is_own,
                                           ee_schema_dialect dialect) {
  ee_schema_document *document = EE_NEW(self->arena, ee_schema_document);
  document->source = *source;
  const ee_schema_place *place = NULL;
  if (!is_own) {
    ee_schema_place *root = EE_NEW(self->arena, ee_schema_place);
    *root = (ee_schema_place){.step = ee_str_from(source->name), .is_document = true};
    place = root;
  }
  ee_schema_resource *resource = add_resource(self, source->document, place, document, dialect);
  document->resource = resource;
  resource->uri = source->uri;
  add_name(self, source->uri, resource);
  add_name(self, source->location, resource);
  if (ee_schema_is_openapi(source->document)) {
    scan_openapi(self, resource);
  } else {
    read_dialect(self, resource, "$schema");
    ee_schema_scan(self, source->document, place, resource);
  }
  return resource;
}

/* What is beside a document by its $id is beside it as a file: the file of "https://x.test/a/b.json" is "/d/b.json" for
 * a document "/d/a.json" with the $id "https://x.test/a/a.json". Gives where `uri` would be; data NULL: nowhere. */
static ee_str beside(ee_schema_compiler *self, const ee_schema_document *document, ee_str uri) {
  ee_str folder = ee_uri_folder(document->resource->uri), place = ee_uri_folder(document->source.location);
  bool is_below = folder.length > 0 && uri.length > folder.length && memcmp(uri.data, folder.data, folder.length) == 0;
  if (place.length == 0 || !is_below || ee_str_equal(folder, place)) return (ee_str){NULL, 0};
  return ee_uri_resolve(self->arena, place, (ee_str){uri.data + folder.length, uri.length - folder.length});
}

/* Gives the document at `uri` from the registry or the loader. */
static bool load(ee_schema_compiler *self, const ee_schema_resource *from, ee_str uri, ee_schema_source *source,
                 const char **why) {
  const ee_schema_options *options = self->options;
  *why = NULL;
  if (ee_schema_registry_find(options->registry, uri, source)) return true;
  if (options->load == NULL) return false;
  if (options->load(options->user, self->arena, uri, source, why)) return true;
  /* Beside the document that refers to it, or beside the schema's own, which is further up. */
  const ee_schema_document *const documents[] = {from->document, self->resources.items[0]->document};
  for (size_t i = 0; i < 2; i++) {
    ee_str other = beside(self, documents[i], uri);
    const char *other_why;
    if (other.data == NULL ||
        !options->load(options->user, self->arena, other, source, *why != NULL ? &other_why : why))
      continue;
    source->uri = uri;
    return true;
  }
  return false;
}

/* Why nothing is found at `uri`. */
static const char *explain_missing(ee_schema_compiler *self, ee_str uri) {
  bool is_remote = uri.length > 4 && memcmp(uri.data, "http", 4) == 0;
  const char *text = ee_arena_printf(self->arena, "'%.*s'", ee_schema_shown(uri), uri.data);
  if (is_remote)
    return ee_arena_printf(self->arena,
                           "%s is not known, and nothing is loaded from the network (a file or folder with it can be "
                           "named in 'registry')",
                           text);
  return ee_arena_printf(self->arena, "%s is not known (a file or folder with it can be named in 'registry')", text);
}

ee_schema_resource *ee_schema_find_resource(ee_schema_compiler *self, ee_schema_resource *from, ee_str uri,
                                            const char **why) {
  if (ee_str_equal(uri, from->uri)) return from;
  ee_schema_resource *found = find_name(self, uri);
  if (found != NULL) return found;
  ee_schema_source source = {.document = ee_metaschema_find(self->arena, uri)};
  if (source.document != NULL) {
    source.uri = source.location = uri;
    source.name = ee_arena_copy(self->arena, uri.data, uri.length);
  } else if (!load(self, from, uri, &source, why)) {
    if (*why == NULL) *why = explain_missing(self, uri);
    return NULL;
  }
  /* It may be there already, under the name that it has been found by. */
  found = find_name(self, source.location);
  if (found == NULL || found->root != source.document)
    found = ee_schema_add_document(self, &source, false, from->dialect);
  ee_schema_resource *inside = find_name(self, uri);
  if (inside != NULL) return inside;
  add_name(self, uri, found);
  return found;
}

/* Fragments ------------------------------------------------------------------------------------ */

/* Decodes ~0 and ~1 in a step of a JSON Pointer. data NULL: another ~. */
static ee_str decode_step(ee_arena *arena, ee_str text) {
  char *out = ee_arena_alloc(arena, text.length + 1);
  size_t length = 0;
  for (size_t i = 0; i < text.length; i++) {
    char c = text.data[i];
    if (c == '~') {
      if (++i == text.length || (text.data[i] != '0' && text.data[i] != '1')) return (ee_str){NULL, 0};
      c = text.data[i] == '0' ? '~' : '/';
    }
    out[length++] = c;
  }
  out[length] = '\0';
  return (ee_str){out, length};
}

/* Elements of long arrays are found by table, because a schema may have as many pointers into an array as it has
 * elements. */
static const ee_value *find_element(ee_schema_compiler *self, const ee_value *array, size_t index) {
  if (index >= ee_value_count(array)) return NULL;
  if (ee_value_count(array) <= SHORT_ARRAY) return ee_value_element(array, index);
  ee_schema_memo *elements = &self->elements;
  if (ee_schema_memo_get(elements, array, 0) == 0) {
    uint32_t at = 0;
    for (const ee_value *item = ee_value_child(array); item != NULL; item = ee_value_next(item), at++)
      ee_schema_memo_put(elements, array, at, (uint64_t)(uintptr_t)item);
  }
  return (const ee_value *)(uintptr_t)ee_schema_memo_get(elements, array, (uint32_t)index);
}

static const ee_value *element_at(ee_schema_compiler *self, const ee_value *array, ee_str step) {
  if (step.length == 0 || step.length > 9 || (step.data[0] == '0' && step.length > 1)) return NULL;
  size_t index = 0;
  for (size_t i = 0; i < step.length; i++) {
    if (step.data[i] < '0' || step.data[i] > '9') return NULL;
    index = index * 10 + (size_t)(step.data[i] - '0');
  }
  return find_element(self, array, index);
}

static ee_schema_target find_pointer(ee_schema_compiler *self, ee_schema_resource *resource, ee_str pointer) {
  ee_schema_target target = {resource->root, resource->place, resource};
  const char *at = pointer.data, *end = pointer.data + pointer.length;
  while (at < end && target.value != NULL) {
    const char *from = ++at; /* the slash */
    while (at < end && *at != '/') at++;
    ee_str step = decode_step(self->arena, (ee_str){from, (size_t)(at - from)});
    if (step.data == NULL) return (ee_schema_target){NULL, NULL, NULL};
    const ee_value *value = target.value;
    target.value = ee_type_of(value) == EE_ARRAY ? element_at(self, value, step) : ee_value_member(value, step, NULL);
    target.place = ee_schema_place_below(self->arena, target.place, step);
    ee_schema_resource *inner = target.value != NULL ? ee_schema_resource_of(self, target.value) : NULL;
    if (inner != NULL) target.resource = inner;
  }
  return target;
}

ee_schema_target ee_schema_find_fragment(ee_schema_compiler *self, ee_schema_resource *resource, ee_str fragment,
                                         bool *is_dynamic) {
  *is_dynamic = false;
  ee_str decoded = ee_uri_decode(self->arena, fragment);
  if (decoded.data == NULL) return (ee_schema_target){NULL, NULL, NULL};
  if (decoded.length == 0 || decoded.data[0] == '/') return find_pointer(self, resource, decoded);
  const ee_schema_anchor *anchor = find_anchor(self, resource, decoded);
  if (anchor == NULL) return (ee_schema_target){NULL, NULL, NULL};
  *is_dynamic = anchor->is_dynamic;
  return anchor->target;
}
