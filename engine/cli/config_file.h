/* config_file.h: --config FILE, what ee.config gives in a rule file.
 */
#ifndef EE_CLI_CONFIG_FILE_H
#define EE_CLI_CONFIG_FILE_H

#include <evalengine.h>

#include "base/arena.h"
#include "data/json/value.h"

/* Reads `file` (plain or .gz; YAML by its name, else JSON) into `arena`: one object. EE_ERROR_RULES, with file, line
 * and column where they are known, when it cannot be read, is broken, has a key twice, or is no object. */
ee_status ee_config_read(const char *file, ee_arena *arena, const ee_value **config, ee_error *error);

#endif
