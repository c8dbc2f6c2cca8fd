/* usage.c: help texts and the manual page, all from the rows of options, commands, judges, strategies and
 * primitives. */
#include "cli/usage.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/embedded.h"
#include "cli/limits_list.h"
#include "judge/error_kind.h"
#include "judge/judge.h"
#include "judge/plan.h"
#include "judge/strategy/strategy.h"
#include "lua/meta.h"
#include "lua/prims.h"
#include "prim/unicode.h"

typedef struct exit_row {
  int status;
  const char *meaning;
} exit_row;

static const exit_row exits[] = {
    {0, "evaluated; every gate passed"},
    {1, "evaluated; a gate, a rule test or a comparison failed"},
    {2, "wrong usage"},
    {3, "invalid rule file, data set, configuration or bench record; compare: runs judged by different rules; "
        "merge: states that do not belong together, or parts that are missing"},
    {4,
     "some records could not be read, a rule raised an error, a provider did not answer, or a value or judge was given "
     "up at a limit: the results are of all "
     "others, and the last message says if they are incomplete because an input could not be read to its end"},
    {5, "could not finish: memory, input or output"},
    {130,
     "interrupted: while cases are judged, the report is of those that are finished, and later there is none; "
     "--results FILE and --output FILE are FILE.part then, and FILE stays as it was; a part (--state) leaves no state"},
    {141, "standard output was closed before the end (| head): no message, and no gate was decided"},
    {143, "the same after SIGTERM"},
    {0, NULL},
};

typedef struct example_row {
  const char *command, *help;
} example_row;

static const example_row examples[] = {
    {"evalengine rules/invoice.lua samples/invoices.jsonl", "a table of what is right and wrong"},
    {"evalengine rules/invoice.lua data.jsonl --results r.jsonl", "and one line a case to look into"},
    {"evalengine rules/invoice.lua data.jsonl --fail-under mean_score=0.9", "for CI: exit status 1 below 0.9"},
    {"zcat data.jsonl.gz | evalengine -f json rules/invoice.lua -", "from a pipe, the summary as JSON"},
    {"evalengine invoice data.jsonl", "by shipped rules; 'evalengine rules' lists them"},
    {"evalengine dataset.yaml results.jsonl", "with the evaluators of a YAML data set"},
    {"evalengine judge rules.lua < payload.json", "run as a code_judge of another program"},
    {"evalengine --help-on numeric", "what a strategy computes"},
    {NULL, NULL},
};

/* Lines of 80 columns -------------------------------------------------------------------------- */

/* A wider word is a list of choices, not a formula with bars. */
#define LONGEST_WORD 40

static size_t width_of(const char *text, size_t length) { return ee_text_width((ee_str){text, length}); }

/* The width of the last line of `out` so far. */
static size_t column_of(const ee_buffer *out) {
  size_t start = out->length;
  while (start > 0 && out->data[start - 1] != '\n') start--;
  return start == out->length ? 0 : width_of(out->data + start, out->length - start);
}

static void start_line(ee_buffer *out, size_t indent) {
  ee_buffer_add_char(out, '\n');
  for (size_t i = 0; i < indent; i++) ee_buffer_add_char(out, ' ');
}

/* The length of the next piece that must stay in one line. `*choices` is the end of the current list of choices. */
static size_t piece_of(const char *text, const char **choices) {
  size_t word = strcspn(text, " \n");
  if (width_of(text, word) > LONGEST_WORD) *choices = text + word;
  if (text >= *choices) return word;
  size_t choice = strcspn(text, "| \n");
  return choice < word ? choice + 1 : word;
}

void ee_wrap(ee_buffer *out, size_t indent, const char *text) {
  size_t column = column_of(out);
  const char *choices = text;
  bool first = true; /* in its line */
  while (*text != '\0') {
    if (*text == '\n') {
      ee_buffer_add_char(out, '\n');
      text++;
      for (column = 0; *text != '\0' && *text != '\n' && column < indent; column++) ee_buffer_add_char(out, ' ');
      first = true;
      continue;
    }
    size_t spaces = strspn(text, " "), length = piece_of(text + spaces, &choices);
    size_t width = width_of(text + spaces, length);
    if (!first && column + spaces + width > EE_WRAP_COLUMNS) {
      start_line(out, indent);
      column = indent;
    } else {
      ee_buffer_add(out, text, spaces);
      column += spaces;
    }
    ee_buffer_add(out, text + spaces, length);
    column += width;
    text += spaces + length;
    first = false;
  }
  ee_buffer_add_char(out, '\n');
}

