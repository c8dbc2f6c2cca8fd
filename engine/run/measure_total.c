/* measure_total.c: adding up measures. */
#include "run/measure_total.h"

#include <inttypes.h>
#include <math.h>

#include "data/json/json_writer.h"

void ee_measure_total_fini(ee_measure_total *total) {
  ee_value_counts_fini(&total->values);
  *total = (ee_measure_total){0};
}

void ee_measure_total_clear(ee_measure_total *total) {
  ee_value_counts values = total->values;
  ee_value_counts_clear(&values);
  *total = (ee_measure_total){.values = values};
}

static ee_str text_of(const ee_value *value, ee_buffer *text, ee_arena *scratch) {
  if (value == NULL) return EE_STR("");
  ee_str all = ee_value_text(value);
  if (ee_type_of(value) != EE_STRING) {
    ee_buffer_clear(text);
    ee_json_write_canonical(text, value, scratch);
    all = (ee_str){text->data, text->length};
  }
  return (ee_str){all.data, ee_utf8_cut(all, EE_MEASURE_BYTES)};
}

void ee_measure_total_add(ee_measure_total *total, const ee_measure_value *measure, ee_str id, uint64_t correct,
                          ee_arena *names, ee_buffer *text, ee_arena *scratch) {
  switch (measure->state) {
  case EE_MEASURE_READ:
    ee_value_counts_add(&total->values, measure->value, 1);
    ee_exact_sum_add(&total->sum, measure->value, 1);
    total->correct += correct;
    break;
  case EE_MEASURE_MISSING:
    total->missing++;
    if (names == NULL || !ee_case_example_wants(&total->missing_case, id)) break;
    ee_case_example_offer(&total->missing_case, names, id, EE_STR(""), EE_STR(""));
    break;
  case EE_MEASURE_NOT_NUMBER:
    total->not_numbers++;
    if (names == NULL || !ee_case_example_wants(&total->bad_case, id)) break;
    ee_case_example_offer(&total->bad_case, names, id, text_of(measure->found, text, scratch), EE_STR(""));
    break;
  }
}

void ee_measure_total_merge(ee_measure_total *total, const ee_measure_total *from, ee_arena *names) {
  ee_value_counts_merge(&total->values, &from->values);
  ee_exact_sum_merge(&total->sum, &from->sum);
  total->correct += from->correct;
  total->missing += from->missing;
  total->not_numbers += from->not_numbers;
  if (names == NULL) return;
  ee_case_example_merge(&total->missing_case, names, &from->missing_case);
  ee_case_example_merge(&total->bad_case, names, &from->bad_case);
}

static ee_metric defined(double value) { return (ee_metric){isfinite(value), isfinite(value) ? value : 0}; }

ee_measure_summary ee_measure_summarize(const ee_measure_total *total) {
  const ee_value_counts *values = &total->values;
  ee_measure_summary summary = {.values = values->total, .missing = total->missing, .not_numbers = total->not_numbers};
  if (values->total == 0) return summary;
  const double shares[] = {0.5, 0.95};
  double quantiles[2], sum = ee_exact_sum_value(&total->sum);
  ee_value_counts_quantiles(values, shares, 2, quantiles);
  summary.sum = defined(sum);
  summary.mean = defined(sum / (double)values->total);
  summary.min = defined(ee_value_counts_min(values));
  summary.p50 = defined(quantiles[0]);
  summary.p95 = defined(quantiles[1]);
  summary.max = defined(ee_value_counts_max(values));
  if (total->correct > 0) summary.per_correct = defined(sum / (double)total->correct);
  return summary;
}

static uint64_t records_of(const ee_measure_total *total) {
  return total->values.total + total->missing + total->not_numbers;
}

static void add_example(ee_str id, ee_buffer *out) {
  if (id.length > 0) ee_buffer_addf(out, ", e.g. case '%.*s'", (int)ee_utf8_cut(id, EE_MEASURE_BYTES), id.data);
}

void ee_measure_print_missing(const ee_measure_total *total, ee_str name, ee_buffer *out) {
  uint64_t records = records_of(total);
  if (total->missing == 0) return;
  if (total->missing == records && records > 1) {
    ee_buffer_addf(out, "no record has '%.*s': is the path right?", EE_STR_ARG(name));
    return;
  }
  ee_buffer_addf(out, "%" PRIu64 " of %" PRIu64 " record%s no '%.*s'", total->missing, records,
                 records == 1 ? " has" : "s have", EE_STR_ARG(name));
  add_example(total->missing_case.id, out);
}

void ee_measure_print_bad(const ee_measure_total *total, ee_str name, ee_buffer *out) {
  if (total->not_numbers == 0) return;
  uint64_t count = total->not_numbers;
  ee_buffer_addf(out, "'%.*s' is not a number in %" PRIu64 " record%s", EE_STR_ARG(name), count, count == 1 ? "" : "s");
  const ee_case_example *bad = &total->bad_case;
  if (bad->id.length == 0) return;
  if (bad->text.length > 0)
    ee_buffer_addf(out, ", e.g. '%.*s' in case", EE_STR_ARG(bad->text));
  else
    ee_buffer_add_text(out, ", e.g. in case");
  ee_buffer_addf(out, " '%.*s'", (int)ee_utf8_cut(bad->id, EE_MEASURE_BYTES), bad->id.data);
}

EE_STATE_COVERS(ee_measure_total, 24 + 2 * sizeof(ee_case_example) + sizeof(ee_value_counts) + sizeof(ee_exact_sum));

void ee_measure_total_state(ee_state_line *line, ee_arena *names, ee_measure_total *total) {
  ee_state_begin(line);
  ee_value_counts_state(line, &total->values);
  ee_state_exact_sum(line, &total->sum);
  ee_state_count(line, &total->missing);
  ee_state_count(line, &total->not_numbers);
  ee_state_count(line, &total->correct);
  ee_case_example_state(line, names, &total->missing_case);
  ee_case_example_state(line, names, &total->bad_case);
  ee_state_end(line);
}
