/* edit.h: edit distances between texts and similarities derived from them.
 *
 * Texts are valid UTF-8; lengths and distances count code points. ASCII pairs are not decoded. */
#ifndef EE_PRIM_EDIT_H
#define EE_PRIM_EDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"

/* A limit that no distance reaches. */
#define EE_NO_LIMIT SIZE_MAX

/* The Levenshtein distance (insertions, deletions, substitutions, each 1) of `a` and `b`, or limit + 1 if it exceeds
 * `limit` (EE_NO_LIMIT: none). `scratch` is used and rewound, here and below.
 *
 * Bit-parallel: Myers 1999 in Hyyro's 2003 form, in blocks of 64 for longer texts: O(ceil(m/64) * n), and
 * O(limit * n / 64) with a limit. Common prefix and suffix are removed first. */
size_t ee_levenshtein(ee_str a, ee_str b, size_t limit, ee_arena *scratch);

/* The largest distance d with 1 - d/longer >= `threshold` (0..1), where `longer` > 0 is the length of the longer text
 * in code points; SIZE_MAX if not even 0 qualifies (threshold > 1). Uses ee_ratio_reaches(), so a threshold written as
 * a decimal is met exactly: distance 4 of 20 passes at 0.8. */
size_t ee_edit_limit(double threshold, size_t longer);

/* 1 - distance / longer, computed as one quotient of whole numbers; 1 for two empty texts. The only place where a
 * distance becomes a similarity. `distance` is at most `longer`, the length of the longer text. 0..1. */
static inline double ee_edit_similarity(size_t distance, size_t longer) {
  return longer == 0 ? 1 : (double)(longer - distance) / (double)longer;
}

/* ee_edit_similarity() of two texts. */
double ee_levenshtein_similarity(ee_str a, ee_str b, ee_arena *scratch);

/* True if parts/whole >= threshold, with a relative slack of 2^-50 for the rounding of a threshold written as a
 * decimal; a `whole` of 0 counts as the ratio 1. The only place where a ratio of whole numbers is compared with a
 * threshold. */
bool ee_ratio_reaches(size_t parts, size_t whole, double threshold);

/* Jaro-Winkler similarity: Jaro's (window max/2 - 1; transpositions are half the matches out of order, rounded down)
 * plus prefix * 0.1 * (1 - jaro), always applied; prefix is the number of common first code points, at most 4. 1 for
 * two empty texts, 0 if one is empty. 0..1. Winkler 1990. */
double ee_jaro_winkler(ee_str a, ee_str b, ee_arena *scratch);
double ee_jaro(ee_str a, ee_str b, ee_arena *scratch);
/* The number of common first code points, at most 4. */
size_t ee_winkler_prefix(ee_str a, ee_str b);

/* The length of the longest common subsequence in code points. */
size_t ee_lcs_length(ee_str a, ee_str b, ee_arena *scratch);

/* 2 * LCS / (sum of lengths), the "ratio": similarity by insertions and deletions only; 1 for two empty texts. */
double ee_ratio(ee_str a, ee_str b, ee_arena *scratch);

/* The part of the longer text that is most like the shorter one. */
typedef struct ee_part {
  bool of_a;            /* of `a`; else of `b`, or the texts are as long as each other and `b` has the better one */
  size_t whole;         /* code points of the other text, which is compared as a whole */
  size_t start, length; /* of the part, in code points; 0, 0 if nothing is in common */
  size_t common;        /* of both: the length of the longest common subsequence */
} ee_part;

/* Finds the part with the highest ee_ratio(), 2 * common / (whole + length), among all parts of the longer text that
 * are as long as the shorter one, and the shorter ones at both ends; the first of equals, of `b` before `a`. Of texts
 * of one length, parts of both. All 0 if a text is empty.
 *
 * O(n * m * ceil(m/64)) for lengths m <= n in the worst case, but parts that cannot be better are left out. */
ee_part ee_best_part(ee_str a, ee_str b, ee_arena *scratch);

/* The ratio of that part, 0..1; 1 for two empty texts, 0 if one is empty. It is rapidfuzz's partial_ratio, which looks
 * for the best part in the same places. */
double ee_partial_ratio(ee_str a, ee_str b, ee_arena *scratch);

#endif
