/* compared_states.c: states of comparisons, written and merged. What is refused here says what to do instead. */
#include "cli/compared_states.h"
#include "cli/interrupt.h"

#include <evalengine.h>
#include <inttypes.h>
#include <string.h>

#include "base/runtime.h"
#include "cli/merged_states.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "data/files/byte_source.h"
#include "report/comparison_state.h"
#include "run/parts/part_set.h"

/* Fields and cases that table and Markdown list, without --verbose. */
#define SHOWN 20

/* Options --------------------------------------------------------------------------------------- */

/* Of a report of the whole; `merge` takes them. */
static const char *const of_whole[] = {"format", "section",    "output",     "verbose",  "fail-on",
                                       "margin", "correction", "confidence", "annotate", NULL};
/* Of runs; comparisons have none of them. */
static const char *const of_runs[] = {"rows", "duplicates", "fail-under", "set", "only", "where", "expected", NULL};

static const char *first_given(const ee_options *options, const char *const *names) {
  for (; *names != NULL; names++)
    for (const ee_option_row *row = ee_option_rows; row->name != NULL; row++)
      if (strcmp(row->name, *names) == 0 && options->given[row - ee_option_rows] != NULL) return *names;
  return NULL;
}

ee_status ee_compared_state_check_options(const ee_options *options, ee_error *error) {
  if (options->state == NULL && options->part.of > 0)
    return ee_error_set(error, EE_ERROR_USAGE, "--part needs --state FILE: a part writes a state, which 'merge' reads");
  if (options->state == NULL) return EE_OK;
  if (options->operand_count > 2)
    return ee_error_set(
        error, EE_ERROR_USAGE,
        "--state compares two runs: for more, compare each with the first, or all rows without --state");
  const char *whole = first_given(options, of_whole);
  if (whole != NULL)
    return ee_error_set(error, EE_ERROR_USAGE,
                        "--%s does not apply beside --state: a part has no report; give it to 'merge'", whole);
  for (size_t i = 0; i < options->operand_count; i++)
    if (ee_output_is_same_file(options->state, options->operands[i]))
      return ee_error_set(error, EE_ERROR_USAGE, "'%s' is both read and written", options->state);
  return EE_OK;
}

/* Writing --------------------------------------------------------------------------------------- */

/* What decides totals, as ee_part has it. */
static ee_str options_text(const ee_options *options) {
  ee_arena *arena = options->arena;
  const char *threshold = options->threshold > 0 ? ee_arena_printf(arena, "|threshold:%.17g", options->threshold) : "";
  return ee_str_from(ee_arena_printf(arena, "%s%s%s", threshold, options->common ? "|common:yes" : "",
                                     options->force ? "|force:yes" : ""));
}

static void print_state(const ee_part *part, ee_id_hashes *ids, ee_comparison *comparison, ee_buffer *out) {
  ee_buffer ids_text = {0}, totals = {0};
  ee_state_line line;
  ee_state_write(&line, &ids_text);
  ee_id_hashes_state(&line, ids);
  ee_state_close(&line);
  ee_state_write(&line, &totals);
  ee_comparison_state(&line, comparison);
  ee_state_close(&line);
  ee_part_write(part, (ee_str){ids_text.data, ids_text.length}, (ee_str){totals.data, totals.length}, out);
  ee_buffer_fini(&ids_text);
  ee_buffer_fini(&totals);
}

ee_status ee_compared_state_write(const ee_options *options, ee_comparison *comparison, ee_error *error) {
  ee_status status = ee_comparison_finish_part(comparison, error);
  if (status != EE_OK) return status;
  ee_part part = {.kind = EE_STR("comparison"),
                  .version = EE_STR(EE_VERSION),
                  .rules_name = EE_STR(""),
                  .options = options_text(options),
                  .from = options->part.part,
                  .to = options->part.part,
                  .of = options->part.of};
  for (size_t i = 0; i < options->operand_count; i++)
    *EE_LIST_ADD(&part.inputs, options->arena) = ee_str_from(options->operands[i]);
  ee_id_hashes ids = {0};
  ee_comparison_part_ids(comparison, &ids);
  ee_buffer text = {0};
  print_state(&part, &ids, comparison, &text);
  ee_id_hashes_fini(&ids);
  status = ee_output_write_all(options->state, &text, error);
  ee_buffer_fini(&text);
  return status;
}

/* Merging --------------------------------------------------------------------------------------- */

typedef struct merge {
  const ee_options *options;
  ee_terminal terminal;
  ee_arena arena;
  ee_part_set set;
  ee_part whole; /* the joined header */
  ee_comparison *comparison;
  ee_id_pool ids;
  uint64_t repeated;  /* ids that several parts have */
  size_t repeated_in; /* the first such part */
} merge;

