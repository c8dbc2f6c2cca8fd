/* gate_decision.h: whether a gate passes on the totals of a run. */
#ifndef EE_RUN_GATE_DECISION_H
#define EE_RUN_GATE_DECISION_H

#include "base/buffer.h"
#include "judge/gate.h"
#include "prim/confusion.h"

struct ee_totals;

typedef struct ee_gate_result {
  const ee_gate *gate;
  bool passed;
  bool defined; /* false: the metric is undefined (fails), or support is below min_support (passes) */
  bool too_few; /* support below min_support */
  double value;
  uint64_t support;
  bool unseen; /* the field is not declared, and no case has it */
  ee_str near; /* did-you-mean for an unseen field, or empty; borrowed from the totals */
} ee_gate_result;

/* Decides a resolved gate on the finished totals of a run. Limits are inclusive up to 2^-50, the rounding of decimals.
 */
ee_gate_result ee_gate_decide(const ee_gate *gate, const struct ee_totals *totals);

/* Compares a metric with the limits of `gate`, as above: the decision alone, for metrics that are not in totals. */
ee_gate_result ee_gate_compare(const ee_gate *gate, ee_metric metric, uint64_t support);

/* Appends "header macro_f1 0.85 >= 0.9", without the verdict. Values have four digits, or as many as it takes to show
 * on which side of the limit they are. */
void ee_gate_print(const ee_gate_result *result, ee_buffer *out);

#endif
