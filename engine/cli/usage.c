/* usage.c: --help, the manual page and the shells' completions, all from the option table. */
#include <string.h>

#include "cli/option_table.h"
#include "cli/options.h"
#include "cli/wrap.h"

/* "-j, --jobs N" as it stands in --help. */
static void print_option_head(const ee_option_row *row, ee_buffer *out) {
  if (row->letter != '\0')
    ee_buffer_addf(out, "-%c, --%s", row->letter, row->name);
  else
    ee_buffer_addf(out, "    --%s", row->name);
  if (row->argument != NULL) ee_buffer_addf(out, " %s", row->argument);
}

static void pad_to(ee_buffer *out, size_t start, size_t column) {
  do ee_buffer_add_char(out, ' ');
  while (out->length - start < column);
}

/* "evalengine check [OPTION]... RULES.lua [DATA]...". */
static void print_usage(const ee_command_row *row, ee_buffer *out) {
  ee_buffer_addf(out, "evalengine %s%s[OPTION]... %s", row->word != NULL ? row->word : "", row->word != NULL ? " " : "",
                 row->operands);
}

static void help_usage(const char *heading, const ee_usage_row *rows, ee_buffer *out) {
  ee_buffer_addf(out, "\n%s:\n", heading);
  for (const ee_usage_row *row = rows; row->usage != NULL; row++) {
    ee_buffer_addf(out, "  %s\n      ", row->usage);
    ee_wrap(out, 6, row->help);
  }
}

void ee_options_help(ee_buffer *out) {
  ee_wrap(
      out, 0,
      "evalengine tells how good structured answers are: it compares expected with candidate JSON, case by case, as a "
      "rule file says.");
  ee_buffer_add_text(out, "\nUsage:\n");
  for (const ee_command_row *row = ee_command_rows; row->operands != NULL; row++) {
    ee_buffer_add_text(out, "  ");
    print_usage(row, out);
    ee_buffer_add_text(out, "\n      ");
    ee_wrap(out, 6, row->help);
  }
  help_usage("Examples", ee_example_rows, out);
  const char *group = "";
  for (const ee_option_row *row = ee_option_rows; row->name != NULL; row++) {
    if (strcmp(group, row->group) != 0) {
      group = row->group;
      ee_buffer_addf(out, "\n%s:\n", group);
    }
    size_t start = out->length;
    ee_buffer_add_text(out, "  ");
    print_option_head(row, out);
    if (out->length - start > 36) {
      ee_buffer_add_char(out, '\n');
      start = out->length;
    }
    pad_to(out, start, 38);
    ee_wrap(out, 38, row->help);
  }
  ee_buffer_add_text(out, "\nExit status:\n");
  for (const ee_exit_row *row = ee_exit_rows; row->meaning != NULL; row++) {
    ee_buffer_addf(out, "  %3d  ", row->status);
    ee_wrap(out, 7, row->meaning);
  }
}

/* Text for a roff line: backslashes and leading dots are escaped, dashes are real ones. */
static void roff_text(const char *text, ee_buffer *out) {
  if (*text == '.' || *text == '\'') ee_buffer_add_text(out, "\\&");
  for (; *text != '\0'; text++) {
    if (*text == '\\')
      ee_buffer_add_text(out, "\\e");
    else if (*text == '-')
      ee_buffer_add_text(out, "\\-");
    else
      ee_buffer_add_char(out, *text);
  }
}

static void roff_usage(const ee_usage_row *rows, ee_buffer *out) {
  for (; rows->usage != NULL; rows++) {
    ee_buffer_add_text(out, ".TP\n.B ");
    roff_text(rows->usage, out);
    ee_buffer_add_char(out, '\n');
    roff_text(rows->help, out);
    ee_buffer_add_char(out, '\n');
  }
}

void ee_options_man(ee_buffer *out) {
  ee_buffer_addf(out, ".TH EVALENGINE 1 \"\" \"evalengine %s\" \"User Commands\"\n", EE_VERSION);
  ee_buffer_add_text(out, ".SH NAME\nevalengine \\- tell how good structured answers are\n.SH SYNOPSIS\n");
  for (const ee_command_row *row = ee_command_rows; row->operands != NULL; row++) {
    ee_buffer_add_text(out, ".TP\n.B ");
    ee_buffer usage;
    ee_buffer_init(&usage);
    print_usage(row, &usage);
    roff_text(ee_buffer_terminate(&usage), out);
    ee_buffer_fini(&usage);
    ee_buffer_add_char(out, '\n');
    roff_text(row->help, out);
    ee_buffer_add_char(out, '\n');
  }
  ee_buffer_add_text(out, ".SH EXAMPLES\n");
  roff_usage(ee_example_rows, out);
  ee_buffer_add_text(out, ".SH OPTIONS\n");
  for (const ee_option_row *row = ee_option_rows; row->name != NULL; row++) {
    ee_buffer_add_text(out, ".TP\n.B ");
    if (row->letter != '\0') ee_buffer_addf(out, "\\-%c, ", row->letter);
    ee_buffer_add_text(out, "\\-\\-");
    roff_text(row->name, out);
    if (row->argument != NULL) {
      ee_buffer_add_char(out, ' ');
      roff_text(row->argument, out);
    }
    ee_buffer_add_char(out, '\n');
    roff_text(row->help, out);
    ee_buffer_add_char(out, '\n');
  }
  ee_buffer_add_text(out, ".SH EXIT STATUS\n");
  for (const ee_exit_row *row = ee_exit_rows; row->meaning != NULL; row++) {
    ee_buffer_addf(out, ".TP\n.B %d\n", row->status);
    roff_text(row->meaning, out);
    ee_buffer_add_char(out, '\n');
  }
}

