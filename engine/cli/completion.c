/* completion.c: completions for bash, zsh and fish, from the rows of options and commands.
 *
 * After a command's word its own options are offered, else those of an evaluation; after an option its choices, names
 * or files; as the first operand commands and files, later files. */
#include <string.h>

#include "cli/usage.h"
#include "judge/judge.h"
#include "judge/strategy/strategy.h"
#include "lua/prims.h"
#include "lua/shipped_rules.h"

/* What follows an option. */
typedef enum value_kind { VALUE_NONE, VALUE_CHOICE, VALUE_NAME, VALUE_FILE, VALUE_ANY } value_kind;

static value_kind value_of(const ee_option_row *row, const char *argument) {
  if (argument == NULL) return VALUE_NONE;
  if (strchr(argument, '|') != NULL && strchr(argument, '[') == NULL) return VALUE_CHOICE;
  if (strcmp(row->name, "help-on") == 0) return VALUE_NAME;
  return strstr(argument, "FILE") != NULL ? VALUE_FILE : VALUE_ANY;
}

/* "a|b" as "a b". */
static void add_choices(const char *choices, ee_buffer *out) {
  for (; *choices != '\0'; choices++) ee_buffer_add_char(out, *choices == '|' ? ' ' : *choices);
}

/* The names that --help-on explains, with spaces between them. */
static void add_names(ee_buffer *out) {
  ee_buffer_add_text(out, "rules gate summary report provider");
  for (const ee_judge_type *const *type = ee_judge_types; *type != NULL; type++)
    ee_buffer_addf(out, " %s", (*type)->name);
  for (const ee_strategy_type *const *type = ee_strategy_types; *type != NULL; type++)
    ee_buffer_addf(out, " %s", (*type)->name);
  for (const ee_lua_prim *prim = ee_lua_prims; prim->name != NULL; prim++) ee_buffer_addf(out, " %s", prim->name);
}

/* The values of an option with choices or names. */
static void add_values(value_kind kind, const char *argument, ee_buffer *out) {
  if (kind == VALUE_CHOICE)
    add_choices(argument, out);
  else if (kind == VALUE_NAME)
    add_names(out);
}

/* The words of the commands, with `between` between them. */
static void add_commands(const char *between, ee_buffer *out) {
  const char *separator = "";
  for (const ee_command_row *row = ee_command_rows; row->operands != NULL; row++) {
    if (row->word == NULL) continue;
    ee_buffer_addf(out, "%s%s", separator, row->word);
    separator = between;
  }
}

/* The names of shipped rules, each after `before`; with `modules` also of what rule files get by require. Nothing
 * without the folder that has them. */
static void add_rules(bool modules, const char *before, ee_arena *arena, ee_buffer *out) {
  ee_shipped_files files;
  if (ee_shipped_list(arena, &files, NULL) != EE_OK) return;
  for (size_t i = 0; i < files.count; i++)
    if (modules || files.items[i].is_rules) ee_buffer_addf(out, "%s%s", before, files.items[i].name);
}

/* The words of commands that take a rule file, each after `before`, which is left out before the first. */
static void add_commands_of_rules(const char *before, ee_buffer *out) {
  const char *separator = "";
  for (const ee_command_row *row = ee_command_rows; row->operands != NULL; row++) {
    if (row->word == NULL || !ee_command_takes_rules(row)) continue;
    ee_buffer_addf(out, "%s%s", separator, row->word);
    separator = before;
  }
}

/* The options that commands of `bits` take, each after `before`. */
static void add_options(unsigned bits, const char *before, ee_buffer *out) {
  for (const ee_option_row *row = ee_option_rows; row->name != NULL; row++)
    if ((row->commands & bits) != 0) ee_buffer_addf(out, "%s%s", before, row->name);
}

/* bash ----------------------------------------------------------------------------------------- */

