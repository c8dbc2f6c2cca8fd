/* line_items.h: ee.line_items: lists of objects, paired and compared field by field.
 *
 * Compiled and printed by line_items_compile.c, judged by line_items.c, scored by line_item_score.c, with hints by
 * line_item_hints.c. */
#ifndef EE_JUDGE_LINE_ITEMS_LINE_ITEMS_H
#define EE_JUDGE_LINE_ITEMS_LINE_ITEMS_H

#include "base/fixed.h"
#include "judge/aggregate.h"
#include "judge/confidence.h"
#include "judge/pairing/align.h"
#include "judge/plan.h"
#include "judge/result.h"

/* The compiled judge ---------------------------------------------------------------------------- */

/* What the mean of pairs is divided by. */
typedef enum ee_items_of {
  EE_ITEMS_OF_UNION,  /* the pairs and the items of both sides without a partner */
  EE_ITEMS_OF_LONGER, /* the items of the longer array */
  EE_ITEMS_OF_EXPECTED
} ee_items_of;
#define EE_ITEMS_OF_CHOICES "union|longer|expected"

/* A list, and the lists inside its items. In the plan's arena. */
typedef struct ee_line_items {
  const ee_rule_node *node;
  ee_list_paths paths;          /* of the lists; an inner list has the same in both items */
  ee_str name;                  /* of an inner list: the prefix of its fields' names; else empty */
  ee_field_list list;           /* the score fields of the rule file */
  ee_item_field *fields;        /* those of `list` with their columns */
  struct ee_line_items *nested; /* lists inside the items, in the order of the rule file */
  size_t nested_count;
  ee_inner_list *inner; /* those of `nested` whose order has no meaning */
  size_t inner_count;
  uint32_t first_condition; /* index of the first of `list` in ee_item_scorer.conditions */
  ee_item_columns columns;  /* of match and score fields */
  ee_match_rule match;
  const char *match_names; /* "'description'": the match fields or the key; NULL: a function or position decides */
  bool match_score_fields; /* match = "fields": score fields are the match fields too */
  bool equal_first;        /* equal items can be paired first: they have similarity 1 and match in every field */
  bool compare_methods;    /* the option, set for the outermost list only, as are the next four */
  ee_aggregate score;      /* WEIGHTED_AVERAGE: the mean of the pairs' scores */
  ee_items_of of;
  double clip;                  /* of the mean: a pair that scores less counts 0 */
  const double *weights;        /* of the attributes known at load */
  bool pairs_below;             /* below_threshold = "incorrect" */
  double weight;                /* of an inner list, in the mean of a pair */
  const ee_strategy *automatic; /* compares the keys of the data; NULL if fields or inner lists are declared */
} ee_line_items;

/* Options of the judge and of its table `match`. */
extern const ee_option ee_line_items_options[];
extern const ee_option ee_line_items_match_options[];

/* The judge record's compile() and print(). */
void ee_line_items_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge);
void ee_line_items_print(const ee_judge *judge, ee_buffer *out);

/* The result of a case -------------------------------------------------------------------------- */

/* One item of one list that reads like two of the other. Here and below, items are indices in their lists. */
typedef struct ee_item_hint {
  bool merged; /* true: `whole` is a candidate item, `parts` are expected ones; false (split): vice versa */
  uint32_t whole;
  uint32_t parts[2]; /* in the order of their texts in the whole item */
} ee_item_hint;

/* An expected item that greedy and optimal pair with different candidate items (EE_NO_ROW: with none). */
typedef struct ee_pairing_difference {
  uint32_t expected, greedy, optimal;
} ee_pairing_difference;

/* The case paired by both methods. */
typedef struct ee_methods_compared {
  struct ee_method_outcome {
    double similarity; /* the sum over all pairs */
    double score;      /* of the judge */
  } greedy, optimal;
  double lost; /* similarity of optimal minus that of greedy; 0 if they differ in rounding only */
  const ee_pairing_difference *differences;
  size_t difference_count;
} ee_methods_compared;

/* One pair of items. */
typedef struct ee_alignment {
  uint32_t expected, candidate;
  double similarity;
} ee_alignment;

/* How the items of a case were paired: a result's `details`, in the case's arena. */
typedef struct ee_item_report {
  const ee_alignment *alignment; /* the pairs, in the order of the expected items */
  size_t alignment_count;
  size_t missing_items, extra_items, below_items;
  const ee_methods_compared *methods; /* NULL: not compared */
  const ee_item_hint *hints;
  size_t hint_count; /* at most EE_ITEM_HINT_LIMIT */
  bool hints_cut;    /* there may be more */
} ee_item_report;

