/* yaml_parts.h: what the files of yaml_reader.h share.
 *
 * libyaml stays inside yaml_reader.c: what is here takes texts and places. */
#ifndef EE_DATA_YAML_YAML_PARTS_H
#define EE_DATA_YAML_YAML_PARTS_H

#include "base/buffer.h"
#include "data/yaml/yaml_reader.h"

/* Places --------------------------------------------------------------------------------------- */

typedef struct ee_yaml_spot {
  size_t line, column; /* from 1; columns in bytes; line 0: no place */
  size_t offset;       /* bytes from the start of the text as it was given */
} ee_yaml_spot;

/* Fills `error` (may be NULL) with a mistake and its place; returns false. */
bool ee_yaml_fail(ee_error *error, ee_yaml_spot spot, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* `text` for a message: cut to some 40 bytes, line breaks and control characters as '?'. Returns `out`. */
const char *ee_yaml_shown(ee_str text, char out[64]);

/* Notes where `value` stands; `places` may be NULL. */
void ee_yaml_places_put(ee_arena *arena, ee_yaml_places *places, const ee_value *value, ee_yaml_spot spot);

/* A place that moves through a text; forward in steps that cost what they pass. */
typedef struct ee_yaml_cursor {
  const char *first, *start, *end; /* `first`: of the given text; `start`: behind its byte order mark */
  const char *at, *line_start;
  size_t index; /* code points before `at` */
  size_t line;
} ee_yaml_cursor;

/* The place of the code point `index`, and of the byte `at`. A target before the present one starts over. */
ee_yaml_spot ee_yaml_seek_index(ee_yaml_cursor *cursor, size_t index);
ee_yaml_spot ee_yaml_seek_byte(ee_yaml_cursor *cursor, const char *at);

/* The text ------------------------------------------------------------------------------------- */

/* A text as libyaml may have it. libyaml goes by YAML 1.1: it takes U+0085, U+2028 and U+2029 for line breaks and
 * refuses U+007F, the C1 controls, U+FFFE, U+FFFF and surrogate pairs written as two \u escapes, all of which JSON (and
 * YAML 1.2 in quotes) allows. Where a text holds one of these, `fed` has a private-use character in its place that the
 * text uses nowhere else; restoring a scalar puts it back. `fed` is `source` code point for code point. */
typedef struct ee_yaml_text {
  ee_str source; /* UTF-8, behind the byte order mark; borrowed */
  ee_str fed;    /* `source`, or what `copy` holds */
  ee_buffer copy;
  uint32_t stand_ins; /* the first private-use character; 0: none */
  bool unquotable;    /* the text holds characters that may stand in quotes only */
} ee_yaml_text;

/* Looks at the encoding and sets `*cursor` to the start. False with `error` filled. ee_yaml_text_fini() also then. */
bool ee_yaml_text_init(ee_yaml_text *text, ee_str given, ee_yaml_cursor *cursor, ee_error *error);
/* Checks the characters, runs of blanks and directives, and makes `fed`. False with `error` filled. Linear time. */
bool ee_yaml_text_prepare(ee_yaml_text *text, ee_yaml_cursor *cursor, ee_error *error);
void ee_yaml_text_fini(ee_yaml_text *text);

/* The style of a scalar as far as characters go. */
typedef enum ee_yaml_style { EE_YAML_BARE, EE_YAML_SINGLE, EE_YAML_DOUBLE } ee_yaml_style;

/* A scalar of `fed` that libyaml has decoded, as it was meant: itself, or a changed copy in `arena`. `from` is where
 * it begins, for the places of mistakes. Data NULL with `error` filled. */
ee_str ee_yaml_restore(const ee_yaml_text *text, ee_arena *arena, ee_str scalar, ee_yaml_style style,
                       const ee_yaml_cursor *from, ee_error *error);

/* Scalars -------------------------------------------------------------------------------------- */

typedef enum ee_yaml_tag {
  EE_YAML_UNTAGGED, /* to be resolved by the core schema */
  EE_YAML_STR,
  EE_YAML_INT,
  EE_YAML_FLOAT,
  EE_YAML_BOOL,
  EE_YAML_NULL,
  EE_YAML_MAP,
  EE_YAML_SEQ,
  EE_YAML_UNKNOWN
} ee_yaml_tag;

/* The tag of this full name ("tag:yaml.org,2002:str"); NULL is EE_YAML_UNTAGGED. */
ee_yaml_tag ee_yaml_tag_of(const char *name);

/* The node of a scalar, in `arena`; the text is copied. By YAML 1.2.2, section 10.3.2.
 * NULL with `error` filled. */
ee_value *ee_yaml_scalar(ee_arena *arena, ee_str text, ee_yaml_tag tag, ee_yaml_spot spot, ee_error *error);

/* Mistakes ------------------------------------------------------------------------------------- */

/* What libyaml found, and what is known about its surroundings. */
typedef struct ee_yaml_problem {
  const char *problem, *context; /* libyaml's words; may be NULL */
  ee_yaml_spot at, since;        /* where it was found; where the thing began that is being read (line 0: unknown) */
  const char *place;             /* of `at` in the source */
  const ee_yaml_text *text;
  size_t open_line; /* where the innermost brackets opened that are not closed; 0: none */
  bool open_list;   /* they are [] */
  bool begun;       /* the document has begun */
} ee_yaml_problem;

/* Fills `error` with the problem in words for who wrote the text. */
void ee_yaml_report(const ee_yaml_problem *problem, ee_error *error);

/* JSON ----------------------------------------------------------------------------------------- */

typedef enum ee_yaml_json { EE_YAML_IS_JSON, EE_YAML_NO_JSON, EE_YAML_BAD_JSON } ee_yaml_json;

/* Every JSON text is YAML 1.2, but libyaml does not take all of them (tabs before the root, a line break or more than
 * 1024 characters before a colon). Reads `text` when it is JSON: `*root` and `places` filled. EE_YAML_BAD_JSON with
 * `error`: duplicate keys, or too many nodes. */
ee_yaml_json ee_yaml_read_json(ee_arena *arena, ee_str text, ee_yaml_cursor *cursor, ee_yaml_places *places,
                               ee_value **root, ee_error *error);

#endif
