/* fuzz_rule_tree.c: random rule trees, grown from the rows of judges, strategies and gates.
 *
 * The bytes choose nodes and options: mostly those that the rows allow, with values of the right kind, sometimes of
 * another. A tree that does not compile says why; one that does prints itself, judges random documents and what is
 * nearly them, and writes rows that are JSON. Each score is in 0..1, and a document against itself has no spurious and
 * no missing value.
 *
 * A tree without functions is also written in Lua and in YAML. One that compiles reads back from both as itself; one
 * that does not has the same mistakes in both. */
#include <math.h>

#include "data/json/json_reader.h"
#include "fuzz/fuzz.h"
#include "fuzz/judging.h"
#include "judge/rule_text/rule_document.h"
#include "judge/rule_text/rule_writer.h"
#include "judge/strategy/strategy.h"
#include "lua/rule_file.h"
#include "support/documents.h"

/* A script of which every function answers with a number that the bytes choose. */
struct ee_script {
  double number;
  ee_arena *arena;
};
static struct ee_script the_script;

static ee_script *open_script(void *host, ee_error *error) {
  (void)error;
  return host;
}
static void close_script(ee_script *script) { (void)script; }
static void begin_case(ee_script *script, const ee_case *current, ee_arena *arena) {
  (void)current;
  script->arena = arena;
}
static void end_case(ee_script *script) { (void)script; }
static ee_status answer(const ee_script *script, double *result, ee_error *error) {
  if (script->number < 0) return ee_error_set(error, EE_ERROR_RULES, "no");
  *result = script->number;
  return EE_OK;
}
static ee_status strategy(ee_script *script, int function, const ee_value *expected, const ee_value *candidate,
                          const ee_script_place *place, ee_script_score *result, ee_error *error) {
  (void)function, (void)expected, (void)candidate, (void)place;
  *result = (ee_script_score){0};
  return answer(script, &result->score, error);
}
static ee_status map(ee_script *script, int function, const ee_value *value, const ee_value **result, ee_error *error) {
  double ignored;
  (void)function;
  *result = script->number > 0.5 ? value : NULL;
  return answer(script, &ignored, error);
}
static ee_status similarity(ee_script *script, int function, const ee_value *expected, const ee_value *candidate,
                            double *result, ee_error *error) {
  (void)function, (void)expected, (void)candidate;
  return answer(script, result, error);
}
static ee_status judge_function(ee_script *script, int function, const ee_script_model *model,
                                ee_script_judgement *result, ee_error *error) {
  (void)function, (void)model;
  *result = (ee_script_judgement){.plain = true};
  return answer(script, &result->score, error);
}
static ee_status combine(ee_script *script, int function, const ee_script_number *numbers, size_t count, double *result,
                         ee_error *error) {
  (void)function, (void)numbers, (void)count;
  return answer(script, result, error);
}
static ee_status condition(ee_script *script, int function, bool *result, ee_error *error) {
  double number;
  (void)function;
  *result = script->number > 0.3;
  return answer(script, &number, error);
}
static ee_status aggregate(ee_script *script, int function, const ee_script_part *parts, size_t count, double *result,
                           ee_error *error) {
  (void)function, (void)parts, (void)count;
  return answer(script, result, error);
}
static ee_status pattern(ee_script *script, ee_str text, ee_str subject, bool *result, ee_error *error) {
  double number;
  (void)text, (void)subject;
  *result = script->number > 0.5;
  return answer(script, &number, error);
}
static const ee_script_vtable vtable = {.open = open_script,
                                        .close = close_script,
                                        .begin_case = begin_case,
                                        .end_case = end_case,
                                        .strategy = strategy,
                                        .map = map,
                                        .similarity = similarity,
                                        .judge = judge_function,
                                        .combine = combine,
                                        .condition = condition,
                                        .aggregate = aggregate,
                                        .pattern = pattern};

/* Growing ----------------------------------------------------------------------------------------- */

