/* audit_command.c: `evalengine audit`, which finds expected values that are probably wrong. */
#include <string.h>

#include "audit/audit.h"
#include "base/runtime.h"
#include "cli/commands.h"
#include "cli/foreign_inputs.h"
#include "cli/inferred.h"
#include "cli/interrupt.h"
#include "cli/load.h"
#include "cli/output.h"
#include "data/join_guess.h"
#include "data/json/json_reader.h"

/* Findings that table and Markdown list, without --verbose. */
#define SHOWN 20
/* What is kept of the memory from record to record. */
#define ARENA_KEPT ((size_t)4 << 20)

typedef struct audit {
  const ee_options *options;
  ee_terminal terminal;
  const volatile sig_atomic_t *interrupt;
  ee_rule_file *rules;    /* NULL without */
  ee_inference inference; /* where no rule file is given */
  bool surveying;         /* candidates are only read to infer rules */
  bool spooled;           /* standard input can be read again, */
  int64_t input_start;    /* from here */
  ee_provider *provider;
  ee_open_plan open;
  ee_rule_file *truths; /* the rules for another annotator, where there is one and a rule file */
  ee_open_plan open_truths;
  ee_record_paths paths;         /* of the truth */
  ee_record_paths *answer_paths; /* of each candidate */
  ee_record_paths annotator_paths;
  size_t candidate; /* that is being read */
  const char *truth;
  const char *const *candidates;
  size_t candidate_count;
  uint64_t in_error; /* records that could not be read */
  ee_audit *audit;
} audit;

/* The command line -------------------------------------------------------------------------------- */

static ee_status read_kinds(const ee_options *options, unsigned *kinds, ee_error *error) {
  const char *names[EE_AUDIT_KINDS + 1] = {NULL}, *list = "";
  for (int kind = 0; kind < EE_AUDIT_KINDS; kind++) {
    names[kind] = ee_audit_kinds[kind].name;
    list = ee_arena_printf(options->arena, "%s%s%s", list, kind > 0 ? ", " : "", names[kind]);
  }
  for (size_t i = 0; i < options->checks.count; i++) {
    const char *word = options->checks.items[i];
    ee_audit_kind kind = ee_audit_kind_find(ee_str_from(word));
    if (kind == EE_AUDIT_KINDS) {
      const char *near = ee_did_you_mean(word, names);
      if (near != NULL)
        return ee_error_set(error, EE_ERROR_USAGE, "--check has no finding '%s' (did you mean '%s'?)", word, near);
      return ee_error_set(error, EE_ERROR_USAGE, "--check has no finding '%s' (one of %s)", word, list);
    }
    *kinds |= 1u << kind;
  }
  return EE_OK;
}

static ee_status read_options(audit *self, ee_audit_options *made, ee_error *error) {
  const ee_options *options = self->options;
  ee_status status = ee_options_check_format(options, EE_DOCUMENT_AUDIT, "audit", error);
  for (size_t i = 0; status == EE_OK && options->output != NULL && i < options->operand_count; i++)
    if (ee_output_is_same_file(options->output, options->operands[i]))
      status = ee_error_set(error, EE_ERROR_USAGE, "'%s' is both read and written", options->output);
  size_t first = ee_names_rules(options, options->operands[0]) ? 1 : 0;
  if (status == EE_OK && options->operand_count <= first)
    status = ee_error_set(error, EE_ERROR_USAGE, "no data set: evalengine audit %s TRUTH.jsonl [CANDIDATES]...",
                          options->operands[0]);
  if (status == EE_OK) status = read_kinds(options, &made->kinds, error);
  if (status == EE_OK && options->sources.count > 1)
    status = ee_error_set(error, EE_ERROR_USAGE, "--source takes one path");
  if (status != EE_OK) return status;
  made->source = options->sources.count > 0 ? options->sources.items[0] : NULL;
  self->truth = options->operands[first];
  self->candidates = options->operands + first + 1;
  self->candidate_count = options->operand_count - first - 1;
  return EE_OK;
}

/* Rules ------------------------------------------------------------------------------------------- */

