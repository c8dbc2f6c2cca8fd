/* yaml_parts.h: what the files of the YAML reader share. Only yaml_reader.c knows libyaml. */
#ifndef EE_DATA_YAML_YAML_PARTS_H
#define EE_DATA_YAML_YAML_PARTS_H

#include "base/buffer.h"
#include "data/yaml/yaml_reader.h"

/* Places --------------------------------------------------------------------------------------- */

typedef struct ee_yaml_spot {
  size_t line, column; /* from 1; columns in bytes; line 0: unknown */
  size_t offset;       /* bytes from the start of the given text */
} ee_yaml_spot;

/* Fills `error` (may be NULL) with a message and its location; returns false. */
bool ee_yaml_fail(ee_error *error, ee_yaml_spot spot, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Writes `text` for a message to `out` and returns it: cut after 40 bytes, control characters as '?'. */
const char *ee_yaml_shown(ee_str text, char out[64]);

/* A position in a text. Moving forward costs the distance. */
typedef struct ee_yaml_cursor {
  const char *first, *start, *end; /* `first`: of the given text; `start`: after its byte order mark */
  const char *at, *line_start;
  size_t index; /* code points before `at` */
  size_t line;
} ee_yaml_cursor;

/* Moves to the byte `at` and returns its place. A target before the current position starts over from the beginning. */
ee_yaml_spot ee_yaml_seek_byte(ee_yaml_cursor *cursor, const char *at);

/* The text ------------------------------------------------------------------------------------- */

/* A text prepared for libyaml, which follows YAML 1.1: it reads U+0085, U+2028 and U+2029 as line breaks and refuses
 * U+007F, the C1 controls, U+FFFE, U+FFFF and surrogate pairs written as two \u escapes, all of which JSON (and
 * YAML 1.2 in quotes) allows. In `fed` each of these is replaced by a private-use character, its stand-in, that the
 * text uses nowhere else; ee_yaml_restore() puts it back. `fed` has as many code points as `source`, and perhaps a line
 * break after them. */
typedef struct ee_yaml_text {
  ee_str source; /* UTF-8, after the byte order mark; borrowed */
  ee_str fed;    /* for libyaml: `source`, or the content of `copy` */
  ee_buffer copy;
  uint32_t stand_ins; /* the first private-use character; 0: none */
  bool needs_quotes;  /* the text has characters that are only allowed in quotes */
} ee_yaml_text;

/* Checks the encoding and sets `*cursor` to the start. False with `error`. Call ee_yaml_text_fini() in any case. */
bool ee_yaml_text_init(ee_yaml_text *text, ee_str given, ee_yaml_cursor *cursor, ee_error *error);
/* Checks characters, runs of blanks and directives, and fills `fed`. False with `error`. Linear time. */
bool ee_yaml_text_prepare(ee_yaml_text *text, ee_yaml_cursor *cursor, ee_error *error);
void ee_yaml_text_fini(ee_yaml_text *text);

typedef enum ee_yaml_style { EE_YAML_BARE, EE_YAML_SINGLE, EE_YAML_DOUBLE } ee_yaml_style;

/* Puts the original characters back into a scalar that libyaml decoded: returns it, or a changed copy in `arena`.
 * `from` is the start of the scalar, for the locations of errors. Data NULL with `error`. */
ee_str ee_yaml_restore(const ee_yaml_text *text, ee_arena *arena, ee_str scalar, ee_yaml_style style,
                       const ee_yaml_cursor *from, ee_error *error);

/* Scalars -------------------------------------------------------------------------------------- */

typedef enum ee_yaml_tag {
  EE_YAML_UNTAGGED, /* resolved by the core schema */
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

/* The node of a scalar, in `arena`, by YAML 1.2.2, section 10.3.2; the text is copied. NULL with `error`. */
ee_value *ee_yaml_scalar(ee_arena *arena, ee_str text, ee_yaml_tag tag, ee_yaml_spot spot, ee_error *error);

/* Errors of libyaml ------------------------------------------------------------------------------------- */

/* An error of libyaml and its surroundings. */
typedef struct ee_yaml_problem {
  const char *problem, *context; /* libyaml's messages; may be NULL */
  ee_yaml_spot at, since;        /* of the error; of the start of the construct being read (line 0: unknown) */
  const char *place;             /* of `at` in the source */
  const ee_yaml_text *text;
  size_t open_line; /* of the innermost open bracket; 0: none */
  bool open_list;   /* it is [ */
  bool begun;       /* the document has begun */
} ee_yaml_problem;

/* Fills `error` with a message for the author of the text. */
void ee_yaml_report(const ee_yaml_problem *problem, ee_error *error);

#endif
