/* details.h: the `details` of a row, of a judge that builds them itself.
 *
 * Trees in the case's arena; of each list EE_DETAILS_SHOWN entries, and `truncated` says where more were.
 */
#ifndef EE_JUDGE_DETAILS_H
#define EE_JUDGE_DETAILS_H

#include "judge/result.h"

#define EE_DETAILS_SHOWN 50

typedef struct ee_details {
  ee_arena *arena;
  ee_value *tree; /* an object */
  bool truncated;
} ee_details;

/* Begins with `metrics`, the counts and figures of the result's attributes. */
void ee_details_start(ee_details *details, ee_arena *arena, const ee_judge_result *result);
void ee_details_set(ee_details *details, ee_value *object, const char *key, ee_value *value);
void ee_details_set_number(ee_details *details, ee_value *object, const char *key, double number);
/* Whether one more entry may be shown after `shown`; notes that one is not. */
bool ee_details_have_room(ee_details *details, uint32_t shown);
/* Adds `vacuous` and `truncated` where they are so, and returns the tree. */
const ee_value *ee_details_finish(ee_details *details, const ee_judge_result *result);

#endif
