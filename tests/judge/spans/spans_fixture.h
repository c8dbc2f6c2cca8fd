/* spans_fixture.h: one record judged by ee.spans, for tests of it. */
#ifndef EE_TESTS_JUDGE_SPANS_SPANS_FIXTURE_H
#define EE_TESTS_JUDGE_SPANS_SPANS_FIXTURE_H

#include "judge/plan_fixture.h"

#include "judge/spans/spans.h"

#define RULES(options) "{\"ee\":\"rules\",\"items\":[{\"ee\":\"spans\"" options "}]}"

static inline void open_rules(fixture *f, const char *rules) {
  fixture_open(f);
  fixture_rules(f, rules);
}

/* "strict 2 3 0 0 0; exact ...": correct, incorrect, partial, missed, spurious of each scheme. */
static inline const char *schemes_of(fixture *f, const ee_judge_result *result) {
  const ee_spans_case *found = result->corpus_part;
  ee_buffer_clear(&f->text);
  for (ee_span_scheme scheme = EE_SCHEME_STRICT; scheme < EE_SPAN_SCHEMES; scheme++) {
    ee_span_counts counts = ee_span_tally_counts(&found->all, scheme);
    ee_buffer_addf(&f->text, "%s%s %d %d %d %d %d", scheme > 0 ? "; " : "", ee_span_scheme_name(scheme),
                   (int)counts.correct, (int)counts.incorrect, (int)counts.partial, (int)counts.missed,
                   (int)counts.spurious);
    assert_int_equal(counts.possible, counts.correct + counts.incorrect + counts.partial + counts.missed);
    assert_int_equal(counts.actual, counts.correct + counts.incorrect + counts.partial + counts.spurious);
  }
  return ee_buffer_terminate(&f->text);
}

/* Judges with rules of their own. */
#define assert_spans(rules, expected, candidate, wanted_score, counted, misses)                                        \
  do {                                                                                                                 \
    fixture one;                                                                                                       \
    open_rules(&one, rules);                                                                                           \
    const ee_judge_result *result = fixture_judge_case(&one, expected, candidate);                                     \
    assert_string_equal(schemes_of(&one, result), counted);                                                            \
    assert_misses(&one, result, misses);                                                                               \
    assert_true(result->score == (wanted_score));                                                                      \
    fixture_close(&one);                                                                                               \
  } while (0)

#endif