static ee_status open_rules(audit *self, ee_error *error) {
  const ee_plan *plan = ee_rule_file_plan(self->rules);
  ee_status status = ee_open_provider(plan, self->options, &self->terminal, &self->provider, error);
  return status == EE_OK ? ee_open_plan_init(&self->open, plan, self->provider, self->interrupt, error) : status;
}

static ee_status load_rules(audit *self, ee_error *error) {
  const ee_options *options = self->options;
  self->paths = ee_load_paths(options);
  if (!ee_names_rules(options, options->operands[0])) return EE_OK;
  self->rules = ee_load_rules(options, options->operands[0], &self->terminal);
  if (self->rules == NULL) return EE_ERROR_RULES;
  self->paths = ee_rule_file_plan(self->rules)->paths;
  self->interrupt = ee_interrupt_watch(); /* the rules may run programs */
  return open_rules(self, error);
}

static ee_status infer_rules(audit *self, ee_error *error) {
  self->inference.profile.judge_all = true; /* a path that only one document has is a finding */
  ee_status status = ee_load_profiled(self->options, &self->inference, "audit", &self->terminal, &self->rules, error);
  if (status != EE_OK || self->rules == NULL) return status;
  ee_audit_get_report(self->audit)->inferred = true;
  return open_rules(self, error);
}

static const ee_open_plan *open_plan(const audit *self) { return self->rules != NULL ? &self->open : NULL; }

/* Reading ----------------------------------------------------------------------------------------- */

/* Called for each record of a file; an error is reported. */
typedef ee_status visit_record(audit *self, const ee_value *record, const ee_block *block, const ee_record_span *span,
                               ee_arena *arena, ee_error *error);

static void report_error(audit *self, const ee_block *block, const ee_record_span *span, const ee_error *why) {
  ee_error error;
  size_t before = why->line <= 1 ? (size_t)span->column - 1 : 0;
  size_t line = (size_t)span->line + (why->line > 0 ? why->line - 1 : 0);
  ee_error_at(&error, EE_ERROR_DATA, block->file, line, why->column > 0 ? before + why->column : 0, "%s", why->message);
  if (self->surveying) return; /* the file is read once more */
  ee_terminal_message(&self->terminal, &error);
  self->in_error++;
}

static bool is_enough(const audit *self, visit_record *visit);

static void visit_block(audit *self, const ee_block *block, visit_record *visit, ee_arena *arena) {
  for (size_t i = 0; i < block->errors.count && !self->surveying; i++)
    ee_terminal_message(&self->terminal, &block->errors.items[i]);
  if (!self->surveying) self->in_error += block->unsplit;
  for (size_t i = 0; i < block->count && !is_enough(self, visit); i++) {
    const ee_record_span *span = &block->records[i];
    ee_error error = {0};
    ee_str text = {block->text.data + span->offset, span->length};
    const ee_value *record = ee_json_read(arena, text, NULL, &error);
    if (record == NULL || visit(self, record, block, span, arena, &error) != EE_OK)
      report_error(self, block, span, &error);
    ee_arena_reset(arena, ARENA_KEPT);
  }
}

static ee_status read_file(audit *self, const char *file, visit_record *visit, ee_error *error) {
  bool again = strcmp(file, "-") == 0 && self->spooled;
  ee_status status = again ? ee_rewind_standard_input(self->input_start, error) : EE_OK;
  if (status != EE_OK) return status; /* unreached: a file that was read cannot go back */
  ee_dataset *dataset = ee_dataset_open(&file, 1, error);
  if (dataset == NULL) return EE_ERROR_SYSTEM;
  ee_dataset_set_interrupt(dataset, self->interrupt);
  ee_dataset_look_inside(dataset, &self->paths);
  const ee_error_list *notes = ee_dataset_notes(dataset);
  for (size_t i = 0; i < notes->count; i++) ee_terminal_message(&self->terminal, &notes->items[i]);
  ee_block block;
  ee_block_init(&block);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  bool done = false;
  uint64_t records = 0;
  while (status == EE_OK && !done && !is_enough(self, visit)) {
    status = ee_dataset_next(dataset, &block, &done, error);
    if (status != EE_OK || done) break;
    visit_block(self, &block, visit, &arena);
    uint64_t taken, total;
    ee_dataset_progress(dataset, &taken, &total);
    ee_terminal_progress(&self->terminal, &(ee_progress){records += block.count, taken, total, NULL});
  }
  if (status == EE_OK && !self->surveying)
    ee_foreign_warn(self->options, ee_dataset_foreign(dataset), file, &self->terminal);
  ee_arena_fini(&arena);
  ee_block_fini(&block);
  ee_dataset_close(dataset);
  return status;
}

