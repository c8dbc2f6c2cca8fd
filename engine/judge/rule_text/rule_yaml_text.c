/* rule_yaml_text.c: a tree of rules as a YAML document (rule_document.h). */
#include <math.h>

#include "base/printable.h"
#include "data/json/json_writer.h"
#include "judge/judge.h"
#include "judge/rule_text/rule_writer.h"
#include "prim/number.h"

/* Bytes of a line; what is longer is broken. */
#define LINE_WIDTH 118

typedef struct writer {
  const ee_rule_text *text;
  ee_arena *arena;
  ee_buffer *out;
  const ee_rule_node *node; /* the innermost that is written, for places */
  ee_error *error;          /* its status is EE_OK until something cannot be written */
} writer;

static void write_value(writer *self, const ee_rule_value *value, const char *first);

static void refuse(writer *self, const ee_rule_node *at, const char *what) {
  if (self->error->status == EE_OK)
    ee_error_at(self->error, EE_ERROR_RULES, at->file, at->line, at->column, "%s", what);
}

static void add_spaces(ee_buffer *out, size_t count) { ee_buffer_addf(out, "%*s", (int)count, ""); }

/* Scalars -------------------------------------------------------------------------------------- */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/* Whether a text is itself without quotes, in YAML 1.1 too: a word of letters, digits and a few signs. */
static bool is_bare(ee_str text) {
  static const char *const taken[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n", NULL};
  if (text.length == 0 || text.length > 60 || !is_letter(text.data[0])) return false;
  for (size_t i = 0; i < text.length; i++) {
    char c = text.data[i];
    if (!is_letter(c) && (c < '0' || c > '9') && (c == '\0' || strchr("./-", c) == NULL)) return false;
  }
  for (const char *const *word = taken; *word != NULL; word++) {
    bool same = strlen(*word) == text.length;
    for (size_t i = 0; same && i < text.length; i++) same = (text.data[i] | 0x20) == (*word)[i];
    if (same) return false;
  }
  return true;
}

static void write_text(ee_buffer *out, ee_str text) {
  if (is_bare(text))
    ee_buffer_add_str(out, text);
  else
    ee_json_write_string(out, text);
}

static void write_number(writer *self, double number) {
  char text[32];
  if (!isfinite(number)) refuse(self, self->node, "a number that is not finite cannot be written in YAML");
  if (signbit(number) && number == 0)
    ee_buffer_add_text(self->out, "-0.0");
  else if (isfinite(number))
    ee_buffer_add(self->out, text, ee_double_format(number, text));
}

/* Nodes and tables as one line ------------------------------------------------------------------- */

static size_t count_leading(const ee_rule_node *node) {
  size_t leading = 0;
  while (leading < node->item_count && node->items[leading].type != EE_RULE_NODE) leading++;
  return leading;
}

static void write_items(writer *self, const ee_rule_value *items, size_t count) {
  ee_buffer_add_char(self->out, '[');
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ee_buffer_add_text(self->out, ", ");
    write_value(self, &items[i], NULL);
  }
  ee_buffer_add_char(self->out, ']');
}

/* What separates members on a line. */
static void separate(writer *self, bool *begun) {
  ee_buffer_add_text(self->out, *begun ? ", " : "{ ");
  *begun = true;
}

/* { path: ..., OPTIONS, fields: [...] } on one line. `first`: the key of the first value. */
static void write_object(writer *self, const ee_rule_node *node, const char *first) {
  bool begun = false;
  size_t leading = count_leading(node);
  if (leading > 0) {
    separate(self, &begun);
    ee_buffer_addf(self->out, "%s: ", first);
    if (leading == 1)
      write_value(self, &node->items[0], NULL);
    else
      write_items(self, node->items, leading);
  }
  size_t option_count;
  const ee_rule_option **options = ee_rule_options_in_order(node, self->arena, &option_count);
  for (size_t i = 0; i < option_count; i++) {
    const ee_rule_option *option = options[i];
    separate(self, &begun);
    write_text(self->out, option->name);
    ee_buffer_add_text(self->out, ": ");
    bool methods = ee_str_is(node->kind, "tree") && ee_str_is(option->name, "arrays");
    bool provider = ee_str_is(node->kind, "rules") && ee_str_is(option->name, "provider");
    write_value(self, &option->value, methods ? "method of tables" : provider ? "name" : NULL);
  }
  if (leading < node->item_count) {
    separate(self, &begun);
    ee_buffer_add_text(self->out, "fields: ");
    write_items(self, node->items + leading, node->item_count - leading);
  }
  ee_buffer_add_text(self->out, begun ? " }" : "{}");
}

static void write_name(writer *self, const ee_rule_node *node) { write_text(self->out, node->kind); }

