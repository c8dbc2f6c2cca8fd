/* check.c: `evalengine check RULES.lua [DATA]...`, or a YAML data set instead of the rule file: load, validate, print
 * the plan. With data: print which strategy each key would get, and find functions that keep state.
 *
 * Functions that keep state: every case is judged twice, in the order of the data and in another one, each time in a
 * new script. What each function returned is hashed for each case; a function whose hashes differ keeps state. */
#include <stdio.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/printable.h"
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/output.h"
#include "data/json/json_reader.h"
#include "judge/case.h"
#include "judge/plan.h"
#include "judge/rule_text/rule_document.h"
#include "judge/strategy_usage.h"
#include "lua/habits.h"
#include "run/misfit.h"

/* Records -------------------------------------------------------------------------------------- */

typedef struct record_span {
  size_t offset, length; /* in the text of the list */
  uint64_t line;
  size_t id, id_length; /* as in ee_record_span */
} record_span;

/* All records in memory: standard input can be read only once. */
typedef struct record_list {
  ee_expected_set *expected; /* borrowed; NULL: the records have the expected values */
  ee_buffer text;
  size_t unsplit; /* records whose end could not be found */
  EE_LIST(record_span);
} record_list;

static void add_block(record_list *list, const ee_block *block) {
  EE_LIST_RESERVE(list, NULL, block->count);
  for (size_t i = 0; i < block->count; i++) {
    const ee_record_span *span = &block->records[i];
    size_t before = list->text.length;
    list->items[list->count++] =
        (record_span){before + span->offset, span->length, span->line, before + span->id, span->id_length};
  }
  ee_buffer_add(&list->text, block->text.data, block->text.length);
  list->unsplit += block->unsplit;
}

/* Appends the records of `dataset`. EE_ERROR_SYSTEM when one cannot be read; free_records() in either case. */
static ee_status read_records(record_list *list, ee_dataset *dataset, ee_error *error) {
  ee_block block;
  ee_block_init(&block);
  bool done = false;
  ee_status status = EE_OK;
  while ((status = ee_dataset_next(dataset, &block, &done, error)) == EE_OK && !done) add_block(list, &block);
  ee_block_fini(&block);
  return status;
}

static void free_records(record_list *list) {
  ee_buffer_fini(&list->text);
  EE_LIST_FINI(list);
  *list = (record_list){0};
}

/* Reads the record at `index` as a case, into `arena`. False when it is not one; evaluating says why. */
static bool read_case(const record_list *list, size_t index, const ee_plan *plan, ee_arena *arena, ee_case *current) {
  const record_span *at = &list->items[index];
  ee_error ignored;
  const ee_record_place place = {.given_id = {at->id_length > 0 ? list->text.data + at->id : NULL, at->id_length},
                                 .line = at->line};
  ee_value *value = ee_json_read_data(arena, (ee_str){list->text.data + at->offset, at->length}, &ignored);
  return value != NULL &&
         ee_expected_set_read(list->expected, value, &plan->paths, &place, arena, current, &ignored) == EE_OK;
}

/* Choices of strategies ------------------------------------------------------------------------ */

static void print_choices_of(const ee_plan *plan, const ee_judge *judge, const record_list *records, ee_buffer *out) {
  ee_strategy_usage usage;
  ee_strategy_usage_init(&usage);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  size_t cases = 0;
  for (size_t i = 0; i < records->count; i++) {
    ee_case current;
    if (read_case(records, i, plan, &arena, &current)) {
      ee_context context = {.plan = plan, .arena = &arena, .current = &current};
      const ee_value *documents = ee_case_documents(&current, &plan->paths);
      if (documents == NULL) judge->type->observe(judge, &context, &usage);
      for (const ee_value *each = documents != NULL ? ee_value_child(documents) : NULL; each != NULL;
           each = ee_value_next(each)) {
        ee_case one = current;
        ee_case_take_document(&one, each, &plan->paths, &arena);
        context.current = &one;
        judge->type->observe(judge, &context, &usage);
      }
      cases++;
    }
    ee_arena_reset(&arena, 1u << 22);
  }
  /* With cases, no line for a judge of another rule file whose choices do not depend on the data. */
  if (usage.count > 0 || cases == 0) {
    ee_add_shown(out, "judge ", judge->name, "");
    ee_buffer_addf(out, " over %zu cases:\n", cases);
    ee_strategy_usage_print(&usage, out);
  }
  ee_arena_fini(&arena);
  ee_strategy_usage_fini(&usage);
}

