/* compare_command.c: `evalengine compare`: what got better and what got worse between two files of results, or which of
 * several is best. */
#include <string.h>
#include <unistd.h>

#include "base/runtime.h"
#include "cli/commands.h"
#include "cli/compared_states.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/row_reader.h"
#include "cli/terminal.h"
#include "report/comparison.h"
#include "report/html/html_runs.h"
#include "report/junit_documents.h"
#include "report/many_runs.h"

/* Fields and cases that table and Markdown list, without --verbose. */
#define SHOWN 20

typedef struct compare {
  const ee_options *options;
  const char *const *names; /* of the runs */
  ee_terminal terminal;
  ee_comparison *comparison; /* of two runs; else NULL */
  ee_many_runs *many;        /* of more; else NULL */
  ee_html_cases *page;       /* --format html: the cases in the report; NULL: none */
  ee_html_runs *page_runs;
  uint64_t rows, in_error;
} compare;

/* The command line ----------------------------------------------------------------------------- */

static bool is_many(const ee_options *options) { return options->operand_count > 2; }

static void warn_of_same_files(compare *self) {
  const ee_options *options = self->options;
  for (size_t i = 1; i < options->operand_count; i++) {
    size_t other = 0;
    while (other < i && !ee_output_is_same_file(options->operands[other], options->operands[i])) other++;
    if (other == i) continue;
    ee_error warning;
    ee_error_set(&warning, EE_OK, "warning: '%s' is compared with itself", options->operands[i]);
    ee_terminal_message(&self->terminal, &warning);
  }
}

static ee_status check_options(compare *self, ee_error *error) {
  const ee_options *options = self->options;
  ee_document document = is_many(options) ? EE_DOCUMENT_MANY_RUNS : EE_DOCUMENT_COMPARISON;
  ee_status status = ee_options_check_format(options, document, "compare", error);
  if (status != EE_OK) return status;
  status = ee_compared_state_check_options(options, error);
  if (status != EE_OK) return status;
  if (options->fail_on == EE_FAIL_ON_MARGIN && !(options->margin > 0))
    return ee_error_set(error, EE_ERROR_USAGE, "--fail-on margin needs --margin, such as --margin 0.01");
  for (size_t i = 0; options->output != NULL && i < options->operand_count; i++)
    if (ee_output_is_same_file(options->output, options->operands[i]))
      return ee_error_set(error, EE_ERROR_USAGE, "'%s' is both read and written", options->output);
  if (options->pairs == 1 && !is_many(options))
    return ee_error_set(error, EE_ERROR_USAGE, "--pairs all needs three or more runs");
  warn_of_same_files(self);
  return EE_OK;
}

static const char *name_of(const char *operand) { return strcmp(operand, "-") == 0 ? "standard input" : operand; }

static void open_comparison(compare *self) {
  const ee_options *options = self->options;
  const char **names = EE_NEW_ARRAY(options->arena, const char *, options->operand_count);
  for (size_t i = 0; i < options->operand_count; i++) names[i] = name_of(options->operands[i]);
  self->names = names;
  const ee_comparison_options chosen = {
      .names = {names[EE_SIDE_BASE], names[EE_SIDE_NEW]},
      .threshold = options->threshold,
      .common = options->common,
      .force = options->force,
      .fail_on = (ee_fail_on)options->fail_on,
      .correction = (ee_p_correction)options->correction,
      .confidence = options->confidence > 0 ? options->confidence : 0,
      .margin = options->margin,
      .shown = options->verbose ? 0 : SHOWN,
  };
  if (is_many(options))
    self->many = ee_many_runs_new(&(ee_many_runs_options){
        .names = names, .count = options->operand_count, .each = chosen, .all_pairs = options->pairs == 1});
  else
    self->comparison = ee_comparison_new(&chosen);
}

/* Reading -------------------------------------------------------------------------------------- */

static void print_message(void *user, const ee_error *error) {
  compare *self = user;
  ee_terminal_message(&self->terminal, error);
}

/* Run number `run`, in the order of the operands. */
static ee_status read_rows(compare *self, size_t run, ee_row_reader *reader, ee_error *error) {
  ee_stored_row row;
  bool done;
  ee_status status;
  while ((status = ee_row_reader_next(reader, &row, &done, error)) == EE_OK && !done) {
    if (self->many != NULL)
      ee_many_runs_add(self->many, run, &row);
    else
      ee_comparison_add_new(self->comparison, (ee_side)run, &row);
    if (self->page != NULL) status = ee_html_runs_add(self->page_runs, run, &row, error);
    if (status != EE_OK) return status;
    uint64_t taken, total;
    ee_dataset_progress(reader->dataset, &taken, &total);
    ee_terminal_progress(&self->terminal, &(ee_progress){++self->rows, taken, total, NULL});
  }
  return status;
}

static ee_status read_run(compare *self, size_t run, ee_error *error) {
  ee_row_reader reader;
  ee_status status = ee_row_reader_open(&reader, &self->options->operands[run], 1, NULL, print_message, self, error);
  reader.jobs = self->terminal.host != NULL ? 1 : (unsigned)self->options->jobs;
  reader.lean = self->page == NULL;
  if (status == EE_OK) status = read_rows(self, run, &reader, error);
  if (self->many != NULL)
    ee_many_runs_add_skipped(self->many, run, reader.unreadable, reader.duplicates);
  else
    ee_comparison_add_skipped(self->comparison, (ee_side)run, reader.unreadable, reader.duplicates);
  self->in_error += reader.unreadable + reader.duplicates;
  ee_row_reader_close(&reader);
  return status;
}

