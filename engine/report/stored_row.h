/* stored_row.h: reading a line of --results.
 *
 * Rows of this program, and of others: id (case_id, caseId, eval_id, test_id, evalId, testId), score,
 * and judges under evaluator_results (or scores) with name, type, score, weight, verdict and details.metrics. */
#ifndef EE_REPORT_STORED_ROW_H
#define EE_REPORT_STORED_ROW_H

#include "base/arena.h"
#include "base/error.h"
#include "data/files/record.h"
#include "data/json/value.h"
#include "judge/corrections.h"
#include "judge/judge.h"
#include "judge/measure.h"
#include "prim/confusion.h"

/* For the verdict of a row that has only a score. */
#define EE_USUAL_LIMITS ((ee_verdict_limits){.pass = 0.8, .borderline = 0.6})

typedef struct ee_stored_attribute {
  ee_str name;
  ee_counts counts; /* `wrong` where the judge is split */
  bool derived;     /* from the same pairs as another attribute: in no average */
} ee_stored_attribute;

typedef struct ee_stored_judge {
  ee_str name, type; /* the name is unique in the row; the type may be empty */
  size_t place;      /* orders judges as their rules do, also those that other rows do not have */
  bool has_score;    /* else `score` is 0; false for one that its row says has none */
  bool in_error;     /* as its row says; the same for the next two */
  bool unscored;     /* no score because of the expected values */
  bool vacuous;      /* nothing to score */
  bool split;        /* false positives are split into incorrect and spurious, in all attributes; not in schema 1 */
  double score, weight;
  ee_verdict verdict;
  const ee_stored_attribute *attributes; /* of details.metrics, in its order */
  size_t attribute_count;
  const ee_value *entry; /* its object in the row */
} ee_stored_judge;

typedef struct ee_stored_row {
  ee_str id;          /* of a trial with its name, as in ee_case: "a1 (trial 2)" */
  ee_str base;        /* without it */
  ee_str trial;       /* data NULL: the row is not a trial */
  bool unnamed;       /* its id is made of the record's place: no other row of the run is the same case */
  ee_str cluster;     /* as in ee_case_result: of a trial at least its id; data NULL: none */
  uint64_t text_hash; /* set by the reader of files; 0: not known */
  uint64_t line;      /* in its file, set by the reader of files; 0: not known */
  unsigned schema;    /* 1 also for rows of other programs: they lack what begins with schema 2 */
  bool has_hash, has_rules_hash;
  uint64_t expected_hash, rules_hash;
  double score;                                      /* 0..1 */
  bool unscored;                                     /* the row says that the case has no score: it is in no mean */
  ee_verdict verdict;                                /* by EE_USUAL_LIMITS if the row has none */
  ee_candidate_state candidate_state;                /* EE_CANDIDATE_READ in schema 1 */
  uint64_t rule_errors, provider_failures, given_up; /* 0 in schema 1 */
  bool has_corrections;                              /* the row says whether its document goes straight through */
  ee_corrections corrections;
  ee_str kept;            /* why the row was written, by --keep: "fail,1%"; data NULL: all rows were */
  const ee_value *slices; /* an object: arrays of texts by path; NULL: none */
  const ee_stored_judge *judges;
  size_t judge_count;
  const ee_measure_value *measures; /* those that its record has */
  size_t measure_count;
  const ee_value *record;
} ee_stored_row;

/* Reads `record` (one line, parsed). False with a message (no place) if it is not a row: not an object, no id, no
 * score or one outside 0..1 (up to 1e-9 outside is 0 or 1). Metrics that are not counts are skipped
 * (judge/outside/protocol.h). Judges inside a judge (AgentV's composites) follow it as "OUTER/INNER", OUTER cut at 256
 * bytes; a judge without a name has its type's; the second judge of one name is "NAME (2)". Everything is in `arena` or
 * borrows from `record`. */
bool ee_stored_row_read(const ee_value *record, ee_arena *arena, ee_stored_row *row, ee_error *error);

/* Reads whole lines of rows, as ee_row_write() writes them, and calls `each` for every one; its row is valid until it
 * returns. Ends with the first failure; EE_ERROR_SYSTEM for a line that is not a row. */
ee_status ee_stored_rows_read(ee_str rows, ee_status (*each)(void *user, const ee_stored_row *row, ee_error *error),
                              void *user, ee_error *error);

/* The same where only the answer of the row is needed: sets id and record, and needs no score. */
bool ee_stored_row_read_id(const ee_value *record, ee_arena *arena, ee_stored_row *row, ee_error *error);

/* What members mean, for lean_row.h -------------------------------------------------------------- */

/* Reads one attribute, a member of details.metrics. False for metrics that are not counts. */
bool ee_stored_attribute_read(const ee_value *metrics, ee_stored_attribute *attribute, bool *split);
/* The score that `number` is; false for a number that cannot be a score. */
bool ee_stored_score(double number, double *score);
/* The verdict named `text`, else that of the score. */
ee_verdict ee_stored_verdict(ee_str text, double score);
ee_candidate_state ee_stored_candidate_state(ee_str text);
/* The place of a judge of the row. `*index` is that of the judge before it, 0 at first; `said` what the judge says of
 * its own, if others before it are not in the row, else 0. */
size_t ee_stored_place(size_t *index, uint64_t said);
/* Sets id, cluster and `unnamed` by base and trial. `unnamed`: the row says so. */
void ee_stored_row_name(ee_stored_row *row, bool unnamed, ee_arena *arena);
/* Sets the measures by the row's member of this name, which may be anything. */
void ee_stored_measures_read(const ee_value *object, ee_arena *arena, ee_stored_row *row);

#endif
