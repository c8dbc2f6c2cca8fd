/* rule_lua_text.c: a tree of rules as Lua, formatted as a person would write it. */
#include <math.h>

#include "judge/judge.h"
#include "judge/rule_text/lua_text.h"
#include "judge/rule_text/rule_writer.h"
#include "judge/strategy/strategy.h"
#include "prim/number.h"

/* Bytes of a line; what is longer is broken. */
#define LINE_WIDTH 118

typedef struct writer {
  const ee_rule_text *text;
  ee_arena *arena;
  ee_buffer *out;
  ee_error *error; /* its status is EE_OK until something cannot be written */
} writer;

static void write_value(writer *self, const ee_rule_value *value, size_t indent);

static void refuse(writer *self, const ee_rule_node *at, const char *what) {
  if (self->error->status == EE_OK)
    ee_error_at(self->error, EE_ERROR_RULES, at->file, at->line, at->column, "%s", what);
}

static void add_spaces(ee_buffer *out, size_t count) { ee_buffer_addf(out, "%*s", (int)count, ""); }

static void write_number(ee_buffer *out, double number) {
  char text[32];
  if (isnan(number))
    ee_buffer_add_text(out, "0/0");
  else if (isinf(number))
    ee_buffer_add_text(out, number > 0 ? "math.huge" : "-math.huge");
  else if (signbit(number) && number == 0)
    ee_buffer_add_text(out, "-0.0");
  else
    ee_buffer_add(out, text, ee_double_format(number, text));
}

static void write_key(ee_buffer *out, ee_str key) {
  if (ee_lua_is_name(key)) {
    ee_buffer_add_str(out, key);
  } else {
    ee_buffer_add_char(out, '[');
    ee_lua_text_string(out, key);
    ee_buffer_add_char(out, ']');
  }
  ee_buffer_add_text(out, " = ");
}

/* Plain data, on one line. */
static void write_data(writer *self, const ee_value *value) {
  char number[32];
  switch (ee_type_of(value)) {
  case EE_TRUE: ee_buffer_add_text(self->out, "true"); return;
  case EE_FALSE: ee_buffer_add_text(self->out, "false"); return;
  case EE_NUMBER: ee_buffer_add_str(self->out, ee_value_number_text(value, number)); return;
  case EE_STRING: ee_lua_text_string(self->out, ee_value_text(value)); return;
  case EE_ARRAY:
  case EE_OBJECT: break;
  default: ee_buffer_add_text(self->out, "ee.null"); return;
  }
  ee_buffer_add_char(self->out, '{');
  for (const ee_value *at = ee_value_child(value); at != NULL; at = ee_value_next(at)) {
    ee_buffer_add_text(self->out, at == ee_value_child(value) ? " " : ", ");
    if (ee_type_of(value) == EE_OBJECT) write_key(self->out, ee_value_key(at));
    write_data(self, at);
  }
  ee_buffer_add_text(self->out, ee_value_count(value) > 0 ? " }" : "}");
}

static void write_parameter(writer *self, const ee_rule_parameter *parameter) {
  bool has_default = parameter->fallback->type != EE_RULE_NONE;
  ee_buffer_add_text(self->out, parameter->of_config ? "ee.get(ee.config, " : "ee.param(");
  ee_lua_text_string(self->out, parameter->name);
  if (has_default) {
    ee_buffer_add_text(self->out, ", ");
    write_value(self, parameter->fallback, 0);
  }
  ee_buffer_add_char(self->out, ')');
}

/* Tables --------------------------------------------------------------------------------------- */

static bool is_node(const ee_rule_value *value) { return value->type == EE_RULE_NODE; }

/* The member `number` of a node: first values that are not nodes, then options, then nodes. */
typedef struct member {
  const ee_rule_value *value;
  const ee_rule_option *option; /* NULL: a positional value */
} member;

