/* schema.c: ee.schema { "path", schema = { ... } }, candidates checked against a JSON Schema. */

#include "base/memory.h"
#include "base/printable.h"
#include "base/work.h"
#include "data/json/json_equal.h"
#include "data/json/path.h"
#include "data/schema/json_schema.h"
#include "judge/compile.h"
#include "judge/details.h"
#include "judge/outside/schema_files.h"
#include "judge/plan.h"
#include "judge/result.h"

#define SUBJECT "ee.schema"

/* Compiled schemas of records that a worker keeps: most data sets have one, or one for each kind of case. */
#define KEPT 16
/* Units of work (base/work.h) of a schema within a record's schema. */
#define WORK_COMPILED 1000
/* Warnings about a record's schema. */
#define WARNINGS_LISTED 10
/* Bytes that the arena of a replaced schema keeps. */
#define KEPT_BYTES ((size_t)1 << 20)

typedef struct schema_judge {
  const ee_path *path;          /* in the candidate; NULL: the whole document */
  const ee_json_schema *schema; /* NULL: of each record, at `from` */
  const ee_path *from;
  const char *file; /* of the schema; NULL: it is in the rule file */
  ee_schema_options options;
} schema_judge;

#define DRAFTS "2020-12|2019-09|07|06|04" /* as in ee_schema_draft */

static const ee_option schema_options[] = {
    {.name = "schema",
     .type = EE_OPTION_TABLE,
     .is_data = true,
     .default_text = "one of 'schema', 'file' and 'from' must be given",
     .help = "The schema as a table: { type = \"object\", required = { \"total\" } }."},
    {.name = "file",
     .type = EE_OPTION_TEXT,
     .default_text = "none",
     .help = "A JSON or YAML file with the schema, relative to this file's folder; also an OpenAPI document."},
    {.name = "from",
     .type = EE_OPTION_PATH,
     .default_text = "none",
     .help = "The path of the schema in each record, for records with their own schema."},
    {.name = "at",
     .type = EE_OPTION_TEXT,
     .default_text = "the whole",
     .help = "The schema inside the document, as a reference: \"#/components/schemas/Invoice\", an anchor, an $id."},
    {.name = "registry",
     .type = EE_OPTION_TEXT_OR_TABLE,
     .default_text = "none",
     .help = "Files and folders that $ref may lead to: \"schemas\", { \"a.json\", [\"https://x.test/\"] = \"x\" }."},
    {.name = "draft",
     .type = EE_OPTION_CHOICE,
     .choices = DRAFTS,
     .default_text = "\"2020-12\"",
     .help = "The draft of schemas without $schema."},
    {.name = "formats",
     .type = EE_OPTION_BOOL,
     .default_text = "false",
     .help = "'format' asserts: \"format\": \"date\" takes dates only."},
    {.name = "candidate",
     .type = EE_OPTION_PATH,
     .default_text = "the first value, else the whole document",
     .help = "The path of the value in the candidate document."},
    {.name = NULL},
};

/* Compiling ------------------------------------------------------------------------------------ */

/* The positional path. */
static const ee_path *compile_path(ee_plan_builder *builder, const ee_rule_node *node) {
  if (node->item_count == 0) return NULL;
  const ee_rule_value *first = &node->items[0];
  if (node->item_count > 1 || first->type != EE_RULE_TEXT) {
    ee_compile_error(builder, node, SUBJECT " takes one path (a string), got %s%s", node->item_count > 1 ? "also " : "",
                     ee_rule_value_describe(&node->items[node->item_count > 1], builder->arena));
    return NULL;
  }
  return ee_compile_path(builder, node, first->text, SUBJECT, EE_PATH_NO_WILDCARD | EE_PATH_NO_QUERY | EE_PATH_SAY_BAD);
}

