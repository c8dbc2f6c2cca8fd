/* trend_command.c: `evalengine trend`: metrics over several runs, from their summaries or their rows. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/runtime.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/row_reader.h"
#include "cli/terminal.h"
#include "data/files/byte_source.h"
#include "data/json/json_reader.h"
#include "report/trend.h"

/* Metrics that table and Markdown list, without --verbose. */
#define SHOWN 40
/* No summary is longer. */
#define SUMMARY_BYTES ((size_t)32 << 20)

typedef struct trend_command {
  const ee_options *options;
  ee_terminal terminal;
  ee_trend *trend;
  uint64_t rows, in_error;
} trend_command;

/* The command line ----------------------------------------------------------------------------- */

static ee_status check_options(const ee_options *options, ee_error *error) {
  ee_status status = ee_options_check_format(options, EE_DOCUMENT_TREND, "trend", error);
  if (status != EE_OK) return status;
  if (options->fail_below == EE_TREND_NO_GATE && (options->metrics.count > 0 || options->margin > 0))
    return ee_error_set(error, EE_ERROR_USAGE, "--%s needs --fail-below best, mean or last",
                        options->metrics.count > 0 ? "metric" : "margin");
  for (size_t i = 0; i < options->operand_count; i++) {
    if (strcmp(options->operands[i], "-") == 0)
      return ee_error_set(error, EE_ERROR_USAGE, "'trend' reads files, not standard input");
    if (options->output != NULL && ee_output_is_same_file(options->output, options->operands[i]))
      return ee_error_set(error, EE_ERROR_USAGE, "'%s' is both read and written", options->output);
  }
  return EE_OK;
}

/* Whether the terminal cannot show Unicode's blocks. Files and pipes get them always, as they get everything else. */
static bool needs_ascii(const ee_options *options) {
  if (options->output != NULL || !isatty(STDOUT_FILENO)) return false;
  static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    const char *value = getenv(variables[i]);
    if (value == NULL || *value == '\0') continue;
    for (const char *at = value; *at != '\0'; at++)
      if (tolower((unsigned char)at[0]) == 'u' && tolower((unsigned char)at[1]) == 't' &&
          tolower((unsigned char)at[2]) == 'f')
        return false;
    return true;
  }
  return true;
}

static ee_trend *new_trend(const ee_options *options) {
  return ee_trend_new(&(ee_trend_options){.fail_below = (ee_trend_gate)options->fail_below,
                                          .metrics = options->metrics.items,
                                          .metric_count = options->metrics.count,
                                          .margin = options->margin,
                                          .force = options->force,
                                          .ascii = needs_ascii(options),
                                          .shown = options->verbose ? 0 : SHOWN});
}

/* Reading -------------------------------------------------------------------------------------- */

static void print_message(void *user, const ee_error *error) {
  trend_command *self = user;
  ee_terminal_message(&self->terminal, error);
}

/* The hashes of what the rows were judged by and against: of the rules 0 where rows differ or have none. */
static void add_hashes(const ee_stored_row *row, bool is_first, uint64_t *rules, uint64_t *data, bool *known) {
  uint64_t own = row->has_rules_hash ? row->rules_hash : 0;
  if (is_first) *rules = own;
  if (own != *rules) *rules = 0;
  *known = *known && row->has_hash;
  *data = ee_data_hash_add(*data, row->id, row->expected_hash);
}

static ee_status read_rows(trend_command *self, const char *file, ee_error *error) {
  ee_row_reader reader;
  ee_merged_results results;
  uint64_t rules = 0, data = 0;
  bool known = true, done = false;
  ee_merged_init(&results);
  ee_status status = ee_row_reader_open(&reader, &file, 1, NULL, print_message, self, error);
  reader.jobs = (unsigned)self->options->jobs;
  reader.lean = true;
  while (status == EE_OK) {
    ee_stored_row row;
    status = ee_row_reader_next(&reader, &row, &done, error);
    if (status != EE_OK || done) break;
    add_hashes(&row, results.rows == 0, &rules, &data, &known);
    ee_merged_add_row(&results, &row, (ee_str){NULL, 0});
    uint64_t taken, total;
    ee_dataset_progress(reader.dataset, &taken, &total);
    ee_terminal_progress(&self->terminal, &(ee_progress){++self->rows, taken, total, NULL});
  }
  self->in_error += reader.unreadable + reader.duplicates;
  if (status == EE_OK && results.rows == 0)
    status = ee_error_set(error, EE_ERROR_DATA,
                          "'%s' is neither a summary (evalengine RULES DATA -f json) nor rows (--results)", file);
  if (status == EE_OK) ee_merged_finish(&results);
  if (status == EE_OK) ee_trend_add_rows(self->trend, file, &results, rules, known ? data : 0);
  ee_row_reader_close(&reader);
  ee_merged_fini(&results);
  return status;
}

