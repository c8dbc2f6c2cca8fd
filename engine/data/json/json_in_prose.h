/* json_in_prose.h: the JSON in a text that a model wrote. */
#ifndef EE_DATA_JSON_JSON_IN_PROSE_H
#define EE_DATA_JSON_JSON_IN_PROSE_H

#include <evalengine.h>

#include "base/arena.h"
#include "base/str.h"
#include "data/json/json_lenient.h"
#include "data/json/value.h"

/* Reads the document in `text` (valid UTF-8). In this order:
 * - the whole text, if it is JSON;
 * - the content of the first code fence (``` or ~~~, with or without a language) that is JSON;
 * - the longest complete object or array in the prose, the first of equally long ones.
 * In a fence and in prose only objects and arrays count. Nothing inside a bracket that begins like a document
 * (ee_json_begins()) and is not one stands for it: an answer with a mistake, or cut off where the text or a fence ends,
 * is not an answer. NULL with `error` if nothing is
 * found: message and place of the first mistake of the whole text. Cost: linear in the text's length, whatever the text
 * is. */
ee_value *ee_json_in_prose_find(ee_arena *arena, ee_str text, ee_error *error);

/* Reads the document that `text` (valid UTF-8) is as a whole: JSON, or one code fence with an object or array in it and
 * nothing around it. Nothing is searched for: of a text with more than that NULL, with `error` as above. Linear. */
ee_value *ee_json_whole_text(ee_arena *arena, ee_str text, ee_error *error);

/* Reads the document in `text` with the repairs of the set `allowed` (json_lenient.h), and counts in `*repairs` what it
 * had to do. What ee_json_in_prose_find() reads is read so, too, except for a longer object or array in prose that can
 * be repaired. In this order: the whole text, the first code fence, the longest object or array in the prose. No repair
 * is counted when the result is NULL. Linear. */
ee_value *ee_json_in_prose_repair(ee_arena *arena, ee_str text, unsigned allowed, ee_repairs *repairs, ee_error *error);

#endif
