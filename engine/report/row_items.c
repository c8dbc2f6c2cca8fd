/* row_items.c: the details of pairing lists, in a row. */
#include "judge/line_items/item_report.h"
#include "report/row_parts.h"

#define ADD(out, literal) EE_ROW_ADD(out, literal)

static void add_outcome(ee_buffer *out, const struct ee_method_outcome *outcome) {
  ADD(out, "{\"similarity\":");
  ee_row_add_score(out, outcome->similarity);
  ADD(out, ",\"score\":");
  ee_row_add_score(out, outcome->score);
  ee_buffer_add_char(out, '}');
}

/* An item, or null. */
static void add_item(ee_buffer *out, uint32_t item) {
  if (item == EE_NO_ROW)
    ADD(out, "null");
  else
    ee_row_add_count(out, item);
}

/* Returns whether the list was cut. */
static bool add_methods(ee_buffer *out, const ee_methods_compared *methods) {
  ADD(out, ",\"methods\":{\"greedy\":");
  add_outcome(out, &methods->greedy);
  ADD(out, ",\"optimal\":");
  add_outcome(out, &methods->optimal);
  ADD(out, ",\"similarity_lost\":");
  ee_row_add_score(out, methods->lost);
  ADD(out, ",\"different_pairs\":[");
  for (size_t i = 0; i < ee_row_shown(methods->difference_count); i++) {
    const ee_pairing_difference *difference = &methods->differences[i];
    if (i > 0) ee_buffer_add_char(out, ',');
    ADD(out, "{\"expected\":");
    ee_row_add_count(out, difference->expected);
    ADD(out, ",\"greedy\":");
    add_item(out, difference->greedy);
    ADD(out, ",\"optimal\":");
    add_item(out, difference->optimal);
    ee_buffer_add_char(out, '}');
  }
  ADD(out, "]}");
  return methods->difference_count > EE_ROW_LIST_LIMIT;
}

static void add_parts(ee_buffer *out, const uint32_t parts[2]) {
  ee_buffer_add_char(out, '[');
  ee_row_add_count(out, parts[0]);
  ee_buffer_add_char(out, ',');
  ee_row_add_count(out, parts[1]);
  ee_buffer_add_char(out, ']');
}

static void add_hints(ee_buffer *out, const ee_item_report *report) {
  ADD(out, ",\"hints\":[");
  for (size_t i = 0; i < report->hint_count; i++) {
    const ee_item_hint *hint = &report->hints[i];
    if (i > 0) ee_buffer_add_char(out, ',');
    if (hint->merged) {
      ADD(out, "{\"kind\":\"merged\",\"expected\":");
      add_parts(out, hint->parts);
      ADD(out, ",\"candidate\":");
      ee_row_add_count(out, hint->whole);
    } else {
      ADD(out, "{\"kind\":\"split\",\"expected\":");
      ee_row_add_count(out, hint->whole);
      ADD(out, ",\"candidate\":");
      add_parts(out, hint->parts);
    }
    ee_buffer_add_char(out, '}');
  }
  ee_buffer_add_char(out, ']');
}

bool ee_row_add_items(ee_buffer *out, const ee_judge_result *judged) {
  if (judged->fallbacks > 0) ADD(out, ",\"fallback\":\"greedy\"");
  const ee_item_report *report = judged->items;
  if (report == NULL) return false;
  bool cut = report->methods != NULL && add_methods(out, report->methods);
  if (report->hint_count > 0) add_hints(out, report);
  return cut || report->hints_cut;
}
