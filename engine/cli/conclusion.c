/* conclusion.c: warnings, gates, the report and the exit status of a run or of a merge of its parts. */
#include "cli/conclusion.h"
#include "cli/foreign_inputs.h"
#include "cli/interrupt.h"

#include <inttypes.h>
#include <string.h>

#include "cli/deciding_options.h"
#include "report/measures_report.h"
#include "report/row.h"
#include "report/run_warnings.h"
#include "run/misfit.h"

/* Text of a report of the rules that is written at once. */
#define FLUSH_BYTES ((size_t)64 * 1024)

void ee_conclusion_init(ee_conclusion *self, const ee_options *options, ee_terminal *terminal, ee_arena *arena) {
  *self = (ee_conclusion){.options = options,
                          .terminal = terminal,
                          .arena = arena,
                          .report = {.descriptor = -1},
                          .rows_to_report = options->format->rows};
  ee_mistakes_init(&self->mistakes, ee_options_mistakes(options), (ee_str){NULL, 0});
}

void ee_conclusion_fini(ee_conclusion *self) {
  ee_output_close(&self->report, false, NULL);
  ee_html_cases_free(self->page);
  ee_junit_free(self->tests);
  ee_collector_free(self->collector);
  ee_buffer_fini(&self->collected);
  ee_mistakes_fini(&self->mistakes);
}

/* Cases ----------------------------------------------------------------------------------------- */

static ee_status flush_collected(ee_conclusion *self, ee_error *error) {
  ee_status status = ee_output_write(&self->report, self->collected.data, self->collected.length, error);
  ee_buffer_clear(&self->collected);
  return status;
}

static ee_status write_rows_to_report(ee_conclusion *self, const char *data, size_t length, ee_error *error) {
  const ee_options *options = self->options;
  if (options->format->row == NULL && options->format->listed == NULL)
    return ee_output_write(&self->report, data, length, error);
  ee_buffer text;
  ee_buffer_init(&text);
  ee_report_write_rows(options->format, (ee_str){data, length}, ee_terminal_style(options), &self->listed, &text);
  ee_status status = ee_output_write(&self->report, text.data, text.length, error);
  ee_buffer_fini(&text);
  return status;
}

bool ee_conclusion_wants_rows(const ee_conclusion *self) {
  return self->rows_to_report || self->page != NULL || self->tests != NULL || self->annotations != NULL ||
         ee_mistakes_need_rows(&self->mistakes);
}

bool ee_conclusion_wants_kinds(const ee_conclusion *self) {
  bool wants_json = self->options->format->run == ee_run_json || self->own_report != NULL;
  return ee_conclusion_wants_rows(self) || wants_json || self->mistakes.choice.kinds;
}

ee_status ee_conclusion_add_rows(ee_conclusion *self, const char *data, size_t length, ee_error *error) {
  ee_status status = EE_OK;
  if (ee_mistakes_need_rows(&self->mistakes))
    status = ee_mistakes_add_rows(&self->mistakes, (ee_str){data, length}, error);
  if (status == EE_OK && self->page != NULL) status = ee_html_cases_add_rows(self->page, data, length, error);
  if (self->annotations != NULL) ee_annotations_add_rows(self->annotations, data, length);
  if (status == EE_OK && self->tests != NULL) ee_junit_add_rows(self->tests, data, length);
  return status == EE_OK && self->rows_to_report ? write_rows_to_report(self, data, length, error) : status;
}

ee_status ee_conclusion_collect(ee_conclusion *self, ee_str row, uint64_t *errors, ee_error *error) {
  *errors = ee_collector_add(self->collector, row, &self->collected);
  return self->collected.length < FLUSH_BYTES ? EE_OK : flush_collected(self, error);
}

void ee_conclusion_add_error_of(ee_conclusion *self, const ee_error *error, const char *part) {
  if (self->tests != NULL) ee_junit_add_error(self->tests, error);
  if (self->annotations != NULL) ee_annotations_add_error(self->annotations, error);
  ee_error printed = *error;
  if (part != NULL)
    ee_error_at(&printed, error->status, error->file, error->line, error->column, "%s (%s)", error->message, part);
  ee_terminal_message(self->terminal, &printed);
}

