/* bench_trial.h: from an answer to the text that run.json keeps of it.
 *
 * The form of a trial is told in bench_metrics.h, which reads it. */
#ifndef EE_REPORT_BENCH_TRIAL_H
#define EE_REPORT_BENCH_TRIAL_H

#include "judge/extraction/gold_match.h"

/* Bytes of the document's text that are kept of an extraction whose quote does not stand there: enough to see what
 * does, and no more than that, since many extractions may have long spans. */
#define EE_BENCH_ACTUAL_KEPT 400

/* Judges the answer to `record` and appends the trial, one JSON object on one line without its end. `document`:
 * the record's, kept between its trials; `schema`: the record's targetSchema; `answer`: as it came, data NULL where
 * there is none, and `why` (NULL otherwise) then says why. `arena` holds what is needed on the way and what the
 * document's index needs. Linear in the answer but for the matching of gold spans. */
void ee_bench_trial_write(const ee_bench_record *record, ee_extraction_document *document, const ee_json_schema *schema,
                          ee_str answer, const char *why, ee_arena *arena, ee_buffer *out);

/* What a trial of a run lacks to be one that was written as above, or says that cannot be; NULL when it is whole. Files
 * of runs and journals come from anywhere: behind this check, figures stay in their ranges. */
const char *ee_bench_trial_mistake(const ee_value *trial);

/* Whether a trial's text is one that has no answer: its failure begins so. */
#define EE_BENCH_NO_ANSWER "no answer: "

/* What a run is, as its file begins and as its journal names it. */
typedef struct ee_bench_head {
  const char *mode; /* "deterministic", "variance" */
  size_t trials;
  const char *provider; /* "recorded", "openai" */
  const char *model;    /* NULL: none */
  uint64_t data_hash;
} ee_bench_head;

/* Appends the members of `head` ("schema":1,"kind":KIND,...), without braces. */
void ee_bench_head_write(const ee_bench_head *head, const char *kind, ee_buffer *out);
/* Appends what a case of run.json says before its trials: members without braces. Of the file's name only the last
 * part, so that a run says the same wherever the data lie. */
void ee_bench_case_write(const ee_bench_record *record, ee_buffer *out);

#endif
