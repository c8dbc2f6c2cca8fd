/* comparison_inside.h: the inside of a comparison.
 *
 * comparison_rows.c keeps the rows of two runs, comparison_values.c the values that were wrong in them; comparison.c
 * joins them; comparison_totals.c adds up what the cases give, comparison_state.c writes, reads and merges that.
 * Everything else reads totals: comparison_stats.c computes the metrics, comparison_findings.c says what they mean,
 * comparison_notes.c what a reader must know, comparison_report.c prints, comparison_json.c for programs. Single cases
 * are those of all rows, or the most changed ones of each part. */
#ifndef EE_REPORT_COMPARISON_INSIDE_H
#define EE_REPORT_COMPARISON_INSIDE_H

#include "base/hash_index.h"
#include "base/list.h"
#include "prim/paired.h"
#include "report/comparison.h"
#include "report/comparison_totals.h"
#include "run/parts/id_hashes.h"
#include "run/totals.h"

/* With fewer changed cases the sign test cannot reach 5 %: 2 * 0.5^5 = 6.25 %. */
#define EE_FEWEST_CHANGES 6
/* The power of the smallest difference that is said to be detectable. */
#define EE_DETECTABLE_POWER 0.8
/* Judges that are compared; data can name any number of them. */
#define EE_COMPARED_JUDGES 1000
/* Fields of all judges; further ones of a judge share EE_OTHER_NAME, as do those beyond EE_DATA_ATTRIBUTES of one
 * judge. */
#define EE_COMPARED_FIELDS 20000

/* Measures, and values of slices: the first ones in byte order; further ones are left out. */
#define EE_COMPARED_MEASURES 100
#define EE_COMPARED_SLICES 2000

/* The number of something that does not exist. */
#define EE_NO_NUMBER UINT32_MAX

/* Rows ------------------------------------------------------------------------------------------ */

/* An attribute in one row: indices of known_attributes and known_counts. */
typedef struct ee_row_attribute {
  uint32_t attribute, counts;
} ee_row_attribute;

typedef struct ee_row_judge {
  double score; /* NaN: it has none */
  size_t first; /* in the run's attributes */
  uint32_t count, judge;
  size_t first_value; /* in the run's values */
  uint32_t value_count;
  bool cut; /* its row has more wrong values */
} ee_row_judge;

/* A value that is wrong in a row. JSON; data NULL: there is nothing. */
typedef struct ee_row_value {
  ee_str path, expected, candidate, reason, kind;
} ee_row_value;

typedef struct ee_run_row {
  ee_str id;
  ee_str base;   /* of a trial: the id of its case; data NULL: no trial */
  bool averaged; /* its case's mean stands for it */
  uint64_t expected_hash, rules_hash;
  double score;
  size_t first_judge; /* in the run's judges */
  size_t first_measure;
  size_t first_slice; /* in the run's slices */
  uint64_t unit;      /* a hash: of its cluster, else of its id */
  uint32_t judge_count, measure_count, slice_count;
  bool has_hash, has_rules_hash, unscored;
  bool has_corrections, straight_through; /* the second only with the first: nothing must be corrected */
  bool shares_unit;                       /* its unit may have more cases */
  ee_verdict verdict;
  uint64_t line; /* in its file */
} ee_run_row;

/* A measure of a row that is a number. */
typedef struct ee_row_measure {
  uint32_t measure; /* in known_measures */
  double value;
} ee_row_measure;

typedef struct ee_run_rows {
  struct {
    EE_LIST(ee_run_row);
  } rows;
  struct {
    EE_LIST(ee_row_judge);
  } judges;
  struct {
    EE_LIST(ee_row_attribute);
  } attributes;
  struct {
    EE_LIST(ee_row_value);
  } values;
  struct {
    EE_LIST(ee_row_measure);
  } measures;
  struct {
    EE_LIST(uint32_t);
  } slices;          /* numbers of known_slices */
  ee_hash_index ids; /* of the first `indexed` rows: the others are added when one is looked for */
  size_t indexed;
  uint64_t duplicates, unreadable;
  uint64_t averaged, means; /* rows that are averaged, and the means, which are rows too */
} ee_run_rows;

