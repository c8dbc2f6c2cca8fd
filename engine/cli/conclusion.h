/* conclusion.h: how a run ends: what becomes of its rows, its warnings, gates, report and exit status.
 *
 * An evaluation and a merge of its parts end the same way, with the same bytes. */
#ifndef EE_CLI_CONCLUSION_H
#define EE_CLI_CONCLUSION_H

#include "cli/load.h"
#include "cli/output.h"
#include "lua/collect.h"
#include "report/mistakes.h"

typedef struct ee_conclusion {
  /* Borrowed; set by the caller before ee_conclusion_open(). */
  const ee_options *options;
  ee_terminal *terminal;
  ee_arena *arena;
  ee_rule_file *rules;
  const ee_case_file *cases; /* the data set whose evaluators the rules are; NULL: they are a rule file */
  const char *const *data;   /* the names of the data, as they were given */
  size_t data_count;
  const ee_inference *inference; /* where the rules are from if the command line names none; else NULL */
  ee_annotations *annotations;   /* --annotate; NULL: none */

  ee_mistakes mistakes; /* what the report shows of them */
  ee_output report;
  bool rows_to_report;  /* --format jsonl, cases, promptfoo, agentv */
  ee_row_list listed;   /* what was written of them */
  ee_html_cases *page;  /* --format html: the cases in the report; NULL: none */
  ee_junit *tests;      /* --format junit: gates, cases and records in error; NULL: none */
  ee_gate *extra_gates; /* of the command line */
  ee_gate_result *gates;
  size_t gate_count;
  const ee_report_rule *own_report; /* of the rules, instead of a format; NULL: none */
  ee_collector *collector;          /* NULL: the rules collect nothing */
  ee_buffer collected;              /* texts of the report's cases */
  uint64_t errors_before;           /* of the collector, before the first case */
  bool done_failed;                 /* the end of the report raised an error */
} ee_conclusion;

/* What there is to conclude from. */
typedef struct ee_outcome_of_run {
  ee_run_result *run; /* the collector's errors are added to its totals */
  const ee_inputs *inputs;
  ee_expected_coverage expected;
  bool whole;                /* every record was read: only then expected values without a record are known */
  const char *unended;       /* ee_part_unended_text() */
  const char *missing_parts; /* of a merge: "parts 3, 5-6 of 8"; NULL: nothing is missing */
  bool one_missing;          /* it is one part */
  uint64_t counted_twice;    /* of a merge: cases with an id that an earlier part has */
} ee_outcome_of_run;

/* Before anything else that may fail. */
void ee_conclusion_init(ee_conclusion *self, const ee_options *options, ee_terminal *terminal, ee_arena *arena);
void ee_conclusion_fini(ee_conclusion *self);

/* Whether the report can be made: the names of its format, sections and gates. Before the data is opened. */
ee_status ee_conclusion_check(ee_conclusion *self, ee_error *error);
/* Opens a report on what `first` concluded, in another format: with its rules, data, gates and collector, which the
 * caller takes away before ee_conclusion_fini(). In place of the two functions above and below. */
ee_status ee_conclusion_repeat(ee_conclusion *self, const ee_conclusion *first, ee_error *error);
/* Opens what collects results, if the rules collect any: of a part, and of a merge before states are read. */
ee_status ee_conclusion_open_collector(ee_conclusion *self, ee_error *error);
/* Opens what collects results, if it is not open, then the report: a mistake leaves no file. */
ee_status ee_conclusion_open(ee_conclusion *self, ee_error *error);

/* Whether cases must be given as rows: to ee_conclusion_add_rows(), in order. */
bool ee_conclusion_wants_rows(const ee_conclusion *self);
/* Whether kinds of errors must be decided. */
bool ee_conclusion_wants_kinds(const ee_conclusion *self);
/* Whole lines, as ee_row_write() writes them. */
ee_status ee_conclusion_add_rows(ee_conclusion *self, const char *data, size_t length, ee_error *error);
/* A case for what collects, as ee_row_write_collected() writes it; as ee_run_hooks.collect. */
ee_status ee_conclusion_collect(ee_conclusion *self, ee_str row, uint64_t *errors, ee_error *error);
/* An error or warning: printed, and in reports that list them. */
void ee_conclusion_add_error(ee_conclusion *self, const ee_error *error);
/* The same of a part, whose name (may be NULL) is in the printed message. */
void ee_conclusion_add_error_of(ee_conclusion *self, const ee_error *error, const char *part);

/* Ends a run that came to its end: warns, decides the gates, writes the report; `*result` is the exit status. Fails
 * where the report cannot be written. */
ee_status ee_conclude(ee_conclusion *self, const ee_outcome_of_run *outcome, int *result, ee_error *error);

/* Says that the results are incomplete; nothing if `unended` is NULL. */
void ee_conclusion_warn_unended(ee_terminal *terminal, const char *unended);

/* Whether a judge is in error: an error of the run, whether the rules or the expected values are to blame. */
bool ee_judges_failed(const ee_totals *totals);

#endif
