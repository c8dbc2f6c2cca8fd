/* ngram.h: similarities of texts by their n-grams: Dice, chrF and BLEU.
 *
 * The first text is the expected one, the reference. `scratch` is used and rewound. */
#ifndef EE_PRIM_NGRAM_H
#define EE_PRIM_NGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"
#include "prim/tokenizer.h"

/* The largest n. */
#define EE_NGRAM_LIMIT 16

/* The n-grams of one length, as multisets. Counts of several pairs of texts may be added up. */
typedef struct ee_ngram_count {
  size_t expected, candidate, common;
} ee_ngram_count;

/* Counts the n-grams of lengths 1 to `order` (at most EE_NGRAM_LIMIT) into counts[0] to counts[order - 1]. Expected
 * O(order * length). */
void ee_ngram_counts(ee_symbols expected, ee_symbols candidate, size_t order, ee_ngram_count *counts,
                     ee_arena *scratch);

/* Dice's coefficient of the n-grams of code points, as multisets: *parts = 2 * common, *whole = their numbers in both
 * texts. A text of fewer than n code points is one n-gram. Kondrak et al. 2003, with n = 2. */
void ee_dice_parts(ee_str a, ee_str b, size_t n, ee_arena *scratch, size_t *parts, size_t *whole);

/* chrF (Popovic 2015), and chrF++ with words (2017). */
typedef struct ee_chrf {
  size_t order;      /* the longest n-grams of code points, without white space; 6 */
  size_t word_order; /* those of words, with punctuation apart at one end; 0, or 2 for chrF++ */
  double beta;       /* recall counts beta times as much as precision; 2 */
  ee_ngram_count counts[2 * EE_NGRAM_LIMIT];
} ee_chrf;

/* Fills the counts. As sacrebleu does, an order that the expected text has no n-grams of is not counted. */
void ee_chrf_count(ee_chrf *chrf, ee_str expected, ee_str candidate, ee_arena *scratch);

/* The mean precision and recall over the orders for which both texts have n-grams; false, and 0, if no order has
 * n-grams in both. */
bool ee_chrf_means(const ee_chrf *chrf, double *precision, double *recall);

/* (1 + beta^2) * P * R / (beta^2 * P + R), 0..1: sacrebleu's chrF2 is 100 times that. 0 if there is no such order. */
double ee_chrf_score(const ee_chrf *chrf);

/* BLEU (Papineni et al. 2002). */
typedef struct ee_bleu {
  size_t order;                          /* the longest n-grams of tokens; 4 */
  size_t expected, candidate;            /* tokens */
  ee_ngram_count counts[EE_NGRAM_LIMIT]; /* `expected` is not used */
} ee_bleu;

void ee_bleu_count(ee_bleu *bleu, ee_str expected, ee_str candidate, ee_tokenizer tokenizer, ee_arena *scratch);

/* What BLEU is made of. */
typedef struct ee_bleu_parts {
  double penalty;                    /* for brevity: exp(1 - expected/candidate), at most 1 */
  size_t orders;                     /* how many precisions are in the geometric mean; 0: the score is 0 */
  double precisions[EE_NGRAM_LIMIT]; /* 0..1 */
} ee_bleu_parts;

/* The parts, with sacrebleu's default smoothing ("exp", of mteval-v13a): where k orders had no common n-gram so far,
 * the precision counts as 1 / (2^k * n-grams of the candidate). `is_sentence`: only orders in which the candidate
 * has n-grams are in the mean, as sacrebleu has it for single sentences ("effective order"). */
void ee_bleu_parts_of(const ee_bleu *bleu, bool is_sentence, ee_bleu_parts *parts);

/* penalty * the geometric mean of the precisions, 0..1: sacrebleu's is 100 times that. 0 without a common token. */
double ee_bleu_score(const ee_bleu *bleu, bool is_sentence);

#endif
