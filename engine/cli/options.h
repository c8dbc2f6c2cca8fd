/* options.h: the command line: its commands, its options, and the parser that reads both tables.
 *
 * Each command and each option is one row in options.c. The parser, --help, the manual page and the shells' completions
 * read the rows. To add an option: its member of ee_options and its row. To add a command: its file, its row, its test.
 */
#ifndef EE_CLI_OPTIONS_H
#define EE_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/list.h"
#include "data/files/record.h"
#include "lua/state.h"
#include "report/formats.h"
#include "run/where.h"

/* MiB of memory in the jail without --jail-memory. */
#define EE_JAIL_MEMORY 4096

struct ee_option_row;
struct ee_command_row;

typedef enum ee_when { EE_WHEN_AUTO, EE_WHEN_ALWAYS, EE_WHEN_NEVER } ee_when;

/* Values of an option that may be repeated. */
typedef struct ee_texts {
  EE_LIST(const char *);
} ee_texts;
typedef struct ee_parameters {
  EE_LIST(ee_lua_parameter);
} ee_parameters;
typedef struct ee_wheres {
  EE_LIST(ee_where);
} ee_wheres;
typedef struct ee_paths {
  EE_LIST(const ee_path *);
} ee_paths;

typedef struct ee_shares {
  EE_LIST(double);
} ee_shares;

/* "3/8": part 3 of 8, from 1; `of` 0: not given. "100:200": bytes from 0, `to` not included. */
typedef struct ee_part_number {
  uint64_t part, of;
} ee_part_number;
typedef struct ee_byte_range {
  uint64_t from, to;
} ee_byte_range;

