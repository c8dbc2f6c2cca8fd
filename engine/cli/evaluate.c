/* evaluate.c: the main command: rules and data sets to a report, rows and an exit status. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/runtime.h"
#include "cli/commands.h"
#include "cli/conclusion.h"
#include "cli/evaluate.h"
#include "cli/foreign_inputs.h"
#include "cli/host.h"
#include "cli/inferred.h"
#include "cli/interrupt.h"
#include "cli/load.h"
#include "cli/results_file.h"
#include "cli/state_output.h"
#include "report/row.h"
#include "run/run.h"
#include "run/survey.h"

/* Everything one evaluation holds. */
struct ee_evaluation {
  const ee_options *options;
  const ee_case_taker *taker; /* NULL: a report of all cases */
  ee_terminal terminal;
  ee_conclusion conclusion;    /* of a report of all cases */
  ee_state_output state;       /* --state, instead of a report */
  ee_results_file *results;    /* --results; NULL: none */
  ee_annotations *annotations; /* --annotate; NULL: none */
  ee_arena arena;              /* of the conclusion */
  const volatile sig_atomic_t *interrupted;
  ee_rule_file *rules;
  ee_case_file *cases;   /* the data set whose evaluators the rules are; NULL: they are a rule file */
  ee_provider *provider; /* NULL when the rules need none */
  ee_inputs inputs;
  ee_inference inference; /* where the rules are from if the command line names none */
  const ee_host *host;    /* NULL: none */
  ee_error_list messages; /* about records, for further reports of a host */
  ee_run_result run;
  bool has_run;
  ee_outcome_of_run outcome; /* of a run that came to its end */
};

static void format_row(void *user, const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  const ee_evaluation *self = user;
  if (!ee_state_output_keeps(&self->state.kept, result)) return;
  size_t start = out->length;
  ee_row_write(result, scratch, out);
  if (self->state.kept.words != NULL) ee_row_mark(out, start, "kept", self->state.kept.words);
}

static void format_collected(void *user, const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  (void)user;
  ee_row_write_collected(result, scratch, out);
}

static ee_status collect(void *user, ee_str row, uint64_t *errors, ee_error *error) {
  ee_evaluation *self = user;
  if (self->results != NULL) ee_results_file_add_collected(self->results, row);
  return ee_conclusion_collect(&self->conclusion, row, errors, error);
}

static ee_status write_rows(void *user, const char *data, size_t length, ee_error *error) {
  ee_evaluation *self = user;
  ee_status status = EE_OK;
  if (self->taker != NULL) return self->taker->take(self->taker->user, data, length, error);
  if (self->host != NULL && self->host->rows != NULL) status = self->host->rows(self->host->user, data, length, error);
  if (status != EE_OK) return status;
  if (self->results != NULL) status = ee_results_file_write(self->results, data, length, error);
  return status == EE_OK ? ee_conclusion_add_rows(&self->conclusion, data, length, error) : status;
}

static void add_message(ee_evaluation *self, const ee_error *error) {
  if (self->host != NULL && self->host->keeps_messages && error->status == EE_ERROR_DATA)
    ee_error_list_add(&self->messages, error);
  if (self->options->state != NULL) ee_part_add_message(&self->state.part, error, &self->arena);
  ee_conclusion_add_error(&self->conclusion, error);
}

static void report_error(void *user, const ee_error *error) {
  ee_evaluation *self = user;
  if (self->results != NULL) ee_results_file_add_message(self->results, error);
  add_message(self, error);
}

static void name_failed(void *user, ee_str id, const char *file, uint64_t line) {
  ee_evaluation *self = user;
  if (self->results != NULL) ee_results_file_add_failed(self->results, id, file, line);
  ee_annotations_add_case(self->annotations, id, file, line);
}

static ee_status keep_checkpoint(void *user, const ee_run_place *place, ee_totals *since, bool last, bool *kept,
                                 ee_error *error) {
  return ee_results_file_checkpoint(((ee_evaluation *)user)->results, place, since, last, kept, error);
}

/* What a run that was cut short had given to its hooks, once more. */

static ee_status restore_rows(void *user, const char *data, size_t length, ee_error *error) {
  return ee_conclusion_add_rows(&((ee_evaluation *)user)->conclusion, data, length, error);
}

static void restore_message(void *user, const ee_error *message) { add_message(user, message); }

