/* plan.c: from the tree of a rule file to a checked plan, its text, and which judges judge which case. */
#include "judge/plan.h"

#include <math.h>

#include "base/hash_index.h"
#include "base/printable.h"
#include "data/json/json_writer.h"
#include "judge/details.h"
#include "prim/number.h"
#include "prim/ratio_interval.h"

const ee_option ee_rules_options[] = {
    {.name = "name",
     .type = EE_OPTION_TEXT,
     .default_text = "the file's name without its ending",
     .help = "How reports call the rule file."},
    {.name = "case",
     .lua_type = "ee.case_paths",
     .type = EE_OPTION_TABLE,
     .default_text = "the known names",
     .help = "{ id = path, expected_id = path, expected = path, candidate = path, records = path }: the paths of the "
             "parts of a record, and of the records in a file that is one object. Each may be an array of paths: the "
             "first with a value counts."},
    {.name = "repair",
     .type = EE_OPTION_BOOL,
     .default_text = "false",
     .help = "Repair candidates that are nearly JSON (trailing commas, single quotes, comments, True and None, cut "
             "answers, "
             "JSON in a string) and judge them; each repair is counted."},
    {.name = "alternatives",
     .type = EE_OPTION_BOOL,
     .default_text = "false",
     .help = "Whether an expected array, or {\"anyOf\": [...]}, holds several accepted documents. The case is judged "
             "against each; the best score counts (the first of equal ones), and expected_alternative in the row says "
             "which, from 0."},
    {.name = "null_values",
     .type = EE_OPTION_TEXTS,
     .default_text = "none",
     .help = "Strings that count as empty besides blank ones; compared without white space at their ends."},
    {.name = "empty",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"blank\"",
     .help =
         "Whether missing, null and blank values are empty, also [] and {} (\"containers\"), or only missing values "
         "(\"none\").",
     .choices = "blank|containers|none"},
    {.name = "slices",
     .type = EE_OPTION_TEXTS,
     .default_text = "none",
     .help = "Paths in the record; the summary is repeated for each value there."},
    {.name = "cluster",
     .type = EE_OPTION_PATH,
     .default_text = "none",
     .help = "Path in the record of what cases have in common, such as the document of a page: cases with the same "
             "value there are one unit of all intervals, gates and comparisons."},
    {.name = "confidence",
     .type = EE_OPTION_NUMBER,
     .default_text = "0.95",
     .help = "Of the intervals in reports.",
     .min = EE_LOWEST_CONFIDENCE,
     .max = EE_HIGHEST_CONFIDENCE},
    {.name = "measures",
     .type = EE_OPTION_TEXTS,
     .default_text = "none",
     .help =
         "Paths of numbers in the record such as cost or latency, where less is better; reports have their sum, mean, "
         "p50, p95, and the sum divided by the correct fields."},
    {.name = "verdict",
     .lua_type = "ee.verdict",
     .type = EE_OPTION_TABLE,
     .default_text = "{ pass = 0.8, borderline = 0.6 }",
     .help = "The lowest scores that pass and that are borderline, for cases and for judges without a verdict of their "
             "own."},
    {.name = "max_unread",
     .type = EE_OPTION_NUMBER,
     .default_text = "0.02",
     .help = "The largest share of a field's expected values that may be unreadable; above it the gates on that field, "
             "on its judge and on the score of cases fail.",
     .min = 0,
     .max = 1},
    {.name = "score",
     .lua_type = "fun(judges: ee.part[]): number",
     .type = EE_OPTION_FUNCTION,
     .default_text = "weighted mean of the judges",
     .help = "A function of the array of judges that returns the case's score, 0..1."},
    {.name = "trials",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"mean\"",
     .help =
         "What decides whether a case with several candidates passes, for the metric case_pass_rate: the mean of its "
         "trials' scores, the best or the worst trial, or the lower end of the mean's t interval at 95 %.",
     .choices = EE_TRIAL_RULE_CHOICES},
    {.name = "provider",
     .lua_type = "\"local\"|ee.provider",
     .type = EE_OPTION_TEXT_OR_TABLE,
     .default_text = "\"local\"",
     .help = "What ee.semantic asks for similarity: \"local\" (lexical), or { \"openai\", model = ..., ... }, which "
             "ee.llm and ee.ask ask, too."},
    {.name = NULL},
};

