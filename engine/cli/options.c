/* options.c: one table of options and the parser that walks it. */
#include "cli/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/config_file.h"
#include "cli/option_table.h"
#include "data/yaml/yaml_reader.h"
#include "report/bench_metrics.h"

/* The row of a long option, also by an unambiguous "--name=value" head; NULL when there is none. */
static const ee_option_row *find_long(const char *name, size_t length) {
  for (const ee_option_row *row = ee_option_rows; row->name != NULL; row++)
    if (strlen(row->name) == length && memcmp(row->name, name, length) == 0) return row;
  return NULL;
}

static const ee_option_row *find_short(char letter) {
  for (const ee_option_row *row = ee_option_rows; row->name != NULL; row++)
    if (row->letter != '\0' && row->letter == letter) return row;
  return NULL;
}

static ee_status unknown_long(const char *name, size_t length, ee_error *error) {
  const char *names[64];
  size_t count = 0;
  for (const ee_option_row *row = ee_option_rows; row->name != NULL && count < 63; row++) names[count++] = row->name;
  names[count] = NULL;
  char word[64];
  size_t kept = length < sizeof word - 1 ? length : sizeof word - 1;
  memcpy(word, name, kept);
  word[kept] = '\0';
  const char *near = ee_did_you_mean(word, names);
  if (near != NULL)
    return ee_error_set(error, EE_ERROR_USAGE, "unknown option '--%s' (did you mean '--%s'?)", word, near);
  return ee_error_set(error, EE_ERROR_USAGE, "unknown option '--%s' (see --help)", word);
}

/* A whole number from 0, all of `text`. */
static bool parse_count(const char *text, unsigned long long max, unsigned long long *value) {
  if (*text < '0' || *text > '9') return false;
  unsigned long long sum = 0;
  for (; *text != '\0'; text++) {
    if (*text < '0' || *text > '9') return false;
    unsigned digit = (unsigned)(*text - '0');
    if (sum > (max - digit) / 10) return false;
    sum = sum * 10 + digit;
  }
  *value = sum;
  return true;
}

/* The index of `text` among "a|b|c", or -1. */
static int find_choice(const char *choices, const char *text) {
  size_t length = strlen(text);
  int index = 0;
  for (const char *at = choices;; index++) {
    size_t span = strcspn(at, "|");
    if (span == length && memcmp(at, text, length) == 0) return index;
    if (at[span] == '\0') return -1;
    at += span + 1;
  }
}

static ee_status apply_choice(const ee_option_row *row, const char *value, int *target, ee_error *error) {
  int index = find_choice(row->argument, value);
  if (index < 0)
    return ee_error_set(error, EE_ERROR_USAGE, "unknown value '%s' for --%s (one of %s)", value, row->name,
                        row->argument);
  *target = index;
  return EE_OK;
}

static ee_status apply_count(const ee_option_row *row, const char *value, unsigned long long max,
                             unsigned long long *target, ee_error *error) {
  if (!parse_count(value, max, target))
    return ee_error_set(error, EE_ERROR_USAGE, "--%s takes a whole number from 0 to %llu, not '%s'", row->name, max,
                        value);
  return EE_OK;
}

/* A number from 0 to 1. */
static ee_status apply_share(const ee_option_row *row, const char *value, double *target, ee_error *error) {
  char *end;
  double number = strtod(value, &end); /* the program's locale is "C" */
  if (end != value && *end == '\0' && number >= 0 && number <= 1) {
    *target = number;
    return EE_OK;
  }
  return ee_error_set(error, EE_ERROR_USAGE, "--%s takes a number from 0 to 1, not '%s'", row->name, value);
}

static ee_status add_parameter(ee_options *options, char *value, ee_error *error) {
  char *equals = strchr(value, '=');
  if (equals == NULL || equals == value)
    return ee_error_set(error, EE_ERROR_USAGE, "--set takes NAME=VALUE, not '%s'", value);
  *equals = '\0';
  options->parameters = ee_realloc(options->parameters, options->parameter_count + 1, sizeof *options->parameters);
  options->parameters[options->parameter_count++] = (ee_lua_parameter){.name = value, .value = equals + 1};
  return EE_OK;
}

