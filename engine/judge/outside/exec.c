/* exec.c: ee.exec { "name", command = { ... } }, a judge that is another program and speaks the code_judge protocol. */
#include <errno.h>

#include "base/memory.h"
#include "base/printable.h"
#include "base/process.h"
#include "base/runtime.h"
#include "data/json/json_writer.h"
#include "judge/case.h"
#include "judge/details.h"
#include "judge/outside/protocol.h"
#include "judge/plan.h"
#include "judge/result.h"

/* Bytes of output for one case. */
#define OUTPUT_LIMIT ((size_t)16 << 20)
/* Buffers that are larger are freed after a case. */
#define BUFFER_KEPT ((size_t)4 << 20)

static const ee_option exec_options[] = {
    {.name = "command",
     .type = EE_OPTION_TEXTS,
     .default_text = "none",
     .help = "Required: the program and its arguments, without a shell. A name without a slash is looked up in PATH."},
    {.name = "cwd",
     .type = EE_OPTION_TEXT,
     .default_text = "\".\"",
     .help = "The program's working directory, relative to the rule file's folder."},
    {.name = "env",
     .type = EE_OPTION_TEXTS,
     .default_text = "none",
     .help =
         "Names of environment variables that the program gets besides the usual ones (PATH, HOME, LANG, TMPDIR, ...), "
         "such as a key."},
    {.name = "timeout_ms",
     .type = EE_OPTION_NUMBER,
     .default_text = "60000",
     .unit = "ms",
     .help = "The timeout of one case; with persistent = false it includes the program's start and end.",
     .min = 1,
     .max = EE_PROTOCOL_LONGEST_MS},
    {.name = "config",
     .lua_type = "table<string, any>",
     .type = EE_OPTION_TABLE,
     .is_data = true,
     .default_text = "{}",
     .help = "Any data, passed to the program with each case."},
    {.name = "persistent",
     .type = EE_OPTION_BOOL,
     .default_text = "false",
     .help =
         "Whether the program keeps running, one process per worker, and reads and writes one line of JSON per case. "
         "A case at which it fails, other than by a timeout, is given to a new process once more."},
    {.name = NULL},
};

typedef struct exec_judge {
  const char *const *command; /* NULL-terminated */
  const char *directory;
  const char *const *variables; /* names, NULL-terminated */
  const ee_value *config;       /* an object; NULL: {} */
  unsigned timeout_ms;
  bool persistent;
} exec_judge;

/* At load -------------------------------------------------------------------------------------- */

/* `text` as a C string; NULL with an error when it contains a NUL. */
static const char *compile_text(ee_plan_builder *builder, const ee_rule_node *node, const char *option, ee_str text) {
  if (memchr(text.data, '\0', text.length) == NULL) return ee_arena_copy(builder->arena, text.data, text.length);
  ee_compile_error(builder, node, "option '%s' of ee.exec contains a NUL", option);
  return NULL;
}

static void compile_command(ee_plan_builder *builder, const ee_rule_node *node, exec_judge *exec) {
  ee_rule_value value = ee_rule_node_get(node, "command");
  if (value.type == EE_RULE_NONE) {
    ee_compile_error(builder, node, "ee.exec needs option 'command' (as in command = { \"python3\", \"judge.py\" })");
  }
  if (value.type != EE_RULE_TABLE) return; /* any other type was reported */
  const ee_rule_node *list = value.node;
  if (list->item_count == 0 && list->option_count == 0)
    ee_compile_error(builder, node, "option 'command' of ee.exec is empty");
  const char **command = EE_NEW_ARRAY(builder->arena, const char *, list->item_count + 1);
  for (size_t i = 0; i < list->item_count; i++) {
    if (list->items[i].type != EE_RULE_TEXT) return;
    command[i] = compile_text(builder, node, "command", list->items[i].text);
    if (command[i] == NULL) return;
  }
  if (list->item_count > 0 && *command[0] == '\0')
    ee_compile_error(builder, node, "option 'command' of ee.exec begins with an empty string, expected a program");
  exec->command = command;
}

