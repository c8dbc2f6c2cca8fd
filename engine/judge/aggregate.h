/* aggregate.h: from the scores of parts to one score.
 *
 * The parts are the fields of a judge, the judges of a case, or the places of a list. */
#ifndef EE_JUDGE_AGGREGATE_H
#define EE_JUDGE_AGGREGATE_H

#include "judge/case.h"
#include "judge/rule_node.h"
#include "judge/script.h"

typedef enum ee_aggregate_kind {
  EE_AGGREGATE_WEIGHTED_AVERAGE, /* sum(w * s) / sum(w) over the scored parts */
  EE_AGGREGATE_ALL_OR_NOTHING,   /* 1 when every scored part has score 1, else 0 */
  EE_AGGREGATE_MACRO_F1,         /* the mean of the parts' F1 */
  EE_AGGREGATE_MICRO_F1,         /* the F1 of the parts' counts added up */
  EE_AGGREGATE_COVERAGE,         /* the share of expected values that have an answer, right or wrong */
  EE_AGGREGATE_FUNCTION          /* a script function of the parts */
} ee_aggregate_kind;

/* The choices of the option of ee.fields, in the order of the enum. */
#define EE_AGGREGATE_CHOICES "weighted_average|all_or_nothing|macro_f1|micro_f1"

typedef struct ee_aggregate {
  ee_aggregate_kind kind;
  int function; /* or EE_NO_FUNCTION */
  bool
      weighted; /* the last three of the named kinds: each part's F1 or counts by its weight; else weights do not matter
                 */
} ee_aggregate;

typedef struct ee_aggregate_result {
  double score; /* 0..1 */
  bool vacuous; /* there was nothing to score: 1 by definition */
  bool failed;  /* the function raised an error, which is recorded: score 0 */
  ee_str error; /* of a failure: "file:line: message", in the case's arena */
} ee_aggregate_result;

/* Reads the option `aggregate` of a node whose options were checked. */
ee_aggregate ee_aggregate_option(const ee_rule_node *node);

/* "weighted_average", ..., "function". */
const char *ee_aggregate_name(const ee_aggregate *aggregate);

/* Aggregates `parts`. A part of weight 0 or with `scored` false is left out of the weighted average and of all or
 * nothing; when none is left, the score is 1 and vacuous if the parts' counts have neither a false positive nor a false
 * negative, else 0. The macro F1 counts an undefined F1 as 0 when its part has an error, leaves out a part without any,
 * and is 1 and vacuous when none is left; without weights it does not depend on the order of the parts. The micro F1 is
 * 1 and vacuous without true positives and errors, the coverage where nothing is expected and nothing invented (0 with
 * invented values). */
ee_aggregate_result ee_aggregate_parts(const ee_aggregate *aggregate, ee_context *context, const ee_script_part *parts,
                                       size_t count);

/* The same as a formula with its numbers: "(2*1 + 1*0.5)/3 = 0.833333"; of more than 16 parts with the sums alone. In
 * `arena`; for full detail. */
ee_str ee_aggregate_formula(const ee_aggregate *aggregate, const ee_aggregate_result *result,
                            const ee_script_part *parts, size_t count, ee_arena *arena);

/* The places of a list ---------------------------------------------------------------------------- */

typedef enum ee_place_aggregate {
  EE_PLACES_MEAN,
  EE_PLACES_WEIGHTED_MEAN, /* sum(w * s) / sum(w) */
  EE_PLACES_MEDIAN,        /* the middle one, of an even number the mean of the two in the middle */
  EE_PLACES_MIN
} ee_place_aggregate;
#define EE_PLACE_AGGREGATES "mean|weighted_mean|median|min"
/* "mean" and so on. */
const char *ee_place_aggregate_name(ee_place_aggregate aggregate);

typedef struct ee_place {
  double score;  /* 0..1 */
  double weight; /* finite, >= 0; of the weighted mean only */
} ee_place;

/* The score of `count` (> 0) places, 0..1; negative when all of them weigh nothing. It does not depend on their order:
 * sums are whole numbers of 2^-60 of a score, or of the largest weight. The median sorts `places`. */
double ee_places_score(ee_place_aggregate aggregate, ee_place *places, size_t count, ee_arena *scratch);
/* The same as a formula with its numbers: "median(0.5, 0.7, 1) = 0.7". In `arena`; for full detail. */
ee_str ee_places_formula(ee_place_aggregate aggregate, const ee_place *places, size_t count, double score,
                         ee_arena *arena);

#endif
