/* merged_results.c: adding up rows, runs and merged results; their page, JSON and CSV. */
#include "report/merged_results.h"

#include <evalengine.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/hash_index.h"
#include "base/memory.h"
#include "judge/strategy/strategy.h"
#include "report/csv.h"
#include "report/json_out.h"
#include "report/legend.h"
#include "report/run_report.h"

void ee_merged_init(ee_merged_results *results) {
  *results = (ee_merged_results){0};
  ee_arena_init(&results->arena, 0);
  results->index.arena = &results->arena;
}

void ee_merged_fini(ee_merged_results *results) {
  for (size_t i = 0; i < results->judges.count; i++) EE_LIST_FINI(&results->judges.items[i].attributes);
  EE_LIST_FINI(&results->judges);
  for (size_t i = 0; i < results->measures.count; i++) ee_measure_total_fini(&results->measures.items[i].total);
  EE_LIST_FINI(&results->measures);
  ee_arena_fini(&results->arena);
  *results = (ee_merged_results){0};
}

static ee_str copy_text(ee_merged_results *results, ee_str text) {
  return (ee_str){ee_arena_copy(&results->arena, text.data, text.length), text.length};
}

static uint64_t hash_name(ee_str name) { return ee_hash_bytes(name.data, name.length, 0); }

/* Judges and attributes by name ----------------------------------------------------------------- */

/* Finds or adds. `split` is that of the rows or the run being added. */
static ee_merged_judge *judge_of(ee_merged_results *results, ee_str name, ee_str type, bool split) {
  uint64_t hash = hash_name(name);
  ee_merged_judge *judge = NULL;
  size_t at = 0, number;
  while (judge == NULL && ee_hash_index_next(&results->index, hash, &at, &number))
    if (ee_str_equal(results->judges.items[number].name, name)) judge = &results->judges.items[number];
  if (judge == NULL) {
    ee_hash_index_add(&results->index, hash, results->judges.count);
    judge = EE_LIST_ADD(&results->judges, NULL);
    *judge = (ee_merged_judge){.name = copy_text(results, name), .split = split, .index = {.arena = &results->arena}};
  }
  if (judge->type.length == 0 && type.length > 0) judge->type = copy_text(results, type);
  judge->split = judge->split && split;
  return judge;
}

static ee_attribute_total *attribute_find(const ee_merged_judge *judge, ee_str name, uint64_t hash) {
  size_t at = 0, number;
  while (ee_hash_index_next(&judge->index, hash, &at, &number))
    if (ee_str_equal(judge->attributes.items[number].name, name)) return &judge->attributes.items[number];
  return NULL;
}

static ee_attribute_total *attribute_of(ee_merged_results *results, ee_merged_judge *judge, ee_str name) {
  uint64_t hash = hash_name(name);
  ee_attribute_total *found = attribute_find(judge, name, hash);
  if (found == NULL && judge->attributes.count >= EE_DATA_ATTRIBUTES) {
    name = EE_STR(EE_OTHER_NAME);
    hash = hash_name(name);
    found = attribute_find(judge, name, hash);
  }
  if (found != NULL) return found;
  ee_hash_index_add(&judge->index, hash, judge->attributes.count);
  found = EE_LIST_ADD(&judge->attributes, NULL);
  *found = (ee_attribute_total){.name = copy_text(results, name)};
  return found;
}

static ee_attribute_total *add_attribute(ee_merged_results *results, ee_merged_judge *judge, ee_str name,
                                         const ee_counts *counts, bool derived) {
  ee_attribute_total *attribute = attribute_of(results, judge, name);
  ee_counts_add(&attribute->counts, counts);
  attribute->derived = attribute->derived || derived;
  return attribute;
}

