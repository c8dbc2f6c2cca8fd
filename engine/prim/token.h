/* token.h: similarities of texts as bags of words.
 *
 * A token is a run of code points that are not white space (Unicode White_Space). All results are 0..1: 1 for two texts
 * without tokens, 0 if only one has none. `scratch` is rewound. */
#ifndef EE_PRIM_TOKEN_H
#define EE_PRIM_TOKEN_H

#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"

/* Splits `text` into tokens, in order; the array (borrowing `text`) lives in `arena`. Returns the count. */
size_t ee_tokens(ee_str text, ee_arena *arena, ee_str **tokens);

/* The tokens, sorted bytewise and joined by one space, in `arena`. */
ee_str ee_token_sorted(ee_str text, ee_arena *arena);
/* ee_ratio() of the two sorted texts. */
double ee_token_sort(ee_str a, ee_str b, ee_arena *scratch);

/* Let I be the distinct tokens in both texts, A and B those in one text only, each sorted and joined by one space. The
 * result is the largest ee_ratio() among (I, I+A), (I, I+B), (I+A, I+B); 1 if I is not empty and A or B is empty. */
double ee_token_set(ee_str a, ee_str b, ee_arena *scratch);
/* The three ratios; all 1, or all 0, where the result is so by definition. */
void ee_token_set_ratios(ee_str a, ee_str b, ee_arena *scratch, double ratios[3]);

/* F1 of the tokens as multisets: 2 * common / (count a + count b). As in SQuAD, but without its normalisation. */
double ee_token_f1(ee_str a, ee_str b, ee_arena *scratch);
/* The same as whole numbers, for an exact comparison: *parts = 2 * common, *whole = count a + count b. */
void ee_token_f1_parts(ee_str a, ee_str b, ee_arena *scratch, size_t *parts, size_t *whole);

#endif
