/* token.h: similarities of texts as bags, sets and sequences of tokens.
 *
 * What a token is, the tokenizer says (prim/tokenizer.h). Results are 0..1: 1 for two texts without tokens, 0 if only
 * one has none. `scratch` is rewound. */
#ifndef EE_PRIM_TOKEN_H
#define EE_PRIM_TOKEN_H

#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"
#include "prim/tokenizer.h"

/* The tokens, sorted bytewise and joined by one space, in `arena`. */
ee_str ee_token_sorted(ee_str text, ee_tokenizer tokenizer, ee_arena *arena);
/* ee_ratio() of the two sorted texts. */
double ee_token_sort(ee_str a, ee_str b, ee_tokenizer tokenizer, ee_arena *scratch);
/* ee_partial_ratio() of the two sorted texts; rapidfuzz's partial_token_sort_ratio. */
double ee_partial_token_sort(ee_str a, ee_str b, ee_tokenizer tokenizer, ee_arena *scratch);

/* Let I be the distinct tokens in both texts, A and B those in one text only, each sorted and joined by one space. The
 * result is the largest ee_ratio() among (I, I+A), (I, I+B), (I+A, I+B); 1 if I is not empty and A or B is empty. */
double ee_token_set(ee_str a, ee_str b, ee_tokenizer tokenizer, ee_arena *scratch);
/* The three ratios; all 1, or all 0, where the result is so by definition. */
void ee_token_set_ratios(ee_str a, ee_str b, ee_tokenizer tokenizer, ee_arena *scratch, double ratios[3]);
/* 1 if I is not empty, else ee_partial_ratio() of A and B; rapidfuzz's partial_token_set_ratio. */
double ee_partial_token_set(ee_str a, ee_str b, ee_tokenizer tokenizer, ee_arena *scratch);
/* The same before the ratio is computed: 1 or 0 where the result is so by definition; else -1, and A and B in `arena`.
 */
int ee_token_set_rests(ee_str a, ee_str b, ee_tokenizer tokenizer, ee_arena *arena, ee_str *rest_a, ee_str *rest_b);

/* F1 of the tokens as multisets: 2 * common / (count a + count b). As in SQuAD, whose normal form is a tokenizer. */
double ee_token_f1(ee_str a, ee_str b, ee_tokenizer tokenizer, ee_arena *scratch);
/* The same as whole numbers, for an exact comparison: *parts = 2 * common, *whole = count a + count b. */
void ee_token_f1_parts(ee_str a, ee_str b, ee_tokenizer tokenizer, ee_arena *scratch, size_t *parts, size_t *whole);

/* ROUGE-L, the F-measure of the longest common subsequence of tokens: *parts = 2 * its length, *whole = count a + count
 * b. With precision L/count b and recall L/count a, as equal weights (beta = 1) make it in rouge-score; Lin 2004. */
void ee_rouge_l_parts(ee_str a, ee_str b, ee_tokenizer tokenizer, ee_arena *scratch, size_t *parts, size_t *whole);

/* The word error rate is *edits / *tokens: insertions, deletions and substitutions of tokens, by the tokens expected.
 * It is above 1 where more is wrong than is expected. jiwer's, whose default tokens are split at white space. */
void ee_wer_parts(ee_str expected, ee_str candidate, ee_tokenizer tokenizer, ee_arena *scratch, size_t *edits,
                  size_t *tokens);
/* The same of code points, with white space, but without that at both ends: the character error rate. */
void ee_cer_parts(ee_str expected, ee_str candidate, ee_arena *scratch, size_t *edits, size_t *points);

#endif
