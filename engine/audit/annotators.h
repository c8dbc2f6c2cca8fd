/* annotators.h: how far two annotators of the same records agree, by the judges of a rule file, and what that says
 * about a model.
 *
 * The values of the second annotator are judged against those of the first, as if they were a candidate's, and the
 * other way round. A strategy that treats both sides alike gives the same counts in both directions (only the first has
 * a value: FN one way, FP the other); where they differ, both F1 are reported. What the second annotator scores is what
 * a perfect reader of the documents scores against the first: a ceiling for models that are scored against the first.
 *
 * Units are clusters of cases, or cases. Intervals are those of prim/ratio_interval.h; a model's difference from the
 * ceiling, of the same records, is judged as prim/paired.h says, the p values of all fields corrected together (Holm).
 *
 * Kappa (prim/agreement.h) is over the values of a field whose categories are few: values that the rules match in some
 * record are one category, and no value is a category, too. Its interval is that of the observed agreement, with the
 * agreement by chance as it is (Cohen 1960).
 *
 * Memory: about 150 bytes a unit and field, the listed disagreements, and up to 36 KB a field for its categories. */
#ifndef EE_AUDIT_ANNOTATORS_H
#define EE_AUDIT_ANNOTATORS_H

#include "base/arena.h"
#include "judge/result.h"
#include "prim/agreement.h"
#include "prim/ratio_interval.h"

/* For kappa: the most categories that a field may have, and the fewest values of each on average. */
#define EE_KAPPA_CATEGORIES 12
#define EE_KAPPA_VALUES 3
/* Disagreements that are kept; all are counted. */
#define EE_DISAGREEMENTS_KEPT 100000

/* A model beside the ceiling. */
typedef enum ee_ceiling {
  EE_CEILING_UNKNOWN,   /* a metric is undefined, or there are fewer than two units */
  EE_CEILING_UNDECIDED, /* no evidence of a difference, but one of more than EE_CEILING_MARGIN is possible */
  EE_CEILING_REACHED,   /* no evidence of a difference, and the whole interval is within EE_CEILING_MARGIN */
  EE_CEILING_BELOW,     /* significantly worse than the second annotator */
  EE_CEILING_ABOVE      /* significantly better */
} ee_ceiling;
#define EE_CEILING_MARGIN 0.05
/* "undecided", "at the ceiling", "below", "above"; "unknown". */
const char *ee_ceiling_name(ee_ceiling ceiling);

/* A score or an F1 against the first annotator. */
typedef struct ee_ceiling_check {
  ee_ranged annotator, model; /* the second annotator's, the model's */
  ee_ranged difference;       /* model - annotator, -1..1 */
  double p, p_adjusted;       /* NaN: unknown */
  ee_ceiling ceiling;
} ee_ceiling_check;

typedef struct ee_field_agreement {
  size_t judge; /* of the plan */
  ee_str name;
  ee_counts counts;  /* of the second against the first: TP and TN agree, `wrong` differ, FP - wrong only the second has
                        a value, FN - wrong only the first */
  ee_counts reverse; /* of the first against the second */
  ee_ranged agreement; /* (TP + TN) / all values */
  ee_ranged f1;        /* of the second against the first */
  ee_metric reverse_f1;
  bool one_way; /* the directions differ */
  ee_kappa kappa;
  ee_interval kappa_interval;
  const char *no_kappa;   /* why it has no kappa: "more than 12 different values"; NULL: it has one */
  ee_ceiling_check check; /* with a model */
} ee_field_agreement;

typedef struct ee_disagreement {
  ee_str id, path;
  size_t judge;
  ee_str field;         /* whose counts it is in; may be empty */
  ee_str first, second; /* the values as text (a string unchanged, others as JSON, long ones cut); empty: none */
  ee_str model;         /* the model's value where it differs from the first annotator's; empty: none */
  bool model_agrees;    /* with the first annotator */
  bool model_unknown;   /* nothing is known of its value here, as of an item that only one annotator has */
  ee_str reason;
} ee_disagreement;

typedef struct ee_annotators_report {
  const struct ee_plan *plan;
  double confidence;
  bool has_model;
  uint64_t cases, units; /* of both annotators */
  uint64_t perfect;      /* cases in which they agree on everything */
  ee_ranged score;       /* mean score of the second against the first */
  ee_metric reverse_score;
  uint64_t values, agreed; /* over all fields, without derived ones */
  ee_ranged agreement;
  ee_ceiling_check check;           /* of the mean score, with a model */
  const ee_field_agreement *fields; /* by judge; in it the lowest agreement first */
  size_t field_count;
  const ee_disagreement *listed; /* disagreements, in the order of the cases */
  size_t listed_count;
  uint64_t disagreements; /* all, listed or not */
  uint64_t disagreeing;   /* cases that have one */
} ee_annotators_report;

typedef struct ee_annotators ee_annotators;

/* `plan` must outlive the annotators; confidence as ee_ratio_interval() takes it. */
ee_annotators *ee_annotators_new(const struct ee_plan *plan, double confidence, bool has_model);
void ee_annotators_free(ee_annotators *annotators);

/* Adds a record: results of the second annotator against the first, of the first against the second, and of the model
 * against the first (NULL without a model). They were judged in full detail; `unit` is the cluster, data NULL: the case
 * is its own unit. Nothing of them is kept. */
void ee_annotators_add(ee_annotators *annotators, ee_str unit, const ee_case_result *second,
                       const ee_case_result *first, const ee_case_result *model, ee_arena *scratch);

/* After the last record. The result is owned by `annotators`. */
const ee_annotators_report *ee_annotators_finish(ee_annotators *annotators);

#endif
