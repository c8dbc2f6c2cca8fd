/* gate.h: conditions on the totals of a run that decide the exit status, from a rule file or --fail-under.
 *
 * A gate may be about the cases of one value of a slice ("meta.language=de"), or about those of every value
 * ("meta.language"): then it must hold for each value. With a confidence, the limit applies to the end of the metric's
 * interval instead of the metric. */
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
  EE_GATE_MEAN_SCORE,       /* of the cases, or of a judge */
  EE_GATE_PASS_RATE,        /* share of verdicts "pass" */
  EE_GATE_STRAIGHT_THROUGH, /* share of cases without corrections (corrections.h) */
  EE_GATE_CORRECTIONS,      /* edits a case: any number from 0 on, better when lower */
  EE_GATE_PASS_AT_K,        /* of the cases' trials, or of a judge: one of k trials passes (pass_at_k.h) */
  EE_GATE_PASS_ALL_K,       /* all k do */
  EE_GATE_CASE_PASS_RATE,   /* share of cases that pass, by their trials (ee_plan.trial_rule) */
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
  EE_GATE_SPECIFICITY,  /* of one field */
  EE_GATE_CASE_METRIC,  /* the mean of a per-case metric of a type of judge (ee_judge_type.case_metrics) */
  EE_GATE_CORPUS_METRIC /* a metric of the whole data set (corpus.h) */
} ee_gate_metric;
/* Names of all but the last two, in the order of the enum; NULL-terminated: "mean_score", "pass_rate",
 * "micro_precision", ... */
extern const char *const ee_gate_metric_names[];

#define EE_GATE_NO_SLOT SIZE_MAX

typedef struct ee_gate {
  ee_str judge; /* as written; empty: the case's score, or the only judge that the metric can be of */
  ee_str field; /* empty: the whole judge */
  ee_gate_metric metric;
  ee_str own_metric; /* of the last two: its name, "completeness", "AP50" */
  /* Set by ee_gate_resolve(). */
  const struct ee_judge *subject; /* the judge that the gate is about; NULL: the case's score */
  size_t slot; /* of a field: its place among the judge's static attributes; of a per-case metric: its place in the
                  type's list; EE_GATE_NO_SLOT: only the data know the field, or the metric has no list */
  uint64_t k;  /* of pass@k and pass^k */
  bool has_min, has_max;
  double min, max;
  uint64_t min_support; /* with fewer units (ee_gate_result.units) the gate is undecided */
  double max_unread;    /* the largest share of a field's expected values that the rules may fail to read, 0..1 */
  ee_str slice;         /* as written, "PATH" or "PATH=VALUE"; empty: all cases */
  size_t slice_number;  /* of the path of `slice` among the plan's slices */
  ee_str slice_value;   /* data NULL: every value of the slice */
  uint64_t min_cases;   /* a value of the slice with fewer scored cases does not count */
  double confidence;    /* of the interval whose end is held against the limit; 0: the metric itself is */
  const char *file;     /* NULL: of the command line */
  size_t line;
} ee_gate;

/* True for metrics of cases with several candidates. */
static inline bool ee_gate_metric_is_of_trials(ee_gate_metric metric) {
  return metric >= EE_GATE_PASS_AT_K && metric <= EE_GATE_CASE_PASS_RATE;
}

/* True when `metric` is one of a field: precision, recall, f1, specificity. */
static inline bool ee_gate_metric_is_of_field(ee_gate_metric metric) {
  return metric >= EE_GATE_PRECISION && metric <= EE_GATE_SPECIFICITY;
}

/* The name of the metric; borrowed. Of pass@k without its k. */
ee_str ee_gate_metric_name(const ee_gate *gate);
/* Appends the name, with its k: "pass@3". */
void ee_gate_print_metric(const ee_gate *gate, ee_buffer *out);

/* Finds what `gate` names in `plan`: sets `subject` and `slot`. A gate without a judge on a metric that needs one is
 * about the only judge of the plan, or the only one that has the metric. False with `error` (message without place,
 * EE_ERROR_RULES): an unknown judge or field, with a suggestion, or a metric that its subject does not have. */
bool ee_gate_resolve(const struct ee_plan *plan, ee_gate *gate, ee_error *error);

/* Reads and resolves "[JUDGE:[FIELD:]]METRIC[SLICE]=X" of --fail-under as a gate with min = X, where "[SLICE]" is
 * "[PATH]", "[PATH=VALUE]" or nothing; a path that is not among the plan's slices is added to them, in its arena. Other
 * strings are copied into `arena`. False with `error` for unknown names (with a suggestion), for metrics that are
 * better when lower, and for those that a slice or `confidence` (0: none) cannot have. */
bool ee_gate_parse(struct ee_plan *plan, const char *text, double confidence, ee_arena *arena, ee_gate *gate,
                   ee_error *error);

/* Reads and resolves an ee.gate node of the plan under construction; errors go to the builder. */
void ee_gate_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_gate *gate);
/* Options of ee.gate. */
extern const ee_option ee_gate_options[];

#endif
