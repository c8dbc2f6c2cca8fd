/* tree_compile.c: ee.tree in the rule file: options checked, selectors and strategies read, and printed. */
#include <math.h>

#include "base/printable.h"
#include "judge/pairing/pairs.h"
#include "judge/tree/tree.h"
#include "prim/number.h"
#include "prim/sort.h"

#define SUBJECT "ee.tree"
#define MAX_WEIGHT 1e9

const char *const ee_tree_type_names[EE_TREE_TYPES + 1] = {"string", "integer", "number", "boolean",
                                                           "null",   "array",   "object", NULL};

const ee_option ee_tree_array_options[] = {
    {.name = "threshold",
     .type = EE_OPTION_NUMBER,
     .default_text = "0",
     .help = "The lowest score of a pair of items, inclusive; 0: every item that can have a partner has one.",
     .min = 0,
     .max = 1},
    {.name = "key",
     .type = EE_OPTION_PATH,
     .default_text = "none",
     .help = "For method key, which needs it: the path in the items whose values must be equal."},
    {.name = NULL},
};

const ee_option ee_tree_options[] = {
    {.name = "leaves",
     .lua_type = "table<string, ee.node.field>",
     .type = EE_OPTION_TABLE,
     .default_text = "ee.auto",
     .help =
         "Strategies without a path, by path (\"invoice.total\", \"lines[*].price\"), by pattern (\"*.total\" at any "
         "depth, * for any characters of a key), by the value's type (string, integer, number, boolean, array, "
         "object), for two values of different types (mixed, compared as JSON) and for all others (default). A path "
         "or pattern that names an array or object makes it one leaf. ee.ignore takes values out."},
    {.name = "arrays",
     .lua_type = "string|table<string, string|table>",
     .type = EE_OPTION_TEXT_OR_TABLE,
     .default_text = "\"optimal\"",
     .help = "How items are paired: optimal, greedy, key, index or set, or { \"key\", key = \"id\" }, { \"optimal\", "
             "threshold = 0.5 }; of all arrays, or by path and pattern with those of all others under default: "
             "{ default = \"index\", [\"*.tags\"] = \"set\" }."},
    {.name = "aggregate",
     .lua_type = "\"leaves\"|\"mean\"|\"union\"|fun(children: ee.part[]): boolean|number",
     .type = EE_OPTION_CHOICE_OR_FUNCTION,
     .default_text = "\"leaves\"",
     .help = "\"leaves\": the mean over all leaves. \"mean\": at each object and array the mean of its children; the "
             "longer array counts. \"union\": the same, but items without a partner count on both sides. Or a function "
             "of an object's or array's children.",
     .choices = EE_TREE_AGGREGATES},
    {.name = "clip",
     .type = EE_OPTION_NUMBER,
     .default_text = "0",
     .help = "The score of a leaf below which it counts 0.",
     .min = 0,
     .max = 1},
    {.name = "clip_unmatched",
     .type = EE_OPTION_BOOL,
     .default_text = "false",
     .help = "Whether a leaf counts 0 if its strategy says that it does not match, whatever its score."},
    {.name = "weights",
     .lua_type = "table<string, number>",
     .type = EE_OPTION_TABLE,
     .default_text = "1 each",
     .help = "Weights by path and pattern: { [\"*.total\"] = 3, meta = 0 }. That of an array or object is its leaves', "
             "unless they have their own; with \"mean\" and \"union\" it is the weight among its siblings."},
    {.name = "tn",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"score\"",
     .help = "Values that are empty on both sides score 1 where the expected document has them, are left out of the "
             "score (\"skip\"), or score 1 where either document has them.",
     .choices = "score|skip|either"},
    {.name = "on_unexpected",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"fail\"",
     .help =
         "A value where nothing is expected scores 0, is left out of the score, or scores 1. It is a false positive "
         "in any case.",
     .choices = "fail|skip|pass"},
    {.name = "alternatives",
     .type = EE_OPTION_BOOL,
     .default_text = "false",
     .help = "Whether {\"anyOf\": [...]} in the expected document holds several correct values; the best one counts; "
             "also an array of strings or numbers as the whole expected value, where the answer is not an array."},
    {.name = "null",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"absent\"",
     .help =
         "\"value\": null and blank strings are values: null is right for null, wrong for a string and missing where "
         "the candidate has nothing.",
     .choices = "absent|value"},
    {.name = "schema",
     .type = EE_OPTION_TEXT_OR_TABLE,
     .is_data = true,
     .default_text = "none",
     .help = "A JSON Schema, as a table or a file, whose types decide before those of the values, so that \"12.50\" is "
             "compared as a number where the schema says so; also [\"format:date\"] = ee.date {} in 'leaves'."},
    EE_CANDIDATE_PATH_OPTION,
    EE_PAIRS_MAX_OPTION("pairs", "Optimal pairing of larger arrays (items times items) falls back to greedy."),
    {.name = NULL},
};

