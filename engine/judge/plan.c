/* plan.c: from the tree of a rule file to a checked plan. */
#include "judge/plan.h"

#include <math.h>

#define EMPTY_CHOICES "blank|containers"

const ee_option ee_rules_options[] = {
    {.name = "name",
     .type = EE_OPTION_TEXT,
     .default_text = "the file's name without its ending",
     .help = "How reports call the rule file."},
    {.name = "case",
     .type = EE_OPTION_TABLE,
     .default_text = "the known names",
     .help = "{ id = path, expected = path, candidate = path }: where a record keeps its parts."},
    {.name = "null_values",
     .type = EE_OPTION_TEXTS,
     .default_text = "none",
     .help = "Texts that count as empty besides blank ones; compared without white space at their ends."},
    {.name = "empty",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"blank\"",
     .help = "Whether only missing, null and blank values are empty, or [] and {} (\"containers\") too.",
     .choices = EMPTY_CHOICES},
    {.name = "slices",
     .type = EE_OPTION_TEXTS,
     .default_text = "none",
     .help = "Paths in the record; the summary is given once more for each value found there."},
    {.name = "verdict",
     .type = EE_OPTION_TABLE,
     .default_text = "{ pass = 0.8, borderline = 0.6 }",
     .help = "The lowest scores that pass and that are borderline, for cases and for judges that give none."},
    {.name = "score",
     .type = EE_OPTION_FUNCTION,
     .default_text = "weighted mean of the judges",
     .help = "A function of the list of judges that returns the case's score, 0..1."},
    {.name = "provider",
     .type = EE_OPTION_TEXT_OR_TABLE,
     .default_text = "\"local\"",
     .help = "What ee.semantic asks for similarity: \"local\" (lexical), or { \"openai\", model = ..., ... }."},
    {.name = NULL},
};

static const ee_option verdict_options[] = {
    {.name = "pass",
     .type = EE_OPTION_NUMBER,
     .default_text = "0.8",
     .help = "The lowest score that passes.",
     .min = 0,
     .max = 1},
    {.name = "borderline",
     .type = EE_OPTION_NUMBER,
     .default_text = "0.6",
     .help = "The lowest score that is borderline.",
     .min = 0,
     .max = 1},
    {.name = NULL},
};

static const ee_option case_options[] = {
    {.name = "id", .type = EE_OPTION_PATH, .default_text = "the known names", .help = "The case's id."},
    {.name = "expected", .type = EE_OPTION_PATH, .default_text = "the known names", .help = "The expected value."},
    {.name = "candidate", .type = EE_OPTION_PATH, .default_text = "the known names", .help = "The candidate."},
    {.name = NULL},
};

/* A table inside a constructor has no place of its own where the front end knows none. */
static ee_rule_node placed(const ee_rule_node *table, const ee_rule_node *node) {
  ee_rule_node copy = *table;
  if (copy.file == NULL || copy.line == 0) {
    copy.file = node->file;
    copy.line = node->line;
  }
  return copy;
}

static void compile_case(ee_plan_builder *builder, const ee_rule_node *root) {
  ee_rule_value value = ee_rule_node_get(root, "case");
  if (value.type != EE_RULE_TABLE) return;
  static const ee_option *const tables[] = {case_options, NULL};
  ee_rule_node table = placed(value.node, root);
  bool good = ee_options_check(&table, "case", tables, builder->errors);
  if (table.item_count > 0) {
    ee_compile_error(builder, &table, "case takes id, expected and candidate by name, got %s",
                     ee_rule_value_describe(&table.items[0], builder->arena));
  }
  if (!good) return;
  ee_record_paths *paths = &builder->plan->paths;
  const struct {
    const char *name;
    const ee_path **path;
  } parts[] = {{"id", &paths->id}, {"expected", &paths->expected}, {"candidate", &paths->candidate}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    ee_str text = ee_option_text(&table, parts[i].name, NULL);
    if (text.data == NULL) continue;
    *parts[i].path = ee_compile_path(builder, &table, text, ee_arena_printf(builder->arena, "case.%s", parts[i].name),
                                     EE_PATH_ONE_VALUE);
  }
}

