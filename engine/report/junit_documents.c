/* junit_documents.c: documents that are in memory as a whole, as lists of tests. */
#include "report/junit_documents.h"

#include <inttypes.h>

#include "prim/number.h"
#include "prim/unicode.h"
#include "report/junit.h"

#define VALUE_SHOWN 200

/* Comparisons ----------------------------------------------------------------------------------- */

static void add_value(ee_buffer *out, ee_str value) {
  if (value.data == NULL) value = EE_STR("nothing");
  size_t length = value.length <= VALUE_SHOWN ? value.length : ee_utf8_cut(value, VALUE_SHOWN);
  ee_buffer_add(out, value.data, length);
  if (length < value.length) ee_buffer_add_text(out, "\xe2\x80\xa6");
}

/* "header: total: 100 -> 102 (expected 100)" */
static void add_change(ee_buffer *out, const ee_compared_value *value, bool several) {
  if (several) ee_buffer_addf(out, "%.*s: ", EE_STR_ARG(value->judge));
  ee_buffer_addf(out, "%.*s: ", EE_STR_ARG(value->path));
  add_value(out, value->values[EE_SIDE_BASE]);
  ee_buffer_add_text(out, " -> ");
  add_value(out, value->values[EE_SIDE_NEW]);
  if (value->is_expected) {
    ee_buffer_add_text(out, " (expected ");
    add_value(out, value->expected);
    ee_buffer_add_char(out, ')');
  }
}

static void add_scores(ee_buffer *out, const ee_case_pair *pair) {
  char before[32], after[32];
  ee_double_format_short(pair->scores[EE_SIDE_BASE], 3, before);
  ee_double_format_short(pair->scores[EE_SIDE_NEW], 3, after);
  ee_buffer_addf(out, "score %s -> %s, %s -> %s", before, after, ee_verdict_name(pair->verdicts[EE_SIDE_BASE]),
                 ee_verdict_name(pair->verdicts[EE_SIDE_NEW]));
}

void ee_comparison_worse_text(const ee_comparison *comparison, size_t number, const ee_case_pair *pair,
                              ee_buffer *message, ee_buffer *text) {
  enum { IN_MESSAGE = 3 };
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_compared_value *values;
  size_t count = ee_comparison_values(comparison, number, &arena, &values), broken = 0;
  bool several = false;
  for (size_t i = 1; i < count; i++) several = several || !ee_str_equal(values[i].judge, values[0].judge);
  add_scores(message, pair);
  add_scores(text, pair);
  for (size_t i = 0; i < count; i++) {
    if (values[i].wrong[EE_SIDE_BASE] || !values[i].wrong[EE_SIDE_NEW]) continue;
    if (broken++ < IN_MESSAGE) {
      ee_buffer_add_text(message, broken == 1 ? ": " : "; ");
      add_change(message, &values[i], several);
    }
    ee_buffer_add_char(text, '\n');
    add_change(text, &values[i], several);
  }
  if (broken > IN_MESSAGE) ee_buffer_addf(message, "; %zu more", broken - IN_MESSAGE);
  ee_arena_fini(&arena);
}

static void add_case(ee_junit *junit, const ee_comparison *comparison, size_t number) {
  ee_case_pair pair = ee_comparison_case(comparison, number);
  ee_junit_test test = {.name = pair.id, .outcome = EE_JUNIT_PASSED, .type = EE_STR("worse")};
  ee_buffer message, text;
  ee_buffer_init(&message);
  ee_buffer_init(&text);
  if (pair.change == EE_CASE_WORSE) {
    ee_comparison_worse_text(comparison, number, &pair, &message, &text);
    test.outcome = EE_JUNIT_FAILED;
    test.message = (ee_str){message.data, message.length};
    test.text = (ee_str){text.data, text.length};
  }
  ee_junit_add(junit, "cases", &test);
  ee_buffer_fini(&message);
  ee_buffer_fini(&text);
}

