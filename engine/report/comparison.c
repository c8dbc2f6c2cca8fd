/* comparison.c: what is kept of the rows of two runs, which cases they share, what became of each case and each field,
 * and the notes that a reader needs.
 *
 * Names and counts are kept once and referred to by number, so that an attribute of a row takes 8 bytes. Fields are
 * compared in two walks over the cases: the first finds out which attributes are fields of both runs, the second
 * compares them. */
#include "report/comparison.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/hash_index.h"
#include "base/memory.h"
#include "prim/ratio_interval.h"
#include "prim/sort.h"
#include "prim/statistics.h"
#include "report/comparison_parts.h"

/* Ids that are named in a message, and bytes of each. */
#define IDS_NAMED 3
#define ID_SHOWN 40
/* Judges and fields named in a note. */
#define NAMES_NOTED 5
/* A run with a longer name is called "the base" or "the new run" in messages. */
#define NAME_SHOWN 60

/* Numbers --------------------------------------------------------------------------------------- */

static ee_str copy(ee_comparison *comparison, ee_str text) {
  if (text.length == 0) return EE_STR("");
  return (ee_str){ee_arena_copy(&comparison->arena, text.data, text.length), text.length};
}

/* EE_NO_NUMBER beyond EE_COMPARED_JUDGES. */
static uint32_t number_judge(ee_comparison *comparison, const ee_stored_judge *judge) {
  uint64_t hash = ee_hash_bytes(judge->name.data, judge->name.length, 0);
  size_t at = 0, found;
  while (ee_hash_index_next(&comparison->judge_index, hash, &at, &found))
    if (ee_str_equal(comparison->known_judges.items[found].name, judge->name)) return (uint32_t)found;
  if (comparison->known_judges.count == EE_COMPARED_JUDGES) {
    if (comparison->left_out.data == NULL) comparison->left_out = copy(comparison, judge->name);
    return EE_NO_NUMBER;
  }
  size_t number = comparison->known_judges.count;
  *EE_LIST_ADD(&comparison->known_judges, NULL) =
      (ee_known_judge){.name = copy(comparison, judge->name), .type = copy(comparison, judge->type)};
  ee_hash_index_add(&comparison->judge_index, hash, number);
  return (uint32_t)number;
}

static bool is_full(const ee_comparison *comparison, uint32_t judge) {
  return comparison->known_attributes.count >= EE_COMPARED_FIELDS ||
         comparison->known_judges.items[judge].attributes >= EE_DATA_ATTRIBUTES;
}

/* Derived if any row says so. EE_NO_NUMBER for one that shares EE_OTHER_NAME. */
static uint32_t number_attribute(ee_comparison *comparison, uint32_t judge, const ee_stored_attribute *attribute) {
  uint64_t hash = ee_hash_bytes(attribute->name.data, attribute->name.length, judge);
  size_t at = 0, found;
  while (ee_hash_index_next(&comparison->attribute_index, hash, &at, &found)) {
    ee_known_attribute *known = &comparison->known_attributes.items[found];
    if (known->judge != judge || !ee_str_equal(known->name, attribute->name)) continue;
    known->derived |= attribute->derived;
    return (uint32_t)found;
  }
  if (is_full(comparison, judge) && !ee_str_is(attribute->name, EE_OTHER_NAME)) return EE_NO_NUMBER;
  size_t number = comparison->known_attributes.count;
  comparison->known_judges.items[judge].attributes++;
  *EE_LIST_ADD(&comparison->known_attributes, NULL) =
      (ee_known_attribute){copy(comparison, attribute->name), judge, attribute->derived};
  ee_hash_index_add(&comparison->attribute_index, hash, number);
  return (uint32_t)number;
}

static bool is_equal(const ee_counts *a, const ee_counts *b) {
  return a->tp == b->tp && a->tn == b->tn && a->fp == b->fp && a->fn == b->fn;
}

uint32_t ee_comparison_number_counts(ee_comparison *comparison, const ee_counts *counts) {
  uint64_t hash = ee_hash_mix(ee_hash_mix(ee_hash_mix(counts->tp * 31 + counts->tn) + counts->fp) + counts->fn);
  size_t at = 0, found;
  while (ee_hash_index_next(&comparison->counts_index, hash, &at, &found))
    if (is_equal(&comparison->known_counts.items[found], counts)) return (uint32_t)found;
  size_t number = comparison->known_counts.count;
  *EE_LIST_ADD(&comparison->known_counts, NULL) = *counts;
  ee_hash_index_add(&comparison->counts_index, hash, number);
  return (uint32_t)number;
}

/* Rows ------------------------------------------------------------------------------------------ */

static uint64_t hash_id(ee_str id) { return ee_hash_bytes(id.data, id.length, 0); }

uint32_t ee_run_find(const ee_run_rows *run, ee_str id) {
  uint64_t hash = hash_id(id);
  size_t at = 0, found;
  while (ee_hash_index_next(&run->ids, hash, &at, &found))
    if (ee_str_equal(run->rows.items[found].id, id) && !run->rows.items[found].averaged) return (uint32_t)found;
  return EE_NO_NUMBER;
}

const ee_row_judge *ee_run_judge(const ee_run_rows *run, const ee_run_row *row, uint32_t judge) {
  for (uint32_t i = 0; i < row->judge_count; i++) {
    const ee_row_judge *one = &run->judges.items[row->first_judge + i];
    if (one->judge == judge) return one;
  }
  return NULL;
}