/* For each judge whose choices depend on the data: a line for each key and choice, with the reason. */
static void print_choices(const ee_plan *plan, const record_list *records, ee_buffer *out) {
  for (size_t i = 0; i < plan->judge_count; i++) {
    if (plan->judges[i]->type->observe != NULL) print_choices_of(plan, plan->judges[i], records, out);
  }
}

/* Functions that keep state -------------------------------------------------------------------- */

typedef struct purity_function {
  bool differs;
  char example[80]; /* the id of the first case in which it did, cut */
} purity_function;

typedef struct purity {
  purity_function *functions; /* by number; owned */
  size_t function_count;
  size_t case_count;       /* records judged */
  size_t unreadable_count; /* records that are not cases */
} purity;

/* A script that forwards each call to the rule file's script and hashes the result. */
typedef struct recorder {
  const ee_script_vtable *vtable; /* of the real script */
  ee_script *script;
  uint64_t *hashes; /* of the current pass, [cases][functions] */
  size_t functions;
  size_t current; /* case */
} recorder;

static recorder *self_of(ee_script *script) { return (recorder *)(void *)script; }

static void record(recorder *self, int function, ee_status status, uint64_t answer) {
  uint64_t *hash = &self->hashes[self->current * self->functions + (size_t)function];
  *hash = ee_hash_mix(*hash + ee_hash_mix(answer + (uint64_t)status + 1));
}

static uint64_t hash_double(double value) { return ee_hash_bytes(&value, sizeof value, 1); }
static uint64_t hash_str(ee_str text) { return ee_hash_bytes(text.data, text.length, 2); }

static ee_status record_strategy(ee_script *script, int function, const ee_value *expected, const ee_value *candidate,
                                 const ee_script_place *place, ee_script_score *result, ee_error *error) {
  recorder *self = self_of(script);
  ee_status status = self->vtable->strategy(self->script, function, expected, candidate, place, result, error);
  record(self, function, status, status == EE_OK ? hash_double(result->score) ^ hash_str(result->reason) : 0);
  return status;
}

static ee_status record_map(ee_script *script, int function, const ee_value *value, const ee_value **result,
                            ee_error *error) {
  recorder *self = self_of(script);
  ee_status status = self->vtable->map(self->script, function, value, result, error);
  record(self, function, status, status == EE_OK ? ee_value_hash(*result) : 0);
  return status;
}

static ee_status record_similarity(ee_script *script, int function, const ee_value *expected, const ee_value *candidate,
                                   double *result, ee_error *error) {
  recorder *self = self_of(script);
  ee_status status = self->vtable->similarity(self->script, function, expected, candidate, result, error);
  record(self, function, status, status == EE_OK ? hash_double(*result) : 0);
  return status;
}

static ee_status record_judge(ee_script *script, int function, const ee_script_model *model,
                              ee_script_judgement *result, ee_error *error) {
  recorder *self = self_of(script);
  ee_status status = self->vtable->judge(self->script, function, model, result, error);
  uint64_t answer = 0;
  if (status == EE_OK) {
    answer = hash_double(result->score) ^ hash_str(result->reasoning);
    if (result->details != NULL) answer ^= ee_value_hash(result->details);
    for (size_t i = 0; i < result->hit_count; i++) answer = ee_hash_mix(answer + hash_str(result->hits[i]));
    for (size_t i = 0; i < result->miss_count; i++) answer = ee_hash_mix(answer + hash_str(result->misses[i]));
  }
  record(self, function, status, answer);
  return status;
}