/* Writing -------------------------------------------------------------------------------------- */

static const char *note_of(const compare *self, size_t number) {
  return self->many != NULL ? ee_many_runs_note(self->many, number) : ee_comparison_note(self->comparison, number);
}

static void warn_of_notes(compare *self) {
  const char *note;
  for (size_t i = 0; (note = note_of(self, i)) != NULL; i++) {
    ee_error warning;
    ee_error_set(&warning, EE_OK, "warning: %s", note);
    ee_terminal_message(&self->terminal, &warning);
  }
}

/* A page of HTML has the cases of both runs in it. */
static ee_status open_page(compare *self, ee_error *error) {
  if (!self->options->format->cases) return EE_OK;
  self->page = ee_html_cases_new(self->terminal.host != NULL, error);
  if (self->page != NULL) self->page_runs = ee_html_runs_new(self->options->operand_count, error);
  if (self->page_runs == NULL) return EE_ERROR_SYSTEM;
  ee_html_cases_set_runs(self->page, self->names, self->options->operand_count);
  return EE_OK;
}

static ee_status write_report(compare *self, ee_error *error) {
  const ee_options *options = self->options;
  ee_table_style style = ee_terminal_style(options);
  ee_status status = EE_OK;
  if (style.choice != NULL)
    status = self->many != NULL ? ee_report_check_many_runs(self->many, style.choice, error)
                                : ee_report_check_comparison(self->comparison, style.choice, error);
  if (status == EE_OK && self->page != NULL) status = ee_html_runs_join(self->page_runs, self->page, error);
  if (status != EE_OK) return status;
  ee_buffer text;
  ee_buffer_init(&text);
  if (self->many != NULL)
    ee_report_write_many_runs(options->format, self->many, style, &text);
  else
    ee_report_write_comparison(options->format, self->comparison, style, &text);
  if (options->format->no_notes) warn_of_notes(self);
  status = ee_output_write_report(options->output, &text, self->page, error);
  ee_buffer_fini(&text);
  return status;
}

/* What got worse is an error where --fail-on says so, else a warning; a file of results is a place, too. */
static void annotate(compare *self, const char *reason) {
  ee_annotations *annotations = ee_terminal_annotations(self->options);
  if (annotations == NULL) return;
  const char *file = self->options->operands[EE_SIDE_NEW];
  if (reason != NULL)
    ee_annotations_add(annotations, EE_ANNOTATE_GATE,
                       &(ee_annotation){.title = EE_STR("worse"), .message = ee_str_from(reason)});
  size_t count = self->comparison != NULL ? ee_comparison_case_count(self->comparison) : 0;
  for (size_t i = 0; i < count; i++) {
    ee_case_pair pair = ee_comparison_case(self->comparison, i);
    if (pair.change != EE_CASE_WORSE) continue;
    ee_buffer message, text;
    ee_buffer_init(&message);
    ee_buffer_init(&text);
    ee_comparison_worse_text(self->comparison, i, &pair, &message, &text);
    ee_annotation added = {ee_str_from(file), pair.id, {message.data, message.length}, pair.lines[EE_SIDE_NEW]};
    ee_annotations_add(annotations, reason != NULL ? EE_ANNOTATE_WORSE : EE_ANNOTATE_CASE, &added);
    ee_buffer_fini(&message);
    ee_buffer_fini(&text);
  }
  ee_terminal_annotate(&self->terminal, annotations);
}

static int exit_status(compare *self) {
  const char *reason = NULL;
  bool fails =
      self->many != NULL ? ee_many_runs_fails(self->many, &reason) : ee_comparison_fails(self->comparison, &reason);
  annotate(self, fails ? reason : NULL);
  if (fails) {
    ee_error error;
    ee_error_set(&error, EE_OK, "--fail-on %s: %s", ee_fail_on_name((ee_fail_on)self->options->fail_on), reason);
    ee_terminal_fail(&self->terminal, &error);
    return 1;
  }
  return self->in_error > 0 ? EE_ERROR_DATA : EE_OK;
}

static int run_comparison(compare *self, ee_error *error) {
  ee_status status = open_page(self, error);
  for (size_t i = 0; i < self->options->operand_count && status == EE_OK; i++) status = read_run(self, i, error);
  ee_terminal_clear(&self->terminal);
  if (status == EE_OK && self->options->state != NULL) {
    status = ee_compared_state_write(self->options, self->comparison, error);
    ee_terminal_rest(&self->terminal);
    return (int)status;
  }
  if (status == EE_OK)
    status =
        self->many != NULL ? ee_many_runs_finish(self->many, error) : ee_comparison_finish(self->comparison, error);
  if (status == EE_OK) status = write_report(self, error);
  ee_terminal_rest(&self->terminal);
  return status == EE_OK ? exit_status(self) : (int)status;
}

int ee_command_compare(const ee_options *options) {
  compare self = {.options = options};
  ee_error error = {0};
  ee_terminal_init(&self.terminal, options);
  ee_interrupt_end_at_once();
  int result = (int)check_options(&self, &error);
  if (result == EE_OK) {
    open_comparison(&self);
    result = run_comparison(&self, &error);
  }
  if (result > 1 && error.message[0] != '\0') ee_terminal_fail(&self.terminal, &error);
  ee_html_runs_free(self.page_runs);
  ee_html_cases_free(self.page);
  ee_comparison_free(self.comparison);
  ee_many_runs_free(self.many);
  return result;
}
