/* trial_total.h: what several candidates of each case say of how stable a system is.
 *
 * A trial is judged as a case of its own, and is in all other totals. Here the trials of one id are put together when
 * all of them are known: those of one record at once; those of several records when everything has been added. Until
 * then such an id takes about 350 bytes, 30 for each trial, 80 for each judge and 100 for each judged field, and 70 for
 * each further answer; then only sums are left. The sums are whole numbers and fixed-point, and where trials have an
 * order it is that of their names, so that merging is associative and commutative: any split of the data, in any order
 * of its records, gives the same totals.
 *
 * Whether a field is right is taken from its counts: it is, in a trial, where it has no false positive and no false
 * negative. Its answer in a trial is known where it has one value: a right one is the expected value, whatever its
 * spelling, and wrong ones are the same if they are equal after ee_trial_answer(). So the most frequent answer needs no
 * second judging. Fields of several values, as in line items, and whole documents have no most frequent answer here. */
#ifndef EE_RUN_TRIAL_TOTAL_H
#define EE_RUN_TRIAL_TOTAL_H

#include "base/buffer.h"
#include "base/hash_index.h"
#include "base/list.h"
#include "data/json/state_line.h"
#include "judge/judge.h"
#include "judge/result.h"
#include "prim/agreement.h"
#include "prim/confusion.h"
#include "prim/pass_at_k.h"
#include "prim/ratio_interval.h"
#include "prim/statistics.h"
#include "run/case_example.h"

/* One trial ------------------------------------------------------------------------------------- */

typedef struct ee_trial_field {
  ee_str name;
  ee_counts counts;
  ee_str answer; /* of a wrong one, ee_trial_answer(); data NULL: not known */
} ee_trial_field;

typedef struct ee_trial_judge {
  ee_str name;     /* empty: the case as a whole */
  size_t position; /* of the judge among those of the rules, as far as it is known, from 1 */
  bool has_score;
  double score;
  ee_verdict verdict;
  const ee_trial_field *fields; /* without derived ones */
  size_t field_count;
} ee_trial_judge;

typedef struct ee_trial {
  ee_str id;                    /* of the case, without the trial */
  ee_str name;                  /* which trial it is; empty where the record does not say */
  bool last;                    /* no other trial of this id follows */
  const ee_trial_judge *judges; /* the first is the case as a whole */
  size_t judge_count;
} ee_trial;

/* A value as an answer, in `arena`: of a text without white space around it and with single spaces inside, and a
 * decimal number in it as the shortest text of that number, which is also that of a number; other values as canonical
 * JSON; the empty text for none (NULL, null, a blank text). */
ee_str ee_trial_answer(const ee_value *value, ee_arena *arena);

/* Sums ------------------------------------------------------------------------------------------ */

/* Sums of a ratio over cases. */
typedef struct ee_trial_ratio {
  uint64_t cases, b, bb;
  ee_fixed a, aa, ab;
} ee_trial_ratio;
ee_ratio_sums ee_trial_ratio_sums(const ee_trial_ratio *ratio);

/* Of a judge, or of the cases as a whole. */
typedef struct ee_trial_figures {
  ee_str name;
  size_t position;             /* the last one in any trial; once finished, figures are in this order, then by name */
  uint64_t cases;              /* with a score in some trial; all that follows is of them */
  uint64_t repeated;           /* with a score in at least two */
  uint64_t trials;             /* with a score */
  ee_sample mean, best, worst; /* of each case's scores */
  ee_fixed within;             /* sum over repeated cases of the variance of their scores / trials */
  ee_fixed variance;           /* the same, not divided by trials */
  uint64_t flips;              /* cases that pass in some trials only */
  ee_fleiss agreement;         /* of passing or not */
  uint64_t outcomes[2];        /* trials of repeated cases that pass, and others */
  ee_sample at[EE_PASS_SIZES], all[EE_PASS_SIZES]; /* pass@k and pass^k of the cases with k trials */
  /* Of fields in repeated cases, each of which counts alike, however many trials it has: the share right in one trial
   * (a: of each field the share of its trials), by the most frequent answer, in any, in all trials. */
  ee_trial_ratio one, voted, any, every;
} ee_trial_figures;

