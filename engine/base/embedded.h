/* embedded.h: text files that are part of the library, embedded at build time (cmake/embed.cmake). */
#ifndef EE_BASE_EMBEDDED_H
#define EE_BASE_EMBEDDED_H

#include <stddef.h>

typedef struct ee_embedded_file {
  const char *name; /* without folder and ending; NULL ends a table */
  const char *text; /* NUL-terminated */
  size_t length;    /* bytes, without the NUL */
} ee_embedded_file;

extern const ee_embedded_file ee_lua_std[];  /* lua/std/NAME.lua, the library's Lua text */
extern const ee_embedded_file ee_lua_meta[]; /* lua/meta/ee.lua.in, the template of the editor's definitions */

#endif