/* Exactly one of the three options must be given; false with an error. */
static bool check_source(ee_plan_builder *builder, const ee_rule_node *node) {
  static const char *const names[] = {"schema", "file", "from"};
  const char *given[3];
  size_t count = 0;
  for (size_t i = 0; i < 3; i++) {
    if (ee_rule_node_get(node, names[i]).type != EE_RULE_NONE) given[count++] = names[i];
  }
  if (count == 0)
    ee_compile_error(builder, node,
                     SUBJECT
                     " has no schema (write schema = { ... }, file = \"schema.json\" or from = \"targetSchema\")");
  if (count > 1)
    ee_compile_error(builder, node, SUBJECT " has '%s' and '%s', but only one schema is possible", given[0], given[1]);
  return count == 1;
}

/* The message of an error or warning; one about the root begins with an empty place. */
static const char *message_of(const ee_error *error) {
  return error->message[0] == ':' ? error->message + 2 : error->message;
}

/* Compiles `document`; errors have their place in `file`, or that of `node` for a table of the rule file. */
static const ee_json_schema *compile_document(ee_plan_builder *builder, const ee_rule_node *node,
                                              const ee_value *document, schema_judge *self) {
  ee_error_list errors;
  ee_error_list_init(&errors);
  /* What is beside a table is beside the rule file. */
  const char *place = self->file != NULL ? self->file : node->file;
  ee_schema_options options = self->options;
  if (place != NULL) options.location = ee_schema_file_location(builder, place);
  ee_schema_loader loader = {builder, node, options.location};
  options.load = ee_schema_load;
  options.user = &loader;
  const ee_json_schema *schema = ee_json_schema_compile(builder->arena, document, &options, &errors);
  for (size_t i = 0; i < errors.count; i++) {
    const ee_error *error = &errors.items[i];
    const char *message = message_of(error);
    if (error->status == EE_OK)
      ee_compile_warn(builder, node, "schema of " SUBJECT ": %s", message);
    else if (self->file != NULL)
      ee_error_list_addf(builder->errors, EE_ERROR_RULES, self->file, 0, "%s", message);
    else
      ee_compile_error(builder, node, "schema of " SUBJECT ": %s", message);
  }
  ee_error_list_fini(&errors);
  return schema;
}

static const ee_json_schema *compile_table(ee_plan_builder *builder, const ee_rule_node *node,
                                           const ee_rule_node *table, schema_judge *self) {
  const char *why = NULL;
  const ee_value *document = ee_rule_node_to_value(builder->arena, table, &why);
  if (document != NULL) return compile_document(builder, node, document, self);
  ee_compile_error(builder, node, "option 'schema' of " SUBJECT " must be plain data: %s", why);
  return NULL;
}

static const ee_json_schema *compile_file(ee_plan_builder *builder, const ee_rule_node *node, schema_judge *self) {
  static const char subject[] = "file of " SUBJECT;
  self->file = ee_compile_file_path(builder, node, subject, ee_option_text(node, "file", ""));
  if (self->file == NULL) return NULL;
  const ee_value *document = ee_schema_file_read(builder, node, subject, self->file);
  return document != NULL ? compile_document(builder, node, document, self) : NULL;
}

static void schema_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge) {
  judge->ignores_expected = true;
  schema_judge *self = EE_NEW(builder->arena, schema_judge);
  judge->data = self;
  self->path = compile_path(builder, node);
  const ee_path *candidate = ee_compile_option_path(builder, node, SUBJECT, "candidate");
  if (candidate != NULL) self->path = candidate;
  if (self->path != NULL) {
    ee_expected_path *path = EE_NEW(builder->arena, ee_expected_path);
    *path = (ee_expected_path){.name = self->path->text, .none = "nothing", .what = "path"};
    judge->expected_paths = path;
    judge->expected_path_count = 1;
  }
  if (!check_source(builder, node)) return;
  self->options.draft = (ee_schema_draft)ee_option_choice(node, "draft", DRAFTS, "2020-12");
  self->options.formats = ee_option_bool(node, "formats", false);
  self->options.at = ee_option_text(node, "at", "");
  if (!ee_schema_registry_compile(builder, node, "registry of " SUBJECT, &self->options)) return;
  ee_rule_value table = ee_rule_node_get(node, "schema");
  self->from = ee_compile_option_path(builder, node, SUBJECT, "from");
  if (table.type == EE_RULE_TABLE) self->schema = compile_table(builder, node, table.node, self);
  if (ee_rule_node_get(node, "file").type == EE_RULE_TEXT) self->schema = compile_file(builder, node, self);
}

