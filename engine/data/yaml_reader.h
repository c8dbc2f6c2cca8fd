/* yaml_reader.h: YAML to the document model.
 *
 * Layer: data. The only place that knows libyaml. One document a text, YAML 1.2 core schema: `no`, `yes`, `on` and dates are text,
 * 010 is the number 10, 0x1F and 0o17 are whole numbers, null, ~ and an empty value are null. What JSON cannot say is an error with
 * its place: a key that is no scalar, .nan and .inf, a tag that is none of the core schema's. Tags !!str, !!int, !!float, !!bool,
 * !!null, !!map, !!seq and the non-specific ! are honoured. A scalar key is its text (1: is "1").
 *
 * Bounded whatever the text holds: nesting EE_YAML_DEPTH, checked at each event before libyaml gets to work on what follows (its
 * scanner takes time that grows with the square of the depth); nodes after aliases are followed EE_YAML_NODES, so that a billion
 * laughs is an error; an alias inside its own anchor is one too. */
#ifndef EE_DATA_YAML_READER_H
#define EE_DATA_YAML_READER_H

#include <evalengine.h>

#include "base/arena.h"
#include "base/str.h"
#include "data/value.h"

/* As deep as JSON may be (json_reader.h). */
#define EE_YAML_DEPTH 512
/* Of these in brackets, [ and {, unless the whole text is JSON: libyaml looks at each open bracket at each token. */
#define EE_YAML_BRACKETS 256
/* Nodes of the tree, aliases followed. */
#define EE_YAML_NODES ((size_t)4 << 20)
/* Of these from aliases and merge keys, and the bytes of text and keys in them. */
#define EE_YAML_REPEATED_NODES ((size_t)1 << 19)
#define EE_YAML_REPEATED_BYTES ((size_t)64 << 20)
/* Spaces, tabs and line breaks in a row. */
#define EE_YAML_BLANKS 16384

/* Where the nodes of a tree stand in the text. Zero at first; all of it lives in the arena of the tree. */
typedef struct ee_yaml_places {
  struct ee_yaml_place {
    const ee_value *value; /* NULL: free */
    uint32_t line, column; /* from 1; columns in bytes */
  } * slots;               /* open addressing on the pointer */
  size_t capacity, count;
} ee_yaml_places;

/* Reads the only document of `text`; an empty one is null. Strings that an anchor names are shared, containers that an alias
 * repeats are copied, so that each node has one parent. Merge keys (<<: a mapping, or a list of mappings) are followed: a key of the
 * mapping itself wins over merged ones, an earlier mapping of the list over a later one. `places` may be NULL. NULL with `error` (EE_ERROR_DATA; line
 * and column from 1, offset; no file): broken YAML, bad UTF-8, a tab where indentation stands, duplicate keys, an unknown alias, a second document, or one
 * of the bounds. UTF-8 only, with or without a byte order mark; UTF-16 is told so. Memory and time are linear in the text and the nodes. */
ee_value *ee_yaml_read(ee_arena *arena, ee_str text, ee_yaml_places *places, ee_error *error);

/* The place of a node, or that of nothing (line 0). */
struct ee_yaml_place ee_yaml_place_of(const ee_yaml_places *places, const ee_value *value);

/* Whether a file of this name is taken for YAML: it ends in .yaml or .yml, or in one of them and .gz. */
bool ee_is_yaml_name(const char *file);

#endif
