/* yaml_reader.h: YAML to the document model, by libyaml.
 *
 * One document per text, YAML 1.2 core schema: `no`, `yes`, `on` and dates are strings, 010 is the number 10, 0x1F and
 * 0o17 are whole numbers, null, ~ and an empty value are null. What JSON cannot express is an error with its location:
 * a key that is not a scalar, .nan and .inf, a tag that is not in the core schema. Tags !!str, !!int, !!float, !!bool,
 * !!null, !!map, !!seq and the non-specific ! are honoured. A scalar key is its text (1: is "1"). Every JSON text reads
 * as JSON, except that duplicate keys are an error.
 *
 * libyaml reads YAML 1.1. Its additional line breaks U+0085, U+2028 and U+2029 are text here, and U+007F to U+009F and
 * surrogate pairs in \u escapes are read. Some valid YAML 1.2 that libyaml does not read is reported as an error: text
 * that begins with '?' or ':' in brackets, an empty key without '?', a key over several lines or of more than 1024
 * characters, a tab after '-' or at the start of a block text (unless after an indicator: |2), names of anchors with
 * characters other than letters, digits, '-' and '_' (tests/suites lists what of yaml-test-suite is refused and why).
 *
 * Resources are bounded whatever the text holds: nesting by EE_YAML_DEPTH and EE_YAML_BRACKETS, checked at each event
 * before libyaml reads on (the time of its scanner grows with the square of the depth); nodes by EE_YAML_NODES; what
 * aliases and merge keys repeat, counted before anything is copied ("billion laughs"); EE_YAML_BLANKS; and 64
 * directives. An alias inside its own anchor is an error. */
#ifndef EE_DATA_YAML_YAML_READER_H
#define EE_DATA_YAML_YAML_READER_H

#include <evalengine.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/list.h"
#include "base/str.h"
#include "data/json/value.h"

/* As deep as JSON may be (json_reader.h). */
#define EE_YAML_DEPTH 512
/* Of these in brackets, [ and {, unless the whole text is JSON: libyaml checks each open bracket at each token, which
 * at this depth takes 0.5 microseconds per byte of brackets. */
#define EE_YAML_BRACKETS 256
/* Nodes of the tree, with aliases expanded. */
#define EE_YAML_NODES ((size_t)4 << 20)
/* Nodes from aliases and merge keys, and the bytes of their strings and keys. */
#define EE_YAML_REPEATED_NODES ((size_t)1 << 19)
#define EE_YAML_REPEATED_BYTES ((size_t)64 << 20)
/* Consecutive spaces, tabs and line breaks, unless the whole text is JSON: libyaml clears them again at each word. */
#define EE_YAML_BLANKS 16384

struct ee_yaml_place {
  const ee_value *value;
  uint32_t line, column; /* from 1; columns in bytes */
};

/* The places of the nodes of a tree in the text. Zero at first; all of it is in the arena of the tree. */
typedef struct ee_yaml_places {
  EE_LIST(struct ee_yaml_place);
  ee_hash_index index; /* by the node's address */
} ee_yaml_places;

/* Reads the only document of `text`; an empty one is null. An alias of a string shares the string, an alias of a
 * container copies it, so that each node has one parent. Merge keys (<<: an object, or an array of objects) are
 * applied: a key of the object itself wins over merged ones, an earlier object of the array over a later one; merged
 * members come after the object's own. `places` may be NULL; after an error its content is undefined. The place of a
 * copied node is that of the original, except for the node at the alias itself.
 *
 * Returns NULL with `error` (may be NULL; EE_ERROR_DATA; line and column from 1, in bytes; offset; no file) for broken
 * YAML, invalid UTF-8, UTF-16, a tab in indentation, duplicate keys, an unknown alias, a second document, or an
 * exceeded bound. A byte order mark is allowed. A line ends with LF, CR LF or CR. Memory and time are linear in the
 * text and the nodes. */
ee_value *ee_yaml_read(ee_arena *arena, ee_str text, ee_yaml_places *places, ee_error *error);

/* The place of a node; line 0 if unknown, also for NULL. */
struct ee_yaml_place ee_yaml_place_of(const ee_yaml_places *places, const ee_value *value);

/* True if a file of this name is read as YAML: it ends in .yaml, .yml, .yaml.gz or .yml.gz. */
bool ee_is_yaml_name(const char *file);

#endif
