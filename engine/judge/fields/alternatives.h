/* alternatives.h: fields with several correct answers: ee.any_of over paths, and arrays in the data where a field has
 * `alternatives = true`. The best match counts, once. */
#ifndef EE_JUDGE_FIELDS_ALTERNATIVES_H
#define EE_JUDGE_FIELDS_ALTERNATIVES_H

#include "judge/fields/field.h"

/* Reads the option `alternatives` of the node, or the paths and the strategy of ee.any_of, into `field`, whose other
 * members are set. Errors go to the builder. */
void ee_alternatives_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_field *field);

/* The correct answers that an expected value holds. */
typedef struct ee_alternatives {
  bool several;            /* it is an array of them */
  size_t filled;           /* those that are not empty */
  bool may_be_empty;       /* an empty candidate is correct too */
  const ee_value *answers; /* the array, or that in { anyOf = [...] }; set where there are several */
} ee_alternatives;

ee_alternatives ee_alternatives_of(const ee_field *field, const ee_value *expected);

/* Compares a candidate that is not empty with each of `answers` that are not empty, and sets the class,
 * score and comparison of the best: one that matches, else the most similar or nearest, which the reason names. */
void ee_alternatives_judge(const ee_field *field, ee_context *context, const ee_value *answers,
                           const ee_value *candidate, const ee_script_place *place, ee_field_outcome *outcome);

#endif
