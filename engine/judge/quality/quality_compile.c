/* quality_compile.c: ee.quality in the rule file: options checked, strategies read, and printed. */
#include <math.h>

#include "base/hash_index.h"
#include "base/printable.h"
#include "data/json/json_reader.h"
#include "data/json/json_scan.h"
#include "judge/quality/quality.h"
#include "prim/number.h"

const char *const ee_quality_kind_names[EE_QUALITY_KINDS] = {"EXACT", "FUZZY", "SEMANTIC", "IGNORE", NULL};

const ee_option ee_quality_options[] = {
    {.name = "strategies",
     .lua_type = "table<string, ee.quality.strategy|ee.node.field>|string",
     .type = EE_OPTION_TEXT_OR_TABLE,
     .default_text = "by the expected value",
     .help =
         "{ key = \"EXACT\", ... }: EXACT, FUZZY, SEMANTIC, IGNORE in any case, or a strategy without a path such as "
         "ee.custom(f), ee.numeric { tolerance = 0.1 } or ee.one_of { \"a\", \"b\" }; or the name of a JSON file with "
         "such an object of strings, relative to the rule file. With depth = \"leaves\" the keys are paths, with the "
         "index of array items in the expected array or [*]; an array or object at such a path is one leaf. A run "
         "warns about keys and paths that no case has."},
    {.name = "weights",
     .lua_type = "ee.quality.weights",
     .type = EE_OPTION_TABLE,
     .default_text = "{ accuracy = 0.45, completeness = 0.25, hallucination = 0.15, safety = 0.15 }",
     .help = "The weights of the parts in the RQS; a missing one has its default. A sum other than 1 gives a warning.",
     .inner = ee_quality_weight_options},
    {.name = "fuzzy_threshold",
     .type = EE_OPTION_NUMBER,
     .default_text = "0.85",
     .help = "The lowest similarity that matches under FUZZY, inclusive.",
     .min = 0,
     .max = 1},
    {.name = "semantic_threshold",
     .type = EE_OPTION_NUMBER,
     .default_text = "0.80",
     .help = "The lowest similarity that matches under SEMANTIC, inclusive.",
     .min = 0,
     .max = 1},
    {.name = "similarity",
     .lua_type = "fun(expected: any, candidate: any): boolean|number",
     .type = EE_OPTION_FUNCTION,
     .default_text = "ee.fuzzy and ee.semantic",
     .help = "A function of the expected and the candidate value (unchanged; neither is empty, and they are not equal) "
             "that returns "
             "0..1, for FUZZY and SEMANTIC."},
    {.name = "formula",
     .lua_type = "fun(parts: ee.quality.parts, case: ee.case): boolean|number",
     .type = EE_OPTION_FUNCTION,
     .default_text = "the weighted sum",
     .help = "A function of the parts { accuracy, completeness, hallucination, safety, weight_accuracy, "
             "weight_completeness, weight_safety, weight_hallucination } and the case that returns the RQS, 0..1."},
    {.name = "safety",
     .lua_type = "fun(parts: ee.quality.parts, case: ee.case): boolean|number",
     .type = EE_OPTION_FUNCTION,
     .default_text = "1",
     .help = "A function of the parts except safety, and the case, that returns how safe the answer is, 0..1."},
    EE_CANDIDATE_PATH_OPTION,
    {.name = "depth",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"top\"",
     .help =
         "\"top\" judges the object's own keys; \"leaves\" judges every value inside it, by its path, that is not an "
         "array or object, or is an empty one.",
     .choices = "top|leaves"},
    {.name = "ignore",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"accuracy\"",
     .help = "Whether a key under IGNORE is excluded from accuracy only, or from completeness and hallucination too.",
     .choices = "accuracy|everywhere"},
    {.name = "scale",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"none\"",
     .help =
         "\"max\" divides the RQS by that of a perfect answer: the sum of the weights of accuracy, completeness and "
         "safety, at most 1 (0.85 with the default weights).",
     .choices = "none|max"},
    {.name = NULL},
};

