/* embedded.h: text files that are part of the library, embedded at build time (cmake/embed.cmake). */
#ifndef EE_BASE_EMBEDDED_H
#define EE_BASE_EMBEDDED_H

#include <stddef.h>

typedef struct ee_embedded_file {
  const char *name; /* without folder and extension; NULL ends a table */
  const char *text; /* NUL-terminated */
  size_t length;    /* bytes, without the NUL */
  const char *hash; /* SHA-256 of the file: 64 hexadecimal digits */
} ee_embedded_file;

/* The text of the file `name` in `table`, static; NULL if it is not in the table. Linear. */
const char *ee_embedded_find(const ee_embedded_file *table, const char *name);

/* engine/help/NAME.txt: what a judge or a strategy computes, for --help-on and editors. Each paragraph is one line. */
extern const ee_embedded_file ee_help_texts[];
/* engine/help/NAME.lua: a rule file that shows it. */
extern const ee_embedded_file ee_help_examples[];
extern const ee_embedded_file ee_lua_std[];  /* lua/std/NAME.lua: the part of the library that is written in Lua */
extern const ee_embedded_file ee_lua_meta[]; /* lua/meta/ee.lua.in: template of the type definitions for editors */

#endif