/* Pages ---------------------------------------------------------------------------------------- */

/* A help text under way: for a terminal, or as Markdown. */
typedef struct help_page {
  ee_buffer *out;
  ee_arena *arena;
  bool markdown;
  bool definition, options, example; /* the parts of --help-on that are printed */
} help_page;

/* Markdown with --format markdown; every other format is the text for a terminal. */
static help_page start_page(const ee_options *options, ee_buffer *out) {
  return (help_page){.out = out,
                     .arena = options->arena,
                     .markdown = strcmp(options->format->name, "markdown") == 0,
                     .definition = true,
                     .options = true,
                     .example = true};
}

/* --section definition, --section options, --section example. */
static ee_status choose_parts(help_page *page, const ee_texts *sections, ee_error *error) {
  if (sections->count > 0) page->definition = page->options = page->example = false;
  for (size_t i = 0; i < sections->count; i++) {
    bool *part = strcmp(sections->items[i], "definition") == 0 ? &page->definition
                 : strcmp(sections->items[i], "options") == 0  ? &page->options
                 : strcmp(sections->items[i], "example") == 0  ? &page->example
                                                               : NULL;
    if (part == NULL)
      return ee_error_set(error, EE_ERROR_USAGE, "no section '%s' in --help-on (one of definition, options, example)",
                          sections->items[i]);
    *part = true;
  }
  return EE_OK;
}

/* Appends `text` so that nothing in it is markup; newlines start a paragraph, or are a space in a table's `cell`. */
static void add_plain(const help_page *page, const char *text, bool cell) {
  for (char before = ' '; *text != '\0'; before = *text++) {
    if (*text == '\n')
      ee_buffer_add_text(page->out, before == '\n' ? "" : cell ? " " : "\n\n");
    else if (*text == '<' && text[1] != ' ' && text[1] != '=')
      ee_buffer_add_text(page->out, "&lt;");
    else if (strchr("\\*`[", *text) != NULL || (*text == '_' && before == ' ') || (cell && *text == '|'))
      ee_buffer_addf(page->out, "\\%c", *text);
    else
      ee_buffer_add_char(page->out, *text);
  }
}

/* Appends `text`, without backticks, as code in a table's cell. */
static void add_code(const help_page *page, const char *text) {
  ee_buffer_add_char(page->out, '`');
  for (; *text != '\0'; text++) ee_buffer_addf(page->out, "%s%c", *text == '|' ? "\\" : "", *text);
  ee_buffer_add_char(page->out, '`');
}

static void add_paragraph(const help_page *page, const char *text) {
  if (!page->markdown) {
    ee_wrap(page->out, 0, text);
    return;
  }
  add_plain(page, text, false);
  ee_buffer_add_text(page->out, "\n");
}

/* Starts a section; in Markdown a table with the columns `head` ("| name | meaning |"). */
static void add_heading(const help_page *page, const char *heading, const char *head) {
  if (page->out->length > 0) ee_buffer_add_char(page->out, '\n');
  if (page->markdown)
    add_plain(page, heading, false);
  else
    ee_buffer_add_text(page->out, heading);
  ee_buffer_add_text(page->out, ":\n");
  if (!page->markdown) return;
  ee_buffer_addf(page->out, "\n%s\n|", head);
  for (const char *at = head + 1; *at != '\0'; at++)
    if (*at == '|') ee_buffer_add_text(page->out, "---|");
  ee_buffer_add_char(page->out, '\n');
}

/* A row of a Markdown table with two columns: code, and what it means. */
static void add_row(const help_page *page, const char *code, const char *meaning) {
  ee_buffer_add_text(page->out, "| ");
  add_code(page, code);
  ee_buffer_add_text(page->out, " | ");
  add_plain(page, meaning, true);
  ee_buffer_add_text(page->out, " |\n");
}