static bool is_choice(const ee_option_row *row) { return row->argument != NULL && strchr(row->argument, '|') != NULL; }

/* "a|b" as "a b". */
static void spaced_choices(const char *choices, ee_buffer *out) {
  for (; *choices != '\0'; choices++) ee_buffer_add_char(out, *choices == '|' ? ' ' : *choices);
}

static void bash_completion(ee_buffer *out) {
  ee_buffer_add_text(out, "_evalengine() {\n  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                          "  case $before in\n");
  for (const ee_option_row *row = ee_option_rows; row->name != NULL; row++) {
    if (!is_choice(row)) continue;
    ee_buffer_addf(out, "  --%s", row->name);
    if (row->letter != '\0') ee_buffer_addf(out, "|-%c", row->letter);
    ee_buffer_add_text(out, ") COMPREPLY=($(compgen -W \"");
    spaced_choices(row->argument, out);
    ee_buffer_add_text(out, "\" -- \"$word\")); return;;\n");
  }
  ee_buffer_add_text(out, "  esac\n  case $word in\n  -*) COMPREPLY=($(compgen -W \"");
  for (const ee_option_row *row = ee_option_rows; row->name != NULL; row++) ee_buffer_addf(out, "--%s ", row->name);
  ee_buffer_add_text(out, "\" -- \"$word\"));;\n  *) COMPREPLY=($(compgen -W \"");
  for (const ee_command_row *row = ee_command_rows; row->operands != NULL; row++)
    if (row->word != NULL) ee_buffer_addf(out, "%s ", row->word);
  ee_buffer_add_text(out, "\" -- \"$word\") "
                          "$(compgen -f -- \"$word\"));;\n  esac\n}\n"
                          "complete -o filenames -F _evalengine evalengine\n");
}

static void zsh_completion(ee_buffer *out) {
  ee_buffer_add_text(out, "#compdef evalengine\n_arguments -s \\\n");
  for (const ee_option_row *row = ee_option_rows; row->name != NULL; row++) {
    ee_buffer_addf(out, "  '--%s%s[", row->name, row->argument != NULL ? "=" : "");
    for (const char *at = row->help; *at != '\0'; at++) {
      if (*at == '[' || *at == ']' || *at == ':') ee_buffer_add_char(out, '\\');
      if (*at == '\'') ee_buffer_add_text(out, "'\\'"); /* the word is quoted: it is closed around the quote */
      ee_buffer_add_char(out, *at);
    }
    ee_buffer_add_char(out, ']');
    if (is_choice(row)) {
      ee_buffer_addf(out, ":%s:(", row->name);
      spaced_choices(row->argument, out);
      ee_buffer_add_char(out, ')');
    } else if (row->argument != NULL) {
      ee_buffer_addf(out, ":%s:%s", row->name, strcmp(row->argument, "FILE") == 0 ? "_files" : "");
    }
    ee_buffer_add_text(out, "' \\\n");
  }
  ee_buffer_add_text(out, "  '*:file:_files'\n");
}

static void fish_completion(ee_buffer *out) {
  for (const ee_option_row *row = ee_option_rows; row->name != NULL; row++) {
    ee_buffer_addf(out, "complete -c evalengine -l %s", row->name);
    if (row->letter != '\0') ee_buffer_addf(out, " -s %c", row->letter);
    if (is_choice(row)) {
      ee_buffer_add_text(out, " -x -a '");
      spaced_choices(row->argument, out);
      ee_buffer_add_char(out, '\'');
    } else if (row->argument != NULL) {
      ee_buffer_add_text(out, strcmp(row->argument, "FILE") == 0 ? " -r" : " -x");
    }
    ee_buffer_add_text(out, " -d '");
    for (const char *at = row->help; *at != '\0'; at++) {
      if (*at == '\'') ee_buffer_add_char(out, '\\');
      ee_buffer_add_char(out, *at);
    }
    ee_buffer_add_text(out, "'\n");
  }
}

bool ee_options_completion(const char *shell, ee_buffer *out) {
  if (strcmp(shell, "bash") == 0)
    bash_completion(out);
  else if (strcmp(shell, "zsh") == 0)
    zsh_completion(out);
  else if (strcmp(shell, "fish") == 0)
    fish_completion(out);
  else
    return false;
  return true;
}