bool ee_compared_states_are_given(const ee_options *options) {
  static const char kind[] = "\"kind\":\"comparison\"";
  char start[256];
  size_t length = 0, got = 1;
  ee_error error;
  if (strcmp(options->operands[0], "-") == 0) return options->operand_count == 1;
  ee_byte_source *source = ee_byte_source_open(options->operands[0], &error);
  if (source == NULL) return false;
  while (length < sizeof start && got > 0 &&
         ee_byte_source_read(source, start + length, sizeof start - length, &got, &error) == EE_OK)
    length += got;
  ee_byte_source_close(source);
  /* Keys of streaming engines stand before it. */
  return memmem(start, length, "{\"evalengine_state\":", 20) != NULL &&
         memmem(start, length, kind, sizeof kind - 1) != NULL;
}

static ee_status check_format(const ee_options *options, ee_error *error) {
  ee_status status = ee_options_check_format(options, EE_DOCUMENT_COMPARISON, "merge", error);
  const ee_report_format *format = options->format;
  if (status != EE_OK || options->state != NULL) return status;
  bool of_cases = format->cases || (format->page == NULL && strcmp(format->name, "json") != 0);
  if (!of_cases) return EE_OK;
  return ee_error_set(error, EE_ERROR_USAGE,
                      "--format %s shows every case, which states of comparisons do not have: compare the rows of each "
                      "part for it, or choose table, markdown or json",
                      format->name);
}

static ee_status check_options(const ee_options *options, ee_error *error) {
  const char *other = first_given(options, of_runs);
  if (other != NULL) return ee_error_set(error, EE_ERROR_USAGE, "--%s does not apply to states of comparisons", other);
  ee_status status = check_format(options, error);
  if (status != EE_OK) return status;
  const char *whole = options->state != NULL ? first_given(options, of_whole) : NULL;
  if (whole != NULL)
    return ee_error_set(error, EE_ERROR_USAGE, "--%s does not apply beside --state: a state has no report", whole);
  if (options->fail_on == EE_FAIL_ON_MARGIN && !(options->margin > 0))
    return ee_error_set(error, EE_ERROR_USAGE, "--fail-on margin needs --margin, such as --margin 0.01");
  for (size_t i = 0; i < options->operand_count; i++) {
    const char *output = options->state != NULL ? options->state : options->output;
    if (output != NULL && ee_output_is_same_file(output, options->operands[i]))
      return ee_error_set(error, EE_ERROR_USAGE, "'%s' is both read and written", output);
  }
  return EE_OK;
}

static ee_status read_states(merge *self, ee_error *error) {
  const ee_options *options = self->options;
  ee_status status = ee_part_set_read(&self->set, options->operands, options->operand_count, NULL, error);
  if (status != EE_OK) return status;
  if (self->set.count == 0) return ee_error_set(error, EE_ERROR_RULES, "no states in '%s'", options->operands[0]);
  /* All must be made with the same options, whatever these are. */
  const ee_part *first = &self->set.items[0].part;
  const ee_part_wanted wanted = {"comparison", EE_STR(EE_VERSION), first->rules_name, first->rules_hash,
                                 first->options};
  const ee_part here = {.kind = EE_STR("comparison")};
  ee_error_list warnings;
  ee_error_list_init(&warnings);
  status = ee_part_set_match(&self->set, &wanted, &here, &warnings, error);
  ee_error_list_fini(&warnings);
  if (status == EE_OK) status = ee_part_set_check(&self->set, error);
  if (status != EE_OK || self->set.missing == NULL || options->state != NULL || options->partial) return status;
  return ee_error_set(error, EE_ERROR_RULES, "%s (--partial reports the others)",
                      ee_part_set_missing(&self->set, options->arena));
}

static void add_repeat(void *user, uint64_t hash, size_t owner) {
  merge *self = user;
  (void)hash;
  if (self->repeated++ == 0 || owner < self->repeated_in) self->repeated_in = owner;
}

static ee_comparison_options options_of(const merge *self) {
  const ee_options *options = self->options;
  const ee_part_set *set = &self->set;
  const char *missing = ee_part_set_missing(set, options->arena);
  return (ee_comparison_options){.fail_on = (ee_fail_on)options->fail_on,
                                 .correction = (ee_p_correction)options->correction,
                                 .confidence = options->confidence > 0 ? options->confidence : 0,
                                 .margin = options->margin,
                                 .missing_parts = missing,
                                 .shown = options->verbose ? 0 : SHOWN};
}

/* Adds the totals and ids of an entry. */
static ee_status add_entry(merge *self, size_t number, ee_error *error) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_value *body = NULL;
  ee_status status = ee_part_set_load(&self->set, number, &arena, &body, error);
  if (status == EE_OK) {
    ee_state_line line;
    ee_id_hashes ids = {0};
    ee_state_read(&line, ee_value_member(body, EE_STR("ids"), NULL));
    ee_id_hashes_state(&line, &ids);
    bool good = ee_state_close(&line);
    if (good) ee_id_pool_add(&self->ids, &ids, number); /* unreached: the state's checksum was right */
    ee_id_hashes_fini(&ids);
    const ee_comparison_options chosen = options_of(self);
    ee_comparison *part = ee_comparison_new(&chosen);
    ee_state_read(&line, ee_value_member(body, EE_STR("totals"), NULL));
    if (good) ee_comparison_state(&line, part); /* unreached: the state's checksum was right */
    good = ee_state_close(&line) && good;       /* unreached: the state's checksum was right */
    ee_error contradiction;
    if (!good) /* unreached: the state's checksum was right */
      /* unreached: as the line before */
      status = ee_part_set_refuse(&self->set, number, error, "a damaged state: its totals make no sense");
    else if (self->comparison == NULL)
      self->comparison = part;
    else if (ee_comparison_merge(self->comparison, part, &contradiction) != EE_OK)
      status = ee_part_set_refuse(&self->set, number, error, contradiction.message);
    if (part != self->comparison) ee_comparison_free(part);
  }
  ee_arena_fini(&arena);
  return status;
}