/* The command line ----------------------------------------------------------------------------- */

/* "evalengine check [OPTION]... RULES.lua [DATA]...". */
static const char *usage_of(const ee_command_row *row, ee_arena *arena) {
  return ee_arena_printf(arena, "evalengine %s%s[OPTION]... %s", row->word != NULL ? row->word : "",
                         row->word != NULL ? " " : "", row->operands);
}

/* "-j, --jobs N". */
static const char *option_head(const ee_option_row *row, ee_arena *arena) {
  const char *argument = ee_option_argument(row, arena);
  char letter[] = {'-', row->letter, ',', ' ', '\0'};
  return ee_arena_printf(arena, "%s--%s%s%s", row->letter != '\0' ? letter : "", row->name, argument != NULL ? " " : "",
                         argument != NULL ? argument : "");
}

static void add_command(const help_page *page, const char *usage, const char *help) {
  if (page->markdown) {
    add_row(page, usage, help);
    return;
  }
  ee_buffer_addf(page->out, "  %s\n      ", usage);
  ee_wrap(page->out, 6, help);
}

static void pad_to(ee_buffer *out, size_t start, size_t column) {
  do ee_buffer_add_char(out, ' ');
  while (out->length - start < column);
}

static void add_option_row(const help_page *page, const ee_option_row *row) {
  const char *head = option_head(row, page->arena);
  ee_buffer *out = page->out;
  if (page->markdown) {
    add_row(page, head, row->help);
    return;
  }
  size_t start = out->length;
  ee_buffer_addf(out, "  %s%s", row->letter != '\0' ? "" : "    ", head);
  if (out->length - start > 36) {
    ee_buffer_add_char(out, '\n');
    start = out->length;
  }
  pad_to(out, start, 38);
  ee_wrap(out, 38, row->help);
}

/* `COMMAND --help`: what this command takes and others do not. */
static void add_command_help(const help_page *page, const ee_command_row *command) {
  add_heading(page, "Usage", "| command | what it does |");
  add_command(page, usage_of(command, page->arena), command->help);
  add_heading(page, "Example", "| example |");
  if (page->markdown)
    ee_buffer_addf(page->out, "| `%s` |\n", command->example);
  else
    ee_buffer_addf(page->out, "  %s\n", command->example);
  const char *group = "", *shared = "";
  for (const ee_option_row *row = ee_option_rows; row->name != NULL; row++) {
    if (row->commands == EE_IN_ANY) {
      if (row->kind != EE_KIND_REQUEST)
        shared = ee_arena_printf(page->arena, "%s%s--%s", shared, *shared != '\0' ? ", " : "", row->name);
      continue;
    }
    if ((row->commands & command->bits) == 0) continue;
    if (strcmp(group, row->group) != 0) add_heading(page, group = row->group, "| option | meaning |");
    add_option_row(page, row);
  }
  ee_buffer_add_char(page->out, '\n');
  add_paragraph(page, ee_arena_printf(page->arena,
                                      "evalengine --help explains the options of all commands (%s) and the "
                                      "exit statuses.",
                                      shared));
}