const char *ee_tree_method_name(ee_tree_method method) {
  static const char *const names[] = {"optimal", "greedy", "key", "index", "set"};
  return names[method];
}

/* Selectors ------------------------------------------------------------------------------------- */

static bool is_star(ee_str key) { return ee_str_is(key, "*"); }

/* Reads a path or pattern. False with an error. */
static bool read_selector(ee_plan_builder *builder, const ee_rule_node *place, const char *option, ee_str text,
                          ee_tree_selector *selector) {
  const char *subject = ee_arena_printf(builder->arena, "%s of " SUBJECT, option);
  const ee_path *path = ee_compile_path(builder, place, text, subject, 0);
  if (path == NULL) return false;
  *selector = (ee_tree_selector){.written = text, .steps = path->steps, .count = path->count};
  selector->literal = text.length > 0 && text.data[0] == '/';
  selector->exact = true;
  /* A query such as $..total does not have its steps. */
  if (path->query != NULL && path->wildcards == 0) {
    ee_compile_error(builder, place, "%s: '%.*s' is a query; write a path or a pattern such as '*.total'", subject,
                     EE_STR_ARG(text));
    return false;
  }
  for (size_t i = 0; i < path->count; i++) {
    const ee_step *step = &path->steps[i];
    if (step->kind == EE_STEP_INDEX) {
      ee_compile_error(builder, place, "%s: '%.*s' has an index, but all items of an array are one place; write [*]",
                       subject, EE_STR_ARG(text));
      return false;
    }
    if (step->kind == EE_STEP_ALL) continue;
    for (size_t k = 0; k < step->key.length; k++) {
      bool star = !selector->literal && step->key.data[k] == '*';
      if (star) selector->exact = false;
      selector->letters += !star;
    }
  }
  if (!selector->literal && path->count > 0 && path->steps[0].kind != EE_STEP_ALL && is_star(path->steps[0].key)) {
    selector->anywhere = true;
    selector->steps++;
    selector->count--;
    if (selector->count == 0) {
      ee_compile_error(builder, place, "%s: '*' names every value (write default, which names all others)", subject);
      return false;
    }
  }
  return true;
}

/* The most specific first: paths before patterns; of patterns that with more steps, then more characters, then with a
 * fixed beginning, then in byte order. */
static bool is_more_specific(const ee_tree_selector *a, const ee_tree_selector *b) {
  if (a->exact != b->exact) return a->exact;
  if (a->count != b->count) return a->count > b->count;
  if (a->letters != b->letters) return a->letters > b->letters;
  if (a->anywhere != b->anywhere) return b->anywhere;
  return ee_str_compare(a->written, b->written) < 0;
}

static bool leaf_before(const ee_tree_leaf *a, const ee_tree_leaf *b) {
  return is_more_specific(&a->selector, &b->selector);
}
static bool arrays_before(const ee_tree_arrays *a, const ee_tree_arrays *b) {
  return is_more_specific(&a->selector, &b->selector);
}
static bool weight_before(const ee_tree_weight *a, const ee_tree_weight *b) {
  return is_more_specific(&a->selector, &b->selector);
}
EE_DEFINE_SORT(sort_leaves, ee_tree_leaf, leaf_before)
EE_DEFINE_SORT(sort_arrays, ee_tree_arrays, arrays_before)
EE_DEFINE_SORT(sort_weights, ee_tree_weight, weight_before)

