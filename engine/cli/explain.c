/* explain.c: `evalengine explain`: judges single cases and prints them in full, with how every value was compared. */
#include "cli/commands.h"
#include "cli/evaluate.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/wanted_cases.h"
#include "report/case_report.h"

typedef struct explanation {
  const ee_options *options;
  ee_terminal terminal;
  ee_arena arena;
  ee_wanted_cases wanted;
  size_t count; /* of cases that were printed */
  ee_buffer text;
} explanation;

static bool wants(void *user, const ee_case *current) {
  ee_wanted_cases *wanted = &((explanation *)user)->wanted;
  if (current->trials != NULL && ee_wanted_cases_have_trials(wanted, ee_case_base(current))) return true;
  return ee_wanted_cases_have(wanted, current->id, ee_case_base(current));
}

static bool has_judge(const ee_stored_row *row, const char *name) {
  for (size_t i = 0; i < row->judge_count; i++)
    if (ee_str_is(row->judges[i].name, name)) return true;
  return false;
}

static ee_status check_judge(explanation *self, const ee_stored_row *row, ee_error *error) {
  const char *name = self->options->judge;
  if (name == NULL || has_judge(row, name)) return EE_OK;
  const char **names = EE_NEW_ARRAY(&self->arena, const char *, row->judge_count + 1);
  for (size_t i = 0; i < row->judge_count; i++)
    names[i] = ee_arena_copy(&self->arena, row->judges[i].name.data, row->judges[i].name.length);
  return ee_error_set(error, EE_ERROR_USAGE, "no judge '%s' in the rule file%s", name,
                      ee_suggestion(&self->arena, ee_str_from(name), names));
}

static ee_status add_row(void *user, const ee_stored_row *row, ee_error *error) {
  explanation *self = user;
  if (!ee_wanted_cases_have(&self->wanted, row->id, row->base)) return EE_OK;
  const ee_options *options = self->options;
  ee_table_style style = ee_terminal_style(options);
  const ee_one_case one = {
      .row = row, .judge = options->judge != NULL ? ee_str_from(options->judge) : (ee_str){NULL, 0}, .style = style};
  ee_status status = check_judge(self, row, error);
  if (status == EE_OK && style.choice != NULL) status = ee_report_check_case(&one, style.choice, error);
  if (status != EE_OK) return status;
  if (self->count++ > 0 && options->format->page != NULL) ee_buffer_add_char(&self->text, '\n');
  ee_report_write_case(options->format, &one, style, &self->text);
  return EE_OK;
}

static ee_status take(void *user, const char *rows, size_t length, ee_error *error) {
  return ee_stored_rows_read((ee_str){rows, length}, add_row, user, error);
}

static ee_status check_options(const ee_options *options, ee_error *error) {
  ee_status status = ee_options_check_format(options, EE_DOCUMENT_CASE, "explain", error);
  if (status != EE_OK) return status;
  const ee_command_row *evaluation = ee_evaluation_of(options);
  if (options->operand_count < evaluation->min)
    return ee_error_set(error, EE_ERROR_USAGE, "no data set: evalengine explain %s DATA.jsonl --case ID",
                        options->operands[0]);
  if (options->cases.count > 0) return ee_wanted_cases_check_format(options, error);
  return ee_error_set(error, EE_ERROR_USAGE, "'explain' needs the id of a case: --case ID");
}

int ee_command_explain(const ee_options *options) {
  explanation self = {.options = options};
  ee_error error = {0};
  ee_terminal_init(&self.terminal, options);
  ee_arena_init(&self.arena, 0);
  ee_wanted_cases_init(&self.wanted, &options->cases, &self.arena);
  int result = (int)check_options(options, &error);
  if (result == EE_OK) {
    ee_options evaluation = *options;
    evaluation.command = ee_evaluation_of(options);
    result = ee_evaluate_for(&evaluation, &(ee_case_taker){&self, wants, take});
    ee_status status =
        result == EE_OK || self.count > 0 ? ee_wanted_cases_check(&self.wanted, "the data", &error) : EE_OK;
    if (status == EE_OK && self.count > 0) status = ee_output_write_all(options->output, &self.text, &error);
    if (status != EE_OK) result = (int)status;
  }
  if (error.message[0] != '\0') ee_terminal_fail(&self.terminal, &error);
  ee_buffer_fini(&self.text);
  ee_arena_fini(&self.arena);
  return result;
}