const ee_option ee_quality_weight_options[] = {
    {.name = "accuracy",
     .type = EE_OPTION_NUMBER,
     .default_text = "0.45",
     .help = "Weight of accuracy.",
     .min = 0,
     .max = INFINITY},
    {.name = "completeness",
     .type = EE_OPTION_NUMBER,
     .default_text = "0.25",
     .help = "Weight of completeness.",
     .min = 0,
     .max = INFINITY},
    {.name = "safety",
     .type = EE_OPTION_NUMBER,
     .default_text = "0.15",
     .help = "Weight of safety.",
     .min = 0,
     .max = INFINITY},
    {.name = "hallucination",
     .type = EE_OPTION_NUMBER,
     .default_text = "0.15",
     .help = "Weight of hallucination, which is subtracted.",
     .min = 0,
     .max = INFINITY},
    {.name = NULL},
};

/* Strategies ----------------------------------------------------------------------------------- */

const ee_quality_entry *ee_quality_find(const ee_quality *quality, ee_str key) {
  if (quality->entry_count == 0) return NULL;
  size_t at = 0, number;
  uint64_t hash = ee_hash_bytes(key.data, key.length, 0);
  while (ee_hash_index_next(&quality->index, hash, &at, &number)) {
    if (ee_str_equal(quality->entries[number].key, key)) return &quality->entries[number];
  }
  return NULL;
}

/* Makes room for `count` entries. */
static void start_entries(ee_plan_builder *builder, ee_quality *quality, size_t count) {
  quality->entries = EE_NEW_ARRAY(builder->arena, ee_quality_entry, count);
  quality->index.arena = builder->arena;
}

/* If two entries name the same key, the last one counts, as in JSON. */
static void add_entry(ee_plan_builder *builder, ee_quality *quality, ee_quality_entry entry) {
  entry.place = ee_arena_printf(builder->arena, "%s:%zu", entry.file != NULL ? entry.file : "-", entry.line);
  const ee_quality_entry *before = ee_quality_find(quality, entry.key);
  if (before != NULL) {
    ee_rule_node place = {.file = entry.file, .line = entry.line};
    ee_compile_warn(builder, &place,
                    "the key '%.*s' occurs twice in the strategies of ee.quality (first on line %zu), the "
                    "last one counts",
                    (int)ee_utf8_cut(entry.written, 100), entry.written.data, before->line);
    quality->entries[before - quality->entries] = entry;
    return;
  }
  ee_hash_index_add(&quality->index, ee_hash_bytes(entry.key.data, entry.key.length, 0), quality->entry_count);
  quality->entries[quality->entry_count++] = entry;
}

/* The key as it is in the data. False if it must be a path and is not. */
static bool read_key(ee_plan_builder *builder, const ee_rule_node *place, const ee_quality *quality, ee_str written,
                     ee_str *key) {
  *key = written;
  if (!quality->leaves) return true;
  const ee_path *path = ee_compile_path(builder, place, written, "strategies of ee.quality with depth = \"leaves\"", 0);
  if (path == NULL) return false;
  *key = ee_path_text_of(path, builder->arena);
  return true;
}

/* One of the four names, in any case. */
static bool read_name(ee_plan_builder *builder, const ee_rule_node *place, ee_str text, ee_quality_entry *entry) {
  char *upper = ee_arena_copy(builder->arena, text.length > 0 ? text.data : "", text.length);
  for (size_t i = 0; i < text.length; i++) {
    if ((unsigned char)(upper[i] - 'a') < 26) upper[i] = (char)(upper[i] - 'a' + 'A');
  }
  for (int kind = 0; ee_quality_kind_names[kind] != NULL; kind++) {
    if (!ee_str_is((ee_str){upper, text.length}, ee_quality_kind_names[kind])) continue;
    entry->kind = (ee_quality_kind)kind;
    entry->name = ee_quality_kind_names[kind];
    return true;
  }
  const char *found = ee_did_you_mean(upper, ee_quality_kind_names);
  const char *hint = found == NULL ? " (EXACT, FUZZY, SEMANTIC, IGNORE)"
                                   : ee_arena_printf(builder->arena, " (did you mean '%s'?)", found);
  ee_compile_error(builder, place, "unknown strategy '%.*s' for '%.*s' in ee.quality%s", (int)ee_utf8_cut(text, 100),
                   text.data, (int)ee_utf8_cut(entry->written, 100), entry->written.data, hint);
  return false;
}

