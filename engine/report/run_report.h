/* run_report.h: the report of a run: a page for people, JSON and CSV for programs, which append to `out`. */
#ifndef EE_REPORT_RUN_REPORT_H
#define EE_REPORT_RUN_REPORT_H

#include "base/buffer.h"
#include "infer/infer.h"
#include "report/calibration_report.h"
#include "report/json_out.h"
#include "report/mistakes.h"
#include "report/page.h"
#include "report/summaries.h"
#include "run/gate_decision.h"
#include "run/totals.h"

/* Expected values that came from a file of their own. */
typedef struct ee_expected_coverage {
  bool given;              /* else the rest is 0 */
  bool detections_given;   /* the file is COCO's, and joined with detections */
  bool whole;              /* every record was read: `without_record` is known */
  uint64_t records;        /* with an expected value; of COCO's: images */
  uint64_t in_error;       /* records that could not be used; of COCO's: annotations and categories too */
  uint64_t without_record; /* ids that no record has */
  uint64_t detections, detections_in_error, detections_without_image;
} ee_expected_coverage;

typedef struct ee_summary {
  const ee_plan *plan;
  const ee_totals *totals;
  const ee_gate_result *gates; /* of the rule file and the command line */
  size_t gate_count;
  ee_summary_values summaries;  /* of the rules */
  bool interrupted, unfinished; /* as in ee_run_result */
  bool stopped;
  const char *unended;       /* "'a.gz' could not be read to its end": what is after it is not in the report; or NULL */
  const char *missing_parts; /* "parts 3, 5-6 of 8" that are not in these totals; NULL: nothing is missing */
  bool one_missing;          /* it is one part */
  uint64_t counted_twice;    /* cases with an id that an earlier part has */
  ee_expected_coverage expected;
  const ee_inference *inference; /* of a run without a rule file; NULL: there was one */
  const ee_mistakes *mistakes;   /* what the report shows of them; NULL: nothing but what it always has */
  ee_accept_choice accept;       /* what the command line wants of accepted answers; all zero: nothing */
  ee_str options;                /* of the command line, for the signature */
  const char *saved_rules;       /* the file these rules were written to; NULL: none */
} ee_summary;

/* Whether a judge splits its false positives into incorrect and spurious values; one of the rule file's own does not,
 * nor does another program. */
static inline bool ee_judge_splits_fp(const ee_judge *judge) { return !judge->brings_counts; }

/* What a person decides from: cases, verdicts, mean score with its interval; coverage; for each judge its metrics, its
 * attributes, worst F1 first, with micro, macro and weighted averages, and its worst cases; slices and gates. The page
 * borrows from `summary`. */
void ee_run_page(const ee_summary *summary, ee_page *page);
/* One JSON object, indented by two spaces: cases, errors, mean score with interval, verdicts, judges with metrics,
 * fields, averages and ranking, slices, gates, version, hashes of rules and data. */
void ee_run_json(const ee_summary *summary, ee_buffer *out);
/* RFC 4180 with plain newlines: judge,attribute,tp,tn,fp,fn,wrong,precision,recall,f1,unread with a head line,
 * undefined ones empty; micro, macro and weighted as attributes "(micro)" ... Other metrics are not in it. */
void ee_run_csv(const ee_summary *summary, ee_buffer *out);

#endif
