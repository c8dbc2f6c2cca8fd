/* geometry_fixture.h: ee.iou_score and ee.distance_score on the lists at one path. */
#ifndef EE_TESTS_JUDGE_GEOMETRY_GEOMETRY_FIXTURE_H
#define EE_TESTS_JUDGE_GEOMETRY_GEOMETRY_FIXTURE_H

#include "judge/plan_fixture.h"

#include <math.h>

/* ee.JUDGE { "PATH", options }; `options` begins with a comma unless it is empty. */
static inline void geometry_rules(fixture *f, const char *judge, const char *path, const char *options) {
  fixture_open(f);
  char text[1024];
  snprintf(text, sizeof text, "{\"ee\":\"rules\",\"items\":[{\"ee\":\"%s\",\"items\":[\"%s\"]%s}]}", judge, path,
           options);
  fixture_rules(f, text);
}

/* Judges {"PATH": expected} and {"PATH": candidate}. */
static inline const ee_judge_result *judge_lists_at(fixture *f, const char *path, const char *expected,
                                                    const char *candidate) {
  char a[2048], b[2048];
  snprintf(a, sizeof a, "{\"%s\":%s}", path, expected);
  snprintf(b, sizeof b, "{\"%s\":%s}", path, candidate);
  return fixture_judge_case(f, a, b);
}

static inline void assert_score(const ee_judge_result *result, double score) {
  if (fabs(result->score - score) > 1e-15) fail_msg("score %.17g, not %.17g", result->score, score);
}

static inline void assert_details(fixture *f, const ee_judge_result *result, const char *expected) {
  ee_buffer_clear(&f->text);
  fixture_write_details(result, &f->text);
  assert_string_equal(ee_buffer_terminate(&f->text), expected);
}

#endif