/* A branch for the options of each kind of value that is not a choice. */
static void add_bash_values(value_kind kind, const char *action, ee_arena *arena, ee_buffer *out) {
  const char *separator = "  ";
  for (const ee_option_row *row = ee_option_rows; row->name != NULL; row++) {
    if (value_of(row, ee_option_argument(row, arena)) != kind) continue;
    ee_buffer_addf(out, "%s--%s", separator, row->name);
    if (row->letter != '\0') ee_buffer_addf(out, "|-%c", row->letter);
    separator = "|";
  }
  ee_buffer_addf(out, ") %sreturn;;\n", action);
}

static void bash_completion(ee_arena *arena, ee_buffer *out) {
  ee_buffer_add_text(out,
                     "# Completions of evalengine for bash.\n"
                     "_evalengine() {\n"
                     "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= options i\n"
                     "  COMPREPLY=()\n"
                     "  # --option=value comes in three words.\n"
                     "  if [[ $word == '=' ]]; then word=; elif [[ $before == '=' ]]; then "
                     "before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
                     "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
                     "    case ${COMP_WORDS[i]} in ");
  add_commands("|", out);
  ee_buffer_add_text(out, ") command=${COMP_WORDS[i]}; break;; esac\n"
                          "  done\n"
                          "  case $before in\n");
  for (const ee_option_row *row = ee_option_rows; row->name != NULL; row++) {
    const char *argument = ee_option_argument(row, arena);
    value_kind kind = value_of(row, argument);
    if (kind != VALUE_CHOICE && kind != VALUE_NAME) continue;
    ee_buffer_addf(out, "  --%s", row->name);
    if (row->letter != '\0') ee_buffer_addf(out, "|-%c", row->letter);
    ee_buffer_add_text(out, ") COMPREPLY=($(compgen -W \"");
    add_values(kind, argument, out);
    ee_buffer_add_text(out, "\" -- \"$word\")); return;;\n");
  }
  add_bash_values(VALUE_FILE, "mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); ", arena, out);
  add_bash_values(VALUE_ANY, "", arena, out);
  ee_buffer_add_text(out, "  esac\n"
                          "  if [[ $word == -* ]]; then\n"
                          "    case $command in\n");
  for (const ee_command_row *row = ee_command_rows; row->operands != NULL; row++) {
    if (row->word == NULL) continue;
    ee_buffer_addf(out, "    %s) options=\"", row->word);
    add_options(row->bits, " --", out);
    ee_buffer_add_text(out, "\";;\n");
  }
  ee_buffer_add_text(out, "    *) options=\"");
  add_options(EE_IN_EVALUATE, " --", out);
  ee_buffer_add_text(out, "\";;\n    esac\n"
                          "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
                          "    return\n"
                          "  fi\n"
                          "  mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
                          "  options=\n"
                          "  [[ $COMP_CWORD != 1 ]] || options=\"");
  add_commands(" ", out);
  add_rules(false, " ", arena, out);
  ee_buffer_add_text(out, "\"\n"
                          "  [[ $COMP_CWORD != 2 ]] || case $command in\n"
                          "  ");
  add_commands_of_rules("|", out);
  ee_buffer_add_text(out, ") options=\"");
  add_rules(false, " ", arena, out);
  ee_buffer_add_text(out, "\";;\n"
                          "  rules) options=\"");
  add_rules(true, " ", arena, out);
  ee_buffer_add_text(out, "\";;\n"
                          "  esac\n"
                          "  COMPREPLY+=($(compgen -W \"$options\" -- \"$word\"))\n"
                          "}\ncomplete -o filenames -F _evalengine evalengine\n");
}

/* zsh ------------------------------------------------------------------------------------------ */

/* `text` inside single quotes; '[', ']' and ':' end parts of a specification. */
static void add_zsh_text(const char *text, ee_buffer *out) {
  for (; *text != '\0'; text++) {
    if (*text == '[' || *text == ']' || *text == ':') ee_buffer_add_char(out, '\\');
    if (*text == '\'')
      ee_buffer_add_text(out, "'\\''");
    else
      ee_buffer_add_char(out, *text);
  }
}