ee_status ee_print_help(const ee_options *options, ee_buffer *out, ee_error *error) {
  (void)error;
  help_page page = start_page(options, out);
  if (options->command != NULL) { /* after a command word */
    add_command_help(&page, options->command);
    return EE_OK;
  }
  add_paragraph(&page,
                "evalengine scores structured answers: it compares expected with candidate JSON, case by case, by "
                "the rules of a rule file.");
  add_heading(&page, "Usage", "| command | what it does |");
  for (const ee_command_row *row = ee_command_rows; row->operands != NULL; row++)
    add_command(&page, usage_of(row, page.arena), row->help);
  add_heading(&page, "Examples", "| example | what it prints |");
  for (const example_row *row = examples; row->command != NULL; row++) add_command(&page, row->command, row->help);
  const char *group = "";
  for (const ee_option_row *row = ee_option_rows; row->name != NULL; row++) {
    if (strcmp(group, row->group) != 0) add_heading(&page, group = row->group, "| option | meaning |");
    add_option_row(&page, row);
  }
  add_heading(&page, "Exit status", "| status | meaning |");
  for (const exit_row *row = exits; row->meaning != NULL; row++) {
    if (page.markdown) {
      add_row(&page, ee_arena_printf(page.arena, "%d", row->status), row->meaning);
      continue;
    }
    ee_buffer_addf(out, "  %3d  ", row->status);
    ee_wrap(out, 7, row->meaning);
  }
  return EE_OK;
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

static void roff_usage(const example_row *rows, ee_buffer *out) {
  for (; rows->command != NULL; rows++) {
    ee_buffer_add_text(out, ".TP\n.B ");
    roff_text(rows->command, out);
    ee_buffer_add_char(out, '\n');
    roff_text(rows->help, out);
    ee_buffer_add_char(out, '\n');
  }
}

ee_status ee_print_man(const ee_options *options, ee_buffer *out, ee_error *error) {
  (void)error;
  ee_buffer_addf(out, ".TH EVALENGINE 1 \"\" \"evalengine %s\" \"User Commands\"\n", EE_VERSION);
  ee_buffer_add_text(out, ".SH NAME\nevalengine \\- score structured answers\n.SH SYNOPSIS\n");
  for (const ee_command_row *row = ee_command_rows; row->operands != NULL; row++) {
    ee_buffer_add_text(out, ".TP\n.B ");
    roff_text(usage_of(row, options->arena), out);
    ee_buffer_add_char(out, '\n');
    roff_text(row->help, out);
    ee_buffer_add_char(out, '\n');
  }
  ee_buffer_add_text(out, ".SH EXAMPLES\n");
  roff_usage(examples, out);
  ee_buffer_add_text(out, ".SH OPTIONS\n");
  for (const ee_option_row *row = ee_option_rows; row->name != NULL; row++) {
    ee_buffer_add_text(out, ".TP\n.B ");
    if (row->letter != '\0') ee_buffer_addf(out, "\\-%c, ", row->letter);
    ee_buffer_add_text(out, "\\-\\-");
    roff_text(row->name, out);
    const char *argument = ee_option_argument(row, options->arena);
    if (argument != NULL) {
      ee_buffer_add_char(out, ' ');
      roff_text(argument, out);
    }
    ee_buffer_add_char(out, '\n');
    roff_text(row->help, out);
    ee_buffer_add_char(out, '\n');
  }
  ee_buffer_add_text(out, ".SH EXIT STATUS\n");
  for (const exit_row *row = exits; row->meaning != NULL; row++) {
    ee_buffer_addf(out, ".TP\n.B %d\n", row->status);
    roff_text(row->meaning, out);
    ee_buffer_add_char(out, '\n');
  }
  return EE_OK;
}

ee_status ee_print_version(const ee_options *options, ee_buffer *out, ee_error *error) {
  (void)options, (void)error;
  ee_buffer_addf(out, "evalengine %s\n", ee_version());
  return EE_OK;
}

/* Judges, strategies, primitives --------------------------------------------------------------- */

static const char *option_type_name(const ee_option *option, ee_arena *arena) {
  switch (option->type) { /* unreached: all types are listed */
  case EE_OPTION_BOOL: return "boolean";
  case EE_OPTION_NUMBER: return "number";
  case EE_OPTION_TEXT: return "string";
  case EE_OPTION_PATH: return "path";
  case EE_OPTION_PATHS: return "path or array of paths";
  case EE_OPTION_TEXTS: return "array of strings";
  case EE_OPTION_FUNCTION: return "function";
  case EE_OPTION_CHOICE:
  case EE_OPTION_CHOICE_OR_FUNCTION: return ee_option_choices(option, arena);
  case EE_OPTION_NORMALIZE: return "normal form, array of them, or function";
  case EE_OPTION_VALUES: return "array of values";
  case EE_OPTION_NUMBER_OR_PATH: return "number or path";
  case EE_OPTION_NUMBERS: return "array of numbers";
  case EE_OPTION_TABLE: return "table";
  case EE_OPTION_TEXT_OR_TABLE: return "string or table";
  case EE_OPTION_STRATEGY: return "strategy";
  case EE_OPTION_TEXT_OR_FALSE: return "string or false";
  }
  return ""; /* unreached: all types are listed */
}

static bool has_row(const ee_option *rows, const char *name) {
  for (; rows != NULL && rows->name != NULL; rows++)
    if (strcmp(rows->name, name) == 0) return true;
  return false;
}

/* "number, of code points". */
static const char *option_type(const ee_option *row, ee_arena *arena) {
  return ee_arena_printf(arena, "%s%s%s%s", option_type_name(row, arena),
                         row->type == EE_OPTION_CHOICE_OR_FUNCTION ? " or function" : "", row->unit != NULL ? ", " : "",
                         row->unit != NULL ? row->unit : "");
}

/* "  name (number, default 1)", and the meaning below. */
static void add_option_text(const help_page *page, const ee_option *row) {
  const char *has_default = row->default_text != NULL ? ", default " : "";
  ee_buffer_add_text(page->out, "  ");
  ee_wrap(page->out, 4,
          ee_arena_printf(page->arena, "%s (%s%s%s)", row->name, option_type(row, page->arena), has_default,
                          row->default_text != NULL ? row->default_text : ""));
  ee_buffer_add_text(page->out, "      ");
  ee_wrap(page->out, 6, row->help);
}

/* Defaults that are values are code; others are words. */
static void add_default(const help_page *page, const char *text) {
  static const char *const words[] = {"true", "false"};
  bool is_code = strchr("\"0123456789-{", *text) != NULL;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) is_code = is_code || strcmp(text, words[i]) == 0;
  if (is_code)
    add_code(page, text);
  else
    add_plain(page, text, true);
}

