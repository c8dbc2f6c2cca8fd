/* text_difference.h: which characters two texts have in common, for a person who looks for what is different. */
#ifndef EE_REPORT_TEXT_DIFFERENCE_H
#define EE_REPORT_TEXT_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"

/* A run of characters of one text. */
typedef struct ee_text_part {
  ee_str text; /* borrowed from the text; not empty */
  bool same;   /* the other text has it too, in the same order */
} ee_text_part;

/* The runs of a text, in order; together they are the text. */
typedef struct ee_text_parts {
  ee_text_part *items;
  size_t count;
} ee_text_parts;

/* Finds a longest common subsequence of code points of `a` and `b` (valid UTF-8), without common runs so short that
 * they say nothing. False, with nothing set, when the texts are equal, have too little in common, or are too long after
 * their common start and end: then marks would not help. In `arena`; O(n * m) of what is left, at most 1,000,000. */
bool ee_text_difference(ee_str a, ee_str b, ee_arena *arena, ee_text_parts *a_parts, ee_text_parts *b_parts);

#endif