static ee_status request(ee_options *options, ee_request what, const char *argument) {
  /* The first request wins: `--help --version` prints the help. */
  if (options->request == EE_REQUEST_RUN) {
    options->request = what;
    options->request_argument = argument;
  }
  return EE_OK;
}

static ee_status apply(ee_options *options, const ee_option_row *row, char *value, ee_error *error) {
  unsigned long long number = 0;
  int choice = 0;
  ee_status status = EE_OK;
  options->given[row->id] = true;
  switch (row->id) {
  case EE_OPT_FORMAT:
    status = apply_choice(row, value, &choice, error);
    if (status == EE_OK) options->format = (ee_format)choice;
    return status;
  case EE_OPT_COLOR:
    status = apply_choice(row, value, &choice, error);
    if (status == EE_OK) options->color = (ee_when)choice;
    return status;
  case EE_OPT_PROGRESS:
    status = apply_choice(row, value, &choice, error);
    if (status == EE_OK) options->progress = (ee_when)choice;
    return status;
  case EE_OPT_OUTPUT: options->output = value; return EE_OK;
  case EE_OPT_EXPECTED: options->expected = value; return EE_OK;
  case EE_OPT_CONFIG: options->config = value; return EE_OK;
  case EE_OPT_DATASET:
    options->dataset = value;
    options->datasets = ee_realloc(options->datasets, options->dataset_count + 1, sizeof *options->datasets);
    options->datasets[options->dataset_count++] = value;
    return EE_OK;
  case EE_OPT_MODE: return apply_choice(row, value, &options->bench_mode, error);
  case EE_OPT_PROVIDER: return apply_choice(row, value, &options->provider, error);
  case EE_OPT_TRIALS:
    status = apply_count(row, value, EE_BENCH_MOST_TRIALS, &number, error);
    options->trials = (unsigned)number;
    return status;
  case EE_OPT_OUT: options->out = value; return EE_OK;
  case EE_OPT_RESUME: options->resume = true; return EE_OK;
  case EE_OPT_BASELINE: options->baseline = value; return EE_OK;
  case EE_OPT_MIN:
    options->minimum = ee_realloc(options->minimum, options->minimum_count + 1, sizeof *options->minimum);
    options->minimum[options->minimum_count++] = value;
    return EE_OK;
  case EE_OPT_RULES: options->rules = value; return EE_OK;
  case EE_OPT_JUDGE: options->judge = value; return EE_OK;
  case EE_OPT_PERSISTENT: options->persistent = true; return EE_OK;
  case EE_OPT_COMMON: options->common = true; return EE_OK;
  case EE_OPT_THRESHOLD: return apply_share(row, value, &options->threshold, error);
  case EE_OPT_FAIL_ON:
    status = apply_choice(row, value, &choice, error);
    if (status == EE_OK) options->fail_on = choice + 1;
    return status;
  case EE_OPT_RESULTS: options->results = value; return EE_OK;
  case EE_OPT_JOBS:
    status = apply_count(row, value, 1024, &number, error);
    options->jobs = (unsigned)number;
    return status;
  case EE_OPT_LIMIT:
    status = apply_count(row, value, INT64_MAX, &number, error);
    options->limit = number;
    return status;
  case EE_OPT_LUA_BUDGET:
    status = apply_count(row, value, INT64_MAX, &number, error);
    options->lua_budget = (long long)number;
    return status;
  case EE_OPT_SET: return add_parameter(options, value, error);
  case EE_OPT_FAIL_UNDER:
    options->fail_under = ee_realloc(options->fail_under, options->fail_under_count + 1, sizeof *options->fail_under);
    options->fail_under[options->fail_under_count++] = value;
    return EE_OK;
  case EE_OPT_ONLY: options->only = value; return EE_OK;
  case EE_OPT_STRICT: options->strict = true; return EE_OK;
  case EE_OPT_OFFLINE: options->offline = true; return EE_OK;
  case EE_OPT_TIMINGS: options->timings = true; return EE_OK;
  case EE_OPT_QUIET: options->quiet = true; return EE_OK;
  case EE_OPT_VERBOSE: options->verbose = true; return EE_OK;
  case EE_OPT_HELP: return request(options, EE_REQUEST_HELP, NULL);
  case EE_OPT_VERSION: return request(options, EE_REQUEST_VERSION, NULL);
  case EE_OPT_LIST: return request(options, EE_REQUEST_LIST, NULL);
  case EE_OPT_HELP_ON: return request(options, EE_REQUEST_HELP_ON, value);
  case EE_OPT_PRINT_MAN: return request(options, EE_REQUEST_MAN, NULL);
  case EE_OPT_PRINT_COMPLETION: return request(options, EE_REQUEST_COMPLETION, value);
  case EE_OPT_PRINT_META: return request(options, EE_REQUEST_META, NULL);
  case EE_OPTION_IDS: break;
  }
  return EE_OK;
}

