/* infer.h: rules for a data set that has none.
 *
 * The cases are surveyed once, each path gets a strategy for what its values are, and the result is the text of a rule
 * file. It is loaded like one that a person wrote, so that what runs is what is saved. */
#ifndef EE_INFER_INFER_H
#define EE_INFER_INFER_H

#include "data/expected_set.h"
#include "data/files/dataset.h"
#include "infer/choose.h"
#include "infer/native_rules.h"
#include "infer/rules_text.h"
#include "judge/rule_text/lua_text.h"
#include "run/where.h"

typedef struct ee_inference {
  ee_profile profile;
  ee_choices choices;
  const char *judged; /* rules by the kind of the files and not by their values: what is compared by which judge; in the
                         arena; NULL: the values decided */
  ee_arena arena;     /* of the choices */
  ee_buffer text;     /* the rule file */
} ee_inference;

/* Call ee_infer_fini() in either case. */
void ee_infer_init(ee_inference *inference);
void ee_infer_fini(ee_inference *inference);
/* Forgets the data; texts in the arena stay. */
void ee_infer_restart(ee_inference *inference);

/* Reads the data as ee_survey() does, and fills the inference. EE_ERROR_SYSTEM; EE_ERROR_DATA when no expected value
 * can be judged, with the reason. */
ee_status ee_infer(ee_inference *inference, ee_dataset *dataset, ee_expected_set *expected,
                   const ee_record_paths *paths, const ee_case_choice *choice, const ee_rules_origin *origin,
                   ee_error *error);

/* The rules for COCO annotations and detections, which need no survey. */
void ee_infer_detections(ee_inference *inference, const ee_rules_origin *origin);

#endif