const char *const ee_trial_rule_names[EE_TRIAL_RULES + 1] = {"mean", "pass_any", "pass_all", "interval", NULL};

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
    {.name = "id", .type = EE_OPTION_PATHS, .default_text = "the known names", .help = "The case's id."},
    {.name = "expected_id",
     .type = EE_OPTION_PATHS,
     .default_text = "id, else the known names",
     .help = "The id in a file of expected values."},
    {.name = "expected", .type = EE_OPTION_PATHS, .default_text = "the known names", .help = "The expected value."},
    {.name = "candidate", .type = EE_OPTION_PATHS, .default_text = "the known names", .help = "The candidate."},
    {.name = "candidates",
     .type = EE_OPTION_PATHS,
     .default_text = "candidates, candidate_answers",
     .help = "An array of candidates, the trials of the case."},
    {.name = "trial",
     .type = EE_OPTION_PATHS,
     .default_text = "none",
     .help = "What tells the records of one id apart, which are its trials; \"@file\": each data file is a trial."},
    {.name = "records",
     .type = EE_OPTION_PATHS,
     .default_text = "found by content",
     .help = "In a file that is one JSON object: the array of records, or the object that has them by id."},
    {.name = NULL},
};

/* The table with the place of `node` if it has none. */
static ee_rule_node placed(const ee_rule_node *table, const ee_rule_node *node) {
  ee_rule_node copy = *table;
  if (copy.file == NULL || copy.line == 0) {
    copy.file = node->file;
    copy.line = node->line;
  }
  return copy;
}

/* The paths of one part: a string or an array of strings, which were checked. */
static ee_path_list compile_part(ee_plan_builder *builder, const ee_rule_node *table, const char *name) {
  ee_rule_value value = ee_rule_node_get(table, name);
  const ee_rule_value *items = value.type == EE_RULE_TABLE ? value.node->items : &value;
  size_t count = value.type == EE_RULE_TABLE ? value.node->item_count : value.type == EE_RULE_TEXT ? 1 : 0;
  const ee_path **paths = EE_NEW_ARRAY(builder->arena, const ee_path *, count);
  for (size_t i = 0; i < count; i++) {
    ee_error error = {0};
    paths[i] = ee_record_path_parse(builder->arena, items[i].text, &error);
    if (paths[i] == NULL) ee_compile_error(builder, table, "case.%s: %s", name, error.message);
  }
  return (ee_path_list){paths, count};
}

static void compile_case(ee_plan_builder *builder, const ee_rule_node *root) {
  ee_rule_value value = ee_rule_node_get(root, "case");
  if (value.type != EE_RULE_TABLE) return;
  static const ee_option *const tables[] = {case_options, NULL};
  ee_rule_node table = placed(value.node, root);
  bool good = ee_options_check(&table, "case", tables, builder->errors);
  if (table.item_count > 0) {
    ee_compile_error(builder, &table,
                     "case takes id, expected_id, expected, candidate, candidates, trial and records by name, got %s",
                     ee_rule_value_describe(&table.items[0], builder->arena));
  }
  if (!good) return;
  ee_record_paths *paths = &builder->plan->paths;
  *paths = (ee_record_paths){.keep_text = paths->keep_text,
                             .keep_options = paths->keep_options,
                             .id = compile_part(builder, &table, "id"),
                             .expected_id = compile_part(builder, &table, "expected_id"),
                             .expected = compile_part(builder, &table, "expected"),
                             .candidate = compile_part(builder, &table, "candidate"),
                             .candidates = compile_part(builder, &table, "candidates"),
                             .trial = compile_part(builder, &table, "trial"),
                             .records = compile_part(builder, &table, "records")};
  ee_error error = {0};
  if (ee_record_paths_check(paths, &error) != EE_OK) ee_compile_error(builder, &table, "%s", error.message);
}

