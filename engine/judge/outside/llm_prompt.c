/* llm_prompt.c: templates, fences, and what is changed in values. */
#include "judge/outside/llm_prompt.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hash_index.h"
#include "base/list.h"
#include "base/printable.h"
#include "base/work.h"
#include "data/json/json_writer.h"

/* Bytes of a placeholder in a message. */
#define SHOWN 60
/* Units of work of a byte of a prompt: written, hashed, searched and sent. */
#define WORK_OF_BYTE 8
/* Hexadecimal digits of a fence's code. */
#define CODE_LENGTH 16
/* Buffers that are larger are freed after a case. */
#define BUFFER_KEPT ((size_t)4 << 20)

typedef enum part_kind { PART_TEXT, PART_ID, PART_EXPECTED, PART_CANDIDATE, PART_RECORD } part_kind;

typedef struct prompt_part {
  part_kind kind;
  ee_str text;         /* of PART_TEXT; else the placeholder's, "candidate.total" */
  const ee_path *path; /* NULL: the whole */
  size_t number;       /* of the path among those that cases should have */
} prompt_part;

struct ee_llm_prompt {
  struct {
    EE_LIST(prompt_part);
  } parts;
  ee_expected_path *paths;
  size_t path_count;
  uint64_t hash; /* of the template */
};

/* Compiling ------------------------------------------------------------------------------------ */

static const struct root_row {
  const char *name;
  part_kind kind;
  bool alone, with_path;
} roots[] = {{"id", PART_ID, true, false},
             {"expected", PART_EXPECTED, true, true},
             {"candidate", PART_CANDIDATE, true, true},
             {"record", PART_RECORD, false, true}};
enum { ROOTS = sizeof roots / sizeof *roots };

/* What may have been meant by an unknown name: one of the roots, else a member of the record. */
static const char *suggest(ee_plan_builder *builder, ee_str name) {
  const char *names[ROOTS + 1] = {NULL};
  for (size_t i = 0; i < ROOTS; i++) names[i] = roots[i].name;
  const char *found = ee_suggestion(builder->arena, name, names);
  if (*found != '\0') return found;
  while (name.length > 0 && name.data[0] == '.') name = (ee_str){name.data + 1, name.length - 1};
  if (name.length == 0) return "";
  return ee_arena_printf(builder->arena, " (did you mean 'record.%.*s'?)", (int)ee_utf8_cut(name, SHOWN), name.data);
}

static const struct root_row *find_root(ee_str name) {
  for (size_t i = 0; i < ROOTS; i++)
    if (ee_str_is(name, roots[i].name)) return &roots[i];
  return NULL;
}

/* The path of a name of the option 'placeholders'; data NULL: it is not one. */
static ee_str find_name(const ee_rule_node *node, ee_str name) {
  ee_rule_value table = ee_rule_node_get(node, "placeholders");
  if (table.type != EE_RULE_TABLE) return (ee_str){NULL, 0};
  for (size_t i = 0; i < table.node->option_count; i++) {
    const ee_rule_option *option = &table.node->options[i];
    if (ee_str_equal(option->name, name) && option->value.type == EE_RULE_TEXT) return option->value.text;
  }
  return (ee_str){NULL, 0};
}

/* Compiles what is between the braces; false with an error. */
static bool compile_placeholder(ee_plan_builder *builder, const ee_rule_node *node, const char *option, ee_str inner,
                                ee_llm_prompt *prompt) {
  ee_str text = ee_str_trim(inner), named = find_name(node, text);
  if (named.data != NULL) text = named;
  size_t length = 0;
  while (length < text.length && text.data[length] != '.' && text.data[length] != '[') length++;
  ee_str root = {text.data, length};
  const struct root_row *row = find_root(root);
  int shown = (int)ee_utf8_cut(text, SHOWN);
  if (row == NULL) {
    ee_compile_error(builder, node, "option '%s' of ee.llm has an unknown placeholder '{{%.*s}}'%s", option, shown,
                     text.data, suggest(builder, root.length > 0 ? root : text));
    return false;
  }
  ee_str rest = {text.data + length, text.length - length};
  if (rest.length > 0 && rest.data[0] == '.') rest = (ee_str){rest.data + 1, rest.length - 1};
  bool whole = rest.length == 0;
  if (whole ? !row->alone || length < text.length : !row->with_path) {
    ee_compile_error(builder, node, "option '%s' of ee.llm: '{{%.*s}}' %s", option, shown, text.data,
                     row->with_path ? "needs a path after the point" : "takes no path");
    return false;
  }
  prompt_part *part = EE_LIST_ADD(&prompt->parts, builder->arena);
  *part = (prompt_part){.kind = row->kind, .text = text};
  if (whole) return true;
  part->path = ee_compile_path(builder, node, rest, "ee.llm", EE_PATH_ONE_VALUE | EE_PATH_SAY_BAD);
  if (part->path == NULL) return false;
  part->number = prompt->path_count++;
  return true;
}