typedef struct grower {
  fuzz_source source;
  ee_arena *arena;
  int functions;
  size_t nodes;
  bool plain; /* without functions */
} grower;

static const ee_rule_node *grow_strategy(grower *self, size_t depth);
static const ee_rule_node *grow_table(grower *self, const ee_option *rows, size_t depth);

static const char *const paths[] = {"code",           "total", "weight",        "date",         "currency", "tags",
                                    "paid",           "items", "rows[*].value", "address.city", "name",     "vat",
                                    "items[0].price", "$",     "description",   "price",        "/total"};
static const char *const list_paths[] = {"items", "tags", "rows", "code", "missing"};
#define PICK(self, array) (array)[fuzz_below(&(self)->source, sizeof(array) / sizeof *(array))]

static ee_rule_value text_value(const char *text) {
  return (ee_rule_value){.type = EE_RULE_TEXT, .text = ee_str_from(text)};
}
static ee_rule_value number_value(double number) {
  return (ee_rule_value){.type = EE_RULE_NUMBER, .number = number, .is_integer = floor(number) == number};
}

static double grow_number(grower *self, const ee_option *row) {
  static const double numbers[] = {0, 1, 0.5, 0.01, -1, 2, 10, 1e9, 1e-12, 0.999999};
  double number = PICK(self, numbers);
  bool bounded = row != NULL && isfinite(row->min) && !fuzz_once_in(&self->source, 16);
  if (bounded && number < row->min) number = row->min;
  if (bounded && row->max > row->min && number > row->max) number = row->max;
  return number;
}

static const char *grow_choice(grower *self, const ee_option *row) {
  const char *choices = ee_option_choices(row, self->arena);
  if (choices == NULL) return "none";
  size_t count = 1;
  for (const char *at = choices; *at != '\0'; at++) count += *at == '|';
  for (size_t skip = fuzz_below(&self->source, count); skip > 0; skip--) choices = strchr(choices, '|') + 1;
  return ee_arena_copy(self->arena, choices, strcspn(choices, "|"));
}

static ee_rule_value table_of(grower *self, const ee_rule_value *items, size_t count) {
  ee_rule_node *node = EE_NEW(self->arena, ee_rule_node);
  *node = (ee_rule_node){
      .kind = EE_STR(""), .file = "tree.lua", .line = ++self->nodes, .items = items, .item_count = count};
  return (ee_rule_value){.type = EE_RULE_TABLE, .node = node};
}

static ee_rule_value grow_list(grower *self, const ee_option *row, ee_option_type type) {
  static const char *const words[] = {"a", "EUR", "N/A", "x", "YYYY-MM-DD", "", "2"};
  static const char *const forms[] = {"trim", "casefold", "nfkc", "alnum", "unaccent", "digits", "collapse_space"};
  size_t count = (fuzz_below(&self->source, 4) + 1) % 4;
  ee_rule_value *items = EE_NEW_ARRAY(self->arena, ee_rule_value, count + 1);
  for (size_t i = 0; i < count; i++) {
    if (type == EE_OPTION_NUMBERS)
      items[i] = number_value(grow_number(self, row));
    else if (type == EE_OPTION_PATHS)
      items[i] = text_value(PICK(self, paths));
    else
      items[i] = text_value(type == EE_OPTION_NORMALIZE ? PICK(self, forms) : PICK(self, words));
  }
  return table_of(self, items, count);
}

static ee_rule_value grow_function(grower *self) {
  if (self->plain) return text_value("x");
  return (ee_rule_value){.type = EE_RULE_FUNCTION, .function = self->functions++};
}