void ee_conclusion_add_error(ee_conclusion *self, const ee_error *error) {
  ee_conclusion_add_error_of(self, error, NULL);
}

/* Gates ----------------------------------------------------------------------------------------- */

static ee_status parse_extra_gates(ee_conclusion *self, ee_error *error) {
  const ee_options *options = self->options;
  bool confident = options->confidence >= 0;
  double confidence = confident ? options->confidence : 0;
  self->extra_gates = EE_NEW_ARRAY(self->arena, ee_gate, options->fail_under.count + 1);
  for (size_t i = 0; i < options->fail_under.count; i++)
    if (!ee_rule_file_parse_gate(self->rules, options->fail_under.items[i], confidence, &self->extra_gates[i], error))
      return EE_ERROR_USAGE;
  return EE_OK;
}

/* The report is not on the screen: one line for each gate that fails. */
static void report_failed_gates(ee_conclusion *self) {
  ee_buffer text;
  ee_buffer_init(&text);
  for (size_t i = 0; i < self->gate_count; i++) {
    const ee_gate_result *gate = &self->gates[i];
    if (gate->passed) continue;
    ee_buffer_clear(&text);
    ee_buffer_add_text(&text, ee_gate_is_undecided(gate) ? "gate undecided: " : "gate failed: ");
    ee_gate_print(gate, &text);
    ee_terminal_note(self->terminal, (ee_str){text.data, text.length});
  }
  ee_buffer_fini(&text);
}

static bool decide_gates(ee_conclusion *self, const ee_totals *totals) {
  const ee_plan *plan = ee_rule_file_plan(self->rules);
  size_t extra = self->options->fail_under.count;
  self->gate_count = plan->gate_count + extra;
  self->gates = EE_NEW_ARRAY(self->arena, ee_gate_result, self->gate_count + 1);
  bool passed = true;
  for (size_t i = 0; i < self->gate_count; i++) {
    const ee_gate *gate = i < plan->gate_count ? &plan->gates[i] : &self->extra_gates[i - plan->gate_count];
    self->gates[i] = ee_gate_decide(gate, totals);
    if (self->annotations != NULL) ee_annotations_add_gate(self->annotations, &self->gates[i]);
    if (self->tests != NULL) ee_junit_add_gate(self->tests, &self->gates[i]);
    bool waived = self->options->undecided == 1 && ee_gate_is_undecided(&self->gates[i]);
    passed = passed && (self->gates[i].passed || waived);
  }
  if (!passed && self->options->output != NULL) report_failed_gates(self);
  return passed;
}

/* The report ------------------------------------------------------------------------------------ */

/* Whether only some cases are judged. */
static bool chooses_cases(const ee_options *options) {
  return options->only.count > 0 || options->where.count > 0 || options->limit != 0;
}

/* Whether the sections exist is known from the report of a run without cases. */
static ee_status check_choice(ee_conclusion *self, ee_error *error) {
  const ee_page_choice *choice = ee_terminal_style(self->options).choice;
  if (choice == NULL) return EE_OK;
  ee_totals totals;
  ee_totals_init(&totals, ee_rule_file_plan(self->rules));
  ee_summary summary = {.plan = ee_rule_file_plan(self->rules),
                        .totals = &totals,
                        .mistakes = &self->mistakes,
                        .summaries = ee_summary_names(ee_rule_file_plan(self->rules), self->arena),
                        .inference = self->inference};
  ee_status status = ee_report_check_run(&summary, choice, error);
  ee_totals_fini(&totals);
  return status;
}