/* A strategy of the rule language. */
static bool read_node(ee_plan_builder *builder, const ee_rule_node *node, ee_quality_entry *entry) {
  static const ee_strategy_table table = {"ee.quality", "strategies", "its path is the key"};
  entry->strategy = ee_strategy_table_compile(builder, node, &table, entry->written);
  if (entry->strategy == NULL) return false;
  entry->kind = EE_QUALITY_STRATEGY;
  entry->name = ee_arena_copy(builder->arena, entry->strategy->name.data, entry->strategy->name.length);
  if (entry->strategy->type->is_ignored) {
    entry->kind = EE_QUALITY_IGNORE;
    entry->name = ee_quality_kind_names[EE_QUALITY_IGNORE];
    entry->strategy = NULL;
  }
  return true;
}

static void read_table(ee_plan_builder *builder, const ee_rule_node *node, const ee_rule_node *table,
                       ee_quality *quality) {
  ee_rule_node place = ee_rule_table_place(table, node);
  if (table->item_count > 0) {
    ee_compile_error(builder, &place, "the strategies of ee.quality must have keys, got %s without one",
                     ee_rule_value_describe(&table->items[0], builder->arena));
  }
  start_entries(builder, quality, table->option_count);
  for (size_t i = 0; i < table->option_count; i++) {
    const ee_rule_value *value = &table->options[i].value;
    ee_quality_entry entry = {.written = table->options[i].name, .file = place.file, .line = place.line};
    bool good = false;
    if (value->type == EE_RULE_TEXT) {
      good = read_name(builder, &place, value->text, &entry);
    } else if (value->type == EE_RULE_NODE) {
      entry.file = value->node->file;
      entry.line = value->node->line;
      good = read_node(builder, value->node, &entry);
    } else if (value->type != EE_RULE_NONE) {
      ee_compile_error(builder, &place, "the strategy of '%.*s' in ee.quality must be a string or a strategy, got %s%s",
                       (int)ee_utf8_cut(entry.written, 100), entry.written.data,
                       ee_rule_value_describe(value, builder->arena),
                       value->type == EE_RULE_FUNCTION ? " (did you mean 'ee.custom(function)'?)" : "");
    }
    if (good && read_key(builder, &place, quality, entry.written, &entry.key)) add_entry(builder, quality, entry);
  }
}

/* One member of the object in a file of strategies, in the order of the file; a key may occur twice. */
typedef struct file_member {
  ee_str key;
  const ee_value *value;
  size_t line;
} file_member;

typedef struct strategy_file {
  const char *name; /* for the system: relative names are relative to the rule file */
  const file_member *members;
  size_t count;
} strategy_file;

/* Reads the value at `*at` and moves on to what follows; the text has been checked. */
static const ee_value *take_value(ee_arena *arena, const char **at, const char *end) {
  size_t taken = 0;
  ee_error never;
  const ee_value *value = ee_json_read_prefix(arena, (ee_str){*at, (size_t)(end - *at)}, &taken, &never);
  *at = ee_json_skip_space(*at + taken, end);
  return value;
}

/* Walks the members of the object in `text`, which is valid JSON: the reader's values do not have lines. */
static void read_members(ee_plan_builder *builder, ee_str text, size_t max, strategy_file *file) {
  file_member *members = EE_NEW_ARRAY(builder->arena, file_member, max);
  file->members = members;
  const char *at = text.data, *end = text.data + text.length;
  const char *counted = at;
  size_t line = 1;
  at = ee_json_skip_space(ee_json_skip_space(at, end) + 1, end);
  while (*at != '}' && file->count < max) {
    for (; counted < at; counted++) line += *counted == '\n';
    file_member *member = &members[file->count++];
    member->line = line;
    member->key = ee_value_text(take_value(builder->arena, &at, end));
    at = ee_json_skip_space(at + 1, end); /* the colon */
    member->value = take_value(builder->arena, &at, end);
    if (*at == ',') at = ee_json_skip_space(at + 1, end);
  }
}

/* Counts the members that the reader drops. */
static void on_duplicate_key(void *user, ee_str key, size_t offset) {
  (void)key, (void)offset;
  *(size_t *)user += 1;
}

/* Reads the JSON file `name` into the plan's arena. False when it cannot be read or is not an object, which is
 * reported: at its place in the file, or at the node. */
