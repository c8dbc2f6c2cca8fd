/* file_name.h: names of files that stand in other files.
 */
#ifndef EE_BASE_FILE_NAME_H
#define EE_BASE_FILE_NAME_H

#include "base/arena.h"
#include "base/str.h"

/* `name` as it is meant in `file` (may be NULL): in the folder of `file`, unless it is empty or begins at the root.
 * NUL-terminated, in `arena`. */
const char *ee_file_name_beside(ee_arena *arena, const char *file, ee_str name);

#endif
