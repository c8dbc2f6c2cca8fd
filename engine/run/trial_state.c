/* trial_state.c: writes and reads the totals of trials, and the cases that may get more trials. */
#include <math.h>

#include "data/json/json_reader.h"
#include "prim/sort.h"
#include "run/open_trials.h"

/* In a state, judges, fields and open cases are sorted. `at[i]` is where the one that is written as the i-th is, and
 * `as[i]` is as which one the i-th is written. Where they are read, the two orders are one. */
typedef struct state_order {
  uint32_t *at, *as;
} state_order;

typedef struct state_name {
  size_t position; /* of judges, else 0 */
  ee_str judge, name;
  uint32_t number;
} state_name;

static bool state_before(const state_name *a, const state_name *b) {
  if (a->position != b->position) return a->position < b->position;
  int order = ee_str_compare(a->judge, b->judge);
  return order != 0 ? order < 0 : ee_str_compare(a->name, b->name) < 0;
}
EE_DEFINE_SORT(sort_state_names, state_name, state_before)

/* `names` are sorted where the state is written. */
static state_order order_of(const ee_state_line *line, state_name *names, size_t count, ee_arena *scratch) {
  state_order order = {EE_NEW_ARRAY(scratch, uint32_t, count), EE_NEW_ARRAY(scratch, uint32_t, count)};
  if (!ee_state_reading(line)) sort_state_names(names, count, scratch);
  for (size_t i = 0; i < count; i++) {
    order.at[i] = names[i].number;
    order.as[names[i].number] = (uint32_t)i;
  }
  return order;
}

EE_STATE_COVERS(ee_trial_ratio, 80);

static void ratio_state(ee_state_line *line, ee_trial_ratio *ratio) {
  ee_state_begin(line);
  ee_state_count(line, &ratio->cases);
  ee_state_count(line, &ratio->b);
  ee_state_count(line, &ratio->bb);
  ee_state_fixed(line, &ratio->a);
  ee_state_fixed(line, &ratio->aa);
  ee_state_fixed(line, &ratio->ab);
  ee_state_end(line);
}

EE_STATE_COVERS(ee_fleiss, 32);

static void fleiss_state(ee_state_line *line, ee_fleiss *fleiss) {
  ee_state_begin(line);
  ee_state_count(line, &fleiss->items);
  ee_state_count(line, &fleiss->unanimous);
  ee_state_fixed(line, &fleiss->agreement);
  ee_state_end(line);
}

EE_STATE_COVERS(ee_trial_figures, 608 + 2 * EE_PASS_SIZES * sizeof(ee_sample));

static void figures_state(ee_state_line *line, ee_trial_figures *figures, ee_arena *names) {
  ee_state_begin(line);
  ee_state_text(line, names, &figures->name);
  ee_state_size(line, &figures->position);
  ee_state_count(line, &figures->cases);
  ee_state_count(line, &figures->repeated);
  ee_state_count(line, &figures->trials);
  ee_state_sample(line, &figures->mean);
  ee_state_sample(line, &figures->best);
  ee_state_sample(line, &figures->worst);
  ee_state_fixed(line, &figures->within);
  ee_state_fixed(line, &figures->variance);
  ee_state_count(line, &figures->flips);
  fleiss_state(line, &figures->agreement);
  ee_state_counts(line, figures->outcomes, 2);
  for (size_t i = 0; i < EE_PASS_SIZES; i++) ee_state_sample(line, &figures->at[i]);
  for (size_t i = 0; i < EE_PASS_SIZES; i++) ee_state_sample(line, &figures->all[i]);
  ratio_state(line, &figures->one);
  ratio_state(line, &figures->voted);
  ratio_state(line, &figures->any);
  ratio_state(line, &figures->every);
  ee_state_end(line);
}

