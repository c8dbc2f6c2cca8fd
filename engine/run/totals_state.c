/* totals_state.c: the whole and its slices, judges, attributes. */
#include "run/totals_state.h"

/* Judges --------------------------------------------------------------------------------------- */

EE_STATE_COVERS(ee_methods_total, 80);

static void methods_state(ee_state_line *line, ee_methods_total *methods) {
  ee_state_begin(line);
  ee_state_count(line, &methods->compared);
  ee_state_count(line, &methods->different);
  ee_state_count(line, &methods->lost);
  ee_state_fixed(line, &methods->lost_similarity);
  ee_state_fixed(line, &methods->greedy_score);
  ee_state_fixed(line, &methods->optimal_score);
  ee_state_end(line);
}

EE_STATE_COVERS(struct ee_case_metric_total, 72 + sizeof(ee_score_units) + sizeof(ee_value_counts));

static void metric_state(ee_state_line *line, struct ee_case_metric_total *metric) {
  ee_state_begin(line);
  ee_state_sample(line, &metric->sample);
  ee_value_counts_state(line, &metric->values);
  ee_score_units_state(line, &metric->units);
  ee_state_count(line, &metric->left_out);
  ee_state_end(line);
}

EE_STATE_COVERS(ee_attribute_total, 96 + sizeof(ee_count_units) + sizeof(ee_absent_path));

/* The name and `derived` are the plan's, or the name was read before. */
static void attribute_state(ee_state_line *line, ee_totals *totals, ee_attribute_total *attribute,
                            const ee_unit_keys *keys) {
  ee_state_confusion(line, &attribute->counts);
  ee_count_units_state(line, &attribute->units, keys);
  ee_unread_total_state(line, &totals->names, &attribute->unread);
  ee_kind_total_state(line, &totals->names, &attribute->kinds);
  ee_absent_path_state(line, &totals->names, &attribute->absent);
}

static void static_attributes_state(ee_state_line *line, ee_totals *totals, ee_judge_total *total,
                                    const ee_unit_keys *keys) {
  for (size_t i = 0; i < total->static_count; i++) {
    ee_state_begin(line);
    attribute_state(line, totals, &total->attributes[i], keys);
    ee_state_end(line);
  }
}

/* Those of the data; `to` is the whole or a slice. */
static void data_attributes_state(ee_state_line *line, ee_totals *totals, ee_score_totals *to, size_t judge,
                                  const ee_unit_keys *keys) {
  ee_judge_total *total = &to->judges[judge];
  size_t count = ee_state_items(line, total->attribute_count - total->static_count);
  for (size_t i = 0; ee_state_goes_on(line, i, count); i++) {
    ee_state_begin(line);
    ee_str name = {0};
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a line that is not read is written from them
    if (!ee_state_reading(line)) name = total->attributes[total->static_count + i].name;
    ee_state_text(line, &totals->names, &name);
    ee_attribute_total *attribute = NULL;
    if (!ee_state_reading(line))
      attribute = &total->attributes[total->static_count + i];
    else if (name.data != NULL)
      attribute = ee_totals_add_attribute(totals, to, judge, name);
    if (attribute != NULL)
      attribute_state(line, totals, attribute, keys);
    else
      ee_state_fail(line);
    ee_state_end(line);
  }
  ee_state_end(line);
}

static void attributes_state(ee_state_line *line, ee_totals *totals, ee_score_totals *to, size_t judge) {
  ee_judge_total *total = &to->judges[judge];
  ee_arena scratch;
  ee_unit_keys keys = {0};
  ee_arena_init(&scratch, 0);
  for (size_t i = 0; i < total->attribute_count && !ee_state_reading(line); i++)
    ee_unit_keys_add(&keys, &scratch, &total->attributes[i].units);
  ee_unit_keys_sort(&keys, &scratch);
  ee_unit_keys_state(line, &scratch, &keys);
  static_attributes_state(line, totals, total, &keys);
  data_attributes_state(line, totals, to, judge, &keys);
  ee_arena_fini(&scratch);
}

static void corpus_state(ee_state_line *line, ee_judge_total *total, const ee_judge *judge) {
  ee_state_begin(line);
  judge->type->corpus->state(total->corpus_part, line);
  ee_state_end(line);
}

/* The plan's text, or NULL as long as no case has arrays. */
static void match_names_state(ee_state_line *line, ee_totals *totals, ee_judge_total *total) {
  ee_str names = total->match_names != NULL ? ee_str_from(total->match_names) : (ee_str){0};
  ee_state_text(line, &totals->names, &names);
  total->match_names = names.data;
}

static void seen_state(ee_state_line *line, ee_judge_total *total, size_t count) {
  ee_state_begin(line);
  for (size_t i = 0; i < count && total->seen != NULL; i++) ee_state_flag(line, &total->seen[i]);
  ee_state_end(line);
}

EE_STATE_COVERS(ee_judge_total, 304 + sizeof(ee_case_example) + sizeof(ee_methods_total) + sizeof(ee_count_moments) +
                                    sizeof(ee_score_units));

