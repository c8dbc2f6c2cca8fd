/* comparison_text.c: a comparison for programs: everything as JSON, a line a case as CSV. */
#include <math.h>

#include "data/json/json_writer.h"
#include "report/comparison_parts.h"
#include "report/csv.h"
#include "report/json_out.h"

static const char *outcome_name(ee_outcome outcome) {
  static const char *const names[] = {[EE_OUTCOME_WIN] = "win", [EE_OUTCOME_LOSS] = "loss", [EE_OUTCOME_TIE] = "tie"};
  return names[outcome];
}

/* JSON ----------------------------------------------------------------------------------------- */

/* Undefined figures are there, and null: who reads two of them need not ask which are missing. */
static void add_figure(ee_json_out *json, const char *key, ee_metric metric) {
  ee_json_add_number(json, key, metric.defined ? metric.value : NAN);
}

static void add_interval(ee_json_out *json, const char *key, ee_interval interval) {
  ee_json_next(json, key);
  if (isnan(interval.low)) {
    ee_buffer_add_text(json->out, "null");
    return;
  }
  ee_buffer_add_char(json->out, '[');
  ee_json_write_number(json->out, interval.low);
  ee_buffer_add_text(json->out, ", ");
  ee_json_write_number(json->out, interval.high);
  ee_buffer_add_char(json->out, ']');
}

static void add_estimate(ee_json_out *json, const char *key, const ee_estimate *estimate) {
  ee_json_open(json, key, '{');
  add_figure(json, "base", estimate->before);
  add_figure(json, "new", estimate->after);
  add_figure(json, "delta", estimate->change);
  add_interval(json, "base_interval", estimate->before_range);
  add_interval(json, "new_interval", estimate->after_range);
  add_interval(json, "delta_interval", estimate->change_range);
  ee_json_close(json, '}');
}

static void add_run(ee_json_out *json, const ee_comparison *comparison, ee_side side) {
  const ee_run_rows *run = &comparison->runs[side];
  ee_json_open(json, side == EE_SIDE_BASE ? "base" : "new", '{');
  ee_json_add_text(json, "name", ee_str_from(ee_comparison_name(comparison, side)));
  ee_json_add_count(json, "rows", run->rows.count);
  ee_json_add_count(json, "unreadable", run->unreadable);
  ee_json_add_count(json, "duplicate_ids", run->duplicates);
  ee_json_add_count(json, "ids_only_here", comparison->lone[side]);
  ee_json_close(json, '}');
}

static void add_pass(ee_json_out *json, const ee_comparison *comparison) {
  static const char *const keys[] = {"base", "new"};
  ee_json_open(json, "pass", '{');
  for (size_t side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++) {
    uint64_t count = comparison->passed[side];
    ee_json_open(json, keys[side], '{');
    ee_json_add_count(json, "cases", count);
    ee_json_add_number(json, "rate", (double)count / (double)comparison->case_count);
    add_interval(json, "interval", ee_wilson(count, comparison->case_count));
    ee_json_close(json, '}');
  }
  ee_json_add_count(json, "gained", comparison->pass_fixed);
  ee_json_add_count(json, "lost", comparison->pass_broken);
  ee_json_add_number(json, "mcnemar_p", comparison->pass_p);
  ee_json_close(json, '}');
}

/* {base verdict: {new verdict: cases}} */
static void add_verdicts(ee_json_out *json, const ee_comparison *comparison) {
  ee_json_open(json, "verdicts", '{');
  for (size_t before = 0; before < 3; before++) {
    ee_json_open(json, ee_verdict_name((ee_verdict)before), '{');
    for (size_t after = 0; after < 3; after++)
      ee_json_add_count(json, ee_verdict_name((ee_verdict)after), comparison->verdicts[before][after]);
    ee_json_close(json, '}');
  }
  ee_json_close(json, '}');
}