static ee_summary summary_of(ee_conclusion *self, const ee_outcome_of_run *outcome) {
  const ee_options *options = self->options;
  const ee_run_result *run = outcome->run;
  return (ee_summary){.plan = ee_rule_file_plan(self->rules),
                      .totals = &run->totals,
                      .mistakes = &self->mistakes,
                      .gates = self->gates,
                      .gate_count = self->gate_count,
                      .summaries = self->collector != NULL ? ee_collector_finish(self->collector)
                                                           : (ee_summary_values){.count = 0},
                      .interrupted = run->interrupted,
                      .unfinished = run->unfinished,
                      .stopped = run->stopped,
                      .unended = outcome->unended,
                      .missing_parts = outcome->missing_parts,
                      .one_missing = outcome->one_missing,
                      .counted_twice = outcome->counted_twice,
                      .expected = outcome->expected,
                      .inference = self->inference,
                      .accept = {.wanted = options->accept.items, .count = options->accept.count},
                      .options = ee_deciding_options(options, self->arena),
                      .saved_rules = options->save_rules};
}

/* The end of a report of the rules, after the texts of the cases. */
static ee_status write_own_report(ee_conclusion *self, const ee_outcome_of_run *outcome, ee_error *error) {
  ee_summary summary = summary_of(self, outcome);
  ee_buffer document;
  ee_buffer_init(&document);
  ee_run_json(&summary, &document);
  self->done_failed = !ee_collector_done(self->collector, (ee_str){document.data, document.length}, &self->collected);
  ee_buffer_fini(&document);
  return flush_collected(self, error);
}

static void add_word(ee_json_out *json, const char *key, const char *word) {
  ee_json_add_text(json, key, (ee_str){word, ee_utf8_valid_prefix(word, strlen(word))});
}

/* An option on the command line, as words. */
static void add_option_words(const ee_options *options, const ee_option_row *row, ee_json_out *json) {
  const char *name = ee_arena_printf(json->arena, "--%s", row->name);
  const void *member = (const char *)options + row->offset;
  if (row->kind == EE_KIND_PARAMETERS) {
    const ee_parameters *parameters = member;
    for (size_t i = 0; i < parameters->count; i++) {
      const ee_lua_parameter *parameter = &parameters->items[i];
      add_word(json, NULL, name);
      add_word(json, NULL, ee_arena_printf(json->arena, "%s=%s", parameter->name, ee_parameter_shown(parameter)));
    }
    return;
  }
  add_word(json, NULL, name);
  if (row->kind == EE_KIND_FLAG) return;
  const char *value = options->given[row - ee_option_rows];
  if (row->kind == EE_KIND_PATHS) {
    const ee_paths *paths = member;
    value = "";
    for (size_t i = 0; i < paths->count; i++)
      value = ee_arena_printf(json->arena, "%s%s%.*s", value, i > 0 ? "," : "", EE_STR_ARG(paths->items[i]->text));
  }
  add_word(json, NULL, value);
}

/* What the rules say of a judge in words: where its values are and how they are written. */
static void add_judge_settings(const ee_judge *judge, ee_json_out *json) {
  const ee_rule_node *node = judge->node;
  ee_json_open(json, NULL, '{');
  ee_json_add_text(json, "name", judge->name);
  ee_json_add_text(json, "type", ee_str_from(judge->type->name));
  bool has_path = node != NULL && node->item_count > 0 && node->items[0].type == EE_RULE_TEXT;
  if (has_path) ee_json_add_text(json, "path", node->items[0].text);
  for (size_t i = 0; node != NULL && i < node->option_count; i++) {
    const ee_rule_option *option = &node->options[i];
    bool known = ee_str_is(option->name, "name") || ee_str_is(option->name, "type") ||
                 (has_path && ee_str_is(option->name, "path"));
    if (option->value.type == EE_RULE_TEXT && !known)
      ee_json_add_text(json, ee_arena_copy(json->arena, option->name.data, option->name.length), option->value.text);
  }
  ee_json_close(json, '}');
}

