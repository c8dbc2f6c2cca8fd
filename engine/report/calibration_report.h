/* calibration_report.h: confidences on a page, in JSON and in CSV, the same for runs and for rows. */
#ifndef EE_REPORT_CALIBRATION_REPORT_H
#define EE_REPORT_CALIBRATION_REPORT_H

#include "report/json_out.h"
#include "report/page.h"
#include "run/totals.h"

/* The confidences of one judge. Borrowed. */
typedef struct ee_named_calibration {
  ee_str judge;
  const ee_calibration_total *total; /* NULL: the judge has none, and nothing is printed */
  const ee_confidence_rules *rules;  /* NULL: of rows */
} ee_named_calibration;

/* What is wanted of accepted answers. */
typedef struct ee_accept_choice {
  const double *wanted; /* accuracies; `count` 0: those of the rules, else 0.9, 0.95 and 0.99 */
  size_t count;
  double sure; /* 0.5..1; 0: 0.95 */
} ee_accept_choice;

/* The confidences of the judges of a plan, plan->judge_count of them, in `arena`. */
const ee_named_calibration *ee_calibrations_of(const ee_plan *plan, const ee_score_totals *totals, ee_arena *arena);

/* A section "calibration": for each judge how its confidences and its accuracy agree, which thresholds accept how many
 * documents and values unseen, the risk-coverage curve and the reliability of documents (in HTML also of each field),
 * abstentions and costs, and notes on what cannot be used. Nothing where no judge has any. */
void ee_calibration_page(const ee_named_calibration *judges, size_t count, ee_accept_choice accept, ee_page *page);
/* "calibration", an array with an object for each judge that has any; nothing without. Undefined numbers are left out.
 */
void ee_calibration_json(const ee_named_calibration *judges, size_t count, ee_accept_choice accept, ee_json_out *json);

/* Adds warnings (EE_OK, "warning: ...") about answers without a confidence and confidences that cannot be used. */
void ee_calibration_warn(const ee_named_calibration *judge, ee_error_list *warnings);
/* Whether the path or the scale is wrong: some confidence cannot be used, or no answer has one. --strict fails. */
bool ee_calibration_unfit(const ee_calibration_total *total);

#endif