static ee_status record_combine(ee_script *script, int function, const ee_script_number *numbers, size_t count,
                                double *result, ee_error *error) {
  recorder *self = self_of(script);
  ee_status status = self->vtable->combine(self->script, function, numbers, count, result, error);
  record(self, function, status, status == EE_OK ? hash_double(*result) : 0);
  return status;
}

static ee_status record_condition(ee_script *script, int function, bool *result, ee_error *error) {
  recorder *self = self_of(script);
  ee_status status = self->vtable->condition(self->script, function, result, error);
  record(self, function, status, status == EE_OK && *result ? 1 : 0);
  return status;
}

static ee_status record_aggregate(ee_script *script, int function, const ee_script_part *parts, size_t count,
                                  double *result, ee_error *error) {
  recorder *self = self_of(script);
  ee_status status = self->vtable->aggregate(self->script, function, parts, count, result, error);
  record(self, function, status, status == EE_OK ? hash_double(*result) : 0);
  return status;
}

static ee_status forward_pattern(ee_script *script, ee_str pattern, ee_str subject, bool *result, ee_error *error) {
  recorder *self = self_of(script);
  return self->vtable->pattern(self->script, pattern, subject, result, error);
}

static void forward_begin(ee_script *script, const ee_case *current, ee_arena *arena) {
  self_of(script)->vtable->begin_case(self_of(script)->script, current, arena);
}
static void forward_end(ee_script *script) { self_of(script)->vtable->end_case(self_of(script)->script); }

/* ee_plan_judge() calls neither open nor close. */
static const ee_script_vtable recording = {
    .begin_case = forward_begin,
    .end_case = forward_end,
    .strategy = record_strategy,
    .map = record_map,
    .similarity = record_similarity,
    .judge = record_judge,
    .combine = record_combine,
    .condition = record_condition,
    .aggregate = record_aggregate,
    .pattern = forward_pattern,
};

/* Judges every record in the given order, in a script of its own. */
static ee_status run_pass(const ee_plan *plan, ee_provider *provider, const record_list *list, const size_t *order,
                          size_t functions, uint64_t *hashes, size_t *judged, ee_error *error) {
  *judged = 0;
  ee_open_plan opened;
  ee_status status = ee_open_plan_init(&opened, plan, provider, NULL, error);
  if (status != EE_OK) {
    ee_open_plan_fini(&opened);
    return status;
  }
  recorder self = {plan->vtable, opened.script, hashes, functions, 0};
  ee_plan listening = *plan;
  listening.vtable = &recording;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_error_list rule_errors;
  ee_error_list_init(&rule_errors);
  for (size_t i = 0; i < list->count; i++) {
    self.current = order[i];
    ee_case current;
    if (read_case(list, self.current, plan, &arena, &current)) {
      ee_context context = ee_open_plan_context(&opened, &arena);
      if (opened.script != NULL) context.script = (ee_script *)(void *)&self;
      context.rule_errors = &rule_errors;
      ee_case_result result;
      ee_plan_judge(&listening, &context, &current, &result);
      *judged += 1;
    }
    rule_errors.count = 0;
    ee_arena_reset(&arena, 1u << 22);
  }
  ee_error_list_fini(&rule_errors);
  ee_arena_fini(&arena);
  ee_open_plan_fini(&opened);
  return EE_OK;
}

/* The order of the data, or a fixed mix of it. Going backwards would not do: a counter that repeats after some cases
 * might give the same values. */
static size_t *make_order(size_t count, bool mixed) {
  size_t *order = ee_calloc(count, sizeof *order);
  for (size_t i = 0; i < count; i++) order[i] = i;
  for (size_t i = mixed ? count - 1 : 0; i > 0; i--) {
    size_t other = (size_t)(ee_hash_mix(i) % i), kept = order[i]; /* never i itself: every case moves */
    order[i] = order[other];
    order[other] = kept;
  }
  return order;
}

/* The id of a record, for the message. */
static void copy_id(const ee_plan *plan, const record_list *list, size_t index, char *out, size_t size) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_case current;
  out[0] = '\0';
  if (read_case(list, index, plan, &arena, &current))
    snprintf(out, size, "%.*s", (int)ee_utf8_cut(current.id, size - 1), current.id.data);
  ee_arena_fini(&arena);
}

