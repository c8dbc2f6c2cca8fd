/* comparison_json.c: everything about a comparison, for programs. */
#include <math.h>

#include "data/json/json_writer.h"
#include "prim/sort.h"
#include "report/comparison_inside.h"
#include "report/comparison_state.h"
#include "report/json_out.h"

const char *ee_outcome_name(ee_comparison_outcome outcome) {
  static const char *const names[] = {[EE_OUTCOME_WIN] = "win", [EE_OUTCOME_LOSS] = "loss", [EE_OUTCOME_TIE] = "tie"};
  return names[outcome];
}

static void add_p(ee_json_out *json, const char *key, double p) {
  if (!isnan(p)) ee_json_add_number(json, key, p);
}

/* Intervals and p that are undefined are left out. */
static void add_estimate(ee_json_out *json, const ee_estimate *estimate) {
  ee_json_add_metric_or_null(json, "base", estimate->before);
  ee_json_add_metric_or_null(json, "new", estimate->after);
  ee_json_add_metric_or_null(json, "difference", estimate->change);
  ee_json_add_interval(json, "base_interval", estimate->before_range);
  ee_json_add_interval(json, "new_interval", estimate->after_range);
  ee_json_add_interval(json, "difference_interval", estimate->change_range);
  add_p(json, "p", estimate->p);
  add_p(json, "p_adjusted", estimate->p_adjusted);
}

static void json_estimate(ee_json_out *json, const char *key, const ee_estimate *estimate) {
  ee_json_open(json, key, '{');
  add_estimate(json, estimate);
  ee_json_close(json, '}');
}

static ee_str verdict_name(int verdict) {
  return verdict < 0 ? EE_STR("worse") : verdict > 0 ? EE_STR("better") : EE_STR("no evidence of a difference");
}

static void json_run(ee_json_out *json, const ee_comparison *comparison, ee_side side) {
  const ee_run_rows *run = &comparison->runs[side];
  ee_json_open(json, side == EE_SIDE_BASE ? "base" : "new", '{');
  ee_json_add_text(json, "name", ee_str_from(ee_comparison_name(comparison, side)));
  ee_json_add_count(json, "rows", comparison->rows[side]);
  ee_json_add_count(json, "unreadable", run->unreadable);
  ee_json_add_count(json, "duplicate_ids", run->duplicates);
  ee_json_add_count(json, "ids_only_here", comparison->lone[side]);
  ee_json_close(json, '}');
}

static void json_pass(ee_json_out *json, const ee_comparison *comparison) {
  ee_json_open(json, "pass", '{');
  add_estimate(json, &comparison->pass);
  ee_json_add_count(json, "base_cases", comparison->passed[EE_SIDE_BASE]);
  ee_json_add_count(json, "new_cases", comparison->passed[EE_SIDE_NEW]);
  ee_json_add_count(json, "gained", comparison->pass_fixed);
  ee_json_add_count(json, "lost", comparison->pass_broken);
  ee_json_add_number(json, "mcnemar_p", comparison->pass_p);
  ee_json_close(json, '}');
}

/* Nothing where rows do not say it. */
static void json_straight_through(ee_json_out *json, const ee_comparison *comparison) {
  if (comparison->straight_through.change.defined)
    json_estimate(json, "straight_through", &comparison->straight_through);
}

static void json_score(ee_json_out *json, const ee_comparison *comparison) {
  ee_json_open(json, "mean_score", '{');
  add_estimate(json, &comparison->score);
  ee_json_add_number(json, "p_of_random_signs", comparison->sign_p);
  ee_json_close(json, '}');
  if (isfinite(comparison->detectable))
    ee_json_add_number(json, "smallest_detectable_difference", comparison->detectable);
}

static void json_margin(ee_json_out *json, const ee_comparison *comparison) {
  static const char *const words[] = {
      [EE_MARGIN_UNDECIDED] = "undecided", [EE_MARGIN_NOT_WORSE] = "not worse", [EE_MARGIN_WORSE] = "worse"};
  if (!(comparison->options.margin > 0)) return;
  ee_json_open(json, "margin", '{');
  ee_json_add_number(json, "margin", comparison->options.margin);
  ee_json_add_text(json, "verdict", ee_str_from(words[comparison->margin]));
  ee_json_add_bool(json, "equivalent", comparison->equivalent);
  ee_json_close(json, '}');
}

