/* case_file.c: reads the cases of a YAML data set and their evaluators. */
#include "data/files/case_file.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "data/files/byte_source.h"
#include "data/files/record.h"
#include "data/json/json_writer.h"

static const char *const list_names[] = {"evalcases", "eval_cases", "tests", "cases", NULL};

/* What a YAML file may have at its top: cases, or rules (judge/rule_text/rule_document.h). */
static const char *const top_names[] = {"evalcases", "eval_cases", "tests", "cases", "rules", NULL};

__attribute__((format(printf, 4, 5))) static ee_status fail(const ee_case_file *file, const ee_value *node,
                                                            ee_error *error, const char *format, ...) {
  char message[sizeof((ee_error){0}).message];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  struct ee_yaml_place place = ee_case_file_place(file, node);
  return ee_error_at(error, EE_ERROR_DATA, file->name, place.line, place.column, "%s", message);
}

static const ee_value *member(const ee_value *value, const char *name) {
  return ee_value_member(value, ee_str_from(name), NULL);
}

/* A member that is not null, or NULL. */
static const ee_value *given(const ee_value *value, const char *name) {
  const ee_value *found = member(value, name);
  return ee_type_of(found) > EE_NULL ? found : NULL;
}

/* The list of cases ---------------------------------------------------------------------------- */

/* No key of cases: perhaps one is misspelt. */
static ee_status fail_without_list(const ee_case_file *file, ee_error *error) {
  const ee_value *root = file->root;
  if (ee_type_of(root) != EE_OBJECT)
    return fail(file, root, error, "expected an array of cases, or an object with 'evalcases' or 'tests', got %s",
                ee_value_describe(root));
  for (const ee_value *at = ee_value_child(root); at != NULL; at = ee_value_next(at)) {
    const char *meant = ee_did_you_mean(ee_value_key(at).data, top_names);
    if (meant != NULL)
      return fail(file, at, error, "no array of cases or rules: unknown key '%.*s' (did you mean '%s'?)",
                  (int)ee_utf8_cut(ee_value_key(at), 100), ee_value_key(at).data, meant);
  }
  return fail(file, root, error, "no array of cases or rules: expected the key 'evalcases', 'tests' or 'rules'");
}

static ee_status find_list(ee_case_file *file, const ee_value **list, ee_error *error) {
  if (ee_type_of(file->root) == EE_ARRAY) {
    *list = file->root;
    return EE_OK;
  }
  const char *found = NULL;
  *list = NULL;
  for (const char *const *name = list_names; *name != NULL; name++) {
    const ee_value *value = member(file->root, *name);
    if (value == NULL) continue;
    if (found != NULL) return fail(file, value, error, "two arrays of cases: '%s' and '%s'", found, *name);
    found = *name;
    *list = value;
  }
  if (found == NULL) return fail_without_list(file, error);
  if (ee_type_of(*list) == EE_ARRAY) return EE_OK;
  /* In other tools this may name a file of cases. */
  const char *hint = ee_type_of(*list) == EE_STRING ? ": cases in other files are not read" : "";
  return fail(file, *list, error, "'%s' must be an array, got %s%s", found, ee_value_describe(*list), hint);
}

/* Evaluators ----------------------------------------------------------------------------------- */

/* The evaluators of a data set or case; NULL: not given. */
typedef struct evaluator_lists {
  const ee_value *evaluators[2], *assertions[2];
} evaluator_lists;

static const evaluator_lists no_lists = {{NULL, NULL}, {NULL, NULL}};

static bool are_empty(const evaluator_lists *lists) {
  return lists->evaluators[0] == NULL && lists->evaluators[1] == NULL && lists->assertions[0] == NULL &&
         lists->assertions[1] == NULL;
}

static evaluator_lists lists_of(const ee_value *holder) {
  return (evaluator_lists){{given(given(holder, "execution"), "evaluators"), given(holder, "evaluators")},
                           {given(holder, "assert"), given(holder, "assertions")}};
}

/* A value that is not an array counts as an array of one. */
static size_t count_nodes(const ee_value *const lists[2]) {
  size_t count = 0;
  for (int i = 0; i < 2; i++)
    if (lists[i] != NULL) count += ee_type_of(lists[i]) == EE_ARRAY ? ee_value_count(lists[i]) : 1;
  return count;
}

static void add_nodes(const ee_value *const lists[2], const ee_value **out, size_t *count) {
  for (int i = 0; i < 2; i++) {
    if (lists[i] == NULL) continue;
    if (ee_type_of(lists[i]) != EE_ARRAY) {
      out[(*count)++] = lists[i];
      continue;
    }
    for (const ee_value *at = ee_value_child(lists[i]); at != NULL; at = ee_value_next(at)) out[(*count)++] = at;
  }
}

typedef struct findings {
  ee_case_file *file;
  evaluator_lists defaults; /* the data set's */
  ee_file_case shared;      /* has the evaluators of cases that give none */
  size_t nodes;             /* evaluators so far of cases that give some */
} findings;