static void add_judge(ee_comparison *comparison, ee_run_rows *run, const ee_stored_judge *judge) {
  ee_row_judge kept = {.score = judge->has_score ? judge->score : NAN,
                       .first = run->attributes.count,
                       .judge = number_judge(comparison, judge)};
  if (kept.judge == EE_NO_NUMBER) return;
  EE_LIST_RESERVE(&run->attributes, NULL, judge->attribute_count);
  ee_stored_attribute others = {.name = EE_STR(EE_OTHER_NAME)};
  bool any_others = false;
  for (size_t i = 0; i < judge->attribute_count; i++) {
    const ee_stored_attribute *attribute = &judge->attributes[i];
    uint32_t number = EE_NO_NUMBER;
    if (!ee_str_is(attribute->name, EE_OTHER_NAME)) number = number_attribute(comparison, kept.judge, attribute);
    if (number == EE_NO_NUMBER) {
      ee_counts_add(&others.counts, &attribute->counts);
      others.derived |= attribute->derived;
      any_others = true;
      continue;
    }
    *EE_LIST_ADD(&run->attributes, NULL) =
        (ee_row_attribute){number, ee_comparison_number_counts(comparison, &attribute->counts)};
  }
  if (any_others)
    *EE_LIST_ADD(&run->attributes, NULL) = (ee_row_attribute){number_attribute(comparison, kept.judge, &others),
                                                              ee_comparison_number_counts(comparison, &others.counts)};
  kept.count = (uint32_t)(run->attributes.count - kept.first);
  ee_comparison_keep_values(comparison, run, &kept, judge);
  *EE_LIST_ADD(&run->judges, NULL) = kept;
}

bool ee_run_measure(const ee_run_rows *run, const ee_run_row *row, uint32_t measure, double *value) {
  for (uint32_t i = 0; i < row->measure_count; i++) {
    const ee_row_measure *one = &run->measures.items[row->first_measure + i];
    if (one->measure != measure) continue;
    *value = one->value;
    return true;
  }
  return false;
}

static void add_measure(ee_comparison *comparison, ee_run_rows *run, const ee_measure_value *measure) {
  uint32_t number = 0;
  while (number < comparison->known_measures.count &&
         !ee_str_equal(comparison->known_measures.items[number], measure->name))
    number++;
  if (number == EE_COMPARED_MEASURES || measure->state != EE_MEASURE_READ) return;
  if (number == comparison->known_measures.count)
    *EE_LIST_ADD(&comparison->known_measures, NULL) = copy(comparison, measure->name);
  *EE_LIST_ADD(&run->measures, NULL) = (ee_row_measure){number, measure->value};
}

/* EE_NO_NUMBER beyond EE_COMPARED_SLICES. */
static uint32_t number_slice(ee_comparison *comparison, ee_str path, ee_str value) {
  uint64_t hash = ee_hash_bytes(value.data, value.length, ee_hash_bytes(path.data, path.length, 0));
  size_t at = 0, found;
  while (ee_hash_index_next(&comparison->slice_index, hash, &at, &found)) {
    const ee_known_slice *known = &comparison->known_slices.items[found];
    if (ee_str_equal(known->path, path) && ee_str_equal(known->value, value)) return (uint32_t)found;
  }
  size_t number = comparison->known_slices.count;
  if (number == EE_COMPARED_SLICES) {
    comparison->slices_left_out = true;
    return EE_NO_NUMBER;
  }
  size_t first = 0;
  while (first < number && !ee_str_equal(comparison->known_slices.items[first].path, path)) first++;
  *EE_LIST_ADD(&comparison->known_slices, NULL) =
      (ee_known_slice){copy(comparison, path), copy(comparison, value), first};
  ee_hash_index_add(&comparison->slice_index, hash, number);
  return (uint32_t)number;
}

static void add_slices(ee_comparison *comparison, ee_run_rows *run, const ee_value *slices) {
  if (ee_type_of(slices) != EE_OBJECT) return;
  for (const ee_value *path = ee_value_child(slices); path != NULL; path = ee_value_next(path)) {
    if (ee_type_of(path) != EE_ARRAY) continue;
    for (const ee_value *value = ee_value_child(path); value != NULL; value = ee_value_next(value)) {
      if (ee_type_of(value) != EE_STRING) continue;
      uint32_t number = number_slice(comparison, ee_value_key(path), ee_value_text(value));
      if (number != EE_NO_NUMBER) *EE_LIST_ADD(&run->slices, NULL) = number;
    }
  }
}

/* Trials of one id are one unit. Clusters and ids are kept apart by the seed. */
static uint64_t hash_unit(const ee_stored_row *row) {
  if (row->cluster.data != NULL) return ee_hash_bytes(row->cluster.data, row->cluster.length, 1);
  return hash_id(row->trial.data != NULL ? row->base : row->id);
}

/* Rows of one run may have clusters where those of the other have none. */
uint64_t ee_comparison_unit(const ee_compared_case *item) {
  return item->base->shares_unit || !item->fresh->shares_unit ? item->base->unit : item->fresh->unit;
}

bool ee_comparison_add(ee_comparison *comparison, ee_side side, const ee_stored_row *row) {
  ee_run_rows *run = &comparison->runs[side];
  if (ee_run_find(run, row->id) != EE_NO_NUMBER) {
    run->duplicates++;
    return false;
  }
  size_t number = run->rows.count;
  *EE_LIST_ADD(&run->rows, NULL) =
      (ee_run_row){.id = copy(comparison, row->id),
                   .base = row->trial.data != NULL ? copy(comparison, row->base) : (ee_str){0},
                   .expected_hash = row->expected_hash,
                   .score = row->score,
                   .first_judge = run->judges.count,
                   .first_measure = run->measures.count,
                   .first_slice = run->slices.count,
                   .unit = hash_unit(row),
                   .shares_unit = row->cluster.data != NULL || row->trial.data != NULL,
                   .has_hash = row->has_hash,
                   .rules_hash = row->rules_hash,
                   .has_rules_hash = row->has_rules_hash,
                   .unscored = row->unscored,
                   .has_corrections = row->has_corrections,
                   .straight_through = row->corrections.straight_through,
                   .verdict = row->verdict,
                   .line = row->line};
  ee_hash_index_add(&run->ids, hash_id(row->id), number);
  for (size_t i = 0; i < row->judge_count; i++) add_judge(comparison, run, &row->judges[i]);
  ee_run_row *kept = &run->rows.items[number];
  kept->judge_count = (uint32_t)(run->judges.count - kept->first_judge);
  for (size_t i = 0; i < row->measure_count; i++) add_measure(comparison, run, &row->measures[i]);
  kept->measure_count = (uint32_t)(run->measures.count - kept->first_measure);
  add_slices(comparison, run, row->slices);
  kept->slice_count = (uint32_t)(run->slices.count - kept->first_slice);
  return true;
}

