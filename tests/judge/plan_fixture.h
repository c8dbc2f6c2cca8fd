/* plan_fixture.h: plans from rule trees written as JSON (support/rule_json.h), a script in C, and cases from JSON
 * texts, for tests of judges. */
#ifndef EE_TESTS_JUDGE_PLAN_FIXTURE_H
#define EE_TESTS_JUDGE_PLAN_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "judge/details.h"
#include "judge/outcome_view.h"
#include "judge/plan.h"
#include "support/rule_json.h"

/* What the script answers; a hook that is NULL fails the test. `calls` counts all of them. */
struct ee_script {
  size_t calls, begun, ended;
  ee_arena *arena;
  const ee_case *current;
  const ee_script_model *model; /* of the current judge */
  ee_status (*strategy)(const ee_value *expected, const ee_value *candidate, ee_script_score *result, ee_error *error);
  ee_status (*map)(const ee_value *value, const ee_value **result, ee_error *error);
  ee_status (*similarity)(const ee_value *expected, const ee_value *candidate, double *result, ee_error *error);
  ee_status (*judge)(ee_script *script, ee_script_judgement *result, ee_error *error);
  ee_status (*combine)(int function, const ee_script_number *numbers, size_t count, double *result, ee_error *error);
  ee_status (*condition)(int function, bool *result, ee_error *error);
  ee_status (*aggregate)(const ee_script_part *parts, size_t count, double *result, ee_error *error);
};

static inline void fixture_begin_case(ee_script *script, const ee_case *current, ee_arena *arena) {
  script->begun++;
  script->current = current;
  script->arena = arena;
}
static inline void fixture_end_case(ee_script *script) {
  script->ended++;
  script->current = NULL;
}
static inline ee_status fixture_strategy(ee_script *script, int function, const ee_value *expected,
                                         const ee_value *candidate, const ee_script_place *place,
                                         ee_script_score *result, ee_error *error) {
  (void)function, (void)place;
  script->calls++;
  return script->strategy(expected, candidate, result, error);
}
static inline ee_status fixture_map(ee_script *script, int function, const ee_value *value, const ee_value **result,
                                    ee_error *error) {
  (void)function;
  script->calls++;
  return script->map(value, result, error);
}
static inline ee_status fixture_similarity(ee_script *script, int function, const ee_value *expected,
                                           const ee_value *candidate, double *result, ee_error *error) {
  (void)function;
  script->calls++;
  return script->similarity(expected, candidate, result, error);
}
static inline ee_status fixture_judge(ee_script *script, int function, const ee_script_model *model,
                                      ee_script_judgement *result, ee_error *error) {
  (void)function;
  script->model = model;
  script->calls++;
  return script->judge(script, result, error);
}
static inline ee_status fixture_combine(ee_script *script, int function, const ee_script_number *numbers, size_t count,
                                        double *result, ee_error *error) {
  script->calls++;
  return script->combine(function, numbers, count, result, error);
}
static inline ee_status fixture_condition(ee_script *script, int function, bool *result, ee_error *error) {
  script->calls++;
  return script->condition(function, result, error);
}
static inline ee_status fixture_aggregate(ee_script *script, int function, const ee_script_part *parts, size_t count,
                                          double *result, ee_error *error) {
  (void)function;
  script->calls++;
  return script->aggregate(parts, count, result, error);
}

static const ee_script_vtable fixture_vtable = {.begin_case = fixture_begin_case,
                                                .end_case = fixture_end_case,
                                                .strategy = fixture_strategy,
                                                .map = fixture_map,
                                                .similarity = fixture_similarity,
                                                .judge = fixture_judge,
                                                .combine = fixture_combine,
                                                .condition = fixture_condition,
                                                .aggregate = fixture_aggregate};

typedef struct fixture {
  ee_arena arena;      /* the plan's */
  ee_arena case_arena; /* the case's */
  ee_error_list errors, rule_errors;
  bool long_lists;
  ee_plan *plan;
  ee_script script;
  ee_provider_session *session; /* NULL: nothing answers */
  ee_detail detail;             /* of every case */
  ee_context context;
  ee_case current;
  ee_case_result result;
  ee_buffer text;
} fixture;

static inline void fixture_open(fixture *f) {
  memset(f, 0, sizeof *f);
  ee_arena_init(&f->arena, 0);
  ee_arena_init(&f->case_arena, 0);
  ee_error_list_init(&f->errors);
  ee_error_list_init(&f->rule_errors);
  ee_buffer_init(&f->text);
}

static inline void fixture_close(fixture *f) {
  ee_error_list_fini(&f->errors);
  ee_error_list_fini(&f->rule_errors);
  ee_arena_fini(&f->arena);
  ee_arena_fini(&f->case_arena);
  ee_buffer_fini(&f->text);
}

/* Rule trees ----------------------------------------------------------------------------------- */

static inline const ee_rule_node *fixture_spec(fixture *f, const ee_value *value, size_t line) {
  return test_rule_node(&f->arena, value, line);
}

