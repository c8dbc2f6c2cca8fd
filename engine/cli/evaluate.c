/* evaluate.c: the main command: rules and data sets to a report, rows and an exit status. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/runtime.h"
#include "cli/commands.h"
#include "cli/deciding_options.h"
#include "cli/evaluate.h"
#include "cli/inferred.h"
#include "cli/load.h"
#include "cli/output.h"
#include "lua/collect.h"
#include "report/measures_report.h"
#include "report/row.h"
#include "report/run_report.h"
#include "report/run_warnings.h"
#include "run/gate_decision.h"
#include "run/run.h"
#include "run/survey.h"

/* Text of a report of the rules that is written at once. */
#define FLUSH_BYTES ((size_t)64 * 1024)

/* Everything one evaluation holds. */
typedef struct evaluation {
  const ee_options *options;
  const ee_case_taker *taker; /* NULL: a report of all cases */
  ee_terminal terminal;
  ee_output report, results;
  bool rows_to_report;         /* --format jsonl, cases */
  ee_html_cases *page;         /* --format html: the cases in the report; NULL: none */
  ee_junit *tests;             /* --format junit: gates, cases and records in error; NULL: none */
  ee_annotations *annotations; /* --annotate; NULL: none */
  bool write_failed;           /* the last row of `results` may be incomplete: discard the file */
  ee_arena arena;              /* gates of the command line */
  const volatile sig_atomic_t *interrupted;
  ee_watchdog *watchdog;
  ee_rule_file *rules;
  ee_case_file *cases;   /* the data set whose evaluators the rules are; NULL: they are a rule file */
  ee_provider *provider; /* NULL when the rules need none */
  ee_inputs inputs;
  ee_inference inference; /* where the rules are from if the command line names none */
  ee_mistakes mistakes;   /* what the report shows of them */
  ee_gate *extra_gates;
  ee_gate_result *gates;
  size_t gate_count;
  const ee_report_rule *own_report; /* of the rules, instead of a format; NULL: none */
  ee_collector *collector;          /* NULL: the rules collect nothing */
  ee_buffer collected;              /* texts of the report's cases */
  uint64_t errors_before;           /* of the collector, before the first case */
  bool done_failed;                 /* the end of the report raised an error */
} evaluation;

static void format_row(void *user, const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  (void)user;
  ee_row_write(result, scratch, out);
}

static void format_collected(void *user, const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  (void)user;
  ee_row_write_collected(result, scratch, out);
}

static ee_status flush_collected(evaluation *self, ee_error *error) {
  ee_status status = ee_output_write(&self->report, self->collected.data, self->collected.length, error);
  ee_buffer_clear(&self->collected);
  return status;
}

static ee_status collect(void *user, ee_str row, uint64_t *errors, ee_error *error) {
  evaluation *self = user;
  *errors = ee_collector_add(self->collector, row, &self->collected);
  return self->collected.length < FLUSH_BYTES ? EE_OK : flush_collected(self, error);
}

static ee_status write_rows_to_report(evaluation *self, const char *data, size_t length, ee_error *error) {
  const ee_options *options = self->options;
  if (options->format->row == NULL) return ee_output_write(&self->report, data, length, error);
  ee_buffer text;
  ee_buffer_init(&text);
  ee_report_write_rows(options->format, (ee_str){data, length}, ee_terminal_style(options), &text);
  ee_status status = ee_output_write(&self->report, text.data, text.length, error);
  ee_buffer_fini(&text);
  return status;
}

static ee_status write_rows(void *user, const char *data, size_t length, ee_error *error) {
  evaluation *self = user;
  ee_status status = EE_OK;
  if (self->taker != NULL) return self->taker->take(self->taker->user, data, length, error);
  if (ee_mistakes_need_rows(&self->mistakes))
    status = ee_mistakes_add_rows(&self->mistakes, (ee_str){data, length}, error);
  if (status != EE_OK) return status;
  if (self->results.descriptor >= 0) status = ee_output_write(&self->results, data, length, error);
  self->write_failed = status != EE_OK;
  if (status == EE_OK && self->page != NULL) status = ee_html_cases_add_rows(self->page, data, length, error);
  if (self->annotations != NULL) ee_annotations_add_rows(self->annotations, data, length);
  if (status == EE_OK && self->tests != NULL) ee_junit_add_rows(self->tests, data, length);
  return status == EE_OK && self->rows_to_report ? write_rows_to_report(self, data, length, error) : status;
}

