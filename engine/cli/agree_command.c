/* agree_command.c: `evalengine agree`: how far two annotators of the same records agree, and a model beside them. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "audit/annotators.h"
#include "base/runtime.h"
#include "cli/commands.h"
#include "cli/foreign_inputs.h"
#include "cli/inferred.h"
#include "cli/interrupt.h"
#include "cli/load.h"
#include "cli/output.h"
#include "data/join_guess.h"
#include "data/json/json_reader.h"
#include "judge/case.h"
#include "report/formats.h"

/* Disagreements that table and Markdown list, without --verbose. */
#define SHOWN 20
/* What is kept of the memory from record to record. */
#define ARENA_KEPT ((size_t)4 << 20)

typedef struct answer {
  size_t text, length;  /* of the record */
  size_t id, id_length; /* in `ids` */
} answer;

/* The records of a model, by id. */
typedef struct answers {
  ee_buffer text, ids;
  struct {
    EE_LIST(answer);
  } records;
  ee_hash_index index;
} answers;

typedef struct agree {
  const ee_options *options;
  ee_terminal terminal;
  const volatile sig_atomic_t *interrupt;
  ee_rule_file *rules;
  ee_inference inference; /* where no rule file is given */
  bool inferred;
  ee_rule_file *truths; /* the rules for two annotators; NULL where the rules are inferred, and serve for both */
  ee_provider *provider;
  ee_open_plan open, open_truths; /* for the model; for the annotators */
  const char *files[3];           /* of both annotators and of the model, which may be NULL */
  ee_record_paths paths[3];
  ee_expected_set *sets[2];
  answers model;
  ee_error_list rule_errors;
  uint64_t in_error, failures; /* failures: of rules, and values without a reply */
  ee_annotators *annotators;
  ee_annotators_summary summary;
} agree;

/* The command line -------------------------------------------------------------------------------- */

static ee_status read_options(agree *self, ee_error *error) {
  const ee_options *options = self->options;
  ee_status status = ee_options_check_format(options, EE_DOCUMENT_ANNOTATORS, "agree", error);
  size_t first = ee_names_rules(options, options->operands[0]) ? 1 : 0, count = options->operand_count - first;
  for (size_t i = 0; status == EE_OK && i < options->operand_count; i++) {
    if (options->output != NULL && ee_output_is_same_file(options->output, options->operands[i]))
      return ee_error_set(error, EE_ERROR_USAGE, "'%s' is both read and written", options->output);
    if (strcmp(options->operands[i], "-") == 0)
      return ee_error_set(error, EE_ERROR_USAGE, "'agree' cannot read standard input: the files are read by id");
  }
  if (status != EE_OK) return status;
  if (count < 2 || count > 3)
    return ee_error_set(error, EE_ERROR_USAGE,
                        "'agree' needs the files of two annotators, and takes one of a model: evalengine agree "
                        "[RULES.lua] A.jsonl B.jsonl [MODEL.jsonl]");
  for (size_t i = 0; i < count; i++) {
    self->files[i] = options->operands[first + i];
    if (access(self->files[i], R_OK) != 0)
      return ee_error_set(error, EE_ERROR_SYSTEM, "cannot open '%s': %s", self->files[i], strerror(errno));
  }
  return EE_OK;
}

/* Reading ----------------------------------------------------------------------------------------- */

/* Where the records have their parts; the id members of files that the known names do not join are guessed. */
static void find_paths(agree *self) {
  ee_arena *arena = self->options->arena;
  ee_record_paths paths = self->rules != NULL ? ee_rule_file_plan(self->rules)->paths : ee_load_paths(self->options);
  bool given = paths.id.count > 0 || paths.expected_id.count > 0;
  for (size_t i = 0; i < 3; i++) self->paths[i] = paths;
  for (size_t i = 1; i < 3 && self->files[i] != NULL && !given; i++) {
    ee_join_guess guess;
    if (!ee_join_guess_find(self->files[0], &self->files[i], 1, &self->paths[0], arena, &guess)) continue;
    if (guess.expected_id.data != NULL) self->paths[0].expected_id = ee_path_list_of_key(guess.expected_id, arena);
    if (guess.id.data != NULL)
      *(i == 1 ? &self->paths[1].expected_id : &self->paths[2].id) = ee_path_list_of_key(guess.id, arena);
    ee_terminal_note(&self->terminal,
                     ee_str_from(ee_arena_printf(arena, "'%s' is joined on members with equal values: %s",
                                                 self->files[i], ee_join_guess_text(&guess, arena))));
  }
}

