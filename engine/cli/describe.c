/* describe.c: --list and --help-on, from the rows of judges, strategies and primitives. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/commands.h"
#include "cli/wrap.h"
#include "judge/judge.h"
#include "judge/plan.h"
#include "judge/strategy/strategy.h"
#include "lua/prims.h"

static const char *option_type_name(const ee_option *option) {
  switch (option->type) {
  case EE_OPTION_BOOL: return "boolean";
  case EE_OPTION_NUMBER: return "number";
  case EE_OPTION_TEXT: return "text";
  case EE_OPTION_PATH: return "path";
  case EE_OPTION_CHOICE: return option->choices;
  case EE_OPTION_TEXTS: return "list of texts";
  case EE_OPTION_FUNCTION: return "function";
  case EE_OPTION_CHOICE_OR_FUNCTION: return option->choices;
  case EE_OPTION_NORMALIZE: return "normal form, list of them, or function";
  case EE_OPTION_VALUES: return "list of values";
  case EE_OPTION_NUMBER_OR_PATH: return "number or path";
  case EE_OPTION_NUMBERS: return "list of numbers";
  case EE_OPTION_TABLE: return "table";
  case EE_OPTION_TEXT_OR_TABLE: return "text or table";
  case EE_OPTION_STRATEGY: return "strategy";
  case EE_OPTION_TEXT_OR_FALSE: return "text or false";
  }
  return "";
}

static bool has_row(const ee_option *rows, const char *name) {
  for (; rows != NULL && rows->name != NULL; rows++)
    if (strcmp(rows->name, name) == 0) return true;
  return false;
}

/* "  name (number, default 1)", and below it what it means. */
static void print_option(const ee_option *row, ee_buffer *out) {
  ee_buffer head;
  ee_buffer_init(&head);
  ee_buffer_addf(&head, "%s (%s", row->name, option_type_name(row));
  if (row->type == EE_OPTION_CHOICE_OR_FUNCTION) ee_buffer_add_text(&head, " or function");
  if (row->unit != NULL) ee_buffer_addf(&head, ", %s", row->unit);
  if (row->default_text != NULL) ee_buffer_addf(&head, ", default %s", row->default_text);
  ee_buffer_add_char(&head, ')');
  ee_buffer_add_text(out, "  ");
  ee_wrap(out, 4, ee_buffer_terminate(&head));
  ee_buffer_fini(&head);
  ee_buffer_add_text(out, "      ");
  ee_wrap(out, 6, row->help);
}

/* Prints `rows` but for those that `own` has too: a thing's own row stands for a shared one of the same name. */
static void print_options(const char *heading, const ee_option *rows, const ee_option *own, ee_buffer *out) {
  if (rows == NULL || rows->name == NULL) return;
  ee_buffer_addf(out, "\n%s:\n", heading);
  for (const ee_option *row = rows; row->name != NULL; row++) {
    if (!has_row(own, row->name)) print_option(row, out);
  }
}

static void list(const char *name, const char *help, ee_buffer *out) {
  ee_buffer_addf(out, "  %-22s  ", name);
  ee_wrap(out, 26, help);
}

void ee_describe_all(ee_buffer *out) {
  ee_buffer_add_text(out, "Judges (score one case):\n");
  for (const ee_judge_type *const *type = ee_judge_types; *type != NULL; type++)
    list((*type)->name, (*type)->help, out);
  ee_buffer_add_text(out, "\nStrategies (compare one expected with one candidate value):\n");
  for (const ee_strategy_type *type = ee_strategy_types; type->name != NULL; type++) list(type->name, type->help, out);
  ee_buffer_add_text(out, "\nPrimitives (ee.prim.NAME in Lua):\n");
  for (const ee_lua_prim *prim = ee_lua_prims; prim->name != NULL; prim++) list(prim->name, prim->help, out);
  ee_buffer_add_text(out, "\nevalengine --help-on NAME explains one of them; also: rules, gate, provider.\n");
}

/* What it is, in a line, and its definition. */
static void print_texts(const char *help, const char *description, ee_buffer *out) {
  ee_wrap(out, 0, help);
  ee_buffer_add_char(out, '\n');
  ee_wrap(out, 0, description);
}

static void describe_strategy(const ee_strategy_type *type, ee_buffer *out) {
  ee_buffer_addf(out, "ee.%s: a strategy\n", type->name);
  print_texts(type->help, type->description, out);
  print_options("Options", type->options, NULL, out);
  print_options("Options of every strategy", ee_strategy_shared_options, type->options, out);
}