static void compare_passes(const ee_plan *plan, const record_list *list, const uint64_t *first, const uint64_t *second,
                           purity *found) {
  for (size_t i = 0; i < list->count; i++)
    for (size_t k = 0; k < found->function_count; k++) {
      size_t cell = i * found->function_count + k;
      if (first[cell] == second[cell] || found->functions[k].differs) continue;
      found->functions[k].differs = true;
      copy_id(plan, list, i, found->functions[k].example, sizeof found->functions[k].example);
    }
}

/* `provider` may be NULL. EE_ERROR_SYSTEM when a session cannot be opened, EE_ERROR_RULES when a script does not open.
 */
static ee_status judge_twice(const ee_plan *plan, ee_provider *provider, const record_list *list, purity *found,
                             ee_error *error) {
  *found = (purity){.function_count = plan->function_count};
  if (plan->function_count > 0) found->functions = ee_calloc(plan->function_count, sizeof *found->functions);
  ee_status status = EE_OK;
  if (plan->vtable != NULL && plan->function_count > 0 && list->count > 0) {
    size_t cells = list->count * plan->function_count;
    uint64_t *first = ee_calloc(cells, sizeof *first), *second = ee_calloc(cells, sizeof *second);
    size_t *in_order = make_order(list->count, false), *mixed = make_order(list->count, true);
    status = run_pass(plan, provider, list, in_order, plan->function_count, first, &found->case_count, error);
    if (status == EE_OK)
      status = run_pass(plan, provider, list, mixed, plan->function_count, second, &found->case_count, error);
    ee_free(in_order);
    ee_free(mixed);
    if (status == EE_OK) compare_passes(plan, list, first, second, found);
    ee_free(first);
    ee_free(second);
  }
  found->unreadable_count = list->count + list->unsplit - found->case_count;
  return status;
}

/* Rules that do not fit the data --------------------------------------------------------------- */

/* Judges all records. Errors of rules are counted by the totals; an evaluation shows them. */
static ee_status judge_all(const ee_plan *plan, ee_provider *provider, const record_list *list, ee_totals *totals,
                           ee_error *error) {
  ee_open_plan opened;
  ee_status status = ee_open_plan_init(&opened, plan, provider, NULL, error);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (size_t i = 0; i < list->count && status == EE_OK; i++) {
    ee_case current;
    ee_case_result result;
    if (read_case(list, i, plan, &arena, &current)) {
      ee_context context = ee_open_plan_context(&opened, &arena);
      ee_plan_judge(plan, &context, &current, &result);
      ee_totals_add(totals, &result, &arena);
    }
    ee_arena_reset(&arena, 1u << 22);
  }
  ee_arena_fini(&arena);
  ee_open_plan_fini(&opened);
  return status;
}

/* Appends a line for each thing that does not fit; `*grave` is set where the rules are to blame. Rules that run
 * programs are not tried. */
static ee_status print_misfits(const ee_plan *plan, ee_provider *provider, const record_list *list, ee_buffer *out,
                               bool *grave, ee_error *error) {
  if (plan->runs_programs) return EE_OK;
  ee_totals totals;
  ee_totals_init(&totals, plan);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_status status = judge_all(plan, provider, list, &totals, error);
  for (size_t i = 0; i < plan->judge_count && status == EE_OK; i++) {
    ee_misfit_list found = ee_misfits_of(plan->judges[i], &totals.all.judges[i], false, &arena);
    for (size_t k = 0; k < found.count; k++) {
      *grave = *grave || found.items[k].grave;
      ee_add_shown(out, "", plan->judges[i]->name, ": ");
      ee_add_shown(out, "", found.items[k].text, "\n");
    }
  }
  ee_arena_fini(&arena);
  ee_totals_fini(&totals);
  return status;
}

/* The command ---------------------------------------------------------------------------------- */

