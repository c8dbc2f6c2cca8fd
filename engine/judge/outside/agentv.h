/* agentv.h: the evaluators of a YAML data set as a rule file's tree.
 *
 * The other front end of rule_node.h: field_accuracy becomes fields, iou_score stays, code_judge with a script
 * that ends in .lua becomes code_judge (another rule file, inside the engine), any other exec. Keys of a code_judge
 * that it does not know are its config, together with `config`. Types are known with - and _ alike; `script` and
 * `command` name the same thing, `name` and `metric` too.
 *
 * Cases may have evaluators of their own: equal ones (all but the place) are one judge; different ones of one name are
 * told apart by " (2)", " (3)" behind it, in the order of the file. */
#ifndef EE_JUDGE_OUTSIDE_AGENTV_H
#define EE_JUDGE_OUTSIDE_AGENTV_H

#include "data/files/case_file.h"
#include "judge/plan.h"

/* Builds the "rules" tree of the data set in `arena`, and the selection of judges by case (NULL where every case has
 * all of them). Mistakes go to `errors` with file, line and column: an unknown type (with a suggestion), an unknown
 * key, a wrong value. Types that need a model or a trace (llm_judge, rubrics, tool_trajectory, latency, ...) are named
 * in `errors` with status EE_OK (a warning: left out, with the line), and so are texts among evaluators (counted, one
 * warning). NULL when there was a mistake, or nothing is left to judge by. */
const ee_rule_node *ee_agentv_to_rules(const ee_case_file *file, ee_arena *arena, ee_selection **selection,
                                       ee_error_list *errors);

#endif
