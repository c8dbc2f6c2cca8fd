/* name_join.h: files of answers that are called like the expected values, with something before or after:
 * X_predicted.json for X. */
#ifndef EE_DATA_NAME_JOIN_H
#define EE_DATA_NAME_JOIN_H

#include "data/expected_set.h"
#include "data/files/dataset.h"

typedef struct ee_name_join {
  ee_str prefix, suffix; /* of the files' names; in the arena */
  size_t joined;         /* files that have them and the name of an expected value between them */
} ee_name_join;

/* Compares the ids of `expected` with the names of the files of `dataset` that come from directories. If no name is an
 * id, finds the prefix and suffix with which the most names are one. A letter or digit of the id is next to none of
 * theirs. They must join half of the smaller side, and more than any other pair, or be the only one of the best that
 * has a word for answers in it ("pred", "answer", "output", ...). False if there is no such pair. */
bool ee_name_join_find(const ee_expected_set *expected, const ee_dataset *dataset, ee_arena *arena, ee_name_join *join);

#endif
