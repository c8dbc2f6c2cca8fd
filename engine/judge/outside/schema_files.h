/* schema_files.h: the JSON and YAML files that an ee.schema reads: its own, those that it refers to, its registry. */
#ifndef EE_JUDGE_OUTSIDE_SCHEMA_FILES_H
#define EE_JUDGE_OUTSIDE_SCHEMA_FILES_H

#include "data/schema/json_schema.h"
#include "judge/compile.h"

/* Files of a registry, and their bytes together. */
#define EE_REGISTRY_FILES 10000
#define EE_REGISTRY_BYTES ((size_t)256 << 20)

/* Reads the file `name` (of ee_compile_file_path()), YAML by its name, else JSON, as a frozen document in the plan's
 * arena, and adds its text to the plan's rules_hash. NULL with an error at the file's line or at the node. Duplicate
 * keys of JSON are warnings. */
const ee_value *ee_schema_file_read(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                                    const char *name);

/* Where the file `name` is, as an absolute file: URI in the plan's arena; empty if the working directory is not known.
 */
ee_str ee_schema_file_location(ee_plan_builder *builder, const char *name);

/* Fills `options`' registry from the option 'registry' of `node`: a file or a folder, or a table of these, positional
 * or by URI. False with errors. */
bool ee_schema_registry_compile(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                                ee_schema_options *options);

/* For ee_schema_options.load while a schema is compiled: gives files in the folder of `location` and below it. */
typedef struct ee_schema_loader {
  ee_plan_builder *builder;
  const ee_rule_node *node;
  ee_str location;
} ee_schema_loader;
bool ee_schema_load(void *user, ee_arena *arena, ee_str uri, ee_schema_source *source, const char **why);

#endif
