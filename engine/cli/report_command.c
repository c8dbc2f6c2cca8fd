/* report_command.c: `evalengine report`: rows of results to a table of attributes. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/deciding_options.h"
#include "cli/interrupt.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/row_reader.h"
#include "cli/wanted_cases.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "lua/collect.h"
#include "report/merged_results.h"
#include "report/row.h"

/* Names that are kept for a suggestion. */
#define MAX_NAMES 200
/* Text of cases that is written at once. */
#define FLUSH_BYTES ((size_t)64 * 1024)

typedef struct report {
  const ee_options *options;
  const char *dataset; /* the last --dataset; NULL: none */
  ee_terminal terminal;
  const volatile sig_atomic_t *interrupt;
  ee_arena arena;
  ee_rule_file *rules;    /* NULL without --rules */
  ee_provider *provider;  /* NULL where the rules need none */
  ee_expected_set *cases; /* NULL without --dataset */
  bool ids_only;          /* the expected values of `cases` are unknown */
  ee_row_reader reader;
  ee_error_list row_errors; /* with --rules: printed after the run */
  uint64_t unlisted;
  ee_named_ids other_expected;
  ee_merged_results pool;
  ee_mistakes mistakes;
  ee_run_result again; /* with --rules */
  bool judge_found;
  const char *names[MAX_NAMES + 1]; /* of judges, until --judge is found; ended by NULL */
  size_t name_count;
  ee_wanted_cases wanted;           /* of --case */
  bool any_case;                    /* one has been printed */
  ee_buffer text;                   /* of cases, or of a report of the rules */
  ee_row_list listed;               /* of a format that is a list of cases */
  const ee_report_rule *own_report; /* of the rules, instead of a format; NULL: none */
  ee_collector *collector;          /* NULL: nothing collects results */
  ee_junit *tests;                  /* --format junit; NULL: none */
  ee_output output;
  ee_html_cases *page; /* --format html: the cases in the report; NULL: none */
} report;

/* The command line ----------------------------------------------------------------------------- */

static ee_status check_standard_input(const report *self, ee_error *error) {
  const ee_options *options = self->options;
  if (self->dataset == NULL || strcmp(self->dataset, "-") != 0) return EE_OK;
  for (size_t i = 0; i < options->operand_count; i++)
    if (strcmp(options->operands[i], "-") == 0)
      return ee_error_set(error, EE_ERROR_USAGE, "standard input '-' is both --dataset and results");
  return EE_OK;
}

static ee_status check_output(const report *self, ee_error *error) {
  const ee_options *options = self->options;
  if (options->output == NULL) return EE_OK;
  bool read = self->dataset != NULL && ee_output_is_same_file(options->output, self->dataset);
  for (size_t i = 0; i < options->operand_count; i++)
    read = read || ee_output_is_same_file(options->output, options->operands[i]);
  return read ? ee_error_set(error, EE_ERROR_USAGE, "'%s' is both read and written", options->output) : EE_OK;
}

static ee_status check_options(const report *self, ee_error *error) {
  const ee_options *options = self->options;
  ee_status format = options->cases.count > 0
                         ? ee_options_check_format(options, EE_DOCUMENT_CASE, "report --case", error)
                         : ee_options_check_format(options, EE_DOCUMENT_MERGED, "report", error);
  if (format == EE_OK) format = ee_wanted_cases_check_format(options, error);
  if (format != EE_OK) return format;
  const char *of_rules = options->rules == NULL ? ee_options_misplaced(options, EE_IN_REPORT) : NULL;
  if (of_rules != NULL)
    return ee_error_set(error, EE_ERROR_USAGE, "--%s does not apply to 'report' without --rules", of_rules);
  ee_status status = check_standard_input(self, error);
  return status == EE_OK ? check_output(self, error) : status;
}

/* Judges by name ------------------------------------------------------------------------------- */

static void keep_name(report *self, ee_str name) {
  if (self->name_count == MAX_NAMES) return;
  for (size_t i = 0; i < self->name_count; i++)
    if (ee_str_is(name, self->names[i])) return;
  self->names[self->name_count++] = ee_arena_copy(&self->arena, name.data, name.length);
}