/* The values of the command line. Strings borrow from argv; everything else is in the arena. */
typedef struct ee_options {
  const struct ee_command_row *command; /* if `request` is set: whose word is on the command line, else NULL */
  const struct ee_option_row *request;  /* --help and similar: printed instead of running a command; NULL: none */
  const char *request_argument;
  const ee_report_format *format; /* --format, else that of the suffix of `output`, else the table */
  ee_texts sections, columns;     /* of the report; empty: all */
  const char *output;             /* NULL: standard output */
  bool kinds, reasons;            /* of errors, in the report */
  int64_t worst;                  /* worst cases in the report; 0: none */
  int sort;                       /* ee_attribute_order */
  const char *results;            /* NULL: none */
  int detail;                     /* of rows: 0 not given, else 1 + ee_detail; ee_options_detail() decides */
  const char *save_rules;         /* NULL: none */
  const char *expected;           /* NULL: the records have the expected values */
  ee_paths ids, expected_ids, candidates, candidate_lists, trial_paths, expected_paths,
      records;                 /* where records have their parts; empty: the rules say */
  const char *config;          /* a JSON or YAML file: the value of ee.config; NULL: {} */
  const ee_value *config_tree; /* set by ee_options_read_config(); NULL: {} */
  ee_parameters parameters;    /* --set */
  ee_texts fail_under;
  int undecided;                        /* a gate that cannot be decided: 0 fails, 1 passes */
  ee_texts cases;                       /* the ids of those that are printed */
  double confidence;                    /* of intervals; negative: what the rules say */
  const char *cluster;                  /* the path of clusters; NULL: what the rules say */
  ee_shares accept;                     /* wanted accuracies of accepted answers; empty: those of the rules */
  int from;                             /* --from: 0 not given, else 1 + the place in ee_foreign_formats */
  const struct ee_foreign_use *foreign; /* what follows from it; NULL: the files are ours */
  ee_texts only;
  ee_wheres where;      /* conditions on the records */
  bool repair;          /* judge candidates that are nearly JSON by what can be repaired */
  int missing;          /* an expected value without a record: 0 judged as an empty candidate, 1 left out */
  int64_t limit;        /* 0: all */
  int64_t jobs;         /* 0: all cores */
  int64_t lua_budget;   /* instructions; 0: no limit, negative: the default */
  ee_limits limits;     /* --timeout, --max-record and the like */
  const char *ca_file;  /* of a provider; NULL: the system's authorities */
  int64_t max_requests; /* to a provider; 0: as the rules say */
  double max_cost;      /* of a provider's tokens; 0: as the rules say */
  bool strict, offline, allow_programs, no_exec, timings, quiet, verbose;
  int color, progress;    /* ee_when */
  int annotate;           /* 0 never, 1 auto, 2 github */
  int csv_safe;           /* 0 yes, 1 no */
  ee_texts datasets;      /* report: one; bench run: if empty, those that come with the program */
  const char *rules;      /* report: judge the candidates again */
  const char *judge;      /* report: this judge only */
  double threshold;       /* compare: the smallest difference that is a win or a loss */
  bool force;             /* compare: also what other rules judged */
  bool common;            /* compare: only cases that are in both runs */
  int correction;         /* compare: ee_p_correction */
  int pairs;              /* compare: 0 each run against the first, 1 all pairs */
  int fail_on;            /* compare: ee_fail_on (report/comparison.h) */
  int fail_below;         /* trend: ee_trend_gate (report/trend.h) */
  double effect, power;   /* plan: the difference to be found, and with what probability; negative: the usual ones */
  double half_width;      /* plan: of a run's intervals; negative: not given */
  bool clusters;          /* plan: rows must have clusters */
  double margin;          /* trend: what the last run may be below; compare: the largest loss that does not matter */
  ee_texts metrics;       /* trend: [JUDGE:[FIELD:]]METRIC that --fail-below holds; empty: mean_score */
  int bench_mode;         /* bench run: 0 deterministic, 1 variance */
  int64_t trials;         /* bench run; negative: the mode's default */
  int provider;           /* bench run: 0 recorded, 1 openai */
  const char *out;        /* bench run: the run's file; NULL: run.json */
  bool resume;            /* continue an interrupted run */
  ee_texts minimum;       /* bench score: METRIC=X */
  const char *baseline;   /* bench score: an earlier run */
  ee_texts checks;        /* audit: kinds of findings; empty: all */
  const char *annotator;  /* audit: a file of another annotator's values; NULL: none */
  ee_paths sources;       /* audit: where records have the source text; empty: the known names */
  ee_part_number shard;   /* the part of the data that is read */
  ee_part_number part;    /* the number of data that someone else has cut */
  ee_byte_range range;    /* of what standard input is a piece of; `given` says whether it is there */
  const char *state;      /* where the state goes; NULL: none */
  ee_texts keep;          /* which rows are written; empty: all */
  const char *except;     /* ids that earlier parts have; NULL: none */
  const char *duplicates; /* merge: where ids go that several parts have; NULL: nowhere */
  bool partial;           /* merge: parts may be missing */
  ee_texts rows;          /* merge: the rows of the parts */
  bool to_lua, to_yaml;   /* check: print the rules */
  bool persistent;        /* judge: one payload a line until the input ends */
  bool jail;              /* the command runs in a jail (cli/jailed.h) */
  ee_texts jail_read;     /* what may be read there besides what the command line names */
  int64_t jail_memory;    /* MiB; 0: no limit */
  int64_t jail_cpu;       /* seconds; 0: no limit */
  bool allow_network;     /* in the jail */
  const char **operands;  /* without the command word */
  size_t operand_count;
  const char *rules_note; /* which file a name of shipped rules stands for, or hides; NULL: there is no such name */
  const char **given; /* of each row of ee_option_rows, its value on the command line; "" of a flag; NULL: not there */
  ee_arena *arena;    /* owned */
  /* Of the first operand and the file of --rules, those that are rules in YAML or JSON. */
  const char *documents[2];
  size_t document_count;
} ee_options;

/* Commands as bits, for ee_option_row.commands. Each subcommand of `bench` has a bit, and so has `report --rules`,
 * because they take different options. */
