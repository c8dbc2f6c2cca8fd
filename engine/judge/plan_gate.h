/* plan_gate.h: ee.gate nodes of a rule file.
 *
 * Layer: judge. */
#ifndef EE_JUDGE_PLAN_GATE_H
#define EE_JUDGE_PLAN_GATE_H

#include "judge/plan.h"

/* Checks the gate node `spec` against the judges compiled so far and fills `gate`; mistakes go to the builder's errors.
 */
void ee_plan_gate_compile(ee_plan_builder *builder, const ee_spec *spec, ee_gate *gate);

#endif
