/* json_reader.h: reads JSON text to document trees, strictly and fast.
 *
 * Accepts exactly RFC 8259 with valid UTF-8; a byte order mark is an error of its own. A number keeps its source text
 * if the shortest text of its double has another decimal value. Duplicate keys are reported; the last one is kept, at
 * the place of the first. Nesting limit 512; no recursion. */
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
  ee_on_duplicate_key *on_duplicate_key; /* may be NULL */
  void *user;
  /* Keys of the document's object, printable ASCII, NULL at the end: their values are checked but left out, and
   * duplicates of them and in them are not found. NULL: none. */
  const char *const *left_out;
  /* Counts escapes of half a surrogate pair, which are read as U+FFFD; NULL: they are mistakes. */
  uint64_t *lone_surrogates;
  /* Where ee_value_source() of arrays and objects is kept, which refers to the text; NULL: it is not. The sources do
   * not outlive this arena; they take at most a few bytes for each byte of the text. */
  ee_arena *sources;
  /* Keys that were read before (known_keys.h), and where new ones are noted; NULL: all keys are new. */
  struct ee_known_keys *known;
  /* Of an object whose members are mostly alike, such as the two documents of a case: an array or object in a member
   * gets the children of the one at its place in the member before, if their texts are the same. Needs `known`. */
  bool shares;
} ee_json_options;

/* Reads one document, with white space around it. The result is in `arena` and does not refer to `text`,
 * but for the sources if they are kept and the keys if they were known. NULL with `error`: message, line and column
 * (from 1) and offset in `text`, no file. `options` may be NULL. `text` may have up to 2^32-1 bytes. */
ee_value *ee_json_read(ee_arena *arena, ee_str text, const ee_json_options *options, ee_error *error);

/* Whether reading `text` may make more than `limit` values. A value takes about a hundred bytes in memory and as little
 * as two in text, so that a text from outside of some megabytes could use up the memory. Counts commas, colons and
 * opening brackets, also those in strings: there is at most one value more. */
bool ee_json_has_more_values_than(ee_str text, size_t limit);

/* The same for data of others: half a surrogate pair is read as U+FFFD. `error` may be NULL. */
ee_value *ee_json_read_data(ee_arena *arena, ee_str text, ee_error *error);

/* Reads the document that starts at text[0] and ignores what follows; `*end` gets the number of bytes read. */
ee_value *ee_json_read_prefix(ee_arena *arena, ee_str text, size_t *end, ee_error *error);

/* Whether `text` (any bytes) is empty or only JSON's white space. */
bool ee_json_is_blank(ee_str text);

#endif
