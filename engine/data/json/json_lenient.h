/* json_lenient.h: reads text that is nearly JSON, with the mistakes that models and programs make.
 *
 * The one lenient reader: ee.extraction uses it for all answers, other judges with `repair = true`
 * (json_in_prose.h finds the document). It never guesses at content: what a mistake makes ambiguous is not read. */
#ifndef EE_DATA_JSON_JSON_LENIENT_H
#define EE_DATA_JSON_JSON_LENIENT_H

#include "base/arena.h"
#include "base/str.h"
#include "data/json/value.h"

typedef enum ee_repair {
  /* Where the document was found (json_in_prose.h). */
  EE_REPAIR_BYTE_ORDER_MARK, /* the text began with one */
  EE_REPAIR_FENCE,           /* the document is in a code fence */
  EE_REPAIR_PROSE,           /* the document is in prose */
  /* What was wrong in it; each one counts. */
  EE_REPAIR_TRAILING_COMMA,    /* a comma before a closing bracket */
  EE_REPAIR_SINGLE_QUOTES,     /* a string or key in single quotes */
  EE_REPAIR_UNQUOTED_KEY,      /* { total: 5 } */
  EE_REPAIR_COMMENT,           /* // # or slash-star */
  EE_REPAIR_PYTHON_LITERAL,    /* True, False, None */
  EE_REPAIR_NOT_A_NUMBER,      /* NaN, Infinity, -Infinity, read as null */
  EE_REPAIR_CONTROL_CHARACTER, /* a line break or tab in a string */
  EE_REPAIR_ESCAPE,            /* \' and other escapes that JSON does not have */
  EE_REPAIR_DOUBLE_ENCODING,   /* JSON in a JSON string */
  EE_REPAIR_CUT,               /* the text ends inside the document: closed after the last complete value */
  EE_REPAIR_COUNT
} ee_repair;
/* Those of ee.extraction without `repair`, which come first. */
#define EE_REPAIR_PLAIN_COUNT 4
/* Sets of repairs. */
#define EE_REPAIRS_PLAIN ((1u << EE_REPAIR_PLAIN_COUNT) - 1)
#define EE_REPAIRS_ALL ((1u << EE_REPAIR_COUNT) - 1)

/* "trailing_comma", as in JSON reports. */
const char *ee_repair_name(ee_repair repair);
/* "trailing commas", as in messages. */
const char *ee_repair_words(ee_repair repair);

typedef struct ee_repairs {
  uint64_t counts[EE_REPAIR_COUNT];
} ee_repairs;
/* The number of mistakes that were repaired: all but where the document was found. */
uint64_t ee_repairs_total(const ee_repairs *repairs);

/* Reads the object or array that starts at text[0], with the repairs of the set `allowed`, adds to `*repairs` what it
 * had to do, and sets `*end` to the number of bytes read: `text.length` for a document that the end of the text cuts.
 * What JSON accepts is read as JSON reads it. Of a cut document all complete values are kept, but not the one that was
 * being written, nor an object or array that has no complete value yet. NULL, `*repairs` as before, and `*end` where it
 * ended, for other mistakes and when nothing would be left. Linear. */
ee_value *ee_json_lenient_read(ee_arena *arena, ee_str text, unsigned allowed, size_t *end, ee_repairs *repairs);

/* The place after white space, and after comments if `allowed` has them, which are counted. */
size_t ee_json_lenient_skip(ee_str text, size_t at, unsigned allowed, ee_repairs *repairs);

/* Whether the bracket at text[0] begins like a document, valid or not: `{"`, `{ total:`, `[{`, `[1,`, but not "[sic]".
 */
bool ee_json_begins(ee_str text);

/* The number of bytes up to and with the bracket that closes the one at text[0], by counting brackets outside strings;
 * `text.length` if none does. */
size_t ee_json_bracket_extent(ee_str text);

#endif
