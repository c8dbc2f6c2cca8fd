/* plan_command.c: `evalengine plan`: how many cases a comparison needs, from the rows of a run or two. */
#include <string.h>

#include "base/runtime.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/row_reader.h"
#include "cli/terminal.h"
#include "prim/ratio_interval.h"
#include "report/needed_cases.h"

#define USUAL_EFFECT 0.02
#define USUAL_POWER 0.8

typedef struct plan_command {
  const ee_options *options;
  ee_terminal terminal;
  ee_needed_cases *needed;
  uint64_t rows, in_error;
} plan_command;

/* The command line ----------------------------------------------------------------------------- */

/* `value` of an option, negative if it is not given; within `low`..`high`, or an error. */
static ee_status check_share(const char *name, double value, double low, double high, ee_error *error) {
  if (value < 0 || (value >= low && value <= high)) return EE_OK;
  return ee_error_set(error, EE_ERROR_USAGE, "--%s must be within %g..%g, got %g", name, low, high, value);
}

static ee_status check_options(const ee_options *options, ee_error *error) {
  ee_status status = ee_options_check_format(options, EE_DOCUMENT_NEEDED, "plan", error);
  if (status == EE_OK) status = check_share("effect", options->effect, 0.0001, 0.9999, error);
  if (status == EE_OK)
    status = check_share("power", options->power, EE_LOWEST_CONFIDENCE, EE_HIGHEST_CONFIDENCE, error);
  if (status == EE_OK) status = check_share("half-width", options->half_width, 0.0001, 0.4999, error);
  for (size_t i = 0; i < options->operand_count && status == EE_OK; i++)
    if (options->output != NULL && ee_output_is_same_file(options->output, options->operands[i]))
      status = ee_error_set(error, EE_ERROR_USAGE, "'%s' is both read and written", options->output);
  if (status == EE_OK && options->operand_count > 1 &&
      ee_output_is_same_file(options->operands[0], options->operands[1]))
    status = ee_error_set(error, EE_ERROR_USAGE, "'%s' is given twice: two runs are two files of rows",
                          options->operands[0]);
  return status;
}

static const char *name_of(const char *operand) { return strcmp(operand, "-") == 0 ? "standard input" : operand; }

static ee_needed_cases *open_plan(const ee_options *options) {
  return ee_needed_cases_new(&(ee_needed_cases_options){
      .names = {name_of(options->operands[0]), options->operand_count > 1 ? name_of(options->operands[1]) : NULL},
      .effect = options->effect >= 0 ? options->effect : USUAL_EFFECT,
      .power = options->power >= 0 ? options->power : USUAL_POWER,
      .confidence = options->confidence >= 0 ? options->confidence : EE_USUAL_CONFIDENCE,
      .half_width = options->half_width >= 0 ? options->half_width : 0,
      .common = options->common,
      .force = options->force,
      .clusters = options->clusters});
}

/* Reading -------------------------------------------------------------------------------------- */

static void print_message(void *user, const ee_error *error) {
  plan_command *self = user;
  ee_terminal_message(&self->terminal, error);
}

static ee_status read_run(plan_command *self, size_t run, ee_error *error) {
  ee_row_reader reader;
  ee_stored_row row;
  bool done = false;
  ee_status status = ee_row_reader_open(&reader, &self->options->operands[run], 1, NULL, print_message, self, error);
  reader.jobs = (unsigned)self->options->jobs;
  reader.lean = true;
  while (status == EE_OK) {
    status = ee_row_reader_next(&reader, &row, &done, error);
    if (status != EE_OK || done) break;
    ee_needed_cases_add(self->needed, run, &row);
    uint64_t taken, total;
    ee_dataset_progress(reader.dataset, &taken, &total);
    ee_terminal_progress(&self->terminal, &(ee_progress){++self->rows, taken, total, NULL});
  }
  ee_needed_cases_add_skipped(self->needed, run, reader.unreadable, reader.duplicates);
  self->in_error += reader.unreadable + reader.duplicates;
  ee_row_reader_close(&reader);
  return status;
}

/* Writing -------------------------------------------------------------------------------------- */

static ee_status write_report(plan_command *self, ee_error *error) {
  const ee_options *options = self->options;
  ee_table_style style = ee_terminal_style(options);
  ee_status status = style.choice != NULL ? ee_report_check_needed_cases(self->needed, style.choice, error) : EE_OK;
  if (status != EE_OK) return status;
  ee_buffer text;
  ee_buffer_init(&text);
  ee_report_write_needed_cases(options->format, self->needed, style, &text);
  status = ee_output_write_report(options->output, &text, NULL, error);
  ee_buffer_fini(&text);
  return status;
}

int ee_command_plan(const ee_options *options) {
  plan_command self = {.options = options};
  ee_error error = {0};
  ee_terminal_init(&self.terminal, options);
  ee_interrupt_end_at_once();
  ee_status status = check_options(options, &error);
  if (status == EE_OK) {
    self.needed = open_plan(options);
    for (size_t i = 0; i < options->operand_count && status == EE_OK; i++) status = read_run(&self, i, &error);
    ee_terminal_clear(&self.terminal);
    if (status == EE_OK) status = ee_needed_cases_finish(self.needed, &error);
    if (status == EE_OK) status = write_report(&self, &error);
    ee_terminal_rest(&self.terminal);
  }
  int result = (int)status;
  if (result == EE_OK && self.in_error > 0) result = EE_ERROR_DATA;
  if (status != EE_OK) ee_terminal_fail(&self.terminal, &error);
  ee_needed_cases_free(self.needed);
  return result;
}