static void look_for_judge(report *self, ee_str name) {
  if (self->options->judge == NULL || self->judge_found) return;
  self->judge_found = ee_str_is(name, self->options->judge);
  if (!self->judge_found) keep_name(self, name);
}

static ee_status check_judge(report *self, const char *where, ee_error *error) {
  const char *judge = self->options->judge;
  if (judge == NULL || self->judge_found) return EE_OK;
  const char *near = ee_did_you_mean(judge, self->names);
  if (near != NULL)
    return ee_error_set(error, EE_ERROR_USAGE, "no judge '%s' in %s (did you mean '%s'?)", judge, where, near);
  ee_buffer names;
  ee_buffer_init(&names);
  for (size_t i = 0; i < self->name_count; i++) ee_buffer_addf(&names, "%s'%s'", i > 0 ? ", " : "", self->names[i]);
  ee_status status = ee_error_set(error, EE_ERROR_USAGE, "no judge '%s' in %s%s%s", judge, where,
                                  self->name_count > 0 ? ": there is " : "", ee_buffer_terminate(&names));
  ee_buffer_fini(&names);
  return status;
}

/* Whether the rules judge the candidates again. A report of the rules takes the rows as they are, unless a data set is
 * there to judge them by. */
static bool judges_again(const report *self) {
  return self->rules != NULL && (self->own_report == NULL || self->dataset != NULL);
}

static ee_str selected(const report *self) {
  return self->options->judge != NULL ? ee_str_from(self->options->judge) : (ee_str){NULL, 0};
}

/* Opening -------------------------------------------------------------------------------------- */

static void print_error(void *user, const ee_error *error) {
  report *self = user;
  if (self->tests != NULL) ee_junit_add_error(self->tests, error);
  ee_terminal_message(&self->terminal, error);
}

/* Reports an invalid row. While judging again, workers read rows: then the errors are printed after the run. */
static void on_row_error(void *user, const ee_error *error) {
  report *self = user;
  if (!judges_again(self))
    print_error(self, error);
  else if (self->row_errors.count < EE_UNSPLIT_LISTED)
    ee_error_list_add(&self->row_errors, error);
  else
    self->unlisted++;
}

/* Reads the cases of the data set. `last`: print its errors even when it cannot be read. */
static ee_expected_set *read_cases(report *self, const ee_record_paths *paths, bool last, ee_error *failure) {
  ee_error_list errors;
  ee_error_list_init(&errors);
  *failure = (ee_error){.status = EE_ERROR_SYSTEM};
  ee_expected_set *cases = ee_expected_set_open(self->dataset, paths, NULL, &errors, failure);
  for (size_t i = 0; i < errors.count && (last || cases != NULL); i++)
    ee_terminal_message(&self->terminal, &errors.items[i]);
  ee_error_list_fini(&errors);
  return cases;
}

static ee_status open_cases(report *self, ee_error *error) {
  if (self->dataset == NULL) return EE_OK;
  const ee_record_paths own = ee_load_paths(self->options);
  const ee_record_paths *paths = self->rules != NULL ? &ee_rule_file_plan(self->rules)->paths : &own;
  bool again = self->rules == NULL && strcmp(self->dataset, "-") != 0;
  ee_error failure, ignored;
  self->cases = read_cases(self, paths, !again, &failure);
  if (self->cases == NULL && again && failure.status == EE_ERROR_DATA) {
    /* Only the rule file may know the path of expected values; for stored results the ids are enough. */
    static const ee_path whole = {.text = {"$", 1}}, *const paths_of_all[] = {&whole};
    ee_record_paths ids = own;
    ids.expected = (ee_path_list){paths_of_all, 1};
    self->cases = read_cases(self, &ids, true, &ignored);
    self->ids_only = true;
  }
  if (self->cases == NULL) {
    *error = failure;
    return failure.status;
  }
  if (ee_expected_set_coco(self->cases) == NULL) return EE_OK;
  return ee_error_set(error, EE_ERROR_USAGE, "'%s' is a COCO file: --dataset takes JSONL or a YAML data set",
                      self->dataset);
}

