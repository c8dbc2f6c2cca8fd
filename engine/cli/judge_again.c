/* judge_again.c: rows become records of a data set that is made, not read. */
#include "cli/judge_again.h"

#include "data/json/json_writer.h"

typedef struct again {
  const ee_plan *plan;
  ee_row_reader *reader;
  ee_stored_row row;
  bool has_row;     /* the first one, which was looked at before the run */
  ee_status status; /* of reading */
  ee_error error;
} again;

/* A candidate as the row has it, NULL where there is none: a text stays that, for judges that look at it. */
static const ee_value *candidate_of(const ee_case *found, ee_arena *arena) {
  if (found->candidate_text.data != NULL) return ee_value_new_string(arena, found->candidate_text);
  return found->candidate;
}

/* Where the row keeps its candidate: under a known name, where the rule file says, or as AgentV does. */
static const ee_value *find_candidate(const again *self, ee_error *error) {
  ee_arena *arena = &self->reader->arena;
  const ee_value *record = self->row.record;
  ee_case found;
  ee_record_paths paths = {NULL, NULL, NULL};
  if (ee_record_read_answer(record, &paths, 0, arena, &found, error) != EE_OK) return NULL;
  if (found.candidate_state != EE_CANDIDATE_MISSING) return candidate_of(&found, arena);
  paths.candidate = self->plan->paths.candidate;
  if (paths.candidate != NULL && ee_record_read_answer(record, &paths, 0, arena, &found, error) == EE_OK &&
      found.candidate_state != EE_CANDIDATE_MISSING)
    return candidate_of(&found, arena);
  return ee_value_member(record, EE_STR("answer"), arena);
}

/* The expected value that the row brings; NULL, with an error, for none. */
static const ee_value *find_expected(const again *self, ee_error *error) {
  const ee_value *expected = NULL;
  ee_str id;
  ee_status status = ee_record_read_expected(self->row.record, NULL, &self->reader->arena, &id, &expected, error);
  return status == EE_OK ? expected : NULL;
}

/* Appends the row as a record, {"id", "expected", "candidate"}; false with an error when it brings no expected value
 * and there is no data set. */
static bool write_record(const again *self, ee_buffer *text, ee_error *error) {
  const ee_value *expected = self->reader->expected == NULL ? find_expected(self, error) : NULL;
  if (self->reader->expected == NULL && expected == NULL) return false;
  ee_buffer_add_text(text, "{\"id\":");
  ee_json_write_string(text, self->row.id);
  if (expected != NULL) {
    ee_buffer_add_text(text, ",\"expected\":");
    ee_json_write_value(text, expected);
  }
  ee_buffer_add_text(text, ",\"candidate\":");
  ee_json_write_value(text, find_candidate(self, error));
  ee_buffer_add_char(text, '}');
  return true;
}

/* Takes the next row; false at the end, or when reading failed. */
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
    ee_error error = {0};
    if (write_record(self, text, &error)) return true;
    ee_row_reader_refuse(self->reader, error.message);
  }
  return false;
}

/* Looks at the first row before anything is judged. */
static ee_status check_first(again *self, ee_error *error) {
  self->has_row = next_row(self);
  if (self->status != EE_OK) {
    *error = self->error;
    return self->status;
  }
  ee_error ignored;
  if (!self->has_row || self->reader->expected != NULL || find_expected(self, &ignored) != NULL) return EE_OK;
  return ee_error_set(error, EE_ERROR_USAGE,
                      "the results bring no expected values to judge by: add --dataset FILE, the data set that they "
                      "belong to");
}

static void report_error(void *user, const ee_error *error) { ee_terminal_message(user, error); }

static void show_progress(void *user, const ee_totals *totals, uint64_t taken, uint64_t total) {
  (void)taken, (void)total;
  ee_terminal_progress(user, totals->scored, 0, 0);
}

ee_status ee_judge_again(const ee_plan *plan, ee_row_reader *reader, ee_provider *provider, const ee_options *options,
                         ee_terminal *terminal, ee_run_result *result, ee_error *error) {
  again self = {.plan = plan, .reader = reader};
  *result = (ee_run_result){0};
  ee_status status = check_first(&self, error);
  if (status != EE_OK) return status;
  /* The records are made under the known names, and rows do not have what slices look at. */
  ee_plan rows_plan = *plan;
  rows_plan.paths = (ee_record_paths){NULL, NULL, NULL};
  rows_plan.slice_count = 0;
  ee_dataset *rows = ee_dataset_open_made(options->operands[0], 0, make_record, &self);
  ee_run_options run = {.jobs = options->jobs,
                        .expected = reader->expected,
                        .provider = provider,
                        .interrupted = reader->interrupt,
                        .hooks = {.user = terminal, .report = report_error, .progress = show_progress}};
  status = ee_run(&rows_plan, rows, &run, result, error);
  result->totals.plan = plan; /* the copy ends here; the judges are the same */
  if (status == EE_OK && self.status != EE_OK) {
    status = self.status;
    *error = self.error;
  }
  ee_dataset_close(rows);
  return status;
}