static bool load_file(ee_plan_builder *builder, const ee_rule_node *node, ee_str name, strategy_file *file) {
  *file = (strategy_file){0};
  static const char subject[] = "strategies of ee.quality";
  file->name = ee_compile_file_path(builder, node, subject, name);
  if (file->name == NULL) return false;
  ee_buffer buffer;
  ee_buffer_init(&buffer);
  bool good = ee_compile_read_file(builder, node, subject, file->name, &buffer);
  if (good) {
    ee_str text = {buffer.data, buffer.length};
    ee_arena scratch;
    ee_arena_init(&scratch, 0);
    size_t twice = 0;
    ee_json_options options = {.on_duplicate_key = on_duplicate_key, .user = &twice};
    ee_error error = {0};
    const ee_value *root = ee_json_read(&scratch, text, &options, &error);
    good = ee_type_of(root) == EE_OBJECT;
    if (root == NULL) {
      ee_error_at(&error, EE_ERROR_RULES, file->name, error.line, error.column, "%s", error.message);
      ee_error_list_add(builder->errors, &error);
    } else if (!good) {
      ee_rule_node place = {.file = file->name, .line = 1};
      ee_compile_error(builder, &place, "strategies of ee.quality must be an object (\"key\": \"EXACT\", ...), not %s",
                       ee_type_name(root));
    } else {
      read_members(builder, text, ee_value_count(root) + twice, file);
    }
    ee_arena_fini(&scratch);
  }
  ee_buffer_fini(&buffer);
  return good;
}

static void read_file(ee_plan_builder *builder, const ee_rule_node *node, ee_str name, ee_quality *quality) {
  strategy_file file;
  if (!load_file(builder, node, name, &file)) return;
  start_entries(builder, quality, file.count);
  for (size_t i = 0; i < file.count; i++) {
    const file_member *member = &file.members[i];
    ee_rule_node place = {.file = file.name, .line = member->line};
    ee_quality_entry entry = {.written = member->key, .file = file.name, .line = member->line};
    if (ee_type_of(member->value) != EE_STRING) {
      ee_compile_error(builder, &place,
                       "the strategy of '%.*s' must be a string (EXACT, FUZZY, SEMANTIC, IGNORE), got %s",
                       (int)ee_utf8_cut(member->key, 100), member->key.data, ee_value_describe(member->value));
    } else if (read_name(builder, &place, ee_value_text(member->value), &entry) &&
               read_key(builder, &place, quality, entry.written, &entry.key)) {
      add_entry(builder, quality, entry);
    }
  }
}

/* Weights -------------------------------------------------------------------------------------- */

static void compile_weights(ee_plan_builder *builder, const ee_rule_node *node, ee_quality *quality) {
  static const ee_option *const tables[] = {ee_quality_weight_options, NULL};
  static const ee_rule_node none = {.item_count = 0};
  double *weights = quality->weights;
  ee_rule_value value = ee_rule_node_get(node, "weights");
  ee_rule_node table = value.type == EE_RULE_TABLE ? *value.node : none;
  ee_rule_node place = ee_rule_table_place(&table, node);
  table.file = place.file;
  table.line = place.line;
  bool good = ee_options_check(&table, "weights", tables, builder->errors);
  if (table.item_count > 0) {
    ee_compile_error(builder, &place, "weights takes accuracy, completeness, safety and hallucination by name, got %s",
                     ee_rule_value_describe(&table.items[0], builder->arena));
  }
  weights[EE_WEIGHT_ACCURACY] = ee_option_number(&table, "accuracy", 0.45);
  weights[EE_WEIGHT_COMPLETENESS] = ee_option_number(&table, "completeness", 0.25);
  weights[EE_WEIGHT_SAFETY] = ee_option_number(&table, "safety", 0.15);
  weights[EE_WEIGHT_HALLUCINATION] = ee_option_number(&table, "hallucination", 0.15);
  if (!good) return;
  double maximum = weights[EE_WEIGHT_ACCURACY] + weights[EE_WEIGHT_COMPLETENESS] + weights[EE_WEIGHT_SAFETY];
  double sum = maximum + weights[EE_WEIGHT_HALLUCINATION];
  if (maximum == 0) {
    ee_compile_error(builder, &place, "the weights of accuracy, completeness and safety in ee.quality sum to 0");
  } else if (!isfinite(sum)) {
    ee_compile_error(builder, &place, "the weights of ee.quality are too large: their sum is infinite");
  } else if (fabs(sum - 1) > 1e-9) {
    char text[32];
    ee_double_format_short(sum, 6, text);
    ee_compile_warn(builder, &place, "the weights of ee.quality sum to %s, not to 1", text);
  }
}

