/* result.h: what judging one case gave: scores, hits and misses with their reasons, counts.
 *
 * Everything lives in the case's arena or in the plan. Reasons and findings are kept as numbers and borrowed strings;
 * only reports make text of them. */
#ifndef EE_JUDGE_RESULT_H
#define EE_JUDGE_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/list.h"
#include "base/str.h"
#include "data/files/record.h"
#include "judge/corrections.h"
#include "prim/confusion.h"

struct ee_confidences;
struct ee_judge;
struct ee_outcome;
struct ee_plan;
struct ee_strategy;
struct ee_strategy_type;

/* Reasons -------------------------------------------------------------------------------------- */

/* Why a value matched or did not. */
typedef enum ee_reason_kind {
  EE_REASON_NONE,
  EE_REASON_VALUE_MISMATCH,     /* value mismatch */
  EE_REASON_TYPE_MISMATCH,      /* type mismatch: got string, expected number (first, second: ee_type) */
  EE_REASON_OUTSIDE_TOLERANCE,  /* outside tolerance: diff=2, tolerance=0.01 */
  EE_REASON_RELATIVE_TOLERANCE, /* outside tolerance: diff=2 (2% of 100), tolerance=1%: first diff, second tolerance,
                                   third expected */
  EE_REASON_SIMILARITY,   /* similarity 0.8 below 0.85; similarity below 0.85 when first is negative (not computed) */
  EE_REASON_SCORE,        /* score 0.5 below 1: of a script's function that gave no reason */
  EE_REASON_DATE_DIFFERS, /* date differs by 3 days; by 90 minutes below a day: first, in days; second, third: both
                             days as read, 20240131 */
  EE_REASON_SET_DIFFERS,  /* 2 elements missing, 1 extra: first, second */
  EE_REASON_BELOW,        /* iou 0.31 below 0.5: text (static) names the metric, which may be negative; first, second */
  EE_REASON_ABOVE,        /* distance 3.2 above 2: text (static), first, second */
  EE_REASON_DIMENSIONS,   /* dimensions differ: 3 and 2: first of the expected, second of the candidate point */
  EE_REASON_BAD_EXPECTED, /* unreadable expected box: TEXT; first is 1 for a point */
  EE_REASON_BAD_CANDIDATE,    /* unreadable candidate box: TEXT; first is 1 for a point */
  EE_REASON_REQUIRED_MISSING, /* required, missing */
  EE_REASON_OPTIONAL_MISSING, /* optional, missing */
  EE_REASON_UNEXPECTED,       /* nothing expected */
  EE_REASON_MISSING_ITEM,     /* missing item; missing item: TEXT where text is not empty */
  EE_REASON_EXTRA_ITEM,       /* extra item; the same */
  EE_REASON_TEXT              /* `text`; also for reasons without numbers ("unparseable candidate date") */
} ee_reason_kind;

typedef struct ee_reason {
  ee_reason_kind kind;
  double first, second, third;
  ee_str text;             /* lives as long as the case */
  const ee_value *nearest; /* the one of several right answers that the reason is about; else NULL */
} ee_reason;

#define EE_REASON_OF(literal) ((ee_reason){.kind = EE_REASON_TEXT, .text = {(literal), sizeof(literal) - 1}})

/* Appends the reason as text, numbers to six digits; nothing for EE_REASON_NONE. */
void ee_reason_print(const ee_reason *reason, ee_buffer *out);

/* Hits and misses ------------------------------------------------------------------------------ */

typedef enum ee_verdict { EE_VERDICT_PASS, EE_VERDICT_BORDERLINE, EE_VERDICT_FAIL } ee_verdict;
/* "pass", "borderline", "fail". */
const char *ee_verdict_name(ee_verdict verdict);

#define EE_NO_ROW UINT32_MAX

/* A hit or a miss. Its text is path, then "[row]" unless EE_NO_ROW, then "." and field unless empty, then " (reason)".
 * A key without a name is written as "". */
typedef struct ee_finding {
  ee_str path;
  uint32_t row;
  ee_str field;
  ee_reason reason;
} ee_finding;
/* Appends the text without the reason. */
void ee_finding_print_place(const ee_finding *finding, ee_buffer *out);
void ee_finding_print(const ee_finding *finding, ee_buffer *out);
/* True for findings of the same path, row and field. */
bool ee_finding_same_place(const ee_finding *a, const ee_finding *b);