/* Appends one line a function whose results depend on the order of the cases; returns how many there are. */
static size_t print_impure(const ee_rule_file *rules, const purity *found, ee_buffer *out) {
  size_t count = 0;
  for (size_t i = 0; i < found->function_count; i++) {
    if (!found->functions[i].differs) continue;
    char place[320];
    ee_rule_file_function_place(rules, (int)i, place, sizeof place);
    ee_add_shown(out, "", ee_str_from(place), ": this function keeps state: its results for case '");
    ee_add_shown(out, "", ee_str_from(found->functions[i].example), "' change with the order of the cases\n");
    count++;
  }
  return count;
}

/* Whether a judge calls functions of another rule file. */
static bool calls_inner_script(const ee_plan *plan) {
  bool any = false;
  for (size_t i = 0; i < plan->judge_count; i++) any = any || plan->judges[i]->calls_inner_script;
  return any;
}

/* `check` must not create the answer cache. */
static ee_status open_without_cache(const ee_plan *plan, const char *offline, const ee_options *options,
                                    ee_terminal *terminal, ee_provider **provider, ee_error *error) {
  ee_provider_settings settings = plan->provider;
  settings.no_cache = true;
  return ee_open_provider_as(plan, &settings, offline, options, terminal, provider, error);
}

/* Mistakes in the provider's settings show when it is opened; no request is made. */
static ee_status check_provider(const ee_plan *plan, const ee_options *options, ee_terminal *terminal,
                                ee_error *error) {
  ee_provider *provider;
  ee_status status = open_without_cache(plan, NULL, options, terminal, &provider, error);
  ee_provider_free(provider);
  return status;
}

/* Makes no requests over a network; a value without an answer does not matter here. */
static ee_status judge_records(const ee_plan *plan, const ee_options *options, ee_terminal *terminal,
                               const record_list *records, ee_buffer *out, bool *grave, purity *found,
                               ee_error *error) {
  ee_provider *provider;
  ee_status status = open_without_cache(plan, "check makes no requests", options, terminal, &provider, error);
  if (status == EE_OK) status = print_misfits(plan, provider, records, out, grave, error);
  if (status == EE_OK) status = judge_twice(plan, provider, records, found, error);
  ee_provider_free(provider);
  return status;
}

static int check_data(const ee_options *options, const ee_rule_file *rules, ee_terminal *terminal, ee_buffer *out,
                      ee_error *error) {
  const ee_plan *plan = ee_rule_file_plan(rules);
  purity found = {0};
  bool grave = false;
  ee_inputs inputs;
  ee_status status = ee_inputs_open(&inputs, options, &plan->paths, NULL, terminal, error);
  record_list records = {.expected = inputs.expected};
  if (status == EE_OK) status = read_records(&records, inputs.dataset, error);
  if (status == EE_OK) {
    print_choices(plan, &records, out);
    status = judge_records(plan, options, terminal, &records, out, &grave, &found, error);
  }
  found.unreadable_count += (size_t)ee_inputs_in_error(&inputs);
  free_records(&records);
  ee_inputs_close(&inputs);
  int result = (int)status;
  if (status == EE_OK) {
    size_t impure = print_impure(rules, &found, out);
    bool inner = calls_inner_script(plan);
    if (impure > 0)
      result = EE_ERROR_RULES;
    else if (found.function_count == 0 && !inner)
      ee_buffer_addf(out, "no functions: nothing can keep state\n");
    else if (found.function_count == 0)
      ee_buffer_addf(out, "no functions of its own\n");
    else
      ee_buffer_addf(out, "no function keeps state (functions %zu, cases %zu, judged in two orders)\n",
                     found.function_count, found.case_count);
    if (inner) ee_buffer_addf(out, "functions of other rule files were not checked: check these files separately\n");
    if (result == 0 && found.function_count > 0 && found.unreadable_count > 0)
      result = (int)ee_error_set(error, EE_ERROR_DATA, "%zu records could not be read (an evaluation says why)",
                                 found.unreadable_count);
    if (result == 0 && grave) result = (int)ee_error_set(error, EE_ERROR_DATA, "the rules do not fit the data");
  }
  ee_free(found.functions);
  return result;
}