/* A value of the row's type, or now and then of any. */
static ee_rule_value grow_value(grower *self, const ee_option *row, size_t depth) {
  static const char *const words[] = {"x", "field", "0.5", "de", "trim", "YYYY-MM-DD", "total", ""};
  ee_option_type type = row->type;
  if (fuzz_once_in(&self->source, 24)) type = (ee_option_type)fuzz_below(&self->source, EE_OPTION_TEXT_OR_FALSE + 1);
  switch (type) {
  case EE_OPTION_BOOL: return (ee_rule_value){.type = EE_RULE_BOOL, .boolean = fuzz_below(&self->source, 2)};
  case EE_OPTION_NUMBER: return number_value(grow_number(self, row));
  case EE_OPTION_TEXT: return text_value(PICK(self, words));
  case EE_OPTION_PATH: return text_value(PICK(self, paths));
  case EE_OPTION_PATHS:
    return fuzz_below(&self->source, 2) ? text_value(PICK(self, paths)) : grow_list(self, row, type);
  case EE_OPTION_CHOICE: return text_value(grow_choice(self, row));
  case EE_OPTION_TEXTS:
  case EE_OPTION_NUMBERS:
  case EE_OPTION_VALUES: return grow_list(self, row, type);
  case EE_OPTION_FUNCTION: return grow_function(self);
  case EE_OPTION_CHOICE_OR_FUNCTION:
    return fuzz_once_in(&self->source, 4) ? grow_function(self) : text_value(grow_choice(self, row));
  case EE_OPTION_NORMALIZE: return fuzz_once_in(&self->source, 6) ? grow_function(self) : grow_list(self, row, type);
  case EE_OPTION_NUMBER_OR_PATH:
    return fuzz_below(&self->source, 2) ? number_value(grow_number(self, row)) : text_value(PICK(self, paths));
  case EE_OPTION_TABLE: return (ee_rule_value){.type = EE_RULE_TABLE, .node = grow_table(self, row->inner, depth)};
  case EE_OPTION_TEXT_OR_TABLE:
    if (fuzz_below(&self->source, 2)) return text_value(PICK(self, words));
    return (ee_rule_value){.type = EE_RULE_TABLE, .node = grow_table(self, row->inner, depth)};
  case EE_OPTION_STRATEGY: return (ee_rule_value){.type = EE_RULE_NODE, .node = grow_strategy(self, depth)};
  default: return fuzz_below(&self->source, 2) ? text_value("x") : (ee_rule_value){.type = EE_RULE_BOOL};
  }
}

static int by_name(const void *a, const void *b) {
  return ee_str_compare(((const ee_rule_option *)a)->name, ((const ee_rule_option *)b)->name);
}

static void grow_options(grower *self, ee_rule_node *node, const ee_option *const *tables, size_t times, size_t depth) {
  size_t count = 0, rows = 0;
  for (size_t t = 0; tables[t] != NULL; t++)
    for (const ee_option *row = tables[t]; row->name != NULL; row++) rows++;
  ee_rule_option *options = EE_NEW_ARRAY(self->arena, ee_rule_option, rows + times + 1);
  for (size_t i = 0; i < rows + times && rows > 0; i++) {
    size_t number = i < rows ? i : fuzz_below(&self->source, rows);
    const ee_option *row = NULL;
    for (size_t t = 0; tables[t] != NULL && row == NULL; t++)
      for (const ee_option *r = tables[t]; r->name != NULL; r++)
        if (number-- == 0) {
          row = r;
          break;
        }
    /* First those that must be given, then any. */
    if (i < rows && strstr(row->default_text, "must be given") == NULL) continue;
    bool twice = false;
    for (size_t k = 0; k < count; k++) twice = twice || ee_str_is(options[k].name, row->name);
    if (twice) continue;
    options[count].name = ee_str_from(fuzz_once_in(&self->source, 60) ? "no_such_option" : row->name);
    options[count++].value = grow_value(self, row, depth + 1);
  }
  qsort(options, count, sizeof *options, by_name);
  node->options = options;
  node->option_count = count;
}

static ee_rule_node *new_node(grower *self, const char *kind) {
  ee_rule_node *node = EE_NEW(self->arena, ee_rule_node);
  *node = (ee_rule_node){.kind = ee_str_from(kind), .file = "tree.lua", .line = ++self->nodes};
  return node;
}

