/* line_items_details.c: the details of ee.line_items in a row. */
#include "judge/details.h"
#include "judge/judge.h"
#include "judge/line_items/line_items.h"

#define ADD(out, literal) EE_JSON_ADD(out, literal)

static void add_outcome(ee_buffer *out, const struct ee_method_outcome *outcome) {
  ADD(out, "{\"similarity\":");
  ee_json_write_score(out, outcome->similarity);
  ADD(out, ",\"score\":");
  ee_json_write_score(out, outcome->score);
  ee_buffer_add_char(out, '}');
}

/* An item, or null. */
static void add_item(ee_buffer *out, uint32_t item) {
  if (item == EE_NO_ROW)
    ADD(out, "null");
  else
    ee_json_write_count(out, item);
}

/* Returns whether the list was cut. */
static bool add_methods(ee_buffer *out, const ee_methods_compared *methods) {
  ADD(out, ",\"methods\":{\"greedy\":");
  add_outcome(out, &methods->greedy);
  ADD(out, ",\"optimal\":");
  add_outcome(out, &methods->optimal);
  ADD(out, ",\"similarity_lost\":");
  ee_json_write_score(out, methods->lost);
  ADD(out, ",\"different_pairs\":[");
  for (size_t i = 0; i < ee_details_shown(methods->difference_count); i++) {
    const ee_pairing_difference *difference = &methods->differences[i];
    if (i > 0) ee_buffer_add_char(out, ',');
    ADD(out, "{\"expected\":");
    ee_json_write_count(out, difference->expected);
    ADD(out, ",\"greedy\":");
    add_item(out, difference->greedy);
    ADD(out, ",\"optimal\":");
    add_item(out, difference->optimal);
    ee_buffer_add_char(out, '}');
  }
  ADD(out, "]}");
  return methods->difference_count > EE_DETAILS_SHOWN;
}

static void add_parts(ee_buffer *out, const uint32_t parts[2]) {
  ee_buffer_add_char(out, '[');
  ee_json_write_count(out, parts[0]);
  ee_buffer_add_char(out, ',');
  ee_json_write_count(out, parts[1]);
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
      ee_json_write_count(out, hint->whole);
    } else {
      ADD(out, "{\"kind\":\"split\",\"expected\":");
      ee_json_write_count(out, hint->whole);
      ADD(out, ",\"candidate\":");
      add_parts(out, hint->parts);
    }
    ee_buffer_add_char(out, '}');
  }
  ee_buffer_add_char(out, ']');
}

static void add_alignment(ee_buffer *out, const ee_item_report *report) {
  ADD(out, ",\"alignment\":[");
  for (size_t i = 0; i < ee_details_shown(report->alignment_count); i++) {
    const ee_alignment *pair = &report->alignment[i];
    if (i > 0) ee_buffer_add_char(out, ',');
    ADD(out, "{\"expected\":");
    ee_json_write_count(out, pair->expected);
    ADD(out, ",\"candidate\":");
    ee_json_write_count(out, pair->candidate);
    ADD(out, ",\"similarity\":");
    ee_json_write_score(out, pair->similarity);
    ee_buffer_add_char(out, '}');
  }
  ADD(out, "],\"items\":{\"matched\":");
  ee_json_write_count(out, report->alignment_count);
  ADD(out, ",\"missing\":");
  ee_json_write_count(out, report->missing_items);
  ADD(out, ",\"extra\":");
  ee_json_write_count(out, report->extra_items);
  ee_buffer_add_char(out, '}');
}

void ee_line_items_write_details(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out) {
  const ee_item_report *report = result->details;
  if (report == NULL) {
    ee_details_write_plain(result, scratch, out);
    return;
  }
  ee_details_open(result, out);
  add_alignment(out, report);
  ee_details_add_fallback(result, out);
  bool cut = report->methods != NULL && add_methods(out, report->methods);
  if (report->hint_count > 0) add_hints(out, report);
  cut |= report->hints_cut || report->alignment_count > EE_DETAILS_SHOWN;
  ee_details_close(result, cut, scratch, out);
}

const ee_item_report *ee_item_report_of(const ee_judge_result *result) {
  static const ee_item_report none = {.alignment_count = 0};
  return result->judge->type == &ee_line_items_judge && result->details != NULL ? result->details : &none;
}