/* A record of a file of expected values, or the document itself; one without an id is known by its place. Candidates
 * that it has, too, are left out: the same file may be given as a candidate. */
static ee_status add_record(audit *self, const ee_value *record, const ee_block *block, const ee_record_span *span,
                            ee_arena *arena, ee_error *error) {
  ee_str given = ee_block_given_id(block, span);
  ee_case current = {.record = record};
  ee_error ignored;
  ee_status status =
      ee_record_read_expected(record, &self->paths, given, arena, &current.id, &current.expected, &ignored);
  if (status != EE_OK) {
    const ee_record_place place = ee_block_place(block, span);
    ee_str name = ee_record_place_name(&place, arena);
    status = ee_record_read_expected(record, &self->paths, name, arena, &current.id, &current.expected, error);
    current.unnamed = true;
  }
  if (status != EE_OK) return status;
  current.candidate = NULL;
  current.candidate_state = EE_CANDIDATE_MISSING;
  const ee_wheres *where = &self->options->where;
  if (!ee_where_keeps(where->items, where->count, &current, arena)) return EE_OK;
  ee_audit_add(self->audit, &current, block->file, span->line, arena);
  if (self->rules == NULL) ee_profile_add(&self->inference.profile, &current, arena);
  return EE_OK;
}

static ee_status add_answer(audit *self, const ee_value *record, const ee_block *block, const ee_record_span *span,
                            ee_arena *arena, ee_error *error) {
  ee_case current = {0};
  const ee_record_place place = ee_block_place(block, span);
  ee_status status =
      ee_record_read_answer(record, &self->answer_paths[self->candidate], &place, arena, &current, error);
  if (status != EE_OK) return status;
  if (!self->surveying) {
    ee_audit_add_candidate(self->audit, open_plan(self), &current, arena);
    return EE_OK;
  }
  current.expected = ee_audit_find_expected(self->audit, current.id, arena);
  if (current.expected != NULL) ee_profile_add(&self->inference.profile, &current, arena);
  return EE_OK;
}

/* A record of the other annotator; one without an id is joined with nothing. */
static ee_status add_annotation(audit *self, const ee_value *record, const ee_block *block, const ee_record_span *span,
                                ee_arena *arena, ee_error *error) {
  ee_case current = {.record = record, .candidate_state = EE_CANDIDATE_READ};
  ee_status status = ee_record_read_expected(record, &self->annotator_paths, ee_block_given_id(block, span), arena,
                                             &current.id, &current.candidate, error);
  if (status != EE_OK) return status;
  if (ee_type_of(current.candidate) == EE_NULL) {
    current.candidate = NULL;
    current.candidate_state = EE_CANDIDATE_MISSING;
  }
  ee_audit_add_annotation(self->audit, self->truths != NULL ? &self->open_truths : open_plan(self), &current, arena);
  return EE_OK;
}

/* --limit counts records of the truth. */
static bool is_enough(const audit *self, visit_record *visit) {
  uint64_t limit = (uint64_t)self->options->limit;
  return visit == add_record && limit > 0 && ee_audit_get_report(self->audit)->records >= limit;
}

