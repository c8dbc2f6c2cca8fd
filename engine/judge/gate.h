/* gate.h: conditions on the totals that decide the exit status, as a rule file or --fail-under states them.
 */
#ifndef EE_JUDGE_GATE_H
#define EE_JUDGE_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/str.h"
#include "judge/compile.h"

struct ee_plan;

typedef enum ee_gate_metric {
  EE_GATE_MEAN_SCORE, /* of the cases, or of a judge */
  EE_GATE_PASS_RATE,  /* share of verdicts "pass" */
  EE_GATE_MICRO_PRECISION,
  EE_GATE_MICRO_RECALL,
  EE_GATE_MICRO_F1,
  EE_GATE_MACRO_PRECISION,
  EE_GATE_MACRO_RECALL,
  EE_GATE_MACRO_F1,
  EE_GATE_WEIGHTED_PRECISION,
  EE_GATE_WEIGHTED_RECALL,
  EE_GATE_WEIGHTED_F1,
  EE_GATE_PRECISION,
  EE_GATE_RECALL,
  EE_GATE_F1,
  EE_GATE_SPECIFICITY, /* of one field */
  EE_GATE_CASE_METRIC, /* the mean of what judges of one type measure (ee_judge_type.measures); it goes by the measure's
                          name */
  EE_GATE_CORPUS_METRIC /* a figure of the whole data set (corpus.h), by its name */
} ee_gate_metric;
/* All but the last two in the order of the enum, then NULL: "mean_score", "pass_rate", "micro_precision", ... */
extern const char *const ee_gate_metric_names[];

#define EE_GATE_NO_SLOT SIZE_MAX

typedef struct ee_gate {
  ee_str judge; /* as written; empty: the case's score, or the only judge that the metric can be of */
  ee_str field; /* empty: the whole judge */
  ee_gate_metric metric;
  ee_str measure; /* of EE_GATE_CASE_METRIC: its name, "completeness"; of EE_GATE_CORPUS_METRIC: "AP50" */
  /* Set by ee_gate_resolve(). */
  const struct ee_judge *subject; /* the judge that the gate is about; NULL: the case's score */
  size_t slot; /* of a field: its place among the judge's static attributes; of a per-case metric: its place in the
                  type's list; EE_GATE_NO_SLOT: only the data know the field, or the metric has no list */
  bool has_min, has_max;
  double min, max;
  uint64_t min_support; /* fewer expected values (tp + fn; of a score, a rate, a measure or a figure: fewer cases): the
                         * gate is not decided and passes, saying so */
  const char *file;     /* in the rule file; NULL for a gate of the command line */
  size_t line;
} ee_gate;

/* True when `metric` is one of a field: precision, recall, f1, specificity. */
static inline bool ee_gate_metric_is_of_field(ee_gate_metric metric) {
  return metric >= EE_GATE_PRECISION && metric <= EE_GATE_SPECIFICITY;
}

/* What the metric of `gate` is called; borrowed. */
ee_str ee_gate_metric_name(const ee_gate *gate);

/* Finds what `gate` names in `plan`: sets `subject` and `slot`. A gate without a judge on a metric that needs one is
 * about the only judge of the plan, or the only one that has the metric. False with `error` (message without place,
 * EE_ERROR_RULES): an unknown judge or field, with a suggestion, or a metric that its subject does not have. */
bool ee_gate_resolve(const struct ee_plan *plan, ee_gate *gate, ee_error *error);

/* Reads "[JUDGE:[FIELD:]]METRIC=X" of --fail-under into `gate` (min = X); texts are copied into `arena`. Fails with a
 * message that names what is unknown, with a suggestion, and for what is better when it is lower. */
bool ee_gate_parse(const struct ee_plan *plan, const char *text, ee_arena *arena, ee_gate *gate, ee_error *error);

/* Reads an ee.gate node, checked against the plan that is being built; mistakes go to the builder's errors. */
void ee_gate_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_gate *gate);
/* Options of ee.gate. */
extern const ee_option ee_gate_options[];

#endif