static const ee_rule_node *grow_table(grower *self, const ee_option *rows, size_t depth) {
  ee_rule_node *node = new_node(self, "");
  const ee_option *tables[] = {rows, NULL};
  if (rows != NULL && depth < 4) grow_options(self, node, tables, fuzz_below(&self->source, 4), depth);
  if (fuzz_once_in(&self->source, 3)) {
    size_t count = fuzz_below(&self->source, 3);
    ee_rule_value *items = EE_NEW_ARRAY(self->arena, ee_rule_value, count + 1);
    for (size_t i = 0; i < count; i++)
      items[i] = fuzz_below(&self->source, 2) || depth >= 4
                     ? text_value(PICK(self, paths))
                     : (ee_rule_value){.type = EE_RULE_NODE, .node = grow_strategy(self, depth + 1)};
    node->items = items;
    node->item_count = count;
  }
  return node;
}

static const ee_rule_node *grow_strategy(grower *self, size_t depth) {
  size_t count = 0;
  while (ee_strategy_types[count] != NULL) count++;
  const ee_strategy_type *type = ee_strategy_types[fuzz_below(&self->source, count)];
  ee_rule_node *node = new_node(self, type->name);
  ee_rule_value *items = EE_NEW_ARRAY(self->arena, ee_rule_value, 5);
  items[node->item_count++] = text_value(PICK(self, paths));
  bool function = type->positional != NULL && strstr(type->positional, "function") != NULL;
  bool several = type->positional != NULL && strstr(type->positional, "[integer]") != NULL;
  size_t more = type->positional == NULL ? fuzz_once_in(&self->source, 30)
                : several                ? 1 + fuzz_below(&self->source, 3)
                                         : 1;
  while (more-- > 0) items[node->item_count++] = function ? grow_function(self) : text_value(PICK(self, paths));
  node->items = items;
  const ee_option *tables[] = {type->options, ee_strategy_shared_options, NULL};
  if (depth < 4) grow_options(self, node, tables, fuzz_below(&self->source, 4), depth);
  return node;
}

/* Two judges of one name are a mistake, which would be found too often. */
static void name_judge(grower *self, ee_rule_node *node) {
  if (ee_rule_node_get(node, "name").type != EE_RULE_NONE || fuzz_once_in(&self->source, 16)) return;
  ee_rule_option *options = EE_NEW_ARRAY(self->arena, ee_rule_option, node->option_count + 1);
  if (node->option_count > 0) memcpy(options, node->options, node->option_count * sizeof *options);
  options[node->option_count] =
      (ee_rule_option){EE_STR("name"), text_value(ee_arena_printf(self->arena, "j%zu", node->line))};
  qsort(options, node->option_count + 1, sizeof *options, by_name);
  node->options = options;
  node->option_count++;
}

static const ee_rule_node *grow_judge(grower *self) {
  size_t count = 0;
  while (ee_judge_types[count] != NULL) count++;
  const ee_judge_type *type = ee_judge_types[fuzz_below(&self->source, count)];
  /* Those that are refused here, since they run programs or load files, are tried now and then. */
  bool outside = strcmp(type->name, "exec") == 0 || strcmp(type->name, "code_judge") == 0;
  if (outside && !fuzz_once_in(&self->source, 8)) type = ee_judge_types[0];
  ee_rule_node *node = new_node(self, type->name);
  ee_rule_value *items = EE_NEW_ARRAY(self->arena, ee_rule_value, 8);
  bool fields = type->positional != NULL && strstr(type->positional, "ee.node.field") != NULL;
  bool function = type->positional != NULL && strstr(type->positional, "judge_function") != NULL;
  bool path = type->takes_path || (type->positional != NULL && strstr(type->positional, "string") != NULL);
  if (path && !fuzz_once_in(&self->source, 4)) items[node->item_count++] = text_value(PICK(self, list_paths));
  if (function) items[node->item_count++] = grow_function(self);
  for (size_t more = fields ? 1 + fuzz_below(&self->source, 5) : fuzz_once_in(&self->source, 30); more > 0; more--)
    items[node->item_count++] = (ee_rule_value){.type = EE_RULE_NODE, .node = grow_strategy(self, 1)};
  node->items = items;
  const ee_option *tables[] = {type->options, ee_judge_shared_options, NULL};
  grow_options(self, node, tables, fuzz_below(&self->source, 6), 1);
  if (!function && !outside) name_judge(self, node);
  return node;
}