static ee_status open_rules(report *self, ee_error *error) {
  const ee_options *options = self->options;
  if (options->rules == NULL) return EE_OK;
  if (ee_is_yaml_name(options->rules) && !ee_names_rules(options, options->rules))
    return ee_error_set(error, EE_ERROR_USAGE,
                        "--rules takes a rule file (.lua), not the data set '%s' (without 'report', it judges results "
                        "itself)",
                        options->rules);
  self->rules = ee_load_rules(options, options->rules, &self->terminal);
  if (self->rules == NULL) return EE_ERROR_RULES;
  const ee_plan *plan = ee_rule_file_plan(self->rules);
  self->pool.confidence = plan->confidence;
  for (size_t i = 0; i < plan->judge_count; i++) look_for_judge(self, plan->judges[i]->name);
  ee_status status = check_judge(self, "the rule file", error);
  if (status == EE_OK) status = ee_find_report(options, plan, &self->own_report, error);
  if (status != EE_OK || !judges_again(self)) return status;
  return ee_open_provider(plan, options, &self->terminal, &self->provider, error);
}

static void report_function(void *user, const ee_error *error) {
  ee_terminal_message(&((report *)user)->terminal, error);
}

/* Summaries belong to the report of all cases and judges. */
static ee_status open_collector(report *self, ee_error *error) {
  const ee_options *options = self->options;
  if (self->rules == NULL) return EE_OK;
  bool summaries = ee_rule_file_plan(self->rules)->summary_count > 0 && options->cases.count == 0 &&
                   options->format->row == NULL && options->format->listed == NULL && options->judge == NULL;
  if (!summaries && self->own_report == NULL) return EE_OK;
  self->collector = ee_collector_open(self->rules, self->own_report, report_function, self, error);
  return self->collector != NULL ? EE_OK : EE_ERROR_RULES;
}

/* The tests have the name of the rules, else of the first file of results. */
static void open_tests(report *self) {
  const ee_options *options = self->options;
  if (!options->format->tests || options->cases.count > 0) return;
  const char *slash = strrchr(options->operands[0], '/');
  ee_str name = ee_str_from(slash != NULL ? slash + 1 : options->operands[0]);
  const char *dot = memchr(name.data + (name.length > 0), '.', name.length - (name.length > 0));
  if (dot != NULL) name.length = (size_t)(dot - name.data);
  if (ee_str_is(name, "-")) name = EE_STR("results");
  self->tests = ee_junit_new(self->rules != NULL ? ee_rule_file_plan(self->rules)->name : name);
}

static ee_status open_all(report *self, ee_error *error) {
  const ee_options *options = self->options;
  ee_status status = check_options(self, error);
  if (status == EE_OK) status = open_rules(self, error);
  if (status == EE_OK) status = open_cases(self, error);
  if (status == EE_OK)
    status =
        ee_row_reader_open(&self->reader, options->operands, options->operand_count, NULL, on_row_error, self, error);
  if (status == EE_OK) open_tests(self);
  self->reader.expected = self->cases;
  self->reader.answers_only = judges_again(self);
  if (status == EE_OK && options->format->cases && options->cases.count == 0) {
    self->page = ee_html_cases_new((unsigned)options->jobs, error);
    if (self->page == NULL) status = EE_ERROR_SYSTEM; /* unreached: no temporary file: make faults */
  }
  return status == EE_OK ? open_collector(self, error) : status;
}

/* Cases ---------------------------------------------------------------------------------------- */

/* Whether cases are printed instead of a report of all of them. */
static bool prints_cases(const report *self) {
  return self->options->cases.count > 0 || self->options->format->row != NULL ||
         self->options->format->listed != NULL || self->tests != NULL;
}

static ee_status write_case(report *self, const ee_stored_row *row, ee_error *error) {
  const ee_options *options = self->options;
  ee_table_style style = ee_terminal_style(options);
  const ee_one_case one = {.row = row, .judge = selected(self), .style = style};
  if (self->any_case && options->format->page != NULL) ee_buffer_add_char(&self->text, '\n');
  self->any_case = true;
  ee_status status = style.choice != NULL ? ee_report_check_case(&one, style.choice, error) : EE_OK;
  if (status == EE_OK) ee_report_write_case(options->format, &one, style, &self->text);
  return status;
}

