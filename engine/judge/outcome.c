/* outcome.c: outcomes, collected and written as JSON. */
#include "judge/outcome.h"

#include <string.h>

#include "data/json/json_writer.h"
#include "judge/details.h"
#include "judge/error_kind.h"

#define ADD(out, literal) EE_JSON_ADD(out, literal)

void ee_outcomes_add(ee_outcome_list *list, ee_arena *arena, const ee_outcome *outcome) {
  if (list->count < EE_OUTCOMES_KEPT)
    *EE_LIST_ADD(list, arena) = *outcome;
  else
    list->cut = true;
}

const char *ee_class_name(ee_class value_class) {
  static const char *const names[] = {"tp", "tn", "incorrect", "spurious", "missing", "unread"};
  return names[value_class];
}

void ee_explanation_decide(ee_explanation *how, const char *expression, ee_limit side, bool matched, ee_arena *arena) {
  const char *unit = strcmp(how->measure, "days") == 0 ? "day" : NULL;
  if (expression == NULL) expression = how->measure;
  how->formula = ee_formula_decision(expression, how->value, unit, side, how->threshold, matched, arena);
}

static void add_value(ee_buffer *out, const char *key, const ee_value *value) {
  if (value == NULL) return;
  ee_buffer_add_text(out, key);
  ee_json_write_value(out, value);
}

static void add_text(ee_buffer *out, const char *key, ee_str text) {
  if (text.length == 0) return;
  ee_buffer_add_text(out, key);
  ee_json_write_string(out, text);
}

static void add_row(ee_buffer *out, const char *key, uint32_t row) {
  if (row == EE_NO_ROW) return;
  ee_buffer_add_text(out, key);
  ee_json_write_count(out, row);
}

static void add_explanation(const ee_explanation *how, ee_buffer *out) {
  add_value(out, ",\"expected_normal\":", how->expected);
  add_value(out, ",\"candidate_normal\":", how->candidate);
  if (how->measure != NULL) {
    ADD(out, ",\"measure\":\"");
    ee_buffer_add_text(out, how->measure);
    ADD(out, "\",\"value\":");
    ee_json_write_number(out, how->value);
    ADD(out, ",\"threshold\":");
    ee_json_write_number(out, how->threshold);
  }
  add_text(out, ",\"formula\":", how->formula);
}

/* Mismatches that are looked at for the one of an outcome. */
#define LOOK_AHEAD 256

/* The mismatches of a result, which are mostly in the order of its outcomes. */
typedef struct mismatch_walk {
  const ee_judge_result *result;
  size_t next;
} mismatch_walk;

/* The kind of error of an outcome, that of the mismatch at its place; "" where it has none. */
static const char *kind_of(mismatch_walk *walk, const ee_outcome *outcome) {
  const ee_judge_result *result = walk->result;
  if (outcome->value_class == EE_CLASS_TP || outcome->value_class == EE_CLASS_TN) return "";
  for (size_t i = walk->next; i < result->mismatch_count && i < walk->next + LOOK_AHEAD; i++) {
    const ee_mismatch *mismatch = &result->mismatches[i];
    if (mismatch->value_class != outcome->value_class || !ee_finding_same_place(&mismatch->finding, &outcome->place))
      continue;
    walk->next = i + 1;
    return ee_error_kind_name(mismatch->kind);
  }
  return "";
}

static void add_outcome(const ee_outcome *outcome, const char *kind, ee_arena *scratch, ee_buffer *out) {
  ADD(out, "{\"path\":\"");
  size_t from = out->length;
  ee_finding_print_place(&outcome->place, out);
  ee_json_escape_since(out, from, scratch);
  ADD(out, "\"");
  add_text(out, ",\"field\":", outcome->attribute);
  ADD(out, ",\"outcome\":\"");
  ee_buffer_add_text(out, ee_class_name(outcome->value_class));
  ADD(out, "\"");
  add_value(out, ",\"expected\":", outcome->expected);
  add_value(out, ",\"candidate\":", outcome->candidate);
  ADD(out, ",\"score\":");
  ee_json_write_score(out, outcome->score);
  ADD(out, ",\"weight\":");
  ee_json_write_score(out, outcome->weight);
  add_text(out, ",\"strategy\":", outcome->strategy);
  add_explanation(&outcome->how, out);
  if (outcome->place.reason.kind != EE_REASON_NONE) {
    ADD(out, ",\"reason\":");
    ee_details_add_reason(&outcome->place.reason, scratch, out);
  }
  add_text(out, ",\"kind\":", ee_str_from(kind));
  bool of_list = outcome->place.row != EE_NO_ROW && (outcome->row != EE_NO_ROW || outcome->partner != EE_NO_ROW);
  if (of_list) add_text(out, ",\"list\":", outcome->place.path);
  add_row(out, ",\"row\":", outcome->row);
  add_row(out, ",\"partner\":", outcome->partner);
  ADD(out, "}");
}

void ee_outcomes_write(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out) {
  ADD(out, "[");
  mismatch_walk walk = {.result = result};
  for (size_t i = 0; i < result->outcome_count; i++) {
    if (i > 0) ADD(out, ",");
    add_outcome(&result->outcomes[i], kind_of(&walk, &result->outcomes[i]), scratch, out);
  }
  ADD(out, "]");
}
