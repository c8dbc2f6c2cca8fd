/* json_out.h: a report as one JSON object, indented by two spaces.
 *
 * What the reports of a run, of pooled rows and of a comparison are written with, so
 * that the same thing has the same members everywhere. */
#ifndef EE_REPORT_JSON_OUT_H
#define EE_REPORT_JSON_OUT_H

#include "base/arena.h"
#include "base/buffer.h"
#include "run/totals.h"

/* A writer that knows how deep it is and whether a comma is due. Begin with {.out, .arena, .first = true}. */
typedef struct ee_json_out {
  ee_buffer *out;
  ee_arena *arena; /* scratch */
  size_t depth;
  bool first; /* nothing was written yet on this level */
} ee_json_out;

/* Starts a member (`key`) or an element (NULL); its value is appended to `json->out` behind it. */
void ee_json_next(ee_json_out *json, const char *key);
/* An object or an array, by its bracket. */
void ee_json_open(ee_json_out *json, const char *key, char bracket);
void ee_json_close(ee_json_out *json, char bracket);
void ee_json_add_count(ee_json_out *json, const char *key, uint64_t count);
void ee_json_add_number(ee_json_out *json, const char *key, double number);
void ee_json_add_text(ee_json_out *json, const char *key, ee_str text);
void ee_json_add_bool(ee_json_out *json, const char *key, bool value);
/* 16 hexadecimal digits. */
void ee_json_add_hash(ee_json_out *json, const char *key, uint64_t hash);
/* An undefined metric is left out. */
void ee_json_add_metric(ee_json_out *json, const char *key, ee_metric metric);

/* "mean_score", its interval with a confidence of 95 %, "standard_deviation"; of no case nothing. */
void ee_json_add_mean(ee_json_out *json, const ee_sample *score);
/* "verdicts". */
void ee_json_add_verdicts(ee_json_out *json, const uint64_t verdicts[3]);
/* "fields" worst F1 first, "pooled", "micro", "macro", "weighted". `split`: the false positives are told apart. */
void ee_json_add_attributes(ee_json_out *json, const ee_judge_total *total, bool split);

#endif
