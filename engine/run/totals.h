/* totals.h: the totals of a run, a block or a slice.
 *
 * Counts are integers and sums fixed-point, names and examples are kept by byte order, not by first appearance: merging
 * is associative and commutative, so that any order and any partition of the data gives the same totals. The same holds
 * for corpus metrics (corpus.h). */
#ifndef EE_RUN_TOTALS_H
#define EE_RUN_TOTALS_H

#include <signal.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/hash_index.h"
#include "judge/plan.h"
#include "prim/confusion.h"
#include "prim/ratio_interval.h"
#include "prim/statistics.h"
#include "run/absent_path.h"
#include "run/calibration_total.h"
#include "run/case_example.h"
#include "run/correction_total.h"
#include "run/kind_total.h"
#include "run/measure_total.h"
#include "run/page_hint.h"
#include "run/trial_total.h"
#include "run/unit_table.h"
#include "run/unread_total.h"
#include "run/value_counts.h"
#include "run/worst_cases.h"

/* One attribute of a judge over all cases. */
typedef struct ee_attribute_total {
  ee_str name;
  bool derived;      /* as in the plan: excluded from averages */
  uint32_t position; /* of rows: the last place at which one lists it, from 1; else 0 */
  ee_counts counts;
  ee_count_units units;    /* for intervals */
  ee_unread_total *unread; /* values that the rules cannot read; NULL: none */
  ee_kind_total *kinds;    /* of its mismatches; NULL: none, or kinds were not decided; not of slices */
  ee_absent_path absent;   /* whether its path is there, and what is there instead; of ee.fields, not of slices */
} ee_attribute_total;

/* ee.line_items with compare_methods: cases that were paired by greedy and by optimal. */
typedef struct ee_methods_total {
  uint64_t compared;
  uint64_t different;                   /* cases in which some item has another partner */
  uint64_t lost;                        /* cases in which greedy has a lower total similarity */
  ee_fixed lost_similarity;             /* of all of them */
  ee_fixed greedy_score, optimal_score; /* of all cases compared */
} ee_methods_total;

typedef struct ee_judge_total {
  ee_sample score;
  ee_score_units units;
  uint64_t verdicts[3];
  uint64_t failed;       /* cases in which the judge was in error */
  ee_case_example fault; /* one of them; text: why. Of the whole only */
  uint64_t unscored;     /* cases without a score, because of their expected values or of a model: in no mean */
  uint64_t vacuous;
  uint64_t paired;      /* cases with arrays that were paired by their match fields */
  uint64_t unpairable;  /* cases with arrays whose items have none of the match fields: paired by their score fields */
  unsigned match_sides; /* bit by ee_document_side: in some case its items have match fields */
  const char *match_names; /* the match fields, in quotes; the plan's; NULL: not by match fields */
  uint64_t fallbacks;      /* cases in which greedy pairing was used instead of optimal */
  ee_kind_total
      *row_kinds; /* of items without a partner, whose values are in the counts of attributes; NULL as above */
  uint64_t
      kinds_cut; /* of stored rows: those whose mismatches are not all listed, so that kinds are of the listed ones */
  ee_methods_total methods;
  struct ee_case_metric_total {
    ee_sample sample;
    ee_value_counts values;
    ee_score_units units;
    uint64_t left_out; /* cases that have none, such as hallucination without a readable answer */
  } * case_metrics;    /* one a metric of the judge's type */
  size_t case_metric_count;
  ee_calibration_total *calibration; /* NULL in slices and for judges without confidences and costs */
  ee_worst_cases *worst;             /* NULL in slices and for types without case metrics */
  void *corpus_part;                 /* state of the corpus metrics; NULL in slices and for types without any */
  const ee_corpus_summary *corpus;   /* set by ee_totals_finish(); NULL without corpus metrics */
  ee_attribute_total *attributes;    /* those of the plan, then those of the data, by name once settled */
  size_t attribute_count, attribute_capacity;
  ee_count_moments pooled; /* of the counts of all attributes that are not derived, of each case without a cluster */
  size_t static_count;     /* attributes of the plan, which owns their names; the totals own the other names */
  ee_hash_index index;     /* of the attributes of the data */
  ee_str bound;            /* of the whole: names of the data beyond it are in "(other)"; data NULL: none so far */
  bool *seen;              /* by expected path of the judge: some case has it; NULL in slices */
} ee_judge_total;

