/* json_query.h: JSONPath queries (RFC 9535): `$.items[?@.qty > 1].price`.
 *
 * The whole language: names, indices (negative ones, too), slices, wildcards, descendants, filters with comparisons,
 * existence tests and the functions length, count, match, search and value. A query gives a list of nodes, in the
 * order of the RFC; members in the order of the document. Patterns of match and search are I-Regexp (RFC 9485) and need
 * PCRE2. */
#ifndef EE_DATA_JSON_JSON_QUERY_H
#define EE_DATA_JSON_JSON_QUERY_H

#include <evalengine.h>

#include "base/arena.h"
#include "base/list.h"
#include "base/str.h"
#include "data/json/value.h"

typedef struct ee_json_query ee_json_query;

/* Where a node is: one step below another place. */
typedef struct ee_query_place {
  const struct ee_query_place *outer; /* NULL: the document's root, which has no step */
  ee_str key;                         /* of a member; data NULL: an element */
  uint32_t index;                     /* of an element, from 0 */
} ee_query_place;

typedef struct ee_query_node {
  const ee_value *value;
  const ee_query_place *place;
} ee_query_node;

typedef struct ee_query_nodes {
  EE_LIST(ee_query_node);
} ee_query_nodes;

/* Parses `text` (valid UTF-8, begins with '$') into `arena`, which keeps `text` borrowed. NULL with `error` (message
 * and column): not well-formed, or badly typed, as the RFC defines it; a pattern written in the query that is not
 * I-Regexp; nested deeper than EE_QUERY_DEPTH. Threads may share a query. */
const ee_json_query *ee_json_query_parse(ee_arena *arena, ee_str text, ee_error *error);

/* Filters and brackets within each other. */
#define EE_QUERY_DEPTH 64

/* The parts of a query that name one value: the keys and indices. False: the query may give several nodes, or has a
 * negative index. `step` is called for each. */
typedef struct ee_query_steps {
  void (*key)(void *user, ee_str key);
  void (*index)(void *user, uint32_t index);
  void (*all)(void *user); /* [*] and .*; NULL: the query has several nodes then */
  void *user;
} ee_query_steps;
bool ee_json_query_walk(const ee_json_query *query, const ee_query_steps *steps);

/* True when the query gives at most one node, whatever the document. */
bool ee_json_query_is_singular(const ee_json_query *query);

/* Appends the nodes of `query` below `root` (NULL: none) to `nodes`, all in `arena`. Charges the nodes that are looked
 * at as work (base/work.h). Recursion is bounded by the reader's nesting limit and EE_QUERY_DEPTH. */
void ee_json_query_find(const ee_json_query *query, const ee_value *root, ee_arena *arena, ee_query_nodes *nodes);

/* The place as a path that ee_path_parse() reads, in `arena`. */
ee_str ee_query_place_text(const ee_query_place *place, ee_arena *arena);

#endif