/* The strings of a checked array; other values were reported. */
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
  /* Values are trimmed before they are compared, so these are too. */
  ee_str *trimmed = EE_NEW_ARRAY(builder->arena, ee_str, count);
  for (size_t i = 0; i < count; i++) trimmed[i] = ee_str_trim(texts[i]);
  rule->null_values = trimmed;
  rule->null_value_count = count;
  rule->containers = ee_option_is(root, "empty", "containers");
  rule->none = ee_option_is(root, "empty", "none");
  if (rule->none && count > 0) ee_compile_error(builder, root, "empty = \"none\" leaves nothing to 'null_values'");
}

/* The paths in the record that the option `name` lists, each once. */
static const ee_path *const *compile_paths(ee_plan_builder *builder, const ee_rule_node *root, const char *name,
                                           size_t *count) {
  const ee_str *texts = list_texts(builder, root, name, count);
  const ee_path **paths = EE_NEW_ARRAY(builder->arena, const ee_path *, *count);
  for (size_t i = 0; i < *count; i++) {
    for (size_t j = 0; j < i; j++) {
      if (ee_str_equal(texts[i], texts[j])) {
        ee_compile_error(builder, root, "%s lists '%.*s' twice", name, (int)texts[i].length, texts[i].data);
        break;
      }
    }
    paths[i] = ee_compile_path(builder, root, texts[i], name, EE_PATH_ONE_VALUE);
  }
  return paths;
}

/* A path of one value; NULL with a message. */
static const ee_path *path_of_one(ee_plan *plan, ee_str text, ee_error *error) {
  const ee_path *path = ee_path_parse(plan->arena, text, error);
  if (path == NULL || path->wildcards == 0) return path;
  ee_error_set(error, EE_ERROR_RULES, "'%.*s' may name several values; the path must name one", EE_STR_ARG(text));
  return NULL;
}

bool ee_plan_add_slice(ee_plan *plan, ee_str text, size_t *number, ee_error *error) {
  for (*number = 0; *number < plan->slice_count; ++*number)
    if (plan->slices[*number] != NULL && ee_str_equal(plan->slices[*number]->text, text)) return true;
  const ee_path *path = path_of_one(plan, text, error);
  if (path == NULL) return false;
  const ee_path **slices = EE_NEW_ARRAY(plan->arena, const ee_path *, plan->slice_count + 1);
  for (size_t i = 0; i < plan->slice_count; i++) slices[i] = plan->slices[i];
  slices[plan->slice_count++] = path;
  plan->slices = slices;
  return true;
}

bool ee_plan_set_cluster(ee_plan *plan, ee_str text, ee_error *error) {
  const ee_path *path = path_of_one(plan, text, error);
  if (path != NULL) plan->cluster = path;
  return path != NULL;
}

ee_str ee_plan_cluster_of(const ee_plan *plan, const ee_case *source, ee_arena *arena) {
  const ee_value *value = plan->cluster != NULL ? ee_case_get(source, plan->cluster, arena) : NULL;
  const ee_str none = source->trial.data != NULL ? ee_case_base(source) : (ee_str){NULL, 0};
  switch (ee_type_of(value)) {
  case EE_MISSING:
  case EE_NULL: return none;
  case EE_STRING: return ee_value_text(value).length > 0 ? ee_value_text(value) : none;
  default: break;
  }
  ee_buffer text;
  ee_buffer_init(&text);
  ee_json_write_canonical(&text, value, arena);
  ee_str copy = {ee_arena_copy(arena, text.data, text.length), text.length};
  ee_buffer_fini(&text);
  return copy;
}

/* Reads the option `verdict` of a judge or of the root. A `pass` below the default borderline lowers it too. */
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