void ee_comparison_add_skipped(ee_comparison *comparison, ee_side side, uint64_t unreadable, uint64_t duplicates) {
  comparison->runs[side].unreadable += unreadable;
  comparison->runs[side].duplicates += duplicates;
}

const char *ee_comparison_name(const ee_comparison *comparison, ee_side side) {
  const char *name = comparison->options.names[side];
  return name != NULL ? name : side == EE_SIDE_BASE ? "base" : "new";
}

/* Joining --------------------------------------------------------------------------------------- */

/* The texts of the data in a sentence: the first `max` of them, then "...". */
typedef struct naming {
  ee_arena *arena;
  ee_buffer text;
  uint64_t count;
  size_t max;
} naming;

static void name_one(naming *names, ee_str text) {
  if (names->count++ >= names->max) return;
  int length = (int)ee_utf8_cut(text, ID_SHOWN);
  ee_buffer_addf(&names->text, "%s'%.*s%s'", names->count > 1 ? ", " : "", length, text.data,
                 (size_t)length < text.length ? "..." : "");
}

static const char *names_of(naming *names) {
  if (names->count > names->max) ee_buffer_add_text(&names->text, ", ...");
  const char *text = ee_arena_printf(names->arena, "%s", ee_buffer_terminate(&names->text));
  ee_buffer_fini(&names->text);
  return text;
}

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

static const char *short_name(ee_comparison *comparison, ee_side side) {
  const char *name = ee_comparison_name(comparison, side);
  if (comparison->options.names[side] != NULL && strlen(name) <= NAME_SHOWN)
    return ee_arena_printf(&comparison->arena, "'%s'", name);
  return side == EE_SIDE_BASE ? "the base" : "the new run";
}

static bool has_other_expected(const ee_compared_case *item) {
  return item->base->has_hash && item->fresh->has_hash && item->base->expected_hash != item->fresh->expected_hash;
}

static bool has_other_rules(const ee_compared_case *item) {
  return item->base->has_rules_hash && item->fresh->has_rules_hash && item->base->rules_hash != item->fresh->rules_hash;
}

static void join(ee_comparison *comparison) {
  const ee_run_rows *base = &comparison->runs[EE_SIDE_BASE], *fresh = &comparison->runs[EE_SIDE_NEW];
  comparison->cases = ee_calloc(base->rows.count + 1, sizeof *comparison->cases);
  for (size_t i = 0; i < base->rows.count; i++) {
    uint32_t partner = ee_run_find(fresh, base->rows.items[i].id);
    if (partner == EE_NO_NUMBER || base->rows.items[i].averaged) continue;
    if (comparison->skipped != NULL && comparison->skipped[i]) {
      comparison->elsewhere++;
      continue;
    }
    if (base->rows.items[i].unscored || fresh->rows.items[partner].unscored) {
      comparison->unscored++;
      continue;
    }
    ee_compared_case *item = &comparison->cases[comparison->case_count++];
    *item = (ee_compared_case){.base = &base->rows.items[i], .fresh = &fresh->rows.items[partner]};
    comparison->other_expected += has_other_expected(item);
    comparison->other_rules += has_other_rules(item);
    comparison->on_trust += !item->base->has_hash || !item->fresh->has_hash;
  }
  uint64_t joined = comparison->case_count + comparison->unscored + comparison->elsewhere;
  comparison->lone[EE_SIDE_BASE] = base->rows.count - base->averaged - joined;
  comparison->lone[EE_SIDE_NEW] = fresh->rows.count - fresh->averaged - joined;
}

/* "2 ids are only in 'base.jsonl' ('a', 'b')" */
static const char *lone_ids_text(ee_comparison *comparison, ee_side side) {
  const ee_run_rows *run = &comparison->runs[side], *other = &comparison->runs[!side];
  uint64_t count = comparison->lone[side];
  naming names = {.arena = &comparison->arena, .max = IDS_NAMED};
  for (size_t i = 0; i < run->rows.count && names.count <= names.max; i++)
    if (!run->rows.items[i].averaged && ee_run_find(other, run->rows.items[i].id) == EE_NO_NUMBER)
      name_one(&names, run->rows.items[i].id);
  return ee_arena_printf(&comparison->arena, "%" PRIu64 " id%s only in %s (%s)", count, count == 1 ? " is" : "s are",
                         short_name(comparison, side), names_of(&names));
}

static const char *other_expected_text(ee_comparison *comparison) {
  uint64_t count = comparison->other_expected;
  naming names = {.arena = &comparison->arena, .max = IDS_NAMED};
  for (size_t i = 0; i < comparison->case_count && names.count <= names.max; i++)
    if (has_other_expected(&comparison->cases[i])) name_one(&names, comparison->cases[i].base->id);
  return ee_arena_printf(&comparison->arena, "%" PRIu64 " id%s other expected values (%s)", count,
                         count == 1 ? " has" : "s have", names_of(&names));
}

/* How the data sets differ: at most three phrases. */
static size_t list_differences(ee_comparison *comparison, const char *parts[3]) {
  size_t count = 0;
  for (int side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++)
    if (comparison->lone[side] > 0) parts[count++] = lone_ids_text(comparison, (ee_side)side);
  if (comparison->other_expected > 0) parts[count++] = other_expected_text(comparison);
  return count;
}

static ee_status check_rows(ee_comparison *comparison, ee_error *error) {
  for (int side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++)
    if (comparison->runs[side].rows.count == 0)
      return ee_error_set(error, EE_ERROR_DATA, "no results in %s (an evaluation writes them with --results)",
                          short_name(comparison, (ee_side)side));
  return EE_OK;
}