/* Schemas of records --------------------------------------------------------------------------- */

/* A compiled schema and what is to be said about it. */
typedef struct record_schema {
  const ee_json_schema *schema; /* NULL: it does not compile */
  const char *warnings[WARNINGS_LISTED + 1];
  size_t warning_count;
} record_schema;

typedef struct kept_schema {
  ee_arena arena; /* of the other two */
  const ee_value *document;
  record_schema compiled; /* schema NULL: free */
} kept_schema;

typedef struct schema_state {
  kept_schema entries[KEPT];
  size_t next; /* the entry to be replaced next */
} schema_state;

static ee_status schema_open(const ee_judge *judge, const struct ee_open_plan *open, void **state, ee_error *error) {
  (void)open, (void)error;
  const schema_judge *self = judge->data;
  *state = NULL;
  if (self->from == NULL) return EE_OK;
  schema_state *kept = ee_calloc(1, sizeof *kept);
  for (size_t i = 0; i < KEPT; i++) ee_arena_init(&kept->entries[i].arena, 0);
  *state = kept;
  return EE_OK;
}

static void schema_close(const ee_judge *judge, void *state) {
  (void)judge;
  schema_state *kept = state;
  for (size_t i = 0; i < KEPT; i++) ee_arena_fini(&kept->entries[i].arena);
  ee_free(kept);
}

static void fail(const ee_judge *judge, ee_context *context, const char *reason, ee_judge_result *result) {
  ee_error error = {0};
  ee_error_at(&error, EE_ERROR_RULES, judge->node->file, judge->node->line, 0, "%s", reason);
  ee_judge_fail(judge, context, &error, EE_STR(""), result);
  result->reasoning = EE_STR("no schema to judge by");
}

static ee_str from_shown(const schema_judge *self) {
  return (ee_str){self->from->text.data, ee_utf8_cut(self->from->text, 100)};
}

/* Compiles a record's schema into `arena`; schema NULL with `*why`, in the case's arena. */
static record_schema compile_record(const schema_judge *self, ee_context *context, ee_arena *arena,
                                    const ee_value *document, const char **why) {
  ee_error_list errors;
  ee_error_list_init(&errors);
  record_schema result = {.schema = ee_json_schema_compile(arena, document, &self->options, &errors)};
  ee_str from = from_shown(self);
  size_t error_count = 0, warning_count = 0;
  const char *first = "";
  for (size_t i = 0; i < errors.count; i++) {
    const char *message = message_of(&errors.items[i]);
    if (errors.items[i].status != EE_OK) {
      if (error_count++ == 0) first = message;
    } else if (warning_count++ < WARNINGS_LISTED) {
      result.warnings[result.warning_count++] =
          ee_arena_printf(arena, "schema at '%.*s': %s", EE_STR_ARG(from), message);
    }
  }
  if (warning_count > WARNINGS_LISTED)
    result.warnings[result.warning_count++] =
        ee_arena_printf(arena, "schema at '%.*s': %zu more warning%s", EE_STR_ARG(from),
                        warning_count - WARNINGS_LISTED, warning_count == WARNINGS_LISTED + 1 ? "" : "s");
  if (result.schema == NULL) {
    const char *more = error_count > 1 ? ee_arena_printf(context->arena, " (and %zu more)", error_count - 1) : "";
    *why = ee_arena_printf(context->arena, "bad schema at '%.*s' of the record: %s%s", EE_STR_ARG(from), first, more);
  }
  ee_error_list_fini(&errors);
  return result;
}

