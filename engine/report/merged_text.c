/* merged_text.c: pooled rows for programs, and as a comment on a change. */
#include <evalengine.h>
#include <inttypes.h>

#include "report/json_out.h"
#include "report/markdown_parts.h"
#include "report/merged_results.h"

/* JSON --------------------------------------------------------------------------------------------------------------
 */

static void add_coverage(ee_json_out *json, const ee_merged_results *pool) {
  ee_json_add_count(json, "rows", pool->rows);
  ee_json_open(json, "errors", '{');
  ee_json_add_count(json, "unreadable", pool->unreadable);
  ee_json_add_count(json, "duplicate_ids", pool->duplicates);
  if (pool->recomputed) {
    ee_json_add_count(json, "rule_errors", pool->rule_errors);
    ee_json_add_count(json, "provider_failures", pool->provider_failures);
  }
  ee_json_close(json, '}');
  if (pool->has_dataset) {
    ee_json_open(json, "dataset", '{');
    ee_json_add_count(json, "cases", pool->cases);
    ee_json_add_count(json, "cases_without_row", pool->without_row);
    ee_json_add_count(json, "rows_without_case", pool->without_case);
    if (!pool->recomputed) ee_json_add_count(json, "rows_of_other_expected_values", pool->other_expected);
    ee_json_close(json, '}');
  }
  if (!pool->recomputed) return;
  ee_json_open(json, "candidates", '{');
  ee_json_add_count(json, "missing", pool->candidates_missing);
  ee_json_add_count(json, "without_json", pool->candidates_unparseable);
  ee_json_close(json, '}');
}

void ee_merged_json(const ee_merged_results *pool, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_json_out json = {.out = out, .arena = &arena, .first = true};
  ee_json_open(&json, NULL, '{');
  ee_json_add_count(&json, "schema", 1);
  ee_json_add_text(&json, "version", EE_STR(EE_VERSION));
  ee_json_add_bool(&json, "recomputed", pool->recomputed);
  add_coverage(&json, pool);
  ee_json_add_mean(&json, &pool->score);
  ee_json_add_verdicts(&json, pool->verdicts);
  ee_json_open(&json, "judges", '[');
  for (size_t i = 0; i < pool->judge_count; i++) {
    const ee_merged_judge *judge = &pool->judges[i];
    ee_judge_total total = ee_merged_judge_total(judge);
    ee_json_open(&json, NULL, '{');
    ee_json_add_text(&json, "name", judge->name);
    if (judge->type.length > 0) ee_json_add_text(&json, "type", judge->type);
    ee_json_add_mean(&json, &judge->score);
    ee_json_add_verdicts(&json, judge->verdicts);
    ee_json_add_attributes(&json, &total, judge->split);
    ee_json_close(&json, '}');
  }
  ee_json_close(&json, ']');
  ee_json_close(&json, '}');
  ee_buffer_add_char(out, '\n');
  ee_arena_fini(&arena);
}

/* Markdown ----------------------------------------------------------------------------------------------------------
 */

/* "- 2 cases of the data set have no row" */
static void add_note(ee_buffer *out, bool *any, uint64_t count, const char *one, const char *many) {
  if (count == 0) return;
  ee_buffer_addf(out, "%s- %" PRIu64 " %s\n", *any ? "" : "\n", count, count == 1 ? one : many);
  *any = true;
}

static void add_notes(ee_buffer *out, const ee_merged_results *pool) {
  bool any = false;
  add_note(out, &any, pool->unreadable, "line could not be read", "lines could not be read");
  add_note(out, &any, pool->duplicates, "row has an id that was there before, and was left out",
           "rows have ids that were there before, and were left out");
  add_note(out, &any, pool->without_case, "row has no case in the data set, and was left out",
           "rows have no case in the data set, and were left out");
  add_note(out, &any, pool->without_row, "case of the data set has no row", "cases of the data set have no row");
  add_note(out, &any, pool->other_expected, "row was judged against another expected value than the data set has now",
           "rows were judged against other expected values than the data set has now");
  add_note(out, &any, pool->candidates_missing, "row has no candidate", "rows have no candidate");
  add_note(out, &any, pool->candidates_unparseable, "candidate holds no JSON", "candidates hold no JSON");
  add_note(out, &any, pool->rule_errors, "error was raised by the rules", "errors were raised by the rules");
  add_note(out, &any, pool->provider_failures, "value got no answer from the provider",
           "values got no answer from the provider");
}

void ee_merged_markdown(const ee_merged_results *pool, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_markdown_out markdown = {out, &arena};
  ee_str mean = ee_markdown_mean(&arena, &pool->score);
  ee_buffer_addf(out, "## Mean score %.*s\n\n%" PRIu64 " row%s%s: ", (int)mean.length, mean.data, pool->rows,
                 pool->rows == 1 ? "" : "s", pool->recomputed ? ", judged again" : "");
  ee_markdown_verdicts(&markdown, pool->verdicts);
  ee_buffer_add_text(out, "\n");
  add_notes(out, pool);
  for (size_t i = 0; i < pool->judge_count; i++) {
    const ee_merged_judge *judge = &pool->judges[i];
    ee_judge_total total = ee_merged_judge_total(judge);
    ee_markdown_judge(&markdown, judge->name, judge->type, &judge->score, judge->verdicts);
    ee_markdown_attributes(&markdown, &total, judge->split, true);
  }
  ee_arena_fini(&arena);
}