/* Warns of a file of candidates in which no id is that of a record. */
static void warn_of_join(audit *self, const char *file) {
  ee_buffer names;
  ee_buffer_init(&names);
  ee_record_names(&self->answer_paths[self->candidate], EE_PART_ID, &names);
  ee_error warning;
  ee_error_set(&warning, EE_OK,
               "warning: no answer in '%s' has the id of an expected value (ids are looked for under %s)", file,
               ee_buffer_terminate(&names));
  ee_terminal_message(&self->terminal, &warning);
  ee_buffer_fini(&names);
}

/* Reads the files of all candidates; while surveying silently, since they are read once more. */
static ee_status read_candidates(audit *self, bool surveying, ee_error *error) {
  ee_status status = EE_OK;
  self->surveying = surveying;
  for (size_t i = 0; status == EE_OK && i < self->candidate_count && !ee_flag_is_set(self->interrupt); i++) {
    self->candidate = i;
    if (!surveying) ee_audit_begin_candidate(self->audit, ee_str_from(self->candidates[i]));
    uint64_t joined = ee_audit_get_report(self->audit)->joined;
    status = read_file(self, self->candidates[i], add_answer, error);
    if (!surveying && joined == ee_audit_get_report(self->audit)->joined) warn_of_join(self, self->candidates[i]);
  }
  self->surveying = false;
  return status;
}

static void note_join(audit *self, const char *file, const ee_join_guess *guess) {
  ee_arena *arena = self->options->arena;
  ee_terminal_note(&self->terminal,
                   ee_str_from(ee_arena_printf(arena, "'%s' is joined on members with equal values: %s", file,
                                               ee_join_guess_text(guess, arena))));
}

/* Guesses the id members of each candidate file that the options, the rules and the known names do not join. The first
 * such candidate decides the id of the truth. */
static void guess_joins(audit *self) {
  ee_arena *arena = self->options->arena;
  self->answer_paths = EE_NEW_ARRAY(arena, ee_record_paths, self->candidate_count + 1);
  bool given = self->spooled || self->paths.id.count > 0 || self->paths.expected_id.count > 0;
  const char *annotator = self->options->annotator;
  ee_join_guess found;
  self->annotator_paths = self->paths;
  if (!given && annotator != NULL && ee_join_guess_find(self->truth, &annotator, 1, &self->paths, arena, &found)) {
    if (found.expected_id.data != NULL) self->paths.expected_id = ee_path_list_of_key(found.expected_id, arena);
    if (found.id.data != NULL) self->annotator_paths.expected_id = ee_path_list_of_key(found.id, arena);
    note_join(self, annotator, &found);
  }
  for (size_t i = 0; i < self->candidate_count; i++) {
    ee_record_paths *paths = &self->answer_paths[i];
    ee_join_guess guess;
    *paths = self->paths;
    if (given || !ee_join_guess_find(self->truth, &self->candidates[i], 1, paths, arena, &guess)) continue;
    if (guess.expected_id.data != NULL) self->paths.expected_id = ee_path_list_of_key(guess.expected_id, arena);
    if (guess.id.data != NULL) paths->id = ee_path_list_of_key(guess.id, arena);
    note_join(self, self->candidates[i], &guess);
  }
}

static ee_status read_annotator(audit *self, ee_error *error) {
  const char *file = self->options->annotator;
  ee_audit_report *report = ee_audit_get_report(self->audit);
  if (file == NULL || ee_flag_is_set(self->interrupt)) return EE_OK;
  report->annotator = file;
  ee_status status = EE_OK;
  if (self->rules != NULL && !report->inferred) {
    self->truths = ee_load_rules_of_truths(self->options, self->options->operands[0], &self->terminal);
    if (self->truths == NULL) return EE_ERROR_RULES;
    const ee_plan *plan = ee_rule_file_plan(self->truths);
    status = ee_open_plan_init(&self->open_truths, plan, self->provider, self->interrupt, error);
  }
  if (status == EE_OK) status = read_file(self, file, add_annotation, error);
  if (status == EE_OK && report->annotated == 0 && !ee_flag_is_set(self->interrupt))
    return ee_error_set(error, EE_ERROR_DATA, "no record of '%s' has the id of a record of '%s': --id NAME", file,
                        self->truth);
  return status;
}

