/* bench_trial.h: writes the trials of run.json, and checks those of a file. bench_metrics.h has their format. */
#ifndef EE_REPORT_BENCH_TRIAL_H
#define EE_REPORT_BENCH_TRIAL_H

#include "judge/extraction/gold_match.h"

/* Bytes of the document's text that a trial keeps for an extraction with another quote. Limited because many
 * extractions may have long spans. */
#define EE_BENCH_ACTUAL_KEPT 400

/* Judges the answer to `record` and appends the trial, a JSON object on one line without newline. `document`: the
 * record's, reused for all its trials; `schema`: the record's targetSchema; `answer`: as received; data NULL: there is
 * no answer, and `why` (else NULL) is the reason. `arena`: scratch, and the document's indexes. Linear in the answer,
 * except for matching gold spans. */
void ee_bench_trial_write(const ee_bench_record *record, ee_extraction_document *document, const ee_json_schema *schema,
                          ee_str answer, const char *why, ee_arena *arena, ee_buffer *out);

/* The first error of a trial from a file of runs or a journal; NULL when it is valid. Such files may come from
 * anywhere; after this check all metrics are in their ranges. */
const char *ee_bench_trial_mistake(const ee_value *trial);

/* The `failure` of a trial without an answer begins so. */
#define EE_BENCH_NO_ANSWER "no answer: "

/* The members that begin run.json and its journal. */
typedef struct ee_bench_head {
  const char *mode; /* "deterministic", "variance" */
  size_t trials;
  const char *provider; /* "recorded", "openai" */
  const char *model;    /* NULL: no model */
  uint64_t data_hash;
} ee_bench_head;

/* Appends the members of `head` ("schema":1,"kind":KIND,...), without braces. */
void ee_bench_head_write(const ee_bench_head *head, const char *kind, ee_buffer *out);
/* Appends the members of a case of run.json before its trials, without braces. Only the last part of the file's name is
 * written, so that a run does not depend on the folder of the data. */
void ee_bench_case_write(const ee_bench_record *record, ee_buffer *out);

#endif