static void judge_state(ee_state_line *line, ee_totals *totals, ee_score_totals *to, size_t number) {
  ee_judge_total *total = &to->judges[number];
  const ee_judge *judge = totals->plan->judges[number];
  ee_state_begin(line);
  ee_state_sample(line, &total->score);
  ee_score_units_state(line, &total->units);
  ee_state_counts(line, total->verdicts, 3);
  ee_state_count(line, &total->failed);
  ee_case_example_state(line, &totals->names, &total->fault);
  ee_state_count(line, &total->unscored);
  ee_state_count(line, &total->vacuous);
  ee_state_count(line, &total->paired);
  ee_state_count(line, &total->unpairable);
  ee_state_small(line, &total->match_sides, 3);
  match_names_state(line, totals, total);
  ee_state_count(line, &total->fallbacks);
  ee_kind_total_state(line, &totals->names, &total->row_kinds);
  ee_state_count(line, &total->kinds_cut);
  methods_state(line, &total->methods);
  for (size_t i = 0; i < total->case_metric_count; i++) metric_state(line, &total->case_metrics[i]);
  if (total->worst != NULL) ee_worst_cases_state(line, total->worst, total->case_metric_count);
  if (total->calibration != NULL) ee_calibration_total_state(line, &totals->names, total->calibration);
  if (total->corpus_part != NULL) corpus_state(line, total, judge);
  seen_state(line, total, judge->expected_path_count);
  ee_count_moments_state(line, &total->pooled);
  attributes_state(line, totals, to, number);
  ee_state_end(line);
}

/* The whole and slices ------------------------------------------------------------------------- */

EE_STATE_COVERS(ee_score_bins, 168);
EE_STATE_COVERS(ee_score_totals, 256 + sizeof(ee_score_units) + sizeof(ee_correction_total));

static void score_state(ee_state_line *line, ee_totals *totals, ee_score_totals *of) {
  ee_state_begin(line);
  ee_state_sample(line, &of->score);
  ee_score_units_state(line, &of->units);
  ee_state_begin(line);
  ee_state_counts(line, of->bins.counts, EE_SCORE_BINS + 1);
  ee_state_end(line);
  ee_state_counts(line, of->verdicts, 3);
  ee_correction_total_state(line, &of->corrections);
  for (size_t i = 0; i < totals->plan->judge_count; i++) judge_state(line, totals, of, i);
  for (size_t i = 0; i < totals->plan->measure_count; i++)
    ee_measure_total_state(line, &totals->names, &of->measures[i]);
  ee_state_end(line);
}

EE_STATE_COVERS(ee_slice_total, 32 + sizeof(ee_score_totals));

static void slices_state(ee_state_line *line, ee_totals *totals) {
  size_t count = ee_state_items(line, totals->slice_count);
  for (size_t i = 0; ee_state_goes_on(line, i, count); i++) {
    ee_state_begin(line);
    ee_slice_total *slice = NULL;
    uint32_t number = 0;
    ee_str value = {0};
    if (!ee_state_reading(line)) {
      slice = &totals->slices[i];
      number = (uint32_t)slice->slice;
      value = slice->value;
    }
    ee_state_small(line, &number, UINT32_MAX);
    ee_state_text(line, &totals->names, &value);
    if (ee_state_reading(line) && number < totals->plan->slice_count && value.data != NULL)
      slice = ee_totals_add_slice(totals, number, value);
    if (slice != NULL)
      score_state(line, totals, &slice->totals);
    else
      ee_state_fail(line);
    ee_state_end(line);
  }
  ee_state_end(line);
}

/* All ------------------------------------------------------------------------------------------ */

EE_STATE_COVERS(ee_totals,
                416 + 2 * sizeof(ee_arena) + sizeof(ee_page_hint) + sizeof(ee_score_totals) + sizeof(ee_trial_total));

static void counts_state(ee_state_line *line, ee_totals *totals) {
  ee_state_begin(line);
  ee_state_count(line, &totals->records);
  ee_state_count(line, &totals->scored);
  ee_state_count(line, &totals->unscored);
  ee_state_count(line, &totals->unreadable);
  ee_state_count(line, &totals->duplicates);
  ee_state_count(line, &totals->unnamed);
  ee_state_count(line, &totals->untold);
  ee_state_count(line, &totals->filtered);
  ee_state_count(line, &totals->absent);
  ee_state_count(line, &totals->unjudged);
  ee_state_count(line, &totals->candidates_missing);
  ee_state_count(line, &totals->candidates_unparseable);
  ee_state_count(line, &totals->candidates_encoded);
  ee_state_count(line, &totals->repairable);
  ee_state_begin(line);
  ee_state_counts(line, totals->repairs, EE_REPAIR_COUNT);
  ee_state_end(line);
  ee_state_count(line, &totals->lone_surrogates);
  ee_state_count(line, &totals->cases_with_rule_errors);
  ee_state_count(line, &totals->rule_errors);
  ee_state_count(line, &totals->cases_with_provider_failures);
  ee_state_count(line, &totals->provider_failures);
  ee_state_count(line, &totals->cases_with_given_up);
  ee_state_count(line, &totals->given_up);
  ee_state_flag(line, &totals->chosen);
  ee_state_end(line);
}

void ee_totals_state(ee_state_line *line, ee_totals *totals) {
  if (!ee_state_reading(line)) ee_totals_settle(totals); /* equal totals have equal bytes */
  ee_state_begin(line);
  counts_state(line, totals);
  ee_state_count(line, &totals->records_hash);
  ee_state_count(line, &totals->data_hash);
  score_state(line, totals, &totals->all);
  slices_state(line, totals);
  ee_page_hint_state(line, &totals->names, &totals->pages);
  ee_trial_total_state(line, &totals->trials);
  ee_state_end(line);
}
