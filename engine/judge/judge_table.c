/* judge_table.c: all judges, and what they share. */
#include <math.h>

#include "judge/judge.h"
#include "prim/number.h"

const ee_judge_type *const ee_judge_types[] = {
    &ee_fields_judge,    &ee_line_items_judge,     &ee_quality_judge,   &ee_tree_judge,
    &ee_iou_score_judge, &ee_distance_score_judge, &ee_detection_judge, &ee_extraction_judge,
    &ee_spans_judge,     &ee_confusion_judge,      &ee_schema_judge,    &ee_script_judge,
    &ee_llm_judge,       &ee_code_judge,           &ee_exec_judge,      NULL};

const ee_judge_type *ee_judge_type_find(ee_str name) {
  for (size_t i = 0; ee_judge_types[i] != NULL; i++) {
    if (ee_str_is(name, ee_judge_types[i]->name)) return ee_judge_types[i];
  }
  return NULL;
}

const ee_option ee_judge_shared_options[] = {
    {.name = "name",
     .type = EE_OPTION_TEXT,
     .default_text = "the judge's type",
     .help = "The name in reports and gates; a second judge of the same type needs one."},
    {.name = "weight",
     .type = EE_OPTION_NUMBER,
     .default_text = "1",
     .help = "The judge's weight in the case's score.",
     .min = 0,
     .max = INFINITY},
    {.name = "verdict",
     .lua_type = "ee.verdict",
     .type = EE_OPTION_TABLE,
     .default_text = "as in ee.rules",
     .help = "{ pass = 0.8, borderline = 0.6 }: the lowest scores that pass and that are borderline."},
    {.name = "when",
     .lua_type = "fun(case: ee.case): boolean",
     .type = EE_OPTION_FUNCTION,
     .default_text = "none",
     .help = "A function of the case; if it returns false the judge does not judge the case, which is in none of its "
             "counts and means, and the case's score is that of the other judges."},
    {.name = "repair",
     .type = EE_OPTION_BOOL,
     .default_text = "that of ee.rules",
     .help = "Judge candidates that are nearly JSON by what can be repaired."},
    {.name = NULL},
};

ee_verdict ee_verdict_of(double score, ee_verdict_limits limits) {
  if (ee_score_reaches(score, limits.pass)) return EE_VERDICT_PASS;
  return ee_score_reaches(score, limits.borderline) ? EE_VERDICT_BORDERLINE : EE_VERDICT_FAIL;
}
