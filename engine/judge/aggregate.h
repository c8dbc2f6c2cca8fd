/* aggregate.h: from the scores of parts to one score.
 *
 * The parts are the fields of a judge or the judges of a case. */
#ifndef EE_JUDGE_AGGREGATE_H
#define EE_JUDGE_AGGREGATE_H

#include "judge/context.h"
#include "judge/rule_node.h"
#include "judge/script.h"

typedef enum ee_aggregate_kind {
  EE_AGGREGATE_WEIGHTED_AVERAGE, /* sum(w * s) / sum(w) over the scored parts */
  EE_AGGREGATE_ALL_OR_NOTHING,   /* 1 when every scored part has score 1, else 0 */
  EE_AGGREGATE_MACRO_F1,         /* the plain mean of the parts' F1; weights do not matter */
  EE_AGGREGATE_FUNCTION          /* a script function of the parts */
} ee_aggregate_kind;

/* The kinds that have a name, in the order of the enum: the choices of the option. */
#define EE_AGGREGATE_CHOICES "weighted_average|all_or_nothing|macro_f1"

typedef struct ee_aggregate {
  ee_aggregate_kind kind;
  int function; /* or EE_NO_FUNCTION */
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
 * and is 1 and vacuous when none is left; it does not depend on the order of the parts. */
ee_aggregate_result ee_aggregate_parts(const ee_aggregate *aggregate, ee_context *context, const ee_script_part *parts,
                                       size_t count);

#endif