/* The same, from the worker's kept ones if possible. */
static record_schema find_record(const schema_judge *self, ee_context *context, schema_state *kept,
                                 const ee_value *document, const char **why) {
  if (kept == NULL) return compile_record(self, context, context->arena, document, why);
  /* ee_value_hash() ignores null members, so equal hashes need a comparison. */
  uint64_t hash = ee_value_hash(document);
  for (size_t i = 0; i < KEPT; i++) {
    const kept_schema *entry = &kept->entries[i];
    if (entry->compiled.schema != NULL && ee_value_hash(entry->document) == hash &&
        ee_json_equal(entry->document, document))
      return entry->compiled;
  }
  kept_schema *entry = &kept->entries[kept->next];
  kept->next = (kept->next + 1) % KEPT;
  entry->compiled.schema = NULL;
  ee_arena_reset(&entry->arena, KEPT_BYTES);
  entry->document = ee_value_copy(&entry->arena, document);
  entry->compiled = compile_record(self, context, &entry->arena, entry->document, why);
  if (entry->compiled.schema != NULL)
    ee_work(ee_work_product(ee_json_schema_size(entry->compiled.schema), WORK_COMPILED));
  return entry->compiled;
}

/* The record's schema; NULL with `*why`. */
static const ee_json_schema *schema_of_record(const schema_judge *self, ee_context *context, schema_state *kept,
                                              const char **why) {
  const ee_value *document = ee_case_get(context->current, self->from, context->arena);
  if (document == NULL) {
    *why = ee_arena_printf(context->arena, "the record has no schema at '%.*s'", EE_STR_ARG(from_shown(self)));
    return NULL;
  }
  record_schema found = find_record(self, context, kept, document, why);
  for (size_t i = 0; i < found.warning_count; i++) ee_context_warn(context, found.warnings[i]);
  return found.schema;
}

/* Judging -------------------------------------------------------------------------------------- */

/* The step of a JSON Pointer at `*at`, which moves past it. */
static ee_str take_step(ee_str pointer, size_t *at, ee_arena *arena) {
  size_t from = ++*at; /* the slash */
  while (*at < pointer.length && pointer.data[*at] != '/') ++*at;
  char *out = ee_arena_alloc(arena, *at - from + 1);
  size_t length = 0;
  for (size_t i = from; i < *at; i++) {
    char c = pointer.data[i];
    if (c == '~' && i + 1 < *at) c = pointer.data[++i] == '0' ? '~' : '/';
    out[length++] = c;
  }
  return (ee_str){out, length};
}

/* The place of a violation as a path in the candidate: "items[2].total". */
static ee_str path_of(const schema_judge *self, const ee_value *value, ee_str pointer, ee_arena *arena) {
  ee_path_text text = {.arena = arena};
  if (pointer.length == 0) return ee_list_path_text(self->path);
  for (size_t i = 0; self->path != NULL && i < self->path->count; i++) {
    const ee_step *step = &self->path->steps[i];
    if (step->kind == EE_STEP_INDEX)
      ee_path_text_add_index(&text, step->index);
    else
      ee_path_text_add_key(&text, step->key);
  }
  size_t at = 0;
  while (at < pointer.length) {
    ee_str step = take_step(pointer, &at, arena);
    if (ee_type_of(value) == EE_ARRAY) {
      size_t index = 0;
      for (size_t i = 0; i < step.length; i++) index = index * 10 + (size_t)(step.data[i] - '0');
      ee_path_text_add_index(&text, (uint32_t)index);
      value = ee_value_element(value, index);
    } else {
      ee_path_text_add_key(&text, step);
      value = ee_value_member(value, step, arena);
    }
  }
  return ee_path_text_get(&text);
}

static void schema_write_details(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out) {
  const ee_schema_result *found = result->details;
  if (found == NULL) {
    ee_details_write_plain(result, scratch, out);
    return;
  }
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_details details;
  ee_details_start(&details, scratch, result);
  ee_value *list = ee_value_new(scratch, EE_ARRAY);
  for (size_t i = 0; i < found->count; i++) {
    ee_value *entry = ee_value_new(scratch, EE_OBJECT);
    ee_details_set(&details, entry, "pointer", ee_value_new_string(scratch, found->violations[i].place));
    ee_details_set(&details, entry, "keyword", ee_value_new_string(scratch, found->violations[i].keyword));
    ee_details_set(&details, entry, "message", ee_value_new_string(scratch, found->violations[i].message));
    ee_value_append(list, entry);
  }
  ee_details_set(&details, details.tree, "violations", list);
  ee_details_set_number(&details, details.tree, "total", (double)found->total);
  details.truncated = found->total > found->count;
  ee_details_finish(&details, result, out);
  ee_arena_rewind(scratch, mark);
}

