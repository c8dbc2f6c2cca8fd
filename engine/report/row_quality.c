/* row_quality.c: the details of ee.quality in a row, enough to do its sums again.
 *
 * accuracy is the sum of the fields' scores by counts.compared, completeness is both_non_null by gt_non_null,
 * hallucination is extra_keys and gt_null_aio_has_value by distinct_keys; the weights make the rqs of them. */
#include "judge/judge.h"
#include "judge/quality/quality.h"
#include "report/row_parts.h"

#define ADD(out, literal) EE_ROW_ADD(out, literal)

static void add_measures(ee_buffer *out, const ee_judge_result *judged) {
  const char *const *names = judged->judge->type->case_metrics;
  for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
    ADD(out, ",\"");
    ee_buffer_add_text(out, names[i]);
    ADD(out, "\":");
    ee_row_add_score(out, judged->case_metrics[i]);
  }
}

static void add_weights(ee_buffer *out, const ee_quality_result *quality) {
  ADD(out, ",\"weights\":{\"accuracy\":");
  ee_row_add_score(out, quality->weights[0]);
  ADD(out, ",\"completeness\":");
  ee_row_add_score(out, quality->weights[1]);
  ADD(out, ",\"safety\":");
  ee_row_add_score(out, quality->weights[2]);
  ADD(out, ",\"hallucination\":");
  ee_row_add_score(out, quality->weights[3]);
  ee_buffer_add_char(out, '}');
  if (quality->maximum != 0) {
    ADD(out, ",\"maximum\":");
    ee_row_add_score(out, quality->maximum);
  }
  if (quality->by_formula) ADD(out, ",\"formula\":true");
}

static void add_counts(ee_buffer *out, const ee_quality_result *quality) {
  const size_t *counts = quality->counts;
  ADD(out, ",\"counts\":{\"both_non_null\":");
  ee_row_add_count(out, counts[EE_QUALITY_BOTH]);
  ADD(out, ",\"aio_missing_or_null\":");
  ee_row_add_count(out, counts[EE_QUALITY_MISSING]);
  ADD(out, ",\"gt_non_null\":");
  ee_row_add_count(out, counts[EE_QUALITY_BOTH] + counts[EE_QUALITY_MISSING]);
  ADD(out, ",\"gt_null_aio_has_value\":");
  ee_row_add_count(out, counts[EE_QUALITY_UNEXPECTED]);
  ADD(out, ",\"extra_keys\":");
  ee_row_add_count(out, counts[EE_QUALITY_EXTRA]);
  ADD(out, ",\"distinct_keys\":");
  ee_row_add_count(out, quality->distinct_keys);
  ADD(out, ",\"compared\":");
  ee_row_add_count(out, quality->compared);
  ee_buffer_add_char(out, '}');
}

/* Appends the path to a list that holds `*count` until now; one too many is counted only. */
static void add_path(ee_buffer *out, ee_str path, size_t *count) {
  if (*count < EE_ROW_LIST_LIMIT) {
    if (*count > 0) ee_buffer_add_char(out, ',');
    ee_json_write_string(out, path);
  }
  ++*count;
}

/* Returns whether a list was cut. */
static bool add_buckets(ee_buffer *out, const ee_quality_result *quality) {
  /* Keys that are ignored everywhere are not among the distinct ones, and stand in no bucket either. */
  bool everywhere = quality->distinct_keys < quality->key_count;
  bool cut = false;
  ADD(out, ",\"buckets\":{");
  for (size_t bucket = 0; bucket < EE_QUALITY_NEITHER; bucket++) {
    ee_buffer_add_char(out, '"');
    ee_buffer_add_text(out, ee_quality_bucket_names[bucket]);
    ADD(out, "\":[");
    size_t count = 0;
    for (size_t i = 0; i < quality->key_count && count <= EE_ROW_LIST_LIMIT; i++) {
      const ee_quality_key *key = &quality->keys[i];
      if (key->bucket == bucket && !(everywhere && key->ignored)) add_path(out, key->path, &count);
    }
    ADD(out, "],");
    cut |= count > EE_ROW_LIST_LIMIT;
  }
  ADD(out, "\"ignored\":[");
  size_t count = 0;
  for (size_t i = 0; i < quality->key_count && count <= EE_ROW_LIST_LIMIT; i++)
    if (quality->keys[i].ignored) add_path(out, quality->keys[i].path, &count);
  ADD(out, "]}");
  return cut || count > EE_ROW_LIST_LIMIT;
}

static void add_field(ee_buffer *out, const ee_quality_key *key, ee_arena *scratch) {
  const ee_comparison *comparison = &key->comparison;
  ADD(out, "{\"path\":");
  ee_json_write_string(out, key->path);
  ADD(out, ",\"strategy\":");
  ee_json_write_string(out, ee_str_from(key->strategy));
  ADD(out, ",\"why\":");
  ee_json_write_string(out, ee_str_from(key->why));
  if (comparison->similarity >= 0) {
    ADD(out, ",\"similarity\":");
    ee_row_add_score(out, comparison->similarity);
  }
  ADD(out, ",\"score\":");
  ee_row_add_score(out, comparison->score);
  if (!comparison->matched) {
    ADD(out, ",\"reason\":");
    ee_row_add_reason(out, &comparison->reason, scratch);
  }
  ee_buffer_add_char(out, '}');
}

/* The keys in the mean that is accuracy. Returns whether the list was cut. */
static bool add_fields(ee_buffer *out, const ee_quality_result *quality, ee_arena *scratch) {
  ADD(out, ",\"fields\":[");
  size_t count = 0;
  for (size_t i = 0; i < quality->key_count && count <= EE_ROW_LIST_LIMIT; i++) {
    if (!quality->keys[i].compared) continue;
    if (count++ == EE_ROW_LIST_LIMIT) break;
    if (count > 1) ee_buffer_add_char(out, ',');
    add_field(out, &quality->keys[i], scratch);
  }
  ee_buffer_add_char(out, ']');
  return count > EE_ROW_LIST_LIMIT;
}

bool ee_row_add_quality(ee_buffer *out, const ee_judge_result *judged, ee_arena *scratch) {
  if (judged->case_metrics != NULL) add_measures(out, judged);
  const ee_quality_result *quality = judged->quality;
  if (quality == NULL) return false;
  add_weights(out, quality);
  add_counts(out, quality);
  bool cut = add_buckets(out, quality);
  return add_fields(out, quality, scratch) || cut;
}
