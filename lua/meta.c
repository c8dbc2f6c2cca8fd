/* meta.c: the editor's definitions: a template (lua/meta/ee.lua.in) and what the rows of judges, strategies, options
 * and primitives say. */
#include "lua/meta.h"

#include <stdio.h>
#include <string.h>

#include "base/embedded.h"
#include "judge/judge.h"
#include "judge/line_items/line_items.h"
#include "judge/plan.h"
#include "judge/quality/quality.h"
#include "judge/strategy/strategy.h"
#include "lua/prims.h"

/* Appends `text` as comment lines of at most about 120 bytes; its own line breaks stay. */
static void add_comment(ee_buffer *out, const char *text) {
  const size_t width = 116;
  while (*text != '\0') {
    size_t length = strcspn(text, "\n");
    if (length > width) {
      for (length = width; length > 0 && text[length] != ' ';) length--;
      if (length == 0) length = strcspn(text, " \n");
    }
    ee_buffer_add_text(out, "---");
    ee_buffer_add(out, text, length);
    ee_buffer_add_char(out, '\n');
    text += length;
    while (*text == ' ') text++;
    if (*text == '\n') text++;
  }
}

/* "a"|"b" of the choices a|b. */
static void add_choices(ee_buffer *out, const ee_option *row) {
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  const char *choices = ee_option_choices(row, &scratch);
  ee_buffer_add_char(out, '"');
  for (; *choices != '\0'; choices++) {
    if (*choices == '|')
      ee_buffer_add_text(out, "\"|\"");
    else
      ee_buffer_add_char(out, *choices);
  }
  ee_buffer_add_char(out, '"');
  ee_arena_fini(&scratch);
}

static void add_type(ee_buffer *out, const ee_option *row) {
  switch (row->type) {
  case EE_OPTION_BOOL: ee_buffer_add_text(out, "boolean"); break;
  case EE_OPTION_NUMBER: ee_buffer_add_text(out, "number"); break;
  case EE_OPTION_TEXT:
  case EE_OPTION_PATH: ee_buffer_add_text(out, "string"); break;
  case EE_OPTION_PATHS: ee_buffer_add_text(out, "string|string[]"); break;
  case EE_OPTION_CHOICE: add_choices(out, row); break;
  case EE_OPTION_TEXTS: ee_buffer_add_text(out, "string[]"); break;
  case EE_OPTION_FUNCTION: ee_buffer_add_text(out, "function"); break;
  case EE_OPTION_CHOICE_OR_FUNCTION:
    add_choices(out, row);
    ee_buffer_add_text(out, "|fun(parts: ee.part[]): number");
    break;
  case EE_OPTION_NORMALIZE: ee_buffer_add_text(out, "ee.normal_form|ee.normal_form[]|fun(value: any): any"); break;
  case EE_OPTION_VALUES: ee_buffer_add_text(out, "(string|number|boolean)[]"); break;
  case EE_OPTION_NUMBER_OR_PATH: ee_buffer_add_text(out, "number|string"); break;
  case EE_OPTION_NUMBERS: ee_buffer_add_text(out, "number[]"); break;
  case EE_OPTION_TABLE: ee_buffer_add_text(out, "table"); break;
  case EE_OPTION_TEXT_OR_TABLE: ee_buffer_add_text(out, "string|table"); break;
  case EE_OPTION_STRATEGY: ee_buffer_add_text(out, "ee.node.field"); break;
  case EE_OPTION_TEXT_OR_FALSE: ee_buffer_add_text(out, "string|false"); break;
  }
}

static void add_option(ee_buffer *out, const ee_option *row) {
  ee_buffer_addf(out, "---@field %s? ", row->name);
  if (row->lua_type != NULL)
    ee_buffer_add_text(out, row->lua_type);
  else
    add_type(out, row);
  ee_buffer_addf(out, " # %s", row->help);
  if (row->default_text != NULL) ee_buffer_addf(out, " Default: %s.", row->default_text);
  if (row->unit != NULL) ee_buffer_addf(out, " Unit: %s.", row->unit);
  ee_buffer_add_char(out, '\n');
}