/* The node ------------------------------------------------------------------------------------- */

/* A strategy that is not in the rule file: `kind` with a threshold (negative: none). */
static const ee_strategy *own_strategy(ee_plan_builder *builder, const ee_rule_node *node, const char *kind,
                                       double threshold) {
  ee_rule_node *own = EE_NEW(builder->arena, ee_rule_node);
  own->kind = ee_str_from(kind);
  own->file = node->file;
  own->line = node->line;
  if (threshold >= 0) {
    ee_rule_option *option = EE_NEW(builder->arena, ee_rule_option);
    *option = (ee_rule_option){EE_STR("threshold"), {.type = EE_RULE_NUMBER, .number = threshold}};
    own->options = option;
    own->option_count = 1;
  }
  return ee_strategy_compile(builder, own);
}

static double threshold_option(const ee_rule_node *node, const char *name, double fallback) {
  double threshold = ee_option_number(node, name, fallback);
  /* A value out of range has been reported; the strategy must not report it again. */
  return threshold >= 0 && threshold <= 1 ? threshold : fallback;
}

static void set_calls(const ee_quality *quality, ee_judge *judge) {
  judge->calls_script =
      quality->similarity != EE_NO_FUNCTION || quality->formula != EE_NO_FUNCTION || quality->safety != EE_NO_FUNCTION;
  /* Texts without a configured strategy are compared by SEMANTIC. */
  judge->uses_provider = quality->similarity == EE_NO_FUNCTION;
  for (size_t i = 0; i < quality->entry_count; i++) {
    const ee_strategy *strategy = quality->entries[i].strategy;
    if (strategy == NULL) continue;
    if (ee_strategy_calls_script(strategy)) judge->calls_script = true;
    if (ee_strategy_uses_provider(strategy)) judge->uses_provider = true;
  }
}

/* The keys and paths that some case should have, so that mistyped ones are reported: the entries in order, then the
 * path.
 */
static void set_expected_paths(ee_plan_builder *builder, const ee_quality *quality, ee_judge *judge) {
  ee_expected_path *paths = EE_NEW_ARRAY(builder->arena, ee_expected_path, quality->entry_count + 1);
  for (size_t i = 0; i < quality->entry_count; i++) {
    paths[i] = quality->leaves ? (ee_expected_path){.none = "no leaf", .what = "path"}
                               : (ee_expected_path){.none = "nothing", .what = "key"};
    paths[i].name = quality->entries[i].written;
  }
  judge->expected_paths = paths;
  judge->expected_path_count = quality->entry_count;
  const ee_path *path = quality->paths.expected != NULL ? quality->paths.expected : quality->paths.candidate;
  if (path == NULL) return;
  paths[judge->expected_path_count++] =
      (ee_expected_path){.name = path->text, .none = "nothing", .what = "path", .holds_rest = true};
}

void ee_quality_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge) {
  ee_quality *quality = EE_NEW(builder->arena, ee_quality);
  judge->data = quality;
  quality->empty = builder->plan->empty;
  quality->leaves = ee_option_is(node, "depth", "leaves");
  quality->ignore_everywhere = ee_option_is(node, "ignore", "everywhere");
  quality->similarity = ee_option_function(node, "similarity");
  quality->formula = ee_option_function(node, "formula");
  quality->safety = ee_option_function(node, "safety");
  quality->thresholds[EE_QUALITY_FUZZY] = threshold_option(node, "fuzzy_threshold", 0.85);
  quality->thresholds[EE_QUALITY_SEMANTIC] = threshold_option(node, "semantic_threshold", 0.80);
  ee_list_paths_compile_alone(builder, node, "ee.quality", "the path of an object and options", "strategies",
                              &quality->paths);
  compile_weights(builder, node, quality);
  ee_rule_value strategies = ee_rule_node_get(node, "strategies");
  if (strategies.type == EE_RULE_TABLE) read_table(builder, node, strategies.node, quality);
  if (strategies.type == EE_RULE_TEXT) read_file(builder, node, strategies.text, quality);
  static const double perfect[EE_QUALITY_PARTS] = {
      [EE_QUALITY_ACCURACY] = 1, [EE_QUALITY_COMPLETENESS] = 1, [EE_QUALITY_SAFETY] = 1};
  double best = fmin(1, ee_quality_sum(quality->weights, perfect));
  if (ee_option_is(node, "scale", "max")) {
    quality->maximum = best;
    if (quality->formula != EE_NO_FUNCTION) {
      ee_compile_error(builder, node,
                       "scale = \"max\" of ee.quality needs the weights, but 'formula' computes the RQS");
    }
  } else if (quality->formula == EE_NO_FUNCTION && best < 1) {
    judge->best = best;
  }
  if (quality->similarity == EE_NO_FUNCTION) {
    quality->fuzzy = own_strategy(builder, node, "fuzzy", quality->thresholds[EE_QUALITY_FUZZY]);
    quality->semantic = own_strategy(builder, node, "semantic", quality->thresholds[EE_QUALITY_SEMANTIC]);
  }
  if (quality->leaves) {
    quality->automatic = own_strategy(builder, node, "auto", -1);
    ee_quality_compile_pairing(builder->arena, quality);
  }
  set_calls(quality, judge);
  set_expected_paths(builder, quality, judge);
}

