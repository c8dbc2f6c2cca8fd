/* judge.h: the row of a judge, which scores one case, and compiled judges.
 *
 * To add a judge: its file with a row, the row in judge_table.c, a test. */
#ifndef EE_JUDGE_JUDGE_H
#define EE_JUDGE_JUDGE_H

#include "base/buffer.h"
#include "judge/case.h"
#include "judge/compile.h"
#include "judge/corpus.h"
#include "judge/result.h"
#include "judge/rule_node.h"

typedef struct ee_judge ee_judge;
struct ee_decimal_votes;
struct ee_strategy_usage;
struct ee_open_plan;

typedef struct ee_verdict_limits {
  double pass, borderline; /* 0.8, 0.6; score >= pass is a pass, else >= borderline a borderline */
} ee_verdict_limits;
ee_verdict ee_verdict_of(double score, ee_verdict_limits limits);

/* An attribute that is known at load. */
typedef struct ee_attribute {
  ee_str name;
  bool derived; /* from the same pairs as another attribute (a further threshold): excluded from averages */
} ee_attribute;

/* How the verdicts of a case's trials become one: by the mean of their scores; the best; the worst; by the lower end of
 * the mean's t interval at 95 % (the mean itself of a case with one trial). */
typedef enum ee_trial_rule {
  EE_TRIALS_MEAN,
  EE_TRIALS_ANY,
  EE_TRIALS_ALL,
  EE_TRIALS_INTERVAL,
  EE_TRIAL_RULES
} ee_trial_rule;
/* "mean", "pass_any", "pass_all", "interval"; ended by NULL. */
extern const char *const ee_trial_rule_names[EE_TRIAL_RULES + 1];
#define EE_TRIAL_RULE_CHOICES "mean|pass_any|pass_all|interval"

/* A path or key from the rule file; the run warns if no case has it. */
typedef struct ee_expected_path {
  ee_str name;
  const char *none; /* what cases have instead: "nothing", "no leaf" */
  const char *what; /* "path", "key" */
  bool holds_rest;  /* the other expected paths are inside it: without it none of them can occur */
} ee_expected_path;

/* How one key of a document was judged. */
typedef struct ee_judged_key {
  ee_str path;
  const char *bucket;       /* "both_non_null" */
  const char *strategy;     /* "EXACT"; "" where none was chosen */
  const char *why;          /* what chose the strategy: "config", "number" */
  bool compared;            /* the rest is set */
  double score, similarity; /* 0..1; a negative similarity is not known */
  ee_reason reason;
} ee_judged_key;

typedef struct ee_judge_type {
  const char *name;         /* as in ee.NAME, and `type` in the results; engine/help/NAME.txt says what it computes */
  const char *help;         /* one line */
  const ee_option *options; /* its own, besides ee_judge_shared_options */
  const char *positional;   /* positional values, for the editor's meta file: "[1] string?"; NULL: takes none */
  bool as_written;          /* judges documents as they are written, not in NFC: it counts or passes on characters */
  bool takes_path;          /* needs no more than a path: ee.NAME "PATH" */
  bool lists_values;        /* each value or item that it counts as wrong is a mismatch of the result */
  /* Reads `node`, whose options were checked, into `judge`: data, attributes. Errors go to the builder's list. */
  void (*compile)(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge);
  /* Fills `result`, except for `judge` and `verdict`. The candidate is NULL when it is missing or unparseable
   * (context->current->candidate_state). Cannot fail: errors are results. */
  void (*judge_case)(const ee_judge *judge, ee_context *context, ee_judge_result *result);
  /* Whether it judges boxes (ee_case.boxes) as it judges the documents that say the same. NULL: it needs documents. */
  bool (*takes_boxes)(const ee_judge *judge);
  /* Appends the `details` of a result, one JSON object (judge/details.h). `scratch` is rewound. NULL:
   * ee_details_write_plain(). */
  void (*write_details)(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out);
  /* The keys that the case was judged by, `*count` of them, in `arena`; for tests of rule files. NULL: no keys besides
   * the attributes. */
  const ee_judged_key *(*list_keys)(const ee_judge_result *result, ee_arena *arena, size_t *count);
  /* Names of per-case metrics besides the score, all 0..1, in the order of ee_judge_result.case_metrics;
   * NULL-terminated. The summary has mean, median, minimum, maximum and standard deviation of each, and ranks the
   * cases. NULL: none. */
  const char *const *case_metrics;
  /* Those of the per-case metrics that are better when lower, NULL-terminated; NULL: none. */
  const char *const *lower_is_better;
  /* Shows the values that the judge's fields compare, on one side of a case (NULL: missing), to the strategies that
   * decide from all values how they read them: ee_field_show(). NULL: a judge without fields. */
  void (*show_values)(const ee_judge *judge, ee_document_side document, const ee_value *root,
                      struct ee_decimal_votes *votes, ee_arena *arena);
  /* Adds to `usage` which strategy the judge would use for each key of a case and why, for `evalengine check RULES
   * DATA`. NULL: no choice depends on the data. */
  void (*observe)(const ee_judge *judge, ee_context *context, struct ee_strategy_usage *usage);
  /* Metrics of the whole data set (corpus.h). NULL: none. */
  const ee_corpus_type *corpus;
  /* What the judge keeps between the cases of a worker (ee_context.states[judge->number]): a running program, the open
   * plan of another rule file. `open` is the open plan of the judge itself. A failure ends the run (EE_ERROR_RULES,
   * EE_ERROR_SYSTEM). Both NULL: nothing. */
  ee_status (*open)(const ee_judge *judge, const struct ee_open_plan *open, void **state, ee_error *error);
  void (*close)(const ee_judge *judge, void *state);
  /* Prints the compiled judge for `evalengine check`, indented by two spaces. */
  void (*print)(const ee_judge *judge, ee_buffer *out);
} ee_judge_type;