static ee_status missing_argument(const ee_option_row *row, ee_error *error) {
  return ee_error_set(error, EE_ERROR_USAGE, "--%s needs a value: --%s %s", row->name, row->name, row->argument);
}

/* "--name", "--name=value" or "--name value" at argv[*at]; leaves *at on the last word taken. */
static ee_status parse_long(int argc, char **argv, int *at, ee_options *options, ee_error *error) {
  char *name = argv[*at] + 2;
  size_t length = strcspn(name, "=");
  const ee_option_row *row = find_long(name, length);
  if (row == NULL) return unknown_long(name, length, error);
  char *value = name[length] == '=' ? name + length + 1 : NULL;
  if (row->argument == NULL && value != NULL)
    return ee_error_set(error, EE_ERROR_USAGE, "--%s takes no value", row->name);
  if (row->argument != NULL && value == NULL) {
    if (*at + 1 >= argc) return missing_argument(row, error);
    value = argv[++*at];
  }
  return apply(options, row, value, error);
}

/* "-qv", "-j4", "-j 4". */
static ee_status parse_short(int argc, char **argv, int *at, ee_options *options, ee_error *error) {
  for (char *letter = argv[*at] + 1; *letter != '\0'; letter++) {
    const ee_option_row *row = find_short(*letter);
    if (row == NULL) return ee_error_set(error, EE_ERROR_USAGE, "unknown option '-%c' (see --help)", *letter);
    if (row->argument == NULL) {
      ee_status status = apply(options, row, NULL, error);
      if (status != EE_OK) return status;
      continue;
    }
    char *value = letter + 1;
    if (*value == '\0') {
      if (*at + 1 >= argc) return missing_argument(row, error);
      value = argv[++*at];
    }
    return apply(options, row, value, error);
  }
  return EE_OK;
}

static bool has_ending(const char *text, const char *ending) {
  size_t length = strlen(text), tail = strlen(ending);
  return length >= tail && strcmp(text + length - tail, ending) == 0;
}

/* The row of the command that the first operand names, or of the kind of file that it is; NULL for neither. */
static const ee_command_row *find_command(const char *first) {
  bool yaml = ee_is_yaml_name(first), lua = has_ending(first, ".lua");
  for (const ee_command_row *row = ee_command_rows; row->operands != NULL; row++) {
    bool wanted = row->word != NULL ? strcmp(first, row->word) == 0 : yaml ? row->least == 1 : lua;
    if (wanted) return row;
  }
  return NULL;
}

static ee_status no_command(const char *first, ee_error *error) {
  const char *words[16];
  size_t count = 0;
  for (const ee_command_row *row = ee_command_rows; row->operands != NULL && count < 15; row++)
    if (row->word != NULL) words[count++] = row->word;
  words[count] = NULL;
  const char *near = strchr(first, '.') == NULL && strchr(first, '/') == NULL ? ee_did_you_mean(first, words) : NULL;
  if (near != NULL)
    return ee_error_set(error, EE_ERROR_USAGE, "unknown command '%s' (did you mean '%s'?)", first, near);
  return ee_error_set(error, EE_ERROR_USAGE, "'%s' is no rule file: its name must end in .lua (a data set's in .yaml)",
                      first);
}

