/* absent_path.h: for a path of the rule file that is absent on one or both sides, finds the keys that occur instead.
 *
 * The keys next to the path are kept of some cases without it: those whose ids come first in byte order, so that they
 * depend neither on the order of the data nor on how they are partitioned. */
#ifndef EE_RUN_ABSENT_PATH_H
#define EE_RUN_ABSENT_PATH_H

#include "base/arena.h"
#include "base/buffer.h"
#include "judge/result.h"
#include "run/case_example.h"

/* Max cases that are examined, and keys of each. */
#define EE_ABSENT_CASES 16
#define EE_ABSENT_KEYS 40

typedef struct ee_absent_path {
  bool there[2]; /* by ee_document_side: a case has the path */
  struct ee_absent_side {
    uint32_t cases; /* examined cases without the path; 0 once a case has it */
    ee_case_example
        *items; /* these, by id; NULL: none yet. text: "[" where an array is; else of each key "+" where its value
              agrees with the other document's value at the path, or "-", its length, ":" and its name */
  } sides[2];
} ee_absent_path;

/* Adds a case. Everything kept is in `arena`; `text` is scratch. */
void ee_absent_path_add(ee_absent_path *path, ee_arena *arena, const ee_attribute_result *attribute, ee_str id,
                        ee_buffer *text);
/* Adds `from`. */
void ee_absent_path_merge(ee_absent_path *path, ee_arena *arena, const ee_absent_path *from);

/* Writes it, or reads it into an empty one. */
void ee_absent_path_state(ee_state_line *line, ee_arena *arena, ee_absent_path *path);

/* The number of examined cases in which the document has an array where an object should be. */
uint32_t ee_absent_path_arrays(const ee_absent_path *path, ee_document_side side);

/* The key that was most likely meant by `name`, the last step of the absent path: the one whose value agrees most often
 * with the other document, in at least a third of the cases; otherwise the one with the most similar name. Of equal
 * ones the first, in the order of the cases. Keys in `taken` (NULL-terminated) belong to other fields. Empty if no
 * key fits. `*agreed` gets the number of cases in which it agrees. */
ee_str ee_absent_path_meant(const ee_absent_path *path, ee_document_side side, ee_str name, const char *const *taken,
                            ee_arena *arena, uint32_t *agreed);

#endif
