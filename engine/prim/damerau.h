/* damerau.h: other distances of texts: edits with swaps of neighbours, and places that differ.
 *
 * Texts are valid UTF-8; lengths and distances count code points. `scratch` is used and rewound. */
#ifndef EE_PRIM_DAMERAU_H
#define EE_PRIM_DAMERAU_H

#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"

/* The Damerau-Levenshtein distance: insertions, deletions, substitutions and swaps of neighbours, each 1; between two
 * swapped code points others may have been inserted or deleted. A metric.
 *
 * Lowrance and Wagner 1975, in the linear memory of Zhao and Sahni 2020: O(m * n). */
size_t ee_damerau(ee_str a, ee_str b, ee_arena *scratch);

/* The optimal string alignment distance: the same, but no part of a text is edited twice, so that ("ca", "abc") costs 3
 * instead of 2. Not a metric: the triangle inequality does not hold.
 *
 * Hyyro 2003 while the shorter text has at most 64 code points, else the table by rows: O(m * n). */
size_t ee_osa(ee_str a, ee_str b, ee_arena *scratch);

/* The number of places at which the texts differ; each code point that the longer one has more counts as one. O(n). */
size_t ee_hamming(ee_str a, ee_str b);

#endif
