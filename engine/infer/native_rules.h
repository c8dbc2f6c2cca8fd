/* native_rules.h: rules for files of a tool whose records say what they are, such as spans or boxes. */
#ifndef EE_INFER_NATIVE_RULES_H
#define EE_INFER_NATIVE_RULES_H

#include "data/foreign/foreign.h"
#include "infer/profile.h"
#include "infer/rules_text.h"

/* Appends a rule file with the judges of the format for the members that the profile's documents have, on either side.
 * False, and nothing is appended, if there is no such member: then the values decide. `*judged` (in `scratch`) says
 * what is compared, "extractions (spans)". */
bool ee_native_rules_write(const ee_foreign_format *format, const ee_profile *profile, const ee_rules_origin *origin,
                           ee_arena *scratch, ee_buffer *out, const char **judged);

#endif
