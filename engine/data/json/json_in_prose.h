/* json_in_prose.h: the JSON inside a text that a model wrote.
 */
#ifndef EE_DATA_JSON_JSON_IN_PROSE_H
#define EE_DATA_JSON_JSON_IN_PROSE_H

#include <evalengine.h>

#include "base/arena.h"
#include "base/str.h"
#include "data/json/value.h"

/* Reads the document that `text` (valid UTF-8) holds: the whole text when it is JSON; else the content of the first
 * code fence (``` or ~~~, with or without a language) that is JSON; else the longest complete object or array in the
 * prose (the first of equals), but for what stands inside one that the end of the text, or of its fence, cuts: of a cut
 * answer no part is the answer. Values other than objects and arrays count only when they are the whole text. NULL with
 * `error` when there is none: the message and place are those of the whole text's first mistake. Linear in the text's
 * length, whatever it holds: each opening bracket is tried once, those inside a document already found are not. */
ee_value *ee_json_in_prose_find(ee_arena *arena, ee_str text, ee_error *error);

/* Where the document stood. */
typedef enum ee_json_in_prose_place { EE_JSON_IN_WHOLE, EE_JSON_IN_FENCE, EE_JSON_IN_PROSE } ee_json_in_prose_place;

/* The same, and tells where: `*source` gets the part of `text` that is the document (of a fence, its content). Both are
 * set only where one is found. */
ee_value *ee_json_in_prose_find_in(ee_arena *arena, ee_str text, ee_json_in_prose_place *place, ee_str *source,
                                   ee_error *error);

#endif