/* Checks the rules; plan and findings go to standard output whatever the status is. */
static int check_rules(const ee_options *options, const ee_rule_file *rules, ee_terminal *terminal) {
  ee_error error = {0};
  ee_buffer text;
  ee_buffer_init(&text);
  ee_plan_print(ee_rule_file_plan(rules), &text);
  int result = (int)check_provider(ee_rule_file_plan(rules), options, terminal, &error);
  if (result == 0 && options->operand_count > 1) result = check_data(options, rules, terminal, &text, &error);
  if (result != 0 && error.message[0] != '\0') ee_terminal_fail(terminal, &error);
  if (ee_output_write_all(NULL, &text, &error) != EE_OK) { /* unreached: the disk is full: make faults */
    ee_terminal_fail(terminal, &error);                    /* unreached: as the line before */
    result = EE_ERROR_SYSTEM;                              /* unreached: as the line before */
  }
  ee_buffer_fini(&text);
  return result;
}

/* Code of the rule file that loads but does not do what was meant. */
static void warn_of_pitfalls(const char *file, ee_terminal *terminal) {
  ee_buffer text;
  ee_buffer_init(&text);
  ee_error_list found;
  ee_error_list_init(&found);
  if (ee_load_text(file, &text, NULL) == EE_OK) ee_lua_find_pitfalls((ee_str){text.data, text.length}, file, &found);
  for (size_t i = 0; i < found.count; i++) {
    ee_error warning;
    ee_error_at(&warning, EE_OK, found.items[i].file, found.items[i].line, 0, "warning: %s", found.items[i].message);
    ee_terminal_message(terminal, &warning);
  }
  ee_error_list_fini(&found);
  ee_buffer_fini(&text);
}

/* --to-lua, --to-yaml. */
static int print_rules(const ee_options *options, ee_terminal *terminal) {
  ee_rule_file *rules;
  ee_case_file *cases = NULL;
  ee_error_list left_out;
  ee_error_list_init(&left_out);
  int result = EE_OK;
  if (ee_names_rules(options, options->operands[0])) {
    ee_rule_file_options load = ee_load_options(options);
    load.left_out = options->to_lua ? &left_out : NULL;
    rules = ee_load_rules_with(&load, options->operands[0], terminal);
    if (rules == NULL) result = EE_ERROR_RULES;
  } else {
    result = (int)ee_load_first(options, NULL, terminal, &rules, &cases);
  }
  ee_error error = {0};
  ee_buffer text;
  ee_buffer_init(&text);
  if (rules != NULL && ee_rule_file_plan(rules)->selection != NULL)
    result = (int)ee_error_at(&error, EE_ERROR_RULES, options->operands[0], 0, 0,
                              "cases have evaluators of their own, which a rule file cannot say");
  else if (rules != NULL &&
           !ee_rule_file_write(rules, options->to_lua ? EE_RULES_LUA : EE_RULES_DOCUMENT, &text, &error))
    result = (int)error.status;
  else if (rules != NULL)
    result = (int)ee_output_write_all(NULL, &text, &error);
  if (error.message[0] != '\0') ee_terminal_fail(terminal, &error);
  ee_buffer_fini(&text);
  ee_rule_file_free(rules);
  ee_case_file_close(cases);
  ee_error_list_fini(&left_out);
  return result;
}

int ee_command_check(const ee_options *options) {
  ee_terminal terminal;
  ee_terminal_init(&terminal, options);
  ee_rule_file *rules;
  ee_case_file *cases;
  if (options->to_lua || options->to_yaml) return print_rules(options, &terminal);
  int result = (int)ee_load_first(options, NULL, &terminal, &rules, &cases);
  bool lua = !ee_is_rule_document_name(options->operands[0]);
  if (rules != NULL && cases == NULL && lua) warn_of_pitfalls(options->operands[0], &terminal);
  if (rules != NULL) result = check_rules(options, rules, &terminal);
  ee_rule_file_free(rules);
  ee_case_file_close(cases);
  return result;
}