static ee_status flush(report *self, ee_error *error) {
  ee_status status = EE_OK;
  if (self->output.descriptor < 0) status = ee_output_open(&self->output, self->options->output, error);
  if (status == EE_OK) status = ee_output_write(&self->output, self->text.data, self->text.length, error);
  ee_buffer_clear(&self->text);
  return status;
}

/* Prints a row as a case. */
static ee_status add_case(report *self, const ee_stored_row *row, ee_error *error) {
  if (self->options->cases.count > 0) return write_case(self, row, error);
  if (self->tests != NULL) {
    ee_junit_add_case(self->tests, row, selected(self));
    return EE_OK;
  }
  const ee_report_format *format = self->options->format;
  if (format->listed != NULL)
    format->listed(row, selected(self), &self->listed, &self->text);
  else
    format->row(row, selected(self), ee_terminal_style(self->options), &self->text);
  return self->text.length < FLUSH_BYTES ? EE_OK : flush(self, error);
}

/* What the rules collect ------------------------------------------------------------------------ */

static void format_collected(void *user, const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  (void)user;
  ee_row_write_collected(result, scratch, out);
}

static ee_status flush_large(report *self, ee_error *error) {
  return self->text.length < FLUSH_BYTES ? EE_OK : flush(self, error);
}

static ee_status collect(void *user, ee_str row, uint64_t *errors, ee_error *error) {
  report *self = user;
  *errors = ee_collector_add(self->collector, row, &self->text);
  return flush_large(self, error);
}

/* Ends the summaries. */
static void finish_collecting(report *self) {
  if (self->collector == NULL) return;
  uint64_t before = judges_again(self) ? ee_collector_errors(self->collector) : 0;
  self->pool.summaries = ee_collector_finish(self->collector);
  self->pool.rule_errors += ee_collector_errors(self->collector) - before;
}

/* The end of a report of the rules, after the texts of the cases. */
static ee_status write_own_report(report *self, ee_error *error) {
  ee_buffer document;
  ee_buffer_init(&document);
  ee_merged_json(&self->pool, &document);
  bool good = ee_collector_done(self->collector, (ee_str){document.data, document.length}, &self->text);
  self->pool.rule_errors += !good;
  ee_buffer_fini(&document);
  ee_status status = flush(self, error);
  return status == EE_OK ? ee_output_close(&self->output, true, error) : status;
}

/* Judging again -------------------------------------------------------------------------------- */

typedef struct again {
  report *report;
  const ee_plan *plan;
  ee_row_reader *reader;
  ee_stored_row row;
  bool has_row;     /* the first one was read before the run */
  ee_status status; /* of reading */
  ee_error error;
} again;

/* The row's candidate: under a known name, at the path of the rule file, or under AgentV's name. */
static const ee_value *find_candidate(const again *self) {
  ee_arena *arena = &self->reader->arena;
  const ee_value *record = self->row.record;
  const ee_value *found = ee_record_find_candidate(record, NULL, arena);
  if (ee_type_of(found) <= EE_NULL) found = ee_record_find_candidate(record, &self->plan->paths.candidate, arena);
  return ee_type_of(found) > EE_NULL ? found : ee_value_member(record, EE_STR("answer"), arena);
}

/* The expected value of the row; NULL, with an error, if it has none. */
static const ee_value *find_expected(const again *self, ee_error *error) {
  ee_case row;
  ee_status status = ee_record_read(self->row.record, NULL, NULL, &self->reader->arena, &row, error);
  return status == EE_OK ? row.expected : NULL;
}

/* Appends what a row in full detail says of its record: rules and slices may look at it. */
static void write_rest(const ee_value *row, ee_buffer *text) {
  static const char *const known[] = {"id", "expected", "candidate", "trial"};
  const ee_value *rest = ee_value_member(row, EE_STR("record"), NULL);
  if (ee_type_of(rest) != EE_OBJECT) return;
  for (const ee_value *member = ee_value_child(rest); member != NULL; member = ee_value_next(member)) {
    ee_str key = ee_value_key(member);
    bool taken = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) taken = taken || ee_str_is(key, known[i]);
    if (taken) continue;
    ee_buffer_add_char(text, ',');
    ee_json_write_string(text, key);
    ee_buffer_add_char(text, ':');
    ee_json_write_value(text, member);
  }
}

