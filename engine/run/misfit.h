/* misfit.h: finds in the totals of a run where the rules do not fit the data.
 *
 * No number may be wrong in silence: whatever the rules cannot read, find or judge is reported under the table of its
 * judge, in JSON, by gates and by the exit status. */
#ifndef EE_RUN_MISFIT_H
#define EE_RUN_MISFIT_H

#include "run/totals.h"

typedef enum ee_misfit_kind {
  EE_MISFIT_IN_ERROR,         /* cases that the judge could not judge */
  EE_MISFIT_UNREAD_EXPECTED,  /* expected values that a strategy cannot read */
  EE_MISFIT_UNREAD_CANDIDATE, /* the same of candidates */
  EE_MISFIT_NOWHERE,          /* a path or key of the rule file that no case has */
  EE_MISFIT_ONE_SIDE,         /* a path that only expected or only candidate documents have */
  EE_MISFIT_MATCH             /* arrays without the fields that pair their items */
} ee_misfit_kind;
/* "in_error", "unread_expected", "unread_candidate", "nowhere", "one_side", "match". */
const char *ee_misfit_kind_name(ee_misfit_kind kind);

typedef struct ee_misfit {
  ee_misfit_kind kind;
  ee_str field; /* the attribute, path or key; empty: the whole judge */
  ee_str text;  /* the sentence */
  bool grave;   /* caused by the rules: --strict fails */
} ee_misfit;

typedef struct ee_misfit_list {
  EE_LIST(ee_misfit);
} ee_misfit_list;

/* What does not fit in one judge, in `arena`. `judge` NULL: one of stored rows, where only unread values and cases
 * in error are known. `chosen`: only some cases were judged, which may lack a path that other cases have, so paths are
 * not checked. Empty without cases. */
ee_misfit_list ee_misfits_of(const ee_judge *judge, const ee_judge_total *total, bool chosen, ee_arena *arena);

/* The expected values of an attribute that are not empty. */
uint64_t ee_attribute_expected(const ee_attribute_total *attribute);
/* The share of them that its strategy cannot read, 0..1; 0 without values. */
double ee_attribute_unread_share(const ee_attribute_total *attribute);

/* Whether attribute `number` of the judge is a required field of the rule file that no case has. */
bool ee_field_is_nowhere(const ee_judge *judge, const ee_judge_total *total, size_t number);

#endif
