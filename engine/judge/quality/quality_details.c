/* quality_details.c: the details of ee.quality in a row, enough to do its sums again.
 *
 * accuracy is the sum of the fields' scores by counts.compared, completeness is both_non_null by gt_non_null,
 * hallucination is extra_keys and gt_null_aio_has_value by distinct_keys; the weights make the rqs of them. */
#include "judge/details.h"
#include "judge/judge.h"
#include "judge/quality/quality.h"

#define ADD(out, literal) EE_JSON_ADD(out, literal)

static void add_weights(ee_buffer *out, const ee_quality_result *quality) {
  ADD(out, ",\"weights\":{\"accuracy\":");
  ee_json_write_score(out, quality->weights[0]);
  ADD(out, ",\"completeness\":");
  ee_json_write_score(out, quality->weights[1]);
  ADD(out, ",\"safety\":");
  ee_json_write_score(out, quality->weights[2]);
  ADD(out, ",\"hallucination\":");
  ee_json_write_score(out, quality->weights[3]);
  ee_buffer_add_char(out, '}');
  if (quality->maximum != 0) {
    ADD(out, ",\"maximum\":");
    ee_json_write_score(out, quality->maximum);
  }
  if (quality->by_formula) ADD(out, ",\"formula\":true");
}

static void add_counts(ee_buffer *out, const ee_quality_result *quality) {
  const size_t *counts = quality->counts;
  ADD(out, ",\"counts\":{\"both_non_null\":");
  ee_json_write_count(out, counts[EE_QUALITY_BOTH]);
  ADD(out, ",\"aio_missing_or_null\":");
  ee_json_write_count(out, counts[EE_QUALITY_MISSING]);
  ADD(out, ",\"gt_non_null\":");
  ee_json_write_count(out, counts[EE_QUALITY_BOTH] + counts[EE_QUALITY_MISSING]);
  ADD(out, ",\"gt_null_aio_has_value\":");
  ee_json_write_count(out, counts[EE_QUALITY_UNEXPECTED]);
  ADD(out, ",\"extra_keys\":");
  ee_json_write_count(out, counts[EE_QUALITY_EXTRA]);
  ADD(out, ",\"distinct_keys\":");
  ee_json_write_count(out, quality->distinct_keys);
  ADD(out, ",\"compared\":");
  ee_json_write_count(out, quality->compared);
  ee_buffer_add_char(out, '}');
}

/* Appends the path to a list that holds `*count` until now; one too many is counted only. */
static void add_path(ee_buffer *out, ee_str path, size_t *count) {
  if (*count < EE_DETAILS_SHOWN) {
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
    for (size_t i = 0; i < quality->key_count && count <= EE_DETAILS_SHOWN; i++) {
      const ee_quality_key *key = &quality->keys[i];
      if (key->bucket == bucket && !(everywhere && key->ignored)) add_path(out, key->path, &count);
    }
    ADD(out, "],");
    cut |= count > EE_DETAILS_SHOWN;
  }
  ADD(out, "\"ignored\":[");
  size_t count = 0;
  for (size_t i = 0; i < quality->key_count && count <= EE_DETAILS_SHOWN; i++)
    if (quality->keys[i].ignored) add_path(out, quality->keys[i].path, &count);
  ADD(out, "]}");
  return cut || count > EE_DETAILS_SHOWN;
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
    ee_json_write_score(out, comparison->similarity);
  }
  ADD(out, ",\"score\":");
  ee_json_write_score(out, comparison->score);
  if (!comparison->matched) {
    ADD(out, ",\"reason\":");
    ee_details_add_reason(&comparison->reason, scratch, out);
  }
  ee_buffer_add_char(out, '}');
}

/* The keys in the mean that is accuracy. Returns whether the list was cut. */
static bool add_fields(ee_buffer *out, const ee_quality_result *quality, ee_arena *scratch) {
  ADD(out, ",\"fields\":[");
  size_t count = 0;
  for (size_t i = 0; i < quality->key_count && count <= EE_DETAILS_SHOWN; i++) {
    if (!quality->keys[i].compared) continue;
    if (count++ == EE_DETAILS_SHOWN) break;
    if (count > 1) ee_buffer_add_char(out, ',');
    add_field(out, &quality->keys[i], scratch);
  }
  ee_buffer_add_char(out, ']');
  return count > EE_DETAILS_SHOWN;
}

void ee_quality_write_details(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out) {
  const ee_quality_result *quality = result->details;
  if (quality == NULL) {
    ee_details_write_plain(result, scratch, out);
    return;
  }
  ee_details_open(result, out);
  ee_details_add_fallback(result, out);
  ee_details_add_case_metrics(result, out);
  add_weights(out, quality);
  add_counts(out, quality);
  bool cut = add_buckets(out, quality);
  cut |= add_fields(out, quality, scratch);
  ee_details_close(result, cut, scratch, out);
}

const ee_judged_key *ee_quality_list_keys(const ee_judge_result *result, ee_arena *arena, size_t *count) {
  const ee_quality_result *quality = result->details;
  *count = quality != NULL ? quality->key_count : 0;
  ee_judged_key *keys = EE_NEW_ARRAY(arena, ee_judged_key, *count);
  for (size_t i = 0; i < *count; i++) {
    const ee_quality_key *key = &quality->keys[i];
    keys[i] = (ee_judged_key){.path = key->path,
                              .bucket = ee_quality_bucket_names[key->bucket],
                              .strategy = key->strategy,
                              .why = key->why,
                              .compared = key->compared,
                              .score = key->comparison.score,
                              .similarity = key->comparison.similarity,
                              .reason = key->comparison.reason};
  }
  return keys;
}