/* Compiles a judge. One with errors is kept, so that gates on it are not reported as well. */
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
  judge->when = ee_option_function(node, "when");
  judge->has_when = judge->when != EE_NO_FUNCTION;
  judge->verdict = compile_verdict(builder, node, builder->plan->verdict);
  size_t decimals_before = builder->plan->decimals->count;
  judge->repair = ee_option_bool(node, "repair", builder->plan->repair);
  type->compile(builder, node, judge);
  judge->right_members = ee_details_prepare(judge, builder->arena);
  if (judge->has_when) judge->calls_script = true;
  for (size_t i = decimals_before; i < builder->plan->decimals->count; i++) {
    ee_decimal *decimal = &builder->plan->decimals->items[i];
    decimal->judge = judge->number;
    if (decimal->field.length > 0) continue;
    ee_compile_error(builder, node,
                     "decimal = \"auto\" needs a field of ee.fields or ee.line_items: in ee.%s give \".\" "
                     "or \",\"",
                     type->name);
  }
  return judge;
}

static void check_judge_name(ee_plan_builder *builder, const ee_judge *judge) {
  for (size_t i = 0; i < builder->plan->judge_count; i++) {
    const ee_judge *other = builder->plan->judges[i];
    if (!ee_str_equal(other->name, judge->name)) continue;
    if (ee_rule_node_get(judge->node, "name").type == EE_RULE_NONE && ee_str_is(judge->name, judge->type->name)) {
      ee_compile_error(builder, judge->node, "a second judge of type '%s' needs a name (the first is on line %zu)",
                       judge->type->name, other->node->line);
    } else {
      ee_compile_error(builder, judge->node, "a second judge has the name '%.*s' (the first is on line %zu)",
                       (int)judge->name.length, judge->name.data, other->node->line);
    }
    return;
  }
}

/* Reports a node that does not belong into ee.rules. */
static void report_node(ee_plan_builder *builder, const ee_rule_value *item) {
  const ee_rule_node *node = item->node;
  const char *name = ee_rule_value_describe(item, builder->arena);
  if (node->definition != NULL || ee_is_strategy(node->kind)) {
    ee_compile_error(builder, node, "%s is outside of a judge: put it into ee.fields { ... }", name);
    return;
  }
  if (ee_str_is(node->kind, "rules")) {
    ee_compile_error(builder, node, "ee.rules is inside ee.rules");
    return;
  }
  if (ee_str_is(node->kind, "strategy")) {
    ee_compile_error(builder, node,
                     "ee.strategy only defines a strategy: call the function that it returns inside ee.fields { ... }");
    return;
  }
  size_t count = 0;
  while (ee_judge_types[count] != NULL) count++;
  const char **words = EE_NEW_ARRAY(builder->arena, const char *, count + 4);
  words[0] = "gate", words[1] = "summary", words[2] = "report";
  for (size_t i = 0; i < count; i++) words[i + 3] = ee_judge_types[i]->name;
  ee_compile_error(builder, node, "unknown judge '%.*s'%s", (int)node->kind.length, node->kind.data,
                   ee_suggestion(builder->arena, node->kind, words));
}

/* Compiles a gate, a summary or a report; false if the node is another one. Gates name judges: they are compiled when
 * `last`, the others before. */
static bool compile_other(ee_plan_builder *builder, const ee_rule_node *node, bool last, ee_gate *gates,
                          ee_summary_rule *summaries, ee_report_rule *reports) {
  if (node->definition != NULL) return false;
  ee_plan *plan = builder->plan;
  bool is_gate = ee_str_is(node->kind, "gate"), is_summary = ee_str_is(node->kind, "summary");
  if (!is_gate && !is_summary && !ee_str_is(node->kind, "report")) return false;
  if (is_gate != last) return true;
  if (is_gate)
    ee_gate_compile(builder, node, &gates[plan->gate_count++]);
  else if (is_summary)
    ee_summary_compile(builder, node, &summaries[plan->summary_count++]);
  else
    ee_report_compile(builder, node, &reports[plan->report_count++]);
  return true;
}