/* Hits and misses. */
static void collect(const ee_judge *judge, const ee_value *value, const ee_schema_result *found,
                    ee_findings *findings) {
  const schema_judge *self = judge->data;
  if (found->valid) {
    ee_finding hit = {.path = self->path != NULL ? self->path->text : judge->name, .row = EE_NO_ROW};
    ee_findings_hit(findings, &hit);
  }
  for (size_t i = 0; i < found->count; i++) {
    const ee_violation *violation = &found->violations[i];
    ee_findings_note(findings, path_of(self, value, violation->place, findings->arena),
                     (ee_reason){.kind = EE_REASON_TEXT, .text = violation->message});
  }
  if (found->total == found->count) return;
  const char *more = ee_arena_printf(findings->arena, "%zu more", found->total - found->count);
  ee_findings_note(findings, ee_str_from(more), (ee_reason){.kind = EE_REASON_NONE});
}

static ee_str reasoning(const ee_schema_result *found, ee_arena *arena) {
  if (found->valid) return EE_STR("fits the schema");
  if (found->total == 1) return EE_STR("1 violation of the schema");
  return ee_str_from(ee_arena_printf(arena, "%zu violations of the schema", found->total));
}

static void schema_judge_case(const ee_judge *judge, ee_context *context, ee_judge_result *result) {
  const schema_judge *self = judge->data;
  const ee_case *current = context->current;
  ee_arena *arena = context->arena;
  const ee_json_schema *schema = self->schema;
  const char *why = NULL;
  if (self->from != NULL)
    schema = schema_of_record(self, context, context->states != NULL ? context->states[judge->number] : NULL, &why);
  if (schema == NULL) {
    fail(judge, context, why, result);
    return;
  }
  ee_findings findings;
  ee_findings_start(&findings, arena, 1);
  ee_schema_result *found = EE_NEW(arena, ee_schema_result);
  if (current->candidate_state != EE_CANDIDATE_READ) {
    ee_findings_no_candidate(&findings, current->candidate_state);
    result->reasoning = EE_STR("no candidate document");
  } else {
    const ee_value *value = current->candidate;
    if (self->path != NULL) value = ee_path_get(self->path, value, arena);
    ee_json_schema_validate(schema, value, arena, found);
    collect(judge, value, found, &findings);
    result->reasoning = reasoning(found, arena);
    if (self->path != NULL) {
      bool *seen = ee_arena_alloc(arena, sizeof *seen);
      *seen = value != NULL;
      result->found = seen;
    }
  }
  result->score = found->valid ? 1 : 0;
  ee_findings_finish(&findings, result);
  result->details = found;
}

static void schema_print(const ee_judge *judge, ee_buffer *out) {
  const schema_judge *self = judge->data;
  ee_buffer_add_text(out, "  value ");
  ee_add_shown(out, "", ee_list_path_text(self->path), "");
  ee_buffer_add_text(out, ", schema ");
  if (self->from != NULL) {
    ee_buffer_add_text(out, "of each record at ");
    ee_add_shown(out, "", self->from->text, "");
  } else {
    ee_add_shown(out, "", ee_str_from(self->file != NULL ? self->file : "of the rule file"), "");
  }
  if (self->options.at.length > 0) {
    ee_buffer_add_text(out, " at ");
    ee_add_shown(out, "", self->options.at, "");
  }
  if (self->options.formats) ee_buffer_add_text(out, ", formats assert");
  ee_buffer_add_char(out, '\n');
}

const ee_judge_type ee_schema_judge = {
    .name = "schema",
    .help = "Whether the candidate is valid against a JSON Schema, with the place of every violation.",
    .options = schema_options,
    .compile = schema_compile,
    .as_written = true,
    .judge_case = schema_judge_case,
    .write_details = schema_write_details,
    .open = schema_open,
    .close = schema_close,
    .print = schema_print,
};