/* Reads an entry of a row's `unread`; false where it is not one. Borrows from it. */
static bool read_unread(const ee_value *entry, ee_unread *unread) {
  const ee_value *field = ee_value_member(entry, EE_STR("field"), NULL);
  const ee_value *strategy = ee_value_member(entry, EE_STR("strategy"), NULL);
  const ee_value *document = ee_value_member(entry, EE_STR("document"), NULL);
  const ee_value *why = ee_value_member(entry, EE_STR("reason"), NULL);
  *unread = (ee_unread){.value = ee_value_member(entry, EE_STR("value"), NULL)};
  if (ee_type_of(field) != EE_STRING || ee_type_of(strategy) != EE_STRING || ee_type_of(document) != EE_STRING ||
      unread->value == NULL)
    return false;
  const ee_strategy_type *type = ee_strategy_type_find(ee_value_text(strategy));
  if (type == NULL || type->reads == NULL) return false;
  unread->strategy = type;
  unread->attribute = ee_value_text(field);
  unread->document =
      ee_str_is(ee_value_text(document), ee_document_side_name(EE_CANDIDATE)) ? EE_CANDIDATE : EE_EXPECTED;
  if (ee_type_of(why) == EE_STRING) unread->why = why->json.valuestring;
  const ee_value *remedy = ee_value_child(ee_value_member(entry, EE_STR("remedies"), NULL));
  for (; remedy != NULL && type->remedies != NULL; remedy = ee_value_next(remedy))
    for (unsigned i = 0; i < EE_REMEDY_LIMIT && type->remedies[i].option != NULL; i++)
      if (ee_type_of(remedy) == EE_STRING && ee_str_is(ee_value_text(remedy), type->remedies[i].option))
        unread->remedies |= UINT32_C(1) << i;
  return true;
}

/* The values that could not be read, as a judge's object in a row lists them. */
static void add_stored_unread(ee_merged_results *results, ee_merged_judge *judge, ee_str id, const ee_value *entry) {
  const ee_value *list = ee_value_member(ee_value_member(entry, EE_STR("details"), NULL), EE_STR("unread"), NULL);
  if (ee_type_of(list) != EE_ARRAY) return;
  ee_arena scratch;
  ee_buffer text;
  ee_arena_init(&scratch, 0);
  ee_buffer_init(&text);
  for (const ee_value *item = ee_value_child(list); item != NULL; item = ee_value_next(item)) {
    ee_unread unread;
    if (!read_unread(item, &unread)) continue;
    ee_attribute_total *total = attribute_of(results, judge, unread.attribute);
    ee_unread_total_add_value(&total->unread, &results->arena, &unread, id, &text, &scratch);
  }
  ee_buffer_fini(&text);
  ee_arena_fini(&scratch);
}

static bool is_selected(ee_str selected, ee_str name) { return selected.data == NULL || ee_str_equal(selected, name); }

/* Measures -------------------------------------------------------------------------------------- */

/* NULL beyond EE_MERGED_MEASURES. */
static ee_measure_total *measure_of(ee_merged_results *results, ee_str name) {
  for (size_t i = 0; i < results->measures.count; i++)
    if (ee_str_equal(results->measures.items[i].name, name)) return &results->measures.items[i].total;
  if (results->measures.count == EE_MERGED_MEASURES) return NULL;
  ee_merged_measure *added = EE_LIST_ADD(&results->measures, NULL);
  *added = (ee_merged_measure){.name = copy_text(results, name)};
  return &added->total;
}

static uint64_t correct_of(const ee_stored_row *row) {
  uint64_t correct = 0;
  for (size_t i = 0; i < row->judge_count; i++)
    for (size_t k = 0; k < row->judges[i].attribute_count; k++)
      if (!row->judges[i].attributes[k].derived) correct += row->judges[i].attributes[k].counts.tp;
  return correct;
}

static void add_measures(ee_merged_results *results, const ee_stored_row *row) {
  uint64_t correct = row->measure_count > 0 ? correct_of(row) : 0;
  for (size_t i = 0; i < row->measure_count; i++) {
    ee_measure_total *total = measure_of(results, row->measures[i].name);
    if (total != NULL) ee_measure_total_add(total, &row->measures[i], row->id, correct, &results->arena, NULL, NULL);
  }
}

const ee_named_measure *ee_merged_measures(const ee_merged_results *results, ee_arena *arena) {
  ee_named_measure *measures = EE_NEW_ARRAY(arena, ee_named_measure, results->measures.count);
  for (size_t i = 0; i < results->measures.count; i++) {
    ee_measure_total *total = EE_NEW(arena, ee_measure_total);
    *total = results->measures.items[i].total;
    if (!results->recomputed) total->missing = results->rows - total->values.total - total->not_numbers;
    measures[i] = (ee_named_measure){results->measures.items[i].name, total};
  }
  return measures;
}

/* Adding ---------------------------------------------------------------------------------------- */

