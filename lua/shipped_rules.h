/* shipped_rules.h: the rule files that come with the program, by name: "invoice", "compat/anls".
 *
 * The name of a file is its path in the folder of shipped rules (base/data_folder.h) without ".lua"; what it is for
 * says the first sentence of the comment it begins with. Tests (NAME_test.lua) have no names. */
#ifndef EE_LUA_SHIPPED_RULES_H
#define EE_LUA_SHIPPED_RULES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/list.h"

typedef struct ee_shipped_file {
  const char *name; /* "compat/anls" */
  const char *path;
  const char *help; /* the first sentence of its first comment, on one line; "" without one */
  bool is_rules;    /* judges data; else a rule file gets it by require */
} ee_shipped_file;

typedef struct ee_shipped_files {
  EE_LIST(ee_shipped_file);
} ee_shipped_files;

/* All of them, sorted by name in byte order, those of the folder itself before those of folders in it. EE_ERROR_SYSTEM
 * when the folder or a file cannot be read. */
ee_status ee_shipped_list(ee_arena *arena, ee_shipped_files *files, ee_error *error);

/* Sets `*path` to the shipped file of that name, in `arena`; NULL when there is none. `ending` is added to the name:
 * "", or "_test" for its test. EE_ERROR_SYSTEM when the system does not say whether there is one. */
ee_status ee_shipped_find(ee_arena *arena, const char *name, const char *ending, const char **path, ee_error *error);

/* What a name stands for where a rule file is expected. */
typedef struct ee_named_rules {
  const char *path; /* to be opened; the name itself where it is a file's, or nobody's */
  bool shipped;     /* `path` is that of shipped rules */
  bool hidden;      /* there are shipped rules of that name, but a file here has it, too */
} ee_named_rules;

/* Finds out what `name` stands for: a file of that name (with `folders` also a folder), which comes first; shipped
 * rules, with `ending` as above; else the name itself, for a message of who opens it. EE_ERROR_USAGE when there are
 * shipped rules NAME and a file NAME.lua in the current folder, too;
 * EE_ERROR_SYSTEM as above. */
ee_status ee_named_rules_find(const char *name, const char *ending, bool folders, ee_arena *arena,
                              ee_named_rules *found, ee_error *error);

/* EE_ERROR_USAGE with a suggestion if there is no file `name`, and shipped rules or a file NAME.lua are near; else
 * EE_OK. */
ee_status ee_named_rules_check(const char *name, ee_arena *arena, ee_error *error);

#endif
