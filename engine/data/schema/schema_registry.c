/* schema_registry.c: documents that references may lead to, by URI. */
#include "data/schema/schema_compiler.h"
#include "data/schema/schema_uri.h"

typedef struct registry_entry {
  ee_str uri;
  ee_schema_source source;
} registry_entry;

struct ee_schema_registry {
  ee_arena *arena;
  struct {
    EE_LIST(registry_entry);
  } entries;
  ee_hash_index index; /* by URI */
};

ee_schema_registry *ee_schema_registry_new(ee_arena *arena) {
  ee_schema_registry *registry = EE_NEW(arena, ee_schema_registry);
  registry->arena = registry->index.arena = arena;
  return registry;
}

static const registry_entry *find(const ee_schema_registry *registry, ee_str uri) {
  size_t at = 0, number;
  while (ee_hash_index_next(&registry->index, ee_hash_bytes(uri.data, uri.length, 0), &at, &number))
    if (ee_str_equal(registry->entries.items[number].uri, uri)) /* unreached: two URIs of one hash */
      return &registry->entries.items[number];
  return NULL;
}

bool ee_schema_registry_find(const ee_schema_registry *registry, ee_str uri, ee_schema_source *source) {
  const registry_entry *found = registry != NULL ? find(registry, uri) : NULL;
  if (found != NULL) *source = found->source;
  return found != NULL;
}

/* False, with `*other`, if another document has the URI. */
static bool add(ee_schema_registry *registry, ee_str uri, const ee_schema_source *source, const char **other) {
  const registry_entry *found = find(registry, uri);
  if (found != NULL) {
    *other = found->source.name;
    return found->source.document == source->document;
  }
  ee_hash_index_add(&registry->index, ee_hash_bytes(uri.data, uri.length, 0), registry->entries.count);
  *EE_LIST_ADD(&registry->entries, registry->arena) = (registry_entry){uri, *source};
  return true;
}

bool ee_schema_registry_add(ee_schema_registry *registry, ee_str uri, const ee_schema_source *source,
                            ee_schema_draft draft, const char **other) {
  ee_schema_source own = *source;
  if (ee_uri_is_absolute(uri)) own.uri = uri;
  bool good = uri.length == 0 || add(registry, uri, &own, other);
  if (own.location.length > 0) add(registry, own.location, &own, other);
  /* The resources of the document, as compiling will find them; what is wrong with it is reported then. */
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_schema_options options = {.draft = draft};
  ee_schema_compiler compiler;
  ee_schema_compiler_init(&compiler, &arena, &options, &errors);
  const ee_schema_resource *root = ee_schema_add_document(&compiler, &own, true, ee_schema_dialect_of(draft, false));
  for (size_t i = 0; i < compiler.names.count; i++) {
    const ee_schema_name *name = &compiler.names.items[i];
    if (!ee_uri_is_absolute(name->uri)) continue;
    ee_str copy = {ee_arena_copy(registry->arena, name->uri.data, name->uri.length), name->uri.length};
    if (!add(registry, copy, &own, other) && name->resource == root) good = false;
  }
  ee_error_list_fini(&errors);
  ee_arena_fini(&arena);
  return good;
}