enum {
  EE_IN_EVALUATE = 1 << 0,
  EE_IN_CHECK = 1 << 1,
  EE_IN_TEST = 1 << 2,
  EE_IN_JUDGE = 1 << 3,
  EE_IN_REPORT = 1 << 4,
  EE_IN_REPORT_RULES = 1 << 5,
  EE_IN_COMPARE = 1 << 6,
  EE_IN_BENCH_RUN = 1 << 7,
  EE_IN_BENCH_SCORE = 1 << 8,
  EE_IN_BENCH_ADD = 1 << 9,
  EE_IN_AUDIT = 1 << 10,
  EE_IN_INIT = 1 << 11,
  EE_IN_EXPLAIN = 1 << 12,
  EE_IN_TREND = 1 << 13,
  EE_IN_PLAN = 1 << 14,
  EE_IN_AGREE = 1 << 15,
  EE_IN_PART = 1 << 16, /* an evaluation that is not watched */
  EE_IN_MERGE = 1 << 17,
  EE_IN_RULES = 1 << 18,
  EE_IN_ANY = (1 << 19) - 1
};

/* How an option's value is read, and the type of its member of ee_options. */
typedef enum ee_option_kind {
  EE_KIND_FLAG,       /* bool */
  EE_KIND_TEXT,       /* const char * */
  EE_KIND_TEXTS,      /* ee_texts: each use adds one */
  EE_KIND_WORDS,      /* ee_texts: each use adds the words of a,b,c */
  EE_KIND_PARAMETERS, /* ee_parameters: each use adds one NAME=VALUE */
  EE_KIND_PATHS,      /* ee_paths: each use adds the paths of a,b,c */
  EE_KIND_WHERE,      /* ee_wheres: each use adds one PATH=VALUE */
  EE_KIND_CHOICE,     /* int: `min` plus the index of the word in `argument` */
  EE_KIND_COUNT,      /* int64_t: 0 to `max` */
  EE_KIND_LIMIT,      /* uint64_t: the bound with the number `min` (base/limits.h); 0: no bound */
  EE_KIND_SHARES,     /* numbers above 0 and below 1, separated by commas */
  EE_KIND_SHARE,      /* double: 0 to 1 */
  EE_KIND_AMOUNT,     /* double: above 0 */
  EE_KIND_PART,       /* ee_part_number: I/N */
  EE_KIND_RANGE,      /* ee_byte_range: FROM:TO */
  EE_KIND_FORMAT,     /* const ee_report_format *: by its name */
  EE_KIND_REQUEST     /* no member: `print` is called instead of a command */
} ee_option_kind;

typedef struct ee_option_row {
  const char *name; /* long, without dashes; NULL ends the table */
  char letter;      /* short; '\0': none */
  ee_option_kind kind;
  size_t offset; /* of the member in ee_options */
  int64_t min, max;
  ee_status (*print)(const ee_options *options, ee_buffer *out, ee_error *error); /* of a request */
  const char *argument; /* ee_option_argument() returns it; NULL for a format */
  const char *group;    /* heading in --help */
  unsigned commands;    /* EE_IN_ bits of the commands that take it */
  const char *help;     /* one sentence without full stop */
} ee_option_row;

extern const ee_option_row ee_option_rows[];

/* What a command's first operand is, by which it is known. */
typedef enum ee_first_operand {
  EE_FIRST_WORD,  /* the command word */
  EE_FIRST_RULES, /* NAME.lua, or a document of rules */
  EE_FIRST_YAML,  /* another NAME.yaml: a data set */
  EE_FIRST_DATA   /* any other file: judged without a rule file */
} ee_first_operand;

/* A command. Evaluating has no command word: `evalengine RULES.lua DATA`. */
typedef struct ee_command_row {
  const char *word; /* "check"; NULL: evaluating */
  ee_first_operand first;
  unsigned bits;
  const char *operands; /* for messages and --help: "RULES.lua [DATA]..."; NULL ends the table */
  size_t min, max;      /* operands; max 0: any number */
  const char *needs;    /* for the message about too few operands: "a rule file" */
  const char *help;
  int (*run)(const ee_options *options); /* returns the program's exit status */
  const char *example;                   /* a command line, for `COMMAND --help` */
} ee_command_row;