static void join_lists(ee_arena *arena, const evaluator_lists *defaults, const evaluator_lists *own,
                       ee_file_case *out) {
  const ee_value *const *evaluators = own->evaluators;
  if (own->evaluators[0] == NULL && own->evaluators[1] == NULL) evaluators = defaults->evaluators;
  size_t count = count_nodes(evaluators) + count_nodes(defaults->assertions) + count_nodes(own->assertions);
  const ee_value **nodes = EE_NEW_ARRAY(arena, const ee_value *, count);
  out->evaluators = nodes;
  out->evaluator_count = 0;
  add_nodes(evaluators, nodes, &out->evaluator_count);
  add_nodes(defaults->assertions, nodes, &out->evaluator_count);
  add_nodes(own->assertions, nodes, &out->evaluator_count);
}

static ee_status collect_evaluators(findings *c, ee_file_case *out, ee_error *error) {
  evaluator_lists own = lists_of(out->record);
  bool skips = ee_type_of(member(member(out->record, "execution"), "skip_defaults")) == EE_TRUE;
  if (!skips && are_empty(&own)) {
    out->evaluators = c->shared.evaluators;
    out->evaluator_count = c->shared.evaluator_count;
    return EE_OK;
  }
  const evaluator_lists *defaults = skips ? &no_lists : &c->defaults;
  /* The data set's count for each such case. */
  c->nodes += count_nodes(own.evaluators) + count_nodes(own.assertions) + count_nodes(defaults->evaluators) +
              count_nodes(defaults->assertions);
  if (c->nodes > EE_CASE_FILE_EVALUATORS)
    return fail(c->file, out->record, error, "more than %zu evaluators in all cases", EE_CASE_FILE_EVALUATORS);
  join_lists(&c->file->arena, defaults, &own, out);
  return EE_OK;
}

/* Cases ---------------------------------------------------------------------------------------- */

static ee_status read_case(findings *c, const ee_value *node, ee_file_case *out, ee_error *error) {
  struct ee_yaml_place place = ee_case_file_place(c->file, node);
  *out = (ee_file_case){.record = node, .line = place.line, .column = place.column};
  if (ee_type_of(node) != EE_OBJECT) return EE_OK;
  if (ee_record_read_id(node, NULL, EE_PART_ID, &c->file->arena, &out->id, NULL) != EE_OK) out->id = (ee_str){NULL, 0};
  return collect_evaluators(c, out, error);
}

static ee_status read_cases(ee_case_file *file, ee_error *error) {
  const ee_value *list;
  ee_status status = find_list(file, &list, error);
  if (status != EE_OK) return status;
  const ee_value *title = member(file->root, "name");
  file->title = ee_type_of(title) == EE_STRING ? ee_value_text(title) : EE_STR("");
  findings c = {.file = file, .defaults = lists_of(file->root)};
  join_lists(&file->arena, &c.defaults, &no_lists, &c.shared);
  file->cases = EE_NEW_ARRAY(&file->arena, ee_file_case, ee_value_count(list));
  for (const ee_value *at = ee_value_child(list); at != NULL && status == EE_OK; at = ee_value_next(at))
    status = read_case(&c, at, &file->cases[file->count++], error);
  return status;
}

/* Keys that are nearly right ------------------------------------------------------------------- */

static const ee_value *misspelt_in(const ee_value *holder, const char *const *names, const char **meant) {
  if (ee_type_of(holder) != EE_OBJECT) return NULL;
  for (const ee_value *at = ee_value_child(holder); at != NULL; at = ee_value_next(at)) {
    bool known = false;
    for (const char *const *name = names; *name != NULL; name++) known |= ee_str_is(ee_value_key(at), *name);
    if (known || (ee_type_of(at) != EE_ARRAY && ee_type_of(at) != EE_OBJECT)) continue;
    *meant = ee_did_you_mean(ee_value_key(at).data, names);
    if (*meant != NULL) return at;
  }
  return NULL;
}

static const ee_value *misspelt_by(const ee_value *holder, const char **meant) {
  static const char *const names[] = {"evaluators", "assertions", "execution", NULL};
  static const char *const inner[] = {"evaluators", NULL};
  const ee_value *found = misspelt_in(holder, names, meant);
  return found != NULL ? found : misspelt_in(member(holder, "execution"), inner, meant);
}

const ee_value *ee_case_file_misspelt(const ee_case_file *file, const char **meant) {
  const ee_value *found = misspelt_by(file->root, meant);
  for (size_t i = 0; i < file->count && found == NULL; i++) found = misspelt_by(file->cases[i].record, meant);
  return found;
}

/* Opening -------------------------------------------------------------------------------------- */

ee_case_file *ee_case_file_read(const char *name, ee_str text, ee_error *error) {
  ee_case_file *file = ee_calloc(1, sizeof *file);
  size_t size = strlen(name) + 1;
  file->name = memcpy(ee_malloc(size), name, size);
  ee_arena_init(&file->arena, 0);
  ee_error broken;
  file->root = ee_yaml_read(&file->arena, text, &file->places, &broken);
  ee_status status = EE_OK;
  if (file->root == NULL) {
    status = ee_error_at(error, EE_ERROR_DATA, name, broken.line, broken.column, "%s", broken.message);
    if (error != NULL) error->offset = broken.offset;
  } else {
    status = read_cases(file, error);
  }
  if (status == EE_OK) return file;
  ee_case_file_close(file);
  return NULL;
}

