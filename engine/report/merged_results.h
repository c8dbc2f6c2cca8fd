/* merged_results.h: what a run says, added up from its rows, or of a run: what `evalengine report` prints.
 *
 * From rows of schema 2 alone: the same means, verdicts, counts of attributes and slices as the run printed. Metrics of
 * the whole data set (average precision) and distributions are not in rows.
 *
 * Counts are integers and sums of scores fixed-point, and names are kept and ordered as in run/totals.h, so the order
 * of the rows changes no bit. Where only the rule file has an order (judges, attributes, measures, slices), it is that
 * of the last place at which a row lists each, then that of the names. */
#ifndef EE_REPORT_MERGED_RESULTS_H
#define EE_REPORT_MERGED_RESULTS_H

#include "base/hash_index.h"
#include "base/list.h"
#include "report/calibration_report.h"
#include "report/measures_report.h"
#include "report/mistakes.h"
#include "report/page.h"
#include "report/stored_row.h"
#include "report/summaries.h"
#include "run/totals.h"

/* Kinds of errors at a path that may turn out to be an attribute. */
typedef struct ee_merged_place {
  ee_str path;
  ee_kind_total *kinds;
} ee_merged_place;

typedef struct ee_merged_judge {
  ee_str name, type;       /* the type of a row that has one, of several the lowest; may be empty */
  size_t position;         /* the last place at which a row has it (ee_stored_judge) */
  ee_sample score;         /* of rows in which the judge has one */
  ee_score_units units;    /* as in ee_judge_total */
  ee_count_moments pooled; /* the same */
  uint64_t verdicts[3];
  uint64_t failed;   /* rows in which the judge was in error */
  uint64_t unscored; /* without a score because of their expected values or of a model */
  uint64_t vacuous;  /* with nothing to score */
  bool split;        /* false positives are split into incorrect and spurious: all rows say so, or the run does */
  ee_kind_total *row_kinds;                     /* as in ee_judge_total */
  uint64_t kinds_cut;                           /* the same */
  ee_calibration_total *calibration;            /* NULL: no row has confidences or costs; not of slices */
  const struct ee_confidence_rules *confidence; /* of a run; else NULL */
  struct {
    EE_LIST(ee_attribute_total);
  } attributes;        /* at most EE_DATA_ATTRIBUTES names once finished, others share EE_OTHER_NAME */
  ee_hash_index index; /* of the attributes, by name */
  ee_str bound;        /* as in ee_judge_total */
  struct {
    EE_LIST(ee_merged_place);
  } places;
} ee_merged_judge;

typedef struct ee_merged_measure {
  ee_str name;
  size_t position;
  ee_measure_total total; /* of rows: `missing` is computed when it is written */
} ee_merged_measure;

struct ee_merged_results;

/* How many rows were judged by rules of this hash. */
typedef struct ee_merged_rules {
  uint64_t hash, rows;
} ee_merged_rules;

/* A value of a slice. */
typedef struct ee_merged_slice {
  ee_str value;
  struct ee_merged_results *results; /* of its rows; without slices of its own */
} ee_merged_slice;

/* A slice: the values at one path of the records. */
typedef struct ee_merged_path {
  ee_str path;
  size_t position;
  struct {
    EE_LIST(ee_merged_slice);
  } values;            /* by value once finished; at most EE_SLICE_VALUES then, others share EE_OTHER_NAME */
  ee_hash_index index; /* of the values */
  ee_str bound;        /* values beyond it are in EE_OTHER_NAME; data NULL: none so far */
} ee_merged_path;

typedef struct ee_merged_results {
  uint64_t rows;       /* taken */
  uint64_t unscored;   /* of these: without a score because of their expected values or of a model, in no mean */
  uint64_t unreadable; /* lines that are not rows */
  uint64_t duplicates; /* rows with an id seen before, left out */

  bool has_dataset;        /* the next four are known */
  uint64_t cases;          /* of the data set */
  uint64_t without_case;   /* rows with an id that it does not have, left out */
  uint64_t without_row;    /* its cases without a row */
  uint64_t other_expected; /* rows judged against another expected value than it has now */

  bool recomputed;      /* a run */
  uint64_t rules_hash;  /* of most rows that have one; 0: none has */
  uint64_t other_rules; /* rows with another one */
  struct {
    EE_LIST(ee_merged_rules);
  } rules;                                     /* all of them */
  uint64_t data_hash, records_hash, rows_hash; /* as in the signature; 0: not known */
  ee_str options;                              /* of the command, for the signature */
  uint64_t kept;     /* rows of a run that did not write all of them (--keep): the rows are a choice of its cases */
  ee_str kept_words; /* of the first: "fail,1%" */
  uint64_t schema1;  /* rows of schema 1, or of other programs: what follows does not count them */
  uint64_t candidates_missing, candidates_unparseable, rule_errors, provider_failures, given_up;

  double confidence;           /* of intervals; set after ee_merged_init(), which makes it the usual one */
  ee_accept_choice accept;     /* as in ee_summary; set after ee_merged_init() */
  const ee_plan *plan;         /* of a run, for the legend; else NULL */
  ee_summary_values summaries; /* of the rules; borrowed */
  const ee_mistakes *mistakes; /* as in ee_summary; borrowed */

  ee_score_units units; /* as in ee_score_totals */
  ee_sample score;
  ee_score_bins bins;
  uint64_t verdicts[3];
  ee_correction_total corrections; /* of rows that say it; not of one judge alone */
  struct {
    EE_LIST(ee_merged_judge);
  } judges;
  ee_hash_index index; /* of the judges, by name */
  struct {
    EE_LIST(ee_merged_measure);
  } measures; /* at most EE_MERGED_MEASURES, the first names in byte order */
  struct {
    EE_LIST(ee_merged_path);
  } slices;              /* at most EE_MERGED_SLICES, the first paths in byte order */
  ee_trial_total trials; /* of the whole */
  ee_arena *arena;       /* of all that is copied: `own`; of a slice that of the whole */
  ee_arena own;
} ee_merged_results;

#define EE_MERGED_MEASURES 100
#define EE_MERGED_SLICES 100

/* Makes it empty. It must not be moved. */
void ee_merged_init(ee_merged_results *results);
void ee_merged_fini(ee_merged_results *results);
/* Adds one row (copied): of all judges and slices, or of the one judge named `judge` if its data is not NULL. */
void ee_merged_add_row(ee_merged_results *results, const ee_stored_row *row, ee_str judge);
/* Adds a run, and sets `recomputed`. */
void ee_merged_add_totals(ee_merged_results *results, const ee_totals *totals, ee_str judge);
/* Brings everything into its final order. After the last row or run, before anything is read. */
void ee_merged_finish(ee_merged_results *results);

/* Attributes worst F1 first, those with more errors first if equal, with micro, macro and weighted averages; a
 * zero denominator is "-" (csv: empty, json: left out). The page borrows from `results`. */
void ee_merged_page(const ee_merged_results *results, ee_page *page);
/* Each appends to `out`. The CSV has the columns of a run's; `wrong` is empty if it is not known. */
void ee_merged_csv(const ee_merged_results *results, ee_buffer *out);
void ee_merged_json(const ee_merged_results *results, ee_buffer *out);

#endif
