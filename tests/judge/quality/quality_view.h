/* quality_view.h: results of ee.quality as text, and a provider session in C that replies at once. */
#ifndef EE_TESTS_JUDGE_QUALITY_VIEW_H
#define EE_TESTS_JUDGE_QUALITY_VIEW_H

#include "judge/plan_fixture.h"
#include "judge/provider_session.h"
#include "judge/quality/quality.h"

/* The session ---------------------------------------------------------------------------------- */

/* Any two texts have `similarity`; `failing`: no reply. */
typedef struct fixed_session {
  ee_provider_session session;
  double similarity;
  bool failing;
  size_t asked;
  char last[200]; /* "expected|candidate" of the last request */
} fixed_session;

static inline void fixed_similarity(ee_provider_session *session, ee_str expected, ee_str candidate, ee_arena *scratch,
                                    ee_answer *answer) {
  (void)scratch;
  fixed_session *self = (fixed_session *)(void *)session;
  self->asked++;
  snprintf(self->last, sizeof self->last, "%.*s|%.*s", (int)expected.length, expected.data, (int)candidate.length,
           candidate.data);
  *answer = (ee_answer){.state = self->failing ? EE_ANSWER_FAILED : EE_ANSWER_GIVEN,
                        .similarity = self->similarity,
                        .text = EE_STR("the line is dead")};
}

static const ee_provider_vtable fixed_vtable = {.name = "fixed", .similarity = fixed_similarity};

static inline fixed_session make_session(double similarity) {
  return (fixed_session){.session = {&fixed_vtable}, .similarity = similarity};
}

/* Results -------------------------------------------------------------------------------------- */

/* Keys as "path bucket STRATEGY(why) similarity", joined by "; ": the similarity of compared ones only, "ignored" of
 * ignored ones. */
static inline const char *view_keys(fixture *f, const ee_judge_result *result) {
  static const char *const buckets[] = {"both", "missing", "unexpected", "extra", "neither"};
  ee_buffer_clear(&f->text);
  assert_non_null(result->details);
  for (size_t i = 0; i < ((const ee_quality_result *)result->details)->key_count; i++) {
    const ee_quality_key *key = &((const ee_quality_result *)result->details)->keys[i];
    if (i > 0) ee_buffer_add_text(&f->text, "; ");
    ee_buffer_add_str(&f->text, key->path);
    ee_buffer_addf(&f->text, " %s", buckets[key->bucket]);
    if (key->strategy[0] != '\0') ee_buffer_addf(&f->text, " %s(%s)", key->strategy, key->why);
    if (key->compared) ee_buffer_addf(&f->text, " %g", key->comparison.similarity);
    if (key->ignored) ee_buffer_add_text(&f->text, " ignored");
  }
  return ee_buffer_terminate(&f->text);
}
#define assert_keys(f, result, expected) assert_string_equal(view_keys(f, result), expected)

/* Parts as "rqs accuracy completeness safety hallucination". */
static inline const char *view_parts(fixture *f, const ee_judge_result *result) {
  const double *parts = ((const ee_quality_result *)result->details)->parts;
  assert_non_null(result->case_metrics);
  /* Without a readable answer there is no hallucination. */
  for (size_t i = 0; i < EE_QUALITY_PARTS; i++)
    assert_true(result->case_metrics[i] == parts[i] || (i == EE_QUALITY_HALLUCINATION && parts[i] == 0 &&
                                                        result->score == 0 && result->case_metrics[i] == -1));
  assert_true(result->score == parts[EE_QUALITY_RQS]);
  ee_buffer_clear(&f->text);
  ee_buffer_addf(&f->text, "%.6g %.6g %.6g %.6g %.6g", parts[0], parts[1], parts[2], parts[3], parts[4]);
  return ee_buffer_terminate(&f->text);
}
#define assert_parts(f, result, expected) assert_string_equal(view_parts(f, result), expected)

/* ee.quality with these options, as the only judge; `options` is the inside of a JSON object. */
static inline void quality_rules(fixture *f, const char *options) {
  ee_buffer rules;
  ee_buffer_init(&rules);
  ee_buffer_addf(&rules, "{\"ee\":\"rules\",\"items\":[{\"ee\":\"quality\",\"line\":2%s%s}]}",
                 options[0] != '\0' ? "," : "", options);
  fixture_rules(f, ee_buffer_terminate(&rules));
  ee_buffer_fini(&rules);
}

#endif