static void refuse_positional(ee_plan_builder *builder, const ee_rule_node *place, const ee_rule_node *table,
                              const char *option) {
  if (table->item_count == 0) return;
  ee_compile_error(builder, place, "the values of '%s' in " SUBJECT " must have keys, got %s without one", option,
                   ee_rule_value_describe(&table->items[0], builder->arena));
}

/* Strategies ------------------------------------------------------------------------------------ */

/* null = "value" is a rule of the judge, not of a strategy. */
static void set_empty(const ee_tree *tree, ee_strategy *strategy) {
  if (tree->empty.none) strategy->empty = tree->empty;
}

/* Compiles the strategy of an entry. False with errors. */
static bool read_strategy(ee_plan_builder *builder, const ee_tree *tree, const ee_rule_node *node, ee_str written,
                          ee_tree_leaf *leaf) {
  static const ee_strategy_table table = {SUBJECT, "leaves", "its place is"};
  const ee_strategy *strategy = ee_strategy_table_compile(builder, node, &table, written);
  if (strategy == NULL) return false;
  set_empty(tree, (ee_strategy *)strategy);
  ee_path *path = EE_NEW(builder->arena, ee_path);
  path->text = written;
  leaf->field = (ee_field){.name = written,
                           .expected_path = path,
                           .candidate_path = path,
                           .strategy = strategy,
                           .weight = 1,
                           .required = true,
                           .when = EE_NO_FUNCTION,
                           .ignored = strategy->type->is_ignored,
                           .node = strategy->node};
  const ee_strategy *inner = strategy->inner;
  size_t decimal = inner != NULL ? inner->decimal_number : strategy->decimal_number;
  if (decimal > 0) builder->plan->decimals->items[decimal - 1].field = written;
  leaf->is_reflexive = ee_strategy_is_reflexive(strategy);
  leaf->is_plain = !ee_strategy_calls_script(strategy) && !ee_strategy_uses_provider(strategy) && inner == NULL &&
                   !strategy->type->ignores_expected;
  leaf->is_cheap = leaf->is_plain && (strategy->type == &ee_exact_strategy || strategy->type == &ee_numeric_strategy);
  leaf->is_exact = strategy->type == &ee_exact_strategy && strategy->form_count == 0 &&
                   strategy->normalize_function == EE_NO_FUNCTION;
  leaf->place = ee_arena_printf(builder->arena, "%s:%zu", node->file != NULL ? node->file : "-", node->line);
  return true;
}

/* A strategy that is not in the rule file. */
static const ee_tree_leaf *own_leaf(ee_plan_builder *builder, const ee_tree *tree, const ee_rule_node *node,
                                    const char *kind, const char *written) {
  ee_rule_node *own = EE_NEW(builder->arena, ee_rule_node);
  own->kind = ee_str_from(kind);
  own->file = node->file;
  own->line = node->line;
  ee_tree_leaf *leaf = EE_NEW(builder->arena, ee_tree_leaf);
  read_strategy(builder, tree, own, ee_str_from(written), leaf);
  return leaf;
}

/* The word's number among the types; -1 for another word. */
static int type_of_word(ee_str word) {
  for (int i = 0; i < EE_TREE_TYPES; i++)
    if (ee_str_is(word, ee_tree_type_names[i])) return i;
  return -1;
}

#define FORMAT "format:"

/* An entry for a format of the schema. A schema that has mistakes is given, too. */
static void add_format(ee_plan_builder *builder, const ee_rule_node *place, bool has_schema, ee_tree *tree,
                       ee_tree_leaf leaf) {
  leaf.format = (ee_str){leaf.field.name.data + sizeof FORMAT - 1, leaf.field.name.length - (sizeof FORMAT - 1)};
  if (!has_schema)
    ee_compile_error(builder, place, "the leaf '%.*s' of " SUBJECT " needs the option 'schema'",
                     EE_STR_ARG(leaf.field.name));
  tree->formats[tree->format_count++] = leaf;
}