#define EE_ITEM_HINT_LIMIT 50

/* The report of a result of ee.line_items; an empty report for results of other judges. */
const ee_item_report *ee_item_report_of(const ee_judge_result *result);

/* Judging --------------------------------------------------------------------------------------- */

/* Shared by all lists of a case. */
typedef struct ee_item_scorer {
  ee_context *context;
  ee_arena *arena;
  const ee_judge *judge;
  const ee_condition *conditions; /* of all declared fields, depth first */
  ee_findings *findings;          /* NULL: only count */
  ee_confidences *confidences;    /* NULL: not asked, or only counting */
  size_t quiet;                   /* > 0 inside an item without a partner: its inner lists add no findings */
  struct {
    EE_LIST(ee_script_part);
  } parts;                /* counts of the judge's attributes, then of those of the data */
  ee_item_columns names;  /* of the attributes of the data */
  bool paired;            /* as in ee_judge_result */
  unsigned match_sides;   /* the same */
  const char *unpairable; /* the same */
  size_t alone;           /* items without a partner, on any level */
  uint32_t single_values; /* their values so far, and those of items in lists inside them */
  bool failed;            /* score 0: a value is not a list, or a limit was exceeded */
} ee_item_scorer;

/* The mean of the scores of pairs: sums so far. */
typedef struct ee_item_mean {
  ee_fixed pairs;      /* of the pairs that have ended */
  double sum, weights; /* of the current pair */
} ee_item_mean;

/* Two lists that are being compared. */
typedef struct ee_item_lists {
  const ee_line_items *items;
  ee_item_scorer *scorer;
  const struct ee_item_lists *outer; /* NULL: the outermost */
  uint32_t outer_index;              /* index of the item in the outer list, in findings */
  ee_str path;                       /* of this list, in findings; made when it is first needed */
  ee_item_table expected, candidate;
  ee_aligner aligner;
  ee_match_rule match; /* the compiled one, or with the keys of the data */
  const ee_item_field *fields;
  const ee_condition *conditions; /* one for each field */
  size_t field_count;
  bool compared;  /* paired by both methods */
  bool *is_below; /* by expected row: its pair is below the threshold; NULL: no pair is */
  ee_item_mean mean;
  bool counts_equal; /* of equal items nothing but counts is kept */
  double weights;    /* of the fields that are judged */
  size_t full_pairs; /* of equal items in which no field that is judged is empty: not yet in the counts of the fields */
  size_t pairs, below, missing, extra; /* `pairs` without those below the threshold */
} ee_item_lists;

/* The mean (score = "mean"): adds a value of the current pair; ends the pair, `good` where nothing in it is wrong; the
 * mean of a list. */
void ee_item_mean_add(ee_item_mean *mean, double weight, double score);
void ee_item_mean_end_pair(ee_item_mean *mean, const ee_line_items *outermost, bool good);
ee_aggregate_result ee_item_mean_score(const ee_item_lists *lists, const ee_line_items *outermost);

/* The score of a case whose outermost lists were scored, and its formula, in full detail. */
ee_aggregate_result ee_item_score_of(const ee_item_lists *lists);
ee_str ee_item_formula_of(const ee_item_lists *lists, const ee_aggregate_result *total);

/* Finds items that look like one item split in two, or two merged into one, in lists that were paired and scored. Hints
 * explain; they never change a score. An expected item looks split when its texts in the match fields are nearly those
 * of two candidate items joined; merged is vice versa. The whole item has no partner or one of the two parts; at least
 * one part has no partner. Pairs of similarity 0.9 or more are left alone. If numeric score fields have values, at
 * least one must be the sum of the parts' values.
 *
 * Up to 24 items without a partner are tried in all pairs, more only with their neighbours in the list; the number of
 * comparisons is bounded. Sets the report's hints, in the order of the whole items, split ones first. */
void ee_item_hints_find(const ee_item_lists *lists, ee_item_report *report);

/* "; expected item 3 looks split into 4 and 5; candidate item 0 looks merged from 1 and 2; 2 more hints": the end of a
 * reasoning, at most three hints in words; "" without hints. */
const char *ee_item_hints_text(const ee_item_report *report, ee_arena *arena);

#endif