/* Known: in either run, numbered as they appear. `place` is the last one that it has in any row, which is its place
 * among the rules if a row has all before it: reports list by place, then by name, so that the order of the rows does
 * not matter. */
typedef struct ee_known_judge {
  ee_str name, type;
  size_t attributes;
  uint32_t place;
  ee_judge_totals totals;
} ee_known_judge;

typedef struct ee_known_attribute {
  ee_str name;
  uint32_t judge, place;
  bool derived;
  ee_attribute_totals totals;
} ee_known_attribute;

typedef struct ee_known_slice {
  ee_str path, value;
  uint32_t place;          /* of its path */
  ee_slice_totals *totals; /* NULL: it is beyond EE_COMPARED_SLICES */
} ee_known_slice;

typedef struct ee_known_measure {
  ee_str name;
  uint32_t place;
  ee_measure_totals totals;
} ee_known_measure;

/* Results --------------------------------------------------------------------------------------- */

typedef enum ee_comparison_outcome { EE_OUTCOME_WIN, EE_OUTCOME_LOSS, EE_OUTCOME_TIE } ee_comparison_outcome;

/* A field of a case that is right on one side only. */
typedef struct ee_change {
  uint32_t item, attribute; /* index of the case; in known_attributes */
  bool broken;              /* right before, wrong now; else fixed */
} ee_change;

typedef struct ee_compared_case {
  const ee_run_row *base, *fresh;
  double delta;   /* new - base */
  ee_metric gain; /* normalised; below 0, without limit, if the case got worse */
  ee_comparison_outcome outcome;
  uint32_t fixed, broken, still_wrong; /* fields */
  size_t first_change;                 /* fixed + broken of them */
} ee_compared_case;

/* A metric of both runs. The change is defined if both are. An undefined interval is {NaN, NaN}. */
typedef struct ee_estimate {
  ee_metric before, after, change;
  ee_interval before_range, after_range, change_range;
  double p, p_adjusted; /* of "no change"; adjusted for its family, where it has one; NaN: undefined */
} ee_estimate;

typedef struct ee_compared_field {
  uint32_t judge, attribute;
  uint64_t fixed, broken, still_wrong, still_right; /* cases */
  uint64_t fewer, more;                             /* of still_wrong: with fewer errors than before, with more */
  ee_counts before, after;
  ee_estimate f1;    /* its p is that of `wrong` where F1 is undefined in a run; without the two runs' intervals */
  ee_estimate wrong; /* share of cases with an error; p: exact, of units with more such cases against fewer */
} ee_compared_field;

/* Cases with one value of a slice: their mean score. */
typedef struct ee_compared_slice {
  uint32_t slice; /* in known_slices */
  uint64_t cases;
  ee_estimate score;
  ee_counts before, after; /* pooled over all fields that are in averages */
} ee_compared_slice;

typedef struct ee_compared_judge {
  uint32_t judge;
  uint64_t cases;                  /* that have it on both sides */
  uint64_t without[2];             /* cases that have it on the other side only */
  ee_estimate score;               /* mean over those of them in which both have a score */
  size_t first_field, field_count; /* in `fields` */
  bool any_counts;                 /* some field is in the averages */
  ee_estimate micro, macro;        /* F1 */
} ee_compared_judge;

/* A measure over the cases that have it on both sides. */
typedef struct ee_compared_measure {
  uint32_t measure;           /* in known_measures */
  uint64_t cases, without[2]; /* `without`: that have it on the other side only */
  ee_metric sum[2];
  ee_estimate mean;
} ee_compared_measure;

/* A field that only one side's rules have. */
typedef struct ee_lone_field {
  uint32_t attribute;
  ee_side side;
} ee_lone_field;

/* Whether the new run is not worse by more than options.margin. */
typedef enum ee_margin_verdict { EE_MARGIN_UNDECIDED, EE_MARGIN_NOT_WORSE, EE_MARGIN_WORSE } ee_margin_verdict;

typedef enum ee_finding_of_runs { EE_RUNS_EQUAL, EE_RUNS_BETTER, EE_RUNS_WORSE, EE_RUNS_UNDECIDED } ee_finding_of_runs;