static ee_status read_all(audit *self, ee_error *error) {
  ee_status status = EE_OK;
  for (size_t i = 0; status == EE_OK && i < self->options->operand_count && !self->spooled; i++) {
    self->spooled = strcmp(self->options->operands[i], "-") == 0;
    if (self->spooled) status = ee_spool_standard_input(self->interrupt, &self->input_start, error);
  }
  if (status != EE_OK) return status;
  guess_joins(self);
  status = read_file(self, self->truth, add_record, error);
  ee_audit_report *report = ee_audit_get_report(self->audit);
  if (status != EE_OK || ee_flag_is_set(self->interrupt)) return status;
  report->unreadable = self->in_error;
  if (report->records == 0)
    return ee_error_set(error, EE_ERROR_DATA, "no record in '%s' has an expected value", self->truth);
  if (self->rules == NULL) {
    status = read_candidates(self, true, error);
    if (status == EE_OK && !ee_flag_is_set(self->interrupt)) status = infer_rules(self, error);
  }
  if (status == EE_OK) status = read_candidates(self, false, error);
  return status == EE_OK ? read_annotator(self, error) : status;
}

/* Writing ----------------------------------------------------------------------------------------- */

static ee_status write_report(audit *self, ee_error *error) {
  const ee_options *options = self->options;
  ee_audit_report *report = ee_audit_get_report(self->audit);
  report->truth = strcmp(self->truth, "-") == 0 ? "standard input" : self->truth;
  report->rules = self->rules != NULL && !report->inferred ? options->operands[0] : NULL;
  report->strict = options->strict;
  report->shown = options->verbose ? 0 : SHOWN;
  ee_table_style style = ee_terminal_style(options);
  ee_status status = style.choice != NULL ? ee_report_check_audit(report, style.choice, error) : EE_OK;
  if (status != EE_OK) return status;
  ee_buffer text;
  ee_buffer_init(&text);
  ee_report_write_audit(options->format, report, style, &text);
  status = ee_output_write_all(options->output, &text, error);
  ee_buffer_fini(&text);
  return status;
}

static int exit_status(audit *self) {
  size_t count = ee_audit_get_report(self->audit)->count;
  if (self->options->strict && count > 0) {
    ee_error error;
    ee_error_set(&error, EE_OK, "--strict: %zu finding%s", count, count == 1 ? "" : "s");
    ee_terminal_fail(&self->terminal, &error);
    return 1;
  }
  return self->in_error > 0 ? EE_ERROR_DATA : EE_OK;
}

static int run_audit(audit *self, ee_error *error) {
  ee_status status = load_rules(self, error);
  if (status == EE_OK) status = read_all(self, error);
  ee_terminal_clear(&self->terminal);
  ee_interrupt_end_at_once();
  /* Also of standard input, whose reading then fails. */
  if (ee_flag_is_set(self->interrupt)) return EE_EXIT_INTERRUPTED;
  if (status == EE_OK) ee_audit_finish(self->audit, open_plan(self));
  if (status == EE_OK) status = write_report(self, error);
  ee_terminal_rest(&self->terminal);
  return status == EE_OK ? exit_status(self) : (int)status;
}

int ee_command_audit(const ee_options *options) {
  audit self = {.options = options};
  ee_error error = {0};
  ee_terminal_init(&self.terminal, options);
  ee_interrupt_end_at_once();
  ee_infer_init(&self.inference);
  ee_audit_options chosen = {0};
  int result = (int)read_options(&self, &chosen, &error);
  if (result == EE_OK) {
    self.audit = ee_audit_new(&chosen);
    result = run_audit(&self, &error);
  }
  if (result > 1 && result != EE_EXIT_INTERRUPTED && error.message[0] != '\0') ee_terminal_fail(&self.terminal, &error);
  ee_audit_free(self.audit);
  ee_open_plan_fini(&self.open_truths);
  ee_open_plan_fini(&self.open);
  ee_provider_free(self.provider);
  ee_rule_file_free(self.truths);
  ee_rule_file_free(self.rules);
  ee_infer_fini(&self.inference);
  return result;
}
