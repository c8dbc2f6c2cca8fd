/* merged_results.c: adding up rows, runs and merged results; their page, JSON and CSV. */
#include "report/merged_results.h"

#include <evalengine.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/hash_index.h"
#include "base/memory.h"
#include "report/csv.h"
#include "report/json_out.h"
#include "report/run_report.h"

void ee_merged_init(ee_merged_results *pool) {
  *pool = (ee_merged_results){0};
  ee_arena_init(&pool->arena, 0);
  pool->index.arena = &pool->arena;
}

void ee_merged_fini(ee_merged_results *pool) {
  for (size_t i = 0; i < pool->judge_count; i++) free(pool->judges[i].attributes);
  free(pool->judges);
  ee_arena_fini(&pool->arena);
  *pool = (ee_merged_results){0};
}

static ee_str copy_text(ee_merged_results *pool, ee_str text) {
  return (ee_str){ee_arena_copy(&pool->arena, text.data, text.length), text.length};
}

static uint64_t hash_name(ee_str name) { return ee_hash_bytes(name.data, name.length, 0); }

/* Judges and attributes by name ---------------------------------------------------------------- */

/* `split` is that of the rows or the run that is being added. */
static ee_merged_judge *judge_of(ee_merged_results *pool, ee_str name, ee_str type, bool split) {
  uint64_t hash = hash_name(name);
  ee_merged_judge *judge = NULL;
  size_t at = 0, number;
  while (judge == NULL && ee_hash_index_next(&pool->index, hash, &at, &number))
    if (ee_str_equal(pool->judges[number].name, name)) judge = &pool->judges[number];
  if (judge == NULL) {
    if (pool->judge_count == pool->judge_capacity) {
      pool->judge_capacity = pool->judge_capacity > 0 ? 2 * pool->judge_capacity : 8;
      pool->judges = ee_realloc(pool->judges, pool->judge_capacity, sizeof *pool->judges);
    }
    ee_hash_index_add(&pool->index, hash, pool->judge_count);
    judge = &pool->judges[pool->judge_count++];
    *judge = (ee_merged_judge){.name = copy_text(pool, name), .split = split, .index = {.arena = &pool->arena}};
  }
  if (judge->type.length == 0 && type.length > 0) judge->type = copy_text(pool, type);
  judge->split = judge->split && split;
  return judge;
}

static ee_attribute_total *attribute_find(const ee_merged_judge *judge, ee_str name, uint64_t hash) {
  size_t at = 0, number;
  while (ee_hash_index_next(&judge->index, hash, &at, &number))
    if (ee_str_equal(judge->attributes[number].name, name)) return &judge->attributes[number];
  return NULL;
}

static ee_attribute_total *attribute_of(ee_merged_results *pool, ee_merged_judge *judge, ee_str name) {
  uint64_t hash = hash_name(name);
  ee_attribute_total *found = attribute_find(judge, name, hash);
  if (found == NULL && !pool->part && judge->attribute_count >= EE_DATA_ATTRIBUTES) {
    name = EE_STR(EE_OTHER_NAME);
    hash = hash_name(name);
    found = attribute_find(judge, name, hash);
  }
  if (found != NULL) return found;
  if (judge->attribute_count == judge->attribute_capacity) {
    judge->attribute_capacity = judge->attribute_capacity > 0 ? 2 * judge->attribute_capacity : 16;
    judge->attributes = ee_realloc(judge->attributes, judge->attribute_capacity, sizeof *judge->attributes);
  }
  ee_hash_index_add(&judge->index, hash, judge->attribute_count);
  found = &judge->attributes[judge->attribute_count++];
  *found = (ee_attribute_total){.name = copy_text(pool, name)};
  return found;
}

static void add_attribute(ee_merged_results *pool, ee_merged_judge *judge, ee_str name, const ee_counts *counts,
                          bool derived) {
  ee_attribute_total *attribute = attribute_of(pool, judge, name);
  ee_counts_add(&attribute->counts, counts);
  attribute->derived = attribute->derived || derived;
}

static bool is_selected(ee_str selected, ee_str name) { return selected.data == NULL || ee_str_equal(selected, name); }

/* Adding -------------------------------------------------------------------------------------------------------------
 */