/* The start of a file that is longer than any summary: then it is rows. */
static ee_status read_start(const char *file, ee_buffer *text, ee_error *error) {
  ee_byte_source *source = ee_byte_source_open(file, error);
  if (source == NULL) return EE_ERROR_SYSTEM;
  ee_status status = ee_byte_source_read_rest(source, SUMMARY_BYTES, text, error);
  ee_byte_source_close(source);
  return status;
}

static ee_status read_run(trend_command *self, const char *file, ee_error *error) {
  ee_buffer text;
  ee_arena arena;
  ee_error unread;
  ee_buffer_init(&text);
  ee_arena_init(&arena, 0);
  ee_status status = read_start(file, &text, error);
  const ee_value *document = NULL;
  if (status == EE_OK && text.length <= SUMMARY_BYTES)
    document = ee_json_read(&arena, (ee_str){text.data, text.length}, NULL, &unread);
  bool is_summary = document != NULL && ee_trend_is_summary(document);
  if (is_summary) ee_trend_add(self->trend, file, document);
  ee_arena_fini(&arena);
  ee_buffer_fini(&text);
  return status != EE_OK || is_summary ? status : read_rows(self, file, error);
}

/* Writing -------------------------------------------------------------------------------------- */

static ee_status write_report(trend_command *self, ee_error *error) {
  const ee_options *options = self->options;
  ee_table_style style = ee_terminal_style(options);
  ee_status status = style.choice != NULL ? ee_report_check_trend(self->trend, style.choice, error) : EE_OK;
  if (status != EE_OK) return status;
  ee_buffer text;
  ee_buffer_init(&text);
  ee_report_write_trend(options->format, self->trend, style, &text);
  const char *note;
  for (size_t i = 0; options->format->no_notes && (note = ee_trend_note(self->trend, i)) != NULL; i++) {
    ee_error warning;
    ee_error_set(&warning, EE_OK, "warning: %s", note);
    ee_terminal_message(&self->terminal, &warning);
  }
  status = ee_output_write_report(options->output, &text, NULL, error);
  ee_buffer_fini(&text);
  return status;
}

static int exit_status(trend_command *self) {
  const char *reason;
  if (ee_trend_fails(self->trend, &reason)) {
    static const char *const words[] = {"", "best", "mean", "last"};
    ee_error error;
    ee_error_set(&error, EE_OK, "--fail-below %s: %s", words[self->options->fail_below], reason);
    ee_terminal_fail(&self->terminal, &error);
    return 1;
  }
  return self->in_error > 0 ? EE_ERROR_DATA : EE_OK;
}

int ee_command_trend(const ee_options *options) {
  trend_command self = {.options = options};
  ee_error error = {0};
  ee_terminal_init(&self.terminal, options);
  ee_interrupt_end_at_once();
  ee_status status = check_options(options, &error);
  int result = (int)status;
  if (status == EE_OK) {
    self.trend = new_trend(options);
    for (size_t i = 0; i < options->operand_count && status == EE_OK; i++)
      status = read_run(&self, options->operands[i], &error);
    ee_terminal_clear(&self.terminal);
    if (status == EE_OK) status = ee_trend_finish(self.trend, &error);
    if (status == EE_OK) status = write_report(&self, &error);
    ee_terminal_rest(&self.terminal);
    result = status == EE_OK ? exit_status(&self) : (int)status;
  }
  if (result > 1 && error.message[0] != '\0') ee_terminal_fail(&self.terminal, &error);
  ee_trend_free(self.trend);
  return result;
}