/* Appends the row as a record, {"id", "expected", "candidate", ...}; false with an error when neither the row nor a
 * data set has an expected value. */
static bool write_record(const again *self, ee_buffer *text, ee_error *error) {
  const ee_value *expected = self->reader->expected == NULL ? find_expected(self, error) : NULL;
  if (self->reader->expected == NULL && expected == NULL) return false;
  ee_buffer_add_text(text, "{\"id\":");
  ee_json_write_string(text, self->row.base);
  if (self->row.trial.data != NULL) {
    ee_buffer_add_text(text, ",\"trial\":");
    ee_json_write_string(text, self->row.trial);
  }
  if (expected != NULL) {
    ee_buffer_add_text(text, ",\"expected\":");
    ee_json_write_value(text, expected);
  }
  ee_buffer_add_text(text, ",\"candidate\":");
  ee_json_write_value(text, find_candidate(self));
  write_rest(self->row.record, text);
  ee_buffer_add_char(text, '}');
  return true;
}

/* Reads the next row; false at the end, or when reading failed. */
static bool next_row(again *self) {
  if (self->has_row) {
    self->has_row = false;
    return true;
  }
  bool done = true;
  self->status = ee_row_reader_next(self->reader, &self->row, &done, &self->error);
  return self->status == EE_OK && !done;
}

static bool make_record(void *user, ee_buffer *text) {
  again *self = user;
  while (next_row(self)) {
    if (!ee_wanted_cases_have(&self->report->wanted, self->row.id, self->row.base)) continue;
    ee_error error = {0};
    if (write_record(self, text, &error)) return true;
    ee_row_reader_refuse(self->reader, error.message);
  }
  return false;
}

/* Reads the first row before anything is judged. */
static ee_status check_first(again *self, ee_error *error) {
  self->has_row = next_row(self);
  if (self->status != EE_OK) {
    *error = self->error;
    return self->status;
  }
  ee_error ignored;
  if (!self->has_row || self->reader->expected != NULL || find_expected(self, &ignored) != NULL) return EE_OK;
  return ee_error_set(error, EE_ERROR_USAGE, "the results have no expected values: add --dataset FILE, their data set");
}

static void show_progress(void *user, uint64_t cases, const ee_sample *scores, uint64_t taken, uint64_t total) {
  (void)taken, (void)total;
  ee_terminal_progress(&((report *)user)->terminal, &(ee_progress){cases, 0, 0, scores});
}

static void format_row(void *user, const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  (void)user;
  ee_row_write(result, scratch, out);
}

static ee_status take_row(void *user, const ee_stored_row *row, ee_error *error) { return add_case(user, row, error); }

/* Takes the rows of judged cases, for a report of cases or with them. */
static ee_status take_rows(void *user, const char *data, size_t length, ee_error *error) {
  report *self = user;
  ee_status status = ee_mistakes_need_rows(&self->mistakes)
                         ? ee_mistakes_add_rows(&self->mistakes, (ee_str){data, length}, error)
                         : EE_OK;
  if (status != EE_OK) return status;
  if (self->page != NULL) return ee_html_cases_add_rows(self->page, data, length, error);
  if (!prints_cases(self)) return EE_OK;
  return ee_stored_rows_read((ee_str){data, length}, take_row, user, error);
}

static void end_at_once(void *user) {
  (void)user;
  ee_interrupt_end_at_once();
}

/* Judges the rows by the rule file into `*result`: against the data set, or without one against the expected values of
 * the rows. The reader reports mistakes in rows while they are read; errors of rules go to the terminal.
 * EE_ERROR_USAGE, before anything is judged, when there is neither a data set nor an expected value in the first row.
 * ee_totals_fini(&result->totals) in either case. */
