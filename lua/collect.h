/* collect.h: ee.summary and ee.report at work.
 *
 * They run on a Lua state of their own, which belongs to whoever commits cases, one call at a time and in the order of
 * the data: so what they return does not depend on the number of workers. A case crosses from its worker as its row
 * (one line of --results, with the expected value and the record); only rules that collect pay for it. */
#ifndef EE_LUA_COLLECT_H
#define EE_LUA_COLLECT_H

#include "base/buffer.h"
#include "data/json/state_line.h"
#include "judge/collector.h"
#include "lua/rule_file.h"

typedef struct ee_collector ee_collector;

/* Called with each error that a function raised, with its place. */
typedef void ee_collector_report(void *user, const ee_error *error);

/* A collector for the summaries of `plan` and, if it is not NULL, for `report`, one of the plan's. Its functions are in
 * `lua`, a state that has loaded the rule file; `owned`: it is freed with the collector, also when this fails. Calls
 * init of each summary. NULL with `error` when out of memory. */
ee_collector *ee_collector_new(const ee_plan *plan, const ee_report_rule *report, ee_lua *lua, bool owned,
                               ee_collector_report *on_error, void *user, ee_error *error);
/* The same with a new state. */
ee_collector *ee_collector_open(const ee_rule_file *file, const ee_report_rule *report, ee_collector_report *on_error,
                                void *user, ee_error *error);
void ee_collector_free(ee_collector *collector); /* NULL is allowed */

/* Adds a case: `row` is one line of JSON. Calls step of each summary and `case` of the report, whose text is appended
 * to `out`. Returns how many of these calls raised an error. */
uint64_t ee_collector_add(ee_collector *collector, ee_str row, ee_buffer *out);
/* The same for a row that was read already. */
uint64_t ee_collector_add_row(ee_collector *collector, const ee_value *row, ee_buffer *out);

/* Writes the states of all summaries, or reads them in place of those that it has. Calls save and load where they are
 * given; else states are plain values (lua/plain_text.h). EE_ERROR_RULES where one of these functions raises an error
 * or a state cannot be written: the part then has no state. Errors of step are in the states, too:
 * ee_collector_finish() returns them, but they are not counted in ee_collector_errors(). */
ee_status ee_collector_state(ee_collector *collector, ee_state_line *line, ee_error *error);
/* Reads the states of a part whose cases come later, and merges them with those that it has: calls merge. */
ee_status ee_collector_merge(ee_collector *collector, ee_state_line *line, ee_error *error);

/* Calls finish of each summary, the first time. The values live as long as the collector. */
ee_summary_values ee_collector_finish(ee_collector *collector);

/* Calls `done` of the report with `document`, the run as -f json prints it, and appends its text to `out`. False when
 * it raised an error. */
bool ee_collector_done(ee_collector *collector, ee_str document, ee_buffer *out);

/* Calls that raised an error until now: of init, finish and done too. */
uint64_t ee_collector_errors(const ee_collector *collector);

#endif
