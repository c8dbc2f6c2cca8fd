/* beside_file.h: files that a rule file names.
 *
 * Layer: judge. Relative names stand beside the rule file. `subject` is how messages call the option that names the
 * file: "strategies of ee.quality". */
#ifndef EE_JUDGE_BESIDE_FILE_H
#define EE_JUDGE_BESIDE_FILE_H

#include "base/buffer.h"
#include "judge/plan.h"

#define EE_BESIDE_FILE_LIMIT ((size_t)16 << 20)

/* `name` as the system knows it, in the plan's arena; NULL with a mistake for an empty one, or one with a NUL. */
const char *ee_beside_file_name(ee_plan_builder *builder, const ee_spec *spec, const char *subject, ee_str name);

/* Appends the whole ordinary file `name` (as ee_beside_file_name() gave it) to `text` and mixes it into the plan's hash
 * of files. False with a mistake at `spec`'s place when it cannot be read or is larger than EE_BESIDE_FILE_LIMIT. */
bool ee_beside_file_read(ee_plan_builder *builder, const ee_spec *spec, const char *subject, const char *name,
                         ee_buffer *text);

#endif