/* The texts of a list that was checked; those of another type have been reported. */
static const ee_str *list_texts(ee_plan_builder *builder, const ee_rule_node *root, const char *name, size_t *count) {
  ee_rule_value value = ee_rule_node_get(root, name);
  *count = 0;
  if (value.type != EE_RULE_TABLE) return NULL;
  ee_str *texts = EE_NEW_ARRAY(builder->arena, ee_str, value.node->item_count);
  for (size_t i = 0; i < value.node->item_count; i++) {
    if (value.node->items[i].type == EE_RULE_TEXT) texts[(*count)++] = value.node->items[i].text;
  }
  return texts;
}

static void compile_empty_rule(ee_plan_builder *builder, const ee_rule_node *root) {
  ee_empty_rule *rule = &builder->plan->empty;
  size_t count;
  const ee_str *texts = list_texts(builder, root, "null_values", &count);
  /* Values are trimmed before they are compared, so the texts must be too. */
  ee_str *trimmed = EE_NEW_ARRAY(builder->arena, ee_str, count);
  for (size_t i = 0; i < count; i++) trimmed[i] = ee_str_trim(texts[i]);
  rule->null_values = trimmed;
  rule->null_value_count = count;
  rule->containers = ee_option_choice(root, "empty", EMPTY_CHOICES, "blank") == 1;
}

static void compile_slices(ee_plan_builder *builder, const ee_rule_node *root) {
  size_t count;
  const ee_str *texts = list_texts(builder, root, "slices", &count);
  const ee_path **slices = EE_NEW_ARRAY(builder->arena, const ee_path *, count);
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j < i; j++) {
      if (ee_str_equal(texts[i], texts[j])) {
        ee_compile_error(builder, root, "slices has '%.*s' twice", (int)texts[i].length, texts[i].data);
        break;
      }
    }
    slices[i] = ee_compile_path(builder, root, texts[i], "slices", EE_PATH_ONE_VALUE);
  }
  builder->plan->slices = slices;
  builder->plan->slice_count = count;
}

/* Reads the option `verdict` of `spec`, a judge or the root. A `pass` below the usual borderline takes that along. */
static ee_verdict_limits compile_verdict(ee_plan_builder *builder, const ee_rule_node *node,
                                         ee_verdict_limits fallback) {
  ee_rule_value value = ee_rule_node_get(node, "verdict");
  if (value.type != EE_RULE_TABLE) return fallback;
  static const ee_option *const tables[] = {verdict_options, NULL};
  ee_rule_node table = placed(value.node, node);
  bool good = ee_options_check(&table, "verdict", tables, builder->errors);
  if (table.item_count > 0) {
    ee_compile_error(builder, &table, "verdict takes pass and borderline by name, got %s",
                     ee_rule_value_describe(&table.items[0], builder->arena));
  }
  if (!good) return fallback;
  ee_verdict_limits limits = {.pass = ee_option_number(&table, "pass", fallback.pass)};
  limits.borderline = ee_option_number(&table, "borderline", fmin(fallback.borderline, limits.pass));
  if (limits.borderline > limits.pass) {
    ee_compile_error(builder, &table, "verdict has borderline %g above pass %g", limits.borderline, limits.pass);
  }
  return limits;
}

/* A judge of the rule file; one that does not compile is kept too, so that gates that name it are not reported. */
static const ee_judge *compile_judge(ee_plan_builder *builder, const ee_judge_type *type, const ee_rule_node *node) {
  ee_judge *judge = EE_NEW(builder->arena, ee_judge);
  const ee_option *tables[] = {type->options, ee_judge_shared_options, NULL};
  ee_options_check(node, ee_arena_printf(builder->arena, "ee.%s", type->name), tables, builder->errors);
  judge->type = type;
  judge->number = (uint32_t)builder->plan->judge_count;
  judge->node = node;
  judge->name = ee_option_text(node, "name", type->name);
  if (judge->name.length == 0) ee_compile_error(builder, node, "the name of ee.%s is empty", type->name);
  judge->weight = ee_option_number(node, "weight", 1);
  judge->verdict = compile_verdict(builder, node, builder->plan->verdict);
  type->compile(builder, node, judge);
  return judge;
}