static void compile_variables(ee_plan_builder *builder, const ee_rule_node *node, exec_judge *exec) {
  ee_rule_value value = ee_rule_node_get(node, "env");
  if (value.type != EE_RULE_TABLE) return; /* any other type was reported */
  const ee_rule_node *list = value.node;
  const char **names = EE_NEW_ARRAY(builder->arena, const char *, list->item_count + 1);
  for (size_t i = 0; i < list->item_count; i++) {
    if (list->items[i].type != EE_RULE_TEXT) return;
    names[i] = compile_text(builder, node, "env", list->items[i].text);
    if (names[i] == NULL) return;
    if (*names[i] == '\0' || strchr(names[i], '=') != NULL)
      ee_compile_error(builder, node, "option 'env' of ee.exec must have names of variables, got '%s'", names[i]);
  }
  exec->variables = names;
}

/* The option's folder, relative to the rule file's, without a trailing "/.". */
static void compile_folder(ee_plan_builder *builder, const ee_rule_node *node, exec_judge *exec) {
  ee_str folder = ee_option_text(node, "cwd", ".");
  if (folder.length == 0) ee_compile_error(builder, node, "option 'cwd' of ee.exec is empty");
  if (compile_text(builder, node, "cwd", folder) == NULL) return;
  const char *beside = ee_file_name_beside(builder->arena, node->file, folder);
  size_t length = strlen(beside);
  if (length > 2 && beside[length - 2] == '/' && beside[length - 1] == '.') length -= 2;
  exec->directory = ee_arena_copy(builder->arena, beside, length);
}

/* Reading a data set must not run what it says: a person allows it, or names the rule file that says so. A person may
 * also forbid all programs. */
static void check_allowed(ee_plan_builder *builder, const ee_rule_node *node, const ee_judge *judge,
                          const char *const *command) {
  if (builder->loader == NULL || builder->loader->refuses_programs == NULL || command == NULL) return;
  const char *text = "";
  for (; *command != NULL; command++)
    text = ee_arena_printf(builder->arena, "%s%s%s", text, *text != '\0' ? " " : "", *command);
  ee_compile_error(builder, node, "'%.*s' would run the program '%.*s'%s", EE_STR_ARG(judge->name),
                   (int)ee_utf8_cut(ee_str_from(text), 200), text, builder->loader->refuses_programs);
}

static void exec_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge) {
  exec_judge *exec = EE_NEW(builder->arena, exec_judge);
  judge->data = exec;
  judge->data_attributes = judge->brings_counts = true;
  judge->runs_program = judge->takes_text = true;
  ee_compile_name(builder, node, "ee.exec", " (write command = { ... })", judge);
  compile_command(builder, node, exec);
  check_allowed(builder, node, judge, exec->command);
  ee_compile_config(builder, node, "ee.exec", &exec->config);
  compile_folder(builder, node, exec);
  compile_variables(builder, node, exec);
  exec->timeout_ms = (unsigned)ee_option_number(node, "timeout_ms", 60000);
  exec->persistent = ee_option_bool(node, "persistent", false);
}

/* What a worker keeps -------------------------------------------------------------------------- */

typedef struct exec_state {
  ee_child *child; /* of a persistent program, between cases; NULL: none is running */
  ee_buffer payload, output;
} exec_state;

static ee_status exec_open(const ee_judge *judge, const ee_open_plan *open, void **state, ee_error *error) {
  (void)judge, (void)open, (void)error;
  *state = ee_calloc(1, sizeof(exec_state));
  return EE_OK;
}

static void state_fini(exec_state *state) {
  ee_child_free(state->child);
  ee_buffer_fini(&state->payload);
  ee_buffer_fini(&state->output);
}

