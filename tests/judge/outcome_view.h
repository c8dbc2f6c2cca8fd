/* outcome_view.h: what must hold for the outcomes of every judge in full detail. */
#ifndef EE_TESTS_JUDGE_OUTCOME_VIEW_H
#define EE_TESTS_JUDGE_OUTCOME_VIEW_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "judge/judge.h"
#include "judge/outcome.h"

/* The number of outcomes by attribute and class. */
typedef struct class_counts {
  uint64_t of[EE_CLASS_UNREAD + 1];
} class_counts;

static inline class_counts count_classes(const ee_judge_result *result, ee_str attribute) {
  class_counts counts = {{0}};
  for (size_t i = 0; i < result->outcome_count; i++)
    if (ee_str_equal(result->outcomes[i].attribute, attribute)) counts.of[result->outcomes[i].value_class]++;
  return counts;
}

/* The classes of the outcomes of each attribute add up to its counts. Judges of lists of boxes or spans count an
 * incorrect candidate as spurious besides a missing value. Further thresholds and the labels of ee.iou_score count the
 * outcomes of its lowest threshold again. */
static inline void assert_outcomes_add_up(const ee_judge_result *result) {
  if (result->outcomes_cut) return;
  ee_str type = ee_str_from(result->judge->type->name);
  bool apart = ee_str_is(type, "detection") || ee_str_is(type, "extraction");
  for (size_t k = 0; k < result->attribute_count && !result->judge->brings_counts; k++) {
    const ee_attribute_result *attribute = &result->attributes[k];
    if (ee_str_is(type, "iou_score") && attribute->slot != 0) continue;
    class_counts classes = count_classes(result, attribute->name);
    const uint64_t *of = classes.of;
    const ee_counts *counts = &attribute->counts;
    uint64_t fn = of[EE_CLASS_MISSING] + (apart ? 0 : of[EE_CLASS_WRONG]);
    if (of[EE_CLASS_TP] != counts->tp || of[EE_CLASS_TN] != counts->tn || of[EE_CLASS_WRONG] != counts->wrong ||
        of[EE_CLASS_WRONG] + of[EE_CLASS_INVENTED] != counts->fp || fn != counts->fn ||
        of[EE_CLASS_UNREAD] != counts->unread)
      fail_msg("%s, %.*s: outcomes tp %d tn %d incorrect %d spurious %d missing %d unread %d, counts tp %d tn %d fp %d "
               "fn %d wrong %d unread %d",
               result->judge->type->name, EE_STR_ARG(attribute->name), (int)of[EE_CLASS_TP], (int)of[EE_CLASS_TN],
               (int)of[EE_CLASS_WRONG], (int)of[EE_CLASS_INVENTED], (int)of[EE_CLASS_MISSING], (int)of[EE_CLASS_UNREAD],
               (int)counts->tp, (int)counts->tn, (int)counts->fp, (int)counts->fn, (int)counts->wrong,
               (int)counts->unread);
  }
}

#endif