static void restore_failed(void *user, ee_str id, const char *file, uint64_t line) {
  ee_evaluation *self = user;
  if (self->annotations != NULL) ee_annotations_add_case(self->annotations, id, file, line);
}

/* Errors of functions are in the totals already. */
static ee_status restore_collected(void *user, ee_str row, ee_error *error) {
  ee_evaluation *self = user;
  uint64_t errors;
  return self->conclusion.collector != NULL ? ee_conclusion_collect(&self->conclusion, row, &errors, error) : EE_OK;
}

static void show_progress(void *user, uint64_t cases, const ee_sample *scores, uint64_t taken, uint64_t total) {
  ee_evaluation *self = user;
  const ee_host *host = self->host;
  if (host != NULL && host->progress != NULL) host->progress(host->user, cases, scores, taken, total);
  ee_terminal_progress(&self->terminal, &(ee_progress){cases, taken, total, scores});
}

/* An output must not be an input. */
static ee_status check_output(const ee_options *options, const char *output, ee_error *error) {
  bool same = (options->expected != NULL && ee_output_is_same_file(output, options->expected)) ||
              (options->config != NULL && ee_output_is_same_file(output, options->config)) ||
              (options->except != NULL && ee_output_is_same_file(output, options->except));
  for (size_t i = 0; i < options->operand_count; i++)
    same = same || ee_output_is_same_file(output, options->operands[i]);
  return same ? ee_error_set(error, EE_ERROR_USAGE, "'%s' is both read and written", output) : EE_OK;
}

static ee_status check_outputs(const ee_options *options, ee_error *error) {
  const char *output = options->output, *results = options->results;
  bool rows = results != NULL || ee_host_current() != NULL || options->format->rows || options->format->cases ||
              options->format->own;
  if (options->detail != 0 && !rows)
    return ee_error_set(error, EE_ERROR_USAGE, "--detail needs rows: --results FILE, -f jsonl or -f html");
  ee_status status = output != NULL ? check_output(options, output, error) : EE_OK;
  if (status == EE_OK && results != NULL) status = check_output(options, results, error);
  if (status == EE_OK && options->state != NULL) status = check_output(options, options->state, error);
  if (status != EE_OK) return status;
  if (output != NULL && results != NULL && (strcmp(output, results) == 0 || ee_output_is_same_file(output, results)))
    return ee_error_set(error, EE_ERROR_USAGE, "--output and --results name the same file '%s'", output);
  const char *state = options->state;
  if (state != NULL && results != NULL && (strcmp(state, results) == 0 || ee_output_is_same_file(state, results)))
    return ee_error_set(error, EE_ERROR_USAGE, "--state and --results name the same file '%s'", state);
  if (options->resume && results == NULL)
    return ee_error_set(error, EE_ERROR_USAGE, "--resume needs --results FILE, whose rows are kept in FILE.part");
  if (results != NULL && strcmp(results, "-") == 0)
    return ee_error_set(error, EE_ERROR_USAGE,
                        "--results takes a file; for rows on standard output use --format jsonl");
  return EE_OK;
}