static ee_status check_ids(merge *self, ee_error *error) {
  ee_id_pool_finish(&self->ids);
  if (self->repeated == 0) return ee_comparison_check_trials(self->comparison, &self->ids.all, error);
  const char *message = ee_arena_printf(
      &self->arena,
      "%" PRIu64 " id%s in several parts (%s and an earlier one): cut the rows of both runs alike, or by "
      "id, so that each id is in one part",
      self->repeated, self->repeated == 1 ? " is" : "s are",
      ee_part_name(&self->set.items[self->repeated_in].part, &self->arena));
  return ee_part_set_refuse(&self->set, self->repeated_in, error, message);
}

/* Merges entries from `*next` on: with `all` every one, else those that follow each other. */
static ee_status merge_entries(merge *self, size_t *next, bool all, ee_error *error) {
  ee_status status = EE_OK;
  ee_comparison_free(self->comparison);
  self->comparison = NULL;
  ee_id_pool_fini(&self->ids);
  self->ids = (ee_id_pool){.repeated = add_repeat, .user = self};
  self->whole = ee_part_copy(&self->set.items[*next].part, &self->arena);
  for (size_t first = *next; *next < self->set.count && status == EE_OK; *next += 1) {
    if (*next > first && !all && !ee_part_set_follows(&self->set, *next)) break;
    if (*next > first) ee_part_join(&self->whole, &self->set.items[*next].part, &self->arena);
    status = add_entry(self, *next, error);
  }
  return status == EE_OK ? check_ids(self, error) : status;
}

static ee_status write_states(merge *self, ee_error *error) {
  ee_buffer text = {0};
  ee_status status = EE_OK;
  uint64_t cases = 0;
  for (size_t next = 0; next < self->set.count && status == EE_OK;) {
    status = merge_entries(self, &next, false, error);
    if (status != EE_OK) break;
    ee_comparison_settle_merged(self->comparison);
    print_state(&self->whole, &self->ids.all, self->comparison, &text);
    cases += ee_comparison_total_cases(self->comparison);
  }
  if (status == EE_OK) status = ee_output_write_all(self->options->state, &text, error);
  ee_buffer_fini(&text);
  if (status == EE_OK) ee_note_merged_states(&self->terminal, &self->set, cases);
  return status;
}

static ee_status write_report(merge *self, int *result, ee_error *error) {
  const ee_options *options = self->options;
  ee_table_style style = ee_terminal_style(options);
  size_t next = 0;
  ee_status status = merge_entries(self, &next, true, error);
  if (status == EE_OK) status = ee_comparison_finish_merged(self->comparison, error);
  if (status == EE_OK && style.choice != NULL)
    status = ee_report_check_comparison(self->comparison, style.choice, error);
  if (status != EE_OK) return status;
  ee_note_merged_states(&self->terminal, &self->set, ee_comparison_total_cases(self->comparison));
  ee_buffer text = {0};
  ee_report_write_comparison(options->format, self->comparison, style, &text);
  status = ee_output_write_all(options->output, &text, error);
  ee_buffer_fini(&text);
  ee_terminal_rest(&self->terminal);
  const char *reason;
  if (status != EE_OK) return status;
  *result = ee_comparison_skipped(self->comparison) > 0 ? EE_ERROR_DATA : EE_OK;
  if (!ee_comparison_fails(self->comparison, &reason)) return EE_OK;
  ee_error failure;
  ee_error_set(&failure, EE_OK, "--fail-on %s: %s", ee_fail_on_name((ee_fail_on)options->fail_on), reason);
  ee_terminal_fail(&self->terminal, &failure);
  *result = 1;
  return EE_OK;
}

int ee_merge_compared_states(const ee_options *options) {
  merge self = {.options = options};
  ee_error error = {0};
  int result = EE_OK;
  ee_terminal_init(&self.terminal, options);
  ee_arena_init(&self.arena, 0);
  ee_part_set_init(&self.set);
  ee_interrupt_end_at_once();
  ee_status status = check_options(options, &error);
  if (status == EE_OK) status = read_states(&self, &error);
  if (status == EE_OK)
    status = options->state != NULL ? write_states(&self, &error) : write_report(&self, &result, &error);
  ee_terminal_clear(&self.terminal);
  if (status != EE_OK) {
    result = (int)status;
    ee_terminal_fail(&self.terminal, &error);
  }
  ee_comparison_free(self.comparison);
  ee_id_pool_fini(&self.ids);
  ee_part_set_fini(&self.set);
  ee_arena_fini(&self.arena);
  return result;
}
