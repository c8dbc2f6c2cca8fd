/* libraries.c: Lua's functions, Unicode's tables, patterns and the mathematics of C. */
#include "cli/libraries.h"

#include <gnu/libc-version.h>
#include <utf8proc.h>
#ifdef EE_WITH_PCRE2
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#endif

#include "lua/state.h"

static void add(ee_part *part, const char *name, const char *version, ee_arena *arena) {
  *EE_LIST_ADD(&part->libraries, arena) = (ee_part_library){ee_str_from(name), ee_str_from(version)};
}

void ee_add_libraries(ee_part *part, ee_arena *arena) {
  add(part, "libc", gnu_get_libc_version(), arena);
  add(part, "lua", ee_lua_release(), arena);
#ifdef EE_WITH_PCRE2
  char *version = ee_arena_calloc(arena, 64, 1);
  /* unreached: versions are shorter */
  if (pcre2_config(PCRE2_CONFIG_VERSION, NULL) <= 64) pcre2_config(PCRE2_CONFIG_VERSION, version);
  add(part, "pcre2", version, arena);
#endif
  add(part, "utf8proc", utf8proc_version(), arena);
}
