/* csv.c: quoting, and the table of attributes. */
#include "report/csv.h"

#include <inttypes.h>

#include "data/json/json_writer.h"

void ee_csv_add_text(ee_buffer *out, ee_str text) {
  bool quoted = false;
  for (size_t i = 0; i < text.length && !quoted; i++)
    quoted = text.data[i] == '"' || text.data[i] == ',' || text.data[i] == '\n' || text.data[i] == '\r';
  /* White space at the ends survives only inside quotes with many readers. */
  if (text.length > 0 && (text.data[0] == ' ' || text.data[text.length - 1] == ' ')) quoted = true;
  if (!quoted) {
    ee_buffer_add_str(out, text);
    return;
  }
  ee_buffer_add_char(out, '"');
  for (size_t i = 0; i < text.length; i++) {
    if (text.data[i] == '"') ee_buffer_add_char(out, '"');
    ee_buffer_add_char(out, text.data[i]);
  }
  ee_buffer_add_char(out, '"');
}

void ee_csv_add_metric(ee_buffer *out, ee_metric metric) {
  ee_buffer_add_char(out, ',');
  if (metric.defined) ee_json_write_number(out, metric.value);
}

/* `counts` NULL: an average that has none. */
static void add_line(ee_buffer *out, ee_str judge, ee_str attribute, const ee_counts *counts, bool split,
                     ee_averages metrics, const char *tail) {
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
  ee_csv_add_metric(out, metrics.precision);
  ee_csv_add_metric(out, metrics.recall);
  ee_csv_add_metric(out, metrics.f1);
  ee_buffer_add_char(out, ',');
  if (counts != NULL) ee_buffer_add_u64(out, counts->unread);
  ee_buffer_add_text(out, tail);
  ee_buffer_add_char(out, '\n');
}

void ee_csv_add_attributes(ee_buffer *out, ee_str judge, const ee_judge_total *total, bool split, const char *tail,
                           ee_arena *arena) {
  if (total->attribute_count == 0) return;
  size_t *order = EE_NEW_ARRAY(arena, size_t, total->attribute_count);
  ee_judge_total_rank(total, order);
  for (size_t i = 0; i < total->attribute_count; i++) {
    const ee_attribute_total *attribute = &total->attributes[order[i]];
    const ee_counts *counts = &attribute->counts;
    add_line(out, judge, attribute->name, counts, split,
             (ee_averages){ee_precision(counts), ee_recall(counts), ee_f1(counts)}, tail);
  }
  ee_judge_averages averages = ee_judge_total_averages(total);
  add_line(out, judge, EE_STR("(micro)"), &averages.pooled, split, averages.micro, tail);
  add_line(out, judge, EE_STR("(macro)"), NULL, split, averages.macro, tail);
  add_line(out, judge, EE_STR("(weighted)"), NULL, split, averages.weighted, tail);
  if (total->fallbacks == 0) return;
  const char *text = ee_arena_printf(arena, "(greedy instead of optimal: %" PRIu64 ")", total->fallbacks);
  add_line(out, judge, ee_str_from(text), NULL, split, (ee_averages){0}, tail);
}