void ee_merged_add_row(ee_merged_results *results, const ee_stored_row *row, ee_str judge) {
  results->rows++;
  results->unscored += row->unscored;
  if (!row->unscored) {
    ee_sample_add(&results->score, row->score);
    ee_score_bins_add(&results->bins, row->score);
    results->verdicts[row->verdict]++;
  }
  for (size_t i = 0; i < row->judge_count; i++) {
    const ee_stored_judge *stored = &row->judges[i];
    if (!is_selected(judge, stored->name)) continue;
    ee_merged_judge *to = judge_of(results, stored->name, stored->type, false);
    to->failed += stored->in_error;
    if (stored->has_score) {
      ee_sample_add(&to->score, stored->score);
      to->verdicts[stored->verdict]++;
    }
    for (size_t k = 0; k < stored->attribute_count; k++) {
      const ee_stored_attribute *attribute = &stored->attributes[k];
      add_attribute(results, to, attribute->name, &attribute->counts, attribute->derived);
    }
    add_stored_unread(results, to, row->id, stored->entry);
  }
  add_measures(results, row);
}

static void add_verdicts(uint64_t to[3], const uint64_t from[3]) {
  for (size_t i = 0; i < 3; i++) to[i] += from[i];
}

static void add_attributes(ee_merged_results *results, ee_merged_judge *judge, const ee_attribute_total *attributes,
                           size_t count) {
  for (size_t i = 0; i < count; i++) {
    ee_attribute_total *added =
        add_attribute(results, judge, attributes[i].name, &attributes[i].counts, attributes[i].derived);
    ee_unread_total_merge(&added->unread, &results->arena, attributes[i].unread);
  }
}

void ee_merged_add_totals(ee_merged_results *results, const ee_totals *totals, ee_str judge) {
  results->recomputed = true;
  results->rows += totals->scored;
  results->unscored += totals->unscored;
  results->unreadable += totals->unreadable;
  results->duplicates += totals->duplicates;
  results->candidates_missing += totals->candidates_missing;
  results->candidates_unparseable += totals->candidates_unparseable;
  results->rule_errors += totals->rule_errors;
  results->provider_failures += totals->provider_failures;
  ee_sample_merge(&results->score, &totals->all.score);
  ee_score_bins_merge(&results->bins, &totals->all.bins);
  add_verdicts(results->verdicts, totals->all.verdicts);
  for (size_t i = 0; i < totals->plan->judge_count; i++) {
    const ee_judge *compiled = totals->plan->judges[i];
    const ee_judge_total *from = &totals->all.judges[i];
    if (!is_selected(judge, compiled->name)) continue;
    ee_merged_judge *to =
        judge_of(results, compiled->name, ee_str_from(compiled->type->name), ee_judge_splits_fp(compiled));
    to->failed += from->failed;
    ee_sample_merge(&to->score, &from->score);
    add_verdicts(to->verdicts, from->verdicts);
    add_attributes(results, to, from->attributes, from->attribute_count);
  }
  for (size_t i = 0; i < totals->plan->measure_count; i++) {
    ee_measure_total *measure = measure_of(results, totals->plan->measures[i]->text);
    if (measure != NULL) ee_measure_total_merge(measure, &totals->all.measures[i], &results->arena);
  }
}

/* A judge as the functions of totals.h take it. Borrows from `judge`. */
static ee_judge_total total_of(const ee_merged_judge *judge) {
  ee_judge_total total = {.score = judge->score,
                          .failed = judge->failed,
                          .attributes = judge->attributes.items,
                          .attribute_count = judge->attributes.count};
  add_verdicts(total.verdicts, judge->verdicts);
  return total;
}

/* The page -------------------------------------------------------------------------------------- */