static ee_status judge_again(report *report_of, ee_run_result *result, ee_error *error) {
  const ee_plan *plan = ee_rule_file_plan(report_of->rules);
  const ee_options *options = report_of->options;
  again self = {.report = report_of, .plan = plan, .reader = &report_of->reader};
  *result = (ee_run_result){0};
  ee_status status = check_first(&self, error);
  if (status != EE_OK) return status;
  /* The records have the known names; the values of slices are in the data set, or in rows in full detail. */
  ee_plan rows_plan = *plan;
  rows_plan.paths = (ee_record_paths){0};
  const ee_path *trial = ee_path_parse(&report_of->arena, EE_STR("trial"), NULL), *const trial_paths[] = {trial};
  if (self.has_row && self.row.trial.data != NULL) rows_plan.paths.trial = (ee_path_list){trial_paths, 1};
  const ee_value *detail = self.has_row ? ee_value_member(self.row.record, EE_STR("detail"), NULL) : NULL;
  bool full = ee_type_of(detail) == EE_STRING && ee_str_is(ee_value_text(detail), "full");
  if (report_of->cases == NULL && !full) rows_plan.slice_count = 0;
  ee_dataset *rows = ee_dataset_open_made(options->operands[0], 0, make_record, &self);
  bool wants_rows = prints_cases(report_of) || ee_mistakes_need_rows(&report_of->mistakes);
  report_of->interrupt = ee_interrupt_watch();
  ee_run_options run = {.jobs = (unsigned)options->jobs,
                        .kinds = wants_rows || report_of->mistakes.choice.kinds ||
                                 options->format->merged == ee_merged_json || options->format->cases,
                        .expected = report_of->reader.expected,
                        .provider = report_of->provider,
                        .detail =
                            report_of->page != NULL || options->cases.count > 0 ? EE_DETAIL_FULL : EE_DETAIL_MISSES,
                        .interrupted = report_of->interrupt,
                        .hooks = {.user = report_of,
                                  .format = wants_rows || report_of->page != NULL ? format_row : NULL,
                                  .write = take_rows,
                                  .format_collected = report_of->collector != NULL ? format_collected : NULL,
                                  .collect = report_of->collector != NULL ? collect : NULL,
                                  .report = print_error,
                                  .judged = end_at_once,
                                  .progress = show_progress}};
  status = ee_run(&rows_plan, rows, &run, result, error);
  result->totals.plan = plan; /* not the copy, which ends here */
  if (status == EE_OK && self.status != EE_OK) {
    status = self.status;
    *error = self.error;
  }
  ee_dataset_close(rows);
  return status;
}

/* Pooling -------------------------------------------------------------------------------------- */

static ee_status pool_stored(report *self, ee_error *error) {
  ee_row_reader *reader = &self->reader;
  bool whole =
      prints_cases(self) || self->page != NULL || self->collector != NULL || ee_mistakes_need_rows(&self->mistakes);
  reader->lean = !whole;
  reader->jobs = (unsigned)self->options->jobs;
  ee_stored_row row;
  bool done;
  ee_status status;
  while ((status = ee_row_reader_next(reader, &row, &done, error)) == EE_OK && !done) {
    if (!ee_wanted_cases_have(&self->wanted, row.id, row.base)) continue;
    for (size_t i = 0; i < row.judge_count; i++) look_for_judge(self, row.judges[i].name);
    if (prints_cases(self)) status = add_case(self, &row, error);
    if (status == EE_OK && self->page != NULL) status = ee_html_cases_add_row(self->page, row.record, error);
    if (self->collector != NULL) ee_collector_add_row(self->collector, row.record, &self->text);
    if (status == EE_OK && self->collector != NULL) status = flush_large(self, error);
    if (status != EE_OK) break;
    if (reader->expected_value != NULL && !self->ids_only && row.has_hash &&
        ee_value_hash(reader->expected_value) != row.expected_hash)
      ee_named_ids_add(&self->other_expected, row.id);
    ee_merged_add_row(&self->pool, &row, selected(self));
    if (ee_mistakes_need_rows(&self->mistakes)) ee_mistakes_add_row(&self->mistakes, &row);
    uint64_t taken, total;
    ee_dataset_progress(reader->dataset, &taken, &total);
    ee_terminal_progress(&self->terminal, &(ee_progress){self->pool.rows, taken, total, &self->pool.score});
  }
  self->pool.other_expected = self->other_expected.count;
  ee_merged_finish(&self->pool);
  return status == EE_OK && self->pool.rows > 0 ? check_judge(self, "the results", error) : status;
}