/* An option that the command would not look at is a mistake. */
static ee_status check_taken(const ee_options *options, const ee_command_row *command, ee_error *error) {
  for (const ee_option_row *row = ee_option_rows; row->name != NULL; row++) {
    if (!options->given[row->id] || (row->commands & EE_COMMAND_BIT(command->command)) != 0) continue;
    if (command->word == NULL)
      return ee_error_set(error, EE_ERROR_USAGE, "--%s is of no use in an evaluation (see --help)", row->name);
    return ee_error_set(error, EE_ERROR_USAGE, "--%s is of no use to '%s' (see --help)", row->name, command->word);
  }
  return EE_OK;
}

/* The first operand is a command when it is one of the words; what follows must fit it. */
static ee_status check_operands(ee_options *options, ee_error *error) {
  const char *first = options->operand_count > 0 ? options->operands[0] : NULL;
  if (first == NULL)
    return ee_error_set(error, EE_ERROR_USAGE, "nothing to do: give a rule file and a data set (see --help)");
  const ee_command_row *command = find_command(first);
  if (command == NULL) return no_command(first, error);
  options->command = command->command;
  if (command->word != NULL) {
    options->operands++;
    options->operand_count--;
  }
  size_t count = options->operand_count;
  if (command->word == NULL && count < command->least)
    return ee_error_set(error, EE_ERROR_USAGE, "no data set: evalengine %s DATA.jsonl (- reads standard input)", first);
  if (count < command->least)
    return ee_error_set(error, EE_ERROR_USAGE, "'%s' needs %s: evalengine %s %s", command->word, command->needs,
                        command->word, command->operands);
  if (command->most > 0 && count > command->most)
    return ee_error_set(error, EE_ERROR_USAGE, "'%s' does not know what to do with '%s': evalengine %s %s",
                        command->word, options->operands[command->most], command->word, command->operands);
  size_t inputs = 0;
  for (size_t i = 0; i < count; i++) inputs += strcmp(options->operands[i], "-") == 0;
  if (inputs > 1) return ee_error_set(error, EE_ERROR_USAGE, "standard input '-' is given twice");
  return check_taken(options, command, error);
}

ee_status ee_options_parse(int argc, char **argv, ee_options *options, ee_error *error) {
  *options = (ee_options){.lua_budget = -1};
  options->operands = ee_calloc((size_t)argc + 1, sizeof *options->operands);
  options->operand_base = options->operands;
  bool only_operands = false;
  for (int at = 1; at < argc; at++) {
    ee_status status = EE_OK;
    if (only_operands || argv[at][0] != '-' || argv[at][1] == '\0')
      options->operands[options->operand_count++] = argv[at];
    else if (strcmp(argv[at], "--") == 0)
      only_operands = true;
    else if (argv[at][1] == '-')
      status = parse_long(argc, argv, &at, options, error);
    else
      status = parse_short(argc, argv, &at, options, error);
    if (status != EE_OK) return status;
  }
  if (options->request != EE_REQUEST_RUN) return EE_OK;
  return check_operands(options, error);
}

ee_status ee_options_read_config(ee_options *options, ee_error *error) {
  if (options->config == NULL) return EE_OK;
  options->config_arena = ee_malloc(sizeof *options->config_arena);
  ee_arena_init(options->config_arena, 0);
  return ee_config_read(options->config, options->config_arena, &options->config_tree, error);
}

void ee_options_fini(ee_options *options) {
  if (options->config_arena != NULL) ee_arena_fini(options->config_arena);
  free(options->config_arena);
  free(options->parameters);
  free(options->fail_under);
  free(options->datasets);
  free(options->minimum);
  free(options->operand_base);
  *options = (ee_options){0};
}