static ee_status open_annotator(agree *self, size_t number, ee_error *error) {
  ee_error_list errors;
  ee_error_list_init(&errors);
  const char *file = self->files[number];
  ee_expected_set *set = ee_expected_set_open(file, &self->paths[number], self->interrupt, &errors, error);
  for (size_t i = 0; i < errors.count; i++) ee_terminal_message(&self->terminal, &errors.items[i]);
  ee_error_list_fini(&errors);
  self->sets[number] = set;
  if (set == NULL) return error->status;
  if (ee_expected_set_coco(set) != NULL)
    return ee_error_set(error, EE_ERROR_USAGE, "'%s' has COCO annotations, which 'agree' does not join", file);
  self->in_error += ee_expected_set_in_error(set);
  ee_foreign_warn(self->options, ee_expected_set_foreign(set), file, &self->terminal);
  return EE_OK;
}

static const answer *find_answer(const answers *self, ee_str id) {
  size_t at = 0, number;
  while (ee_hash_index_next(&self->index, ee_hash_bytes(id.data, id.length, 0), &at, &number)) {
    const answer *found = &self->records.items[number];
    /* unreached: two ids of one hash */
    if (ee_str_equal((ee_str){self->ids.data + found->id, found->id_length}, id)) return found;
  }
  return NULL;
}

static ee_status add_answer(agree *self, const ee_block *block, const ee_record_span *span, ee_arena *arena,
                            ee_error *error) {
  ee_str text = {block->text.data + span->offset, span->length};
  const ee_value *record = ee_json_read(arena, text, NULL, error);
  if (record == NULL) return EE_ERROR_DATA;
  ee_case current = {0};
  const ee_record_place place = ee_block_place(block, span);
  ee_status status = ee_record_read_answer(record, &self->paths[2], &place, arena, &current, error);
  if (status != EE_OK) return status;
  answers *model = &self->model;
  if (find_answer(model, current.id) != NULL)
    return ee_error_set(error, EE_ERROR_DATA, "duplicate id '%.*s'", EE_STR_ARG(current.id));
  ee_hash_index_add(&model->index, ee_hash_bytes(current.id.data, current.id.length, 0), model->records.count);
  *EE_LIST_ADD(&model->records, NULL) = (answer){model->text.length, text.length, model->ids.length, current.id.length};
  ee_buffer_add_str(&model->text, text);
  ee_buffer_add_str(&model->ids, current.id);
  return EE_OK;
}

static void add_block(agree *self, const ee_block *block, ee_arena *arena) {
  for (size_t i = 0; i < block->errors.count; i++) ee_terminal_message(&self->terminal, &block->errors.items[i]);
  self->in_error += block->unsplit;
  for (size_t i = 0; i < block->count; i++) {
    ee_error why = {0}, error;
    if (add_answer(self, block, &block->records[i], arena, &why) != EE_OK) {
      ee_error_at(&error, EE_ERROR_DATA, block->file, (size_t)block->records[i].line, 0, "%s", why.message);
      ee_terminal_message(&self->terminal, &error);
      self->in_error++;
    }
    ee_arena_reset(arena, ARENA_KEPT);
  }
}

static ee_status read_model(agree *self, ee_error *error) {
  ee_dataset *dataset = ee_dataset_open(&self->files[2], 1, error);
  if (dataset == NULL) return EE_ERROR_SYSTEM; /* unreached: the file was opened before */
  ee_dataset_set_interrupt(dataset, self->interrupt);
  ee_dataset_look_inside(dataset, &self->paths[2]);
  ee_block block;
  ee_block_init(&block);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  bool done = false;
  ee_status status = EE_OK;
  while (status == EE_OK && !done) {
    status = ee_dataset_next(dataset, &block, &done, error);
    if (status == EE_OK && !done) add_block(self, &block, &arena);
  }
  if (status == EE_OK) ee_foreign_warn(self->options, ee_dataset_foreign(dataset), self->files[2], &self->terminal);
  ee_arena_fini(&arena);
  ee_block_fini(&block);
  ee_dataset_close(dataset);
  return status;
}

/* Judging ----------------------------------------------------------------------------------------- */

/* The case of a record whose expected value is that of annotator `expected`, and whose candidate is the other's. */
static bool read_case(agree *self, size_t expected, ee_str id, ee_arena *arena, ee_case *current) {
  const ee_value *candidate = ee_expected_set_find(self->sets[1 - expected], id, arena);
  if (candidate == NULL || !ee_expected_set_read_absent(self->sets[expected], id, arena, current)) return false;
  current->absent = false;
  if (ee_type_of(candidate) == EE_NULL) return true;
  current->candidate = candidate;
  current->candidate_state = EE_CANDIDATE_READ;
  return true;
}