/* "a|b" as a list of codes. */
static void add_choices(const help_page *page, const char *choices) {
  while (*choices != '\0') {
    size_t length = strcspn(choices, "|");
    add_code(page, ee_arena_copy(page->arena, choices, length));
    choices += length + (choices[length] != '\0');
    if (*choices != '\0') ee_buffer_add_text(page->out, ", ");
  }
}

static void add_option_cells(const help_page *page, const ee_option *row) {
  ee_buffer_add_text(page->out, "| ");
  add_code(page, row->name);
  ee_buffer_add_text(page->out, " | ");
  const char *choices = ee_option_choices(row, page->arena);
  if (choices != NULL)
    add_choices(page, choices);
  else
    add_plain(page, option_type(row, page->arena), true);
  if (row->type == EE_OPTION_CHOICE_OR_FUNCTION) ee_buffer_add_text(page->out, " or a function");
  ee_buffer_add_text(page->out, " | ");
  if (row->default_text != NULL) add_default(page, row->default_text);
  ee_buffer_add_text(page->out, " | ");
  add_plain(page, row->help, true);
  ee_buffer_add_text(page->out, " |\n");
}

/* Adds `rows` without those that `own` has too: an own row replaces a shared one of the same name. */
static void add_options(const help_page *page, const char *heading, const ee_option *rows, const ee_option *own) {
  if (rows == NULL || rows->name == NULL || !page->options) return;
  add_heading(page, heading, "| option | type | default | meaning |");
  for (const ee_option *row = rows; row->name != NULL; row++) {
    if (has_row(own, row->name)) continue;
    if (page->markdown)
      add_option_cells(page, row);
    else
      add_option_text(page, row);
  }
}

static void add_item(const help_page *page, const char *name, const char *help) {
  if (page->markdown) {
    add_row(page, name, help);
    return;
  }
  ee_buffer_addf(page->out, "  %-22s  ", name);
  ee_wrap(page->out, 26, help);
}

static void add_judges(const help_page *page) {
  add_heading(page, "Judges (score one case)", "| judge | what it compares |");
  for (const ee_judge_type *const *type = ee_judge_types; *type != NULL; type++)
    add_item(page, (*type)->name, (*type)->help);
}