static inline const ee_value *fixture_json(ee_arena *arena, const char *text) {
  ee_error error = {0};
  const ee_value *value = ee_json_read(arena, ee_str_from(text), NULL, &error);
  if (value == NULL) fail_msg("%s: %s", text, error.message);
  return value;
}

/* Compiles a whole rule tree; NULL when it has mistakes, which are in `errors`. */
static inline ee_plan *fixture_compile(fixture *f, const char *rules) {
  const ee_rule_node *root = fixture_spec(f, fixture_json(&f->arena, rules), 1);
  f->plan = ee_plan_compile(&f->arena, root, &fixture_vtable, NULL, &f->errors);
  return f->plan;
}

/* The same for one that has none. */
static inline void fixture_rules(fixture *f, const char *rules) {
  if (fixture_compile(f, rules) == NULL) fail_msg("%s", f->errors.items[0].message);
}

/* Cases ---------------------------------------------------------------------------------------- */

/* Judges the case in full detail, too: outcomes add up to the counts, and scores are the same without them. Not where
 * that would call a script or a provider a second time, and not for long lists, since pairing them takes seconds. */
static inline void fixture_check_full(fixture *f) {
  if (f->long_lists || f->plan->needs_script || f->plan->needs_provider || f->plan->runs_programs) return;
  ee_context context = f->context;
  context.detail = EE_DETAIL_FULL;
  context.rule_errors = NULL;
  ee_case_result full;
  ee_plan_judge(f->plan, &context, &f->current, &full);
  assert_true(full.score == f->result.score && full.judge_count == f->result.judge_count);
  for (size_t i = 0; i < full.judge_count; i++) {
    assert_true(full.judges[i].score == f->result.judges[i].score);
    assert_true(f->detail == EE_DETAIL_FULL || f->result.judges[i].outcomes == NULL);
    assert_outcomes_add_up(&full.judges[i]);
  }
}

/* Judges the case once more and returns the work that it took. */
static inline uint64_t fixture_judge_again(const fixture *f, bool counts_only, ee_case_result *result) {
  ee_context context = f->context;
  context.counts_only = counts_only;
  context.rule_errors = NULL;
  uint64_t before = ee_work_done();
  ee_plan_judge(f->plan, &context, &f->current, result);
  return ee_work_done() - before;
}

/* Where only counts are wanted, they are the same and take as much work, and a judge with misses has the first of them.
 */
static inline void fixture_check_counts(fixture *f) {
  if (f->long_lists || f->plan->needs_script || f->plan->needs_provider || f->plan->runs_programs) return;
  ee_case_result bare, again;
  assert_int_equal(fixture_judge_again(f, true, &bare), fixture_judge_again(f, false, &again));
  assert_true(bare.score == f->result.score && bare.judge_count == f->result.judge_count);
  for (size_t i = 0; i < bare.judge_count; i++) {
    const ee_judge_result *judged = &bare.judges[i], *listed = &f->result.judges[i];
    assert_true(judged->score == listed->score && judged->failed == listed->failed &&
                judged->vacuous == listed->vacuous && judged->unscored == listed->unscored);
    assert_true((judged->miss_count > 0) == (listed->miss_count > 0));
    if (judged->miss_count > 0) assert_true(ee_finding_same_place(&judged->misses[0], &listed->misses[0]));
    assert_int_equal(judged->attribute_count, listed->attribute_count);
    for (size_t k = 0; k < judged->attribute_count; k++) {
      const ee_counts *a = &judged->attributes[k].counts, *b = &listed->attributes[k].counts;
      assert_true(a->tp == b->tp && a->tn == b->tn && a->fp == b->fp && a->fn == b->fn && a->wrong == b->wrong);
    }
  }
}

/* Judges two documents; NULL as candidate is a missing one. */
static inline const ee_judge_result *fixture_judge_values(fixture *f, const ee_value *expected,
                                                          const ee_value *candidate, ee_candidate_state state) {
  f->current =
      (ee_case){.id = EE_STR("inv-001"), .expected = expected, .candidate = candidate, .candidate_state = state};
  f->context = (ee_context){.plan = f->plan,
                            .arena = &f->case_arena,
                            .script = &f->script,
                            .session = f->session,
                            .detail = f->detail,
                            .rule_errors = &f->rule_errors};
  ee_plan_judge(f->plan, &f->context, &f->current, &f->result);
  assert_int_equal(f->script.begun, f->script.ended);
  fixture_check_full(f);
  fixture_check_counts(f);
  return f->result.judges;
}

static inline const ee_judge_result *fixture_judge_case(fixture *f, const char *expected, const char *candidate) {
  ee_arena_reset(&f->case_arena, 0);
  f->long_lists = strlen(expected) > (size_t)16 * 1024;
  return fixture_judge_values(f, fixture_json(&f->case_arena, expected),
                              candidate == NULL ? NULL : fixture_json(&f->case_arena, candidate),
                              candidate == NULL ? EE_CANDIDATE_MISSING : EE_CANDIDATE_READ);
}