static ee_status pool_again(report *self, ee_error *error) {
  ee_status status = judge_again(self, &self->again, error);
  if (status == EE_OK) ee_merged_add_totals(&self->pool, &self->again.totals, selected(self));
  if (status == EE_OK) ee_merged_finish(&self->pool);
  if (status == EE_OK) self->pool.plan = ee_rule_file_plan(self->rules);
  for (size_t i = 0; i < self->row_errors.count; i++) print_error(self, &self->row_errors.items[i]);
  self->terminal.data_messages += self->unlisted;
  return status;
}

/* Counts rows without a case and cases without a row. */
static void count_coverage(report *self) {
  ee_merged_results *pool = &self->pool;
  pool->unreadable += self->reader.unreadable;
  pool->duplicates += self->reader.duplicates;
  pool->without_case = self->reader.without_case.count;
  pool->has_dataset = self->cases != NULL;
  if (self->cases == NULL) return;
  pool->cases = ee_expected_set_count(self->cases);
  const ee_str *ids;
  pool->without_row = ee_expected_set_unused(self->cases, 0, &self->arena, &ids);
}

static void warn(report *self, ee_named_ids *ids, const char *one, const char *many, const char *advice) {
  if (ids->count == 0) return;
  ee_error warning;
  ee_error_set(&warning, EE_OK, "warning: %" PRIu64 " %s '%s': %s%s", ids->count, ids->count == 1 ? one : many,
               self->dataset, ee_named_ids_text(ids), advice);
  ee_terminal_message(&self->terminal, &warning);
}

/* The rows may be only those that failed. */
static void warn_of_choice(report *self) {
  const ee_merged_results *pool = &self->pool;
  if (pool->kept == 0) return;
  ee_error warning;
  ee_error_set(&warning, EE_OK,
               "warning: %" PRIu64 " of %" PRIu64
               " rows are a choice of the cases of their run (--keep %.*s): the report is of these rows, not of the "
               "run; 'merge' reports the run from the states of its parts",
               pool->kept, pool->rows, EE_STR_ARG(pool->kept_words));
  ee_terminal_message(&self->terminal, &warning);
}

static void warn_of_cases(report *self) {
  if (self->cases == NULL) return;
  ee_inputs inputs = {.expected = self->cases, .expected_file = self->dataset};
  ee_inputs_warn(&inputs, 0, &self->terminal);
  warn(self, &self->reader.without_case, "row is ignored because its id is not in",
       "rows are ignored because their ids are not in", "");
  warn(self, &self->other_expected, "row was judged against a different expected value than in",
       "rows were judged against different expected values than in", " (--rules judges again)");
}

/* Writing -------------------------------------------------------------------------------------- */

static ee_status write_cases(report *self, ee_error *error) {
  ee_status found = ee_wanted_cases_check(&self->wanted, "the results", error);
  if (found != EE_OK) return found;
  bool ends = self->options->format->list_end != NULL && self->options->cases.count == 0;
  if (ends) self->options->format->list_end(&self->listed, &self->text);
  ee_status status = flush(self, error);
  return status == EE_OK ? ee_output_close(&self->output, true, error) : status;
}

static ee_status write_report(report *self, ee_error *error) {
  const ee_options *options = self->options;
  if (self->tests != NULL) ee_junit_count_errors(self->tests, self->pool.unreadable + self->pool.duplicates);
  if (self->tests != NULL) return ee_output_write_all_tests(options->output, self->tests, error);
  if (prints_cases(self)) return write_cases(self, error);
  if (self->own_report != NULL) return write_own_report(self, error);
  ee_table_style style = ee_terminal_style(options);
  ee_status status = style.choice != NULL ? ee_report_check_merged(&self->pool, style.choice, error) : EE_OK;
  if (status != EE_OK) return status;
  ee_buffer text;
  ee_buffer_init(&text);
  ee_report_write_merged(options->format, &self->pool, style, &text);
  status = ee_output_write_report(options->output, &text, self->page, error);
  ee_buffer_fini(&text);
  return status;
}