static void report_error(void *user, const ee_error *error) {
  evaluation *self = user;
  if (self->tests != NULL) ee_junit_add_error(self->tests, error);
  if (self->annotations != NULL) ee_annotations_add_error(self->annotations, error);
  ee_terminal_message(&self->terminal, error);
}

static void name_failed(void *user, ee_str id, const char *file, uint64_t line) {
  ee_annotations_add_case(((evaluation *)user)->annotations, id, file, line);
}

static void show_progress(void *user, const ee_totals *totals, uint64_t taken, uint64_t total) {
  evaluation *self = user;
  ee_terminal_progress(&self->terminal, &(ee_progress){totals->scored, taken, total, &totals->all.score});
}

/* An output must not be an input. */
static ee_status check_output(const ee_options *options, const char *output, ee_error *error) {
  bool same = (options->expected != NULL && ee_output_is_same_file(output, options->expected)) ||
              (options->config != NULL && ee_output_is_same_file(output, options->config));
  for (size_t i = 0; i < options->operand_count; i++)
    same = same || ee_output_is_same_file(output, options->operands[i]);
  return same ? ee_error_set(error, EE_ERROR_USAGE, "'%s' is both read and written", output) : EE_OK;
}

static ee_status check_outputs(const ee_options *options, ee_error *error) {
  const char *output = options->output, *results = options->results;
  bool rows = results != NULL || options->format->rows || options->format->cases || options->format->own;
  if (options->detail != 0 && !rows)
    return ee_error_set(error, EE_ERROR_USAGE, "--detail needs rows: --results FILE, -f jsonl or -f html");
  ee_status status = output != NULL ? check_output(options, output, error) : EE_OK;
  if (status == EE_OK && results != NULL) status = check_output(options, results, error);
  if (status != EE_OK) return status;
  if (output != NULL && results != NULL && (strcmp(output, results) == 0 || ee_output_is_same_file(output, results)))
    return ee_error_set(error, EE_ERROR_USAGE, "--output and --results name the same file '%s'", output);
  if (results != NULL && strcmp(results, "-") == 0)
    return ee_error_set(error, EE_ERROR_USAGE,
                        "--results takes a file; for rows on standard output use --format jsonl");
  return EE_OK;
}

static ee_status parse_extra_gates(evaluation *self, ee_error *error) {
  const ee_options *options = self->options;
  bool confident = options->confidence >= 0;
  double confidence = confident ? options->confidence : 0;
  self->extra_gates = EE_NEW_ARRAY(&self->arena, ee_gate, options->fail_under.count + 1);
  for (size_t i = 0; i < options->fail_under.count; i++)
    if (!ee_rule_file_parse_gate(self->rules, options->fail_under.items[i], confidence, &self->extra_gates[i], error))
      return EE_ERROR_USAGE;
  return EE_OK;
}

/* The report is not on the screen: one line for each gate that fails. */
static void report_failed_gates(evaluation *self) {
  ee_buffer text;
  ee_buffer_init(&text);
  for (size_t i = 0; i < self->gate_count; i++) {
    const ee_gate_result *gate = &self->gates[i];
    if (gate->passed) continue;
    ee_buffer_clear(&text);
    ee_buffer_add_text(&text, ee_gate_is_undecided(gate) ? "gate undecided: " : "gate failed: ");
    ee_gate_print(gate, &text);
    ee_terminal_note(&self->terminal, (ee_str){text.data, text.length});
  }
  ee_buffer_fini(&text);
}