static void exec_close(const ee_judge *judge, void *state) {
  (void)judge;
  state_fini(state);
  ee_free(state);
}

static void start_buffer(ee_buffer *buffer) {
  if (buffer->capacity > BUFFER_KEPT) ee_buffer_fini(buffer);
  ee_buffer_clear(buffer);
}

/* A case --------------------------------------------------------------------------------------- */

/* Why the program gave no answer: "exited with status 3". Its own complaint is not part of it. */
static const char *describe_end(const exec_judge *exec, const ee_child_outcome *outcome, ee_arena *arena) {
  switch (outcome->end) {
  case EE_CHILD_EXITED:
    return ee_arena_printf(arena, "exited with status %d%s", outcome->code,
                           exec->persistent ? " before it answered" : "");
  case EE_CHILD_KILLED: {
    const char *name = sigdescr_np(outcome->code);
    return ee_arena_printf(arena, "killed by signal %d%s%s%s", outcome->code, name != NULL ? " (" : "",
                           name != NULL ? name : "", name != NULL ? ")" : "");
  }
  case EE_CHILD_TIMED_OUT:
    return ee_arena_printf(arena, "no answer within %u ms%s", exec->timeout_ms,
                           exec->persistent ? " (is each line flushed?)" : "");
  case EE_CHILD_FLOODED: return ee_arena_printf(arena, "wrote more than %zu bytes", OUTPUT_LIMIT);
  case EE_CHILD_STOPPED: return "interrupted";
  case EE_CHILD_FAILED:
    if (outcome->code == EPROTO) return "wrote more than one line for the previous case";
    if (outcome->code == EPIPE) return "closed its output before it answered";
    return ee_arena_printf(arena, "%s: %s", outcome->code == ECHILD ? "cannot be waited for" : "cannot be talked to",
                           strerror(outcome->code));
  case EE_CHILD_ANSWERED: break;
  }
  return "answered";
}

/* The reason why `state->output` has no answer; NULL when it has one. */
static const char *explain(const exec_judge *exec, const ee_child_outcome *outcome, ee_arena *arena) {
  if (outcome->end == EE_CHILD_ANSWERED) return NULL;
  if (outcome->end == EE_CHILD_EXITED && outcome->code == 0 && !exec->persistent) return NULL;
  const char *reason = describe_end(exec, outcome, arena);
  if (outcome->complaint[0] == '\0' || outcome->end == EE_CHILD_STOPPED) return reason;
  return ee_arena_printf(arena, "%s: %s", reason, outcome->complaint);
}

/* Sends the payload to the running program. */
static ee_child_outcome talk(const exec_judge *exec, const ee_context *context, exec_state *state) {
  const ee_child_limits limits = {.timeout_ms = exec->timeout_ms, .output_limit = OUTPUT_LIMIT};
  const ee_stop stop = {.interrupted = context->interrupted};
  const ee_stop *may_stop = context->interrupted != NULL ? &stop : NULL;
  ee_str payload = {state->payload.data, state->payload.length};
  if (exec->persistent) return ee_child_exchange(state->child, payload, limits, may_stop, &state->output);
  ee_child_outcome outcome = ee_child_finish(state->child, payload, limits, may_stop, &state->output);
  state->child = NULL;
  return outcome;
}

static void end_child(exec_state *state) {
  ee_child_free(state->child);
  state->child = NULL;
}

/* Lets the running program, or a new one, answer the payload. NULL with `result` filled; else the reason, with `*end`,
 * and the program is ended: what it writes next could belong to this case. */
static const char *ask_once(const exec_judge *exec, ee_context *context, exec_state *state, ee_child_end *end,
                            ee_judge_result *result) {
  ee_error error = {0};
  *end = EE_CHILD_FAILED;
  if (state->child == NULL) state->child = ee_child_start(exec->command, exec->directory, exec->variables, &error);
  if (state->child == NULL) return ee_arena_printf(context->arena, "%s", error.message);
  ee_buffer_clear(&state->output);
  ee_child_outcome outcome = talk(exec, context, state);
  *end = outcome.end;
  const char *wrong = explain(exec, &outcome, context->arena);
  if (wrong == NULL) {
    ee_str answer = {state->output.data, state->output.length};
    wrong = ee_protocol_read_answer(answer, context->arena, result);
  }
  if (wrong != NULL) end_child(state);
  return wrong;
}