static bool is_format(ee_str word) {
  return word.length >= sizeof FORMAT - 1 && memcmp(word.data, FORMAT, sizeof FORMAT - 1) == 0;
}

static void read_leaves(ee_plan_builder *builder, const ee_rule_node *node, ee_tree *tree) {
  ee_rule_value value = ee_rule_node_get(node, "leaves");
  if (value.type != EE_RULE_TABLE) return;
  const ee_rule_node *table = value.node;
  ee_rule_node place = ee_rule_table_place(table, node);
  refuse_positional(builder, &place, table, "leaves");
  tree->leaves = EE_NEW_ARRAY(builder->arena, ee_tree_leaf, table->option_count);
  tree->formats = EE_NEW_ARRAY(builder->arena, ee_tree_leaf, table->option_count);
  for (size_t i = 0; i < table->option_count; i++) {
    ee_str word = table->options[i].name;
    const ee_rule_value *given = &table->options[i].value;
    if (given->type == EE_RULE_NONE) continue;
    if (given->type != EE_RULE_NODE) {
      ee_compile_error(builder, &place,
                       "the leaf '%.*s' of " SUBJECT " must be a strategy such as ee.fuzzy {}, got %s%s",
                       EE_STR_ARG(word), ee_rule_value_describe(given, builder->arena),
                       given->type == EE_RULE_FUNCTION ? " (did you mean 'ee.custom(function)'?)" : "");
      continue;
    }
    ee_tree_leaf leaf = {0};
    if (!read_strategy(builder, tree, given->node, word, &leaf)) continue;
    int type = type_of_word(word);
    bool is_word = type >= 0 || ee_str_is(word, "default") || ee_str_is(word, "mixed");
    if (is_word) {
      ee_tree_leaf *kept = EE_NEW(builder->arena, ee_tree_leaf);
      *kept = leaf;
      if (type >= 0)
        tree->by_type[type] = kept;
      else if (ee_str_is(word, "mixed"))
        tree->mixed = kept;
      else
        tree->otherwise = kept;
    } else if (is_format(word)) {
      add_format(builder, &place, ee_rule_node_get(node, "schema").type != EE_RULE_NONE, tree, leaf);
    } else if (read_selector(builder, &place, "leaves", word, &leaf.selector)) {
      tree->leaves[tree->leaf_count++] = leaf;
    }
  }
  sort_leaves(tree->leaves, tree->leaf_count, builder->arena);
}

/* Arrays and weights ---------------------------------------------------------------------------- */

/* In place of a table that is not given. */
static const ee_rule_node no_table = {.item_count = 0};

/* One entry: a method, or { method, threshold = 0.5 }. False with errors. */
static bool read_method(ee_plan_builder *builder, const ee_rule_node *node, ee_str written, const ee_rule_value *given,
                        ee_tree_arrays *arrays) {
  static const ee_option method_row[] = {{.name = "method", .type = EE_OPTION_CHOICE, .choices = EE_TREE_METHODS},
                                         {.name = NULL}};
  static const ee_option *const tables[] = {ee_tree_array_options, NULL}, *const method_tables[] = {method_row, NULL};
  const ee_rule_node *table = given->type == EE_RULE_TABLE ? given->node : &no_table;
  ee_rule_node place = ee_rule_table_place(table, node);
  ee_rule_value method = *given;
  if (given->type == EE_RULE_TABLE) {
    if (table->item_count != 1) {
      ee_compile_error(builder, &place,
                       "the arrays '%.*s' of " SUBJECT " must be a method or { \"optimal\", threshold = 0.5 }",
                       EE_STR_ARG(written));
      return false;
    }
    method = table->items[0];
  }
  ee_rule_option option = {EE_STR("method"), method};
  ee_rule_node wrapped = {.file = place.file, .line = place.line, .options = &option, .option_count = 1};
  const char *subject = ee_arena_printf(builder->arena, "the arrays '%.*s' of " SUBJECT, EE_STR_ARG(written));
  if (!ee_options_check(&wrapped, subject, method_tables, builder->errors)) return false;
  ee_rule_node options = *table;
  options.file = place.file;
  options.line = place.line;
  if (!ee_options_check(&options, subject, tables, builder->errors)) return false;
  arrays->method = (ee_tree_method)ee_option_choice(&wrapped, "method", EE_TREE_METHODS, "optimal");
  arrays->threshold = ee_option_number(table, "threshold", 0);
  arrays->key = ee_compile_option_path(builder, &options, subject, "key");
  bool by_key = arrays->method == EE_TREE_KEY;
  if (by_key && arrays->key == NULL)
    ee_compile_error(builder, &place, "%s: method key needs a key: { \"key\", key = \"id\" }", subject);
  if (!by_key && arrays->key != NULL) ee_compile_error(builder, &place, "%s: 'key' is for method key", subject);
  bool has_threshold = ee_rule_node_get(table, "threshold").type != EE_RULE_NONE;
  if (has_threshold && arrays->method != EE_TREE_OPTIMAL && arrays->method != EE_TREE_GREEDY)
    ee_compile_error(builder, &place, "%s: 'threshold' is for the methods optimal and greedy", subject);
  if (arrays->method == EE_TREE_SET) arrays->threshold = 1;
  return by_key == (arrays->key != NULL);
}