/* The same by other rules, in a fixture that is opened again and keeps its script. */
static inline const ee_judge_result *fixture_judge_rules(fixture *f, const char *rules, const char *expected,
                                                         const char *candidate) {
  ee_script script = f->script;
  fixture_close(f);
  fixture_open(f);
  f->script = script;
  fixture_rules(f, rules);
  return fixture_judge_case(f, expected, candidate);
}

/* All findings as text, joined by "; ". */
static inline const char *fixture_findings(fixture *f, const ee_finding *findings, size_t count) {
  ee_buffer_clear(&f->text);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ee_buffer_add_text(&f->text, "; ");
    ee_finding_print(&findings[i], &f->text);
  }
  return ee_buffer_terminate(&f->text);
}
#define assert_hits(f, result, expected)                                                                               \
  assert_string_equal(fixture_findings(f, (result)->hits, (result)->hit_count), expected)
#define assert_misses(f, result, expected)                                                                             \
  assert_string_equal(fixture_findings(f, (result)->misses, (result)->miss_count), expected)

/* Mismatches as "place expected candidate score", joined by "; ". */
static inline const char *fixture_mismatches(fixture *f, const ee_judge_result *result) {
  ee_buffer_clear(&f->text);
  for (size_t i = 0; i < result->mismatch_count; i++) {
    const ee_mismatch *mismatch = &result->mismatches[i];
    if (i > 0) ee_buffer_add_text(&f->text, "; ");
    ee_finding_print_place(&mismatch->finding, &f->text);
    ee_buffer_add_char(&f->text, ' ');
    ee_json_write_value(&f->text, mismatch->expected);
    ee_buffer_add_char(&f->text, ' ');
    ee_json_write_value(&f->text, mismatch->candidate);
    ee_buffer_addf(&f->text, " %g", mismatch->score);
  }
  return ee_buffer_terminate(&f->text);
}

/* Attributes as "name tp tn fp fn", joined by "; ", with "*" behind the name of those that only the data knows. */
static inline const char *fixture_attributes(fixture *f, const ee_judge_result *result) {
  ee_buffer_clear(&f->text);
  for (size_t i = 0; i < result->attribute_count; i++) {
    const ee_attribute_result *attribute = &result->attributes[i];
    if (i > 0) ee_buffer_add_text(&f->text, "; ");
    ee_buffer_add_str(&f->text, attribute->name);
    if (attribute->slot < 0) {
      ee_buffer_add_char(&f->text, '*');
    } else {
      assert_true(ee_str_equal(result->judge->attributes[attribute->slot].name, attribute->name));
    }
    ee_buffer_addf(&f->text, " %d %d %d %d", (int)attribute->counts.tp, (int)attribute->counts.tn,
                   (int)attribute->counts.fp, (int)attribute->counts.fn);
  }
  return ee_buffer_terminate(&f->text);
}

static inline void assert_reasoning(const ee_judge_result *result, const char *expected) {
  char text[256];
  snprintf(text, sizeof text, "%.*s", (int)result->reasoning.length, result->reasoning.data);
  assert_string_equal(text, expected);
}

/* Asserts that exactly these mistakes were reported, as "line: message", in this order (NULL-terminated). */
static inline void fixture_check_errors(fixture *f, const char *const *messages) {
  size_t count = 0;
  for (; messages[count] != NULL; count++) {
    if (count >= f->errors.count) fail_msg("not reported: %s", messages[count]);
    char text[1024];
    snprintf(text, sizeof text, "%zu: %s", f->errors.items[count].line, f->errors.items[count].message);
    assert_string_equal(text, messages[count]);
    assert_string_equal(f->errors.items[count].file, "rules.lua");
  }
  if (f->errors.count > count)
    fail_msg("reported too: %zu: %s", f->errors.items[count].line, f->errors.items[count].message);
}
/* Compiles a tree that has exactly these mistakes. */
#define check_mistakes(rules, ...)                                                                                     \
  do {                                                                                                                 \
    fixture check;                                                                                                     \
    fixture_open(&check);                                                                                              \
    assert_null(fixture_compile(&check, rules));                                                                       \
    fixture_check_errors(&check, (const char *const[]){__VA_ARGS__, NULL});                                            \
    fixture_close(&check);                                                                                             \
  } while (0)

/* The details of a result as they are in a row, appended to `out`. */
static inline void fixture_write_details(const ee_judge_result *result, ee_buffer *out) {
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  ee_details_write(result, &scratch, out);
  ee_arena_fini(&scratch);
}
/* The same, read back into `arena`. */
static inline const ee_value *fixture_details(const ee_judge_result *result, ee_arena *arena) {
  ee_buffer text = {0};
  fixture_write_details(result, &text);
  const ee_value *value = fixture_json(arena, ee_arena_copy(arena, text.data, text.length));
  ee_buffer_fini(&text);
  return value;
}

#endif