/* In which positional values keep their order: the nodes follow the options only if no other value follows a node. */
static size_t list_members(writer *self, const ee_rule_node *node, member **members) {
  member *list = EE_NEW_ARRAY(self->arena, member, node->item_count + node->option_count);
  size_t count = 0, leading = 0;
  while (leading < node->item_count && !is_node(&node->items[leading])) leading++;
  for (size_t i = 0; i < leading; i++) list[count++] = (member){&node->items[i], NULL};
  size_t option_count;
  const ee_rule_option **options = ee_rule_options_in_order(node, self->arena, &option_count);
  for (size_t i = 0; i < option_count; i++) list[count++] = (member){&options[i]->value, options[i]};
  for (size_t i = leading; i < node->item_count; i++) list[count++] = (member){&node->items[i], NULL};
  *members = list;
  return count;
}

static void write_member(writer *self, const member *one, size_t indent) {
  if (one->option != NULL) write_key(self->out, one->option->name);
  write_value(self, one->value, indent);
}

static void write_inline(writer *self, const member *members, size_t count) {
  for (size_t i = 0; i < count; i++) {
    ee_buffer_add_text(self->out, i == 0 ? "{ " : ", ");
    write_member(self, &members[i], 0);
  }
  ee_buffer_add_text(self->out, count > 0 ? " }" : "{}");
}

static const char *constructor_of(writer *self, const ee_rule_node *node) {
  return ee_arena_printf(self->arena, "%s%.*s", node->definition != NULL ? "" : "ee.", EE_STR_ARG(node->kind));
}

/* Whether a value is a strategy that fits into a line, which is then in a column with its neighbours. */
static bool is_plain_strategy(const member *one) {
  return one->option == NULL && is_node(one->value) &&
         (one->value->node->definition != NULL || ee_strategy_type_find(one->value->node->kind) != NULL);
}

/* Whether the node is ee.NAME "TEXT". */
static bool is_short(const ee_rule_node *node) {
  return node->item_count == 1 && node->option_count == 0 && node->items[0].type == EE_RULE_TEXT &&
         node->items[0].parameter == NULL;
}

static bool has_line(const ee_buffer *out, size_t from) {
  return memchr(out->data + from, '\n', out->length - from) != NULL;
}

static void write_node(writer *self, const ee_rule_node *node, size_t indent, size_t width);

/* One member a line; strategies that follow each other have their values in one column. */
static void write_open(writer *self, const member *members, size_t count, size_t indent) {
  ee_buffer_add_text(self->out, "{\n");
  for (size_t i = 0; i < count;) {
    size_t end = i, width = 0;
    bool braces = false;
    for (; end < count && is_plain_strategy(&members[end]); end++) {
      braces = braces || !is_short(members[end].value->node);
      size_t length = strlen(constructor_of(self, members[end].value->node));
      if (length > width) width = length;
    }
    if (!braces) width = 0;
    if (end == i) end = i + 1;
    for (; i < end; i++) {
      add_spaces(self->out, indent + 2);
      if (is_node(members[i].value) && members[i].option == NULL)
        write_node(self, members[i].value->node, indent + 2, width);
      else
        write_member(self, &members[i], indent + 2);
      ee_buffer_add_text(self->out, ",\n");
    }
  }
  add_spaces(self->out, indent);
  ee_buffer_add_char(self->out, '}');
}

/* The braces and what is in them; `open`: over several lines. */
static void write_members(writer *self, const ee_rule_node *node, size_t indent, bool open) {
  member *members;
  size_t count = list_members(self, node, &members), start = self->out->length;
  const char *line = memrchr(self->out->data, '\n', start);
  size_t before = line != NULL ? (size_t)(self->out->data + start - line) - 1 : start;
  if (!open || count == 0) {
    write_inline(self, members, count);
    if (count == 0 || (before + self->out->length - start <= LINE_WIDTH && !has_line(self->out, start))) return;
    self->out->length = start;
  }
  write_open(self, members, count, indent);
}

/* Judges have their fields one a line. */
static bool opens(const ee_rule_node *node) {
  if (ee_judge_type_find(node->kind) == NULL) return false;
  for (size_t i = 0; i < node->item_count; i++)
    if (is_node(&node->items[i])) return true;
  return false;
}

