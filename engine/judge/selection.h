/* selection.h: which judges judge which case, where a data set says so case by case.
 *
 * Built while a data set's evaluators are read, immutable afterwards. Lives in the plan's arena. */
#ifndef EE_JUDGE_SELECTION_H
#define EE_JUDGE_SELECTION_H

#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

typedef struct ee_selection ee_selection;

/* Nothing selected yet. A case whose id is not in it is judged by no judge: it is not of the data set. */
ee_selection *ee_selection_new(ee_arena *arena);
/* The case `id` is judged by the `count` judges of these numbers, ascending (copied). The first of equal ids stays. */
void ee_selection_add(ee_selection *selection, ee_str id, const uint32_t *judges, size_t count);
/* The numbers of the judges of case `id`; `*count` is 0 with a pointer that is not NULL where none judges it, and with
 * NULL where the id is not known. O(1). */
const uint32_t *ee_selection_find(const ee_selection *selection, ee_str id, size_t *count);

/* Of all that was added, in its order: another assignment is another evaluation. NULL gives 0. */
uint64_t ee_selection_hash(const ee_selection *selection);

#endif