/* What the whole and each slice have. */
typedef struct ee_score_totals {
  ee_sample score;
  ee_score_units units;
  ee_score_bins bins;
  uint64_t verdicts[3];
  ee_correction_total corrections;
  ee_judge_total *judges;     /* one for each judge of the plan */
  ee_measure_total *measures; /* one for each measure of the plan; examples of the whole only */
} ee_score_totals;

/* One value of one slice path. Values of equal text are one: "1" and 1, "true" and true, "(missing)" and a missing
 * value, and texts that agree in their first 80 bytes. */
typedef struct ee_slice_total {
  size_t slice; /* index into the plan's slices */
  ee_str value; /* its text ("(missing)" when the record has none or null; at most
                   EE_SLICE_TEXT_BYTES) */
  ee_score_totals totals;
} ee_slice_total;

/* The values of one slice path that have totals of their own, and the attributes of the data of one judge: the first
 * ones in byte order. All beyond share "(other)"; so does what has that name itself. While cases are added there may be
 * a quarter more of them; ee_totals_settle() folds those into "(other)". An attribute that shares it in the whole does
 * so in slices. */
#define EE_SLICE_VALUES 1000
#define EE_DATA_ATTRIBUTES 4000
#define EE_SLICE_TEXT_BYTES 80
#define EE_OTHER_NAME "(other)"
#define EE_MISSING_NAME "(missing)"

typedef struct ee_totals {
  const ee_plan *plan;
  uint64_t records;    /* read, good or bad */
  uint64_t scored;     /* judged; in every mean, except for unscored ones */
  uint64_t unscored;   /* of these: cases that no judge could score, because of their expected values or of a model */
  uint64_t unreadable; /* records in error: no JSON, no expected value */
  uint64_t duplicates; /* records with an id seen before */
  uint64_t unnamed;    /* scored, without an id: known by their places */
  uint64_t untold;     /* scored, without what tells the trials of a case apart, where a path says where that is */
  uint64_t filtered;   /* excluded by --only or --where */
  uint64_t absent;     /* expected values without a record, judged as empty candidates; not among `records` */
  uint64_t unjudged;   /* without a judge in a selection: in no mean */
  uint64_t candidates_missing; /* judged as an empty candidate */
  uint64_t candidates_unparseable;
  uint64_t candidates_encoded;       /* read as a string in which there is a document */
  uint64_t repairable;               /* that or unparseable, but can be repaired */
  uint64_t repairs[EE_REPAIR_COUNT]; /* of these, how many need which repair */
  uint64_t lone_surrogates;          /* read as U+FFFD */
  uint64_t cases_with_rule_errors;
  uint64_t rule_errors;
  uint64_t cases_with_provider_failures;
  uint64_t provider_failures; /* values without a reply from the provider */
  uint64_t cases_with_given_up;
  uint64_t given_up;     /* values, judges and functions given up at a limit */
  uint64_t records_hash; /* over the ids and the texts of the records of the scored cases, in any order */
  uint64_t data_hash;    /* over the ids and expected hashes of the scored cases, in any order */
  ee_page_hint pages;    /* whether the cases are pages of documents; of cases without a cluster */
  ee_score_totals all;
  ee_slice_total *slices; /* once settled by slice path, then by value, "(other)" last */
  size_t slice_count, slice_capacity;
  size_t slice_ready; /* initialised entries; those from slice_count on keep their memory for the next values */
  ee_hash_index slice_index;
  struct ee_slice_bound {
    size_t values;       /* so far, without "(other)" */
    ee_str last;         /* values beyond it are in "(other)"; data NULL: none so far */
  } * slice_bounds;      /* by slice path */
  ee_trial_total trials; /* of cases with several candidates */
  bool chosen;           /* only some cases are judged: they may well lack a path that others have */
  ee_arena names;        /* names of attributes and texts of slice values */
  ee_arena summaries;    /* of corpus metrics */
  ee_buffer text;        /* scratch */
} ee_totals;