static state_order judges_state(ee_state_line *line, ee_trial_total *total, ee_arena *scratch) {
  size_t count = ee_state_items(line, total->judges.count);
  state_name *names = EE_NEW_ARRAY(scratch, state_name, count);
  for (size_t i = 0; i < count; i++) names[i].number = (uint32_t)i;
  for (size_t i = 0; i < count && !ee_state_reading(line); i++) {
    names[i].position = total->judges.items[i].position;
    names[i].name = total->judges.items[i].name;
  }
  state_order order = order_of(line, names, count, scratch);
  for (size_t i = 0; ee_state_goes_on(line, i, count); i++) {
    ee_trial_figures read = {0};
    figures_state(line, ee_state_reading(line) ? &read : &total->judges.items[order.at[i]], &total->names);
    if (ee_state_reading(line)) *EE_LIST_ADD(&total->judges, NULL) = read;
    if (ee_state_reading(line) && read.name.data == NULL) ee_state_fail(line);
  }
  ee_state_end(line);
  /* The first one is the case as a whole. */
  if (total->trials + total->cases > 0 &&
      (total->judges.count == 0 || total->judges.items[order.at[0]].name.length > 0))
    ee_state_fail(line);
  return order;
}

EE_STATE_COVERS(ee_trial_field_total, 176);

static void field_total_state(ee_state_line *line, ee_trial_field_total *field, const state_order *judges,
                              size_t judge_count, ee_arena *names) {
  uint32_t judge = ee_state_reading(line) ? 0 : judges->as[field->judge];
  ee_state_begin(line);
  ee_state_small(line, &judge, UINT32_MAX);
  if (judge >= judge_count) ee_state_fail(line);
  if (ee_state_reading(line)) field->judge = judge;
  ee_state_text(line, names, &field->name);
  ee_state_count(line, &field->cases);
  ee_state_count(line, &field->trials);
  ee_state_fixed(line, &field->one);
  ee_state_count(line, &field->flips);
  ee_state_count(line, &field->differ);
  ee_state_count(line, &field->any);
  ee_state_count(line, &field->every);
  ee_state_count(line, &field->votes);
  ee_state_count(line, &field->elected);
  fleiss_state(line, &field->agreement);
  ee_state_counts(line, field->outcomes, 2);
  ee_state_fixed(line, &field->same);
  ee_state_end(line);
}

static state_order fields_state(ee_state_line *line, ee_trial_total *total, const state_order *judges,
                                ee_arena *scratch) {
  size_t count = ee_state_items(line, total->fields.count);
  state_name *names = EE_NEW_ARRAY(scratch, state_name, count);
  for (size_t i = 0; i < count; i++) names[i].number = (uint32_t)i;
  for (size_t i = 0; i < count && !ee_state_reading(line); i++) {
    names[i].judge = total->judges.items[total->fields.items[i].judge].name;
    names[i].name = total->fields.items[i].name;
  }
  state_order order = order_of(line, names, count, scratch);
  for (size_t i = 0; ee_state_goes_on(line, i, count); i++) {
    ee_trial_field_total read = {0};
    ee_trial_field_total *field = ee_state_reading(line) ? &read : &total->fields.items[order.at[i]];
    field_total_state(line, field, judges, total->judges.count, &total->field_names);
    if (!ee_state_reading(line) || ee_state_failed(line)) continue;
    if (read.name.data == NULL || ee_trial_field_of(total, read.judge, read.name, 0) != i)
      ee_state_fail(line);
    else
      total->fields.items[i] = read;
  }
  ee_state_end(line);
  return order;
}

EE_STATE_COVERS(ee_unstable_case, 64);

/* What is read is a document, since reports are made of it. */
static void unstable_state(ee_state_line *line, ee_unstable_case *unstable) {
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  ee_str id = {unstable->id.data, unstable->id.length}, json = {unstable->json.data, unstable->json.length};
  if (!ee_state_reading(line) && id.data == NULL) id = EE_STR("");
  ee_state_begin(line);
  ee_state_small(line, &unstable->flips, UINT32_MAX);
  ee_state_small(line, &unstable->differ, UINT32_MAX);
  ee_state_real(line, &unstable->spread);
  ee_state_text(line, &scratch, &id);
  ee_state_text(line, &scratch, &json);
  ee_state_end(line);
  if (ee_state_reading(line)) {
    if (ee_type_of(ee_json_read_data(&scratch, json, NULL)) != EE_OBJECT) ee_state_fail(line);
    ee_buffer_clear(&unstable->id);
    ee_buffer_clear(&unstable->json);
    ee_buffer_add_str(&unstable->id, id);
    ee_buffer_add_str(&unstable->json, json);
  }
  ee_arena_fini(&scratch);
}