extern const ee_command_row ee_command_rows[];

/* Whether the command has no rule file: the rules follow from the data, and all operands are data. */
static inline bool ee_options_without_rules(const ee_options *options) {
  return options->command->first == EE_FIRST_DATA || options->command->bits == EE_IN_INIT;
}

/* How much rows say: what --detail says, else everything in a report with the cases in it, and the misses in others. */
static inline ee_detail ee_options_detail(const ee_options *options) {
  if (options->detail != 0) return (ee_detail)(options->detail - 1);
  return options->format->cases || options->format->listed != NULL ? EE_DETAIL_FULL : EE_DETAIL_MISSES;
}

/* Whether the first operand of the command is a rule file, or may be one. */
bool ee_command_takes_rules(const ee_command_row *command);

/* Whether the first operand, or the file of --rules, is a rule file: NAME.lua, or a YAML or JSON document of rules
 * (judge/rule_text/rule_document.h). Parsing the options has looked into documents, once, and has failed if it could
 * not. */
bool ee_names_rules(const ee_options *options, const char *file);
/* The row of the evaluation that begins with the first operand: by rules, by a YAML data set, or without rules. */
const ee_command_row *ee_evaluation_of(const ee_options *options);

/* Reads the command line. Options and operands may be mixed; "--" ends the options. Fails with EE_ERROR_USAGE and a
 * message that says what to write instead. Call ee_options_fini() in any case. */
ee_status ee_options_parse(int argc, char **argv, ee_options *options, ee_error *error);
void ee_options_fini(ee_options *options);

/* What a host calls, in place of a command line's operands. */
typedef struct ee_host_words {
  const ee_command_row *command;
  const char *const *operands; /* borrowed for as long as the options, without a command word */
  size_t count;
  bool state; /* --state, to the host's buffer */
} ee_host_words;

/* Reads options from argv[1] on, which has no operands: for a host (host.h), which cannot have options that write files
 * or are about the process (EE_ERROR_USAGE). Without --format the report is JSON. The texts of argv are changed and
 * borrowed. ee_options_fini() in any case. */
ee_status ee_options_parse_for_host(int argc, char **argv, ee_options *options, const ee_host_words *words,
                                    ee_error *error);
/* The row of a command word. */
const ee_command_row *ee_command_named(const char *word);
/* The row of evaluations by the rules at `rules`; NULL: of those without rules. */
const ee_command_row *ee_evaluation_by(const char *rules);

/* What the report shows of mistakes: by --kinds, --reasons and --worst, or because its section is chosen. */
ee_mistake_choice ee_options_mistakes(const ee_options *options);

/* Makes --timeout, --max-record and the like the process's bounds. */
void ee_options_set_limits(const ee_options *options);

/* Reads the file of --config, if there is one, into `config_tree`: one object, from JSON, or YAML by the file's name;
 * plain or .gz. EE_ERROR_RULES, with the place where it is known, when the file cannot be read, is broken, has a key
 * twice, or is not an object; EE_ERROR_USAGE for standard input. */
ee_status ee_options_read_config(ee_options *options, ee_error *error);

/* EE_ERROR_USAGE if the format cannot print `document`, or if --section or --columns are given for a format without
 * them. `command` is the command word for messages; NULL: an evaluation. */
ee_status ee_options_check_format(const ee_options *options, ee_document document, const char *command,
                                  ee_error *error);

/* The name of an option on the command line that no command of `commands` (EE_IN_ bits) takes, the first in the table;
 * NULL if there is none. */
const char *ee_options_misplaced(const ee_options *options, unsigned commands);

/* The value of a parameter as it may be printed. */
static inline const char *ee_parameter_shown(const ee_lua_parameter *parameter) {
  return parameter->secret ? "***" : parameter->value;
}

/* What an option takes, as --help prints it: "N", "a|b|c"; NULL when it takes nothing. In `arena` or static. */
const char *ee_option_argument(const ee_option_row *row, ee_arena *arena);

#endif
