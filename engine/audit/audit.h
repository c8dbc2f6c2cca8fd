/* audit.h: finds expected values of a data set that are probably wrong.
 *
 * The records of a truth are added one by one, then the differences of candidates, then the checks run. Each check adds
 * evidence against values; ee_audit_finish() makes a work list of them, sorted by likely gain. Nothing here changes the
 * truth or a score.
 *
 * Each kind of finding has a weight, the estimated probability that an affected value is wrong or judged wrongly. The
 * gain of a finding is its weight times the number of values that it affects. All evidence against one value makes one
 * finding, with the weight 1 - (1 - w1)(1 - w2)...
 *
 * Memory: the text of expected values and of source texts, about 60 bytes for each record and 50 for each distinct
 * value, and the values in which candidates differ from the truth. One thread; deterministic. */
#ifndef EE_AUDIT_AUDIT_H
#define EE_AUDIT_AUDIT_H

#include "base/arena.h"
#include "base/error.h"
#include "data/files/record.h"
#include "judge/plan.h"

/* What can be found, in the order of the documentation; a check may find several kinds. */
typedef enum ee_audit_kind {
  EE_AUDIT_UNREADABLE,    /* cannot be read by the strategy, or unlike most values of its path */
  EE_AUDIT_MIXED_TYPE,    /* a value of another JSON type than most values of its path */
  EE_AUDIT_REPEATED_ID,   /* an id that several records have */
  EE_AUDIT_DUPLICATE,     /* the same document under several ids */
  EE_AUDIT_SAME_SOURCE,   /* equal source texts with different expected values */
  EE_AUDIT_UNJUDGED,      /* a path that no judge compares */
  EE_AUDIT_MISSPELT_KEY,  /* a rare key that resembles a frequent one */
  EE_AUDIT_LABEL,         /* a rare label that resembles a frequent one */
  EE_AUDIT_NOT_IN_SOURCE, /* a value that does not occur in the source text */
  EE_AUDIT_CONTRADICTED,  /* a value that several candidates contradict in the same way */
  EE_AUDIT_ANNOTATORS,    /* a value that another annotator gives differently */
  EE_AUDIT_SUM,           /* numbers that do not add up as they do elsewhere */
  EE_AUDIT_KINDS
} ee_audit_kind;

typedef struct ee_audit_kind_row {
  const char *name; /* "not-in-source", as --check takes it */
  const char *help; /* one line */
} ee_audit_kind_row;

/* In the order of the enum. */
extern const ee_audit_kind_row ee_audit_kinds[EE_AUDIT_KINDS];
/* The kind called `name`, or EE_AUDIT_KINDS. */
ee_audit_kind ee_audit_kind_find(ee_str name);

typedef struct ee_audit_evidence {
  ee_audit_kind kind;
  double weight;             /* 0..1 */
  ee_str expected, proposed; /* texts of values; empty: none */
  ee_str reason;
} ee_audit_evidence;

typedef struct ee_audit_finding {
  const ee_str *ids; /* of the records that it affects, in the order of the truth; the first EE_AUDIT_IDS of them */
  size_t id_count;
  uint64_t records; /* all of them */
  ee_str path;      /* "items[3].price"; of several records "items[*].price"; empty: the whole record */
  const ee_audit_evidence *evidence; /* the strongest first */
  size_t evidence_count;
  uint64_t values; /* affected */
  double weight, gain;
} ee_audit_finding;

/* Ids of a finding that are kept; all are counted. */
#define EE_AUDIT_IDS 1000

/* What was learned and what was not checked, for people: "items[*].amount adds up to total in 41 of 42 records". */
typedef struct ee_audit_note {
  ee_audit_kind kind;
  ee_str text;
} ee_audit_note;

typedef struct ee_audit_options {
  unsigned kinds;        /* a bit (1 << kind) for each kind to check; 0: all */
  const ee_path *source; /* of the source text in a record; NULL: the known names (source_text.c) */
} ee_audit_options;

typedef struct ee_audit ee_audit;

ee_audit *ee_audit_new(const ee_audit_options *options);
void ee_audit_free(ee_audit *audit);

/* Adds a record of the truth. `file` (must outlive the audit) and `line` say where it is. A record whose id occurred
 * before is only counted. */
void ee_audit_add(ee_audit *audit, const ee_case *current, const char *file, uint64_t line, ee_arena *scratch);

/* Candidates: ee_audit_begin_candidate() for each model, then its cases in any order. `open` is the open plan of the
 * rules. Cases whose id the truth lacks, or that this model has had before, are only counted. A case without a source
 * text in the truth may bring one. */
void ee_audit_begin_candidate(ee_audit *audit, ee_str name);
void ee_audit_add_candidate(ee_audit *audit, const struct ee_open_plan *open, const ee_case *current,
                            ee_arena *scratch);

/* The same for a record of another annotator: the candidate is its expected value. */
void ee_audit_add_annotation(ee_audit *audit, const struct ee_open_plan *open, const ee_case *current,
                             ee_arena *scratch);

/* The expected value of record `id`, in `arena`, to join candidates with; NULL if no record has the id. */
const ee_value *ee_audit_find_expected(const ee_audit *audit, ee_str id, ee_arena *arena);

/* Runs the checks. `open`: the open plan of the rules, NULL without rules. */
void ee_audit_finish(ee_audit *audit, const struct ee_open_plan *open);

/* The result of ee_audit_finish(), owned by the audit. */
typedef struct ee_audit_report {
  const char *truth; /* its name, set by the caller */
  const char *rules; /* the same; NULL: none */
  bool inferred;     /* the rules were chosen from the data; set by the caller before ee_audit_finish() */
  uint64_t records;  /* of the truth, repeated ids included */
  uint64_t with_source;
  uint64_t unreadable; /* records of the truth that could not be read; set by the caller */
  size_t candidates;
  uint64_t joined, unknown_ids;     /* cases of candidates with and without a record of the truth */
  const char *annotator;            /* the name of the other annotator's file, set by the caller; NULL: none */
  uint64_t annotated;               /* its records that the truth has; those that it lacks are among unknown_ids */
  uint64_t counts[EE_AUDIT_KINDS];  /* findings with evidence of that kind */
  const ee_audit_finding *findings; /* the largest gain first; equal gains in the order of the truth */
  size_t count;
  bool strict;  /* findings are failures; set by the caller */
  size_t shown; /* findings that a page lists, set by the caller; 0: all */
  const ee_audit_note *notes;
  size_t note_count;
} ee_audit_report;

ee_audit_report *ee_audit_get_report(ee_audit *audit);

#endif