static void unstables_state(ee_state_line *line, ee_trial_total *total) {
  size_t count = ee_state_items(line, total->unstable_count);
  if (count > EE_UNSTABLE_CASES) ee_state_fail(line);
  for (size_t i = 0; ee_state_goes_on(line, i, count); i++) unstable_state(line, &total->unstable[i]);
  if (ee_state_reading(line)) total->unstable_count = ee_state_failed(line) ? 0 : count;
  ee_state_end(line);
}

/* Open cases. */

static void verdict_state(ee_state_line *line, ee_verdict *verdict) {
  uint32_t number = (uint32_t)*verdict;
  ee_state_small(line, &number, EE_VERDICT_FAIL);
  *verdict = (ee_verdict)number;
}

EE_STATE_COVERS(ee_open_scores, 80);

static void scores_state(ee_state_line *line, ee_open_scores *scores) {
  ee_state_begin(line);
  ee_state_sample(line, &scores->sample);
  ee_state_real(line, &scores->best);
  ee_state_real(line, &scores->worst);
  verdict_state(line, &scores->best_verdict);
  verdict_state(line, &scores->worst_verdict);
  ee_state_count(line, &scores->passes);
  ee_state_end(line);
  if (scores->passes > scores->sample.count || !isfinite(scores->best) || !isfinite(scores->worst)) ee_state_fail(line);
}

EE_STATE_COVERS(ee_open_answer, 48);

/* Answers of a field with unknown ones do not count. */
static void answers_state(ee_state_line *line, ee_trial_total *total, ee_open_field *field) {
  size_t count = ee_state_items(line, field->unknown ? 0 : field->count);
  for (size_t i = 0; ee_state_goes_on(line, i, count); i++) {
    ee_open_answer answer = {0};
    if (!ee_state_reading(line)) answer = field->items[i];
    ee_state_begin(line);
    ee_state_count(line, &answer.hash);
    ee_state_text(line, &total->cases_arena, &answer.text);
    ee_state_text(line, &total->cases_arena, &answer.trial);
    ee_state_small(line, &answer.votes, UINT32_MAX);
    ee_state_flag(line, &answer.right);
    ee_state_end(line);
    if (ee_state_reading(line) && !ee_state_failed(line)) ee_open_add_votes(total, field, &answer);
  }
  ee_state_end(line);
}

EE_STATE_COVERS(ee_open_field, 40);

static void case_field_state(ee_state_line *line, ee_trial_total *total, ee_open_field *field) {
  ee_state_begin(line);
  ee_state_small(line, &field->field, UINT32_MAX);
  if (ee_state_reading(line) && field->field >= total->fields.count) ee_state_fail(line);
  ee_state_small(line, &field->right, UINT32_MAX);
  ee_state_small(line, &field->wrong, UINT32_MAX);
  ee_state_flag(line, &field->unknown);
  answers_state(line, total, field);
  if (!field->unknown && field->count == 0) ee_state_fail(line);
  ee_state_end(line);
}

static bool field_before(const ee_open_field *a, const ee_open_field *b) { return a->field < b->field; }
EE_DEFINE_SORT(sort_case_fields, ee_open_field, field_before)

static void case_fields_state(ee_state_line *line, ee_trial_total *total, ee_trial_case *open,
                              const state_order *fields, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_open_field *sorted = EE_NEW_ARRAY(scratch, ee_open_field, open->count);
  for (size_t i = 0; i < open->count; i++) {
    sorted[i] = open->items[i];
    sorted[i].field = fields->as[open->items[i].field];
  }
  sort_case_fields(sorted, open->count, scratch);
  size_t count = ee_state_items(line, open->count);
  for (size_t i = 0; ee_state_goes_on(line, i, count); i++) {
    ee_open_field field = {0};
    if (!ee_state_reading(line)) field = sorted[i];
    case_field_state(line, total, &field);
    if (!ee_state_reading(line)) continue;
    if (open->count > 0 && field.field <= open->items[open->count - 1].field) ee_state_fail(line);
    *EE_LIST_ADD(open, &total->cases_arena) = field;
  }
  ee_state_end(line);
  ee_arena_rewind(scratch, mark);
}