/* The ids of the cases in which the field is `broken`, or fixed. */
static void add_field_cases(ee_json_out *json, const char *key, const ee_comparison *comparison,
                            const ee_compared_field *field, bool broken) {
  ee_json_open(json, key, '[');
  for (size_t i = 0; i < field->fixed + field->broken; i++) {
    const ee_change *change = &comparison->changes.items[comparison->field_changes[field->first_change + i]];
    if (change->broken == broken) ee_json_add_text(json, NULL, comparison->cases[change->item].base->id);
  }
  ee_json_close(json, ']');
}

static void add_field(ee_json_out *json, const ee_comparison *comparison, const ee_compared_field *field) {
  const ee_known_attribute *known = &comparison->known_attributes.items[field->attribute];
  ee_json_open(json, NULL, '{');
  ee_json_add_text(json, "name", known->name);
  if (known->derived) ee_json_add_bool(json, "retold", true);
  ee_json_add_count(json, "fixed", field->fixed);
  ee_json_add_count(json, "broken", field->broken);
  ee_json_add_count(json, "still_wrong", field->still_wrong);
  ee_json_add_count(json, "fewer_errors", field->fewer);
  ee_json_add_count(json, "more_errors", field->more);
  ee_json_add_count(json, "still_right", field->still_right);
  add_figure(json, "base_f1", ee_f1_ranked(&field->before));
  add_figure(json, "new_f1", ee_f1_ranked(&field->after));
  add_field_cases(json, "broken_cases", comparison, field, true);
  add_field_cases(json, "fixed_cases", comparison, field, false);
  ee_json_close(json, '}');
}

static void add_judge(ee_json_out *json, const ee_comparison *comparison, const ee_compared_judge *judge) {
  const ee_known_judge *known = &comparison->known_judges.items[judge->judge];
  ee_json_open(json, NULL, '{');
  ee_json_add_text(json, "name", known->name);
  ee_json_add_text(json, "type", known->type);
  ee_json_add_count(json, "cases", judge->cases);
  ee_json_add_count(json, "missing_in_base", judge->without[EE_SIDE_BASE]);
  ee_json_add_count(json, "missing_in_new", judge->without[EE_SIDE_NEW]);
  ee_json_open(json, "score", '{');
  add_figure(json, "base", judge->score[EE_SIDE_BASE]);
  add_figure(json, "new", judge->score[EE_SIDE_NEW]);
  ee_json_close(json, '}');
  if (judge->any_counts) {
    add_estimate(json, "micro_f1", &judge->micro);
    add_estimate(json, "macro_f1", &judge->macro);
  }
  ee_json_open(json, "fields", '[');
  for (size_t i = 0; i < judge->field_count; i++)
    add_field(json, comparison, &comparison->fields[judge->first_field + i]);
  ee_json_close(json, ']');
  ee_json_close(json, '}');
}

static void add_lone_fields(ee_json_out *json, const ee_comparison *comparison) {
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
static void add_changes(ee_json_out *json, const char *key, const ee_comparison *comparison,
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
    ee_json_write_string(json->out,
                         ee_comparison_field_name(comparison, &comparison->fields[change->field], json->arena));
    ee_arena_rewind(json->arena, mark);
  }
  ee_buffer_add_char(json->out, ']');
}

static void add_case(ee_json_out *json, const ee_comparison *comparison, const ee_compared_case *item) {
  ee_json_open(json, NULL, '{');
  ee_json_add_text(json, "id", item->base->id);
  ee_json_add_number(json, "base", item->base->score);
  ee_json_add_number(json, "new", item->fresh->score);
  ee_json_add_number(json, "delta", item->delta);
  add_figure(json, "normalised_gain", item->gain);
  ee_json_add_text(json, "outcome", ee_str_from(outcome_name(item->outcome)));
  ee_json_add_text(json, "base_verdict", ee_str_from(ee_verdict_name(item->base->verdict)));
  ee_json_add_text(json, "new_verdict", ee_str_from(ee_verdict_name(item->fresh->verdict)));
  add_changes(json, "fixed", comparison, item, false);
  add_changes(json, "broken", comparison, item, true);
  ee_json_add_count(json, "still_wrong", item->still_wrong);
  ee_json_close(json, '}');
}

