/* json_out.h: a report as one JSON object, indented by two spaces.
 *
 * Every report is written with it, so that the same thing has the same members everywhere. */
#ifndef EE_REPORT_JSON_OUT_H
#define EE_REPORT_JSON_OUT_H

#include "base/arena.h"
#include "base/buffer.h"
#include "run/misfit.h"
#include "run/total_interval.h"

#define EE_JSON_OUT_LEVELS 16

typedef enum ee_json_layout {
  EE_JSON_INDENTED, /* a line for each member or element */
  EE_JSON_LINE,     /* everything on the line of its key, without spaces */
  EE_JSON_ROWS      /* an array with a line for each element, which is itself EE_JSON_LINE */
} ee_json_layout;

/* A writer that knows how deep it is and whether a comma is due. Begin with {.out, .arena, .first = true}. */
typedef struct ee_json_out {
  ee_buffer *out;
  ee_arena *arena;                            /* scratch */
  ee_json_layout layouts[EE_JSON_OUT_LEVELS]; /* of the open objects and arrays */
  size_t level, indent;                       /* how many are open; of these, not EE_JSON_LINE */
  bool first;                                 /* nothing was written yet on this level */
} ee_json_out;

/* Starts a member (`key`) or an element (NULL); the caller appends its value to `json->out`. */
void ee_json_next(ee_json_out *json, const char *key);
/* Opens an object or an array, by its bracket. ee_json_open() inside EE_JSON_LINE or EE_JSON_ROWS opens
 * EE_JSON_LINE. At most EE_JSON_OUT_LEVELS are open at a time. */
void ee_json_open(ee_json_out *json, const char *key, char bracket);
void ee_json_open_as(ee_json_out *json, const char *key, char bracket, ee_json_layout layout);
void ee_json_close(ee_json_out *json, char bracket);
void ee_json_add_count(ee_json_out *json, const char *key, uint64_t count);
void ee_json_add_number(ee_json_out *json, const char *key, double number);
void ee_json_add_text(ee_json_out *json, const char *key, ee_str text);
void ee_json_add_bool(ee_json_out *json, const char *key, bool value);
/* 16 hexadecimal digits. */
void ee_json_add_hash(ee_json_out *json, const char *key, uint64_t hash);
/* An undefined metric is left out. */
void ee_json_add_metric(ee_json_out *json, const char *key, ee_metric metric);
/* An undefined metric is null, so that all rows of a table have the same members. */
void ee_json_add_metric_or_null(ee_json_out *json, const char *key, ee_metric metric);
/* {"low", "high"}; an unknown interval is left out. */
void ee_json_add_interval(ee_json_out *json, const char *key, ee_interval interval);

/* A metric, and its interval as "KEY_interval"; what is undefined is left out. */
void ee_json_add_ranged(ee_json_out *json, const char *key, ee_ranged ranged);

/* "mean_score" with its interval, "standard_deviation"; nothing without a score. */
void ee_json_add_mean(ee_json_out *json, const ee_sample *score, ee_ranged mean);
/* "cluster" (`path` empty: not known), "units", how many intervals count (in groups: how many groups), and
 * "cases_without_cluster"; nothing where no case has a cluster and `path` is empty. */
void ee_json_add_clusters(ee_json_out *json, ee_str path, const ee_score_units *units, const ee_sample *score);
/* "verdicts". */
void ee_json_add_verdicts(ee_json_out *json, const uint64_t verdicts[3]);
/* "misfits": what does not fit the rules of a judge; nothing without. */
void ee_json_add_misfits(ee_json_out *json, const ee_misfit_list *misfits);
/* "fields" worst F1 first, each with its kinds of errors where they were decided, "rows" with those of items without a
 * partner, "pooled", "micro", "macro", "weighted". `split`: false positives are split into incorrect
 * and spurious ones. `confidence` of the intervals. */
void ee_json_add_attributes(ee_json_out *json, const ee_judge_total *total, bool split, double confidence);

#endif
