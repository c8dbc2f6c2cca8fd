/* trend.h: how metrics went over several runs, in the order in which they are given, and whether the last run holds up
 * against the earlier ones.
 *
 * A run is its summary, as `-f json` writes it. A metric is mean_score, pass_rate, micro_f1 and macro_f1 of a judge, f1
 * of a field, and the mean and p95 of a measure. A metric that a run does not have is left out there. Runs whose rules
 * or data differ from those of the last one (by their hashes; an unknown one differs from none) are marked. */
#ifndef EE_REPORT_TREND_H
#define EE_REPORT_TREND_H

#include "report/merged_results.h"
#include "report/page.h"

typedef struct ee_trend ee_trend;

/* What the last run is held against: of the earlier ones, their best value, their mean, or the last of them. */
typedef enum ee_trend_gate { EE_TREND_NO_GATE, EE_TREND_BEST, EE_TREND_MEAN, EE_TREND_LAST } ee_trend_gate;

typedef struct ee_trend_options {
  ee_trend_gate fail_below;
  const char *const
      *metrics; /* that the gate holds, as [JUDGE:[FIELD:]]METRIC or "PATH mean", "PATH p95" of a measure; borrowed */
  size_t metric_count; /* 0: mean_score */
  double margin;       /* the last run may be that much below; of measures, that share above */
  bool force;          /* also against runs of other rules and data; else these are left out of the gate */
  bool ascii;          /* sparklines without Unicode's blocks */
  size_t shown;        /* metrics in a table; 0: all */
} ee_trend_options;

ee_trend *ee_trend_new(const ee_trend_options *options);
void ee_trend_free(ee_trend *trend);

/* Whether the document is a summary: an object with mean_score or judges. */
bool ee_trend_is_summary(const ee_value *document);

/* Adds a run from its summary (copied). `name` is that of its file. */
void ee_trend_add(ee_trend *trend, const char *name, const ee_value *summary);
/* The same from rows, summed. A hash of 0 is not known. */
void ee_trend_add_rows(ee_trend *trend, const char *name, const ee_merged_results *results, uint64_t rules_hash,
                       uint64_t data_hash);

/* Computes, once all runs are added. EE_ERROR_USAGE if the gate names a metric that no run has, with what it may be. */
ee_status ee_trend_finish(ee_trend *trend, ee_error *error);

/* Whether the last run fails; `*reason` (owned; NULL if it does not) is why. A gate with nothing to hold the run
 * against fails, too. */
bool ee_trend_fails(const ee_trend *trend, const char **reason);
/* What a reader must know: runs of other rules or data. NULL after the last one. */
const char *ee_trend_note(const ee_trend *trend, size_t number);

/* A line a metric with a sparkline, scaled from the metric's lowest to its highest value; a line a run; the gate. The
 * page borrows from `trend`. */
void ee_trend_page(const ee_trend *trend, ee_page *page);
/* Each appends to `out`; in CSV a line a run. Undefined metrics are null, or empty. */
void ee_trend_json(const ee_trend *trend, ee_buffer *out);
void ee_trend_csv(const ee_trend *trend, ee_buffer *out);

#endif