static void read_arrays(ee_plan_builder *builder, const ee_rule_node *node, ee_tree *tree) {
  ee_rule_value value = ee_rule_node_get(node, "arrays");
  if (value.type == EE_RULE_NONE) return;
  const ee_rule_node *table = value.type == EE_RULE_TABLE ? value.node : &no_table;
  if (value.type == EE_RULE_TEXT || table->item_count > 0) {
    read_method(builder, node, EE_STR("default"), &value, &tree->other_arrays);
    return;
  }
  ee_rule_node place = ee_rule_table_place(table, node);
  tree->arrays = EE_NEW_ARRAY(builder->arena, ee_tree_arrays, table->option_count);
  for (size_t i = 0; i < table->option_count; i++) {
    ee_str word = table->options[i].name;
    ee_tree_arrays entry = {0};
    if (table->options[i].value.type == EE_RULE_NONE) continue;
    if (!read_method(builder, &place, word, &table->options[i].value, &entry)) continue;
    if (ee_str_is(word, "default")) {
      tree->other_arrays = entry;
    } else if (read_selector(builder, &place, "arrays", word, &entry.selector)) {
      tree->arrays[tree->array_count++] = entry;
    }
  }
  sort_arrays(tree->arrays, tree->array_count, builder->arena);
}

static void read_weights(ee_plan_builder *builder, const ee_rule_node *node, ee_tree *tree) {
  ee_rule_value value = ee_rule_node_get(node, "weights");
  if (value.type != EE_RULE_TABLE) return;
  const ee_rule_node *table = value.node;
  ee_rule_node place = ee_rule_table_place(table, node);
  refuse_positional(builder, &place, table, "weights");
  tree->weights = EE_NEW_ARRAY(builder->arena, ee_tree_weight, table->option_count);
  for (size_t i = 0; i < table->option_count; i++) {
    const ee_rule_value *given = &table->options[i].value;
    ee_tree_weight entry = {.weight = given->number};
    if (given->type == EE_RULE_NONE) continue;
    if (given->type != EE_RULE_NUMBER || !(given->number >= 0 && given->number <= MAX_WEIGHT)) {
      ee_compile_error(builder, &place,
                       "the weight of '%.*s' in " SUBJECT " must be a number from 0 to 1000000000, got %s",
                       EE_STR_ARG(table->options[i].name), ee_rule_value_describe(given, builder->arena));
    } else if (read_selector(builder, &place, "weights", table->options[i].name, &entry.selector)) {
      tree->weights[tree->weight_count++] = entry;
    }
  }
  sort_weights(tree->weights, tree->weight_count, builder->arena);
}

/* The node ------------------------------------------------------------------------------------- */