void ee_merged_add_row(ee_merged_results *pool, const ee_stored_row *row, ee_str judge) {
  pool->rows++;
  ee_sample_add(&pool->score, row->score);
  pool->verdicts[row->verdict]++;
  for (size_t i = 0; i < row->judge_count; i++) {
    const ee_stored_judge *stored = &row->judges[i];
    if (!is_selected(judge, stored->name)) continue;
    ee_merged_judge *to = judge_of(pool, stored->name, stored->type, false);
    if (stored->has_score) {
      ee_sample_add(&to->score, stored->score);
      to->verdicts[stored->verdict]++;
    }
    for (size_t k = 0; k < stored->attribute_count; k++) {
      const ee_stored_attribute *attribute = &stored->attributes[k];
      add_attribute(pool, to, attribute->name, &attribute->counts, attribute->derived);
    }
  }
}

static void add_verdicts(uint64_t to[3], const uint64_t from[3]) {
  for (size_t i = 0; i < 3; i++) to[i] += from[i];
}

static void add_attributes(ee_merged_results *pool, ee_merged_judge *judge, const ee_attribute_total *attributes,
                           size_t count) {
  for (size_t i = 0; i < count; i++)
    add_attribute(pool, judge, attributes[i].name, &attributes[i].counts, attributes[i].derived);
}

void ee_merged_merge(ee_merged_results *pool, const ee_merged_results *other) {
  pool->rows += other->rows;
  pool->unreadable += other->unreadable;
  pool->duplicates += other->duplicates;
  pool->has_dataset = pool->has_dataset || other->has_dataset;
  pool->cases += other->cases;
  pool->without_case += other->without_case;
  pool->without_row += other->without_row;
  pool->other_expected += other->other_expected;
  pool->recomputed = pool->recomputed || other->recomputed;
  pool->candidates_missing += other->candidates_missing;
  pool->candidates_unparseable += other->candidates_unparseable;
  pool->rule_errors += other->rule_errors;
  pool->provider_failures += other->provider_failures;
  ee_sample_merge(&pool->score, &other->score);
  add_verdicts(pool->verdicts, other->verdicts);
  for (size_t i = 0; i < other->judge_count; i++) {
    const ee_merged_judge *from = &other->judges[i];
    ee_merged_judge *to = judge_of(pool, from->name, from->type, from->split);
    ee_sample_merge(&to->score, &from->score);
    add_verdicts(to->verdicts, from->verdicts);
    add_attributes(pool, to, from->attributes, from->attribute_count);
  }
}

void ee_merged_add_totals(ee_merged_results *pool, const ee_totals *totals, ee_str judge) {
  pool->recomputed = true;
  pool->rows += totals->scored;
  pool->unreadable += totals->unreadable;
  pool->duplicates += totals->duplicates;
  pool->candidates_missing += totals->candidates_missing;
  pool->candidates_unparseable += totals->candidates_unparseable;
  pool->rule_errors += totals->rule_errors;
  pool->provider_failures += totals->provider_failures;
  ee_sample_merge(&pool->score, &totals->all.score);
  add_verdicts(pool->verdicts, totals->all.verdicts);
  for (size_t i = 0; i < totals->plan->judge_count; i++) {
    const ee_judge *compiled = totals->plan->judges[i];
    const ee_judge_total *from = &totals->all.judges[i];
    if (!is_selected(judge, compiled->name)) continue;
    ee_merged_judge *to =
        judge_of(pool, compiled->name, ee_str_from(compiled->type->name), ee_judge_splits_fp(compiled));
    ee_sample_merge(&to->score, &from->score);
    add_verdicts(to->verdicts, from->verdicts);
    add_attributes(pool, to, from->attributes, from->attribute_count);
  }
}

ee_judge_total ee_merged_judge_total(const ee_merged_judge *judge) {
  ee_judge_total total = {
      .score = judge->score, .attributes = judge->attributes, .attribute_count = judge->attribute_count};
  add_verdicts(total.verdicts, judge->verdicts);
  return total;
}

/* The page --------------------------------------------------------------------------------------- */

