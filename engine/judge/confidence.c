/* confidence.c: reading the confidences of a case. */
#include "judge/confidence.h"

#include <math.h>

#include "base/printable.h"
#include "data/json/json_writer.h"
#include "judge/judge.h"
#include "judge/measure.h"
#include "prim/number.h"
#include "prim/special.h"

#define DOCUMENTS "min|product|mean"

const ee_option ee_confidence_options[] = {
    {.name = "path",
     .type = EE_OPTION_TEXT,
     .default_text = "none",
     .help = "Where the confidence of a field is, in the candidate or else in the record; '*' is the field's path."},
    {.name = "value",
     .type = EE_OPTION_PATHS,
     .default_text = "value, valueString, valueNumber, valueInteger, valueDate, valueTime, valueCurrency.amount, "
                     "valueBoolean, content, text, Text, normalizedValue.text, mentionText",
     .help = "With \"*.NAME\": where the value is in the object; the first that is there."},
    {.name = "scale",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"share\"",
     .help = "share: 0 to 1. percent: 0 to 100. logprob: a log probability, or an array of those of the tokens, which "
             "are added up; mean_logprob: their mean.",
     .choices = EE_CONFIDENCE_SCALES},
    {.name = "document",
     .type = EE_OPTION_TEXT,
     .default_text = "\"min\"",
     .help = "The confidence of a document: min, product or mean of those of its values, or the path of one."},
    {.name = "accept",
     .type = EE_OPTION_NUMBERS,
     .default_text = "{ 0.9, 0.95, 0.99 }",
     .help = "Wanted accuracies of what is accepted unseen; reports have the lowest threshold for each.",
     .min = 0.01,
     .max = 0.999999},
    {.name = NULL},
};

const ee_option ee_cost_options[] = {
    {.name = "incorrect",
     .type = EE_OPTION_NUMBER,
     .default_text = "1",
     .help = "What a wrong value costs.",
     .min = 0,
     .max = 1e4},
    {.name = "missing",
     .type = EE_OPTION_NUMBER,
     .default_text = "1",
     .help = "What an expected value costs for which the candidate has none.",
     .min = 0,
     .max = 1e4},
    {.name = "spurious",
     .type = EE_OPTION_NUMBER,
     .default_text = "that of incorrect",
     .help = "What a value costs where nothing was expected.",
     .min = 0,
     .max = 1e4},
    {.name = NULL},
};

/* Rules ------------------------------------------------------------------------------------------ */

/* The table with the place of `node` if it has none; NULL after errors. */
static const ee_rule_node *checked_table(ee_plan_builder *builder, const ee_rule_node *node, const char *name,
                                         const ee_rule_node *table, const ee_option *rows) {
  const ee_option *const tables[] = {rows, NULL};
  ee_rule_node *placed = EE_NEW(builder->arena, ee_rule_node);
  *placed = *table;
  if (placed->file == NULL || placed->line == 0) {
    placed->file = node->file;
    placed->line = node->line;
  }
  bool good = ee_options_check(placed, name, tables, builder->errors);
  if (placed->item_count > 0) {
    ee_compile_error(builder, placed, "%s takes its values by name, got %s", name,
                     ee_rule_value_describe(&placed->items[0], builder->arena));
    good = false;
  }
  return good ? placed : NULL;
}

/* Known services: ours and most prompts, Azure Document Intelligence, Amazon Textract, Google Document AI. */
static const char *const usual_values[] = {
    "value",     "valueString",          "valueNumber",  "valueInteger", "valueDate",
    "valueTime", "valueCurrency.amount", "valueBoolean", "content",      "text",
    "Text",      "normalizedValue.text", "mentionText"};