/* The names of the files that parts of a run are from: what all have at their start and at their end. */
typedef struct ee_file_names {
  ee_str start, end; /* data NULL: no part yet */
  uint64_t shortest; /* bytes */
  bool several;      /* they differ */
} ee_file_names;

struct ee_comparison {
  ee_comparison_options options;
  ee_arena arena; /* ids, names, reasons, notes */
  ee_run_rows runs[2];
  struct {
    EE_LIST(ee_known_judge);
  } known_judges;
  struct {
    EE_LIST(ee_known_attribute);
  } known_attributes;
  struct {
    EE_LIST(ee_known_measure);
  } known_measures;
  struct {
    EE_LIST(ee_known_slice);
  } known_slices;
  struct {
    EE_LIST(ee_counts);
  } known_counts; /* every combination that occurs; index 0: all zero */
  ee_hash_index judge_index, attribute_index, measure_index, slice_index, counts_index;
  ee_str left_out;    /* the first judge beyond EE_COMPARED_JUDGES; data NULL: none */
  bool others_pooled; /* some attributes share EE_OTHER_NAME */

  const bool *skipped;     /* by row of the base: compared with neither; borrowed; NULL: none */
  uint64_t elsewhere;      /* cases that are left out so */
  ee_compared_case *cases; /* in the order of the base; of merged parts, the most changed ones */
  size_t listed;           /* of them */
  bool is_merged;          /* from states: only the most changed cases are listed */
  struct {
    EE_LIST(ee_change);
  } changes; /* by case */

  /* Totals, beside those in the lists above. */
  uint64_t rows[2];        /* read, of each run */
  ee_sample row_scores[2]; /* of all rows with a score */
  uint64_t averaged;       /* cases with other trials in one run than in the other */
  size_t case_count;
  uint64_t unscored;       /* cases without a score in one run or both: not compared */
  uint64_t lone[2];        /* ids that only that side has */
  uint64_t other_expected; /* cases with another expected_hash, compared by `common` */
  uint64_t other_rules;    /* cases that other rules judged */
  ee_first_ids lone_ids[2], other_expected_ids, other_rules_ids;
  uint64_t on_trust; /* cases in which a row has no hash */
  uint64_t outcomes[3];
  uint64_t changed;        /* cases whose scores differ by more than rounding */
  uint64_t verdicts[3][3]; /* before, after */
  ee_fixed gain_sum;
  uint64_t gains;               /* cases in which the normalised gain is defined */
  uint64_t worse[2], better[2]; /* cases; of these: tied */
  uint64_t values_changed;      /* in those; only of merged parts */
  bool slices_left_out;
  /* Cases with trials, by the hash of their id: the runs have the same trials, which can be in several parts; or not.
   */
  ee_id_hashes trials_together, trials_apart;
  ee_str mixed_trials; /* a case with some rows that are trials and some that are not; data NULL: no such case */
  ee_file_names file_names[2]; /* of merged parts */
  ee_sample scores[2];         /* of the cases that are compared */
  uint64_t units_alone;        /* units of one case; the others are in score_figure.shared */
  bool clusters_grouped, averages_grouped;
  ee_figure score_figure, pass_figure, straight_figure;
  uint64_t units_gained, units_lost; /* units of one case with a pass more than before, with one less */
  ee_sign_flips signs;               /* of units of one case */

  /* Results. */
  uint64_t units;               /* what the intervals count: cases, or clusters */
  bool clustered;               /* some unit has several cases */
  ee_estimate score;            /* the mean score */
  double sign_p;                /* of its change, by random signs of the units */
  double detectable;            /* the smallest change of it that these units show with a power of 80 % */
  ee_estimate straight_through; /* the share of documents; undefined where rows do not say it */
  ee_estimate pass;             /* the pass rate; p: by Student's t, McNemar's is pass_p */
  ee_metric gain;               /* mean normalised gain */
  uint64_t passed[2], pass_fixed, pass_broken;
  double pass_p; /* McNemar; of units: those with more passes against those with fewer */