static ee_status check_data(ee_comparison *comparison, ee_error *error) {
  const char *parts[3], *base = short_name(comparison, EE_SIDE_BASE), *fresh = short_name(comparison, EE_SIDE_NEW);
  size_t count = list_differences(comparison, parts);
  if (comparison->case_count == 0 && comparison->unscored > 0)
    return ee_error_set(error, EE_ERROR_DATA, "%s and %s have no case with a score in common", base, fresh);
  if (comparison->case_count == 0)
    return ee_error_set(error, EE_ERROR_DATA, "%s and %s have no id in common: %s, %s", base, fresh, parts[0],
                        parts[1]);
  if (count == 0 || comparison->options.common) return EE_OK;
  bool single = comparison->case_count == 1;
  return ee_error_set(
      error, EE_ERROR_DATA, "%s and %s do not cover the same data: %s%s%s%s%s (--common compares the %s%s in both)",
      base, fresh, parts[0], count > 1 ? ", " : "", count > 1 ? parts[1] : "", count > 2 ? ", " : "",
      count > 2 ? parts[2] : "", single ? "" : ee_arena_printf(&comparison->arena, "%zu ", comparison->case_count),
      single ? "case" : "cases");
}

/* Scores under different rules differ even where the answers are the same. */
static ee_status check_rules(ee_comparison *comparison, ee_error *error) {
  uint64_t other = comparison->other_rules;
  if (other == 0 || comparison->options.force) return EE_OK;
  naming names = {.arena = &comparison->arena, .max = IDS_NAMED};
  for (size_t i = 0; i < comparison->case_count && names.count <= names.max; i++)
    if (has_other_rules(&comparison->cases[i])) name_one(&names, comparison->cases[i].base->id);
  const char *list = names_of(&names);
  return ee_error_set(error, EE_ERROR_RULES,
                      "%s and %s were judged by different rules (%" PRIu64 " of %zu case%s: %s): judge both again with "
                      "the same rules and options, or compare them as they are with --force",
                      short_name(comparison, EE_SIDE_BASE), short_name(comparison, EE_SIDE_NEW), other,
                      comparison->case_count, plural(comparison->case_count), list);
}

/* Cases ----------------------------------------------------------------------------------------- */

/* 0.3 - 0.2 reaches a threshold of 0.1, though as a double it is a little less. */
ee_comparison_outcome ee_comparison_outcome_of(double delta, double threshold) {
  double size = fabs(delta);
  if (size <= EE_SCORE_SLACK || size < threshold - EE_SCORE_SLACK) return EE_OUTCOME_TIE;
  return delta > 0 ? EE_OUTCOME_WIN : EE_OUTCOME_LOSS;
}

static ee_metric gain_of(double base, double delta) {
  if (base >= 1 - EE_SCORE_SLACK) return (ee_metric){false, 0};
  return (ee_metric){true, delta / (1 - base)};
}

static void judge_cases(ee_comparison *comparison) {
  ee_fixed gains = {0};
  for (size_t i = 0; i < comparison->case_count; i++) {
    ee_compared_case *item = &comparison->cases[i];
    ee_verdict before = item->base->verdict, after = item->fresh->verdict;
    item->delta = item->fresh->score - item->base->score;
    item->outcome = ee_comparison_outcome_of(item->delta, comparison->options.threshold);
    item->gain = gain_of(item->base->score, item->delta);
    comparison->outcomes[item->outcome]++;
    comparison->changed += fabs(item->delta) > EE_SCORE_SLACK;
    comparison->verdicts[before][after]++;
    comparison->passed[EE_SIDE_BASE] += before == EE_VERDICT_PASS;
    comparison->passed[EE_SIDE_NEW] += after == EE_VERDICT_PASS;
    comparison->pass_fixed += before != EE_VERDICT_PASS && after == EE_VERDICT_PASS;
    comparison->pass_broken += before == EE_VERDICT_PASS && after != EE_VERDICT_PASS;
    if (!item->gain.defined) continue;
    ee_fixed_add(&gains, ee_fixed_from(item->gain.value));
    comparison->gains++;
  }
  if (comparison->gains > 0) comparison->gain = (ee_metric){true, ee_fixed_mean(gains, comparison->gains)};
}

/* Attributes as fields -------------------------------------------------------------------------- */

/* Over the cases that have its judge on both sides. */
typedef struct seen_attribute {
  uint64_t cases[2]; /* with a value of it */
  ee_counts counts[2];
} seen_attribute;

typedef struct seen_judge {
  uint64_t cases, without[2];
} seen_judge;

typedef struct survey {
  const ee_comparison *comparison;
  seen_judge *judges;
  seen_attribute *attributes;
} survey;

static void see_attributes(survey *self, ee_side side, const ee_row_judge *judge) {
  const ee_row_attribute *attributes = ee_run_attributes(&self->comparison->runs[side], judge);
  for (uint32_t i = 0; i < judge->count; i++) {
    seen_attribute *seen = &self->attributes[attributes[i].attribute];
    seen->cases[side]++;
    ee_counts_add(&seen->counts[side], &self->comparison->known_counts.items[attributes[i].counts]);
  }
}

static void see_case(survey *self, const ee_compared_case *item) {
  const ee_run_rows *runs = self->comparison->runs;
  for (uint32_t i = 0; i < item->base->judge_count; i++) {
    const ee_row_judge *before = &runs[EE_SIDE_BASE].judges.items[item->base->first_judge + i];
    const ee_row_judge *after = ee_run_judge(&runs[EE_SIDE_NEW], item->fresh, before->judge);
    seen_judge *seen = &self->judges[before->judge];
    if (after == NULL) {
      seen->without[EE_SIDE_NEW]++;
      continue;
    }
    seen->cases++;
    see_attributes(self, EE_SIDE_BASE, before);
    see_attributes(self, EE_SIDE_NEW, after);
  }
  for (uint32_t i = 0; i < item->fresh->judge_count; i++) {
    const ee_row_judge *after = &runs[EE_SIDE_NEW].judges.items[item->fresh->first_judge + i];
    if (ee_run_judge(&runs[EE_SIDE_BASE], item->base, after->judge) == NULL)
      self->judges[after->judge].without[EE_SIDE_BASE]++;
  }
}

/* Fields ---------------------------------------------------------------------------------------- */

/* Expected on one side, unknown on the other: their rules differ. A key that only one candidate made up does not count:
 * nothing was expected there, so the other side is right not to have it. */