static void add_strategies(const help_page *page) {
  add_heading(page, "Strategies (compare one expected with one candidate value)", "| strategy | what it compares |");
  for (const ee_strategy_type *const *type = ee_strategy_types; *type != NULL; type++)
    add_item(page, (*type)->name, (*type)->help);
}

static void add_primitives(const help_page *page) {
  add_heading(page, "Primitives (ee.prim.NAME in Lua)", "| primitive | what it returns |");
  for (const ee_lua_prim *prim = ee_lua_prims; prim->name != NULL; prim++)
    add_item(page, page->markdown ? ee_arena_printf(page->arena, "%s%s", prim->name, prim->signature) : prim->name,
             prim->help);
}

ee_status ee_print_list(const ee_options *options, ee_buffer *out, ee_error *error) {
  (void)error;
  help_page page = start_page(options, out);
  add_judges(&page);
  add_strategies(&page);
  add_primitives(&page);
  if (!page.markdown)
    ee_buffer_add_text(
        out, "\nevalengine --help-on NAME explains one of them; also: rules, gate, summary,\nreport, provider.\n");
  return EE_OK;
}

ee_status ee_print_meta(const ee_options *options, ee_buffer *out, ee_error *error) {
  (void)options, (void)error;
  ee_lua_meta_print(out);
  return EE_OK;
}

/* Name and kind, one line, and the definition. */
static void add_definition(const help_page *page, const char *name, const char *kind, const char *help) {
  if (!page->definition) return;
  if (page->markdown)
    ee_buffer_addf(page->out, "`ee.%s` (%s): ", name, kind);
  else
    ee_buffer_addf(page->out, "ee.%s: a %s\n", name, kind);
  add_paragraph(page, help);
  ee_buffer_add_char(page->out, '\n');
  add_paragraph(page, ee_embedded_find(ee_help_texts, name));
}

/* Lua text: indented, or as a block of code; as it is where nothing else is printed, for a file. */
static void add_block(const help_page *page, const char *text) {
  if (!page->example) return;
  bool bare = !page->definition && !page->options;
  if (bare && !page->markdown) {
    ee_buffer_add_text(page->out, text);
    return;
  }
  if (page->out->length > 0) ee_buffer_add_char(page->out, '\n');
  ee_buffer_add_text(page->out, page->markdown ? "```lua\n" : "Example:\n");
  while (*text != '\0') {
    size_t length = strcspn(text, "\n");
    ee_buffer_addf(page->out, "%s%.*s\n", page->markdown || length == 0 ? "" : "  ", (int)length, text);
    text += length + (text[length] == '\n');
  }
  if (page->markdown) ee_buffer_add_text(page->out, "```\n");
}

static void add_example(const help_page *page, const char *name) {
  const char *text = ee_embedded_find(ee_help_examples, name);
  if (text != NULL) add_block(page, text);
}

/* Pages of Markdown leave out the options that all judges or strategies share: `--help-on judges` has them. */
static void describe_strategy(const help_page *page, const ee_strategy_type *type) {
  add_definition(page, type->name, "strategy", type->help);
  add_example(page, type->name);
  add_options(page, "Options", type->options, NULL);
  if (!page->markdown) add_options(page, "Options of every strategy", ee_strategy_shared_options, type->options);
}

static void describe_judge(const help_page *page, const ee_judge_type *type) {
  add_definition(page, type->name, "judge", type->help);
  add_example(page, type->name);
  add_options(page, "Options", type->options, NULL);
  for (const ee_option *row = type->options; row != NULL && row->name != NULL; row++)
    if (row->inner != NULL)
      add_options(page, ee_arena_printf(page->arena, "Options of the table '%s'", row->name), row->inner, NULL);
  if (!page->markdown) add_options(page, "Options of every judge", ee_judge_shared_options, type->options);
}

static void describe_primitive(const help_page *page, const ee_lua_prim *prim) {
  if (page->markdown) {
    ee_buffer_addf(page->out, "`ee.prim.%s%s`: ", prim->name, prim->signature);
  } else {
    ee_buffer_addf(page->out, "ee.prim.%s", prim->name);
    ee_wrap(page->out, 4, prim->signature);
  }
  add_paragraph(page, prim->help);
  const char *more = ee_embedded_find(ee_help_texts, prim->name);
  if (more != NULL) add_paragraph(page, more);
  add_block(page, ee_arena_printf(page->arena, "ee.prim.%s(%s) --> %s\n", prim->name, prim->example, prim->gives));
  add_example(page, prim->name);
}