/* Compiles judges, summaries and reports, and then the gates, which name judges. */
static void compile_items(ee_plan_builder *builder, const ee_rule_node *root) {
  ee_plan *plan = builder->plan;
  const ee_judge **judges = EE_NEW_ARRAY(builder->arena, const ee_judge *, root->item_count);
  ee_gate *gates = EE_NEW_ARRAY(builder->arena, ee_gate, root->item_count);
  ee_summary_rule *summaries = EE_NEW_ARRAY(builder->arena, ee_summary_rule, root->item_count);
  ee_report_rule *reports = EE_NEW_ARRAY(builder->arena, ee_report_rule, root->item_count);
  plan->judges = judges;
  plan->gates = gates;
  plan->summaries = summaries;
  plan->reports = reports;
  bool reported = false;
  for (size_t i = 0; i < root->item_count; i++) {
    const ee_rule_value *item = &root->items[i];
    if (item->type != EE_RULE_NODE) {
      ee_compile_error(builder, root, "ee.rules takes judges, gates, summaries and reports, item %zu is %s%s", i + 1,
                       ee_rule_value_describe(item, builder->arena),
                       item->type == EE_RULE_FUNCTION ? " (did you mean 'ee.judge { \"name\", function }'?)" : "");
      reported = true;
      continue;
    }
    if (compile_other(builder, item->node, false, gates, summaries, reports)) continue;
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
    if (item->type == EE_RULE_NODE) compile_other(builder, item->node, true, gates, summaries, reports);
  }
}

static void check_weights(ee_plan_builder *builder, const ee_rule_node *root) {
  double sum = 0;
  for (size_t i = 0; i < builder->plan->judge_count; i++) {
    double weight = builder->plan->judges[i]->weight;
    if (!(weight >= 0)) return; /* reported at the judge */
    sum += weight;
  }
  ee_compile_check_weights(builder, root, "of the judges", builder->plan->judge_count, sum);
}

/* Whether a judge compares members of documents: then a text is searched for the document in it. */
static bool looks_inside(const ee_plan *plan) {
  for (size_t i = 0; i < plan->judge_count; i++)
    if (!plan->judges[i]->takes_text) return true;
  return plan->judge_count == 0;
}

static bool needs_script(const ee_plan *plan) {
  if (plan->score_function != EE_NO_FUNCTION) return true;
  for (size_t i = 0; i < plan->judge_count; i++) {
    if (plan->judges[i]->calls_script) return true;
  }
  return false;
}

/* Whether cases without an expected value can be judged. */
static bool ignores_expected(const ee_plan *plan) {
  for (size_t i = 0; i < plan->judge_count; i++)
    if (!plan->judges[i]->ignores_expected) return false;
  return plan->judge_count > 0;
}

bool ee_plan_takes_boxes(const ee_plan *plan) {
  bool looks = plan->slice_count > 0 || plan->measure_count > 0 || plan->cluster != NULL || plan->needs_script ||
               plan->paths.several_documents || ee_record_trials_are_files(&plan->paths);
  for (size_t i = 0; i < plan->judge_count && !looks; i++) {
    const ee_judge *judge = plan->judges[i];
    looks = judge->type->takes_boxes == NULL || !judge->type->takes_boxes(judge);
  }
  return !looks;
}

bool ee_plan_repairs(const ee_plan *plan) {
  for (size_t i = 0; i < plan->judge_count; i++)
    if (plan->judges[i]->repair) return true;
  return plan->repair;
}