static bool is_lone(const seen_attribute *seen, ee_side *side) {
  for (int s = EE_SIDE_BASE; s <= EE_SIDE_NEW; s++) {
    *side = (ee_side)s;
    if (seen->cases[s] > 0 && seen->cases[!s] == 0 && seen->counts[s].tp + seen->counts[s].fn > 0) return true;
  }
  return false;
}

static void add_field(ee_comparison *comparison, ee_compared_judge *judge, uint32_t attribute,
                      const seen_attribute *seen) {
  ee_side side;
  if (seen->cases[EE_SIDE_BASE] + seen->cases[EE_SIDE_NEW] == 0) return;
  if (is_lone(seen, &side)) {
    comparison->lone_fields[comparison->lone_field_count++] = (ee_lone_field){attribute, side};
    return;
  }
  comparison->field_of[attribute] = (uint32_t)comparison->field_count;
  comparison->fields[comparison->field_count++] = (ee_compared_field){.judge = judge->judge,
                                                                      .attribute = attribute,
                                                                      .before = seen->counts[EE_SIDE_BASE],
                                                                      .after = seen->counts[EE_SIDE_NEW]};
  judge->field_count++;
  judge->any_counts |= !comparison->known_attributes.items[attribute].derived;
}

/* The attributes, sorted by judge; where each judge's begin. */
static uint32_t *sort_attributes(const ee_comparison *comparison, size_t *first_of_judge) {
  size_t count = comparison->known_attributes.count, judges = comparison->known_judges.count;
  uint32_t *order = ee_calloc(count + 1, sizeof *order);
  for (size_t i = 0; i < count; i++) first_of_judge[comparison->known_attributes.items[i].judge + 1]++;
  for (size_t i = 0; i < judges; i++) first_of_judge[i + 1] += first_of_judge[i];
  for (uint32_t i = 0; i < count; i++) order[first_of_judge[comparison->known_attributes.items[i].judge]++] = i;
  for (size_t i = judges; i > 0; i--) first_of_judge[i] = first_of_judge[i - 1];
  first_of_judge[0] = 0;
  return order;
}

static void list_fields(ee_comparison *comparison, const survey *seen) {
  size_t count = comparison->known_attributes.count, judges = comparison->known_judges.count;
  comparison->judges = ee_calloc(judges + 1, sizeof *comparison->judges);
  comparison->fields = ee_calloc(count + 1, sizeof *comparison->fields);
  comparison->lone_fields = ee_calloc(count + 1, sizeof *comparison->lone_fields);
  comparison->field_of = ee_malloc((count + 1) * sizeof *comparison->field_of);
  for (size_t i = 0; i < count; i++) comparison->field_of[i] = EE_NO_NUMBER;
  size_t *first_of_judge = ee_calloc(judges + 1, sizeof *first_of_judge);
  uint32_t *order = sort_attributes(comparison, first_of_judge);
  for (uint32_t number = 0; number < judges; number++) {
    const seen_judge *known = &seen->judges[number];
    if (known->cases == 0) continue;
    ee_compared_judge *judge = &comparison->judges[comparison->judge_count++];
    *judge = (ee_compared_judge){.judge = number, .cases = known->cases, .first_field = comparison->field_count};
    for (int side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++) judge->without[side] = known->without[side];
    for (size_t i = first_of_judge[number]; i < first_of_judge[number + 1]; i++)
      add_field(comparison, judge, order[i], &seen->attributes[order[i]]);
  }
  free(order);
  free(first_of_judge);
}

/* Pairs ----------------------------------------------------------------------------------------- */

static void walk_judge(ee_pair_walk *walk, size_t item, const ee_row_judge *before, const ee_row_judge *after,
                       ee_visit_pair *visit, void *user) {
  const ee_comparison *comparison = walk->comparison;
  const ee_row_attribute *old = ee_run_attributes(&comparison->runs[EE_SIDE_BASE], before);
  const ee_row_attribute *fresh = ee_run_attributes(&comparison->runs[EE_SIDE_NEW], after);
  walk->turn++;
  for (uint32_t i = 0; i < before->count; i++) {
    walk->stamps[old[i].attribute] = walk->turn;
    walk->before[old[i].attribute] = old[i].counts;
  }
  for (uint32_t i = 0; i < after->count; i++) {
    uint32_t attribute = fresh[i].attribute, field = comparison->field_of[attribute];
    bool both = walk->stamps[attribute] == walk->turn;
    walk->stamps[attribute] = 0;
    if (field != EE_NO_NUMBER) visit(user, item, field, both ? walk->before[attribute] : 0, fresh[i].counts);
  }
  for (uint32_t i = 0; i < before->count; i++) {
    uint32_t attribute = old[i].attribute, field = comparison->field_of[attribute];
    if (field != EE_NO_NUMBER && walk->stamps[attribute] == walk->turn) visit(user, item, field, old[i].counts, 0);
  }
}

void ee_pair_walk_init(ee_pair_walk *walk, const ee_comparison *comparison) {
  size_t count = comparison->known_attributes.count + 1;
  *walk = (ee_pair_walk){.comparison = comparison,
                         .stamps = ee_calloc(count, sizeof *walk->stamps),
                         .before = ee_calloc(count, sizeof *walk->before)};
}

void ee_pair_walk_case(ee_pair_walk *walk, size_t number, ee_visit_pair *visit, void *user) {
  const ee_run_rows *runs = walk->comparison->runs;
  const ee_compared_case *item = &walk->comparison->cases[number];
  for (uint32_t k = 0; k < item->base->judge_count; k++) {
    const ee_row_judge *before = &runs[EE_SIDE_BASE].judges.items[item->base->first_judge + k];
    const ee_row_judge *after = ee_run_judge(&runs[EE_SIDE_NEW], item->fresh, before->judge);
    if (after != NULL) walk_judge(walk, number, before, after, visit, user);
  }
}

void ee_pair_walk_fini(ee_pair_walk *walk) {
  free(walk->stamps);
  free(walk->before);
}