/* The model's case; without an answer an empty candidate. */
static void read_answer(agree *self, ee_str id, const ee_case *second, ee_arena *arena, ee_case *current) {
  const answer *found = find_answer(&self->model, id);
  if (found != NULL) {
    const ee_value *record =
        ee_json_read(arena, (ee_str){self->model.text.data + found->text, found->length}, NULL, NULL);
    const ee_record_place place = {.given_id = id};
    ee_error ignored;
    if (ee_expected_set_read(self->sets[0], record, &self->paths[2], &place, arena, current, &ignored) == EE_OK) return;
  }
  self->summary.without_answer++;
  *current = *second;
  current->candidate = NULL;
  current->candidate_state = EE_CANDIDATE_MISSING;
}

static void judge(agree *self, const ee_open_plan *open, const ee_case *current, ee_arena *arena,
                  ee_case_result *result) {
  ee_context context = ee_open_plan_context(open, arena);
  context.detail = EE_DETAIL_FULL;
  context.rule_errors = &self->rule_errors;
  ee_plan_judge(open->plan, &context, current, result);
  for (size_t i = 0; i < self->rule_errors.count; i++)
    ee_terminal_message(&self->terminal, &self->rule_errors.items[i]);
  self->rule_errors.count = 0;
  self->failures += result->rule_errors + result->provider_failures + result->given_up;
}

static void add_record(agree *self, ee_str id, ee_arena *arena) {
  ee_case cases[3];
  ee_case_result results[3];
  bool has_model = self->files[2] != NULL;
  if (!read_case(self, 0, id, arena, &cases[0]) || !read_case(self, 1, id, arena, &cases[1])) return;
  if (has_model) read_answer(self, id, &cases[0], arena, &cases[2]);
  for (size_t i = 0; i < (has_model ? 3 : 2); i++)
    judge(self, i < 2 ? &self->open_truths : &self->open, &cases[i], arena, &results[i]);
  if (ee_flag_is_set(self->interrupt)) return;
  ee_annotators_add(self->annotators, results[0].cluster, &results[0], &results[1], has_model ? &results[2] : NULL,
                    arena);
}

typedef void visit_record(agree *self, ee_str id, ee_arena *arena);

/* Visits the records of both annotators, in the order of the first file. */
static uint64_t visit(agree *self, visit_record *each) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  uint64_t count = 0;
  size_t total = ee_expected_set_count(self->sets[0]);
  for (size_t i = 0; i < total && !ee_flag_is_set(self->interrupt); i++) {
    ee_str id = ee_expected_set_id(self->sets[0], i);
    if (!ee_expected_set_has(self->sets[1], id)) continue;
    each(self, id, &arena);
    ee_arena_reset(&arena, ARENA_KEPT);
    ee_terminal_progress(&self->terminal, &(ee_progress){++count, i, total, NULL});
  }
  ee_arena_fini(&arena);
  return count;
}

/* Rules ------------------------------------------------------------------------------------------- */

static void survey_record(agree *self, ee_str id, ee_arena *arena) {
  ee_case current;
  if (read_case(self, 0, id, arena, &current)) ee_profile_add(&self->inference.profile, &current, arena);
}

static ee_status infer_rules(agree *self, ee_error *error) {
  visit(self, survey_record);
  self->inferred = true;
  return ee_load_profiled(self->options, &self->inference, "agree", &self->terminal, &self->rules, error);
}

static ee_status open_rules(agree *self, ee_error *error) {
  if (self->rules == NULL) {
    ee_status status = infer_rules(self, error);
    if (status != EE_OK) return status;
    if (self->rules == NULL)
      return ee_error_set(error, EE_ERROR_DATA, "no value of '%s' can be judged", self->files[0]);
  } else {
    self->interrupt = ee_interrupt_watch(); /* the rules may run programs */
  }
  const ee_plan *plan = ee_rule_file_plan(self->rules);
  ee_status status = ee_open_provider(plan, self->options, &self->terminal, &self->provider, error);
  if (status == EE_OK) status = ee_open_plan_init(&self->open, plan, self->provider, self->interrupt, error);
  const ee_plan *truths = ee_rule_file_plan(self->truths != NULL ? self->truths : self->rules);
  return status == EE_OK ? ee_open_plan_init(&self->open_truths, truths, self->provider, self->interrupt, error)
                         : status;
}

/* Running ----------------------------------------------------------------------------------------- */