ee_case_file *ee_case_file_open(const char *file, const volatile sig_atomic_t *interrupt, ee_error *error) {
  ee_byte_source *source = ee_byte_source_open(file, error);
  if (source == NULL) return NULL;
  ee_byte_source_set_interrupt(source, interrupt);
  ee_buffer text;
  ee_buffer_init(&text);
  ee_case_file *read = NULL;
  if (ee_byte_source_read_whole(source, ee_bound_size(EE_BOUND_FILE), &text, error) == EE_OK)
    read = ee_case_file_read(file, (ee_str){text.data, text.length}, error);
  ee_buffer_fini(&text);
  ee_byte_source_close(source);
  return read;
}

void ee_case_file_close(ee_case_file *file) {
  if (file == NULL) return;
  ee_arena_fini(&file->arena);
  ee_free(file->name);
  ee_free(file);
}

struct ee_yaml_place ee_case_file_place(const ee_case_file *file, const ee_value *node) {
  return ee_yaml_place_of(&file->places, node);
}

/* Records -------------------------------------------------------------------------------------- */

/* Whether a value is "{{ vars.a.b }}" or "{{ a.b }}"; `*name` is what it refers to. */
static bool read_reference(const ee_value *value, ee_str *name) {
  if (ee_type_of(value) != EE_STRING) return false;
  ee_str text = ee_str_trim(ee_value_text(value));
  if (text.length < 4 || memcmp(text.data, "{{", 2) != 0 || memcmp(text.data + text.length - 2, "}}", 2) != 0)
    return false;
  *name = ee_str_trim((ee_str){text.data + 2, text.length - 4});
  if (memchr(name->data, '}', name->length) != NULL) return false; /* several references */
  if (name->length > 5 && memcmp(name->data, "vars.", 5) == 0) *name = (ee_str){name->data + 5, name->length - 5};
  return true;
}

/* The variable of this dotted name, or NULL. */
static const ee_value *find_variable(const ee_value *vars, ee_str name) {
  while (vars != NULL) {
    const char *dot = memchr(name.data, '.', name.length);
    size_t length = dot != NULL ? (size_t)(dot - name.data) : name.length;
    vars = ee_value_member(vars, (ee_str){name.data, length}, NULL);
    if (dot == NULL) break;
    name = (ee_str){dot + 1, name.length - length - 1};
  }
  return vars;
}

/* The expected value in `vars`, or NULL. A reference to a reference is not followed. */
static const ee_value *expected_of_vars(const ee_value *vars) {
  const ee_value *expected = given(vars, "expected_output");
  ee_str name;
  if (!read_reference(expected, &name)) return expected;
  expected = find_variable(vars, name);
  return read_reference(expected, &name) ? NULL : expected;
}

/* A member that is added to a record. */
typedef struct added {
  const char *name;
  const ee_value *value; /* NULL: not added */
} added;

static void write_member(ee_buffer *out, ee_str key, const ee_value *value) {
  if (out->data[out->length - 1] != '{') ee_buffer_add_char(out, ',');
  ee_json_write_string(out, key);
  ee_buffer_add_char(out, ':');
  ee_json_write_value(out, value);
}

/* An added member replaces a null of its name. */
static void write_record(const ee_value *record, ee_buffer *out) {
  const ee_value *vars = given(record, "vars");
  added adds[2] = {{"expected_output", NULL}, {"input", NULL}};
  if (vars != NULL && !ee_record_has_expected(record, NULL)) adds[0].value = expected_of_vars(vars);
  if (vars != NULL && given(record, "input") == NULL) adds[1].value = given(vars, "input");
  if (adds[0].value == NULL && adds[1].value == NULL) {
    ee_json_write_value(out, record);
    return;
  }
  ee_buffer_add_char(out, '{');
  for (const ee_value *at = ee_value_child(record); at != NULL; at = ee_value_next(at)) {
    ee_str key = ee_value_key(at);
    bool replaced = false;
    for (int i = 0; i < 2; i++) replaced |= adds[i].value != NULL && ee_str_is(key, adds[i].name);
    if (!replaced) write_member(out, key, at);
  }
  for (int i = 0; i < 2; i++)
    if (adds[i].value != NULL) write_member(out, ee_str_from(adds[i].name), adds[i].value);
  ee_buffer_add_char(out, '}');
}

size_t ee_case_file_fill(const ee_case_file *file, size_t first, size_t max_bytes, ee_block *block) {
  size_t before = block->text.length;
  for (; first < file->count; first++) {
    size_t start = block->text.length;
    if (start > before && start - before >= max_bytes) break;
    const ee_file_case *at = &file->cases[first];
    write_record(at->record, &block->text);
    ee_block_add(block, (ee_record_span){.offset = start,
                                         .length = block->text.length - start,
                                         .line = at->line,
                                         .column = at->column,
                                         .byte = first});
  }
  return first;
}