static void add_failure(ee_json_out *json, const ee_comparison *comparison) {
  if (comparison->options.fail_on == EE_FAIL_ON_NOTHING) return;
  ee_json_add_text(json, "fail_on", ee_str_from(ee_fail_on_name(comparison->options.fail_on)));
  ee_json_add_bool(json, "failed", comparison->failure != NULL);
  if (comparison->failure != NULL) ee_json_add_text(json, "failure", ee_str_from(comparison->failure));
}

void ee_comparison_json(const ee_comparison *comparison, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_json_out json = {.out = out, .arena = &arena, .first = true};
  ee_json_open(&json, NULL, '{');
  ee_json_add_text(&json, "finding", ee_str_from(ee_comparison_finding(comparison)));
  add_failure(&json, comparison);
  add_run(&json, comparison, EE_SIDE_BASE);
  add_run(&json, comparison, EE_SIDE_NEW);
  ee_json_add_count(&json, "cases", comparison->case_count);
  ee_json_add_count(&json, "with_other_expected_values", comparison->other_expected);
  ee_json_add_count(&json, "without_expected_hash", comparison->on_trust);
  add_estimate(&json, "mean_score", &comparison->score);
  ee_json_add_number(&json, "threshold", comparison->options.threshold);
  ee_json_add_count(&json, "wins", comparison->outcomes[EE_OUTCOME_WIN]);
  ee_json_add_count(&json, "losses", comparison->outcomes[EE_OUTCOME_LOSS]);
  ee_json_add_count(&json, "ties", comparison->outcomes[EE_OUTCOME_TIE]);
  add_figure(&json, "mean_normalised_gain", comparison->gain);
  ee_json_add_count(&json, "normalised_gain_cases", comparison->gains);
  add_pass(&json, comparison);
  add_verdicts(&json, comparison);
  ee_json_open(&json, "judges", '[');
  for (size_t i = 0; i < comparison->judge_count; i++) add_judge(&json, comparison, &comparison->judges[i]);
  ee_json_close(&json, ']');
  add_lone_fields(&json, comparison);
  ee_json_open(&json, "notes", '[');
  for (size_t i = 0; i < comparison->notes.count; i++)
    ee_json_add_text(&json, NULL, ee_str_from(comparison->notes.items[i]));
  ee_json_close(&json, ']');
  ee_json_open(&json, "bootstrap", '{');
  ee_json_add_count(&json, "resamples", EE_BOOTSTRAP_RESAMPLES);
  ee_json_add_count(&json, "seed", EE_BOOTSTRAP_SEED);
  ee_json_add_number(&json, "confidence", 0.95);
  ee_json_close(&json, '}');
  ee_json_open(&json, "results", '[');
  for (size_t i = 0; i < comparison->case_count; i++) add_case(&json, comparison, &comparison->cases[i]);
  ee_json_close(&json, ']');
  ee_json_close(&json, '}');
  ee_buffer_add_char(out, '\n');
  ee_arena_fini(&arena);
}

/* CSV ------------------------------------------------------------------------------------------ */

void ee_comparison_csv(const ee_comparison *comparison, ee_buffer *out) {
  ee_buffer_add_text(out, "id,base,new,delta,outcome,fixed,broken,still_wrong\n");
  for (size_t i = 0; i < comparison->case_count; i++) {
    const ee_compared_case *item = &comparison->cases[i];
    ee_csv_add_text(out, item->base->id);
    ee_csv_add_metric(out, (ee_metric){true, item->base->score});
    ee_csv_add_metric(out, (ee_metric){true, item->fresh->score});
    ee_csv_add_metric(out, (ee_metric){true, item->delta});
    ee_buffer_addf(out, ",%s,%u,%u,%u\n", outcome_name(item->outcome), item->fixed, item->broken, item->still_wrong);
  }
}
