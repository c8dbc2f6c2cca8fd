/* run_labels.h: short names for runs, by their files. */
#ifndef EE_REPORT_RUN_LABELS_H
#define EE_REPORT_RUN_LABELS_H

#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"

/* A label for each of the `count` names, as short as tells the files apart, the same for all: the file's name without
 * what rows usually end in ("b" of "runs/b.jsonl.gz"), with it, then with one more folder at a time. A file that is
 * there twice has its number: "b (2)". In `arena`, or in the names. O(count^2). */
const ee_str *ee_run_labels(const char *const *names, size_t count, ee_arena *arena);

#endif
