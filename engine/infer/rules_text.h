/* rules_text.h: writes the rule file and its test, as a person would write them. */
#ifndef EE_INFER_RULES_TEXT_H
#define EE_INFER_RULES_TEXT_H

#include "infer/choose.h"

/* Where the rules come from. */
typedef struct ee_rules_origin {
  const char *name;    /* of the rules, for reports */
  const char *command; /* that writes the same file */
  /* Lua for `case = { ... }` if records do not use the known names; NULL: they do. */
  const char *case_text;
  const char *measures; /* Lua for `measures = { ... }`: numbers that records of another tool have; NULL: none */
} ee_rules_origin;

/* Appends the rule file. The same profile gives the same bytes. */
void ee_rules_text_write(const ee_choices *choices, const ee_profile *profile, const ee_rules_origin *origin,
                         ee_arena *scratch, ee_buffer *out);

/* Appends a test of the rule file at `rules` (a name in the test's folder), to be saved at `test`: one document of the
 * data scores 1 against itself, and less with one value changed. */
void ee_rule_test_text_write(const ee_choices *choices, const ee_profile *profile, const char *rules, const char *test,
                             ee_arena *scratch, ee_buffer *out);

#endif