/* Changes --------------------------------------------------------------------------------------- */

static void add_change(ee_comparison *comparison, ee_compared_case *item, ee_change change) {
  if (item->fixed + item->broken == 0) item->first_change = comparison->changes.count;
  *EE_LIST_ADD(&comparison->changes, NULL) = change;
}

static void compare_pair(void *user, size_t number, uint32_t field_number, uint32_t before, uint32_t after) {
  ee_comparison *comparison = user;
  const ee_counts *old = &comparison->known_counts.items[before], *fresh = &comparison->known_counts.items[after];
  uint64_t errors_before = old->fp + old->fn, errors_after = fresh->fp + fresh->fn;
  if (errors_before + errors_after == 0) return;
  ee_compared_case *item = &comparison->cases[number];
  ee_compared_field *field = &comparison->fields[field_number];
  if (errors_before > 0 && errors_after > 0) {
    item->still_wrong++;
    field->still_wrong++;
    field->fewer += errors_after < errors_before;
    field->more += errors_after > errors_before;
    return;
  }
  bool broken = errors_after > 0;
  add_change(comparison, item, (ee_change){(uint32_t)number, field_number, broken});
  if (broken) {
    item->broken++;
    field->broken++;
    comparison->broken++;
  } else {
    item->fixed++;
    field->fixed++;
    comparison->fixed++;
  }
}

/* The changes by field: their cases stay in order. */
static void index_changes(ee_comparison *comparison) {
  comparison->field_changes = ee_calloc(comparison->changes.count + 1, sizeof *comparison->field_changes);
  size_t at = 0, *next = ee_calloc(comparison->field_count + 1, sizeof *next);
  for (size_t i = 0; i < comparison->field_count; i++) {
    comparison->fields[i].first_change = next[i] = at;
    at += comparison->fields[i].fixed + comparison->fields[i].broken;
  }
  for (size_t i = 0; i < comparison->changes.count; i++)
    comparison->field_changes[next[comparison->changes.items[i].field]++] = i;
  free(next);
}

static void count_right(ee_comparison *comparison) {
  for (size_t i = 0; i < comparison->judge_count; i++) {
    const ee_compared_judge *judge = &comparison->judges[i];
    for (size_t k = 0; k < judge->field_count; k++) {
      ee_compared_field *field = &comparison->fields[judge->first_field + k];
      field->still_right = judge->cases - field->fixed - field->broken - field->still_wrong;
    }
  }
}

static void compare_fields(ee_comparison *comparison) {
  for (size_t i = 1; i < comparison->known_attributes.count; i++)
    comparison->several_judges |=
        comparison->known_attributes.items[i].judge != comparison->known_attributes.items[0].judge;
  survey seen = {.comparison = comparison,
                 .judges = ee_calloc(comparison->known_judges.count + 1, sizeof *seen.judges),
                 .attributes = ee_calloc(comparison->known_attributes.count + 1, sizeof *seen.attributes)};
  for (size_t i = 0; i < comparison->case_count; i++) see_case(&seen, &comparison->cases[i]);
  list_fields(comparison, &seen);
  free(seen.judges);
  free(seen.attributes);
  ee_pair_walk walk;
  ee_pair_walk_init(&walk, comparison);
  for (size_t i = 0; i < comparison->case_count; i++) ee_pair_walk_case(&walk, i, compare_pair, comparison);
  ee_pair_walk_fini(&walk);
  index_changes(comparison);
  count_right(comparison);
}

/* Orders ---------------------------------------------------------------------------------------- */

static bool lost_pass(const ee_compared_case *item) {
  return item->base->verdict == EE_VERDICT_PASS && item->fresh->verdict != EE_VERDICT_PASS;
}

static bool won_pass(const ee_compared_case *item) {
  return item->base->verdict != EE_VERDICT_PASS && item->fresh->verdict == EE_VERDICT_PASS;
}

static bool is_worse(const ee_compared_case *item) {
  if (item->outcome == EE_OUTCOME_TIE) return item->broken > 0 || lost_pass(item);
  return item->outcome == EE_OUTCOME_LOSS;
}

static bool is_better(const ee_compared_case *item) {
  if (is_worse(item)) return false;
  return item->outcome == EE_OUTCOME_WIN || item->fixed > 0 || won_pass(item);
}

ee_case_change ee_comparison_change(const ee_compared_case *item) {
  return is_worse(item) ? EE_CASE_WORSE : is_better(item) ? EE_CASE_BETTER : EE_CASE_SAME;
}

/* A case or a field in a list, sorted by falling loss; ties in the order of the base run. */
typedef struct ranked {
  double loss;
  int64_t fields; /* broken, less those fixed */
  size_t number;
} ranked;

static bool ranked_before(const ranked *a, const ranked *b) {
  if (a->loss != b->loss) return a->loss > b->loss;
  return a->fields > b->fields;
}
EE_DEFINE_SORT(sort_ranked, ranked, ranked_before)

/* `sign` 1: the largest loss first; -1: the largest gain first. */
static size_t rank_cases(const ee_comparison *comparison, bool (*is_listed)(const ee_compared_case *), int sign,
                         ee_arena *arena, size_t **order) {
  ranked *list = EE_NEW_ARRAY(arena, ranked, comparison->case_count + 1);
  size_t count = 0;
  for (size_t i = 0; i < comparison->case_count; i++) {
    const ee_compared_case *item = &comparison->cases[i];
    if (!is_listed(item)) continue;
    double loss = fabs(item->delta) <= EE_SCORE_SLACK ? 0 : -item->delta;
    list[count++] = (ranked){sign * loss, sign * ((int64_t)item->broken - (int64_t)item->fixed), i};
  }
  sort_ranked(list, count, arena);
  *order = EE_NEW_ARRAY(arena, size_t, count + 1);
  for (size_t i = 0; i < count; i++) (*order)[i] = list[i].number;
  return count;
}

size_t ee_comparison_worse(const ee_comparison *comparison, ee_arena *arena, size_t **order) {
  return rank_cases(comparison, is_worse, 1, arena, order);
}