static void compile_values(ee_plan_builder *builder, const ee_rule_node *table, ee_confidence_rules *rules) {
  ee_rule_value given = table != NULL ? ee_rule_node_get(table, "value") : (ee_rule_value){0};
  bool list = given.type == EE_RULE_TABLE, one = given.type == EE_RULE_TEXT;
  size_t count = list ? given.node->item_count : one ? 1 : sizeof usual_values / sizeof *usual_values;
  const ee_path **paths = EE_NEW_ARRAY(builder->arena, const ee_path *, count);
  for (size_t i = 0; i < count; i++) {
    ee_error ignored = {0};
    ee_str text = list ? given.node->items[i].text : one ? given.text : ee_str_from(usual_values[i]);
    paths[i] = ee_path_parse(builder->arena, text, &ignored);
    if (paths[i] != NULL && paths[i]->wildcards > 0)
      ee_compile_error(builder, table, "option 'value' of confidence must be a path of one value, got '%.*s'",
                       EE_STR_ARG(text));
  }
  rules->values = paths;
  rules->value_count = count;
}

static void compile_document(ee_plan_builder *builder, const ee_rule_node *table, ee_confidence_rules *rules) {
  static const char *const names[] = {"min", "product", "mean"};
  ee_rule_value given = ee_rule_node_get(table, "document");
  if (given.type != EE_RULE_TEXT) return;
  for (int i = 0; i < 3; i++) {
    if (!ee_str_is(given.text, names[i])) continue;
    rules->document = (ee_document_confidence)i;
    return;
  }
  rules->document = EE_DOCUMENT_PATH;
  rules->document_path =
      ee_compile_path(builder, table, given.text, "option 'document' of confidence", EE_PATH_ONE_VALUE);
  rules->has_confidence = true;
}

static void compile_accept(ee_plan_builder *builder, const ee_rule_node *table, ee_confidence_rules *rules) {
  ee_rule_value list = ee_rule_node_get(table, "accept");
  if (list.type != EE_RULE_TABLE) return;
  double *wanted = EE_NEW_ARRAY(builder->arena, double, list.node->item_count);
  for (size_t i = 0; i < list.node->item_count; i++) wanted[i] = list.node->items[i].number;
  rules->accept = wanted;
  rules->accept_count = list.node->item_count;
}

/* Whether a field of the judge has a confidence of its own. */
static bool some_field_has_one(const ee_rule_node *node) {
  for (size_t i = 0; i < node->item_count; i++)
    if (node->items[i].type == EE_RULE_NODE && ee_rule_node_get(node->items[i].node, "confidence").type == EE_RULE_TEXT)
      return true;
  return false;
}

ee_confidence_rules *ee_confidence_compile(ee_plan_builder *builder, const ee_rule_node *node) {
  ee_rule_value given = ee_rule_node_get(node, "confidence"), cost = ee_rule_node_get(node, "cost");
  bool named = given.type == EE_RULE_TEXT || given.type == EE_RULE_TABLE;
  if (!named && cost.type != EE_RULE_TABLE && !some_field_has_one(node)) return NULL;
  ee_confidence_rules *rules = EE_NEW(builder->arena, ee_confidence_rules);
  const ee_rule_node *table = NULL;
  if (given.type == EE_RULE_TEXT) rules->pattern = given.text;
  if (given.type == EE_RULE_TABLE) {
    table = checked_table(builder, node, "confidence", given.node, ee_confidence_options);
    if (table == NULL) return NULL;
    rules->pattern = ee_option_text(table, "path", "");
    rules->scale = (ee_confidence_scale)ee_option_choice(table, "scale", EE_CONFIDENCE_SCALES, "share");
    compile_document(builder, table, rules);
    compile_accept(builder, table, rules);
  }
  compile_values(builder, table, rules);
  if (rules->pattern.length > 0 && memchr(rules->pattern.data, '*', rules->pattern.length) == NULL)
    ee_compile_error(builder, table != NULL ? table : node,
                     "the path '%.*s' of confidence needs a '*' for the path of each field (did you mean '%.*s.*'?)",
                     EE_STR_ARG(rules->pattern), EE_STR_ARG(rules->pattern));
  if (cost.type == EE_RULE_TABLE) {
    table = checked_table(builder, node, "cost", cost.node, ee_cost_options);
    if (table == NULL) return NULL;
    rules->has_cost = true;
    rules->cost.incorrect = ee_option_number(table, "incorrect", 1);
    rules->cost.missing = ee_option_number(table, "missing", 1);
    rules->cost.spurious = ee_option_number(table, "spurious", rules->cost.incorrect);
  }
  return rules;
}