static void json_slices(ee_json_out *json, const ee_comparison *comparison) {
  if (comparison->slice_count == 0) return;
  ee_json_open(json, "slices", '[');
  for (size_t i = 0; i < comparison->slice_count; i++) {
    const ee_compared_slice *slice = &comparison->slices[i];
    const ee_known_slice *known = &comparison->known_slices.items[slice->slice];
    if (slice->cases == 0) continue;
    ee_json_open(json, NULL, '{');
    ee_json_add_text(json, "path", known->path);
    ee_json_add_text(json, "value", known->value);
    ee_json_add_count(json, "cases", slice->cases);
    json_estimate(json, "mean_score", &slice->score);
    ee_json_add_text(json, "finding", verdict_name(ee_estimate_verdict(comparison, &slice->score)));
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
}

/* {base verdict: {new verdict: cases}} */
static void json_verdicts(ee_json_out *json, const ee_comparison *comparison) {
  ee_json_open(json, "verdicts", '{');
  for (size_t before = 0; before < 3; before++) {
    ee_json_open(json, ee_verdict_name((ee_verdict)before), '{');
    for (size_t after = 0; after < 3; after++)
      ee_json_add_count(json, ee_verdict_name((ee_verdict)after), comparison->verdicts[before][after]);
    ee_json_close(json, '}');
  }
  ee_json_close(json, '}');
}

/* The changes by field, then by the id of their case. */
typedef struct field_change {
  uint32_t field;
  bool broken;
  ee_str id;
} field_change;

static bool change_before(const field_change *a, const field_change *b) {
  return a->field != b->field ? a->field < b->field : ee_str_compare(a->id, b->id) < 0;
}
EE_DEFINE_SORT(sort_changes, field_change, change_before)

typedef struct field_changes {
  field_change *items;
  size_t count, at; /* the first one of the next field */
} field_changes;

static field_changes list_changes(const ee_comparison *comparison, ee_arena *arena) {
  field_changes all = {.items = EE_NEW_ARRAY(arena, field_change, comparison->changes.count + 1)};
  for (size_t i = 0; i < comparison->changes.count; i++) {
    const ee_change *change = &comparison->changes.items[i];
    all.items[all.count++] = (field_change){comparison->field_of[change->attribute], change->broken,
                                            comparison->cases[change->item].base->id};
  }
  sort_changes(all.items, all.count, arena);
  return all;
}

/* The ids of the cases in which the field is `broken`, or fixed. */
static void json_field_cases(ee_json_out *json, const char *key, const field_changes *changes, uint32_t field,
                             bool broken) {
  ee_json_open(json, key, '[');
  for (size_t i = changes->at; i < changes->count && changes->items[i].field == field; i++)
    if (changes->items[i].broken == broken) ee_json_add_text(json, NULL, changes->items[i].id);
  ee_json_close(json, ']');
}

static void json_field(ee_json_out *json, const ee_comparison *comparison, const ee_compared_field *field,
                       field_changes *changes) {
  const uint32_t number = (uint32_t)(field - comparison->fields);
  const ee_known_attribute *known = &comparison->known_attributes.items[field->attribute];
  ee_json_open(json, NULL, '{');
  ee_json_add_text(json, "name", known->name);
  if (known->derived) ee_json_add_bool(json, "derived", true);
  ee_json_add_count(json, "fixed", field->fixed);
  ee_json_add_count(json, "broken", field->broken);
  ee_json_add_count(json, "still_wrong", field->still_wrong);
  ee_json_add_count(json, "fewer_errors", field->fewer);
  ee_json_add_count(json, "more_errors", field->more);
  ee_json_add_count(json, "still_right", field->still_right);
  json_estimate(json, "f1", &field->f1);
  json_estimate(json, "share_wrong", &field->wrong);
  ee_json_add_text(json, "finding", verdict_name(ee_field_verdict(comparison, field)));
  json_field_cases(json, "broken_cases", changes, number, true);
  json_field_cases(json, "fixed_cases", changes, number, false);
  while (changes->at < changes->count && changes->items[changes->at].field == number) changes->at++;
  ee_json_close(json, '}');
}

static void json_judge(ee_json_out *json, const ee_comparison *comparison, const ee_compared_judge *judge,
                       field_changes *changes) {
  const ee_known_judge *known = &comparison->known_judges.items[judge->judge];
  ee_json_open(json, NULL, '{');
  ee_json_add_text(json, "name", known->name);
  ee_json_add_text(json, "type", known->type);
  ee_json_add_count(json, "cases", judge->cases);
  ee_json_add_count(json, "missing_in_base", judge->without[EE_SIDE_BASE]);
  ee_json_add_count(json, "missing_in_new", judge->without[EE_SIDE_NEW]);
  json_estimate(json, "score", &judge->score);
  if (judge->any_counts) {
    json_estimate(json, "micro_f1", &judge->micro);
    json_estimate(json, "macro_f1", &judge->macro);
  }
  ee_json_open(json, "fields", '[');
  for (size_t i = 0; i < judge->field_count; i++)
    json_field(json, comparison, &comparison->fields[judge->first_field + i], changes);
  ee_json_close(json, ']');
  ee_json_close(json, '}');
}

static void json_measures(ee_json_out *json, const ee_comparison *comparison) {
  if (comparison->measure_count == 0) return;
  ee_json_open(json, "measures", '[');
  for (size_t i = 0; i < comparison->measure_count; i++) {
    const ee_compared_measure *measure = &comparison->measures[i];
    ee_json_open(json, NULL, '{');
    ee_json_add_text(json, "path", comparison->known_measures.items[measure->measure].name);
    ee_json_add_count(json, "cases", measure->cases);
    ee_json_add_count(json, "missing_in_base", measure->without[EE_SIDE_BASE]);
    ee_json_add_count(json, "missing_in_new", measure->without[EE_SIDE_NEW]);
    ee_json_add_metric_or_null(json, "base_sum", measure->sum[EE_SIDE_BASE]);
    ee_json_add_metric_or_null(json, "new_sum", measure->sum[EE_SIDE_NEW]);
    json_estimate(json, "mean", &measure->mean);
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
}

static void json_lone_fields(ee_json_out *json, const ee_comparison *comparison) {
  ee_json_open(json, "fields_on_one_side", '[');
  for (size_t i = 0; i < comparison->lone_field_count; i++) {
    const ee_known_attribute *known = &comparison->known_attributes.items[comparison->lone_fields[i].attribute];
    ee_json_open(json, NULL, '{');
    ee_json_add_text(json, "side", comparison->lone_fields[i].side == EE_SIDE_BASE ? EE_STR("base") : EE_STR("new"));
    ee_json_add_text(json, "judge", comparison->known_judges.items[known->judge].name);
    ee_json_add_text(json, "name", known->name);
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
}

/* The names of a case's fields that are `broken`, or fixed: on one line, since there are many cases. */
static void json_changes(ee_json_out *json, const char *key, const ee_comparison *comparison,
                         const ee_compared_case *item, bool broken) {
  ee_json_next(json, key);
  ee_buffer_add_char(json->out, '[');
  bool any = false;
  for (size_t i = 0; i < item->fixed + item->broken; i++) {
    const ee_change *change = &comparison->changes.items[item->first_change + i];
    if (change->broken != broken) continue;
    if (any) ee_buffer_add_text(json->out, ", ");
    any = true;
    ee_arena_mark mark = ee_arena_get_mark(json->arena);
    ee_json_write_string(json->out, ee_comparison_field_name(comparison, change->attribute, json->arena));
    ee_arena_rewind(json->arena, mark);
  }
  ee_buffer_add_char(json->out, ']');
}

static void json_raw(ee_json_out *json, const char *key, ee_str text) {
  if (text.data == NULL) return;
  ee_json_next(json, key);
  ee_buffer_add_str(json->out, text);
}

/* The values that are wrong in one run or both; a value that is not there is left out. */
static void json_values(ee_json_out *json, const ee_comparison *comparison, size_t number) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_compared_value *values;
  size_t count = ee_comparison_values(comparison, number, &arena, &values);
  if (count > 0) ee_json_open_as(json, "values", '[', EE_JSON_ROWS);
  for (size_t i = 0; i < count; i++) {
    const ee_compared_value *value = &values[i];
    ee_json_open(json, NULL, '{');
    ee_json_add_text(json, "judge", value->judge);
    if (value->field.length > 0) ee_json_add_text(json, "field", value->field);
    ee_json_add_text(json, "path", value->path);
    ee_json_add_text(json, "change", ee_str_from(ee_value_change_name(value)));
    json_raw(json, "expected", value->expected);
    json_raw(json, "base", value->values[EE_SIDE_BASE]);
    json_raw(json, "new", value->values[EE_SIDE_NEW]);
    if (value->reasons[EE_SIDE_BASE].length > 0) ee_json_add_text(json, "base_reason", value->reasons[EE_SIDE_BASE]);
    if (value->reasons[EE_SIDE_NEW].length > 0) ee_json_add_text(json, "new_reason", value->reasons[EE_SIDE_NEW]);
    if (value->kinds[EE_SIDE_BASE].length > 0) ee_json_add_text(json, "base_kind", value->kinds[EE_SIDE_BASE]);
    if (value->kinds[EE_SIDE_NEW].length > 0) ee_json_add_text(json, "new_kind", value->kinds[EE_SIDE_NEW]);
    ee_json_close(json, '}');
  }
  if (count > 0) ee_json_close(json, ']');
  ee_arena_fini(&arena);
}

static void json_case(ee_json_out *json, const ee_comparison *comparison, const ee_compared_case *item) {
  ee_json_open(json, NULL, '{');
  ee_json_add_text(json, "id", item->base->id);
  ee_json_add_number(json, "base", item->base->score);
  ee_json_add_number(json, "new", item->fresh->score);
  ee_json_add_number(json, "delta", item->delta);
  ee_json_add_metric_or_null(json, "normalised_gain", item->gain);
  ee_json_add_text(json, "outcome", ee_str_from(ee_outcome_name(item->outcome)));
  ee_json_add_text(json, "base_verdict", ee_str_from(ee_verdict_name(item->base->verdict)));
  ee_json_add_text(json, "new_verdict", ee_str_from(ee_verdict_name(item->fresh->verdict)));
  json_changes(json, "fixed", comparison, item, false);
  json_changes(json, "broken", comparison, item, true);
  ee_json_add_count(json, "still_wrong", item->still_wrong);
  json_values(json, comparison, (size_t)(item - comparison->cases));
  ee_json_close(json, '}');
}

static void json_failure(ee_json_out *json, const ee_comparison *comparison) {
  if (comparison->options.fail_on == EE_FAIL_ON_NOTHING) return;
  ee_json_add_text(json, "fail_on", ee_str_from(ee_fail_on_name(comparison->options.fail_on)));
  ee_json_add_bool(json, "failed", comparison->failure != NULL);
  if (comparison->failure != NULL) ee_json_add_text(json, "failure", ee_str_from(comparison->failure));
}

/* Parts that were merged do not have all cases. */
static void json_listed(ee_json_out *json, const ee_comparison *comparison) {
  size_t listed, changed = ee_comparison_changed_cases(comparison, &listed);
  if (!comparison->is_merged) return;
  ee_json_open(json, "results_of_parts", '{');
  ee_json_add_count(json, "changed_cases", changed);
  ee_json_add_count(json, "listed", listed);
  ee_json_close(json, '}');
}

void ee_comparison_json(const ee_comparison *comparison, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_json_out json = {.out = out, .arena = &arena, .first = true};
  ee_json_open(&json, NULL, '{');
  ee_json_add_text(&json, "finding", ee_str_from(ee_finding_text(comparison->finding)));
  json_failure(&json, comparison);
  json_run(&json, comparison, EE_SIDE_BASE);
  json_run(&json, comparison, EE_SIDE_NEW);
  ee_json_add_count(&json, "cases", comparison->case_count);
  ee_json_add_count(&json, "with_other_expected_values", comparison->other_expected);
  ee_json_add_count(&json, "without_expected_hash", comparison->on_trust);
  ee_json_add_count(&json, "with_other_rules", comparison->other_rules);
  ee_json_add_count(&json, "units", comparison->units);
  ee_json_add_number(&json, "confidence", comparison->options.confidence);
  ee_json_add_text(&json, "correction", ee_str_from(ee_p_correction_name(comparison->options.correction)));
  json_score(&json, comparison);
  json_margin(&json, comparison);
  ee_json_add_number(&json, "threshold", comparison->options.threshold);
  ee_json_add_count(&json, "wins", comparison->outcomes[EE_OUTCOME_WIN]);
  ee_json_add_count(&json, "losses", comparison->outcomes[EE_OUTCOME_LOSS]);
  ee_json_add_count(&json, "ties", comparison->outcomes[EE_OUTCOME_TIE]);
  ee_json_add_metric_or_null(&json, "mean_normalised_gain", comparison->gain);
  ee_json_add_count(&json, "normalised_gain_cases", comparison->gains);
  json_pass(&json, comparison);
  json_straight_through(&json, comparison);
  json_verdicts(&json, comparison);
  ee_json_open(&json, "judges", '[');
  field_changes changes = list_changes(comparison, &arena);
  for (size_t i = 0; i < comparison->judge_count; i++) json_judge(&json, comparison, &comparison->judges[i], &changes);
  ee_json_close(&json, ']');
  json_slices(&json, comparison);
  json_measures(&json, comparison);
  json_lone_fields(&json, comparison);
  ee_json_open(&json, "notes", '[');
  for (size_t i = 0; i < comparison->notes.count; i++)
    ee_json_add_text(&json, NULL, ee_str_from(comparison->notes.items[i]));
  ee_json_close(&json, ']');
  json_listed(&json, comparison);
  ee_json_open(&json, "results", '[');
  for (size_t i = 0; i < comparison->listed; i++) json_case(&json, comparison, &comparison->cases[i]);
  ee_json_close(&json, ']');
  ee_json_close(&json, '}');
  ee_buffer_add_char(out, '\n');
  ee_arena_fini(&arena);
}
