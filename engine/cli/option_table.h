/* option_table.h: every option of the command line, once.
 */
#ifndef EE_CLI_OPTION_TABLE_H
#define EE_CLI_OPTION_TABLE_H

#include "cli/options.h"

/* Commands as bits: 1 << ee_command (options.h). */
#define EE_COMMAND_BIT(command) (1U << (command))
#define EE_ANY_COMMAND (~0U)

typedef struct ee_option_row {
  ee_option_id id;
  const char *name;     /* long, without dashes; NULL ends the table */
  char letter;          /* short; '\0' when there is none */
  const char *argument; /* NULL: takes none; "a|b|c": one of these; else what stands for the value in --help */
  const char *group;    /* the heading it stands under */
  unsigned commands;    /* that take it, as bits; another one refuses it */
  const char *help;     /* one sentence without full stop */
} ee_option_row;

extern const ee_option_row ee_option_rows[];

typedef struct ee_exit_row {
  int status;
  const char *meaning;
} ee_exit_row;
extern const ee_exit_row ee_exit_rows[]; /* ended by a NULL meaning */

typedef struct ee_usage_row {
  const char *usage;
  const char *help;
} ee_usage_row;

/* A command word; the main job has none. */
typedef struct ee_command_row {
  ee_command command;
  const char *word;     /* "check"; NULL: evaluating */
  const char *operands; /* what it takes, for messages and --help: "RULES.lua [DATA]..." */
  size_t least, most;   /* operands; most 0: any number */
  const char *needs;    /* "a rule file": what is missing where there are too few */
  const char *help;
} ee_command_row;
extern const ee_command_row ee_command_rows[]; /* ended by operands == NULL */
extern const ee_usage_row ee_example_rows[];   /* commands worth copying */

#endif