static void case_scores_state(ee_state_line *line, ee_trial_total *total, ee_trial_case *open) {
  size_t count = ee_state_items(line, open->scores.count);
  for (size_t i = 0; ee_state_goes_on(line, i, count); i++) {
    ee_open_score score = {0};
    if (!ee_state_reading(line)) score = open->scores.items[i];
    ee_state_begin(line);
    ee_state_text(line, &total->cases_arena, &score.trial);
    ee_state_real(line, &score.score);
    ee_state_end(line);
    if (!isfinite(score.score)) ee_state_fail(line);
    if (ee_state_reading(line)) *EE_LIST_ADD(&open->scores, &total->cases_arena) = score;
  }
  ee_state_end(line);
}

EE_STATE_COVERS(struct ee_trial_case, 96);

/* Of a case that is read, `open` has its id only. */
static void case_state(ee_state_line *line, ee_trial_total *total, ee_trial_case *open, const state_order *judges,
                       const state_order *fields, ee_arena *scratch) {
  if (!ee_state_reading(line)) ee_open_case_sort(total, open);
  ee_state_count(line, &open->trials);
  case_scores_state(line, total, open);
  for (size_t i = 0; i < total->judges.count; i++) {
    ee_open_scores none = {0};
    bool there = ee_state_reading(line) || judges->at[i] < open->judges.count;
    scores_state(line, there ? ee_open_scores_of(total, open, ee_state_reading(line) ? i : judges->at[i]) : &none);
  }
  case_fields_state(line, total, open, fields, scratch);
}

static void open_cases_state(ee_state_line *line, ee_trial_total *total, const state_order *judges,
                             const state_order *fields, ee_arena *scratch) {
  size_t count = ee_state_items(line, total->open.count);
  state_name *names = EE_NEW_ARRAY(scratch, state_name, count);
  for (size_t i = 0; i < count; i++)
    names[i] =
        (state_name){.number = (uint32_t)i, .name = ee_state_reading(line) ? EE_STR("") : total->open.items[i]->id};
  state_order order = order_of(line, names, count, scratch);
  for (size_t i = 0; ee_state_goes_on(line, i, count); i++) {
    ee_str id = {0};
    if (!ee_state_reading(line)) id = total->open.items[order.at[i]]->id;
    ee_state_begin(line);
    ee_state_text(line, scratch, &id);
    ee_trial_case *open = ee_open_case_of(total, id);
    if (open->trials > 0 && ee_state_reading(line)) ee_state_fail(line);
    case_state(line, total, open, judges, fields, scratch);
    if (open->trials == 0) ee_state_fail(line);
    ee_state_end(line);
  }
  ee_state_end(line);
}

EE_STATE_COVERS(ee_trial_total,
                1112 + 3 * sizeof(ee_arena) + sizeof(ee_case_example) + EE_UNSTABLE_CASES * sizeof(ee_unstable_case));

void ee_trial_total_state(ee_state_line *line, ee_trial_total *total) {
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  ee_state_begin(line);
  ee_state_count(line, &total->cases);
  ee_state_count(line, &total->trials);
  ee_state_count(line, &total->nameless);
  ee_state_count(line, &total->others);
  ee_state_begin(line);
  ee_state_counts(line, total->by_trials, EE_TRIALS_COUNTED + 1);
  ee_state_end(line);
  ee_state_count(line, &total->fewest);
  ee_case_example_state(line, &total->names, &total->fewest_case);
  for (size_t i = 0; i < EE_TRIAL_RULES; i++) ee_state_counts(line, total->verdicts[i], 3);
  state_order judges = judges_state(line, total, &scratch);
  state_order fields = fields_state(line, total, &judges, &scratch);
  ee_state_flag(line, &total->fields_cut);
  unstables_state(line, total);
  open_cases_state(line, total, &judges, &fields, &scratch);
  ee_state_end(line);
  ee_arena_fini(&scratch);
}