static void compile_paths(ee_plan_builder *builder, const ee_rule_node *node, ee_tree *tree) {
  ee_list_paths_compile_alone(builder, node, SUBJECT, "one path and options", "leaves", &tree->paths);
  /* An answer without JSON is the answer where a single value is expected. */
  if (tree->paths.expected != NULL || tree->paths.candidate != NULL) return;
  builder->plan->paths.keep_text = true;
  if (ee_option_bool(node, "alternatives", false)) builder->plan->paths.keep_options = true;
}

/* All strategies, one after the other; NULL at the end. */
static const ee_tree_leaf *leaf_at(const ee_tree *tree, size_t i) {
  if (i < tree->leaf_count) return &tree->leaves[i];
  i -= tree->leaf_count;
  for (int type = 0; type < EE_TREE_TYPES; type++)
    if (tree->by_type[type] != NULL && i-- == 0) return tree->by_type[type];
  if (i < tree->format_count) return &tree->formats[i];
  i -= tree->format_count;
  if (tree->mixed != NULL && i-- == 0) return tree->mixed;
  return i == 0 ? tree->otherwise : NULL;
}

static void set_calls(ee_tree *tree, ee_judge *judge) {
  judge->calls_script = tree->function != EE_NO_FUNCTION;
  const ee_tree_leaf *leaf;
  for (size_t i = 0; (leaf = leaf_at(tree, i)) != NULL; i++) {
    if (leaf->field.strategy == NULL || leaf->field.ignored) continue;
    const ee_strategy *inner = leaf->field.strategy->inner;
    if (leaf->field.strategy->decimal_number > 0 || (inner != NULL && inner->decimal_number > 0)) tree->votes = true;
    if (ee_field_calls_script(&leaf->field)) judge->calls_script = true;
    if (ee_strategy_uses_provider(leaf->field.strategy)) judge->uses_provider = true;
  }
}

/* What some case should have, so that mistyped paths are reported: leaves, arrays, weights, then the path itself. */
static void set_expected_paths(ee_plan_builder *builder, const ee_tree *tree, ee_judge *judge) {
  size_t count = tree->leaf_count + tree->array_count + tree->weight_count;
  ee_expected_path *paths = EE_NEW_ARRAY(builder->arena, ee_expected_path, count + 1);
  size_t at = 0;
  for (size_t i = 0; i < tree->leaf_count; i++) paths[at++].name = tree->leaves[i].selector.written;
  for (size_t i = 0; i < tree->array_count; i++) paths[at++].name = tree->arrays[i].selector.written;
  for (size_t i = 0; i < tree->weight_count; i++) paths[at++].name = tree->weights[i].selector.written;
  for (size_t i = 0; i < count; i++) {
    paths[i].none = "no value";
    paths[i].what = "path";
  }
  judge->expected_paths = paths;
  judge->expected_path_count = count;
  const ee_path *path = tree->paths.expected != NULL ? tree->paths.expected : tree->paths.candidate;
  if (path == NULL) return;
  paths[judge->expected_path_count++] =
      (ee_expected_path){.name = path->text, .none = "nothing", .what = "path", .holds_rest = true};
}

void ee_tree_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge) {
  ee_tree *tree = EE_NEW(builder->arena, ee_tree);
  judge->data = tree;
  tree->empty = builder->plan->empty;
  if (ee_option_is(node, "null", "value")) tree->empty = (ee_empty_rule){.none = true};
  tree->function = ee_option_function(node, "aggregate");
  tree->aggregate = tree->function != EE_NO_FUNCTION
                        ? EE_TREE_FUNCTION
                        : (ee_tree_aggregate)ee_option_choice(node, "aggregate", EE_TREE_AGGREGATES, "leaves");
  double clip = ee_option_number(node, "clip", 0);
  tree->clip = clip >= 0 && clip <= 1 ? clip : 0;
  tree->clip_unmatched = ee_option_bool(node, "clip_unmatched", false);
  tree->alternatives = ee_option_bool(node, "alternatives", false);
  tree->tn = (ee_tree_tn)ee_option_choice(node, "tn", "score|skip|either", "score");
  tree->unexpected = (ee_unexpected_rule)ee_option_choice(node, "on_unexpected", "fail|skip|pass", "fail");
  tree->max_pairs = ee_pairs_compile_max(builder, node, node, SUBJECT);
  compile_paths(builder, node, tree);
  tree->schema = ee_tree_schema_compile(builder, node);
  read_leaves(builder, node, tree);
  read_arrays(builder, node, tree);
  read_weights(builder, node, tree);
  if (tree->otherwise == NULL) tree->otherwise = own_leaf(builder, tree, node, "auto", "default");
  set_calls(tree, judge);
  set_expected_paths(builder, tree, judge);
  judge->data_attributes = true;
}

