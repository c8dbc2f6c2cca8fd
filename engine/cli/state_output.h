/* state_output.h: --state: writes the state of a part of a run, in place of a report. */
#ifndef EE_CLI_STATE_OUTPUT_H
#define EE_CLI_STATE_OUTPUT_H

#include "cli/load.h"
#include "cli/output.h"
#include "judge/result.h"
#include "lua/collect.h"
#include "run/parts/part.h"

/* Which rows --keep writes. */
typedef struct ee_kept_rows {
  bool all, failed, borderline;
  uint64_t below;    /* ids whose hash is below; 0: none */
  const char *words; /* as the rows have them; NULL: all rows are kept */
} ee_kept_rows;

typedef struct ee_state_output {
  const ee_options *options;
  ee_arena *arena;
  ee_part part;
  ee_id_set ids;
  ee_id_hashes except;
  ee_kept_rows kept;
  ee_output output;
} ee_state_output;

/* EE_ERROR_USAGE for options of parts without --state, and beside it for those of a report. */
ee_status ee_state_output_check_options(const ee_options *options, ee_error *error);
/* The first option on the command line that is about a report, which a state has not; NULL: none. */
const char *ee_state_output_misplaced(const ee_options *options);
/* EE_ERROR_USAGE for rules that cannot judge a part by itself. */
ee_status ee_state_output_check_plan(const ee_options *options, const ee_plan *plan, ee_error *error);

/* EE_ERROR_RULES if the summaries cannot be written as they begin: better now than after the last case. */
ee_status ee_state_output_check_summaries(ee_collector *collector, ee_error *error);

/* Chooses the part of the data, reads --except, opens the file. ee_state_output_close() in any case. */
ee_status ee_state_output_open(ee_state_output *self, const ee_options *options, const ee_plan *plan,
                               const ee_inputs *inputs, ee_arena *arena, ee_error *error);
/* Writes the state of a run that came to its end. `collector` has its summaries; NULL: the rules have none. */
ee_status ee_state_output_write(ee_state_output *self, ee_run_result *run, const ee_inputs *inputs,
                                ee_collector *collector, ee_error *error);
void ee_state_output_close(ee_state_output *self);

/* Whether the row of a case is written. */
bool ee_state_output_keeps(const ee_kept_rows *kept, const ee_case_result *result);

/* Adds the names of the inputs that could not be read to their ends, after the last record. */
void ee_state_output_add_unended(const ee_inputs *inputs, ee_part *part, ee_arena *arena);

/* The header that this command line, these rules and this program give: kind, version, libraries, rules, options. */
void ee_state_output_describe(const ee_options *options, const ee_plan *plan, ee_arena *arena, ee_part *part);
/* A line of a run. EE_ERROR_RULES where a summary cannot be written. */
ee_status ee_state_output_print(const ee_part *part, ee_id_hashes *ids, ee_totals *totals, ee_collector *collector,
                                ee_buffer *out, ee_error *error);

#endif