/* A value that did not match, for details.mismatches; only where a value was compared or missing. */
typedef struct ee_mismatch {
  ee_finding finding;
  ee_class value_class;                 /* incorrect, spurious, missing or unread */
  const ee_value *expected, *candidate; /* NULL: missing */
  double score;
  ee_str attribute;      /* whose counts it is in; empty: in none of its own, as an item without a partner */
  int32_t slot;          /* of the attribute, as in ee_attribute_result */
  uint8_t kind;          /* ee_error_kind (error_kind.h), where the run asks for kinds; else 0 */
  bool is_row;           /* an item without a partner; incorrect: a pair of items below the threshold without values */
  uint32_t row_values;   /* of an item without a partner: how many values of it are counted */
  bool unread_candidate; /* the candidate is there, and its strategy cannot read it */
} ee_mismatch;

/* Unread values -------------------------------------------------------------------------------- */

/* The two documents that are compared. */
typedef enum ee_document_side { EE_EXPECTED, EE_CANDIDATE } ee_document_side;
/* "expected", "candidate". */
const char *ee_document_side_name(ee_document_side document);

/* An option that would make a strategy read values which it cannot read as it is configured. */
typedef struct ee_remedy {
  const char *option; /* as it is written in a rule file: "format = \"money\"" */
  bool (*reads)(const struct ee_strategy *strategy, const ee_value *value, ee_arena *scratch);
} ee_remedy;

/* Remedies of one strategy. */
#define EE_REMEDY_LIMIT 16

/* A value that its strategy cannot read, such as "$8.20" as a plain number. An expected one says that the rules do not
 * fit the data: it counts as unread, and neither for nor against the candidate. */
typedef struct ee_unread {
  const struct ee_strategy_type *strategy; /* that cannot read it, its name, and the remedies that it has */
  const char *strategy_name;
  const ee_remedy *known_remedies;
  ee_document_side document;
  ee_str attribute; /* the attribute it belongs to, and its slot, as in ee_attribute_result */
  int32_t slot;
  ee_finding place;
  const ee_value *value;
  const char *why;   /* where the strategy has more to say than that it cannot read it; else NULL */
  uint32_t remedies; /* bit i: remedy i would read it */
} ee_unread;

typedef struct ee_unread_list {
  EE_LIST(ee_unread);
} ee_unread_list;

/* Results -------------------------------------------------------------------------------------- */

/* What is kept of a case. */
typedef enum ee_detail {
  EE_DETAIL_MISSES, /* what is wrong */
  EE_DETAIL_FULL    /* also how every value was judged */
} ee_detail;

/* A path that a document of the case lacks, by ee_document_side. */
typedef struct ee_absence {
  const ee_value *around[2]; /* the object that should have it, or an array where an object should be; NULL: it is
                                there, or there is neither */
  const ee_value *value;     /* what the other document has there, or NULL */
} ee_absence;

/* The counts of one attribute in one case. */
typedef struct ee_attribute_result {
  ee_str name;
  int32_t slot; /* in the judge's static attributes; -1: the attribute is known from the data only */
  ee_counts counts;
  bool there[2];             /* by ee_document_side: the document has the path, be it empty; of ee.fields only */
  const ee_absence *absence; /* NULL: both have it, or it is not known */
} ee_attribute_result;

typedef struct ee_judge_result {
  const struct ee_judge *judge;
  double score; /* 0..1 */
  ee_verdict verdict;
  ee_detail detail; /* of what is kept, and how long the lists of its details may be */
  bool vacuous;     /* nothing to score: 1 by definition */
  bool failed;      /* the judge itself is in error: score 0 and a miss with the reason */
  bool bare;        /* given up at a limit, or its `when` failed: it has nothing but the reason, and no details */
  bool unscored;    /* there is no score, because of the expected values or because no model judged: the judge is in no
                       mean, `score` is 0 */
  const ee_finding *fault; /* of a judge in error: the miss that says why; NULL: the first one */
  const ee_finding *hits;
  size_t hit_count;
  const ee_finding *misses;
  size_t miss_count;
  ee_str reasoning;
  const ee_attribute_result *attributes;
  size_t attribute_count;
  const bool *found; /* for each of the judge's expected paths: whether the case has it; NULL: it has none of them */
  ee_mismatch *mismatches;
  size_t mismatch_count;
  const double *case_metrics; /* what ee_judge_case_metrics() names, 0..1 each, negative: the case has none, and is
                                 not in its mean; NULL where there are none */
  const ee_corrections *corrections; /* of a judge that runs the judges of other rules: theirs; else NULL */
  const void *details;     /* what the type's write_details needs, of a type that the judge knows; NULL: nothing */
  const void *corpus_part; /* what a type with corpus metrics keeps of the case; NULL otherwise */
  const struct ee_methods_compared *methods; /* of a judge that paired lists by greedy and by optimal; else NULL */
  uint64_t fallbacks;      /* lists paired by greedy because optimal pairing would have been too much work */
  bool paired;             /* arrays were paired by their match fields */
  unsigned match_sides;    /* bit by ee_document_side: items of the lists have match fields */
  const char *match_names; /* of a judge that pairs lists by match fields, in quotes, the plan's; else NULL */
  const char *unpairable;  /* arrays without any of these match fields were paired by their score fields; NULL: none */
  const ee_unread *unread; /* values that the rules cannot read, in the order in which they were judged */
  size_t unread_count;
  ee_str formula;                    /* of the score, with its numbers, in full detail; else empty */
  const struct ee_outcome *outcomes; /* how each value was judged (outcome.h), in full detail; NULL: not collected */
  size_t outcome_count;
  bool outcomes_cut; /* there were more */
  const struct ee_confidences
      *confidences; /* how sure the candidate is of its values (confidence.h); NULL: not asked */
} ee_judge_result;