/* Whether every record was read: only then expected values without a record are known. */
static bool is_whole(const ee_evaluation *self, const ee_run_result *run) {
  uint64_t limit = (uint64_t)self->options->limit;
  return !run->interrupted && !run->stopped && (limit == 0 || run->totals.scored < limit);
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

/* Says where the rows of a run are that did not come to its end. */
static bool describe_part(const ee_evaluation *self, const char *why, ee_error *message) {
  const char *part = self->results != NULL ? ee_results_file_part(self->results) : NULL;
  if (part == NULL) return false;
  ee_error_set(message, EE_ERROR_SYSTEM,
               "%sthe rows of %" PRIu64 " cases are kept in '%s'; the same command with --resume goes on from there",
               why, ee_results_file_cases(self->results), part);
  return true;
}

static void note_part(ee_evaluation *self, const char *why) {
  ee_error message;
  if (describe_part(self, why, &message)) ee_terminal_fail(&self->terminal, &message);
}

/* Nothing is lost from now on but the report. */
static void end_at_once(void *user) {
  const ee_evaluation *self = user;
  ee_error message;
  if (!describe_part(self, "interrupted: ", &message))
    ee_error_set(&message, EE_ERROR_SYSTEM, "interrupted: the report is not complete and is not kept");
  ee_interrupt_set_message(&message);
  ee_interrupt_end_at_once();
}

/* Judges the cases that the taker wants, by one worker, so that it need not lock. */
static int run_for_taker(ee_evaluation *self, ee_error *error) {
  ee_run_options run_options = {
      .jobs = 1,
      .choice = {.wants = self->taker->wants, .user = self->taker->user},
      .judge_absent = self->options->missing == 0,
      .expected = self->inputs.expected,
      .provider = self->provider,
      .detail = EE_DETAIL_FULL,
      .kinds = true,
      .interrupted = self->interrupted,
      .hooks = {.user = self, .format = format_row, .write = write_rows, .report = report_error, .judged = end_at_once},
  };
  ee_run_result run;
  ee_status status = ee_run(ee_rule_file_plan(self->rules), self->inputs.dataset, &run_options, &run, error);
  ee_terminal_rest(&self->terminal);
  ee_note_provider(self->provider, &self->terminal);
  if (status != EE_OK) ee_terminal_fail(&self->terminal, error);
  bool failed = run.totals.rule_errors > 0 || run.totals.provider_failures > 0 || run.totals.given_up > 0 ||
                ee_judges_failed(&run.totals);
  int result = status != EE_OK ? (int)status : run.interrupted ? EE_EXIT_INTERRUPTED : failed ? EE_ERROR_DATA : EE_OK;
  ee_totals_fini(&run.totals);
  return result;
}

/* Whether the rows of the run get their name: it came to its end, and judged something if it ends with an error. */
static bool is_complete(const ee_run_result *run, int result) {
  bool nothing = run->totals.scored == 0 && result != 0;
  return !run->interrupted && !run->stopped && !nothing;
}

/* The end of a part: its state, and no verdict on its data. */
static ee_status end_part(ee_evaluation *self, ee_run_result *run, int *result, ee_error *error) {
  if (run->interrupted) {
    *result = ee_interrupt_status();
    return EE_OK;
  }
  ee_status status = ee_state_output_write(&self->state, run, &self->inputs, self->conclusion.collector, error);
  if (status == EE_OK)
    ee_conclusion_warn_unended(&self->terminal, ee_part_unended_text(&self->state.part, &self->arena));
  *result = (int)status;
  return status;
}

static ee_status end_whole(ee_evaluation *self, ee_run_result *run, int *result, ee_error *error) {
  bool whole = is_whole(self, run);
  ee_part inputs = {0};
  ee_state_output_add_unended(&self->inputs, &inputs, &self->arena);
  self->outcome = (ee_outcome_of_run){.run = run,
                                      .inputs = &self->inputs,
                                      .expected = ee_inputs_coverage(&self->inputs, whole),
                                      .whole = whole,
                                      .unended = ee_part_unended_text(&inputs, &self->arena)};
  return ee_conclude(&self->conclusion, &self->outcome, result, error);
}

/* After the report, so that a run that is ended while it reports can be resumed. */
static ee_status end_results(ee_evaluation *self, const ee_run_result *run, int result, ee_error *error) {
  bool complete = self->results != NULL && is_complete(run, result);
  ee_status status = complete ? ee_results_file_finish(self->results, error) : EE_OK;
  if (!complete || status != EE_OK) note_part(self, run->interrupted ? "interrupted: " : "");
  return status;
}

/* The totals of the run that is resumed, and what else it leaves. */
static ee_status restore(ee_evaluation *self, ee_totals *before, ee_error *error) {
  const ee_results_listener listener = {.user = self,
                                        .rows = restore_rows,
                                        .message = restore_message,
                                        .failed = restore_failed,
                                        .collected = restore_collected};
  return ee_results_file_restore(self->results, before, &listener, error);
}

static ee_status run_cases(ee_evaluation *self, ee_run_result *run, ee_error *error) {
  const ee_options *options = self->options;
  const ee_plan *plan = ee_rule_file_plan(self->rules);
  ee_conclusion *conclusion = &self->conclusion;
  bool part = options->state != NULL;
  bool for_host = self->host != NULL && self->host->rows != NULL;
  bool wants_rows = self->results != NULL || for_host || ee_conclusion_wants_rows(conclusion);
  ee_totals before;
  ee_totals_init(&before, plan);
  const ee_run_options run_options = {
      .jobs = (unsigned)options->jobs,
      .limit = (uint64_t)options->limit,
      .choice = ee_load_choice(options),
      .judge_absent = options->missing == 0 && !part,
      .part = part,
      .ids = part ? &self->state.ids : NULL,
      .except = part ? &self->state.except : NULL,
      .strict = options->strict,
      .expected = self->inputs.expected,
      .provider = self->provider,
      .timings = options->timings,
      .detail = ee_options_detail(options),
      .kinds = part || wants_rows || ee_conclusion_wants_kinds(conclusion),
      .interrupted = self->interrupted,
      .from = self->results != NULL ? ee_results_file_from(self->results) : NULL,
      .before = &before,
      .hooks = {.user = self,
                .format = wants_rows ? format_row : NULL,
                .write = write_rows,
                .format_collected = conclusion->collector != NULL ? format_collected : NULL,
                .collect = conclusion->collector != NULL ? collect : NULL,
                .report = report_error,
                .failed = self->annotations != NULL ? name_failed : NULL,
                .judged = end_at_once,
                .checkpoint = self->results != NULL ? keep_checkpoint : NULL,
                .progress = show_progress},
  };
  ee_status status = run_options.from != NULL ? restore(self, &before, error) : EE_OK;
  if (status == EE_OK) {
    status = ee_run(plan, self->inputs.dataset, &run_options, run, error);
  } else {
    *run = (ee_run_result){0};
    ee_totals_init(&run->totals, plan);
  }
  ee_totals_fini(&before);
  return status;
}

static int run_evaluation(ee_evaluation *self, ee_error *error) {
  ee_run_result *run = &self->run;
  ee_status status = run_cases(self, run, error);
  self->has_run = true;
  ee_terminal_clear(&self->terminal);
  ee_terminal_rest(&self->terminal);
  ee_foreign_warn_inputs(&self->inputs, self->options, &self->terminal);
  int result = (int)status;
  if (status != EE_OK) {
    ee_terminal_fail(&self->terminal, error);
    note_part(self, "");
  } else {
    status = self->options->state != NULL ? end_part(self, run, &result, error) : end_whole(self, run, &result, error);
    if (status != EE_OK) ee_terminal_fail(&self->terminal, error);
    ee_status kept = end_results(self, run, result, error);
    if (kept != EE_OK) ee_terminal_fail(&self->terminal, error);
    if (kept != EE_OK) result = (int)kept;
    ee_interrupt_set_message(NULL);
  }
  /* Reading and joining expected values was before the run. */
  run->timings.wall_ns += self->inputs.opening_ns;
  run->timings.read_ns += self->inputs.opening_ns;
  if (status == EE_OK && self->options->timings) print_timings(run);
  ee_note_provider(self->provider, &self->terminal);
  return result;
}

/* Opens the data of rules from a file, and looks at all of it first where the rules need that. */
static ee_status open_data(ee_evaluation *self, const ee_plan *plan, ee_error *error) {
  int64_t start = 0;
  bool twice = plan->decimals->count > 0;
  ee_status status = EE_OK;
  if (twice && ee_names_standard_input(self->options)) {
    status = ee_spool_standard_input(NULL, &start, error);
  }
  if (status == EE_OK) {
    status = ee_inputs_open(&self->inputs, self->options, &plan->paths, NULL, &self->terminal, error);
  }
  bool coco = self->inputs.expected != NULL && ee_expected_set_coco(self->inputs.expected) != NULL;
  if (status != EE_OK || !twice || coco) return status;
  status = ee_survey_decimals(plan, self->inputs.dataset, self->inputs.expected, error);
  return status == EE_OK ? ee_inputs_restart(&self->inputs, &plan->paths, start, error) : status;
}

/* A file compared with itself has every answer right: that is a slip of the hand, and looks like a good result. Where
 * one file has both sides, options say where. */
static void warn_of_same_file(ee_evaluation *self) {
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

static ee_status open_results(ee_evaluation *self, const ee_plan *plan, ee_error *error) {
  const ee_options *options = self->options;
  const ee_run_keeps keeps = {.collected = self->conclusion.collector != NULL, .places = self->annotations != NULL};
  ee_run_identity identity = ee_run_identity_of(options, plan, &self->inputs, keeps);
  self->results = ee_results_file_open(options->results, &identity, options->resume, &self->terminal, error);
  return self->results != NULL ? EE_OK : error->status;
}

/* Everything before the run; outputs last, so that a mistake leaves no file. */
static ee_status open_all(ee_evaluation *self, ee_error *error) {
  const ee_options *options = self->options;
  bool reports = self->taker == NULL;
  ee_conclusion *conclusion = &self->conclusion;
  bool inferred = ee_options_without_rules(options);
  conclusion->rules = self->rules;
  conclusion->cases = self->cases;
  conclusion->data = options->operands + !inferred;
  conclusion->data_count = options->operand_count - !inferred;
  conclusion->inference = inferred ? &self->inference : NULL;
  ee_status status = reports ? ee_conclusion_check(conclusion, error) : EE_OK;
  if (status == EE_OK && reports) status = ee_state_output_check_plan(options, ee_rule_file_plan(self->rules), error);
  if (status != EE_OK) return status;
  const ee_plan *plan = ee_rule_file_plan(self->rules);
  warn_of_same_file(self);
  if (!ee_options_without_rules(options)) {
    status = open_data(self, plan, error);
    if (status != EE_OK) return status;
  }
  if (options->strict && ee_inputs_in_error(&self->inputs) > 0)
    return ee_error_set(error, EE_ERROR_DATA, "stopped at the first error (--strict)");
  status = ee_open_provider(plan, options, &self->terminal, &self->provider, error);
  self->interrupted = ee_interrupt_watch();
  if (status != EE_OK || !reports) return status;
  if (options->state == NULL) {
    status = ee_conclusion_open(conclusion, error);
  } else {
    status = ee_conclusion_open_collector(conclusion, error);
    if (status == EE_OK && conclusion->collector != NULL)
      status = ee_state_output_check_summaries(conclusion->collector, error);
    if (status == EE_OK) status = ee_state_output_open(&self->state, options, plan, &self->inputs, &self->arena, error);
  }
  return status == EE_OK && options->results != NULL ? open_results(self, plan, error) : status;
}

static void start(ee_evaluation *self, const ee_options *options, const ee_case_taker *taker) {
  *self = (ee_evaluation){
      .options = options, .taker = taker, .state = {.kept = {.all = true}, .output = {.descriptor = -1}}};
  self->host = ee_host_current();
  ee_terminal_init(&self->terminal, options);
  self->annotations = ee_terminal_annotations(options);
  ee_arena_init(&self->arena, 0);
  ee_conclusion_init(&self->conclusion, options, &self->terminal, &self->arena);
  self->conclusion.annotations = self->annotations;
  ee_infer_init(&self->inference);
  ee_error_list_init(&self->messages);
}

/* From the options to the exit status. */
static int evaluate(ee_evaluation *self) {
  const ee_options *options = self->options;
  const ee_case_taker *taker = self->taker;
  ee_error error = {0};
  ee_interrupt_end_at_once();
  const volatile sig_atomic_t *interrupt = self->host != NULL ? self->host->interrupt : NULL;
  ee_status status = taker == NULL ? ee_options_check_format(options, EE_DOCUMENT_RUN, NULL, &error) : EE_OK;
  if (status == EE_OK) status = check_outputs(options, &error);
  if (status == EE_OK && taker == NULL) status = ee_state_output_check_options(options, &error);
  if (status == EE_OK && ee_options_without_rules(options)) {
    status =
        ee_load_inferred(options, interrupt, &self->terminal, &self->inputs, &self->inference, &self->rules, &error);
  } else if (status == EE_OK) {
    status = ee_load_first(options, interrupt, &self->terminal, &self->rules, &self->cases);
    if (status != EE_OK) return (int)status;
  }
  if (status == EE_OK) status = open_all(self, &error);
  if (status == EE_OK) return taker == NULL ? run_evaluation(self, &error) : run_for_taker(self, &error);
  ee_terminal_fail(&self->terminal, &error);
  return ee_flag_is_set(self->interrupted) || ee_flag_is_set(interrupt) ? ee_interrupt_status() : (int)status;
}

static void end(ee_evaluation *self) {
  ee_terminal_annotate(&self->terminal, self->annotations);
  ee_conclusion_fini(&self->conclusion);
  ee_state_output_close(&self->state);
  ee_results_file_close(self->results);
  ee_inputs_close(&self->inputs);
  ee_provider_free(self->provider);
  if (self->has_run) ee_totals_fini(&self->run.totals);
  ee_rule_file_free(self->rules);
  ee_infer_fini(&self->inference);
  ee_error_list_fini(&self->messages);
  ee_case_file_close(self->cases);
  ee_arena_fini(&self->arena);
}

static int evaluate_once(const ee_options *options, const ee_case_taker *taker) {
  ee_evaluation self;
  start(&self, options, taker);
  int result = evaluate(&self);
  end(&self);
  return result;
}

int ee_command_evaluate(const ee_options *options) { return evaluate_once(options, NULL); }

int ee_evaluate_for(const ee_options *options, const ee_case_taker *taker) { return evaluate_once(options, taker); }

/* For a host ------------------------------------------------------------------------------------- */

ee_evaluation *ee_evaluation_run(const ee_options *options, int *result) {
  ee_evaluation *self = ee_malloc(sizeof *self);
  start(self, options, NULL);
  *result = evaluate(self);
  bool has_result = self->has_run && *result != EE_ERROR_RULES && *result != EE_ERROR_SYSTEM;
  if (!has_result) {
    ee_evaluation_free(self);
    return NULL;
  }
  ee_buffer_terminate(&self->inference.text);
  /* What was read is the host's again; the report needs only its names. */
  ee_inputs names = {
      .files = self->inputs.files, .file_count = self->inputs.file_count, .expected_file = self->inputs.expected_file};
  ee_inputs_close(&self->inputs);
  self->inputs = names;
  ee_provider_free(self->provider);
  self->provider = NULL;
  return self;
}

void ee_evaluation_free(ee_evaluation *self) {
  if (self == NULL) return;
  end(self);
  ee_free(self);
}

const ee_run_result *ee_evaluation_result(const ee_evaluation *self) { return &self->run; }

ee_str ee_evaluation_inferred(const ee_evaluation *self) {
  return (ee_str){self->inference.text.data, self->inference.text.length};
}

/* The run's options with what is about the report from `wanted`. */
static ee_options report_options(const ee_evaluation *self, const ee_options *wanted) {
  ee_options options = *self->options;
  options.arena = wanted->arena;
  options.format = wanted->format;
  options.sections = wanted->sections;
  options.columns = wanted->columns;
  options.kinds = wanted->kinds;
  options.reasons = wanted->reasons;
  options.worst = wanted->worst;
  options.sort = wanted->sort;
  options.color = wanted->color;
  options.csv_safe = wanted->csv_safe;
  options.verbose = wanted->verbose;
  options.jobs = 1;
  return options;
}

ee_status ee_evaluation_report(ee_evaluation *self, const ee_options *wanted, const ee_str *rows, ee_error *error) {
  const ee_options options = report_options(self, wanted);
  ee_terminal terminal;
  ee_arena arena;
  ee_conclusion conclusion;
  ee_terminal_init(&terminal, &options);
  ee_arena_init(&arena, 0);
  ee_conclusion_init(&conclusion, &options, &terminal, &arena);
  ee_status status = ee_options_check_format(wanted, EE_DOCUMENT_RUN, "report", error);
  if (status == EE_OK && self->outcome.run == NULL) /* the run ended with its state */
    status = ee_error_set(error, EE_ERROR_USAGE, "a part has no report: merge its state with those of the other parts");
  if (status == EE_OK) status = ee_conclusion_repeat(&conclusion, &self->conclusion, error);
  if (status == EE_OK && ee_conclusion_wants_rows(&conclusion) && rows == NULL)
    status = ee_error_set(error, EE_ERROR_USAGE, "a report that shows cases needs their rows (EE_KEEP_ROWS)");
  for (size_t i = 0; status == EE_OK && i < self->messages.count; i++)
    ee_conclusion_add_error(&conclusion, &self->messages.items[i]);
  if (status == EE_OK && ee_conclusion_wants_rows(&conclusion))
    status = ee_conclusion_add_rows(&conclusion, rows->data, rows->length, error);
  int result;
  if (status == EE_OK) status = ee_conclude(&conclusion, &self->outcome, &result, error);
  conclusion.collector = NULL; /* the run's */
  ee_conclusion_fini(&conclusion);
  ee_arena_fini(&arena);
  return status;
}