/* What the viewer needs beside the cases: the command, as far as `explain` needs it, and the judges. */
static void describe_run(ee_conclusion *self) {
  const ee_options *options = self->options;
  ee_buffer text;
  ee_buffer_init(&text);
  ee_json_out json = {.out = &text, .arena = self->arena, .first = true};
  bool inferred = self->inference != NULL;
  ee_json_open_as(&json, NULL, '{', EE_JSON_LINE);
  ee_json_open(&json, "command", '{');
  if (inferred)
    ee_buffer_add_text(&text, "\"rules\":null"), json.first = false;
  else
    add_word(&json, "rules", options->operands[0]);
  ee_json_open(&json, "data", '[');
  for (size_t i = 0; i < self->data_count; i++) add_word(&json, NULL, self->data[i]);
  ee_json_close(&json, ']');
  ee_json_open(&json, "options", '[');
  for (const ee_option_row *row = ee_option_rows; row->name != NULL; row++) {
    bool shared = (row->commands & EE_IN_EXPLAIN) != 0 && strcmp(row->group, "Evaluation") == 0;
    if (shared && options->given[row - ee_option_rows] != NULL) add_option_words(options, row, &json);
  }
  ee_json_close(&json, ']');
  ee_json_close(&json, '}');
  const ee_plan *plan = ee_rule_file_plan(self->rules);
  ee_json_open(&json, "judge_settings", '[');
  for (size_t i = 0; i < plan->judge_count; i++) add_judge_settings(plan->judges[i], &json);
  ee_json_close(&json, ']');
  ee_json_close(&json, '}');
  ee_html_cases_set_origin(self->page, (ee_str){text.data + 1, text.length - 2});
  ee_buffer_fini(&text);
}

/* What a merge lacks or has twice is a test in error. */
static void add_part_test(ee_conclusion *self, const char *name, const char *text) {
  const ee_junit_test test = {
      .name = ee_str_from(name), .outcome = EE_JUNIT_ERROR, .type = EE_STR("parts"), .message = ee_str_from(text)};
  ee_junit_add(self->tests, "parts", &test);
}

static void add_part_tests(ee_conclusion *self, const ee_outcome_of_run *outcome) {
  if (outcome->missing_parts != NULL)
    add_part_test(self, "missing parts", ee_arena_printf(self->arena, "%s", outcome->missing_parts));
  if (outcome->counted_twice > 0)
    add_part_test(
        self, "counted twice",
        ee_arena_printf(self->arena, "%" PRIu64 " with an id that an earlier part has", outcome->counted_twice));
}

static ee_status write_report(ee_conclusion *self, const ee_outcome_of_run *outcome, ee_error *error) {
  const ee_run_result *run = outcome->run;
  if (self->own_report != NULL) return write_own_report(self, outcome, error);
  if (self->tests != NULL) {
    add_part_tests(self, outcome);
    ee_junit_count_errors(self->tests, run->totals.unreadable + run->totals.duplicates);
    return ee_output_write_tests(&self->report, self->tests, error);
  }
  ee_summary summary = summary_of(self, outcome);
  ee_buffer text;
  ee_buffer_init(&text);
  ee_report_write_run(self->options->format, &summary, ee_terminal_style(self->options), &text);
  if (self->options->format->list_end != NULL) self->options->format->list_end(&self->listed, &text);
  ee_status status = ee_output_write_page(&self->report, &text, self->page, error);
  ee_buffer_fini(&text);
  return status;
}

/* One line for each judge in error: with --quiet, too. */
static void report_faults(ee_conclusion *self, const ee_run_result *run) {
  const ee_totals *totals = &run->totals;
  for (size_t i = 0; i < totals->plan->judge_count; i++) {
    const ee_judge_total *total = &totals->all.judges[i];
    if (total->failed == 0 || totals->rule_errors > 0 || totals->given_up > 0) continue;
    ee_misfit_list found = ee_misfits_of(totals->plan->judges[i], total, true, self->arena);
    ee_error error;
    ee_error_set(&error, EE_ERROR_RULES, "%.*s: %.*s", EE_STR_ARG(totals->plan->judges[i]->name),
                 EE_STR_ARG(found.items[0].text));
    ee_terminal_message(self->terminal, &error);
  }
}