/* Printing -------------------------------------------------------------------------------------- */

static void print_leaf(const ee_tree_leaf *leaf, ee_buffer *out) {
  if (leaf == NULL) return;
  ee_buffer_add_text(out, "  ");
  if (leaf->field.ignored) {
    ee_add_shown(out, "", leaf->field.name, "  ignore");
  } else {
    size_t from = out->length;
    ee_field_print(&leaf->field, out);
    static const char weight[] = "  weight 1";
    if (out->length >= from + sizeof weight - 1) out->length -= sizeof weight - 1;
    if (ee_field_calls_script(&leaf->field)) ee_buffer_add_text(out, "  (calls Lua)");
  }
  ee_buffer_add_char(out, '\n');
}

static void print_number(ee_buffer *out, const char *before, double value) {
  char text[32];
  ee_double_format_short(value, 6, text);
  ee_buffer_addf(out, "%s%s", before, text);
}

static void print_arrays(const ee_tree_arrays *arrays, ee_str name, ee_buffer *out) {
  ee_add_shown(out, "  arrays ", name, "  ");
  ee_buffer_add_text(out, ee_tree_method_name(arrays->method));
  if (arrays->key != NULL) ee_add_shown(out, " ", arrays->key->text, "");
  if (arrays->threshold > 0 && arrays->method != EE_TREE_SET) print_number(out, ", threshold ", arrays->threshold);
  ee_buffer_add_char(out, '\n');
}

void ee_tree_print(const ee_judge *judge, ee_buffer *out) {
  static const char *const aggregates[] = {"leaves", "mean", "union", "by a function  (calls Lua)"};
  static const char *const tns[] = {"score", "skip", "either"}, *const unexpected[] = {"fail", "skip", "pass"};
  const ee_tree *tree = judge->data;
  if (tree->paths.expected != NULL || tree->paths.candidate != NULL) ee_list_paths_print(&tree->paths, "value", out);
  ee_buffer_addf(out, "  aggregate %s\n", aggregates[tree->aggregate]);
  if (tree->clip > 0) print_number(out, "  clip ", tree->clip);
  if (tree->clip > 0) ee_buffer_add_char(out, '\n');
  if (tree->clip_unmatched) ee_buffer_add_text(out, "  clip what does not match\n");
  if (tree->alternatives) ee_buffer_add_text(out, "  several correct values: {\"anyOf\": [...]}\n");
  ee_buffer_addf(out, "  tn %s, on_unexpected %s, null %s\n", tns[tree->tn], unexpected[tree->unexpected],
                 tree->empty.none ? "value" : "absent");
  if (tree->schema != NULL) ee_buffer_add_text(out, "  types by a JSON Schema\n");
  for (size_t i = 0; i < tree->leaf_count; i++) print_leaf(&tree->leaves[i], out);
  for (size_t i = 0; i < tree->format_count; i++) print_leaf(&tree->formats[i], out);
  for (int type = 0; type < EE_TREE_TYPES; type++) print_leaf(tree->by_type[type], out);
  print_leaf(tree->mixed, out);
  print_leaf(tree->otherwise, out);
  for (size_t i = 0; i < tree->array_count; i++) print_arrays(&tree->arrays[i], tree->arrays[i].selector.written, out);
  print_arrays(&tree->other_arrays, EE_STR("default"), out);
  for (size_t i = 0; i < tree->weight_count; i++) {
    ee_add_shown(out, "  weight ", tree->weights[i].selector.written, "");
    print_number(out, "  ", tree->weights[i].weight);
    ee_buffer_add_char(out, '\n');
  }
}