/* `width`: that of the column of constructors; 0: no column. */
static void write_node(writer *self, const ee_rule_node *node, size_t indent, size_t width) {
  ee_buffer_addf(self->out, "%-*s ", (int)width, constructor_of(self, node));
  if (is_short(node)) {
    if (width > 0) ee_buffer_add_text(self->out, "  ");
    ee_lua_text_string(self->out, node->items[0].text);
  } else {
    write_members(self, node, indent, opens(node));
  }
}

static void write_table(writer *self, const ee_rule_node *table, size_t indent) {
  if (table->document != NULL)
    write_data(self, table->document);
  else
    write_members(self, table, indent, false);
}

static void write_value(writer *self, const ee_rule_value *value, size_t indent) {
  if (value->parameter != NULL) {
    write_parameter(self, value->parameter);
    return;
  }
  switch (value->type) {
  case EE_RULE_BOOL: ee_buffer_add_text(self->out, value->boolean ? "true" : "false"); return;
  case EE_RULE_NUMBER: write_number(self->out, value->number); return;
  case EE_RULE_TEXT: ee_lua_text_string(self->out, value->text); return;
  case EE_RULE_TABLE: write_table(self, value->node, indent); return;
  case EE_RULE_NODE: write_node(self, value->node, indent, 0); return;
  case EE_RULE_FUNCTION: refuse(self, self->text->root, "a function cannot be written"); return;
  default: ee_buffer_add_text(self->out, "ee.null");
  }
}

/* The file ------------------------------------------------------------------------------------- */

static void write_head(writer *self, const ee_used_modules *used) {
  const ee_error_list *left_out = self->text->left_out;
  for (size_t i = 0; left_out != NULL && i < left_out->count; i++) {
    const ee_error *one = &left_out->items[i];
    ee_lua_text_comment(self->out, 0,
                        ee_arena_printf(self->arena, "TO DO: %s:%zu: %s", one->file, one->line, one->message));
  }
  if (left_out != NULL && left_out->count > 0) ee_buffer_add_char(self->out, '\n');
  for (size_t i = 0; i < used->strategies.count; i++) {
    const ee_used_strategy *one = &used->strategies.items[i];
    if (one->module == NULL || !ee_lua_is_name(one->name))
      refuse(self, one->definition, "this strategy has no file of its own, or a name that a variable cannot have");
    else
      ee_buffer_addf(self->out, "local %.*s = require \"%s\"\n", EE_STR_ARG(one->name), one->module);
  }
  if (used->strategies.count > 0) ee_buffer_add_char(self->out, '\n');
}

static bool opens_entry(const ee_rule_value *entry) { return is_node(entry) && opens(entry->node); }

bool ee_rules_write_lua(const ee_rule_text *text, ee_arena *arena, ee_buffer *out, ee_error *error) {
  *error = (ee_error){.status = EE_OK};
  writer self = {.text = text, .arena = arena, .out = out, .error = error};
  ee_used_modules used;
  ee_used_modules_find(text, arena, &used);
  write_head(&self, &used);
  ee_buffer_add_text(out, "return ee.rules {\n");
  const ee_rule_node *root = text->root;
  size_t option_count;
  const ee_rule_option **options = ee_rule_options_in_order(root, arena, &option_count);
  for (size_t i = 0; i < option_count; i++) {
    const member one = {&options[i]->value, options[i]};
    add_spaces(out, 2);
    write_member(&self, &one, 2);
    ee_buffer_add_text(out, ",\n");
  }
  for (size_t i = 0; i < root->item_count; i++) {
    const ee_rule_value *entry = &root->items[i];
    if (ee_rule_entry_module(text, entry, arena) != NULL) continue;
    bool apart = i > 0 ? opens_entry(entry) || opens_entry(entry - 1) : root->option_count > 0;
    if (apart) ee_buffer_add_char(out, '\n');
    add_spaces(out, 2);
    write_value(&self, entry, 2);
    ee_buffer_add_text(out, ",\n");
  }
  for (size_t i = 0; i < used.rules.count; i++) {
    if (i == 0) ee_buffer_add_char(out, '\n');
    ee_buffer_addf(out, "  require \"%s\",\n", used.rules.items[i]);
  }
  ee_buffer_add_text(out, "}\n");
  return error->status == EE_OK;
}