/* The exit status after the report was written. */
static int exit_status(report *self) {
  const ee_merged_results *pool = &self->pool;
  uint64_t in_error =
      pool->unreadable + pool->duplicates + pool->rule_errors + pool->provider_failures + pool->given_up;
  if (self->cases != NULL) in_error += ee_expected_set_in_error(self->cases);
  /* The rows of an empty input are an empty file. */
  bool is_empty = pool->rows == 0 && in_error == 0 && pool->without_case == 0 && self->options->rules == NULL;
  if (pool->rows == 0) {
    ee_error error;
    ee_error_set(&error, EE_ERROR_DATA, "%sno rows of results in '%s'%s", is_empty ? "warning: " : "",
                 self->options->operands[0],
                 is_empty                       ? ": the report is empty"
                 : pool->without_case > 0       ? " with a case in the data set"
                 : self->options->rules == NULL ? " (an evaluation writes them with --results; --rules judges answers)"
                                                : "");
    ee_terminal_fail(&self->terminal, &error);
  }
  return in_error > 0 || (pool->rows == 0 && !is_empty) ? EE_ERROR_DATA : EE_OK;
}

static int run_report(report *self, ee_error *error) {
  ee_status status = judges_again(self) ? pool_again(self, error) : pool_stored(self, error);
  if (status == EE_OK) finish_collecting(self);
  ee_terminal_clear(&self->terminal);
  ee_terminal_rest(&self->terminal);
  ee_note_provider(self->provider, &self->terminal);
  ee_interrupt_end_at_once();
  if (status == EE_OK && ee_flag_is_set(self->interrupt)) return EE_EXIT_INTERRUPTED;
  if (status == EE_OK && self->options->cases.count == 0) {
    count_coverage(self);
    warn_of_cases(self);
    warn_of_choice(self);
  }
  if (status == EE_OK) status = write_report(self, error);
  return status == EE_OK ? exit_status(self) : (int)status;
}

static void close_all(report *self) {
  ee_output_close(&self->output, false, NULL);
  ee_html_cases_free(self->page);
  ee_junit_free(self->tests);
  ee_buffer_fini(&self->text);
  ee_merged_fini(&self->pool);
  ee_mistakes_fini(&self->mistakes);
  if (self->again.totals.plan != NULL) ee_totals_fini(&self->again.totals);
  ee_row_reader_close(&self->reader);
  ee_expected_set_close(self->cases);
  ee_provider_free(self->provider);
  ee_collector_free(self->collector);
  ee_rule_file_free(self->rules);
  ee_named_ids_fini(&self->other_expected);
  ee_error_list_fini(&self->row_errors);
  ee_arena_fini(&self->arena);
}

int ee_command_report(const ee_options *options) {
  report self = {.options = options, .output = {.descriptor = -1}};
  if (options->datasets.count > 0) self.dataset = options->datasets.items[0];
  ee_error error = {0};
  ee_terminal_init(&self.terminal, options);
  ee_arena_init(&self.arena, 0);
  ee_error_list_init(&self.row_errors);
  ee_wanted_cases_init(&self.wanted, &options->cases, &self.arena);
  ee_merged_init(&self.pool);
  self.pool.accept = (ee_accept_choice){.wanted = options->accept.items, .count = options->accept.count};
  if (options->confidence > 0) self.pool.confidence = options->confidence;
  self.pool.options = ee_deciding_options(options, &self.arena);
  ee_mistakes_init(&self.mistakes, ee_options_mistakes(options), selected(&self));
  self.pool.mistakes = &self.mistakes;
  ee_interrupt_end_at_once();
  int result = (int)open_all(&self, &error);
  if (result == EE_OK) result = run_report(&self, &error);
  if (result != EE_OK && error.message[0] != '\0') {
    ee_terminal_fail(&self.terminal, &error);
    if (ee_flag_is_set(self.interrupt)) result = EE_EXIT_INTERRUPTED;
  }
  close_all(&self);
  return result;
}