/* `pattern` with the field's path instead of its '*', which is not the one of a [*]. */
static ee_str put_path(ee_plan_builder *builder, ee_str pattern, const ee_path *path) {
  size_t star = 0;
  while (star < pattern.length && (pattern.data[star] != '*' || (star > 0 && pattern.data[star - 1] == '['))) star++;
  if (star == pattern.length) return pattern;
  ee_str name = ee_path_text_of(path, builder->arena);
  size_t before = star;
  /* "confidences.*" with ["a.b"] is confidences["a.b"]. */
  if (before > 0 && name.length > 0 && name.data[0] == '[' && pattern.data[before - 1] == '.') before--;
  return ee_str_from(ee_arena_printf(builder->arena, "%.*s%.*s%.*s", (int)before, pattern.data, EE_STR_ARG(name),
                                     (int)(pattern.length - star - 1), pattern.data + star + 1));
}

static bool same_step(const ee_step *a, const ee_step *b) {
  if (a->kind == EE_STEP_ALL || b->kind == EE_STEP_ALL) return a->kind == b->kind;
  if (a->kind == EE_STEP_INDEX || b->kind == EE_STEP_INDEX)
    return a->kind != EE_STEP_KEY && b->kind != EE_STEP_KEY && a->index == b->index;
  return ee_str_equal(a->key, b->key);
}

/* Whether `path` goes on where `outer` ends. */
static bool goes_on(const ee_path *path, const ee_path *outer) {
  if (path->count <= outer->count) return false;
  for (size_t i = 0; i < outer->count; i++)
    if (!same_step(&path->steps[i], &outer->steps[i])) return false;
  return true;
}

const ee_field_confidence *ee_field_confidence_compile(ee_plan_builder *builder, ee_confidence_rules *rules,
                                                       const ee_rule_node *node, const ee_path *candidate) {
  if (rules == NULL || candidate == NULL) return NULL;
  ee_rule_value own = ee_rule_node_get(node, "confidence");
  if (own.type == EE_RULE_BOOL) return NULL;
  ee_str pattern = own.type == EE_RULE_TEXT ? own.text : rules->pattern;
  if (pattern.length == 0 || memchr(pattern.data, '*', pattern.length) == NULL) {
    if (own.type != EE_RULE_TEXT) return NULL;
  } else if (candidate->count == 0) {
    return NULL; /* the whole document, or a query: no path to put in */
  }
  const char *what = "option 'confidence'";
  const ee_path *path = ee_compile_path(builder, node, put_path(builder, pattern, candidate), what, EE_PATH_SAY_BAD);
  if (path == NULL) return NULL;
  if (path->wildcards != candidate->wildcards) {
    ee_compile_error(builder, node, "path '%.*s' and the path '%.*s' of its confidence differ in their number of [*]",
                     EE_STR_ARG(candidate->text), EE_STR_ARG(path->text));
    return NULL;
  }
  ee_field_confidence *field = EE_NEW(builder->arena, ee_field_confidence);
  *field = (ee_field_confidence){.rules = rules, .path = path, .wrapped = goes_on(path, candidate)};
  rules->has_confidence = true;
  return field;
}

/* The `number`-th of "a|b|c". */
static ee_str choice_name(const char *choices, int number) {
  for (; number > 0; number--) choices += strcspn(choices, "|") + 1;
  return (ee_str){choices, strcspn(choices, "|")};
}

void ee_confidence_print(const ee_confidence_rules *rules, ee_buffer *out) {
  if (rules == NULL) return;
  if (rules->has_confidence) {
    ee_buffer_add_text(out, "  confidence");
    if (rules->pattern.length > 0) ee_add_shown(out, " ", rules->pattern, "");
    ee_buffer_addf(out, " (%.*s)", EE_STR_ARG(choice_name(EE_CONFIDENCE_SCALES, (int)rules->scale)));
    ee_add_shown(out, ", of a document: ",
                 rules->document == EE_DOCUMENT_PATH ? rules->document_path->text
                                                     : choice_name(DOCUMENTS, (int)rules->document),
                 "\n");
  }
  if (!rules->has_cost) return;
  ee_buffer_add_text(out, "  cost incorrect ");
  ee_json_write_number(out, rules->cost.incorrect);
  ee_buffer_add_text(out, ", missing ");
  ee_json_write_number(out, rules->cost.missing);
  ee_buffer_add_text(out, ", spurious ");
  ee_json_write_number(out, rules->cost.spurious);
  ee_buffer_add_char(out, '\n');
}

