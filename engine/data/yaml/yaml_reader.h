/* yaml_reader.h: YAML to the document model.
 *
 * The only place that knows libyaml. One document a text, YAML 1.2 core schema: `no`, `yes`, `on` and
 * dates are text, 010 is the number 10, 0x1F and 0o17 are whole numbers, null, ~ and an empty value are null. What JSON
 * cannot say is an error with its place: a key that is no scalar, .nan and .inf, a tag that is none of the core
 * schema's. Tags
 * !!str, !!int, !!float, !!bool, !!null, !!map, !!seq and the non-specific ! are honoured. A scalar key is its text (1:
 * is "1"). Every JSON text reads like JSON, except that duplicate keys are an error here.
 *
 * libyaml is a reader of YAML 1.1. Its line breaks U+0085, U+2028 and U+2029 are text here, and U+007F to U+009F and
 * surrogate pairs in \u escapes are read. Where it does not take what YAML 1.2 allows, an error says so: text that
 * begins with '?' or ':' in brackets, an empty key without '?', a key over several lines or of more than 1024
 * characters, a tab behind '-' or at the start of a block text (unless behind an indicator: |2), other names of anchors
 * than letters, digits, '-' and '_'.
 *
 * Bounded whatever the text holds: nesting EE_YAML_DEPTH and EE_YAML_BRACKETS, checked at each event before libyaml
 * gets to work on what follows (its scanner takes time that grows with the square of the depth); EE_YAML_NODES; what
 * aliases and merge keys repeat, counted before anything is copied, so that a billion laughs is an error at once;
 * EE_YAML_BLANKS, and 64 directives. An alias inside its own anchor is an error. */
#ifndef EE_DATA_YAML_YAML_READER_H
#define EE_DATA_YAML_YAML_READER_H

#include <evalengine.h>

#include "base/arena.h"
#include "base/str.h"
#include "data/json/value.h"

/* As deep as JSON may be (json_reader.h). */
#define EE_YAML_DEPTH 512
/* Of these in brackets, [ and {, unless the whole text is JSON: libyaml looks at each open bracket at each token, which
 * at this depth makes a text of brackets take 0.5 microseconds a byte. */
#define EE_YAML_BRACKETS 256
/* Nodes of the tree, aliases followed. */
#define EE_YAML_NODES ((size_t)4 << 20)
/* Of these from aliases and merge keys, and the bytes of text and keys in them. */
#define EE_YAML_REPEATED_NODES ((size_t)1 << 19)
#define EE_YAML_REPEATED_BYTES ((size_t)64 << 20)
/* Spaces, tabs and line breaks in a row, unless the whole text is JSON: libyaml clears them again at each word. */
#define EE_YAML_BLANKS 16384

/* Where the nodes of a tree stand in the text. Zero at first; all of it lives in the arena of the tree. */
typedef struct ee_yaml_places {
  struct ee_yaml_place {
    const ee_value *value; /* NULL: free */
    uint32_t line, column; /* from 1; columns in bytes */
  } * slots;               /* open addressing on the pointer */
  size_t capacity, count;
} ee_yaml_places;

/* Reads the only document of `text`; an empty one is null. Strings that an anchor names are shared, containers that an
 * alias repeats are copied, so that each node has one parent. Merge keys (<<: a mapping, or a list of mappings) are
 * followed: a key of the mapping itself wins over merged ones, an earlier mapping of the list over a later one; merged
 * members stand behind the mapping's own. `places` may be NULL; behind an error its content is of no use. A copied
 * node's place is that of what it copies, but the node at an alias has the alias's.
 *
 * NULL with `error` (may be NULL; EE_ERROR_DATA; line and column from 1, in bytes; offset; no file): broken YAML, bad
 * UTF-8, a tab where indentation stands, duplicate keys, an unknown alias, a second document, or one of the bounds.
 * UTF-8 only, with or without a byte order mark; UTF-16 is told so. A line ends with LF, CR LF or CR. Memory and time
 * are linear in the text and the nodes. */
ee_value *ee_yaml_read(ee_arena *arena, ee_str text, ee_yaml_places *places, ee_error *error);

/* The place of a node, or that of nothing (line 0). */
struct ee_yaml_place ee_yaml_place_of(const ee_yaml_places *places, const ee_value *value);

/* Whether a file of this name is taken for YAML: it ends in .yaml or .yml, or in one of them and .gz. */
bool ee_is_yaml_name(const char *file);

#endif
