/* open_trials.c: puts the trials of a case together, whichever comes first. */
#include "run/open_trials.h"

#include "prim/sort.h"

/* Bytes of an answer that are kept to be shown. */
#define ANSWER_KEPT 60

/* Lists of an open case begin with room for what nearly all cases have: there are many of them. */
#define START_LIST(list, total, room)                                                                                  \
  ((list)->capacity > 0                                                                                                \
       ? (void)0                                                                                                       \
       : (void)((list)->items = ee_arena_alloc(&(total)->cases_arena, (room) * sizeof *(list)->items),                 \
                (list)->capacity = (room)))

static bool is_number(ee_str text) {
  for (size_t i = 0; i < text.length; i++)
    if (text.data[i] < '0' || text.data[i] > '9') return false;
  return true;
}

/* The order of trials: numbers by their value, then other names in byte order. */
static int compare_trials(ee_str a, ee_str b) {
  bool numbers = is_number(a);
  if (numbers != is_number(b)) return numbers ? -1 : 1;
  if (numbers && a.length != b.length) return a.length < b.length ? -1 : 1;
  return ee_str_compare(a, b);
}

static uint64_t hash_text(ee_str text, uint64_t seed) { return ee_hash_bytes(text.data, text.length, seed); }

static ee_str copy(ee_arena *arena, ee_str text) {
  return (ee_str){ee_arena_copy(arena, text.data, text.length), text.length};
}

static ee_trial_case *find_case(const ee_trial_total *total, ee_str id, uint64_t hash) {
  size_t at = 0, number;
  while (ee_hash_index_next(&total->open_index, hash, &at, &number))
    if (ee_str_equal(total->open.items[number]->id, id)) return total->open.items[number];
  return NULL;
}

ee_trial_case *ee_open_case_of(ee_trial_total *total, ee_str id) {
  uint64_t hash = hash_text(id, 0);
  ee_trial_case *found = find_case(total, id, hash);
  if (found != NULL) return found;
  found = EE_NEW(&total->cases_arena, ee_trial_case);
  found->id = copy(&total->cases_arena, id);
  ee_hash_index_add(&total->open_index, hash, total->open.count);
  *EE_LIST_ADD(&total->open, NULL) = found;
  return found;
}

size_t ee_trial_judge_of(ee_trial_total *total, ee_str name, size_t position, size_t near) {
  bool is_near = near < total->judges.count && ee_str_equal(total->judges.items[near].name, name);
  size_t number = is_near ? near : 0;
  while (number < total->judges.count && !is_near && !ee_str_equal(total->judges.items[number].name, name)) number++;
  if (number == total->judges.count)
    *EE_LIST_ADD(&total->judges, NULL) = (ee_trial_figures){.name = copy(&total->names, name)};
  if (position > total->judges.items[number].position) total->judges.items[number].position = position;
  return number;
}

size_t ee_trial_field_of(ee_trial_total *total, size_t judge, ee_str name, size_t near) {
  const ee_trial_field_total *guess = near < total->fields.count ? &total->fields.items[near] : NULL;
  if (guess != NULL && guess->judge == judge && ee_str_equal(guess->name, name)) return near;
  uint64_t hash = hash_text(name, judge);
  size_t at = 0, number;
  while (ee_hash_index_next(&total->field_index, hash, &at, &number)) {
    const ee_trial_field_total *field = &total->fields.items[number];
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the index has what the list has
    if (field->judge == judge && ee_str_equal(field->name, name)) return number;
  }
  ee_hash_index_add(&total->field_index, hash, total->fields.count);
  *EE_LIST_ADD(&total->fields, NULL) =
      (ee_trial_field_total){.judge = (uint32_t)judge, .name = copy(&total->field_names, name)};
  return total->fields.count - 1;
}

ee_open_scores *ee_open_scores_of(ee_trial_total *total, ee_trial_case *open, size_t judge) {
  START_LIST(&open->judges, total, total->judges.count);
  while (open->judges.count <= judge) *EE_LIST_ADD(&open->judges, &total->cases_arena) = (ee_open_scores){0};
  return &open->judges.items[judge];
}

/* The field in the case: finds or adds. They are in the same order in all trials, except for a few. */
static ee_open_field *field_in(ee_trial_total *total, ee_trial_case *open, size_t number, size_t *next) {
  for (size_t i = 0; i < open->count; i++) {
    size_t at = (*next + i) % open->count;
    if (open->items[at].field != number) continue;
    *next = at + 1;
    return &open->items[at];
  }
  START_LIST(open, total, total->fields.count);
  ee_open_field *added = EE_LIST_ADD(open, &total->cases_arena);
  *added = (ee_open_field){.field = (uint32_t)number};
  return added;
}

void ee_open_add_votes(ee_trial_total *total, ee_open_field *field, const ee_open_answer *from) {
  for (size_t i = 0; i < field->count; i++) {
    ee_open_answer *answer = &field->items[i];
    if (answer->right != from->right || answer->hash != from->hash) continue;
    answer->votes += from->votes;
    if (compare_trials(from->trial, answer->trial) < 0) answer->trial = copy(&total->cases_arena, from->trial);
    return;
  }
  START_LIST(field, total, 1);
  ee_open_answer *added = EE_LIST_ADD(field, &total->cases_arena);
  *added = *from;
  added->text = copy(&total->cases_arena, (ee_str){from->text.data, ee_utf8_cut(from->text, ANSWER_KEPT)});
  added->trial = copy(&total->cases_arena, from->trial);
}