static void check_judge_name(ee_plan_builder *builder, const ee_judge *judge) {
  for (size_t i = 0; i < builder->plan->judge_count; i++) {
    const ee_judge *other = builder->plan->judges[i];
    if (!ee_str_equal(other->name, judge->name)) continue;
    if (ee_rule_node_get(judge->node, "name").type == EE_RULE_NONE && ee_str_is(judge->name, judge->type->name)) {
      ee_compile_error(builder, judge->node, "a second judge of type '%s' needs a name (the first stands on line %zu)",
                       judge->type->name, other->node->line);
    } else {
      ee_compile_error(builder, judge->node, "a second judge is called '%.*s' (the first stands on line %zu)",
                       (int)judge->name.length, judge->name.data, other->node->line);
    }
    return;
  }
}

/* Reports a node that is neither a judge nor a gate. */
static void report_node(ee_plan_builder *builder, const ee_rule_value *item) {
  const ee_rule_node *node = item->node;
  const char *name = ee_rule_value_describe(item, builder->arena);
  if (node->definition != NULL || ee_is_strategy(node->kind)) {
    ee_compile_error(builder, node, "%s stands outside a judge: put it into ee.fields { ... }", name);
    return;
  }
  if (ee_str_is(node->kind, "rules")) {
    ee_compile_error(builder, node, "ee.rules stands inside ee.rules");
    return;
  }
  if (ee_str_is(node->kind, "strategy")) {
    ee_compile_error(builder, node, "ee.strategy only makes a strategy: call what it returns inside ee.fields { ... }");
    return;
  }
  size_t count = 0;
  while (ee_judge_types[count] != NULL) count++;
  const char **words = EE_NEW_ARRAY(builder->arena, const char *, count + 2);
  words[0] = "gate";
  for (size_t i = 0; i < count; i++) words[i + 1] = ee_judge_types[i]->name;
  ee_compile_error(builder, node, "unknown judge '%.*s'%s", (int)node->kind.length, node->kind.data,
                   ee_suggestion(builder->arena, node->kind, words));
}

/* Compiles the judges and then the gates, which name them. */
static void compile_items(ee_plan_builder *builder, const ee_rule_node *root) {
  ee_plan *plan = builder->plan;
  const ee_judge **judges = EE_NEW_ARRAY(builder->arena, const ee_judge *, root->item_count);
  ee_gate *gates = EE_NEW_ARRAY(builder->arena, ee_gate, root->item_count);
  plan->judges = judges;
  plan->gates = gates;
  bool reported = false;
  for (size_t i = 0; i < root->item_count; i++) {
    const ee_rule_value *item = &root->items[i];
    if (item->type != EE_RULE_NODE) {
      ee_compile_error(builder, root, "ee.rules takes judges and gates, item %zu is %s%s", i + 1,
                       ee_rule_value_describe(item, builder->arena),
                       item->type == EE_RULE_FUNCTION ? " (did you mean 'ee.judge { \"name\", function }'?)" : "");
      reported = true;
      continue;
    }
    if (ee_str_is(item->node->kind, "gate") && item->node->definition == NULL) continue;
    const ee_judge_type *type = item->node->definition == NULL ? ee_judge_type_find(item->node->kind) : NULL;
    if (type == NULL) {
      report_node(builder, item);
      reported = true;
      continue;
    }
    const ee_judge *judge = compile_judge(builder, type, item->node);
    check_judge_name(builder, judge);
    judges[plan->judge_count++] = judge;
  }
  if (plan->judge_count == 0 && !reported) ee_compile_error(builder, root, "ee.rules has no judge");
  for (size_t i = 0; i < root->item_count; i++) {
    const ee_rule_value *item = &root->items[i];
    if (item->type != EE_RULE_NODE || !ee_str_is(item->node->kind, "gate") || item->node->definition != NULL) continue;
    ee_gate_compile(builder, item->node, &gates[plan->gate_count++]);
  }
}