/* What judges need a provider for. */
static void add_needs(ee_plan *plan) {
  for (size_t i = 0; i < plan->judge_count; i++) {
    plan->compares_by_provider |= plan->judges[i]->uses_provider;
    plan->asks_model |= plan->judges[i]->asks_model;
  }
  plan->needs_provider = plan->compares_by_provider || plan->asks_model;
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
  plan->decimals = EE_NEW(arena, ee_decimals);
  ee_plan_builder builder = {arena, plan, errors, loader};
  plan->arena = arena;
  plan->file = root->file;
  plan->vtable = vtable;
  plan->host = host;
  plan->verdict = (ee_verdict_limits){.pass = 0.8, .borderline = 0.6};
  plan->max_unread = 0.02;
  plan->confidence = EE_USUAL_CONFIDENCE;
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
    plan->slices = compile_paths(&builder, root, "slices", &plan->slice_count);
    plan->trial_rule = (ee_trial_rule)ee_option_choice(root, "trials", EE_TRIAL_RULE_CHOICES, "mean");
    ee_str cluster = ee_option_text(root, "cluster", "");
    if (cluster.length > 0)
      plan->cluster = ee_compile_path(&builder, root, cluster, "cluster", EE_PATH_ONE_VALUE | EE_PATH_CHECKED);
    plan->confidence = ee_option_number(root, "confidence", plan->confidence);
    plan->measures = compile_paths(&builder, root, "measures", &plan->measure_count);
    plan->repair = ee_option_bool(root, "repair", false);
    plan->paths.several_documents = ee_option_bool(root, "alternatives", false);
    plan->verdict = compile_verdict(&builder, root, plan->verdict);
    plan->max_unread = ee_option_number(root, "max_unread", plan->max_unread);
    plan->score_function = ee_option_function(root, "score");
    ee_provider_settings_compile(&builder, root, &plan->provider);
    compile_items(&builder, root);
    check_weights(&builder, root);
    plan->needs_script = needs_script(plan);
    plan->paths.looks_inside = looks_inside(plan);
    plan->paths.keep_text |= !plan->paths.looks_inside;
    plan->paths.expected_optional = ignores_expected(plan);
    add_needs(plan);
    if (plan->asks_model) ee_provider_settings_for_chats(&builder, root, plan->compares_by_provider, &plan->provider);
    plan->runs_programs = runs_programs(plan);
    if (!plan->needs_provider && ee_rule_node_get(root, "provider").type != EE_RULE_NONE) {
      ee_compile_warn(&builder, root, "option 'provider' of ee.rules has no effect: nothing uses a provider");
    }
    if (plan->needs_script && vtable == NULL)
      ee_compile_error(&builder, root, "the tree has functions, but no script to call them");
  }
  ee_error_list_sort(errors);
  return errors->count == errors_before ? plan : NULL;
}

/* Printing -------------------------------------------------------------------------------------- */

static void add_number(ee_buffer *out, double value) {
  char text[32];
  ee_double_format_short(value, 6, text);
  ee_buffer_add_text(out, text);
}

static void print_paths(const char *name, const ee_path_list *paths, ee_buffer *out) {
  for (size_t i = 0; i < paths->count; i++) {
    if (i == 0) ee_buffer_addf(out, " %s=", name);
    ee_add_shown(out, i > 0 ? "," : "", paths->items[i]->text, "");
  }
}

static void print_head(const ee_plan *plan, ee_buffer *out) {
  ee_add_shown(out, "rules ", plan->name, "");
  if (plan->file != NULL && *plan->file != '\0') ee_add_shown(out, " (", ee_str_from(plan->file), ")");
  ee_buffer_add_char(out, '\n');
  const ee_record_paths *paths = &plan->paths;
  if (paths->id.count + paths->expected_id.count + paths->expected.count + paths->candidate.count +
          paths->candidates.count + paths->trial.count + paths->records.count >
      0) {
    ee_buffer_add_text(out, "case");
    print_paths("id", &paths->id, out);
    print_paths("expected_id", &paths->expected_id, out);
    print_paths("expected", &paths->expected, out);
    print_paths("candidate", &paths->candidate, out);
    print_paths("candidates", &paths->candidates, out);
    print_paths("trial", &paths->trial, out);
    print_paths("records", &paths->records, out);
    ee_buffer_add_char(out, '\n');
  }
  if (paths->several_documents) ee_buffer_add_text(out, "expected arrays and anyOf hold accepted documents\n");
  if (plan->repair) ee_buffer_add_text(out, "candidates that are nearly JSON are repaired\n");
  if (plan->empty.none) ee_buffer_add_text(out, "empty: only missing values\n");
  if (plan->empty.null_value_count > 0 || plan->empty.containers) {
    ee_buffer_add_text(out, "empty: blank");
    for (size_t i = 0; i < plan->empty.null_value_count; i++) {
      ee_str text = plan->empty.null_values[i];
      ee_add_shown(out, ", \"", text, "\"");
    }
    if (plan->empty.containers) ee_buffer_add_text(out, ", [] and {}");
    ee_buffer_add_char(out, '\n');
  }
  for (size_t i = 0; i < plan->slice_count; i++) {
    ee_add_shown(out, "slice ", plan->slices[i]->text, "\n");
  }
  if (plan->trial_rule != EE_TRIALS_MEAN) ee_buffer_addf(out, "trials %s\n", ee_trial_rule_names[plan->trial_rule]);
  if (plan->cluster != NULL) ee_add_shown(out, "cluster ", plan->cluster->text, "\n");
  if (plan->confidence != EE_USUAL_CONFIDENCE) {
    ee_buffer_add_text(out, "confidence ");
    add_number(out, plan->confidence);
    ee_buffer_add_char(out, '\n');
  }
  for (size_t i = 0; i < plan->measure_count; i++) ee_add_shown(out, "measure ", plan->measures[i]->text, "\n");
}

