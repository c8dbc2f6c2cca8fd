/* bench_keys.h: the keys of extractions as run.json has them.
 *
 * */
#ifndef EE_REPORT_BENCH_KEYS_H
#define EE_REPORT_BENCH_KEYS_H

#include "data/json/value.h"
#include "judge/extraction/extraction_keys.h"

/* The keys of the list `extractions` of a trial (anything else: none), in `arena`; they borrow from it. */
ee_extraction_keys ee_bench_keys_of(const ee_value *extractions, ee_arena *arena);

/* charStart and charEnd of an extraction; false, and both as they were, where one is none. */
bool ee_bench_offsets_of(const ee_value *extraction, int64_t *start, int64_t *end);

#endif