static void add_counts(ee_page *page, const ee_merged_results *results) {
  uint64_t in_error = results->unreadable + results->duplicates;
  const ee_count rows[] = {
      {"read", results->rows + in_error + results->without_case, EE_INK_PLAIN, EE_COUNT_ALWAYS, NULL, NULL},
      {"merged", results->rows, EE_INK_PLAIN, EE_COUNT_ALWAYS, NULL, NULL},
      {"in error", in_error, EE_INK_RED, EE_COUNT_ALWAYS, NULL, NULL},
      {"unreadable", results->unreadable, EE_INK_RED, EE_COUNT_NONZERO, "line could not be read",
       "lines could not be read"},
      {"without a score", results->unscored, EE_INK_YELLOW, EE_COUNT_NONZERO,
       "row has no score because of its expected values", "rows have no score because of their expected values"},
      {"duplicate ids", results->duplicates, EE_INK_RED, EE_COUNT_NONZERO, "row has an id seen before and was left out",
       "rows have ids seen before and were left out"},
      {NULL, results->without_case, EE_INK_PLAIN, EE_COUNT_NONZERO, "row has no case in the data set and was left out",
       "rows have no case in the data set and were left out"},
  };
  ee_page_counts(page, EE_MEDIUM_ALL, "rows      ", rows, sizeof rows / sizeof *rows, "");
  const ee_count cases[] = {
      {"cases", results->cases, EE_INK_PLAIN, EE_COUNT_ALWAYS, NULL, NULL},
      {"without a row", results->without_row, EE_INK_YELLOW, EE_COUNT_ALWAYS, "case of the data set has no row",
       "cases of the data set have no row"},
      {"rows without a case", results->without_case, EE_INK_YELLOW, EE_COUNT_ALWAYS, NULL, NULL},
      {"rows judged against other expected values", results->other_expected, EE_INK_YELLOW, EE_COUNT_NONZERO,
       "row was judged against another expected value than the data set has now",
       "rows were judged against other expected values than the data set has now"},
  };
  if (results->has_dataset) ee_page_counts(page, EE_MEDIUM_ALL, "data set  ", cases, sizeof cases / sizeof *cases, "");
  if (!results->recomputed) return;
  const ee_count candidates[] = {
      {"missing", results->candidates_missing, EE_INK_YELLOW, EE_COUNT_ALWAYS, "row has no candidate",
       "rows have no candidate"},
      {"without JSON", results->candidates_unparseable, EE_INK_YELLOW, EE_COUNT_ALWAYS, "candidate contains no JSON",
       "candidates contain no JSON"},
  };
  ee_page_counts(page, EE_MEDIUM_ALL, "candidates", candidates, 2, "");
  const ee_count rules[] = {
      {"errors", results->rule_errors, EE_INK_RED, EE_COUNT_ALWAYS, "error was raised by the rules",
       "errors were raised by the rules"},
      {"no answer", results->provider_failures, EE_INK_RED, EE_COUNT_NONZERO, "value got no answer from the provider",
       "values got no answer from the provider"},
  };
  ee_page_counts(page, EE_MEDIUM_ALL, "rules     ", rules, 2, "");
}

void ee_merged_page(const ee_merged_results *results, ee_page *page) {
  ee_line_add(page, ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_TITLE),
              ee_cell_words(results->recomputed ? "judged again" : "stored results", EE_INK_PLAIN));
  ee_str mean = ee_cell_mean(&page->arena, &results->score, EE_INK_PLAIN).text;
  ee_line_addf(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_TITLE), EE_INK_PLAIN, "Mean score %.*s%s",
               EE_STR_ARG(mean), ee_margin_text(&page->arena, &results->score));
  ee_page_space(page);
  ee_page_scores(page, (ee_scores){.count = results->score.count,
                                   .noun = "row",
                                   .suffix = results->recomputed ? ", judged again" : "",
                                   .score = &results->score,
                                   .bins = &results->bins,
                                   .verdicts = results->verdicts});
  ee_page_part(page, "counts");
  ee_page_space(page);
  add_counts(page, results);
  for (size_t i = 0; i < results->judges.count; i++) {
    const ee_merged_judge *judge = &results->judges.items[i];
    ee_judge_total total = total_of(judge);
    ee_page_section(page, judge->name);
    ee_page_space(page);
    const ee_count in_error = {"in error",
                               judge->failed,
                               EE_INK_RED,
                               EE_COUNT_NONZERO,
                               "row in which the judge failed",
                               "rows in which the judge failed"};
    ee_page_judge(page, (ee_judge_heading){.name = judge->name,
                                           .type = judge->type,
                                           .score = &judge->score,
                                           .verdicts = judge->verdicts,
                                           .counts = &in_error,
                                           .count = 1});
    ee_page_part(page, "attributes");
    ee_page_attributes(page, &total, judge->split, true, EE_USUAL_LIMITS);
    ee_misfit_list misfits = ee_misfits_of(NULL, &total, true, &page->arena);
    ee_page_misfits(page, EE_MEDIUM_ALL, &misfits);
  }
  ee_measures_page(ee_merged_measures(results, &page->arena), results->measures.count, page);
  if (results->sliced != NULL) ee_run_slices_page(results->plan, results->sliced, page);
  ee_summaries_page(&results->summaries, page);
  ee_legend_page(results->plan, page);
}

