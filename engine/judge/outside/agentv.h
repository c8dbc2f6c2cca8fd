/* agentv.h: the evaluators of a YAML data set (AgentV) as the tree of a rule file.
 *
 * field_accuracy becomes ee.fields, iou_score ee.iou_score, code_judge with a script that ends in .lua ee.code_judge,
 * any other code_judge ee.exec. Unknown keys of a code_judge are added to its config. Types may be written with - or _;
 * `script` and `command` are the same, and so are `name` and `metric`.
 *
 * Cases may have evaluators of their own. Equal ones (apart from their place) are one judge; different ones of the same
 * name are called "NAME (2)", "NAME (3)", in the order of the file. */
#ifndef EE_JUDGE_OUTSIDE_AGENTV_H
#define EE_JUDGE_OUTSIDE_AGENTV_H

#include "data/files/case_file.h"
#include "judge/plan.h"

/* Builds the "rules" tree of the data set in `arena`, and the selection of judges by case (NULL where every case has
 * all judges). Errors go to `errors` with file, line and column: an unknown type (with a suggestion), an unknown key, a
 * wrong value. Evaluators that need a model or a trace (rubrics, tool_trajectory, latency, ...), and strings among
 * evaluators, are left out with a warning (status EE_OK), without `asks_models` llm_judge, too. NULL when no judge is
 * left. After an error the tree may be compiled to find further mistakes, but not run. */
const ee_rule_node *ee_agentv_to_rules(const ee_case_file *file, bool asks_models, ee_arena *arena,
                                       ee_selection **selection, ee_error_list *errors);

#endif
