/* options.h: the command line.
 *
 * One table of rows is the only place that names the options: the parser, --help, the manual page and the shells'
 * completions read it. */
#ifndef EE_CLI_OPTIONS_H
#define EE_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "lua/state.h"

typedef enum ee_command {
  EE_COMMAND_EVALUATE,
  EE_COMMAND_CHECK,
  EE_COMMAND_TEST,
  EE_COMMAND_JUDGE,
  EE_COMMAND_REPORT,
  EE_COMMAND_COMPARE,
  EE_COMMAND_BENCH
} ee_command;
typedef enum ee_format {
  EE_FORMAT_TABLE,
  EE_FORMAT_JSON,
  EE_FORMAT_JSONL,
  EE_FORMAT_CSV,
  EE_FORMAT_MARKDOWN
} ee_format;
typedef enum ee_when { EE_WHEN_AUTO, EE_WHEN_ALWAYS, EE_WHEN_NEVER } ee_when;

/* One a row of the option table. */
typedef enum ee_option_id {
  EE_OPT_FORMAT,
  EE_OPT_OUTPUT,
  EE_OPT_RESULTS,
  EE_OPT_JOBS,
  EE_OPT_EXPECTED,
  EE_OPT_CONFIG,
  EE_OPT_DATASET,
  EE_OPT_RULES,
  EE_OPT_JUDGE,
  EE_OPT_PERSISTENT,
  EE_OPT_THRESHOLD,
  EE_OPT_COMMON,
  EE_OPT_FAIL_ON,
  EE_OPT_MODE,
  EE_OPT_TRIALS,
  EE_OPT_PROVIDER,
  EE_OPT_OUT,
  EE_OPT_RESUME,
  EE_OPT_MIN,
  EE_OPT_BASELINE,
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
  EE_OPT_PRINT_META,
  EE_OPTION_IDS /* how many there are */
} ee_option_id;

/* Something else that was asked for; it is printed and the program ends. */
typedef enum ee_request {
  EE_REQUEST_RUN,
  EE_REQUEST_HELP,
  EE_REQUEST_VERSION,
  EE_REQUEST_LIST,
  EE_REQUEST_HELP_ON,
  EE_REQUEST_MAN,
  EE_REQUEST_COMPLETION,
  EE_REQUEST_META
} ee_request;

/* What the command line said. Texts borrow from argv; lists are owned. */
typedef struct ee_options {
  ee_command command;
  ee_request request;
  const char *request_argument;
  ee_format format;
  const char *output;          /* NULL: standard output */
  const char *results;         /* NULL: none */
  const char *expected;        /* NULL: expected values stand in the records */
  const char *config;          /* a JSON or YAML file: what ee.config gives; NULL: {} */
  const ee_value *config_tree; /* what is in it, by ee_options_read_config(); NULL: {} */
  ee_arena *config_arena;      /* of that tree; owned */
  const char *dataset;         /* report: the data set that the results belong to */
  const char **datasets;       /* bench run: --dataset, in order; none: the shipped ones */
  size_t dataset_count;
  int bench_mode;       /* bench run: 0 deterministic, 1 variance */
  unsigned trials;      /* bench run: 0: as the mode has them */
  int provider;         /* bench run: 0 recorded, 1 openai */
  const char *out;      /* bench run: the run's file; NULL: run.json */
  const char *baseline; /* bench score: an earlier run */
  const char **minimum; /* bench score: --min METRIC=X */
  size_t minimum_count;
  bool resume;       /* bench run: go on with a run that was cut */
  const char *rules; /* report: judge the candidates again */
  const char *judge; /* report: this judge only */
  bool persistent;   /* judge: a line each way until the input ends */
  double threshold;  /* compare: least difference of a win or loss */
  bool common;       /* compare: what both have */
  int fail_on;       /* compare: ee_fail_on (report/comparison.h) */
  unsigned jobs;     /* 0: all cores */
  ee_lua_parameter *parameters;
  size_t parameter_count;
  const char **fail_under;
  size_t fail_under_count;
  const char *only;
  uint64_t limit;
  bool strict, offline, timings, quiet, verbose;
  long long lua_budget; /* negative: the default */
  ee_when color, progress;
  const char **operands; /* without the command word */
  size_t operand_count;
  bool given[EE_OPTION_IDS]; /* by ee_option_id: it stood on the command line */
  const char **operand_base; /* what ee_options_fini() frees */
} ee_options;

/* Reads the command line. Options and operands may be mixed; "--" ends the options. Fails with EE_ERROR_USAGE and a
 * message that says what to write instead. ee_options_fini() in either case. */
ee_status ee_options_parse(int argc, char **argv, ee_options *options, ee_error *error);
void ee_options_fini(ee_options *options);

/* Reads the file of --config, where there is one, into `config_tree`: fails as ee_config_read() does (config_file.h).
 */
ee_status ee_options_read_config(ee_options *options, ee_error *error);

/* --help: usage, examples first, then the options by group, and the exit statuses. */
void ee_options_help(ee_buffer *out);
/* A manual page in man(7) macros. */
void ee_options_man(ee_buffer *out);
/* Completions for `shell` (bash, zsh, fish); false for another one. */
bool ee_options_completion(const char *shell, ee_buffer *out);

#endif