size_t ee_comparison_better(const ee_comparison *comparison, ee_arena *arena, size_t **order) {
  return rank_cases(comparison, is_better, -1, arena, order);
}

size_t ee_comparison_rank_fields(const ee_comparison *comparison, ee_arena *arena, size_t **order) {
  ranked *list = EE_NEW_ARRAY(arena, ranked, comparison->field_count + 1);
  size_t count = 0;
  for (size_t i = 0; i < comparison->field_count; i++) {
    const ee_compared_field *field = &comparison->fields[i];
    if (field->fixed + field->broken + field->fewer + field->more == 0) continue;
    list[count++] = (ranked){(double)field->broken - (double)field->fixed,
                             (int64_t)(field->broken + field->more) - (int64_t)field->fewer, i};
  }
  sort_ranked(list, count, arena);
  *order = EE_NEW_ARRAY(arena, size_t, count + 1);
  for (size_t i = 0; i < count; i++) (*order)[i] = list[i].number;
  return count;
}

bool ee_comparison_has_degrees(const ee_comparison *comparison) {
  for (size_t i = 0; i < comparison->field_count; i++)
    if (comparison->fields[i].fewer + comparison->fields[i].more > 0) return true;
  return false;
}

ee_str ee_comparison_field_name(const ee_comparison *comparison, const ee_compared_field *field, ee_arena *arena) {
  ee_str judge = comparison->known_judges.items[field->judge].name;
  ee_str attribute = comparison->known_attributes.items[field->attribute].name;
  if (attribute.length == 0) attribute = EE_STR("\"\"");
  if (!comparison->several_judges) return attribute;
  size_t length = judge.length + 2 + attribute.length;
  char *text = ee_arena_alloc(arena, length);
  memcpy(text, judge.data, judge.length);
  memcpy(text + judge.length, ": ", 2);
  memcpy(text + judge.length + 2, attribute.data, attribute.length);
  return (ee_str){text, length};
}

const char *ee_comparison_share(ee_arena *arena, ee_metric metric) {
  return ee_cell_metric(arena, metric, EE_INK_PLAIN).text.data;
}

/* Notes ----------------------------------------------------------------------------------------- */

void ee_comparison_add_note(ee_comparison *comparison, const char *text) {
  *EE_LIST_ADD(&comparison->notes, NULL) = text;
}

const char *ee_comparison_note(const ee_comparison *comparison, size_t number) {
  return number < comparison->notes.count ? comparison->notes.items[number] : NULL;
}

static void note_lines(ee_comparison *comparison, ee_side side) {
  const ee_run_rows *run = &comparison->runs[side];
  const char *name = short_name(comparison, side);
  if (run->unreadable > 0)
    ee_comparison_add_note(comparison, ee_arena_printf(&comparison->arena, "%s: %" PRIu64 " line%s could not be read",
                                                       name, run->unreadable, plural(run->unreadable)));
  if (run->duplicates > 0)
    ee_comparison_add_note(comparison,
                           ee_arena_printf(&comparison->arena, "%s: %" PRIu64 " line%s with an id seen before left out",
                                           name, run->duplicates, plural(run->duplicates)));
}

static bool is_compared(const ee_comparison *comparison, uint32_t judge) {
  for (size_t i = 0; i < comparison->judge_count; i++)
    if (comparison->judges[i].judge == judge) return true;
  return false;
}

/* Judges that no case has on both sides. */
static void note_lone_judges(ee_comparison *comparison, ee_side side) {
  bool *seen = ee_calloc(comparison->known_judges.count + 1, sizeof *seen);
  const ee_run_rows *run = &comparison->runs[side];
  for (size_t i = 0; i < comparison->case_count; i++) {
    const ee_run_row *row = side == EE_SIDE_BASE ? comparison->cases[i].base : comparison->cases[i].fresh;
    for (uint32_t k = 0; k < row->judge_count; k++) seen[run->judges.items[row->first_judge + k].judge] = true;
  }
  naming names = {.arena = &comparison->arena, .max = NAMES_NOTED};
  for (uint32_t judge = 0; judge < comparison->known_judges.count; judge++)
    if (seen[judge] && !is_compared(comparison, judge)) name_one(&names, comparison->known_judges.items[judge].name);
  free(seen);
  const char *list = names_of(&names);
  if (names.count == 0) return;
  ee_comparison_add_note(
      comparison, ee_arena_printf(&comparison->arena, "%" PRIu64 " judge%s only in %s and not compared: %s",
                                  names.count, names.count == 1 ? " is" : "s are", short_name(comparison, side), list));
}

static void note_missing_judges(ee_comparison *comparison) {
  for (size_t i = 0; i < comparison->judge_count; i++) {
    const ee_compared_judge *judge = &comparison->judges[i];
    ee_str name = comparison->known_judges.items[judge->judge].name;
    for (int side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++) {
      uint64_t count = judge->without[side];
      if (count == 0) continue;
      ee_comparison_add_note(comparison,
                             ee_arena_printf(&comparison->arena,
                                             "judge '%.*s' is missing in %" PRIu64
                                             " case%s of %s, which %s left out of its metrics",
                                             (int)ee_utf8_cut(name, ID_SHOWN), name.data, count, plural(count),
                                             short_name(comparison, (ee_side)side), count == 1 ? "is" : "are"));
    }
  }
}

static void note_missing_measures(ee_comparison *comparison) {
  for (size_t i = 0; i < comparison->known_measures.count; i++) {
    ee_str name = comparison->known_measures.items[i];
    for (int side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++) {
      uint64_t count = comparison->measures[i].without[side];
      if (count == 0) continue;
      ee_comparison_add_note(comparison,
                             ee_arena_printf(&comparison->arena,
                                             "measure '%.*s' is missing in %" PRIu64
                                             " case%s of %s, which %s left out of its mean",
                                             (int)ee_utf8_cut(name, ID_SHOWN), name.data, count, plural(count),
                                             short_name(comparison, (ee_side)side), count == 1 ? "is" : "are"));
    }
  }
}

