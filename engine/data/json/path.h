/* path.h: paths to values in a document.
 *
 * `a.b[0].c`, `a["key.with.dots"]`, `items[*].price`; a JSON Pointer (RFC 6901) if it starts with '/'; a JSONPath query
 * (RFC 9535, json_query.h) if it starts with "$." or "$[". "$" is the document itself. A dotted step of digits (`a.1`)
 * is an element of an array and a member of an object. */
#ifndef EE_DATA_JSON_PATH_H
#define EE_DATA_JSON_PATH_H

#include <evalengine.h>

#include "base/arena.h"
#include "base/str.h"
#include "data/json/value.h"

typedef enum ee_step_kind { EE_STEP_KEY, EE_STEP_INDEX, EE_STEP_KEY_OR_INDEX, EE_STEP_ALL } ee_step_kind;

typedef struct ee_step {
  ee_step_kind kind;
  ee_str key;     /* KEY, KEY_OR_INDEX */
  uint32_t index; /* INDEX, KEY_OR_INDEX; from 0 */
} ee_step;

typedef struct ee_path {
  ee_str text; /* as written */
  const ee_step *steps;
  size_t count;
  size_t wildcards;                    /* number of [*] steps */
  const struct ee_json_query *query;   /* a query that may give several values, or has negative indices; else NULL.
                                          Its steps are set only if all are keys, indices and [*] */
  const struct ee_path *const *others; /* further paths: the value is an array of those that are not missing */
  size_t other_count;                  /* 0 for what ee_path_parse() returns */
} ee_path;

/* Parses `text`, which is copied, into `arena`. NULL with `error` (message and column). An empty path is an error,
 * although "" is a JSON Pointer. */
const ee_path *ee_path_parse(ee_arena *arena, ee_str text, ee_error *error);

/* The value at `path` below `root`, or NULL. `path` has no wildcard, unless it is a query: of that the only value, or
 * an array of the values if there are several. `arena` is used, and must be given, only for a query, and for a path
 * with others: then the value is an array of shallow copies of the values found, without nulls, or NULL if nothing was
 * found. */
const ee_value *ee_path_get(const ee_path *path, const ee_value *root, ee_arena *arena);

/* The same where an array is wanted: of a query that may give several values always an array, also of one; NULL if
 * there are none. */
const ee_value *ee_path_get_array(const ee_path *path, const ee_value *root, ee_arena *arena);

/* The same for the steps from `from` to `to` - 1, to walk a path with wildcards in pieces. */
const ee_value *ee_path_get_steps(const ee_path *path, size_t from, size_t to, const ee_value *root, ee_arena *arena);

/* The text of a path, built step by step while a document is walked; ee_path_parse() reads it back. Keys that a dotted
 * path cannot hold are written as ["a.b"]. All zero except for the arena at first; to remove steps, set `length` back
 * to what it was before them. */
typedef struct ee_path_text {
  ee_arena *arena;
  char *data;
  size_t length, capacity;
} ee_path_text;

void ee_path_text_add_key(ee_path_text *path, ee_str key);
void ee_path_text_add_index(ee_path_text *path, uint32_t index);
/* "[+7]": an array element that only the candidate has. ee_path_parse() refuses it. */
void ee_path_text_add_extra(ee_path_text *path, uint32_t index);
/* "[*]" */
void ee_path_text_add_all(ee_path_text *path);

/* The text of the parsed `path` in this spelling. A step that may be a key or an index is written as a key. */
ee_str ee_path_text_of(const ee_path *path, ee_arena *arena);

static inline ee_str ee_path_text_get(const ee_path_text *path) { return (ee_str){path->data, path->length}; }

#endif