/* --records for files that are read record by record: their lines, elements or rows are the records. */
static void warn_of_records(ee_conclusion *self, const ee_inputs *inputs) {
  if (self->options->records.count == 0 || inputs->dataset == NULL || ee_dataset_looked_inside(inputs->dataset)) return;
  if (inputs->expected != NULL && ee_expected_set_looked_inside(inputs->expected)) return;
  ee_error error;
  ee_error_set(
      &error, EE_OK,
      "warning: --records has no effect: it is for files that are one JSON object; of these the lines, elements "
      "or rows are the records");
  ee_terminal_message(self->terminal, &error);
}

static void warn(ee_conclusion *self, const ee_outcome_of_run *outcome) {
  const ee_options *options = self->options;
  const ee_run_result *run = outcome->run;
  if (outcome->whole) ee_inputs_warn(outcome->inputs, run->totals.absent, self->terminal);
  warn_of_records(self, outcome->inputs);
  report_faults(self, run);
  bool on_screen =
      options->output == NULL && options->format->page != NULL && ee_terminal_style(options).choice == NULL;
  const ee_run_origin origin = {.case_file = self->cases != NULL ? self->cases->name : NULL,
                                .own_candidates = self->cases != NULL && self->data_count == 0,
                                .chosen_cases = chooses_cases(self->options),
                                .notes_shown = on_screen};
  ee_error_list warnings;
  ee_error_list_init(&warnings);
  ee_run_warnings(ee_rule_file_plan(self->rules), &run->totals, &origin, &warnings);
  for (size_t i = 0; i < warnings.count; i++) ee_terminal_message(self->terminal, &warnings.items[i]);
  ee_error_list_fini(&warnings);
}

/* An input without a record, such as a part that got none, is not an error: its result is empty. It is one where rules
 * are inferred from the input, where --expected names what must be there, and with --strict. */
static bool is_empty_input(const ee_conclusion *self, const ee_outcome_of_run *outcome) {
  return outcome->run->totals.records == 0 && outcome->run->data_errors == 0 && !outcome->run->stopped &&
         !self->options->strict && !outcome->expected.given && self->inference == NULL;
}

/* Without a rule file, the run begins with what its first file looks like (ee_infer_rules()). */
static bool is_said_before(const ee_conclusion *self, const char *guess) {
  if (self->inference == NULL || self->options->foreign != NULL) return false;
  const char *said = ee_foreign_suggestion(self->options->operands[0], self->arena);
  return said != NULL && strcmp(said, guess) == 0;
}

/* Says why the report is empty. */
static void explain_empty(ee_conclusion *self, const ee_outcome_of_run *outcome) {
  const ee_totals *totals = &outcome->run->totals;
  const ee_inputs *inputs = outcome->inputs;
  const ee_record_paths *paths = &ee_rule_file_plan(self->rules)->paths;
  bool readable = inputs->dataset != NULL; /* a merge has only the totals */
  bool is_empty = is_empty_input(self, outcome);
  ee_error error;
  if (totals->scored > 0)
    ee_error_set(&error, EE_ERROR_RULES,
                 totals->provider_failures > 0 ? "no case could be scored: no answer of the model"
                                               : "no case could be scored: the rules do not fit the expected values");
  else if (totals->filtered > 0 && totals->unreadable == 0 && totals->unjudged == 0 && readable)
    ee_inputs_explain_choice(inputs, self->options, paths, self->arena, &error);
  else if (totals->filtered > 0 && totals->unreadable == 0 && totals->unjudged == 0)
    ee_error_set(&error, EE_ERROR_DATA, "no case meets all conditions of --where and --only");
  else if (totals->unjudged > 0 && totals->unreadable == 0)
    ee_error_set(&error, EE_ERROR_DATA, "no case has an evaluator that can judge it");
  else if (totals->records == 1)
    error.status = EE_OK; /* its error says it all */
  else if (totals->records > 0)
    ee_error_set(&error, EE_ERROR_DATA, "none of the %" PRIu64 " records could be read", totals->records);
  else
    ee_error_set(&error, EE_ERROR_DATA, "%sno records in '%s'%s%s", is_empty ? "warning: " : "", inputs->files[0],
                 self->data_count > 1 ? " and the other files" : "", is_empty ? ": the result is empty" : "");
  if (error.status != EE_OK) ee_terminal_fail(self->terminal, &error);
  const char *guess = totals->unreadable > 0 && readable ? ee_inputs_guess(inputs, paths, self->arena) : NULL;
  if (guess == NULL || is_said_before(self, guess)) return;
  ee_error_set(&error, EE_ERROR_DATA, "%s", guess);
  ee_terminal_fail(self->terminal, &error);
}

