/* rule_writer.c: what both writers of rules share: equal trees, and modules. */
#include "judge/rule_text/rule_writer.h"

#include "data/json/json_equal.h"
#include "judge/compile.h"
#include "judge/gate.h"
#include "judge/judge.h"
#include "judge/plan.h"
#include "judge/strategy/strategy.h"

/* Objects of more members stay sorted by name. */
#define MANY_OPTIONS 64

/* Equal trees ---------------------------------------------------------------------------------- */

static bool is_table(const ee_rule_value *value) { return value->type == EE_RULE_TABLE; }

static bool values_equal(const ee_rule_value *a, const ee_rule_value *b, ee_arena *arena) {
  bool documents = is_table(a) && is_table(b) && (a->node->document != NULL || b->node->document != NULL);
  if (documents) {
    const char *why;
    const ee_value *left = ee_rule_node_to_value(arena, a->node, &why);
    const ee_value *right = ee_rule_node_to_value(arena, b->node, &why);
    return left != NULL && right != NULL && ee_json_equal(left, right);
  }
  if (a->type != b->type) return false;
  switch (a->type) {
  case EE_RULE_BOOL: return a->boolean == b->boolean;
  case EE_RULE_NUMBER: return memcmp(&a->number, &b->number, sizeof a->number) == 0;
  case EE_RULE_TEXT: return ee_str_equal(a->text, b->text);
  case EE_RULE_TABLE:
  case EE_RULE_NODE: return ee_rule_tree_equal(a->node, b->node, arena);
  default: return true;
  }
}

bool ee_rule_tree_equal(const ee_rule_node *a, const ee_rule_node *b, ee_arena *arena) {
  if (!ee_str_equal(a->kind, b->kind) || (a->definition == NULL) != (b->definition == NULL) ||
      a->item_count != b->item_count || a->option_count != b->option_count)
    return false;
  for (size_t i = 0; i < a->item_count; i++)
    if (!values_equal(&a->items[i], &b->items[i], arena)) return false;
  for (size_t i = 0; i < a->option_count; i++)
    if (!ee_str_equal(a->options[i].name, b->options[i].name) ||
        !values_equal(&a->options[i].value, &b->options[i].value, arena))
      return false;
  return true;
}

/* Options -------------------------------------------------------------------------------------- */

/* The rows of the node's constructor; `tables` ends with NULL. */
static void list_rows(const ee_rule_node *node, const ee_option *tables[3]) {
  const ee_judge_type *judge = ee_judge_type_find(node->kind);
  const ee_strategy_type *strategy = node->definition == NULL ? ee_strategy_type_find(node->kind) : &ee_custom_strategy;
  size_t count = 0;
  if (ee_str_is(node->kind, "rules")) {
    tables[count++] = ee_rules_options;
  } else if (ee_str_is(node->kind, "gate")) {
    tables[count++] = ee_gate_options;
  } else if (judge != NULL && node->definition == NULL) {
    if (judge->options != NULL) tables[count++] = judge->options;
    tables[count++] = ee_judge_shared_options;
  } else if (strategy != NULL) {
    if (strategy->options != NULL) tables[count++] = strategy->options;
    tables[count++] = ee_strategy_shared_options;
  }
  tables[count] = NULL;
}

static size_t rank_of(const ee_rule_node *node, ee_str name) {
  const ee_option *tables[3];
  size_t rank = 1;
  list_rows(node, tables);
  if (ee_str_is(name, "name")) return 0;
  for (const ee_option **table = tables; *table != NULL; table++)
    for (const ee_option *row = *table; row->name != NULL; row++, rank++)
      if (ee_str_is(name, row->name)) return rank;
  return rank;
}

bool ee_rule_node_has_option(const ee_rule_node *node, const char *name) {
  const ee_option *tables[3];
  list_rows(node, tables);
  for (const ee_option **table = tables; *table != NULL; table++)
    for (const ee_option *row = *table; row->name != NULL; row++)
      if (strcmp(row->name, name) == 0) return true;
  if (node->definition == NULL) return false;
  ee_rule_value declared = ee_rule_node_get(node->definition, "options");
  return declared.type == EE_RULE_TABLE && ee_rule_node_get(declared.node, name).type != EE_RULE_NONE;
}

static bool comes_before(const ee_rule_node *node, const ee_rule_option *a, const ee_rule_option *b) {
  const ee_rule_value *left = &a->value, *right = &b->value;
  if (left->line > 0 && right->line > 0)
    return left->line != right->line ? left->line < right->line : left->column < right->column;
  size_t first = rank_of(node, a->name), second = rank_of(node, b->name);
  return first != second ? first < second : ee_str_compare(a->name, b->name) < 0;
}

