/* schema_uri.h: references of JSON Schema, as RFC 3986 resolves them. */
#ifndef EE_DATA_SCHEMA_SCHEMA_URI_H
#define EE_DATA_SCHEMA_SCHEMA_URI_H

#include "base/arena.h"
#include "base/str.h"

/* `reference` against `base` (without fragment; may be empty or relative), by RFC 3986, section 5.2, in `arena`: dot
 * segments are removed; scheme and host are in lower case; the rest, also %XX, is as written. Any bytes are accepted.
 * Linear. */
ee_str ee_uri_resolve(ee_arena *arena, ee_str base, ee_str reference);

/* `uri` without its fragment; `*fragment` is what follows '#', data NULL without '#'. */
ee_str ee_uri_split(ee_str uri, ee_str *fragment);

/* Whether `uri` begins with a scheme: "https:", "urn:". */
bool ee_uri_is_absolute(ee_str uri);

/* `uri` up to and with the last slash of its path, for prefixes; empty without one. */
ee_str ee_uri_folder(ee_str uri);

/* Decodes %XX. data NULL: an invalid %XX, or the result is not UTF-8. NUL-terminated. */
ee_str ee_uri_decode(ee_arena *arena, ee_str text);

/* "file:///a%20b" of the absolute path "/a b". */
ee_str ee_uri_of_file(ee_arena *arena, const char *path);
/* The other way round: NULL if `uri` is not a file's, has a query, or does not decode to text without NUL. */
const char *ee_uri_file(ee_arena *arena, ee_str uri);

#endif