/* Appends the name of a slice's value: equal values have equal names. NULL: EE_MISSING_NAME. */
void ee_slice_print(const ee_value *value, ee_arena *scratch, ee_buffer *out);

/* Empty totals. `plan` must outlive them. */
void ee_totals_init(ee_totals *totals, const ee_plan *plan);
void ee_totals_fini(ee_totals *totals);
/* Empties the totals and keeps their memory. */
void ee_totals_clear(ee_totals *totals);

/* The data_hash of some cases, `hash` (0: of none so far), with one more. */
uint64_t ee_data_hash_add(uint64_t hash, ee_str id, uint64_t expected_hash);

/* Adds one case to the whole and to its slices, and counts its record. `arena` is scratch. */
void ee_totals_add(ee_totals *totals, const ee_case_result *result, ee_arena *arena);
/* Adds `other`, totals of the same plan. */
void ee_totals_merge(ee_totals *totals, const ee_totals *other);

/* For reading settled totals: adds an attribute of the data, to the whole or to one of its slices, or a value of a
 * slice, in their order. NULL if there is one of that name already, or if there are too many. The pointers are valid
 * until the next one is added. */
ee_attribute_total *ee_totals_add_attribute(ee_totals *totals, ee_score_totals *to, size_t judge, ee_str name);
ee_slice_total *ee_totals_add_slice(ee_totals *totals, size_t slice, ee_str value);

/* Brings slices and attributes of the data into their final order, as many as are kept: from then on the totals depend
 * on the set of cases only. More may be added later. */
void ee_totals_settle(ee_totals *totals);

/* Settles, and computes the corpus metrics, which gates and reports read. Call it once, after everything has been
 * added; ee_run() does. */
void ee_totals_finish(ee_totals *totals);
/* The same, but corpus metrics that are not computed within `units` of work (base/work.h) are left out: false. */
bool ee_totals_finish_within(ee_totals *totals, uint64_t units);
/* What a run that was interrupted gets for them: 0.2 s. */
#define EE_TOTALS_INTERRUPTED_WORK (EE_WORK_SECOND / 5)

/* Sorts the attributes of a judge, lowest F1 first (ee_f1; undefined ones last), then the most errors (fp + fn), then
 * by name. Totals of stored rows, which do not know what the rule file names, have the same order. `order` gets
 * attribute_count indices. */
void ee_judge_total_rank(const ee_judge_total *total, size_t *order);
/* Orders of attributes: that of ee_judge_total_rank(), by name, the most values (tp + fn) first, the most
 * errors first, the lowest precision or recall first, as in the rule file. */
typedef enum ee_attribute_order {
  EE_ORDER_USUAL,
  EE_ORDER_NAME,
  EE_ORDER_SUPPORT,
  EE_ORDER_ERRORS,
  EE_ORDER_PRECISION,
  EE_ORDER_RECALL,
  EE_ORDER_RULES
} ee_attribute_order;
/* As the command line takes them. */
#define EE_ATTRIBUTE_ORDERS "f1|name|support|errors|precision|recall|rules"
/* Sorts the attributes; ties as ee_judge_total_rank() has them. `scratch` is rewound. */
void ee_judge_total_order(const ee_judge_total *total, ee_attribute_order by, size_t *order, ee_arena *scratch);
/* Did-you-mean: the attribute of the data whose name is nearest to `name`, or an empty string. Borrowed from `total`.
 */
ee_str ee_judge_total_near(const ee_judge_total *total, ee_str name);

/* Micro, macro and weighted averages over the judge's attributes that are not derived. */
typedef struct ee_judge_averages {
  ee_averages micro, macro, weighted;
  ee_counts pooled;
} ee_judge_averages;
ee_judge_averages ee_judge_total_averages(const ee_judge_total *total);

#endif