/* Values ----------------------------------------------------------------------------------------- */

const ee_value *ee_confidence_unwrap(const ee_field_confidence *field, const ee_value *value, ee_arena *arena) {
  if (field == NULL || !field->wrapped || ee_type_of(value) != EE_OBJECT) return value;
  const ee_confidence_rules *rules = field->rules;
  for (size_t i = 0; i < rules->value_count; i++) {
    const ee_value *inner = rules->values[i] != NULL ? ee_path_get(rules->values[i], value, arena) : NULL;
    if (inner != NULL) return inner;
  }
  /* Services leave the value out where they found nothing. */
  const ee_path *path = field->path;
  return ee_value_member(value, path->steps[path->count - 1].key, NULL) != NULL ? NULL : value;
}

const ee_value *ee_confidence_root(const ee_field_confidence *field, const ee_case *current) {
  if (field == NULL || field->path->count == 0) return NULL;
  size_t end = field->path->steps[0].kind == EE_STEP_ALL ? 0 : 1;
  if (ee_path_get_steps(field->path, 0, end, current->candidate, NULL) != NULL) return current->candidate;
  return current->record;
}

const char *ee_confidence_pattern_of(ee_str text) {
  if (text.length == 0 || text.data[0] != '{') return NULL;
  if (memmem(text.data, text.length, "\"confidence\":", 13) != NULL) return "*.confidence";
  return memmem(text.data, text.length, "\"Confidence\":", 13) != NULL ? "*.Confidence" : NULL;
}

/* A log probability, or the sum or mean of those in an array: numbers, or objects with a member `logprob`. */
static bool read_logprob(const ee_value *found, bool mean, ee_arena *arena, double *number) {
  if (ee_type_of(found) != EE_ARRAY) return ee_measure_read_number(found, arena, number);
  double sum = 0, count = 0, one;
  for (const ee_value *item = ee_value_child(found); item != NULL; item = ee_value_next(item)) {
    const ee_value *inner = ee_type_of(item) == EE_OBJECT ? ee_value_member(item, EE_STR("logprob"), NULL) : item;
    if (inner == NULL || !ee_measure_read_number(inner, arena, &one)) return false;
    sum += one;
    count++;
  }
  if (count == 0) return false;
  *number = mean ? sum / count : sum;
  return true;
}

/* Rounding may carry a confidence a little beyond its range. */
#define SLACK 1e-9

/* False for what is not a confidence. */
static bool read_confidence(const ee_value *found, ee_confidence_scale scale, ee_arena *arena, double *confidence) {
  double number;
  if (scale == EE_SCALE_LOGPROB || scale == EE_SCALE_MEAN_LOGPROB) {
    if (!read_logprob(found, scale == EE_SCALE_MEAN_LOGPROB, arena, &number)) return false;
    number = ee_exp(number);
  } else {
    if (!ee_measure_read_number(found, arena, &number)) return false;
    if (scale == EE_SCALE_PERCENT) number /= 100;
  }
  if (!(number >= -SLACK && number <= 1 + SLACK)) return false;
  *confidence = number < 0 ? 0 : number > 1 ? 1 : number;
  return true;
}

/* Reads `found` into `value`. */
static void set_confidence(ee_confidence_value *value, const ee_confidence_rules *rules, const ee_value *found,
                           ee_arena *arena) {
  ee_type type = ee_type_of(found);
  if (found == NULL || type == EE_MISSING || type == EE_NULL) {
    value->state = EE_CONFIDENCE_MISSING;
  } else if (!read_confidence(found, rules->scale, arena, &value->confidence)) {
    value->state = EE_CONFIDENCE_BAD;
    value->found = found;
  }
}