static ee_status read_all(agree *self, ee_error *error) {
  if (ee_names_rules(self->options, self->options->operands[0])) {
    self->rules = ee_load_rules(self->options, self->options->operands[0], &self->terminal);
    if (self->rules == NULL) return EE_ERROR_RULES;
    self->truths = ee_load_rules_of_truths(self->options, self->options->operands[0], &self->terminal);
    if (self->truths == NULL) return EE_ERROR_RULES;
  }
  find_paths(self);
  ee_status status = open_annotator(self, 0, error);
  if (status == EE_OK) status = open_annotator(self, 1, error);
  if (status == EE_OK && self->files[2] != NULL) status = read_model(self, error);
  if (status != EE_OK) return status;
  for (size_t side = 0; side < 2; side++)
    for (size_t i = 0; i < ee_expected_set_count(self->sets[side]); i++)
      *(side == 0 ? &self->summary.only_first : &self->summary.only_second) +=
          !ee_expected_set_has(self->sets[1 - side], ee_expected_set_id(self->sets[side], i));
  if (self->summary.only_first == ee_expected_set_count(self->sets[0]))
    return ee_error_set(error, EE_ERROR_DATA, "no record of '%s' has the id of a record of '%s': --id NAME",
                        self->files[0], self->files[1]);
  return EE_OK;
}

/* Without any value in common, the files were most probably read in the wrong way. */
static void warn_of_apart(agree *self) {
  const ee_annotators_report *report = self->summary.report;
  uint64_t both = 0, one = 0;
  for (size_t i = 0; i < report->field_count; i++) {
    const ee_counts *counts = &report->fields[i].counts;
    both += counts->tp + counts->wrong;
    one += counts->fp + counts->fn;
  }
  if (both > 0 || one == 0) return;
  ee_error warning;
  ee_error_set(
      &warning, EE_OK,
      "warning: no field has a value in both files: --expected-path PATH says where records have their values");
  ee_terminal_message(&self->terminal, &warning);
}

static ee_status write_report(agree *self, ee_error *error) {
  const ee_options *options = self->options;
  ee_annotators_summary *summary = &self->summary;
  summary->report = ee_annotators_finish(self->annotators);
  warn_of_apart(self);
  summary->first = self->files[0];
  summary->second = self->files[1];
  summary->model = self->files[2];
  summary->rules = self->inferred ? NULL : options->operands[0];
  summary->unreadable = self->in_error;
  summary->shown = options->verbose ? 0 : SHOWN;
  ee_table_style style = ee_terminal_style(options);
  ee_status status = style.choice != NULL ? ee_report_check_annotators(summary, style.choice, error) : EE_OK;
  if (status != EE_OK) return status;
  ee_buffer text;
  ee_buffer_init(&text);
  ee_report_write_annotators(options->format, summary, style, &text);
  status = ee_output_write_all(options->output, &text, error);
  ee_buffer_fini(&text);
  return status;
}

static int run(agree *self, ee_error *error) {
  ee_status status = read_all(self, error);
  if (status == EE_OK) status = open_rules(self, error);
  if (status != EE_OK) return (int)status;
  const ee_plan *plan = ee_rule_file_plan(self->rules);
  self->annotators = ee_annotators_new(plan, plan->confidence, self->files[2] != NULL);
  visit(self, add_record);
  ee_terminal_clear(&self->terminal);
  ee_interrupt_end_at_once();
  if (ee_flag_is_set(self->interrupt)) return EE_EXIT_INTERRUPTED;
  status = write_report(self, error);
  ee_terminal_rest(&self->terminal);
  return status != EE_OK ? (int)status : self->in_error + self->failures > 0 ? EE_ERROR_DATA : EE_OK;
}

int ee_command_agree(const ee_options *options) {
  agree self = {.options = options};
  ee_error error = {0};
  ee_terminal_init(&self.terminal, options);
  ee_interrupt_end_at_once();
  ee_infer_init(&self.inference);
  ee_error_list_init(&self.rule_errors);
  int result = (int)read_options(&self, &error);
  if (result == EE_OK) {
    result = run(&self, &error);
  }
  if (result > 1 && error.message[0] != '\0') ee_terminal_fail(&self.terminal, &error);
  ee_annotators_free(self.annotators);
  ee_open_plan_fini(&self.open_truths);
  ee_open_plan_fini(&self.open);
  ee_provider_free(self.provider);
  ee_rule_file_free(self.truths);
  ee_rule_file_free(self.rules);
  for (size_t i = 0; i < 2; i++) ee_expected_set_close(self.sets[i]);
  EE_LIST_FINI(&self.model.records);
  ee_buffer_fini(&self.model.text);
  ee_buffer_fini(&self.model.ids);
  ee_hash_index_fini(&self.model.index);
  ee_error_list_fini(&self.rule_errors);
  ee_infer_fini(&self.inference);
  return result;
}
