/* absent_path.h: a path of the rule file that one document or both lack in every case: which keys are there instead.
 *
 * Of the first cases without the path, all keys around it are kept: any partition of the data keeps the same. */
#ifndef EE_RUN_ABSENT_PATH_H
#define EE_RUN_ABSENT_PATH_H

#include "base/arena.h"
#include "base/list.h"
#include "judge/result.h"

/* Cases that are looked at, and keys of each. */
#define EE_ABSENT_CASES 16
#define EE_ABSENT_KEYS 40

typedef struct ee_absent_key {
  ee_str name;
  uint32_t number; /* of the case, from 0 */
  bool agrees;     /* its value is what the other document has at the path */
  bool is_array;   /* no key: an array is where an object should be */
} ee_absent_key;

typedef struct ee_absent_path {
  bool there[2]; /* by ee_document_side: a case has the path */
  struct ee_absent_side {
    uint32_t cases; /* without the path, looked at */
    EE_LIST(ee_absent_key);
  } sides[2];
} ee_absent_path;

/* Adds a case. Everything kept is in `arena`. */
void ee_absent_path_add(ee_absent_path *path, ee_arena *arena, const ee_attribute_result *attribute);
/* Adds `from`, whose cases come later. */
void ee_absent_path_merge(ee_absent_path *path, ee_arena *arena, const ee_absent_path *from);

/* The number of the cases looked at in which the document has an array where an object should be. */
uint32_t ee_absent_path_arrays(const ee_absent_path *path, ee_document_side side);

/* The key in a document that lacks the path which most likely is meant by `name`, the last step of the path: the one
 * that agrees most often with the other document, in a third of the cases at least; else the one that reads nearly the
 * same. Keys in `taken` (NULL-terminated) belong to other fields. Empty if there is none. `*agreed` gets the number of
 * cases in which it agrees. */
ee_str ee_absent_path_meant(const ee_absent_path *path, ee_document_side side, ee_str name, const char *const *taken,
                            ee_arena *arena, uint32_t *agreed);

#endif