/* So that a gate has a limit. */
static const ee_option gate_limit[] = {
    {.name = "min", .type = EE_OPTION_NUMBER, .default_text = "must be given", .max = 1}, {.name = NULL}};

static const ee_rule_node *grow_rules(grower *self) {
  ee_rule_node *node = new_node(self, "rules");
  size_t judges = 1 + fuzz_below(&self->source, 4), gates = fuzz_below(&self->source, 2);
  ee_rule_value *items = EE_NEW_ARRAY(self->arena, ee_rule_value, judges + gates);
  for (size_t i = 0; i < judges; i++)
    items[node->item_count++] = (ee_rule_value){.type = EE_RULE_NODE, .node = grow_judge(self)};
  for (size_t i = 0; i < gates; i++) {
    ee_rule_node *gate = new_node(self, "gate");
    const ee_option *tables[] = {gate_limit, ee_gate_options, NULL};
    grow_options(self, gate, tables, fuzz_below(&self->source, 4), 1);
    items[node->item_count++] = (ee_rule_value){.type = EE_RULE_NODE, .node = gate};
  }
  node->items = items;
  const ee_option *tables[] = {ee_rules_options, NULL};
  grow_options(self, node, tables, fuzz_below(&self->source, 5), 1);
  return node;
}

/* Judging ----------------------------------------------------------------------------------------- */

static const ee_value *print_document(const test_document *document, test_random *random, ee_arena *arena) {
  ee_buffer out = {0};
  test_document_print(document, &(test_spelling){.keys = random}, &out);
  const ee_value *value = ee_json_read(arena, fuzz_buffer_text(&out), NULL, NULL);
  fuzz_require(value != NULL);
  ee_buffer_fini(&out);
  return value;
}

static void judge_documents(const ee_plan *plan, fuzz_source *source) {
  ee_arena arena;
  ee_open_plan open;
  ee_error error = {0};
  ee_arena_init(&arena, 0);
  ee_status status = ee_open_plan_init(&open, plan, NULL, NULL, &error);
  fuzz_require(status == EE_OK || error.message[0] != '\0');
  test_random random = {fuzz_below(source, 65536)};
  the_script.number = (double)fuzz_below(source, 9) / 7 - 0.125;
  if (the_script.number > 1) the_script.number = 1;
  if (status == EE_OK)
    for (int i = 0; i < 2; i++) {
      test_document expected, candidate;
      test_document_make(&random, &arena, &expected);
      test_document_answer(&random, &arena, &expected, &candidate);
      const ee_value *truth = print_document(&expected, &random, &arena);
      fuzz_judge(&open, truth, print_document(&candidate, &random, &arena), i == 0 ? EE_DETAIL_FULL : EE_DETAIL_MISSES,
                 &arena);
      fuzz_judge(&open, truth, i == 0 ? truth : NULL, EE_DETAIL_MISSES, &arena);
    }
  ee_open_plan_fini(&open);
  ee_arena_fini(&arena);
}

/* Both forms -------------------------------------------------------------------------------------- */

static int by_message(const void *a, const void *b) {
  return strcmp(((const ee_error *)a)->message, ((const ee_error *)b)->message);
}

