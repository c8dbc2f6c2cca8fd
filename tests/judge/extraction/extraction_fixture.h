/* extraction_fixture.h: records judged by ee.extraction, and the metrics of a data set of them. */
#ifndef EE_TESTS_JUDGE_EXTRACTION_FIXTURE_H
#define EE_TESTS_JUDGE_EXTRACTION_FIXTURE_H

#include "judge/corpus_view.h"
#include "judge/plan_fixture.h"

#include "data/json/json_writer.h"
#include "judge/extraction/extraction_corpus.h"
#include "run/totals.h"

#define EXTRACTION_RULES(options)                                                                                      \
  "{\"ee\":\"rules\",\"case\":{\"id\":\"caseId\",\"expected\":\"expected\",\"candidate\":\"providerResponseText\"},"   \
  "\"items\":[{\"ee\":\"extraction\"" options "}]}"
#define GOLD_RULES                                                                                                     \
  "{\"ee\":\"rules\",\"case\":{\"id\":\"caseId\",\"expected\":\"goldSpans\",\"candidate\":\"providerResponseText\"},"  \
  "\"items\":[{\"ee\":\"extraction\"}]}"

static inline void extraction_open(fixture *f, const char *rules) {
  fixture_open(f);
  fixture_rules(f, rules);
}

/* Judges a record of a data set. The result lives until the next one. */
static inline const ee_judge_result *judge_record_in(fixture *f, const char *text, ee_detail detail) {
  ee_arena_reset(&f->case_arena, 0);
  ee_error error = {0};
  if (ee_record_read(fixture_json(&f->case_arena, text), &f->plan->paths, &(ee_record_place){.line = 1}, &f->case_arena,
                     &f->current, &error) != EE_OK)
    fail_msg("%s: %s", text, error.message);
  f->context = (ee_context){
      .plan = f->plan, .arena = &f->case_arena, .script = &f->script, .detail = detail, .rule_errors = &f->rule_errors};
  ee_plan_judge(f->plan, &f->context, &f->current, &f->result);
  return f->result.judges;
}

static inline const ee_judge_result *judge_record(fixture *f, const char *text) {
  return judge_record_in(f, text, EE_DETAIL_MISSES);
}

static inline const ee_judge_result *judge_into(fixture *f, ee_totals *totals, const char *text) {
  const ee_judge_result *result = judge_record(f, text);
  ee_totals_add(totals, &f->result, &f->case_arena);
  return result;
}

static inline const ee_corpus_summary *figures_of(ee_totals *totals) {
  ee_totals_finish(totals);
  return totals->all.judges[0].corpus;
}

static inline const char *details_text(fixture *f, const ee_judge_result *result) {
  ee_buffer_clear(&f->text);
  fixture_write_details(result, &f->text);
  return ee_buffer_terminate(&f->text);
}

#endif