/* What the constructor gets: a value, an array or an object. */
static void write_content(writer *self, const ee_rule_node *node) {
  if (node->option_count == 0 && node->item_count == 1 && node->items[0].type != EE_RULE_NODE &&
      node->items[0].type != EE_RULE_TABLE && node->items[0].type != EE_RULE_NULL)
    write_value(self, &node->items[0], NULL);
  else if (node->option_count == 0 && node->item_count > 0)
    write_items(self, node->items, node->item_count);
  else
    write_object(self, node, "path");
}

/* `first`: the key of the table's first value, "method of tables" that of the tables in it; NULL: path. */
static void write_table(writer *self, const ee_rule_node *table, const char *first) {
  if (table->document != NULL) {
    ee_json_write_value(self->out, table->document);
    return;
  }
  bool of_tables = first != NULL && strcmp(first, "method of tables") == 0;
  if (of_tables && table->item_count > 0) {
    if (table->option_count > 0)
      refuse(self, self->node,
             "one method with options for all arrays cannot be written in YAML: arrays = { default = { ... } } can");
    first = NULL;
    of_tables = false;
  }
  if (table->option_count == 0 && table->item_count > 0 && first == NULL) {
    write_items(self, table->items, table->item_count);
    return;
  }
  if (!of_tables) {
    write_object(self, table, first != NULL ? first : "path");
    return;
  }
  bool begun = false;
  for (size_t i = 0; i < table->option_count; i++) {
    separate(self, &begun);
    write_text(self->out, table->options[i].name);
    ee_buffer_add_text(self->out, ": ");
    write_value(self, &table->options[i].value, "method");
  }
  ee_buffer_add_text(self->out, begun ? " }" : "{}");
}

static void write_parameter(writer *self, const ee_rule_parameter *parameter) {
  bool has_default = parameter->fallback->type != EE_RULE_NONE;
  ee_buffer_add_text(self->out, parameter->of_config ? "{ config: " : "{ param: ");
  if (has_default) ee_buffer_add_char(self->out, '[');
  write_text(self->out, parameter->name);
  if (has_default) {
    ee_buffer_add_text(self->out, ", ");
    write_value(self, parameter->fallback, NULL);
    ee_buffer_add_char(self->out, ']');
  }
  ee_buffer_add_text(self->out, " }");
}

static void write_value(writer *self, const ee_rule_value *value, const char *first) {
  if (value->parameter != NULL) {
    write_parameter(self, value->parameter);
    return;
  }
  const ee_rule_node *outer = self->node;
  if (value->node != NULL && value->node->line > 0) self->node = value->node;
  switch (value->type) {
  case EE_RULE_BOOL: ee_buffer_add_text(self->out, value->boolean ? "true" : "false"); break;
  case EE_RULE_NUMBER: write_number(self, value->number); break;
  case EE_RULE_TEXT: write_text(self->out, value->text); break;
  case EE_RULE_TABLE: write_table(self, value->node, first); break;
  case EE_RULE_NODE:
    ee_buffer_add_text(self->out, "{ ");
    write_name(self, value->node);
    ee_buffer_add_text(self->out, ": ");
    write_content(self, value->node);
    ee_buffer_add_text(self->out, " }");
    break;
  case EE_RULE_FUNCTION:
    refuse(self, self->node, "a function cannot be written in YAML: the rules need a file in Lua");
    break;
  default: ee_buffer_add_text(self->out, "null");
  }
  self->node = outer;
}

/* Entries over several lines -------------------------------------------------------------------- */

/* Judges have their fields one a line. */
static bool opens(const ee_rule_node *node) {
  if (ee_judge_type_find(node->kind) == NULL) return false;
  for (size_t i = 0; i < node->item_count; i++)
    if (node->items[i].type == EE_RULE_NODE) return true;
  return false;
}

static void write_entry(writer *self, const ee_rule_value *entry, size_t indent);

static void write_entries(writer *self, const ee_rule_value *items, size_t count, size_t indent) {
  for (size_t i = 0; i < count; i++) write_entry(self, &items[i], indent);
}

/* KEY: VALUE in a line of its own. */
static void write_line(writer *self, size_t indent, ee_str key, const ee_rule_value *value, const char *first) {
  add_spaces(self->out, indent);
  write_text(self->out, key);
  ee_buffer_add_text(self->out, ": ");
  write_value(self, value, first);
  ee_buffer_add_char(self->out, '\n');
}

/* The members of a node, one a line. */
static void write_block(writer *self, const ee_rule_node *node, size_t indent) {
  size_t leading = count_leading(node);
  if (leading > 0) {
    add_spaces(self->out, indent);
    ee_buffer_add_text(self->out, "path: ");
    if (leading == 1)
      write_value(self, &node->items[0], NULL);
    else
      write_items(self, node->items, leading);
    ee_buffer_add_char(self->out, '\n');
  }
  size_t option_count;
  const ee_rule_option **options = ee_rule_options_in_order(node, self->arena, &option_count);
  for (size_t i = 0; i < option_count; i++) {
    const ee_rule_option *option = options[i];
    bool methods = ee_str_is(node->kind, "tree") && ee_str_is(option->name, "arrays");
    write_line(self, indent, option->name, &option->value, methods ? "method of tables" : NULL);
  }
  if (leading == node->item_count) return;
  add_spaces(self->out, indent);
  ee_buffer_add_text(self->out, "fields:\n");
  write_entries(self, node->items + leading, node->item_count - leading, indent + 2);
}