static void add_text(ee_plan_builder *builder, ee_llm_prompt *prompt, const char *from, const char *to) {
  if (to == from) return;
  *EE_LIST_ADD(&prompt->parts, builder->arena) = (prompt_part){.kind = PART_TEXT, .text = {from, (size_t)(to - from)}};
}

static void list_paths(ee_plan_builder *builder, ee_llm_prompt *prompt) {
  prompt->paths = EE_NEW_ARRAY(builder->arena, ee_expected_path, prompt->path_count);
  for (size_t i = 0; i < prompt->parts.count; i++) {
    const prompt_part *part = &prompt->parts.items[i];
    if (part->path != NULL)
      prompt->paths[part->number] = (ee_expected_path){.name = part->text, .none = "nothing", .what = "placeholder"};
  }
}

const ee_llm_prompt *ee_llm_prompt_compile(ee_plan_builder *builder, const ee_rule_node *node, const char *option,
                                           ee_str text) {
  if (ee_utf8_valid_prefix(text.data, text.length) < text.length) {
    ee_compile_error(builder, node, "option '%s' of ee.llm is not UTF-8", option);
    return NULL;
  }
  ee_llm_prompt *prompt = EE_NEW(builder->arena, ee_llm_prompt);
  prompt->hash = ee_hash_bytes(text.data, text.length, 0);
  bool good = true;
  const char *from = text.data, *end = text.data + text.length;
  for (const char *at = from; (at = memmem(at, (size_t)(end - at), "{{", 2)) != NULL;) {
    if (end - at >= 4 && memcmp(at, "{{{{", 4) == 0) {
      add_text(builder, prompt, from, at + 2);
      from = at += 4;
      continue;
    }
    const char *close = memmem(at, (size_t)(end - at), "}}", 2);
    if (close == NULL) {
      ee_compile_error(builder, node, "option '%s' of ee.llm has '{{' without '}}' ({{{{ is {{ itself)", option);
      return NULL;
    }
    add_text(builder, prompt, from, at);
    good &= compile_placeholder(builder, node, option, (ee_str){at + 2, (size_t)(close - at - 2)}, prompt);
    from = at = close + 2;
  }
  add_text(builder, prompt, from, end);
  list_paths(builder, prompt);
  return good ? prompt : NULL;
}

ee_llm_uses ee_llm_prompt_uses(const ee_llm_prompt *prompt) {
  ee_llm_uses uses = {.expected = false};
  for (size_t i = 0; i < prompt->parts.count; i++) {
    const prompt_part *part = &prompt->parts.items[i];
    uses.expected |= part->kind == PART_EXPECTED;
    uses.candidate |= part->kind == PART_CANDIDATE && part->path == NULL;
    uses.candidate_part |= part->kind == PART_CANDIDATE && part->path != NULL;
  }
  return uses;
}

const ee_expected_path *ee_llm_prompt_paths(const ee_llm_prompt *prompt, size_t *count) {
  *count = prompt->path_count;
  return prompt->paths;
}

void ee_llm_prompt_print(const ee_llm_prompt *prompt, ee_buffer *out) {
  const char *before = "";
  for (size_t i = 0; i < prompt->parts.count; i++) {
    if (prompt->parts.items[i].kind == PART_TEXT) continue;
    ee_add_shown(out, before, prompt->parts.items[i].text, "");
    before = ", ";
  }
  if (*before == '\0') ee_buffer_add_text(out, "no value of the case");
}

/* Values --------------------------------------------------------------------------------------- */