/* JSON and CSV ---------------------------------------------------------------------------------- */

static void json_coverage(ee_json_out *json, const ee_merged_results *results) {
  ee_json_add_count(json, "rows", results->rows);
  if (results->unscored > 0) ee_json_add_count(json, "unscored", results->unscored);
  ee_json_open(json, "errors", '{');
  ee_json_add_count(json, "unreadable", results->unreadable);
  ee_json_add_count(json, "duplicate_ids", results->duplicates);
  if (results->recomputed) {
    ee_json_add_count(json, "rule_errors", results->rule_errors);
    ee_json_add_count(json, "provider_failures", results->provider_failures);
  }
  ee_json_close(json, '}');
  if (results->has_dataset) {
    ee_json_open(json, "dataset", '{');
    ee_json_add_count(json, "cases", results->cases);
    ee_json_add_count(json, "cases_without_row", results->without_row);
    ee_json_add_count(json, "rows_without_case", results->without_case);
    if (!results->recomputed) ee_json_add_count(json, "rows_of_other_expected_values", results->other_expected);
    ee_json_close(json, '}');
  }
  if (!results->recomputed) return;
  ee_json_open(json, "candidates", '{');
  ee_json_add_count(json, "missing", results->candidates_missing);
  ee_json_add_count(json, "without_json", results->candidates_unparseable);
  ee_json_close(json, '}');
}

void ee_merged_json(const ee_merged_results *results, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_json_out json = {.out = out, .arena = &arena, .first = true};
  ee_json_open(&json, NULL, '{');
  ee_json_add_count(&json, "schema", 1);
  ee_json_add_text(&json, "version", EE_STR(EE_VERSION));
  ee_json_add_bool(&json, "recomputed", results->recomputed);
  json_coverage(&json, results);
  ee_json_add_mean(&json, &results->score);
  ee_json_add_verdicts(&json, results->verdicts);
  ee_measures_json(ee_merged_measures(results, &arena), results->measures.count, &json);
  ee_json_open(&json, "judges", '[');
  for (size_t i = 0; i < results->judges.count; i++) {
    const ee_merged_judge *judge = &results->judges.items[i];
    ee_judge_total total = total_of(judge);
    ee_json_open(&json, NULL, '{');
    ee_json_add_text(&json, "name", judge->name);
    if (judge->type.length > 0) ee_json_add_text(&json, "type", judge->type);
    ee_json_add_mean(&json, &judge->score);
    ee_json_add_verdicts(&json, judge->verdicts);
    if (judge->failed > 0) ee_json_add_count(&json, "in_error", judge->failed);
    ee_misfit_list misfits = ee_misfits_of(NULL, &total, true, &arena);
    ee_json_add_misfits(&json, &misfits);
    ee_json_add_attributes(&json, &total, judge->split);
    ee_json_close(&json, '}');
  }
  ee_json_close(&json, ']');
  if (results->sliced != NULL) ee_run_slices_json(results->plan, results->sliced, &json);
  ee_summaries_json(&results->summaries, &json);
  ee_json_close(&json, '}');
  ee_buffer_add_char(out, '\n');
  ee_arena_fini(&arena);
}

void ee_merged_csv(const ee_merged_results *results, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  bool any = results->measures.count > 0;
  size_t start = out->length;
  ee_buffer_add_text(out, EE_CSV_ATTRIBUTES_HEAD);
  ee_buffer_add_text(out, any ? EE_CSV_MEASURES_HEAD "\n" : "\n");
  for (size_t i = 0; i < results->judges.count; i++) {
    const ee_merged_judge *judge = &results->judges.items[i];
    ee_judge_total total = total_of(judge);
    ee_csv_add_attributes(out, judge->name, &total, judge->split, any ? EE_CSV_NO_MEASURES : "", &arena);
  }
  ee_measures_csv(ee_merged_measures(results, &arena), results->measures.count, out);
  ee_summaries_csv(&results->summaries, start, out);
  ee_arena_fini(&arena);
}
