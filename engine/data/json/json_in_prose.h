/* json_in_prose.h: the JSON in a text that a model wrote. */
#ifndef EE_DATA_JSON_JSON_IN_PROSE_H
#define EE_DATA_JSON_JSON_IN_PROSE_H

#include <evalengine.h>

#include "base/arena.h"
#include "base/str.h"
#include "data/json/value.h"

/* Reads the document in `text` (valid UTF-8). In this order:
 * - the whole text, if it is JSON;
 * - the content of the first code fence (``` or ~~~, with or without a language) that is JSON;
 * - the longest complete object or array in the prose, the first of equally long ones.
 * In a fence and in prose only objects and arrays count. If the text or a fence ends in the middle of an object or
 * array, the answer was cut off, and nothing inside that object or array is used. NULL with `error` if nothing is
 * found: message and place of the first mistake of the whole text. Cost: linear in the text's length, whatever the text
 * is. */
ee_value *ee_json_in_prose_find(ee_arena *arena, ee_str text, ee_error *error);

typedef enum ee_repair {
  EE_REPAIR_BYTE_ORDER_MARK, /* the text began with one */
  EE_REPAIR_FENCE,           /* the document is in a code fence */
  EE_REPAIR_PROSE,           /* the document is in prose */
  EE_REPAIR_TRAILING_COMMA,  /* a comma before a closing bracket was removed; each one counts */
  EE_REPAIR_COUNT
} ee_repair;
/* "byte_order_mark", "fence", "prose", "trailing_comma". */
const char *ee_repair_name(ee_repair repair);

typedef struct ee_repairs {
  uint64_t counts[EE_REPAIR_COUNT];
} ee_repairs;

/* ee_json_in_prose_find() that also accepts a leading byte order mark and trailing commas, and counts in `*repairs`
 * what it had to do. Prose: the largest object or array after trailing commas are removed. No repair is counted when
 * the result is NULL. Linear. */
ee_value *ee_json_in_prose_repair(ee_arena *arena, ee_str text, ee_repairs *repairs, ee_error *error);

#endif