/* A field, of the cases in which at least two trials judged it. */
typedef struct ee_trial_field_total {
  uint32_t judge; /* its number among the figures */
  ee_str name;
  uint64_t cases, trials;
  ee_fixed one;            /* sum over cases of the share of trials in which it is right */
  uint64_t flips;          /* cases in which it is right in some trials only */
  uint64_t differ;         /* cases with several answers */
  uint64_t any, every;     /* cases in which it is right in some, in all trials */
  uint64_t votes, elected; /* cases whose answers are known; of these, those whose most frequent answer is right */
  ee_fleiss agreement;     /* of right and wrong */
  uint64_t outcomes[2];    /* trials */
  ee_fixed same;           /* sum over `votes` of the share of pairs of trials with the same answer */
} ee_trial_field_total;

/* One of the least stable cases. */
typedef struct ee_unstable_case {
  uint32_t flips, differ; /* fields */
  double spread;          /* the best score minus the worst */
  ee_buffer id;
  /* {"id", "trials", "passed", "scores": [...], "fields": [{"judge", "field", "right", "wrong", "answers": [{"value",
   * "trials"}]}]}: the scores of the trials by name; the fields that differ, by judge and name, and their wrong answers
   * in the order of their first trials. */
  ee_buffer json;
} ee_unstable_case;

#define EE_UNSTABLE_CASES 20
/* Numbers of trials that are counted one by one; more are counted with the last. */
#define EE_TRIALS_COUNTED 100
/* Fields that have sums of their own, the first by judge and name in byte order; further ones are in the figures of
 * their judges only. While trials are added there may be a quarter more, and those of open cases. */
#define EE_TRIAL_FIELDS 4000

typedef struct ee_trial_case ee_trial_case;

typedef struct ee_trial_total {
  ee_verdict_limits limits;                  /* of the case */
  uint64_t cases, trials, nameless;          /* nameless: trials whose records do not say which one they are */
  uint64_t others;                           /* judged cases without a trial, such as one without any answer */
  uint64_t by_trials[EE_TRIALS_COUNTED + 1]; /* cases by number of trials */
  uint64_t fewest;                           /* trials of the case with the fewest; 0: no case */
  ee_case_example fewest_case;
  uint64_t verdicts[EE_TRIAL_RULES][3]; /* of cases */
  struct {
    EE_LIST(ee_trial_figures);
  } judges; /* the first is the case as a whole */
  struct {
    EE_LIST(ee_trial_field_total);
  } fields;
  bool fields_cut; /* there are more than EE_TRIAL_FIELDS */
  ee_hash_index field_index;
  ee_unstable_case unstable[EE_UNSTABLE_CASES]; /* the least stable first, equal ones by id */
  size_t unstable_count;
  struct {
    EE_LIST(ee_trial_case *);
  } open; /* cases that may get more trials */
  ee_hash_index open_index;
  ee_arena names, field_names, cases_arena; /* of what is closed; of the open cases */
} ee_trial_total;

void ee_trial_total_init(ee_trial_total *total, ee_verdict_limits limits);
void ee_trial_total_fini(ee_trial_total *total);
/* Empties the total and keeps its memory. */
void ee_trial_total_clear(ee_trial_total *total);

void ee_trial_total_add(ee_trial_total *total, const ee_trial *trial);
/* The trial of a judged case, if it is one. */
void ee_trial_total_add_case(ee_trial_total *total, const ee_case_result *result, ee_arena *scratch);
/* Adds `other`. */
void ee_trial_total_merge(ee_trial_total *total, const ee_trial_total *other);
/* Puts together the trials of all cases that are still open, and sorts judges and fields. Before anything is read from
 * the total. */
void ee_trial_total_finish(ee_trial_total *total);

/* Writes it with its open cases, or reads it into an empty one. */
void ee_trial_total_state(ee_state_line *line, ee_trial_total *total);

/* Whether there is anything to say: some case has several trials, or there should be trials. */
static inline bool ee_trial_total_any(const ee_trial_total *total) { return total->cases > 0; }

#endif
