/* correction_total.c: adding up edits. */
#include "run/correction_total.h"

void ee_correction_total_fini(ee_correction_total *total) {
  ee_value_counts_fini(&total->per_case);
  ee_score_units_fini(&total->units);
  *total = (ee_correction_total){0};
}

void ee_correction_total_clear(ee_correction_total *total) {
  ee_value_counts per_case = total->per_case;
  ee_score_units units = total->units;
  ee_value_counts_clear(&per_case);
  ee_score_units_clear(&units);
  *total = (ee_correction_total){.per_case = per_case, .units = units};
}

void ee_correction_total_add(ee_correction_total *total, const ee_corrections *corrections, uint64_t cluster) {
  total->cases++;
  ee_score_units_add(&total->units, cluster, corrections->straight_through, corrections->straight_through);
  total->straight += corrections->straight_through;
  for (int i = 0; i < EE_CORRECTION_KINDS; i++) total->kinds[i] += corrections->kinds[i];
  total->row_values += corrections->row_values;
  total->optional += corrections->optional;
  total->checks += corrections->checks;
  ee_value_counts_add(&total->per_case, (double)ee_corrections_sum(corrections), 1);
}

void ee_correction_total_merge(ee_correction_total *total, const ee_correction_total *from) {
  total->cases += from->cases;
  total->straight += from->straight;
  ee_score_units_merge(&total->units, &from->units);
  for (int i = 0; i < EE_CORRECTION_KINDS; i++) total->kinds[i] += from->kinds[i];
  total->row_values += from->row_values;
  total->optional += from->optional;
  total->checks += from->checks;
  ee_value_counts_merge(&total->per_case, &from->per_case);
}

uint64_t ee_correction_total_sum(const ee_correction_total *total) {
  uint64_t sum = 0;
  for (int i = 0; i < EE_CORRECTION_KINDS; i++) sum += total->kinds[i];
  return sum;
}

static ee_metric share(uint64_t part, uint64_t whole) {
  return (ee_metric){whole > 0, whole > 0 ? (double)part / (double)whole : 0};
}

ee_metric ee_straight_through_rate(const ee_correction_total *total) { return share(total->straight, total->cases); }

ee_ratio_sums ee_straight_through_sums(const ee_correction_total *total) {
  return ee_score_units_pass_rate(&total->units, &(ee_sample){.count = total->cases}, total->straight);
}

ee_ranged ee_straight_through(const ee_correction_total *total, double confidence) {
  ee_ratio_sums sums = ee_straight_through_sums(total);
  return ee_ranged_of(ee_straight_through_rate(total), &sums, confidence);
}

ee_metric ee_corrections_mean(const ee_correction_total *total) {
  return share(ee_correction_total_sum(total), total->cases);
}

void ee_correction_total_bins(const ee_correction_total *total, uint64_t bins[EE_CORRECTION_BINS]) {
  const size_t last = EE_CORRECTION_BINS - 1;
  for (size_t i = 0; i <= last; i++) bins[i] = 0;
  for (size_t i = 0; i < total->per_case.count; i++) {
    const ee_counted_value *counted = &total->per_case.items[i];
    bins[counted->value < (double)last ? (size_t)counted->value : last] += counted->times;
  }
}

EE_STATE_COVERS(ee_correction_total, 88 + sizeof(ee_score_units) + sizeof(ee_value_counts));

void ee_correction_total_state(ee_state_line *line, ee_correction_total *total) {
  ee_state_begin(line);
  ee_state_count(line, &total->cases);
  ee_state_count(line, &total->straight);
  ee_score_units_state(line, &total->units);
  ee_state_counts(line, total->kinds, EE_CORRECTION_KINDS);
  ee_state_count(line, &total->row_values);
  ee_state_count(line, &total->optional);
  ee_state_count(line, &total->checks);
  ee_value_counts_state(line, &total->per_case);
  if (ee_value_counts_min(&total->per_case) < 0) ee_state_fail(line);
  ee_state_end(line);
}