/* Whether no record could be read, so that a report would have nothing but zeros. */
static bool is_unreadable(const ee_run_result *run) {
  return !run->interrupted && !run->stopped && run->totals.unreadable > 0 &&
         run->totals.unreadable == run->totals.records;
}

bool ee_judges_failed(const ee_totals *totals) {
  for (size_t i = 0; i < totals->plan->judge_count; i++)
    if (totals->all.judges[i].failed > 0) return true;
  return false;
}

/* Whether --strict ends with an error: the rules do not fit the data. */
static bool misfits(ee_conclusion *self, const ee_run_result *run) {
  const ee_totals *totals = &run->totals;
  for (size_t i = 0; i < totals->plan->judge_count; i++) {
    ee_misfit_list found =
        ee_misfits_of(totals->plan->judges[i], &totals->all.judges[i], chooses_cases(self->options), self->arena);
    for (size_t k = 0; k < found.count; k++)
      if (found.items[k].grave) return true;
  }
  for (size_t i = 0; i < totals->plan->judge_count; i++)
    if (ee_calibration_unfit(totals->all.judges[i].calibration)) return true;
  return ee_measures_unfit(ee_measures_of(totals->plan, &totals->all, self->arena), totals->plan->measure_count);
}

void ee_conclusion_warn_unended(ee_terminal *terminal, const char *unended) {
  if (unended == NULL) return;
  ee_error error;
  ee_error_set(&error, EE_ERROR_DATA, "the results are incomplete: %s", unended);
  ee_terminal_fail(terminal, &error);
}

/* The exit status of a run that came to its end. */
static int exit_status(ee_conclusion *self, const ee_outcome_of_run *outcome, bool gates_passed) {
  const ee_run_result *run = outcome->run;
  const ee_totals *totals = &run->totals;
  if (run->interrupted) return ee_interrupt_status();
  if (totals->scored == totals->unscored) explain_empty(self, outcome);
  if (is_unreadable(run)) return 4;
  if (!gates_passed) return 1;
  bool unfit = self->options->strict && misfits(self, run);
  if (unfit) {
    ee_error error;
    ee_error_set(&error, EE_ERROR_RULES, "the rules do not fit the data (--strict)");
    ee_terminal_fail(self->terminal, &error);
  }
  /* A rule file names where the candidate is; without one nobody has said that there should be any in this file. */
  bool unanswered =
      self->inference != NULL && totals->scored > 0 && totals->candidates_missing + totals->absent >= totals->scored;
  if (unanswered) {
    ee_error error;
    ee_error_set(&error, EE_ERROR_DATA,
                 "nothing was compared: no record has a candidate; name the file of candidates after the expected one, "
                 "or say with --candidate PATH where they are");
    ee_terminal_fail(self->terminal, &error);
  }
  const ee_expected_coverage *expected = &outcome->expected;
  uint64_t unusable = expected->in_error + expected->detections_in_error + expected->detections_without_image;
  bool any_error = ee_judges_failed(totals) || unfit || unanswered || run->data_errors > 0 || unusable > 0 ||
                   outcome->unended != NULL || totals->rule_errors > 0 || totals->provider_failures > 0 ||
                   totals->given_up > 0 || self->done_failed || outcome->missing_parts != NULL;
  if (totals->scored == totals->unscored && !is_empty_input(self, outcome)) return 4;
  return any_error ? 4 : 0;
}

/* Opening and concluding ------------------------------------------------------------------------ */

/* Errors outside of cases count, too. */
static void finish_collecting(ee_conclusion *self, ee_totals *totals) {
  uint64_t before = ee_collector_errors(self->collector);
  ee_collector_finish(self->collector);
  totals->rule_errors += ee_collector_errors(self->collector) - before + self->errors_before;
}

