/* judge_command.c: `evalengine judge RULES.lua`: a code_judge for other programs.
 *
 * One payload on standard input, one result on standard output; with --persistent one payload and one result per line
 * until the input ends.
 *
 * A payload is read as a record with the known names of record.h: the candidate is the text of `candidate_answer`, the
 * expected value is `reference_answer` or the last assistant message of `expected_messages`. The payload's `config`
 * (else that of --config) is ee.config. The rule file is loaded again for each different config, because it may build
 * other judges from it, and stays loaded for the last 64 configs.
 *
 * Exit status: 0 with a result, whatever the score, also where a function of the rule file raised an error or a
 * provider did not answer: the misses and standard error say so; any other status would mean that the judge itself
 * failed. 3 without a result when the rule file does not load with the payload's config. 4 when a payload is not a JSON
 * object or has no expected value: its result is score 0 and the reason, and with --persistent the next ones follow.
 * 5; 130. */
#include <string.h>

#include "base/memory.h"
#include "base/runtime.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/load.h"
#include "cli/output.h"
#include "data/files/byte_source.h"
#include "data/json/json_equal.h"
#include "data/json/json_reader.h"
#include "judge/case.h"
#include "judge/plan.h"
#include "report/row.h"

/* Rule files that stay loaded, one a config. */
#define RULES_KEPT 64
#define READ_SIZE ((size_t)64 * 1024)
/* Bytes of a payload, as of a record in data sets. */
#define PAYLOAD_LIMIT ((size_t)1 << 30)
/* Memory that is kept from payload to payload. */
#define KEPT_BYTES ((size_t)4 << 20)

/* The rule file with one config, ready to judge. */
typedef struct loaded_rules {
  ee_arena arena; /* of the config */
  const ee_value *config;
  ee_rule_file *file;
  ee_provider *provider; /* NULL when the rules need none */
  ee_open_plan open;
} loaded_rules;

typedef struct judge_server {
  const ee_options *options;
  ee_terminal terminal;
  const volatile sig_atomic_t *interrupted;
  ee_output output;
  loaded_rules *loaded[RULES_KEPT]; /* most recently used first */
  size_t loaded_count;
  ee_arena arena; /* of the payload */
  ee_error_list rule_errors;
  ee_buffer answer;
  bool payload_errors; /* some payload could not be judged */
} judge_server;

/* Rule files ----------------------------------------------------------------------------------- */

static void unload(loaded_rules *rules) {
  ee_open_plan_fini(&rules->open);
  ee_provider_free(rules->provider);
  ee_rule_file_free(rules->file);
  ee_arena_fini(&rules->arena);
  ee_free(rules);
}

/* EE_OK, or the exit status; mistakes are printed. */
static ee_status load(judge_server *self, loaded_rules *rules) {
  const ee_options *options = self->options;
  ee_rule_file_options load_options = ee_load_options(options);
  load_options.config = rules->config;
  rules->file = ee_load_rules_with(&load_options, options->operands[0], &self->terminal);
  if (rules->file == NULL) return EE_ERROR_RULES;
  const ee_plan *plan = ee_rule_file_plan(rules->file);
  ee_error error = {0};
  ee_status status = ee_open_provider(plan, options, &self->terminal, &rules->provider, &error);
  if (status == EE_OK) status = ee_open_plan_init(&rules->open, plan, rules->provider, self->interrupted, &error);
  if (status != EE_OK) ee_terminal_fail(&self->terminal, &error);
  return status;
}

/* The rules loaded with `config`, moved to the front; NULL: not loaded. */
static loaded_rules *find_loaded(judge_server *self, const ee_value *config) {
  for (size_t i = 0; i < self->loaded_count; i++) {
    loaded_rules *rules = self->loaded[i];
    if (!ee_json_equal(rules->config, config)) continue;
    memmove(self->loaded + 1, self->loaded, i * sizeof *self->loaded);
    return self->loaded[0] = rules;
  }
  return NULL;
}

static ee_status get_rules(judge_server *self, const ee_value *config, loaded_rules **found) {
  *found = find_loaded(self, config);
  if (*found != NULL) return EE_OK;
  loaded_rules *rules = ee_calloc(1, sizeof *rules);
  ee_arena_init(&rules->arena, 0);
  rules->config = ee_value_copy(&rules->arena, config);
  ee_status status = load(self, rules);
  if (status != EE_OK) {
    unload(rules);
    return status;
  }
  if (self->loaded_count == RULES_KEPT) unload(self->loaded[--self->loaded_count]);
  memmove(self->loaded + 1, self->loaded, self->loaded_count * sizeof *self->loaded);
  self->loaded_count++;
  *found = self->loaded[0] = rules;
  return EE_OK;
}