/* Loads `text`, whose mistakes go to `errors`, sorted by message. */
static ee_rule_file *load_form(const ee_buffer *text, const char *name, ee_error_list *errors) {
  const ee_rule_file_options options = {
      .limits = {.instructions = -1}, .text = fuzz_buffer_text(text), .no_programs = "--no-exec"};
  ee_rule_file *file = ee_rule_file_load(name, &options, errors);
  fuzz_require((file == NULL) == (errors->count > 0));
  if (errors->count > 0) qsort(errors->items, errors->count, sizeof *errors->items, by_message);
  return file;
}

static bool tree_is(const ee_rule_file *file, const ee_rule_node *root, ee_arena *arena) {
  const ee_rule_node *tree = ee_rule_file_tree(file);
  return ee_rule_tree_equal(tree, root, arena);
}

static void check_forms(const ee_rule_node *root, bool compiles, ee_arena *arena) {
  static const char *const folders[] = {".", NULL};
  const ee_rule_text text = {.root = root, .folders = folders};
  ee_error error;
  ee_buffer lua = {0}, yaml = {0};
  ee_error_list of_lua, of_yaml;
  ee_error_list_init(&of_lua);
  ee_error_list_init(&of_yaml);
  fuzz_require(ee_rules_write_lua(&text, arena, &lua, &error));
  ee_rule_file *first = load_form(&lua, "tree.lua", &of_lua);
  if (compiles) fuzz_require(first != NULL && tree_is(first, root, arena));
  /* What has an option of the name of a key of positional values. */
  if (ee_rules_write_yaml(&text, arena, &yaml, &error)) {
    ee_rule_file *second = load_form(&yaml, "tree.yaml", &of_yaml);
    if (compiles) fuzz_require(second != NULL && tree_is(second, root, arena));
    fuzz_require((first == NULL) == (second == NULL));
    if (second != NULL) {
      ee_buffer one = {0}, other = {0};
      ee_plan_print(ee_rule_file_plan(first), &one);
      ee_plan_print(ee_rule_file_plan(second), &other);
      fuzz_require(ee_str_equal(ee_str_from(strchr(ee_buffer_terminate(&one), '\n')),
                                ee_str_from(strchr(ee_buffer_terminate(&other), '\n'))));
      ee_buffer_fini(&one);
      ee_buffer_fini(&other);
    }
    ee_rule_file_free(second);
  } else {
    fuzz_require(!compiles);
  }
  ee_rule_file_free(first);
  ee_error_list_fini(&of_lua);
  ee_error_list_fini(&of_yaml);
  ee_buffer_fini(&lua);
  ee_buffer_fini(&yaml);
}

/* Other rule files are not loaded. */
static const ee_plan *load_nothing(void *user, const char *path, const ee_value *config, ee_error_list *errors) {
  (void)user, (void)config;
  ee_error_list_addf(errors, EE_ERROR_RULES, path, 1, "not loaded here");
  return NULL;
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_error_list errors;
  ee_error_list_init(&errors);
  grower self = {.source = fuzz_source_of(data, size), .arena = &arena};
  self.plain = fuzz_below(&self.source, 2);
  const ee_rule_node *root = grow_rules(&self);
  ee_rules_loader loader = {.load = load_nothing, .refuses_programs = "--no-exec"};
  ee_plan *plan = ee_plan_compile_with(&arena, root, &vtable, &the_script, &loader, &errors);
  fuzz_require((plan != NULL) == (errors.count == 0));
  for (size_t i = 0; i < errors.count; i++)
    fuzz_require(errors.items[i].message[0] != '\0' && errors.items[i].line > 0);
  if (plan != NULL) {
    ee_buffer out = {0};
    ee_plan_print(plan, &out);
    ee_buffer_fini(&out);
    if (!plan->runs_programs) judge_documents(plan, &self.source);
  }
  if (self.functions == 0) check_forms(root, plan != NULL, &arena);
  ee_error_list_fini(&errors);
  ee_arena_fini(&arena);
  return 0;
}

EE_FUZZ_TARGET(512)