/* The rest of an option's specification for _arguments. */
static void add_zsh_spec(const ee_option_row *row, const char *argument, ee_buffer *out) {
  value_kind kind = value_of(row, argument);
  ee_buffer_add_char(out, '[');
  add_zsh_text(row->help, out);
  ee_buffer_add_char(out, ']');
  if (kind == VALUE_NONE) return;
  ee_buffer_addf(out, ":%s:", row->name);
  if (kind == VALUE_FILE) ee_buffer_add_text(out, "_files");
  if (kind != VALUE_CHOICE && kind != VALUE_NAME) return;
  ee_buffer_add_char(out, '(');
  add_values(kind, argument, out);
  ee_buffer_add_char(out, ')');
}

static void zsh_completion(ee_arena *arena, ee_buffer *out) {
  ee_buffer_add_text(out, "#compdef evalengine\n"
                          "# Completions of evalengine for zsh.\n"
                          "_evalengine() {\n"
                          "  local -A long short\n"
                          "  local -a names specs commands rules files\n");
  for (const ee_option_row *row = ee_option_rows; row->name != NULL; row++) {
    const char *argument = ee_option_argument(row, arena);
    ee_buffer_addf(out, "  long[%s]='--%s%s", row->name, row->name, argument != NULL ? "=" : "");
    add_zsh_spec(row, argument, out);
    ee_buffer_add_text(out, "'\n");
    if (row->letter == '\0') continue;
    ee_buffer_addf(out, "  short[%s]='-%c%s", row->name, row->letter, argument != NULL ? "+" : "");
    add_zsh_spec(row, argument, out);
    ee_buffer_add_text(out, "'\n");
  }
  ee_buffer_add_text(out, "  commands=(\n");
  for (const ee_command_row *row = ee_command_rows; row->operands != NULL; row++) {
    if (row->word == NULL) continue;
    ee_buffer_addf(out, "    '%s:", row->word);
    add_zsh_text(row->help, out);
    ee_buffer_add_text(out, "'\n");
  }
  ee_buffer_add_text(out, "  )\n  rules=(");
  add_rules(false, " ", arena, out);
  ee_buffer_add_text(out, " )\n  files=(");
  add_rules(true, " ", arena, out);
  ee_buffer_add_text(out, " )\n  case $words[2] in\n");
  for (const ee_command_row *row = ee_command_rows; row->operands != NULL; row++) {
    if (row->word == NULL) continue;
    ee_buffer_addf(out, "  %s) names=(", row->word);
    add_options(row->bits, " ", out);
    ee_buffer_add_text(out, " );;\n");
  }
  ee_buffer_add_text(out, "  *) names=(");
  add_options(EE_IN_EVALUATE, " ", out);
  ee_buffer_add_text(out, " );;\n"
                          "  esac\n"
                          "  for name in $names; do\n"
                          "    specs+=(\"$long[$name]\")\n"
                          "    [[ -z $short[$name] ]] || specs+=(\"$short[$name]\")\n"
                          "  done\n"
                          "  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
                          "    _describe -t commands command commands\n"
                          "    compadd -a rules\n"
                          "    _files\n"
                          "  elif (( CURRENT == 3 )) && [[ $words[2] == rules ]]; then\n"
                          "    compadd -a files\n"
                          "  elif (( CURRENT == 3 )) && [[ $words[3] != -* && $words[2] == (");
  add_commands_of_rules("|", out);
  ee_buffer_add_text(out, ") ]]; then\n"
                          "    compadd -a rules\n"
                          "    _files\n"
                          "  else\n"
                          "    _arguments -s : $specs '*:file:_files'\n"
                          "  fi\n"
                          "}\n"
                          "_evalengine \"$@\"\n");
}