/* Payloads ------------------------------------------------------------------------------------- */

/* Finds the config of `payload`: its own, else that of the command line, else {}. */
static ee_status find_config(judge_server *self, const ee_value *payload, const ee_value **config, ee_error *error) {
  *config = ee_value_member(payload, EE_STR("config"), &self->arena);
  if (ee_type_of(*config) <= EE_NULL) *config = self->options->config_tree;
  if (*config == NULL) *config = ee_value_new(&self->arena, EE_OBJECT);
  if (ee_type_of(*config) == EE_OBJECT) return EE_OK;
  return ee_error_set(error, EE_ERROR_DATA, "the payload's config must be an object, got %s", ee_type_name(*config));
}

/* Whether another line follows the first payload in `text`. */
static bool is_first_of_several(judge_server *self, ee_str text) {
  size_t end = 0;
  if (self->options->persistent || ee_json_read_prefix(&self->arena, text, &end, NULL) == NULL) return false;
  while (end < text.length && (text.data[end] == ' ' || text.data[end] == '\r')) end++;
  return end < text.length && text.data[end] == '\n';
}

/* Reads a payload at `line` of the input; `error` has the place of a mistake. */
static ee_status read_payload(judge_server *self, ee_str text, size_t line, ee_case *current, const ee_value **config,
                              ee_error *error) {
  ee_error cause = {0};
  ee_arena *arena = &self->arena;
  const ee_value *payload = ee_json_read(arena, text, NULL, &cause);
  if (payload == NULL)
    return ee_error_at(error, EE_ERROR_DATA, "-", line + cause.line - 1, cause.column, "the payload is not JSON: %s%s",
                       cause.message, is_first_of_several(self, text) ? " (for one payload a line: --persistent)" : "");
  if (ee_type_of(payload) != EE_OBJECT)
    return ee_error_at(error, EE_ERROR_DATA, "-", line, 0, "the payload must be an object, got %s",
                       ee_type_name(payload));
  const ee_record_place place = {.line = line};
  ee_status status = find_config(self, payload, config, &cause);
  if (status == EE_OK) status = ee_record_read(payload, NULL, &place, arena, current, &cause);
  if (status == EE_OK) return EE_OK;
  /* If the answer alone can be read, the expected value is missing. */
  if (ee_type_of(*config) == EE_OBJECT && ee_record_read_answer(payload, NULL, &place, arena, current, NULL) == EE_OK)
    ee_error_set(&cause, status, "the payload has no expected value (reference_answer or expected_messages)");
  return ee_error_at(error, EE_ERROR_DATA, "-", line, 0, "%s", cause.message);
}

static void judge(judge_server *self, const loaded_rules *rules, const ee_case *current) {
  ee_context context = ee_open_plan_context(&rules->open, &self->arena);
  self->rule_errors.count = 0;
  context.rule_errors = context.warnings = &self->rule_errors;
  ee_case_result result;
  ee_plan_judge(rules->open.plan, &context, current, &result);
  for (size_t i = 0; i < self->rule_errors.count; i++)
    ee_terminal_message(&self->terminal, &self->rule_errors.items[i]);
  ee_code_judge_reply_write(&result, &self->arena, &self->answer);
}

/* Answers an invalid payload: the reason is the result's miss. */
static void refuse(judge_server *self, const ee_error *error) {
  self->payload_errors = true;
  if (self->options->persistent)
    ee_terminal_message(&self->terminal, error);
  else
    ee_terminal_fail(&self->terminal, error);
  ee_code_judge_reply_write_failure(ee_str_from(error->message), &self->answer);
}

/* Answers one payload. A status other than EE_OK ends the program; its message is printed. */
static ee_status serve(judge_server *self, ee_str text, size_t line) {
  ee_case current;
  const ee_value *config = NULL;
  ee_error error = {0};
  ee_buffer_clear(&self->answer);
  ee_status status = EE_OK;
  if (read_payload(self, text, line, &current, &config, &error) == EE_OK) {
    loaded_rules *rules;
    status = get_rules(self, config, &rules);
    if (status == EE_OK) judge(self, rules, &current);
  } else {
    refuse(self, &error);
  }
  /* Ignore results that arrive after an interrupt. */
  bool write = status == EE_OK && !ee_flag_is_set(self->interrupted);
  if (write) {
    status = ee_output_write(&self->output, self->answer.data, self->answer.length, &error);
    if (status != EE_OK) ee_terminal_fail(&self->terminal, &error);
  }
  if (self->answer.capacity > KEPT_BYTES) ee_buffer_fini(&self->answer);
  ee_arena_reset(&self->arena, KEPT_BYTES);
  return status;
}

/* Input ---------------------------------------------------------------------------------------- */

