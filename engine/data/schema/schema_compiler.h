/* schema_compiler.h: a JSON Schema while it is compiled.
 *
 * Layer: data, and private to the files of json_schema.h. */
#ifndef EE_DATA_SCHEMA_SCHEMA_COMPILER_H
#define EE_DATA_SCHEMA_SCHEMA_COMPILER_H

#include "data/schema/schema_memo.h"
#include "data/schema/schema_node.h"

/* A $ref, which is looked up when everything else is compiled. */
typedef struct ee_schema_ref {
  ee_schema_keyword *keyword;
  ee_str text;
} ee_schema_ref;

typedef struct ee_schema_anchor {
  ee_str name;
  const ee_schema_node *node;
} ee_schema_anchor;

typedef struct ee_schema_compiler {
  ee_arena *arena;
  ee_error_list *errors;
  size_t mistakes, warnings;
  const ee_value *document;
  ee_str base;              /* the root's $id without fragment, or empty */
  ee_schema_memo by_source; /* id + 1 of the node that a part of the document became */
  ee_schema_memo elements;  /* addresses by list and index, of long lists that pointers lead into */
  ee_schema_node **nodes;   /* by id */
  size_t node_count, node_room;
  uint32_t *uses; /* by id: how many keywords ask the schema */
  ee_schema_ref *refs;
  size_t ref_count, ref_room;
  ee_schema_anchor *anchors;
  size_t anchor_count, anchor_room;
} ee_schema_compiler;

/* Room for one more item of `size` bytes in a list in the arena. */
void *ee_schema_grow(ee_arena *arena, void *items, size_t count, size_t *room, size_t size);

void ee_schema_mistake(ee_schema_compiler *compiler, const ee_schema_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The node of `source`, compiled now unless it was before. Never NULL. */
ee_schema_node *ee_schema_compile_node(ee_schema_compiler *compiler, const ee_value *source,
                                       const ee_schema_place *place);

/* Looks up every $ref, those of schemas that are compiled because one leads there too; then refuses those that lead
 * back to themselves without entering the instance. */
void ee_schema_resolve(ee_schema_compiler *compiler);

#endif
