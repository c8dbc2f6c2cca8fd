/* merged_table.c: pooled rows for people and for spreadsheets. */
#include "report/csv.h"
#include "report/merged_results.h"
#include "report/table_parts.h"

static void add_plain(ee_layout *layout, const char *text) { ee_buffer_add_text(layout->out, text); }

static void add_coverage(ee_layout *layout, const ee_merged_results *pool) {
  add_plain(layout, "rows      ");
  uint64_t in_error = pool->unreadable + pool->duplicates;
  ee_table_figure(layout, "read", pool->rows + in_error + pool->without_case, EE_INK_PLAIN);
  ee_table_figure(layout, "pooled", pool->rows, EE_INK_PLAIN);
  ee_table_figure(layout, "in error", in_error, EE_INK_RED);
  if (pool->unreadable > 0) ee_table_figure(layout, "unreadable", pool->unreadable, EE_INK_RED);
  if (pool->duplicates > 0) ee_table_figure(layout, "duplicate ids", pool->duplicates, EE_INK_RED);
  ee_table_end_line(layout);
  if (pool->has_dataset) {
    add_plain(layout, "data set  ");
    ee_table_figure(layout, "cases", pool->cases, EE_INK_PLAIN);
    ee_table_figure(layout, "without a row", pool->without_row, EE_INK_YELLOW);
    ee_table_figure(layout, "rows without a case", pool->without_case, EE_INK_YELLOW);
    if (pool->other_expected > 0)
      ee_table_figure(layout, "rows of other expected values", pool->other_expected, EE_INK_YELLOW);
    ee_table_end_line(layout);
  }
  if (!pool->recomputed) return;
  add_plain(layout, "candidates");
  ee_table_figure(layout, "missing", pool->candidates_missing, EE_INK_YELLOW);
  ee_table_figure(layout, "without JSON", pool->candidates_unparseable, EE_INK_YELLOW);
  ee_table_end_line(layout);
  add_plain(layout, "rules     ");
  ee_table_figure(layout, "errors", pool->rule_errors, EE_INK_RED);
  if (pool->provider_failures > 0) ee_table_figure(layout, "no answer", pool->provider_failures, EE_INK_RED);
  ee_table_end_line(layout);
}

static void add_judge(ee_layout *layout, const ee_merged_judge *judge) {
  ee_judge_total total = ee_merged_judge_total(judge);
  ee_judge_heading heading = {
      .name = judge->name, .type = judge->type, .score = &judge->score, .verdicts = judge->verdicts};
  ee_table_end_line(layout);
  ee_table_judge_heading(layout, &heading);
  if (total.attribute_count > 0) ee_table_attributes(layout, &total, judge->split, true, EE_USUAL_LIMITS);
}

void ee_merged_table(const ee_merged_results *pool, ee_table_style style, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_layout layout = {out, &arena, style};
  add_plain(&layout, pool->recomputed ? "judged again" : "stored results");
  add_plain(&layout, "\n\n");
  ee_buffer_addf(out, "rows %llu  ", (unsigned long long)pool->rows);
  ee_table_scores(&layout, &pool->score, pool->verdicts);
  ee_table_end_line(&layout);
  add_coverage(&layout, pool);
  for (size_t i = 0; i < pool->judge_count; i++) add_judge(&layout, &pool->judges[i]);
  ee_arena_fini(&arena);
}

void ee_merged_csv(const ee_merged_results *pool, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer_add_text(out, EE_CSV_ATTRIBUTES_HEAD);
  for (size_t i = 0; i < pool->judge_count; i++) {
    const ee_merged_judge *judge = &pool->judges[i];
    ee_judge_total total = ee_merged_judge_total(judge);
    ee_csv_add_attributes(out, judge->name, &total, judge->split, &arena);
  }
  ee_arena_fini(&arena);
}