static void add_counts(ee_page *page, const ee_merged_results *pool) {
  uint64_t in_error = pool->unreadable + pool->duplicates;
  const ee_count rows[] = {
      {"read", pool->rows + in_error + pool->without_case, EE_INK_PLAIN, EE_COUNT_ALWAYS, NULL, NULL},
      {"pooled", pool->rows, EE_INK_PLAIN, EE_COUNT_ALWAYS, NULL, NULL},
      {"in error", in_error, EE_INK_RED, EE_COUNT_ALWAYS, NULL, NULL},
      {"unreadable", pool->unreadable, EE_INK_RED, EE_COUNT_NONZERO, "line could not be read",
       "lines could not be read"},
      {"duplicate ids", pool->duplicates, EE_INK_RED, EE_COUNT_NONZERO,
       "row has an id that was there before, and was left out",
       "rows have ids that were there before, and were left out"},
      {NULL, pool->without_case, EE_INK_PLAIN, EE_COUNT_NONZERO, "row has no case in the data set, and was left out",
       "rows have no case in the data set, and were left out"},
  };
  ee_page_counts(page, EE_MEDIUM_ALL, "rows      ", rows, sizeof rows / sizeof *rows, "");
  const ee_count cases[] = {
      {"cases", pool->cases, EE_INK_PLAIN, EE_COUNT_ALWAYS, NULL, NULL},
      {"without a row", pool->without_row, EE_INK_YELLOW, EE_COUNT_ALWAYS, "case of the data set has no row",
       "cases of the data set have no row"},
      {"rows without a case", pool->without_case, EE_INK_YELLOW, EE_COUNT_ALWAYS, NULL, NULL},
      {"rows of other expected values", pool->other_expected, EE_INK_YELLOW, EE_COUNT_NONZERO,
       "row was judged against another expected value than the data set has now",
       "rows were judged against other expected values than the data set has now"},
  };
  if (pool->has_dataset) ee_page_counts(page, EE_MEDIUM_ALL, "data set  ", cases, sizeof cases / sizeof *cases, "");
  if (!pool->recomputed) return;
  const ee_count candidates[] = {
      {"missing", pool->candidates_missing, EE_INK_YELLOW, EE_COUNT_ALWAYS, "row has no candidate",
       "rows have no candidate"},
      {"without JSON", pool->candidates_unparseable, EE_INK_YELLOW, EE_COUNT_ALWAYS, "candidate holds no JSON",
       "candidates hold no JSON"},
  };
  ee_page_counts(page, EE_MEDIUM_ALL, "candidates", candidates, 2, "");
  const ee_count rules[] = {
      {"errors", pool->rule_errors, EE_INK_RED, EE_COUNT_ALWAYS, "error was raised by the rules",
       "errors were raised by the rules"},
      {"no answer", pool->provider_failures, EE_INK_RED, EE_COUNT_NONZERO, "value got no answer from the provider",
       "values got no answer from the provider"},
  };
  ee_page_counts(page, EE_MEDIUM_ALL, "rules     ", rules, 2, "");
}

void ee_merged_page(const ee_merged_results *pool, ee_page *page) {
  ee_line_add(page, ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_TITLE),
              ee_cell_words(pool->recomputed ? "judged again" : "stored results", EE_INK_PLAIN));
  ee_str mean = ee_cell_mean(&page->arena, &pool->score, EE_INK_PLAIN).text;
  ee_line_addf(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_TITLE), EE_INK_PLAIN, "Mean score %.*s%s",
               EE_STR_ARG(mean), ee_margin_text(&page->arena, &pool->score));
  ee_page_space(page);
  ee_page_scores(page, (ee_scores){.count = pool->rows,
                                   .noun = "row",
                                   .suffix = pool->recomputed ? ", judged again" : "",
                                   .score = &pool->score,
                                   .verdicts = pool->verdicts});
  ee_page_space(page);
  add_counts(page, pool);
  for (size_t i = 0; i < pool->judge_count; i++) {
    const ee_merged_judge *judge = &pool->judges[i];
    ee_judge_total total = ee_merged_judge_total(judge);
    ee_page_space(page);
    ee_page_judge(page,
                  (ee_judge_heading){
                      .name = judge->name, .type = judge->type, .score = &judge->score, .verdicts = judge->verdicts});
    ee_page_attributes(page, &total, judge->split, true, EE_USUAL_LIMITS);
  }
}

/* JSON and CSV ----------------------------------------------------------------------------------- */

static void json_coverage(ee_json_out *json, const ee_merged_results *pool) {
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
  json_coverage(&json, pool);
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
