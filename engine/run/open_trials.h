/* open_trials.h: the trials of a case until all of them are known.
 *
 * Only the files trial_total.c and trial_state.c use it. Memory is the total's `cases_arena`. */
#ifndef EE_RUN_OPEN_TRIALS_H
#define EE_RUN_OPEN_TRIALS_H

#include "run/trial_total.h"

/* The scores of a case's trials by one judge. */
typedef struct ee_open_scores {
  ee_sample sample;
  double best, worst;
  ee_verdict best_verdict, worst_verdict;
  uint64_t passes;
} ee_open_scores;

typedef struct ee_open_answer {
  uint64_t hash; /* of the whole text */
  ee_str text;   /* its beginning */
  ee_str trial;  /* the first that gave it, by name */
  uint32_t votes;
  bool right;
} ee_open_answer;

typedef struct ee_open_score {
  ee_str trial; /* its name */
  double score;
} ee_open_score;

typedef struct ee_open_field {
  uint32_t field; /* its number among the total's fields */
  uint32_t right, wrong;
  bool unknown; /* an answer is not known: there is no most frequent one */
  EE_LIST(ee_open_answer);
} ee_open_field;

struct ee_trial_case {
  ee_str id;
  uint64_t trials;
  struct {
    EE_LIST(ee_open_score);
  } scores; /* of the case, one a trial that has a score */
  struct {
    EE_LIST(ee_open_scores);
  } judges;
  EE_LIST(ee_open_field);
};

/* The open case with this id, and the number of a judge or of a field of a judge among the total's: each finds or adds.
 * `near`: where it most likely is. */
ee_trial_case *ee_open_case_of(ee_trial_total *total, ee_str id);
size_t ee_trial_judge_of(ee_trial_total *total, ee_str name, size_t position, size_t near);
size_t ee_trial_field_of(ee_trial_total *total, size_t judge, ee_str name, size_t near);

/* Adds what the judge with this number said of the trial. */
void ee_open_case_add(ee_trial_total *total, ee_trial_case *open, size_t judge, ee_str trial,
                      const ee_trial_judge *judged);
/* Adds a case of another total; `judges` and `fields` are the numbers that its own have in this one. */
void ee_open_case_merge(ee_trial_total *total, const ee_trial_case *from, const size_t *judges, const size_t *fields);
/* Brings scores and answers into the order of the trials' names. */
void ee_open_case_sort(ee_trial_total *total, ee_trial_case *open);

/* The scores by a judge, and votes for an answer, whose texts are copied. */
ee_open_scores *ee_open_scores_of(ee_trial_total *total, ee_trial_case *open, size_t judge);
void ee_open_add_votes(ee_trial_total *total, ee_open_field *field, const ee_open_answer *from);

#endif