/* The options of those tables that have some of their own. */
static void print_inner_options(const ee_option *rows, ee_buffer *out) {
  for (; rows != NULL && rows->name != NULL; rows++) {
    if (rows->inner == NULL) continue;
    char heading[64];
    snprintf(heading, sizeof heading, "Options of the table '%s'", rows->name);
    print_options(heading, rows->inner, NULL, out);
  }
}

static void describe_judge(const ee_judge_type *type, ee_buffer *out) {
  ee_buffer_addf(out, "ee.%s: a judge\n", type->name);
  print_texts(type->help, type->description, out);
  print_options("Options", type->options, NULL, out);
  print_inner_options(type->options, out);
  print_options("Options of every judge", ee_judge_shared_options, type->options, out);
}

static void suggest(const char *name, const char **near) {
  const char *names[256];
  size_t count = 0;
  for (const ee_judge_type *const *type = ee_judge_types; *type != NULL && count < 250; type++)
    names[count++] = (*type)->name;
  for (const ee_strategy_type *type = ee_strategy_types; type->name != NULL && count < 250; type++)
    names[count++] = type->name;
  for (const ee_lua_prim *prim = ee_lua_prims; prim->name != NULL && count < 250; prim++) names[count++] = prim->name;
  names[count++] = "rules";
  names[count++] = "gate";
  names[count++] = "provider";
  names[count] = NULL;
  *near = ee_did_you_mean(name, names);
}

/* What has this very name; false when there is no such thing. */
static bool describe_own(const char *name, ee_buffer *out) {
  bool found = false;
  const ee_judge_type *judge = ee_judge_type_find(ee_str_from(name));
  if (judge != NULL) {
    describe_judge(judge, out);
    found = true;
  }
  const ee_strategy_type *strategy = ee_strategy_type_find(ee_str_from(name));
  if (strategy != NULL) {
    describe_strategy(strategy, out);
    found = true;
  }
  for (const ee_lua_prim *prim = ee_lua_prims; prim->name != NULL; prim++) {
    if (strcmp(prim->name, name) != 0) continue;
    ee_buffer_addf(out, "ee.prim.%s", prim->name);
    ee_wrap(out, 4, prim->signature);
    ee_wrap(out, 0, prim->help);
    found = true;
  }
  if (strcmp(name, "rules") == 0) {
    ee_wrap(out, 0,
            "ee.rules: the value that a rule file returns\nJudges and gates by position, in the order of the report.");
    print_options("Options", ee_rules_options, NULL, out);
    found = true;
  }
  if (strcmp(name, "gate") == 0) {
    ee_wrap(out, 0, "ee.gate: a condition on the totals; exit status 1 when it fails");
    print_options("Options", ee_gate_options, NULL, out);
    found = true;
  }
  if (strcmp(name, "provider") == 0) {
    ee_wrap(
        out, 0,
        "provider = \"local\" or { \"openai\", model = ..., ... } in ee.rules: what ee.semantic asks for similarity");
    ee_wrap(out, 0,
            "'local' compares words and needs nothing; 'openai' asks any server that speaks OpenAI's protocol.");
    print_options("Options", ee_provider_options, NULL, out);
    found = true;
  }
  return found;
}

/* Names that stand inside of something else. */
typedef struct described_inside {
  const char *name; /* in any case */
  const char *kind, *where;
} described_inside;

static const described_inside inside[] = {
    {"openai", "a provider", "provider"},
    {"local", "a provider", "provider"},
    {"rqs", "a measure of ee.quality", "quality"},
    {"accuracy", "a measure of ee.quality", "quality"},
    {"completeness", "a measure of ee.quality", "quality"},
    {"safety", "a measure of ee.quality", "quality"},
    {"hallucination", "a measure of ee.quality", "quality"},
    {"EXACT", "a strategy of ee.quality", "quality"},
    {"FUZZY", "a strategy of ee.quality", "quality"},
    {"SEMANTIC", "a strategy of ee.quality", "quality"},
    {"IGNORE", "a strategy of ee.quality", "quality"},
    {NULL, NULL, NULL},
};

bool ee_describe(const char *name, ee_buffer *out, const char **near) {
  *near = NULL;
  if (strncmp(name, "ee.", 3) == 0) name += 3;
  if (strncmp(name, "prim.", 5) == 0) name += 5;
  if (describe_own(name, out)) return true;
  for (const described_inside *row = inside; row->name != NULL; row++) {
    if (strcasecmp(row->name, name) != 0) continue;
    ee_buffer_addf(out, "'%s' is %s:\n\n", row->name, row->kind);
    return describe_own(row->where, out);
  }
  suggest(name, near);
  return false;
}
