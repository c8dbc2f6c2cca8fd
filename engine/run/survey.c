/* survey.c: the loop over blocks and records. */
#include "run/survey.h"

#include "data/json/json_reader.h"

/* What is kept of the memory from case to case. */
#define ARENA_KEPT ((size_t)4 << 20)

typedef struct survey {
  ee_expected_set *expected;
  const ee_record_paths *paths;
  const ee_case_choice *choice; /* NULL: all cases */
  ee_survey_visit *visit;
  void *user;
  ee_arena arena; /* of the case */
} survey;

static void visit_records(survey *self, const ee_block *block) {
  for (size_t i = 0; i < block->count; i++) {
    const ee_record_span *span = &block->records[i];
    ee_str text = {block->text.data + span->offset, span->length};
    const ee_value *record = ee_json_read_data(&self->arena, text, NULL);
    const ee_record_place place = ee_block_place(block, span);
    ee_case current;
    if (record != NULL &&
        ee_expected_set_read(self->expected, record, self->paths, &place, &self->arena, &current, NULL) == EE_OK &&
        (self->choice == NULL || ee_case_choice_keeps(self->choice, &current, &self->arena))) {
      size_t count = ee_case_trial_count(&current);
      for (size_t k = 0; k < count; k++) {
        if (k > 0) ee_case_take_trial(&current, k, self->paths, &self->arena);
        self->visit(self->user, &current, &self->arena);
      }
    }
    ee_arena_reset(&self->arena, ARENA_KEPT);
  }
}

ee_status ee_survey(ee_dataset *dataset, ee_expected_set *expected, const ee_record_paths *paths,
                    const ee_case_choice *choice, ee_survey_visit *visit, void *user, ee_error *error) {
  static const ee_record_paths known_names = {0};
  survey self = {.expected = expected,
                 .paths = paths != NULL ? paths : &known_names,
                 .choice = choice,
                 .visit = visit,
                 .user = user};
  ee_arena_init(&self.arena, 0);
  ee_block block;
  ee_block_init(&block);
  bool done = false;
  ee_status status;
  do {
    status = ee_dataset_next(dataset, &block, &done, error);
    if (status == EE_OK && !done) visit_records(&self, &block);
  } while (status == EE_OK && !done);
  ee_block_fini(&block);
  ee_arena_fini(&self.arena);
  return status;
}

typedef struct decimal_survey {
  const ee_plan *plan;
  ee_decimal_votes *votes;
} decimal_survey;

static void add_votes(void *user, const ee_case *current, ee_arena *arena) {
  const decimal_survey *self = user;
  ee_decimal_votes_add_case(self->plan, current, self->votes, arena);
}

ee_status ee_survey_decimals(const ee_plan *plan, ee_dataset *dataset, ee_expected_set *expected, ee_error *error) {
  ee_decimals *decimals = plan->decimals;
  if (decimals->count == 0) return EE_OK;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  decimal_survey all = {plan, EE_NEW_ARRAY(&arena, ee_decimal_votes, decimals->count)};
  ee_status status = ee_survey(dataset, expected, &plan->paths, NULL, add_votes, &all, error);
  for (size_t i = 0; i < decimals->count; i++) decimals->items[i].votes = all.votes[i];
  decimals->decided = status == EE_OK;
  ee_arena_fini(&arena);
  return status;
}