/* The class ee.CLASS of a table. `parent`, `positional` ("[1] string?") and `rows` may be NULL. */
static void add_class(ee_buffer *out, const char *class, const char *parent, const char *positional,
                      const ee_option *rows) {
  ee_buffer_addf(out, "\n---@class ee.%s", class);
  if (parent != NULL) ee_buffer_addf(out, ": ee.%s", parent);
  ee_buffer_add_char(out, '\n');
  if (positional != NULL) ee_buffer_addf(out, "---@field %s\n", positional);
  for (; rows != NULL && rows->name != NULL; rows++) add_option(out, rows);
}

/* A constructor with the class of its options. `alone`, such as "string|": the type that may replace a table of one
 * value. */
static void add_constructor(ee_buffer *out, const char *name, const char *help, const char *description,
                            const char *parent, const char *positional, const ee_option *rows, const char *alone,
                            const char *result) {
  char class[64];
  snprintf(class, sizeof class, "%s.options", name);
  add_class(out, class, parent, positional, rows);
  ee_buffer_add_char(out, '\n');
  add_comment(out, help);
  if (description != NULL) {
    ee_buffer_add_text(out, "---\n");
    add_comment(out, description);
  }
  ee_buffer_addf(out, "---@param options %see.%s\n", alone, class);
  ee_buffer_addf(out, "---@return %s\nfunction ee.%s(options) end\n", result, name);
}

/* Primitives ----------------------------------------------------------------------------------- */

/* The length of the parameter at the start of `text`: up to a comma or the closing bracket of the list. */
static size_t parameter_length(const char *text) {
  int depth = 0;
  size_t i = 0;
  for (; text[i] != '\0'; i++) {
    if (depth == 0 && (text[i] == ',' || text[i] == ')')) break;
    if (strchr("([{", text[i]) != NULL) depth++;
    if (strchr(")]}", text[i]) != NULL) depth--;
  }
  return i;
}

/* A primitive from its signature "(a: string, limit?: integer) -> integer". */
static void add_prim(ee_buffer *out, const ee_lua_prim *prim) {
  char names[256] = "";
  ee_buffer_add_char(out, '\n');
  add_comment(out, prim->help);
  const char *at = prim->signature + 1;
  while (*at != ')') {
    size_t length = parameter_length(at), name = strcspn(at, ":");
    ee_buffer_addf(out, "---@param %.*s%.*s\n", (int)name, at, (int)(length - name - 1), at + name + 1);
    size_t bare = strcspn(at, ":?"), used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%.*s", used == 0 ? "" : ", ", (int)bare, at);
    at += length;
    at += strspn(at, ", ");
  }
  at += strcspn(at, ">");
  ee_buffer_addf(out, "---@return%s\n", at + 1);
  ee_buffer_addf(out, "function ee.prim.%s(%s) end\n", prim->name, names);
}

/* The page ------------------------------------------------------------------------------------- */

static void add_judges(ee_buffer *out) {
  for (const ee_judge_type *const *type = ee_judge_types; *type != NULL; type++) {
    const ee_judge_type *judge = *type;
    add_constructor(out, judge->name, judge->help, ee_embedded_find(ee_help_texts, judge->name), "shared_judge_options",
                    judge->positional, judge->options, judge->takes_path ? "string|" : "", "ee.node.judge");
  }
}

static void add_strategies(ee_buffer *out) {
  for (const ee_strategy_type *const *type = ee_strategy_types; *type != NULL; type++) {
    const ee_strategy_type *strategy = *type;
    add_constructor(out, strategy->name, strategy->help, ee_embedded_find(ee_help_texts, strategy->name),
                    "shared_strategy_options", strategy->positional, strategy->options,
                    strategy->takes_function ? "ee.score_function|" : "string|", "ee.node.field");
  }
}