typedef struct ee_case_result {
  const ee_case *source;
  ee_str cluster; /* of the cases that belong together, such as the pages of a document or the trials of an id; data
                     NULL: it is by itself */
  double score;
  ee_verdict verdict;
  uint64_t expected_hash; /* of the whole expected value */
  bool has_alternatives;  /* the case has several accepted documents: this is the result of the best */
  uint64_t alternative;   /* which of them, from 0 */
  ee_detail detail;
  const struct ee_plan *plan; /* that judged it; NULL: a result that was made by hand */
  const ee_judge_result *judges;
  size_t judge_count;
  const struct ee_judge *const *left_out; /* judges whose `when` left the case out */
  size_t left_out_count;
  bool unscored;      /* no judge has a score: the case is in no mean, `score` is 0 */
  ee_str score_error; /* of the rule file's score function, whose score is then 0; else empty */
  ee_corrections corrections;
  uint64_t rule_errors;
  uint64_t provider_failures;              /* values without an answer from the provider */
  uint64_t given_up;                       /* values, judges and functions given up at a limit */
  const struct ee_measure_value *measures; /* of the plan, `measure_count` of them */
  size_t measure_count;
  ee_str formula; /* of the score, out of those of the judges, in full detail; else empty */
} ee_case_result;

/* Findings ------------------------------------------------------------------------------------- */

/* Why a judge is in error. */
typedef enum ee_fault {
  EE_FAULT_NONE,
  EE_FAULT_RULES, /* a function raised, or a limit was exceeded: score 0 */
  EE_FAULT_DATA   /* the expected value cannot be used: no score */
} ee_fault;

/* Collects hits, misses and mismatches of a judge in the case's arena. */
typedef struct ee_findings {
  ee_arena *arena;
  ee_fault fault;    /* the gravest */
  size_t fault_miss; /* the first miss with a fault */
  struct {
    EE_LIST(ee_finding);
  } hits, misses;
  struct {
    EE_LIST(ee_mismatch);
  } mismatches;
} ee_findings;

/* An empty collector with room for `hits` hits. */
void ee_findings_start(ee_findings *findings, ee_arena *arena, size_t hits);
void ee_findings_hit(ee_findings *findings, const ee_finding *finding);
/* Adds a miss without values: of a whole candidate, or of a judge in error. */
void ee_findings_note(ee_findings *findings, ee_str place, ee_reason reason);
/* The same for a judge in error. */
void ee_findings_fail(ee_findings *findings, ee_fault fault, ee_str place, ee_reason reason);
/* Adds a miss with its mismatch, and returns the mismatch, which is in no attribute yet. Valid until the next call. */
ee_mismatch *ee_findings_miss(ee_findings *findings, const ee_finding *finding, ee_class value_class,
                              const ee_value *expected, const ee_value *candidate, double score);
/* Adds the miss of a case without a candidate document: "candidate (missing)". It must be the first. */
void ee_findings_no_candidate(ee_findings *findings, ee_candidate_state state);
/* Hands the lists over to `result`, and whether the judge is in error. */
void ee_findings_finish(const ee_findings *findings, ee_judge_result *result);

/* Writes `value` in decimal at `out`, which has room for 20 bytes, and returns the end. Reasonings are made for each
 * case, and printf would cost more than the comparison of a field. */
char *ee_findings_number(char *out, uint64_t value);
/* `format` with each '#' replaced by the next of `counts`: "#/# fields matched". In `arena`, not NUL-terminated. */
ee_str ee_findings_text(ee_arena *arena, const char *format, const uint64_t *counts);

#endif