static void check_weights(ee_plan_builder *builder, const ee_rule_node *root) {
  double sum = 0;
  for (size_t i = 0; i < builder->plan->judge_count; i++) {
    double weight = builder->plan->judges[i]->weight;
    if (!(weight >= 0)) return; /* has been reported where it stands */
    sum += weight;
  }
  ee_compile_check_weights(builder, root, "of the judges", builder->plan->judge_count, sum);
}

static bool needs_script(const ee_plan *plan) {
  if (plan->score_function != EE_NO_FUNCTION) return true;
  for (size_t i = 0; i < plan->judge_count; i++) {
    if (plan->judges[i]->calls_script) return true;
  }
  return false;
}

static bool needs_provider(const ee_plan *plan) {
  for (size_t i = 0; i < plan->judge_count; i++) {
    if (plan->judges[i]->uses_provider) return true;
  }
  return false;
}

static bool runs_programs(const ee_plan *plan) {
  for (size_t i = 0; i < plan->judge_count; i++) {
    if (plan->judges[i]->runs_program) return true;
  }
  return false;
}

/* "invoice" of "rules/invoice.lua". */
static ee_str file_stem(ee_arena *arena, const char *file) {
  if (file == NULL || *file == '\0') return EE_STR("rules");
  const char *slash = strrchr(file, '/');
  const char *start = slash != NULL ? slash + 1 : file;
  const char *dot = strrchr(start, '.');
  size_t length = dot != NULL && dot != start ? (size_t)(dot - start) : strlen(start);
  return (ee_str){ee_arena_copy(arena, start, length), length};
}

ee_plan *ee_plan_compile(ee_arena *arena, const ee_rule_node *root, const ee_script_vtable *vtable, void *host,
                         ee_error_list *errors) {
  return ee_plan_compile_with(arena, root, vtable, host, NULL, errors);
}

ee_plan *ee_plan_compile_with(ee_arena *arena, const ee_rule_node *root, const ee_script_vtable *vtable, void *host,
                              const ee_rules_loader *loader, ee_error_list *errors) {
  size_t errors_before = errors->count;
  ee_plan *plan = EE_NEW(arena, ee_plan);
  ee_plan_builder builder = {arena, plan, errors, loader};
  plan->arena = arena;
  plan->file = root->file;
  plan->vtable = vtable;
  plan->host = host;
  plan->verdict = (ee_verdict_limits){.pass = 0.8, .borderline = 0.6};
  plan->score_function = EE_NO_FUNCTION;
  if (!ee_str_is(root->kind, "rules")) {
    ee_compile_error(
        &builder, root, "a rule file returns ee.rules { ... }, this one returns %s",
        ee_rule_value_describe(
            &(ee_rule_value){.type = root->kind.length > 0 ? EE_RULE_NODE : EE_RULE_TABLE, .node = root}, arena));
  } else {
    static const ee_option *const tables[] = {ee_rules_options, NULL};
    ee_options_check(root, "ee.rules", tables, errors);
    plan->name = ee_option_text(root, "name", "");
    if (plan->name.length == 0) plan->name = file_stem(arena, root->file);
    compile_case(&builder, root);
    compile_empty_rule(&builder, root);
    compile_slices(&builder, root);
    plan->verdict = compile_verdict(&builder, root, plan->verdict);
    plan->score_function = ee_option_function(root, "score");
    ee_provider_settings_compile(&builder, root, &plan->provider);
    compile_items(&builder, root);
    check_weights(&builder, root);
    plan->needs_script = needs_script(plan);
    plan->needs_provider = needs_provider(plan);
    plan->runs_programs = runs_programs(plan);
    if (!plan->needs_provider && ee_rule_node_get(root, "provider").type != EE_RULE_NONE) {
      ee_compile_warn(&builder, root,
                      "option 'provider' of ee.rules is of no use: nothing in the file asks a provider");
    }
    if (plan->needs_script && vtable == NULL)
      ee_compile_error(&builder, root, "functions, and nothing that could call them");
  }
  ee_error_list_sort(errors);
  return errors->count == errors_before ? plan : NULL;
}