static void report_error(void *user, const ee_error *error) { ee_conclusion_add_error(user, error); }

/* What collects results has a state of its own. */
ee_status ee_conclusion_open_collector(ee_conclusion *self, ee_error *error) {
  const ee_plan *plan = ee_rule_file_plan(self->rules);
  bool collects = plan->summary_count > 0 || self->own_report != NULL;
  if (!collects || self->collector != NULL) return EE_OK;
  self->collector = ee_collector_open(self->rules, self->own_report, report_error, self, error);
  if (self->collector == NULL) return EE_ERROR_RULES;
  self->errors_before = ee_collector_errors(self->collector);
  return EE_OK;
}

ee_status ee_conclusion_check(ee_conclusion *self, ee_error *error) {
  ee_status status = ee_find_report(self->options, ee_rule_file_plan(self->rules), &self->own_report, error);
  if (status == EE_OK) status = check_choice(self, error);
  return status == EE_OK ? parse_extra_gates(self, error) : status;
}

ee_status ee_conclusion_open(ee_conclusion *self, ee_error *error) {
  const ee_options *options = self->options;
  ee_status status = ee_conclusion_open_collector(self, error);
  if (status == EE_OK) status = ee_output_open(&self->report, options->output, error);
  if (status != EE_OK) return status;
  if (options->format->tests) self->tests = ee_junit_new(ee_rule_file_plan(self->rules)->name);
  if (!options->format->cases) return EE_OK;
  self->page = ee_html_cases_new(ee_host_current() != NULL ? 1 : (unsigned)options->jobs, error);
  if (self->page == NULL) return EE_ERROR_SYSTEM;
  describe_run(self);
  return EE_OK;
}

ee_status ee_conclusion_repeat(ee_conclusion *self, const ee_conclusion *first, ee_error *error) {
  self->rules = first->rules;
  self->cases = first->cases;
  self->data = first->data;
  self->data_count = first->data_count;
  self->inference = first->inference;
  self->extra_gates = first->extra_gates;
  self->collector = first->collector;
  self->done_failed = first->done_failed;
  if (self->options->format->own)
    return ee_error_set(error, EE_ERROR_USAGE,
                        "unknown format '%s' (a report of the rules must be named before the run: --format %s)",
                        self->options->format->name, self->options->format->name);
  ee_status status = check_choice(self, error);
  return status == EE_OK ? ee_conclusion_open(self, error) : status;
}

/* The report of some of the cases must not take the place of the last whole one. */
static ee_status close_interrupted(ee_conclusion *self, ee_error *error) {
  if (self->report.target == NULL) return EE_OK;
  ee_output_make_part(&self->report);
  const char *part = ee_arena_printf(self->arena, "%s", self->report.target);
  ee_status status = ee_output_close(&self->report, true, error);
  if (status != EE_OK) return status;
  ee_error message;
  ee_error_set(&message, EE_ERROR_SYSTEM, "interrupted: the report of the cases until then is in '%s'", part);
  ee_terminal_fail(self->terminal, &message);
  return EE_OK;
}

ee_status ee_conclude(ee_conclusion *self, const ee_outcome_of_run *outcome, int *result, ee_error *error) {
  ee_run_result *run = outcome->run;
  ee_status status = EE_OK;
  run->totals.chosen = chooses_cases(self->options);
  if (self->collector != NULL) finish_collecting(self, &run->totals);
  bool reported = !is_unreadable(run);
  if (reported) warn(self, outcome);
  bool passed = decide_gates(self, &run->totals);
  if (reported) status = write_report(self, outcome, error);
  if (status == EE_OK && reported && run->interrupted) status = close_interrupted(self, error);
  if (status == EE_OK) status = ee_output_close(&self->report, reported, error);
  *result = status == EE_OK ? exit_status(self, outcome, passed) : (int)status;
  ee_conclusion_warn_unended(self->terminal, outcome->unended);
  return status;
}
