/* file_name.c: names of files that stand in other files. */
#include "base/file_name.h"

#include <string.h>

const char *ee_file_name_beside(ee_arena *arena, const char *file, ee_str name) {
  const char *slash = file != NULL ? strrchr(file, '/') : NULL;
  if (slash == NULL || name.length == 0 || name.data[0] == '/') return ee_arena_copy(arena, name.data, name.length);
  return ee_arena_printf(arena, "%.*s%.*s", (int)(slash + 1 - file), file, (int)name.length, name.data);
}
