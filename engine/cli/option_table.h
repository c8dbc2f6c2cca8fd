/* option_table.h: every option of the command line, once.
 *
 * Layer: cli. */
#ifndef EE_CLI_OPTION_TABLE_H
#define EE_CLI_OPTION_TABLE_H

typedef enum ee_option_id {
  EE_OPT_FORMAT,
  EE_OPT_OUTPUT,
  EE_OPT_RESULTS,
  EE_OPT_JOBS,
  EE_OPT_EXPECTED,
  EE_OPT_SET,
  EE_OPT_FAIL_UNDER,
  EE_OPT_ONLY,
  EE_OPT_LIMIT,
  EE_OPT_STRICT,
  EE_OPT_OFFLINE,
  EE_OPT_LUA_BUDGET,
  EE_OPT_TIMINGS,
  EE_OPT_COLOR,
  EE_OPT_PROGRESS,
  EE_OPT_QUIET,
  EE_OPT_VERBOSE,
  EE_OPT_HELP,
  EE_OPT_VERSION,
  EE_OPT_LIST,
  EE_OPT_HELP_ON,
  EE_OPT_PRINT_MAN,
  EE_OPT_PRINT_COMPLETION,
  EE_OPT_PRINT_META
} ee_option_id;

typedef struct ee_option_row {
  ee_option_id id;
  const char *name;     /* long, without dashes; NULL ends the table */
  char letter;          /* short; '\0' when there is none */
  const char *argument; /* NULL: takes none; "a|b|c": one of these; else what stands for the value in --help */
  const char *group;    /* the heading it stands under */
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
extern const ee_usage_row ee_usage_rows[];   /* the commands */
extern const ee_usage_row ee_example_rows[]; /* commands worth copying */

#endif