/* The same, with a second try by a new program if one failed that had served other cases: the failure may come from its
 * state, or from output left over from them, and which cases it served depends on the number of workers. A program that
 * timed out is not waited for twice. */
static const char *ask(const exec_judge *exec, ee_context *context, exec_state *state, ee_judge_result *result) {
  bool served = state->child != NULL;
  ee_child_end end;
  const char *wrong = ask_once(exec, context, state, &end, result);
  if (wrong == NULL || !served || end == EE_CHILD_TIMED_OUT || end == EE_CHILD_STOPPED) return wrong;
  return ask_once(exec, context, state, &end, result);
}

static void fail(const ee_judge *judge, ee_context *context, const char *reason, ee_judge_result *result) {
  ee_error error;
  ee_error_at(&error, EE_ERROR_RULES, judge->node->file, judge->node->line, 0, "ee.exec '%.*s': %s",
              (int)ee_utf8_cut(judge->name, 100), judge->name.data, reason);
  ee_judge_fail(judge, context, &error, ee_str_from(reason), result);
}

static void judge_with(const ee_judge *judge, ee_context *context, exec_state *state, ee_judge_result *result) {
  const exec_judge *exec = judge->data;
  start_buffer(&state->payload);
  start_buffer(&state->output);
  ee_protocol_write_payload(context->current, exec->config, &state->payload);
  if (!exec->persistent) ee_buffer_add_char(&state->payload, '\n'); /* for programs that read a line */
  const char *wrong = ask(exec, context, state, result);
  if (wrong != NULL) fail(judge, context, wrong, result);
}

static void exec_judge_case(const ee_judge *judge, ee_context *context, ee_judge_result *result) {
  if (context->dry_run) return;
  exec_state *state = context->states != NULL ? context->states[judge->number] : NULL;
  if (state != NULL) {
    judge_with(judge, context, state, result);
    return;
  }
  /* Without a state between cases the program lives for this case only. */
  exec_state own = {0};
  judge_with(judge, context, &own, result);
  state_fini(&own);
}

static void exec_print(const ee_judge *judge, ee_buffer *out) {
  const exec_judge *exec = judge->data;
  ee_buffer_add_text(out, "  runs");
  for (const char *const *argument = exec->command; *argument != NULL; argument++)
    ee_add_shown(out, " '", ee_str_from(*argument), "'");
  ee_add_shown(out, " in '", ee_str_from(exec->directory), "'");
  ee_buffer_addf(out, "\n  %s, %u ms per case\n", exec->persistent ? "one process per worker" : "one process per case",
                 exec->timeout_ms);
  if (exec->variables != NULL && *exec->variables != NULL) {
    ee_buffer_add_text(out, "  gets");
    for (const char *const *name = exec->variables; *name != NULL; name++)
      ee_add_shown(out, " $", ee_str_from(*name), "");
    ee_buffer_add_char(out, '\n');
  }
  if (exec->config == NULL) return;
  ee_buffer_add_text(out, "  config ");
  ee_json_write_value(out, exec->config);
  ee_buffer_add_char(out, '\n');
}

const ee_judge_type ee_exec_judge = {
    .name = "exec",
    .help = "Another program that speaks the code_judge protocol.",
    .positional = "[1] string?",
    .options = exec_options,
    .compile = exec_compile,
    .as_written = true,
    .judge_case = exec_judge_case,
    .write_details = ee_details_write_value,
    .open = exec_open,
    .close = exec_close,
    .print = exec_print,
};
