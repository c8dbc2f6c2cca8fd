/* gate_decision.h: whether a gate passes on the totals of a run. */
#ifndef EE_RUN_GATE_DECISION_H
#define EE_RUN_GATE_DECISION_H

#include "base/buffer.h"
#include "judge/gate.h"
#include "prim/confusion.h"
#include "prim/statistics.h"

struct ee_totals;

/* What makes a metric worthless. */
typedef enum ee_gate_doubt {
  EE_DOUBT_NONE,
  EE_DOUBT_NOTHING, /* nothing was compared: the gate is undecided */
  EE_DOUBT_UNREAD,  /* too many expected values of a field could not be read (ee_gate.max_unread) */
  EE_DOUBT_NOWHERE, /* no case has a field that must be there */
  EE_DOUBT_NO_SLICE /* no case has the slice, or the value of it: the gate is undecided */
} ee_gate_doubt;

/* Values of a slice that a result names. */
#define EE_GATE_VALUES 5

/* A value of a slice on which a gate fails. */
typedef struct ee_gate_value {
  ee_str name;
  bool defined;
  double held; /* what was compared with the limits */
} ee_gate_value;

typedef struct ee_gate_result {
  const ee_gate *gate;
  bool passed;
  bool defined; /* false: the metric is undefined, and the gate undecided */
  bool too_few; /* fewer units than min_support, or in no value of the slice as many cases as min_cases: undecided */
  double value;
  ee_interval range;         /* of the metric; unknown for metrics without an interval */
  double confidence;         /* of the interval: the gate's, else that of the rules */
  uint64_t units;            /* that the metric is of: clusters, and cases without one, in which it has a denominator */
  ee_gate_doubt doubt;       /* why it fails whatever the value */
  ee_str doubted;            /* of EE_DOUBT_UNREAD and EE_DOUBT_NOWHERE: the first field; borrowed from the totals */
  uint64_t unread, expected; /* of EE_DOUBT_UNREAD: how many of how many of its expected values cannot be read */
  bool unseen;               /* the field is not declared, and no case has it */
  ee_str near;               /* did-you-mean for an unseen field or slice, or empty; borrowed from totals or plan */
  /* Of a gate on every value of a slice: what is above is of the value that is nearest to failing or furthest beyond
   * the limit. */
  ee_str worst;                         /* that value; data NULL: the gate is not one of these, or no value counts */
  uint64_t cases;                       /* of a gate with a slice: its scored cases, those of `worst` */
  uint64_t values, values_failed;       /* those that count */
  uint64_t values_too_few;              /* with fewer cases than min_cases, or less support than min_support */
  ee_gate_value failed[EE_GATE_VALUES]; /* the first of the failed, worst first; borrowed from the totals */
} ee_gate_result;

/* Decides a resolved gate on the finished totals of a run. Limits are inclusive up to 2^-50, the rounding of decimals.
 * A gate on a field fails, whatever the value, when the rules fail to read more of its expected values than max_unread,
 * or when no case has it; one on a judge or on the case's score when that is so of any of their fields. The latter is
 * not looked at where only some cases were judged (`totals->chosen`) or where the field is optional (required = false).
 */
ee_gate_result ee_gate_decide(const ee_gate *gate, const struct ee_totals *totals);

/* True when there is nothing to decide the gate on: an undefined metric, nothing compared, no case in its slice, or too
 * few units. Such a gate has not passed. */
static inline bool ee_gate_is_undecided(const ee_gate_result *result) {
  return !result->passed && (result->doubt == EE_DOUBT_NOTHING || result->doubt == EE_DOUBT_NO_SLICE ||
                             ((!result->defined || result->too_few) && result->doubt == EE_DOUBT_NONE));
}

/* Compares a metric with the limits of `gate`, as above: the decision alone, for metrics that are not in totals. */
ee_gate_result ee_gate_compare(const ee_gate *gate, ee_metric metric, uint64_t units);

/* Appends the gate as it is written: "header macro_f1 >= 0.9", "header total f1[meta.language=de] >= 0.9". */
void ee_gate_print_condition(const ee_gate *gate, ee_buffer *out);

/* Appends "header macro_f1 0.85 >= 0.9", without the verdict, and why it is so. Values have four digits, or as many as
 * it takes to show on which side of the limit they are. */
void ee_gate_print(const ee_gate_result *result, ee_buffer *out);

#endif