/* Tokens by which chat models end messages and begin others: what begins so is broken after its first `kept` bytes. */
static const struct token_row {
  const char *start;
  size_t kept;
} tokens[] = {{"<|", 1},        {"|>", 1},         {"<\xef\xbd\x9c", 1}, {"\xef\xbd\x9c>", 3}, {"<<sys>>", 2},
              {"<</sys>>", 2},  {"<s>", 1},        {"</s>", 1},          {"<bos>", 1},         {"<eos>", 1},
              {"<start_of", 1}, {"<end_of", 1},    {"<think>", 1},       {"</think>", 1},      {"[inst]", 1},
              {"[/inst]", 1},   {"[system_pr", 1}, {"[/system_pr", 1},   {"[available_", 1},   {"[/available_", 1},
              {"[tool_", 1},    {"[/tool_", 1},    {"<tool_", 1},        {"</tool_", 1}};

/* The bytes of a token at text[at] after which it is broken; 0: no token begins there. */
static size_t token_at(ee_str text, size_t at) {
  char c = text.data[at];
  if (c != '<' && c != '|' && c != '[' && c != '\xef') return 0;
  for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
    size_t length = strlen(tokens[i].start);
    if (text.length - at >= length && strncasecmp(text.data + at, tokens[i].start, length) == 0) return tokens[i].kept;
  }
  return 0;
}

/* Appends the text with all tokens broken. True if it has some. */
static bool add_broken(ee_buffer *out, ee_str text) {
  size_t from = 0;
  for (size_t at = 0; at < text.length; at++) {
    size_t kept = token_at(text, at);
    if (kept == 0) continue;
    ee_buffer_add(out, text.data + from, at + kept - from);
    ee_buffer_add_char(out, ' ');
    from = at + kept;
  }
  if (text.length > from) ee_buffer_add(out, text.data + from, text.length - from);
  return from > 0;
}

/* Appends a value's text as it is. */
static void add_value(ee_buffer *out, const ee_value *value) {
  char room[32];
  switch (ee_type_of(value)) {
  case EE_STRING: ee_buffer_add_str(out, ee_value_text(value)); break;
  case EE_NUMBER: ee_buffer_add_str(out, ee_value_written_number(value, room)); break;
  default: ee_json_write_value(out, value);
  }
}

/* A value of the prompt: as it is in `plain`, or with its text; data NULL and value NULL: there is none. */
typedef struct taken_value {
  const ee_value *value;
  ee_str text;
} taken_value;

static taken_value take_value(const prompt_part *part, const ee_case *current, ee_arena *arena) {
  taken_value taken = {NULL, {NULL, 0}};
  switch (part->kind) {
  case PART_ID: taken.text = ee_case_base(current); break;
  case PART_EXPECTED:
    taken.value = part->path != NULL ? ee_path_get(part->path, current->expected, arena) : current->expected;
    break;
  case PART_CANDIDATE:
    if (part->path != NULL)
      taken.value = ee_path_get(part->path, current->candidate, arena);
    else if (current->candidate_text.data != NULL)
      taken.text = current->candidate_text;
    else
      taken.value = current->candidate;
    break;
  case PART_RECORD: taken.value = ee_case_get(current, part->path, arena); break;
  case PART_TEXT: break;
  }
  return taken;
}

static bool is_there(const taken_value *taken) { return taken->value != NULL || taken->text.data != NULL; }

/* Writing -------------------------------------------------------------------------------------- */

/* A value's text in the writer's `values`. */
typedef struct value_range {
  bool there;
  size_t from, to;
} value_range;

void ee_llm_writer_fini(ee_llm_writer *writer) {
  ee_buffer_fini(&writer->plain);
  ee_buffer_fini(&writer->values);
  ee_buffer_fini(&writer->prompt);
}

static void start_buffer(ee_buffer *buffer) {
  if (buffer->capacity > BUFFER_KEPT) ee_buffer_fini(buffer);
  ee_buffer_clear(buffer);
}

/* A code that no value has. */
static void make_code(uint64_t hash, ee_str values, char code[CODE_LENGTH + 1]) {
  do {
    hash = ee_hash_bytes(values.data, values.length, hash + 1);
    snprintf(code, CODE_LENGTH + 1, "%016" PRIx64, hash);
  } while (values.length > 0 && memmem(values.data, values.length, code, CODE_LENGTH) != NULL);
}

static void add_fenced(ee_buffer *out, const char *code, ee_str name, ee_str text) {
  if (out->length > 0 && out->data[out->length - 1] != '\n') ee_buffer_add_char(out, '\n');
  ee_buffer_addf(out, "[DATA %s ", code);
  ee_add_printable(out, name, EE_PRINT_LINE);
  ee_buffer_add_text(out, "]\n");
  ee_buffer_add_str(out, text);
  if (text.length == 0 || text.data[text.length - 1] != '\n') ee_buffer_add_char(out, '\n');
  ee_buffer_addf(out, "[END %s]\n", code);
}