  ee_compared_judge *judges; /* on both sides, by place */
  size_t judge_count;
  ee_compared_measure *measures; /* by place */
  size_t measure_count;
  ee_compared_slice *slices; /* by place of the path, then by value */
  size_t slice_count;
  ee_compared_field *fields; /* by judge, then by place */
  size_t field_count;
  uint32_t *field_of; /* by attribute; EE_NO_NUMBER: of no field */
  uint64_t fixed, broken;
  ee_lone_field *lone_fields;
  size_t lone_field_count;
  bool several_judges; /* more than one judge has attributes: names of fields include theirs */

  ee_finding_of_runs finding;
  ee_margin_verdict margin;
  bool equivalent;     /* the whole interval is within the margin, on both sides */
  const char *failure; /* why it fails by options.fail_on; NULL: it does not fail */
  struct {
    EE_LIST(const char *);
  } notes;
};

/* "base" or "new", or the name it was given. */
const char *ee_comparison_name(const ee_comparison *comparison, ee_side side);
/* The number of the row with that id; EE_NO_NUMBER if the run has none. */
uint32_t ee_run_find(ee_run_rows *run, ee_str id);
/* The same where it is probably row `*guess`, which becomes the number of the row after it: runs mostly have their
 * cases in one order. */
uint32_t ee_run_find_near(ee_run_rows *run, ee_str id, size_t *guess);
/* A judge in a row; NULL if the row does not have it. */
const ee_row_judge *ee_run_judge(const ee_run_rows *run, const ee_run_row *row, uint32_t judge);

/* The number of a name; `place`: in its row, EE_NO_NUMBER: after all others. EE_NO_NUMBER for a judge beyond
 * EE_COMPARED_JUDGES, and for an attribute that shares EE_OTHER_NAME. An attribute is derived if any row says so. */
uint32_t ee_comparison_number_judge(ee_comparison *comparison, ee_str name, ee_str type, uint32_t place);
uint32_t ee_comparison_number_attribute(ee_comparison *comparison, uint32_t judge, ee_str name, bool derived,
                                        uint32_t place);
uint32_t ee_comparison_number_measure(ee_comparison *comparison, ee_str name, uint32_t place);
uint32_t ee_comparison_number_slice(ee_comparison *comparison, ee_str path, ee_str value, uint32_t place);
/* The numbers of all judges, by place. */
const uint32_t *ee_comparison_order_judges(const ee_comparison *comparison, ee_arena *arena);
/* The number of counts in known_counts. */
uint32_t ee_comparison_number_counts(ee_comparison *comparison, const ee_counts *counts);
/* Replaces the rows of a case by the mean of its trials, where the runs have other trials of it. */
void ee_comparison_average_trials(ee_comparison *comparison);
/* Keeps the wrong values that a row lists for `judge`. */
void ee_comparison_keep_values(ee_comparison *comparison, ee_run_rows *run, ee_row_judge *judge,
                               const ee_stored_judge *stored);

/* Its `count` attributes; NULL if there are none. */
static inline const ee_row_attribute *ee_run_attributes(const ee_run_rows *run, const ee_row_judge *judge) {
  return judge->count > 0 ? run->attributes.items + judge->first : NULL;
}

/* The normalised gain. */
ee_metric ee_comparison_gain(double base, double delta);
/* Wrong values of a judge and case that are kept. */
#define EE_COMPARED_VALUES 50
/* Whether a value changed, and no judge before this one has listed the same. */
bool ee_comparison_is_new_change(const ee_compared_value *values, size_t number);
/* How many of these the cases have that got worse or better. */
uint64_t ee_comparison_count_values(const ee_comparison *comparison);

/* Of a difference of scores, where those below `threshold` do not count. */
ee_comparison_outcome ee_comparison_outcome_of(double delta, double threshold);

/* What varies independently: a hash of the case's cluster, or of its id, without the name of a trial. */
uint64_t ee_comparison_unit(const ee_compared_case *item);

/* A measure of a row; false if the row does not have it as a number. */
bool ee_run_measure(const ee_run_rows *run, const ee_run_row *row, uint32_t measure, double *value);

/* The steps of ee_comparison_finish(): rows to totals; totals to results, with the errors that it has. */
void ee_comparison_total(ee_comparison *comparison);
ee_status ee_comparison_conclude(ee_comparison *comparison, ee_error *error);

