/* lenient_json.h: the JSON in a model's answer, read as leniently as can be without guessing, and every repair counted.
 *
 * Beside json_in_prose.h, which accepts what is JSON only: here trailing commas are taken away, and it is told
 * what was done. */
#ifndef EE_DATA_JSON_LENIENT_JSON_H
#define EE_DATA_JSON_LENIENT_JSON_H

#include "base/arena.h"
#include "base/error.h"
#include "data/json/value.h"

typedef enum ee_repair {
  EE_REPAIR_BYTE_ORDER_MARK, /* one stood in front */
  EE_REPAIR_FENCE,           /* the JSON stood in a code fence */
  EE_REPAIR_PROSE,           /* text stood around it */
  EE_REPAIR_TRAILING_COMMA,  /* commas before a closing bracket were taken away; counted one by one */
  EE_REPAIR_COUNT
} ee_repair;
/* "byte_order_mark", "fence", "prose", "trailing_comma". */
const char *ee_repair_name(ee_repair repair);

typedef struct ee_repairs {
  uint64_t counts[EE_REPAIR_COUNT];
} ee_repairs;

/* Reads the document in `text` (valid UTF-8): the whole text; else the content of a code fence; else the largest object
 * or list in the prose, where what is one without its trailing commas counts as one. An answer that was cut is no
 * answer. NULL with `error` (the whole text's first mistake) when there is none; no repair is counted then. Linear in
 * the text. */
ee_value *ee_lenient_json_read(ee_arena *arena, ee_str text, ee_repairs *repairs, ee_error *error);

#endif