/* fish ----------------------------------------------------------------------------------------- */

static void add_fish_text(const char *text, ee_buffer *out) {
  ee_buffer_add_char(out, '\'');
  for (; *text != '\0'; text++) {
    if (*text == '\'' || *text == '\\') ee_buffer_add_char(out, '\\');
    ee_buffer_add_char(out, *text);
  }
  ee_buffer_add_char(out, '\'');
}

/* When the option is offered: after a command that takes it; one of evaluations, where no command follows that does
 * not.
 */
static void add_fish_condition(const ee_option_row *row, ee_buffer *out) {
  if (row->commands == EE_IN_ANY) return;
  bool evaluates = (row->commands & EE_IN_EVALUATE) != 0, any = false;
  for (const ee_command_row *command = ee_command_rows; command->operands != NULL; command++) {
    bool takes = (row->commands & command->bits) != 0;
    if (command->word == NULL || takes == evaluates) continue;
    if (!any) ee_buffer_addf(out, " -n '%s__fish_seen_subcommand_from", evaluates ? "not " : "");
    ee_buffer_addf(out, " %s", command->word);
    any = true;
  }
  if (any) ee_buffer_add_char(out, '\'');
}

static void fish_completion(ee_arena *arena, ee_buffer *out) {
  ee_buffer_add_text(out, "# Completions of evalengine for fish.\n");
  for (const ee_command_row *row = ee_command_rows; row->operands != NULL; row++) {
    if (row->word == NULL) continue;
    ee_buffer_addf(out, "complete -c evalengine -n __fish_use_subcommand -a %s -d ", row->word);
    add_fish_text(row->help, out);
    ee_buffer_add_char(out, '\n');
  }
  ee_buffer_add_text(out, "complete -c evalengine -n __fish_use_subcommand -a '");
  add_rules(false, " ", arena, out);
  ee_buffer_add_text(out, "' -d rules\ncomplete -c evalengine -n '__fish_seen_subcommand_from ");
  add_commands_of_rules(" ", out);
  ee_buffer_add_text(out, "' -a '");
  add_rules(false, " ", arena, out);
  ee_buffer_add_text(out, "' -d rules\ncomplete -c evalengine -n '__fish_seen_subcommand_from rules' -a '");
  add_rules(true, " ", arena, out);
  ee_buffer_add_text(out, "' -d rules\n");
  for (const ee_option_row *row = ee_option_rows; row->name != NULL; row++) {
    const char *argument = ee_option_argument(row, arena);
    value_kind kind = value_of(row, argument);
    ee_buffer_add_text(out, "complete -c evalengine");
    add_fish_condition(row, out);
    ee_buffer_addf(out, " -l %s", row->name);
    if (row->letter != '\0') ee_buffer_addf(out, " -s %c", row->letter);
    if (kind == VALUE_CHOICE || kind == VALUE_NAME) {
      ee_buffer_add_text(out, " -x -a '");
      add_values(kind, argument, out);
      ee_buffer_add_char(out, '\'');
    } else if (kind != VALUE_NONE) {
      ee_buffer_add_text(out, kind == VALUE_FILE ? " -r" : " -x");
    }
    ee_buffer_add_text(out, " -d ");
    add_fish_text(row->help, out);
    ee_buffer_add_char(out, '\n');
  }
}

ee_status ee_print_completion(const ee_options *options, ee_buffer *out, ee_error *error) {
  static const struct {
    const char *shell;
    void (*print)(ee_arena *arena, ee_buffer *out);
  } shells[] = {{"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};
  const char *shell = options->request_argument;
  for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
    if (strcmp(shell, shells[i].shell) != 0) continue;
    shells[i].print(options->arena, out);
    return EE_OK;
  }
  return ee_error_set(error, EE_ERROR_USAGE, "no completions for '%s' (bash, zsh, fish)", shell);
}