/* Adds up the cases: what they changed, and all totals. */
void ee_comparison_add_up(ee_comparison *comparison);
/* Puts units together where there are too many, and sorts, after cases or totals were added. */
void ee_comparison_settle(ee_comparison *comparison);
void ee_comparison_free_totals(ee_comparison *comparison);

/* Whether the totals are of two runs that can be compared; ..._part(): what is also wrong in a part of them. */
ee_status ee_comparison_check(ee_comparison *comparison, ee_error *error);
ee_status ee_comparison_check_part(ee_comparison *comparison, ee_error *error);
/* What a reader must know. */
void ee_comparison_add_notes(ee_comparison *comparison);

/* Fills the estimates, with p values that are not adjusted. */
void ee_comparison_estimate(ee_comparison *comparison);
/* Adjusts the p values; fills `finding`, `margin`, `failure`, and adds notes on slices. */
void ee_comparison_decide(ee_comparison *comparison);
/* Whether a change is significant after the correction: 1 a gain, -1 a loss, 0 neither. Of a field, its F1, or, where
 * F1 is undefined in a run, its share of wrong cases. */
int ee_estimate_verdict(const ee_comparison *comparison, const ee_estimate *estimate);
int ee_field_verdict(const ee_comparison *comparison, const ee_compared_field *field);
/* How many fields and slices have a p: the families of the correction. */
size_t ee_comparison_field_family(const ee_comparison *comparison);
size_t ee_comparison_slice_family(const ee_comparison *comparison);
/* Adds a note; the text is kept by reference. */
void ee_comparison_add_note(ee_comparison *comparison, const char *text);

/* For notes and reports ------------------------------------------------------------------------- */

ee_case_change ee_comparison_change(const ee_compared_case *item);
/* Indices of the cases that got worse or better, the largest changes first; returns their number. */
size_t ee_comparison_worse(const ee_comparison *comparison, ee_arena *arena, size_t **order);
size_t ee_comparison_better(const ee_comparison *comparison, ee_arena *arena, size_t **order);
/* Indices of the fields in which anything changed, the largest losses first; returns their number. */
size_t ee_comparison_rank_fields(const ee_comparison *comparison, ee_arena *arena, size_t **order);
/* Whether some field that is still wrong has fewer or more errors than before. */
bool ee_comparison_has_degrees(const ee_comparison *comparison);
/* "JUDGE: ATTRIBUTE", without the judge if no other one has attributes; of a known attribute. Not yet printable. */
ee_str ee_comparison_field_name(const ee_comparison *comparison, uint32_t attribute, ee_arena *arena);
/* A share of 1 as page.h rounds it; "-" if it is undefined. */
const char *ee_comparison_share(ee_arena *arena, ee_metric metric);
/* A difference with its sign: "-0.025", below 0.0005 its first digit, "+0.00002"; "0.000" where it is rounding. */
const char *ee_change_text(ee_arena *arena, ee_metric metric);
/* "[0.871, 0.951]", "[-0.041, +0.010]"; "-" if it is undefined. */
const char *ee_range_text(ee_arena *arena, ee_interval interval);
const char *ee_change_range_text(ee_arena *arena, ee_interval interval);
/* "p 0.043", "p < 0.001". */
const char *ee_p_text(ee_arena *arena, double p);
/* "win", "loss", "tie". */
const char *ee_outcome_name(ee_comparison_outcome outcome);
/* "0.043", "< 0.001"; "-" if it is undefined. */
const char *ee_p_number(ee_arena *arena, double p);
/* A slice: "vendor = ACME". Not yet printable. */
ee_str ee_comparison_slice_name(const ee_comparison *comparison, const ee_compared_slice *slice, ee_arena *arena);
/* "better", "worse", "no difference", "no evidence of a difference". */
const char *ee_finding_text(ee_finding_of_runs finding);
/* "Fails (--fail-on any): REASON" in markup; nothing if `reason` is NULL. The page borrows `reason`. */
void ee_comparison_add_failure(ee_page *page, ee_fail_on fail_on, const char *reason);

#endif
