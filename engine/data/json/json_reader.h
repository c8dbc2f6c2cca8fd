/* json_reader.h: RFC 8259 text to document trees, strictly and fast.
 *
 * Accepts exactly RFC 8259 with valid UTF-8 (a byte order mark is refused by name). Numbers keep their
 * source text when the shortest text of their double has another decimal value. Duplicate keys are reported and the
 * last stays, at the place of the first. Nesting limit 512; no recursion. */
#ifndef EE_DATA_JSON_JSON_READER_H
#define EE_DATA_JSON_JSON_READER_H

#include <evalengine.h>

#include "base/arena.h"
#include "base/str.h"
#include "data/json/value.h"

#define EE_JSON_DEPTH_LIMIT 512

/* Called for each duplicate key; `key` lives for the call, `offset` is the byte offset of the second key. */
typedef void ee_on_duplicate_key(void *user, ee_str key, size_t offset);

typedef struct ee_json_options {
  ee_on_duplicate_key *on_duplicate_key; /* NULL: not told */
  void *user;
} ee_json_options;

/* Reads one document, white space around it allowed. On success the root, owned by `arena` (strings are copied there,
 * so `text` need not live on). On failure NULL, and `error` has the message, line and column (from 1) and offset within
 * `text`; its file is left empty. `options` may be NULL. Lengths up to 2^32-1 bytes. */
ee_value *ee_json_read(ee_arena *arena, ee_str text, const ee_json_options *options, ee_error *error);

/* Reads one document that starts at text[0] (an object, an array or any value) and stops behind it: *end gets the
 * number of bytes taken. For JSON inside prose. */
ee_value *ee_json_read_prefix(ee_arena *arena, ee_str text, size_t *end, ee_error *error);

/* Whether `text` (any bytes) is JSON's white space and nothing else: an empty text is. */
bool ee_json_is_blank(ee_str text);

#endif
