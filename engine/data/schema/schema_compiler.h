/* schema_compiler.h: what the files that compile a schema share; private to them.
 *
 * A document holds resources: its root, and each schema with an $id. A resource is what references resolve against, and
 * what is entered into the dynamic scope. schema_resources.c finds them by walking over the schemas of a document
 * before anything is compiled; schema_refs.c resolves references; schema_compile.c reads keywords. */
#ifndef EE_DATA_SCHEMA_SCHEMA_COMPILER_H
#define EE_DATA_SCHEMA_SCHEMA_COMPILER_H

#include "base/list.h"
#include "data/schema/schema_keywords.h"
#include "data/schema/schema_node.h"

/* Mistakes that are listed, and warnings; more are only counted. */
#define EE_SCHEMA_MISTAKES_LISTED 100

typedef struct ee_schema_resource {
  uint32_t number;
  ee_str uri; /* without fragment; empty: not known */
  const ee_value *root;
  const ee_schema_place *place;
  ee_schema_dialect dialect;
  const struct ee_schema_document *document;
  struct {
    EE_LIST(struct ee_schema_anchor);
  } dynamic; /* anchors; $recursiveAnchor is one, with an empty name */
} ee_schema_resource;

typedef struct ee_schema_document {
  ee_schema_source source;
  ee_schema_resource *resource; /* of its root */
} ee_schema_document;

/* A schema: a value of a document, at its place in it. */
typedef struct ee_schema_target {
  const ee_value *value; /* NULL: nothing */
  const ee_schema_place *place;
  ee_schema_resource *resource; /* that it is in */
} ee_schema_target;

typedef struct ee_schema_anchor {
  ee_str name;
  ee_schema_target target;
  bool is_dynamic;
} ee_schema_anchor;

/* The dynamic scope, as far as it matters: for each name of a dynamic anchor the outermost one that was entered. */
typedef struct ee_schema_scope {
  const ee_schema_anchor *items; /* sorted by name */
  size_t count;
} ee_schema_scope;

typedef enum ee_reference_kind { EE_REFERENCE_PLAIN, EE_REFERENCE_DYNAMIC, EE_REFERENCE_RECURSIVE } ee_reference_kind;

/* A reference, resolved after everything that can be reached without it is compiled. */
typedef struct ee_schema_ref {
  ee_reference_kind kind;
  ee_schema_keyword *keyword;
  ee_str text;
  ee_schema_resource *resource; /* that it is in */
  uint32_t scope;
} ee_schema_ref;

/* A name of a resource: its URI, or the one that it was found by. */
typedef struct ee_schema_name {
  ee_str uri;
  ee_schema_resource *resource;
} ee_schema_name;

typedef struct ee_schema_use {
  ee_schema_node *node;
  uint32_t uses; /* keywords that apply the schema */
} ee_schema_use;

typedef struct ee_schema_compiler {
  ee_arena *arena;
  const ee_schema_options *options;
  ee_error_list *errors;
  size_t mistakes, warnings;
  /* Resources */
  struct {
    EE_LIST(ee_schema_resource *); /* by number */
  } resources;
  struct {
    EE_LIST(ee_schema_name);
  } names;                   /* of resources */
  ee_hash_index names_index; /* by URI */
  struct {
    EE_LIST(ee_schema_anchor);
  } anchors;
  ee_hash_index anchors_index; /* by resource and name */
  unsigned metaschemas;        /* that are being looked up, one for another */
  ee_schema_memo resource_of;  /* a resource's number + 1 by each value that is a schema in it */
  ee_schema_memo elements;     /* addresses by array and index, of long arrays that pointers lead into */
  /* Nodes */
  ee_schema_memo by_source; /* id + 1 of the node that a value became, by value and scope */
  struct {
    EE_LIST(ee_schema_use); /* by id */
  } nodes;
  struct {
    EE_LIST(ee_schema_ref);
  } refs;
  struct {
    EE_LIST(ee_schema_scope); /* by number; number 0 is empty */
  } scopes;
  ee_hash_index scopes_index;
  ee_schema_memo entered; /* a scope's number + 1 by the address of a resource and the scope that it was entered from */
  size_t bindings;        /* of all scopes */
  bool is_full;           /* too many nodes or scopes; reported */
  const ee_schema_place *ignored;
  size_t ignored_count; /* keywords beside $ref that are ignored, the first at `ignored` */
} ee_schema_compiler;