static void add_decision(ee_junit *junit, const ee_comparison *comparison) {
  const char *reason = NULL, *note;
  bool fails = ee_comparison_fails(comparison, &reason);
  ee_buffer text;
  ee_buffer_init(&text);
  if (fails) ee_buffer_add_text(&text, reason);
  for (size_t i = 0; (note = ee_comparison_note(comparison, i)) != NULL; i++)
    ee_buffer_addf(&text, "%s%s", text.length > 0 ? "\n" : "", note);
  ee_junit_test test = {.name = EE_STR("--fail-on"),
                        .outcome = fails ? EE_JUNIT_FAILED : EE_JUNIT_PASSED,
                        .type = EE_STR("worse"),
                        .message = fails ? ee_str_from(reason) : EE_STR(""),
                        .text = {text.data, text.length}};
  ee_junit_add(junit, "gates", &test);
  ee_buffer_fini(&text);
}

void ee_comparison_junit(const ee_comparison *comparison, ee_buffer *out) {
  ee_junit *junit = ee_junit_new(EE_STR("compare"));
  add_decision(junit, comparison);
  size_t count = ee_comparison_case_count(comparison);
  for (size_t i = 0; i < count; i++) add_case(junit, comparison, i);
  ee_junit_print(junit, out);
  ee_junit_free(junit);
}

/* Audits ---------------------------------------------------------------------------------------- */

static void add_finding(ee_junit *junit, const ee_audit_finding *finding, bool strict) {
  ee_buffer name, message, text;
  ee_buffer_init(&name);
  ee_buffer_init(&message);
  ee_buffer_init(&text);
  const ee_audit_evidence *first = &finding->evidence[0];
  if (finding->id_count > 0) ee_buffer_addf(&name, "%.*s ", EE_STR_ARG(finding->ids[0]));
  if (finding->records > 1) ee_buffer_addf(&name, "and %" PRIu64 " more ", finding->records - 1);
  ee_buffer_add_str(&name, finding->path.length > 0 ? finding->path : EE_STR("(record)"));
  for (size_t i = 0; i < finding->evidence_count; i++) {
    const ee_audit_evidence *each = &finding->evidence[i];
    ee_buffer_addf(&text, "%s%s: %.*s", i > 0 ? "\n" : "", ee_audit_kinds[each->kind].name, EE_STR_ARG(each->reason));
    if (each->expected.length > 0) ee_buffer_addf(&text, "; expected %.*s", EE_STR_ARG(each->expected));
    if (each->proposed.length > 0) ee_buffer_addf(&text, ", proposed %.*s", EE_STR_ARG(each->proposed));
    if (i == 0) ee_buffer_add(&message, text.data, text.length);
  }
  ee_junit_test test = {.name = {name.data, name.length},
                        .outcome = strict ? EE_JUNIT_FAILED : EE_JUNIT_SKIPPED,
                        .type = ee_str_from(ee_audit_kinds[first->kind].name),
                        .message = {message.data, message.length},
                        .text = {text.data, text.length}};
  ee_junit_add(junit, "findings", &test);
  ee_buffer_fini(&name);
  ee_buffer_fini(&message);
  ee_buffer_fini(&text);
}

void ee_audit_junit(const ee_audit_report *report, ee_buffer *out) {
  ee_junit *junit = ee_junit_new(EE_STR("audit"));
  for (size_t i = 0; i < report->count; i++)
    if (report->findings[i].evidence_count > 0) add_finding(junit, &report->findings[i], report->strict);
  ee_junit_test none = {.name = EE_STR("no findings"), .outcome = EE_JUNIT_PASSED};
  if (report->count == 0) ee_junit_add(junit, "findings", &none);
  ee_junit_print(junit, out);
  ee_junit_free(junit);
}

/* The bench ------------------------------------------------------------------------------------- */

void ee_bench_junit(const ee_bench_score *score, ee_buffer *out) {
  ee_junit *junit = ee_junit_new(EE_STR("bench"));
  for (size_t i = 0; i < score->gate_count; i++) ee_junit_add_gate(junit, &score->gates[i]);
  ee_junit_print(junit, out);
  ee_junit_free(junit);
}
