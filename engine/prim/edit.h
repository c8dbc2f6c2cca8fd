/* edit.h: edit distances between texts.
 *
 * Layer: prim (pure functions over slices; no JSON, Lua or stdio). Texts are valid UTF-8; lengths and distances count
 * code points. ASCII pairs take a path without decoding. */
#ifndef EE_PRIM_EDIT_H
#define EE_PRIM_EDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"

/* A limit that no distance reaches. */
#define EE_NO_LIMIT SIZE_MAX

/* The Levenshtein distance (insertions, deletions, substitutions, each 1) of `a` and `b`, or limit + 1 as soon as it is
 * known to exceed `limit` (EE_NO_LIMIT: never). `scratch` is used and rewound.
 *
 * Bit-parallel: Myers 1999 in Hyyro's 2003 form, in blocks of 64 for longer texts: O(ceil(m/64) * n), and
 * O(limit * n / 64) with a limit. Common prefix and suffix are taken off first. */
size_t ee_levenshtein(ee_str a, ee_str b, size_t limit, ee_arena *scratch);

/* The largest distance d at which 1 - d/longer is at least `threshold` (0..1), where `longer` > 0 is the longer text's
 * length in code points; SIZE_MAX stands for "not even 0" (threshold > 1). Decided so that a threshold written as a
 * decimal is met exactly: 4 of 20 passes at 0.8. */
size_t ee_edit_limit(double threshold, size_t longer);

/* 1 - distance / longer, 1 for two empty texts, as the quotient of whole numbers that it is: the one place where a
 * distance becomes a similarity. `distance` is at most `longer`, the longer text's length. 0..1. */
static inline double ee_edit_similarity(size_t distance, size_t longer) {
  return longer == 0 ? 1 : (double)(longer - distance) / (double)longer;
}

/* ee_edit_similarity() of two texts. */
double ee_levenshtein_similarity(ee_str a, ee_str b, ee_arena *scratch);

/* True when parts/whole >= threshold, forgiving the rounding of a threshold written as a decimal (slack 2^-50,
 * relative); whole = 0 counts as 1. The one place where a ratio of whole numbers meets a threshold. */
bool ee_ratio_reaches(size_t parts, size_t whole, double threshold);

/* Jaro-Winkler similarity: Jaro's (window max/2 - 1; transpositions are half the matches out of order, rounded down)
 * plus prefix * 0.1 * (1 - jaro) over at most 4 common first code points, always applied. 1 for two empty texts, 0 when
 * one is empty. 0..1. Winkler 1990. */
double ee_jaro_winkler(ee_str a, ee_str b, ee_arena *scratch);
double ee_jaro(ee_str a, ee_str b, ee_arena *scratch);

/* The length of the longest common subsequence in code points. */
size_t ee_lcs_length(ee_str a, ee_str b, ee_arena *scratch);

/* 2 * LCS / (sum of lengths): the similarity under insertions and deletions only ("ratio"); 1 for two empty texts. */
double ee_ratio(ee_str a, ee_str b, ee_arena *scratch);

#endif