/* "- NAME: ..." on one line, or over several. */
static void write_entry(writer *self, const ee_rule_value *entry, size_t indent) {
  const ee_rule_node *outer = self->node;
  add_spaces(self->out, indent);
  ee_buffer_add_text(self->out, "- ");
  if (entry->type != EE_RULE_NODE || entry->parameter != NULL) {
    write_value(self, entry, NULL);
    ee_buffer_add_char(self->out, '\n');
    return;
  }
  const ee_rule_node *node = entry->node;
  if (node->line > 0) self->node = node;
  if ((count_leading(node) > 0 && ee_rule_node_has_option(node, "path")) ||
      (count_leading(node) < node->item_count && ee_rule_node_has_option(node, "fields")))
    refuse(self, node, "this has an option that is called as positional values are in YAML");
  write_name(self, node);
  ee_buffer_add_char(self->out, ':');
  size_t start = self->out->length;
  if (!opens(node)) {
    ee_buffer_add_char(self->out, ' ');
    write_content(self, node);
    if (indent + 3 + node->kind.length + self->out->length - start <= LINE_WIDTH || node->option_count == 0) {
      ee_buffer_add_char(self->out, '\n');
      self->node = outer;
      return;
    }
    self->out->length = start;
  }
  ee_buffer_add_char(self->out, '\n');
  write_block(self, node, indent + 4);
  self->node = outer;
}

/* The file ------------------------------------------------------------------------------------- */

static void add_module(writer *self, ee_buffer *list, const char *module) {
  (void)self;
  if (list->length > 0) ee_buffer_add_text(list, ", ");
  ee_buffer_add_text(list, module);
}

static void write_modules(writer *self, const ee_used_modules *used) {
  ee_buffer list;
  ee_buffer_init(&list);
  for (size_t i = 0; i < used->strategies.count; i++) {
    const ee_used_strategy *one = &used->strategies.items[i];
    if (one->module == NULL)
      refuse(self, one->definition,
             "this strategy is defined in the rule file: YAML can only use it from a Lua file of "
             "its own, which returns it");
    else
      add_module(self, &list, one->module);
  }
  for (size_t i = 0; i < used->rules.count; i++) add_module(self, &list, used->rules.items[i]);
  if (list.length > 0) ee_buffer_addf(self->out, "require: [%s]\n", ee_buffer_terminate(&list));
  ee_buffer_fini(&list);
}

/* Escapes what nobody sees, which is within double quotes only, from `start` on: people read the text. */
static void escape_unseen(ee_buffer *out, size_t start, ee_arena *arena) {
  ee_str text = {out->data + start, out->length - start};
  if (ee_printable_prefix(text, EE_PRINT_LINES) == text.length) return;
  text.data = ee_arena_copy(arena, text.data, text.length);
  out->length = start;
  for (size_t at = 0, step; at < text.length; at += step) {
    uint32_t c;
    bool stays;
    step = ee_printable_step(text, at, EE_PRINT_LINES, &c, &stays);
    if (stays)
      ee_buffer_add(out, text.data + at, step);
    else if (c <= 0xffff)
      ee_add_escape(out, c);
    else
      ee_buffer_addf(out, "\\U%08x", (unsigned)c);
  }
}

bool ee_rules_write_yaml(const ee_rule_text *text, ee_arena *arena, ee_buffer *out, ee_error *error) {
  size_t start = out->length;
  *error = (ee_error){.status = EE_OK};
  const ee_rule_node *root = text->root;
  writer self = {.text = text, .arena = arena, .out = out, .node = root, .error = error};
  ee_used_modules used;
  ee_used_modules_find(text, arena, &used);
  size_t option_count;
  const ee_rule_option **options = ee_rule_options_in_order(root, arena, &option_count);
  for (size_t i = 0; i < option_count; i++) {
    const ee_rule_option *option = options[i];
    write_line(&self, 0, option->name, &option->value, ee_str_is(option->name, "provider") ? "name" : NULL);
  }
  write_modules(&self, &used);
  ee_buffer_add_text(out, "rules:\n");
  for (size_t i = 0; i < root->item_count; i++)
    if (ee_rule_entry_module(text, &root->items[i], arena) == NULL) write_entry(&self, &root->items[i], 2);
  escape_unseen(out, start, arena);
  return error->status == EE_OK;
}