/* The texts of all values, one after the other, in the writer; sets `*changed` if one was changed. False, before much
 * is written, if they have more bytes than a prompt may have; none is shorter than it was. */
static bool write_values(const ee_llm_prompt *prompt, const taken_value *taken, ee_llm_writer *writer,
                         value_range *ranges, bool *changed) {
  ee_buffer *plain = &writer->plain, *shown = &writer->prompt;
  for (size_t i = 0; i < prompt->parts.count; i++) {
    const ee_value *value = taken[i].value;
    size_t left = EE_LLM_VALUE_BYTES - writer->values.length;
    ranges[i] = (value_range){.there = is_there(&taken[i]), .from = writer->values.length};
    ee_str text = ee_type_of(value) == EE_STRING ? ee_value_text(value) : taken[i].text;
    if (text.length > left) return false;
    ee_buffer_clear(plain);
    if (value != NULL)
      add_value(plain, value);
    else
      ee_buffer_add_str(plain, text);
    ee_work(ee_work_product(plain->length, WORK_OF_BYTE));
    if (plain->length > left) return false;
    ee_buffer_clear(shown);
    ee_add_printable(shown, (ee_str){plain->data, plain->length}, EE_PRINT_LINES);
    *changed |= !ee_str_equal((ee_str){plain->data, plain->length}, (ee_str){shown->data, shown->length});
    *changed |= add_broken(&writer->values, (ee_str){shown->data, shown->length});
    if (writer->values.length > EE_LLM_VALUE_BYTES) return false;
    ranges[i].to = writer->values.length;
  }
  return true;
}

void ee_llm_fence(ee_buffer *out, ee_str name, const ee_value *value) {
  if (value == NULL) {
    ee_buffer_add_text(out, "(no value)");
    return;
  }
  ee_buffer plain, shown, broken;
  ee_buffer_init(&plain);
  ee_buffer_init(&shown);
  ee_buffer_init(&broken);
  add_value(&plain, value);
  ee_add_printable(&shown, (ee_str){plain.data, plain.length}, EE_PRINT_LINES);
  add_broken(&broken, (ee_str){shown.data, shown.length});
  char code[CODE_LENGTH + 1];
  make_code(0, (ee_str){broken.data, broken.length}, code);
  add_fenced(out, code, name, (ee_str){broken.data, broken.length});
  ee_buffer_fini(&plain);
  ee_buffer_fini(&shown);
  ee_buffer_fini(&broken);
}

ee_llm_written ee_llm_prompt_write(const ee_llm_prompt *prompt, const ee_case *current, ee_llm_writer *writer,
                                   ee_arena *arena) {
  size_t count = prompt->parts.count;
  taken_value *taken = EE_NEW_ARRAY(arena, taken_value, count);
  value_range *ranges = EE_NEW_ARRAY(arena, value_range, count);
  bool *found = EE_NEW_ARRAY(arena, bool, prompt->path_count);
  for (size_t i = 0; i < count; i++) {
    taken[i] = take_value(&prompt->parts.items[i], current, arena);
    if (prompt->parts.items[i].path != NULL) found[prompt->parts.items[i].number] = is_there(&taken[i]);
  }
  start_buffer(&writer->plain);
  start_buffer(&writer->values);
  start_buffer(&writer->prompt);
  ee_llm_written written = {.found = found};
  written.too_large = !write_values(prompt, taken, writer, ranges, &written.changed);
  if (written.too_large) return written;
  char code[CODE_LENGTH + 1];
  make_code(prompt->hash, (ee_str){writer->values.data, writer->values.length}, code);
  ee_buffer *out = &writer->prompt;
  ee_buffer_clear(out);
  for (size_t i = 0; i < count; i++) {
    const prompt_part *part = &prompt->parts.items[i];
    if (part->kind == PART_TEXT)
      ee_buffer_add_str(out, part->text);
    else if (ranges[i].there)
      add_fenced(out, code, part->text, (ee_str){writer->values.data + ranges[i].from, ranges[i].to - ranges[i].from});
    else
      ee_buffer_add_text(out, "(no value)");
  }
  written.text = (ee_str){out->data, out->length};
  return written;
}