static void note_lone_fields(ee_comparison *comparison, ee_side side) {
  naming names = {.arena = &comparison->arena, .max = NAMES_NOTED};
  for (size_t i = 0; i < comparison->lone_field_count; i++) {
    if (comparison->lone_fields[i].side != side) continue;
    ee_compared_field field = {.attribute = comparison->lone_fields[i].attribute};
    field.judge = comparison->known_attributes.items[field.attribute].judge;
    name_one(&names, ee_comparison_field_name(comparison, &field, &comparison->arena));
  }
  const char *list = names_of(&names);
  if (names.count == 0) return;
  ee_comparison_add_note(
      comparison, ee_arena_printf(&comparison->arena, "%" PRIu64 " field%s only in %s and in no metric: %s",
                                  names.count, names.count == 1 ? " is" : "s are", short_name(comparison, side), list));
}

static void add_notes(ee_comparison *comparison) {
  const char *parts[3];
  size_t count = list_differences(comparison, parts);
  for (size_t i = 0; i < count; i++) ee_comparison_add_note(comparison, parts[i]);
  if (comparison->other_rules > 0)
    ee_comparison_add_note(
        comparison,
        ee_arena_printf(&comparison->arena,
                        "%" PRIu64 " case%s judged by other rules in %s than in %s (their rules_hash differs): the "
                        "rules may explain the change",
                        comparison->other_rules, comparison->other_rules == 1 ? " was" : "s were",
                        short_name(comparison, EE_SIDE_NEW), short_name(comparison, EE_SIDE_BASE)));
  if (comparison->on_trust > 0)
    ee_comparison_add_note(
        comparison, ee_arena_printf(&comparison->arena,
                                    "%" PRIu64 " case%s no expected_hash on both sides: assumed to be the same data",
                                    comparison->on_trust, comparison->on_trust == 1 ? " has" : "s have"));
  for (int side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++) {
    note_lines(comparison, (ee_side)side);
    note_lone_judges(comparison, (ee_side)side);
    note_lone_fields(comparison, (ee_side)side);
  }
  if (comparison->unscored > 0)
    ee_comparison_add_note(comparison,
                           ee_arena_printf(&comparison->arena,
                                           "%" PRIu64 " case%s no score on one side or both, because of the expected "
                                           "values, and %s not compared",
                                           comparison->unscored, comparison->unscored == 1 ? " has" : "s have",
                                           comparison->unscored == 1 ? "is" : "are"));
  note_missing_judges(comparison);
  note_missing_measures(comparison);
  if (comparison->averaged > 0)
    ee_comparison_add_note(
        comparison,
        ee_arena_printf(&comparison->arena,
                        "%" PRIu64 " case%s other trials in %s than in %s: the means over the trials of each run "
                        "are compared, their counts are summed, and a field is wrong if it is in any trial",
                        comparison->averaged, comparison->averaged == 1 ? " has" : "s have",
                        short_name(comparison, EE_SIDE_NEW), short_name(comparison, EE_SIDE_BASE)));
  if (comparison->slices_left_out)
    ee_comparison_add_note(comparison,
                           ee_arena_printf(&comparison->arena, "values of slices beyond the first %d are not compared",
                                           EE_COMPARED_SLICES));
  if (comparison->left_out.data != NULL)
    ee_comparison_add_note(
        comparison, ee_arena_printf(&comparison->arena, "judges beyond the first %d are not compared (first: '%.*s')",
                                    EE_COMPARED_JUDGES, (int)ee_utf8_cut(comparison->left_out, ID_SHOWN),
                                    comparison->left_out.data));
}

/* Everything ------------------------------------------------------------------------------------ */

ee_status ee_comparison_finish(ee_comparison *comparison, ee_error *error) {
  ee_status status = check_rows(comparison, error);
  if (status != EE_OK) return status;
  ee_comparison_average_trials(comparison);
  join(comparison);
  status = check_data(comparison, error);
  if (status == EE_OK) status = check_rules(comparison, error);
  if (status != EE_OK) return status;
  judge_cases(comparison);
  compare_fields(comparison);
  ee_comparison_estimate(comparison);
  add_notes(comparison);
  ee_comparison_decide(comparison);
  return EE_OK;
}

static void free_run(ee_run_rows *run) {
  EE_LIST_FINI(&run->rows);
  EE_LIST_FINI(&run->judges);
  EE_LIST_FINI(&run->attributes);
  EE_LIST_FINI(&run->values);
  EE_LIST_FINI(&run->measures);
  EE_LIST_FINI(&run->slices);
}

ee_comparison *ee_comparison_new(const ee_comparison_options *options) {
  ee_comparison *comparison = ee_calloc(1, sizeof *comparison);
  comparison->options = *options;
  if (!(comparison->options.confidence > 0)) comparison->options.confidence = EE_USUAL_CONFIDENCE;
  ee_arena_init(&comparison->arena, 0);
  comparison->judge_index.arena = comparison->attribute_index.arena = comparison->slice_index.arena =
      comparison->counts_index.arena = comparison->runs[EE_SIDE_BASE].ids.arena =
          comparison->runs[EE_SIDE_NEW].ids.arena = &comparison->arena;
  ee_comparison_number_counts(comparison, &(ee_counts){0});
  return comparison;
}

void ee_comparison_free(ee_comparison *comparison) {
  if (comparison == NULL) return;
  free_run(&comparison->runs[EE_SIDE_BASE]);
  free_run(&comparison->runs[EE_SIDE_NEW]);
  EE_LIST_FINI(&comparison->known_judges);
  EE_LIST_FINI(&comparison->known_attributes);
  EE_LIST_FINI(&comparison->known_counts);
  EE_LIST_FINI(&comparison->known_measures);
  EE_LIST_FINI(&comparison->known_slices);
  free(comparison->cases);
  free(comparison->judges);
  free(comparison->measures);
  free(comparison->slices);
  free(comparison->fields);
  EE_LIST_FINI(&comparison->changes);
  free(comparison->field_changes);
  free(comparison->field_of);
  free(comparison->lone_fields);
  EE_LIST_FINI(&comparison->notes);
  ee_arena_fini(&comparison->arena);
  free(comparison);
}