static void print_judge(const ee_judge *judge, ee_buffer *out) {
  ee_add_shown(out, "judge ", judge->name, "");
  ee_buffer_addf(out, " (%s), weight ", judge->type->name);
  add_number(out, judge->weight);
  ee_buffer_add_text(out, ", pass ");
  add_number(out, judge->verdict.pass);
  ee_buffer_add_text(out, ", borderline ");
  add_number(out, judge->verdict.borderline);
  ee_buffer_add_char(out, '\n');
  if (judge->type->print != NULL) judge->type->print(judge, out);
}

static void print_limit(const char *sign, double limit, ee_buffer *out) {
  ee_buffer_addf(out, " %s ", sign);
  add_number(out, limit);
}

static void print_gate(const ee_gate *gate, ee_buffer *out) {
  ee_buffer_add_text(out, "gate");
  if (gate->judge.length > 0) ee_add_shown(out, " ", gate->judge, "");
  if (gate->field.length > 0) ee_add_shown(out, " ", gate->field, "");
  ee_buffer_add_char(out, ' ');
  ee_gate_print_metric(gate, out);
  if (gate->slice.length > 0) ee_add_shown(out, "[", gate->slice, "]");
  if (gate->has_min) print_limit(">=", gate->min, out);
  if (gate->has_max) print_limit("<=", gate->max, out);
  if (gate->min_support > 0) {
    ee_buffer_add_text(out, ", from ");
    ee_buffer_add_u64(out, gate->min_support);
    ee_buffer_add_text(out, " units on");
  }
  if (gate->min_cases > 0) {
    ee_buffer_add_text(out, ", from ");
    ee_buffer_add_u64(out, gate->min_cases);
    ee_buffer_add_text(out, " cases of a value on");
  }
  if (gate->confidence > 0) {
    ee_buffer_add_text(out, ", at confidence ");
    add_number(out, gate->confidence);
  }
  ee_buffer_add_char(out, '\n');
}

static void print_provider(const ee_plan *plan, ee_buffer *out) {
  if (!plan->needs_provider) return;
  ee_buffer_add_text(out, "provider ");
  ee_provider_settings_print(&plan->provider, out);
  ee_buffer_add_char(out, '\n');
}

/* Prints which parts enter Lua after loading. */
static void print_script(const ee_plan *plan, ee_buffer *out) {
  ee_buffer_add_text(out, "calls Lua:");
  const char *separator = " ";
  for (size_t i = 0; i < plan->judge_count; i++) {
    const ee_judge *judge = plan->judges[i];
    if (!judge->calls_script && !judge->calls_inner_script) continue;
    ee_add_shown(out, separator, judge->name, "");
    separator = ", ";
  }
  for (size_t i = 0; i < plan->summary_count; i++, separator = ", ") {
    ee_buffer_add_text(out, separator);
    ee_add_shown(out, "summary ", plan->summaries[i].name, "");
  }
  for (size_t i = 0; i < plan->report_count; i++, separator = ", ") {
    ee_buffer_add_text(out, separator);
    ee_add_shown(out, "report ", plan->reports[i].name, "");
  }
  bool any = *separator == ',';
  if (plan->score_function != EE_NO_FUNCTION) ee_buffer_addf(out, "%sscore", separator);
  ee_buffer_add_text(out, any || plan->score_function != EE_NO_FUNCTION ? "\n" : " nothing\n");
}

