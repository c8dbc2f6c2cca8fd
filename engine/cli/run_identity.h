/* run_identity.h: what a run must have in common with one that was cut short to go on where that one ended. */
#ifndef EE_CLI_RUN_IDENTITY_H
#define EE_CLI_RUN_IDENTITY_H

#include "cli/load.h"

/* What is compared, one after the other. */
typedef enum ee_run_trait {
  EE_TRAIT_VERSION,  /* of evalengine */
  EE_TRAIT_RULES,    /* the bytes of all rule files and of the files that they name, --set, --config */
  EE_TRAIT_OPTIONS,  /* that change rows or totals, and what is kept for the report */
  EE_TRAIT_DATA,     /* names of the data files; their content is compared when it is read again */
  EE_TRAIT_EXPECTED, /* name and content of the file of expected values */
  EE_TRAIT_MODEL,    /* that the environment names */
  EE_TRAIT_COUNT
} ee_run_trait;

typedef struct ee_run_identity {
  uint64_t traits[EE_TRAIT_COUNT]; /* hashes */
  char program[24];                /* the version as a text, for messages; "": not known */
} ee_run_identity;

/* What else the run keeps of its cases, beside their rows. */
typedef struct ee_run_keeps {
  bool collected; /* rows for summaries and reports of the rules */
  bool places;    /* of failed cases, for annotations */
} ee_run_keeps;

/* After the data has been opened and surveyed. Reads COCO's files of expected values once more. */
ee_run_identity ee_run_identity_of(const ee_options *options, const ee_plan *plan, const ee_inputs *inputs,
                                   ee_run_keeps keeps);

/* Appends `,"program":"0.1.0","version":"0123456789abcdef","rules":...`. */
void ee_run_identity_write(const ee_run_identity *identity, ee_buffer *out);
/* Reads it from an object; false if a member is missing. */
bool ee_run_identity_read(const ee_value *object, ee_run_identity *identity);

/* "other rules and other options": what `found` has that is not as in `wanted`, in `arena`; NULL: nothing. */
const char *ee_run_identity_difference(const ee_run_identity *wanted, const ee_run_identity *found, ee_arena *arena);

#endif
