/* text_measure.h: every similarity of two texts by its name, with its options: for ee.fuzzy and for ee.prim. */
#ifndef EE_PRIM_TEXT_MEASURE_H
#define EE_PRIM_TEXT_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"
#include "prim/ngram.h"
#include "prim/tokenizer.h"

typedef enum ee_text_algorithm {
  EE_LEVENSHTEIN,        /* 1 - distance / longer length; the lengths of all are in code points */
  EE_JARO_WINKLER,       /* ee_jaro_winkler() */
  EE_TOKEN_SORT,         /* ee_token_sort() */
  EE_TOKEN_SET,          /* ee_token_set() */
  EE_TOKEN_F1,           /* ee_token_f1() */
  EE_RATIO,              /* ee_ratio() */
  EE_PARTIAL_RATIO,      /* ee_partial_ratio() */
  EE_PARTIAL_TOKEN_SORT, /* ee_partial_token_sort() */
  EE_PARTIAL_TOKEN_SET,  /* ee_partial_token_set() */
  EE_DAMERAU,            /* 1 - ee_damerau() / longer length */
  EE_OSA,                /* 1 - ee_osa() / longer length */
  EE_HAMMING,            /* 1 - ee_hamming() / longer length */
  EE_LCS,                /* longest common subsequence / longer length */
  EE_DICE,               /* ee_dice_parts() */
  EE_CHRF,               /* ee_chrf_score() */
  EE_BLEU,               /* ee_bleu_score() of a sentence */
  EE_ROUGE_L,            /* ee_rouge_l_parts() */
  EE_WER,                /* max(0, 1 - word error rate); 0 if nothing is expected but something is there */
  EE_CER                 /* the same with the character error rate */
} ee_text_algorithm;

/* Their names in data, in the order of the enum. */
#define EE_TEXT_ALGORITHMS                                                                                             \
  "levenshtein|jaro_winkler|token_sort|token_set|token_f1|ratio|partial_ratio|partial_token_sort|partial_token_set|"   \
  "damerau|osa|hamming|lcs|dice|chrf|bleu|rouge_l|wer|cer"

/* Options that not every algorithm has. */
typedef enum ee_measure_option {
  EE_MEASURE_TOKENIZER = 1,
  EE_MEASURE_N = 2,
  EE_MEASURE_WORD_ORDER = 4,
  EE_MEASURE_BETA = 8
} ee_measure_option;

typedef struct ee_text_measure {
  ee_text_algorithm algorithm;
  ee_tokenizer tokenizer; /* of token_*, partial_token_*, bleu, rouge_l and wer */
  size_t n;               /* of dice, bleu and chrf: 1..EE_NGRAM_LIMIT */
  size_t word_order;      /* of chrf: 0..EE_NGRAM_LIMIT */
  double beta;            /* of chrf: 0..EE_BETA_LIMIT */
} ee_text_measure;

#define EE_BETA_LIMIT 100.0

/* The algorithm with its own defaults. */
ee_text_measure ee_text_measure_of(ee_text_algorithm algorithm);

/* The options of the algorithm, with that tokenizer: a set of ee_measure_option. EE_MEASURE_N is among them where an
 * algorithm counts n-grams or the tokenizer makes them. */
unsigned ee_text_measure_options(ee_text_algorithm algorithm, ee_token_kind tokenizer);

/* A similarity, 0..1. */
typedef struct ee_text_score {
  double value;
  bool is_ratio;       /* `value` is parts / whole (1 where `whole` is 0), whole numbers that decide exactly */
  size_t parts, whole; /* parts <= whole */
} ee_text_score;

/* The similarity of two valid UTF-8 texts; the same in both directions, but of chrf, bleu, wer and cer, for which
 * `expected` is the reference. `scratch` is used and rewound. The longest take O(m * n), and are charged as work. */
ee_text_score ee_text_measure_score(const ee_text_measure *measure, ee_str expected, ee_str candidate,
                                    ee_arena *scratch);

/* The similarity of each of `rows` expected texts and each of `columns` candidate texts, into
 * matrix[row * columns + column]. */
void ee_text_measure_matrix(const ee_text_measure *measure, const ee_str *expected, size_t rows,
                            const ee_str *candidate, size_t columns, double *matrix, ee_arena *scratch);

#endif
