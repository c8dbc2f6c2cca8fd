/* csv.c: the table of attributes for spreadsheets, as RFC 4180 says, but for plain newlines.
 *
 * It is one table of counts and what follows from them, so what judges measure besides (rqs, completeness) is left out:
 * in these columns it would be something else than what stands above. The JSON summary has it. */
#include <inttypes.h>

#include "data/json_writer.h"
#include "report/summary.h"

/* A text, in quotes where a reader would take it apart otherwise. */
static void add_text(ee_buffer *out, ee_str text) {
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

static void add_metric(ee_buffer *out, ee_metric metric) {
  ee_buffer_add_char(out, ',');
  if (metric.defined) ee_json_write_number(out, metric.value);
}

/* `counts` NULL: an average that has none. */
static void add_line(ee_buffer *out, const ee_judge *judge, ee_str attribute, const ee_counts *counts,
                     ee_averages metrics) {
  add_text(out, judge->name);
  ee_buffer_add_char(out, ',');
  add_text(out, attribute);
  if (counts != NULL) {
    ee_buffer_addf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", counts->tp, counts->tn, counts->fp,
                   counts->fn);
    if (ee_judge_splits_fp(judge)) ee_buffer_add_u64(out, counts->wrong);
  } else {
    ee_buffer_add_text(out, ",,,,,");
  }
  add_metric(out, metrics.precision);
  add_metric(out, metrics.recall);
  add_metric(out, metrics.f1);
  ee_buffer_add_text(out, "\n");
}

static void add_judge(ee_buffer *out, const ee_judge *judge, const ee_judge_total *total, ee_arena *arena) {
  if (total->attribute_count == 0) return;
  size_t *order = EE_NEW_ARRAY(arena, size_t, total->attribute_count);
  ee_judge_total_rank(total, order);
  for (size_t i = 0; i < total->attribute_count; i++) {
    const ee_attribute_total *attribute = &total->attributes[order[i]];
    const ee_counts *counts = &attribute->counts;
    add_line(out, judge, attribute->name, counts,
             (ee_averages){ee_precision(counts), ee_recall(counts), ee_f1(counts)});
  }
  ee_judge_averages averages = ee_judge_total_averages(total);
  add_line(out, judge, EE_STR("(micro)"), &averages.pooled, averages.micro);
  add_line(out, judge, EE_STR("(macro)"), NULL, averages.macro);
  add_line(out, judge, EE_STR("(weighted)"), NULL, averages.weighted);
  if (total->fallbacks == 0) return;
  const char *text = ee_arena_printf(arena, "(greedy instead of optimal: %" PRIu64 ")", total->fallbacks);
  add_line(out, judge, ee_str_from(text), NULL, (ee_averages){0});
}

void ee_summary_csv(const ee_summary *summary, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer_add_text(out, "judge,attribute,tp,tn,fp,fn,wrong,precision,recall,f1\n");
  for (size_t i = 0; i < summary->plan->judge_count; i++)
    add_judge(out, summary->plan->judges[i], &summary->totals->all.judges[i], &arena);
  ee_arena_fini(&arena);
}