static bool decide_gates(evaluation *self, const ee_totals *totals) {
  const ee_plan *plan = ee_rule_file_plan(self->rules);
  size_t extra = self->options->fail_under.count;
  self->gate_count = plan->gate_count + extra;
  self->gates = EE_NEW_ARRAY(&self->arena, ee_gate_result, self->gate_count + 1);
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

/* Whether only some cases are judged. */
static bool chooses(const evaluation *self) {
  return self->options->only.count > 0 || self->options->where.count > 0 || self->options->limit != 0;
}

/* Whether every record was read: only then expected values without a record are known. */
static bool is_whole(const evaluation *self, const ee_run_result *run) {
  uint64_t limit = (uint64_t)self->options->limit;
  return !run->interrupted && !run->stopped && (limit == 0 || run->totals.scored < limit);
}

/* Whether the sections exist is known from the report of a run without cases. */
static ee_status check_choice(evaluation *self, ee_error *error) {
  const ee_page_choice *choice = ee_terminal_style(self->options).choice;
  if (choice == NULL) return EE_OK;
  ee_totals totals;
  ee_totals_init(&totals, ee_rule_file_plan(self->rules));
  ee_summary summary = {.plan = ee_rule_file_plan(self->rules),
                        .totals = &totals,
                        .mistakes = &self->mistakes,
                        .summaries = ee_summary_names(ee_rule_file_plan(self->rules), &self->arena),
                        .inference = ee_options_without_rules(self->options) ? &self->inference : NULL};
  ee_status status = ee_report_check_run(&summary, choice, error);
  ee_totals_fini(&totals);
  return status;
}

static ee_summary summary_of(evaluation *self, const ee_run_result *run) {
  const ee_options *options = self->options;
  return (ee_summary){.plan = ee_rule_file_plan(self->rules),
                      .totals = &run->totals,
                      .mistakes = &self->mistakes,
                      .gates = self->gates,
                      .gate_count = self->gate_count,
                      .summaries = self->collector != NULL ? ee_collector_finish(self->collector)
                                                           : (ee_summary_values){.count = 0},
                      .interrupted = run->interrupted,
                      .stopped = run->stopped,
                      .expected = ee_inputs_coverage(&self->inputs, is_whole(self, run)),
                      .inference = ee_options_without_rules(options) ? &self->inference : NULL,
                      .accept = {.wanted = options->accept.items, .count = options->accept.count},
                      .options = ee_deciding_options(options, &self->arena),
                      .saved_rules = options->save_rules};
}

/* The end of a report of the rules, after the texts of the cases. */
static ee_status write_own_report(evaluation *self, const ee_run_result *run, ee_error *error) {
  ee_summary summary = summary_of(self, run);
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
      add_word(json, NULL, ee_arena_printf(json->arena, "%s=%s", parameter->name, parameter->value));
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
static void describe_run(evaluation *self) {
  const ee_options *options = self->options;
  ee_buffer text;
  ee_buffer_init(&text);
  ee_json_out json = {.out = &text, .arena = &self->arena, .first = true};
  bool inferred = ee_options_without_rules(options);
  ee_json_open_as(&json, NULL, '{', EE_JSON_LINE);
  ee_json_open(&json, "command", '{');
  if (inferred)
    ee_buffer_add_text(&text, "\"rules\":null"), json.first = false;
  else
    add_word(&json, "rules", options->operands[0]);
  ee_json_open(&json, "data", '[');
  for (size_t i = inferred ? 0 : 1; i < options->operand_count; i++) add_word(&json, NULL, options->operands[i]);
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

static ee_status write_report(evaluation *self, const ee_run_result *run, ee_error *error) {
  if (self->own_report != NULL) return write_own_report(self, run, error);
  if (self->tests != NULL) {
    ee_junit_count_errors(self->tests, run->totals.unreadable + run->totals.duplicates);
    return ee_output_write_tests(&self->report, self->tests, error);
  }
  ee_summary summary = summary_of(self, run);
  ee_buffer text;
  ee_buffer_init(&text);
  ee_report_write_run(self->options->format, &summary, ee_terminal_style(self->options), &text);
  ee_status status = ee_output_write_page(&self->report, &text, self->page, error);
  ee_buffer_fini(&text);
  return status;
}

static void print_timings(const ee_run_result *run) {
  const ee_run_timings *t = &run->timings;
  double busy = (double)(t->read_ns + t->ask_ns + t->judge_ns + t->write_ns);
  double wall = (double)t->wall_ns * 1e-9;
  if (busy <= 0 || wall <= 0) return;
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  char asking[32] = "";
  if (t->ask_ns > 0) snprintf(asking, sizeof asking, "asking %.0f %%, ", 100 * (double)t->ask_ns / busy);
  fprintf(stderr,
          "%.3f s, %.0f cases/s; reading %.0f %%, %sjudging %.0f %%, writing %.0f %% of the workers' time; %ld KiB at "
          "most\n",
          wall, (double)run->totals.scored / wall, 100 * (double)t->read_ns / busy, asking,
          100 * (double)t->judge_ns / busy, 100 * (double)t->write_ns / busy, usage.ru_maxrss);
}

/* One line for each judge in error: with --quiet, too. */
static void report_faults(evaluation *self, const ee_run_result *run) {
  const ee_totals *totals = &run->totals;
  for (size_t i = 0; i < totals->plan->judge_count; i++) {
    const ee_judge_total *total = &totals->all.judges[i];
    if (total->failed == 0 || totals->rule_errors > 0) continue;
    ee_misfit_list found = ee_misfits_of(totals->plan->judges[i], total, true, &self->arena);
    ee_error error;
    ee_error_set(&error, EE_ERROR_RULES, "%.*s: %.*s", EE_STR_ARG(totals->plan->judges[i]->name),
                 EE_STR_ARG(found.items[0].text));
    ee_terminal_message(&self->terminal, &error);
  }
}

static void warn(evaluation *self, const ee_run_result *run) {
  if (is_whole(self, run)) ee_inputs_warn(&self->inputs, run->totals.absent, &self->terminal);
  const ee_options *options = self->options;
  report_faults(self, run);
  bool on_screen =
      options->output == NULL && options->format->page != NULL && ee_terminal_style(options).choice == NULL;
  const ee_run_origin origin = {.case_file = self->cases != NULL ? self->cases->name : NULL,
                                .own_candidates = self->cases != NULL && options->operand_count == 1,
                                .chosen_cases = chooses(self),
                                .notes_shown = on_screen};
  ee_error_list warnings;
  ee_error_list_init(&warnings);
  ee_run_warnings(ee_rule_file_plan(self->rules), &run->totals, &origin, &warnings);
  for (size_t i = 0; i < warnings.count; i++) ee_terminal_message(&self->terminal, &warnings.items[i]);
  ee_error_list_fini(&warnings);
}

/* Says why the report is empty. */
static void explain_empty(evaluation *self, const ee_totals *totals) {
  ee_error error;
  if (totals->scored > 0)
    ee_error_set(&error, EE_ERROR_RULES, "no case could be scored: the rules do not fit the expected values");
  else if (totals->filtered > 0 && totals->unreadable == 0 && totals->unjudged == 0)
    ee_inputs_explain_choice(&self->inputs, self->options, &ee_rule_file_plan(self->rules)->paths, &self->arena,
                             &error);
  else if (totals->unjudged > 0 && totals->unreadable == 0)
    ee_error_set(&error, EE_ERROR_DATA, "no case has an evaluator that can judge it");
  else if (totals->records == 1)
    error.status = EE_OK; /* its error says it all */
  else if (totals->records > 0)
    ee_error_set(&error, EE_ERROR_DATA, "none of the %" PRIu64 " records could be read", totals->records);
  else
    ee_error_set(&error, EE_ERROR_DATA, "no records in '%s'", self->inputs.files[0]);
  if (error.status != EE_OK) ee_terminal_fail(&self->terminal, &error);
  const char *guess = totals->unreadable > 0
                          ? ee_inputs_guess(&self->inputs, &ee_rule_file_plan(self->rules)->paths, &self->arena)
                          : NULL;
  if (guess == NULL) return;
  ee_error_set(&error, EE_ERROR_DATA, "%s", guess);
  ee_terminal_fail(&self->terminal, &error);
}

/* Whether no record could be read, so that a report would have nothing but zeros. */
static bool is_unreadable(const ee_run_result *run) {
  return !run->interrupted && !run->stopped && run->totals.unreadable > 0 &&
         run->totals.unreadable == run->totals.records;
}

/* A judge in error is an error of the run, whether the rules or the expected values are to blame. */
static bool judges_failed(const ee_run_result *run) {
  const ee_totals *totals = &run->totals;
  for (size_t i = 0; i < totals->plan->judge_count; i++)
    if (totals->all.judges[i].failed > 0) return true;
  return false;
}

/* Whether --strict ends with an error: the rules do not fit the data. */
static bool misfits(evaluation *self, const ee_run_result *run) {
  const ee_totals *totals = &run->totals;
  for (size_t i = 0; i < totals->plan->judge_count; i++) {
    ee_misfit_list found = ee_misfits_of(totals->plan->judges[i], &totals->all.judges[i], chooses(self), &self->arena);
    for (size_t k = 0; k < found.count; k++)
      if (found.items[k].grave) return true;
  }
  for (size_t i = 0; i < totals->plan->judge_count; i++)
    if (ee_calibration_unfit(totals->all.judges[i].calibration)) return true;
  return ee_measures_unfit(ee_measures_of(totals->plan, &totals->all, &self->arena), totals->plan->measure_count);
}

/* The exit status of a run that came to its end. */
static int exit_status(evaluation *self, const ee_run_result *run, bool gates_passed) {
  if (run->interrupted) return EE_EXIT_INTERRUPTED;
  if (run->totals.scored == run->totals.unscored) explain_empty(self, &run->totals);
  if (is_unreadable(run)) return 4;
  if (!gates_passed) return 1;
  const ee_totals *totals = &run->totals;
  bool unfit = self->options->strict && misfits(self, run);
  if (unfit) {
    ee_error error;
    ee_error_set(&error, EE_ERROR_RULES, "the rules do not fit the data (--strict)");
    ee_terminal_fail(&self->terminal, &error);
  }
  /* A rule file names where the candidate is; without one nobody has said that there should be any in this file. */
  bool unanswered = ee_options_without_rules(self->options) && totals->scored > 0 &&
                    totals->candidates_missing + totals->absent >= totals->scored;
  if (unanswered) {
    ee_error error;
    ee_error_set(&error, EE_ERROR_DATA,
                 "nothing was compared: no record has a candidate; name the file of candidates after the expected one, "
                 "or say with --candidate PATH where they are");
    ee_terminal_fail(&self->terminal, &error);
  }
  bool any_error = judges_failed(run) || unfit || unanswered || run->data_errors > 0 ||
                   ee_inputs_in_error(&self->inputs) > 0 || totals->rule_errors > 0 || totals->provider_failures > 0 ||
                   self->done_failed;
  return any_error || totals->scored == totals->unscored ? 4 : 0;
}

/* Errors outside of cases count, too. */
static void finish_collecting(evaluation *self, ee_totals *totals) {
  uint64_t before = ee_collector_errors(self->collector);
  ee_collector_finish(self->collector);
  totals->rule_errors += ee_collector_errors(self->collector) - before + self->errors_before;
}

/* What collects results has a state of its own. */
static ee_status open_collector(evaluation *self, ee_error *error) {
  const ee_plan *plan = ee_rule_file_plan(self->rules);
  if (plan->summary_count == 0 && self->own_report == NULL) return EE_OK;
  self->collector = ee_collector_open(self->rules, self->own_report, report_error, self, error);
  if (self->collector == NULL) return EE_ERROR_RULES;
  self->errors_before = ee_collector_errors(self->collector);
  return EE_OK;
}

/* Judges the cases that the taker wants, by one worker, so that it need not lock. */
static int run_for_taker(evaluation *self, ee_error *error) {
  ee_run_options run_options = {
      .jobs = 1,
      .choice = {.wants = self->taker->wants, .user = self->taker->user},
      .judge_absent = self->options->missing == 0,
      .expected = self->inputs.expected,
      .provider = self->provider,
      .detail = EE_DETAIL_FULL,
      .kinds = true,
      .interrupted = self->interrupted,
      .hooks = {.user = self, .format = format_row, .write = write_rows, .report = report_error},
  };
  ee_run_result run;
  ee_status status = ee_run(ee_rule_file_plan(self->rules), self->inputs.dataset, &run_options, &run, error);
  ee_terminal_rest(&self->terminal);
  ee_note_provider(self->provider, &self->terminal);
  if (status != EE_OK) ee_terminal_fail(&self->terminal, error);
  bool failed = run.totals.rule_errors > 0 || run.totals.provider_failures > 0 || judges_failed(&run);
  int result = status != EE_OK ? (int)status : run.interrupted ? EE_EXIT_INTERRUPTED : failed ? EE_ERROR_DATA : EE_OK;
  ee_totals_fini(&run.totals);
  return result;
}

static int run_evaluation(evaluation *self, ee_error *error) {
  const ee_options *options = self->options;
  bool wants_rows = self->results.descriptor >= 0 || self->rows_to_report || self->page != NULL ||
                    self->tests != NULL || self->annotations != NULL || ee_mistakes_need_rows(&self->mistakes);
  bool wants_json = options->format->run == ee_run_json || self->own_report != NULL;
  ee_run_options run_options = {
      .jobs = (unsigned)options->jobs,
      .limit = (uint64_t)options->limit,
      .choice = ee_load_choice(options),
      .judge_absent = options->missing == 0,
      .strict = options->strict,
      .expected = self->inputs.expected,
      .provider = self->provider,
      .timings = options->timings,
      .detail = ee_options_detail(options),
      .kinds = wants_rows || wants_json || self->mistakes.choice.kinds,
      .interrupted = self->interrupted,
      .hooks = {.user = self,
                .format = wants_rows ? format_row : NULL,
                .write = write_rows,
                .format_collected = self->collector != NULL ? format_collected : NULL,
                .collect = self->collector != NULL ? collect : NULL,
                .report = report_error,
                .failed = self->annotations != NULL ? name_failed : NULL,
                .progress = show_progress},
  };
  ee_run_result run;
  ee_status status = ee_run(ee_rule_file_plan(self->rules), self->inputs.dataset, &run_options, &run, error);
  ee_terminal_clear(&self->terminal);
  ee_terminal_rest(&self->terminal);
  int result = (int)status;
  if (status == EE_OK) {
    run.totals.chosen = chooses(self);
    if (self->collector != NULL) finish_collecting(self, &run.totals);
    bool reported = !is_unreadable(&run);
    if (reported) warn(self, &run);
    bool passed = decide_gates(self, &run.totals);
    if (reported) status = write_report(self, &run, error);
    if (status == EE_OK) status = ee_output_close(&self->report, reported, error);
    if (status == EE_OK) status = ee_output_close(&self->results, true, error);
    result = status == EE_OK ? exit_status(self, &run, passed) : (int)status;
    /* Reading and joining expected values was before the run. */
    run.timings.wall_ns += self->inputs.opening_ns;
    run.timings.read_ns += self->inputs.opening_ns;
    if (options->timings) print_timings(&run);
  }
  ee_note_provider(self->provider, &self->terminal);
  if (status != EE_OK) ee_terminal_fail(&self->terminal, error);
  /* The rows of finished cases are kept however the run ended. */
  ee_output_close(&self->results, !self->write_failed, NULL);
  ee_totals_fini(&run.totals);
  return result;
}

/* Opens the data of rules from a file, and looks at all of it first where the rules need that. */
static ee_status open_data(evaluation *self, const ee_plan *plan, ee_error *error) {
  int64_t start = 0;
  bool twice = plan->decimals->count > 0;
  ee_status status = EE_OK;
  if (twice && ee_names_standard_input(self->options)) {
    status = ee_spool_standard_input(self->interrupted, &start, error);
  }
  if (status == EE_OK) {
    status = ee_inputs_open(&self->inputs, self->options, &plan->paths, self->interrupted, &self->terminal, error);
  }
  bool coco = self->inputs.expected != NULL && ee_expected_set_coco(self->inputs.expected) != NULL;
  if (status != EE_OK || !twice || coco) return status;
  ee_dataset_set_interrupt(self->inputs.dataset, self->interrupted);
  status = ee_survey_decimals(plan, self->inputs.dataset, self->inputs.expected, error);
  return status == EE_OK ? ee_inputs_restart(&self->inputs, &plan->paths, start, error) : status;
}

/* A file compared with itself has every answer right: that is a slip of the hand, and looks like a good result. Where
 * one file has both sides, options say where. */
static void warn_of_same_file(evaluation *self) {
  const ee_options *options = self->options;
  if (!ee_options_without_rules(options) || options->expected != NULL) return;
  if (options->candidates.count > 0 || options->expected_paths.count > 0) return;
  for (size_t i = 1; i < options->operand_count; i++) {
    if (!ee_output_is_same_file(options->operands[0], options->operands[i])) continue;
    ee_error warning;
    ee_error_set(&warning, EE_OK, "warning: '%s' is compared with itself", options->operands[i]);
    ee_terminal_message(&self->terminal, &warning);
  }
}

/* Everything before the run; outputs last, so that a mistake leaves no file. */
static ee_status open_all(evaluation *self, ee_error *error) {
  const ee_options *options = self->options;
  bool reports = self->taker == NULL;
  ee_status status = EE_OK;
  if (reports) status = ee_find_report(options, ee_rule_file_plan(self->rules), &self->own_report, error);
  if (status == EE_OK && reports) status = check_choice(self, error);
  if (status == EE_OK && reports) status = parse_extra_gates(self, error);
  if (status != EE_OK) return status;
  const ee_plan *plan = ee_rule_file_plan(self->rules);
  warn_of_same_file(self);
  if (!ee_options_without_rules(options)) {
    status = open_data(self, plan, error);
    if (status != EE_OK) return status;
  }
  if (options->strict && ee_inputs_in_error(&self->inputs) > 0)
    return ee_error_set(error, EE_ERROR_DATA, "stopped at the first error (--strict)");
  status = ee_open_provider(plan, &plan->provider, options->offline ? "--offline" : NULL, &self->provider, error);
  if (status != EE_OK || !reports) return status;
  status = open_collector(self, error);
  if (status == EE_OK) status = ee_output_open(&self->report, options->output, error);
  if (status == EE_OK && options->results != NULL) status = ee_output_open(&self->results, options->results, error);
  if (status == EE_OK && options->format->tests) self->tests = ee_junit_new(plan->name);
  if (status == EE_OK && options->format->cases) {
    self->page = ee_html_cases_new((unsigned)options->jobs, error);
    if (self->page == NULL) return EE_ERROR_SYSTEM;
    describe_run(self);
  }
  return status;
}

static int evaluate(const ee_options *options, const ee_case_taker *taker) {
  evaluation self = {.options = options,
                     .taker = taker,
                     .report = {.descriptor = -1},
                     .results = {.descriptor = -1},
                     .rows_to_report = options->format->rows};
  ee_error error = {0};
  ee_terminal_init(&self.terminal, options);
  self.annotations = ee_terminal_annotations(options);
  ee_arena_init(&self.arena, 0);
  ee_mistakes_init(&self.mistakes, ee_options_mistakes(options), (ee_str){NULL, 0});
  self.interrupted = ee_interrupt_watch();
  self.watchdog = ee_watchdog_start(EE_WATCHDOG_SECONDS);
  ee_infer_init(&self.inference);
  int result;
  ee_status status = taker == NULL ? ee_options_check_format(options, EE_DOCUMENT_RUN, NULL, &error) : EE_OK;
  if (status == EE_OK) status = check_outputs(options, &error);
  if (status == EE_OK && ee_options_without_rules(options)) {
    status = ee_load_inferred(options, self.interrupted, self.watchdog, &self.terminal, &self.inputs, &self.inference,
                              &self.rules, &error);
  } else if (status == EE_OK) {
    status = ee_load_first(options, self.interrupted, self.watchdog, &self.terminal, &self.rules, &self.cases);
    if (status != EE_OK) {
      result = (int)status;
      goto done;
    }
  }
  if (status == EE_OK) status = open_all(&self, &error);
  if (status != EE_OK) {
    ee_terminal_fail(&self.terminal, &error);
    result = ee_flag_is_set(self.interrupted) ? EE_EXIT_INTERRUPTED : (int)status;
    goto done;
  }
  result = taker == NULL ? run_evaluation(&self, &error) : run_for_taker(&self, &error);

done:
  ee_terminal_annotate(&self.terminal, self.annotations);
  ee_output_close(&self.report, false, NULL);
  ee_output_close(&self.results, false, NULL);
  ee_html_cases_free(self.page);
  ee_junit_free(self.tests);
  ee_inputs_close(&self.inputs);
  ee_provider_free(self.provider);
  ee_collector_free(self.collector);
  ee_buffer_fini(&self.collected);
  ee_rule_file_free(self.rules);
  ee_infer_fini(&self.inference);
  ee_case_file_close(self.cases);
  ee_watchdog_stop(self.watchdog);
  ee_mistakes_fini(&self.mistakes);
  ee_arena_fini(&self.arena);
  return result;
}

int ee_command_evaluate(const ee_options *options) { return evaluate(options, NULL); }

int ee_evaluate_for(const ee_options *options, const ee_case_taker *taker) { return evaluate(options, taker); }