ee_confidences *ee_confidences_start(const ee_confidence_rules *rules, ee_arena *arena) {
  if (rules == NULL) return NULL;
  ee_confidences *confidences = EE_NEW(arena, ee_confidences);
  confidences->has_cost = rules->has_cost;
  confidences->costs = rules->cost;
  return confidences;
}

void ee_confidences_add(ee_confidences *confidences, const ee_field_confidence *field, ee_str attribute,
                        ee_class value_class, bool required, const ee_value *found, ee_arena *arena) {
  if (confidences == NULL) return;
  const ee_value_costs *costs = &confidences->costs;
  bool right = false, empty = false;
  switch (value_class) {
  case EE_CLASS_TP: right = true; break;
  case EE_CLASS_TN: right = empty = true; break;
  case EE_CLASS_MISSING:
    empty = true;
    confidences->cost += costs->missing;
    break;
  case EE_CLASS_INVENTED: confidences->cost += costs->spurious; break;
  case EE_CLASS_UNREAD: confidences->unread = true; return;
  default: confidences->cost += costs->incorrect; break;
  }
  confidences->wrong |= !right && (required || !empty);
  ee_confidence_value value = {.field = attribute, .right = right, .spurious = value_class == EE_CLASS_INVENTED};
  if (empty)
    value.state = EE_CONFIDENCE_ABSTAINED;
  else if (field != NULL)
    set_confidence(&value, field->rules, found, arena);
  else
    value.state = EE_CONFIDENCE_NONE;
  *EE_LIST_ADD(confidences, arena) = value;
}

/* From the confidences of the values; of a document without any it is an abstention. */
static void combine(ee_confidences *confidences, ee_document_confidence how) {
  ee_confidence_value *document = &confidences->document;
  double min = 1, product = 1, sum = 0;
  size_t count = 0;
  for (size_t i = 0; i < confidences->count; i++) {
    const ee_confidence_value *value = &confidences->items[i];
    if (value->state == EE_CONFIDENCE_MISSING || value->state == EE_CONFIDENCE_BAD) document->state = value->state;
    if (value->state != EE_CONFIDENCE_READ) continue;
    min = value->confidence < min ? value->confidence : min;
    product *= value->confidence;
    sum += value->confidence;
    count++;
  }
  if (document->state != EE_CONFIDENCE_READ) return;
  if (count == 0) document->state = EE_CONFIDENCE_ABSTAINED;
  document->confidence = count == 0                   ? 0
                         : how == EE_DOCUMENT_MIN     ? min
                         : how == EE_DOCUMENT_PRODUCT ? product
                                                      : sum / (double)count;
}

void ee_confidences_finish(ee_confidences *confidences, const ee_confidence_rules *rules, const ee_case *current,
                           bool broken, ee_arena *arena) {
  if (confidences == NULL || !rules->has_confidence || confidences->unread) return;
  confidences->has_document = true;
  confidences->document.right = !confidences->wrong && !broken;
  if (rules->document != EE_DOCUMENT_PATH) {
    combine(confidences, rules->document);
    return;
  }
  const ee_value *found = ee_path_get(rules->document_path, current->candidate, arena);
  if (found == NULL) found = ee_path_get(rules->document_path, current->record, arena);
  set_confidence(&confidences->document, rules, found, arena);
}

/* Rows ------------------------------------------------------------------------------------------- */

static void write_value(const ee_confidence_value *value, ee_buffer *out) {
  switch (value->state) {
  case EE_CONFIDENCE_READ: ee_json_write_number(out, value->confidence); break;
  case EE_CONFIDENCE_ABSTAINED: EE_JSON_ADD(out, "null"); break;
  case EE_CONFIDENCE_MISSING: EE_JSON_ADD(out, "\"missing\""); break;
  case EE_CONFIDENCE_BAD: EE_JSON_ADD(out, "\"bad\""); break;
  case EE_CONFIDENCE_NONE: EE_JSON_ADD(out, "\"none\""); break;
  }
  ee_buffer_add_text(out, value->right ? ",true" : ",false");
  if (value->spurious) EE_JSON_ADD(out, ",\"spurious\"");
  ee_buffer_add_char(out, ']');
}