const ee_rule_option **ee_rule_options_in_order(const ee_rule_node *node, ee_arena *arena, size_t *count) {
  const ee_rule_option **options = EE_NEW_ARRAY(arena, const ee_rule_option *, node->option_count);
  *count = 0;
  if (node->option_count > MANY_OPTIONS) { /* keys from the data, which are sorted already */
    for (size_t i = 0; i < node->option_count; i++)
      if (node->options[i].value.type != EE_RULE_NONE) options[(*count)++] = &node->options[i];
    return options;
  }
  for (size_t i = 0; i < node->option_count; i++) {
    if (node->options[i].value.type == EE_RULE_NONE) continue;
    size_t at = (*count)++;
    for (; at > 0 && comes_before(node, &node->options[i], options[at - 1]); at--) options[at] = options[at - 1];
    options[at] = &node->options[i];
  }
  return options;
}

/* Modules -------------------------------------------------------------------------------------- */

/* The module (`strategies.iban`) that is read from `file`, in `arena`; NULL: it is in no folder of `folders`. */
static const char *module_of(const char *file, const char *const *folders, ee_arena *arena) {
  static const char ending[] = ".lua";
  if (file == NULL) return NULL;
  for (; *folders != NULL; folders++) {
    bool here = strcmp(*folders, ".") == 0;
    size_t skip = here ? 0 : strlen(*folders) + 1, length = strlen(file);
    bool inside = here ? *file != '/' : length > skip && memcmp(file, *folders, skip - 1) == 0 && file[skip - 1] == '/';
    if (!inside || length < skip + sizeof ending || strcmp(file + length - (sizeof ending - 1), ending) != 0) continue;
    char *name = ee_arena_copy(arena, file + skip, length - skip - (sizeof ending - 1));
    bool good = true;
    for (char *at = name; *at != '\0'; at++) {
      good = good && *at != '.';
      if (*at == '/') *at = '.';
    }
    if (good) return name;
  }
  return NULL;
}

/* Whether a function is anywhere in the value. */
static bool has_function(const ee_rule_value *value) {
  if (value->type == EE_RULE_FUNCTION) return true;
  if (value->node == NULL) return false;
  for (size_t i = 0; i < value->node->item_count; i++)
    if (has_function(&value->node->items[i])) return true;
  for (size_t i = 0; i < value->node->option_count; i++)
    if (has_function(&value->node->options[i].value)) return true;
  return false;
}

const char *ee_rule_entry_module(const ee_rule_text *text, const ee_rule_value *entry, ee_arena *arena) {
  if (entry->type != EE_RULE_NODE || entry->node->file == NULL || text->root->file == NULL) return NULL;
  if (strcmp(entry->node->file, text->root->file) == 0 || !has_function(entry)) return NULL;
  return module_of(entry->node->file, text->folders, arena);
}

static void add_rules(ee_used_modules *used, const char *module, ee_arena *arena) {
  for (size_t i = 0; i < used->rules.count; i++)
    if (strcmp(used->rules.items[i], module) == 0) return;
  *EE_LIST_ADD(&used->rules, arena) = module;
}

static void find_strategies(const ee_rule_text *text, const ee_rule_node *node, ee_arena *arena,
                            ee_used_modules *used) {
  if (node->definition != NULL) {
    bool known = false;
    for (size_t i = 0; i < used->strategies.count; i++)
      known = known || ee_str_equal(used->strategies.items[i].name, node->kind);
    if (!known)
      *EE_LIST_ADD(&used->strategies, arena) =
          (ee_used_strategy){.name = node->kind,
                             .definition = node->definition,
                             .module = module_of(node->definition->file, text->folders, arena)};
  }
  for (size_t i = 0; i < node->item_count; i++)
    if (node->items[i].node != NULL) find_strategies(text, node->items[i].node, arena, used);
  for (size_t i = 0; i < node->option_count; i++)
    if (node->options[i].value.node != NULL) find_strategies(text, node->options[i].value.node, arena, used);
}

void ee_used_modules_find(const ee_rule_text *text, ee_arena *arena, ee_used_modules *used) {
  *used = (ee_used_modules){0};
  const ee_rule_node *root = text->root;
  for (size_t i = 0; i < root->item_count; i++) {
    const char *module = ee_rule_entry_module(text, &root->items[i], arena);
    if (module != NULL)
      add_rules(used, module, arena);
    else if (root->items[i].node != NULL)
      find_strategies(text, root->items[i].node, arena, used);
  }
}