static void add_strategy(ee_buffer *out) {
  add_constructor(out, "strategy",
                  "Defines a strategy of the project's own, checked and explained like a built-in one.",
                  "The first value is its name. What it returns is called like a built-in strategy: "
                  "iban { \"supplier.iban\", country = \"DE\" }.",
                  NULL, "[1] string", ee_strategy_definition_options, "", "fun(options: string|table): ee.node.field");
}

static void add_gate(ee_buffer *out) {
  add_constructor(out, "gate", "A condition on the totals of a run. If it is not met, the run ends with status 1.",
                  NULL, NULL, NULL, ee_gate_options, "", "ee.node.gate");
}

static void add_summary(ee_buffer *out) {
  add_constructor(out, "summary", "A value over all cases, computed in the order of the data, which reports print.",
                  ee_embedded_find(ee_help_texts, "summary"), NULL, "[integer] string|function", ee_summary_options, "",
                  "ee.node.summary");
}

static void add_report(ee_buffer *out) {
  add_constructor(out, "report", "A report in a format of the project's own, which --format NAME chooses.",
                  ee_embedded_find(ee_help_texts, "report"), NULL, "[integer] string|function", ee_report_options, "",
                  "ee.node.report");
}

static void add_rules(ee_buffer *out) {
  ee_buffer_add_text(out, "\n---@alias ee.node.part ee.node.judge|ee.node.gate|ee.node.summary|ee.node.report\n");
  add_constructor(out, "rules",
                  "What a rule file returns: judges, gates, summaries, reports, and options for all of them.", NULL,
                  NULL, "[integer] ee.node.part|ee.node.part[]", ee_rules_options, "", "ee.node.rules");
}

static void add_prims(ee_buffer *out) {
  for (const ee_lua_prim *prim = ee_lua_prims; prim->name != NULL; prim++) add_prim(out, prim);
}

/* What a line "@NAME@" of the template is replaced by: a list of constructors, or the class of some options. */
static const struct {
  const char *name;
  void (*add)(ee_buffer *out);
  const ee_option *rows;  /* of the class ee.NAME, when `add` is NULL */
  const char *positional; /* of the class */
} sections[] = {
    {"rules", add_rules, NULL, NULL},
    {"judges", add_judges, NULL, NULL},
    {"strategies", add_strategies, NULL, NULL},
    {"strategy", add_strategy, NULL, NULL},
    {"gate", add_gate, NULL, NULL},
    {"summary", add_summary, NULL, NULL},
    {"report", add_report, NULL, NULL},
    {"primitives", add_prims, NULL, NULL},
    {"provider", NULL, ee_provider_options, "[1] \"local\"|\"openai\""},
    {"shared_judge_options", NULL, ee_judge_shared_options, NULL},
    {"shared_strategy_options", NULL, ee_strategy_shared_options, "[1] string?"},
    {"line_items.match", NULL, ee_line_items_match_options, "[integer] string|ee.node.field"},
    {"quality.weights", NULL, ee_quality_weight_options, NULL},
};

static void add_section(ee_buffer *out, ee_str name) {
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
    if (!ee_str_is(name, sections[i].name)) continue;
    if (sections[i].add != NULL)
      sections[i].add(out);
    else
      add_class(out, sections[i].name, NULL, sections[i].positional, sections[i].rows);
  }
}

void ee_lua_meta_print(ee_buffer *out) {
  const char *line = ee_lua_meta[0].text;
  while (*line != '\0') {
    size_t length = strcspn(line, "\n");
    if (line[0] == '@' && length > 2 && line[length - 1] == '@')
      add_section(out, (ee_str){line + 1, length - 2});
    else
      ee_buffer_add(out, line, length + 1);
    line += length + 1;
  }
}
