/* json_scan.h: over JSON text without building anything: strictly, without recursion, and without memory.
 *
 * For files of which a small part is wanted, and for entries that only need to be told
 * where their parts are. It accepts what the reader accepts (RFC 8259, valid UTF-8, nesting limit 512), but does not
 * look for duplicate keys. */
#ifndef EE_DATA_JSON_JSON_SCAN_H
#define EE_DATA_JSON_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* A text that is being scanned, and its first mistake. Places are pointers into the text; functions return the place
 * behind what they took, or NULL when there was a mistake. */
typedef struct ee_json_scan {
  const char *start, *end;
  const char *mistake; /* static text; NULL: none so far */
  const char *mistake_at;
  bool cut; /* the mistake may be that the text ends too early: more of it could make it go away */
} ee_json_scan;

static inline ee_json_scan ee_json_scan_of(ee_str text) {
  return (ee_json_scan){.start = text.data, .end = text.data + text.length};
}

/* Notes a mistake; returns NULL. Where the text ends too early, that is the mistake. */
const char *ee_json_scan_fail(ee_json_scan *scan, const char *at, const char *mistake);

/* Skips the string whose opening quote is at `at`. */
const char *ee_json_skip_string(ee_json_scan *scan, const char *at);

/* Skips one value, white space before it allowed. */
const char *ee_json_skip_value(ee_json_scan *scan, const char *at);

/* Goes to the next member of an object: `at` is behind its '{' (`first`) or behind the value before. Returns the place
 * of the member's value and sets `*key` to the key's source text without its quotes, or, with `*done`, the place behind
 * the closing '}'. */
const char *ee_json_next_member(ee_json_scan *scan, const char *at, bool first, ee_str *key, bool *done);

/* Goes to the next element of an array in the same way. */
const char *ee_json_next_element(ee_json_scan *scan, const char *at, bool first, bool *done);

/* Whether the key's source text (valid, from ee_json_next_member()) means `name`, which is ASCII without '"' and '\'.
 */
bool ee_json_key_is(ee_str key, const char *name);

/* The whole number that a number's source text (valid) means by its decimal value ("139", "139.0", "1.39e2"). False
 * when it is none, or of more than 18 digits. */
bool ee_json_whole_number(ee_str text, int64_t *number);

#endif
