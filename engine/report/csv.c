/* csv.c: quoting, and the table of attributes. */
#include "report/csv.h"

#include <inttypes.h>

#include "base/printable.h"
#include "data/json/json_writer.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* "-12.5e+3" */
static bool is_number(ee_str text) {
  size_t i = text.data[0] == '+' || text.data[0] == '-';
  size_t from = i;
  while (i < text.length && is_digit(text.data[i])) i++;
  if (i == from) return false;
  if (i < text.length && text.data[i] == '.')
    for (i++; i < text.length && is_digit(text.data[i]);) i++;
  if (i < text.length && (text.data[i] | 0x20) == 'e') {
    i++;
    if (i < text.length && (text.data[i] == '+' || text.data[i] == '-')) i++;
    if (i == text.length) return false;
    while (i < text.length && is_digit(text.data[i])) i++;
  }
  return i == text.length;
}

/* Whether a spreadsheet takes the cell for a formula: by its first character, or its fullwidth twin. */
static bool is_formula(ee_str text) {
  static const char wide[][4] = {"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};
  if (text.length == 0) return false;
  if (strchr("=+-@\t\r", text.data[0]) != NULL) return text.data[0] != '\0' && !is_number(text);
  for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
    if (text.length >= 3 && memcmp(text.data, wide[i], 3) == 0) return true;
  return false;
}

/* In front of cells that spreadsheets would compute. No cell has it: it is not printable. */
#define MARK '\x1a'

void ee_csv_add_text(ee_buffer *out, ee_str text) {
  ee_buffer cell;
  ee_buffer_init(&cell);
  ee_add_printable(&cell, text, EE_PRINT_LINE);
  bool formula = is_formula(text), quoted = false;
  for (size_t i = 0; i < cell.length && !quoted; i++) quoted = cell.data[i] == '"' || cell.data[i] == ',';
  /* White space at the ends survives only inside quotes with many readers. */
  if (cell.length > 0 && (cell.data[0] == ' ' || cell.data[cell.length - 1] == ' ')) quoted = true;
  if (quoted) ee_buffer_add_char(out, '"');
  if (formula) ee_buffer_add_char(out, MARK);
  for (size_t i = 0; i < cell.length; i++) {
    if (cell.data[i] == '"') ee_buffer_add_char(out, '"');
    ee_buffer_add_char(out, cell.data[i]);
  }
  if (quoted) ee_buffer_add_char(out, '"');
  ee_buffer_fini(&cell);
}

void ee_csv_settle(ee_buffer *out, size_t from, bool safe) {
  size_t to = from;
  for (size_t i = from; i < out->length; i++) {
    if (out->data[i] == MARK && !safe) continue;
    out->data[to++] = out->data[i] == MARK ? '\'' : out->data[i];
  }
  out->length = to;
}

void ee_csv_add_metric(ee_buffer *out, ee_metric metric) {
  ee_buffer_add_char(out, ',');
  if (metric.defined) ee_json_write_number(out, metric.value);
}

/* Appends two numbers; an unknown interval is empty. */
static void add_interval(ee_buffer *out, ee_interval interval) {
  bool known = ee_interval_is_known(interval);
  ee_csv_add_metric(out, (ee_metric){known, interval.low});
  ee_csv_add_metric(out, (ee_metric){known, interval.high});
}

/* `counts` NULL: an average that has none. */
static void add_line(ee_buffer *out, ee_str judge, ee_str attribute, const ee_counts *counts, bool split,
                     const ee_ranged_averages *metrics, const char *tail) {
  ee_csv_add_text(out, judge);
  ee_buffer_add_char(out, ',');
  ee_csv_add_text(out, attribute);
  if (counts != NULL) {
    ee_buffer_addf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", counts->tp, counts->tn, counts->fp,
                   counts->fn);
    if (split) ee_buffer_add_u64(out, counts->wrong);
  } else {
    ee_buffer_add_text(out, ",,,,,");
  }
  ee_csv_add_metric(out, metrics->precision.metric);
  ee_csv_add_metric(out, metrics->recall.metric);
  ee_csv_add_metric(out, metrics->f1.metric);
  ee_buffer_add_char(out, ',');
  if (counts != NULL) ee_buffer_add_u64(out, counts->unread);
  add_interval(out, metrics->precision.interval);
  add_interval(out, metrics->recall.interval);
  add_interval(out, metrics->f1.interval);
  static const ee_metric undefined = {0};
  bool known = counts != NULL && split;
  ee_csv_add_metric(out, known ? ee_field_accuracy(counts) : undefined);
  ee_csv_add_metric(out, known ? ee_answered_rate(counts) : undefined);
  ee_csv_add_metric(out, known ? ee_fabrication_rate(counts) : undefined);
  ee_buffer_add_text(out, tail);
  ee_buffer_add_char(out, '\n');
}

void ee_csv_add_attributes(ee_buffer *out, ee_str judge, const ee_judge_total *total, bool split, const char *tail,
                           double confidence, ee_arena *arena) {
  if (total->attribute_count == 0) return;
  size_t *order = EE_NEW_ARRAY(arena, size_t, total->attribute_count);
  ee_judge_total_rank(total, order);
  for (size_t i = 0; i < total->attribute_count; i++) {
    const ee_attribute_total *attribute = &total->attributes[order[i]];
    ee_ranged_averages metrics = {ee_attribute_ranged(attribute, EE_RATIO_PRECISION, confidence),
                                  ee_attribute_ranged(attribute, EE_RATIO_RECALL, confidence),
                                  ee_attribute_ranged(attribute, EE_RATIO_F1, confidence)};
    add_line(out, judge, attribute->name, &attribute->counts, split, &metrics, tail);
  }
  ee_judge_ranges ranges = ee_judge_total_ranges(total, confidence);
  add_line(out, judge, EE_STR("(micro)"), &ranges.pooled, split, &ranges.micro, tail);
  add_line(out, judge, EE_STR("(macro)"), NULL, split, &ranges.macro, tail);
  add_line(out, judge, EE_STR("(weighted)"), NULL, split, &ranges.weighted, tail);
  if (total->fallbacks == 0) return;
  const ee_ranged none_of = {.interval = EE_NO_INTERVAL};
  const ee_ranged_averages none = {none_of, none_of, none_of};
  const char *text = ee_arena_printf(arena, "(greedy instead of optimal: %" PRIu64 ")", total->fallbacks);
  add_line(out, judge, ee_str_from(text), NULL, split, &none, tail);
}
