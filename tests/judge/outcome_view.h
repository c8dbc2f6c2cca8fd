/* outcome_view.h: what must hold for the outcomes of every judge, and their text. */
#ifndef EE_TESTS_JUDGE_OUTCOME_VIEW_H
#define EE_TESTS_JUDGE_OUTCOME_VIEW_H

#include "judge/plan_fixture.h"

/* The classes of the outcomes of each attribute add up to its counts, and every outcome belongs to one. */
static inline void assert_outcomes_add_up(const ee_judge_result *result) {
  if (result->outcomes_cut) return;
  size_t counted = 0, named = 0;
  for (size_t i = 0; i < result->outcome_count; i++) named += result->outcomes[i].attribute.length > 0;
  for (size_t k = 0; k < result->attribute_count; k++) {
    const ee_attribute_result *attribute = &result->attributes[k];
    ee_counts sum = {0};
    for (size_t i = 0; i < result->outcome_count; i++) {
      const ee_outcome *outcome = &result->outcomes[i];
      if (!ee_str_equal(outcome->attribute, attribute->name)) continue;
      ee_counts_add_class(&sum, outcome->value_class);
      counted++;
    }
    const ee_counts *counts = &attribute->counts;
    if (sum.tp != counts->tp || sum.tn != counts->tn || sum.fp != counts->fp || sum.fn != counts->fn ||
        sum.wrong != counts->wrong || sum.unread != counts->unread)
      fail_msg("%.*s: outcomes %d %d %d %d %d, counts %d %d %d %d %d", EE_STR_ARG(attribute->name), (int)sum.tp,
               (int)sum.tn, (int)sum.fp, (int)sum.fn, (int)sum.unread, (int)counts->tp, (int)counts->tn,
               (int)counts->fp, (int)counts->fn, (int)counts->unread);
  }
  assert_int_equal(counted, named);
}

/* The outcomes as JSON in the fixture's buffer. */
static inline const char *fixture_outcomes(fixture *f, const ee_judge_result *result) {
  ee_buffer_clear(&f->text);
  ee_outcomes_write(result, &f->arena, &f->text);
  return ee_buffer_terminate(&f->text);
}

#endif