void ee_confidences_write(const ee_confidences *confidences, ee_buffer *out) {
  if (confidences == NULL) return;
  EE_JSON_ADD(out, ",\"confidences\":[");
  for (size_t i = 0; i < confidences->count; i++) {
    ee_buffer_add_text(out, i > 0 ? ",[" : "[");
    ee_json_write_string(out, confidences->items[i].field);
    ee_buffer_add_char(out, ',');
    write_value(&confidences->items[i], out);
  }
  ee_buffer_add_char(out, ']');
  if (confidences->has_document) {
    EE_JSON_ADD(out, ",\"document_confidence\":[");
    write_value(&confidences->document, out);
  }
  if (!confidences->has_cost) return;
  EE_JSON_ADD(out, ",\"cost\":");
  ee_json_write_number(out, confidences->cost);
  EE_JSON_ADD(out, ",\"costs\":{\"incorrect\":");
  ee_json_write_number(out, confidences->costs.incorrect);
  EE_JSON_ADD(out, ",\"missing\":");
  ee_json_write_number(out, confidences->costs.missing);
  EE_JSON_ADD(out, ",\"spurious\":");
  ee_json_write_number(out, confidences->costs.spurious);
  ee_buffer_add_char(out, '}');
}

static bool is_boolean(const ee_value *value) { return ee_type_of(value) == EE_TRUE || ee_type_of(value) == EE_FALSE; }

/* Reads CONFIDENCE, RIGHT and "spurious" from `item` on; false where they are not that. */
static bool read_value(const ee_value *item, ee_confidence_value *value) {
  if (item == NULL || ee_value_next(item) == NULL || !is_boolean(ee_value_next(item))) return false;
  value->right = ee_type_of(ee_value_next(item)) == EE_TRUE;
  value->spurious = ee_value_next(ee_value_next(item)) != NULL;
  switch (ee_type_of(item)) {
  case EE_NUMBER: value->confidence = item->json.valuedouble; return value->confidence >= 0 && value->confidence <= 1;
  case EE_NULL: value->state = EE_CONFIDENCE_ABSTAINED; return true;
  case EE_STRING:
    value->state = ee_str_is(ee_value_text(item), "bad")    ? EE_CONFIDENCE_BAD
                   : ee_str_is(ee_value_text(item), "none") ? EE_CONFIDENCE_NONE
                                                            : EE_CONFIDENCE_MISSING;
    return true;
  default: return false;
  }
}

static double member_number(const ee_value *object, const char *name, bool *found) {
  const ee_value *member = ee_value_member(object, ee_str_from(name), NULL);
  *found = ee_type_of(member) == EE_NUMBER && isfinite(member->json.valuedouble) && member->json.valuedouble >= 0;
  return *found ? member->json.valuedouble : 0;
}

const ee_confidences *ee_confidences_read(const ee_value *details, ee_arena *arena) {
  const ee_value *list = ee_value_member(details, EE_STR("confidences"), NULL);
  if (ee_type_of(list) != EE_ARRAY) return NULL;
  ee_confidences *confidences = EE_NEW(arena, ee_confidences);
  for (const ee_value *item = ee_value_child(list); item != NULL; item = ee_value_next(item)) {
    const ee_value *name = ee_type_of(item) == EE_ARRAY ? ee_value_child(item) : NULL;
    ee_confidence_value value = {0};
    if (ee_type_of(name) != EE_STRING || !read_value(ee_value_next(name), &value)) continue;
    value.field = ee_value_text(name);
    *EE_LIST_ADD(confidences, arena) = value;
  }
  const ee_value *document = ee_value_member(details, EE_STR("document_confidence"), NULL);
  confidences->has_document =
      ee_type_of(document) == EE_ARRAY && read_value(ee_value_child(document), &confidences->document);
  const ee_value *costs = ee_value_member(details, EE_STR("costs"), NULL);
  confidences->cost = member_number(details, "cost", &confidences->has_cost);
  bool found;
  confidences->costs =
      (ee_value_costs){member_number(costs, "incorrect", &found), member_number(costs, "missing", &found),
                       member_number(costs, "spurious", &found)};
  return confidences;
}