void ee_plan_print(const ee_plan *plan, ee_buffer *out) {
  print_head(plan, out);
  for (size_t i = 0; i < plan->judge_count; i++) print_judge(plan->judges[i], out);
  if (plan->selection != NULL) ee_buffer_add_text(out, "each case by its own judges, from the data set\n");
  for (size_t i = 0; i < plan->gate_count; i++) print_gate(&plan->gates[i], out);
  for (size_t i = 0; i < plan->summary_count; i++) ee_add_shown(out, "summary ", plan->summaries[i].name, "\n");
  for (size_t i = 0; i < plan->report_count; i++) ee_add_shown(out, "report -f ", plan->reports[i].name, "\n");
  ee_buffer_add_text(out, plan->score_function != EE_NO_FUNCTION ? "score by a function  (calls Lua)\n"
                                                                 : "score weighted mean of the judges\n");
  print_provider(plan, out);
  print_script(plan, out);
}

/* Judges by case -------------------------------------------------------------------------------- */

typedef struct selected_case {
  ee_str id;
  const uint32_t *judges; /* never NULL */
  size_t count;
} selected_case;

struct ee_selection {
  ee_hash_index index; /* by the hash of the id */
  selected_case *cases;
  size_t count, capacity;
  /* Shared by the next case if it has the same judges, as most have. */
  const uint32_t *last_judges;
  size_t last_count;
  uint64_t hash;
};

static const uint32_t no_judges[1];

ee_selection *ee_selection_new(ee_arena *arena) {
  ee_selection *selection = EE_NEW(arena, ee_selection);
  selection->index.arena = arena;
  return selection;
}

static const selected_case *find(const ee_selection *selection, ee_str id, uint64_t hash) {
  size_t at = 0, number;
  while (ee_hash_index_next(&selection->index, hash, &at, &number)) {
    if (ee_str_equal(selection->cases[number].id, id)) return &selection->cases[number];
  }
  return NULL;
}

static const uint32_t *copy_judges(ee_selection *selection, const uint32_t *judges, size_t count) {
  if (count == 0) return no_judges;
  size_t size = count * sizeof *judges;
  bool same = count == selection->last_count && memcmp(judges, selection->last_judges, size) == 0;
  if (!same) {
    uint32_t *copy = EE_NEW_ARRAY(selection->index.arena, uint32_t, count);
    memcpy(copy, judges, size);
    selection->last_judges = copy;
    selection->last_count = count;
  }
  return selection->last_judges;
}

void ee_selection_add(ee_selection *selection, ee_str id, const uint32_t *judges, size_t count) {
  ee_arena *arena = selection->index.arena;
  uint64_t hash = ee_hash_bytes(id.data, id.length, 0);
  if (find(selection, id, hash) != NULL) return;
  if (selection->count == selection->capacity) {
    size_t capacity = selection->capacity > 0 ? selection->capacity * 2 : 16;
    selected_case *cases = EE_NEW_ARRAY(arena, selected_case, capacity);
    if (selection->count > 0) memcpy(cases, selection->cases, selection->count * sizeof *cases);
    selection->cases = cases;
    selection->capacity = capacity;
  }
  ee_hash_index_add(&selection->index, hash, selection->count);
  selection->hash = ee_hash_mix(selection->hash ^ hash) ^ ee_hash_numbers(judges, sizeof *judges, count, count);
  selection->cases[selection->count++] = (selected_case){.id = {ee_arena_copy(arena, id.data, id.length), id.length},
                                                         .judges = copy_judges(selection, judges, count),
                                                         .count = count};
}

const uint32_t *ee_selection_find(const ee_selection *selection, ee_str id, size_t *count) {
  const selected_case *found = find(selection, id, ee_hash_bytes(id.data, id.length, 0));
  *count = found != NULL ? found->count : 0;
  return found != NULL ? found->judges : NULL;
}

uint64_t ee_selection_hash(const ee_selection *selection) { return selection != NULL ? selection->hash : 0; }