static void add_field(ee_trial_total *total, ee_trial_case *open, size_t number, ee_str trial,
                      const ee_trial_field *field, size_t *next) {
  const ee_counts *counts = &field->counts;
  uint64_t wrong = counts->fp > counts->fn ? counts->fp : counts->fn, values = counts->tp + counts->tn + wrong;
  if (values == 0) return; /* not judged, or its expected value cannot be read */
  ee_open_field *in = field_in(total, open, number, next);
  bool right = wrong == 0;
  in->right += right;
  in->wrong += !right;
  in->unknown = in->unknown || values > 1 || (!right && field->answer.data == NULL);
  if (in->unknown) return;
  ee_open_answer answer = {.trial = trial, .votes = 1, .right = right, .text = right ? EE_STR("") : field->answer};
  if (!right) answer.hash = hash_text(field->answer, 0);
  ee_open_add_votes(total, in, &answer);
}

static void merge_scores(ee_open_scores *to, const ee_open_scores *from) {
  if (from->sample.count == 0) return;
  if (to->sample.count == 0) {
    *to = *from;
    return;
  }
  ee_sample_merge(&to->sample, &from->sample);
  if (from->best > to->best) to->best = from->best;
  if (from->worst < to->worst) to->worst = from->worst;
  if (from->best_verdict < to->best_verdict) to->best_verdict = from->best_verdict;
  if (from->worst_verdict > to->worst_verdict) to->worst_verdict = from->worst_verdict;
  to->passes += from->passes;
}

static void add_score(ee_trial_total *total, ee_trial_case *open, size_t judge, ee_str trial,
                      const ee_trial_judge *judged) {
  ee_open_scores one = {.best = judged->score,
                        .worst = judged->score,
                        .best_verdict = judged->verdict,
                        .worst_verdict = judged->verdict,
                        .passes = judged->verdict == EE_VERDICT_PASS};
  ee_sample_add(&one.sample, judged->score);
  merge_scores(ee_open_scores_of(total, open, judge), &one);
  if (judge > 0) return;
  START_LIST(&open->scores, total, 4);
  *EE_LIST_ADD(&open->scores, &total->cases_arena) = (ee_open_score){copy(&total->cases_arena, trial), judged->score};
}

void ee_open_case_add(ee_trial_total *total, ee_trial_case *open, size_t judge, ee_str trial,
                      const ee_trial_judge *judged) {
  if (judged->has_score) add_score(total, open, judge, trial, judged);
  size_t near = 0, next = 0;
  for (size_t i = 0; i < judged->field_count; i++) {
    size_t number = ee_trial_field_of(total, judge, judged->fields[i].name, near);
    near = number + 1;
    add_field(total, open, number, trial, &judged->fields[i], &next);
  }
}

void ee_open_case_merge(ee_trial_total *total, const ee_trial_case *from, const size_t *judges, const size_t *fields) {
  ee_trial_case *to = ee_open_case_of(total, from->id);
  to->trials += from->trials;
  START_LIST(&to->scores, total, 4);
  for (size_t i = 0; i < from->scores.count; i++) {
    ee_open_score score = from->scores.items[i];
    score.trial = copy(&total->cases_arena, score.trial);
    *EE_LIST_ADD(&to->scores, &total->cases_arena) = score;
  }
  for (size_t i = 0; i < from->judges.count; i++)
    merge_scores(ee_open_scores_of(total, to, judges[i]), &from->judges.items[i]);
  size_t next = 0;
  for (size_t i = 0; i < from->count; i++) {
    const ee_open_field *field = &from->items[i];
    ee_open_field *in = field_in(total, to, fields[field->field], &next);
    in->right += field->right;
    in->wrong += field->wrong;
    in->unknown = in->unknown || field->unknown;
    for (size_t k = 0; k < field->count && !in->unknown; k++) ee_open_add_votes(total, in, &field->items[k]);
  }
}

static bool score_before(const ee_open_score *a, const ee_open_score *b) {
  int order = compare_trials(a->trial, b->trial);
  return order != 0 ? order < 0 : a->score < b->score;
}
EE_DEFINE_SORT(sort_scores, ee_open_score, score_before)

static bool answer_before(const ee_open_answer *a, const ee_open_answer *b) {
  int order = compare_trials(a->trial, b->trial);
  return order != 0 ? order < 0 : a->hash < b->hash;
}
EE_DEFINE_SORT(sort_answers, ee_open_answer, answer_before)

void ee_open_case_sort(ee_trial_total *total, ee_trial_case *open) {
  sort_scores(open->scores.items, open->scores.count, &total->cases_arena);
  for (size_t i = 0; i < open->count; i++)
    sort_answers(open->items[i].items, open->items[i].count, &total->cases_arena);
}