/* Appends the next bytes of the input; `*end` when there are none. */
static ee_status read_more(judge_server *self, ee_byte_source *source, ee_buffer *input, bool *end) {
  ee_error error = {0};
  size_t got = 0;
  ee_status status = EE_OK;
  if (input->length > PAYLOAD_LIMIT) {
    status = ee_error_at(&error, EE_ERROR_DATA, "-", 0, 0, "a payload is longer than %zu bytes", PAYLOAD_LIMIT);
  } else {
    char *room = ee_buffer_reserve(input, READ_SIZE);
    status = ee_byte_source_read(source, room, READ_SIZE, &got, &error);
  }
  if (status != EE_OK && !ee_flag_is_set(self->interrupted)) ee_terminal_fail(&self->terminal, &error);
  input->length += got;
  *end = got == 0;
  return status;
}

static ee_status serve_all(judge_server *self, ee_byte_source *source, ee_buffer *input) {
  bool end = false;
  ee_status status = EE_OK;
  while (status == EE_OK && !end) status = read_more(self, source, input, &end);
  return status == EE_OK ? serve(self, (ee_str){ee_buffer_terminate(input), input->length}, 1) : status;
}

/* Serves the complete lines of `input`, at its end also one without a newline, and removes them. */
static ee_status serve_whole_lines(judge_server *self, ee_buffer *input, size_t *scanned, bool end, size_t *line) {
  ee_status status = EE_OK;
  size_t start = 0;
  while (status == EE_OK && start < input->length && !ee_flag_is_set(self->interrupted)) {
    const char *newline = memchr(input->data + *scanned, '\n', input->length - *scanned);
    if (newline == NULL && !end) break;
    size_t stop = newline != NULL ? (size_t)(newline - input->data) : input->length;
    ee_str text = {input->data + start, stop - start};
    if (!ee_json_is_blank(text)) status = serve(self, text, *line);
    start = *scanned = stop + 1 < input->length ? stop + 1 : input->length;
    *line += 1;
  }
  if (start > 0) memmove(input->data, input->data + start, input->length - start);
  input->length -= start;
  *scanned = input->length;
  return status;
}

static ee_status serve_lines(judge_server *self, ee_byte_source *source, ee_buffer *input) {
  bool end = false;
  size_t scanned = 0, line = 1;
  ee_status status = EE_OK;
  while (status == EE_OK && !end && !ee_flag_is_set(self->interrupted)) {
    status = read_more(self, source, input, &end);
    if (status == EE_OK) status = serve_whole_lines(self, input, &scanned, end, &line);
    if (input->length == 0 && input->capacity > KEPT_BYTES) ee_buffer_fini(input);
  }
  return status;
}

static ee_status serve_input(judge_server *self) {
  ee_error error = {0};
  ee_byte_source *source = ee_byte_source_open("-", &error);
  if (source == NULL) {
    ee_terminal_fail(&self->terminal, &error);
    return EE_ERROR_SYSTEM;
  }
  ee_byte_source_set_interrupt(source, self->interrupted);
  ee_buffer input;
  ee_buffer_init(&input);
  ee_status status = self->options->persistent ? serve_lines(self, source, &input) : serve_all(self, source, &input);
  ee_buffer_fini(&input);
  ee_byte_source_close(source);
  return status;
}

static ee_status check_operand(const ee_options *options, ee_error *error) {
  const char *file = options->operands[0];
  if (!ee_is_yaml_name(file) || ee_names_rules(options, file)) return EE_OK;
  return ee_error_set(error, EE_ERROR_USAGE, "'judge' needs a rule file, and '%s' is a data set", file);
}

int ee_command_judge(const ee_options *options) {
  judge_server self = {.options = options};
  ee_terminal_init(&self.terminal, options);
  self.interrupted = ee_interrupt_watch();
  ee_arena_init(&self.arena, 0);
  ee_error_list_init(&self.rule_errors);
  ee_buffer_init(&self.answer);
  ee_error error = {0};
  ee_status status = check_operand(options, &error);
  if (status == EE_OK) status = ee_output_open(&self.output, NULL, &error);
  if (status == EE_OK)
    status = serve_input(&self);
  else
    ee_terminal_fail(&self.terminal, &error);
  ee_terminal_rest(&self.terminal);
  while (self.loaded_count > 0) {
    loaded_rules *rules = self.loaded[--self.loaded_count];
    ee_note_provider(rules->provider, &self.terminal);
    unload(rules);
  }
  ee_buffer_fini(&self.answer);
  ee_error_list_fini(&self.rule_errors);
  ee_arena_fini(&self.arena);
  if (ee_flag_is_set(self.interrupted)) return EE_EXIT_INTERRUPTED;
  return status == EE_OK && self.payload_errors ? EE_ERROR_DATA : (int)status;
}