static void add_kinds(const help_page *page) {
  add_paragraph(page, ee_embedded_find(ee_help_texts, "error_kinds"));
  add_heading(page, "Kinds of errors", "| kind | what it is |");
  for (int number = EE_ERROR_KIND_NONE + 1; number < EE_ERROR_KIND_COUNT; number++) {
    ee_error_kind kind = (ee_error_kind)number;
    const char *expected = ee_error_kind_example(kind, EE_EXPECTED);
    const char *example = *expected == '\0' ? ""
                                            : ee_arena_printf(page->arena, " %s as %s", expected,
                                                              ee_error_kind_example(kind, EE_CANDIDATE));
    add_command(page, ee_error_kind_name(kind),
                ee_arena_printf(page->arena, "%s%s", ee_error_kind_definition(kind), example));
  }
}

static void add_limits(const help_page *page) {
  size_t count;
  const ee_listed_limit *limits = ee_limits_list(page->arena, &count);
  const char *group = "";
  for (size_t i = 0; i < count; i++) {
    const ee_listed_limit *limit = &limits[i];
    if (strcmp(group, limit->group) != 0)
      add_heading(page, group = limit->group, "| bound | default | what is bounded | beyond it |");
    if (!page->markdown) {
      const char *value = ee_arena_printf(page->arena, "%s%s%s", limit->option != NULL ? limit->option : "",
                                          limit->option != NULL ? " " : "", limit->value);
      add_command(page, value, ee_arena_printf(page->arena, "%s; beyond: %s", limit->what, limit->beyond));
      continue;
    }
    ee_buffer_add_text(page->out, "| ");
    if (limit->option != NULL)
      add_code(page, limit->option);
    else
      ee_buffer_add_text(page->out, "fixed");
    ee_buffer_add_text(page->out, " | ");
    add_plain(page, limit->value, true);
    ee_buffer_add_text(page->out, " | ");
    add_plain(page, limit->what, true);
    ee_buffer_add_text(page->out, " | ");
    add_plain(page, limit->beyond, true);
    ee_buffer_add_text(page->out, " |\n");
  }
}

/* Other pages: tables of a rule file, and lists. */
typedef struct described_table {
  const char *name, *text;
  void (*add_list)(const help_page *page);
  const char *heading; /* of the options */
  const ee_option *options;
} described_table;