/* Per-case metrics and counters that a rule file declares. Names are NULL-terminated lists; NULL: none. */
typedef struct ee_declared_metrics {
  const char *const *metrics, *const *lower_is_better; /* the second: those of the first that are better when lower */
  const char *const *counters;                         /* whole numbers of a case, added up */
} ee_declared_metrics;

/* A compiled judge. In the plan's arena, immutable. */
struct ee_judge {
  const ee_judge_type *type;
  ee_str name;
  uint32_t number; /* in its plan */
  double weight;
  bool has_when; /* `when` is a function that says whether it judges a case */
  int when;
  double best; /* the score of an answer that is right in everything, where that is not 1; else 0 */
  ee_verdict_limits verdict;
  const ee_rule_node *node;
  const ee_attribute *attributes; /* static ones, in the order of the rule file */
  size_t attribute_count;
  const ee_str *right_members; /* as JSON, by attribute: ee_details_prepare(); NULL: made when they are written */
  bool data_attributes; /* some attributes are discovered at run time, as are all of a judge without static ones */
  bool brings_counts; /* counts come from details.metrics: false positives are not split into incorrect and spurious */
  const struct ee_field_list *fields;     /* the fields of the rule file; NULL: a judge without fields */
  const ee_expected_path *expected_paths; /* besides the attributes */
  size_t expected_path_count;
  const struct ee_confidence_rules *confidence; /* confidences and costs; NULL: there are none */
  bool calls_script;                            /* judging enters the plan's script */
  size_t inside;                                /* judges of other rule files that judging enters, at any depth */
  bool calls_inner_script; /* judging enters the script of another rule file, which is in the judge's state */
  bool uses_provider;      /* comparing may ask a provider for similarity: judged in dry runs */
  bool asks_model;         /* judging asks the provider's model: the same */
  bool repair;             /* `repair`: judges what can be repaired of a candidate that is not JSON */
  bool ignores_expected;   /* judges cases without an expected value, too */
  bool runs_program;       /* judging waits for another program */
  const ee_declared_metrics *declared; /* of a judge whose metrics are not those of its type; else NULL */
  bool takes_text; /* compares candidates as a whole, or hands them on: a text is an answer like others */
  void *data;
};

/* Names of the judge's per-case metrics, and of those that are better when lower; NULL: none. */
static inline const char *const *ee_judge_case_metrics(const ee_judge *judge) {
  return judge->declared != NULL ? judge->declared->metrics : judge->type->case_metrics;
}
static inline const char *const *ee_judge_lower_is_better(const ee_judge *judge) {
  return judge->declared != NULL ? judge->declared->lower_is_better : judge->type->lower_is_better;
}

extern const ee_judge_type ee_fields_judge;
extern const ee_judge_type ee_line_items_judge;
extern const ee_judge_type ee_quality_judge;
extern const ee_judge_type ee_tree_judge;
extern const ee_judge_type ee_iou_score_judge;
extern const ee_judge_type ee_distance_score_judge;
extern const ee_judge_type ee_detection_judge;
extern const ee_judge_type ee_script_judge;
extern const ee_judge_type ee_extraction_judge;
extern const ee_judge_type ee_spans_judge;
extern const ee_judge_type ee_confusion_judge;
extern const ee_judge_type ee_schema_judge;
extern const ee_judge_type ee_llm_judge;
extern const ee_judge_type ee_exec_judge;
extern const ee_judge_type ee_code_judge;

/* All rows, NULL-terminated. */
extern const ee_judge_type *const ee_judge_types[];
const ee_judge_type *ee_judge_type_find(ee_str name);
/* True when `kind` is the name of a strategy. */
bool ee_is_strategy(ee_str kind);
/* name, weight, verdict, when, repair. */
extern const ee_option ee_judge_shared_options[];

#endif