/* Printing -------------------------------------------------------------------------------------- */

static void add_number(ee_buffer *out, const char *before, double value) {
  char text[32];
  ee_double_format_short(value, 6, text);
  ee_buffer_addf(out, "%s %s", before, text);
}

static void print_weights(const ee_quality *quality, ee_buffer *out) {
  const double *weights = quality->weights;
  add_number(out, "  weights accuracy", weights[EE_WEIGHT_ACCURACY]);
  add_number(out, ", completeness", weights[EE_WEIGHT_COMPLETENESS]);
  add_number(out, ", safety", weights[EE_WEIGHT_SAFETY]);
  add_number(out, ", hallucination", weights[EE_WEIGHT_HALLUCINATION]);
  double sum = 0;
  for (size_t i = 0; i < EE_WEIGHTS; i++) sum += weights[i];
  if (sum < 1 - 1e-9 || sum > 1 + 1e-9) {
    add_number(out, " (sum", sum);
    ee_buffer_add_char(out, ')');
  }
  ee_buffer_add_char(out, '\n');
}

static void print_functions(const ee_quality *quality, ee_buffer *out) {
  if (quality->similarity != EE_NO_FUNCTION) {
    ee_buffer_add_text(out, "  similarity of FUZZY and SEMANTIC by a function  (calls Lua)\n");
  }
  if (quality->safety != EE_NO_FUNCTION) ee_buffer_add_text(out, "  safety by a function  (calls Lua)\n");
  if (quality->formula != EE_NO_FUNCTION) ee_buffer_add_text(out, "  RQS by a function  (calls Lua)\n");
}

static void print_entry(const ee_quality_entry *entry, ee_buffer *out) {
  ee_buffer_add_text(out, "  ");
  ee_add_shown(out, "", entry->written, "");
  ee_buffer_addf(out, "  %s  %s", entry->name, entry->place);
  if (entry->strategy != NULL && ee_strategy_calls_script(entry->strategy)) ee_buffer_add_text(out, "  (calls Lua)");
  ee_buffer_add_char(out, '\n');
}

void ee_quality_print(const ee_judge *judge, ee_buffer *out) {
  const ee_quality *quality = judge->data;
  if (quality->paths.expected != NULL || quality->paths.candidate != NULL)
    ee_list_paths_print(&quality->paths, "object", out);
  ee_buffer_addf(out, "  depth %s, ignore %s, scale %s\n", quality->leaves ? "leaves" : "top",
                 quality->ignore_everywhere ? "everywhere" : "accuracy", quality->maximum > 0 ? "max" : "none");
  print_weights(quality, out);
  add_number(out, "  thresholds FUZZY", quality->thresholds[EE_QUALITY_FUZZY]);
  add_number(out, ", SEMANTIC", quality->thresholds[EE_QUALITY_SEMANTIC]);
  ee_buffer_add_char(out, '\n');
  print_functions(quality, out);
  for (size_t i = 0; i < quality->entry_count; i++) print_entry(&quality->entries[i], out);
  ee_buffer_addf(
      out,
      "  every other %s  by its expected value: number, boolean, date, email, list, object EXACT; other text "
      "SEMANTIC\n",
      quality->leaves ? "leaf" : "key");
}