static const described_table tables[] = {
    {"rules",
     "ee.rules: the value that a rule file returns\nJudges, gates, summaries and reports by position, in the order of "
     "the report.",
     NULL, "Options", ee_rules_options},
    {"gate", "ee.gate: a condition on the totals; exit status 1 when it fails", NULL, "Options", ee_gate_options},
    {"summary", "ee.summary: a value over all cases, which every report prints", NULL, "Options", ee_summary_options},
    {"report", "ee.report: a report in a format of the project's own, chosen with --format NAME", NULL, "Options",
     ee_report_options},
    {"provider",
     "provider = \"local\" or { \"openai\", model = ..., ... } in ee.rules: where ee.semantic gets similarity from, "
     "and ee.llm and "
     "ee.ask their answers\n"
     "'local' compares words, needs nothing and has no model to ask; 'openai' sends requests to any server with "
     "OpenAI's protocol.",
     NULL, "Options", ee_provider_options},
    {"judges", NULL, add_judges, "Options of every judge", ee_judge_shared_options},
    {"strategies", NULL, add_strategies, "Options of every strategy", ee_strategy_shared_options},
    {"primitives", NULL, add_primitives, NULL, NULL},
    {"kinds", NULL, add_kinds, NULL, NULL},
    {"limits", NULL, add_limits, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* Names that one of the others explains. */
typedef struct described_inside {
  const char *name; /* in any case */
  const char *kind, *where;
} described_inside;

static const described_inside inside[] = {
    {"openai", "a provider", "provider"},
    {"local", "a provider", "provider"},
    {"rqs", "a metric of ee.quality", "quality"},
    {"accuracy", "a metric of ee.quality", "quality"},
    {"completeness", "a metric of ee.quality", "quality"},
    {"safety", "a metric of ee.quality", "quality"},
    {"hallucination", "a metric of ee.quality", "quality"},
    {"EXACT", "a strategy of ee.quality", "quality"},
    {"FUZZY", "a strategy of ee.quality", "quality"},
    {"SEMANTIC", "a strategy of ee.quality", "quality"},
    {"IGNORE", "a strategy of ee.quality", "quality"},
    {NULL, NULL, NULL},
};

/* Adds everything with exactly this name; false when there is nothing. */
static bool describe_exactly(const help_page *page, const char *name) {
  const ee_judge_type *judge = ee_judge_type_find(ee_str_from(name));
  if (judge != NULL) describe_judge(page, judge);
  const ee_strategy_type *strategy = ee_strategy_type_find(ee_str_from(name));
  if (strategy != NULL) describe_strategy(page, strategy);
  bool found = judge != NULL || strategy != NULL;
  for (const ee_lua_prim *prim = ee_lua_prims; prim->name != NULL; prim++) {
    if (strcmp(prim->name, name) != 0) continue;
    describe_primitive(page, prim);
    found = true;
  }
  for (const described_table *table = tables; table->name != NULL; table++) {
    if (strcmp(table->name, name) != 0) continue;
    if (table->add_list != NULL && page->definition) table->add_list(page);
    if (table->text != NULL && page->definition) add_paragraph(page, table->text);
    const char *more = ee_embedded_find(ee_help_texts, table->name);
    if (more != NULL && page->definition) ee_buffer_add_char(page->out, '\n'), add_paragraph(page, more);
    add_example(page, table->name);
    add_options(page, table->heading, table->options, NULL);
    found = true;
  }
  return found;
}

static bool describe(const help_page *page, const char *name) {
  if (describe_exactly(page, name)) return true;
  for (const described_inside *row = inside; row->name != NULL; row++) {
    if (strcasecmp(row->name, name) != 0) continue;
    ee_buffer_addf(page->out, "'%s' is %s:\n\n", row->name, row->kind);
    return describe_exactly(page, row->where);
  }
  return false;
}

/* The name that `name` was probably meant to be, or NULL. */
static const char *suggest(const char *name, ee_arena *arena) {
  ee_texts names = {0};
  for (const ee_judge_type *const *type = ee_judge_types; *type != NULL; type++)
    *EE_LIST_ADD(&names, arena) = (*type)->name;
  for (const ee_strategy_type *const *type = ee_strategy_types; *type != NULL; type++)
    *EE_LIST_ADD(&names, arena) = (*type)->name;
  for (const ee_lua_prim *prim = ee_lua_prims; prim->name != NULL; prim++) *EE_LIST_ADD(&names, arena) = prim->name;
  for (const described_table *table = tables; table->name != NULL; table++) *EE_LIST_ADD(&names, arena) = table->name;
  *EE_LIST_ADD(&names, arena) = NULL;
  return ee_did_you_mean(name, names.items);
}

ee_status ee_print_help_on(const ee_options *options, ee_buffer *out, ee_error *error) {
  const char *given = options->request_argument, *name = given;
  if (strncmp(name, "ee.", 3) == 0) name += 3;
  if (strncmp(name, "prim.", 5) == 0) name += 5;
  help_page page = start_page(options, out);
  ee_status status = choose_parts(&page, &options->sections, error);
  if (status != EE_OK || describe(&page, name)) return status;
  const char *near = suggest(name, options->arena);
  if (near != NULL)
    return ee_error_set(error, EE_ERROR_USAGE, "no judge, strategy or primitive named '%s' (did you mean '%s'?)", given,
                        near);
  return ee_error_set(
      error, EE_ERROR_USAGE,
      "no judge, strategy or primitive named '%s' (see --list; functions for rule files: rules/README.md)", given);
}