/* Messages ------------------------------------------------------------------------------------- */

void ee_schema_mistake(ee_schema_compiler *self, const ee_schema_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void ee_schema_warn(ee_schema_compiler *self, const ee_schema_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Bytes of `text` that a message shows. */
int ee_schema_shown(ee_str text);

void ee_schema_compiler_init(ee_schema_compiler *self, ee_arena *arena, const ee_schema_options *options,
                             ee_error_list *errors);

/* Places --------------------------------------------------------------------------------------- */

const ee_schema_place *ee_schema_place_below(ee_arena *arena, const ee_schema_place *above, ee_str step);
const ee_schema_place *ee_schema_place_at(ee_arena *arena, const ee_schema_place *above, size_t index);

/* Resources (schema_resources.c) --------------------------------------------------------------- */

/* Adds a document with its resources and anchors. `dialect`: without $schema. `is_own`: it is the schema that is being
 * compiled, whose places have no document's name. */
ee_schema_resource *ee_schema_add_document(ee_schema_compiler *self, const ee_schema_source *source, bool is_own,
                                           ee_schema_dialect dialect);

/* Whether the document is one of OpenAPI or Swagger, whose root is not a schema. */
bool ee_schema_is_openapi(const ee_value *document);

/* The resource that the schema `value` is in, or NULL if it is not known as a schema. */
ee_schema_resource *ee_schema_resource_of(const ee_schema_compiler *self, const ee_value *value);

/* Makes a value known as a schema of `resource`, with all schemas in it. */
void ee_schema_scan(ee_schema_compiler *self, const ee_value *value, const ee_schema_place *place,
                    ee_schema_resource *resource);

/* The resource at `uri` (without fragment), which a schema of `from` refers to, loaded if it has to be; NULL with
 * `*why` if it cannot be found. */
ee_schema_resource *ee_schema_find_resource(ee_schema_compiler *self, ee_schema_resource *from, ee_str uri,
                                            const char **why);

/* What a fragment leads to in a resource; value NULL: nothing. `*is_dynamic`: it is a dynamic anchor. */
ee_schema_target ee_schema_find_fragment(ee_schema_compiler *self, ee_schema_resource *resource, ee_str fragment,
                                         bool *is_dynamic);

/* The document under `uri`; false if there is none. `registry` may be NULL. */
bool ee_schema_registry_find(const ee_schema_registry *registry, ee_str uri, ee_schema_source *source);

/* Nodes (schema_compile.c) --------------------------------------------------------------------- */

/* The node of a schema in a dynamic scope, compiled now unless it was before. Never NULL. */
ee_schema_node *ee_schema_compile_node(ee_schema_compiler *self, const ee_schema_target *target, uint32_t scope);

/* References (schema_refs.c) ------------------------------------------------------------------- */

/* The scope after a schema of `resource` was entered from `scope`. */
uint32_t ee_schema_scope_enter(ee_schema_compiler *self, uint32_t scope, ee_schema_resource *resource);

/* What `text` refers to from `resource`, in `scope`. value NULL with `*why`. */
ee_schema_target ee_schema_resolve(ee_schema_compiler *self, const ee_schema_ref *ref, const char **why);

/* Resolves every reference, including those in schemas that are compiled because a reference leads there; then refuses
 * those that lead back to themselves without entering the instance. */
void ee_schema_resolve_all(ee_schema_compiler *self);

#endif
